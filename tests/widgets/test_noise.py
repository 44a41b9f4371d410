"""The noise explorer of lesson 02: its readout and its goal."""

from itertools import product

import pytest
from matplotlib.figure import Figure

from course_lib.plots import plot_comparison
from course_lib.plots.style import MARKERS
from course_lib.questions import Q4
from course_lib.results import Importances
from course_lib.studies.noise import DEPTHS, LEVELS, SIZES, WAYS, stored_trials
from course_lib.widgets import noise_explorer
from course_lib.widgets.noise import NoiseScene

STATES = list(product(LEVELS, SIZES, DEPTHS))


def test_the_readout_says_what_is_stored():
    explorer = noise_explorer()
    explorer.controls["levels"].value = 50
    explorer.controls["depth"].value = "no limit"
    trials = stored_trials(50, 800, "no limit", "MDI")
    text = explorer.readout_text
    assert f"treated is {trials.treated.mean():.3f} (in the distribution 0.045)" in text
    assert f"ticket {trials.ticket.mean():.3f} (in the distribution 0)" in text
    assert f"first in {(trials.ticket > trials.treated).sum()} of 20" in text
    assert "800 patients, 50 different tickets, trees grown as far as they go" in text


def test_the_goal_needs_a_misled_forest_and_its_cure():
    attains = noise_explorer().attains
    for levels, n, depth in STATES:
        trials = [stored_trials(levels, n, depth, way) for way in WAYS]
        by_mdi, out_of_bag = ((each.ticket > each.treated).sum() for each in trials)
        cured = by_mdi >= 15 and out_of_bag <= 5
        state = {"levels": levels, "n": n, "depth": depth}
        assert not attains(**state, measure="MDI")
        assert attains(**state, measure="out of bag") == cured


def test_the_goal_is_reached_by_first_misleading_and_then_curing():
    explorer = noise_explorer()
    explorer.controls["measure"].value = "out of bag"
    assert not explorer.reached
    explorer.controls["measure"].value = "MDI"
    explorer.controls["levels"].value = 50
    explorer.controls["depth"].value = "no limit"
    assert not explorer.reached
    explorer.controls["measure"].value = "out of bag"
    assert explorer.reached


def test_a_state_that_was_not_simulated_is_refused():
    explorer = noise_explorer()
    with pytest.raises(ValueError, match="levels must be one of 2, 4, 10, 20, 50, 'all differ'"):
        explorer.figure(levels=3)
    with pytest.raises(ValueError, match="There is no control 'tickets'"):
        explorer.figure(tickets=3)


def test_the_picture_says_in_words_what_it_shows():
    picture = noise_explorer().figure(levels=10, n=200, depth="no limit", measure="out of bag")
    assert "10 different tickets" in picture.alt and "out of bag" in picture.alt


def test_the_marks_say_every_trial_and_the_means(tips_of):
    state = {"levels": 50, "n": 800, "depth": "no limit", "measure": "MDI"}
    tips, trials = tips_of(noise_explorer(), **state), stored_trials(**state)
    for name, values in (("treated", trials.treated), ("ticket", trials.ticket)):
        assert f"{name}, mean of 20 trials: {values.mean():.4f}" in tips
        each = [f"trial {k}: {name} {value:.4f}" for k, value in enumerate(values, start=1)]
        assert [tip for tip in tips if tip.startswith("trial") and name in tip] == each


def test_a_measure_has_the_colour_and_marker_that_it_has_in_the_other_pictures():
    results = {name: Importances([[1.0, 2.0]], ("ticket",), name, Q4) for name in ("MDI", "oob")}
    dots = plot_comparison(results).lines
    scene = NoiseScene()
    scene.draw(Figure())
    for k, measure in enumerate(("MDI", "out of bag")):
        scene.update(50, 800, "no limit", measure)
        drawn = [line for line in dots if line.get_marker() == MARKERS[k]]
        assert {line.get_color() for line in drawn} == {scene.dots[0].get_color()}
        assert {mean.get_marker() for mean in scene.means} == {MARKERS[k]}


def test_on_paper_it_shows_a_misled_forest_and_its_cure():
    explorer = noise_explorer()
    misled, cured = (explorer.state | dict(state) for state in explorer.frame.stills)
    assert stored_trials(**misled).n_misled >= 15
    assert cured == misled | {"measure": "out of bag"} and explorer.attains(**cured)
