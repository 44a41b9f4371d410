"""`./course doctor`: what is installed, what is missing, and the line that fixes it."""

import argparse
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from course_lib.learner.conditions import Condition, package, python
from course_lib.learner.ways import (
    call,
    conda,
    install,
    install_as_in,
    is_clone,
    is_windows,
    makes_its_own,
)
from course_lib.tools.cli import INSTALLS, commands
from course_lib.tools.system import MATERIAL, bubblewrap, find_chromium, how_to_install
from course_lib.tools.workbook import originals

COURSE = "what-do-you-mean-important"  # as pip calls it


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `./course doctor`."""
    if _has_workshop():
        parser.add_argument(
            "--install",
            choices=INSTALLS,
            metavar="WHOM",
            help=f"first install what is needed beyond the lessons: {', '.join(INSTALLS)}",
        )


def run(args: argparse.Namespace) -> int:
    """Print one line for each thing; 0 if a learner can work, 1 if not.

    What `--install` asks for, `./course` has installed by now; elsewhere the owner installs.
    """
    findings = list(examine())
    for finding in findings:
        print(_line(finding))
    unwell = [finding.name for finding in findings if finding.fix and not finding.optional]
    print(f"\nTo be fixed: {', '.join(unwell)}." if unwell else f"\nYou can work: {call('lab')}")
    lacking = _lacking(args.install) if getattr(args, "install", None) else []
    return 1 if unwell or lacking else 0


def _lacking(whom: str) -> list[str]:
    """The packages that somebody still lacks, said with the line that installs them."""
    extras, works = INSTALLS[whom]
    named = [name for extra in extras.split(",") for name in requirements(extra)]
    lacking = sorted({name for name in named if package(name).fix})
    if lacking:
        line = install(lacking, extras, f"doctor --install {whom}")
        print(f"Still missing: {', '.join(lacking)}. To fix: {line}")
    else:
        print(f"Installed, and needs no network any more: {works}.")
    return lacking


def _has_workshop() -> bool:
    return is_clone() and "test" in commands()


def _line(finding: Condition) -> str:
    state = "OK" if not finding.fix else "optional" if finding.optional else "MISSING"
    line = f"{state:8}  {finding.name:25}  {finding.found}"
    return f"{line}\n{'':37}to fix: {finding.fix}" if finding.fix else line


def examine() -> Iterator[Condition]:
    """Look at all that a learner needs, and beyond that a lecturer or a contributor.

    What these need would be of no use to a package or to the student edition.
    """
    yield python(other_python())
    yield group("", "for the lessons", optional=False)
    yield pinned_versions()
    yield kernel()
    yield lessons()
    if _has_workshop():
        yield from examine_workshop()


def examine_workshop() -> Iterator[Condition]:
    """Look at what only a lecturer or a contributor needs."""
    yield group("instructor", "for lecturers", "doctor --install lecturer")
    yield group("site", "for the site", "doctor --install lecturer")
    yield group("tests", "for build, test", "doctor --install lecturer")
    yield group("hub", "for a hub", "doctor --install hub")
    yield group("bench", "for comparisons", "doctor --install bench")
    yield program("git", "for updates of the course")
    yield chromium()
    yield bubblewrap()


def other_python() -> str:
    """How the course is given a Python that it supports."""
    if prefix := conda():
        return f'conda install --prefix "{prefix}" python=3.13'
    if not makes_its_own():
        return "install the course into an environment of Python 3.13"
    line = install([], "", "lab")
    return f"py -3.13 {line.removeprefix('py ')}" if is_windows() else f"python3.13 {line}"


def group(extra: str, purpose: str, command: str = "lab", optional: bool = True) -> Condition:
    """Whether the packages of one group are there; "" is what all need."""
    name = f"packages {purpose}"
    try:
        names = list(requirements(extra))
    except PackageNotFoundError:
        fix = install([COURSE], extra, command)
        return Condition(name, "the course is not installed", fix, optional)
    missing = [each for each in names if package(each).fix]
    if not missing:
        return Condition(name, f"{len(names)} of {len(names)}", optional=optional)
    fix = install(missing, extra, command)
    return Condition(name, f"missing: {', '.join(missing)}", fix, optional)


def requirements(extra: str) -> Iterator[str]:
    """The packages that the course declares for one group, or for everybody."""
    for line in requires(COURSE) or ():
        group = re.search(r"extra == ['\"]([\w-]+)", line)
        if extra == (group[1] if group else ""):
            yield re.match(r"[\w.-]+", line)[0]


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
        fix = install(["packaging"], "", "lab")
        return Condition("pinned versions", "cannot be compared", fix, optional=True)
    lock = MATERIAL / "requirements.lock"
    wanted = pins(lock)
    wanted.pop("setuptools", None)  # older Pythons bring their own
    there = {one.name: one.found for one in map(package, wanted) if not one.fix}
    others = [name for name in there if there[name] != wanted[name]]
    if not others:
        return Condition("pinned versions", f"{len(there)} packages as in requirements.lock")
    found = "; ".join(f"{name} {there[name]}, not {wanted[name]}" for name in others)
    fix = install_as_in(lock, others)
    return Condition("pinned versions", found, fix, optional=True)


def kernel() -> Condition:
    """Whether notebooks run in this environment."""
    spec = Path(sys.prefix, "share", "jupyter", "kernels", "python3", "kernel.json")
    mended = "python -m ipykernel install --sys-prefix"
    fix = install([], "", "lab") if makes_its_own() else mended
    return Condition("Jupyter kernel", str(spec.parent), "" if spec.exists() else fix)


def lessons() -> Condition:
    """Whether there is something to learn from."""
    count = len(originals(MATERIAL))
    fix = "" if count else call("build")
    return Condition("lessons and exercises", f"{count} notebooks", fix)


def program(name: str, purpose: str) -> Condition:
    """Whether a program is on the path."""
    found = shutil.which(name)
    fix = "" if found else how_to_install(name)
    return Condition(name, found or f"not found; {purpose}", fix, optional=True)


def chromium() -> Condition:
    """The browser that tests drive."""
    found = find_chromium()
    fix = "" if found else how_to_install("chromium")
    return Condition("chromium", found or "not found; for browser tests", fix, optional=True)
