"""The claims of lesson 09, each with what its test varies."""

import numpy as np
import pandas as pd
import pytest
from depth import at_most
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
from course_lib.worlds import make_exact_linear

SEEDS = range(at_most(6, 6, 10))
each_seed = pytest.mark.parametrize("seed", SEEDS[: at_most(3, 3, 12)])
N = 200
SHARE = N / (N - 1)  # covariances with n-1 over those with n


def river(rho, seed=0, coefficients=(1, 1)):
    return make_exact_linear(N, seed, correlation=[[1, rho], [rho, 1]], coefficients=coefficients)


def drawn_river(n, seed):
    """A sample of the river whose moments are not exact."""
    rng = np.random.default_rng(seed)
    x1 = rng.normal(size=n)
    X = pd.DataFrame({"x1": x1, "x2": 0.9 * x1 + np.sqrt(0.19) * rng.normal(size=n)})
    return X, X["x1"] + X["x2"] + rng.normal(size=n)


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
    """Varies: seed."""
    X, y = river(0.9, seed)
    upstream, downstream = without(X, y, "x2"), without(X, y, "x1")
    for model in (upstream, downstream):
        assert LinearRashomonSet(X, y, epsilon=0.19 + 1e-9).contains(model)
        assert not LinearRashomonSet(X, y, epsilon=0.19 - 1e-6).contains(model)
    assert mse(upstream, X, y) == pytest.approx(1.19) == mse(downstream, X, y)
    assert np.mean((y - y.mean()) ** 2) == pytest.approx(4.8)  # the best model's is 1
    sevenfold = 1 + 2 * 1.9**2 * SHARE / 1.19
    assert sevenfold == pytest.approx(7.1, abs=0.01)
    for model, expected in ((upstream, [sevenfold, 1]), (downstream, [1, sevenfold])):
        np.testing.assert_allclose(model_reliance(model, X, y).importances_mean, expected)


@each_seed
def test_the_error_is_a_bowl_around_the_fit(seed):
    """Varies: seed, model, correlation."""
    X, y = random_sample(seed)
    best, G = LinearRegression().fit(X, y), np.cov(X.T, ddof=0)
    for model in LinearRashomonSet(X, y, epsilon=0.5).sample(5, random_state=seed):
        model.intercept_ = float(np.mean(y - X @ model.coef_))
        d = model.coef_ - best.coef_
        excess = mse(model, X, y) - mse(best, X, y)
        assert excess == pytest.approx(d @ G @ d)
        assert excess != pytest.approx(d @ np.cov(X.T) @ d, rel=0.01)  # with n - 1 it is not


@each_seed
def test_five_per_cent_of_error_move_the_reliance_by_more_than_a_factor_of_three(seed):
    """Varies: seed."""
    X, y = river(0.9, seed)
    mcr = LinearRashomonSet(X, y, epsilon=0.05).model_class_reliance("x1")
    best = model_reliance(LinearRegression().fit(X, y), X, y).importances_mean[0]
    assert best == pytest.approx(1 + 2 * SHARE)
    assert mcr.high > 5 and mcr.high / mcr.low > 3


@each_seed
def test_the_two_extreme_models_are_good_and_attain_the_ends(seed):
    """Varies: seed, column, correlation."""
    X, y = random_sample(seed)
    good = LinearRashomonSet(X, y, epsilon=0.1)
    for j in range(4):
        mcr = good.model_class_reliance(j)
        for model, end in ((mcr.low_model, mcr.low), (mcr.high_model, mcr.high)):
            assert good.contains(model)
            assert model_reliance(model, X, y).importances_mean[j] == pytest.approx(end)
            assert model.intercept_ == pytest.approx(np.mean(y - X @ model.coef_), abs=1e-6)


@pytest.mark.parametrize(
    ("rho", "epsilon", "at_the_border"), [(0.9, 0.05, True), (0.9, 1, True), (0, 0.5, False)]
)
def test_both_ends_lie_on_the_border_of_the_rivers_ellipse_and_need_not_elsewhere(
    rho, epsilon, at_the_border
):
    """Without correlation no model relies on x1 more than 3.43-fold. Varies: rho, epsilon."""
    X, y = river(rho)
    ends = LinearRashomonSet(X, y, epsilon=epsilon).model_class_reliance("x1")
    assert mse(ends.low_model, X, y) == pytest.approx(1 + epsilon, abs=1e-3)
    assert (mse(ends.high_model, X, y) > 1 + 0.99 * epsilon) == at_the_border
    wider = LinearRashomonSet(X, y, epsilon=2 * epsilon).model_class_reliance("x1")
    assert (wider.high > 1.01 * ends.high) == at_the_border  # the range opens at both ends


@pytest.mark.parametrize("epsilon", [0.01, 0.05, 0.1])
def test_a_short_conditional_range_above_1_means_that_nothing_stands_in(diabetes, epsilon):
    """Long above short, and yet needed: the river's x1, and bmi. Varies: tolerance, data."""
    for X, y, name in ((*river(0.9), "x1"), (*diabetes[:2], "bmi")):
        best = mse(LinearRegression().fit(X, y), X, y)
        good = LinearRashomonSet(X, y, epsilon=epsilon * best)
        whole, unique = (
            good.model_class_reliance(name),
            good.conditional_model_class_reliance(name),
        )
        assert whole.high - whole.low > unique.high - unique.low and unique.low > 1
        assert not good.contains(without(X, y, name))


@each_seed
def test_no_good_model_lies_outside_the_range(seed):
    """Varies: seed, model, column."""
    X, y = random_sample(seed)
    good = LinearRashomonSet(X, y, epsilon=0.1)
    mcrs = [good.model_class_reliance(j) for j in range(4)]
    for model in good.sample(100, random_state=seed):
        reliance = model_reliance(model, X, y).importances_mean
        assert all(m.low - 1e-9 <= r <= m.high + 1e-9 for m, r in zip(mcrs, reliance, strict=True))


@each_seed
def test_the_reliance_of_any_linear_model_has_the_closed_form(seed):
    """Varies: seed, model, correlation."""
    X, y = random_sample(seed)
    (model,) = LinearRashomonSet(X, y, epsilon=0.5).sample(1, random_state=seed)
    rest = y - X[:, 1:] @ model.coef_[1:]
    expected = 1 + 2 * model.coef_[0] * np.cov(rest, X[:, 0])[0, 1] / mse(model, X, y)
    assert model_reliance(model, X, y).importances_mean[0] == pytest.approx(expected)


# The price of ignoring


@each_seed
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_ignoring_x1_costs_one_minus_rho_squared(seed, rho):
    """Varies: seed, correlation."""
    np.testing.assert_allclose(prices(*river(rho, seed)), 1 - rho**2)


@each_seed
def test_rows_paired_with_themselves_shrink_the_increase_as_a_covariance_with_n_does(seed):
    """What the hint of exercise 09.2 names, by brute force. Varies: seed, model, column, rows."""
    X, y = random_sample(seed, n=20 + seed)
    X, y = np.asarray(X), np.asarray(y)
    n, b = len(y), np.random.default_rng(seed).normal(size=X.shape[1])
    intercept = np.mean(y - X @ b)
    for j in range(X.shape[1]):
        rest = y - intercept - np.delete(X, j, axis=1) @ np.delete(b, j)
        pairs = (rest[:, np.newaxis] - b[j] * X[:, j]) ** 2
        error = np.trace(pairs) / n
        apart, all_pairs = (pairs.sum() - n * error) / (n * (n - 1)) - error, pairs.mean() - error
        assert all_pairs == pytest.approx(apart * (n - 1) / n)
        assert all_pairs == pytest.approx(2 * b[j] * np.cov(rest, X[:, j], ddof=0)[0, 1])


@each_seed
def test_mcr_minus_is_above_1_exactly_while_epsilon_is_below_algorithm_reliance(seed):
    """Also with four columns, where a growing ellipsoid meets b_j = 0 before anything else.

    Varies: seed, column, tolerance, correlation.
    """
    X, y = random_sample(seed)
    for j, price in enumerate(prices(X, y)):
        for factor in (0.5, 0.99, 1.01, 2.0):
            good = LinearRashomonSet(X, y, epsilon=factor * price)
            assert (good.model_class_reliance(j).low > 1) == (factor < 1)
        at_the_price = LinearRashomonSet(X, y, epsilon=price).model_class_reliance(j)
        assert at_the_price.low == pytest.approx(1, abs=1e-7)


@each_seed
def test_past_the_price_the_least_reliant_model_has_the_wrong_sign(seed):
    """Varies: seed, correlation."""
    X, y = random_sample(seed)
    j = int(np.argmax(prices(X, y)))
    bhat = LinearRegression().fit(X, y).coef_[j]
    mcr = LinearRashomonSet(X, y, epsilon=1.2 * prices(X, y)[j]).model_class_reliance(j)
    assert mcr.low < 1
    assert mcr.low_model.coef_[j] * bhat < 0


