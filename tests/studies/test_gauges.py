"""The good models of the river: its sample, its ranges and its price, against closed forms."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from course_lib.measures import LinearRashomonSet
from course_lib.studies.gauges import (
    FAN,
    good_models,
    price_of_ignoring,
    reliance_fan,
    reliance_surface,
    river,
)
from course_lib.worlds import make_exact_linear

RHOS = np.round(np.arange(0, 0.951, 0.05), 2)


# The data


@pytest.mark.parametrize("seed", range(5))
def test_an_exact_linear_sample_obeys_its_law_to_the_last_digit(seed):
    correlation = np.array([[1, 0.8, 0], [0.8, 1, -0.3], [0, -0.3, 1]])
    X, y = make_exact_linear(30, seed, correlation=correlation, coefficients=[2, 0, -1], noise=0.5)
    np.testing.assert_allclose(X.mean(), 0, atol=1e-12)
    np.testing.assert_allclose(np.cov(X.T, ddof=0), correlation, atol=1e-12)
    fit = LinearRegression().fit(X, y)
    np.testing.assert_allclose(fit.coef_, [2, 0, -1], atol=1e-12)
    assert np.mean((y - fit.predict(X)) ** 2) == pytest.approx(0.25)
    pd.testing.assert_frame_equal(
        X, make_exact_linear(30, seed, correlation=correlation, coefficients=[2, 0, -1])[0]
    )


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"correlation": [[1, 0.9]], "coefficients": [1, 1]}, "symmetric table of 2 rows"),
        ({"correlation": [[1, 0.9], [0.5, 1]], "coefficients": [1, 1]}, "symmetric table"),
        ({"correlation": [[2, 0], [0, 1]], "coefficients": [1, 1]}, "ones on its diagonal"),
        ({"correlation": [[1, 1], [1, 1]], "coefficients": [1, 1]}, "not positive definite"),
        ({"correlation": [[1.0]], "coefficients": [1], "n_samples": 2}, "n_samples"),
        ({"correlation": [[1.0]], "coefficients": [1], "noise": -1}, "noise"),
    ],
)
def test_a_law_that_no_sample_can_have_is_refused(options, advice):
    with pytest.raises(ValueError, match=advice):
        make_exact_linear(**options)


# What is computed of it


@pytest.mark.parametrize("rho", RHOS[::3])
def test_the_price_of_ignoring_x1_is_one_minus_rho_squared(rho):
    assert price_of_ignoring(float(rho)) == pytest.approx(1 - rho**2)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0])
def test_the_coefficients_reach_as_far_as_the_closed_form(rho, epsilon):
    state = good_models(rho, epsilon)
    half = np.sqrt(epsilon / (1 - rho**2))
    assert state.reach == pytest.approx((1 - half, 1 + half))
    assert state.border[:, 0].max() <= 1 + half + 1e-12
    assert state.border[:, 0].max() == pytest.approx(1 + half, rel=1e-3)
    assert state.ignores == (half >= 1 - 1e-9) == (state.low <= 1 + 1e-9)


def test_the_range_is_that_of_the_library_and_its_ends_are_models_of_it():
    X, y = river(0.9)
    state, good = good_models(0.9, 0.05), LinearRashomonSet(X, y, epsilon=0.05)
    mcr = good.model_class_reliance("x1")
    assert (state.low, state.high) == (mcr.low, mcr.high)
    at_the_ends = good.reliance_at([state.low_model, state.high_model], "x1")
    np.testing.assert_allclose(at_the_ends, [mcr.low, mcr.high])


def test_the_fan_holds_the_ranges_along_its_epsilons():
    low, high = reliance_fan(0.6)
    for k in (0, 7, 20):
        state = good_models(0.6, float(FAN[k]))
        assert (low[k], high[k]) == (state.low, state.high)
    assert (np.diff(low) <= 1e-12).all() and (np.diff(high) >= -1e-12).all()


def test_the_surface_has_b2_in_its_rows():
    """MR = 1 + 2 b1 (Cov(y, x1) - b2 rho) n / (n - 1) / MSE, with Cov(y, x1) = 1 + rho."""
    rho, b, n = 0.5, np.linspace(-1, 2, 4), 200
    found = reliance_surface(rho, -1.0, 2.0, 4)
    for row, b2 in enumerate(b):
        error = 1 + (b - 1) ** 2 + 2 * rho * (b - 1) * (b2 - 1) + (b2 - 1) ** 2
        expected = 1 + 2 * b * (1 + rho - b2 * rho) * n / (n - 1) / error
        np.testing.assert_allclose(found[row], expected)


@pytest.mark.parametrize(("rho", "epsilon", "advice"), [(1.0, 0.1, "-1 and 1"), (0.5, -0.1, "eps")])
def test_a_set_that_cannot_be_is_refused(rho, epsilon, advice):
    with pytest.raises(ValueError, match=advice):
        good_models(rho, epsilon)


def test_a_correlation_must_be_a_number():
    with pytest.raises(TypeError, match="rho must be a number"):
        good_models("high", 0.1)
