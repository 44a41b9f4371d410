"""Something that is alive where there is a kernel, and text where there is none."""

import sys
from collections.abc import Callable

from markupsafe import Markup

from course_lib.patience import is_unattended


def is_live() -> bool:
    """Whether a learner is present and a page can talk with this process."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return getattr(shell, "kernel", None) is not None and not is_unattended()


def bundle(html: Markup, text: str, make: Callable) -> dict:
    """What a cell outputs: the surface that `make` gives, if it can live, and its text."""
    if is_live():
        return make().bundle(html, text)
    return {"text/html": html, "text/plain": text}


class Living:
    """What a cell shows: a surface, and what stands in for it.

    Parameters
    ----------
    html : Markup
        What a saved notebook keeps.
    text : str
        For a terminal.
    make : callable
        Makes the surface, when it is shown.
    """

    def __init__(self, html: Markup, text: str, make: Callable):
        self.html, self.text, self.make = html, text, make

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        return bundle(self.html, self.text, self.make)
