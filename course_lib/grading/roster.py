"""The class list of a learning platform: results go into its own columns, to be imported there.

Known are Canvas' gradebook, Moodle's grading worksheet and participants, Brightspace's and
Blackboard's grades, and any table with a name and an id.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from course_lib.grading import worksheet
from course_lib.grading.people import (
    POSSIBLE,
    Person,
    fitting_people,
    has_participants,
    people_of,
)
from course_lib.grading.records import MISSING, Result
from course_lib.grading.spreadsheet import Table, TableError, read_table
from course_lib.grading.submissions import asked_of_all
from course_lib.grading.written import Marks

GRADE = {
    "grade",
    "bewertung",
    "note",
    "calificación",
    "cijfer",
    "beoordeling",
    "nota",
    "valutazione",
}
END = "end-of-line indicator"
TOTALS = re.compile(r"(?:Current|Final|Override) (?:Score|Points|Grade|Status)")
MAXIMUM = re.compile(r"(?:MaxPoints:|Total Pts: ?)(\d+(?:[.,]\d+)?)")
MAX_SAID = 8
EXCUSED = {"EX", "N/A"}  # Canvas: excused, or not assigned to this student


class RosterError(ValueError):
    """The class list cannot be used; the message says why and what to do."""


@dataclass
class Roster:
    """A class list, and which column belongs to which lesson; who is on it says `people`."""

    path: Path
    table: Table
    chosen: dict[str, str]  # lesson -> column, as somebody said on the command line
    people: list[Person]
    said: list[str] = field(default_factory=list)  # what the lecturer should know
    absent: list[Person] = field(default_factory=list)  # who handed in nothing
    unclear: set[int] = field(default_factory=set)  # rows that a submission may belong to
    matched: dict[str, Person] = field(default_factory=dict)  # by the submission's name
    entered: dict[str, int] = field(default_factory=dict)  # lesson -> the column it went into

    @classmethod
    def read(cls, path: Path, columns: dict[str, str] | None = None) -> "Roster":
        """Read a class list; `columns` says into which of its columns a lesson's points go."""
        try:
            table = read_table(path)
        except (TableError, OSError) as error:
            raise RosterError(f"The roster {path} cannot be read. {error}") from None
        people = people_of(table)
        if not people:
            raise RosterError(
                f"The roster {path} has no column with names and ids; it has "
                f"{', '.join(table.header[:8])}. Give the gradebook that Canvas, Moodle, "
                f"Brightspace or Blackboard exports, or a table with the columns name and id."
            )
        for column in (columns or {}).values():
            if column not in table.header:
                raise RosterError(
                    f"The roster {path} has no column {column!r}. It has "
                    f"{', '.join(map(repr, table.header))}."
                )
        return cls(path, table, columns or {}, people)

    # Who is who

    def match(self, students: list[str]) -> dict[str, Person]:
        """The person that each submission belongs to; what is not certain is said and left."""
        found, unclear, strangers, self.unclear = {}, [], [], set()
        by_number = self.kind in ("canvas", "moodle")
        for student in students:
            fitting = fitting_people(self.people, student, by_number=by_number)
            if len(fitting) == 1:
                found[student] = fitting[0]
            elif fitting:
                unclear.append(f"{student} ({' or '.join(p.name for p in fitting[:3])})")
                self.unclear |= {person.row for person in fitting}
            else:
                strangers.append(student)
        claims = Counter(person.row for person in found.values())
        twice = {student: p for student, p in found.items() if claims[p.row] > 1}
        unclear += [f"{student} ({p.name}, as another one)" for student, p in twice.items()]
        self.unclear |= {person.row for person in twice.values()}
        self._say("it is not clear who is meant by", unclear, "; nothing was filled in for them")
        self._say("nobody in it is", strangers)
        return {student: p for student, p in found.items() if student not in twice}

    def _say(self, what: str, names: list[str], end: str = "") -> None:
        if names:
            shown = ", ".join(names[:MAX_SAID])
            more = f" and {len(names) - MAX_SAID} more" if len(names) > MAX_SAID else ""
            self.said.append(f"{self.path.name}: {what} {shown}{more}{end}.")

    # Which columns are for what

    @property
    def kind(self) -> str:
        names = [name.strip().lower() for name in self.table.header]
        if names[0] in ("student", "lastname") and "section" in names and "id" in names:
            return "canvas"
        if END in names:
            return "brightspace"
        if any(MAXIMUM.search(name) for name in self.table.header) and "username" in names:
            return "blackboard"
        return "moodle" if has_participants(self.table) and set(names) & GRADE else "table"

    def filled(
        self,
        results: list[Result],
        marks: Marks,
        *,
        only: Collection[str] = (),
        now: Mapping[str, int] | None = None,
    ) -> Table:
        """The class list with the points of these results; no column has those of two lessons.

        Parameters
        ----------
        results : list of Result
        marks : Marks
        only : collection of str
            Numbers of the lessons whose points go in; all if it is empty.
        now : mapping, optional
            How many handed in each lesson in this run, by the lesson's name.
        """
        matched = self.match(sorted({r.student for r in results}))
        self.matched, self.entered = matched, {}
        header, rows = list(self.table.header), [list(row) for row in self.table.rows]
        by_lesson = defaultdict(list)
        for r in sorted(results, key=lambda r: r.name):
            if not only or r.lesson in only:
                by_lesson[r.name].append(r)
        for lesson, column in self._columns(by_lesson, header, rows, now):
            self.said.append(f"{self.path.name}: {lesson} goes into {header[column]!r}.")
            self.entered[lesson] = column
            self._fill(lesson, by_lesson[lesson], marks, matched, column, header, rows)
            self._comment(by_lesson[lesson], marks, header, rows)
        present = {person.row for person in matched.values()} | self.unclear
        self.absent = [person for person in self.people if person.row not in present]
        names = [person.name for person in self.absent]
        self._say("nothing was handed in by", names, "; what it has for them stays")
        return replace(self.table, header=tuple(header), rows=tuple(map(tuple, rows)))

    def _columns(self, by_lesson, header, rows, now) -> list[tuple[str, int]]:
        """Each lesson that goes in, with its column: one lesson for a column, or none."""
        wanted, stray = defaultdict(list), self._stray(by_lesson)
        for lesson, mine in by_lesson.items():
            if lesson in stray and not self._has_column(lesson, mine[0], header):
                self._say(
                    f"no column was added for {lesson}; to add one, --lesson {lesson[:2]}. It was "
                    f"handed in by",
                    _who_handed_in(mine),
                    " alone",
                )
            elif (column := self._column(lesson, mine[0], header, rows)) is not None:
                wanted[column].append(lesson)
        found = []
        for column, rivals in wanted.items():
            who = {lesson: _who_handed_in(by_lesson[lesson]) for lesson in rivals}
            lesson = rivals[0] if len(rivals) == 1 else self._foremost(who, now, header[column])
            found += [(lesson, column)] if lesson else []
        return found

    def _stray(self, by_lesson: dict[str, list[Result]]) -> set[str]:
        """The lessons that so few handed in that it looks like a mistake."""
        counts = {lesson: len(_who_handed_in(mine)) for lesson, mine in by_lesson.items()}
        return set(counts) - asked_of_all(counts)

    def _has_column(self, lesson: str, example: Result, header: list) -> bool:
        chosen = {lesson, example.lesson} & self.chosen.keys()
        return bool(chosen or self._fitting_columns(lesson, example.lesson, header))

    def _foremost(self, who: dict[str, list[str]], now, column: str) -> str:
        """The lesson that most handed in, in this run and in all; empty if these are not one."""
        counts = {lesson: len(students) for lesson, students in who.items()}
        this_run = {lesson: (counts if now is None else now).get(lesson, 0) for lesson in who}
        first, here = _most_of(counts), _most_of(this_run)
        if not first or first != here:
            numbers = " or ".join(f"--lesson {lesson[:2]}" for lesson in who)
            self.said.append(
                f"{self.path.name}: {column!r} is one column, and {' and '.join(who)} were handed "
                f"in; neither is in it. Say which one it is for: {numbers}."
            )
            return ""
        for lesson, students in who.items():
            if lesson != first and students:
                self._say(
                    f"{column!r} is for {first}, which most handed in; the points for {lesson} are "
                    f"not in it, handed in by",
                    students,
                    f". If it is for that lesson, add --lesson {lesson[:2]}",
                )
        return first

    def _column(self, lesson: str, example: Result, header: list, rows: list) -> int | None:
        """The column for a lesson, made if the list has none; None if it cannot be known."""
        chosen = self.chosen.get(lesson) or self.chosen.get(example.lesson)
        if chosen:
            return header.index(chosen)
        fitting = self._fitting_columns(lesson, example.lesson, header)
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            names = " or ".join(repr(header[k]) for k in fitting)
            self.said.append(
                f"{self.path.name}: the points for {lesson} may belong into {names}; they are in "
                f"neither. Say which: --column '{example.lesson}={header[fitting[0]]}'."
            )
            return None
        return self._new_column(lesson, example, header, rows)

    def _fitting_columns(self, lesson: str, number: str, header: list) -> list[int]:
        from course_lib import lessons

        if self.kind == "moodle":
            return [k for k, name in enumerate(header) if name.strip().lower() in GRADE]
        title = re.escape(lessons.load(number).title)
        name = re.escape(lesson).replace("_", "[ _-]?")
        pattern = re.compile(
            rf"(?<!\d){name}(?![a-z\d])|{title}|\b(?:exercise|lesson)[ _#-]*0*{int(number)}(?!\d)",
            re.I,
        )
        possible = self._possible_row(self.table.rows)
        return [
            k
            for k, text in enumerate(header)
            if pattern.search(text)
            and not TOTALS.search(text)
            and not (possible is not None and "read only" in self.table.rows[possible][k].lower())
        ]

    def _possible_row(self, rows) -> int | None:
        return next((k for k, row in enumerate(rows) if POSSIBLE in row[0]), None)

    def _new_column(self, lesson: str, example: Result, header: list, rows: list) -> int:
        """A further column, where the platform takes one."""
        kind = self.kind
        lower = [name.strip().lower() for name in header]
        where = lower.index(END) if kind == "brightspace" else len(header)
        names = {"brightspace": f"{lesson} Points Grade"}
        header.insert(where, names.get(kind, lesson))
        for row in rows:
            row.insert(where, "")
        possible = self._possible_row(rows) if kind == "canvas" else None
        if possible is not None:
            rows[possible][where] = f"{_most(example):g}"
        if kind in ("canvas", "brightspace"):
            self.said.append(
                f"{self.path.name} has no column for {lesson}; a new one, {header[where]!r}, was "
                f"added, which the import offers to create. To fill one that is there: "
                f"--column '{example.lesson}=NAME OF THE COLUMN'."
            )
        return where

    def _maximum(self, column: int, header: list, rows: list, row: int) -> float | None:
        """What a column is worth on the platform, where the list says it."""
        text = ""
        if (found := MAXIMUM.search(header[column])) is not None:
            text = found[1]
        elif self.kind == "canvas" and (possible := self._possible_row(rows)) is not None:
            text = rows[possible][column]
        elif self.kind == "moodle" and column + 1 < len(header):
            text = rows[row][column + 1]
        try:
            return float(text.replace(",", ".")) or None
        except ValueError:
            return None

    # What Moodle's worksheet knows beside the points

    def timed(self, result: Result) -> Result:
        """The result with what Moodle's status says of its time, where nothing else does."""
        person, column = (
            self.matched.get(result.student),
            worksheet.status_column(self.table.header),
        )
        known = result.late is not None or result.name not in self.entered
        if known or person is None or column is None or self.kind != "moodle":
            return result
        return replace(result, late=worksheet.late(self.table.rows[person.row][column]))

    def moodle_folder(self, student: str) -> str:
        """How Moodle calls the folder of a submission, empty if that is not known."""
        person = self.matched.get(student)
        if person is None or self.kind != "moodle":
            return ""
        return worksheet.folder(person.name, self.table.rows[person.row][0])

    def _comment(self, results: list[Result], marks: Marks, header: list, rows: list) -> None:
        """Comments go into Moodle's own column; what stands there is left."""
        column = worksheet.comment_column(header) if self.kind == "moodle" else None
        if column is None:
            return
        left = []
        for result in results:
            texts = [marks.comment(result, w).strip() for w in result.written]
            text, person = "\n".join(filter(None, texts)), self.matched.get(result.student)
            if not text or person is None:
                continue
            cell = rows[person.row][column].strip()
            if not cell:
                rows[person.row][column] = text
            elif text not in cell:
                left.append(person.name)
        self._say("another comment stands there, and yours was not filled in, for", left)

    # What goes into them

    def _fill(self, lesson, results, marks, matched, column, header, rows) -> None:
        unmarked, excused, scaled = [], [], set()
        for result in results:
            if result.student not in matched:
                continue
            person = matched[result.student]
            maximum = self._maximum(column, header, rows, person.row)
            value = _worth(result, marks, maximum)
            if rows[person.row][column].strip().upper() in EXCUSED:
                excused.append(person.name)
            elif value is None:
                unmarked.append(result)
            else:
                rows[person.row][column] = f"{round(value, 2):g}"
                if maximum not in (None, result.max_points, _most(result)):
                    scaled.add(maximum)
        self._say(f"{header[column]} stays as it is for", excused, ", who need not do it")
        if unmarked:
            alone = (
                f" (A column worth {results[0].max_points} takes the automatic points alone.)"
                if self.kind != "table"
                else ""
            )
            self.said.append(
                f"{lesson}: {len(unmarked)} of {len(results)} have no points in the import yet, "
                f"because their written answer is not marked. Fill in written.csv and run the same "
                f"command again.{_about_empty(unmarked)}{alone}"
            )
        for maximum in sorted(scaled):
            self.said.append(
                f"{lesson}: the column is worth {maximum:g}, so that {_most(results[0]):g} points "
                f"became {maximum:g}, and all others in proportion."
            )


