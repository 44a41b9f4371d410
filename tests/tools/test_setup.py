"""Two commands on a fresh machine: what is installed, what can go wrong, what JupyterLab gets."""

import ast
import errno
import json
import os
import re
import socket
import subprocess
import sys
import time
import tomllib
from argparse import Namespace
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import SimpleNamespace
from urllib.request import urlopen

import conftest
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from course_lib import lessons
from course_lib.tools import cli, doctor, lab, system, testing
from course_lib.tools.lecturer import times_of
from course_lib.tools.system import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
LOCK = [Requirement(line) for line in (ROOT / "requirements.lock").read_text().splitlines()]
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
BY_PIP = next(item["pip"] for item in CONDA["dependencies"] if isinstance(item, dict))


def locked(name: str) -> set[str]:
    return {str(line.specifier).removeprefix("==") for line in LOCK if line.name == name}


# ---- pyproject.toml, requirements.lock, environment.yml ----------------------------------

ALL = [Requirement(line) for group in [PROJECT["dependencies"], *EXTRAS.values()] for line in group]


@pytest.mark.parametrize("wanted", ALL, ids=str)
def test_each_direct_dependency_is_locked_within_its_bounds(wanted):
    assert locked(wanted.name)
    assert all(wanted.specifier.contains(version) for version in locked(wanted.name))


@pytest.mark.parametrize("wanted", ALL, ids=str)
def test_direct_dependencies_are_bounded_from_below_only(wanted):
    assert [bound.operator for bound in wanted.specifier] == [">="]


def test_the_lock_names_one_exact_version_for_each_machine():
    assert all(len(line.specifier) == 1 and "==" in str(line.specifier) for line in LOCK)
    for version in ("3.11.9", "3.12.4", "3.13.1", "3.14.0"):
        for platform, machine in (("linux", "x86_64"), ("darwin", "arm64"), ("win32", "AMD64")):
            here = {"python_full_version": version, "python_version": version[:4]}
            here |= {"sys_platform": platform, "platform_machine": machine}
            here |= {"os_name": "nt" if platform == "win32" else "posix"}
            names = [line.name for line in LOCK if not line.marker or line.marker.evaluate(here)]
            assert len(names) == len(set(names))
            assert {wanted.name for wanted in ALL} <= set(names)


@pytest.mark.parametrize("file", ["requirements.lock", "environment.yml"])
def test_versions_come_without_addresses(file):
    assert not re.search(r"://|@|--index|--find-links", (ROOT / file).read_text(encoding="utf-8"))


def test_conda_gets_exactly_the_direct_dependencies_in_the_locked_versions():
    pins = [Requirement(line) for line in BY_PIP if not line.startswith("-")]
    assert {pin.name for pin in pins} == {Requirement(d).name for d in PROJECT["dependencies"]}
    here = {"python_full_version": "3.11.9", "python_version": "3.11"}
    here |= {"sys_platform": "linux", "platform_machine": "x86_64"}
    for_conda = {
        line.name: str(line.specifier)
        for line in LOCK
        if not line.marker or line.marker.evaluate(here)
    }
    assert {pin.name: str(pin.specifier) for pin in pins} == {
        pin.name: for_conda[pin.name] for pin in pins
    }


def test_whoever_tests_the_course_can_build_the_site():
    assert set(EXTRAS["site"]) <= set(EXTRAS["tests"])


def test_conda_installs_the_course_itself():
    assert "-e ." in BY_PIP


def test_the_supported_pythons_are_the_same_wherever_they_are_named(course):
    oldest, newest = course.OLDEST, course.NEWEST
    supported = SpecifierSet(PROJECT["requires-python"])
    assert supported == SpecifierSet(f">={oldest[0]}.{oldest[1]},<{newest[0]}.{newest[1] + 1}")
    assert (doctor.OLDEST, doctor.NEWEST) == (oldest, newest)
    assert f"Python {oldest[0]}.{oldest[1]} to {newest[0]}.{newest[1]}" in readme()
    python = next(item for item in CONDA["dependencies"] if str(item).startswith("python="))
    assert supported.contains(python.removeprefix("python="))
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    tested = workflow["jobs"]["test"]["strategy"]["matrix"]["python"]
    assert tested == [f"{oldest[0]}.{oldest[1]}", f"{newest[0]}.{newest[1]}"]


