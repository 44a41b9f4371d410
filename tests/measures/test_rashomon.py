"""Model class reliance: ends attained, globally optimal, equal to closed forms."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from course_lib.measures import (
    KernelRashomonSet,
    LinearRashomonSet,
    conditional_model_reliance,
    model_reliance,
)
from course_lib.questions import Q5, Q6


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)) + [0, 10, -3]
    X[:, 1] += 0.8 * X[:, 0]
    return X, X @ [1.0, 0.5, 0.0] + rng.normal(size=50)


@pytest.fixture
def curved():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(25, 2))
    X[:, 1] += 0.5 * X[:, 0]
    y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.3 * rng.normal(size=25)
    return X, y - y.mean()


def mse(model, X, y):
    return np.mean((y - model.predict(X)) ** 2)


def reliance(model, X, y, j, as_ratio, conditional, fit_intercept):
    if not conditional:
        return model_reliance(model, X, y, as_ratio=as_ratio).importances_mean[j]
    imputer = LinearRegression(fit_intercept=fit_intercept)
    result = conditional_model_reliance(model, X, y, imputer=imputer, as_ratio=as_ratio)
    return result.importances_mean[j]


def class_reliance(models, j, as_ratio, conditional):
    if conditional:
        return models.conditional_model_class_reliance(j, as_ratio=as_ratio)
    return models.model_class_reliance(j, as_ratio=as_ratio)


ways = pytest.mark.parametrize(
    ("as_ratio", "conditional"), [(True, False), (False, False), (True, True), (False, True)]
)


@ways
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 0.1])
@pytest.mark.parametrize("epsilon", [0.0, 0.05, 3.0])
def test_both_ends_are_attained_by_models_of_the_set(
    data, as_ratio, conditional, fit_intercept, alpha, epsilon
):
    X, y = data
    good = LinearRashomonSet(X, y, epsilon=epsilon, fit_intercept=fit_intercept, alpha=alpha)
    for j in range(3):
        ends = class_reliance(good, j, as_ratio, conditional)
        for value, model in ((ends.low, ends.low_model), (ends.high, ends.high_model)):
            assert good.contains(model)
            assert mse(model, X, y) + alpha * np.sum(model.coef_**2) <= good.limit * (1 + 1e-9)
            found = reliance(model, X, y, j, as_ratio, conditional, fit_intercept)
            assert found == pytest.approx(value, rel=1e-8, abs=1e-8)
        assert ends.question is (Q6 if conditional else Q5)
        assert ends.feature == f"x{j}"
        if epsilon == 0:
            assert ends.low == pytest.approx(ends.high)
        else:
            assert ends.low < ends.high


@ways
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_no_random_member_lies_outside_the_range(data, as_ratio, conditional, fit_intercept):
    X, y = data
    good = LinearRashomonSet(X, y, epsilon=0.5, fit_intercept=fit_intercept)
    members = good.sample(60, random_state=0)
    assert all(good.contains(model) for model in members)
    for j in (0, 2):
        ends = class_reliance(good, j, as_ratio, conditional)
        values = [
            reliance(model, X, y, j, as_ratio, conditional, fit_intercept) for model in members
        ]
        assert ends.low <= min(values) and max(values) <= ends.high
        assert max(values) - min(values) > (ends.high - ends.low) / 4


def losses_in_coefficients(X, y, j):
    """e_switch - e_orig and e_orig as functions of (intercept, b), from the definitions."""
    Z = np.column_stack([np.ones(len(y)), X])
    covariance = np.cov(X, y, rowvar=False)

    def difference(theta):
        b = np.where(np.arange(len(theta) - 1) == j, 0.0, theta[1:])
        return 2 * theta[1 + j] * (covariance[j, -1] - covariance[j, :-1] @ b)

    return difference, lambda theta: np.mean((y - Z @ theta) ** 2)


@pytest.mark.parametrize("as_ratio", [True, False])
def test_five_thousand_members_come_close_to_the_ends_and_never_beyond(data, as_ratio):
    X, y = data[0][:, :2], data[1]
    good = LinearRashomonSet(X, y, epsilon=0.5)
    for j in range(2):
        difference, error = losses_in_coefficients(X, y, j)
        thetas = [np.append(model.intercept_, model.coef_) for model in good.sample(5000, 0)]
        values = [difference(t) / error(t) + 1 if as_ratio else difference(t) for t in thetas]
        ends = good.model_class_reliance(j, as_ratio=as_ratio)
        width = ends.high - ends.low
        assert ends.low <= min(values) <= ends.low + 0.1 * width
        assert ends.high - 0.1 * width <= max(values) <= ends.high


def pulled_inside(good, theta, error):
    """A point of the set: SLSQP keeps to its constraint only up to 1e-6 or so."""
    centre = np.append(good.best_model.intercept_, good.best_model.coef_)
    room, used = good.limit - good.least_loss, error(theta) - good.least_loss
    return centre + (theta - centre) * np.sqrt(min(1.0, room / used))


def by_slsqp(good, X, y, j, as_ratio, starts):
    """The ends by a general optimiser from random members: equal or worse, never better."""
    difference, error = losses_in_coefficients(X, y, j)
    inside = {"type": "ineq", "fun": lambda theta: good.limit - error(theta)}
    ends = []
    for sign in (1, -1):
        values = []
        for model in good.sample(starts, random_state=0):
            start = np.append(model.intercept_, model.coef_)
            theta = minimize(
                lambda theta, sign=sign: (
                    sign * difference(theta) / (error(theta) if as_ratio else 1)
                ),
                start,
                method="SLSQP",
                constraints=inside,
            ).x
            theta = pulled_inside(good, theta, error)
            values.append(difference(theta) / error(theta) if as_ratio else difference(theta))
        ends.append(sign * min(sign * np.array(values)))
    return np.array(ends) + as_ratio


@pytest.mark.parametrize("as_ratio", [True, False])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_general_optimiser_with_many_starts_finds_nothing_better(as_ratio, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 4)) @ (np.eye(4) + 0.3 * rng.normal(size=(4, 4)))
    y = X @ [0.5, 1, 0, -1] + rng.normal(size=60)
    good = LinearRashomonSet(X, y, epsilon=0.2)
    for j in (0, 2):
        ends = good.model_class_reliance(j, as_ratio=as_ratio)
        low, high = by_slsqp(good, X, y, j, as_ratio, starts=4)
        scale = abs(high) + abs(low)
        assert ends.low <= low + 1e-7 * scale and ends.high >= high - 1e-7 * scale
        assert (ends.low, ends.high) == pytest.approx((low, high), rel=1e-3, abs=1e-3)


@given(st.integers(0, 10_000), st.floats(0.001, 10))
@settings(deadline=None, max_examples=20)
def test_the_conditional_difference_has_the_closed_form_of_the_syllabus(seed, epsilon):
    """CMR_diff(b) = 2 b_j bhat_j s_e^2, and b_j ranges over bhat_j +- sqrt(epsilon n / |e|^2)."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 3)) @ rng.normal(size=(3, 3))
    y = rng.normal(size=30)
    fit = LinearRegression().fit(X, y)
    rest = X[:, 1:]
    e = X[:, 0] - LinearRegression().fit(rest, X[:, 0]).predict(rest)
    reach = np.sqrt(epsilon * 30 / (e @ e))
    ends = 2 * fit.coef_[0] * e.var(ddof=1) * (fit.coef_[0] + np.array([-reach, reach]))
    good = LinearRashomonSet(X, y, epsilon=epsilon)
    result = good.conditional_model_class_reliance(0, as_ratio=False)
    np.testing.assert_allclose([result.low, result.high], np.sort(ends), rtol=1e-6, atol=1e-9)


