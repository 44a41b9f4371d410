"""Model, conditional and algorithm reliance against closed forms and brute force."""

import tracemalloc
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from course_lib.measures import (
    algorithm_reliance,
    conditional_model_reliance,
    model_reliance,
)
from course_lib.measures import pairs as pairing
from course_lib.models import OnColumns, absolute_error, cross_entropy, squared_error, zero_one
from course_lib.questions import Q1, Q2, Q4


class Plain:
    """A fitted model that shows nothing but `predict`, so that no shortcut applies."""

    def __init__(self, model):
        self.predict = model.predict


@pytest.fixture
def linear_data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) + 5
    X[:, 1] += X[:, 0]
    return X, X @ [2.0, -1.0, 0.0] + rng.normal(size=60)


def pair_table(model, X, y, loss=squared_error):
    """e_switch by the table of all n(n-1) rows."""
    k, i = np.nonzero(~np.eye(len(X), dtype=bool))
    errors = []
    for j in range(X.shape[1]):
        switched = X[k].copy()
        switched[:, j] = X[i, j]
        errors.append(loss(y[k], model.predict(switched)).mean())
    return np.array(errors)


def test_the_difference_at_the_least_squares_fit_is_twice_the_squared_coefficient(linear_data):
    X, y = linear_data
    model = LinearRegression().fit(X, y)
    result = model_reliance(model, X, y, as_ratio=False)
    np.testing.assert_allclose(
        result.importances_mean, 2 * model.coef_**2 * X.var(axis=0, ddof=1), rtol=1e-9
    )
    assert result.question is Q1 and result.reference == 0 and result.is_exact


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=20)
def test_the_difference_of_any_linear_model_is_a_covariance(seed):
    """2 b_j Cov(y - rest, x_j), rest = sum over l != j of b_l x_l."""
    rng = np.random.default_rng(seed)
    X, y, b = rng.normal(size=(15, 3)), rng.normal(size=15), rng.normal(size=3)
    model = LinearRegression().fit(np.eye(3), b)
    model.coef_, model.intercept_ = b, rng.normal()
    rest = (X @ b)[:, np.newaxis] - X * b
    expected = [2 * b[j] * np.cov(y - rest[:, j], X[:, j])[0, 1] for j in range(3)]
    result = model_reliance(model, X, y, as_ratio=False).importances_mean
    np.testing.assert_allclose(result, expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("model", [LinearRegression(), Ridge(50.0), Lasso(0.3)])
def test_closed_form_batches_and_pair_table_are_the_same_number(linear_data, model):
    X, y = linear_data
    model.fit(X, y)
    e_orig = squared_error(y, model.predict(X)).mean()
    table = pair_table(model, X, y) / e_orig
    np.testing.assert_allclose(model_reliance(model, X, y).importances_mean, table, rtol=1e-10)
    np.testing.assert_allclose(
        model_reliance(Plain(model), X, y).importances_mean, table, rtol=1e-10
    )


def test_e_switch_is_the_mean_over_all_derangements(linear_data):
    """Brute force: over the permutations that leave no row its own value, each pair i != k is
    equally frequent."""
    X, y = linear_data
    X, y = X[:6], y[:6]
    model = DecisionTreeRegressor(random_state=0).fit(X, y + np.arange(6))
    orders = [o for o in permutations(range(6)) if all(o[i] != i for i in range(6))]
    assert len(orders) == 265
    errors = []
    for order in orders:
        X_new = X.copy()
        X_new[:, 1] = X[list(order), 1]
        errors.append(squared_error(y, model.predict(X_new)).mean())
    e_orig = squared_error(y, model.predict(X)).mean()
    result = model_reliance(model, X, y, as_ratio=False).importances_mean
    assert result[1] == pytest.approx(np.mean(errors) - e_orig)


@pytest.mark.parametrize(
    ("model", "loss"),
    [
        (RandomForestRegressor(7, random_state=0), squared_error),
        (DecisionTreeRegressor(max_depth=3), absolute_error),
        (LinearRegression(), absolute_error),
        (RandomForestClassifier(7, random_state=0), zero_one),
        (DecisionTreeClassifier(max_depth=2), zero_one),
    ],
)
def test_every_model_and_loss_gives_the_pair_table_also_with_repeated_values(model, loss):
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=40), rng.integers(0, 3, 40), rng.integers(0, 2, 40)])
    y = X @ [1, 1, 1] + rng.normal(size=40)
    y = np.where(y > 1, "high", "low") if loss is zero_one else y
    model.fit(X[:30], y[:30])
    e_orig = loss(y, model.predict(X)).mean()
    result = model_reliance(model, X, y, loss=loss).importances_mean
    np.testing.assert_allclose(result, pair_table(model, X, y, loss) / e_orig, rtol=1e-10)


