"""Tree games and Tree SHAP against recursion and brute force (mirrors tree_games.py)."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

from course_lib.measures import prediction_game, tree_game, tree_shap
from course_lib.models import null_players, shapley_values, worths
from course_lib.questions import Q3

REGRESSORS = [
    DecisionTreeRegressor(max_depth=4, random_state=0),
    ExtraTreeRegressor(random_state=0),
    RandomForestRegressor(7, random_state=0),
    ExtraTreesRegressor(7, random_state=0),
]
CLASSIFIERS = [
    DecisionTreeClassifier(max_depth=4, random_state=0),
    ExtraTreeClassifier(random_state=0),
    RandomForestClassifier(7, random_state=0),
    ExtraTreesClassifier(7, random_state=0),
]
P = 4


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, P))
    X[:, 1] += X[:, 0]
    return X, X[:, 0] * X[:, 1] + np.sin(X[:, 2]) + 0.1 * rng.normal(size=150)


def trees_of(model):
    return getattr(model, "estimators_", [model])


def by_recursion(tree, x, S, node=0):
    """The definition, read off a fitted tree; shares nothing with the library."""
    t = tree.tree_
    if t.children_left[node] == -1:
        return t.value[node, 0, 0]
    left, right = t.children_left[node], t.children_right[node]
    if t.feature[node] in S:
        goes_left = np.float32(x[t.feature[node]]) <= t.threshold[node]
        return by_recursion(tree, x, S, left if goes_left else right)
    weight = t.weighted_n_node_samples
    return sum(
        weight[child] / weight[node] * by_recursion(tree, x, S, child) for child in (left, right)
    )


def conjunction_tree(root):
    """AND on counts 00:4 01:1 10:2 11:3, with the split on feature `root` first."""
    X = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [4, 1, 2, 3], axis=0)
    for seed in range(100):
        tree = DecisionTreeRegressor(max_features=1, random_state=seed).fit(X, X.prod(axis=1))
        if tree.tree_.feature[0] == root and tree.get_n_leaves() == 3:
            return tree, X
    raise AssertionError("no such tree")


# the facts of the syllabus


@pytest.mark.parametrize(("root", "expected"), [(0, [0.4, 0.3]), (1, [0.175, 0.525])])
def test_path_dependent_values_depend_on_the_trees_shape(root, expected):
    tree, X = conjunction_tree(root)
    np.testing.assert_allclose(shapley_values(tree_game(tree, [1, 1]), 2), expected)
    result = tree_shap(tree, [[1, 1]])
    np.testing.assert_allclose(result.values, [expected])
    np.testing.assert_allclose(result.base, [0.3])


@pytest.mark.parametrize("root", [0, 1])
def test_interventional_values_do_not(root):
    tree, X = conjunction_tree(root)
    np.testing.assert_allclose(tree_shap(tree, [[1, 1]], background=X).values, [[0.3, 0.4]])


def test_a_copy_the_tree_does_not_read_gets_nothing(table):
    x = table[0][:, :1]
    X = np.hstack([x, x])
    tree = DecisionTreeRegressor(max_depth=3, random_state=1).fit(x, table[1])
    both = DecisionTreeRegressor(max_depth=3, random_state=1).fit(X * [1, 0], table[1])
    assert null_players(tree_game(both, X[0]), 2) == [1]
    result = tree_shap(both, X[:3], background=X)
    np.testing.assert_array_equal(result.values[:, 1], 0)
    np.testing.assert_allclose(result.base + result.values[:, 0], tree.predict(x[:3]))


# the game


def test_the_game_follows_x_where_known_and_goes_both_ways_elsewhere(table):
    X, y = table
    tree = DecisionTreeRegressor(min_samples_leaf=3, random_state=0)
    tree.fit(X, y, sample_weight=np.linspace(0.5, 2, len(y)))
    for x in X[:5]:
        v = tree_game(tree, x)
        for S in ({}, {0}, {1, 3}, {0, 1, 2, 3}):
            assert v(S) == pytest.approx(by_recursion(tree, x, S), abs=1e-12)
        assert v(range(P)) == pytest.approx(tree.predict([x])[0])
        assert v(()) == pytest.approx(tree.tree_.value[0, 0, 0])


def test_thresholds_are_compared_in_single_precision():
    """x is just above the threshold in double precision, and on it in single."""
    tree = DecisionTreeRegressor().fit([[0.1], [0.3]], [0.0, 1.0])
    threshold = tree.tree_.threshold[0]
    x = [np.nextafter(np.float64(np.float32(threshold)), 1)]
    assert tree_game(tree, x)({0}) == tree.predict([x])[0]
    for background in (None, [[0.1], [0.3]]):
        result = tree_shap(tree, [x], background=background)
        np.testing.assert_allclose(result.base + result.values[:, 0], tree.predict([x]))
    around = tree_shap(tree, [[0.1]], background=[x])
    np.testing.assert_allclose(around.base, tree.predict([x]))


# Tree SHAP


@pytest.mark.parametrize("estimator", REGRESSORS, ids=lambda m: type(m).__name__)
def test_tree_shap_solves_both_games_of_regressors(estimator, table):
    X, y = table
    model = estimator.fit(X, y)
    rows, background = X[:3], X[20:60]
    path, marginal = tree_shap(model, rows), tree_shap(model, rows, background=background)
    for i, x in enumerate(rows):
        games = [worths(tree_game(tree, x), P) for tree in trees_of(model)]
        np.testing.assert_allclose(
            path.values[i], shapley_values(np.mean(games, axis=0), P), atol=1e-6
        )
        v = prediction_game(model.predict, x, background)
        np.testing.assert_allclose(marginal.values[i], shapley_values(v, P), atol=1e-6)
    for result in (path, marginal):
        explained = result.base + result.values.sum(axis=1)
        np.testing.assert_allclose(explained, model.predict(rows), atol=1e-6)
    np.testing.assert_allclose(marginal.base, model.predict(background).mean(), atol=1e-6)


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda m: type(m).__name__)
def test_tree_shap_explains_the_probability_of_one_class(estimator, table):
    X, y = table
    labels = np.array(["low", "middle", "top"])[np.digitize(y, [-0.5, 0.5])]
    model = estimator.fit(X, labels)
    rows, background = X[:3], X[20:60]
    total = 0
    for k, label in enumerate(model.classes_):
        path = tree_shap(model, rows, output=label)
        marginal = tree_shap(model, rows, background=background, output=label)
        for result in (path, marginal):
            explained = result.base + result.values.sum(axis=1)
            np.testing.assert_allclose(explained, model.predict_proba(rows)[:, k], atol=1e-6)
        v = prediction_game(lambda X, k=k: model.predict_proba(X)[:, k], rows[0], background)
        np.testing.assert_allclose(marginal.values[0], shapley_values(v, P), atol=1e-6)
        if not hasattr(model, "estimators_"):
            game = tree_game(model, rows[0], output=label)
            np.testing.assert_allclose(path.values[0], shapley_values(game, P), atol=1e-6)
        total = total + path.values
    np.testing.assert_allclose(total, 0, atol=1e-6)  # probabilities sum to one


@pytest.mark.parametrize("with_background", [False, True])
def test_the_values_are_those_of_shaps_own_reading_of_the_forest(with_background, table):
    shap = pytest.importorskip("shap")
    X, y = table
    model = RandomForestClassifier(7, random_state=0).fit(X, y > 0)
    data = shap.maskers.Independent(X, max_samples=len(X)) if with_background else None
    expected = shap.TreeExplainer(model, data).shap_values(X[:20])[:, :, 1]
    result = tree_shap(model, X[:20], background=X if with_background else None)
    np.testing.assert_allclose(result.values, expected, atol=1e-10)


def test_all_rows_of_the_background_are_used(table):
    """shap takes 100 of them unless told otherwise; here the last row alone differs."""
    rows = np.zeros((400, 1))
    rows[-1] = 1
    tree = DecisionTreeRegressor().fit([[0.0], [1.0]], [0.0, 1.0])
    np.testing.assert_allclose(tree_shap(tree, [[0.0]], background=rows).base, 1 / 400)


def test_two_classes_explain_the_second_by_default(table):
    X, y = table
    model = RandomForestClassifier(5, random_state=0).fit(X, np.where(y > 0, "yes", "no"))
    default, second, first = (tree_shap(model, X[:4], output=c) for c in (None, "yes", "no"))
    np.testing.assert_array_equal(default.values, second.values)
    np.testing.assert_allclose(default.values, -first.values, atol=1e-12)
    tree = DecisionTreeClassifier(max_depth=2).fit(X, y > 0)
    assert tree_game(tree, X[0])(range(P)) == pytest.approx(tree.predict_proba(X[:1])[0, 1])
    assert tree_game(tree, X[0], output=False)(()) == pytest.approx(np.mean(y <= 0))


def test_the_result_says_which_game_was_played(table):
    X, y = table
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = RandomForestRegressor(2, random_state=0).fit(frame, y)
    path, marginal = tree_shap(model, frame), tree_shap(model, frame[:5], background=frame[:50])
    assert path.measure == "path-dependent tree SHAP"
    assert marginal.measure == "interventional tree SHAP"
    assert path.question is marginal.question is Q3
    assert path.feature_names == ("a", "b", "c", "d")
    assert path.values.shape == (150, P)


def test_missing_values_go_the_way_the_tree_has_learnt():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] + X[:, 1]
    X[rng.random(X.shape) < 0.2] = np.nan
    tree = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    rows = X[np.isnan(X).any(axis=1)][:6]
    path, marginal = tree_shap(tree, rows), tree_shap(tree, rows, background=X)
    for result in (path, marginal):
        explained = result.base + result.values.sum(axis=1)
        np.testing.assert_allclose(explained, tree.predict(rows), atol=1e-6)
    for values, x in zip(path.values, rows, strict=True):
        np.testing.assert_allclose(values, shapley_values(tree_game(tree, x), 2), atol=1e-6)
    never_met_any = DecisionTreeRegressor(max_depth=3).fit(np.nan_to_num(X), y)
    result = tree_shap(never_met_any, rows)
    np.testing.assert_allclose(
        result.base + result.values.sum(axis=1), never_met_any.predict(rows), atol=1e-6
    )


def test_a_tree_that_never_splits_gives_nobody_anything(table):
    X, _ = table
    stump = DecisionTreeRegressor().fit(X, np.full(len(X), 2.5))
    np.testing.assert_array_equal(shapley_values(tree_game(stump, X[0]), P), 0)
    for background in (None, X):
        result = tree_shap(stump, X[:2], background=background)
        np.testing.assert_array_equal(result.values, 0)
        np.testing.assert_allclose(result.base, 2.5)
    one_class = DecisionTreeClassifier().fit(X, np.zeros(len(X)))
    np.testing.assert_allclose(tree_shap(one_class, X[:2]).base, 1.0)


def test_inputs_and_models_are_not_modified(table):
    X, y = table
    model = RandomForestRegressor(3, random_state=0).fit(X, y)
    before, state = X.copy(), [pickle.dumps(tree.tree_) for tree in model.estimators_]
    for background in (None, X, X[:3]):
        tree_shap(model, X[:5], background=background)
    tree_game(model.estimators_[0], X[0])({0})
    np.testing.assert_array_equal(X, before)
    assert state == [pickle.dumps(tree.tree_) for tree in model.estimators_]


# refusals


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LinearRegression(), "decision trees, random forests and extra-trees"),
        (KNeighborsRegressor(), "prediction_game"),
        (None, "got NoneType"),
    ],
)
def test_other_models_are_refused(model, message, table):
    with pytest.raises(TypeError, match=message):
        tree_shap(model, table[0])
    with pytest.raises(TypeError, match="fitted decision tree"):
        tree_game(model, table[0][0])


@pytest.mark.parametrize("measure", [tree_shap, tree_game])
def test_a_class_is_no_model(measure, table):
    with pytest.raises(TypeError, match="the class DecisionTreeRegressor.*Make one and fit it"):
        measure(DecisionTreeRegressor, table[0])


def test_a_forest_is_no_tree(table):
    forest = RandomForestRegressor(2).fit(*table)
    with pytest.raises(TypeError, match=r"forest.estimators_\[0\]"):
        tree_game(forest, table[0][0])
    assert np.isfinite(tree_game(forest.estimators_[0], table[0][0])({0}))


def test_an_unfitted_model_is_refused(table):
    for model in (DecisionTreeRegressor(), RandomForestClassifier()):
        with pytest.raises(ValueError, match="has not been fitted"):
            tree_shap(model, table[0])
    with pytest.raises(ValueError, match="has not been fitted"):
        tree_game(DecisionTreeClassifier(), table[0][0])


def test_a_choice_of_output_that_means_nothing_is_refused(table):
    X, y = table
    many = DecisionTreeClassifier(max_depth=2).fit(X, np.digitize(y, [-0.5, 0.5]))
    regressor = DecisionTreeRegressor(max_depth=2).fit(X, y)
    for explain in (
        lambda m, **k: tree_shap(m, X[:2], **k),
        lambda m, **k: tree_game(m, X[0], **k),
    ):
        with pytest.raises(ValueError, match="output must be one of 0, 1, 2, got 'top'"):
            explain(many, output="top")
        with pytest.raises(ValueError, match="output must be one of 0, 1, 2, got array"):
            explain(many, output=np.array([0, 1]))
        with pytest.raises(ValueError, match="for a regressor"):
            explain(regressor, output=1)
        with pytest.raises(ValueError, match="2 targets at once"):
            explain(DecisionTreeRegressor(max_depth=2).fit(X, np.column_stack([y, y])))


def test_of_many_classes_the_predicted_one_is_explained(table):
    X, y = table
    many = DecisionTreeClassifier(max_depth=2).fit(X, np.digitize(y, [-0.5, 0.5]))
    result = tree_shap(many, X)
    explained = result.base + result.values.sum(axis=1)
    np.testing.assert_allclose(explained, many.predict_proba(X).max(axis=1))
    everybody = frozenset(range(X.shape[1]))
    assert tree_game(many, X[0])(everybody) == pytest.approx(many.predict_proba(X).max(axis=1)[0])


def test_tables_that_do_not_fit_the_model_are_refused(table):
    X, y = table
    model = RandomForestRegressor(2, random_state=0).fit(pd.DataFrame(X, columns=list("abcd")), y)
    with pytest.raises(ValueError, match="fitted with 4"):
        tree_shap(model, X[:, :3])
    with pytest.raises(ValueError, match="fitted with 4"):
        tree_shap(model, X, background=X[:, :3])
    with pytest.raises(ValueError, match="same columns in the same order"):
        tree_shap(model, pd.DataFrame(X, columns=list("dcba")))
    unable = ExtraTreeClassifier(splitter="best", max_depth=2).fit(X, y > 0)
    with pytest.raises(ValueError, match="2 rows have missing values"):
        tree_shap(unable, np.full((2, P), np.nan))
    with pytest.raises(ValueError, match="missing values"):
        tree_game(unable, np.full(P, np.nan))
    with pytest.raises(ValueError, match="infinite"):
        tree_shap(model, np.full((2, P), np.inf))
    with pytest.raises(TypeError, match="numbers"):
        tree_shap(model, [["a"] * P])
    tree = model.estimators_[0]
    with pytest.raises(ValueError, match="one row with 4 features"):
        tree_game(tree, X[0, :3])


def test_many_classes_cost_as_much_as_one():
    """Only the explained output is handed to shap."""
    X, y = make_classification(100, 5, n_informative=5, n_redundant=0, n_classes=3, random_state=0)
    model = RandomForestClassifier(3, random_state=0).fit(X, y)
    assert tree_shap(model, X[:2], output=2).values.shape == (2, 5)


@pytest.mark.parametrize("seed", range(10))
def test_values_next_to_a_threshold_are_on_the_side_where_the_tree_puts_them(seed):
    """shap keeps thresholds in single precision, rounded to the nearest."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.01, 0.1, size=(20, 1))
    tree = DecisionTreeRegressor(random_state=0).fit(X, rng.normal(size=20))
    threshold = tree.tree_.threshold[tree.tree_.feature >= 0]
    nearest = threshold.astype(np.float32)
    up, down = (np.nextafter(nearest, np.float32(end)) for end in (np.inf, -np.inf))
    beside = np.concatenate([up, nearest, down])[:, np.newaxis].astype(float)
    for background in (None, X):
        result = tree_shap(tree, beside, background=background)
        explained = result.base + result.values.sum(axis=1)
        np.testing.assert_allclose(explained, tree.predict(beside), atol=1e-6)


