"""Progress as a map: words that follow from what was done, reasons, and links that lead there."""

import re
from pathlib import Path

import pytest

from course_lib import lessons
from course_lib.learner import journal, progress
from course_lib.tools.system import ROOT
from course_lib.tools.workbook import hand_out


@pytest.fixture(autouse=True)
def workbook(tmp_path, monkeypatch):
    """A learner's workbook with nothing in it, and the kernel of a lesson in it."""
    monkeypatch.delenv("COURSE_BUILD", raising=False)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.setenv("COURSE_WORKBOOK", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def predict_all(number: str) -> None:
    for asked in lessons.load(number).predictions:
        journal.update("predictions", asked.id, lambda old: {"guess": 1})


def answer_all(number: str, wrong: int = 0) -> None:
    """The recall questions, the first ones wrongly, and the statements, all rightly."""
    lesson = lessons.load(number)
    for k, item in enumerate(lesson.recall + lesson.statements):
        first = {"first": {"right": k >= wrong}}
        journal.update("answers", item.id, lambda old, first=first: first)


def solve_all(number: str, but: str = "") -> None:
    for task in lessons.exercises(number):
        entry = {"passed": task.id != but, "attempts": 1}
        journal.update("checks", task.id, lambda old, entry=entry: entry)


def finish(number: str, **how) -> None:
    predict_all(number)
    answer_all(number, **how)
    solve_all(number)


def line(number: str) -> str:
    """What the map says of a lesson."""
    return next(one for one in repr(progress()).splitlines() if f" {number} " in one)


def test_at_first_the_first_lesson_is_next_and_all_others_are_open():
    words = progress().words()
    assert words == {number: "open" for number in lessons.numbers()} | {"00": "next"}
    assert progress().next_step == "00 Six questions: answer its recall questions."


def test_a_lesson_is_done_when_nothing_is_left_and_the_one_after_it_is_next():
    finish("00")
    assert progress().words()["00"] == "done" and progress().words()["01"] == "next"
    assert line("00") == "✓ done  00 Six questions"


def test_what_is_left_is_named_in_the_order_of_the_lesson():
    answer_all("00")
    assert "commit to prediction 00.1" in progress().next_step
    predict_all("00")
    assert "solve task 00.1" in progress().next_step
    assert "3 of 3 predictions made" in line("00") and "0 of 5 tasks passed" in line("00")


def test_wrong_answers_make_a_lesson_shaky_and_are_told():
    finish("01", wrong=2)
    assert progress().words()["01"] == "shaky"
    assert "2 of 3 recall questions wrong at first" in line("01")


def test_one_wrong_answer_of_many_does_not():
    lesson = lessons.load("01")
    finish("01")
    journal.update("answers", lesson.statements[0].id, lambda old: {"first": {"right": False}})
    assert progress().words()["01"] == "done"


def test_a_task_that_was_tried_makes_it_shaky_once_one_has_gone_on():
    predict_all("01")
    answer_all("01")
    solve_all("01", but="01.3")
    assert progress().words()["01"] == "next" and "task 01.3 not yet" in line("01")
    predict_all("02")
    words = progress().words()
    assert (words["01"], words["02"]) == ("shaky", "next")


def test_exactly_one_lesson_is_next_until_all_is_done():
    for number in lessons.numbers():
        assert list(progress().words().values()).count("next") == 1
        finish(number, wrong=3 if number == "05" else 0)
    words = set(progress().words().values())
    assert words == {"done", "shaky"} and "05 MDI is a Shapley value" in progress().next_step
    finish("05")
    assert set(progress().words().values()) == {"done"} and "all is done" in progress().next_step


def test_the_word_of_a_single_lesson_is_that_of_the_whole_map():
    finish("00")
    assert progress("01").words() == {"01": "next"}
    assert "00 Six" not in repr(progress("01"))


def test_the_table_counts_what_was_done():
    journal.update("predictions", "01.1", lambda old: {"guess": "both the same"})
    journal.update("checks", "01.1", lambda old: {"passed": True})
    journal.update("checks", "01.2", lambda old: {"passed": False})
    row = progress().to_frame().filter(like="01 ", axis=0).iloc[0]
    assert row["predicted"] == "1 of 4"
    assert row["tasks passed"] == "1 of 7"
    assert row["points"].startswith("2 of ")
    html = progress()._repr_html_()
    assert "progress.json" in html and "delete that file" in html


def hrefs() -> list[str]:
    return re.findall(r'href="([^"]*)"', progress()._repr_html_())


@pytest.mark.parametrize("folder", [".", "exercises"])
def test_links_lead_to_every_lesson_and_exercise_from_both(workbook, monkeypatch, folder):
    hand_out(ROOT, workbook)
    monkeypatch.chdir(workbook / folder)
    found = {Path(folder, href).as_posix().replace("exercises/../", "") for href in hrefs()}
    names = [lesson.name for lesson in lessons.available()]
    wanted = {f"{n}.ipynb" for n in names} | {f"exercises/exercise_{n}.ipynb" for n in names}
    assert {(workbook / place).resolve() for place in found} == {workbook / w for w in wanted}


def test_there_is_no_link_to_a_notebook_that_is_not_there():
    assert hrefs() == []


def test_a_built_notebook_has_words_and_no_links(workbook, monkeypatch):
    hand_out(ROOT, workbook)
    monkeypatch.setenv("COURSE_BUILD", "1")
    assert hrefs() == [] and "Six questions" in progress()._repr_html_()
    for text in (progress("01")._repr_html_(), repr(progress("01"))):
        assert "00" not in text and "Now" not in text  # nothing of another lesson
