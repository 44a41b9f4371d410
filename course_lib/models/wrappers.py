"""Fitted models seen from outside: which variables they read, what they are made of."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from sklearn import linear_model
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from course_lib.models.boosters import is_as_made
from course_lib.tables import Coding, response_function, same_names
from course_lib.validation import (
    check_fitted,
    check_width,
    column_names,
    feature_indices,
)

FORESTS = (
    RandomForestRegressor,
    RandomForestClassifier,
    ExtraTreesRegressor,
    ExtraTreesClassifier,
)
LINEAR = tuple(  # each predicts X b + intercept
    getattr(linear_model, name)
    for name in (
        "ARDRegression BayesianRidge ElasticNet ElasticNetCV HuberRegressor Lars Lasso "
        "LassoCV LassoLars LinearRegression QuantileRegressor Ridge RidgeCV SGDRegressor "
        "TheilSenRegressor "
    ).split()
)


def _model_has(method: str):
    return available_if(lambda self: hasattr(self.model, method))


class OnColumns(BaseEstimator):
    """A fitted model that reads only some of the variables of X: f(x) = model(x_columns).

    So a table may hold more variables than the model has features, and one can ask what the
    others tell about its predictions (`003`, section 2: variables against features). Every other
    column may change without any change of the predictions.

    Parameters
    ----------
    model : fitted estimator
        Fitted to these columns alone.
    columns : names or positions, one or several
        The variables the model reads, in the order in which it was fitted to them. Names need a
        table with names; positions work on every table.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = pd.DataFrame({"unused": [5.0, 9.0, 7.0], "used": [0.0, 1.0, 2.0]})
    >>> model = OnColumns(LinearRegression().fit(X[["used"]], [0.0, 2.0, 4.0]), "used")
    >>> (model.predict(X) + 0.0).round(6)
    array([0., 2., 4.])
    """

    def __init__(self, model, columns):
        self.model = model
        self.columns = columns
        if isinstance(model, type) or not hasattr(model, "fit"):
            check_fitted(model)  # an unfitted estimator is let through, so that `clone` works
        check_width(model, self._n_columns())

    def fit(self, X, y):
        """Replace the model by a clone of it, fitted to the same columns of X."""
        self.model = clone(self.model).fit(self._read(X), y)
        return self

    def predict(self, X) -> np.ndarray:
        """What the model predicts from its columns of X."""
        return self._answer("predict", X)

    @_model_has("predict_proba")
    def predict_proba(self, X) -> np.ndarray:
        """The probabilities of the classes, from the model's columns of X."""
        return self._answer("predict_proba", X)

    @_model_has("decision_function")
    def decision_function(self, X) -> np.ndarray:
        """The model's scores, from its columns of X."""
        return self._answer("decision_function", X)

    @property
    def classes_(self) -> np.ndarray:
        """The classes a classifier was fitted to."""
        return self.model.classes_

    def __sklearn_is_fitted__(self) -> bool:
        try:
            check_fitted(self.model)
        except ValueError:
            return False
        return True

    def __sklearn_tags__(self):
        if hasattr(self.model, "__sklearn_tags__"):
            return get_tags(self.model)
        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier" if has_classes(self.model) else "regressor"
        return tags

    def _n_columns(self) -> int:
        columns = self.columns
        several = isinstance(columns, Iterable) and not isinstance(columns, str)
        if several and len(list(columns)) == 0:
            raise ValueError(
                "columns is empty, so the model would read nothing. "
                "Name the columns it was fitted to."
            )
        return len(list(columns)) if several else 1

    def _answer(self, method: str, X) -> np.ndarray:
        check_fitted(self.model, (method,))
        return getattr(self.model, method)(self._as_fitted(self._read(X)))

    def _read(self, X):
        """The model's columns of X, as a DataFrame if X is one."""
        table = X if isinstance(X, pd.DataFrame) else np.asarray(X)
        if table.ndim != 2:
            raise ValueError(
                f"X must have two dimensions, rows and features, got shape {table.shape}. "
                f"A single row becomes a table with X.reshape(1, -1)."
            )
        where = list(feature_indices(self.columns, column_names(table)))
        return table.iloc[:, where] if isinstance(table, pd.DataFrame) else table[:, where]

    def _as_fitted(self, table):
        """A table of the kind the model was fitted with: with its names if it has seen names."""
        names = getattr(self.model, "feature_names_in_", None)
        is_frame = isinstance(table, pd.DataFrame)
        if names is None:
            return table.to_numpy() if is_frame and hasattr(self.model, "n_features_in_") else table
        if not is_frame:
            return pd.DataFrame(table, columns=names)
        if not same_names(table.columns, names):
            raise ValueError(
                f"The model reads {', '.join(map(str, table.columns))} here, but was fitted with "
                f"{', '.join(map(str, names))}. Give `columns` in that order."
            )
        return table


def linear_coefficients(model) -> np.ndarray | None:
    """The coefficients b of a fitted scikit-learn regressor that predicts X b + intercept.

    None for every other model, also for a linear one with a link function or several targets.
    """
    if not is_as_made(model, LINEAR) or np.atleast_2d(model.coef_).shape[0] > 1:
        return None
    return np.ravel(model.coef_).astype(float)


def is_forest(model) -> bool:
    """Whether `model` is a fitted random forest or extra trees of scikit-learn with one target."""
    return is_as_made(model, FORESTS) and getattr(model, "n_outputs_", 0) == 1


def has_classes(model) -> bool:
    """Whether a fitted model tells classes apart; a regressor of CatBoost has a list of none."""
    return len(getattr(model, "classes_", ())) > 0


def refuse_class(model) -> None:
    """Raise if `model` is a class, of which no instance was made."""
    if isinstance(model, type):
        check_fitted(model)


def refuse_several_targets(model) -> None:
    """Raise if a fitted model predicts more than one target."""
    if getattr(model, "n_outputs_", 1) > 1:
        raise ValueError(
            f"This {type(model).__name__} predicts {model.n_outputs_} targets at once; the "
            f"measure needs a single one. Fit one model for each target."
        )


def explained_columns(model, X, output=None) -> np.ndarray:
    """For each row of X, the position of the output that an attribution explains.

    A regressor has one. Of a classifier it is the class `output`, given by its label, or by its
    position if no class has that label; by default the second of two classes, and of more
    classes the one that is predicted for the row.
    """
    check_fitted(model)
    refuse_several_targets(model)
    classes = np.asarray(model.classes_).tolist() if has_classes(model) else [None]
    if np.ndim(output) == 0 and output in classes:
        return np.full(len(X), classes.index(output))
    if output is None and len(classes) <= 2:
        return np.full(len(X), len(classes) - 1)
    if output is None:
        return np.searchsorted(model.classes_, response_function(model, X)(Coding(X).values))
    is_position = isinstance(output, int | np.integer) and not isinstance(output, bool)
    if classes == [None] or not is_position or not 0 <= output < len(classes):
        known = ", ".join(map(repr, classes)) if classes != [None] else "None, for a regressor"
        raise ValueError(f"output must be one of {known}, got {output!r}. Choose one of those.")
    return np.full(len(X), int(output))


def output_in_words(model, output=None) -> str:
    """What an attribution explains, with `output` as in `explained_columns`."""
    if not has_classes(model):
        return "the prediction"
    if output is None and len(model.classes_) > 2:
        return "the probability of the predicted class"
    output = model.classes_[-1] if output is None else output
    (column,) = explained_columns(model, np.empty((1, 0)), output)
    return f"the probability of class {model.classes_[column]}"
