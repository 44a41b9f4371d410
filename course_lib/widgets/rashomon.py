"""Turn up epsilon and see the good models spread over the lines of equal reliance."""

import ipywidgets as widgets
import numpy as np

from course_lib.plots.rashomon import BAND_NORM, BANDS, LEVELS
from course_lib.plots.style import (
    BLACK,
    BLUE,
    GREY,
    INK,
    ORANGE,
    STILL,
    WHITE,
)
from course_lib.plots.svg import mark
from course_lib.studies.gauges import (
    FAN,
    GoodModels,
    good_models,
    reliance_fan,
    reliance_surface,
    some_ignore,
)
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene

STEP = 0.01  # of epsilon
ROUNDING = 1e-6  # of a step in the last decimal
REACH = (-2.4, 4.4)  # of both coefficients


class RashomonScene(Scene):
    """Left the ellipse over bands of equal reliance on x1; right the range, up to this epsilon."""

    size, narrow = (6.8, 3.8), (4.9, 7.2)

    def draw(self, figure):
        self.left, right = self.panels(figure, (1.5, 1), (1.5, 1))
        ends = {"markersize": 9, "markeredgecolor": WHITE, "linestyle": "none"}
        return [*self._draw_plane(figure, self.left, ends), *self._draw_range(right, ends)]

    def _draw_plane(self, figure, ax, ends) -> list:
        """On bands whose colours mean something, and so stay in a dark theme."""
        self.image = ax.imshow(
            np.zeros((2, 2)),
            origin="lower",
            extent=REACH * 2,
            cmap=BANDS,
            norm=BAND_NORM,
            interpolation="nearest",  # a few flat colours, so that the picture stays small
        )
        figure.colorbar(self.image, ax=ax, ticks=LEVELS, format="%g", shrink=0.92)
        ax.set(xlabel="coefficient of x1", ylabel="coefficient of x2")
        ax.set(xticks=(-2, 0, 2, 4), yticks=(-2, 0, 2, 4), xlim=REACH, ylim=REACH)
        ax.set_title("reliance on x1 (orange: below 1)")
        ignore = ax.axvline(0, color=BLACK, alpha=0.6, linewidth=1.4, linestyle="--")
        mark(ignore, "models that ignore x1: coefficient 0")
        (self.border,) = ax.plot([], [], color=BLACK)
        (self.best,) = ax.plot([1], [1], "o", color=BLACK, markersize=6)
        (self.lowest,) = ax.plot([], [], "v", color=STILL[ORANGE], **ends)
        (self.highest,) = ax.plot([], [], "^", color=STILL[BLUE], **ends)
        (self.knob,) = ax.plot([], [], "o", color=BLACK, markerfacecolor="none", markersize=15)
        self.knob.set_zorder(1.9)  # around the markers, and below them
        moving = [self.image, self.border, self.best, self.lowest, self.highest, self.knob]
        return [*moving, ignore, *ax.spines.values()]  # the last ones the image would hide

    def _draw_range(self, ax, ends) -> list:
        ax.set(xlim=(-0.03, 1.03), ylim=(0.45, 25), yscale="log", xlabel="error allowed, ε")
        ax.set_xticks([0, 0.5, 1], ["0 %", "50 %", "100 %"])
        ax.set_yticks([0.5, 1, 2, 5, 10, 20], ["0.5", "1", "2", "5", "10", "20"])
        ax.minorticks_off()
        ax.set_ylabel("reliance on x1")
        mark(ax.axhline(1, color=GREY, linewidth=1.4), "not important: 1")
        ax.set_title("▼ least", color=ORANGE)
        ax.set_title("▲ most", color=BLUE, loc="right")
        (self.low_curve,) = ax.plot([], [], color=ORANGE, linestyle="-")
        (self.high_curve,) = ax.plot([], [], color=BLUE, linestyle="-")
        (self.bar,) = ax.plot([], [], color=INK, linewidth=2)
        (self.low_end,) = ax.plot([], [], "v", color=ORANGE, **ends)
        (self.high_end,) = ax.plot([], [], "^", color=BLUE, **ends)
        return [self.low_curve, self.high_curve, self.bar, self.low_end, self.high_end]

    def update(self, epsilon, rho):
        state, fan = good_models(rho, epsilon), reliance_fan(rho)
        self.image.set_data(reliance_surface(rho, *REACH))
        self.border.set_data(*state.border.T)
        self.lowest.set_data(*state.low_model[:, np.newaxis])
        self.highest.set_data(*state.high_model[:, np.newaxis])
        self.knob.set_data(*leftmost(state)[:, np.newaxis])
        epsilons = np.append(FAN[FAN < epsilon], epsilon)
        for curve, values, end in zip(
            (self.low_curve, self.high_curve), fan, (state.low, state.high), strict=True
        ):
            curve.set_data(epsilons, np.append(values[: len(epsilons) - 1], end))
        self.bar.set_data([epsilon, epsilon], [state.low, state.high])
        self.low_end.set_data([epsilon], [state.low])
        self.high_end.set_data([epsilon], [state.high])
        self._name(epsilon, state, best=float(fan[0, 0]))

    def _name(self, epsilon: float, state: GoodModels, best: float) -> None:
        slack = f"{100 * epsilon:.0f} % of error allowed"
        mark(self.border, f"good models, {slack}")
        mark(self.best, f"best model: coefficients 1 and 1, reliance {best:.2f}")
        mark(self.knob, f"least coefficient of x1 with {slack}: {_plain(leftmost(state)[0])}")
        ends = (
            ("least", state.low, state.low_model, self.lowest, self.low_end, self.low_curve),
            ("most", state.high, state.high_model, self.highest, self.high_end, self.high_curve),
        )
        for name, value, model, on_plane, at_end, curve in ends:
            b1, b2 = map(_plain, model)
            mark(on_plane, f"{name} reliance on x1: {value:.2f}, coefficients {b1} and {b2}")
            mark(at_end, f"{slack}: {name} reliance on x1 {value:.2f}")
            mark(curve, f"{name} reliance on x1 of a good model")
        mark(self.bar, f"{slack}: reliance on x1 from {state.low:.2f} to {state.high:.2f}")

    def handles(self, epsilon, rho):
        return {"epsilon": (self.left, *leftmost(good_models(rho, epsilon)))}


