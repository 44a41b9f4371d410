"""The claims of lesson 04: exact where it is exact, else over several seeds and settings."""

from contextlib import nullcontext
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from depth import at_most
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from course_lib.measures import (
    linear_gaussian,
    model_reliance,
    permutation_importance,
    prediction_game,
    sage,
    tree_game,
    tree_shap,
)
from course_lib.models import (
    RULES,
    arrival,
    axiomatic_shares,
    broken_axioms,
    null_players,
    sampled_shapley_values,
    shapley_values,
    worths,
)
from course_lib.models.rules import leave_one_out
from course_lib.studies import moves_and_use
from course_lib.worlds import GaussianSampler, LinearSCM, make_gate

SEEDS = range(at_most(6, 6, 10))
each_seed = pytest.mark.parametrize("seed", SEEDS[: at_most(3, 3, 12)])
BITS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
STOPS = np.array([4, 6, 9, 12, 14, 18, 23, 27, 34, 42])


def gloves(S):
    return 6.0 if 0 in S and len(S) >= 2 else 0.0


def taxi(S):
    return max((STOPS[i] for i in S), default=0)


# Gloves, orders, axioms


def test_ann_completes_the_pair_in_four_orders_of_six():
    """Varies: nothing, it is exact."""
    shares = np.array([arrival(gloves, 3, order) for order in permutations(range(3))])
    assert (shares == 6).sum(axis=0).tolist() == [4, 1, 1]
    np.testing.assert_allclose(shapley_values(gloves, 3), [4, 1, 1])


def test_the_lowest_and_the_highest_edge_lie_on_two_of_six_walks_the_middle_ones_on_one():
    """Varies: nothing, it is exact."""
    before = [frozenset(order[: order.index(0)]) for order in permutations(range(3))]
    assert [before.count(frozenset(S)) for S in ((), (1,), (2,), (1, 2))] == [2, 1, 1, 2]


def test_with_the_gloves_leave_one_out_happens_to_add_up():
    """Varies: nothing, it is exact."""
    assert leave_one_out(gloves, 3).tolist() == [6, 0, 0]
    assert broken_axioms(leave_one_out, gloves, 3) == {}


def test_one_afternoon_catches_each_rival_on_a_demand_of_its_own_and_not_shapley():
    """Varies: what the musicians earn alone and together."""
    own = {
        "leave-one-out": "efficiency",
        "order of arrival": "symmetry",
        "equal split": "null player",
        "proportional": "linearity",
    }
    for alone, together in ((3, 10), (2, 7), (1, 5.5)):
        v = lambda S, a=alone, t=together: {1: a, 2: t}.get(len(frozenset(S) - {2}), 0)  # noqa: E731
        broken = {rule: set(broken_axioms(share, v, 3)) for rule, share in RULES.items()}
        assert broken.pop("Shapley") == set()
        for rule, axiom in own.items():
            assert [other for other in broken if axiom in broken[other]] == [rule]
        np.testing.assert_allclose(RULES["proportional"](v, 3), shapley_values(v, 3))


def test_with_two_unequal_musicians_and_a_listener_proportional_shares_differ_from_shapleys():
    """With three who earn they may agree. Varies: what the musicians earn alone and together."""
    for ann, ben, together in ((3, 4, 10), (1, 5, 7), (2, 3, 4)):
        v = {0: 0, 1: ann, 2: ben, 3: together}
        game = worths(lambda S, v=v: v[sum(1 << i for i in S if i < 2)], 3)
        assert abs(RULES["proportional"](game, 3) - shapley_values(game, 3)).max() > 0.05
        v[3] = ann + ben  # the exception that the lesson names
        game = worths(lambda S, v=v: v[sum(1 << i for i in S if i < 2)], 3)
        np.testing.assert_allclose(RULES["proportional"](game, 3), shapley_values(game, 3))
    trio = np.array([0, 1, 2, 3, 3, 6, 9, 12])  # together 12, and alone 1, 2 and 3
    for rule in ("proportional", "Shapley"):
        np.testing.assert_allclose(RULES[rule](trio, 3), [2, 4, 6])


