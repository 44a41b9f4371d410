"""Global minima of quadratic functions on a ball, against grids, general optimisers and cases
known by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from course_lib.measures.rashomon.quadratic import Quadratic, least_ratio, minimiser


def random_quadratic(rng, k, rank=None):
    M = rng.normal(size=(k, k if rank is None else rank))
    signs = rng.choice([-1.0, 1.0], M.shape[1])
    return Quadratic((M * signs) @ M.T, rng.normal(size=k), rng.normal())


def satisfies_the_optimality_conditions(q, u, radius):
    """(A + mu I) u = -a, A + mu I without negative eigenvalues, mu >= 0, mu (|u| - r) = 0."""
    scale = np.abs(q.A).max() + np.abs(q.a).max() + 1e-300
    gradient = q.A @ u + q.a
    mu = -(gradient @ u) / (u @ u) if u @ u else 0.0
    assert np.linalg.norm(u) <= radius * (1 + 1e-12)
    np.testing.assert_allclose(gradient + mu * u, 0, atol=1e-8 * scale * max(1, radius))
    assert mu >= -1e-8 * scale
    assert np.linalg.eigvalsh(q.A)[0] + mu >= -1e-8 * scale
    assert np.linalg.norm(u) == pytest.approx(radius) or abs(mu) < 1e-8 * scale


@given(st.integers(1, 8), st.integers(0, 10_000), st.floats(0.01, 100))
@settings(deadline=None, max_examples=60)
def test_the_minimiser_satisfies_the_conditions_of_a_global_minimum(k, seed, radius):
    rng = np.random.default_rng(seed)
    for rank in (None, 1, 2):
        q = random_quadratic(rng, k, rank)
        satisfies_the_optimality_conditions(q, minimiser(q, radius), radius)


@given(st.integers(2, 6), st.integers(0, 10_000))
@settings(deadline=None, max_examples=30)
def test_the_hard_case_reaches_the_boundary_along_the_lowest_eigenspace(k, seed):
    """The linear part has no share, or next to none, in the lowest eigenspace."""
    rng = np.random.default_rng(seed)
    V = np.linalg.qr(rng.normal(size=(k, k)))[0]
    m = np.sort(rng.random(k)) - 1
    for lowest, tiny in ((1, 0.0), (1, 1e-15), (1, 1e-9), (2, 0.0)):
        m[:lowest] = m[0]
        g = np.append(np.full(lowest, tiny), 1e-3 * rng.normal(size=k - lowest))
        q = Quadratic((V * m) @ V.T, V @ g, 0.0)
        u = minimiser(q, 2.0)
        satisfies_the_optimality_conditions(q, u, 2.0)
        assert np.linalg.norm(u) == pytest.approx(2.0)


def test_minimisers_known_by_hand():
    bowl = Quadratic(np.eye(2), np.array([-1.0, 0.0]), 0.0)  # |u - (1, 0)|^2 - 1
    np.testing.assert_allclose(minimiser(bowl, 5.0), [1, 0])
    np.testing.assert_allclose(minimiser(bowl, 0.5), [0.5, 0])
    np.testing.assert_array_equal(minimiser(bowl, 0.0), [0, 0])
    plane = Quadratic(np.zeros((2, 2)), np.array([3.0, 4.0]), 1.0)
    np.testing.assert_allclose(minimiser(plane, 10.0), [-6, -8])
    flat = Quadratic(np.zeros((2, 2)), np.zeros(2), 7.0)
    assert flat(minimiser(flat, 3.0)) == 7
    trough = Quadratic(np.diag([1.0, 0.0]), np.array([-1.0, 0.0]), 0.0)  # minimal along a line
    assert trough(minimiser(trough, 3.0)) == pytest.approx(-1)
    hill = Quadratic(-np.eye(3), np.zeros(3), 0.0)
    assert np.linalg.norm(minimiser(hill, 2.0)) == pytest.approx(2)


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=15)
def test_the_least_ratio_beats_many_starts_of_a_general_optimiser(seed):
    rng = np.random.default_rng(seed)
    numerator = random_quadratic(rng, 3)
    B = rng.normal(size=(4, 3))
    denominator = Quadratic(B.T @ B, B.T @ rng.normal(size=4) * 0.1, 2.0)
    radius = 1.5
    u = least_ratio(numerator, denominator, radius)
    found = numerator(u) / denominator(u)
    ball = {"type": "ineq", "fun": lambda u: radius**2 - u @ u}
    for start in rng.normal(size=(8, 3)) / 2:
        other = minimize(
            lambda u: numerator(u) / denominator(u), start, method="SLSQP", constraints=ball
        ).x
        other *= min(1, radius / np.linalg.norm(other))
        assert found <= numerator(other) / denominator(other) + 1e-9 * (1 + abs(found))
    assert np.linalg.norm(u) <= radius * (1 + 1e-12)


def test_products_sums_and_changes_of_variables_are_what_they_say():
    rng = np.random.default_rng(0)
    p, q, u = rng.normal(size=(3, 4))
    assert Quadratic.product(p, 2.0, q, -1.0)(u) == pytest.approx((p @ u + 2) * (q @ u - 1))
    f, g = random_quadratic(rng, 4), random_quadratic(rng, 4)
    assert (f + g * -3.0)(u) == pytest.approx(f(u) - 3 * g(u))
    origin, basis, z = rng.normal(size=4), rng.normal(size=(4, 2)), rng.normal(size=2)
    assert f.at(origin, basis)(z) == pytest.approx(f(origin + basis @ z))


def test_a_quadratic_is_evaluated_at_one_point_or_at_each_of_many():
    rng = np.random.default_rng(0)
    q, u = random_quadratic(rng, 3), rng.normal(size=(2, 4, 3))
    expected = [[v @ q.A @ v + 2 * q.a @ v + q.c for v in row] for row in u]
    np.testing.assert_allclose(q(u), expected)
    assert q(u[1, 2]) == pytest.approx(expected[1][2])
