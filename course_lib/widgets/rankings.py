"""The rankings explorer: which question is asked decides which place a variable has."""

from collections.abc import Sequence

import ipywidgets as widgets
import pandas as pd

from course_lib.plots.narrow import TURNED, turn_names
from course_lib.plots.pictures import STYLE
from course_lib.plots.rankings import IN_WORDS, drawn_places, plot_rankings
from course_lib.plots.style import INK, MARKERS, SERIES
from course_lib.plots.svg import mark
from course_lib.questions import QUESTIONS
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene

BAND = 0.32  # its width; the rankings stand 1 apart
ORDINALS = {1: "st", 2: "nd", 3: "rd"}


class RankingsScene(Scene):
    """The lines of all variables, one of them strong, and a band on one ranking.

    A variable in `highlight` has the colour and the marker that `plot_rankings` gives it.
    """

    def __init__(self, ranks: pd.DataFrame, highlight: Sequence[str]):
        height = 1.5 + 0.32 * len(ranks)
        self.ranks, self.size, self.narrow = ranks, (7.6, height), (4.9, height + TURNED)
        self.drawn = pd.DataFrame(drawn_places(ranks.to_numpy()), ranks.index, ranks.columns)
        self.looks = dict(zip(highlight, SERIES, strict=False))

    def draw(self, figure):
        ax = plot_rankings(self.ranks, ax=figure.subplots())
        if self.is_narrow:
            turn_names(ax)
        n_rankings = self.ranks.shape[1]
        self.band = ax.axvspan(0, BAND, color=STYLE["grid.color"], alpha=0.6, zorder=0)
        (self.line,) = ax.plot(range(n_rankings), [1] * n_rankings, "-o", lw=2.4, zorder=3)
        self.names = dict(zip(self.ranks.index, ax.texts, strict=True))
        for name, line in zip(self.names, ax.lines[:-1], strict=True):
            mark(line, self._tips(name), series=name)
            mark(self.names[name], series=name)
        return [self.band, *ax.lines, *self.names.values()]

    def _tips(self, name: str) -> list[str]:
        places = self.ranks.loc[name].items()
        return [f"{name}, {key}: {place_in_words(self.ranks[key], place)}" for key, place in places]

    def update(self, variable, question):
        self.band.set_x(self.ranks.columns.get_loc(question) - BAND / 2)
        color, marker = self.looks.get(variable, (INK, MARKERS[0]))
        self.line.set(ydata=self.drawn.loc[variable], color=color, marker=marker)
        mark(self.line, self._tips(variable), series=variable)
        for name, text in self.names.items():
            strong = name == variable
            text.set(color=color if strong else INK, weight="bold" if strong else "normal")


def rankings_explorer(ranks: pd.DataFrame, variable: str, *, highlight=()) -> Explorer:
    """Follow one variable through all questions, from its best place to its worst.

    Parameters
    ----------
    ranks : DataFrame
        One row per variable, one column per question, such as "Q1", with the places from 1.
    variable : str
        The variable whose worst place is to be found.
    highlight : sequence of names, default=()
        Variables that have a colour of their own, as in `plot_rankings`; by default this one.
    """
    names, keys = list(ranks.index), list(ranks.columns)
    if variable not in names:
        raise ValueError(
            f"Unknown variable {variable!r}; the table has: {', '.join(names)}. Choose one."
        )
    follow = widgets.Dropdown(options=names, value=variable, description="variable to follow")
    options = [(_option(key), key) for key in keys]
    question = widgets.Dropdown(options=options, description="question")

    def readout(variable: str, question: str) -> str:
        place, leaders = ranks.loc[variable, question], _leaders(ranks[question])
        shared = f"{', '.join(leaders)} share the places 1 to {len(leaders)}"
        ahead = f"{leaders[0]} is first" if len(leaders) == 1 else shared
        first = "" if variable in leaders else f"; {ahead}"
        found = (
            f"{variable} {place_in_words(ranks[question], place, 'is ')} of {len(names)}{first}."
        )
        return f"{_sentence(question)}\n{found}"

    worst = ranks.loc[variable].max()
    return Explorer(
        frame=RankingsScene(ranks, highlight or [variable]),
        readout=readout,
        controls={"variable": follow, "question": question},
        goal=f"Find a question by which {variable} has its worst place of all.",
        reached=lambda variable, question, wanted=variable: bool(
            variable == wanted and ranks.loc[variable, question] == worst
        ),
        alt=lambda variable, question: (
            f"Lines of {len(names)} variables through {len(keys)} rankings, {variable} drawn "
            f"thick. {readout(variable, question)}"
        ),
        then="Read its question aloud. Is that what you would have meant by important?",
    )


def place_in_words(places: pd.Series, place: int, verb: str = "") -> str:
    """The place, or the places from first to last that variables with this one share.

    >>> place_in_words(pd.Series([1, 3, 3]), 1, "is "), place_in_words(pd.Series([1, 3, 3]), 3)
    ('is 1st', 'shares the places 2 to 3')
    """
    n_equal = int((places == place).sum())
    alone = f"{verb}{ordinal(place)}"
    return alone if n_equal == 1 else f"shares the places {place - n_equal + 1} to {place}"


def _leaders(places: pd.Series) -> list[str]:
    """Who is first, or shares the first places."""
    return [str(name) for name in places.index[places == places.min()]]


def ordinal(place: int) -> str:
    """1st, 2nd, 3rd, 4th ..., 11th."""
    suffix = "th" if 10 <= place % 100 <= 20 else ORDINALS.get(place % 10, "th")
    return f"{place}{suffix}"


def _option(key: str) -> str:
    """The code of a question and, if it is one of the known ones, a few words."""
    return f"{key}: {' '.join(IN_WORDS[key].split())}" if key in IN_WORDS else str(key)


def _sentence(key: str) -> str:
    """The question in full, if the column is called after one."""
    known = {question.key: question.text for question in QUESTIONS}
    return f"{key}: {known.get(key, key)}"
