"""Everything for people, made from the stored results: pages, tables, the sheet to fill in."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path

from course_lib.files import write_atomically, write_if_changed
from course_lib.grading.classpage import class_page
from course_lib.grading.engine import load_result, result_file
from course_lib.grading.feedback import feedback_page
from course_lib.grading.likeness import Same, alike
from course_lib.grading.records import MISSING, Note, Result, to_json
from course_lib.grading.returning import pack_for_moodle
from course_lib.grading.roster import Roster
from course_lib.grading.sorting import MAX_SHOWN, Untaken
from course_lib.grading.submissions import Export, Submission
from course_lib.grading.tables import write_tables
from course_lib.grading.written import Marks, read_marks, write_sheet
from course_lib.lessons.diagnosis import counted

ATTEMPTS = "attempts"  # the folder for attempts of which the best counts
BESIDE = (
    "It lies beside a graded notebook, whose cells could read it; nobody has read it as an answer."
)
NO_PAGE = "{} could not be written ({}); the student's row is in all tables."
EARLIER = Note("Not in this run; graded earlier.", for_lecturer=True)


def to_grade(out: Path, export: Export) -> tuple[list[Submission], list[Submission]]:
    """What has to be graded: submissions, and attempts of which the best will count.

    Who handed in nothing now but something earlier keeps the earlier result.
    """
    single = [s for s in export.submissions if not s.attempts]
    missing_now = [s for s in single if s.item or not _handed_in(_stored(out, s))]
    return missing_now, [each for s in export.submissions for each in s.attempts]


def _stored(out: Path, submission: Submission) -> Result | None:
    return load_result(out, submission.student, submission.name)


def _handed_in(result: Result | None) -> bool:
    return bool(result) and any(task.outcome != MISSING for task in result.tasks)


@dataclass
class Class:
    """All results of a folder: those of this run, then those of earlier ones."""

    out: Path
    export: Export
    places: list[tuple[str, str, bool]] = field(default_factory=list)  # student, lesson, now
    unreadable: int = 0

    def __post_init__(self):
        for submission in self.export.submissions:
            if submission.attempts:
                self._keep_best(submission)
            self.places.append((submission.student, submission.name, True))
        now = {(student, name) for student, name, _ in self.places}
        for path in sorted((self.out / "results").glob("*/*.json")):
            if (path.parent.name, path.stem) not in now:
                self.places.append((path.parent.name, path.stem, False))

    def _keep_best(self, submission: Submission) -> None:
        tried = [_stored(self.out / ATTEMPTS, attempt) for attempt in submission.attempts]
        tried = [result for result in tried if result]
        if tried:
            best = max(reversed(tried), key=lambda result: result.points)
            path = result_file(self.out, submission.student, submission.name)
            write_atomically(path, to_json(replace(best, student=submission.student)))

    def __iter__(self):
        self.unreadable = 0
        for student, name, now in self.places:
            result = load_result(self.out, student, name)
            if result is None:
                self.unreadable += not now
            else:
                yield result if now else replace(result, notes=(*result.notes, EARLIER))


def publish(
    out: Path, export: Export, *, roster: Roster | None = None, only: Collection[str] = ()
) -> tuple[Marks, list[str]]:
    """Write feedback, tables, the import and the class page, with the marks in written.csv.

    What comes back are the marks, and sentences for the lecturer. `only` are the numbers of the
    lessons that go into the import, whatever else the folder has; all if it is empty.

    Results are read one at a time; nothing is rewritten that says the same already.
    """
    everybody, path = Class(out, export), out / "written.csv"
    before = path.read_bytes() if path.exists() else b""
    marks = read_marks(path)
    sheet, summaries = [], []
    for result in everybody:
        sheet += [(result.student, result.name, w) for w in result.written]
        summaries.append(result.summary())
    marks.assign(sheet)
    for result in summaries:
        marks.check(result)
    filled, names = None, {}
    if roster:
        now = Counter(s.name for s in export.submissions if s.item or s.attempts)
        filled = roster.filled(summaries, marks, only=only, now=now or None)
        names = {student: person.name for student, person in roster.matched.items()}
    said = [*export.said, *_write_pages(out, everybody, marks, names), *marks.warnings]
    if everybody.unreadable:
        said.append(
            f"{everybody.unreadable} earlier results in {out / 'results'} are of another version "
            f"of the course and in no table. Grade their submissions again, or delete them."
        )
    if roster:
        filled.write(out / "import.csv")
        said += roster.said + pack_for_moodle(out, summaries, roster)
        summaries = [roster.timed(summary) for summary in summaries]
    absent = roster.absent if roster else []
    same = alike(summaries)
    untaken = export.untaken + _beside(export) + _unread(export, summaries)
    write_tables(out, summaries, marks, absent=absent, untaken=untaken, same=same)
    if before == (path.read_bytes() if path.exists() else b""):
        write_sheet(path, sheet, marks)
    else:
        said.append(f"{path} was saved by somebody meanwhile and is left so. Run it again.")
    listed = {"untaken": untaken, "absent": absent, "same": same}
    page = class_page(summaries, marks, said=said, **listed)
    write_if_changed(out / "class.html", page)
    return marks, said + _about_untaken(out, untaken) + _about_same(out, same)


def _write_pages(out: Path, everybody: Class, marks: Marks, names: dict[str, str]) -> list[str]:
    """Write a page for each result, under the name of the class list; say which could not be."""
    troubles = []
    for result in everybody:
        page = out / "feedback" / result.student / f"{result.name}.html"
        try:
            write_if_changed(page, feedback_page(result, marks, names.get(result.student, "")))
        except Exception as error:  # nothing about one submission may end the batch
            troubles.append(NO_PAGE.format(page, type(error).__name__))
    return troubles


def _beside(export: Export) -> list[Untaken]:
    """The files beside graded notebooks, once for each student: an answer may be in them."""
    told = {(each.student, each.file) for each in export.untaken}
    files = {
        (s.student, "/".join(file.parts)[:MAX_SHOWN]): None
        for s in export.submissions
        for one in s.attempts or (s,)
        for file in one.beside
    }
    return [Untaken(*place, BESIDE) for place in files if place not in told]


def _unread(export: Export, results: list[Result]) -> list[Untaken]:
    """The files in which nothing could be graded, such as one that was damaged on its way."""
    found = {(r.student, r.name): r for r in results if not _handed_in(r)}
    files = {(s.student, s.name): "/".join(s.item.parts) for s in export.submissions if s.item}
    return [
        Untaken(student, files[student, name][:MAX_SHOWN], " ".join(note.text for note in r.notes))
        for (student, name), r in found.items()
        if (student, name) in files and r.notes
    ]


def _about_same(out: Path, same: list[Same]) -> list[str]:
    if not same:
        return []
    students = len({student for group in same for student in group.students})
    return [
        f"Answers that are the same, of {counted(students, 'student')}: a hint, in "
        f"{out / 'class.html'} and {out / 'same.csv'}."
    ]


def _about_untaken(out: Path, untaken: list[Untaken]) -> list[str]:
    if not untaken:
        return []
    return [f"Files that were not graded: {len(untaken)}. {out / 'not_taken.csv'} says why."]
