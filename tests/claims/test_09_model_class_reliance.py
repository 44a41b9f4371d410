"""The claims of lesson 09, each over several seeds."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.linear_model import LinearRegression

from course_lib.measures import (
    KernelRashomonSet,
    LinearRashomonSet,
    algorithm_reliance,
    conditional_model_reliance,
    model_reliance,
)
from course_lib.models import squared_error
from course_lib.worlds import make_census_world, make_exact_linear

SEEDS = range(10)
each_seed = pytest.mark.parametrize("seed", SEEDS)
N = 200
SHARE = N / (N - 1)  # covariances with n-1 over those with n


def river(rho, seed=0, coefficients=(1, 1)):
    return make_exact_linear(N, seed, correlation=[[1, rho], [rho, 1]], coefficients=coefficients)


def random_sample(seed, p=4, n=40):
    """Correlated columns and a target that is not exactly linear in anything."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + rng.normal(size=(n, 1))
    return X, X @ rng.normal(size=p) + rng.normal(size=n)


def mse(model, X, y) -> float:
    return float(squared_error(y, model.predict(X)).mean())


def prices(X, y) -> np.ndarray:
    """What it costs to leave out each column: algorithm reliance as a difference."""
    return algorithm_reliance(LinearRegression(), X, y, as_ratio=False).importances_mean


def without(X, y, name):
    return LinearRegression().fit(X.assign(**{name: 0.0}), y)


# Two good models, the ellipse


@each_seed
def test_two_models_have_the_same_error_and_opposite_reliances(seed):
    X, y = river(0.9, seed)
    upstream, downstream = without(X, y, "x2"), without(X, y, "x1")
    assert mse(upstream, X, y) == pytest.approx(1.19) == mse(downstream, X, y)
    assert np.mean((y - y.mean()) ** 2) == pytest.approx(4.8)  # the best model's is 1
    sevenfold = 1 + 2 * 1.9**2 * SHARE / 1.19
    assert sevenfold == pytest.approx(7.1, abs=0.01)
    for model, expected in ((upstream, [sevenfold, 1]), (downstream, [1, sevenfold])):
        np.testing.assert_allclose(model_reliance(model, X, y).importances_mean, expected)


@each_seed
def test_the_error_is_a_bowl_around_the_fit(seed):
    X, y = random_sample(seed)
    best, G = LinearRegression().fit(X, y), np.cov(X.T, ddof=0)
    for model in LinearRashomonSet(X, y, epsilon=0.5).sample(5, random_state=seed):
        model.intercept_ = float(np.mean(y - X @ model.coef_))
        d = model.coef_ - best.coef_
        assert mse(model, X, y) == pytest.approx(mse(best, X, y) + d @ G @ d)


@each_seed
def test_five_per_cent_of_error_move_the_reliance_by_more_than_a_factor_of_three(seed):
    X, y = river(0.9, seed)
    mcr = LinearRashomonSet(X, y, epsilon=0.05).model_class_reliance("x1")
    best = model_reliance(LinearRegression().fit(X, y), X, y).importances_mean[0]
    assert best == pytest.approx(1 + 2 * SHARE)
    assert mcr.high > 5 and mcr.high / mcr.low > 3


@each_seed
def test_the_two_extreme_models_are_good_and_attain_the_ends(seed):
    X, y = random_sample(seed)
    good = LinearRashomonSet(X, y, epsilon=0.1)
    for j in range(4):
        mcr = good.model_class_reliance(j)
        for model, end in ((mcr.low_model, mcr.low), (mcr.high_model, mcr.high)):
            assert good.contains(model)
            assert model_reliance(model, X, y).importances_mean[j] == pytest.approx(end)
            assert model.intercept_ == pytest.approx(np.mean(y - X @ model.coef_), abs=1e-6)


@each_seed
def test_no_good_model_lies_outside_the_range(seed):
    X, y = random_sample(seed)
    good = LinearRashomonSet(X, y, epsilon=0.1)
    mcrs = [good.model_class_reliance(j) for j in range(4)]
    for model in good.sample(100, random_state=seed):
        reliance = model_reliance(model, X, y).importances_mean
        assert all(m.low - 1e-9 <= r <= m.high + 1e-9 for m, r in zip(mcrs, reliance, strict=True))


@each_seed
def test_the_reliance_of_any_linear_model_has_the_closed_form(seed):
    X, y = random_sample(seed)
    (model,) = LinearRashomonSet(X, y, epsilon=0.5).sample(1, random_state=seed)
    rest = y - X[:, 1:] @ model.coef_[1:]
    expected = 1 + 2 * model.coef_[0] * np.cov(rest, X[:, 0])[0, 1] / mse(model, X, y)
    assert model_reliance(model, X, y).importances_mean[0] == pytest.approx(expected)


