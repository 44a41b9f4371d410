"""Turn up epsilon and see the good models spread over the lines of equal reliance."""

import ipywidgets as widgets
import numpy as np

from course_lib.plots.rashomon import BAND_NORM, BANDS, LEVELS
from course_lib.plots.style import BLUE, GREY, INK, ORANGE
from course_lib.studies.gauges import FAN, good_models, reliance_fan, reliance_surface, some_ignore
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene

STEP = 0.01  # of epsilon
REACH = (-2.4, 4.4)  # of both coefficients


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
        state, fan = good_models(rho, epsilon), reliance_fan(rho)
        self.image.set_data(reliance_surface(rho, *REACH))
        self.border.set_data(*state.border.T)
        self.lowest.set_data(*state.low_model[:, np.newaxis])
        self.highest.set_data(*state.high_model[:, np.newaxis])
        epsilons = np.append(FAN[FAN < epsilon], epsilon)
        for curve, values, end in zip(
            (self.low_curve, self.high_curve), fan, (state.low, state.high), strict=True
        ):
            curve.set_data(epsilons, np.append(values[: len(epsilons) - 1], end))
        self.bar.set_data([epsilon, epsilon], [state.low, state.high])
        self.low_end.set_data([epsilon], [state.low])
        self.high_end.set_data([epsilon], [state.high])


def _readout(epsilon: float, rho: float) -> str:
    state = good_models(rho, epsilon)
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


def _is_first_step(epsilon: float, rho: float) -> bool:
    """Whether this is the first step of epsilon at which some good model ignores x1."""
    return some_ignore(rho, epsilon) and not some_ignore(rho, epsilon - STEP)


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
        reached=_is_first_step,
        alt=_alt,
        then="Now change ρ and find it again. Which two errors differ by exactly this ε?",
    )
