"""Checks of what a caller hands in: each refusal says what was given, what is right, what to do."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from numbers import Integral, Real

import numpy as np
import pandas as pd
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

RandomState = int | np.random.Generator | None


def column_names(X) -> tuple[str, ...]:
    """Names of the columns of X: those of a DataFrame, else x0, x1, ..."""
    if isinstance(X, pd.DataFrame):
        names = tuple(str(name) for name in X.columns)
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(
                f"X has two columns called {twice!r}; a feature is found by its name, so names "
                f"must differ. Rename one of them."
            )
        return names
    shape = np.shape(X)
    return tuple(f"x{j}" for j in range(shape[1] if len(shape) == 2 else 0))


def check_X(
    X, *, numeric: bool = True, allow_nan: bool = False, min_rows: int = 1, name: str = "X"
) -> np.ndarray:
    """X as a two-dimensional array (float if numeric), a copy that the caller does not see change.

    With numeric=False, categories of any kind are let through as they are.
    """
    values = _as_array(X, name)
    if values.ndim != 2:
        raise ValueError(
            f"{name} must have two dimensions, rows and features, got shape {values.shape}. "
            f"A single column becomes a table with {name}.reshape(-1, 1), a single row with "
            f"{name}.reshape(1, -1)."
        )
    if values.shape[0] < min_rows or values.shape[1] < 1:
        raise ValueError(
            f"{name} must have at least {min_rows} row{'s' * (min_rows > 1)} and one feature, got "
            f"shape {values.shape}. Check how it was selected."
        )
    if numeric:
        columns = X.columns if isinstance(X, pd.DataFrame) else column_names(values)
        values = _as_float(values, name, list(map(str, columns)))
        refuse_non_finite(values, name, allow_nan=allow_nan, columns=list(map(str, columns)))
    elif not allow_nan and pd.isna(values).any():
        raise ValueError(
            f"{name} has missing values; they must be filled or dropped first. "
            f"Use {name}.dropna() or sklearn.impute.SimpleImputer."
        )
    return values


def _as_array(X, name: str) -> np.ndarray:
    """A copy of the values of a table, or why it is none."""
    if hasattr(X, "toarray"):  # scipy's
        raise TypeError(
            f"{name} is a sparse matrix of shape {X.shape}; a DataFrame or an array is needed. "
            f"Pass {name}.toarray()."
        )
    if np.ma.is_masked(X):
        raise TypeError(
            f"{name} is an array with masked values, which a model would not see as missing. Pass "
            f"{name}.astype(float).filled(np.nan)."
        )
    refused = X is None or isinstance(X, str | bytes | dict | set) or callable(X)
    try:
        values = X.to_numpy(copy=True) if isinstance(X, pd.DataFrame) else np.array(X)
        if values.dtype.kind in "US" and isinstance(X, list | tuple):
            values = np.array(X, dtype=object)  # or numbers beside text would become text
    except ValueError as error:
        raise ValueError(
            f"{name} must be a table whose rows have the same length, but numpy says: {error}. "
            f"Build it as a DataFrame or a two-dimensional array."
        ) from None
    if refused or values.ndim == 0:
        raise TypeError(
            f"{name} must be a DataFrame or a two-dimensional array, got {type(X).__name__}. "
            f"Pass the table of inputs, one row per observation."
        )
    return values


def _as_float(values: np.ndarray, name: str, columns: Sequence[str] = ()) -> np.ndarray:
    """The values as real numbers; columns that hold something else are named."""
    if np.iscomplexobj(values):
        raise TypeError(f"{name} must hold real numbers, got complex ones. Take their real part.")
    if values.dtype.kind == "O":
        values[np.frompyfunc(lambda value: value is pd.NA, 1, 1)(values).astype(bool)] = np.nan
    try:
        return np.array(values, dtype=float)
    except (TypeError, ValueError):
        where = [column for j, column in enumerate(columns) if not are_numbers(values[:, j])]
        found = f"dtype {values.dtype}{f', in {shortened(where)}' if where else ''}"
        raise TypeError(
            f"{name} must hold numbers, got values that are not ({found}). Encode categories as "
            f"numbers first, for instance with sklearn's OrdinalEncoder."
        ) from None


def are_numbers(values) -> bool:
    """Whether all of some values can be read as numbers."""
    try:
        np.array(values, dtype=float)
    except (TypeError, ValueError):
        return False
    return True


def refuse_non_finite(
    values: np.ndarray, name: str, *, allow_nan: bool = False, columns: Sequence[str] = ()
) -> None:
    """Raise if `values` has an infinity, or a NaN that is not allowed; `columns` are named."""
    bad = np.isinf(values) if allow_nan else ~np.isfinite(values)
    n_bad = int(bad.sum())
    if n_bad:
        what = "infinite" if allow_nan else "NaN or infinite"
        where = [column for column, found in zip(columns, bad.T, strict=False) if found.any()]
        raise ValueError(
            f"{name} has {n_bad} value{'s' * (n_bad > 1)} that {'are' if n_bad > 1 else 'is'} "
            f"{what}{f' ({shortened(where)})' if where else ''}; every value must be a finite "
            f"number{', or NaN where it is missing' * allow_nan}. Fill or drop them first."
        )


def shortened(names: Sequence[str], n_shown: int = 5) -> str:
    """The first of some names, and how many more there are.

    >>> shortened(["a", "b", "c"]), shortened(list("abcdefgh"))
    ('a, b, c', 'a, b, c, d, e and 3 more')
    """
    more = len(names) - n_shown
    return ", ".join(map(str, names[:n_shown])) + f" and {more} more" * (more > 0)


def check_numbers(values, rule: str, advice: str, shape: tuple | None = None) -> np.ndarray:
    """A float copy of finite numbers, of this shape if one is given; `rule` says what is right."""
    try:
        numbers = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"{rule}, got {values!r}. {advice}") from None
    if numbers.shape != (shape or numbers.shape) or not np.isfinite(numbers).all():
        raise ValueError(f"{rule}, got {values!r}. {advice}")
    return numbers


def check_table(table, name: str, column: str) -> np.ndarray:
    """The finite numbers of a DataFrame with a row per variable and a column per `column`."""
    if not isinstance(table, pd.DataFrame) or table.empty:
        raise TypeError(
            f"{name} must be a table with a row per variable and a column per {column}, got "
            f"{type(table).__name__}. Build it as a DataFrame."
        )
    numbers = table.apply(pd.to_numeric, errors="coerce").to_numpy(dtype=float)
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name} must hold finite numbers, got others. Fill or drop them.")
    return numbers


def check_y(
    y, n_rows: int | None = None, *, numeric: bool = False, name: str = "y", of: str = "X"
) -> np.ndarray:
    """y as a one-dimensional array without missing values, of the length of X."""
    if y is None or isinstance(y, str | bytes | dict | set) or callable(y):
        raise TypeError(
            f"{name} must be one target per row, got {type(y).__name__}. "
            f"Pass an array or a Series as long as {of}."
        )
    values = np.array(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(
            f"{name} must have one dimension, one target per row, got shape {values.shape}. "
            f"For several targets, call this once for each."
        )
    if n_rows is not None and len(values) != n_rows:
        raise ValueError(
            f"{of} has {n_rows} rows and {name} has {len(values)}; each row needs its target. "
            f"Check that both come from the same split."
        )
    if numeric:
        values = _as_float(values, name)
    if values.dtype.kind == "f":
        refuse_non_finite(values, name)
    elif pd.isna(values).any():
        raise ValueError(
            f"{name} has missing values; every row needs a target. Drop the rows without."
        )
    return values


def check_X_y(X, y, *, numeric_y: bool = False, **options) -> tuple[np.ndarray, np.ndarray]:
    """X as by `check_X` and y as by `check_y`, of the same length."""
    X = check_X(X, **options)
    return X, check_y(y, len(X), numeric=numeric_y)


def check_weights(sample_weight, n_rows: int) -> np.ndarray | None:
    """Weights of the rows, divided by their sum; None if all rows count the same."""
    if sample_weight is None:
        return None
    rule = f"sample_weight must be one number for each of the {n_rows} rows, none of them negative"
    advice = "Pass None for equal weights."
    weights = check_numbers(sample_weight, rule, advice)
    if weights.shape != (n_rows,):
        raise ValueError(f"{rule}, got an array of shape {weights.shape}. {advice}")
    if weights.min() < 0 or weights.max() == 0:
        found = f"numbers from {weights.min():g} to {weights.max():g}"
        raise ValueError(f"{rule} and some positive, got {found}. {advice}")
    return weights / weights.sum()


class Position(int):
    """The position of a feature, also where some column has the same number for a name."""


def feature_index(feature, feature_names: Sequence[str]) -> int:
    """Position of a feature given by name or position; an unknown one says what is there.

    A number may be the name of a column, too. It is refused if it is the position of another one.
    """
    names = list(feature_names)
    if isinstance(feature, str):
        if feature in names:
            return names.index(feature)
        close = get_close_matches(feature, names, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"Unknown feature {feature!r}.{hint} X has: {', '.join(names)}.")
    if isinstance(feature, bool | np.bool_) or not isinstance(feature, Integral):
        raise TypeError(
            f"A feature is given by its name or its position, got {feature!r} "
            f"({type(feature).__name__}). X has: {', '.join(names)}."
        )
    if not isinstance(feature, Position) and str(feature) in names:
        named = names.index(str(feature))
        if named != feature and 0 <= feature < len(names):
            raise ValueError(
                f"{feature} is the name of one column and the position of another, which is called "
                f"{names[feature]!r}; a feature must be given so that only one is meant. Write "
                f"{str(feature)!r} for the column of that name, or {names[feature]!r} for the one "
                f"at that position."
            )
        return named
    if not 0 <= feature < len(names):
        raise ValueError(
            f"There is no feature at position {feature}: X has {len(names)}, at positions 0 to "
            f"{len(names) - 1}. Choose one of those, or give its name."
        )
    return int(feature)


def feature_indices(features, feature_names: Sequence[str]) -> tuple[int, ...]:
    """Positions, in order and without repeats, of one feature or of several."""
    if isinstance(features, str) or not isinstance(features, Iterable):
        features = (features,)
    return tuple(dict.fromkeys(feature_index(feature, feature_names) for feature in features))


def check_count(value, name: str, *, minimum: int = 1, maximum: int | None = None) -> int:
    """A whole number in a range."""
    within = f"of at least {minimum}" if maximum is None else f"from {minimum} to {maximum}"
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise TypeError(
            f"{name} must be a whole number {within}, got {value!r} ({type(value).__name__}). "
            f"Pass for example {name}={minimum}."
        )
    if value < minimum or (maximum is not None and value > maximum):
        raise ValueError(
            f"{name} must be a whole number {within}, got {value}. "
            f"Pass for example {name}={minimum}."
        )
    return int(value)


def check_jobs(n_jobs) -> int | None:
    """A number of jobs as joblib takes it: None, a whole number from 1 on, or -1 for all cores."""
    if n_jobs is None:
        return None
    if isinstance(n_jobs, bool | np.bool_) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(
            f"n_jobs must be None, a number of processes, or -1 for as many as there are cores, "
            f"got {n_jobs!r}. Pass for example n_jobs=2."
        )
    return int(n_jobs)


def check_number(value, name: str, *, minimum: float = -np.inf, strict: bool = False) -> float:
    """A finite real number, not below (or, if strict, above) a minimum."""
    within = "" if minimum == -np.inf else f" {'above' if strict else 'of at least'} {minimum:g}"
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(
            f"{name} must be a number{within}, got {value!r} ({type(value).__name__}). "
            f"Pass it as an int or a float."
        )
    if not np.isfinite(value) or value < minimum or (strict and value == minimum):
        raise ValueError(f"{name} must be a finite number{within}, got {value!r}. Choose another.")
    return float(value)


def check_option(value, name: str, options: Sequence[str]) -> str:
    """One of a few named options."""
    if not isinstance(value, str) or value not in options:
        listed = " or ".join(repr(option) for option in options)
        raise ValueError(f"{name} must be {listed}, got {value!r}. Choose one of those.")
    return value


def check_flag(value, name: str) -> bool:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {value!r}. Choose one of those.")
    return bool(value)


def check_random_state(random_state: RandomState) -> np.random.Generator:
    """A Generator from an int, a Generator or None; numpy's global state is never touched."""
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    if isinstance(random_state, bool | np.bool_) or not isinstance(random_state, Integral):
        raise TypeError(
            f"random_state must be an int, a numpy Generator or None, got {random_state!r} "
            f"({type(random_state).__name__}). Pass for example random_state=0."
        )
    if random_state < 0:
        raise ValueError(
            f"random_state must not be negative, got {random_state}. "
            f"Pass for example random_state=0."
        )
    return np.random.default_rng(int(random_state))


