"""The questions of a lesson: what the class sees, the answer of a later step, what one says."""

import re
from collections.abc import Iterable

from markupsafe import Markup

from course_lib.lessons import Item, Prediction, Statement

LETTERS = "ABCDEFGH"
ASKED = Markup('<p class="question">{}</p>{}')
TALK = Markup("<p>Vote {}. Typical guess: {}. {}</p>")
REPLY = Markup("<p><b>{}</b> {}</p>")
VERDICT = re.compile(r"<b>≠[^<]*</b>|≠")  # on the one guess that stands in for the class


def prediction(vote: Prediction, reveal: Markup) -> tuple[Markup, Markup, Markup]:
    """A vote, and what its reveal shows."""
    how = {"number": f"A number{_unit(vote.unit)}.", "ranking": "In which order?"}
    asked = ASKED.format(vote.question, _options(vote.options))
    asked += Markup('<p class="how">{}</p>').format(how[vote.kind]) if vote.kind in how else ""
    notes = TALK.format(vote.id, vote.spelled(vote.typical), vote.in_class)
    notes += REPLY.format("To a wrong guess:", vote.when_wrong)
    notes += REPLY.format("To a right one:", vote.when_right)
    return asked, Markup(VERDICT.sub("", reveal)), notes


def recall(item: Item) -> tuple[Markup, Markup, Markup]:
    """A question with its options, and the right one of them."""
    asked = ASKED.format(item.text, _options(option.text for option in item.options))
    place, right = next((k, o) for k, o in enumerate(item.options) if o.right)
    return asked, REPLY.format(f"{LETTERS[place]}.", right.feedback), _replies(item)


def statement(item: Statement) -> tuple[Markup, Markup, Markup]:
    """A sentence about a figure, and whether one may say it."""
    asked = Markup('<p class="statement">{}</p>').format(item.text)
    right = next(option for option in item.options if option.right)
    mark = f"{'✓' if item.licensed else '✗'} {right.text}."
    return asked, REPLY.format(mark, right.feedback), _replies(item)


def _options(options: Iterable[str]) -> Markup:
    items = Markup().join(Markup("<li>{}</li>").format(option) for option in options)
    return Markup('<ol class="options" type="A">{}</ol>').format(items) if items else items


def _unit(unit: str) -> str:
    return f" {unit}" if unit.startswith("of ") else f", in {unit}" if unit else ""


def _replies(item: Item | Statement) -> Markup:
    wrong = (option for option in item.options if not option.right)
    return Markup().join(REPLY.format(option.text, option.feedback) for option in wrong)
