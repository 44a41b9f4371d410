"""Importances as dots: one result, several side by side, and every repeat of one."""

from collections.abc import Mapping, Sequence
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes

from course_lib.plots.pictures import STYLE
from course_lib.plots.style import (
    INK,
    LINE_WIDTH,
    SERIES,
    feature_rows,
    legend_above,
    new_axes,
    styled,
)
from course_lib.results import Importances
from course_lib.validation import check_numbers

HOLLOW = {"color": INK, "markerfacecolor": "none", "markersize": 11, "linestyle": "none"}  # a truth
TALL = 5.4  # inches of rows; in a taller figure the letters on a slide become small


@styled
def plot_importances(result: Importances, *, ax: Axes | None = None, truth=None) -> Axes:
    """Dot plot of importances, largest on top; the bar is the 95 % interval of the mean.

    Parameters
    ----------
    result : Importances
        An exact result has dots without bars.
    truth : Importances or sequence of n_features numbers, default=None
        The known true values, drawn as hollow diamonds.

    Examples
    --------
    >>> import matplotlib.pyplot
    >>> from course_lib.questions import Q1
    >>> result = Importances([[0.0], [2.0]], ("sex", "age"), "loss increase", Q1)
    >>> ax = plot_importances(result)
    >>> [label.get_text() for label in ax.get_yticklabels()]  # from below
    ['sex', 'age']
    >>> matplotlib.pyplot.close(ax.figure)
    """
    _check_result(result)
    truth = None if truth is None else _truth_values(truth, result)
    order = np.argsort(result.importances_mean, kind="stable")
    rows = np.arange(len(order))
    ax = _feature_axes(ax, [result], [result.feature_names[i] for i in order])
    _dots(ax, result, order, rows, SERIES[0], "exact" if result.is_exact else "mean, 95 % interval")
    if truth is None:
        ax.set_title(fill(str(result.question), LINE_WIDTH))
        return ax
    ax.errorbar(truth[order], rows, fmt="D", **HOLLOW, label="truth")
    return legend_above(ax, str(result.question))


@styled
def plot_comparison(results, *, ax: Axes | None = None) -> Axes:
    """Several measures of the same features side by side, a marker for each measure.

    The features are ordered by the first result, largest on top.

    Parameters
    ----------
    results : sequence of Importances, or mapping from label to Importances
        Two to five results with the same features and the same reference. Without labels, each
        is called by its measure and its question.
    """
    labelled = _results_by_label(results)
    first = next(iter(labelled.values()))
    order = np.argsort(first.importances_mean, kind="stable")
    names = [first.feature_names[i] for i in order]
    ax = _feature_axes(ax, [*labelled.values()], names, _row_height(len(labelled), len(names)))
    for row in np.arange(1, len(names)) - 0.5:
        ax.axhline(row, color=STYLE["grid.color"], linewidth=0.8, zorder=0)
    offsets = np.linspace(0.28, -0.28, len(labelled))  # the first on top, as in the legend
    for (label, result), offset, series in zip(labelled.items(), offsets, SERIES, strict=False):
        own_order = [result.feature_names.index(name) for name in names]
        _dots(ax, result, own_order, np.arange(len(names)) + offset, series, label)
    return legend_above(ax, _common_question(labelled))


