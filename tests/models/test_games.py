"""Shapley values against the definition, the axioms and their uniqueness (mirrors games.py)."""

from fractions import Fraction
from itertools import permutations
from math import comb
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from course_lib.models import (
    games,
    is_monotonic,
    null_players,
    sampled_shapley_values,
    shapley_values,
    symmetric_players,
    worths,
)


def glove(S):
    return float(0 in S and len(S) >= 2)


def over_all_orders(v, n_players):
    """The definition by orders, an implementation that shares nothing with the library's."""
    orders = list(permutations(range(n_players)))
    phi = np.zeros(n_players)
    for order in orders:
        for k, i in enumerate(order):
            phi[i] += v(frozenset(order[: k + 1])) - v(frozenset(order[:k]))
    return phi / len(orders)


def as_function(table):
    return lambda S: table[sum(1 << i for i in S)]


def mask_of(*players):
    return sum(1 << i for i in players)


@st.composite
def random_games(draw, max_players=6):
    n_players = draw(st.integers(1, max_players))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    return rng.normal(size=2**n_players), n_players


# values known by heart


def test_gloves_two_thirds_and_one_sixth_each():
    np.testing.assert_allclose(shapley_values(glove, 3), [2 / 3, 1 / 6, 1 / 6])


def test_and_gives_equal_halves_and_so_does_xor_of_its_total():
    np.testing.assert_allclose(shapley_values([0, 0, 0, 1], 2), [0.5, 0.5])
    information_about_xor = [0, 0, 0, 1]  # one bit, and none from a single input
    np.testing.assert_allclose(shapley_values(information_about_xor, 2), [0.5, 0.5])
    outcome_of_xor = [0, 1, 1, 0]
    np.testing.assert_allclose(shapley_values(outcome_of_xor, 2), [0, 0], atol=1e-15)


def test_the_airport_game_has_its_known_solution():
    """Costs 1, 2, 4: each step of the runway is shared by those who need it."""
    costs = [1, 2, 4]
    values = shapley_values(lambda S: max((costs[i] for i in S), default=0), 3)
    np.testing.assert_allclose(values, [1 / 3, 1 / 3 + 1 / 2, 1 / 3 + 1 / 2 + 2])


@pytest.mark.parametrize("n_players", [1, 2, 7, 13])
def test_an_additive_game_gives_each_player_its_own_worth(n_players):
    own = np.random.default_rng(n_players).normal(size=n_players)
    table = np.array([own[list(S)].sum() for S in games.coalitions(n_players)])
    np.testing.assert_allclose(shapley_values(table + 5.0, n_players), own, atol=1e-12)


def test_a_unanimity_game_is_shared_by_its_carrier():
    carrier = frozenset({1, 4, 8})
    values = shapley_values(lambda S: carrier <= S, 10)
    np.testing.assert_allclose(values, [i in carrier and 1 / 3 for i in range(10)], atol=1e-15)


# the definition


@settings(deadline=None, max_examples=30)
@given(random_games())
def test_values_are_the_mean_contribution_over_all_orders(game):
    table, n_players = game
    expected = over_all_orders(as_function(table), n_players)
    np.testing.assert_allclose(shapley_values(table, n_players), expected, atol=1e-12)
    np.testing.assert_allclose(shapley_values(as_function(table), n_players), expected, atol=1e-12)


def test_large_arrays_agree_with_exact_arithmetic():
    """Player 3's value in a game of 12, with fractions from the formula with binomials."""
    n, i = 12, 3
    table = np.random.default_rng(0).integers(-50, 50, size=2**n)
    exact = Fraction(0)
    for mask in range(2**n):
        if not mask >> i & 1:
            weight = Fraction(1, n * comb(n - 1, mask.bit_count()))
            exact += weight * int(table[mask | 1 << i] - table[mask])
    assert shapley_values(table, n)[i] == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("n_players", [13, 14])
