"""From what each student handed in to submissions: one for each lesson, nobody left out."""

import hashlib
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from course_lib import lessons
from course_lib.grading import limited
from course_lib.grading.archives import File, SubmissionsError, UnreadableFileError, list_files
from course_lib.grading.looking import look
from course_lib.grading.owners import copy_number, made_by_a_program
from course_lib.grading.records import Result
from course_lib.grading.sorting import Handed, Sorted, Untaken, class_folder

MAX_NAME = 80  # characters of a student's name that are kept
MAX_FILES, MAX_FILES_BYTES = 200, 20 * 2**20  # what may lie beside a notebook
MAX_SECONDS, STUDENT_SECONDS = 1800.0, 300.0  # on the clock: for all names, for a student's files
MAX_MEMORY = 2 * 2**30
STRAY = 0.2  # a lesson that one student, or no larger share, handed in is asked of nobody else
LAST, BEST = "last", "best"
LATE = "It was handed in late."
_UNSAFE = re.compile(r'[/\\:*?"<>|\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]')
_MARKED = re.compile(r"-[0-9a-f]{8}$")


def safe_name(raw: str) -> str:
    """A name that can be a folder's and a cell's in a table; distinct names stay distinct.

    Whatever had to be changed, and whatever looks as if it had been, ends with a hash of the
    original.

    >>> safe_name("ada"), safe_name("ada") == safe_name("ada/..")
    ('ada', False)
    """
    original = raw.encode("utf-8", "surrogateescape")
    name = original.decode("utf-8", "replace")
    name = "".join("\ufffd" if unicodedata.category(c) in ("Cc", "Cs") else c for c in name)
    name = _UNSAFE.sub("_", name).strip()
    if name.startswith("."):
        name = "_" + name.lstrip(".")
    name = name.rstrip(". ")[:MAX_NAME]
    while len(name.encode()) > 2 * MAX_NAME:
        name = name[:-1]
    if name == raw and name and not _MARKED.search(name):
        return name
    return f"{name or '_'}-{hashlib.sha256(original).hexdigest()[:8]}"


@dataclass(frozen=True)
class Submission:
    """One student's notebook for one lesson: where it is, not yet what it says."""

    student: str
    lesson: str  # "01"
    name: str  # "01_mdi"
    item: File | None
    beside: tuple[File, ...] = ()
    notes: tuple[str, ...] = ()
    late: bool | None = None  # None where the platform does not tell
    attempts: tuple["Submission", ...] = ()  # where the best counts: each has a name of its own

    def read(self, limit: int) -> tuple[bytes | None, list[str]]:
        """The notebook's bytes, or None and a note that says why not."""
        if self.item is None:
            return None, list(self.notes)
        try:
            content = self.item.read(limit + 1)
        except UnreadableFileError as error:
            return None, [*self.notes, str(error)]
        if len(content) > limit:
            return None, [*self.notes, f"The notebook is larger than {limit / 10**6:g} MB."]
        return content, list(self.notes)

    def files(self, is_over: Callable[[], bool]) -> tuple[dict[str, bytes], list[str]]:
        """What lies beside the notebook, for its own cells to read; links and giants are left.

        So is what is left when it `is_over`, the time that one submission may take.
        """
        found, left, room = {}, [], MAX_FILES_BYTES
        for item in self.beside:
            name = "/".join(item.parts)
            try:
                content = None if is_over() else item.read(room + 1)
            except UnreadableFileError:
                content = None
            if content is None or len(content) > room or len(found) == MAX_FILES:
                left.append(name)
                continue
            found[name] = content
            room -= len(content)
        note = "Not taken along (a link, too large or unreadable): "
        shown = ", ".join(safe_name(name) for name in left[:5])
        return found, [note + shown + ("..." if len(left) > 5 else "") + "."] if left else []


@dataclass(frozen=True)
class Export:
    """What was found in a folder or archive."""

    submissions: list[Submission]
    untaken: list[Untaken]
    said: list[str] = field(default_factory=list)  # what was taken for what, for the lecturer

    def to_grade(self) -> list[Submission]:
        """What has to be run: each attempt, where the best of several counts."""
        return [each for s in self.submissions for each in s.attempts or (s,)]


def find(root: Path, *, ignore: Path | None = None) -> list[Submission]:
    """All submissions in a folder or zip file, one per student and lesson, in order."""
    return read_export(root, ignore=ignore).submissions


