"""The model answer: only after a paragraph of one's own, stored, and written down once."""

import json
import re

import pytest

from course_lib import lessons
from course_lib.learner import journal, model_answer
from course_lib.learner.model_answers import LEAST, answer_to
from course_lib.lessons.cells import WRITE_HERE
from course_lib.tools.sources import read_source
from course_lib.tools.system import ROOT

TASK = lessons.find("written", "05.w")  # with formulas
PARAGRAPH = "word " * LEAST


@pytest.fixture(autouse=True)
def workbook(tmp_path, monkeypatch):
    """A learner's workbook with nothing in it."""
    for name in ("COURSE_BUILD", "NBGRADER_EXECUTION", "JPY_SESSION_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COURSE_WORKBOOK", str(tmp_path))
    return tmp_path


def surface():
    return model_answer(TASK.id).make()


def told(widget) -> str:
    """All that the page is told."""
    return json.dumps([widget.spec, widget.place, widget.shown], ensure_ascii=False)


def test_before_a_paragraph_the_page_knows_nothing_of_the_answer():
    start = TASK.answer.split("$")[0].strip()
    assert len(start) > 20 and start not in told(surface())
    assert start not in model_answer(TASK.id).html


def test_a_short_text_is_counted_and_opens_nothing():
    shown = answer_to(TASK, {"do": "open", "text": "Not really."})
    assert shown["problem"].startswith(f"This has 2 of at least {LEAST} words.")
    assert "answer" not in shown and journal.read()["written"] == {}


def test_a_paragraph_is_kept_and_opens_the_answer_with_formulas():
    shown = answer_to(TASK, {"do": "open", "text": PARAGRAPH})
    assert "<math" in shown["answer"] and "totally randomized" in shown["answer"]
    assert journal.read()["written"][TASK.id] == {"text": PARAGRAPH.strip(), "met": []}


def test_what_was_written_and_ticked_is_there_the_next_time():
    answer_to(TASK, {"do": "open", "text": PARAGRAPH})
    answer_to(TASK, {"do": "tick", "met": [0, 2, 99]})
    assert surface().shown["met"] == [0, 2]
    assert surface().shown["text"] == PARAGRAPH.strip() and surface().shown["answer"]


def test_ticks_do_not_open_the_answer():
    assert "answer" not in answer_to(TASK, {"do": "tick", "met": [0]})


@pytest.mark.parametrize(
    ("source", "text"), [(WRITE_HERE, ""), ("My *own* words.", "My *own* words.")]
)
def test_the_text_of_the_notebook_is_there_to_begin_with(workbook, monkeypatch, source, text):
    cell = {"cell_type": "markdown", "source": source, "metadata": {}}
    own = cell | {"metadata": {"nbgrader": {"grade_id": "written-05-w"}}}
    path = workbook / "exercise.ipynb"
    path.write_text(json.dumps({"cells": [cell | {"source": "another"}, own]}))
    monkeypatch.setenv("JPY_SESSION_NAME", str(path))
    assert surface().shown == {"text": text}


def test_without_the_file_of_the_notebook_the_field_is_empty(workbook, monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", str(workbook / "gone.ipynb"))
    assert surface().shown == {"text": ""}


def test_an_unknown_task_is_told_what_there_is():
    with pytest.raises(ValueError, match="There is no written '05.9'.*05.w"):
        model_answer("05.9")


@pytest.mark.parametrize("lesson", lessons.available(), ids=lambda lesson: lesson.name)
def test_the_solution_has_the_answer_of_the_toml_and_the_exercise_ends_with_it(lesson):
    path = ROOT / "solutions" / "src" / f"{lesson.name}.py"
    cells = {cell.id: cell.source for cell in read_source(path, graded=True).cells}
    for task in lesson.written:
        assert task.answer.strip() in cells[f"written-{lesson.number}-w"]
        assert len(task.answer.split()) > LEAST
        assert f'model_answer("{task.id}")' in path.read_text(encoding="utf-8")
        assert task.answer.strip() not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("lesson", lessons.available(), ids=lambda lesson: lesson.name)
def test_an_exercise_leads_back_to_its_lesson_and_onward(lesson):
    path = ROOT / "solutions" / "src" / f"{lesson.name}.py"
    first, *_, last, end = read_source(path, graded=True).cells
    assert f"(../../notebooks/{lesson.name}.ipynb)" in first.source
    numbers = lessons.numbers()
    following = numbers[numbers.index(lesson.number) + 1 :][:1]
    names = [lesson.name, *(lessons.load(number).name for number in following)]
    links = re.findall(r"\(\.\./\.\./notebooks/(.*?)\)", last.source)
    assert links == [*(f"{name}.ipynb" for name in names), "glossary.md"]
    assert end.source == f'progress("{lesson.number}")'
