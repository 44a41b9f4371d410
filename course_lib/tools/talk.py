"""A lesson as a talk: which parts of its notebook are shown, in which steps, and what is said.

Headings start slides. Figures, tables, questions and their answers get a slide each, with a line
before and, at a further step, a line after. Of longer prose the key sentences are shown, and all
of it stands in the speaker's notes. Code is shown if it is short and its result is no picture.
"""

import re
from dataclasses import dataclass, field
from html import escape

from course_lib import lessons
from course_lib.lessons import Prediction
from course_lib.tools import votes
from course_lib.tools.outputs import Shown, code_html, shown
from course_lib.tools.prose import CURT, Block, blocks, key_sentences, sentences, to_html, words

__all__ = ["Part", "Slide", "talk"]

ROOM, ACROSS = 12, 13  # lines of text on a slide, words in a line
# Words before a thing on its slide, and words after it, a step later.
LEAD = {"figure": 40, "table": 45, "vote": 25, "beside": 32, "alone": 12}
TAIL = {"figure": 45, "table": 45, "answer": 30, "beside": 32}
FULL = 7  # lines of a table that leave no room for words after it
CALL = re.compile(
    r'^(predict|reveal|recall|may_i_say|pre_test|post_test|progress|ready)\((?:"([\w.]+)")?',
    re.MULTILINE,
)
WHOLE = {"Keep this"}  # sections of which nothing is cut


@dataclass
class Part:
    """Something on a slide; `later` keeps it back for a further step."""

    html: str
    kind: str = "text"
    lines: float = 0.0
    later: bool = False
    text: str = ""


@dataclass
class Slide:
    """What is shown together under a heading, and what the speaker may say about it."""

    heading: str
    kind: str = "text"
    parts: list[Part] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    begins: bool = False  # the first of its section
    layout: str = "under"  # where the picture stands: under the text, beside it, alone

    @property
    def words_after(self) -> int:
        return TAIL[self.layout if self.layout == "beside" else self.kind]


def talk(notebook, lesson: lessons.Lesson) -> list[Slide]:
    """The slides of a built lesson, in order; the first has the title.

    A cell that is marked ``slideshow={"slide_type": "skip"}`` is left out.
    """
    builder = _Builder(lesson)
    for cell in notebook.cells:
        if cell.metadata.get("slideshow", {}).get("slide_type") == "skip":
            continue
        if cell.cell_type == "markdown":
            for block in blocks(cell.source):
                builder.block(block)
        else:
            builder.code(cell)
    builder.close()
    return builder.slides


