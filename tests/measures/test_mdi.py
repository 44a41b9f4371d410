"""MDI, global and local, debiased, and Saabas, against walks written out (mirrors mdi.py)."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomTreesEmbedding,
)
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

from course_lib.measures import in_bag_counts, local_mdi, mdi, saabas, unbiased_mdi
from course_lib.measures.forests import branches
from course_lib.models import TotallyRandomizedTrees, impurity_decrease
from course_lib.questions import Q3, Q4
from course_lib.worlds import make_gate, make_led, make_null

IRIS = load_iris(return_X_y=True)
DIABETES = tuple(part[:150] for part in load_diabetes(return_X_y=True))

MODELS = [
    (RandomForestClassifier(n_estimators=8, random_state=0), IRIS),
    (
        RandomForestClassifier(
            n_estimators=5, criterion="entropy", max_samples=0.5, random_state=0
        ),
        IRIS,
    ),
    (
        RandomForestClassifier(
            n_estimators=5, criterion="log_loss", bootstrap=False, random_state=0
        ),
        IRIS,
    ),
    (RandomForestClassifier(n_estimators=4, max_leaf_nodes=9, random_state=0), IRIS),
    (ExtraTreesClassifier(n_estimators=8, criterion="entropy", random_state=0), IRIS),
    (DecisionTreeClassifier(random_state=0), IRIS),
    (ExtraTreeClassifier(random_state=0), IRIS),
    (RandomForestRegressor(n_estimators=4, random_state=0), DIABETES),
    (ExtraTreesRegressor(n_estimators=4, random_state=0), DIABETES),
    (
        RandomForestRegressor(
            n_estimators=2, criterion="absolute_error", max_depth=3, random_state=0
        ),
        DIABETES,
    ),
    (
        RandomForestRegressor(n_estimators=2, criterion="poisson", max_depth=3, random_state=0),
        DIABETES,
    ),
    (DecisionTreeRegressor(max_depth=4, random_state=0), DIABETES),
    (ExtraTreeRegressor(random_state=0), DIABETES),
]


@pytest.fixture(scope="module", params=MODELS, ids=lambda pair: str(pair[0])[:60])
def fitted(request):
    model, (X, y) = request.param
    return model.fit(X, y), X, y


def trees_of(forest):
    return [tree.tree_ for tree in getattr(forest, "estimators_", [forest])]


def path(tree, x):
    """The nodes that x passes in one of scikit-learn's trees."""
    row = np.asarray(x, dtype=np.float32).reshape(1, -1)
    return tree.decision_path(row).indices


def walked(forest, X, gain):
    """Equation 8 with any gain, one row, one tree, one node at a time."""
    values = np.zeros(np.shape(X))
    for row, x in enumerate(X):
        for tree in trees_of(forest):
            nodes = path(tree, x)
            for t, child in zip(nodes[:-1], nodes[1:], strict=True):
                values[row, tree.feature[t]] += gain(tree, t, child)
    return values / len(trees_of(forest))


# Global


def test_columns_are_the_unnormalised_importances_of_the_trees(fitted):
    forest, _, _ = fitted
    expected = [tree.compute_feature_importances(normalize=False) for tree in trees_of(forest)]
    np.testing.assert_allclose(mdi(forest).importances.T, expected, atol=1e-12)


def test_scikit_learns_importances_follow_from_two_normalisations(fitted):
    forest, _, _ = fitted
    columns = mdi(forest).importances
    shares = (columns / columns.sum(axis=0)).mean(axis=1)
    np.testing.assert_allclose(shares / shares.sum(), forest.feature_importances_, atol=1e-12)


def test_a_single_split_gains_the_decrease_of_impurity():
    X, y = make_gate("or", counts=(4, 1, 2, 3))
    tree = DecisionTreeClassifier(criterion="entropy", max_depth=1, random_state=0).fit(X, y)
    feature = X.columns[tree.tree_.feature[0]]
    found = dict(zip(mdi(tree).feature_names, mdi(tree).importances_mean, strict=True))
    assert found[feature] == pytest.approx(impurity_decrease(y, X[feature] == 0))


