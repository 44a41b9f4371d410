"""The claims of lesson 08: closed forms exactly, estimates and draws over several seeds."""

import numpy as np
import pandas as pd
import pytest
from depth import at_most
from scipy.optimize import brentq
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.tree import DecisionTreeRegressor

from course_lib.lessons import lesson_08
from course_lib.measures import (
    associative_importance,
    direct_importance,
    linear_gaussian,
    permutation_importance,
)
from course_lib.models import OnColumns, shapley_values
from course_lib.studies import classic_measures
from course_lib.studies.doors import parts_along, through_doors
from course_lib.worlds import GaussianSampler, LinearSCM, make_biomarker_world, make_census_world

SEEDS = range(6)
NAMES = ("biomarker", "cycling", "PSA")
READ = ["biomarker", "cycling"]
PROTECTED = ("age", "sex", "race")

each_seed = pytest.mark.parametrize("seed", SEEDS[: at_most(3, 3, 12)])


def value(result) -> float:
    return float(result.importances_mean[0])


def squared(y, prediction):
    return (y - prediction) ** 2


def absolute(y, prediction):
    return np.abs(y - prediction)


@pytest.fixture(scope="module")
def world():
    return make_biomarker_world()


@pytest.fixture(scope="module")
def exact(world):
    return linear_gaussian(world, "label", dict(world.least_squares("label", READ)))


@pytest.fixture(scope="module")
def census():
    return make_census_world()


def blind_without(census, *dropped):
    """Least squares of income on everything but age, sex, race and the columns dropped."""
    out = (*PROTECTED, "income", *dropped)
    read = [v for v in census.variables if v not in out]
    return linear_gaussian(census, "income", dict(census.least_squares("income", read)))


@pytest.fixture(scope="module")
def blind(census):
    return blind_without(census)


def drawn_world(rng):
    """A linear world of x0, x1, x2 and y with coefficients of both signs, and a model of x1, x2."""
    a = rng.uniform(-1, 1, size=5)
    equations = {"x1": {"x0": a[0]}, "x2": {"x0": a[1], "x1": a[2]}, "y": {"x0": a[3], "x2": a[4]}}
    noise = dict(zip(("x0", "x1", "x2", "y"), rng.uniform(0.5, 1.5, size=4), strict=True))
    scm = LinearSCM(equations, noise)
    b = dict(zip(("x1", "x2"), rng.uniform(-1, 1, size=2), strict=True))
    return scm, linear_gaussian(scm, "y", b)


# 8.1 to 8.4: direct and associative


def test_psa_has_permutation_importance_zero_and_yet_knowing_it_helps(world, exact):
    """Varies: nothing, it is a closed form of the named world."""
    assert dict(world.least_squares("label", READ)) == pytest.approx(
        {"biomarker": 1, "cycling": 0.5}
    )
    assert exact.permutation_importance().importances_mean == pytest.approx([0.5, 0.125, 0])
    gains = [value(exact.associative_importance(name)) for name in NAMES]
    assert gains == pytest.approx([0.5, 0.125, 0.125])


@each_seed
def test_what_is_not_read_has_direct_importance_zero_over_any_baseline_and_with_any_loss(
    world, seed
):
    """Varies: seed, loss, model class, baseline, plain or averaged."""
    patients = world.sample(150, random_state=seed)
    X, label = patients[list(NAMES)], patients["label"]
    for fitted in (LinearRegression(), DecisionTreeRegressor(min_samples_leaf=5)):
        model = OnColumns(fitted.fit(X[READ], label), READ)
        for B in ([], ["biomarker"], READ):
            for loss in (squared, absolute):
                for averaged in (False, True):
                    result = direct_importance(
                        model, X, label, "PSA", B=B, loss=loss, marginalize=averaged, n_repeats=2
                    )
                    assert np.abs(result.importances).max() < 1e-12


@each_seed
def test_psa_reaches_the_fitted_model_too(world, seed):
    """The law of the world draws the features. Varies: seed, model class, loss."""
    patients = world.sample(1500, random_state=seed)
    X, label = patients[list(NAMES)], patients["label"]
    order = list(NAMES)
    moments = world.mean()[order], world.covariance().loc[order, order]
    sampler = GaussianSampler.from_moments(*moments, order)
    for fitted in (LinearRegression(), DecisionTreeRegressor(min_samples_leaf=50)):
        model = OnColumns(fitted.fit(X[READ], label), READ)
        for loss in (squared, absolute):
            options = {"sampler": sampler, "loss": loss, "n_repeats": 10, "random_state": seed}
            assert associative_importance(model, X, label, "PSA", **options).interval()[0, 0] > 0


@each_seed
def test_direct_importance_given_the_rest_is_permutation_importance(seed):
    """Varies: seed, coefficients, correlation, size of the sample."""
    scm, exact = drawn_world(np.random.default_rng(seed))
    n = 2000 + 500 * seed
    table = scm.sample(n, random_state=seed)
    X, y = table[["x0", "x1", "x2"]], table["y"]
    line = OnColumns(LinearRegression().fit(X[["x1", "x2"]], y), ["x1", "x2"])
    line.model.coef_ = np.array([exact.coefficients["x1"], exact.coefficients["x2"]])
    found = permutation_importance(line, X, y, n_repeats=20, random_state=seed)
    truth = [value(exact.direct_importance(k, B=[j for j in X if j != k])) for k in X]
    scale = table.to_numpy().var() + 1
    assert found.importances_mean == pytest.approx(truth, abs=8 * scale / np.sqrt(n))


def test_plain_a_drawn_prediction_varies_equally_much_whatever_is_known(world, exact):
    """Only its parts change: within the draws and between patients. Varies: what is known."""
    sigma, read = world.covariance(), np.array([exact.coefficients[name] for name in READ])
    within = {(): 0.3125, ("biomarker",): 0.0625, ("cycling",): 0.25, ("PSA",): 0.28125}
    for known, expected in within.items():
        left = sigma.loc[READ, READ].to_numpy()
        if known:
            (j,) = known
            left = left - np.outer(sigma.loc[READ, j], sigma.loc[READ, j]) / sigma.loc[j, j]
            between = exact.prediction_slope(j) ** 2 * sigma.loc[j, j]
        else:
            between = 0.0
        assert read @ left @ read == pytest.approx(expected)
        assert read @ left @ read + between == pytest.approx(0.3125)
    prices = [exact.prediction_slope(j) ** 2 * sigma.loc[j, j] for j in ("cycling", "PSA")]
    assert prices == pytest.approx([0.0625, 0.03125])


