"""The texts of the site, as sources for sphinx: front page, lessons, glossary, references, claims.

Each comes from where it is kept: the front page from the README, the questions, the measures and
the lessons; a lesson from its stored notebook. Solutions and the lecturer's guide hold answers
and are not among them.
"""

import json
import re
import shutil
from pathlib import Path

from course_lib import lessons
from course_lib.lessons import Lesson
from course_lib.measures.catalogue import MEASURES
from course_lib.questions import QUESTIONS
from course_lib.tools import claims
from course_lib.tools.workbook import without_outputs

TITLE = "What do you mean, important?"
PAGES = {"Terms and sources": ("glossary", "references", "claims")}
START = "Two commands"  # the section of the README that says how to begin
SEVEN = "Q1 to Q6 are asked of models; the last question is asked of the data themselves."
CLAIMS = """\
Every result that a lesson states is held by a test, over several seeds where chance plays a part.
To see a claim hold, run its test: `./course test tests/claims/` followed, without a space, by the
name below the claim."""
DOWNLOADS = """\
```{{admonition}} To work with this lesson
:class: tip

This page is for reading. To predict, to answer and to move what moves, [start the
course](index.md#{start}) and open the lesson in JupyterLab. Its notebooks to download:
[the lesson](path:downloads/{name}.ipynb), [the exercise](path:exercises/{name}.ipynb).
```"""


class SiteError(Exception):
    """Why the site cannot be built, and what to do."""


def write_pages(root: Path, folder: Path) -> None:
    """Write all sources of the site of the course in `root` into the new folder `folder`."""
    for name in ("exercises", "downloads", "images"):
        (folder / name).mkdir(parents=True)
    for lesson in lessons.available():
        _write_lesson(root, folder, lesson)
    for name in ("glossary.md", "references.md"):
        shutil.copyfile(root / "notebooks" / name, folder / name)
    _write(folder / "claims.md", claims_page(root))
    _draw_map(folder / "images" / "map.png")
    _write(folder / "index.md", front_page(root))


def licence(root: Path) -> str:
    """Whose the lessons are, and under which licence they may be shared."""
    text = (root / "LICENSE-LESSONS").read_text(encoding="utf-8")
    name = re.search(r"\((.*)\)", text.splitlines()[0])[1]
    return f"{re.search(r'Copyright .c. (.*)', text)[1]}. Lessons: {name}"


# ---- the front page ---------------------------------------------------------------------


def front_page(root: Path) -> str:
    """What the course is, its questions, its map, its lessons, and how to start."""
    readme = (root / "README.md").read_text(encoding="utf-8")
    return "\n\n".join(
        [
            f"# {TITLE}",
            introduction(readme),
            f"## Six questions\n\n{SEVEN}\n\n{_questions()}",
            f"## The map\n\n{_map()}",
            f"## The lessons\n\n{_lessons_table()}",
            f"## {START}\n\n{section(readme, START)}",
            _contents(),
        ]
    )


def introduction(readme: str) -> str:
    """What stands between the README's title and its first section, without pictures.

    >>> introduction("# Title\\n\\nText.\\n\\n![a](b.png)\\n\\n## Section\\n")
    'Text.'
    """
    text = re.sub(r"^# .*\n", "", readme, count=1)
    text = re.split(r"^## ", text, maxsplit=1, flags=re.MULTILINE)[0]
    return re.sub(r"^!\[[^\]]*\]\([^)]*\)\n\n", "", text, flags=re.MULTILINE).strip()


def section(readme: str, title: str) -> str:
    """What stands below one heading of the README.

    >>> section("## One\\n\\nfirst\\n\\n## Two\\n\\nsecond\\n", "One")
    'first'
    """
    found = re.search(
        rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", readme, re.MULTILINE | re.DOTALL
    )
    if found is None:
        raise SiteError(
            f"The README has no section {title!r}, from which the front page takes how to start. "
            f"Give it one, or change START in course_lib/tools/site/pages.py."
        )
    return found[1].strip()


def _questions() -> str:
    lines = ["| | How important is the variable? |", "|---|---|"]
    return "\n".join(lines + [f"| {q.key} | {q.text} |" for q in QUESTIONS])


def _map() -> str:
    from course_lib.plots import map_text

    return f"```{{container}} wide\n![{map_text()}](images/map.png)\n```"


def _lessons_table() -> str:
    lines = ["| lesson | answers | minutes |", "|---|---|---:|"]
    for lesson in lessons.available():
        theme = f"[{lesson.number} {lesson.title}]({lesson.name}.ipynb)<br>{lesson.about}"
        lines.append(f"| {theme} | {_question_keys(lesson)} | {lesson.minutes.learner} |")
    return "\n".join(lines)


def _question_keys(lesson: Lesson) -> str:
    """The keys of the questions that the measures of a lesson answer."""
    answered = {m.question for m in MEASURES.values() if m.lesson == lesson.number}
    return ", ".join(question.key for question in QUESTIONS if question in answered)


def _contents() -> str:
    """The order of the pages, for navigation."""
    parts = {"Lessons": [lesson.name for lesson in lessons.available()]} | PAGES
    trees = (
        f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(names) + "\n```"
        for caption, names in parts.items()
    )
    return "\n\n".join(trees)


def _draw_map(path: Path) -> None:
    from course_lib.plots import picture, plot_map

    titles = {lesson.number: lesson.title for lesson in lessons.available()}
    path.write_bytes(picture(plot_map(titles), alt="the map").png)


# ---- the claims -------------------------------------------------------------------------


def claims_page(root: Path) -> str:
    """All claims, lesson by lesson, each with the test that holds it."""
    parts = ["# Claims and their tests", CLAIMS]
    for lesson in lessons.available():
        found = list(claims.claims(root, lesson))
        if found:
            parts.append(f"## [{lesson.number} {lesson.title}]({lesson.name}.ipynb)")
            parts.append("\n".join(f"1. {c.sentence}\\\n   `{c.test}`" for c in found))
    return "\n\n".join(parts) + "\n"


# ---- a lesson ---------------------------------------------------------------------------


def _write_lesson(root: Path, folder: Path, lesson: Lesson) -> None:
    name = f"{lesson.name}.ipynb"
    notebook = json.loads((root / "notebooks" / name).read_text(encoding="utf-8"))
    _write(folder / "downloads" / name, _as_text(without_outputs(notebook)))
    shutil.copyfile(root / "exercises" / lesson.name / name, folder / "exercises" / name)
    _write(folder / name, _as_text(as_page(notebook, lesson)))


def as_page(notebook: dict, lesson: Lesson) -> dict:
    """The notebook as sphinx reads it, with a line of downloads below its introduction."""
    language = notebook["metadata"]["language_info"] | {"pygments_lexer": "ipython3"}
    text = DOWNLOADS.format(name=lesson.name, start=START.lower().replace(" ", "-"))
    note = {"cell_type": "markdown", "id": "site-downloads", "metadata": {}, "source": text}
    first, *others = map(_with_downloads, notebook["cells"])
    return notebook | {
        "cells": [first, note, *others],
        "metadata": notebook["metadata"] | {"language_info": language},
    }


def _with_downloads(cell: dict) -> dict:
    """The cell with its links to exercises, which are no pages of the site, as downloads."""
    if cell["cell_type"] != "markdown":
        return cell
    return cell | {"source": "".join(cell["source"]).replace("](exercises/", "](path:exercises/")}


def _as_text(notebook: dict) -> str:
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
