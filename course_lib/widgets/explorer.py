"""One wiring for all widgets: controls on one side, a pure function state -> figure on the other.

An `Explorer` owns everything between a slider and a picture: it observes the controls, draws the
newest state, skips the states that were overtaken, shows a readout that screen readers announce,
and knows a goal and whether it has been reached. Lessons write the three functions around it.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping
from html import escape
from itertools import product
from math import prod
from numbers import Real

import ipywidgets as widgets
import matplotlib.pyplot as plt
import traitlets
from matplotlib.figure import Figure

from course_lib.plots.pictures import CSS_DPI, Picture, check_alt, course_style, picture
from course_lib.widgets.frames import FRAME_DPI, Scene, Stage, drawn, fast_png
from course_lib.widgets.stills import are_wanted, stills_html

FEW = 12  # states that are drawn beforehand
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
        The names are those of the state, the widgets have a `value`.
    goal : str
        What to try.
    reached : callable, default=None
        ``reached(**state)`` says whether this state attains the goal. Once attained it stays so.
    alt : str or callable, default=None
        What the picture shows, or ``alt(**state)``; the readout if None.
    then : str, default=""
        The question to think about once the goal has been reached.
    on_reached : callable, default=None
        Called once, with the state, when the goal is reached.

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
        reached: Callable[..., bool] | None = None,
        alt: str | Callable[..., str] | None = None,
        then: str = "",
        on_reached: Callable[[dict], None] | None = None,
    ):
        _check_callables(frame, readout, reached, on_reached)
        self.controls = _checked_controls(controls)
        self.goal, self.then, self.on_reached = check_alt(goal), then, on_reached
        self._frame, self._readout, self._attains, self._alt = frame, readout, reached, alt
        self._stage = Stage(frame) if isinstance(frame, Scene) else None
        self._lock = threading.RLock()  # a kernel may handle sliders and cells in two threads
        self._scheduled = set()
        self._text, self._stale, self._reached, self._trouble = "", True, False, None

        self._image = _LabelledImage(format="png")
        self._readout_html, self._goal_html = widgets.HTML(), widgets.HTML()
        self.widget = widgets.VBox(
            [self._goal_html, *self.controls.values(), self._image, self._readout_html]
        )
        for control in self.controls.values():
            control.observe(self._on_change, names="value")
        self._note_goal()
        self.refresh()
        if self._stage:
            self._stage.rehearse(_few_states(self.controls))

    @property
    def state(self) -> dict:
        """The values of the controls."""
        return {name: _value(control) for name, control in self.controls.items()}

    @property
    def reached(self) -> bool:
        """Whether the goal has been reached, now or before."""
        return self._reached

    @property
    def readout_text(self) -> str:
        """The readout of the present state, as text."""
        self.refresh()
        return self._text

    @property
    def png(self) -> bytes:
        """The frame of the present state."""
        self.refresh()
        return bytes(self._image.value)

    def figure(self, **state) -> Picture:
        """The static picture of a state, for readers without a kernel.

        What is not given is taken from the controls.
        """
        state = self.state | _checked_state(state, self.controls)
        figure = self._new_figure(state)
        return picture(figure, alt=self._alt_text(state))

    def readout(self, **state) -> str:
        """The readout of a state, as text; what is not given is taken from the controls."""
        return str(self._readout(**self.state | _checked_state(state, self.controls)))

    def refresh(self) -> None:
        """Draw the present state, unless that has been done."""
        with self._lock:
            if not self._stale:
                return
            state, self._stale = self.state, False
            try:
                if self._trouble:
                    raise self._trouble
                self._text = str(self._readout(**state))
                png, width = self._render(state)
                alt = self._alt_text(state)
            except Exception as error:  # shown where the learner looks, whatever it is
                self._text = (
                    f"This state cannot be drawn; the picture shows the one before. "
                    f"{type(error).__name__}: {error}"
                )
            else:
                with self._image.hold_sync():  # one message
                    self._image.value, self._image.tooltip, self._image.width = png, alt, width
            self._readout_html.value = _status_html(escape(self._text).replace("\n", "<br>"))

    def _render(self, state: dict) -> tuple[bytes, str]:
        """A frame, and its width in CSS pixels."""
        if self._stage:
            pixels = self._stage.pixels(state)
        else:
            figure = self._new_figure(state)
            pixels = drawn(figure)
            plt.close(figure)
        return fast_png(pixels), str(round(pixels.shape[1] * CSS_DPI / FRAME_DPI))

    def _new_figure(self, state: dict) -> Figure:
        if isinstance(self._frame, Scene):
            return self._frame.figure(**state)
        with course_style():
            return self._frame(**state)

    def _alt_text(self, state: dict) -> str:
        text = self._readout(**state) if self._alt is None else self._alt
        return check_alt(text(**state) if callable(text) else text)

    def _on_change(self, _change) -> None:
        """Remember that there is something new, and draw it when no newer event waits."""
        with self._lock:
            self._stale = True
            self._note_goal()
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

    def _note_goal(self) -> None:
        """See whether this state attains the goal; an error is kept for the readout."""
        self._trouble = None
        try:
            if self._attains and not self._reached and self._attains(**self.state):
                self._reached = True
                if self.on_reached:
                    self.on_reached(self.state)
        except Exception as error:
            self._trouble = error
        self._goal_html.value = self._goal_text()

    def _goal_text(self) -> str:
        goal = f"<b>Goal:</b> {escape(self.goal)}"
        if self._attains is None:
            return goal
        mark = f"✔ <b>reached.</b> {escape(self.then)}" if self._reached else "○ not reached yet"
        return _status_html(f"{goal}<br>{mark}")

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        self.refresh()
        plain = f"A widget, alive in a running notebook. Goal: {self.goal}\n{self._text}"
        stills = {"text/html": stills_html(self)} if are_wanted() else {}
        return self.widget._repr_mimebundle_() | {"text/plain": plain} | stills

    def __repr__(self) -> str:
        return f"Explorer(goal={self.goal!r}, state={self.state!r})"


class _LabelledImage(widgets.Image):
    """An image whose tooltip is its accessible name; the view asks for a description as well."""

    description = traitlets.Unicode("").tag(sync=True)


def _status_html(html: str) -> str:
    return (
        f'<div role="status" aria-live="polite" aria-atomic="true" style="line-height:1.4">'
        f"{html}</div>"
    )


def _check_callables(frame, readout, reached, on_reached) -> None:
    if not isinstance(frame, Scene) and not callable(frame):
        raise TypeError(
            f"frame must be a function of the state that returns a figure, or a Scene, got "
            f"{type(frame).__name__}. Pass the function itself, without calling it."
        )
    if not callable(readout):
        raise TypeError(
            f"readout must be a function of the state that returns a sentence, got "
            f"{type(readout).__name__}. Pass the function itself, without calling it."
        )
    for name, value in (("reached", reached), ("on_reached", on_reached)):
        if value is not None and not callable(value):
            raise TypeError(
                f"{name} must be a function or None, got {type(value).__name__}. "
                f"Pass the function itself, without calling it."
            )


def _checked_controls(controls) -> dict[str, widgets.Widget]:
    if not isinstance(controls, Mapping) or not controls:
        raise TypeError(
            f"controls must map the names of the state to widgets, got {controls!r}. "
            f"Pass for example {{'rho': ipywidgets.FloatSlider()}}."
        )
    for name, control in controls.items():
        if not isinstance(control, widgets.Widget) or not control.has_trait("value"):
            raise TypeError(
                f"The control {name!r} must be an ipywidgets widget with a value, got "
                f"{type(control).__name__}. Pass for example ipywidgets.FloatSlider()."
            )
        if control.has_trait("readout") and control.layout.width is None:
            control.layout.width = "min(100%, 600px)"  # a slider as wide as the picture
    return dict(controls)


def _few_states(controls: Mapping[str, widgets.Widget]) -> list[dict]:
    """All states of the controls if they are few, else none."""
    values = []
    for control in controls.values():
        if control.has_trait("options"):
            values.append(_option_values(control))
        elif isinstance(control, widgets.IntSlider):
            values.append(range(control.min, control.max + 1, control.step))
        else:
            return []
    if prod(map(len, values)) > FEW:
        return []
    return [dict(zip(controls, state, strict=True)) for state in product(*values)]


def _value(control: widgets.Widget):
    """The control's value; that of a slider on its grid, since browsers send 5.999... for 6."""
    value = control.value
    if isinstance(control, widgets.FloatSlider) and control.step:
        steps = round((value - control.min) / control.step)
        value = min(round(control.min + steps * control.step, 10), control.max)
    return value


def _checked_state(state: Mapping, controls: Mapping[str, widgets.Widget]) -> dict:
    """A state that the controls could show."""
    for name, value in state.items():
        if name not in controls:
            raise ValueError(
                f"There is no control {name!r}; the state has: {', '.join(controls)}. "
                f"Use one of those names."
            )
        control = controls[name]
        if control.has_trait("options") and value not in _option_values(control):
            listed = ", ".join(map(repr, _option_values(control)))
            raise ValueError(f"{name} must be one of {listed}, got {value!r}. Choose one of those.")
        is_number = control.has_trait("min") and isinstance(control.value, Real)
        if is_number and not (isinstance(value, Real) and control.min <= value <= control.max):
            raise ValueError(
                f"{name} must lie between {control.min} and {control.max}, got {value!r}. "
                f"Choose a value that the slider can take."
            )
    return dict(state)


def _option_values(control: widgets.Widget) -> tuple:
    return tuple(control._options_values)
