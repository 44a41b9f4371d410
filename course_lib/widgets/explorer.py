"""One wiring for all widgets: controls on one side, a pure function state -> figure on the other.

An `Explorer` owns everything between a slider and a picture: it observes the controls, draws the
newest state, skips the states that were overtaken, shows a readout that screen readers announce,
and knows a goal and whether it has been reached. Lessons write the three functions around it.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence

import ipywidgets as widgets
import matplotlib.pyplot as plt
import traitlets
from markupsafe import Markup
from matplotlib.figure import Figure

from course_lib.plots.pictures import CSS_DPI, Picture, check_alt, course_style, picture
from course_lib.widgets.controls import check_controls, check_state, states_if_few, value_of
from course_lib.widgets.frames import FRAME_DPI, MovingPicture, Scene, fast_png, figure_pixels
from course_lib.widgets.stills import are_wanted, lines_html, stills_html

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
    reached : callable or sequence of callables, default=None
        ``reached(**state)`` says whether this state attains the goal. Once attained it stays so.
        A goal in parts has a function for each; every part must be attained, not all at once.
    alt : str or callable, default=None
        What the picture shows, or ``alt(**state)``; the readout if None.
    then : str, default=""
        The question to think about once the goal has been reached.

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
    ):
        self._parts = _parts(reached)
        _check_callables(frame, readout, self._parts)
        self.controls = check_controls(controls)
        self.goal, self.then = check_alt(goal), then
        self.frame, self._readout, self._alt = frame, readout, alt
        self._moving = MovingPicture(frame) if isinstance(frame, Scene) else None
        self._lock = threading.RLock()  # a kernel may handle sliders and cells in two threads
        self._scheduled = set()
        self._text, self._stale, self._trouble = "", True, None
        self._unattained = self._parts

        self._image = _LabelledImage(format="png")
        self._readout_html, self._goal_html = widgets.HTML(), widgets.HTML()
        self.widget = widgets.VBox(
            [self._goal_html, *self.controls.values(), self._image, self._readout_html]
        )
        for control in self.controls.values():
            control.observe(self._on_change, names="value")
        self._note_goal()
        self.refresh()
        if self._moving:
            self._moving.rehearse(states_if_few(self.controls, FEW))

    @property
    def state(self) -> dict:
        """The values of the controls."""
        return {name: value_of(control) for name, control in self.controls.items()}

    @property
    def reached(self) -> bool:
        """Whether the goal has been reached, now or before."""
        return bool(self._parts) and not self._unattained

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
        state = self._full_state(state)
        return picture(self.new_figure(**state), alt=self._alt_text(state))

    def readout(self, **state) -> str:
        """The readout of a state, as text; what is not given is taken from the controls."""
        return str(self._readout(**self._full_state(state)))

    def attains(self, **state) -> bool:
        """Whether a state attains the goal, or a part of it; the controls stay where they are.

        What is not given is taken from them.
        """
        state = self._full_state(state)
        return any(attained(**state) for attained in self._parts)

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
            self._readout_html.value = _status(lines_html(self._text))

    def _full_state(self, state: dict) -> dict:
        """The state with what is not given taken from the controls."""
        return self.state | check_state(state, self.controls)

    def _render(self, state: dict) -> tuple[bytes, str]:
        """A frame, and its width in CSS pixels."""
        if self._moving:
            pixels = self._moving.pixels(state)
        else:
            figure = self.new_figure(**state)
            pixels = figure_pixels(figure)
            plt.close(figure)
        return fast_png(pixels), str(round(pixels.shape[1] * CSS_DPI / FRAME_DPI))

    def new_figure(self, **state) -> Figure:
        """A figure of its own of a state, drawn anew."""
        if isinstance(self.frame, Scene):
            return self.frame.figure(**state)
        with course_style():
            return self.frame(**state)

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
            state = self.state
            self._unattained = [part for part in self._unattained if not part(**state)]
        except Exception as error:
            self._trouble = error
        self._goal_html.value = self._goal_text()

    def _goal_text(self) -> str:
        goal = Markup("<b>Goal:</b> {}").format(self.goal)
        if not self._parts:
            return goal
        attained = Markup("✔ <b>reached.</b> {}").format(self.then)
        return _status(goal + Markup("<br>") + (attained if self.reached else "○ not reached yet"))

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


def _status(html: Markup) -> Markup:
    return Markup(
        '<div role="status" aria-live="polite" aria-atomic="true" style="line-height:1.4">{}</div>'
    ).format(html)


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
