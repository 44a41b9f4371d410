"""Who enters the model through which door: flows from variables to features to the prediction."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from course_lib.plots.style import BLUE, GREY, INK, ORANGE, new_axes, styled
from course_lib.validation import check_table

NOTHING = 1e-9  # a flow below this is rounding
VARIABLES, FEATURES, PREDICTION = 0.0, 1.0, 1.6  # where the three columns stand
THICKEST = 9.0  # points, of the largest flow


@styled
def plot_doors(
    flows: pd.DataFrame,
    *,
    highlight: str | None = None,
    numbers: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Flows of importance from variables, on the left, through features to the prediction.

    A line is as thick as its number says. A feature that nothing enters through has a dashed
    frame and no line to the prediction.

    Parameters
    ----------
    flows : DataFrame
        One row per variable, one column per feature: how much enters there, for example AI via.
    highlight : str, default=None
        The variable that is drawn in orange, all others in blue.
    numbers : str, default=""
        What the numbers beside the lines are, written above them.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> flows = pd.DataFrame({"cycling": [0.125]}, index=["PSA"])
    >>> ax = plot_doors(flows)
    >>> [text.get_text() for text in ax.texts]
    ['PSA', 'cycling', '0.125', 'prediction', 'variables', 'features']
    >>> plt.close(ax.figure)
    """
    values = check_table(flows, "flows", "feature")
    values = np.where(np.abs(values) > NOTHING, values, 0.0)
    rows = max(values.shape)
    if ax is None:
        ax = new_axes((6.6, 0.8 + 0.55 * rows))
    ax.set(xlim=(-0.35, PREDICTION + 0.3), ylim=(-0.6, rows + 0.1))
    ax.set_axis_off()
    sources, doors = _spread(values.shape[0], rows), _spread(values.shape[1], rows)
    for name, y in zip(flows.index, sources, strict=True):
        _box(ax, VARIABLES, y, str(name))
    for name, y, open_ in zip(flows.columns, doors, values.any(axis=0), strict=True):
        _box(ax, FEATURES, y, str(name), shut=not open_)
        if open_:
            ax.plot([FEATURES, PREDICTION], [y, (rows - 1) / 2], "-", color=GREY, zorder=1)
    for i, k in np.argwhere(values):
        color = ORANGE if flows.index[i] == highlight else BLUE
        _flow(ax, sources[i], doors[k], values[i, k], values.max(), color)
    _box(ax, PREDICTION, (rows - 1) / 2, "prediction")
    middle = (VARIABLES + FEATURES) / 2
    for x, above in ((VARIABLES, "variables"), (middle, numbers), (FEATURES, "features")):
        if above:
            ax.text(x, rows - 0.2, above, ha="center", va="center", color=GREY)
    return ax


def _spread(n: int, rows: int) -> np.ndarray:
    """Heights of n boxes over the height of `rows`, from top to bottom."""
    return (rows - 1) / 2 + (np.arange(n)[::-1] - (n - 1) / 2) * (rows / n)


def _box(ax: Axes, x: float, y: float, name: str, *, shut: bool = False) -> None:
    frame = {
        "boxstyle": "round,pad=0.3",
        "facecolor": "white",
        "edgecolor": GREY if shut else INK,
        "linestyle": "--" if shut else "-",
    }
    ax.text(x, y, name, ha="center", va="center", color=INK, bbox=frame, zorder=3)


def _flow(ax: Axes, start: float, end: float, value: float, largest: float, color: str) -> None:
    width = 1 + THICKEST * abs(value) / max(abs(largest), NOTHING)
    x, y = [VARIABLES, FEATURES], [start, end]
    ax.plot(x, y, "-", color=color, linewidth=width, alpha=0.75, solid_capstyle="butt", zorder=1)
    middle = (0.5 * VARIABLES + 0.5 * FEATURES, 0.5 * start + 0.5 * end)
    label = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
    ax.text(*middle, f"{value:.3g}", ha="center", va="center", color=INK, bbox=label, zorder=2)
