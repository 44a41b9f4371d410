"""Images coloured by importance, and agreements: what they show."""

import numpy as np
import pytest

from course_lib.plots import plot_agreement, plot_pixels
from course_lib.studies.digits import Explained


def test_pixels_are_scaled_by_the_largest_size_and_the_ranks_mark_it():
    values = np.zeros((2, 64))
    values[1, [9, 20, 63]] = 0.2, -0.4, 0.1
    images = np.arange(128).reshape(2, 64)
    digits, sure = np.zeros(2), np.ones(2)
    explained = Explained(images, digits, digits, sure, values, -values, 0 * values)
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
