"""What boosted trees call importance, read from the model under names that say what is counted.

The packages use the same words for different things: "gain" is a mean per split in XGBoost and a
sum in LightGBM. All of them count what learning did on the training sample (Q4), as MDI does.

References
----------
Chen & Guestrin (2016), equation 7 (gain); Ke et al. (2017); Friedman (2001), section 8.1.
"""

import numpy as np

from course_lib.models.boosters import (
    GRADIENT_BOOSTED,
    HIST_BOOSTED,
    hist_order,
    hist_trees,
    is_boosted,
    native_names,
    package_of,
)
from course_lib.models.chains import Chain
from course_lib.models.wrappers import refuse_class
from course_lib.questions import Q4
from course_lib.results import Importances
from course_lib.validation import check_fitted, check_option

UNITS = {
    "total_gain": "decrease of the training objective, summed over its splits",
    "mean_gain": "decrease of the training objective, mean over its splits",
    "splits": "number of its splits",
    "mean_cover": "rows that reach one of its splits, weighted by curvature, mean over them",
    "prediction_change": "change of the prediction by its splits, in percent of all",
}

PARTS = {  # a kind is a sum, or one sum divided by another
    "total_gain": ("total_gain",),
    "mean_gain": ("total_gain", "splits"),
    "splits": ("splits",),
    "mean_cover": ("total_cover", "splits"),
    "prediction_change": ("prediction_change",),
}

Totals = dict[str, np.ndarray]  # "splits", "total_gain", "total_cover": one number per column


def booster_importances(model, kind: str = "total_gain", *, columns: str = "given") -> Importances:
    """Importances of boosted trees: what the splits on each feature gained, or how many there are.

    total_gain : sum over the splits on X_m of the decrease of the training objective; the nearest
                 relative of MDI (LightGBM's "gain", XGBoost's "total_gain")
    mean_gain  : the same per split (XGBoost's "gain", what its `feature_importances_` shows)
    splits     : how many splits there are (XGBoost's "weight", LightGBM's "split" and default)
    mean_cover : training rows that reach such a split, each weighted by the curvature of the loss
                 there; rows as they are in scikit-learn (XGBoost's "cover")

    They are about the training sample, and inherit the preference of MDI for columns with many
    values (lesson 02). The objective is a sum over the rows, not a mean, and has the package's own
    penalties in it: compare columns of one model, not models.

    Parameters
    ----------
    model : fitted boosted trees
        Of scikit-learn (GradientBoosting, HistGradientBoosting), XGBoost, LightGBM or CatBoost. Or
        a fitted pipeline or search that ends with them.
    kind : {"total_gain", "mean_gain", "splits", "mean_cover", "prediction_change"}
        LightGBM has no cover. CatBoost has only "prediction_change", its own default.
    columns : {"given", "transformed"}, default="given"
        As in `mdi`; a mean is taken over all splits on what is made of a given column.

    Returns
    -------
    result : Importances
        A single column. Not normalised. Cost: one pass over the trees.

    Examples
    --------
    One tree that splits once: three rows of 0 and one of 4 have a squared error of 12 to lose.

    >>> from sklearn.ensemble import GradientBoostingRegressor
    >>> X, y = [[0, 5], [0, 5], [0, 5], [1, 5]], [0.0, 0.0, 0.0, 4.0]
    >>> model = GradientBoostingRegressor(n_estimators=1, max_depth=1).fit(X, y)
    >>> booster_importances(model).importances_mean
    array([12.,  0.])
    """
    check_option(kind, "kind", tuple(UNITS))
    chain = Chain(model)
    model = chain.model
    refuse_class(model)
    if not is_boosted(model):
        raise TypeError(
            f"booster_importances reads boosted trees of scikit-learn, XGBoost, LightGBM or "
            f"CatBoost, got {type(model).__name__}. For a forest use mdi(forest), for any other "
            f"model permutation_importance(model, X, y)."
        )
    check_fitted(model)
    name, totals = _read(model)
    known = [one for one, parts in PARTS.items() if set(parts) <= set(totals)]
    if kind not in known:
        raise ValueError(
            f"{name} does not keep {kind!r} with its trees; it has {', '.join(known)}. Choose one "
            f"of those."
        )
    summed = [
        chain.summed(totals[part], columns, names=native_names(model)) for part in PARTS[kind]
    ]
    (values, names), *per = summed
    if per:
        values = values / np.maximum(per[0][0], 1)
    measure = f"{name} {kind.replace('_', ' ')}  {UNITS[kind]}"
    said = {"loss": UNITS[kind], "sample": "the rows it was grown on", "repeats": "exact"}
    return Importances(values[:, np.newaxis], names, measure, Q4, **said)


def _read(model) -> tuple[str, Totals]:
    """The name of the package, and sums over the splits on each column that it keeps."""
    if isinstance(model, GRADIENT_BOOSTED):
        return "GradientBoosting", _gradient_totals(model)
    if isinstance(model, HIST_BOOSTED):
        return "HistGradientBoosting", _hist_totals(model)
    if package_of(model) == "xgboost":
        return "XGBoost", _xgboost_totals(getattr(model, "get_booster", lambda: model)())
    if package_of(model) == "lightgbm":
        booster = getattr(model, "booster_", model)
        kinds = {"splits": "split", "total_gain": "gain"}
        return "LightGBM", {part: booster.feature_importance(k) for part, k in kinds.items()}
    change = model.get_feature_importance(type="PredictionValuesChange")
    return "CatBoost", {"prediction_change": np.asarray(change)}


def _xgboost_totals(booster) -> Totals:
    """XGBoost leaves out the columns that no split uses."""
    names = booster.feature_names or [f"f{j}" for j in range(booster.num_features())]
    kinds = {"splits": "weight", "total_gain": "total_gain", "total_cover": "total_cover"}
    found = {part: booster.get_score(importance_type=kind) for part, kind in kinds.items()}
    return {part: np.array([of.get(name, 0.0) for name in names]) for part, of in found.items()}


def _hist_totals(model) -> Totals:
    trees = [tree for iteration in hist_trees(model)[0] for tree in iteration]
    splits = [np.flatnonzero(tree.left >= 0) for tree in trees]

    def collected(name: str) -> np.ndarray:
        return np.concatenate([getattr(t, name)[s] for t, s in zip(trees, splits, strict=True)])

    place = hist_order(model)[collected("feature")]
    return _totals(place, collected("gain"), collected("weight"), model.n_features_in_)


def _gradient_totals(model) -> Totals:
    """Each tree is fitted to residuals by least squares: its gain is in their squares."""
    trees = [tree.tree_ for tree in model.estimators_.ravel()]
    error = [tree.weighted_n_node_samples * tree.impurity for tree in trees]
    splits = [np.flatnonzero(tree.children_left >= 0) for tree in trees]
    gain = [
        e[s] - e[tree.children_left[s]] - e[tree.children_right[s]]
        for tree, e, s in zip(trees, error, splits, strict=True)
    ]
    place = [tree.feature[s] for tree, s in zip(trees, splits, strict=True)]
    weight = [tree.weighted_n_node_samples[s] for tree, s in zip(trees, splits, strict=True)]
    return _totals(*map(np.concatenate, (place, gain, weight)), model.n_features_in_)


def _totals(place: np.ndarray, gain: np.ndarray, weight: np.ndarray, n_features: int) -> Totals:
    parts = {"splits": None, "total_gain": gain, "total_cover": weight}
    return {part: np.bincount(place, of, n_features) for part, of in parts.items()}
