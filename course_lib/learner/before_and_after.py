"""The same ten questions before the course and after it, with confidence, and what was gained."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from markupsafe import Markup

from course_lib import lessons
from course_lib.learner import forms, journal
from course_lib.learner.forms import FIRST
from course_lib.learner.statements import QUESTION_WORDS, item_spec, questions_html
from course_lib.lessons import Item, Option

INTRO = "Each question needs an option and how sure you are, as the chance that you are right."
BEFORE = "Nothing is graded, and nothing is said about your answers yet."
AFTER = "Each answer is explained once it is stored."
TEST_WORDS = QUESTION_WORDS | {
    "button": "Store my answers",
    "stored": "{done} of {all} answers are stored.",
    "open": "Still open: {open}. Each needs an option and how sure you are of it.",
    "first": FIRST,
}
IN_SHORT = {  # the misconceptions, in as many words as fit beside a picture
    "M1": "MDI is neutral",
    "M2": "permutation mends all",
    "M3": "low means droppable",
    "M4": "it belongs to the data",
    "M5": "training or test: alike",
    "M6": "negative is an error",
    "M7": "important is causal",
    "M8": "unused is unimportant",
    "M9": "SHAP is a loss or share",
    "M10": "axioms settle it",
}
EXAMPLE = {  # of a made-up learner, for whoever has not answered both tests
    "before": [0, 0, 1, 0, 1, 0, 1, 0, 0, 0],
    "after": [1, 1, 1, 1, 1, 0, 1, 1, 1, 1],
    "confidence_before": [95, 75, 50, 75, 75, 95, 75, 50, 75, 50],
    "confidence_after": [95, 75, 75, 95, 95, 50, 95, 75, 75, 75],
}


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


def gain(*, or_example: bool = False) -> pd.DataFrame:
    """What the two tests say of you: per misconception right (1) or wrong (0), and how sure.

    Parameters
    ----------
    or_example : bool, default=False
        Until both tests are answered, show a made-up learner's answers, in rows that name each
        misconception in short: "M6: negative is an error". `attrs["who"]` says whose they are.

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
    found = pd.DataFrame(columns, index)[list(EXAMPLE)]
    return _named(found) if or_example else found


def _named(found: pd.DataFrame) -> pd.DataFrame:
    is_whole = found.notna().all(axis=None)
    shown = found if is_whole else found.assign(**EXAMPLE)
    named = shown.rename(index=lambda key: f"{key}: {IN_SHORT[key]}").astype(int)
    named.attrs["who"] = "you" if is_whole else "a made-up learner, not you"
    return named


def _test(name: str, title: str, answers: Mapping | None) -> forms.Display:
    items = lessons.pretest()
    if answers is None:
        return form_of_test(name, title, items)
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
    open_ = [str(k) for k, item in enumerate(items, start=1) if item.id not in stored]
    left = f" {TEST_WORDS['open']}".format(open=" and ".join(open_)) if open_ else ""
    done = TEST_WORDS["stored"].format(done=len(items) - len(open_), all=len(items))
    return f"{done}{left or f' {FIRST}'}"


def form_of_test(name: str, title: str, items) -> forms.Display:
    """The questions all at once; those of the test after the course answer back."""
    answers_back = name == "post_test"
    spec = {
        "form": "test",
        "title": f"{title}: {len(items)} questions",
        "intro": f"{INTRO} {AFTER if answers_back else BEFORE}",
        "items": [item_spec(item, answered=answers_back) for item in items],
        "sure": forms.sureness("How sure are you of answer {number}?", 100 / len(items[0].options)),
        "words": TEST_WORDS,
    }
    html = questions_html(items, answered=answers_back)
    return forms.form(
        spec,
        Markup("<div><b>{}</b>{}</div>").format(spec["title"], html),
        f"{title}: {len(items)} questions.",
        section=name,
        stored=lambda: {"entries": journal.read()[name]},
        store=lambda message: _store_message(name, items, message),
    )


def _store_message(name: str, items, message: dict) -> None:
    for key, option, confidence in message["answers"]:
        _store_answer(name, *_checked_answer(items, key, (option + 1, confidence)))
