"""The rankings explorer: which question is asked decides which place a variable has."""

import ipywidgets as widgets
import pandas as pd
from matplotlib.figure import Figure

from course_lib.questions import QUESTIONS
from course_lib.rankings import plot_rankings
from course_lib.widgets.explorer import Explorer

__all__ = ["rankings_explorer"]

ORDINALS = {1: "st", 2: "nd", 3: "rd"}


def rankings_explorer(ranks: pd.DataFrame, variable: str) -> Explorer:
    """Follow one variable through all questions, from its best place to its worst.

    Parameters
    ----------
    ranks : DataFrame
        One row per variable, one column per question, such as "Q1", with the places from 1.
    variable : str
        The variable whose worst place is to be found.
    """
    names, keys = list(ranks.index), list(ranks.columns)
    if variable not in names:
        raise ValueError(
            f"Unknown variable {variable!r}; the table has: {', '.join(names)}. Choose one."
        )
    follow = widgets.Dropdown(options=names, value=variable, description="variable")
    question = widgets.ToggleButtons(options=keys, description="question")
    question.style.button_width = "auto"

    def frame(variable: str, question: str) -> Figure:
        return plot_rankings(ranks, highlight=[variable], column=question).figure

    def readout(variable: str, question: str) -> str:
        place, leader = ranks.loc[variable, question], ranks[question].idxmin()
        return (
            f"{_sentence(question)}\n"
            f"{variable} is {ordinal(place)} of {len(names)}; {leader} is first."
        )

    worst = ranks.loc[variable].max()
    return Explorer(
        frame=frame,
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


def ordinal(place: int) -> str:
    """1st, 2nd, 3rd, 4th ..., 11th."""
    suffix = "th" if 10 <= place % 100 <= 20 else ORDINALS.get(place % 10, "th")
    return f"{place}{suffix}"


def _sentence(key: str) -> str:
    """The question in full, if the column is called after one."""
    known = {question.key: question.text for question in QUESTIONS}
    return f"{key}: {known.get(key, key)}"
