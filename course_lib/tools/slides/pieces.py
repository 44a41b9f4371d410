"""The pieces of a built notebook in order: headings, texts, formulas, pictures, questions."""

import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass, replace

from markupsafe import Markup

from course_lib.tools.slides.prose import parser, to_html

KINDS = {
    "heading": "heading",
    "paragraph": "text",
    "math_block": "formula",
    "bullet_list": "formula",
    "ordered_list": "formula",
    "table": "table",
    "blockquote": "quote",
}
CALL = re.compile(
    r'^(predict|reveal|recall|may_i_say|pre_test|post_test|progress|ready)\((?:"([\w.]+)")?', re.M
)
IMAGE, STILL = re.compile(r"<img\b[^>]*>"), re.compile(r"<figure>.*?</figure>", re.DOTALL)
STYLE = re.compile(r"<style\b.*?</style>|\s(?:border|style)=\"[^\"]*\"", re.DOTALL)
NAMED = re.compile(  # the name of the index, which pandas writes into a row of its own
    r"(<thead>\s*<tr[^>]*>\s*)<th></th>(.*?</tr>)\s*<tr>\s*(<th>[^<]+</th>)(?:\s*<th></th>)+\s*</tr>",
    re.DOTALL,
)
TALL = 1.5  # a picture that is narrower for its height has the words beside it


@dataclass(frozen=True)
class Piece:
    """Something of a lesson; `text` is its Markdown or, of a question, its name."""

    kind: str
    html: Markup = Markup()
    text: str = ""


def pieces(notebook) -> Iterator[Piece]:
    """All of a notebook, but what is marked ``slideshow={"slide_type": "skip"}``.

    A cell with the mark "slide" is one piece, with its code; one with "notes" is only spoken.
    """
    for cell in notebook.cells:
        mark = cell.metadata.get("slideshow", {}).get("slide_type", "")
        found = list(_of_text(cell.source) if cell.cell_type == "markdown" else _of_code(cell))
        if mark == "slide":
            yield from (piece for piece in found if piece.kind == "heading")
            yield Piece("whole", _code(cell) + Markup().join(_shown(found)))
        elif mark == "notes":
            yield from (_spoken(piece) for piece in found)
        elif mark != "skip":
            yield from found


def _shown(found: list[Piece]) -> list[Markup]:
    return [piece.html for piece in found if piece.kind != "heading"]


def _spoken(piece: Piece) -> Piece:
    return piece if piece.kind == "heading" else replace(piece, kind="note")


def _code(cell) -> Markup:
    code = Markup('<pre class="code">{}</pre>') if cell.cell_type == "code" else Markup()
    return code.format(cell.source)


def _of_text(markdown: str) -> Iterator[Piece]:
    lines = markdown.split("\n")
    for token in parser().parse(markdown):
        kind = KINDS.get(token.type.removesuffix("_open"))
        if kind and token.level == 0:
            text = "\n".join(lines[slice(*token.map)]).strip()
            yield Piece(kind, to_html(text), text)


def _of_code(cell) -> Iterator[Piece]:
    call = CALL.search(cell.source)
    outputs = [_output(stored) for stored in cell.get("outputs", ())]
    if call is None:
        yield from outputs
    else:
        yield from (piece for piece in outputs if piece.kind == "note")
        yield Piece(call[1], outputs[-1].html if outputs else Markup(), call[2] or "")


def _output(stored) -> Piece:
    html = stored.get("data", {}).get("text/html", "")
    if stills := STILL.findall(html):
        goal = html.partition("</p>")[0] + "</p>"
        return Piece("figure explorer", Markup(goal + stills[len(stills) // 2]))
    if image := IMAGE.search(html):
        kind = "figure beside" if _is_tall(image[0]) else "figure"
        return Piece(kind, Markup(f"<figure>{image[0]}</figure>"))
    if html:
        return Piece("table", _table(html))
    return Piece("note", Markup("<pre>{}</pre>").format(_plain(stored)))


def _plain(stored) -> str:
    if stored.output_type == "error":
        return f"{stored.ename}: {stored.evalue}"
    return (stored.text if stored.output_type == "stream" else stored.data["text/plain"]).strip()


def _is_tall(image: str) -> bool:
    """Whether a picture is; width and height of a PNG stand at fixed places in its head."""
    head = b64decode(re.search(r"base64,([A-Za-z0-9+/]{32})", image)[1])
    return int.from_bytes(head[16:20]) < TALL * int.from_bytes(head[20:24])


def _table(html: str) -> Markup:
    """A table of pandas without its own style, numbers to the right; any other as it is."""
    if "<style scoped" not in html:
        return Markup(html)
    cells = re.findall(r"<td>(.*?)</td>", html)
    numbers = all(re.match(r"-?[\d.]|NaN", cell) for cell in cells)
    plain = STYLE.sub("", NAMED.sub(r"\1\3\2", html))
    return Markup(f'<div class="{"numbers" if numbers else "words"}">{plain}</div>')
