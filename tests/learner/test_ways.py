"""How the course is called and mended: in a clone, in conda, from a package, on Windows."""

import sys
from pathlib import Path

import pytest

from course_lib.learner import ways
from course_lib.learner.ways import call, install, install_as_in


@pytest.fixture(autouse=True)
def clone(monkeypatch, tmp_path):
    """A clone on Linux; each test changes one thing."""
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    monkeypatch.setattr(ways, "ROOT", tmp_path)
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.setattr(ways, "is_windows", lambda: False)
    return tmp_path


@pytest.fixture
def in_conda(monkeypatch):
    monkeypatch.setenv("CONDA_PREFIX", sys.prefix)


def test_in_a_clone_the_course_installs_what_a_command_needs():
    assert call("lab") == "./course lab"
    assert install(["jinja2"], "instructor", "slides") == "./course slides"
    assert install(["numpy"], "", "lab") == "./course lab   (after deleting the folder .venv)"


def test_on_windows_the_launcher_is_called(monkeypatch):
    monkeypatch.setattr(ways, "is_windows", lambda: True)
    assert call("lab") == "py course lab"
    assert install(["jinja2"], "instructor", "slides") == "py course slides"


def test_in_conda_the_remedy_names_conda_and_the_environment(in_conda, clone):
    assert call("lab") == "python -m course_lib lab"
    all_of_it = install(["numpy"], "", "lab")
    assert all_of_it == f"conda env update --prefix {sys.prefix} --file {clone / 'environment.yml'}"
    a_group = install(["jinja2"], "instructor", "slides")
    assert a_group.startswith(f"conda run --prefix {sys.prefix} python -m pip install -c ")
    assert a_group.endswith(f'-e "{clone}[instructor]"')


def test_conda_around_another_environment_is_not_this_one(monkeypatch):
    monkeypatch.setenv("CONDA_PREFIX", str(Path(sys.prefix).parent))
    assert ways.conda() is None and call("lab") == "./course lab"


def test_from_a_package_the_packages_are_named(clone):
    (clone / "pyproject.toml").unlink()
    assert call("recall") == "python -m course_lib recall"
    assert install(["jinja2", "nbformat"], "instructor", "slides") == (
        "python -m pip install jinja2 nbformat"
    )


def test_a_package_in_conda_is_mended_by_conda(in_conda, clone):
    (clone / "pyproject.toml").unlink()
    assert install(["numpy", "shap"], "", "lab") == (
        f"conda run --prefix {sys.prefix} python -m pip install numpy shap"
    )


def test_versions_of_the_lock_are_restored_for_the_packages_that_differ(monkeypatch, clone):
    lock = clone / "requirements.lock"
    assert install_as_in(lock, ["comm"]) == "./course lab   (after deleting the folder .venv)"
    monkeypatch.setenv("CONDA_PREFIX", sys.prefix)
    by_name = f"python -m pip install -c {lock} comm tqdm"
    assert install_as_in(lock, ["comm", "tqdm"]) == f"conda run --prefix {sys.prefix} {by_name}"
    monkeypatch.delenv("CONDA_PREFIX")
    (clone / "pyproject.toml").unlink()
    assert install_as_in(lock, ["comm", "tqdm"]) == by_name
