"""What belongs to each lesson beside its notebook: its questions and its exercises.

`lesson_NN.toml` holds what `schema` declares, as data; `lesson_NN.py` declares the exercises. Both
are found by the lesson's number. `pretest.toml` holds the ten questions that are asked before the
course and again at its end.
"""

import tomllib
from fnmatch import fnmatch
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path

from course_lib.files import read_text
from course_lib.lessons.exercise import Exercise
from course_lib.lessons.reading import LessonFileError, in_words, read_record, texts_in
from course_lib.lessons.schema import (  # noqa: F401
    MISCONCEPTIONS,
    Item,
    Lesson,
    Option,
    Prediction,
    Pretest,
    Statement,
    Written,
)
from course_lib.lessons.stored import from_json
from course_lib.lessons.ties import Tie, ties

LIBRARY = Path(__file__).parents[1]  # in a clone, in the student edition or in a package


def numbers() -> tuple[str, ...]:
    """The numbers of the lessons that exist, in order."""
    names = (entry.name for entry in files(__name__).iterdir())
    return tuple(sorted(name[7:9] for name in names if fnmatch(name, "lesson_??.toml")))


def available() -> list[Lesson]:
    """Every lesson that exists, in order."""
    return [load(number) for number in numbers()]


@cache
def load(number: str) -> Lesson:
    """The lesson with this two-digit number."""
    if number not in numbers():
        raise ValueError(f"There is no lesson {number!r}. There are: {', '.join(numbers())}.")
    file = f"lesson_{number}.toml"
    lesson = read_record(Lesson, files(__name__) / file)
    if not lesson.name.startswith(f"{number}_"):
        raise LessonFileError(
            f"{file}: field name must begin with {number}_; got {in_words(lesson.name)}."
        )
    for folder, names in _names_of_files(number).items():
        if lesson.name not in names:
            raise LessonFileError(
                f"{file}: field name must be {in_words(names, last='or')}, as its files are called "
                f"({folder}/); got {in_words(lesson.name)}."
            )
    return lesson


def _names_of_files(number: str) -> dict[str, list[str]]:
    """How the files of a lesson are called, by folder; without sources, as notebooks are called."""
    clone, shipped = LIBRARY.parent, LIBRARY / "shipped"
    root = clone if (clone / "pyproject.toml").is_file() else shipped
    for folders in (("notebooks/src", "solutions/src"), ("notebooks", "exercises")):
        found = {
            folder: sorted({path.stem for path in (root / folder).glob(f"{number}_*")})
            for folder in folders
        }
        if any(found.values()):
            return {folder: names for folder, names in found.items() if names}
    return {}


@cache
def pretest() -> tuple[Item, ...]:
    """One question per misconception, whose code is its id; each wrong option stands for it."""
    return read_record(Pretest, files(__name__) / "pretest.toml").items


def item_ties(number: str) -> dict[str, list[Tie]]:
    """What the sentences of a lesson's predictions and statements are tied to.

    By the name under which a cell of the lesson shows them: a prediction's, a group's.
    """
    load(number)  # which refuses a file that makes no sense
    file = files(__name__) / f"lesson_{number}.toml"
    entry, found = tomllib.loads(read_text(file)), {}
    for item in entry["predictions"] + entry["statements"]:
        shown_as = item.get("group", item["id"])
        found.setdefault(shown_as, []).extend(ties("\n\n".join(texts_in(item))))
    return found


def find(kind: str, name: str):
    """The prediction, statement, recall question or written task with this id."""
    known = [item for lesson in available() for item in getattr(lesson, kind)]
    for item in known:
        if item.id == name:
            return item
    raise ValueError(
        f"There is no {kind.rstrip('s')} {name!r}. There are: {', '.join(i.id for i in known)}."
    )


@cache
def exercises(number: str) -> tuple[Exercise, ...]:
    """The exercises of a lesson, in order; in the student edition those that are stored."""
    load(number)
    stored = files(__name__) / f"lesson_{number}.json"
    if stored.is_file():
        return from_json(stored.read_text(encoding="utf-8"))
    return import_module(f"course_lib.lessons.lesson_{number}").EXERCISES


def exercise(name: str) -> Exercise:
    """The exercise with this id, such as "01.3"."""
    known = {task.id: task for number in numbers() for task in exercises(number)}
    if name not in known:
        raise ValueError(f"There is no exercise {name!r}. There are: {', '.join(known)}.")
    return known[name]


def points(name: str) -> int:
    """The points of an exercise or of a written task."""
    written = {task.id: task for lesson in available() for task in lesson.written}
    return (written.get(name) or exercise(name)).points