def test_leave_one_out_hands_out_14_of_10_and_a_bonus_shows_that_proportional_is_not_linear():
    """Varies: nothing, it is exact."""

    def duo(S):
        return {1: 3, 2: 10}.get(len(frozenset(S) - {2}), 0)

    assert leave_one_out(duo, 3).sum() == 14 and duo({0, 1, 2}) == 10
    present = worths(lambda S: float(0 in S), 3)
    together = RULES["proportional"](worths(duo, 3) + present, 3)[0]
    apart = RULES["proportional"](duo, 3)[0] + RULES["proportional"](present, 3)[0]
    assert (round(together, 2), apart) == (6.29, 6.0)


def test_the_gloves_without_the_second_pair_are_worth_one_to_ben():
    """The step of Young's proof: 6 for Ann and Ben, minus 6 for all three.

    Varies: nothing, it is exact.
    """
    step = np.array([0, 0, 0, 6, 0, 0, 0, 0.0])
    np.testing.assert_allclose(axiomatic_shares(step, 3), [1, 1, -2])
    np.testing.assert_allclose(axiomatic_shares(gloves, 3), [4, 1, 1])


@each_seed
def test_the_axioms_alone_give_the_shapley_values_of_a_random_game(seed):
    """Varies: worths."""
    v = np.array([0, *np.random.default_rng(seed).normal(size=15)])
    np.testing.assert_allclose(axiomatic_shares(v, 4), shapley_values(v, 4), atol=1e-12)


# Sampling


def test_the_shared_fare_has_a_closed_form():
    """Every stretch of the road is shared by those who drive it (Littlechild and Owen).

    Varies: nothing, it is exact.
    """
    stretches = np.diff(STOPS, prepend=0) / np.arange(10, 0, -1)
    np.testing.assert_allclose(shapley_values(taxi, 10), np.cumsum(stretches))


def test_about_95_percent_of_the_intervals_contain_the_exact_share():
    """Varies: orders drawn, their number; with 16 the passenger who seldom counts is missed."""
    assert np.all(covered(100) > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 300))
    assert covered(16)[0] < 0.9


def covered(n_orders):
    """How often, of 300 times, the interval of each passenger contains the exact share."""
    exact, v = shapley_values(taxi, 10), worths(taxi, 10)
    found = []
    for seed in range(300):
        drawn = sampled_shapley_values(v, 10, n_orders=n_orders, random_state=seed)
        half = 2 * drawn.std(axis=1, ddof=1) / np.sqrt(n_orders)
        found.append(abs(drawn.mean(axis=1) - exact) <= half)
    return np.mean(found, axis=0)


def test_four_times_the_orders_halve_the_error():
    """Varies: orders drawn, number of orders."""
    exact, v = shapley_values(taxi, 10), worths(taxi, 10)
    sigma = sampled_shapley_values(v, 10, n_orders=5000, random_state=0).std(axis=1)
    for n_orders in (10, 40, 160, 640):
        means = [
            sampled_shapley_values(v, 10, n_orders=n_orders, random_state=seed).mean(axis=1)
            for seed in range(60)
        ]
        error = np.mean((np.array(means) - exact) ** 2)
        assert error == pytest.approx(np.mean(sigma**2) / n_orders, rel=0.4)


# Prediction games


@each_seed
def test_a_switch_of_the_fair_lamp_gets_three_eighths_in_every_game(seed):
    """Varies: root of the tree, game."""
    X, lamp = make_gate("and")
    tree = DecisionTreeRegressor(max_features=1, random_state=seed).fit(X, lamp)
    games = [
        prediction_game(tree.predict, [1, 1], X, removal=removal)
        for removal in ("marginal", "conditional")
    ]
    for v in (*games, tree_game(tree, [1, 1])):
        np.testing.assert_allclose(shapley_values(v, 2), [0.375, 0.375])
        assert leave_one_out(v, 2).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "gini", "entropy"])
def test_on_the_ten_rows_a_tree_that_takes_the_best_split_asks_x2_first(criterion):
    """Varies: criterion, seed."""
    X, y = make_gate("and", counts=(4, 1, 2, 3))
    is_regression = criterion.endswith("error")
    kind = DecisionTreeRegressor if is_regression else DecisionTreeClassifier
    for seed in range(20):
        assert kind(criterion=criterion, random_state=seed).fit(X, y).tree_.feature[0] == 1


