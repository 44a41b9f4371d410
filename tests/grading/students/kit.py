"""How a simulated student is made: the released exercise, filled in and tampered with."""

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, field

from course_lib.tools.system import ROOT

NAME = "01_mdi"
TASKS = {"01.1": 2, "01.2": 2, "01.3": 3, "01.4": 3, "01.5": 2, "01.6": 2, "01.7": 1}
ALL = sum(TASKS.values())


@dataclass(frozen=True)
class Student:
    """One simulated student.

    `lost` maps each task that must earn nothing to its outcome, or to None if any will do; all
    others must earn their points. `notes` are words that must occur in the notes.
    """

    name: str
    make: Callable[["Notebook"], "Notebook | bytes | None"]
    lost: dict[str, str | None] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    slips: dict[str, str] = field(default_factory=dict)

    @property
    def points(self) -> int:
        return sum(points for task, points in TASKS.items() if task not in self.lost)


EVERYTHING = dict.fromkeys(TASKS)


class Notebook:
    """A notebook as a list of cells, with the edits that students make."""

    def __init__(self, data: dict):
        self.data = data

    @classmethod
    def solved(cls) -> "Notebook":
        """The exercise as handed out, with the answers of the solution."""
        released, solution = (
            json.loads((ROOT / folder / NAME / f"{NAME}.ipynb").read_text(encoding="utf-8"))
            for folder in ("exercises", "solutions")
        )
        answers = {cell["id"]: cell["source"] for cell in solution["cells"]}
        for cell in released["cells"]:
            if cell["metadata"].get("nbgrader", {}).get("solution"):
                lines = "".join(answers[cell["id"]]).splitlines()
                cell["source"] = "\n".join(
                    line for line in lines if "# BEGIN" not in line and "# END" not in line
                )
        return cls(released)

    @property
    def cells(self) -> list[dict]:
        return self.data["cells"]

    def index(self, grade_id: str) -> int:
        return next(k for k, cell in enumerate(self.cells) if cell["id"] == grade_id)

    def answer(self, task: str, source: str) -> "Notebook":
        """Replace the answer to a task."""
        self.cells[self.index(_id("task", task))]["source"] = source
        return self

    def after(self, task: str, source: str, kind: str = "task") -> "Notebook":
        """Insert an extra cell after the one of a task (or after its check)."""
        self.cells.insert(self.index(_id(kind, task)) + 1, code(source))
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
        self.data["cells"] = [cell for cell in self.cells if cell["id"] not in grade_ids]
        return self

    def duplicate(self, task: str, source: str, *, above: bool = False) -> "Notebook":
        """Add a second cell with the same grade id."""
        where = self.index(_id("task", task))
        copied = copy.deepcopy(self.cells[where]) | {"source": source, "id": f"copy-{where}"}
        self.cells.insert(where if above else where + 1, copied)
        return self

    def to_bytes(self) -> bytes:
        return json.dumps(self.data).encode()


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


def stub(task: str) -> str:
    """The answer cell of a task as handed out."""
    released = json.loads((ROOT / "exercises" / NAME / f"{NAME}.ipynb").read_text(encoding="utf-8"))
    source = next(c["source"] for c in released["cells"] if c["id"] == _id("task", task))
    return "".join(source)


def _id(kind: str, task: str) -> str:
    return f"{kind}-{task.replace('.', '-')}"
