"""The parts of all forms: options, confidence, buttons, text, and what stands in for a form."""

from numbers import Real

import ipywidgets as widgets
from markupsafe import Markup

CONFIDENCES = {"a guess (50 %)": 50, "fairly sure (75 %)": 75, "certain (95 %)": 95}
APART = {"margin": "0 0 1em 0"}  # between one question and the next
AS_WIDE_AS_TEXT = {"description_width": "initial"}
# ipywidgets writes the circle after its text and gives both the height of one line.
WRAPPED = Markup(
    "<style>.course-options label {height: auto !important; display: flex; "
    "flex-direction: row-reverse; justify-content: flex-end} "
    ".course-options input {flex: none}</style>"
)


class Display:
    """Something to display: live widgets where there is a kernel, the same as text where not."""

    def __init__(self, html: Markup, box: widgets.Widget | None = None, text: str = ""):
        self.html, self.box, self.text = html, box, text

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        live = {} if self.box is None else self.box._repr_mimebundle_()
        return live | {"text/html": self.html, "text/plain": self.text}


def notice(text: str) -> Display:
    """A sentence in place of a form."""
    return Display(Markup('<div role="status">{}</div>').format(text), text=text)


def options_field(options) -> widgets.RadioButtons:
    """Options of which none is chosen beforehand; long ones wrap below a `WRAPPED` text."""
    layout = {"width": "max-content", "max_width": "100%"}
    field = widgets.RadioButtons(options=options, value=None, layout=layout)
    return field.add_class("course-options")


def confidence_field(of: str = "") -> widgets.Dropdown:
    """How sure, with a label that is read aloud; the value is a percentage, None if not chosen."""
    return widgets.Dropdown(
        options=[("choose", None), *CONFIDENCES.items()],
        index=0,
        description=f"How sure of {of}?" if of else "How sure?",
        style=AS_WIDE_AS_TEXT,
        layout={"width": "max-content"},
    )


def button(text: str) -> widgets.Button:
    """The button that commits a form."""
    return widgets.Button(
        description=text, button_style="primary", icon="check", layout={"width": "max-content"}
    )


def paragraph(html: Markup) -> widgets.HTML:
    """Text between widgets, with the line spacing of prose and not of controls."""
    return widgets.HTML(Markup('{}<div style="line-height:1.4">{}</div>').format(WRAPPED, html))


def status(text: str) -> Markup:
    """A sentence that screen readers announce."""
    html = '<div role="status" aria-live="polite" style="line-height:1.4">{}</div>'
    return Markup(html).format(text)


def checked_confidence(confidence) -> int | None:
    """A percentage, or None if none was given."""
    if confidence is None:
        return None
    if not isinstance(confidence, Real) or not 0 <= confidence <= 100:
        raise ValueError(f"confidence is a percentage from 0 to 100, got {confidence!r}. Pass 75.")
    return int(confidence)
