"""An estimator made ready for a table that lacks some of the columns it was written for."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.compose import ColumnTransformer

CATEGORICAL = ("categorical_features", "cat_features")  # of HistGradientBoosting, of CatBoost


def on_fewer_columns(estimator, table, keep: Sequence[int]):
    """A clone that expects only the columns `keep` of a table, also where a step names columns.

    From the columns that a `ColumnTransformer` lists, or the estimator itself as categories, by
    name, position, slice or mask, those that are left out are taken. A function that selects
    columns sees the smaller table anyway.
    """
    if len(keep) == table.shape[1]:
        return estimator
    smaller = fresh_copy(estimator)
    steps = [smaller, *smaller.get_params().values()]
    for step in steps:
        if isinstance(step, ColumnTransformer):
            fewer = [(*named, _left(columns, table, keep)) for *named, columns in step.transformers]
            step.set_params(transformers=fewer)
    for name in CATEGORICAL:
        columns = smaller.get_params().get(name)
        if columns is not None and not isinstance(columns, str):  # such as "from_dtype"
            smaller.set_params(**{name: _left(columns, table, keep) or None})
    return smaller


def fresh_copy(estimator):
    """A clone that is not fitted.

    CatBoost copies the list of columns that it is given, which `clone` does not allow.
    """
    try:
        return clone(estimator)
    except RuntimeError:
        return type(estimator)(**estimator.get_params())


def _left(columns, table, keep: Sequence[int]):
    """What is left of a choice of columns, in terms of the table with fewer columns."""
    if callable(columns):
        return columns
    is_frame = isinstance(table, pd.DataFrame)
    names = table.columns if is_frame else range(table.shape[1])
    left = [j for j in positions(columns, names) if j in keep]
    if not is_frame:
        return [list(keep).index(j) for j in left]
    names = [table.columns[j] for j in left]
    return names[0] if names and isinstance(columns, str) else names


def positions(columns, names: Sequence) -> list[int]:
    """The positions that a choice of columns means, by name, position, slice or mask.

    >>> positions(["c", "a"], ["a", "b", "c"]), positions(slice("b", "c"), ["a", "b", "c"])
    ([2, 0], [1, 2])
    """
    names = pd.Index(names)
    places = np.arange(len(names))
    if isinstance(columns, slice):
        by_name = isinstance(columns.start, str) or isinstance(columns.stop, str)
        slices = names.slice_indexer(columns.start, columns.stop) if by_name else columns
        return places[slices].tolist()
    chosen = np.atleast_1d(np.asarray(columns))
    if chosen.dtype.kind in "UO":
        return [names.get_loc(name) for name in chosen]
    return places[chosen.astype(chosen.dtype if chosen.size else int)].tolist()


def some_columns(table, keep: Sequence[int]):
    """The columns at these positions of a DataFrame or an array."""
    keep = list(keep)
    return table.iloc[:, keep] if isinstance(table, pd.DataFrame) else table[:, keep]
