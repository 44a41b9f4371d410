"""An explorer on paper: a few of its states as pictures, for readers of the stored notebook."""

from collections.abc import Mapping, Sequence
from itertools import islice, product

from markupsafe import Markup

from course_lib.plots.pictures import figure_html
from course_lib.widgets.controls import grid_of, kind_of, texts_of
from course_lib.widgets.states import is_small

MOVES = "<p>In a running notebook this picture has controls and moves. A few states of it:</p>"
MANY = 5000  # states among which one that attains the goal is looked for


def stills_html(explorer) -> Markup:
    """Pictures of `still_states`, with captions.

    Parameters
    ----------
    explorer : Explorer
    """
    return Markup("\n").join(
        [
            Markup("<p><b>Goal:</b> {}</p>").format(explorer.goal),
            Markup(MOVES),
            *(_still(explorer, state) for state in still_states(explorer)),
        ]
    )


def still_states(explorer) -> list[dict]:
    """The present state, and those that the scene has chosen; else the far end and the goal.

    Parameters
    ----------
    explorer : Explorer
    """
    start = explorer.state
    chosen = [dict(state) for state in getattr(explorer.frame, "stills", ())]
    others = chosen or [_far_end(explorer), *_goal(explorer)]
    states = [start, *(start | state for state in others)]
    return [state for k, state in enumerate(states) if state not in states[:k]]


def _far_end(explorer) -> dict:
    """The end of the main control that is farther from where it stands."""
    name = _main(explorer)
    values = explorer.grids[name]
    at = values.index(explorer.state[name])
    return {name: values[-1] if 2 * at < len(values) else values[0]}


def _goal(explorer) -> list[dict]:
    """The nearest state that attains the goal, if there is one among those that can be tried."""
    tried = explorer.named.values()
    if is_small(explorer.grids, MANY):
        start = [explorer.place[name] for name in explorer.grids]
        places = product(*(range(len(values)) for values in explorer.grids.values()))
        tried = map(explorer.state_at, sorted(places, key=lambda place: _distance(place, start)))
    return list(islice((state for state in tried if explorer.attains(**state)), 1))


def _distance(place: Sequence[int], start: Sequence[int]) -> tuple[int, int]:
    """How many controls have moved, and by how many steps altogether."""
    steps = [abs(at - from_) for at, from_ in zip(place, start, strict=True)]
    return sum(map(bool, steps)), sum(steps)


def _still(explorer, state: Mapping) -> Markup:
    still = "<figure>{}<figcaption><b>{}.</b> {}</figcaption></figure>"
    drawn = explorer.figure(**state)
    return Markup(still).format(
        figure_html(drawn.svg, drawn.alt, still=drawn.still),
        _caption(explorer, state),
        lines_html(explorer.readout(**state)),
    )


def _caption(explorer, state: Mapping) -> str:
    """The name of the state, or what has been moved, in words."""
    named = [name for name, part in explorer.named.items() if part.items() <= state.items()]
    if named:
        return named[0]
    moved = [name for name, value in explorer.state.items() if state[name] != value]
    told = [
        f"{explorer.controls[name].description or name}: {_text(explorer, name, state[name])}"
        for name in moved
    ]
    return "; ".join(told) or "At the start"


def _text(explorer, name: str, value) -> str:
    texts = texts_of(explorer.controls[name])
    return texts[grid_of(explorer.controls[name]).index(value)] if texts else str(value)


def lines_html(text: str) -> Markup:
    """A text of several lines, escaped."""
    return Markup("<br>").join(text.split("\n"))


def _main(explorer) -> str:
    """The first slider or, where there is none, the control with the most options."""
    controls = explorer.controls
    sliders = [name for name, control in controls.items() if kind_of(control) == "slider"]
    return sliders[0] if sliders else max(controls, key=lambda name: len(explorer.grids[name]))