def test_with_a_background_a_tree_of_too_many_nodes_is_refused_and_not_handed_to_shap():
    """shap numbers nodes in 16 bits: it would read beyond its memory."""
    rng = np.random.default_rng(0)
    for n, is_refused in ((16384, False), (16385, True)):  # a leaf each
        X = rng.normal(size=(n, 3))
        tree = DecisionTreeRegressor(random_state=0).fit(X, X.sum(axis=1))
        assert tree.tree_.node_count == 2 * n - 1
        if is_refused:
            with pytest.raises(ValueError, match=r"has 32769 nodes.*at most 32768.*max_depth"):
                tree_shap(tree, X[:4], background=X[4:9])
        given = None if is_refused else X[4:9]
        result = tree_shap(tree, X[:4], background=given)
        np.testing.assert_allclose(
            result.base + result.values.sum(axis=1), tree.predict(X[:4]), atol=1e-5
        )


@pytest.mark.parametrize(("offset", "unit"), [(1e8, 1.0), (0.0, 1e40)])
def test_values_far_from_zero_keep_their_differences(offset, unit, table):
    X, y = table
    forest = RandomForestRegressor(3, max_depth=4, random_state=0).fit(X, offset + unit * y)
    result = tree_shap(forest, X[:5], background=X[:20])
    for x, found in zip(X, result.values, strict=False):
        v = prediction_game(lambda rows: (forest.predict(rows) - offset) / unit, x, X[:20])
        np.testing.assert_allclose(found / unit, shapley_values(v, P), atol=1e-6)


