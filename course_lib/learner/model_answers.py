"""The model answer of a written task, for a learner alone: first a paragraph, then the answer."""

import json
import os
from pathlib import Path

from markupsafe import Markup

from course_lib import lessons
from course_lib.learner import journal
from course_lib.learner.living import Living
from course_lib.lessons import Written
from course_lib.lessons.cells import WRITE_HERE, grade_id, with_own_blanks
from course_lib.lessons.prose import to_html

LEAST = 40  # words that make a paragraph
TOO_SHORT = "This has {} of at least {} words. Write your own paragraph first; then {} opens."
WORDS = {
    "label": "Your paragraph",
    "button": "Show the model answer",
    "rubric": "What does your paragraph say? Tick each line that it meets.",
    "answer": "A model answer. Yours may say the same in other words.",
    "asleep": "Asleep. To wake it: Run > Run All Cells.",
}
IN_STUDENT_EDITION = {
    "button": "Show the list of points",
    "answer": "The model answer is not in the student edition; your lecturer has it.",
}
NO_ANSWER = (
    "Read your paragraph once more as somebody who marks it, line by line of the list above. What "
    "would you add, and what leave out? Change it in its cell while you can."
)


def model_answer(name: str) -> Living:
    """The rubric and the model answer of a written task, once you have written a paragraph.

    The student edition has no model answers: there only the rubric opens, the list of points.

    Parameters
    ----------
    name : str
        The written task, such as "01.w".
    """
    task = lessons.find("written", name)
    what = f"{_what_opens(task)} to {name}".capitalize()
    text = f"{what} opens in a running notebook, once you have written yours."
    html = Markup("<div>{}</div>").format(text)
    return Living(html, text, lambda: _surface(task))


def _what_opens(task: Written) -> str:
    """What there is to see: in the student edition there are no model answers."""
    return "the model answer" if task.answer else "the list of points"


def _surface(task: Written):
    """The field, alive; the model answer reaches the page only when the kernel sends it."""
    from course_lib.widgets.surface import Surface  # not where answers are graded

    def hear(message: dict) -> None:
        surface.shown = answer_to(task, message)

    spec = {
        "id": task.id,
        "least": LEAST,
        "rubric": [{"points": line.points, "text": line.text} for line in task.rubric],
        "words": WORDS if task.answer else WORDS | IN_STUDENT_EDITION,
    }
    surface = Surface("written", spec, shown=_shown(task), on_event=hear)
    return surface


def answer_to(task: Written, message: dict) -> dict:
    """Do what the page asks for, keep it in the journal, and return what to show."""
    if message.get("do") == "tick":
        met = [k for k in message.get("met", []) if k in range(len(task.rubric))]
        journal.update("written", task.id, lambda old: old | {"met": met})
        return _shown(task)
    text = str(message.get("text", "")).strip()
    if (words := len(text.split())) < LEAST:
        return {"text": text, "problem": TOO_SHORT.format(words, LEAST, _what_opens(task))}
    journal.update("written", task.id, lambda old: {"met": []} | old | {"text": text})
    return _shown(task)


def _shown(task: Written) -> dict:
    """What was written before, with the answer to it; else what the notebook's own cell says."""
    stored = journal.read()["written"].get(task.id, {})
    if "text" not in stored:
        return {"text": _text_in_notebook(task.id)}
    return {
        "text": stored["text"],
        "met": stored.get("met", []),
        "answer": to_html(task.answer or NO_ANSWER),
    }


def _text_in_notebook(name: str) -> str:
    """What the learner has written into the cell for it, as last saved; empty if unknown."""
    try:
        path = Path(os.environ["JPY_SESSION_NAME"])
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        wanted = grade_id("written", name)
        found = [c for c in cells if c["metadata"].get("nbgrader", {}).get("grade_id") == wanted]
        text = "".join(found[0]["source"]).strip()
    except (KeyError, IndexError, OSError, ValueError, TypeError):
        return ""
    return "" if with_own_blanks(text) == WRITE_HERE else text
