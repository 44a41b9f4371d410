"""Rashomon sets of linear and kernel models: how little and how much any good model relies on a
feature (`004`, questions 5 and 6; Fisher, Rudin & Dominici 2019).

The good models of these classes fill an ellipsoid on which the losses, scrambled or not, are
quadratic. So both ends of the range are found exactly, as global optima.
"""

import numpy as np
import pandas as pd
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression
from sklearn.metrics.pairwise import rbf_kernel

from course_lib.measures.pairs import unique_part
from course_lib.measures.rashomon.ellipsoids import LossBowl, constant_columns, uniform_in_ball
from course_lib.measures.rashomon.kernels import chimera_moments, switched_moments
from course_lib.measures.rashomon.quadratic import Quadratic, least_ratio, minimiser
from course_lib.models.losses import squared_error
from course_lib.models.wrappers import linear_coefficients
from course_lib.questions import Q5, Q6
from course_lib.results import RelianceRange, rows_given
from course_lib.tables import handed_over, response_function
from course_lib.validation import (
    check_count,
    check_fitted,
    check_flag,
    check_number,
    check_numbers,
    check_random_state,
    check_width,
    check_X_y,
    column_names,
    feature_index,
)

KERNEL_ZERO = 1e-11  # a relative eigenvalue of K below this counts as zero


class RashomonSet:
    """The functions Phi theta whose penalised loss is at most `limit`: an ellipsoid of theta.

    A subclass says what theta means: `_model` (theta -> model), `_theta` (model -> theta, None if
    not of the class) and `_increase` (e_switch - e_orig as a function of u, see `LossBowl`).

    Attributes
    ----------
    feature_names : tuple of str
    least_loss, limit : float
        The penalised loss of the best model of the class, and what a good model may have.
    best_model : fitted model
    """

    def _build(self, X, Phi: np.ndarray, penalty: np.ndarray, y: np.ndarray, names=()) -> None:
        self.feature_names = column_names(X)
        self._named = isinstance(X, pd.DataFrame) and all(isinstance(c, str) for c in X.columns)
        self._like = (
            X.iloc[:0] if isinstance(X, pd.DataFrame) else np.empty((0, len(self.feature_names)))
        )
        self._bowl = LossBowl(Phi, y, penalty, names)
        self.least_loss = self._bowl.least_loss
        self.best_model = self._model(self._bowl.centre)

    def _bound(self, limit: float) -> None:
        self._tolerance = 1e-9 * limit + 1e-24 * np.mean(self._bowl.y**2)  # for rounding
        if limit < self.least_loss - self._tolerance:
            raise ValueError(
                f"No model of the class is good: the reference's loss plus epsilon is {limit:.6g}, "
                f"but the best model has {self.least_loss:.6g}. Raise epsilon by at least "
                f"{self.least_loss - limit:.6g}, or choose a reference of the class."
            )
        self.limit = max(limit, self.least_loss)
        self._radius = np.sqrt(self.limit - self.least_loss)

    def _with_names(self, model):
        """The model as if it had been fitted to X."""
        model.n_features_in_ = len(self.feature_names)
        if self._named:
            model.feature_names_in_ = np.array(self.feature_names, dtype=object)
        return model

    def contains(self, model) -> bool:
        """Whether a fitted model is of the class and its loss at most the limit (to rounding)."""
        theta = self._theta(model)
        return theta is not None and bool(self._bowl.loss(theta) <= self.limit + self._tolerance)

    def sample(self, n: int, random_state=None) -> list:
        """n fitted models, drawn uniformly from the ellipsoid of coefficients."""
        check_count(n, "n")
        ball = uniform_in_ball(n, len(self._bowl.centre), check_random_state(random_state))
        return [self._model(theta) for theta in self._bowl.theta(self._radius * ball)]

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
            error = self._bowl.squared_error()
            self._refuse_zero_loss(error)
            ends = least_ratio(increase, error, r), least_ratio(increase * -1, error, r)
            low, high = (1 + float(increase(u) / error(u)) for u in ends)
        else:
            ends = minimiser(increase, r), minimiser(increase * -1, r)
            low, high = (float(increase(u)) for u in ends)
        models = (self._model(self._bowl.theta(u)) for u in ends)
        measure = f"{name} {'/' if as_ratio else '-'} e_orig"
        found = (min(low, high), high, *models, self.feature_names[j], measure, question)
        said = {"loss": squared_error.in_words, "sample": rows_given(len(self._bowl.y))}
        repeats = "exact over the good models"
        return RelianceRange(*found, reference=float(as_ratio), **said, repeats=repeats)

    def _refuse_zero_loss(self, error: Quadratic) -> None:
        zero = 1e-13 * self._null_loss() + 1e-28 * np.mean(self._bowl.y**2)
        if error(minimiser(error, self._radius)) <= zero:
            raise ValueError(
                "Some model of the set predicts this y without error, so a reliance ratio, which "
                "divides by the loss, is unbounded over the set. Use as_ratio=False, a smaller "
                "epsilon or more rows."
            )

    def _null_loss(self) -> float:
        """The loss of a class member that uses no feature, for scale."""
        return np.mean(self._bowl.y**2)


