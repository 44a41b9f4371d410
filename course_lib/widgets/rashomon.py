"""Turn up epsilon and see the good models spread over the lines of equal reliance."""

from dataclasses import dataclass
from functools import cache

import ipywidgets as widgets
import numpy as np
from sklearn.linear_model import LinearRegression

from course_lib.measures.rashomon.sets import LinearRashomonSet
from course_lib.measures.reliance import algorithm_reliance
from course_lib.plots.ellipses import (
    BAND_NORM,
    BANDS,
    LEVELS,
    ellipse_of_good_models,
    reliance_over_plane,
)
from course_lib.plots.style import BLUE, GREY, INK, ORANGE
from course_lib.validation import check_number
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene
from course_lib.worlds.datasets import make_exact_linear

N_SAMPLES, SEED = 200, 0
STEP = 0.01  # of epsilon
FAN = np.linspace(0, 1, 21) ** 2  # epsilons of the curves on the right, closer where they bend
REACH = (-2.4, 4.4)  # of both coefficients
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
    X, y = river(rho)
    mcr = LinearRashomonSet(X, y, epsilon=epsilon).model_class_reliance("x1")
    return GoodModels(
        *(mcr.low, mcr.high, mcr.low_model.coef_, mcr.high_model.coef_),
        border=ellipse_of_good_models(X, y, epsilon),
        reach=_reach(X, y, epsilon),
        ignores=epsilon >= price_of_ignoring(rho) - ROUNDING,
    )


def _reach(X, y, epsilon: float) -> tuple[float, float]:
    """bhat_1 -+ sqrt(epsilon (G^-1)_11): how far the ellipse extends along its first axis."""
    G, bhat = np.cov(X.T, ddof=0), LinearRegression().fit(X, y).coef_
    half = np.sqrt(epsilon * np.linalg.inv(G)[0, 0])
    return float(bhat[0] - half), float(bhat[0] + half)


_state = cache(good_models)


@cache
def _fan(rho: float) -> np.ndarray:
    """MCR- and MCR+ along FAN, shape (2, 21)."""
    states = [_state(rho, float(epsilon)) for epsilon in FAN]
    return np.array([[state.low for state in states], [state.high for state in states]])


@cache
def _surface(rho: float) -> np.ndarray:
    grid = np.linspace(*REACH, 205)
    return reliance_over_plane(*river(rho), 0, grid, grid[:, np.newaxis])


class RashomonScene(Scene):
    """Left the ellipse over bands of equal reliance on x1; right the range, up to this epsilon."""

    size = (6.4, 3.7)

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1.5, 1))
        self.image = left.imshow(
            np.zeros((2, 2)),
            origin="lower",
            extent=REACH * 2,
            cmap=BANDS,
            norm=BAND_NORM,
            interpolation="nearest",  # a few flat colours, so that the picture stays small
        )
        figure.colorbar(self.image, ax=left, ticks=LEVELS, format="%g", shrink=0.92)
        left.axvline(0, color=GREY, linewidth=1.4, linestyle="--")
        left.set(xlabel="coefficient of x1", ylabel="coefficient of x2")
        left.set(xticks=(-2, 0, 2, 4), yticks=(-2, 0, 2, 4), xlim=REACH, ylim=REACH)
        left.set_title("reliance on x1 (orange: below 1)")
        (self.border,) = left.plot([], [], color=INK)
        (self.best,) = left.plot([1], [1], "o", color=INK, markersize=6)
        ends = {"markersize": 9, "markeredgecolor": "white", "linestyle": "none"}
        (self.lowest,) = left.plot([], [], "v", color=ORANGE, **ends)
        (self.highest,) = left.plot([], [], "^", color=BLUE, **ends)
        right.set(xlim=(-0.03, 1.03), ylim=(0.45, 25), yscale="log", xlabel="ε", xticks=(0, 0.5, 1))
        right.set_yticks([0.5, 1, 2, 5, 10, 20], ["0.5", "1", "2", "5", "10", "20"])
        right.minorticks_off()
        right.axhline(1, color=GREY, linewidth=1.4)
        right.set_title("least and most")
        (self.low_curve,) = right.plot([], [], color=ORANGE, linestyle="-")
        (self.high_curve,) = right.plot([], [], color=BLUE, linestyle="-")
        (self.bar,) = right.plot([], [], color=INK, linewidth=2)
        (self.low_end,) = right.plot([], [], "v", color=ORANGE, **ends)
        (self.high_end,) = right.plot([], [], "^", color=BLUE, **ends)
        moving = [self.image, self.border, self.best, self.lowest, self.highest, self.low_curve]
        over = [*left.lines[:1], *left.spines.values()]  # what the image would hide
        return [*moving, self.high_curve, self.bar, self.low_end, self.high_end, *over]

    def update(self, epsilon, rho):
        state, fan = _state(rho, epsilon), _fan(rho)
        self.image.set_data(_surface(rho))
        self.border.set_data(*state.border.T)
        self.lowest.set_data(*state.low_model[:, np.newaxis])
        self.highest.set_data(*state.high_model[:, np.newaxis])
        shown = np.append(FAN[FAN < epsilon], epsilon)
        for curve, values, end in zip(
            (self.low_curve, self.high_curve), fan, (state.low, state.high), strict=True
        ):
            curve.set_data(shown, np.append(values[: len(shown) - 1], end))
        self.bar.set_data([epsilon, epsilon], [state.low, state.high])
        self.low_end.set_data([epsilon], [state.low])
        self.high_end.set_data([epsilon], [state.high])


def _readout(epsilon: float, rho: float) -> str:
    state = _state(rho, epsilon)
    least, most = (round(b, 2) + 0.0 for b in state.reach)
    verdict = "some good model ignores x1" if state.ignores else "every good model uses x1"
    return (
        f"ε = {epsilon:.2f}, ρ = {rho:.2f}: models up to {100 * epsilon:.0f} % worse than the best "
        f"rely on x1 between {state.low:.2f} and {state.high:.2f}\n"
        f"their coefficients of x1 lie between {least:.2f} and {most:.2f}: {verdict}"
    )


def _alt(epsilon: float, rho: float) -> str:
    return (
        f"Left, the ellipse of good models in the plane of the two coefficients, over bands of "
        f"equal reliance on x1. Right, least and most reliance on x1 as epsilon grows. "
        f"{_readout(epsilon, rho)}"
    )


def _attains(epsilon: float, rho: float) -> bool:
    """Whether this is the first step of epsilon at which some good model ignores x1."""
    price = price_of_ignoring(rho)
    return epsilon >= price - ROUNDING and epsilon - STEP < price - ROUNDING


def rashomon_explorer() -> Explorer:
    """Turn up epsilon until some good model of the river ignores the first gauge."""
    epsilon = widgets.FloatSlider(
        value=0.05, min=0.0, max=1.0, step=STEP, description="ε", readout_format=".2f"
    )
    rho = widgets.FloatSlider(
        value=0.9, min=0.0, max=0.95, step=0.05, description="ρ", readout_format=".2f"
    )
    return Explorer(
        frame=RashomonScene(),
        readout=_readout,
        controls={"epsilon": epsilon, "rho": rho},
        goal="Find the smallest ε at which some good model ignores x1, for this ρ or another.",
        reached=_attains,
        alt=_alt,
        then="Now change ρ and find it again. Which two errors differ by exactly this ε?",
    )