def test_a_single_feature_has_ends_known_by_hand():
    """x = +-1, y = x + r with r = +-1 orthogonal: MSE = 1 + (b - 1)^2 + b0^2; with epsilon = 1,
    e_switch - e_orig = 2 b Cov(y, x) = 8/3 b, from 0 to 16/3; the ratio at b is 1 + 8/3 b / MSE,
    greatest at b = sqrt 2."""
    X = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    y = X[:, 0] + [1, -1, 1, -1]
    good = LinearRashomonSet(X, y, epsilon=1.0)
    difference = good.model_class_reliance(0, as_ratio=False)
    assert (difference.low, difference.high) == pytest.approx((0, 16 / 3), abs=1e-9)
    assert difference.high_model.coef_[0] == pytest.approx(2)
    ratio = good.model_class_reliance("x0")
    assert ratio.low == pytest.approx(1)
    b = np.sqrt(2)
    assert ratio.high == pytest.approx(1 + 8 / 3 * b / (1 + (b - 1) ** 2))
    assert ratio.high_model.coef_[0] == pytest.approx(b)
    conditional = good.conditional_model_class_reliance(0)
    assert (conditional.low, conditional.high) == pytest.approx((ratio.low, ratio.high))


def test_the_least_reliance_can_be_below_one(data):
    X, y = data
    good = LinearRashomonSet(X, y, epsilon=1.0)
    assert good.model_class_reliance(2).low < 1
    assert good.model_class_reliance(2, as_ratio=False).low < 0