class LinearRashomonSet(RashomonSet):
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
        _refuse_overflow(values, y)
        self.epsilon, self.fit_intercept, self.alpha = epsilon, bool(fit_intercept), alpha
        self._values = values
        self._mean = values.mean(axis=0) if fit_intercept else np.zeros(values.shape[1])
        Phi = values - self._mean
        Phi[:, constant_columns(values) & fit_intercept] = 0.0
        penalty = np.full(values.shape[1], alpha)
        if fit_intercept:
            Phi, penalty = np.column_stack([np.ones(len(y)), Phi]), np.append(0.0, penalty)
        self._build(X, Phi, penalty, y, column_names(X))
        self._bound((self.least_loss if reference is None else self._loss_of(reference)) + epsilon)

    def border(self, n_points: int = 181) -> np.ndarray:
        """The coefficients of models with exactly the limit as loss, once around the ellipse.

        For two features, shape (n_points, 2); each with its best intercept.
        """
        if len(self.feature_names) != 2:
            raise ValueError(
                f"The border of the good models is a curve for two features, this set has "
                f"{', '.join(self.feature_names)}. Keep two columns, or use coefficient_range."
            )
        turn = np.linspace(0, 2 * np.pi, check_count(n_points, "n_points"))
        u = np.zeros((n_points, len(self._bowl.centre)))
        u[:, -2:] = self._radius * np.column_stack([np.cos(turn), np.sin(turn)])
        return self._bowl.theta(u)[:, -2:]

    def coefficient_range(self, feature) -> tuple[float, float]:
        """The least and the largest coefficient that a good model gives a feature."""
        m = feature_index(feature, self.feature_names) + self.fit_intercept
        middle, half = self._bowl.centre[m], self._radius * np.linalg.norm(self._bowl.basis[m])
        return float(middle - half), float(middle + half)

    def reliance_at(self, coefficients, feature) -> np.ndarray:
        """MR (the ratio) on a feature of the linear models with these coefficients.

        Parameters
        ----------
        coefficients : array of shape (..., n_features)
            Of any models, good or not; each gets the intercept of the least error.
        feature : name or position
        """
        j, bowl, p = feature_index(feature, self.feature_names), self._bowl, len(self.feature_names)
        rule = f"coefficients must be finite numbers, {p} for each model"
        coefficients = check_numbers(coefficients, rule, "Pass an array.")
        if coefficients.shape[-1:] != (p,):
            raise ValueError(
                f"{rule}, got an array of shape {coefficients.shape}. Give one for each of "
                f"{', '.join(self.feature_names)}, in this order."
            )
        steps = np.zeros((*np.shape(coefficients)[:-1], len(bowl.centre)))
        steps[..., self.fit_intercept :] = coefficients - bowl.centre[self.fit_intercept :]
        u = steps @ np.linalg.inv(bowl.basis).T
        return 1 + self._increase(j, conditional=False)(u) / bowl.squared_error()(u)

    def _model(self, theta: np.ndarray) -> LinearRegression:
        model = LinearRegression(fit_intercept=self.fit_intercept)
        model.coef_ = theta[1:].copy() if self.fit_intercept else theta.copy()
        model.intercept_ = float(theta[0] - self._mean @ model.coef_) if self.fit_intercept else 0.0
        return self._with_names(model)

    def _theta(self, model) -> np.ndarray | None:
        """Coefficients of a fitted model, None if on these rows it is no linear function."""
        answers = response_function(model, self._like)(handed_over(self._values))
        if answers.ndim != 1 or answers.dtype.kind not in "biuf":
            return None
        b = linear_coefficients(model)
        if b is None:
            theta = np.linalg.lstsq(self._bowl.Phi, answers, rcond=None)[0]
        elif self.fit_intercept:
            theta = np.append(model.intercept_ + self._mean @ b, b)
        else:
            theta = b
        close = 1e-8 * np.abs(answers).max()
        is_linear = np.allclose(self._bowl.Phi @ theta, answers, rtol=0, atol=close)
        return theta if is_linear else None

    def _null_loss(self) -> float:
        return np.var(self._bowl.y) if self.fit_intercept else super()._null_loss()

    def _loss_of(self, reference) -> float:
        if self.alpha == 0:
            answers = response_function(reference, self._like)(handed_over(self._values))
            return float(np.mean(squared_error(self._bowl.y, answers)))
        theta = self._theta(reference)
        if theta is None:
            raise ValueError(
                f"With a penalty the reference must be a linear model, whose coefficients are "
                f"penalised too; this {type(reference).__name__} is not. Use alpha=0, or a Ridge."
            )
        return self._bowl.loss(theta)

    def _increase(self, j: int, conditional: bool) -> Quadratic:
        part = self._values[:, j]
        if conditional:
            part = unique_part(self._values, j, fit_intercept=self.fit_intercept)
        part, n, m = part - part.mean(), len(part), j + self.fit_intercept
        variance, bowl = part @ part / (n - 1), self._bowl
        b, covariance = bowl.centre[m], bowl.residuals @ part / (n - 1)
        b_slope, covariance_slope = bowl.basis[m], -(part @ bowl.slopes) / (n - 1)
        return Quadratic.product(
            2 * b_slope, 2 * b, covariance_slope + variance * b_slope, covariance + variance * b
        )


