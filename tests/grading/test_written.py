"""The sheet for written answers: nothing that somebody typed is lost, nothing in it is alive."""

import csv
import io
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.grading.records import WrittenResult
from course_lib.grading.spreadsheet import neutral, read_table, visible, write_table
from course_lib.grading.written import (
    COLUMNS,
    Marks,
    WrittenError,
    read_marks,
    sheet_text,
    write_sheet,
)

NAME, TASK = "01_mdi", "01.w"
SOFFICE = shutil.which("soffice")
HOSTILE = (
    *("=1+1", "+1", "-1", "@SUM(A1)", "'=1+1", "\t=1", "\r=1", " =1", "x;=1+1", "x\n=1+1"),
    *('x;"=1+1"', "x\t@SUM(1)", "＝1+1", 'a"b', "- a list\n- of two", "=HYPERLINK(1);=2"),
)
ESCAPES = "red \x1b[31m \x9b31m \x07 \x00 \u202eabc\u202c \u2066x\u2069 \x7f"


def answer(text="an answer", task=TASK) -> WrittenResult:
    return WrittenResult(task, 5, text)


def sheet(*students: str, text="an answer") -> list[tuple]:
    return [(student, NAME, answer(text)) for student in students]


def filled(path: Path, rows: list[tuple], typed: dict[str, str]) -> None:
    """Write a sheet, and type points into it as a spreadsheet would."""
    write_sheet(path, rows, Marks())
    table = read_table(path)
    cells = [list(row) for row in table.rows]
    for row in cells:
        if row[0] in typed:
            row[3], row[5] = typed[row[0]], f"comment for {row[0]}"
    write_table(path, table.header, cells)


def again(path: Path, rows: list[tuple]) -> Marks:
    """Run once more: read, assign, write."""
    marks = read_marks(path)
    marks.assign(rows)
    write_sheet(path, rows, marks)
    return marks


def rewrite(path: Path, change, *, delimiter=",", encoding="utf-8") -> None:
    """Save the sheet as a spreadsheet does that changes cells, delimiter or encoding."""
    table = read_table(path)
    buffer = io.StringIO()
    rows = [table.header, *([change(cell) for cell in row] for row in table.rows)]
    csv.writer(buffer, delimiter=delimiter).writerows(rows)
    path.write_bytes(buffer.getvalue().encode(encoding, "replace"))


# Nothing is lost


def test_marks_of_others_survive_a_run_with_late_submissions_only(tmp_path):
    path = tmp_path / "written.csv"
    filled(path, sheet("ada", "bob"), {"ada": "4", "bob": "2,5"})
    marks = again(path, sheet("zoe"))
    assert "ada 01.w, bob 01.w" in marks.warnings[0] and "kept" in marks.warnings[0]
    marks = again(path, sheet("ada", "bob", "zoe"))
    assert marks.entries["ada", NAME, TASK] == ("4", "comment for ada")
    assert marks.entries["bob", NAME, TASK] == ("2,5", "comment for bob")
    assert not marks.warnings and not marks.kept


def test_zeros_that_a_spreadsheet_dropped_are_no_loss(tmp_path):
    path = tmp_path / "written.csv"
    filled(path, sheet("0012345", "0099"), {"0012345": "4"})
    rewrite(path, lambda cell: cell.lstrip("0") or cell)
    marks = again(path, [("0012345", NAME, answer()), ("0099", NAME, answer())])
    assert "1_mdi" in path.read_text(encoding="utf-8"), "a lesson without its zero is not known"
    assert marks.kept
    filled(path, sheet("0012345", "0099"), {"0012345": "4"})
    rewrite(path, lambda cell: cell.lstrip("0") if cell.isdigit() else cell)
    marks = again(path, sheet("0012345", "0099"))
    assert marks.entries["0012345", NAME, TASK][0] == "4" and not marks.warnings


