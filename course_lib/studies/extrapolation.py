"""Surfaces fitted to two correlated inputs and asked where no row is, once one is scrambled."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from sklearn.base import clone

from course_lib.measures.permutation import permutation_importance
from course_lib.validation import check_count, check_number, check_option

N_SAMPLES, NOISE, SEED = 100, 1.0, 194
RHOS = np.round(np.arange(0, 0.961, 0.02), 2)
MODELS = {"bent surface": 6, "plane": 3}  # and the number of its coefficients


@dataclass(frozen=True, eq=False)
class SurfaceFit:
    """A surface fitted to x1 and x2, their scrambled rows, and what scrambling x1 costs it.

    `near` and `far` are the mean squared distances from the true surface x1 + x2, on the rows as
    they are and on all rows with x1 of another row; `importance` and `truth` are the increases of
    the squared error over the same pairs, for the fitted and for the true surface.
    """

    x1: np.ndarray
    x2: np.ndarray
    y: np.ndarray
    order: np.ndarray  # one of the shuffles of x1
    coefficients: np.ndarray
    near: float
    far: float
    importance: float
    truth: float

    @property
    def factor(self) -> float:
        """How many times its true value the importance of x1 is."""
        return self.importance / self.truth

    def surface(self, x1, x2) -> np.ndarray:
        """What the fitted model answers at (x1, x2)."""
        return _terms(np.asarray(x1), np.asarray(x2), len(self.coefficients)) @ self.coefficients


def surface_fit(
    rho: float, model: str = "bent surface", *, n_samples=N_SAMPLES, random_state=SEED
) -> SurfaceFit:
    """Fit a surface to y = x1 + x2 + noise with corr(x1, x2) = rho, and scramble x1.

    The two inputs are standard normal, the noise has the standard deviation 1. The same seed
    gives the same normal numbers for every rho, and the bent surface spans the same functions of
    them, so that its residuals are the same for every rho: the data cannot tell the fits apart.

    Parameters
    ----------
    rho : float
        Above -1 and below 1.
    model : {"bent surface", "plane"}, default="bent surface"
        Least squares with or without the three quadratic terms.
    n_samples : int, default=100
    random_state : int, default=194

    Returns
    -------
    result : SurfaceFit

    Examples
    --------
    >>> near, far = surface_fit(0.0), surface_fit(0.98)
    >>> bool(np.isclose(near.near, far.near)), bool(far.far > 100 * near.far)
    (True, True)
    """
    if not -1 < check_number(rho, "rho") < 1:
        raise ValueError(f"rho must lie between -1 and 1, got {rho}. Choose 0.9, say.")
    n_terms = MODELS[check_option(model, "model", tuple(MODELS))]
    n = check_count(n_samples, "n_samples", minimum=8)
    rng = np.random.default_rng(random_state)
    x1, other, e = rng.standard_normal((3, n))
    x2 = rho * x1 + np.sqrt(1 - rho**2) * other
    y = x1 + x2 + NOISE * e
    b = np.linalg.lstsq(_terms(x1, x2, n_terms), y, rcond=None)[0]
    new = np.broadcast_to(x1, (n, n))  # row k gets the x1 of row i in column i
    far = _terms(new, x2[:, np.newaxis], n_terms) @ b
    fitted, true_far = _terms(x1, x2, n_terms) @ b, new + x2[:, np.newaxis]
    return SurfaceFit(
        *(x1, x2, y, rng.permutation(n), b),
        near=float(((fitted - x1 - x2) ** 2).mean()),
        far=_over_pairs((far - true_far) ** 2),
        importance=_over_pairs((y[:, np.newaxis] - far) ** 2) - float(((y - fitted) ** 2).mean()),
        truth=_over_pairs((y[:, np.newaxis] - true_far) ** 2) - float(((y - x1 - x2) ** 2).mean()),
    )


def _terms(x1, x2, n_terms: int) -> np.ndarray:
    x1, x2 = np.broadcast_arrays(x1, x2)
    return np.stack([np.ones_like(x1), x1, x2, x1 * x1, x1 * x2, x2 * x2][:n_terms], axis=-1)


def _over_pairs(values: np.ndarray) -> float:
    """The mean of an n x n table without its diagonal, where a row keeps its own value."""
    n = len(values)
    return float((values.sum() - np.trace(values)) / (n * (n - 1)))


def extrapolation_error(rho, *, n_samples: int = N_SAMPLES, scramble: bool = True):
    """Expected squared distance of the bent surface from the true one, to first order in 1/n.

    In s = (x1 + x2) / sqrt(2 + 2 rho) and d = (x1 - x2) / sqrt(2 - 2 rho) the rows are standard
    normal, and the six coefficients of 1, s, d, sd, (s^2 - 1)/sqrt(2), (d^2 - 1)/sqrt(2) each have
    the variance noise^2 / n. Scrambling x1 makes s and d independent with the variances
    V_s = 1 / (1 + rho) and V_d = 1 / (1 - rho), so that the error is

    noise^2 / n [ 1 + V_s + V_d + V_s V_d + (3 V_s^2 - 2 V_s + 1)/2 + (3 V_d^2 - 2 V_d + 1)/2 ],

    which grows like 1.5 / (1 - rho)^2.

    Parameters
    ----------
    rho : float or array
    n_samples : int, default=100
    scramble : bool, default=True
        Whether on scrambled rows, or on new rows as they come: 6 noise^2 / n.

    Examples
    --------
    Without correlation a scrambled row is a row like any other.

    >>> [round(float(extrapolation_error(0.0, scramble=it)), 6) for it in (True, False)]
    [0.06, 0.06]
    """
    rho = np.asarray(rho, dtype=float)
    V_s, V_d = (1 / (1 + rho), 1 / (1 - rho)) if scramble else (1 + 0 * rho, 1 + 0 * rho)
    quadratic = (3 * V_s**2 - 2 * V_s + 3 * V_d**2 - 2 * V_d + 2) / 2
    return NOISE**2 / n_samples * (1 + V_s + V_d + V_s * V_d + quadratic)


explorer_fit = cache(surface_fit)  # few states: the default seed, RHOS and MODELS


@cache
def importance_factors(model: str) -> np.ndarray:
    """How many times its true value the importance of x1 is, at each of RHOS."""
    return np.array([explorer_fit(float(rho), model).factor for rho in RHOS])


COEFFICIENTS = np.array([1, 1, 1, 1, 1, 0, 0.5, 0.8, 1.2, 1.5])


def pair_among_equals(rho: float, estimator, *, n_samples: int = 300, random_state=0):
    """Mean permutation importances of a correlated pair and of three columns of equal weight.

    Ten standard normal columns, y = x @ COEFFICIENTS + noise of standard deviation 0.5; x1 and x2
    have the correlation `rho`, all other columns are independent. The estimator is fitted to
    `n_samples` rows, and its importances are measured on as many new ones.

    Returns
    -------
    importances : tuple of two float
        The means over x1 and x2, and over x3, x4 and x5. For the true model both are 2.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> [round(value) for value in pair_among_equals(0.9, LinearRegression())]
    [2, 2]
    """
    if not -1 <= check_number(rho, "rho") <= 1:
        raise ValueError(f"rho must lie between -1 and 1, got {rho}. Choose 0.9, say.")
    rng = np.random.default_rng(random_state)
    (X, y), new = (_ten_columns(rho, check_count(n_samples, "n_samples"), rng) for _ in "ab")
    model = clone(estimator).fit(X, y)
    result = permutation_importance(model, *new, random_state=rng).importances_mean
    return float(result[:2].mean()), float(result[2:5].mean())


def pair_by_correlation(rhos, estimators, *, n_seeds: int = 5) -> dict[str, np.ndarray]:
    """Importances of the pair and of its equals at each correlation, means over some samples.

    Parameters
    ----------
    rhos : sequence of numbers
    estimators : mapping from label to estimator

    Returns
    -------
    curves : dict
        "label: the pair" and "label: the other three" with one value for each of `rhos`.
    """
    curves = {}
    for label, estimator in estimators.items():
        found = [
            [pair_among_equals(rho, estimator, random_state=seed) for seed in range(n_seeds)]
            for rho in rhos
        ]
        pair, equals = np.mean(found, axis=1).T
        curves |= {f"{label}: the pair": pair, f"{label}: the other three": equals}
    return curves


def _ten_columns(rho: float, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.standard_normal((n, len(COEFFICIENTS)))
    X[:, 1] = rho * X[:, 0] + np.sqrt(1 - rho**2) * X[:, 1]
    signal = sum(x * b for x, b in zip(X.T, COEFFICIENTS, strict=True))  # as in LinearSCM.sample
    return X, signal + 0.5 * rng.standard_normal(n)
