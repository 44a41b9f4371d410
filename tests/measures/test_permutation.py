"""Permutation importance against closed forms and an independent implementation."""

import tracemalloc
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.inspection import permutation_importance as sklearn_permutation_importance
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeRegressor

from course_lib.measures import (
    conditional_permutation_importance,
    model_reliance,
    oob_permutation_importance,
    permutation_importance,
    permutation_null,
)
from course_lib.measures.scrambling import MAX_ROWS, Scrambler
from course_lib.models import OnColumns, absolute_error, cross_entropy, squared_error, zero_one
from course_lib.questions import Q1, Q2
from course_lib.worlds import GaussianSampler, MarginalSampler

MEASURES = (permutation_importance, conditional_permutation_importance)


@pytest.fixture
def linear_data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    X[:, 1] += X[:, 0]
    return X, X @ [2.0, -1.0, 0.0] + rng.normal(size=60)


@pytest.fixture
def mixed_data():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 60, 80),
            "town": rng.choice(["A", "B", "C"], 80),
            "height": rng.normal(size=80),
            "married": rng.random(80) < 0.5,
        }
    )
    y = X["age"] / 10 + (X["town"] == "A") + rng.normal(size=80)
    pipeline = make_pipeline(
        make_column_transformer(
            (OneHotEncoder(), ["town"]), (StandardScaler(), ["age", "height", "married"])
        ),
        LinearRegression(),
    )
    return pipeline.fit(X, y), X, y


def within_errors(result, expected, n_errors=4.5):
    standard_error = result.importances.std(axis=1, ddof=1) / np.sqrt(result.importances.shape[1])
    return np.all(np.abs(result.importances_mean - expected) <= n_errors * standard_error + 1e-12)


def test_shuffles_tend_to_the_closed_form_of_least_squares(linear_data):
    """2 b_j^2 s_j^2 (n-1)/n, that is with the variance that divides by n."""
    X, y = linear_data
    model = LinearRegression().fit(X, y)
    result = permutation_importance(model, X, y, n_repeats=800, random_state=0)
    assert within_errors(result, 2 * model.coef_**2 * X.var(axis=0))
    assert result.question is Q1 and result.reference == 0


def test_shuffles_tend_to_n_minus_1_over_n_of_all_pairs_for_any_model(linear_data):
    X, y = linear_data
    X, y = X[:12], y[:12]  # few rows, so that 11/12 differs from 1
    model = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    result = permutation_importance(model, X, y, n_repeats=4000, random_state=0)
    pairs = model_reliance(model, X, y, as_ratio=False).importances_mean
    assert within_errors(result, pairs * 11 / 12)
    assert not within_errors(result, pairs)


def test_agrees_with_scikit_learn_on_the_same_forest_up_to_noise(linear_data):
    X, y = linear_data
    forest = RandomForestRegressor(20, random_state=0).fit(X, y)
    ours = permutation_importance(forest, X, y, n_repeats=200, random_state=0)
    theirs = sklearn_permutation_importance(
        forest, X, y, scoring="neg_mean_squared_error", n_repeats=200, random_state=0
    )
    error = np.hypot(ours.importances_std, theirs.importances_std) / np.sqrt(200)
    assert np.all(np.abs(ours.importances_mean - theirs.importances_mean) < 4.5 * error)


@pytest.mark.parametrize(
    ("model", "loss"),
    [
        (LinearRegression(), None),
        (LinearRegression(), absolute_error),
        (RandomForestRegressor(10, random_state=0), None),
        (RandomForestRegressor(10, max_depth=2, random_state=0), absolute_error),
        (RandomForestClassifier(10, random_state=0), None),
        (RandomForestClassifier(10, min_samples_leaf=5, random_state=0), cross_entropy),
        (ExtraTreesClassifier(10, random_state=0), zero_one),
        (RandomForestClassifier(10, random_state=0), zero_one),
    ],
)
def test_the_fast_ways_give_what_plain_predictions_give(linear_data, model, loss):
    X, y = linear_data
    y = np.array(["no", "yes"])[(y > 0).astype(int)] if hasattr(model, "predict_proba") else y
    model.fit(X, y)
    scrambler = Scrambler(model, X, y, loss)
    rng = np.random.default_rng(3)
    new = {j: rng.permuted(np.tile(X[:, j], (4, 1)), axis=1) for j in (2, 0)}
    expected = []
    for j, columns in new.items():
        for column in columns:
            X_new = X.copy()
            X_new[:, j] = column
            if loss is zero_one:
                rows = zero_one(y, model.predict(X_new))
            elif hasattr(model, "predict_proba"):
                rows = cross_entropy(y, model.predict_proba(X_new))
            else:
                rows = (loss or squared_error)(y, model.predict(X_new))
            expected.append(rows.mean() - scrambler.losses.mean())
    np.testing.assert_allclose(scrambler.increase(new).ravel(), expected, rtol=1e-9, atol=1e-12)


def test_batches_do_not_change_the_values(linear_data, monkeypatch):
    X, y = linear_data
    for model in (LinearRegression().fit(X, y), DecisionTreeRegressor(random_state=0).fit(X, y)):
        whole = permutation_importance(model, X, y, n_repeats=1, random_state=0).importances
        monkeypatch.setattr("course_lib.measures.scrambling.MAX_ROWS", 60)
        first = permutation_importance(model, X, y, n_repeats=3, random_state=0).importances[:, :1]
        monkeypatch.undo()
        np.testing.assert_array_equal(first, whole)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(
    "model",
    [
        Lasso(alpha=0.1),
        RandomForestRegressor(10, random_state=0),
        GradientBoostingRegressor(n_estimators=10, random_state=0),
        LogisticRegression(C=0.1, solver="liblinear"),
    ],
)
def test_a_feature_the_model_does_not_use_gets_exactly_0_however_correlated(measure, model):
    rng = np.random.default_rng(0)
    x = rng.normal(size=203)
    twin = x + 0.01 * rng.normal(size=203)
    X = np.column_stack([x, twin, *rng.normal(size=(5, 203))])
    y = (x > 0).astype(int) if hasattr(model, "predict_proba") else x
    unused = OnColumns(model.fit(X[:, [0, *range(2, 7)]], y), [0, *range(2, 7)])
    result = measure(unused, X, y, n_repeats=7, random_state=0)
    assert np.all(result.importances[1] == 0)
    assert np.all(result.importances[0] != 0)


def test_a_fixed_model_can_have_negative_importance_in_the_population():
    """corr .9, y = x1 + x2, f = -.2 x1 + 1.9 x2: 2 b_1 Cov(y - b_2 x2, x1) = -.076."""
    rho, b = 0.9, np.array([-0.2, 1.9])
    root = np.linalg.cholesky([[1, rho], [rho, 1]])
    X = np.random.default_rng(0).normal(size=(20_000, 2)) @ root.T
    model = LinearRegression().fit(X, X @ b)
    population = 2 * b[0] * (1 + rho - b[1] * rho)
    assert population == pytest.approx(-0.076)
    result = permutation_importance(model, X, X.sum(axis=1), n_repeats=20, random_state=0)
    assert result.importances_mean[0] == pytest.approx(population, abs=0.01)
    assert result.interval()[0, 1] < 0


def test_conditional_importance_of_least_squares_is_its_unique_variance():
    """E CFI_j = 2 b_j^2 Var(X_j | rest) at the truth in a Gaussian world."""
    rho, b = 0.8, np.array([1.0, -2.0])
    covariance = np.array([[1, rho], [rho, 1]])
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 2)) @ np.linalg.cholesky(covariance).T
    model = LinearRegression().fit(X, X @ b)
    y = X @ b + rng.normal(size=4000)
    world = GaussianSampler.from_moments([0, 0], covariance)
    result = conditional_permutation_importance(
        model, X, y, sampler=world, n_repeats=30, random_state=0
    )
    expected = 2 * b**2 * (1 - rho**2)
    np.testing.assert_allclose(result.importances_mean, expected, rtol=5 / np.sqrt(4000))
    marginal = permutation_importance(model, X, y, random_state=0).importances_mean
    assert np.all(marginal > result.importances_mean)
    assert result.question is Q2


def test_duplicates_have_no_conditional_importance_but_a_marginal_one():
    x = np.random.default_rng(0).normal(size=(50, 1))
    twins = np.hstack([x, x])
    model = LinearRegression().fit(twins, x[:, 0])
    assert conditional_permutation_importance(
        model, twins, x[:, 0], random_state=0
    ).importances_mean == pytest.approx([0, 0], abs=1e-9)
    assert np.all(permutation_importance(model, twins, x[:, 0], random_state=0).importances > 0)


def test_a_single_feature_is_drawn_from_its_marginal(linear_data):
    X, y = linear_data
    model = LinearRegression().fit(X[:, :1], y)
    result = conditional_permutation_importance(
        model, X[:, :1], y, sampler=MarginalSampler(), n_repeats=800, random_state=0
    )
    assert within_errors(result, 2 * model.coef_**2 * X[:, :1].var(axis=0))


def test_a_fitted_sampler_is_used_as_it_is_and_an_unfitted_one_is_left_unfitted(linear_data):
    X, y = linear_data
    model = LinearRegression().fit(X, y)
    unfitted = GaussianSampler()
    own = conditional_permutation_importance(model, X, y, sampler=unfitted, random_state=0)
    default = conditional_permutation_importance(model, X, y, random_state=0)
    elsewhere = GaussianSampler().fit(X + 100)
    other = conditional_permutation_importance(model, X, y, sampler=elsewhere, random_state=0)
    assert not hasattr(unfitted, "mean_")
    np.testing.assert_array_equal(own.importances, default.importances)
    assert other.importances_mean[0] > 100 * own.importances_mean[0]


def test_fractions_drawn_for_whole_numbers_reach_the_model():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"n": rng.integers(0, 3, 300), "x": rng.normal(size=300)})
    floats = X.astype(float)
    y = X["n"] + X["x"]
    pipeline = make_pipeline(StandardScaler(), LinearRegression()).fit(X, y)
    as_floats = make_pipeline(StandardScaler(), LinearRegression()).fit(floats, y)
    np.testing.assert_allclose(
        conditional_permutation_importance(pipeline, X, y, random_state=0).importances,
        conditional_permutation_importance(as_floats, floats, y, random_state=0).importances,
    )


def test_pipelines_on_mixed_tables_are_shuffled_within_columns(mixed_data):
    model, X, y = mixed_data
    before = X.copy(deep=True)
    result = permutation_importance(model, X, y, n_repeats=300, random_state=0)
    assert result.feature_names == tuple(X.columns)
    pairs = model_reliance(model, X, y, as_ratio=False).importances_mean
    assert within_errors(result, pairs * 79 / 80)
    pd.testing.assert_frame_equal(X, before)


def test_names_positions_and_kinds_of_input_do_not_change_the_values(linear_data):
    X, y = linear_data
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(60)[::-1])
    plain = permutation_importance(LinearRegression().fit(X, y), X, y, random_state=4)
    named = permutation_importance(
        LinearRegression().fit(frame, y), frame, pd.Series(y, index=frame.index), random_state=4
    )
    generator = permutation_importance(
        LinearRegression().fit(X, y), X.tolist(), list(y), random_state=np.random.default_rng(4)
    )
    np.testing.assert_allclose(named.importances, plain.importances)
    np.testing.assert_array_equal(generator.importances, plain.importances)
    assert named.feature_names == ("a", "b", "c")


def test_a_target_given_as_a_column_is_a_target(linear_data):
    X, y = linear_data
    column = y[:, np.newaxis]
    for model in (LinearRegression(), DecisionTreeRegressor(max_depth=2)):
        flat = permutation_importance(model.fit(X, y), X, y, random_state=0).importances
        as_column = permutation_importance(model.fit(X, column), X, column, random_state=0)
        np.testing.assert_allclose(as_column.importances, flat)


@pytest.mark.parametrize("measure", MEASURES)
def test_same_seed_same_result_and_the_global_state_is_untouched(measure, linear_data):
    X, y = linear_data
    model = LinearRegression().fit(X, y)
    copies, state = (X.copy(), y.copy()), np.random.get_state()[1].copy()  # noqa: NPY002
    first, second = (measure(model, X, y, random_state=7).importances for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, measure(model, X, y, random_state=8).importances)
    np.testing.assert_array_equal(state, np.random.get_state()[1])  # noqa: NPY002
    np.testing.assert_array_equal(X, copies[0])
    np.testing.assert_array_equal(y, copies[1])


