"""Rows that were selected from a table, and what selecting them does to a slope."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from course_lib.plots.style import GREY, ORANGE, new_axes, styled


@styled
def plot_selection(table: pd.DataFrame, x: str, y: str, selected, *, ax: Axes | None = None):
    """All rows as faint dots, the selected ones marked, and the least-squares line of each.

    Parameters
    ----------
    table : DataFrame
    x, y : str
        The columns to draw.
    selected : boolean array or Series of n_rows
        At least two rows with different x.
    """
    chosen = np.asarray(selected)
    if chosen.dtype != bool or chosen.shape != (len(table),) or table.loc[chosen, x].nunique() < 2:
        raise ValueError(
            f"selected must mark at least two rows of the {len(table)} with True, others with "
            f"False, got shape {chosen.shape} of {chosen.dtype}. Pass for example table['z'] > 1."
        )
    ax = new_axes((5.4, 3.6)) if ax is None else ax
    groups = (
        (np.ones(len(table), dtype=bool), GREY, ".", 0.3, "all"),
        (chosen, ORANGE, "s", 0.6, "selected"),
    )
    for rows, color, marker, alpha, label in groups:
        columns = table.loc[rows, x], table.loc[rows, y]
        ax.plot(*columns, marker, color=color, alpha=alpha, markersize=4, markerfacecolor="none")
        slope, intercept = np.polyfit(*columns, 1)
        ends = np.array([columns[0].min(), columns[0].max()])
        style = "-" if rows.all() else "--"
        name = f"{label}: slope {slope:.2f}".replace("-", "−")
        ax.plot(ends, intercept + slope * ends, style, color=color, linewidth=3, label=name)
    ax.set(xlabel=x, ylabel=y)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.02), ncols=2)
    return ax
