"""Predict, commit, run, explain: a guess before the result, and the truth beside it."""

from numbers import Real

import numpy as np

from course_lib import lessons
from course_lib.learner import forms, journal
from course_lib.learner.prediction_form import (
    compared_html,
    compared_text,
    prediction_spec,
    question_html,
    truth_spec,
)
from course_lib.lessons import Prediction


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
        return prediction_form(prediction)
    earlier = _stored(prediction)
    guess = _possible_guess(prediction, guess)
    _commit(prediction, guess, forms.checked_confidence(confidence))
    forms.show_newest()
    return forms.notice(_committed_text(prediction, guess, earlier))


def reveal(name: str, truth) -> forms.Display:
    """Show the truth beside the prediction, or ask for the prediction first if there is none."""
    prediction = lessons.find("predictions", name)
    truth = checked_guess(prediction, truth)
    if prediction.kind == "number":
        truth = float(f"{truth:.4g}")  # as it is shown; further digits differ between machines
    return reveal_form(prediction, truth)


def prediction_form(prediction: Prediction) -> forms.Display:
    """The form that commits a prediction."""
    return _form(
        prediction, prediction_spec(prediction), question_html(prediction), _asked(prediction)
    )


def reveal_form(prediction: Prediction, truth) -> forms.Display:
    """The form that asks for a prediction unless there is one, and then shows the truth."""
    unattended = journal.is_unattended()
    whose = "A typical guess" if unattended else "Your prediction"
    guess = prediction.typical if unattended else _stored(prediction).get("guess")
    spec = prediction_spec(prediction) | truth_spec(prediction, truth)
    if guess is None:
        return _form(prediction, spec, question_html(prediction, gate=True), _asked(prediction))
    html = compared_html(prediction, guess, truth, whose)
    return _form(prediction, spec, html, compared_text(prediction, guess, truth, whose))


def _form(prediction: Prediction, spec: dict, fallback, text: str) -> forms.Display:
    return forms.form(
        spec,
        fallback,
        text,
        section="prediction",
        stored=lambda: {"entry": _stored(prediction)} if _stored(prediction) else {},
        store=lambda message: _commit(
            prediction,
            _possible_guess(prediction, message["guess"]),
            forms.checked_confidence(message["confidence"]),
        ),
    )


def _asked(prediction: Prediction) -> str:
    return f"Prediction {prediction.id}. {prediction.question}"


def checked_guess(prediction: Prediction, guess):
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


def _possible_guess(prediction: Prediction, guess):
    """A guess in the form its kind needs, and a number only if it is possible."""
    guess = checked_guess(prediction, guess)
    if prediction.kind == "number" and not prediction.allows(guess):
        raise ValueError(
            f"Prediction {prediction.id} is {prediction.possible}; got {guess:g}. Pass one of them."
        )
    return guess


def _stored(prediction: Prediction) -> dict:
    """What was committed; an entry that makes no sense (any more) is as good as none."""
    entry = journal.read()["predictions"].get(prediction.id, {})
    try:
        checked_guess(prediction, entry.get("guess"))
    except (TypeError, ValueError):
        return {}
    return entry


def _commit(prediction: Prediction, guess, confidence: int | None) -> None:
    def change(old: dict) -> dict:
        if not _stored(prediction):
            return {"guess": guess, "confidence": confidence}
        return old | {"changed_to": guess, "changed_confidence": confidence}

    journal.update("predictions", prediction.id, change)


def _committed_text(prediction: Prediction, guess, earlier: dict) -> str:
    new = prediction.spelled(guess)
    if not earlier:
        return f"Prediction {prediction.id} is committed: {new}. Now run on."
    first = prediction.spelled(earlier["guess"])
    return (
        f"Prediction {prediction.id} was committed before: {first}. The first one counts; "
        f"{new} is kept beside it."
    )
