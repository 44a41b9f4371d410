"""What others get to see of the library, and that both editions agree on what knows an answer."""

import pytest

from course_lib.grading.dependencies import modules_reached
from course_lib.lessons import editions, numbers
from course_lib.tools.system import ROOT

LIBRARY = ROOT / "course_lib"
EDITIONS = {"student": editions.STUDENT, "box": editions.BOX}
each_edition = pytest.mark.parametrize("edition", EDITIONS.values(), ids=EDITIONS)


def shown(edition) -> set[str]:
    return {path.as_posix() for path in editions.files(LIBRARY, edition)}


@each_edition
def test_no_edition_has_what_knows_an_answer(edition):
    assert not shown(edition) & {f"lessons/lesson_{number}.py" for number in numbers()}
    assert set(edition) == set(editions.GUARDED)


def test_both_editions_are_the_same_library_but_for_the_guarded_packages():
    def computing(edition) -> set[str]:
        found = shown(edition)
        return {path for path in found if not path.startswith(editions.GUARDED)}

    assert computing(editions.STUDENT) == computing(editions.BOX)
    whole = {path.relative_to(LIBRARY).as_posix() for path in LIBRARY.rglob("*.py")}
    assert {p for p in whole if not p.startswith(editions.GUARDED)} <= computing(editions.BOX)


def test_what_the_box_has_of_the_lessons_students_have_too():
    assert set(editions.BOX["lessons"]) <= set(editions.STUDENT["lessons"])


@each_edition
def test_each_pattern_names_something(edition):
    found = shown(edition)
    for package, patterns in edition.items():
        only = {package: ()} | {p: () for p in editions.GUARDED}
        for pattern in patterns:
            assert shown(only | {package: (pattern,)}) & found, (package, pattern)


@each_edition
def test_what_an_edition_has_imports_nothing_that_it_has_not(edition):
    """But for the packages themselves, in whose place the box has stand-ins."""
    files = {path for path in shown(edition) if path.endswith(".py")}
    missing = set()
    for path in files:
        if path.startswith(editions.GUARDED) and not path.endswith("__init__.py"):
            missing |= imported(path) - files
    assert missing <= {"learner/__init__.py", "lessons/__init__.py", "grading/__init__.py"}


def imported(path: str) -> set[str]:
    """Files of the library that a file imports, and those that they import."""
    name = f"course_lib.{path.removesuffix('.py').replace('/', '.')}"
    reached = modules_reached([name], LIBRARY).values()
    return {file.relative_to(LIBRARY).as_posix() for file in reached}
