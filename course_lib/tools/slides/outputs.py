"""What a cell of a built notebook shows, as HTML for a slide: pictures, tables, text, code."""

import re
from base64 import b64decode
from dataclasses import dataclass

from markupsafe import Markup

CODE_LINES, CODE_WIDTH = 4, 88  # longer code is machinery, and stays in the notebook
IMAGE, FRAME = re.compile(r"<img\b[^>]*>"), re.compile(r"<figure>.*?</figure>", re.DOTALL)
STYLE = re.compile(r"<style\b.*?</style>|\s(?:border|style)=\"[^\"]*\"", re.DOTALL)
NAMED = re.compile(  # the name of the index, which pandas writes into a row of its own
    r"(<thead>\s*<tr[^>]*>\s*)<th></th>(.*?</tr>)\s*<tr>\s*(<th>[^<]+</th>)(?:\s*<th></th>)+\s*</tr>",
    re.DOTALL,
)
NUMPY = re.compile(r"np\.(?:float|int|str)\d*_?\(([^()]*)\)|np\.(True|False)_")
TALL = 8  # rows of a narrow table that stands beside its text
DENSE, WIDE = 11, 7  # rows and columns of a table that is set closer
SPACE = {"under": (1152, 400), "beside": (818, 650), "alone": (1152, 560)}  # pixels of a slide
READABLE = 0.6  # pixels of a slide for a pixel of the picture, which is drawn at twice its size


@dataclass(frozen=True)
class Output:
    """One output: `kind` is figure, table or text; `lines` is how much room it takes."""

    kind: str
    html: Markup
    lines: float = 0.0
    layout: str = "under"  # the text; or beside it, or alone
    is_verdict: bool = False  # a mere True or False, which needs a sentence before it


def outputs_of(cell) -> list[Output]:
    """The outputs of a code cell, in order; a picture's alternative text comes with it."""
    return [_output(stored) for stored in cell.get("outputs", ())]


def _output(stored) -> Output:
    if stored.output_type == "stream":
        return _text(stored.text)
    if stored.output_type == "error":
        return _text(f"{stored.ename}: {stored.evalue}")
    html = stored.data.get("text/html", "")
    frames = FRAME.findall(html)
    if frames:
        return Output("figure", _frames(html, frames), layout="alone")
    if image := IMAGE.search(html):
        figure = Markup("<figure>{}</figure>").format(Markup(image.group()))
        return Output("figure", figure, layout=_layout(image.group()))
    if html:
        return _table(html)
    return _text(stored.data["text/plain"])


def _table(html: str) -> Output:
    rows, columns = html.count("<tr"), len(re.findall(r"<th\b", html.partition("</tr>")[0]))
    if "<style scoped" in html:
        numbers = all(
            re.match(r"-?[\d.]|NaN", cell) for cell in re.findall(r"<td>(.*?)</td>", html)
        )
        html = NAMED.sub(r"\1\3\2", html)
        kinds = ("numbers" if numbers else "words") + (
            " dense" if rows > DENSE or columns > WIDE else ""
        )
        html = f'<div class="{kinds}">{STYLE.sub("", html)}</div>'
    layout = "beside" if rows >= TALL and columns <= 4 else "under"
    return Output("table", Markup(html), rows, layout)


def _text(text: str) -> Output:
    plain = NUMPY.sub(lambda match: match.group(1) or match.group(2), text.strip())
    plain = re.sub(r"\n(?:Name: .*, )?dtype: \w+$", "", plain)
    lines = plain.count("\n") + 1
    html = Markup('<pre class="result">{}</pre>').format(plain)
    return Output("text", html, lines, is_verdict=plain in ("True", "False"))


def _frames(html: str, frames: list[str]) -> Markup:
    """A widget at rest: its goal, and its states in one place, each a step after the other."""
    goal = html.partition("</p>")[0] + "</p>"
    first, *others = frames
    later = (frame.replace("<figure", '<figure class="fragment"', 1) for frame in others)
    return Markup(f'{goal}<div class="frames">{first}{"".join(later)}</div>')


def _layout(image: str) -> str:
    """Where a picture is largest: under a few lines of text, beside them, or without them.

    The width and height of a PNG stand at fixed places in its head.
    """
    head = b64decode(re.search(r"base64,([A-Za-z0-9+/]{32})", image).group(1))
    width, height = (int.from_bytes(head[k : k + 4]) for k in (16, 20))
    scale = {place: min(w / width, h / height) for place, (w, h) in SPACE.items()}
    with_text = "beside" if scale["beside"] > scale["under"] else "under"
    small = scale[with_text] < READABLE and scale["alone"] > 1.1 * scale[with_text]
    return "alone" if small else with_text


def code_html(source: str, most: int = CODE_LINES) -> Markup:
    """Code of at most so many lines, which can be read from the back row, or nothing."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    code = re.sub(
        r"^(?:from [^\n]* import (?:\([^)]*\)|[^\n]*)|import [^\n]*)\n?",
        "",
        source,
        flags=re.MULTILINE,
    )
    lines = code.strip().split("\n")
    if re.fullmatch(r"[\w.]*(?:\.round\(\d\))?", code.strip()):
        return Markup()
    if len(lines) > most or max(map(len, lines)) > CODE_WIDTH:
        return Markup()
    formatter = HtmlFormatter(nowrap=True, noclasses=True, style="xcode")
    coloured = Markup(highlight(code.strip(), PythonLexer(), formatter).strip())
    return Markup("<pre class='code'>{}</pre>").format(coloured)
