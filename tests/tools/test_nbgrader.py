"""A released exercise under the real nbgrader: validate and autograde give the right points."""

import os
import sys
from pathlib import Path

import nbformat
import pytest

from course_lib.tools.build import build
from course_lib.tools.notebooks import nbgrader_config, to_bytes
from course_lib.tools.system import ROOT as REPOSITORY

pytestmark = pytest.mark.nbgrader


REAL = REPOSITORY / "solutions" / "01_mdi" / "01_mdi.ipynb"
WRONG = "def square(x):\n    return 2 * x"
TINY = '''# %%
import os


def check(name, answer):
    good = answer is not ... and answer(3) == 9
    if os.environ.get("NBGRADER_EXECUTION") and not good:
        raise AssertionError(name)
    return "correct" if good else "not yet"


# %% task="99.1"
def square(x):
    """The square of x."""
    ### BEGIN SOLUTION
    return x * x
    ### END SOLUTION


# %% check="99.1" points=2
check("99.1", square)

# %% task="99.2"
power = ...
### BEGIN SOLUTION
power = lambda x: x**2
### END SOLUTION

# %% check="99.2" points=1
check("99.2", power)

# %% [markdown] written="99.w" points=4
# A model answer in prose.
'''


@pytest.fixture(scope="module", autouse=True)
def surroundings():
    """nbgrader calls alembic by name, which is beside the interpreter; kernels share two cores."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", os.path.dirname(sys.executable), prepend=os.pathsep)
        patch.setenv("OMP_NUM_THREADS", "1")
        yield


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A small course with one assignment, released to nbgrader's own gradebook."""
    course = tmp_path_factory.mktemp("tiny")
    source = course / "solutions" / "src" / "99_tiny.py"
    source.parent.mkdir(parents=True)
    source.write_text(TINY, encoding="utf-8")
    assert build(course) == []
    return released(course, "99_tiny")


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """Lesson 01 as it is in the repository, released in a course of its own."""
    if not REAL.exists():
        pytest.skip("solutions/01_mdi has not been built: run ./course build 01")
    course = tmp_path_factory.mktemp("real")
    copy = course / "solutions" / "01_mdi" / "01_mdi.ipynb"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(REAL.read_bytes())
    return released(course, "01_mdi")


def released(course: Path, name: str):
    from nbgrader.converters import GenerateAssignment
    from nbgrader.coursedir import CourseDirectory

    config = nbgrader_config(course, name)
    config.GenerateAssignment.force = True
    GenerateAssignment(coursedir=CourseDirectory(config=config), config=config).start()
    return course, name


def answered(course: Path, name: str, *, blank=(), replaced=None):
    """The exercise with the solution's answers, but for the cells in `blank` and `replaced`."""
    inside = Path(name, f"{name}.ipynb")
    exercise = nbformat.read(course / "exercises" / inside, as_version=4)
    solution = nbformat.read(course / "solutions" / inside, as_version=4)
    sources = {cell.id: cell.source for cell in solution.cells} | (replaced or {})
    for cell in exercise.cells:
        if cell.metadata.get("nbgrader", {}).get("solution") and cell.id not in blank:
            cell.source = sources[cell.id]
    return exercise


def answers(course: Path, name: str) -> list[str]:
    exercise = nbformat.read(course / "exercises" / name / f"{name}.ipynb", as_version=4)
    flags = [cell.metadata.get("nbgrader", {}) for cell in exercise.cells]
    return [flag["grade_id"] for flag in flags if flag.get("solution")]


def autograded(course: Path, name: str, submissions: dict) -> dict:
    """Grade submissions with nbgrader; return each student's points per graded cell."""
    from nbgrader.api import Gradebook
    from nbgrader.converters import Autograde
    from nbgrader.coursedir import CourseDirectory

    for student, notebook in submissions.items():
        file = course / "submitted" / student / name / f"{name}.ipynb"
        file.parent.mkdir(parents=True)
        file.write_bytes(to_bytes(notebook))
    config = nbgrader_config(course, name)
    Autograde(coursedir=CourseDirectory(config=config), config=config).start()
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        return {
            student: {
                grade.name: (grade.auto_score, grade.max_score)
                for grade in gradebook.find_submission_notebook(name, name, student).grades
            }
            for student in submissions
        }


def failed_checks(notebook, folder: Path) -> list[str]:
    """Sources of the cells that `nbgrader validate` complains about."""
    from nbgrader.validator import Validator

    file = folder / "submission.ipynb"
    file.write_bytes(to_bytes(notebook))
    found = Validator().validate(str(file))
    assert "changed" not in found, "a locked cell is not what was released"
    return [cell["source"].strip() for cell in found.get("failed", ())]


def test_validate_names_the_checks_that_fail_and_accepts_a_solution(tiny, tmp_path):
    course, name = tiny
    both = ['check("99.1", square)', 'check("99.2", power)']
    untouched = answered(course, name, blank=answers(course, name))
    assert failed_checks(untouched, tmp_path) == [*both, "*Write your answer here.*"]
    wrong = answered(course, name, replaced={"task-99-1": WRONG})
    assert failed_checks(wrong, tmp_path) == both[:1]
    assert failed_checks(answered(course, name), tmp_path) == []


def test_autograde_gives_nothing_part_or_all_of_the_points(tiny):
    course, name = tiny
    scores = autograded(
        course,
        name,
        {
            "untouched": answered(course, name, blank=answers(course, name)),
            "wrong": answered(course, name, replaced={"task-99-1": WRONG}),
            "solved": answered(course, name),
        },
    )
    assert scores["untouched"] == {
        "check-99-1": (0, 2),
        "check-99-2": (0, 1),
        "written-99-w": (0, 4),
    }
    by_hand = (None, 4)  # a written answer waits for a reader
    assert scores["wrong"] == {
        "check-99-1": (0, 2),
        "check-99-2": (1, 1),
        "written-99-w": by_hand,
    }
    assert scores["solved"] == {
        "check-99-1": (2, 2),
        "check-99-2": (1, 1),
        "written-99-w": by_hand,
    }


def test_the_first_exercise_of_the_course_is_graded_by_nbgrader_as_it_is(real):
    course, name = real
    blank = answers(course, name)
    last = [grade_id for grade_id in blank if grade_id.startswith("task-")][-1]
    scores = autograded(
        course,
        name,
        {
            "untouched": answered(course, name, blank=blank),
            "partial": answered(course, name, blank=[last]),
            "solved": answered(course, name),
        },
    )
    checks = [grade_id for grade_id in scores["solved"] if grade_id.startswith("check-")]
    assert len(checks) >= 5
    assert all(auto == 0 for auto, _ in scores["untouched"].values())
    assert all(scores["solved"][c][0] == scores["solved"][c][1] > 0 for c in checks)
    lost = [c for c in checks if scores["partial"][c][0] == 0]
    assert lost == [last.replace("task-", "check-")]
