"""An ordinary class of any size: mostly right, with the usual slips, gaps and errors."""

import random
from pathlib import Path

from students.honest import HALVES, WRONG_LOG
from students.kit import NAME, Notebook, stub

NORMALISED = "def tree_mdi(tree):\n    return tree.feature_importances_"
FOREST_SLIP = "def forest_mdi(forest):\n    return forest.feature_importances_"
SHARE_SLIP = "def share_removed(forest):\n    return forest_mdi(forest).sum()"
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
