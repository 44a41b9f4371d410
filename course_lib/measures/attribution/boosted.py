"""Shapley values of boosted trees: of scikit-learn's two kinds, XGBoost, LightGBM and CatBoost.

What boosted trees add up to is a score: the prediction of most regressors, its logarithm for
counts, and for a classifier the log-odds of the second of two classes or one score per class. The
score is what is explained, since probabilities are no sums of what trees put out.
"""

from collections.abc import Callable
from importlib import import_module

import numpy as np
from scipy.special import expit

from course_lib.measures.attribution.leaves import tree_values
from course_lib.measures.attribution.shap_trees import (
    as_shap_trees,
    in_common,
    quiet_shap,
    shap_values,
    single_precision,
)
from course_lib.models.boosters import (
    GRADIENT_BOOSTED,
    HIST_BOOSTED,
    hist_order,
    hist_rows,
    hist_trees,
    package_of,
)
from course_lib.models.wrappers import has_classes
from course_lib.tables import Coding
from course_lib.validation import check_X

TOLERANCE = 1e-3  # of the largest score: what single precision may add up to over many trees
ANY_MODEL = (
    "For any model use shapley_values(prediction_game(model.predict, x, background), n_features), "
    "and above 20 features sampled_shapley_values."
)

Explained = tuple[np.ndarray, np.ndarray]  # values (rows, features, scores), bases (scores,)


def score_values(model, X, background=None) -> Explained:
    """Shapley values of each score of a boosted model, for the rows of a table that it takes.

    They are refused if they do not add up to the scores that the model itself gives.

    Returns
    -------
    values : array of shape (n_samples, n_features, n_scores)
    base : array of shape (n_scores,)
    """
    if package_of(model) == "xgboost" and not hasattr(model, "get_booster"):
        raise TypeError(
            "A native Booster of XGBoost takes no table. Save it, and load it with "
            "XGBRegressor().load_model(file) or XGBClassifier().load_model(file)."
        )
    scores = raw_scores(model, X)
    if scores.shape[1] > 1 and not has_classes(model):
        raise ValueError(
            f"This {type(model).__name__} puts out {scores.shape[1]} scores and does not say what "
            f"they stand for. Fit the package's classifier (such as LGBMClassifier), which knows "
            f"its classes; of several targets fit one model for each."
        )
    values, base = _explainer(model)(model, X, background)
    scale = np.abs(scores).max() + np.ptp(scores)
    if np.abs(base + values.sum(axis=1) - scores).max() > TOLERANCE * scale:
        raise ValueError(
            f"The Shapley values read from this {type(model).__name__} do not add up to its own "
            f"scores, so they are not shown: it predicts otherwise than its trees tell. {ANY_MODEL}"
        )
    return values, base


def raw_scores(model, X) -> np.ndarray:
    """The scores of a boosted model before they become a prediction, shape (n_samples, n_scores).

    A regressor and a classifier of two classes have one.
    """
    options = {
        "xgboost": {"output_margin": True},
        "lightgbm": {"raw_score": True},
        "catboost": {"prediction_type": "RawFormulaVal"},
    }
    if package := package_of(model):
        scores = model.predict(X, **options[package])
    elif has_classes(model):
        scores = model.decision_function(X)
    else:
        scores = model.predict(X)
        if model.loss in ("poisson", "gamma"):
            scores = np.log(scores)
    return np.reshape(scores, (len(X), -1))


def score_in_words(model, X) -> str:
    """What the score is, as the end of a sentence; nothing if it is the prediction."""
    if has_classes(model) and len(model.classes_) > 2:
        return " of the raw score of a class"
    scores = raw_scores(model, X)[:, 0]
    if has_classes(model):  # some losses have another scale
        second = np.asarray(model.predict_proba(X))[..., -1]
        is_log_odds = np.allclose(expit(scores), second, atol=1e-5)
        return " of the log-odds" if is_log_odds else " of the raw score"
    return "" if np.allclose(scores, model.predict(X), rtol=1e-5) else " of the raw score"


def _explainer(model) -> Callable[..., Explained]:
    if isinstance(model, GRADIENT_BOOSTED):
        return _by_trees
    return _by_leaves if isinstance(model, HIST_BOOSTED) else _by_package


def _by_trees(model, X, background) -> Explained:
    """Regression trees like those of a forest, added to a first guess that has to be constant."""
    rows = single_precision(np.asarray(X, dtype=float))
    around = None if background is None else single_precision(np.asarray(background, dtype=float))
    per_score = model.estimators_.T
    added = [sum(model.learning_rate * tree.predict(rows) for tree in trees) for trees in per_score]
    first = raw_scores(model, X) - np.column_stack(added)
    if np.ptp(first, axis=0).max() > 1e-9 * max(np.abs(first).max(), 1.0):
        raise ValueError(
            f"This {type(model).__name__} starts from what another model predicts (init="
            f"{model.init_!r}), and that is no part of its trees. Fit it without init. {ANY_MODEL}"
        )
    explained = [
        shap_values(
            as_shap_trees(trees, model.learning_rate, lambda tree: tree.tree_.value[:, 0, 0]),
            rows,
            around,
        )
        for trees in per_score
    ]
    values, bases = zip(*explained, strict=True)
    return np.stack(values, axis=2), first[0] + bases


