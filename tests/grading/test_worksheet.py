"""Moodle's grading worksheet has one column for the points: one lesson's, and nobody else's."""

import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import exports
import pytest
import rosters
from exports import Person, notebook_of
from test_publishing import rows, store, submissions
from test_roster import RELEASED, result

from course_lib.grading.marking import empty_result
from course_lib.grading.notebook import Released
from course_lib.grading.publishing import publish
from course_lib.grading.records import Result
from course_lib.grading.roster import Roster
from course_lib.grading.spreadsheet import Table, read_table
from course_lib.grading.submissions import read_export
from course_lib.grading.tables import ABSENT
from course_lib.grading.written import Marks
from course_lib.tools.system import ROOT

FIRST, SECOND = "01_mdi", "02_mdi_bias"
BIAS = Released.read(ROOT / "exercises" / SECOND / f"{SECOND}.ipynb", "02")
PEOPLE = [Person(number) for number in range(10)]
TOM = PEOPLE[3]
GRADE, COMMENT = 4, 9


def name_of(person: Person) -> str:
    return f"{person.full}_{person.id}"


def worksheet(folder: Path, people=PEOPLE, *, status: dict | None = None) -> Path:
    sheet = rosters.moodle_worksheet(people, maximum="20.00")
    for person, row in zip(people, sheet[1:], strict=True):
        row[3] = (status or {}).get(person, row[3])
    return rosters.write(folder / "worksheet.csv", sheet)


def bias(student: str, points: int = 0) -> Result:
    return result(student, points, released=BIAS)


def missing(student: str, released: Released = RELEASED) -> Result:
    return empty_result(released, student, [])


def all_marked(results: list[Result], points="3", comment="") -> Marks:
    return Marks(
        {(r.student, r.name, w.task): (points, comment) for r in results for w in r.written}
    )


def filled(folder: Path, results: list[Result], marks=None, **options) -> tuple[Table, Roster]:
    roster = Roster.read(worksheet(folder))
    return roster.filled(results, marks or all_marked(results), **options), roster


def a_class_with_a_stray() -> list[Result]:
    """Everybody has 15 in lesson 01 but Tom, who handed in a solved 02 instead."""
    others = [result(name_of(p), 15) for p in PEOPLE if p != TOM]
    return [*others, missing(name_of(TOM)), bias(name_of(TOM), BIAS_POINTS)]


BIAS_POINTS = sum(exercise.points for exercise in BIAS.graded)


# One column, one lesson


def test_the_lesson_that_most_handed_in_goes_into_the_column_and_the_other_is_said(tmp_path):
    table, roster = filled(tmp_path, a_class_with_a_stray())
    grades = {person: row[GRADE] for person, row in zip(PEOPLE, table.rows, strict=True)}
    assert grades == {person: "3" if person == TOM else "18" for person in PEOPLE}
    said = " ".join(roster.said)
    assert f"{FIRST} goes into 'Grade'" in said and f"{SECOND} goes into" not in said
    assert SECOND in said and name_of(TOM) in said and "--lesson" in said


def test_zeros_of_a_lesson_that_nobody_else_handed_in_do_not_overwrite_the_class(tmp_path):
    results = a_class_with_a_stray()
    results += [missing(name_of(p), BIAS) for p in PEOPLE if p != TOM]
    table, _ = filled(tmp_path, results)
    assert Counter(row[GRADE] for row in table.rows) == {"18": 9, "3": 1}


@pytest.mark.parametrize(("only", "points"), [("01", "18"), ("02", "7")])
def test_a_lesson_that_is_named_is_the_only_one_in_the_import(tmp_path, only, points):
    results = [result(name_of(p), 15) for p in PEOPLE] + [bias(name_of(p), 4) for p in PEOPLE]
    table, roster = filled(tmp_path, results, only=[only])
    assert {row[GRADE] for row in table.rows} == {points}
    assert " goes into" in " ".join(roster.said) and not roster.absent


