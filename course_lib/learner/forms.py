"""What all forms share: where they are alive, what stands in for them, how sure one is."""

from collections.abc import Callable
from numbers import Real

import ipywidgets as widgets
from markupsafe import Markup

from course_lib.learner import journal

ASLEEP = "Asleep. To wake it: Run > Run All Cells."
WORDS = {"right": "Right.", "wrong": "Not quite.", "asleep": ASLEEP}
FIRST = "The first answer counts."

_alive: list = []  # the forms of this kernel, each with what is stored for it


class Display:
    """Something to display: alive where there is a kernel, the same as text where not."""

    def __init__(self, html: Markup, box: widgets.Widget | None = None, text: str = ""):
        self.html, self.box, self.text = html, box, text

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        live = {} if self.box is None else self.box._repr_mimebundle_()
        live = live[0] if isinstance(live, tuple) else live  # anywidget adds metadata
        return live | {"text/html": self.html, "text/plain": self.text}


def form(
    spec: dict,
    fallback: Markup,
    text: str,
    *,
    section: str,
    stored: Callable[[], dict],
    store: Callable[[dict], None],
) -> Display:
    """A form: alive beside a kernel; in a stored notebook, a place where a page mounts it.

    Parameters
    ----------
    spec : dict
        What the page is told, the words included.
    fallback, text
        What stands in for it where nothing is alive, as HTML and as plain text.
    section : str
        The first part of the names under which a page without a kernel keeps the answers.
    stored : callable
        What is stored, for the page to show.
    store : callable
        Called with a message of the page; what goes wrong is shown there.
    """
    from course_lib.widgets.surface import Surface, mount_html  # loads matplotlib

    if journal.is_unattended():
        return Display(mount_html("form", spec, fallback, name=section), text=text)

    def on_event(message: dict) -> None:
        try:
            store(message)
            show_newest()
        except (LookupError, OSError, TypeError, ValueError) as error:
            surface.shown = stored() | {"problem": f"Not stored: {error}"}

    surface = Surface("form", spec, shown=stored(), on_event=on_event)
    _alive.append((surface, stored))
    return Display(fallback, surface, text)


def show_newest() -> None:
    """Let every form of this kernel show what is stored now."""
    for surface, stored in _alive:
        surface.shown = stored()


def notice(text: str) -> Display:
    """A sentence in place of a form."""
    return Display(Markup('<div role="status">{}</div>').format(text), text=text)


def sureness(legend: str, chance: float) -> dict:
    """How sure one is, to choose from; `chance` is the per cent of those who only guess."""
    levels = {round(chance) or 1: "a guess", 75: "fairly sure", 95: "certain"}
    return {"legend": legend, "levels": [[n, f"{word} ({n} %)"] for n, word in levels.items()]}


def checked_confidence(confidence) -> int | None:
    """A percentage, or None if none was given."""
    if confidence is None:
        return None
    if not isinstance(confidence, Real) or not 0 <= confidence <= 100:
        raise ValueError(f"confidence is a percentage from 0 to 100, got {confidence!r}. Pass 75.")
    return int(confidence)