def test_string_classes_and_their_probabilities():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    y = np.where(X[:, 0] > 0, "yes", "no")
    model = LogisticRegression().fit(X, y)
    result = permutation_importance(model, X, y, random_state=0)
    wrong = permutation_importance(model, X, y, loss=zero_one, n_repeats=200, random_state=0)
    assert result.importances_mean[0] > 0.5 > abs(result.importances_mean[1])
    pairs = model_reliance(model, X, y, loss=zero_one, as_ratio=False).importances_mean
    assert within_errors(wrong, pairs * 149 / 150)


@given(st.integers(1, 6), st.integers(1, 4), st.integers(1, 4), st.integers(0, 99))
@settings(deadline=None, max_examples=15)
def test_the_result_has_one_row_per_feature_and_one_column_per_repeat(n, p, r, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(n, p))
    model = DecisionTreeRegressor().fit(X, rng.normal(size=n))
    result = permutation_importance(model, X, X[:, 0], n_repeats=r, random_state=seed)
    assert result.importances.shape == (p, r)
    if n == 1:
        assert not result.importances.any()


@pytest.mark.parametrize("kind", [LinearRegression, RandomForestRegressor, DecisionTreeRegressor])
def test_memory_stays_below_ten_times_a_large_input(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 8))
    y = X[:, 0] + rng.normal(size=20_000)
    options = {"n_estimators": 4, "max_depth": 4} if kind is RandomForestRegressor else {}
    model = kind(**options).fit(X[:2000], y[:2000])
    assert len(X) > MAX_ROWS
    tracemalloc.start()
    permutation_importance(model, X, y, n_repeats=3, random_state=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * X.nbytes


# Out of bag


def oob_by_hand(forest, X, y, loss, shuffled):
    """Per tree and feature, with the columns of the out-of-bag rows put in reversed order."""
    table = []
    for tree, drawn in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        oob = np.setdiff1d(np.arange(len(X)), drawn)
        row = []
        for j in range(X.shape[1]):
            X_new = X[oob].copy()
            X_new[:, j] = shuffled(X_new[:, j])
            row.append(loss(y[oob], tree, X_new).mean() - loss(y[oob], tree, X[oob]).mean())
        table.append(row)
    return np.array(table).T


def test_oob_importance_is_that_of_each_tree_on_the_rows_it_has_not_seen(linear_data, monkeypatch):
    X, y = linear_data
    forest = RandomForestRegressor(15, random_state=0).fit(X, y)
    monkeypatch.setattr(
        "course_lib.measures.permutation.shuffler",
        lambda values, rng: lambda j, r: np.tile(values[::-1, j], (r, 1)),
    )
    result = oob_permutation_importance(forest, X, y)
    expected = oob_by_hand(
        forest, X, y, lambda y, tree, X: squared_error(y, tree.predict(X)), lambda x: x[::-1]
    )
    np.testing.assert_allclose(result.importances, expected, atol=1e-12)
    assert result.importances.shape == (3, 15) and result.question is Q1


def test_oob_importance_of_a_classifier_counts_wrong_votes(linear_data, monkeypatch):
    X, y = linear_data
    y = np.where(y > 0, "up", "down")
    forest = ExtraTreesClassifier(15, bootstrap=True, random_state=0).fit(X, y)
    monkeypatch.setattr(
        "course_lib.measures.permutation.shuffler",
        lambda values, rng: lambda j, r: np.tile(values[::-1, j], (r, 1)),
    )
    votes = oob_permutation_importance(forest, X, y, loss=zero_one)
    expected = oob_by_hand(
        forest,
        X,
        y,
        lambda y, tree, X: zero_one(y, forest.classes_[tree.predict(X).astype(int)]),
        lambda x: x[::-1],
    )
    np.testing.assert_allclose(votes.importances, expected, atol=1e-12)
    nats = oob_permutation_importance(forest, X, y)  # fully grown: a wrong vote costs -ln(eps)
    np.testing.assert_allclose(nats.importances, -np.log(np.finfo(float).eps) * votes.importances)


def test_oob_importance_of_noise_is_0_on_average_though_mdi_is_not():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = X[:, 0] + rng.normal(size=300)
    forest = RandomForestRegressor(100, max_features=1, random_state=0).fit(X, y)
    oob = oob_permutation_importance(forest, X, y, random_state=0)
    assert oob.importances_mean[0] > 0.5
    assert np.all(np.abs(oob.importances_mean[1:]) < 0.1)
    assert np.all(forest.feature_importances_[1:] > 0.1)


def test_oob_importance_refuses_what_has_no_out_of_bag_rows(linear_data):
    X, y = linear_data
    forest = RandomForestRegressor(5, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="bootstrap=True"):
        oob_permutation_importance(RandomForestRegressor(5, bootstrap=False).fit(X, y), X, y)
    with pytest.raises(TypeError, match="random forest"):
        oob_permutation_importance(LinearRegression().fit(X, y), X, y)
    with pytest.raises(ValueError, match="not been fitted"):
        oob_permutation_importance(RandomForestRegressor(), X, y)
    with pytest.raises(ValueError, match="training sample"):
        oob_permutation_importance(forest, X[::-1], y)
    with pytest.raises(ValueError, match="training sample"):
        oob_permutation_importance(forest, X[:30], y[:30])
    several = RandomForestRegressor(5).fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="2 targets"):
        oob_permutation_importance(several, X, y)
    with pytest.raises(ValueError, match="too small"):
        oob_permutation_importance(
            RandomForestRegressor(50, random_state=0).fit(X[:2], y[:2]), X[:2], y[:2]
        )