def test_numbers_that_are_infinite_in_single_precision_are_refused(table):
    X, y = table
    tree, large = DecisionTreeRegressor(max_depth=2).fit(X, y), X[:2] * 1e40
    for call in (
        lambda: tree_shap(tree, large),
        lambda: tree_shap(tree, X, background=large),
        lambda: tree_game(tree, large[0]),
    ):
        with pytest.raises(ValueError, match="in single precision"):
            call()


def test_an_array_has_the_names_that_the_forest_was_fitted_with(table):
    X, y = table
    tree = DecisionTreeRegressor(max_depth=2).fit(pd.DataFrame(X, columns=list("abcd")), y)
    assert tree_shap(tree, X[:2]).feature_names == tuple("abcd")


def test_a_row_with_names_goes_by_its_names(table):
    X, y = pd.DataFrame(table[0], columns=list("abcd")), table[1]
    tree = DecisionTreeRegressor(max_depth=3).fit(X, y)
    for x in (X.iloc[0], X.iloc[0][list("dcba")], X.iloc[[0]][list("bdac")], X.iloc[0].to_numpy()):
        assert tree_game(tree, x)(range(P)) == tree.predict(X[:1])[0]
    with pytest.raises(ValueError, match="x has the values e, b, c, d"):
        tree_game(tree, X.iloc[0].rename({"a": "e"}))


def test_what_is_no_coalition_is_refused(table):
    v = tree_game(DecisionTreeRegressor(max_depth=3).fit(*table), table[0][0])
    for wrong in (None, 0):
        with pytest.raises(TypeError, match="A coalition is a set of players"):
            v(wrong)
