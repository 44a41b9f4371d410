"""What an author or a learner writes is shown as text, and never becomes markup."""

from pathlib import Path

import ipywidgets as widgets
import pandas as pd
import pytest

from course_lib.learner import dialogue
from course_lib.learner.before_and_after import _test_form
from course_lib.learner.conditions import Condition
from course_lib.learner.dialogue import Advice
from course_lib.learner.forms import notice, paragraph, status
from course_lib.learner.journal import SECTIONS, Progress
from course_lib.learner.predictions import _comparison, _form
from course_lib.learner.readiness import Readiness
from course_lib.learner.statements import _questionnaire
from course_lib.lessons import Item, Option, Prediction
from course_lib.measures.catalogue import Measure, Reply, Turn

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
    spoken = {"when_right": SNEAKY, "when_wrong": SNEAKY, "in_class": SNEAKY, "unit": SNEAKY}
    return Prediction(SNEAKY, kind, SNEAKY, typical, options=options, tolerance=0.1, **spoken)


def widgets_html(widget) -> str:
    """All HTML below a widget."""
    own = widget.value if isinstance(widget, widgets.HTML) else ""
    return own + "".join(map(widgets_html, getattr(widget, "children", ())))


def tree(monkeypatch):
    turn = Turn(SNEAKY, "a", SNEAKY, (Reply("x", SNEAKY, measure="m"),))
    monkeypatch.setattr(dialogue, "TURNS", {"start": turn})
    monkeypatch.setattr(dialogue, "MEASURES", {"m": MEASURE})
    return dialogue.ask()


def compared(kind: str):
    guess = prediction(kind).typical
    truth = guess + 1 if kind == "number" else SNEAKY if kind == "choice" else guess[::-1]
    return _comparison(prediction(kind), guess, truth, whose=SNEAKY)


DISPLAYS = {
    "a notice": lambda _: notice(SNEAKY),
    "the questionnaire": lambda _: _questionnaire("Recall", [ITEM]),
    "the test before": lambda _: _test_form("pre_test", "Before", [ITEM]),
    "the test after": lambda _: _test_form("post_test", "After", [ITEM]),
    "the tree of the dialogue": tree,
    **{f"a form for a {k}": lambda _, k=k: _form(prediction(k)) for k in ("number", "ranking")},
    **{f"a revealed {k}": lambda _, k=k: compared(k) for k in ("number", "choice", "ranking")},
}


@pytest.mark.parametrize("display", DISPLAYS.values(), ids=DISPLAYS)
def test_a_display_shows_it_as_text(display, monkeypatch):
    shown = display(monkeypatch)
    html = shown.html + widgets_html(shown.box)
    assert "&lt;script&gt;" in html and "<script>" not in html


@pytest.mark.parametrize(
    "record",
    [
        Advice(SNEAKY, SNEAKY, ("a.b",), SNEAKY, "01", None, {}, {"a": SNEAKY}),
        Progress({section: {} for section in SECTIONS}, Path("<script>"), []),
        Readiness((Condition(SNEAKY, SNEAKY, fix=SNEAKY),)),
    ],
    ids=lambda record: type(record).__name__,
)
def test_a_record_shows_it_as_text(record, monkeypatch):
    monkeypatch.setattr(Progress, "to_frame", lambda self: pd.DataFrame({"lesson": [SNEAKY]}))
    html = record._repr_html_()
    assert "&lt;script&gt;" in html and "<script>" not in html


def test_a_status_and_a_plain_paragraph_are_text():
    assert "<script>" not in status(SNEAKY) and "<script>" not in paragraph(SNEAKY).value
