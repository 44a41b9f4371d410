"""The explorer of good models and its pictures: numbers against closed forms and the library."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from sklearn.linear_model import LinearRegression

from course_lib.measures import LinearRashomonSet, model_reliance
from course_lib.plots import plot_good_models, plot_ranges
from course_lib.plots.ellipses import ellipse_of_good_models, reliance_over_plane
from course_lib.widgets import rashomon_explorer
from course_lib.widgets.rashomon import STEP, good_models, price_of_ignoring, river
from course_lib.worlds import make_exact_linear

RHOS = np.round(np.arange(0, 0.951, 0.05), 2)
EPSILONS = np.round(np.arange(0, 1.001, STEP), 2)


@pytest.fixture(autouse=True)
def no_figure_is_left_open():
    yield
    plt.close("all")


def sample(seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(40, 2)) + rng.normal(size=(40, 1)), columns=["a", "b"])
    return X, X["a"] - 0.5 * X["b"] + rng.normal(size=40) + 3


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


# What the explorer shows


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
    at_the_ends = reliance_over_plane(
        X, y, 0, *np.column_stack([state.low_model, state.high_model])
    )
    np.testing.assert_allclose(at_the_ends, [mcr.low, mcr.high])


def test_the_goal_is_reached_exactly_at_the_first_step_past_the_price():
    attains = rashomon_explorer()._attains
    for rho in RHOS:
        reached = [e for e in EPSILONS if attains(epsilon=float(e), rho=float(rho))]
        first = min(e for e in EPSILONS if e >= 1 - rho**2 - 1e-9)
        assert reached == [first]


def test_the_explorer_does_not_start_at_its_goal_and_can_reach_it():
    explorer = rashomon_explorer()
    assert not explorer.reached
    explorer.controls["epsilon"].value = 0.25
    assert not explorer.reached
    explorer.controls["epsilon"].value = 0.19
    assert explorer.reached


def test_the_readout_names_range_reach_and_verdict():
    explorer = rashomon_explorer()
    explorer.controls["epsilon"].value = 0.19
    text = explorer.readout_text
    assert "between 1.00 and 7.26" in text
    assert "between 0.00 and 2.00: some good model ignores x1" in text
    explorer.controls["epsilon"].value = 0.18
    assert "every good model uses x1" in explorer.readout_text
    assert explorer.readout_text.splitlines()[0] in explorer.figure().alt


def test_moving_a_slider_moves_the_picture():
    explorer = rashomon_explorer()
    frames = {explorer.png}
    for name, value in (("epsilon", 0.5), ("rho", 0.5)):
        explorer.controls[name].value = value
        frames.add(explorer.png)
    assert len(frames) == 3


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        (lambda: good_models(1.0, 0.1), "between -1 and 1"),
        (lambda: good_models(0.5, -0.1), "epsilon"),
        (lambda: rashomon_explorer().figure(epsilon=2.0), "between 0.0 and 1.0"),
        (lambda: rashomon_explorer().figure(rho=0.99), "between 0.0 and 0.95"),
    ],
)
def test_a_state_that_cannot_be_is_refused(call, advice):
    with pytest.raises(ValueError, match=advice):
        call()


def test_a_correlation_must_be_a_number():
    with pytest.raises(TypeError, match="rho must be a number"):
        good_models("high", 0.1)


# The pictures


@pytest.mark.parametrize("seed", range(5))
def test_every_model_on_the_border_has_exactly_the_excess(seed):
    X, y = sample(seed)
    best = LinearRegression().fit(X, y)
    least = np.mean((y - best.predict(X)) ** 2)
    for b in ellipse_of_good_models(X, y, 0.2, n_points=9):
        residuals = (y - y.mean()) - (X - X.mean()) @ b
        assert np.mean(residuals**2) == pytest.approx(least + 0.2)


@pytest.mark.parametrize("j", [0, 1])
def test_the_reliance_over_the_plane_is_model_reliance(j):
    X, y = sample()
    b = np.array([[1.0, -0.5], [0.3, 0.8], [-1.0, 0.0]])
    found = reliance_over_plane(X, y, j, *b.T)
    for row, value in zip(b, found, strict=True):
        model = LinearRegression().fit(X, X @ row)
        model.intercept_ = float(np.mean(y - X @ row))
        assert model_reliance(model, X, y).importances_mean[j] == pytest.approx(value)


def test_the_ellipse_is_drawn_with_the_best_model_and_the_named_ones():
    X, y = sample()
    good = LinearRashomonSet(X, y, epsilon=0.2)
    mcr = good.model_class_reliance("b")
    models = {"least": mcr.low_model, "cloud": good.sample(7, random_state=0)}
    ax = plot_good_models(good, X, y, feature="b", models=models)
    drawn = [line.get_xydata() for line in ax.lines]
    assert [len(points) for points in drawn] == [1, 7, 181, 1]
    np.testing.assert_allclose(drawn[0][0], mcr.low_model.coef_)
    np.testing.assert_allclose(drawn[3][0], good.best_model.coef_)
    assert {"best", "least"} <= {text.get_text() for text in ax.texts}
    assert "reliance on b" in ax.get_title(loc="left")
    assert ax.get_xlabel() == "coefficient of a"


def test_a_plane_of_coefficients_needs_two_features_and_no_penalty():
    X, y = sample()
    with pytest.raises(ValueError, match="two features"):
        wide = X.assign(c=X["a"] ** 2)
        plot_good_models(LinearRashomonSet(wide, y, epsilon=0.1), wide, y)
    with pytest.raises(ValueError, match="no penalty"):
        plot_good_models(LinearRashomonSet(X, y, epsilon=0.1, alpha=0.1), X, y)


def test_ranges_are_drawn_from_least_to_most_with_the_line_that_means_not_important():
    X, y = sample()
    good = LinearRashomonSet(X, y, epsilon=0.2)
    ranges = [good.model_class_reliance(name) for name in X]
    best = model_reliance(good.best_model, X, y)
    ax = plot_ranges({"MCR": ranges}, best=best)
    segments = [tuple(s[:, 0]) for s in ax.collections[0].get_segments()]
    assert segments == [(r.low, r.high) for r in ranges]
    assert ax.lines[0].get_xdata()[0] == 1
    np.testing.assert_allclose(ax.lines[-1].get_xdata(), best.importances_mean)
    differences = [good.model_class_reliance(name, as_ratio=False) for name in X]
    assert plot_ranges(differences).lines[0].get_xdata()[0] == 0
    assert plot_ranges(ranges, log=True).get_xscale() == "log"


def test_ranges_that_do_not_belong_on_one_axis_are_refused():
    X, y = sample()
    good = LinearRashomonSet(X, y, epsilon=0.2)
    a, b = (good.model_class_reliance(name) for name in X)
    difference = good.model_class_reliance("a", as_ratio=False)
    with pytest.raises(TypeError, match="RelianceRange"):
        plot_ranges([1.0, 2.0])
    with pytest.raises(TypeError, match="RelianceRange"):
        plot_ranges([])
    with pytest.raises(ValueError, match="different features"):
        plot_ranges({"first": [a], "second": [b]})
    with pytest.raises(ValueError, match="ratios and some of differences"):
        plot_ranges({"first": [a], "second": [difference]})
