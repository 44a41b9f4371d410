"""Model classes whose good models fill an ellipsoid, and the range of reliance over it."""

import numpy as np
import pandas as pd
from scipy.linalg import solve_triangular

from course_lib.measures.rashomon.quadratic import Quadratic, least_ratio, minimiser
from course_lib.questions import Q5, Q6
from course_lib.results import RelianceRange
from course_lib.validation import (
    check_count,
    check_flag,
    check_random_state,
    column_names,
    feature_index,
)

SINGULAR = 1e-10  # a relative singular value of X below this counts as zero


class RashomonEllipsoid:
    """The functions Phi theta whose penalised loss is at most `limit`.

    loss(theta) = |y - Phi theta|^2 / n + sum_m penalty_m theta_m^2 = least_loss + |u|^2,
    theta = centre + basis u:  an ellipsoid of theta, the ball |u| <= radius

    A subclass says what theta means: `_model` (theta -> model), `_theta` (model -> theta, None if
    not of the class) and `_increase` (e_switch - e_orig as a function of u).

    Attributes
    ----------
    feature_names : tuple of str
    least_loss, limit : float
        The penalised loss of the best model of the class, and what a good model may have.
    best_model : fitted model
    """

    def _build(self, X, Phi: np.ndarray, penalty: np.ndarray, y: np.ndarray) -> None:
        n = len(y)
        self.feature_names = column_names(X)
        self._named = isinstance(X, pd.DataFrame) and all(isinstance(c, str) for c in X.columns)
        self._like = (
            X.iloc[:0] if isinstance(X, pd.DataFrame) else np.empty((0, len(self.feature_names)))
        )
        self._y, self._Phi, self._penalty = y, Phi, penalty
        stacked = np.vstack([Phi / np.sqrt(n), np.diag(np.sqrt(penalty))])
        norms = np.linalg.norm(stacked, axis=0)
        Q, R = np.linalg.qr(stacked / np.where(norms > 0, norms, 1.0))
        _refuse_singular(R)
        self._basis = solve_triangular(R, np.eye(len(R))) / norms[:, np.newaxis]
        self._centre = self._basis @ (Q[:n].T @ y) / np.sqrt(n)
        self._residuals, self._W = y - Phi @ self._centre, Phi @ self._basis
        self.least_loss = self._loss(self._centre)
        self.best_model = self._model(self._centre)

    def _bound(self, limit: float) -> None:
        self._tolerance = 1e-9 * limit + 1e-24 * np.mean(self._y**2)  # for rounding
        if limit < self.least_loss - self._tolerance:
            raise ValueError(
                f"No model of the class is good: the reference's loss plus epsilon is {limit:.6g}, "
                f"but the best model has {self.least_loss:.6g}. Raise epsilon by at least "
                f"{self.least_loss - limit:.6g}, or choose a reference of the class."
            )
        self.limit = max(limit, self.least_loss)
        self._radius = np.sqrt(self.limit - self.least_loss)

    def contains(self, model) -> bool:
        """Whether a fitted model is of the class and its loss at most the limit (to rounding)."""
        theta = self._theta(model)
        return theta is not None and bool(self._loss(theta) <= self.limit + self._tolerance)

    def sample(self, n: int, random_state=None) -> list:
        """n fitted models, drawn uniformly from the ellipsoid of coefficients."""
        check_count(n, "n")
        rng = check_random_state(random_state)
        k = len(self._centre)
        directions = rng.standard_normal((n, k))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        u = self._radius * rng.random((n, 1)) ** (1 / k) * directions
        return [self._model(theta) for theta in self._centre + u @ self._basis.T]

    def model_class_reliance(self, feature, as_ratio: bool = True) -> RelianceRange:
        """MCR: the least and the most that a model of the set relies on a feature (`004`, Q5).

        [MCR-, MCR+] = [min, max] over the set of MR(f, j), as `model_reliance` over all pairs

        MCR- may be below 1: some good models are better off with the feature scrambled.

        Parameters
        ----------
        feature : name or position
        as_ratio : bool, default=True
            e_switch / e_orig, or e_switch - e_orig; both of the mean squared error alone.

        Returns
        -------
        result : RelianceRange
            Its two models lie in the set and attain the ends.
        """
        j = feature_index(feature, self.feature_names)
        increase = self._increase(j, conditional=False)
        return self._range(j, increase, "model class reliance  e_switch", Q5, as_ratio)

    def conditional_model_class_reliance(self, feature, as_ratio: bool = True) -> RelianceRange:
        """CMCR: the range of what models of the set rely on a feature's unique part (`004`, Q6).

        [CMCR-, CMCR+] = [min, max] over the set of CMR(f, j), as `conditional_model_reliance`
        with a least squares imputer, which has an intercept if the models have one.

        Parameters, result: as in `model_class_reliance`.
        """
        j = feature_index(feature, self.feature_names)
        increase = self._increase(j, conditional=True)
        name = "conditional model class reliance  e_chimera"
        return self._range(j, increase, name, Q6, as_ratio)

    def _range(self, j, increase: Quadratic, name, question, as_ratio) -> RelianceRange:
        check_flag(as_ratio, "as_ratio")
        r = self._radius
        if as_ratio:
            error = self._error()
            self._refuse_zero_loss(error)
            ends = least_ratio(increase, error, r), least_ratio(increase * -1, error, r)
            low, high = (1 + increase(u) / error(u) for u in ends)
        else:
            ends = minimiser(increase, r), minimiser(increase * -1, r)
            low, high = (increase(u) for u in ends)
        models = (self._model(self._centre + self._basis @ u) for u in ends)
        measure = f"{name} {'/' if as_ratio else '-'} e_orig"
        return RelianceRange(
            min(low, high), high, *models, self.feature_names[j], measure, question
        )

    def _error(self) -> Quadratic:
        """Mean squared error as a function of u."""
        n, W, residuals = len(self._y), self._W, self._residuals
        return Quadratic(W.T @ W / n, -(W.T @ residuals) / n, float(np.mean(residuals**2)))

    def _refuse_zero_loss(self, error: Quadratic) -> None:
        zero = 1e-13 * self._null_loss() + 1e-28 * np.mean(self._y**2)
        if error(minimiser(error, self._radius)) <= zero:
            raise ValueError(
                "Some model of the set predicts this y without error, so a reliance ratio, which "
                "divides by the loss, is unbounded over the set. Use as_ratio=False, a smaller "
                "epsilon or more rows."
            )

    def _null_loss(self) -> float:
        """The loss of a class member that uses no feature, for scale."""
        return np.mean(self._y**2)

    def _loss(self, theta: np.ndarray) -> float:
        errors = self._y - self._Phi @ theta
        return float(np.mean(errors**2) + self._penalty @ theta**2)


def refuse_overflow(values: np.ndarray, y: np.ndarray) -> None:
    """Raise if squares of the data would not be finite."""
    if max(np.abs(values).max(), np.abs(y).max()) > 1e100:
        raise ValueError(
            "X or y has values beyond 1e100, whose squares overflow; losses must be finite. "
            "Rescale it, for example to a standard deviation of 1."
        )


def _refuse_singular(R: np.ndarray) -> None:
    """R of the QR decomposition of the columns, each scaled to length 1 (or 0)."""
    spread = np.linalg.svd(R, compute_uv=False)
    if len(spread) < R.shape[1] or spread[-1] <= SINGULAR * spread[0]:
        raise ValueError(
            "The Gram matrix of X is singular: some column is constant, a copy or a combination of "
            "others, or there are fewer rows than columns. Good models can then use such columns "
            "as strongly as they like, so the reliance is unbounded over the set. Drop columns "
            "until none is redundant."
        )