def test_one_tree_has_three_answers_and_a_second_tree_of_the_same_function_a_fourth():
    """Varies: seed, root of the tree, game."""
    X, y = make_gate("and", counts=(4, 1, 2, 3))
    path = {0: [0.4, 0.3], 1: [0.175, 0.525]}
    roots = set()
    for seed in range(12):
        tree = DecisionTreeRegressor(max_features=1, random_state=seed).fit(X, y)
        root = int(tree.tree_.feature[0])
        roots.add(root)
        np.testing.assert_array_equal(
            tree.predict(pd.DataFrame(BITS, columns=X.columns)), [0, 0, 0, 1]
        )
        np.testing.assert_allclose(shapley_values(tree_game(tree, [1, 1]), 2), path[root])
        for removal, shares in (("marginal", [0.3, 0.4]), ("conditional", [0.275, 0.425])):
            v = prediction_game(tree.predict, [1, 1], X, removal=removal)
            np.testing.assert_allclose(shapley_values(v, 2), shares)
            assert broken_axioms(shapley_values, v, 2) == {}
    assert roots == {0, 1}


def test_kernel_shap_plays_the_marginal_game_and_tree_shap_the_path_dependent_one_without_data():
    """Varies: program."""
    X, y = make_gate("and", counts=(4, 1, 2, 3))
    tree = DecisionTreeRegressor(random_state=0).fit(X.to_numpy(), y)
    row = X.tail(1).to_numpy()
    np.testing.assert_allclose(tree_shap(tree, row).values, [[0.175, 0.525]], atol=1e-6)
    with_data = tree_shap(tree, row, background=X.to_numpy())
    np.testing.assert_allclose(with_data.values, [[0.3, 0.4]], atol=1e-6)
    import shap

    kernel = shap.KernelExplainer(tree.predict, X.to_numpy())
    np.testing.assert_allclose(kernel.shap_values(row, silent=True), [[0.3, 0.4]], atol=1e-6)


def test_shap_asked_for_interventional_without_data_falls_back_to_path_dependent():
    """Varies: nothing, it is one call."""
    import shap

    X, y = make_gate("and", counts=(4, 1, 2, 3))
    tree = DecisionTreeRegressor(random_state=0).fit(X.to_numpy(), y)
    with pytest.warns(FutureWarning, match="will raise an error"):
        explainer = shap.TreeExplainer(tree, feature_perturbation="interventional")
    values = explainer.shap_values(X.tail(1).to_numpy())
    np.testing.assert_allclose(values, [[0.175, 0.525]], atol=1e-6)


@each_seed
def test_a_feature_that_is_not_read_gets_credit_from_the_conditional_measures_alone(seed):
    """Of the six of exercise 04.7.

    Varies: sample, correlation, forest (its trees, their depth), row, background.
    """
    import shap

    rng = np.random.default_rng(seed)
    x, w, other = rng.normal(size=(3, 150)).round()
    unread = np.where(rng.uniform(size=150) < rng.uniform(0.6, 0.9), x, other)
    X, y = np.column_stack([x, w, unread]), x + x * w + 0.3 * rng.normal(size=150)
    forest = RandomForestRegressor(8, max_depth=int(rng.integers(2, 6)), random_state=seed)
    forest.fit(X * [1, 1, 0], y)  # no branch asks for a constant
    rows, around = X[:5], X[: int(rng.integers(20, 50))]
    kernel = shap.KernelExplainer(forest.predict, around).shap_values(rows, silent=True)
    zero = (
        permutation_importance(forest, X, y, random_state=seed).importances[2],
        kernel[:, 2],
        tree_shap(forest, rows).values[:, 2],
        sage(forest, X, y, n_orders=16, random_state=seed).importances[2],
    )
    assert all(abs(values).max() < 1e-9 for values in zero)
    games = [prediction_game(forest.predict, row, X, removal="conditional") for row in rows]
    assert max(abs(shapley_values(v, 3)[2]) for v in games) > 0.05
    given = sage(forest, X, y, sampler=GaussianSampler(), n_orders=32, random_state=seed)
    assert abs(given.importances_mean[2]) > 0.05


