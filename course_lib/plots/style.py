"""What all plots share: colours and markers, the style around a drawing, axes and legend."""

from functools import wraps
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from course_lib.plots.pictures import STYLE, course_style

COLORS = BLUE, ORANGE, GREEN, PURPLE, INK = tuple(STYLE["axes.prop_cycle"].by_key()["color"])
MARKERS = ("o", "s", "^", "D", "v")
SERIES = tuple(zip(COLORS, MARKERS, strict=True))
GREY = "#6b6b6b"
# On a ground whose colour means something, and so stays in a dark theme. All other colours of the
# style follow the theme, pure white included.
WHITE, BLACK = "#fefefe", "#010101"
STILL = {BLUE: "#0445ad", ORANGE: "#cd3c07", GREEN: "#018057", PURPLE: "#922a83"}
STILL |= {INK: BLACK, GREY: "#6b6b6c"}  # the same to the eye, whatever the theme

LINE_WIDTH, NAME_WIDTH = 51, 24  # letters that fit above the axes and left of them


def styled(plot):
    """Draw with the course's style, including the ticks that matplotlib makes only later."""

    @wraps(plot)
    def plot_in_style(*args, **options):
        with course_style():
            ax = plot(*args, **options)
            for axis in (ax.xaxis, ax.yaxis):
                axis.get_major_ticks()
        return ax

    return plot_in_style


def new_axes(size: tuple[float, float]) -> Axes:
    """The axes of a new figure of this size, in inches."""
    return plt.subplots(figsize=size)[1]


def feature_rows(ax: Axes, names, measure: str, reference: float) -> None:
    """A row for each name, from below, and the line at the value that means "not important"."""
    ax.axvline(reference, color=GREY, linewidth=1.4, zorder=0.5)
    ax.set_yticks(range(len(names)), [fill(name, NAME_WIDTH) for name in names])
    ax.set_ylim(-0.6, len(names) - 0.4)
    ax.set_xlabel(f"{fill(measure, LINE_WIDTH)}\n(line at {reference:g}: not important)")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)


def legend_above(ax: Axes, title: str | None) -> Axes:
    """A legend between title and axes, in one line if its labels are short."""
    handles, labels = ax.get_legend_handles_labels()
    ax.legend(
        handles,
        [fill(label, LINE_WIDTH) for label in labels],
        loc="lower left",
        bbox_to_anchor=(0, 1.02),
        ncols=len(labels) if sum(map(len, labels)) + 6 * len(labels) <= LINE_WIDTH else 1,
        title=title and fill(title, LINE_WIDTH),
        alignment="left",
    )
    return ax


def readable_on(colour) -> str:
    """`BLACK` or `WHITE`, whichever has more contrast with the colour."""
    rgb = np.array(colour[:3])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return BLACK if linear @ [0.2126, 0.7152, 0.0722] > 0.179 else WHITE
