"""Entropies against hand counts and a plain group-by (mirrors information.py)."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from course_lib.worlds import Categorical, make_gate, make_led, make_rare

quick = settings(deadline=None, max_examples=30)


@st.composite
def distributions(draw, max_features=3):
    p = draw(st.integers(1, max_features))
    n = draw(st.integers(1, 12))
    cell = st.integers(0, 2)
    X = draw(st.lists(st.lists(cell, min_size=p, max_size=p), min_size=n, max_size=n))
    y = draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    w = draw(st.lists(st.integers(1, 5), min_size=n, max_size=n))
    return np.array(X), np.array(y), np.array(w, dtype=float)


def conditional_entropy_by_groups(X, y, w, S):
    """H(Y | X_S) the slow way: a group-by over the columns in S."""
    table = pd.DataFrame(X[:, list(S)]).assign(y=y, w=w / w.sum())
    total = 0.0
    for _, node in table.groupby(list(range(len(S))) or (lambda _: 0)):
        total += node["w"].sum() * stats.entropy(node.groupby("y")["w"].sum(), base=2)
    return total


def test_two_fair_bits_and_their_xor():
    xor = Categorical(*make_gate("xor"))
    assert xor.entropy() == 1
    assert xor.mutual_information(["x1"]) == 0
    assert xor.mutual_information(["x1", "x2"]) == 1
    assert xor.conditional_mutual_information("x2", ["x1"]) == 1


def test_led_segments_determine_one_of_ten_equally_likely_digits():
    led = Categorical(*make_led())
    assert led.entropy() == pytest.approx(np.log2(10))
    assert led.conditional_entropy(led.feature_names) == 0


@quick
@given(distributions())
def test_conditional_entropy_equals_the_group_by_for_every_set(data):
    X, y, w = data
    distribution = Categorical(X, y, w)
    for size in range(X.shape[1] + 1):
        for S in combinations(range(X.shape[1]), size):
            expected = conditional_entropy_by_groups(X, y, w, S)
            assert distribution.conditional_entropy(S) == pytest.approx(expected, abs=1e-12)


@quick
@given(distributions())
def test_information_obeys_the_chain_rule_and_is_never_negative(data):
    X, y, w = data
    distribution = Categorical(X, y, w)
    features = list(range(X.shape[1]))
    steps = [distribution.conditional_mutual_information(m, features[:m]) for m in features]
    assert min(steps) >= -1e-12
    assert sum(steps) == pytest.approx(distribution.mutual_information(features), abs=1e-12)


@quick
@given(distributions())
def test_mean_of_entropy_at_is_conditional_entropy(data):
    X, y, w = data
    distribution = Categorical(X, y, w)
    S = [0]
    mean = sum(
        share * distribution.entropy_at(x, S) for x, share in zip(X, w / w.sum(), strict=True)
    )
    assert mean == pytest.approx(distribution.conditional_entropy(S), abs=1e-12)


def test_a_rare_value_can_raise_the_entropy():
    rare = Categorical(*make_rare())
    assert rare.entropy_at([1], ["x"]) == 1
    assert rare.entropy_at([0], [0]) == 0
    assert rare.entropy_at([1], []) == pytest.approx(rare.entropy())


def test_a_sample_is_the_distribution_of_its_counts():
    X, y = make_led(300, random_state=0)
    sample = Categorical(X, y)
    counts = y.value_counts().sort_index()
    support = make_led()[0].iloc[counts.index]
    weighted = Categorical(support, counts.index, weights=counts)
    assert len(sample.probabilities) == len(counts)
    assert sample.probabilities.sum() == pytest.approx(1)
    for S in ([], ["X1"], ["X2", "X5"]):
        assert sample.conditional_entropy(S) == pytest.approx(weighted.conditional_entropy(S))


def test_points_of_weight_zero_do_not_exist():
    with_ghost = Categorical([[0], [1], [2]], ["a", "b", "b"], weights=[1, 1, 0])
    assert len(with_ghost.probabilities) == 2
    with pytest.raises(ValueError, match="probability 0"):
        with_ghost.entropy_at([2], [0])


@pytest.mark.parametrize("unit", [1e308, 1e-320])
def test_the_unit_of_the_weights_does_not_matter(unit):
    coin = Categorical([[0], [1], [1]], ["a", "b", "b"], weights=[unit] * 3)
    np.testing.assert_allclose(coin.probabilities, [1 / 3, 2 / 3])


def test_any_number_of_variables_can_be_looked_at():
    X = np.random.default_rng(0).integers(2, size=(40, 70))
    wide = Categorical(X, X[:, 69])
    assert wide.conditional_entropy([69]) == wide.entropy_at(X[0], range(70)) == 0
    assert wide.mutual_information([0]) == pytest.approx(
        Categorical(X[:, :1], X[:, 69]).mutual_information([0])
    )


def test_features_by_name_position_or_alone_mean_the_same():
    led = Categorical(*make_led())
    assert led.conditional_entropy("X2") == led.conditional_entropy([1])
    assert led.conditional_entropy(1) == led.conditional_entropy(["X2", 1])
    assert led.conditional_mutual_information("X2", ["X2"]) == 0


def test_categories_may_be_strings_numbers_and_mixtures():
    X = pd.DataFrame({"colour": ["red", "blue", "red", "blue"], "size": [1, 1, 2, 2]})
    distribution = Categorical(X, ["yes", "no", "no", "yes"])
    assert distribution.mutual_information(["colour", "size"]) == 1
    row = pd.Series({"size": 1, "colour": "red"})  # in another order, found by name
    for x in (row, row.to_frame().T):
        assert distribution.entropy_at(x, ["colour", "size"]) == 0
    with pytest.raises(ValueError, match="called weight, colour, but the features are colour, si"):
        distribution.entropy_at(pd.Series({"weight": 1, "colour": "red"}), ["size"])
    mixed = Categorical(np.array([["a"], [1], [2.5]], dtype=object), [0, 1, 1])
    assert mixed.conditional_entropy([0]) == 0
    listed = Categorical([["red", 1], ["red", 2]], [0, 1])
    assert listed.entropy_at(["red", 1], [1]) == 0


def test_more_combinations_than_fit_into_an_integer_are_still_told_apart():
    rng = np.random.default_rng(0)
    X = rng.integers(50, size=(40, 30))
    X[1] = X[0]
    X[1, 29] += 1
    distribution = Categorical(X, np.arange(40) % 2)
    everything = 2**30 - 1
    nodes = distribution.nodes([everything, everything - 2**29])
    assert len(np.unique(nodes[0])) == 40
    assert len(np.unique(nodes[1])) == 39


def test_inputs_are_not_modified():
    X, y, w = np.array([[0], [1]]), np.array([0, 1]), np.array([1.0, 3.0])
    Categorical(X, y, w)
    np.testing.assert_array_equal(w, [1, 3])


LED = Categorical(*make_led())


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Categorical([[0], [1]], [0]), "each row needs its target"),
        (lambda: Categorical([0, 1], [0, 1]), "two dimensions"),
        (lambda: Categorical([], []), "two dimensions|at least"),
        (lambda: Categorical(np.zeros((0, 2)), []), "at least 1 row"),
        (lambda: Categorical([[0], [np.nan]], [0, 1]), "missing values"),
        (lambda: Categorical(None, [0]), "X must be"),
        (lambda: Categorical([[0], [1]], [0, 1], weights=[1]), "2 finite nonnegative"),
        (lambda: Categorical([[0], [1]], [0, 1], weights=[1, -1]), "2 finite nonnegative"),
        (lambda: Categorical([[0], [1]], [0, 1], weights=[0, 0]), "not all 0"),
        (lambda: Categorical([[0], [1]], [0, 1], weights=[1, np.inf]), "finite"),
        (lambda: Categorical([[0], [1]], [0, 1], weights="ab"), "finite nonnegative numbers"),
        (lambda: LED.conditional_entropy(["X8"]), "Unknown feature 'X8'"),
        (lambda: LED.conditional_entropy([7]), "no feature at position 7"),
        (lambda: LED.conditional_entropy([0.5]), "by its name or its position"),
        (lambda: LED.mutual_information(None), "by its name or its position"),
        (lambda: LED.entropy_at([0, 1], ["X1"]), "full row"),
        (lambda: LED.entropy_at(3, ["X1"]), "single row"),
        (lambda: LED.entropy_at([0] * 7, LED.feature_names), "probability 0 together"),
        (lambda: LED.entropy_at(["on"] * 7, ["X1"]), "X1 = 'on'"),
        (lambda: LED.entropy_at([{}] * 7, ["X1"]), "single value"),
        (lambda: Categorical(np.array([[{}]]), [0]), "single values"),
        (lambda: LED.support_row([0] * 7), "10 rows that can occur"),
    ],
)
def test_bad_arguments_are_refused_with_a_sentence(call, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        call()