def test_the_range_grows_with_epsilon_and_starts_at_the_reliance_of_the_fit(data):
    X, y = data
    fit = model_reliance(LinearRegression().fit(X, y), X, y).importances_mean[0]
    sets = [LinearRashomonSet(X, y, epsilon=epsilon) for epsilon in (0, 0.01, 0.1, 1)]
    ends = [good.model_class_reliance(0) for good in sets]
    assert (ends[0].low, ends[0].high) == pytest.approx((fit, fit))
    assert all(a.low > b.low and a.high < b.high for a, b in zip(ends[:-1], ends[1:], strict=True))


def test_the_reference_sets_the_limit_whatever_its_class(data):
    X, y = data
    worse = Ridge(100).fit(X, y)
    good = LinearRashomonSet(X, y, epsilon=0.1, reference=worse)
    assert good.limit == pytest.approx(mse(worse, X, y) + 0.1)
    assert good.contains(worse)
    assert not LinearRashomonSet(X, y, epsilon=0).contains(worse)
    wider = LinearRashomonSet(X, y, epsilon=good.limit - LinearRashomonSet(X, y, epsilon=0).limit)
    assert good.model_class_reliance(0).high == pytest.approx(wider.model_class_reliance(0).high)
    forest = RandomForestRegressor(20, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="Raise epsilon by at least"):
        LinearRashomonSet(X, y, epsilon=0.0, reference=forest)
    assert LinearRashomonSet(X, y, epsilon=2.0, reference=forest).contains(
        LinearRegression().fit(X, y)
    )


def test_contains_asks_for_class_and_loss(data):
    X, y = data
    good = LinearRashomonSet(X, y, epsilon=0.1)
    assert good.contains(LinearRegression().fit(X, y))
    assert good.contains(make_pipeline(StandardScaler(), LinearRegression()).fit(X, y))
    assert not good.contains(LinearRegression().fit(X, -y))
    assert not good.contains(RandomForestRegressor(50, random_state=0).fit(X, y))
    assert not good.contains(LinearRegression().fit(X, np.column_stack([y, y])))
    assert good.contains(LinearRegression().fit(X, y[:, np.newaxis]))
    assert not good.contains(RandomForestClassifier(3).fit(X, y > 0))
    assert not good.contains(RandomForestClassifier(3).fit(X, np.where(y > 0, "a", "b")))
    through_0 = LinearRashomonSet(X, y, epsilon=10.0, fit_intercept=False)
    assert through_0.contains(LinearRegression(fit_intercept=False).fit(X, y))
    assert not through_0.contains(LinearRegression().fit(X, y + 1))
    with pytest.raises(ValueError, match="not been fitted"):
        good.contains(LinearRegression())
    with pytest.raises(ValueError, match="was fitted with"):
        good.contains(LinearRegression().fit(X[:, :2], y))


def test_members_are_drawn_uniformly_from_the_ellipsoid(data):
    """The squared radius of a uniform draw from a ball in k dimensions, to the power k/2, is
    uniform on [0, 1]; the mean draw is the centre."""
    X, y = data
    good = LinearRashomonSet(X, y, epsilon=0.3)
    members = good.sample(2000, random_state=0)
    share = np.array([(mse(model, X, y) - good.least_loss) / 0.3 for model in members]) ** 2
    assert abs(share.mean() - 0.5) < 4 * np.sqrt(1 / 12 / 2000)
    assert abs(share.std() - np.sqrt(1 / 12)) < 0.02
    coef = np.array([model.coef_ for model in members])
    error = coef.std(axis=0) / np.sqrt(2000)
    assert np.all(np.abs(coef.mean(axis=0) - good.best_model.coef_) < 4.5 * error)


