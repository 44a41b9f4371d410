"""Permutation importance: how much worse a model predicts once a column is scrambled.

Marginal (Q1), out of bag for each tree (Q1), conditional on the other columns (Q2), and the
importances of a twin without signal.
"""

from functools import partial

import numpy as np
import pandas as pd

from course_lib.measures.forests.bags import check_bags, in_bag_counts, out_of_bag_words
from course_lib.measures.forests.moves import NewBlocks, output_moves, read_answers
from course_lib.measures.refitting import check_test_sample, refit, refitted_words
from course_lib.measures.responses import READ
from course_lib.measures.scrambling import (
    Scrambler,
    as_table,
    loss_changes,
)
from course_lib.measures.shuffling import drawer, few_valued, increases_of, shuffler
from course_lib.models.chains import Chain, answers_as_known
from course_lib.models.losses import loss_in_words, prediction_loss
from course_lib.models.wrappers import refuse_several_targets
from course_lib.patience import paced
from course_lib.questions import Q1, Q2
from course_lib.results import Importances, how_many
from course_lib.tables import response_function
from course_lib.validation import (
    check_count,
    check_option,
    check_random_state,
    check_weights,
    check_X_y,
    check_y,
    column_names,
    feature_index,
)
from course_lib.worlds.samplers import conditional_sampler, fitted_sampler

FEWER = (
    "Fewer repeats (n_repeats) or a random sample of the rows take less time in proportion and "
    "give a larger standard error. n_jobs=-1 uses all cores."
)

TWINS = "Fewer twins (n_repeats) take less time in proportion; so do fewer rows or a simpler model."