@each_seed
def test_a_feature_that_is_read_can_have_direct_importance_zero(seed):
    """Pure noise, and a feature whose gain and harm cancel. Varies: seed, weights, correlation."""
    rng = np.random.default_rng(seed)
    weight, rho, b = rng.uniform(0.3, 0.9, size=3) * rng.choice([-1, 1], size=3)
    noisy = LinearSCM({"y": {"x": 1.0}}, {"x": 1.0, "noise": 1.0, "y": 1.0})
    reads = linear_gaussian(noisy, "y", {"x": 1.0, "noise": 3 * weight})
    assert value(reads.direct_importance("noise", B=["x"])) == pytest.approx(0, abs=1e-12)
    scm = LinearSCM(
        {"x2": {"x1": rho}, "y": {"x1": 1.0, "x2": b}},
        {"x1": 1.0, "x2": np.sqrt(1 - rho**2), "y": 1.0},
    )
    reads = linear_gaussian(scm, "y", {"x1": 1 + b / rho, "x2": b})
    assert value(reads.direct_importance("x2", B=["x1"])) == pytest.approx(0, abs=1e-12)


def test_averaged_the_unread_psa_is_worth_more_than_the_read_cycling(exact):
    """Varies: nothing, it is a closed form of the named world."""
    averaged = [value(exact.associative_importance(j, marginalize=True)) for j in NAMES]
    assert averaged == pytest.approx([0.25, 0.0625, 0.09375])
    by_hand = {"cycling": (0.5, 0.125, 0.25), "PSA": (0.25, 0.25, 0.5)}
    for name, (g, c, variance) in by_hand.items():  # predicts g times it; same covariance
        assert exact.prediction_slope(name) == pytest.approx(g)
        assert g * c == pytest.approx(0.0625)
        assert averaged[NAMES.index(name)] == pytest.approx(2 * g * c - g**2 * variance)


@each_seed
def test_independence_makes_plain_ai_zero_and_averaged_ai_zero_for_the_best_model_only(seed):
    """x0 -> x1 -> y: y is independent of x0 given x1. Varies: seed, coefficients, model."""
    rng = np.random.default_rng(seed)
    a, b, c0, c1 = rng.uniform(0.3, 1.5, size=4)
    scm = LinearSCM({"x1": {"x0": a}, "y": {"x1": b}}, {"x0": 1.0, "x1": 1.0, "y": 1.0})
    best = linear_gaussian(scm, "y", {"x1": b})
    other = linear_gaussian(scm, "y", {"x0": c0, "x1": c1})
    for model in (best, other):
        assert value(model.associative_importance("x0", "x1")) == pytest.approx(0, abs=1e-12)
    averaged = [value(m.associative_importance("x0", "x1", True)) for m in (best, other)]
    assert averaged[0] == pytest.approx(0, abs=1e-12)
    assert averaged[1] < -1e-3


def test_given_psa_cycling_has_plain_ai_zero_and_a_negative_averaged_one(exact):
    """Varies: nothing, it is a closed form of the named world."""
    assert value(exact.associative_importance("cycling", "PSA")) == pytest.approx(0, abs=1e-12)
    averaged = value(exact.associative_importance("cycling", "PSA", marginalize=True))
    assert averaged == pytest.approx(-0.03125)


# 8.5: four classics


def test_the_rows_of_table_1_and_the_sage_values_are_not_the_same(exact):
    """Varies: nothing, it is a closed form; SAGE values by a second computation of their own."""
    table = classic_measures(exact)
    assert table.to_numpy() == pytest.approx(
        np.array(
            [
                [0.5, 0.125, 0],
                [0.5, 0, 0],
                [0.25, 0.0625, 0],
                [0.25, 0.0625, 0.09375],
                [0.25, 0.0625, 0],
                [1 / 4, 1 / 64, 3 / 64],
            ]
        ),
        abs=1e-12,
    )
    worths = [
        value(
            exact.associative_importance([n for i, n in enumerate(NAMES) if m >> i & 1], (), True)
        )
        if m
        else 0.0
        for m in range(8)
    ]
    assert shapley_values(np.array(worths), 3) == pytest.approx([1 / 4, 1 / 64, 3 / 64])
    assert worths[0b110] - worths[0b010] == pytest.approx(0, abs=1e-12)  # PSA after cycling


def test_cycling_has_conditional_importance_zero_only_since_psa_is_among_the_rest(world, exact):
    """Varies: what is known besides."""
    assert exact.conditional_permutation_importance().importances_mean[1] == pytest.approx(0)
    sigma = world.covariance()
    assert sigma.loc["cycling", "biomarker"] == 0  # so a draw given the biomarker is a scramble
    given_the_biomarker = value(exact.direct_importance("cycling", B=["biomarker"]))
    assert given_the_biomarker == pytest.approx(0.125)


# 8.6: from


def test_all_of_cyclings_importance_comes_back_from_psa_and_from_cycling_itself(world, exact):
    """Varies: the source."""
    for source in ("PSA", "cycling"):
        assert value(exact.direct_importance_from("cycling", source)) == pytest.approx(0.125)
    covariance = world.covariance()
    scale = np.sqrt(covariance.loc["PSA", "PSA"] * covariance.loc["cycling", "cycling"])
    assert covariance.loc["PSA", "cycling"] / scale == pytest.approx(0.707, abs=0.001)


@each_seed
def test_the_rebuilt_cycling_is_a_poor_copy_with_a_correlation_of_one_half(world, seed):
    """Varies: seed."""
    table = world.sample(20_000, random_state=seed)
    rng = np.random.default_rng(seed)
    rebuilt = 0.5 * table["PSA"] + np.sqrt(0.125) * rng.normal(size=len(table))
    assert np.corrcoef(rebuilt, table["cycling"])[0, 1] == pytest.approx(0.5, abs=0.03)
    assert rebuilt.var() == pytest.approx(0.25, rel=0.05)


@each_seed
def test_a_mediator_and_a_common_cause_bring_back_all_and_can_have_one_distribution(seed):
    """x -> z -> y against x <- z -> y, with a covariate. Varies: seed, coefficients, noises."""
    rng = np.random.default_rng(seed)
    a, d, e = rng.uniform(0.3, 1.5, size=3) * rng.choice([-1, 1], size=3)
    sx, sz, so, sy = rng.uniform(0.5, 1.5, size=4)
    to_y = {"z": d, "other": e}
    chain = LinearSCM({"z": {"x": a}, "y": to_y}, {"other": so, "x": sx, "z": sz, "y": sy})
    var_z = a**2 * sx**2 + sz**2
    back = a * sx**2 / var_z
    fork = LinearSCM(
        {"x": {"z": back}, "y": to_y},
        {"other": so, "x": np.sqrt(sx**2 - back**2 * var_z), "z": np.sqrt(var_z), "y": sy},
    )
    names = ["other", "x", "z", "y"]
    np.testing.assert_allclose(
        chain.covariance().loc[names, names], fork.covariance().loc[names, names]
    )
    for scm in (chain, fork):
        exact = linear_gaussian(scm, "y", dict(scm.least_squares("y", ["other", "x"])))
        pfi = value(exact.direct_importance("x", B=["other", "z"]))
        assert value(exact.direct_importance_from("x", "z")) == pytest.approx(pfi)


