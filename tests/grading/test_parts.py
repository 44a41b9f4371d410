"""The parts of grading that need no box: names, files, notebooks, tables, pages."""

import json
import socket
import struct
import zipfile
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from students.kit import Notebook

from course_lib.files import write_if_changed
from course_lib.grading import records, written
from course_lib.grading.classpage import class_page, discrimination
from course_lib.grading.feedback import MAX_PAGE, feedback_page
from course_lib.grading.imports import notes_on_imports
from course_lib.grading.marking import empty_result
from course_lib.grading.notebook import (
    Released,
    UnreadableError,
    actions_for,
    make_schedule,
    read_cells,
)
from course_lib.grading.records import CellOutput, CellRun, Note, Result
from course_lib.grading.replies import parse_cell, parse_imports
from course_lib.grading.spreadsheet import neutral
from course_lib.grading.submissions import SubmissionsError, find, safe_name
from course_lib.grading.wire import ChannelClosedError, receive, send
from course_lib.grading.written import Marks, WrittenError, read_marks, write_sheet
from course_lib.lessons import MISCONCEPTIONS, exercise, load, numbers
from course_lib.lessons.judgement import CORRECT, NOT_ATTEMPTED, NOT_YET
from course_lib.tools.bench.students import NAME, stub
from course_lib.tools.system import ROOT

# Frames


def test_a_message_arrives_and_a_giant_or_broken_one_does_not():
    ours, theirs = socket.socketpair()
    send(theirs, {"a": 1})
    assert receive(ours) == {"a": 1}
    theirs.sendall(struct.pack("!I", 2**31))
    with pytest.raises(ChannelClosedError, match="announced"):
        receive(ours)
    for body in (b"{", b"[" * 90_000, b"NaN"):
        theirs.sendall(struct.pack("!I", len(body)) + body)
        with pytest.raises(ChannelClosedError):
            receive(ours)


def test_a_sender_that_drips_gains_no_time():
    ours, theirs = socket.socketpair()
    theirs.sendall(b"\0")
    waits = iter([0.02, 0.02])

    def patience() -> float:
        if (left := next(waits, None)) is None:
            raise TimeoutError
        return left

    with pytest.raises(TimeoutError):
        receive(ours, patience=patience)


def test_many_small_pieces_cost_no_more_than_a_few():
    cell = parse_cell({"output": [{"text": ""}] * 10**6 + [{"text": "x"}] * 10**5}, 10**6)
    assert len(cell.output) <= 500
    assert len(parse_imports({"imports": [str(k) for k in range(10**6)]})) <= 200


# Names and files


@pytest.mark.parametrize(
    "raw",
    ["../x", "a/b", "a\nb", "", ".", "..", "x" * 300, "\udcff", "\u202etxt", "CON:", "-" * 90],
)
def test_a_hostile_name_becomes_one_harmless_folder_name(raw):
    name = safe_name(raw)
    assert name and len(name.encode()) < 200 and not name.startswith(".")
    assert not set(name) & set('/\\:*?"<>|\n\r\t\0') and name == Path(name).name
    name.encode("utf-8")


@given(st.lists(st.text(max_size=12), unique=True, max_size=8))
def test_distinct_names_stay_distinct(names):
    assert len({safe_name(name) for name in names}) == len(names)
    assert len({neutral(safe_name(name)) for name in names}) == len(names)


def test_a_changed_name_cannot_be_taken_by_somebody_else():
    assert safe_name(safe_name("a/b")) != safe_name("a/b")


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", "'=1"])
def test_no_cell_is_a_formula(text):
    assert neutral(text) == f"'{text}"


def solved() -> bytes:
    return Notebook.solved().to_bytes()


def put(path: Path, content: bytes = b"{}") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


