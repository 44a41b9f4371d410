"""Class lists of learning platforms: filled in, importable, nobody guessed and nobody left out."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import exports
import pytest
import rosters
from exports import Person

from course_lib.grading.marking import empty_result
from course_lib.grading.notebook import Released
from course_lib.grading.records import Note, Result
from course_lib.grading.roster import Roster, RosterError
from course_lib.grading.spreadsheet import read_table
from course_lib.grading.submissions import LATE, find, safe_name
from course_lib.grading.written import Marks
from course_lib.lessons.judgement import CORRECT
from course_lib.tools.system import ROOT

NAME = "01_mdi"
PEOPLE = exports.people()
COUNTS = Counter(p.full.casefold() for p in PEOPLE)
NAMESAKES = [p for p in PEOPLE if COUNTS[p.full.casefold()] > 1]  # Ada Lovelace, ada Lovelace
RELEASED = Released.read(ROOT / "exercises" / NAME / f"{NAME}.ipynb", "01")


def result(
    student: str, points: int, answer: str = "an answer", released: Released = RELEASED
) -> Result:
    """A result whose points add up to what is wanted, task by task."""
    empty, tasks = empty_result(released, student, []), []
    for task in empty.tasks:
        mine = task.max_points if points >= task.max_points else 0
        points -= mine
        tasks.append(replace(task, points=mine, outcome=CORRECT if mine else "not yet"))
    assert points == 0
    written = tuple(replace(w, answer=answer) for w in empty.written)
    return replace(empty, tasks=tuple(tasks), written=written)


def marked(*results: Result, points="3") -> Marks:
    return Marks({(r.student, r.name, "01.w"): (points, "") for r in results})


def filled(path: Path, results: list[Result], marks: Marks, columns=None):
    """The list as it is written and read again, by its first column."""
    roster = Roster.read(path, columns)
    roster.filled(results, marks).write(path.parent / "import.csv")
    return roster, read_table(path.parent / "import.csv")


# From export to import, platform by platform


def case(name: str, tmp_path: Path):
    logins = {p.number: f"s_{p.number}" if p.number % 4 == 0 else p.login for p in PEOPLE}
    make = {
        "canvas": (exports.canvas, rosters.canvas(PEOPLE), {}, 6),
        "moodle": (exports.moodle, rosters.moodle_worksheet(PEOPLE, maximum="20.00"), {}, 4),
        "brightspace": (exports.brightspace, rosters.brightspace(PEOPLE), {}, 5),
        "blackboard": (
            exports.blackboard,
            rosters.blackboard(PEOPLE, logins),
            {"delimiter": "\t", "encoding": "utf-16"},
            6,
        ),
        "exchange": (exports.exchange, rosters.any_table(PEOPLE), {"delimiter": ";"}, 2),
        "moodle_flat": (exports.moodle_flat, rosters.moodle_participants(PEOPLE), {}, 5),
    }[name]
    export, rows, options, column = make
    path = rosters.write(tmp_path / f"{name}.csv", rows, **options)
    return find(export().write(tmp_path, as_zip=True)), path, column


@pytest.mark.parametrize(
    "name", ["canvas", "moodle", "brightspace", "blackboard", "exchange", "moodle_flat"]
)
def test_points_go_to_the_right_people_in_the_column_of_the_platform(tmp_path, name):
    submissions, path, column = case(name, tmp_path)
    points = {s.student: 15 if k % 2 else 4 for k, s in enumerate(submissions)}
    results = [result(s.student, points[s.student]) for s in submissions]
    roster, table = filled(path, results, marked(*results))
    before = read_table(path)
    assert len(table.rows) == len(before.rows)
    assert table.delimiter == before.delimiter
    found = {}
    for student, person in roster.match(sorted(points)).items():
        assert person.name in (exports_name(student), turned(exports_name(student)))
        found[person.row] = f"{points[student] + 3:g}"
    got = {k: row[column] for k, row in enumerate(table.rows) if row[column]}
    fixed = {
        k: row[column] for k, row in enumerate(before.rows) if column < len(row) and row[column]
    }
    assert got == found | fixed
    ambiguous = {"brightspace", "moodle_flat"}  # lists without the number of the export
    assert len(found) == exports.N - (len(NAMESAKES) if name in ambiguous else 0)
    assert any("not clear who" in s for s in roster.said) == (name in ambiguous)
    assert not roster.absent, "who is not known for certain has handed in something all the same"
    for old, new in zip(before.rows, table.rows, strict=True):
        assert old[:column] == new[:column] and old[column + 1 :] == new[column + 1 : len(old)]


def exports_name(student: str) -> str:
    """The name of the person whose number or login a submission's name has."""
    for p in PEOPLE:
        if student in (p.login, f"s_{p.number}", safe_name(f"{p.full}_{p.id}")):
            return p.full
        if student == safe_name(f"{p.squeezed}_{p.id}"):
            return p.full
    raise AssertionError(student)


