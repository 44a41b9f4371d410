"""Totally randomized trees: multiway, fully developed, for categorical inputs.

The finite companion of `measures.asymptotic`: with growing sample and number of trees their MDI
tends to the exact values there. All trees of an ensemble are grown at once, level by level.
"""

from dataclasses import dataclass, fields, replace

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
from course_lib.worlds.distributions import factorize, node_impurities

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
    >>> from course_lib.worlds import make_led
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
        check_count(self.n_estimators, "n_estimators")
        check_count(self.K, "K", maximum=values.shape[1])
        rng = check_random_state(self.random_state)
        column_names(X)  # refuses names that occur twice
        y_codes = self._learn_classes(y)
        validate_data(self, X, skip_check_array=True)
        columns = [factorize(column) for column in values.T]
        self.categories_ = [categories for _, categories in columns]
        sample = np.column_stack([codes for codes, _ in columns] + [y_codes])
        points, counts = np.unique(sample, axis=0, return_counts=True)
        size = max(1, BLOCK // len(points))
        sizes = np.diff([*range(0, self.n_estimators, size), self.n_estimators])
        grown = [_grow(points, counts, n_trees, self.K, rng) for n_trees in sizes]
        self.nodes_, code = _one_table(grown)
        self._first_child, self._child = self._lookup(code)
        return self

    def _learn_classes(self, y: np.ndarray) -> np.ndarray:
        """The codes of the classes."""
        try:
            check_classification_targets(y)
            self.classes_, codes = np.unique(y, return_inverse=True)
        except TypeError:
            raise TypeError(
                "y has classes of several kinds, such as numbers and text, which have no order. "
                "Make them all text, with y.astype(str)."
            ) from None
        return codes

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


@dataclass(frozen=True, eq=False)
class _Level:
    """The nodes of equal depth in all trees, and where the points lie that came down to them."""

    parent: np.ndarray  # position among the nodes of all levels; a root is its own
    tree: np.ndarray
    code: np.ndarray  # the category that leads into the node
    used: np.ndarray  # (n_nodes, n_features): variables split on above
    point: np.ndarray  # point[i] lies in node[i]
    node: np.ndarray


@dataclass(frozen=True, eq=False)
class _Sample:
    """The distinct points that trees are grown on: codes of categories and classes, and counts."""

    X: np.ndarray
    y: np.ndarray
    counts: np.ndarray

    def class_counts(self, point, node, n_nodes: int) -> np.ndarray:
        """Counts of the classes (columns) in each node (rows); point[i] lies in node[i]."""
        n_classes = self.y.max() + 1
        cell = node * n_classes + self.y[point]
        joint = np.bincount(cell, self.counts[point], n_nodes * n_classes)
        return joint.reshape(n_nodes, n_classes)

    def children(self, level: _Level, feature) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The node above each child and the code that leads into it, and the child of each point,
        if the nodes are split on these variables."""
        base = self.X.max() + 1
        key = level.node * base + self.X[level.point, feature[level.node]]
        child, of_point = np.unique(key, return_inverse=True)
        return child // base, child % base, of_point.ravel()


def _grow(points, counts, n_trees: int, K: int, rng) -> tuple[NodeTable, np.ndarray]:
    """Grow trees on distinct points (codes of X, then of y) with their counts, level by level.

    Returns the nodes, tree by tree, and the category (code) that leads into each.
    """
    sample = _Sample(points[:, :-1], points[:, -1], counts)
    level, start, grown = _roots(sample, n_trees), 0, []
    while len(level.tree):
        joint = sample.class_counts(level.point, level.node, len(level.tree))
        impurity = node_impurities(joint)
        split = (impurity > 0) & ~level.used.all(axis=1)
        inside = split[level.node]
        level = replace(level, point=level.point[inside], node=level.node[inside])
        feature = _choose(sample, level, split, K, rng)
        grown.append((level.parent, level.tree, level.code, feature, impurity, joint))
        level, start = _next_level(sample, level, feature, start), start + len(feature)
    return _tree_by_tree(grown, n_trees)


def _roots(sample: _Sample, n_trees: int) -> _Level:
    roots, (n_points, n_features) = np.arange(n_trees), sample.X.shape
    used, point = np.zeros((n_trees, n_features), dtype=bool), np.tile(np.arange(n_points), n_trees)
    return _Level(roots, roots, np.zeros_like(roots), used, point, np.repeat(roots, n_points))


def _next_level(sample: _Sample, level: _Level, feature, start: int) -> _Level:
    """The children of the nodes that are split; the level's own nodes begin at `start`."""
    above, code, node = sample.children(level, feature)
    used = level.used[above]
    used[np.arange(len(above)), feature[above]] = True
    return _Level(start + above, level.tree[above], code, used, level.point, node)


def _choose(sample: _Sample, level: _Level, split, K: int, rng) -> np.ndarray:
    """The variable that splits each node: the best of K drawn among the unused, ties at random."""
    feature, used = np.full(len(split), LEAF), level.used[split]
    order = np.argsort(np.where(used, 2.0, rng.random(used.shape)), axis=1)
    K = min(K, int((~used[0]).sum())) if len(used) else 1
    feature[split] = order[:, 0] if K == 1 else _best(sample, level, split, order[:, :K])
    return feature


def _best(sample: _Sample, level: _Level, split, drawn: np.ndarray) -> np.ndarray:
    """The drawn variable that leaves the least uncertainty in each node; the first of equals."""
    n_nodes, remaining = len(split), np.empty(drawn.shape)
    feature = np.full(n_nodes, LEAF)
    for j, variable in enumerate(drawn.T):
        feature[split] = variable
        above, _, child = sample.children(level, feature)
        joint = sample.class_counts(level.point, child, len(above))
        uncertainty = joint.sum(axis=1) * node_impurities(joint)
        remaining[:, j] = np.bincount(above, uncertainty, n_nodes)[split]
    size = np.bincount(level.node, sample.counts[level.point], n_nodes)[split, np.newaxis]
    ties = remaining <= remaining.min(axis=1, keepdims=True) + TIE * size
    return drawn[np.arange(len(drawn)), ties.argmax(axis=1)]


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


def _one_table(grown) -> tuple[NodeTable, np.ndarray]:
    """Several tables, one after the other."""
    tables, codes = zip(*grown, strict=True)
    offsets = np.cumsum([0] + [len(table.parent) for table in tables[:-1]])
    moved = [
        replace(table, parent=table.parent + offset, roots=table.roots + offset)
        for table, offset in zip(tables, offsets, strict=True)
    ]
    columns = (
        np.concatenate([getattr(table, f.name) for table in moved]) for f in fields(NodeTable)
    )
    return NodeTable(*columns), np.concatenate(codes)
