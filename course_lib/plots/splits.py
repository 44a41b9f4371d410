"""The samples of a node and the threshold that cuts them in two."""

import numpy as np
from matplotlib.axes import Axes

from course_lib.plots.style import INK, SERIES, new_axes, styled
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
