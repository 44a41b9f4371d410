"""Turn the effect and the confounding: what a model predicts and what an intervention does."""

from functools import cache

import ipywidgets as widgets
import numpy as np
import pandas as pd

from course_lib.measures.causes import three_numbers
from course_lib.plots.style import BLUE, GREEN, GREY, ORANGE
from course_lib.validation import check_number
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene
from course_lib.worlds.scm import LinearSCM

EFFECTS = np.round(np.arange(-0.6, 0.61, 0.1), 1)
STRONGEST = 0.8  # the most that interest alone may contribute to the covariance
NOISE = 0.6
READS = {"logins": ("logins",), "logins and interest": ("logins", "interest")}
N_STUDENTS = 150
GRID = np.linspace(-0.72, 0.72, 49)
NEARLY = 1e-9

BOTH = frozenset({1, 2})


def confounded_world(effect: float, confounding: float) -> LinearSCM:
    """Interest acts on logins and on scores, and logins act on scores.

    The slope of score on logins is  effect + confounding:  with c^2 = |confounding|, interest acts
    on logins by c and on the score by c or -c. Logins have the variance 1.

    Examples
    --------
    An effect that confounding hides.

    >>> world = confounded_world(effect=0.5, confounding=-0.5)
    >>> world.total_effect("logins", "score")
    0.5
    >>> world.least_squares("score", ["logins"]).abs().round(9).to_dict()
    {'logins': 0.0}
    """
    effect, k = check_number(effect, "effect"), check_number(confounding, "confounding")
    if abs(k) >= 1:
        raise ValueError(
            f"confounding must lie between -1 and 1, so that logins keep the variance 1, got {k}. "
            f"Choose for example 0.8."
        )
    c = np.sqrt(abs(k))
    return LinearSCM(
        {"logins": {"interest": c}, "score": {"logins": effect, "interest": np.sign(k) * c}},
        {"logins": np.sqrt(1 - abs(k)), "interest": 1.0, "score": NOISE},
    )


@cache
def _numbers(effect: float, confounding: float, reads: str) -> pd.Series:
    world = confounded_world(effect, confounding)
    return three_numbers(world, "logins", "score", READS[reads])


def _slope(effect, confounding: float, reads: str):
    """The coefficient of logins: with interest in the model too, the effect alone is left."""
    return effect + confounding * (reads == "logins")


@cache
def _students(effect: float, confounding: float) -> pd.DataFrame:
    """The same students in every world: their noises stay, their numbers follow the sliders."""
    return confounded_world(effect, confounding).sample(N_STUDENTS, random_state=0)


def _importances(confounding: float, reads: str) -> np.ndarray:
    """The importance at each effect of the grid: twice the squared slope, since Var(X) is 1."""
    return 2 * _slope(GRID, confounding, reads) ** 2


class ConfoundingScene(Scene):
    """Left the students with the predicted line and the do-line; right importance over effect."""

    size = (6.8, 3.7)

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
        left.set(xlim=(-3, 3), ylim=(-4, 4), xlabel="logins", ylabel="score")
        left.set_title("- - predicted by the model\n— after do(logins)")
        (self.dots,) = left.plot([], [], "o", color=GREY, alpha=0.45, markersize=4)
        (self.done,) = left.plot([], [], "-", color=BLUE, linewidth=2.6)
        (self.predicted,) = left.plot([], [], "--", color=ORANGE, linewidth=2.6)
        right.set(xlim=(-0.72, 0.72), ylim=(-0.2, 4), xlabel="total effect of logins")
        right.set(xticks=(-0.6, 0, 0.6), yticks=range(5))
        right.set_title("- - importance of logins\n⋯ if nothing confounds")
        right.plot(GRID, 2 * GRID**2, ":", color=GREY, linewidth=1.8)
        goal = {"color": GREEN, "linewidth": 9, "solid_capstyle": "butt", "alpha": 0.45}
        top = 2 * STRONGEST**2
        for number, x, y in ((1, (-0.04, 0.04), top), (2, (-0.64, -0.46), 0), (2, (0.46, 0.64), 0)):
            right.plot(x, (y, y), "-", **goal)
            right.text(np.mean(x), y + 0.13, f"goal {number}", color=GREEN, ha="center")
        (self.curve,) = right.plot(GRID, 0 * GRID, "--", color=ORANGE)
        (self.here,) = right.plot([0], [0], "o", color=ORANGE, markersize=10)
        return [self.dots, self.done, self.predicted, self.curve, self.here]

    def update(self, effect, confounding, reads):
        numbers, table = _numbers(effect, confounding, reads), _students(effect, confounding)
        ends = np.array([-3.0, 3.0])
        self.dots.set_data(table["logins"], table["score"])
        self.done.set_data(ends, effect * ends)
        self.predicted.set_data(ends, _slope(effect, confounding, reads) * ends)
        self.curve.set_ydata(_importances(confounding, reads))
        self.here.set_data([effect], [numbers["importance"]])


