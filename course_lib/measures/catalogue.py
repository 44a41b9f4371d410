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
    columns: str = "any"  # which columns of a table it takes, a key of COLUMNS
    limits: str = ""  # what else to know before one's own data go in
    answers: str = ""  # the question in words


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


COLUMNS = {
    "any": "A DataFrame or an array, columns of any kind; missing values may be there, infinite "
    "ones not.",
    "numbers": "Columns of numbers.",
    "own": "The columns that the model was fitted to.",
    "none": "No table of yours.",
}
NO_QUESTION = {
    "none": "none of the six questions",
    "all": "each of the six questions that has an answer",
}


def _measure(entry: dict) -> Measure:
    question = {question.key: question for question in QUESTIONS}.get(entry["question"])
    answers = NO_QUESTION.get(entry["question"], str(question))
    found = {"question": question, "imports": tuple(entry["imports"]), "answers": answers}
    return Measure(**entry | found)


def _turn(entry: dict) -> Turn:
    replies = tuple(Reply(**reply) for reply in entry["reply"])
    return Turn(entry["id"], entry["asks"], entry["text"], replies)


_DATA = tomllib.loads((files(__package__) / "catalogue.toml").read_text(encoding="utf-8"))
MEASURES: dict[str, Measure] = {entry["id"]: _measure(entry) for entry in _DATA["measure"]}
CARD: Measure = _measure(_DATA["page"])  # no measure of its own: all of them together
TURNS: dict[str, Turn] = {entry["id"]: _turn(entry) for entry in _DATA["turn"]}
