"""The claims of lesson 02, each over several seeds."""

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats
from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from course_lib.measures import (
    asymptotic_mdi,
    in_bag_counts,
    mdi,
    permutation_importance,
    saabas,
    unbiased_mdi,
)
from course_lib.models import TotallyRandomizedTrees, zero_one
from course_lib.worlds import (
    Categorical,
    expected_decrease,
    independence_pvalue,
    make_correlated,
    make_null,
    make_trial,
)

SEEDS = range(12)
each_seed = pytest.mark.parametrize("seed", SEEDS)


def means(results) -> np.ndarray:
    """One row per result."""
    return np.array([result.importances_mean for result in results])


def standard_error(rows: np.ndarray) -> np.ndarray:
    return rows.std(axis=0, ddof=1) / np.sqrt(len(rows))


@pytest.fixture(scope="module")
def trials():
    """Forty trials and their forests."""
    tables = [make_trial(200, seed) for seed in range(100, 140)]
    return [
        (RandomForestClassifier(25, random_state=seed).fit(*table), *table)
        for seed, table in enumerate(tables)
    ]


@pytest.fixture(scope="module")
def nothing():
    """Forests on pure noise, grown until their leaves are pure."""
    tables = [make_null(200, seed) for seed in range(30)]
    return [
        (RandomForestClassifier(15, random_state=seed).fit(*table), *table)
        for seed, table in enumerate(tables)
    ]


@pytest.fixture(scope="module")
def wine():
    X, grower = load_wine(return_X_y=True, as_frame=True)
    return X.iloc[:, :5], grower


# 2.1 The trial


def test_in_the_distribution_the_treatment_removes_0045_and_the_ticket_nothing():
    cells = pd.MultiIndex.from_product(
        [(0, 1), (1, 2, 3), (0, 1)], names=("treated", "ticket", "y")
    )
    table = cells.to_frame(index=False)
    recovery = 0.35 + 0.3 * table["treated"]
    weights = np.where(table["y"] == 1, recovery, 1 - recovery)
    law = Categorical(table[["treated", "ticket"]], table["y"], weights)
    exact = asymptotic_mdi(law, impurity="gini").importances_mean
    np.testing.assert_allclose(exact, [0.3**2 / 2, 0], atol=1e-12)


def test_the_ticket_ranks_first_in_every_trial(trials):
    treated, ticket = means(mdi(forest) for forest, *_ in trials).T
    assert (ticket > treated).all()
    assert 2 < ticket.mean() / treated.mean() < 4


# 2.2 Five kinds of nothing


@pytest.mark.parametrize("criterion", ["gini", "entropy", "variance"])
def test_every_impurity_ranks_noise_by_its_number_of_values(criterion):
    studies = []
    for seed in SEEDS:
        X, y = make_null(200, seed, target="number" if criterion == "variance" else "class")
        forest = (
            RandomForestRegressor(15, max_features="sqrt", random_state=seed)
            if criterion == "variance"
            else RandomForestClassifier(15, criterion=criterion, random_state=seed)
        )
        studies.append(mdi(forest.fit(X, y)).importances_mean)
    shares = np.array(studies) / np.sum(studies, axis=1, keepdims=True)
    assert np.all(np.diff(shares.mean(axis=0)) > 4 * standard_error(np.diff(shares)))
    assert np.all(shares.argmin(axis=1) == 0)
    assert np.all(shares.argmax(axis=1) == 4)


# 2.3 The best of many


def test_the_best_of_nineteen_neighbouring_cuts_gets_three_and_a_half_units():
    assert expected_decrease(20) == pytest.approx(3.54, abs=0.005)
    independent, _ = integrate.quad(lambda c: 1 - stats.chi2.cdf(c, 1) ** 19, 0, 80)
    assert independent == pytest.approx(4.83, abs=0.005)


def test_nineteen_units_for_twenty_children_are_more_than_the_best_single_cut_gets():
    assert expected_decrease(20, "multiway") > 5 * expected_decrease(20)


# 2.4 Trees that do not choose


def test_totally_randomized_trees_rank_noise_by_its_number_of_levels():
    studies = []
    for seed in SEEDS:
        X, y = make_null(200, seed)
        trees = TotallyRandomizedTrees(50, random_state=seed).fit(X.drop(columns="continuous"), y)
        studies.append(mdi(trees).importances_mean)
    studies = np.array(studies)
    assert np.all(np.diff(studies.mean(axis=0)) > 4 * standard_error(np.diff(studies)))


def test_random_cuts_into_two_children_are_biased_too():
    studies = means(
        mdi(ExtraTreesClassifier(15, max_features=1, random_state=seed).fit(*make_null(200, seed)))
        for seed in SEEDS
    )
    assert np.all(np.diff(studies.mean(axis=0)) > 2 * standard_error(np.diff(studies)))


