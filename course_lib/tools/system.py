"""Where things are on this machine: the repository, chromium, bubblewrap."""

import os
import shutil
import subprocess
from ctypes.util import find_library
from functools import cache
from pathlib import Path

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


def requires_all() -> bool:
    """Whether a missing chromium or bubblewrap is a failure instead of a skipped test."""
    wanted = (os.environ.get(name, "") for name in ("CI", "COURSE_REQUIRE_ALL"))
    return any(value.lower() not in ("", "0", "false") for value in wanted)


def find_chromium() -> str | None:
    """The program that browser tests drive; COURSE_CHROMIUM overrides the search."""
    for name in (os.environ.get("COURSE_CHROMIUM"), *CHROMIUMS):
        if name and (found := shutil.which(name)):
            return found
    return None


@cache
def bubblewrap_trouble() -> str | None:
    """Why code cannot be run in a container here, with the line that fixes it; None if it can."""
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap is missing. On Debian and Ubuntu: sudo apt install bubblewrap"
    if find_library("seccomp") is None:
        return "libseccomp is missing. On Debian and Ubuntu: sudo apt install libseccomp2"
    trial = [program, "--ro-bind", "/", "/", "--proc", "/proc", "--unshare-all", "true"]
    done = subprocess.run(trial, capture_output=True, text=True, timeout=20)
    if done.returncode == 0:
        return None
    return (
        f"bubblewrap may not make containers ({done.stderr.strip()}). On Ubuntu: "
        "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    )
