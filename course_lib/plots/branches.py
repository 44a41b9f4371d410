"""The tree that asks variables in one order: which targets are still possible in each node."""

import numpy as np
from matplotlib.axes import Axes

from course_lib.plots.style import BLUE, GREY, INK, new_axes, styled
from course_lib.validation import Position, check_X_y, column_names, feature_indices
from course_lib.worlds.distributions import Categorical


@styled
def plot_branches(X, y, order, *, ax: Axes | None = None) -> Axes:
    """The multiway tree that asks the variables in one order: who is left in each node, and H(Y|B).

    Parameters
    ----------
    X : DataFrame or array of shape (n_rows, n_features)
    y : array-like of shape (n_rows,)
        Short names of the rows, such as digits; the rows are equally likely.
    order : sequence of features
        Asked one after the other, in every branch the same.
    """
    asked = [Position(j) for j in feature_indices(order, column_names(X))]
    values, y = check_X_y(X, y, numeric=False)
    law, names = Categorical(X, y), column_names(X)
    ax = new_axes((7.4, 0.5 + 0.95 * (len(asked) + 1))) if ax is None else ax
    ax.axis("off")
    ax.set(xlim=(-0.16, 1.2), ylim=(-len(asked) - 0.4, 0.45))
    above = {}
    for level in range(len(asked) + 1):
        groups = _groups(values[:, asked[:level]], y)
        if level:
            knew = law.conditional_entropy(asked[: level - 1])
            gained = knew - law.conditional_entropy(asked[:level])
            ax.text(
                -0.15, 0.5 - level, f"ask {names[asked[level - 1]]}", va="center", weight="bold"
            )
            ax.text(1.19, 0.5 - level, f"−{gained:.2f}", va="center", ha="right", color=BLUE)
        left = law.conditional_entropy(asked[:level])
        ax.text(1.19, -level, f"{left:.2f} bits left", va="center", ha="right")
        above = _draw_level(ax, groups, level, above)
    return ax


def _groups(answers: np.ndarray, y: np.ndarray) -> dict[tuple, list]:
    """The targets by the answers given so far, in the order of the answers."""
    found = {}
    for answer, target in sorted(zip(map(tuple, answers), y, strict=True)):
        found.setdefault(answer, []).append(target)
    return found


def _draw_level(ax: Axes, groups: dict, level: int, above: dict) -> dict[tuple, float]:
    """Draw one row of nodes, joined to the row above; returns where each node stands."""
    count = sum(map(len, groups.values()))
    ends = np.cumsum([len(targets) for targets in groups.values()]) / count
    places = {}
    for (answer, targets), end in zip(groups.items(), ends, strict=True):
        x = places[answer] = end - len(targets) / count / 2
        settled = len(targets) == 1
        box = {
            "boxstyle": "round,pad=0.3",
            "linewidth": 1.4,
            "edgecolor": GREY if settled else BLUE,
        }
        box["facecolor"] = "#f4f5f7" if settled else "white"
        text = " ".join(map(str, targets))
        ax.text(x, -level, text, ha="center", va="center", color=INK, bbox=box, zorder=3)
        if answer[:-1] in above and level:
            start = above[answer[:-1]]
            ax.plot([start, x], [1 - level, -level], "-", color=GREY, linewidth=1, zorder=1)
            paper = {"facecolor": "white", "edgecolor": "none", "pad": 1}
            where = ((start + x) / 2, 0.5 - level)
            ax.text(*where, answer[-1], ha="center", va="center", color=GREY, bbox=paper, zorder=2)
    return places
