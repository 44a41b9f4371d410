"""How the time of a measure grows with rows, columns, trees and repeats: exponents, fitted."""

from collections.abc import Callable, Iterator

import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.ensemble import RandomForestRegressor
from sklearn.neighbors import KNeighborsRegressor

from course_lib.measures.attribution.sage import sage
from course_lib.measures.forests.mdi import local_mdi
from course_lib.measures.permutation import permutation_importance
from course_lib.measures.reliance import model_reliance
from course_lib.tools.bench.lines import Line, seconds_per_call

TURNS = 3
SLACK = 0.25  # above the exponent that is promised: small sizes pay for what does not grow


def growth_lines() -> Iterator[Line]:
    """One line for each measure and size; the time is proportional to size ** exponent."""
    for work, size, sizes, promised, prepare in _growths():
        seconds = quickest([prepare(value) for value in sizes])
        exponent = fitted_exponent(sizes, seconds)
        note = f"{sizes[0]:,} to {sizes[-1]:,}"
        wanted = promised + SLACK
        yield Line(work, f"growth with {size}", exponent, wanted, True, note, unit=" (exponent)")


def quickest(works: list[Callable]) -> np.ndarray:
    """The seconds of each work in the quickest of a few turns: noise only adds."""
    return np.min([[seconds_per_call(work) for work in works] for _ in range(TURNS)], axis=0)


def fitted_exponent(sizes, seconds) -> float:
    """The slope of log time over log size.

    >>> round(fitted_exponent([1, 2, 4], [3.0, 12.0, 48.0]), 6)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def _growths() -> Iterator[tuple]:
    """The work, what grows, its sizes, the exponent that is promised, and size -> work."""
    rows, columns, trees = [500, 1000, 2000, 4000], [5, 10, 20, 40], [10, 20, 40, 80]
    shuffled = "permutation_importance, forest"
    yield shuffled, "rows", rows, 1, lambda n: _shuffling(n, 10, 20, 5)
    yield shuffled, "columns", columns, 1, lambda p: _shuffling(1000, p, 20, 5)
    yield shuffled, "trees", trees, 1, lambda t: _shuffling(1000, 10, t, 5)
    repeats = [2, 4, 8, 16]
    yield shuffled, "repeats", repeats, 1, lambda r: _shuffling(1000, 10, 20, r)
    yield "sage, forest", "rows", [250, 500, 1000, 2000], 1, lambda n: _orders(n, 10, 4)
    yield "sage, forest", "columns", columns, 1, lambda p: _orders(250, p, 4)
    yield "sage, forest", "orders", repeats, 1, lambda r: _orders(250, 10, r)
    yield "model_reliance, all pairs", "rows", [100, 200, 400, 800], 2, _pairs
    yield "local_mdi", "rows", rows, 1, _local


def _forest(n: int, p: int, n_trees: int) -> tuple:
    """A forest whose trees are as deep for few rows as for many."""
    X, y = make_friedman1(n, p, noise=1.0, random_state=0)
    return RandomForestRegressor(n_trees, max_depth=6, random_state=0).fit(X, y), X, y


def _shuffling(n: int, p: int, n_trees: int, n_repeats: int) -> Callable:
    sample = _forest(n, p, n_trees)
    return lambda: permutation_importance(*sample, n_repeats=n_repeats, random_state=0)


def _orders(n: int, p: int, n_orders: int) -> Callable:
    sample = _forest(n, p, 20)
    return lambda: sage(*sample, n_orders=n_orders, random_state=0)


def _pairs(n: int) -> Callable:
    X, y = make_friedman1(n, 5, noise=1.0, random_state=0)
    model = KNeighborsRegressor(algorithm="kd_tree").fit(X[:100], y[:100])
    return lambda: model_reliance(model, X, y, pairs="all")


def _local(n: int) -> Callable:
    model, X, _ = _forest(n, 10, 20)
    return lambda: local_mdi(model, X)
