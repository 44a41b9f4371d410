"""The picture of flows through doors: a line for each flow, a dashed frame for a shut door."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from course_lib.plots import plot_doors


def test_lines_are_drawn_for_flows_and_shut_doors_are_dashed():
    flows = pd.DataFrame({"a": [1.0, 0.0], "b": [1e-12, 0.0]}, index=["u", "v"])
    ax = plot_doors(flows)
    assert [t.get_text() for t in ax.texts].count("1") == 1
    boxes = {t.get_text(): t.get_bbox_patch() for t in ax.texts if t.get_bbox_patch()}
    assert boxes["b"].get_linestyle() == "--" and boxes["a"].get_linestyle() == "-"
    assert len(ax.lines) == 2  # one flow, one open door
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
