"""Reliance of a model or an algorithm on a feature: the loss with the feature scrambled or left
out, compared with the loss as it is (`004`; Fisher, Rudin & Dominici 2019)."""

from dataclasses import replace

import numpy as np
import pandas as pd

from course_lib.measures.pairs import (
    all_increases,
    chimera_increase,
    chosen_pairs,
    imputed,
    linear_increase,
    n_distinct,
    pairs_in_words,
    sampled_increases,
    squared_error_coefficients,
    swapped_halves,
    unique_part,
)
from course_lib.measures.permutation import FEWER
from course_lib.measures.scrambling import Scrambler, as_table
from course_lib.models.columns import some_columns
from course_lib.questions import Q1, Q2, Q4, Question
from course_lib.results import Importances
from course_lib.tables import Coding
from course_lib.validation import (
    check_flag,
    check_weights,
    check_y,
    feature_indices,
)

HALVES = (
    'pairs="halves" needs two predictions of each row instead of all pairs, and '
    "permutation_importance(..., n_repeats=10) estimates the same difference with its standard "
    "error; so does pairs=20. n_jobs=-1 uses all cores."
)
CHIMERAS = (
    "features=[...] measures only some columns, a random sample of the rows costs with its square, "
    "and conditional_permutation_importance asks the same question by drawing. n_jobs=-1 uses all "
    "cores."
)


