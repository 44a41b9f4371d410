"""What people get after several runs into one folder: nobody's result or mark is lost."""

import csv
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import exports
import pytest
import rosters
from exports import Person, notebook_of, people, untouched
from students.kit import Notebook
from test_roster import RELEASED, result

from course_lib.files import write_atomically
from course_lib.grading import publishing
from course_lib.grading.engine import load_result, result_file
from course_lib.grading.marking import empty_result
from course_lib.grading.publishing import ATTEMPTS, publish, to_grade
from course_lib.grading.records import Note, Result, to_json
from course_lib.grading.roster import Roster
from course_lib.grading.sorting import Untaken
from course_lib.grading.submissions import BEST, LAST, LATE, Export, Submission, read_export
from course_lib.tools.bench.students import WRONG_LOG
from course_lib.tools.system import ROOT

NAME = "01_mdi"


def store(out: Path, *results: Result) -> None:
    for each in results:
        write_atomically(result_file(out, each.student, each.name), to_json(each))


def submissions(*students: str) -> Export:
    return Export([Submission(s, "01", NAME, None) for s in students], [])


def rows(path: Path) -> dict[str, dict]:
    with open(path, encoding="utf-8-sig", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def run(out: Path, export: Export, roster: Roster | None = None) -> list[str]:
    return publish(out, export, roster=roster)[1]


def type_points(out: Path, **points: str) -> None:
    path = out / "written.csv"
    text = path.read_text(encoding="utf-8")
    for student, given in points.items():
        assert f"{student},01_mdi,01.w,,5,," in text
        text = text.replace(f"{student},01_mdi,01.w,,5,,", f"{student},01_mdi,01.w,{given},5,,")
    path.write_text(text, encoding="utf-8")


def test_late_submissions_graded_into_the_same_folder_join_the_others(tmp_path):
    store(tmp_path, result("ada", 15), result("bob", 4))
    run(tmp_path, submissions("ada", "bob"))
    type_points(tmp_path, ada="4", bob="2")
    store(tmp_path, result("zoe", 6))
    assert run(tmp_path, submissions("zoe")) == []
    grades = rows(tmp_path / "grades.csv")
    assert {s: g["points"] for s, g in grades.items()} == {"ada": "15", "bob": "4", "zoe": "6"}
    assert {s: g["written_points"] for s, g in grades.items()} == {
        "ada": "4",
        "bob": "2",
        "zoe": "",
    }
    assert "graded earlier" in grades["ada"]["notes"] and not grades["zoe"]["notes"]
    assert "4 of 5" in (tmp_path / "feedback" / "ada" / f"{NAME}.html").read_text(encoding="utf-8")
    assert rows(tmp_path / "written.csv").keys() == {"ada", "bob", "zoe"}


def test_a_file_that_could_not_be_read_is_listed_with_the_reason(tmp_path):
    """A 0 was about to be imported; why, stood in the notes of one table only."""
    sent = tmp_path / "in"
    for student, content in (("ada", b""), ("bob", b'{"cells": [ this is not'), ("eve", None)):
        (sent / student).mkdir(parents=True)
        content = Notebook.solved().to_bytes() if content is None else content
        (sent / student / f"{NAME}.ipynb").write_bytes(content)
    export, out = read_export(sent), tmp_path / "out"
    broken = [replace(result(s, 0), notes=(Note("It is broken."),)) for s in ("ada", "bob")]
    missing = [replace(r, tasks=empty_result(RELEASED, "", []).tasks) for r in broken]
    store(out, *missing, result("eve", 15))
    said = run(out, export)
    listed = rows(out / "not_taken.csv")
    assert listed.keys() == {"ada", "bob"} and any("not graded: 2" in line for line in said)
    assert listed["bob"]["file"].endswith(f"{NAME}.ipynb")
    assert listed["bob"]["reason"] == "It is broken."


def test_a_students_page_has_the_name_of_the_class_list(tmp_path):
    store(tmp_path, result("liwei_7102", 15), result("somebody", 4))
    listed = tmp_path / "list.csv"
    listed.write_text('name,id\n"Li, Wei",7102\n', encoding="utf-8")
    run(tmp_path, submissions("liwei_7102", "somebody"), Roster.read(listed))
    pages = {p.parent.name: p.read_text(encoding="utf-8") for p in tmp_path.rglob(f"{NAME}.html")}
    assert "Li, Wei</p>" in pages["liwei_7102"] and "liwei_7102" not in pages["liwei_7102"]
    assert "somebody</p>" in pages["somebody"]


def test_who_hands_in_nothing_this_time_keeps_the_earlier_result(tmp_path):
    done = result("ada", 15)
    store(tmp_path, done, empty_result_of("bob"))
    single, attempts = to_grade(tmp_path, submissions("ada", "bob", "zoe"))
    assert [s.student for s in single] == ["bob", "zoe"] and attempts == []


def empty_result_of(student: str) -> Result:
    return empty_result(RELEASED, student, [Note("No notebook of this exercise was submitted.")])


def test_the_best_of_several_attempts_counts_and_the_last_of_equal_ones(tmp_path):
    tried = [Submission(f"ada-{k}", "01", NAME, None) for k in range(4)]
    ada = replace(tried[0], student="ada", attempts=tuple(tried))
    points = (4, 15, 15, 6)
    marked = [
        replace(result(s.student, p), notes=(Note(f"attempt {k}"),))
        for k, (s, p) in enumerate(zip(tried, points, strict=True))
    ]
    store(tmp_path / ATTEMPTS, *marked)
    run(tmp_path, Export([ada], []))
    (grade,) = rows(tmp_path / "grades.csv").values()
    assert (grade["student"], grade["points"], grade["notes"]) == ("ada", "15", "attempt 2")
    run(tmp_path, submissions("zoe"))
    assert rows(tmp_path / "grades.csv").keys() == {"ada"}, "attempts are no students later on"


def test_late_is_a_column_and_escapes_and_formulas_are_nowhere(tmp_path):
    bad = "=1+1;=2 \x1b[31m\u202e"
    late = replace(result("ada", 15, answer=bad), notes=(Note(LATE), Note(bad)))
    store(tmp_path, late, replace(result("bob", 4), late=False))
    export = submissions("ada", "bob")
    export = replace(export, untaken=[Untaken("bob", bad, bad)])
    run(tmp_path, export)
    grades = rows(tmp_path / "grades.csv")
    assert [grades[s]["late"] for s in ("ada", "bob")] == ["true", "false"]
    for path in (p for p in tmp_path.rglob("*") if p.suffix in (".csv", ".html")):
        text = path.read_text(encoding="utf-8-sig")
        assert "\x1b" not in text and "\u202e" not in text
        if path.suffix == ".csv":
            cut = [cell for line in text.splitlines() for cell in line.split(";")]
            assert not [cell for cell in cut if cell.startswith("=")]


BESIDE = {
    "moodle": (
        "Ada One_201_assignsubmission_file_/ex.ipynb",
        "Ada One_201_assignsubmission_onlinetext_/onlinetext.html",
    ),
    "canvas": ("oneada_201_901_ex.ipynb", "oneada_201_text.html"),
    "folder": ("ada/ex.ipynb", "ada/paragraph.docx"),
    "deeper": ("ada/ex.ipynb", "ada/more/notes.txt"),
}


@pytest.mark.parametrize("files", BESIDE.values(), ids=BESIDE)
@pytest.mark.parametrize("attempts", [LAST, BEST])
def test_a_file_beside_a_graded_notebook_is_listed_once_with_a_reason(tmp_path, files, attempts):
    made = exports.Made()
    made.files = {files[0]: notebook_of(Person(1)), files[1]: b"my paragraph"}
    made.files["zoe/ex.ipynb"] = notebook_of(Person(2))
    export = read_export(made.write(tmp_path, as_zip=True), attempts=attempts)
    said = run(tmp_path / "out", export)
    (row,) = rows(tmp_path / "out" / "not_taken.csv").values()
    assert row["file"].endswith(files[1][-9:])
    assert "beside" in row["reason"] and "1." in said[-1]


def test_people_of_the_roster_without_a_submission_have_a_row(tmp_path):
    ada = Person(1)
    path = rosters.write(tmp_path / "roster.csv", rosters.canvas(people()))
    store(tmp_path, result(f"{ada.squeezed}_{ada.id}", 15))
    said = run(tmp_path, submissions(f"{ada.squeezed}_{ada.id}"), Roster.read(path))
    assert any("nothing was handed in by" in sentence for sentence in said)
    grades = rows(tmp_path / "grades.csv")
    names = {f"{p.last}, {p.first}" for p in people()} - {f"{ada.last}, {ada.first}"}
    assert names <= grades.keys() and len(grades) == len(names) + 1
    page = (tmp_path / "class.html").read_text(encoding="utf-8")
    assert f"{exports.N - 1} people" in page and "What to look at" in page


def test_what_is_saved_into_the_sheet_while_pages_are_written_is_not_overwritten(
    tmp_path, monkeypatch
):
    store(tmp_path, result("ada", 15))
    run(tmp_path, submissions("ada"))

    def save(*arguments, **options):
        type_points(tmp_path, ada="4")
        return write_tables(*arguments, **options)

    write_tables = publishing.write_tables
    monkeypatch.setattr(publishing, "write_tables", save)
    assert "saved by somebody meanwhile" in run(tmp_path, submissions("ada"))[0]
    monkeypatch.setattr(publishing, "write_tables", write_tables)
    assert run(tmp_path, submissions("ada")) == []
    assert rows(tmp_path / "grades.csv")["ada"]["written_points"] == "4"


def test_results_of_another_version_are_said(tmp_path):
    store(tmp_path, result("ada", 15), result("bob", 4))
    path = result_file(tmp_path, "bob", NAME)
    path.write_text(path.read_text(encoding="utf-8").replace('"format"', '"shape"'))
    assert "another version" in run(tmp_path, submissions("ada"))[0]


# The command as a lecturer gives it


def grade(*words, cwd: Path = ROOT) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "course_lib", "grade", *map(str, words)],
        cwd=cwd,
        capture_output=True,
        text=True,
        env=os.environ,
        timeout=300,
    )


