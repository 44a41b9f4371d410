"""Every measure of the course, once: the question it answers, its call, its caveat, its lesson.

The data lie in `catalogue.toml`, together with the steps of the dialogue that leads to them.
"""

import tomllib
from dataclasses import dataclass
from importlib.resources import files

from course_lib.questions import QUESTIONS, Question


@dataclass(frozen=True)
class Measure:
    """One measure; `question` is None for the effect of an action, which no importance answers."""

    id: str
    name: str
    question: Question | None
    lesson: str  # its two-digit number
    imports: tuple[str, ...]  # such as "course_lib.measures.mdi"
    call: str
    caveat: str


@dataclass(frozen=True)
class Option:
    """One answer to a step; it leads to another step or to a measure, given by id."""

    answer: str
    text: str
    step: str | None = None
    measure: str | None = None


@dataclass(frozen=True)
class Step:
    """One question of the dialogue; `asks` is the keyword that answers it."""

    id: str
    asks: str
    text: str
    options: tuple[Option, ...]


def _measure(entry: dict) -> Measure:
    question = {question.key: question for question in QUESTIONS}.get(entry["question"])
    return Measure(**entry | {"question": question, "imports": tuple(entry["imports"])})


def _step(entry: dict) -> Step:
    options = tuple(Option(**option) for option in entry["option"])
    return Step(entry["id"], entry["asks"], entry["text"], options)


_DATA = tomllib.loads((files(__package__) / "catalogue.toml").read_text(encoding="utf-8"))
MEASURES: dict[str, Measure] = {entry["id"]: _measure(entry) for entry in _DATA["measure"]}
STEPS: dict[str, Step] = {entry["id"]: _step(entry) for entry in _DATA["step"]}
