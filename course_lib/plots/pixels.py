"""Images of digits coloured by importance, and how far the measures of their pixels agree.

An image of 64 pixels has no room for numbers, so its three pixels of largest size carry their
ranks. Colours are those of the seven-segment display: amber above zero, blue below.
"""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_lib.plots.display import GLOW
from course_lib.plots.pictures import course_style
from course_lib.plots.style import GREY, SERIES, readable_on
from course_lib.studies.digits import Explained

SIDE = 8  # pixels along an edge of an image
N_RANKS = 3
IMAGE_SIZE = 1.55  # inches
OFFSET = 0.16  # between the series of one tick


def plot_pixels(explained: Mapping[str, Explained], row: int) -> Figure:
    """One image, and the importance of its pixels by three measures, a row for each forest.

    Each panel has its own scale, from minus to plus its largest size, because the measures have
    different units; the numbers 1, 2, 3 mark the pixels of largest size.

    Parameters
    ----------
    explained : mapping from label to Explained
        As from `explained_digits`; the labels stand beside the rows.
    row : int
        Which of the explained images is drawn.
    """
    measures = list(next(iter(explained.values())).values)
    n_rows, n_columns = len(explained), 1 + len(measures)
    size = (IMAGE_SIZE * n_columns + 0.4, (IMAGE_SIZE + 0.1) * n_rows + 0.25)
    with course_style():
        figure = Figure(figsize=size)
        grid = figure.subplots(n_rows, n_columns, squeeze=False)
        for axes, (label, result) in zip(grid, explained.items(), strict=True):
            draw_image(axes[0]).set_data(result.images[row].reshape(SIDE, SIDE))
            axes[0].set_ylabel(label)
            for ax, values in zip(axes[1:], result.values.values(), strict=True):
                colour_pixels(draw_pixels(ax), values[row])
        for ax, title in zip(grid[0], ("the image", *measures), strict=True):
            ax.set_title(title, loc="center")
    return figure


def plot_agreement(panels: Mapping, *, xlabel: str = "K") -> Figure:
    """How far measures agree: the mean over images as a marker, the range over them as a bar.

    Parameters
    ----------
    panels : mapping from title to mapping from tick to mapping from label to agreements
        One to five labels, the same everywhere; the agreements are numbers, one for each image.
    xlabel : str, default="K"

    Examples
    --------
    >>> by_K = {1: {"a and b": [0.8, 1.0]}, 8: {"a and b": [0.4, 0.6]}}
    >>> figure = plot_agreement({"new images": by_K})
    >>> [float(line.get_ydata()[0].round(1)) for line in figure.axes[0].lines[:2]]
    [0.9, 0.5]
    """
    with course_style():
        figure = Figure(figsize=(6.4, 3.5))
        axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for ax, (title, ticks) in zip(axes, panels.items(), strict=True):
            for x, groups in enumerate(ticks.values()):
                _ranges(ax, x, groups, labelled=x == 0)
            ax.set_xticks(range(len(ticks)), [str(tick) for tick in ticks])
            ax.set(title=title, xlabel=xlabel, xlim=(-0.5, len(ticks) - 0.5))
            ax.axhline(1, color=GREY, linewidth=1.4, zorder=0.5)
        axes[0].set_ylabel("correlation of sizes")
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper left", ncols=3, borderaxespad=0.6)
    return figure


def _ranges(ax: Axes, x: float, groups: Mapping, *, labelled: bool) -> None:
    """Mean and range of each group, side by side around x."""
    shift = OFFSET * (np.arange(len(groups)) - (len(groups) - 1) / 2)
    for (label, values), dx, (color, marker) in zip(groups.items(), shift, SERIES, strict=False):
        name = label if labelled else None
        ax.plot([x + dx], [np.mean(values)], marker, color=color, linestyle="none", label=name)
        ax.vlines(x + dx, np.min(values), np.max(values), color=color, linewidth=2.4, alpha=0.5)


# Pieces that a moving picture needs too


def draw_image(ax: Axes):
    """An image of a digit, white ink on black, without its pixels yet."""
    _frame(ax)
    return ax.imshow(np.zeros((SIDE, SIDE)), cmap="gray", vmin=0, vmax=16)


def draw_pixels(ax: Axes) -> tuple:
    """A coloured panel of 64 pixels and three ranks, without values yet."""
    _frame(ax)
    panel = ax.imshow(np.zeros((SIDE, SIDE)), cmap=GLOW, vmin=-1, vmax=1)
    ink = {"ha": "center", "va": "center_baseline", "fontsize": 9.5, "fontweight": "bold"}
    ranks = [ax.text(0, 0, str(rank), **ink) for rank in range(1, N_RANKS + 1)]
    return panel, ranks


def colour_pixels(panel_and_ranks: tuple, values) -> None:
    """Colour the pixels by value, on the scale of the largest, and put the ranks in place."""
    panel, ranks = panel_and_ranks
    values = np.asarray(values, dtype=float)
    shares = values / (abs(values).max() or 1.0)
    panel.set_data(shares.reshape(SIDE, SIDE))
    largest = np.argsort(-abs(shares), kind="stable")[:N_RANKS]
    for rank, pixel in zip(ranks, largest, strict=True):
        rank.set_position((pixel % SIDE, pixel // SIDE))
        rank.set_color(readable_on(panel.cmap(panel.norm(shares[pixel]))))


def _frame(ax: Axes) -> None:
    ax.set(xticks=(), yticks=())
    ax.spines[:].set_visible(False)