def test_a_forest_of_stumps_without_a_split_has_zero_importance():
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit([[0.0], [1.0]], [1, 1])
    np.testing.assert_array_equal(mdi(forest).importances, np.zeros((1, 3)))
    np.testing.assert_array_equal(local_mdi(forest, [[0.5]]).values, [[0]])


def test_weighted_samples_count_by_their_weight():
    """A sample of weight 2 is a sample given twice."""
    X, y = IRIS
    weight = np.where(np.arange(150) % 3 == 0, 2, 1)
    weighted = DecisionTreeClassifier(random_state=0).fit(X, y, sample_weight=weight)
    repeated = DecisionTreeClassifier(random_state=0).fit(
        X.repeat(weight, axis=0), y.repeat(weight)
    )
    found, expected = mdi(weighted).importances, mdi(repeated).importances
    np.testing.assert_allclose(found.sum(), expected.sum())
    local = local_mdi(weighted, X).values
    np.testing.assert_allclose(np.average(local, axis=0, weights=weight), found[:, 0], atol=1e-12)


# Local


def test_local_mdi_is_the_walk_of_equation_8(fitted):
    forest, X, _ = fitted
    expected = walked(forest, X[:25], lambda tree, t, c: tree.impurity[t] - tree.impurity[c])
    np.testing.assert_allclose(local_mdi(forest, X[:25]).values, expected, atol=1e-12)


def test_local_mdi_of_a_row_sums_to_root_less_leaf(fitted):
    forest, X, _ = fitted
    result = local_mdi(forest, X[:10])
    for row, x in enumerate(X[:10]):
        removed = [t.impurity[0] - t.impurity[path(t, x)[-1]] for t in trees_of(forest)]
        explained = result.base[row] + result.values[row].sum()
        assert explained == pytest.approx(np.mean(removed), abs=1e-9)


def test_mean_local_mdi_is_mdi_with_in_bag_weights(fitted):
    """Equation 9, tree by tree; without bootstrap all weights are 1."""
    forest, X, _ = fitted
    counts = in_bag_counts(forest, X)
    for t, tree in enumerate(getattr(forest, "estimators_", [forest])):
        mean = np.average(local_mdi(tree, X).values, axis=0, weights=counts[:, t])
        np.testing.assert_allclose(mean, mdi(forest).importances[:, t], atol=1e-9)


def test_mean_local_mdi_is_mdi_without_bootstrap_and_only_then():
    X, y = IRIS
    gaps = []
    for bootstrap in (False, True):
        forest = ExtraTreesClassifier(20, bootstrap=bootstrap, random_state=0).fit(X, y)
        gap = local_mdi(forest, X).mean().importances_mean - mdi(forest).importances_mean
        gaps.append(abs(gap).max())
    assert gaps[0] < 1e-12 < 1e-4 < gaps[1]


def test_thresholds_are_compared_in_single_precision():
    """0.1 + 1e-12 rounds to the same single as 0.1, so both rows go the same way."""
    X = np.array([[0.1], [0.1 + 2**-20], [0.3], [0.4]])
    tree = DecisionTreeClassifier(random_state=0).fit(X, [0, 1, 1, 1])
    near = local_mdi(tree, [[0.1], [0.1 + 1e-12]]).values
    assert near[0] == near[1]
    edge = float(tree.tree_.threshold[0])
    for x in (edge, edge - 1e-12, edge + 1e-12):
        expected = walked(tree, [[x]], lambda t, a, c: t.impurity[a] - t.impurity[c])
        np.testing.assert_array_equal(local_mdi(tree, [[x]]).values, expected)