def _by_leaves(model, X, background) -> Explained:
    """The trees of HistGradientBoosting, which know categories."""
    rows = hist_rows(model, X)
    around = None if background is None else hist_rows(model, background)
    trees, first = hist_trees(model)
    values, base = np.zeros((*rows.shape, len(first))), first.copy()
    for iteration in trees:
        for k, tree in enumerate(iteration):
            gains, nobody = tree_values(tree, rows, around)
            values[..., k] += gains
            base[k] += nobody
    return values[:, np.argsort(hist_order(model))], base


def _by_package(model, X, background) -> Explained:
    """XGBoost, LightGBM and CatBoost solve the path-dependent game; shap reads their trees for the
    marginal one, if all splits are on numbers."""
    if background is None:
        values = _contributions(model, X)
        return values[:, :-1], values[0, -1]
    if not (Coding(X).is_numeric and Coding(background).is_numeric):
        raise TypeError(
            f"With a background, shap reads splits on numbers only, and the table of this "
            f"{type(model).__name__} has {Coding(X).in_words()}. Leave out the background for the "
            f"path-dependent game. {ANY_MODEL}"
        )
    rows, around = (check_X(table, allow_nan=True) for table in (X, background))
    values = _interventional(model, rows, around)
    return values, raw_scores(model, background).mean(axis=0)


def _contributions(model, X) -> np.ndarray:
    """What a package computes itself, of shape (rows, features and base, scores)."""
    package = package_of(model)
    if package == "lightgbm":
        try:
            values = np.asarray(model.predict(X, pred_contrib=True))
        except import_module(package).basic.LightGBMError as error:  # linear_tree=True
            raise ValueError(
                f"LightGBM cannot compute the values of this {type(model).__name__}; it says: "
                f"{error} {ANY_MODEL}"
            ) from None
        return values.reshape(len(X), -1, np.shape(X)[1] + 1).swapaxes(1, 2)
    if package == "catboost":
        pool = import_module(package).Pool(X, cat_features=model.get_cat_feature_indices())
        values = np.asarray(model.get_feature_importance(pool, type="ShapValues"))
    else:
        table = import_module(package).DMatrix(X, missing=model.missing, enable_categorical=True)
        best = getattr(model, "best_iteration", None) if model.early_stopping_rounds else None
        values = model.get_booster().predict(
            table,
            pred_contribs=True,
            validate_features=False,
            iteration_range=(0, 0 if best is None else best + 1),
        )
    return values[..., np.newaxis] if values.ndim == 2 else values.swapaxes(1, 2)


def _interventional(model, rows: np.ndarray, around: np.ndarray) -> np.ndarray:
    shap = quiet_shap()
    try:
        explainer = shap.TreeExplainer(
            model,
            shap.maskers.Independent(around, max_samples=len(around)),
            feature_perturbation="interventional",
        )
        if package_of(model) == "lightgbm":
            _keep_aside_what_is_common(explainer.model)
            rows, explainer.data = _as_places(explainer.model, rows, around)
        values = np.asarray(explainer.shap_values(rows, check_additivity=False))
    except Exception as error:  # of any kind: shap says in many ways what it does not read
        raise ValueError(
            f"shap cannot play the marginal game with this {type(model).__name__}; it says: "
            f"{str(error).splitlines()[0]} Leave out the background for the path-dependent game. "
            f"{ANY_MODEL}"
        ) from error
    return np.reshape(values, (*rows.shape, -1))


def _keep_aside_what_is_common(ensemble) -> None:
    """Take from shap's reading of trees what the leaves of a tree have in common: no gain has it,
    and in single precision the differences would be lost."""
    for values, left, n in zip(
        ensemble.values, ensemble.children_left, ensemble.num_nodes, strict=True
    ):
        leaves = values[:n][left[:n] < 0]
        values[:n] -= [in_common(column) for column in leaves.T]


def _as_places(ensemble, *tables: np.ndarray) -> list[np.ndarray]:
    """Tables, and the thresholds of shap's reading of trees, as places among the thresholds of
    their feature, in which a value is on the same side of each.

    With a background shap 0.51 rounds the thresholds to single precision, LightGBM does not.
    """
    coded, inner = [table.copy() for table in tables], ensemble.children_left >= 0
    on_categories = getattr(ensemble, "threshold_types", np.zeros_like(ensemble.features))
    for j in np.unique(ensemble.features[inner]):
        here = inner & (ensemble.features == j)
        if not on_categories[here].any():
            known, ensemble.thresholds[here] = np.unique(
                ensemble.thresholds[here], return_inverse=True
            )
            for column in (table[:, j] for table in coded):
                column[:] = np.where(np.isnan(column), column, np.searchsorted(known, column))
    return coded
