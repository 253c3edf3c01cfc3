"""The learned kernel as a value."""

from __future__ import annotations

import os
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _pickling  # noqa: F401  registers how the library's objects are pickled
from ._arrays import as_matrices, check_dim, second_of_pair
from ._library import library
from ._options import Adjustment, Criterion, as_number, threads_of


class LearnedKernel:
    """A learned discriminative Stein kernel: exp(-theta S(X~, Y~)), where X~ is X with adjusted eigenvalues.

    With another metric, its squared distance takes the place of S.

    Fitted estimators hold one as ``learned_``. It is immutable, and cloning an estimator keeps it: pass it as
    ``kernel`` of a classifier to use it without learning again.

    Attributes
    ----------
    theta : float
        Width of the kernel.
    metric, zeta : str, float
        The metric; zeta is the exponent of the power-Euclidean one.
    adjustment : str
        "power", "coefficient" or "affine".
    alpha, beta : ndarray of shape (d,)
        Adjustment of each eigenvalue, largest first. With alpha 1 and beta 0 an eigenvalue is unchanged.
    scale : float
        Matrices are divided by this first.
    filters : ndarray of shape (d, m) or None
        W of the subspace in which matrices are compared, where ``dsk learn --project`` has learned one; alpha and beta
        then have m entries.
    criterion, penalty, history, stop, n_iter
        How it was learned.

    Examples
    --------
    >>> import dsk
    >>> X, y = dsk.make_wishart_classes(n_per_class=20, dim=3, tau=1, random_state=1)
    >>> learned = dsk.DiscriminativeStein(penalty=0.01).fit(X, y).learned_
    >>> dsk.KNeighborsClassifier(kernel=learned, n_neighbors=3).fit(X, y).predict(X[:2]).tolist()
    [0, 0]
    """

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    @classmethod
    def plain(cls, dim: int, theta: float, metric: str = "stein", zeta: float = 0.5) -> LearnedKernel:
        """The plain Stein kernel, or that of another metric."""
        return cls(library.Kernel.plain(dim, as_number("theta", theta), metric, as_number("zeta", zeta)))

    def __sklearn_clone__(self) -> LearnedKernel:
        return self

    def __repr__(self) -> str:
        how = f", criterion={self.criterion!r}" if self.criterion else ""
        if self.is_plain:
            what = ", plain: no adjustment was clearly better" if self.criterion else ", plain"
        else:
            what = f", adjustment={self.adjustment!r}"
        metric = "" if self.metric == "stein" else f", metric={self.metric!r}"
        return f"LearnedKernel(dim={self.dim}, theta={self.theta:.6g}{metric}{how}{what})"

    dim: int = property(lambda self: self._handle.dim)  # type: ignore[assignment]
    theta: float = property(lambda self: self._handle.theta)  # type: ignore[assignment]
    metric: str = property(lambda self: self._handle.metric)  # type: ignore[assignment]
    zeta: float = property(lambda self: self._handle.zeta)  # type: ignore[assignment]
    adjustment: Adjustment = property(lambda self: self._handle.adjustment)  # type: ignore[assignment]
    alpha: NDArray[np.float64] = property(lambda self: self._handle.alpha)  # type: ignore[assignment]
    beta: NDArray[np.float64] = property(lambda self: self._handle.beta)  # type: ignore[assignment]
    centre: NDArray[np.float64] = property(lambda self: self._handle.centre)  # type: ignore[assignment]
    scale: float = property(lambda self: self._handle.scale)  # type: ignore[assignment]
    is_plain: bool = property(lambda self: self._handle.is_plain)  # type: ignore[assignment]
    criterion: Criterion = property(lambda self: self._handle.criterion)  # type: ignore[assignment]
    criterion_value: float = property(lambda self: self._handle.value)  # type: ignore[assignment]
    C: float = property(lambda self: self._handle.c)  # type: ignore[assignment]
    penalty: float = property(lambda self: self._handle.penalty)  # type: ignore[assignment]
    n_iter: int = property(lambda self: self._handle.iterations)  # type: ignore[assignment]
    stop: str = property(lambda self: self._handle.stop)  # type: ignore[assignment]

    @property
    def filters(self) -> Optional[NDArray[np.float64]]:
        return self._handle.filters

    @property
    def history(self) -> NDArray[np.float64]:
        return np.array(self._handle.history)

    def transform(self, X: ArrayLike, n_jobs: Optional[int] = None) -> NDArray[np.float64]:
        """The matrices with adjusted eigenvalues, (n, d, d)."""
        return self._handle.adjust(self._checked(X), threads_of(n_jobs))

    def kernel(
        self, X: ArrayLike, Y: Optional[ArrayLike] = None, n_jobs: Optional[int] = None
    ) -> NDArray[np.float64]:
        """Kernel values of all pairs of X with X, or with Y."""
        matrices = self._checked(X)
        return self._handle.matrix(matrices, second_of_pair(Y, matrices), False, threads_of(n_jobs))

    def divergence(
        self, X: ArrayLike, Y: Optional[ArrayLike] = None, n_jobs: Optional[int] = None
    ) -> NDArray[np.float64]:
        """Stein divergences S(X~, Y~), or squared distances by the metric, of all pairs of X with X, or with Y."""
        matrices = self._checked(X)
        return self._handle.matrix(matrices, second_of_pair(Y, matrices), True, threads_of(n_jobs))

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Saves the kernel to a .dsk file, for :func:`dsk.load` and the command line."""
        self._handle.save(os.fspath(path))

    def _checked(self, X: ArrayLike) -> NDArray[Any]:
        matrices = as_matrices(X)
        check_dim(matrices, self.dim, "LearnedKernel")
        return matrices
