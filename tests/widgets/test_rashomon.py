"""The explorer of good models: its goal, its readout, and what it refuses."""

import re

import numpy as np
import pytest

from course_lib.studies.gauges import good_models
from course_lib.widgets import rashomon_explorer
from course_lib.widgets.rashomon import STEP, _readout

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
    assert re.search(r"between 1\.000 and 7\.26\d\.", text)
    assert "between 0.000 and 2.000: some good model ignores x1" in text
    explorer.controls["epsilon"].value = 0.18
    assert "every good model uses x1" in explorer.readout_text
    assert explorer.readout_text.splitlines()[0] in explorer.figure().alt


@pytest.mark.parametrize("rho", RHOS)
def test_the_printed_ranges_hold_all_good_models_and_do_not_contradict_the_verdict(rho):
    """At every step of epsilon: 0 is inside exactly if some good model ignores x1."""
    for epsilon in EPSILONS[1:]:
        state, text = good_models(float(rho), float(epsilon)), _readout(epsilon, rho)
        pairs = re.findall(r"between (\S+) and ([\d.]+\d)", text.replace("−", "-"))
        for (low, high), ends in zip(pairs, ((state.low, state.high), state.reach), strict=True):
            assert float(low) <= ends[0] + 1e-8 and float(high) >= ends[1] - 1e-8
        assert (float(pairs[1][0]) <= 0) == state.ignores == ("some good" in text)


def test_moving_a_slider_moves_the_picture(frame_of):
    explorer = rashomon_explorer()
    states = ({}, {"epsilon": 0.5}, {"epsilon": 0.5, "rho": 0.5})
    assert len({frame_of(explorer, **state) for state in states}) == 3


def test_the_marks_say_the_ends_of_the_range(tips_of):
    state = {"epsilon": 0.19, "rho": 0.9}
    tips, good = tips_of(rashomon_explorer(), **state), good_models(0.9, 0.19)
    for name, value in (("least", good.low), ("most", good.high)):
        assert any(tip.startswith(f"{name} reliance on x1: {value:.2f},") for tip in tips)
        assert f"19 % of error allowed: {name} reliance on x1 {value:.2f}" in tips
    assert f"least coefficient of x1 with 19 % of error allowed: {good.reach[0]:.2f}" in tips
    best = good_models(0.9, 0.0).low
    assert f"best model: coefficients 1 and 1, reliance {best:.2f}" in tips


def test_the_handle_is_the_point_of_the_ellipse_that_reaches_the_line_first():
    """In closed form: 1 - sqrt(eps / (1 - rho^2)) along b1, 1 + rho sqrt(...) along b2."""
    _, scene, _ = rashomon_explorer().frame.moving_figure({"epsilon": 0.3, "rho": 0.6})
    ax, b1, b2 = scene.handles(epsilon=0.3, rho=0.6)["epsilon"]
    assert ax is scene.left
    half = np.sqrt(0.3 / (1 - 0.6**2))
    np.testing.assert_allclose([b1, b2], [1 - half, 1 + 0.6 * half], atol=0.02)


def test_what_lies_on_the_bands_keeps_its_colour_in_a_dark_theme(follows_theme):
    _, scene, _ = rashomon_explorer().frame.moving_figure({"epsilon": 0.3, "rho": 0.6})
    on_bands = (scene.border, scene.best, scene.lowest, scene.highest, scene.knob)
    assert not any(map(follows_theme, on_bands))
    assert follows_theme(scene.low_curve)  # on paper


def test_both_axes_of_the_range_have_labels():
    figure = rashomon_explorer().frame.figure(epsilon=0.3, rho=0.6)
    labels = [(ax.get_xlabel(), ax.get_ylabel()) for ax in figure.axes]
    assert ("error allowed, ε", "reliance on x1") in labels


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