@pytest.mark.parametrize(
    "layout",
    [
        "ada/01_mdi.ipynb",
        "ada/01_mdi/01_mdi.ipynb",
        "submitted/ada/01_mdi/01_mdi.ipynb",
        "ada/01_mdi (1).ipynb",
        "ada_01_mdi.ipynb",
        "ada/exercise_01_mdi.ipynb",
        "ada/exercise_01_mdi (1).ipynb",
        "ada/exercises/exercise_01_mdi.ipynb",
        "ada/01_mdi/exercise_01_mdi.ipynb",
        "ada_exercise_01_mdi.ipynb",
        "ada_exercise_01_mdi-2.ipynb",
    ],
)
def test_usual_layouts_are_found(tmp_path, layout):
    put(tmp_path / "in" / layout, b"content")
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
        archive.writestr(layout, b"content")
    for source in (tmp_path / "in", tmp_path / "in.zip"):
        (found,) = find(source)
        assert (found.student, found.lesson, found.name) == ("ada", "01", NAME)
        assert found.read(100)[0] == b"content"


def test_of_a_whole_workbook_the_exercise_is_graded_and_not_the_lesson(tmp_path):
    lesson = (ROOT / "notebooks" / f"{NAME}.ipynb").read_bytes()
    put(tmp_path / "ada" / "01_mdi.ipynb", lesson)
    put(tmp_path / "ada" / "exercises" / "exercise_01_mdi.ipynb", solved())
    (found,) = find(tmp_path)
    assert found.read(10**7) == (solved(), [])


def test_an_exercise_that_does_not_say_whose_it_is_has_a_row_of_its_own(tmp_path):
    put(tmp_path / "exercise_01_mdi.ipynb")
    put(tmp_path / "ada" / "01_mdi.ipynb")
    loose = {s.student: s.notes for s in find(tmp_path)}["exercise_01_mdi"]
    assert "does not say whose" in loose[0]


def test_every_student_has_a_row_for_every_lesson_of_the_class(tmp_path):
    put(tmp_path / "ada" / "01_mdi.ipynb")
    put(tmp_path / "bob" / "homework.docx")
    (tmp_path / "eve").mkdir()
    found = find(tmp_path)
    assert [(s.student, s.name) for s in found] == [(n, NAME) for n in ("ada", "bob", "eve")]
    assert "No notebook" in found[2].read(10)[1][0]


def test_a_folder_of_results_among_the_submissions_is_no_student(tmp_path):
    put(tmp_path / "ada" / "01_mdi.ipynb")
    put(tmp_path / "results" / "grades.csv")
    assert [s.student for s in find(tmp_path, ignore=tmp_path / "results")] == ["ada"]


def test_entries_that_leave_an_archive_are_refused(tmp_path):
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ada/01_mdi.ipynb", b"fine")
        archive.writestr("../evil/01_mdi.ipynb", b"out")
        archive.writestr("/abs/01_mdi.ipynb", b"out")
        link = zipfile.ZipInfo("linked/01_mdi.ipynb")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    contents = {s.student: s.read(100) for s in find(path)}
    assert contents.pop("ada") == (b"fine", [])
    assert len(contents) == 3
    for content, notes in contents.values():
        assert content is None and ("refused" in notes[0] or "not followed" in notes[0])


def test_what_is_neither_folder_nor_archive_is_refused(tmp_path):
    put(tmp_path / "x.txt", b"x")
    for path in (tmp_path / "x.txt", tmp_path / "missing"):
        with pytest.raises(SubmissionsError, match="one folder per student"):
            find(path)


# Notebooks


@pytest.fixture(scope="module")
def released() -> Released:
    return Released.read(ROOT / "exercises" / NAME / f"{NAME}.ipynb", "01")


def schedule(released, notebook: Notebook):
    return make_schedule(released, read_cells(notebook.to_bytes())[0])


def test_the_released_notebook_says_what_is_asked(released):
    assert [e.id for e in released.graded] == [f"01.{k}" for k in range(1, 8)]
    assert released.answer(exercise("01.4")) == "tree_mdi"
    assert [w.id for w in released.written] == ["01.w"]


DEMONSTRATION = "shares[name] = share_removed("


def runs_demonstration(released, notebook: Notebook) -> bool:
    return any(DEMONSTRATION in action.source for action in schedule(released, notebook).actions)