@each_seed
def test_a_copy_that_the_tree_does_not_read_gets_half_in_the_conditional_game_only(seed):
    """Varies: seed, game, model."""
    twins = pd.DataFrame({"x": [0, 0, 1, 1], "copy": [0, 0, 1, 1]})
    y = [0, 0, 1, 1]
    tree = DecisionTreeRegressor(random_state=seed).fit(twins, y)
    read = int(tree.tree_.feature[0])
    own = np.where([read == 0, read == 1], 0.5, 0.0)
    marginal = prediction_game(tree.predict, [1, 1], twins)
    conditional = prediction_game(tree.predict, [1, 1], twins, removal="conditional")
    np.testing.assert_allclose(shapley_values(marginal, 2), own)
    np.testing.assert_allclose(shapley_values(tree_game(tree, [1, 1]), 2), own)
    np.testing.assert_allclose(shapley_values(conditional, 2), [0.25, 0.25])
    shuffled = permutation_importance(tree, twins, y, random_state=seed).importances
    assert np.all(shuffled[1 - read] == 0)
    both = LinearRegression().fit(twins, y)
    for removal in ("marginal", "conditional"):
        v = prediction_game(both.predict, [1, 1], twins, removal=removal)
        np.testing.assert_allclose(shapley_values(v, 2), [0.25, 0.25])
    strangers = pd.DataFrame({"x": [0, 0, 1, 1], "other": [0, 1, 0, 1]})  # no association
    for row in strangers.to_numpy():  # "can get credit": here what is not read gets none
        v = prediction_game(lambda X: np.asarray(X)[:, 0], row, strangers, removal="conditional")
        np.testing.assert_allclose(shapley_values(v, 2), [row[0] - 0.5, 0])


def test_in_xor_two_inputs_share_what_only_both_know():
    """Varies: nothing, it is exact."""
    v = prediction_game(lambda R: (R[:, 0] != R[:, 1]).astype(float), [1, 1], BITS)
    np.testing.assert_allclose(shapley_values(v, 2), [-0.25, -0.25])
    np.testing.assert_allclose(leave_one_out(v, 2), [-0.5, -0.5])
    assert v({0}) == v({1}) == v(()) == 0.5


def test_a_drug_that_is_used_may_get_exactly_zero():
    """Varies: nothing, it is exact."""

    def score(R):
        return 3 * R[:, 0] - 4 * R[:, 0] * R[:, 1]

    v = prediction_game(score, [1, 1], BITS)
    np.testing.assert_allclose(shapley_values(v, 2), [0, -1.5])
    assert null_players(v, 2) == []
    assert (v({0}) - v(()), v({0, 1}) - v({1})) == (0.5, -0.5)
    assert score(np.array([[0, 1]]))[0] - score(np.array([[1, 1]]))[0] == 1


@each_seed
def test_the_permutation_importance_of_a_feature_that_is_used_may_be_zero_by_rows_that_cancel(seed):
    """Varies: sample, correlation, coefficient of the feature."""
    rng = np.random.default_rng(seed)
    x2, noise = rng.normal(size=(2, 200))
    x1 = rng.uniform(0.3, 0.95) * x2 + noise
    y, centred = x1 + x2, x1 - x1.mean()
    b1, b2 = rng.uniform(0.2, 2), (centred @ y) / (centred @ x2)  # x1 is useless beside b2 x2
    f = OnTwo(b1, b2)
    X = np.column_stack([x1, x2])
    assert model_reliance(f, X, y, as_ratio=False).importances_mean[0] == pytest.approx(0, abs=1e-9)
    moved = (y - f.predict(np.column_stack([np.roll(x1, 1), x2]))) ** 2 - (y - f.predict(X)) ** 2
    assert (moved > 0.01).mean() > 0.2 < (moved < -0.01).mean()


class OnTwo:
    """The model b1 x1 + b2 x2."""

    def __init__(self, *b):
        self.b = np.array(b)

    def predict(self, X):
        return np.asarray(X) @ self.b


@each_seed
def test_a_large_forest_that_picks_copies_by_chance_gives_them_nearly_half_each(seed):
    """Varies: seed, game."""
    rng = np.random.default_rng(seed)
    x = rng.integers(2, size=40)
    twins = pd.DataFrame({"x": x, "copy": x})
    forest = RandomForestRegressor(300, max_features=1, random_state=seed).fit(twins, x)
    for background in (None, twins):
        first, second = tree_shap(forest, twins.head(4), background=background).values.T
        share = first / (first + second)
        assert np.all(abs(share - 0.5) < 4.5 * 0.5 / np.sqrt(300) + 1e-6)


