"""Two commands on a fresh machine: what is installed, what can go wrong, what JupyterLab gets."""

import ast
import errno
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import tomllib
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from packaging.specifiers import SpecifierSet

from course_lib import lessons
from course_lib.learner import conditions
from course_lib.tools import cli, doctor, system
from course_lib.tools.system import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))


# ---- what is said in several places ------------------------------------------------------


def test_the_supported_pythons_are_the_same_wherever_they_are_named(course):
    oldest, newest = course.OLDEST, course.NEWEST
    supported = SpecifierSet(PROJECT["requires-python"])
    assert supported == SpecifierSet(f">={oldest[0]}.{oldest[1]},<{newest[0]}.{newest[1] + 1}")
    assert (conditions.OLDEST, conditions.NEWEST) == (oldest, newest)
    assert f"Python {oldest[0]}.{oldest[1]} to {newest[0]}.{newest[1]}" in readme()
    python = next(item for item in CONDA["dependencies"] if str(item).startswith("python="))
    assert supported.contains(python.removeprefix("python="))


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
        place = f"notebooks/{lesson.name}.ipynb"
        minutes = (str(lesson.minutes.learner), str(lesson.minutes.exercise))
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
            assert "--clear" in words
            shutil.rmtree(module.VENV, ignore_errors=True)
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


@pytest.mark.parametrize("arguments", [["--install", "lecturer"], ["--install=lecturer"]])
def test_a_lecturer_can_install_beforehand_what_the_commands_need(course, arguments):
    assert course.main(["doctor", *arguments]) == 0
    assert installations(course)[-1][-1] == ".[instructor,site,tests]"
    course.calls.clear()
    for command in ("slides", "site", "build", "new", "release", "grade", "nbgrader"):
        course.main([command])
    assert installations(course) == []


@pytest.mark.parametrize("whom", [["--install"], ["--install", "teacher"]])
def test_whom_to_install_for_is_asked_before_anything_is_made(course, capsys, whom):
    assert "doctor --install lecturer" in sentence(course, capsys, ["doctor", *whom])
    assert course.calls == []


def test_script_and_library_install_the_same_for_the_same_people(course):
    by_library = {whom: extras.split(",") for whom, (extras, _) in cli.INSTALLS.items()}
    assert by_library == course.INSTALLS
    assert "./course doctor --install lecturer" in course.__doc__


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


@pytest.mark.parametrize("step", ["-m venv", "uv==", "-e"])
def test_after_an_installation_that_was_killed_the_environment_is_made_anew(
    course, monkeypatch, step
):
    """Half of numpy was taken for numpy for ever after, or the next start found no pip."""
    whole = course.subprocess.call

    def killed(command, **options):
        if step == "-m venv" or step not in " ".join(command):
            whole(command, **options)
        if step in " ".join(command):
            raise SystemError("killed")

    monkeypatch.setattr(course.subprocess, "call", killed)
    with pytest.raises(SystemError):
        course.main(["lab"])
    half = Path(course.VENV, "half of a package")
    half.touch()
    monkeypatch.setattr(course.subprocess, "call", whole)
    for command in ("lab", "test"):
        assert course.main([command]) == 0 and not half.exists()
    assert sum("venv" in call for call in course.calls) == 2


def test_an_update_that_fails_leaves_the_environment_to_the_next(course, monkeypatch):
    """Without a network, in a lecture room, somebody may still go on with what is there."""
    course.main(["lab"])
    kept = Path(course.VENV, "a package")
    kept.touch()
    whole = course.subprocess.call
    monkeypatch.setattr(course.subprocess, "call", pretend(course, failing=["-e"]))
    assert course.main(["test"]) == 1
    monkeypatch.setattr(course.subprocess, "call", whole)
    assert course.main(["test"]) == 0 and kept.exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no groups of processes to end")
