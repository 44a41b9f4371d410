"""Frames: the pictures of an explorer, drawn fast enough to follow a slider."""

import copy
import struct
import zlib
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from course_lib.pictures import CSS_DPI, course_style

__all__ = ["Scene", "Stage", "drawn", "fast_png"]

FRAME_DPI = 1.5 * CSS_DPI


class Scene:
    """A figure that is drawn once and whose artists then move, faster than drawing it anew.

    Subclasses write `draw(figure)`, which makes the axes with fixed limits and returns the artists
    that will move, and `update(**state)`, which moves them.
    """

    size = (6.4, 3.4)  # inches

    def draw(self, figure: Figure) -> Sequence[Artist]:
        """Draw everything once; return the artists that `update` changes."""
        raise NotImplementedError

    def update(self, **state) -> None:
        """Move the artists to this state."""
        raise NotImplementedError

    def figure(self, **state) -> Figure:
        """A new figure of one state."""
        return self.staged(state)[0]

    def staged(self, state: Mapping) -> tuple[Figure, "Scene", Sequence[Artist]]:
        """A new figure of one state, the scene that moves it, and what will move."""
        scene = copy.copy(self)
        with course_style():
            figure = Figure(figsize=self.size)
            FigureCanvasAgg(figure)
            artists = scene.draw(figure)
            scene.update(**state)
        return figure, scene, artists


class Stage:
    """The figure of a scene, its unmoving part kept as pixels."""

    def __init__(self, scene: Scene):
        self._scene, self._background = scene, None

    def pixels(self, state: dict) -> np.ndarray:
        """The pixels of one state; costs the drawing of the moving artists only."""
        if self._background is None:
            self._set_up(state)
        canvas = self._figure.canvas
        canvas.restore_region(self._background)
        self._actor.update(**state)
        for artist in self._artists:
            artist.draw(canvas.get_renderer())
        return np.asarray(canvas.buffer_rgba())

    def _set_up(self, state: dict) -> None:
        figure, self._actor, artists = self._scene.staged(state)
        figure.set_dpi(FRAME_DPI)
        with course_style():
            figure.canvas.draw()
            figure.set_layout_engine("none")
            for artist in artists:
                artist.set_animated(True)
            figure.canvas.draw()
        self._figure = figure
        self._artists = sorted(artists, key=lambda artist: artist.get_zorder())
        self._background = figure.canvas.copy_from_bbox(figure.bbox)


def drawn(figure: Figure) -> np.ndarray:
    """The pixels of a figure."""
    canvas = FigureCanvasAgg(figure)
    figure.set_dpi(FRAME_DPI)
    with course_style():
        canvas.draw()
    return np.asarray(canvas.buffer_rgba())


def fast_png(pixels: np.ndarray) -> bytes:
    """Pixels as a PNG with little compression: what matters is the time to the screen."""
    height, width = pixels.shape[:2]
    colors = Image.frombuffer("RGBA", (width, height), pixels.data).convert("RGB").tobytes()
    rows = np.zeros((height, 1 + 3 * width), dtype=np.uint8)  # a leading 0: row without filter
    rows[:, 1:] = np.frombuffer(colors, dtype=np.uint8).reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, RGB
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )
