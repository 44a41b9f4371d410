"""The claims of lesson 01. Each docstring says what its test varies."""

import heapq
from functools import partial
from math import comb

import numpy as np
import pytest
from depth import at_most
from scipy import stats
from sklearn.datasets import load_diabetes
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from course_lib.measures import mdi
from course_lib.models import impurity, impurity_decrease
from course_lib.worlds import load_node, load_rank_swap, make_gate

SEEDS = range(at_most(6, 6, 12))
each_seed = pytest.mark.parametrize("seed", SEEDS[: at_most(3, 3, 12)])


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def null_forests(diabetes):
    """Shallow forests on shuffled outcomes, one per seed; the depth varies."""
    X, y = diabetes
    return [
        RandomForestRegressor(20, max_depth=2 + seed % 3, random_state=seed).fit(
            X, np.random.default_rng(seed).permutation(y)
        )
        for seed in SEEDS
    ]


def test_the_node_loses_a_quarter_of_a_bit():
    """Exact. Varies: nothing, the node is given."""
    X, y = load_node()
    left = X["x"] <= 12.5
    entropies = [impurity(y), impurity(y[left]), impurity(y[~left])]
    np.testing.assert_allclose(entropies, [0.971, 0.650, 0.811], atol=5e-4)
    assert impurity_decrease(y, left) == pytest.approx(0.2564, abs=5e-5)
    assert 0.97 - 0.6 * 0.65 - 0.4 * 0.81 == pytest.approx(0.256)  # what rounded entropies give


def test_every_other_threshold_of_the_node_removes_less():
    """Varies: threshold."""
    X, y = load_node()
    decreases = {t: impurity_decrease(y, X["x"] <= t) for t in np.arange(1.5, 20)}
    assert max(decreases, key=decreases.get) == 12.5
    assert sorted(decreases.values())[-2] < decreases[12.5] - 0.01


def test_one_sample_on_the_wrong_side_of_the_best_threshold_costs_about_a_third():
    """Exact. Varies: side."""
    X, y = load_node()
    decrease = {t: impurity_decrease(y, X["x"] <= t) for t in (11.5, 12.5, 13.5)}
    for beside in (11.5, 13.5):
        assert 1 - decrease[beside] / decrease[12.5] == pytest.approx(1 / 3, abs=0.05)


def test_the_second_highest_hill_of_the_node_is_at_8_and_a_half():
    """Exact. Varies: threshold."""
    X, y = load_node()
    at = np.arange(1.5, 20)
    heights = np.array([0, *(impurity_decrease(y, X["x"] <= t) for t in at), 0])
    hills = (heights[1:-1] > heights[:-2]) & (heights[1:-1] > heights[2:])
    assert at[hills][np.argsort(heights[1:-1][hills])[-2]] == 8.5


def test_entropy_is_the_rate_of_questions_when_many_draws_are_asked_about_together():
    """A best code for blocks of k draws needs between H and H + 1/k questions per draw.

    Varies: length of the block, shares.
    """
    for p in (0.4, 0.25):
        H = impurity([1] * int(100 * p) + [0] * int(100 * (1 - p)))
        lengths = [mean_code_length(p, k) / k for k in (1, 2, 8)]
        assert lengths[0] == 1 and lengths[2] < lengths[1] + 1e-12  # comes down, and not below H
        assert all(H <= rate <= H + 1 / k for rate, k in zip(lengths, (1, 2, 8), strict=True))


def mean_code_length(p, k) -> float:
    """Huffman's: the mean number of questions for a block of k draws."""
    heap = [p**ones * (1 - p) ** (k - ones) for ones in range(k + 1) for _ in range(comb(k, ones))]
    heapq.heapify(heap)
    total = 0.0
    while len(heap) > 1:
        merged = heapq.heappop(heap) + heapq.heappop(heap)
        total += merged
        heapq.heappush(heap, merged)
    return total


@pytest.mark.parametrize("n_outliers", [4, 8])
def test_a_node_below_the_root_concerns_some_of_the_samples_and_a_deep_one_perhaps_most(n_outliers):
    """Varies: number of outliers that the first splits cut off."""
    y = np.r_[np.zeros(100 - n_outliers), 10.0 ** np.arange(2, 2 + n_outliers)]
    tree = DecisionTreeRegressor(random_state=0).fit(np.arange(100)[:, np.newaxis], y).tree_
    node, depth = 0, 0
    while tree.children_left[node] != -1:
        below = tree.children_left[node], tree.children_right[node]
        assert all(tree.n_node_samples[child] < tree.n_node_samples[node] for child in below)
        node, depth = below[0], depth + 1
    assert depth == n_outliers and tree.n_node_samples[node] == 100 - n_outliers