def _goals(effect: float, confounding: float, reads: str) -> frozenset[int]:
    """Which of the two goals a state attains."""
    importance = _numbers(effect, confounding, reads)["importance"]
    first = effect == 0 and importance > 2 * STRONGEST**2 - NEARLY
    second = abs(effect) > 0.5 - NEARLY and importance < NEARLY
    return frozenset(goal for goal, attained in ((1, first), (2, second)) if attained)


def _both_found():
    """A function of the state that says whether both goals have been attained, now or before."""
    found = set()

    def reached(**state) -> bool:
        found.update(_goals(**state))
        return found == BOTH

    return reached


def _readout(effect: float, confounding: float, reads: str) -> str:
    numbers = _numbers(effect, confounding, reads)
    slope = _plain(_slope(effect, confounding, reads))
    importance, conditional = _plain(numbers.iloc[0]), _plain(numbers.iloc[1])
    lines = [
        f"effect {effect:+.1f}, confounding {confounding:+.1f}, the model reads {reads}",
        f"logins 1 higher: the prediction changes by {slope:+.2f}, the score after do(logins) by "
        f"{effect:+.2f}",
        f"importance {importance:.2f}, conditional importance {conditional:.2f}, "
        f"total effect {effect:.2f}",
    ]
    attained = {1: "the highest importance with no effect", 2: "an effect without importance"}
    lines += [f"Goal {k}: {attained[k]}." for k in _goals(effect, confounding, reads)]
    return "\n".join(lines).replace("-", "−")


def _plain(value: float) -> float:
    """A rounding error around 0 as 0."""
    return 0.0 if abs(value) < NEARLY else float(value)


def _alt(effect: float, confounding: float, reads: str) -> str:
    return (
        f"Left, {N_STUDENTS} students with the line that the model predicts and the line of what "
        f"happens after do(logins). Right, the importance of logins over its total effect, beside "
        f"the curve of a world without confounding. {_readout(effect, confounding, reads)}"
    )


def confounding_explorer() -> Explorer:
    """Slide effect and confounding: the model follows their sum, the outcome only the effect."""
    effect = widgets.FloatSlider(
        value=0.3, min=EFFECTS[0], max=EFFECTS[-1], step=0.1, description="effect"
    )
    confounding = widgets.FloatSlider(
        value=0.0, min=-STRONGEST, max=STRONGEST, step=0.1, description="confounding"
    )
    effect.readout_format = confounding.readout_format = "+.1f"
    effect.style.description_width = confounding.style.description_width = "7em"
    reads = widgets.ToggleButtons(options=list(READS), description="model reads")
    reads.style.button_width = "11em"
    return Explorer(
        frame=ConfoundingScene(),
        readout=_readout,
        controls={"effect": effect, "confounding": confounding, "reads": reads},
        goal="1. Give logins the highest importance you can while their effect is 0. "
        "2. Then give them an effect of at least 0.5 while their importance is 0.",
        reached=_both_found(),
        alt=_alt,
        then="Now let the model read interest as well. Which of your two tricks still works, and "
        "what would you have had to know to press that button?",
    )
