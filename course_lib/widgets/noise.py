"""Give noise more values, a forest more depth, and watch it overtake a treatment that works."""

import ipywidgets as widgets
import numpy as np

from course_lib.plots.style import GREY, INK, SERIES
from course_lib.plots.svg import mark
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

LABELS = {"MDI": "MDI, on the sample", "out of bag": "MDI, out of bag"}
LOOKS = dict(zip(LABELS, SERIES, strict=False))  # of a measure, as in the other pictures
MOST, FEW = 15, 5  # of the 20 trials: what counts as ranking first, and as cured


class NoiseScene(Scene):
    """Treatment above, ticket below: a dot for each trial, a marker for their mean."""

    size, narrow = (6.4, 2.9), (4.9, 3.2)
    stills = (  # misled, and cured
        {"levels": 50, "depth": NO_LIMIT},
        {"levels": 50, "depth": NO_LIMIT, "measure": "out of bag"},
    )

    def draw(self, figure):
        ax = figure.subplots()
        ax.set(xlim=(-0.07, 0.5), ylim=(-0.6, 1.75), xlabel="importance (decrease of Gini)")
        ax.set_yticks([1, 0], ["treated\n(it works)", "ticket\n(noise)"])
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)
        ax.axvline(0, ymax=0.82, color=GREY, linewidth=1.4, zorder=0.5)
        hollow = {"color": INK, "markerfacecolor": "none", "markersize": 13, "linestyle": "none"}
        (truth,) = ax.plot([TRUTH, 0], [1, 0], "D", **hollow, zorder=1)
        mark(
            truth, [f"treated, in the distribution: {TRUTH:.3f}", "ticket, in the distribution: 0"]
        )
        spread = 0.2 * np.sin(2.4 * np.arange(N_TRIALS))
        faint = {"marker": ".", "linestyle": "none", "alpha": 0.45, "markersize": 7}
        self.dots = [ax.plot(spread, row + spread, **faint)[0] for row in (1, 0)]
        self.means = [ax.plot([0], [row], "o", zorder=3)[0] for row in (1, 0)]
        self.title = ax.text(-0.065, 1.6, "", va="center")
        ax.text(0.495, 1.25, "◇ in the distribution", ha="right", va="center", color=INK)
        return [*self.dots, *self.means, self.title]

    def update(self, levels, n, depth, measure):
        trials = stored_trials(levels, n, depth, measure)
        rows = {"treated": trials.treated, "ticket": trials.ticket}
        color, marker = LOOKS[measure]
        for (name, values), dots, mean in zip(rows.items(), self.dots, self.means, strict=True):
            dots.set(xdata=values, color=color)
            mean.set(xdata=[values.mean()], color=color, marker=marker)
            self._name(name, dots, mean, values)
        first = f"the ticket ranks first in {trials.n_misled} of {N_TRIALS} trials"
        between = "\n" if self.is_narrow else " "
        self.title.set_text(f"{LABELS[measure]}:{between}{first}")

    def _name(self, name, dots, mean, values):
        mark(dots, [f"trial {k}: {name} {value:.4f}" for k, value in enumerate(values, start=1)])
        mark(mean, f"{name}, mean of {N_TRIALS} trials: {values.mean():.4f}")


def _is_cured(levels, n, depth, measure: str) -> bool:
    """The ticket leads these forests by MDI, and out of bag it does not."""
    by_mdi = stored_trials(levels, n, depth, "MDI")
    out_of_bag = stored_trials(levels, n, depth, "out of bag")
    return measure != "MDI" and by_mdi.n_misled >= MOST and out_of_bag.n_misled <= FEW


def _forest_text(levels, n, depth) -> str:
    tickets = (
        "a new number for everybody" if levels == ALL_DIFFER else f"{levels} different tickets"
    )
    growth = "grown as far as they go" if depth == NO_LIMIT else f"of depth {depth}"
    return f"{n} patients, {tickets}, trees {growth}"


def _readout(levels, n, depth, measure: str) -> str:
    trials = stored_trials(levels, n, depth, measure)
    ticket = round(float(trials.ticket.mean()), 3) + 0.0  # no minus before a zero
    return (
        f"{_forest_text(levels, n, depth)}.\n"
        f"{LABELS[measure]}: the mean importance of treated is {trials.treated.mean():.3f} (in the "
        f"distribution {TRUTH:.3f}), that of the ticket {ticket:.3f} (in the "
        f"distribution 0).\n"
        f"The ticket ranks first in {trials.n_misled} of {N_TRIALS} trials."
    )


def _alt(levels, n, depth, measure: str) -> str:
    return (
        f"Importances of a treatment that works and of a meaningless ticket in {N_TRIALS} "
        f"repeated trials. {_readout(levels, n, depth, measure)}"
    )


def noise_explorer() -> Explorer:
    """Levels, patients and depth decide whether noise outranks signal; out of bag it does not."""
    steps = {
        "levels": ("different tickets", LEVELS, 2),
        "n": ("patients in each trial", SIZES, 800),
        "depth": ("depth of the trees", DEPTHS, 1),
    }
    controls = {
        name: widgets.SelectionSlider(options=options, value=value, description=label)
        for name, (label, options, value) in steps.items()
    }
    options = [(LABELS[way], way) for way in WAYS]
    controls["measure"] = widgets.ToggleButtons(options=options, description="importance by")
    return Explorer(
        stored="noise",
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
