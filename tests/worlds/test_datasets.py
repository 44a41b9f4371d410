"""Each data set obeys the law that its docstring states (mirrors datasets.py)."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from course_lib.worlds import (
    Categorical,
    load_led_table,
    load_node,
    make_correlated,
    make_gate,
    make_gauges,
    make_led,
    make_null,
    make_rare,
    make_trial,
)


def entropy(y):
    return stats.entropy(np.bincount(y), base=2)


def decrease(X, y, threshold):
    left = X["x"] <= threshold
    return entropy(y) - left.mean() * entropy(y[left]) - (~left).mean() * entropy(y[~left])


def test_node_has_the_printed_entropies():
    X, y = load_node()
    left = X["x"] <= 12.5
    assert (len(y), int(left.sum())) == (20, 12)
    np.testing.assert_array_equal(np.bincount(y), [12, 8])
    assert round(entropy(y), 3) == 0.971
    assert round(entropy(y[left]), 3) == 0.650
    assert round(entropy(y[~left]), 3) == 0.811
    assert round(decrease(X, y, 12.5), 4) == 0.2564


def test_every_other_threshold_of_the_node_gives_less():
    X, y = load_node()
    others = [decrease(X, y, k + 0.5) for k in range(1, 20) if k != 12]
    assert max(others) < decrease(X, y, 12.5) - 0.05


def test_led_support_is_the_ten_digits_in_order():
    X, y = make_led()
    assert list(X.columns) == [f"X{m}" for m in range(1, 8)]
    np.testing.assert_array_equal(y, np.arange(10))
    assert len(X.drop_duplicates()) == 10
    assert X.sum(axis=1).tolist() == [6, 2, 5, 5, 4, 5, 6, 3, 7, 6]  # lit segments, counted


def test_led_segments_are_in_the_order_top_upper_middle_lower_bottom():
    X, _ = make_led()
    zero, one, four, seven = (set(X.columns[X.loc[digit] == 1]) for digit in (0, 1, 4, 7))
    assert zero == {"X1", "X2", "X3", "X5", "X6", "X7"}  # all but the middle
    assert one == {"X3", "X6"}
    assert four == {"X2", "X3", "X4", "X6"}
    assert seven - one == {"X1"}


def test_the_printed_table_of_the_display_has_a_row_per_segment_and_sums_near_the_information():
    table = load_led_table()
    assert table.index.tolist() == make_led()[0].columns.tolist()
    assert table.columns.tolist() == ["Thm. 1", *(f"K={K}" for K in range(1, 8))]
    assert (abs(table.sum() - np.log2(10)) < 7e-3).all()  # seven entries, each cut off below 0.001


def test_gauges_tell_half_a_bit_each_in_every_context_without_the_other():
    X, y = make_gauges()
    season, weather = y.str.split().str[0], y.str.split().str[1]
    assert len(X) == 16 and y.nunique() == 4 and (y.value_counts() == 4).all()
    assert (X["season"] == season).all()
    assert (X["A"] == weather)[season == "summer"].all()
    winter = season == "winter"
    assert (pd.crosstab(X["A"][winter], weather[winter]) == 2).all(axis=None)  # a coin
    assert (X["B"] == weather).mean() == (X["B"] == "blank").mean() == 0.5
    law = Categorical(X, y)
    for gauge in "AB":
        for known in ([], ["season"]):
            assert law.conditional_mutual_information(gauge, known) == pytest.approx(0.5)


def test_led_sample_draws_digits_uniformly_and_lights_their_segments():
    X, y = make_led(5000, random_state=0)
    support, _ = make_led()
    np.testing.assert_array_equal(X, support.to_numpy()[y])
    assert stats.chisquare(np.bincount(y, minlength=10)).pvalue > 1e-3


@pytest.mark.parametrize("target", ["class", "number"])
def test_null_inputs_are_uniform_and_independent_of_the_target(target):
    X, y = make_null(4000, random_state=1, target=target)
    groups = y if target == "class" else y > 0
    for name in X:
        levels = X[name] if name != "continuous" else (8 * X[name]).astype(int)
        table = pd.crosstab(levels, groups)
        assert stats.chisquare(table.sum(axis=1)).pvalue > 1e-3
        assert stats.chi2_contingency(table).pvalue > 1e-3


def test_null_inputs_are_independent_of_each_other():
    X, _ = make_null(4000, random_state=2)
    correlations = X.corr().to_numpy()[np.triu_indices(5, k=1)]
    assert abs(correlations).max() < 4 / np.sqrt(4000)


def test_null_target_is_a_fair_coin_or_a_standard_normal():
    coin = make_null(4000, random_state=3)[1]
    assert stats.binomtest(int(coin.sum()), 4000).pvalue > 1e-3
    number = make_null(4000, random_state=3, target="number")[1]
    assert stats.kstest(number, "norm").pvalue > 1e-3


@pytest.mark.parametrize("gate", ["and", "or", "xor"])
def test_gate_rows_follow_the_truth_table_and_the_counts(gate):
    X, y = make_gate(gate, counts=(4, 1, 2, 3))
    truth = {"and": X["x1"] & X["x2"], "or": X["x1"] | X["x2"], "xor": X["x1"] ^ X["x2"]}
    np.testing.assert_array_equal(y, truth[gate])
    assert X.value_counts().to_dict() == {(0, 0): 4, (0, 1): 1, (1, 0): 2, (1, 1): 3}


def test_rare_value_makes_a_fair_coin_out_of_a_sure_thing():
    X, y = make_rare()
    assert X["x"].mean() == 0.2
    assert y[X["x"] == 0].mean() == 0
    assert y[X["x"] == 1].mean() == 0.5


@pytest.mark.parametrize("rho", [-0.5, 0.0, 0.9])
def test_correlated_inputs_have_the_stated_moments(rho):
    n = 4000
    X, y = make_correlated(n, random_state=0, rho=rho, noise=0.5)
    expected = [[1, rho, 0, 1], [rho, 1, 0, rho], [0, 0, 1, 0], [1, rho, 0, 1.25]]
    found = np.cov(np.column_stack([X, y]), rowvar=False)
    assert abs(found - expected).max() < 5 * np.sqrt(2 * 1.25**2 / n)


def test_extreme_correlations_make_a_copy_and_its_mirror_image():
    X, _ = make_correlated(30, random_state=0, rho=-1)
    np.testing.assert_allclose(X["x2"], -X["x1"])


@pytest.mark.parametrize("levels", [2, 20, None])
def test_trial_has_a_treatment_that_works_and_a_ticket_that_does_not(levels):
    n = 4000
    X, y = make_trial(n, random_state=0, levels=levels, effect=0.4)
    assert stats.binomtest(int(X["treated"].sum()), n).pvalue > 1e-3
    for treated, probability in ((0, 0.3), (1, 0.7)):
        own = y[X["treated"] == treated]
        assert stats.binomtest(int(own.sum()), len(own), probability).pvalue > 1e-3
    ticket = X["ticket"] if levels else (8 * X["ticket"]).astype(int)
    assert ticket.nunique() == (levels or 8)
    assert levels is None or (ticket.min(), ticket.max()) == (1, levels)
    for other in (X["treated"], y):
        table = pd.crosstab(ticket, other)
        assert stats.chisquare(table.sum(axis=1)).pvalue > 1e-3
        assert stats.chi2_contingency(table).pvalue > 1e-3


def test_a_sure_effect_decides_and_a_negative_one_harms():
    X, y = make_trial(50, random_state=0, effect=1)
    np.testing.assert_array_equal(y, X["treated"])
    X, y = make_trial(50, random_state=0, effect=-1)
    np.testing.assert_array_equal(y, 1 - X["treated"])


@pytest.mark.parametrize("make", [make_led, make_null, make_correlated, make_trial])
def test_same_seed_gives_the_same_data_and_numpys_global_state_is_left_alone(make):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first, second = make(50, random_state=7), make(50, random_state=7)
    other = make(50, random_state=np.random.default_rng(8))
    pd.testing.assert_frame_equal(first[0], second[0])
    pd.testing.assert_series_equal(first[1], second[1])
    assert not first[0].equals(other[0])
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: make_led(0), "n_samples must be a whole number"),
        (lambda: make_led(2.5), "n_samples must be a whole number"),
        (lambda: make_led(3, random_state="a"), "random_state must be an int"),
        (lambda: make_null(-1), "n_samples must be a whole number"),
        (lambda: make_null(10, target="regression"), "'class' or 'number'"),
        (lambda: make_gate("nand"), "gate must be 'and'"),
        (lambda: make_gate("and", counts=(1, 2)), "four whole numbers"),
        (lambda: make_gate("and", counts=3), "four whole numbers"),
        (lambda: make_gate("and", counts=(1, 2, 3, -1)), "each of counts"),
        (lambda: make_gate("and", counts=(1, 2, 3, 0.5)), "each of counts"),
        (lambda: make_gate("and", counts=(0, 0, 0, 0)), "all 0"),
        (lambda: make_trial(0), "n_samples must be a whole number"),
        (lambda: make_trial(10, levels=1), "levels must be a whole number"),
        (lambda: make_trial(10, effect=1.5), "difference of two probabilities"),
        (lambda: make_trial(10, effect="large"), "effect must be a number"),
        (lambda: make_correlated(10, rho=1.5), "rho is a correlation"),
        (lambda: make_correlated(10, rho="high"), "rho must be a number"),
        (lambda: make_correlated(10, noise=-1), "noise must be a finite number"),
    ],
)
def test_bad_arguments_are_refused_with_a_sentence(call, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        call()
