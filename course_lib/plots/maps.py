"""The map of the course: which lesson teaches which measure, and which question that answers."""

from collections.abc import Mapping
from itertools import groupby
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from course_lib.measures.catalogue import MEASURES, Measure
from course_lib.plots.style import COLORS, GREY, INK, styled
from course_lib.questions import QUESTIONS

NO_QUESTION = "none of the six: the effect of an action"
LESSON, LEFT, RIGHT, QUESTION = 0.0, 1.1, 5.4, 5.5  # where the three columns begin and end
SIZE, GAP, ROOM = (9.0, 8.8), 0.7, 2.6  # inches; rows between questions and, at least, for each
DASHES = ("-", "--", "-.", ":")


@styled
def plot_map(titles: Mapping[str, str] | None = None, *, ax: Axes | None = None) -> Axes:
    """Lessons on the left, measures in the middle, the question each answers on the right.

    The lessons stand near their measures and not in the order of their numbers, so that few of
    the lines cross.

    Parameters
    ----------
    titles : mapping from number to title of a lesson, default=None
        Written below the lessons' numbers.

    Examples
    --------
    >>> ax = plot_map()
    >>> "local MDI" in [text.get_text() for text in ax.texts]
    True
    >>> plt.close(ax.figure)
    """
    ax = plt.subplots(figsize=SIZE)[1] if ax is None else ax
    places = _places()
    rows = list(places.values())
    lessons = sorted({measure.lesson for measure in places}, key=lambda n: -_middle(n, places))
    heights = dict(zip(lessons, np.linspace(rows[0], rows[-1], len(lessons)), strict=True))
    for number, (lesson, height) in enumerate(heights.items()):
        title = (titles or {}).get(lesson, "")
        ax.text(LESSON, height, fill(f"{lesson} {title}".strip(), 21), ha="right", va="center")
        line = {"color": COLORS[number % len(COLORS)], "linestyle": DASHES[number % len(DASHES)]}
        for measure in (m for m in places if m.lesson == lesson):
            ax.plot([LESSON + 0.06, LEFT - 0.06], [height, places[measure]], lw=1.3, **line)
    for measure, row in places.items():
        ax.text(LEFT, row, measure.name, va="center", fontsize=10, color=INK)
    _brackets(ax, places)
    ax.set(xlim=(-1.65, 7.25), ylim=(rows[-1] - 1, rows[0] + 1.2))
    ax.set_axis_off()
    return ax


def _middle(lesson: str, places: dict[Measure, float]) -> float:
    """The mean height of the measures of a lesson."""
    return float(np.mean([row for measure, row in places.items() if measure.lesson == lesson]))


def map_text() -> str:
    """The map in words, as alternative text: each question with its measures and their lessons."""
    parts = []
    for question, group in groupby(_measures_in_order(), key=_question):
        parts.append(f"{question}: {', '.join(f'{m.name} (lesson {m.lesson})' for m in group)}.")
    return "Measures by the question they answer, with the lesson of each. " + " ".join(parts)


def _question(measure: Measure) -> str:
    return NO_QUESTION if measure.question is None else str(measure.question)


def _measures_in_order() -> list[Measure]:
    """All measures, by question and then by lesson."""
    order = {question: number for number, question in enumerate((*QUESTIONS, None))}
    return sorted(MEASURES.values(), key=lambda m: (order[m.question], m.lesson))


def _places() -> dict[Measure, float]:
    """The height of each measure, from above; a gap between two questions."""
    places, top = {}, 0.0
    for _, members in groupby(_measures_in_order(), key=_question):
        group = list(members)
        room = max(len(group), ROOM)
        first = top - (room - len(group)) / 2
        places |= {measure: first - row for row, measure in enumerate(group)}
        top -= room + GAP
    return places


def _brackets(ax: Axes, places: dict[Measure, float]) -> None:
    """A line beside the measures of a question, and the question beside the line."""
    for question, group in groupby(places, key=_question):
        rows = [places[measure] for measure in group]
        ax.plot([RIGHT, RIGHT], [max(rows) + 0.35, min(rows) - 0.35], color=GREY, ls="-")
        ax.text(
            QUESTION, (max(rows) + min(rows)) / 2, fill(question, 23), va="center", fontsize=10.5
        )
