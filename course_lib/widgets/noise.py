"""Give noise more values, a forest more depth, and watch it overtake a treatment that works.

The forests behind the picture were grown beforehand: `noise.json` holds the importances of every
state, as `simulate_trials` gives them, and `write_grid` writes the file anew (some minutes).
"""

import json
from functools import cache
from importlib.resources import files
from itertools import product
from pathlib import Path

import ipywidgets as widgets
import numpy as np
from sklearn.ensemble import RandomForestClassifier

from course_lib.measures.forests.mdi import mdi, unbiased_mdi
from course_lib.plots.style import BLUE, GREY, INK, ORANGE
from course_lib.validation import check_count
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene
from course_lib.worlds.datasets import make_trial

ALL_DIFFER, NO_LIMIT = "all differ", "no limit"
LEVELS = (2, 4, 10, 20, 50, ALL_DIFFER)
SIZES = (100, 200, 400, 800)
DEPTHS = (1, 2, 3, 5, NO_LIMIT)
MEASURES = ("MDI", "out of bag")
N_TRIALS, N_TREES, DIGITS = 20, 25, 4
FIRST_SEED = 100
EFFECT = 0.3
TRUTH = EFFECT**2 / 2  # Gini that the treatment removes in the distribution
MOST, FEW = 15, 5  # of the 20 trials: what counts as ranking first, and as cured


def simulate_trials(levels, n, depth, n_trials: int = N_TRIALS) -> dict[str, np.ndarray]:
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
        Largest depth of the trees, or growth until every leaf is pure.
    n_trials : int, default=20

    Returns
    -------
    importances : dict from "MDI" and "out of bag" to ndarray of shape (2, n_trials)

    Examples
    --------
    >>> simulate_trials(2, 100, 1, n_trials=3)["MDI"].shape
    (2, 3)
    """
    levels = None if levels == ALL_DIFFER else levels
    depth = None if depth == NO_LIMIT else depth
    columns = {measure: [] for measure in MEASURES}
    for seed in range(FIRST_SEED, FIRST_SEED + check_count(n_trials, "n_trials")):
        X, y = make_trial(n, seed, levels=levels, effect=EFFECT)
        forest = RandomForestClassifier(N_TREES, max_depth=depth, random_state=seed).fit(X, y)
        columns["MDI"].append(mdi(forest).importances_mean)
        columns["out of bag"].append(unbiased_mdi(forest, X, y).importances_mean)
    return {measure: np.array(values).T for measure, values in columns.items()}


def write_grid(path: Path) -> None:
    """Simulate every state of the widget and write the importances as JSON."""
    grid = {}
    for state in product(LEVELS, SIZES, DEPTHS):
        found = simulate_trials(*state)
        grid[_key(*state)] = {m: values.round(DIGITS).tolist() for m, values in found.items()}
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in grid.items())
    path.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def _key(levels, n, depth) -> str:
    return f"levels={levels} n={n} depth={depth}"


@cache
def _grid() -> dict[str, dict[str, np.ndarray]]:
    text = (files("course_lib.widgets") / "noise.json").read_text(encoding="utf-8")
    stored = json.loads(text).items()
    return {key: {m: np.array(values) for m, values in entry.items()} for key, entry in stored}


def _times_first(levels, n, depth, measure: str) -> int:
    """In how many of the trials the ticket ranks above the treatment."""
    treated, ticket = _grid()[_key(levels, n, depth)][measure]
    return int((ticket > treated).sum())


def _cured(levels, n, depth, measure: str) -> bool:
    """The ticket leads these forests by MDI, and out of bag it does not."""
    misled = _times_first(levels, n, depth, "MDI") >= MOST
    return measure != "MDI" and misled and _times_first(levels, n, depth, measure) <= FEW


class NoiseScene(Scene):
    """Treatment above, ticket below: a dot for each trial, a marker for their mean."""

    size = (6.4, 2.9)

    def draw(self, figure):
        ax = figure.subplots()
        ax.set(xlim=(-0.07, 0.5), ylim=(-0.6, 1.75), xlabel="importance  (decrease of Gini)")
        ax.set_yticks([1, 0], ["treated\n(it works)", "ticket\n(noise)"])
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)
        ax.axvline(0, ymax=0.82, color=GREY, linewidth=1.4, zorder=0.5)
        hollow = {"color": INK, "markerfacecolor": "none", "markersize": 13, "linestyle": "none"}
        ax.plot([TRUTH, 0], [1, 0], "D", **hollow, zorder=1)
        spread = 0.2 * np.sin(2.4 * np.arange(N_TRIALS))
        faint = {"marker": ".", "linestyle": "none", "alpha": 0.45, "markersize": 7}
        styles = ((1, BLUE, "o"), (0, ORANGE, "s"))
        self.dots = [ax.plot(spread, row + spread, color=c, **faint)[0] for row, c, _ in styles]
        self.means = [ax.plot([0], [row], m, color=c, zorder=3)[0] for row, c, m in styles]
        self.title = ax.text(-0.065, 1.6, "", va="center")
        ax.text(0.495, 1.25, "◇ in the distribution", ha="right", va="center", color=INK)
        return [*self.dots, *self.means, self.title]

    def update(self, levels, n, depth, measure):
        values = _grid()[_key(levels, n, depth)][measure]
        for dots, mean, row in zip(self.dots, self.means, values, strict=True):
            dots.set_xdata(row)
            mean.set_xdata([row.mean()])
        first = _times_first(levels, n, depth, measure)
        self.title.set_text(f"{measure}: the ticket ranks first in {first} of {N_TRIALS} trials")


def _forest_text(levels, n, depth) -> str:
    tickets = (
        "a new number for everybody" if levels == ALL_DIFFER else f"{levels} different tickets"
    )
    growth = "grown until every leaf is pure" if depth == NO_LIMIT else f"of depth {depth}"
    return f"{n} patients, {tickets}, trees {growth}"


def _readout(levels, n, depth, measure: str) -> str:
    treated, ticket = _grid()[_key(levels, n, depth)][measure].mean(axis=1)
    first = _times_first(levels, n, depth, measure)
    return (
        f"{_forest_text(levels, n, depth)}.\n"
        f"{measure}: mean importance of treated {treated:.3f} (in the distribution {TRUTH:.3f}), "
        f"of the ticket {ticket:.3f} (0). The ticket ranks first in {first} of {N_TRIALS} trials."
    )


def _alt(levels, n, depth, measure: str) -> str:
    return (
        f"Importances of a treatment that works and of a meaningless ticket in {N_TRIALS} "
        f"repeated trials. {_readout(levels, n, depth, measure)}"
    )


def noise_explorer() -> Explorer:
    """Levels, patients and depth decide whether noise outranks signal; out of bag it does not."""
    steps = {"levels": ("tickets", LEVELS, 2), "n": ("patients", SIZES, 800)}
    steps["depth"] = ("depth", DEPTHS, 1)
    controls = {
        name: widgets.SelectionSlider(options=options, value=value, description=label)
        for name, (label, options, value) in steps.items()
    }
    controls["measure"] = widgets.ToggleButtons(options=MEASURES, description="measure")
    controls["measure"].style.button_width = "8em"
    return Explorer(
        frame=NoiseScene(),
        readout=_readout,
        controls=controls,
        goal=f"Make the ticket rank first by MDI in at least {MOST} of the {N_TRIALS} trials. Then "
        f"cure the same forests: measured out of bag, in at most {FEW}.",
        reached=_cured,
        alt=_alt,
        then="The forests are the same before and after. What exactly did the toggle change, and "
        "which of the other three controls could have helped without it?",
    )
