"""MDI of infinitely many trees grown on an infinite sample, exactly and without simulation.

The trees are multiway and fully developed: a node is split into one child per value, on the best
of K variables drawn without replacement among those not yet used on its branch (all that remain
if fewer than K do), ties broken at random, until every variable has been used. A node is then
known by the set S of used variables and the values x_S, so that sets S, as bit masks, are all
there is to go through.

References
----------
Louppe, Wehenkel, Sutera & Geurts (2013), NeurIPS 26, Theorems 1 to 5.
Sutera, Louppe, Huynh-Thu, Wehenkel & Geurts (2021), NeurIPS 34, equations 4 to 13.
"""

from math import comb

import numpy as np

from course_lib.models.games import shapley_by_size
from course_lib.models.impurities import KINDS, impurity_in_words
from course_lib.questions import DISTRIBUTION, Q3
from course_lib.results import Importances
from course_lib.validation import check_count, check_option
from course_lib.worlds.distributions import ROUNDING, Categorical

MAX_FEATURES = 20  # 2**p sets of variables are gone through
MAX_TABLE = 2**23  # entries of a table with one row per set and one column per support point
TIE = 1e-10  # decreases closer than this share of the target's or the node's impurity are ties


def asymptotic_mdi(distribution: Categorical, K: int = 1, impurity: str = "entropy") -> Importances:
    """MDI of each variable in an infinite ensemble, given the distribution of the data.

    Imp(X_m) = sum_k 1 / (C(p, k) (p - k)) sum_{|B| = k} I(X_m; Y | B)

    for K = 1 (equation 4; with another impurity, its mean decrease in place of I), which is the
    Shapley value of v(S) = I(X_S; Y). For K > 1 the probability of each split is followed down
    the branches instead.

    Parameters
    ----------
    distribution : Categorical
    K : int, default=1
        Variables drawn at each node; 1 to the number of features.
    impurity : {"entropy", "gini", "variance"}, default="entropy"
        In bits for entropy; the variance needs a target of numbers.

    Returns
    -------
    result : Importances
        Exact, one column; sums to I(X_1, ..., X_p; Y) whatever K. Cost: 2**p sorts of the support
        points, p times that for K > 1.

    Examples
    --------
    >>> from course_lib.worlds import make_led
    >>> asymptotic_mdi(Categorical(*make_led())).importances_mean.round(4)
    array([0.4127, 0.5815, 0.5312, 0.5421, 0.6566, 0.2258, 0.372 ])
    """
    parts = _by_degree(distribution, K, impurity)
    return _result(parts, distribution, "asymptotic MDI", K, impurity, DISTRIBUTION)


def asymptotic_local_mdi(
    distribution: Categorical, x, K: int = 1, impurity: str = "entropy"
) -> Importances:
    """Local MDI of each variable at one row `x`, in an infinite ensemble.

    Imp(X_m, x) = sum_k 1 / (C(p, k) (p - k)) sum_{|B| = k} H(Y | x_B) - H(Y | x_B, x_m)

    for K = 1 (equation 10), which is the Shapley value of v_loc(S; x) = H(Y) - H(Y | X_S = x_S).
    Negative where a value raises the uncertainty.

    Parameters
    ----------
    distribution : Categorical
    x : array-like of shape (n_features,)
        A full row of positive probability.
    K, impurity
        As for `asymptotic_mdi`.

    Returns
    -------
    result : Importances
        Exact, one column; sums to H(Y) - H(Y | X = x). Its mean over the rows is `asymptotic_mdi`
        (equation 11).

    Examples
    --------
    The usual value of x settles y, the rare one makes it a fair coin.

    >>> from course_lib.worlds import make_rare
    >>> rare = Categorical(*make_rare())
    >>> [float(asymptotic_local_mdi(rare, [x]).importances_mean[0].round(3)) for x in (0, 1)]
    [0.469, -0.531]
    """
    parts = _by_degree(distribution, K, impurity, at=(x,))
    return _result(parts, distribution, "asymptotic local MDI", K, impurity, Q3)


def mdi_by_degree(distribution: Categorical, K: int = 1, impurity: str = "entropy") -> np.ndarray:
    """Asymptotic MDI split by the degree of interaction: what X_m adds when k others are known.

    Parameters
    ----------
    distribution, K, impurity
        As for `asymptotic_mdi`.

    Returns
    -------
    parts : ndarray of shape (n_features, n_features)
        Row m, column k: the part of Imp(X_m) from nodes with k variables above them (the summand
        of equation 4). Each row sums to `asymptotic_mdi`.

    Examples
    --------
    In an xor each bit is informative only once the other is known.

    >>> xor = Categorical([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> mdi_by_degree(xor)
    array([[0. , 0.5],
           [0. , 0.5]])
    """
    return _by_degree(distribution, K, impurity)


