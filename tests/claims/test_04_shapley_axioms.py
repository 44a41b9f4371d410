"""The claims of lesson 04, each over several seeds where chance is involved."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

from course_lib.measures import (
    linear_gaussian,
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
from course_lib.worlds import GaussianSampler, LinearSCM, make_gate

SEEDS = range(10)
each_seed = pytest.mark.parametrize("seed", SEEDS)
BITS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
STOPS = np.array([4, 6, 9, 12, 14, 18, 23, 27, 34, 42])


def gloves(S):
    return 6.0 if 0 in S and len(S) >= 2 else 0.0


def taxi(S):
    return max((STOPS[i] for i in S), default=0)


# Gloves, orders, axioms


def test_ann_completes_the_pair_in_four_orders_of_six():
    shares = np.array([arrival(gloves, 3, order) for order in permutations(range(3))])
    assert (shares == 6).sum(axis=0).tolist() == [4, 1, 1]
    np.testing.assert_allclose(shapley_values(gloves, 3), [4, 1, 1])


def test_the_lowest_and_the_highest_edge_lie_on_two_of_six_walks_the_middle_ones_on_one():
    before = [frozenset(order[: order.index(0)]) for order in permutations(range(3))]
    assert [before.count(frozenset(S)) for S in ((), (1,), (2,), (1, 2))] == [2, 1, 1, 2]


def test_with_the_gloves_leave_one_out_happens_to_add_up():
    assert leave_one_out(gloves, 3).tolist() == [6, 0, 0]
    assert broken_axioms(leave_one_out, gloves, 3) == {}


def test_one_afternoon_catches_each_rival_on_a_demand_of_its_own_and_not_shapley():
    def duo(S):
        return {1: 3, 2: 10}.get(len(frozenset(S) - {2}), 0)

    broken = {rule: set(broken_axioms(share, duo, 3)) for rule, share in RULES.items()}
    assert broken.pop("Shapley") == set()
    for rule, axioms in broken.items():
        others = set().union(*(broken[other] for other in broken if other != rule))
        assert axioms - others, rule
    assert leave_one_out(duo, 3).sum() == 14 and duo({0, 1, 2}) == 10
    np.testing.assert_allclose(RULES["proportional"](duo, 3), shapley_values(duo, 3))


def test_the_gloves_without_the_second_pair_are_worth_one_to_ben():
    """The step of Young's proof: 6 for Ann and Ben, minus 6 for all three."""
    step = np.array([0, 0, 0, 6, 0, 0, 0, 0.0])
    np.testing.assert_allclose(axiomatic_shares(step, 3), [1, 1, -2])
    np.testing.assert_allclose(axiomatic_shares(gloves, 3), [4, 1, 1])


@each_seed
def test_the_axioms_alone_give_the_shapley_values_of_a_random_game(seed):
    v = np.array([0, *np.random.default_rng(seed).normal(size=15)])
    np.testing.assert_allclose(axiomatic_shares(v, 4), shapley_values(v, 4), atol=1e-12)


# Sampling


def test_the_shared_fare_has_a_closed_form():
    """Every stretch of the road is shared by those who drive it (Littlechild and Owen)."""
    stretches = np.diff(STOPS, prepend=0) / np.arange(10, 0, -1)
    np.testing.assert_allclose(shapley_values(taxi, 10), np.cumsum(stretches))


def test_about_95_percent_of_the_intervals_contain_the_exact_share():
    exact, v = shapley_values(taxi, 10), worths(taxi, 10)
    covered = []
    for seed in range(300):
        drawn = sampled_shapley_values(v, 10, n_orders=100, random_state=seed)
        half = 2 * drawn.std(axis=1, ddof=1) / 10
        covered.append(abs(drawn.mean(axis=1) - exact) <= half)
    share = np.mean(covered, axis=0)
    assert np.all(share > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 300))


def test_four_times_the_orders_halve_the_error():
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
    X, lamp = make_gate("and")
    tree = DecisionTreeRegressor(max_features=1, random_state=seed).fit(X, lamp)
    games = [
        prediction_game(tree.predict, [1, 1], X, removal=removal)
        for removal in ("marginal", "conditional")
    ]
    for v in (*games, tree_game(tree, [1, 1])):
        np.testing.assert_allclose(shapley_values(v, 2), [0.375, 0.375])
        assert leave_one_out(v, 2).tolist() == [0.5, 0.5]


def test_one_function_four_games():
    X, y = make_gate("and", counts=(4, 1, 2, 3))
    path = {0: [0.4, 0.3], 1: [0.175, 0.525]}
    roots = set()
    for seed in range(12):
        tree = DecisionTreeRegressor(max_features=1, random_state=seed).fit(X, y)
        root = int(tree.tree_.feature[0])
        roots.add(root)
        np.testing.assert_array_equal(tree.predict(X), y)
        np.testing.assert_allclose(shapley_values(tree_game(tree, [1, 1]), 2), path[root])
        for removal, shares in (("marginal", [0.3, 0.4]), ("conditional", [0.275, 0.425])):
            v = prediction_game(tree.predict, [1, 1], X, removal=removal)
            np.testing.assert_allclose(shapley_values(v, 2), shares)
            assert broken_axioms(shapley_values, v, 2) == {}
    assert roots == {0, 1}


