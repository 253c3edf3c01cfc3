"""pyRiemann's functions by this library: the same arguments, the same results.

Each of them raises LeaveToPyriemann for arguments that it does not take or would not be faster with. It need not check
what pyRiemann checks: the original function runs then, with its own results, warnings and exceptions.
"""

from __future__ import annotations

import numbers
import warnings
from typing import Any, Callable, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from ._discriminant import Discriminant
from ._library import library
from ._options import threads_of

Matrices = NDArray[np.float64]


class LeaveToPyriemann(Exception):
    """Says why pyRiemann's own function shall run."""


class Replacement(NamedTuple):
    """One function or method of pyRiemann, the module that defines it (before 0.12, geometry was utils), and ours."""

    module: str
    name: str
    function: Callable[..., Any]


class Worth(NamedTuple):
    """Sizes for which this library is faster: matrices up to `few` in any number, up to `many` if there are `least`.

    NumPy calls LAPACK for one matrix after the other, which is faster for few large matrices. Measured with one thread.
    """

    few: int
    many: int
    least: int

    def require(self, dim: int, count: int) -> None:
        _require(dim <= self.few or (dim <= self.many and count >= self.least), "sizes for which pyRiemann is faster")


FUNCTIONS = Worth(few=128, many=128, least=1)
EXPONENTIALS = Worth(few=48, many=128, least=16)
TANGENT_SPACE = Worth(few=128, many=128, least=1)
FROM_TANGENT_SPACE = Worth(few=24, many=96, least=16)
MEANS = {"airm": Worth(few=64, many=128, least=16), "stein": Worth(few=256, many=256, least=1)}
# By the number of matrices.
TO_ONE = {
    "riemann": Worth(few=8, many=400, least=8),
    "logdet": Worth(few=16, many=400, least=16),
    "logeuclid": Worth(few=32, many=400, least=4),
    "kullback_sym": Worth(few=64, many=400, least=4),
    "thompson": Worth(few=8, many=400, least=8),
    "wasserstein": Worth(few=8, many=400, least=8),
}
# By the number of pairs.
PAIRS = {
    "riemann": Worth(few=24, many=400, least=60),
    "logdet": Worth(few=24, many=400, least=36),
    "logeuclid": Worth(few=48, many=400, least=16),
    "chol": Worth(few=24, many=400, least=100),
    "kullback": Worth(few=24, many=400, least=36),
    "kullback_right": Worth(few=24, many=400, least=36),
    "kullback_sym": Worth(few=24, many=400, least=36),
    "harmonic": Worth(few=400, many=400, least=1),
    "logchol": Worth(few=400, many=400, least=1),
    "thompson": Worth(few=24, many=400, least=60),
    "wasserstein": Worth(few=24, many=400, least=60),
}
KERNEL = Worth(few=40, many=128, least=16)
COVARIANCES = {
    "cov": Worth(few=16, many=32, least=4),
    "corr": Worth(few=16, many=32, least=4),
    "lwf": Worth(few=256, many=256, least=1),
    "oas": Worth(few=256, many=256, least=1),
}

# pyRiemann's names of metrics, and ours.
METRICS = {
    "riemann": "airm",
    "logdet": "stein",
    "logeuclid": "logeuclidean",
    "logchol": "logcholesky",
    "chol": "cholesky",
    "harmonic": "harmonic",
    "kullback": "kullback",
    "kullback_right": "kullback_right",
    "kullback_sym": "kullback_sym",
    "thompson": "thompson",
    "wasserstein": "wasserstein",
}
# What a metric becomes if the two sides change places.
TRANSPOSED = {"kullback": "kullback_right", "kullback_right": "kullback"}


def _require(condition: bool, reason: str) -> None:
    if not condition:
        raise LeaveToPyriemann(reason)


def _matrices(X: Any, ndim: Optional[int] = None) -> Matrices:
    """`X` if it is made of square matrices of float64."""
    _require(type(X) is np.ndarray, "not a NumPy array")
    _require(X.dtype == np.float64, "not of dtype float64")
    _require(X.ndim >= 2 and X.size > 0 and X.shape[-1] == X.shape[-2], "matrices that are not square")
    _require(ndim is None or X.ndim == ndim, "another number of dimensions")
    return X


