"""Figures of learned subspaces; :mod:`dsk.plot` has them beside those of kernels."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from ._distances import pairwise_distance
from ._plot_style import ACCENT, SECOND, axes, tidy


def _columns(estimator: Any, values: str, names: Optional[Sequence[str]], ax: Optional[Any]) -> Any:
    columns = getattr(estimator, values, None)
    if columns is None:
        raise ValueError(f"{type(estimator).__name__} has no learned subspace; use a fitted Project")
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


def filters(estimator: Any, names: Optional[Sequence[str]] = None, ax: Optional[Any] = None) -> Any:
    """The columns of W as bars over the channels: what each component is computed from.

    Parameters
    ----------
    estimator : fitted Project
    names : sequence of str, optional
        Names of the d channels.
    ax : matplotlib axes, optional

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
    ax = _columns(estimator, "filters_", names, ax)
    ax.set_title("filters W, each scaled to its largest entry")
    return ax


def patterns(estimator: Any, names: Optional[Sequence[str]] = None, ax: Optional[Any] = None) -> Any:
    """The spatial patterns C W (W' C W)^-1 as bars over the channels: how each component appears in them.

    Parameters
    ----------
    estimator : fitted Project
    names : sequence of str, optional
        Names of the d channels.
    ax : matplotlib axes, optional

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
    ax = _columns(estimator, "patterns_", names, ax)
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
