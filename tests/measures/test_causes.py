"""Three numbers of one variable: against the closed forms of dedact, do(), and known worlds."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.measures import estimated_numbers, linear_gaussian, three_numbers
from course_lib.measures.causes import NUMBERS
from course_lib.worlds import LinearSCM

coefficient = st.floats(-2, 2, allow_nan=False).map(lambda x: round(x, 2))


@pytest.fixture
def world():
    return LinearSCM(
        {"x": {"z": 1.0}, "m": {"x": 0.5}, "y": {"m": 2.0, "z": -1.0}},
        {"z": 1.0, "x": 1.0, "m": 1.0, "y": 1.0},
    )


@given(a=coefficient, b=coefficient, c=coefficient, d=coefficient)
@settings(deadline=None, max_examples=15)
def test_the_importances_of_the_best_line_are_those_of_dedact(a, b, c, d):
    world = LinearSCM(
        {"x": {"z": a}, "m": {"x": b}, "y": {"m": c, "z": d}}, dict.fromkeys("zxmy", 1.0)
    )
    features = ["z", "x", "m"]
    exact = linear_gaussian(world, "y", world.least_squares("y", features))
    for j, name in enumerate(features):
        numbers = three_numbers(world, name, "y")
        assert numbers["importance"] == pytest.approx(
            exact.permutation_importance().importances_mean[j], abs=1e-9
        )
        assert numbers["conditional importance"] == pytest.approx(
            exact.conditional_permutation_importance().importances_mean[j], abs=1e-9
        )


def test_the_total_effect_is_the_change_of_the_mean_under_do_whatever_the_model_reads(world):
    change = world.do(x=3).mean()["y"] - world.do(x=2).mean()["y"]
    for features in (None, ["x"], ["x", "z"], ["m"]):
        assert three_numbers(world, "x", "y", features)["total effect"] == pytest.approx(change)


def test_a_single_feature_has_nothing_to_be_conditioned_on(world):
    numbers = three_numbers(world, "x", "y", ["x"])
    assert numbers["importance"] == pytest.approx(numbers["conditional importance"])


def test_a_feature_the_model_does_not_read_has_an_effect_and_no_importance(world):
    assert three_numbers(world, "x", "y", ["m", "z"]).to_dict() == {
        "importance": 0.0,
        "conditional importance": 0.0,
        "total effect": 1.0,
    }


def test_a_twin_leaves_no_conditional_importance():
    world = LinearSCM({"twin": {"x": 1.0}, "y": {"x": 1.0}}, {"x": 1.0, "twin": 0.0, "y": 1.0})
    numbers = three_numbers(world, "x", "y")
    assert numbers["conditional importance"] == pytest.approx(0, abs=1e-9)
    assert numbers["importance"] == pytest.approx(0.5)  # the twins share the coefficient 1


def test_estimates_lie_around_the_closed_forms(world):
    """Within 5 standard errors, plus the bias of order 1/n that estimated coefficients bring."""
    estimates = estimated_numbers(world, "x", "y", n_samples=1000, n_repeats=30, random_state=0)
    assert list(estimates.index) == list(NUMBERS) and estimates.shape == (3, 30)
    standard_error = estimates.std(axis=1) / np.sqrt(30)
    off = (estimates.mean(axis=1) - three_numbers(world, "x", "y")).abs()
    assert (off < 5 * standard_error + 10 / 1000).all()


def test_the_same_seed_gives_the_same_estimates_and_the_global_state_is_left_alone(world):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    options = {"n_samples": 50, "n_repeats": 2}
    first, again = (estimated_numbers(world, "x", "y", random_state=3, **options) for _ in "ab")
    other = estimated_numbers(world, "x", "y", random_state=np.random.default_rng(4), **options)
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(other)
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize(
    ("arguments", "error", "advice"),
    [
        (("w", "y", None), ValueError, "Unknown variable 'w'"),
        (("x", "w", None), ValueError, "Unknown variable 'w'"),
        (("x", "y", ["x", "w"]), ValueError, "Unknown variable 'w'"),
        (("x", 3, None), TypeError, "given by its name"),
        (("x", "x", None), ValueError, "cannot be its own cause"),
        (("x", "y", ["x", "y"]), ValueError, "cannot be its own cause"),
        (("x", "y", []), ValueError, "features is empty"),
    ],
)
def test_bad_names_get_their_sentence(world, arguments, error, advice):
    for function in (three_numbers, estimated_numbers):
        with pytest.raises(error, match=advice):
            function(world, *arguments)


def test_what_is_no_world_or_cannot_be_estimated_is_refused(world):
    with pytest.raises(TypeError, match="world must be a LinearSCM"):
        three_numbers({"y": {"x": 1}}, "x", "y")
    with pytest.raises(ValueError, match="does not read 'x'"):
        estimated_numbers(world, "x", "y", ["m"])
    with pytest.raises(ValueError, match="n_samples"):
        estimated_numbers(world, "x", "y", n_samples=4)
    with pytest.raises(ValueError, match="n_repeats"):
        estimated_numbers(world, "x", "y", n_repeats=0)
