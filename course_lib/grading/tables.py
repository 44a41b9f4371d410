"""The tables that come out: grades, tasks, and columns for learning platforms."""

from collections.abc import Iterable
from pathlib import Path

from course_lib.grading.records import Result
from course_lib.grading.spreadsheet import neutral, write_table
from course_lib.grading.written import Marks

GRADES = ("student", "lesson", "points", "max_points", "written_points", "contained", "notes")
TASKS = ("student", "lesson", "task", "points", "max_points", "outcome", "slip")
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")


def write_tables(out: Path, results: list[Result], marks: Marks) -> None:
    """Write grades.csv, tasks.csv, canvas.csv and moodle.csv."""
    _write(out / "grades.csv", GRADES, (_grade_row(r, marks) for r in results))
    tasks = ((r.student, r.name, task) for r in results for task in r.tasks)
    rows = (
        [student, name, *(getattr(task, k) for k in TASKS[2:-1]), task.slip_name]
        for student, name, task in tasks
    )
    _write(out / "tasks.csv", TASKS, rows)
    _write_platforms(out, results, marks)


def _grade_row(r: Result, marks: Marks) -> list:
    contained, notes = "true" if r.contained else "false", " | ".join(map(str, r.notes))
    return [r.student, r.name, r.points, r.max_points, marks.total(r), contained, notes]


def _write_platforms(out: Path, results: list[Result], marks: Marks) -> None:
    """One row per student, per lesson a column for the automatic and one for the written part."""
    columns, rows = {}, {}
    for r in results:
        mine = rows.setdefault(r.student, {})
        columns[f"{r.name} automatic"] = r.max_points
        mine[f"{r.name} automatic"] = r.points
        if r.written:
            columns[f"{r.name} written"] = sum(w.max_points for w in r.written)
            mine[f"{r.name} written"] = marks.total(r)
    names = sorted(columns)
    possible = ["    Points Possible", "", "", "", "", *(columns[name] for name in names)]
    canvas = ([s, "", "", s, "", *(mine.get(n, "") for n in names)] for s, mine in rows.items())
    _write(out / "canvas.csv", (*CANVAS, *names), [possible, *canvas])
    moodle = ([s, *(mine.get(n, "") for n in names)] for s, mine in rows.items())
    _write(out / "moodle.csv", ("username", *names), moodle)


def _write(path: Path, header: Iterable[str], rows: Iterable[list]) -> None:
    neutralised = ([neutral(v) if isinstance(v, str) else v for v in row] for row in rows)
    write_table(path, header, neutralised)
