"""Windows, as far as it can be seen from elsewhere: no module of POSIX, no words of its shells."""

import ast
import re
import subprocess
import sys

from course_lib.tools.system import ROOT

# Runs in a process of its own. What others import is there before the pretence begins; from then
# on our own code finds neither the modules nor the functions that Windows lacks.
PRETEND = """
import argparse, importlib.abc, os, signal, sys
from pathlib import Path

import IPython, ipykernel, ipywidgets, jinja2, joblib, matplotlib.pyplot, nbformat, numpy
import pandas, sklearn.ensemble, traitlets, zmq

MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "termios", "tty", "syslog", "posix"}
OS = "O_NOFOLLOW O_NONBLOCK chown fork forkpty geteuid getgid getpgid getuid killpg mkfifo nice "
OS += "sched_getaffinity setpgid setsid setuid statvfs sysconf uname wait"
SIGNAL = "SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGUSR1 alarm pthread_sigmask setitimer"


class NotOnWindows(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, NotOnWindows())
for name in MODULES:
    sys.modules.pop(name, None)
for module, names in ((os, OS), (signal, SIGNAL)):
    for name in names.split():
        vars(module).pop(name, None)

from course_lib.learner import ways

ways.is_windows = lambda: True
out = Path(sys.argv[1])
"""

POSIX_WORDS = re.compile(r"\./course|\.venv/bin|\bsudo\b|\bapt\b|\bchmod\b|\bexport \w|\bcp -r\b")


def on_windows(code: str, folder) -> str:
    """What `code` prints where it finds what Windows has."""
    command = [sys.executable, "-c", PRETEND + code, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_the_pretence_is_noticed_by_what_needs_linux(tmp_path):
    words = on_windows(
        "try:\n    import course_lib.grading.limited\nexcept ImportError as e:\n    print(e.name)",
        tmp_path,
    )
    assert words.strip() == "resource"


def test_the_doctor_speaks_the_language_of_windows(tmp_path):
    words = on_windows(
        "from course_lib.tools import doctor\n"
        "from course_lib.learner.conditions import Condition\n"
        "doctor.package = lambda name: Condition(name, 'missing', 'look')\n"
        "doctor.shutil.which = lambda name: None\n"
        "doctor.find_chromium = lambda: None\n"
        "doctor.run(argparse.Namespace())",
        tmp_path,
    )
    assert "py course lab" in words and "winget install Git.Git" in words
    assert POSIX_WORDS.findall(words.replace("WSL", "")) == []


def test_lab_recall_and_grade_work_or_say_what_they_need(tmp_path):
    """The lab ends in a child, which inherits the terminal; here it is only noted."""
    words = on_windows(
        "from course_lib.tools import lab, recall, grade\n"
        "lab.WORKBOOK = out / 'workbook'\n"
        "lab._become = lambda command, *_: print(*command[1:]) or 0\n"
        "quiet = argparse.Namespace(no_browser=True, port=8888, ip='127.0.0.1')\n"
        "assert lab.run(quiet) == 0\n"
        "def full(*_):\n"
        "    raise PermissionError(13, 'Permission denied', 'x')\n"
        "lab.hand_out = full\n"
        "assert lab.run(quiet) == 1\n"
        "recall.WORKBOOK = out / 'workbook'\n"
        "assert recall.run(argparse.Namespace(questions=3)) == 0\n"
        "grade.add_arguments(argparse.ArgumentParser())\n"
        "assert grade.run(argparse.Namespace()) == grade.REFUSED",
        tmp_path,
    )
    assert "--allow-root" not in words and "icacls" in words and "py course lab" in words
    assert "Grading needs Linux: on Windows, run ./course grade in WSL 2." in words
    assert POSIX_WORDS.findall(words.replace("run ./course grade in WSL 2", "")) == []


def test_slides_and_the_pages_of_the_site_are_written(tmp_path):
    on_windows(
        "from course_lib.tools import site, slides\n"
        "from course_lib.tools.site.alive import write_static\n"
        "from course_lib.tools.site.pages import write_pages\n"
        "assert slides.run(argparse.Namespace(numbers=['01'], out=out)) == 0\n"
        "write_pages(site.ROOT, out / 'source')\n"
        "write_static(out / 'source' / 'static')\n",
        tmp_path,
    )
    assert (tmp_path / "01_mdi.html").exists() and (tmp_path / "source" / "index.md").exists()


# ---- ./course itself ----------------------------------------------------------------------


def test_the_script_says_what_can_be_typed_on_windows(tmp_path):
    """It is only loaded there; all it does while being loaded is to join paths."""
    code = (
        "import os, runpy, shutil, subprocess; os.name = 'nt'; script = runpy.run_path('course');"
        "print(script['CALL'], script['PYTHON']); os.name = 'posix';"
        "print(script['cannot_write'](), script['failure'](), script['how_to_install_python']())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, encoding="utf-8"
    )
    words = done.stdout
    assert words.startswith("py course ") and "python.exe" in words, done.stderr
    assert "robocopy" in words and "$env:HTTPS_PROXY" in words and "winget" in words
    assert POSIX_WORDS.findall(words) == []


# ---- encodings ------------------------------------------------------------------------------

SOURCES = [ROOT / "course", ROOT / "setup.py", *sorted((ROOT / "course_lib").rglob("*.py"))]
PLACE = {"read_text": 0, "write_text": 1}  # of the encoding, if it is not given by name
NO_FILES = {"Image", "os", "tarfile", "webbrowser", "zipfile"}  # they open other things


def unencoded(source: str) -> list[int]:
    """Lines that read or write text, or talk with a program, in the machine's own encoding."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return [call.lineno for call in calls if is_text(call) and not is_encoded(call)]


def is_text(call: ast.Call) -> bool:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if name_of(call) in PLACE or getattr(given.get("text"), "value", False) is True:
        return True
    owner = getattr(getattr(call.func, "value", None), "id", "")
    if name_of(call) not in ("open", "fdopen") or owner in NO_FILES:
        return False
    place = int(isinstance(call.func, ast.Name))  # open(path, mode), path.open(mode)
    mode = given.get("mode", call.args[place] if len(call.args) > place else ast.Constant("r"))
    return "b" not in str(getattr(mode, "value", "b"))


def is_encoded(call: ast.Call) -> bool:
    named = "encoding" in {keyword.arg for keyword in call.keywords}
    return named or len(call.args) > PLACE.get(name_of(call), len(call.args))


def name_of(call: ast.Call) -> str:
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def test_text_is_read_and_written_in_a_named_encoding():
    """Without one it is what the machine prefers, and on Windows that is not UTF-8."""
    found = {path.name: unencoded(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_text_without_an_encoding_is_noticed():
    fine = "open(p, 'rb'); p.open('wb'); p.read_text('utf-8'); p.write_text(t, encoding='utf-8')"
    assert unencoded(fine) == []
    for bad in ("open(p)", "open(p, 'w')", "p.open()", "p.read_text()", "p.write_text(t)"):
        assert unencoded(bad) == [1]
    assert unencoded("subprocess.run(c, text=True)") == [1]
