"""The judgement of an answer: not attempted, not yet, correct; it names the slip, never the result.

Declared once for `check` in a notebook and for grading: the same comparison, the same sentences.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from markupsafe import Markup

from course_lib.lessons.comparison import same
from course_lib.lessons.diagnosis import counted, diagnosis, is_are, share
from course_lib.lessons.exercise import Exercise, Slip, Stored
from course_lib.lessons.response import Response, all_none, shortened
from course_lib.lessons.values import brief, is_table, plain

NOT_ATTEMPTED, NOT_YET, CORRECT = "not attempted", "not yet", "correct"
SYMBOLS = {NOT_ATTEMPTED: "○", NOT_YET: "↻", CORRECT: "✓"}
MAX_ROWS = 3


@dataclass(frozen=True)
class Row:
    """A case in which the answer is wrong, for a table: all in words, nothing given away."""

    case: str  # its number, such as "2 of 4"; empty if there is only one
    input: str
    yours: str


@dataclass(frozen=True)
class Verdict:
    """The outcome of a judgement, in words."""

    exercise: str
    outcome: str
    message: str
    hint: str = ""  # what to do now
    slip: Slip | None = None  # what a wrong answer comes from, if that is known
    diagnosis: str = ""  # what else is known to be wrong; `message` says it, too
    rows: tuple[Row, ...] = ()  # the first wrong cases
    expected: str = ""  # in words
    lines: tuple[str, ...] = ()  # the learner's own lines on the way to an error

    @property
    def passed(self) -> bool:
        """Whether the answer is correct."""
        return self.outcome == CORRECT

    @property
    def words(self) -> str:
        """The message and the hint; what a known slip comes from is said first."""
        parts = (self.hint, self.message) if self.slip else (self.message, self.hint)
        return " ".join(filter(None, parts))

    @property
    def first(self) -> str:
        """What to read before the table, or all there is to say without one."""
        return (self.slip.hint if self.slip else self.diagnosis) or (
            "" if self.rows else self.words
        )

    def without_cases(self, message: str) -> "Verdict":
        """The same verdict with another message, which tells nothing of the cases."""
        return replace(self, message=message, diagnosis="", rows=(), lines=())

    def __repr__(self) -> str:
        return f"{self.exercise} {SYMBOLS[self.outcome]} {self.outcome}: {self.words}"

    @property
    def table(self) -> list[dict[str, str]]:
        """The wrong cases by column; a column in which there is nothing to say is left out."""
        rows = [vars(row) | {"expected": self.expected} for row in self.rows]
        return [{name: text for name, text in row.items() if text} for row in rows]

    def _repr_html_(self) -> Markup:
        html = Markup('<div role="status"><b>{} {} {}.</b> {}{}{}{}</div>')
        head = (self.exercise, SYMBOLS[self.outcome], self.outcome)
        after = self.hint if self.rows and not self.slip else ""
        return html.format(
            *head, self.first, _table_html(self.table), _lines_html(self.lines), after
        )


def _table_html(rows: list[dict[str, str]]) -> Markup:
    if not rows:
        return Markup()
    heads = Markup().join(Markup('<th scope="col">{}</th>').format(name) for name in rows[0])
    lines = Markup().join(
        Markup("<tr>{}</tr>").format(
            Markup().join(Markup("<td>{}</td>").format(text) for text in row.values())
        )
        for row in rows
    )
    table = Markup("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>")
    return table.format(heads, lines)


def _lines_html(lines: tuple[str, ...]) -> Markup:
    return Markup("<pre>{}</pre>").format("\n".join(lines)) if lines else Markup()


# What it is worth


class AnswerKey:
    """The cases that a seed gives, with the right answers and those of the known slips."""

    def __init__(self, exercise: Exercise, seed: int):
        self.exercise, self.cases = exercise, exercise.cases(seed)
        self.arguments = [exercise.arguments(case) for case in self.cases]
        self._known = {}  # what the reference and the slips give, as far as somebody has asked

    @cached_property
    def wanted(self) -> tuple:
        """The right answers, one for each case."""
        return tuple(self._values(self.exercise.reference))

    @property
    def slips(self) -> list[tuple[Slip, tuple]]:
        """The slips with their answers, one for each case."""
        return [(slip, tuple(self._values(slip.answer))) for slip in self.exercise.slips]

    def _values(self, function: Callable | Stored) -> Iterator:
        """What a function of ours gives in each case, computed when it is looked at."""
        if isinstance(function, Stored):
            yield from function.values
            return
        known = self._known.setdefault(function, [])
        for k, arguments in enumerate(self.arguments):
            if k == len(known):
                known.append(_value(function, arguments))
            yield known[k]

    @property
    def told_apart(self) -> frozenset[str]:
        """What these cases tell from the right answer: slips by name, and any constant."""
        right, slips = self.wanted, self.exercise.slips
        told = {slip.name for slip in slips if not self._agree(self._values(slip.answer), right)}
        constant = self._agree(right, right[:1] * len(right))
        return frozenset(told if constant else told | {"a constant"})

    def verdict(self, response: Response) -> Verdict:
        """The verdict on what an answer gave for these cases."""
        exercise, values = self.exercise, response.values
        if response.blank:
            return Verdict(exercise.id, NOT_ATTEMPTED, "There is no answer yet.", HOW_TO_ANSWER)
        if response.uncallable:
            return Verdict(exercise.id, NOT_YET, NO_FUNCTION.format(response.uncallable))
        right = self._right(values)
        if right and all(right):
            return self._all_right(self._change(response, RIGHT_BUT))
        if response.open:
            return Verdict(exercise.id, NOT_YET, _still_open(response.open), FILL_THEM)
        if exercise.is_function and all_none(values):
            return Verdict(exercise.id, NOT_YET, NO_VALUE)
        if not right:
            return Verdict(exercise.id, NOT_YET, NOT_ONE_EACH)
        return self._wrong(response, right)

    def _right(self, values: tuple) -> list[bool]:
        """Which of the cases are right; empty if there is not one value for each."""
        if len(values) != len(self.cases):
            return []
        return [
            self._same(value, wanted) for value, wanted in zip(values, self.wanted, strict=True)
        ]

    def _all_right(self, change: Slip | None) -> Verdict:
        exercise = self.exercise
        if change:
            return Verdict(exercise.id, NOT_YET, "", change.hint, change)
        extent = f"{len(self.cases)} cases agree" if exercise.is_function else "of it agrees"
        return Verdict(exercise.id, CORRECT, f"{exercise.title}: all {extent}.")

    def _wrong(self, response: Response, right: list[bool]) -> Verdict:
        exercise, values, k = self.exercise, response.values, right.index(False)
        slips = (s for s in exercise.slips if self._agree(values, self._values(s.answer)))
        slip = next(slips, None) or self._change(response, WRONG_AND)
        found = diagnosis(values[k], self.wanted[k], self._same)
        if any(right) or not found:
            found = f"{found} {share(right, 'case')}".lstrip()
        return Verdict(
            exercise.id,
            NOT_YET,
            f"{found} {self._contrast(k, values[k])}".lstrip(),
            slip.hint if slip else f"For a hint, run hint({exercise.id!r}) in a new cell.",
            slip,
            diagnosis=found,
            rows=self._rows(values, right),
            expected=exercise.expects,
        )

    def _change(self, response: Response, start: str) -> Slip | None:
        """The slip of an answer that changes one of its arguments, whatever its values are."""
        if not (response.changed and self.exercise.is_function):
            return None
        *_, (name, value) = self.exercise.named(self.arguments[0])[: response.changed]
        has_copy = isinstance(value, np.ndarray) or is_table(value)
        copy = f"{name}.copy()" if has_copy else f"copy.deepcopy({name})"
        return Slip(CHANGES, None, f"{start.format(name)} {WORK_ON_A_COPY.format(copy)}")

    def _contrast(self, k: int, value) -> str:
        """The first wrong value, and what is expected, in words."""
        given = shortened(self.exercise.describe(self.cases[k]))
        start = f"In the case {given}, y" if self.exercise.is_function else "Y"
        return f"{start}our answer is {brief(value)}. {expectation(self.exercise)}"

    def _rows(self, values: tuple, right: list[bool]) -> tuple[Row, ...]:
        wrong = [k for k, is_right in enumerate(right) if not is_right][:MAX_ROWS]
        if not self.exercise.is_function:
            return tuple(Row("", "", brief(values[k])) for k in wrong)
        given = self.exercise.describe
        return tuple(
            Row(f"{k + 1} of {len(right)}", shortened(given(self.cases[k])), brief(values[k]))
            for k in wrong
        )

    def _same(self, value, wanted) -> bool:
        return same(value, wanted, rtol=self.exercise.rtol, atol=self.exercise.atol)

    def _agree(self, values: Iterable, others: Iterable) -> bool:
        return all(map(self._same, values, others))


def _value(function: Callable, arguments: tuple):
    """What a function of ours gives, as plain data; ours leave their arguments as they are."""
    with np.errstate(all="ignore"):
        return plain(function(*arguments))


HOW_TO_ANSWER = "Replace the `...` with yours, run that cell, then check it again."
FILL_THEM = "Fill in what is left, run that cell, then check it again."
NO_FUNCTION = (
    "A function is wanted here, and this is {}. Pass the function's name, without calling it."
)
NO_VALUE = "The function gives None in every case. Is a `return` missing?"
NOT_ONE_EACH = "What came back is not one answer per case."
CHANGES = "changes its argument"
RIGHT_BUT = "The values are right, but your function changes its argument `{}`."
WRONG_AND = "Your function changes its argument `{}`, which may be why the values are not right."
WORK_ON_A_COPY = "Whoever calls it still needs that as it was: work on a copy, such as `{}`."


def _still_open(number: int) -> str:
    return f"{counted(number, 'blank')} {is_are(number)} still open: `...`."


def expectation(exercise: Exercise) -> str:
    """What is expected, as a sentence."""
    return f"Expected: {exercise.expects}."


@lru_cache(maxsize=512)
def answer_key(exercise: Exercise, seed: int) -> AnswerKey:
    """The key to an exercise, computed once per process."""
    return AnswerKey(exercise, seed)
