"""Pictures of standings: the places of features by several measures, and a learner's gain."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from course_lib.plots import BLUE, GREY, ORANGE, SERIES, _new_axes, styled

__all__ = ["plot_gain", "plot_rankings"]

PALE = "#9a9a9a"
GAIN_COLUMNS = ("before", "after", "confidence_before", "confidence_after")


@styled
def plot_rankings(ranks, *, highlight: Sequence[str] = (), ax: Axes | None = None) -> Axes:
    """A line for each feature through its places, 1 on top, by several measures side by side.

    Parameters
    ----------
    ranks : DataFrame
        Features in the rows, measures in the columns, places 1 to n_features, each once a column.
    highlight : sequence of str, default=()
        Up to five features whose lines are drawn strong, each with its own marker.
    ax : matplotlib Axes, default=None
        Drawn on; a new figure is made if None.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> ranks = pd.DataFrame({"Q1": [1, 2], "Q4": [2, 1]}, index=["age", "sex"])
    >>> ax = plot_rankings(ranks, highlight=["age"])
    >>> [text.get_text() for text in ax.texts]  # names at the left, then at the right
    ['age', 'age', 'sex', 'sex']
    >>> plt.close(ax.figure)
    """
    _check_ranks(ranks)
    strong = dict(zip(_checked_highlight(highlight, ranks), SERIES, strict=False))
    n_features, n_measures = ranks.shape
    ax = _new_axes((6.4, 1.0 + 0.38 * n_features)) if ax is None else ax
    for name, places in ranks.iterrows():
        color, marker = strong.get(name, (PALE, "o"))
        look = {"linewidth": 2.6, "zorder": 3} if name in strong else {"linewidth": 1.2}
        ax.plot(range(n_measures), places, f"-{marker}", color=color, **look)
        weight = "bold" if name in strong else "normal"
        for x, place, side in ((-0.15, places.iloc[0], "right"), (0.15, places.iloc[-1], "left")):
            at = x if side == "right" else n_measures - 1 + x
            ink = color if name in strong else GREY
            ax.text(at, place, name, ha=side, va="center", color=ink, weight=weight)
    ax.set(xlim=(-0.2, n_measures - 0.8), ylim=(n_features + 0.5, 0.5))
    ax.set_xticks(range(n_measures), [str(name) for name in ranks.columns])
    ax.xaxis.tick_top()
    ax.set_yticks([])
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.tick_params(axis="x", length=0)
    return ax


def _check_ranks(ranks) -> None:
    if not isinstance(ranks, pd.DataFrame) or 0 in ranks.shape:
        raise TypeError(
            f"ranks must be a table with features in the rows and measures in the columns, got "
            f"{type(ranks).__name__}. Pass for example the ranks of a report."
        )
    wanted = list(range(1, len(ranks) + 1))
    for measure in ranks:
        if sorted(ranks[measure]) != wanted:
            raise ValueError(
                f"The places in column {measure!r} must be 1 to {len(ranks)}, each once, got "
                f"{list(ranks[measure])}. Use rank(method='first')."
            )


def _checked_highlight(highlight, ranks: pd.DataFrame) -> list[str]:
    names = [highlight] if isinstance(highlight, str) else list(highlight)
    unknown = [name for name in names if name not in ranks.index]
    if unknown or len(names) > len(SERIES):
        raise ValueError(
            f"highlight must name up to {len(SERIES)} of {', '.join(map(str, ranks.index))}, got "
            f"{names}. Choose among those."
        )
    return names


@styled
def plot_gain(gain, *, who: str = "you", ax: Axes | None = None) -> Axes:
    """Answers before and after a course, a row for each question: right or wrong, and how sure.

    A wrong answer lies left of the middle and a right one right of it, as far out as the stated
    confidence. A learner with a gain moves to the right; a well calibrated one has wrong answers
    near the middle only.

    Parameters
    ----------
    gain : DataFrame
        As `course_lib.quiz.gain` returns it: `before` and `after` are 1, 0 or NaN, with
        `confidence_before` and `confidence_after` in per cent.
    who : str, default="you"
        Whose answers these are, above the legend.
    ax : matplotlib Axes, default=None
        Drawn on; a new figure is made if None.

    Returns
    -------
    ax : matplotlib Axes
    """
    _check_gain(gain)
    ax = _new_axes((6.4, 1.6 + 0.3 * len(gain))) if ax is None else ax
    rows = np.arange(len(gain))
    places = {when: _signed(gain, when) for when in ("before", "after")}
    ax.axvline(0, color=GREY, linewidth=1.4, zorder=0.5)
    for row, start, end in zip(rows, places["before"], places["after"], strict=True):
        if np.isfinite(start) and np.isfinite(end) and start != end:
            arrow = {"arrowstyle": "->", "color": GREY, "shrinkA": 5, "shrinkB": 6}
            ax.annotate("", (end, row), (start, row), arrowprops=arrow)
    for when, color, marker, face in (("before", ORANGE, "s", "none"), ("after", BLUE, "o", BLUE)):
        label = f"{when}: {_summary(gain, when)}"
        ax.plot(places[when], rows, marker, color=color, markerfacecolor=face, label=label)
    ax.set_yticks(rows, [str(name) for name in gain.index])
    ax.set(xlim=(-105, 105), ylim=(len(gain) - 0.4, -0.6))
    ax.set_xticks([-95, -50, 0, 50, 95], ["95 %", "50 %", "", "50 %", "95 %"])
    ax.set_xlabel("← wrong, and how sure     |     right, and how sure →")
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.02), alignment="left", title=who)
    return ax


def _signed(gain: pd.DataFrame, when: str) -> np.ndarray:
    """The confidence of each answer, negative if it was wrong, NaN if there is none."""
    return np.asarray((2 * gain[when] - 1) * gain[f"confidence_{when}"], dtype=float)


def _summary(gain: pd.DataFrame, when: str) -> str:
    """How many were right, and the mean confidence."""
    answered = gain[gain[when].notna()]
    if answered.empty:
        return "not answered yet"
    right, sure = answered[when].sum(), answered[f"confidence_{when}"].mean()
    return f"{right:.0f} of {len(answered)} right, {sure:.0f} % sure on average"


def _check_gain(gain) -> None:
    if not isinstance(gain, pd.DataFrame) or not set(GAIN_COLUMNS) <= set(gain.columns):
        raise TypeError(
            f"gain must be a table with the columns {', '.join(GAIN_COLUMNS)}, got "
            f"{type(gain).__name__}. Pass what course_lib.quiz.gain() returns."
        )
    if not gain[["before", "after"]].isin([0, 1, np.nan]).all(axis=None):
        raise ValueError(
            "The columns before and after must hold 1 (right), 0 (wrong) or NaN (not answered). "
            "Pass what course_lib.quiz.gain() returns."
        )