def test_sampling_is_reproducible_and_members_know_their_names(data):
    X, y = data
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    good = LinearRashomonSet(frame, pd.Series(y), epsilon=0.1)
    first, second = (good.sample(3, random_state=5)[2] for _ in range(2))
    np.testing.assert_array_equal(first.coef_, second.coef_)
    assert list(first.feature_names_in_) == ["a", "b", "c"]
    assert good.model_class_reliance("b").feature == "b"
    np.testing.assert_allclose(
        first.predict(frame), frame.to_numpy() @ first.coef_ + first.intercept_
    )


def test_centring_and_scaling_do_not_change_the_range(data):
    X, y = data
    moved = LinearRashomonSet(X * [1, 1e3, 1e-3] + [1e3, 0, -5], y + 100, epsilon=0.2)
    plain = LinearRashomonSet(X, y, epsilon=0.2)
    for j in range(3):
        for as_ratio, conditional in ((True, False), (False, True)):
            a, b = (class_reliance(good, j, as_ratio, conditional) for good in (moved, plain))
            assert (a.low, a.high) == pytest.approx((b.low, b.high), rel=1e-6, abs=1e-7)


def test_ridge_is_the_minimum_of_its_class_and_bounds_duplicated_columns(data):
    X, y = data
    twins = np.column_stack([X, X[:, 0]])
    good = LinearRashomonSet(twins, y, epsilon=0.1, alpha=0.05)
    ridge = Ridge(alpha=50 * 0.05).fit(twins, y)
    np.testing.assert_allclose(good.best_model.coef_, ridge.coef_, rtol=1e-6, atol=1e-8)
    assert good.limit == pytest.approx(mse(ridge, twins, y) + 0.05 * np.sum(ridge.coef_**2) + 0.1)
    assert good.contains(ridge)
    a, b = good.model_class_reliance(0), good.model_class_reliance(3)
    assert (a.low, a.high) == pytest.approx((b.low, b.high))
    with pytest.raises(ValueError, match="reference must be a linear model"):
        LinearRashomonSet(X, y, epsilon=1, alpha=0.1, reference=RandomForestRegressor(3).fit(X, y))
    with_reference = LinearRashomonSet(twins, y, epsilon=0.1, alpha=0.05, reference=ridge)
    assert with_reference.limit == pytest.approx(good.limit)


# The kernel class


@ways
@pytest.mark.parametrize("gamma", [0.05, 1.0])
def test_both_ends_of_the_kernel_class_are_attained_by_its_members(
    curved, as_ratio, conditional, gamma
):
    X, y = curved
    good = KernelRashomonSet(X, y, epsilon=0.05, gamma=gamma, alpha=0.05)
    for j in range(2):
        ends = class_reliance(good, j, as_ratio, conditional)
        for value, model in ((ends.low, ends.low_model), (ends.high, ends.high_model)):
            assert good.contains(model)
            w, K = model.dual_coef_, np.exp(-gamma * ((X[:, np.newaxis] - X) ** 2).sum(axis=2))
            assert np.mean((y - K @ w) ** 2) + 0.05 * w @ K @ w <= good.limit * (1 + 1e-8)
            found = reliance(model, X, y, j, as_ratio, conditional, False)
            assert found == pytest.approx(value, rel=1e-8, abs=1e-8)
        assert ends.low < ends.high


@ways
def test_no_random_member_of_the_kernel_class_lies_outside(curved, as_ratio, conditional):
    X, y = curved
    good = KernelRashomonSet(X, y, epsilon=0.05, gamma=0.5, alpha=0.05)
    ends = class_reliance(good, 0, as_ratio, conditional)
    for model in good.sample(30, random_state=0):
        assert good.contains(model)
        value = reliance(model, X, y, 0, as_ratio, conditional, False)
        assert ends.low <= value <= ends.high


def test_a_general_optimiser_finds_nothing_better_in_the_kernel_class(curved):
    X, y = curved[0][:8], curved[1][:8]
    good = KernelRashomonSet(X, y, epsilon=0.05, gamma=0.5, alpha=0.05)
    K = np.exp(-0.5 * ((X[:, np.newaxis] - X) ** 2).sum(axis=2))
    k, i = np.nonzero(~np.eye(8, dtype=bool))
    switched = X[k].copy()
    switched[:, 0] = X[i, 0]
    K_switched = np.exp(-0.5 * ((switched[:, np.newaxis] - X) ** 2).sum(axis=2))

    def ratio(w):
        return np.mean((y[k] - K_switched @ w) ** 2) / np.mean((y - K @ w) ** 2)

    def room(w):
        return good.limit - np.mean((y - K @ w) ** 2) - 0.05 * w @ K @ w

    ends = good.model_class_reliance(0)
    for sign, end in ((1, ends.low), (-1, ends.high)):
        values = []
        for model in good.sample(4, random_state=0):
            w = minimize(
                lambda w, sign=sign: sign * ratio(w),
                model.dual_coef_,
                method="SLSQP",
                constraints={"type": "ineq", "fun": room},
                options={"maxiter": 300},
            ).x
            if room(w) >= -1e-9:
                values.append(sign * ratio(w))
        assert sign * end <= min(values) + 1e-6
        assert min(values) == pytest.approx(sign * end, rel=0.02)


