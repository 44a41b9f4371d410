"""Markdown as the lessons write it, with tables and formulas, as HTML that needs no network."""

import re
from functools import cache

from markupsafe import Markup


def to_html(markdown: str) -> Markup:
    """HTML with formulas as MathML.

    >>> to_html("It is $x$.").startswith("<p>It is ") and "<math" in to_html("It is $x$.")
    True
    """
    return Markup(parser().render(markdown).strip())


@cache
def parser():
    """The parser behind `to_html`."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    made = MarkdownIt("commonmark", {"html": False}).enable("table")
    return made.use(dollarmath_plugin, allow_labels=False, renderer=_mathml)


def _mathml(tex: str, options: dict) -> str:
    return mathml(tex, block=options["display_mode"])


def mathml(tex: str, *, block: bool = False) -> str:
    """A formula as MathML, in a line of text or on a line of its own."""
    from latex2mathml.converter import convert

    tex = tex.replace("{aligned}", "{align*}")  # the one of the two that latex2mathml knows
    html = convert(tex, display="block" if block else "inline")
    return re.sub(r"<mi>(&#x0(?:29F5|27FA);)</mi>", _operator, html)


def _operator(match: re.Match) -> str:
    """A sign between two things; the usual one for set difference, which more fonts have."""
    return f"<mo>{match.group(1).replace('029F5', '2216')}</mo>"
