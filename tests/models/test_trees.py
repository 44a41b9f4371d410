"""Totally randomized trees against their definition and their exact limit (mirrors trees.py)."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

from course_lib.measures import asymptotic_mdi, mdi
from course_lib.models import TotallyRandomizedTrees
from course_lib.worlds import Categorical, make_led, make_null


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    X = rng.integers(3, size=(120, 4))
    y = (X[:, 0] + rng.integers(2, size=120)) % 3
    return X, y


def rows_in_nodes(forest, X):
    """For each node, which rows of X pass it, by going down one row and one tree at a time."""
    table = forest.nodes_
    inside = np.zeros((len(table.parent), len(X)), dtype=bool)
    for row, ends in enumerate(forest.apply(X)):
        for node in ends:
            inside[node, row] = True
            while table.parent[node] != node:
                node = table.parent[node]
                inside[node, row] = True
    return inside


@pytest.mark.parametrize("K", [1, 2, 4])
def test_every_node_is_what_the_definition_says(sample, K):
    X, y = sample
    forest = TotallyRandomizedTrees(n_estimators=5, K=K, random_state=1).fit(X, y)
    table, inside = forest.nodes_, rows_in_nodes(forest, X)
    np.testing.assert_array_equal(inside[table.roots], True)  # no bootstrap
    for node, rows in enumerate(inside):
        counts = np.bincount(y[rows], minlength=3)
        assert table.weight[node] == rows.sum() > 0
        assert table.impurity[node] == pytest.approx(stats.entropy(counts, base=2))
        np.testing.assert_allclose(table.value[node], counts / counts.sum())
        children = np.flatnonzero((table.parent == node) & (np.arange(len(inside)) != node))
        if table.feature[node] < 0:
            assert len(children) == 0
        else:
            groups = [set(X[inside[child], table.feature[node]]) for child in children]
            assert all(len(group) == 1 for group in groups)  # one child per category
            assert sorted(v for (v,) in groups) == sorted(set(X[rows, table.feature[node]]))


def test_a_leaf_is_pure_or_has_used_every_variable_and_none_is_used_twice(sample):
    X, y = sample
    forest = TotallyRandomizedTrees(n_estimators=20, K=2, random_state=0).fit(X, y)
    table = forest.nodes_
    for leaf in np.flatnonzero(table.feature < 0):
        used, node = [], leaf
        while table.parent[node] != node:
            node = table.parent[node]
            used.append(table.feature[node])
        assert len(set(used)) == len(used)
        assert table.impurity[leaf] == 0 or len(used) == X.shape[1]


@pytest.mark.parametrize("K", [1, 2, 4, 7])
def test_mean_mdi_on_the_support_tends_to_the_exact_values(K):
    """The ten digits, once each, are the exact law of the display."""
    X, y = make_led()
    found = mdi(TotallyRandomizedTrees(n_estimators=3000, K=K, random_state=0).fit(X, y))
    exact = asymptotic_mdi(Categorical(X, y), K=K).importances_mean
    standard_error = found.importances.std(axis=1, ddof=1) / np.sqrt(3000)
    assert (abs(found.importances_mean - exact) <= 4.5 * standard_error + 1e-12).all()


@pytest.mark.parametrize("K", [1, 3])
def test_mean_mdi_on_a_sample_tends_to_the_exact_values_of_that_sample(K):
    X, y = make_null(150, random_state=0)
    X = X.drop(columns="continuous")
    found = mdi(TotallyRandomizedTrees(n_estimators=400, K=K, random_state=0).fit(X, y))
    exact = asymptotic_mdi(Categorical(X, y), K=K).importances_mean
    standard_error = found.importances.std(axis=1, ddof=1) / np.sqrt(400)
    assert (abs(found.importances_mean - exact) <= 4.5 * standard_error).all()


def test_with_K_all_and_no_ties_every_tree_is_the_same(sample):
    X, y = sample
    forest = TotallyRandomizedTrees(n_estimators=3, K=2, random_state=0).fit(X[:, :2], y)
    found = mdi(forest).importances
    np.testing.assert_allclose(found, found[:, [0, 0, 0]])


def test_predicts_led_digits_and_their_probabilities():
    X, y = make_led(500, random_state=0)
    forest = TotallyRandomizedTrees(n_estimators=10, random_state=0).fit(X, y)
    assert forest.score(X, y) == 1
    np.testing.assert_array_equal(forest.predict_proba(X).argmax(axis=1), y)


def test_probabilities_are_the_mean_class_shares_of_the_leaves(sample):
    X, y = sample
    forest = TotallyRandomizedTrees(n_estimators=7, random_state=0).fit(X, y)
    expected = forest.nodes_.value[forest.apply(X)].mean(axis=1)
    np.testing.assert_allclose(forest.predict_proba(X), expected)
    np.testing.assert_allclose(forest.predict_proba(X).sum(axis=1), 1)


def test_an_unseen_category_stops_at_its_node():
    """One variable: a category without a child is predicted by the class shares of the root."""
    forest = TotallyRandomizedTrees(n_estimators=4, random_state=0)
    forest.fit([["a"], ["a"], ["b"], ["b"]], [0, 0, 0, 1])
    np.testing.assert_allclose(forest.predict_proba([["z"], ["a"]]), [[0.75, 0.25], [1, 0]])
    np.testing.assert_array_equal(forest.apply([["z"]])[0], forest.nodes_.roots)


def test_an_unseen_combination_stops_where_it_leaves_the_sample():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 0]], [0, 1, 0, 1]
    forest = TotallyRandomizedTrees(n_estimators=40, random_state=0).fit(X, y)
    ends = forest.apply([[1, 1]])[0]
    assert (forest.nodes_.parent[ends] != ends).all()  # one step down in every tree
    assert {int(n) for n in forest.nodes_.weight[ends]} == {1, 2}


def test_strings_booleans_and_mixed_columns_are_categories():
    X = pd.DataFrame({"colour": ["red", "blue", "red", "blue"], "big": [True, True, False, False]})
    y = ["no", "yes", "no", "yes"]
    forest = TotallyRandomizedTrees(n_estimators=5, K=2, random_state=0).fit(X, y)
    np.testing.assert_array_equal(forest.predict(X), y)
    assert forest.classes_.tolist() == ["no", "yes"]
    assert forest.feature_names_in_.tolist() == ["colour", "big"]
    np.testing.assert_allclose(mdi(forest).importances_mean, [1, 0])


def test_behaves_as_a_scikit_learn_classifier(sample):
    X, y = sample
    forest = TotallyRandomizedTrees(n_estimators=5, K=2, random_state=3)
    assert is_classifier(forest)
    assert clone(forest).get_params() == {"n_estimators": 5, "K": 2, "random_state": 3}
    assert forest.set_params(K=1).fit(X, y) is forest
    assert forest.n_features_in_ == 4
    assert len(cross_val_score(forest, X, y, cv=3)) == 3


def test_random_state_decides_and_numpys_global_state_is_left_alone(sample):
    X, y = sample
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first, again, other = (
        mdi(TotallyRandomizedTrees(n_estimators=5, random_state=seed).fit(X, y)).importances
        for seed in (0, 0, np.random.default_rng(1))
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def test_trees_grown_in_several_blocks_are_still_trees(sample, monkeypatch):
    X, y = sample
    monkeypatch.setattr("course_lib.models.trees.BLOCK", 200)
    forest = TotallyRandomizedTrees(n_estimators=9, random_state=0).fit(X, y)
    assert len(forest.nodes_.roots) == 9
    np.testing.assert_array_equal(forest.nodes_.weight[forest.nodes_.roots], 120)
    total = Categorical(X, y).mutual_information(range(4))
    np.testing.assert_allclose(mdi(forest).importances.sum(axis=0), total)


def test_one_class_one_row_one_feature():
    forest = TotallyRandomizedTrees(n_estimators=2).fit([["only"]], ["class"])
    np.testing.assert_array_equal(forest.predict([["only"], ["other"]]), ["class", "class"])
    np.testing.assert_array_equal(mdi(forest).importances, [[0, 0]])


X2, Y2 = [[0, 1], [1, 0]], [0, 1]
TWINS = pd.DataFrame(X2, columns=["a", "a"])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: TotallyRandomizedTrees(n_estimators=0).fit(X2, Y2), "n_estimators must be"),
        (lambda: TotallyRandomizedTrees(K=3).fit(X2, Y2), "K must be a whole number from 1 to 2"),
        (lambda: TotallyRandomizedTrees(K=0).fit(X2, Y2), "K must be a whole number from 1 to 2"),
        (lambda: TotallyRandomizedTrees(random_state="a").fit(X2, Y2), "random_state must be"),
        (lambda: TotallyRandomizedTrees().fit(X2, [0.5, 0.25]), "Unknown label type"),
        (lambda: TotallyRandomizedTrees().fit(X2, [0]), "each row needs its target"),
        (lambda: TotallyRandomizedTrees().fit([[np.nan], [0]], Y2), "missing values"),
        (lambda: TotallyRandomizedTrees().fit([0, 1], Y2), "two dimensions"),
        (lambda: TotallyRandomizedTrees().fit(np.empty((0, 2)), []), "at least 1 row"),
        (lambda: TotallyRandomizedTrees().fit(TWINS, Y2), "two columns called"),
        (lambda: TotallyRandomizedTrees().fit([[{}], [{}]], Y2), "single values"),
        (lambda: TotallyRandomizedTrees().predict(X2), "has not been fitted"),
        (lambda: TotallyRandomizedTrees().fit(X2, Y2).predict([[0]]), "1 features"),
        (lambda: TotallyRandomizedTrees().fit(X2, Y2).predict([[0, None]]), "missing values"),
        (
            lambda: TotallyRandomizedTrees().fit([["a"], ["b"]], np.array(["x", 1], dtype=object)),
            "several kinds",
        ),
    ],
)
def test_bad_arguments_are_refused_with_a_sentence(call, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence) as refusal:
        call()
    assert not isinstance(refusal.value, NotFittedError)
