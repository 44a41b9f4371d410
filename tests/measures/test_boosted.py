"""Boosted trees: their Shapley values and what their splits gained (mirrors boosted.py, leaves.py).

Truths: the games by enumeration, recursion over the nodes, shap's own reading, and the packages'
own scores. XGBoost and CatBoost are tried where they are installed.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.linear_model import LinearRegression

from course_lib.measures import booster_importances, mdi, prediction_game, tree_shap
from course_lib.models import shapley_values
from course_lib.questions import Q4

RNG = np.random.default_rng(0)
N = 200
NUMBERS = pd.DataFrame(RNG.normal(size=(N, 4)), columns=list("abcd"))
TARGET = NUMBERS["a"] * NUMBERS["b"] + np.sin(NUMBERS["c"]) + 0.1 * RNG.normal(size=N)
TWO = np.where(TARGET > 0, "yes", "no")
THREE = np.array(["low", "mid", "high"])[np.digitize(TARGET, [-0.5, 0.5])]
MIXED = pd.DataFrame(
    {
        "size": NUMBERS["a"].where(RNG.random(N) > 0.2),
        "colour": pd.Categorical(RNG.choice(["red", "green", "blue", "grey"], N)),
        "rooms": RNG.integers(1, 5, N),
        "kind": pd.Categorical(RNG.choice(["x", "y", None], N)),
    }
)
MIXED_TARGET = (
    MIXED["size"].fillna(1.0) * (MIXED["colour"].isin(["red", "grey"]) - 0.3)
    + (MIXED["kind"] == "x") * MIXED["rooms"]
)
MIXED_THREE = np.array(["low", "mid", "high"])[np.digitize(MIXED_TARGET, [0.0, 1.0])]


def lightgbm(kind, **options):
    package = pytest.importorskip("lightgbm")
    options = {"n_estimators": 8, "num_leaves": 6, "min_child_samples": 5, "n_jobs": 1} | options
    return getattr(package, f"LGBM{kind}")(verbose=-1, **options)


def xgboost(kind, **options):
    package = pytest.importorskip("xgboost")
    options = {"n_estimators": 8, "max_depth": 3, "n_jobs": 1, "enable_categorical": True} | options
    return getattr(package, f"XGB{kind}")(**options)


def catboost(kind, **options):
    package = pytest.importorskip("catboost")
    options = {"iterations": 8, "depth": 3, "verbose": 0, "thread_count": 1} | options
    return getattr(package, f"CatBoost{kind}")(allow_writing_files=False, **options)


def gradient(kind, **options):
    kinds = {"Regressor": GradientBoostingRegressor, "Classifier": GradientBoostingClassifier}
    return kinds[kind](n_estimators=8, max_depth=3, random_state=0, **options)


def hist(kind, **options):
    kinds = {
        "Regressor": HistGradientBoostingRegressor,
        "Classifier": HistGradientBoostingClassifier,
    }
    return kinds[kind](
        **{"max_iter": 8, "max_leaf_nodes": 6, "min_samples_leaf": 5, "random_state": 0} | options
    )


MAKERS = {maker.__name__: maker for maker in (gradient, hist, lightgbm, xgboost, catboost)}
each_maker = pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
both_games = pytest.mark.parametrize("with_background", [False, True])


def label(model, k):
    return np.asarray(model.classes_).tolist()[k]


def raw_score(model, X, column=0):
    """The score of one class, by the words of each package."""
    words = {
        "XGB": {"output_margin": True},
        "LGBM": {"raw_score": True},
        "CatBoost": {"prediction_type": "RawFormulaVal"},
    }
    for start, options in words.items():
        if type(model).__name__.startswith(start):
            return np.reshape(model.predict(X, **options), (len(X), -1))[:, column]
    answer = model.decision_function if hasattr(model, "classes_") else model.predict
    return np.reshape(answer(X), (len(X), -1))[:, column]


# ---- what is explained adds up ----------------------------------------------------------------


@both_games
@each_maker
def test_values_of_a_regressor_add_up_to_its_prediction(maker, with_background):
    model = maker("Regressor").fit(NUMBERS, TARGET)
    background = NUMBERS[:20] if with_background else None
    result = tree_shap(model, NUMBERS[:30], background=background)
    total = result.base + result.values.sum(axis=1)
    np.testing.assert_allclose(total, model.predict(NUMBERS[:30]), atol=1e-5)
    assert (
        result.measure == f"{'interventional' if with_background else 'path-dependent'} tree SHAP"
    )


@both_games
@each_maker
def test_values_of_two_classes_add_up_to_the_log_odds_of_the_second(maker, with_background):
    y = (TWO == "yes").astype(int) if maker is xgboost else TWO
    model = maker("Classifier").fit(NUMBERS, y)
    background = NUMBERS[:20] if with_background else None
    result = tree_shap(model, NUMBERS[:30], background=background)
    total = result.base + result.values.sum(axis=1)
    np.testing.assert_allclose(total, raw_score(model, NUMBERS[:30]), atol=1e-5)
    proba = model.predict_proba(NUMBERS[:30])
    np.testing.assert_allclose(total, np.log(proba[:, 1] / proba[:, 0]), atol=1e-4)
    assert result.measure.endswith("tree SHAP of the log-odds")
    first = tree_shap(model, NUMBERS[:30], background=background, output=label(model, 0))
    np.testing.assert_allclose(first.values, -result.values)
    np.testing.assert_allclose(first.base, -result.base)


def test_a_score_that_is_no_log_odds_is_not_called_so():
    model = GradientBoostingClassifier(loss="exponential", n_estimators=3).fit(NUMBERS, TWO)
    assert tree_shap(model, NUMBERS[:3]).measure == "path-dependent tree SHAP of the raw score"


@each_maker
def test_of_three_classes_the_score_of_the_predicted_one_is_explained(maker):
    y = np.unique(THREE, return_inverse=True)[1] if maker is xgboost else THREE
    model = maker("Classifier").fit(NUMBERS, y)
    result = tree_shap(model, NUMBERS[:30])
    predicted = np.searchsorted(model.classes_, np.ravel(model.predict(NUMBERS[:30])))
    for k in range(3):
        mine = predicted == k
        total = (result.base + result.values.sum(axis=1))[mine]
        np.testing.assert_allclose(total, raw_score(model, NUMBERS[:30], k)[mine], atol=1e-5)
    chosen = tree_shap(model, NUMBERS[:30], output=label(model, 1))
    np.testing.assert_allclose(chosen.values[predicted == 1], result.values[predicted == 1])


# ---- the games themselves ------------------------------------------------------------------


@each_maker
def test_with_a_background_they_are_the_shapley_values_of_the_marginal_game(maker):
    model = maker("Regressor").fit(NUMBERS, TARGET)
    background = NUMBERS[50:60]
    result = tree_shap(model, NUMBERS[:3], background=background)
    for row, values in zip(NUMBERS[:3].to_numpy(), result.values, strict=True):
        game = prediction_game(model.predict, row, background)
        np.testing.assert_allclose(values, shapley_values(game, 4), atol=1e-5)


@pytest.mark.parametrize("target", [MIXED_TARGET, MIXED_THREE], ids=["number", "classes"])
def test_categories_and_missing_values_play_the_marginal_game(target):
    """shap does not read splits on categories; enumeration knows nothing of trees."""
    kind = "Classifier" if target is MIXED_THREE else "Regressor"
    model = hist(kind, max_iter=4).fit(MIXED, target)
    background = MIXED[50:62]
    output = "mid" if kind == "Classifier" else None
    result = tree_shap(model, MIXED[:4], background=background, output=output)

    def score(X):
        return raw_score(model, X, list(getattr(model, "classes_", ["mid"])).index("mid"))

    for i, values in enumerate(result.values):
        game = prediction_game(score, MIXED.iloc[i], background)
        np.testing.assert_allclose(values, shapley_values(game, 4), atol=1e-8)
        np.testing.assert_allclose(result.base[i], game(set()))


def test_nullable_numbers_are_read_as_numbers():
    numbers = NUMBERS.where(NUMBERS > NUMBERS.quantile(0.1))
    model = hist("Regressor", max_iter=4).fit(numbers, TARGET)
    found, wanted = (tree_shap(model, X[:9]) for X in (numbers.astype("Float64"), numbers))
    np.testing.assert_array_equal(found.values, wanted.values)


def by_recursion(nodes, sets, x, S, node=0):
    """The path-dependent worth of S, read off the nodes of one stored tree."""
    at = nodes[node]
    if at["is_leaf"]:
        return at["value"]
    value = x[at["feature_idx"]]
    if at["feature_idx"] in S:
        if np.isnan(value):
            left = at["missing_go_to_left"]
        elif at["is_categorical"]:
            left = int(sets[at["bitset_idx"]][int(value) // 32]) >> (int(value) % 32) & 1
        else:
            left = value <= at["num_threshold"]
        return by_recursion(nodes, sets, x, S, at["left"] if left else at["right"])
    return sum(
        nodes[child]["count"] / at["count"] * by_recursion(nodes, sets, x, S, child)
        for child in (at["left"], at["right"])
    )


def test_without_one_they_are_those_of_the_path_dependent_game():
    """By recursion over the nodes; categories come first in the stored trees."""
    model = hist("Regressor", max_iter=3).fit(MIXED, MIXED_TARGET)
    result = tree_shap(model, MIXED[:5])
    inner = model._preprocessor.transform(MIXED[:5])
    assert any(tree.nodes["is_categorical"].any() for (tree,) in model._predictors)

    def game(x):
        return lambda S: sum(
            by_recursion(tree.nodes, tree.raw_left_cat_bitsets, x, S)
            for (tree,) in model._predictors
        )

    for x, values in zip(inner, result.values, strict=True):
        colour, kind, size, rooms = shapley_values(game(x), 4)
        np.testing.assert_allclose(values, [size, colour, rooms, kind], atol=1e-10)


@pytest.mark.parametrize("kind", ["Regressor", "Classifier"])
@both_games
def test_on_numbers_shaps_own_reading_of_histograms_agrees(kind, with_background):
    shap = pytest.importorskip("shap")
    gaps = NUMBERS.mask(RNG.random(NUMBERS.shape) < 0.1)
    model = hist(kind, max_iter=12, max_leaf_nodes=12).fit(gaps, TARGET if kind[0] == "R" else TWO)
    rows, background = gaps[:25], gaps[40:60].fillna(0.0) if with_background else None
    game = {"feature_perturbation": "interventional" if with_background else "tree_path_dependent"}
    around = None if background is None else background.to_numpy()
    theirs = shap.TreeExplainer(model, around, **game).shap_values(rows.to_numpy())
    ours = tree_shap(model, rows, background=background)
    np.testing.assert_allclose(ours.values, theirs, atol=1e-6)


@pytest.mark.parametrize("maker", [lightgbm, xgboost, catboost])
def test_categories_of_other_packages_are_explained_by_their_paths(maker):
    table = MIXED
    if maker is catboost:
        table = MIXED.assign(
            **{c: MIXED[c].astype(object).fillna("none") for c in ("colour", "kind")}
        )
    options = {"cat_features": ["colour", "kind"]} if maker is catboost else {}
    model = maker("Regressor", **options).fit(table, MIXED_TARGET)
    result = tree_shap(model, table)
    total = result.base + result.values.sum(axis=1)
    np.testing.assert_allclose(total, model.predict(table), atol=1e-4)
    with pytest.raises(TypeError, match="colour, kind .no numbers.*Leave out the background"):
        tree_shap(model, table, background=table[:5])


def test_early_stopping_leaves_out_the_later_trees():
    model = xgboost("Regressor", n_estimators=200, early_stopping_rounds=1)
    model.fit(NUMBERS[:100], TARGET[:100], eval_set=[(NUMBERS[100:], TARGET[100:])], verbose=False)
    assert model.best_iteration < 150
    result = tree_shap(model, NUMBERS[:10])
    total = result.base + result.values.sum(axis=1)
    np.testing.assert_allclose(total, model.predict(NUMBERS[:10]), atol=1e-4)


def test_counts_are_explained_on_the_scale_of_their_logarithm():
    counts = RNG.poisson(np.exp(NUMBERS["a"]))
    model = hist("Regressor", loss="poisson").fit(NUMBERS, counts)
    result = tree_shap(model, NUMBERS[:10])
    total = result.base + result.values.sum(axis=1)
    np.testing.assert_allclose(total, np.log(model.predict(NUMBERS[:10])))
    assert result.measure == "path-dependent tree SHAP of the raw score"


# ---- refusals ---------------------------------------------------------------------------------


def test_a_first_guess_by_another_model_is_refused():
    model = GradientBoostingRegressor(n_estimators=3, init=LinearRegression()).fit(NUMBERS, TARGET)
    with pytest.raises(ValueError, match="starts from what another model predicts"):
        tree_shap(model, NUMBERS)


def test_values_that_do_not_add_up_are_not_shown():
    class Shifted(HistGradientBoostingRegressor):
        def predict(self, X):
            return super().predict(X) + 10.0

    model = Shifted(max_iter=3).fit(NUMBERS, TARGET)
    with pytest.raises(ValueError, match="do not add up to its own scores.*sampled_shapley_values"):
        tree_shap(model, NUMBERS)


def test_a_score_far_from_zero_keeps_its_differences():
    model = lightgbm("Regressor").fit(NUMBERS, 1e5 + TARGET)
    result = tree_shap(model, NUMBERS[:5], background=NUMBERS[:20])
    explained = result.base + result.values.sum(axis=1)
    np.testing.assert_allclose(explained, model.predict(NUMBERS[:5]), rtol=1e-12)


def test_lightgbm_takes_rows_next_to_its_thresholds_to_its_own_side():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 60, size=(300, 3)) / 10
    y = np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] / 10
    model = lightgbm("Regressor", num_leaves=15, min_child_samples=2).fit(X[::3], y[::3])
    result = tree_shap(model, X[:5], background=X[:60])
    for x, found in zip(X, result.values, strict=False):
        v = prediction_game(model.predict, x, X[:60])
        np.testing.assert_allclose(found, shapley_values(v, 3), atol=1e-6)


def test_with_a_background_lightgbm_takes_gaps_of_nullable_columns():
    gaps = NUMBERS.where(NUMBERS > -1.0)
    model = lightgbm("Regressor").fit(gaps, TARGET)
    by_nan, by_na = (
        tree_shap(model, X[:5], background=X[50:60]) for X in (gaps, gaps.convert_dtypes())
    )
    np.testing.assert_array_equal(by_nan.values, by_na.values)


def test_lightgbm_models_without_such_values_are_refused():
    package = pytest.importorskip("lightgbm")
    data = package.Dataset(NUMBERS, label=np.unique(THREE, return_inverse=True)[1])
    options = {"objective": "multiclass", "num_class": 3, "verbose": -1, "num_threads": 1}
    several = package.train(options, data, 2)
    for background in (None, NUMBERS):
        with pytest.raises(ValueError, match="puts out 3 scores"):
            tree_shap(several, NUMBERS[:3], background=background)
    with pytest.raises(ValueError, match="linear trees"):
        tree_shap(lightgbm("Regressor", linear_tree=True).fit(NUMBERS, TARGET), NUMBERS[:3])


def test_a_native_booster_of_xgboost_is_sent_to_the_estimators():
    kind = type("Booster", (), {"__module__": "xgboost.core", "feature_names": list("abcd")})
    kind.predict = lambda self, table: table
    with pytest.raises(TypeError, match=r"XGBRegressor\(\).load_model"):
        tree_shap(kind(), NUMBERS)


def test_a_native_booster_is_given_its_own_columns():
    model = lightgbm("Regressor").fit(NUMBERS, TARGET)
    assert tree_shap(model, NUMBERS.to_numpy()[:2]).feature_names == tuple("abcd")
    for columns in (["a", "b", "c"], ["d", "c", "b", "a"]):
        with pytest.raises(ValueError, match="same columns in the same order"):
            tree_shap(model.booster_, NUMBERS[columns])


def test_other_columns_than_those_of_the_model_are_refused():
    model = hist("Regressor").fit(NUMBERS, TARGET)
    with pytest.raises(ValueError, match="Pass the same columns in the same order"):
        tree_shap(model, NUMBERS[["b", "a", "c", "d"]])
    with pytest.raises(ValueError, match="X has 3 features"):
        tree_shap(model, NUMBERS[["a", "b", "c"]])
    with pytest.raises(ValueError, match="has not been fitted"):
        tree_shap(hist("Regressor"), NUMBERS)


# ---- what the splits gained -------------------------------------------------------------------


def named(model):
    return dict(zip(NUMBERS, booster_importances(model).importances_mean, strict=True))


def test_the_kinds_of_xgboost_are_its_scores_under_clear_names():
    model = xgboost("Regressor").fit(NUMBERS.assign(unused=1.0), TARGET)
    names = {
        "weight": "splits",
        "gain": "mean_gain",
        "total_gain": "total_gain",
        "cover": "mean_cover",
    }
    for theirs, ours in names.items():
        score = model.get_booster().get_score(importance_type=theirs)
        result = booster_importances(model, ours)
        np.testing.assert_allclose(
            result.importances_mean,
            [score.get(name, 0.0) for name in [*NUMBERS, "unused"]],
            rtol=1e-5,
        )
        assert result.question is Q4 and result.measure.startswith("XGBoost")
    assert booster_importances(model, "mean_gain").importances_mean[-1] == 0
    mean = booster_importances(model, "mean_gain").importances_mean
    np.testing.assert_allclose(mean / mean.sum(), model.feature_importances_, rtol=1e-5)


def test_the_kinds_of_lightgbm_are_its_importances_under_clear_names():
    model = lightgbm("Classifier").fit(NUMBERS, THREE)
    splits = booster_importances(model, "splits").importances_mean
    np.testing.assert_array_equal(splits, model.feature_importances_)
    gain = model.booster_.feature_importance("gain")
    np.testing.assert_allclose(booster_importances(model).importances_mean, gain)
    np.testing.assert_allclose(
        booster_importances(model, "mean_gain").importances_mean, gain / splits
    )
    native = booster_importances(model.booster_)
    assert native.feature_names == tuple(NUMBERS)
    np.testing.assert_allclose(native.importances_mean, gain)


def test_catboost_has_its_own_kind_alone():
    model = catboost("Regressor").fit(NUMBERS, TARGET)
    result = booster_importances(model, "prediction_change")
    np.testing.assert_allclose(result.importances_mean, model.get_feature_importance())
    np.testing.assert_allclose(result.importances_mean.sum(), 100)
    with pytest.raises(
        ValueError, match="CatBoost does not keep 'splits'.*it has prediction_change"
    ):
        booster_importances(model, "splits")


def test_the_gains_of_gradient_boosting_are_what_the_training_error_loses():
    """With squared error, steps of size 1 and no subsampling, the gains are the whole decrease."""
    model = GradientBoostingRegressor(n_estimators=5, learning_rate=1.0)
    model.fit(NUMBERS, TARGET)
    lost = np.sum((TARGET - TARGET.mean()) ** 2) - np.sum((TARGET - model.predict(NUMBERS)) ** 2)
    np.testing.assert_allclose(sum(named(model).values()), lost)
    shares = booster_importances(model).importances_mean / lost
    trees = [
        tree.tree_.compute_feature_importances(normalize=False) for (tree,) in model.estimators_
    ]
    np.testing.assert_allclose(shares, N * np.sum(trees, axis=0) / lost)


def test_the_gains_of_histograms_are_what_the_training_error_loses():
    """With squared error, steps of size 1 and no penalty the gain is twice the halved loss's."""
    model = HistGradientBoostingRegressor(max_iter=5, learning_rate=1.0, min_samples_leaf=1)
    model.fit(MIXED, MIXED_TARGET)
    lost = np.sum((MIXED_TARGET - MIXED_TARGET.mean()) ** 2) - np.sum(
        (MIXED_TARGET - model.predict(MIXED)) ** 2
    )
    gains = booster_importances(model)
    assert gains.feature_names == tuple(MIXED)
    np.testing.assert_allclose(gains.importances_mean.sum(), lost, rtol=1e-4)


