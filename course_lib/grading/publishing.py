"""Everything for people, made from the stored results: pages, tables, the sheet to fill in."""

from pathlib import Path

from course_lib.files import write_if_changed
from course_lib.grading.classpage import class_page
from course_lib.grading.engine import load_result
from course_lib.grading.feedback import feedback_page
from course_lib.grading.submissions import Submission
from course_lib.grading.tables import write_tables
from course_lib.grading.written import Marks, write_sheet


def publish(out: Path, submissions: list[Submission], marks: Marks) -> list[str]:
    """Write feedback, tables and the class page; return warnings for the lecturer.

    Results are read one at a time; nothing is rewritten that says the same already.
    """
    summaries, sheet = [], []
    for submission in submissions:
        result = load_result(out, submission.student, submission.name)
        if result is None:
            continue
        marks.check(result)
        page = out / "feedback" / submission.student / f"{submission.name}.html"
        write_if_changed(page, feedback_page(result, marks))
        summaries.append(result.summary())
        sheet += [(result.student, result.name, w) for w in result.written]
    write_tables(out, summaries, marks)
    write_sheet(out / "written.csv", sheet, marks)
    write_if_changed(out / "class.html", class_page(summaries, marks))
    return marks.warnings
