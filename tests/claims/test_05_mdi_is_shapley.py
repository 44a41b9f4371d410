"""The claims of lesson 05: exact where the lesson is exact, over several seeds where it samples."""

from functools import cache
from itertools import combinations, permutations
from math import comb

import numpy as np
import pandas as pd
import pytest
from depth import at_most
from scipy.stats import entropy
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from course_lib.measures import asymptotic_mdi, mdi, mdi_by_degree, sage
from course_lib.measures.asymptotic import _choice_probabilities
from course_lib.models import TotallyRandomizedTrees, shapley_values, symmetric_players
from course_lib.studies.display import mdi_and_sage
from course_lib.worlds import Categorical, load_led_table, make_gauges, make_led

SEEDS = range(at_most(6, 6, 12))
KS = range(1, 8)
each_seed = pytest.mark.parametrize("seed", SEEDS[: at_most(3, 3, 12)])


@pytest.fixture(scope="module")
def X():
    return make_led()[0]


@pytest.fixture(scope="module")
def y():
    return make_led()[1]


@pytest.fixture(scope="module")
def led(X, y):
    return Categorical(X, y)


@pytest.fixture(scope="module")
def exact(led):
    """Rows X1 to X7, columns K = 1 to 7."""
    return pd.DataFrame(
        {K: asymptotic_mdi(led, K).importances_mean for K in KS}, index=led.feature_names
    )


def worth(law, m, B=()):
    return law.conditional_mutual_information(m, B)


def pairs_told_by_one_segment(X):
    """Pairs of digits that differ in a single segment, by that segment."""
    found = {name: set() for name in X.columns}
    for i, j in combinations(range(10), 2):
        (differs,) = np.nonzero(X.to_numpy()[i] != X.to_numpy()[j])
        if len(differs) == 1:
            found[X.columns[differs[0]]].add((i, j))
    return found


# 5.1 and the opening


def test_two_segments_are_dispensable_even_together_and_the_top_one_is_not(X):
    """Varies: segment."""
    assert len(X.drop(columns=["X6", "X7"]).drop_duplicates()) == 10
    assert len(X.drop(columns="X1").drop_duplicates()) == 9
    assert pairs_told_by_one_segment(X)["X1"] == {(1, 7)}


def test_random_trees_put_the_top_before_the_bottom_and_choosing_trees_after_it(exact):
    """Varies: K."""
    assert exact.loc["X1", 1] > exact.loc["X7", 1]
    assert exact.loc["X1", 7] < exact.loc["X7", 7]


@pytest.mark.parametrize("seed", range(at_most(1, 1, 2)))
def test_large_forests_disagree_about_top_and_bottom_and_have_the_same_total(X, y, seed):
    """Varies: seed, K, which trees (multiway, Extra-Trees)."""
    for K, top_first in ((1, True), (7, False)):
        options = {"max_features": K, "criterion": "entropy", "random_state": seed}
        forests = (
            TotallyRandomizedTrees(2000, K=K, random_state=seed),
            ExtraTreesClassifier(3000, **options),
        )
        for forest in forests:
            found = mdi(forest.fit(X.to_numpy(), y.to_numpy())).importances_mean
            assert (found[0] > found[6]) == top_first
            assert found.sum() == pytest.approx(np.log2(10))
            assert (forest.predict(X.to_numpy()) == y).all()


def test_importances_add_up_to_all_there_is_to_know_for_every_K(led, exact):
    """Varies: K."""
    assert led.entropy() == pytest.approx(np.log2(10))
    np.testing.assert_allclose(exact.sum(), np.log2(10))


# 5.2


def test_the_questions_of_the_drawn_tree_are_worth_the_bits_beside_it(led):
    """Varies: nothing, it is exact."""
    known = [[], ["X2"], ["X2", "X5"], ["X2", "X5", "X3"]]
    left = [led.conditional_entropy(B) for B in known]
    np.testing.assert_allclose(left, [3.32, 2.35, 1.43, 0.88], atol=5e-3)
    np.testing.assert_allclose(-np.diff(left), [0.97, 0.92, 0.55], atol=5e-3)


