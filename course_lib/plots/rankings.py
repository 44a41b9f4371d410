"""Several rankings of the same variables as lines from place to place."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from course_lib.plots.style import GREY, INK, SERIES, new_axes, styled
from course_lib.validation import check_table, feature_index

IN_WORDS = {  # what a variable is important to, short enough to stand below a code
    "Q1": "a given\nmodel",
    "Q2": "a model,\nunique part",
    "Q3": "one\nprediction",
    "Q4": "an\nalgorithm",
    "Q5": "any good\nmodel",
    "Q5 at least": "any good\nmodel,\nat least",
    "Q5 at most": "any good\nmodel,\nat most",
    "Q6": "any good,\nunique part",
    "Distribution": "whatever\nthe model",
}


def heading(key) -> str:
    """The name of a ranking; that of one of the questions, with words below it."""
    return f"{key.split()[0]}\n{IN_WORDS[key]}" if key in IN_WORDS else str(key)


@styled
def plot_rankings(ranks: pd.DataFrame, *, highlight=(), ax: Axes | None = None) -> Axes:
    """A line for each variable from ranking to ranking, the first place on top.

    Variables that share places are drawn in the middle of them, beside a bar over all of them.

    Parameters
    ----------
    ranks : DataFrame
        One row per variable, one column per ranking, as from `ranks_of`: equals have the last of
        the places that they share.
    highlight : sequence of up to five names, default=()
        Variables drawn with colour and marker; the others are grey.
    """
    last, names = check_table(ranks, "ranks", "ranking"), [str(name) for name in ranks.index]
    n_equal = _how_many_equal(last)
    places = drawn_places(last)
    chosen = [feature_index(name, names) for name in highlight][: len(SERIES)]
    ax = new_axes((7.6, 1.5 + 0.34 * len(names))) if ax is None else ax
    x = np.arange(places.shape[1])
    _bars_over_shared(ax, last, n_equal)
    for i, row in enumerate(places):
        if i not in chosen:
            ax.plot(x, row, "-", marker=".", color=GREY, alpha=0.5, lw=1.2, ms=5, zorder=1)
    for i, (color, marker) in zip(chosen, SERIES, strict=False):
        ax.plot(x, places[i], "-", color=color, marker=marker, linewidth=2.4, zorder=3)
    styles = {i: color for i, (color, _) in zip(chosen, SERIES, strict=False)}
    _name_ends(ax, places, names, styles)
    ax.set_xticks(x, [heading(name) for name in ranks.columns])
    ax.set_yticks(range(1, len(names) + 1))
    ax.set(xlim=(-0.25, len(x) - 0.75), ylim=(len(names) + 0.5, 0.5), ylabel="place")
    ax.tick_params(length=0)
    ax.tick_params(axis="x", labelsize=9.5)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


def drawn_places(last: np.ndarray) -> np.ndarray:
    """Where the variables (rows) are drawn in each ranking (columns): in the middle of a share.

    >>> drawn_places(np.array([[1], [3], [3]])).ravel()
    array([1. , 2.5, 2.5])
    """
    return last - (_how_many_equal(last) - 1) / 2


def _how_many_equal(last: np.ndarray) -> np.ndarray:
    """How many variables have the place of each, itself included."""
    return (last[:, np.newaxis] == last).sum(axis=0)


def _bars_over_shared(ax: Axes, last: np.ndarray, n_equal: np.ndarray) -> None:
    """A bar over the places that several variables share in a ranking."""
    i, k = np.nonzero(n_equal > 1)
    ends = last[i, k] - n_equal[i, k] + 1, last[i, k]
    k, first, end = np.unique(np.column_stack([k, *ends]), axis=0).T
    ax.vlines(k, first - 0.3, end + 0.3, colors=GREY, alpha=0.25, linewidth=7, zorder=0)


def _name_ends(ax: Axes, places: np.ndarray, names: list[str], styles: dict[int, str]) -> None:
    """The names at the right end of the lines; those that share a place stand below each other.

    A thin line leads from a shared place to each name that stands beside another one.
    """
    last = pd.Series(places[:, -1]).rank(method="first").to_numpy()
    end = places.shape[1] - 1
    leaders = [
        [(end, p), (end + 0.2, q)] for p, q in zip(places[:, -1], last, strict=True) if p != q
    ]
    ax.add_collection(LineCollection(leaders, colors=GREY, linewidths=0.8, clip_on=False))
    for i, name in enumerate(names):
        ax.annotate(
            name,
            (end, last[i]),
            xytext=(16, 0),
            textcoords="offset points",
            va="center",
            color=styles.get(i, INK),
            fontweight="bold" if i in styles else "normal",
            annotation_clip=False,
        )