def leftmost(state: GoodModels) -> np.ndarray:
    """The good model with the least coefficient of x1, which reaches the dashed line first."""
    return state.border[state.border[:, 0].argmin()]


def _plain(value: float) -> str:
    """Two decimals, a true minus sign, and no minus zero."""
    return f"{round(float(value), 2) + 0.0:.2f}".replace("-", "−")


def _outwards(low: float, high: float) -> tuple[str, str]:
    """Two ends of a range in three decimals, between which all of it lies.

    >>> _outwards(0.00377, 1.99623), _outwards(-1e-12, 2.0)
    (('0.003', '1.997'), ('0.000', '2.000'))
    """
    ends = np.floor(1000 * low + ROUNDING) / 1000, np.ceil(1000 * high - ROUNDING) / 1000
    return tuple(f"{end + 0.0:.3f}".replace("-", "−") for end in ends)


def _readout(epsilon: float, rho: float) -> str:
    state = good_models(rho, epsilon)
    (low, high), (least, most) = _outwards(state.low, state.high), _outwards(*state.reach)
    verdict = "some good model ignores x1" if state.ignores else "every good model uses x1"
    return (
        f"With ε = {epsilon:.2f} and ρ = {rho:.2f}, models up to {100 * epsilon:.0f} % worse than "
        f"the best rely on x1 between {low} and {high}.\n"
        f"Their coefficients of x1 lie between {least} and {most}: {verdict}."
    )


def _alt(epsilon: float, rho: float) -> str:
    return (
        f"The ellipse of good models in the plane of the two coefficients, over bands of equal "
        f"reliance on x1. In another panel least and most reliance on x1 as epsilon grows. "
        f"{_readout(epsilon, rho)}"
    )


def _is_first_step(epsilon: float, rho: float) -> bool:
    """Whether this is the first step of epsilon at which some good model ignores x1."""
    return some_ignore(rho, epsilon) and not some_ignore(rho, epsilon - STEP)


def rashomon_explorer() -> Explorer:
    """Turn up epsilon until some good model of the river ignores the first gauge."""
    epsilon = widgets.FloatSlider(value=0.05, min=0.0, max=1.0, step=STEP)
    epsilon.description, epsilon.readout_format = "error allowed, ε", ".0%"
    rho = widgets.FloatSlider(value=0.9, min=0.0, max=0.95, step=0.05)
    rho.description, rho.readout_format = "correlation, ρ", ".2f"
    return Explorer(
        stored="rashomon",
        frame=RashomonScene(),
        readout=_readout,
        controls={"epsilon": epsilon, "rho": rho},
        goal="Find the smallest error allowed, ε, at which some good model ignores x1, for this "
        "correlation ρ or another.",
        reached=_is_first_step,
        alt=_alt,
        then="Now change ρ and find it again. Which two errors differ by exactly this ε?",
    )
