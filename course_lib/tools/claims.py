"""`./course claims`: the index of all claims, lesson by lesson, each with the test that holds it.

A claim is a test in `tests/claims/test_NN_name.py`; its name is the sentence, and a line of its
docstring that begins with "Varies:" says what the test varies of all that the sentence leaves open.
The index is written to `tests/claims/README.md`, and nothing is run for it.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from course_lib import lessons
from course_lib.files import write_if_changed
from course_lib.tools.system import ROOT

FOLDER = Path("tests", "claims")
INDEX = FOLDER / "README.md"
UPPER = "mdi shap psa mcr cmcr bmi xor sage cmr ufi led k".split()
CAPITAL = "gini shapley saabas imp gaussian bernoulli".split()
SPELLED = {word: word.upper() for word in UPPER} | {word: word.capitalize() for word in CAPITAL}
INTRODUCTION = """\
# What the lessons claim, and the test behind each claim

Written by `./course claims` from the names of the tests in this folder. To see a claim hold, run
its test: `./course test tests/claims/` followed, without a space, by the name in the last column.
What is varied is what the sentence leaves open; all else is named by the sentence, or by the lesson
beside it.
"""


@dataclass(frozen=True)
class Claim:
    """One sentence, and the test that holds it."""

    sentence: str
    varied: str
    test: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `./course claims`."""
    parser.add_argument("--check", action="store_true", help="write nothing; fail if out of date")


def run(args: argparse.Namespace) -> int:
    """Write the index, or say whether it is what the tests give now."""
    path, text = ROOT / INDEX, index(ROOT)
    if not args.check:
        write_if_changed(path, text)
    elif not path.exists() or path.read_text(encoding="utf-8") != text:
        print(
            f"{INDEX.as_posix()} is not what the tests give now: ./course claims", file=sys.stderr
        )
        return 1
    print(f"{INDEX.as_posix()} is current: {text.count('::')} claims.")
    return 0


def index(root: Path) -> str:
    """The whole index: a table for each lesson that has claims."""
    tables = (_table(lesson, list(claims(root, lesson))) for lesson in lessons.available())
    return "\n".join([INTRODUCTION, *filter(None, tables)])


def claims(root: Path, lesson: lessons.Lesson) -> Iterator[Claim]:
    """The claims of a lesson, in the order of its tests."""
    path = root / FOLDER / f"test_{lesson.name}.py"
    if not path.exists():
        return
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield Claim(sentence(node.name), varied(node), f"{path.name}::{node.name}")


def varied(test: ast.FunctionDef) -> str:
    r"""What a test says that it varies: the paragraph of its docstring after "Varies:".

    >>> varied(ast.parse("def test_it():\n    'Varies: seed, split.'").body[0])
    'seed, split'
    """
    for paragraph in (ast.get_docstring(test) or "").split("\n\n"):
        _, marker, rest = paragraph.partition("Varies:")
        if marker:
            return " ".join(rest.split()).removesuffix(".").replace("|", "\\|")
    return ""


def sentence(name: str) -> str:
    """The sentence that a test's name spells; 0045 is read as 0.045, x1 and MDI as themselves.

    >>> sentence("test_gini_of_x1_is_0045_and_mdi_agrees")
    'Gini of x1 is 0.045 and MDI agrees.'
    """
    words = name.removeprefix("test_").split("_")
    text = " ".join(SPELLED.get(word, re.sub(r"^0(\d+)$", r"0.\1", word)) for word in words)
    text = text.replace("scikit learn", "scikit-learn")
    is_symbol = re.match(r"[a-z]\d", text)
    return f"{text if is_symbol else text[0].upper() + text[1:]}."


def _table(lesson: lessons.Lesson, found: list[Claim]) -> str:
    if not found:
        return ""
    rows = [f"| {claim.sentence} | {claim.varied} | `{claim.test}` |" for claim in found]
    title = f"## [{lesson.number} {lesson.title}](../../notebooks/{lesson.name}.ipynb)"
    return "\n".join([title, "", "| claim | varied | test |", "|---|---|---|", *rows, ""])
