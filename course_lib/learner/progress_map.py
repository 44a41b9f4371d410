"""Progress as a map: the lessons, a word for each, why, and links to go there."""

import os
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from course_lib import lessons
from course_lib.learner import journal
from course_lib.learner.standing import DONE, NEXT, OPEN, SHAKY, Work, words
from course_lib.learner.ways import call
from course_lib.lessons.cells import exercise_file

SIGNS = {DONE: "✓", SHAKY: "↻", NEXT: "→", OPEN: "○"}
COLORS = {DONE: "#2a9d6f", SHAKY: "#d9622b", NEXT: "#3b82f6", OPEN: "#8a8a8a"}  # words say it too


class Progress:
    """The lessons with a word for each: done, shaky, next or open."""

    def __init__(self, stored: dict, path: Path, shown: list[lessons.Lesson]):
        self._path = path
        works = [Work(lesson, stored) for lesson in lessons.available()]
        standing = list(zip(works, words(works), strict=True))
        names = {lesson.name for lesson in shown}
        self._shown = [(work, word) for work, word in standing if work.lesson.name in names]
        self._next = next((work for work, word in standing if word == NEXT), None)
        self._shaky = next((work for work, word in standing if word == SHAKY), None)

    def to_frame(self) -> pd.DataFrame:
        """One row per lesson: predictions made, questions answered, tasks passed, points."""
        rows = [{"lesson": _title(work.lesson)} | work.counts for work, _ in self._shown]
        return pd.DataFrame(rows, columns=["lesson", *COUNTS]).set_index("lesson")

    def words(self) -> dict[str, str]:
        """The word for each lesson, by its number."""
        return {work.lesson.number: word for work, word in self._shown}

    @property
    def next_step(self) -> str:
        """One thing to do now."""
        if self._next:
            what, _ = self._next.todo
            return f"{_title(self._next.lesson)}: {what}."
        if self._shaky:
            return f"go once more through {_title(self._shaky.lesson)}: {self._shaky.why}."
        return f"all is done. {call('recall')} in a terminal keeps it fresh."

    def __repr__(self) -> str:
        lines = [_line(work, word) for work, word in self._shown]
        now = [] if journal.is_unattended() else [f"Now: {self.next_step}"]  # of another lesson
        return "\n".join([*lines, *now])

    def _repr_html_(self) -> Markup:
        items = Markup().join(self._item_html(work, word) for work, word in self._shown)
        return Markup(
            '<div><ul style="list-style:none; margin:0; padding:0">{}</ul>{}'
            "<details><summary>In numbers</summary>{}</details><p>Kept in <code>{}</code> in your "
            "workbook, on this machine only. To start again, delete that file.</p></div>"
        ).format(
            items,
            self._now_html(),
            Markup(self.to_frame().to_html(border=0)),
            self._path.name,
        )

    def _item_html(self, work: Work, word: str) -> Markup:
        why = f": {work.why}" if work.why else ""
        item = '<li style="border-left:4px solid {}; margin:0 0 0.4em; padding:0 0 0 0.6em">'
        return Markup(item + "<b>{} {}</b> {} · {}{}</li>").format(
            COLORS[word],
            SIGNS[word],
            word,
            self._link(work, "lesson", _title(work.lesson)),
            self._link(work, "exercise", f"exercise {work.lesson.number}"),
            why,
        )

    def _now_html(self) -> Markup:
        """One thing to do; a built notebook speaks of its own lesson only."""
        if journal.is_unattended():
            return Markup()
        if not self._next:
            return Markup("<p><b>Now:</b> {}</p>").format(self.next_step)
        what, where = self._next.todo
        link = self._link(self._next, where, f"{where} {_title(self._next.lesson)}")
        return Markup("<p><b>Now:</b> {}: {}.</p>").format(link, what)

    def _link(self, work: Work, where: str, text: str) -> Markup | str:
        """A link that JupyterLab follows, if there is such a notebook in the workbook."""
        name = work.lesson.name
        place = f"{name}.ipynb" if where == "lesson" else f"exercises/{exercise_file(name)}"
        target = self._path.parent.resolve() / place
        if journal.is_unattended() or not target.exists():
            return text
        href = Path(os.path.relpath(target, Path.cwd())).as_posix()
        return Markup('<a href="{}">{}</a>').format(href, text)


COUNTS = ("predicted", "answered", "tasks passed", "points")


def _title(lesson: lessons.Lesson) -> str:
    return f"{lesson.number} {lesson.title}"


def _line(work: Work, word: str) -> str:
    why = f": {work.why}" if work.why else ""
    return f"{SIGNS[word]} {word:5} {_title(work.lesson)}{why}"


def progress(number: str | None = None) -> Progress:
    """What is done, shaky, next and open, lesson by lesson; given a number, of one lesson alone.

    Parameters
    ----------
    number : str, default=None
        The two digits of a lesson; all lessons if None.
    """
    shown = lessons.available() if number is None else [lessons.load(number)]
    return Progress(journal.read(), journal.progress_file(), shown)
