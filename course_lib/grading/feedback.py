"""A page for each student: points, what failed, the hint, own code and output."""

from course_lib import lessons
from course_lib.grading.records import DIED, ERROR, MISSING, TIMEOUT, Result
from course_lib.grading.rendering import render
from course_lib.grading.written import Marks
from course_lib.lessons.judgement import CORRECT, NOT_ATTEMPTED, NOT_YET

MAX_TEXT, MAX_CELLS, MAX_PAGE = 20_000, 50, 5_000_000
WORDS = {  # of a mark, which is final: the notebook's check says "not yet"
    CORRECT: "correct",
    NOT_YET: "not correct",
    NOT_ATTEMPTED: "not attempted",
    ERROR: "stopped with an error",
    TIMEOUT: "took too long",
    DIED: "ended its process",
    MISSING: "missing",
}


def feedback_page(result: Result, marks: Marks, name: str = "") -> str:
    """The page for one result; without outputs if it would be larger than 5 MB.

    `name` is what the class list calls the student.
    """
    text = _render(result, marks, name, outputs=True)
    return text if len(text.encode()) <= MAX_PAGE else _render(result, marks, name, outputs=False)


def _render(result: Result, marks: Marks, name: str, *, outputs: bool) -> str:
    lesson, written = lessons.load(result.lesson), marks.total(result)
    return render(
        "feedback.html",
        lesson=lesson,
        result=result,
        marks=marks,
        name=name or result.student,
        written=written,
        total=f"{result.points + float(written or 0):g}",
        most=sum(w.max_points for w in result.written),
        notes=[note for note in result.notes if not note.for_lecturer],
        outputs=outputs,
        cells=result.cells[:MAX_CELLS] if outputs else (),
        rubrics={written.id: written.rubric for written in lesson.written},
        words=WORDS,
        correct=CORRECT,
        idle=NOT_ATTEMPTED,
        max_text=MAX_TEXT,
    )
