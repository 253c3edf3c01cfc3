"""Figures of learned subspaces; :mod:`dsk.plot` has them beside those of kernels."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import as_matrices
from ._distances import pairwise_distance
from ._learned import LearnedKernel
from ._library import library
from ._plot_style import ACCENT, SECOND, axes, tidy


def _subspace(estimator: Any, components: Optional[int]) -> dict[str, Any]:
    """The filters of an estimator, and the patterns as far as it knows them."""
    if hasattr(estimator, "filters_"):
        found = [{"filters": estimator.filters_, "patterns": estimator.patterns_}]
    elif hasattr(estimator, "subspaces_"):
        found = estimator.subspaces_
    else:
        learned = estimator if isinstance(estimator, LearnedKernel) else getattr(estimator, "learned_", None)
        filters = None if learned is None else learned.filters
        found = [] if filters is None else [{"filters": filters, "patterns": None}]
    if not found:
        raise ValueError(
            f"{type(estimator).__name__} has no learned subspace; use a fitted Project, a Classifier that projects or a "
            "kernel with a projection"
        )
    sizes = [one["filters"].shape[1] for one in found]
    if components is not None and components not in sizes:
        raise ValueError(f"components must be one of {', '.join(map(str, sizes))}; got {components!r}")
    if components is None:
        components = next((size for size in sizes if size <= 12), sizes[-1])
    return found[sizes.index(components)]


def _columns(columns: NDArray[Any], names: Optional[Sequence[str]], ax: Optional[Any]) -> Any:
    rows, count = columns.shape
    if names is not None and len(names) != rows:
        raise ValueError(f"names must be {rows} names, one for each row of the matrices; got {len(names)}")
    ax = axes(ax, max(5.4, 0.18 * rows + 2), 0.9 * count + 1.2)
    # Each component has a row of its own, scaled to its largest entry: only directions mean something.
    positions = np.arange(rows)
    for k, column in enumerate(columns.T):
        heights = 0.42 * column / np.abs(column).max()
        ax.bar(positions, heights, 0.72, bottom=-k, color=np.where(heights >= 0, ACCENT, SECOND))
        ax.axhline(-k, color="#343a40", linewidth=0.8)
    ax.set_yticks(-np.arange(count), [str(k + 1) for k in range(count)])
    ax.set_ylim(-count + 0.5, 0.5)
    ax.set_ylabel("component")
    if names is not None:
        ax.set_xticks(positions, names, rotation=90 if rows > 8 else 0)
    else:
        ax.set_xticks(positions if rows <= 12 else positions[:: rows // 8], None)
        ax.set_xlabel("row of the matrices")
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax


def kernel_on_subspace(estimator: Any, matrices: NDArray[Any], plain: bool) -> tuple[NDArray[Any], str]:
    """Values of the Stein kernel of projected matrices, or of whole ones with the same theta over their median."""
    squared = pairwise_distance(estimator.transform(matrices), metric="stein", squared=True)
    theta = estimator.theta_
    if plain:
        whole = pairwise_distance(matrices, metric="stein", squared=True)
        pairs = np.triu_indices(len(matrices), 1)
        theta, squared = theta * np.median(squared[pairs]) / np.median(whole[pairs]), whole
    return np.exp(-theta * squared), "whole matrices" if plain else f"subspace of {estimator.filters_.shape[1]}"


def filters(
    estimator: Any,
    names: Optional[Sequence[str]] = None,
    ax: Optional[Any] = None,
    *,
    components: Optional[int] = None,
) -> Any:
    """The columns of W as bars over the channels: what each component is computed from.

    Parameters
    ----------
    estimator : fitted Project, Classifier, DiscriminativeStein or LearnedKernel
    names : sequence of str, optional
        Names of the d channels.
    ax : matplotlib axes, optional
    components : int, optional
        Of a Classifier with several subspaces the one of this size; without it the largest with at most 12 components.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import dsk, matplotlib
    >>> matplotlib.use("agg")
    >>> X, y = dsk.make_wishart_classes(n_per_class=20, dim=4, tau=1, random_state=1)
    >>> ax = dsk.plot.filters(dsk.Project(2).fit(X, y), names=["C3", "Cz", "C4", "Pz"])
    >>> len(ax.patches)
    8
    """
    ax = _columns(_subspace(estimator, components)["filters"], names, ax)
    ax.set_title("filters W, each scaled to its largest entry")
    return ax


def patterns(
    estimator: Any,
    names: Optional[Sequence[str]] = None,
    ax: Optional[Any] = None,
    *,
    components: Optional[int] = None,
    X: Optional[ArrayLike] = None,
) -> Any:
    """The spatial patterns C W (W' C W)^-1 as bars over the channels: how each component appears in them.

    Parameters
    ----------
    estimator : fitted Project, Classifier, DiscriminativeStein or LearnedKernel
    names : sequence of str, optional
        Names of the d channels.
    ax : matplotlib axes, optional
    components : int, optional
        As for :func:`filters`.
    X : array-like of shape (n, d, d), optional
        Matrices whose arithmetic mean is C. Without them C is the mean of the training set, which kernels and loaded
        classifiers do not know.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import dsk, matplotlib
    >>> matplotlib.use("agg")
    >>> X, y = dsk.make_wishart_classes(n_per_class=20, dim=4, tau=1, random_state=1)
    >>> ax = dsk.plot.patterns(dsk.Project(2).fit(X, y))
    >>> len(ax.patches)
    8
    """
    subspace = _subspace(estimator, components)
    columns = subspace["patterns"]
    if X is not None:
        columns = library.spatial_patterns(np.ascontiguousarray(subspace["filters"]), as_matrices(X), 0)
    if columns is None:
        raise ValueError(f"this {type(estimator).__name__} does not know its training set: give matrices as X")
    ax = _columns(columns, names, ax)
    ax.set_title("patterns, each scaled to its largest entry")
    return ax


def components(estimator: Any, ax: Optional[Any] = None) -> Any:
    """Cross-validated accuracy against the size of the subspace, with one standard error either way.

    For each size the best of the candidates with it that stayed in the race to the end.

    Parameters
    ----------
    estimator : fitted Classifier
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import dsk, matplotlib
    >>> matplotlib.use("agg")
    >>> X, y = dsk.make_wishart_classes(n_per_class=20, dim=6, tau=1, random_state=1)
    >>> ax = dsk.plot.components(dsk.Classifier().fit(X, y))
    >>> ax.get_xlabel()
    'components'
    """
    rows = [row for row in getattr(estimator, "candidates_", []) if row["components"] is not None]
    if not rows:
        raise ValueError(f"{type(estimator).__name__} has not compared subspaces; fit a Classifier")
    best: dict[int, dict[str, Any]] = {}
    for row in rows:
        kept = best.get(row["components"])
        if kept is None or (row["folds"], row["accuracy"]) > (kept["folds"], kept["accuracy"]):
            best[row["components"]] = row
    sizes, ax = sorted(best), axes(ax)
    ax.errorbar(
        sizes,
        [100 * best[size]["accuracy"] for size in sizes],
        [100 * best[size]["standard_error"] for size in sizes],
        color=ACCENT, marker="o", markersize=5, linewidth=1.8, capsize=3,
    )
    ax.set_xticks(sizes)
    ax.set_xlabel("components")
    ax.set_ylabel("accuracy in cross-validation, %")
    ax.set_title("best candidate with each size of subspace")
    tidy(ax)
    return ax
