"""The lattice explorer of lesson 04 and its pictures."""

import numpy as np
import pytest

from course_lib.models import RULES, shapley_values
from course_lib.plots import picture
from course_lib.widgets import lattice_explorer, plot_games, plot_lattice
from course_lib.widgets.lattice import COALITIONS, opposite_ranks

NAMES = ("Ann", "Ben", "Cem")
GLOVES = [0, 0, 0, 6, 0, 6, 0, 6]
DUO = {"A": 3, "B": 3, "AB": 10, "C": 0, "AC": 3, "BC": 3, "ABC": 10}


def texts(ax):
    return [text.get_text() for text in ax.texts]


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
    attains = lattice_explorer()._attains
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


def test_equal_ranks_are_not_opposite():
    assert opposite_ranks(GLOVES, 3) == []
    assert opposite_ranks([0, 8, 0, 8, 0, 8, 8, 12], 3) == []  # leave-one-out ties


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


def test_the_lattice_shows_worths_contributions_and_means():
    ax = plot_lattice(GLOVES, NAMES)
    shown = texts(ax)
    assert shown.count("6") == 3 and shown.count("+6") == 5  # three pairs; Ann 3, Ben 1, Cem 1
    assert "Ann, Ben, Cem" in shown and "∅" in shown
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["Ann joins, mean +4", "Ben joins, mean +1", "Cem joins, mean +1"]
    picture(ax, alt="The gloves.")


def test_a_lattice_of_four_is_refused():
    with pytest.raises(ValueError, match="drawn for two or three players, got 4"):
        plot_lattice(np.zeros(16), "ABCD")


def test_several_games_show_their_own_shares():
    table = np.array([0.3, 0.6, 0.5, 1.0])
    figure = plot_games({"path": table, "AND": [0, 0, 0, 1]}, ("x1", "x2"))
    first, second = (texts(ax) for ax in figure.axes)
    assert {"x1\n+0.4", "x2\n+0.3"} <= set(first) and {"x1\n+0.5", "x2\n+0.5"} <= set(second)
    assert [ax.get_title() for ax in figure.axes] == ["path", "AND"]
    np.testing.assert_allclose(shapley_values(table, 2), [0.4, 0.3])
    picture(figure, alt="Two games.")
