"""The questions of a lesson: what the class sees, the answer of a later step, what one says.

Below a question the lecturer types how the class voted, which votes.js shows.
"""

import json
from collections.abc import Iterable

from markupsafe import Markup

from course_lib.learner.prediction_form import reply_to, right_in_words
from course_lib.lessons import Item, Prediction, Statement

LETTERS = "ABCDEFGH"
ASKED = Markup('<p class="question">{}</p>{}')
TALK = Markup("<p>Vote {}. Typical guess: {}. {}</p>")
REPLY = Markup("<p><b>{}</b> {}</p>")
ABOUT = Markup("<p>“{}” <b>{}</b></p>")
BALLOT = Markup('<div class="ballot{}" data-vote="{}"></div><div class="tally"></div>')
TO = "To “{}”:"


def prediction(vote: Prediction, truth) -> tuple[Markup, Markup, Markup]:
    """A vote, the truth, and what to say to each guess."""
    how = {"number": f"A number{_unit(vote.unit)}.", "ranking": "In which order?"}
    asked = ASKED.format(vote.question, _options(vote.options))
    asked += Markup('<p class="how">{}</p>').format(how[vote.kind]) if vote.kind in how else ""
    told = REPLY.format("The truth:", vote.spelled(truth))
    guess = f"A typical guess: {vote.spelled(vote.typical)}."
    told += REPLY.format(guess, reply_to(vote, vote.typical, truth))
    notes = TALK.format(vote.id, vote.spelled(vote.typical), vote.in_class)
    notes += Markup().join(REPLY.format(to, text) for to, text in vote.replies_in_words())
    near = right_in_words(vote, truth)
    notes += REPLY.format(f"To a right one{f' ({near})' if near else ''}:", vote.when_right)
    return asked + _ballot(vote, truth), told, notes


def recall(item: Item) -> tuple[Markup, Markup, Markup]:
    """A question with its options, and the right one of them."""
    asked = ASKED.format(item.text, _options(option.text for option in item.options))
    place, right = next((k, o) for k, o in enumerate(item.options) if o.right)
    ballot = _hands(LETTERS[: len(item.options)], place)
    return asked + ballot, REPLY.format(f"{LETTERS[place]}.", right.feedback), _replies(item)


def statement(item: Statement) -> tuple[Markup, Markup, Markup]:
    """A sentence about a figure, and whether one may say it."""
    asked = Markup('<p class="statement">{}</p>').format(item.text)
    right = next(option for option in item.options if option.right)
    mark = f"{'✓' if item.licensed else '✗'} {right.text}."
    ballot = _hands(("Yes", "No"), 0 if item.licensed else 1, inline=True)
    told, about = REPLY.format(mark, right.feedback), ABOUT.format(item.text, mark)
    return asked + " " + ballot, told, about + _replies(item)


# ---- how the class voted -----------------------------------------------------------------


def _ballot(vote: Prediction, truth) -> Markup:
    if vote.kind == "number":
        line = {"low": vote.low, "high": vote.high, "truth": truth}
        return _vote({"kind": "guesses", "unit": vote.unit_after(truth), **line})
    first = truth if vote.kind == "choice" else truth[0]
    what = "hands" if vote.kind == "choice" else "hands for the first place"
    return _hands(LETTERS[: len(vote.options)], vote.options.index(first), what)


def _hands(options: Iterable[str], right: int, what: str = "hands", inline=False) -> Markup:
    told = {"kind": "hands", "options": list(options), "right": right}
    return _vote(told | {"what": what, "inline": inline})


def _vote(told: dict) -> Markup:
    return BALLOT.format(
        " inline" if told.get("inline") else "", json.dumps(told, ensure_ascii=False)
    )


# ---- texts -------------------------------------------------------------------------------


def _options(options: Iterable[str]) -> Markup:
    items = Markup().join(Markup("<li>{}</li>").format(option) for option in options)
    return Markup('<ol class="options" type="A">{}</ol>').format(items) if items else items


def _unit(unit: str) -> str:
    return f" {unit}" if unit.startswith("of ") else f", in {unit}" if unit else ""


def _replies(item: Item | Statement) -> Markup:
    wrong = (option for option in item.options if not option.right)
    return Markup().join(REPLY.format(TO.format(option.text), option.feedback) for option in wrong)
