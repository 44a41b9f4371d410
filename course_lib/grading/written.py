"""Answers that a person reads: a table to fill in, read back when it is filled."""

import csv
import io
from dataclasses import dataclass, field
from pathlib import Path

from course_lib.grading.records import Result, WrittenResult
from course_lib.grading.spreadsheet import neutral, write_table

COLUMNS = ("student", "lesson", "task", "points", "max_points", "comment", "answer")


class WrittenError(ValueError):
    """written.csv exists but cannot be read; it is left alone."""


@dataclass
class Marks:
    """What a reader gave: points and comments by student, lesson and task, as they were typed."""

    entries: dict[tuple[str, str, str], tuple[str, str]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def entry(self, student: str, name: str, task: str) -> tuple[str, str]:
        """Points and comment for one written answer, both empty if it is not marked."""
        return self.entries.get(_key(student, name, task), ("", ""))

    def points(self, result: Result, written: WrittenResult) -> float | None:
        """The points for one written answer, or None if it is not marked."""
        text, _ = self.entry(result.student, result.name, written.task)
        try:
            value = float(text.replace(",", "."))
        except ValueError:
            return None
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


def _key(student: str, lesson: str, task: str) -> tuple[str, str, str]:
    """Spreadsheets drop the quote that protects a text from being a formula."""
    return student.lstrip("'"), lesson, task


def read_marks(path: Path) -> Marks:
    """Read what was filled in; commas, semicolons and tabs between columns are all fine."""
    if not path.exists():
        return Marks()
    try:
        text = path.read_text(encoding="utf-8-sig")
        header = text.partition("\n")[0]
        delimiter = max(",;\t", key=header.count)
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))
        entries = {
            _key(row["student"], row["lesson"], row["task"]): (
                (row["points"] or "").strip(),
                row.get("comment") or "",
            )
            for row in rows
        }
    except (KeyError, TypeError, AttributeError, UnicodeDecodeError, csv.Error) as error:
        raise WrittenError(
            f"{path} cannot be read ({type(error).__name__}). It needs the columns "
            f"{', '.join(COLUMNS)}, saved as CSV in UTF-8. Repair it or move it away."
        ) from None
    return Marks(entries)


def write_sheet(path: Path, rows: list[tuple[str, str, WrittenResult]], marks: Marks) -> None:
    """Write the table of all written answers; what was filled in stays as it was typed.

    `rows` are triples of a student, the name of a lesson, and a written answer.
    """
    table = []
    for student, name, w in rows:
        points, comment = marks.entry(student, name, w.task)
        front = [neutral(student), name, w.task, points, w.max_points]
        table.append([*front, comment, neutral(w.answer)])
    write_table(path, COLUMNS, table)
