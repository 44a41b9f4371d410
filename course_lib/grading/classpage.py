"""The class at a glance: how it went, which tasks were hard, which slips to talk about."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from course_lib import lessons
from course_lib.grading.likeness import Same
from course_lib.grading.people import Person
from course_lib.grading.records import DIED, ERROR, MISSING, TIMEOUT, Result, TaskResult
from course_lib.grading.rendering import render
from course_lib.grading.sorting import Untaken
from course_lib.grading.submissions import is_late
from course_lib.grading.written import Marks
from course_lib.lessons import MISCONCEPTIONS
from course_lib.lessons.judgement import CORRECT, NOT_ATTEMPTED, NOT_YET

SLIPPED, IDLE = "known slip", "not attempted"
GROUPS = {  # outcomes as they are drawn; a wrong answer with a known slip has a group of its own
    "correct": (CORRECT,),
    SLIPPED: (),
    "wrong in another way": (NOT_YET,),
    "error, too long or died": (ERROR, TIMEOUT, DIED),
    IDLE: (NOT_ATTEMPTED, MISSING),
}
HARD, COMMON, FLAT, ENOUGH = 0.6, 0.15, 0.1, 20  # shares, a correlation, students
STRAY = 0.2  # of the lesson that most handed in: fewer say nothing about the class
MAX_NOTES, MAX_NAMES, MAX_TICKS = 2000, 20, 30


def class_page(
    summaries: list[Result],
    marks: Marks,
    *,
    untaken: Sequence[Untaken] = (),
    absent: Sequence[Person] = (),
    said: Sequence[str] = (),
    same: Sequence[Same] = (),
) -> str:
    """The page for the lecturer, one part per lesson, from the summaries of all results.

    `untaken` are files that were not graded, `absent` people of the class list who handed in
    nothing, `said` are sentences on what needs a look, `same` are answers that say the same.
    """
    by_lesson = defaultdict(list)
    for summary in summaries:
        by_lesson[summary.lesson].append(summary)
    largest = max(map(len, by_lesson.values()), default=0)
    numbers = sorted(by_lesson, key=lambda number: (-len(by_lesson[number]), number))
    return render(
        "class.html",
        parts=[LessonPart(number, by_lesson[number], marks, largest) for number in numbers],
        contained=all(summary.contained for summary in summaries),
        noted=[(s.student, s.name, note) for s in summaries for note in s.notes],
        untaken=untaken,
        absent=absent,
        said=said,
        same=same,
        max_notes=MAX_NOTES,
        max_names=MAX_NAMES,
        enough=ENOUGH,
        groups=list(GROUPS),
        misconceptions=MISCONCEPTIONS,
    )


class LessonPart:
    """What the page says about one lesson."""

    def __init__(self, number: str, group: list[Result], marks: Marks, largest: int):
        self.lesson, self.group, self.marks = lessons.load(number), group, marks
        self.are_strays = len(group) < STRAY * largest
        self.submitted = [r for r in group if any(t.outcome != MISSING for t in r.tasks)]
        self.n = len(self.submitted)
        self.points = np.array([r.points for r in self.submitted], dtype=int)
        self.most = group[0].max_points
        self.tasks = [TaskStatistics.of(self.submitted, k) for k in self._task_numbers()]

    def _task_numbers(self) -> range:
        return range(len(self.group[0].tasks) if self.submitted else 0)

    @property
    def facts(self) -> list[tuple]:
        """Numbers with the words below them."""
        answered = [r for r in self.group if any(w.answer for w in r.written)]
        return [
            (len(self.group), "student" if len(self.group) == 1 else "students"),
            (len(self.group) - self.n, "without anything to grade"),
            (f"{self.median:g} of {self.most}", "median of the automatic points"),
            (f"{np.mean(self.points == self.most):.0%}", "with all of them"),
            (sum(not self.marks.total(r) for r in answered), "written answers to read"),
            *([(late, "late")] if (late := sum(map(bool, map(is_late, self.group)))) else []),
        ]

    @property
    def median(self) -> float:
        return float(np.median(self.points))

    @property
    def bars(self) -> list[dict]:
        """The histogram: one bar per number of points, as high as its share of the highest."""
        counts = np.bincount(self.points, minlength=self.most + 1).tolist()
        every = 1 if self.most <= MAX_TICKS else 5
        return [
            {"value": v, "count": n, "height": n / max(counts), "tick": v % every == 0}
            for v, n in enumerate(counts)
        ]

    @property
    def advice(self) -> list["TaskStatistics"]:
        """The tasks to teach again, hardest first."""
        hard = [task for task in self.tasks if task.right < HARD or task.common_slips]
        return sorted(hard, key=lambda task: task.right)

    @property
    def beliefs(self) -> list[tuple[str, int]]:
        """Misconceptions that may be behind the slips, with how many of them."""
        found = Counter()
        for task in self.tasks:
            for name, count in task.slips.items():
                found[task.examples[name].behind] += count
        return [(b, count) for b, count in found.most_common() if b and count / self.n >= COMMON]

    @property
    def slips(self) -> list[tuple[int, TaskResult]]:
        """How often each slip was made, with one result that has it."""
        rows = [(n, task.examples[name]) for task in self.tasks for name, n in task.slips.items()]
        return sorted(rows, key=lambda row: (-row[0], row[1].task, row[1].slip_name))


@dataclass(frozen=True)
class TaskStatistics:
    """How a class did on one task."""

    task: str
    title: str
    n: int
    right: float  # the share of all who submitted
    separates: float | None  # None where too few submitted for a correlation
    groups: Counter  # by the keys of GROUPS
    slips: Counter
    examples: dict[str, TaskResult]  # one result for each slip

    @classmethod
    def of(cls, results: list[Result], k: int) -> "TaskStatistics":
        """The statistics of the k-th task."""
        mine = [result.tasks[k] for result in results]
        right = [task.outcome == CORRECT for task in mine]
        rest = [r.points - task.points for r, task in zip(results, mine, strict=True)]
        return cls(
            mine[0].task,
            mine[0].title,
            len(mine),
            float(np.mean(right)),
            discrimination(right, rest) if len(mine) >= ENOUGH else None,
            Counter(map(_group, mine)),
            Counter(task.slip_name for task in mine if task.slip_name),
            {task.slip_name: task for task in mine if task.slip_name},
        )

    @property
    def common_slips(self) -> list[tuple[str, int]]:
        """The slips that many made, with how many."""
        return [(s, count) for s, count in self.slips.most_common(2) if count / self.n >= COMMON]

    @property
    def idle(self) -> int:
        """How many did not attempt it, if they are many."""
        return self.groups[IDLE] if self.groups[IDLE] / self.n >= COMMON else 0

    @property
    def reading(self) -> str:
        """What the numbers mean, where they mean something."""
        if self.separates is not None and self.separates < FLAT:
            return "Look at the wording: those who master the rest do no better here."
        if self.right < HARD:
            return "Hard."
        return "Nobody was held up here." if self.right >= 0.95 else ""


def _group(task: TaskResult) -> str:
    if task.slip_name:
        return SLIPPED
    return next(label for label, outcomes in GROUPS.items() if task.outcome in outcomes)


def discrimination(right, rest) -> float | None:
    """Correlation of a task being right with the points for all other tasks.

    Near 1, the task separates those who master the rest from those who do not; near 0 or below,
    it measures something else. None if either does not vary.

    >>> discrimination([True, True, False], [5, 5, 1])
    1.0
    """
    right, rest = np.asarray(right, dtype=float), np.asarray(rest, dtype=float)
    if len(right) < 3 or right.std() == 0 or rest.std() == 0:
        return None
    return round(float(np.corrcoef(right, rest)[0, 1]), 4)
