"""What a simulated student of exercise 01 hands in, and which marks that must get."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, field

from course_lib.lessons.cells import grade_id
from course_lib.tools.bench import students

TASKS = {"01.1": 2, "01.2": 2, "01.3": 3, "01.4": 3, "01.5": 2, "01.6": 2, "01.7": 1}
ALL = sum(TASKS.values())


class Notebook(students.Notebook):
    """A notebook with the edits that students make."""

    def after(self, task: str, source: str, kind: str = "task") -> "Notebook":
        """Insert an extra cell after the one of a task (or after its check)."""
        self.cells.insert(self.index(grade_id(kind, task)) + 1, code(source))
        return self

    def first(self, source: str) -> "Notebook":
        """Insert an extra cell at the top."""
        self.cells.insert(0, code(source))
        return self

    def last(self, source: str) -> "Notebook":
        """Append an extra cell."""
        self.cells.append(code(source))
        return self

    def remove(self, *grade_ids: str) -> "Notebook":
        """Remove the cells with these grade ids."""
        self.data["cells"] = [cell for cell in self.cells if cell["id"] not in grade_ids]
        return self

    def duplicate(self, task: str, source: str, *, above: bool = False) -> "Notebook":
        """Add a second cell with the same grade id."""
        where = self.index(grade_id("task", task))
        copied = copy.deepcopy(self.cells[where]) | {"source": source, "id": f"copy-{where}"}
        self.cells.insert(where if above else where + 1, copied)
        return self


def code(source: str) -> dict:
    """An extra cell."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": f"extra-{abs(hash(source)) % 10**8}",
        "metadata": {},
        "outputs": [],
        "source": source,
    }


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
