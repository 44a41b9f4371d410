"""Reliance of an algorithm on a feature: the loss when it learns without it (`004`, question 4)."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from numbers import Number
from time import perf_counter

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor

from course_lib.measures.refitting import (
    check_clonable,
    check_test_sample,
    refit,
    refitted_words,
)
from course_lib.measures.reliance import as_reliance
from course_lib.measures.scrambling import as_table
from course_lib.models.columns import CATEGORICAL, SIGNS, TOGETHER, on_fewer_columns, some_columns
from course_lib.models.losses import default_loss, loss_in_words, row_loss
from course_lib.models.wrappers import OnColumns
from course_lib.patience import announced, each
from course_lib.questions import Q4
from course_lib.results import Importances
from course_lib.tables import Coding
from course_lib.validation import (
    check_jobs,
    check_random_state,
    check_weights,
    check_y,
    column_names,
    sklearn_seed,
)

# Parameters that count columns: those that `on_fewer_columns` counts anew, as far as it finds them
# as lists, and others of XGBoost and LightGBM.
COUNTED_ANEW = (*CATEGORICAL, *TOGETHER, *SIGNS)
OTHERS = ("feature_weights", "feature_contri", "cat_feature", "ignore_column")
SEARCHED = ("param_grid", "param_distributions", "search_spaces")

REFITS = (
    "There is one fit for each column; fewer rows or a simpler estimator take less. n_jobs=-1 uses "
    "all cores."
)


def algorithm_reliance(
    estimator,
    X,
    y,
    *,
    X_test=None,
    y_test=None,
    loss=None,
    as_ratio: bool = True,
    sample_weight=None,
    n_jobs=None,
    random_state=None,
) -> Importances:
    """Algorithm reliance: the loss of the algorithm without feature j, compared with all of them.

    AR_j = Loss(A fitted without j) / Loss(A fitted to all)  (or the difference), `004` question 4

    It says whether the algorithm needs the feature, not whether one model uses it. Cost: one fit
    for each feature and one more.

    Parameters
    ----------
    estimator : scikit-learn estimator, fitted or not
        Only clones of it are fitted. Parameters that count columns are counted anew, or refused
        where that is not known; a function of the reader's own that picks columns by position
        gets the smaller table and is not noticed.
    X, y : the sample to fit to
    X_test, y_test : default=None
        The sample to measure the losses on; X and y if None, where leaving out a feature never
        helps least squares. Columns as in X.
    loss, as_ratio : as in `model_reliance`
    sample_weight : array-like, default=None
        How much the loss of each row counts, of X_test or else of X; the fits know nothing of it.
    n_jobs : int, default=None
        Processes that fit, by joblib; the numbers do not depend on it.
    random_state : int, Generator or None
        Of the estimators that have no seed of their own; all fits get the same.

    Returns
    -------
    result : Importances
        A single column. A single feature is compared with the best constant: the mean of y, or
        the shares of the classes.

    Examples
    --------
    Without its feature, least squares predicts the mean: here the error grows from 1/4 to 3/2.

    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = [[0.0], [0.0], [2.0], [2.0]], [0.0, 1.0, 2.0, 3.0]
    >>> algorithm_reliance(LinearRegression(), X, y, as_ratio=False).importances_mean.round(6)
    array([1.])
    """
    with_all, without, y_test = losses_without(
        estimator,
        X,
        y,
        X_test=X_test,
        y_test=y_test,
        loss=loss,
        n_jobs=n_jobs,
        random_state=random_state,
    )
    weights = check_weights(sample_weight, len(y_test))
    increase = np.average(without - with_all, axis=1, weights=weights)
    e_all, names = np.average(with_all, weights=weights), column_names(as_table(X))
    name, left_out = "algorithm reliance", "loss without it"
    counted = "" if weights is None else ", weighted"
    sample = refitted_words(len(as_table(X)), None if X_test is None else len(y_test))
    return replace(
        as_reliance(increase, e_all, y_test, names, name, left_out, Q4, as_ratio),
        loss=loss_in_words(estimator, loss),
        sample=f"{sample}{counted}",
        repeats="one fit without each feature",
    )


def losses_without(
    estimator, X, y, *, X_test=None, y_test=None, loss=None, n_jobs=None, random_state=None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The losses behind `algorithm_reliance`, row by row.

    Returns
    -------
    with_all : array of shape (n_rows,)
        The loss of each row that is measured on, by the algorithm fitted to all features.
    without : array of shape (n_features, n_rows)
        By the algorithm fitted without each of them.
    y_test : array of shape (n_rows,)
    """
    check_clonable(estimator)
    table, y = _table_and_target(X, y)
    check_test_sample(X_test, y_test)
    test, y_test = (table, y) if X_test is None else _table_and_target(X_test, y_test)
    names = column_names(table)
    if column_names(test) != names:
        raise ValueError(
            f"X_test has the columns {', '.join(column_names(test))}, X has {', '.join(names)}. "
            f"Pass the same columns in the same order."
        )
    seed = sklearn_seed(check_random_state(random_state))
    loss, n_jobs = default_loss(estimator) if loss is None else loss, check_jobs(n_jobs)

    def losses(algorithm, keep) -> np.ndarray:
        algorithm = on_fewer_columns(algorithm, table, keep)
        model = refit(algorithm, some_columns(table, keep), y, np.random.default_rng(seed))
        kept = some_columns(test, keep)
        return row_loss(model, kept, loss)(Coding(kept).values, y_test)

    if len(names) > 1:
        _refuse_places(estimator)
    features, start = range(len(names)), perf_counter()
    with_all = losses(estimator, features)
    seconds = (perf_counter() - start) * len(names) / effective_n_jobs(n_jobs or 1)
    rest = [[other for other in features if other != j] for j in features]
    if len(names) == 1:
        estimator, rest = _best_constant(estimator), [[0]]
    without = []
    try:
        with announced(seconds, len(rest), REFITS) as done:
            for one in each(losses, ((estimator, keep) for keep in rest), n_jobs):
                without.append(one)
                done(1)
    except Exception as error:  # each package has its own
        raise ValueError(
            f"The algorithm could be fitted to all features, but not without one of them: "
            f"{str(error).strip()}. "
            f"Let its steps choose their columns by type, with make_column_selector for instance."
        ) from error
    return with_all, np.array(without), y_test


