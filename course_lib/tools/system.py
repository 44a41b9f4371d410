"""Where things are on this machine: the course, its notebooks, the workbook, other programs."""

import os
import shutil
import subprocess
import sys
from ctypes.util import find_library
from functools import cache, partial
from pathlib import Path

from course_lib.learner.conditions import MAY_MAKE_CONTAINERS, Condition, package
from course_lib.learner.ways import ROOT, is_clone, is_windows

SHIPPED = ROOT / "course_lib" / "shipped"  # in a package: what setup.py puts there
MATERIAL = ROOT if is_clone() else SHIPPED  # notebooks/, exercises/, requirements.lock
WORKBOOK = ROOT / "workbook" if is_clone() else Path.home() / "what-do-you-mean-important"

CHROMIUMS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
)
PROGRAMS = {  # where winget and brew call it otherwise
    "chromium": ("Hibbiki.Chromium", "--cask chromium"),
    "git": ("Git.Git", "git"),
}
INSTALL = {
    "apt-get": "apt-get install",
    "dnf": "dnf install",
    "pacman": "pacman -S",
    "zypper": "zypper install",
    "apk": "apk add",
}


def need(*packages: str) -> None:
    """Raise ModuleNotFoundError for the first package that is missing, before the work begins.

    A missing package that only a child process notices would end in its traceback.
    """
    for name in packages:
        if package(name).fix:
            raise ModuleNotFoundError(f"No package {name!r}", name=name)


def find_chromium() -> str | None:
    """The program that browser tests drive; COURSE_CHROMIUM overrides the search."""
    for name in (os.environ.get("COURSE_CHROMIUM"), *CHROMIUMS):
        if name and (found := shutil.which(name)):
            return found
    return None


def how_to_install(program: str) -> str:
    """The line that installs a program, in the words of this system."""
    by_winget, by_brew = PROGRAMS.get(program, (program, program))
    if is_windows():
        return f"winget install {by_winget}"
    if sys.platform == "darwin":
        return f"brew install {by_brew}"
    known = [line for manager, line in INSTALL.items() if shutil.which(manager)]
    return f"sudo {known[0]} {program}" if known else f"install the package {program}"


@cache
def bubblewrap() -> Condition:
    """The box in which students' code is graded, tried out."""
    missing = partial(Condition, "bubblewrap", optional=True)
    if sys.platform != "linux":
        return missing("exists for Linux only", "grade on a Linux machine (on Windows: in WSL 2)")
    program = shutil.which("bwrap")
    if program is None:
        return missing("is not installed; for grading", how_to_install("bubblewrap"))
    if find_library("seccomp") is None:
        return missing("needs libseccomp; for grading", "sudo apt install libseccomp2")
    trial = [program, "--ro-bind", "/", "/", "--proc", "/proc", "--unshare-all", "true"]
    done = subprocess.run(trial, capture_output=True, text=True, encoding="utf-8", timeout=20)
    if done.returncode == 0:
        return Condition("bubblewrap", program)
    found = f"may not make containers ({done.stderr.strip()}); for grading"
    return missing(found, MAY_MAKE_CONTAINERS)
