"""The branches of fitted trees: scikit-learn's and multiway ones as the same tables of nodes.

A measure that adds up what happens along branches gives every node a gain, which credits the
variable that the node's parent was split on; the sums are taken here.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from sklearn.tree import BaseDecisionTree
from sklearn.utils import get_tags

from course_lib.models.boosters import is_boosted
from course_lib.models.trees import NodeTable, TotallyRandomizedTrees
from course_lib.models.wrappers import FORESTS, refuse_class
from course_lib.tables import response_function
from course_lib.validation import (
    check_fitted,
    check_X,
    column_names,
    refuse_non_finite,
)

BLOCK = 2**18  # table entries worked on at a time: small enough for the processor's cache


def check_forest(forest):
    """The forest itself, if its branches can be read."""
    if not isinstance(forest, (*FORESTS, BaseDecisionTree, TotallyRandomizedTrees)):
        refuse_class(forest)
        raise TypeError(
            f"forest must be a fitted decision tree, random forest or Extra-Trees of "
            f"scikit-learn, or TotallyRandomizedTrees, alone or at the end of a pipeline, got "
            f"{type(forest).__name__}. {_nearest(forest)}"
        )
    check_fitted(forest)
    return forest


def _nearest(model) -> str:
    """What to ask of a model whose branches have no impurity of y."""
    if is_boosted(model):
        return (
            "Boosted trees are fitted to each other's residuals, so their impurities are not about "
            "y; booster_importances(model) reads what their splits have gained, and tree_shap(model"
            ", X) says what moved a prediction."
        )
    return (
        "permutation_importance(model, X, y) takes any model that predicts; for bagged trees use a "
        "random forest with max_features=None."
    )


def check_rows(forest, X) -> tuple[np.ndarray, tuple[str, ...]]:
    """X as the trees read it (in single precision, or as codes of categories), and its names."""
    categorical = isinstance(forest, TotallyRandomizedTrees)
    tree = getattr(forest, "estimators_", [forest])[0]
    allow_nan = not categorical and get_tags(tree).input_tags.allow_nan
    values = check_X(X, numeric=not categorical, allow_nan=allow_nan)
    response_function(forest, X if isinstance(X, pd.DataFrame) else values)  # compares the columns
    names = column_names(X) if isinstance(X, pd.DataFrame) else feature_names(forest)
    if categorical:
        return forest.encode(X), names
    with np.errstate(over="ignore"):
        rows = np.ascontiguousarray(values, dtype=np.float32)
    refuse_non_finite(rows, "X (in single precision, as the trees read it)", allow_nan=True)
    return rows, names


def feature_names(forest) -> tuple[str, ...]:
    """The names that the forest was fitted with, else x0, x1, ..."""
    numbered = [f"x{j}" for j in range(forest.n_features_in_)]
    return tuple(getattr(forest, "feature_names_in_", numbered))


class _BinaryTrees:
    """Several of scikit-learn's trees as one `NodeTable`, whose columns are made when asked for."""

    def __init__(self, trees):
        self.trees = trees
        self.sizes = [tree.node_count for tree in trees]
        self.roots = np.cumsum([0] + self.sizes[:-1])
        self.feature = self._column("feature")
        inner = np.flatnonzero(self.feature >= 0)
        root = np.repeat(self.roots, self.sizes).take(inner)
        self.parent = np.arange(len(self.feature))
        for side in ("children_left", "children_right"):
            self.parent[self._column(side).take(inner) + root] = inner

    def _column(self, name):
        return np.concatenate([getattr(tree, name) for tree in self.trees])

    @property
    def tree(self):
        return np.repeat(np.arange(len(self.trees)), self.sizes)

    @property
    def impurity(self):
        return self._column("impurity")

    @property
    def weight(self):
        return self._column("weighted_n_node_samples")

    @property
    def value(self):
        return self._column("value")[:, 0]

    def output(self, column):
        return np.concatenate([tree.value[:, 0, column] for tree in self.trees])

    def apply(self, rows):
        ends = np.empty((len(rows), len(self.trees)), dtype=np.intp)
        for t, tree in enumerate(self.trees):
            np.add(tree.apply(rows), self.roots[t], out=ends[:, t])
        return ends


