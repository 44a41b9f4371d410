"""A lesson's prose for the screen: its sentences, those to show of it, and their HTML."""

import re
from functools import cache
from itertools import accumulate, count

from markupsafe import Markup

MOST = 35  # words that an audience reads while listening
END = re.compile(r"""(?<!\bal\.)(?<=[.!?])([*_)\]"”]*)\s+(?=[*_("“'\[A-Z$`])""")


def to_html(markdown: str) -> Markup:
    """HTML without links, which lead nowhere from a slide, and with formulas as MathML."""
    html = parser().render(markdown).strip()
    return Markup(re.sub(r"</?a\b[^>]*>", "", html))


@cache
def parser():
    """Markdown as the lessons write it: with tables and formulas."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    made = MarkdownIt("commonmark").enable("table")
    return made.use(dollarmath_plugin, allow_labels=False, renderer=_mathml)


def _mathml(tex: str, options: dict) -> str:
    from latex2mathml.converter import convert

    tex = tex.replace("{aligned}", "{align*}")  # the one of the two that latex2mathml knows
    html = convert(tex, display="block" if options["display_mode"] else "inline")
    return re.sub(r"<mi>(&#x0(?:29F5|27FA);)</mi>", _operator, html)


def _operator(match: re.Match) -> str:
    """A sign between two things; the usual one for set difference, which more fonts have."""
    return f"<mo>{match.group(1).replace('029F5', '2216')}</mo>"


def sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph, not cut inside a formula, code, bold print or brackets.

    >>> sentences("It is **so. Really.** See `a. B`, then go. (One. Two.) End")
    ['It is **so. Really.**', 'See `a. B`, then go.', '(One. Two.)', 'End']
    """
    found = [""]
    for piece in END.sub("\\1\n", " ".join(paragraph.split())).split("\n"):
        if _is_open(found[-1]):
            found[-1] += f" {piece}"
        else:
            found.append(piece)
    return found[1:]


def _is_open(text: str) -> bool:
    halves = any(text.count(sign) % 2 for sign in ("**", '"', "$", "`"))
    return halves or text.count("(") > text.count(")")


def key_sentences(paragraphs: list[str]) -> str:
    """What is shown of a text: its whole sentences with bold print, else its first ones."""
    first, *others = [_whole(text) for text in paragraphs] or [[]]
    bold = [one for found in (first, *others) for one in found if "**" in one]
    return " ".join(few(bold or first))


def last_sentences(paragraph: str, most: int = MOST) -> str:
    """The end of a text, which leads to what comes next."""
    found = sentences(paragraph)
    return " ".join(found[-len(few(found[::-1], most)) :])


def _whole(paragraph: str) -> list[str]:
    """The sentences that stand by themselves: not in brackets, not waiting for what follows."""
    return [one for one in sentences(paragraph) if re.search(r"[.!?][*\"”]*$", one)]


def few(found: list[str], most: int = MOST) -> list[str]:
    """The first of some sentences, up to so many words, but one at least."""
    lengths = accumulate(len(one.split()) for one in found)
    return [one for k, one, words in zip(count(), found, lengths) if k == 0 or words <= most]
