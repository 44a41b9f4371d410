"""A class as each learning platform exports it: everybody has a row, every file has its place."""

import io
import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from unicodedata import normalize

import exports
import pytest
from exports import EXPORTS, Person, notebook_of, untouched, zipped

from course_lib.grading import archives, submissions
from course_lib.grading.archives import SubmissionsError
from course_lib.grading.submissions import BEST, LATE, Export, find, read_export, safe_name
from course_lib.tools.system import ROOT

NAME = "01_mdi"


def words(submission) -> str | None:
    """What the written answer of a submission says."""
    content, _ = submission.read(10**8)
    if content is None:
        return None
    cells = {cell["id"]: cell["source"] for cell in json.loads(content)["cells"]}
    return cells["written-01-w"]


def put(path: Path, content: bytes = b"x") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


@pytest.fixture(scope="module", params=[(n, z) for n in EXPORTS for z in (True, False)], ids=str)
def read(request, tmp_path_factory) -> tuple[exports.Made, Export]:
    name, as_zip = request.param
    made = EXPORTS[name]()
    return made, read_export(made.write(tmp_path_factory.mktemp(name), as_zip=as_zip))


def test_everybody_has_one_row_with_the_own_notebook(read):
    made, export = read
    found = {s.student: words(s) for s in export.submissions}
    assert len(found) == len(export.submissions) == exports.N
    assert found == {safe_name(student): text for student, text in made.expected.items()}


def test_every_file_is_graded_taken_along_or_listed_with_a_reason(read):
    made, export = read
    taken = sum(1 + len(s.beside) for s in export.submissions if s.item)
    assert taken + len(export.untaken) == n_files(made.files)
    assert all(u.reason and u.file for u in export.untaken)


def n_files(files: dict[str, bytes]) -> int:
    """How many files there are; an archive counts as what it holds."""
    return sum(n_files(unzipped(c)) if n.endswith(".zip") else 1 for n, c in files.items())


