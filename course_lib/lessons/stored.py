"""Exercises of the student edition: the public cases with their answers, and no formula.

`lesson_NN.json` holds of each public case its arguments, what is expected and what each slip gives.
From it come exercises like any others, which the same judgement judges; they can be checked and
not graded, since grading draws cases of its own.
"""

import json
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version

from course_lib.lessons import sealing
from course_lib.lessons.exercise import PUBLIC_SEED, Case, Exercise, Slip, Stored
from course_lib.lessons.judgement import AnswerKey
from course_lib.lessons.packing import pack, unpack
from course_lib.lessons.values import decode, encode

COMPUTING = ("numpy", "pandas", "scikit-learn", "scipy")  # what packed arguments are made of
PLAIN = ("id", "title", "points", "expects", "blanks", "rtol", "atol")


class StoredError(RuntimeError):
    """What was stored cannot be read here; the message says why and what to do."""


@dataclass(frozen=True)
class StoredExercise(Exercise):
    """An exercise that knows the answers to its public cases by heart."""

    public: tuple[Case, ...] = field(default=(), compare=False)  # empty if it asks for a value
    names: tuple[str, ...] = ()  # of the arguments

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names that the task gives to its arguments."""
        return self.names

    @property
    def is_function(self) -> bool:
        """Whether the answer is a function, called on every case, or a single value."""
        return bool(self.public)

    def cases(self, seed: int = PUBLIC_SEED) -> list[Case]:
        """The public cases; there are no others here."""
        if seed != PUBLIC_SEED:
            raise ValueError("The student edition has the public cases only. Leave out the seed.")
        return list(self.public) if self.public else [{}]


# Writing


def to_json(exercises: tuple[Exercise, ...]) -> str:
    """What the student edition keeps of the exercises of a lesson."""
    data = {
        "made_with": {name: version(name) for name in COMPUTING},
        "exercises": [_entry(exercise) for exercise in exercises],
    }
    return json.dumps(data, ensure_ascii=False) + "\n"


def _entry(exercise: Exercise) -> dict:
    key = AnswerKey(exercise, PUBLIC_SEED)
    pairs = zip(key.cases, key.arguments, strict=True) if exercise.is_function else ()
    return {name: getattr(exercise, name) for name in PLAIN} | {
        "hints": exercise.hints,
        "names": exercise.parameters,
        "cases": [{"given": exercise.describe(c), "packed": pack(a)} for c, a in pairs],
        "wanted": _answers(exercise, key.wanted),
        "slips": [
            {"name": slip.name, "hint": slip.hint, "behind": slip.behind}
            | {"answers": _answers(exercise, values)}
            for slip, values in key.slips
        ],
    }


def _answers(exercise: Exercise, values: tuple) -> list:
    if exercise.is_function:
        return [encode(value) for value in values]
    return [sealing.to_json(sealing.seal(value, exercise.id)) for value in values]


# Reading


def from_json(text: str) -> tuple[Exercise, ...]:
    """The exercises behind what `to_json` gave."""
    data = json.loads(text)
    return tuple(_exercise(entry, data["made_with"]) for entry in data["exercises"])


def _exercise(entry: dict, made_with: dict[str, str]) -> StoredExercise:
    read = decode if entry["cases"] else sealing.from_json
    slips = [
        Slip(one["name"], Stored(tuple(map(read, one["answers"]))), one["hint"], one["behind"])
        for one in entry["slips"]
    ]
    return StoredExercise(
        **{name: entry[name] for name in PLAIN},
        reference=Stored(tuple(map(read, entry["wanted"]))),
        hints=tuple(entry["hints"]),
        slips=tuple(slips),
        inputs=partial(_inputs, made_with),
        describe=lambda case: case.get("given", ""),
        public=tuple(entry["cases"]),
        names=tuple(entry["names"]),
    )


def _inputs(made_with: dict[str, str], case: Case) -> tuple:
    try:
        return unpack(case["packed"])
    except Exception as error:  # a pickle of other versions can fail in any way
        raise StoredError(_other_versions(made_with, error)) from None


def _other_versions(made_with: dict[str, str], error: Exception) -> str:
    others = [
        f"{name} {made}, and here is {version(name)}"
        for name, made in made_with.items()
        if version(name) != made
    ]
    why = f"They were made with {'; '.join(others)}" if others else f"{type(error).__name__}"
    return (
        f"The cases of this exercise cannot be read. {why}. Start the course with ./course lab, "
        f"which installs the versions of requirements.lock."
    )
