"""The pieces of a built notebook in order: headings, texts, formulas, pictures, questions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from markupsafe import Markup

from course_lib import lessons
from course_lib.lessons.prose import parser
from course_lib.tools.mounts import Mount, mount_in
from course_lib.tools.slides.explorers import on_slide
from course_lib.tools.slides.prose import to_html

KINDS = {"paragraph": "text", "blockquote": "quote", "math_block": "formula"}
KINDS |= {"bullet_list": "formula", "ordered_list": "formula"}  # part of a sentence, too
ASIDE = re.compile(r"\*[^*].*[^*]\*", re.DOTALL)  # a paragraph in italics, what a lesson is about
FOR_ONE = re.compile(r"^(ready|progress)\(", re.MULTILINE)  # tells one learner, not a class
PICTURE = re.compile(  # the first of its drawings; a second one is for phones
    r'<div class="course-figure[^>]*>.*?(<svg\b[^>]*viewBox="0 0 ([\d.]+) ([\d.]+)".*?</svg>)',
    re.DOTALL,
)
STYLE = re.compile(r"<style\b.*?</style>|\s(?:border|style)=\"[^\"]*\"", re.DOTALL)
NAMED = re.compile(  # the name of the index, which pandas writes into a row of its own
    r"(<thead>\s*<tr[^>]*>\s*)<th></th>(.*?</tr>)\s*<tr>\s*(<th>[^<]+</th>)(?:\s*<th></th>)+\s*</tr>",
    re.DOTALL,
)
COUNTED = re.compile(r"<tr>\s*<th>(\d+)</th>")  # a row that pandas has numbered
TALL = 1.6  # a picture that is narrower for its height is larger with the words beside it


@dataclass(frozen=True)
class Piece:
    """Something of a lesson; `text` is its Markdown, `spec` what a form is told."""

    kind: str
    html: Markup = Markup()
    text: str = ""
    spec: dict = field(default_factory=dict, hash=False)


def pieces(notebook) -> Iterator[Piece]:
    """All of a notebook, as its cells are marked.

    The mark "skip" leaves a cell out, "notes" has it only spoken, "slide" shows it whole on a slide
    of its own, and "fragment" shows a text whole with the picture before it, as does what a code
    cell says in a line ``#| says``.
    """
    for cell in notebook.cells:
        found = list(_of_text(cell.source) if cell.cell_type == "markdown" else _of_code(cell))
        match cell.metadata.get("slideshow", {}).get("slide_type"):
            case "skip":
                pass
            case "notes":
                yield from (replace(p, kind="note") if p.kind != "heading" else p for p in found)
            case "fragment":
                yield from (replace(p, kind="caption") if p.kind == "text" else p for p in found)
            case "slide":
                yield from (piece for piece in found if piece.kind == "heading")
                code = Markup('<pre class="code">{}</pre>' * (cell.cell_type == "code"))
                shown = Markup().join(piece.html for piece in found if piece.kind != "heading")
                yield Piece("whole", code.format(cell.source) + shown)
            case _:
                yield from found


def _of_text(markdown: str) -> Iterator[Piece]:
    lines = markdown.split("\n")
    for token in parser().parse(markdown):
        if token.level == 0 and token.nesting >= 0 and token.type != "hr":
            kind = token.type.removesuffix("_open")
            _, sources, text = "\n".join(lines[slice(*token.map)]).rpartition("*Sources.* ")
            kind = "sources" if sources else KINDS.get(kind, kind)
            is_aside = kind == "text" and ASIDE.fullmatch(text.strip())
            yield Piece("note" if is_aside else kind, to_html(text), text.strip())


def _of_code(cell) -> Iterator[Piece]:
    if not FOR_ONE.search(cell.source):
        for stored in cell.get("outputs", ()):
            yield from _output(stored)
        if said := cell.metadata.get("slideshow", {}).get("caption"):
            yield Piece("caption", to_html(said), said)


def _output(stored) -> Iterator[Piece]:
    data = stored.get("data", {})
    html = data.get("text/html", "")
    if mount := mount_in(html):
        yield from _mounted(mount)
    elif picture := PICTURE.search(html):
        svg, width, height = picture.groups()
        kind = "figure beside" if float(width) < TALL * float(height) else "figure"
        yield Piece(kind, Markup(f"<figure>{svg}</figure>"))
    elif html:
        yield Piece("table", _table(html))
    else:
        plain = stored.get("text") or data.get("text/plain") or stored.get("evalue", "")
        yield Piece("note", Markup("<pre>{}</pre>").format(plain.strip()))


def _mounted(mount: Mount) -> Iterator[Piece]:
    """An explorer; a form by its kind; after a reveal what it tells."""
    if mount.kind == "explorer":
        yield Piece("figure explorer", on_slide(mount))
    elif mount.kind == "form":
        yield Piece(mount.spec["form"], spec=mount.spec)
        if mount.spec["form"] == "reveal":
            yield from _of_text(lessons.find("predictions", mount.spec["id"]).told)


def _table(html: str) -> Markup:
    """A table of pandas without its own style, numbers to the right; any other as it is."""
    if "<style scoped" not in html:
        return Markup(html)
    numbers = all(re.match(r"-?[\d.]|NaN", cell) for cell in re.findall(r"<td>(.*?)</td>", html))
    plain = _without_numbers(STYLE.sub("", NAMED.sub(r"\1\3\2", html)))
    plain = re.sub(r"(<td>)-(?=[\d.])", "\\1\N{MINUS SIGN}", plain)
    return Markup(f'<div class="numbers">{plain}</div>' if numbers else plain)


def _without_numbers(table: str) -> str:
    """A table without the numbers 0, 1, ... of rows that pandas had no name for."""
    head, _, body = table.partition("<tbody>")
    counted = COUNTED.findall(body)
    unnamed = re.search(r"<tr>\s*<th></th>", head)
    if not unnamed or counted != [str(k) for k in range(body.count("<tr>"))]:
        return table
    return re.sub(r"(<tr>\s*)<th>\d*</th>", r"\1", table)
