"""Whether this notebook can run the course: Python, the packages, the workbook."""

import os
from dataclasses import dataclass, replace

from markupsafe import Markup

from course_lib.learner.conditions import FIX, Condition, package, python
from course_lib.learner.journal import progress_file
from course_lib.patience import is_unattended

PACKAGES = ("numpy", "pandas", "scipy", "scikit-learn", "matplotlib", "ipywidgets", "shap")


@dataclass(frozen=True, repr=False)
class Readiness:
    """What the course needs, line by line, and a verdict that says whether the course can begin."""

    conditions: tuple[Condition, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of what is not well."""
        return tuple(c.name for c in self.conditions if c.fix)

    def __bool__(self) -> bool:
        return not self.missing

    @property
    def verdict(self) -> str:
        """Whether the course can begin, and else what to do."""
        return "all is well" if self else f"not ready: {', '.join(self.missing)}; {FIX}"

    def __repr__(self) -> str:
        return "\n".join([*map(str, self.conditions), self.verdict])

    def _repr_html_(self) -> Markup:
        marked = [(not c.fix, c) for c in self.conditions] + [(bool(self), self.verdict)]
        lines = (Markup("{} {}").format("✓" if well else "↻", line) for well, line in marked)
        return Markup('<div role="status">{}</div>').format(Markup("<br>").join(lines))


def ready() -> Readiness:
    """Look at Python, the packages and the workbook; versions are shown where a learner is present.

    Examples
    --------
    >>> bool(ready())
    True
    """
    found = (python(), *map(package, PACKAGES))
    shown = (one if one.fix else _without_version(one) for one in found)
    return Readiness((*shown, _workbook()))


def _without_version(well: Condition) -> Condition:
    """What is well, in a word; a version belongs into no built notebook."""
    return replace(well, found="ready" if is_unattended() else f"ready ({well.found})")


def _workbook() -> Condition:
    """Whether what you answer can be kept; while notebooks are built nothing is written."""
    if is_unattended() or os.access(progress_file().parent, os.W_OK):
        return Condition("workbook", "ready")
    return Condition("workbook", "missing, or not writable", FIX)
