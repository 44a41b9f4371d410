"""Predict, commit, run, explain: what a lesson asks, and what it says to each answer."""

from collections.abc import Callable, Mapping
from html import escape
from numbers import Real

import ipywidgets as widgets
import numpy as np
import pandas as pd

from course_lib import lessons, progress
from course_lib.lessons import MISCONCEPTIONS, Item, Option, Prediction

__all__ = ["may_i_say", "predict", "recall", "reveal"]
__all__ += ["calibration", "gain", "post_test", "pre_test"]

CONFIDENCES = {"a guess (50 %)": 50, "fairly sure (75 %)": 75, "certain (95 %)": 95}
WANTED = {
    "number": "write a number first.",
    "choice": "choose one of the options first.",
    "ranking": "name each option once, most important first.",
}
APART = {"margin": "0 0 1em 0"}  # between one question and the next
AS_WIDE_AS_TEXT = {"description_width": "initial"}
WRAPPED = (  # ipywidgets writes the circle after its text and gives both the height of one line
    "<style>.course-options label {height: auto !important; display: flex; "
    "flex-direction: row-reverse; justify-content: flex-end} "
    ".course-options input {flex: none}</style>"
)
GUESS_INK, TRUTH_INK = "#c65d00", "#2f7fb8"


class Shown:
    """Something to display: live widgets where there is a kernel, the same as text where not."""

    def __init__(self, html: str, box: widgets.Widget | None = None, text: str = ""):
        self.html, self.box, self.text = html, box, text

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        live = {} if self.box is None else self.box._repr_mimebundle_()
        return live | {"text/html": self.html, "text/plain": self.text}


# Predictions


def predict(name: str, guess=None, confidence: int | None = None) -> Shown:
    """Ask for a prediction and store it; the first one counts, a later one is kept beside it.

    Parameters
    ----------
    name : str
        The prediction, such as "01.1".
    guess : number, str or sequence of str, default=None
        Your prediction, to commit it without the form: a number, one of the options, or the
        options in your order.
    confidence : int, default=None
        How sure you are, in per cent.
    """
    prediction = lessons.find("predictions", name)
    if guess is None:
        return _form(prediction)
    guess = _checked_guess(prediction, guess)
    _commit(prediction, guess, _checked_confidence(confidence))
    return _notice(_committed_text(prediction, guess))


def reveal(name: str, truth) -> Shown:
    """Show the truth beside the prediction, or ask for the prediction first if there is none."""
    prediction = lessons.find("predictions", name)
    truth = _checked_guess(prediction, truth)
    if progress.unattended():
        return _revealed(prediction, prediction.typical, truth, whose="A typical guess")
    stored = progress.read()["predictions"].get(name)
    if stored is None:
        return _form(prediction, truth)
    return _revealed(prediction, stored["guess"], truth, stored.get("confidence"))


def _checked_guess(prediction: Prediction, guess):
    """The guess in the form its kind needs, or a sentence that says which form that is."""
    options = ", ".join(map(repr, prediction.options))
    if prediction.kind == "number":
        if isinstance(guess, bool) or not isinstance(guess, Real) or not np.isfinite(guess):
            raise TypeError(f"Prediction {prediction.id} is a number, got {guess!r}. Pass one.")
        return float(guess)
    if prediction.kind == "choice":
        if guess not in prediction.options:
            raise ValueError(
                f"Prediction {prediction.id} is one of {options}; got {guess!r}. Choose one."
            )
        return guess
    if isinstance(guess, str) or sorted(guess) != sorted(prediction.options):
        raise ValueError(
            f"Prediction {prediction.id} is an order of {options}; got {guess!r}. "
            f"Name each of them once, most important first."
        )
    return list(guess)


def _checked_confidence(confidence) -> int | None:
    if confidence is None:
        return None
    if not isinstance(confidence, Real) or not 0 <= confidence <= 100:
        raise ValueError(f"confidence is a percentage from 0 to 100, got {confidence!r}. Pass 75.")
    return int(confidence)


