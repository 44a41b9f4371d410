"""What a lesson gives away: finds the words and numbers of an answer in what a workbook shows."""

import io
import re
import tokenize
from collections.abc import Iterator
from fractions import Fraction
from math import isclose, trunc
from typing import NamedTuple

from course_lib.lessons import Prediction

STOP_WORDS = set("a about and as at be but by for have in is it its of on or that the them".split())
STOP_WORDS |= set("there they this to too was were with".split())
ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
ONES = (ONES + " fifteen sixteen seventeen eighteen nineteen").split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
PARTS = {2: "half", 3: "third", 4: "(?:quarter|fourth)", 5: "fifth", 6: "sixth", 8: "eighth"}
PARTS |= {10: "tenth", 16: "sixteenth", 20: "twentieth"}
FACTORS = {0.5: r"halve[sd]?", 2: r"(?:twice|doubl\w+)", 3: r"(?:thrice|tripl\w+|threefold)"}

NO_QUANTITIES = (  # numbers that name something
    r"\]\([^)]*\)",  # the target of a link
    r"^#+ (?:\d+\.\d+)?",
    r"\b[Ll]essons? \d\d(?:(?:,| and) \d\d)*",
    r"\b(?:[Ss]ections?|[Tt]heorems?|[Ee]quations?|questions?|figure|table) \d+(?:\.\d+)?",
    r"\b(?:in|of|from) \d{1,2}\.\d{1,2}(?=[,.;:)]? |[,.;:)]?$)(?! (?:bits|of|per|units))",
    r"_\{?\d+\}?|(?<=[a-z])[-+]\d\b",  # an index, the 1 of n-1
    r"\b(?:18|19|20)\d\d\b",  # a year
)
NUMBER = re.compile(
    r"(?<![\w.\\^{])[-−]?\d+(?:,\d+)*(?:\.\d+)?(?!\w|\.\d)|(?<=\{)\d+(?:\.\d+)?(?=\})"
)
FRACTION = re.compile(r"(\d+)/(\d+)|\\[td]?frac\s*\{?(\d+)\}?\s*\{?(\d+)\}?")


class Place(NamedTuple):
    """A sentence, or a line of code, that a learner sees, with the number of its cell from 1."""

    cell: int
    text: str
    is_code: bool = False
    is_opening: bool = False


# What a workbook shows


def is_folded(cell) -> bool:
    return cell["metadata"].get("jupyter", {}).get("source_hidden", False)


def calls(cell, function: str, name: str) -> bool:
    called = re.search(rf'\b{function}\(\s*"{re.escape(name)}"', cell["source"])
    return cell["cell_type"] == "code" and bool(called)


def span(cells: list, name: str) -> tuple[int, int]:
    """The first cell of a prediction, and the one in which the next heading follows its reveal."""
    numbered = list(enumerate(cells))
    first = next(k for k, cell in numbered if calls(cell, "predict", name))
    shown = next(k for k, cell in numbered if calls(cell, "reveal", name))
    ends = (k for k, cell in numbered[shown + 1 :] if has_heading(cell))
    return first, next(ends, len(cells) - 1)


def has_heading(cell) -> bool:
    return cell["cell_type"] == "markdown" and bool(re.search(r"^## ", cell["source"], re.M))


def places(cells: list, name: str) -> Iterator[Place]:
    """All that is visible between a prediction and the next heading after its reveal."""
    first, last = span(cells, name)
    for k in range(first, last + 1):
        source = cells[k]["source"]
        if k == last:
            source = re.split(r"^## ", source, flags=re.M)[0]
        if cells[k]["cell_type"] == "code":
            lines = [] if is_folded(cells[k]) else source.splitlines()
            yield from (Place(k + 1, line, is_code=True) for line in lines)
        else:
            yield from (Place(k + 1, text) for text in sentences(source))


def outputs(cells: list, name: str) -> Iterator[Place]:
    """The outputs that a page shows there before the commitment: not those that wait for it."""
    first, last = span(cells, name)
    for k in range(first + 1, last):
        shown = [] if waits(cells[k], name) else cells[k].get("outputs", [])
        for output in shown:
            text = output.get("data", {}).get("text/plain", output.get("text", ""))
            yield from (Place(k + 1, line) for line in "".join(text).splitlines())


def waits(cell, name: str) -> bool:
    """Whether a page hides a cell until this prediction, or a later one, is committed."""
    mark, place = f"after-{name[:2]}-", int(name[3:])
    tags = [tag for tag in cell["metadata"].get("tags", []) if tag.startswith(mark)]
    is_reveal = bool(re.search(r"\breveal\(", cell["source"]))
    return is_reveal or any(int(tag.removeprefix(mark)) >= place for tag in tags)


def opening(cells: list) -> list[Place]:
    """The prose with which a lesson opens, up to its first section."""
    source = cells[0]["source"] if cells[0]["cell_type"] == "markdown" else ""
    before = re.split(r"^## ", source, flags=re.M)[0]
    return [Place(1, text, is_opening=True) for text in sentences(before)]


def sentences(markdown: str) -> list[str]:
    """Sentences, rows of a table and formulas, each on one line."""
    blocks = re.split(r"\n\s*\n|\n(?=[|#*-])", re.sub(r"^> ?", "", markdown, flags=re.M))
    lines = (re.sub(r"\s*\n\s*", " ", block).strip() for block in blocks)
    return [one for line in lines for one in re.split(r"(?<=[.?!])\s+", line) if one]


# What gives an answer away


def giveaways(cells: list, prediction: Prediction, truth, phrases=(), harmless=()) -> list[str]:
    """What of a fresh workbook says the answer.

    The lesson's opening is searched as well, but not for numbers, which are those of its puzzle.
    """
    seen = [*opening(cells), *places(cells, prediction.id)]
    return said(seen, prediction, truth, phrases, harmless)