# 8.7 and 8.8: via, and the census


def test_race_has_the_largest_averaged_ai_in_a_model_that_reads_none_of_the_three(blind):
    """Varies: nothing, it is a closed form of the named world."""
    split = {
        name: blind.decompose_associative(name, marginalize=True, how="shapley")
        for name in PROTECTED
    }
    totals = [split[name].total for name in PROTECTED]
    assert totals == pytest.approx([1.44, 1.418, 2.538], abs=0.001)
    assert all(one.additive for one in split.values())
    doors = {name: one.parts["importance"] for name, one in split.items()}
    assert doors["race"]["marital_status"] < doors["sex"]["relationship"]  # only one is wider
    occupation = split["race"].parts["importance"]["occupation"]
    assert occupation > max(totals[:2]) and occupation == pytest.approx(1.865, abs=0.001)


def test_every_door_leads_back_to_its_parent_in_the_graph(census, blind):
    """Plain, only by Shapley's split. Varies: the protected attribute, the version, the split."""
    for name in PROTECTED:
        for parts in (
            blind.decompose_associative(name, marginalize=True, how="shapley").parts,
            blind.decompose_associative(name, marginalize=True, how="fast").parts,
            blind.decompose_associative(name, marginalize=False, how="shapley").parts,
        ):
            doors = parts.index[parts["importance"] > 1e-9]
            assert {name} == {parent for door in doors for parent in census.parents(door)}


def test_doors_lead_back_to_a_parent_only_since_the_attributes_are_independent(census):
    """With an arrow from age to race, age comes in through occupation. Varies: the arrow."""
    for arrow in (0.0, -0.5, 0.5):
        equations = {name: dict(arrows) for name, arrows in census.equations.items()}
        noise = dict(census.noise)
        equations["race"], noise["race"] = {"age": arrow}, np.sqrt(1 - arrow**2)
        scm = LinearSCM(equations, noise)
        found = blind_without(scm).associative_importance_via("age", "occupation", (), True)
        assert (abs(value(found)) > 0.01) == (arrow != 0)


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_with_a_product_of_columns_age_comes_in_through_columns_independent_of_it(census, seed):
    """education * marital_status * occupation, by drawing, with code of its own. Varies: seed."""
    read, rng = ["education_num", "marital_status", "occupation"], np.random.default_rng(seed)
    law = census.covariance().loc[["age", *read], ["age", *read]].to_numpy()
    n, slopes = 100_000, law[1:, 0] / law[0, 0]
    age = rng.normal(size=n) * np.sqrt(law[0, 0])
    given = np.linalg.cholesky(law[1:, 1:] - np.outer(slopes, law[0, 1:]))
    alone = np.linalg.cholesky(law[1:, 1:])

    def slope_of_mean(K):
        """Of the prediction on age, if the doors K alone are redrawn given age."""
        known = slopes * age[:, np.newaxis] + rng.normal(size=(n, 3)) @ given.T
        unknown = rng.normal(size=(n, 3)) @ alone.T
        product = np.where([k in K for k in range(3)], known, unknown).prod(axis=1)
        return np.cov(product, age)[0, 1] / age.var()

    whole = slope_of_mean(range(3)) * law[0, 0]

    def worth(K):
        g = slope_of_mean(K)
        return 2 * g * whole - g**2 * law[0, 0]

    parts = shapley_values(worth, 3)
    assert law[0, 2] == law[0, 3] == 0
    assert parts == pytest.approx([0.0553, 0.0138, 0.0138], abs=0.007)


def test_plain_age_would_come_in_through_occupation_which_is_independent_of_it(census, blind):
    """Varies: plain or averaged."""
    assert census.covariance().loc["age", "occupation"] == 0
    found = [
        value(blind.associative_importance_via("age", "occupation", (), averaged))
        for averaged in (False, True)
    ]
    assert found == pytest.approx([0.819, 0], abs=0.001)


def test_without_occupation_race_comes_in_through_marital_status_twice_as_heavily(census, blind):
    """Varies: which door is shut."""
    gaps = {}
    for dropped in ((), ("occupation",), ("marital_status",), ("occupation", "marital_status")):
        model = blind_without(census, *dropped)
        importance = value(model.associative_importance("race", marginalize=True))
        gaps[dropped] = 2 * model.prediction_slope("race")
        assert (gaps[dropped] > 1e-9) == (importance > 1e-9)
        if dropped == ("occupation",):  # by chance close to the 1.865 of its widest door
            assert importance == pytest.approx(1.868, abs=0.001)
    assert gaps["occupation",] > gaps[()] / 2
    assert list(gaps.values()) == pytest.approx([2.9006, 1.536, 2.624, 0], abs=0.0001)
    one = blind_without(census, "occupation").coefficients["marital_status"]
    assert one == pytest.approx(2 * blind.coefficients["marital_status"], rel=0.001)
    both = blind_without(census, "occupation", "marital_status")
    errors = blind.mean_squared_error(), both.mean_squared_error()
    assert errors == pytest.approx((1.15, 4.15), abs=0.006)
    assert 2 * census.total_effect("race", "income") == pytest.approx(3.2)


@each_seed
def test_a_model_with_equal_mean_predictions_pays_at_least_24_of_the_30_whatever_it_reads(
    census, blind, seed
):
    """Also one that reads everything, race too. Varies: seed, columns, law of the groups."""
    least = (census.total_effect("race", "income")) ** 2 + census.noise["income"] ** 2
    assert least - blind.mean_squared_error() == pytest.approx(2.41, abs=0.005)
    rng = np.random.default_rng(seed)
    n = 20_000
    race = rng.choice([-1.0, 1.0], size=n) if seed % 2 else rng.normal(size=n)
    table = {"race": race}
    for name in (v for v in census.variables if v != "race"):
        causes = sum(a * table[parent] for parent, a in census.equations.get(name, {}).items())
        table[name] = causes + census.noise[name] * rng.normal(size=n)
    columns = [v for v in census.variables if v != "income" and rng.random() < 0.8]
    X = np.column_stack([np.ones(n), *(table[name] for name in columns)])
    X = X - np.outer(race, (race @ X) / (race @ race))  # nothing of race is left in any column
    y = table["income"]
    fair = X @ np.linalg.lstsq(X, y, rcond=None)[0]
    assert squared(y, fair).mean() > least - 5 * squared(y, fair).std() / np.sqrt(n)


