"""Six answers about the capstone's table: of all its rows, and of random halves of them."""

from functools import cache

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold

from course_lib.measures.rashomon.sets import LinearRashomonSet
from course_lib.measures.reliance import model_reliance
from course_lib.measures.reports import Report, six_answers
from course_lib.validation import check_count, check_random_state
from course_lib.worlds.tables import PATIENTS

INSTANCE = 0  # the row whose prediction the third question is about


@cache
def capstone_report() -> Report:
    """The six answers about all rows of the capstone's table.

    Examples
    --------
    >>> capstone_report().ranks.loc["bmi", ["Q2", "Q5 at most"]].tolist()  # of ten
    [1, 6]
    """
    return six_answers(*PATIENTS.load(), instance=INSTANCE, random_state=0)


def in_random_halves(X, y, n_halves: int = 100, *, random_state=None, **options) -> pd.DataFrame:
    """Six answers for random halves of the rows: what of them depends on who was drawn.

    Each half is drawn without replacement, and all six questions are asked about the same rows.

    Parameters
    ----------
    X, y : the sample
    n_halves : int, default=100
    random_state : int, Generator or None
    **options : of `six_answers`, but `instance`: question 3, about one row, is left out

    Returns
    -------
    values : DataFrame with a row for each half and feature, a column for each answer but Q3
    """
    X, y, rng = pd.DataFrame(X), np.asarray(y), check_random_state(random_state)
    found = {}
    for half in range(check_count(n_halves, "n_halves")):
        rows = rng.permutation(len(y))[: len(y) // 2]
        report = six_answers(X.iloc[rows], y[rows], random_state=rng, **options)
        found[half] = report.values.drop(columns="Q3")
    return pd.concat(found, names=["half", "feature"])


def held_out_reliance(X, y, *, n_folds: int = 10, random_state=None) -> pd.Series:
    """Q1 of least squares fitted to all folds but one, on the fold left out; the mean over folds.

    >>> from course_lib.worlds import load_patients
    >>> held_out_reliance(*load_patients(), random_state=0).idxmax()
    'cholesterol'
    """
    found = []
    for fitted, rest in KFold(n_folds, shuffle=True, random_state=random_state).split(X):
        model = LinearRegression().fit(X.iloc[fitted], y.iloc[fitted])
        reliance = model_reliance(model, X.iloc[rest], y.iloc[rest], as_ratio=False)
        found.append(reliance.importances_mean)
    return pd.Series(np.mean(found, axis=0), X.columns)


def least_reliance(X, y, names, slacks) -> dict[str, np.ndarray]:
    """The least that a good linear model relies on some columns (difference), by tolerance.

    Parameters
    ----------
    X, y : the sample
    names : sequence of column names
    slacks : sequence of float
        By how much the error may be larger than the least, as a share of it.
    """
    least = LinearRashomonSet(X, y, epsilon=0.0).least_loss
    sets = [LinearRashomonSet(X, y, epsilon=slack * least) for slack in slacks]
    return {
        name: np.array([good.model_class_reliance(name, as_ratio=False).low for good in sets])
        for name in names
    }


def first_and_below_the_middle(left: str, right: str, variable: str) -> bool:
    """Whether one of two answers puts the variable first and the other in the lower half.

    A variable that shares the last places counts as one of the lower half.
    """
    ranks = capstone_report().ranks
    best, worst = sorted((ranks[left][variable], ranks[right][variable]))
    return bool(best == 1 and worst > len(ranks) / 2)
