"""The doors explorer: its goal, and what its sliders cannot show."""

import pytest

from course_lib.studies.doors import through_doors
from course_lib.widgets import doors_explorer
from course_lib.widgets.doors import DOORS, ERRORS, FLOWS, HEIGHTS, LEAKS


def test_the_goal_is_reached_only_with_the_door_open_too_far():
    explorer = doors_explorer()
    for biomarker, cycling in ((1.0, 0.0), (0.0, 0.0), (1.0, 1.9), (1.0, 2.1), (2.5, 1.0)):
        explorer.controls["biomarker"].value = biomarker
        explorer.controls["cycling"].value = cycling
        assert not explorer.reached
    explorer.controls["cycling"].value = 2.0
    assert explorer.reached
    assert "associative importance of PSA is 0.0000" in explorer.readout_text
    assert "Per unit of PSA the prediction rises by 1.00" in explorer.readout_text


def test_a_state_that_the_sliders_cannot_show_is_refused():
    with pytest.raises(ValueError, match="between 0"):
        doors_explorer().figure(cycling=3.0)


def test_the_marks_say_the_slopes_the_leak_and_the_error(tips_of):
    tips, doors = tips_of(doors_explorer(), biomarker=0.5, cycling=2.4), through_doors(0.5, 2.4)
    for variable, door in FLOWS:
        slope = doors.slopes[variable]
        rises = f"per unit of {variable} the prediction rises by {slope:.3f}, through the {door}"
        assert f"{rises} door" in tips
    assert doors.leak < 0 and f"averaged associative importance of PSA: {doors.leak:.4f}" in tips
    assert f"mean squared error: {doors.error:.4f}" in tips
    assert {"weight on biomarker: 0.5", "weight on cycling: 2.4"} <= set(tips)


def test_the_bars_have_room_for_every_state():
    explorer = doors_explorer()
    ends = [(0.0, 0.0), (2.5, 2.5), (0.0, 2.5), (2.5, 0.0), (1.0, 1.0)]
    found = [through_doors(*state) for state in ends]
    assert all(LEAKS[0] <= doors.leak <= LEAKS[1] for doors in found)
    assert all(ERRORS[0] <= doors.error <= ERRORS[1] for doors in found)
    assert {slider.max for slider in explorer.controls.values()} == {2.5}


def test_the_lines_reach_the_boxes():
    """They run from the middle of one box to the middle of another, below both."""
    state = {"biomarker": 0.5, "cycling": 1.0}
    _, scene, artists = doors_explorer().frame.moving_figure(state)
    boxes = {text.get_text(): text for text in artists if getattr(text, "get_bbox_patch", bool)()}
    for line, (variable, door) in zip(scene.lines, FLOWS, strict=True):
        ends = line.get_xydata().tolist()
        assert ends == [[0, HEIGHTS[variable]], [1, DOORS[door]]]
        for name, end in zip((variable, f"{door} door"), ends, strict=True):
            assert list(boxes[name].get_position()) == end
            assert boxes[name].get_zorder() > line.get_zorder()


def test_a_shut_door_lets_nothing_through():
    _, scene, _ = doors_explorer().frame.moving_figure({"biomarker": 1.0, "cycling": 0.0})
    assert [line.get_linestyle() for line in scene.lines] == ["-", ":", ":"]
    assert all(line.get_linewidth() > 0 for line in scene.lines)  # no number without its line
