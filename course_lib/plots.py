"""Figures of results: every function takes a result, draws on one Axes and returns it.

Colour never speaks alone: each series has its own marker too. The line at the result's reference,
the value that means "not important", is always drawn. In a lesson, the picture of a plot is shown
with its text: ``picture(plot_importances(result), alt="...")``.
"""

from collections.abc import Mapping, Sequence
from functools import wraps
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from course_lib.pictures import STYLE, Picture, course_style, picture
from course_lib.results import Importances

__all__ = ["Picture", "picture", "plot_comparison", "plot_curves", "plot_importances"]
__all__ += ["plot_repeats", "plot_split"]

COLORS = BLUE, ORANGE, GREEN, PURPLE, INK = tuple(STYLE["axes.prop_cycle"].by_key()["color"])
MARKERS = ("o", "s", "^", "D", "v")
SERIES = tuple(zip(COLORS, MARKERS, strict=True))
GREY = "#6b6b6b"

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


@styled
def plot_importances(result: Importances, *, ax: Axes | None = None, truth=None) -> Axes:
    """Dot plot of importances, largest on top; the bar is the 95 % interval of the mean.

    Parameters
    ----------
    result : Importances
        An exact result has dots without bars.
    ax : matplotlib Axes, default=None
        Drawn on; a new figure is made if None.
    truth : Importances or sequence of n_features numbers, default=None
        The known true values, drawn as hollow diamonds.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from course_lib.questions import Q1
    >>> result = Importances([[0.0], [2.0]], ("sex", "age"), "loss increase", Q1)
    >>> ax = plot_importances(result)
    >>> [label.get_text() for label in ax.get_yticklabels()]  # from below
    ['sex', 'age']
    >>> plt.close(ax.figure)
    """
    _check_result(result)
    truth = None if truth is None else _truth_values(truth, result)
    order = np.argsort(result.importances_mean, kind="stable")
    rows = np.arange(len(order))
    ax = _feature_axes(ax, result, [result.feature_names[i] for i in order])
    _dots(ax, result, order, rows, SERIES[0], "exact" if result.is_exact else "mean, 95 % interval")
    if truth is None:
        ax.set_title(fill(str(result.question), LINE_WIDTH))
        return ax
    hollow = {"color": ORANGE, "markerfacecolor": "none", "markersize": 11}
    ax.errorbar(truth[order], rows, fmt="D", **hollow, label="truth")
    return _legend_above(ax, str(result.question))


@styled
def plot_comparison(results, *, ax: Axes | None = None) -> Axes:
    """Several measures of the same features side by side, a marker for each measure.

    The features are ordered by the first result, largest on top.

    Parameters
    ----------
    results : sequence of Importances, or mapping from label to Importances
        Two to five results with the same features and the same reference. Without labels, each
        is called by its measure and its question.
    ax : matplotlib Axes, default=None
        Drawn on; a new figure is made if None.

    Returns
    -------
    ax : matplotlib Axes
    """
    labelled = _labelled(results)
    first = next(iter(labelled.values()))
    order = np.argsort(first.importances_mean, kind="stable")
    names = [first.feature_names[i] for i in order]
    ax = _feature_axes(ax, first, names, height=0.2 + 0.2 * len(labelled))
    ax.set_xlabel(_reference_label(_common([r.measure for r in labelled.values()]), first))
    for row in np.arange(1, len(names)) - 0.5:
        ax.axhline(row, color=STYLE["grid.color"], linewidth=0.8, zorder=0)
    offsets = np.linspace(0.28, -0.28, len(labelled))  # the first on top, as in the legend
    for (label, result), offset, series in zip(labelled.items(), offsets, SERIES, strict=False):
        own_order = [result.feature_names.index(name) for name in names]
        _dots(ax, result, own_order, np.arange(len(names)) + offset, series, label)
    questions = {result.question for result in labelled.values()}
    return _legend_above(ax, str(first.question) if len(questions) == 1 else None)


