"""What a simulated student of exercise 01 hands in, and which marks that must get."""

from collections.abc import Callable
from dataclasses import dataclass, field

from course_lib.tools.bench.students import Notebook

TASKS = {"01.1": 2, "01.2": 2, "01.3": 3, "01.4": 3, "01.5": 2, "01.6": 2, "01.7": 1}
ALL = sum(TASKS.values())


@dataclass(frozen=True)
class Simulated:
    """One simulated student.

    `lost` maps each task that must earn nothing to its outcome, or to None if any will do; all
    others must earn their points. `notes` are words that must occur in the notes.
    """

    name: str
    make: Callable[[Notebook], Notebook | bytes | None]
    lost: dict[str, str | None] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    slips: dict[str, str] = field(default_factory=dict)

    @property
    def points(self) -> int:
        return sum(points for task, points in TASKS.items() if task not in self.lost)


EVERYTHING = dict.fromkeys(TASKS)