def _who_handed_in(results: list[Result]) -> list[str]:
    """The students who handed in something that could be graded."""
    return [r.student for r in results if any(task.outcome != MISSING for task in r.tasks)]


def _most_of(counts: Mapping[str, int]) -> str:
    """What has the highest count, empty if two have it."""
    highest = max(counts.values())
    (first, *others) = (name for name, count in counts.items() if count == highest)
    return "" if others else first


def _most(result: Result) -> float:
    return result.max_points + sum(w.max_points for w in result.written)


def _about_empty(unmarked: list[Result]) -> str:
    empty = sum(not any(w.answer for w in result.written) for result in unmarked)
    if not empty:
        return ""
    are = "is" if empty == 1 else "are"
    return (
        f" {empty} of them {are} empty: type 0 there, unless the answer is in a file that "
        f"not_taken.csv lists."
    )


def _worth(result: Result, marks: Marks, maximum: float | None) -> float | None:
    """The points for a column of that maximum, or None as long as an answer is not marked."""
    if maximum == result.max_points:
        return result.points
    written = 0.0
    for w in result.written:
        points = marks.points(result, w)
        if points is None:  # also of an empty one: the answer may stand where nobody has looked
            return None
        written += points
    return (result.points + written) * ((maximum or _most(result)) / _most(result))
