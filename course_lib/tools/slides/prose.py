"""A lesson's prose for the screen: its sentences, those to show of it, and their HTML."""

import re
from itertools import accumulate, count

from markupsafe import Markup

from course_lib.lessons import prose

MOST = 35  # words that an audience reads while listening
END = re.compile(r"""(?<!\bal\.)(?<=[.!?])([*_)\]"”]*)\s+(?=[*_("“'\[A-Z$`])""")


def to_html(markdown: str) -> Markup:
    """HTML without links, which lead nowhere from a slide."""
    return Markup(re.sub(r"</?a\b[^>]*>", "", prose.to_html(markdown)))


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


def first_sentences(paragraphs: list[str]) -> str:
    """The beginning of a text: whole sentences of its first paragraph."""
    return " ".join(few(_whole(paragraphs[0]))) if paragraphs else ""


def bold_sentences(paragraphs: list[str]) -> str:
    """The sentences with bold print, which is how the text of "Keep this" marks its keeper."""
    return " ".join(one for text in paragraphs for one in sentences(text) if "**" in one)


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
