"""Bars of importance, put together from what was won when so many variables were known before."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from course_lib.plots.style import new_axes, readable_on, styled


@styled
def plot_degrees(parts, names, *, ax: Axes | None = None) -> Axes:
    """Bars of importance, each put together from the degrees of interaction k.

    Parameters
    ----------
    parts : array-like of shape (n_features, n_degrees)
        As `mdi_by_degree` gives them: column k is what was won when k other
        variables were known. The number k stands on every part that has room for it.
    names : sequence of n_features names
        The first on top.
    """
    parts, names = np.asarray(parts, dtype=float), [str(name) for name in names]
    if parts.ndim != 2 or len(parts) != len(names) or (parts < -1e-9).any():
        raise ValueError(
            f"parts must have one row for each of the {len(names)} names and no negative entry, "
            f"got the shape {parts.shape}. Pass what mdi_by_degree returned."
        )
    ax = new_axes((6.4, 0.9 + 0.4 * len(names))) if ax is None else ax
    bars = draw_bars(ax, names, parts.shape[1])
    ax.set_xlim(0, 1.16 * parts.sum(axis=1).max())
    move_bars(bars, parts, ax.get_xlim()[1])
    return ax


def draw_bars(ax: Axes, names, n_degrees: int) -> list[tuple]:
    """Bars of no length yet, a row for each name: (patches, their texts, text of the total)."""
    ax.set_yticks(range(len(names)), names)
    ax.set(ylim=(len(names) - 0.4, -0.6), xlabel="importance in bits, by degree k")
    ax.tick_params(axis="y", length=0)
    colours = plt.get_cmap("cividis")(np.linspace(0, 1, max(n_degrees, 2)))
    bars = []
    for row in range(len(names)):
        patches = ax.barh([row] * n_degrees, 0, 0.72, color=colours[:n_degrees], edgecolor="white")
        for patch in patches:
            patch.set_clip_on(False)  # none leaves the axes, and a clipped part is slow to move
        texts = [
            ax.text(0, row, k, ha="center", va="center_baseline", color=readable_on(c), fontsize=9)
            for k, c in enumerate(colours[:n_degrees])
        ]
        total = ax.text(0, row, "", va="center_baseline", fontsize=10.5)
        bars.append((list(patches), texts, total))
    return bars


def move_bars(bars, parts: np.ndarray, width: float) -> None:
    """Give the bars these parts; `width` is that of the axis, to see where a number has room."""
    for (patches, texts, total), row in zip(bars, parts, strict=True):
        starts = np.cumsum(row) - row
        for patch, text, start, part in zip(patches, texts, starts, row, strict=True):
            patch.set(x=start, width=part)
            text.set(x=start + part / 2, visible=bool(part > 0.028 * width))
        total.set(x=row.sum() + 0.012 * width, text=f"{row.sum():.3f}")
