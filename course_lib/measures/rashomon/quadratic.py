"""Quadratic functions on a ball: their global minimum, and that of a ratio of two of them."""

from dataclasses import dataclass

import numpy as np

MAX_STEPS = 100  # both iterations converge faster than linearly: about 5 to 10 steps


@dataclass(frozen=True, eq=False)
class Quadratic:
    """q(u) = u'Au + 2 a'u + c, with A symmetric."""

    A: np.ndarray
    a: np.ndarray
    c: float

    def __call__(self, u: np.ndarray) -> np.ndarray:
        """q at one u, or at each of an array of them along its last axis."""
        return (u @ self.A * u).sum(axis=-1) + 2 * u @ self.a + self.c

    def __add__(self, other: "Quadratic") -> "Quadratic":
        return Quadratic(self.A + other.A, self.a + other.a, self.c + other.c)

    def __mul__(self, factor: float) -> "Quadratic":
        return Quadratic(factor * self.A, factor * self.a, factor * self.c)

    def at(self, origin: np.ndarray, basis: np.ndarray) -> "Quadratic":
        """The same function of z, where u = origin + basis z."""
        return Quadratic(
            basis.T @ self.A @ basis, basis.T @ (self.A @ origin + self.a), self(origin)
        )

    @classmethod
    def product(cls, p: np.ndarray, p0: float, q: np.ndarray, q0: float) -> "Quadratic":
        """(p'u + p0) (q'u + q0)."""
        return cls((np.outer(p, q) + np.outer(q, p)) / 2, (q0 * p + p0 * q) / 2, p0 * q0)


def minimiser(q: Quadratic, radius: float) -> np.ndarray:
    """A global minimiser of q on the ball |u| <= radius (the trust-region problem).

    q need not be convex. With the eigenvalues m_1 <= m_2 <= ... of A, u minimises q on the ball
    if and only if (A + mu I) u = -a for some mu >= max(0, -m_1), and |u| = radius unless mu = 0.
    So one number is sought, by the secular equation |u(mu)| = radius; in the hard case, where a
    has no share in the eigenspace of m_1, a step along that eigenspace reaches the boundary.

    Cost: one eigen-decomposition.

    Examples
    --------
    >>> saddle = Quadratic(np.diag([1.0, -1.0]), np.zeros(2), 0.0)
    >>> np.abs(minimiser(saddle, radius=2.0))  # the hard case: (0, 2) or (0, -2)
    array([0., 2.])
    """
    if radius == 0:
        return np.zeros(len(q.a))
    m, V = np.linalg.eigh(q.A)
    g = V.T @ q.a
    if m[0] > 0 and np.linalg.norm(g / m) <= radius:
        return V @ (-g / m)
    gap, low = m - m[0], max(m[0], 0.0)  # shift = mu + m_1, kept apart from m_1 for its digits
    ground = gap <= 1e-12 * np.abs(m).max()
    z = np.zeros(len(g))
    if np.linalg.norm(g[ground]) <= 1e-14 * np.linalg.norm(g) and low == 0:
        z[~ground] = -g[~ground] / gap[~ground]
        if np.linalg.norm(z) <= radius:
            if m[0] < 0:
                z[0] = np.sqrt(radius**2 - z @ z)
            return V @ z
    z = -g / (gap + _secular_shift(gap, g, radius, low))
    return V @ z * min(1.0, radius / np.linalg.norm(z))


def _secular_shift(gap: np.ndarray, g: np.ndarray, radius: float, low: float) -> float:
    """The s >= low with |g / (gap + s)| = radius, by Newton's method on 1 / |.|, kept in bounds."""
    ground = np.linalg.norm(g[gap <= 0]) / radius
    low, high = max(low, ground), max(low, np.linalg.norm(g) / radius)
    s = low if low > 0 else high
    for _ in range(MAX_STEPS):
        z = g / (gap + s)
        norm = np.linalg.norm(z)
        low, high = (s, high) if norm > radius else (low, s)
        slope = (z**2 / (gap + s)).sum() / norm**3  # of 1 / |z(s)|
        step = s + (1 / radius - 1 / norm) / slope
        step = step if low <= step <= high else (low + high) / 2
        if abs(step - s) <= 1e-13 * s or low == high:
            return step
        s = step
    return s


def least_ratio(numerator: Quadratic, denominator: Quadratic, radius: float) -> np.ndarray:
    """A global minimiser of numerator / denominator on the ball |u| <= radius, by Dinkelbach.

    The denominator must be positive on the ball. With r the best ratio so far, the minimiser of
    numerator - r * denominator has a smaller ratio, unless r is the least one.
    """
    best = np.zeros(len(numerator.a))
    ratio = numerator(best) / denominator(best)
    for _ in range(MAX_STEPS):
        u = minimiser(numerator + denominator * -ratio, radius)
        smaller = numerator(u) / denominator(u)
        gain = ratio - smaller
        if gain > 0:
            best, ratio = u, smaller
        if gain <= 1e-14 * (1 + abs(ratio)):
            break
    return best
