"""Tables of any kind of columns, as numbers and back.

Measures shuffle, replace and repeat columns without reading them. They do it with codes: a number
stands for itself, anything else for its place among the distinct values of its column. So text,
categories, dates and missing values pass through a measure as they are, and the model gets them in
the dtype in which they came. Categories that are called by numbers go by their place, too, and so
do whole numbers of which a float does not tell some apart, such as long identifiers.
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np
import pandas as pd
from pandas.api import types as kinds

from course_lib.validation import (
    are_numbers,
    check_fitted,
    check_width,
    check_X,
    column_names,
    global_state_kept,
    refuse_non_finite,
    shortened,
)

NUMBERS = ("integer", "floating", "mixed-integer-float", "boolean", "decimal")
EXACT = 2**53  # up to it, a float holds every whole number


class Coding:
    """How the columns of a table X are written as numbers.

    Parameters
    ----------
    X : DataFrame or array of shape (n_samples, n_features)
        Of any kind of columns. A missing number stays NaN; another missing value is a value like
        all others.
    min_rows : int, default=1

    Examples
    --------
    >>> X = pd.DataFrame({"size": [2.5, 1.0], "colour": ["red", "blue"]})
    >>> coding = Coding(X)
    >>> coding.values
    array([[2.5, 1. ],
           [1. , 0. ]])
    >>> coding.decode(coding.values[::-1])["colour"].tolist()
    ['blue', 'red']
    """

    def __init__(self, X, *, min_rows: int = 1, name: str = "X"):
        table = check_X(X, numeric=False, allow_nan=True, min_rows=min_rows, name=name)
        self.names = column_names(table if not isinstance(X, pd.DataFrame) else X)
        self.dtypes = list(X.dtypes) if isinstance(X, pd.DataFrame) else None
        self._like = X.columns if isinstance(X, pd.DataFrame) else None
        self._levels: list[pd.Index | None] = [None] * table.shape[1]
        self._dtype = table.dtype
        self._objects: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        dtypes = {table.dtype} if self.dtypes is None else set(self.dtypes)
        plain = table.dtype.kind in "biuf" and all(map(kinds.is_numeric_dtype, dtypes))
        self.values = table.astype(float) if plain else None
        if not plain or (any(d.kind in "iu" for d in dtypes) and not _are_small(self.values)):
            self._learn(X if isinstance(X, pd.DataFrame) else table)
        refuse_non_finite(self.values, name, allow_nan=True, columns=self.names)

    def _learn(self, X) -> None:
        """Look at each column by itself."""
        if not isinstance(X, pd.DataFrame) and X.dtype.kind in "iu":
            self.dtypes = [X.dtype] * X.shape[1]
        for j in range(X.shape[1]):
            column = _column(X, j)
            if not _is_number(column):
                self._levels[j] = _levels(column)
            elif kinds.is_object_dtype(column.dtype) or _has_large(column):
                self._objects[j] = _by_number(column)
        self.values = self.encode(X)

    @property
    def is_numeric(self) -> bool:
        """Whether every column holds numbers, some of which may be missing."""
        return all(levels is None for levels in self._levels)

    @cached_property
    def is_complete(self) -> bool:
        """Whether every column holds numbers and none is missing."""
        return self.is_numeric and not np.isnan(self.values).any()

    @property
    def is_nominal(self) -> np.ndarray:
        """For each column whether its codes are names of values and not numbers."""
        return np.array([levels is not None for levels in self._levels])

    def in_words(self) -> str:
        """The columns that are not complete numbers, and what they hold."""
        names, missing = np.array(self.names, dtype=object), np.isnan(self.values).any(axis=0)
        nominal = self.is_nominal
        whole = np.array([_is_whole(levels) for levels in self._levels])
        held = {
            "missing values (NaN)": names[missing & ~nominal],
            "no numbers": names[nominal & ~whole],
            "whole numbers that a float does not tell apart": names[nominal & whole],
        }
        return ", ".join(f"{shortened(of)} ({kind})" for kind, of in held.items() if len(of))

    def encode(self, X) -> np.ndarray:
        """The codes of another table with the same columns; a value that is new gets a new code."""
        columns = (_column(X, j) for j in range(len(self.names)))
        coded = [self._codes(j, column) for j, column in enumerate(columns)]
        return np.column_stack(coded).astype(float)

    def encode_columns(self, columns: np.ndarray, which) -> np.ndarray:
        """The codes of some columns, given as an array of values."""
        if self.is_numeric and columns.dtype != object:
            return np.asarray(columns, dtype=float)
        coded = [self._codes(j, columns[:, k]) for k, j in enumerate(which)]
        return np.column_stack(coded).astype(float)

    def decode(self, values: np.ndarray):
        """A table of these codes: a DataFrame with the dtypes of X if X is one, else an array."""
        if self._like is None:
            if self.is_numeric and not self._objects:
                flags = _cast(values, self._dtype) if self._dtype.kind == "b" else None
                return values if flags is None else flags
            columns = [self.column(j, of) for j, of in enumerate(values.T)]
            if all(column.dtype.kind in "iumM" for column in columns):
                return np.column_stack(columns).astype(self._dtype, copy=False)
            return np.column_stack([np.asarray(column, dtype=object) for column in columns])
        if all(dtype == "float64" for dtype in self.dtypes):
            return pd.DataFrame(values, columns=self._like)
        columns = {j: self.column(j, values[:, j]) for j in range(len(self.names))}
        return pd.DataFrame(columns).set_axis(self._like, axis=1)

    def decode_columns(self, values: np.ndarray, which) -> np.ndarray:
        """The values of some columns that have these codes; numbers if they are all numbers."""
        if not self.is_nominal[list(which)].any():
            return values
        columns = [self.column(j, values[:, k]) for k, j in enumerate(which)]
        return np.column_stack([np.asarray(column, dtype=object) for column in columns])

    def column(self, j: int, codes: np.ndarray):
        """The values of column j that have these codes, in the column's dtype."""
        levels = self._levels[j]
        dtype = None if self.dtypes is None else self.dtypes[j]
        if levels is not None:
            values = levels.take(codes.astype(int))
            is_whole = dtype is not None and kinds.is_integer_dtype(dtype) and _is_whole(levels)
            return values.astype(dtype) if is_whole else values
        if j in self._objects:
            values = _looked_up(codes, *self._objects[j])
            is_object = dtype is None or kinds.is_object_dtype(dtype)
            return values if is_object else _as_whole(values, codes, dtype)
        return codes if dtype is None else _as_numbers(codes, dtype)

    def _codes(self, j: int, column) -> np.ndarray:
        levels = self._levels[j]
        if levels is None:
            return self._numbers(j, column)
        as_they_are = kinds.is_object_dtype(levels.dtype)
        if as_they_are:
            column = pd.Index(column, dtype=object)  # else None would become NaN
        if _is_whole(levels):
            _refuse_rounded(column, self.names[j])
        codes = levels.get_indexer(column)
        if (codes < 0).any():
            new = pd.Index(column)[codes < 0].unique()
            if levels.dtype.kind in "mM" and kinds.infer_dtype(new) == "integer":
                raise TypeError(
                    f"{self.names[j]} holds moments or durations, but {new[0]!r} was given for "
                    f"one: numpy makes such numbers of them. Pass pandas' Timestamp or Timedelta."
                )
            if isinstance(levels, pd.CategoricalIndex):
                unknown = new.dropna().difference(levels.categories, sort=False)
                levels = levels.add_categories(unknown)
                new = pd.CategoricalIndex(new, dtype=levels.dtype)
            both = np.concatenate([levels, new]) if as_they_are else levels.append(new)
            self._levels[j] = pd.Index(both, dtype=both.dtype)
            codes = self._levels[j].get_indexer(column)
        return codes

    def _numbers(self, j: int, column) -> np.ndarray:
        try:
            return _floats(column)
        except (TypeError, ValueError):
            if kinds.is_complex_dtype(column.dtype):
                raise
            given = next(value for value in column if np.ndim(value) or not are_numbers(value))
            raise TypeError(
                f"{self.names[j]} holds numbers, but {given!r} was given for one. Pass the same "
                f"kind of table, with its columns in the same order."
            ) from None


