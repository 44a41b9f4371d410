"""Predictions that are committed before the reveal, and questions that answer back."""

import re

import pytest
from learner.made_up import ORDER, PAIRS
from markupsafe import escape

from course_lib import lessons
from course_lib.learner import (
    gain,
    journal,
    may_i_say,
    post_test,
    pre_test,
    predict,
    recall,
    reveal,
)
from course_lib.learner.prediction_form import (
    compared_html,
    is_right,
    reply_to,
    right_in_words,
)
from course_lib.learner.predictions import prediction_form, reveal_form
from course_lib.learner.statements import explanation, feedback
from course_lib.lessons import MISCONCEPTIONS, Prediction
from course_lib.lessons.prediction import Reply
from course_lib.tools.saving import VIEW

NUMBER, CHOICE = "01.2", "01.1"
LAMP = Prediction(
    *("99.2", "choice", "Which?", "a", "Just so.", "-"),
    replies=(Reply("Not a.", to="a"), Reply("Not c.", to="c")),
    options=("a", "b", "c"),
)


@pytest.fixture
def workbook(tmp_path, monkeypatch):
    """A learner's workbook with nothing in it."""
    monkeypatch.delenv("COURSE_BUILD", raising=False)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.setenv("COURSE_WORKBOOK", str(tmp_path))
    return tmp_path


def tell(form, **message) -> dict:
    """Send what the page sends; what the page is then told."""
    form.box._handle_custom_msg(message, [])
    return form.box.shown


def commit(form, guess, confidence=75) -> dict:
    return tell(form, event="commit", guess=guess, confidence=confidence)


# ---- predictions -------------------------------------------------------------------------


def test_the_first_prediction_counts_and_a_changed_one_is_kept_beside_it(workbook):
    predict(NUMBER, 0.3, confidence=75)
    again = predict(NUMBER, 0.25, confidence=95)
    assert "was committed before: 0.3 bits. The first one counts; 0.25 bits is kept" in again.text
    stored = journal.read()["predictions"][NUMBER]
    assert (stored["guess"], stored["confidence"]) == (0.3, 75)
    assert (stored["changed_to"], stored["changed_confidence"]) == (0.25, 95)
    assert "0.3 bits" in reveal(NUMBER, 0.2564).html


def test_the_form_stores_what_was_entered_and_the_page_is_told(workbook):
    form = predict(NUMBER)
    assert form.box.shown == {}
    assert commit(form, 0.4, 95) == {"entry": {"guess": 0.4, "confidence": 95}}
    assert journal.read()["predictions"][NUMBER] == {"guess": 0.4, "confidence": 95}


def test_a_second_commitment_leaves_the_first_on_the_page(workbook):
    form, other = predict(CHOICE), predict(CHOICE)
    commit(form, "both the same")
    assert commit(other, "the one it asks first")["entry"]["guess"] == "both the same"


@pytest.mark.parametrize(
    ("form", "guess", "said"),
    [
        (lambda: predict(CHOICE), "neither", "Choose one"),
        (lambda: predict(NUMBER), "a lot", "is a number"),
        (lambda: prediction_form(PAIRS), 100, "is a whole number from 0 to 45 (pairs); got 100"),
        (lambda: prediction_form(PAIRS), -1, "is a whole number from 0 to 45 (pairs); got -1"),
        (lambda: prediction_form(PAIRS), 2.5, "is a whole number from 0 to 45 (pairs); got 2.5"),
        (lambda: prediction_form(ORDER), ["a", "a"], "Name each of them once"),
    ],
)
def test_what_makes_no_sense_gets_a_sentence_and_is_not_stored(workbook, form, guess, said):
    assert said in commit(form(), guess)["problem"]
    assert journal.read()["predictions"] == {}


def test_a_message_without_what_belongs_to_it_is_not_stored(workbook):
    assert "confidence" in tell(predict(NUMBER), event="commit", guess=0.4)["problem"]
    assert "percentage" in commit(predict(NUMBER), 0.4, 200)["problem"]
    assert journal.read()["predictions"] == {}


def test_a_form_that_comes_back_shows_what_was_committed(workbook):
    predict(NUMBER, 0.3, confidence=75)
    assert predict(NUMBER).box.shown["entry"] == {"guess": 0.3, "confidence": 75}
    assert reveal(NUMBER, 0.2564).box.shown["entry"] == {"guess": 0.3, "confidence": 75}


