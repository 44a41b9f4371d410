"""The texts of the site, as sources for sphinx: front page, lessons, glossary, references, claims.

Each comes from where it is kept: the front page from the README, the questions, the measures and
the lessons; a lesson from its stored notebook. Solutions and the lecturer's guide hold answers
and are not among them.
"""

import re
import shutil
from pathlib import Path

from course_lib import lessons
from course_lib.lessons import Lesson
from course_lib.measures.catalogue import MEASURES
from course_lib.questions import QUESTIONS
from course_lib.tools import claims
from course_lib.tools.site.alive import SiteError, front_explorer
from course_lib.tools.site.notebooks import add_note, write_lesson

TITLE = "What do you mean, important?"
PAGES = {"Terms and sources": ("glossary", "references", "claims")}
FIRST = """\
Eight hundred patients take part in a trial. The treatment works. On their way in, everybody draws a
cloakroom ticket, and no two tickets are alike. A random forest learns who recovers: how important
are the treatment and the ticket to it? Let its trees grow, with the slider *depth*."""
COMMANDS = "Two commands"  # the section of the README that says how to begin
START = "Start the course"  # what it is called here, without what only contributors need
GET = "Clone or download the course"  # of the README; the site says where
NOBODY = "whoever gave you this page"
SEVEN = "Q1 to Q6 are asked of models; the last question is asked of the data themselves."
CLAIMS = """\
Every result that a lesson states is held by a test, over several seeds where chance plays a part.
To see a claim hold, run its test: `./course test tests/claims/` followed, without a space, by the
name below the claim."""


def write_pages(root: Path, folder: Path, address: str = "") -> None:
    """Write all sources of the site of the course in `root` into the new folder `folder`.

    `address` is where visitors get the course.
    """
    readme = (root / "README.md").read_text(encoding="utf-8")
    start = how_to_start(readme, address)
    for name in ("exercises", "downloads", "images"):
        (folder / name).mkdir(parents=True)
    for lesson in lessons.available():
        write_lesson(root, folder, lesson, START)
    library = how_to_get_the_library(start)
    for path in (*folder.glob("downloads/*.ipynb"), *folder.glob("exercises/*.ipynb")):
        add_note(path, "library", library)
    for name in ("glossary.md", "references.md"):
        shutil.copyfile(root / "notebooks" / name, folder / name)
    _write(folder / "claims.md", claims_page(root))
    _draw_map(folder / "images" / "map.png")
    _write(folder / "index.md", front_page(root, readme, start))


def licence(root: Path) -> str:
    """Whose the lessons are, and under which licence they may be shared."""
    text = (root / "LICENSE-LESSONS").read_text(encoding="utf-8")
    name = re.search(r"\((.*)\)", text.splitlines()[0])[1]
    return f"{re.search(r'Copyright .c. (.*)', text)[1]}. Lessons: {name}"


# ---- the front page ---------------------------------------------------------------------


def front_page(root: Path, readme: str, start: str) -> str:
    """What the course is, its questions, its map, its lessons, and how to start."""
    return "\n\n".join(
        [
            f"# {TITLE}",
            FIRST,
            f"`````{{raw}} html\n{front_explorer(root)}\n`````",
            f"## The course\n\n{introduction(readme)}",
            f"## Six questions\n\n{SEVEN}\n\n{_questions()}",
            f"## The map\n\n{_map()}",
            f"## The lessons\n\n{_lessons_table()}",
            f"## {START}\n\n{for_visitors(start)}",
            _contents(),
        ]
    )


def introduction(readme: str) -> str:
    """The paragraphs between the README's title and its first section, without pictures and tables.

    >>> introduction("# Title\\n\\nText.\\n\\n![a](b.png)\\n\\n| door |\\n|---|\\n\\n## Section\\n")
    'Text.'
    """
    text = re.sub(r"^# .*\n", "", readme, count=1)
    text = re.split(r"^## ", text, maxsplit=1, flags=re.MULTILINE)[0]
    kept = (part for part in text.split("\n\n") if not part.lstrip().startswith(("![", "|")))
    return "\n\n".join(kept).strip()


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
            f"Give it one, or change COMMANDS in course_lib/tools/site/pages.py."
        )
    return found[1].strip()


def how_to_start(readme: str, address: str) -> str:
    """What the README says of the first steps, to somebody who has the pages and not the course.

    >>> readme = "## Two commands\\n\\nClone or download the course, and type:\\n"
    >>> how_to_start(readme, "https://example.edu/course.zip")
    'Get the course from <https://example.edu/course.zip>, and type:'
    >>> how_to_start(readme, "")
    'Get the course from whoever gave you this page, and type:'
    """
    text, place = section(readme, COMMANDS), f"<{address}>" if address else NOBODY
    if GET not in text:
        raise SiteError(
            f"The README does not say {GET!r} in its section {COMMANDS!r}, where the site says "
            f"where to get it. Say it there, or change GET in course_lib/tools/site/pages.py."
        )
    return text.replace(GET, f"Get the course from {place}")


def for_visitors(text: str) -> str:
    """How to begin, with the first command alone and in words what it does.

    >>> readme = "Type:\\n\\n```\\n./course lab  # opens it\\n./course test\\n```\\n\\nSo."
    >>> print(for_visitors(readme))
    Type:
    <BLANKLINE>
    ```
    ./course lab
    ```
    <BLANKLINE>
    This opens it.
    <BLANKLINE>
    So.
    """
    before, code, after = text.split("```")
    command, _, told = code.strip().splitlines()[0].partition("#")
    return f"{before}```\n{command.strip()}\n```\n\nThis {told.strip()}.{after}"


def how_to_get_the_library(start: str) -> str:
    """What a downloaded notebook says of the library it needs, by how to start the course.

    >>> how_to_get_the_library("Get it, and type:\\n\\n```\\n./course lab  # so\\n```\\n")
    '*To run this notebook you need its library, `course_lib`. Get it, and type: `./course lab`.*'
    """
    text, _, code = start.partition("```")
    words, command = " ".join(text.split()), code.split("#")[0].strip()
    return f"*To run this notebook you need its library, `course_lib`. {words} `{command}`.*"


def _questions() -> str:
    lines = ["| question | How important is the variable? |", "|---|---|"]
    return "\n".join(lines + [f"| {q.key} | {q.text} |" for q in QUESTIONS])


def _map() -> str:
    """The map as a picture and, where that is too wide, as a list."""
    from course_lib.plots import map_text

    picture = f"```{{container}} wide\n![{map_text()}](images/map.png)\n```"
    return f"{picture}\n\n```{{container}} narrow\n{map_list()}\n```"


def map_list() -> str:
    """Each question with the measures that answer it, and the lessons that teach those."""
    pages = {
        lesson.number: f"[{lesson.number}]({lesson.name}.ipynb)" for lesson in lessons.available()
    }
    lines = []
    for question in QUESTIONS:
        found = [m for m in MEASURES.values() if m.question == question]
        named = (f"{m.name} ({pages.get(m.lesson, m.lesson)})" for m in found)
        lines.append(f"- **{question.key}**: {', '.join(named)}")
    return "\n".join(lines)


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
    from course_lib.plots import plot_map
    from course_lib.plots.pictures import png_of

    titles = {lesson.number: lesson.title for lesson in lessons.available()}
    path.write_bytes(png_of(plot_map(titles)))


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


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