# The price of ignoring


@each_seed
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_ignoring_x1_costs_one_minus_rho_squared(seed, rho):
    np.testing.assert_allclose(prices(*river(rho, seed)), 1 - rho**2)


@each_seed
def test_mcr_minus_is_above_1_exactly_while_epsilon_is_below_algorithm_reliance(seed):
    """Also with four columns, where a growing ellipsoid meets b_j = 0 before anything else."""
    X, y = random_sample(seed)
    for j, price in enumerate(prices(X, y)):
        for factor in (0.5, 0.99, 1.01, 2.0):
            good = LinearRashomonSet(X, y, epsilon=factor * price)
            assert (good.model_class_reliance(j).low > 1) == (factor < 1)
        at_the_price = LinearRashomonSet(X, y, epsilon=price).model_class_reliance(j)
        assert at_the_price.low == pytest.approx(1, abs=1e-7)


@each_seed
def test_past_the_price_the_least_reliant_model_has_the_wrong_sign(seed):
    X, y = random_sample(seed)
    j = int(np.argmax(prices(X, y)))
    bhat = LinearRegression().fit(X, y).coef_[j]
    mcr = LinearRashomonSet(X, y, epsilon=1.2 * prices(X, y)[j]).model_class_reliance(j)
    assert mcr.low < 1
    assert mcr.low_model.coef_[j] * bhat < 0


@each_seed
def test_a_growing_ellipsoid_reaches_the_second_border_of_reliance_1_later(seed):
    """Cov(y - rest, x_j) = 0 is b^2 s^2 u^2 / (s^2 - u^2) away, b_j = 0 only b^2 u^2."""
    X, y = random_sample(seed)
    G, b = np.cov(X.T, ddof=0), LinearRegression().fit(X, y).coef_
    for j, price in enumerate(prices(X, y)):
        a = G[j] * (np.arange(4) != j)
        second = (b[j] * G[j, j]) ** 2 / (a @ np.linalg.solve(G, a))
        u = 1 / np.linalg.inv(G)[j, j]
        assert price == pytest.approx(b[j] ** 2 * u)
        assert second == pytest.approx(b[j] ** 2 * G[j, j] * u / (G[j, j] - u))
        assert second > price


@each_seed
def test_from_a_point_to_a_range_that_settles(seed):
    X, y = river(0.9, seed)
    ends = [LinearRashomonSet(X, y, epsilon=e).model_class_reliance("x1") for e in (0, 10, 100)]
    assert ends[0].low == pytest.approx(ends[0].high) == pytest.approx(1 + 2 * SHARE)
    assert ends[1].high == pytest.approx(ends[2].high) == pytest.approx(12.06, abs=0.01)
    assert 0.5 < ends[2].low < ends[1].low < 0.55


@each_seed
def test_a_range_grows_with_epsilon(seed):
    X, y = random_sample(seed)
    ends = [
        LinearRashomonSet(X, y, epsilon=e).model_class_reliance(0) for e in (0, 0.05, 0.2, 1, 5)
    ]
    assert (np.diff([m.low for m in ends]) <= 1e-12).all()
    assert (np.diff([m.high for m in ends]) >= -1e-12).all()


# Reading


@each_seed
def test_the_three_ranges_of_the_notes(seed):
    correlation = np.eye(4)
    correlation[1, 2] = correlation[2, 1] = 0.8
    X, y = make_exact_linear(N, seed, correlation=correlation, coefficients=[0.8, 0.5, 0.5, 0])
    good = LinearRashomonSet(X, y, epsilon=0.1)
    alone, one, other, nothing = (good.model_class_reliance(name) for name in X)
    assert 1.4 < alone.low < alone.high < 3
    for twin in (one, other):
        assert 0.98 < twin.low < 1 and twin.high > 2
    assert nothing.low == pytest.approx(1) == nothing.high
    reader = LinearRegression().fit(X, X @ [0.8, 0.5, 0.5, 0.3])
    assert good.contains(reader), "a good model may read x4"
    assert model_reliance(reader, X, y).importances_mean[3] == pytest.approx(1)
    assert [good.contains(without(X, y, name)) for name in X] == [False, True, True, True]
    both = LinearRegression().fit(X.assign(x2=0.0, x3=0.0), y)
    assert not good.contains(both)
    assert mse(both, X, y) == pytest.approx(1.9)  # 1 + 0.25 + 0.25 + 2 * 0.25 * 0.8


# Correlation, copies, classes


