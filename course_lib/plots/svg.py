"""Drawings as SVG: sharp at every zoom, text stays text, and colours follow the page's theme.

Colours of the course's style are written as variables of the stylesheet `theme.css`; pure white is
the paper. What has a colour of its own, such as a colour map, keeps it.
"""

import json
import re
from collections.abc import Sequence
from hashlib import blake2b
from html import escape, unescape
from importlib.resources import files
from io import StringIO

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.artist import Artist
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure

POINTS, CSS_DPI = 72, 96  # units of an SVG, and pixels as a browser counts them, per inch
IMAGE_DPI = 144  # of images inside a drawing
AS_SVG = {"svg.fonttype": "none", "svg.hashsalt": "important"}  # text stays text; stable ids

TAG, LONG = re.compile(r"<[^>]*>"), re.compile(r"(\.\d\d)\d+")
FRAMING = re.compile(r"<\?xml.*?<svg[^>]*>|<!--.*?-->|<metadata>.*?</metadata>|</svg>", re.DOTALL)
DEFAULTS = re.compile(r"<defs>\s*<style.*?</style>\s*</defs>", re.DOTALL)
UPRIGHT = re.compile(r' transform="rotate\(-?0 [^)]*\)"')  # a turn by nothing
BLANKS, BREAKS = re.compile(r">\s*\n\s*<"), re.compile(r"\s*\n\s*")
MARK = re.compile(r"""<g id=(["'])course:(.*?)\1>|<use""")
GROUP = re.compile(r'<g id="(?!course:)[^"]*"')  # matplotlib's own names, not unique in a page
IMAGE = re.compile(r' id="image\w+"')  # a name that nothing refers to
DEFINITION = re.compile(r'<(\w+)([^>]*) id="(\w+)"([^>]*?)(?:/>|>(.*?)</\1>)', re.DOTALL)
NAME = re.compile(r'(?<=url\(#)\w+|(?<=href="#)\w+|(?<= id=")\w+')
FONT = re.compile(r"'DejaVu Sans'[^;\"]*")
WIDE = "'DejaVu Sans',Verdana,sans-serif"  # Verdana is as wide
VARIABLE = re.compile(r"--course-(\w+): (#\w{6});")
DARK = (
    'body[data-jp-theme-light="false"] .course{0}, body[data-theme="dark"] .course{0}',
    'body[data-theme="auto"] .course{0}',
)


def theme() -> str:
    """The stylesheet with the colours of both themes."""
    text = (files("course_lib.plots") / "theme.css").read_text(encoding="utf-8")
    light, _, dark = text.partition("DARK")
    told, asked = (
        ", ".join(selector.format(part) for part in ("", "-figure")) + dark for selector in DARK
    )
    return f"{light}{told}@media (prefers-color-scheme: dark) {{\n{asked}}}\n"


def _variables() -> dict[str, str]:
    """Of each colour of the light theme its variable, with the colour where there is no theme."""
    light = theme().partition("}")[0]
    return {c: f"var(--course-{name},{c})" for name, c in reversed(VARIABLE.findall(light))}


NAMES = _variables()
COLOUR = re.compile("|".join(NAMES), re.IGNORECASE)


def drawn(artist: Artist | Figure, size: tuple[float, float]) -> str:
    """The inside of an SVG of this size, in points, that shows the artist."""
    return drawn_layers([artist], size)[0]


def drawn_layers(artists: Sequence[Artist | Figure], size: tuple[float, float]) -> list[str]:
    """The insides of SVGs of this size, one for each artist; entering the style is slow."""
    with mpl.rc_context(AS_SVG):
        return [_drawn(artist, size) for artist in artists]


def _drawn(artist: Artist | Figure, size: tuple[float, float]) -> str:
    buffer = StringIO()
    renderer = RendererSVG(*size, buffer, image_dpi=IMAGE_DPI)
    artist.draw(renderer)
    renderer.finalize()
    return tidy(buffer.getvalue())


