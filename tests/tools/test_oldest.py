"""`./course test --oldest`: an environment with the lower bound of scikit-learn, made once."""

from pathlib import Path

import pytest
import yaml

from course_lib.tools import cli, oldest
from course_lib.tools.system import ROOT

PROJECT = '[project]\ndependencies = ["numpy>=2.0", "scikit-learn>=1.2"]\n'
LOCK = "numpy==2.3\nscikit-learn==1.9 ; sys_platform != 'win32'\nscipy==1.17\n"


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """A course in `tmp_path`, and the commands that are called in place of uv and Python."""
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "requirements.lock").write_text(LOCK)
    (tmp_path / "course").write_text("GROUPS = {'lab': [], 'test': ['a', 'b']}\n")
    calls = []

    def call(command, **options):
        calls.append(command)
        if "venv" in command:
            Path(command[-1]).mkdir(exist_ok=True)
        return 0

    monkeypatch.setattr(oldest.subprocess, "call", call)
    return calls


def names(calls) -> list[str]:
    """What each command is about, in one word."""
    return [
        next(w for w in command if w in ("venv", "install", "check", "test")) for command in calls
    ]


def test_scikit_learn_gets_its_lower_bound_and_all_else_stays_as_locked(calls, tmp_path):
    assert oldest.constraints(tmp_path) == ["numpy==2.3", "scipy==1.17", "scikit-learn==1.2"]


def test_the_environment_is_made_installed_checked_and_used(calls, tmp_path, capsys):
    assert oldest.run_there(["--quick", "-k", "node"], tmp_path) == 0
    assert "With scikit-learn==1.2" in capsys.readouterr().out
    assert names(calls) == ["venv", "install", "check", "test"]
    _, install, _, start = calls
    limits = Path(install[install.index("-c") + 1])
    assert limits.read_text().splitlines() == oldest.constraints(tmp_path)
    assert install[-2:] == ["-e", ".[a,b]"]
    assert start[0].startswith(str(tmp_path / "build" / "oldest"))
    assert start[1:] == ["-P", "-m", "course_lib", "test", "--quick", "-k", "node"]


def test_it_is_made_once(calls, tmp_path):
    oldest.run_there([], tmp_path)
    oldest.run_there([], tmp_path)
    assert names(calls) == ["venv", "install", "check", "test", "test"]


@pytest.mark.parametrize("file", ["requirements.lock", "pyproject.toml"])
def test_a_change_of_what_is_wanted_makes_it_again(calls, tmp_path, file):
    oldest.run_there([], tmp_path)
    with open(tmp_path / file, "a") as opened:
        opened.write("# changed\n" if file == "pyproject.toml" else "shap==0.51\n")
    oldest.run_there([], tmp_path)
    assert names(calls) == ["venv", "install", "check", "test"] * 2


@pytest.mark.parametrize("failing", ["venv", "install", "check"])
def test_a_failure_says_what_to_do_and_is_not_taken_for_an_environment(
    calls, tmp_path, monkeypatch, capsys, failing
):
    well = oldest.subprocess.call
    monkeypatch.setattr(
        oldest.subprocess, "call", lambda command, **o: well(command) or failing in command
    )
    assert oldest.run_there([], tmp_path) == 1
    said = capsys.readouterr().err
    assert "scikit-learn==1.2" in said and "course test --oldest" in said
    assert names(calls)[-1] == failing
    assert oldest.run_there([], tmp_path) == 1


def test_the_command_takes_it_with_quick_and_arguments_for_pytest(monkeypatch):
    given = []
    monkeypatch.setattr(
        "course_lib.tools.testing.run_there", lambda words: given.append(words) or 3
    )
    assert cli.main(["test", "--quick", "--oldest", "tests/test_mdi.py", "-k", "node"]) == 3
    assert cli.main(["test", "--oldest"]) == 3
    assert given == [["--quick", "tests/test_mdi.py", "-k", "node"], []]


def test_each_push_is_tested_with_it_too():
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    matrix = workflow["jobs"]["full"]["strategy"]["matrix"]
    assert {"python": matrix["python"][0], "arguments": "--oldest"} in matrix["include"]
    assert workflow["jobs"]["full"]["steps"][-1]["run"] == ".ci/run ${{ matrix.arguments }}"
