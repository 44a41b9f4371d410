"""The parts of README, lecturer's guide and CONTRIBUTING that are written from the lessons.

They stand between markers such as `<!-- votes -->` and `<!-- end of votes -->`. `./course build`
writes them, `./course build --check` says whether they are current. All else in these files is
written by hand and left alone.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from course_lib import lessons
from course_lib.files import read_text, write_if_changed
from course_lib.learner.prediction_form import right_in_words
from course_lib.lessons import Lesson, Prediction
from course_lib.lessons.schema import fields_in_words
from course_lib.tools.mounts import mounts_of
from course_lib.tools.slides.talk import FURTHER
from course_lib.tools.sources import BuildError
from course_lib.tools.system import ROOT

DOCUMENTS = {
    "README.md": ("lessons",),
    "solutions/teaching.md": ("outcomes", "times", "late", "votes", "rubrics"),
    "CONTRIBUTING.md": ("fields",),
}

IN_FURTHER_PART = "*In the further part, which the lecturer's minutes leave out:*"


def current(document: str, text: str) -> str:
    """The text of a document with its generated parts as the lessons give them now."""
    parts = {
        "lessons": lessons_table,
        "times": _times_table,
        "late": lambda: "\n".join(f"- **{one.number}.** {one.late}" for one in lessons.available()),
        "outcomes": lambda: "\n\n".join(map(_outcomes, lessons.available())),
        "votes": lambda: "\n\n".join(map(_votes, lessons.available())),
        "rubrics": lambda: "\n\n".join(_rubrics()),
        "fields": _fields_table,
    }
    return with_parts(document, text, {name: parts[name]() for name in DOCUMENTS[document]})


def with_parts(document: str, text: str, parts: Mapping[str, str]) -> str:
    """The text with each generated part between its markers, and nothing else changed.

    Examples
    --------
    >>> with_parts("README.md", "a <!-- b --> old <!-- end of b --> z", {"b": "new"})
    'a <!-- b -->\\n\\nnew\\n\\n<!-- end of b --> z'
    """
    for name, part in parts.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        if text.count(begin) != 1 or text.count(end) != 1:
            raise BuildError(
                f"{document} must hold {begin!r} and {end!r} once each, to say where the "
                f"generated part goes. Put the two lines back."
            )
        before, rest = text.split(begin)
        text = f"{before}{begin}\n\n{part}\n\n{end}{rest.split(end)[1]}"
    return text


def write(root: Path) -> None:
    """Bring the documents of a course up to date."""
    for document, text in _found(root):
        write_if_changed(root / document, current(document, text))


def stale(root: Path) -> list[str]:
    """One sentence for each document whose generated parts are out of date."""
    return [
        f"{document} is not what the lessons give now. Run ./course build."
        for document, text in _found(root)
        if current(document, text) != text
    ]


def _found(root: Path) -> Iterator[tuple[str, str]]:
    for document in DOCUMENTS:
        if (root / document).exists():
            yield document, read_text(root / document, document)


# ---- the parts --------------------------------------------------------------------------


def _table(head: str, rule: str, rows: Iterable[Iterable]) -> str:
    return "\n".join([head, rule, *(f"| {' | '.join(map(str, row))} |" for row in rows)])


def lessons_table() -> str:
    """The table of all lessons, each with a link to its notebook."""
    head = "| | lesson | what it is about | minutes, + exercise |"
    return _table(head, "|---|---|---|---|", map(_lessons_row, lessons.available()))


def _lessons_row(lesson: Lesson) -> list:
    link = f"[{lesson.title}](notebooks/{lesson.name}.ipynb)"
    minutes = f"{lesson.minutes.learner} + {lesson.minutes.exercise}"
    return [lesson.number, link, lesson.about, minutes]


def _times_table() -> str:
    head = "| lesson | learner, min | exercise, min | lecturer, min | further part, min |"
    rows = [
        [f"{lesson.number} {lesson.title}", *vars(lesson.minutes).values()]
        for lesson in lessons.available()
    ]
    rows.append(["together", *(sum(column) for column in list(zip(*rows, strict=True))[1:])])
    return _table(head, "|---|---:|---:|---:|---:|", rows)


def _outcomes(lesson: Lesson) -> str:
    lines = [f"- {outcome}" for outcome in lesson.outcomes]
    return "\n".join([f"**{lesson.number} {lesson.title}**", "", *lines])


def _votes(lesson: Lesson) -> str:
    """The votes of a lesson with the truths that its built notebook reveals, by part."""
    path = ROOT / "notebooks" / f"{lesson.name}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"cells": []}
    mounts = [mount.spec for mount in mounts_of(notebook)]
    truths = {spec["id"]: spec["truth"] for spec in mounts if spec.get("form") == "reveal"}
    spine, further = [], []
    for vote in lesson.predictions:
        part = further if vote.id in _asked_further(notebook) else spine
        part.append(_vote(vote, truths.get(vote.id)))
    rest = [IN_FURTHER_PART, *further] if further else []
    return "\n\n".join([f"### {lesson.number} {lesson.title}", *spine, *rest])


def _asked_further(notebook: dict) -> set[str]:
    """The predictions that the further part of a lesson asks."""
    sources = ["".join(cell["source"]) for cell in notebook["cells"]]
    begins = [k for k, source in enumerate(sources) if source.startswith(FURTHER)]
    after = "\n".join(sources[begins[0] :]) if begins else ""
    return set(re.findall(r'^predict\("(.*?)"', after, re.MULTILINE))


def _vote(vote: Prediction, truth) -> str:
    options = f" Options: {'; '.join(vote.options)}." if vote.options else ""
    near = "" if truth is None else right_in_words(vote, truth)
    right = "" if truth is None else f" {vote.spelled(truth)}{f' ({near})' if near else ''}."
    lines = [
        f"- *Right:*{right} {vote.when_right}",
        f"- *In the room.* Typical guess: {vote.spelled(vote.typical)}. {vote.in_class}",
        *(f"- *{to}* {text}" for to, text in vote.replies_in_words()),
    ]
    return "\n".join([f"`{vote.id}` {vote.question}{options}", "", *lines])


def _rubrics() -> Iterator[str]:
    for task in (task for lesson in lessons.available() for task in lesson.written):
        lines = [f"- {line.points}: {line.text}" for line in task.rubric]
        yield "\n".join([f"**`{task.id}`**, {task.points} points. {task.prompt}", "", *lines])


def _fields_table() -> str:
    rows = [
        [f"`{place}`" if place else "the lesson", f"`{name}`", kind, about]
        for place, name, kind, about in fields_in_words()
    ]
    return _table("| in | field | is | and means |", "|---|---|---|---|", rows)
