"""Predictions that are committed before the reveal, and questions that answer back."""

from html import escape

import ipywidgets as widgets
import pytest

from course_lib import lessons, progress
from course_lib.lessons import Prediction
from course_lib.quiz import feedback, is_right, may_i_say, predict, recall, reveal

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


def commit(form, *, value=None, confidence=None):
    """Fill a prediction form and press its button."""
    if value is not None:
        field = (
            inside(form.box, widgets.BoundedFloatText) or inside(form.box, widgets.RadioButtons)
        )[0]
        field.value = value
    if confidence is not None:
        inside(form.box, widgets.ToggleButtons)[0].value = confidence
    inside(form.box, widgets.Button)[0].click()
    return inside(form.box, widgets.HTML)[-1].value


def test_the_first_prediction_counts_and_a_changed_one_is_kept_beside_it(workbook):
    predict(NUMBER, 0.3, confidence=75)
    predict(NUMBER, 0.25, confidence=95)
    stored = progress.read()["predictions"][NUMBER]
    assert (stored["guess"], stored["confidence"]) == (0.3, 75)
    assert (stored["changed_to"], stored["changed_confidence"]) == (0.25, 95)
    assert "0.3 bits" in reveal(NUMBER, 0.2564).html


def test_the_form_stores_what_was_entered(workbook):
    answer = commit(predict(NUMBER), value=0.4, confidence="certain (95 %)")
    assert "committed: 0.4 bits" in answer
    assert progress.read()["predictions"][NUMBER] == {"guess": 0.4, "confidence": 95}


def test_a_form_without_a_choice_says_so_and_stores_nothing(workbook):
    assert "Choose one" in commit(predict(CHOICE))
    assert CHOICE not in progress.read()["predictions"]


def test_a_reveal_without_a_prediction_asks_first_and_then_shows_the_truth(workbook):
    form = reveal(NUMBER, 0.2564)
    assert "0.2564" not in form.html and "0.2564" not in form.text
    assert "The truth: 0.2564 bits" in commit(form, value=0.4)


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
    ranking = Prediction("9.9", "ranking", "?", ("a", "b"), "yes", "no", options=("a", "b"))
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
        field.value = wrong.text
    answers = [html.value for html in inside(shown.box, widgets.HTML)]
    assert sum("The idea behind it, M" in text for text in answers) == len(items)


def test_the_first_answer_counts_and_the_last_is_kept_beside_it(workbook):
    shown = recall("01")
    item, field = lessons.load("01").recall[0], inside(shown.box, widgets.RadioButtons)[0]
    for option in item.options[:2]:
        field.value = option.text
    stored = progress.read()["answers"][item.id]
    assert (stored["first"]["right"], stored["last"]["right"]) == (False, True)


def test_the_static_form_holds_every_statement_and_its_feedback():
    shown = may_i_say("01.a")
    bundle = shown._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    for item in lessons.load("01").statements:
        assert escape(item.text) in bundle["text/html"]
    assert all(
        feedback(o).startswith(("✓", "↻")) for i in lessons.load("01").recall for o in i.options
    )


def test_what_a_learner_types_cannot_become_markup(workbook):
    sneaky = Prediction("9.8", "choice", "<b>?</b>", "<i>", "yes", "no", options=("<i>", "b"))
    from course_lib.quiz import _form, _revealed

    assert "<i>" not in _revealed(sneaky, "<i>", "b").html
    assert "<b>?</b>" not in _form(sneaky).html