def model_reliance(
    model,
    X,
    y,
    *,
    loss=None,
    pairs: str | int | None = None,
    as_ratio: bool = True,
    sample_weight=None,
    n_jobs=None,
    random_state=None,
) -> Importances:
    """Model reliance: the loss with x_j taken from another row, compared with the loss (`004`).

    MR_j = e_switch / e_orig  (or e_switch - e_orig),
    e_switch = 1/(n(n-1)) sum over i != k of L(y_k, f(x_k with x_j of row i))

    Exact over all pairs or the halves: no random number is drawn. With the halves, e_divide, row i
    changes its value with row i + n/2 (Fisher et al. 2019, section 3). Where all pairs would take
    too long, each row meets some others, drawn at random, and the repeats show the error of that.

    Parameters
    ----------
    model : fitted model
    X : DataFrame or array of shape (n_samples, n_features)
        At least two rows. Columns may be of any kind that the model takes.
    y : array-like of shape (n_samples,)
    loss : callable, default=None
        ``loss(y, prediction)`` gives one value per row; squared error for regressors,
        cross-entropy for classifiers if None.
    pairs : {"all", "halves"} or int, default=None
        "all" is exact, whatever it takes. With "halves", the last row of an odd number is left
        out, of both losses. A number, such as 20: how many other rows each row meets, one column
        of the result for each. None means "all" up to 20 million predicted rows (1,000 rows with
        20 columns of distinct values), and for a linear model with squared error; else 20.
    as_ratio : bool, default=True
        Whether to divide by e_orig (1 means no reliance) or to subtract it (0 means none).
    sample_weight : array-like of shape (n_samples,), default=None
        How much the loss of each row counts in both means; the values that it gets come from all
        other rows alike.
    n_jobs : int, default=None
        Processes that predict, by joblib; the numbers do not depend on it.
    random_state : int, Generator or None
        Of the rows that meet, if they are drawn.

    Returns
    -------
    result : Importances
        A single column if the value is exact for the given data; else one for each partner.

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
    if pairs == "halves":
        X = as_table(X, min_rows=2)
        n = 2 * (len(X) // 2)
        y = check_y(y, len(X))[:n]
        if check_weights(sample_weight, len(X)) is not None:
            sample_weight = np.asarray(sample_weight)[:n]
        X = X.iloc[:n] if isinstance(X, pd.DataFrame) else X[:n]
    scrambler = Scrambler(model, X, y, loss, sample_weight=sample_weight, min_rows=2, n_jobs=n_jobs)
    pairs = chosen_pairs(pairs, scrambler, loss)
    increase = _switched_increases(scrambler, pairs, loss, random_state)
    name, scrambled = "model reliance", "e_divide" if pairs == "halves" else "e_switch"
    e_orig = scrambler.mean(scrambler.losses)
    return replace(
        as_reliance(increase, e_orig, y, scrambler.names, name, scrambled, Q1, as_ratio),
        **scrambler.said,
        **pairs_in_words(pairs),
    )


def _switched_increases(scrambler: Scrambler, pairs, loss, random_state) -> np.ndarray:
    """The increase of the mean loss by feature, and by partner if some are drawn."""
    p, b = len(scrambler.names), squared_error_coefficients(loss, scrambler)
    if pairs == "halves":
        new = {j: swapped_halves(scrambler, j) for j in range(p)}
        return scrambler.increase(new)
    if pairs != "all":
        with scrambler.patience(pairs * p, FEWER):
            return sampled_increases(scrambler, pairs, random_state)
    if b is not None:
        residuals = scrambler.y.astype(float) - scrambler.answers
        columns = zip(b, scrambler.values.T, strict=True)
        return np.array(
            [linear_increase(b_j, residuals, x, scrambler.weights) for b_j, x in columns]
        )
    with scrambler.patience(n_distinct(scrambler), HALVES):
        return all_increases(scrambler)


def conditional_model_reliance(
    model,
    X,
    y,
    *,
    imputer=None,
    loss=None,
    as_ratio: bool = True,
    features=None,
    sample_weight=None,
    n_jobs=None,
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
    X : DataFrame or array of shape (n_samples, n_features), at least two rows
        The features that are measured hold numbers, none of them missing; the others may be of
        any kind that model and imputer take.
    y : array-like of shape (n_samples,)
    imputer : scikit-learn regressor, default=None
        Cloned and fitted for each feature; least squares with intercept if None. A single
        feature has nothing to be predicted from: xhat is its mean.
    loss, as_ratio, sample_weight, n_jobs
        As in `model_reliance`; the imputer knows nothing of the weights.
    features : names or positions, default=None
        Those that are measured; all if None.

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
    measured = range(len(coding.names))
    if features is not None:
        measured = feature_indices(features, coding.names)
        if not measured:
            raise ValueError(
                "features is empty, so nothing would be measured. Name at least one, or leave it "
                "out for all."
            )
    _refuse_what_has_no_unique_part(coding, measured, imputer)
    scrambler = Scrambler(model, X, y, loss, sample_weight=sample_weight, min_rows=2, n_jobs=n_jobs)
    unique = {j: _unique_part(coding, X, j, imputer) for j in measured}
    b = squared_error_coefficients(loss, scrambler)
    if b is not None:
        residuals = scrambler.y.astype(float) - scrambler.answers
        weights = scrambler.weights
        increase = [linear_increase(b[j], residuals, unique[j], weights) for j in measured]
    else:
        with scrambler.patience((len(coding.values) - 1) * len(unique), CHIMERAS):
            increase = [chimera_increase(scrambler, j, unique[j]) for j in measured]
    name, names = "conditional model reliance", [coding.names[j] for j in measured]
    e_orig = scrambler.mean(scrambler.losses)
    result = as_reliance(increase, e_orig, y, names, name, "e_chimera", Q2, as_ratio)
    by = "least squares" if imputer is None else type(imputer).__name__
    return replace(result, **scrambler.said, repeats=f"exact over all pairs, imputer {by}")


def _refuse_what_has_no_unique_part(coding: Coding, measured, imputer) -> None:
    """Raise unless the measured columns, and without an imputer all columns, are numbers."""
    incomplete = coding.is_nominal | np.isnan(coding.values).any(axis=0)
    must_be_numbers = range(len(coding.names)) if imputer is None else measured
    if any(incomplete[j] for j in must_be_numbers):
        raise (ValueError if coding.is_numeric else TypeError)(
            f"Every column must hold numbers, none of them missing, since the unique part of one "
            f"row is added to the prediction of another; X has {coding.in_words()}. Use "
            f"conditional_permutation_importance, which draws columns of any kind; or choose "
            f"columns of numbers with features=, and an imputer that takes the others."
        )


def _unique_part(coding: Coding, X, j: int, imputer) -> np.ndarray:
    if coding.is_complete:
        return unique_part(coding.values, j, imputer)
    x, rest = coding.values[:, j], [k for k in range(len(coding.names)) if k != j]
    return x - imputed(x, some_columns(as_table(X), rest), imputer)


def _refuse_zero_loss(loss: float, scale: float) -> None:
    """Raise if a loss is zero, up to the rounding of numbers of this scale: no ratio over it."""
    if loss <= 1e-13 * scale:
        raise ValueError(
            "A reliance ratio divides by the loss, which is 0 here: the model predicts this y "
            "without error. Use as_ratio=False, or data the model was not fitted to."
        )


def as_reliance(increase, e_orig, y, names, name, scrambled, question: Question, as_ratio):
    """The increases of the mean loss as a result: a ratio to that loss, e_orig, or as they are.

    As 1 + increase / loss, so that a feature without any influence has a ratio of exactly 1."""
    check_flag(as_ratio, "as_ratio")
    increase = np.array(increase, dtype=float).reshape(len(names), -1)
    base = "loss with all" if question is Q4 else "e_orig"
    if not as_ratio:
        return Importances(increase, names, f"{name}  {scrambled} - {base}", question)
    numbers = np.asarray(y, dtype=float) if np.asarray(y).dtype.kind in "biuf" else np.zeros(1)
    _refuse_zero_loss(e_orig, max(np.abs(increase).max(), 1e-13 * (numbers**2).mean()))
    measure = f"{name}  {scrambled} / {base}"
    return Importances(1 + increase / e_orig, names, measure, question, reference=1.0)
