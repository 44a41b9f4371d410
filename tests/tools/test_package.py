"""The course as a wheel: with its lessons; what works from it, and what says why it does not."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from course_lib.tools.system import ROOT
from course_lib.tools.workbook import originals

SOURCES = ("pyproject.toml", "setup.py", "MANIFEST.in", "requirements.lock")
SOURCES += ("README.md", "LICENSE", "LICENSE-LESSONS", "course_lib", "exercises", "notebooks")
QUIET = shutil.ignore_patterns("__pycache__", "src", ".ipynb_checkpoints")
BUILD = "import sys; from setuptools import build_meta as b; b.build_wheel(sys.argv[1])"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> zipfile.ZipFile:
    """The wheel, made by the backend that pip would call."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        path = ROOT / name
        copy = shutil.copytree if path.is_dir() else shutil.copy
        copy(path, source / name, **({"ignore": QUIET} if path.is_dir() else {}))
    build = [sys.executable, "-c", BUILD, str(out)]
    done = subprocess.run(build, cwd=source, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    (file,) = out.glob("*.whl")
    return zipfile.ZipFile(file)


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """What pip unpacks into an environment; it comes before the clone on Python's path."""
    folder = tmp_path_factory.mktemp("site-packages")
    wheel.extractall(folder)
    return folder


def said(installed: Path, home: Path, *arguments: str, code: int = 0) -> str:
    """What Python prints, with the installed course and nothing of the clone."""
    names = ("CONDA_PREFIX", "COURSE_BUILD", "COURSE_WORKBOOK", "NBGRADER_EXECUTION")
    kept = {name: value for name, value in os.environ.items() if name not in names}
    environment = kept | {"PYTHONPATH": str(installed), "HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-P", *arguments],
        env=environment | {"USERPROFILE": str(home), "PYTHONUTF8": "1"},
        cwd=home,
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def test_everything_of_the_library_and_every_notebook_is_in_the_wheel(wheel):
    inside = set(wheel.namelist())
    library = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "course_lib").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert library - inside == set()
    notebooks = {path.relative_to(ROOT).as_posix() for path in originals(ROOT).values()}
    assert {f"course_lib/shipped/{name}" for name in notebooks} <= inside
    assert not [name for name in inside if "solutions" in name or "/src/" in name]


def test_the_doctor_finds_the_package_fit_and_names_no_clone(installed, tmp_path):
    words = said(installed, tmp_path, "-m", "course_lib", "doctor")
    assert "22 notebooks" in words and "You can work: python -m course_lib lab" in words
    assert "./course" not in words


def test_recall_and_ask_work(installed, tmp_path):
    words = said(installed, tmp_path, "-m", "course_lib", "recall")
    assert "nothing to recall yet" in words and "python -m course_lib lab" in words
    measure = said(installed, tmp_path, "-c", "from course_lib import ask; print(ask('model'))")
    assert "permutation" in measure


def test_recall_shows_where_the_figure_of_a_statement_stands(installed, tmp_path):
    """It reads the lesson, which lies in the package."""
    code = (
        "from course_lib.tools.recall import figure_of; from course_lib import lessons;"
        "print(figure_of(lessons.load('01').statements[0]))"
    )
    assert "section" in said(installed, tmp_path, "-c", code)


def test_the_lab_fills_a_workbook_in_the_home_and_starts_there(installed, tmp_path):
    code = (
        "import sys; from course_lib.tools import cli, lab;"
        "lab._become = lambda command, environment, folder: print('in', folder) or 0;"
        "sys.exit(cli.main(['lab', '--no-browser']))"
    )
    words = said(installed, tmp_path, "-c", code)
    workbook = tmp_path / "what-do-you-mean-important"
    assert f"in {workbook}" in words
    assert len(list(workbook.rglob("*.ipynb"))) == len(originals(ROOT))


def test_the_help_names_the_folder_where_the_copies_lie(installed, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    for arguments in (["--help"], ["lab", "--help"]):
        words = said(installed, tmp_path, "-m", "course_lib", *arguments)
        assert "copies lie in ~/what-do-you-mean-important" in words


@pytest.mark.parametrize("command", ["build", "site", "slides", "grade", "nbgrader", "test"])
def test_a_command_for_the_repository_says_so(installed, tmp_path, command):
    words = said(installed, tmp_path, "-m", "course_lib", command, code=1)
    assert "files of the repository" in words and f"./course {command}" in words
    assert "Traceback" not in words
