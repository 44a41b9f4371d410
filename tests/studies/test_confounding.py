"""The confounded world and the models of its scores, against closed forms."""

import numpy as np
import pytest

from course_lib.measures import three_numbers
from course_lib.studies.confounding import (
    READS,
    confounded_world,
    importance_of_logins,
    score_model,
)


@pytest.mark.parametrize(("effect", "confounding"), [(0.3, 0.4), (-0.6, 0.8), (0.5, -0.5), (0, 0)])
def test_the_slope_is_effect_plus_confounding_and_do_follows_the_effect(effect, confounding):
    world = confounded_world(effect, confounding)
    assert world.covariance().loc["logins", "logins"] == pytest.approx(1)
    slope = world.least_squares("score", ["logins"])["logins"]
    assert slope == pytest.approx(effect + confounding, abs=1e-12)
    adjusted = world.least_squares("score", ["logins", "interest"])["logins"]
    assert adjusted == pytest.approx(effect, abs=1e-12)
    assert world.do(logins=2).mean()["score"] == pytest.approx(2 * effect)


@pytest.mark.parametrize("reads", READS)
def test_the_curve_has_the_importances_of_the_worlds(reads):
    effects = np.linspace(-0.72, 0.72, 7)
    expected = [
        three_numbers(confounded_world(a, -0.3), "logins", "score", READS[reads])["importance"]
        for a in effects
    ]
    found = importance_of_logins(effects, -0.3, reads)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    models = [score_model(a, -0.3, reads) for a in effects]
    np.testing.assert_allclose([model.importance for model in models], expected, atol=1e-12)


@pytest.mark.parametrize("reads", READS)
def test_the_model_has_the_slope_of_least_squares_and_its_students_are_the_same_everywhere(reads):
    world, model = confounded_world(0.2, -0.5), score_model(0.2, -0.5, reads)
    slope = world.least_squares("score", list(READS[reads]))["logins"]
    assert model.slope == pytest.approx(slope, abs=1e-12)
    other = score_model(0.6, 0.1, reads)
    np.testing.assert_allclose(model.students["interest"], other.students["interest"])
    assert len(model.students) == 150


def test_a_confounding_that_would_use_up_the_variance_is_refused():
    with pytest.raises(ValueError, match="between -1 and 1"):
        confounded_world(0.0, 1.0)
    with pytest.raises(TypeError, match="effect must be a number"):
        confounded_world("high", 0.0)