def test_cross_entropy_is_switched_on_probabilities(linear_data):
    X, y = linear_data
    y = y > np.median(y)
    model = LogisticRegression().fit(X, y)
    k, i = np.nonzero(~np.eye(60, dtype=bool))
    switched = X[k].copy()
    switched[:, 0] = X[i, 0]
    expected = cross_entropy(y[k], model.predict_proba(switched)).mean()
    e_orig = cross_entropy(y, model.predict_proba(X)).mean()
    result = model_reliance(model, X, y).importances_mean[0]
    assert result == pytest.approx(expected / e_orig)


@pytest.mark.parametrize("n", [8, 9])
def test_halves_swap_the_first_with_the_second_and_leave_out_the_last_of_odd(linear_data, n):
    X, y = linear_data
    X, y = X[:n], y[:n]
    for model in (LinearRegression().fit(X, y), DecisionTreeRegressor(max_depth=2).fit(X, y)):
        even, m = 2 * (n // 2), n // 2
        swapped = X[:even].copy()
        swapped[:m, 0], swapped[m:, 0] = X[m:even, 0], X[:m, 0]
        e_divide = squared_error(y[:even], model.predict(swapped)).mean()
        e_orig = squared_error(y[:even], model.predict(X[:even])).mean()
        result = model_reliance(model, X, y, pairs="halves")
        assert result.importances_mean[0] == pytest.approx(e_divide / e_orig)
        difference = model_reliance(model, X.tolist(), list(y), pairs="halves", as_ratio=False)
        assert difference.importances_mean[0] == pytest.approx(e_divide - e_orig)
        assert "e_divide" in result.measure


def test_halves_and_all_pairs_estimate_the_same_and_all_pairs_vary_less():
    rng = np.random.default_rng(0)
    values = {"all": [], "halves": []}
    model = LinearRegression().fit(np.eye(2), [1.0, 0.0])
    for _ in range(300):
        X = rng.normal(size=(20, 2))
        y = X[:, 0] + rng.normal(size=20)
        for pairs, found in values.items():
            result = model_reliance(Plain(model), X, y, pairs=pairs, as_ratio=False)
            found.append(result.importances_mean[0])
    difference = np.subtract(values["all"], values["halves"])
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(300)
    assert np.std(values["all"]) < np.std(values["halves"])


@pytest.mark.parametrize("as_ratio", [True, False])
@pytest.mark.parametrize("n", [61, 60])
def test_an_unused_feature_has_exactly_no_reliance_however_correlated(as_ratio, n):
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    X = np.column_stack([x, x + 0.01 * rng.normal(size=n), *rng.normal(size=(7, n))])
    y = x + rng.normal(size=n)
    used = [0, *range(2, 9)]
    no_reliance = float(as_ratio)
    for model in (LinearRegression(), Ridge(), RandomForestRegressor(5, random_state=0)):
        f = OnColumns(model.fit(X[:, used], y), used)
        results = [
            model_reliance(f, X, y, as_ratio=as_ratio),
            model_reliance(f, X, y, pairs="halves", as_ratio=as_ratio),
            conditional_model_reliance(f, X, y, as_ratio=as_ratio),
        ]
        for result in results:
            assert result.importances[1, 0] == no_reliance == result.reference
            assert result.importances[0, 0] != no_reliance


def test_the_textbook_formula_swaps_nothing_and_ours_does(linear_data):
    """`004` prints x_i,1 beside x_i,2..p: that is e_orig, and the ratio would always be 1."""
    X, y = linear_data
    model = LinearRegression().fit(X, y)
    assert np.all(model_reliance(model, X, y).importances_mean[:2] > 1.5)


def test_reliance_can_be_negative_in_the_population():
    """corr .9, y = x1 + x2, f = -.2 x1 + 1.9 x2: exactly -.076 on data with those moments."""
    rng = np.random.default_rng(0)
    raw = rng.normal(size=(50, 2))
    raw -= raw.mean(axis=0)
    whitened = raw @ np.linalg.inv(np.linalg.cholesky(np.cov(raw, rowvar=False))).T
    X = whitened @ np.linalg.cholesky([[1, 0.9], [0.9, 1]]).T
    model = LinearRegression().fit(X, X @ [-0.2, 1.9])
    result = model_reliance(model, X, X.sum(axis=1), as_ratio=False)
    assert result.importances_mean[0] == pytest.approx(-0.076)


def test_mixed_tables_are_switched_within_columns():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"town": list("ABC") * 10, "age": np.arange(30), "x": rng.normal(size=30)})
    y = (X["town"] == "A") + X["x"] + rng.normal(size=30)
    steps = make_column_transformer(
        (OneHotEncoder(), make_column_selector(dtype_exclude=np.number)),
        (StandardScaler(), make_column_selector(dtype_include=np.number)),
    )
    model = make_pipeline(steps, LinearRegression()).fit(X, y)
    e_orig = squared_error(y, model.predict(X)).mean()
    errors = []
    for shift in range(1, 30):
        errors.append(
            squared_error(y, model.predict(X.assign(town=np.roll(X["town"], shift)))).mean()
        )
    result = model_reliance(model, X, y)
    assert result.feature_names == ("town", "age", "x")
    assert result.importances_mean[0] == pytest.approx(np.mean(errors) / e_orig)
    without = algorithm_reliance(make_pipeline(steps, LinearRegression()), X, y)
    assert without.importances_mean[0] > 1