@each_seed
def test_two_copies_in_a_forest_have_each_far_less_than_the_variable_alone(seed):
    """Varies: seed, max_features, sample (fitted or new rows)."""
    rng = np.random.default_rng(seed)
    x, noise = rng.normal(size=(2, 200))
    y = x + 0.3 * rng.normal(size=200)
    alone, both = np.column_stack([x, noise]), np.column_stack([x, x, noise])
    for max_features in (1, 2):
        options = {"n_estimators": 40, "max_features": max_features, "random_state": seed}
        for rows in (slice(100), slice(100, 200)):
            found = []
            for X in (alone, both):
                forest = RandomForestRegressor(**options).fit(X[:100], y[:100])
                result = permutation_importance(forest, X[rows], y[rows], random_state=seed)
                found.append(result.importances_mean)
            single, pair = found
            assert np.all(pair[:2] < 0.65 * single[0]) and np.all(pair[:2] > 0)


@each_seed
def test_of_two_copies_of_a_switch_a_tree_reads_one_and_of_a_measured_variable_mostly_both(seed):
    """Why 4.8 copies a switch: after one split on it nothing is left to ask.

    Varies: sample, its size, noise, seed of the tree, number of values of the variable.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 200))
    switch, measured = rng.integers(2, size=n), rng.normal(size=n)
    for x, reads in ((switch, 1), (measured, 2)):
        y = x + rng.uniform(0, 0.3) * rng.normal(size=n)
        asked = DecisionTreeRegressor(random_state=seed).fit(np.c_[x, x], y).tree_.feature
        assert len({*asked[asked >= 0]}) == reads


@each_seed
def test_of_all_least_squares_solutions_with_two_copies_scikit_learn_takes_the_smallest(seed):
    """Varies: sample, coefficient, how it is divided between the copies."""
    rng = np.random.default_rng(seed)
    x = rng.integers(2, size=30)
    y = rng.normal() * x + rng.normal(size=30)
    twins, alone = LinearRegression().fit(np.c_[x, x], y), LinearRegression().fit(x[:, None], y)
    first, second = twins.coef_
    assert first == pytest.approx(second) == pytest.approx(alone.coef_[0] / 2)
    b = first + rng.normal() * np.array([1, -1])  # predicts the same
    np.testing.assert_allclose(np.c_[x, x] @ b, np.c_[x, x] @ twins.coef_, atol=1e-9)
    assert b @ b > twins.coef_ @ twins.coef_


@each_seed
def test_a_linear_model_has_linear_contributions_in_the_marginal_game_and_not_the_conditional(seed):
    """Varies: coefficients, correlation (also none), size of the background, row."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(int(rng.integers(20, 80)), 3)).astype(float)
    X[:, 1] = np.where(rng.uniform(size=len(X)) < 0.8, X[:, 0], X[:, 1])
    b, x = rng.normal(size=3), X[int(rng.integers(len(X)))]
    marginal = prediction_game(lambda rows: rows @ b, x, X)
    np.testing.assert_allclose(shapley_values(marginal, 3), b * (x - X.mean(axis=0)), atol=1e-12)
    conditional = prediction_game(lambda rows: rows @ b, x, X, removal="conditional")
    assert abs(shapley_values(conditional, 3) - b * (x - X.mean(axis=0))).max() > 1e-3
    grid = np.array(list(product(range(3), repeat=3)), dtype=float)  # features not associated
    conditional = prediction_game(lambda rows: rows @ b, x, grid, removal="conditional")
    np.testing.assert_allclose(shapley_values(conditional, 3), b * (x - 1), atol=1e-12)


