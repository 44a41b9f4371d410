"""An explorer on paper: a few of its states as pictures, for readers of the stored notebook."""

import os
from collections.abc import Mapping

import ipywidgets as widgets
from markupsafe import Markup

from course_lib.widgets.controls import values_along

PLACES = (0.0, 0.5, 1.0)  # along the control that moves, from its first value to its last
MOVES = "<p>In a running notebook this picture has controls and moves. A few states of it:</p>"


def are_wanted() -> bool:
    """Whether the notebook is being built: the stored one has no kernel to move a picture."""
    return bool(os.environ.get("COURSE_BUILD"))


def stills_html(explorer) -> Markup:
    """Pictures of the first, a middle and the last value of the main control, with captions.

    Parameters
    ----------
    explorer : Explorer
        Its other controls stay where they are.
    """
    name = _main(explorer.controls)
    states = [
        explorer.state | {name: value} for value in values_along(explorer.controls[name], PLACES)
    ]
    return Markup("\n").join(
        [
            Markup("<p><b>Goal:</b> {}</p>").format(explorer.goal),
            Markup(MOVES),
            *(_still(explorer, name, state) for state in states),
        ]
    )


def _still(explorer, name: str, state: Mapping) -> Markup:
    still = "<figure>{}<figcaption><b>{} = {}.</b> {}</figcaption></figure>"
    image = Markup(explorer.figure(**state)._repr_mimebundle_()["text/html"])
    label = explorer.controls[name].description or name
    return Markup(still).format(image, label, state[name], lines_html(explorer.readout(**state)))


def lines_html(text: str) -> Markup:
    """A text of several lines, escaped."""
    return Markup("<br>").join(text.split("\n"))


def _main(controls: Mapping[str, widgets.Widget]) -> str:
    """The first slider or, where there is none, the control with the most options."""
    sliders = [name for name, control in controls.items() if control.has_trait("readout")]
    if sliders:
        return sliders[0]
    return max(controls, key=lambda name: len(values_along(controls[name], PLACES)))