def test_a_cell_that_only_shows_something_is_left_out(released):
    assert not runs_demonstration(released, Notebook.solved())


@pytest.mark.parametrize(
    "source",
    [
        "print(shares)",
        "def mine():\n    return forest",
        "pd.Series([1])",
        "%timeit 1",
        "!ls",
        "eval('sha' + 'res')",
        "globals()",
        "x = (",
        " + ".join(f"a{k}" for k in range(2_100)),
    ],
)
def test_unless_another_cell_uses_what_it_defines_or_might(released, source):
    assert runs_demonstration(released, Notebook.solved().last(source))


@pytest.mark.parametrize("source", ["def mine(forest, X):\n    return forest, X", "x = 1"])
def test_what_a_function_has_for_itself_is_not_used(released, source):
    assert not runs_demonstration(released, Notebook.solved().last(source))


def test_one_that_was_changed_runs(released):
    notebook = Notebook.solved()
    cell = next(cell for cell in notebook.cells if DEMONSTRATION in "".join(cell["source"]))
    cell["source"] = "".join(cell["source"]) + "\nprint(1)"
    assert runs_demonstration(released, notebook)


@pytest.mark.parametrize("number", numbers())
def test_no_cell_that_only_shows_something_is_needed_by_the_solution(number):
    """So whoever answers as the solution does has the same marks without it."""
    name = load(number).name
    each = Released.read(ROOT / "exercises" / name / f"{name}.ipynb", number)
    shown = [cell for cell in each.cells if cell.only_shown]
    assert not any(cell.grade_id for cell in shown)
    solved = read_cells((ROOT / "solutions" / name / f"{name}.ipynb").read_bytes())[0]
    running = {action.source for action in make_schedule(each, solved).actions}
    assert not running & {cell.source for cell in shown}


def test_a_submission_cannot_mark_its_own_cells(released):
    notebook = Notebook.solved().last("print('here')")
    notebook.cells[-1]["metadata"] = {"tags": ["only-shown"]}
    assert any("here" in action.source for action in schedule(released, notebook).actions)


def test_an_answer_is_kept_where_its_check_stands(released):
    actions = schedule(released, Notebook.solved()).actions
    kept = [action.keep for action in actions if action.keep]
    assert kept == [f"01.{k}" for k in range(1, 8)]
    position = next(k for k, action in enumerate(actions) if action.task == "01.1")
    assert actions[position + 1].keep == "01.1"


def test_an_answer_below_its_check_is_kept_at_the_end(released):
    notebook = Notebook.solved()
    notebook.cells.append(notebook.cells.pop(notebook.index("task-01-1")))
    assert schedule(released, notebook).actions[-1].keep == "01.1"


def test_a_copy_of_the_stub_does_not_run(released):
    notebook = Notebook.solved().duplicate("01.1", stub("01.1"))
    made = schedule(released, notebook)
    assert made.tasks["01.1"].attempted
    assert [a.source for a in made.actions].count(stub("01.1")) == 0


def test_a_task_alone_gets_the_cells_it_needs_and_no_others(released):
    made = schedule(released, Notebook.solved().first("import os").last("x = 1"))
    sources = " ".join(action.source for action in actions_for(made, "01.2", set()))
    assert all(name in sources for name in ("import numpy", "def gini", "def decrease"))
    assert "def entropy" not in sources and "import os" not in sources


@pytest.mark.parametrize(
    "content",
    [b"", b"  ", b"[]", b"null", b"{}", b'{"cells": 3}', b'{"cells": [1]}', b"\xff\xfe\0"],
)
def test_what_is_no_notebook_says_so(content):
    with pytest.raises(UnreadableError, match="empty|not a notebook"):
        read_cells(content)


def test_the_old_notebook_format_is_read():
    cell = {"cell_type": "code", "input": ["x = 1"], "metadata": {}}
    content = json.dumps({"worksheets": [{"cells": [cell]}]}).encode()
    assert read_cells(content)[0][0].source == "x = 1"


# Imports


def imports(released, task: str, source: str) -> list[Note]:
    return notes_on_imports(schedule(released, Notebook.solved().answer(task, source)), set())