@styled
def plot_repeats(results, *, ax: Axes | None = None, truth=None) -> Axes:
    """Every repeat as a faint dot and the mean of each feature as a marker, features as given.

    Where `plot_importances` shows how well the mean is known, this shows how much one repeat may
    differ from another.

    Parameters
    ----------
    results : Importances, or mapping from label to Importances
        One result, or two to five of the same features and the same reference.
    ax : matplotlib Axes, default=None
        Drawn on; a new figure is made if None.
    truth : Importances or sequence of n_features numbers, default=None
        The known true values, drawn as hollow diamonds.

    Returns
    -------
    ax : matplotlib Axes
    """
    alone = isinstance(results, Importances)
    labelled = {"mean of the repeats": results} if alone else _labelled(results)
    first = next(iter(labelled.values()))
    names = list(first.feature_names)[::-1]  # the first on top
    ax = _feature_axes(ax, first, names, height=0.24 + 0.16 * len(labelled))
    ax.set_xlabel(_reference_label(_common([r.measure for r in labelled.values()]), first))
    offsets = np.linspace(0.26, -0.26, len(labelled)) if len(labelled) > 1 else [0.0]
    for (label, result), offset, series in zip(labelled.items(), offsets, SERIES, strict=False):
        order = [result.feature_names.index(name) for name in names]
        _cloud(ax, result.importances[order], np.arange(len(names)) + offset, series, label)
    if truth is not None:
        hollow = {"color": INK, "markerfacecolor": "none", "markersize": 11, "linestyle": "none"}
        values = _truth_values(truth, first)[::-1]
        ax.plot(values, range(len(names)), "D", **hollow, label="truth", zorder=2.5)
    questions = {result.question for result in labelled.values()}
    return _legend_above(ax, str(first.question) if len(questions) == 1 else None)


