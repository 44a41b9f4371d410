"""Predictions that are committed before the reveal, and questions that answer back."""

import ipywidgets as widgets
import pytest
from markupsafe import escape

from course_lib import lessons
from course_lib.learner import (
    ask,
    gain,
    journal,
    may_i_say,
    post_test,
    pre_test,
    predict,
    recall,
    reveal,
)
from course_lib.learner.predictions import _form, is_right
from course_lib.learner.statements import feedback
from course_lib.lessons import Prediction

NUMBER, CHOICE = "01.2", "01.1"


@pytest.fixture
def workbook(tmp_path, monkeypatch):
    """A learner's workbook with nothing in it."""
    monkeypatch.delenv("COURSE_BUILD", raising=False)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.setenv("COURSE_WORKBOOK", str(tmp_path))
    return tmp_path


def inside(box, kind):
    """All widgets of a kind inside a box."""
    found = [box] if isinstance(box, kind) else []
    return found + [w for child in getattr(box, "children", ()) for w in inside(child, kind)]


def confidence_of(form):
    """The fields that ask how sure one is."""
    return [w for w in inside(form.box, widgets.Dropdown) if w.description.startswith("How sure")]


def commit(form, *, value=None, confidence=None):
    """Fill a prediction form and press its button."""
    if value is not None:
        field = (inside(form.box, widgets.Text) or inside(form.box, widgets.RadioButtons))[0]
        field.value = value
    if confidence is not None:
        confidence_of(form)[0].value = confidence
    inside(form.box, widgets.Button)[0].click()
    return inside(form.box, widgets.HTML)[-1].value


def test_the_first_prediction_counts_and_a_changed_one_is_kept_beside_it(workbook):
    predict(NUMBER, 0.3, confidence=75)
    predict(NUMBER, 0.25, confidence=95)
    stored = journal.read()["predictions"][NUMBER]
    assert (stored["guess"], stored["confidence"]) == (0.3, 75)
    assert (stored["changed_to"], stored["changed_confidence"]) == (0.25, 95)
    assert "0.3 bits" in reveal(NUMBER, 0.2564).html


def test_the_form_stores_what_was_entered(workbook):
    answer = commit(predict(NUMBER), value="0,4", confidence=95)
    assert "committed: 0.4 bits" in answer
    assert journal.read()["predictions"][NUMBER] == {"guess": 0.4, "confidence": 95}


def test_a_form_that_is_not_filled_in_says_what_is_missing_and_stores_nothing(workbook):
    assert "choose one of the options first" in commit(predict(CHOICE), confidence=50)
    assert "write a number first" in commit(predict(NUMBER), confidence=50)
    assert "write a number first" in commit(predict(NUMBER), value="a lot", confidence=50)
    assert "write a number first" in commit(predict(NUMBER), value="inf", confidence=50)
    ranking = Prediction("9.9", "ranking", "?", ("a", "b"), "yes", "no", "-", options=("a", "b"))
    assert "name each option once" in commit(_form(ranking), confidence=50)
    assert "how sure you are" in commit(predict(NUMBER), value="0.4")
    assert journal.read()["predictions"] == {}


def test_a_form_that_comes_back_shows_what_was_committed(workbook):
    assert "committed" not in inside(predict(NUMBER).box, widgets.HTML)[-1].value
    predict(NUMBER, 0.3, confidence=75)
    assert "committed to: 0.3 bits" in inside(predict(NUMBER).box, widgets.HTML)[-1].value


def test_a_reveal_without_a_prediction_asks_first_and_then_shows_the_truth(workbook):
    form = reveal(NUMBER, 0.2564)
    assert "0.2564" not in form.html and "0.2564" not in form.text
    assert "The truth: 0.2564 bits" in commit(form, value="0.4", confidence=50)


def test_a_reveal_shows_both_and_teaches_by_the_difference(workbook):
    prediction = lessons.find("predictions", NUMBER)
    predict(NUMBER, 0.9)
    far = reveal(NUMBER, 0.2564)
    assert "0.9 bits" in far.html and "0.2564 bits" in far.html
    assert prediction.when_wrong in far.text
    close = Prediction(**{**prediction.__dict__, "tolerance": 1.0})
    assert is_right(close, 0.9, 0.2564) and not is_right(prediction, 0.9, 0.2564)


