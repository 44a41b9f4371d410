"""The parts of grading that need no box: names, files, notebooks, values, tables, pages."""

import json
import socket
import struct
import time
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from students.kit import NAME, ROOT, Notebook, stub

from course_lib.grading import written
from course_lib.grading.classpage import class_page, discrimination
from course_lib.grading.feedback import MAX_PAGE, feedback_page
from course_lib.grading.imports import notes_on_imports
from course_lib.grading.marking import OUTCOMES, AnswerKey, unreadable
from course_lib.grading.notebook import Released, UnreadableError, alone, plan, read_cells
from course_lib.grading.submissions import SubmissionsError, find, safe_name
from course_lib.grading.tables import neutral, summary, write_if_changed
from course_lib.grading.wire import ChannelClosedError, Other, decode, encode, receive, send
from course_lib.grading.written import Marks, WrittenError, read_marks, write_sheet
from course_lib.lessons import exercise

# Values


class Liar(float):
    def __eq__(self, other):
        return True

    def __float__(self):
        return 1.0

    __hash__ = float.__hash__


class Empty(np.ndarray):
    def tolist(self):
        return []


VALUES = [
    None,
    True,
    3,
    -2.5,
    float("inf"),
    "text",
    [1, [2.0, "x"]],
    (1, 2),
    {"a", "b"},
    {"key": [1], 2: None},
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_plain_values_survive_the_wall(value):
    assert decode(json.loads(json.dumps(encode(value)))) == value


@pytest.mark.parametrize(
    "array",
    [np.arange(6.0).reshape(2, 3), np.array([True, False]), np.array(3.5), np.zeros((0, 2))],
)
def test_arrays_keep_shape_and_content(array):
    back = decode(json.loads(json.dumps(encode(array))))
    assert back.shape == array.shape and back.dtype.kind == array.dtype.kind
    np.testing.assert_array_equal(back, array)


def test_numpy_and_pandas_become_plain():
    assert decode(encode(np.float64(0.5))) == 0.5
    assert decode(encode(np.int64(7))) == 7
    assert np.isnan(decode(encode(float("nan"))))
    np.testing.assert_array_equal(decode(encode(pd.Series([1.0, 2.0]))), [1.0, 2.0])
    assert decode(encode(pd.Index(["a", "b"]))) == ["a", "b"]


def test_a_subclass_is_judged_by_its_true_content():
    assert decode(encode([Liar(-7.0)])) != [1.0]
    np.testing.assert_array_equal(decode(encode(np.full(2, -7.0).view(Empty))), [-7.0, -7.0])


@pytest.mark.parametrize(
    "value",
    [(x for x in []), map(str, []), object(), 10**30, 1j],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_plain_value_stays_something_else(value):
    assert isinstance(decode(encode(value)), Other)


def test_endless_and_huge_values_are_cut_off():
    endless = []
    endless.append(endless)
    assert "too large" in repr(decode(encode(endless)))
    assert "too large" in repr(decode(encode(np.zeros(10**6))))


@pytest.mark.parametrize(
    "forged",
    [
        None,
        [],
        ["float", "1e5"],
        ["float", [1]],
        ["int", True],
        ["int", 2**80],
        ["array", "float", [3], [1.0]],
        ["array", "float", [-1, -1], [1.0]],
        ["array", "float", ["2"], [1.0, 2.0]],
        ["array", "int", [1], [1.5]],
        ["array", "object", [0], []],
        ["set", [["list", []]]],
        ["dict", [[["int", 1]]]],
        ["unknown", 1],
        {"float": 1},
    ],
    ids=lambda value: type(value).__name__,
)
def test_forged_values_are_refused(forged):
    with pytest.raises(ValueError):
        decode(forged)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)


@given(json_values)
@settings(max_examples=200)
def test_no_json_makes_decoding_raise_anything_but_value_errors(data):
    try:
        decode(data)
    except ValueError:
        pass


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
    with pytest.raises(TimeoutError):
        receive(ours, deadline=time.monotonic() + 0.05)


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


def planned(released, notebook: Notebook):
    return plan(released, read_cells(notebook.to_bytes())[0])


def test_the_released_notebook_says_what_is_asked(released):
    assert [e.id for e in released.graded] == [f"01.{k}" for k in range(1, 8)]
    assert released.answer(exercise("01.4")) == "tree_mdi"
    assert [w.id for w in released.written] == ["01.w"]


def test_an_answer_is_kept_where_its_check_stands(released):
    steps = planned(released, Notebook.solved()).steps
    kept = [step.keep for step in steps if step.keep]
    assert kept == [f"01.{k}" for k in range(1, 8)]
    position = next(k for k, step in enumerate(steps) if step.task == "01.1")
    assert steps[position + 1].keep == "01.1"


def test_an_answer_below_its_check_is_kept_at_the_end(released):
    notebook = Notebook.solved()
    notebook.cells.append(notebook.cells.pop(notebook.index("task-01-1")))
    assert planned(released, notebook).steps[-1].keep == "01.1"


def test_a_copy_of_the_stub_does_not_run(released):
    notebook = Notebook.solved().duplicate("01.1", stub("01.1"))
    made = planned(released, notebook)
    assert made.tasks["01.1"].attempted
    assert [s.source for s in made.steps].count(stub("01.1")) == 0


def test_a_task_alone_gets_the_cells_it_needs_and_no_others(released):
    made = planned(released, Notebook.solved().first("import os").last("x = 1"))
    sources = " ".join(step.source for step in alone(made, "01.6", set()))
    assert all(name in sources for name in ("import numpy", "tree_mdi", "forest_mdi"))
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


def imports(released, task: str, source: str) -> list[str]:
    return notes_on_imports(planned(released, Notebook.solved().answer(task, source)), set())


def test_the_solution_uses_only_what_is_allowed(released):
    assert notes_on_imports(planned(released, Notebook.solved()), set()) == []


@pytest.mark.parametrize(
    ("task", "source", "used"),
    [
        (
            "01.4",
            "from course_lib.measures.forests.mdi import mdi as m\ntree_mdi = m",
            "course_lib.measures.mdi",
        ),
        (
            "01.4",
            "import course_lib.measures.forests.mdi as lib\ntree_mdi = lib.mdi",
            "course_lib.measures.mdi",
        ),
        ("01.2", "decrease = impurity_decrease", "course_lib.models.impurity_decrease"),
        ("01.1", "entropy = eval('1')", "eval"),
    ],
)
def test_a_use_outside_the_allowed_imports_is_noted(released, task, source, used):
    (note,) = imports(released, task, source)
    assert task in note and used in note and note.startswith("For the lecturer")


def test_an_import_that_only_shows_while_running_is_noted(released):
    (note,) = notes_on_imports(
        planned(released, Notebook.solved()), {"course_lib.measures.forests.mdi"}
    )
    assert "course_lib.measures.forests.mdi" in note


# Keys


def test_the_key_knows_right_answers_and_slips():
    key = AnswerKey(exercise("01.1"), seed=3)
    assert key.agrees(key.wanted) and key.slip(key.wanted) is None
    for slip, values in key.slipped:
        assert not key.agrees(values) and key.slip(values).name == slip.name


@pytest.mark.parametrize("junk", [[], [None], [[[]]] * 6, [{1: 2}] * 6, [Other("x")] * 6])
def test_junk_never_agrees_and_never_raises(junk):
    for name in ("01.1", "01.5", "01.7"):
        assert not AnswerKey(exercise(name), seed=3).agrees(junk)


def test_other_seeds_give_other_cases():
    assert AnswerKey(exercise("01.1"), 1).cases != AnswerKey(exercise("01.1"), 2).cases


# What comes out


@pytest.fixture
def result(released) -> dict:
    empty = unreadable(released, ["The file is empty."])
    return {**empty, "student": "ada", "contained": True, "key": ""}


def test_every_outcome_has_a_place_on_the_pages(result):
    for outcome in OUTCOMES:
        tasks = [{**task, "outcome": outcome} for task in result["tasks"]]
        page = class_page([summary({**result, "tasks": tasks})], Marks())
        assert "class at a glance" in page
        assert feedback_page({**result, "tasks": tasks}, Marks()).count("<section>") == 8


def test_a_page_that_would_be_too_large_goes_without_outputs(result):
    part = {"png": "A" * 3_000_000}
    result["tasks"][0] |= {"code": "x", "output": [part, part]}
    assert len(feedback_page(result, Marks()).encode()) <= MAX_PAGE


def test_names_and_code_are_escaped(result):
    bad = "<script>alert(1)</script>"
    result |= {"student": bad, "notes": [bad]}
    result["tasks"][0] |= {"code": bad, "message": bad, "hint": bad, "output": [{"text": bad}]}
    result["written"][0] |= {"answer": bad}
    marks = Marks({(bad, NAME, "01.w"): ("1", bad)})
    assert "<script" not in feedback_page(result, marks)
    assert "<script" not in class_page([summary(result)], marks)


def test_discrimination_is_the_correlation_with_the_rest():
    right, rest = [True, False, True, False], [4, 1, 3, 2]
    assert discrimination(right, rest) == pytest.approx(np.corrcoef(right, rest)[0, 1], abs=1e-4)
    assert discrimination([True] * 4, rest) is None


def test_a_class_page_names_the_common_slip_and_its_hint(result):
    tasks = [dict(task, outcome="correct", points=task["max_points"]) for task in result["tasks"]]
    tasks[0] |= {"outcome": "not yet", "slip": "natural logarithm", "points": 0}
    tasks[0] |= {"hint": "Bits: a fair coin is 1 bit.", "behind": "M1"}
    page = class_page([summary({**result, "tasks": tasks})] * 5, Marks())
    assert "natural logarithm" in page.partition("Task by task")[0]
    assert "a fair coin is 1 bit" in page and "neutral fact about the data" in page


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_sheet_is_read_back_as_a_spreadsheet_saves_it(tmp_path, result, delimiter):
    path = tmp_path / "written.csv"
    write_sheet(path, [(result, w) for w in result["written"]], Marks())
    assert read_marks(path).total(result) == ""
    text = path.read_text().replace(",,5,,", ",3.5,5,well done,").replace(",", delimiter)
    path.write_text("\ufeff" + text, encoding="utf-8")
    marks = read_marks(path)
    assert marks.total(result) == "3.5"
    assert marks.comment(result, result["written"][0]) == "well done"
    write_sheet(path, [(result, w) for w in result["written"]], marks)
    assert read_marks(path).given == marks.given


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
    write_if_changed(path, "a")
    before = path.stat().st_mtime_ns
    write_if_changed(path, "a")
    assert path.stat().st_mtime_ns == before