def test_the_bottom_is_worth_more_first_the_same_in_between_and_nothing_last(X, led):
    """Varies: context."""
    assert worth(led, "X7") == pytest.approx(0.881, abs=5e-4)
    assert worth(led, "X1") == pytest.approx(0.722, abs=5e-4) == worth(led, "X3")
    assert worth(led, "X7", ["X2", "X5"]) == pytest.approx(worth(led, "X1", ["X2", "X5"]))
    assert worth(led, "X7", X.columns.drop("X7")) == pytest.approx(0, abs=1e-12)
    assert worth(led, "X1", X.columns.drop("X1")) == pytest.approx(0.2)  # 1 or 7: 2/10 of a bit


# 5.3


def test_step_1_and_2_the_nodes_of_a_context_pay_its_conditional_information(X, y, led):
    """Varies: context."""
    for B in combinations(X.columns.drop("X3"), 2):
        nodes = [node for _, node in X.groupby(list(B))]
        paid = [Categorical(node, y[node.index]).mutual_information(["X3"]) for node in nodes]
        shares = [len(node) / 10 for node in nodes]
        assert np.dot(shares, paid) == pytest.approx(worth(led, "X3", B), abs=1e-12)


def test_step_3_one_order_in_105_begins_with_x2_and_x5_and_goes_on_with_x3():
    """Varies: nothing, it is exact."""
    orders = list(permutations(range(7)))
    hits = sum(set(order[:2]) == {1, 4} and order[2] == 2 for order in orders)
    assert len(orders) / hits == 105 == comb(7, 2) * 5


@each_seed
def test_down_a_branch_random_trees_ask_in_a_random_order(X, y, seed):
    """In a tree of 3 variables each of the first two questions on digit 8's path is one in three,
    then one in two: nodes that were never pure before.

    Varies: seed.
    """
    three = X[["X1", "X4", "X7"]]
    trees = TotallyRandomizedTrees(900, random_state=seed).fit(three, y)
    table = trees.nodes_
    roots = table.feature[table.roots]
    counts = np.bincount(roots, minlength=3)
    assert (abs(counts - 300) < 4.5 * np.sqrt(900 * (1 / 3) * (2 / 3))).all()


def test_theorem_1_is_the_shapley_value_of_the_mutual_information(X, led, exact):
    """Varies: segment."""
    p = 7
    for m in X.columns:
        others = X.columns.drop(m)
        terms = [
            worth(led, m, B) / (comb(p, k) * (p - k))
            for k in range(p)
            for B in combinations(others, k)
        ]
        assert sum(terms) == pytest.approx(exact.loc[m, 1])
    phi = shapley_values(lambda S: led.mutual_information(list(S)), n_players=p)
    np.testing.assert_allclose(phi, exact[1])


def test_the_lower_left_segment_is_worth_most_and_lit_in_four_digits(X, exact):
    """Varies: nothing, it is exact."""
    assert exact[1].idxmax() == "X5"
    assert X["X5"].sum() == 4


# 5.4


def test_the_last_degree_belongs_to_pairs_that_one_segment_alone_tells_apart(X, led):
    """Each pair is 2 digits of 10, a bit between them, and a weight of 1/7.

    Varies: segment.
    """
    pairs = pairs_told_by_one_segment(X)
    np.testing.assert_allclose(
        mdi_by_degree(led)[:, 6], [len(pairs[m]) * 0.2 / 7 for m in X.columns], atol=1e-12
    )
    assert pairs["X3"] == {(5, 9), (6, 8)} and pairs["X5"] == {(5, 6), (8, 9)}
    assert pairs["X4"] == {(0, 8)} and not pairs["X6"] and not pairs["X7"]


# 5.5


def with_coins(X, y, n_coins):
    for c in range(n_coins):
        X = pd.concat([X.assign(**{f"coin {c}": side}) for side in (0, 1)])
        y = pd.concat([y, y])
    return Categorical(X, y)


@pytest.mark.parametrize("n_coins", [1, 2, 3])
def test_coins_get_zero_and_change_nothing_at_K_1(X, y, exact, n_coins):
    """Varies: number of coins."""
    beside = asymptotic_mdi(with_coins(X, y, n_coins)).importances_mean
    np.testing.assert_allclose(beside[:7], exact[1])
    np.testing.assert_allclose(beside[7:], 0, atol=1e-12)


