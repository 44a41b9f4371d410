"""Drag a threshold through the node of 20 samples and watch the impurity decrease."""

import ipywidgets as widgets
import numpy as np

from course_lib.models.impurities import KINDS
from course_lib.plots.splits import plot_samples
from course_lib.plots.style import BLUE, GREEN, INK
from course_lib.plots.svg import mark
from course_lib.studies.splits import THRESHOLDS, decreases_of_twenty, split_of_twenty
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene
from course_lib.worlds.datasets import load_node

LABELS = {"entropy": "entropy, in bits", "gini": "Gini", "variance": "variance"}


class ThresholdScene(Scene):
    """Above the samples and the threshold, below the decrease at every threshold."""

    size, narrow = (6.4, 4.1), (4.9, 4.3)

    def draw(self, figure):
        X, y = load_node()
        samples, curve = figure.subplots(2, sharex=True, height_ratios=(1, 1.35))
        plot_samples(X["x"], y, ax=samples)
        for value, dots in zip(np.unique(y), samples.lines, strict=True):
            mark(dots, [f"sample at x = {x:g}: class {value}" for x in dots.get_xdata()])
        samples.spines["bottom"].set_visible(False)
        samples.tick_params(axis="x", length=0)
        curve.set(xlim=(0.3, 20.7), ylim=(0, 0.29), xlabel="threshold on x")
        curve.set_ylabel("decrease of impurity")
        curve.set_xticks([1, 5, 10, 15, 20])
        rule = {"color": INK, "linestyle": "--", "linewidth": 1.6}
        self.rules = [ax.axvline(1, **rule) for ax in (samples, curve)]
        (self.steps,) = curve.step(THRESHOLDS, 0 * THRESHOLDS, where="post", color=BLUE)
        (self.here,) = curve.plot([1], [0], "D", color=GREEN, markersize=10)
        sides, size = ("left", "center", "right"), 10 if self.is_narrow else None
        self.titles = [samples.set_title("", loc=side, fontsize=size) for side in sides]
        paper = {"facecolor": curve.get_facecolor(), "edgecolor": "none", "pad": 2}
        self.value = curve.text(0.5, 0.265, "", va="center", color=GREEN, bbox=paper)
        self.curve = curve
        return [*self.rules, self.steps, self.here, *self.titles, self.value]

    def update(self, threshold, kind):
        split = split_of_twenty(threshold, kind)
        for rule in self.rules:
            rule.set_xdata([threshold, threshold])
        self.steps.set_ydata(decreases_of_twenty(kind))
        self.here.set_data([threshold], [split.decrease])
        for title, text in zip(self.titles, split.texts, strict=True):
            title.set_text(text)
        self.value.set_text(f"◆ decrease {split.decrease:.4f}")
        mark(self.steps, f"decrease of {kind} at every threshold")
        mark(self.here, f"threshold {threshold:g}: decrease of {kind} {split.decrease:.4f}")

    def handles(self, threshold, kind):
        return {"threshold": (self.curve, threshold, None)}


def _readout(threshold: float, kind: str) -> str:
    split = split_of_twenty(threshold, kind)
    n_left, n_right, n = split.n_left, split.n_right, len(split.x)
    return (
        f"{kind.capitalize()}: {split.parent:.3f} in the node, {split.left:.3f} at the left "
        f"({n_left} of {n} samples), {split.right:.3f} at the right ({n_right} of {n}).\n"
        f"Decrease: {split.parent:.3f} − {n_left}/{n} · {split.left:.3f} − {n_right}/{n} · "
        f"{split.right:.3f} = {split.decrease:.4f}."
    )


def _alt(threshold: float, kind: str) -> str:
    return (
        f"Twenty samples of two classes along x, cut at x ≤ {threshold:g}, above a curve of the "
        f"decrease in {kind} at every threshold. {_readout(threshold, kind)}"
    )


def threshold_explorer() -> Explorer:
    """Drag the threshold: one place decreases the impurity most, and both neighbours are lower."""
    threshold = widgets.FloatSlider(
        value=5.0, min=THRESHOLDS[0], max=THRESHOLDS[-1], step=0.5, description="threshold on x"
    )
    threshold.readout_format = ".1f"
    options = [(LABELS[kind], kind) for kind in KINDS]
    kind = widgets.ToggleButtons(options=options, description="measure of impurity")
    return Explorer(
        stored="threshold",
        frame=ThresholdScene(),
        readout=_readout,
        controls={"threshold": threshold, "kind": kind},
        goal="Find the threshold with the largest decrease.",
        reached=lambda threshold, kind: (
            split_of_twenty(threshold, kind).decrease == decreases_of_twenty(kind).max()
        ),
        alt=_alt,
        then="Now move it by one sample to either side. Which sample changed sides, and what did "
        "it do to the child it joined?",
    )
