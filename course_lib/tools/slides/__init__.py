"""`./course slides`: each lesson as one HTML file to present from, without a network.

The file holds all it needs: reveal.js, the pictures, the formulas as MathML, explorers with all
their states. It is made from the built notebook; which parts are shown is decided in `talk`.
"""

import argparse
import sys
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from course_lib import lessons
from course_lib.files import write_atomically
from course_lib.learner.ways import call
from course_lib.tools.slides.talk import Slide, talk
from course_lib.tools.system import ROOT
from course_lib.widgets.surface import script, style


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
            f"For example: {call('slides 01')}",
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
                f"{error.filename} is missing. Make it with: {call(f'build {number}')}",
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
    folder = files("course_lib.tools.slides")
    parts = (folder / "reveal").iterdir()
    assets = {path.name: Markup(path.read_text(encoding="utf-8")) for path in parts}
    template = (folder / "deck.html").read_text(encoding="utf-8")
    deck = Environment(autoescape=True, trim_blocks=True).from_string(template)
    return deck.render(
        lesson=lesson,
        slides=slides,
        assets=assets,
        surface_style=Markup(style()),
        surface_script=Markup(script("slides")),
    )
