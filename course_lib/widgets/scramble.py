"""Scramble one of two correlated features and see where the model has to answer."""

import ipywidgets as widgets
import numpy as np
from matplotlib.colors import BoundaryNorm

from course_lib.plots.style import BLACK, BLUE, GREEN, GREY, INK, ORANGE, STILL, WHITE
from course_lib.plots.svg import mark
from course_lib.studies.extrapolation import (
    MODELS,
    N_SAMPLES,
    RHOS,
    SurfaceFit,
    explorer_fit,
    importance_factors,
)
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene

GOAL = 3.0  # times the truth
REACH = 4.0  # of the axes
BANDS = np.arange(-9, 9.1, 1.5)


class ScrambleScene(Scene):
    """Left the rows, once as they are and once scrambled, over the surface; right the factor."""

    size, narrow = (6.4, 3.7), (4.9, 7.4)
    stills = ({"rho": 0.9}, {"rho": 0.94})

    def draw(self, figure):
        left, right = self.panels(figure, (1.25, 1), (1.7, 1))
        self.image = left.imshow(
            np.zeros((2, 2)),
            origin="lower",
            extent=(-REACH, REACH, -REACH, REACH),
            cmap="cividis",
            norm=BoundaryNorm(BANDS, 256, extend="both"),
            interpolation="bilinear",
        )
        left.set(xlabel="x1", ylabel="x2", xticks=(-3, 0, 3), yticks=(-3, 0, 3))
        title = "bands: the answers, yellow is high\nblack: the rows\n"
        left.set_title(title, color=INK)  # in words: on a dark page INK is white
        left.text(0, 1.03, "orange: with x1 scrambled", color=ORANGE, transform=left.transAxes)
        edge = {"linestyle": "none", "markeredgecolor": WHITE, "markersize": 6}
        (self.far,) = left.plot([], [], "D", color=STILL[ORANGE], **edge)
        (self.near,) = left.plot([], [], "o", color=BLACK, **edge)
        right.set(xlim=(-0.02, 1), ylim=(0, 8), xlabel="correlation, ρ", xticks=(0, 0.5, 1))
        right.set_ylabel("importance of x1,\ntimes the truth")
        mark(right.axhline(1, color=GREY, linewidth=1.4), "the truth: 1")
        right.axhline(GOAL, color=GREEN, linewidth=1.4, linestyle="--")
        right.text(0, GOAL + 0.12, f"{GOAL:g} times the truth", color=GREEN, va="bottom")
        (self.curve,) = right.plot(RHOS, 0 * RHOS, color=BLUE)
        (self.here,) = right.plot([0], [0], "o", color=BLUE, markersize=10)
        self.right = right
        return [self.image, self.far, self.near, self.curve, self.here]

    def update(self, rho, model):
        fit = explorer_fit(rho, model)
        grid = np.linspace(-REACH, REACH, 61)
        self.image.set_data(fit.surface(grid, grid[:, np.newaxis]))
        self.near.set_data(fit.x1, fit.x2)
        self.far.set_data(fit.x1[fit.order], fit.x2)
        self.curve.set_ydata(importance_factors(model))
        self.here.set_data([rho], [fit.factor])
        mark(self.near, _row_tips(fit, fit.x1, "row as it is"))
        mark(self.far, _row_tips(fit, fit.x1[fit.order], "scrambled row"))
        mark(self.curve, f"{model}, at every correlation")
        mark(self.here, f"correlation {rho:.2f}: {fit.factor:.2f} times the truth")

    def handles(self, rho, model):
        return {"rho": (self.right, rho, None)}


def _row_tips(fit: SurfaceFit, x1: np.ndarray, name: str) -> list[str]:
    """Where each row is, what the model answers there, and the truth."""
    columns = np.round([x1, fit.x2, fit.surface(x1, fit.x2), x1 + fit.x2], 1) + 0.0
    return [
        f"{name}: x1 {a:.1f}, x2 {b:.1f}; model {answer:.1f}, truth {truth:.1f}".replace("-", "−")
        for a, b, answer, truth in columns.T
    ]


def _readout(rho: float, model: str) -> str:
    fit = explorer_fit(rho, model)
    return (
        f"At the correlation ρ = {rho:.2f} the {model} has a mean squared distance from the true "
        f"surface of {fit.near:.3f} where the rows are, and of {fit.far:.3f} where the scrambled "
        f"rows are.\n"
        f"The importance of x1 is {fit.importance:.2f} for this model and {fit.truth:.2f} for the "
        f"true surface on the same rows: {fit.factor:.2f} times the truth."
    )


def _alt(rho: float, model: str) -> str:
    return (
        f"{N_SAMPLES} rows along the diagonal and the same rows with x1 scrambled, which leave it, "
        f"over the fitted surface. In another panel the importance of x1 divided by its true value "
        f"against ρ. {_readout(rho, model)}"
    )


def scramble_explorer() -> Explorer:
    """Slide the correlation: the fit to the data stays, the importance of x1 runs away."""
    rho = widgets.FloatSlider(
        value=0.0, min=RHOS[0], max=RHOS[-1], step=0.02, description="correlation, ρ"
    )
    rho.readout_format = ".2f"
    model = widgets.ToggleButtons(options=list(MODELS), description="the model is a")
    return Explorer(
        stored="scramble",
        frame=ScrambleScene(),
        readout=_readout,
        controls={"rho": rho, "model": model},
        goal=f"Make the permutation importance of x1 at least {GOAL:g} times its true value.",
        reached=lambda rho, model: explorer_fit(rho, model).factor >= GOAL,
        alt=_alt,
        then="The distance from the truth where the rows are has not changed at all. Which part "
        "of the surface was paid for? Now take the plane: what can it not do?",
    )
