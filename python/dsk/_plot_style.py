"""What all figures have in common."""

from __future__ import annotations

from typing import Any, Optional

ACCENT, SECOND, QUIET = "#2a6f97", "#c8553d", "#8d99ae"
CLASS_COLOURS = ("#2a6f97", "#e07a2f", "#3a8f5c", "#b23a48", "#7b5ea7", "#8a6d3b", "#d17ba8", "#6c757d")


def axes(ax: Optional[Any], width: float = 5.4, height: float = 3.6) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def tidy(ax: Any) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="#e6e8ec", linewidth=0.8)
    ax.set_axisbelow(True)
