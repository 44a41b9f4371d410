"""`./course recall`: who is asked what, in which order, and what is remembered of the answers."""

import builtins
import re

import pytest

from course_lib import lessons
from course_lib.learner import journal
from course_lib.lessons import reading
from course_lib.tools import cli, recall

FIRST, SECOND = (lessons.load(number) for number in ("01", "02"))


@pytest.fixture(autouse=True)
def workbook(tmp_path, monkeypatch):
    """A learner's workbook with nothing in it."""
    monkeypatch.delenv("COURSE_BUILD", raising=False)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.setenv("COURSE_WORKBOOK", str(tmp_path))
    return tmp_path


@pytest.fixture
def types(monkeypatch):
    """Let the learner type these lines, and then nothing more."""

    def prepare(*lines):
        waiting = iter(lines)

        def answer(prompt=""):
            try:
                return next(waiting)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr(builtins, "input", answer)

    prepare()
    return prepare


def begin(lesson):
    """Leave a first trace in a lesson."""
    journal.update("predictions", lesson.predictions[0].id, lambda old: {"guess": 1})


def answered(item, right):
    last = {"right": right, "behind": "", "text": ""}
    journal.update("answers", item.id, lambda old: {"first": last, "last": last})


def number(item, right=True):
    """What to type to be right about a question, or wrong."""
    return str(next(k for k, o in enumerate(item.options, start=1) if o.right is right))


def names() -> list[str]:
    return [item.id for item in recall.questions(journal.read())]


def play(types, *, wrong=(), count=5) -> list[str]:
    """One round in which all but the questions in `wrong` are answered right."""
    asked = recall.questions(journal.read())[:count]
    types(*(number(item, item.id not in wrong) for item in asked))
    assert cli.main(["recall", "-n", str(count)]) == 0
    return [item.id for item in asked]


def test_without_progress_it_says_what_to_do(types, capsys, workbook):
    assert cli.main(["recall"]) == 0
    assert "./course lab" in capsys.readouterr().out
    assert list(workbook.iterdir()) == []


@pytest.mark.parametrize("section", ["predictions", "answers", "checks", "hints"])
def test_any_trace_in_a_lesson_brings_its_questions_and_no_others(section):
    journal.update(section, "02.1", lambda old: {"any": 1})
    assert sorted(names()) == sorted(item.id for item in SECOND.recall)


def test_statements_are_asked_only_if_they_were_judged_in_the_lesson():
    answered(FIRST.statements[2], right=True)
    assert sorted(names()) == sorted([FIRST.statements[2].id, *(i.id for i in FIRST.recall)])


def test_what_was_wrong_in_the_lesson_comes_first_and_what_was_right_last():
    right, wrong, *others = FIRST.recall
    answered(right, right=True)
    answered(wrong, right=False)
    assert names() == [wrong.id, *(item.id for item in others), right.id]


def test_lessons_are_mixed():
    begin(FIRST)
    begin(SECOND)
    assert names()[:4] == ["01.r1", "02.r1", "01.r2", "02.r2"]


def test_a_wrong_answer_comes_back_first_in_the_next_round(types):
    begin(FIRST)
    begin(SECOND)
    asked = play(types, wrong=["01.r2"])
    assert names()[0] == "01.r2" and len(asked) == 5
    assert names()[1] == "02.r3"  # not asked yet, hence due; all others rest


def test_a_question_rests_twice_as_long_after_each_right_answer(types):
    begin(FIRST)
    count = len(FIRST.recall)
    for box, now in [(3, 1), (4, 2), (5, 3), (5, 4)]:
        play(types, count=count)
        assert recall.place(journal.read(), "01.r1") == (box, now + 2 ** (box - 1))
    play(types, wrong=["01.r1"], count=count)
    assert recall.place(journal.read(), "01.r1") == (1, 6)
    assert recall.this_round(journal.read()) == 6


def test_a_due_question_goes_before_one_that_rests(types):
    stored = journal.read()
    stored["predictions"]["01.1"] = {}
    stored["recall"] = {
        "rounds": {"count": 4},
        "01.r1": {"box": 3, "round": 4},
        "01.r2": {"box": 5, "round": -20},
        "01.r3": {"box": 1, "round": 4},
    }
    assert [item.id for item in recall.questions(stored)] == ["01.r3", "01.r2", "01.r1"]


def test_each_answer_gets_its_feedback_and_the_end_its_count(types, capsys):
    begin(FIRST)
    item = FIRST.recall[0]
    types(number(item, right=False), number(FIRST.recall[1]))
    assert cli.main(["recall", "-n", "2"]) == 0
    said = capsys.readouterr().out
    assert "✗ Not quite." in said and "✓ Right." in said and "1 of 2 right" in said
    assert all(len(line) <= 100 for line in said.splitlines())


@pytest.mark.parametrize("end", [["q"], [" Quit "], []])
def test_stopping_early_keeps_what_was_answered(types, capsys, end):
    begin(FIRST)
    types(number(FIRST.recall[0]), *end)
    assert cli.main(["recall"]) == 0
    assert "1 of 1 right" in capsys.readouterr().out
    assert set(journal.read()["recall"]) == {"rounds", "01.r1"}


def test_a_slip_of_the_finger_is_asked_again_and_not_counted(types, capsys):
    begin(FIRST)
    types("", "9", "yes", number(FIRST.recall[0]))
    cli.main(["recall", "-n", "1"])
    said = capsys.readouterr().out
    assert said.count("Type one of them") == 3 and "1 of 1 right" in said


def test_a_statement_names_and_describes_the_figure_that_it_is_about(types, capsys):
    answered(FIRST.statements[0], right=False)
    types(number(FIRST.statements[0]))
    cli.main(["recall", "-n", "1"])
    said = " ".join(capsys.readouterr().out.split())
    place = r"Lesson 01, the figure in section “1\.\d+ May I say this\?”: \w+"
    assert re.search(place, said)
    assert f"May I say this? {FIRST.statements[0].text}" in said


def test_the_lesson_s_own_answers_are_left_as_they_are(types):
    answered(FIRST.recall[0], right=False)
    before = journal.read()["answers"]
    play(types)
    assert journal.read()["answers"] == before


def test_no_questions_at_all_are_refused(types, capsys):
    assert cli.main(["recall", "-n", "0"]) == 2
    assert "at least 1, got 0" in capsys.readouterr().out


def test_without_a_workbook_named_it_is_the_one_of_the_lab(types, monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_WORKBOOK", "to be restored")
    monkeypatch.delenv("COURSE_WORKBOOK")
    monkeypatch.setattr(recall, "WORKBOOK", tmp_path / "workbook")
    cli.main(["recall"])
    assert journal.progress_file() == tmp_path / "workbook" / "progress.json"


def test_a_lesson_file_that_makes_no_sense_is_named_without_a_traceback(
    tmp_path, monkeypatch, capsys
):
    begin(FIRST)
    broken = tmp_path / "lesson_01.toml"
    broken.write_text("minutes = three", encoding="utf-8")
    monkeypatch.setattr(lessons, "available", lambda: [reading.read_record(lessons.Lesson, broken)])
    assert cli.main(["recall"]) == 1
    said = capsys.readouterr()
    assert said.err.startswith("lesson_01.toml is not toml") and said.out == ""
