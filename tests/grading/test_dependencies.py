"""A mark is given again when what it depends on has changed, and for no other reason."""

import inspect
import shutil
from pathlib import Path

import pytest

from course_lib import lessons
from course_lib.grading.dependencies import LIBRARY, digest
from course_lib.measures import LinearRashomonSet, mdi, permutation_importance
from course_lib.models import impurity_decrease
from course_lib.tools.system import ROOT


def home(thing) -> str:
    """The file of the library in which something is defined."""
    return Path(inspect.getfile(thing)).relative_to(LIBRARY).as_posix()


FILES = shutil.ignore_patterns("__pycache__", "data", "*.js", "*.css", "*.ipynb")


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """Makes copies of the library in which one file has another last line."""

    def copy_with(changed: str = ""):
        library = tmp_path_factory.mktemp("copy") / "course_lib"
        shutil.copytree(LIBRARY, library, ignore=FILES)
        if changed:
            assert (library / changed).exists()
            with open(library / changed, "a", encoding="utf-8") as file:
                file.write("\n# changed\n")
        return library

    return copy_with


def digest_of(name: str, library=LIBRARY) -> str:
    released = (ROOT / "exercises" / name / f"{name}.ipynb").read_bytes()
    return digest(name[:2], released, library)


def test_the_place_of_the_library_does_not_matter(copies):
    assert digest_of("01_mdi", copies()) == digest_of("01_mdi")


@pytest.mark.parametrize(
    "changed",
    [
        *("grading/templates/page.html", "grading/classpage.py", "grading/feedback.py"),
        *("grading/tables.py", "grading/written.py", "grading/engine.py", "grading/canary.py"),
        *("learner/checks.py", "plots/__init__.py", "widgets/__init__.py", "tools/grade.py"),
        *("lessons/lesson_02.py", "lessons/lesson_01.toml", "measures/__init__.py"),
        home(permutation_importance),
    ],
)
def test_what_decides_no_mark_of_lesson_01_leaves_its_digest(copies, changed):
    assert digest_of("01_mdi", copies(changed)) == digest_of("01_mdi")


@pytest.mark.parametrize(
    "changed",
    [
        *("lessons/lesson_01.py", "lessons/exercise.py", "lessons/judgement.py"),
        *("lessons/values.py", "grading/marking.py", "grading/running.py", "grading/replies.py"),
        *("grading/notebook.py", "grading/inside.py", "grading/confine.py", "grading/box.py"),
        home(mdi),  # the lesson's reference
        home(impurity_decrease),  # what the exercise as handed out imports
        "results.py",  # what the measure imports
    ],
)
def test_what_may_decide_a_mark_of_lesson_01_changes_its_digest(copies, changed):
    assert digest_of("01_mdi", copies(changed)) != digest_of("01_mdi")


def test_a_name_that_a_package_promises_leads_to_its_module(copies):
    changed = copies(home(LinearRashomonSet))
    assert digest_of("10_capstone", changed) != digest_of("10_capstone")


def test_other_points_for_a_written_answer_change_the_digest(monkeypatch):
    before = digest_of("01_mdi")
    load = lessons.load
    monkeypatch.setattr(lessons, "load", lambda number: load("02" if number == "01" else number))
    assert digest_of("01_mdi") != before