# 2.5 Depth, leaves, more data


def paid(n, seed, **options) -> float:
    forest = RandomForestClassifier(8, random_state=seed, **options).fit(*make_null(n, seed))
    return float(mdi(forest).importances_mean.sum())


@each_seed
def test_pure_leaves_pay_all_the_gini_to_noise_whatever_the_sample_size(seed):
    assert paid(100, seed) == pytest.approx(0.5, abs=0.03)
    assert paid(800, seed) == pytest.approx(0.5, abs=0.01)


def test_leaves_of_ten_pay_the_same_for_more_data_and_a_fixed_depth_pays_less():
    leaves, depth = (
        np.array([[paid(n, seed, **options) for n in (200, 1600)] for seed in range(10)])
        for options in ({"min_samples_leaf": 10}, {"max_depth": 3})
    )
    ratio = leaves[:, 1] / leaves[:, 0]
    assert abs(ratio.mean() - 1) < 0.1
    assert (depth[:, 1] < depth[:, 0] / 5).all()  # eight times the data


@each_seed
def test_a_split_on_noise_is_paid_about_the_same_at_any_depth(seed):
    """N p(t) decrease / i(t) of single trees, above and below depth 4, within a factor of two."""
    X, y = make_null(1600, seed)
    nodes = DecisionTreeClassifier(max_depth=7, random_state=seed).fit(X, y).tree_
    split = np.flatnonzero(nodes.children_left != -1)
    mixed = nodes.n_node_samples * nodes.impurity
    removed = mixed - mixed[nodes.children_left] - mixed[nodes.children_right]
    units = removed[split] / nodes.impurity[split]
    depth = np.zeros(nodes.node_count, dtype=int)
    for t in split:
        depth[[nodes.children_left[t], nodes.children_right[t]]] = depth[t] + 1
    shallow, deep = units[depth[split] < 4].mean(), units[depth[split] >= 4].mean()
    assert 0.5 < deep / shallow < 2


# 2.6 The cure


@each_seed
def test_summed_over_the_bag_moves_times_targets_are_mdi(seed):
    X, y = make_correlated(80, seed, rho=0.5)
    forest = RandomForestRegressor(5, random_state=seed).fit(X, y)
    X = X.to_numpy()
    columns = zip(forest.estimators_, in_bag_counts(forest, X).T, strict=True)
    found = [(count * y.to_numpy()) @ saabas(tree, X).values / 80 for tree, count in columns]
    np.testing.assert_allclose(np.transpose(found), mdi(forest).importances)


@pytest.mark.parametrize("method", ["mdi-oob", "ufi"])
def test_out_of_bag_the_ticket_is_worth_nothing_and_the_treatment_what_it_should(trials, method):
    rows = means(unbiased_mdi(forest, X, y, method) for forest, X, y in trials)
    assert np.all(abs(rows.mean(axis=0) - [0.045, 0]) < 4 * standard_error(rows))
    assert (rows[:, 1] > rows[:, 0]).mean() < 0.25


@pytest.mark.parametrize("method", ["mdi-oob", "ufi"])
def test_out_of_bag_noise_is_worth_nothing_on_average(nothing, method):
    rows = means(unbiased_mdi(forest, X, y, method) for forest, X, y in nothing)
    assert np.all(abs(rows.mean(axis=0)) < 4 * standard_error(rows))
    assert 0.3 < (rows < 0).mean() < 0.7
    assert rows[:, 4].std() > 1.5 * rows[:, 0].std()


def test_held_out_permutation_of_noise_is_worth_nothing_on_average(nothing):
    rows = means(
        permutation_importance(
            forest, *make_null(200, 1000 + seed), loss=zero_one, n_repeats=2, random_state=seed
        )
        for seed, (forest, *_) in enumerate(nothing)
    )
    assert np.all(abs(rows.mean(axis=0)) < 4 * standard_error(rows))
    assert 0.2 < (rows < 0).mean() < 0.8


# 2.8 Who gets the credit?


def copied(seed, *, copies: int) -> np.ndarray:
    X, y = make_correlated(300, seed, rho=0)
    y = y + 0.8 * X["x2"]
    X = X.assign(copy_of_x1=X["x1"]) if copies else X
    return mdi(RandomForestRegressor(30, max_depth=5, random_state=seed).fit(X, y)).importances_mean


def test_a_copy_costs_the_best_variable_its_place():
    alone, shared = (np.array([copied(seed, copies=copies) for seed in SEEDS]) for copies in (0, 1))
    assert (alone.argmax(axis=1) == 0).all()
    assert (shared.argmax(axis=1) == 1).mean() > 0.5
    assert shared.mean(axis=0).argmax() == 1
    np.testing.assert_allclose(shared[:, [0, 3]].sum(axis=1), alone[:, 0], rtol=0.1)