def test_who_goes_on_installing_without_the_start_that_was_killed_keeps_the_lock(course):
    code = "import course_script as c, sys; c.take_turn(); "
    code += "c.call([sys.executable, '-c', 'import time; print(1, flush=True); time.sleep(60)'])"
    folder = Path(course.ROOT)
    (folder / "course_script.py").write_bytes((folder / "course").read_bytes())
    group = {"start_new_session": True, "stdout": subprocess.PIPE}
    killed = subprocess.Popen([sys.executable, "-c", code], cwd=folder, **group)
    killed.stdout.readline()
    killed.kill()
    killed.wait()
    waiting = os.open(course.LOCK, os.O_RDWR)
    assert not course.is_free(waiting)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.stdout.read()
    assert course.is_free(waiting)
    os.close(waiting)


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


def test_two_starts_at_once_install_once(course, monkeypatch, capsys):
    """The second found a half-made environment without pip, and blamed the network."""
    whole, begun, codes = course.subprocess.call, threading.Event(), []

    def slowly(command, **options):
        code = whole(command, **options)
        begun.set()
        real_sleep(0.2)
        return code

    real_sleep = time.sleep
    monkeypatch.setattr(course.subprocess, "call", slowly)
    first = threading.Thread(target=lambda: codes.append(course.main(["lab"])))
    first.start()
    begun.wait()
    codes.append(course.main(["lab"]))
    first.join()
    assert codes == [0, 0] and len(installations(course)) == 1
    assert capsys.readouterr().err.count("Another ./course is installing") == 1


def locked(course) -> int:
    """The lock as another `./course` holds it while it installs: an open file."""
    held = os.open(course.LOCK, os.O_CREAT | os.O_RDWR)
    assert course.is_free(held)
    return held


def test_who_waits_installs_what_the_other_did_not(course, monkeypatch):
    held = locked(course)
    monkeypatch.setattr(course.time, "sleep", lambda seconds: os.close(held))
    assert course.main(["test"]) == 0
    assert installations(course)[-1][-1] == ".[hub,instructor,tests]"


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(errno.EIO, "x"), ValueError])
def test_the_lock_goes_whatever_happens(course, monkeypatch, error):
    def fail(*args):
        second = os.open(course.LOCK, os.O_RDWR)
        assert not course.is_free(second)
        os.close(second)
        raise error

    monkeypatch.setattr(course, "install", fail)
    with suppress(ValueError):
        assert course.main(["lab"]) != 0
    os.close(locked(course))


def test_the_lock_of_a_killed_start_is_free_for_one_of_those_that_wait(course, capsys):
    """Of two that found the same leftover, the second removed the lock that the first had made."""
    code = "from course_script import *; take_turn(); print(1, flush=True); time.sleep(60)"
    folder = Path(course.ROOT)
    (folder / "course_script.py").write_bytes((folder / "course").read_bytes())
    killed = subprocess.Popen([sys.executable, "-c", code], cwd=folder, stdout=subprocess.PIPE)
    killed.stdout.readline()
    first, second = (os.open(course.LOCK, os.O_RDWR) for _ in range(2))
    assert not course.is_free(first)
    killed.kill()
    killed.communicate()
    assert [course.is_free(first), course.is_free(second)] == [True, False]
    os.close(first)
    assert course.is_free(second)
    os.close(second)
    assert course.main(["lab"]) == 0 and "Another" not in capsys.readouterr().err


def test_on_windows_the_lock_is_its_own(course, monkeypatch):
    tried = []

    def locking(file, mode, length):
        tried.append((mode, length))
        if len(tried) < 4:
            raise PermissionError(errno.EACCES, "held by another")

    monkeypatch.setattr(course, "WINDOWS", True)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    monkeypatch.setitem(sys.modules, "fcntl", None)
    waited = []
    monkeypatch.setattr(course.time, "sleep", waited.append)
    assert course.main(["lab"]) == 0
    assert tried == [(2, 1)] * 4 and len(waited) == 3 and len(installations(course)) == 1