def test_a_number_that_two_students_have_but_for_zeros_is_given_to_none(tmp_path):
    path = tmp_path / "written.csv"
    filled(path, sheet("0012345", "012345"), {"0012345": "4"})
    rewrite(path, lambda cell: cell.lstrip("0") if cell.isdigit() else cell)
    marks = again(path, sheet("0012345", "012345"))
    assert not marks.entries and "12345 01.w" in marks.warnings[0]
    assert ",4," in path.read_text(encoding="utf-8")


def with_dropped_zeros(path: Path, answers: dict[str, str], typed: dict[str, str]) -> Marks:
    """What is read of a sheet that a spreadsheet has saved without leading zeros."""
    rows = [(student, NAME, answer(text)) for student, text in answers.items()]
    filled(path, rows, typed)
    rewrite(path, lambda cell: cell.lstrip("0") if cell.isdigit() else cell)
    return again(path, rows)


def test_a_number_that_another_student_has_without_its_zeros_goes_by_the_version(tmp_path):
    answers = {"007": "bond's answer", "7": "another answer"}
    marks = with_dropped_zeros(tmp_path / "written.csv", answers, {"007": "4"})
    assert marks.entry("007", NAME, TASK) == ("4", "comment for 007")
    assert marks.entry("7", NAME, TASK)[0] == ""


def test_of_two_who_wrote_the_same_and_differ_in_zeros_nobody_gets_a_mark(tmp_path):
    path = tmp_path / "written.csv"
    marks = with_dropped_zeros(path, {"007": "same", "7": "same"}, {"007": "4"})
    assert not marks.entries and "fit no answer, or more than one" in marks.warnings[0]
    assert ",4," in path.read_text(encoding="utf-8")


def test_whose_zeros_are_still_there_keeps_the_mark_after_handing_in_again(tmp_path):
    path = tmp_path / "written.csv"
    filled(path, sheet("007", "7"), {"7": "4", "007": "3"})
    marks = again(path, [("007", NAME, answer()), ("7", NAME, answer("a new one"))])
    assert [marks.entry(student, NAME, TASK)[0] for student in ("7", "007")] == ["4", "3"]


@pytest.mark.parametrize("typed", ["0_5", "1_0", "5_"])
def test_what_only_python_takes_for_a_number_is_no_number_of_points(tmp_path, typed):
    path = tmp_path / "written.csv"
    filled(path, sheet("ada"), {"ada": typed})
    marks, result = again(path, sheet("ada")), answer()
    graded = SimpleNamespace(student="ada", name=NAME, written=(result,))
    assert marks.points(graded, result) is None
    marks.check(graded)
    assert repr(typed) in marks.warnings[-1]


def test_a_picture_that_is_attached_is_said_to_be_in_the_notebook(tmp_path):
    assert "[picture, see the notebook]" in sheet_text("so:\n![my plot](attachment:a.png)\nyes")


def test_a_quote_makes_another_student(tmp_path):
    path = tmp_path / "written.csv"
    filled(path, sheet("ada", "'ada"), {"ada": "4"})
    marks = again(path, sheet("ada", "'ada"))
    assert marks.entry("ada", NAME, TASK)[0] == "4" and marks.entry("'ada", NAME, TASK)[0] == ""


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "ascii"])
def test_any_delimiter_and_encoding_of_a_spreadsheet_is_read(tmp_path, delimiter, encoding):
    path, students = tmp_path / "written.csv", ("Zoë Müller_12", "李 小龙_13", "=x", "O'Neill")
    filled(path, sheet(*students), {"Zoë Müller_12": "4", "李 小龙_13": "3", "'=x": "2"})
    rewrite(path, lambda cell: cell, delimiter=delimiter, encoding=encoding)
    marks = again(path, sheet(*students))
    points = [marks.entry(student, NAME, TASK)[0] for student in students]
    assert points == ["4", "3", "2", ""] and not marks.warnings


