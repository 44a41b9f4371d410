"""Penalised least squares as a bowl, whose good coefficients fill an ellipsoid."""

import numpy as np
from scipy.linalg import solve_triangular

from course_lib.measures.rashomon.quadratic import Quadratic

COLLINEAR = 1e-10  # a relative singular value of the columns below this counts as zero
REDUNDANT = 1e-8  # a share of a column below this is not told from rounding


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

    def __init__(self, Phi: np.ndarray, y: np.ndarray, penalty: np.ndarray, names=()):
        n = len(y)
        self.Phi, self.y, self.penalty = Phi, y, penalty
        stacked = np.vstack([Phi / np.sqrt(n), np.diag(np.sqrt(penalty))])
        norms = np.linalg.norm(stacked, axis=0)
        Q, R = np.linalg.qr(stacked / np.where(norms > 0, norms, 1.0))
        _refuse_singular(R, n, names)
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


def constant_columns(values: np.ndarray) -> np.ndarray:
    """For each column whether all its values are one, up to rounding."""
    spread = np.abs(values - values.mean(axis=0)).max(axis=0)
    return spread <= COLLINEAR * np.abs(values).max(axis=0)


def _refuse_singular(R: np.ndarray, n_rows: int, names) -> None:
    """R of the QR decomposition of the columns, each scaled to length 1 (or 0).

    `names` are those of the last columns; before them the intercept may have one.
    """
    spread = np.linalg.svd(R, compute_uv=False)
    if spread[-1] <= COLLINEAR * spread[0]:
        raise ValueError(f"The Gram matrix of X is singular: {_why_singular(R, n_rows, names)}")


def _why_singular(R: np.ndarray, n_rows: int, names) -> str:
    first, n_columns = R.shape[1] - len(names), R.shape[1]
    constant = [name for name, column in zip(names, R.T[first:], strict=True) if not column.any()]
    if constant:
        return (
            f"{constant[0]} is constant. Its coefficient can be any number, and the reliance on it "
            f"is 0 for each of them. Drop {', '.join(constant)}."
        )
    if n_rows < n_columns:
        return (
            f"{n_rows} rows do not determine {n_columns} coefficients. Many models then fit these "
            f"rows equally well, and the most that they rely on a column is unbounded. Use more "
            f"rows or fewer columns."
        )
    own = np.abs(R.diagonal())  # what a column has that those before it have not
    redundant = [j for j in range(first, n_columns) if own[j] <= max(REDUNDANT, own.min())]
    b = np.linalg.lstsq(R[:, : redundant[0]], R[:, redundant[0]], rcond=None)[0][first:]
    others = [names[k] for k in np.flatnonzero(np.abs(b) > REDUNDANT * np.abs(b).max())]
    name, drop = names[redundant[0] - first], ", ".join(names[j - first] for j in redundant)
    return (
        f"{name} is a copy or a combination of other columns ({', '.join(others)}). A model can "
        f"use it as strongly as it likes if it takes the same away from them, so that the most "
        f"that good models rely on any of these is unbounded. Of its own {name} has nothing: the "
        f"part that the others cannot predict is 0, and so is the reliance on it. Drop {drop}."
    )
