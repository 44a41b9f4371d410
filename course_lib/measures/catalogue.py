"""Every measure of the course, once: the question it answers, its call, its caveat, its lesson.

The data lie in `catalogue.toml`, together with the dialogue that leads to them.
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
class Reply:
    """One reply in the dialogue; it leads to another turn or to a measure, given by id."""

    answer: str
    text: str
    turn: str | None = None
    measure: str | None = None


@dataclass(frozen=True)
class Turn:
    """One question of the dialogue; `asks` is the keyword that answers it."""

    id: str
    asks: str
    text: str
    replies: tuple[Reply, ...]


def _measure(entry: dict) -> Measure:
    question = {question.key: question for question in QUESTIONS}.get(entry["question"])
    return Measure(**entry | {"question": question, "imports": tuple(entry["imports"])})


def _turn(entry: dict) -> Turn:
    replies = tuple(Reply(**reply) for reply in entry["reply"])
    return Turn(entry["id"], entry["asks"], entry["text"], replies)


_DATA = tomllib.loads((files(__package__) / "catalogue.toml").read_text(encoding="utf-8"))
MEASURES: dict[str, Measure] = {entry["id"]: _measure(entry) for entry in _DATA["measure"]}
TURNS: dict[str, Turn] = {entry["id"]: _turn(entry) for entry in _DATA["turn"]}
