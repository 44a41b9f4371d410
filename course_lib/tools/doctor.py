"""`./course doctor`: what is installed, what is missing, and the line that fixes it."""

import argparse
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from course_lib.tools.system import ROOT, bubblewrap_trouble, find_chromium
from course_lib.tools.workbook import originals

OLDEST, NEWEST = (3, 11), (3, 14)
AGAIN = "./course lab   (after deleting the folder .venv)"


@dataclass(frozen=True)
class Finding:
    """One thing looked at; `fix` is empty if all is well. The optional keeps nobody from work."""

    name: str
    found: str
    fix: str = ""
    optional: bool = False

    def __str__(self) -> str:
        state = "OK" if not self.fix else "optional" if self.optional else "MISSING"
        line = f"{state:8}  {self.name:25}  {self.found}"
        return f"{line}\n{'':37}to fix: {self.fix}" if self.fix else line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `./course doctor`: none."""


def run(args: argparse.Namespace) -> int:
    """Print one line for each thing; 0 if a learner can work, 1 if not."""
    findings = list(examine())
    for finding in findings:
        print(finding)
    unwell = [finding.name for finding in findings if finding.fix and not finding.optional]
    print(f"\nTo be fixed: {', '.join(unwell)}." if unwell else "\nYou can work: ./course lab")
    return 1 if unwell else 0


def examine() -> Iterator[Finding]:
    """Look at all that a learner, a lecturer or a contributor needs, in this order."""
    yield python()
    yield group("", "for the lessons", AGAIN, optional=False)
    yield pinned_versions()
    yield kernel()
    yield lessons()
    yield group("instructor", "for lecturers", "./course build")
    yield group("tests", "for contributors", "./course test --quick")
    yield group("site", "for the site", "./course site")
    yield group("bench", "for comparisons", "./course bench measures")
    yield group("hub", "for a hub", "./course bench hub")
    yield program("git", "for updates of the course", "sudo apt install git")
    yield chromium()
    yield bubblewrap()


def python() -> Finding:
    """The version of Python, against those that the pinned packages support."""
    found = ".".join(map(str, sys.version_info[:3]))
    fits = OLDEST <= sys.version_info[:2] <= NEWEST
    return Finding("Python 3.11 to 3.14", found, "" if fits else f"python3.13 {AGAIN}")


def group(extra: str, purpose: str, fix: str, optional: bool = True) -> Finding:
    """Whether the packages of one group of pyproject.toml are there; "" is what all need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = project["optional-dependencies"][extra] if extra else project["dependencies"]
    names = [re.match(r"[\w.-]+", line)[0] for line in lines]
    missing = [name for name in names if installed_version(name) is None]
    found = f"missing: {', '.join(missing)}" if missing else f"{len(names)} of {len(names)}"
    return Finding(f"packages {purpose}", found, fix if missing else "", optional)


def installed_version(name: str) -> str | None:
    """The installed version of a package, None if there is none."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def pins(lock: Path) -> dict[str, str]:
    """Package -> the version that the lock names for this Python and this machine."""
    from packaging.requirements import Requirement

    lines = map(Requirement, lock.read_text(encoding="utf-8").splitlines())
    return {
        line.name: str(line.specifier).removeprefix("==")
        for line in lines
        if line.marker is None or line.marker.evaluate()
    }


def pinned_versions() -> Finding:
    """Whether what is installed has the versions of the lock."""
    if installed_version("packaging") is None:
        return Finding("pinned versions", "cannot be compared", AGAIN, optional=True)
    wanted = pins(ROOT / "requirements.lock")
    wanted.pop("setuptools", None)  # older Pythons bring their own
    there = {name: found for name in wanted if (found := installed_version(name)) is not None}
    others = [
        f"{name} {there[name]}, not {wanted[name]}" for name in there if there[name] != wanted[name]
    ]
    found = "; ".join(others) or f"{len(there)} packages as in requirements.lock"
    return Finding("pinned versions", found, AGAIN if others else "", optional=True)


def kernel() -> Finding:
    """Whether notebooks run in this environment."""
    spec = Path(sys.prefix, "share", "jupyter", "kernels", "python3", "kernel.json")
    return Finding("Jupyter kernel", str(spec.parent), "" if spec.exists() else AGAIN)


def lessons() -> Finding:
    """Whether there is something to learn from."""
    count = len(originals(ROOT))
    return Finding("lessons and exercises", f"{count} notebooks", "" if count else "./course build")


def program(name: str, purpose: str, fix: str) -> Finding:
    """Whether a program is on the path."""
    found = shutil.which(name)
    return Finding(name, found or f"not found; {purpose}", "" if found else fix, optional=True)


def chromium() -> Finding:
    """The browser that tests drive."""
    found = find_chromium()
    fix = "" if found else "sudo apt install chromium"
    return Finding("chromium", found or "not found; for browser tests", fix, optional=True)


def bubblewrap() -> Finding:
    """The box in which students' code is graded."""
    trouble = bubblewrap_trouble()
    if trouble is None:
        return Finding("bubblewrap", shutil.which("bwrap"))
    sentence, _, fix = trouble.rpartition(": ")
    return Finding("bubblewrap", f"{sentence}; for grading", fix, optional=True)
