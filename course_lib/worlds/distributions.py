"""What variables tell about a target: exact information measures of a categorical distribution.

All entropies are in bits. A set S of variables is written as a list of names or positions; the
empty list is allowed and means that nothing is known. Inside, a set is also a bit mask: variable
j is bit j, as in the games of `course_lib.models`.
"""

import numpy as np
import pandas as pd
from pandas.api import types as kinds

from course_lib.validation import (
    check_numbers,
    check_X_y,
    column_names,
    feature_indices,
)

LARGEST_KEY = 2**62
BLOCK = 2**21  # table entries held at a time
NOTHING = 1e-300  # a weight below this share of the largest is 0
ROUNDING = 1e-14  # an entropy below this is the rounding error of 0


class Categorical:
    """A joint distribution of inputs X_1, ..., X_p and a target Y, given by its support points.

    Parameters
    ----------
    X : DataFrame or array of shape (n_points, n_features)
        Categories of any kind, numbers or strings.
    y : array-like of shape (n_points,)
    weights : array-like of shape (n_points,), default=None
        Probabilities, or anything proportional to them; equal ones if None. Points of weight 0
        are dropped and equal points are added up, so a sample works too: it stands for its
        empirical distribution.

    Attributes
    ----------
    feature_names : tuple of str
    probabilities : ndarray of shape (n_support,)
        Of the distinct points (x, y), all positive, with sum 1.

    Examples
    --------
    Y = X_1 xor X_2 of two fair bits: each alone tells nothing, the second tells all once the
    first is known.

    >>> xor = Categorical([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> xor.mutual_information([0]), xor.conditional_mutual_information(1, [0])
    (0.0, 1.0)
    """

    def __init__(self, X, y, weights=None):
        values, y = check_X_y(X, y, numeric=False)
        weights = _check_weights(weights, len(y))
        values, y, weights = values[weights > 0], y[weights > 0], weights[weights > 0]
        self.feature_names, self._named = column_names(X), isinstance(X, pd.DataFrame)
        columns = [factorize(column) for column in values.T]
        y_codes, self.classes = factorize(y)
        table = np.column_stack([codes for codes, _ in columns] + [y_codes])
        points, which = np.unique(table, axis=0, return_inverse=True)
        self.categories = tuple(categories for _, categories in columns)
        self.codes, self.y_codes = points[:, :-1], points[:, -1]
        totals = np.bincount(which.ravel(), weights)
        self.probabilities = totals / totals.sum()

    @property
    def n_features(self) -> int:
        """The number p of input variables."""
        return self.codes.shape[1]

    def entropy(self) -> float:
        """H(Y), the uncertainty about the target when nothing is known.

        >>> Categorical([[0], [1]], ["heads", "tails"]).entropy()
        1.0
        """
        return self.conditional_entropy([])

    def conditional_entropy(self, S=()) -> float:
        """H(Y | X_S), what remains uncertain on average when the variables in S are known."""
        return float(self.mean_impurities([self._mask(S)])[0])

    def entropy_at(self, x, S) -> float:
        """H(Y | X_S = x_S), what remains uncertain for one row `x` of which only S is looked at.

        Unlike its mean, H(Y | X_S), this can exceed H(Y): a rare value may confuse.
        """
        mask = self._mask(S)
        agrees = self._agrees(x, mask)
        if not agrees.any():
            looked_at = [j for j in range(self.n_features) if mask >> j & 1]
            values = ", ".join(f"{self.feature_names[j]} = {_row(x)[j]!r}" for j in looked_at)
            raise ValueError(
                f"The values {values} have probability 0 together, so nothing can be said given "
                f"them. Choose a row of the support, or look at fewer variables."
            )
        return float(self.impurities([mask])[0, np.flatnonzero(agrees)[0]])

    def mutual_information(self, S) -> float:
        """I(X_S; Y) = H(Y) - H(Y | X_S), the uncertainty that knowing S removes on average."""
        return self.entropy() - self.conditional_entropy(S)

    def conditional_mutual_information(self, m, S=()) -> float:
        """I(X_m; Y | X_S) = H(Y | X_S) - H(Y | X_S, X_m): what m adds once S is known.

        It sums along any order of the variables to I(X_1, ..., X_p; Y), and it is 0 if m is in S.
        """
        known, both = self._mask(S), self._mask(S) | self._mask(m)
        before, after = self.mean_impurities([known, both])
        return float(before - after)

    def impurities(self, masks, kind: str = "entropy") -> np.ndarray:
        """Impurity of Y given X_S = x_S, for each set S (a bit mask) and each support point x.

        A table of shape (n_masks, n_support).
        """
        return np.concatenate([*self._impurity_blocks(masks, kind)])

    def mean_impurities(self, masks, kind: str = "entropy", weights=None) -> np.ndarray:
        """Mean of `impurities` over the support points, without holding the whole table.

        With the distribution's own probabilities (the default) and entropy it is H(Y | X_S).
        Cost: one sort of the support points per mask.
        """
        weights = self.probabilities if weights is None else weights
        return np.concatenate([block @ weights for block in self._impurity_blocks(masks, kind)])

    def _impurity_blocks(self, masks, kind):
        masks = self._as_masks(masks)
        n_support, n_classes = len(self.codes), len(self.classes)
        size = max(1, BLOCK // (n_support * n_classes))
        for start in range(0, len(masks), size):
            nodes = self.nodes(masks[start : start + size])
            slots = nodes + n_support * np.arange(len(nodes))[:, np.newaxis]
            joint = np.bincount(
                (slots * n_classes + self.y_codes).ravel(),
                np.broadcast_to(self.probabilities, nodes.shape).ravel(),
                nodes.size * n_classes,
            )
            yield node_impurities(joint.reshape(-1, n_classes), self.classes, kind)[slots]

    def nodes(self, masks) -> np.ndarray:
        """Number of the node {x' : x'_S = x_S} that each support point x is in, for each mask.

        A table of shape (n_masks, n_support); the nodes of one mask are numbered from 0.
        """
        masks = self._as_masks(masks)[:, np.newaxis]
        keys, bound = np.zeros((len(masks), len(self.codes)), dtype=np.int64), 1
        for j, categories in enumerate(self.categories):
            if bound > LARGEST_KEY // len(categories):
                keys, bound = _ranks(keys), len(self.codes)
            keys = np.where((masks >> j & 1) == 1, keys * len(categories) + self.codes[:, j], keys)
            bound *= len(categories)
        return _ranks(keys)

    def support_row(self, x) -> int:
        """Position of a support point whose inputs are those of the full row `x`."""
        agrees = self._agrees(x, 2**self.n_features - 1)
        if not agrees.any():
            raise ValueError(
                f"The row {_row(x)!r} has probability 0 in this distribution. "
                f"Choose one of the {len(np.unique(self.nodes([-1])))} rows that can occur."
            )
        return int(np.flatnonzero(agrees)[0])

    def _as_masks(self, masks) -> np.ndarray:
        """Bit masks as an array: of Python's own numbers if there are too many bits for numpy's."""
        return np.asarray(masks, dtype=np.int64 if self.n_features < 64 else object)

    def _mask(self, S) -> int:
        return sum(1 << j for j in feature_indices(S, self.feature_names))

    def _agrees(self, x, mask: int) -> np.ndarray:
        """Which support points equal the row `x` on the variables of `mask`."""
        x = self._full_row(x)
        agrees = np.ones(len(self.codes), dtype=bool)
        for j, categories in enumerate(self.categories):
            if mask >> j & 1:
                agrees &= self.codes[:, j] == _position(x[j], categories)
        return agrees

    def _full_row(self, x) -> list:
        if isinstance(x, pd.DataFrame) and len(x) == 1:
            x = x.astype(object).iloc[0]
        if isinstance(x, pd.Series) and set(map(str, x.index)) == set(self.feature_names):
            x = x.rename(index=str)[list(self.feature_names)]
        elif self._named and isinstance(x, pd.Series) and kinds.infer_dtype(x.index) == "string":
            raise ValueError(
                f"x has values called {', '.join(x.index)}, but the features are "
                f"{', '.join(self.feature_names)}. Pass a row with those names, or an array."
            )
        row = _row(x)
        if len(row) != self.n_features:
            raise ValueError(
                f"x must be a full row, one value for each of the {self.n_features} features "
                f"({', '.join(self.feature_names)}), got {len(row)}. Say what to look at with S."
            )
        return row


def _check_weights(weights, n_points: int) -> np.ndarray:
    """Nonnegative weights, one per point, not all 0."""
    if weights is None:
        return np.ones(n_points)
    rule = f"weights must be {n_points} finite nonnegative numbers, one per point and not all 0"
    advice = "Pass probabilities or counts."
    numbers = check_numbers(weights, rule, advice, (n_points,))
    if (numbers < 0).any() or not numbers.any():
        raise ValueError(f"{rule}, got {weights!r}. {advice}")
    numbers = np.ldexp(numbers, -np.frexp(numbers.max())[1])  # so that no sum overflows
    return np.where(numbers > NOTHING, numbers, 0.0)


def factorize(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Codes 0, 1, ... of the categories in a column, and the categories, as they appear."""
    try:
        codes, categories = pd.factorize(values)
    except TypeError:
        raise TypeError(
            f"Categories must be single values such as numbers or strings, got {values[0]!r}. "
            f"Turn them into strings first."
        ) from None
    return codes, np.asarray(categories)


def _row(x) -> list:
    """One row as a list of plain values."""
    if isinstance(x, pd.DataFrame | pd.Series):
        x = x.to_numpy()
    row = np.asarray(x, dtype=object)
    if row.ndim == 2 and len(row) == 1:
        row = row[0]
    if row.ndim != 1:
        raise TypeError(
            f"x must be a single row, one value per feature, got {x!r}. Pass for example X.iloc[0]."
        )
    return [value.item() if isinstance(value, np.generic) else value for value in row]


def _position(value, categories: np.ndarray) -> int:
    """Code of a category, or -1 if it never occurs."""
    try:
        return int(pd.Index(categories).get_indexer([value])[0])
    except TypeError:
        raise TypeError(
            f"A category must be a single value such as a number or a string, got {value!r}. "
            f"Pass a row of X."
        ) from None


def _ranks(keys: np.ndarray) -> np.ndarray:
    """Each row's values replaced by their ranks 0, 1, ..., equal values sharing one."""
    order = np.argsort(keys, axis=1)
    steps = np.diff(np.take_along_axis(keys, order, axis=1), axis=1, prepend=keys.min()) != 0
    steps[:, 0] = False
    ranks = np.empty_like(keys)
    np.put_along_axis(ranks, order, np.cumsum(steps, axis=1), axis=1)
    return ranks


def node_impurities(joint: np.ndarray, classes=None, kind: str = "entropy") -> np.ndarray:
    """Impurity of each row of class weights, counts or shares; 0 for a row without any."""
    total = joint.sum(axis=1, keepdims=True)
    p = np.divide(joint, total, out=np.zeros_like(joint), where=total > 0)
    if kind == "gini":
        return (p * (1 - p)).sum(axis=1)
    if kind == "variance":
        values = np.asarray(classes, dtype=float)
        if abs(values).max() > 100 * np.ptp(values):  # far from 0 their differences would be lost
            values = values - values[0]
        centred = values - p @ values[:, np.newaxis]
        return (p * centred**2).sum(axis=1)
    entropy = -(p * np.log2(p, out=np.zeros_like(p), where=p > 0)).sum(axis=1)
    return np.where(entropy > ROUNDING, entropy, 0.0)