@each_seed
def test_reliance_is_below_1_where_the_coefficient_points_the_wrong_way_given_the_others(seed):
    """Also with a coefficient that is positive, as the best one is: (0.2, 2.3) for the river.

    Varies: seed, model, column, correlation, sign of the coefficient.
    """
    X, y = river(0.9, seed)
    positive = LinearRegression().fit(X, X @ [0.2, 2.3])
    assert model_reliance(positive, X, y).importances_mean[0] == pytest.approx(0.953, abs=1e-3)
    X, y = random_sample(seed)
    for model in LinearRashomonSet(X, y, epsilon=2.0).sample(20, random_state=seed):
        for j, reliance in enumerate(model_reliance(model, X, y).importances_mean):
            rest = y - X @ (model.coef_ * (np.arange(4) != j))
            refitted = np.cov(rest, X[:, j])[0, 1]
            assert (reliance < 1) == (model.coef_[j] * refitted < 0)


@each_seed
def test_a_growing_ellipsoid_reaches_the_second_border_of_reliance_1_later(seed):
    """Cov(y - rest, x_j) = 0 is b^2 s^2 u^2 / (s^2 - u^2) away, b_j = 0 only b^2 u^2.

    Varies: seed, column, correlation.
    """
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
    """Varies: seed, tolerance."""
    X, y = river(0.9, seed)
    ends = [LinearRashomonSet(X, y, epsilon=e).model_class_reliance("x1") for e in (0, 10, 100)]
    assert ends[0].low == pytest.approx(ends[0].high) == pytest.approx(1 + 2 * SHARE)
    assert ends[1].high == pytest.approx(ends[2].high) == pytest.approx(12.06, abs=0.01)
    assert 0.5 < ends[2].low < ends[1].low < 0.55


@each_seed
def test_a_range_grows_with_epsilon(seed):
    """Varies: seed, tolerance."""
    X, y = random_sample(seed)
    ends = [
        LinearRashomonSet(X, y, epsilon=e).model_class_reliance(0) for e in (0, 0.05, 0.2, 1, 5)
    ]
    assert (np.diff([m.low for m in ends]) <= 1e-12).all()
    assert (np.diff([m.high for m in ends]) >= -1e-12).all()


# Reading


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = LinearRegression().fit(X, y)
    return X, y, model, LinearRashomonSet(X, y, epsilon=0.05 * mse(model, X, y))


def test_the_picture_has_a_relative_of_each_range_of_the_notes(diabetes):
    """Varies: nothing, the sentence names this sample, class and tolerance."""
    X, y, _, good = diabetes
    age, s4, bmi = (good.model_class_reliance(name) for name in ("age", "s4", "bmi"))
    assert (age.low, age.high) == pytest.approx((0.985, 1.040), abs=6e-4)
    assert round(100 * (age.high - 1)) == 4  # none loses more than about 4 %
    assert (s4.low, s4.high) == pytest.approx((0.98, 2.21), abs=6e-3)
    assert (bmi.low, bmi.high) == pytest.approx((1.13, 1.82), abs=6e-3)
    can_go = [good.contains(without(X, y, name)) for name in ("age", "s4", "bmi")]
    assert can_go == [True, True, False]


def test_a_good_model_may_have_twenty_times_the_coefficient_of_age(diabetes):
    """Varies: nothing, the sentence names this sample, class and tolerance."""
    _, _, model, good = diabetes
    low, high = good.coefficient_range("age")
    assert max(abs(low), abs(high)) > 20 * abs(model.coef_[0])


@each_seed
def test_where_the_range_contains_1_some_good_linear_model_ignores_the_column(seed):
    """Varies: seed, tolerance, column, number of columns."""
    X, y = random_sample(seed, p=3 + seed % 3)
    for epsilon in (0.02, 0.2, 1.0):
        good = LinearRashomonSet(X, y, epsilon=epsilon)
        for j in range(X.shape[1]):
            mcr = good.model_class_reliance(j)
            rest = X * (np.arange(X.shape[1]) != j)
            ignoring = LinearRegression().fit(rest, y)
            assert (mcr.low <= 1 <= mcr.high) == good.contains(ignoring)


