"""Means of matrices, and the tangent space at one."""

from __future__ import annotations

import warnings
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_array, check_is_fitted

from ._arrays import as_floats, as_matrices
from ._distances import metric_and_zeta
from ._estimator import MatricesTransformer
from ._hermitian import embedded, embedded_features, is_complex, unembedded
from ._library import library
from ._options import MetricName, as_number, as_whole_number, threads_of
from ._weights import checked_weights

_TOLERANCE = 1e-12
_MAX_ITER = 200


def mean(
    X: ArrayLike,
    metric: MetricName = "riemann",
    weights: Optional[ArrayLike] = None,
    *,
    zeta: float = 0.5,
    tol: float = _TOLERANCE,
    max_iter: int = _MAX_ITER,
    n_jobs: Optional[int] = None,
) -> NDArray[Any]:
    """The mean of SPD matrices: the matrix with the smallest weighted sum of squared distances to all of them.

    Parameters
    ----------
    X : array-like of shape (n, d, d)
        Symmetric positive definite matrices, or complex Hermitian ones, whose mean is complex.
    metric : str, default="riemann"
        As for :func:`pairwise_distance`. "riemann", "logdet" and "wasserstein" need iterations, "thompson" has no mean,
        and all others have a closed form. Of the Kullback-Leibler divergences d(X, M), which are not squared, the means
        are the arithmetic ("kullback") and the harmonic one ("kullback_right"), and the midpoint of the two
        ("kullback_sym").
    weights : array-like of shape (n,), optional
        One weight per matrix, none negative; all equal by default.
    zeta : float, default=0.5
        Exponent of the power-Euclidean metric.
    tol : float, default=1e-12
        Size of the step, relative to the mean, at which to stop. It does not depend on the units of X.
    max_iter : int, default=200
        Maximum number of iterations; a ConvergenceWarning is issued if they were not enough.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores.

    Returns
    -------
    ndarray of shape (d, d)

    Examples
    --------
    >>> import dsk, numpy as np
    >>> X = np.array([np.diag([1.0, 4.0]), np.diag([4.0, 9.0])])
    >>> dsk.mean(X).round(6).tolist()
    [[2.0, 0.0], [0.0, 6.0]]
    >>> dsk.mean(X, metric="euclid", weights=[1, 3]).round(6).tolist()
    [[3.25, 0.0], [0.0, 7.75]]
    """
    matrices = as_matrices(X)
    name, exponent = metric_and_zeta(metric, zeta)
    given = [] if weights is None else as_floats(weights, "weights").reshape(-1).tolist()
    if weights is not None and len(given) != len(matrices):
        raise ValueError(f"weights must have one entry per matrix; got {len(given)} for {len(matrices)} matrices")
    found, stop, _ = library.mean(
        matrices, name, exponent, given, as_number("tol", tol), as_whole_number("max_iter", max_iter), threads_of(n_jobs)
    )
    if stop == "iteration limit":
        warnings.warn(f"the mean did not converge within {max_iter} iterations", ConvergenceWarning, stacklevel=2)
    return unembedded(found) if is_complex(X) else found


class TangentSpace(MatricesTransformer):
    """Maps SPD matrices to the tangent space at their mean, where they are ordinary vectors.

    A matrix X becomes the upper triangle of log(M^-1/2 X M^-1/2), row by row, with the entries off the diagonal times
    the square root of 2; M is the mean of the matrices seen in fit. The features are those of pyRiemann's TangentSpace.
    Of complex matrices they are the real parts of that, and after them the imaginary parts off the diagonal.

    Parameters
    ----------
    metric : str, default="riemann"
        The metric of the mean, as for :func:`mean`. The map is that of the affine invariant metric in any case.
    n_jobs : int, optional
        Number of threads; None leaves it to OpenMP, -1 uses all cores.

    Attributes
    ----------
    reference_ : ndarray of shape (d, d)
        The mean M.
    n_features_in_ : int
        d, the size of the matrices.

    Examples
    --------
    >>> import dsk
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> X, y = dsk.make_wishart_classes(n_per_class=30, dim=4, tau=1, random_state=1)
    >>> dsk.TangentSpace().fit_transform(X).shape
    (60, 10)
    >>> bool(make_pipeline(dsk.TangentSpace(), LogisticRegression()).fit(X, y).score(X, y) > 0.9)
    True
    """

    _needs_labels = False

    def __init__(self, metric: MetricName = "riemann", n_jobs: Optional[int] = None) -> None:
        self.metric = metric
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: object = None, sample_weight: Optional[ArrayLike] = None) -> TangentSpace:
        """Computes the mean.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.
        y : ignored
        sample_weight : array-like of shape (n,), optional
            Weights of the mean.

        Returns
        -------
        TangentSpace
            The fitted transformer.
        """
        matrices = as_matrices(X)
        weights = checked_weights(sample_weight, matrices)
        self.reference_ = mean(X, self.metric, weights, n_jobs=self.n_jobs)
        self.n_features_in_: int = matrices.shape[1]
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """The tangent vectors.

        Parameters
        ----------
        X : array-like of shape (n, d, d)
            Symmetric positive definite matrices.

        Returns
        -------
        ndarray of shape (n, d (d + 1) / 2), for complex matrices (n, d^2)
        """
        matrices = self._like_fitted(X)
        rows = library.to_tangent_space(self._real_reference(), matrices, threads_of(self.n_jobs))
        return rows[:, embedded_features(len(self.reference_))] if is_complex(self.reference_) else rows

    def inverse_transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """The matrices that :meth:`transform` maps to these vectors.

        Parameters
        ----------
        X : array-like of shape (n, d (d + 1) / 2), for complex matrices (n, d^2)
            Tangent vectors.

        Returns
        -------
        ndarray of shape (n, d, d)
        """
        check_is_fitted(self)
        rows = check_array(X, dtype=np.float64, order="C")
        if is_complex(self.reference_):
            rows = _real_rows(rows, len(self.reference_))
        matrices = library.from_tangent_space(self._real_reference(), rows, threads_of(self.n_jobs))
        return unembedded(matrices) if is_complex(self.reference_) else matrices

    def _real_reference(self) -> NDArray[np.float64]:
        return embedded(self.reference_) if is_complex(self.reference_) else np.ascontiguousarray(self.reference_)


def _real_rows(rows: NDArray[np.float64], dim: int) -> NDArray[np.float64]:
    """Tangent vectors of complex matrices as those of the real matrices of twice the size."""
    if rows.shape[1] != dim * dim:
        raise ValueError(f"X has {rows.shape[1]} features, but complex matrices of {dim} x {dim} have {dim * dim}")
    upper = np.triu_indices(dim)
    above = np.triu_indices(dim, 1)
    tangent = np.zeros((len(rows), dim, dim), dtype=np.complex128)
    tangent[:, upper[0], upper[1]] = rows[:, : len(upper[0])]
    tangent[:, above[0], above[1]] += 1j * rows[:, len(upper[0]) :]
    tangent[:, above[1], above[0]] = tangent[:, above[0], above[1]].conj()
    upper_real = np.triu_indices(2 * dim)
    return np.ascontiguousarray(embedded(tangent)[:, upper_real[0], upper_real[1]])