def test_the_solution_uses_only_what_is_allowed(released):
    assert notes_on_imports(schedule(released, Notebook.solved()), set()) == []


@pytest.mark.parametrize(
    ("task", "source", "used"),
    [
        (
            "01.4",
            "from course_lib.measures import mdi as m\ntree_mdi = m",
            "course_lib.measures.mdi",
        ),
        (
            "01.4",
            "import course_lib.measures as lib\ntree_mdi = lib.mdi",
            "course_lib.measures.mdi",
        ),
        ("01.2", "decrease = impurity_decrease", "course_lib.models.impurity_decrease"),
        ("01.1", "entropy = eval('1')", "eval"),
    ],
)
def test_a_use_outside_the_allowed_imports_is_noted(released, task, source, used):
    (note,) = imports(released, task, source)
    assert task in note.text and used in note.text and note.for_lecturer


def test_an_import_that_only_shows_while_running_is_noted(released):
    (note,) = notes_on_imports(
        schedule(released, Notebook.solved()), {"course_lib.measures.forests.mdi"}
    )
    assert "course_lib.measures.forests.mdi" in note.text


# What comes out


@pytest.fixture
def result(released) -> Result:
    return empty_result(released, "ada", [Note("The file is empty.")])


def with_tasks(result: Result, *, first: dict | None = None, **changes) -> Result:
    """The same result with other tasks, the first of them changed further."""
    tasks = [replace(task, **changes) for task in result.tasks]
    return replace(result, tasks=(replace(tasks[0], **(first or {})), *tasks[1:]))


def test_every_outcome_has_a_place_on_the_pages(result):
    failures = (records.ERROR, records.TIMEOUT, records.DIED, records.MISSING)
    for outcome in (CORRECT, NOT_YET, NOT_ATTEMPTED, *failures):
        changed = with_tasks(result, outcome=outcome)
        assert "class at a glance" in class_page([changed.summary()], Marks())
        assert feedback_page(changed, Marks()).count("<section>") == 8


def test_a_page_that_would_be_too_large_goes_without_outputs(result):
    picture = CellOutput(png="A" * 3_000_000)
    large = with_tasks(result, first={"code": "x", "run": CellRun((picture, picture))})
    assert len(feedback_page(large, Marks()).encode()) <= MAX_PAGE


def test_students_do_not_see_notes_for_the_lecturer(result):
    noted = replace(result, notes=(Note("seen by all"), Note("uses eval", for_lecturer=True)))
    assert "uses eval" not in (page := feedback_page(noted, Marks())) and "seen by all" in page
    assert "For the lecturer: uses eval" in class_page([noted.summary()], Marks())


def test_a_students_page_has_a_total_once_all_is_marked(result):
    done = with_tasks(result, outcome=NOT_YET, points=0, first={"outcome": CORRECT, "points": 2})
    page = feedback_page(done, Marks())
    assert "2 of 15</span> points for the tasks" in page and "nobody has marked so far" in page
    marks = Marks({(done.student, done.name, "01.w"): ("3,5", "")})
    page = feedback_page(done, marks)
    assert '<span class="big">5.5 of 20</span> points: 2 of 15 for' in page
    assert "3.5 of 5 for what you wrote" in page


@pytest.mark.parametrize(
    ("outcome", "message"), [(NOT_YET, "Wrong."), (NOT_ATTEMPTED, "There is no answer yet.")]
)
def test_a_final_mark_says_of_nothing_that_it_is_not_yet(result, outcome, message):
    failed = with_tasks(result, outcome=outcome, points=0, message=message)
    marks = Marks({(failed.student, failed.name, "01.w"): ("0", "")})
    words = feedback_page(failed, marks).partition("<body>")[2]
    assert "yet" not in words and "↻" not in words


def test_a_summary_knows_points_and_slips_but_no_code(result):
    run = CellRun((CellOutput("long"),))
    full = with_tasks(result, first={"code": "x", "run": run, "slip_name": "s", "points": 2})
    small = full.summary()
    assert (small.points, small.tasks[0].slip_name) == (2, "s")
    assert not small.tasks[0].code and not small.tasks[0].run