def test_what_was_read_in_the_wrong_encoding_is_put_right(tmp_path):
    path = tmp_path / "written.csv"
    filled(path, sheet("Zoë Müller"), {"Zoë Müller": "4"})
    rewrite(path, lambda cell: cell.encode("utf-8").decode("cp1252"))
    assert again(path, sheet("Zoë Müller")).entries["Zoë Müller", NAME, TASK][0] == "4"


def test_rows_that_contradict_each_other_are_all_kept_and_none_counts(tmp_path):
    path = tmp_path / "written.csv"
    filled(path, sheet("ada"), {"ada": "4"})
    with open(path, "a", encoding="utf-8") as file:
        file.write("ada,01_mdi,01.w,2,5,another reader,\n")
    for _ in range(2):
        marks = again(path, sheet("ada"))
        assert marks.entry("ada", NAME, TASK) == ("", "") and "none of them" in marks.warnings[-1]
        text = path.read_text(encoding="utf-8")
        assert "comment for ada" in text and "another reader" in text


def test_columns_that_somebody_added_stay(tmp_path):
    path = tmp_path / "written.csv"
    write_sheet(path, sheet("ada", "bob"), Marks())
    lines = path.read_text(encoding="utf-8").splitlines()
    added = [lines[0] + ",second reader,", lines[1] + ",agrees,x", lines[2] + ",,"]
    path.write_text("\n".join(added), encoding="utf-8")
    for rows in (sheet("ada", "bob"), sheet("bob"), sheet("ada", "bob")):
        again(path, rows)
        assert "agrees,x" in path.read_text(encoding="utf-8")
    assert "second reader" in path.read_text(encoding="utf-8").partition("\n")[0]


def test_an_answer_that_changed_after_it_was_marked_is_said(tmp_path):
    path = tmp_path / "written.csv"
    filled(path, sheet("ada"), {"ada": "4"})
    marks = again(path, sheet("ada", text="something else"))
    assert marks.entry("ada", NAME, TASK)[0] == "4" and "another one" in marks.warnings[0]


CHANGES = {
    "late in a long one": ("x" * 900 + " is a share", "x" * 900 + " is none"),
    "beyond what a cell holds": ("x " * 40_000 + "share", "x " * 40_000 + "none"),
    "Chinese": ("这是杂质减少的份额", "这不是杂质减少份额"),
    "Cyrillic": ("Это доля уменьшения", "Совсем другой текст"),
    "a formula": ("$a + b$", "$a - b$"),
    "empty before": ("", "now there is one"),
    "empty now": ("there was one", ""),
    "another picture": ("![](data:image/png;base64,AAAA)", "![](data:image/png;base64,BBBB)"),
}


