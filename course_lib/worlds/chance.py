"""What chance alone removes: the impurity decrease of splits on a variable that tells nothing.

The yardstick is i(t) / (n - 1), the mean decrease of a single cut that was fixed beforehand, over
all orders of the targets in a node of n samples, for Gini and for the variance.
"""

from functools import cache

import numpy as np

from course_lib.validation import (
    RandomState,
    check_count,
    check_option,
    check_random_state,
    check_X_y,
)

SPLITS = ("random", "best", "multiway")
MAX_LEVELS = 50  # beyond, the quadrature below would need more nodes
KINDS = ("gini", "variance")


def expected_decrease(n_levels: int, split: str = "best") -> float:
    """Expected decrease by one split on noise with equally frequent levels, in units of i(t)/(n-1).

    random   : 1, whichever of the n_levels - 1 thresholds is drawn (exact)
    multiway : n_levels - 1, one child per level (exact)
    best     : E max_j U_j^2, the largest over the thresholds j = 1, ..., n_levels - 1

    In a large node the decrease at threshold j, in this unit, is U_j^2 with (U_j) Gaussian, mean 0,
    variance 1 and the correlation sqrt(s_i (1 - s_j) / ((1 - s_i) s_j)) of thresholds with shares
    s_i < s_j = j / n_levels on their left: neighbours share most of their rows. (U_j) is a Markov
    chain, so that P(max |U_j| <= c) is integrated step by step, without simulation.

    Parameters
    ----------
    n_levels : int
        From 2 to 50.
    split : {"best", "random", "multiway"}, default="best"

    Examples
    --------
    Two levels leave nothing to choose.

    >>> round(expected_decrease(2), 6), expected_decrease(20, "random")
    (1.0, 1.0)
    >>> expected_decrease(20, "multiway")
    19.0
    """
    n_levels = check_count(n_levels, "n_levels", minimum=2, maximum=MAX_LEVELS)
    check_option(split, "split", SPLITS)
    if split == "best":
        return _expected_maximum(n_levels)
    return 1.0 if split == "random" else float(n_levels - 1)


@cache
def _expected_maximum(n_levels: int, n_bounds: int = 48, n_nodes: int = 96) -> float:
    """E max U_j^2 = integral of 2c P(max |U_j| > c) over c >= 0, by Gauss-Legendre quadrature."""
    bound, bound_weight = _quadrature(n_bounds, 0.0, 8.0)
    node, node_weight = _quadrature(n_nodes, -1.0, 1.0)
    u, weight = np.outer(bound, node), np.outer(bound, node_weight)
    share = np.arange(1, n_levels) / n_levels
    odds = share / (1 - share)
    density = _normal(u, 1.0)
    for step in np.sqrt(odds[:-1] / odds[1:]):  # correlation of neighbouring thresholds
        kernel = _normal(u[:, :, np.newaxis] - step * u[:, np.newaxis, :], np.sqrt(1 - step**2))
        density = np.einsum("cij,cj->ci", kernel, weight * density)
    below = (weight * density).sum(axis=1)
    return float(2 * bound_weight @ (bound * (1 - below)))


