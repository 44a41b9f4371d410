"""Drag a threshold through the node of 20 samples and watch the impurity decrease."""

import ipywidgets as widgets

from course_lib.models.impurities import KINDS
from course_lib.plots.splits import plot_samples
from course_lib.plots.style import BLUE, GREEN, INK
from course_lib.studies.splits import THRESHOLDS, decreases_of_twenty, split_of_twenty
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene
from course_lib.worlds.datasets import load_node


class ThresholdScene(Scene):
    """Above the samples and the threshold, below the decrease at every threshold."""

    size = (6.4, 4.1)

    def draw(self, figure):
        X, y = load_node()
        samples, curve = figure.subplots(2, sharex=True, height_ratios=(1, 1.35))
        plot_samples(X["x"], y, ax=samples)
        samples.spines["bottom"].set_visible(False)
        samples.tick_params(axis="x", length=0)
        curve.set(xlim=(0.3, 20.7), ylim=(0, 0.29), ylabel="decrease", xlabel="threshold on x")
        curve.set_xticks([1, 5, 10, 15, 20])
        rule = {"color": INK, "linestyle": "--", "linewidth": 1.6}
        self.rules = [ax.axvline(1, **rule) for ax in (samples, curve)]
        (self.steps,) = curve.step(THRESHOLDS, 0 * THRESHOLDS, where="post", color=BLUE)
        (self.here,) = curve.plot([1], [0], "D", color=GREEN, markersize=10)
        self.titles = [samples.set_title("", loc=side) for side in ("left", "center", "right")]
        paper = {"facecolor": curve.get_facecolor(), "edgecolor": "none", "pad": 2}
        self.value = curve.text(0.5, 0.265, "", va="center", color=GREEN, bbox=paper)
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


def _readout(threshold: float, kind: str) -> str:
    split = split_of_twenty(threshold, kind)
    n_left, n_right, n = split.n_left, split.n_right, len(split.x)
    return (
        f"{kind}: {split.parent:.3f} in the node, {split.left:.3f} left ({n_left} of {n} samples), "
        f"{split.right:.3f} right ({n_right} of {n})\n"
        f"decrease: {split.parent:.3f} − {n_left}/{n} · {split.left:.3f} − {n_right}/{n} · "
        f"{split.right:.3f} = {split.decrease:.4f}"
    )


def _alt(threshold: float, kind: str) -> str:
    return (
        f"Twenty samples of two classes along x, cut at x ≤ {threshold:g}, above a curve of the "
        f"decrease in {kind} at every threshold. {_readout(threshold, kind)}"
    )


def threshold_explorer() -> Explorer:
    """Drag the threshold: one place decreases the impurity most, and both neighbours are lower."""
    threshold = widgets.FloatSlider(
        value=5.0, min=THRESHOLDS[0], max=THRESHOLDS[-1], step=0.5, description="threshold"
    )
    threshold.readout_format = ".1f"
    kind = widgets.ToggleButtons(options=KINDS, description="impurity")
    kind.style.button_width = "7em"
    return Explorer(
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