def turned(full: str) -> str:
    p = next(p for p in PEOPLE if p.full == full)
    return f"{p.last}, {p.first}"


# What goes in


ADA = Person(1)
KEY = f"{ADA.squeezed}_{ADA.id}"


@pytest.mark.parametrize(
    ("worth", "points", "said"),
    [("20.00", "18", ""), ("15", "15", ""), ("100", "90", "worth 100"), ("0", "18", "")],
)
def test_the_points_fit_what_the_column_is_worth(tmp_path, worth, points, said):
    path = rosters.write(tmp_path / "r.csv", rosters.canvas([ADA], points=worth))
    mine = result(KEY, 15)
    roster, table = filled(path, [mine], marked(mine))
    assert table.rows[2][6] == points
    assert said in " ".join(roster.said)


def test_an_answer_that_is_not_marked_yet_leaves_the_cell_empty_and_is_said(tmp_path):
    path = rosters.write(tmp_path / "r.csv", rosters.canvas([ADA]))
    roster, table = filled(path, [result(KEY, 15)], Marks())
    assert table.rows[2][6] == "" and "written.csv" in " ".join(roster.said)
    empty = result(KEY, 15, answer="")
    roster, table = filled(path, [empty], Marks())
    assert table.rows[2][6] == "", "it may stand where nobody looked: a 0 is typed, not guessed"
    assert "1 of them is empty" in " ".join(roster.said)
    _, table = filled(path, [empty], marked(empty, points="0"))
    assert table.rows[2][6] == "15"


def test_who_is_excused_stays_so(tmp_path):
    rows = rosters.canvas([ADA])
    rows[3][6] = "EX"
    path = rosters.write(tmp_path / "r.csv", rows)
    roster, table = filled(path, [result(KEY, 15)], marked(result(KEY, 15)))
    assert table.rows[2][6] == "EX" and "need not do it" in " ".join(roster.said)


def test_who_handed_in_nothing_is_in_the_list_and_said(tmp_path):
    path = rosters.write(tmp_path / "r.csv", rosters.canvas(PEOPLE))
    roster, table = filled(path, [result(KEY, 15)], Marks())
    assert len(roster.absent) == exports.N - 1 and len(table.rows) == exports.N + 3
    assert "nothing was handed in by" in " ".join(roster.said)
    assert "Student, Test" not in [person.name for person in roster.absent]


def test_a_number_of_somebody_else_is_not_taken_for_a_namesake(tmp_path):
    path = rosters.write(tmp_path / "r.csv", rosters.canvas([ADA]))
    roster, table = filled(path, [result(f"{ADA.squeezed}_77", 15)], Marks())
    assert table.rows[2][6] == "" and "nobody in it is" in " ".join(roster.said)


def test_two_submissions_of_one_person_are_said_and_given_to_none(tmp_path):
    path = rosters.write(tmp_path / "r.csv", rosters.any_table([ADA]))
    both = [result("Zoë Müller", 4), result("s0000001", 15)]
    roster, table = filled(path, both, marked(*both))
    assert table.rows[0][2] == "" and "not clear who" in " ".join(roster.said)


@pytest.mark.parametrize(
    "folder",
    [
        *("Zoë Müller", "Müller Zoë", "Müller, Zoë", "zoe_muller", "Zoë Müller 1", "s0000001"),
        *("Zoë Müller_1", "1 Zoë Müller", "S0000001", "mueller-s0000001 Zoë", "s0000001@x.org"),
    ],
)
def test_plain_folders_are_matched_by_name_or_id_in_any_order(tmp_path, folder):
    rows = [["Last name", "First name", "Email"], ["Müller", "Zoë", "s0000001@x.org"]]
    path = rosters.write(tmp_path / "r.csv", [*rows, ["New", "Zoë", "s0000002@x.org"]])
    mine = result(folder, 15)
    roster, table = filled(path, [mine], marked(mine))
    assert table.rows[0][3] == ("18" if "mueller" not in folder else "")
    assert table.rows[1][3] == ""