def _quadrature(n: int, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    node, weight = np.polynomial.legendre.leggauss(n)
    return low + (high - low) * (node + 1) / 2, weight * (high - low) / 2


def _normal(u: np.ndarray, sigma: float) -> np.ndarray:
    return np.exp(-0.5 * (u / sigma) ** 2) / (sigma * np.sqrt(2 * np.pi))


def simulated_decreases(
    n_levels: int,
    split: str = "best",
    *,
    n_samples: int = 200,
    n_repeats: int = 1000,
    random_state: RandomState = None,
) -> np.ndarray:
    """Gini decreases by one split of a coin flip on noise, in units of i(t)/(n-1), one per repeat.

    Parameters
    ----------
    n_levels : int
        Levels of the noise, equally likely; may be as large as one likes.
    split : {"best", "random", "multiway"}, default="best"
        As in `expected_decrease`.
    n_samples : int, default=200
        Samples in the node.
    n_repeats : int, default=1000
        Nodes drawn. Cost: n_repeats * (n_samples + n_levels).
    random_state : int, Generator or None, default=None

    Examples
    --------
    >>> decreases = simulated_decreases(20, "multiway", n_repeats=2000, random_state=0)
    >>> bool(abs(decreases.mean() - 19) < 4 * decreases.std() / 2000**0.5)
    True
    """
    n_levels = check_count(n_levels, "n_levels", minimum=2)
    check_option(split, "split", SPLITS)
    n = check_count(n_samples, "n_samples", minimum=2)
    shape = (check_count(n_repeats, "n_repeats"), n)
    rng = check_random_state(random_state)
    x, y = rng.integers(n_levels, size=shape), rng.integers(2, size=shape)
    y[:, :2] = [0, 1]  # so that every node has an impurity to lose
    place = x + n_levels * np.arange(len(x))[:, np.newaxis]
    size, ones = (
        np.bincount(place.ravel(), weights, n_levels * len(x)).reshape(-1, n_levels)
        for weights in (None, y.ravel())
    )
    share = y.mean(axis=1, keepdims=True)
    unit = share * (1 - share) * n / (n - 1)  # half of Gini, summed over rows
    if split == "multiway":
        return _squared_shift(size, ones, share).sum(axis=1) / unit[:, 0]
    left = _squared_shift(size.cumsum(axis=1), ones.cumsum(axis=1), share)[:, :-1]
    right = _squared_shift(n - size.cumsum(axis=1), n * share - ones.cumsum(axis=1), share)[:, :-1]
    decrease = (left + right) / unit
    if split == "best":
        return decrease.max(axis=1)
    return np.take_along_axis(decrease, rng.integers(n_levels - 1, size=(len(x), 1)), axis=1)[:, 0]


def _squared_shift(size: np.ndarray, ones: np.ndarray, share: np.ndarray) -> np.ndarray:
    """size times (mean of the child - mean of the node)^2; 0 for an empty child."""
    return (ones - size * share) ** 2 / np.maximum(size, 1)


def independence_pvalue(
    x, y, *, kind: str = "gini", n_shuffles: int = 999, random_state: RandomState = None
) -> float:
    """Permutation p-value of independence: how often shuffled targets allow a split as good.

    p = (1 + number of shuffles of y whose best split on x decreases at least as much) / (1 + B)

    The statistic is the one that a tree looks for. Under independence p <= a has at most the
    probability a, for any a. A constant x allows no split: it is independent of everything, and
    its p-value is 1.

    Parameters
    ----------
    x : array-like of shape (n_samples,)
        One numeric variable.
    y : array-like of shape (n_samples,)
        Classes, or numbers if `kind` is "variance".
    kind : {"gini", "variance"}, default="gini"
    n_shuffles : int, default=999
        B, the shuffles of y. Cost: n_shuffles * n_samples.
    random_state : int, Generator or None, default=None

    Examples
    --------
    A row number tells everything if the rows were stored by class.

    >>> independence_pvalue(range(40), [0] * 20 + [1] * 20, random_state=0)
    0.001
    """
    check_option(kind, "kind", KINDS)
    n_shuffles = check_count(n_shuffles, "n_shuffles")
    rng = check_random_state(random_state)
    X, y = check_X_y(np.reshape(x, (-1, 1)), y, numeric_y=kind == "variance")
    Y = y[:, np.newaxis] if kind == "variance" else (y[:, np.newaxis] == np.unique(y)).astype(float)
    order = np.argsort(X[:, 0], kind="stable")
    cut = np.flatnonzero(np.diff(X[order, 0])) + 1  # rows left of each threshold
    observed = _best_split(Y[order], cut)
    chance = [_best_split(Y[rng.permutation(len(Y))], cut) for _ in range(n_shuffles)]
    tie = 1e-12 * max(observed, 1e-300)
    return float((1 + np.sum(np.array(chance) >= observed - tie)) / (1 + n_shuffles))


def _best_split(Y: np.ndarray, cut: np.ndarray) -> float:
    """n times the largest decrease over thresholds with `cut` rows on their left; 0 without any."""
    n, centred = len(Y), Y - Y.mean(axis=0)
    sums = centred.cumsum(axis=0)[cut - 1]
    return float(np.max((sums**2).sum(axis=1) * n / (cut * (n - cut)), initial=0.0))