@each_seed
def test_without_interactions_the_marginal_shares_of_a_feature_depend_on_its_own_value_alone(seed):
    """Varies: background, rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 3))
    additive = lambda R: np.sin(R[:, 0]) + R[:, 1] ** 2 - abs(R[:, 2])  # noqa: E731
    crossed = lambda R: R[:, 0] * R[:, 1] + R[:, 2]  # noqa: E731
    rows = np.column_stack([np.full(4, X[0, 0]), rng.normal(size=(4, 2))])
    for f, spread in ((additive, False), (crossed, True)):
        own = [shapley_values(prediction_game(f, x, X), 3)[0] for x in rows]
        assert (np.ptp(own) > 1e-6) == spread


# SAGE


@pytest.fixture(scope="module")
def world():
    return LinearSCM(
        {"x1": {"x0": 0.45}, "y": {"x0": 1.0, "x1": -1.0}},
        noise={"x0": 2.0, "x1": np.sqrt(0.19), "y": 0.3},
    )


def test_a_useful_feature_has_a_negative_marginal_sage(world):
    """Varies: nothing, it is exact."""
    covariance = world.covariance()
    np.testing.assert_allclose(
        covariance.loc[["x0", "x1"], ["x0", "x1"]], [[4, 1.8], [1.8, 1]], atol=1e-12
    )
    b = world.least_squares("y", ["x0", "x1"])
    np.testing.assert_allclose(b, [1, -1])
    truth = linear_gaussian(world, "y", {"x0": 1.0, "x1": -1.0})
    marginal = truth.sage("marginal").importances_mean
    np.testing.assert_allclose(marginal, b * covariance.loc[["x0", "x1"], "y"])
    np.testing.assert_allclose(marginal, [2.2, -0.8])
    conditional = truth.sage("conditional").importances_mean
    np.testing.assert_allclose(conditional, [0.985, 0.415])
    assert marginal.sum() == pytest.approx(1.4) == pytest.approx(conditional.sum())
    left = covariance.loc["y", "y"] - covariance.loc["x0", "y"] ** 2 / 4
    assert left / 0.09 == pytest.approx(3.1, abs=0.05)  # the error without x1, as a multiple


@pytest.mark.parametrize("slope", [0.0, 0.2, 0.45, 0.6])
def test_conditional_sage_depends_on_the_model(slope):
    """Varies: association of the inputs, noise, model (best, constant, wrong signs, in between)."""
    for noise in (0.1, 0.3, 1.0):
        world = LinearSCM(
            {"x1": {"x0": slope}, "y": {"x0": 1.0, "x1": -1.0}},
            noise={"x0": 2.0, "x1": 0.7, "y": noise},
        )
        found = {
            scale: linear_gaussian(world, "y", {"x0": scale, "x1": -scale})
            .sage("conditional")
            .importances_mean
            for scale in (1.0, 0.5, 0.0, -1.0)
        }
        assert np.all(found[1.0] > 0) and np.all(found[-1.0] < 0)
        np.testing.assert_allclose(found[0.0], 0, atol=1e-12)
        assert np.all(found[0.5] < found[1.0] - 1e-6)


@each_seed
def test_with_the_best_predictor_conditional_sage_is_read_off_the_distribution(seed):
    """The Shapley values of the variance of y that features explain, without any model.

    Varies: association of the inputs, coefficients, noise.
    """
    rng = np.random.default_rng(seed)
    b = dict(zip(("x0", "x1"), rng.normal(size=2), strict=True))
    noise = dict(zip(("x0", "x1", "y"), rng.uniform(0.3, 2, size=3), strict=True))
    world = LinearSCM({"x1": {"x0": rng.normal()}, "y": b}, noise=noise)
    C = world.covariance()

    def explained(S):
        known = [f"x{j}" for j in sorted(S)]
        with_y = C.loc[known, "y"].to_numpy()
        return float(with_y @ np.linalg.solve(C.loc[known, known].to_numpy(), with_y))

    found = linear_gaussian(world, "y", b).sage("conditional").importances_mean
    np.testing.assert_allclose(found, shapley_values(explained, 2), atol=1e-9)


def test_in_the_lessons_world_the_three_models_have_these_conditional_values(world):
    """Varies: model."""
    expected = {1.0: [0.985, 0.415], 0.0: [0, 0], -1.0: [-2.955, -1.245]}
    for scale, values in expected.items():
        truth = linear_gaussian(world, "y", {"x0": scale, "x1": -scale})
        np.testing.assert_allclose(truth.sage("conditional").importances_mean, values, atol=1e-9)


@each_seed
def test_estimates_find_the_exact_values(world, seed):
    """At the fit marginal SAGE is b_j Cov(x_j, y) of the sample, up to orders and draws.

    Varies: sample, orders, removal.
    """
    rows = world.sample(4000, random_state=seed)
    X, y = rows[["x0", "x1"]], rows["y"]
    model = LinearRegression().fit(X, y)
    marginal = sage(model, X, y, random_state=seed)
    expected = model.coef_ * np.cov(X.T.to_numpy(), y, ddof=0)[:2, 2]
    error = marginal.importances.std(axis=1, ddof=1) / np.sqrt(marginal.importances.shape[1])
    assert np.all(abs(marginal.importances_mean - expected) < 5 * error)
    conditional = sage(model, X, y, sampler=GaussianSampler(), n_orders=64, random_state=seed)
    assert marginal.importances_mean[1] < 0 < conditional.importances_mean[1]
    error = conditional.importances.std(axis=1, ddof=1) / np.sqrt(64)
    sampling = np.array([0.05, 0.05])  # of the rows: sd of b Cov is about 0.05 at 4000
    assert np.all(abs(conditional.importances_mean - [0.985, 0.415]) < 5 * (error + sampling))


# The figure of "May I say this?"


@pytest.fixture(scope="module")
def patient():
    """Ten forests and the marginal game about the same patient, as tables of worths."""
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    games = []
    for seed in SEEDS:
        forest = RandomForestRegressor(30, max_depth=5, random_state=seed).fit(X, y)
        v = worths(prediction_game(forest.predict, X.iloc[9], X.iloc[100:160]), 10)
        games.append((forest, v))
    return X, games


def test_the_values_add_up_to_the_difference_and_agree_with_tree_shap(patient):
    """Varies: seed of the forest."""
    X, games = patient
    for forest, v in games:
        exact = shapley_values(v, 10)
        difference = forest.predict(X.iloc[[9]])[0] - forest.predict(X.iloc[100:160]).mean()
        assert exact.sum() == pytest.approx(difference)
        solved = tree_shap(forest, X.iloc[[9]], background=X.iloc[100:160])
        np.testing.assert_allclose(solved.values[0], exact, atol=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_with_this_background_tree_shap_is_exact_and_shap_itself_is_a_little_off(seed):
    """The marginal game by all coalitions, in the forest and with thresholds in single precision.

    Varies: seed of the forest, patient.
    """
    import shap

    X, y = load_diabetes(return_X_y=True)
    rows, around = X[160:260], X[100:160]
    forest = RandomForestRegressor(30, max_depth=5, random_state=seed).fit(X, y)
    ours = tree_shap(forest, rows, background=around)
    explainer = shap.TreeExplainer(forest, around)
    theirs = explainer.shap_values(rows, check_additivity=False)
    sums, predicted = explainer.expected_value + theirs.sum(axis=1), forest.predict(rows)
    assert np.all(abs(sums - predicted) > 1e-3)
    np.testing.assert_allclose(ours.base + ours.values.sum(axis=1), predicted, atol=1e-4)
    stops = (abs(sums - predicted) > 0.01 + 0.01 * predicted).any()
    assert stops or seed > 0  # the lesson's forest has the seed 0
    with pytest.raises(Exception, match="Additivity check") if stops else nullcontext():
        explainer.shap_values(rows)
    for i in (0, 30 + seed, 77):
        exact, rounded = (
            shapley_values(worths(prediction_game(f, x, around), 10), 10)
            for f, x in ((forest.predict, rows[i]), (rounded_thresholds(forest), single(rows[i])))
        )
        np.testing.assert_allclose(ours.values[i], exact, atol=1e-4)
        np.testing.assert_allclose(theirs[i], rounded, atol=1e-4)
    path = shap.TreeExplainer(forest)  # without a background it is right
    np.testing.assert_allclose(path.shap_values(rows), tree_shap(forest, rows).values, atol=1e-6)


def single(values):
    return values.astype(np.float32).astype(float)


def rounded_thresholds(forest):
    """The forest's prediction with thresholds rounded to the nearest single-precision number."""

    def predict(tree, rows):
        node, thresholds = np.zeros(len(rows), dtype=int), single(tree.threshold)
        for _ in range(tree.max_depth):
            left = rows[np.arange(len(rows)), tree.feature[node]] <= thresholds[node]
            child = np.where(left, tree.children_left[node], tree.children_right[node])
            node = np.where(child >= 0, child, node)
        return tree.value[node, 0, 0]

    trees = [tree.tree_ for tree in forest.estimators_]
    return lambda rows: np.mean([predict(tree, np.asarray(rows)) for tree in trees], axis=0)


