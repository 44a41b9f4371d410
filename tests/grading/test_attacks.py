"""What an attacker got through with files and names, each as short as it can be told."""

import io
import json
import os
import time
import zipfile

import pytest
from exports import Person, notebook_of, zipped
from test_exports import put, words

from course_lib.grading import archives, engine, looking, publishing, submissions
from course_lib.grading.archives import SubmissionsError
from course_lib.grading.box import Limits
from course_lib.grading.engine import Batch
from course_lib.grading.replies import MAX_PIXELS, parse_cell
from course_lib.grading.submissions import LATE, find, read_export
from course_lib.lessons.cells import grade_id
from course_lib.tools.system import ROOT

MINE = notebook_of(Person(1))
EVIL = notebook_of(Person(66))
EVIL_WORDS = "by s0000066, version 1"


def hand_in(folder, *students):
    for student in students:
        put(folder / student / "01_mdi.ipynb", MINE)


def said_of(export) -> dict[str, str | None]:
    return {s.student: words(s) for s in export.submissions}


# One student stops the batch


def giant() -> bytes:
    """A notebook in which one cell is a text of 26 million characters, each of two bytes."""
    data = json.loads(EVIL)
    cell = next(c for c in data["cells"] if c["id"] == grade_id("task", "01.1"))
    cell["source"] = "#" + "\u0100" * 26_000_000
    return json.dumps(data, ensure_ascii=False).encode()


def test_a_second_notebook_of_giant_text_stops_nobody(tmp_path):
    hand_in(tmp_path, "ada", "mallory")
    put(tmp_path / "mallory" / "01_mdi (1).ipynb", giant())
    export = read_export(tmp_path)
    assert [s.student for s in export.submissions] == ["ada", "mallory"]
    assert words(export.submissions[0]) == "by s0000001, version 1"


@pytest.mark.parametrize("error", [MemoryError, RecursionError, SystemError, AssertionError])
def test_whatever_goes_wrong_with_a_student_is_told_of_that_student(tmp_path, monkeypatch, error):
    original = looking.File.lessons

    def fails(file, *limits):
        if "mallory" in file.source[0]:
            raise error("x")
        return original(file, *limits)

    monkeypatch.setattr(looking.File, "lessons", fails)
    hand_in(tmp_path, "ada", "mallory")
    export = read_export(tmp_path)
    assert [s.item is None for s in export.submissions] == [False, True]
    assert [u.student for u in export.untaken] == ["mallory"]


@pytest.mark.parametrize("how", ["dies", "hangs"])
def test_a_reader_that_dies_or_hangs_is_told_of_the_student_it_read(tmp_path, monkeypatch, how):
    def fails(file, *_):
        if "mallory" in file.source[0]:
            time.sleep(60) if how == "hangs" else os._exit(9)
        return original(file, *_)

    original = looking.File.lessons
    monkeypatch.setattr(looking.File, "lessons", fails)
    monkeypatch.setattr(submissions, "STUDENT_SECONDS", 4.0)
    hand_in(tmp_path, "ada", "mallory", "zoe")
    export = read_export(tmp_path)
    assert [s.item is None for s in export.submissions] == [False, True, False]
    assert [u.student for u in export.untaken] == ["mallory"]


def test_what_is_read_for_grading_is_read_with_limits_too(tmp_path, monkeypatch):
    hand_in(tmp_path, "ada", "mallory")
    found = find(tmp_path)
    original = submissions.Submission.read

    def dies(submission, limit):
        return os._exit(9) if submission.student == "mallory" else original(submission, limit)

    monkeypatch.setattr(submissions.Submission, "read", dies)
    batch = Batch(tmp_path / "out", 7, Limits())
    with engine._reader() as read:
        ada, mallory = engine._to_do(found, batch, lambda: None, read)
    assert ada.content == MINE and ada.notes == []
    assert mallory.content is None and "cannot be read" in mallory.notes[0]


def test_a_page_that_cannot_be_made_is_said_and_all_others_are_there(tmp_path, monkeypatch):
    hand_in(tmp_path / "in", "ada", "mallory")
    export = read_export(tmp_path / "in")
    for s in export.submissions:
        released = engine._released_exercise(s.name, s.lesson, released_bytes())
        result = engine.empty_result(released, s.student, [])
        put(engine.result_file(tmp_path, s.student, s.name), engine.to_json(result).encode())
    original = publishing.feedback_page

    def fails(result, *others):
        if result.student == "mallory":
            raise MemoryError
        return original(result, *others)

    monkeypatch.setattr(publishing, "feedback_page", fails)
    _, said = publishing.publish(tmp_path, export)
    assert ["mallory" in sentence for sentence in said if "MemoryError" in sentence] == [True]
    assert (tmp_path / "feedback" / "ada" / "01_mdi.html").exists()


