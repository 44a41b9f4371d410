"""The doors: the picture of flows, and the explorer against its closed forms."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from course_lib.plots import plot_doors
from course_lib.widgets import doors_explorer
from course_lib.widgets.doors import through_doors


@pytest.mark.parametrize("biomarker", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("cycling", [0.0, 0.7, 1.0])
def test_leak_and_error_have_their_closed_forms(biomarker, cycling):
    doors = through_doors(biomarker, cycling)
    assert doors.leak == pytest.approx(0.125 * cycling)
    cost = (1 - biomarker) ** 2 / 4 + (1 - cycling) ** 2 / 16
    assert doors.cost == pytest.approx(cost)
    assert doors.error == pytest.approx(0.3125 + cost)
    assert doors.flows.loc["PSA", "cycling"] == pytest.approx(doors.leak)
    assert doors.flows.loc["biomarker", "cycling"] == pytest.approx(0)


def test_the_goal_is_reached_only_with_cycling_shut_and_the_biomarker_open():
    explorer = doors_explorer()
    for biomarker, cycling in ((0.0, 0.0), (0.9, 0.0)):
        explorer.controls["biomarker"].value = biomarker
        explorer.controls["cycling"].value = cycling
        assert not explorer.reached
    explorer.controls["biomarker"].value = 1.0
    assert explorer.reached
    assert "associative importance of PSA: 0.0000" in explorer.readout_text


def test_a_state_that_the_sliders_cannot_show_is_refused():
    with pytest.raises(ValueError, match="between 0"):
        doors_explorer().figure(cycling=2.0)


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
