"""Penalised least squares as a bowl, whose good coefficients fill an ellipsoid."""

import numpy as np
from scipy.linalg import solve_triangular

from course_lib.measures.rashomon.quadratic import Quadratic

COLLINEAR = 1e-10  # a relative singular value of the columns below this counts as zero


class LossBowl:
    """The penalised loss of the functions Phi theta, in coordinates u in which it is a round bowl.

    loss(theta) = |y - Phi theta|^2 / n + sum_m penalty_m theta_m^2 = least_loss + |u|^2,
    theta = centre + basis u:  a ball of u, |u| <= radius, is an ellipsoid of theta

    Attributes
    ----------
    centre : ndarray of shape (k,)
        The theta of the least loss.
    basis : ndarray of shape (k, k)
    residuals, slopes : ndarrays of shape (n,) and (n, k)
        y - Phi theta = residuals - slopes u.
    """

    def __init__(self, Phi: np.ndarray, y: np.ndarray, penalty: np.ndarray):
        n = len(y)
        self.Phi, self.y, self.penalty = Phi, y, penalty
        stacked = np.vstack([Phi / np.sqrt(n), np.diag(np.sqrt(penalty))])
        norms = np.linalg.norm(stacked, axis=0)
        Q, R = np.linalg.qr(stacked / np.where(norms > 0, norms, 1.0))
        _refuse_singular(R)
        self.basis = solve_triangular(R, np.eye(len(R))) / norms[:, np.newaxis]
        self.centre = self.basis @ (Q[:n].T @ y) / np.sqrt(n)
        self.residuals, self.slopes = y - Phi @ self.centre, Phi @ self.basis
        self.least_loss = self.loss(self.centre)

    def loss(self, theta: np.ndarray) -> float:
        """The penalised loss of one theta."""
        errors = self.y - self.Phi @ theta
        return float(np.mean(errors**2) + self.penalty @ theta**2)

    def theta(self, u: np.ndarray) -> np.ndarray:
        """The coefficients at u, or at each row of u."""
        return self.centre + u @ self.basis.T

    def squared_error(self) -> Quadratic:
        """The mean squared error, without the penalty, as a function of u."""
        n, W = len(self.y), self.slopes
        return Quadratic(
            W.T @ W / n, -(W.T @ self.residuals) / n, float(np.mean(self.residuals**2))
        )


def uniform_in_ball(n: int, n_dimensions: int, rng: np.random.Generator) -> np.ndarray:
    """n points drawn uniformly from the ball |u| <= 1, one in each row."""
    directions = rng.standard_normal((n, n_dimensions))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return rng.random((n, 1)) ** (1 / n_dimensions) * directions


def _refuse_singular(R: np.ndarray) -> None:
    """R of the QR decomposition of the columns, each scaled to length 1 (or 0)."""
    spread = np.linalg.svd(R, compute_uv=False)
    if len(spread) < R.shape[1] or spread[-1] <= COLLINEAR * spread[0]:
        raise ValueError(
            "The Gram matrix of X is singular: some column is constant, a copy or a combination of "
            "others, or there are fewer rows than columns. Good models can then use such columns "
            "as strongly as they like, so the reliance is unbounded over the set. Drop columns "
            "until none is redundant."
        )