@each_seed
def test_with_equally_frequent_rows_the_switch_asked_second_gets_twice_the_credit(seed):
    """Varies: seed, number of copies of the rows."""
    X, lamp = make_gate("and")
    for copies in (1, 5):
        tree = DecisionTreeClassifier(random_state=seed)
        tree.fit(np.tile(X, (copies, 1)), np.tile(lamp, copies))
        first = tree.tree_.feature[0]
        assert mdi(tree).importances[:, 0] == pytest.approx(np.where([0, 1] == first, 0.125, 0.25))


def test_of_the_lamps_gini_either_switch_alone_removes_a_third_and_only_both_together_the_last():
    """So the second switch gets its own third and the one of both. Varies: switch."""
    X, lamp = make_gate("and")
    there = impurity(lamp, "gini")
    for switch in X:
        alone = impurity_decrease(lamp, X[switch] == 0, "gini")
        stump = DecisionTreeClassifier(max_depth=1).fit(X[[switch]], lamp)
        assert mdi(stump).importances.sum() == pytest.approx(alone) == pytest.approx(there / 3)
    tree = DecisionTreeClassifier(random_state=0).fit(X, lamp)
    only_both = there - 2 * alone
    assert mdi(tree).importances.max() == pytest.approx(alone + only_both)
    assert only_both == pytest.approx(there / 3)


@each_seed
def test_with_other_frequencies_the_first_question_may_get_more(seed):
    """Counts 3, 1, 1, 3: 0.28 and 0.19, whichever comes first.

    Varies: seed, switch that comes first.
    """
    X, lamp = make_gate("and")
    counts = [3, 1, 1, 3]
    tree = DecisionTreeClassifier(max_features=1, random_state=seed)
    tree.fit(np.repeat(X.to_numpy(), counts, axis=0), np.repeat(lamp, counts))
    first = tree.tree_.feature[0]
    assert mdi(tree).importances[:, 0] == pytest.approx(np.where([0, 1] == first, 9 / 32, 3 / 16))


def test_gini_is_twice_the_variance_and_ranks_alike():
    """Varies: share of the classes."""
    for k in range(9):
        y = [1] * k + [0] * (8 - k)
        assert impurity(y, "gini") == pytest.approx(2 * impurity(y, "variance"))


@each_seed
def test_gini_and_entropy_may_rank_oppositely_in_the_same_tree(seed):
    """For the lesson's twenty rows. Varies: seed."""
    X, y = load_rank_swap()
    gini, entropy = (
        DecisionTreeClassifier(criterion=criterion, random_state=seed).fit(X, y)
        for criterion in ("gini", "entropy")
    )
    np.testing.assert_array_equal(gini.tree_.feature, entropy.tree_.feature)
    np.testing.assert_array_equal(gini.tree_.n_node_samples, entropy.tree_.n_node_samples)
    assert np.diff(mdi(gini).importances_mean) < 0 < np.diff(mdi(entropy).importances_mean)


@each_seed
def test_a_forest_gives_both_switches_the_same_in_the_limit(seed):
    """Each tree gives x1 0.125 or 0.25 with equal chance; the number of 0.25s is binomial.

    Varies: seed.
    """
    X, lamp = make_gate("and")
    forest = RandomForestClassifier(200, max_features=1, bootstrap=False, random_state=seed)
    values = mdi(forest.fit(X, lamp)).importances
    np.testing.assert_allclose(values.sum(axis=0), 0.375)
    asked_second = int(np.isclose(values[0], 0.25).sum())
    assert stats.binomtest(asked_second, 200, 0.5).pvalue > 1e-4


def test_importances_of_a_forest_on_shuffled_outcomes_add_up_to_one(null_forests):
    """Varies: seed, depth."""
    for forest in null_forests:
        assert forest.feature_importances_.sum() == pytest.approx(1)


