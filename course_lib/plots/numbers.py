"""Several numbers side by side: their repeats, their mean, and the truth."""

from collections.abc import Mapping
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from course_lib.plots.pictures import course_style
from course_lib.plots.style import GREY, INK, SERIES


def plot_numbers(
    estimates: Mapping[str, pd.DataFrame], truth: Mapping[str, pd.Series] | None = None
) -> Figure:
    """A row for each label and a panel for each number: repeats as dots, their mean, the truth.

    Parameters
    ----------
    estimates : mapping from label to DataFrame
        One row per number, one column per repeat, as from `estimated_numbers`.
    truth : mapping from label to Series, default=None
        The known values, with the same index; hollow diamonds.

    Returns
    -------
    figure : matplotlib Figure
        One panel per number, with a line at 0.
    """
    if not isinstance(estimates, Mapping) or not estimates:
        raise TypeError(
            f"estimates must map labels to tables of numbers and repeats, got {estimates!r}. "
            f"Pass for example {{'cause': estimated_numbers(...)}}."
        )
    labels = list(estimates)[::-1]  # the first on top
    names = list(estimates[labels[0]].index)
    with course_style():
        size = (6.8, 1.3 + 0.36 * len(labels))
        figure, axes = plt.subplots(1, len(names), sharey=True, squeeze=False, figsize=size)
        for ax, name, (color, marker) in zip(axes.flat, names, SERIES, strict=False):
            ax.axvline(0, color=GREY, linewidth=1.4, zorder=0.5)
            for row, label in enumerate(labels):
                values = estimates[label].loc[name].to_numpy()
                ax.plot(values, np.full(len(values), row), ".", color=color, alpha=0.35)
                ax.plot(values.mean(), row, marker, color=color, markersize=6, zorder=3)
                if truth is not None:
                    hollow = {"color": INK, "markerfacecolor": "none", "markersize": 13}
                    ax.plot(truth[label][name], row, "D", **hollow, zorder=4)
            ax.set_title(fill(name, 14), loc="left", va="bottom")
            ax.margins(x=0.12)
            ax.tick_params(axis="y", length=0)
            ax.spines["left"].set_visible(False)
        axes[0, 0].set_yticks(range(len(labels)), labels)
        axes[0, 0].set_ylim(-0.6, len(labels) - 0.4)
        _share_first_limits(axes[0])
    return figure


def _share_first_limits(axes) -> None:
    """The first two panels count in the same unit, so they get the same limits."""
    limits = [ax.get_xlim() for ax in axes[:2]]
    for ax in axes[:2]:
        ax.set_xlim(min(low for low, _ in limits), max(high for _, high in limits))
