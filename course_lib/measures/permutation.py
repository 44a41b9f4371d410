"""Permutation importance: how much worse a model predicts once a column is scrambled.

Marginal (Q1), out of bag for each tree (Q1), conditional on the other columns (Q2), and the
importances of a twin without signal, to tell noise from harm.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.base import clone

from course_lib.measures.forests.bags import check_bags, in_bag_counts, out_of_bag_words
from course_lib.measures.scrambling import (
    Scrambler,
    as_table,
    batches,
    mean_increase,
    output_moves,
    read_answers,
)
from course_lib.models.losses import loss_in_words, prediction_loss
from course_lib.models.wrappers import refuse_several_targets
from course_lib.questions import Q1, Q2
from course_lib.results import Importances, how_many, rows_given
from course_lib.tables import response_function
from course_lib.validation import (
    check_count,
    check_random_state,
    check_X_y,
    check_y,
    column_names,
    feature_index,
    sklearn_seed,
)
from course_lib.worlds.samplers import conditional_sampler, draw_codes, fitted_sampler

FEWER = (
    "Fewer repeats (n_repeats) or a random sample of the rows take less time in proportion and "
    "give a larger standard error. n_jobs=-1 uses all cores."
)


def permutation_importance(
    model, X, y, *, loss=None, n_repeats: int = 10, n_jobs=None, random_state=None
) -> Importances:
    """Increase of the mean loss of a fitted model when one column of X is shuffled (`001`).

    PFI_j = 1/n sum_i [ L(y_i, f(x_i with x_j of row pi(i))) - L(y_i, f(x_i)) ],  pi at random

    A column that the model does not use gets exactly 0, however correlated it is. Shuffles keep
    a row's own value once in n on average, so their mean tends to (n-1)/n of the difference over
    all pairs, `model_reliance(..., as_ratio=False)`. Negative values are not errors: noise makes
    them, and a fixed model can be better off without a feature in the population too.

    Parameters
    ----------
    model : fitted model
    X : DataFrame or array of shape (n_samples, n_features)
        Columns may be of any kind that the model takes.
    y : array-like of shape (n_samples,)
    loss : callable, default=None
        ``loss(y, prediction)`` gives one value per row; squared error for regressors,
        cross-entropy for classifiers if None.
    n_repeats : int, default=10
        Shuffles of each column. Cost: n_repeats * n_features predictions of n rows.
    n_jobs : int, default=None
        Processes that predict, by joblib; the numbers do not depend on it.
    random_state : int, Generator or None

    Returns
    -------
    result : Importances
        One column per repeat.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.column_stack([np.arange(100.0), np.arange(100.0) ** 2])
    >>> model = LinearRegression().fit(X[:, [0]] * [1, 0], X[:, 0])  # reads x0 alone
    >>> pfi = permutation_importance(model, X, X[:, 0], n_repeats=3, random_state=0)
    >>> bool(pfi.importances_mean[0] > 0), float(pfi.importances_mean[1])
    (True, 0.0)
    """
    check_count(n_repeats, "n_repeats")
    rng = check_random_state(random_state)
    scrambler = Scrambler(model, X, y, loss, n_jobs=n_jobs)
    with scrambler.patience(n_repeats * scrambler.values.shape[1], FEWER):
        importances = _increases(scrambler, n_repeats, _shuffles(scrambler.values, rng))
    return Importances(
        importances,
        scrambler.names,
        "permutation importance  loss increase",
        Q1,
        **scrambler.said,
        repeats=how_many(n_repeats, "shuffle"),
        covers="the shuffling",
    )


def conditional_permutation_importance(
    model, X, y, *, sampler=None, loss=None, n_repeats: int = 10, n_jobs=None, random_state=None
) -> Importances:
    """Increase of the mean loss when a column is drawn again given all the others (CFI).

    CFI_j = 1/n sum_i [ L(y_i, f(x_i with x_j ~ P(X_j | X_rest = x_i,rest))) - L(y_i, f(x_i)) ]

    What the others tell about x_j stays in the data, so that only its unique information is
    lost. For a linear model at the truth in a linear-Gaussian world its expectation is
    2 b_j^2 Var(X_j | X_rest). A single feature has nothing to be given and is drawn from its
    marginal. A column that the model does not use gets exactly 0.

    Parameters
    ----------
    model, X, y, loss, n_repeats, n_jobs, random_state
        As in `permutation_importance`.
    sampler : sampler, default=None
        Fitted to X if it is not fitted, else used as it is; if None, GaussianSampler() for
        numbers, and ForestSampler() if X holds anything else or values are missing.

    Returns
    -------
    result : Importances
        One column per repeat.

    Examples
    --------
    The copy tells all about the original: nothing is lost.

    >>> from sklearn.linear_model import LinearRegression
    >>> twins = np.repeat(np.arange(20.0), 2).reshape(-1, 2)
    >>> model = LinearRegression().fit(twins, twins[:, 0])
    >>> cfi = conditional_permutation_importance(model, twins, twins[:, 0], random_state=0)
    >>> cfi.importances_mean.round(6) + 0.0
    array([0., 0.])
    """
    check_count(n_repeats, "n_repeats")
    rng = check_random_state(random_state)
    scrambler = Scrambler(model, X, y, loss, n_jobs=n_jobs)
    sampler = conditional_sampler(scrambler.coding) if sampler is None else sampler
    sampler = fitted_sampler(sampler, X)
    draws = _draws(sampler, scrambler, rng)
    with scrambler.patience(n_repeats * scrambler.values.shape[1], FEWER):
        importances = _increases(scrambler, n_repeats, draws)
    return Importances(
        importances,
        scrambler.names,
        "conditional permutation importance  loss increase",
        Q2,
        **scrambler.said,
        repeats=f"{how_many(n_repeats, 'draw')} by {type(sampler).__name__}",
        covers="the drawing",
    )


def oob_permutation_importance(
    forest, X, y, *, loss=None, n_repeats: int = 1, random_state=None
) -> Importances:
    """Breiman's importance: the increase of each tree's loss on its own out-of-bag rows (`004`).

    1/T sum_t [ Loss(tree_t, OOB_t with column j shuffled) - Loss(tree_t, OOB_t) ]

    An out-of-sample measure from the training sample alone. Breiman counts wrong votes:
    ``loss=zero_one``. (Fully grown trees answer probabilities 0 or 1, for which the default
    cross-entropy is that number times 36, the price of a certain error.)

    Parameters
    ----------
    forest : fitted random forest or extra trees of scikit-learn, with bootstrap=True
    X, y : the training sample of the forest, in its order
    loss : callable, default=None
        As in `permutation_importance`, of the answer of one tree.
    n_repeats : int, default=1
        Shuffles in each tree, of which the mean is taken.
    random_state : int, Generator or None

    Returns
    -------
    result : Importances
        One column per tree.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> X = np.column_stack([np.arange(50.0), np.zeros(50)])
    >>> forest = RandomForestRegressor(20, random_state=0).fit(X, X[:, 0])
    >>> oob = oob_permutation_importance(forest, X, X[:, 0], random_state=0)
    >>> oob.importances.shape, bool(oob.importances_mean[0] > 100), oob.importances_mean[1] == 0
    ((2, 20), True, np.True_)
    """
    check_count(n_repeats, "n_repeats")
    rng = check_random_state(random_state)
    check_bags(forest)
    counts = in_bag_counts(forest, X)
    refuse_several_targets(forest)
    row_loss, method = prediction_loss(forest, loss)
    response_function(forest, X, method)  # for its refusals
    values, y = check_X_y(X, y)
    per_tree = [
        _tree_increases(forest, tree.tree_, values[oob], y[oob], row_loss, method, n_repeats, rng)
        for tree, oob in zip(forest.estimators_, _out_of_bag(counts), strict=True)
    ]
    return Importances(
        np.column_stack(per_tree),
        column_names(X),
        "out-of-bag permutation importance  loss increase",
        Q1,
        loss=loss_in_words(forest, loss),
        **out_of_bag_words(len(per_tree)),
    )


def permutation_null(
    model,
    X,
    y,
    feature,
    *,
    loss=None,
    n_repeats: int = 100,
    n_shuffles: int = 10,
    X_test=None,
    y_test=None,
    random_state=None,
) -> Importances:
    """Importances of a twin of `feature` without signal: what noise alone can reach (`001`).

    Each time the column is shuffled, a clone of the model is refitted with it, and the
    permutation importance of that column in the new model is measured: the mean over
    `n_shuffles`, as `permutation_importance` does by default. A twin keeps the distribution of
    the feature and loses what it tells about y and about the other features.

    Parameters
    ----------
    model : scikit-learn estimator
        A model without a seed of its own gets one from `random_state`.
    X, y : the sample to refit to
    feature : name or position
    loss : callable, default=None
        As in `permutation_importance`.
    n_repeats : int, default=100
        Twins. Cost: n_repeats fits.
    n_shuffles : int, default=10
        Shuffles to measure each twin with: the n_repeats of the importance it is compared to.
    X_test, y_test : default=None
        Where the twins are measured (with the column shuffled there too); X and y if None. Use
        the sample on which the importance itself was measured.
    random_state : int, Generator or None

    Returns
    -------
    result : Importances
        One row, one column per twin.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.arange(40.0)[:, np.newaxis]
    >>> null = permutation_null(LinearRegression(), X, X[:, 0], "x0", n_repeats=5, random_state=0)
    >>> null.importances.shape
    (1, 5)
    """
    check_count(n_repeats, "n_repeats")
    check_count(n_shuffles, "n_shuffles")
    rng = check_random_state(random_state)
    X = as_table(X)
    y, names = check_y(y, len(X)), column_names(X)
    j = feature_index(feature, names)
    check_test_sample(X_test, y_test)
    importances = []
    for _ in range(n_repeats):
        X_twin = _with_shuffled_column(X, j, rng)
        twin = refit(model, X_twin, y, rng)
        if X_test is not None:
            X_twin = _with_shuffled_column(X_test, j, rng)
        scrambler = Scrambler(twin, X_twin, y if X_test is None else y_test, loss)
        shuffles = _shuffles(scrambler.values, rng)
        importances.append(_increases(scrambler, n_shuffles, shuffles, [j]).mean())
    return Importances(
        [importances],
        [names[j]],
        "permutation importance of a twin without signal  loss increase",
        Q1,
        loss=loss_in_words(model, loss),
        sample=refitted_words(len(X), None if X_test is None else len(y_test)),
        repeats=how_many(n_repeats, "twin"),
        covers="the shuffling and refitting of twins",
    )


def refitted_words(n_rows: int, n_test: int | None) -> str:
    """The sample of a measure that fits models itself, in words."""
    if n_test is None:
        return f"{rows_given(n_rows)}, fitted to them too"
    return f"{how_many(n_test, 'test row')}, fitted to {how_many(n_rows, 'row')}"


def check_test_sample(X_test, y_test) -> None:
    """Raise if only one of the two was passed."""
    if (X_test is None) != (y_test is None):
        raise ValueError(
            "X_test and y_test belong together, got only one of them. Pass both, or neither to "
            "measure on the sample that is fitted."
        )


def check_clonable(estimator) -> None:
    """Raise unless `estimator` can be cloned and fitted again."""
    if isinstance(estimator, type) or not (
        hasattr(estimator, "get_params") and hasattr(estimator, "fit")
    ):
        raise TypeError(
            f"The model must be a scikit-learn estimator, so that it can be cloned and fitted "
            f"again, got {estimator!r}. Pass for example LinearRegression()."
        )


def refit(estimator, X, y, rng: np.random.Generator):
    """A clone of `estimator` fitted to X and y; seeds that it leaves open are drawn from `rng`."""
    check_clonable(estimator)
    fresh = clone(estimator)
    open_seeds = [
        name
        for name, value in fresh.get_params().items()
        if name.split("__")[-1] == "random_state" and value is None
    ]
    return fresh.set_params(**{name: sklearn_seed(rng) for name in open_seeds}).fit(X, y)


Draw = Callable[[int, int], np.ndarray]  # (feature, r) -> array (r, n) of new columns


def _shuffles(values: np.ndarray, rng: np.random.Generator) -> Draw:
    return lambda j, r: rng.permuted(np.tile(values[:, j], (r, 1)), axis=1)


def _draws(sampler, scrambler: Scrambler, rng: np.random.Generator) -> Draw:
    """New columns from P(X_j | all the others)."""
    n, p = scrambler.values.shape

    def draw(j: int, r: int) -> np.ndarray:
        rest = [other for other in range(p) if other != j]
        rows = np.tile(scrambler.values, (r, 1))
        return draw_codes(sampler, scrambler.coding, rows, [j], rest, rng).reshape(r, n)

    return draw


def _increases(scrambler: Scrambler, n_repeats: int, draw: Draw, features=None) -> np.ndarray:
    """One row per feature, one column per repeat; the repeats are taken a batch at a time."""
    n, p = scrambler.values.shape
    features = range(p) if features is None else features
    pieces = [
        scrambler.increase({j: draw(j, piece.stop - piece.start) for j in features})
        for piece in batches(n_repeats, n)
    ]
    return np.concatenate(pieces, axis=1)


def _out_of_bag(counts: np.ndarray) -> list[np.ndarray]:
    """The rows that no draw of a tree has hit, tree by tree."""
    rows = [np.flatnonzero(count == 0) for count in counts.T]
    if min(map(len, rows)) == 0:
        raise ValueError(
            f"Some tree has no out-of-bag row to be measured on: the sample of "
            f"{len(counts)} rows is too small. Use more rows, or max_samples below 1."
        )
    return rows


def _tree_increases(forest, tree, values, y, row_loss, method, n_repeats, rng) -> np.ndarray:
    """The increase of one tree's mean loss on its rows, by feature, averaged over shuffles."""
    shuffles = _shuffles(values, rng)
    outputs = tree.predict(values.astype(np.float32))
    losses = row_loss(y, read_answers(forest, outputs, method))
    new = {j: shuffles(j, n_repeats) for j in range(values.shape[1])}
    answers = (read_answers(forest, outputs + m, method) for m in output_moves([tree], values, new))
    return np.array([mean_increase(row_loss, y, answer, losses).mean() for answer in answers])


def _with_shuffled_column(X, j: int, rng: np.random.Generator):
    """A copy of X with the values of column j in random order; a DataFrame stays one."""
    if not isinstance(X, pd.DataFrame):
        X = np.array(X)
        X[:, j] = rng.permutation(X[:, j])
        return X
    shuffled = X.copy()
    shuffled.isetitem(j, X.iloc[rng.permutation(len(X)), j].array)
    return shuffled