def released_bytes() -> bytes:
    return (ROOT / "exercises" / "01_mdi" / "01_mdi.ipynb").read_bytes()


# Archives


def test_archives_in_archives_cost_only_their_student_a_bounded_time(tmp_path, monkeypatch):
    monkeypatch.setattr(looking, "MAX_CPU", 0.1)
    zeros = stored({"0": bytes(16 * 2**20), "x.ipynb": EVIL})
    put(tmp_path / "mallory" / "my.zip", zipped({f"{k}.zip": zeros for k in range(9)}))
    hand_in(tmp_path, "ada", "zoe")
    export = read_export(tmp_path)
    assert said_of(export)["ada"] == said_of(export)["zoe"] == "by s0000001, version 1"
    assert {u.student for u in export.untaken if "longer" in u.reason} == {"mallory"}


def stored(files: dict[str, bytes]) -> bytes:
    """An archive that is as large as its contents, so that another one packs it well."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_unpacked_bytes_are_counted_for_each_student(tmp_path, monkeypatch):
    monkeypatch.setattr(looking, "MAX_BYTES", 2**20)
    inner = zipped({"0": bytes(2**19)})
    put(tmp_path / "mallory" / "my.zip", zipped({f"{k}.zip": inner * 900 for k in range(9)}))
    for name in ("ada", "zoe"):
        put(tmp_path / name / "my.zip", zipped({"in.zip": zipped({"x.ipynb": MINE})}))
    export = read_export(tmp_path)
    told = {u.student for u in export.untaken if "together" in u.reason}
    assert told == {"mallory"} and said_of(export)["zoe"] == "by s0000001, version 1"


def test_a_table_of_a_million_ids_is_not_counted_through(tmp_path):
    ids = ",".join(f'"id":"task-{k:08d}-1"' for k in range(10**6))
    put(tmp_path / "mallory" / "x.json", f'{{"a":{{{ids}}}}}'.encode())
    hand_in(tmp_path, "ada")
    export = read_export(tmp_path)
    assert "more marks" in export.untaken[0].reason
    assert all(len(note) < 300 for s in export.submissions for note in s.notes)


def test_too_many_files_name_the_place_where_most_of_them_are(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MAX_FILES", 30)
    hand_in(tmp_path, "ada")
    for k in range(40):
        put(tmp_path / "mallory" / f"{k}.txt")
    with pytest.raises(SubmissionsError, match="mallory"):
        read_export(tmp_path)


# Whose a file is

LIKE_A_PLATFORM = {
    "ada_assignsubmission_file_01_mdi (999).ipynb": EVIL,
    "bob_assignsubmission_file_01_mdi (999).ipynb": EVIL,
    "zoe+01_mdi+2099-01-01 00:00:00 UTC+x/01_mdi.ipynb": EVIL,
    "adaada_105_905_01_mdi.ipynb": EVIL,
}


@pytest.mark.parametrize("as_zip", [False, True])
def test_names_in_a_students_folder_or_archive_are_nobody_elses(tmp_path, as_zip):
    hand_in(tmp_path, "ada", "bob", "zoe")
    if as_zip:
        put(tmp_path / "mallory.zip", zipped(LIKE_A_PLATFORM))
    for name, content in {} if as_zip else LIKE_A_PLATFORM.items():
        put(tmp_path / "mallory" / name, content)
    found = said_of(read_export(tmp_path))
    assert found.pop("mallory") == EVIL_WORDS
    assert found == dict.fromkeys(("ada", "bob", "zoe"), "by s0000001, version 1")


def test_names_in_a_loose_archive_of_classroom_are_nobody_elses(tmp_path):
    for name in ("ada", "bob"):
        put(tmp_path / f"{name} - 01_mdi.ipynb", MINE)
    put(tmp_path / "mallory.zip", zipped(LIKE_A_PLATFORM | {"ada - 01_mdi.ipynb": EVIL}))
    found = said_of(read_export(tmp_path))
    assert found.pop("mallory") == EVIL_WORDS
    assert set(found.values()) == {"by s0000001, version 1"} and found.keys() == {"ada", "bob"}


def test_what_was_taken_for_a_folder_around_the_class_is_told(tmp_path):
    for name in list(LIKE_A_PLATFORM)[:2]:
        put(tmp_path / "mallory" / name, EVIL)
    export = read_export(tmp_path)
    assert {s.student for s in export.submissions} == {"ada", "bob"}
    assert [sentence.split()[0] for sentence in export.said] == ["mallory"]


def test_blackboards_own_part_of_a_name_is_the_first(tmp_path):
    front = "Exercise 01_{}_attempt_2026-10-{:02d}-11-59-00_{}01_mdi.ipynb"
    put(tmp_path / front.format("ada99", 1, ""), MINE)
    put(tmp_path / front.format("bob99", 1, ""), MINE)
    for claim in ("x_ada99_attempt_2099-10-03-11-59-00_", "x_mal66_attempt_2026-10-01-00-00-00_"):
        put(tmp_path / front.format("mal66", 5, claim), EVIL)
    export = read_export(tmp_path, due="2026-10-03T23:59:00")
    late = {s.student: LATE in s.notes for s in export.submissions}
    assert late == {"ada99": False, "bob99": False, "mal66": True}
    assert said_of(export)["ada99"] == "by s0000001, version 1"


def test_a_text_that_a_student_uploads_to_blackboard_names_no_users(tmp_path):
    front = "Exercise 01_{}_attempt_2026-10-01-11-59-00_{}"
    for name in ("ada99", "mal66"):
        put(tmp_path / front.format(name, "01_mdi.ipynb"), MINE)
    put(tmp_path / front.format("mal66", "x.txt"), b"Name: Ada (01_ada99)\n")
    assert [s.student for s in find(tmp_path)] == ["ada99", "mal66"]


def test_a_file_on_canvas_that_is_called_as_on_moodle_stays_its_owners_and_late(tmp_path):
    put(tmp_path / "ada_104_904_01_mdi.ipynb", MINE)
    put(tmp_path / "zoe_106_906_01_mdi.ipynb", MINE)
    put(tmp_path / "mallory_LATE_105_905_x_assignsubmission_file_y.ipynb", EVIL)
    export = read_export(tmp_path)
    late = {s.student: LATE in s.notes for s in export.submissions}
    assert late == {"ada_104": False, "mallory_105": True, "zoe_106": False}


# Nobody disappears


@pytest.mark.parametrize("name", ["submitted", "inbound", "Submitted"])
@pytest.mark.parametrize("deep", ["", "x/01_mdi/"])
def test_a_student_called_like_a_folder_of_the_exchange_hides_nobody(tmp_path, name, deep):
    hand_in(tmp_path, "ada", "bob")
    put(tmp_path / name / f"{deep}01_mdi.ipynb", EVIL)
    found = said_of(read_export(tmp_path))
    assert found == {"ada": MINE_WORDS, "bob": MINE_WORDS, name: EVIL_WORDS}


MINE_WORDS = "by s0000001, version 1"


@pytest.mark.parametrize("marks", [(), ("nbgrader_config.py", "notes/x.ipynb")])
def test_a_course_of_nbgrader_is_read_in_the_folder_of_what_was_submitted(tmp_path, marks):
    for name in ("source/01_mdi/01_mdi.ipynb", "release/01_mdi/01_mdi.ipynb", *marks):
        put(tmp_path / name, EVIL)
    for student in ("ada", "bob"):
        put(tmp_path / "submitted" / student / "01_mdi" / "01_mdi.ipynb", MINE)
    assert said_of(read_export(tmp_path)) == {"ada": MINE_WORDS, "bob": MINE_WORDS}


# Pictures


def test_a_small_file_that_opens_as_a_giant_picture_is_not_shown():
    import base64
    import struct

    def png(width, height):
        head = b"\x89PNG\r\n\x1a\n" + struct.pack("!I4sII", 13, b"IHDR", width, height)
        return {"png": base64.b64encode(head + bytes(40)).decode()}

    assert parse_cell({"output": [png(24_000, 24_000), png(640, 480)]}, 10**6).output == (
        parse_cell({"output": [png(640, 480)]}, 10**6).output
    )
    many = parse_cell({"output": [png(1000, 1000)] * 1000}, 10**6).output
    assert 1 <= sum(bool(part.png) for part in many) <= MAX_PIXELS // 10**6
