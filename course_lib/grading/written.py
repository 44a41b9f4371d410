"""Answers that a person reads: a table to fill in, read back when it is filled.

What somebody typed is never lost: a row that is not understood stays in the table and is said.
"""

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from course_lib.grading.records import Result, WrittenResult
from course_lib.grading.spreadsheet import TableError, neutral, read_table, write_table

COLUMNS = ("student", "lesson", "task", "points", "max_points", "comment", "answer", "version")
OWN = {"student", "lesson", "task", "max_points", "answer", "version"}  # not written by hand
MAX_CELL = 30_000  # characters; spreadsheets cut a cell at 32,767
MAX_SAID = 5
_IMAGE = re.compile(r"data:image/[\w.+-]{1,20};base64,[A-Za-z0-9+/=]*")
_ATTACHED = re.compile(r"!\[[^\[\]\n]{0,200}\]\(attachment:[^()\n]{0,200}\)")
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}([.,][0-9]{0,9})?|[.,][0-9]{1,9}")
Key = tuple[str, str, str]  # student, lesson, task


class WrittenError(ValueError):
    """written.csv exists but cannot be read; it is left alone."""


@dataclass(frozen=True)
class Row:
    """A row of the table as it was read."""

    cells: dict[str, str]

    @property
    def typed(self) -> tuple[tuple[str, str], ...]:
        """What somebody filled in, by column."""
        return tuple((k, v) for k, v in self.cells.items() if k not in OWN and v.strip())

    @property
    def task(self) -> tuple[str, str]:
        """The lesson and the task of the answer."""
        return self.cells["lesson"].strip(), self.cells["task"].strip()

    def __str__(self) -> str:
        return " ".join(self.cells[name] for name in ("student", "task"))


@dataclass
class Marks:
    """What a reader gave: points and comments by student, lesson and task, as they were typed."""

    entries: dict[Key, tuple[str, str]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)  # as they are in the file
    kept: list[Row] = field(default_factory=list)  # those that belong to no answer
    more: dict[Key, dict[str, str]] = field(default_factory=dict)  # columns that somebody added

    def entry(self, student: str, name: str, task: str) -> tuple[str, str]:
        """Points and comment for one written answer, both empty if it is not marked."""
        exact = self.entries.get((student, name, task))
        return exact or self.entries.get((neutral(student), name, task), ("", ""))

    def points(self, result: Result, written: WrittenResult) -> float | None:
        """The points for one written answer, or None if it is not marked."""
        text, _ = self.entry(result.student, result.name, written.task)
        if not _NUMBER.fullmatch(text):
            return None
        value = float(text.replace(",", "."))
        return value if 0 <= value <= written.max_points else None

    def comment(self, result: Result, written: WrittenResult) -> str:
        """What the reader wrote beside the points."""
        return self.entry(result.student, result.name, written.task)[1]

    def total(self, result: Result) -> str:
        """All written points of a result as text, empty until every answer is marked."""
        values = [self.points(result, w) for w in result.written]
        return "" if not values or None in values else f"{sum(values):g}"

    def check(self, result: Result) -> None:
        """Warn of points that are no number between 0 and the maximum."""
        for w in result.written:
            text, _ = self.entry(result.student, result.name, w.task)
            if text and self.points(result, w) is None:
                self.warnings.append(
                    f"written.csv, {result.student}, {w.task}: {text!r} is not a number from "
                    f"0 to {w.max_points}. Correct it and run the same command again."
                )

    def assign(self, answers: Iterable[tuple[str, str, WrittenResult]]) -> None:
        """Give each row to the answer it was typed for, however a spreadsheet has changed it.

        `answers` are triples of a student, the name of a lesson, and a written answer. A row that
        fits nobody or more than one, and rows that contradict each other, are kept and said.
        """
        texts = {(student, name, w.task): w.answer for student, name, w in answers}
        students = defaultdict(list)
        for student, name, task in texts:
            students[name, task].append(student)
        found, self.kept = defaultdict(list), []
        matchers = {key: _Matcher(names) for key, names in students.items()}
        for row in self.rows:
            if matcher := matchers.get(row.task):
                matcher.cells.add(row.cells["student"])
        for row in self.rows:
            name, task = row.task
            matcher = matchers.get(row.task)
            student = matcher.find(row.cells["student"]) if matcher else None
            if student is not None and (rivals := matcher.rivals(student)):
                fit = [s for s in rivals if _has_version(row, texts[s, name, task])]
                student = fit[0] if len(fit) == 1 else None
            if student is not None:
                found[student, name, task].append(row)
            elif row.typed:
                self.kept.append(row)
        self._warn_of_kept()
        self.entries, self.more = {}, {}
        for key, rows in found.items():
            self._take(key, rows, texts[key])

    def _take(self, key: Key, rows: list[Row], answer: str) -> None:
        typed = {row.typed: row for row in rows if row.typed}
        if len(typed) > 1:
            self.kept += typed.values()
            self.warnings.append(
                f"written.csv has {len(typed)} rows for {key[0]}, {key[2]}, that differ; none of "
                f"them counts. They are at its end: delete all but one, and run it again."
            )
        elif typed:
            (row,) = typed.values()
            cells = row.cells
            self.entries[key] = (cells["points"].strip(), cells["comment"])
            self.more[key] = {k: v for k, v in cells.items() if k not in COLUMNS}
            if _is_another(row, answer):
                self.warnings.append(
                    f"written.csv, {key[0]}, {key[2]}: the answer is another one than when it was "
                    f"marked. The mark is kept; read the answer again."
                )

    def _warn_of_kept(self) -> None:
        if self.kept:
            said = ", ".join(map(str, self.kept[:MAX_SAID]))
            more = f" and {len(self.kept) - MAX_SAID} more" if len(self.kept) > MAX_SAID else ""
            self.warnings.append(
                f"written.csv has marks that fit no answer, or more than one: {said}{more}. They "
                f"do not count and are kept at its end; correct the name of the student there."
            )


