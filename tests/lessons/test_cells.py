"""The names of graded cells: made and read in one place."""

import pytest

from course_lib import lessons
from course_lib.lessons.cells import KINDS, grade_id, parse_grade_id


def test_every_name_is_read_as_it_was_made():
    exercises = [task.id for number in lessons.numbers() for task in lessons.exercises(number)]
    written = [task.id for lesson in lessons.available() for task in lesson.written]
    for kind in KINDS:
        for name in (*exercises, *written):
            assert parse_grade_id(grade_id(kind, name)) == (kind, name)


@pytest.mark.parametrize("text", ["", "task", "task-", "task-01", "task-01-", "other-01-1", "8f2c"])
def test_what_names_no_graded_cell_is_none(text):
    assert parse_grade_id(text) is None
