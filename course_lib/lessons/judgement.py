"""The judgement of an answer: not attempted, not yet, correct; it names the slip, never the result.

Declared once for `check` in a notebook and for grading: the same comparison, the same sentences.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import FunctionType

import numpy as np
from markupsafe import Markup

from course_lib.lessons.exercise import Case, Exercise, Slip
from course_lib.lessons.values import brief, plain

NOT_ATTEMPTED, NOT_YET, CORRECT = "not attempted", "not yet", "correct"
SYMBOLS = {NOT_ATTEMPTED: "○", NOT_YET: "↻", CORRECT: "✓"}


@dataclass(frozen=True)
class Verdict:
    """The outcome of a judgement, in words."""

    exercise: str
    outcome: str
    message: str
    hint: str = ""  # what to do now
    slip: Slip | None = None  # what a wrong answer comes from, if that is known

    @property
    def passed(self) -> bool:
        """Whether the answer is correct."""
        return self.outcome == CORRECT

    @property
    def words(self) -> str:
        """The message, with the hint if there is one."""
        return f"{self.message} {self.hint}".rstrip()

    def __repr__(self) -> str:
        return f"{self.exercise} {SYMBOLS[self.outcome]} {self.outcome}: {self.words}"

    def _repr_html_(self) -> Markup:
        html = Markup('<div role="status"><b>{} {} {}.</b> {}</div>')
        return html.format(self.exercise, SYMBOLS[self.outcome], self.outcome, self.words)


# What an answer says


@dataclass(frozen=True)
class Response:
    """What came of an answer: plain values, one per case, or the reason why there are none."""

    values: tuple = ()
    blank: bool = False  # the placeholder is still there
    uncallable: str = ""  # what is there in place of a function, in brief


def respond(exercise: Exercise, answer, cases: Sequence[Case]) -> Response:
    """Ask an answer for its values; it gets arguments of its own to keep or to spoil.

    An error raised by the answer itself is not caught: reading a traceback is part of the craft.
    """
    if is_blank(answer):
        return Response(blank=True)
    if not exercise.is_function:
        return Response((plain(answer),))
    if not callable(answer):
        return Response(uncallable=brief(plain(answer)))
    try:
        values = tuple(plain(answer(*exercise.arguments(case))) for case in cases)
    except (TypeError, NotImplementedError):
        if has_blanks(answer):
            return Response(blank=True)
        raise
    return Response(values, blank=_all_none(values) and is_stub(answer))


def is_blank(answer) -> bool:
    """Whether the answer is the untouched placeholder."""
    return answer is None or answer is Ellipsis


def has_blanks(answer: Callable) -> bool:
    """Whether a function still contains a `...` to be filled in."""
    return isinstance(answer, FunctionType) and Ellipsis in answer.__code__.co_consts


def is_stub(answer: Callable) -> bool:
    """Whether a function has blanks or does nothing, with or without a docstring."""

    def empty(): ...

    def documented():
        """Like an untouched exercise."""

    untouched = {empty.__code__.co_code, documented.__code__.co_code}
    is_idle = isinstance(answer, FunctionType) and answer.__code__.co_code in untouched
    return is_idle or has_blanks(answer)


def _all_none(values: tuple) -> bool:
    return bool(values) and all(value is None for value in values)


# What it is worth


class AnswerKey:
    """The cases that a seed gives, with the right answers and those of the known slips."""

    def __init__(self, exercise: Exercise, seed: int):
        self.exercise, self.cases = exercise, exercise.cases(seed)
        self.arguments = [exercise.arguments(case) for case in self.cases]
        self.wanted = self._values(exercise.reference)

    @cached_property
    def slips(self) -> list[tuple[Slip, tuple]]:
        """The slips with their answers; computed for the first wrong answer."""
        return [(slip, self._values(slip.answer)) for slip in self.exercise.slips]

    def _values(self, function: Callable) -> tuple:
        with np.errstate(all="ignore"):
            return tuple(plain(function(*arguments)) for arguments in self.arguments)

    def verdict(self, response: Response) -> Verdict:
        """The verdict on what an answer gave for these cases."""
        exercise, values = self.exercise, response.values
        if response.blank:
            return Verdict(exercise.id, NOT_ATTEMPTED, "There is no answer yet.", HOW_TO_ANSWER)
        if response.uncallable:
            return Verdict(exercise.id, NOT_YET, NO_FUNCTION.format(response.uncallable))
        if exercise.is_function and _all_none(values):
            return Verdict(exercise.id, NOT_YET, NO_VALUE)
        if len(values) != len(self.cases):
            return Verdict(exercise.id, NOT_YET, NOT_ONE_EACH)
        if self._agree(values, self.wanted):
            extent = f"{len(self.cases)} cases agree" if exercise.is_function else "of it agrees"
            return Verdict(exercise.id, CORRECT, f"{exercise.title}: all {extent}.")
        slip = next((slip for slip, slipped in self.slips if self._agree(values, slipped)), None)
        hint = slip.hint if slip else f"For a hint, run hint({exercise.id!r}) in a new cell."
        return Verdict(exercise.id, NOT_YET, self._contrast(values), hint, slip)

    def _contrast(self, values: tuple) -> str:
        """The first wrong value, and what is expected, in words."""
        k = next(k for k, value in enumerate(values) if not self._agree([value], [self.wanted[k]]))
        is_function, case = self.exercise.is_function, self.cases[k]
        start = f"In the case {self.exercise.describe(case)}, y" if is_function else "Y"
        return f"{start}our answer is {brief(values[k])}. {expectation(self.exercise)}"

    def _agree(self, values: Sequence, others: Sequence) -> bool:
        rtol, atol = self.exercise.rtol, self.exercise.atol
        pairs = zip(values, others, strict=True)
        return all(same(value, other, rtol=rtol, atol=atol) for value, other in pairs)


HOW_TO_ANSWER = "Replace the `...` with yours, run that cell, then check it again."
NO_FUNCTION = (
    "A function is wanted here, and this is {}. Pass the function's name, without calling it."
)
NO_VALUE = "The function gives None in every case. Is a `return` missing?"
NOT_ONE_EACH = "What came back is not one answer per case."


def expectation(exercise: Exercise) -> str:
    """What is expected, as a sentence."""
    return f"Expected: {exercise.expects}."


@lru_cache(maxsize=512)
def answer_key(exercise: Exercise, seed: int) -> AnswerKey:
    """The key to an exercise, computed once per process."""
    return AnswerKey(exercise, seed)


# When two values are the same


def same(value, wanted, *, rtol: float, atol: float) -> bool:
    """Equality up to tolerance of two plain values; nonsense is not the same as anything.

    The type of `wanted` decides: where it is a number, only a number can be the same.
    """
    try:
        return _is_same(value, wanted, {"rtol": rtol, "atol": atol})
    except (TypeError, ValueError, OverflowError):
        return False


def _is_same(value, wanted, within: dict) -> bool:
    if isinstance(wanted, bool | str):
        return isinstance(value, bool | str) and value == wanted
    if isinstance(wanted, int | float):
        return _is_same_number(value, wanted, within)
    if isinstance(wanted, dict):
        return (
            isinstance(value, dict)
            and value.keys() == wanted.keys()
            and all(_is_same(value[key], wanted[key], within) for key in wanted)
        )
    if isinstance(wanted, frozenset):
        return isinstance(value, frozenset | list | tuple) and frozenset(value) == wanted
    if isinstance(wanted, np.ndarray):
        value = np.asarray(value, dtype=float)
        close = value.shape == wanted.shape and np.allclose(value, wanted, **within, equal_nan=True)
        return bool(close)
    value = value.tolist() if isinstance(value, np.ndarray) else value
    return (
        isinstance(value, list | tuple)
        and len(value) == len(wanted)
        and all(_is_same(v, w, within) for v, w in zip(value, wanted, strict=True))
    )


def _is_same_number(value, wanted: float, within: dict) -> bool:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return bool(np.isclose(value, wanted, **within, equal_nan=True))
