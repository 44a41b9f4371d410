"""Slides being filled: what waits for its slide, what leads to a picture, what comes after it."""

from dataclasses import dataclass, field, replace

from markupsafe import Markup

from course_lib.tools.slides.outputs import Output
from course_lib.tools.slides.prose import sentences, to_html, words

ROOM, ACROSS = 12, 13  # lines of text on a slide, words in a line
# Words before a thing on its slide, and words after it, a step later.
LEAD = {"figure": 40, "table": 45, "vote": 25, "beside": 32, "alone": 12}
TAIL = {"figure": 45, "table": 45, "answer": 30, "beside": 32}
FEW, BRIEF = 6, 45  # words that are no slide of their own; that are set larger
FULL = 7  # lines of a table that leave no room for words after it


@dataclass
class Part:
    """Something on a slide; `later` keeps it back for a further step."""

    html: Markup
    kind: str = "text"
    lines: float = 0.0
    later: bool = False
    text: str = ""


@dataclass
class Slide:
    """What is shown together under a heading, and what the speaker may say about it."""

    heading: Markup
    kind: str = "text"
    parts: list[Part] = field(default_factory=list)
    notes: list[Markup] = field(default_factory=list)
    begins: bool = False  # the first of its section
    layout: str = "under"  # where the picture stands: under the text, beside it, alone

    @property
    def beside(self) -> list[Part]:
        """The pictures that stand beside the words."""
        apart = self.layout == "beside" and len(self.parts) > 1
        return [part for part in self.parts if apart and part.kind in ("figure", "table")]

    @property
    def words_after(self) -> int:
        return TAIL[self.layout if self.layout == "beside" else self.kind]


def text_part(text: str) -> Part:
    """A paragraph, or what is shown of it."""
    return Part(to_html(text), lines=0.6 + words(text) / ACROSS, text=text)


class Deck:
    """The slides made so far, and what is waiting for the next one."""

    def __init__(self):
        self.slides: list[Slide] = []
        self.heading = Markup()
        self.waiting: list[Part] = []
        self.notes: list[Markup] = []
        self.open: Slide | None = None  # may still get the line after its picture
        self.cut_end = ""  # the last sentence of the last paragraph, if it was cut

    @property
    def lines_waiting(self) -> float:
        return sum(part.lines for part in self.waiting)

    def show(self, output: Output, code: str = "") -> None:
        """A slide for a picture or a table, with what leads to it."""
        slide = self.with_lead(output.kind, Part(code + output.html, output.kind), output.layout)
        full = output.layout == "alone" or output.layout == "under" and output.lines >= FULL
        self.open = None if full else slide

    def with_lead(self, kind: str, part: Part, layout: str = "under") -> Slide:
        """A slide for a part with the words that lead to it, or only the last of them if many."""
        most = LEAD[kind if layout == "under" else layout]
        last = self.waiting[-1:]
        begins = last and not last[0].text[:1].islower()  # else it ends a sentence with a formula
        lead = last if begins and self.fits(last, most) else []
        if self.fits(self.waiting, most):
            lead = self.waiting
        self.waiting = self.waiting[: len(self.waiting) - len(lead)]
        notes = self.notes if not self.waiting else []
        self.notes = [] if not self.waiting else self.notes
        self.flush()
        slide = self.add(kind, *lead, part)
        slide.notes += notes
        slide.layout = layout
        return slide

    @staticmethod
    def fits(parts: list[Part], most: int) -> bool:
        plain = all(part.kind == "text" for part in parts)
        return plain and sum(words(part.text) for part in parts) <= most

    def wait(self, part: Part) -> None:
        """Keep a part for the next slide; a full one is closed, but for what leads to the part."""
        if self.lines_waiting + part.lines > ROOM:
            ahead = self.announcement()
            last = self.waiting[-1:]
            if not ahead and part.kind != "text" and last and last[0].kind == "text":
                ahead = [self.waiting.pop()]
            self.flush()
            self.waiting += ahead
        self.open = None
        self.waiting.append(part)

    def finish(self) -> None:
        """Before a number: the sentence that says what it is, if it was cut."""
        if self.cut_end and words(self.cut_end) <= LEAD["beside"]:
            self.wait(text_part(self.cut_end))
        self.cut_end = ""

    def announcement(self) -> list[Part]:
        """Take the sentence that ends in a colon, if one is waiting, from what is waiting."""
        if not self.waiting or not self.waiting[-1].text.endswith(":"):
            return []
        *kept, last = sentences(self.waiting.pop().text)
        self.waiting += [text_part(" ".join(kept))] if kept else []
        return [text_part(last)]

    def flush(self) -> None:
        """A slide of what is waiting; very few words become a step of the slide before."""
        parts, self.waiting = self.waiting, []
        count = sum(words(part.text) if part.kind == "text" else BRIEF + 1 for part in parts)
        before = self.slides[-1] if self.slides else Slide(Markup())
        if 0 < count < FEW and before.heading == self.heading and before.kind != "vote":
            before.parts += [replace(part, later=True) for part in parts]
        elif parts:
            self.add("brief" if count <= BRIEF else "text", *parts)

    def add(self, kind: str, *parts: Part) -> Slide:
        begins = not self.slides or self.slides[-1].heading != self.heading
        slide = Slide(self.heading, kind, list(parts), self.notes, begins)
        self.notes, self.open, self.cut_end = [], None, ""
        self.slides.append(slide)
        return slide

    def close(self) -> None:
        """End a section; prose that was cut for good goes to the notes of its last slide."""
        self.flush()
        if self.slides:
            self.slides[-1].notes += self.notes
        self.notes, self.open = [], None
