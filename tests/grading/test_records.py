"""Results as they are kept: readable JSON, read back exactly, refused if it is anything else."""

import json
from dataclasses import replace

import pytest

from course_lib.grading.records import (
    FORMAT,
    CellError,
    CellOutput,
    CellRun,
    ErrorLine,
    ExtraCell,
    Note,
    Result,
    TaskResult,
    WrittenResult,
    from_json,
    to_json,
)
from course_lib.lessons import exercise

RUN = CellRun(
    (CellOutput("x"), CellOutput(png="iVBO")), CellError("E", "why", (ErrorLine(3, "x = 1"),))
)
RESULT = Result(
    student="ada",
    lesson="01",
    name="01_mdi",
    max_points=15,
    tasks=(TaskResult.of(exercise("01.1"), "correct", "Right.", code="x", run=RUN),),
    written=(WrittenResult("01.w", 5, "ä text"),),
    notes=(Note("odd"), Note("uses eval", for_lecturer=True)),
    cells=(ExtraCell(2, replace(RUN, lost="It died.")),),
    contained=False,
    key="abc",
)


def test_a_result_is_read_back_as_it_was():
    assert from_json(to_json(RESULT)) == RESULT


def test_what_is_kept_can_be_read_by_a_person():
    data = json.loads(to_json(RESULT))
    assert (data["student"], data["points"], data["contained"]) == ("ada", 2, False)
    assert data["notes"][1] == {"text": "uses eval", "for_lecturer": True}
    assert "ä text" in to_json(RESULT)


def changed(**entries) -> str:
    return json.dumps(json.loads(to_json(RESULT)) | entries)


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "null", "3", "{}", '{"key": "abc"}', "[" * 100_000),
        changed(format=FORMAT - 1),
        changed(more=1),
        changed(max_points="15"),
        changed(contained=1),
        changed(notes=["For the lecturer: uses eval"]),
        changed(tasks=[{"task": "01.1"}]),
        changed(written=None),
    ],
    ids=lambda text: text[:20],
)
def test_anything_else_counts_as_not_graded(text):
    assert from_json(text) is None


def test_a_note_for_the_lecturer_says_so():
    assert str(Note("x", for_lecturer=True)) == "For the lecturer: x" and str(Note("x")) == "x"