@pytest.mark.container
def test_from_an_export_to_the_file_that_goes_back(tmp_path):
    """Two attempts, one late, one in a zip, one without a notebook, one who handed in nothing."""
    ada, zoe, jean, mary, nobody = people(5)
    wrong = Notebook.solved().answer("01.1", WRONG_LOG).to_bytes()
    made = exports.Made()
    made.files = {
        f"{ada.squeezed}_{ada.id}_1_01_mdi.ipynb": notebook_of(ada),
        f"{ada.squeezed}_{ada.id}_2_01_mdi-1.ipynb": wrong,
        f"{ada.squeezed}_{ada.id}_3_01_mdi-2.ipynb": untouched(),
        f"{zoe.squeezed}_LATE_{zoe.id}_4_Copy of x.ipynb.txt": wrong,
        f"{jean.squeezed}_{jean.id}_5_all.zip": exports.zipped({"a/b.ipynb": notebook_of(jean)}),
        f"{mary.squeezed}_{mary.id}_6_essay.docx": b"x",
    }
    path = made.write(tmp_path, as_zip=True)
    roster = rosters.write(tmp_path / "grades.csv", rosters.canvas(people(5), points="15"))
    out = tmp_path / "out"
    options = (path, "--out", out, "--roster", roster, "--jobs", 2)
    done = grade(*options)
    assert done.returncode == 0, done.stderr
    assert "import.csv" in done.stdout and "nothing was handed in by" in done.stderr
    assert "\r" not in done.stderr, "no bar where nobody watches"
    assert imported(out) == {ada.id: "13", zoe.id: "13", jean.id: "15", mary.id: "0", nobody.id: ""}
    assert [g["late"] for s, g in rows(out / "grades.csv").items() if zoe.squeezed in s] == ["true"]
    done = grade(*options, "--attempts", "best")
    assert done.returncode == 0, done.stderr
    assert imported(out)[ada.id] == "15"
    assert load_result(out, f"{ada.squeezed}_{ada.id}", NAME).points == 15