@each_seed
def test_groups_coded_minus_one_and_one_have_the_importances_and_gaps_of_the_closed_forms(
    census, blind, seed
):
    """The closed forms are those of normal variables. Varies: seed, the attribute, the version."""
    rng = np.random.default_rng(seed)
    n = 40_000
    table = {name: rng.choice([-1.0, 1.0], size=n) for name in ("sex", "race")}
    for name in (v for v in census.variables if v not in table):
        parents = census.equations.get(name, {})
        causes = sum(a * table[parent] for parent, a in parents.items())
        table[name] = causes + census.noise[name] * rng.normal(size=n)
    prediction = sum(b * table[name] for name, b in blind.coefficients.items())
    for group in ("sex", "race"):
        is_one = table[group] == 1
        gap = prediction[is_one].mean() - prediction[~is_one].mean()
        assert gap == pytest.approx(2 * blind.prediction_slope(group), abs=0.12)
        given = np.where(is_one, prediction[is_one].mean(), prediction[~is_one].mean())
        averaged = squared(table["income"], 0).mean() - squared(table["income"], given).mean()
        truth = value(blind.associative_importance(group, marginalize=True))
        assert averaged == pytest.approx(truth, abs=0.25)
        own = np.empty(n)  # a draw of somebody from the same group
        for group_rows in (is_one, ~is_one):
            own[group_rows] = rng.permutation(prediction[group_rows])
        anybody = rng.permutation(prediction)
        plain = (squared(table["income"], anybody) - squared(table["income"], own)).mean()
        assert plain == pytest.approx(value(blind.associative_importance(group)), abs=0.5)


# 8.9: a zero is about the loss


def test_against_the_true_condition_psa_is_worth_nothing_and_still_moves_the_prediction(exact):
    """Varies: the target against which the same model is measured."""
    truth = LinearSCM(
        {"PSA": {"cycling": 1.0}, "condition": {"biomarker": 1.0}},
        dict.fromkeys(["biomarker", "cycling", "PSA", "condition"], 0.5),
    )
    same = linear_gaussian(truth, "condition", {"biomarker": 1.0, "cycling": 0.5})
    assert value(same.associative_importance("PSA")) == pytest.approx(0, abs=1e-12)
    assert value(same.associative_importance("PSA", (), True)) == pytest.approx(-0.03125)
    assert same.prediction_slope("PSA") == exact.prediction_slope("PSA") == pytest.approx(0.25)
    shut = linear_gaussian(truth, "condition", {"biomarker": 1.0})
    assert (same.mean_squared_error(), shut.mean_squared_error()) == pytest.approx((0.3125, 0.25))


@each_seed
def test_a_biased_test_has_ai_zero_and_a_gap_of_one_with_a_coin_or_a_normal_group(seed):
    """Varies: seed, the law of the group, closed form or draws."""
    scm = LinearSCM(
        {"test": {"group": 1.0, "ability": 1.0}, "outcome": {"ability": 1.0}},
        dict.fromkeys(["group", "ability", "test", "outcome"], 1.0) | {"test": 0.0},
    )
    exact = linear_gaussian(scm, "outcome", dict(scm.least_squares("outcome", ["test"])))
    assert exact.coefficients == pytest.approx({"test": 0.5})
    assert value(exact.associative_importance("group")) == pytest.approx(0, abs=1e-12)
    assert value(exact.associative_importance("group", (), True)) == pytest.approx(-0.25)
    rng = np.random.default_rng(seed)
    group, ability = rng.choice([-1.0, 1.0], size=20_000), rng.normal(size=20_000)
    outcome = ability + rng.normal(size=20_000)
    line = LinearRegression().fit((ability + group)[:, None], outcome)
    prediction = line.predict((ability + group)[:, None])
    means = pd.Series(prediction).groupby(group).mean()
    assert line.coef_[0] == pytest.approx(0.5, abs=0.03)
    assert means[1.0] - means[-1.0] == pytest.approx(1, abs=0.06)
    known = np.where(group == 1, means[1.0], means[-1.0])
    lost = squared(outcome, outcome.mean()).mean() - squared(outcome, known).mean()
    assert lost == pytest.approx(-0.25, abs=0.06)


@each_seed
def test_an_ai_that_is_not_zero_shows_that_predictions_depend_on_the_variable(seed):
    """A prediction that is independent of x0 has AI 0. Varies: seed, coefficients, version."""
    rng = np.random.default_rng(seed)
    a1, a2, to_y = rng.uniform(0.3, 1.5, size=3)
    scm = LinearSCM(
        {"x1": {"x0": a1}, "x2": {"x0": a2}, "y": {"x0": to_y}},
        dict.fromkeys(["x0", "x1", "x2", "y"], 1.0),
    )
    balanced = linear_gaussian(scm, "y", {"x1": 1.0, "x2": -a1 / a2})
    assert balanced.prediction_slope("x0") == pytest.approx(0, abs=1e-12)
    for averaged in (False, True):
        found = balanced.associative_importance("x0", (), averaged)
        assert value(found) == pytest.approx(0, abs=1e-12)


def test_averaged_ai_of_psa_is_zero_with_the_door_shut_and_with_the_weight_2_only():
    """Varies: both weights, over the whole range of the sliders."""
    for biomarker in (0.0, 1.0, 2.5):
        zeros = [c for c in range(26) if through_doors(biomarker, c / 10).leak == 0]
        assert zeros == [0, 20]
    assert through_doors(cycling=2.0).slopes["PSA"] == pytest.approx(1)
    assert through_doors().slopes["PSA"] == pytest.approx(0.25)


# 8.10 and 8.11: splits and noise


def test_fast_parts_double_orders_favour_the_first_and_shapley_shares(exact):
    """Varies: the split, the order."""

    def worth(sources):
        return value(exact.direct_importance_from("cycling", list(sources)))

    fast = exact.decompose_direct("cycling", how="fast")
    assert fast.parts["importance"].sum() == pytest.approx(0.25) and not fast.additive
    shapley = exact.decompose_direct("cycling", how="shapley")
    assert shapley.additive
    assert list(shapley.parts["importance"]) == pytest.approx([0, 0.0625, 0.0625])
    for first, second in (("cycling", "PSA"), ("PSA", "cycling")):
        parts = parts_along(worth, ["biomarker", first, second])
        assert parts.to_dict() == pytest.approx({"biomarker": 0, first: 0.125, second: 0})


