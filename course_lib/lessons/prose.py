"""Markdown as the lessons write it, with tables and formulas, as HTML that needs no network."""

import re
from functools import cache

from markupsafe import Markup, escape

BAR = '<mo stretchy="false">&#x0007C;</mo>'  # of |S|: a browser takes it for an operator


def to_html(markdown: str, *, as_tex: bool = False) -> Markup:
    """HTML with formulas as MathML or, as in a text cell, as TeX.

    Viewers such as GitHub's typeset TeX, but of MathML they leave only the letters: a half would
    read 12.

    >>> to_html("It is $x$.").startswith("<p>It is ") and "<math" in to_html("It is $x$.")
    True
    >>> to_html("It is $x < 1$.", as_tex=True)
    Markup('<p>It is <span class="math inline">$x &lt; 1$</span>.</p>')
    """
    return Markup(parser(as_tex).render(markdown).strip())


@cache
def parser(as_tex: bool = False):
    """The parser behind `to_html`."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    made = MarkdownIt("commonmark", {"html": False}).enable("table")
    renderer = _tex if as_tex else _mathml
    return made.use(dollarmath_plugin, allow_labels=False, renderer=renderer)


def _mathml(tex: str, options: dict) -> str:
    return mathml(tex, block=options["display_mode"])


def _tex(tex: str, options: dict) -> str:
    around = "$$" if options["display_mode"] else "$"
    return str(escape(f"{around}{tex.strip()}{around}"))


def mathml(tex: str, *, block: bool = False) -> str:
    """A formula as MathML, in a line of text or on a line of its own."""
    from latex2mathml.converter import convert

    tex = tex.replace("{aligned}", "{align*}")  # the one of the two that latex2mathml knows
    html = convert(tex, display="block" if block else "inline")
    html = re.sub(r"<mi>(&#x0(?:29F5|27FA);)</mi>", _operator, html)
    return html.replace(BAR, BAR.replace(">", ' lspace="0" rspace="0">', 1))


def _operator(match: re.Match) -> str:
    """A sign between two things; the usual one for set difference, which more fonts have."""
    return f"<mo>{match.group(1).replace('029F5', '2216')}</mo>"