class _Matcher:
    """Finds the student that a cell means, if there is exactly one."""

    def __init__(self, students: list[str]):
        self._tables, self.cells = [], set()  # the cells of the sheet, as they stand there now
        for view in _VIEWS:
            table = defaultdict(set)
            for student in students:
                table[view(student)].add(student)
            self._tables.append((view, table))
        self._exact = {neutral(student): student for student in students}

    def find(self, cell: str) -> str | None:
        if cell in self._exact:
            return self._exact[cell]
        for view, table in self._tables:
            if fitting := table.get(view(cell)):
                return next(iter(fitting)) if len(fitting) == 1 else None
        return None

    def rivals(self, student: str) -> list[str]:
        """Students, this one among them, whose numbers are one without zeros, if some are lost."""
        table = next(table for view, table in self._tables if view is _without_zeros)
        alike = sorted(table[_without_zeros(student)])
        lost = any(neutral(one) not in self.cells for one in alike)
        return alike if len(alike) > 1 and lost else []


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _without_quotes(text: str) -> str:
    return _plain(text).lstrip("'")


def _without_zeros(text: str) -> str:
    """A number as a spreadsheet keeps it."""
    text = _without_quotes(text)
    return text.removesuffix(".0").lstrip("0") if text.removesuffix(".0").isdigit() else text


def _reread(text: str) -> str:
    """UTF-8 that was read as Windows' encoding, put right."""
    try:
        return _plain(text.encode("cp1252").decode("utf-8"))
    except UnicodeError:
        return _plain(text)


def _ascii(text: str) -> str:
    """What is left where an encoding has no place for a letter."""
    return _plain(text).encode("ascii", "replace").decode()


_VIEWS: tuple[Callable[[str], str], ...] = (
    *(str, _plain, _without_quotes, _without_zeros),
    *(_reread, _ascii),
)


def version(answer: str) -> str:
    """A short name of an answer's whole text: letters alone, which no spreadsheet changes."""
    digest = hashlib.sha256(" ".join(answer.split()).encode()).digest()
    return "".join(chr(ord("a") + half) for byte in digest[:6] for half in divmod(byte, 16))


def _has_version(row: Row, answer: str) -> bool:
    """Whether the row names the version of this answer."""
    return row.cells.get("version", "").strip().lower() == version(answer)


def _is_another(row: Row, answer: str) -> bool:
    """Whether this is another answer than the one that the row shows."""
    if row.cells.get("version", "").strip():
        return not _has_version(row, answer)
    return "answer" in row.cells and _differ(row.cells["answer"], sheet_text(answer))


def _differ(before: str, now: str) -> bool:
    """Whether a text has changed; what a spreadsheet or its encoding may change is left out."""
    new = "".join(_without_quotes(now).split())
    for view in (_without_quotes, _reread):
        old = "".join(view(before).split())
        same = (a == b or (a == "?" and not b.isascii()) for a, b in zip(old, new, strict=False))
        if len(old) == len(new) and all(same):
            return False
    return True


def read_marks(path: Path) -> Marks:
    """Read what was filled in, whatever delimiter and encoding a spreadsheet has chosen."""
    if not path.exists():
        return Marks()
    try:
        table = read_table(path)
        header = [name.strip().lower() for name in table.header]
        if missing := {"student", "lesson", "task", "points"} - set(header):
            raise TableError(f"It lacks the column {', '.join(sorted(missing))}.")
    except TableError as error:
        raise WrittenError(
            f"{path} cannot be read. {error} It needs the columns "
            f"{', '.join(COLUMNS)}, saved as CSV. Repair it or move it away."
        ) from None
    columns = {}
    for k, name in enumerate(header):
        if name or any(cells[k].strip() for cells in table.rows):
            columns[name if name and name not in columns else f"{name or 'column'} {k + 1}"] = k
    blank = dict.fromkeys((name for name in COLUMNS if name not in ("answer", "version")), "")
    rows = [Row(blank | {name: cells[k] for name, k in columns.items()}) for cells in table.rows]
    entries = {
        (c["student"], c["lesson"], c["task"]): (c["points"].strip(), c["comment"])
        for c in (row.cells for row in rows)
    }
    return Marks(entries, rows=rows)


def sheet_text(answer: str) -> str:
    """An answer as the table shows it: without pictures, not longer than a cell may be."""
    text = _ATTACHED.sub("[picture, see the notebook]", _IMAGE.sub("[picture]", answer))
    if len(text) > MAX_CELL:
        text = text[:MAX_CELL] + "\n[shortened; the whole answer is in the folder results]"
    return neutral(text)


def write_sheet(path: Path, rows: list[tuple[str, str, WrittenResult]], marks: Marks) -> None:
    """Write the table of all written answers; what was filled in stays as it was typed.

    `rows` are triples of a student, the name of a lesson, and a written answer.
    """
    more = list(dict.fromkeys(k for row in marks.rows for k in row.cells if k not in COLUMNS))
    table = []
    for student, name, w in rows:
        points, comment = marks.entry(student, name, w.task)
        front = [neutral(student), name, w.task, points, w.max_points]
        added = marks.more.get((student, name, w.task), {})
        text = [sheet_text(w.answer), version(w.answer)]
        table.append([*front, comment, *text, *(added.get(k, "") for k in more)])
    table += [[row.cells.get(name, "") for name in (*COLUMNS, *more)] for row in marks.kept]
    write_table(path, (*COLUMNS, *more), table, bom=True)