@pytest.mark.parametrize("rows", [rosters.any_table, rosters.moodle_worksheet])
def test_the_import_has_the_columns_of_the_list_and_at_most_the_one_for_the_points(tmp_path, rows):
    late = replace(result("s0000001", 15), notes=(Note(LATE),))
    path = rosters.write(tmp_path / "r.csv", rows([ADA, Person(2)]))
    _, table = filled(path, [late, result("s0000002", 4)], marked(late))
    before = read_table(path).header
    assert table.header == (before if "Grade" in before else (*before, NAME))
    _, again = filled(tmp_path / "import.csv", [late], marked(late))
    assert again.header == table.header, "the file can be filled in again"


@pytest.mark.parametrize(
    ("student", "name"),
    [
        *(("student4_204", "student4"), ("Student 4_204", "Student 4"), ("4_204", "4")),
        *(
            ("@SUM(A1) =1+1_204", "@SUM(A1) =1+1"),
            ("A_3_204", "A 3"),
            ("204 Student 4", "Student 4"),
        ),
    ],
)
@pytest.mark.parametrize("make", [rosters.canvas, rosters.moodle_worksheet])
def test_a_name_that_ends_in_digits_is_matched_by_the_number_and_nobody_is_there_twice(
    tmp_path, make, student, name
):
    rows = make([ADA, Person(2), Person(3)])
    k = next(k for k, row in enumerate(rows) if str(ADA.id) in " ".join(map(str, row)))
    named = 0 if make is rosters.canvas else 1
    number = 1 if make is rosters.canvas else 0
    rows[k][named] = f"{name}, " if make is rosters.canvas else name
    rows[k][number] = str(rows[k][number]).replace(str(ADA.id), "204")
    path = rosters.write(tmp_path / "r.csv", rows)
    roster, _ = filled(path, [result(student, 15)], Marks())
    assert [p.row for p in roster.match([student]).values()] == [k - 1]
    assert len(roster.absent) == 2 and "nobody in it is" not in " ".join(roster.said)


def test_digits_that_are_one_persons_name_and_anothers_number_are_said(tmp_path):
    rows = rosters.moodle_worksheet([ADA, Person(2)])
    rows[1][:2], rows[2][:2] = ["Participant 4", "Zoë Müller"], ["Participant 5", "Student 4"]
    path = rosters.write(tmp_path / "r.csv", rows)
    roster, table = filled(path, [result("Student 4", 15)], Marks())
    assert "not clear who" in " ".join(roster.said) and not roster.absent
    assert roster.match(["Student 4_5", "Zoë Müller_4"]).keys() == {"Student 4_5", "Zoë Müller_4"}


def test_a_renamed_person_is_found_by_the_number_of_the_platform(tmp_path):
    rows = rosters.canvas([ADA])
    rows[3][0] = "Meier, Zoe"
    path = rosters.write(tmp_path / "r.csv", rows)
    _, table = filled(path, [result(KEY, 15)], marked(result(KEY, 15)))
    assert table.rows[2][6] == "18"


# Columns


def test_a_column_can_be_chosen_and_a_wrong_one_is_refused_with_those_there_are(tmp_path):
    path = rosters.write(tmp_path / "r.csv", rosters.canvas([ADA], title="Blatt 7 (4711)"))
    mine = result(KEY, 15)
    _, table = filled(path, [mine], marked(mine), {"01": "Blatt 7 (4711)"})
    assert table.rows[2][6] == "18"
    with pytest.raises(RosterError, match="Blatt 7"):
        Roster.read(path, {"01": "Blatt 8"})


def test_two_columns_that_fit_are_said_and_neither_is_filled(tmp_path):
    rows = rosters.canvas([ADA])
    rows[0][5] = "01_mdi draft (4700)"
    path = rosters.write(tmp_path / "r.csv", rows)
    roster, table = filled(path, [result(KEY, 15)], marked(result(KEY, 15)))
    assert table.rows[2][5:7] == ("90.00", "") and "--column" in " ".join(roster.said)


def test_without_a_column_a_new_one_is_added_where_the_platform_takes_it(tmp_path):
    path = rosters.write(tmp_path / "r.csv", rosters.canvas([ADA], title="Essay (4711)"))
    mine = result(KEY, 15)
    roster, table = filled(path, [mine], marked(mine))
    assert table.header[-1] == NAME and table.rows[1][-1] == "20" and table.rows[2][-1] == "18"
    rows = rosters.brightspace([ADA])
    rows[0][5] = "Essay Points Grade <Numeric MaxPoints:10>"
    path = rosters.write(tmp_path / "b.csv", rows)
    mine = result(f"{ADA.full}_1", 15)
    _, table = filled(path, [mine], marked(mine))
    assert table.header[-2:] == ("01_mdi Points Grade", "End-of-Line Indicator")
    assert table.rows[0][-2:] == ("18", "#")


