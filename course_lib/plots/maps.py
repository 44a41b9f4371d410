"""The map of the course: which question each measure answers, and which lesson teaches it."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from textwrap import fill

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from course_lib.measures.catalogue import MEASURES, Measure
from course_lib.plots.style import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, styled
from course_lib.questions import DISTRIBUTION, Q1, Q2, Q3, Q4, Q5, Q6, QUESTIONS

NO_QUESTION = "none of the six: the effect of an action"
# What a variable is important to: one model, one prediction, an algorithm, all good models, ...
COLOR = {Q1: BLUE, Q2: BLUE, Q3: ORANGE, Q4: GREEN, Q5: PURPLE, Q6: PURPLE}
COLOR |= {DISTRIBUTION: INK, None: GREY}
ROW, GAP = 0.245, 0.75  # inches; rows between two questions
BAR, NAME = 0.005, 0.02  # where the columns begin, as shares of the width
SCREEN, PHONE = (7.0, 0.6, 99), (4.9, 0.93, 46)  # width, column of the lessons, letters of a head


@styled
def plot_map(
    titles: Mapping[str, str] | None = None, *, narrow: bool = False, ax: Axes | None = None
) -> Axes:
    """The measures below the question that they answer, each with its lesson at the right.

    The colour of a question says what the variable is important to: one model (blue), one
    prediction (orange), an algorithm (green), all good models (purple), the distribution (black).

    Parameters
    ----------
    titles : mapping from number to title of a lesson, default=None
        Written beside the lessons' numbers.
    narrow : bool, default=False
        For a phone: lessons by their numbers only, and long questions in two lines.

    Examples
    --------
    >>> ax = plot_map()
    >>> "local MDI" in [text.get_text() for text in ax.texts]
    True
    >>> plt.close(ax.figure)
    """
    blocks = list(_blocks())
    (width, at, letters), titles = (PHONE, {}) if narrow else (SCREEN, titles or {})
    heads = [fill(_question(group[0]), letters) for _, group in blocks]
    more = [head.count("\n") for head in heads]  # lines of a heading after the first
    n_rows = sum(len(group) + 1 + GAP for _, group in blocks) + sum(more)
    if ax is None:
        figure = plt.figure(figsize=(width, ROW * n_rows))
        figure.set_layout_engine("none")  # as an argument it would last for one file only
        ax = figure.add_axes((0, 0, 1, 1))
        ax.figure.when_narrow = lambda: plot_map(narrow=True).figure
    row = 0.0
    for (question, group), head, extra in zip(blocks, heads, more, strict=True):
        color = COLOR[question]
        ax.text(NAME, row + extra / 2, head, va="center", color=color, fontweight="bold")
        row += extra
        bar = [row - extra - 0.4, row + len(group) + 0.4]
        ax.plot([BAR, BAR], bar, color=color, lw=4, ls="-")
        for k, measure in enumerate(group, 1):
            lesson = f"{measure.lesson} {titles.get(measure.lesson, '')}".strip()
            ax.text(NAME + 0.02, row + k, fill(measure.name, 56), va="center", fontsize=10)
            ax.text(at, row + k, fill(lesson, 38), va="center", fontsize=10, color=GREY)
        row += len(group) + 1 + GAP
    ax.set(xlim=(0, 1), ylim=(row - GAP, -0.8))
    ax.set_axis_off()
    return ax


def map_text() -> str:
    """The map in words, as alternative text: each question with its measures and their lessons."""
    parts = [
        f"{_question(group[0])}: {', '.join(f'{m.name} (lesson {m.lesson})' for m in group)}."
        for _, group in _blocks()
    ]
    return "Measures by the question they answer, with the lesson of each. " + " ".join(parts)


def _question(measure: Measure) -> str:
    return NO_QUESTION if measure.question is None else str(measure.question)


def _blocks() -> Iterator[tuple]:
    """Each question with its measures, in the order of the lessons."""
    order = {question: number for number, question in enumerate((*QUESTIONS, None))}
    found = sorted(MEASURES.values(), key=lambda m: (order[m.question], m.lesson))
    for question, group in groupby(found, key=lambda measure: measure.question):
        yield question, list(group)