def test_where_the_splits_removed_nothing_the_importances_do_not_add_up_to_one():
    """XOR of two switches, asked about one of them. Varies: kind of forest."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
    for make in (partial(RandomForestClassifier, bootstrap=False), ExtraTreesClassifier):
        forest = make(20, max_depth=1, random_state=0).fit(X, X[:, 0] ^ X[:, 1])
        assert all(tree.tree_.node_count == 3 for tree in forest.estimators_)
        assert mdi(forest).importances.max() == pytest.approx(0, abs=1e-12)
        with np.errstate(all="ignore"):
            assert not np.isclose(forest.feature_importances_.sum(), 1)


def test_the_undivided_measure_shows_how_little_was_removed(diabetes):
    """A forest with the real outcomes removes several times as much. Varies: seed, max_features."""
    X, y = diabetes
    for seed in range(4):
        shuffled = np.random.default_rng(seed).permutation(y)
        for max_features in (1.0, 1 / 3):
            options = {"max_depth": 3, "max_features": max_features, "random_state": seed}
            useless, useful = (
                mdi(RandomForestRegressor(20, **options).fit(X, target)).importances_mean.sum()
                for target in (shuffled, y)
            )
            assert useless < 0.2 * np.var(y) and useful > 2.5 * useless


def test_feature_importances_normalises_every_tree_before_the_mean(null_forests):
    """Varies: seed, depth."""
    for forest in null_forests:
        per_tree = mdi(forest).importances
        shares = (per_tree / per_tree.sum(axis=0)).mean(axis=1)
        np.testing.assert_allclose(forest.feature_importances_, shares / shares.sum())


def test_feature_importances_is_not_proportional_to_imp(null_forests):
    """Varies: seed, depth."""
    for forest in null_forests:
        imp = mdi(forest).importances_mean
        assert abs(forest.feature_importances_ - imp / imp.sum()).max() > 1e-4


@each_seed
def test_an_increasing_transformation_leaves_splits_of_the_sample_and_mdi_as_they_were(
    diabetes, seed
):
    """Varies: seed, variable, transformation, max_features."""
    X, y = diabetes
    column = X.columns[seed % X.shape[1]]
    change = (lambda x: np.exp(20 * x), lambda x: (x + 1) ** 3)[seed % 2]
    changed = X.assign(**{column: change(X[column])})
    options = {"max_depth": 6, "max_features": (1.0, 1 / 3)[seed % 2], "random_state": seed}
    before, after = (RandomForestRegressor(10, **options).fit(t, y) for t in (X, changed))
    np.testing.assert_allclose(mdi(before).importances, mdi(after).importances, rtol=1e-9)
    for one, other in zip(before.estimators_, after.estimators_, strict=True):
        np.testing.assert_array_equal(one.tree_.feature, other.tree_.feature)
        np.testing.assert_array_equal(one.tree_.n_node_samples, other.tree_.n_node_samples)


@pytest.mark.parametrize("column", ["bmi", "bp"])
def test_a_scale_that_single_precision_cannot_tell_apart_loses_the_splits(column):
    """Varies: variable, seed, max_features."""
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    pressed = X.assign(**{column: np.exp(X[column] - 200)})
    assert pressed[column].nunique() == X[column].nunique()  # strictly increasing on paper
    for seed, max_features in ((0, 1.0), (1, 1 / 3)):
        forest = RandomForestRegressor(5, max_features=max_features, random_state=seed)
        position = X.columns.get_loc(column)
        assert mdi(forest.fit(X, y)).importances_mean[position] > 0
        assert mdi(forest.fit(pressed, y)).importances_mean[position] == 0


@pytest.mark.parametrize(("gap", "told_apart"), [(3e-7, True), (5e-8, False)])
def test_values_closer_than_a_ten_millionth_are_one_value_to_a_tree(gap, told_apart):
    """Varies: size of the values, all of which single precision tells apart."""
    for size in (0.0, 0.01, 0.1):
        x = np.float32(size) + np.float32(gap) * np.arange(2, dtype=np.float32)
        assert x[0] != x[1]
        tree = DecisionTreeClassifier().fit(x[:, np.newaxis], [0, 1])
        assert (tree.tree_.node_count == 3) == told_apart


def test_but_the_forest_is_not_the_same_function_afterwards(diabetes):
    """A few of the patients, and more of others in between, get another prediction.

    Varies: seed, number of trees.
    """
    X, y = diabetes
    change = lambda table: table.assign(bmi=np.exp(20 * table["bmi"]))  # noqa: E731
    between = X.assign(bmi=X["bmi"] + np.random.default_rng(0).uniform(0, 0.002, len(X)))
    for seed in range(3):
        for n_trees in (30, 60):
            forest = RandomForestRegressor(n_trees, max_depth=6, random_state=seed)
            before = [forest.fit(X, y).predict(rows) for rows in (X, between)]
            after = [forest.fit(change(X), y).predict(change(rows)) for rows in (X, between)]
            shares = [np.mean(abs(a - b) > 1e-6) for a, b in zip(after, before, strict=True)]
            assert 0 < shares[0] < 0.1 and shares[1] > 0


@each_seed
def test_it_changes_the_coefficients_of_a_linear_model_and_random_thresholds(diabetes, seed):
    """Varies: seed."""
    X, y = diabetes
    changed = X.assign(bmi=np.exp(20 * X["bmi"]))
    coefficient, changed_coefficient = (
        LinearRegression().fit(table, y).coef_[2] for table in (X, changed)
    )
    assert abs(changed_coefficient / coefficient - 1) > 0.5
    before, after = (
        mdi(ExtraTreesRegressor(30, max_depth=6, random_state=seed).fit(table, y))
        for table in (X, changed)
    )
    assert after.importances_mean[2] < 0.99 * before.importances_mean[2]
    drawn = np.random.default_rng(seed).uniform(*changed["bmi"].agg(["min", "max"]), 100)
    above = (changed["bmi"].to_numpy() > drawn[:, np.newaxis]).mean(axis=1)
    assert np.median(above) < 0.05  # most of the thresholds lie among the few largest values


@each_seed
def test_on_the_new_scale_most_random_thresholds_lie_among_the_larger_values_of_a_node(
    diabetes, seed
):
    """Most, not all; on the old scale about half. Varies: seed, node."""
    X, y = diabetes
    shares = []
    for bmi in (X["bmi"], np.exp(20 * X["bmi"])):
        table, drawn = X.assign(bmi=bmi), []
        forest = ExtraTreesRegressor(10, max_depth=6, random_state=seed).fit(table, y)
        for tree in forest.estimators_:
            reached = tree.decision_path(table.to_numpy()).toarray().astype(bool)
            for rows in reached[:, tree.tree_.children_left != -1].T:
                low, middle, high = np.quantile(bmi[rows], [0, 0.5, 1])
                drawn += [(high - middle) / (high - low)] if low < high else []
        shares.append(np.mean(drawn))
    assert 0.47 < shares[0] < 0.62 and 0.65 < shares[1] < 0.85


@pytest.fixture(scope="module")
def doctors(diabetes):
    """Forests like the one of section 1.8, one per seed; the first is the lesson's."""
    X, y = diabetes
    seeds = (*range(6), 17, 31)
    return [RandomForestRegressor(100, max_depth=6, random_state=s).fit(X, y) for s in seeds]