def _commit(prediction: Prediction, guess, confidence: int | None) -> None:
    def change(old: dict) -> dict:
        if not old:
            return {"guess": guess, "confidence": confidence}
        return old | {"changed_to": guess, "changed_confidence": confidence}

    progress.update("predictions", prediction.id, change)


def _committed_text(prediction: Prediction, guess) -> str:
    return f"Prediction {prediction.id} is committed: {_spelled(prediction, guess)}. Now run on."


def _spelled(prediction: Prediction, value) -> str:
    if prediction.kind == "number":
        return f"{value:.4g} {prediction.unit}".strip()
    return value if prediction.kind == "choice" else " > ".join(value)


def _notice(text: str) -> Shown:
    return Shown(f'<div role="status">{escape(text)}</div>', text=text)


def _form(prediction: Prediction, truth=None) -> Shown:
    """A form to commit a prediction; given the truth, it reveals it after the commitment."""
    entry, read_guess = _entry(prediction)
    sure, button, answer = _confidence(), _button("Commit"), widgets.HTML()
    earlier = progress.read()["predictions"].get(prediction.id)
    if earlier:
        spelled = _spelled(prediction, earlier["guess"])
        answer.value = _status(f"✓ You have committed to: {spelled}. The first one counts.")

    def on_click(_):
        try:
            guess = _checked_guess(prediction, read_guess())
        except (TypeError, ValueError):
            answer.value = _status(f"↻ Not committed yet: {WANTED[prediction.kind]}")
            return
        if sure.value is None:
            answer.value = _status("↻ Not committed yet: say how sure you are as well.")
            return
        _commit(prediction, guess, sure.value)
        if truth is None:
            answer.value = _status(f"✓ {_committed_text(prediction, guess)}")
        else:
            first = progress.read()["predictions"][prediction.id]
            answer.value = _reveal_html(prediction, first["guess"], truth, "Your prediction")

    button.on_click(on_click)
    heading = "Commit first, then the answer appears here. " if truth is not None else ""
    question = f"<b>Prediction {prediction.id}.</b> {heading}{escape(prediction.question)}"
    box = widgets.VBox([_paragraph(question), entry, sure, button, answer])
    options = "".join(f"<li>{escape(option)}</li>" for option in prediction.options)
    html = f"<div>{question}{f'<ul>{options}</ul>' if options else ''}</div>"
    return Shown(html, box, f"Prediction {prediction.id}. {prediction.question}")


def _entry(prediction: Prediction) -> tuple[widgets.Widget, Callable[[], object]]:
    """The input widget for a kind of prediction and a function that reads it."""
    if prediction.kind == "number":
        field = widgets.Text(
            placeholder="a number", description=prediction.unit or "a number", style=AS_WIDE_AS_TEXT
        )
        return field, lambda: float(field.value.replace(",", "."))
    if prediction.kind == "choice":
        field = options_field(prediction.options)
        return field, lambda: field.value
    places = [
        widgets.Dropdown(options=prediction.options, value=None, description=f"{k + 1}.")
        for k in range(len(prediction.options))
    ]
    return widgets.VBox(places), lambda: [place.value or "" for place in places]


def options_field(options) -> widgets.RadioButtons:
    """Options of which none is chosen beforehand; long ones wrap below a `WRAPPED` text."""
    layout = {"width": "max-content", "max_width": "100%"}
    field = widgets.RadioButtons(options=options, value=None, layout=layout)
    return field.add_class("course-options")


def _confidence(of: str = "") -> widgets.Dropdown:
    """How sure, with a label that is read aloud; the value is a percentage, None if not chosen."""
    return widgets.Dropdown(
        options=[("choose", None), *CONFIDENCES.items()],
        index=0,
        description=f"How sure of {of}?" if of else "How sure?",
        style=AS_WIDE_AS_TEXT,
        layout={"width": "max-content"},
    )