def read_export(
    root: Path,
    *,
    ignore: Path | None = None,
    attempts: str = LAST,
    only: Iterable[str] = (),
    due: str = "",
) -> Export:
    """Everything in a folder or zip file: submissions in order, and what was not taken.

    A student who handed in some lesson of the class but not another has a submission for both.

    Parameters
    ----------
    root : Path
        A folder or a zip file, as a learning platform exports it.
    ignore : Path, optional
        A folder within that holds something else, such as results.
    attempts : {"last", "best"}
        Which of several notebooks of a student for a lesson counts.
    only : iterable of str
        Numbers of the lessons to look for, such as ("01",); all if it is empty.
    due : str
        A time such as 2026-10-03T23:59:00; attempts that the platform dates later are late.
    """
    known = {lesson.number: lesson.name for lesson in lessons.available()}
    if unknown := sorted(set(only) - known.keys()):
        raise SubmissionsError(
            f"There is no lesson {', '.join(unknown)}. The lessons are {', '.join(sorted(known))}."
        )
    wanted = {number: known[number] for number in sorted(set(only) or known)}
    try:
        options = {"seconds": MAX_SECONDS, "memory": MAX_MEMORY}
        made = limited.call(_names, root, ignore, list(known.values()), **options)
    except limited.LimitError as error:
        raise SubmissionsError(
            f"{root} cannot be read. {error} Take out what is unusually large, and try again."
        ) from None
    _look(made, known)
    if not made.students:
        raise SubmissionsError(
            f"There is no submission in {root}. Give the folder that holds one folder per student, "
            f"or the zip file from your learning platform."
        )
    return _Choice(made, wanted, attempts, due).export(root)


def _names(root: Path, ignore: Path | None, names: list[str]) -> Sorted:
    """Everything that can be known by names; for a process with limits."""
    return Sorted(list_files(class_folder(root), ignore=ignore), names)


def _look(made: Sorted, known: dict[str, str]) -> None:
    """Look into the files, one student after the other; what goes wrong is told of that one."""
    with limited.Helper(look, seconds=STUDENT_SECONDS, memory=MAX_MEMORY) as helper:
        for student, mine in list(made.students.items()):
            try:
                looked = helper(mine, known)
            except Exception as error:
                why = f"The student's files cannot be read: {_sentence(error)}"
                looked = [replace(handed, told=why) for handed in mine]
            strays = [h for h in looked if h.stray and not h.is_notebook]
            made.untaken += [Untaken("", h.name, h.stray) for h in strays]
            made.students[student] = [h for h in looked if h not in strays]
            if not made.students[student]:
                del made.students[student]


def _sentence(error: Exception) -> str:
    return str(error) if isinstance(error, limited.LimitError) else f"{type(error).__name__}."


