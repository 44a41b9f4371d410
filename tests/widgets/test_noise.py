"""The noise explorer of lesson 02: its stored simulations, its readout and its goal."""

import json
from itertools import product

import numpy as np
import pytest

from course_lib.widgets import noise, noise_explorer
from course_lib.widgets.noise import DEPTHS, LEVELS, MEASURES, SIZES, simulate_trials, write_grid
from course_lib.worlds import make_trial

STATES = list(product(LEVELS, SIZES, DEPTHS))


def stored(levels, n, depth, measure):
    return noise._grid()[noise._key(levels, n, depth)][measure]


@pytest.mark.parametrize("state", [(20, 100, 3), ("all differ", 200, "no limit")], ids=str)
def test_a_stored_entry_is_what_the_simulation_gives(state):
    found = simulate_trials(*state, n_trials=4)
    for measure in MEASURES:
        np.testing.assert_allclose(stored(*state, measure)[:, :4], found[measure], atol=6e-5)


def test_every_state_is_stored_with_twenty_finite_trials():
    assert len(noise._grid()) == len(STATES)
    for state, measure in product(STATES, MEASURES):
        values = stored(*state, measure)
        assert values.shape == (2, 20)
        assert np.isfinite(values).all()


def test_the_file_is_written_as_it_is_read(tmp_path, monkeypatch):
    for name, values in (("LEVELS", (2,)), ("SIZES", (100,)), ("DEPTHS", (1,))):
        monkeypatch.setattr(noise, name, values)
    monkeypatch.setattr(noise, "N_TRIALS", 2)
    monkeypatch.setattr(noise, "simulate_trials", lambda *state: simulate_trials(*state, 2))
    write_grid(tmp_path / "grid.json")
    (entry,) = json.loads((tmp_path / "grid.json").read_text()).values()
    np.testing.assert_array_equal(entry["MDI"], stored(2, 100, 1, "MDI")[:, :2])


def test_with_two_tickets_the_treatment_leads_and_the_closed_form_is_near():
    """A ticket with one cut: at 800 patients the mean over 20 trials estimates effect^2 / 2."""
    for measure in MEASURES:
        treated, ticket = stored(2, 800, "no limit", measure)
        assert abs(treated.mean() - noise.TRUTH) < 4 * treated.std(ddof=1) / np.sqrt(20) + 0.001
        assert (treated > ticket).all()


def test_pure_leaves_pay_the_ticket_all_that_the_treatment_leaves():
    """If all tickets differ, pure leaves remove the whole Gini of the bag."""
    treated, ticket = stored("all differ", 800, "no limit", "MDI")
    shares = np.array([make_trial(800, seed)[1].mean() for seed in range(100, 120)])
    np.testing.assert_allclose(treated + ticket, 2 * shares * (1 - shares), atol=0.01)


def test_the_readout_says_what_is_stored():
    explorer = noise_explorer()
    explorer.controls["levels"].value = 50
    explorer.controls["depth"].value = "no limit"
    treated, ticket = stored(50, 800, "no limit", "MDI")
    text = explorer.readout_text
    assert f"treated {treated.mean():.3f} (in the distribution 0.045)" in text
    assert f"ticket {ticket.mean():.3f} (0)" in text
    assert f"first in {(ticket > treated).sum()} of 20" in text
    assert "800 patients, 50 different tickets, trees grown until every leaf is pure" in text


def test_the_goal_needs_a_misled_forest_and_its_cure():
    attains = noise_explorer()._attains
    for levels, n, depth in STATES:
        first = {m: np.diff(stored(levels, n, depth, m), axis=0)[0] > 0 for m in MEASURES}
        cured = first["MDI"].sum() >= 15 and first["out of bag"].sum() <= 5
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


def test_more_tickets_more_depth_and_fewer_patients_each_pay_the_ticket_more():
    """The mean over the trials, with the other two controls in the middle."""
    by_levels = [stored(k, 400, 5, "MDI")[1].mean() for k in LEVELS]
    by_depth = [stored(20, 400, depth, "MDI")[1].mean() for depth in DEPTHS]
    by_size = [stored(20, n, 5, "MDI")[1].mean() for n in SIZES]
    assert np.all(np.diff(by_levels) > 0)
    assert np.all(np.diff(by_depth) > 0)
    assert np.all(np.diff(by_size) < 0)


def test_a_state_that_was_not_simulated_is_refused():
    explorer = noise_explorer()
    with pytest.raises(ValueError, match="levels must be one of 2, 4, 10, 20, 50, 'all differ'"):
        explorer.figure(levels=3)
    with pytest.raises(ValueError, match="There is no control 'tickets'"):
        explorer.figure(tickets=3)
    with pytest.raises(ValueError, match="n_trials must be"):
        simulate_trials(2, 100, 1, n_trials=0)
    with pytest.raises(TypeError, match="levels must be a whole number"):
        simulate_trials("many", 100, 1)


def test_the_picture_says_in_words_what_it_shows():
    picture = noise_explorer().figure(levels=10, n=200, depth="no limit", measure="out of bag")
    assert "10 different tickets" in picture.alt and "out of bag" in picture.alt
