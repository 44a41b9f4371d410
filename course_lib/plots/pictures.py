"""Figures as pictures: the course's style, and an image with a text for those who cannot see it.

The style file owns fonts, sizes and colours; it is applied around each drawing, never globally.
"""

from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from threading import RLock

import matplotlib as mpl
import matplotlib.pyplot as plt
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

STYLE = mpl.rc_params_from_file(
    Path(__file__).with_name("course.mplstyle"), use_default_template=False
)
STYLE_LOCK = RLock()

CSS_DPI = 96  # pixels per inch as a browser counts them
PICTURE_DPI = 2 * CSS_DPI  # two image pixels per CSS pixel: sharp on a projector


@contextmanager
def course_style() -> Iterator[None]:
    """The course's style for the time of a with block; the caller's settings return after it.

    matplotlib's settings are shared by all threads, hence the lock: a kernel draws the frames of
    a slider in one thread and the figures of cells in another.
    """
    with STYLE_LOCK, mpl.rc_context(STYLE):
        yield


class Picture:
    """A finished image and its alternative text, as the last expression of a notebook cell.

    JupyterLab drops the alternative text of a plain PNG output, so the image is shown as HTML; the
    plain text of the output is the alternative text.
    """

    def __init__(self, png: bytes, alt: str, width: int):
        self.png, self.alt, self.width = png, alt, width

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        source = f"data:image/png;base64,{b64encode(self.png).decode()}"
        image = Markup('<img alt="{}" width="{}" src="{}">')
        html = str(image.format(self.alt, self.width, source))
        return {"text/html": html, "text/plain": self.alt}

    def __repr__(self) -> str:
        return self.alt


def picture(drawing: Axes | Figure, *, alt: str) -> Picture:
    """The figure as an image with alternative text; the figure itself is closed.

    The bytes depend on the drawing only: neither date nor software version is stored.

    Parameters
    ----------
    drawing : Axes or Figure
        What a plot function returned.
    alt : str
        What the picture shows, for a reader who cannot see it: the finding, not "a plot".

    Examples
    --------
    >>> figure, ax = plt.subplots()
    >>> line = ax.plot([0, 1, 4, 9])
    >>> picture(figure, alt="The squares grow faster and faster.")
    The squares grow faster and faster.
    """
    figure = _figure_of(drawing)
    alt = check_alt(alt)
    buffer = BytesIO()
    with course_style():
        figure.savefig(buffer, format="png", dpi=PICTURE_DPI, metadata={"Software": None})
        plt.close(figure)
    return Picture(small_png(buffer), alt, width=round(figure.get_figwidth() * CSS_DPI))


def check_alt(alt) -> str:
    """An alternative text that says something."""
    if not isinstance(alt, str):
        raise TypeError(
            f"alt must be a text that says what the picture shows, got {type(alt).__name__}. "
            f"Write the sentence the figure was drawn for."
        )
    if not alt.strip():
        raise ValueError(
            "alt is empty, so a reader who cannot see the picture would learn nothing from it. "
            "Write the sentence the figure was drawn for."
        )
    return " ".join(alt.split())


def _figure_of(drawing) -> Figure:
    if isinstance(drawing, Figure):
        return drawing
    if isinstance(drawing, Axes):
        return drawing.get_figure(root=True)
    raise TypeError(
        f"A picture is made of a matplotlib Axes or Figure, got {type(drawing).__name__}. "
        f"Pass what a plot function returned."
    )


def small_png(png: BytesIO, colours: int = 256) -> bytes:
    """The same image with few colours, a third of the size."""
    buffer = BytesIO()
    with Image.open(png) as image:
        small = image.convert("RGB").quantize(colours, dither=Image.Dither.NONE)
    small.save(buffer, format="png", optimize=True)
    return buffer.getvalue()