def test_the_detour_of_many_players_ends_at_the_definition(n_players):
    table = np.random.default_rng(0).normal(size=2**n_players)
    assert n_players > games.MANY_PLAYERS
    by_definition = games.shapley_by_size(table, n_players).sum(axis=1)
    np.testing.assert_allclose(shapley_values(table, n_players), by_definition, atol=1e-14)


def test_player_i_is_bit_i():
    table = np.zeros(8)
    table[[mask_of(2), mask_of(0, 2), mask_of(1, 2), mask_of(0, 1, 2)]] = 6.0
    np.testing.assert_allclose(shapley_values(table, 3), [0, 0, 6], atol=1e-15)
    np.testing.assert_array_equal(worths(lambda S: 6.0 * (2 in S), 3), table)


# the axioms of `000` section 2.2 and `003` appendix B


@settings(deadline=None, max_examples=30)
@given(random_games())
def test_efficiency(game):
    table, n_players = game
    assert shapley_values(table, n_players).sum() == pytest.approx(table[-1] - table[0])


@settings(deadline=None, max_examples=30)
@given(random_games(), st.integers(0, 5), st.integers(0, 5))
def test_symmetric_players_get_the_same(game, i, j):
    table, n_players = game
    i, j = i % n_players, j % n_players
    swap = {i: j, j: i}
    swapped = [mask_of(*(swap.get(k, k) for k in S)) for S in games.coalitions(n_players)]
    table = table + table[swapped]  # exchanging i and j changes nothing
    phi = shapley_values(table, n_players)
    assert phi[i] == pytest.approx(phi[j], abs=1e-12)
    assert i == j or (min(i, j), max(i, j)) in symmetric_players(table, n_players)


