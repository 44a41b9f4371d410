"""Moments of the RBF kernel over rows whose value of one feature comes from another row."""

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from course_lib.measures.pairs import unique_part


def switched_moments(values, y, j: int, gamma: float) -> tuple[np.ndarray, np.ndarray]:
    """Means over pairs i != k of k(x) k(x)' and y_k k(x), x = row k with x_j of row i."""
    n = len(y)
    rest = np.delete(values, j, axis=1)
    K, K_j = rbf_kernel(values, gamma=gamma), rbf_kernel(values[:, [j]], gamma=gamma)
    K_rest = rbf_kernel(rest, gamma=gamma) if rest.shape[1] else np.ones_like(K)
    second = (K_j @ K_j) * (K_rest @ K_rest) - K @ K
    first = (K_rest @ y) * K_j.sum(axis=0) - K @ y
    return second / (n * (n - 1)), first / (n * (n - 1))


def chimera_moments(values, y, j: int, gamma: float) -> tuple[np.ndarray, np.ndarray]:
    """The same with x = row k whose unique part of x_j is that of row i."""
    n, K = len(y), rbf_kernel(values, gamma=gamma)
    unique = unique_part(values, j, fit_intercept=False)
    second, first = -K @ K, -K @ y
    for k in range(n):
        heads = np.repeat(values[[k]], n, axis=0)
        heads[:, j] += unique - unique[k]
        rows = rbf_kernel(heads, values, gamma=gamma)
        second, first = second + rows.T @ rows, first + y[k] * rows.sum(axis=0)
    return second / (n * (n - 1)), first / (n * (n - 1))
