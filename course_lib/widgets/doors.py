"""Close a door of the biomarker model and see what of PSA still gets in, and what it costs."""

from dataclasses import dataclass
from functools import cache

import ipywidgets as widgets
import pandas as pd

from course_lib.measures.dedact.closed_forms import linear_gaussian
from course_lib.plots.doors import THICKEST, door_flows
from course_lib.plots.style import BLUE, GREEN, GREY, INK, ORANGE
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene
from course_lib.worlds.causal import make_biomarker_world

TARGET = "label"
WORST = 0.75  # the variance of the label: the error with both doors shut


@dataclass(frozen=True, eq=False)
class Doors:
    """What enters a model whose coefficients are scaled by how far each door is open."""

    flows: pd.DataFrame  # AI of each variable via each feature
    leak: float  # AI(PSA)
    error: float  # mean squared error
    cost: float  # how much larger the error is than with open doors


def through_doors(biomarker: float = 1.0, cycling: float = 1.0) -> Doors:
    """The biomarker model with its two coefficients multiplied by how far the doors are open.

    In closed form: AI(PSA) = AI(PSA via cycling) = 0.125 * cycling, and the mean squared error is
    0.3125 + (1 - biomarker)^2 / 4 + (1 - cycling)^2 / 16.

    Examples
    --------
    >>> doors = through_doors(cycling=0.0)
    >>> doors.leak, round(doors.cost, 4)
    (0.0, 0.0625)
    """
    world = make_biomarker_world()
    b = world.least_squares(TARGET, ["biomarker", "cycling"])
    open_ = linear_gaussian(world, TARGET, dict(b))
    exact = linear_gaussian(
        world, TARGET, {"biomarker": biomarker * b["biomarker"], "cycling": cycling * b["cycling"]}
    )
    return Doors(
        door_flows(exact, exact.feature_names, ("biomarker", "cycling")),
        leak=float(exact.associative_importance("PSA").importances[0, 0]) + 0.0,
        error=exact.mean_squared_error(),
        cost=exact.mean_squared_error() - open_.mean_squared_error(),
    )


@cache
def _state(biomarker: float, cycling: float) -> Doors:
    return through_doors(biomarker, cycling)


class DoorsScene(Scene):
    """Above, three variables and two doors; below, the leak and the error as bars."""

    size = (6.6, 4.3)
    lines = (("biomarker", "biomarker"), ("cycling", "cycling"), ("PSA", "cycling"))
    heights = {"biomarker": 2.0, "cycling": 1.0, "PSA": 0.0}
    doors = {"biomarker": 2.0, "cycling": 0.5}

    def draw(self, figure):
        flow, bars = figure.subplots(2, height_ratios=(1.5, 1))
        flow.set(xlim=(-0.35, 1.9), ylim=(-0.5, 2.6))
        flow.set_axis_off()
        frame = {"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": INK}
        places = [(0, y, name) for name, y in self.heights.items()]
        places += [(1, y, f"{name} door") for name, y in self.doors.items()]
        for x, y, name in [*places, (1.65, 1.25, "prediction")]:
            flow.text(x, y, name, ha="center", va="center", bbox=frame, zorder=3)
        for y in self.doors.values():
            flow.plot([1, 1.65], [y, 1.25], "-", color=GREY, zorder=1)
        self.flows, self.numbers = [], []
        for j, k in self.lines:
            start, end = self.heights[j], self.doors[k]
            color = ORANGE if j == "PSA" else BLUE
            ends = [0.8 * start + 0.2 * end, 0.3 * start + 0.7 * end]  # between the boxes
            self.flows += flow.plot([0.2, 0.7], ends, "-", color=color, solid_capstyle="butt")
            self.numbers.append(
                flow.text(
                    0.45, 0.55 * start + 0.45 * end, "", ha="center", va="center", zorder=2,
                    bbox={"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none"},
                )
            )  # fmt: skip
        bars.set(xlim=(0, WORST), ylim=(-0.6, 1.6), yticks=[1, 0])
        bars.set_yticklabels(["PSA leaking in", "squared error"])
        bars.axvline(0.3125, color=GREY, linestyle="--")
        bars.set_title("dashed: the error with both doors open", loc="right", color=GREY)
        self.bars = bars.barh([1, 0], [0, 0], color=[ORANGE, GREEN], hatch=["//", ""])
        self.values = [bars.text(0, y, "", va="center") for y in (1, 0)]
        return [*self.flows, *self.numbers, *self.bars, *self.values]

    def update(self, biomarker, cycling):
        doors = _state(biomarker, cycling)
        for line, number, (j, k) in zip(self.flows, self.numbers, self.lines, strict=True):
            value = doors.flows.loc[j, k]
            line.set_linewidth(THICKEST * value / 0.5)
            number.set_text(f"{value:.3f}")
        for bar, text, value in zip(self.bars, self.values, (doors.leak, doors.error), strict=True):
            bar.set_width(value)
            text.set_x(value + 0.01)
            text.set_text(f"{value:.3f}")


def _readout(biomarker: float, cycling: float) -> str:
    doors = _state(biomarker, cycling)
    return (
        f"biomarker door {biomarker:.0%} open, cycling door {cycling:.0%} open\n"
        f"associative importance of PSA: {doors.leak:.4f}, all of it via cycling\n"
        f"mean squared error: {doors.error:.4f}, which is {doors.cost:.4f} more than with both "
        f"doors open"
    )


def doors_explorer() -> Explorer:
    """Shut the cycling door and PSA is out; no other door helps, and each costs accuracy."""
    sliders = {
        name: widgets.FloatSlider(1.0, min=0.0, max=1.0, step=0.1, description=name)
        for name in ("biomarker", "cycling")
    }
    sliders["biomarker"].value = 0.5
    for slider in sliders.values():
        slider.readout_format = ".1f"
    return Explorer(
        frame=DoorsScene(),
        readout=_readout,
        controls=sliders,
        goal="Shut PSA out completely, and lose as little accuracy as possible.",
        reached=lambda biomarker, cycling: cycling == 0 and biomarker == 1,
        alt=lambda **state: f"Three variables, two doors into the model. {_readout(**state)}",
        then="The error grew. But the error against what? The labels themselves were given with an "
        "eye on PSA.",
    )
