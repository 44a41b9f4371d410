"""Tree SHAP: the Shapley values of the predictions of trees, forests and boosted trees."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from sklearn.tree import BaseDecisionTree

from course_lib.measures.attribution.boosted import ANY_MODEL, score_in_words, score_values
from course_lib.measures.attribution.shap_trees import as_shap_trees, shap_values, single_precision
from course_lib.measures.attribution.tree_games import node_values, refuse_unexpected_nan
from course_lib.models.boosters import is_boosted, native_names
from course_lib.models.chains import Chain
from course_lib.models.wrappers import (
    FORESTS,
    explained_columns,
    has_classes,
    output_in_words,
    refuse_class,
)
from course_lib.questions import Q3
from course_lib.results import LocalImportances, how_many, rows_given
from course_lib.tables import (
    Coding,
    fitted_names,
    response_function,
    same_names,
    table_function,
)
from course_lib.validation import check_fitted, check_width, check_X, column_names, shortened


def tree_shap(
    model, X, *, background=None, output=None, columns: str = "given"
) -> LocalImportances:
    """Shapley values of the predictions of trees, computed by the shap package.

    Without a background the game is path-dependent (`tree_game`, summed over the trees): it
    needs no data and depends on the trees' shapes. With one it is the marginal game
    (`prediction_game`), which shap calls interventional. The result's `measure` says which.
    All rows of the background are used; shap itself would quietly take 100 of them. And every row
    takes the branches that it takes in the model: shap 0.51, given a background, rounds thresholds
    to single precision and may send a row down the wrong branch; its values are then off, and it
    stops ("Additivity check failed") only if a sum is off by more than 1 %. Here thresholds are
    rounded so that no row changes sides. With a background a tree may have up to 32768 nodes.

    Of boosted trees the score is explained, what the trees add up to: the prediction of most
    regressors, of a classifier the log-odds of the second of two classes, or one score per class.
    XGBoost, LightGBM and CatBoost compute the path-dependent values themselves, as shap would ask
    them to; HistGradientBoosting, whose splits on categories shap does not read, is solved here.

    Parameters
    ----------
    model : fitted decision tree, random forest, extra-trees or boosted trees
        Of scikit-learn, XGBoost, LightGBM or CatBoost. Or a fitted pipeline or search that ends
        with one.
    X : DataFrame or array of shape (n_samples, n_features)
    background : DataFrame or array of shape (n_rows, n_features), default=None
    output : class, default=None
        The class whose probability (of boosted trees: whose score) is explained, given by label
        or position; by default the second of two classes, and of more the one that is predicted
        for each row. A regressor takes None.
    columns : {"given", "transformed"}, default="given"
        Of a pipeline, the columns that it was given or those that the trees read. A given column
        has the sum of what is made of it, which is not quite what it would get as one player.

    Returns
    -------
    result : LocalImportances
        base + values.sum(axis=1) is the prediction (the probability of the class, the score). The
        cost for each row and tree is n_leaves x depth**2, or with a background n_rows x n_leaves.

    References
    ----------
    Lundberg et al. (2020), *From local explanations to global understanding with explainable AI
    for trees*; `000` section 5.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> bits = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> tree = DecisionTreeRegressor(random_state=0).fit(bits, [0, 0, 0, 1])
    >>> result = tree_shap(tree, [[1, 1]])
    >>> result.base, result.values
    (array([0.25]), array([[0.375, 0.375]]))
    """
    chain = Chain(model)
    table = chain.table(X)
    around = None if background is None else chain.table(background)
    values, base, what = _explainer(chain.model)(chain.model, table, around, output)
    names = _names(chain.model, X)
    values, names = chain.summed(values, columns, axis=1, names=names)
    game = "path-dependent" if background is None else "interventional"
    over = "" if around is None else f" over {how_many(len(around), 'background row')}"
    return LocalImportances(
        values,
        base,
        names,
        f"{game} tree SHAP{what}",
        Q3,
        loss=what.removeprefix(" of ") or output_in_words(chain.model, output),
        sample=rows_given(len(values)),
        repeats=f"exact{over}",
    )


def _names(model, X) -> tuple[str, ...]:
    """The names of the columns of X: of an array those that the model was fitted with, if any."""
    own = () if isinstance(X, pd.DataFrame) else fitted_names(model)
    return tuple(map(str, own)) or column_names(X)


Explained = tuple[np.ndarray, np.ndarray, str]  # values and base of each row, what is explained


def _explainer(model) -> Callable[..., Explained]:
    refuse_class(model)
    if isinstance(model, (*FORESTS, BaseDecisionTree)):
        explain = _forest_values
    elif is_boosted(model):
        explain = _boosted_values
    else:
        raise TypeError(
            f"tree_shap explains decision trees, random forests and extra-trees of scikit-learn, "
            f"and boosted trees of scikit-learn, XGBoost, LightGBM and CatBoost, got "
            f"{type(model).__name__}. {ANY_MODEL}"
        )
    check_fitted(model)
    return explain


def _forest_values(model, X, around, output) -> Explained:
    rows = _checked_rows(model, X)
    around = None if around is None else _checked_rows(model, around)
    explained = explained_columns(model, X if isinstance(X, pd.DataFrame) else rows, output)
    values, base = np.empty(rows.shape), np.empty(len(rows))
    trees = getattr(model, "estimators_", [model])
    for column in np.unique(explained):
        mine = explained == column
        readable = as_shap_trees(trees, 1 / len(trees), partial(node_values, column=column))
        values[mine], base[mine] = shap_values(readable, rows[mine], around)
    return values, base, ""


def _checked_rows(model, X) -> np.ndarray:
    """X as scikit-learn's trees read it, after the checks."""
    values = check_X(X, allow_nan=True)
    check_width(model, values.shape[1])
    response_function(model, X if isinstance(X, pd.DataFrame) else values)  # compares the names
    refuse_unexpected_nan(model, values)
    return single_precision(values)


def _boosted_values(model, X, around, output) -> Explained:
    """The score of the class that is explained in each row; the first of two has the negative."""
    table = _as_fitted(model, X)
    around = None if around is None else _as_fitted(model, around)
    explained = explained_columns(model, table, output)
    values, base = score_values(model, table, around)
    if values.shape[2] > 1 or not has_classes(model):
        values = np.take_along_axis(values, explained[:, np.newaxis, np.newaxis], axis=2)[..., 0]
        return values, base[explained], score_in_words(model, table)
    sign = np.where(explained == 1, 1.0, -1.0)
    return sign[:, np.newaxis] * values[..., 0], sign * base[0], score_in_words(model, table)


def _as_fitted(model, X):
    """X as the kind of table that the model was fitted with."""
    own = native_names(model)
    if own is not None:
        made_up = [[f"{word}{j}" for j in range(len(own))] for word in ("Column_", "x")]
        by_name = isinstance(X, pd.DataFrame) and own not in made_up
        if len(own) != np.shape(X)[1] or (by_name and not same_names(X.columns, own)):
            raise ValueError(
                f"X has {np.shape(X)[1]} features ({shortened(column_names(X))}), but this "
                f"{type(model).__name__} was fitted with {len(own)} ({shortened(own)}). Pass the "
                f"same columns in the same order."
            )
    coding = Coding(X)
    return table_function(model, X, coding)(coding.values)
