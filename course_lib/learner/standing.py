"""Where a learner stands in a lesson: what is done, what is shaky, what is left, and why."""

from dataclasses import dataclass
from functools import cached_property

from course_lib import lessons
from course_lib.lessons.diagnosis import counted

DONE, SHAKY, NEXT, OPEN = "done", "shaky", "next", "open"
SHARE = 1 / 3  # of questions answered wrongly at first, from which on a lesson is shaky


@dataclass(frozen=True)
class Work:
    """What is stored of one lesson."""

    lesson: lessons.Lesson
    stored: dict

    @cached_property
    def passed(self) -> list:
        """The tasks that have passed their check."""
        return [task for task in self.tasks if self._check(task).get("passed")]

    @property
    def tasks(self) -> tuple:
        """The tasks of the exercise."""
        return lessons.exercises(self.lesson.number)

    @property
    def tried(self) -> list[str]:
        """The tasks that were checked and have not passed yet."""
        return [t.id for t in self.tasks if t not in self.passed and self._check(t).get("attempts")]

    def _check(self, task) -> dict:
        return self.stored["checks"].get(task.id, {})

    def made(self) -> list:
        """The predictions that were committed to."""
        return [p for p in self.lesson.predictions if p.id in self.stored["predictions"]]

    def answered(self, kind: str) -> list[bool]:
        """Of the `recall` questions or the `statements`: whether each first answer was right."""
        entries = (self.stored["answers"].get(item.id) for item in getattr(self.lesson, kind))
        return [bool(entry.get("first", {}).get("right")) for entry in entries if entry]

    @property
    def is_begun(self) -> bool:
        """Whether anything of the lesson was done."""
        answered = self.answered("recall") + self.answered("statements")
        return bool(self.made() or answered or self.passed or self.tried)

    @property
    def todo(self) -> tuple[str, str] | None:
        """The first thing that is left: what, and in which notebook; None if nothing is."""
        lesson = self.lesson
        if len(self.answered("recall")) < len(lesson.recall):
            return "answer its recall questions", "lesson"
        for asked in lesson.predictions:
            if asked.id not in self.stored["predictions"]:
                return f"commit to prediction {asked.id}", "lesson"
        for item in lesson.statements:
            if item.id not in self.stored["answers"]:
                return f"judge the sentences of {item.group}", "lesson"
        for task in self.tasks:
            if task not in self.passed:
                return f"solve task {task.id}", "exercise"
        return None

    @property
    def troubles(self) -> list[str]:
        """What makes the lesson shaky, in words."""
        found = []
        for kind, name in (("recall", "recall question"), ("statements", "sentence")):
            first = self.answered(kind)
            wrong = first.count(False)
            if first and wrong / len(first) >= SHARE:
                judged = "wrong" if kind == "recall" else "misjudged"
                found.append(f"{wrong} of {counted(len(first), name)} {judged} at first")
        if self.tried:
            word = "task" if len(self.tried) == 1 else "tasks"
            found.append(f"{word} {', '.join(self.tried)} not yet")
        return found

    @property
    def counts(self) -> dict[str, str]:
        """How much of each part is done."""
        lesson, passed = self.lesson, self.passed
        answered = len(self.answered("recall")) + len(self.answered("statements"))
        questions = len(lesson.recall) + len(lesson.statements)
        points = sum(t.points for t in passed), sum(t.points for t in self.tasks)
        return {
            "predicted": f"{len(self.made())} of {len(lesson.predictions)}",
            "answered": f"{answered} of {questions}",
            "tasks passed": f"{len(passed)} of {len(self.tasks)}",
            "points": f"{points[0]} of {points[1]}",
        }

    @property
    def why(self) -> str:
        """What there is to say beside the word."""
        parts = list(self.troubles)
        if self.todo and self.is_begun:
            counts = self.counts
            parts.append(
                f"{counts['predicted']} predictions made, {counts['answered']} questions "
                f"answered, {counts['tasks passed']} tasks passed"
            )
        return "; ".join(parts)


def words(works: list[Work]) -> list[str]:
    """A word for each lesson; one at most is next: the one at work, or else the one after it."""
    begun = [k for k, work in enumerate(works) if work.is_begun]
    latest = begun[-1] if begun else 0
    rest = [*range(latest, len(works)), *range(latest)]
    following = next((k for k in rest if works[k].todo), None)
    return [NEXT if k == following else _word(work) for k, work in enumerate(works)]


def _word(work: Work) -> str:
    if work.troubles:
        return SHAKY
    return OPEN if work.todo else DONE
