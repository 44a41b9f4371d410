"""Conditional Gaussians against the textbook, and where a matrix cannot be inverted."""

import numpy as np
import pytest

from course_lib.worlds.gaussian import conditional_law, regression


@pytest.fixture
def sigma():
    A = np.random.default_rng(0).normal(size=(5, 5)) * [1, 1e-6, 1, 1e6, 1]
    return A.T @ A


def test_coefficients_and_root_are_those_of_the_textbook(sigma):
    C, G = [0, 3], [1, 2, 4]
    expected = np.linalg.solve(sigma[np.ix_(G, G)], sigma[np.ix_(G, C)]).T
    B, root = conditional_law(sigma, C, G)
    np.testing.assert_allclose(B, expected, rtol=1e-6)
    np.testing.assert_array_equal(B, regression(sigma, C, G))
    left = sigma[np.ix_(C, C)] - expected @ sigma[np.ix_(G, C)]
    np.testing.assert_allclose(root @ root.T, left, rtol=1e-6)


def test_duplicates_share_their_coefficient_and_constants_have_none():
    x = np.random.default_rng(0).normal(size=100)
    sigma = np.cov([3 * x, x, x, np.ones(100)])
    B, root = conditional_law(sigma, [0, 3], [1, 2])
    np.testing.assert_allclose(B, [[1.5, 1.5], [0, 0]], atol=1e-12)
    np.testing.assert_array_equal(root, 0)


def test_given_nothing_the_covariance_is_left(sigma):
    B, root = conditional_law(sigma, [2, 1], [])
    assert B.shape == (2, 0)
    np.testing.assert_allclose(root @ root.T, sigma[np.ix_([2, 1], [2, 1])])