@pytest.mark.parametrize("model", [RandomForestClassifier, RandomForestRegressor])
def test_missing_values_go_where_the_trees_send_them(model):
    X, y = IRIS
    X = X.copy()
    X[::7, 2] = np.nan
    forest = model(n_estimators=5, random_state=0).fit(X, y)
    expected = walked(forest, X[:30], lambda tree, t, c: tree.impurity[t] - tree.impurity[c])
    np.testing.assert_allclose(local_mdi(forest, X[:30]).values, expected, atol=1e-12)
    nullable = pd.DataFrame(X[:30]).astype("Float64").to_numpy(dtype=object, na_value=pd.NA)
    np.testing.assert_allclose(local_mdi(forest, nullable).values, expected, atol=1e-12)


def test_several_outputs_have_an_impurity_and_so_an_mdi():
    X, y = DIABETES
    forest = RandomForestRegressor(5, max_depth=3, random_state=0).fit(X, np.c_[y, X[:, 0]])
    expected = walked(forest, X[:9], lambda tree, t, c: tree.impurity[t] - tree.impurity[c])
    np.testing.assert_allclose(local_mdi(forest, X[:9]).values, expected, atol=1e-12)
    columns = [tree.compute_feature_importances(normalize=False) for tree in trees_of(forest)]
    np.testing.assert_allclose(mdi(forest).importances.T, columns, atol=1e-12)


@pytest.mark.parametrize("K", [1, 3, 7])
def test_local_mdi_of_multiway_trees_averages_to_their_mdi(K):
    X, y = make_led(200, random_state=0)
    forest = TotallyRandomizedTrees(n_estimators=20, K=K, random_state=0).fit(X, y)
    local = local_mdi(forest, X)
    np.testing.assert_allclose(local.values.mean(axis=0), mdi(forest).importances_mean, atol=1e-12)
    assert local.feature_names == tuple(X.columns)
    np.testing.assert_allclose(local.values.sum(axis=1), forest.nodes_.impurity[0])


def test_small_blocks_give_the_same(monkeypatch):
    X, y = IRIS
    forest = ExtraTreesClassifier(n_estimators=12, random_state=0).fit(X, y)
    expected, columns = local_mdi(forest, X).values, mdi(forest).importances
    monkeypatch.setattr(branches, "BLOCK", 100)
    np.testing.assert_allclose(local_mdi(forest, X).values, expected, atol=1e-14)
    np.testing.assert_allclose(mdi(forest).importances, columns, atol=1e-14)


# Saabas


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("model", [model for model, data in MODELS if data is IRIS])
def test_saabas_equals_treeinterpreter(model):
    """For classifiers; on regressors treeinterpreter fails with numpy 2."""
    from treeinterpreter import treeinterpreter

    X, y = IRIS
    forest = clone(model).fit(X, y)
    _, bias, contributions = treeinterpreter.predict(forest, X[:20])
    for k, label in enumerate(forest.classes_):
        found = saabas(forest, X[:20], output=label)
        np.testing.assert_allclose(found.values, contributions[:, :, k], atol=1e-12)
        np.testing.assert_allclose(found.base, bias[:, k])


def test_saabas_is_the_walk_over_the_changes_of_the_prediction(fitted):
    forest, X, _ = fitted
    last = trees_of(forest)[0].value.shape[2] - 1
    found = saabas(forest, X[:20], output=last if hasattr(forest, "classes_") else None)
    expected = walked(forest, X[:20], lambda t, a, c: t.value[c, 0, last] - t.value[a, 0, last])
    np.testing.assert_allclose(found.values, expected, atol=1e-9)


def test_saabas_adds_up_to_the_prediction(fitted):
    forest, X, _ = fitted
    result = saabas(forest, X)
    explained = result.base + result.values.sum(axis=1)
    expected = (
        forest.predict_proba(X).max(axis=1) if hasattr(forest, "classes_") else forest.predict(X)
    )
    np.testing.assert_allclose(explained, expected, rtol=1e-9)


