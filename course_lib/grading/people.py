"""Who is on a class list, and whom the name of a submission means."""

import re
import unicodedata
from dataclasses import dataclass

from course_lib.grading.spreadsheet import Table

FIRST = {"first name", "firstname", "given name", "vorname", "prénom", "nombre", "voornaam", "nome"}
LAST = {"last name", "lastname", "surname", "family name", "nachname", "nom", "apellidos"}
LAST |= {"apellido(s)", "achternaam", "cognome", "name"}
FULL = {"student", "full name", "fullname", "name", "student name", "vollständiger name"}
FULL |= {"nom complet", "nombre completo", "volledige naam", "nome completo"}
IDS = re.compile(
    r"\b(?:id|login|user|username|benutzername|identifier|e-?mail.*|number|nummer"
    r"|matri[ck]\w*|student ?id|\w*id)\b",
    re.I,
)
POSSIBLE = "Points Possible"
TEST_STUDENT = {"Student, Test", "Test Student"}
_FIRST = re.compile(r"(?P<number>\d+)[ _-]+(?P<name>.+)", re.DOTALL)
_LAST = re.compile(r"(?P<name>.+?)[ _-]+(?P<number>\d+)", re.DOTALL)


@dataclass(frozen=True)
class Person:
    """A row of the class list."""

    row: int
    name: str  # as the list has it
    names: frozenset[str]  # squeezed, in both orders
    ids: frozenset[str]


def people_of(table: Table) -> list[Person]:
    """The people of a class list; none if it has no columns with names and ids."""
    header = [name.strip().lower() for name in table.header]
    first = [k for k, name in enumerate(header) if name in FIRST]
    full = [k for k, name in enumerate(header) if name in FULL]
    last = [k for k, name in enumerate(header) if name in LAST and k not in first]
    if first and last:
        full = [k for k in full if k not in last]
    ids = [k for k, name in enumerate(header) if IDS.search(name) and k not in (*first, *last)]
    if not (full or (first and last)) or not ids:
        return []
    people, participants = [], has_participants(table)
    for number, row in enumerate(table.rows):
        named = [row[k].strip() for k in full if row[k].strip()]
        if first and last and (row[first[0]] or row[last[0]]):
            named.append(f"{row[first[0]]} {row[last[0]]}".strip())
        own = {_id(row[k]) for k in ids}
        own |= {text.partition("@")[0] for text in own}
        if participants:
            own |= set(re.findall(r"\d+$", row[0]))
        own -= {""}
        if not named or POSSIBLE in row[0] or not own or named[0] in TEST_STUDENT:
            continue
        names = frozenset(form for name in named for form in _orders(name))
        people.append(Person(number, named[0], names, frozenset(own)))
    return people


def fitting_people(people: list[Person], student: str, *, by_number: bool) -> list[Person]:
    """The people whom a submission's name may mean: by id, by number, by name.

    `by_number` is for platforms that put their own number of a person into the name.
    """
    if exact := [p for p in people if _id(student) in p.ids]:
        return exact
    splits = [m for m in (_LAST.fullmatch(student), _FIRST.fullmatch(student)) if m]
    for split in splits:
        numbered = [p for p in people if split["number"] in p.ids]
        if both := [p for p in numbered if _squeezed(split["name"]) in p.names]:
            return both
    whole = [p for p in people if _squeezed(student) in p.names]
    numbered = [p for p in people if {m["number"] for m in splits} & p.ids]
    if splits and by_number:
        return whole + [p for p in numbered if p not in whole]
    named = {_squeezed(m["name"]) for m in splits}
    return whole or [p for p in people if named & p.names]


def has_participants(table: Table) -> bool:
    """Whether the first column is Moodle's `Participant 123`, in whatever language."""
    cells = [row[0].strip() for row in table.rows]
    words = {cell.rstrip("0123456789") for cell in cells}
    return len(words) == 1 and len(*words) > 4 and all(cell[-1:].isdigit() for cell in cells)


def _id(cell: str) -> str:
    """An id as it is compared; Brightspace writes `#123`."""
    return cell.strip().lstrip("#'").casefold()


def _orders(name: str) -> set[str]:
    """A name squeezed as `adalovelace` and as `lovelaceada`."""
    last, comma, first = name.partition(",")
    words = name.split()
    turned = f"{first} {last}" if comma else f"{words[-1]} {' '.join(words[:-1])}"
    return {_squeezed(name), _squeezed(turned)} - {""}


def _squeezed(name: str) -> str:
    """A name by its letters and digits alone, without accents."""
    apart = unicodedata.normalize("NFKD", name).casefold()
    return "".join(c for c in apart if c.isalnum())
