"""Weigh the two doors of the biomarker model; see what PSA moves, and what the loss says of it."""

import ipywidgets as widgets
import numpy as np

from course_lib.plots.doors import THICKEST
from course_lib.plots.pictures import STYLE
from course_lib.plots.style import BLUE, GREEN, GREY, INK, ORANGE
from course_lib.plots.svg import mark
from course_lib.studies.doors import through_doors
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene

HEIGHTS = {"biomarker": 2.0, "cycling": 1.0, "PSA": 0.0}
COLOURS = {"biomarker": BLUE, "cycling": BLUE, "PSA": ORANGE}  # as in the lesson's picture
DOORS = {"biomarker": 2.0, "cycling": 0.5}
FLOWS = (("biomarker", "biomarker"), ("cycling", "cycling"), ("PSA", "cycling"))
HEAVIEST = 2.5  # weight that a slider can set
THINNEST = 1.2  # of the line along which nothing flows
LEFT, WIDTH, BELOW = 0.78, 0.44, 0.42  # where the weight of a door slides: below its box
LEAKS, ERRORS = (-0.2, 0.2), (0.0, 2.8)  # what the two bars may show
WORTH, ERROR = "averaged associative importance of PSA", "mean squared error"
BESIDE = 0.02  # between a bar and its number, of the width of the axes


class DoorsScene(Scene):
    """Above, three variables and two doors; below, what PSA is worth and the error as bars."""

    size, narrow = (6.6, 4.6), (4.9, 5.6)

    def draw(self, figure):
        self.flow, *below = self._axes(figure)
        self.flow.set(xlim=(-0.35, 1.95), ylim=(-0.4, 2.6))
        self.flow.set_axis_off()
        self.flow.text(0.45, 2.4, "rise per unit", ha="center", va="center", color=GREY)
        for y in DOORS.values():
            self.flow.plot([1, 1.65], [y, 1.25], "-", color=GREY, zorder=1)
        self.lines, self.numbers = zip(*(self._draw_flow(*flow) for flow in FLOWS), strict=True)
        moving = [*self.lines, *self.numbers, *self._draw_boxes(), *self._draw_knobs()]
        bars = [
            self._draw_bar(below[0], LEAKS, WORTH, ORANGE),
            self._draw_bar(below[1], ERRORS, ERROR, GREEN),
        ]
        self.bars, self.values = zip(*bars, strict=True)
        return [*moving, *self.bars, *self.values]

    def _axes(self, figure):
        if self.is_narrow:
            return figure.subplots(3, 1, height_ratios=(2.6, 1, 1))
        grid = figure.add_gridspec(2, 2, height_ratios=(2.6, 1), width_ratios=(1.5, 1))
        return [figure.add_subplot(place) for place in (grid[0, :], grid[1, 0], grid[1, 1])]

    def _draw_flow(self, variable: str, door: str) -> tuple:
        start, end = HEIGHTS[variable], DOORS[door]
        style = {"color": COLOURS[variable], "solid_capstyle": "butt", "zorder": 1}
        (line,) = self.flow.plot([0, 1], [start, end], "-", **style)
        paper = {"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none"}
        middle = {"ha": "center", "va": "center", "zorder": 2, "bbox": paper}
        return line, self.flow.text(0.45, 0.55 * start + 0.45 * end, "", **middle)

    def _draw_boxes(self) -> list:
        """Boxes above the lines, so that these reach them."""
        places = [(0, y, name, COLOURS[name]) for name, y in HEIGHTS.items()]
        places += [(1, y, f"{name} door", INK) for name, y in DOORS.items()]
        frame = {"boxstyle": "round,pad=0.3", "facecolor": "white"}
        middle = {"ha": "center", "va": "center", "zorder": 3}
        return [
            self.flow.text(x, y, name, color=color, bbox=frame | {"edgecolor": color}, **middle)
            for x, y, name, color in [*places, (1.65, 1.25, "prediction", INK)]
        ]

    def _draw_knobs(self) -> list:
        self.opened, self.knobs = {}, {}
        wide = {"linewidth": 5, "solid_capstyle": "round"}
        for name, y in DOORS.items():
            height, ends = [y - BELOW] * 2, [LEFT, LEFT + WIDTH]
            self.flow.plot(ends, height, "-", color=STYLE["grid.color"], **wide)
            (self.opened[name],) = self.flow.plot(ends, height, "-", color=INK, zorder=4, **wide)
            (self.knobs[name],) = self.flow.plot([1], height[:1], "o", color=INK, zorder=5)
            self.knobs[name].set(markerfacecolor="white", markersize=11)
        return [*self.opened.values(), *self.knobs.values()]

    def _draw_bar(self, ax, limits: tuple, title: str, color: str) -> tuple:
        ax.set(xlim=limits, ylim=(-0.6, 0.6), yticks=[])
        ax.set_title(title)
        ax.axvline(0, color=GREY, linewidth=1)
        ax.locator_params(axis="x", nbins=6)
        (bar,) = ax.barh([0], [0], color=color)
        return bar, ax.text(0, 0, "", va="center")

    def update(self, biomarker, cycling):
        doors = through_doors(biomarker, cycling)
        for line, number, (j, k) in zip(self.lines, self.numbers, FLOWS, strict=True):
            slope = doors.slopes[j]
            tip = f"per unit of {j} the prediction rises by {slope:.3f}, through the {k} door"
            mark(line, tip).set_linewidth(THICKEST * slope / HEAVIEST or THINNEST)
            line.set_linestyle("-" if slope else ":")  # nothing flows, along the same way
            number.set_text(f"{slope:.2f}")
        named = {WORTH: doors.leak, ERROR: doors.error}
        for bar, text, (name, value) in zip(self.bars, self.values, named.items(), strict=True):
            mark(bar, f"{name}: {value:.4f}").set_width(value)
            beside = BESIDE * np.ptp(text.axes.get_xlim())
            text.set(x=max(value, 0) + beside, text=f"{value:.4f}")
        for name, weight in {"biomarker": biomarker, "cycling": cycling}.items():
            end = _place(weight)
            self.opened[name].set_xdata([LEFT, end])
            self.knobs[name].set_xdata([end])
            mark(self.knobs[name], f"weight on {name}: {weight:g}")

    def handles(self, **state):
        return {
            name: (self.flow, _place(weight), DOORS[name] - BELOW) for name, weight in state.items()
        }


