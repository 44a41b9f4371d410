"""Close-ups: what the displays, images and agreements show."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from course_lib.plots import picture, plot_agreement, plot_displays, plot_pixels
from course_lib.plots.display import GLOW


def test_all_displays_share_one_scale_and_carry_their_numbers():
    figure = plot_displays([[0.5] * 7, [1.0] * 7], ["half", "whole"])
    half, whole = figure.axes
    assert [text.get_text() for text in half.texts] == ["0.50"] * 7
    faces = [{to_rgba(patch.get_facecolor()) for patch in ax.patches[-7:]} for ax in (half, whole)]
    assert to_rgba(GLOW(1.0)) in faces[1] and to_rgba(GLOW(1.0)) not in faces[0]


def test_more_than_five_displays_begin_a_new_row_without_empty_axes():
    figure = plot_displays(np.ones((7, 7)), [str(k) for k in range(7)], lit=np.eye(7))
    assert len(figure.axes) == 7
    assert len({round(ax.get_position().y0, 3) for ax in figure.axes}) == 2


def test_displays_without_any_importance_can_be_drawn():
    assert picture(plot_displays(np.zeros((1, 7)), ["nothing"]), alt="All zero.").png


def test_pixels_are_scaled_by_the_largest_size_and_the_ranks_mark_it():
    values = np.zeros((2, 64))
    values[1, [9, 20, 63]] = 0.2, -0.4, 0.1
    images = np.arange(128).reshape(2, 64)
    explained = SimpleNamespace(images=images, local=values, saabas=-values, shap=0 * values)
    figure = plot_pixels({"K = 1": explained, "K = 8": explained}, row=1)
    assert len(figure.axes) == 8
    image, local, saabas, shap = figure.axes[:4]
    np.testing.assert_array_equal(image.images[0].get_array(), images[1].reshape(8, 8))
    shown = local.images[0].get_array()
    assert shown[2, 4] == -1 and shown[1, 1] == 0.5 and shown[0, 0] == 0
    np.testing.assert_array_equal(saabas.images[0].get_array(), -shown)
    assert not shap.images[0].get_array().any()
    ranks = {text.get_text(): text.get_position() for text in local.texts}
    assert ranks == {"1": (4, 2), "2": (1, 1), "3": (7, 7)}
    assert local.images[0].get_clim() == (-1, 1)


def test_agreement_shows_mean_and_range():
    figure = plot_agreement(
        {"all": {1: {"a": [0.2, 0.6], "b": [0.5]}, 8: {"a": [1.0], "b": [0.3]}}}
    )
    (ax,) = figure.axes
    assert [line.get_ydata()[0] for line in ax.lines[:4]] == pytest.approx([0.4, 0.5, 1, 0.3])
    (segment,) = ax.collections[0].get_segments()
    assert segment[:, 1] == pytest.approx([0.2, 0.6])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "b"]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "8"]


def test_a_display_without_a_title_is_refused():
    with pytest.raises(ValueError, match="2 displays need 2 titles, got 1"):
        plot_displays(np.ones((2, 7)), ["one"])