# The null


def test_twins_of_a_strong_feature_stay_far_below_it(linear_data):
    X, y = linear_data
    model = LinearRegression().fit(X, y)
    null = permutation_null(model, X, y, 0, n_repeats=30, random_state=0)
    own = permutation_importance(model, X, y, random_state=0).importances_mean[0]
    assert null.importances.shape == (1, 30) and null.feature_names == ("x0",)
    assert null.importances.max() < own / 3


def test_twins_of_noise_reach_what_noise_reaches():
    """Over worlds, the share of twins above a noise feature's importance is uniform: 1/2 on
    average, with a standard error below .5 / sqrt(30)."""
    ranks = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
        model = LinearRegression().fit(X, y)
        own = permutation_importance(model, X, y, random_state=seed).importances_mean[0]
        null = permutation_null(model, X, y, "x0", n_repeats=20, random_state=seed).importances
        ranks.append(np.mean(null > own))
    assert abs(np.mean(ranks) - 0.5) < 4 * 0.5 / np.sqrt(30)
    assert np.std(ranks) > 0.15


def test_twins_measured_by_hand(linear_data):
    """One twin, one shuffle: the same draws, done step by step."""
    X, y = linear_data
    rng = np.random.default_rng(5)
    null = permutation_null(LinearRegression(), X, y, 1, n_repeats=1, n_shuffles=1, random_state=5)
    X_twin = X.copy()
    X_twin[:, 1] = rng.permutation(X[:, 1])
    twin = LinearRegression().fit(X_twin, y)
    X_new = X_twin.copy()
    X_new[:, 1] = rng.permuted(X_twin[:, 1][np.newaxis], axis=1)[0]
    increase = (
        squared_error(y, twin.predict(X_new)) - squared_error(y, twin.predict(X_twin))
    ).mean()
    assert null.importances[0, 0] == pytest.approx(increase)


def test_twins_of_mixed_tables_of_forests_and_on_a_test_sample(mixed_data):
    model, X, y = mixed_data
    for feature in ("town", 0):
        null = permutation_null(
            model, X, y, feature, n_repeats=2, X_test=X[:20], y_test=y[:20], random_state=0
        )
        assert null.importances.shape == (1, 2)
    values = X[["age", "height"]]
    forest = RandomForestRegressor(5)
    first, second = (
        permutation_null(forest, values, y, "age", n_repeats=2, random_state=3).importances
        for _ in range(2)
    )
    np.testing.assert_array_equal(first, second)
    assert not hasattr(forest, "estimators_")


