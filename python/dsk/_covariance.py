"""From signals to matrices."""

from __future__ import annotations

from typing import Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._library import library
from ._options import threads_of


def covariance(epochs: ArrayLike, estimator: str = "scm", n_jobs: Optional[int] = None) -> NDArray[np.float64]:
    """Covariance matrices of multichannel signals.

    Parameters
    ----------
    epochs : array-like of shape (n, channels, times)
        Signals; means are taken away.
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
        For an epoch that gives no positive definite matrix, named by its index, with the estimator that would do.

    Examples
    --------
    >>> import dsk, numpy as np
    >>> epochs = np.random.default_rng(0).standard_normal((10, 4, 100))
    >>> dsk.covariance(epochs, estimator="oas").shape
    (10, 4, 4)
    """
    array = np.asarray(epochs)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: epochs has dtype {array.dtype}")
    if array.ndim != 3:
        raise ValueError(f"Expected 3D array (n_epochs, channels, times), got shape {array.shape} for epochs")
    if 0 in array.shape:
        raise ValueError(f"Found array with 0 sample(s) (shape={array.shape}) while a minimum of 1 is required.")
    return library.covariances(np.ascontiguousarray(array, dtype=np.float64), estimator, threads_of(n_jobs))