@each_seed
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9, 0.999])
def test_the_coefficient_reaches_root_of_epsilon_over_one_minus_rho_squared(seed, rho):
    X, y = river(rho, seed)
    half = np.sqrt(0.05 / (1 - rho**2))
    good = LinearRashomonSet(X, y, epsilon=0.05)
    for side in (-1, 1):
        b1 = 1 + side * half
        model = LinearRegression().fit(X, X["x1"] * b1 + X["x2"] * (1 - rho * side * half))
        assert good.contains(model)
        model.coef_ = model.coef_ + [side * 1e-3 * half, 0]
        assert not good.contains(model)


@each_seed
def test_mcr_plus_grows_without_bound_as_the_gauges_become_alike(seed):
    highs = [
        LinearRashomonSet(*river(rho, seed), epsilon=0.05).model_class_reliance("x1").high
        for rho in (0, 0.5, 0.9, 0.99, 0.999)
    ]
    assert (np.diff(highs) > 0).all() and highs[-1] > 60


@each_seed
def test_copies_are_refused_and_any_reliance_can_be_had(seed):
    X, y = river(0.9, seed)
    copied = X.assign(x2=X["x1"])
    with pytest.raises(ValueError, match="unbounded over the set"):
        LinearRashomonSet(copied, y, epsilon=0.05)
    best = LinearRegression().fit(copied, y)
    error, reliances = mse(best, copied, y), []
    for t in (0, 10, 1000):
        model = LinearRegression().fit(copied, y)
        model.coef_ = best.coef_ + [t, -t]
        assert mse(model, copied, y) == pytest.approx(error)
        reliances.append(model_reliance(model, copied, y).importances_mean[0])
    assert reliances[0] < 10 < reliances[1] < 1e6 * reliances[0] < reliances[2] * 1e4


@each_seed
def test_the_upper_end_of_a_ridge_range_for_copies_is_set_by_the_penalty(seed):
    X, y = river(0.9, seed)
    copied = X.assign(x2=X["x1"])
    highs = [
        LinearRashomonSet(copied, y, epsilon=0.05, alpha=a).model_class_reliance("x1").high
        for a in (0.1, 0.01, 0.001)
    ]
    assert highs[1] > 2 * highs[0] and highs[2] > 4 * highs[1]


@each_seed
def test_linear_models_cannot_use_the_dose_and_kernels_cannot_do_without(seed):
    rng = np.random.default_rng(seed)
    n = 50
    X = np.column_stack([np.linspace(-1.5, 1.5, n), rng.normal(size=n)])
    y = X[:, 0] ** 2 + 0.5 * X[:, 1] + 0.3 * rng.normal(size=n)
    y = y - y.mean()
    least = LinearRashomonSet(X, y, epsilon=0).least_loss
    linear = LinearRashomonSet(X, y, epsilon=0.05 * least).model_class_reliance(0)
    options = {"gamma": 0.5, "alpha": 0.001}
    best = KernelRashomonSet(X, y, epsilon=0, **options)
    kernel = KernelRashomonSet(X, y, epsilon=0.05 * best.least_loss, **options)
    assert linear.low < 1.05 and linear.high < 1.35
    assert kernel.model_class_reliance(0).low > 4
    assert least > 3 * mse(best.best_model, X, y)


# Unique information


@each_seed
def test_cmcr_has_its_closed_form_in_algorithm_reliance_and_epsilon(seed):
    X, y = random_sample(seed)
    n = len(y)
    for epsilon in (0.05, 0.5):
        good = LinearRashomonSet(X, y, epsilon=epsilon)
        for j, price in enumerate(prices(X, y)):
            cmcr = good.conditional_model_class_reliance(j, as_ratio=False)
            half = np.sqrt(epsilon * price)
            expected = 2 * n / (n - 1) * np.array([price - half, price + half])
            np.testing.assert_allclose([cmcr.low, cmcr.high], expected)


@each_seed
def test_the_middle_of_cmcr_is_the_conditional_reliance_of_the_best_model(seed):
    X, y = random_sample(seed)
    best = LinearRegression().fit(X, y)
    cmr = conditional_model_reliance(best, X, y, as_ratio=False).importances_mean
    np.testing.assert_allclose(cmr, 2 * len(y) / (len(y) - 1) * prices(X, y))


@each_seed
def test_an_onlooker_has_a_wide_mcr_and_a_cmcr_of_a_point(seed):
    X, y = river(0.9, seed, coefficients=(1, 0))
    good = LinearRashomonSet(X, y, epsilon=0.2)
    mcr = good.model_class_reliance("x2")
    cmcr = good.conditional_model_class_reliance("x2")
    assert mcr.low < 0.95 and mcr.high > 2.4
    assert (cmcr.low, cmcr.high) == pytest.approx((1, 1), abs=1e-6)


