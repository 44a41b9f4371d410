"""The pieces of a built notebook in order: headings, texts, formulas, pictures, questions."""

import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass, replace

from markupsafe import Markup

from course_lib.tools.slides.prose import parser, to_html

KINDS = {"paragraph": "text", "blockquote": "quote", "math_block": "formula"}
KINDS |= {"bullet_list": "formula", "ordered_list": "formula"}  # part of a sentence, too
CALL = re.compile(
    r'^(predict|reveal|recall|may_i_say|pre_test|post_test|progress|ready)\(\s*(?:"([\w.]+)")?',
    re.M,
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
    """All of a notebook, as its cells are marked.

    The mark "skip" leaves a cell out, "notes" has it only spoken, "slide" shows it whole.
    """
    for cell in notebook.cells:
        found = list(_of_text(cell.source) if cell.cell_type == "markdown" else _of_code(cell))
        match cell.metadata.get("slideshow", {}).get("slide_type"):
            case "skip":
                pass
            case "notes":
                yield from (replace(p, kind="note") if p.kind != "heading" else p for p in found)
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
            if sources:
                yield Piece("heading", text="Sources")
            yield Piece(KINDS.get(kind, kind), to_html(text), text.strip())


def _of_code(cell) -> Iterator[Piece]:
    outputs = [_output(stored) for stored in cell.get("outputs", ())]
    if call := CALL.search(cell.source):
        yield from (piece for piece in outputs if piece.kind == "note")
        yield Piece(call[1], outputs[-1].html if outputs else Markup(), call[2] or "")
    else:
        yield from outputs


def _output(stored) -> Piece:
    data = stored.get("data", {})
    html = data.get("text/html", "")
    if stills := STILL.findall(html):
        goal = html.partition("</p>")[0] + "</p>"
        return Piece("figure explorer", Markup(goal + stills[len(stills) // 2]))
    if image := IMAGE.search(html):
        kind = "figure beside" if _is_tall(image[0]) else "figure"
        return Piece(kind, Markup(f"<figure>{image[0]}</figure>"))
    if html:
        return Piece("table", _table(html))
    plain = stored.get("text") or data.get("text/plain") or stored.get("evalue", "")
    return Piece("note", Markup("<pre>{}</pre>").format(plain.strip()))


def _is_tall(image: str) -> bool:
    """Whether a picture is; width and height of a PNG stand at fixed places in its head."""
    head = b64decode(re.search(r"base64,([A-Za-z0-9+/]{32})", image)[1])
    return int.from_bytes(head[16:20]) < TALL * int.from_bytes(head[20:24])


def _table(html: str) -> Markup:
    """A table of pandas without its own style, numbers to the right; any other as it is."""
    if "<style scoped" not in html:
        return Markup(html)
    numbers = all(re.match(r"-?[\d.]|NaN", cell) for cell in re.findall(r"<td>(.*?)</td>", html))
    plain = STYLE.sub("", NAMED.sub(r"\1\3\2", html))
    return Markup(f'<div class="numbers">{plain}</div>' if numbers else plain)
