"""The plots of shap: drawn on a white ground, the same each time, and bad input is refused."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from course_lib.plots import picture, plot_shap
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
    assert figure.get_facecolor()[:3] == pytest.approx((254 / 255,) * 3)
    plt.close(figure)


@pytest.mark.parametrize(
    ("kind", "feature", "said"),
    [("force", None, "waterfall"), ("dependence", None, "feature"), ("summary", "a", "feature")],
)
def test_an_unknown_plot_or_a_feature_out_of_place_is_refused(explained, kind, feature, said):
    with pytest.raises(ValueError, match=said):
        plot_shap(kind, *explained, feature=feature)