def test_with_another_seed_the_first_two_and_three_others_change_places(diabetes, doctors):
    """The other five keep theirs. Varies: seed (with 40 the same five kept theirs)."""
    names = diabetes[0].columns
    rankings = [names[np.argsort(-mdi(forest).importances_mean)] for forest in doctors]
    assert [ranking[0] for ranking in rankings[:6]] == ["bmi"] + ["s5"] * 5
    for ranking in rankings:
        assert set(ranking[:2]) == {"bmi", "s5"} and set(ranking[4:7]) == {"age", "s2", "s3"}
        assert [*ranking[2:4], *ranking[7:]] == ["bp", "s6", "s1", "s4", "sex"]
    assert len({tuple(ranking[4:7]) for ranking in rankings}) > 1


def test_some_neighbours_intervals_overlap_and_others_do_not(diabetes, doctors):
    """What overlaps need not change places. Varies: pair of neighbours; the lesson's forest."""
    value = mdi(doctors[0])
    order = np.argsort(-value.importances_mean)
    low, high = value.interval()[order].T
    names, overlap = diabetes[0].columns[order], high[1:] > low[:-1]
    apart = {tuple(names[k : k + 2]) for k in np.flatnonzero(~overlap)}
    assert apart == {("s5", "bp"), ("bp", "s6"), ("s6", "age"), ("s4", "sex")}


def test_sex_has_several_splits_in_many_trees_but_at_most_one_on_a_branch(diabetes, doctors):
    """01.a5: two values are used up after one question. Varies: seed, tree, branch."""
    X = diabetes[0].to_numpy()
    sex = diabetes[0].columns.get_loc("sex")
    for forest in doctors[:3]:
        asks = [tree.tree_.feature == sex for tree in forest.estimators_]
        assert np.mean([nodes.sum() > 1 for nodes in asks]) > 0.2
        for tree, nodes in zip(forest.estimators_, asks, strict=True):
            assert tree.decision_path(X).toarray()[:, nodes].sum(axis=1).max() <= 1


def test_bmi_has_a_share_of_about_a_third_after_the_division(doctors):
    """Varies: seed, division (at the end, or in each tree)."""
    for forest in doctors:
        for shares in (forest.feature_importances_, mdi(forest).importances_mean):
            assert shares[2] / shares.sum() == pytest.approx(1 / 3, abs=0.05)


def test_splits_on_bmi_remove_more_than_splits_on_bp_and_sex_is_last(diabetes):
    """Varies: seed."""
    X, y = diabetes
    for seed in range(10):
        forest = RandomForestRegressor(30, max_depth=6, random_state=seed).fit(X, y)
        value = mdi(forest).to_frame()["importance"]
        assert value["bmi"] > value["bp"]
        assert value.idxmin() == "sex"