def _count(X: Matrices) -> int:
    return X.size // X.shape[-1] ** 2


def _stacked(X: Matrices) -> Matrices:
    """The matrices as a contiguous array (n, d, d)."""
    return np.ascontiguousarray(X.reshape(-1, X.shape[-2], X.shape[-1]))


def _threads() -> int:
    return threads_of(None)


def _function_of(C: Any, function: str, exponent: float = 1.0, worth: Worth = FUNCTIONS) -> Matrices:
    C = _matrices(C)
    worth.require(C.shape[-1], _count(C))
    return library.matrix_function(_stacked(C), function, exponent, _threads()).reshape(C.shape)


def expm(C: Any) -> Matrices:
    return _function_of(C, "exponential", worth=EXPONENTIALS)


def invsqrtm(C: Any) -> Matrices:
    return _function_of(C, "inverse_root")


def logm(C: Any) -> Matrices:
    return _function_of(C, "logarithm")


def powm(C: Any, alpha: Any) -> Matrices:
    _require(isinstance(alpha, numbers.Real), "an exponent that is not a number")
    _require(bool(np.isfinite(float(alpha))), "an exponent that is not finite")
    return _function_of(C, "power", float(alpha))


def sqrtm(C: Any) -> Matrices:
    return _function_of(C, "root")


def _known(metric: Any, squared: Any, metrics: dict[str, Worth]) -> None:
    _require(isinstance(metric, str) and metric in metrics, "a metric in which pyRiemann is as fast, or that only it has")
    _require(type(squared) is bool, "`squared` is neither True nor False")


def _distances(X: Matrices, Y: Optional[Matrices], metric: str, squared: bool) -> Matrices:
    # The factors of the first are made once for all pairs, so the fewer of them the better.
    if Y is not None and len(Y) < len(X):
        return _distances(Y, X, TRANSPOSED.get(metric, metric), squared).T
    return library.pairwise_distance(X, Y, METRICS[metric], squared, 0.5, _threads(), False)


def distance(A: Any, B: Any, metric: Any = "riemann", squared: Any = False) -> Any:
    _known(metric, squared, TO_ONE)
    _require(type(A) is np.ndarray and A.ndim == 3, "one pair, or pairs of two stacks")
    A, B = _matrices(A, 3), _matrices(B, 2)
    _require(A.shape[1:] == B.shape, "matrices of different sizes")
    TO_ONE[metric].require(len(B), len(A))
    return _distances(_stacked(A), _stacked(B), metric, squared)


def pairwise_distance(X: Any, Y: Any = None, metric: Any = "riemann", squared: Any = False) -> Matrices:
    _known(metric, squared, PAIRS)
    X = _stacked(_matrices(X, 3))
    if Y is not None:
        Y = _stacked(_matrices(Y, 3))
        _require(X.shape[1:] == Y.shape[1:], "matrices of different sizes")
    PAIRS[metric].require(X.shape[-1], len(X) * len(X if Y is None else Y))
    return np.ascontiguousarray(_distances(X, Y, metric, squared))


def predict_distances(mdm: Any, X: Any) -> Matrices:
    """From matrices to means, or to neighbours: all pairs at once."""
    means = mdm.covmeans_
    return pairwise_distance(X, np.stack(means) if isinstance(means, list) else means, mdm._metric_dist)


def fit_discriminant(analysis: Any, X: Any, y: Any, sample_weight: Any = None) -> Matrices:
    """The directions of the geodesic filter, in the time of the number of matrices instead of the features."""
    _matrices(X, 3)
    labels = np.asarray(y)
    _require(labels.shape == (len(X),), "no label for each matrix")
    rows = analysis._ts.fit_transform(X, sample_weight=sample_weight)
    try:
        found = Discriminant(rows, labels)
    except np.linalg.LinAlgError as error:
        raise LeaveToPyriemann(f"a discriminant analysis in which {error}") from error
    analysis.classes_ = found.classes_
    analysis._lda = found.as_sklearn(len(found.classes_) - 1)
    W = found.coef_
    analysis._W = W.T @ np.linalg.pinv(W @ W.T) @ W
    return rows