def _column(X, j: int):
    return X.iloc[:, j].array if isinstance(X, pd.DataFrame) else np.asarray(X)[:, j]


def _is_number(column) -> bool:
    """Whether a column holds numbers, also as objects, missing ones among them.

    Not if a float does not tell them apart, nor what is missing: None, NaN and pd.NA.
    """
    if kinds.is_object_dtype(column.dtype):
        if kinds.infer_dtype(np.asarray(column), skipna=True) not in NUMBERS:
            return False
    elif not (kinds.is_numeric_dtype(column.dtype) and _has_large(column)):
        return kinds.is_numeric_dtype(column.dtype)
    distinct = pd.unique(column)
    return len(np.unique(_floats(distinct))) == len(distinct)


def _has_large(column) -> bool:
    """Whether a column of whole numbers has some that a float may round."""
    return kinds.is_integer_dtype(column.dtype) and not _are_small(_floats(column))


def _are_small(values: np.ndarray) -> bool:
    """Whether whole numbers lie in the range in which a float holds each of them."""
    return not (np.abs(values) >= EXACT).any()


def _is_whole(levels: pd.Index | None) -> bool:
    """Whether these are whole numbers: they go by their place only if a float confuses some."""
    is_object = levels is not None and kinds.is_object_dtype(levels.dtype)
    return is_object and kinds.infer_dtype(levels, skipna=True) == "integer"


