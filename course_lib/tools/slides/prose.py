"""A lesson's prose for the screen: blocks of Markdown, their key sentences, and their HTML."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from markupsafe import Markup

SHORT = 32  # words that an audience reads while listening; more is cut to its key sentences
CURT = 9  # words; a shorter first sentence says too little without the second
BACKWARD = re.compile(r"\**(?:That|This|These|Those|It|Its|They|Both|So|But|And|He|She)\b")
SPAN = re.compile(r"\$[^$]+\$|`[^`]+`")
END = re.compile(r"""(?<=[.!?])([*_)\]"”]*)\s+(?=[*_("“'\[A-Z\uE000-\uF8FF])""")
ASIDE = re.compile(  # in brackets, or for the reader at a machine
    r"^\(.*\)$|\b(?:scroll|slider|sliders|button|mouse|arrow keys|run a cell)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Block:
    """A heading, paragraph, formula, table, quotation or list of a text cell, as it is written."""

    kind: str
    text: str


def blocks(markdown: str) -> Iterator[Block]:
    """The blocks of a text cell, in order; a rule between them is left out."""
    lines = markdown.split("\n")
    for token in _parser().parse(markdown):
        if token.level == 0 and token.nesting >= 0 and token.map and token.type != "hr":
            first, end = token.map
            yield Block(token.type.removesuffix("_open"), "\n".join(lines[first:end]).strip())


def to_html(markdown: str) -> Markup:
    """HTML without links, which lead nowhere from a slide, and with formulas as MathML."""
    html = _parser().render(markdown).strip()
    return Markup(re.sub(r"</?a\b[^>]*>", "", html))


@cache
def _parser():
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    parser = MarkdownIt("commonmark").enable("table")
    return parser.use(dollarmath_plugin, allow_labels=False, renderer=_mathml)


def _mathml(tex: str, options: dict) -> str:
    from latex2mathml.converter import convert

    tex = tex.replace("{aligned}", "{align*}")  # the one of the two that latex2mathml knows
    html = convert(tex, display="block" if options["display_mode"] else "inline")
    return re.sub(r"<mi>(&#x0(?:29F5|27FA);)</mi>", _operator, html)


def _operator(match: re.Match) -> str:
    """A sign between two things; the usual one for set difference, which more fonts have."""
    return f"<mo>{match.group(1).replace('029F5', '2216')}</mo>"


def words(text: str) -> int:
    """How many words there are to read.

    >>> words("the entropy $H(Y \\\\mid t)$ of a node")
    6
    """
    return len(SPAN.sub("x", text).split())


def sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph, not cut inside a formula, code, bold print or brackets.

    >>> sentences("It is **so. Really.** See `a. B`, then go. (One. Two.) End")
    ['It is **so. Really.**', 'See `a. B`, then go.', '(One. Two.)', 'End']
    """
    spans: list[str] = []

    def hide(match: re.Match) -> str:
        spans.append(match.group())
        return chr(0xE000 + len(spans) - 1)

    text = END.sub("\\1\n", SPAN.sub(hide, " ".join(paragraph.split())))
    found: list[str] = []
    for piece in text.split("\n"):
        if found and _is_open(found[-1]):
            found[-1] += f" {piece}"
        else:
            found.append(piece)
    shown = {chr(0xE000 + k): span for k, span in enumerate(spans)}
    return [re.sub("[\ue000-\uf8ff]", lambda m: shown[m.group()], s) for s in found]


def _is_open(text: str) -> bool:
    brackets = text.count("(") > text.count(")")
    return brackets or text.count("**") % 2 == 1 or text.count('"') % 2 == 1


def key_sentences(paragraph: str, *, and_last: bool = False) -> list[str]:
    """What an audience sees of a paragraph: all of a short one, else its first and bold sentences.

    Sentences that stood apart come apart. With `and_last` the last one is kept too. What is only
    for a reader at a machine is left out, which may be all of it.
    """
    found = [sentence for sentence in sentences(paragraph) if not ASIDE.search(sentence)]
    if words(" ".join(found)) <= SHORT:
        return [" ".join(found)] if found else []
    first = 1 if words(found[0]) >= CURT else 2
    kept = {*range(first)} | {k for k, sentence in enumerate(found) if "**" in sentence}
    kept |= {len(found) - 1} if and_last else set()
    kept |= {k - 1 for k in kept if k and BACKWARD.match(found[k])}
    runs: list[str] = []
    for k in sorted(kept):
        if runs and k - 1 in kept:
            runs[-1] += f" {found[k]}"
        else:
            runs.append(found[k])
    return runs
