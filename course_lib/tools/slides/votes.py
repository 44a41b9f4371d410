"""The questions of a lesson on slides: to vote on first, the answer at a later step."""

from collections.abc import Iterable

from markupsafe import Markup

from course_lib.lessons import Item, Prediction, Statement

LETTERS = "ABCDEFGH"


def prediction(vote: Prediction) -> tuple[Markup, Markup]:
    """What the class sees of a prediction, and what the speaker sees beside it."""
    how = {"number": f"A number{_unit(vote.unit)}.", "ranking": "In which order?"}.get(
        vote.kind, ""
    )
    asked = Markup('<p class="question">{}</p>').format(vote.question) + _options(vote.options)
    asked += Markup('<p class="how">{}</p>').format(how) if how else ""
    return asked, Markup("<p>Vote {}. Typical guess: {}.</p>").format(
        vote.id, vote.spelled(vote.typical)
    )


def recall(item: Item) -> tuple[Markup, Markup, Markup]:
    """A question with its options, the right one of them, and what to say to the others."""
    asked = Markup('<p class="question">{}</p>').format(item.text)
    asked += _options(option.text for option in item.options)
    place, right = next((k, o) for k, o in enumerate(item.options) if o.right)
    told = Markup("<p><b>{}.</b> {}</p>").format(LETTERS[place], right.feedback)
    return asked, told, _replies(item)


def statement(item: Statement) -> tuple[Markup, Markup, Markup]:
    """A sentence about a figure, whether one may say it, and what to say to the others."""
    right = next(option for option in item.options if option.right)
    mark = "✓" if item.licensed else "✗"
    asked = Markup('<p class="statement">{}</p><p class="how">May I say this?</p>')
    told = Markup("<p><b>{} {}.</b> {}</p>").format(mark, right.text, right.feedback)
    return asked.format(item.text), told, _replies(item)


def _options(options: Iterable[str]) -> Markup:
    items = Markup().join(Markup("<li>{}</li>").format(option) for option in options)
    return Markup('<ol class="options" type="A">{}</ol>').format(items) if items else items


def _unit(unit: str) -> str:
    return f" {unit}" if unit.startswith("of ") else f", in {unit}" if unit else ""


def _replies(item: Item | Statement) -> Markup:
    wrong, reply = (o for o in item.options if not o.right), Markup("<p><b>{}</b> {}</p>")
    return Markup().join(reply.format(option.text, option.feedback) for option in wrong)
