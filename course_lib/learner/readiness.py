"""Whether this notebook can run the course: Python, the packages, the workbook."""

import os
import sys
from html import escape
from importlib.metadata import PackageNotFoundError, version

from course_lib.learner.journal import progress_file, unattended

OLDEST = (3, 11)
PACKAGES = ("numpy", "pandas", "scipy", "scikit-learn", "matplotlib", "ipywidgets", "shap")
FIX = "run ./course doctor in a terminal; it names the line that mends it"


class Readiness:
    """One line per thing looked at, and a last one that says whether the course can begin."""

    def __init__(self, lines: dict[str, str], missing: tuple[str, ...] = ()):
        self.lines, self.missing = lines, missing

    def __bool__(self) -> bool:
        return not self.missing

    def __str__(self) -> str:
        verdict = f"not ready: {', '.join(self.missing)}; {FIX}" if self.missing else "all is well"
        return "\n".join([*(f"{name}: {found}" for name, found in self.lines.items()), verdict])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        lines = str(self).split("\n")
        marked = [f"{'✓' if line_ok(line) else '↻'} {escape(line)}" for line in lines]
        return f'<div role="status">{"<br>".join(marked)}</div>'


def line_ok(line: str) -> bool:
    """Whether a line reports something that is there."""
    return "missing" not in line and "too old" not in line and "not ready" not in line


def ready() -> Readiness:
    """Look at Python, the packages and the workbook; versions are shown where a learner is present.

    Examples
    --------
    >>> bool(ready())
    True
    """
    lines = {"Python": _python()}
    lines |= {name: _package(name) for name in PACKAGES}
    lines["workbook"] = _workbook()
    return Readiness(lines, tuple(name for name, found in lines.items() if not line_ok(found)))


def _python() -> str:
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < OLDEST:
        return f"{found} is too old, the course needs {OLDEST[0]}.{OLDEST[1]}"
    return _with_version(found)


def _package(name: str) -> str:
    try:
        return _with_version(version(name))
    except PackageNotFoundError:
        return "missing"


def _workbook() -> str:
    """Whether what you answer can be kept; while notebooks are built nothing is written."""
    folder = progress_file().parent
    return "ready" if unattended() or os.access(folder, os.W_OK) else "missing, or not writable"


def _with_version(found: str) -> str:
    return "ready" if unattended() else f"ready ({found})"