def test_the_best_of_the_kernel_class_is_kernel_ridge(curved):
    X, y = curved
    good = KernelRashomonSet(X, y, epsilon=0.0, gamma=0.5, alpha=0.02)
    ridge = KernelRidge(kernel="rbf", gamma=0.5, alpha=25 * 0.02).fit(X, y)
    np.testing.assert_allclose(good.best_model.dual_coef_, ridge.dual_coef_, atol=1e-8)
    assert good.contains(ridge)
    assert not good.contains(KernelRidge(kernel="rbf", gamma=0.5, alpha=5.0).fit(X, y))
    wide = KernelRashomonSet(X, y, epsilon=100.0, gamma=0.5, alpha=0.02)
    assert not wide.contains(KernelRidge(kernel="rbf", gamma=0.4, alpha=0.5).fit(X, y))
    assert not wide.contains(KernelRidge(kernel="rbf", gamma=0.5, alpha=0.5).fit(X[::-1], y))
    assert not wide.contains(LinearRegression().fit(X, y))
    assert wide.contains(KernelRidge(kernel="rbf", gamma=0.5, alpha=9.0).fit(X, y))
    ends = good.model_class_reliance("x1")
    expected = model_reliance(ridge, X, y).importances_mean[1]
    assert (ends.low, ends.high) == pytest.approx((expected, expected), rel=1e-6)


def test_repeated_rows_and_copied_columns_are_no_obstacle_to_the_kernel_class(curved):
    """A copy of a row or a column makes no function unbounded: the penalty holds them all."""
    X, y = curved
    X = np.column_stack([X, X[:, 0]])
    X[1], y = X[0], y.copy()
    good = KernelRashomonSet(X, y, epsilon=0.02, gamma=0.5, alpha=0.05)
    a, b = good.model_class_reliance(0), good.model_class_reliance(2)
    assert (a.low, a.high) == pytest.approx((b.low, b.high))
    assert model_reliance(a.high_model, X, y).importances_mean[0] == pytest.approx(a.high)


# Refusals


def test_redundant_columns_are_refused_by_name_with_a_true_reason(data):
    X, y = data
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    copies = (X[:, 0], r"new is a copy .*\(c0\)"), (X[:, 0] + X[:, 2], r"new is .*\(c0, c2\)")
    for redundant, words in copies:
        with pytest.raises(ValueError, match=rf"singular: {words}.*unbounded.*Drop new\."):
            LinearRashomonSet(table.assign(new=redundant), y, epsilon=0.1)
    for redundant in (np.full(50, 0.1), np.zeros(50)):
        with pytest.raises(ValueError, match=r"singular: new is constant\..* is 0 .*Drop new\."):
            LinearRashomonSet(table.assign(new=redundant), y, epsilon=0.1)
    few = X.shape[1]
    with pytest.raises(ValueError, match=f"singular: {few} rows do not determine {few + 1} coeff"):
        LinearRashomonSet(X[:few], y[:few], epsilon=0.1)
    with pytest.raises(ValueError, match=r"a is a copy .*\(c0\).*Drop a, b\."):
        LinearRashomonSet(table.assign(a=X[:, 0], b=X[:, 1]), y, epsilon=0.1)


