"""Taking a student out of a folder of results, as data protection may ask."""

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from course_lib.grading.engine import BatchError
from course_lib.grading.publishing import ATTEMPTS
from course_lib.grading.returning import MOODLE
from course_lib.grading.spreadsheet import Table, neutral, read_table
from course_lib.grading.submissions import Export, safe_name

FOLDERS = ("feedback", "results")
TABLES = ("written.csv", "grades.csv")  # which have a column "student"
MAX_ATTEMPTS = 200
MADE_FOR_A_LIST = ("import.csv", MOODLE)  # not written again without --roster


def forget(out: Path, students: Sequence[str], export: Export) -> None:
    """Delete what a folder of results has of students who have no submission any more.

    Students are called as in grades.csv. Whatever is about the whole class still names them until
    it is published again.
    """
    known = list(dict.fromkeys(_known(out)))
    for student in (_one(given, known) for given in students):
        if held := [s for s in export.submissions if s.student == student]:
            raise BatchError(
                f"{student} still has something among the submissions{_where(held)}, and would be "
                f"graded again. Delete that first, then run this command again."
            )
        _delete_rows(out / "written.csv", student)
        now = {each.student for s in export.submissions for each in s.attempts}
        for folder in [*_attempts(out, student, now), *(out / name / student for name in FOLDERS)]:
            if folder.exists():
                shutil.rmtree(folder)
        for name in MADE_FOR_A_LIST:
            (out / name).unlink(missing_ok=True)


def _known(out: Path) -> Iterator[str]:
    """Everybody of whom there is something, first as folders are called."""
    for name in FOLDERS:
        yield from (path.name for path in (out / name).glob("*") if path.is_dir())
    for name in TABLES:
        if (path := out / name).exists():
            table = read_table(path)
            yield from (row[_column(table)] for row in table.rows)


def _one(given: str, known: list[str]) -> str:
    """The student who is meant; a name that a spreadsheet could take for a formula has a quote."""
    fitting = [name for name in known if given in (name, neutral(name))]
    if not fitting:
        close = get_close_matches(given, known, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise BatchError(
            f"There is nothing of {given!r} in the results.{hint} Students are called as in the "
            f"column student of grades.csv."
        )
    return fitting[0]


def _where(held: list) -> str:
    files = ["/".join(each.item.parts) for s in held for each in s.attempts or (s,) if each.item]
    return f" ({', '.join(files[:3])}{', ...' if len(files) > 3 else ''})" if files else ""


def _delete_rows(path: Path, student: str) -> None:
    if path.exists():
        table = read_table(path)
        others = [r for r in table.rows if r[_column(table)] not in (student, neutral(student))]
        replace(table, rows=tuple(others)).write(path)


def _column(table: Table) -> int:
    names = [name.strip().lower() for name in table.header]
    return names.index("student") if "student" in names else 0


def _attempts(out: Path, student: str, now: set[str]) -> list[Path]:
    """Earlier attempts, whose folders have the name of the student and a hash of their own."""
    tried = range(1, MAX_ATTEMPTS + 1)
    own = {_stem(safe_name(f"{_stem(student)}/attempt {number}")) for number in tried}
    folders = (out / ATTEMPTS / "results").glob("*")
    return [path for path in folders if _stem(path.name) in own and path.name not in now]


def _stem(name: str) -> str:
    """A safe name without the hash that it may have."""
    return re.sub(r"-[0-9a-f]{8}$", "", name)
