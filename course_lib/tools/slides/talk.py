"""A lesson as a talk: what of its notebook is shown, and what is said to it.

Each picture, table, formula, quotation and question gets a slide; all text is spoken. The rule
stands in CONTRIBUTING.md, "The slides".
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from markupsafe import Markup

from course_lib import lessons
from course_lib.tools.slides import votes
from course_lib.tools.slides.pieces import Piece, pieces
from course_lib.tools.slides.prose import few, key_sentences, last_sentences, sentences, to_html

OPENING, LEAD = 75, 60  # words on the title slide, and before a formula
TOGETHER = 3  # statements on a slide


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
    answers = {piece.text: piece.html for piece in found if piece.kind == "reveal"}
    sections = [_Section(some, lesson, answers) for some in _by_heading(found)]
    slides = [slide for section in sections for slide in section.slides()]
    slides[0].notes.append(to_html(lesson.times))
    return slides


def _by_heading(found: list[Piece]) -> Iterator[list[Piece]]:
    """The pieces of each section, its heading first; the sources are a section of their own."""
    section: list[Piece] = []
    for piece in found:
        sources = piece.text.startswith("*Sources.*")
        if section and (sources or piece.kind == "heading"):
            yield section
            section = []
        if sources:
            text = piece.text.removeprefix("*Sources.*").strip()
            section, piece = [Piece("heading", text="Sources")], Piece("text", to_html(text), text)
        section.append(piece)
    yield section


class _Section:
    """A heading and what stands below it, to be shown on slides of its own."""

    def __init__(self, found: list[Piece], lesson: lessons.Lesson, answers: dict[str, Markup]):
        (heading, *self.pieces), self.lesson, self.answers = found, lesson, answers
        self.is_title = heading.text.startswith("# ")
        self.title = heading.text.lstrip("# ")
        self.heading = to_html(self.title)[3:-4]

    def slides(self) -> list[Slide]:
        """A slide for each piece that is shown; what stands between them goes into the notes."""
        made, spoken = [self._opening()] if self.is_title else [], []
        for k, piece in enumerate(self.pieces):
            new = list(self._shown(k, piece))
            made += new
            if not new and piece.kind != "reveal":
                (made[-1].notes if made else spoken).append(piece.html)
        made = made or [self._text()]
        made[0].notes[:0] = spoken
        made[0].begins = True
        return made

    def _slide(self, kind: str, *parts: Part) -> Slide:
        return Slide(self.heading, kind, [part for part in parts if part.html])

    def _opening(self) -> Slide:
        texts = [one for text in self._texts(0) for one in sentences(text)]
        return self._slide("title", Part(to_html(" ".join(few(texts, OPENING)))))

    def _text(self) -> Slide:
        """The slide of a section that has only text."""
        texts = self._texts(0)
        shown = texts[0] if self.title == "Sources" else key_sentences(texts)
        return self._slide(self.title.lower().split()[0], Part(to_html(shown)))

    def _shown(self, k: int, piece: Piece) -> Iterator[Slide]:
        if piece.kind in ("quote", "whole", "figure explorer"):
            yield self._slide(piece.kind, Part(piece.html, piece.kind.split()[0]))
        elif piece.kind in ("table", "figure", "figure beside"):
            before, after = self._words(k)
            part = Part(piece.html, piece.kind.split()[0])
            yield self._slide(piece.kind, Part(to_html(before)), part, Part(to_html(after)))
        elif piece.kind == "formula" and not any(map(_is_formula, self.pieces[k - 1 : k])):
            yield self._slide("formula", Part(to_html(self._formula(k))))
        elif piece.kind == "predict":
            yield self._vote(lessons.find("predictions", piece.text))
        elif piece.kind == "recall":
            yield from (self._questions([votes.recall(item)]) for item in self.lesson.recall)
        elif piece.kind == "may_i_say":
            group = [item for item in self.lesson.statements if item.group == piece.text]
            for k in range(0, len(group), TOGETHER):
                yield self._questions([votes.statement(item) for item in group[k : k + TOGETHER]])

    def _vote(self, prediction: lessons.Prediction) -> Slide:
        asked, notes = votes.prediction(prediction)
        answer = Part(self.answers[prediction.id], "answer", later=True)
        slide = self._slide("vote", Part(asked), answer)
        slide.notes.append(notes)
        return slide

    def _questions(self, asked: list[tuple[Markup, Markup, Markup]]) -> Slide:
        parts = [
            part for one in asked for part in (Part(one[0]), Part(one[1], "answer", later=True))
        ]
        slide = self._slide("vote", *parts)
        slide.notes += [notes for _, _, notes in asked]
        return slide

    def _texts(self, begin: int, step: int = 1) -> list[str]:
        """The paragraphs from a place on, up to something else."""
        found = self.pieces[begin::step] if begin >= 0 else []
        return [piece.text for piece in takewhile(lambda piece: piece.kind == "text", found)]

    def _words(self, k: int) -> tuple[str, str]:
        """The words above a picture or a table, or else below it, where the text goes on."""
        if self.title == "Keep this":
            texts = [piece.text for piece in self.pieces if piece.kind == "text"]
            return key_sentences(texts), ""
        after = key_sentences(self._texts(k + 1))
        return "" if after else last_sentences("".join(self._texts(k - 1, -1)[:1])), after

    def _formula(self, k: int) -> str:
        """A formula, or a list, with the sentence that it is part of."""
        formulas = [piece.text for piece in takewhile(_is_formula, self.pieces[k:])]
        lead = last_sentences("".join(self._texts(k - 1, -1)[:1]), LEAD)
        rest = self._texts(k + len(formulas))[:1]
        ended = formulas[-1].strip("$ \n").endswith(".")
        return "\n\n".join([lead, *formulas, "" if ended or not rest else sentences(rest[0])[0]])


def _is_formula(piece: Piece) -> bool:
    return piece.kind == "formula"