def test_memory_stays_below_ten_times_the_input_over_all_pairs(monkeypatch):
    """Nine million rows are predicted, a batch at a time."""
    monkeypatch.setenv("COURSE_BUILD", "1")  # a busy machine would show a bar, and import it here
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 8)).round(1)  # round, to save time: 70 or so distinct values
    y = X[:, 0] + rng.normal(size=3000)
    forest = RandomForestRegressor(2, max_depth=3, random_state=0)
    for model in (Plain(LinearRegression().fit(X, y)), forest.fit(X, y)):
        tracemalloc.start()
        model_reliance(model, X, y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 10 * X.nbytes


# Conditional


def chimera_table(model, X, y, imputer, j):
    rest = np.delete(X, j, axis=1)
    xhat = imputer.fit(rest, X[:, j]).predict(rest)
    k, i = np.nonzero(~np.eye(len(X), dtype=bool))
    rows = X[k].copy()
    rows[:, j] = xhat[k] + X[i, j] - xhat[i]
    return squared_error(y[k], model.predict(rows)).mean()


@pytest.mark.parametrize("wrap", [Plain, lambda model: model])
@pytest.mark.parametrize("imputer", [None, Ridge(20.0), DecisionTreeRegressor(max_depth=2)])
def test_conditional_reliance_is_the_mean_over_all_chimeras(linear_data, wrap, imputer):
    X, y = linear_data
    X, y = X[:20], y[:20]
    model = Ridge(1.0).fit(X, y)
    e_orig = squared_error(y, model.predict(X)).mean()
    expected = [
        chimera_table(model, X, y, imputer or LinearRegression(), j) / e_orig for j in range(3)
    ]
    result = conditional_model_reliance(wrap(model), X, y, imputer=imputer)
    np.testing.assert_allclose(result.importances_mean, expected, rtol=1e-9)
    assert result.question is Q2 and result.reference == 1 and result.is_exact


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=15)
def test_the_conditional_difference_of_any_linear_model_has_a_closed_form(seed):
    """2 b_j bhat_j s_e^2, with bhat the least squares fit and s_e^2 of x_j given the rest."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 3)) @ rng.normal(size=(3, 3))
    y, b = rng.normal(size=20), rng.normal(size=3)
    model = LinearRegression().fit(np.eye(3), b)
    model.coef_ = b
    fit = LinearRegression().fit(X, y)
    for j in range(3):
        rest = np.delete(X, j, axis=1)
        e = X[:, j] - LinearRegression().fit(rest, X[:, j]).predict(rest)
        for f in (model, Plain(model)):
            found = conditional_model_reliance(f, X, y, as_ratio=False).importances_mean[j]
            assert found == pytest.approx(2 * b[j] * fit.coef_[j] * e.var(ddof=1), abs=1e-8)


def test_conditional_reliance_at_the_fit_is_2n_over_n_minus_1_algorithm_reliance(linear_data):
    X, y = linear_data
    model = LinearRegression().fit(X, y)
    conditional = conditional_model_reliance(model, X, y, as_ratio=False).importances_mean
    algorithm = algorithm_reliance(LinearRegression(), X, y, as_ratio=False).importances_mean
    np.testing.assert_allclose(conditional, 2 * 60 / 59 * algorithm, rtol=1e-8)


def test_a_single_feature_has_the_same_conditional_and_marginal_reliance(linear_data):
    X, y = linear_data
    for model in (LinearRegression().fit(X[:, :1], y), DecisionTreeRegressor(max_depth=2)):
        model.fit(X[:, :1], y)
        np.testing.assert_allclose(
            conditional_model_reliance(model, X[:, :1], y).importances_mean,
            model_reliance(model, X[:, :1], y).importances_mean,
            rtol=1e-9,
        )


def test_a_reliance_of_1_may_only_mean_that_the_model_ignores_the_feature():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    y = X.sum(axis=1) + 0.1 * rng.normal(size=50)
    ignores = OnColumns(LinearRegression().fit(X[:, [1]], y), [1])
    assert conditional_model_reliance(ignores, X, y).importances_mean[0] == 1
    assert algorithm_reliance(LinearRegression(), X, y).importances_mean[0] > 10


# Algorithm


def test_algorithm_reliance_by_hand_on_training_and_test_data(linear_data):
    X, y = linear_data
    train, test = slice(40), slice(40, 60)
    losses = []
    for keep in ([0, 1, 2], [1, 2], [0, 2], [0, 1]):
        model = LinearRegression().fit(X[train][:, keep], y[train])
        losses.append(squared_error(y[test], model.predict(X[test][:, keep])).mean())
    result = algorithm_reliance(
        LinearRegression(), X[train], y[train], X_test=X[test], y_test=y[test]
    )
    np.testing.assert_allclose(result.importances_mean, np.array(losses[1:]) / losses[0])
    assert result.question is Q4 and result.reference == 1
    trained = algorithm_reliance(LinearRegression(), X, y, as_ratio=False).importances_mean
    assert np.all(trained >= -1e-12)  # on the training sample least squares never gains


def test_a_single_feature_is_compared_with_the_best_constant(linear_data):
    X, y = linear_data
    result = algorithm_reliance(LinearRegression(), X[:, :1], y)
    r2 = LinearRegression().fit(X[:, :1], y).score(X[:, :1], y)
    assert result.importances_mean[0] == pytest.approx(1 / (1 - r2))
    classes = np.where(y > np.median(y), "a", "b")
    by_class = algorithm_reliance(LogisticRegression(), X[:, :1], classes, as_ratio=False)
    model = LogisticRegression().fit(X[:, :1], classes)
    fit = cross_entropy(classes, model.predict_proba(X[:, :1])).mean()
    assert by_class.importances_mean[0] == pytest.approx(np.log(2) - fit)
    votes = algorithm_reliance(LinearSVC(), X[:, :1], classes, as_ratio=False)
    assert -1 <= votes.importances_mean[0] <= 1  # no probabilities: wrong votes for both


def test_algorithm_reliance_leaves_the_estimator_alone_and_seeds_what_has_no_seed(linear_data):
    X, y = linear_data
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    forest = RandomForestRegressor(3)
    first, second = (
        algorithm_reliance(forest, frame, y, random_state=0).importances for _ in range(2)
    )
    np.testing.assert_array_equal(first, second)
    assert not hasattr(forest, "estimators_") and forest.random_state is None


# Refusals


@pytest.mark.parametrize("measure", [model_reliance, conditional_model_reliance])
def test_a_ratio_over_zero_loss_is_refused_with_advice_and_a_difference_is_not(measure):
    X = np.random.default_rng(0).normal(size=(20, 2))
    for y in (X @ [1.0, 2.0], np.full(20, 0.1), np.zeros(20)):
        for model in (LinearRegression().fit(X, y), DecisionTreeRegressor().fit(X, y)):
            with pytest.raises(ValueError, match="as_ratio=False"):
                measure(model, X, y)
            assert np.all(measure(model, X, y, as_ratio=False).importances_mean >= -1e-12)
    with pytest.raises(ValueError, match="as_ratio=False"):
        algorithm_reliance(LinearRegression(), X, X @ [1.0, 2.0])


@pytest.mark.parametrize("measure", [model_reliance, conditional_model_reliance])
def test_constant_targets_are_fine_where_the_loss_is_not_zero(measure, linear_data):
    X, y = linear_data
    model = LinearRegression().fit(X, y)
    assert np.all(np.isfinite(measure(model, X, np.full(60, 3.0)).importances))
    constant = X.copy()
    constant[:, 0] = 1.0
    assert measure(model, constant, y).importances_mean[0] == pytest.approx(1, abs=1e-12)


def test_bad_input_is_refused_with_advice(linear_data):
    X, y = linear_data
    model = LinearRegression().fit(X, y)
    for measure in (model_reliance, conditional_model_reliance):
        with pytest.raises(ValueError, match="at least 2 rows"):
            measure(model, X[:1], y[:1])
        with pytest.raises(ValueError, match="at least 2 rows"):
            measure(model, X[:0], y[:0])
        with pytest.raises(ValueError, match="not been fitted"):
            measure(LinearRegression(), X, y)
        with pytest.raises(ValueError, match="same split"):
            measure(model, X, y[:-1])
        with pytest.raises(TypeError, match="loss"):
            measure(model, X, y, loss="mse")
        with pytest.raises(TypeError, match="as_ratio"):
            measure(model, X, y, as_ratio="difference")
        with pytest.raises(TypeError, match="DataFrame"):
            measure(model, "X", y)
    with pytest.raises(ValueError, match="'all' or 'halves'"):
        model_reliance(model, X, y, pairs="random")
    with pytest.raises(ValueError, match="at least 2 rows"):
        model_reliance(model, X[:1], y[:1], pairs="halves")
    with pytest.raises(TypeError, match="cloned"):
        conditional_model_reliance(model, X, y, imputer="mean")
    with pytest.raises(TypeError, match="must hold numbers"):
        conditional_model_reliance(model, np.full((60, 3), "a"), y)
    with pytest.raises(TypeError, match="cloned"):
        algorithm_reliance(LinearRegression, X, y)
    with pytest.raises(ValueError, match="belong together"):
        algorithm_reliance(LinearRegression(), X, y, y_test=y)
    with pytest.raises(ValueError, match="same columns"):
        algorithm_reliance(LinearRegression(), X, y, X_test=X[:, :2], y_test=y)


def test_a_pipeline_that_names_its_columns_is_fitted_without_each_of_them(linear_data):
    X, y = linear_data
    named = pd.DataFrame(X, columns=["a", "b", "c"])
    by_name = make_pipeline(
        make_column_transformer((StandardScaler(), ["a", "b"]), remainder="passthrough"),
        LinearRegression(),
    )
    np.testing.assert_allclose(
        algorithm_reliance(by_name, named, y).importances,
        algorithm_reliance(LinearRegression(), X, y).importances,
    )


# Pairs that are drawn


@pytest.mark.parametrize("as_ratio", [True, False])
def test_drawn_pairs_estimate_all_pairs_within_their_standard_error(linear_data, as_ratio):
    """Over many seeds: without bias, and as far off as the columns say."""
    X, y = linear_data
    X, y = X[:60].round(1), y[:60]
    model = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, y)
    exact = model_reliance(model, X, y, pairs="all", as_ratio=as_ratio).importances_mean
    drawn = [
        model_reliance(model, X, y, pairs=8, as_ratio=as_ratio, random_state=seed)
        for seed in range(60)
    ]
    z = np.array(
        [
            (one.importances_mean - exact) / (one.importances.std(axis=1, ddof=1) / np.sqrt(8))
            for one in drawn
        ]
    )
    used = exact != (1.0 if as_ratio else 0.0)
    assert (
        np.abs(np.mean([one.importances_mean for one in drawn], axis=0) - exact)[used]
        < 4 * np.std([one.importances_mean for one in drawn], axis=0)[used] / np.sqrt(60)
    ).all()
    assert np.mean(z[:, used] ** 2) < 2.5  # t with 7 degrees of freedom: 7/5
    assert all("8 other rows for each row" in one.repeats for one in drawn)


def test_all_partners_that_can_be_drawn_are_all_pairs(linear_data):
    X, y = linear_data
    X, y = X[:12], y[:12]
    model = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    exact, every = (
        model_reliance(model, X, y, pairs=pairs, random_state=1) for pairs in ("all", 11)
    )
    assert every.importances.shape == (X.shape[1], 11)
    np.testing.assert_allclose(every.importances_mean, exact.importances_mean)


def test_many_rows_are_paired_with_some_others_by_default_and_few_with_all(
    monkeypatch, linear_data
):
    X, y = linear_data
    tree = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    linear = LinearRegression().fit(X, y)
    assert model_reliance(tree, X, y).importances.shape[1] == 1
    monkeypatch.setattr(pairing, "ALL_PAIRS", 100)
    drawn = model_reliance(tree, X, y, random_state=0)
    assert drawn.importances.shape[1] == 20 and drawn.covers == "which rows meet"
    assert model_reliance(linear, X, y).importances.shape[1] == 1  # by its closed form
    assert model_reliance(tree, X, y, pairs="all").importances.shape[1] == 1


def test_an_imputer_that_takes_categories_opens_mixed_tables_to_conditional_reliance():
    """Against all chimeras, by hand."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"town": rng.choice(list("ABC"), 30), "x": rng.normal(size=30)})
    X["x"] += (X["town"] == "A") * 2.0
    y = X["x"] + (X["town"] == "B") + rng.normal(size=30)
    encoder = make_column_transformer((OneHotEncoder(), ["town"]), remainder="passthrough")
    model = make_pipeline(encoder, DecisionTreeRegressor(max_depth=3, random_state=0)).fit(X, y)
    imputer = make_pipeline(OneHotEncoder(), Ridge(1.0))
    xhat = imputer.fit(X[["town"]], X["x"]).predict(X[["town"]])
    errors = [
        squared_error(y, model.predict(X.assign(x=xhat + np.roll(X["x"] - xhat, shift)))).mean()
        for shift in range(1, 30)
    ]
    found = conditional_model_reliance(model, X, y, features="x", imputer=imputer)
    e_orig = squared_error(y, model.predict(X)).mean()
    assert found.importances_mean[0] == pytest.approx(np.mean(errors) / e_orig)
    assert "imputer Pipeline" in found.repeats
    with pytest.raises(TypeError, match="town.*conditional_permutation_importance"):
        conditional_model_reliance(model, X, y, features="x")
    with pytest.raises(TypeError, match="town.*features="):
        conditional_model_reliance(model, X, y, imputer=imputer)


