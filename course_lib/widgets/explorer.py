"""One wiring for all explorers: controls on one side, a pure function state -> figure on the other.

An `Explorer` owns everything between a control and a picture. In the page, stored states answer at
once, with a kernel or without one; what is not stored is drawn by the kernel, the newest state
first. Lessons write the functions around it.
"""

import asyncio
import threading
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property

import ipywidgets as widgets
import matplotlib.pyplot as plt
from markupsafe import Markup
from matplotlib.figure import Figure

from course_lib.plots.pictures import (
    Picture,
    check_alt,
    course_style,
    figure_html,
    is_built,
    picture,
)
from course_lib.plots.svg import POINTS, svg_html
from course_lib.widgets.controls import (
    check_controls,
    check_state,
    described,
    grid_of,
    move,
    place_now,
    value_of,
)
from course_lib.widgets.frames import MovingPicture, Scene, picture_layer
from course_lib.widgets.states import (
    States,
    fits,
    is_small,
    narrow_states,
    packed_states,
    stored_states,
)
from course_lib.widgets.stills import lines_html, stills_html
from course_lib.widgets.surface import Surface, mount_html

FEW = 120  # states that are drawn at once, when the explorer is displayed
PATIENCE = 0.002  # seconds in which further events may overtake one before it is drawn


