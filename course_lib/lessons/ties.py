"""Sentences that are tied to a computation: the source says what must hold for its words.

In a text, ``{{nearly three times | 2.7 < ratio < 3}}`` reads "nearly three times", and
``{{0.26 bits | decrease}}`` reads "0.26 bits"; the build evaluates what stands behind the bar in
the lesson's own kernel and names the sentence that has become false.
"""

import re
from dataclasses import dataclass
from numbers import Real

import numpy as np

MARK = re.compile(r"\{\{([^{}|]+?)\s+\|\s+(.+?)\s*\}\}", re.DOTALL)
IN_CODE = re.compile(r"^[ \t]*#\| holds (.+)\n?", re.MULTILINE)
NUMBER = re.compile(r"[-−]?\d[\d,]*(?:\.\d+)?|[-−]?\.\d+")
SPELLED = "zero one two three four five six seven eight nine ten eleven twelve".split()


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
    return MARK.sub(r"\1", text)


def ties(text: str) -> list[Tie]:
    """The ties of a text, in order.

    >>> ties("Stop. It is {{0.26 bits | decrease}} less.")
    [Tie(words='0.26 bits', expression='decrease', sentence='It is 0.26 bits less.')]
    """
    found = []
    for mark in MARK.finditer(text):
        before = re.split(r"(?<=[.?!:])\s+|\n\s*\n", untied(text[: mark.start()]))[-1]
        after = re.split(r"(?<=[.?!])(?:\s|$)|\n\s*\n", untied(text[mark.end() :]))[0]
        sentence = _one_line(before + mark[1] + after)
        found.append(Tie(_one_line(mark[1]), _one_line(mark[2]), sentence))
    return found


def ties_of_code(source: str) -> tuple[str, list[Tie]]:
    """A code cell without its lines ``#| holds EXPRESSION``, and these lines as ties.

    >>> ties_of_code("x = 1\\n#| holds x > 0")[0]
    'x = 1'
    """
    found = [Tie("what the cell shows", one) for one in IN_CODE.findall(source)]
    return IN_CODE.sub("", source).rstrip("\n"), found


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
