"""`./course doctor`: what is installed, what is missing, and the line that fixes it."""

import argparse
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from course_lib.learner.conditions import Condition, package, python
from course_lib.tools.cli import commands
from course_lib.tools.system import ROOT, bubblewrap, find_chromium
from course_lib.tools.workbook import originals

AGAIN = "./course lab   (after deleting the folder .venv)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `./course doctor`: none."""


def run(args: argparse.Namespace) -> int:
    """Print one line for each thing; 0 if a learner can work, 1 if not."""
    findings = list(examine())
    for finding in findings:
        print(_line(finding))
    unwell = [finding.name for finding in findings if finding.fix and not finding.optional]
    print(f"\nTo be fixed: {', '.join(unwell)}." if unwell else "\nYou can work: ./course lab")
    return 1 if unwell else 0


def _line(finding: Condition) -> str:
    state = "OK" if not finding.fix else "optional" if finding.optional else "MISSING"
    line = f"{state:8}  {finding.name:25}  {finding.found}"
    return f"{line}\n{'':37}to fix: {finding.fix}" if finding.fix else line


def examine() -> Iterator[Condition]:
    """Look at all that a learner needs, and beyond that a lecturer or a contributor."""
    yield python(f"python3.13 {AGAIN}")
    yield group("", "for the lessons", AGAIN, optional=False)
    yield pinned_versions()
    yield kernel()
    yield lessons()
    if "test" in commands():  # not in the student edition
        yield from examine_workshop()


def examine_workshop() -> Iterator[Condition]:
    """Look at what only a lecturer or a contributor needs."""
    yield group("instructor", "for lecturers", "./course build")
    yield group("tests", "for contributors", "./course test --quick")
    yield group("site", "for the site", "./course site")
    yield group("bench", "for comparisons", "./course bench measures")
    yield group("hub", "for a hub", "./course bench hub")
    yield program("git", "for updates of the course", "sudo apt install git")
    yield chromium()
    yield bubblewrap()


def group(extra: str, purpose: str, fix: str, optional: bool = True) -> Condition:
    """Whether the packages of one group of pyproject.toml are there; "" is what all need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = project["optional-dependencies"][extra] if extra else project["dependencies"]
    names = [re.match(r"[\w.-]+", line)[0] for line in lines]
    missing = [name for name in names if package(name).fix]
    found = f"missing: {', '.join(missing)}" if missing else f"{len(names)} of {len(names)}"
    return Condition(f"packages {purpose}", found, fix if missing else "", optional)


def pins(lock: Path) -> dict[str, str]:
    """Package -> the version that the lock names for this Python and this machine."""
    from packaging.requirements import Requirement

    lines = map(Requirement, lock.read_text(encoding="utf-8").splitlines())
    return {
        line.name: str(line.specifier).removeprefix("==")
        for line in lines
        if line.marker is None or line.marker.evaluate()
    }


def pinned_versions() -> Condition:
    """Whether what is installed has the versions of the lock."""
    if package("packaging").fix:
        return Condition("pinned versions", "cannot be compared", AGAIN, optional=True)
    wanted = pins(ROOT / "requirements.lock")
    wanted.pop("setuptools", None)  # older Pythons bring their own
    there = {one.name: one.found for one in map(package, wanted) if not one.fix}
    others = [
        f"{name} {there[name]}, not {wanted[name]}" for name in there if there[name] != wanted[name]
    ]
    found = "; ".join(others) or f"{len(there)} packages as in requirements.lock"
    return Condition("pinned versions", found, AGAIN if others else "", optional=True)


def kernel() -> Condition:
    """Whether notebooks run in this environment."""
    spec = Path(sys.prefix, "share", "jupyter", "kernels", "python3", "kernel.json")
    return Condition("Jupyter kernel", str(spec.parent), "" if spec.exists() else AGAIN)


def lessons() -> Condition:
    """Whether there is something to learn from."""
    count = len(originals(ROOT))
    fix = "" if count else "./course build"
    return Condition("lessons and exercises", f"{count} notebooks", fix)


def program(name: str, purpose: str, fix: str) -> Condition:
    """Whether a program is on the path."""
    found = shutil.which(name)
    return Condition(name, found or f"not found; {purpose}", "" if found else fix, optional=True)


def chromium() -> Condition:
    """The browser that tests drive."""
    found = find_chromium()
    fix = "" if found else "sudo apt install chromium"
    return Condition("chromium", found or "not found; for browser tests", fix, optional=True)
