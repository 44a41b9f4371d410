"""Linear structural causal models against matrix algebra, path sums and samples."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.tools.system import ROOT
from course_lib.worlds import GaussianSampler, LinearSCM, make_biomarker_world, make_census_world


def random_world(seed: int, n_variables: int = 5) -> LinearSCM:
    """A random acyclic graph whose variables are declared in an order of their own."""
    rng = np.random.default_rng(seed)
    names = [f"v{i}" for i in range(n_variables)]
    equations = {
        child: {parent: rng.normal() for parent in names[:i] if rng.random() < 0.6}
        for i, child in enumerate(names)
    }
    noise = {name: rng.uniform(0.2, 1.5) for name in rng.permutation(names)}
    return LinearSCM(equations, noise, intercepts={names[0]: 2.0, names[-1]: -1.0})


def arrows(world: LinearSCM) -> np.ndarray:
    """A[child, parent], in the order of the world's variables."""
    A = pd.DataFrame(0.0, index=world.variables, columns=world.variables)
    for child, causes in world.equations.items():
        for parent, a in causes.items():
            A.loc[child, parent] = a
    return A.to_numpy()


def sum_over_paths(world: LinearSCM, cause: str, effect: str) -> float:
    if cause == effect:
        return 1.0
    causes = world.equations.get(effect, {})
    return sum(a * sum_over_paths(world, cause, parent) for parent, a in causes.items())


seeds = st.integers(0, 2**32 - 1)


@settings(deadline=None, max_examples=25)
@given(seeds)
def test_moments_follow_from_the_inverse_of_the_equations(seed):
    world = random_world(seed)
    inverse = np.linalg.inv(np.eye(5) - arrows(world))
    own = [world.intercepts.get(name, 0.0) for name in world.variables]
    variances = np.square([world.noise[name] for name in world.variables])

    np.testing.assert_allclose(world.mean(), inverse @ own, atol=1e-10)
    np.testing.assert_allclose(
        world.covariance(), inverse @ np.diag(variances) @ inverse.T, atol=1e-10
    )


@settings(deadline=None, max_examples=25)
@given(seeds)
def test_total_effect_sums_the_products_along_all_directed_paths(seed):
    world = random_world(seed)
    for cause in world.variables:
        for effect in world.variables:
            expected = sum_over_paths(world, cause, effect)
            assert world.total_effect(cause, effect) == pytest.approx(expected, abs=1e-10)


@settings(deadline=None, max_examples=25)
@given(seeds)
def test_total_effect_is_what_doing_changes_in_the_mean(seed):
    world = random_world(seed)
    for cause in world.variables:
        change = world.do(**{cause: 3.0}).mean() - world.do(**{cause: 2.0}).mean()
        expected = [world.total_effect(cause, effect) for effect in world.variables]
        np.testing.assert_allclose(change, expected, atol=1e-10)


def test_a_sample_has_the_mean_and_covariance_of_the_world():
    world, n = random_world(3), 4000
    sample = world.sample(n, random_state=0)
    sigma = world.covariance()
    variances = np.diag(sigma)

    z_mean = (sample.mean() - world.mean()) / np.sqrt(variances / n)
    spread = np.sqrt((np.outer(variances, variances) + sigma**2) / n)
    z_covariance = (sample.cov() - sigma) / spread

    assert np.abs(z_mean).max() < 4.5
    assert np.abs(z_covariance.to_numpy()).max() < 4.5


def test_columns_come_in_the_order_of_noise_even_if_effects_come_first():
    world = LinearSCM({"y": {"x": 1.0}}, {"y": 1.0, "x": 1.0})
    assert list(world.sample(3, 0).columns) == ["y", "x"]
    assert list(world.covariance().columns) == list(world.mean().index) == ["y", "x"]


def test_a_variable_without_noise_is_determined_by_its_causes():
    world = LinearSCM({"twice": {"x": 2.0}}, {"x": 1.0, "twice": 0.0})
    sample = world.sample(20, random_state=1)
    np.testing.assert_allclose(sample["twice"], 2 * sample["x"])


def test_doing_cuts_the_arrows_into_the_variable_and_no_others():
    world = LinearSCM({"x": {"z": 1.0}, "y": {"x": 2.0, "z": 5.0}}, {"z": 1.0, "x": 1.0, "y": 1.0})
    done = world.do(x=3.0)

    assert done.covariance().loc["z", "x"] == 0 == done.covariance().loc["x", "x"]
    assert done.mean().to_dict() == {"z": 0.0, "x": 3.0, "y": 6.0}
    assert done.total_effect("z", "y") == 5.0
    assert done.parents("x") == () and done.parents("y") == ("x", "z")


