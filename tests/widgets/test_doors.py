"""The doors explorer: its goal, and what its sliders cannot show."""

import pytest

from course_lib.widgets import doors_explorer


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
