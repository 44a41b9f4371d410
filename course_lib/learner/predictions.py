"""Predict, commit, run, explain: a guess before the result, and the truth beside it."""

from collections.abc import Callable
from numbers import Real

import ipywidgets as widgets
import numpy as np
from markupsafe import Markup

from course_lib import lessons
from course_lib.learner import forms, journal
from course_lib.lessons import Prediction

WANTED = {
    "number": "write a number first.",
    "choice": "choose one of the options first.",
    "ranking": "name each option once, most important first.",
}
NUMBER_LINE = Markup(
    '<svg role="img" aria-label="{alt}" viewBox="0 0 560 110" width="560" style="max-width:100%">'
    '<line x1="40" y1="54" x2="520" y2="54" stroke="currentColor"/>'
    '<text x="8" y="58" fill="currentColor" font-size="11">{low:g}</text>'
    '<text x="530" y="58" fill="currentColor" font-size="11">{high:g}</text>'
    '<path d="M {left:.1f} 38 h 14 l -7 13 z" fill="#c65d00"/>{own}'
    '<circle cx="{at:.1f}" cy="54" r="6" fill="#2f7fb8" stroke="currentColor"/>{true}</svg>'
)
LABEL = Markup(
    '<text x="{:.1f}" y="{}" text-anchor="{}" fill="currentColor" font-size="13">{}</text>'
)


def predict(name: str, guess=None, confidence: int | None = None) -> forms.Display:
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
    _commit(prediction, guess, forms.checked_confidence(confidence))
    return forms.notice(_committed_text(prediction, guess))


def reveal(name: str, truth) -> forms.Display:
    """Show the truth beside the prediction, or ask for the prediction first if there is none."""
    prediction = lessons.find("predictions", name)
    truth = _checked_guess(prediction, truth)
    if journal.is_unattended():
        return _comparison(prediction, prediction.typical, truth, whose="A typical guess")
    stored = journal.read()["predictions"].get(name)
    if stored is None:
        return _form(prediction, truth)
    return _comparison(prediction, stored["guess"], truth, stored.get("confidence"))


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


def _commit(prediction: Prediction, guess, confidence: int | None) -> None:
    def change(old: dict) -> dict:
        if not old:
            return {"guess": guess, "confidence": confidence}
        return old | {"changed_to": guess, "changed_confidence": confidence}

    journal.update("predictions", prediction.id, change)


def _committed_text(prediction: Prediction, guess) -> str:
    return f"Prediction {prediction.id} is committed: {prediction.spelled(guess)}. Now run on."


def _form(prediction: Prediction, truth=None) -> forms.Display:
    """A form to commit a prediction; given the truth, it reveals it after the commitment."""
    entry, read_guess = _entry(prediction)
    sure, commit, answer = forms.confidence_field(), forms.button("Commit"), widgets.HTML()
    earlier = journal.read()["predictions"].get(prediction.id)
    if earlier:
        guess = prediction.spelled(earlier["guess"])
        answer.value = forms.status(f"✓ You have committed to: {guess}. The first one counts.")

    def on_click(_):
        try:
            guess = _checked_guess(prediction, read_guess())
        except (TypeError, ValueError):
            answer.value = forms.status(f"↻ Not committed yet: {WANTED[prediction.kind]}")
            return
        if sure.value is None:
            answer.value = forms.status("↻ Not committed yet: say how sure you are as well.")
            return
        _commit(prediction, guess, sure.value)
        if truth is None:
            answer.value = forms.status(f"✓ {_committed_text(prediction, guess)}")
        else:
            first = journal.read()["predictions"][prediction.id]
            answer.value = _reveal_html(prediction, first["guess"], truth, "Your prediction")

    commit.on_click(on_click)
    heading = "Commit first, then the answer appears here. " if truth is not None else ""
    question = Markup("<b>Prediction {}.</b> {}{}").format(
        prediction.id, heading, prediction.question
    )
    box = widgets.VBox([forms.paragraph(question), entry, sure, commit, answer])
    options = Markup().join(Markup("<li>{}</li>").format(option) for option in prediction.options)
    listed = Markup("<ul>{}</ul>").format(options) if options else ""
    html = Markup("<div>{}{}</div>").format(question, listed)
    return forms.Display(html, box, f"Prediction {prediction.id}. {prediction.question}")


def _entry(prediction: Prediction) -> tuple[widgets.Widget, Callable[[], object]]:
    """The input widget for a kind of prediction and a function that reads it."""
    if prediction.kind == "number":
        field = widgets.Text(
            placeholder="a number",
            description=prediction.unit or "a number",
            style=forms.AS_WIDE_AS_TEXT,
        )
        return field, lambda: float(field.value.replace(",", "."))
    if prediction.kind == "choice":
        field = forms.options_field(prediction.options)
        return field, lambda: field.value
    places = [
        widgets.Dropdown(options=prediction.options, value=None, description=f"{k + 1}.")
        for k in range(len(prediction.options))
    ]
    return widgets.VBox(places), lambda: [place.value or "" for place in places]


def _comparison(
    prediction: Prediction, guess, truth, confidence: int | None = None, whose="Your prediction"
) -> forms.Display:
    html = _reveal_html(prediction, guess, truth, whose, confidence)
    text = (
        f"{whose}: {prediction.spelled(guess)}. The truth: {prediction.spelled(truth)}. "
        f"{_lesson_of(prediction, guess, truth)}"
    )
    return forms.Display(html, text=text)


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
) -> Markup:
    picture = _line_html if prediction.kind == "number" else _columns_html
    sure = "" if confidence is None else f" ({confidence} % sure)"
    mark = "✓ right" if is_right(prediction, guess, truth) else "≠ not what happens"
    return Markup('<div role="status">{}<div><b>{}.</b> {}</div></div>').format(
        picture(prediction, guess, truth, whose + sure), mark, _lesson_of(prediction, guess, truth)
    )


def _line_html(prediction: Prediction, guess: float, truth: float, whose: str) -> Markup:
    """A number line with the guess above it and the truth below, drawn in the theme's own ink."""
    low, high = min(prediction.low, guess, truth), max(prediction.high, guess, truth)

    def at(value: float) -> float:
        return 40 + 480 * (value - low) / (high - low)

    def label(x: float, y: int, text: str) -> Markup:
        anchor = "start" if x < 200 else "end" if x > 360 else "middle"
        return LABEL.format(x, y, anchor, text)

    own = f"{whose}: {prediction.spelled(guess)}"
    true = prediction.spelled(truth)
    return NUMBER_LINE.format(
        alt=f"{own}; the truth: {true}",
        low=low,
        high=high,
        left=at(guess) - 7,
        own=label(at(guess), 30, own),
        at=at(truth),
        true=label(at(truth), 82, f"The truth: {true}"),
    )


def _columns_html(prediction: Prediction, guess, truth, whose: str) -> Markup:
    """Guess and truth as two columns; a ranking shows which places agree."""
    guesses, truths = ([guess], [truth]) if prediction.kind == "choice" else (guess, truth)
    rows = [("th", whose, "The truth")]
    for g, t in zip(guesses, truths, strict=True):
        rows.append(("td", g, f"{'=' if g == t else '≠'} {t}"))
    return Markup("<table>{}</table>").format(Markup().join(_row_html(*row) for row in rows))


def _row_html(tag: str, left: str, right: str) -> Markup:
    style = "text-align:left;padding:.2em 1.2em .2em 0"
    return Markup('<tr><{0} style="{1}">{2}</{0}><{0} style="{1}">{3}</{0}></tr>').format(
        tag, style, left, right
    )