def _cloud(ax: Axes, values: np.ndarray, rows, series: tuple[str, str], label: str) -> None:
    """Faint dots for the columns of `values`, and a marker at the mean of each row."""
    color, marker = series
    spread = 0.09 * np.sin(2.4 * np.arange(values.shape[1]))  # apart, and the same every time
    for row, repeats in zip(rows, values, strict=True):
        ax.plot(repeats, row + spread, ".", color=color, alpha=0.35, markersize=5, zorder=2)
    ax.plot(values.mean(axis=1), rows, marker, color=color, label=label, zorder=3)


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
    ax : matplotlib Axes, default=None
        Drawn on; a new figure is made if None. Name its axes with ``ax.set(xlabel=..., ...)``.

    Returns
    -------
    ax : matplotlib Axes
    """
    x, expected = np.asarray(x, dtype=float), expected or {}
    if not isinstance(curves, Mapping) or not 1 <= len(curves) <= len(SERIES):
        raise ValueError(
            f"curves must map one to {len(SERIES)} labels to their values, got {curves!r}. "
            f"Pass for example {{'simulated': [1.0, 2.0]}}."
        )
    ax = _new_axes((6.4, 3.4)) if ax is None else ax
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


@styled
def plot_split(split, *, ax: Axes | None = None) -> Axes:
    """The samples of a node along one feature, a row for each class, cut by a threshold.

    Parameters
    ----------
    split : Split
        As made by `course_lib.widgets.threshold.split_node`.
    ax : matplotlib Axes, default=None
        Drawn on; a new figure is made if None.

    Returns
    -------
    ax : matplotlib Axes
    """
    ax = _new_axes((6.4, 2.3)) if ax is None else ax
    plot_samples(split.x, split.y, ax=ax)
    ax.axvline(split.threshold, color=INK, linestyle="--")
    ax.set_title(split.left_text, loc="left")
    ax.set_title(split.parent_text, loc="center")
    ax.set_title(split.right_text, loc="right")
    ax.set_xlabel(f"x   (split at x ≤ {split.threshold:g})")
    return ax


def plot_samples(x, y, *, ax: Axes) -> Axes:
    """One dot per sample, a row and a marker for each class."""
    classes = np.unique(y)
    for row, (value, (color, marker)) in enumerate(zip(classes, SERIES, strict=False)):
        own = np.asarray(y) == value
        face = "none" if row == 0 else color
        ax.plot(
            np.asarray(x)[own], np.full(own.sum(), row), marker, color=color, markerfacecolor=face
        )
    ax.set_yticks(range(len(classes)), [f"class {value}" for value in classes])
    ax.set_ylim(-0.6, len(classes) - 0.4)
    ax.tick_params(axis="y", length=0)
    return ax


# Steps shared by the plots


def _new_axes(size: tuple[float, float]) -> Axes:
    return plt.subplots(figsize=size)[1]


def _feature_axes(ax: Axes | None, result: Importances, names: Sequence[str], height=0.36) -> Axes:
    """Axes with a row for each feature, from below, and the reference line."""
    if ax is None:
        ax = _new_axes((6.4, 1.25 + height * len(names)))
    ax.axvline(result.reference, color=GREY, linewidth=1.4, zorder=0.5)
    ax.set_yticks(range(len(names)), [fill(name, NAME_WIDTH) for name in names])
    ax.set_ylim(-0.6, len(names) - 0.4)
    ax.set_xlabel(_reference_label(result.measure, result))
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.margins(x=0.06)
    return ax


def _reference_label(measure: str, result: Importances) -> str:
    return f"{fill(measure, LINE_WIDTH)}\n(line at {result.reference:g}: not important)"


def _dots(ax: Axes, result: Importances, order, rows, series: tuple[str, str], label: str) -> None:
    """Dots at the means in the given rows, with bars for the intervals unless exact."""
    color, marker = series
    mean = result.importances_mean[order]
    half = None if result.is_exact else result.interval()[order, 1] - mean
    ax.errorbar(
        mean, rows, xerr=half, fmt=marker, color=color, capsize=0, elinewidth=2.4, label=label
    )


def _common(measures: Sequence[str]) -> str:
    return measures[0] if len(set(measures)) == 1 else "importance"


def _legend_above(ax: Axes, title: str | None) -> Axes:
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


def _check_result(result) -> None:
    if not isinstance(result, Importances):
        raise TypeError(
            f"A plot of importances needs an Importances result, got {type(result).__name__}. "
            f"Pass what a measure returned, not its numbers."
        )


def _truth_values(truth, result: Importances) -> np.ndarray:
    """The true value of each feature, in the order of the result."""
    n_features = len(result.feature_names)
    if isinstance(truth, Importances):
        if set(truth.feature_names) != set(result.feature_names):
            raise ValueError(
                f"truth is about {', '.join(truth.feature_names)}, the result about "
                f"{', '.join(result.feature_names)}. Compute both for the same features."
            )
        order = [truth.feature_names.index(name) for name in result.feature_names]
        return truth.importances_mean[order]
    try:
        values = np.asarray(truth, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(
            f"truth must be an Importances result or {n_features} numbers, got {truth!r}. "
            f"Pass one true value per feature."
        ) from None
    if values.shape != (n_features,) or not np.isfinite(values).all():
        raise ValueError(
            f"truth must hold {n_features} finite numbers, one per feature, got {truth!r}. "
            f"Pass them in the order of result.feature_names."
        )
    return values


def _labelled(results) -> dict[str, Importances]:
    """The results by label, checked to fit on one axis."""
    if isinstance(results, Importances) or not isinstance(results, Mapping | Sequence):
        raise TypeError(
            f"results must be several Importances, in a list or a mapping from label to result, "
            f"got {type(results).__name__}. For a single one use plot_importances."
        )
    members = list(results.values() if isinstance(results, Mapping) else results)
    if not 2 <= len(members) <= len(SERIES):
        raise ValueError(
            f"A comparison shows 2 to {len(SERIES)} results, got {len(members)}. "
            f"For one use plot_importances; more belong in several pictures."
        )
    for result in members:
        _check_result(result)
    if len({frozenset(result.feature_names) for result in members}) > 1:
        raise ValueError(
            "The results are about different features, so their rows do not match. "
            "Compute every measure on the same columns."
        )
    if len({result.reference for result in members}) > 1:
        references = ", ".join(f"{result.measure}: {result.reference:g}" for result in members)
        raise ValueError(
            f"The results have different references ({references}), so one axis cannot show what "
            f"is not important. Compare differences with differences, ratios with ratios."
        )
    return dict(zip(_labels(results, members), members, strict=True))


def _labels(results, members: Sequence[Importances]) -> list[str]:
    """The given labels or the measures, with the question where it differs."""
    names = results if isinstance(results, Mapping) else [result.measure for result in members]
    labels = [str(name) for name in names]
    if len({result.question for result in members}) > 1:
        keys = [result.question.key for result in members]
        labels = [f"{label} ({key})" for label, key in zip(labels, keys, strict=True)]
    if len(set(labels)) < len(labels):
        raise ValueError(
            f"Two results are both called {max(labels, key=labels.count)!r}, so the legend could "
            f"not tell them apart. Pass a mapping from label to result."
        )
    return labels
