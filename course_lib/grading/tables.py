"""The tables that come out: grades, tasks, and columns for learning platforms."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from course_lib.files import write_atomically
from course_lib.grading.written import Marks

GRADES = ("student", "lesson", "points", "max_points", "written_points", "contained", "notes")
TASKS = ("student", "lesson", "task", "points", "max_points", "outcome", "slip")
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")


def neutral(value) -> str:
    """A text that no spreadsheet takes for a formula; distinct texts stay distinct.

    >>> neutral("=1+1"), neutral("ada")
    ("'=1+1", 'ada')
    """
    text = str(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "'", "\t", "\r")) else text


def summary(result: dict) -> dict:
    """What the tables and the class page need of a result; small, so that a class fits."""
    keys = ("task", "title", "points", "max_points", "outcome", "slip", "hint", "behind")
    return {
        **{key: result[key] for key in ("student", "lesson", "name", "points", "max_points")},
        "contained": result["contained"],
        "notes": result["notes"],
        "tasks": [{key: task[key] for key in keys} for task in result["tasks"]],
        "written": [{k: w[k] for k in ("task", "max_points")} for w in result["written"]],
        "answered": sum(bool(w["answer"]) for w in result["written"]),
    }


def write_tables(out: Path, results: list[dict], marks: Marks) -> None:
    """Write grades.csv, tasks.csv, canvas.csv and moodle.csv from summaries."""
    _write(out / "grades.csv", GRADES, (_grade_row(r, marks) for r in results))
    _write(
        out / "tasks.csv",
        TASKS,
        (
            [r["student"], r["name"], *(task[key] for key in TASKS[2:])]
            for r in results
            for task in r["tasks"]
        ),
    )
    _write_platforms(out, results, marks)


def _grade_row(result: dict, marks: Marks) -> list:
    return [
        result["student"],
        result["name"],
        result["points"],
        result["max_points"],
        marks.total(result),
        "true" if result["contained"] else "false",
        " | ".join(result["notes"]),
    ]


def _write_platforms(out: Path, results: list[dict], marks: Marks) -> None:
    """One row per student, per lesson a column for the automatic and one for the written part."""
    columns, rows = {}, {}
    for r in results:
        mine = rows.setdefault(r["student"], {})
        columns[f"{r['name']} automatic"] = r["max_points"]
        mine[f"{r['name']} automatic"] = r["points"]
        if r["written"]:
            columns[f"{r['name']} written"] = sum(w["max_points"] for w in r["written"])
            mine[f"{r['name']} written"] = marks.total(r)
    names = sorted(columns)
    possible = ["    Points Possible", "", "", "", "", *(columns[name] for name in names)]
    canvas = ([s, "", "", s, "", *(mine.get(n, "") for n in names)] for s, mine in rows.items())
    _write(out / "canvas.csv", (*CANVAS, *names), [possible, *canvas])
    moodle = ([s, *(mine.get(n, "") for n in names)] for s, mine in rows.items())
    _write(out / "moodle.csv", ("username", *names), moodle)


def _write(path: Path, header: Iterable[str], rows: Iterable[list]) -> None:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([neutral(value) if isinstance(value, str) else value for value in row])
    write_if_changed(path, buffer.getvalue())


def write_if_changed(path: Path, text: str) -> None:
    """Write a file as a whole; leave it alone if it already says this."""
    try:
        if path.read_bytes() == text.encode():
            return
    except OSError:
        pass
    write_atomically(path, text)
