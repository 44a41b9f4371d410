"""Estimates along an axis, beside what theory expects."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from course_lib.plots.style import SERIES, new_axes, styled


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
        ax.annotate(
            f"  {label}",
            (x[-1], values[-1]),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=color,
            annotation_clip=False,
        )
    if log:
        ax.set(xscale="log", yscale="log")
        ax.minorticks_off()
    ax.set_xticks(x, [f"{value:g}" for value in x])
    return ax
