"""Reliance of a model or an algorithm on a feature: the loss with the feature scrambled or left
out, compared with the loss as it is (`004`; Fisher, Rudin & Dominici 2019)."""

from dataclasses import replace

import numpy as np
import pandas as pd
from sklearn.base import is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor

from course_lib.measures.permutation import (
    check_clonable,
    check_test_sample,
    refit,
    refitted_words,
)
from course_lib.measures.scrambling import Scrambler, as_table, batches
from course_lib.models.columns import on_fewer_columns
from course_lib.models.losses import default_loss, loss_in_words, row_loss, squared_error
from course_lib.models.wrappers import linear_coefficients
from course_lib.questions import Q1, Q2, Q4, Question
from course_lib.results import Importances
from course_lib.tables import Coding
from course_lib.validation import (
    check_flag,
    check_option,
    check_random_state,
    check_y,
    column_names,
    sklearn_seed,
)

HALVES = (
    'pairs="halves" needs two predictions of each row instead of all pairs, and '
    "permutation_importance(..., n_repeats=10) estimates the same difference with its standard "
    "error. n_jobs=-1 uses all cores."
)


def model_reliance(
    model, X, y, *, loss=None, pairs: str = "all", as_ratio: bool = True, n_jobs=None
) -> Importances:
    """Model reliance: the loss with x_j taken from another row, compared with the loss (`004`).

    MR_j = e_switch / e_orig  (or e_switch - e_orig),
    e_switch = 1/(n(n-1)) sum over i != k of L(y_k, f(x_k with x_j of row i))

    Exact: no random number is drawn. With the halves, e_divide, row i changes its value with row
    i + n/2 (Fisher et al. 2019, section 3).

    Parameters
    ----------
    model : fitted model
    X : DataFrame or array of shape (n_samples, n_features)
        At least two rows. Columns may be of any kind that the model takes.
    y : array-like of shape (n_samples,)
    loss : callable, default=None
        ``loss(y, prediction)`` gives one value per row; squared error for regressors,
        cross-entropy for classifiers if None.
    pairs : {"all", "halves"}, default="all"
        With "halves", the last row of an odd number is left out, of both losses.
    as_ratio : bool, default=True
        Whether to divide by e_orig (1 means no reliance) or to subtract it (0 means none).
    n_jobs : int, default=None
        Processes that predict, by joblib; the numbers do not depend on it.

    Returns
    -------
    result : Importances
        A single column: the value is exact for the given data.

    Notes
    -----
    Cost: n predictions of n rows for each feature, in batches, fewer if values repeat (each
    distinct value is tried once in all rows, and counts as often as it occurs; a row's own value
    adds nothing); 2 n rows with "halves". For a linear model with squared error the difference is
    2 b_j Cov(y - f(x), x_j) + 2 b_j^2 Var(x_j), with n-1 in both, and costs nothing; at the least
    squares fit it is 2 b_j^2 Var(x_j).

    Examples
    --------
    The residuals are 1, -1, 1, so e_orig = 1; they are uncorrelated with x, and b = Var(x) = 1.

    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = [[1.0], [2.0], [3.0]], [2.0, 1.0, 4.0]
    >>> f = LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0])
    >>> model_reliance(f, X, y).importances_mean.round(6)
    array([3.])
    """
    check_option(pairs, "pairs", ("all", "halves"))
    if pairs == "halves":
        X = as_table(X, min_rows=2)
        n = 2 * (len(X) // 2)
        y = check_y(y, len(X))[:n]
        X = X.iloc[:n] if isinstance(X, pd.DataFrame) else X[:n]
    scrambler = Scrambler(model, X, y, loss, min_rows=2, n_jobs=n_jobs)
    n, p = scrambler.values.shape
    b = _squared_error_coefficients(model, loss, scrambler)
    if pairs == "halves":
        increase = [scrambler.increase({j: _swap_halves(scrambler, j)})[0, 0] for j in range(p)]
    elif b is not None:
        residuals = scrambler.y - scrambler.answers
        increase = [linear_increase(b[j], residuals, scrambler.values[:, j]) for j in range(p)]
    else:
        n_distinct = sum(len(np.unique(column)) for column in scrambler.values.T)
        with scrambler.patience(n_distinct, HALVES):
            increase = [_switched_increase(scrambler, j) for j in range(p)]
    name, scrambled = "model reliance", "e_switch" if pairs == "all" else "e_divide"
    result = _reliance(
        increase, scrambler.losses, y, scrambler.names, name, scrambled, Q1, as_ratio
    )
    over = "all pairs of them" if pairs == "all" else "their two halves"
    return replace(result, **scrambler.said, repeats=f"exact over {over}")


def conditional_model_reliance(
    model, X, y, *, imputer=None, loss=None, as_ratio: bool = True
) -> Importances:
    """Conditional model reliance: the loss with only the unique part of x_j from another row.

    CMR_j = e_chimera / e_orig  (or e_chimera - e_orig),
    e_chimera = 1/(n(n-1)) sum over i != k of L(y_k, f(x_k with x_j = xhat_k + (x_i - xhat_i)))

    where xhat predicts x_j from the other features (`004`, question 2: the head of point i on the
    body of point k). A value of 1 may mean that the feature holds nothing of its own, or only
    that the model ignores it.

    Parameters
    ----------
    model : fitted model
    X : DataFrame or array of shape (n_samples, n_features), of numbers, at least two rows
    y : array-like of shape (n_samples,)
    imputer : scikit-learn regressor, default=None
        Cloned and fitted for each feature; least squares with intercept if None. A single
        feature has nothing to be predicted from: xhat is its mean.
    loss, as_ratio : as in `model_reliance`

    Returns
    -------
    result : Importances
        A single column: the value is exact for the given data.

    Notes
    -----
    Cost: n - 1 predictions of n rows for each feature, in batches; nothing for a linear model
    with squared error. With the default imputer its difference is 2 b_j bhat_j s_e^2, where bhat
    is the least squares fit and s_e^2 the variance of x_j - xhat (with n-1).

    Examples
    --------
    The copy has nothing of its own.

    >>> from sklearn.linear_model import LinearRegression
    >>> twins = np.array([[1.0, 1.0], [2.0, 2.0], [4.0, 4.0]])
    >>> f = LinearRegression().fit(twins, [1.0, 0.0, 2.0])
    >>> conditional_model_reliance(f, twins, [1.0, 0.0, 2.0]).importances_mean.round(6)
    array([1., 1.])
    """
    coding = Coding(X, min_rows=2)
    if not coding.is_complete:
        refusal = ValueError if coding.is_numeric else TypeError
        raise refusal(
            f"Every column must hold numbers, none of them missing, since the unique part of one "
            f"row is added to the prediction of another; X has {coding.in_words()}. Use "
            f"conditional_permutation_importance, which draws columns of any kind."
        )
    values = coding.values
    scrambler = Scrambler(model, X, y, loss, min_rows=2)
    p = values.shape[1]
    unique = [unique_part(values, j, imputer) for j in range(p)]
    b = _squared_error_coefficients(model, loss, scrambler)
    if b is not None:
        residuals = scrambler.y - scrambler.answers
        increase = [linear_increase(b[j], residuals, unique[j]) for j in range(p)]
    else:
        increase = [_chimera_increase(scrambler, j, unique[j]) for j in range(p)]
    name = "conditional model reliance"
    result = _reliance(
        increase, scrambler.losses, y, scrambler.names, name, "e_chimera", Q2, as_ratio
    )
    by = "least squares" if imputer is None else type(imputer).__name__
    return replace(result, **scrambler.said, repeats=f"exact over all pairs, imputer {by}")


def algorithm_reliance(
    estimator,
    X,
    y,
    *,
    X_test=None,
    y_test=None,
    loss=None,
    as_ratio: bool = True,
    random_state=None,
) -> Importances:
    """Algorithm reliance: the loss of the algorithm without feature j, compared with all of them.

    AR_j = Loss(A fitted without j) / Loss(A fitted to all)  (or the difference), `004` question 4

    It says whether the algorithm needs the feature, not whether one model uses it. Cost: one fit
    for each feature and one more.

    Parameters
    ----------
    estimator : scikit-learn estimator, fitted or not
        Only clones of it are fitted.
    X, y : the sample to fit to
    X_test, y_test : default=None
        The sample to measure the losses on; X and y if None, where leaving out a feature never
        helps least squares. Columns as in X.
    loss, as_ratio : as in `model_reliance`
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
        estimator, X, y, X_test=X_test, y_test=y_test, loss=loss, random_state=random_state
    )
    increase, name = (without - with_all).mean(axis=1), "algorithm reliance"
    names = column_names(as_table(X))
    result = _reliance(increase, with_all, y_test, names, name, "loss without it", Q4, as_ratio)
    return replace(
        result,
        loss=loss_in_words(estimator, loss),
        sample=refitted_words(len(as_table(X)), None if X_test is None else len(y_test)),
        repeats="one fit without each feature",
    )


def losses_without(
    estimator, X, y, *, X_test=None, y_test=None, loss=None, random_state=None
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
    loss = default_loss(estimator) if loss is None else loss

    def losses(algorithm, keep) -> np.ndarray:
        algorithm = on_fewer_columns(algorithm, table, keep)
        model = refit(algorithm, _columns(table, keep), y, np.random.default_rng(seed))
        kept = _columns(test, keep)
        return row_loss(model, kept, loss)(Coding(kept).values, y_test)

    features = range(len(names))
    with_all = losses(estimator, features)
    rest = [[other for other in features if other != j] for j in features]
    if len(names) == 1:
        estimator, rest = _best_constant(estimator), [[0]]
    try:
        return with_all, np.array([losses(estimator, keep) for keep in rest]), y_test
    except ValueError as error:
        raise ValueError(
            f"The algorithm could be fitted to all features, but not without one of them: {error} "
            f"Let its steps choose their columns by type, for instance (make_column_selector)."
        ) from error


def linear_increase(b_j: float, residuals: np.ndarray, part: np.ndarray) -> float:
    """Increase of the mean squared error of a linear model over all pairs of rows i != k when
    row k gets `part` of x_j from row i: 2 b_j Cov(residuals, part) + 2 b_j^2 Var(part)."""
    centred = part - part.mean()
    n = len(part)
    return 2 * b_j * (residuals @ centred + b_j * (centred @ centred)) / (n - 1)


def unique_part(values: np.ndarray, j: int, imputer=None, fit_intercept=True) -> np.ndarray:
    """x_j - xhat: what a regressor cannot tell about column j from the other columns.

    The default is least squares, with or without intercept, whatever the units of the columns.
    """
    x, rest = values[:, j], np.delete(values, j, axis=1)
    if imputer is None or rest.shape[1] == 0:
        if fit_intercept:
            x, rest = x - x.mean(), rest - rest.mean(axis=0)
        scale = np.linalg.norm(rest, axis=0)
        rest = rest / np.where(scale > 0, scale, 1.0)
        return x - rest @ np.linalg.lstsq(rest, x, rcond=None)[0]
    fitted_imputer = refit(imputer, rest, x, np.random.default_rng(0))
    return x - np.reshape(fitted_imputer.predict(rest), len(x))


def _refuse_zero_loss(loss: float, scale: float) -> None:
    """Raise if a loss is zero, up to the rounding of numbers of this scale: no ratio over it."""
    if loss <= 1e-13 * scale:
        raise ValueError(
            "A reliance ratio divides by the loss, which is 0 here: the model predicts this y "
            "without error. Use as_ratio=False, or data the model was not fitted to."
        )


def _reliance(increase, losses, y, names, name, scrambled, question: Question, as_ratio):
    """The increases of the mean loss as a result: a ratio to the mean of `losses`, or as they are.

    As 1 + increase / loss, so that a feature without any influence has a ratio of exactly 1."""
    check_flag(as_ratio, "as_ratio")
    increase, e_orig = np.array(increase, dtype=float), losses.mean()
    base = "loss with all" if question is Q4 else "e_orig"
    if not as_ratio:
        measure = f"{name}  {scrambled} - {base}"
        return Importances(increase[:, np.newaxis], names, measure, question)
    numbers = np.asarray(y, dtype=float) if np.asarray(y).dtype.kind in "biuf" else np.zeros(1)
    _refuse_zero_loss(e_orig, max(np.abs(increase).max(), 1e-13 * (numbers**2).mean()))
    ratio = 1 + increase / e_orig
    measure = f"{name}  {scrambled} / {base}"
    return Importances(ratio[:, np.newaxis], names, measure, question, reference=1.0)


def _squared_error_coefficients(model, loss, scrambler: Scrambler) -> np.ndarray | None:
    """The coefficients, if the model is linear in numbers and the loss is the squared error."""
    if loss not in (None, squared_error) or not scrambler.coding.is_complete:
        return None
    return linear_coefficients(model)


def _switched_increase(scrambler: Scrambler, j: int) -> float:
    """e_switch - e_orig: each distinct value in all rows, weighted by how often it occurs."""
    codes, distinct = pd.factorize(scrambler.values[:, j], use_na_sentinel=False)
    counts, n, total = np.bincount(codes), len(codes), 0.0
    for piece in batches(len(distinct), n):
        columns = np.repeat(distinct[piece, np.newaxis], n, axis=1)
        total += counts[piece] @ scrambler.increase({j: columns})[0]
    return total / (n - 1)


def _chimera_increase(scrambler: Scrambler, j: int, unique: np.ndarray) -> float:
    """e_chimera - e_orig: over all shifts, row k meets the unique part of each other row once."""
    n, total = len(unique), 0.0
    body = scrambler.values[:, j] - unique
    for piece in batches(n - 1, n):
        shifts = np.arange(piece.start, piece.stop)[:, np.newaxis] + 1
        heads = unique[(np.arange(n) + shifts) % n]
        total += scrambler.increase({j: body + heads}).sum()
    return total / (n - 1)


def _swap_halves(scrambler: Scrambler, j: int) -> np.ndarray:
    n = len(scrambler.y)
    return np.roll(scrambler.values[:, j], n // 2)[np.newaxis]


def _table_and_target(X, y) -> tuple:
    table = as_table(X)
    return table, check_y(y, len(table))


def _columns(table, keep):
    keep = list(keep)
    return table.iloc[:, keep] if isinstance(table, pd.DataFrame) else table[:, keep]


def _best_constant(estimator):
    return DummyClassifier(strategy="prior") if is_classifier(estimator) else DummyRegressor()