@each_seed
def test_a_model_that_ignores_a_column_has_cmr_1_whatever_the_column_knows(seed):
    X, y = river(0.9, seed)
    downstream = without(X, y, "x1")
    assert conditional_model_reliance(downstream, X, y).importances_mean[0] == pytest.approx(1)
    assert prices(X, y)[0] == pytest.approx(0.19)


# The protected column


@each_seed
def test_a_lender_can_ignore_race_and_keep_nine_tenths_of_the_gap(seed):
    table = make_census_world().sample(4000, random_state=seed)
    X, y = table.drop(columns="income"), table["income"]
    full, blind = LinearRegression().fit(X, y), without(X, y, "race")
    good = LinearRashomonSet(X, y, epsilon=0.1 * mse(full, X, y))
    assert good.contains(blind)
    assert good.model_class_reliance("race").low < 1 < 2 < good.model_class_reliance("race").high
    assert model_reliance(blind, X, y).to_frame().loc["race", "importance"] == pytest.approx(1)
    slopes = [np.polyfit(X["race"], f.predict(X), 1)[0] for f in (blind, full)]
    unique = 1 / (1 + 0.8**2 / 0.36 + 0.6**2 / 0.64)
    assert unique == pytest.approx(0.30, abs=0.01)
    expected = 1 - 0.5 * unique / 1.6
    assert expected == pytest.approx(0.906, abs=1e-3)
    assert slopes[0] / slopes[1] == pytest.approx(expected, abs=0.03)


# Real data: facts about one sample, so there are no seeds to vary


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = LinearRegression().fit(X, y)
    return X, y, model, LinearRashomonSet(X, y, epsilon=0.05 * mse(model, X, y))


def test_least_squares_relies_on_s1_most_and_the_algorithm_hardly_needs_it(diabetes):
    X, y, model, good = diabetes
    reliance = model_reliance(model, X, y).to_frame()["importance"]
    assert reliance.idxmax() == "s1" and reliance["s1"] == pytest.approx(2, abs=0.02)
    assert algorithm_reliance(LinearRegression(), X, y).importances_mean[4] < 1.01
    moved = abs(model.coef_ * (X.iloc[0] - X.mean()))
    assert moved.idxmax() == "s1"
    mcr = good.model_class_reliance("s1")
    assert mcr.low < 1 and mcr.high > 12
    assert good.conditional_model_class_reliance("s1").high < 1.06


def test_only_bmi_and_bp_are_needed_by_all_and_algorithm_reliance_says_so(diabetes):
    X, y, _, good = diabetes
    needed = [name for name in X if good.model_class_reliance(name).low > 1]
    ratio = algorithm_reliance(LinearRegression(), X, y).to_frame()["importance"]
    assert needed == ["bmi", "bp"] == list(ratio.index[ratio > 1.05])


def test_each_of_six_blood_values_can_go_but_not_all_of_them(diabetes):
    X, y, model, good = diabetes
    six = [f"s{k}" for k in range(1, 7)]
    assert all(good.model_class_reliance(name).low < 1 for name in six)
    rest = X.drop(columns=six)
    assert mse(LinearRegression().fit(rest, y), rest, y) > 1.2 * mse(model, X, y)


@each_seed
def test_random_draws_all_rely_on_s5_which_is_not_needed(diabetes, seed):
    """By the closed form of the reliance, which is tested above."""
    X, y, _, good = diabetes
    models, x = good.sample(300, random_state=seed), X["s5"]
    errors = [y - model.predict(X) for model in models]
    b = [model.coef_[8] for model in models]
    rises = [2 * bj * (np.cov(e, x)[0, 1] + bj * x.var()) for bj, e in zip(b, errors, strict=True)]
    s5 = 1 + np.array(rises) / np.mean(np.square(errors), axis=1)
    assert s5[0] == pytest.approx(model_reliance(models[0], X, y).importances_mean[8])
    mcr = good.model_class_reliance("s5")
    assert mcr.low < 1 < 1.03 < s5.min() and s5.max() < 0.95 * mcr.high


def test_the_more_is_tolerated_the_less_is_needed_of_the_wine():
    X = load_wine(as_frame=True).data
    y = X.pop("color_intensity")
    share = algorithm_reliance(LinearRegression(), X, y).importances_mean - 1
    needed = [set(np.flatnonzero(share > s)) for s in (0.01, 0.05, 0.2)]
    assert needed[2] <= needed[1] < needed[0]