def test_the_reasons_for_refusing_a_copy_and_a_constant_are_true(data):
    """The best model with t of a copy and -t of the original: the reliance grows like t^2 and that
    on the unique part is 0. Of a constant column it is 0 for every coefficient."""
    X, y = data
    best = LinearRegression().fit(X, y)

    def reliance(measure, column, t):
        model = LinearRegression()
        model.coef_, model.intercept_ = np.append(best.coef_, t), best.intercept_
        model.coef_[0] -= t * column.std() / X[:, 0].std()
        model.intercept_ -= 0.0 if column.std() else t * column[0]
        model.n_features_in_ = X.shape[1] + 1
        return measure(model, np.column_stack([X, column]), y, as_ratio=False).importances_mean[-1]

    copy, constant = X[:, 0], np.full(len(X), 3.0)
    low, high = (reliance(model_reliance, copy, t) for t in (1e2, 1e4))
    assert high > 1e3 * low > 0
    assert reliance(conditional_model_reliance, copy, 1e2) == pytest.approx(0, abs=1e-8)
    assert all(abs(reliance(model_reliance, constant, t)) < 1e-9 for t in (0, 1, 1e3))


def test_a_ratio_over_zero_loss_is_refused_and_a_difference_is_not(data, curved):
    X, _ = data
    for y in (X @ [1.0, 2.0, 3.0], np.full(50, 0.1), np.zeros(50)):
        good = LinearRashomonSet(X, y, epsilon=0.1)
        for measure in (good.model_class_reliance, good.conditional_model_class_reliance):
            with pytest.raises(ValueError, match="unbounded"):
                measure(0)
            ends = measure(0, as_ratio=False)
            assert np.isfinite([ends.low, ends.high]).all()
            assert good.contains(ends.low_model) and good.contains(ends.high_model)
    repeated = (X > X.mean(axis=0)).astype(float)
    with pytest.raises(ValueError, match="unbounded"):
        KernelRashomonSet(
            repeated, np.ones(50), epsilon=0.5, gamma=1.0, alpha=0.1
        ).model_class_reliance(0)
    X, y = curved
    interpolates = KernelRashomonSet(X, y, epsilon=1e6, gamma=5.0, alpha=0.01)
    with pytest.raises(ValueError, match="unbounded"):
        interpolates.model_class_reliance(0)


def test_bad_input_is_refused_with_advice(data):
    X, y = data
    kernel = {"gamma": 1.0, "alpha": 0.1}
    for kind, options in ((LinearRashomonSet, {}), (KernelRashomonSet, kernel)):
        with pytest.raises(ValueError, match="epsilon"):
            kind(X, y, epsilon=-0.1, **options)
        with pytest.raises(TypeError, match="epsilon"):
            kind(X, y, epsilon="small", **options)
        with pytest.raises(TypeError, match="y must hold numbers"):
            kind(X, ["a"] * 50, epsilon=0.1, **options)
        with pytest.raises(ValueError, match="at least 2 rows"):
            kind(X[:1], y[:1], epsilon=0.1, **options)
        with pytest.raises(ValueError, match="NaN"):
            kind(np.where(X > 11, np.nan, X), y, epsilon=0.1, **options)
        for huge in ((X, y * 1e200), (X * 1e200, y)):
            with pytest.raises(ValueError, match="Rescale"):
                kind(*huge, epsilon=0.1, **options)
        good = kind(X, y, epsilon=0.1, **options)
        with pytest.raises(ValueError, match="Unknown feature"):
            good.model_class_reliance("x7")
        with pytest.raises(TypeError, match="as_ratio"):
            good.conditional_model_class_reliance(0, as_ratio=1)
        with pytest.raises(ValueError, match="n must be"):
            good.sample(0)
        with pytest.raises(TypeError, match="model"):
            good.contains("best")
    with pytest.raises(ValueError, match="alpha"):
        LinearRashomonSet(X, y, epsilon=0.1, alpha=-1)
    with pytest.raises(TypeError, match="fit_intercept"):
        LinearRashomonSet(X, y, epsilon=0.1, fit_intercept="yes")
    with pytest.raises(ValueError, match="not been fitted"):
        LinearRashomonSet(X, y, epsilon=0.1, reference=LinearRegression())
    for name in ("gamma", "alpha"):
        with pytest.raises(ValueError, match=name):
            KernelRashomonSet(X, y, epsilon=0.1, **(kernel | {name: 0.0}))


def test_inputs_are_not_modified_and_later_changes_do_not_matter(data):
    X, y = data
    copies = X.copy(), y.copy()
    good = LinearRashomonSet(X, y, epsilon=0.1)
    before = good.model_class_reliance(0).high
    np.testing.assert_array_equal(X, copies[0])
    np.testing.assert_array_equal(y, copies[1])
    X[:], y[:] = 0, 0
    assert good.model_class_reliance(0).high == before


