"""The cases that one submission is judged by: drawn for it alone, and packed for the box.

A draw comes from the secret of the batch and from what was handed in, so the same submission gets
the same cases again, and another attempt gets others. All draws are alike in what they tell apart.
Only arguments enter the box, made here; nothing there knows how they are drawn or what is right.
"""

import hashlib
from dataclasses import dataclass
from functools import cache

from course_lib.lessons.exercise import PUBLIC_SEED, Exercise
from course_lib.lessons.judgement import AnswerKey
from course_lib.lessons.packing import pack
from course_lib.lessons.response import shortened

MAX_DRAWS = 50


def seed_from(secret: int, *parts: bytes) -> int:
    """A seed from a secret and whatever else it shall depend on."""
    total = hashlib.sha256(str(secret).encode())
    for part in parts:
        total.update(hashlib.sha256(part).digest())
    return int.from_bytes(total.digest()[:8], "big") >> 1


@dataclass(frozen=True)
class Draw:
    """The key to an exercise, and its cases as the box gets them."""

    key: AnswerKey
    calls: dict  # plain JSON


def draw(exercise: Exercise, seed: int) -> Draw:
    """The cases that a seed gives; draws that let a known slip or a constant pass are not taken."""
    slips = {slip.name for slip in exercise.slips} | {"a constant"}
    for attempt in range(MAX_DRAWS):
        found = _drawn(exercise, seed_from(seed, str(attempt).encode()))
        if not exercise.is_function or slips <= found.key.told_apart:
            break
    return found


@cache
def public_draw(exercise: Exercise) -> Draw:
    """The cases that everybody knows from the notebook."""
    return _drawn(exercise, PUBLIC_SEED)


def _drawn(exercise: Exercise, seed: int) -> Draw:
    key = AnswerKey(exercise, seed)
    if not exercise.is_function:
        return Draw(key, {"packed": None, "given": [], "blanks": exercise.blanks})
    packed = [pack(arguments) for arguments in key.arguments]
    given = [shortened(exercise.describe(case)) for case in key.cases]
    return Draw(key, {"packed": packed, "given": given, "blanks": exercise.blanks})