@settings(deadline=None, max_examples=30)
@given(random_games(), st.integers(0, 5))
def test_a_null_player_gets_nothing_and_leaves_the_others_alone(game, i):
    table, n_players = game
    i = i % (n_players + 1)
    low = 1 << i
    masks = np.arange(2 ** (n_players + 1))
    wider = table[(masks // (2 * low)) * low + masks % low]  # insert a player that adds nothing
    phi = shapley_values(wider, n_players + 1)
    assert abs(phi[i]) < 1e-14
    np.testing.assert_allclose(np.delete(phi, i), shapley_values(table, n_players), atol=1e-12)
    assert i in null_players(wider, n_players + 1)


@settings(deadline=None, max_examples=30)
@given(random_games(), st.integers(0, 10**6), st.floats(-3, 3))
def test_linearity(game, seed, factor):
    v, n_players = game
    w = np.random.default_rng(seed).normal(size=v.shape)
    np.testing.assert_allclose(
        shapley_values(v + factor * w, n_players),
        shapley_values(v, n_players) + factor * shapley_values(w, n_players),
        atol=1e-12,
    )


@settings(deadline=None, max_examples=30)
@given(random_games(), st.integers(0, 5), st.integers(0, 10**6))
def test_strong_monotonicity(game, i, seed):
    """If i adds at least as much to every coalition, i gets at least as much."""
    v, n_players = game
    i = i % n_players
    rng = np.random.default_rng(seed)
    masks = np.arange(len(v))
    has_i = masks >> i & 1
    anything_without_i = rng.normal(size=len(v))[masks & ~(1 << i)]
    w = v + anything_without_i + has_i * rng.random(len(v))
    assert shapley_values(w, n_players)[i] >= shapley_values(v, n_players)[i] - 1e-12


# sampled values


@settings(deadline=None, max_examples=20)
@given(random_games(), st.integers(0, 10**6))
def test_every_sampled_column_is_efficient_and_both_forms_agree(game, seed):
    table, n_players = game
    drawn = sampled_shapley_values(table, n_players, n_orders=5, random_state=seed)
    assert drawn.shape == (n_players, 5)
    np.testing.assert_allclose(drawn.sum(axis=0), table[-1] - table[0], atol=1e-12)
    called = sampled_shapley_values(as_function(table), n_players, n_orders=5, random_state=seed)
    np.testing.assert_array_equal(drawn, called)


def test_sampled_orders_are_uniform():
    """Which of the six orders was drawn can be read from a game with distinct contributions."""
    table = np.array([0.0, 1, 10, 101, 100, 1001, 10010, 100111])
    drawn = sampled_shapley_values(table, 3, n_orders=6000, random_state=0)
    counts = np.unique(drawn, axis=1, return_counts=True)[1]
    assert len(counts) == 6
    assert stats.chisquare(counts).pvalue > 1e-3


def test_the_interval_of_sampled_values_covers_as_often_as_it_says():
    """400 intervals at 95 % by Student's t: within 4 binomial standard errors of their level."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=2**5)
    truth = shapley_values(table, 5)
    covered = []
    for _ in range(80):
        drawn = sampled_shapley_values(table, 5, n_orders=60, random_state=rng)
        half = stats.t.ppf(0.975, 59) * drawn.std(axis=1, ddof=1) / np.sqrt(60)
        covered.extend(abs(drawn.mean(axis=1) - truth) < half)
    assert abs(np.mean(covered) - 0.95) < 4 * np.sqrt(0.95 * 0.05 / len(covered))


def test_sampling_serves_more_players_than_can_be_enumerated():
    own = np.arange(60.0)
    drawn = sampled_shapley_values(lambda S: own[list(S)].sum(), 60, n_orders=2, random_state=0)
    np.testing.assert_allclose(drawn, np.column_stack([own, own]))


def test_sampling_calls_the_game_once_for_each_coalition():
    calls = []
    sampled_shapley_values(lambda S: calls.append(S) or 0.0, 4, n_orders=50, random_state=0)
    assert len(calls) == len(set(calls)) <= 16


def test_the_same_seed_gives_the_same_orders():
    table = np.random.default_rng(0).normal(size=16)
    one, two = (sampled_shapley_values(table, 4, n_orders=9, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    other = sampled_shapley_values(table, 4, n_orders=9, random_state=np.random.default_rng(4))
    assert not np.array_equal(one, other)


# properties of a game


def test_properties_of_the_glove_game():
    assert null_players(glove, 3) == []
    assert symmetric_players(glove, 3) == [(1, 2)]
    assert is_monotonic(glove, 3)


def test_properties_of_a_game_with_idle_and_harmful_players():
    def v(S):
        return 3.0 * (1 in S) + 3.0 * (3 in S) - 1.0 * (0 in S)

    assert null_players(v, 5) == [2, 4]
    assert symmetric_players(v, 5) == [(1, 3), (2, 4)]
    assert not is_monotonic(v, 5)
    assert null_players(np.full(8, 2.5), 3) == [0, 1, 2]


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_properties_follow_their_definitions(seed, n_players):
    """Small integer worths make every property common; the definitions are spelled out."""
    table = np.random.default_rng(seed).integers(0, 2, size=2**n_players).astype(float)
    v, N = as_function(table), range(n_players)
    subsets = list(games.coalitions(n_players))
    assert null_players(table, n_players) == [
        i for i in N if all(v(S | {i}) == v(S) for S in subsets)
    ]
    assert symmetric_players(table, n_players) == [
        (i, j)
        for i in N
        for j in N
        if i < j and all(v(S | {i}) == v(S | {j}) for S in subsets if not S & {i, j})
    ]
    assert is_monotonic(table, n_players) == all(
        v(S) <= v(T) for S in subsets for T in subsets if S <= T
    )


def test_rounding_breaks_no_property_at_any_scale():
    table = np.array([0.0, 0.1 + 0.2, 0.3, 0.6]) * 1e-20
    assert symmetric_players(table, 2) == [(0, 1)]
    assert is_monotonic([0.3, 0.1 + 0.2 - 1e-16], 1)
    assert not is_monotonic(-table, 2)


# speed


def test_a_million_worths_take_a_few_passes_not_one_per_player():
    """At most 10 times a sum in the bench; here with slack for a busy machine."""
    table = np.random.default_rng(0).normal(size=2**20)

    def fastest(run):
        times = []
        for _ in range(7):
            start = process_time()
            run()
            times.append(process_time() - start)
        return min(times)

    assert fastest(lambda: shapley_values(table, 20)) < 20 * fastest(table.sum)


# refusals


@pytest.mark.parametrize(
    "function", [shapley_values, null_players, symmetric_players, is_monotonic]
)
@pytest.mark.parametrize(
    ("v", "n_players", "error", "message"),
    [
        ([0, 1, 1], 2, ValueError, "2\\*\\*2 = 4 worths"),
        (np.zeros((2, 2)), 2, ValueError, "shape \\(2, 2\\)"),
        ([0, np.nan], 1, ValueError, "bit mask 1 is nan"),
        ([-np.inf, np.inf, 0, 0], 2, ValueError, "bit mask 0 is -inf"),
        (["a", "b"], 1, TypeError, "function of coalitions or an array"),
        ([None, 1.0], 1, ValueError, "bit mask 0 is nan"),
        ([1j, 0], 1, TypeError, "function of coalitions or an array"),
        ({frozenset(): 0.0}, 1, TypeError, "__getitem__"),
        (3.0, 1, TypeError, "function of coalitions or an array"),
        (lambda S: "much", 2, TypeError, "is 'much'. Return a float"),
        (lambda S: None, 2, TypeError, "v\\({}\\) is None"),
        (lambda S: np.array([1.0]), 2, TypeError, "one number for each coalition"),
        (lambda S: np.nan if S == {0, 1} else 1.0, 2, ValueError, "v\\({0, 1}\\) is nan"),
        (lambda S: 10**400, 2, ValueError, "must be finite"),
        (glove, 0, ValueError, "n_players must be"),
        (glove, 2.0, TypeError, "n_players must be a whole number"),
        (glove, True, TypeError, "n_players must be a whole number"),
        (glove, 21, ValueError, "between 1 and 20.*sampled_shapley_values"),
        ([0.0], 26, ValueError, "between 1 and 25.*sampled_shapley_values"),
    ],
)
def test_what_is_no_game_is_refused(function, v, n_players, error, message):
    with pytest.raises(error, match=message):
        function(v, n_players)


def test_worths_that_overflow_are_refused():
    with pytest.raises(ValueError, match="overflow"):
        shapley_values(np.array([-1.7e308, 1.7e308]), 1)
    with pytest.raises(ValueError, match="overflow"):
        sampled_shapley_values([-1.7e308, 1.7e308], 1, n_orders=2)
    for measure in (shapley_values, is_monotonic):
        with pytest.raises(ValueError, match="too large for that"):
            measure([0, 10**400], 1)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_orders": 0}, ValueError, "n_orders must be"),
        ({"n_orders": "many"}, TypeError, "n_orders must be"),
        ({"n_orders": 2, "random_state": "today"}, TypeError, "random_state must be"),
    ],
)
def test_impossible_sampling_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        sampled_shapley_values(glove, 3, **options)
    with pytest.raises(TypeError, match="Return a float"):
        sampled_shapley_values(lambda S: [], 3, n_orders=2)


def test_numbers_of_any_kind_are_worths_and_arrays_stay_as_they_are():
    for number in (True, np.True_, np.float32(1), np.int8(1), np.array(1.0), Fraction(1)):
        np.testing.assert_allclose(shapley_values(lambda S, w=number: w if S else 0, 1), [1.0])
    table = np.array([0, 1, 1, 3])
    table.setflags(write=False)
    np.testing.assert_allclose(shapley_values(table, 2), [1.5, 1.5])
