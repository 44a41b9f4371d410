"""Checks of answers and the ladder of hints, as a learner calls them in a notebook."""

import os
from contextlib import redirect_stderr
from dataclasses import dataclass, replace
from io import StringIO

from markupsafe import Markup

from course_lib import lessons
from course_lib.learner import journal
from course_lib.learner.cells import watch
from course_lib.learner.errors import error_verdict
from course_lib.learner.living import bundle
from course_lib.lessons.exercise import PUBLIC_SEED, Exercise
from course_lib.lessons.judgement import NOT_ATTEMPTED, NOT_YET, SYMBOLS, Verdict, answer_key
from course_lib.lessons.response import respond

OLD_ANSWER = (
    "The cell that defines `{}` failed the last time it was run, so this is not your newest "
    "answer. Mend that cell, run it, check again."
)


class CheckFailedError(AssertionError):
    """An answer that is not correct, where a grader wants an error instead of a message."""


def check(name: str, answer) -> Verdict | None:
    """Check the answer to an exercise; the last line of every exercise.

    An error raised by the answer itself is shown short: what it says, in which case it came, and
    the lines of the traceback that are your own. If the cell that defines the answer failed when
    it was last run, the check says so instead of judging what an older cell has left.

    Parameters
    ----------
    name : str
        The exercise, such as "01.3".
    answer : callable or value
        What you wrote. A function is called on several cases drawn with a public seed.

    Returns
    -------
    verdict : Verdict
        Says which of three things happened: not attempted, not yet, correct. Under nbgrader what
        is correct is shown and nothing returned, and everything else is an error.
    """
    exercise = lessons.exercise(name)
    if stale := watch.stale_names(name, answer):
        verdict = Verdict(name, NOT_YET, OLD_ANSWER.format("`, `".join(stale)))
    else:
        verdict = _judged(exercise, answer)
        journal.update("checks", name, lambda old: _record(old, verdict))
    if _is_graded():
        return _told_nbgrader(verdict)
    known = verdict.slip and replace(verdict.slip, answer=None)  # it would lead to the reference
    return Checked(**vars(verdict) | {"slip": known})


def _told_nbgrader(verdict: Verdict) -> None:
    """Show or raise a verdict: nbgrader takes what a cell returns for a part of its points."""
    from IPython.display import display

    if not verdict.passed:
        raise CheckFailedError(repr(verdict))
    display(verdict)


def _judged(exercise: Exercise, answer) -> Verdict:
    answer_key(exercise, PUBLIC_SEED)  # what fails here is no fault of the answer
    if _is_graded():
        with redirect_stderr(StringIO()):  # nbgrader takes a warning in a check for a failure
            return judge(exercise, answer)
    try:
        return judge(exercise, answer)
    except Exception as error:
        return error_verdict(exercise, answer, error)


def _is_graded() -> bool:
    return bool(os.environ.get("NBGRADER_EXECUTION"))


def _record(old: dict, verdict: Verdict) -> dict:
    attempted = verdict.outcome != NOT_ATTEMPTED
    slips = old.get("slips", []) + ([verdict.slip.name] if verdict.slip else [])
    return {
        "passed": old.get("passed", False) or verdict.passed,
        "attempts": old.get("attempts", 0) + attempted,
        "slips": slips,
    }


def judge(exercise: Exercise, answer, seed: int = PUBLIC_SEED) -> Verdict:
    """The verdict on an answer, for the cases that `seed` gives; its errors are passed on."""
    key = answer_key(exercise, seed)
    return key.verdict(respond(exercise, answer, key.cases))


# How it looks in the lab


class Checked(Verdict):
    """A verdict that shows itself as a table, with a button for hints."""

    def spec(self) -> dict:
        """What the page is told; nothing in it gives the answer away."""
        return {
            "exercise": self.exercise,
            "outcome": self.outcome,
            "sign": SYMBOLS[self.outcome],
            "first": self.first,
            "table": self.table,
            "lines": list(self.lines),
            "rungs": 0 if self.passed else len(lessons.exercise(self.exercise).hints),
        }

    def hints(self) -> dict:
        """The hints taken so far, as the page shows them."""
        return {"hints": list(lessons.exercise(self.exercise).hints[: hints_taken(self.exercise)])}

    def climb(self) -> dict:
        """Take one more hint, and show it too."""
        hint(self.exercise)
        return self.hints()

    def surface(self):
        """The verdict as a Surface, whose Hint button is answered by this kernel."""
        from course_lib.widgets.surface import Surface  # not where answers are graded

        def on_press(_message):
            surface.shown = self.climb()

        surface = Surface("verdict", self.spec(), shown=self.hints(), on_event=on_press)
        return surface

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        return bundle(self._repr_html_(), repr(self), self.surface)


@dataclass(frozen=True)
class Hint:
    """One rung of the ladder."""

    exercise: str
    rung: int
    rungs: int
    text: str

    def __repr__(self) -> str:
        return f"Hint {self.rung} of {self.rungs} for {self.exercise}: {self.text}"

    def _repr_html_(self) -> Markup:
        more = (
            "" if self.rung == self.rungs else Markup(" <i>Run this again for the next hint.</i>")
        )
        return Markup('<div role="status">{}{}</div>').format(repr(self), more)


def hint(name: str) -> Hint:
    """The next hint for an exercise; each call climbs one rung, the last one stays."""
    ladder = lessons.exercise(name).hints
    rung = min(hints_taken(name) + 1, len(ladder))
    journal.update("hints", name, lambda old: {"taken": rung})
    return Hint(name, rung, len(ladder), ladder[rung - 1])


def hints_taken(name: str) -> int:
    """How many rungs of an exercise's ladder have been climbed."""
    return journal.read()["hints"].get(name, {}).get("taken", 0)
