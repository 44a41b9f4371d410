"""The picture of flows through doors: a line for each flow, a dashed frame for a shut door."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from course_lib.plots import plot_doors
from course_lib.plots.style import BLUE, ORANGE


def test_lines_are_drawn_for_flows_and_shut_doors_are_dashed():
    flows = pd.DataFrame({"a": [1.0, 0.0], "b": [1e-12, 0.0]}, index=["u", "v"])
    ax = plot_doors(flows)
    assert [t.get_text() for t in ax.texts].count("1") == 1
    boxes = {t.get_text(): t.get_bbox_patch() for t in ax.texts if t.get_bbox_patch()}
    assert boxes["b"].get_linestyle() == "--" and boxes["a"].get_linestyle() == "-"
    assert len(ax.lines) == 2  # one flow, one open door
    plt.close(ax.figure)


def test_one_variable_can_be_told_from_the_others_by_its_colour():
    flows = pd.DataFrame({"a": [1.0, 1.0]}, index=["u", "v"])
    ax = plot_doors(flows, highlight="v")
    colours = {tuple(line.get_ydata()): line.get_color() for line in ax.lines}
    (plain,), (other,) = ([c for y, c in colours.items() if y[0] == start] for start in (1.0, 0.0))
    assert (plain, other) == (BLUE, ORANGE)
    plt.close(ax.figure)


def test_what_the_numbers_are_is_written_between_variables_and_features():
    flows = pd.DataFrame({"a": [1.0]}, index=["u"])
    ax = plot_doors(flows, numbers="saved squared error")
    above = sorted((t.get_position()[0], t.get_text()) for t in ax.texts if not t.get_bbox_patch())
    assert [text for _, text in above] == ["variables", "saved squared error", "features"]
    plt.close(ax.figure)


@pytest.mark.parametrize(
    ("flows", "error", "message"),
    [
        ([[1.0]], TypeError, "must be a table"),
        (pd.DataFrame(), TypeError, "must be a table"),
        (pd.DataFrame({"a": [float("nan")]}), ValueError, "finite numbers"),
        (pd.DataFrame({"a": ["much"]}), ValueError, "finite numbers"),
    ],
)
def test_bad_flows_get_a_sentence(flows, error, message):
    with pytest.raises(error, match=message):
        plot_doors(flows)
