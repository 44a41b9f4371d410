"""Questions with options: may I say this, and what came before; each option gets its answer."""

from html import escape
from string import ascii_lowercase

import ipywidgets as widgets

from course_lib import lessons
from course_lib.learner import journal
from course_lib.learner.forms import APART, Shown, options_field, paragraph, status
from course_lib.lessons import MISCONCEPTIONS, Item, Option, Statement


def may_i_say(group: str) -> Shown:
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


def recall(number: str) -> Shown:
    """Short questions on what came before lesson `number`."""
    return _questionnaire("Recall", lessons.load(number).recall)


def _questionnaire(title: str, items) -> Shown:
    boxes = [_question_box(number, item) for number, item in enumerate(items, start=1)]
    box = widgets.VBox([widgets.HTML(f"<b>{title}</b>"), *boxes])
    html = f"<div><b>{title}</b><ol>{''.join(map(question_html, items))}</ol></div>"
    return Shown(html, box, f"{title} {len(items)} question{'s' * (len(items) != 1)}.")


def _question_box(number: int, item: Item | Statement) -> widgets.Widget:
    """A question and its options; they carry its number, which is all that a reader who jumps
    from option to option hears of it: ipywidgets gives a group of options no name of its own."""
    lettered = zip(ascii_lowercase, item.options, strict=False)
    field = options_field([(f"{number}{letter}. {o.text}", o) for letter, o in lettered])
    answer = widgets.HTML()

    def on_choice(change):
        chosen = change["new"]
        answer.value = status(feedback(chosen))
        journal.update("answers", item.id, lambda old: _answered(old, chosen))

    field.observe(on_choice, names="value")
    return widgets.VBox([paragraph(f"{number}. {escape(item.text)}"), field, answer], layout=APART)


def _answered(old: dict, chosen: Option) -> dict:
    """The first answer counts; the last one is kept beside it."""
    this = {"right": chosen.right, "behind": chosen.behind, "text": chosen.text}
    return {"first": old.get("first", this), "last": this}


def feedback(option: Option) -> str:
    """What to say to whoever chose this option; a wrong one names the idea behind it."""
    mark = "✓ Right." if option.right else "↻ Not quite."
    code = option.behind
    behind = f" (The idea behind it, {code}: {MISCONCEPTIONS[code]}.)" if code else ""
    return f"{mark} {option.feedback}{behind}"


def question_html(item: Item | Statement) -> str:
    """The question for readers without a kernel; the answers are folded away."""
    options = "".join(
        f"<li>{escape(o.text)} <details><summary>if you chose this</summary>"
        f"{escape(feedback(o))}</details></li>"
        for o in item.options
    )
    return f"<li>{escape(item.text)}<ul>{options}</ul></li>"