@each_seed
def test_at_k_1_zero_means_irrelevant_and_irrelevant_means_zero(seed):
    """Varies: law; three bits and a target, some of them without or with a copy of another."""
    rng = np.random.default_rng(seed)
    rows = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    rows = np.column_stack([rows, rows[:, 0]])
    y = rng.permutation([0, 0, 1, 1]).repeat(2) if seed % 2 else rng.integers(3, size=8)
    law = Categorical(rows, y)
    values = asymptotic_mdi(law).importances_mean
    for m in range(4):
        others = [j for j in range(4) if j != m]
        contexts = [B for k in range(4) for B in combinations(others, k)]
        relevant = max(worth(law, m, B) for B in contexts) > 1e-12
        assert (values[m] > 1e-12) == relevant


def test_five_segments_are_strongly_relevant_and_the_last_two_weakly(X, led, exact):
    """Varies: segment."""
    last = [worth(led, m, X.columns.drop(m)) for m in X.columns]
    assert [value > 1e-12 for value in last] == [True] * 5 + [False] * 2
    assert (exact[1] > 0).all()


@each_seed
def test_a_strongly_relevant_variable_is_above_zero_for_every_k(seed):
    """Varies: law, K, number of variables."""
    rng = np.random.default_rng(seed)
    p = int(rng.integers(2, 5))
    rows = rng.integers(2, size=(24, p))
    law = Categorical(rows, rng.integers(2, size=24))
    for m in range(p):
        if worth(law, m, [j for j in range(p) if j != m]) > 1e-9:
            assert all(asymptotic_mdi(law, K).importances_mean[m] > 0 for K in range(1, p + 1))


@pytest.mark.parametrize("share", [51, 55, 60])
def test_a_strongly_relevant_variable_may_keep_a_tiny_importance(share):
    """One of two inputs of an exclusive or, always asked first: alone it says next to nothing.

    Varies: how often the other input is on.
    """
    rows = [[a, b] for a in (0, 1) for b in (0, 1) for _ in range(share if b else 100 - share)]
    X = np.array(rows)
    law = Categorical(X, X[:, 0] ^ X[:, 1])
    assert worth(law, 0, [1]) == pytest.approx(1)  # bits that the other input cannot say
    alone = 1 - entropy([share / 100, 1 - share / 100], base=2)
    assert asymptotic_mdi(law, 2).importances_mean[0] == pytest.approx(alone)
    assert 0 < alone < 0.03 < 0.5 < asymptotic_mdi(law, 1).importances_mean[0]


def test_beside_the_digit_all_segments_are_weakly_relevant(X, y):
    """Varies: segment."""
    leaked = Categorical(X.assign(digit=y), y)
    for m in X.columns:
        others = [name for name in leaked.feature_names if name != m]
        assert abs(worth(leaked, m, others)) < 1e-12 < worth(leaked, m)


# 5.6


def test_printed_simulations_are_good_to_five_thousandths(exact):
    """Varies: K, segment."""
    printed = load_led_table()[[f"K={K}" for K in KS]].to_numpy()
    assert abs(exact.to_numpy() - printed).max() < 0.005


def test_the_column_of_theorem_1_is_cut_off_and_not_rounded(exact):
    """Varies: segment."""
    printed = load_led_table()["Thm. 1"]
    np.testing.assert_allclose(np.floor(1000 * exact[1]) / 1000, printed)
    assert np.floor(1e5 * exact.loc[["X1", "X2", "X5"], 1]).tolist() == [41269, 58154, 65658]
    assert (abs(exact[1].round(3) - printed) > 5e-4).sum() == 4
    assert round(np.log2(10), 3) == 3.322 and np.floor(1000 * np.log2(10)) / 1000 == 3.321


def test_every_printed_column_adds_up_to_less_than_the_information_as_cut_off_digits_do():
    """Varies: K.

    What is cut off a number lies between 0 and .001; of seven numbers the sum has the mean .0035
    and the standard deviation .00076. Rounding has the mean 0.
    """
    columns = [f"K={K}" for K in KS]
    sums = load_led_table()[columns].sum()
    assert (sums.min().round(3), sums.max().round(3)) == (3.317, 3.319)
    lacking, deviation = np.log2(10) - sums, np.sqrt(7 / 12) / 1000
    assert (abs(lacking - 0.0035) < 3 * deviation).all()
    assert (lacking > 3 * deviation).all()


