"""Pictures of good models: the ellipse, and the ranges with the line that means not important."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from course_lib.measures import LinearRashomonSet, model_reliance
from course_lib.plots import plot_good_models, plot_ranges, plot_reliance_by_loss
from course_lib.plots.svg import drawn
from course_lib.questions import Q5
from course_lib.results import RelianceRange
from course_lib.worlds import make_exact_linear


@pytest.fixture(autouse=True)
def no_figure_is_left_open():
    yield
    plt.close("all")


def sample(seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(40, 2)) + rng.normal(size=(40, 1)), columns=["a", "b"])
    return X, X["a"] - 0.5 * X["b"] + rng.normal(size=40) + 3


def test_the_ellipse_is_drawn_with_the_best_model_and_the_named_ones():
    X, y = sample()
    good = LinearRashomonSet(X, y, epsilon=0.2)
    mcr = good.model_class_reliance("b")
    models = {"least": mcr.low_model, "cloud": good.sample(7, random_state=0)}
    ax = plot_good_models(good, feature="b", models=models)
    lines = [line.get_xydata() for line in ax.lines]
    assert [len(points) for points in lines] == [1, 7, 181, 1]
    np.testing.assert_allclose(lines[0][0], mcr.low_model.coef_)
    np.testing.assert_allclose(lines[3][0], good.best_model.coef_)
    assert {"best", "least"} <= {text.get_text() for text in ax.texts}
    assert "reliance on b" in ax.get_title(loc="left")
    assert ax.get_xlabel() == "coefficient of a"


@pytest.mark.parametrize(("feature", "follows"), [(None, True), ("b", False)])
def test_on_bands_the_models_keep_their_colours_in_a_dark_theme(feature, follows):
    good = LinearRashomonSet(*sample(), epsilon=0.2)
    models = {"best": good.best_model, "cloud": good.sample(3, random_state=0)}
    ax = plot_good_models(good, feature=feature, models=models)
    for part in (*ax.lines, *ax.texts[-2:]):  # the two labels come last
        assert ("var(--course-" in drawn(part, (400, 300))) == follows


def test_a_plane_of_coefficients_needs_two_features_and_no_penalty():
    X, y = sample()
    with pytest.raises(ValueError, match="two features"):
        wide = X.assign(c=X["a"] ** 2)
        plot_good_models(LinearRashomonSet(wide, y, epsilon=0.1))
    with pytest.raises(ValueError, match="no penalty"):
        plot_good_models(LinearRashomonSet(X, y, epsilon=0.1, alpha=0.1))


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


def test_the_line_stands_where_the_range_says_whatever_its_measure_is_called():
    ends = (0.1, 0.4, None, None, "age", "loss / 2", Q5)
    assert plot_ranges([RelianceRange(*ends, reference=0.0)]).lines[0].get_xdata()[0] == 0
    assert plot_ranges([RelianceRange(*ends)]).lines[0].get_xdata()[0] == 1


def test_reliance_by_loss_draws_both_ends_the_line_at_1_and_the_models():
    X, y = make_exact_linear(40, 0, correlation=[[1, 0.9], [0.9, 1]], coefficients=[1, 1])
    sets = [LinearRashomonSet(X, y, epsilon=e) for e in (0.0, 0.1, 0.5)]
    ranges = [these.model_class_reliance("x1") for these in sets]
    ax = plot_reliance_by_loss(
        [1.0, 1.1, 1.5], ranges, drawn=([1.2], [2.0]), models={"one": (1.1, 3.0)}
    )
    curves = [line.get_ydata() for line in ax.lines if len(line.get_xdata()) == 3]
    assert list(curves[0]) == [one.high for one in ranges]
    assert list(curves[1]) == [one.low for one in ranges]
    assert any(list(line.get_ydata()) == [1, 1] for line in ax.lines)
    assert ax.get_ylabel() == "reliance on x1"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["one"]


def test_reliance_by_loss_needs_ranges():
    with pytest.raises(TypeError, match="RelianceRange"):
        plot_reliance_by_loss([1.0], [2.0])
