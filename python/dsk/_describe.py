"""From pictures and recordings to matrices, as ``dsk describe`` makes them of files."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import as_floats
from ._covariance import Bands, EstimatorName, bands_text
from ._library import library
from ._options import as_number, threads_of

TEXTURE_FEATURES = "intensity,abs-dx,abs-dy,abs-dxx,abs-dyy"
GABOR_FEATURES = "intensity,x,y,gabor:5x8"
Pair = tuple[int, int]
Matrices = NDArray[np.float64]


def describe_texture(
    pictures: Any,
    tiles: Optional[Pair] = None,
    *,
    windows: Optional[Pair] = None,
    step: Optional[int] = None,
    features: Union[str, Sequence[str]] = TEXTURE_FEATURES,
    estimator: EstimatorName = "scm",
    n_jobs: Optional[int] = None,
) -> Matrices:
    """Covariance matrices of the features of pixels, for pictures, their tiles or windows.

    Read pictures with any package (PIL, imageio, OpenCV); the numbers are those of ``dsk describe texture``.

    Parameters
    ----------
    pictures : sequence of array-like of shape (height, width) or (height, width, 3)
        Grey or red, green and blue. Pictures may differ in size. Whole numbers are divided by the largest of their type,
        so that white is 1; other numbers are taken as they are.
    tiles : (columns, rows), optional
        Cut every picture into this many tiles, one matrix each. Without tiles and windows, one matrix per picture.
    windows : (width, height), optional
        Overlapping windows of this size, in pixels, instead of tiles. Needs `step`.
    step : int, optional
        Distance of the windows, in pixels.
    features : str or sequence of str
        Features of a pixel: "intensity", "x", "y", "dx", "dy", "dxx", "dyy", "dxy", the last five also with "abs-" in
        front, "magnitude", "angle", "red", "green", "blue" and "gabor:SxO". The default is those of the paper for textures.
    estimator : str, default="scm"
        As for :func:`dsk.covariance`.
    n_jobs : int, optional
        Number of threads; None or -1 uses all cores.

    Returns
    -------
    ndarray of shape (n, d, d)
        The matrices of the first picture, row by row, then those of the next. d is the number of features. Tiles are
        as many for each picture: ``np.repeat(labels, columns * rows)`` labels them, and positions in place of labels
        are groups, to be kept together in folds.

    Raises
    ------
    ValueError
        For a picture or region without a positive definite matrix, such as a constant one; the message names the
        picture.

    Examples
    --------
    >>> import dsk, numpy as np
    >>> pictures = np.random.default_rng(0).integers(0, 256, (3, 32, 32), dtype=np.uint8)
    >>> dsk.describe_texture(pictures).shape
    (3, 5, 5)
    >>> dsk.describe_texture(pictures, tiles=(4, 2)).shape
    (24, 5, 5)
    """
    text = features if isinstance(features, str) else ",".join(features)
    if windows is not None and tiles is not None:
        raise ValueError("give tiles or windows, not both")
    if (windows is None) != (step is None):
        raise ValueError("windows and step, the distance between them, must be given together")
    images = [_picture(one, position) for position, one in enumerate(_listed("pictures", pictures))]
    if not images:
        raise ValueError("there are no pictures")

    def described(position: int) -> Matrices:
        try:
            return library.describe_picture(
                images[position], text, _pair("tiles", tiles), _pair("windows", windows), 0 if step is None else step, estimator
            )
        except ValueError as error:
            raise ValueError(f"picture {position}: {error}") from error

    library.feature_names(text)  # an unknown feature is no fault of a picture
    with ThreadPoolExecutor(threads_of(n_jobs) or library.max_threads()) as pool:
        return np.concatenate(list(pool.map(described, range(len(images)))))


def describe_gabor(
    pictures: Any,
    tiles: Optional[Pair] = None,
    *,
    windows: Optional[Pair] = None,
    step: Optional[int] = None,
    features: Union[str, Sequence[str]] = GABOR_FEATURES,
    estimator: EstimatorName = "scm",
    n_jobs: Optional[int] = None,
) -> Matrices:
    """As :func:`describe_texture`, with the paper's features for faces: intensity, x, y and Gabor wavelets, d = 43.

    Parameters
    ----------
    pictures, tiles, windows, step, estimator, n_jobs
        As for :func:`describe_texture`.
    features : str or sequence of str
        The default has Gabor wavelets at 5 scales and 8 orientations.

    Returns
    -------
    ndarray of shape (n, d, d)

    Examples
    --------
    >>> import dsk, numpy as np
    >>> pictures = np.random.default_rng(0).random((2, 40, 40))
    >>> dsk.describe_gabor(pictures).shape
    (2, 43, 43)
    >>> dsk.describe_gabor(pictures, features="intensity,gabor:2x4").shape
    (2, 9, 9)
    """
    return describe_texture(
        pictures, tiles, windows=windows, step=step, features=features, estimator=estimator, n_jobs=n_jobs
    )


def describe_series(
    trials: Sequence[ArrayLike],
    estimator: EstimatorName = "scm",
    *,
    bands: Bands = None,
    rate: Optional[float] = None,
    order: int = 4,
    n_jobs: Optional[int] = None,
) -> Matrices:
    """Covariance matrices of recordings that may differ in length, also of a filter bank.

    For epochs of one length see :func:`dsk.covariance`, and :class:`dsk.Covariances` in pipelines.

    Parameters
    ----------
    trials : sequence of array-like of shape (channels, times)
        One recording each, all with the same channels.
    estimator : str, default="scm"
        As for :func:`dsk.covariance`.
    bands : str or sequence of pairs, optional
        A filter bank, as "8-12,12-30" or [(8, 12), (12, 30)]: a matrix has the channels of all bands. Needs `rate`.
    rate : float, optional
        Samples per second.
    order : int, default=4
        Order of the Butterworth filters, which run forwards and backwards.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores.

    Returns
    -------
    ndarray of shape (n, d, d)
        d is the number of channels, times that of bands if there are any.

    Examples
    --------
    >>> import dsk, numpy as np
    >>> generator = np.random.default_rng(0)
    >>> trials = [generator.standard_normal((3, times)) for times in (200, 300, 250)]
    >>> dsk.describe_series(trials).shape
    (3, 3, 3)
    >>> dsk.describe_series(trials, bands="8-12,12-30", rate=100).shape
    (3, 6, 6)
    """
    if bands is not None and rate is None:
        raise ValueError("bands need rate, the number of samples per second")
    signals = [as_floats(trial, f"trial {position}") for position, trial in enumerate(_listed("trials", trials))]
    for position, signal in enumerate(signals):
        if signal.ndim != 2 or not signal.size:
            raise ValueError(f"trial {position} must have shape (channels, times); got {signal.shape}")
    return library.describe_series(
        signals, estimator, "" if bands is None else bands_text(bands), 0.0 if rate is None else as_number("rate", rate), order, threads_of(n_jobs)
    )


def _listed(name: str, several: Any) -> list[Any]:
    if isinstance(several, (str, bytes)) or not np.iterable(several):
        raise TypeError(f"{name} must be a sequence of arrays; got {several!r}")
    return list(several)


def _pair(name: str, pair: Any) -> Optional[Pair]:
    if pair is None:
        return None
    numbers = tuple(pair) if np.iterable(pair) else ()
    if len(numbers) != 2 or not all(isinstance(one, (int, np.integer)) for one in numbers):
        raise ValueError(f"{name} must be a pair of whole numbers; got {pair!r}")
    return int(numbers[0]), int(numbers[1])


def _picture(picture: Any, position: int) -> NDArray[np.float64]:
    """(height, width, 1 or 3), white 1 if it is made of whole numbers."""
    array = np.asarray(picture)
    if array.dtype.kind not in "uifb":
        raise ValueError(f"picture {position} must hold numbers; got an array of dtype {array.dtype}")
    if array.ndim == 2:
        array = array[:, :, np.newaxis]
    if array.ndim != 3 or array.shape[2] not in (1, 3, 4) or not array.size:
        raise ValueError(f"picture {position} must have shape (height, width) or (height, width, 3); got {np.shape(picture)}")
    white = float(np.iinfo(array.dtype).max) if array.dtype.kind in "ui" else 1.0
    return np.ascontiguousarray(array[:, :, :3], dtype=np.float64) / white
