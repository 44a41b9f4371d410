"""From the tables of a toml file to typed records; what does not fit is refused by its place."""

import re
import tomllib
from dataclasses import MISSING, Field, field, fields, is_dataclass
from importlib.resources.abc import Traversable
from types import UnionType
from typing import get_args, get_origin, get_type_hints

from course_lib.files import EncodingError, read_text
from course_lib.lessons.ties import TieError, ties, untied

ASKED = ("predictions", "statements")  # whose ties are asked after the cells that show them
TYPES = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


class LessonFileError(ValueError):
    """A lesson's file makes no sense; the message names file, place and what is allowed."""


class FieldError(ValueError):
    """A value that makes no sense; the message names its field, what was given, what is allowed."""


def means(about: str, **default) -> Field:
    """A field with what it means."""
    return field(metadata={"about": about}, **default)


def refuse_unless(fits: bool, name: str, given, allowed: str) -> None:
    """Raise a FieldError that names the field `name`, unless its value fits."""
    if not fits:
        raise FieldError(f"field {name} must be {allowed}; got {in_words(given)}.")


def in_words(value, last: str = "and") -> str:
    """A value as the author of a toml file has written it, and a list of them as one says it.

    >>> in_words(("yes", "no", "it depends"), last="or")
    '"yes", "no" or "it depends"'
    """
    if isinstance(value, list | tuple):
        *others, final = map(in_words, value) if value else ["none"]
        return f"{', '.join(others)} {last} {final}" if others else final
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value).removesuffix(".0")


def read_record(record: type, file: Traversable):
    """The record that a toml file holds."""
    try:
        entry = tomllib.loads(text := read_text(file))
    except tomllib.TOMLDecodeError as error:
        raise LessonFileError(f"{file.name} is not toml: {error}{_line_of(error, text)}.") from None
    except EncodingError as error:
        raise LessonFileError(str(error)) from None
    made = record_of(record, entry, file.name)
    _refuse_unasked_ties(entry, file.name)
    return made


def _line_of(error: Exception, text: str) -> str:
    """The line that an error names by its number, to be found by its words as well."""
    place = re.search(r"line (\d+)", str(error))
    return f": {text.splitlines()[int(place[1]) - 1].strip()[:60]!r}" if place else ""


def _refuse_unasked_ties(entry: dict, where: str) -> None:
    """No cell of a lesson shows the rest of its file, so nothing there could be checked."""
    for name in entry.keys() - ASKED:
        for tie in (tie for text in texts_in(entry[name]) for tie in ties(text)):
            raise LessonFileError(
                f"{where}, {name}: {tie.sentence!r} is tied to {tie.expression}, and this is "
                f"checked nowhere. Only {' and '.join(ASKED)} take ties; write this without braces."
            )


def texts_in(entry) -> list[str]:
    """All texts in a table of a toml file, whatever their depth."""
    if isinstance(entry, str):
        return [entry]
    inner = entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ()
    return [text for one in inner for text in texts_in(one)]


def record_of(record: type, entry: dict, where: str):
    """The record with the fields of a table; `where` names the table in a message.

    Examples
    --------
    >>> from course_lib.lessons.schema import Criterion
    >>> record_of(Criterion, {"points": 1, "text": "Names the question."}, "lesson_01.toml")
    Criterion(points=1, text='Names the question.')
    """
    if not isinstance(entry, dict):
        raise LessonFileError(f"{where} must be a table; got {in_words(entry)}.")
    known = {one.name: one for one in fields(record)}
    if unknown := [name for name in entry if name not in known]:
        raise LessonFileError(
            f"{where}: there is no field {unknown[0]}. There are: {', '.join(known)}."
        )
    for name, one in known.items():
        if name not in entry and one.default is MISSING:
            raise LessonFileError(
                f"{where}: field {name} is missing; it is {one.metadata['about']}."
            )
    hints = get_type_hints(record)
    values = {name: _value(hints[name], value, where, name) for name, value in entry.items()}
    try:
        return record(**values)
    except FieldError as error:
        raise LessonFileError(f"{where}: {error}") from None


def _value(wanted, value, where: str, name: str):
    """The value in the type of its field."""
    if is_dataclass(wanted):
        return record_of(wanted, value, f"{where}, {name}")
    allowed = get_args(wanted) if isinstance(wanted, UnionType) else (wanted,)
    found = next((one for one in allowed if _fits(one, value)), None)
    if found is None:
        raise LessonFileError(
            f"{where}: field {name} must be {type_in_words(wanted)}; got {in_words(value)}."
        )
    if found is str:
        return _untied(value, where, name)
    if get_origin(found) is not tuple:
        return found(value)
    inner = get_args(found)[0]
    return tuple(
        _value(inner, one, where, f"{name} {_label(one, place)}")
        for place, one in enumerate(value, start=1)
    )


def _untied(text: str, where: str, name: str) -> str:
    try:
        return untied(text)
    except TieError as error:
        raise LessonFileError(
            f"{where}: field {name} must have its ties as they are written: {error}"
        ) from None


def _fits(wanted, value) -> bool:
    if get_origin(wanted) is tuple:
        return isinstance(value, list) and value != []
    if wanted is str:
        return isinstance(value, str) and value.strip() != ""
    return type(value) is wanted or (wanted is float and type(value) is int)


def _label(entry, place: int):
    """What an entry of a list is called in a message: by its id, else by its place."""
    return entry.get("id", place) if isinstance(entry, dict) else place


def table_of(wanted) -> type | None:
    """The record behind a field that is a table or a list of tables."""
    inner = get_args(wanted)[0] if get_origin(wanted) is tuple else wanted
    return inner if is_dataclass(inner) else None


def type_in_words(wanted) -> str:
    """What a field has to be.

    >>> type_in_words(str | tuple[str, ...])
    'a text or a list of texts'
    """
    if isinstance(wanted, UnionType):
        return " or ".join(map(type_in_words, get_args(wanted)))
    several = get_origin(wanted) is tuple
    if table_of(wanted):
        return "a list of tables" if several else "a table"
    return "a list of texts" if several else TYPES[wanted]