def test_an_algorithm_that_needs_a_column_by_name_is_refused_in_a_sentence(linear_data):
    X, y = linear_data
    named = pd.DataFrame(X, columns=["a", "b", "c"])
    doubled = FunctionTransformer(lambda table: table.assign(a=2 * table.a))
    with pytest.raises(ValueError, match="not without one of them: .*'a'.* Let its steps choose"):
        algorithm_reliance(make_pipeline(doubled, LinearRegression()), named, y)


@pytest.mark.parametrize(
    "algorithm",
    [
        OnColumns(LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0]), 1),
        GridSearchCV(HistGradientBoostingRegressor(), {"categorical_features": [None, [0]]}),
        GridSearchCV(RandomForestRegressor(), [{"monotonic_cst": [[1, 0, 0]]}]),
        GridSearchCV(
            Pipeline([("m", LinearRegression())]),
            {"m": [Ridge(), RandomForestRegressor(monotonic_cst=[1, 0, 0])]},
        ),
        GridSearchCV(
            make_pipeline(ColumnTransformer([]), LinearRegression()),
            {"columntransformer__transformers": [[("a", StandardScaler(), [0, 1])]]},
        ),
    ],
    ids=["variables", "tried categories", "tried signs", "tried models", "tried columns"],
)
def test_columns_that_an_algorithm_counts_where_they_cannot_be_counted_anew(algorithm, linear_data):
    with pytest.raises(ValueError, match="by position, .*another algorithm.* use model_reliance"):
        algorithm_reliance(algorithm, *linear_data)