def test_s5_leads_bp_and_s6_are_negative_and_s4_is_used_though_near_zero(patient):
    """Varies: seed of the forest, patient from whom another s4 is taken."""
    X, games = patient
    for forest, v in games:
        exact = dict(zip(X.columns, shapley_values(v, 10), strict=True))
        assert max(exact, key=exact.get) == "s5" and exact["bp"] < 0 > exact["s6"]
        gains = sampled_shapley_values(v, 10, n_orders=200, random_state=0)[7]  # of s4
        assert abs(exact["s4"]) < 0.1 * exact["s5"]
        assert gains.min() < 0 < gains.max()
        others = X.iloc[[9] * len(X)].assign(s4=X["s4"].to_numpy())
        assert (abs(forest.predict(others) - v[-1]) > 0.1).any()  # not with every other s4


def test_leave_one_out_and_the_path_dependent_game_give_other_values(patient):
    """Varies: seed of the forest."""
    X, games = patient
    for forest, v in games:
        exact = shapley_values(v, 10)
        missed = leave_one_out(v, 10) - exact
        assert abs(missed).max() > 1 and abs(missed[2]) > 0.1  # the third is bmi
        assert abs(tree_shap(forest, X.iloc[[9]]).values[0] - exact).max() > 1


def test_other_background_patients_move_the_exact_values(patient):
    """Varies: seed of the forest."""
    X, games = patient
    for forest, v in games:
        other = worths(prediction_game(forest.predict, X.iloc[9], X.iloc[200:260]), 10)
        assert abs(shapley_values(other, 10) - shapley_values(v, 10)).max() > 0.5


