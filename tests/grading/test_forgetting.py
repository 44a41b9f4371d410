"""A student is taken out of a folder of results, and nobody else."""

from pathlib import Path

import pytest
from test_publishing import NAME, rows, run, store, submissions, type_points
from test_roster import result

from course_lib.files import write_atomically
from course_lib.grading.engine import BatchError, result_file
from course_lib.grading.forgetting import forget
from course_lib.grading.publishing import ATTEMPTS
from course_lib.grading.records import to_json
from course_lib.grading.submissions import safe_name


def everything(out: Path) -> str:
    """All names and contents below a folder."""
    files = [path for path in sorted(out.rglob("*")) if path.is_file()]
    names = [str(path.relative_to(out)) for path in sorted(out.rglob("*"))]
    return "\n".join(names + [path.read_bytes().decode("utf-8", "replace") for path in files])


def graded(out: Path, *students: str) -> None:
    store(out, *(result(student, 15, answer=f"a paragraph by {student}") for student in students))
    run(out, submissions(*students))


def attempt(out: Path, student: str, number: int) -> str:
    name = safe_name(f"{student}/attempt {number}")
    path = result_file(out / ATTEMPTS, name, NAME)
    write_atomically(path, to_json(result(name, 4)))
    return name


@pytest.mark.parametrize("student", ["zyx", "=zyx", "Zyx L./x", "zyx" * 40])
def test_nothing_is_left_of_one_student_and_everything_of_the_others(tmp_path, student):
    name = safe_name(student)
    graded(tmp_path, name, "zyx2", "bob")
    attempt(tmp_path, student, 1), attempt(tmp_path, student, 12)
    kept = attempt(tmp_path, "zyx2", 1)
    for table in ("import.csv", "feedback_moodle.zip"):
        (tmp_path / table).write_text(f"{name},15")
    type_points(tmp_path, bob="4", zyx2="3")
    called = next(s for s in rows(tmp_path / "grades.csv") if s.lstrip("'") == name)
    forget(tmp_path, [called], submissions("zyx2", "bob"))
    assert run(tmp_path, submissions("zyx2", "bob")) == []
    assert name not in everything(tmp_path).replace("zyx2", "")
    grades = rows(tmp_path / "grades.csv")
    assert {s: g["written_points"] for s, g in grades.items()} == {"zyx2": "3", "bob": "4"}
    assert (tmp_path / ATTEMPTS / "results" / kept).exists()


def test_where_nobody_is_forgotten_nothing_is_deleted(tmp_path):
    """A run without --roster deleted import.csv, which only a run with one writes again."""
    graded(tmp_path, "ada", "bob")
    for table in ("import.csv", "feedback_moodle.zip"):
        (tmp_path / table).write_text("ada,15")
    before = everything(tmp_path)
    forget(tmp_path, [], submissions("ada", "bob"))
    assert everything(tmp_path) == before


def test_a_mark_that_somebody_typed_goes_with_the_student(tmp_path):
    """By hand its row had to be deleted too: a mark whose answer is gone is kept in the sheet."""
    graded(tmp_path, "ada", "bob")
    type_points(tmp_path, ada="5", bob="4")
    forget(tmp_path, ["ada"], submissions("bob"))
    assert run(tmp_path, submissions("bob")) == []
    assert rows(tmp_path / "written.csv").keys() == {"bob"}


def test_who_would_be_graded_again_is_not_forgotten(tmp_path):
    graded(tmp_path, "ada", "bob")
    before = everything(tmp_path)
    with pytest.raises(BatchError, match="ada still has something among the submissions"):
        forget(tmp_path, ["ada"], submissions("ada", "bob"))
    assert everything(tmp_path) == before


@pytest.mark.parametrize("given", ["adda", "..", "../..", "ada/../bob", ".", "", "*"])
def test_a_name_that_is_nobodys_is_refused_and_nothing_deleted(tmp_path, given):
    graded(tmp_path, "ada", "bob")
    before = everything(tmp_path)
    with pytest.raises(BatchError, match="There is nothing of") as refused:
        forget(tmp_path, [given], submissions("bob"))
    assert ("Did you mean 'ada'" in str(refused.value)) == (given == "adda")
    assert everything(tmp_path) == before


def test_what_was_interrupted_can_be_repeated(tmp_path):
    graded(tmp_path, "ada", "bob")
    for _ in range(2):
        forget(tmp_path, ["ada"], submissions("bob"))
    run(tmp_path, submissions("bob"))
    assert "by ada" not in everything(tmp_path)
    with pytest.raises(BatchError, match="There is nothing of 'ada'"):
        forget(tmp_path, ["ada"], submissions("bob"))
