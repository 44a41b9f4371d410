"""Functions that exercises hand to an answer, such as a game or the prediction of a model.

A case is packed as data, and a function goes by its address. So functions stand here: this module
is where answers are checked and graded, and the modules that declare the exercises are not.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from course_lib.measures.asymptotic import asymptotic_mdi, mdi_by_degree
from course_lib.measures.forests.mdi import local_mdi
from course_lib.models.rules import arrival
from course_lib.worlds.distributions import Categorical


def bent(b: np.ndarray, X) -> np.ndarray:
    """The prediction of lesson 03's model, which is not linear: ``partial(bent, b)``."""
    X = np.asarray(X, dtype=float)
    return X @ b + 0.3 * X[:, 0] * X[:, 1]


def worth(worths: Sequence[float], S: Iterable[int]) -> float:
    """What a game gives to any collection of players; its worths are ordered by bit mask."""
    return worths[sum(1 << int(i) for i in set(S))]


def shares(v: Callable, order: Sequence[int]) -> np.ndarray:
    """Shares by order of arrival, as in exercise 04.1."""
    return arrival(v, len(order), order)


def curved(a: Sequence[float], X: np.ndarray) -> np.ndarray:
    """The prediction of lesson 04's model of three or more columns: ``partial(curved, a)``."""
    products = sum(a[k] * X[:, k - 2] * X[:, k] for k in range(2, len(a)))
    return a[0] * X[:, 0] + a[1] * X[:, 1] ** 2 + products


def information(X, y, m: int, S: Sequence[int]) -> float:
    """I(Y; X_m | X_S) in bits, as in exercise 05.1."""
    return Categorical(X, y).conditional_mutual_information(m, S)


def part(X, y, m: int, k: int) -> float:
    """One degree of theorem 1, as in exercise 05.2."""
    p = np.shape(X)[1]
    if not 0 <= k < p:
        raise ValueError(
            f"There is no degree k = {k} with {p} variables: beside m, at most {p - 1} can be "
            f"known. Let k go from 0 to {p - 1}."
        )
    return float(mdi_by_degree(Categorical(X, y))[m, k])


def importance(X, y) -> np.ndarray:
    """MDI of infinitely many totally randomized trees, as in exercise 05.3.

    What is 0 in theory is 0 up to rounding, on either side, as it is for whoever adds entropies.
    """
    found = asymptotic_mdi(Categorical(X, y)).importances_mean
    return found + np.finfo(float).eps / 4 * (-1.0) ** np.arange(len(found))


def local_importance(tree, x) -> np.ndarray:
    """Local MDI of one row in a tree, as in exercise 06.2."""
    return local_mdi(tree, np.atleast_2d(x)).values[0]
