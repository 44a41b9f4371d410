"""Models inside other models: the best estimator of a search, the last step of a pipeline.

The model at the end of a pipeline reads other columns than those that were given: a column of
colours has become one column for each colour. A `Chain` takes a table there, and knows which given
column each of the model's own columns comes from.
"""

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy.sparse import issparse
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline

from course_lib.models.columns import positions
from course_lib.tables import Coding, fitted_names, table_function
from course_lib.validation import check_fitted, check_option

COLUMNS = ("given", "transformed")

Origin = list[int | None]  # of each transformed column: the given one, None if it is not just one


class Chain:
    """A fitted model, taken apart.

    Parameters
    ----------
    model : fitted model
        A search counts as its best estimator, a pipeline as its steps; any other model is a chain
        without steps.

    Attributes
    ----------
    model : the predictor at the end
    steps : list of the transformers before it

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import OneHotEncoder
    >>> colours = [["red"], ["blue"], ["red"]]
    >>> chain = Chain(make_pipeline(OneHotEncoder(), Ridge()).fit(colours, [1.0, 0.0, 1.0]))
    >>> chain.model, chain.names, chain.origin
    (Ridge(), ('x0_blue', 'x0_red'), [0, 0])
    >>> chain.summed(np.array([0.1, 0.3]), "given")
    (array([0.4]), ('x0',))
    """

    def __init__(self, model):
        self._whole, self.steps = model, []
        while True:
            if hasattr(model, "best_estimator_"):
                model = model.best_estimator_
            elif isinstance(model, Pipeline):
                check_fitted(model)
                self.steps += [step for _, step in model.steps[:-1] if hasattr(step, "transform")]
                model = model[-1]
            else:
                break
        self.model = model

    def table(self, X):
        """X as the model at the end gets it; X itself if nothing is done to it before."""
        if not self.steps:
            return X
        coding = Coding(X)
        table = table_function(self._whole, X, coding)(coding.values)
        for step in self.steps:
            table = step.transform(table)
        return table.toarray() if issparse(table) else table

    @cached_property
    def given_names(self) -> tuple[str, ...]:
        """The names of the given columns: those that the model was fitted with, else x0, x1, ..."""
        first = [*self.steps, self.model][0]
        names = fitted_names(first) or [f"x{j}" for j in range(first.n_features_in_)]
        return tuple(map(str, names))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns that the model at the end reads."""
        return self._followed[0]

    @cached_property
    def origin(self) -> Origin:
        """For each column that the model reads, the given column that it comes from."""
        return self._followed[1]

    @cached_property
    def _followed(self) -> tuple[tuple[str, ...], Origin]:
        names, origin = self.given_names, list(range(len(self.given_names)))
        for step, after in pairwise([*self.steps, self.model]):
            n_out = getattr(after, "n_features_in_", None)
            origins = _origins(step, len(origin), n_out)
            names, origin = _names_out(step, names, origins), _through(origin, origins)
        return tuple(names), origin

    def summed(self, values: np.ndarray, columns: str, *, axis: int = 0, names=None):
        """Importances of the model's columns, and their names: as they are, or by given column.

        Parameters
        ----------
        values : array whose axis `axis` runs over the columns that the model reads
        columns : {"given", "transformed"}
            "given" adds up what the columns made from a given column have.
        names : names of the columns if there are no steps, default=None

        Returns
        -------
        values, names
        """
        check_option(columns, "columns", COLUMNS)
        if not self.steps:
            return values, self.given_names if names is None else tuple(names)
        if columns == "transformed":
            return values, self.names
        used = np.moveaxis(values, axis, 0).reshape(len(self.origin), -1).any(axis=1)
        lost = [k for k, j in enumerate(self.origin) if j is None and used[k]]
        if lost:
            raise ValueError(
                f"The column {self.names[lost[0]]!r} of the model cannot be traced "
                f"back to one given column: a step before it mixes columns, or does not name what "
                f'it puts out. Pass columns="transformed" for the columns that the model reads.'
            )
        belongs = np.equal.outer(np.arange(len(self.given_names)), self.origin).astype(float)
        summed = np.moveaxis(np.tensordot(belongs, values, (1, axis)), 0, axis)
        return summed, self.given_names


def _through(first: Origin, second: Origin) -> Origin:
    """The origins after two steps."""
    return [None if k is None else first[k] for k in second]


def _origins(step, n_in: int, n_out: int | None) -> Origin:
    """For each column that a fitted transformer puts out, the one of its n_in that it is made of.

    `n_out`, if it is known, says how many there are.
    """
    if step is None or isinstance(step, str):  # "passthrough"
        return list(range(n_in))
    if isinstance(step, Pipeline):
        return _pipeline_origins(step, n_in, n_out)
    if isinstance(step, ColumnTransformer):
        return _transformer_origins(step, n_in)
    if isinstance(step, FeatureUnion):
        parts = [part for _, part in step.transformer_list if part != "drop"]
        return [k for part in parts for k in _origins(part, n_in, None)]
    if n_in == 1 and n_out is not None:
        return [0] * n_out
    return _named_origins(step, n_in, n_out)


def _pipeline_origins(pipeline, n_in: int, n_out: int | None) -> Origin:
    origin: Origin = list(range(n_in))
    steps = [step for _, step in pipeline.steps]
    for step, after in zip(steps, [*steps[1:], None], strict=True):
        width = n_out if after is None else getattr(after, "n_features_in_", None)
        origin = _through(origin, _origins(step, len(origin), width))
    return origin


def _transformer_origins(transformer: ColumnTransformer, n_in: int) -> Origin:
    names = getattr(transformer, "feature_names_in_", range(n_in))
    places = transformer.output_indices_
    origin: Origin = [None] * max((place.stop for place in places.values()), default=0)
    for name, part, columns in transformer.transformers_:
        place = places[name]
        if place.stop > place.start:
            read: Origin = list(positions(columns, names))
            parts = _origins(part, len(read), place.stop - place.start)
            origin[place] = _through(read, parts)
    return origin


def _named_origins(step, n_in: int, n_out: int | None) -> Origin:
    """By the names that a transformer gives: it is asked what it would call made-up columns.

    These occur in no other name. A name that has one of them in it belongs to that column; a name
    with several or none, such as pca0, belongs to none.
    """
    made_up = np.array([f"\ue000{j}\ue001" for j in range(n_in)], dtype=object)
    asked = copy(step)
    if hasattr(asked, "feature_names_in_"):
        asked.feature_names_in_ = made_up
    try:
        names = [str(name) for name in asked.get_feature_names_out(made_up)]
    except (AttributeError, TypeError, ValueError):
        elementwise = isinstance(getattr(step, "func", None), np.ufunc)  # such as np.log1p
        return list(range(n_in)) if elementwise else [None] * (n_out or 1)
    found = [[j for j in range(n_in) if made_up[j] in name] for name in names]
    return [one[0] if len(one) == 1 else None for one in found]


def _names_out(step, names: Sequence[str], origins: Origin) -> Sequence[str]:
    """What a step calls its columns; if it does not say, as they were, or else numbered."""
    try:
        return [str(name) for name in step.get_feature_names_out(list(names))]
    except (AttributeError, TypeError, ValueError):
        if origins == list(range(len(names))):
            return names
        return [f"transformed{k}" for k in range(len(origins))]