@pytest.mark.parametrize(("before", "now"), CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_every_change_of_an_answer_is_said_whatever_its_length_or_script(
    tmp_path, before, now, encoding
):
    path = tmp_path / "written.csv"
    filled(path, sheet("ada", text=before), {"ada": "4"})
    rewrite(path, lambda cell: cell, encoding=encoding)
    assert not again(path, sheet("ada", text=before)).warnings
    assert "another one" in again(path, sheet("ada", text=now)).warnings[0]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252", "ascii"])
def test_a_sheet_of_before_is_compared_by_its_text(tmp_path, encoding):
    path, text = tmp_path / "written.csv", "Zoë: 这是 'Anteil' — " + "naïve " * 200
    filled(path, sheet("ada", text=text), {"ada": "4"})
    without_version(path)
    rewrite(path, lambda cell: cell, encoding=encoding)
    old = path.read_bytes()
    assert not again(path, sheet("ada", text=text)).warnings
    path.write_bytes(old)
    assert "another one" in again(path, sheet("ada", text=text + "more")).warnings[0]


def without_version(path: Path) -> None:
    table = read_table(path)
    keep = [k for k, name in enumerate(table.header) if name != "version"]
    rows = [[row[k] for k in keep] for row in (table.header, *table.rows)]
    write_table(path, rows[0], rows[1:])


def test_a_list_of_points_without_answers_says_nothing_of_them(tmp_path):
    path = tmp_path / "written.csv"
    path.write_text("student,lesson,task,points\nada,01_mdi,01.w,4\n", encoding="utf-8")
    marks = again(path, sheet("ada"))
    assert marks.entry("ada", NAME, TASK)[0] == "4" and not marks.warnings


def test_an_empty_row_for_somebody_who_is_gone_goes_too(tmp_path):
    path = tmp_path / "written.csv"
    write_sheet(path, sheet("ada"), Marks())
    assert not again(path, sheet("bob")).warnings
    assert "ada" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("content", [b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"", b"a,b\n1,2\n"])
def test_a_file_that_is_no_sheet_is_left_alone(tmp_path, content):
    path = tmp_path / "written.csv"
    path.write_bytes(content)
    with pytest.raises(WrittenError, match="student, lesson, task, points"):
        read_marks(path)
    assert path.read_bytes() == content


def test_two_thousand_rows_are_assigned_at_once(tmp_path):
    path, rows = tmp_path / "written.csv", sheet(*(f"Student Nr {k:04d}" for k in range(2000)))
    filled(path, rows, {f"Student Nr {k:04d}": "1" for k in range(2000)})
    assert len(again(path, rows).entries) == 2000


# Long answers and pictures


def test_an_answer_of_any_length_is_written_and_the_sheet_read_again(tmp_path):
    path = tmp_path / "written.csv"
    rows = sheet("ada", text="long " * 40_000)
    write_sheet(path, rows, Marks())
    assert max(map(len, read_table(path).rows[0])) < 32_767, "a spreadsheet cuts it there"
    assert "[shortened" in read_table(path).rows[0][COLUMNS.index("answer")]
    assert not again(path, rows).warnings


def test_a_field_over_the_limit_of_csv_is_read_and_the_limit_is_as_before(tmp_path):
    path, before = tmp_path / "written.csv", csv.field_size_limit()
    write_table(path, COLUMNS, [["ada", NAME, TASK, "4", 5, "", "x" * 300_000]])
    marks = read_marks(path)
    marks.assign(sheet("ada"))
    assert marks.entry("ada", NAME, TASK)[0] == "4" and csv.field_size_limit() == before


def test_a_pasted_picture_is_a_word_in_the_sheet(tmp_path):
    path = tmp_path / "written.csv"
    text = f"See ![a](data:image/png;base64,{'A' * 150_000}==) there"
    write_sheet(path, sheet("ada", text=text), Marks())
    answered = read_table(path).rows[0][COLUMNS.index("answer")]
    assert answered == "See ![a]([picture]) there"


# Nothing is alive


def cells(text: str, delimiter: str) -> list[str]:
    """All cells of a file as a spreadsheet sees it that cuts at this delimiter."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    return [cell for row in rows for cell in row]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_no_cell_is_a_formula_wherever_a_spreadsheet_cuts(tmp_path, delimiter):
    path = tmp_path / "written.csv"
    rows = [(text, NAME, answer(text)) for text in HOSTILE]
    write_sheet(path, rows, Marks())
    text = path.read_text(encoding="utf-8-sig")
    for cell in cells(text, delimiter):
        assert not cell.lstrip(" \u00a0").startswith(tuple("=+-@＝＋－＠")), cell
        assert "\r" not in cell.replace("\r\n", "")


@given(st.lists(st.text("=+-@';\t\n\" ab,＝", max_size=8), max_size=6, unique=True))
def test_neutral_texts_stay_apart_and_are_no_formulas_in_any_cut(texts):
    assert len({neutral(text) for text in texts}) == len({visible(text) for text in texts})
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(["x", *map(neutral, texts)])
    for delimiter in ",;\t":
        for cell in cells(buffer.getvalue(), delimiter):
            assert not cell.lstrip(" ").startswith(tuple("=+-@＝"))


def test_what_a_terminal_would_obey_is_only_shown(tmp_path):
    path = tmp_path / "written.csv"
    write_sheet(path, [(ESCAPES, NAME, answer(ESCAPES))], Marks())
    text = path.read_text(encoding="utf-8-sig")
    assert not [c for c in text if c not in "\n\t" and not c.isprintable()]
    assert "␛[31m" in text


def test_letters_of_all_scripts_stay_what_they_are():
    text = "naïve 李小龙 café\u0301 עברית 👩‍🔬 שָׁלוֹם soft\xadhyphen zero\u200cwidth"
    assert visible(text) == text


# A real spreadsheet


@pytest.mark.skipif(SOFFICE is None, reason="needs LibreOffice Calc (soffice)")
@pytest.mark.parametrize("kind", ["ods", "xlsx"])
def test_libreoffice_keeps_everything_on_the_way_to_its_format_and_back(tmp_path, kind):
    students = ("ada", "Zoë Müller_12", "李 小龙_13", "'ada", "=x", "0012345")
    long = "word " * 6_000
    texts = (*HOSTILE[:3], f"![a](data:image/png;base64,{'A' * 150_000})", long, ESCAPES)
    rows = [(s, NAME, answer(t)) for s, t in zip(students, texts, strict=True)]
    path = tmp_path / "written.csv"
    marks = Marks({(s, NAME, TASK): (str(k), f"good, {s}") for k, s in enumerate(students)})
    write_sheet(path, rows, marks)
    before = read_table(path)
    # 44: comma, 34: quote, 76: UTF-8, from line 1
    convert(path, kind, "CSV:44,34,76,1")
    path.unlink()
    convert(path.with_suffix(f".{kind}"), "csv:Text - txt - csv (StarCalc):44,34,76,1", "")
    after = read_table(path)
    for old, new in zip(before.rows, after.rows, strict=True):
        assert new[1:3] == old[1:3] and new[5:] == old[5:]
        assert new[0] in (old[0], old[0].lstrip("0")), "only zeros may be lost"
    again_marks = again(path, rows)
    found = {s: again_marks.entry(s, NAME, TASK) for s in students}
    assert found == {s: (str(k), f"good, {s}") for k, s in enumerate(students)}
    assert not again_marks.warnings


def convert(path: Path, kind: str, read_as: str) -> None:
    """Have LibreOffice open a file and save it as another kind beside it."""
    words = [SOFFICE, f"-env:UserInstallation={path.parent.as_uri()}/profile", "--headless"]
    words += [f"--infilter={read_as}"] if read_as else []
    words += ["--convert-to", kind, "--outdir", str(path.parent), str(path)]
    subprocess.run(words, check=True, capture_output=True, timeout=120)


@pytest.mark.skipif(SOFFICE is None, reason="needs LibreOffice Calc (soffice)")
@pytest.mark.parametrize("cut", ["44", "59", "9", "44/59/9"])
def test_libreoffice_computes_nothing_wherever_it_cuts(tmp_path, cut):
    path = tmp_path / "written.csv"
    live = ("=1+1", "x;=40+2", "x\n=40+2", "x\t=40+2", 'x;"=40+2"', "=HYPERLINK(1);=40+2")
    write_sheet(path, [(f"s{k}", NAME, answer(text)) for k, text in enumerate(live)], Marks())
    convert(path, "fods", f"CSV:{cut},34,76,1")
    text = path.with_suffix(".fods").read_text(encoding="utf-8")
    assert "table:formula" not in text and "40+2" in text


def test_the_sheet_says_utf_8_to_spreadsheets(tmp_path):
    path = tmp_path / "written.csv"
    write_sheet(path, sheet("ada"), Marks())
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