def test_two_lessons_that_equally_many_handed_in_are_both_left_out_and_said(tmp_path):
    results = [result(name_of(p), 15) for p in PEOPLE] + [bias(name_of(p), 4) for p in PEOPLE]
    table, roster = filled(tmp_path, results)
    assert {row[GRADE] for row in table.rows} == {""}
    assert "neither" in " ".join(roster.said) and "--lesson 01" in " ".join(roster.said)


def test_an_earlier_lesson_of_the_same_folder_is_not_taken_for_the_one_of_this_run(tmp_path):
    results = [result(name_of(p), 15) for p in PEOPLE] + [bias(name_of(p), 4) for p in PEOPLE[:8]]
    table, roster = filled(tmp_path, results, now=Counter({SECOND: 8}))
    assert {row[GRADE] for row in table.rows} == {""}
    assert "--lesson 02" in " ".join(roster.said)


def test_the_command_fills_the_column_with_one_lesson_and_the_named_one_alone(tmp_path):
    put_class(tmp_path / "sub")
    out = tmp_path / "out"
    store(out, *a_class_with_a_stray(), *(missing(name_of(p), BIAS) for p in PEOPLE if p != TOM))
    for only in ((), ("01",)):
        export = read_export(tmp_path / "sub", only=only)
        roster = Roster.read(worksheet(tmp_path))
        publish(out, export, roster=roster, only=only)
        type_everywhere(out, "2")
        publish(out, export, roster=Roster.read(worksheet(tmp_path)), only=only)
        grades = Counter(row[GRADE] for row in read_table(out / "import.csv").rows)
        assert grades == {"17": 9, "2": 1}


def put_class(folder: Path) -> None:
    other = (ROOT / "solutions" / SECOND / f"{SECOND}.ipynb").read_bytes()
    for person in PEOPLE:
        path = folder / f"{name_of(person)}_assignsubmission_file_" / "x.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(other if person == TOM else notebook_of(person))


def type_everywhere(out: Path, points: str) -> None:
    path = out / "written.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(",,5,,", f",{points},5,,"), "utf-8")


# Who handed in what


def test_who_handed_in_nothing_misses_no_lesson_that_a_single_student_handed_in(tmp_path):
    store(tmp_path, *(r for r in a_class_with_a_stray() if r.student != name_of(PEOPLE[0])))
    roster = Roster.read(worksheet(tmp_path))
    publish(tmp_path, submissions(*map(name_of, PEOPLE[1:])), roster=roster)
    text = (tmp_path / "grades.csv").read_text(encoding="utf-8-sig")
    assert [line.split(",")[1] for line in text.splitlines() if ABSENT in line] == [FIRST]


@pytest.mark.parametrize(("size", "strays"), [(2, 1), (3, 1), (10, 1), (10, 2), (30, 3)])
def test_another_lesson_of_a_few_is_asked_of_nobody_else_in_a_class_of_any_size(
    tmp_path, size, strays
):
    other = (ROOT / "solutions" / SECOND / f"{SECOND}.ipynb").read_bytes()
    for number in range(size + strays):
        path = tmp_path / f"s{number:02d}" / "x.ipynb"
        path.parent.mkdir()
        path.write_bytes(notebook_of(Person(number)) if number < size else other)
    export = read_export(tmp_path)
    asked = [s.student for s in export.submissions if s.lesson == "02"]
    assert asked == [f"s{number:02d}" for number in range(size, size + strays)]
    (said,) = export.said
    assert SECOND in said and all(student in said for student in asked)


# Late


