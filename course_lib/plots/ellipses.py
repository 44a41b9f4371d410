"""Pictures of Rashomon sets: the ellipse of good models, lines of equal reliance, and ranges."""

from collections.abc import Mapping, Sequence
from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap

from course_lib.measures.rashomon.sets import LinearRashomonSet
from course_lib.plots.pictures import STYLE
from course_lib.plots.style import (
    GREEN,
    GREY,
    INK,
    LINE_WIDTH,
    NAME_WIDTH,
    ORANGE,
    PURPLE,
    SERIES,
    legend_above,
    new_axes,
    styled,
)
from course_lib.results import Importances, RelianceRange
from course_lib.validation import check_X_y, feature_index

LEVELS = (0.5, 0.8, 1, 1.5, 2, 3, 4, 6, 8, 12)
BANDS = ListedColormap(  # orange below 1, blue above
    ["#f2a97c", "#f7c9ac", "#fce8dc", "#f1f5fb", "#dfe9f5", "#cadbef", "#b3cce7", "#9bbcdf"]
    + ["#82abd5", "#699acb", "#5189c0"]
)
BAND_NORM = BoundaryNorm(LEVELS, BANDS.N, extend="both")
MARKS = (("s", ORANGE), ("^", GREEN), ("D", PURPLE), ("v", INK))


def ellipse_of_good_models(X, y, excess: float, n_points: int = 181) -> np.ndarray:
    """The border of {b : MSE(b) = least MSE + excess} for two features, shape (n_points, 2).

    With G the covariance of the columns (with n), MSE(b) - least MSE = (b - bhat)'G(b - bhat): a
    circle, stretched by G^(-1/2).
    """
    values, y = check_X_y(X, y, numeric_y=True)
    centred = values - values.mean(axis=0)
    G = centred.T @ centred / len(y)
    bhat = np.linalg.solve(G, centred.T @ y / len(y))
    turn = np.linspace(0, 2 * np.pi, n_points)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    return bhat + np.sqrt(excess) * circle @ np.linalg.inv(np.linalg.cholesky(G))


def reliance_over_plane(X, y, feature, b1, b2) -> np.ndarray:
    """MR (the ratio) of a feature for the linear models with coefficients b1, b2 (broadcast).

    MR = 1 + 2 b_j Cov(y - b_k x_k, x_j) / MSE(b), the intercept being the best one.
    """
    values, y = check_X_y(X, y, numeric_y=True)
    x, y = values - values.mean(axis=0), y - y.mean()
    n, j = len(y), feature
    S, c = x.T @ x, x.T @ y
    b = (np.asarray(b1, dtype=float), np.asarray(b2, dtype=float))
    error = (y @ y - 2 * (b[0] * c[0] + b[1] * c[1])) / n
    error = error + (b[0] ** 2 * S[0, 0] + 2 * b[0] * b[1] * S[0, 1] + b[1] ** 2 * S[1, 1]) / n
    return 1 + 2 * b[j] * (c[j] - b[1 - j] * S[0, 1]) / (n - 1) / error


@styled
def plot_good_models(
    good: LinearRashomonSet, X, y, *, feature=None, models: Mapping | None = None, ax=None
) -> Axes:
    """The ellipse of good linear models of two features, in the plane of their coefficients.

    Parameters
    ----------
    good : LinearRashomonSet
        Of two features, with intercept and without penalty.
    X, y : the sample it was made from
    feature : name or position, default=None
        Lines of equal model reliance on this feature; orange where it is below 1.
    models : mapping from label to fitted linear models, default=None
        One model or a list of models for each label, drawn as markers; up to four labels, of
        which a list is drawn as a cloud.
    ax : matplotlib Axes, default=None
        Drawn on; a new figure is made if None.

    Returns
    -------
    ax : matplotlib Axes
    """
    names = good.feature_names
    if len(names) != 2 or not good.fit_intercept or good.alpha:
        raise ValueError(
            f"The good models can be drawn for two features, an intercept and no penalty; this set "
            f"has the features {', '.join(names)}. Keep two columns, or use plot_ranges."
        )
    ax = new_axes((6.4, 4.6)) if ax is None else ax
    border = ellipse_of_good_models(X, y, good.limit - good.least_loss)
    middle, reach = border[:-1].mean(axis=0), 1.5 * np.ptp(border, axis=0).max() / 2 + 1e-9
    if feature is not None:
        _bands(ax, X, y, feature_index(feature, names), middle, reach)
    for (label, one), (marker, color) in zip((models or {}).items(), MARKS, strict=False):
        several = isinstance(one, Sequence)
        b = np.array([model.coef_ for model in (one if several else [one])])
        style = {"markersize": 3, "alpha": 0.5} if several else {"markersize": 10}
        ax.plot(*b.T, "." if several else marker, color=GREY if several else color, **style)
        if not several:
            _beside(ax, label, b[0], color, left=b[0, 0] > middle[0])
    ax.plot(*border.T, color=INK)
    ax.plot(*good.best_model.coef_, "o", color=INK)
    _beside(ax, "best", good.best_model.coef_, INK)
    ax.set(xlabel=f"coefficient of {names[0]}", ylabel=f"coefficient of {names[1]}")
    ax.set(xlim=middle[0] + np.array([-reach, reach]), ylim=middle[1] + np.array([-reach, reach]))
    ax.set_aspect("equal")
    return ax


