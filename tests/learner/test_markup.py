"""What an author or a learner writes is shown as text, and never becomes markup."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from course_lib.learner import dialogue
from course_lib.learner.before_and_after import form_of_test
from course_lib.learner.conditions import Condition
from course_lib.learner.dialogue import Advice
from course_lib.learner.forms import notice
from course_lib.learner.journal import SECTIONS
from course_lib.learner.prediction_form import compared_html
from course_lib.learner.predictions import prediction_form, reveal_form
from course_lib.learner.progress_map import Progress
from course_lib.learner.readiness import Readiness
from course_lib.learner.statements import questionnaire
from course_lib.lessons import Item, Option, Prediction
from course_lib.lessons import prediction as prediction_module
from course_lib.measures.catalogue import Measure, Reply, Turn

KINDS = ("number", "choice", "ranking")
SNEAKY = "<script>alert('x')</script>"
OPTIONS = (Option(SNEAKY, SNEAKY, behind="M1"), Option("b", SNEAKY, right=True))
ITEM = Item(SNEAKY, SNEAKY, OPTIONS)
MEASURE = Measure(SNEAKY, SNEAKY, None, "01", ("a.b",), SNEAKY, SNEAKY)


def prediction(kind: str) -> Prediction:
    typical, options = {
        "number": (1.0, ()),
        "choice": (SNEAKY, (SNEAKY, "b")),
        "ranking": ((SNEAKY, "b"), (SNEAKY, "b")),
    }[kind]
    spoken = {"when_right": SNEAKY, "in_class": SNEAKY, "unit": SNEAKY}
    replies = (prediction_module.Reply(SNEAKY, to=SNEAKY if kind == "choice" else ""),)
    spoken |= {"replies": replies, "told": SNEAKY}
    return Prediction(SNEAKY, kind, SNEAKY, typical, options=options, tolerance=0.1, **spoken)


def tree(monkeypatch):
    turn = Turn(SNEAKY, "a", SNEAKY, (Reply("x", SNEAKY, measure="m"),))
    monkeypatch.setattr(dialogue, "TURNS", {"start": turn})
    monkeypatch.setattr(dialogue, "MEASURES", {"m": MEASURE})
    return dialogue.ask()


def compared(kind: str):
    guess = prediction(kind).typical
    truth = guess + 1 if kind == "number" else SNEAKY if kind == "choice" else guess[::-1]
    return compared_html(prediction(kind), guess, truth, SNEAKY), reveal_form(
        prediction(kind), truth
    )


FORMS = {
    "the questionnaire": lambda: questionnaire("Recall", [ITEM]),
    "the test before": lambda: form_of_test("pre_test", "Before", [ITEM]),
    "the test after": lambda: form_of_test("post_test", "After", [ITEM]),
    **{f"a form for a {k}": lambda k=k: prediction_form(prediction(k)) for k in KINDS},
    **{f"a revealed {k}": lambda k=k: compared(k)[1] for k in KINDS},
}


@pytest.mark.parametrize("build", ["", "1"], ids=["beside a learner", "in a stored notebook"])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_form_shows_it_as_text(form, build, monkeypatch, tmp_path):
    """In a stored notebook the only script is the description, and nothing in it ends it."""
    monkeypatch.setenv("COURSE_WORKBOOK", str(tmp_path))
    monkeypatch.setenv("COURSE_BUILD", build)
    html = form().html
    assert "&lt;script&gt;" in html and "<script>" not in html
    assert html.count("<script ") == html.count("</script>") == (1 if build else 0)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_told_is_markdown_without_html_of_its_own(kind):
    sneaky = replace(prediction(kind), told=f"**Yes**, {SNEAKY}")
    html = compared_html(sneaky, sneaky.typical, sneaky.typical, SNEAKY)
    assert "<strong>Yes</strong>" in html and "<script>" not in html


@pytest.mark.parametrize("kind", KINDS)
def test_a_comparison_shows_it_as_text(kind):
    html = compared(kind)[0]
    assert "&lt;script&gt;" in html and "<script>" not in html


def test_a_notice_and_the_dialogue_show_it_as_text(monkeypatch):
    for html in (notice(SNEAKY).html, tree(monkeypatch).html):
        assert "&lt;script&gt;" in html and "<script>" not in html


@pytest.mark.parametrize(
    "record",
    [
        Advice(SNEAKY, SNEAKY, ("a.b",), SNEAKY, SNEAKY, "01", None, SNEAKY, {}, {"a": SNEAKY}),
        Progress({section: {} for section in SECTIONS}, Path("<script>"), []),
        Readiness((Condition(SNEAKY, SNEAKY, fix=SNEAKY),)),
    ],
    ids=lambda record: type(record).__name__,
)
def test_a_record_shows_it_as_text(record, monkeypatch):
    monkeypatch.setattr(Progress, "to_frame", lambda self: pd.DataFrame({"lesson": [SNEAKY]}))
    html = record._repr_html_()
    assert "&lt;script&gt;" in html and "<script>" not in html
