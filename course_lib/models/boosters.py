"""Boosted trees seen from outside: which package made them, and what their nodes are.

scikit-learn has no public way to the trees of HistGradientBoosting. What is read here is stored
with the model, and shap reads the same.
"""

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)

from course_lib.validation import check_X

GRADIENT_BOOSTED = (GradientBoostingClassifier, GradientBoostingRegressor)
HIST_BOOSTED = (HistGradientBoostingClassifier, HistGradientBoostingRegressor)
PACKAGES = ("xgboost", "lightgbm", "catboost")


def package_of(model) -> str | None:
    """The package of boosted trees that a model, or the class it is made from, comes from."""
    origins = [kind.__module__.partition(".")[0] for kind in type(model).__mro__]
    return next((origin for origin in origins if origin in PACKAGES), None)


def is_boosted(model) -> bool:
    """Whether `model` is made of boosted trees, of scikit-learn or of another package."""
    return isinstance(model, (*GRADIENT_BOOSTED, *HIST_BOOSTED)) or package_of(model) is not None


def native_names(model) -> list[str] | None:
    """The names in a package's own booster; None for an estimator with scikit-learn's words."""
    if hasattr(model, "n_features_in_"):
        return None
    if package_of(model) == "lightgbm":
        return model.feature_name()
    return model.feature_names or [f"x{j}" for j in range(model.num_features())]


def is_as_made(model, kinds) -> bool:
    """Whether `model` is of one of these classes, and answers as the class does.

    A class made from one of them, or a method put into the model, may answer otherwise.
    """
    return type(model) in kinds and not {"predict", "predict_proba"} & vars(model).keys()


class Tree(NamedTuple):
    """The nodes of a binary tree, the root first; a leaf has -1 for children."""

    left: np.ndarray
    right: np.ndarray
    feature: np.ndarray
    value: np.ndarray
    weight: np.ndarray  # of the training rows in each node
    gain: np.ndarray  # of the split: by how much it lowers the objective of training
    goes_left: Callable[[int, np.ndarray], np.ndarray]  # (node, rows) -> whether each goes left


def hist_trees(model) -> tuple[list[list[Tree]], np.ndarray]:
    """The trees of a HistGradientBoosting model, by iteration and score, and the first guesses."""
    stored = model.__getstate__()
    trees = [[_tree(one) for one in iteration] for iteration in stored["_predictors"]]
    return trees, np.ravel(stored["_baseline_prediction"]).astype(float)


def hist_order(model) -> np.ndarray:
    """Which column of the table each feature of those trees was: categories come first."""
    nominal = model.is_categorical_
    return np.arange(model.n_features_in_) if nominal is None else np.argsort(~nominal, stable=True)


def hist_scores(model, X) -> np.ndarray:
    """What those trees sum up to, one column for each score."""
    return model._raw_predict(X)


def hist_answers(model, scores: np.ndarray, method: str) -> np.ndarray:
    """What the model answers by `method` where its trees sum up to these scores."""
    same = copy(model)
    same._raw_predict = lambda _: scores
    return getattr(same, method)(None)


def hist_part(model, columns):
    """The model with only those of its iterations that ask for one of these columns of X."""
    asked = np.flatnonzero(np.isin(hist_order(model), columns))
    part = copy(model)
    part._predictors = [
        trees for trees in model._predictors if any(_asks(tree, asked) for tree in trees)
    ]
    return part


def _asks(stored, features: np.ndarray) -> bool:
    splits = stored.nodes[stored.nodes["is_leaf"] == 0]
    return bool(np.isin(splits["feature_idx"], features).any())


def hist_rows(model, X) -> np.ndarray:
    """X as those trees read it, categories as codes."""
    encoder = model.__getstate__()["_preprocessor"]
    return check_X(X, allow_nan=True) if encoder is None else encoder.transform(X)


def _tree(stored) -> Tree:
    nodes, sets = stored.nodes, stored.raw_left_cat_bitsets
    is_leaf = nodes["is_leaf"].astype(bool)
    return Tree(
        left=np.where(is_leaf, -1, nodes["left"].astype(int)),
        right=np.where(is_leaf, -1, nodes["right"].astype(int)),
        feature=nodes["feature_idx"].astype(int),
        value=nodes["value"],
        weight=nodes["count"].astype(float),
        gain=nodes["gain"],
        goes_left=partial(_goes_left, nodes, sets),
    )


def _goes_left(nodes: np.ndarray, sets: np.ndarray, node: int, rows: np.ndarray) -> np.ndarray:
    """Which rows go left: smaller ones or certain categories; where missing ones go was learnt."""
    split, x = nodes[node], rows[:, nodes[node]["feature_idx"]]
    missing = np.isnan(x)
    if split["is_categorical"]:
        code = np.where(missing, 0, x).astype(int)
        left = sets[split["bitset_idx"]][code // 32] >> (code % 32) & 1 == 1
    else:
        left = x <= split["num_threshold"]
    return np.where(missing, bool(split["missing_go_to_left"]), left)
