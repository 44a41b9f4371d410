"""Which of its given columns each column is made of that a fitted transformer puts out."""

import warnings
from collections.abc import Callable, Sequence
from copy import copy

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

from course_lib.models.columns import positions, some_columns
from course_lib.tables import fitted_names

COLUMNWISE = (  # transformers that treat each column by itself, and each row by itself
    Binarizer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    MissingIndicator,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SelectorMixin,
    SimpleImputer,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

N_TRIED = 200  # rows for each column, to try a claim of a step that is not scikit-learn's
CELLS = 4_000_000  # of the table of all trials: fewer rows if there are many columns

Origin = list[int | None]  # of each transformed column: the given one, None if it is not just one


def _parts(step) -> list:
    """The transformers that a fitted step is put together from: those of a union, or itself."""
    if isinstance(step, Pipeline):
        parts = [part for _, part in step.steps]
    elif isinstance(step, FeatureUnion):
        parts = [part for _, part in step.transformer_list]
    elif isinstance(step, ColumnTransformer):
        parts = [part for _, part, _ in step.transformers_]
    else:
        return [step]
    return [one for part in parts for one in _parts(part)]


def goes_by_place(step) -> bool:
    """Whether no name decides which column is put out where: so in scikit-learn's own steps.

    A class, or a function in a FunctionTransformer, of somebody else's may look for names.
    """
    return all(_one_by_place(part) for part in _parts(step))


def _one_by_place(step) -> bool:
    if step is None or isinstance(step, str):  # "passthrough"
        return True
    if isinstance(step, FunctionTransformer):
        return _is_elementwise(step)
    methods = (getattr(type(step), name, None) for name in ("transform", "get_feature_names_out"))
    modules = [getattr(method, "__module__", None) or "" for method in methods if method]
    return all(module.startswith("sklearn.") for module in modules)


def _is_elementwise(step: FunctionTransformer) -> bool:
    return step.func is None or isinstance(step.func, np.ufunc)  # such as np.log1p


def by_column(step, n_in: int = 2) -> bool:
    """Whether a transformer of n_in columns treats each of them by itself."""
    if n_in == 1 or step is None or isinstance(step, str):
        return True
    if isinstance(step, Pipeline):
        return all(by_column(part) for _, part in step.steps)
    if isinstance(step, FeatureUnion):
        return all(by_column(part) for _, part in step.transformer_list)
    if isinstance(step, ColumnTransformer):
        names = getattr(step, "feature_names_in_", range(step.n_features_in_))
        parts = ((part, positions(columns, names)) for _, part, columns in step.transformers_)
        return all(by_column(part, len(read)) for part, read in parts)
    if isinstance(step, FunctionTransformer):
        return _is_elementwise(step)
    return isinstance(step, COLUMNWISE) and goes_by_place(step)


def through(first: Origin, second: Origin) -> Origin:
    """The origins after two steps."""
    return [None if k is None else first[k] for k in second]


def origins_of(step, names: Sequence[str], n_out: int | None, seen: Sequence = ()) -> Origin:
    """For each column that a fitted transformer puts out, the given one that it is made of.

    Parameters
    ----------
    names : of the columns that it was given
    n_out : how many it puts out, if that is known
    seen : their names, if the step after it has seen names
    """
    origins = _claimed_origins(step, names, n_out, seen)
    return origins if n_out in (None, len(origins)) else [None] * n_out


def _claimed_origins(step, names: Sequence[str], n_out: int | None, seen: Sequence) -> Origin:
    n_in = len(names)
    if step is None or isinstance(step, str):  # "passthrough"
        return list(range(n_in))
    if isinstance(step, Pipeline):
        return _pipeline_origins(step, names, n_out, seen)
    if isinstance(step, ColumnTransformer):
        return _transformer_origins(step, names)
    if isinstance(step, FeatureUnion):
        parts = [part for _, part in step.transformer_list if part != "drop"]
        return [k for part in parts for k in origins_of(part, names, None)]
    if n_in == 1 and n_out is not None:
        return [0] * n_out
    if isinstance(step, FunctionTransformer) and _is_elementwise(step):
        return list(range(n_in))
    return _named_origins(step, names, n_out, seen)


def _pipeline_origins(pipeline, names, n_out: int | None, seen: Sequence) -> Origin:
    origin: Origin = list(range(len(names)))
    steps = [step for _, step in pipeline.steps]
    for step, after in zip(steps, [*steps[1:], None], strict=True):
        width = n_out if after is None else getattr(after, "n_features_in_", None)
        known = seen if after is None else fitted_names(after)
        origins = origins_of(step, names, width, known)
        names, origin = names_out(step, names, origins, known), through(origin, origins)
    return origin


def _transformer_origins(transformer: ColumnTransformer, given: Sequence[str]) -> Origin:
    names = getattr(transformer, "feature_names_in_", range(len(given)))
    places = transformer.output_indices_
    origin: Origin = [None] * max((place.stop for place in places.values()), default=0)
    for name, part, columns in transformer.transformers_:
        place = places[name]
        if place.stop > place.start:
            read: Origin = list(positions(columns, names))
            parts = origins_of(part, [given[j] for j in read], place.stop - place.start)
            origin[place] = through(read, parts)
    return origin


def _named_origins(step, names: Sequence[str], n_out: int | None, seen: Sequence) -> Origin:
    """By the names that a transformer gives: it is asked what it would call made-up columns.

    These occur in no other name. A name that has one of them in it belongs to that column; a name
    with several or none, such as pca0, belongs to none. Steps that fill or scale a column by the
    others keep its name all the same (KNNImputer, Normalizer), so what is not known is tried.

    A step that is not scikit-learn's may look for names and do something else with made-up ones.
    If the names that it really gives are not those that follow, only a column that is still called
    as one that was given is taken for it. Neither is believed if made-up numbers refute it.
    """
    made_up = [f"\ue000{j}\ue001" for j in range(len(names))]
    asked = copy(step)
    if hasattr(asked, "feature_names_in_"):
        asked.feature_names_in_ = np.array(made_up, dtype=object)
    answer = _told(asked, made_up)
    found = [[j for j, one in enumerate(made_up) if one in name] for name in answer or ()]
    origins = [one[0] if len(one) == 1 else None for one in found]
    if goes_by_place(step):
        origins = origins or [None] * (n_out or 1)
        known = isinstance(step, COLUMNWISE) or not any(j is not None for j in origins)
        return origins if known else _tried_on_numbers(step, names, origins)
    really = [_key(name) for name in seen or _told(step, names) or ()]
    keys = [_key(name) for name in names]
    once = {key for key in really if really.count(key) == 1 == keys.count(key)}
    kept = [keys.index(key) if key in once else None for key in really] or [None] * (n_out or 1)
    if really and really == [_key(_renamed(name, made_up, names)) for name in answer or ()]:
        kept = [other if one is None else one for one, other in zip(origins, kept, strict=True)]
    return _tried_on_numbers(step, names, kept)


def _tried_on_numbers(step, names: Sequence[str], origin: Origin) -> Origin:
    """The origins, without those that made-up numbers refute, if the step takes some.

    Whole ones with gaps are tried, too: a column may be filled by the others, or by group.
    """
    values = np.random.default_rng(0).normal(size=(N_TRIED, len(names)))
    gaps = np.where(values > 1, np.nan, np.floor(values))
    for kind in (lambda table: pd.DataFrame(table, columns=list(names)), np.asarray):

        def transform(table, kind=kind):
            out = step.transform(kind(table))
            if np.shape(out) != (len(table), len(origin)):
                raise ValueError("some rows or columns are left out")
            return out

        try:
            with _quiet():
                transform(values)
        except Exception:  # a step of the reader's own may refuse numbers, or a table of this kind
            continue
        return without_refuted(without_refuted(origin, values, transform), gaps, transform)
    return origin


def without_refuted(origin: Origin, values: np.ndarray, transform: Callable) -> Origin:
    """The origins, without those that rows refute.

    A column that is made of one given column stays as it is when the others get the values of
    other rows.

    Parameters
    ----------
    origin : claimed of the columns that `transform` puts out
    values : array of shape (n_rows, n_columns)
    transform : function from such an array to a table
    """
    rng, (n, p) = np.random.default_rng(0), values.shape
    rows = values[rng.permutation(n)[: np.clip(CELLS // p**2, 2, N_TRIED)]]
    claimed = sorted({j for j in origin if j is not None})
    trials = [rows] + [values[rng.integers(n, size=len(rows))] for _ in claimed]
    for trial, j in zip(trials[1:], claimed, strict=True):
        trial[:, j] = rows[:, j]
    try:
        with _quiet():
            table = transform(np.vstack(trials))
    except Exception:  # a step of the reader's own may refuse rows such as it has not met
        return origin
    table = table.toarray() if issparse(table) else table
    if np.shape(table) != (sum(map(len, trials)), len(origin)):
        return [None] * len(origin)
    where = {j: slice(k * len(rows), (k + 1) * len(rows)) for k, j in enumerate(claimed, 1)}
    kept = list(origin)
    for k, j in enumerate(origin):
        column = np.ravel(some_columns(table, [k]))
        if j is not None and not _same(column[: len(rows)], column[where[j]]):
            kept[k] = None
    return kept


def _quiet() -> warnings.catch_warnings:
    """What a step warns of in a trial is about rows that nobody has given."""
    return warnings.catch_warnings(action="ignore")


def _same(before: np.ndarray, after: np.ndarray) -> bool:
    """Whether two columns hold the same values, to rounding if they are numbers."""
    try:
        return np.allclose(before.astype(float), after.astype(float), equal_nan=True)
    except (TypeError, ValueError):
        return pd.Series(before, dtype=object).equals(pd.Series(after, dtype=object))


def _told(step, names: Sequence[str]) -> list[str] | None:
    """What a fitted step calls the columns that it makes of those with these names."""
    try:
        return [str(name) for name in step.get_feature_names_out(np.array(names, dtype=object))]
    except Exception:  # of a class or function of the reader's own it may be any
        return None


def _key(name) -> str:
    """A column's name as it is compared: LightGBM keeps its names without spaces."""
    return str(name).replace(" ", "_")


def _renamed(name: str, old: Sequence[str], new: Sequence[str]) -> str:
    for one, other in zip(old, new, strict=True):
        name = name.replace(one, str(other))
    return name


def names_out(step, names: Sequence[str], origins: Origin, seen: Sequence = ()) -> list[str]:
    """What a step calls its columns; if it does not say, as they were, or else numbered."""
    told = None if step is None or isinstance(step, str) else _told(step, names)
    for known in (told, list(map(str, seen))):
        fits = known is not None and len(known) == len(origins)
        if fits and (not seen or list(map(_key, known)) == list(map(_key, seen))):
            return known
    if origins == list(range(len(names))):
        return list(names)
    return [f"transformed{k}" for k in range(len(origins))]
