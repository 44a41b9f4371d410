"""The names of graded cells: made and read in one place."""

import pytest

from course_lib import lessons
from course_lib.lessons.cells import KINDS, grade_id, parse_grade_id, with_own_blanks


def test_every_name_is_read_as_it_was_made():
    exercises = [task.id for number in lessons.numbers() for task in lessons.exercises(number)]
    written = [task.id for lesson in lessons.available() for task in lesson.written]
    for kind in KINDS:
        for name in (*exercises, *written):
            assert parse_grade_id(grade_id(kind, name)) == (kind, name)


@pytest.mark.parametrize("text", ["", "task", "task-", "task-01", "task-01-", "other-01-1", "8f2c"])
def test_what_names_no_graded_cell_is_none(text):
    assert parse_grade_id(text) is None


@pytest.mark.parametrize(
    ("source", "own"),
    [
        ("p = ...\n...", "p = ..."),
        ("    p = f(...)\n    ...\nq", "    p = f(...)\nq"),
        ("p = ...\n...\n...", "p = ...\n..."),
        ("p = ...\n    ...", "p = ...\n    ..."),
        ("p = 1\n...", "p = 1\n..."),
        ("...\n...", "...\n..."),
        ("\tp = ...\n...", "\tp = ...\n..."),
        ("# YOUR CODE HERE\nraise NotImplementedError()", "..."),
    ],
)
def test_a_blank_below_a_name_that_was_given_one_is_left_out(source, own):
    assert with_own_blanks(source) == own


@pytest.mark.parametrize(
    "source", ["x = ..." * 20_000 + "\nend", " " * 10**6 + "x", "p = ...\n" * 10**5, " = " * 10**5]
)
def test_a_long_cell_takes_no_longer_than_it_is_long(source):
    """Whoever grades looks at it outside of the box; a regular expression took a day for one."""
    assert with_own_blanks(source) == source
