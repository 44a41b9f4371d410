"""A lesson as a talk: what of its notebook is shown, and what is said to it.

The rule stands in CONTRIBUTING.md, "How a source is written".
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import unescape
from itertools import takewhile

from markupsafe import Markup

from course_lib import lessons
from course_lib.tools.slides import votes
from course_lib.tools.slides.pieces import Piece, pieces
from course_lib.tools.slides.prose import (
    bold_sentences,
    few,
    first_sentences,
    last_sentences,
    sentences,
    to_html,
)

FURTHER = "## Further"  # the part of a lesson that nobody has to read, and that has no slides
SPOKEN = ("text", "formula", "note")  # what the notes have, if it has no slide
OPENING, LEAD = 75, 60  # words on the title slide, and before a formula
SEEN = re.compile(r'<svg role="img" aria-label="([^"]+)"')
UNSAID = {
    "quote": "Read the claim of the textbook aloud, and stop. Who would sign it? Then go on with "
    "what is right about it, and what is not.",
    "table": "Read one number aloud, with its row and its column, before you say what follows.",
    "formula": "Take the parts one by one, each with an example from the slide before.",
}
IN_OTHER_WORDS = "Ask somebody to say it in other words, then go on."
TOGETHER, ROOM = 2, 620  # statements on a slide, and their letters


@dataclass(frozen=True)
class Part:
    """Something on a slide; `later` keeps it back for a further step."""

    html: Markup
    kind: str = "text"
    later: bool = False


@dataclass
class Slide:
    """What is shown together under a heading, and what the speaker may say about it."""

    heading: Markup
    kind: str
    parts: list[Part]
    notes: list[Markup] = field(default_factory=list)
    begins: bool = False  # the first of its section


def talk(notebook, lesson: lessons.Lesson) -> list[Slide]:
    """The slides of a built lesson, in order; the first has the title."""
    found = [piece for piece in pieces(notebook) if piece.text != lesson.times]
    truths = {piece.spec["id"]: piece.spec["truth"] for piece in found if piece.kind == "reveal"}
    spine = filter(_is_of_the_spine(), _by_heading(found))
    sections = [_Section(some, lesson, truths) for some in spine]
    slides = [slide for section in sections for slide in section.slides()]
    slides[0].notes.append(to_html(lesson.times))
    for slide in slides:
        slide.notes = slide.notes or [_unsaid(slide)]
    return slides


def _unsaid(slide: Slide) -> Markup:
    """A note for a slide about which the lesson says nothing beside what is shown."""
    kind = slide.kind.split()[0]
    seen = SEEN.search("".join(part.html for part in slide.parts))
    return to_html(
        f"What there is to see: {unescape(seen[1])}" if seen else UNSAID.get(kind, IN_OTHER_WORDS)
    )


def _by_heading(found: list[Piece]) -> list[list[Piece]]:
    """The pieces of each section, its heading first."""
    begins = [k for k, piece in enumerate(found) if piece.kind == "heading"]
    return [found[first:end] for first, end in zip(begins, [*begins[1:], None], strict=True)]


def _is_of_the_spine() -> Callable[[list[Piece]], bool]:
    """Whether a section, asked for in order, is outside of the further part."""
    further = False

    def asked(section: list[Piece]) -> bool:
        nonlocal further
        if not section[0].text.startswith("###"):
            further = section[0].text.startswith(FURTHER)
        return not further

    return asked


class _Section:
    """A heading and what stands below it, to be shown on slides of its own."""

    def __init__(self, found: list[Piece], lesson: lessons.Lesson, truths: dict):
        (heading, *self.pieces), self.lesson, self.truths = found, lesson, truths
        self.is_first = heading.text.startswith("# ")
        self.title = heading.text.lstrip("# ")
        self.heading = to_html(self.title)[3:-4]

    def slides(self) -> list[Slide]:
        """A slide for each piece that is shown; what stands between them goes into the notes."""
        made, spoken = [self._opening()] if self.is_first else [], []
        for k, piece in enumerate(self.pieces):
            new = list(self._shown(k, piece))
            made += new
            if not new and piece.kind in SPOKEN:
                (made[-1].notes if made else spoken).append(self._said(k, piece))
        made = made or [self._text()]
        made[0].notes[:0] = spoken
        made[0].begins = True
        return made

    def _shown(self, k: int, piece: Piece) -> Iterator[Slide]:
        kind = piece.kind.split()[0]
        if piece.kind in ("quote", "whole", "figure explorer"):
            yield self._slide(piece.kind, Part(piece.html, kind))
        elif kind in ("table", "figure"):
            before, after = (Part(to_html(words)) for words in self._words(k))
            yield self._slide(piece.kind, before, Part(piece.html, kind), after)
        elif kind == "formula" and not any(map(_is_formula, self.pieces[:k][-1:])):
            yield self._slide(kind, Part(to_html(self._formula(k))))
        elif kind == "prediction":
            vote = lessons.find("predictions", piece.spec["id"])
            yield self._asked(votes.prediction(vote, self.truths[vote.id]))
        elif kind == "questions":
            asked = {item["id"] for item in piece.spec["items"]}
            recalled = [item for item in self.lesson.recall if item.id in asked]
            yield from (self._asked(votes.recall(item)) for item in recalled)
            group = [votes.statement(s) for s in self.lesson.statements if s.id in asked]
            yield from (self._asked(*some) for some in _together(group))

    def _said(self, k: int, piece: Piece) -> Markup:
        """A text for the notes, without a last sentence that leads to what no talk has."""
        is_last = all(later.kind == "sources" for later in self.pieces[k + 1 :][:1])
        if piece.kind == "text" and is_last and piece.text.endswith(":"):
            return to_html(" ".join(sentences(piece.text)[:-1]))
        return piece.html

    def _slide(self, kind: str, *parts: Part) -> Slide:
        return Slide(self.heading, kind, [part for part in parts if part.html])

    def _asked(self, *questions: tuple[Markup, Markup, Markup]) -> Slide:
        pairs = ((Part(asked), Part(told, "answer", later=True)) for asked, told, _ in questions)
        slide = self._slide("vote", *(part for pair in pairs for part in pair))
        slide.notes += [notes for _, _, notes in questions]
        return slide

    def _opening(self) -> Slide:
        found = [sentence for text in self._texts(0) for sentence in sentences(text)]
        return self._slide("title", Part(to_html(" ".join(few(found, OPENING)))))

    def _text(self) -> Slide:
        """The slide of a section that has only text, and of the sources all, if they are in it."""
        shown = self._captions(0) or first_sentences(self._texts(0))
        sources = [Part(p.html, p.kind) for p in self.pieces if p.kind == "sources"]
        return self._slide("text", Part(to_html(shown)), *sources)

    def _words(self, k: int) -> tuple[str, str]:
        """The words above a picture or a table, or those below it, where the text goes on."""
        if self.title == "Keep this":
            return bold_sentences([piece.text for piece in self.pieces if piece.kind == "text"]), ""
        after = self._captions(k + 1) or first_sentences(self._texts(k + 1))
        return "" if after else last_sentences(self._text_before(k)), after

    def _formula(self, k: int) -> str:
        """A formula, or a list, with the sentence that it is part of."""
        formulas = [piece.text for piece in takewhile(_is_formula, self.pieces[k:])]
        is_end = formulas[-1].strip("$ \n").endswith(".")
        rest = [] if is_end else self._texts(k + len(formulas))[:1]
        lead = last_sentences(self._text_before(k), LEAD)
        return "\n\n".join([lead, *formulas, *(sentences(text)[0] for text in rest)])

    def _texts(self, first: int) -> list[str]:
        """The paragraphs from a place on, up to something else."""
        found = takewhile(lambda piece: piece.kind == "text", self.pieces[first:])
        return [piece.text for piece in found]

    def _captions(self, first: int) -> str:
        """The texts that are marked for the slide, from a place on, up to something shown."""
        found = takewhile(lambda piece: piece.kind in (*SPOKEN, "caption"), self.pieces[first:])
        return "\n\n".join(piece.text for piece in found if piece.kind == "caption")

    def _text_before(self, k: int) -> str:
        return "".join(piece.text for piece in self.pieces[:k][-1:] if piece.kind == "text")


def _is_formula(piece: Piece) -> bool:
    return piece.kind == "formula"


def _together(statements: list[tuple]) -> Iterator[list[tuple]]:
    """The statements of each slide: as many as are allowed and fit."""
    some: list[tuple] = []
    for statement in statements:
        letters = sum(len(part.striptags()) for asked in [*some, statement] for part in asked[:2])
        if some and (len(some) == TOGETHER or letters > ROOM):
            yield some
            some = []
        some.append(statement)
    if some:
        yield some