def test_a_drive_that_knows_no_locks_is_installed_on_without_waiting(course, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def refuse(file, mode):
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    monkeypatch.setattr(course.time, "sleep", None)
    assert course.main(["lab"]) == 0 and len(installations(course)) == 1


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
    assert "cannot be written" in said
    assert f'cp -r "{course.ROOT}" ~/course' in said  # the name of a folder may have blanks


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


def test_help_of_a_command_whose_packages_are_missing_installs_none(course):
    """`./course site --help` installed 24 packages before it said what it can do."""
    course.main(["lab"])
    before = len(installations(course))
    assert course.main(["site", "--help"]) == 0 and course.main(["bench", "-h"]) == 0
    assert len(installations(course)) == before
    assert course.calls[-1][-2:] == ["bench", "-h"]


def test_the_script_and_the_library_know_the_same_commands(course):
    assert course.GROUPS.keys() == cli.COMMANDS.keys()
    assert all(f"./course {command}" in course.__doc__ for command in cli.COMMANDS)
    by_command = {group for groups in course.GROUPS.values() for group in groups}
    assert by_command == set(PROJECT["optional-dependencies"])


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


@pytest.mark.parametrize(
    ("prefix", "line"),
    [
        (sys.prefix, f"conda run --prefix {sys.prefix} python -m pip install -c"),
        ("", "To install all that it needs: ./course slides"),
    ],
)
def test_a_missing_package_is_a_sentence_with_the_line_that_installs_it(
    prefix, line, monkeypatch, capsys
):
    """In conda somebody else installs, and `slides` was a traceback there."""
    monkeypatch.setenv("CONDA_PREFIX", prefix)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    for name in [name for name in sys.modules if name.startswith("course_lib.tools.slides")]:
        monkeypatch.delitem(sys.modules, name)
    assert cli.main(["slides", "01"]) == 1
    said = capsys.readouterr().err
    assert "`slides` needs the package jinja2" in said and line in said


@pytest.mark.parametrize(
    ("arguments", "gone"),
    [
        (["grade", "submissions", "--out", "results"], "pyseccomp"),
        (["grade", "submissions", "--out", "results", "--gradebook", "sqlite://"], "nbgrader"),
        (["test", "--quick"], "ruff"),
        (["build", "01"], "jupytext"),
        (["build", "--check"], "nbgrader"),
        (["test", "tests/test_tables.py"], "pytest"),
    ],
)
def test_what_only_a_child_process_would_miss_is_missed_before_it_begins(
    arguments, gone, monkeypatch, capsys
):
    """In conda, where nothing is installed on the way, this was a traceback or 4 failures."""
    there, missing = system.package, conditions.Condition(gone, "missing", "look")
    monkeypatch.setattr(system, "package", lambda name: missing if name == gone else there(name))
    monkeypatch.setattr(subprocess, "Popen", None)  # nothing begins
    monkeypatch.setenv("CONDA_PREFIX", sys.prefix)
    assert cli.main(arguments) == 1
    said, line = capsys.readouterr(), f"conda run --prefix {sys.prefix} python -m pip install -c"
    assert said.out == "" and len(said.err.splitlines()) == 1
    assert f"`{arguments[0]}` needs the package {gone}" in said.err and line in said.err


def test_a_mistake_of_our_own_is_not_taken_for_a_missing_package(monkeypatch):
    def gone(name):
        raise ModuleNotFoundError("No module named 'course_lib.gone'", name="course_lib.gone")

    monkeypatch.setattr(cli, "import_module", gone)
    with pytest.raises(ModuleNotFoundError):
        cli.main(["doctor"])


def test_an_interrupted_command_ends_without_a_traceback(monkeypatch, capsys):
    def interrupted(args):
        raise KeyboardInterrupt

    monkeypatch.setattr(doctor, "run", interrupted)
    assert cli.main(["doctor"]) == 130
    assert "Interrupted" in capsys.readouterr().err
