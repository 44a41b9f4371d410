"""The game that a tree plays about one prediction; `tree_shap` solves it for forests."""

import numpy as np
import pandas as pd
from sklearn.tree import BaseDecisionTree

from course_lib.measures.attribution.shap_trees import single_precision
from course_lib.models.games import BatchGame
from course_lib.models.wrappers import explained_columns, refuse_class
from course_lib.tables import fitted_names, response_function
from course_lib.validation import check_fitted, check_X, shortened


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
        Compared with thresholds in single precision, as scikit-learn does. A Series goes by its
        names if the tree has seen names.
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
    refuse_class(tree)
    if not isinstance(tree, BaseDecisionTree):
        raise TypeError(
            f"tree must be a fitted decision tree of scikit-learn, got {type(tree).__name__}. Of "
            f"a forest, pass one of its trees: forest.estimators_[0]."
        )
    check_fitted(tree)
    x = one_row(in_order(x, fitted_names(tree)), tree.n_features_in_, allow_nan=True)
    refuse_unexpected_nan(tree, x[np.newaxis])
    value = node_values(tree, explained_columns(tree, x[np.newaxis], output)[0])
    share, follows = _paths(tree.tree_, single_precision(x, "x"))
    is_leaf = tree.tree_.children_left == -1
    share, follows, value = share[is_leaf], follows[is_leaf], value[is_leaf]

    def path_dependent(members: np.ndarray) -> np.ndarray:
        return np.where(members[:, np.newaxis], follows, share).prod(axis=2) @ value

    return BatchGame(path_dependent, len(x), size=share.size)


def in_order(x, names: list):
    """A row whose values have names, in the order of these columns."""
    if not names or not isinstance(x, pd.Series | pd.DataFrame):
        return x
    labels = x.columns if isinstance(x, pd.DataFrame) else x.index
    texts, wanted = list(map(str, labels)), list(map(str, names))
    if sorted(texts) == sorted(wanted):
        places = [texts.index(name) for name in wanted]
        return x.iloc[:, places] if isinstance(x, pd.DataFrame) else x.iloc[places]
    if not all(isinstance(label, str) for label in [*labels, *names]):
        return x
    raise ValueError(
        f"x has the values {shortened(labels)}, but the columns are {shortened(names)}. Pass one "
        f"value for each of them."
    )


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


def node_values(tree, column: int) -> np.ndarray:
    """What each node of a tree predicts: its mean target, or the probability of one class."""
    value = tree.tree_.value[:, 0]
    return (value / value.sum(axis=1, keepdims=True) if hasattr(tree, "classes_") else value)[
        :, column
    ]


def refuse_unexpected_nan(model, X) -> None:
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


def one_row(x, n_features: int, *, allow_nan: bool = False) -> np.ndarray:
    """x as one row of numbers."""
    shape = np.shape(x)
    if shape not in ((n_features,), (1, n_features)):
        raise ValueError(
            f"x must be one row with {n_features} features, got shape {shape}. "
            f"Pass for example X[0] of an array or X.iloc[0] of a DataFrame."
        )
    return check_X(np.reshape(np.asarray(x), (1, -1)), allow_nan=allow_nan)[0]
