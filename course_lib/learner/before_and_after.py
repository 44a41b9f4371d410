"""The same ten questions before the course and after it, with confidence, and what was gained."""

from collections.abc import Mapping

import ipywidgets as widgets
import numpy as np
import pandas as pd
from markupsafe import Markup

from course_lib import lessons
from course_lib.learner import forms, journal
from course_lib.learner.statements import feedback, question_html
from course_lib.lessons import Item, Option


def pre_test(answers: Mapping | None = None) -> forms.Display:
    """Ten questions, one per misconception, before the course: stored, not graded, no feedback.

    Parameters
    ----------
    answers : mapping, default=None
        To answer without the form: the question to the number of the option, counted from 1, and
        how sure you are in per cent, such as ``{"M1": (2, 75)}``. What is stored first counts.
    """
    return _test("pre_test", "Before the course", answers)


def post_test(answers: Mapping | None = None) -> forms.Display:
    """The ten questions of `pre_test` after the course, now with feedback once they are stored."""
    return _test("post_test", "After the course", answers)


def gain() -> pd.DataFrame:
    """What the two tests say of you: per misconception right (1) or wrong (0), and how sure.

    Returns
    -------
    frame : DataFrame indexed by misconception, M1 to M10
        Columns `before` and `after` are 1, 0 or NaN (not answered), `confidence_before` and
        `confidence_after` the stated confidence in per cent.
    """
    stored = journal.read()
    columns = {}
    for name, when in (("pre_test", "before"), ("post_test", "after")):
        answers = [stored[name].get(item.id, {}) for item in lessons.pretest()]
        columns[when] = [float(answer.get("right", np.nan)) for answer in answers]
        columns[f"confidence_{when}"] = [float(a.get("confidence", np.nan)) for a in answers]
    index = pd.Index([item.id for item in lessons.pretest()], name="misconception")
    return pd.DataFrame(columns, index)[
        ["before", "after", "confidence_before", "confidence_after"]
    ]


def _test(name: str, title: str, answers: Mapping | None) -> forms.Display:
    items = lessons.pretest()
    if answers is None:
        return _test_form(name, title, items)
    checked = [_checked_answer(items, key, value) for key, value in dict(answers).items()]
    for item, chosen, confidence in checked:
        _store_answer(name, item, chosen, confidence)
    return forms.notice(_stored_text(name, items))


def _checked_answer(items, key, value) -> tuple[Item, Option, int]:
    item = next((item for item in items if item.id == key), None)
    if item is None:
        known = ", ".join(item.id for item in items)
        raise ValueError(f"There is no question {key!r}. There are: {known}.")
    numbers = range(1, len(item.options) + 1)
    try:
        number, confidence = value
    except (TypeError, ValueError):
        number, confidence = None, None
    if isinstance(number, bool) or number not in numbers or confidence is None:
        raise ValueError(
            f"The answer to {key} is the number of an option, from 1 to {len(numbers)}, and a "
            f"confidence in per cent; got {value!r}. Pass for example (2, 75)."
        )
    return item, item.options[int(number) - 1], forms.checked_confidence(confidence)


def _store_answer(name: str, item: Item, chosen: Option, confidence: int) -> None:
    """The first answer counts; it is not overwritten when the course has taught the right one."""
    this = {"right": chosen.right, "text": chosen.text, "confidence": confidence}
    journal.update(name, item.id, lambda old: old or this)


def _stored_text(name: str, items) -> str:
    stored = journal.read()[name]
    open_ = [item.id for item in items if item.id not in stored]
    needed = "Each needs an option and how sure you are of it."
    left = f" Still open: {', '.join(open_)}. {needed}" if open_ else ""
    return f"{len(items) - len(open_)} of {len(items)} answers are stored.{left}"


def _test_form(name: str, title: str, items) -> forms.Display:
    rows = [_test_row(item) for item in items]
    store, answer = forms.button("Store my answers"), widgets.HTML()

    def on_click(_):
        for item, (_, field, sure, remark) in zip(items, rows, strict=True):
            if field.value is None or sure.value is None:
                continue
            _store_answer(name, item, field.value, sure.value)
            if name == "post_test":
                remark.value = forms.status(feedback(field.value))
        complete = all(item.id in journal.read()[name] for item in items)
        answer.value = forms.status(f"{'✓' if complete else '↻'} {_stored_text(name, items)}")

    store.on_click(on_click)
    stored = journal.read()[name]
    if stored:
        answer.value = forms.status(f"{_stored_text(name, items)} The first answer counts.")
    heading = Markup("<b>{}: ten questions</b>").format(title)
    box = widgets.VBox([forms.paragraph(heading), *(row[0] for row in rows), store, answer])
    show = question_html if name == "post_test" else _bare_question_html
    html = Markup("<div>{}<ol>{}</ol></div>").format(heading, Markup().join(map(show, items)))
    return forms.Display(html, box, f"{title}: {len(items)} questions.")


def _test_row(item: Item) -> tuple[widgets.Widget, widgets.Widget, widgets.Widget, widgets.HTML]:
    """The question with its options and a confidence; neither is chosen beforehand."""
    field = forms.options_field([(option.text, option) for option in item.options])
    sure, remark = forms.confidence_field(item.id), widgets.HTML()
    question = forms.paragraph(Markup("<b>{}.</b> {}").format(item.id, item.text))
    return widgets.VBox([question, field, sure, remark], layout=forms.APART), field, sure, remark


def _bare_question_html(item: Item) -> Markup:
    """The question for readers without a kernel, without a word on its options."""
    options = Markup().join(Markup("<li>{}</li>").format(o.text) for o in item.options)
    return Markup("<li>{}<ul>{}</ul></li>").format(item.text, options)