def unzipped(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_late_is_known_where_the_platform_says_it(read):
    made, export = read
    assert {s.student for s in export.submissions if LATE in s.notes} == made.late


def test_who_handed_in_no_notebook_is_told_what_was_found(read):
    made, export = read
    for s in export.submissions:
        if s.item is None:
            assert s.notes[0].startswith("No notebook of this exercise was submitted. There is")


def test_of_several_attempts_the_last_or_all_are_graded(tmp_path):
    made = exports.brightspace()
    path = made.write(tmp_path, as_zip=True)
    twice = [s for s in read_export(path, attempts=BEST).submissions if s.attempts]
    assert len(twice) == len([p for p in exports.people() if p.number % 8 == 0])
    for s in twice:
        texts = [words(attempt).rpartition(" ")[2] for attempt in s.attempts]
        assert texts == ["1", "2"]
        assert len({attempt.student for attempt in s.attempts} | {s.student}) == 3
    assert len(read_export(path, attempts=BEST).to_grade()) == exports.N + len(twice)


@pytest.mark.parametrize("name", exports.NAMES)
def test_a_notebook_is_recognised_by_its_cells_whatever_it_is_called(tmp_path, name):
    put(tmp_path / "ada" / name, notebook_of(Person(1)))
    (found,) = find(tmp_path)
    assert (found.student, found.name, found.notes) == ("ada", NAME, ())
    assert words(found) == "by s0000001, version 1"


def test_an_untouched_copy_never_beats_the_work(tmp_path):
    for name in ("01_mdi (9).ipynb", "exercise_01_mdi (new).ipynb", "zzz.ipynb"):
        put(tmp_path / "ada" / name, untouched())
    put(tmp_path / "ada" / "01_mdi.ipynb", notebook_of(Person(1)))
    export = read_export(tmp_path)
    assert words(export.submissions[0]) == "by s0000001, version 1"
    assert {u.reason for u in export.untaken} == {
        "Another notebook for lesson 01 was graded: 01_mdi.ipynb."
    }


def test_an_untouched_copy_is_known_by_its_marks_alone(tmp_path):
    for name, content in (("a", notebook_of(Person(1))), ("b", untouched())):
        data = json.loads(content)
        for cell in data["cells"]:
            del cell["id"]
        put(tmp_path / "ada" / f"{name}.ipynb", json.dumps(data).encode())
    assert find(tmp_path)[0].item.parts == ("a.ipynb",)


def test_a_single_student_who_hands_in_folders_is_not_taken_for_a_class(tmp_path):
    for folder in ("01_mdi", "exercises"):
        put(tmp_path / "ada" / folder / "x.ipynb", notebook_of(Person(1)))
    assert {s.student for s in find(tmp_path)} == {"ada"}


def test_a_lesson_that_one_student_handed_in_by_mistake_is_asked_of_nobody_else(tmp_path):
    for number in range(20):
        put(tmp_path / f"s{number:02d}" / "x.ipynb", notebook_of(Person(number)))
    other = (ROOT / "solutions" / "02_mdi_bias" / "02_mdi_bias.ipynb").read_bytes()
    put(tmp_path / "s99" / "x.ipynb", other)
    export = read_export(tmp_path)
    rows = [(s.student, s.lesson) for s in export.submissions if s.lesson != "01"]
    assert rows == [("s99", "02")]
    (note,) = next(s.notes for s in export.submissions if s.student == "s99" and s.lesson == "01")
    assert "cells of lesson 02" in note
    only = read_export(tmp_path, only=("01",))
    assert {s.lesson for s in only.submissions} == {"01"}
    assert "not asked for" in only.untaken[0].reason
    with pytest.raises(SubmissionsError, match="no lesson 77.*01"):
        read_export(tmp_path, only=("77",))


@pytest.mark.parametrize("name", ["brightspace", "blackboard", "exchange"])
def test_what_is_dated_after_the_due_time_is_late(tmp_path, name):
    path = EXPORTS[name]().write(tmp_path, as_zip=True)
    last = "2026-10-12T00:00:00" if name == "brightspace" else "2026-10-01T11:59:00"
    for due, n in ((last, 9 if name == "brightspace" else None), ("2026-12-01T00:00:00", 0)):
        late = [s for s in read_export(path, due=due).submissions if LATE in s.notes]
        assert len(late) == (TWICE[name] if n is None else n)
    assert len([s for s in read_export(path).submissions if LATE in s.notes]) == 0


TWICE = {"blackboard": 6, "exchange": 11}  # who handed in again a day later


@pytest.mark.parametrize(
    ("date", "time"),
    [
        ("Oct 3, 2026 1159 PM", "2026-10-03T23:59:00"),
        ("October 12, 2026 105 AM", "2026-10-12T01:05:00"),
        ("Oct 3, 2026 1205 AM", "2026-10-03T00:05:00"),
        ("3 oktober, 2026 2359", "2026-10-03T23:59:00"),
        ("3 März 2026 9.05", "2026-03-03T09:05:00"),
        ("12 juil. 2026 14:30", "2026-07-12T14:30:00"),
    ],
)
def test_the_dates_of_brightspace_are_read_in_other_languages_too(tmp_path, date, time):
    put(tmp_path / f"1-2 - Ada L - {date}" / "x.ipynb", notebook_of(Person(1)))
    put(tmp_path / f"1-2 - Ada L - {date}" / "y.ipynb", notebook_of(Person(2)))
    (told,) = read_export(tmp_path).untaken
    assert time in told.reason and told.student == "Ada L_1"


def test_folders_that_look_like_files_of_a_platform_stay_apart(tmp_path):
    for team in ("team_1_2_final", "team_1_3_final", "team_2_1_attempt_2026-10-01-11-59-00_x"):
        put(tmp_path / team / "x.ipynb", notebook_of(Person(1)))
    assert len({s.student for s in find(tmp_path)}) == 3


def test_exports_of_two_sections_in_one_folder_are_one_class(tmp_path):
    made = exports.canvas()
    halves = [dict(list(made.files.items())[k::2]) for k in range(2)]
    for name, files in zip(("section A.zip", "section B.zip"), halves, strict=True):
        put(tmp_path / name, zipped(files))
    put(tmp_path / "gradebook.csv")
    export = read_export(tmp_path)
    found = {s.student: words(s) for s in export.submissions}
    assert found == {safe_name(student): text for student, text in made.expected.items()}
    assert ("", "gradebook.csv") in {(u.student, u.file) for u in export.untaken}


def test_names_in_an_archive_that_does_not_say_its_encoding_are_read_as_utf_8(tmp_path):
    content = zipped({"mXXllerzoe_12_34_x.ipynb": notebook_of(Person(1))})
    path = tmp_path / "export.zip"
    path.write_bytes(content.replace(b"mXXller", "müller".encode()))
    (found,) = find(path)
    assert found.student == "müllerzoe_12" and words(found) == "by s0000001, version 1"


def test_an_accent_in_two_characters_is_the_same_student(tmp_path):
    put(tmp_path / "Zoe\u0308" / "x.ipynb", notebook_of(Person(1)))
    put(tmp_path / "ada" / "x.ipynb", notebook_of(Person(2)))
    assert [s.student for s in find(tmp_path)] == ["Zo\xeb", "ada"]


@pytest.mark.parametrize("twin", ["Jose\u0301", "Karl".replace("K", "\u212a")])
def test_names_that_differ_only_in_how_they_are_written_are_two_students(tmp_path, twin):
    """Or one could hand in for the other."""
    own = normalize("NFC", twin)
    put(tmp_path / own / "01_mdi.ipynb", notebook_of(Person(1)))
    put(tmp_path / twin / "01_mdi (9).ipynb", notebook_of(Person(2)))
    found = {s.student: words(s) for s in find(tmp_path)}
    assert found == {own: "by s0000001, version 1", twin: "by s0000002, version 1"}


def test_blackboards_own_text_says_which_part_of_a_name_is_the_user(tmp_path):
    for user in ("uni_ada", "uni_bob"):
        front = tmp_path / f"My_Exercise_{user}_attempt_2026-10-01-11-59-00"
        put(front.with_name(f"{front.name}.txt"), f"Name: Ada L ({user})\nAssignment: x".encode())
        put(front.with_name(f"{front.name}_01_mdi.ipynb"), notebook_of(Person(1)))
    assert [s.student for s in find(tmp_path)] == ["uni_ada", "uni_bob"]


def test_a_file_beside_the_folder_of_the_class_changes_nothing(tmp_path):
    for name in ("ada", "bob"):
        put(tmp_path / "class" / name / "x.ipynb", notebook_of(Person(1)))
    put(tmp_path / "readme.txt")
    assert [s.student for s in find(tmp_path)] == ["ada", "bob"]


# What is damaged or hostile


def damaged_entry() -> bytes:
    content = bytearray(zipped({"01_mdi.ipynb": notebook_of(Person(1))}))
    for k in range(60, 400):
        content[k] ^= 0xFF
    return bytes(content)


def locked() -> bytes:
    """An archive whose entry says that it is encrypted."""
    content = bytearray(zipped({"01_mdi.ipynb": notebook_of(Person(1))}))
    for head, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(head) + flags] |= 1
    return bytes(content)


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("work.zip", damaged_entry(), "cannot be read"),
        ("work.zip", locked(), "locked with a password"),
        ("work.zip", zipped({"inner.zip": locked()}), "locked with a password"),
        ("work.zip", zipped({"x.ipynb": b"{}"})[:-30], "damaged"),
        ("work.zip", b"", "damaged"),
        ("work.zip", zipped({}), "empty"),
    ],
    ids=["entry", "locked", "locked inside", "cut", "nothing", "empty"],
)
@pytest.mark.parametrize("loose", [True, False])
def test_a_damaged_archive_is_a_note_for_its_student(tmp_path, name, content, why, loose):
    put(tmp_path / "ada" / "01_mdi.ipynb", notebook_of(Person(1)))
    put(tmp_path / ("eve.zip" if loose else f"eve/{name}"), content)
    export = read_export(tmp_path)
    notes = {s.student: s.notes for s in export.submissions}
    assert why in notes["eve"][0] and not notes["ada"]
    assert [why in u.reason for u in export.untaken] == [True]


