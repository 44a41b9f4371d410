"""The lattice explorer of lesson 04: its readout and its goal."""

import numpy as np
import pytest

from course_lib.models import RULES
from course_lib.studies.sharing import COALITIONS
from course_lib.widgets import lattice_explorer

DUO = {"A": 3, "B": 3, "AB": 10, "C": 0, "AC": 3, "BC": 3, "ABC": 10}


def set_state(explorer, state):
    for name, value in state.items():
        explorer.controls[name].value = value


def test_it_starts_at_the_gloves():
    explorer = lattice_explorer()
    assert "Shapley: Ann 4, Ben 1, Cem 1" in explorer.readout_text
    assert "leave-one-out: Ann 6, Ben 0, Cem 0" in explorer.readout_text
    assert "does not show leave-one-out breaking any axiom" in explorer.readout_text


@pytest.mark.parametrize(
    ("rule", "sentences"),
    [
        ("leave-one-out", ["Ann 7, Ben 7, Cem 0", "breaks efficiency: hands out 14 of 10"]),
        ("order of arrival", ["Ann 3, Ben 7", "breaks symmetry: Ann and Ben contribute alike"]),
        ("equal split", ["Ann 3.33", "breaks null player: Cem adds nothing, and gets 3.33"]),
        ("proportional", ["Ann 5, Ben 5, Cem 0", "breaks strong monotonicity: with a bonus of 1"]),
    ],
)
def test_the_readout_says_what_each_rival_pays_and_breaks(rule, sentences):
    explorer = lattice_explorer()
    set_state(explorer, DUO | {"rule": rule})
    for sentence in ["Shapley: Ann 5, Ben 5, Cem 0", *sentences]:
        assert sentence in explorer.readout_text


def test_where_nobody_is_worth_anything_alone_proportional_has_no_answer():
    explorer = lattice_explorer()
    explorer.controls["rule"].value = "proportional"
    assert "proportional: no answer" in explorer.readout_text
    assert explorer.png


def test_the_goal_is_reached_exactly_where_two_players_change_places():
    """With three players, by hand: Shapley ranks i before j if v(i) - v(j) + v(ik) - v(jk) > 0,
    leave-one-out if v(ik) - v(jk) > 0."""
    rng = np.random.default_rng(0)
    attains = lattice_explorer().attains
    found = 0
    for _ in range(200):
        state = dict(zip(COALITIONS, rng.integers(0, 13, size=7).tolist(), strict=True))
        alone = np.array([state[name] for name in "ABC"])
        without = np.array([state[name] for name in ("BC", "AC", "AB")])
        pairs = [
            (without[j] - without[i]) * (alone[i] - alone[j] + without[j] - without[i]) < 0
            for i, j in ((0, 1), (0, 2), (1, 2))
        ]
        assert attains(rule="equal split", **state) == any(pairs)
        found += any(pairs)
    assert 20 < found < 180


def test_moving_two_sliders_reaches_the_goal():
    explorer = lattice_explorer()
    assert not explorer.reached
    set_state(explorer, {"A": 8, "AB": 8, "AC": 8, "BC": 9, "ABC": 12})
    assert explorer.reached


def test_a_state_out_of_range_is_refused():
    explorer = lattice_explorer()
    with pytest.raises(ValueError, match="AB must lie between 0 and 12"):
        explorer.figure(AB=13)
    with pytest.raises(ValueError, match="rule must be one of 'leave-one-out'"):
        explorer.figure(rule="Shapley")


def test_the_alternative_text_lists_every_worth():
    alt = lattice_explorer().figure(A=2).alt
    assert "A 2, B 0, AB 6, C 0, AC 6, BC 0, ABC 6" in alt


def test_the_explorer_offers_every_rule_but_the_one_it_compares_with():
    assert set(lattice_explorer().controls["rule"].options) == set(RULES) - {"Shapley"}
