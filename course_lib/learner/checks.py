"""Checks of answers: not attempted, not yet, correct; they name the slip, never the solution."""

import os
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from html import escape
from types import FunctionType

import numpy as np

from course_lib import lessons
from course_lib.learner import journal
from course_lib.lessons.exercise import PUBLIC_SEED, Exercise

NOT_ATTEMPTED, NOT_YET, CORRECT = "not attempted", "not yet", "correct"
_SYMBOLS = {NOT_ATTEMPTED: "○", NOT_YET: "↻", CORRECT: "✓"}


class CheckFailedError(AssertionError):
    """An answer that is not correct, where a grader wants an error instead of a message."""


@dataclass(frozen=True)
class Verdict:
    """The outcome of a check, in words; `slip` is the name of the slip behind a wrong answer."""

    exercise: str
    outcome: str
    message: str
    slip: str = ""

    @property
    def passed(self) -> bool:
        """Whether the answer is correct."""
        return self.outcome == CORRECT

    def __repr__(self) -> str:
        return f"{self.exercise} {_SYMBOLS[self.outcome]} {self.outcome}: {self.message}"

    def _repr_html_(self) -> str:
        return (
            f'<div role="status"><b>{escape(self.exercise)} {_SYMBOLS[self.outcome]} '
            f"{self.outcome}.</b> {escape(self.message)}</div>"
        )


def check(name: str, answer) -> Verdict:
    """Check the answer to an exercise; the last line of every exercise.

    An error raised by the answer itself is not caught: reading a traceback is part of the craft.

    Parameters
    ----------
    name : str
        The exercise, such as "01.3".
    answer : callable or value
        What you wrote. A function is called on several cases drawn with a public seed.

    Returns
    -------
    verdict : Verdict
        Says which of three things happened: not attempted, not yet, correct.
    """
    exercise = lessons.exercise(name)
    verdict = judge(exercise, answer)
    journal.update("checks", name, lambda old: _recorded(old, verdict))
    if os.environ.get("NBGRADER_EXECUTION") and not verdict.passed:
        raise CheckFailedError(repr(verdict))
    return verdict


def _recorded(old: dict, verdict: Verdict) -> dict:
    attempted = verdict.outcome != NOT_ATTEMPTED
    slips = old.get("slips", []) + [verdict.slip] * bool(verdict.slip)
    return {
        "passed": old.get("passed", False) or verdict.passed,
        "attempts": old.get("attempts", 0) + attempted,
        "slips": slips,
    }


def judge(exercise: Exercise, answer, seed: int = PUBLIC_SEED) -> Verdict:
    """The verdict on an answer, for the cases that `seed` gives."""
    if is_blank(answer):
        return _not_attempted(exercise)
    if exercise.is_function and not callable(answer):
        return Verdict(
            exercise.id,
            NOT_YET,
            f"A function is wanted here, and this is {_shown(answer)}. Pass the function's name, "
            f"without calling it.",
        )
    cases = exercise.cases(seed)
    try:
        got = [answer_to(exercise, answer, case) for case in cases]
    except (TypeError, NotImplementedError):
        if has_blanks(answer):
            return _not_attempted(exercise)
        raise
    if exercise.is_function and all(value is None for value in got):
        return _nothing_returned(exercise, answer)
    return compare(exercise, cases, got)


def answer_to(exercise: Exercise, answer, case: dict):
    """What the answer says to one case; it gets arguments of its own to keep or to spoil."""
    return answer(*exercise.arguments(case)) if exercise.is_function else deepcopy(answer)


def compare(exercise: Exercise, cases: list[dict], got: list) -> Verdict:
    """The verdict on the values that an answer gave, one per case."""
    wanted = [exercise.reference(*exercise.arguments(case)) for case in cases]
    wrong = [k for k in range(len(cases)) if not exercise.agrees(got[k], wanted[k])]
    if not wrong:
        return Verdict(exercise.id, CORRECT, f"{exercise.title}: all {_cases(exercise)}.")
    slip = exercise.slip_behind(got, cases)
    where = f"In the case {exercise.describe(cases[wrong[0]])}, y" if exercise.is_function else "Y"
    message = f"{where}our answer is {_shown(got[wrong[0]])}. Expected: {exercise.expects}."
    if slip:
        return Verdict(exercise.id, NOT_YET, f"{message} {slip.hint}", slip.name)
    return Verdict(
        exercise.id, NOT_YET, f"{message} For a hint, run hint({exercise.id!r}) in a new cell."
    )


def _cases(exercise: Exercise) -> str:
    return f"{exercise.n_cases} cases agree" if exercise.is_function else "of it agrees"


def _shown(value) -> str:
    """A short form of a student's value."""
    if callable(value):
        return "a function"
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        value = value.round(4)
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def is_blank(answer) -> bool:
    """Whether the answer is the untouched placeholder."""
    return answer is None or answer is Ellipsis


def has_blanks(answer: Callable) -> bool:
    """Whether a function still contains a `...` to be filled in."""
    return isinstance(answer, FunctionType) and Ellipsis in answer.__code__.co_consts


def _does_nothing(answer: Callable) -> bool:
    """Whether a function's body is only `...`, with or without a docstring above it."""

    def empty(): ...

    def documented():
        """Like an untouched exercise."""

    untouched = {empty.__code__.co_code, documented.__code__.co_code}
    return isinstance(answer, FunctionType) and answer.__code__.co_code in untouched


def _not_attempted(exercise: Exercise) -> Verdict:
    return Verdict(
        exercise.id,
        NOT_ATTEMPTED,
        "Replace the `...` with your answer, run that cell, then run this one again.",
    )


def _nothing_returned(exercise: Exercise, answer: Callable) -> Verdict:
    if _does_nothing(answer) or has_blanks(answer):
        return _not_attempted(exercise)
    message = "The function gives None in every case. Is a `return` missing?"
    return Verdict(exercise.id, NOT_YET, message)


@dataclass(frozen=True)
class Hint:
    """One rung of the ladder."""

    exercise: str
    rung: int
    rungs: int
    text: str

    def __repr__(self) -> str:
        return f"Hint {self.rung} of {self.rungs} for {self.exercise}: {self.text}"

    def _repr_html_(self) -> str:
        more = "" if self.rung == self.rungs else " <i>Run this again for the next hint.</i>"
        return f'<div role="status">{escape(repr(self))}{more}</div>'


def hint(name: str) -> Hint:
    """The next hint for an exercise; each call climbs one rung, the last one stays."""
    ladder = lessons.exercise(name).hints
    taken = journal.read()["hints"].get(name, {}).get("taken", 0)
    rung = min(taken + 1, len(ladder))
    journal.update("hints", name, lambda old: {"taken": rung})
    return Hint(name, rung, len(ladder), ladder[rung - 1])


def points(name: str) -> int:
    """The points of an exercise or of a written task; the build puts them into the notebook."""
    written = {task.id: task for lesson in lessons.available() for task in lesson.written}
    return written[name].points if name in written else lessons.exercise(name).points