def permutation_importance(
    model,
    X,
    y,
    *,
    loss=None,
    n_repeats: int = 10,
    sample_weight=None,
    n_jobs=None,
    random_state=None,
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
        Shuffles of each column. Cost: n_repeats * n_features predictions of n rows; fewer for a
        column of few values, each of which is tried once in every row.
    sample_weight : array-like of shape (n_samples,), default=None
        How much the loss of each row counts in the mean. Values are shuffled among all rows
        alike, as in scikit-learn.
    n_jobs : int, default=None
        Processes that predict, by joblib (so also on its dask backend); the numbers do not
        depend on it.
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
    n_repeats = check_count(n_repeats, "n_repeats")
    rng = check_random_state(random_state)
    scrambler = Scrambler(model, X, y, loss, sample_weight=sample_weight, n_jobs=n_jobs)
    few = few_valued(scrambler, n_repeats)
    n_columns = sum(len(few.get(j, range(n_repeats))) for j in range(len(scrambler.names)))
    shuffled, patience = (
        shuffler(scrambler.values, rng),
        partial(scrambler.patience, n_columns, FEWER),
    )
    importances = increases_of(scrambler, n_repeats, shuffled, few=few, patience=patience)
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
    model,
    X,
    y,
    *,
    sampler=None,
    loss=None,
    n_repeats: int = 10,
    sample_weight=None,
    n_jobs=None,
    random_state=None,
) -> Importances:
    """Increase of the mean loss when a column is drawn again given all the others (CFI).

    CFI_j = 1/n sum_i [ L(y_i, f(x_i with x_j ~ P(X_j | X_rest = x_i,rest))) - L(y_i, f(x_i)) ]

    What the others tell about x_j stays in the data, so that only its unique information is
    lost. For a linear model at the truth in a linear-Gaussian world its expectation is
    2 b_j^2 Var(X_j | X_rest). A single feature has nothing to be given and is drawn from its
    marginal. A column that the model does not use gets exactly 0.

    Parameters
    ----------
    model, X, y, loss, n_repeats, sample_weight, n_jobs, random_state
        As in `permutation_importance`. The sampler knows nothing of the weights.
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
    n_repeats = check_count(n_repeats, "n_repeats")
    rng = check_random_state(random_state)
    scrambler = Scrambler(model, X, y, loss, sample_weight=sample_weight, n_jobs=n_jobs)
    sampler = conditional_sampler(scrambler.coding) if sampler is None else sampler
    sampler = fitted_sampler(sampler, X)
    drawn = drawer(sampler, scrambler, rng)
    patience = partial(scrambler.patience, n_repeats * len(scrambler.names), FEWER)
    importances = increases_of(scrambler, n_repeats, drawn, patience=patience, learns=True)
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
    forest,
    X,
    y,
    *,
    loss=None,
    n_repeats: int = 1,
    sample_weight=None,
    columns: str = "given",
    random_state=None,
) -> Importances:
    """The increase of each tree's loss on its own out-of-bag rows (`004`).

    1/T sum_t [ Loss(tree_t, OOB_t with column j shuffled) - Loss(tree_t, OOB_t) ]

    An out-of-sample measure from the training sample alone. R's randomForest does the same with
    ``scale = FALSE`` (else it divides by a standard error), and of classes it counts wrong votes of
    trees: ``loss=zero_one``. (Fully grown trees answer probabilities 0 or 1, for which the default
    cross-entropy is that number times 36, the price of a certain error.) Breiman (2001) let the
    trees vote before he counted.

    Parameters
    ----------
    forest : fitted random forest or extra trees of scikit-learn, with bootstrap=True
        Or a fitted pipeline or search that ends with one.
    X, y : the training sample of the forest, in its order
    loss : callable, default=None
        As in `permutation_importance`, of the answer of one tree.
    n_repeats : int, default=1
        Shuffles in each tree, of which the mean is taken.
    sample_weight : array-like of shape (n_samples,), default=None
        How much the loss of each row counts, as in `permutation_importance`.
    columns : {"given", "transformed"}, default="given"
        Of a pipeline, the columns that it was given or those that the forest reads.
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
    n_repeats = check_count(n_repeats, "n_repeats")
    rng = check_random_state(random_state)
    chain = Chain(forest)
    known = chain.is_plain and answers_as_known(chain.model)
    whole, forest = forest, check_bags(chain.model)
    if not known:
        raise ValueError(
            f"This {type(whole).__name__} answers otherwise than scikit-learn's, and its "
            f"trees, which are asked here, may not. Use permutation_importance on new rows."
        )
    X = chain.table(X)
    groups = chain.groups(columns, column_names(X))
    counts = in_bag_counts(forest, X)
    weights = check_weights(sample_weight, len(counts))
    refuse_several_targets(forest)
    row_loss, method = prediction_loss(forest, loss)
    response_function(forest, X, method)  # for its refusals
    check_option(method, "response_method of the loss", READ)
    values, y = check_X_y(X, y)
    weights = np.ones(len(y)) if weights is None else weights
    per_tree = []
    for tree, oob in zip(forest.estimators_, _out_of_bag(counts, weights), strict=True):
        new = _shuffled_blocks(values[oob], groups.values(), n_repeats, rng)
        changes = _tree_changes(forest, tree.tree_, values[oob], y[oob], row_loss, method, new)
        per_tree.append(np.average(changes, axis=1, weights=weights[oob]))
    return Importances(
        np.column_stack(per_tree),
        list(groups),
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
    the feature and loses what it tells about y and about the other features. The model hardly uses
    it. The importance of a column that the model relies on scatters more over samples, so a value
    outside of its twins may still be the luck of the rows: that takes an interval over rows.

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
    n_repeats = check_count(n_repeats, "n_repeats")
    n_shuffles = check_count(n_shuffles, "n_shuffles")
    rng = check_random_state(random_state)
    X = as_table(X)
    y, names = check_y(y, len(X)), column_names(X)
    j = feature_index(feature, names)
    check_test_sample(X_test, y_test)

    def importance_of_twin() -> float:
        X_twin = _with_shuffled_column(X, j, rng)
        twin = refit(model, X_twin, y, rng)
        if X_test is not None:
            X_twin = _with_shuffled_column(X_test, j, rng)
        scrambler = Scrambler(twin, X_twin, y if X_test is None else y_test, loss)
        shuffles = shuffler(scrambler.values, rng)
        return increases_of(scrambler, n_shuffles, shuffles, [j]).mean()

    return Importances(
        [paced(importance_of_twin, [()] * n_repeats, TWINS)],
        [names[j]],
        "permutation importance of a twin without signal  loss increase",
        Q1,
        loss=loss_in_words(model, loss),
        sample=refitted_words(len(X), None if X_test is None else len(y_test)),
        repeats=how_many(n_repeats, "twin"),
        covers="the shuffling and refitting of twins",
    )


def _out_of_bag(counts: np.ndarray, weights: np.ndarray) -> list[np.ndarray]:
    """The rows that count and that no draw of a tree has hit, tree by tree."""
    rows = [np.flatnonzero((count == 0) & (weights > 0)) for count in counts.T]
    if min(map(len, rows)) == 0:
        raise ValueError(
            f"Some tree has no out-of-bag row to be measured on: the sample of "
            f"{len(counts)} rows is too small. Use more rows, or max_samples below 1."
        )
    return rows


def _shuffled_blocks(values: np.ndarray, groups, n_repeats: int, rng) -> NewBlocks:
    """Columns that belong together, their rows shuffled together."""
    places = shuffler(np.arange(len(values))[:, np.newaxis], rng)
    return {
        k: (columns, values[places(0, n_repeats)][..., columns]) for k, columns in enumerate(groups)
    }


def _tree_changes(forest, tree, values, y, row_loss, method, new: NewBlocks) -> np.ndarray:
    """How one tree's loss changes in each of its rows, by block, averaged over shuffles."""
    outputs = tree.predict(values.astype(np.float32))
    losses = row_loss(y, read_answers(forest, outputs, method))
    answers = (read_answers(forest, outputs + m, method) for m in output_moves([tree], values, new))
    return np.array([loss_changes(row_loss, y, answer, losses).mean(axis=0) for answer in answers])


def _with_shuffled_column(X, j: int, rng: np.random.Generator):
    """A copy of X with the values of column j in random order; a DataFrame stays one."""
    if not isinstance(X, pd.DataFrame):
        X = np.array(X)
        X[:, j] = rng.permutation(X[:, j])
        return X
    shuffled = X.copy()
    shuffled.isetitem(j, X.iloc[rng.permutation(len(X)), j].array)
    return shuffled
