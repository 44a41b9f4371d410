"""Several rankings of the same variables: places, and on how many pairs they agree."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from course_lib.measures.rounding import settled
from course_lib.validation import check_table


def ranks_of(
    values: pd.DataFrame, *, at_least: Sequence[str] = (), scales: Mapping[str, float] | None = None
) -> pd.DataFrame:
    """The place of each variable (row) in each column, 1 for the largest.

    Equals share the last of their places. What differs by no more than rounding, 1e-9 of the
    largest value of the column or of its scale, is equal.

    Parameters
    ----------
    values : DataFrame
    at_least : sequence of str, default=()
        Columns that hold the least reliance of any good model. There all that is not above 0
        shares the last place: some good model does without it, and how far below 0 says no more.
    scales : mapping from column to float, default=None
        The size of the losses or predictions whose differences the column holds.

    Examples
    --------
    >>> ranks_of(pd.DataFrame({"Q1": [2.0, 5.0, 2.0]}, index=["a", "b", "c"]))["Q1"].tolist()
    [3, 1, 3]
    >>> ranks_of(pd.DataFrame({"Q5": [-0.2, 1.0, -0.1]}), at_least=["Q5"])["Q5"].tolist()
    [3, 1, 3]
    """
    check_table(values, "values", "ranking")
    sizes = {name: settled(values[name], (scales or {}).get(name, 0.0)) for name in values}
    sizes |= {name: sizes[name].clip(min=0) for name in at_least}
    places = pd.DataFrame(sizes, values.index).rank(ascending=False, method="max")
    return places.astype(int)


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
