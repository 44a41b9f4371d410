"""Rashomon sets of linear and kernel models: how little and how much any good model relies on a
feature (`004`, questions 5 and 6; Fisher, Rudin & Dominici 2019).

The good models of these classes fill an ellipsoid on which the losses, scrambled or not, are
quadratic. So both ends of the range are found exactly, as global optima.
"""

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression
from sklearn.metrics.pairwise import rbf_kernel

from course_lib.measures.rashomon.ellipsoids import SINGULAR, RashomonEllipsoid, refuse_overflow
from course_lib.measures.rashomon.quadratic import Quadratic
from course_lib.measures.reliance import unique_part
from course_lib.models.losses import squared_error
from course_lib.models.wrappers import linear_coefficients
from course_lib.validation import (
    check_fitted,
    check_flag,
    check_number,
    check_width,
    check_X_y,
    response_function,
)

KERNEL_SINGULAR = 1e-11  # a relative eigenvalue of K below this counts as zero


class LinearRashomonSet(RashomonEllipsoid):
    """Linear models about as good as a reference: {b : MSE(b) <= MSE(reference) + epsilon}.

    Parameters
    ----------
    X : DataFrame or array of shape (n_samples, n_features), of numbers
    y : array-like of shape (n_samples,), of numbers
    epsilon : float, at least 0
    reference : fitted model, default=None
        Of any class; least squares if None. Only its loss counts.
    fit_intercept : bool, default=True
        Whether the models have an intercept; if not, nor do the imputers of the conditional range.
    alpha : float, default=0
        With a penalty, the ridge class: MSE + alpha |b|^2 (the intercept is free) takes the place
        of the loss in the definition of the set, for a linear reference too. Reliance itself
        compares mean squared errors.

    Notes
    -----
    e_switch - e_orig = 2 b_j Cov(y - sum over l != j of b_l x_l, x_j) is a quadratic function of
    b. Its ends over the ellipsoid are one trust-region step each, those of the ratio a few such
    steps (Dinkelbach). Cost: n p^2, and p^3 for each step. With an intercept the conditional
    difference is linear, 2 b_j bhat_j s_e^2.

    Examples
    --------
    One centred feature, y = x exactly: MSE(b) = (b - 1)^2, so epsilon = 1/4 allows b in
    [1/2, 3/2], and e_switch - e_orig = 2 b Cov(y, x) = 4 b.

    >>> x = np.array([-1.0, 1.0])
    >>> good = LinearRashomonSet(x[:, np.newaxis], x, epsilon=0.25)
    >>> mcr = good.model_class_reliance("x0", as_ratio=False)
    >>> round(mcr.low, 6), round(mcr.high, 6), mcr.low_model.coef_.round(6)
    (2.0, 6.0, array([0.5]))
    """

    def __init__(
        self,
        X,
        y,
        *,
        epsilon: float,
        reference=None,
        fit_intercept: bool = True,
        alpha: float = 0.0,
    ):
        epsilon = check_number(epsilon, "epsilon", minimum=0)
        alpha = check_number(alpha, "alpha", minimum=0)
        check_flag(fit_intercept, "fit_intercept")
        values, y = check_X_y(X, y, numeric_y=True, min_rows=2)
        refuse_overflow(values, y)
        self.epsilon, self.fit_intercept, self.alpha = epsilon, bool(fit_intercept), alpha
        self._values = values
        self._mean = values.mean(axis=0) if fit_intercept else np.zeros(values.shape[1])
        Phi = values - self._mean
        constant = np.abs(Phi).max(axis=0) <= SINGULAR * np.abs(values).max(axis=0)
        Phi[:, constant & fit_intercept] = 0.0
        penalty = np.full(values.shape[1], alpha)
        if fit_intercept:
            Phi, penalty = np.column_stack([np.ones(len(y)), Phi]), np.append(0.0, penalty)
        self._build(X, Phi, penalty, y)
        self._bound((self.least_loss if reference is None else self._loss_of(reference)) + epsilon)

    def _model(self, theta: np.ndarray) -> LinearRegression:
        model = LinearRegression(fit_intercept=self.fit_intercept)
        model.coef_ = theta[1:].copy() if self.fit_intercept else theta.copy()
        model.intercept_ = float(theta[0] - self._mean @ model.coef_) if self.fit_intercept else 0.0
        model.n_features_in_ = len(model.coef_)
        if self._named:
            model.feature_names_in_ = np.array(self.feature_names, dtype=object)
        return model

    def _theta(self, model) -> np.ndarray | None:
        """Coefficients of a fitted model, None if on these rows it is no linear function."""
        answers = response_function(model, self._like)(self._values)
        if answers.ndim != 1 or answers.dtype.kind not in "biuf":
            return None
        b = linear_coefficients(model)
        if b is None:
            theta = np.linalg.lstsq(self._Phi, answers, rcond=None)[0]
        elif self.fit_intercept:
            theta = np.append(model.intercept_ + self._mean @ b, b)
        else:
            theta = b
        linear = np.allclose(self._Phi @ theta, answers, rtol=0, atol=1e-8 * np.abs(answers).max())
        return theta if linear else None

    def _null_loss(self) -> float:
        return np.var(self._y) if self.fit_intercept else super()._null_loss()

    def _loss_of(self, reference) -> float:
        if self.alpha == 0:
            answers = response_function(reference, self._like)(self._values)
            return float(np.mean(squared_error(self._y, answers)))
        theta = self._theta(reference)
        if theta is None:
            raise ValueError(
                f"With a penalty the reference must be a linear model, whose coefficients are "
                f"penalised too; this {type(reference).__name__} is not. Use alpha=0, or a Ridge."
            )
        return self._loss(theta)

    def _increase(self, j: int, conditional: bool) -> Quadratic:
        part = self._values[:, j]
        if conditional:
            part = unique_part(self._values, j, fit_intercept=self.fit_intercept)
        part = part - part.mean()
        variance, m = part @ part / (len(part) - 1), j + self.fit_intercept
        b, covariance = self._centre[m], self._residuals @ part / (len(part) - 1)
        b_slope, covariance_slope = self._basis[m], -(part @ self._W) / (len(part) - 1)
        return Quadratic.product(
            2 * b_slope, 2 * b, covariance_slope + variance * b_slope, covariance + variance * b
        )


