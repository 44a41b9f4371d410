"""Rules of sharing and the axioms they break, against games known by heart (mirrors rules.py)."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.models import RULES, arrival, axiomatic_shares, broken_axioms, shapley_values
from course_lib.models.rules import AXIOMS, dividends, equal_split, leave_one_out, proportional

GLOVES = [0, 0, 0, 6, 0, 6, 0, 6]  # player 0 has the left one
DUO = [0, 3, 3, 10, 0, 3, 3, 10]  # player 2 listens
NAMES = ("Ann", "Ben", "Cem")


@st.composite
def games(draw):
    n_players = draw(st.integers(1, 4))
    size = 2**n_players - 1
    worths = draw(st.lists(st.integers(-20, 20), min_size=size, max_size=size))
    return np.array([0.0, *worths]), n_players


@pytest.mark.parametrize(
    ("rule", "shares"),
    [
        (shapley_values, [5, 5, 0]),
        (leave_one_out, [7, 7, 0]),
        (arrival, [3, 7, 0]),
        (equal_split, [10 / 3] * 3),
        (proportional, [5, 5, 0]),
    ],
)
def test_the_musicians_are_paid_as_each_rule_says(rule, shares):
    np.testing.assert_allclose(rule(DUO, 3), shares)
    np.testing.assert_allclose(rule(lambda S: DUO[sum(1 << i for i in S)], 3), shares)


@settings(deadline=None, max_examples=25)
@given(games())
def test_the_mean_over_all_orders_of_arrival_is_the_shapley_value(game):
    v, n = game
    mean = np.mean([arrival(v, n, order) for order in permutations(range(n))], axis=0)
    np.testing.assert_allclose(mean, shapley_values(v, n), atol=1e-9)


@settings(deadline=None, max_examples=40)
@given(games())
def test_three_axioms_force_the_shapley_value(game):
    v, n = game
    np.testing.assert_allclose(axiomatic_shares(v, n), shapley_values(v, n), atol=1e-9)


@settings(deadline=None, max_examples=25)
@given(games())
def test_dividends_of_the_parts_add_up_to_the_worth(game):
    v, n = game
    d = dividends(v, n)
    for S in range(2**n):
        assert v[S] == pytest.approx(sum(d[T] for T in range(2**n) if T & S == T))


def test_dividends_leave_the_game_as_it_was():
    v = np.array(GLOVES, dtype=float)
    dividends(v, 3)
    np.testing.assert_array_equal(v, GLOVES)


@settings(deadline=None, max_examples=25)
@given(games())
def test_no_game_catches_the_shapley_value(game):
    v, n = game
    assert broken_axioms(shapley_values, v, n) == {}


@pytest.mark.parametrize(
    ("rule", "broken"),
    [
        (leave_one_out, {"efficiency"}),
        (arrival, {"symmetry"}),
        (equal_split, {"null player", "strong monotonicity"}),
        (proportional, {"strong monotonicity", "linearity"}),
    ],
)
def test_the_musicians_catch_every_rival_on_its_own_axiom(rule, broken):
    assert set(broken_axioms(rule, DUO, 3)) == broken <= set(AXIOMS)


@settings(deadline=None, max_examples=25)
@given(games())
def test_leave_one_out_and_arrival_break_nothing_else(game):
    v, n = game
    assert set(broken_axioms(leave_one_out, v, n)) <= {"efficiency"}
    assert set(broken_axioms(arrival, v, n)) <= {"symmetry"}
    assert set(broken_axioms(equal_split, v, n)) <= {"null player", "strong monotonicity"}


def test_what_one_sees_names_the_players():
    assert broken_axioms(arrival, GLOVES, 3, NAMES) == {
        "symmetry": "Ben and Cem contribute alike, and get 6 and 0"
    }
    assert broken_axioms(equal_split, DUO, 3, NAMES)["null player"] == (
        "Cem adds nothing, and gets 3.33"
    )


def test_every_rule_takes_one_player():
    for rule in RULES.values():
        assert rule([0.0, 4.0], 1) == pytest.approx([4.0])


def test_nothing_to_be_proportional_to_is_refused():
    with pytest.raises(ValueError, match="no proportions to share by"):
        proportional(GLOVES, 3)


@pytest.mark.parametrize("order", [(0, 1), (0, 0, 1), (1, 2, 3)])
def test_an_order_that_is_none_is_refused(order):
    with pytest.raises(ValueError, match="order must name each of the players 0 to 2 once"):
        arrival(GLOVES, 3, order)