# The plots of shap


def test_a_forest_on_a_shuffled_target_still_moves_its_predictions_and_to_no_use():
    """Varies: seed of the forest, split, shuffle, number of trees."""
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    for seed, n_trees in ((0, 50), (1, 25), (2, 25), (3, 10)):
        moves, use = moves_and_use(X, y, random_state=seed, n_trees=n_trees).to_numpy()
        assert 0.5 * moves[0] < moves[1] < 0.9 * moves[0]
        assert use[1] < use[0] / 3


def test_the_waterfall_goes_from_170_to_202_by_s5_bp_and_bmi(patient):
    """Varies: nothing, it is the drawn one."""
    X, games = patient
    _, v = games[0]
    exact = pd.Series(shapley_values(v, 10), X.columns)
    assert (round(v[0]), round(v[-1])) == (170, 202)
    assert exact.abs().sort_values(ascending=False).index[:3].tolist() == ["s5", "bp", "bmi"]
    np.testing.assert_allclose(exact[["s5", "bp", "bmi"]], [29.5, -10.4, 10.0], atol=0.1)


def test_high_values_of_bmi_and_s5_go_with_high_shares_and_the_two_spread_widest(patient):
    """Varies: seed of the forest."""
    X, games = patient
    rows = X.iloc[160:260]
    for forest, _ in games[:4]:
        values = tree_shap(forest, rows, background=X.iloc[100:160]).values
        widest = np.argsort(abs(values).mean(axis=0))[-2:]
        assert {X.columns[j] for j in widest} == {"bmi", "s5"}
        for j in widest:
            assert np.corrcoef(rows.iloc[:, j], values[:, j])[0, 1] > 0.7
        low = values[(rows["bmi"] < 0).to_numpy(), 2]
        assert low.max() < 15 and np.ptp(low) > 5  # two patients with similar bmi may differ


def test_without_anything_to_learn_permutation_importance_is_chance_and_more_often_negative():
    """Shuffling one of several correlated columns draws this forest's predictions together, and
    against a target that they have nothing to do with, that lowers the loss. `shift` is what the
    sum over the features would be on average over such targets of the new rows.

    Varies: shuffle of the target, split, forest.
    """
    X, y = load_diabetes(return_X_y=True, scaled=False)
    found, shift = [], []
    for seed in range(24):
        rng = np.random.default_rng(seed)
        order, target = rng.permutation(len(X)), rng.permutation(y)
        fitted, new = order[:300], order[300:]
        forest = RandomForestRegressor(50, random_state=seed).fit(X[fitted], target[fitted])
        table = np.tile(X[new], (10, 1, 1))  # a copy for each feature, which is shuffled there
        for j in range(10):
            table[j, :, j] = rng.permutation(X[new, j])
        shuffled = forest.predict(table.reshape(-1, 10)).reshape(10, -1)
        before = forest.predict(X[new])
        for truth, sums in ((target[new], found), (y.mean(), shift)):
            sums.append(((truth - shuffled) ** 2 - (truth - before) ** 2).mean(axis=1).sum())
    found, shift = np.array(found), np.array(shift)
    assert np.mean(abs(found) > 200) > 0.5 and 0.02 < np.mean(abs(found) > 1000) < 0.4
    assert shift.mean() < -4 * shift.std() / np.sqrt(24) and np.mean(shift < 0) > 0.7
    assert found.min() < -200 and found.max() > 200