def test_discrimination_is_the_correlation_with_the_rest():
    right, rest = [True, False, True, False], [4, 1, 3, 2]
    assert discrimination(right, rest) == pytest.approx(np.corrcoef(right, rest)[0, 1], abs=1e-4)
    assert discrimination([True] * 4, rest) is None


def test_a_class_page_names_the_common_slip_and_its_hint(result):
    slip = {"outcome": "not yet", "slip_name": "natural logarithm", "points": 0, "behind": "M1"}
    slip["hint"] = "Bits: a fair coin is 1 bit."
    page = class_page([with_tasks(result, outcome="correct", points=2, first=slip)] * 5, Marks())
    assert "natural logarithm" in page.partition("Task by task")[0]
    assert "a fair coin is 1 bit" in page and "neutral fact about the data" in page


def test_a_misconception_is_never_a_code_alone(result):
    slip = {"outcome": "not yet", "slip_name": "s", "points": 0, "behind": "M1", "hint": "h"}
    rare = with_tasks(result, outcome="correct", points=2, first=slip)
    others = [with_tasks(result, outcome="correct", points=2)] * 9
    page = unescape(class_page([rare, *others], Marks()))
    assert page.count("M1") == page.count(f"M1: {MISCONCEPTIONS['M1']}") == 1


def test_a_stray_notebook_does_not_head_the_page_nor_advise_the_class(result):
    handed_in = with_tasks(result, outcome="not yet", points=0)
    stray = replace(handed_in, lesson="00", name="00_six_questions")
    page = class_page([stray, *[handed_in] * 9], Marks())
    first, _, second = page.partition("Six questions")
    assert "What to teach again" in first and "What to teach again" not in second
    assert "</b>student</div>" in second and "</b>students</div>" in first


@pytest.mark.parametrize(("n", "speaks"), [(8, False), (19, False), (20, True)])
def test_correlations_are_silent_in_a_small_class(result, n, speaks):
    wrong = {"outcome": "not yet", "points": 0}
    good = with_tasks(result, outcome="correct", points=2, first=wrong)
    bad = with_tasks(result, outcome="not yet", points=0, first={"outcome": "correct", "points": 2})
    page = class_page([good, bad] * (n // 2) + [good] * (n % 2), Marks())
    assert ("do no better here" in page) == speaks
    assert ("-1.00" in page) == speaks and "20 people" in page


def sheet(result: Result) -> list[tuple]:
    return [(result.student, result.name, written) for written in result.written]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_sheet_is_read_back_as_a_spreadsheet_saves_it(tmp_path, result, delimiter):
    path = tmp_path / "written.csv"
    write_sheet(path, sheet(result), Marks())
    assert read_marks(path).total(result) == ""
    text = path.read_text().replace(",,5,,", ",3.5,5,well done,").replace(",", delimiter)
    path.write_text("\ufeff" + text, encoding="utf-8")
    marks = read_marks(path)
    assert marks.total(result) == "3.5"
    assert marks.comment(result, result.written[0]) == "well done"
    write_sheet(path, sheet(result), marks)
    assert read_marks(path).entries == marks.entries


@pytest.mark.parametrize("points", ["six", "6", "-1", "nan"])
def test_points_that_cannot_be_are_kept_but_not_counted(result, points):
    marks = Marks({("ada", NAME, "01.w"): (points, "")})
    marks.check(result)
    assert marks.total(result) == "" and "0 to 5" in marks.warnings[0]


def test_a_sheet_that_is_no_sheet_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "written.csv"
    path.write_bytes(b"PK\x03\x04\xff\xfe")
    with pytest.raises(WrittenError, match=", ".join(written.COLUMNS)):
        read_marks(path)


def test_nothing_is_rewritten_that_says_the_same(tmp_path):
    path = tmp_path / "x.txt"
    assert write_if_changed(path, "a")
    before = path.stat().st_mtime_ns
    assert not write_if_changed(path, b"a")
    assert path.stat().st_mtime_ns == before
