"""The tables that come out: grades, tasks, same answers, and the files that were not graded."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from course_lib.grading.likeness import Same
from course_lib.grading.people import Person
from course_lib.grading.records import Result
from course_lib.grading.sorting import Untaken
from course_lib.grading.spreadsheet import neutral, write_table
from course_lib.grading.submissions import LATE, asked_of_all, is_late
from course_lib.grading.written import Marks

GRADES = ("student", "lesson", "points", "max_points", "written_points", "late", "contained")
GRADES += ("notes",)
TASKS = ("student", "lesson", "task", "points", "max_points", "outcome", "slip")
SAME = ("group", "lesson", "student", "tasks")
WORDS = {True: "true", False: "false", None: ""}  # None: nothing tells
ABSENT = "In the roster; nothing was handed in."


def write_tables(
    out: Path,
    results: list[Result],
    marks: Marks,
    *,
    absent: Iterable[Person] = (),
    untaken: Iterable[Untaken] = (),
    same: Iterable[Same] = (),
) -> None:
    """Write grades.csv, tasks.csv, not_taken.csv and same.csv.

    `absent` are the people of the class list without a submission, who have rows without points;
    `same` are answers that say the same, each group with a number.
    """
    rows = [_grade_row(r, marks) for r in results]
    names = sorted(asked_of_all(Counter(r.name for r in results)))
    rows += [[p.name, name, "", "", "", "", "", ABSENT] for p in absent for name in names]
    _write(out / "grades.csv", GRADES, rows)
    tasks = ((r.student, r.name, task) for r in results for task in r.tasks)
    rows = (
        [student, name, *(getattr(task, k) for k in TASKS[2:-1]), task.slip_name]
        for student, name, task in tasks
    )
    _write(out / "tasks.csv", TASKS, rows)
    listed = ([u.student, u.file, u.reason] for u in untaken)
    _write(out / "not_taken.csv", ("student", "file", "reason"), listed)
    numbered = (
        [number, group.name, member or "(the model solution)", " ".join(tasks)]
        for number, group in enumerate(same, start=1)
        for member, tasks in group.members.items()
    )
    _write(out / "same.csv", SAME, numbered)


def _grade_row(r: Result, marks: Marks) -> list:
    late, contained = (WORDS[value] for value in (is_late(r), r.contained))
    notes = " | ".join(str(note) for note in r.notes if note.text != LATE)
    return [r.student, r.name, r.points, r.max_points, marks.total(r), late, contained, notes]


def _write(path: Path, header: Iterable[str], rows: Iterable[list]) -> None:
    neutralised = ([neutral(v) if isinstance(v, str) else v for v in row] for row in rows)
    write_table(path, header, neutralised)