def test_from_six_on_choosing_among_more_changes_nothing(led, exact):
    """Varies: segment."""
    np.testing.assert_allclose(exact[6], exact[7], atol=1e-12)
    first = [worth(led, m) for m in led.feature_names]
    assert set(np.flatnonzero(np.isclose(first, max(first)))) == {1, 4}


def test_who_gains_and_who_loses(exact):
    """Varies: segment, K."""
    for name in ("X2", "X5", "X7"):
        assert exact.loc[name, 7] > exact.loc[name, 1]
    for name in ("X1", "X3", "X4", "X6"):
        assert exact.loc[name, 7] < exact.loc[name, 1]
    gain = exact.loc["X7"] - exact.loc["X7", 1]
    assert gain.idxmax() == 3 and (gain.loc[2:] > 0).all() and gain.loc[7] < gain.max() / 2
    assert (exact.loc["X3"] > exact.loc["X4"]).tolist() == [False, False, *[True] * 5]


# 5.7


def test_after_at_most_four_best_questions_the_digit_is_known(led):
    """Varies: segment."""
    parts = mdi_by_degree(led, K=7)
    np.testing.assert_allclose(parts[:, 4:], 0, atol=1e-12)
    assert parts[:, 3].sum() > 0.01
    assert set(np.flatnonzero(parts[:, 0] > 1e-12)) == {1, 4}


def test_x3_loses_early_and_gains_late_where_x4_does_not(led):
    """Varies: degree."""
    random, best_of_3 = mdi_by_degree(led, 1), mdi_by_degree(led, 3)
    assert best_of_3[2, 0] < best_of_3[3, 0]
    assert best_of_3[2, 2:].sum() > random[2, 2:].sum() + 0.02
    assert best_of_3[3, 2:].sum() < random[3, 2:].sum()


def test_at_K_7_the_bottom_is_asked_second_and_the_top_third_or_fourth(led):
    """Varies: degree."""
    top, bottom = mdi_by_degree(led, 7)[[0, 6]]
    assert np.argmax(bottom) == 1
    assert set(np.flatnonzero(top > 1e-12)) == {2, 3}


# What choosing costs


def test_as_k_grows_x3_leaves_the_root_before_x4():
    """A segment is the first question only if none of the others drawn says more. Varies: K."""
    law = Categorical(*make_led())
    says = {j: law.mutual_information([j]) for j in law.feature_names}
    no_more = {j: sum(other <= says[j] + 1e-9 for other in says.values()) for j in ("X3", "X4")}
    assert no_more == {"X3": 3, "X4": 5}  # with K = 4, or 6, at least one of those drawn says more


def test_a_leaked_digit_masks_all_segments_to_zero_when_trees_may_see_everything(X, y):
    """Varies: K."""
    leaked = Categorical(X.assign(digit=y), y)
    assert (asymptotic_mdi(leaked).importances_mean > 0.1).all()
    values = asymptotic_mdi(leaked, K=8).importances_mean
    np.testing.assert_allclose(values, [0] * 7 + [np.log2(10)], atol=1e-12)


def test_coins_among_the_candidates_make_trees_choose_less(X, y, exact):
    """Varies: number of coins."""
    for n_coins in (1, 3):
        beside = asymptotic_mdi(with_coins(X, y, n_coins), K=2).importances_mean
        np.testing.assert_allclose(beside[7:], 0, atol=1e-12)
        assert exact.loc["X5", 1] < beside[4] < exact.loc["X5", 2] - 0.01


def game(law):
    p = law.n_features
    return np.array(
        [
            law.mutual_information([m for m in range(p) if S >> m & 1]) if S else 0.0
            for S in range(2**p)
        ]
    )


@pytest.fixture(scope="module")
def stations():
    """The station, its gauges exchanged, and the first with every fifth record lost."""
    X, y = make_gauges()
    exchanged = X.rename(columns={"A": "B", "B": "A"})[["A", "B", "season"]]
    lossy = Categorical(pd.concat([X] * 5), [*y] * 4 + ["lost"] * 16)
    return Categorical(X, y), Categorical(exchanged, y), lossy