def _table_and_target(X, y) -> tuple:
    table = as_table(X)
    return table, check_y(y, len(table))


def _refuse_places(estimator) -> None:
    """Raise if an estimator counts columns, which a table without one of them would shift."""
    for name, value in _counting_parameters(estimator):
        if _has_places(value):
            raise ValueError(
                f"{name} gives columns by position, {value!r}, and positions are others once a "
                f"column is left out, so that another algorithm would be fitted. Leave it out, "
                f"name the columns where that can be done, or use model_reliance, which fits "
                f"nothing again."
            )


def _counting_parameters(estimator, tried: bool = False) -> Iterator[tuple[str, object]]:
    """Parameters of an estimator and its parts that may give columns by position.

    `on_fewer_columns` does not look into what a search tries.
    """
    given = {"": estimator} | estimator.get_params()
    for name, value in given.items():
        last = name.split("__")[-1]
        if isinstance(value, OnColumns):
            yield "OnColumns", value.columns
        elif last in OTHERS or (last in COUNTED_ANEW and (tried or isinstance(value, str))):
            yield name, value
        elif last == "transformers" and tried:
            yield name, [choice for *_, choice in value]
        elif last in SEARCHED:
            for grid in [value] if isinstance(value, dict) else value or ():
                yield from _tried_parameters(grid)


def _tried_parameters(grid) -> Iterator[tuple[str, object]]:
    """Those in what a search tries; scikit-optimize writes a grid with a count behind it."""
    grid = grid[0] if isinstance(grid, tuple) else grid
    for name, values in grid.items() if isinstance(grid, dict) else ():
        if name.split("__")[-1] in (*COUNTED_ANEW, *OTHERS):
            yield name, values
        for one in values if isinstance(values, Iterable) else ():
            if name.split("__")[-1] == "transformers":
                yield name, [choice for *_, choice in one]
            elif hasattr(one, "get_params") and not isinstance(one, type):
                yield from _counting_parameters(one, tried=True)


def _has_places(value) -> bool:
    """Whether there is a number in a nested collection of columns, or in the text of one."""
    if isinstance(value, str):
        return any(map(str.isdigit, value)) and not any(map(str.isalpha, value))
    if isinstance(value, slice):
        value = [value.start, value.stop]
    if isinstance(value, Iterable):
        return any(map(_has_places, value))
    return isinstance(value, Number | np.bool_)


def _best_constant(estimator):
    return DummyClassifier(strategy="prior") if is_classifier(estimator) else DummyRegressor()
