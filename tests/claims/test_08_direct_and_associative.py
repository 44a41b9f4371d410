"""The claims of lesson 08: closed forms exactly, estimates over several seeds."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from course_lib.lessons import lesson_08
from course_lib.measures import associative_importance, direct_importance, linear_gaussian
from course_lib.models import OnColumns
from course_lib.worlds import GaussianSampler, LinearSCM, make_biomarker_world, make_census_world

SEEDS = range(10)
NAMES = ("biomarker", "cycling", "PSA")
PROTECTED = ("age", "sex", "race")


def value(result) -> float:
    return float(result.importances_mean[0])


@pytest.fixture(scope="module")
def world():
    return make_biomarker_world()


@pytest.fixture(scope="module")
def exact(world):
    return linear_gaussian(
        world, "label", dict(world.least_squares("label", ["biomarker", "cycling"]))
    )


@pytest.fixture(scope="module")
def blind():
    """Least squares of income on everything but age, sex and race."""
    census = make_census_world()
    read = [v for v in census.variables if v not in (*PROTECTED, "income")]
    return linear_gaussian(census, "income", dict(census.least_squares("income", read)))


def fitted_on(world, seed, n_samples=400):
    patients = world.sample(n_samples, random_state=seed)
    X, label = patients[list(NAMES)], patients["label"]
    read = ["biomarker", "cycling"]
    return OnColumns(LinearRegression().fit(X[read], label), read), X, label


def test_psa_has_permutation_importance_zero_and_yet_knowing_it_helps(exact):
    assert exact.permutation_importance().importances_mean == pytest.approx([0.5, 0.125, 0])
    gains = [value(exact.associative_importance(name)) for name in NAMES]
    assert gains == pytest.approx([0.5, 0.125, 0.125])


@pytest.mark.parametrize("seed", SEEDS)
def test_direct_importance_of_what_is_not_read_is_exactly_zero(world, seed):
    model, X, label = fitted_on(world, seed)
    for B in ([], ["biomarker"], ["biomarker", "cycling"]):
        result = direct_importance(model, X, label, "PSA", B=B, n_repeats=3, random_state=seed)
        assert not result.importances.any()


@pytest.mark.parametrize("seed", SEEDS)
def test_psa_reaches_the_fitted_model_too(world, exact, seed):
    """The law of the world draws the features, so only patients and draws are left to chance."""
    model, X, label = fitted_on(world, seed, n_samples=2000)
    order = list(NAMES)
    moments = world.mean()[order], world.covariance().loc[order, order]
    sampler = GaussianSampler.from_moments(*moments, order)
    result = associative_importance(
        model, X, label, "PSA", sampler=sampler, n_repeats=10, random_state=seed
    )
    assert 0.05 < value(result) < 0.2


def test_given_psa_cycling_tells_nothing(exact):
    assert value(exact.associative_importance("cycling", C=["PSA"])) == pytest.approx(0, abs=1e-12)


def test_only_associative_importance_from_nothing_sees_psa(exact):
    rest = ["biomarker", "cycling"]
    classics = [
        exact.direct_importance("PSA", B=rest),
        exact.associative_importance("PSA", C=rest),
        exact.direct_importance("PSA", marginalize=True),
        exact.associative_importance("PSA", marginalize=True),
    ]
    assert [value(result) for result in classics] == pytest.approx([0, 0, 0, 0.09375])


def test_all_of_cyclings_importance_comes_from_psa(exact):
    assert value(exact.direct_importance_from("cycling", "PSA")) == pytest.approx(0.125)


def test_fast_parts_add_up_to_twice_the_total_and_shapley_parts_to_the_total(exact):
    fast = exact.decompose_direct("cycling", how="fast")
    shapley = exact.decompose_direct("cycling", how="shapley")
    assert fast.parts["importance"].sum() == pytest.approx(0.25) and not fast.additive
    assert shapley.additive
    assert list(shapley.parts["importance"]) == pytest.approx([0, 0.0625, 0.0625])


def test_race_brings_most_into_a_model_that_reads_none_of_the_three(blind):
    totals = {
        name: blind.decompose_associative(name, marginalize=True, how="shapley").total
        for name in PROTECTED
    }
    assert max(totals, key=totals.get) == "race"
    assert min(totals.values()) > 1


def test_every_door_leads_back_to_the_parent_in_the_graph(blind):
    census = make_census_world()
    for name in PROTECTED:
        parts = blind.decompose_associative(name, marginalize=True, how="shapley").parts
        doors = parts.index[parts["importance"] > 1e-9]
        assert {name} == {parent for door in doors for parent in census.parents(door)}


def test_most_of_education_is_its_own(blind):
    parts = blind.decompose_direct("education_num", how="shapley").parts["importance"]
    assert parts["education_num"] > 0.7 * parts.sum() > 0 and parts["age"] > 0


def test_shutting_both_doors_of_sex_shuts_it_out_and_costs_accuracy(blind):
    census = make_census_world()
    out = (*PROTECTED, "income", "relationship", "workclass")
    read = [v for v in census.variables if v not in out]
    shut = linear_gaussian(census, "income", dict(census.least_squares("income", read)))
    assert value(shut.associative_importance("sex")) == pytest.approx(0, abs=1e-12)
    assert shut.mean_squared_error() > 2 * blind.mean_squared_error()


def test_taking_occupation_out_leaves_race_another_door(blind):
    census = make_census_world()
    read = [v for v in census.variables if v not in (*PROTECTED, "income", "occupation")]
    refitted = census.least_squares("income", read)
    less = linear_gaussian(census, "income", dict(refitted))
    assert value(less.associative_importance("race")) > 0.1
    before = census.least_squares("income", [*read, "occupation"])["marital_status"]
    assert refitted["marital_status"] > before  # the refitted model opens it wider


@pytest.mark.parametrize("seed", SEEDS)
def test_plain_via_credits_pure_noise_and_the_averaged_model_does_not(seed):
    rho, b1, b2 = np.random.default_rng(seed).uniform(0.2, 0.9, size=3)
    trap = LinearSCM(
        {"x2": {"x1": rho}, "y": {"x1": 1.0}},
        {"x1": 1.0, "x2": np.sqrt(1 - rho**2), "noise": 1.0, "y": 1.0},
    )
    both = linear_gaussian(trap, "y", {"x1": b1, "x2": b2})
    assert value(both.associative_importance_via("noise", "x1")) == pytest.approx(2 * b1 * b2 * rho)
    averaged = both.associative_importance_via("noise", "x1", marginalize=True)
    assert value(averaged) == pytest.approx(0, abs=1e-12)
    assert value(both.direct_importance_from("x1", [], B=())) == pytest.approx(2 * b1 * b2 * rho)
    assert value(both.direct_importance_from("x1", [])) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_exercises_by_hand_are_the_measures_of_the_library(seed):
    rng = np.random.default_rng(seed)
    slopes, noise = rng.uniform(-1, 1, size=3), rng.uniform(0.5, 1.5, size=4)
    equations = {"x1": {"x0": slopes[0]}, "x2": {"x1": slopes[1]}, "y": {"x0": 1, "x2": slopes[2]}}
    world = LinearSCM(equations, dict(zip(("x0", "x1", "x2", "y"), noise, strict=True)))
    covariance, names = world.covariance(), ["x0", "x1", "x2"]
    S, c = covariance.loc[names, names].to_numpy(), covariance.loc[names, "y"].to_numpy()
    b = np.array([0.0, *rng.uniform(-1, 1, size=2)])
    exact = linear_gaussian(world, "y", dict(zip(names[1:], b[1:], strict=True)))
    assert value(exact.associative_importance("x0")) == pytest.approx(
        lesson_08.ASSOCIATIVE.reference(S, c, b, 0)
    )
    assert value(exact.associative_importance("x0", marginalize=True)) == pytest.approx(
        lesson_08.MARGINALISED.reference(S, c, b, 0)
    )
    assert value(exact.direct_importance_from("x2", "x0")) == pytest.approx(
        lesson_08.DIRECT_FROM.reference(S, c, b, 2, 0)
    )
    assert value(exact.associative_importance_via("x0", "x2", marginalize=True)) == pytest.approx(
        lesson_08.VIA.reference(S, c, b, 0, 2)
    )
