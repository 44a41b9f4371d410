"""`./course slides`: each lesson as one HTML file to present from, without a network.

The file holds all it needs: reveal.js, the pictures, the formulas as MathML. It is made from the
built notebook, and which parts of that are shown is decided in `talk`.
"""

import argparse
import sys
from html import escape
from importlib.resources import files
from pathlib import Path

from course_lib import lessons
from course_lib.files import write_atomically
from course_lib.tools.slides.deck import Part, Slide
from course_lib.tools.slides.talk import talk
from course_lib.tools.system import ROOT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `./course slides`."""
    known = ", ".join(lessons.numbers())
    parser.add_argument("numbers", nargs="*", metavar="NN", help=f"lessons: {known}; default all")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "build" / "slides", help="folder, default build/slides"
    )


def run(args: argparse.Namespace) -> int:
    """Write the slides of the lessons asked for, and say where they are."""
    unknown = [number for number in args.numbers if number not in lessons.numbers()]
    if unknown:
        print(
            f"There is no lesson {', '.join(unknown)}. There are: {', '.join(lessons.numbers())}. "
            f"For example: ./course slides 01",
            file=sys.stderr,
        )
        return 2
    for number in args.numbers or lessons.numbers():
        lesson = lessons.load(number)
        path = args.out / f"{lesson.name}.html"
        try:
            slides = read(lesson)
        except FileNotFoundError as error:
            print(
                f"{error.filename} is missing. Make it with: ./course build {number}",
                file=sys.stderr,
            )
            return 1
        write_atomically(path, page(lesson, slides))
        print(f"{path}: {len(slides)} slides")
    print(
        "Open a file in a browser. Arrow keys to go on, S for notes, O for an overview, ? for help."
    )
    return 0


def read(lesson: lessons.Lesson) -> list[Slide]:
    """The slides of a lesson, from its built notebook."""
    import nbformat

    return talk(nbformat.read(ROOT / "notebooks" / f"{lesson.name}.ipynb", as_version=4), lesson)


def page(lesson: lessons.Lesson, slides: list[Slide]) -> str:
    """One HTML page with all slides and all that they need."""
    data = files("course_lib.tools.slides") / "reveal"
    text = {name: (data / name).read_text(encoding="utf-8") for name in ASSETS}
    title = escape(f"{lesson.number} · {lesson.title}")
    return PAGE.format(
        title=title, slides=_stacks(slides), **{k.replace(".", "_"): v for k, v in text.items()}
    )


def _stacks(slides: list[Slide]) -> str:
    """A section's slides hang below each other, so that the overview has a column for each."""
    html = ""
    for number, slide in enumerate(slides):
        html += ("</section>\n" if number else "") + "<section>" if slide.begins else ""
        html += _slide(slide)
    return f"{html}</section>"


def _slide(slide: Slide) -> str:
    tag = "h1" if slide.kind == "title" else "h2"
    heading = f"<{tag}{'' if slide.begins else ' class=again'}>{slide.heading}</{tag}>"
    visual = [part for part in slide.parts if part.kind in ("figure", "table")]
    beside = visual if slide.layout == "beside" and len(slide.parts) > 1 else []
    body = "".join(_part(part) for part in slide.parts if part not in beside)
    aside = f'<div class="body aside">{"".join(map(_part, beside))}</div>' if beside else ""
    notes = f'<aside class="notes">{"".join(slide.notes)}</aside>' if slide.notes else ""
    sheet = f'{heading}<div class="body">{body}</div>{aside}'
    kinds = f"slide {slide.kind}{' beside' if beside else ''}"
    return f'<section class="{kinds}"><div class="sheet">{sheet}</div>{notes}</section>\n'


def _part(part: Part) -> str:
    return f'<div class="part {part.kind}{" fragment" if part.later else ""}">{part.html}</div>'


ASSETS = ("reveal.css", "slides.css", "reveal.js", "notes.js", "start.js", "LICENSE")
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{reveal_css}</style>
<style>{slides_css}</style>
</head>
<body>
<div class="reveal"><div class="slides">
{slides}
</div></div>
<!-- reveal.js and its notes plugin:
{LICENSE}-->
<script>{reveal_js}</script>
<script>{notes_js}</script>
<script>{start_js}</script>
</body>
</html>
"""
