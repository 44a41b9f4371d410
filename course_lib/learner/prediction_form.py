"""What a page is told of a prediction and of the truth, and the same as text without a page."""

from math import ceil, factorial, floor, isfinite, log10

from markupsafe import Markup

from course_lib.learner.forms import WORDS, sureness
from course_lib.lessons import Prediction
from course_lib.lessons.prose import to_html

EDGE = 1e-6  # by which decimals may miss the edge of a tolerance that they lie on
GUESSED = 25  # per cent: how often a number that was only guessed is near enough
ASKED_WORDS = WORDS | {
    "button": "Commit",
    "unsure": "Not committed yet: say how sure you are as well.",
    "strange": "“{given}” is not a number. Write it in digits, such as 0.4 or 0,4.",
    "committed": "Committed: {guess}. The first one counts, so this form is locked. Now go on.",
    "looked": "You looked at the answer without a guess.",
}
EMPTY = {
    "number": "Not committed yet: write a number first.",
    "choice": "Not committed yet: choose one of the options first.",
    "ranking": "Not committed yet: name each option once, most important first.",
}
TRUTH_WORDS = {
    "gate": "Commit first, then the answer appears here.",
    "go": "Go to the prediction",
    "look": "Show me without a guess",
    "own": "Your prediction",
    "truth": "The truth",
    "same": "The same?",
    "yes": "yes",
    "no": "no",
}


def prediction_spec(prediction: Prediction) -> dict:
    """What the page needs to ask for a prediction."""
    possible = f"the answer is {prediction.possible}."
    words = {
        "empty": EMPTY[prediction.kind],
        "impossible": f"{{given}} is not possible: {possible}",
    }
    return {
        "form": "prediction",
        "id": prediction.id,
        "kind": prediction.kind,
        "title": f"Prediction {prediction.id}",
        "question": prediction.question,
        "options": list(prediction.options),
        "label": "Your answer" if prediction.unit else "Your answer, a number",
        "unit": prediction.unit,
        "unit_of_one": prediction.unit_of_one,
        "least": _finite(prediction.least),
        "most": _finite(prediction.most),
        "whole": prediction.whole,
        "sure": _sureness(prediction),
        "words": ASKED_WORDS | words,
    }


def truth_spec(prediction: Prediction, truth) -> dict:
    """What the page needs besides to show the truth after the commitment."""
    return {
        "form": "reveal",
        "truth": truth,
        "low": prediction.low,
        "high": prediction.high,
        "tolerance": prediction.tolerance,
        "right": prediction.when_right,
        "replies": [
            {"text": reply.text, "to": reply.to, "below": _finite(reply.below)}
            for reply in prediction.replies
        ],
        "told": to_html(prediction.told),
        "words": prediction_spec(prediction)["words"] | TRUTH_WORDS,
    }


def _finite(number: float) -> float | None:
    return number if isfinite(number) else None


def _sureness(prediction: Prediction) -> dict:
    """How sure one is; the per cent of a mere guess depend on how much there is to choose from."""
    options, near = len(prediction.options), ""
    if prediction.kind == "number":
        near = _nearness(prediction)
    chance = {
        "number": GUESSED,
        "choice": 100 / max(options, 1),
        "ranking": 100 / factorial(options),
    }
    legend = f"How sure are you? (The chance that you are right{near}.)"
    return sureness(legend, chance[prediction.kind])


def _nearness(prediction: Prediction) -> str:
    """How near a number has to be, to be right; nothing if that is a matter of course."""
    if prediction.whole and prediction.tolerance < 1:
        return ""
    unit = "" if prediction.unit.startswith("of ") else prediction.unit
    return f", give or take {prediction.tolerance:g} {unit}".rstrip()


# ---- right or not ------------------------------------------------------------------------


def is_right(prediction: Prediction, guess, truth) -> bool:
    """Whether a prediction counts as right: exact, or within the tolerance for a number."""
    if prediction.kind == "number":
        return abs(guess - truth) <= prediction.tolerance * (1 + EDGE)
    return guess == truth if prediction.kind == "choice" else list(guess) == list(truth)


