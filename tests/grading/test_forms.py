"""The form of an answer: the same for other names and layout, another for anything else."""

import ast
import json
import textwrap
from dataclasses import replace

import pytest

from course_lib import lessons
from course_lib.grading.forms import MAX_SIZE, Form, form_of
from course_lib.grading.reading import (
    UnreadableError,
    cells_from_json,
    cells_to_json,
    parse_source,
    read_cells,
)
from course_lib.tools.bench.students import Notebook
from course_lib.tools.system import ROOT

ANSWER = '''
def entropy(counts):
    """Entropy in bits."""
    p = np.array([n for n in counts if n]) / sum(counts)
    return -sum(q * np.log2(q) for q in p)
'''
COPIES = [
    ANSWER.replace("counts", "c").replace("p =", "shares =").replace("in p)", "in shares)"),
    ANSWER.replace('    """Entropy in bits."""\n', "    # my own words\n"),
    ANSWER.replace("(counts):", "(counts: list[int]) -> float:"),
    ANSWER.replace("n for n in counts if n", "q for q in counts if q"),  # one name in two scopes
    ANSWER.replace("p = ", "p: object = ").replace(" / ", "/"),
    "import numpy as np\n" + ANSWER + "\nentropy([1, 2])\nprint(entropy([2, 2]))",
    ANSWER.replace(
        "    p = ", "    p = ...\n    p = "
    ),  # the line that was handed out is still there
    "%matplotlib inline\n"
    + ANSWER.replace("p = ", "p = (").replace("sum(counts)\n", "sum(\ncounts))\n"),
]
OTHERS = [
    ANSWER.replace("log2", "log"),
    ANSWER.replace("-sum", "sum"),
    ANSWER.replace("if n]", "if n > 0]"),
    ANSWER.replace("sum(counts)", "sum(p)"),
    ANSWER.replace("q * np.log2(q)", "q * np.log2(p)"),
    ANSWER.replace("np.array", "numpy.array"),
    ANSWER.replace("    return", "    p = p\n    return"),
    ANSWER.replace("counts):", "counts, base=2):"),
]


def form(source: str) -> Form:
    return form_of(parse_source(source))


@pytest.mark.parametrize("copy", COPIES)
def test_names_comments_annotations_and_layout_do_not_matter(copy):
    assert copy != ANSWER and form(copy) == form(ANSWER)


@pytest.mark.parametrize("other", OTHERS)
def test_all_else_does(other):
    assert other != ANSWER and form(other).digest != form(ANSWER).digest


def test_names_from_outside_are_not_exchanged_for_each_other():
    assert form("y = np.mean(x)") != form("y = np.mean(z)")
    assert form("def f(x):\n    return g(x)") != form("def f(x):\n    return h(x)")
    assert form("def f(axis):\n    return g(axis=axis)") == form("def f(a):\n    return g(axis=a)")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "def f(x):\n try: g(x)\n except E as e: h(e)",
            "def f(y):\n try: g(y)\n except E as u: h(u)",
        ),
        (
            "def f():\n n = 0\n def g():\n  nonlocal n\n  n = 1",
            "def f():\n m = 0\n def h():\n  nonlocal m\n  m = 1",
        ),
        ("class A:\n x = 1", "class B:\n y = 1"),
        (
            "def f(v):\n match v:\n  case [a, *b]: return a, b",
            "def f(v):\n match v:\n  case [c, *d]: return c, d",
        ),
        (
            "async def f(x): return [await y async for y in x]",
            "async def g(z): return [await u async for u in z]",
        ),
        ("f = lambda *a, k=1, **b: (a, k, b)", "g = lambda *c, d=1, **e: (c, d, e)"),
    ],
)
def test_every_way_to_bind_a_name_is_known(one, other):
    assert form(one) == form(other) and form(one).digest


@pytest.mark.parametrize(
    "source", ["", "# nothing", "import os", "f(1)", "...", "x = ...", "def f(:"]
)
def test_where_nothing_is_defined_there_is_no_form(source):
    assert form(source) == Form()


def test_what_is_empty_but_for_its_signature_says_only_that():
    assert form('def f(x):\n    """Doc."""\n    ...').size == form("def f(x): pass").size - 1


class _Renaming(ast.NodeTransformer):
    """Renames the parameters and variables of all functions, each by its own letter."""

    def __init__(self, names):
        self.names = names

    def visit_Name(self, node):
        return ast.Name(self.names.get(node.id, node.id), node.ctx)

    def visit_arg(self, node):
        return ast.arg(self.names.get(node.arg, node.arg))


@pytest.mark.parametrize("lesson", lessons.available(), ids=lambda lesson: lesson.name)
def test_each_solution_is_recognised_with_other_names_and_layout(lesson):
    path = ROOT / "solutions" / lesson.name / f"{lesson.name}.ipynb"
    for cell in read_cells(path.read_bytes())[0]:
        if cell.grade_id.startswith("task") and "def " in cell.source:
            tree = ast.parse(cell.source)
            own = {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
            own |= {
                n.id
                for n in ast.walk(tree)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            }
            names = {name: f"v{k}" for k, name in enumerate(sorted(own))}
            copied = ast.unparse(ast.fix_missing_locations(_Renaming(names).visit(tree)))
            assert form(copied) == cell.form and cell.form.size > 10, cell.grade_id


# What strangers may write


@pytest.mark.parametrize(
    "source",
    [
        "x = " + "(" * 150 + "1" + ")" * 150,
        "x = " + "-" * 900 + "1",
        "x = " + "+".join("1" * 1500),
        "x = [" + "1," * 60_000 + "]",
        "".join(f"{'  ' * k}def f{k}():\n" for k in range(90)) + "  " * 90 + "pass",
        "def f():\n" + "    x = 1\n" * 9_000,
        "x = " + "[" * 90 + "y" + " for y in z]" * 90,
        "x = '\ud800'",
        "x = " + "lambda: " * 80 + "1",
    ],
    ids=lambda source: source[:12],
)
def test_deep_and_huge_cells_have_a_form_or_none_and_nothing_breaks(source):
    found = form(textwrap.dedent(source))
    assert found == Form() or (len(found.digest) == 32 and 0 < found.size < MAX_SIZE)


def test_forms_come_out_of_the_box_as_they_are():
    cells = [replace(c, only_shown=False) for c in read_cells(Notebook.solved().to_bytes())[0]]
    assert cells_from_json(json.loads(json.dumps(cells_to_json(cells)))) == cells
    assert any(cell.form.digest for cell in cells)


@pytest.mark.parametrize(
    ("digest", "size"),
    [
        *(("x" * 32, 3), ("0" * 31, 3), ("0" * 33, 3), (7, 3), (None, 3)),
        *(("0" * 32, size) for size in (-1, MAX_SIZE + 1, "3", True, 2.0)),
    ],
)
def test_what_is_no_form_is_refused(digest, size):
    cells = cells_to_json(read_cells(Notebook.solved().to_bytes())[0])
    cells[0][-2:] = [digest, size]
    with pytest.raises(UnreadableError):
        cells_from_json(cells)