def test_a_single_split_is_credited_to_its_column_wherever_categories_are_stored():
    y = MIXED["rooms"].gt(2).astype(float) * 5
    model = HistGradientBoostingRegressor(max_iter=1, max_leaf_nodes=2).fit(MIXED, y)
    splits = booster_importances(model, "splits")
    assert splits.importances_mean.tolist() == [0, 0, 1, 0]
    assert booster_importances(model, "mean_cover").importances_mean.tolist() == [0, 0, N, 0]


def test_kinds_and_models_that_mean_nothing_are_refused():
    model = lightgbm("Regressor").fit(NUMBERS, TARGET)
    with pytest.raises(ValueError, match="kind must be 'total_gain' or .*got 'gain'"):
        booster_importances(model, "gain")
    with pytest.raises(
        ValueError, match="LightGBM does not keep 'mean_cover'.*total_gain, mean_gain"
    ):
        booster_importances(model, "mean_cover")
    with pytest.raises(TypeError, match="got LinearRegression. For a forest use mdi"):
        booster_importances(LinearRegression().fit(NUMBERS, TARGET))
    with pytest.raises(ValueError, match="has not been fitted"):
        booster_importances(hist("Regressor"))
    with pytest.raises(TypeError, match=r"booster_importances\(model\) reads what their splits"):
        mdi(model)