def test_symmetric_gauges_share_alike_at_K_1_and_two_to_one_at_K_3(stations):
    """Varies: K."""
    station, *_ = stations
    assert (0, 1) in symmetric_players(game(station).round(12), 3)
    first, second, _ = asymptotic_mdi(station).importances_mean
    assert first == pytest.approx(second)
    np.testing.assert_allclose(asymptotic_mdi(station, K=3).importances_mean, [0.5, 0.25, 1])


def test_for_K_above_1_the_same_game_has_two_payoffs(stations):
    """Varies: nothing, it is exact."""
    station, exchanged, _ = stations
    np.testing.assert_allclose(game(station), game(exchanged), atol=1e-12)
    np.testing.assert_allclose(asymptotic_mdi(exchanged, K=3).importances_mean, [0.25, 0.5, 1])


def test_a_gauge_that_tells_a_quarter_more_everywhere_is_paid_less(stations):
    """Varies: context."""
    _, steady, lossy = stations
    for B in ([], ["B"], ["season"], ["B", "season"]):
        assert worth(steady, "A", B) == pytest.approx(1.25 * worth(lossy, "A", B))
    paid = [asymptotic_mdi(law, K=3).importances_mean[0] for law in (steady, lossy)]
    np.testing.assert_allclose(paid, [0.25, 0.4])
    at_random = [asymptotic_mdi(law).importances_mean[0] for law in (steady, lossy)]
    assert at_random[0] > at_random[1]


# Another game


def test_gini_ties_three_segments_and_ranks_no_pair_the_other_way(led, exact):
    """Varies: pair of segments."""
    gini = asymptotic_mdi(led, impurity="gini").importances_mean.round(12)
    assert gini[1] == gini[2] == gini[3] and len(set(exact[1].round(6)[["X2", "X3", "X4"]])) == 3
    for i, j in combinations(range(7), 2):
        assert (gini[i] - gini[j]) * (exact[1].iloc[i] - exact[1].iloc[j]) >= 0


@each_seed
def test_with_gini_the_values_are_the_shapley_values_of_the_decrease_of_gini(seed):
    """Varies: law; rows not equally likely, number of values and variables, target."""
    rng = np.random.default_rng(seed)
    p = int(rng.integers(2, 5))
    X, y = rng.integers(3, size=(15, p)), rng.integers(3, size=15)
    weights = rng.dirichlet(np.ones(15))

    def left(S):
        """Mean Gini within the groups of rows that agree on S."""
        total = 0.0
        for group in np.unique(X[:, S], axis=0) if S else [()]:
            inside = (X[:, S] == group).all(axis=1)
            shares = np.bincount(y[inside], weights[inside]) / weights[inside].sum()
            total += weights[inside].sum() * (1 - (shares**2).sum())
        return total

    phi = shapley_values(lambda S: left([]) - left(sorted(S)), p)
    found = asymptotic_mdi(Categorical(X, y, weights), impurity="gini").importances_mean
    np.testing.assert_allclose(found, phi, atol=1e-12)


@each_seed
def test_on_a_sample_the_values_are_the_shapley_values_of_the_sample(seed):
    """Varies: sample, number of readings; what the theorem needs is not infinitely many rows."""
    sample = Categorical(*make_led(20 + 10 * seed, random_state=seed))
    phi = shapley_values(lambda S: sample.mutual_information(list(S)), n_players=7)
    np.testing.assert_allclose(asymptotic_mdi(sample).importances_mean, phi, atol=1e-12)


def test_with_ties_to_the_first_a_strongly_relevant_variable_can_have_nothing():
    """Why exercise 05.7 names the coin: an exclusive or, whose first input is always asked first.

    Varies: who wins the tie.
    """
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    law = Categorical(X, X[:, 0] ^ X[:, 1])
    for first, last in ((0, 1), (1, 0)):
        assert worth(law, first) == pytest.approx(0) and worth(law, last, [first]) == 1
    assert (asymptotic_mdi(law, K=2).importances_mean == 0.5).all()