def test_a_correlated_variable_without_effect_is_paid_and_out_of_bag_rows_confirm_it():
    inside, outside = [], []
    for seed in SEEDS:
        X, y = make_correlated(300, seed, rho=0.9)
        forest = RandomForestRegressor(20, max_features=1, max_depth=5, random_state=seed)
        inside.append(mdi(forest.fit(X, y)))
        outside.append(unbiased_mdi(forest, X, y))
    for rows in (means(inside), means(outside)):
        x1, x2, x3 = rows.T
        assert (x2 - 0.5 * x1).mean() > 3 * standard_error(x2 - 0.5 * x1)
        assert (x2 > x3).all()


def test_in_a_single_tree_the_seed_decides_which_copy_is_paid_and_the_sum_stays():
    X, y = make_correlated(300, random_state=0, rho=0)
    pair = X[["x1"]].assign(copy_of_x1=X["x1"])
    paid = means(
        mdi(DecisionTreeRegressor(max_depth=3, random_state=seed).fit(pair, y)) for seed in SEEDS
    )
    np.testing.assert_allclose(paid.sum(axis=1), paid[0].sum())
    assert np.ptp(paid[:, 0]) > 0.5 * paid[0].sum()


# 2.9 and 2.10 Probes


@each_seed
def test_the_published_probes_are_a_constant_and_a_row_number_that_knows_the_grower(wine, seed):
    X, grower = wine
    bit = np.random.RandomState(seed).randint(0, 1, size=len(X))
    assert set(bit) == {0}
    assert independence_pvalue(bit, grower, n_shuffles=49, random_state=seed) == 1
    number = np.arange(len(X))
    assert independence_pvalue(number, grower, n_shuffles=49, random_state=seed) == 0.02
    probed = X.assign(bit=bit, number=number)
    forest = RandomForestClassifier(20, random_state=seed).fit(probed, grower)
    for result in (mdi(forest), unbiased_mdi(forest, probed, grower)):
        assert result.importances_mean.argmax() == 6
        assert result.importances_mean[5] == 0


@pytest.fixture(scope="module")
def repaired(wine):
    """MDI and MDI-oob with sound probes, and MDI of shallow trees, one row per seed."""
    X, grower = wine
    rows = {"mdi": [], "oob": [], "shallow": []}
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        probed = X.assign(bit=rng.integers(0, 2, len(X)), number=rng.permutation(len(X)))
        forest = RandomForestClassifier(50, random_state=seed).fit(probed, grower)
        shallow = RandomForestClassifier(50, max_depth=2, random_state=seed).fit(probed, grower)
        rows["mdi"].append(mdi(forest).importances_mean)
        rows["oob"].append(unbiased_mdi(forest, probed, grower).importances_mean)
        rows["shallow"].append(mdi(shallow).importances_mean)
    return {name: np.array(values) for name, values in rows.items()}


def test_sound_probes_are_paid_by_their_values_and_worth_nothing_out_of_bag(repaired):
    bit, number = repaired["mdi"][:, 5:].T
    assert (number > bit).all() and (bit > 0).all()
    probes = repaired["oob"][:, 5:]
    assert np.all(abs(probes.mean(axis=0)) < 4 * standard_error(probes) + 1e-3)


def test_shallow_trees_pay_both_probes_less(repaired):
    assert (repaired["shallow"][:, 5:] < repaired["mdi"][:, 5:]).all()


def test_alcohol_leads_by_both_measures(repaired):
    assert (repaired["mdi"].argmax(axis=1) == 0).all()
    assert (repaired["oob"].argmax(axis=1) == 0).all()


def test_in_the_figure_all_measurements_lie_above_zero_out_of_bag(repaired):
    assert (repaired["oob"][0, :5] > 0).all()


# The exercise


def test_a_ticket_among_the_diabetes_patients_is_paid_more_than_sex_and_a_coin_together():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    inside, outside = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        probed = X.assign(coin=rng.integers(0, 2, len(X)), ticket=rng.permutation(len(X)))
        forest = RandomForestRegressor(15, max_features="sqrt", random_state=seed).fit(probed, y)
        inside.append(mdi(forest).to_frame()["importance"])
        outside.append(unbiased_mdi(forest, probed, y).to_frame()["importance"])
    inside, outside = pd.DataFrame(inside), pd.DataFrame(outside)
    assert (inside["ticket"] > inside["sex"] + inside["coin"]).all()
    assert outside["ticket"].mean() < 4 * standard_error(outside[["ticket"]].to_numpy())[0]