class _Builder:
    """Goes through a lesson and keeps what is waiting for its slide."""

    def __init__(self, lesson: lessons.Lesson):
        self.lesson, self.slides = lesson, []
        self.heading, self.whole = "", True
        self.waiting: list[Part] = []
        self.notes: list[str] = []
        self.open: Slide | None = None  # may still get the line after its picture

    # Text

    def block(self, block: Block) -> None:
        if block.kind == "heading":
            self.section(block)
        elif block.kind == "paragraph":
            self.paragraph(" ".join(block.text.split()))
        elif block.kind == "table":
            self.show(Shown("table", to_html(block.text), lines=block.text.count("\n")))
        elif block.kind == "blockquote":
            self.quotation(block.text)
        else:
            self.wait(Part(to_html(block.text), block.kind, 2.0 + block.text.count("\n")))

    def section(self, block: Block) -> None:
        self.close()
        title = block.text.lstrip("# ")
        self.heading, self.whole = to_html(title)[3:-4], title in WHOLE
        if block.text.startswith("# "):
            self.whole = True
            self.add("title").begins = True

    def paragraph(self, text: str) -> None:
        if text.startswith("*In this lesson"):
            self.slides[0].parts.append(Part(to_html(text.strip("*"))))
        elif text.startswith("*Times.*"):
            self.slides[0].notes.append(to_html(text))
        elif text.startswith("*Words of this lesson"):
            self.slides[-1].notes.append(to_html(text))
        elif text.startswith("*Sources.*"):
            self.close()
            self.heading = "Sources"
            self.add("sources", Part(to_html(text.removeprefix("*Sources.*").strip())))
        else:
            self.say(text)

    def say(self, text: str) -> None:
        """Put a paragraph after the picture it speaks of, or before the next one."""
        leads = text.endswith((":", "?", ","))
        runs = [text] if self.whole else key_sentences(text, and_last=leads)
        note = [to_html(text)] if words(" ".join(runs)) < words(text) else []
        ahead = sentences(runs[-1])[-1] if runs and leads else ""
        behind = [run.removesuffix(ahead).strip() if ahead else run for run in runs]
        behind = [run for run in behind if run]
        if self.open and CURT <= words(" ".join(behind)) <= self.open.words_after:
            self.open.parts += [Part(to_html(run), later=True, text=run) for run in behind]
            self.open.notes += note
            runs, note = [ahead] if ahead else [], []
        self.open = None
        self.notes += note
        for run in runs:
            self.wait(_text(run))

    def quotation(self, text: str) -> None:
        quoted = " ".join(re.sub(r"^> ?", "", text, flags=re.MULTILINE).split())
        self.flush()
        self.add("quote", Part(f"<blockquote>{to_html(quoted)}</blockquote>"))

    # Code

    def code(self, cell) -> None:
        call = CALL.search(cell.source)
        name, key = call.groups() if call else ("", None)
        if name == "predict":
            self.vote(lessons.find("predictions", key))
        elif name == "reveal":
            self.answer(lessons.find("predictions", key), shown(cell)[0])
        elif name in ("recall", "may_i_say"):
            self.questions(name, key)
        elif name:
            self.drop_announcement()
        else:
            self.results(cell)

    def results(self, cell) -> None:
        for output in shown(cell):
            if output.kind != "text":
                code = code_html(cell.source, most=2) if output.kind == "table" else ""
                self.show(output, code)
            elif "readout_text" in cell.source:
                self.drop_announcement(whole=True)
            elif self.lead_back(output.is_verdict):
                self.wait(self.result(output, code_html(cell.source)))

    def result(self, output: Shown, code: str) -> Part:
        """Text that a cell gave, with the cell's code where there is room for it."""
        used = sum(part.lines for part in self.waiting)
        lines = 0.6 + 0.8 * output.lines
        with_code = lines + 1.4 + 0.8 * code.count("\n")
        if code and (used + with_code <= ROOM or not used):
            return Part(code + output.html, "result", with_code)
        return Part(output.html, "result", lines)

    def lead_back(self, is_verdict: bool) -> bool:
        """Whether to show a text: a mere True only after words that wait for it.

        Any other text is shown; if no words wait, those after the last picture lead to it.
        """
        last = self.slides[-1]
        if is_verdict or self.waiting:
            return bool(self.waiting)
        if last.heading == self.heading and last.parts[-1].later and last.parts[-1].text:
            self.waiting.append(_text(last.parts.pop().text))
        return True

    def drop_announcement(self, whole: bool = False) -> None:
        """Take back "Your progress so far:" where nothing follows, or all of its paragraph."""
        if whole and self.waiting and self.waiting[-1].text.endswith(":"):
            self.notes.append(self.waiting.pop().html)
        self.announcement()

    # Questions

    def vote(self, prediction: Prediction) -> None:
        html, notes = votes.prediction(prediction)
        self.with_lead("vote", Part(html, "vote")).notes.append(notes)

    def answer(self, prediction: Prediction, output: Shown) -> None:
        ahead = self.announcement()  # of what comes after the answer
        self.flush()
        asked = f'<p class="asked">{escape(prediction.question)}</p>'
        self.open = self.add("answer", Part(asked), Part(output.html, "answer"))
        self.waiting = ahead

    def questions(self, name: str, key: str) -> None:
        of_group = [item for item in self.lesson.statements if item.group == key]
        self.flush()
        for item in self.lesson.recall if name == "recall" else of_group:
            asked, told, notes = (votes.recall if name == "recall" else votes.statement)(item)
            slide = self.add("vote", Part(asked, "vote"), Part(told, "told", later=True))
            slide.notes.append(notes)

    # Slides

    def show(self, output: Shown, code: str = "") -> None:
        """A slide for a picture or a table, with what leads to it."""
        slide = self.with_lead(output.kind, Part(code + output.html, output.kind), output.layout)
        full = output.layout == "alone" or output.layout == "under" and output.lines >= FULL
        self.open = None if full else slide

    def with_lead(self, kind: str, part: Part, layout: str = "under") -> Slide:
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
        if sum(p.lines for p in self.waiting) + part.lines > ROOM:
            ahead = self.announcement()
            if self.waiting and not ahead and part.kind != "text" == self.waiting[-1].kind:
                ahead = [self.waiting.pop()]
            self.flush()
            self.waiting += ahead
        self.open = None
        self.waiting.append(part)

    def announcement(self) -> list[Part]:
        """Take the sentence that ends in a colon, if one is waiting, from what is waiting."""
        if not self.waiting or not self.waiting[-1].text.endswith(":"):
            return []
        *kept, last = sentences(self.waiting.pop().text)
        self.waiting += [_text(" ".join(kept))] if kept else []
        return [_text(last)]

    def flush(self) -> None:
        if self.waiting:
            parts, self.waiting = self.waiting, []
            brief = sum(words(part.text) for part in parts) <= 45
            plain = all(part.kind == "text" for part in parts)
            self.add("brief" if brief and plain else "text", *parts)

    def add(self, kind: str, *parts: Part) -> Slide:
        begins = not self.slides or self.slides[-1].heading != self.heading
        slide = Slide(self.heading, kind, list(parts), self.notes, begins)
        self.notes, self.open = [], None
        self.slides.append(slide)
        return slide

    def close(self) -> None:
        """End a section; prose that was cut for good goes to the notes of its last slide."""
        self.flush()
        if self.slides:
            self.slides[-1].notes += self.notes
        self.notes, self.open = [], None


def _text(text: str) -> Part:
    return Part(to_html(text), lines=0.6 + words(text) / ACROSS, text=text)