@pytest.mark.parametrize("by", [lambda: commit(predict(NUMBER), 0.4), lambda: predict(NUMBER, 0.4)])
def test_what_one_form_stores_all_that_ask_the_same_know(workbook, by):
    """After a reload a page knows only what the kernel has told each of them."""
    truth, other = reveal(NUMBER, 0.2564), predict(CHOICE)
    by()
    assert truth.box.shown["entry"]["guess"] == 0.4
    assert other.box.shown == {}


def test_a_reveal_without_a_prediction_asks_first_and_shows_nothing_of_the_truth(workbook):
    form = reveal(NUMBER, 0.2564)
    assert "Commit first" in form.html
    assert "0.2564" not in form.html and "0.2564" not in form.text
    assert commit(form, 0.4)["entry"]["guess"] == 0.4


def test_a_reveal_shows_both_the_reply_and_what_is_told_only_now(workbook, monkeypatch):
    monkeypatch.setattr(lessons, "find", lambda kind, name: PAIRS)
    predict("99.1", 44)
    shown = reveal("99.1", 12)
    assert shown.text == "Your prediction: 44 pairs. The truth: 12 pairs. Too many."
    assert "44 pairs" in shown.html and "✗ Not quite.</b> Too many." in shown.html
    assert "<strong>twelve</strong>" in shown.html
    assert "$x_1$" in shown.html and "<math" not in shown.html  # of which a viewer leaves letters
    assert shown.box.spec["truth"] == 12.0 and "<math" in shown.box.spec["told"]


def test_digits_that_differ_between_machines_are_not_stored(monkeypatch):
    monkeypatch.setenv("COURSE_BUILD", "1")
    assert reveal(NUMBER, 0.25643000000001).html == reveal(NUMBER, 0.25642999999999).html


@pytest.mark.parametrize(
    ("prediction", "guess", "truth", "said"),
    [
        (PAIRS, 14.0, 12.0, "Just so."),
        (PAIRS, 10.0, 12.0, "Just so."),
        (PAIRS, 4.0, 12.0, "Too few."),
        (PAIRS, 5.0, 12.0, "Fewer."),
        (PAIRS, 45.0, 12.0, "Too many."),
        (LAMP, "b", "b", "Just so."),
        (LAMP, "a", "b", "Not a."),
        (LAMP, "c", "b", "Not c."),
        (ORDER, ["a", "b"], ["a", "b"], "Just so."),
        (ORDER, ["b", "a"], ["a", "b"], "The other way round."),
    ],
)
def test_the_reply_belongs_to_the_guess(prediction, guess, truth, said):
    assert reply_to(prediction, guess, truth) == said
    assert is_right(prediction, guess, truth) == (said == "Just so.")


NUMBERS = [vote for one in lessons.available() for vote in one.predictions if vote.kind == "number"]


@pytest.mark.parametrize("vote", NUMBERS, ids=lambda vote: vote.id)
@pytest.mark.parametrize("share", [0.1, 0.37, 1 / 2, 2 / 3])
def test_the_guesses_that_are_said_to_count_as_right_do_and_hardly_any_other(vote, share):
    truth = vote.low + share * (vote.high - vote.low)
    truth = round(truth) if vote.whole else truth
    said = right_in_words(vote, truth)
    low, high = (
        map(float, said.removesuffix(" count as right").split(" to ")) if said else [truth] * 2
    )
    assert is_right(vote, low, truth) and is_right(vote, high, truth)
    beyond = 1 if vote.whole else 0.1 * vote.tolerance
    for guess in (low - beyond, high + beyond):
        assert not (is_right(vote, guess, truth) and vote.allows(guess))


@pytest.mark.parametrize("prediction", [LAMP, ORDER])
def test_of_options_only_the_right_one_counts_and_nothing_has_to_be_said(prediction):
    assert right_in_words(prediction, prediction.options[0]) == ""


