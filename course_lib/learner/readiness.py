"""Whether this notebook can run the course: Python, the packages, the workbook."""

import os
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from markupsafe import Markup

from course_lib.learner.journal import is_unattended, progress_file

OLDEST = (3, 11)
PACKAGES = ("numpy", "pandas", "scipy", "scikit-learn", "matplotlib", "ipywidgets", "shap")
FIX = "run ./course doctor in a terminal; it names the line that mends it"


@dataclass(frozen=True)
class Condition:
    """One thing that the course needs, what was found of it, and whether that is well."""

    name: str
    found: str
    well: bool

    def __str__(self) -> str:
        return f"{self.name}: {self.found}"


@dataclass(frozen=True, repr=False)
class Readiness:
    """What the course needs, line by line, and a verdict that says whether the course can begin."""

    conditions: tuple[Condition, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of what is not well."""
        return tuple(c.name for c in self.conditions if not c.well)

    def __bool__(self) -> bool:
        return not self.missing

    @property
    def verdict(self) -> str:
        """Whether the course can begin, and else what to do."""
        return "all is well" if self else f"not ready: {', '.join(self.missing)}; {FIX}"

    def __repr__(self) -> str:
        return "\n".join([*map(str, self.conditions), self.verdict])

    def _repr_html_(self) -> Markup:
        marked = [(c.well, c) for c in self.conditions] + [(bool(self), self.verdict)]
        lines = (Markup("{} {}").format("✓" if well else "↻", line) for well, line in marked)
        return Markup('<div role="status">{}</div>').format(Markup("<br>").join(lines))


def ready() -> Readiness:
    """Look at Python, the packages and the workbook; versions are shown where a learner is present.

    Examples
    --------
    >>> bool(ready())
    True
    """
    return Readiness((_python(), *map(_package, PACKAGES), _workbook()))


def _python() -> Condition:
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < OLDEST:
        needed = f"{found} is too old, the course needs {OLDEST[0]}.{OLDEST[1]}"
        return Condition("Python", needed, well=False)
    return Condition("Python", _with_version(found), well=True)


def _package(name: str) -> Condition:
    try:
        return Condition(name, _with_version(version(name)), well=True)
    except PackageNotFoundError:
        return Condition(name, "missing", well=False)


def _workbook() -> Condition:
    """Whether what you answer can be kept; while notebooks are built nothing is written."""
    well = is_unattended() or os.access(progress_file().parent, os.W_OK)
    return Condition("workbook", "ready" if well else "missing, or not writable", well)


def _with_version(found: str) -> str:
    return "ready" if is_unattended() else f"ready ({found})"
