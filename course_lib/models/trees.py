"""Totally randomized trees: multiway, fully developed, for categorical inputs.

The finite companion of `measures.asymptotic`: with growing sample and number of trees their MDI
tends to the exact values there. All trees of an ensemble are grown at once, level by level.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from course_lib.validation import (
    check_count,
    check_fitted,
    check_random_state,
    check_X,
    check_X_y,
    column_names,
)
from course_lib.worlds.distributions import class_impurity, factorize

LEAF = -1
UNSEEN = -1  # code of a category that fit has not seen, or of a child that is not there
TIE = 1e-10  # bits within which two decreases are a tie
BLOCK = 2**21  # points times trees grown at a time


@dataclass(frozen=True, eq=False)
class NodeTable:
    """The nodes of several trees in one table; a parent stands before its children.

    The tables of a multiway ensemble and of scikit-learn's binary trees look the same, so that a
    measure is written once for both.
    """

    parent: np.ndarray  # position of the parent; a root is its own
    feature: np.ndarray  # the variable that splits the node; negative for a leaf
    impurity: np.ndarray
    weight: np.ndarray  # (weighted) number of training samples
    value: np.ndarray  # (n_nodes, n_outputs): class shares, or the mean in one column
    roots: np.ndarray  # position of the root of each tree

    @property
    def tree(self) -> np.ndarray:
        """Number of the tree that each node belongs to: trees stand one after the other."""
        return np.searchsorted(self.roots, np.arange(len(self.parent)), side="right") - 1

    def output(self, column: int) -> np.ndarray:
        """One column of `value`."""
        return self.value[:, column]


class TotallyRandomizedTrees(ClassifierMixin, BaseEstimator):
    """An ensemble of totally (K = 1) or less randomized multiway trees for categorical inputs.

    A node is split into one child per category present, on the variable with the largest decrease
    of entropy (in bits) among K drawn without replacement from those not yet used on its branch;
    ties are broken at random. Growth stops when all variables have been used, or earlier in a
    pure node, where nothing is left to decrease. Every tree sees the whole sample (no bootstrap).

    Parameters
    ----------
    n_estimators : int, default=100
    K : int, default=1
        Variables drawn at each node, at most the number of features; fewer if fewer remain.
    random_state : int, Generator or None, default=None

    Attributes
    ----------
    classes_ : ndarray
    categories_ : list of ndarray
        Categories of each feature, in order of appearance.
    nodes_ : NodeTable
        All nodes of all trees.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    A new row goes down until a leaf, or until the node where its category has no child: it is
    predicted there, by the class shares of the training samples in the node.

    Examples
    --------
    >>> from course_lib.worlds.datasets import make_led
    >>> X, y = make_led()
    >>> trees = TotallyRandomizedTrees(n_estimators=10, random_state=0).fit(X, y)
    >>> trees.predict(X)
    array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    """

    def __init__(self, n_estimators=100, K=1, random_state=None):
        self.n_estimators = n_estimators
        self.K = K
        self.random_state = random_state

    def fit(self, X, y):
        """Grow the trees on categories X (of any kind) and classes y; returns self."""
        values, y = check_X_y(X, y, numeric=False)
        check_classification_targets(y)
        check_count(self.n_estimators, "n_estimators")
        check_count(self.K, "K", maximum=values.shape[1])
        rng = check_random_state(self.random_state)
        column_names(X)  # refuses names that occur twice
        validate_data(self, X, skip_check_array=True)
        self.classes_, y_codes = np.unique(y, return_inverse=True)
        columns = [factorize(column) for column in values.T]
        self.categories_ = [categories for _, categories in columns]
        sample = np.column_stack([codes for codes, _ in columns] + [y_codes])
        points, counts = np.unique(sample, axis=0, return_counts=True)
        size = max(1, BLOCK // len(points))
        sizes = np.diff([*range(0, self.n_estimators, size), self.n_estimators])
        grown = [_grow(points, counts, n_trees, self.K, rng) for n_trees in sizes]
        self.nodes_, code = _joined(grown)
        self._first_child, self._child = self._lookup(code)
        return self

    def apply(self, X) -> np.ndarray:
        """Position in `nodes_` of the node that each row ends in, one column per tree."""
        return self.descend(self.encode(X))

    def descend(self, codes: np.ndarray) -> np.ndarray:
        """As `apply`, for rows that are encoded already."""
        codes, which = np.unique(codes, axis=0, return_inverse=True)
        node = np.tile(self.nodes_.roots, (len(codes), 1))
        row, tree = (axis.ravel() for axis in np.indices(node.shape))
        while len(row):
            here = node[row, tree]
            code = codes[row, self.nodes_.feature[here]]
            inner = (self.nodes_.feature[here] != LEAF) & (code != UNSEEN)
            child = self._child[np.where(inner, self._first_child[here] + code, 0)]
            moves = inner & (child != UNSEEN)
            row, tree = row[moves], tree[moves]
            node[row, tree] = child[moves]
        return node[which.ravel()]

    def predict_proba(self, X) -> np.ndarray:
        """Mean over the trees of the class shares in the node that each row ends in."""
        nodes = self.apply(X)
        return sum(self.nodes_.value[column] for column in nodes.T) / nodes.shape[1]

    def predict(self, X) -> np.ndarray:
        """The class with the largest mean share."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def encode(self, X) -> np.ndarray:
        """Positions of the categories of X in `categories_`; -1 for one that fit has not seen."""
        check_fitted(self)
        values = check_X(X, numeric=False)
        column_names(X)
        validate_data(self, X, skip_check_array=True, reset=False)
        columns = zip(values.T, self.categories_, strict=True)
        return np.column_stack([pd.Index(known).get_indexer(column) for column, known in columns])

    def _lookup(self, code: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where each node's children begin in the list of children, which has one place per
        category of the node's variable."""
        n_categories = np.array([len(categories) for categories in self.categories_])
        feature, parent = self.nodes_.feature, self.nodes_.parent
        places = np.where(feature == LEAF, 0, n_categories[feature])
        first_child = np.cumsum(places) - places
        child = np.full(max(1, places.sum()), UNSEEN)
        below = np.flatnonzero(parent != np.arange(len(parent)))
        child[first_child[parent[below]] + code[below]] = below
        return first_child, child


def _grow(points, counts, n_trees: int, K: int, rng) -> tuple[NodeTable, np.ndarray]:
    """Grow trees on distinct points (codes of X, then of y) with their counts, level by level.

    Returns the nodes, tree by tree, and the category (code) that leads into each.
    """
    X, y = points[:, :-1], points[:, -1]
    n_points, n_classes, base = len(points), y.max() + 1, X.max() + 1
    point, node = np.tile(np.arange(n_points), n_trees), np.repeat(np.arange(n_trees), n_points)
    tree = parent = np.arange(n_trees)
    used = np.zeros((n_trees, X.shape[1]), dtype=bool)
    code, start, levels = np.zeros(n_trees, dtype=int), 0, []
    while len(tree):
        joint = _class_counts(node, y[point], counts[point], len(tree), n_classes)
        impurity, feature = class_impurity(joint), np.full(len(tree), LEAF)
        split = (impurity > 0) & ~used.all(axis=1)
        inside = split[node]
        point, node = point[inside], (np.cumsum(split) - 1)[node[inside]]
        feature[split] = chosen = _choose(X, y, counts, point, node, used[split], K, rng)
        levels.append((parent, tree, code, feature, impurity, joint))
        child, new_node = np.unique(node * base + X[point, chosen[node]], return_inverse=True)
        above, code = child // base, child % base
        parent, tree = start + np.flatnonzero(split)[above], tree[split][above]
        used = used[split][above]
        used[np.arange(len(above)), chosen[above]] = True
        start, node = start + len(split), new_node.ravel()
    return _tree_by_tree(levels, n_trees)


def _choose(X, y, counts, point, node, used, K: int, rng) -> np.ndarray:
    """The variable that splits each node: the best of K drawn among the unused, ties at random."""
    order = np.argsort(np.where(used, 2.0, rng.random(used.shape)), axis=1)
    K = min(K, int((~used[0]).sum())) if len(used) else 1
    if K == 1:
        return order[:, 0]
    drawn, base, n_classes = order[:, :K], X.max() + 1, y.max() + 1
    remaining = np.empty(drawn.shape)
    for j, variable in enumerate(drawn.T):
        child, of = np.unique(node * base + X[point, variable[node]], return_inverse=True)
        joint = _class_counts(of.ravel(), y[point], counts[point], len(child), n_classes)
        uncertainty = joint.sum(axis=1) * class_impurity(joint)
        remaining[:, j] = np.bincount(child // base, uncertainty, len(used))
    size = np.bincount(node, counts[point], len(used))[:, np.newaxis]
    ties = remaining <= remaining.min(axis=1, keepdims=True) + TIE * size
    return drawn[np.arange(len(drawn)), ties.argmax(axis=1)]


def _class_counts(node, y, counts, n_nodes: int, n_classes: int) -> np.ndarray:
    joint = np.bincount(node * n_classes + y, counts, n_nodes * n_classes)
    return joint.reshape(n_nodes, n_classes)


def _tree_by_tree(levels, n_trees: int) -> tuple[NodeTable, np.ndarray]:
    """The nodes of all levels, sorted by tree and within a tree by level."""
    parent, tree, code, feature, impurity, joint = map(np.concatenate, zip(*levels, strict=True))
    order = np.argsort(tree, kind="stable")
    position = np.empty_like(order)
    position[order] = np.arange(len(order))
    weight = joint.sum(axis=1)
    table = NodeTable(
        parent=position[parent][order],
        feature=feature[order],
        impurity=impurity[order],
        weight=weight[order],
        value=(joint / weight[:, np.newaxis])[order],
        roots=position[:n_trees],
    )
    return table, code[order]


def _joined(grown) -> tuple[NodeTable, np.ndarray]:
    """Several tables, one after the other."""
    tables, codes = zip(*grown, strict=True)
    offsets = np.cumsum([0] + [len(table.parent) for table in tables[:-1]])

    def joined(field, shift=0):
        pairs = zip(tables, offsets, strict=True)
        return np.concatenate([getattr(table, field) + shift * offset for table, offset in pairs])

    table = NodeTable(
        joined("parent", 1),
        joined("feature"),
        joined("impurity"),
        joined("weight"),
        joined("value"),
        joined("roots", 1),
    )
    return table, np.concatenate(codes)