def imported(out: Path) -> dict[int, str]:
    with open(out / "import.csv", encoding="utf-8", newline="") as file:
        table = list(csv.reader(file))
    return {int(row[1]): row[6] for row in table[3:-1]}


def test_results_cannot_go_among_the_submissions_themselves(tmp_path):
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "01_mdi.ipynb").write_bytes(untouched())
    done = grade(tmp_path, "--out", tmp_path)
    assert done.returncode == 2 and "folder of the submissions itself" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["ada"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--column", "01=x"), "--roster"),
        (("--roster", "nowhere.csv"), "cannot be read"),
        (("--lesson", "77"), "There is no lesson 77"),
    ],
)
def test_options_that_cannot_work_are_refused_in_a_sentence(tmp_path, options, words):
    (tmp_path / "in" / "ada").mkdir(parents=True)
    (tmp_path / "in" / "ada" / "01_mdi.ipynb").write_bytes(untouched())
    done = grade(tmp_path / "in", "--out", tmp_path / "out", *options)
    assert done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr


def test_attempts_are_told_apart_by_the_command(tmp_path):
    made = exports.exchange()
    export = read_export(made.write(tmp_path, as_zip=False), attempts=BEST)
    single, attempts = to_grade(tmp_path / "out", export)
    twice = len([p for p in people() if p.number % 6 == 1])
    assert (len(single), len(attempts)) == (exports.N - twice, 2 * twice)