@pytest.mark.parametrize(
    ("prediction", "guess", "truth", "cells"),
    [
        (PAIRS, 44.0, 12.0, ["44 pairs", "12 pairs"]),
        (LAMP, "a", "b", ["a", "b"]),
        (ORDER, ["b", "a"], ["a", "b"], ["b", "a", "no", "a", "b", "no"]),
        (ORDER, ["a", "b"], ["a", "b"], ["a", "a", "yes", "b", "b", "yes"]),
    ],
)
def test_a_truth_stands_without_a_sign_and_words_say_whether_it_is_the_same(
    prediction, guess, truth, cells
):
    html = compared_html(prediction, guess, truth, "Yours")
    assert re.findall("<td>(.*?)</td>", html) == cells


def test_without_a_learner_a_typical_guess_stands_in_and_the_page_gets_everything(monkeypatch):
    monkeypatch.setenv("COURSE_BUILD", "1")
    shown = reveal_form(PAIRS, 12.0)
    assert shown.box is None and shown.text.startswith("A typical guess: 30 pairs. The truth: 12")
    assert '<div class="course-surface" data-kind="form" data-name="prediction">' in shown.html
    assert "A typical guess" in shown.html and "<strong>twelve</strong>" in shown.html
    for said in ("Too few.", "Fewer.", "Too many.", "Just so."):
        assert said in shown.html
    assert shown.html == reveal_form(PAIRS, 12.0).html


def test_without_a_learner_a_prediction_is_a_place_where_a_page_mounts_it(monkeypatch):
    monkeypatch.setenv("COURSE_BUILD", "1")
    bundle = predict(CHOICE)._repr_mimebundle_()
    assert VIEW not in bundle and 'data-kind="form"' in bundle["text/html"]
    assert bundle["text/plain"].startswith(f"Prediction {CHOICE}. A tree learns a lamp")


def test_beside_a_learner_a_form_is_a_live_view_with_a_text_that_stands_in(workbook):
    bundle = predict(CHOICE)._repr_mimebundle_()
    assert VIEW in bundle and "course-surface" not in bundle["text/html"]
    assert "<li>both the same</li>" in bundle["text/html"]


@pytest.mark.parametrize(
    ("prediction", "guessed"), [(LAMP, 33), (ORDER, 50), (PAIRS, 25)], ids=lambda x: str(x)[:20]
)
def test_a_mere_guess_is_as_sure_as_chance(workbook, prediction, guessed):
    levels = prediction_form(prediction).box.spec["sure"]["levels"]
    assert [value for value, _ in levels] == [guessed, 75, 95]
    assert [words for _, words in levels][0] == f"a guess ({guessed} %)"


def test_the_page_is_told_in_words_what_is_possible(workbook):
    said = prediction_form(PAIRS).box.spec["words"]["impossible"]
    assert said == "{given} is not possible: the answer is a whole number from 0 to 45 (pairs)."


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


# ---- questions that answer back ----------------------------------------------------------


def test_a_wrong_option_is_met_with_feedback_that_names_a_common_mistake():
    for item in lessons.load("01").statements:
        wrong = next(option for option in item.options if not option.right)
        said = explanation(wrong)
        assert said.endswith(f"A common mistake is to believe that {MISCONCEPTIONS[wrong.behind]}.")
        assert said.startswith(wrong.feedback) and not re.search(r"\bM\d", said)


def test_the_first_answer_counts_and_the_last_is_kept_beside_it(workbook):
    shown = recall("01")
    item = lessons.load("01").recall[0]
    for option in (0, 1):
        told = tell(shown, event="answer", id=item.id, option=option)
    stored = journal.read()["answers"][item.id]
    assert (stored["first"]["right"], stored["last"]["right"]) == (False, True)
    assert told["entries"][item.id]["text"] == item.options[0].text


def test_an_answered_question_comes_back_with_its_first_answer(workbook):
    item = lessons.load("01").statements[1]
    tell(may_i_say("01.a"), event="answer", id=item.id, option=0)
    assert may_i_say("01.a").box.shown["entries"] == {
        item.id: journal.read()["answers"][item.id]["first"]
    }


def test_an_answer_to_another_question_is_not_stored(workbook):
    assert "99.z" in tell(recall("01"), event="answer", id="99.z", option=0)["problem"]
    assert journal.read()["answers"] == {}


