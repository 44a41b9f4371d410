"""The explorer of good models: its goal, its readout, and what it refuses."""

import numpy as np
import pytest

from course_lib.widgets import rashomon_explorer
from course_lib.widgets.rashomon import STEP

RHOS = np.round(np.arange(0, 0.951, 0.05), 2)
EPSILONS = np.round(np.arange(0, 1.001, STEP), 2)


def test_the_goal_is_reached_exactly_at_the_first_step_past_the_price():
    attains = rashomon_explorer().attains
    for rho in RHOS:
        reached = [e for e in EPSILONS if attains(epsilon=float(e), rho=float(rho))]
        first = min(e for e in EPSILONS if e >= 1 - rho**2 - 1e-9)
        assert reached == [first]


def test_the_explorer_does_not_start_at_its_goal_and_can_reach_it():
    explorer = rashomon_explorer()
    assert not explorer.reached
    explorer.controls["epsilon"].value = 0.25
    assert not explorer.reached
    explorer.controls["epsilon"].value = 0.19
    assert explorer.reached


def test_the_readout_names_range_reach_and_verdict():
    explorer = rashomon_explorer()
    explorer.controls["epsilon"].value = 0.19
    text = explorer.readout_text
    assert "between 1.00 and 7.26" in text
    assert "between 0.00 and 2.00: some good model ignores x1" in text
    explorer.controls["epsilon"].value = 0.18
    assert "every good model uses x1" in explorer.readout_text
    assert explorer.readout_text.splitlines()[0] in explorer.figure().alt


def test_moving_a_slider_moves_the_picture():
    explorer = rashomon_explorer()
    frames = {explorer.png}
    for name, value in (("epsilon", 0.5), ("rho", 0.5)):
        explorer.controls[name].value = value
        frames.add(explorer.png)
    assert len(frames) == 3


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        (lambda: rashomon_explorer().figure(epsilon=2.0), "between 0.0 and 1.0"),
        (lambda: rashomon_explorer().figure(rho=0.99), "between 0.0 and 0.95"),
    ],
)
def test_a_state_that_cannot_be_is_refused(call, advice):
    with pytest.raises(ValueError, match=advice):
        call()