@each_seed
def test_a_column_unrelated_to_everything_has_the_range_1_to_1_at_any_epsilon(seed):
    """The one exception to "exactly 1 at a single epsilon only".

    Varies: seed, tolerance.
    """
    correlation = np.eye(3)
    correlation[0, 1] = correlation[1, 0] = 0.8
    X, y = make_exact_linear(N, seed, correlation=correlation, coefficients=[0.5, 0.5, 0])
    for epsilon in (0.05, 0.5):
        good = LinearRashomonSet(X, y, epsilon=epsilon)
        alone = good.model_class_reliance("x3")
        assert (alone.low, alone.high) == pytest.approx((1, 1))
        reads = LinearRegression().fit(X, X @ [0.5, 0.5, 0.2])
        assert good.contains(reads)
        assert model_reliance(reads, X, y).importances_mean[2] == pytest.approx(1)


# Correlation, copies, classes


@each_seed
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9, 0.999])
def test_the_coefficient_reaches_root_of_epsilon_over_one_minus_rho_squared(seed, rho):
    """Varies: seed, correlation."""
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
    """From 0.99 on by taking the other gauge away, up to 0.9 not. Varies: seed, correlation."""
    ends = {
        rho: LinearRashomonSet(*river(rho, seed), epsilon=0.05).model_class_reliance("x1")
        for rho in (0, 0.5, 0.9, 0.99, 0.999)
    }
    highs = [one.high for one in ends.values()]
    assert (np.diff(highs) > 0).all() and highs[-1] > 60
    for rho, one in ends.items():
        b1, b2 = one.high_model.coef_
        assert b1 > 1 and (b2 < 0) == (rho >= 0.99)


@each_seed
def test_copies_are_refused_and_any_reliance_can_be_had(seed):
    """Varies: seed, size of the coefficients."""
    X, y = river(0.9, seed)
    copied = X.assign(x2=X["x1"])
    with pytest.raises(ValueError, match="x2 is a copy.*is unbounded"):
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
    """Varies: seed, penalty."""
    X, y = river(0.9, seed)
    copied = X.assign(x2=X["x1"])
    highs = [
        LinearRashomonSet(copied, y, epsilon=0.05, alpha=a).model_class_reliance("x1").high
        for a in (0.1, 0.01, 0.001)
    ]
    assert highs[1] > 2 * highs[0] and highs[2] > 4 * highs[1]


@each_seed
def test_linear_models_cannot_use_the_dose_and_kernels_cannot_do_without(seed):
    """Varies: seed, model class, width of the bumps."""
    rng = np.random.default_rng(seed)
    n = 50
    X = np.column_stack([np.linspace(-1.5, 1.5, n), rng.normal(size=n)])
    y = X[:, 0] ** 2 + 0.5 * X[:, 1] + 0.3 * rng.normal(size=n)
    y = y - y.mean()
    least = LinearRashomonSet(X, y, epsilon=0).least_loss
    linear = LinearRashomonSet(X, y, epsilon=0.05 * least).model_class_reliance(0)
    options = {"gamma": (0.25, 0.5, 1)[seed % 3], "alpha": 0.001}
    best = KernelRashomonSet(X, y, epsilon=0, **options)
    kernel = KernelRashomonSet(X, y, epsilon=0.05 * best.least_loss, **options)
    assert linear.low < 1.05 and linear.high < 1.35
    bent = kernel.model_class_reliance(0)
    assert bent.low > 5
    assert least > 3 * mse(best.best_model, X, y)
    assert mse(best.best_model, X, y) < 0.15 * y.var(), "little error is left"
    assert mse(bent.low_model, X, y) > 1.05 * mse(best.best_model, X, y), "its plain error"
    assert kernel.contains(bent.low_model), "by the penalised loss it is good"


# Other losses, new rows