@pytest.mark.parametrize("form", [lambda: may_i_say("01.a"), lambda: recall("01")])
def test_the_page_is_told_every_question_and_the_answer_to_each_option(workbook, form):
    for told in form().box.spec["items"]:
        kind = "recall" if ".r" in told["id"] else "statements"
        item = lessons.find(kind, told["id"])
        assert [o["feedback"] for o in told["options"]] == [explanation(o) for o in item.options]
        assert [o["right"] for o in told["options"]] == [o.right for o in item.options]


def test_a_saved_form_holds_every_statement_and_no_word_of_its_feedback():
    html = may_i_say("01.a").html
    for item in lessons.load("01").statements:
        assert escape(item.text) in html
        assert not any(escape(option.feedback) in html for option in item.options)


def test_the_stored_form_holds_every_statement_and_its_feedback(monkeypatch):
    monkeypatch.setenv("COURSE_BUILD", "1")
    shown = may_i_say("01.a")
    for item in lessons.load("01").statements:
        assert escape(item.text) in shown.html
        assert all(escape(feedback(option)) in shown.html for option in item.options)
    assert all(
        feedback(o).startswith(("✓", "✗")) for i in lessons.load("01").recall for o in i.options
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


def fill(shown, *, confidence=75, n=10) -> dict:
    """Choose the right option of the first n questions and store."""
    items = lessons.pretest()[:n]
    answers = [[item.id, right_option(item) - 1, confidence] for item in items]
    return tell(shown, event="store", answers=answers)


def test_the_form_stores_what_is_complete(workbook):
    told = fill(pre_test(), n=8)
    assert told == {"entries": journal.read()["pre_test"]} and len(told["entries"]) == 8
    assert told["entries"]["M3"] == {
        "right": True,
        "text": lessons.pretest()[2].options[2].text,
        "confidence": 75,
    }


def test_a_test_that_comes_back_shows_the_first_answers(workbook):
    fill(pre_test(), n=8)
    fill(pre_test(), confidence=95)
    again = pre_test().box.shown["entries"]
    assert [again[item.id]["confidence"] for item in lessons.pretest()] == [75] * 8 + [95] * 2
    assert post_test().box.shown == {"entries": {}}


def test_without_the_form_the_open_questions_are_named_by_their_numbers(workbook):
    answers = dict(list(all_answers(right=True, confidence=75).items())[:8])
    said = pre_test(answers).text
    assert said.startswith("8 of 10 answers are stored. Still open: 9 and 10.")
    assert not re.search(r"\bM\d", said)
    whole = pre_test(all_answers(right=True, confidence=75)).text
    assert whole == "10 of 10 answers are stored. The first answer counts."


@pytest.mark.parametrize("answer", [["M1", 0, 200], ["M11", 0, 75], ["M1", 7, 75], ["M1", 0, None]])
def test_an_answer_that_makes_no_sense_is_not_stored(workbook, answer):
    assert tell(pre_test(), event="store", answers=[answer])["problem"]
    assert journal.read()["pre_test"] == {}


def test_the_pretest_gives_nothing_away_and_the_posttest_answers_back(workbook):
    remarks = [o.feedback for item in lessons.pretest() for o in item.options]
    before, after = pre_test(), post_test()
    assert not any(escape(remark) in before.html for remark in remarks)
    assert all(escape(remark) in after.html for remark in remarks)
    told = [set(o) for item in before.box.spec["items"] for o in item["options"]]
    assert all(keys == {"text"} for keys in told) and len(told) == 30
    said = [o["feedback"] for item in after.box.spec["items"] for o in item["options"]]
    assert all(text.startswith(remark) for text, remark in zip(said, remarks, strict=True))


def test_nobody_reads_a_code_without_words(workbook):
    for form in (pre_test(), post_test(), may_i_say("01.a"), recall("01")):
        assert not re.search(r"\bM\d", form.html + form.text)


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


def test_until_both_tests_are_answered_the_gain_may_be_that_of_a_made_up_learner(workbook):
    shown = gain(or_example=True)
    assert "made-up" in shown.attrs["who"] and shown.notna().all(axis=None)
    assert shown.index[5] == "M6: negative is an error"
    pre_test(all_answers(right=False, confidence=95))
    post_test(all_answers(right=True, confidence=75))
    mine = gain(or_example=True)
    assert mine.attrs["who"] == "you"
    assert mine["before"].sum() == 0 and (mine["after"] == 1).all()
