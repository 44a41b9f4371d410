"""The seven-segment display in trees that choose the best of K segments, exactly."""

from functools import cache
from itertools import product

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier

from course_lib.measures.asymptotic import mdi_by_degree
from course_lib.measures.forests.mdi import mdi
from course_lib.models.games import shapley_values
from course_lib.worlds.datasets import make_led
from course_lib.worlds.distributions import Categorical

THIRD, FOURTH = 2, 3  # positions of X3 and X4


@cache
def led_degrees(K: int) -> np.ndarray:
    """Exact importances of the seven segments by degree, for trees that choose the best of K.

    Examples
    --------
    >>> round(float(led_degrees(7).sum()), 4)
    3.3219
    """
    return mdi_by_degree(Categorical(*make_led()), K)


@cache
def mdi_and_sage(K: int, n_trees: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    """Shares of the seven segments by MDI and by marginal SAGE, as in figure 1 of Sutera et al.

    The forest has `n_trees` Extra-Trees on the ten digits; SAGE's loss is cross-entropy, and its
    values are exact, from all 128 coalitions with the ten digits as background.

    Examples
    --------
    >>> shares = mdi_and_sage(1, n_trees=20)
    >>> [round(float(share.sum()), 6) for share in shares]
    [1.0, 1.0]
    """
    X, y = (table.to_numpy() for table in make_led())
    options = {"max_features": K, "criterion": "entropy", "random_state": 0}
    forest = ExtraTreesClassifier(n_trees, **options).fit(X, y)
    values = mdi(forest).importances_mean, shapley_values(_loss_saved(forest, X, y), X.shape[1])
    return tuple(share / abs(share).sum() for share in values)


def shares_by_candidates() -> dict[str, pd.DataFrame]:
    """The shares of `mdi_and_sage` for every K: a table for each measure, a column for each K.

    >>> {name: table.shape for name, table in shares_by_candidates().items()}
    {'MDI': (7, 7), 'SAGE': (7, 7)}
    """
    measured = [np.column_stack(both) for both in zip(*map(mdi_and_sage, range(1, 8)), strict=True)]
    names = make_led()[0].columns
    tables = (pd.DataFrame(shares, index=names, columns=range(1, 8)) for shares in measured)
    return dict(zip(("MDI", "SAGE"), tables, strict=True))


def _loss_saved(forest, X, y):
    """The game of marginal SAGE: cross-entropy saved by the features in S, rows as background."""
    pictures = np.array(list(product((0, 1), repeat=X.shape[1])))
    predicted = forest.predict_proba(pictures)
    place = 2 ** np.arange(X.shape[1])[::-1]

    def loss(S) -> float:
        known = np.isin(np.arange(X.shape[1]), list(S))
        mixed = np.where(known, X[:, np.newaxis], X)  # (row, background row, segment)
        mean = predicted[mixed @ place].mean(axis=1)
        return -np.log(mean[np.arange(len(y)), y]).mean()

    return lambda S: loss(()) - loss(S)


def third_is_ahead(K: int) -> bool:
    """Whether X3 is more important than X4."""
    third, fourth = led_degrees(K).sum(axis=1)[[THIRD, FOURTH]]
    return bool(third > fourth)


def third_overtakes(K: int) -> bool:
    """Whether X3 is ahead at K and was not at K - 1."""
    return third_is_ahead(K) and (K == 1 or not third_is_ahead(K - 1))