def size_of(figure: Figure) -> tuple[float, float]:
    """Width and height in points."""
    width, height = figure.get_size_inches()
    return float(width * POINTS), float(height * POINTS)


def figure_svg(figure: Figure, alt: str) -> Markup:
    """A figure as an image in a page, with its alternative text."""
    buffer = StringIO()
    with mpl.rc_context(AS_SVG):
        figure.savefig(buffer, format="svg", dpi=IMAGE_DPI, metadata={"Date": None})
    return svg_html(size_of(figure), tidy(buffer.getvalue()), alt)


def svg_html(size: tuple[float, float], inside: str, alt: str) -> Markup:
    """An SVG as an image in a page, with its alternative text."""
    width, height = size
    return Markup(
        '<svg role="img" aria-label="{}" viewBox="0 0 {:g} {:g}" width="{:.0f}" '
        'style="max-width:100%;height:auto;stroke-linejoin:round">{}</svg>'
    ).format(alt, width, height, width * CSS_DPI / POINTS, Markup(inside))


def tidy(svg: str) -> str:
    """The inside of an SVG: short numbers, colours as variables, names of marks as attributes.

    >>> tidy('<svg><path d="M 1.23456 2" style="fill: #0445ac"/></svg>')
    '<path d="M 1.23 2" style="fill: var(--course-blue,#0445ac)"/>'
    """
    inside = DEFAULTS.sub("", FRAMING.sub("", svg.replace("<svg>", ""))).strip()
    inside = TAG.sub(_tidy_tag, BLANKS.sub("><", inside))
    return _renamed(MARK.sub(_Names(), inside))


def _tidy_tag(found: re.Match) -> str:
    tag = BREAKS.sub(" ", found[0])
    if "course:" in tag:
        return tag
    if "base64," in tag:
        return IMAGE.sub("", tag.replace("base64, ", "base64,"))
    tag = LONG.sub(r"\1", FONT.sub(WIDE, GROUP.sub("<g", UPRIGHT.sub("", tag))))
    return COLOUR.sub(lambda colour: NAMES[colour[0].lower()], tag)


def _renamed(inside: str) -> str:
    """Clips, markers and hatches are named after what they are, as it is written.

    matplotlib names a clip after all digits of its corners, whose last ones another processor
    computes otherwise.
    """
    new = {}
    for tag, before, name, after, content in DEFINITION.findall(inside):
        defined = f"{tag}{before}{after}{content}".encode()
        new[name] = name[0] + blake2b(defined, digest_size=5).hexdigest()
    return NAME.sub(lambda found: new.get(found[0], found[0]), inside)


def mark(artist: Artist, tip: str | Sequence[str] = "", series: str = "") -> Artist:
    """Name an artist for a reader who points at it.

    Parameters
    ----------
    artist : matplotlib artist
        Anything that is drawn.
    tip : str or sequence of str, default=""
        Name and value, shown while the pointer or the focus is on it. Of a line with markers a
        sequence names each marker.
    series : str, default=""
        What it belongs to: a click on one artist of a series highlights them all.
    """
    told = {"tip": tip if isinstance(tip, str) else list(tip), "series": series}
    artist.set_gid(f"course:{json.dumps(told, ensure_ascii=False)}")
    return artist


class _Names:
    """Turns what `mark` noted into attributes; of a list of tips, each marker takes the next."""

    def __init__(self):
        self.tips = iter(())

    def __call__(self, found: re.Match) -> str:
        if found[0] == "<use":
            return found[0] + _attribute("tip", next(self.tips, ""))
        told = json.loads(unescape(found[2]))
        whole = isinstance(told["tip"], str)
        self.tips = iter(() if whole else told["tip"])
        tip = _attribute("tip", told["tip"] if whole else "")
        return f"<g{tip}{_attribute('series', told['series'])}>"


def _attribute(name: str, value: str) -> str:
    return f' data-{name}="{escape(value)}"' if value else ""
