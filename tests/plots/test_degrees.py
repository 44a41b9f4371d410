"""Bars by degree: the parts stand end to end, and say how many variables were known."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from course_lib.measures import mdi_by_degree
from course_lib.plots import plot_degrees
from course_lib.worlds import Categorical, make_led


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_the_parts_of_a_bar_stand_end_to_end_and_add_up_to_its_number():
    parts = mdi_by_degree(Categorical(*make_led()), K=3)
    ax = plot_degrees(parts, [f"X{m}" for m in range(1, 8)])
    for row, bar in zip(parts, ax.containers, strict=True):
        edges = [patch.get_x() for patch in bar]
        np.testing.assert_allclose(edges, np.cumsum(row) - row, atol=1e-12)
        np.testing.assert_allclose([patch.get_width() for patch in bar], row, atol=1e-12)
        assert f"{row.sum():.3f}" in texts(ax)
    assert ax.get_xlim()[1] > parts.sum(axis=1).max()


def test_the_first_feature_stands_on_top():
    ax = plot_degrees([[1.0], [2.0]], ["first", "second"])
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["first", "second"]


def test_parts_without_room_have_no_number():
    ax = plot_degrees([[1.0, 0.001]], ["x"])
    assert [text.get_text() for text in ax.texts if text.get_visible()] == ["0", "1.001"]


def test_parts_that_do_not_match_the_names_are_refused():
    with pytest.raises(ValueError, match="one row for each of the 2 names"):
        plot_degrees([[1.0]], ["a", "b"])
    with pytest.raises(ValueError, match="no negative entry"):
        plot_degrees([[-1.0]], ["a"])
