"""Figures as pictures: the course's style, and an image with a text for those who cannot see it.

The style file owns fonts, sizes and colours; it is applied around each drawing, never globally.
"""

import os
import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from pathlib import Path
from threading import RLock

import matplotlib as mpl
import matplotlib.pyplot as plt
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from course_lib.plots.narrow import is_too_wide, narrowed
from course_lib.plots.svg import CSS_DPI, figure_svg, theme

STYLE = mpl.rc_params_from_file(
    Path(__file__).with_name("course.mplstyle"), use_default_template=False
)
STYLE_LOCK = RLock()

TWO = (  # which of two drawings is shown
    ".course-two>svg:last-of-type{display:none}"
    "@media (max-width:480px){.course-two>svg:first-of-type{display:none}"
    ".course-two>svg:last-of-type{display:inline}}"
)
PICTURE_DPI = 2 * CSS_DPI  # two image pixels per CSS pixel: sharp on a projector
FEW_COLOURS = 48  # of a still, which is kept small
HIDDEN, STILL = ' style="display:none"', "course-still"  # until a page takes the figure's style
DRAWN = ".course-figure:has(svg)"
INSTEAD = f"{DRAWN}{{display:block!important}}{DRAWN}+.{STILL}{{display:none}}"
STORED = re.compile(  # what `figure_html` adds for pages that take no SVG
    rf'(<div class="course-figure[^"]*"){HIDDEN}>|<img class="{STILL}"[^>]*>|{re.escape(INSTEAD)}'
)


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

    It is shown as SVG inside HTML, so that it follows the theme of the page; the plain text of the
    output is the alternative text. A notebook that is built keeps a small PNG beside it, `still`.
    """

    def __init__(
        self, svg: Markup, alt: str, narrow: Markup | None = None, still: bytes | None = None
    ):
        self.svg, self.alt, self.narrow, self.still = svg, alt, narrow, still

    @property
    def html(self) -> Markup:
        """The figure with all its drawings."""
        return figure_html(self.svg, self.alt, self.narrow, self.still)

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        return {"text/html": str(self.html), "text/plain": self.alt}

    def __repr__(self) -> str:
        return self.alt


def figure_html(
    svg: Markup, alt: str = "", narrow: Markup | None = None, still: bytes | None = None
) -> Markup:
    """An SVG with the colours of both themes, and if it has one its drawing for a phone.

    JupyterLab takes SVG and stylesheets out of a notebook that it does not trust, and so do other
    viewers; the letters of a drawing are left, loose. With a still, the figure is hidden until its
    own stylesheet shows it, which hides the still. Without one, the alternative text is left.
    """
    words = Markup('<span style="display:none" aria-hidden="true">{}</span>').format(alt)
    style = short_theme() + (TWO if narrow else "") + (INSTEAD if still else "")
    figure = Markup('<div class="course-figure{}"{}><style>{}</style>{}{}{}</div>').format(
        " course-two" if narrow else "",
        Markup(HIDDEN if still else ""),
        Markup(style),
        svg,
        narrow or "",
        words if alt and not still else "",
    )
    return figure + (_still_html(still, alt) if still else "")


def _still_html(png: bytes, alt: str) -> Markup:
    image = Markup('<img class="{}" alt="{}" src="data:image/png;base64,{}">')
    return image.format(STILL, alt, b64encode(png).decode())


def without_stills(html: str) -> str:
    """The HTML of stored figures as it is in a running notebook: for a page that shows SVG."""
    return STORED.sub(lambda found: f"{found[1]}>" if found[1] else "", html)


def is_built() -> bool:
    """Whether the notebook is being built: the stored one is also read without a kernel."""
    return bool(os.environ.get("COURSE_BUILD"))


@cache
def short_theme() -> str:
    """The stylesheet of the colours without comments and line breaks."""
    return re.sub(r"/\*.*?\*/|\s*\n\s*", "", theme(), flags=re.DOTALL)


def picture(drawing: Axes | Figure, *, alt: str) -> Picture:
    """The figure as an image with alternative text; the figure itself is closed.

    The text depends on the drawing only: neither date nor software version is stored.

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
    with course_style():
        svg, narrow = figure_svg(figure, alt), None
        still = _png(figure, CSS_DPI, FEW_COLOURS) if is_built() else None
        if is_too_wide(figure):
            narrow = figure_svg(narrowed(figure), alt)
        plt.close(figure)
    return Picture(svg, alt, narrow, still)


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


def png_of(drawing: Axes | Figure) -> bytes:
    """The figure as a PNG; the figure itself is closed."""
    figure = _figure_of(drawing)
    with course_style():
        png = _png(figure, PICTURE_DPI)
        plt.close(figure)
    return png


def _png(figure: Figure, dpi: float, colours: int = 256) -> bytes:
    png = BytesIO()
    figure.savefig(png, format="png", dpi=dpi, metadata={"Software": None})
    return small_png(png, colours)


def small_png(png: BytesIO, colours: int = 256) -> bytes:
    """The same image with few colours, a third of the size.

    With very few, thin lines keep theirs only if colours are chosen by what there is and not by how
    often it occurs.
    """
    buffer = BytesIO()
    method = Image.Quantize.MEDIANCUT if colours == 256 else Image.Quantize.FASTOCTREE
    with Image.open(png) as image:
        small = image.convert("RGB").quantize(colours, method, dither=Image.Dither.NONE)
    small.save(buffer, format="png", optimize=True)
    return buffer.getvalue()
