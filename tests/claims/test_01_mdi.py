"""The claims of lesson 01, each over several seeds."""

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_diabetes
from sklearn.ensemble import ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

from course_lib.measures import mdi
from course_lib.models import impurity, impurity_decrease
from course_lib.worlds import load_node, load_rank_swap, make_gate, make_null

SEEDS = range(12)
each_seed = pytest.mark.parametrize("seed", SEEDS)


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def null_forests():
    """Shallow forests on coin flips, one per seed."""
    return [
        RandomForestClassifier(100, max_depth=3, random_state=seed).fit(*make_null(1000, seed))
        for seed in SEEDS
    ]


def test_the_node_loses_a_quarter_of_a_bit():
    X, y = load_node()
    left = X["x"] <= 12.5
    entropies = [impurity(y), impurity(y[left]), impurity(y[~left])]
    np.testing.assert_allclose(entropies, [0.971, 0.650, 0.811], atol=5e-4)
    assert impurity_decrease(y, left) == pytest.approx(0.2564, abs=5e-5)
    assert 0.97 - 0.6 * 0.65 - 0.4 * 0.81 == pytest.approx(0.256)  # what rounded entropies give


def test_every_other_threshold_of_the_node_removes_less():
    X, y = load_node()
    decreases = {t: impurity_decrease(y, X["x"] <= t) for t in np.arange(1.5, 20)}
    assert max(decreases, key=decreases.get) == 12.5
    assert sorted(decreases.values())[-2] < decreases[12.5] - 0.01


@each_seed
def test_in_an_and_gate_the_variable_asked_second_gets_twice_the_credit(seed):
    tree = DecisionTreeClassifier(random_state=seed).fit(*make_gate("and"))
    first = tree.tree_.feature[0]
    assert mdi(tree).importances[:, 0] == pytest.approx(np.where([0, 1] == first, 0.125, 0.25))


def test_gini_is_twice_the_variance_and_ranks_alike():
    for k in range(9):
        y = [1] * k + [0] * (8 - k)
        assert impurity(y, "gini") == pytest.approx(2 * impurity(y, "variance"))


@each_seed
def test_gini_and_entropy_may_rank_oppositely_in_the_same_tree(seed):
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
    """Each tree gives x1 0.125 or 0.25 with equal chance; the number of 0.25s is binomial."""
    X, lamp = make_gate("and")
    forest = RandomForestClassifier(200, max_features=1, bootstrap=False, random_state=seed)
    values = mdi(forest.fit(X, lamp)).importances
    np.testing.assert_allclose(values.sum(axis=0), 0.375)
    asked_second = int(np.isclose(values[0], 0.25).sum())
    assert stats.binomtest(asked_second, 200, 0.5).pvalue > 1e-4


def test_importances_of_a_forest_on_coin_flips_add_up_to_one(null_forests):
    for forest in null_forests:
        assert forest.feature_importances_.sum() == pytest.approx(1)


def test_the_undivided_measure_shows_that_little_was_removed(null_forests):
    for forest in null_forests:
        assert mdi(forest).importances_mean.sum() < 0.05  # of a Gini of about 0.5


def test_feature_importances_normalises_every_tree_before_the_mean(null_forests):
    for forest in null_forests:
        per_tree = mdi(forest).importances
        shares = (per_tree / per_tree.sum(axis=0)).mean(axis=1)
        np.testing.assert_allclose(forest.feature_importances_, shares / shares.sum())


def test_feature_importances_is_not_proportional_to_imp(null_forests):
    for forest in null_forests:
        imp = mdi(forest).importances_mean
        assert abs(forest.feature_importances_ - imp / imp.sum()).max() > 1e-4


def test_the_noise_with_many_values_leads(null_forests):
    assert all(np.argmax(mdi(forest).importances_mean) == 4 for forest in null_forests)


@each_seed
def test_an_increasing_transformation_leaves_a_best_split_forest_as_it_was(diabetes, seed):
    X, y = diabetes
    column = X.columns[seed % X.shape[1]]
    changed = X.assign(**{column: np.exp(20 * X[column])})
    before, after = (
        mdi(RandomForestRegressor(10, max_depth=6, random_state=seed).fit(table, y))
        for table in (X, changed)
    )
    np.testing.assert_array_equal(before.importances, after.importances)


@each_seed
def test_it_changes_the_coefficients_of_a_linear_model_and_random_thresholds(diabetes, seed):
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
    assert abs(after.importances_mean[2] / before.importances_mean[2] - 1) > 0.01


def test_another_seed_gives_another_ranking_of_the_diabetes_variables(diabetes):
    X, y = diabetes
    rankings = {
        tuple(np.argsort(mdi(forest).importances_mean))
        for forest in (
            RandomForestRegressor(100, max_depth=6, random_state=seed).fit(X, y)
            for seed in range(4)
        )
    }
    assert len(rankings) > 1


def test_splits_on_bmi_remove_more_than_splits_on_bp_and_sex_is_last(diabetes):
    X, y = diabetes
    for seed in range(10):
        forest = RandomForestRegressor(30, max_depth=6, random_state=seed).fit(X, y)
        value = mdi(forest).to_frame()["importance"]
        assert value["bmi"] > value["bp"]
        assert value.idxmin() == "sex"
