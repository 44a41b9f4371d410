"""Whose a file is, by the names that learning platforms, browsers and learners give.

Canvas and Blackboard name every file after its student, Moodle and Brightspace folders or files,
nbgrader's exchange folders; Google Classroom hands out what learners have called their files.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from os.path import commonprefix

MAX_NAME = 1000  # characters of a name that are looked at
_SYSTEM = re.compile(
    r"\._.*|\.DS_Store|__MACOSX|\.Trash.*|\.Spotlight-.*|Thumbs\.db|desktop\.ini|~\$.*|\.~lock.*"
    r"|\.git|\.svn|\.vscode|\.idea|__pycache__|System Volume Information",
    re.I | re.DOTALL,
)

# Canvas: lovelaceada_LATE_12345_67890_01_mdi-1.ipynb, lovelaceada_12345_text.html, anon_x7Yz3_...
_CANVAS = re.compile(
    r"(?P<name>\w+?)(?P<late>_LATE)?_(?P<id>\d+)_(?:\d+_(?P<file>.+)|(?P<page>(?:text|link)\.html))",
    re.DOTALL,
)
_CANVAS_ANONYMOUS = re.compile(
    r"(?P<late>LATE_)?(?P<name>anon_[0-9A-Za-z]+)_(?:\d+_(?P<file>.+)|(?P<page>(?:text|link)\.html))",
    re.DOTALL,
)
# Moodle: Ada Lovelace_12345_assignsubmission_file_/..., the same with the file's name at the end
_MOODLE = re.compile(
    r"(?P<name>.+?)(?:_(?P<id>\d+))?_assignsubmission_(?P<plugin>[a-z]+)(?:_(?P<file>.*))?",
    re.DOTALL,
)
# Brightspace: 12345-67890 - Ada Lovelace - Oct 3, 2026 1159 PM, then perhaps - 01_mdi.ipynb
_BRIGHTSPACE = re.compile(r"(?P<id>\d+)-\d+ - (?P<rest>.+)", re.DOTALL)
_DATE = re.compile(r"\b(?:19|20)\d\d\b\D{0,9}\d{1,2}[:.]?\d\d\b|\b\d{1,2}[:.]?\d\d ?[AP]M\b")
_MONTHS = {
    name: number
    for number, names in enumerate(
        "jan ene gen, feb fév fev, mar mär mrt, apr abr avr, may mai mei mag, jun giu juin,"
        " jul lug juil, aug ago aoû, sep set, oct okt out ott, nov, dec dez déc dic".split(","),
        start=1,
    )
    for name in names.split()
}
# Blackboard: Exercise 01_ada99_attempt_2026-10-03-11-59-00_01_mdi.ipynb, and .txt without a file;
# what follows the first such time is the student's own name for it, whatever that looks like
_BLACKBOARD = re.compile(
    r"(?P<front>.+?)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)", re.DOTALL
)
COMMENTS = "comments.txt"  # what Blackboard's own text is called from here on
_NAMED = re.compile(r"Name: [^\n]{0,200}\(([^()\s]{1,100})\)\s*?$", re.M)  # its first line
# nbgrader: ada+01_mdi+2026-10-03 11:59:00.000000 UTC+random
_EXCHANGE = re.compile(
    r"(?P<name>[^+]+)\+[^+]+\+(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[^+]*)(\+.*)?"
)
_PLATFORMS = (_MOODLE, _BRIGHTSPACE, _EXCHANGE, _BLACKBOARD, _CANVAS_ANONYMOUS, _CANVAS)
_COPY = re.compile(
    r"(?:copy|kopie|copie|copia|cópia) (?:of|von|van|de) |[ _-]+(?:copy|kopie|final)\b"
    r"|\((?:\d{1,3}|new(?: \d+)?)\)",
    re.I,
)
_ENDING = re.compile(r"(?:\.(?:ipynb|json|txt|zip|html?|docx?|pdf|md|py))+$", re.I)
_EDGES = " _-–.,()"


@dataclass(frozen=True)
class Owner:
    """Who handed a file in, when, and what it was called before the platform renamed it."""

    student: str
    file: str = ""  # empty for a folder
    attempt: str = ""  # when, as 2026-10-03T11:59:00 where it can be read
    late: bool | None = None  # None where the name does not tell
    sure: bool = True  # whether the name says whose it is


class Owners:
    """Reads names at the top of an export; what they have in common is no part of a student's."""

    def __init__(
        self, heads: Iterable[str], lesson_names: Iterable[str], texts: Iterable[str] = ()
    ):
        heads = {head[:MAX_NAME] for head in heads}
        votes = {form: sum(bool(form.fullmatch(head)) for head in heads) for form in _PLATFORMS}
        self._forms = sorted(_PLATFORMS, key=lambda form: -votes[form])
        fronts = {m["front"] for head in heads if (m := _BLACKBOARD.fullmatch(head))}
        shared = commonprefix(sorted(fronts)) if len(fronts) > 1 else ""
        self._assignment = shared[: shared.rfind("_") + 1]
        self._usernames = {m[1] for text in texts if (m := _NAMED.match(text))}
        names = sorted(map(re.escape, lesson_names), key=len, reverse=True)
        loose = "|".join(name.replace("_", "[ _-]?") for name in names)
        self._lesson = re.compile(
            rf"(?:exercise[ _-]?)?(?<!\d)(?:{loose})(?:-\d{{1,3}})?(?![a-z\d])", re.I
        )

    def of_platform(self, head: str, *, folder: bool) -> Owner | None:
        """The owner that a platform has written into a name, or None if it is no such name.

        An export is of one platform, the one that explains most of its names: what a student has
        made of the rest of a name counts for nothing.
        """
        head = head[:MAX_NAME]
        for form in self._forms:
            if folder is (form is _EXCHANGE) or form in (_MOODLE, _BRIGHTSPACE):
                if (m := form.fullmatch(head)) and (owner := self._owner(form, m)):
                    return owner
        return None

    def _owner(self, form: re.Pattern, m: re.Match) -> Owner | None:
        if form is _MOODLE:
            return Owner(_with_id(m["name"], m["id"]), m["file"] or "")
        if form is _BRIGHTSPACE:
            return _brightspace(m["id"], m["rest"])
        if form is _EXCHANGE:
            return Owner(m["name"], attempt=m["time"][:19].replace(" ", "T"))
        if form is _BLACKBOARD:
            time = "T".join((m["time"][:10], m["time"][11:].replace("-", ":")))
            return Owner(self._username(m["front"]), m["file"] or COMMENTS, time)
        student = m["name"] if form is _CANVAS_ANONYMOUS else _with_id(m["name"], m["id"])
        return Owner(student, m["file"] or m["page"], late=bool(m["late"]))

    def of_file(self, name: str) -> Owner:
        """The owner of a file that lies loose: what its name says beside the lesson's."""
        stem = _ENDING.sub("", name[:MAX_NAME])
        plain = _COPY.sub(" ", stem)
        rest = self._lesson.sub("\0", plain).split("\0")
        left = " ".join(filter(None, (part.strip(_EDGES) for part in rest)))
        if len(rest) > 1 and left:
            return Owner(left, name)
        if len(rest) == 1 and (plain := " ".join(plain.split()).strip(_EDGES)):
            return Owner(plain, name)
        return Owner(stem.strip() or name, name, sure=False)

    def speaks_of_a_lesson(self, name: str) -> bool:
        """Whether a name has a lesson's name in it."""
        return bool(self._lesson.search(name[:MAX_NAME]))

    def _username(self, front: str) -> str:
        parts = front.split("_")
        for start in range(len(parts)):
            if (name := "_".join(parts[start:])) in self._usernames:
                return name
        if self._assignment and front.startswith(self._assignment):
            return front[len(self._assignment) :]
        return front.rpartition("_")[2]


