"""Frames: the pictures of an explorer as SVG, drawn fast enough to follow a slider.

A frame is a background, drawn once, and above it a layer for each artist that moves.
"""

import copy
from base64 import b64encode
from collections.abc import Mapping, Sequence
from io import BytesIO

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from course_lib.plots.pictures import PICTURE_DPI, course_style
from course_lib.plots.svg import POINTS, drawn, drawn_layers, size_of


class Scene:
    """A figure that is drawn once and whose artists then move, faster than drawing it anew.

    Subclasses write `draw(figure)`, which makes the axes with fixed limits and returns the artists
    that will move, and `update(**state)`, which moves them. Both may call `mark` to name what a
    reader points at. `handles(**state)` says where to drag what a control moves.
    """

    size = (6.4, 3.4)  # inches
    narrow: tuple[float, float] | None = None  # of the drawing for a phone, if there is one
    is_narrow = False  # which of the two is drawn
    stills: Sequence[Mapping] = ()  # what to show on paper beside the start; if none, the goal

    def draw(self, figure: Figure) -> Sequence[Artist]:
        """Draw everything once; return the artists that `update` changes."""
        raise NotImplementedError

    def update(self, **state) -> None:
        """Move the artists to this state."""
        raise NotImplementedError

    def handles(self, **state) -> dict[str, tuple[Axes, float | None, float | None]]:
        """Of each control that can be dragged: axes and place of what it moves, in data units.

        None for a coordinate that does not matter: ``{"threshold": (ax, threshold, None)}``.
        """
        return {}

    def panels(self, figure: Figure, widths: Sequence[float], heights: Sequence[float]) -> Sequence:
        """Axes beside each other or, on a phone, below each other; their relative sizes."""
        if self.is_narrow:
            return figure.subplots(len(heights), 1, height_ratios=heights)
        return figure.subplots(1, len(widths), width_ratios=widths)

    def figure(self, **state) -> Figure:
        """A new figure of one state."""
        return self.moving_figure(state)[0]

    def moving_figure(
        self, state: Mapping, narrow: bool = False
    ) -> tuple[Figure, "Scene", Sequence[Artist]]:
        """A new figure of one state, the scene that moves it, and what will move."""
        scene = copy.copy(self)
        scene.is_narrow = narrow
        with course_style():
            figure = Figure(figsize=self.narrow if narrow else self.size)
            FigureCanvasAgg(figure)
            artists = scene.draw(figure)
            scene.update(**state)
        return figure, scene, artists


class MovingPicture:
    """The figure of a scene, its unmoving part drawn once."""

    def __init__(self, scene: Scene, state: Mapping, narrow: bool = False):
        figure, self._actor, artists = scene.moving_figure(state, narrow)
        with course_style():
            figure.canvas.draw()
            figure.set_layout_engine("none")
            figure.set_dpi(POINTS)
            for artist in artists:
                artist.set_animated(True)
            self.size = size_of(figure)
            self.background = drawn(figure, self.size)
        self._artists = artists
        self._drawn = {}  # of each artist its name and its fragment, as last drawn

    def layers(self, state: Mapping) -> list[str]:
        """A fragment of SVG for each moving artist, from the lowest to the highest."""
        with course_style():
            self._actor.update(**state)
            in_order = sorted(self._artists, key=lambda artist: artist.get_zorder())
            moved = [artist for artist in in_order if self._has_moved(artist)]
            for artist, layer in zip(moved, drawn_layers(moved, self.size), strict=True):
                self._drawn[artist] = artist.get_gid(), layer
        return [self._drawn[artist][1] for artist in in_order]

    def _has_moved(self, artist: Artist) -> bool:
        """Whether an artist or its name differs from when it was last drawn."""
        if artist not in self._drawn or artist.stale:
            return True
        return artist.get_gid() != self._drawn[artist][0]

    def handles(self, state: Mapping) -> dict[str, list[float | None]]:
        """Where to drag a control, in the units of the SVG, after `layers` of the same state."""
        return {name: self._place(*handle) for name, handle in self._actor.handles(**state).items()}

    def _place(self, ax: Axes, x: float | None, y: float | None) -> list[float | None]:
        known = [ax.viewLim.x0 if x is None else x, ax.viewLim.y0 if y is None else y]
        at_x, at_y = ax.transData.transform(known)
        return [
            None if x is None else round(float(at_x), 1),
            None if y is None else round(self.size[1] - float(at_y), 1),
        ]


def picture_layer(figure: Figure) -> tuple[str, tuple[float, float]]:
    """A figure that is drawn anew each time, as one image, and the size of its SVG."""
    buffer = BytesIO()
    with course_style():
        figure.savefig(buffer, format="png", dpi=PICTURE_DPI, metadata={"Software": None})
    width, height = size_of(figure)
    source = f"data:image/png;base64,{b64encode(buffer.getvalue()).decode()}"
    return f'<image width="{width:g}" height="{height:g}" href="{source}"/>', (width, height)
