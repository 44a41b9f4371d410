"""Estimates along an axis, beside what theory expects."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Annotation
from matplotlib.transforms import IdentityTransform

from course_lib.plots.style import SERIES, new_axes, styled

BESIDE = 13  # points between the middle of the last marker and its label


@styled
def plot_curves(x, curves, *, expected=None, log: bool = False, ax: Axes | None = None) -> Axes:
    """Estimates along x as markers, one series for each label, and what theory expects as lines.

    Parameters
    ----------
    x : sequence of n numbers
    curves : mapping from label to n numbers
        One to five series of estimates; each label stands at the right end of its series.
    expected : mapping from label to n numbers, default=None
        Known values of the same labels, drawn as lines; series without them are joined by dots.
    log : bool, default=False
        Logarithmic axes.

    Name the axes with ``ax.set(xlabel=..., ylabel=...)``.
    """
    x, expected = np.asarray(x, dtype=float), expected or {}
    if not isinstance(curves, Mapping) or not 1 <= len(curves) <= len(SERIES):
        raise ValueError(
            f"curves must map one to {len(SERIES)} labels to their values, got {curves!r}. "
            f"Pass for example {{'simulated': [1.0, 2.0]}}."
        )
    ax = new_axes((6.4, 3.4)) if ax is None else ax
    labels = []
    for (label, values), (color, marker) in zip(curves.items(), SERIES, strict=False):
        line = expected.get(label, values)
        for series in (values, line):
            if np.shape(series) != x.shape:
                raise ValueError(
                    f"{label!r} has the shape {np.shape(series)} where x has {x.shape}. "
                    f"Give one value for each x."
                )
        ax.plot(x, line, "-" if label in expected else ":", color=color)
        ax.plot(x, values, marker, color=color, markerfacecolor="none")
        labels.append(EndLabel(label, (x[-1], values[-1]), color=color, beside=labels))
        ax.add_artist(labels[-1])
    if log:
        ax.set(xscale="log", yscale="log")
        ax.minorticks_off()
    ax.set_xticks(x, [f"{value:g}".replace("-", "−") for value in x])
    return ax


class EndLabel(Annotation):
    """The label at the end of a series, moved up as far as it has to be to clear those below it.

    How far is known only when everything is drawn: axes may still be set until then.
    """

    def __init__(self, text: str, end: tuple, *, color: str, beside: list):
        how = {"textcoords": "offset points", "annotation_clip": False, "clip_on": False}
        super().__init__(text, end, xytext=(BESIDE, 0), va="center", color=color, **how)
        self.set_transform(IdentityTransform())  # as `Axes.annotate` does: no data coordinates
        self.beside = beside  # all labels of the picture, this one too

    def update_positions(self, renderer) -> None:
        """Called by matplotlib before it draws the text or asks for its size."""
        point = self.figure.dpi / 72
        ends = [self.axes.transData.transform(label.xy)[1] / point for label in self.beside]
        place = spread(ends, 1.15 * self.get_size())[self.beside.index(self)]
        self.xyann = (BESIDE, place - ends[self.beside.index(self)])
        super().update_positions(renderer)


def spread(places, gap: float) -> np.ndarray:
    """Places at least `gap` apart, in the same order, none lower than it was.

    >>> spread([30.0, 10.0, 12.0], gap=5.0).tolist()
    [30.0, 10.0, 15.0]
    """
    places = np.array(places, dtype=float)
    order = np.argsort(places, kind="stable")
    for below, above in zip(order[:-1], order[1:], strict=True):
        places[above] = max(places[above], places[below] + gap)
    return places