def test_kernel_shap_plays_the_marginal_game_and_tree_shap_the_path_dependent_one_without_data():
    X, y = make_gate("and", counts=(4, 1, 2, 3))
    tree = DecisionTreeRegressor(random_state=0).fit(X.to_numpy(), y)
    row = X.tail(1).to_numpy()
    np.testing.assert_allclose(tree_shap(tree, row).values, [[0.175, 0.525]], atol=1e-6)
    with_data = tree_shap(tree, row, background=X.to_numpy())
    np.testing.assert_allclose(with_data.values, [[0.3, 0.4]], atol=1e-6)
    import shap

    kernel = shap.KernelExplainer(tree.predict, X.to_numpy())
    np.testing.assert_allclose(kernel.shap_values(row, silent=True), [[0.3, 0.4]], atol=1e-6)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_shap_asked_for_interventional_without_data_falls_back_to_path_dependent():
    import shap

    X, y = make_gate("and", counts=(4, 1, 2, 3))
    tree = DecisionTreeRegressor(random_state=0).fit(X.to_numpy(), y)
    explainer = shap.TreeExplainer(tree, feature_perturbation="interventional")
    values = explainer.shap_values(X.tail(1).to_numpy())
    np.testing.assert_allclose(values, [[0.175, 0.525]], atol=1e-6)


@each_seed
def test_a_copy_that_the_tree_does_not_read_gets_half_in_the_conditional_game_only(seed):
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


def test_in_xor_two_inputs_share_what_only_both_know():
    v = prediction_game(lambda R: (R[:, 0] != R[:, 1]).astype(float), [1, 1], BITS)
    np.testing.assert_allclose(shapley_values(v, 2), [-0.25, -0.25])
    np.testing.assert_allclose(leave_one_out(v, 2), [-0.5, -0.5])
    assert v({0}) == v({1}) == v(()) == 0.5


def test_a_drug_that_is_used_may_get_exactly_zero():
    def score(R):
        return 3 * R[:, 0] - 4 * R[:, 0] * R[:, 1]

    v = prediction_game(score, [1, 1], BITS)
    np.testing.assert_allclose(shapley_values(v, 2), [0, -1.5])
    assert null_players(v, 2) == []
    assert (v({0}) - v(()), v({0, 1}) - v({1})) == (0.5, -0.5)
    assert score(np.array([[0, 1]]))[0] - score(np.array([[1, 1]]))[0] == 1


# SAGE


@pytest.fixture(scope="module")
def world():
    return LinearSCM(
        {"x1": {"x0": 0.45}, "y": {"x0": 1.0, "x1": -1.0}},
        noise={"x0": 2.0, "x1": np.sqrt(0.19), "y": 0.3},
    )


def test_a_useful_feature_has_a_negative_marginal_sage(world):
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


@each_seed
def test_estimates_find_the_exact_values(world, seed):
    """At the fit marginal SAGE is b_j Cov(x_j, y) of the sample, up to orders and draws."""
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
    X, games = patient
    for forest, v in games:
        exact = shapley_values(v, 10)
        difference = forest.predict(X.iloc[[9]])[0] - forest.predict(X.iloc[100:160]).mean()
        assert exact.sum() == pytest.approx(difference)
        solved = tree_shap(forest, X.iloc[[9]], background=X.iloc[100:160])
        np.testing.assert_allclose(solved.values[0], exact, atol=1e-4)


def test_s5_leads_bp_and_s6_are_negative_and_s4_is_used_though_near_zero(patient):
    X, games = patient
    for _, v in games:
        exact = dict(zip(X.columns, shapley_values(v, 10), strict=True))
        assert max(exact, key=exact.get) == "s5" and exact["bp"] < 0 > exact["s6"]
        gains = sampled_shapley_values(v, 10, n_orders=200, random_state=0)[7]  # of s4
        assert abs(exact["s4"]) < 0.1 * exact["s5"]
        assert gains.min() < 0 < gains.max()


def test_leave_one_out_and_the_path_dependent_game_give_other_values(patient):
    X, games = patient
    for forest, v in games:
        exact = shapley_values(v, 10)
        missed = leave_one_out(v, 10) - exact
        assert abs(missed).max() > 1 and abs(missed[2]) > 0.1  # the third is bmi
        assert abs(tree_shap(forest, X.iloc[[9]]).values[0] - exact).max() > 1


def test_other_background_patients_move_the_exact_values(patient):
    X, games = patient
    for forest, v in games:
        other = worths(prediction_game(forest.predict, X.iloc[9], X.iloc[200:260]), 10)
        assert abs(shapley_values(other, 10) - shapley_values(v, 10)).max() > 0.5
