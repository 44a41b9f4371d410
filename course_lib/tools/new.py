"""`./course new`: a small lesson that builds and passes all tests, with places to fill in.

Its six files are made from the templates in `skeleton/`, in which `$name` and the like stand for
what is asked for.
"""

import argparse
import re
import sys
from pathlib import Path
from string import Template

from course_lib import lessons
from course_lib.files import write_atomically
from course_lib.tools.system import ROOT

SKELETON = Path(__file__).with_name("skeleton")
FILES = {  # template -> what is made from it
    "lesson.py.txt": "notebooks/src/{name}.py",
    "solution.py.txt": "solutions/src/{name}.py",
    "questions.toml.txt": "course_lib/lessons/lesson_{number}.toml",
    "exercises.py.txt": "course_lib/lessons/lesson_{number}.py",
    "claims.py.txt": "tests/claims/test_{name}.py",
    "answers.py.txt": "tests/lessons/answers/answers_{number}.py",
}
NEXT = """\
Lesson {number} is a small lesson that works. Made are:
  {files}
Build it and look at it:      ./course build {number}   and then   ./course lab
Write the index of claims:    ./course claims
Replace what is marked:       grep -rn "FILL IN" {files_in_a_row}
See whether all holds:        ./course test
CONTRIBUTING.md says what a lesson must have, and what the fields of the toml mean."""


class NewLessonError(ValueError):
    """Why there is no new lesson, and what would be right."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `./course new`."""
    parser.add_argument("number", help="two digits, the next free number, e.g. 11")
    parser.add_argument("name", help="how its files are called after the number, e.g. my_lesson")
    parser.add_argument("title", help='what stands over it, e.g. "My lesson"')


def run(args: argparse.Namespace) -> int:
    """Write the files of a new lesson and say what to do with them; 0 if all is well, 2 if not."""
    try:
        files = make(ROOT, args.number, args.name, args.title)
    except NewLessonError as error:
        print(error, file=sys.stderr)
        return 2
    print(NEXT.format(number=args.number, files="\n  ".join(files), files_in_a_row=" ".join(files)))
    return 0


def make(root: Path, number: str, name: str, title: str) -> list[str]:
    """Write the files of a new lesson below `root`, all or none; return their names."""
    refuse_misfits(number, name, title)
    words = {"number": number, "section": int(number), "name": f"{number}_{name}", "title": title}
    made = {path.format(**words): _filled(template, words) for template, path in FILES.items()}
    if there := [path for path in made if (root / path).exists()]:
        raise NewLessonError(f"{there[0]} is there already. Move it away, or choose another name.")
    for path, text in made.items():
        write_atomically(root / path, text)
    return list(made)


def _filled(template: str, words: dict) -> str:
    return Template((SKELETON / template).read_text(encoding="utf-8")).substitute(words)


def refuse_misfits(number: str, name: str, title: str) -> None:
    """Refuse what would not become a lesson, or would take the place of one."""
    known = {lesson.number: lesson.name for lesson in lessons.available()}
    following = f"{int(max(known)) + 1:02}"
    if number != following:
        reason = f"lesson {number} is {known[number]}" if number in known else f"got {number!r}"
        raise NewLessonError(f"The next lesson is {following}; {reason}. Numbers have no gaps.")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise NewLessonError(
            f"The name must be small letters, digits and underscores, such as my_lesson; got "
            f"{name!r}."
        )
    if name in {other[3:] for other in known.values()}:
        raise NewLessonError(f"There is a lesson {name!r} already. Choose another name.")
    if not title.strip() or set(title) & set('"\\|[]\n'):
        raise NewLessonError(
            f'The title stands in tables and links: write one without " \\ | [ ]; got {title!r}.'
        )