def said(seen: list[Place], prediction: Prediction, truth, phrases=(), harmless=()) -> list[str]:
    """For each sentence or line that says the answer: where it stands and which words say it."""
    is_number, found = prediction.kind == "number", []
    find = number_words if is_number else option_words
    for place in seen:
        words = [] if is_number and place.is_opening else find(place, prediction, truth)
        words += [phrase for phrase in phrases if phrase in place.text.lower()]
        if words and not any(phrase in place.text for phrase in harmless):
            found.append(f"cell {place.cell}: {', '.join(words)} in {place.text.strip()!r}")
    return found


def option_words(place: Place, prediction: Prediction, truth: str) -> list[str]:
    """The words that set the right option apart, if more than half of them stand there."""
    others = {w for option in prediction.options if option != truth for w in stems(option)}
    wanted = [w for w in stems(truth) if w not in others] or stems(truth)
    wanted = [w for w in wanted if w not in STOP_WORDS] or wanted
    there = set(stems(place.text))
    found = [word for word in wanted if word in there]
    return found if 2 * len(found) > len(wanted) else []


def stems(text: str) -> list[str]:
    """Words in small letters without their endings; a name in code is several words."""
    words = re.findall(r"[a-z]+\d*|\d+(?:\.\d+)?", text.lower())
    return [re.sub(r"(?<=\w{3})(?:ing|ed|es|ly|s)$", "", word) for word in words]


def number_words(place: Place, prediction: Prediction, truth: float) -> list[str]:
    """The numbers, words and factors that say the answer at some sensible rounding."""
    values = roundings(truth, prediction.tolerance)
    is_share = not prediction.unit and 0 <= truth <= 1
    per_hundred = prediction.unit in ("%", "of 100", "points")
    if per_hundred:
        values |= {v / 100 for v in values} | {1 + v / 100 for v in values}
    found = []
    for text in spoken(place):
        for value, written, is_per_cent in numbers_in(text):
            value = value / 100 if is_per_cent and is_share else value
            if any(isclose(close, v, abs_tol=1e-9) for v in values for close in nearly(value)):
                found.append(written)
        found += [w for v in values for w in re.findall(in_words(v), text.lower()) if w]
    return found


def nearly(value: float) -> set[float]:
    """A number, and the same with four digits, as a truth is spelled."""
    return {value, float(f"{value:.4g}")}


def roundings(truth: float, tolerance: float) -> set[float]:
    """The truth to fewer digits, rounded or cut off, as long as it would still count as right."""
    cut = {trunc(truth * 10**d) / 10**d for d in range(5)}
    near = {round(truth, d) for d in range(5)} | cut
    return {value for value in near if abs(value - truth) <= tolerance}


def spoken(place: Place) -> list[str]:
    """Where quantities may stand: a sentence; in code texts, comments and longer numbers.

    A single digit in code is an index or an exponent far more often than an answer.
    """
    if not place.is_code:
        text = place.text
        for pattern in NO_QUANTITIES:
            text = re.sub(pattern, " ", text, flags=re.M)
        return [text]
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(place.text.strip()).readline))
    except tokenize.TokenError:  # a line of a longer statement
        return [re.sub(r"(?<![\w.])\d(?![\w.])", " ", place.text)]
    return [t.string for t in tokens if t.type in WORDY or (t.type, len(t.string) > 1) == LONG]


WORDY, LONG = {tokenize.STRING, tokenize.COMMENT}, (tokenize.NUMBER, True)


def numbers_in(text: str) -> Iterator[tuple[float, str, bool]]:
    """Each number of a text: its value, how it is written, whether it is per cent."""
    for found in NUMBER.finditer(text):
        behind = text[found.end() :]
        is_per_cent = bool(re.match(r"[\s~\\,]*(?:%|per ?cent)", behind))
        yield as_float(found[0]), found[0], is_per_cent
    for found in FRACTION.finditer(text):
        above, below = (int(part) for part in found.groups() if part)
        if below:
            yield above / below, found[0], False


def as_float(written: str) -> float:
    """The value of 1,024 and of 0,375: a comma stands before thousands or decimals."""
    digits = written.replace("−", "-")
    thousands = re.fullmatch(r"-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?", digits)
    return float(digits.replace(",", "" if thousands else ".", 1 - 2 * bool(thousands)))


def in_words(value: float) -> str:
    """A pattern for a number in words: twelve, three eighths, doubled; one that never fits if none.

    The word one is left out: it is a pronoun.
    """
    words = [FACTORS[value]] if value in FACTORS else []
    part = Fraction(value).limit_denominator(20)
    if value == int(value) and 0 <= value < 1000 and value != 1:
        words.append(cardinal(int(value)) + "(?:fold)?")
    elif 0 < value < 1 and part.denominator in PARTS and isclose(part, value, abs_tol=1e-9):
        count = r"\b(?:one|an?) " if part.numerator == 1 else f"{ONES[part.numerator]} "
        words.append(f"{count}{PARTS[part.denominator]}s?")
    return rf"\b(?:{'|'.join(words)})\b" if words else r"(?!)"


def cardinal(value: int) -> str:
    """A whole number below 1000 as a pattern of its words."""
    if value < 20:
        return ONES[value]
    if value < 100:
        rest = f"[ -]{ONES[value % 10]}" if value % 10 else ""
        return TENS[value // 10 - 2] + rest
    rest = f"(?: and)? {cardinal(value % 100)}" if value % 100 else ""
    return f"(?:an?|{ONES[value // 100]}) hundred{rest}"