Table = NodeTable | _BinaryTrees


def node_tables(forest, rows=None) -> Iterator[tuple[Table, np.ndarray | None]]:
    """Some trees at a time, with the node that each row ends in, one column per tree."""
    if isinstance(forest, TotallyRandomizedTrees):
        yield forest.nodes_, None if rows is None else forest.descend(rows)
        return
    trees = [tree.tree_ for tree in getattr(forest, "estimators_", [forest])]
    n_rows = 0 if rows is None else len(rows)
    work = np.cumsum([tree.node_count * tree.n_features + n_rows for tree in trees])
    for block in np.split(np.arange(len(trees)), np.flatnonzero(np.diff(work // BLOCK)) + 1):
        table = _BinaryTrees(trees[block[0] : block[-1] + 1])
        yield table, None if rows is None else table.apply(rows)


def gains_by_feature(table: Table, gain: np.ndarray, n_features: int) -> np.ndarray:
    """Sum of the gains of the nodes by tree (column) and by the variable they credit (row)."""
    below = np.flatnonzero(table.parent != np.arange(len(table.parent)))
    cell = table.tree[below] * n_features + table.feature[table.parent[below]]
    sums = np.bincount(cell, gain[below], len(table.roots) * n_features)
    return sums.reshape(-1, n_features).T


def branch_means(forest, rows, gain: Callable[[Table], np.ndarray], n_features: int) -> np.ndarray:
    """Sum of the gains along each row's branch, by the variable they credit, mean over the trees.

    `gain` gives one number per node of a table. The sums are made once for each node that some
    row ends in, not for each row.
    """
    means, n_trees = np.zeros((len(rows), n_features)), 0
    for table, ends in node_tables(forest, rows):
        is_end = np.zeros(len(table.parent), dtype=bool)
        is_end[ends] = True
        sums = _branch_sums(table, np.flatnonzero(is_end), gain(table), n_features)
        position = np.cumsum(is_end) - 1
        for end in position.take(ends.T):
            means += sums.take(end, axis=0)
        n_trees += len(table.roots)
    return means / n_trees


def _branch_sums(table: Table, starts, gain, n_features: int) -> np.ndarray:
    node, which = _branches(table, starts)
    cell = which * n_features + table.feature.take(table.parent).take(node)
    return np.bincount(cell, gain.take(node), len(starts) * n_features).reshape(-1, n_features)


def _branches(table: Table, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All nodes from each start up to its root (without it), and which start they belong to."""
    is_root = np.zeros(len(table.parent), dtype=bool)
    is_root[table.roots] = True
    node, which = starts, np.arange(len(starts))
    nodes, owners = [node[:0]], [which[:0]]
    while len(node):
        below = np.flatnonzero(~is_root.take(node))
        node, which = node.take(below), which.take(below)
        nodes.append(node)
        owners.append(which)
        node = table.parent.take(node)
    return np.concatenate(nodes), np.concatenate(owners)


def node_totals(table, ends, counts, Y) -> tuple[np.ndarray, np.ndarray]:
    """Number of samples and sum of Y in every node, a sample counting `counts` times per tree."""
    at_end = csr_array(
        (counts.T.ravel(), (ends.T.ravel(), np.tile(np.arange(len(Y)), ends.shape[1]))),
        shape=(len(table.parent), len(Y)),
    )
    totals = at_end @ np.column_stack([np.ones(len(Y)), Y])
    leaves = np.flatnonzero(totals[:, 0])
    node, which = _branches(table, leaves)
    above = table.parent[node]
    upwards = csr_array(
        (np.ones(len(node)), (above, leaves[which])), shape=(len(totals), len(totals))
    )
    totals = totals + upwards @ totals
    return totals[:, 0], totals[:, 1:]
