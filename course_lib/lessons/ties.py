"""Sentences that are tied to a computation: the source says what must hold for its words.

In a text, ``{{nearly three times | 2.7 < ratio < 3}}`` reads "nearly three times", and
``{{0.26 bits | decrease}}`` reads "0.26 bits"; the build evaluates what stands behind the bar in
the lesson's own kernel and names the sentence that has become false.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Real

import numpy as np

IN_CODE = re.compile(r"^[ \t]*#\| holds +(\S.*)\n?", re.MULTILINE)
CAPTION = re.compile(r"^[ \t]*#\| says +(\S.*)\n?", re.MULTILINE)
ALIKE = re.compile(r"#[ \t]*\|.*")  # what would be one of the two, had it been written as they are
FORMULA_OR_CODE = (  # where braces may be of another language
    r"```.+?```|(?P<ticks>`+)(?:(?!\n\s*\n).)+?(?<!`)(?P=ticks)(?!`)|\$\$.+?\$\$"
    r"|\$(?!\s)(?:(?!\n\s*\n)[^$])+?(?<!\s)\$|\\begin\{(?P<block>[\w*]+)\}.*?\\end\{(?P=block)\}"
)
BEGIN = re.compile(
    rf"(?P<other>{FORMULA_OR_CODE})|\{{\{{|\}}\}}|\{{[^{{}}]*\|[^{{}}]*\}}", re.DOTALL
)
IN_FORMULA = re.compile(r"\{\{(?=[^{}|]*\|)")
SPACED = re.compile(r"\{\{[^{}|]*\S\s+\|\s")
NUMBER = re.compile(r"[-−]?\d[\d,]*(?:\.\d+)?|[-−]?\.\d+")
SPELLED = "zero one two three four five six seven eight nine ten eleven twelve".split()


class TieError(ValueError):
    """What looks like a tie and is none; the message says what stands there and what is right."""


@dataclass(frozen=True)
class _Mark:
    """Where a tie stands in a text, and what it says."""

    start: int
    end: int
    words: str
    expression: str


@dataclass(frozen=True)
class Tie:
    """Words of a sentence, and the expression that they must agree with.

    The line ``#| holds`` of a code cell ties no words: it says what its picture and the text that
    describes it need.
    """

    words: str
    expression: str
    sentence: str = ""

    def refused(self, wrong: str) -> str:
        """The sentence that became false, by what is wrong with the expression, and the remedy."""
        if self.sentence:
            return (
                f"{self.sentence!r} is not so: {self.expression} {wrong}. Change the words "
                f"({self.words!r}) or what they are tied to."
            )
        return (
            f"what this cell shows is no longer what its alt text and the sentences about it say: "
            f"{self.expression} {wrong}. Change them, or what must hold for them (#| holds)."
        )


def untied(text: str) -> str:
    """The text as a reader sees it.

    >>> untied("It is {{0.26 bits | decrease}} less.")
    'It is 0.26 bits less.'
    """
    return "".join(_read(text, _marks(text)))


def ties(text: str) -> list[Tie]:
    """The ties of a text, in order.

    >>> ties("Stop. It is {{0.26 bits | decrease}} less.")
    [Tie(words='0.26 bits', expression='decrease', sentence='It is 0.26 bits less.')]
    """
    marks, found = _marks(text), []
    pieces = _read(text, marks)
    for k, mark in enumerate(marks):
        so_far, to_come = "".join(pieces[: 2 * k + 1]), "".join(pieces[2 * k + 2 :])
        before = re.split(r"(?<=[.?!:])\s+|\n\s*\n", so_far)[-1]
        after = re.split(r"(?<=[.?!])(?:\s|$)|\n\s*\n", to_come)[0]
        sentence = _one_line(before + mark.words + after)
        found.append(Tie(_one_line(mark.words), mark.expression, sentence))
    return found


def _read(text: str, marks: list[_Mark]) -> list[str]:
    """The text in pieces as a reader sees it: what is before a tie, its words, what is after."""
    pieces, place = [], 0
    for mark in marks:
        pieces += [text[place : mark.start], mark.words]
        place = mark.end
    return [*pieces, text[place:]]


def _marks(text: str) -> list[_Mark]:
    """The ties of a text; outside formulas and code, braces that are none are refused."""
    found, place = [], 0
    while begin := BEGIN.search(text, place):
        if begin["other"]:
            found += _marks_in_formula(text, begin.start(), begin.end())
            place = begin.end()
        elif begin[0] == "{{":
            found.append(_mark(text, begin.start()))
            place = found[-1].end
        else:
            single = begin[0] != "}}"
            raise _no_tie(begin[0], "has single braces" if single else "closes nothing")
    return found


def _marks_in_formula(text: str, start: int, end: int) -> Iterator[_Mark]:
    """The ties of a formula or of code, where double braces may also be something else.

    A bar between blanks makes them a tie, so in a formula such as P(A | B) they need a \\mid.
    """
    while begin := IN_FORMULA.search(text, start, end):
        start = begin.end()
        try:
            mark = _mark(text[:end], begin.start())
        except TieError:
            if SPACED.match(text, begin.start()):
                raise
            continue
        yield mark
        start = mark.end


def _mark(text: str, start: int) -> _Mark:
    """The tie that begins here: it ends where what stands behind its bar is an expression."""
    paragraph = re.split(r"\n\s*\n", text[start + 2 :], maxsplit=1)[0]
    shown = re.match(r"(?:(?!\{\{|\}\}).)*(?:\}\})?", paragraph, re.DOTALL)[0]
    words, bar, rest = paragraph.partition("|")
    if not bar or "{" in words or "}" in words:
        closed = shown.endswith("}}")
        why = "ties its words to nothing: it has no bar" if closed else "is not closed by }}"
        raise _no_tie("{{" + shown, why)
    if not words.strip():
        raise _no_tie("{{" + shown, "has no words before its bar")
    for end in (found.start() for found in re.finditer(r"(?=\}\})", rest)):
        if _is_expression(expression := _one_line(rest[:end])):
            whole = start + 2 + len(words) + 1 + end + 2
            return _Mark(start, whole, words.strip(), expression)
    if not shown.endswith("}}"):
        raise _no_tie("{{" + shown, "is not closed by }}")
    expression = _one_line(shown.partition("|")[2].removesuffix("}}"))
    wrong = f"is tied to {expression!r}, which is no Python expression"
    raise _no_tie("{{" + shown, wrong if expression else "has nothing behind its bar")


def _no_tie(shown: str, why: str) -> TieError:
    return TieError(
        f"{_one_line(shown)!r} {why}. A tie is written {{{{words | expression}}}}, such as "
        f"{{{{two thousand | n == 2000}}}}; other double braces belong into a formula or code."
    )


def _is_expression(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):  # a null byte is a ValueError
        return False
    return True


def ties_of_code(source: str) -> tuple[str, list[Tie]]:
    """A code cell without its lines ``#| holds EXPRESSION``, and these lines as ties.

    >>> ties_of_code("x = 1\\n#| holds x > 0")[0]
    'x = 1'
    """
    found = IN_CODE.findall(source)
    odd = [f"#| holds {each}" for each in found if not _is_expression(each)]
    if odd := odd + ALIKE.findall(CAPTION.sub("", IN_CODE.sub("", source))):
        raise TieError(
            f"{odd[0].strip()!r} would stay in the code, unchecked. A line of its own is written "
            f"#| holds EXPRESSION, with an expression of Python, or #| says One sentence."
        )
    return IN_CODE.sub("", source).rstrip("\n"), [Tie("what the cell shows", e) for e in found]


def objection(words: str, value) -> str:
    """What is wrong with the words, given the value of their expression; nothing if they agree.

    A truth value must be true, a number must round to the one that is written (with as many
    digits), a text must be the words.

    >>> objection("0.26 bits", 0.2564), objection("0.26 bits", 0.31), objection("most", False)
    ('', 'is 0.31', 'is false')
    """
    if isinstance(value, bool | np.bool_):
        return "" if value else "is false"
    if isinstance(value, str):
        return "" if value == words else f"is {value!r}"
    if not isinstance(value, Real):
        return f"is {value!r}, neither a number nor a text nor true"
    written = _number(words)
    if written is None:
        return f"is {float(value):.6g}, but the words have no number, or more than one"
    number, digits = written
    close = abs(float(value) - number) <= 0.5 * 10**-digits * (1 + 1e-9)
    return "" if close else f"is {float(value):.{digits}f}"


def _number(words: str) -> tuple[float, int] | None:
    """The one number that the words have, with its digits after the point."""
    found = NUMBER.findall(words)
    if len(found) == 1:
        plain = found[0].replace(",", "").replace("−", "-")
        return float(plain), len(plain.partition(".")[2])
    spelled = [SPELLED.index(w) for w in re.findall(r"\w+", words.lower()) if w in SPELLED]
    return (float(spelled[0]), 0) if len(spelled) == 1 and not found else None


def _one_line(text: str) -> str:
    return " ".join(text.split())
