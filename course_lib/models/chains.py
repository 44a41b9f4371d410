"""Models inside other models: the best estimator of a search, the last step of a pipeline.

The model at the end of a pipeline reads other columns than those that were given: a column of
colours has become one column for each colour. A `Chain` takes a table there, and knows which given
column each of the model's own columns comes from.
"""

from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy.sparse import issparse
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import FunctionTransformer

from course_lib.models.boosters import package_of
from course_lib.models.origins import (
    Origin,
    by_column,
    goes_by_place,
    names_out,
    origins_of,
    through,
    without_refuted,
)
from course_lib.tables import Coding, fitted_names, handed_over, table_function
from course_lib.validation import check_fitted, check_option

COLUMNS = ("given", "transformed")
PUT_TOGETHER = (Pipeline, FeatureUnion, ColumnTransformer, FunctionTransformer)
KNOWN = ("sklearn", "imblearn")  # whose searches and pipelines answer what their last step does


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
    is_plain : bool
        Whether the whole answers what the model at the end answers. A class made from a pipeline
        or a search may do something else with it.

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
        self._whole, self.steps, self._shown = model, [], None
        self.is_plain = True
        while True:
            outer = model
            if hasattr(model, "best_estimator_"):
                model = model.best_estimator_
            elif isinstance(model, Pipeline):
                check_fitted(model)
                self.steps += [step for _, step in model.steps[:-1] if hasattr(step, "transform")]
                model = model[-1]
            elif isinstance(model, GridSearchCV | RandomizedSearchCV):
                _refuse_search(model)
            else:
                break
            self.is_plain = self.is_plain and answers_as_known(outer)
        self.model = model

    def table(self, X):
        """X as the model at the end gets it, but dense; X itself if nothing is done to it before.

        What a sparse table does not hold is missing for XGBoost, and 0 for all other models.
        """
        if not self.steps:
            return X
        coding = Coding(X)
        as_table = table_function(self._whole, X, coding)
        self._shown = coding, as_table
        table = self.transform(as_table(coding.values))
        if issparse(table) and package_of(self.model) == "xgboost":
            dense, held = np.full(table.shape, np.nan), table.tocoo()
            dense[held.row, held.col] = held.data
            return dense
        return table.toarray() if issparse(table) else table

    def transform(self, table):
        """A table of the kind that the first step takes, after all steps; it stays as it is."""
        table = handed_over(table)
        for step in self.steps:
            table = step.transform(table)
        return table

    @cached_property
    def is_columnwise(self) -> bool:
        """Whether every column that the model reads is made, row by row, of one given column."""
        one_by_one = all(by_column(step) and _puts_together(step) for step in self.steps)
        return one_by_one and None not in self.origin

    @cached_property
    def given_names(self) -> tuple[str, ...]:
        """The names of the given columns: those that the model was fitted with, else x0, x1, ..."""
        if not self._given:
            first = type([*self.steps, self.model][0]).__name__
            raise ValueError(
                f"The first step, {first}, does not say which columns it was fitted to (it has no "
                f"n_features_in_), so the columns of the model cannot be traced back to them. Pass "
                f'columns="transformed" for the columns that the model reads, or use '
                f"permutation_importance, which asks the pipeline."
            )
        return self._given

    @cached_property
    def _given(self) -> tuple[str, ...]:
        """The given names; none if neither the first step nor a table says what they are."""
        first = [*self.steps, self.model][0]
        names = fitted_names(first) or [f"x{j}" for j in range(getattr(first, "n_features_in_", 0))]
        if not names and self._shown is not None:
            names = self._shown[0].names
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
        names, origin = self._given, list(range(len(self._given)))
        for step, after in pairwise([*self.steps, self.model]):
            seen, n_out = fitted_names(after), getattr(after, "n_features_in_", None)
            origins = origins_of(step, names, n_out, seen)
            names, origin = names_out(step, names, origins, seen), through(origin, origins)
        return tuple(names), origin

    def _tried(self, origin: Origin) -> Origin:
        """The origins, without those that the rows at hand refute.

        scikit-learn's own steps need no trial.
        """
        known = all(goes_by_place(step) and _puts_together(step) for step in self.steps)
        if self._shown is None or known:
            return origin
        coding, as_table = self._shown
        return without_refuted(origin, coding.values, lambda rows: self.transform(as_table(rows)))

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
        given = self.given_names
        origin = self._tried(self.origin)
        used = np.moveaxis(values, axis, 0).reshape(len(origin), -1).any(axis=1)
        lost = [k for k, j in enumerate(origin) if j is None and used[k]]
        if lost:
            raise ValueError(
                f"The column {self.names[lost[0]]!r} of the model cannot be traced "
                f"back to one given column: a step before it mixes columns, or does not name what "
                f'it puts out by what it was given. Pass columns="transformed" for the columns '
                f"that the model reads."
            )
        belongs = np.equal.outer(np.arange(len(given)), origin).astype(float)
        summed = np.moveaxis(np.tensordot(belongs, values, (1, axis)), 0, axis)
        return summed, given

    def groups(self, columns: str, names) -> dict[str, np.ndarray]:
        """Which of the model's columns are exchanged together: all that come from a given one.

        `names` are those of the columns if there are no steps.
        """
        check_option(columns, "columns", COLUMNS)
        if columns == "transformed" or not self.steps:
            own = self.names if self.steps else names
            return {name: np.array([k]) for k, name in enumerate(own)}
        if not self.is_columnwise:
            raise ValueError(
                "A step of this pipeline mixes columns, or is not known to treat them one by one, "
                'so what becomes of a given column cannot be exchanged alone. Pass columns="'
                'transformed", or use permutation_importance on new rows, which asks the pipeline.'
            )
        origin = np.array(self.origin)
        return {name: np.flatnonzero(origin == j) for j, name in enumerate(self.given_names)}


def _refuse_search(search: GridSearchCV | RandomizedSearchCV) -> None:
    """A search without its best estimator is not fitted, or has left it out."""
    check_fitted(search, ("fit",))
    raise ValueError(
        f"This {type(search).__name__} was fitted with refit=False, so it has no best estimator to "
        f"ask. Fit it with refit=True, or fit the estimator with search.best_params_."
    )


def answers_as_known(model, methods=("predict", "predict_proba")) -> bool:
    """Whether a model or a step has these methods, as far as it has them, from a known package.

    >>> from sklearn.linear_model import LinearRegression
    >>> answers_as_known(LinearRegression())
    True
    """
    for method in methods:
        makers = [kind.__module__ for kind in type(model).__mro__ if method in vars(kind)]
        own = method in vars(model) or (makers and makers[0].partition(".")[0] not in KNOWN)
        if own:
            return False
    return True


def _puts_together(step) -> bool:
    """Whether a step that is put together from others, or from a function, does nothing else."""
    parts = [step, *step.get_params().values()] if hasattr(step, "get_params") else []
    return all(
        answers_as_known(part, ("transform",)) for part in parts if isinstance(part, PUT_TOGETHER)
    )
