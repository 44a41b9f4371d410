"""Pictures of Rashomon sets: the ellipse of good models, lines of equal reliance, and ranges."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap

from course_lib.measures.rashomon.sets import LinearRashomonSet
from course_lib.plots.pictures import STYLE
from course_lib.plots.style import (
    BLACK,
    BLUE,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    SERIES,
    STILL,
    WHITE,
    feature_rows,
    legend_above,
    new_axes,
    styled,
)
from course_lib.results import Importances, RelianceRange
from course_lib.validation import feature_index

LEVELS = (0.5, 0.8, 1, 1.5, 2, 3, 4, 6, 8, 12)
BANDS = ListedColormap(  # orange below 1, blue above
    ["#f2a97c", "#f7c9ac", "#fce8dc", "#f1f5fb", "#dfe9f5", "#cadbef", "#b3cce7", "#9bbcdf"]
    + ["#82abd5", "#699acb", "#5189c0"]
)
BAND_NORM = BoundaryNorm(LEVELS, BANDS.N, extend="both")
MARKS = (("v", ORANGE), ("^", BLUE), ("D", PURPLE), ("s", INK))  # least and most, as everywhere


@styled
def plot_good_models(
    good: LinearRashomonSet, *, feature=None, models: Mapping | None = None, ax=None
) -> Axes:
    """The ellipse of good linear models of two features, in the plane of their coefficients.

    Parameters
    ----------
    good : LinearRashomonSet
        Of two features, with intercept and without penalty.
    feature : name or position, default=None
        Lines of equal model reliance on this feature; orange where it is below 1, which the title
        says if there is such a place.
    models : mapping from label to fitted linear models, default=None
        One model or a list of models for each label, drawn as markers; up to four labels, of
        which a list is drawn as a cloud. The first is orange and points down, the second blue and
        points up: for the models that rely least and most.
    """
    names = good.feature_names
    if len(names) != 2 or not good.fit_intercept or good.alpha:
        raise ValueError(
            f"The good models can be drawn for two features, an intercept and no penalty; this set "
            f"has the features {', '.join(names)}. Keep two columns, or use plot_ranges."
        )
    ax = new_axes((6.4, 4.6)) if ax is None else ax
    border = good.border()
    middle, reach = border[:-1].mean(axis=0), 1.5 * np.ptp(border, axis=0).max() / 2 + 1e-9
    ink, paper = dict(zip(STILL, STILL, strict=True)), "white"
    if feature is not None:
        _bands(ax, good, feature, middle, reach)
        ink, paper = STILL, WHITE  # on bands that no theme changes
    for (label, one), (marker, color) in zip((models or {}).items(), MARKS, strict=False):
        several = isinstance(one, Sequence)
        b = np.array([model.coef_ for model in (one if several else [one])])
        style = {"markersize": 3, "alpha": 0.5} if several else {"markersize": 10}
        ax.plot(*b.T, "." if several else marker, color=ink[GREY if several else color], **style)
        if not several:
            side = "left" if b[0, 0] > middle[0] else "right"
            _beside(ax, label, b[0], ink[color], paper, side=side)
    ax.plot(*border.T, color=ink[INK])
    ax.plot(*good.best_model.coef_, "o", color=ink[INK])
    _beside(ax, "best", good.best_model.coef_, ink[INK], paper, side="center")
    ax.set(xlabel=f"coefficient of {names[0]}", ylabel=f"coefficient of {names[1]}")
    ax.set(xlim=middle[0] + np.array([-reach, reach]), ylim=middle[1] + np.array([-reach, reach]))
    ax.set_aspect("equal")
    return ax


def _bands(ax: Axes, good: LinearRashomonSet, feature, middle, reach: float) -> None:
    steps = np.linspace(-reach, reach, 201)
    b1, b2 = middle[0] + steps, middle[1] + steps
    ratio = good.reliance_at(np.stack(np.meshgrid(b1, b2), axis=-1), feature)
    levels = [ratio.min() - 1, *LEVELS, ratio.max() + 20]
    ax.contourf(b1, b2, ratio, levels=levels, cmap=BANDS, norm=BAND_NORM)
    lines = ax.contour(b1, b2, ratio, levels=LEVELS, colors=STILL[GREY], linewidths=0.8)
    ax.clabel(lines, fontsize=10, colors=BLACK, fmt="%g")
    name = good.feature_names[feature_index(feature, good.feature_names)]
    legend = " (orange: below 1)" if ratio.min() < 1 else ""
    ax.set_title(f"lines of equal reliance on {name}{legend}")


def _beside(ax: Axes, label: str, place, color: str, paper: str, *, side: str) -> None:
    where = {"left": (-9, -14), "center": (0, 8), "right": (9, 6)}
    ax.annotate(
        label,
        place,
        xytext=where[side],
        ha={"left": "right", "center": "center", "right": "left"}[side],
        textcoords="offset points",
        color=color,
        bbox={"facecolor": paper, "alpha": 0.75, "edgecolor": "none", "pad": 1},
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
    """
    labelled = dict(ranges) if isinstance(ranges, Mapping) else {"": ranges}
    labelled = {label: list(members) for label, members in labelled.items()}
    reference = _common_reference(labelled)
    names = [member.feature for member in next(iter(labelled.values()))]
    measures = {member.measure for members in labelled.values() for member in members}
    measure = measures.pop() if len(measures) == 1 else "reliance"
    rows = np.arange(len(names))[::-1]  # the first on top
    if ax is None:
        ax = new_axes((6.4, 1.35 + (0.22 + 0.16 * len(labelled)) * len(names)))
    feature_rows(ax, names[::-1], measure, reference)
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
    ax.grid(axis="y", color=STYLE["grid.color"], linewidth=0.5, alpha=0.6)
    if log:
        ax.set_xscale("log")
        ticks = [
            t for t in (0.2, 0.5, 1, 2, 5, 10, 20, 50) if ax.get_xlim()[0] < t < ax.get_xlim()[1]
        ]
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.minorticks_off()
    return legend_above(ax, None)


