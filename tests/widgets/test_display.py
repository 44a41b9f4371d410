"""The display explorer: its numbers are the exact ones, its goal is where the ranks change."""

import numpy as np
import pytest

from course_lib.measures import asymptotic_mdi
from course_lib.studies.display import led_degrees
from course_lib.widgets import display_explorer
from course_lib.widgets.display import NAMES
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
            assert f"(X{m}) {value:.3f}" in explorer.readout_text
        assert "Sum 3.3219 bits" in explorer.readout_text
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
    frames = {"".join(explorer.drawn({"K": K})["layers"]) for K in range(1, 7)}
    assert len(frames) == 6
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


def test_the_marks_name_segments_and_degrees(tips_of):
    tips, parts = tips_of(display_explorer(), K=1), led_degrees(1)
    for name, row in zip(NAMES, parts, strict=True):
        assert f"{name}: {row.sum():.3f} bits" in tips
        assert f"{name}, no other segments known: {row[0]:.3f} bits" in tips
        assert f"{name}, 1 other segment known: {row[1]:.3f} bits" in tips


def test_a_segment_its_bar_and_its_label_are_highlighted_together(series_of):
    series = series_of(display_explorer(), K=1)
    n_degrees = np.count_nonzero(led_degrees(1) > 1e-12, axis=1)
    assert set(series) == set(NAMES)
    for name, n in zip(NAMES, n_degrees, strict=True):
        assert series[name] >= 4 + n  # segment and number, label, total, and the parts of the bar


def test_numbers_on_bars_and_segments_keep_their_colour(follows_theme):
    _, scene, _ = display_explorer().frame.moving_figure({"K": 1})
    numbers = [text for _, text in scene.segments]
    numbers += [text for _, texts, _ in scene.bars for text in texts]
    assert not any(follows_theme(number) for number in numbers)
    assert all(follows_theme(total) for *_, total in scene.bars)  # on paper
