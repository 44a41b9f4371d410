"""Frames: the pictures of an explorer, drawn fast enough to follow a slider."""

import copy
import struct
import zlib
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from PIL import Image

from course_lib.plots.pictures import CSS_DPI, course_style

FRAME_DPI = 1.5 * CSS_DPI
MOST_STAMPS = 2000  # texts kept as pixels, a few kB each
SPILL = 3  # pixels by which a letter or a line may reach out of its box


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
        return self.moving_figure(state)[0]

    def moving_figure(self, state: Mapping) -> tuple[Figure, "Scene", Sequence[Artist]]:
        """A new figure of one state, the scene that moves it, and what will move."""
        scene = copy.copy(self)
        with course_style():
            figure = Figure(figsize=self.size)
            FigureCanvasAgg(figure)
            artists = scene.draw(figure)
            scene.update(**state)
        return figure, scene, artists


class MovingPicture:
    """The figure of a scene, its unmoving part kept as pixels."""

    def __init__(self, scene: Scene):
        self._scene, self._background, self._stamps = scene, None, {}

    def pixels(self, state: dict) -> np.ndarray:
        """The pixels of one state; costs the drawing of the moving artists only."""
        if self._background is None:
            self._set_up(state)
        canvas = self._figure.canvas
        canvas.restore_region(self._background)
        self._actor.update(**state)
        for artist in self._artists:
            if isinstance(artist, Text):
                self._draw_text(artist, canvas.get_renderer())
            else:
                artist.draw(canvas.get_renderer())
        return np.asarray(canvas.buffer_rgba())

    def rehearse(self, states: Sequence[dict]) -> None:
        """Draw these states once, so that their texts are at hand when a slider gets there."""
        for state in states:
            self.pixels(state)

    def _draw_text(self, text: Text, renderer: RendererAgg) -> None:
        """Draw a text from its stamp; letters cost more than all other artists together."""
        look = (text.get_text(), text.get_color(), text.get_weight(), text.get_size())
        key = (text, text.get_visible(), text.get_position(), *look)
        if key not in self._stamps:
            if len(self._stamps) >= MOST_STAMPS:
                self._stamps.clear()
            self._stamps[key] = _stamp(text, self._blank)
        if (stamp := self._stamps[key]) is not None:
            renderer.draw_image(renderer.new_gc(), *stamp)

    def _set_up(self, state: dict) -> None:
        figure, self._actor, artists = self._scene.moving_figure(state)
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
        renderer = figure.canvas.get_renderer()
        self._blank = RendererAgg(int(renderer.width), int(renderer.height), renderer.dpi)


def _stamp(text: Text, blank: RendererAgg) -> tuple[int, int, np.ndarray] | None:
    """The lower left corner of a text and of the box behind it, and their pixels from below."""
    blank.clear()
    text.draw(blank)
    parts = [text, text.get_bbox_patch()]
    around = Bbox.union([part.get_window_extent(blank) for part in parts if part is not None])
    left, bottom = np.floor(around.min - SPILL).astype(int).clip(0)
    right, top = np.ceil(around.max + SPILL).astype(int).clip(0)
    pixels = np.asarray(blank.buffer_rgba())[::-1][bottom:top, left:right]
    return (left, bottom, pixels.copy()) if pixels[:, :, 3].any() else None


def figure_pixels(figure: Figure) -> np.ndarray:
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