@styled
def plot_reliance_by_loss(
    losses, ranges, *, drawn=None, models: Mapping | None = None, ax: Axes | None = None
) -> Axes:
    """Least and most reliance on a feature for every loss that one may accept.

    Parameters
    ----------
    losses : sequence of n numbers, increasing
    ranges : sequence of n RelianceRange
        Of one feature: the range over all models of the class with at most that loss.
    drawn : pair of sequences, default=None
        Losses and reliances of some models, drawn as a cloud.
    models : mapping from label to (loss, reliance), default=None
        Single models, in the colours of `plot_comparison`.

    Name the horizontal axis with ``ax.set(xlabel=...)``.
    """
    ax = new_axes((6.4, 3.8)) if ax is None else ax
    reference = _common_reference({"": ranges})
    if drawn is not None:
        ax.plot(*drawn, ".", color=GREY, alpha=0.5, markersize=4)
    for label, color in (("high", BLUE), ("low", ORANGE)):
        ends = [getattr(one, label) for one in ranges]
        ax.plot(losses, ends, color=color)
        name, below = {"high": ("most", 0), "low": ("least", 10)}[label]  # not on the line at 1
        place = {"xytext": (6, -below), "textcoords": "offset points", "annotation_clip": False}
        ax.annotate(name, (losses[-1], ends[-1]), va="center", color=color, **place)
    for (label, (loss, reliance)), (color, marker) in zip(
        (models or {}).items(), SERIES, strict=False
    ):
        ax.plot(loss, reliance, marker, color=color, markersize=9, label=label, linestyle="none")
    ax.axhline(reference, color=GREY, linewidth=1.4, zorder=0)
    ax.margins(y=0.1)  # room for "least" above the axis
    ax.set_ylabel(f"reliance on {ranges[0].feature}")
    return legend_above(ax, None) if models else ax


def _common_reference(labelled: Mapping[str, Sequence[RelianceRange]]) -> float:
    """The value that means "not important" in all ranges: 1 for ratios, 0 for differences."""
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
    references = {member.reference for member in members}
    if len(references) > 1:
        raise ValueError(
            "Some ranges are of ratios and some of differences, so one axis cannot show what is "
            "not important. Use the same as_ratio for all of them."
        )
    return references.pop()
