"""Figures of learned kernels and subspaces, drawn with matplotlib, which is loaded when the first one is asked for.

Every function takes the axes to draw on, or makes some, and returns them.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import as_matrices
from ._learned import LearnedKernel
from ._library import library
from ._plot_style import ACCENT, CLASS_COLOURS, QUIET, SECOND, axes, tidy
from ._plot_subspace import components, filters, kernel_on_subspace, patterns

__all__ = ["alpha", "components", "embedding", "filters", "history", "kernel", "patterns"]


def _learned(estimator: Any) -> LearnedKernel:
    learned = estimator if isinstance(estimator, LearnedKernel) else getattr(estimator, "learned_", None)
    if learned is None:
        raise ValueError(
            f"{type(estimator).__name__} has no learned kernel; fit a DiscriminativeStein, or a classifier with one"
        )
    return learned


def alpha(estimator: Any, ax: Optional[Any] = None) -> Any:
    """The adjustment of each eigenvalue as bars, the largest eigenvalue first; at 1 it stays as it is.

    Parameters
    ----------
    estimator : fitted estimator or LearnedKernel
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import dsk, matplotlib
    >>> matplotlib.use("agg")
    >>> X, y = dsk.make_wishart_classes(n_per_class=20, dim=4, tau=1, random_state=1)
    >>> ax = dsk.plot.alpha(dsk.DiscriminativeStein(penalty=0.01).fit(X, y))
    >>> len(ax.patches)
    4
    """
    learned, ax = _learned(estimator), axes(ax)
    positions = np.arange(1, len(learned.alpha) + 1)
    affine = learned.adjustment == "affine"
    width = 0.4 if affine else 0.72
    ax.bar(positions - (width / 2 if affine else 0), learned.alpha, width, color=ACCENT, label="alpha")
    if affine:
        ax.bar(positions + width / 2, learned.beta, width, color=SECOND, label="beta")
    ax.axhline(1, color=QUIET, linewidth=1, linestyle=(0, (4, 3)), zorder=0.9)
    ax.axhline(0, color="#343a40", linewidth=0.8)
    if len(positions) <= 12:
        ax.set_xticks(positions)
    ax.set_xlabel("eigenvalue, the largest first")
    ax.set_ylabel("alpha and beta" if affine else "alpha")
    title = "nothing adjusted" if learned.is_plain else f"{learned.adjustment} adjustment"
    ax.set_title(title + (f", {learned.criterion}" if learned.criterion else ""))
    tidy(ax)
    if affine:
        ax.margins(y=0.12)
        ax.legend(frameon=False, ncols=2, loc="upper right", borderaxespad=0)
    return ax


def history(estimator: Any, ax: Optional[Any] = None) -> Any:
    """The objective, from the plain kernel on.

    Parameters
    ----------
    estimator : fitted estimator or LearnedKernel
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import dsk, matplotlib
    >>> matplotlib.use("agg")
    >>> X, y = dsk.make_wishart_classes(n_per_class=20, dim=4, tau=1, random_state=1)
    >>> ax = dsk.plot.history(dsk.DiscriminativeStein(penalty=0.01).fit(X, y))
    >>> ax.get_xlabel()
    'iteration'
    """
    learned, ax = _learned(estimator), axes(ax)
    values = learned.history
    ax.plot(np.arange(len(values)), values, color=ACCENT, marker="o", markersize=4, linewidth=1.8)
    if len(values):
        ax.axhline(values[0], color=QUIET, linewidth=1, linestyle=(0, (4, 3)), zorder=0.9)
        ax.annotate(_plain_name(learned), (1, values[0]), (-2, 4), xycoords=("axes fraction", "data"),
                    textcoords="offset points", ha="right", color="#5c677d", fontsize="small")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel("iteration")
    ax.set_ylabel("objective")
    ax.set_title(f"{learned.criterion or 'not learned'}: {learned.stop or 'nothing to show'}")
    tidy(ax)
    return ax


def _sorted_by_class(X: ArrayLike, y: Optional[ArrayLike]) -> tuple[NDArray[Any], Optional[NDArray[Any]]]:
    matrices = as_matrices(X)
    if y is None:
        return matrices, None
    labels = np.asarray(y)
    if labels.shape != (len(matrices),):
        raise ValueError(f"y must have shape ({len(matrices)},); got {labels.shape}")
    order = np.argsort(labels, kind="stable")
    return matrices[order], labels[order]


def _title(learned: LearnedKernel, plain: bool) -> str:
    return _plain_name(learned) if plain or learned.is_plain else "learned kernel"


def _plain_name(learned: LearnedKernel) -> str:
    return f"plain {'Stein' if learned.metric == 'stein' else learned.metric} kernel"


def _values(estimator: Any, matrices: NDArray[Any], plain: bool) -> tuple[NDArray[Any], str]:
    """Kernel values of all pairs, and what they are."""
    if hasattr(estimator, "filters_"):
        return kernel_on_subspace(estimator, matrices, plain)
    learned = _learned(estimator)
    shown = LearnedKernel.plain(learned.dim, learned.theta, learned.metric, learned.zeta) if plain else learned
    return shown.kernel(matrices), _title(learned, plain)


def kernel(
    estimator: Any, X: ArrayLike, y: Optional[ArrayLike] = None, ax: Optional[Any] = None, *, plain: bool = False
) -> Any:
    """Kernel values of all pairs as a picture, sorted by class if there are labels.

    Parameters
    ----------
    estimator : fitted estimator, LearnedKernel or Project
    X : array-like of shape (n, d, d)
    y : array-like of shape (n,), optional
    ax : matplotlib axes, optional
    plain : bool, default=False
        Show the plain kernel of the metric with the same theta instead; for a Project, that of the whole matrices,
        with theta relative to the median divergence.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import dsk, matplotlib
    >>> matplotlib.use("agg")
    >>> X, y = dsk.make_wishart_classes(n_per_class=20, dim=4, tau=1, random_state=1)
    >>> ax = dsk.plot.kernel(dsk.DiscriminativeStein(penalty=0.01).fit(X, y), X, y)
    >>> ax.images[0].get_array().shape
    (40, 40)
    """
    matrices, labels = _sorted_by_class(X, y)
    values, title = _values(estimator, matrices, plain)
    ax = axes(ax, 4.6, 4)
    picture = ax.imshow(values, cmap="YlGnBu", vmin=0, vmax=1, interpolation="nearest")
    ax.figure.colorbar(picture, ax=ax, shrink=0.85, label="kernel value")
    ax.set_title(title)
    ax.set_xticks([])
    ax.set_yticks([])
    if labels is not None:
        classes, starts, counts = np.unique(labels, return_index=True, return_counts=True)
        for start in starts[1:]:
            for line in (ax.axhline, ax.axvline):
                line(start - 0.5, color="white", linewidth=1.2)
        if len(classes) <= 12:
            middles = starts + counts / 2 - 0.5
            ax.set_yticks(middles, [str(label) for label in classes])
            ax.tick_params(length=0)
    return ax


def embedding(
    estimator: Any, X: ArrayLike, y: Optional[ArrayLike] = None, ax: Optional[Any] = None, *, plain: bool = False
) -> Any:
    """Matrices in the first two principal components of the kernel. Takes n^3 time: show some hundred.

    Parameters
    ----------
    estimator : fitted estimator, LearnedKernel or Project
    X : array-like of shape (n, d, d)
    y : array-like of shape (n,), optional
    ax : matplotlib axes, optional
    plain : bool, default=False
        Show the plain kernel of the metric with the same theta instead; for a Project, that of the whole matrices,
        with theta relative to the median divergence.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import dsk, matplotlib
    >>> matplotlib.use("agg")
    >>> X, y = dsk.make_wishart_classes(n_per_class=20, dim=4, tau=1, random_state=1)
    >>> ax = dsk.plot.embedding(dsk.DiscriminativeStein(penalty=0.01).fit(X, y), X, y)
    >>> len(ax.collections)
    2
    """
    matrices, labels = _sorted_by_class(X, y)
    values, title = _values(estimator, matrices, plain)
    ax = axes(ax, 4.6, 4)
    points = library.kernel_principal_components(values, 2)
    groups = [(None, slice(None))] if labels is None else [(label, labels == label) for label in np.unique(labels)]
    for number, (label, members) in enumerate(groups):
        ax.scatter(*points[members].T, s=22, alpha=0.8, linewidths=0.4, edgecolors="white",
                   color=CLASS_COLOURS[number % len(CLASS_COLOURS)], label=None if label is None else str(label))
    ax.set_title(title)
    ax.set_xlabel("first component")
    ax.set_ylabel("second component")
    ax.set_aspect("equal", adjustable="datalim")
    ax.spines[["top", "right"]].set_visible(False)
    if labels is not None and len(groups) <= 12:
        ax.legend(frameon=False, markerscale=1.2)
    return ax