def _by_degree(distribution, K, impurity, at: tuple = ()) -> np.ndarray:
    """The table of `mdi_by_degree`: of the mean over all rows, or of the one row in `at`."""
    p = _check(distribution, K, impurity)
    weights = np.zeros(len(distribution.probabilities)) if at else distribution.probabilities
    for x in at:
        weights[distribution.support_row(x)] = 1.0
    if K == 1:
        return shapley_by_size(-distribution.mean_impurities(np.arange(2**p), impurity, weights), p)
    return _by_degree_along_branches(distribution, K, impurity, weights)


def _check(distribution, K, impurity) -> int:
    """The number of features of a distribution for which the rest makes sense."""
    if not isinstance(distribution, Categorical):
        raise TypeError(
            f"distribution must be a Categorical, got {type(distribution).__name__}. "
            f"Make one with Categorical(X, y)."
        )
    p, n_support = distribution.n_features, len(distribution.codes)
    check_count(K, "K", maximum=p)
    check_option(impurity, "impurity", KINDS)
    if impurity == "variance" and distribution.classes.dtype.kind not in "biuf":
        raise TypeError(
            f"The variance needs a target of numbers, got the classes "
            f"{', '.join(map(str, distribution.classes[:5]))}. Use impurity='entropy' or 'gini'."
        )
    if p > MAX_FEATURES or (K > 1 and 2**p * n_support > MAX_TABLE):
        raise ValueError(
            f"{p} features with {n_support} support points are too many for K = {K}: the exact "
            f"value goes through all 2**{p} sets of features. Keep fewer features"
            f"{', or use K = 1' * (K > 1 and p <= MAX_FEATURES)}, or grow TotallyRandomizedTrees."
        )
    return p


def _result(parts, distribution, name, K, impurity, question) -> Importances:
    return Importances(
        parts.sum(axis=1, keepdims=True),
        distribution.feature_names,
        f"{name}  K = {K}, {impurity}",
        question,
        loss=impurity_in_words(impurity),
        sample="the distribution given",
        repeats="exact",
    )


def _by_degree_along_branches(distribution, K, impurity, weights) -> np.ndarray:
    """The same table for K > 1: each node's probability to be grown, from the root down.

    `grown[S, i]` is the probability that a tree has the node that used S and holds point i;
    `drop` is i(t) - i(t_{x_m}) at each point (equation 8), and its mean over a node the decrease
    by which the node chooses.
    """
    p, P = distribution.n_features, distribution.probabilities
    masks = np.arange(2**p)
    i, nodes = distribution.impurities(masks, impurity), distribution.nodes(masks)
    grown = np.zeros_like(i)
    grown[0] = 1.0
    scale = np.ptp(distribution.classes.astype(float)) ** 2 if impurity == "variance" else 1.0
    parts = np.zeros((p, p))
    for S in masks[:-1]:
        unused = np.flatnonzero(~S >> np.arange(p) & 1)
        drop = i[S] - i[S | 1 << unused]
        node, own = nodes[S], np.empty(nodes[S].max() + 1)
        own[node] = i[S]  # in a rare branch it may be far above the target's
        decrease = np.array([np.bincount(node, P * d) for d in drop]) / np.bincount(node, P)
        tie = np.maximum(TIE * np.maximum(own, i[0, 0]), ROUNDING * scale)
        chosen = grown[S] * _choice_probabilities(decrease, K, tie)[:, node]
        grown[S | 1 << unused] += chosen
        parts[unused, p - len(unused)] += (chosen * drop) @ weights
    return parts


def _choice_probabilities(decrease: np.ndarray, K: int, tie: np.ndarray) -> np.ndarray:
    """Probability that each variable (row) wins at each node (column).

    Of r variables K are drawn; one with `a` strictly better and t - 1 equal ones wins when none
    of the better but one of the t equal ones is drawn, in a t-th of those cases.
    """
    r = len(decrease)
    K = min(K, r)
    ahead = decrease[np.newaxis] - decrease[:, np.newaxis]  # [m, other, node]
    better = (ahead > tie).sum(axis=1)
    equal = (abs(ahead) <= tie).sum(axis=1)
    draws = np.array([comb(n, K) for n in range(r + 1)]) / comb(r, K)  # all K among n of the r
    return (draws[r - better] - draws[r - better - equal]) / equal