def _place(weight: float) -> float:
    return LEFT + WIDTH * weight / HEAVIEST


def _readout(biomarker: float, cycling: float) -> str:
    doors = through_doors(biomarker, cycling)
    return (
        f"The model's weights: {biomarker:g} on the biomarker, {cycling:g} on cycling.\n"
        f"Per unit of PSA the prediction rises by {doors.slopes['PSA']:.2f}.\n"
        f"The averaged associative importance of PSA is {doors.leak:.4f}.\n"
        f"The mean squared error is {doors.error:.4f}, {doors.cost:.4f} more than that of least "
        f"squares."
    )


def doors_explorer() -> Explorer:
    """AI of PSA is 0 if the door is shut, and again if it is open too far: zero is not "out"."""
    sliders = {
        "biomarker": widgets.FloatSlider(1.0, min=0.0, max=HEAVIEST, step=0.5),
        "cycling": widgets.FloatSlider(0.5, min=0.0, max=HEAVIEST, step=0.1),
    }
    for name, slider in sliders.items():
        slider.description = f"weight on {name}"
        slider.readout_format = ".1f"
    return Explorer(
        stored="doors",
        frame=DoorsScene(),
        readout=_readout,
        controls=sliders,
        goal="Make the averaged associative importance of PSA exactly 0 without shutting the "
        "cycling door.",
        reached=lambda biomarker, cycling: (
            cycling > 0 and through_doors(biomarker, cycling).leak == 0
        ),
        alt=lambda **state: f"Three variables, two doors into the model. {_readout(**state)}",
        then="The importance of PSA is 0, and the predictions rise with PSA four times as steeply "
        "as before. What would a report say that has only the first number?",
    )