def _button(text: str) -> widgets.Button:
    return widgets.Button(
        description=text, button_style="primary", icon="check", layout={"width": "max-content"}
    )


def _revealed(
    prediction: Prediction, guess, truth, confidence: int | None = None, whose="Your prediction"
) -> Shown:
    html = _reveal_html(prediction, guess, truth, whose, confidence)
    text = (
        f"{whose}: {_spelled(prediction, guess)}. The truth: {_spelled(prediction, truth)}. "
        f"{_lesson_of(prediction, guess, truth)}"
    )
    return Shown(html, text=text)


def is_right(prediction: Prediction, guess, truth) -> bool:
    """Whether a prediction counts as right: exact, or within the tolerance for a number."""
    if prediction.kind == "number":
        return abs(guess - truth) <= prediction.tolerance
    return guess == truth if prediction.kind == "choice" else list(guess) == list(truth)


def _lesson_of(prediction: Prediction, guess, truth) -> str:
    right = is_right(prediction, guess, truth)
    return prediction.when_right if right else prediction.when_wrong


def _reveal_html(
    prediction: Prediction, guess, truth, whose: str, confidence: int | None = None
) -> str:
    picture = _line_html if prediction.kind == "number" else _columns_html
    sure = "" if confidence is None else f" ({confidence} % sure)"
    mark = "✓ right" if is_right(prediction, guess, truth) else "≠ not what happens"
    return (
        f'<div role="status">{picture(prediction, guess, truth, whose + sure)}'
        f"<div><b>{mark}.</b> {escape(_lesson_of(prediction, guess, truth))}</div></div>"
    )


def _line_html(prediction: Prediction, guess: float, truth: float, whose: str) -> str:
    """A number line with the guess above it and the truth below, drawn in the theme's own ink."""
    low, high = min(prediction.low, guess, truth), max(prediction.high, guess, truth)

    def at(value: float) -> float:
        return 40 + 480 * (value - low) / (high - low)

    def label(value: float, y: int, text: str) -> str:
        anchor = "start" if at(value) < 200 else "end" if at(value) > 360 else "middle"
        return (
            f'<text x="{at(value):.1f}" y="{y}" text-anchor="{anchor}" fill="currentColor" '
            f'font-size="13">{escape(text)}</text>'
        )

    ends = f'<text x="8" y="58" fill="currentColor" font-size="11">{low:g}</text>' + (
        f'<text x="530" y="58" fill="currentColor" font-size="11">{high:g}</text>'
    )
    g, t = at(guess), at(truth)
    alt = f"{whose}: {_spelled(prediction, guess)}; the truth: {_spelled(prediction, truth)}"
    return (
        f'<svg role="img" aria-label="{escape(alt)}" viewBox="0 0 560 110" width="560" '
        f'style="max-width:100%">'
        f'<line x1="40" y1="54" x2="520" y2="54" stroke="currentColor"/>{ends}'
        f'<path d="M {g - 7:.1f} 38 h 14 l -7 13 z" fill="{GUESS_INK}"/>'
        f"{label(guess, 30, f'{whose}: {_spelled(prediction, guess)}')}"
        f'<circle cx="{t:.1f}" cy="54" r="6" fill="{TRUTH_INK}" stroke="currentColor"/>'
        f"{label(truth, 82, f'The truth: {_spelled(prediction, truth)}')}</svg>"
    )


def _columns_html(prediction: Prediction, guess, truth, whose: str) -> str:
    """Guess and truth as two columns; a ranking shows which places agree."""
    guesses, truths = ([guess], [truth]) if prediction.kind == "choice" else (guess, truth)
    cell = 'style="text-align:left;padding:.2em 1.2em .2em 0"'
    rows = "".join(
        f"<tr><td {cell}>{escape(g)}</td><td {cell}>{'=' if g == t else '≠'} {escape(t)}</td></tr>"
        for g, t in zip(guesses, truths, strict=True)
    )
    head = f"<tr><th {cell}>{escape(whose)}</th><th {cell}>The truth</th></tr>"
    return f"<table>{head}{rows}</table>"


