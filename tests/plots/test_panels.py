"""The same plot of several things, side by side."""

import matplotlib.pyplot as plt
import pytest

from course_lib.plots import plot_display, plot_panels

VALUES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_panels_share_their_axes_and_pass_options_on():
    figure = plot_panels(plot_display, {"a": VALUES, "b": VALUES[::-1]}, limit=2)
    first, second = figure.axes
    assert first.get_shared_x_axes().joined(first, second)
    assert texts(first) == texts(second)[::-1]
    assert first.patches[1].get_facecolor() == second.patches[7].get_facecolor()  # one limit


def test_panels_need_titles():
    with pytest.raises(TypeError, match="must map titles"):
        plot_panels(plot_display, [VALUES])
