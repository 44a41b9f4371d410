"""Class lists as learning platforms export them, for the people of `exports`.

Formats: Canvas lib/gradebook_exporter.rb, Moodle's grading worksheet (mod/assign/feedback/offline)
and participants, Brightspace's and Blackboard's grade exports.
"""

import csv
import io
from pathlib import Path

from exports import Person


def write(path: Path, rows: list[list], *, delimiter=",", encoding="utf-8", ending="\n") -> Path:
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator=ending).writerows(rows)
    path.write_bytes(buffer.getvalue().encode(encoding))
    return path


def canvas(people: list[Person], *, title="Exercise 01 (4711)", points="20.00") -> list[list]:
    """With rows for manual posting and points possible, with totals, and with the test student."""
    front = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    header = [*front, "Attendance (4700)", title, "Assignments Current Score", "Final Score"]
    rows = [header, [""] * 6 + ["Manual Posting", "", ""]]
    rows.append(
        ["    Points Possible", "", "", "", "", "100.00", points, "(read only)", "(read only)"]
    )
    for p in people:
        name = f"{p.last}, {p.first}"
        rows.append([name, p.id, f"0{p.number:04d}", p.login, "A, B, and C", "90.00", "", "", ""])
    rows.append(["Student, Test", "99999", "", "8a7f", "A", "", "", "", ""])
    return rows


def moodle_worksheet(people: list[Person], *, maximum="100.00") -> list[list]:
    front = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"]
    tail = ["Grade can be changed", "Last modified (submission)", "Last modified (grade)"]
    status = "Submitted for grading - "
    return [[*front, *tail, "Feedback comments"]] + [
        [f"Participant {p.id}", p.full, f"{p.login}@example.org", status, "", maximum]
        + ["Yes", "Saturday, 3 October 2026, 11:59 PM", "-", ""]
        for p in people
    ]


def moodle_participants(people: list[Person]) -> list[list]:
    header = ["First name", "Last name", "ID number", "Email address", "Groups"]
    return [header] + [
        [p.first, p.last, f"00{p.number}", f"{p.login}@example.org", ""] for p in people
    ]


def brightspace(people: list[Person]) -> list[list]:
    header = ["OrgDefinedId", "Username", "Last Name", "First Name", "Email"]
    header += ["Exercise 1 Points Grade <Numeric MaxPoints:20 Weight:10>", "End-of-Line Indicator"]
    return [header] + [
        [f"#7{p.number:06d}", f"#{p.login}", p.last, p.first, f"{p.login}@x.org", "", "#"]
        for p in people
    ]


def blackboard(people: list[Person], logins: dict[int, str]) -> list[list]:
    header = ["Last Name", "First Name", "Username", "Student ID", "Last Access", "Availability"]
    header += ["Exercise 01 [Total Pts: 20 Score] |_4711_1"]
    return [header] + [
        [p.last, p.first, logins[p.number], f"{p.number:05d}", "2026-10-03", "Yes", ""]
        for p in people
    ]


def any_table(people: list[Person]) -> list[list]:
    return [["Name", "Student ID"]] + [[p.full, p.login] for p in people]