@each_seed
def test_what_two_sources_have_only_together_goes_to_the_last_of_an_order(seed):
    """Feature s, sources x1 = s + e and e, without which x1 says less. Varies: seed, noises."""
    spread = np.random.default_rng(seed).uniform(0.5, 2, size=2)
    scm = LinearSCM(
        {"x1": {"s": 1.0, "e": 1.0}, "y": {"s": 1.0}},
        {"s": spread[0], "e": spread[1], "x1": 0.0, "y": 1.0},
    )
    reads = linear_gaussian(scm, "y", {"s": 1.0})

    def worth(sources):
        return value(reads.direct_importance_from("s", list(sources)))

    whole = 2 * spread[0] ** 2
    alone = whole * spread[0] ** 2 / (spread**2).sum()
    first, last = (parts_along(worth, list(order)) for order in (("e", "x1"), ("x1", "e")))
    assert first.to_dict() == pytest.approx({"e": 0, "x1": whole})
    assert last.to_dict() == pytest.approx({"x1": alone, "e": whole - alone})


@each_seed
def test_fast_misses_a_source_that_helps_only_in_company_and_shapley_does_not(seed):
    """z1 = k + z2 and a little noise. Varies: seed, noises."""
    small, large = np.random.default_rng(seed).uniform(0.05, 0.3, size=2)
    scm = LinearSCM(
        {"z1": {"k": 1.0, "z2": 1.0}, "y": {"k": 1.0}},
        {"k": 1.0, "z2": 1 + large, "z1": small, "y": 1.0},
    )
    reads = linear_gaussian(scm, "y", {"k": 1.0})
    fast, shapley = (
        reads.decompose_direct("k", how=how).parts["importance"] for how in ("fast", "shapley")
    )
    assert fast["z2"] == pytest.approx(0, abs=1e-12)
    assert min(fast["z1"], shapley["z2"]) > 0.05


@each_seed
def test_fast_gives_less_than_0_to_a_source_that_helps_only_in_company_and_misleads_alone(seed):
    """z1 = k + z2 and a little noise; y falls with z2, with which k rises.

    Varies: seed, noise, both effects of z2, by which it misleads more or less.
    """
    noise, with_k, against = np.random.default_rng(seed).uniform(0.1, 0.4, size=3)
    scm = LinearSCM(
        {
            "k": {"z2": with_k},
            "z1": {"k": 1.0, "z2": 1.0},
            "y": {"k": 1.0, "z2": -with_k - against},
        },
        {"z2": 1.0, "k": 1.0, "z1": noise, "y": 1.0},
    )
    reads = linear_gaussian(scm, "y", {"k": 1.0})
    fast = reads.decompose_direct("k", how="fast").parts["importance"]
    alone = -2 * with_k * against  # twice the slope of k on z2 times the covariance of y and z2
    assert fast["z2"] == pytest.approx(alone) and fast["z2"] < 0
    together, without = (
        value(reads.direct_importance_from("k", sources)) for sources in (["z1", "z2"], ["z1"])
    )
    assert together > max(without, 0)


@each_seed
def test_plain_splits_credit_noise_but_for_shapleys_and_the_averaged_version_does_not(seed):
    """Varies: seed, correlation, coefficients of the model, of both signs."""
    rng = np.random.default_rng(seed)
    rho, b1, b2 = rng.uniform(0.2, 0.9, size=3) * rng.choice([-1, 1], size=3)
    trap = LinearSCM(
        {"x2": {"x1": rho}, "y": {"x1": 1.0}},
        {"x1": 1.0, "x2": np.sqrt(1 - rho**2), "noise": 1.0, "y": 1.0},
    )
    both = linear_gaussian(trap, "y", {"x1": b1, "x2": b2})
    credit = 2 * b1 * b2 * rho
    for door in ("x1", "x2"):
        plain, averaged = (
            value(both.associative_importance_via("noise", door, (), how)) for how in (False, True)
        )
        assert plain == pytest.approx(credit) and averaged == pytest.approx(0, abs=1e-12)
    fast = both.decompose_associative("noise", how="fast").parts["importance"]
    assert list(fast[["x1", "x2"]]) == pytest.approx([-credit, -credit])
    shapley = both.decompose_associative("noise", how="shapley").parts["importance"]
    assert list(shapley) == pytest.approx([0] * len(shapley), abs=1e-12)
    assert value(both.associative_importance("noise")) == pytest.approx(0, abs=1e-12)
    along = parts_along(
        lambda doors: value(both.associative_importance_via("noise", doors)), ["x1", "x2"]
    )
    assert list(along) == pytest.approx([credit, -credit])


@each_seed
def test_the_trap_of_the_lesson_gives_noise_one_point_six_also_by_drawing(seed):
    """Varies: seed."""
    rng = np.random.default_rng(seed)
    n = 40_000
    x1 = rng.normal(size=n)
    x2 = 0.8 * x1 + 0.6 * rng.normal(size=n)
    y = x1 + x2 + rng.normal(size=n)
    rows, others = rng.permutation(n), rng.permutation(n)
    together = squared(y, x1[rows] + x2[rows])
    apart = squared(y, x1[others] + x2[rows])
    assert (together - apart).mean() == pytest.approx(1.6, abs=0.35)


@each_seed
def test_with_an_interaction_noise_gets_minus_064_alone_064_fast_and_zero_by_shapley(seed):
    """f = x1 x2 is the best model; doors opened by drawing. Varies: seed, split, version."""
    rng = np.random.default_rng(seed)
    n = 100_000

    def draw():
        x1 = rng.normal(size=n)
        return x1, 0.8 * x1 + 0.6 * rng.normal(size=n)

    x1, x2 = draw()
    y = x1 * x2 + rng.normal(size=n)
    (a1, a2), (b1, b2) = draw(), draw()  # as at the start, and anew for the open doors
    for averaged in (False, True):
        rows = [a1 * a2, b1 * a2, a1 * b2, b1 * b2]  # doors open: none, x1, x2, both
        losses = [squared(y, row.mean() if averaged else row).mean() for row in rows]
        worths = losses[0] - np.array(losses)
        if averaged:
            assert worths[1:3] == pytest.approx([-0.64, -0.64], abs=0.06)
            fast = worths[3] - worths[[2, 1]]  # what is lost when x1, or x2, alone is closed
            assert fast == pytest.approx([0.64, 0.64], abs=0.06)
        assert shapley_values(worths, 2) == pytest.approx([0, 0], abs=0.12)


def loss_with_doors_redrawn(p, f, y, redrawn, loss, averaged):
    """Mean loss of f on a row of the table p with some columns taken from a second row.

    With noise in mind: the second row is drawn like the first, apart from it and from the target.
    """
    rows = np.array(list(np.ndindex(p.shape)))
    chance = p.ravel()
    mixed = np.where(redrawn, rows[:, np.newaxis], rows)  # [second row, first row, column]
    predicted = f[tuple(np.moveaxis(mixed, -1, 0))]
    weights = np.outer(chance, chance)
    if averaged:
        predicted, weights = np.array([[(weights * predicted).sum()]]), np.ones((1, 1))
    return sum(q * (weights * loss(value, predicted)).sum() for value, q in y.items())


