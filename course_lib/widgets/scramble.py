"""Scramble one of two correlated features and see where the model has to answer."""

from dataclasses import dataclass
from functools import cache

import ipywidgets as widgets
import numpy as np
from matplotlib.colors import BoundaryNorm

from course_lib.plots.style import BLUE, GREEN, GREY, INK, ORANGE
from course_lib.validation import check_count, check_number, check_option
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene

N_SAMPLES, NOISE, SEED = 100, 1.0, 194
RHOS = np.round(np.arange(0, 0.961, 0.02), 2)
MODELS = {"bent surface": 6, "plane": 3}  # and the number of its coefficients
GOAL = 3.0  # times the truth
REACH = 4.0  # of the axes
BANDS = np.arange(-9, 9.1, 1.5)


@dataclass(frozen=True, eq=False)
class Scrambled:
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


def scrambled(rho: float, model: str = "bent surface", *, n_samples=N_SAMPLES, random_state=SEED):
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
    result : Scrambled

    Examples
    --------
    >>> near, far = scrambled(0.0), scrambled(0.98)
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
    return Scrambled(
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


@cache
def _state(rho: float, model: str) -> Scrambled:
    return scrambled(rho, model)


@cache
def _factors(model: str) -> np.ndarray:
    return np.array([_state(float(rho), model).factor for rho in RHOS])


class ScrambleScene(Scene):
    """Left the rows, once as they are and once scrambled, over the surface; right the factor."""

    size = (6.4, 3.7)

    def draw(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
        self.image = left.imshow(
            np.zeros((2, 2)),
            origin="lower",
            extent=(-REACH, REACH, -REACH, REACH),
            cmap="cividis",
            norm=BoundaryNorm(BANDS, 256, extend="both"),
            interpolation="bilinear",
        )
        left.set(xlabel="x1", ylabel="x2", xticks=(-3, 0, 3), yticks=(-3, 0, 3))
        left.set_title("● as they are", color=INK)
        left.set_title("◆ x1 scrambled", color=ORANGE, loc="right")
        paper = {"linestyle": "none", "markeredgecolor": "white"}
        (self.far,) = left.plot([], [], "D", color=ORANGE, markersize=6, **paper)
        (self.near,) = left.plot([], [], "o", color=INK, markersize=6, **paper)
        right.set(xlim=(-0.02, 1), ylim=(0, 8), xlabel="correlation ρ", xticks=(0, 0.5, 1))
        right.set_title("importance of x1 / truth")
        right.axhline(1, color=GREY, linewidth=1.4)
        right.axhline(GOAL, color=GREEN, linewidth=1.4, linestyle="--")
        right.text(0, GOAL + 0.12, f"{GOAL:g} times the truth", color=GREEN, va="bottom")
        (self.curve,) = right.plot(RHOS, 0 * RHOS, color=BLUE)
        (self.here,) = right.plot([0], [0], "o", color=BLUE, markersize=10)
        return [self.image, self.far, self.near, self.curve, self.here]

    def update(self, rho, model):
        state = _state(rho, model)
        grid = np.linspace(-REACH, REACH, 61)
        self.image.set_data(state.surface(grid, grid[:, np.newaxis]))
        self.near.set_data(state.x1, state.x2)
        self.far.set_data(state.x1[state.order], state.x2)
        self.curve.set_ydata(_factors(model))
        self.here.set_data([rho], [state.factor])


def _readout(rho: float, model: str) -> str:
    state = _state(rho, model)
    return (
        f"ρ = {rho:.2f}, {model}: squared distance from the true surface {state.near:.3f} where "
        f"the rows are, {state.far:.3f} where the scrambled rows are\n"
        f"importance of x1: {state.importance:.2f} for the model, {state.truth:.2f} for the true "
        f"surface on the same rows: {state.factor:.2f} times the truth"
    )


def _alt(rho: float, model: str) -> str:
    return (
        f"Left, {N_SAMPLES} rows along the diagonal and the same rows with x1 scrambled, which "
        f"leave it, over the fitted surface. Right, the importance of x1 divided by its true "
        f"value against ρ. {_readout(rho, model)}"
    )


def scramble_explorer() -> Explorer:
    """Slide the correlation: the fit to the data stays, the importance of x1 runs away."""
    rho = widgets.FloatSlider(
        value=0.0, min=RHOS[0], max=RHOS[-1], step=0.02, description="ρ", readout_format=".2f"
    )
    model = widgets.ToggleButtons(options=list(MODELS), description="model")
    model.style.button_width = "8em"
    return Explorer(
        frame=ScrambleScene(),
        readout=_readout,
        controls={"rho": rho, "model": model},
        goal=f"Make the permutation importance of x1 at least {GOAL:g} times its true value.",
        reached=lambda rho, model: _state(rho, model).factor >= GOAL,
        alt=_alt,
        then="The distance from the truth where the rows are has not changed at all. Which part "
        "of the surface was paid for? Now take the plane: what can it not do?",
    )
