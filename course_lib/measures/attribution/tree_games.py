"""The game that a tree plays about one prediction, and Tree SHAP, which solves it for forests."""

import warnings

import numpy as np
import pandas as pd
from sklearn.tree import BaseDecisionTree

from course_lib.models.games import BatchGame
from course_lib.models.wrappers import FORESTS, explained_columns, output_in_words
from course_lib.questions import Q3
from course_lib.results import LocalImportances, how_many, rows_given
from course_lib.tables import response_function
from course_lib.validation import (
    check_fitted,
    check_width,
    check_X,
    column_names,
)


def tree_game(tree, x, *, output=None) -> BatchGame:
    """The path-dependent game of one tree: where a feature is not known, go both ways.

    At a split on a feature in S, follow x. At any other split take the mean of both children,
    weighted by the training samples that went there. So

        v(S) = sum over leaves of  value * product over the splits above it of
               [x goes this way]  if the split's feature is in S,  else  n_child / n_split

    Its Shapley values are what Tree SHAP computes without background data. They depend on the
    tree's shape: two trees that compute the same function can play different games.

    Parameters
    ----------
    tree : fitted decision tree of scikit-learn
    x : array-like of shape (n_features,)
        Compared with thresholds in single precision, as scikit-learn does.
    output : class, default=None
        A classifier's worth is the probability of this class, given by label or position; by
        default the second of two classes, of more the predicted one. A regressor takes None.

    Returns
    -------
    v : callable
        frozenset of positions -> float. v(all) = the tree's prediction for x, v(none) = the value
        of the root. Costs n_leaves x n_features for each coalition.

    References
    ----------
    Lundberg et al. (2020), algorithm 1; `000` section 5.

    Examples
    --------
    AND of two fair bits: 1/4 without knowledge, 1 at (1, 1).

    >>> from sklearn.tree import DecisionTreeRegressor
    >>> bits = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> v = tree_game(DecisionTreeRegressor(random_state=0).fit(bits, [0, 0, 0, 1]), [1, 1])
    >>> v(set()), v({0}), v({1}), v({0, 1})
    (0.25, 0.5, 0.5, 1.0)
    """
    if not isinstance(tree, BaseDecisionTree):
        raise TypeError(
            f"tree must be a fitted decision tree of scikit-learn, got {type(tree).__name__}. Of "
            f"a forest, pass one of its trees: forest.estimators_[0]."
        )
    check_fitted(tree)
    x = one_row(x, tree.n_features_in_, allow_nan=True)
    _refuse_unexpected_nan(tree, x[np.newaxis])
    value = _node_values(tree, explained_columns(tree, x[np.newaxis], output)[0])
    share, follows = _paths(tree.tree_, x.astype(np.float32))
    is_leaf = tree.tree_.children_left == -1
    share, follows, value = share[is_leaf], follows[is_leaf], value[is_leaf]

    def path_dependent(members: np.ndarray) -> np.ndarray:
        return np.where(members[:, np.newaxis], follows, share).prod(axis=2) @ value

    return BatchGame(path_dependent, len(x), size=share.size)