def test_bad_input_is_refused_with_advice(linear_data):
    X, y = linear_data
    model = LinearRegression().fit(X, y)
    for measure in MEASURES:
        with pytest.raises(ValueError, match="n_repeats"):
            measure(model, X, y, n_repeats=0)
        with pytest.raises(TypeError, match="n_repeats"):
            measure(model, X, y, n_repeats=2.5)
        with pytest.raises(TypeError, match="random_state"):
            measure(model, X, y, random_state="0")
        with pytest.raises(ValueError, match="not been fitted"):
            measure(LinearRegression(), X, y)
        with pytest.raises(ValueError, match="was fitted with"):
            measure(model, X[:, :2], y)
        with pytest.raises(ValueError, match="same split"):
            measure(model, X, y[:-1])
        with pytest.raises(ValueError, match="missing"):
            measure(model, np.where(X > 2, np.nan, X), y)
        with pytest.raises(ValueError, match="at least"):
            measure(model, X[:0], y[:0])
        with pytest.raises(ValueError, match="two dimensions"):
            measure(model, X[0], y)
        with pytest.raises(TypeError, match="DataFrame"):
            measure(model, None, y)
        with pytest.raises(TypeError, match="loss"):
            measure(model, X, y, loss="mse")
        with pytest.raises(ValueError, match="one value per row"):
            measure(model, X, y, loss=lambda y, f: np.mean(y - f))
        with pytest.raises(TypeError, match="difference of numbers"):
            measure(model, X, np.where(y > 0, "a", "b"))
        with pytest.raises(ValueError, match="single target"):
            measure(LinearRegression().fit(X, np.column_stack([y, y])), X, y)
        with pytest.raises(TypeError, match="the class LinearRegression"):
            measure(LinearRegression, X, y)
        with pytest.raises(TypeError, match="complex"):
            measure(model, X * 1j, y)
    with pytest.raises(TypeError, match="sampler"):
        conditional_permutation_importance(model, X, y, sampler="gaussian")
    with pytest.raises(ValueError, match="Unknown feature"):
        permutation_null(model, X, y, "x9")
    with pytest.raises(TypeError, match="cloned"):
        permutation_null(LinearRegression, X, y, 0)
    with pytest.raises(ValueError, match="belong together"):
        permutation_null(model, X, y, 0, X_test=X)
    with pytest.raises(ValueError, match="n_shuffles"):
        permutation_null(model, X, y, 0, n_shuffles=0)


def test_a_count_of_numpys_is_a_count(linear_data):
    X, y = linear_data
    model = LinearRegression().fit(X, y)
    for measure in MEASURES:
        assert measure(model, X, y, n_repeats=np.int64(2)).repeats.startswith("2 ")
    twin = permutation_null(model, X, y, 0, n_repeats=np.int64(2), n_shuffles=np.int64(1))
    assert twin.repeats == "2 twins"


@pytest.mark.parametrize(
    ("drawn", "error", "message"),
    [
        (lambda X: np.zeros(len(X) + 1), ValueError, "array of shape .* would be"),
        (lambda X: np.zeros((1, 1)), ValueError, "array of shape .* would be"),
        (lambda X: np.zeros((1, len(X))), ValueError, "array of shape .* would be"),
        (lambda X: np.full((len(X), 1), np.nan), ValueError, "draw has .* NaN"),
        (lambda X: np.full((len(X), 1), "red"), TypeError, "no numbers"),
    ],
    ids=["longer", "one", "lying", "missing", "text"],
)
def test_a_sampler_that_draws_no_column_is_refused(drawn, error, message, linear_data):
    X, y = linear_data
    sampler = SimpleNamespace(sample=lambda X, columns, given, random_state: drawn(X))
    with pytest.raises(error, match=message):
        conditional_permutation_importance(LinearRegression().fit(X, y), X, y, sampler=sampler)


@pytest.mark.parametrize("in_a_pipeline", [False, True])
def test_trees_of_a_forest_that_answers_otherwise_are_not_asked(in_a_pipeline, linear_data):
    class Doubled:
        def predict(self, X):
            return 2 * super().predict(X)

    X, y = linear_data
    kind = Pipeline if in_a_pipeline else RandomForestRegressor
    own = type("Own", (Doubled, kind), {"__init__": kind.__init__})
    model = own([("forest", RandomForestRegressor(5))]) if in_a_pipeline else own(5)
    with pytest.raises(ValueError, match="This Own answers otherwise.* permutation_importance"):
        oob_permutation_importance(model.fit(X, y), X, y)