@pytest.mark.parametrize(
    ("status", "late"),
    [
        ("Submitted for grading - 2 hours late", "true"),
        ("Submitted for grading - Graded - 1 day 3 hours late", "true"),
        ("Zur Bewertung abgegeben - 2 Stunden verspätet", "true"),
        ("Zur Bewertung abgegeben - 2 Stunden zu spät", "true"),
        ("Zur Bewertung abgegeben - 2 Stunden später", "true"),
        ("Remis pour évaluation - En retard de 2 heures", "true"),
        ("Zur Bewertung abgegeben - 2 Stunden nach dem Termin", ""),
        ("Submitted for grading - ", "false"),
        ("Zur Bewertung abgegeben", "false"),
        ("Sottomesso", ""),
        ("Nicht abgegeben", ""),
        ("", ""),
    ],
)
def test_what_is_late_is_read_from_the_worksheets_status(tmp_path, status, late):
    path = worksheet(tmp_path, status={TOM: status})
    store(tmp_path, *(result(name_of(p), 15) for p in PEOPLE))
    publish(tmp_path, submissions(*map(name_of, PEOPLE)), roster=Roster.read(path))
    grades = rows(tmp_path / "grades.csv")
    assert grades[name_of(TOM)]["late"] == late
    assert grades[name_of(PEOPLE[0])]["late"] == "false"
    page = (tmp_path / "class.html").read_text(encoding="utf-8")
    assert ("</b>late</div>" in page) == (late == "true")


def test_the_status_of_an_assignment_says_nothing_of_another_lesson(tmp_path):
    path = worksheet(tmp_path, status={TOM: "Submitted for grading - 2 hours late"})
    store(tmp_path, *(result(name_of(p), 15) for p in PEOPLE if p != TOM), bias(name_of(TOM), 0))
    publish(tmp_path, submissions(*map(name_of, PEOPLE)), roster=Roster.read(path))
    assert rows(tmp_path / "grades.csv")[name_of(TOM)]["late"] == ""


@pytest.mark.parametrize(
    ("name", "due", "late"),
    [
        ("canvas", "", {True, False}),
        ("moodle", "", {None}),
        ("moodle", "2026-10-01T11:59:00", {None}),
        ("brightspace", "", {None}),
        ("blackboard", "2026-10-01T11:59:00", {True, False}),
    ],
)
def test_where_an_export_does_not_tell_nobody_is_said_to_be_in_time(tmp_path, name, due, late):
    path = getattr(exports, name)().write(tmp_path, as_zip=True)
    assert {s.late for s in read_export(path, due=due).submissions} == late


def test_what_is_known_of_the_time_is_kept_with_the_result(tmp_path):
    for late, text in ((True, "true"), (False, "false"), (None, "")):
        store(tmp_path, replace(result("ada", 15), late=late))
        publish(tmp_path, submissions("ada"))
        assert rows(tmp_path / "grades.csv")["ada"]["late"] == text


# Comments and pages


def test_comments_go_into_the_worksheets_own_column(tmp_path):
    results = [result(name_of(p), 15) for p in PEOPLE]
    table, _ = filled(tmp_path, results, all_marked(results, comment="Say why, Zoë."))
    assert {row[COMMENT] for row in table.rows} == {"Say why, Zoë."}


def test_a_comment_that_stands_on_the_platform_is_not_overwritten_and_said(tmp_path):
    path = worksheet(tmp_path)
    path.write_text(path.read_text("utf-8").replace("-,\n", "-,From Moodle\n", 1), "utf-8")
    results = [result(name_of(p), 15) for p in PEOPLE]
    roster = Roster.read(path)
    table = roster.filled(results, all_marked(results, comment="Say why."))
    assert [row[COMMENT] for row in table.rows] == ["From Moodle"] + ["Say why."] * 9
    assert PEOPLE[0].full in " ".join(roster.said) and "comment" in " ".join(roster.said)


def test_pages_for_moodle_lie_in_folders_with_the_names_of_its_export(tmp_path):
    store(tmp_path, *a_class_with_a_stray())
    now = submissions(*map(name_of, PEOPLE))
    said = publish(tmp_path, now, roster=Roster.read(worksheet(tmp_path)))[1]
    path = tmp_path / "feedback_moodle.zip"
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        own = archive.read(names[0])
    assert names == [f"{name_of(p)}_assignsubmission_file_/{FIRST}.html" for p in PEOPLE]
    assert own == (tmp_path / "feedback" / name_of(PEOPLE[0]) / f"{FIRST}.html").read_bytes()
    assert path.name in " ".join(said)
    before = path.read_bytes()
    publish(tmp_path, now, roster=Roster.read(worksheet(tmp_path)))
    assert path.read_bytes() == before