@pytest.mark.parametrize("told", [{"monotone_constraints": "1,0,0"}, {"feature_contri": [1, 2, 1]}])
def test_columns_that_lightgbm_counts_in_its_own_ways_are_not_counted_anew(told, linear_data):
    algorithm = pytest.importorskip("lightgbm").LGBMRegressor(**told)
    with pytest.raises(ValueError, match="by position, .*another algorithm"):
        algorithm_reliance(algorithm, *linear_data)


def test_signs_and_interactions_go_with_their_columns(linear_data):
    X, y = linear_data
    told = HistGradientBoostingRegressor(interaction_cst=[[1, 2]], monotonic_cst=[0, 1, -1])
    found = algorithm_reliance(make_pipeline(StandardScaler(), told), X, y, as_ratio=False)
    pair = HistGradientBoostingRegressor(interaction_cst=[[0, 1]], monotonic_cst=[1, -1])
    without = make_pipeline(StandardScaler(), pair).fit(X[:, 1:], y).predict(X[:, 1:])
    with_all = clone(told).fit(X, y).predict(X)
    expected = np.mean((y - without) ** 2) - np.mean((y - with_all) ** 2)
    assert found.importances_mean[0] == pytest.approx(expected)


def test_what_names_or_counts_no_column_is_fitted_without_each(linear_data):
    X, y = linear_data
    forest = RandomForestRegressor(2, max_depth=2, random_state=0)
    tried = GridSearchCV(forest, {"monotonic_cst": [None], "max_depth": [1]}, cv=2)
    assert len(algorithm_reliance(tried, X, y).importances) == 3