def test_with_gini_every_dividing_question_removes_a_tenth_and_K_does_not_matter(led):
    """Varies: K."""
    values = [asymptotic_mdi(led, K, impurity="gini").importances_mean for K in KS]
    for found in values:
        np.testing.assert_allclose(found, values[0])
        assert found[0] > found[6]  # why the opening names entropy: here the top is always ahead
    assert values[0][1] == pytest.approx(values[0][2]) == pytest.approx(values[0][3])
    assert values[0].sum() == pytest.approx(0.9)  # nine questions to divide ten digits


# SAGE


@each_seed
def test_sage_of_the_bayes_classifier_with_cross_entropy_is_theorem_1(seed):
    """Varies: law; its rows are not equally likely, its target is not a function of the inputs."""
    rng = np.random.default_rng(seed)
    X = rng.integers(3, size=(20, 3))
    y, weights = rng.integers(2, size=20), rng.dirichlet(np.ones(20))

    def loss(S):
        """Cross-entropy in bits of P(y | x_S), from the weights alone."""
        total = 0.0
        for i in range(20):
            alike = (X[:, list(S)] == X[i, list(S)]).all(axis=1)
            right = weights[alike & (y == y[i])].sum() / weights[alike].sum()
            total -= weights[i] * np.log2(right)
        return total

    values = shapley_values(lambda S: loss(()) - loss(sorted(S)), 3)
    np.testing.assert_allclose(values, asymptotic_mdi(Categorical(X, y, weights)).importances_mean)


@pytest.mark.parametrize("K", [1, 4, 7])
def test_in_forests_on_the_display_mdi_and_sage_have_nearly_the_same_shares(K):
    """Varies: K, number of trees."""
    for n_trees in (300, 1000):
        by_mdi, by_sage = mdi_and_sage(K, n_trees=n_trees)
        assert abs(by_mdi - by_sage).max() < (0.015 if K == 1 else 0.03)
        if K == 7:  # masking in favour of X2 and X5
            start = mdi_and_sage(1, n_trees=n_trees)
            for now, before in zip((by_mdi, by_sage), start, strict=True):
                assert set(np.argsort(now)[-2:]) == {1, 4}
                assert now[1] > before[1] and now[4] > before[4]


def test_in_a_thousand_trees_the_bottom_overtakes_the_top_by_both_measures():
    """Varies: K, measure."""
    for K, top_first in ((1, True), (7, False)):
        for share in mdi_and_sage(K):
            assert (share[0] > share[6]) == top_first


def test_the_study_plays_marginal_sage_as_the_measure_does(X, y):
    """Varies: nothing, a second implementation with random orders on one forest."""
    options = {"max_features": 3, "criterion": "entropy", "random_state": 0}
    forest = ExtraTreesClassifier(300, **options).fit(X.to_numpy(), y.to_numpy())
    result = sage(forest, X.to_numpy(), y.to_numpy(), n_orders=60, random_state=0)
    share = result.importances / result.importances.sum(axis=0).mean()
    error = share.std(axis=1, ddof=1) / np.sqrt(share.shape[1])
    assert np.all(abs(share.mean(axis=1) - mdi_and_sage(3)[1]) < 5 * error + 0.01)


# Finite forests and samples


def standardised(results, truth):
    """Distance of the mean over all trees from the truth, in standard errors."""
    values = np.hstack([result.importances for result in results])
    return (values.mean(axis=1) - truth) / (values.std(axis=1) / np.sqrt(values.shape[1]))


@each_seed
def test_multiway_trees_scatter_around_their_exact_limit(X, y, exact, seed):
    """Varies: seed, K."""
    for K in (1, 4, 7):
        trees = TotallyRandomizedTrees(500, K=K, random_state=seed).fit(X, y)
        assert abs(standardised([mdi(trees)], exact[K])).max() < 4.5