def test_tables_with_names_and_whole_numbers_work_in_both_classes():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"n": rng.integers(0, 4, 20), "x": rng.normal(size=20).astype("float32")})
    y = (X["n"] - 1.5 + X["x"]).round().astype(int)
    for good in (
        LinearRashomonSet(X, y, epsilon=0.05),
        KernelRashomonSet(X, y, epsilon=0.05, gamma=0.5, alpha=0.1),
    ):
        ends = good.model_class_reliance("n")
        assert good.contains(ends.high_model)
        found = model_reliance(ends.high_model, X, y).importances_mean[0]
        assert found == pytest.approx(ends.high, rel=1e-8)


# The geometry of the linear set


def pair(seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(40, 2)) + rng.normal(size=(40, 1)), columns=["a", "b"])
    return X, X["a"] - 0.5 * X["b"] + rng.normal(size=40) + 3


def with_coefficients(b, X, y, fit_intercept):
    """The linear model with these coefficients and its best intercept."""
    model = LinearRegression(fit_intercept=fit_intercept).fit(X, X @ b)
    model.intercept_ = float(np.mean(y - X @ b)) if fit_intercept else 0.0
    return model


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_every_model_on_the_border_has_exactly_the_limit_as_loss(seed, alpha, fit_intercept):
    X, y = pair(seed)
    good = LinearRashomonSet(X, y, epsilon=0.2, alpha=alpha, fit_intercept=fit_intercept)
    border = good.border(9)
    np.testing.assert_allclose(border[0], border[-1])
    for b in border:
        model = with_coefficients(b, X, y, fit_intercept)
        assert mse(model, X, y) + alpha * b @ b == pytest.approx(good.limit)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_coefficients_reach_as_far_as_the_border_and_no_member_further(fit_intercept):
    X, y = pair()
    good = LinearRashomonSet(X, y, epsilon=0.2, fit_intercept=fit_intercept)
    members = np.array([model.coef_ for model in good.sample(200, random_state=0)])
    for j, name in enumerate(X):
        low, high = good.coefficient_range(name)
        border = good.border(2001)[:, j]
        assert (low, high) == pytest.approx((border.min(), border.max()), abs=1e-5)
        assert low <= members[:, j].min() and members[:, j].max() <= high


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 0.1])
@pytest.mark.parametrize("feature", ["a", 1])
def test_the_reliance_at_coefficients_is_model_reliance(feature, alpha, fit_intercept):
    X, y = pair()
    good = LinearRashomonSet(X, y, epsilon=0.2, alpha=alpha, fit_intercept=fit_intercept)
    b = np.array([[[1.0, -0.5], [0.3, 0.8]], [[-1.0, 0.0], [2.0, 2.0]]])
    found = good.reliance_at(b, feature)
    assert found.shape == (2, 2)
    for row, value in zip(b.reshape(-1, 2), found.ravel(), strict=True):
        reliance = model_reliance(with_coefficients(row, X, y, fit_intercept), X, y)
        assert reliance.importances_mean[["a", 1].index(feature)] == pytest.approx(value)


def test_a_border_needs_two_features_and_a_known_one_is_asked_for(data):
    good = LinearRashomonSet(*data, epsilon=0.1)
    with pytest.raises(ValueError, match="is a curve for two features, this set has x0, x1, x2"):
        good.border()
    for ask in (good.coefficient_range, lambda name: good.reliance_at([1.0, 1.0, 1.0], name)):
        with pytest.raises(ValueError, match="x9"):
            ask("x9")
    for wrong in ([1.0, 2.0], None, [1.0, 2.0, np.nan]):
        with pytest.raises((ValueError, TypeError), match="3 for each model"):
            good.reliance_at(wrong, 0)


def test_a_range_says_which_value_means_not_important(data):
    good = LinearRashomonSet(*data, epsilon=0.1)
    for ask in (good.model_class_reliance, good.conditional_model_class_reliance):
        assert (ask("x0").reference, ask("x0", as_ratio=False).reference) == (1.0, 0.0)


def test_a_model_that_works_in_place_is_found_in_the_set_again(data):
    X, y = data
    model = make_pipeline(StandardScaler(copy=False), LinearRegression()).fit(X.copy(), y)
    good = LinearRashomonSet(X, y, epsilon=0.01)
    assert [good.contains(model) for _ in range(3)] == [True] * 3