def is_blackboards_text(name: str) -> bool:
    """Whether it is the text that Blackboard itself writes beside what was handed in."""
    found = _BLACKBOARD.fullmatch(name[:MAX_NAME])
    return bool(found) and found["file"] is None


def _with_id(name: str, number: str | None) -> str:
    return f"{name}_{number}" if number else name


def _brightspace(number: str, rest: str) -> Owner | None:
    """`Ada Lovelace - Oct 3, 2026 1159 PM`, with a number before it or a file's name after it."""
    pieces = rest.split(" - ")
    for when, piece in enumerate(pieces):
        if when and _DATE.search(piece):
            file = " - ".join(pieces[when + 1 :])
            return Owner(_with_id(pieces[when - 1], number), file, _sortable(piece))
    return None


def _sortable(date: str) -> str:
    """`Oct 3, 2026 1159 PM` and its like in other languages as 2026-10-03T23:59:00."""
    year = re.search(r"\b(?:19|20)\d\d\b", date)
    words = [word.casefold() for word in re.findall(r"[^\W\d_]+", date)]
    months = [_MONTHS[w[:n]] for w in words for n in (4, 3) if w[:n] in _MONTHS]
    day = re.search(r"\b\d{1,2}\b", date)
    time = re.search(r"\b(\d{1,2})[:.]?(\d\d)\b", date[year.end() :]) if year else None
    if not (months and day and time):
        return date
    hour = int(time[1]) % 12 if {"am", "pm"} & set(words) else int(time[1])
    hour += 12 * ("pm" in words)
    day_text = f"{year[0]}-{months[0]:02d}-{int(day[0]):02d}"
    return f"{day_text}T{hour:02d}:{time[2]}:00"


def made_by_a_program(parts: tuple[str, ...]) -> str:
    """Why a file is nothing that somebody has handed in; empty if it may be."""
    if any(_SYSTEM.fullmatch(part) for part in parts):
        return "A program or the operating system has put it there."
    return "It is a checkpoint that Jupyter keeps." if ".ipynb_checkpoints" in parts else ""


def copy_number(name: str) -> int:
    """The number that a browser or a platform gives a further copy: `x (2)`, `x-2`.

    >>> copy_number("01_mdi (2).ipynb"), copy_number("01_mdi-1.ipynb"), copy_number("01_mdi.ipynb")
    (2, 1, 0)
    """
    found = re.search(r"(?:\((\d{1,3})\)|-(\d{1,3}))$", _ENDING.sub("", name[:MAX_NAME]))
    return int(found[1] or found[2]) if found else 0