@each_seed
def test_good_models_form_a_convex_set_with_a_convex_loss_and_pieces_with_zero_one_loss(seed):
    """Good are models no worse than the worse of two. Varies: seed, labels, models, loss."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=30), rng.choice([-1, 1], size=30)
    losses = {
        "hinge": lambda margin: np.maximum(0, 1 - margin),
        "logistic": lambda margin: np.log1p(np.exp(-margin)),
        "zero-one": lambda margin: margin <= 0,
    }
    apart = dict.fromkeys(losses, 0)
    for a, b in rng.normal(size=(50, 2, 2)):
        for name, loss in losses.items():
            errors = [loss(y * (m[0] + m[1] * x)).mean() for m in (a, b, (a + b) / 2)]
            apart[name] += errors[2] > max(errors[:2]) + 1e-12
    assert apart["hinge"] == apart["logistic"] == 0 < apart["zero-one"]


@pytest.mark.parametrize("n", [50, 200])
@pytest.mark.parametrize("epsilon", [0.05, 0.2])
def test_the_population_end_is_covered_once_tolerance_and_end_are_widened_for_one_model(n, epsilon):
    """The argument behind the bounds for new rows, with two standard errors of that one model.

    The reference is fixed beforehand. Varies: sample, its size, tolerance.
    """
    large = river(0.9)  # its moments are those of the population
    population = LinearRashomonSet(*large, epsilon=epsilon).model_class_reliance("x1")
    most, reference = population.high_model, LinearRegression().fit(*large)
    bare, widened = [], []
    for seed in range(40):
        X, y = drawn_river(n, seed)
        losses = squared_error(y, most.predict(X))
        more = losses - squared_error(y, reference.predict(X))
        scrambled = squared_error(y, most.predict(X.assign(x1=np.roll(X["x1"], 1))))
        margin = 2 * np.std(scrambled - population.high * losses) / losses.mean() / np.sqrt(n)
        for extra, room, found in (
            (0.0, 0.0, bare),
            (2 * more.std() / np.sqrt(n), margin, widened),
        ):
            good = LinearRashomonSet(X, y, epsilon=epsilon + extra, reference=reference)
            found.append(good.model_class_reliance("x1").high + room >= population.high)
    assert np.mean(bare) < 0.9 < 0.94 < np.mean(widened)


# Unique information


@each_seed
def test_cmcr_has_its_closed_form_in_algorithm_reliance_and_epsilon(seed):
    """Varies: seed, tolerance, column."""
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
    """Varies: seed, column."""
    X, y = random_sample(seed)
    best = LinearRegression().fit(X, y)
    cmr = conditional_model_reliance(best, X, y, as_ratio=False).importances_mean
    np.testing.assert_allclose(cmr, 2 * len(y) / (len(y) - 1) * prices(X, y))


@each_seed
def test_both_lower_ends_are_above_1_for_the_same_tolerances(seed):
    """Varies: seed, column, tolerance, correlation."""
    X, y = random_sample(seed)
    for j, price in enumerate(prices(X, y)):
        for factor in (0.5, 0.99, 1.01, 2.0):
            good = LinearRashomonSet(X, y, epsilon=factor * price)
            above = good.conditional_model_class_reliance(j).low > 1
            assert above == (good.model_class_reliance(j).low > 1) == (factor < 1)


@each_seed
def test_the_range_is_1_to_1_exactly_if_the_best_model_has_a_cmr_of_1(seed):
    """A unique part there is all the same: with 0.19 of its variance, and of no help.

    Varies: seed, coefficient, tolerance.
    """
    for b in (0.0, 0.3):
        X, y = river(0.9, seed, coefficients=(b, 1))
        best = conditional_model_reliance(LinearRegression().fit(X, y), X, y).importances_mean[0]
        for epsilon in (0.05, 0.5):
            good = LinearRashomonSet(X, y, epsilon=epsilon)
            cmcr = good.conditional_model_class_reliance("x1")
            point = (cmcr.low, cmcr.high) == pytest.approx((1, 1), abs=1e-6)
            assert point == (best == pytest.approx(1, abs=1e-6)) == (b == 0)
        rest = LinearRegression().fit(X[["x2"]], X["x1"]).predict(X[["x2"]])
        assert np.var(X["x1"] - rest) == pytest.approx(0.19)


@each_seed
def test_an_onlooker_has_a_wide_mcr_and_a_cmcr_of_a_point(seed):
    """Varies: seed."""
    X, y = river(0.9, seed, coefficients=(1, 0))
    good = LinearRashomonSet(X, y, epsilon=0.2)
    mcr = good.model_class_reliance("x2")
    cmcr = good.conditional_model_class_reliance("x2")
    assert mcr.low < 0.95 and mcr.high > 2.4
    assert (cmcr.low, cmcr.high) == pytest.approx((1, 1), abs=1e-6)


@each_seed
def test_a_model_that_ignores_a_column_has_cmr_1_whatever_the_column_contributes(seed):
    """Varies: seed."""
    X, y = river(0.9, seed)
    downstream = without(X, y, "x1")
    assert conditional_model_reliance(downstream, X, y).importances_mean[0] == pytest.approx(1)
    assert prices(X, y)[0] == pytest.approx(0.19)


# The protected column


@each_seed
@pytest.mark.parametrize("n", [2000, 8000])
def test_a_lender_can_ignore_the_group_and_keep_nine_tenths_of_the_gap(seed, n):
    """Varies: seed, number of rows."""
    rng = np.random.default_rng(seed)
    group = np.repeat([-1.0, 1.0], n // 2)
    X = np.column_stack(
        [group, 0.8 * group + 0.6 * rng.normal(size=n), 0.6 * group + 0.8 * rng.normal(size=n)]
    )
    y = X @ [0.5, 1.0, 0.5] + rng.normal(size=n)
    full, blind = LinearRegression().fit(X, y), LinearRegression().fit(X * [0, 1, 1], y)
    good = LinearRashomonSet(X, y, epsilon=0.1 * mse(full, X, y))
    mcr = good.model_class_reliance(0)
    assert good.contains(blind) and mcr.low < 1 < 2 < mcr.high
    gaps = [np.diff([f.predict(X[group == g]).mean() for g in (-1, 1)])[0] for f in (blind, full)]
    unique = 1 / (1 + 0.8**2 / 0.36 + 0.6**2 / 0.64)
    assert unique == pytest.approx(0.30, abs=0.01)
    expected = 1 - 0.5 * unique / 1.6
    assert expected == pytest.approx(0.91, abs=0.005)
    assert gaps[0] / gaps[1] == pytest.approx(expected, abs=0.04)
    assert gaps[1] / 2 == pytest.approx(1.6, abs=0.2)


# Real data: facts about one sample, so there are no seeds to vary


def test_least_squares_relies_on_s1_most_and_the_algorithm_hardly_needs_it(diabetes):
    """Varies: nothing, the sentence names this sample, class and tolerance."""
    X, y, model, good = diabetes
    reliance = model_reliance(model, X, y).to_frame()["importance"]
    assert reliance.idxmax() == "s1" and reliance["s1"] == pytest.approx(2, abs=0.02)
    assert algorithm_reliance(LinearRegression(), X, y).importances_mean[4] < 1.01
    mcr = good.model_class_reliance("s1")
    assert mcr.low < 1 and mcr.high > 12
    b = dict(zip(X, mcr.high_model.coef_, strict=True))
    assert b["s1"] < -2500 and b["s2"] > 1900, "subtract s1 and add its neighbours back"
    assert b["s3"] > 900 and b["s4"] > 400
    cmcr = good.conditional_model_class_reliance("s1")
    assert 1 < cmcr.high < 1.06


def test_only_bmi_and_bp_are_needed_by_all_and_algorithm_reliance_says_so(diabetes):
    """Varies: nothing, the sentence names this sample, class and tolerance."""
    X, y, _, good = diabetes
    needed = [name for name in X if good.model_class_reliance(name).low > 1]
    ratio = algorithm_reliance(LinearRegression(), X, y).to_frame()["importance"]
    assert needed == ["bmi", "bp"] == list(ratio.index[ratio > 1.05])
    expected = {"bmi": 1.142, "bp": 1.057, "sex": 1.036, "s5": 1.044}
    assert {name: round(ratio[name], 3) for name in expected} == expected
    assert (ratio.drop(list(expected)) < 1.01).all()
    assert good.model_class_reliance("bp").low == pytest.approx(1.007, abs=5e-4)
    sex = good.conditional_model_class_reliance("sex")
    assert (sex.low, sex.high) == pytest.approx((0.987, 1.149), abs=6e-4)


def test_each_of_six_blood_values_can_go_but_not_all_of_them(diabetes):
    """Varies: nothing, the sentence names this sample, class and tolerance."""
    X, y, model, good = diabetes
    six = [f"s{k}" for k in range(1, 7)]
    assert all(good.model_class_reliance(name).low < 1 for name in six)
    rest = X.drop(columns=six)
    without = mse(LinearRegression().fit(rest, y), rest, y)
    assert without / mse(model, X, y) == pytest.approx(1.25, abs=0.02)  # a quarter above


@each_seed
def test_random_draws_all_rely_on_s5_which_is_not_needed(diabetes, seed):
    """By the closed form of the reliance, which is tested above.

    Varies: seed of the draws.
    """
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
    """Varies: tolerance."""
    X = load_wine(as_frame=True).data
    y = X.pop("color_intensity")
    share = algorithm_reliance(LinearRegression(), X, y).importances_mean - 1
    needed = [set(np.flatnonzero(share > s)) for s in (0.01, 0.05, 0.25)]
    assert [len(columns) for columns in needed] == [8, 3, 1]
    assert needed[2] < needed[1] < needed[0]
