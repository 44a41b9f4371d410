"""A lesson as a talk: which parts of its notebook are shown, in which steps, and what is said.

Headings start slides. Figures, tables, questions and their answers get a slide each, with a line
before and, at a further step, a line after. Of longer prose the key sentences are shown, and all
of it stands in the speaker's notes. Code is shown if it is short and its result is no picture.
"""

import re

from markupsafe import Markup

from course_lib import lessons
from course_lib.lessons import Prediction
from course_lib.tools.slides import votes
from course_lib.tools.slides.deck import ROOM, Deck, Part, Slide, text_part
from course_lib.tools.slides.outputs import Output, code_html, outputs_of
from course_lib.tools.slides.prose import (
    CURT,
    Block,
    blocks,
    key_sentences,
    sentences,
    to_html,
    words,
)

CALL = re.compile(
    r'^(predict|reveal|recall|may_i_say|pre_test|post_test|progress|ready)\((?:"([\w.]+)")?',
    re.MULTILINE,
)
WHOLE = {"Keep this"}  # sections of which nothing is cut


def talk(notebook, lesson: lessons.Lesson) -> list[Slide]:
    """The slides of a built lesson, in order; the first has the title.

    A cell that is marked ``slideshow={"slide_type": "skip"}`` is left out.
    """
    made = _Talk(lesson)
    for cell in notebook.cells:
        if cell.metadata.get("slideshow", {}).get("slide_type") == "skip":
            continue
        if cell.cell_type == "markdown":
            for block in blocks(cell.source):
                made.block(block)
        else:
            made.code(cell)
    made.close()
    return made.slides


class _Talk(Deck):
    """Goes through a lesson, and fills its slides."""

    def __init__(self, lesson: lessons.Lesson):
        super().__init__()
        self.lesson, self.whole = lesson, True

    # Text

    def block(self, block: Block) -> None:
        if block.kind == "heading":
            self.section(block)
        elif block.kind == "paragraph":
            self.paragraph(" ".join(block.text.split()))
        elif block.kind == "table":
            self.show(Output("table", to_html(block.text), lines=block.text.count("\n")))
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
        elif text == self.lesson.times:
            self.slides[0].notes.append(to_html(text))
        elif self.heading == "Sources":
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
        shown_text = " ".join(runs)
        note = [to_html(text)] if words(shown_text) < words(text) else []
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
            self.wait(text_part(run))
        last = key_sentences(sentences(text)[-1])
        self.cut_end = last[0] if note and last and not shown_text.endswith(last[0]) else ""

    def quotation(self, text: str) -> None:
        quoted = " ".join(re.sub(r"^> ?", "", text, flags=re.MULTILINE).split())
        self.flush()
        self.add("quote", Part(Markup("<blockquote>{}</blockquote>").format(to_html(quoted))))

    # Code

    def code(self, cell) -> None:
        call = CALL.search(cell.source)
        name, key = call.groups() if call else ("", None)
        if name == "predict":
            self.vote(lessons.find("predictions", key))
        elif name == "reveal":
            self.answer(lessons.find("predictions", key), outputs_of(cell)[0])
        elif name in ("recall", "may_i_say"):
            self.questions(name, key)
        elif name:
            self.drop_announcement()
        else:
            self.results(cell)

    def results(self, cell) -> None:
        for output in outputs_of(cell):
            if "readout_text" in cell.source:
                self.drop_announcement(whole=True)
            elif output.kind == "figure":
                self.show(output)
            elif output.kind == "table":
                self.show(output, code_html(cell.source, most=2))
            else:
                self.finish()
                self.text_result(output, code_html(cell.source))

    def text_result(self, output: Output, code: Markup) -> None:
        """Show a text: a mere True only after words that wait for it.

        For any other, if no words wait, those after the last picture are taken to lead to it.
        The code is shown where there is room.
        """
        last = self.slides[-1]
        if not self.waiting and output.is_verdict:
            return
        if not self.waiting and last.heading == self.heading and last.parts[-1].later:
            self.waiting += [text_part(part.text) for part in [last.parts.pop()] if part.text]
        lines = 0.6 + 0.8 * output.lines
        with_code = lines + 1.4 + 0.8 * code.count("\n")
        if code and (self.lines_waiting + with_code <= ROOM or not self.waiting):
            self.wait(Part(code + output.html, "result", with_code))
        else:
            self.wait(Part(output.html, "result", lines))

    def drop_announcement(self, whole: bool = False) -> None:
        """Take back "Your progress so far:" where nothing follows, or all of its paragraph."""
        if whole and self.waiting and self.waiting[-1].text.endswith(":"):
            self.notes.append(self.waiting.pop().html)
        self.announcement()

    # Questions

    def vote(self, prediction: Prediction) -> None:
        html, notes = votes.prediction(prediction)
        self.with_lead("vote", Part(html, "vote")).notes.append(notes)

    def answer(self, prediction: Prediction, output: Output) -> None:
        ahead = self.announcement()  # of what comes after the answer
        self.flush()
        asked = Markup('<p class="asked">{}</p>').format(prediction.question)
        self.open = self.add("answer", Part(asked), Part(output.html, "answer"))
        self.waiting = ahead

    def questions(self, name: str, key: str) -> None:
        of_group = [item for item in self.lesson.statements if item.group == key]
        self.flush()
        for item in self.lesson.recall if name == "recall" else of_group:
            asked, told, notes = (votes.recall if name == "recall" else votes.statement)(item)
            slide = self.add("vote", Part(asked, "vote"), Part(told, "told", later=True))
            slide.notes.append(notes)
