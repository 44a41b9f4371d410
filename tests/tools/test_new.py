"""A new lesson: refused with a sentence, or made so that it builds and passes the tests."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from course_lib import lessons
from course_lib.tools import cli, new
from course_lib.tools.new import NewLessonError, make
from course_lib.tools.system import ROOT

NUMBER = f"{len(lessons.numbers()):02}"
NAME = f"{NUMBER}_my_lesson"
NOT_COPIED = (".git", ".venv", "build", "workbook", ".*_cache", ".hypothesis")
TESTED = ("test_glossary", "test_claims", "test_documents", NAME, f"{NUMBER}.")


@pytest.mark.parametrize(
    ("number", "name", "title", "message"),
    [
        ("01", "mine", "T", f"The next lesson is {NUMBER}; lesson 01 is 01_mdi"),
        ("99", "mine", "T", f"The next lesson is {NUMBER}; got '99'"),
        (NUMBER[-1], "mine", "T", f"The next lesson is {NUMBER}; got '{NUMBER[-1]}'"),
        (NUMBER, "My lesson", "T", "such as my_lesson; got 'My lesson'"),
        (NUMBER, "mdi", "T", "There is a lesson 'mdi' already"),
        (NUMBER, "mine", "a|b", r"without .*got 'a\|b'"),
        (NUMBER, "mine", " ", "write one without"),
    ],
)
def test_what_would_not_become_a_lesson_is_refused(tmp_path, number, name, title, message):
    with pytest.raises(NewLessonError, match=message):
        make(tmp_path, number, name, title)
    assert list(tmp_path.iterdir()) == []


def test_no_file_is_overwritten(tmp_path):
    last = make(tmp_path, NUMBER, "my_lesson", "Mine")[-1]
    (tmp_path / last).write_text("mine")
    with pytest.raises(NewLessonError, match="is there already"):
        make(tmp_path, NUMBER, "my_lesson", "Mine")
    assert (tmp_path / last).read_text() == "mine"


def test_the_command_says_what_to_do_next_or_what_is_wrong(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(new, "ROOT", tmp_path)
    assert cli.main(["new", NUMBER, "my_lesson", "Mine"]) == 0
    said = capsys.readouterr().out
    assert f"./course build {NUMBER}" in said and "FILL IN" in said
    made = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(made) == 6 and all("FILL IN" in path.read_text("utf-8") for path in made)
    assert cli.main(["new", "01", "my_lesson", "Mine"]) == 2
    assert "The next lesson is" in capsys.readouterr().err


def course(root: Path, *arguments: str) -> str:
    """Run a module of Python in a copy of the course; what it says, if all is well."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", *arguments],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.build
def test_a_new_lesson_builds_and_passes_the_tests_as_it_stands(tmp_path):
    root = tmp_path / "course"
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(*NOT_COPIED))
    course(root, "course_lib", "new", NUMBER, "my_lesson", "A lesson of my own")
    course(root, "course_lib", "build", NUMBER)
    course(root, "course_lib", "build", "--check", NUMBER)
    course(root, "course_lib", "claims")
    made = [path.format(number=NUMBER, name=NAME) for path in new.FILES.values()]
    course(root, "ruff", "check", *made)
    course(root, "ruff", "format", "--check", *made)
    chosen = ["-k", " or ".join(TESTED), "-m", "not browser and not build"]
    tools = [f"tests/tools/test_{name}.py" for name in ("claims", "documents", "slides")]
    course(root, "pytest", *chosen, f"tests/claims/test_{NAME}.py", "tests/lessons", *tools)
