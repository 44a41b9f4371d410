"""Give noise more values, a forest more depth, and watch it overtake a treatment that works."""

import ipywidgets as widgets
import numpy as np

from course_lib.plots.style import BLUE, GREY, INK, ORANGE
from course_lib.studies.noise import (
    ALL_DIFFER,
    DEPTHS,
    LEVELS,
    N_TRIALS,
    NO_LIMIT,
    SIZES,
    TRUTH,
    WAYS,
    stored_trials,
)
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene

MOST, FEW = 15, 5  # of the 20 trials: what counts as ranking first, and as cured


class NoiseScene(Scene):
    """Treatment above, ticket below: a dot for each trial, a marker for their mean."""

    size = (6.4, 2.9)

    def draw(self, figure):
        ax = figure.subplots()
        ax.set(xlim=(-0.07, 0.5), ylim=(-0.6, 1.75), xlabel="importance  (decrease of Gini)")
        ax.set_yticks([1, 0], ["treated\n(it works)", "ticket\n(noise)"])
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)
        ax.axvline(0, ymax=0.82, color=GREY, linewidth=1.4, zorder=0.5)
        hollow = {"color": INK, "markerfacecolor": "none", "markersize": 13, "linestyle": "none"}
        ax.plot([TRUTH, 0], [1, 0], "D", **hollow, zorder=1)
        spread = 0.2 * np.sin(2.4 * np.arange(N_TRIALS))
        faint = {"marker": ".", "linestyle": "none", "alpha": 0.45, "markersize": 7}
        styles = ((1, BLUE, "o"), (0, ORANGE, "s"))
        self.dots = [ax.plot(spread, row + spread, color=c, **faint)[0] for row, c, _ in styles]
        self.means = [ax.plot([0], [row], m, color=c, zorder=3)[0] for row, c, m in styles]
        self.title = ax.text(-0.065, 1.6, "", va="center")
        ax.text(0.495, 1.25, "◇ in the distribution", ha="right", va="center", color=INK)
        return [*self.dots, *self.means, self.title]

    def update(self, levels, n, depth, measure):
        trials = stored_trials(levels, n, depth, measure)
        for dots, mean, values in zip(
            self.dots, self.means, (trials.treated, trials.ticket), strict=True
        ):
            dots.set_xdata(values)
            mean.set_xdata([values.mean()])
        first = f"the ticket ranks first in {trials.n_misled} of {N_TRIALS} trials"
        self.title.set_text(f"{measure}: {first}")


def _is_cured(levels, n, depth, measure: str) -> bool:
    """The ticket leads these forests by MDI, and out of bag it does not."""
    by_mdi = stored_trials(levels, n, depth, "MDI")
    out_of_bag = stored_trials(levels, n, depth, "out of bag")
    return measure != "MDI" and by_mdi.n_misled >= MOST and out_of_bag.n_misled <= FEW


def _forest_text(levels, n, depth) -> str:
    tickets = (
        "a new number for everybody" if levels == ALL_DIFFER else f"{levels} different tickets"
    )
    growth = "grown until every leaf is pure" if depth == NO_LIMIT else f"of depth {depth}"
    return f"{n} patients, {tickets}, trees {growth}"


def _readout(levels, n, depth, measure: str) -> str:
    trials = stored_trials(levels, n, depth, measure)
    return (
        f"{_forest_text(levels, n, depth)}.\n"
        f"{measure}: mean importance of treated {trials.treated.mean():.3f} (in the distribution "
        f"{TRUTH:.3f}), of the ticket {trials.ticket.mean():.3f} (0). "
        f"The ticket ranks first in {trials.n_misled} of {N_TRIALS} trials."
    )


def _alt(levels, n, depth, measure: str) -> str:
    return (
        f"Importances of a treatment that works and of a meaningless ticket in {N_TRIALS} "
        f"repeated trials. {_readout(levels, n, depth, measure)}"
    )


def noise_explorer() -> Explorer:
    """Levels, patients and depth decide whether noise outranks signal; out of bag it does not."""
    steps = {"levels": ("tickets", LEVELS, 2), "n": ("patients", SIZES, 800)}
    steps["depth"] = ("depth", DEPTHS, 1)
    controls = {
        name: widgets.SelectionSlider(options=options, value=value, description=label)
        for name, (label, options, value) in steps.items()
    }
    controls["measure"] = widgets.ToggleButtons(options=WAYS, description="measure")
    controls["measure"].style.button_width = "8em"
    return Explorer(
        frame=NoiseScene(),
        readout=_readout,
        controls=controls,
        goal=f"Make the ticket rank first by MDI in at least {MOST} of the {N_TRIALS} trials. Then "
        f"cure the same forests: measured out of bag, in at most {FEW}.",
        reached=_is_cured,
        alt=_alt,
        then="The forests are the same before and after. What exactly did the toggle change, and "
        "which of the other three controls could have helped without it?",
    )
