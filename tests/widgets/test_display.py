"""The display explorer: its numbers are the exact ones, its goal is where the ranks change."""

import numpy as np
import pytest

from course_lib.measures import asymptotic_mdi
from course_lib.studies.display import led_degrees
from course_lib.widgets import display_explorer
from course_lib.worlds import Categorical, make_led

KS = range(1, 8)


@pytest.fixture(scope="module")
def exact():
    led = Categorical(*make_led())
    return {K: asymptotic_mdi(led, K).importances_mean for K in KS}


def test_the_readout_names_every_segment_with_its_value(exact):
    explorer = display_explorer()
    for K in KS:
        explorer.controls["K"].value = K
        for m, value in enumerate(exact[K], start=1):
            assert f"X{m} {value:.3f}" in explorer.readout_text
        assert "sum 3.3219 bits" in explorer.readout_text
        assert " ".join(explorer.readout_text.split()) in explorer.figure(K=K).alt


def test_the_goal_is_reached_exactly_where_x3_overtakes_x4(exact):
    ahead = [K for K in KS if exact[K][2] > exact[K][3]]
    attains = display_explorer().attains
    assert [K for K in KS if attains(K=K)] == [min(ahead)] == [3]


def test_passing_the_goal_is_noticed_and_stays():
    explorer = display_explorer()
    assert not explorer.reached
    for K in (7, 2, 3, 1):
        explorer.controls["K"].value = K
    assert explorer.reached


def test_every_K_gives_another_picture_up_to_6():
    """From K = 6 on, one of the two best segments is always drawn: nothing changes any more."""
    explorer = display_explorer()
    frames = []
    for K in KS:
        explorer.controls["K"].value = K
        frames.append(explorer.png)
    assert len(set(frames[:6])) == 6
    np.testing.assert_allclose(led_degrees(6), led_degrees(7), atol=1e-12)


def test_the_display_and_the_bars_show_the_state():
    figure = display_explorer().frame.figure(K=7)
    panel, chart = figure.axes
    assert [text.get_text() for text in panel.texts] == [
        f"{value:.2f}" for value in led_degrees(7).sum(axis=1)
    ]
    ends = [patch.get_x() + patch.get_width() for patch in chart.patches[6::7]]
    np.testing.assert_allclose(ends, led_degrees(7).sum(axis=1))
    assert max(ends) < chart.get_xlim()[1]


@pytest.mark.parametrize("K", [0, 8, "best"])
def test_a_K_beyond_the_segments_is_refused(K):
    with pytest.raises(ValueError, match="K must lie between 1 and 7"):
        display_explorer().figure(K=K)