def _weights(sample_weight: Any, count: int) -> list[float]:
    if sample_weight is None:
        return []
    weights = np.asarray(sample_weight)
    _require(weights.shape == (count,) and weights.dtype.kind in "fiu", "weights that are not one number per matrix")
    _require(bool(np.isfinite(weights).all() and (weights >= 0).all() and weights.any()), "weights below 0, or only 0")
    return weights.astype(np.float64).tolist()


def _iterated_mean(X: Any, metric: str, tol: Any, maxiter: Any, init: Any, sample_weight: Any) -> Matrices:
    X = _matrices(X)
    _require(X.ndim >= 3, "a single matrix")
    MEANS[metric].require(X.shape[-1], X.shape[-3])
    _require(isinstance(tol, numbers.Real) and float(tol) >= 0, "a tolerance that is not a number from 0 on")
    _require(isinstance(maxiter, numbers.Integral) and int(maxiter) >= 1, "a number of iterations below 1")
    weights = _weights(sample_weight, X.shape[-3])
    if init is not None:
        init = np.ascontiguousarray(_matrices(init, 2))
        _require(init.shape == X.shape[-2:], "an init of another size")
    means = np.empty((*X.shape[:-3], *X.shape[-2:]))
    converged = []
    for index in np.ndindex(*X.shape[:-3]):
        means[index], stopped = library.fixed_point_mean(
            np.ascontiguousarray(X[index]), metric, weights, init, float(tol), int(maxiter), _threads()
        )
        converged.append(stopped)
    for stopped in converged:
        if not stopped:
            warnings.warn("Convergence not reached", stacklevel=4)
    return means


def mean_logdet(
    X: Any, *, tol: Any = 10e-5, maxiter: Any = 50, init: Any = None, sample_weight: Any = None
) -> Matrices:
    return _iterated_mean(X, "stein", tol, maxiter, init, sample_weight)


def mean_riemann(
    X: Any, *, tol: Any = 10e-9, maxiter: Any = 50, init: Any = None, sample_weight: Any = None
) -> Matrices:
    return _iterated_mean(X, "airm", tol, maxiter, init, sample_weight)


def _like_riemann(metric: Any) -> None:
    _require(isinstance(metric, str) and metric == "riemann", "a metric other than riemann")


def _reference(Cref: Any, dim: int) -> Matrices:
    Cref = _matrices(Cref, 2)
    _require(Cref.shape[0] == dim, "a reference of another size")
    return np.ascontiguousarray(Cref)


def tangent_space(X: Any, Cref: Any, *, metric: Any = "riemann") -> Matrices:
    _like_riemann(metric)
    X = _matrices(X)
    TANGENT_SPACE.require(X.shape[-1], _count(X))
    rows = library.tangent_rows(_reference(Cref, X.shape[-1]), _stacked(X), _threads())
    return rows.reshape(*X.shape[:-2], rows.shape[-1])


