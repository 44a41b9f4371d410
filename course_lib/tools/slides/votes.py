"""The questions of a lesson on slides: to vote on first, the answer at a later step."""

from collections.abc import Iterable

from markupsafe import Markup

from course_lib.lessons import Item, Prediction, Statement

LETTERS = "ABCDEFGH"


def prediction(vote: Prediction) -> tuple[Markup, Markup]:
    """What the class sees of a prediction, and what the speaker says to it."""
    how = {"number": f"A number{_unit(vote.unit)}.", "ranking": "In which order?"}
    asked = Markup('<p class="question">{}</p>').format(vote.question) + _options(vote.options)
    if vote.kind in how:
        asked += Markup('<p class="how">{}</p>').format(how[vote.kind])
    notes = (
        Markup("<p>Vote {}. Typical guess: {}. {}</p>"),
        Markup("<p><b>To a wrong guess:</b> {}</p><p><b>To a right one:</b> {}</p>"),
    )
    typical = vote.spelled(vote.typical)
    return asked, notes[0].format(vote.id, typical, vote.in_class) + notes[1].format(
        vote.when_wrong, vote.when_right
    )


def recall(item: Item) -> tuple[Markup, Markup, Markup]:
    """A question with its options, the right one of them, and what to say to the others."""
    asked = Markup('<p class="question">{}</p>').format(item.text)
    asked += _options(option.text for option in item.options)
    place, right = next((k, o) for k, o in enumerate(item.options) if o.right)
    answer = Markup("<p><b>{}.</b> {}</p>").format(LETTERS[place], right.feedback)
    return asked, answer, _replies(item)


def statement(item: Statement) -> tuple[Markup, Markup, Markup]:
    """A sentence about a figure, whether one may say it, and what to say to the other answer."""
    asked = Markup('<p class="statement">{}</p>').format(item.text)
    right = next(option for option in item.options if option.right)
    mark = "✓" if item.licensed else "✗"
    answer = Markup("<p><b>{} {}.</b> {}</p>").format(mark, right.text, right.feedback)
    return asked, answer, _replies(item)


def _options(options: Iterable[str]) -> Markup:
    items = Markup().join(Markup("<li>{}</li>").format(option) for option in options)
    return Markup('<ol class="options" type="A">{}</ol>').format(items) if items else items


def _unit(unit: str) -> str:
    return f" {unit}" if unit.startswith("of ") else f", in {unit}" if unit else ""


def _replies(item: Item | Statement) -> Markup:
    wrong, reply = (o for o in item.options if not o.right), Markup("<p><b>{}</b> {}</p>")
    return Markup().join(reply.format(option.text, option.feedback) for option in wrong)
