"""An estimator made ready for a table that lacks some of the columns it was written for."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.base import OneToOneFeatureMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline

# of HistGradientBoosting, of CatBoost, of LightGBM
CATEGORICAL = ("categorical_features", "cat_features", "categorical_feature")
TOGETHER = ("interaction_cst", "interaction_constraints")  # lists of lists of columns
SIGNS = ("monotonic_cst", "monotone_constraints")
BY_COLUMN = (*SIGNS, "categories", "drop", "n_bins")  # one value for each column, in their order

Columns = list[tuple[object, bool]]  # by place: what a column is called, and whether it stays


def on_fewer_columns(estimator, table, keep: Sequence[int]):
    """A clone that expects only the columns `keep` of a table, also where a step lists columns.

    From the columns that a `ColumnTransformer` lists, or a model as categories or for interactions,
    by name, position, slice or mask, those that are left out are taken; positions are counted anew.
    What is listed one by one for the columns, such as the categories of an encoder, goes with them.
    A function that selects columns sees the smaller table anyway. Positions in what an earlier step
    puts out are followed through steps that keep each column, and are refused behind any other.
    """
    if len(keep) == table.shape[1]:
        return estimator
    smaller = fresh_copy(estimator)
    names = table.columns if isinstance(table, pd.DataFrame) else range(table.shape[1])
    _leave_out(smaller, [(name, j in keep) for j, name in enumerate(names)], frozenset(names))
    return smaller


def _leave_out(step, columns: Columns | None, gone: frozenset) -> None:
    """Take columns out of all lists in a step that is given `columns`, None if not known."""
    if columns is not None:
        gone = gone.intersection(name for name, stays in columns if not stays)
    if isinstance(step, Pipeline):
        for _, one in step.steps:
            after = _columns_after(one, columns)
            _leave_out(one, columns, gone)
            columns = after
        return
    if isinstance(step, ColumnTransformer):
        for _, part, choice in step.transformers:
            chosen = None if columns is None or callable(choice) else _chosen(choice, columns)
            _leave_out(part, chosen, gone)
        parts = [(*named, _left(choice, columns, gone)) for *named, choice in step.transformers]
        step.set_params(transformers=parts)
        return
    if isinstance(step, type) or not hasattr(step, "get_params"):  # such as "passthrough"
        return
    for name, value in step.get_params(deep=False).items():
        if name in CATEGORICAL and value is not None and not isinstance(value, str):
            step.set_params(**{name: _left(value, columns, gone) or None})
        elif name in TOGETHER and isinstance(value, list | tuple):
            left = [_left(list(group), columns, gone) for group in value]
            step.set_params(**{name: [group for group in left if group] or None})
        elif name in BY_COLUMN and _is_one_each(value, columns):
            kept = [one for one, (_, stays) in zip(value, columns, strict=True) if stays]
            step.set_params(**{name: kept})
        elif name in BY_COLUMN and isinstance(value, dict):
            step.set_params(**{name: {one: value[one] for one in value if one not in gone}})
        elif isinstance(value, list):  # of named estimators
            for one in (one for named in value if isinstance(named, tuple) for one in named):
                _leave_out(one, columns, gone)
        else:
            _leave_out(value, columns, gone)


def _is_one_each(value, columns: Columns | None) -> bool:
    """Whether a parameter holds one value for each column."""
    is_list = isinstance(value, list | tuple | np.ndarray)
    return is_list and columns is not None and len(value) == len(columns)


def _columns_after(step, columns: Columns | None) -> Columns | None:
    """The columns that a step puts out, if it keeps each one of those that it is given."""
    if columns is None or step is None or step == "passthrough":
        return columns
    if isinstance(step, Pipeline):
        for _, one in step.steps:
            columns = _columns_after(one, columns)
        return columns
    if isinstance(step, ColumnTransformer):
        return _put_together(step, columns)
    keeps = isinstance(step, OneToOneFeatureMixin)
    imputes = isinstance(step, SimpleImputer) and not step.add_indicator
    return columns if keeps or imputes else None


def _put_together(transformer: ColumnTransformer, columns: Columns) -> Columns | None:
    """What the parts of a transformer put out, one after the other; then what is left."""
    if any(callable(choice) for *_, choice in transformer.transformers):
        return None
    parts = [
        (name, part, positions(choice, [name for name, _ in columns]))
        for name, part, choice in transformer.transformers
    ]
    used = {j for *_, where in parts for j in where}
    rest = [j for j in range(len(columns)) if j not in used]
    found: Columns = []
    for name, part, where in [*parts, ("remainder", transformer.remainder, rest)]:
        after = [] if part == "drop" else _columns_after(part, [columns[j] for j in where])
        if after is None:
            return None
        prefix = f"{name}__" if transformer.verbose_feature_names_out else ""
        found += [(f"{prefix}{one}", stays) for one, stays in after]
    return found


def fresh_copy(estimator):
    """A clone that is not fitted.

    CatBoost copies the list of columns that it is given, which `clone` does not allow.
    """
    try:
        return clone(estimator)
    except RuntimeError:
        return type(estimator)(**estimator.get_params())


def _chosen(choice, columns: Columns) -> Columns:
    return [columns[j] for j in positions(choice, [name for name, _ in columns])]


def _left(choice, columns: Columns | None, gone: frozenset):
    """What is left of a choice of columns, as names or as positions, as it came."""
    if callable(choice):
        return choice
    one = isinstance(choice, str | int | np.integer)
    if columns is not None and _by_name(choice):
        left = [name for name, stays in _chosen(choice, columns) if stays]
    elif columns is not None:
        place = np.cumsum([stays for _, stays in columns]) - 1
        where = positions(choice, range(len(columns)))
        left = [int(place[j]) for j in where if columns[j][1]]
    elif not isinstance(choice, slice) and (_by_name(choice) or not np.size(choice)):
        left = [name for name in np.atleast_1d(choice).tolist() if name not in gone]
    else:
        raise ValueError(
            f"the columns {choice} are listed by position behind a step that does not keep each "
            f"column, so that it is not known which of them are left"
        )
    return left[0] if left and one else left


def _by_name(choice) -> bool:
    """Whether columns are chosen by their names."""
    if isinstance(choice, slice):
        return isinstance(choice.start, str) or isinstance(choice.stop, str)
    return np.asarray(choice).dtype.kind in "UO"


def positions(columns, names: Sequence) -> list[int]:
    """The positions that a choice of columns means, by name, position, slice or mask.

    >>> positions(["c", "a"], ["a", "b", "c"]), positions(slice("b", "c"), ["a", "b", "c"])
    ([2, 0], [1, 2])
    """
    names = pd.Index(names)
    places = np.arange(len(names))
    if isinstance(columns, slice):
        by_name = _by_name(columns)
        slices = names.slice_indexer(columns.start, columns.stop) if by_name else columns
        return places[slices].tolist()
    chosen = np.atleast_1d(np.asarray(columns))
    if _by_name(chosen):
        return [names.get_loc(name) for name in chosen]
    return places[chosen.astype(chosen.dtype if chosen.size else int)].tolist()


def some_columns(table, keep: Sequence[int]):
    """The columns at these positions of a DataFrame or an array."""
    keep = list(keep)
    return table.iloc[:, keep] if isinstance(table, pd.DataFrame) else table[:, keep]