def test_saabas_takes_the_second_of_two_classes_by_label_or_position():
    X, y = IRIS[0][:100], np.where(IRIS[1][:100] == 1, "yes", "no")
    forest = RandomForestClassifier(n_estimators=5, max_depth=1, random_state=0).fit(X, y)
    default, label, position = (saabas(forest, X, output=o) for o in (None, "yes", 1))
    np.testing.assert_array_equal(default.values, label.values)
    np.testing.assert_array_equal(default.values, position.values)
    explained = default.base + default.values.sum(axis=1)
    np.testing.assert_allclose(explained, forest.predict_proba(X)[:, 1])
    other = saabas(forest, X, output="no")
    np.testing.assert_allclose(other.values, -default.values, atol=1e-12)


def test_saabas_of_multiway_trees_adds_up_to_the_probability():
    X, y = make_led(100, random_state=0)
    forest = TotallyRandomizedTrees(n_estimators=10, random_state=0).fit(X, y)
    result = saabas(forest, X, output=3)
    explained = result.base + result.values.sum(axis=1)
    np.testing.assert_allclose(explained, forest.predict_proba(X)[:, 3], atol=1e-12)
    predicted = saabas(forest, X)
    explained = predicted.base + predicted.values.sum(axis=1)
    np.testing.assert_allclose(explained, forest.predict_proba(X).max(axis=1), atol=1e-12)


# Out of bag


def one_hot(forest, y):
    return (y[:, np.newaxis] == forest.classes_).astype(float)


def literal_mdi_oob(forest, X, Y):
    """Li et al.: mean over the out-of-bag rows of f_{T,k}(x_i) y_i, with Saabas' f, by tree."""
    out, columns = in_bag_counts(forest, X) == 0, []
    for t, tree in enumerate(forest.estimators_):
        rows = out[:, t]
        f = [saabas(tree, X[rows], output=k).values for k in range(Y.shape[1])]
        columns.append(sum((f[k] * Y[rows, k, np.newaxis]).mean(axis=0) for k in range(len(f))))
    return np.array(columns).T


def literal_ufi(forest, X, Y):
    """Zhou & Hooker: Gini's decrease with 1 - sum_k p_k p'_k for the impurity, node by node."""
    out, columns = in_bag_counts(forest, X) == 0, []
    for t, tree in enumerate(trees_of(forest)):
        rows = np.flatnonzero(out[:, t])
        inside = tree.decision_path(X[rows].astype(np.float32)).toarray().astype(bool)
        column = np.zeros(X.shape[1])
        weight = tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]

        def mixed(node, inside=inside, rows=rows, tree=tree):
            return 1 - tree.value[node, 0] @ Y[rows[inside[:, node]]].mean(axis=0)

        for node in np.flatnonzero(tree.children_left >= 0):
            kids = (tree.children_left[node], tree.children_right[node])
            if all(inside[:, kid].any() for kid in kids):
                kept = sum(weight[kid] * mixed(kid) for kid in kids)
                column[tree.feature[node]] += weight[node] * mixed(node) - kept
        columns.append(column)
    return np.array(columns).T


def test_mdi_oob_of_a_classifier_is_the_published_formula():
    X, y = IRIS
    forest = RandomForestClassifier(n_estimators=6, random_state=0).fit(X, y)
    expected = literal_mdi_oob(forest, X, one_hot(forest, y))
    np.testing.assert_allclose(unbiased_mdi(forest, X, y).importances, expected, atol=1e-12)


def test_mdi_oob_of_a_regressor_is_the_published_formula_for_a_centred_target():
    X, y = DIABETES
    forest = RandomForestRegressor(n_estimators=6, random_state=0).fit(X, y)
    found = unbiased_mdi(forest, X, y).importances
    out = in_bag_counts(forest, X) == 0
    for t, tree in enumerate(forest.estimators_):
        rows = out[:, t]
        f = saabas(tree, X[rows]).values
        centred = y[rows] - tree.tree_.value[0, 0, 0]
        np.testing.assert_allclose(found[:, t], (f * centred[:, np.newaxis]).mean(axis=0))