def test_totals_and_read_only_columns_are_left_alone(tmp_path):
    rows = rosters.canvas([ADA], title="Exercise 01 Current Score")
    path = rosters.write(tmp_path / "r.csv", rows)
    _, table = filled(path, [result(KEY, 15)], marked(result(KEY, 15)))
    assert table.rows[2][6] == ""


def test_a_german_worksheet_is_understood(tmp_path):
    rows = rosters.moodle_worksheet([ADA, Person(2)], maximum="20,00")
    rows[0][:6] = [
        "ID",
        "Vollständiger Name",
        "E-Mail-Adresse",
        "Status",
        "Bewertung",
        "Bestwertung",
    ]
    for row in rows[1:]:
        row[0] = row[0].replace("Participant ", "Teilnehmer/in")
    path = rosters.write(tmp_path / "r.csv", rows, delimiter=";", encoding="cp1252")
    mine = result(f"{ADA.full}_{ADA.id}", 15)
    _, table = filled(path, [mine], marked(mine))
    assert table.rows[0][4] == "18"


def test_commas_in_quotes_are_not_taken_for_the_delimiter(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text('"Name, first, last, and more";ID\n"Lovelace, Ada";7\n', encoding="utf-8")
    assert read_table(path).header == ("Name, first, last, and more", "ID")
    path.write_text('"Student";"ID";"Notes, by mail, or by phone, or both"\n"Lovelace, Ada";7;\n')
    (person,) = Roster.read(path).people
    assert person.name == "Lovelace, Ada" and "7" in person.ids


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "utf-8-sig", "utf-16"])
def test_the_import_has_the_encoding_of_the_list(tmp_path, encoding):
    rows = rosters.moodle_worksheet([ADA])
    rows[1][1] = "Zoë Müller"
    path = rosters.write(tmp_path / "r.csv", rows, encoding=encoding)
    mine = result(f"Zoë Müller_{ADA.id}", 15)
    filled(path, [mine], marked(mine))
    content = (tmp_path / "import.csv").read_bytes()
    assert "Zoë Müller" in content.decode(encoding)
    assert content.startswith(b"\xef\xbb\xbf") == (encoding == "utf-8-sig")


def test_a_letter_that_the_lists_encoding_lacks_makes_the_import_utf_8(tmp_path):
    rows = rosters.moodle_worksheet([ADA])
    rows[1][1] = "Zoë Müller"
    path = rosters.write(tmp_path / "r.csv", rows, encoding="cp1252")
    mine = result(f"Zoë Müller_{ADA.id}", 15)
    marks = Marks({(mine.student, NAME, "01.w"): ("3", "well done ✓")})
    filled(path, [mine], marks)
    assert "well done ✓" in (tmp_path / "import.csv").read_bytes().decode("utf-8-sig")


def test_a_lesson_that_one_person_handed_in_adds_no_column(tmp_path):
    people = [Person(k) for k in range(3, 9)]
    path = rosters.write(tmp_path / "r.csv", rosters.canvas(people))
    keys = [f"{p.last}{p.first}_{p.id}".lower() for p in people]
    other = Released.read(ROOT / "exercises" / "02_mdi_bias" / "02_mdi_bias.ipynb", "02")
    strays = [result(keys[0], 0, released=other)]
    mine = [result(key, 15) for key in keys]
    roster, table = filled(path, mine + strays, marked(*mine))
    assert len(table.header) == 9 and "no column was added for 02_mdi_bias" in str(roster.said)
    assert keys[0] in str(roster.said) and "--lesson 02" in str(roster.said)
    both = [result(key, 0, released=other) for key in keys]
    _, table = filled(path, mine + both, marked(*mine))
    assert table.header[-1] == "02_mdi_bias"
    again = Roster.read(path)
    assert again.filled(mine + strays, marked(*mine), only=["02"]).header[-1] == "02_mdi_bias"


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"a,b\n1,2\n", b"\n\n"])
def test_what_is_no_list_is_refused_with_what_would_be_one(tmp_path, content):
    path = tmp_path / "r.csv"
    path.write_bytes(content)
    with pytest.raises(RosterError, match="roster"):
        Roster.read(path)
