"""Answers that a person reads: a table to fill in, read back when it is filled."""

import csv
import io
from dataclasses import dataclass, field
from pathlib import Path

from course_lib.files import write_atomically

COLUMNS = ("student", "lesson", "task", "points", "max_points", "comment", "answer")


class WrittenError(ValueError):
    """written.csv exists but cannot be read; it is left alone."""


@dataclass
class Marks:
    """What a reader gave: points and comments by student, lesson and task."""

    given: dict[tuple[str, str, str], tuple[str, str]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def points(self, result: dict, written: dict) -> float | None:
        """The points for one written answer, or None if it is not marked."""
        text, _ = self.given.get(_key(result["student"], result["name"], written["task"]), ("", ""))
        try:
            value = float(text.replace(",", "."))
        except ValueError:
            return None
        return value if 0 <= value <= written["max_points"] else None

    def comment(self, result: dict, written: dict) -> str:
        """What the reader wrote beside the points."""
        return self.given.get(_key(result["student"], result["name"], written["task"]), ("", ""))[1]

    def total(self, result: dict) -> str:
        """All written points of a result as text, empty until every answer is marked."""
        values = [self.points(result, w) for w in result["written"]]
        return "" if not values or None in values else f"{sum(values):g}"

    def check(self, result: dict) -> None:
        """Warn of points that are no number between 0 and the maximum."""
        for w in result["written"]:
            text, _ = self.given.get(_key(result["student"], result["name"], w["task"]), ("", ""))
            if text and self.points(result, w) is None:
                self.warnings.append(
                    f"written.csv, {result['student']}, {w['task']}: {text!r} is not a number from "
                    f"0 to {w['max_points']}. Correct it and run the same command again."
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
        given = {
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
    return Marks(given)


def write_sheet(path: Path, rows: list[tuple[dict, dict]], marks: Marks) -> None:
    """Write the table of all written answers; what was filled in stays as it was typed.

    `rows` are pairs of a result and one of its written answers.
    """
    from course_lib.grading.tables import neutral

    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    for result, w in rows:
        points, comment = marks.given.get(
            _key(result["student"], result["name"], w["task"]), ("", "")
        )
        front = [neutral(result["student"]), result["name"], w["task"], points, w["max_points"]]
        writer.writerow([*front, comment, neutral(w["answer"])])
    if not path.exists() or path.read_bytes() != buffer.getvalue().encode():
        write_atomically(path, buffer.getvalue())
