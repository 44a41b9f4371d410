"""What an answer says when it is asked: plain values, one per case, or why there are none."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial

from course_lib.lessons.blanks import is_blank, is_stub, open_blanks, open_places
from course_lib.lessons.exercise import Case, Exercise
from course_lib.lessons.unchanged import first_changed
from course_lib.lessons.values import brief, plain

MAX_GIVEN = 160


@dataclass(frozen=True)
class Response:
    """What came of an answer: plain values, one per case, or the reason why there are none."""

    values: tuple = ()
    blank: bool = False  # nothing has been filled in
    uncallable: str = ""  # what is there in place of a function, in brief
    open: int = 0  # how many blanks are left, if some have been filled in
    changed: int = 0  # which of its arguments an answer has changed, counted from 1


@dataclass(frozen=True)
class Call:
    """One call of an answer: what it is given, and that in words."""

    arguments: Callable[[], tuple]  # makes fresh ones
    given: str


def respond(exercise: Exercise, answer, cases: Sequence[Case]) -> Response:
    """Ask an answer to an exercise for its values; see `respond_to_calls`."""
    if not exercise.is_function:
        return respond_to_calls(answer, None)
    calls = [
        Call(partial(exercise.arguments, case), shortened(exercise.describe(case)))
        for case in cases
    ]
    return respond_to_calls(answer, calls, exercise.blanks)


def respond_to_calls(answer, calls: Sequence[Call] | None, blanks: int = 1) -> Response:
    """Ask an answer for its values; it gets arguments of its own, and what it does to them is seen.

    An error raised by the answer itself is passed on, with a note that says in which case it
    happened; if there are blanks, they are the reason.

    Parameters
    ----------
    answer : callable or value
    calls : list of Call, or None
        None if the answer itself is the value.
    blanks : int
        With how many `...` it was handed out.
    """
    if is_blank(answer):
        return Response(blank=True)
    if calls is None:
        value = plain(answer)
        return Response((value,), open=open_places(value))
    if not callable(answer):
        return Response(uncallable=brief(plain(answer)))
    left = open_blanks(answer)
    try:
        pairs = [_called(answer, call) for call in calls]
    except Exception:
        if not left:
            raise
        pairs = []
    values = tuple(value for value, _ in pairs)
    untouched = left >= blanks if left else is_stub(answer)
    blank = untouched and (not values or all_none(values) or _all_open(values))
    if blank:
        return Response(values, blank)
    changed = next((position for _, position in pairs if position), 0)
    return Response(values, open=left, changed=changed)


def _called(answer: Callable, call: Call) -> tuple:
    """The value that an answer gives, and which of its arguments it has changed, if any."""
    arguments = call.arguments()
    before = deepcopy(arguments)
    try:
        value = plain(answer(*arguments))
    except Exception as error:
        error.add_note(f"in the case {call.given}")
        raise
    return value, first_changed(before, arguments)


def all_none(values: tuple) -> bool:
    """Whether there are values, and each of them is None."""
    return bool(values) and all(value is None for value in values)


def _all_open(values: tuple) -> bool:
    return bool(values) and all(map(open_places, values))


def shortened(text: str) -> str:
    """A text on one line, cut off where it gets long."""
    text = " ".join(text.split())
    return text if len(text) <= MAX_GIVEN else f"{text[: MAX_GIVEN - 3]}..."
