"""Checks of answers and the ladder of hints, as a learner calls them in a notebook."""

import os
from dataclasses import dataclass

from markupsafe import Markup

from course_lib import lessons
from course_lib.learner import journal
from course_lib.lessons.exercise import PUBLIC_SEED, Exercise
from course_lib.lessons.judgement import NOT_ATTEMPTED, Verdict, answer_key, respond


class CheckFailedError(AssertionError):
    """An answer that is not correct, where a grader wants an error instead of a message."""


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
    journal.update("checks", name, lambda old: _record(old, verdict))
    if os.environ.get("NBGRADER_EXECUTION") and not verdict.passed:
        raise CheckFailedError(repr(verdict))
    return verdict


def _record(old: dict, verdict: Verdict) -> dict:
    attempted = verdict.outcome != NOT_ATTEMPTED
    slips = old.get("slips", []) + ([verdict.slip.name] if verdict.slip else [])
    return {
        "passed": old.get("passed", False) or verdict.passed,
        "attempts": old.get("attempts", 0) + attempted,
        "slips": slips,
    }


def judge(exercise: Exercise, answer, seed: int = PUBLIC_SEED) -> Verdict:
    """The verdict on an answer, for the cases that `seed` gives."""
    key = answer_key(exercise, seed)
    return key.verdict(respond(exercise, answer, key.cases))


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
    taken = journal.read()["hints"].get(name, {}).get("taken", 0)
    rung = min(taken + 1, len(ladder))
    journal.update("hints", name, lambda old: {"taken": rung})
    return Hint(name, rung, len(ladder), ladder[rung - 1])