def test_a_damaged_export_is_refused_in_a_sentence(tmp_path):
    path = tmp_path / "export.zip"
    path.write_bytes(zipped({"ada/01_mdi.ipynb": b"{}"})[:-40] + b"PK\x05\x06" + b"\xff" * 18)
    with pytest.raises(SubmissionsError, match="zip"):
        read_export(path)


def crowded(n: int) -> bytes:
    """An archive of a few bytes for each of its entries, which are many."""
    content = zipped({"x": b""})
    start, end = content.index(b"PK\x01\x02"), content.index(b"PK\x05\x06")
    entries = content[start:end] * n
    size = len(entries).to_bytes(4, "little")
    return content[:start] + entries + content[end : end + 12] + size + content[end + 16 :]


SMALL_READER = """
import sys
from pathlib import Path
from course_lib.grading import submissions

submissions.MAX_MEMORY = 100 * 2**20
export = submissions.read_export(Path(sys.argv[1]))
print(export.untaken[0].reason)
print([submission.item is not None for submission in export.submissions])
"""


def test_an_archive_that_fills_the_memory_is_a_note_for_its_student(tmp_path):
    """In a process of its own: one that has run many tests has memory to spare within the limit."""
    put(tmp_path / "ada" / "01_mdi.ipynb", notebook_of(Person(1)))
    put(tmp_path / "eve" / "many.zip", crowded(400_000))
    line = [sys.executable, "-c", SMALL_READER, str(tmp_path)]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=300)
    reason, graded = done.stdout.splitlines()
    assert "MemoryError" in reason and graded == "[True, False]", done.stderr


