"""A page of headings, facts, tables and sentences, written as Markdown or as HTML.

Whatever comes from the data (names, classes, a model's print) is text in both and never markup.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

HERE = Path(__file__).parent
INLINE = {  # by kind of paragraph: what JupyterLab keeps of a notebook that it does not trust
    "quiet": "opacity:.75",
    "may": "border-left:.25em solid #2f7fb8;padding-left:.6em",
    "not": "border-left:.25em double #c0504d;padding-left:.6em",
}
MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$])")


@dataclass(frozen=True)
class Heading:
    text: str
    level: int = 3


@dataclass(frozen=True)
class Paragraph:
    text: str
    label: str = ""  # stands before the text, in bold
    kind: str = ""  # "quiet", "may" or "not"


@dataclass(frozen=True)
class Facts:
    facts: dict[str, str]


@dataclass(frozen=True)
class Grid:
    """A table of text; the first column names the rows."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Columns:
    """Sections that may stand beside each other."""

    sections: tuple[tuple, ...]


Block = Heading | Paragraph | Facts | Grid | Columns


def as_text(text: str) -> str:
    """A text in which nothing is markup for Markdown, in one line.

    >>> as_text("a_b|c")
    'a\\\\_b\\\\|c'
    """
    return MARKUP.sub(r"\\\1", " ".join(str(text).split()))


def to_markdown(blocks: Iterable[Block]) -> str:
    """The blocks as Markdown."""
    return "\n\n".join(_MARKDOWN[type(block)](block) for block in blocks) + "\n"


def _markdown_grid(grid: Grid) -> str:
    rows = [grid.head, ["---", *["---:"] * (len(grid.head) - 1)], *grid.rows]
    escaped = [row if k == 1 else map(as_text, row) for k, row in enumerate(rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in escaped)


def _markdown_paragraph(block: Paragraph) -> str:
    return (
        f"**{as_text(block.label)}** {as_text(block.text)}" if block.label else as_text(block.text)
    )


_MARKDOWN: dict[type, Callable] = {
    Heading: lambda block: f"{'#' * block.level} {as_text(block.text)}",
    Paragraph: _markdown_paragraph,
    Facts: lambda block: "\n".join(
        f"- **{as_text(name)}**: {as_text(text)}" for name, text in block.facts.items()
    ),
    Grid: _markdown_grid,
    Columns: lambda block: "\n\n".join(to_markdown(one).strip() for one in block.sections),
}


def to_html(blocks: Iterable[Block]) -> Markup:
    """The blocks as a piece of HTML with its style, in the colours of the page around it.

    Headings are bold lines: the page around it has an order of headings of its own.
    """
    return _card(blocks, Markup('<div class="heading-{0}"><b>{1}</b></div>'))


def to_page(title: str, blocks: Iterable[Block]) -> str:
    """A page of its own, light or dark as the reader's system is, and made to be printed."""
    page = Markup((HERE / "page.html").read_text(encoding="utf-8"))
    return str(page.format(title=title, body=_card(blocks, Markup("<h{0}>{1}</h{0}>"))))


def _card(blocks: Iterable[Block], heading: Markup) -> Markup:
    style = Markup((HERE / "card.css").read_text(encoding="utf-8"))
    return Markup('<div class="importance-card"><style>{}</style>{}</div>').format(
        style, _html(blocks, heading)
    )


def _html(blocks: Iterable[Block], heading: Markup) -> Markup:
    return Markup("\n").join(_html_block(block, heading) for block in blocks)


def _html_block(block: Block, heading: Markup) -> Markup:
    if isinstance(block, Heading):
        return heading.format(block.level - 1, block.text)
    if isinstance(block, Columns):
        section = Markup("<section>{}</section>")
        sections = (section.format(_html(one, heading)) for one in block.sections)
        return Markup('<div class="columns">{}</div>').format(Markup().join(sections))
    return _HTML[type(block)](block)


def _html_grid(grid: Grid) -> Markup:
    first, *others = grid.head
    head = Markup('<th scope="col" style="text-align:left">{}</th>').format(first)
    head += Markup().join(Markup('<th scope="col">{}</th>').format(cell) for cell in others)
    rows = Markup().join(
        Markup('<tr><th scope="row" style="text-align:left">{}</th>{}</tr>').format(
            first, Markup().join(Markup("<td>{}</td>").format(cell) for cell in rest)
        )
        for first, *rest in grid.rows
    )
    return Markup("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>").format(head, rows)


def _html_paragraph(block: Paragraph) -> Markup:
    label = Markup("<b>{}</b> ").format(block.label) if block.label else Markup()
    style = Markup(' style="{}"').format(INLINE[block.kind]) if block.kind else Markup()
    return Markup("<p{}>{}{}</p>").format(style, label, block.text)


_HTML: dict[type, Callable] = {
    Paragraph: _html_paragraph,
    Facts: lambda block: Markup("<dl>{}</dl>").format(
        Markup().join(
            Markup("<dt>{}</dt><dd>{}</dd>").format(name, text)
            for name, text in block.facts.items()
        )
    ),
    Grid: _html_grid,
}