def untangent_space(T: Any, Cref: Any, *, metric: Any = "riemann") -> Matrices:
    _like_riemann(metric)
    _require(type(T) is np.ndarray and T.dtype == np.float64 and T.ndim >= 1 and T.size > 0, "rows that are not of float64")
    dim = int((np.sqrt(1 + 8 * T.shape[-1]) - 1) / 2)
    FROM_TANGENT_SPACE.require(dim, T.size // T.shape[-1])
    rows = np.ascontiguousarray(T.reshape(-1, T.shape[-1]))
    return library.from_tangent_space(_reference(Cref, dim), rows, _threads()).reshape(*T.shape[:-1], dim, dim)


def _inner_products(rows: Callable[[Matrices], Matrices], X: Matrices, Y: Optional[Matrices], reg: float) -> Matrices:
    own = rows(X)
    # NumPy multiplies an array with itself in another way: X with itself has the same bits, with and without Y.
    products = own @ (own if Y is None or Y is X else rows(Y)).T
    if Y is None:
        products.flat[:: len(own) + 1] += reg
    return products


def _kernel_arguments(X: Any, Y: Any, Cref: Any, reg: Any) -> None:
    X = _matrices(X, 3)
    if Y is not None:
        _require(_matrices(Y, 3).shape[1:] == X.shape[1:], "matrices of different sizes")
    if Cref is not None:
        _require(_matrices(Cref, 2).shape == X.shape[1:], "a reference of another size")
    _require(isinstance(reg, numbers.Real), "a regularisation that is not a number")


def kernel_euclid(X: Any, Y: Any = None, *, Cref: Any = None, reg: Any = 1e-10) -> Matrices:
    _kernel_arguments(X, Y, Cref, reg)

    def rows(some: Matrices) -> Matrices:
        return (some if Cref is None else some - Cref).reshape(len(some), -1)

    return _inner_products(rows, X, Y, reg)


def kernel_logeuclid(X: Any, Y: Any = None, *, Cref: Any = None, reg: Any = 1e-10) -> Matrices:
    _kernel_arguments(X, Y, Cref, reg)
    KERNEL.require(X.shape[-1], len(X))
    reference = 0.0 if Cref is None else _logarithms(Cref)

    def rows(some: Matrices) -> Matrices:
        return (_logarithms(some) - reference).reshape(len(some), -1)

    return _inner_products(rows, X, Y, reg)


def _logarithms(X: Matrices) -> Matrices:
    return library.matrix_function(_stacked(X), "logarithm", 1.0, _threads()).reshape(X.shape)


def kernel_riemann(X: Any, Y: Any = None, *, Cref: Any = None, reg: Any = 1e-10) -> Matrices:
    _kernel_arguments(X, Y, Cref, reg)
    KERNEL.require(X.shape[-1], len(X))
    reference = mean_riemann(X) if Cref is None else np.ascontiguousarray(Cref)

    def rows(some: Matrices) -> Matrices:
        return library.tangent_rows(reference, _stacked(some), _threads())

    return _inner_products(rows, X, Y, reg)


def covariances(X: Any, estimator: Any = "cov", **options: Any) -> Matrices:
    _require(not options, "options of the estimator")
    _require(isinstance(estimator, str) and estimator in COVARIANCES, "an estimator that is left to pyRiemann")
    _require(type(X) is np.ndarray and X.dtype == np.float64 and X.ndim >= 3 and X.size > 0, "epochs that are not of float64")
    channels, times = X.shape[-2:]
    _require(1 < channels < times, "one channel, or no more times than channels")
    COVARIANCES[estimator].require(channels, X.size // (channels * times))
    epochs = np.ascontiguousarray(X.reshape(-1, channels, times))
    # Epochs without full rank are refused by the first of them rather than after the work.
    library.covariances(epochs[:1], estimator, 1)
    return library.covariances(epochs, estimator, _threads()).reshape(*X.shape[:-2], channels, channels)


TABLE = (
    Replacement("classification", "MDM._predict_distances", predict_distances),
    Replacement("geometry.base", "expm", expm),
    Replacement("geometry.base", "invsqrtm", invsqrtm),
    Replacement("geometry.base", "logm", logm),
    Replacement("geometry.base", "powm", powm),
    Replacement("geometry.base", "sqrtm", sqrtm),
    Replacement("geometry.covariance", "covariances", covariances),
    Replacement("geometry.distance", "distance", distance),
    Replacement("geometry.distance", "pairwise_distance", pairwise_distance),
    Replacement("geometry.kernel", "kernel_euclid", kernel_euclid),
    Replacement("geometry.kernel", "kernel_logeuclid", kernel_logeuclid),
    Replacement("geometry.kernel", "kernel_riemann", kernel_riemann),
    Replacement("geometry.mean", "mean_logdet", mean_logdet),
    Replacement("geometry.mean", "mean_riemann", mean_riemann),
    Replacement("geometry.tangentspace", "tangent_space", tangent_space),
    Replacement("geometry.tangentspace", "untangent_space", untangent_space),
    Replacement("tangentspace", "FGDA._fit_lda", fit_discriminant),
)
