"""An ordinary class of any size, simulated: mostly right, with the usual slips, gaps and errors."""

import json
import random
from pathlib import Path

from course_lib.lessons.cells import grade_id
from course_lib.tools.system import ROOT

NAME = "01_mdi"
WRONG_LOG = """
def entropy(counts):
    p = np.array(counts) / np.sum(counts)
    p = p[p > 0]
    return -np.sum(p * np.log(p))
"""
HALVES = """
def decrease(left, right):
    left, right = np.array(left), np.array(right)
    return gini(left + right) - gini(left) / 2 - gini(right) / 2
"""
NORMALISED = "def tree_mdi(tree):\n    return tree.feature_importances_"
FOREST_SLIP = "def forest_mdi(forest):\n    return forest.feature_importances_"
SHARE_SLIP = "def share_removed(forest, imp):\n    return np.sum(imp)"
AT_VALUE = """
def best_threshold(x, y):
    values = np.sort(x)
    return values[np.argmax([impurity_decrease(y, x <= v) for v in values[:-1]])]
"""
VARIANTS = {  # task -> (answer, how likely), in place of the right one
    "01.1": [(WRONG_LOG, 0.2), ("def entropy(counts):\n    return counts.size", 0.05)],
    "01.2": [(HALVES, 0.25)],
    "01.3": [(AT_VALUE, 0.3), (None, 0.1)],
    "01.4": [(NORMALISED, 0.25), (None, 0.1)],
    "01.5": [(FOREST_SLIP, 0.35)],
    "01.6": [(SHARE_SLIP, 0.3), (None, 0.15)],
    "01.7": [('same_tree = {"a"}', 0.3), ('same_tree = set("abcdf")', 0.3)],
}


def make_class(folder: Path, n_students: int, seed: int = 0) -> None:
    """Write `n_students` submissions; the abler a student, the fewer slips."""
    rng = random.Random(seed)
    for number in range(n_students):
        notebook, ability = Notebook.solved(), rng.random()
        for task, variants in VARIANTS.items():
            draw = rng.random() * (0.35 + ability)
            for answer, share in variants:
                if draw < share:
                    notebook.answer(task, stub(task) if answer is None else answer)
                    break
                draw -= share
        path = folder / f"student-{number:04d}" / f"{NAME}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(notebook.to_bytes())


def lesson_names() -> list[str]:
    """All exercises there are."""
    return sorted(path.name for path in (ROOT / "exercises").iterdir() if path.is_dir())


def make_mixed_class(folder: Path, n_students: int, names: list[str], seed: int = 0) -> None:
    """Write submissions of several lessons: mostly solved, every fifth task not attempted."""
    rng = random.Random(seed)
    for name in names:
        solved = Notebook.solved(name).to_bytes()
        for number in range(n_students):
            notebook = Notebook(json.loads(solved))
            for cell in notebook.cells:
                if cell["id"].startswith("task-") and rng.random() < 0.2:
                    cell["source"] = "..."
            path = folder / f"student-{number:04d}" / f"{name}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(notebook.to_bytes())


class Notebook:
    """A notebook as a list of cells, whose answers can be replaced."""

    def __init__(self, data: dict):
        self.data = data

    @classmethod
    def solved(cls, name: str = NAME) -> "Notebook":
        """The exercise as handed out, with the answers of the solution."""
        released, solution = (
            json.loads((ROOT / folder / name / f"{name}.ipynb").read_text(encoding="utf-8"))
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

    def index(self, name: str) -> int:
        """The place of the cell with this grade id."""
        return next(k for k, cell in enumerate(self.cells) if cell["id"] == name)

    def answer(self, task: str, source: str) -> "Notebook":
        """Replace the answer to a task."""
        self.cells[self.index(grade_id("task", task))]["source"] = source
        return self

    def to_bytes(self) -> bytes:
        return json.dumps(self.data).encode()


def stub(task: str) -> str:
    """The answer cell of a task as handed out."""
    released = json.loads((ROOT / "exercises" / NAME / f"{NAME}.ipynb").read_text(encoding="utf-8"))
    source = next(c["source"] for c in released["cells"] if c["id"] == grade_id("task", task))
    return "".join(source)