@styled
def plot_repeats(results, *, ax: Axes | None = None, truth=None) -> Axes:
    """Every repeat as a faint dot and the mean of each feature as a marker, features as given.

    Where `plot_importances` shows how well the mean is known, this shows how much one repeat may
    differ from another.

    Parameters
    ----------
    results : Importances, or mapping from label to Importances
        One result, or one to five of the same features and the same reference.
    truth : Importances or sequence of n_features numbers, default=None
        The known true values, drawn as hollow diamonds.
    """
    if isinstance(results, Importances):
        results = {"mean of the repeats": results}
    labelled = _results_by_label(results, fewest=1)
    first = next(iter(labelled.values()))
    names = list(first.feature_names)[::-1]  # the first on top
    ax = _feature_axes(ax, [*labelled.values()], names, height=0.24 + 0.16 * len(labelled))
    offsets = np.linspace(0.26, -0.26, len(labelled)) if len(labelled) > 1 else [0.0]
    for (label, result), offset, series in zip(labelled.items(), offsets, SERIES, strict=False):
        order = [result.feature_names.index(name) for name in names]
        _cloud(ax, result.importances[order], np.arange(len(names)) + offset, series, label)
    if truth is not None:
        values = _truth_values(truth, first)[::-1]
        ax.plot(values, range(len(names)), "D", **HOLLOW, label="truth", zorder=2.5)
    return legend_above(ax, _common_question(labelled))


def _cloud(ax: Axes, values: np.ndarray, rows, series: tuple[str, str], label: str) -> None:
    """Faint dots for the columns of `values`, and a marker at the mean of each row."""
    color, marker = series
    spread = 0.09 * np.sin(2.4 * np.arange(values.shape[1]))  # apart, and the same every time
    for row, repeats in zip(rows, values, strict=True):
        ax.plot(repeats, row + spread, ".", color=color, alpha=0.35, markersize=5, zorder=2)
    ax.plot(values.mean(axis=1), rows, marker, color=color, label=label, zorder=3)


def _row_height(n_results: int, n_rows: int) -> float:
    """Inches for each row of a comparison; in a tall figure rows are somewhat closer."""
    close, roomy = 0.2 + 0.16 * n_results, 0.2 + 0.2 * n_results
    return min(roomy, max(close, TALL / n_rows))


def _feature_axes(ax: Axes | None, results, names: Sequence[str], height=0.36) -> Axes:
    """Axes with a row for each feature, from below, and the line at the common reference."""
    if ax is None:
        ax = new_axes((6.4, 1.25 + height * len(names)))
    measures = {result.measure for result in results}
    measure = measures.pop() if len(measures) == 1 else "importance"
    feature_rows(ax, names, measure, results[0].reference)
    ax.margins(x=0.06)
    return ax


def _common_question(labelled: Mapping[str, Importances]) -> str | None:
    questions = {str(result.question) for result in labelled.values()}
    return questions.pop() if len(questions) == 1 else None


def _dots(ax: Axes, result: Importances, order, rows, series: tuple[str, str], label: str) -> None:
    """Dots at the means in the given rows, with bars for the intervals unless exact."""
    color, marker = series
    mean = result.importances_mean[order]
    half = None if result.is_exact else result.interval()[order, 1] - mean
    ax.errorbar(
        mean, rows, xerr=half, fmt=marker, color=color, capsize=0, elinewidth=2.4, label=label
    )


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
    rule = f"truth must be an Importances result or {n_features} finite numbers, one per feature"
    return check_numbers(
        truth, rule, "Pass them in the order of result.feature_names.", (n_features,)
    )


def _results_by_label(results, fewest: int = 2) -> dict[str, Importances]:
    """The results by label, checked to fit on one axis."""
    if isinstance(results, Importances) or not isinstance(results, Mapping | Sequence):
        raise TypeError(
            f"results must be several Importances, in a list or a mapping from label to result, "
            f"got {type(results).__name__}. For a single one use plot_importances."
        )
    members = list(results.values() if isinstance(results, Mapping) else results)
    if not fewest <= len(members) <= len(SERIES):
        raise ValueError(
            f"This picture shows {fewest} to {len(SERIES)} results, got {len(members)}. "
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
        to = [result.question.to for result in members]
        labels = [f"{label}: to {whom}" for label, whom in zip(labels, to, strict=True)]
    if len(set(labels)) < len(labels):
        raise ValueError(
            f"Two results are both called {max(labels, key=labels.count)!r}, so the legend could "
            f"not tell them apart. Pass a mapping from label to result."
        )
    return labels
