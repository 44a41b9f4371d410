"""The lattice explorer of lesson 04: its readout and its goal."""

import numpy as np
import pytest

from course_lib.models import RULES
from course_lib.models.rules import AXIOMS
from course_lib.studies.sharing import COALITIONS, GAMES, PLAYERS, RIVALS, share_out
from course_lib.widgets import lattice_explorer
from course_lib.widgets.states import States, listed_places, packed_states

DUO = {"A": 3, "B": 3, "AB": 10, "C": 0, "AC": 3, "BC": 3, "ABC": 10}


def set_state(explorer, state):
    for name, value in state.items():
        explorer.controls[name].value = value


def test_it_starts_at_the_gloves():
    explorer = lattice_explorer()
    assert "Shapley: Ann 4, Ben 1, Cem 1" in explorer.readout_text
    assert "Leave-one-out: Ann 6, Ben 0, Cem 0" in explorer.readout_text
    assert "does not show leave-one-out breaking any axiom" in explorer.readout_text


@pytest.mark.parametrize(
    ("rule", "sentences"),
    [
        ("leave-one-out", ["Ann 7, Ben 7, Cem 0", "Breaks efficiency: hands out 14 of 10"]),
        ("order of arrival", ["Ann 3, Ben 7", "Breaks symmetry: Ann and Ben contribute alike"]),
        ("equal split", ["Ann 3.33", "Breaks null player: Cem adds nothing, and gets 3.33"]),
        ("proportional", ["Ann 5, Ben 5, Cem 0", "Breaks strong monotonicity: with a bonus of 1"]),
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
    assert "Proportional: no answer" in explorer.readout_text
    assert any("no answer" in layer for layer in explorer.drawn(explorer.state)["layers"])


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


# Named games


def test_every_named_game_can_be_chosen_and_leaves_the_rule_alone():
    explorer = lattice_explorer()
    assert explorer.named == GAMES
    assert all(set(game) == set(COALITIONS) for game in explorer.named.values())


def test_the_games_are_what_their_names_say():
    taxi = GAMES["A shared taxi"]
    assert all(taxi[S] == max(taxi[player] for player in S) for S in COALITIONS)
    alone = GAMES["Each alone"]
    assert all(alone[S] == sum(alone[player] for player in S) for S in COALITIONS)
    assert [S for S, worth in GAMES["All or nothing"].items() if worth] == ["ABC"]
    attains = lattice_explorer().attains
    assert [name for name, game in GAMES.items() if attains(**game)] == ["Opposite orders"]


def test_the_stored_places_are_every_game_with_every_rule():
    explorer = lattice_explorer()
    states = [explorer.state_at(place) for place in listed_places(explorer)]
    assert len(states) == len(GAMES) * len(RIVALS)
    assert all(game | {"rule": rule} in states for game in GAMES.values() for rule in RIVALS)


def test_a_page_without_a_kernel_has_the_named_games():
    explorer = lattice_explorer()
    places = listed_places(explorer)[:3]
    stored = States(packed_states(explorer, places=places))
    for place in places:
        shown = stored.shown(stored.number(place))
        assert shown["text"] == explorer.readout(**explorer.state_at(place))
    elsewhere = [0] * (len(COALITIONS) + 1)
    assert stored.number(elsewhere) is None


# The picture


def test_the_marks_say_worths_contributions_and_shares(tips_of):
    tips = tips_of(lattice_explorer(), **DUO, rule="equal split")
    sharing = share_out("equal split", **DUO)
    assert {"Ann and Ben: worth 10", "nobody: worth 0", "all three: worth 10"} <= set(tips)
    assert {"Ben joins Ann: +7", "Cem joins Ann and Ben: 0", "Ann joins nobody: +3"} <= set(tips)
    for name, ours, theirs in zip(PLAYERS, sharing.shapley, sharing.rival, strict=True):
        assert f"{name} by Shapley: {ours:g}" in tips
        assert f"{name} by equal split: {theirs:.2f}" in tips
    assert sharing.broken["null player"] in tips


@pytest.mark.parametrize("rule", RIVALS)
@pytest.mark.parametrize("game", GAMES)
def test_each_axiom_is_said_in_words_to_be_kept_or_broken(game, rule):
    """With a sign and a word: neither needs the colour."""
    _, scene, _ = lattice_explorer().frame.moving_figure(GAMES[game] | {"rule": rule})
    sharing = share_out(rule, **GAMES[game])
    for text, axiom in zip(scene.marks, AXIOMS, strict=True):
        said = "✗  broken" if axiom in sharing.broken else "✓  kept"
        said = "–  no answer" if sharing.rival is None else said
        assert text.get_text() == f"{said}: {axiom}"


def test_the_lines_of_the_axioms_fit_into_the_picture():
    for narrow in (False, True):
        figure, scene, _ = lattice_explorer().frame.moving_figure(
            DUO | {"rule": "proportional"}, narrow=narrow
        )
        figure.draw_without_rendering()
        edges = [text.get_window_extent().x1 for text in scene.marks]
        assert max(edges) <= figure.bbox.x1


def test_a_player_is_highlighted_on_all_edges_and_in_the_shares(series_of):
    series = series_of(lattice_explorer())
    assert set(series) == set(PLAYERS)
    assert set(series.values()) == {4 + 4 + 2 + 2 + 1}  # edges, their numbers, dots, labels, name


def test_the_boxes_follow_the_theme_and_the_larger_the_worth_the_stronger_their_tint(follows_theme):
    _, scene, _ = lattice_explorer().frame.moving_figure(DUO | {"rule": "equal split"})
    for paper, tint, above, worth in scene.lattice.nodes:
        assert paper.get_facecolor()[:3] == (1, 1, 1)  # pure white follows the theme
        assert follows_theme(above) and follows_theme(worth)
        assert 0 < tint.get_alpha() <= 0.2
    nobody, *_, everybody = (tint.get_alpha() for _, tint, *_ in scene.lattice.nodes)
    assert everybody == 0.2 > 50 * nobody
