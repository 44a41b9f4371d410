"""Shapley values of a tree, leaf by leaf: for trees with splits that shap does not read.

A tree is the sum of its leaves. A leaf pays its value to a row that takes the right way at every
split above it, so in its game features S are worth

    value * product over the features on its path of  [x goes this way]  if in S,  else  r_j

where r_j is the share of the training rows that went there (the path-dependent game, `tree_game`)
or whether a background row does (the marginal game, `prediction_game`). Only the features on the
path play, and rows that take the same ways get the same values.
"""

from collections.abc import Iterator
from math import factorial

import numpy as np

from course_lib.models.bitmasks import shapley_weights
from course_lib.models.boosters import Tree


def tree_values(tree: Tree, rows: np.ndarray, around=None) -> tuple[np.ndarray, float]:
    """Shapley values of a tree's prediction for each row, and its worth of nobody.

    Parameters
    ----------
    tree : Tree
    rows : array of shape (n_samples, n_features)
    around : array of shape (n_rows, n_features), default=None
        The background of the marginal game; the path-dependent game if None.

    Returns
    -------
    values : array of shape (n_samples, n_features)
    base : float
    """
    n = len(rows)
    everything = rows if around is None else np.concatenate([rows, around])
    values, base = np.zeros(rows.shape), 0.0
    for leaf, features, ways, shares in _leaves(tree, everything):
        patterns, which = _distinct(ways[:n])
        if around is None:
            gains, nobody = _by_shares(patterns, shares), shares.prod()
        else:
            others, again = _distinct(ways[n:])
            frequency = np.bincount(again) / len(again)
            gains, nobody = _by_background(patterns, others, frequency), frequency @ others.all(1)
        values[:, features] += tree.value[leaf] * gains[which]
        base += tree.value[leaf] * nobody
    return values, base


def _leaves(tree: Tree, rows: np.ndarray) -> Iterator[tuple]:
    """For each leaf: its number, the features on its path, whether each row takes the right way at
    all splits on a feature, and the share of the training rows that did."""
    stack = [(0, {}, {})]
    while stack:
        node, ways, shares = stack.pop()
        if tree.left[node] < 0:
            taken = np.reshape([*ways.values()], (len(ways), len(rows))).astype(bool).T
            yield node, [*ways], taken, np.array([*shares.values()])
            continue
        j, left = tree.feature[node], tree.goes_left(node, rows)
        for child, goes in ((tree.left[node], left), (tree.right[node], ~left)):
            share = tree.weight[child] / tree.weight[node]
            stack.append(
                (
                    child,
                    ways | {j: ways.get(j, True) & goes},
                    shares | {j: shares.get(j, 1.0) * share},
                )
            )


def _distinct(ways: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows of a table of bool, and which of them each row is."""
    if ways.shape[1] > 62:
        return np.unique(ways, axis=0, return_inverse=True)
    codes = ways @ (1 << np.arange(ways.shape[1]))
    _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    return ways[first], which


def _by_shares(ways: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Shapley values of  product of [way taken] in S, of shares elsewhere, one row per pattern.

    The coalitions of s others are worth the coefficient of z^s in the product over the others j of
    (way_j z + share_j).
    """
    n, m = ways.shape
    gains = np.empty((n, m))
    for i in range(m):
        worth = np.ones((n, 1))
        for j in range(m):
            if j != i:
                none, taken = worth * shares[j], worth * ways[:, [j]]
                worth = np.pad(none, ((0, 0), (0, 1))) + np.pad(taken, ((0, 0), (1, 0)))
        gains[:, i] = (ways[:, i] - shares[i]) * (worth @ shapley_weights(m))
    return gains


def _by_background(ways: np.ndarray, others: np.ndarray, frequency: np.ndarray) -> np.ndarray:
    """The same with the ways of background rows in the place of shares, and their mean.

    Where x alone goes right at u features and the background row alone at v, each of the u gets
    (u-1)! v! / (u+v)!, each of the v that negatively with u and v exchanged; where neither goes
    right at some feature nobody gets anything.
    """
    m = ways.shape[1]
    x, b = ways.astype(float), others.astype(float)
    u, v = (x @ (1 - b).T).astype(int), ((1 - x) @ b.T).astype(int)
    counts = ((1 - x) @ (1 - b).T == 0) * frequency
    alone = np.array([[_share(k, rest) for rest in range(m + 1)] for k in range(m + 1)])
    return x * ((alone[u, v] * counts) @ (1 - b)) - (1 - x) * ((alone[v, u] * counts) @ b)


def _share(u: int, v: int) -> float:
    return factorial(u - 1) * factorial(v) / factorial(u + v) if u else 0.0