def test_without_a_learner_a_typical_guess_stands_in(monkeypatch):
    monkeypatch.setenv("COURSE_BUILD", "1")
    text = reveal(NUMBER, 0.2564).text
    assert text.startswith("A typical guess: 0.16 bits. The truth: 0.2564 bits.")


def test_rankings_are_compared_place_by_place():
    ranking = Prediction("9.9", "ranking", "?", ("a", "b"), "yes", "no", "-", options=("a", "b"))
    assert is_right(ranking, ["a", "b"], ["a", "b"])
    assert not is_right(ranking, ["b", "a"], ["a", "b"])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: predict("01.99"), ValueError, "There is no prediction"),
        (lambda: predict(NUMBER, "much"), TypeError, "is a number"),
        (lambda: predict(NUMBER, float("nan")), TypeError, "is a number"),
        (lambda: predict(CHOICE, "neither"), ValueError, "Choose one"),
        (lambda: predict(NUMBER, 0.2, confidence=200), ValueError, "percentage"),
        (lambda: reveal(CHOICE, "a third"), ValueError, "Choose one"),
        (lambda: may_i_say("01.zzz"), ValueError, "There are no statements"),
        (lambda: recall("99"), ValueError, "There is no lesson"),
    ],
)
def test_bad_input_gets_a_sentence(workbook, call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_wrong_option_is_met_with_feedback_that_names_the_misconception(workbook):
    shown = may_i_say("01.a")
    items = lessons.load("01").statements
    for item, field in zip(items, inside(shown.box, widgets.RadioButtons), strict=True):
        wrong = next(option for option in item.options if not option.right)
        field.value = wrong
    answers = [html.value for html in inside(shown.box, widgets.HTML)]
    assert sum("The idea behind it, M" in text for text in answers) == len(items)


def test_the_first_answer_counts_and_the_last_is_kept_beside_it(workbook):
    shown = recall("01")
    item, field = lessons.load("01").recall[0], inside(shown.box, widgets.RadioButtons)[0]
    for option in item.options[:2]:
        field.value = option
    stored = journal.read()["answers"][item.id]
    assert (stored["first"]["right"], stored["last"]["right"]) == (False, True)


def test_options_say_to_which_question_they_belong(workbook):
    """The same two options under each statement would sound the same to a screen reader."""
    shown = may_i_say("01.a")
    heard = [text for field in inside(shown.box, widgets.RadioButtons) for text, _ in field.options]
    assert len(set(heard)) == len(heard) == 2 * len(lessons.load("01").statements)
    for number, item in enumerate(lessons.load("01").statements, start=1):
        assert any(
            f"{number}. {escape(item.text)}" in w.value for w in inside(shown.box, widgets.HTML)
        )


@pytest.mark.parametrize(
    "form", [pre_test, lambda: may_i_say("01.a"), lambda: predict(CHOICE), ask]
)
def test_long_options_wrap_where_the_window_is_narrow(workbook, form):
    box = form().box
    assert all("course-options" in w._dom_classes for w in inside(box, widgets.RadioButtons))
    assert any(".course-options label {height: auto" in w.value for w in inside(box, widgets.HTML))


def test_each_option_says_which_question_it_belongs_to(workbook):
    """A reader who jumps from option to option hears no more of the question than this."""
    fields = inside(may_i_say("01.a").box, widgets.RadioButtons)
    for number, field in enumerate(fields, start=1):
        starts = [label.partition(" ")[0] for label in field._options_labels]
        assert starts == [f"{number}{letter}." for letter in "abcdefgh"[: len(starts)]]
    assert len(fields) > 1


def test_every_confidence_has_a_label_of_its_own_and_none_is_chosen_beforehand(workbook):
    fields = confidence_of(pre_test())
    assert len({field.description for field in fields}) == 10
    assert all(field.value is None for field in [*fields, *confidence_of(predict(CHOICE))])


def test_the_static_form_holds_every_statement_and_its_feedback():
    shown = may_i_say("01.a")
    bundle = shown._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    for item in lessons.load("01").statements:
        assert escape(item.text) in bundle["text/html"]
    assert all(
        feedback(o).startswith(("✓", "↻")) for i in lessons.load("01").recall for o in i.options
    )


# ---- the test before the course and after it ---------------------------------------------


def right_option(item):
    """The number of the right option, counted from 1."""
    return 1 + [option.right for option in item.options].index(True)


def all_answers(*, right: bool, confidence: int) -> dict:
    numbers = {item.id: right_option(item) for item in lessons.pretest()}
    return {k: (n if right else n % 3 + 1, confidence) for k, n in numbers.items()}


def test_there_is_one_question_per_misconception_with_one_right_option_and_feedback():
    assert [item.id for item in lessons.pretest()] == list(lessons.MISCONCEPTIONS)
    for item in lessons.pretest():
        assert sum(option.right for option in item.options) == 1
        assert {o.behind for o in item.options if not o.right} == {item.id}
        assert all(len(option.feedback) > 40 for option in item.options)


def test_the_right_option_of_the_pretest_stands_in_no_preferred_place():
    places = [right_option(item) for item in lessons.pretest()]
    assert all(2 <= places.count(number) <= 4 for number in (1, 2, 3))


def test_the_first_answer_to_the_pretest_counts_and_the_posttest_is_kept_apart(workbook):
    pre_test({"M1": (1, 95)})
    pre_test({"M1": (2, 50), "M2": (1, 75)})
    post_test({"M1": (2, 75)})
    stored = journal.read()
    assert stored["pre_test"]["M1"]["right"] is False
    assert stored["pre_test"]["M1"]["confidence"] == 95
    assert stored["post_test"].keys() == {"M1"} and stored["post_test"]["M1"]["right"] is True


def fill(shown, *, confidence=75, n=10):
    """Choose the right option of the first n questions and store."""
    fields = inside(shown.box, widgets.RadioButtons)[:n]
    for item, field in zip(lessons.pretest(), fields, strict=False):
        field.value = item.options[right_option(item) - 1]
    for sure in confidence_of(shown)[:n]:
        sure.value = confidence
    inside(shown.box, widgets.Button)[0].click()
    return " ".join(html.value for html in inside(shown.box, widgets.HTML))


def test_the_form_stores_what_is_complete_and_says_what_is_open(workbook):
    text = fill(pre_test(), n=8)
    assert "↻ 8 of 10 answers are stored. Still open: M9, M10. Each needs an option" in text
    assert journal.read()["pre_test"]["M3"] == {
        "right": True,
        "text": lessons.pretest()[2].options[2].text,
        "confidence": 75,
    }
    assert "8 of 10" in inside(pre_test().box, widgets.HTML)[-1].value


def test_an_answer_without_a_confidence_is_not_stored(workbook):
    form = pre_test()
    inside(form.box, widgets.RadioButtons)[0].value = lessons.pretest()[0].options[0]
    inside(form.box, widgets.Button)[0].click()
    assert journal.read()["pre_test"] == {}


def test_the_pretest_gives_nothing_away_and_the_posttest_answers_back(workbook):
    remarks = [o.feedback for item in lessons.pretest() for o in item.options]
    before, after = pre_test(), post_test()
    assert not any(escape(remark) in before.html for remark in remarks)
    assert all(escape(remark) in after.html for remark in remarks)
    assert "✓ Right." not in fill(before)
    assert fill(after).count("✓ Right.") == 10


def test_gain_is_missing_where_nothing_was_answered(workbook):
    assert gain().isna().all(axis=None)
    assert list(gain().columns) == ["before", "after", "confidence_before", "confidence_after"]
    assert list(gain().index) == list(lessons.MISCONCEPTIONS)


def test_gain_sets_before_beside_after(workbook):
    pre_test(all_answers(right=False, confidence=95) | {"M4": (2, 50)})
    post_test(all_answers(right=True, confidence=75))
    frame = gain()
    assert frame["before"].sum() == 1 and frame.loc["M4", "before"] == 1
    assert (frame["after"] == 1).all()
    assert set(frame["confidence_before"]) == {50, 95}
    assert set(frame["confidence_after"]) == {75}


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"M11": (1, 50)}, "There is no question 'M11'"),
        ({"M1": (4, 50)}, "from 1 to 3"),
        ({"M1": 2}, "Pass for example"),
        ({"M1": (True, 50)}, "number of an option"),
        ({"M1": (1, None)}, "confidence in per cent"),
        ({"M1": (1, 200)}, "percentage"),
    ],
)
def test_a_bad_answer_to_the_pretest_gets_a_sentence_and_stores_nothing(workbook, answers, message):
    with pytest.raises(ValueError, match=message):
        pre_test({"M2": (1, 50)} | answers)
    assert journal.read()["pre_test"] == {}