def _paths(tree, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each node and feature, over the splits on that feature above the node: the product of
    the shares of samples that went towards the node, and whether x goes there each time."""
    share = np.ones((tree.node_count, len(x)))
    follows = np.ones((tree.node_count, len(x)))
    weight = tree.weighted_n_node_samples
    for node in np.flatnonzero(tree.children_left != -1):  # parents come before their children
        j, left, right = tree.feature[node], tree.children_left[node], tree.children_right[node]
        known = not np.isnan(x[j])
        goes_left = x[j] <= tree.threshold[node] if known else tree.missing_go_to_left[node]
        for child, goes in ((left, goes_left), (right, not goes_left)):
            share[child], follows[child] = share[node], follows[node]
            share[child, j] *= weight[child] / weight[node]
            follows[child, j] *= goes
    return share, follows


def _node_values(tree, column: int) -> np.ndarray:
    """What each node of a tree predicts: its mean target, or the probability of one class."""
    value = tree.tree_.value[:, 0]
    return (value / value.sum(axis=1, keepdims=True) if hasattr(tree, "classes_") else value)[
        :, column
    ]


def _refuse_unexpected_nan(model, X) -> None:
    """Missing values are for the trees that know a way for them; scikit-learn decides which."""
    incomplete = X[np.isnan(X).any(axis=1)]
    if len(incomplete):
        try:
            response_function(model, X)(incomplete)
        except ValueError:
            raise ValueError(
                f"{len(incomplete)} rows have missing values, for which this "
                f"{type(model).__name__} knows no way. Fill or drop them first."
            ) from None


def tree_shap(model, X, *, background=None, output=None) -> LocalImportances:
    """Shapley values of a forest's or tree's predictions, computed by the shap package.

    Without a background the game is path-dependent (`tree_game`, averaged over the trees): it
    needs no data and depends on the trees' shapes. With one it is the marginal game
    (`prediction_game`), which shap calls interventional. The result's `measure` says which.
    All rows of the background are used; shap itself would quietly take 100 of them.

    Parameters
    ----------
    model : fitted decision tree, random forest or extra-trees of scikit-learn
    X : DataFrame or array of shape (n_samples, n_features)
    background : DataFrame or array of shape (n_rows, n_features), default=None
    output : class, default=None
        The class whose probability is explained, given by label or position; by default the
        second of two classes, and of more the one that is predicted for each row. A regressor
        takes None.

    Returns
    -------
    result : LocalImportances
        base + values.sum(axis=1) is the prediction (the probability of the class). The cost for
        each row and tree is n_leaves x depth**2, or with a background n_rows x n_leaves.

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
    if not isinstance(model, (*FORESTS, BaseDecisionTree)):
        raise TypeError(
            f"tree_shap explains decision trees, random forests and extra-trees of scikit-learn, "
            f"got {type(model).__name__}. For another model use "
            f"shapley_values(prediction_game(model.predict, x, background), n_features)."
        )
    check_fitted(model)
    rows = _single_precision(model, X)
    around = None if background is None else _single_precision(model, background)
    columns = explained_columns(model, X if isinstance(X, pd.DataFrame) else rows, output)
    values, base = np.empty(rows.shape), np.empty(len(rows))
    for column in np.unique(columns):
        mine = columns == column
        values[mine], base[mine] = _shap_values(model, column, rows[mine], around)
    game = "path-dependent" if around is None else "interventional"
    over = "" if around is None else f" over {how_many(len(around), 'background row')}"
    return LocalImportances(
        values,
        base,
        column_names(X),
        f"{game} tree SHAP",
        Q3,
        loss=output_in_words(model, output),
        sample=rows_given(len(rows)),
        repeats=f"exact{over}",
    )


def _shap_values(model, column: int, rows: np.ndarray, around) -> tuple[np.ndarray, float]:
    """Shapley values of one output for each row, and the base they start from."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its dependencies, nothing a reader could act on
        import shap  # heavy, so only here

    explainer = shap.TreeExplainer(
        _as_shap_trees(model, column),
        None if around is None else shap.maskers.Independent(around, max_samples=len(around)),
        feature_perturbation="tree_path_dependent" if around is None else "interventional",
    )
    values = explainer.shap_values(rows, check_additivity=False)
    return np.reshape(values, rows.shape), float(np.ravel(explainer.expected_value)[0])


def _single_precision(model, X) -> np.ndarray:
    """X rounded as scikit-learn's trees round it, after the checks."""
    values = check_X(X, allow_nan=True)
    check_width(model, values.shape[1])
    response_function(model, X if isinstance(X, pd.DataFrame) else values)  # compares the names
    _refuse_unexpected_nan(model, values)
    return values.astype(np.float32).astype(float)


def _as_shap_trees(model, column: int) -> dict:
    """The trees in shap's own format, with the one output that is explained.

    The weights are copied, since shap overwrites them with those of the background.
    """
    trees = getattr(model, "estimators_", [model])
    return {
        "input_dtype": np.float32,
        "trees": [
            {
                "children_left": tree.tree_.children_left,
                "children_right": tree.tree_.children_right,
                "children_default": np.where(
                    tree.tree_.missing_go_to_left,
                    tree.tree_.children_left,
                    tree.tree_.children_right,
                ),
                "features": tree.tree_.feature,
                "thresholds": _round_down(tree.tree_.threshold),
                "values": _node_values(tree, column)[:, np.newaxis] / len(trees),
                "node_sample_weight": tree.tree_.weighted_n_node_samples.copy(),
            }
            for tree in trees
        ],
    }


def _round_down(threshold: np.ndarray) -> np.ndarray:
    """The largest single-precision numbers that do not exceed the thresholds.

    Single-precision data cannot tell them from the thresholds. shap rounds to the nearest, which
    sends a value that lies just above a threshold to the wrong side.
    """
    nearest = threshold.astype(np.float32)
    below = np.nextafter(nearest, np.float32(-np.inf))
    return np.where(nearest > threshold, below, nearest).astype(float)


def one_row(x, n_features: int, *, allow_nan: bool = False) -> np.ndarray:
    """x as one row of numbers."""
    shape = np.shape(x)
    if shape not in ((n_features,), (1, n_features)):
        raise ValueError(
            f"x must be one row with {n_features} features, got shape {shape}. "
            f"Pass for example X[0] of an array or X.iloc[0] of a DataFrame."
        )
    return check_X(np.reshape(np.asarray(x), (1, -1)), allow_nan=allow_nan)[0]
