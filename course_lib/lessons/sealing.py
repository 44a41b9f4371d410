"""Answers in words that can be recognised and not read, for an edition that knows no answer.

A number on a public case gives away no formula, but a set of letters is the answer itself. Sealed,
it is a digest beside a value of the same form, by which a wrong answer can still be told that its
spelling is not the task's. Whoever tries out all sets of letters finds it, as with `check` itself.
"""

import hashlib
from dataclasses import dataclass

from course_lib.lessons.values import decode, encode


@dataclass(frozen=True)
class Sealed:
    """A text or a set of texts: what it looks like, and by what it is recognised."""

    form: str | frozenset
    salt: str
    digest: str

    def opens(self, value) -> bool:
        """Whether a plain value is the one that was sealed."""
        kinds = str if isinstance(self.form, str) else frozenset | list | tuple
        return isinstance(value, kinds) and _digest(value, self.salt) == self.digest


def seal(value, salt: str):
    """A plain value of texts, sealed part by part; TypeError for any other."""
    if isinstance(value, dict):
        return {key: seal(part, f"{salt} {key}") for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [seal(part, f"{salt} {place}") for place, part in enumerate(value)]
    if isinstance(value, str):
        return Sealed(spelling(value), salt, _digest(value, salt))
    if isinstance(value, frozenset) and all(isinstance(part, str) for part in value):
        return Sealed(_alike(value), salt, _digest(value, salt))
    raise TypeError(
        f"The answer to {salt} cannot be kept from whoever reads it: it is {value!r}. Ask for "
        f"texts, for a set, a list or a dictionary of them, or for a function."
    )


def unsealed(wanted):
    """A value to compare forms with: of something sealed, one that looks the same."""
    return wanted.form if isinstance(wanted, Sealed) else wanted


def to_json(sealed) -> dict:
    """What `seal` gave, as plain JSON."""
    if isinstance(sealed, dict):
        return {"parts": {key: to_json(part) for key, part in sealed.items()}}
    if isinstance(sealed, list):
        return {"entries": [to_json(part) for part in sealed]}
    return {"form": encode(sealed.form), "salt": sealed.salt, "digest": sealed.digest}


def from_json(data: dict):
    """What was sealed, from plain JSON."""
    if "parts" in data:
        return {key: from_json(part) for key, part in data["parts"].items()}
    if "entries" in data:
        return [from_json(part) for part in data["entries"]]
    return Sealed(decode(data["form"]), data["salt"], data["digest"])


def spelling(text: str) -> str:
    """A text with A for each capital letter, a for each small one, 0 for each digit.

    >>> spelling("DI via"), spelling("Q1")
    ('AA aaa', 'A0')
    """
    classes = (("A", str.isupper), ("a", str.islower), ("0", str.isdigit))
    return "".join(next((c for c, test in classes if test(letter)), letter) for letter in text)


def _alike(texts: frozenset) -> frozenset:
    """One text of each spelling: how many there are would be half of the answer."""
    return frozenset(map(spelling, texts))


def _digest(value, salt: str) -> str:
    parts = [value] if isinstance(value, str) else sorted(map(repr, set(value)))
    return hashlib.sha256(repr((salt, parts)).encode()).hexdigest()[:32]