@each_seed
def test_shapleys_split_gives_noise_zero_at_every_door_whatever_the_model_and_the_loss(seed):
    """Averaged, if the noise is not read. Varies: seed, law, model, loss, version, doors."""
    rng = np.random.default_rng(seed)
    for doors in (2, 3):
        p = rng.dirichlet(np.ones(3**doors)).reshape([3] * doors)
        f, y = rng.normal(size=p.shape), {0.0: 0.3, 2.0: 0.7}
        for loss in (squared, absolute):
            for averaged in (False, True):
                losses = [
                    loss_with_doors_redrawn(
                        p, f, y, [bool(m >> k & 1) for k in range(doors)], loss, averaged
                    )
                    for m in range(2**doors)
                ]
                worths = losses[0] - np.array(losses)
                assert np.abs(worths).max() > 1e-4  # single doors are credited
                assert shapley_values(worths, doors) == pytest.approx([0] * doors, abs=1e-12)


@each_seed
def test_a_model_that_adds_the_noise_pays_for_it_in_the_averaged_version_and_not_in_the_plain(
    seed,
):
    """By Shapley's split too. Varies: seed, correlation, weights, loss, closed form or draws."""
    rng = np.random.default_rng(seed)
    rho, b1, b2, weight = rng.uniform(0.3, 0.9, size=4) * rng.choice([-1, 1], size=4)
    noises = {"x1": 1.0, "x2": np.sqrt(1 - rho**2), "noise": 1.0, "y": 1.0}
    scm = LinearSCM({"x2": {"x1": rho}, "y": {"x1": 1.0, "x2": 1.0}}, noises)
    reads = linear_gaussian(scm, "y", {"x1": b1, "x2": b2, "noise": weight})
    for averaged, paid in ((False, 0.0), (True, -(weight**2))):
        split = reads.decompose_associative("noise", marginalize=averaged, how="shapley")
        parts = split.parts["importance"]
        assert parts["noise"] == pytest.approx(paid, abs=1e-12)
        assert list(parts[["x1", "x2"]]) == pytest.approx([0, 0], abs=1e-12)
    rows = scm.sample(100_000, random_state=seed)
    y, known = rows["y"].to_numpy(), weight * rows["noise"].to_numpy()
    other = (b1 * rows["x1"] + b2 * rows["x2"]).to_numpy()[rng.permutation(len(rows))]
    for loss in (squared, absolute):
        alone = loss(y, 0 * y) - loss(y, known)
        assert alone.mean() < -5 * alone.std() / np.sqrt(len(rows))
        drawn = loss(y, other + rng.permutation(known)) - loss(y, other + known)
        assert abs(drawn.mean()) < 5 * drawn.std() / np.sqrt(len(rows))


# 8.12 to 8.14: figures 7 and 8, RFI, licences


def test_sage_values_by_door_are_thinner_than_the_importances_alone(blind):
    """Varies: the protected attribute."""
    for name in PROTECTED:
        sage = blind.decompose_sage(name, how="shapley")
        alone = blind.decompose_associative(name, marginalize=True, how="shapley")
        assert sage.additive
        assert (sage.parts["importance"] <= alone.parts["importance"] + 1e-9).all()
        assert ((sage.parts > 1e-9) == (alone.parts > 1e-9)).all(axis=None)
        assert sage.total < 0.5 * alone.total


def test_permutation_importance_rests_on_the_feature_its_parent_and_its_siblings(census, blind):
    """Varies: the feature."""
    for name, own in (("education_num", 1.565), ("workclass", 0.583), ("occupation", 2.119)):
        parts = blind.decompose_direct(name, how="shapley").parts["importance"]
        (parent,) = census.parents(name)
        siblings = {v for v in census.variables if census.parents(v) == (parent,)} - {"income"}
        found = set(parts.index[parts > 1e-9])
        assert found == {parent, *siblings}
        assert parts[name] == pytest.approx(own, abs=0.001)
    education = blind.decompose_direct("education_num", how="shapley").parts["importance"]
    assert education["education_num"] > 0.75 * education.sum()


def shapley_of(names, worth):
    """Shapley values of a worth of name sets, by name."""
    sets = [[n for i, n in enumerate(names) if m >> i & 1] for m in range(2 ** len(names))]
    return shapley_values(np.array([worth(one) for one in sets]), len(names))


@pytest.mark.parametrize("group", ["sex", "race"])
def test_two_groups_in_place_of_normal_scores_change_sage_and_sources_by_002_at_most(
    census, blind, group
):
    """By drawing, with posterior means of its own. Varies: the group, the measure, the feature."""
    rng, n, b = np.random.default_rng(0), 300_000, blind.coefficients
    children = [v for v in b if census.parents(v) == (group,)]
    to = {k: census.equations[k][group] for k in children}
    own = rng.choice([-1.0, 1.0], size=n)
    x = {k: to[k] * own + census.noise[k] * rng.normal(size=n) for k in children}
    income = census.equations["income"]
    y = income[group] * own + sum(income[k] * x[k] for k in children)

    def expected(k, known):
        if k in known:
            return x[k]
        odds = sum(to[j] * x[j] / census.noise[j] ** 2 for j in known if j != group)
        return to[k] * (own if group in known else np.tanh(odds))

    def sage_worth(known):
        f = sum(b[k] * expected(k, known) for k in children)
        return (2 * f * y - f**2).mean()

    names, changes = [group, *children], []
    changes.append(shapley_of(names, sage_worth)[0] - blind.decompose_sage(group, "shapley").total)
    for k in {"workclass", "occupation"} & set(children):
        left = y - sum(b[m] * x[m] for m in children if m != k)
        found = shapley_of(
            names, lambda s, k=k, left=left: 2 * b[k] * (left * expected(k, s)).mean()
        )
        changes.extend(found - blind.decompose_direct(k, how="shapley").parts["importance"][names])
    assert 0.01 < np.abs(changes).max() < 0.03


@each_seed
def test_more_can_come_back_than_was_lost(seed):
    """x = z + e, y = z - e: the model follows e into the wrong direction. Varies: seed, sizes."""
    e = np.random.default_rng(seed).uniform(0.3, 0.9)
    scm = LinearSCM(
        {"x": {"z": 1.0, "e": 1.0}, "y": {"z": 1.0, "e": -1.0}},
        {"z": 1.0, "e": e, "x": 0.0, "y": 1.0},
    )
    reads = linear_gaussian(scm, "y", {"x": 1.0})
    lost = value(reads.direct_importance("x", B=["z", "e"]))
    assert lost == pytest.approx(2 * (1 - e**2))
    assert value(reads.direct_importance_from("x", "z")) == pytest.approx(2) and lost < 2