def test_seeing_is_not_doing():
    """Confounder: x and y share a cause; y follows x in the data and ignores it when x is set."""
    world = LinearSCM({"x": {"z": 1.0}, "y": {"z": 1.0}}, {"z": 1.0, "x": 0.0, "y": 1.0})
    assert world.least_squares("y", ["x"])["x"] == pytest.approx(1.0)
    assert world.total_effect("x", "y") == 0.0


def test_doing_leaves_the_world_as_it_was():
    world = random_world(1)
    before = world.sample(5, random_state=0)
    world.do(v2=7.0)
    pd.testing.assert_frame_equal(world.sample(5, random_state=0), before)


@settings(deadline=None, max_examples=15)
@given(seeds)
def test_with_the_same_seed_row_i_is_the_same_individual_in_both_worlds(seed):
    """What a counterfactual is: its own noise, another cause; the rest moves by total effects."""
    world = random_world(seed)
    actual = world.sample(10, random_state=5)
    other = world.do(v2=1.5).sample(10, random_state=5)

    for name in world.variables:
        moved = world.total_effect("v2", name) * (1.5 - actual["v2"])
        np.testing.assert_allclose(other[name], actual[name] + moved, atol=1e-9)


def test_the_same_int_gives_the_same_sample_and_a_generator_moves_on():
    world = random_world(0)
    pd.testing.assert_frame_equal(world.sample(4, 3), world.sample(4, 3))
    rng = np.random.default_rng(3)
    first, second = world.sample(4, rng), world.sample(4, rng)
    pd.testing.assert_frame_equal(first, world.sample(4, 3))
    assert not first.equals(second)


def test_sampling_leaves_the_global_random_state_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    random_world(0).sample(10)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@settings(deadline=None, max_examples=25)
@given(seeds)
def test_least_squares_leaves_a_residual_that_the_features_do_not_predict(seed):
    world = random_world(seed)
    features = ["v0", "v2", "v3"]
    b = world.least_squares("v1", features)
    sigma = world.covariance()
    residual = sigma.loc[features, "v1"] - sigma.loc[features, features] @ b
    np.testing.assert_allclose(residual, 0, atol=1e-8)


def test_least_squares_shares_a_coefficient_between_duplicates():
    world = LinearSCM({"copy": {"x": 1.0}, "y": {"x": 1.0}}, {"x": 1.0, "copy": 0.0, "y": 1.0})
    np.testing.assert_allclose(world.least_squares("y", ["x", "copy"]), [0.5, 0.5])


def test_least_squares_on_a_cause_and_its_confounder_finds_the_effect():
    world = LinearSCM({"x": {"z": 1.0}, "y": {"x": -0.7, "z": 2.0}}, {"z": 1.0, "x": 1.0, "y": 1.0})
    assert world.least_squares("y", ["x", "z"])["x"] == pytest.approx(world.total_effect("x", "y"))
    assert world.least_squares("y", ["x"])["x"] == pytest.approx(0.3)


@settings(deadline=None, max_examples=10)
@given(seeds)
def test_conditionals_are_those_of_the_gaussian_sampler(seed):
    """An independent implementation: the sampler's coefficients and covariance root."""
    world = random_world(seed)
    sampler = GaussianSampler.from_moments(world.mean(), world.covariance())
    B, root = sampler._conditional((0, 3), (1, 4))
    names = world.variables

    coefficients, left = world.conditional([names[0], names[3]], [names[1], names[4]])

    np.testing.assert_allclose(coefficients, B, atol=1e-7)
    np.testing.assert_allclose(left, root @ root.T, atol=1e-7)


def test_given_nothing_the_conditional_is_the_covariance():
    world = random_world(2)
    coefficients, left = world.conditional("v1", [])
    assert coefficients.shape == (1, 0)
    assert left.loc["v1", "v1"] == pytest.approx(world.covariance().loc["v1", "v1"])


def test_biomarker_world_is_the_one_of_the_paper():
    world = make_biomarker_world()
    sigma = world.covariance()
    assert [sigma.loc[name, name] for name in world.variables] == [0.25, 0.25, 0.5, 0.625]
    assert sigma.loc["biomarker", "cycling"] == 0 == sigma.loc["biomarker", "PSA"]
    features = ["biomarker", "cycling", "PSA"]
    np.testing.assert_allclose(world.least_squares("label", features), [1, 0, 0.5], atol=1e-12)