class Explorer:
    """Controls, a figure of their state, a readout and a goal, as one widget.

    Parameters
    ----------
    frame : callable or Scene
        ``frame(**state)`` returns a new figure; a `Scene` moves the artists of one figure.
    readout : callable
        ``readout(**state)`` returns the numbers of the figure as a plain sentence.
    controls : mapping from str to ipywidgets widget
        The names are those of the state, the widgets have a `value`; their descriptions are the
        labels.
    goal : str
        What to try.
    reached : callable or sequence of callables, default=None
        ``reached(**state)`` says whether this state attains the goal. Once attained it stays so.
        A goal in parts has a function for each; every part must be attained, not all at once.
    alt : str or callable, default=None
        What the picture shows, or ``alt(**state)``; the readout if None.
    then : str, default=""
        The question to think about once the goal has been reached.
    named : mapping from str to dict, default=None
        States with a name, to be chosen by a button; what one does not name stays as it is.
    stored : str, default=""
        The name under which `./course build` stores the states of an explorer of the lessons.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> explorer = Explorer(
    ...     frame=lambda n: Figure(figsize=(1, 1)),
    ...     readout=lambda n: f"n squared is {n**2}",
    ...     controls={"n": widgets.IntSlider(2, 0, 10)},
    ...     goal="Make n squared 81.",
    ...     reached=lambda n: n**2 == 81,
    ... )
    >>> explorer.controls["n"].value = 9
    >>> explorer.readout_text, explorer.reached
    ('n squared is 81', True)
    """

    def __init__(
        self,
        *,
        frame: Callable[..., Figure] | Scene,
        readout: Callable[..., str],
        controls: Mapping[str, widgets.Widget],
        goal: str,
        reached: Callable[..., bool] | Sequence[Callable[..., bool]] | None = None,
        alt: str | Callable[..., str] | None = None,
        then: str = "",
        named: Mapping[str, Mapping] | None = None,
        stored: str = "",
    ):
        self._parts = _parts(reached)
        _check_callables(frame, readout, self._parts)
        self.controls = check_controls(controls)
        self.grids = {name: grid_of(control) for name, control in self.controls.items()}
        self.goal, self.then = check_alt(goal), then
        self.frame, self._readout, self._alt = frame, readout, alt
        self.named = {
            name: check_state(state, self.controls) for name, state in (named or {}).items()
        }
        self.stored = stored if fits(stored_states(stored), self.grids) else ""
        self._lock = threading.RLock()  # a kernel may handle sliders and cells in two threads
        self._scheduled = set()
        self._surface, self._attained, self._trouble = None, 0, None
        for control in self.controls.values():
            control.observe(self._on_change, names="value")
        self._note_goal()

    # ---- the state and what is known of it ----------------------------------------------

    @property
    def state(self) -> dict:
        """The values of the controls."""
        return {name: value_of(control) for name, control in self.controls.items()}

    @property
    def place(self) -> dict:
        """Where the controls stand, as the page counts: the number of a value, from 0."""
        return {name: place_now(control) for name, control in self.controls.items()}

    def state_at(self, place: Sequence[int]) -> dict:
        """The state at a place of the grid."""
        grids = zip(self.grids.items(), place, strict=True)
        return {name: values[at] for (name, values), at in grids}

    @property
    def reached(self) -> bool:
        """Whether the goal has been reached, now or before."""
        return bool(self._parts) and self._attained == 2 ** len(self._parts) - 1

    @property
    def readout_text(self) -> str:
        """The readout of the present state, as text."""
        return self.shown()["text"]

    def figure(self, **state) -> Picture:
        """The static picture of a state, for readers without a kernel.

        What is not given is taken from the controls.
        """
        state = self._full_state(state)
        figure = self.new_figure(**state)
        if getattr(self.frame, "narrow", None):
            figure.when_narrow = lambda: self.frame.moving_figure(state, narrow=True)[0]
        return picture(figure, alt=self._alt_text(state))

    def readout(self, **state) -> str:
        """The readout of a state, as text; what is not given is taken from the controls."""
        return str(self._readout(**self._full_state(state)))

    def attains(self, **state) -> bool:
        """Whether a state attains the goal, or a part of it; the controls stay where they are.

        What is not given is taken from them.
        """
        return bool(self._attained_by(self._full_state(state)))

    def new_figure(self, **state) -> Figure:
        """A figure of its own of a state, drawn anew."""
        if isinstance(self.frame, Scene):
            return self.frame.figure(**state)
        with course_style():
            return self.frame(**state)

    def _full_state(self, state: dict) -> dict:
        """The state with what is not given taken from the controls."""
        return self.state | check_state(state, self.controls)

    def _alt_text(self, state: dict) -> str:
        text = self._readout(**state) if self._alt is None else self._alt
        return check_alt(text(**state) if callable(text) else text)

    def _attained_by(self, state: dict) -> int:
        """The parts of the goal that a state attains, as bits."""
        return sum(2**k for k, part in enumerate(self._parts) if part(**state))

    # ---- pictures ------------------------------------------------------------------------

    @cached_property
    def moving(self) -> MovingPicture:
        """The picture of a `Scene`, whose artists move."""
        return MovingPicture(self.frame, self.state)

    def drawn(self, state: dict) -> dict:
        """All that is shown of a state, computed and drawn."""
        shown = {
            "text": str(self._readout(**state)),
            "alt": self._alt_text(state),
            "attained": self._attained_by(state),
            "handles": {},
        }
        if isinstance(self.frame, Scene):
            layers = self.moving.layers(state)
            return shown | {"layers": layers, "handles": self.moving.handles(state)}
        figure = self.new_figure(**state)
        layer, size = picture_layer(figure)
        plt.close(figure)
        return shown | {"layers": [layer], "size": size}

    @cached_property
    def _states(self) -> States | None:
        """The states that the page has: stored ones, or all if that is a matter of a moment."""
        if self.stored:
            return stored_states(self.stored)
        if isinstance(self.frame, Scene) and is_small(self.grids, FEW):
            with suppress(Exception):  # of a state that cannot be drawn; the kernel says why
                return States(packed_states(self))
        return None

    def _stored_number(self) -> int | None:
        return self._states.number(tuple(self.place.values())) if self._states else None

    def shown(self) -> dict:
        """What is shown of the present state; of one that cannot be drawn, why."""
        with self._lock:
            try:
                if self._trouble:
                    raise self._trouble
                if self.stored and (number := self._stored_number()) is not None:
                    return self._states.shown(number)
                return self.drawn(self.state)
            except Exception as error:  # shown where the learner looks, whatever it is
                text = (
                    f"This state cannot be drawn; the picture shows the one before. "
                    f"{type(error).__name__}: {error}"
                )
                return {"text": text, "attained": 0}

    # ---- in the page ---------------------------------------------------------------------

    @property
    def surface(self) -> Surface:
        """The widget, made when it is first wanted."""
        if self._surface is None:
            shown = self.shown()
            self._surface = Surface(
                "explorer",
                self._spec(shown),
                place=self.place,
                shown=shown | {"place": self.place},
                data=self.packed,
            )
            self._surface.observe(self._on_place, names="place")
        return self._surface

    def _spec(self, shown: dict) -> dict:
        """What the page shows, but for what changes."""
        if self._states:
            still = self._states.still
        elif isinstance(self.frame, Scene):
            still = {"size": self.moving.size, "background": self.moving.background}
        else:
            still = {"size": shown.get("size", (460, 245)), "background": ""}
        narrow = getattr(self.frame, "narrow", None) if self._states else None
        return still | {
            "narrow": narrow and [POINTS * length for length in narrow],
            "name": self.stored,
            "listed": bool(self._states and self._states.is_listed),
            "goal": self.goal,
            "then": self.then,
            "parts": len(self._parts),
            "found": self._attained,
            "controls": [described(control, name) for name, control in self.controls.items()],
            "named": {name: self.place_of(state) for name, state in self.named.items()},
        }

    def place_of(self, state: Mapping) -> dict:
        """Where the controls stand in a state, as the page counts."""
        return {name: self.grids[name].index(value) for name, value in state.items()}

    def _on_place(self, change) -> None:
        """The learner has moved something."""
        for name, place in change["new"].items():
            if name in self.controls:
                move(self.controls[name], place)

    def _on_change(self, _change) -> None:
        """Note the goal, tell the page, and draw what it cannot, when no newer event waits."""
        with self._lock:
            self._note_goal()
            if self._surface is None:
                return
            self._surface.place = self.place
            if self._stored_number() is not None:
                return
            try:
                loop = asyncio.get_running_loop()
            except RuntimeError:  # plain Python: nobody would come back to draw
                self.refresh()
                return
            if loop not in self._scheduled:
                self._scheduled.add(loop)
                loop.call_later(PATIENCE, self._draw_newest, loop)

    def _draw_newest(self, loop) -> None:
        with self._lock:
            self._scheduled.discard(loop)
            self.refresh()

    def refresh(self) -> None:
        """Send the picture of the present state to the page."""
        with self._lock:
            self.surface.shown = self.shown() | {"place": self.place}

    def _note_goal(self) -> None:
        """See whether this state attains the goal; an error is kept for the readout."""
        self._trouble = None
        try:
            if self.stored and (number := self._stored_number()) is not None:
                self._attained |= self._states.shown(number)["attained"]
            else:
                self._attained |= self._attained_by(self.state)
        except Exception as error:
            self._trouble = error

    # ---- as an output --------------------------------------------------------------------

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        shown = self.shown()
        plain = f"A widget, alive in a running notebook. Goal: {self.goal}\n{shown['text']}"
        html = self.page_html(stills_html(self)) if is_built() else self._still_html(shown)
        return self.surface.bundle(html, plain)

    @property
    def packed(self) -> bytes:
        """The states that a page can show by itself, compressed; nothing if there are none."""
        return self._states.packed if self._states else b""

    def page_html(self, fallback: Markup | str = "") -> Markup:
        """For the site and slides: alive from stored states; `fallback` is for paper."""
        shown = self.shown()
        spec = self._spec(shown) | {"place": self.place, "shown": shown | {"place": self.place}}
        states = {"stored": self.stored} if self.stored else {}
        if not self.stored and self._states:
            states = {"states": b64encode(self.packed).decode()}
            if self.frame.narrow:
                states["states_narrow"] = b64encode(self._narrow()).decode()
        return mount_html("explorer", spec, fallback, **states)

    def _narrow(self) -> bytes:
        """The states of an explorer whose states are not stored, as a phone shows them."""
        drawn, packed = self.moving, narrow_states(self)
        self.moving = drawn
        return packed

    def _still_html(self, shown: dict) -> Markup:
        """For a saved notebook, until it is run again."""
        spec = self._spec(shown)
        inside = spec["background"] + "".join(shown.get("layers", ()))
        image = figure_html(svg_html(spec["size"], inside, shown.get("alt", "")))
        goal = Markup("<p><b>Goal:</b> {}</p>").format(self.goal)
        return goal + image + Markup("<p>{}</p>").format(lines_html(shown["text"]))

    def __repr__(self) -> str:
        return f"Explorer(goal={self.goal!r}, state={self.state!r})"


def _parts(reached) -> tuple:
    """The parts of a goal: none, one function, or several."""
    if reached is None:
        return ()
    return tuple(reached) if isinstance(reached, Sequence) else (reached,)


def _check_callables(frame, readout, parts: tuple) -> None:
    wanted = [
        ("readout", readout, "a function of the state that returns a sentence"),
        *(("reached", part, "a function or None") for part in parts),
    ]
    if not isinstance(frame, Scene):
        wanted.append(("frame", frame, "a function of the state that returns a figure, or a Scene"))
    for name, value, kind in wanted:
        if not callable(value):
            raise TypeError(
                f"{name} must be {kind}, got {type(value).__name__}. "
                f"Pass the function itself, without calling it."
            )