def test_ufi_is_the_published_formula():
    X, y = IRIS
    forest = RandomForestClassifier(n_estimators=6, random_state=0).fit(X, y)
    expected = literal_ufi(forest, X, one_hot(forest, y))
    found = unbiased_mdi(forest, X, y, method="ufi").importances
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("method", ["mdi-oob", "ufi"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_measured_on_the_bag_itself_both_are_mdi(criterion, method, monkeypatch):
    """Hand the in-bag samples to the formulas in place of the others."""
    X, y = IRIS
    model = RandomForestRegressor if criterion == "squared_error" else RandomForestClassifier
    forest = model(n_estimators=5, criterion=criterion, random_state=0).fit(X, y)
    totals = branches.node_totals

    def in_bag_totals(table, ends, counts, Y):
        return totals(table, ends, in_bag_counts(forest, X), Y)

    monkeypatch.setattr("course_lib.measures.forests.mdi.node_totals", in_bag_totals)
    found = unbiased_mdi(forest, X, y, method=method).importances
    np.testing.assert_allclose(found, mdi(forest).importances, atol=1e-12)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_noise_has_mean_zero_out_of_bag_and_a_bias_on_the_bag(criterion):
    """Over replications; within 4 standard errors of 0, while plain MDI is far above."""
    options = dict(n_estimators=10, criterion=criterion, min_samples_leaf=3)
    model, target = RandomForestClassifier, "class"
    if criterion == "squared_error":
        model, target = RandomForestRegressor, "number"
    found = {"mdi": [], "mdi-oob": [], "ufi": []}
    for seed in range(30):
        X, y = make_null(80, random_state=seed, target=target)
        forest = model(random_state=seed, **options).fit(X, y)
        found["mdi"].append(mdi(forest).importances_mean)
        for method in ("mdi-oob", "ufi"):
            found[method].append(unbiased_mdi(forest, X, y, method=method).importances_mean)
    for method, runs in found.items():
        error = stats.sem(runs, axis=0)
        score = np.mean(runs, axis=0) / error
        assert (abs(score) < 4).all() if method != "mdi" else (score > 5).all()
    bias = np.mean(found["mdi"], axis=0)
    assert bias[-1] > 2 * bias[0]  # continuous noise against a coin


def test_signal_keeps_its_importance_out_of_bag():
    rng = np.random.default_rng(0)
    X = rng.random((400, 3))
    y = (X[:, 0] > 0.5).astype(int)
    for criterion in ("gini", "entropy"):
        forest = RandomForestClassifier(30, criterion=criterion, random_state=0).fit(X, y)
        for method in ("mdi-oob", "ufi"):
            found = unbiased_mdi(forest, X, y, method=method).importances_mean
            np.testing.assert_allclose(found[0], mdi(forest).importances_mean[0], rtol=0.1)
            assert abs(found[1:]).max() < 0.1 * found[0]


def test_a_shift_of_the_target_changes_nothing():
    X, y = DIABETES
    for method in ("mdi-oob", "ufi"):
        found = [
            unbiased_mdi(
                RandomForestRegressor(5, max_depth=3, random_state=0).fit(X, y + shift),
                X,
                y + shift,
                method=method,
            ).importances
            for shift in (0, 4096)
        ]
        np.testing.assert_allclose(*found, rtol=1e-6, atol=1e-6)


def test_in_bag_counts_are_the_trees_own_weights():
    X, y = IRIS
    forest = RandomForestClassifier(6, max_samples=40, random_state=0).fit(X, y)
    counts = in_bag_counts(forest, X)
    np.testing.assert_array_equal(counts.sum(axis=0), 40)
    for t, tree in enumerate(trees_of(forest)):
        leaves = tree.apply(X.astype(np.float32))
        sums = np.bincount(leaves, counts[:, t], tree.node_count)
        np.testing.assert_array_equal(
            sums[np.unique(leaves)], tree.weighted_n_node_samples[np.unique(leaves)]
        )
    assert (in_bag_counts(DecisionTreeClassifier().fit(X, y), X) == 1).all()


# Manners


def test_frames_series_lists_and_labels_are_taken_as_they_come():
    X, y = load_iris(return_X_y=True, as_frame=True)
    labels = y.map({0: "setosa", 1: "versicolor", 2: "virginica"})
    forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, labels)
    before = X.copy()
    for result in (mdi(forest), local_mdi(forest, X), unbiased_mdi(forest, X, labels)):
        assert result.feature_names == tuple(X.columns)
    assert saabas(forest, X, output="virginica").feature_names == tuple(X.columns)
    pd.testing.assert_frame_equal(X, before)
    plain = RandomForestClassifier(n_estimators=5, random_state=0).fit(X.to_numpy(), labels)
    assert mdi(plain).feature_names == ("x0", "x1", "x2", "x3")
    assert local_mdi(plain, X).feature_names == tuple(X.columns)
    np.testing.assert_array_equal(
        local_mdi(plain, X.to_numpy().tolist()).values, local_mdi(forest, X).values
    )


def test_results_say_which_question_they_answer():
    X, y = IRIS
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    assert mdi(forest).question is unbiased_mdi(forest, X, y).question is Q4
    assert local_mdi(forest, X).question is saabas(forest, X).question is Q3
    assert mdi(forest).importances.shape == (4, 3)
    assert "Gini" in mdi(forest).measure


X4, Y4 = IRIS
FOREST = RandomForestClassifier(n_estimators=3, random_state=0).fit(X4, Y4)
NAMED = RandomForestClassifier(n_estimators=2).fit(pd.DataFrame(X4, columns=list("abcd")), Y4)
BALANCED = RandomForestClassifier(3, class_weight="balanced_subsample", random_state=0)
BY_CLASS = RandomForestClassifier(3, class_weight={0: 1, 1: 5, 2: 20}).fit(X4, Y4)
RISING = RandomForestRegressor(3, monotonic_cst=[1, 0, 0, 0]).fit(X4, Y4)
DOUBLE = RandomForestRegressor(n_estimators=2).fit(X4, np.c_[Y4, Y4])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: mdi(GradientBoostingClassifier(n_estimators=2).fit(X4, Y4)), "Boosted trees"),
        (lambda: mdi(BaggingClassifier(n_estimators=2).fit(X4, Y4)), "max_features=None"),
        (lambda: mdi(IsolationForest(n_estimators=2).fit(X4)), "forest must be"),
        (lambda: mdi(RandomTreesEmbedding(n_estimators=2).fit(X4)), "forest must be"),
        (lambda: mdi(LinearRegression().fit(X4, Y4)), "got LinearRegression"),
        (lambda: mdi(RandomForestClassifier), "the class RandomForestClassifier.*Make one"),
        (lambda: mdi(GridSearchCV(FOREST, {})), "has not been fitted"),
        (lambda: mdi(GridSearchCV(FOREST, {}, refit=False).fit(X4, Y4)), "refit=False"),
        (lambda: mdi(None), "forest must be"),
        (lambda: mdi(RandomForestClassifier()), "has not been fitted"),
        (lambda: local_mdi(TotallyRandomizedTrees(), X4), "has not been fitted"),
        (lambda: local_mdi(FOREST, X4[:, :3]), "3 features"),
        (lambda: local_mdi(FOREST, X4[0]), "two dimensions"),
        (lambda: local_mdi(FOREST, X4[:0]), "at least 1 row"),
        (lambda: local_mdi(FOREST, [["a"] * 4]), "must hold numbers"),
        (lambda: local_mdi(FOREST, [[1e300, 0, 0, 0]]), "single precision"),
        (lambda: local_mdi(FOREST, [[np.inf, 0, 0, 0]]), "infinite"),
        (lambda: local_mdi(NAMED, pd.DataFrame(X4, columns=list("dcba"))), "same order"),
        (lambda: saabas(FOREST, X4, output="rose"), "output must be one of 0, 1, 2"),
        (lambda: saabas(FOREST, X4, output=3), "output must be one of 0, 1, 2"),
        (lambda: saabas(DecisionTreeRegressor().fit(X4, Y4), X4, output=1), "for a regressor"),
        (lambda: saabas(DOUBLE, X4), "2 targets at once"),
        (lambda: unbiased_mdi(DOUBLE, X4, Y4), "2 targets at once"),
        (lambda: unbiased_mdi(FOREST, X4, Y4, method="oob"), "'mdi-oob' or 'ufi'"),
        (lambda: unbiased_mdi(FOREST, X4[:149], Y4[:149]), "not the sample"),
        (lambda: unbiased_mdi(FOREST, X4[::-1], Y4[::-1]), "not the sample"),
        (lambda: unbiased_mdi(FOREST, X4, Y4[::-1]), "another sample"),
        (lambda: unbiased_mdi(FOREST, X4 + 1, Y4), "not the sample"),
        (lambda: unbiased_mdi(FOREST, X4, Y4 + 1), "never seen"),
        (lambda: unbiased_mdi(FOREST, X4, Y4[:9]), "each row needs its target"),
        (
            lambda: unbiased_mdi(BALANCED.fit(X4[20:], Y4[20:]), X4[20:], Y4[20:]),
            "balanced_subsample",
        ),
        (lambda: unbiased_mdi(BY_CLASS, X4, Y4), "class_weight"),
        (lambda: unbiased_mdi(RISING, X4, Y4), "monotonic_cst"),
        (
            lambda: unbiased_mdi(RandomForestClassifier(3).fit(X4, Y4, 1.0 + Y4), X4, Y4),
            "sample_weight",
        ),
        (lambda: unbiased_mdi(ExtraTreesClassifier(2).fit(X4, Y4), X4, Y4), "bootstrap=True"),
        (lambda: unbiased_mdi(DecisionTreeClassifier().fit(X4, Y4), X4, Y4), "bootstrap=True"),
        (
            lambda: unbiased_mdi(RandomForestRegressor(2, criterion="poisson").fit(X4, Y4), X4, Y4),
            "knows the criteria",
        ),
        (
            lambda: unbiased_mdi(RandomForestClassifier(2).fit([[0]], [0]), [[0]], [0]),
            "No tree has an out-of-bag sample",
        ),
        (lambda: in_bag_counts(FOREST, X4[:5]), "not the sample"),
        (lambda: in_bag_counts(FOREST.estimators_[0], X4), "tree of a forest with bags"),
        (lambda: in_bag_counts(DecisionTreeClassifier().fit(X4, Y4, 1 + Y4), X4), "with weights"),
        (lambda: in_bag_counts(FOREST, np.vstack([X4, X4[:5]])), "of 155 rows, is not the sample"),
    ],
)
def test_bad_arguments_are_refused_with_a_sentence(call, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        call()


@pytest.mark.parametrize(
    "measure", [mdi, lambda f: local_mdi(f, X4), lambda f: unbiased_mdi(f, X4, 1e7 + X4[:, 0])]
)
def test_a_variance_that_is_lost_in_rounding_is_refused(measure):
    with pytest.raises(ValueError, match="y lies around 1e.07.*y less its mean"):
        measure(RandomForestRegressor(2, random_state=0).fit(X4, 1e7 + X4[:, 0]))


def test_bags_of_a_forest_at_the_end_of_a_pipeline_are_those_of_the_forest():
    X, y = IRIS
    forest = RandomForestClassifier(3, random_state=0)
    model = make_pipeline(StandardScaler(), forest).fit(X, y)
    np.testing.assert_array_equal(
        in_bag_counts(model, X), in_bag_counts(model[-1], model[:-1].transform(X))
    )
    with pytest.raises(TypeError, match="at the end of a pipeline, got LinearRegression"):
        in_bag_counts(make_pipeline(StandardScaler(), LinearRegression()).fit(X, y), X)
