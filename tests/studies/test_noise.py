"""Trials with a meaningless ticket: what is stored is what a simulation gives, and what it says."""

import json
from itertools import product

import numpy as np
import pytest

from course_lib.studies import noise
from course_lib.studies.noise import (
    DEPTHS,
    LEVELS,
    SIZES,
    WAYS,
    Trials,
    simulate_trials,
    stored_trials,
    write_grid,
)
from course_lib.worlds import make_trial

STATES = list(product(LEVELS, SIZES, DEPTHS))


def stored(*state):
    trials = stored_trials(*state)
    return np.array([trials.treated, trials.ticket])


@pytest.mark.parametrize("state", [(20, 100, 3), ("all differ", 200, "no limit")], ids=str)
def test_a_stored_entry_is_what_the_simulation_gives(state):
    found = simulate_trials(*state, n_trials=4)
    for measure in WAYS:
        simulated = [found[measure].treated, found[measure].ticket]
        np.testing.assert_allclose(stored(*state, measure)[:, :4], simulated, atol=6e-5)


def test_every_state_is_stored_with_twenty_finite_trials():
    for state, measure in product(STATES, WAYS):
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
    for measure in WAYS:
        treated, ticket = stored(2, 800, "no limit", measure)
        assert abs(treated.mean() - noise.TRUTH) < 4 * treated.std(ddof=1) / np.sqrt(20) + 0.001
        assert (treated > ticket).all()


def test_pure_leaves_pay_the_ticket_all_that_the_treatment_leaves():
    """If all tickets differ, pure leaves remove the whole Gini of the bag."""
    treated, ticket = stored("all differ", 800, "no limit", "MDI")
    shares = np.array([make_trial(800, seed)[1].mean() for seed in range(100, 120)])
    np.testing.assert_allclose(treated + ticket, 2 * shares * (1 - shares), atol=0.01)


def test_more_tickets_more_depth_and_fewer_patients_each_pay_the_ticket_more():
    """The mean over the trials, with the other two controls in the middle."""
    by_levels = [stored(k, 400, 5, "MDI")[1].mean() for k in LEVELS]
    by_depth = [stored(20, 400, depth, "MDI")[1].mean() for depth in DEPTHS]
    by_size = [stored(20, n, 5, "MDI")[1].mean() for n in SIZES]
    assert np.all(np.diff(by_levels) > 0)
    assert np.all(np.diff(by_depth) > 0)
    assert np.all(np.diff(by_size) < 0)


def test_a_forest_is_misled_where_the_ticket_is_ahead():
    assert Trials(np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 4.0])).n_misled == 2


def test_trials_that_cannot_be_simulated_are_refused():
    with pytest.raises(ValueError, match="n_trials must be"):
        simulate_trials(2, 100, 1, n_trials=0)
    with pytest.raises(TypeError, match="levels must be a whole number"):
        simulate_trials("many", 100, 1)