def sklearn_seed(rng: np.random.Generator) -> int:
    """A seed for scikit-learn, which takes ints but no Generator."""
    return int(rng.integers(2**31 - 1))


@contextmanager
def global_state_kept(seed: int) -> Iterator[None]:
    """Numpy's global state as it was, also if what runs inside draws from it, as a fit of SVR does.

    Inside it begins with `seed`: what is drawn there depends on nothing else.
    """
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002


def check_fitted(model, methods: Sequence[str] = ("predict",)) -> None:
    """Raise if `model` is not a fitted estimator with one of these methods."""
    if isinstance(model, type):
        raise TypeError(
            f"model must be a fitted model, got the class {model.__name__}. "
            f"Make one and fit it: {model.__name__}().fit(X, y)."
        )
    if not any(callable(getattr(model, method, None)) for method in methods):
        wanted = " or ".join(f"`{method}`" for method in methods)
        raise TypeError(
            f"model must be a fitted model with {wanted}, got {type(model).__name__}. "
            f"Pass the estimator itself, after fit(X, y)."
        )
    if hasattr(model, "get_params") and hasattr(model, "fit"):
        try:
            check_is_fitted(model)
        except (NotFittedError, TypeError):
            raise ValueError(
                f"This {type(model).__name__} has not been fitted; a measure needs a model that "
                f"has learnt something. Call fit(X, y) first."
            ) from None
        except AttributeError:
            pass  # not built on scikit-learn, which alone can tell


def check_width(model, n_features: int) -> None:
    """Raise if a fitted model was trained on another number of features."""
    expected = getattr(model, "n_features_in_", n_features)
    if expected != n_features:
        raise ValueError(
            f"X has {n_features} features, but this {type(model).__name__} was fitted with "
            f"{expected}. Pass the same columns as for fit, in the same order."
        )
