"""What belongs to each lesson beside its notebook: its questions and its exercises.

`lesson_NN.toml` holds predictions, statements, recall questions and the written task as data;
`lesson_NN.py` declares the exercises. Both are found by the lesson's number. `pretest.toml` holds
the ten questions that are asked before the course and again at its end.
"""

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from importlib import import_module
from importlib.resources import files

from course_lib.lessons.exercise import Exercise

MISCONCEPTIONS = {
    "M1": "MDI is a neutral fact about the data",
    "M2": "permutation importance fixes everything",
    "M3": "a low permutation importance means the variable can be dropped",
    "M4": "importance belongs to the data, not to this model and this seed",
    "M5": "it does not matter whether one measures on training or on test data",
    "M6": "negative values are errors and should be clipped",
    "M7": "important means causal",
    "M8": "what the model does not use cannot be important; direct and associative are the same",
    "M9": "a SHAP value is the change if the variable were removed, or a probability, or a share",
    "M10": "the axioms make the answer unique, so all Shapley methods must agree",
}


@dataclass(frozen=True)
class Option:
    """One possible answer, what to say to whoever chooses it, and the idea behind a wrong one."""

    text: str
    right: bool
    feedback: str
    misconception: str = ""


@dataclass(frozen=True)
class Item:
    """A question with options, one of them right."""

    id: str
    text: str
    options: tuple[Option, ...]
    group: str = ""


@dataclass(frozen=True)
class Prediction:
    """Something to commit to before it is computed: a number, a choice or a ranking."""

    id: str
    kind: str  # "number", "choice" or "ranking"
    question: str
    typical: object  # the typical wrong guess; stands in for the learner in the built notebook
    when_right: str
    when_wrong: str  # why a sensible person guesses otherwise, and what breaks the reasoning
    options: tuple[str, ...] = ()
    unit: str = ""
    low: float = 0.0  # ends of the number line in the reveal
    high: float = 1.0
    tolerance: float = 0.0


@dataclass(frozen=True)
class Criterion:
    """One line of a rubric."""

    points: int
    text: str


@dataclass(frozen=True)
class Written:
    """A paragraph that a person marks."""

    id: str
    prompt: str
    rubric: tuple[Criterion, ...]

    @property
    def points(self) -> int:
        return sum(criterion.points for criterion in self.rubric)


@dataclass(frozen=True)
class Lesson:
    """All the questions of one lesson."""

    number: str
    name: str
    title: str
    predictions: tuple[Prediction, ...]
    statements: tuple[Item, ...]
    recall: tuple[Item, ...]
    written: tuple[Written, ...]


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
    text = (files(__name__) / f"lesson_{number}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    return Lesson(
        number=number,
        name=data["name"],
        title=data["title"],
        predictions=tuple(_prediction(entry) for entry in data.get("prediction", [])),
        statements=tuple(_statement(entry) for entry in data.get("statement", [])),
        recall=tuple(_question(entry) for entry in data.get("recall", [])),
        written=tuple(_written(entry) for entry in data.get("written", [])),
    )


def _prediction(entry: dict) -> Prediction:
    entry = entry | {"options": tuple(entry.get("options", ()))}
    if isinstance(entry["typical"], list):
        entry["typical"] = tuple(entry["typical"])
    return Prediction(**entry)


def _statement(entry: dict) -> Item:
    """A statement becomes a question with two options; which is right depends on `licensed`."""
    right, wrong = entry["when_right"], entry["when_wrong"]
    options = tuple(
        Option(text, is_right, right if is_right else wrong, "" if is_right else entry["behind"])
        for text, is_right in (
            ("Yes, I may say this", entry["licensed"]),
            ("No, I may not", not entry["licensed"]),
        )
    )
    return Item(entry["id"], entry["text"], options, group=entry["group"])


def _question(entry: dict) -> Item:
    options = tuple(
        Option(o["text"], o.get("right", False), o["feedback"], o.get("behind", ""))
        for o in entry["option"]
    )
    return Item(entry["id"], entry["text"], options)


@cache
def pretest() -> tuple[Item, ...]:
    """One question per misconception, whose code is its id; each wrong option stands for it."""
    data = tomllib.loads((files(__name__) / "pretest.toml").read_text(encoding="utf-8"))
    for entry in data["item"]:
        for option in entry["option"]:
            option["behind"] = "" if option.get("right") else entry["id"]
    return tuple(_question(entry) for entry in data["item"])


def _written(entry: dict) -> Written:
    rubric = tuple(Criterion(line["points"], line["text"]) for line in entry["rubric"])
    return Written(entry["id"], entry["prompt"], rubric)


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
    """The exercises of a lesson, in order."""
    load(number)
    return import_module(f"course_lib.lessons.lesson_{number}").EXERCISES


def exercise(name: str) -> Exercise:
    """The exercise with this id, such as "01.3"."""
    known = {task.id: task for number in numbers() for task in exercises(number)}
    if name not in known:
        raise ValueError(f"There is no exercise {name!r}. There are: {', '.join(known)}.")
    return known[name]
