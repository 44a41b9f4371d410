"""How the credit of the seven segments changes with the number of candidates per split."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_lib.plots.pictures import course_style
from course_lib.plots.style import BLUE, GREEN, GREY, INK, ORANGE, PURPLE

SEGMENTS = {  # the same in every figure; the two on the left, which gain, share a colour
    "X1": (PURPLE, "v"),
    "X2": (BLUE, "o"),
    "X3": (ORANGE, "^"),
    "X4": (GREEN, "D"),
    "X5": (BLUE, "s"),
    "X6": (GREY, "p"),
    "X7": (INK, "h"),
}
HEIGHT, LABEL_GAP = 4.4, 0.05  # inches; between two labels, as a share of the axis


def plot_candidates(
    tables: Mapping[str, pd.DataFrame], *, ylabel: str, expected: pd.DataFrame | None = None
) -> Figure:
    """Values of the segments X1 to X7 against K, a panel for each table, named at the right end.

    Parameters
    ----------
    tables : mapping from title to DataFrame
        A row for each segment, a column for each K from 1 on.
    ylabel : str
        What the values are.
    expected : DataFrame of the same shape, default=None
        Known values, drawn as lines; without them the markers are joined by dots.

    Examples
    --------
    >>> table = pd.DataFrame([[0.4, 0.3], [0.6, 0.7]], index=["X1", "X5"])
    >>> figure = plot_candidates({"MDI": table}, ylabel="share of the sum")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['X1', 'X5']
    >>> plt.close(figure)
    """
    with course_style():
        shape = {"figsize": (6.4 if len(tables) == 1 else 7.4, HEIGHT), "squeeze": False}
        figure, axes = plt.subplots(1, len(tables), sharey=True, **shape)
        for ax, (title, table) in zip(axes[0], tables.items(), strict=True):
            _curves(ax, table, table if expected is None else expected, expected is not None)
            ax.set(xlabel="candidates per split, K", ylabel=ylabel)
            ax.set_title(title)
            ax.label_outer()
        for ax, table in zip(axes[0], tables.values(), strict=True):  # with the common limits
            _names(ax, table.iloc[:, -1])
    return figure


def _curves(ax: Axes, table: pd.DataFrame, lines: pd.DataFrame, known: bool) -> None:
    K = np.arange(1, table.shape[1] + 1)
    for name in table.index:
        color, marker = SEGMENTS[name]
        ax.plot(K, lines.loc[name], "-" if known else ":", color=color)
        ax.plot(K, table.loc[name], marker, color=color, markerfacecolor="none")
    ax.set_xticks(K)


def _names(ax: Axes, ends: pd.Series) -> None:
    low, high = ax.get_ylim()
    for name, place in zip(ends.index, apart(ends, LABEL_GAP * (high - low)), strict=True):
        where = {"xy": (1.01, place), "xycoords": ("axes fraction", "data")}
        ax.annotate(name, **where, va="center", color=SEGMENTS[name][0], annotation_clip=False)


def apart(places, gap: float) -> np.ndarray:
    """The places, moved until neighbours are a gap apart.

    >>> apart([1.0, 0.0, 0.1], gap=0.5).tolist()
    [1.0, -0.2, 0.3]
    """
    places = np.array(places, dtype=float)
    order = np.argsort(places, kind="stable")
    moved = places[order]
    for _ in range(1000):
        lack = np.maximum(gap - np.diff(moved), 0) / 2
        if lack.max(initial=0) < 1e-9:
            break
        moved -= np.append(lack, 0)
        moved += np.append(0, lack)
    places[order] = moved.round(9)
    return places