# Questions with options


def may_i_say(group: str) -> Shown:
    """Statements about the lesson's figure, to be marked licensed by the measure or not."""
    items = [
        item for lesson in lessons.available() for item in lesson.statements if item.group == group
    ]
    if not items:
        known = {item.group for lesson in lessons.available() for item in lesson.statements}
        raise ValueError(
            f"There are no statements {group!r}. There are: {', '.join(sorted(known))}."
        )
    return _questionnaire("May I say this?", items)


def recall(number: str) -> Shown:
    """Three short questions on what came before lesson `number`."""
    return _questionnaire("Recall", lessons.load(number).recall)


def _questionnaire(title: str, items) -> Shown:
    boxes = [_question_box(number, item) for number, item in enumerate(items, start=1)]
    box = widgets.VBox([widgets.HTML(f"<b>{title}</b>"), *boxes])
    html = f"<div><b>{title}</b><ol>{''.join(map(_question_html, items))}</ol></div>"
    return Shown(html, box, f"{title} {len(items)} questions.")


def _question_box(number: int, item: Item) -> widgets.Widget:
    """A question and its options; they carry its number, which is all that a reader who jumps
    from option to option hears of it: ipywidgets gives a group of options no name of its own."""
    field = options_field([(f"{number}: {option.text}", option) for option in item.options])
    answer = widgets.HTML()

    def on_choice(change):
        chosen = change["new"]
        answer.value = _status(feedback(chosen))
        progress.update("answers", item.id, lambda old: _answered(old, chosen))

    field.observe(on_choice, names="value")
    return widgets.VBox([_paragraph(f"{number}. {escape(item.text)}"), field, answer], layout=APART)


def _answered(old: dict, chosen: Option) -> dict:
    """The first answer counts; the last one is kept beside it."""
    this = {"right": chosen.right, "misconception": chosen.misconception, "text": chosen.text}
    return {"first": old.get("first", this), "last": this}


def feedback(option: Option) -> str:
    """What to say to whoever chose this option; a wrong one names the idea behind it."""
    mark = "✓ Right." if option.right else "↻ Not quite."
    code = option.misconception
    behind = f" (The idea behind it, {code}: {MISCONCEPTIONS[code]}.)" if code else ""
    return f"{mark} {option.feedback}{behind}"


def _question_html(item: Item) -> str:
    """The question for readers without a kernel; the answers are folded away."""
    options = "".join(
        f"<li>{escape(o.text)} <details><summary>if you chose this</summary>"
        f"{escape(feedback(o))}</details></li>"
        for o in item.options
    )
    return f"<li>{escape(item.text)}<ul>{options}</ul></li>"


# The same ten questions before the course and after it


def pre_test(answers: Mapping | None = None) -> Shown:
    """Ten questions, one per misconception, before the course: stored, not graded, no feedback.

    Parameters
    ----------
    answers : mapping, default=None
        To answer without the form: the question to the number of the option, counted from 1, and
        how sure you are in per cent, such as ``{"M1": (2, 75)}``. What is stored first counts.
    """
    return _test("pre_test", "Before the course", answers)


def post_test(answers: Mapping | None = None) -> Shown:
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
    stored = progress.read()
    columns = {}
    for name, when in (("pre_test", "before"), ("post_test", "after")):
        answers = [stored[name].get(item.id, {}) for item in lessons.pretest()]
        columns[when] = [float(answer.get("right", np.nan)) for answer in answers]
        columns[f"confidence_{when}"] = [float(a.get("confidence", np.nan)) for a in answers]
    index = pd.Index([item.id for item in lessons.pretest()], name="misconception")
    return pd.DataFrame(columns, index)[
        ["before", "after", "confidence_before", "confidence_after"]
    ]


