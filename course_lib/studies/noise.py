"""Trials with a treatment that works and a meaningless ticket: which a forest puts first.

The forests were grown beforehand: `noise.json` holds the importances of every state of the grid, as
`simulate_trials` gives them, and `write_grid` writes the file anew (some minutes).
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import product
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from course_lib.measures.forests.mdi import mdi, unbiased_mdi
from course_lib.validation import check_count
from course_lib.worlds.datasets import make_trial

ALL_DIFFER, NO_LIMIT = "all differ", "no limit"
LEVELS = (2, 4, 10, 20, 50, ALL_DIFFER)
SIZES = (100, 200, 400, 800)
DEPTHS = (1, 2, 3, 5, NO_LIMIT)
WAYS = ("MDI", "out of bag")
N_TRIALS, N_TREES, DIGITS = 20, 25, 4
FIRST_SEED = 100
EFFECT = 0.3
TRUTH = EFFECT**2 / 2  # Gini that the treatment removes in the distribution


@dataclass(frozen=True, eq=False)
class Trials:
    """Importances of treatment and ticket in repeated trials, by one measure."""

    treated: np.ndarray
    ticket: np.ndarray

    @property
    def n_misled(self) -> int:
        """In how many of the trials the ticket ranks above the treatment."""
        return int((self.ticket > self.treated).sum())


def simulate_trials(levels, n, depth, n_trials: int = N_TRIALS) -> dict[str, Trials]:
    """Importances of treatment and ticket in forests on repeated trials, by both measures.

    The trials are made by `make_trial` with the seeds 100, 101, ...; each forest has 25 trees and
    the seed of its trial.

    Parameters
    ----------
    levels : int or "all differ"
        Different tickets, or a new number for everybody.
    n : int
        Patients in each trial.
    depth : int or "no limit"
        Largest depth of the trees, or growth until no node can be split.
    n_trials : int, default=20

    Returns
    -------
    trials : dict from "MDI" and "out of bag" to Trials

    Examples
    --------
    >>> len(simulate_trials(2, 100, 1, n_trials=3)["MDI"].ticket)
    3
    """
    levels = None if levels == ALL_DIFFER else levels
    depth = None if depth == NO_LIMIT else depth
    columns = {way: [] for way in WAYS}
    for seed in range(FIRST_SEED, FIRST_SEED + check_count(n_trials, "n_trials")):
        X, y = make_trial(n, seed, levels=levels, effect=EFFECT)
        forest = RandomForestClassifier(N_TREES, max_depth=depth, random_state=seed).fit(X, y)
        columns["MDI"].append(mdi(forest).importances_mean)
        columns["out of bag"].append(unbiased_mdi(forest, X, y).importances_mean)
    return {way: Trials(*np.array(values).T) for way, values in columns.items()}


def write_grid(path: Path) -> None:
    """Simulate every state of the grid and write the importances as JSON."""
    grid = {}
    for state in product(LEVELS, SIZES, DEPTHS):
        grid[_key(*state)] = {
            way: np.round([trials.treated, trials.ticket], DIGITS).tolist()
            for way, trials in simulate_trials(*state).items()
        }
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in grid.items())
    path.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def stored_trials(levels, n, depth, measure: str) -> Trials:
    """The 20 trials of one state of the grid, by one measure."""
    return Trials(*np.array(_grid()[_key(levels, n, depth)][measure]))


def _key(levels, n, depth) -> str:
    return f"levels={levels} n={n} depth={depth}"


@cache
def _grid() -> dict[str, dict[str, list]]:
    text = (files("course_lib.studies") / "noise.json").read_text(encoding="utf-8")
    return json.loads(text)