class KernelRashomonSet(RashomonEllipsoid):
    """Functions of the RBF kernel's RKHS about as good as the best: least loss + epsilon at most.

    f = sum_i w_i k(x_i, .),  k(x, z) = exp(-gamma |x - z|^2),  without intercept
    loss = MSE + alpha w'Kw,  the penalised loss, which decides who is in the set

    Reliance compares mean squared errors, without the penalty: `model_reliance(result.low_model,
    X, y)` is `result.low`. Imputers of the conditional range are least squares without intercept.

    Parameters
    ----------
    X : DataFrame or array of shape (n_samples, n_features), of numbers
    y : array-like of shape (n_samples,), of numbers; centre it if its mean is not near 0
    epsilon : float, at least 0
    gamma, alpha : float, above 0
        The best model is ``KernelRidge(kernel="rbf", gamma=gamma, alpha=n * alpha)``.

    Notes
    -----
    The kernel is a product, k = k_j * k_rest, so that the mean over all n(n-1) switched rows of
    k(x, .) k(x, .)' is [(K_j K_j) o (K_rest K_rest) - K K] / (n(n-1)), with o entry by entry:
    n^3 operations and no table of n^2 rows. The conditional range needs n^4 operations, in n^2
    of memory. Functions that are 0 on every row up to rounding are left out (directions in which
    K has less than 1e-11 of its largest eigenvalue, as for repeated rows); for a very smooth
    kernel that may change the fifth digit of an end.

    Examples
    --------
    >>> x = np.array([-1.0, -0.3, 0.2, 1.0])
    >>> good = KernelRashomonSet(x[:, np.newaxis], x, epsilon=0.0, gamma=1.0, alpha=0.01)
    >>> mcr = good.model_class_reliance("x0")
    >>> mcr.low == mcr.high and mcr.low > 1  # epsilon = 0 leaves only the best model
    True
    """

    def __init__(self, X, y, *, epsilon: float, gamma: float, alpha: float):
        self.epsilon = check_number(epsilon, "epsilon", minimum=0)
        self.gamma = check_number(gamma, "gamma", minimum=0, strict=True)
        self.alpha = check_number(alpha, "alpha", minimum=0, strict=True)
        self._values, y = check_X_y(X, y, numeric_y=True, min_rows=2)
        refuse_overflow(self._values, y)
        self._K = self._kernel(self._values, self._values)
        eigenvalues, V = np.linalg.eigh(self._K)
        kept = eigenvalues > KERNEL_SINGULAR * eigenvalues[-1]
        root, V = np.sqrt(eigenvalues[kept]), V[:, kept]
        self._to_w, self._from_w = V / root, (V * root).T  # w = _to_w theta, w'Kw = theta'theta
        self._build(X, V * root, np.full(len(root), self.alpha), y)
        self._bound(self.least_loss + self.epsilon)

    def _kernel(self, rows: np.ndarray, centres: np.ndarray) -> np.ndarray:
        return rbf_kernel(rows, centres, gamma=self.gamma)

    def _model(self, theta: np.ndarray) -> KernelRidge:
        n = len(self._values)
        model = KernelRidge(kernel="rbf", gamma=self.gamma, alpha=n * self.alpha)
        model.dual_coef_, model.X_fit_ = self._to_w @ theta, self._values.copy()
        model.n_features_in_ = self._values.shape[1]
        if self._named:
            model.feature_names_in_ = np.array(self.feature_names, dtype=object)
        return model

    def _theta(self, model) -> np.ndarray | None:
        """Coordinates of a fitted kernel ridge on the same rows and kernel, None for others."""
        check_fitted(model)
        check_width(model, self._values.shape[1])
        same = (
            isinstance(model, KernelRidge)
            and model.kernel == "rbf"
            and self.gamma == (1 / model.n_features_in_ if model.gamma is None else model.gamma)
            and np.array_equal(model.X_fit_, self._values)
        )
        return self._from_w @ np.ravel(model.dual_coef_) if same else None

    def _increase(self, j: int, conditional: bool) -> Quadratic:
        n, K, y = len(self._y), self._K, self._y
        second, first = self._chimera_moments(j) if conditional else self._switched_moments(j)
        in_w = Quadratic(second - K @ K / n, -(first - K @ y / n), 0.0)
        return in_w.at(self._to_w @ self._centre, self._to_w @ self._basis)

    def _switched_moments(self, j: int) -> tuple[np.ndarray, np.ndarray]:
        """Means over pairs i != k of k(x) k(x)' and y_k k(x), x = row k with x_j of row i."""
        K, y, n = self._K, self._y, len(self._y)
        K_j = self._kernel(self._values[:, [j]], self._values[:, [j]])
        rest = np.delete(self._values, j, axis=1)
        K_rest = self._kernel(rest, rest) if rest.shape[1] else np.ones_like(K)
        second = (K_j @ K_j) * (K_rest @ K_rest) - K @ K
        first = (K_rest @ y) * K_j.sum(axis=0) - K @ y
        return second / (n * (n - 1)), first / (n * (n - 1))

    def _chimera_moments(self, j: int) -> tuple[np.ndarray, np.ndarray]:
        """The same with x = row k whose unique part of x_j is that of row i."""
        values, y, n = self._values, self._y, len(self._y)
        unique = unique_part(values, j, fit_intercept=False)
        second, first = -self._K @ self._K, -self._K @ y
        for k in range(n):
            heads = np.repeat(values[[k]], n, axis=0)
            heads[:, j] += unique - unique[k]
            rows = self._kernel(heads, values)
            second, first = second + rows.T @ rows, first + y[k] * rows.sum(axis=0)
        return second / (n * (n - 1)), first / (n * (n - 1))