def right_in_words(prediction: Prediction, truth) -> str:
    """Which numbers count as right, as far as they are possible; empty if only the truth does.

    The edges have one digit more than the tolerance, or none where only whole numbers count, and
    lie inside: all from the one to the other are right.

    Examples
    --------
    >>> from course_lib import lessons
    >>> right_in_words(lessons.find("predictions", "00.1"), 12)
    '8 to 16 count as right'
    """
    if prediction.kind != "number":
        return ""
    reach = prediction.tolerance * (1 + EDGE)
    low, high = max(truth - reach, prediction.least), min(truth + reach, prediction.most)
    steps = 1 if prediction.whole else 10 ** (1 - floor(log10(prediction.tolerance)))
    first, last = ceil(low * steps) / steps, floor(high * steps) / steps
    return f"{first:g} to {last:g} count as right" if first < last else ""


def reply_to(prediction: Prediction, guess, truth) -> str:
    """What is said to a guess: to a right one, to this option, or to numbers in this range."""
    if is_right(prediction, guess, truth):
        return prediction.when_right
    fits = {
        "number": lambda reply: guess < reply.below,
        "choice": lambda reply: reply.to == guess,
        "ranking": lambda reply: True,
    }[prediction.kind]
    return next((reply.text for reply in prediction.replies if fits(reply)), "")


# ---- without a page ----------------------------------------------------------------------


def question_html(prediction: Prediction, *, gate: bool = False) -> Markup:
    """The question and its options."""
    options = Markup().join(Markup("<li>{}</li>").format(option) for option in prediction.options)
    listed = Markup("<ul>{}</ul>").format(options) if options else ""
    first = f"{TRUTH_WORDS['gate']} " if gate else ""
    return Markup("<div><b>Prediction {}.</b> {}{}{}</div>").format(
        prediction.id, first, prediction.question, listed
    )


def compared_text(prediction: Prediction, guess, truth, whose: str) -> str:
    """Guess, truth and reply as sentences."""
    return (
        f"{whose}: {prediction.spelled(guess)}. The truth: {prediction.spelled(truth)}. "
        f"{reply_to(prediction, guess, truth)}"
    )


def compared_html(prediction: Prediction, guess, truth, whose: str) -> Markup:
    """Guess beside truth, the reply, and what is told only now."""
    mark = f"✓ {WORDS['right']}" if is_right(prediction, guess, truth) else f"✗ {WORDS['wrong']}"
    return Markup("<div>{}<p><b>{}</b> {}</p>{}</div>").format(
        _columns_html(prediction, guess, truth, whose),
        mark,
        reply_to(prediction, guess, truth),
        to_html(prediction.told, as_tex=True),
    )


def _columns_html(prediction: Prediction, guess, truth, whose: str) -> Markup:
    """Guess beside truth; of a ranking, a third column says in words which places agree."""
    heads = [whose, TRUTH_WORDS["truth"]]
    if prediction.kind == "ranking":
        heads, rows = [*heads, TRUTH_WORDS["same"]], _places(guess, truth)
    else:  # the words below say whether they agree
        rows = [(prediction.spelled(guess), prediction.spelled(truth))]
    return Markup("<table>{}{}</table>").format(
        _row_html("th", heads), Markup().join(_row_html("td", row) for row in rows)
    )


def _places(guess, truth) -> list[tuple[str, str, str]]:
    """Guess and truth at each place of a ranking, and whether they are the same."""
    words = {True: TRUTH_WORDS["yes"], False: TRUTH_WORDS["no"]}
    return [(g, t, words[g == t]) for g, t in zip(guess, truth, strict=True)]


def _row_html(tag: str, texts) -> Markup:
    cell = Markup(f"<{tag}>{{}}</{tag}>")
    return Markup("<tr>{}</tr>").format(Markup().join(cell.format(text) for text in texts))
