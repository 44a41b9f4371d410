"""MDI of infinite ensembles against the papers' theorems, tables and a plain recursion."""

from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import brentq

from course_lib.measures import asymptotic_local_mdi, asymptotic_mdi, mdi_by_degree
from course_lib.models import shapley_values
from course_lib.questions import DISTRIBUTION, Q3
from course_lib.worlds import Categorical, make_gate, make_led, make_rare

quick = settings(deadline=None, max_examples=25)

SYLLABUS = {  # exact, to four decimals
    1: [0.4127, 0.5815, 0.5312, 0.5421, 0.6566, 0.2258, 0.3720],
    2: [0.3625, 0.6652, 0.5126, 0.5252, 0.7302, 0.1397, 0.3865],
    4: [0.3100, 0.7560, 0.4892, 0.4445, 0.8092, 0.1235, 0.3893],
    7: [0.3065, 0.7981, 0.4753, 0.4096, 0.8355, 0.1219, 0.3752],
}
PRINTED_THEOREM_1 = [0.412, 0.581, 0.531, 0.542, 0.656, 0.225, 0.372]  # truncated, not rounded
PRINTED_K = {  # simulated
    1: [0.414, 0.583, 0.532, 0.543, 0.658, 0.221, 0.368],
    2: [0.362, 0.663, 0.512, 0.525, 0.731, 0.140, 0.385],
    3: [0.327, 0.715, 0.496, 0.484, 0.778, 0.126, 0.392],
    4: [0.309, 0.757, 0.489, 0.445, 0.810, 0.122, 0.387],
    5: [0.304, 0.787, 0.483, 0.414, 0.827, 0.122, 0.382],
    6: [0.305, 0.801, 0.475, 0.409, 0.831, 0.121, 0.375],
    7: [0.306, 0.799, 0.475, 0.412, 0.835, 0.120, 0.372],
}


@pytest.fixture(scope="module")
def led():
    return Categorical(*make_led())


