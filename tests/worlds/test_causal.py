"""The causal worlds of the lessons have the law that they state (mirrors causal.py)."""

import numpy as np
import pytest

from course_lib.worlds import make_logins_world

LOGINS_KINDS = ("confounder", "mediator", "reverse cause", "cause", "collider")


@pytest.mark.parametrize("kind", LOGINS_KINDS)
def test_logins_and_score_have_the_same_law_in_all_worlds_but_the_collider(kind):
    world = make_logins_world(kind)
    np.testing.assert_allclose(np.diag(world.covariance()), 1)
    correlation = world.covariance().loc["logins", "score"]
    assert correlation == pytest.approx(0 if kind == "collider" else 0.6)
    assert (world.mean() == 0).all()
    acts = kind in ("mediator", "cause")
    assert world.total_effect("logins", "score") == pytest.approx(0.6 if acts else 0)


def test_confounder_and_mediator_have_the_same_law_of_all_three_variables():
    fork, chain = (make_logins_world(kind).covariance() for kind in ("confounder", "mediator"))
    np.testing.assert_allclose(fork.to_numpy(), chain.to_numpy())
    assert list(fork) == ["logins", "interest", "score"]
    assert list(chain) == ["logins", "practice", "score"]


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="kind must be"):
        make_logins_world("fork")