@each_seed
def test_permutation_importance_is_di_from_plus_rfi(seed):
    """By drawing, with code of its own. Varies: seed, coefficients, loss."""
    rng = np.random.default_rng(seed)
    scm, exact = drawn_world(rng)
    table = scm.sample(60_000, random_state=seed)
    b, sigma = exact.coefficients, scm.covariance()
    slope = sigma.loc["x2", "x0"] / sigma.loc["x0", "x0"]
    spread = np.sqrt(sigma.loc["x2", "x2"] - slope * sigma.loc["x2", "x0"])
    fill = {
        "own": table["x2"],
        "given x0": slope * table["x0"] + spread * rng.normal(size=len(table)),
        "scrambled": rng.permutation(table["x2"]),
    }
    errors = {
        how: squared(table["y"], b["x1"] * table["x1"] + b["x2"] * x2).mean()
        for how, x2 in fill.items()
    }
    allowed = 12 * sigma.to_numpy().max() / np.sqrt(len(table))
    from_x0 = errors["scrambled"] - errors["given x0"]
    assert from_x0 == pytest.approx(value(exact.direct_importance_from("x2", "x0")), abs=allowed)
    pfi = value(exact.direct_importance("x2", B=["x0", "x1"]))
    assert errors["given x0"] - errors["own"] == pytest.approx(pfi - from_x0, abs=allowed)


class Table:
    """An exact world of three binary variables and a binary target: p[x0, x1, x2, y]."""

    def __init__(self, p):
        self.p = p / p.sum()
        self.rows = np.array(list(np.ndindex(2, 2, 2)))
        self.chance = self.p.sum(axis=3).ravel()
        self.best = (self.p[..., 1] / self.p.sum(axis=3)).ravel()

    def fits(self, known):
        """[row, other row]: the chance to draw the other row for whoever has the first."""
        same = (self.rows[:, np.newaxis, known] == self.rows[:, known]).all(axis=2) * self.chance
        return same / same.sum(axis=1, keepdims=True)

    def loss(self, predicted, weights, loss):
        """Mean loss of predictions [row, draw] with their weights."""
        by_class = [(1 - self.best, 0), (self.best, 1)]
        return sum(
            (self.chance * q) @ (weights * loss(value, predicted)).sum(axis=1)
            for q, value in by_class
        )

    def known(self, f, known, loss, averaged):
        weights = self.fits(list(known))
        if averaged:
            return self.loss(weights @ f[:, np.newaxis], np.ones((8, 1)), loss)
        return self.loss(np.tile(f, (8, 1)), weights, loss)

    def importance(self, f, J, C, loss, averaged=False):
        """AI(X_J | X_C)."""
        before, after = (self.known(f, known, loss, averaged) for known in (C, [*C, *J]))
        return before - after

    def permutation(self, f, j, loss):
        """PFI of column j: its value comes from another row."""
        mixed = np.repeat(self.rows[:, np.newaxis], 8, axis=1)
        mixed[..., j] = self.rows[:, j]
        scrambled = f.reshape(2, 2, 2)[tuple(np.moveaxis(mixed, -1, 0))]
        weights = np.tile(self.chance, (8, 1))
        return self.loss(scrambled, weights, loss) - self.known(f, [0, 1, 2], loss, False)


def log_loss(y, prediction):
    return -np.log(np.where(y, prediction, 1 - prediction))


LOSSES = (squared, absolute, log_loss)


@each_seed
def test_each_row_of_the_licences_is_zero_where_its_dependence_is_missing(seed):
    """Exact sums over tables. Varies: seed, joint law, model, loss, what is independent of what."""
    rng = np.random.default_rng(seed)
    f = rng.uniform(0.05, 0.95, size=8)  # any model
    own, rest = rng.dirichlet(np.ones(2)), rng.dirichlet(np.ones(8)).reshape(2, 2, 2)
    apart = Table(np.einsum("a,bcy->abcy", own, rest))  # X0 independent of all else
    inputs, chance = rng.dirichlet(np.ones(8)).reshape(2, 2, 2), rng.uniform(0.1, 0.9, size=(2, 2))
    given = Table(inputs[..., np.newaxis] * np.stack([1 - chance, chance], axis=-1))  # of Y | rest
    dependent = Table(rng.dirichlet(np.ones(16)).reshape(2, 2, 2, 2))
    for loss in LOSSES:
        assert apart.permutation(f, 0, loss) == pytest.approx(0, abs=1e-12)
        for plain in (given.importance(f, [0], [1, 2], loss), apart.importance(f, [0], [], loss)):
            assert plain == pytest.approx(0, abs=1e-12)
        assert abs(dependent.permutation(f, 0, loss)) > 1e-5
        assert abs(dependent.importance(f, [0], [1, 2], loss)) > 1e-7
    blind = np.repeat(rng.uniform(0.05, 0.95, size=(1, 2, 2)), 2, axis=0).ravel()  # of X1 and X2
    for loss in LOSSES:  # a prediction that is independent of X0 given X1 and X2
        assert dependent.importance(blind, [0], [1, 2], loss) == pytest.approx(0, abs=1e-12)
    for loss in (squared, log_loss):  # the best model, averaged, and LOCO
        assert given.importance(given.best, [0], [1, 2], loss, True) == pytest.approx(0, abs=1e-12)
        for C in ([], [1], [2], [1, 2]):
            assert apart.importance(apart.best, [0], C, loss, True) == pytest.approx(0, abs=1e-12)
        assert dependent.importance(dependent.best, [0], [1, 2], loss, True) > 1e-7
    assert abs(given.importance(f, [0], [1, 2], squared, True)) > 1e-7  # needs the best model


@each_seed
def test_nonzero_permutation_importance_does_not_show_dependence_on_the_target(seed):
    """y = x1, x2 a noisy negative of x1, f = x1 + x2. Varies: seed, coefficient."""
    a = np.random.default_rng(seed).uniform(0.3, 1.0)
    scm = LinearSCM({"s": {"x": 1.0, "y": a}}, {"x": 1.0, "y": 1.0, "s": 1.0})
    reads = linear_gaussian(scm, "y", {"x": 1.0, "s": 1.0})
    assert scm.covariance().loc["x", "y"] == 0  # independent, being jointly normal
    assert abs(reads.permutation_importance().importances_mean[0]) > 0.1


@each_seed
def test_an_independent_feature_has_permutation_and_conditional_importance_zero_not_marginal_sage(
    seed,
):
    """Varies: seed, the weight on the noise, the version."""
    weight = np.random.default_rng(seed).uniform(0.3, 1.5)
    scm = LinearSCM({"y": {"x": 1.0}}, {"x": 1.0, "noise": 1.0, "y": 1.0})
    reads = linear_gaussian(scm, "y", {"x": 1.0, "noise": weight})
    where = reads.feature_names.index("noise")
    for plain in (reads.permutation_importance(), reads.conditional_permutation_importance()):
        assert plain.importances_mean[where] == pytest.approx(0, abs=1e-12)
    assert reads.sage("marginal").importances_mean[where] == pytest.approx(-(weight**2))
    assert value(reads.associative_importance("noise")) == pytest.approx(0, abs=1e-12)