@st.composite
def tables(draw, min_features=2, max_features=3):
    """Distributions as (X, y, weights), with dependence and noise of all kinds."""
    p = draw(st.integers(min_features, max_features))
    n = draw(st.integers(2, 9))
    X = draw(st.lists(st.lists(st.integers(0, 2), min_size=p, max_size=p), min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    w = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    return np.array(X), np.array(y), np.array(w, dtype=float)


def values(distribution, **options):
    return asymptotic_mdi(distribution, **options).importances_mean


def information_game(distribution):
    """v(S) = I(Y; S) by bit mask."""
    p = distribution.n_features
    sets = [[m for m in range(p) if mask >> m & 1] for mask in range(2**p)]
    return np.array([distribution.mutual_information(S) for S in sets])


def by_definition(X, y, w, K, impurity, x=None):
    """The random trees written out: recurse over nodes, all draws of K, all ties.

    Returns the table feature x degree, of the global importance or of that at the row x.
    """
    w, p = w / w.sum(), X.shape[1]

    @cache
    def i(rows):
        share = w[list(rows)] / w[list(rows)].sum()
        if impurity == "variance":
            return share @ (y[list(rows)] - share @ y[list(rows)]) ** 2
        q = np.array([share[y[list(rows)] == c].sum() for c in np.unique(y[list(rows)])])
        return stats.entropy(q, base=2) if impurity == "entropy" else 1 - (q**2).sum()

    @cache
    def children(rows, m):
        return [tuple(r for r in rows if X[r, m] == v) for v in np.unique(X[list(rows), m])]

    def followed(rows, m):
        kids = children(rows, m)
        if x is None:
            return [(kid, w[list(kid)].sum() / w[list(rows)].sum()) for kid in kids]
        return [(kid, 1.0) for kid in kids if X[kid[0], m] == x[m]]

    @cache
    def below(rows, used):
        unused = [m for m in range(p) if m not in used]
        table = np.zeros((p, p))
        if not unused:
            return table
        decrease = {
            m: i(rows)
            - sum(w[list(k)].sum() / w[list(rows)].sum() * i(k) for k in children(rows, m))
            for m in unused
        }
        draws = list(combinations(unused, min(K, len(unused))))
        for drawn in draws:
            best = max(decrease[m] for m in drawn)
            ties = [m for m in drawn if decrease[m] >= best - 1e-10]
            for m in ties:
                chance = 1 / len(draws) / len(ties)
                for kid, share in followed(rows, m):
                    table[m, len(used)] += chance * share * (i(rows) - i(kid))
                    table += chance * share * below(kid, used | {m})
        return table

    return below(tuple(range(len(y))), frozenset())


# The LED display


@pytest.mark.parametrize("K", SYLLABUS)
def test_led_values_to_four_decimals(led, K):
    np.testing.assert_array_equal(values(led, K=K).round(4), SYLLABUS[K])


def test_led_theorem_1_column_of_the_paper_is_truncated(led):
    np.testing.assert_array_equal(np.floor(values(led) * 1000) / 1000, PRINTED_THEOREM_1)


@pytest.mark.parametrize("K", PRINTED_K)
def test_led_simulated_columns_of_the_paper_are_good_to_five_thousandths(led, K):
    np.testing.assert_allclose(values(led, K=K), PRINTED_K[K], atol=0.005)


@pytest.mark.parametrize("K", range(1, 8))
def test_led_importances_sum_to_log2_of_ten_whatever_K(led, K):
    assert values(led, K=K).sum() == pytest.approx(np.log2(10), abs=1e-12)


def test_led_masking_at_K_7_leaves_out_interaction_terms_that_K_1_counts(led):
    all_terms, some_terms = mdi_by_degree(led, K=1), mdi_by_degree(led, K=7)
    assert (all_terms > 0).sum() > (some_terms > 0).sum()
    assert (some_terms[:, 0] > 0).sum() == 2  # only X2 and X5 ever split the root


def test_led_has_no_negative_local_importance(led):
    X, _ = make_led()
    local = [asymptotic_local_mdi(led, x).importances_mean for x in X.to_numpy()]
    assert np.min(local) > 0


@pytest.mark.parametrize("K", range(1, 8))
def test_led_local_values_average_to_the_global_ones(led, K):
    """Equations 11 and 12."""
    X, _ = make_led()
    local = np.array([asymptotic_local_mdi(led, x, K=K).importances_mean for x in X.to_numpy()])
    np.testing.assert_allclose(local.mean(axis=0), values(led, K=K), atol=1e-12)
    np.testing.assert_allclose(local.sum(axis=1), np.log2(10), atol=1e-12)


# Against the definition


@quick
@given(tables(), st.integers(1, 3), st.sampled_from(["entropy", "gini", "variance"]))
def test_equals_the_recursion_over_all_trees(data, K, impurity):
    X, y, w = data
    K = min(K, X.shape[1])
    expected = by_definition(X, y, w, K, impurity)
    distribution = Categorical(X, y, w)
    np.testing.assert_allclose(mdi_by_degree(distribution, K, impurity), expected, atol=1e-12)
    found = values(distribution, K=K, impurity=impurity)
    np.testing.assert_allclose(found, expected.sum(axis=1), atol=1e-12)


@quick
@given(tables(), st.integers(1, 3), st.sampled_from(["entropy", "gini", "variance"]))
def test_local_values_equal_the_recursion_over_all_trees(data, K, impurity):
    X, y, w = data
    K = min(K, X.shape[1])
    found = asymptotic_local_mdi(Categorical(X, y, w), X[0], K, impurity).importances_mean
    expected = by_definition(X, y, w, K, impurity, x=X[0]).sum(axis=1)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("K", [2, 6])
def test_led_equals_the_recursion_over_all_trees(led, K):
    X, y = make_led()
    expected = by_definition(X.to_numpy(), y.to_numpy(), np.ones(10), K, "entropy")
    np.testing.assert_allclose(mdi_by_degree(led, K), expected, atol=1e-12)


@quick
@given(tables())
def test_theorem_1_the_double_sum_of_conditional_information(data):
    """Equation 2 of Louppe et al., term by term, by degree."""
    distribution = Categorical(*data)
    p = distribution.n_features
    expected = np.zeros((p, p))
    for m in range(p):
        for k in range(p):
            others = [j for j in range(p) if j != m]
            terms = [
                distribution.conditional_mutual_information(m, B) for B in combinations(others, k)
            ]
            expected[m, k] = sum(terms) / (len(list(combinations(range(p), k))) * (p - k))
    np.testing.assert_allclose(mdi_by_degree(distribution), expected, atol=1e-12)


@quick
@given(tables())
def test_theorem_1_of_sutera_mdi_is_the_shapley_value_of_information(data):
    distribution = Categorical(*data)
    expected = shapley_values(information_game(distribution), distribution.n_features)
    np.testing.assert_allclose(values(distribution), expected, atol=1e-12)


@quick
@given(tables())
def test_local_mdi_is_the_shapley_value_of_the_local_game(data):
    """Equation 13, with v_loc(S; x) = H(Y) - H(Y | X_S = x_S)."""
    X, y, w = data
    distribution, p = Categorical(X, y, w), X.shape[1]
    v = [
        distribution.entropy()
        - distribution.entropy_at(X[0], [m for m in range(p) if mask >> m & 1])
        for mask in range(2**p)
    ]
    local = asymptotic_local_mdi(distribution, X[0]).importances_mean
    np.testing.assert_allclose(local, shapley_values(np.array(v), p), atol=1e-12)


# What holds for every K


@quick
@given(tables(), st.integers(1, 3))
def test_efficiency_holds_for_every_K(data, K):
    """Theorem 2 and equation 5; equation 12 row by row."""
    X, y, w = data
    distribution, K = Categorical(X, y, w), min(K, X.shape[1])
    features = list(range(X.shape[1]))
    total = values(distribution, K=K).sum()
    assert total == pytest.approx(distribution.mutual_information(features), abs=1e-12)
    local = asymptotic_local_mdi(distribution, X[0], K).importances_mean.sum()
    removed = distribution.entropy() - distribution.entropy_at(X[0], features)
    assert local == pytest.approx(removed, abs=1e-12)


@quick
@given(tables(), st.integers(1, 3))
def test_local_values_average_to_global_ones(data, K):
    X, y, w = data
    distribution, K = Categorical(X, y, w), min(K, X.shape[1])
    local = [asymptotic_local_mdi(distribution, x, K).importances_mean for x in X]
    mean = np.average(local, axis=0, weights=w)
    np.testing.assert_allclose(mean, values(distribution, K=K), atol=1e-12)


def with_coin(X, y, w):
    """The same world and, in a last column, a fair coin that knows nothing."""
    coin = np.repeat([0, 1], len(y))[:, np.newaxis]
    return np.hstack([np.vstack([X, X]), coin]), np.tile(y, 2), np.tile(w, 2)


@quick
@given(tables(max_features=2), st.integers(1, 3))
def test_an_irrelevant_variable_gets_zero_everywhere(data, K):
    """Null player; Theorem 3 of both papers and Theorem 4 of Sutera et al."""
    X, y, w = with_coin(*data)
    distribution, K = Categorical(X, y, w), min(K, X.shape[1])
    assert values(distribution, K=K)[-1] == pytest.approx(0, abs=1e-12)
    for x in X:
        local = asymptotic_local_mdi(distribution, x, K).importances_mean
        assert local[-1] == pytest.approx(0, abs=1e-12)


@quick
@given(tables(max_features=2))
def test_adding_or_removing_an_irrelevant_variable_changes_nothing_at_K_1(data):
    """Theorem 5 of Louppe et al. (and its converse, their Theorem 4)."""
    alone, beside = Categorical(*data), Categorical(*with_coin(*data))
    np.testing.assert_allclose(values(beside)[:-1], values(alone), atol=1e-12)


def test_adding_an_irrelevant_variable_can_change_the_others_at_K_2(led):
    X, y = make_led()
    beside = Categorical(*with_coin(X.to_numpy(), y.to_numpy(), np.ones(10)))
    assert abs(values(beside, K=2)[:-1] - values(led, K=2)).max() > 0.001


@quick
@given(tables())
def test_zero_importance_at_K_1_means_irrelevant(data):
    """Theorem 3: Imp = 0 only if I(X_m; Y | B) = 0 for every B."""
    distribution = Categorical(*data)
    p = distribution.n_features
    for m, importance in enumerate(values(distribution)):
        others = [j for j in range(p) if j != m]
        contexts = [B for k in range(p) for B in combinations(others, k)]
        terms = [distribution.conditional_mutual_information(m, B) for B in contexts]
        assert (importance > 1e-9) == (max(terms) > 1e-9)


def test_a_relevant_variable_can_be_masked_to_zero_at_K_2():
    """X2 is a noisy copy of X1 = Y: relevant alone, never chosen beside X1."""
    X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    distribution = Categorical(X, [0, 0, 1, 1], weights=[4, 1, 1, 4])
    assert distribution.mutual_information([1]) > 0.2
    assert values(distribution, K=1)[1] > 0.1
    np.testing.assert_allclose(values(distribution, K=2), [1, 0], atol=1e-12)


# The axioms at K = 1


@quick
@given(tables(max_features=2))
def test_symmetric_variables_share_alike_at_K_1(data):
    """Symmetry: an exact copy, and two variables whose joint law is exchangeable."""
    X, y, w = data
    copied = Categorical(np.column_stack([X, X[:, 0]]), y, w)
    found = values(copied)
    assert found[0] == pytest.approx(found[-1], abs=1e-12)
    swapped = X.copy()
    swapped[:, :2] = X[:, 1::-1]
    mixed = Categorical(np.vstack([X, swapped]), np.tile(y, 2), np.tile(w, 2))
    assert np.ptp(values(mixed)[:2]) == pytest.approx(0, abs=1e-12)


@quick
@given(tables(max_features=2), st.floats(0.05, 0.95))
def test_strong_monotonicity_at_K_1(data, kept):
    """Y2 is Y1 erased at random: every I(X_m; Y | S) shrinks, and so must Imp."""
    X, y, w = data
    full = Categorical(X, y, w)
    erased = Categorical(
        np.vstack([X, X]), np.append(y, np.full(len(y), 9)), np.append(w * kept, w * (1 - kept))
    )
    assert (information_game(erased) <= information_game(full) + 1e-12).all()
    assert (values(erased) <= values(full) + 1e-12).all()


@pytest.fixture(scope="module")
def lopsided():
    """Y = (X3, Z). X1 is Z if X3 = 0 and a coin if X3 = 1; X2 is always Z through the same noisy
    channel, noisy enough to tell half a bit: the two tell the same in every context S."""
    e = brentq(lambda e: stats.entropy([e, 1 - e], base=2) - 0.5, 1e-6, 0.5)
    rows = []
    for x3, z, flipped, coin in np.ndindex(2, 2, 2, 2):
        weight = (e if flipped else 1 - e) / 8
        rows.append((z if x3 == 0 else coin, z ^ flipped, x3, 2 * x3 + z, weight))
    table = np.array(rows)
    return table[:, :3].astype(int), table[:, 3].astype(int), table[:, 4]


def test_symmetry_breaks_at_K_2(lopsided):
    distribution = Categorical(*lopsided)
    v = information_game(distribution)
    for rest in (0b000, 0b100):
        assert v[rest | 0b001] == pytest.approx(v[rest | 0b010], abs=1e-12)
    first, second, _ = values(distribution, K=1)
    assert first == pytest.approx(second, abs=1e-12)
    first, second, _ = values(distribution, K=2)
    assert first > second + 0.1


def test_strong_monotonicity_breaks_at_K_2(lopsided):
    """The same inputs with Y2 made from them with X1 and X2 in exchanged roles: every marginal
    contribution of X1 is the same in both games, its share is not."""
    X, y, w = lopsided
    one, other = Categorical(X, y, w), Categorical(X[:, [1, 0, 2]], y, w)
    law = pd.DataFrame(X).assign(w=w).groupby([0, 1, 2])["w"].sum()
    exchanged = pd.DataFrame(X[:, [1, 0, 2]]).assign(w=w).groupby([0, 1, 2])["w"].sum()
    pd.testing.assert_series_equal(law, exchanged)
    v, u = information_game(one), information_game(other)
    for S in (0b000, 0b010, 0b100, 0b110):
        assert v[S | 1] - v[S] == pytest.approx(u[S | 1] - u[S], abs=1e-12)
    assert values(other, K=2)[0] < values(one, K=2)[0] - 0.1


# Local peculiarities


def test_a_rare_value_has_negative_local_importance():
    rare = Categorical(*make_rare())
    usual, unusual = (asymptotic_local_mdi(rare, [x]).importances_mean[0] for x in (0, 1))
    h = stats.entropy([0.1, 0.9], base=2)
    assert usual == pytest.approx(h) and round(usual, 3) == 0.469
    assert unusual == pytest.approx(h - 1) and round(unusual, 3) == -0.531


def test_a_skewed_and_gate_has_negative_local_importance():
    """Seeing x1 = 1 makes a rare event uncertain."""
    gate = Categorical(*make_gate("and", counts=(81, 9, 9, 1)))
    local = asymptotic_local_mdi(gate, [1, 0]).importances_mean
    assert local[0] < 0 < local[1]


def test_a_locally_relevant_variable_can_have_zero_importance():
    """X = 0 turns P(Y = 1) from 3/4 into 1/4: another belief, just as uncertain."""
    X, y = [[0], [0], [1], [1]], [0, 1, 0, 1]
    distribution = Categorical(X, y, weights=[0.15, 0.05, 0.1, 0.7])
    assert asymptotic_local_mdi(distribution, [0]).importances_mean[0] == pytest.approx(
        0, abs=1e-12
    )
    assert asymptotic_local_mdi(distribution, [1]).importances_mean[0] > 0.1
    assert values(distribution)[0] > 0.1


# The record, other impurities, limits


def test_results_say_what_they_answer(led):
    X, _ = make_led()
    overall, local = asymptotic_mdi(led, K=2), asymptotic_local_mdi(led, X.iloc[0])
    assert overall.question is DISTRIBUTION and local.question is Q3
    assert overall.is_exact and overall.feature_names == tuple(X.columns)
    assert "K = 2" in overall.measure


def test_gini_is_twice_the_variance_of_a_binary_target():
    X, y = make_gate("or", counts=(4, 1, 2, 3))
    distribution = Categorical(X, y)
    for K in (1, 2):
        gini, variance = (values(distribution, K=K, impurity=kind) for kind in ("gini", "variance"))
        np.testing.assert_allclose(gini, 2 * variance)


def test_ties_of_a_large_target_are_still_ties():
    """The tolerance follows the scale of y."""
    X, y = make_gate("xor")
    small, large = Categorical(X, y), Categorical(X, 1e6 * y)
    ratio = values(large, K=2, impurity="variance") / values(small, K=2, impurity="variance")
    np.testing.assert_allclose(ratio, 1e12)


@pytest.mark.parametrize("impurity", ["entropy", "gini", "variance"])
def test_ties_in_a_rare_branch_are_still_ties(impurity):
    """Where x0 = 1 the other two are symmetric; else y is 0."""
    points = [(1, a, b, y) for a in (0, 1) for b in (0, 1) for y in (0, 1)]
    chance = {0: 0.1, 1: 0.3, 2: 0.2}  # of y = 1, by a + b
    weight = {0: 0.1, 1: 0.2, 2: 0.5}
    shares = [weight[a + b] * (chance[a + b] if y else 1 - chance[a + b]) for _, a, b, y in points]
    for rare in (1e-9, 1e-12):
        *X, y = np.transpose([(0, 0, 0, 0), *points])
        weights = [1 - rare, *(rare * np.array(shares))]
        found = asymptotic_local_mdi(
            Categorical(np.transpose(X), y, weights), [1, 1, 1], K=2, impurity=impurity
        ).importances_mean
        assert found[1] == pytest.approx(found[2], rel=1e-6)


def test_a_shift_of_the_target_changes_no_variance():
    X, y = make_gate("or", counts=(4, 1, 2, 3))
    near, far = (values(Categorical(X, by + y), impurity="variance") for by in (0, 10**12))
    np.testing.assert_allclose(far, near, rtol=1e-9)


def test_a_constant_target_and_a_single_variable():
    np.testing.assert_array_equal(values(Categorical([[0, 1], [1, 0]], ["a", "a"]), K=2), [0, 0])
    assert values(Categorical([[0], [1]], [0, 1]))[0] == 1


def test_eleven_variables_are_no_problem():
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(60, 11))
    distribution = Categorical(X, X[:, 0] ^ X[:, 5])
    total = distribution.mutual_information(range(11))
    for K in (1, 3):
        assert values(distribution, K=K).sum() == pytest.approx(total, abs=1e-10)


WIDE = Categorical(np.eye(21, dtype=int), np.arange(21))
BROAD = Categorical(np.random.default_rng(0).integers(9, size=(600, 15)), np.arange(600) % 2)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda d: asymptotic_mdi(make_led()), "must be a Categorical"),
        (lambda d: asymptotic_mdi(d, K=0), "K must be a whole number from 1 to 7"),
        (lambda d: asymptotic_mdi(d, K=8), "K must be a whole number from 1 to 7"),
        (lambda d: asymptotic_mdi(d, K=1.0), "K must be a whole number"),
        (lambda d: asymptotic_mdi(d, impurity="mse"), "impurity must be"),
        (lambda d: mdi_by_degree(d, K="2"), "K must be a whole number"),
        (lambda d: asymptotic_local_mdi(d, None), "single row"),
        (lambda d: asymptotic_local_mdi(d, [0] * 7), "probability 0"),
        (lambda d: asymptotic_local_mdi(d, [2] * 7), "probability 0"),
        (lambda d: asymptotic_local_mdi(d, [0] * 6), "full row"),
        (lambda d: asymptotic_mdi(Categorical([[0]], ["a"]), impurity="variance"), "of numbers"),
        (lambda d: asymptotic_mdi(WIDE), "too many"),
        (lambda d: asymptotic_mdi(BROAD, K=2), "or use K = 1"),
    ],
)
def test_bad_arguments_are_refused_with_a_sentence(led, call, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        call(led)
