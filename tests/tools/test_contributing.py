"""What contributors are told is so: files, tests and the picture are there, the example runs."""

import ast
import doctest
import re
from functools import cache

import pytest
from test_architecture import ROWS

from course_lib.tools.system import ROOT

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
WALK = ROOT / "course_lib" / "README.md"
PATH = r"`((?:course_lib|tests|notebooks|solutions|exercises)/[\w./]*)`"
TEST = r"`(tests/[\w/]+\.py)::(\w+)`"
each_document = pytest.mark.parametrize(
    "document", ["CONTRIBUTING.md", "course_lib/README.md", "solutions/grading.md"]
)


def named_files(text: str) -> set[str]:
    """The paths a text names; NN and name stand for those of lesson 01."""
    paths = set(re.findall(PATH, text))
    return {path.replace("NN_name", "01_mdi").replace("NN", "01") for path in paths}


@cache
def functions(path: str) -> set[str]:
    """The functions that a file of tests defines."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@each_document
def test_every_file_that_is_named_exists(document):
    named = named_files((ROOT / document).read_text(encoding="utf-8"))
    assert len(named) > 5
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_every_test_that_is_named_exists():
    named = re.findall(TEST, CONTRIBUTING)
    assert len(named) > 15
    assert [name for path, name in named if name not in functions(path)] == []


def test_every_rule_of_a_lesson_is_in_the_table():
    table = CONTRIBUTING.split("## What a lesson must have")[1].split("\n## ")[0]
    for path in ("tests/lessons/test_lessons.py", "tests/lessons/test_glossary.py"):
        source = (ROOT / path).read_text(encoding="utf-8")
        rules = re.findall(r"@each_lesson\ndef (test_\w+)", source)
        assert rules and [name for name in rules if f"{path}::{name}" not in table] == []


def test_the_picture_is_the_one_that_is_held():
    picture = CONTRIBUTING.split("holds this picture to be true:\n\n```\n")[1].split("```")[0]
    rows = [re.split(r"  +", line)[0].split(", ") for line in picture.splitlines()]
    held = [
        row - {"display", "validation", "tables", "files", "patience"}
        for row in ROWS
        if row != {"__main__"}
    ]
    assert [set(row) for row in rows] == held


def test_the_walk_through_the_library_is_as_it_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_WORKBOOK", str(tmp_path))
    failed, tried = doctest.testfile(str(WALK), module_relative=False)
    assert tried > 15 and failed == 0
