"""Results into nbgrader's gradebook, so that its formgrader goes on as before."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from course_lib.grading.engine import BatchError, load_result
from course_lib.grading.notebook import Released
from course_lib.grading.records import Result
from course_lib.grading.submissions import Submission
from course_lib.grading.written import Marks
from course_lib.lessons.cells import grade_id


def export(
    url: str, out: Path, submissions: list[Submission], marks: Marks, exercises: Path
) -> None:
    """Write all points into the gradebook at `url`, which is made if it does not exist.

    Parameters
    ----------
    url : str
        Such as ``sqlite:///gradebook.db`` or ``postgresql://user@host/gradebook``.
    out : Path
        The folder of results.
    submissions : list of Submission
    marks : Marks
        The written part becomes manual scores, where it is marked.
    exercises : Path
        The exercises as handed out.
    """
    from nbgrader.api import Gradebook
    from sqlalchemy.exc import SQLAlchemyError

    try:
        with _scripts_on_path(), Gradebook(url) as gradebook:
            for name, lesson in sorted({(s.name, s.lesson) for s in submissions}):
                _declare(gradebook, Released.read(exercises / name / f"{name}.ipynb", lesson))
            for submission in submissions:
                result = load_result(out, submission.student, submission.name)
                if result and submission.item is not None:
                    _store(gradebook, result, marks)
    except (SQLAlchemyError, ImportError) as error:
        raise BatchError(
            f"The gradebook {_without_password(url)} cannot be written ({type(error).__name__}). "
            f"Everything else is in {out}; check the URL and run the same command again."
        ) from None


@contextmanager
def _scripts_on_path() -> Iterator[None]:
    """nbgrader calls alembic by name, which lies beside the interpreter."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before


def _without_password(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"


def _declare(gradebook, released: Released) -> None:
    """The assignment with its graded cells, as nbgrader's own generate_assignment makes it."""
    name = released.name
    gradebook.update_or_create_assignment(name)
    gradebook.update_or_create_notebook(name, name)
    for exercise in released.graded:
        gradebook.update_or_create_grade_cell(
            grade_id("check", exercise.id), name, name, max_score=exercise.points, cell_type="code"
        )
        gradebook.update_or_create_solution_cell(grade_id("task", exercise.id), name, name)
    for written in released.written:
        cell = grade_id("written", written.id)
        gradebook.update_or_create_grade_cell(
            cell, name, name, max_score=written.points, cell_type="markdown"
        )
        gradebook.update_or_create_solution_cell(cell, name, name)


def _store(gradebook, result: Result, marks: Marks) -> None:
    name, student = result.name, result.student
    gradebook.update_or_create_student(student)
    gradebook.update_or_create_submission(name, student)
    for task in result.tasks:
        grade = gradebook.find_grade(grade_id("check", task.task), name, name, student)
        grade.auto_score, grade.needs_manual_grade = task.points, False
    for written in result.written:
        cell = grade_id("written", written.task)
        grade = gradebook.find_grade(cell, name, name, student)
        points = marks.points(result, written)
        if points is not None:
            grade.manual_score = points
        grade.needs_manual_grade = grade.manual_score is None
        if comment := marks.comment(result, written):
            gradebook.find_comment(cell, name, name, student).manual_comment = comment
    gradebook.db.commit()