def test_census_world_has_the_paths_of_the_paper():
    world = make_census_world()
    inputs = [name for name in world.variables if name != "income"]
    assert set(world.parents("income")) == set(inputs) - {"age"}
    effects = {
        "age": {"capital_gain", "education_num", "hours_per_week"},
        "sex": {"relationship", "workclass"},
        "race": {"marital_status", "occupation"},
    }
    for cause, doors in effects.items():
        assert {name for name in inputs if cause in world.parents(name)} == doors
    np.testing.assert_allclose(np.diag(world.covariance())[:-1], 1)


def test_the_dicts_handed_in_are_neither_changed_nor_followed():
    equations, noise = {"y": {"x": 1.0}}, {"x": 1, "y": 2}
    world = LinearSCM(equations, noise)
    equations["y"]["x"], noise["x"] = 9.0, 9
    assert world.total_effect("x", "y") == 1.0
    assert world.covariance().loc["x", "x"] == 1.0


def test_the_display_is_the_list_of_equations():
    world = LinearSCM({"y": {"x": 2.0}}, {"x": 1.0, "y": 0.0}).do(x=3)
    assert repr(world) == "LinearSCM:\n  x = 3\n  y = 2 x"


good = LinearSCM({"y": {"x": 1.0}}, {"x": 1.0, "y": 1.0})


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda: LinearSCM({"a": {"b": 1}, "b": {"a": 1}}, {"a": 1, "b": 1}), ValueError, "circle"),
        (lambda: LinearSCM({"a": {"a": 1}}, {"a": 1}), ValueError, "circle"),
        (lambda: LinearSCM({"y": {"x": 1}}, {"y": 1}), ValueError, "Unknown variable 'x'"),
        (lambda: LinearSCM({"y": {}}, {"x": 1}), ValueError, "Unknown variable 'y'"),
        (lambda: LinearSCM({}, {"x": 1}, intercepts={"z": 1}), ValueError, "Unknown variable 'z'"),
        (lambda: LinearSCM({}, {"x": -1}), ValueError, "at least 0"),
        (lambda: LinearSCM({}, {"x": "much"}), TypeError, "must be a number"),
        (lambda: LinearSCM({"y": {"x": np.nan}}, {"x": 1, "y": 1}), ValueError, "finite"),
        (lambda: LinearSCM({}, {}), ValueError, "no variable"),
        (lambda: LinearSCM([], {"x": 1}), TypeError, "must be a dict"),
        (lambda: LinearSCM({"y": ["x"]}, {"x": 1, "y": 1}), TypeError, "must be a dict"),
        (lambda: LinearSCM({}, {0: 1.0}), TypeError, "named by"),
        (lambda: good.sample(0), ValueError, "at least 1"),
        (lambda: good.sample(2.5), TypeError, "whole number"),
        (lambda: good.sample(3, random_state="a"), TypeError, "random_state"),
        (lambda: good.do(z=1), ValueError, "Unknown variable 'z'"),
        (lambda: good.do(x="high"), TypeError, "must be a number"),
        (lambda: good.total_effect("x", "z"), ValueError, "Unknown variable 'z'"),
        (lambda: good.total_effect(0, "y"), TypeError, "by its name"),
        (lambda: good.least_squares("y", ["q"]), ValueError, "Unknown variable 'q'"),
        (lambda: good.least_squares("y", 3), TypeError, "by its name"),
        (lambda: good.parents("q"), ValueError, "Unknown variable 'q'"),
    ],
)
def test_bad_worlds_and_questions_are_refused_with_a_sentence(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call()


SAMPLED = """
from hashlib import sha256
from course_lib.studies.extrapolation import _ten_columns
from course_lib.worlds import make_census_world
import numpy as np
people = make_census_world().sample(300, random_state=0).to_numpy()
X, y = _ten_columns(0.9, 300, np.random.default_rng(0))
print(sha256(people.tobytes() + X.tobytes() + y.tobytes()).hexdigest())
"""


def test_a_sample_has_the_same_digits_whatever_the_processor_adds_up_at_once():
    """Forests grown on it are the same then too. Varies: the kernels of BLAS and numpy."""
    old = {"OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL"}
    found = {
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", SAMPLED],
            cwd=ROOT,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for environment in ({}, {"OPENBLAS_CORETYPE": "SkylakeX"}, old)
    }
    assert len(found) == 1, found