def calibration() -> pd.DataFrame:
    """Stated confidence against the share that was right, before and after the course.

    Returns
    -------
    frame : DataFrame indexed by test ("before", "after") and confidence in per cent
        Columns `right`, the share of right answers given with that confidence, and `answers`,
        their number. Whoever is well calibrated has a share of about confidence / 100.
    """
    gains = gain()
    parts = {
        when: gains.groupby(f"confidence_{when}")[when].agg(right="mean", answers="count")
        for when in ("before", "after")
    }
    return pd.concat(parts, names=["test", "confidence"])


def _test(name: str, title: str, answers: Mapping | None) -> Shown:
    items = lessons.pretest()
    if answers is None:
        return _test_form(name, title, items)
    checked = [_checked_answer(items, key, value) for key, value in dict(answers).items()]
    for item, chosen, confidence in checked:
        _store_answer(name, item, chosen, confidence)
    return _notice(_stored_text(name, items))


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
    return item, item.options[int(number) - 1], _checked_confidence(confidence)


def _store_answer(name: str, item: Item, chosen: Option, confidence: int) -> None:
    """The first answer counts; it is not overwritten when the course has taught the right one."""
    this = {"right": chosen.right, "text": chosen.text, "confidence": confidence}
    progress.update(name, item.id, lambda old: old or this)


def _stored_text(name: str, items) -> str:
    stored = progress.read()[name]
    open_ = [item.id for item in items if item.id not in stored]
    needed = "Each needs an option and how sure you are of it."
    left = f" Still open: {', '.join(open_)}. {needed}" if open_ else ""
    return f"{len(items) - len(open_)} of {len(items)} answers are stored.{left}"


def _test_form(name: str, title: str, items) -> Shown:
    rows = [_test_row(item) for item in items]
    button, answer = _button("Store my answers"), widgets.HTML()

    def on_click(_):
        for item, (_, field, sure, remark) in zip(items, rows, strict=True):
            if field.value is None or sure.value is None:
                continue
            _store_answer(name, item, field.value, sure.value)
            if name == "post_test":
                remark.value = _status(feedback(field.value))
        complete = all(item.id in progress.read()[name] for item in items)
        answer.value = _status(f"{'✓' if complete else '↻'} {_stored_text(name, items)}")

    button.on_click(on_click)
    stored = progress.read()[name]
    if stored:
        answer.value = _status(f"{_stored_text(name, items)} The first answer counts.")
    heading = f"<b>{title}: ten questions</b>"
    box = widgets.VBox([_paragraph(heading), *(row[0] for row in rows), button, answer])
    show = _question_html if name == "post_test" else _bare_question_html
    html = f"<div>{heading}<ol>{''.join(map(show, items))}</ol></div>"
    return Shown(html, box, f"{title}: {len(items)} questions.")


def _test_row(item: Item) -> tuple[widgets.Widget, widgets.Widget, widgets.Widget, widgets.HTML]:
    """The question with its options and a confidence; neither is chosen beforehand."""
    field = options_field([(option.text, option) for option in item.options])
    sure, remark = _confidence(item.id), widgets.HTML()
    question = _paragraph(f"<b>{item.id}.</b> {escape(item.text)}")
    return widgets.VBox([question, field, sure, remark], layout=APART), field, sure, remark


def _bare_question_html(item: Item) -> str:
    """The question for readers without a kernel, without a word on its options."""
    options = "".join(f"<li>{escape(option.text)}</li>" for option in item.options)
    return f"<li>{escape(item.text)}<ul>{options}</ul></li>"


def _paragraph(html: str) -> widgets.HTML:
    """Text between widgets, with the line spacing of prose and not of controls."""
    return widgets.HTML(f'{WRAPPED}<div style="line-height:1.4">{html}</div>')


def _status(text: str) -> str:
    return f'<div role="status" aria-live="polite" style="line-height:1.4">{escape(text)}</div>'
