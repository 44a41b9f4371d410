"""The questions of a lesson on slides: to vote on first, the answer at a later step."""

from collections.abc import Iterable
from html import escape

from course_lib.lessons import Item, Prediction, Statement

LETTERS = "ABCDEFGH"


def prediction(vote: Prediction) -> tuple[str, str]:
    """What the class sees of a prediction, and what the speaker sees beside it."""
    how = {"number": f"A number{_unit(vote.unit)}.", "ranking": "In which order?"}.get(
        vote.kind, ""
    )
    options = _options(vote.options) + (f'<p class="how">{how}</p>' if how else "")
    notes = f"<p>Vote {vote.id}. Typical guess: {escape(vote.spelled(vote.typical))}.</p>"
    return f'<p class="question">{escape(vote.question)}</p>{options}', notes


def recall(item: Item) -> tuple[str, str, str]:
    """A question with its options, the right one of them, and what to say to the others."""
    asked = f'<p class="question">{escape(item.text)}</p>'
    asked += _options(option.text for option in item.options)
    place, right = next((k, o) for k, o in enumerate(item.options) if o.right)
    return asked, f"<p><b>{LETTERS[place]}.</b> {escape(right.feedback)}</p>", _replies(item)


def statement(item: Statement) -> tuple[str, str, str]:
    """A sentence about a figure, whether one may say it, and what to say to the others."""
    right = next(option for option in item.options if option.right)
    mark = "✓" if item.licensed else "✗"
    asked = f'<p class="statement">{escape(item.text)}</p><p class="how">May I say this?</p>'
    told = f"<p><b>{mark} {escape(right.text)}.</b> {escape(right.feedback)}</p>"
    return asked, told, _replies(item)


def _options(options: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(option)}</li>" for option in options)
    return f'<ol class="options" type="A">{items}</ol>' if items else ""


def _unit(unit: str) -> str:
    return f" {escape(unit)}" if unit.startswith("of ") else f", in {escape(unit)}" if unit else ""


def _replies(item: Item | Statement) -> str:
    wrong = (option for option in item.options if not option.right)
    return "".join(f"<p><b>{escape(o.text)}</b> {escape(o.feedback)}</p>" for o in wrong)
