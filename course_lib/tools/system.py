"""Where things are on this machine: the repository, chromium, bubblewrap."""

import os
import shutil
import subprocess
import sys
from ctypes.util import find_library
from functools import cache, partial
from pathlib import Path

from course_lib.learner.conditions import MAY_MAKE_CONTAINERS, Condition

ROOT = Path(__file__).resolve().parents[2]

CHROMIUMS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
)
INSTALL = {
    "apt-get": "apt-get install",
    "dnf": "dnf install",
    "pacman": "pacman -S",
    "zypper": "zypper install",
    "apk": "apk add",
}


def find_chromium() -> str | None:
    """The program that browser tests drive; COURSE_CHROMIUM overrides the search."""
    for name in (os.environ.get("COURSE_CHROMIUM"), *CHROMIUMS):
        if name and (found := shutil.which(name)):
            return found
    return None


@cache
def bubblewrap() -> Condition:
    """The box in which students' code is graded, tried out."""
    missing = partial(Condition, "bubblewrap", optional=True)
    if sys.platform != "linux":
        return missing("exists for Linux only", "grade on a Linux machine (on Windows: in WSL 2)")
    program = shutil.which("bwrap")
    if program is None:
        known = [line for manager, line in INSTALL.items() if shutil.which(manager)]
        line = f"sudo {known[0]} bubblewrap" if known else "install the package bubblewrap"
        return missing("is not installed; for grading", line)
    if find_library("seccomp") is None:
        return missing("needs libseccomp; for grading", "sudo apt install libseccomp2")
    trial = [program, "--ro-bind", "/", "/", "--proc", "/proc", "--unshare-all", "true"]
    done = subprocess.run(trial, capture_output=True, text=True, timeout=20)
    if done.returncode == 0:
        return Condition("bubblewrap", program)
    found = f"may not make containers ({done.stderr.strip()}); for grading"
    return missing(found, MAY_MAKE_CONTAINERS)