class KernelRashomonSet(RashomonSet):
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
        _refuse_overflow(self._values, y)
        self._K = rbf_kernel(self._values, gamma=self.gamma)
        eigenvalues, V = np.linalg.eigh(self._K)
        kept = eigenvalues > KERNEL_ZERO * eigenvalues[-1]
        root, V = np.sqrt(eigenvalues[kept]), V[:, kept]
        self._to_w, self._from_w = V / root, (V * root).T  # w = _to_w theta, w'Kw = theta'theta
        self._build(X, V * root, np.full(len(root), self.alpha), y)
        self._bound(self.least_loss + self.epsilon)

    def _model(self, theta: np.ndarray) -> KernelRidge:
        n = len(self._values)
        model = KernelRidge(kernel="rbf", gamma=self.gamma, alpha=n * self.alpha)
        model.dual_coef_, model.X_fit_ = self._to_w @ theta, self._values.copy()
        return self._with_names(model)

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
        n, K, y = len(self._bowl.y), self._K, self._bowl.y
        moments = chimera_moments if conditional else switched_moments
        second, first = moments(self._values, y, j, self.gamma)
        in_w = Quadratic(second - K @ K / n, -(first - K @ y / n), 0.0)
        return in_w.at(self._to_w @ self._bowl.centre, self._to_w @ self._bowl.basis)


def _refuse_overflow(values: np.ndarray, y: np.ndarray) -> None:
    """Raise if squares of the data would not be finite."""
    if max(np.abs(values).max(), np.abs(y).max()) > 1e100:
        raise ValueError(
            "X or y has values beyond 1e100, whose squares overflow; losses must be finite. "
            "Rescale it, for example to a standard deviation of 1."
        )
