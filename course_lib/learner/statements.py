"""Questions with options: may I say this, and what came before; each option gets its answer."""

from markupsafe import Markup

from course_lib import lessons
from course_lib.learner import journal
from course_lib.learner.forms import FIRST, WORDS, Display, form
from course_lib.lessons import MISCONCEPTIONS, Item, Option, Statement

QUESTION_WORDS = WORDS | {
    "button": "Answer",
    "empty": "Choose one of the options first.",
    "first": f"{FIRST} This question is locked.",
    "yours": "your answer",
    "answer": "the right answer",
}


def may_i_say(group: str) -> Display:
    """Statements about the lesson's figure, to be marked licensed by the measure or not."""
    items = [
        item for lesson in lessons.available() for item in lesson.statements if item.group == group
    ]
    if not items:
        known = {item.group for lesson in lessons.available() for item in lesson.statements}
        raise ValueError(
            f"There are no statements {group!r}. There are: {', '.join(sorted(known))}."
        )
    return questionnaire("May I say this?", items)


def recall(number: str) -> Display:
    """Short questions on what came before lesson `number`."""
    return questionnaire("Recall", lessons.load(number).recall)


def questionnaire(title: str, items) -> Display:
    """Questions that are answered one by one; each answers back, and its first answer counts."""
    spec = {
        "form": "questions",
        "title": title,
        "items": [item_spec(item) for item in items],
        "words": QUESTION_WORDS,
    }
    answered = journal.is_unattended()  # a learner's saved notebook must not give them away
    html = Markup("<div><b>{}</b>{}</div>").format(title, questions_html(items, answered=answered))
    return form(
        spec,
        html,
        f"{title} {len(items)} question{'s' * (len(items) != 1)}.",
        section="answer",
        stored=lambda: _first_answers(items),
        store=lambda message: _store(items, message),
    )


def item_spec(item: Item | Statement, *, answered: bool = True) -> dict:
    """What the page is told of a question, with the answers to its options or without."""
    options = [
        {"text": option.text} | _answer_spec(option) if answered else {"text": option.text}
        for option in item.options
    ]
    return {"id": item.id, "text": item.text, "options": options}


def _answer_spec(option: Option) -> dict:
    return {"right": option.right, "feedback": explanation(option)}


def _first_answers(items) -> dict:
    stored = journal.read()["answers"]
    firsts = {item.id: stored.get(item.id, {}).get("first") for item in items}
    return {"entries": {name: first for name, first in firsts.items() if isinstance(first, dict)}}


def _store(items, message: dict) -> None:
    item = {item.id: item for item in items}[message["id"]]
    chosen = item.options[message["option"]]
    journal.update("answers", item.id, lambda old: _first_and_last(old, chosen))


def _first_and_last(old: dict, chosen: Option) -> dict:
    """The first answer counts; the last one is kept beside it."""
    this = {"right": chosen.right, "behind": chosen.behind, "text": chosen.text}
    return {"first": old.get("first", this), "last": this}


def explanation(option: Option) -> str:
    """What to say to whoever chose this option; a wrong one names the mistake behind it."""
    if not option.behind:
        return option.feedback
    belief = MISCONCEPTIONS[option.behind]
    return f"{option.feedback} A common mistake is to believe that {belief}."


def feedback(option: Option) -> str:
    """The same with the verdict before it."""
    mark = f"✓ {WORDS['right']}" if option.right else f"✗ {WORDS['wrong']}"
    return f"{mark} {explanation(option)}"


def questions_html(items, *, answered: bool = True) -> Markup:
    """The questions for readers without a page that is alive; the answers are folded away."""
    folded = Markup("<li>{} <details><summary>if you chose this</summary>{}</details></li>")
    bare = Markup("<li>{}</li>")
    question = Markup("<p><b>{}.</b> {}</p><ul>{}</ul>")
    return Markup().join(
        question.format(
            number,
            item.text,
            Markup().join(
                folded.format(o.text, feedback(o)) if answered else bare.format(o.text)
                for o in item.options
            ),
        )
        for number, item in enumerate(items, start=1)
    )