def max_features_limit(X, y, K):
    """What scikit-learn's trees on binary inputs tend to: its K are drawn among all variables.

    Those that are constant in the node count; if only such are drawn, it goes on to the first that
    is not. So j of the r others are compared, j hypergeometric, and 1 in place of 0.
    """
    values, p = X.to_numpy(), X.shape[1]

    @cache
    def below(rows):
        inside = values[list(rows)]
        others = np.flatnonzero(np.ptp(inside, axis=0))
        paid = np.zeros(p)
        if not len(others):
            return paid
        node = Categorical(inside, y[list(rows)])
        decrease = np.array([[node.mutual_information([int(m)])] for m in others])
        r = len(others)
        for j in range(min(K, r) + 1):
            chance = comb(r, j) * comb(p - r, K - j) / comb(p, K)
            choice = chance * _choice_probabilities(decrease, max(j, 1), 1e-10)[:, 0]
            for m, gain, share in zip(others, decrease[:, 0], choice, strict=True):
                paid[m] += share * gain
                for side in (0, 1):
                    child = tuple(row for row in rows if values[row, m] == side)
                    paid += share * len(child) / len(rows) * below(child)
        return paid

    return below(tuple(range(len(X))))


def test_max_features_agrees_with_K_at_both_ends_only(X, y, exact):
    """Varies: K."""
    for K in KS:
        same = np.allclose(max_features_limit(X, y, K), exact[K])
        assert same == (K in (1, 7)), K


def test_max_features_chooses_less_than_K_does(X, y, exact):
    """Its values lie between those of our K and those of trees that choose nothing.

    Varies: nothing, it is exact.
    """
    limit = max_features_limit(X, y, 4)
    trees = TotallyRandomizedTrees(500, K=4, random_state=0).fit(X, y)
    error = mdi(trees).importances_std / np.sqrt(4000)
    assert abs(limit[1] - exact.loc["X2", 4]) < 2 * error[1]  # so far off only by luck
    assert limit[0] > exact.loc["X1", 4] + 0.008
    assert limit[4] < exact.loc["X5", 4] - 0.008
    assert abs(limit - exact[1]).sum() < abs(exact[4] - exact[1]).sum()


def test_scikit_learn_does_tend_to_that_limit_and_not_to_ours(X, y, exact):
    """Varies: seed."""
    options = {"criterion": "entropy", "max_features": 4, "bootstrap": False}
    results = [
        mdi(RandomForestClassifier(300, **options, random_state=seed).fit(X, y))
        for seed in range(10)
    ]
    assert abs(standardised(results, max_features_limit(X, y, 4))).max() < 4.5
    assert abs(standardised(results, exact[4])).max() > 4.5


def coin_credit(n, seed):
    rng = np.random.default_rng(seed)
    readings, digits = make_led(n, random_state=rng)
    sample = Categorical(readings.assign(coin=rng.integers(2, size=n)), digits)
    return asymptotic_mdi(sample).importances_mean[-1]


def test_theory_expects_3_2_bits_over_n_for_a_coin(X):
    """In context B an independent coin seems to tell (10 - groups) / (2 n ln 2) bits.

    Varies: context.
    """
    total = 0.0
    for k in range(8):
        for B in combinations(X.columns, k):
            groups = len(X[list(B)].drop_duplicates()) if B else 1
            total += (10 - groups) / (2 * np.log(2)) / (comb(8, k) * (8 - k))
    assert total == pytest.approx(3.198, abs=5e-4)


def test_from_about_ten_rows_on_a_coin_gets_less_the_more_rows_there_are():
    """Varies: sample, number of readings, also fewer than ten, where it need not be so."""
    sizes = (2, 10, 20, 40, 80, 160, 320)
    credits = np.array([[coin_credit(n, seed) for seed in range(60)] for n in sizes])
    few, *means = credits.mean(axis=1)
    assert (np.diff(means) < 0).all() and few < means[0]
    zero = (credits < 1e-12).mean(axis=1)
    assert zero[0] > 0.3 and (zero[1:] < 0.05).all()


@pytest.mark.parametrize("n", [400, 800, 1600])
def test_in_samples_a_coin_gets_about_that_much_and_never_zero(n):
    """Varies: sample, number of readings."""
    credits = np.array([coin_credit(n, seed) for seed in range(30)])
    error = credits.std(ddof=1) / np.sqrt(len(credits))
    assert abs(credits.mean() - 3.198 / n) < 4 * error + 0.1 * 3.198 / n  # and terms of order 1/n²
    assert (credits > 0).all()
