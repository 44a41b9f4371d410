"""Questions with options: may I say this, and what came before; each option gets its answer."""

from string import ascii_lowercase

import ipywidgets as widgets
from markupsafe import Markup

from course_lib import lessons
from course_lib.learner import journal
from course_lib.learner.forms import APART, Display, options_field, paragraph, status
from course_lib.lessons import MISCONCEPTIONS, Item, Option, Statement


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
    return _questionnaire("May I say this?", items)


def recall(number: str) -> Display:
    """Short questions on what came before lesson `number`."""
    return _questionnaire("Recall", lessons.load(number).recall)


def _questionnaire(title: str, items) -> Display:
    boxes = [_question_box(number, item) for number, item in enumerate(items, start=1)]
    heading, questions = Markup("<b>{}</b>").format(title), Markup().join(map(question_html, items))
    box = widgets.VBox([widgets.HTML(heading), *boxes])
    html = Markup("<div>{}<ol>{}</ol></div>").format(heading, questions)
    return Display(html, box, f"{title} {len(items)} question{'s' * (len(items) != 1)}.")


def _question_box(number: int, item: Item | Statement) -> widgets.Widget:
    """A question and its options; they carry its number, which is all that a reader who jumps
    from option to option hears of it: ipywidgets gives a group of options no name of its own."""
    lettered = zip(ascii_lowercase, item.options, strict=False)
    field = options_field([(f"{number}{letter}. {o.text}", o) for letter, o in lettered])
    answer = widgets.HTML()

    def on_choice(change):
        chosen = change["new"]
        answer.value = status(feedback(chosen))
        journal.update("answers", item.id, lambda old: _first_and_last(old, chosen))

    field.observe(on_choice, names="value")
    question = paragraph(Markup("{}. {}").format(number, item.text))
    return widgets.VBox([question, field, answer], layout=APART)


def _first_and_last(old: dict, chosen: Option) -> dict:
    """The first answer counts; the last one is kept beside it."""
    this = {"right": chosen.right, "behind": chosen.behind, "text": chosen.text}
    return {"first": old.get("first", this), "last": this}


def feedback(option: Option) -> str:
    """What to say to whoever chose this option; a wrong one names the idea behind it."""
    mark = "✓ Right." if option.right else "↻ Not quite."
    code = option.behind
    behind = f" (The idea behind it, {code}: {MISCONCEPTIONS[code]}.)" if code else ""
    return f"{mark} {option.feedback}{behind}"


def question_html(item: Item | Statement) -> Markup:
    """The question for readers without a kernel; the answers are folded away."""
    option = Markup("<li>{} <details><summary>if you chose this</summary>{}</details></li>")
    options = Markup().join(option.format(o.text, feedback(o)) for o in item.options)
    return Markup("<li>{}<ul>{}</ul></li>").format(item.text, options)
