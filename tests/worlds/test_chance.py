"""What chance removes, against enumeration, closed forms and simulation (mirrors chance.py)."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from course_lib.models import impurity, impurity_decrease
from course_lib.worlds import expected_decrease, independence_pvalue, simulated_decreases

LEVELS = (2, 3, 5, 20)


def mean_over_orders(y, decrease) -> float:
    return float(np.mean([decrease(np.array(order)) for order in permutations(y)]))


@pytest.mark.parametrize(("kind", "y"), [("gini", "aabbbc"), ("variance", (1.0, 2, 2.5, 4, 7, 9))])
@pytest.mark.parametrize("n_left", [1, 2, 3])
def test_a_blind_cut_removes_one_unit_over_all_orders(kind, y, n_left):
    y, left = list(y), np.arange(6) < n_left
    mean = mean_over_orders(y, lambda order: impurity_decrease(order, left, kind))
    assert mean == pytest.approx(expected_decrease(20, "random") * impurity(y, kind) / 5)


def test_a_blind_split_into_k_children_removes_k_minus_one_units_over_all_orders():
    y, child = [0.0, 1.0, 1.5, 3.0, 7.0, 8.0], np.array([0, 0, 0, 1, 1, 2])

    def decrease(order):
        return np.var(y) - sum((child == c).mean() * np.var(order[child == c]) for c in range(3))

    unit = np.var(y) / (len(y) - 1)
    assert mean_over_orders(y, decrease) == pytest.approx(expected_decrease(3, "multiway") * unit)


def test_with_two_levels_there_is_nothing_to_choose():
    assert expected_decrease(2) == pytest.approx(1, abs=1e-9)


def test_with_three_levels_the_best_cut_is_the_larger_of_two_correlated_squares():
    """E max(U1^2, U2^2) at correlation 1/2, by two-dimensional integration."""
    law = stats.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]])
    value, _ = integrate.dblquad(
        lambda v, u: max(u * u, v * v) * law.pdf([u, v]), -6, 6, -6, 6, epsabs=1e-3, epsrel=1e-3
    )
    assert expected_decrease(3) == pytest.approx(value, abs=2e-3)


@pytest.mark.parametrize("n_levels", LEVELS)
@pytest.mark.parametrize("split", ["best", "random", "multiway"])
def test_simulated_decreases_have_the_expected_mean(n_levels, split):
    n_repeats = 2000
    found = simulated_decreases(
        n_levels, split, n_samples=1000, n_repeats=n_repeats, random_state=n_levels
    )
    standard_error = found.std() / np.sqrt(n_repeats)
    assert abs(found.mean() - expected_decrease(n_levels, split)) < 4 * standard_error + 0.02


def test_more_levels_make_the_best_cut_better_but_less_than_independent_cuts_would():
    best = [expected_decrease(k) for k in LEVELS]
    independent = [
        integrate.quad(lambda c, m=k - 1: 1 - stats.chi2.cdf(c, 1) ** m, 0, 80)[0] for k in LEVELS
    ]
    assert np.all(np.diff(best) > 0)
    assert np.all(np.array(best[1:]) < independent[1:])


def test_the_best_simulated_cut_is_the_best_of_all_cuts_of_that_node():
    rng = np.random.default_rng(0)
    found = simulated_decreases(6, n_samples=30, n_repeats=1, random_state=rng)[0]
    rng = np.random.default_rng(0)
    x, y = rng.integers(6, size=30), rng.integers(2, size=30)
    y[:2] = [0, 1]
    best = max(impurity_decrease(y, x <= value, "gini") for value in range(5))
    assert found == pytest.approx(best * 29 / impurity(y, "gini"))


def test_the_row_number_of_sorted_classes_and_of_a_trend_is_caught():
    assert independence_pvalue(range(30), np.repeat([0, 1, 2], 10), random_state=0) == 0.001
    trend = np.linspace(0, 5, 30)
    assert independence_pvalue(range(30), trend, kind="variance", random_state=0) == 0.001


def test_a_constant_is_independent_of_everything():
    assert independence_pvalue([7] * 20, [0, 1] * 10, random_state=0) == 1
    assert independence_pvalue([1, 2, 3], ["same"] * 3, random_state=0) == 1


def test_p_values_of_independent_columns_are_not_too_small():
    """P(p <= a) <= a: counted over 200 columns, within 4 standard errors."""
    rng = np.random.default_rng(1)
    p = np.array(
        [
            independence_pvalue(
                rng.integers(5, size=25), rng.integers(2, size=25), n_shuffles=39, random_state=rng
            )
            for _ in range(200)
        ]
    )
    for level in (0.05, 0.2, 0.5):
        assert (p <= level).mean() <= level + 4 * np.sqrt(level * (1 - level) / 200)


@settings(max_examples=20)
@given(st.lists(st.integers(0, 4), min_size=2, max_size=12), st.integers(0, 99))
def test_the_statistic_is_the_best_cut_and_equal_values_are_never_cut(x, seed):
    y = np.random.default_rng(seed).integers(2, size=len(x))
    p = independence_pvalue(x, y, n_shuffles=9, random_state=seed)
    increasing = independence_pvalue(np.exp(x), y, n_shuffles=9, random_state=seed)
    assert p == increasing
    assert 0.1 <= p <= 1


def test_the_same_seed_gives_the_same_and_inputs_stay_as_they_were():
    x, y = np.arange(10.0), np.array([0, 1] * 5)
    first, second = (independence_pvalue(x, y, random_state=3) for _ in range(2))
    assert first == second
    np.testing.assert_array_equal(y, [0, 1] * 5)
    first, second = (simulated_decreases(4, n_repeats=5, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(
    ("call", "error", "advice"),
    [
        (lambda: expected_decrease(1), ValueError, "n_levels must be"),
        (lambda: expected_decrease(51), ValueError, "from 2 to 50"),
        (lambda: expected_decrease(2.5), TypeError, "whole number"),
        (lambda: expected_decrease(5, "worst"), ValueError, "split must be"),
        (lambda: simulated_decreases(1), ValueError, "n_levels must be"),
        (lambda: simulated_decreases(5, "worst"), ValueError, "split must be"),
        (lambda: simulated_decreases(5, n_samples=1), ValueError, "n_samples must be"),
        (lambda: simulated_decreases(5, n_repeats=0), ValueError, "n_repeats must be"),
        (lambda: independence_pvalue([1, 2], [0, 1], kind="entropy"), ValueError, "kind must be"),
        (lambda: independence_pvalue([1, 2], [0, 1], n_shuffles=0), ValueError, "n_shuffles"),
        (lambda: independence_pvalue([1, 2, 3], [0, 1]), ValueError, "each row needs its target"),
        (lambda: independence_pvalue([1, np.nan], [0, 1]), ValueError, "NaN"),
        (lambda: independence_pvalue(["a", "b"], [0, 1]), TypeError, "must hold numbers"),
        (lambda: independence_pvalue([1, 2], ["a", "b"], kind="variance"), TypeError, "numbers"),
        (lambda: independence_pvalue([], []), ValueError, "at least 1 row"),
    ],
)
def test_bad_input_gets_its_sentence(call, error, advice):
    with pytest.raises(error, match=advice):
        call()
