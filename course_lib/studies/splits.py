"""A node cut in two by a threshold, and how much impurity the cut removes."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from course_lib.models.impurities import impurity, impurity_decrease
from course_lib.validation import check_number, check_X_y
from course_lib.worlds.datasets import load_node

THRESHOLDS = np.arange(1.0, 20.0, 0.5)  # of the node of 20: each leaves samples on both sides


@dataclass(frozen=True, eq=False)
class Split:
    """A node cut in two by a threshold: the samples, and the impurities before and after."""

    x: np.ndarray
    y: np.ndarray
    threshold: float
    kind: str
    parent: float
    left: float
    right: float
    decrease: float

    @property
    def n_left(self) -> int:
        """The number of samples with x <= threshold."""
        return int((self.x <= self.threshold).sum())

    @property
    def n_right(self) -> int:
        """The number of samples with x > threshold."""
        return len(self.x) - self.n_left

    @property
    def texts(self) -> tuple[str, str, str]:
        """The left child, the node and the right child in words."""
        parts = (
            ("left", self.n_left, self.left),
            ("node", len(self.x), self.parent),
            ("right", self.n_right, self.right),
        )
        return tuple(
            f"{name}: {n} sample{'s' * (n != 1)}\n{self.kind} {value:.3f}"
            for name, n, value in parts
        )


def split_node(x, y, threshold: float, kind: str = "entropy") -> Split:
    """Split a node at x <= threshold: i(t), i(t_L), i(t_R) and i(t) - N_L/N i(t_L) - N_R/N i(t_R).

    Parameters
    ----------
    x : array-like of shape (n_samples,)
    y : array-like of shape (n_samples,)
    threshold : float
        Must leave at least one sample on each side.
    kind : {"entropy", "gini", "variance"}, default="entropy"

    Examples
    --------
    The split of Louppe et al., in bits.

    >>> X, y = load_node()
    >>> split = split_node(X["x"], y, 12.5)
    >>> round(split.parent, 3), round(split.left, 3), round(split.right, 3)
    (0.971, 0.65, 0.811)
    >>> round(split.decrease, 4)
    0.2564
    """
    threshold = check_number(threshold, "threshold")
    X, y = check_X_y(np.reshape(x, (-1, 1)), y)
    x = X[:, 0]
    left = x <= threshold
    if left.all() or not left.any():
        raise ValueError(
            f"The threshold {threshold:g} leaves one side empty: x goes from {x.min():g} to "
            f"{x.max():g}. Choose a threshold of at least {x.min():g} and below {x.max():g}."
        )
    decrease = impurity_decrease(y, left, kind)
    parts = (impurity(part, kind) for part in (y, y[left], y[~left]))
    return Split(x, y, threshold, kind, *parts, decrease)


@cache
def split_of_twenty(threshold: float, kind: str) -> Split:
    """The node of 20 samples of Louppe et al., split at a threshold."""
    X, y = load_node()
    return split_node(X["x"], y, threshold, kind)


@cache
def decreases_of_twenty(kind: str) -> np.ndarray:
    """The decrease at each of THRESHOLDS."""
    return np.array([split_of_twenty(threshold, kind).decrease for threshold in THRESHOLDS])