def _bands(ax: Axes, X, y, j: int, middle, reach: float) -> None:
    grid = np.linspace(-reach, reach, 201)
    b1, b2 = middle[0] + grid, (middle[1] + grid)[:, np.newaxis]
    ratio = reliance_over_plane(X, y, j, b1, b2)
    levels = [ratio.min() - 1, *LEVELS, ratio.max() + 20]
    ax.contourf(b1, b2[:, 0], ratio, levels=levels, cmap=BANDS, norm=BAND_NORM)
    lines = ax.contour(b1, b2[:, 0], ratio, levels=LEVELS, colors=GREY, linewidths=0.8)
    ax.clabel(lines, fontsize=10, colors=INK, fmt="%g")
    ax.set_title(f"lines of equal reliance on {pd.DataFrame(X).columns[j]} (orange: below 1)")


def _beside(ax: Axes, label: str, place, color: str, *, left: bool = False) -> None:
    ax.annotate(
        label,
        place,
        xytext=(-9, -14) if left else (9, 6),
        ha="right" if left else "left",
        textcoords="offset points",
        color=color,
        bbox={"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 1},
    )


@styled
def plot_ranges(
    ranges, *, best: Importances | None = None, log: bool = False, ax: Axes | None = None
) -> Axes:
    """Ranges of reliance as bars from the least to the most, one row for each feature.

    Parameters
    ----------
    ranges : sequence of RelianceRange, or mapping from label to such a sequence
        All ratios or all differences; the line at 1 or at 0 means "not important".
    best : Importances, default=None
        The values of one model of the set, drawn as dots.
    log : bool, default=False
        Logarithmic axis, for ratios only.
    ax : matplotlib Axes, default=None
        Drawn on; a new figure is made if None.

    Returns
    -------
    ax : matplotlib Axes
    """
    labelled = dict(ranges) if isinstance(ranges, Mapping) else {"": ranges}
    labelled = {label: list(members) for label, members in labelled.items()}
    reference = _common_reference(labelled)
    names = [member.feature for member in next(iter(labelled.values()))]
    rows = np.arange(len(names))[::-1]  # the first on top
    if ax is None:
        ax = new_axes((6.4, 1.35 + (0.22 + 0.16 * len(labelled)) * len(names)))
    ax.axvline(reference, color=GREY, linewidth=1.4, zorder=0.5)
    offsets = np.linspace(0.18, -0.18, len(labelled)) if len(labelled) > 1 else [0.0]
    for (label, members), offset, (color, _) in zip(
        labelled.items(), offsets, SERIES, strict=False
    ):
        ends = np.array([(member.low, member.high) for member in members]).T
        ax.hlines(rows + offset, *ends, color=color, linewidth=3, label=label or "good models")
        ax.plot(ends, np.tile(rows + offset, (2, 1)), "|", color=color, markersize=11)
    if best is not None:
        values = [best.importances_mean[best.feature_names.index(name)] for name in names]
        ax.plot(values, rows + offsets[0], "o", color=INK, markersize=6, label="best model")
    ax.set_yticks(rows, [fill(name, NAME_WIDTH) for name in names])
    ax.set_ylim(-0.6, len(names) - 0.4)
    measures = {member.measure for members in labelled.values() for member in members}
    text = measures.pop() if len(measures) == 1 else "reliance"
    ax.set_xlabel(f"{fill(text, LINE_WIDTH)}\n(line at {reference:g}: not important)")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y", color=STYLE["grid.color"], linewidth=0.5, alpha=0.6)
    if log:
        ax.set_xscale("log")
        ticks = [
            t for t in (0.2, 0.5, 1, 2, 5, 10, 20, 50) if ax.get_xlim()[0] < t < ax.get_xlim()[1]
        ]
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.minorticks_off()
    return legend_above(ax, None)


def _common_reference(labelled: Mapping[str, Sequence[RelianceRange]]) -> float:
    """1 if all ranges are of ratios, 0 if all are of differences."""
    members = [member for group in labelled.values() for member in group]
    if not members or not all(isinstance(member, RelianceRange) for member in members):
        raise TypeError(
            "plot_ranges needs one or more RelianceRange results, in a list or in a mapping from "
            "label to list. Pass what model_class_reliance returned for each feature."
        )
    if len({tuple(member.feature for member in group) for group in labelled.values()}) > 1:
        raise ValueError(
            "The series are about different features, so their rows do not match. Compute each of "
            "them for the same features in the same order."
        )
    ratios = {"/" in member.measure for member in members}
    if len(ratios) > 1:
        raise ValueError(
            "Some ranges are of ratios and some of differences, so one axis cannot show what is "
            "not important. Use the same as_ratio for all of them."
        )
    return float(ratios.pop())