def test_too_many_files_are_a_note_for_their_student(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MAX_OWN", 30)
    put(tmp_path / "ada" / "01_mdi.ipynb", notebook_of(Person(1)))
    inner = zipped({f"{k:03d}": b"" for k in range(20)})
    put(tmp_path / "eve" / "many.zip", zipped({f"{k}.zip": inner for k in range(20)}))
    for k in range(40):
        put(tmp_path / "bob" / "d" / f"{k:03d}")
    export = read_export(tmp_path)
    told = [u.student for u in export.untaken if "more than" in u.reason]
    assert set(told) == {"bob", "eve"} and len(export.submissions) == 3
    assert len(export.untaken) < 100


def test_a_reader_that_takes_too_long_or_dies_is_told_in_a_sentence(tmp_path, monkeypatch):
    put(tmp_path / "ada" / "01_mdi.ipynb", notebook_of(Person(1)))
    monkeypatch.setattr(submissions, "MAX_SECONDS", 0.2)
    for cause in (lambda *_, **__: time.sleep(60), lambda *_, **__: os._exit(3)):
        monkeypatch.setattr(submissions, "list_files", cause)
        with pytest.raises(SubmissionsError, match="cannot be read"):
            read_export(tmp_path)


def test_archives_in_archives_end_somewhere(tmp_path):
    content = notebook_of(Person(1))
    for depth in range(8):
        content = zipped({"inner.zip" if depth else "x.ipynb": content})
    put(tmp_path / "eve" / "deep.zip", content)
    put(tmp_path / "ada" / "01_mdi.ipynb", notebook_of(Person(1)))
    export = read_export(tmp_path)
    assert "others" in export.untaken[0].reason and len(export.submissions) == 2


def test_thirty_folders_deep_is_found_and_three_hundred_too(tmp_path):
    for depth in (30, 300):
        put(tmp_path / f"s{depth}" / "/".join("d" * depth) / "x.ipynb", notebook_of(Person(depth)))
    assert [words(s) is not None for s in find(tmp_path)] == [True, True]


def test_a_folder_of_results_deeper_in_is_ignored_too(tmp_path):
    put(tmp_path / "ada" / "01_mdi.ipynb", notebook_of(Person(1)))
    put(tmp_path / "ada" / "results" / "x.ipynb", notebook_of(Person(2)))
    (found,) = find(tmp_path, ignore=tmp_path / "ada" / "results")
    assert words(found) == "by s0000001, version 1"


def test_without_an_exercise_the_export_is_refused_with_what_it_holds(tmp_path):
    put(tmp_path / "ada" / "essay.docx")
    with pytest.raises(SubmissionsError, match="essay.docx"):
        find(tmp_path)
