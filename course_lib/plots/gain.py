"""The picture of a learner's gain: answers before and after the course, and how sure they were."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from course_lib.plots.style import BLUE, GREY, ORANGE, new_axes, styled

GAIN_COLUMNS = ("before", "after", "confidence_before", "confidence_after")


@styled
def plot_gain(gain, *, who: str = "you", ax: Axes | None = None) -> Axes:
    """Answers before and after a course, a row for each question: right or wrong, and how sure.

    A wrong answer lies left of the middle and a right one right of it, as far out as the stated
    confidence. A learner with a gain moves to the right; a well calibrated one has wrong answers
    near the middle only.

    Parameters
    ----------
    gain : DataFrame
        As `course_lib.learner.gain` returns it: `before` and `after` are 1, 0 or NaN, with
        `confidence_before` and `confidence_after` in per cent.
    who : str, default="you"
        Whose answers these are, above the legend.
    """
    _check_gain(gain)
    ax = new_axes((6.4, 1.6 + 0.3 * len(gain))) if ax is None else ax
    rows = np.arange(len(gain))
    places = {when: _signed_confidence(gain, when) for when in ("before", "after")}
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


def _signed_confidence(gain: pd.DataFrame, when: str) -> np.ndarray:
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
            f"{type(gain).__name__}. Pass what course_lib.learner.gain() returns."
        )
    if not gain[["before", "after"]].isin([0, 1, np.nan]).all(axis=None):
        raise ValueError(
            "The columns before and after must hold 1 (right), 0 (wrong) or NaN (not answered). "
            "Pass what course_lib.learner.gain() returns."
        )