class OtherSearch(GridSearchCV):
    """With the grids of other packages: none, or a grid with a number of trials."""

    def __init__(self, estimator, param_grid, search_spaces=None):
        super().__init__(estimator, param_grid, cv=2)
        self.search_spaces = search_spaces


@pytest.mark.parametrize("spaces", [None, [({"max_depth": (1, 5)}, 3)]])
def test_grids_of_another_package_are_no_columns(spaces, linear_data):
    search = OtherSearch(DecisionTreeRegressor(random_state=0), {"max_depth": [1]}, spaces)
    assert len(algorithm_reliance(search, *linear_data).importances) == 3


class PackagesOwnError(Exception):
    pass


def test_an_error_of_a_packages_own_becomes_a_sentence(linear_data):
    def refuse(X):
        if X.shape[1] < 3:
            raise PackagesOwnError("Three columns!")
        return X

    algorithm = make_pipeline(FunctionTransformer(refuse), LinearRegression())
    with pytest.raises(ValueError, match="not without one of them: Three columns!"):
        algorithm_reliance(algorithm, *linear_data)


@pytest.mark.parametrize("n_weights", [4, 6])
def test_the_halves_need_a_weight_for_each_row_too(n_weights):
    X, y = np.arange(5.0)[:, np.newaxis], np.array([0.0, 2.0, 1.0, 4.0, 3.0])
    model = LinearRegression().fit(X, y)
    with pytest.raises(ValueError, match="each of the 5 rows"):
        model_reliance(model, X, y, pairs="halves", sample_weight=np.ones(n_weights))


def test_no_feature_at_all_is_refused(linear_data):
    X, y = linear_data
    with pytest.raises(ValueError, match="features is empty"):
        conditional_model_reliance(LinearRegression().fit(X, y), X, y, features=[])
