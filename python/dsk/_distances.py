"""Distances and kernels of all pairs of matrices."""

from __future__ import annotations

import warnings
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import as_array, as_pair
from ._library import library
from ._options import Device, MetricName, Precision, as_number, device_name, threads_of


def metric_and_zeta(metric: str, zeta: float) -> tuple[str, float]:
    """The library's name of the metric, and its exponent."""
    if not isinstance(metric, str):
        raise TypeError(f"metric must be a name such as 'stein'; got {metric!r}")
    return library.metric_name(metric), as_number("zeta", zeta)


def _is_float32(precision: str, metric: str, batches: tuple[Any, ...], threads: int) -> bool:
    """Warns of Stein divergences in single precision between ill-conditioned matrices."""
    if precision not in ("float64", "float32"):
        raise ValueError(f"precision must be 'float64' or 'float32'; got {precision!r}")
    if precision == "float32" and metric == "stein":
        condition = max(library.beyond_float32(batch, threads) for batch in batches if batch is not None)
        if condition > 0:
            warnings.warn(
                "precision='float32' is for condition numbers below 1e5, but there is a matrix with "
                f"{condition:.2g}; use 'float64'",
                UserWarning,
                stacklevel=3,
            )
    return precision == "float32"


def pairwise_distance(
    X: ArrayLike,
    Y: Optional[ArrayLike] = None,
    metric: MetricName = "stein",
    squared: bool = False,
    n_jobs: Optional[int] = None,
    *,
    zeta: float = 0.5,
    precision: Precision = "float64",
    device: Device = "cpu",
) -> NDArray[np.float64]:
    """Distances between all pairs of SPD matrices.

    Parameters
    ----------
    X : array-like of shape (n, d, d)
        Symmetric positive definite matrices, or complex Hermitian ones.
    Y : array-like of shape (m, d, d), optional
        Compares X with Y instead of X with itself.
    metric : str, default="stein"
        "stein" (also "logdet"), "airm" ("riemann"), "cholesky" ("chol"), "euclidean" ("euclid"), "harmonic" ("inverse"),
        "kullback", "kullback_right", "kullback_sym", "logcholesky" ("logchol"), "logeuclidean" ("logeuclid"),
        "powereuclidean" ("poweuclid"), "thompson" or "wasserstein". pyRiemann's names give pyRiemann's numbers. The
        first two Kullback-Leibler divergences are not symmetric: row i, column j is that of X[i] from Y[j].
    squared : bool, default=False
        Return squared distances; for "stein" that is the divergence itself.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores.
    zeta : float, default=0.5
        Exponent of the power-Euclidean metric.
    precision : {"float64", "float32"}, default="float64"
        "float32" is twice as fast and right to 3e-6 of the largest distance, for condition numbers below 1e5; above that
        a UserWarning is issued.
    device : {"cpu", "cuda"}, default="cpu"
        "cuda" computes on a GPU: the Stein divergence and metrics that are Euclidean after a map of each matrix.

    Returns
    -------
    ndarray of shape (n, n) or (n, m)
        With zeros on the diagonal and, except for the two divergences above, symmetric to the bit, if Y is None.

    Raises
    ------
    ValueError
        For a matrix that is not positive definite; the message names its index, and dsk.repair can repair it. The
        Euclidean metric accepts all symmetric matrices.

    Examples
    --------
    >>> import dsk
    >>> X, y = dsk.make_wishart_classes(n_per_class=3, dim=4, random_state=1)
    >>> dsk.pairwise_distance(X).shape
    (6, 6)
    >>> dsk.pairwise_distance(X[:2], X, metric="riemann")[0, 0].item()
    0.0
    """
    pair = as_pair(X, Y)
    name, exponent = metric_and_zeta(metric, zeta)
    threads = threads_of(n_jobs)
    float32 = _is_float32(precision, name, (pair.x, pair.y), threads)
    distances = library.pairwise_distance(
        pair.x, pair.y, name, bool(squared), exponent, threads, float32, device_name(device)
    )
    if pair.is_complex:
        distances /= library.embedding_factor(name, bool(squared))
    return distances


def distance(
    A: ArrayLike,
    B: ArrayLike,
    metric: MetricName = "stein",
    squared: bool = False,
    *,
    zeta: float = 0.5,
) -> float:
    """The distance between two SPD matrices.

    Parameters
    ----------
    A, B : array-like of shape (d, d)
        Symmetric positive definite matrices, or complex Hermitian ones.
    metric : str, default="stein"
        As for :func:`pairwise_distance`, which is faster than many calls of this function.
    squared : bool, default=False
        Return the squared distance; for "stein" that is the divergence itself.
    zeta : float, default=0.5
        Exponent of the power-Euclidean metric.

    Returns
    -------
    float

    Examples
    --------
    >>> import dsk
    >>> round(dsk.distance([[1.0, 0.0], [0.0, 1.0]], [[4.0, 0.0], [0.0, 1.0]], metric="riemann"), 6)
    1.386294
    """
    pair = [as_array(matrix, name) for name, matrix in (("A", A), ("B", B))]
    for name, matrix in zip("AB", pair):
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"{name} must be one square matrix, shape (d, d); got shape {matrix.shape}")
    return float(pairwise_distance(pair[0][None], pair[1][None], metric, squared, n_jobs=1, zeta=zeta)[0, 0])


def kernel(
    X: ArrayLike,
    Y: Optional[ArrayLike] = None,
    metric: MetricName = "stein",
    theta: float = 1.5,
    n_jobs: Optional[int] = None,
    *,
    zeta: float = 0.5,
    allow_indefinite: bool = False,
    precision: Precision = "float64",
    device: Device = "cpu",
) -> NDArray[np.float64]:
    """Kernel values exp(-theta d(X, Y)^2) of all pairs of SPD matrices.

    Parameters
    ----------
    X : array-like of shape (n, d, d)
        Symmetric positive definite matrices, or complex Hermitian ones.
    Y : array-like of shape (m, d, d), optional
        Compares X with Y instead of X with itself.
    metric : str, default="stein"
        As for :func:`pairwise_distance`.
    theta : float, default=1.5
        Width. With "stein" it must be 1/2, 1, ..., (d-1)/2 or anything above, for complex matrices 1, 2, ..., 2 d - 1 or
        anything above; "airm", "thompson", "wasserstein" and the Kullback-Leibler divergences give no kernel.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores.
    zeta : float, default=0.5
        Exponent of the power-Euclidean metric.
    allow_indefinite : bool, default=False
        Take a theta for which the values need not make a positive definite matrix.
    precision : {"float64", "float32"}, default="float64"
        As for :func:`pairwise_distance`.
    device : {"cpu", "cuda"}, default="cpu"
        As for :func:`pairwise_distance`.

    Returns
    -------
    ndarray of shape (n, n) or (n, m)

    Examples
    --------
    >>> import dsk
    >>> X, y = dsk.make_wishart_classes(n_per_class=3, dim=4, random_state=1)
    >>> K = dsk.kernel(X, theta=2)
    >>> bool((K.diagonal() == 1).all())
    True
    """
    pair, threads = as_pair(X, Y), threads_of(n_jobs)
    name, exponent = metric_and_zeta(metric, zeta)
    width = as_number("theta", theta)
    float32 = _is_float32(precision, name, (pair.x, pair.y), threads)
    return library.kernel_matrix(
        pair.x,
        pair.y,
        name,
        width / library.embedding_factor(name, True) if pair.is_complex else width,
        exponent,
        bool(allow_indefinite),
        threads,
        float32,
        device_name(device),
    )
