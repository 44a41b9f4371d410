"""What the course needs of a machine; the standard library is enough to look."""

import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from course_lib.learner.ways import call

OLDEST, NEWEST = (3, 11), (3, 14)  # what the pinned packages support
FIX = f"run {call('doctor')} in a terminal; it names the line that mends it"
MAY_MAKE_CONTAINERS = "On Ubuntu: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"


@dataclass(frozen=True)
class Condition:
    """One thing that the course needs, and what was found of it; `fix` is empty if that is well."""

    name: str
    found: str
    fix: str = ""
    optional: bool = False  # its lack keeps nobody from work

    def __str__(self) -> str:
        return f"{self.name}: {self.found}"


def python(fix: str = FIX) -> Condition:
    """The version of Python, against those that the pinned packages support."""
    found = ".".join(map(str, sys.version_info[:3]))
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return Condition("Python", found)
    oldest, newest = (".".join(map(str, bound)) for bound in (OLDEST, NEWEST))
    return Condition("Python", f"{found}, and the course needs {oldest} to {newest}", fix)


def package(name: str) -> Condition:
    """The installed version of a package."""
    try:
        return Condition(name, version(name))
    except PackageNotFoundError:
        return Condition(name, "missing", FIX)
