"""A page for each student: points, what failed, the hint, own code and output."""

from course_lib import lessons
from course_lib.grading.records import DIED, ERROR, MISSING, TIMEOUT, Result
from course_lib.grading.rendering import render
from course_lib.grading.written import Marks
from course_lib.lessons.judgement import CORRECT, SYMBOLS

MAX_TEXT, MAX_CELLS, MAX_PAGE = 20_000, 50, 5_000_000
WORDS = {
    ERROR: "stopped with an error",
    TIMEOUT: "took too long",
    DIED: "ended its process",
    MISSING: "missing",
}


def feedback_page(result: Result, marks: Marks) -> str:
    """The page for one result; without outputs if it would be larger than 5 MB."""
    text = _render(result, marks, outputs=True)
    return text if len(text.encode()) <= MAX_PAGE else _render(result, marks, outputs=False)


def _render(result: Result, marks: Marks, *, outputs: bool) -> str:
    lesson = lessons.load(result.lesson)
    return render(
        "feedback.html",
        lesson=lesson,
        result=result,
        marks=marks,
        notes=[note for note in result.notes if not note.for_lecturer],
        outputs=outputs,
        cells=result.cells[:MAX_CELLS] if outputs else (),
        rubrics={written.id: written.rubric for written in lesson.written},
        symbols=SYMBOLS,
        words=WORDS,
        correct=CORRECT,
        max_text=MAX_TEXT,
    )
