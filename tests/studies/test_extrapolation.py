"""Surfaces asked where no row is: their numbers against closed forms and the library's measures."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from course_lib.measures import model_reliance
from course_lib.studies.extrapolation import (
    COEFFICIENTS,
    MODELS,
    RHOS,
    explorer_fit,
    extrapolation_error,
    importance_factors,
    pair_among_equals,
    pair_by_correlation,
    surface_fit,
)

each_model = pytest.mark.parametrize("model", MODELS)


def fitted(state, model):
    """The same surface as a pipeline of scikit-learn."""
    pipeline = make_pipeline(PolynomialFeatures(1 if model == "plane" else 2), LinearRegression())
    return pipeline.fit(np.column_stack([state.x1, state.x2]), state.y)


@each_model
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_the_importance_is_the_model_reliance_of_the_fitted_surface(model, rho):
    state = surface_fit(rho, model)
    X = np.column_stack([state.x1, state.x2])
    reliance = model_reliance(fitted(state, model), X, state.y, as_ratio=False)
    assert state.importance == pytest.approx(reliance.importances_mean[0])
    np.testing.assert_allclose(state.surface(state.x1, state.x2), fitted(state, model).predict(X))


def test_the_truth_is_the_model_reliance_of_the_true_plane():
    state = surface_fit(0.8)
    plane = LinearRegression().fit(np.eye(3)[:, :2], [1.0, 1.0, 0.0])  # x1 + x2
    X = np.column_stack([state.x1, state.x2])
    reliance = model_reliance(plane, X, state.y, as_ratio=False)
    assert state.truth == pytest.approx(reliance.importances_mean[0])
    assert state.factor == pytest.approx(state.importance / state.truth)


def test_a_plane_at_the_fit_has_the_closed_form_of_least_squares():
    state = surface_fit(0.7, "plane")
    expected = 2 * state.coefficients[1] ** 2 * state.x1.var(ddof=1)
    assert state.importance == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(10))
def test_the_residuals_of_the_bent_surface_are_the_same_for_every_rho(seed):
    states = [surface_fit(rho, random_state=seed) for rho in (0.0, 0.5, 0.96)]
    residuals = [state.y - state.surface(state.x1, state.x2) for state in states]
    np.testing.assert_allclose(residuals[1:], [residuals[0]] * 2, atol=1e-8)
    np.testing.assert_allclose([state.near for state in states], states[0].near)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_the_expected_errors_have_their_closed_form(rho):
    """To first order: with 400 rows the rest is a few per cent of it."""
    n, n_seeds = 400, 100
    states = [surface_fit(rho, n_samples=n, random_state=seed) for seed in range(n_seeds)]
    for errors, scramble in (
        ([state.far for state in states], True),
        ([state.near for state in states], False),
    ):
        standard_error = np.std(errors) / np.sqrt(n_seeds)
        expected = extrapolation_error(rho, n_samples=n, scramble=scramble)
        assert np.mean(errors) == pytest.approx(expected, abs=4 * standard_error + 0.05 * expected)


def test_the_error_on_scrambled_rows_grows_with_the_square():
    far, farther = extrapolation_error(np.array([0.99, 0.999]))
    assert farther / far == pytest.approx(100, rel=0.1)
    assert extrapolation_error(0.999) * (1 - 0.999) ** 2 == pytest.approx(1.5 / 100, rel=0.01)


def test_the_factor_on_average_is_one_plus_half_the_extrapolation_error():
    """The truth is 2, and what the surface adds to it is its error on the scrambled rows."""
    rho, n, n_seeds = 0.9, 400, 100
    excess = [
        state.importance - state.truth
        for state in (surface_fit(rho, n_samples=n, random_state=seed) for seed in range(n_seeds))
    ]
    standard_error = np.std(excess) / np.sqrt(n_seeds)
    expected = extrapolation_error(rho, n_samples=n)
    assert np.mean(excess) == pytest.approx(expected, abs=4 * standard_error)


@each_model
def test_the_fits_of_the_explorer_are_kept_and_their_factors_stand_in_the_order_of_rho(model):
    assert explorer_fit(0.5, model) is explorer_fit(0.5, model)
    expected = [surface_fit(rho, model).factor for rho in RHOS[::12]]
    np.testing.assert_array_equal(importance_factors(model)[::12], expected)


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        (lambda: surface_fit(1.0), "between -1 and 1"),
        (lambda: surface_fit(0.5, "cubic"), "model must be"),
        (lambda: surface_fit(0.5, n_samples=3), "n_samples"),
    ],
)
def test_a_fit_that_cannot_be_is_refused(call, advice):
    with pytest.raises(ValueError, match=advice):
        call()


def test_a_correlation_must_be_a_number():
    with pytest.raises(TypeError, match="rho must be a number"):
        surface_fit("high")


class TheTruth(LinearRegression):
    """The true model, whatever it is fitted to."""

    def fit(self, X, y):
        return super().fit(np.eye(len(COEFFICIENTS)), COEFFICIENTS)


@pytest.mark.parametrize("rho", [-0.9, 0.0, 0.5, 1.0])
def test_the_true_model_credits_the_pair_and_its_equals_with_2(rho):
    found = [
        pair_among_equals(rho, TheTruth(fit_intercept=False), n_samples=400, random_state=seed)
        for seed in range(20)
    ]
    standard_error = np.std(found, axis=0) / 20**0.5
    assert (abs(np.mean(found, axis=0) - 2 * 399 / 400) < 4 * standard_error).all()


def test_a_pair_without_a_correlation_is_refused_by_name():
    with pytest.raises(ValueError, match=r"rho must lie between -1 and 1, got 1\.5"):
        pair_among_equals(1.5, LinearRegression())


def test_the_curves_are_the_means_over_the_samples():
    rhos, model = [0.0, 0.9], LinearRegression()
    curves = pair_by_correlation(rhos, {"line": model}, n_seeds=2)
    found = [[pair_among_equals(rho, model, random_state=seed) for seed in (0, 1)] for rho in rhos]
    assert list(curves) == ["line: the pair", "line: the other three"]
    np.testing.assert_allclose(list(curves.values()), np.mean(found, axis=1).T)
