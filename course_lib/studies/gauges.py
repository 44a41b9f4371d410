"""The good linear models of a river with two gauges, and what ignoring one of the two costs."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from sklearn.linear_model import LinearRegression

from course_lib.measures.algorithms import algorithm_reliance
from course_lib.measures.rashomon.sets import LinearRashomonSet
from course_lib.validation import check_number
from course_lib.worlds.datasets import make_exact_linear

N_SAMPLES, SEED = 200, 0
FAN = np.linspace(0, 1, 21) ** 2  # epsilons along which a range is followed, closer where it bends
ROUNDING = 1e-9


@cache
def river(rho: float):
    """The level of a river tomorrow, y = x1 + x2 + noise, and two gauges with correlation rho.

    All moments are exact in the sample: variances 1, noise of variance 1. So with R the
    correlations, MSE(b) = 1 + (b - 1)'R(b - 1), and leaving out one gauge costs 1 - rho^2.

    Examples
    --------
    >>> X, y = river(0.9)
    >>> round(price_of_ignoring(0.9), 6)
    0.19
    """
    correlation = [[1.0, rho], [rho, 1.0]]
    return make_exact_linear(
        N_SAMPLES, SEED, correlation=correlation, coefficients=[1.0, 1.0], noise=1.0
    )


@cache
def price_of_ignoring(rho: float) -> float:
    """The smallest epsilon at which some good model ignores x1: algorithm reliance (difference)."""
    return float(
        algorithm_reliance(LinearRegression(), *river(rho), as_ratio=False).importances_mean[0]
    )


def some_ignore(rho: float, epsilon: float) -> bool:
    """Whether some model whose error is at most 1 + epsilon ignores x1."""
    return epsilon >= price_of_ignoring(rho) - ROUNDING


@dataclass(frozen=True, eq=False)
class GoodModels:
    """The good models of the river at one epsilon: their range of reliance on x1, and its ends."""

    low: float
    high: float
    low_model: np.ndarray  # coefficients
    high_model: np.ndarray
    border: np.ndarray
    reach: tuple[float, float]  # least and largest coefficient of x1
    ignores: bool  # whether some of them ignores x1


@cache
def good_models(rho: float, epsilon: float) -> GoodModels:
    """The Rashomon set of linear models of the river whose error is at most 1 + epsilon.

    Parameters
    ----------
    rho : float
        Correlation of the gauges, above -1 and below 1.
    epsilon : float, at least 0
        The best error is 1, so 0.05 is 5 %.

    Examples
    --------
    With epsilon = 1 - rho^2 the ellipse touches b1 = 0.

    >>> state = good_models(0.6, 0.64)
    >>> state.ignores, round(state.low, 6), good_models(0.6, 0.63).ignores
    (True, 1.0, False)
    """
    if not -1 < check_number(rho, "rho") < 1:
        raise ValueError(f"rho must lie between -1 and 1, got {rho}. Choose 0.9, say.")
    epsilon = check_number(epsilon, "epsilon", minimum=0)
    good = LinearRashomonSet(*river(rho), epsilon=epsilon)
    mcr = good.model_class_reliance("x1")
    return GoodModels(
        *(mcr.low, mcr.high, mcr.low_model.coef_, mcr.high_model.coef_),
        border=good.border(),
        reach=good.coefficient_range("x1"),
        ignores=some_ignore(rho, epsilon),
    )


@cache
def reliance_fan(rho: float) -> np.ndarray:
    """MCR- and MCR+ on x1 along the epsilons of FAN, shape (2, 21)."""
    states = [good_models(rho, float(epsilon)) for epsilon in FAN]
    return np.array([[state.low for state in states], [state.high for state in states]])


@cache
def reliance_surface(rho: float, low: float, high: float, n_points: int = 205) -> np.ndarray:
    """The reliance on x1 of each linear model on a square of coefficients, b2 in the rows."""
    grid = np.linspace(low, high, n_points)
    plane = np.stack(np.meshgrid(grid, grid), axis=-1)
    return LinearRashomonSet(*river(rho), epsilon=0.0).reliance_at(plane, "x1")