def _refuse_rounded(column, name: str) -> None:
    """Raise if a float is given for one of the whole numbers that a float does not tell apart."""
    rounded = [value for value in column if isinstance(value, float) and abs(value) >= EXACT]
    if rounded:
        raise ValueError(
            f"{name} holds whole numbers that a float does not tell apart, but the float "
            f"{rounded[0]!r} was given for one. Pass whole numbers; a row as "
            f"X.astype(object).iloc[0], since X.iloc[0] may have made floats of them."
        )


def _by_number(column) -> tuple[np.ndarray, np.ndarray]:
    """The distinct numbers in a column of objects as floats, in order, and as they came."""
    distinct = pd.unique(column)
    numbers = _floats(distinct)
    order = np.argsort(numbers)  # a missing one last
    return numbers[order], np.asarray(distinct, dtype=object)[order]


def _looked_up(codes: np.ndarray, numbers: np.ndarray, objects: np.ndarray) -> np.ndarray:
    """The objects that stand for these numbers; a number that is new stays a float."""
    place = np.searchsorted(numbers, codes).clip(max=len(numbers) - 1)
    found = numbers[place]
    known = (found == codes) | (np.isnan(found) & np.isnan(codes))
    column = codes.astype(object)
    column[known] = objects[place[known]]
    return column


def _as_whole(values: np.ndarray, codes: np.ndarray, dtype):
    """Whole numbers in their dtype; real ones if others were drawn or are missing."""
    if any(isinstance(value, float) for value in values):
        return codes
    if kinds.is_extension_array_dtype(dtype):
        return pd.array(values, dtype=dtype)
    return np.array(values.tolist(), dtype=dtype)


def _floats(column) -> np.ndarray:
    if kinds.is_complex_dtype(column.dtype):
        raise TypeError("X must hold real numbers, got complex ones. Take their real part.")
    return pd.Series(column).to_numpy(dtype=float, na_value=np.nan)


def _as_numbers(codes: np.ndarray, dtype):
    """Numbers in this dtype; real ones if it cannot hold them: gaps, fractions, large numbers."""
    if not kinds.is_extension_array_dtype(dtype):
        cast = _cast(codes, dtype)
        return codes if cast is None else cast
    gaps = np.isnan(codes)
    inner = getattr(dtype, "numpy_dtype", None) or dtype.subtype  # of masked ones, of sparse ones
    fits = _cast(codes[~gaps], inner) is not None
    return pd.array(np.where(gaps, None, codes), dtype=dtype if fits else "Float64")


def _cast(codes: np.ndarray, dtype) -> np.ndarray | None:
    """Numbers in a dtype of numpy, rounded only if it is one of floats; None if it has no room."""
    with np.errstate(invalid="ignore", over="ignore"):
        cast = codes.astype(dtype)
    kept = np.isinf(cast) == np.isinf(codes) if dtype.kind == "f" else cast == codes
    return cast if kept.all() else None