def test_the_version_is_the_same_wherever_it_is_named():
    import course_lib

    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert PROJECT["version"] == course_lib.__version__ == str(citation["version"])


def readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_lists_each_lesson_with_its_title_and_minutes():
    rows = re.findall(r"^\| (\d\d) \| \[(.*)\]\((.*)\) \| .* \| (\d+) \+ (\d+) \|$", readme(), re.M)
    expected = []
    for lesson in lessons.available():
        times = times_of((ROOT / "notebooks/src" / f"{lesson.name}.py").read_text(encoding="utf-8"))
        place = f"notebooks/{lesson.name}.ipynb"
        minutes = (str(times.learner), str(times.exercise))
        expected.append((lesson.number, lesson.title, place, *minutes))
    assert rows == expected


def test_the_readme_names_no_file_that_is_not_there():
    named = re.findall(r"`([\w./-]+\.(?:md|yml|cff|toml|lock)|[A-Z-]+|\w+/)`", readme())
    assert named
    assert [name for name in named if name != "workbook/" and not (ROOT / name).exists()] == []


# ---- ./course: the script ----------------------------------------------------------------


@pytest.fixture
def course(tmp_path, monkeypatch):
    """The script as a module, at home in an empty folder, with a pretended installer."""
    (tmp_path / "requirements.lock").write_text("numpy==2.0\n")
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / "course").write_bytes((ROOT / "course").read_bytes())
    loader = SourceFileLoader("course_script", str(tmp_path / "course"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    module = module_from_spec(spec_from_loader("course_script", loader))
    loader.exec_module(module)
    module.calls = []
    monkeypatch.setattr(module.subprocess, "call", pretend(module))
    monkeypatch.setattr(module, "run", lambda command: module.calls.append(command) or 0)
    return module


def pretend(module, failing=()):
    """Stand in for venv, pip and uv; those whose name is in `failing` fail."""

    def call(command, **options):
        module.calls.append(command)
        words = " ".join(command)
        if any(name in words for name in failing):
            return 1
        if "-m venv" in words:
            os.makedirs(module.PROGRAMS)
            Path(module.PYTHON).touch()
            Path(module.VENV, "pyvenv.cfg").write_text(
                f"version = {'.'.join(map(str, sys.version_info[:3]))}\n"
            )
        return 0

    return call


def installations(course) -> list[list[str]]:
    return [command for command in course.calls if "-e" in command]


def test_a_first_start_makes_the_environment_installs_and_hands_over(course):
    assert course.main(["lab", "--no-browser"]) == 0
    venv, bootstrap, install, start = course.calls
    assert venv[1:3] == ["-m", "venv"]
    assert bootstrap[-1] == course.UV
    assert install[-4:] == ["-c", "requirements.lock", "-e", "."]
    assert "--compile-bytecode" in install
    assert start == [course.PYTHON, "-P", "-m", "course_lib", "lab", "--no-browser"]


def test_a_second_start_only_hands_over(course):
    course.main(["lab"])
    course.calls.clear()
    course.main(["lab"])
    assert course.calls == [[course.PYTHON, "-P", "-m", "course_lib", "lab"]]


def test_another_command_adds_its_groups_and_drops_none(course):
    course.main(["lab"])
    course.main(["bench", "widgets"])
    assert installations(course)[-1][-1] == ".[bench,hub,instructor,tests]"
    (Path(course.ROOT) / "requirements.lock").write_text("numpy==2.1\n")
    course.main(["lab"])
    assert installations(course)[-1][-1] == ".[bench,hub,instructor,tests]"
    assert len(installations(course)) == 3


@pytest.mark.parametrize("file", ["requirements.lock", "pyproject.toml"])
def test_a_change_of_what_is_wanted_installs_again(course, file):
    course.main(["lab"])
    with open(Path(course.ROOT) / file, "a") as opened:
        opened.write("# changed\n")
    course.main(["lab"])
    assert len(installations(course)) == 2


def test_an_interrupted_installation_is_resumed(course, monkeypatch, capsys):
    whole = course.subprocess.call

    def interrupted(command, **options):
        if "-e" in command:
            raise KeyboardInterrupt
        return whole(command, **options)

    monkeypatch.setattr(course.subprocess, "call", interrupted)
    assert course.main(["lab"]) == 130
    assert "./course lab" in capsys.readouterr().err
    monkeypatch.setattr(course.subprocess, "call", whole)
    assert course.main(["lab"]) == 0
    assert len(installations(course)) == 1


def test_an_update_that_is_interrupted_does_not_look_complete(course, monkeypatch):
    course.main(["lab"])
    (Path(course.ROOT) / "requirements.lock").write_text("numpy==2.1\n")
    monkeypatch.setattr(course.subprocess, "call", pretend(course, failing=["-e"]))
    assert course.main(["lab"]) == 1
    (Path(course.ROOT) / "requirements.lock").write_text("numpy==2.0\n")
    assert not course.is_ready([])


@pytest.mark.parametrize("text", ["", "[]", "{}", "not json", '{"fingerprint": 1}'])
def test_a_damaged_stamp_means_installing_again(course, text):
    course.main(["lab"])
    Path(course.STAMP).write_text(text)
    course.main(["lab"])
    assert len(installations(course)) == 2


def test_an_environment_of_a_python_that_was_replaced_is_made_anew(course):
    course.main(["lab"])
    Path(course.PYTHON).unlink()
    os.symlink(sys.executable, course.PYTHON)
    assert course.is_ready([])
    Path(course.VENV, "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.1.4\n")
    assert course.is_broken()


def test_a_moved_folder_is_installed_again(course, monkeypatch):
    course.main(["lab"])
    before = course.fingerprint()
    moved = Path(course.ROOT).parent / "moved"
    Path(course.ROOT).rename(moved)
    monkeypatch.setattr(course, "ROOT", str(moved))
    assert course.fingerprint() != before


def test_where_uv_fails_pip_is_tried(course, monkeypatch):
    monkeypatch.setattr(course.subprocess, "call", pretend(course, failing=["--compile-bytecode"]))
    assert course.main(["lab"]) == 0
    assert installations(course)[-1][1:3] == ["-m", "pip"]


def sentence(course, capsys, arguments=("lab",), code=1) -> str:
    """What ./course says when it gives up; it must be one paragraph."""
    assert course.main(list(arguments)) == code
    said = capsys.readouterr().err.strip().splitlines()
    return said[-1]


def test_an_old_python_is_told_which_one_to_install(course, monkeypatch, capsys):
    monkeypatch.setattr(sys, "version_info", (3, 9, 6, "final", 0))
    monkeypatch.setenv("PATH", "")
    said = sentence(course, capsys)
    assert "needs Python 3.11 to 3.14, and this is 3.9" in said and "install" in said
    assert course.calls == []


def test_a_python_that_is_too_new_is_told_so(course, monkeypatch, capsys):
    monkeypatch.setattr(sys, "version_info", (3, 15, 0, "final", 0))
    monkeypatch.setenv("PATH", "")
    assert "this is 3.15" in sentence(course, capsys)


def test_an_old_python_goes_on_with_a_newer_one_on_the_path(course, monkeypatch, tmp_path):
    newer = tmp_path / "bin" / "python3.12"
    newer.parent.mkdir()
    newer.touch(mode=0o755)
    monkeypatch.setattr(sys, "version_info", (3, 9, 6, "final", 0))
    monkeypatch.setenv("PATH", str(newer.parent))
    course.main(["lab", "--port", "9000"])
    assert [str(newer), str(tmp_path / "course"), "lab", "--port", "9000"] in course.calls


def test_an_intel_mac_needs_a_python_for_which_there_are_packages(course, monkeypatch, capsys):
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(course.os, "uname", lambda: ("Darwin", "", "", "", "x86_64"))
    monkeypatch.setattr(sys, "version_info", (3, 11, 9, "final", 0))
    monkeypatch.setenv("PATH", "")
    said = sentence(course, capsys)
    assert "3.12 to 3.14" in said and "brew install" in said


def test_a_missing_ensurepip_gets_the_line_that_installs_it(course, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    said = sentence(course, capsys)
    assert f"sudo apt install python3.{sys.version_info[1]}-venv" in said
    assert course.calls == []


def test_a_full_disk_is_noticed_before_anything_is_made(course, monkeypatch, capsys):
    monkeypatch.setattr(course.shutil, "disk_usage", lambda path: SimpleNamespace(free=5e8))
    said = sentence(course, capsys)
    assert "0.5 GB are free" in said and "needs up to 2 GB" in said
    assert course.calls == []


def test_a_disk_that_fills_up_is_not_taken_for_a_missing_network(course, monkeypatch, capsys):
    left = iter([5e9])
    monkeypatch.setattr(
        course.shutil, "disk_usage", lambda path: SimpleNamespace(free=next(left, 1e6))
    )
    monkeypatch.setattr(course.subprocess, "call", pretend(course, failing=["-e"]))
    assert "full" in sentence(course, capsys)


@pytest.mark.parametrize("failing", ["uv==", "-e"])
def test_without_network_the_sentence_says_to_connect(course, monkeypatch, capsys, failing):
    monkeypatch.setattr(course.subprocess, "call", pretend(course, failing=[failing]))
    said = sentence(course, capsys)
    assert "network" in said and "goes on where it stopped" in said


def test_an_environment_that_cannot_be_made_says_what_to_delete(course, monkeypatch, capsys):
    monkeypatch.setattr(course.subprocess, "call", pretend(course, failing=["-m venv"]))
    assert f"delete the folder {course.VENV}" in sentence(course, capsys)


def test_a_folder_that_cannot_be_written_says_where_to_copy_it(course, monkeypatch, capsys):
    monkeypatch.setattr(course.os, "access", lambda path, mode: False)
    said = sentence(course, capsys)
    assert "cannot be written" in said and "cp -r" in said


@pytest.mark.parametrize(
    ("number", "word"),
    [(errno.ENOSPC, "full"), (errno.EACCES, "cannot be written"), (errno.EIO, "delete the folder")],
)
def test_errors_of_the_file_system_become_sentences(course, monkeypatch, capsys, number, word):
    def fail(*args):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(course, "install", fail)
    assert word in sentence(course, capsys)


def test_an_unknown_command_is_told_the_known_ones(course, capsys):
    said = sentence(course, capsys, ["lap"], code=2)
    assert "'lap'" in said and all(command in said for command in cli.COMMANDS)
    assert course.calls == []


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"], ["lab", "--help"]])
def test_help_installs_nothing(course, capsys, arguments):
    assert course.main(arguments) == 0
    assert "./course lab" in capsys.readouterr().out
    assert course.calls == []


def test_the_script_and_the_library_know_the_same_commands(course):
    assert course.GROUPS.keys() == cli.COMMANDS.keys()
    assert all(f"./course {command}" in course.__doc__ for command in cli.COMMANDS)
    by_command = {group for groups in course.GROUPS.values() for group in groups}
    assert by_command | {"cluster"} == set(EXTRAS)  # who grades on a cluster installs it by hand


def test_an_old_python_can_read_the_script():
    tree = ast.parse((ROOT / "course").read_text(encoding="utf-8"), feature_version=(3, 7))
    too_new = (ast.JoinedStr, ast.NamedExpr, ast.AnnAssign, ast.Match, ast.AsyncFunctionDef)
    assert [node for node in ast.walk(tree) if isinstance(node, too_new)] == []
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert [f.name for f in functions if f.returns or f.args.kwonlyargs or f.args.posonlyargs] == []


def test_the_script_needs_only_the_standard_library():
    tree = ast.parse((ROOT / "course").read_text(encoding="utf-8"))
    names = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
    assert names <= set(sys.stdlib_module_names)


# ---- the commands ------------------------------------------------------------------------


def test_help_of_all_commands_imports_none_of_them():
    code = "import sys; from course_lib.tools.cli import main; main(['--help'])"
    listed = "import atexit, sys; atexit.register(lambda: print(*sys.modules));"
    done = subprocess.run([sys.executable, "-c", listed + code], capture_output=True, text=True)
    assert all(command in done.stdout for command in cli.COMMANDS)
    assert not {"numpy", "course_lib.tools.lab"} & set(done.stdout.split())


def test_arguments_that_a_command_does_not_know_are_refused(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["doctor", "--colour"])
    assert stop.value.code == 2
    assert "--colour" in capsys.readouterr().err


def test_an_interrupted_command_ends_without_a_traceback(monkeypatch, capsys):
    def interrupted(args):
        raise KeyboardInterrupt

    monkeypatch.setattr(doctor, "run", interrupted)
    assert cli.main(["doctor"]) == 130
    assert "Interrupted" in capsys.readouterr().err


# ---- ./course lab ------------------------------------------------------------------------

QUIETLY = Namespace(no_browser=True, port=8888, ip="127.0.0.1")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def in_lab(workbook: Path, home: Path, code: str) -> str:
    """What `code` prints with the variables JupyterLab gets, in a given home."""
    environment = {**lab.environment(workbook), "HOME": str(home)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_kernel_in_the_home_of_the_learner_does_not_take_the_place_of_ours(tmp_path):
    stale = tmp_path / ".local" / "share" / "jupyter" / "kernels" / "python3"
    stale.mkdir(parents=True)
    (stale / "kernel.json").write_text('{"argv": ["false"], "display_name": "stale"}')
    code = "from jupyter_client.kernelspec import find_kernel_specs as f; print(f()['python3'])"
    assert in_lab(tmp_path, tmp_path, code).startswith(sys.prefix)


def test_the_question_about_news_is_switched_off(tmp_path):
    code = (
        "from jupyter_server.services.config import ConfigManager as C; import json;"
        "print(json.dumps(C(config_dir_name='labconfig').get('default_setting_overrides')))"
    )
    settings = json.loads(in_lab(tmp_path, tmp_path, code))
    assert settings["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"


def test_notebooks_are_saved_without_widgets_that_could_not_be_shown_again(tmp_path):
    code = (
        "from jupyter_server.serverapp import ServerApp; import os;"
        "app = ServerApp(); app.initialize([], find_extensions=False, new_httpserver=False);"
        "print(app.contents_manager.pre_save_hook.__name__)"
    )
    assert in_lab(tmp_path, tmp_path, code).endswith("without_live_views")


def test_kernels_are_told_where_the_workbook_is(tmp_path):
    assert lab.environment(tmp_path)["COURSE_WORKBOOK"] == str(tmp_path)


def test_only_this_machine_can_reach_the_lab_unless_asked():
    parser, _ = cli._parser(["lab"])
    assert parser.parse_args(["lab"]).ip == "127.0.0.1"


@pytest.fixture
def small_course(tmp_path, monkeypatch):
    """A course with one lesson, and a lab that only says how it would start."""
    monkeypatch.setattr(lab, "ROOT", tmp_path)
    started = []
    monkeypatch.setattr(lab, "_become", lambda *args: started.append(args) or 0)
    lesson = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "01_mdi.ipynb").write_text(json.dumps(lesson))
    return SimpleNamespace(root=tmp_path, started=started)


def test_the_lab_opens_on_the_first_notebook_of_the_workbook(small_course, capsys):
    assert lab.run(QUIETLY) == 0
    ((command, environment, folder),) = small_course.started
    assert "--LabApp.default_url=/lab/tree/01_mdi.ipynb" in command
    assert folder == small_course.root / "workbook"
    assert (folder / "01_mdi.ipynb").exists()
    assert str(folder) in capsys.readouterr().out


def test_lesson_00_comes_first_once_it_exists(small_course):
    lesson = small_course.root / "notebooks" / "01_mdi.ipynb"
    lesson.with_name("00_six_questions.ipynb").write_text(lesson.read_text())
    lab.run(QUIETLY)
    assert "--LabApp.default_url=/lab/tree/00_six_questions.ipynb" in small_course.started[0][0]


def test_the_lab_opens_where_it_was_left(small_course):
    lab.run(QUIETLY)
    tabs = Path(small_course.started[0][1]["JUPYTERLAB_WORKSPACES_DIR"])
    tabs.mkdir(parents=True)
    (tabs / "default-37a8.jupyterlab-workspace").write_text("{}")
    lab.run(QUIETLY)
    assert "--LabApp.default_url=/lab" in small_course.started[1][0]


def test_without_lessons_the_lab_says_how_to_make_them(small_course, capsys):
    (small_course.root / "notebooks" / "01_mdi.ipynb").unlink()
    assert lab.run(QUIETLY) == 1
    assert "./course build" in capsys.readouterr().err


def test_a_workbook_that_cannot_be_written_gets_its_sentence(small_course, capsys):
    (small_course.root / "workbook").write_text("a file is in the way")
    assert lab.run(QUIETLY) == 1
    assert "cannot be written" in capsys.readouterr().err


def test_jupyterlab_starts_in_the_workbook_and_answers(tmp_path):
    port = free_port()
    (tmp_path / "home").mkdir()
    environment = {**lab.environment(tmp_path), "HOME": str(tmp_path / "home")}
    args = Namespace(no_browser=True, port=port, ip="127.0.0.1")
    with open(tmp_path / "log", "w+") as log:
        server = subprocess.Popen(
            lab.command(args, tmp_path, "/lab/tree/01_mdi.ipynb"),
            env=environment,
            cwd=tmp_path,
            stderr=log,
        )
        try:
            assert "version" in answer(f"http://127.0.0.1:{port}/api", server)
        finally:
            server.terminate()
            server.wait(timeout=20)
    said = (tmp_path / "log").read_text()
    assert f"http://127.0.0.1:{port}/lab/tree/01_mdi.ipynb?token=" in said
    assert "Traceback" not in said and "[W" not in said


def answer(url: str, server: subprocess.Popen, seconds: float = 60) -> dict:
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        try:
            with urlopen(url, timeout=5) as reply:
                return json.load(reply)
        except OSError:
            time.sleep(0.1)
    pytest.fail("JupyterLab did not answer")


# ---- ./course doctor ---------------------------------------------------------------------


@pytest.fixture
def healthy(monkeypatch):
    monkeypatch.setattr(doctor, "originals", lambda root: {"01_mdi.ipynb": root})
    monkeypatch.setattr(doctor, "find_chromium", lambda: "/usr/bin/chromium")
    monkeypatch.setattr(doctor, "bubblewrap_trouble", lambda: None)


def test_the_doctor_finds_this_environment_fit_for_work(healthy, capsys):
    assert doctor.run(Namespace()) == 0
    said = capsys.readouterr().out
    assert "MISSING" not in said and "You can work: ./course lab" in said


@pytest.mark.parametrize("gone", ["numpy", "jupyterlab", "shap"])
def test_a_missing_package_of_the_lessons_is_a_failure_with_its_line(
    healthy, monkeypatch, capsys, gone
):
    there = doctor.installed
    monkeypatch.setattr(doctor, "installed", lambda name: None if name == gone else there(name))
    assert doctor.run(Namespace()) == 1
    assert re.search(
        rf"MISSING .* missing: {gone}\n +to fix: \./course lab", capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("find_chromium", lambda: None, "sudo apt install chromium"),
        (
            "bubblewrap_trouble",
            lambda: "bubblewrap is missing. On X: sudo apt install x",
            "install x",
        ),
    ],
)
def test_what_a_learner_can_do_without_is_noted_only(
    healthy, monkeypatch, capsys, name, value, line
):
    monkeypatch.setattr(doctor, name, value)
    assert doctor.run(Namespace()) == 0
    said = capsys.readouterr().out
    assert "optional" in said and line in said


def test_a_version_that_differs_from_the_lock_is_named(healthy, monkeypatch, capsys):
    there = doctor.installed
    monkeypatch.setattr(doctor, "installed", lambda n: "0.1" if n == "numpy" else there(n))
    doctor.run(Namespace())
    assert f"numpy 0.1, not {locked('numpy').pop()}" in capsys.readouterr().out


def test_an_old_python_is_a_failure(healthy, monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 10, 1, "final", 0))
    assert doctor.python().fix


# ---- ./course test -----------------------------------------------------------------------


def test_all_stages_run_in_order_and_quick_leaves_out_the_slow(tmp_path):
    whole = [stage.name for stage in testing.stages(tmp_path, quick=False, passed_on=[])]
    assert whole[:4] == ["ruff check", "ruff format", "build --check", "tests"]
    quick = list(testing.stages(tmp_path, quick=True, passed_on=[]))
    assert [stage.name for stage in quick] == whole[:4]
    assert "not browser and not container and not hub and not nbgrader" in quick[-1].command


def test_each_process_of_the_tests_has_one_thread(tmp_path):
    for stage in testing.stages(tmp_path, quick=False, passed_on=[]):
        assert stage.environment["OMP_NUM_THREADS"] == "1"


def test_notebooks_are_compared_strictly(tmp_path, monkeypatch):
    monkeypatch.setattr(testing, "ROOT", tmp_path)
    for place in ("notebooks/01_mdi.ipynb", "solutions/01_mdi/01_mdi.ipynb"):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).touch()
    (stage,) = testing.notebooks(tmp_path)
    assert {"--nbval", "--nbval-current-env"} <= set(stage.command)
    assert "--nbval-lax" not in stage.command
    assert stage.command[-2:] == ["notebooks/01_mdi.ipynb", "solutions/01_mdi/01_mdi.ipynb"]
    assert stage.environment["COURSE_BUILD"] == "1"


def test_arguments_go_to_pytest_and_failures_are_counted(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (tmp_path / "test_probe.py").write_text(
        "def test_good(): pass\ndef test_bad(): assert 0\ndef test_other(): assert 0\n"
    )
    elsewhere = ["-p", "no:cacheprovider", f"--rootdir={tmp_path}", "-c", os.devnull]
    probe = str(tmp_path / "test_probe.py")
    assert cli.main(["test", probe, *elsewhere, "-k", "good or bad"]) == 1
    assert capfd.readouterr().out.splitlines()[-1] == "1 passed, 1 failed"


def test_a_failed_stage_without_tests_of_its_own_counts_as_one(tmp_path, monkeypatch, capfd):
    failing = [testing.Stage("style", [sys.executable, "-c", "raise SystemExit(3)"], None)]
    crashed = [testing.Stage("tests", [sys.executable, "-c", "1/0"], None, tmp_path / "no.xml")]
    monkeypatch.setattr(testing, "stages", lambda *args, **options: failing + crashed)
    assert testing.run(Namespace(oldest=False, quick=False, passed_on=[])) == 1
    assert capfd.readouterr().out.splitlines()[-1] == "0 passed, 2 failed"


# ---- tools that may be missing -----------------------------------------------------------


class Item:
    """A test with one marker."""

    def __init__(self, marker):
        self.marker = marker

    def get_closest_marker(self, name):
        return name if name == self.marker else None


@pytest.fixture
def bare_machine(monkeypatch):
    monkeypatch.setitem(conftest.TROUBLE, "browser", lambda: "chromium is missing. Install it.")
    monkeypatch.setitem(conftest.TROUBLE, "container", lambda: "bubblewrap is missing.")
    for name in ("CI", "COURSE_REQUIRE_ALL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("marker", ["browser", "container"])
def test_a_missing_tool_skips_its_tests_and_says_why(bare_machine, marker):
    with pytest.raises(pytest.skip.Exception, match="missing"):
        conftest.pytest_runtest_setup(Item(marker))


@pytest.mark.parametrize("marker", ["browser", "container"])
@pytest.mark.parametrize("variable", ["CI", "COURSE_REQUIRE_ALL"])
def test_where_everything_is_required_a_missing_tool_fails(
    bare_machine, monkeypatch, marker, variable
):
    monkeypatch.setenv(variable, "true")
    with pytest.raises(pytest.fail.Exception, match="missing"):
        conftest.pytest_runtest_setup(Item(marker))


def test_a_missing_hub_skips_its_tests_everywhere(bare_machine, monkeypatch):
    monkeypatch.setitem(conftest.TROUBLE, "hub", lambda: "the proxy is missing.")
    monkeypatch.setenv("COURSE_REQUIRE_ALL", "1")
    with pytest.raises(pytest.skip.Exception, match="missing"):
        conftest.pytest_runtest_setup(Item("hub"))


def test_tests_without_a_marker_need_no_tool(bare_machine):
    assert conftest.pytest_runtest_setup(Item(None)) is None


@pytest.mark.parametrize(
    ("value", "meant"), [("", False), ("0", False), ("false", False), ("1", True)]
)
def test_what_counts_as_required(bare_machine, monkeypatch, value, meant):
    monkeypatch.setenv("COURSE_REQUIRE_ALL", value)
    assert system.required() is meant


def test_chromium_may_be_named_by_hand(monkeypatch):
    monkeypatch.setenv("COURSE_CHROMIUM", sys.executable)
    assert system.find_chromium() == sys.executable


def test_missing_programs_are_none_or_a_sentence(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("COURSE_CHROMIUM", raising=False)
    monkeypatch.setattr(system, "CHROMIUMS", ("chromium",))
    assert system.find_chromium() is None
    assert "apt install bubblewrap" in system.bubblewrap_trouble.__wrapped__()
    monkeypatch.setattr(system.shutil, "which", lambda name: name)
    monkeypatch.setattr(system, "find_library", lambda name: None)
    assert "apt install libseccomp2" in system.bubblewrap_trouble.__wrapped__()
