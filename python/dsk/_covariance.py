"""From signals to matrices."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._arrays import as_floats
from ._library import library
from ._options import as_number, as_whole_number, threads_of

EstimatorName = Literal[
    "scm",
    "cov",
    "sample",
    "corr",
    "correlation",
    "lwf",
    "lw",
    "ledoit-wolf",
    "oas",
    "mestre",
    "efron-morris",
    "ben-david",
    "ben-david-davidson",
]


def covariance(epochs: ArrayLike, estimator: EstimatorName = "scm", n_jobs: Optional[int] = None) -> NDArray[np.float64]:
    """Covariance matrices of multichannel signals.

    Parameters
    ----------
    epochs : array-like of shape (n, channels, times)
        Signals; the mean of each channel is subtracted.
    estimator : str, default="scm"
        "scm" or "cov" (over times - 1, as ``numpy.cov``), "corr" (of channels of unit variance), "lwf" (Ledoit-Wolf),
        "oas", and the eigenvalue corrections "mestre", "efron-morris" and "ben-david".
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores.

    Returns
    -------
    ndarray of shape (n, channels, channels)
        Symmetric positive definite.

    Raises
    ------
    ValueError
        For an epoch that gives no positive definite matrix. The message names its index and an estimator that works.

    Examples
    --------
    >>> import dsk, numpy as np
    >>> epochs = np.random.default_rng(0).standard_normal((10, 4, 100))
    >>> dsk.covariance(epochs, estimator="oas").shape
    (10, 4, 4)
    """
    return library.covariances(_epochs(epochs, "epochs"), estimator, threads_of(n_jobs))


Bands = Union[str, Sequence[tuple[float, float]], None]


class Covariances(TransformerMixin, BaseEstimator):
    """Covariance matrices of epochs: the first step of a pipeline that starts from signals.

    Epochs that do not have full rank, such as those with an average reference, are projected to the directions in which
    there is a signal, and a UserWarning says so: matrices of fewer channels that are positive definite.

    Parameters
    ----------
    estimator : str, default="scm"
        As for :func:`covariance`.
    bands : str or sequence of pairs, optional
        A filter bank, as "8-12,12-30" or [(8, 12), (12, 30)]: a matrix has the channels of all bands. Needs `rate`.
    rate : float, optional
        Samples per second.
    order : int, default=4
        Order of the Butterworth filters, which run forwards and backwards.
    average_reference : bool, default=False
        Subtract the mean of all channels from each of them, which removes one dimension.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores.

    Attributes
    ----------
    rank_ : int
        Number of directions with a signal in the epochs seen in fit.
    projection_ : ndarray of shape (channels, rank_) or None
        To these directions; None if they are all.
    n_features_in_ : int
        Number of channels.

    Examples
    --------
    >>> import dsk, numpy as np
    >>> epochs = np.random.default_rng(0).standard_normal((10, 4, 200))
    >>> dsk.Covariances("oas").fit_transform(epochs).shape
    (10, 4, 4)
    >>> dsk.Covariances(bands="8-12,12-30", rate=100).fit_transform(epochs).shape
    (10, 8, 8)
    """

    def __init__(
        self,
        estimator: EstimatorName = "scm",
        bands: Bands = None,
        rate: Optional[float] = None,
        *,
        order: int = 4,
        average_reference: bool = False,
        n_jobs: Optional[int] = None,
    ) -> None:
        self.estimator = estimator
        self.bands = bands
        self.rate = rate
        self.order = order
        self.average_reference = average_reference
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn before 1.6
        return {"X_types": ["3darray"]}

    def fit(self, X: ArrayLike, y: object = None) -> Covariances:
        """Finds out the rank of the epochs.

        Parameters
        ----------
        X : array-like of shape (n, channels, times)
            Epochs.
        y : ignored

        Returns
        -------
        Covariances
            The fitted transformer.
        """
        self._bands()
        epochs = self._referenced(_epochs(X, "X"))
        centred = epochs - epochs.mean(axis=-1, keepdims=True)
        pooled = np.einsum("nct,ndt->cd", centred, centred)
        if not np.isfinite(pooled).all():
            raise ValueError("X contains NaN, infinity or numbers whose squares are infinite")
        values, vectors = np.linalg.eigh(pooled)
        floor = values[-1] * len(values) * np.finfo(np.float64).eps * 16
        kept = values > floor
        self.n_features_in_: int = epochs.shape[1]
        self.rank_ = int(kept.sum())
        if self.rank_ == 0:
            raise ValueError("X holds constant signals only")
        self.projection_ = None if kept.all() else np.ascontiguousarray(vectors[:, kept])
        if self.projection_ is not None:
            warnings.warn(
                f"the epochs have rank {self.rank_} of {self.n_features_in_} channels; "
                f"they are projected to {self.rank_} directions",
                UserWarning,
                stacklevel=2,
            )
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """The covariance matrices.

        Parameters
        ----------
        X : array-like of shape (n, channels, times)
            Epochs.

        Returns
        -------
        ndarray of shape (n, d, d)
            d is the rank times the number of bands.
        """
        check_is_fitted(self)
        epochs = _epochs(X, "X")
        if epochs.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {epochs.shape[1]} features, but Covariances is expecting {self.n_features_in_} features as input"
            )
        signals = self._referenced(epochs)
        if self.projection_ is not None:
            signals = np.einsum("cr,nct->nrt", self.projection_, signals)
        bands = self._bands()
        if bands:
            signals = library.filter_bank(np.ascontiguousarray(signals), bands, as_number("rate", self.rate), as_whole_number("order", self.order))
        return covariance(signals, self.estimator, self.n_jobs)

    def set_output(self, *, transform: Optional[str] = None) -> Covariances:
        """Accepted for use in pipelines. The result is always an array, because data frames cannot hold matrices."""
        if transform not in (None, "default", "pandas", "polars"):
            raise ValueError(f"transform must be 'default', 'pandas', 'polars' or None; got {transform!r}")
        return self

    def _referenced(self, epochs: NDArray[np.float64]) -> NDArray[np.float64]:
        return epochs - epochs.mean(axis=1, keepdims=True) if self.average_reference else epochs

    def _bands(self) -> str:
        """As the library reads them: "8-12,12-30"; empty for none."""
        if self.bands is None:
            return ""
        if self.rate is None:
            raise ValueError("bands need rate, the number of samples per second")
        return bands_text(self.bands)


def bands_text(bands: Union[str, Sequence[tuple[float, float]]]) -> str:
    """As the library reads them: "8-12,12-30"."""
    if isinstance(bands, str):
        return bands
    try:
        return ",".join(f"{float(low)!r}-{float(high)!r}" for low, high in bands)
    except (TypeError, ValueError) as error:
        raise ValueError(f"bands must be a string such as '8-12,12-30' or pairs of numbers; got {bands!r}") from error


def _epochs(epochs: ArrayLike, name: str) -> NDArray[np.float64]:
    array = as_floats(epochs, name)
    if array.ndim != 3:
        raise ValueError(f"Expected 3D array (n_epochs, channels, times), got shape {array.shape} for {name}")
    if 0 in array.shape:
        raise ValueError(f"Found array with 0 sample(s) (shape={array.shape}) while a minimum of 1 is required.")
    return array
