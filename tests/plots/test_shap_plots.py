"""The plots of shap: in the page's theme, the same each time, and bad input is refused."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import FancyArrow

from course_lib.plots import picture, plot_shap
from course_lib.plots.style import WHITE
from course_lib.questions import Q3
from course_lib.results import LocalImportances


@pytest.fixture
def explained():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(12, 3)), columns=["a", "b", "c"])
    result = LocalImportances(X.to_numpy() * [3, 1, -2], 5.0, X.columns, "shares", Q3)
    return result, X


@pytest.mark.parametrize(
    ("kind", "feature"), [("waterfall", None), ("summary", None), ("dependence", "b")]
)
def test_each_plot_comes_out_the_same_and_leaves_chance_as_it_was(explained, kind, feature):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    drawn = [picture(plot_shap(kind, *explained, feature=feature), alt="Shares.") for _ in range(2)]
    assert drawn[0].svg == drawn[1].svg
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_the_waterfall_shows_the_features_by_size(explained):
    result, X = explained
    figure = plot_shap("waterfall", result, X)
    sizes = dict(zip("abc", abs(result.values[0]), strict=True))
    texts = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    named = [text[-1] for text in texts if text[-1:] in sizes]
    assert set(named) == set("abc")
    plt.close(figure)


def test_no_bar_of_the_waterfall_points_the_wrong_way():
    values = np.array([[30.0, -10, 9, 0.3, 0.2, -0.1]])
    X = pd.DataFrame(np.zeros((1, 6)), columns=list("abcdef"))
    figure = plot_shap("waterfall", LocalImportances(values, 5.0, X.columns, "shares", Q3), X)
    place, drawn = 5.0, []
    for bar in figure.axes[0].findobj(FancyArrow):
        x, y = bar.get_xy()[:-1].T
        to_right = (
            np.isclose(x, x.max()).sum() < np.isclose(x, x.min()).sum()
        )  # one corner in front
        drawn.append((round(y.mean()), np.ptp(x) if to_right else -np.ptp(x), x.min()))
    for _row, length, low in sorted(drawn):  # from below, each where the one before has ended
        assert min(place, place + length) == pytest.approx(low)
        place += length
    assert [length for _, length, _ in sorted(drawn)] == pytest.approx(values[0][::-1])
    plt.close(figure)


@pytest.mark.parametrize(
    ("kind", "feature"), [("waterfall", None), ("summary", None), ("dependence", "b")]
)
def test_ground_and_texts_follow_the_theme(explained, kind, feature):
    """No black or grey of shap's own is left, which a dark page would swallow."""
    figure = plot_shap(kind, *explained, feature=feature)
    assert figure.get_facecolor()[:3] == (1, 1, 1)  # pure white follows the theme
    svg = str(picture(figure, alt="Shares.").svg)
    for colour in ("#000000", "#333333", "#999999"):
        assert f"fill: {colour}" not in svg
    on_bars = {text.get_color() for text in figure.axes[0].texts} & {WHITE}
    assert bool(on_bars) == (kind == "waterfall")


@pytest.mark.parametrize(
    ("kind", "feature", "said"),
    [("force", None, "waterfall"), ("dependence", None, "feature"), ("summary", "a", "feature")],
)
def test_an_unknown_plot_or_a_feature_out_of_place_is_refused(explained, kind, feature, said):
    with pytest.raises(ValueError, match=said):
        plot_shap(kind, *explained, feature=feature)