@each_seed
def test_loco_of_a_class_that_misses_the_best_model_can_be_nonzero_under_independence(seed):
    """y depends on x alone, and z is its square. Varies: seed, model class."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=4000)
    y = x**2 + 0.5 * rng.normal(size=4000)
    train, test = slice(2000), slice(2000, None)
    line, parabola = LinearRegression(), make_pipeline(PolynomialFeatures(2), LinearRegression())
    loco = []
    for model in (line, parabola):
        errors = [
            squared(y[test], model.fit(X[train], y[train]).predict(X[test])).mean()
            for X in (x[:, None], np.column_stack([x, x**2]))
        ]
        loco.append(errors[0] - errors[1])
    assert loco[0] > 1
    assert abs(loco[1]) < 0.01


@each_seed
def test_for_the_best_model_a_zero_of_the_last_three_rows_shows_an_equal_best_prediction(seed):
    """A random table, and one with Y independent of X0 given X1. Varies: seed, law, loss, set C."""
    rng = np.random.default_rng(seed)
    law = rng.dirichlet(np.ones(8)).reshape(2, 2, 2)
    chance = np.tile(rng.uniform(0.1, 0.9, size=(1, 2, 1)), (2, 1, 2))  # of Y, by X1 alone
    given = Table(law[..., np.newaxis] * np.stack([1 - chance, chance], axis=-1))
    dependent = Table(rng.dirichlet(np.ones(16)).reshape(2, 2, 2, 2))
    for loss in (squared, log_loss):
        for world in (given, dependent):
            gains = []
            for C in ([], [1], [2], [1, 2]):
                best = [world.fits(known) @ world.best for known in (C, [0, *C])]
                moved = world.chance @ squared(*best)
                gains.append(world.importance(world.best, [0], C, loss, averaged=True))
                assert (gains[-1] > 1e-9) == (moved > 1e-9)
                assert gains[-1] > -1e-12  # so a SAGE value, their mean, is 0 if all are
            loco = gains[3]  # both refitted and best
            assert (loco > 1e-9) == (world is dependent)


@pytest.mark.parametrize("q", [0.51, 0.52, 0.54])
def test_plain_ai_of_the_best_model_can_be_zero_or_negative_with_cross_entropy(q):
    """J is a coin; J = 1 splits into nearly sure cases. Varies: how often they are sure of Y."""

    def world(q):
        """X0 is J, X1 has the share q of ones where J = 1; X2 has to do with nothing."""
        share = np.array([[0.25, 0.25], [0.5 * (1 - q), 0.5 * q]])
        chance = np.array([[0.5, 0.5], [0.0001, 0.999]])
        p = np.stack([share * (1 - chance), share * chance], axis=-1)
        return Table(np.stack([p / 2, p / 2], axis=2))

    def plain(q):
        one = world(q)
        return one.importance(one.best, [0], [], log_loss)

    assert plain(q) < -1e-3
    assert world(q).importance(world(q).best, [0], [], log_loss, averaged=True) > 1e-5
    zero = brentq(plain, 0.55, 0.6)
    assert plain(zero) == pytest.approx(0, abs=1e-9)
    assert zero * 0.999 > 0.56  # the chance of Y where J = 1, against one half where J = 0


def test_marginal_sage_of_the_best_model_can_be_zero_for_a_variable_that_it_needs():
    """x1 is uncorrelated with y and corrects x2. Varies: the correlation, of both signs."""
    for rho in (-0.6, 0.3, 0.6):
        scm = LinearSCM({"x2": {"x1": rho, "y": 0.5}}, {"x1": 1.0, "y": 1.0, "x2": 0.5})
        best = linear_gaussian(scm, "y", dict(scm.least_squares("y", ["x1", "x2"])))
        where = best.feature_names.index("x1")
        assert best.sage("marginal").importances_mean[where] == pytest.approx(0, abs=1e-12)
        alone = linear_gaussian(scm, "y", dict(scm.least_squares("y", ["x2"])))
        assert alone.mean_squared_error() > best.mean_squared_error() + 0.01


@each_seed
def test_for_the_best_model_a_zero_is_an_equal_mean_and_with_cross_entropy_independence(seed):
    """A group that changes only the spread, a group that changes the chance. Varies: seed, loss."""
    rng = np.random.default_rng(seed)
    group = rng.choice([0, 1], size=200_000)
    spread = (1 + group) * rng.normal(size=len(group))  # depends on the group, its mean does not
    means = np.array([spread[group == g].mean() for g in (0, 1)])
    gain = spread.var() - squared(spread, means[group]).mean()
    assert gain == pytest.approx(0, abs=1e-3)
    for chance in (np.array([0.4, 0.4]), np.array([0.4, 0.4 + rng.uniform(0.1, 0.3)])):
        overall = chance.mean()
        entropies = [-p * np.log(p) - (1 - p) * np.log(1 - p) for p in (overall, chance)]
        gain = entropies[0] - np.mean(entropies[1])
        assert (gain > 1e-9) == (chance[0] != chance[1])


# The exercise


@each_seed
def test_the_exercises_by_hand_are_the_measures_of_the_library(seed):
    """Varies: seed, coefficients of both signs, noises."""
    scm, exact = drawn_world(np.random.default_rng(seed))
    covariance, names = scm.covariance(), ["x0", "x1", "x2"]
    S, c = covariance.loc[names, names].to_numpy(), covariance.loc[names, "y"].to_numpy()
    b = np.array([exact.coefficients.get(name, 0.0) for name in names])
    for averaged, by_hand in ((False, lesson_08.ASSOCIATIVE), (True, lesson_08.AVERAGED)):
        found = [value(exact.associative_importance(j, (), averaged)) for j in names]
        assert found == pytest.approx(by_hand.reference(S, c, b))
    found = [value(exact.direct_importance_from("x2", j)) for j in names]
    assert found == pytest.approx(lesson_08.DIRECT_FROM.reference(S, c, b, 2))
    found = [value(exact.associative_importance_via("x0", k, (), True)) for k in names]
    assert found == pytest.approx(lesson_08.VIA.reference(S, c, b, 0))
    scaled = S / np.sqrt(np.outer(np.diag(S), np.diag(S)))
    shut = [2 * sum(b[m] * scaled[m, 0] for m in range(3) if m != k) for k in range(3)]
    assert lesson_08.GAP.reference(scaled, b, 0) == pytest.approx(shut)
