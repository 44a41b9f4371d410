"""The samples of a node and the threshold that cuts them in two."""

import numpy as np
from matplotlib.axes import Axes

from course_lib.plots.style import GREY, INK, ORANGE, SERIES, new_axes, styled
from course_lib.studies.splits import Split


@styled
def plot_split(split: Split, *, ax: Axes | None = None) -> Axes:
    """The samples of a node along one feature, a row for each class, cut by a threshold.

    Parameters
    ----------
    split : Split
        As from `split_node`.
    """
    ax = new_axes((6.4, 2.3)) if ax is None else ax
    plot_samples(split.x, split.y, ax=ax)
    ax.axvline(split.threshold, color=INK, linestyle="--")
    for text, side in zip(split.texts, ("left", "center", "right"), strict=True):
        ax.set_title(text, loc=side)
    ax.set_xlabel(f"x   (split at x ≤ {split.threshold:g})")
    return ax


def plot_samples(x, y, *, ax: Axes) -> Axes:
    """One dot per sample, a row and a marker for each class."""
    classes = np.unique(y)
    for row, (value, (color, marker)) in enumerate(zip(classes, SERIES, strict=False)):
        own = np.asarray(y) == value
        face = "none" if row == 0 else color
        ax.plot(
            np.asarray(x)[own], np.full(own.sum(), row), marker, color=color, markerfacecolor=face
        )
    ax.set_yticks(range(len(classes)), [f"class {value}" for value in classes])
    ax.set_ylim(-0.6, len(classes) - 0.4)
    ax.tick_params(axis="y", length=0)
    return ax


@styled
def plot_gate(X, y, *, ax: Axes | None = None) -> Axes:
    """A lamp for each position of two switches, filled where it is lit.

    Parameters
    ----------
    X : DataFrame with two columns of 0 and 1
    y : sequence of 0 and 1
        Whether the lamp is lit.
    """
    ax = new_axes((3.6, 3.0)) if ax is None else ax
    for (x1, x2), lit in zip(np.asarray(X), y, strict=True):
        face, word = (ORANGE, "lit") if lit else ("none", "dark")
        ax.plot(x1, x2, "o", color=GREY, markerfacecolor=face, markersize=26)
        ax.text(x1, x2 - 0.42, word, ha="center", va="center")
    ax.set(xlim=(-0.5, 1.5), ylim=(-0.7, 1.4), xlabel=f"switch {X.columns[0]}")
    ax.set_ylabel(f"switch {X.columns[1]}")
    ax.set_xticks([0, 1], ["off", "on"])
    ax.set_yticks([0, 1], ["off", "on"])
    return ax
