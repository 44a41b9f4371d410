"""Several rankings of the same variables: places, and on how many pairs they agree."""

from itertools import combinations

import numpy as np
import pandas as pd

from course_lib.validation import check_table


def ranks_of(values: pd.DataFrame) -> pd.DataFrame:
    """The place of each variable (row) in each column, 1 for the largest; equals share a place.

    What differs by less than rounding, 1e-9, counts as equal.

    Examples
    --------
    >>> ranks_of(pd.DataFrame({"Q1": [2.0, 5.0, 2.0]}, index=["a", "b", "c"]))["Q1"].tolist()
    [2, 1, 2]
    """
    check_table(values, "values", "ranking")
    return values.round(9).rank(ascending=False, method="min").astype(int)


def agreed_pairs(ranks: pd.DataFrame) -> int:
    """Number of pairs of variables (rows) that every ranking (column) puts in the same order.

    With p variables there are p(p-1)/2 pairs. A pair that shares a place somewhere is not agreed.

    Examples
    --------
    All agree that a comes before c, and on nothing else.

    >>> agreed_pairs(pd.DataFrame({"Q1": [1, 2, 3], "Q2": [2, 1, 3], "Q3": [1, 3, 2]}, list("abc")))
    1
    """
    table = check_table(ranks, "ranks", "ranking")
    order = [np.sign(table[i] - table[j]) for i, j in combinations(range(len(table)), 2)]
    return int(sum(abs(signs.sum()) == len(signs) for signs in order))