def _levels(column) -> pd.Index:
    """The distinct values of a column, in their order if they have one, a missing one last."""
    as_they_are = kinds.is_object_dtype(column.dtype) or kinds.is_integer_dtype(column.dtype)
    dtype = object if as_they_are else None
    try:
        distinct = pd.Index(column, dtype=dtype).unique()
    except TypeError as error:
        raise TypeError(
            f"X has a column of values that cannot be compared, such as {column[0]!r} ({error}). "
            f"Turn them into text, numbers or tuples first."
        ) from None
    try:
        return distinct.sort_values(na_position="last")
    except TypeError:  # values of several kinds
        return distinct


def response_function(
    model, X, method: str = "predict", coding: Coding | None = None
) -> Callable[[np.ndarray], np.ndarray]:
    """A function from codes of the columns of X to what the model answers.

    The model is given the kind of table it was fitted with: a DataFrame with its names and
    dtypes if it has seen names, an array if it has not, and X's own kind if it does not say. A
    table of numbers is its own code.
    """
    as_table, respond = table_function(model, X, coding), answer_function(model, method)
    return lambda values: respond(as_table(values))


def answer_function(model, method: str = "predict") -> Callable:
    """What a fitted model answers to a table of its kind; a single target as one dimension.

    A model that draws its answers by chance, as DummyClassifier(strategy="stratified") does, gives
    the same ones to tables of the same length.
    """
    check_fitted(model, (method,))

    def respond(table) -> np.ndarray:
        try:
            with global_state_kept(0):
                answers = np.asarray(getattr(model, method)(table))
        except ValueError as error:
            if "Found unknown categories" not in str(error):  # so says scikit-learn
                raise
            raise ValueError(
                f"This {type(model).__name__} gets categories that it was not fitted with. It "
                f"says: {str(error)[:100]} ... Fit it with handle_unknown='ignore' in its encoder. "
                f"Where a category has a number for its name and was drawn as a number, "
                f"sampler=ForestSampler() draws none but those that are there."
            ) from error
        if answers.shape[:1] != (len(table),):
            raise ValueError(
                f"This {type(model).__name__} must answer {method} with one value or row of "
                f"values for each of {len(table)} rows, but gave shape {answers.shape}. Use a "
                f"model with a single target, or mend its {method}."
            )
        single = method == "predict" and answers.ndim == 2 and answers.shape[1] == 1
        return answers[:, 0] if single else answers

    return respond


def handed_over(table):
    """A copy of a table, for a model that may work in place, as with copy=False."""
    return table.copy() if isinstance(table, pd.DataFrame) else np.array(table, order="K")


def fitted_names(model) -> list:
    """The names of the columns that a model was fitted with; none if it has not seen names.

    LightGBM and CatBoost make up names for columns that have none.
    """
    names = list(getattr(model, "feature_names_in_", getattr(model, "feature_names_", ())))
    made_up = ([f"{word}{j}" for j in range(len(names))] for word in ("Column_", ""))
    return [] if names in made_up else names


def same_names(columns, names) -> bool:
    """Whether a table has the columns that a model was fitted with.

    LightGBM keeps its names without spaces.

    >>> same_names(["petal length"], ["petal_length"]), same_names(["petal"], ["sepal"])
    (True, False)
    """
    as_kept = [str(column).replace(" ", "_") for column in columns]
    return list(names) in ([*columns], as_kept)


def table_function(model, X, coding: Coding | None = None) -> Callable:
    """A function from codes of the columns of X to the kind of table that the model takes."""
    check_width(model, np.shape(X)[1])
    is_frame = isinstance(X, pd.DataFrame)
    coding = coding or Coding(X, min_rows=0)
    names = fitted_names(model)
    if names and is_frame and not same_names(X.columns, names):
        raise ValueError(
            f"X has the columns {', '.join(map(str, X.columns))}, but the model was fitted "
            f"with {', '.join(map(str, names))}. Pass the same columns in the same order."
        )
    if names and not is_frame:
        return lambda values: pd.DataFrame(coding.decode(values), columns=names)
    if is_frame and not names and hasattr(model, "n_features_in_"):
        return lambda values: np.array(coding.decode(values))  # which may be written to
    return coding.decode
