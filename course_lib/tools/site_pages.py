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
from course_lib.catalogue import MEASURES
from course_lib.lessons import Lesson
from course_lib.questions import QUESTIONS
from course_lib.tools import claims
from course_lib.tools.lecturer import times_of
from course_lib.tools.workbook import without_outputs

__all__ = ["TITLE", "Trouble", "write_pages"]

TITLE = "What do you mean, important?"
PAGES = {"Terms and sources": ("glossary", "references", "claims")}
START = "Two commands"  # the section of the README that says how to begin


class Trouble(Exception):
    """Why the site cannot be built, and what to do."""


def write_pages(root: Path, folder: Path) -> None:
    """Write all sources of the site of the course in `root` into the new folder `folder`."""
    for name in ("exercises", "downloads", "images"):
        (folder / name).mkdir(parents=True)
    for lesson in lessons.available():
        _write_lesson(root, folder, lesson)
    for name in ("glossary.md", "references.md"):
        shutil.copyfile(root / "notebooks" / name, folder / name)
    text = claims.index(root).replace("(../../notebooks/", "(")
    _write(folder / "claims.md", text)
    _draw_map(folder / "images" / "map.png")
    _write(folder / "index.md", front_page(root))


# ---- the front page ---------------------------------------------------------------------


def front_page(root: Path) -> str:
    """What the course is, its questions, its map, its lessons, and how to start."""
    readme = (root / "README.md").read_text(encoding="utf-8")
    return "\n\n".join(
        [
            f"# {TITLE}",
            introduction(readme),
            "## Six questions\n\n" + _questions(),
            "## The map\n\n" + _map(),
            "## The lessons\n\n" + _lessons_table(root, readme),
            f"## {START}\n\n" + section(readme, START),
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
        raise Trouble(
            f"The README has no section {title!r}, from which the front page takes how to start. "
            f"Give it one, or change START in course_lib/tools/site_pages.py."
        )
    return found[1].strip()


def _questions() -> str:
    lines = ["| | important to | the question |", "|---|---|---|"]
    return "\n".join(lines + [f"| {q.key} | {q.to} | {q.text} |" for q in QUESTIONS])


def _map() -> str:
    from course_lib.plots import map_text

    return f":::{{container}} wide\n![{map_text()}](images/map.png)\n:::"


def _lessons_table(root: Path, readme: str) -> str:
    about = dict(re.findall(r"^\| (\d\d) \| \w+ \| (.+?) \|", readme, re.MULTILINE))
    lines = ["| | lesson | what it is about | answers | minutes |", "|---|---|---|---|---:|"]
    for lesson in lessons.available():
        source = root / "notebooks" / "src" / f"{lesson.name}.py"
        minutes = times_of(source.read_text(encoding="utf-8")).learner
        keys = {
            str(m.question.key)
            for m in MEASURES.values()
            if m.lesson == lesson.number and m.question
        }
        cells = [lesson.number, f"[{lesson.title}]({lesson.name}.ipynb)", about[lesson.number]]
        lines.append(f"| {' | '.join([*cells, ', '.join(sorted(keys)), str(minutes)])} |")
    return "\n".join(lines)


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


# ---- a lesson ---------------------------------------------------------------------------


def _write_lesson(root: Path, folder: Path, lesson: Lesson) -> None:
    name = f"{lesson.name}.ipynb"
    notebook = json.loads((root / "notebooks" / name).read_text(encoding="utf-8"))
    _write(folder / "downloads" / name, _as_text(without_outputs(notebook)))
    shutil.copyfile(root / "exercises" / lesson.name / name, folder / "exercises" / name)
    _write(folder / name, _as_text(as_page(notebook, lesson)))


def as_page(notebook: dict, lesson: Lesson) -> dict:
    """The notebook with a line of downloads below its title, and a word before its widget."""
    language = notebook["metadata"]["language_info"] | {"pygments_lexer": "ipython3"}
    cells = [_linked(cell) for cell in notebook["cells"]]
    for place, cell in reversed(list(enumerate(cells))):
        if "".join(cell["source"]).strip() == "explorer":
            cells.insert(place, _note("widget", WIDGET))
    cells.insert(1, _note("downloads", DOWNLOADS.format(name=lesson.name)))
    return {
        **notebook,
        "cells": cells,
        "metadata": notebook["metadata"] | {"language_info": language},
    }


DOWNLOADS = """\
```{{admonition}} To work with this lesson
:class: tip

This page is for reading. To predict, answer and move the sliders, [start the course](index.md#two-commands) and open the
lesson in JupyterLab. Its notebooks: [the lesson](path:downloads/{name}.ipynb),
[the exercise](path:exercises/{name}.ipynb).
```"""
WIDGET = """\
```{note}
In JupyterLab this is a picture with controls. Here are a few of its states.
```"""


def _linked(cell: dict) -> dict:
    """The cell with its links to exercises, which are no pages of the site, as downloads."""
    if cell["cell_type"] != "markdown":
        return cell
    return cell | {"source": "".join(cell["source"]).replace("](exercises/", "](path:exercises/")}


def _note(name: str, text: str) -> dict:
    return {"cell_type": "markdown", "id": f"site-{name}", "metadata": {}, "source": text}


def _as_text(notebook: dict) -> str:
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