class _Choice:
    """Which notebook is graded for whom; `lessons` are those that are asked for, by number."""

    def __init__(self, made: Sorted, lesson_names: dict[str, str], attempts: str, due: str):
        self.students, self.lessons = made.students, lesson_names
        self.attempts, self.due = attempts, due
        self.untaken, self.said = list(made.untaken), list(made.said)
        self.notebooks = {s: self._notebooks(mine) for s, mine in self.students.items()}

    def export(self, root: Path) -> Export:
        asked, submissions = self._asked(root), []
        for student in sorted(self.students, key=os.fsencode):
            numbers = sorted(asked | self.notebooks[student].keys())
            mine = [self._submission(student, number, asked) for number in numbers]
            graded = [each for s in mine for each in s.attempts or (s,) if each.item]
            self._tell(student, {file.source for s in graded for file in (s.item, *s.beside)})
            submissions += mine
        return Export(submissions, self.untaken, self.said)

    def _asked(self, root: Path) -> set[str]:
        """The lessons that everybody has a submission for."""
        counts = Counter(number for mine in self.notebooks.values() for number in mine)
        if asked := asked_of_all(counts):
            self._say_strays(counts.keys() - asked)
            return asked
        if len(self.lessons) == 1:
            return set(self.lessons)
        names = [safe_name(h.name) for mine in self.students.values() for h in mine][:5]
        raise SubmissionsError(
            f"No notebook in {root} has the cells of an exercise. It holds such files as "
            f"{', '.join(names)}. Give what was handed in for an exercise of this course."
        )

    def _say_strays(self, strays: set[str]) -> None:
        for number in sorted(strays):
            who = sorted(safe_name(s) for s, mine in self.notebooks.items() if number in mine)
            self.said.append(
                f"{self.lessons[number]} was handed in by {', '.join(who[:8])}"
                f"{f' and {len(who) - 8} more' if len(who) > 8 else ''}; it is graded for them, "
                f"and asked of nobody else."
            )

    def _notebooks(self, mine: list[Handed]) -> dict[str, list[Handed]]:
        """For each lesson the notebooks that have its cells, the one to be graded last.

        If none has, a notebook that is called after the lesson: grading will say what is wrong.
        """
        found: dict[str, list[Handed]] = {}
        for handed in mine:
            for number in self.lessons.keys() & _main_lessons(handed.found):
                found.setdefault(number, []).append(handed)
        for number, notebooks in found.items():
            if len(notebooks) > 1:
                notebooks.sort(key=lambda handed, number=number: self._order(handed, number))
        for handed in mine:
            if handed.is_notebook and not handed.found and not handed.told:
                for number, name in self.lessons.items():
                    if _is_called(handed.last, name):
                        found.setdefault(number, [handed])
        return found

    def _order(self, handed: Handed, number: str) -> tuple:
        return number in handed.touched, handed.owner.attempt, copy_number(handed.last), handed.name

    def _submission(self, student: str, number: str, asked: set[str]) -> Submission:
        basic = Submission(safe_name(student), number, self.lessons[number], None)
        notebooks = self.notebooks[student].get(number, [])
        if not notebooks and len(asked) == 1:
            notebooks = [h for h in self.students[student] if h.is_notebook and not h.told][:1]
            notebooks = [h for h in notebooks if not h.found]
        if not notebooks:
            late = self._any_late(student)
            notes = (self._nothing(student), *([LATE] if late else []))
            return replace(basic, notes=notes, late=late)
        last = self._one(basic, notebooks[-1])
        if len(notebooks) == 1:
            return last
        worked_on = [h for h in notebooks if number in h.touched]
        if self.attempts == BEST and len(worked_on) > 1:
            note = f"{len(worked_on)} notebooks for this lesson; the best counts."
            made = [self._one(basic, handed, note) for handed in worked_on]
            named = [
                replace(one, student=safe_name(f"{student}/attempt {k}"))
                for k, one in enumerate(made, start=1)
            ]
            return replace(made[-1], attempts=tuple(named))
        graded = safe_name(notebooks[-1].last)
        note = f"{len(notebooks)} notebooks for this lesson; {graded} was graded."
        return self._one(basic, notebooks[-1], note)

    def _one(self, basic: Submission, handed: Handed, *notes: str) -> Submission:
        late = self._is_late(handed)
        told = [LATE] if late else []
        unsure = [] if handed.owner.sure else ["The file's name does not say whose it is."]
        beside = tuple(_beside(self.students[handed.owner.student], handed))
        notes = (*told, *unsure, *notes)
        return replace(basic, item=handed.file, beside=beside, notes=notes, late=late)

    def _is_late(self, handed: Handed) -> bool | None:
        """Whether it came late; None if the platform neither says it nor dates it, or no due."""
        dated = re.match(r"\d{4}-\d\d-\d\dT", handed.owner.attempt)
        after = handed.owner.attempt > self.due if self.due and dated else None
        return handed.owner.late or (handed.owner.late if after is None else after)

    def _any_late(self, student: str) -> bool | None:
        known = [self._is_late(handed) for handed in self.students[student]]
        return True if True in known else None if None in known else False

    def _nothing(self, student: str) -> str:
        """Why there is nothing to grade."""
        mine = self.students[student]
        others = sorted(set().union(*(_main_lessons(handed.found) for handed in mine)))
        text = "No notebook of this exercise was submitted."
        if others:
            text += f" There is one with cells of lesson {', '.join(others)}."
        elif names := [safe_name(handed.last) for handed in mine if handed.last]:
            text += f" There is only {', '.join(names)[:200]}."
        told = [handed.told for handed in mine if handed.told][:1]
        return " ".join([text, *told])

    def _tell(self, student: str, taken: set[tuple[str, ...]]) -> None:
        """Note which of a student's files are neither graded nor lie beside a graded one."""
        for handed in self.students[student]:
            if handed.last and (handed.told or handed.file.source not in taken):
                reason = self._why(student, handed)
                self.untaken.append(Untaken(safe_name(student), handed.name, reason))

    def _why(self, student: str, handed: Handed) -> str:
        if handed.told:
            return handed.told
        for number in sorted(_main_lessons(handed.found)):
            if number not in self.lessons:
                return f"It has cells of lesson {number}, which was not asked for."
            taken = self.notebooks[student][number][-1]
            when = f" of {taken.owner.attempt}" if taken.owner.attempt else ""
            return f"Another notebook for lesson {number} was graded: {taken.name}{when}."
        return "It has no cell of an exercise." if handed.is_notebook else "It is no notebook."


def asked_of_all(counts: Mapping[str, int]) -> set[str]:
    """The lessons that enough students have: not a single one, and not a small share.

    >>> sorted(asked_of_all({"01": 10, "02": 1, "03": 2, "04": 3}))
    ['01', '04']
    """
    most = max(counts.values(), default=0)
    return {k for k, n in counts.items() if n == most or (n > 1 and n > STRAY * most)}


def _main_lessons(found: Counter) -> set[str]:
    """The lessons of a notebook: those with at least half as many cells as the foremost."""
    most = max(found.values(), default=0)
    return {number for number, count in found.items() if 2 * count >= most}


def _is_called(file: str, name: str) -> bool:
    loose = name.replace("_", "[ _-]?")
    return bool(re.search(rf"(?<!\d){loose}(?![a-z\d])", file[:200], re.I))


def _beside(mine: list[Handed], own: Handed) -> Iterator[File]:
    """The other files of the notebook's folder, notebooks excepted."""
    depth = len(own.file.parts) - 1
    for handed in mine:
        inner = handed.file.parts[depth:]
        near = handed.file.parts[:depth] == own.file.parts[:depth]
        if near and handed.owner.attempt == own.owner.attempt and handed.last:
            if not handed.is_notebook and not made_by_a_program(inner):
                yield replace(handed.file, parts=inner)


def is_late(result: Result) -> bool | None:
    """Whether a result is of something that came late; None if nothing tells."""
    return any(note.text == LATE for note in result.notes) or result.late
