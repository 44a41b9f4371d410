"""Drag a threshold through the node of 20 samples and watch the impurity decrease."""

from dataclasses import dataclass
from functools import cache

import ipywidgets as widgets
import numpy as np

from course_lib.models.impurities import KINDS, impurity, impurity_decrease
from course_lib.plots.splits import plot_samples
from course_lib.plots.style import BLUE, GREEN, INK
from course_lib.validation import check_number, check_X_y
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene
from course_lib.worlds.datasets import load_node

THRESHOLDS = np.arange(1.0, 20.0, 0.5)  # every one leaves samples on both sides


@dataclass(frozen=True, eq=False)
class Split:
    """A node cut in two by a threshold: the samples, and the impurities before and after."""

    x: np.ndarray
    y: np.ndarray
    threshold: float
    kind: str
    parent: float
    left: float
    right: float
    decrease: float

    @property
    def n_left(self) -> int:
        """The number of samples with x <= threshold."""
        return int((self.x <= self.threshold).sum())

    @property
    def n_right(self) -> int:
        """The number of samples with x > threshold."""
        return len(self.x) - self.n_left

    @property
    def parent_text(self) -> str:
        """The node in words."""
        return _node_text("node", len(self.x), self.kind, self.parent)

    @property
    def left_text(self) -> str:
        """The left child in words."""
        return _node_text("left", self.n_left, self.kind, self.left)

    @property
    def right_text(self) -> str:
        """The right child in words."""
        return _node_text("right", self.n_right, self.kind, self.right)


def _node_text(name: str, n_samples: int, kind: str, value: float) -> str:
    return f"{name}: {n_samples} sample{'s' * (n_samples != 1)}\n{kind} {value:.3f}"


def split_node(x, y, threshold: float, kind: str = "entropy") -> Split:
    """Split a node at x <= threshold: i(t), i(t_L), i(t_R) and i(t) - N_L/N i(t_L) - N_R/N i(t_R).

    Parameters
    ----------
    x : array-like of shape (n_samples,)
    y : array-like of shape (n_samples,)
    threshold : float
        Must leave at least one sample on each side.
    kind : {"entropy", "gini", "variance"}, default="entropy"

    Examples
    --------
    The split of Louppe et al., in bits.

    >>> X, y = load_node()
    >>> split = split_node(X["x"], y, 12.5)
    >>> round(split.parent, 3), round(split.left, 3), round(split.right, 3)
    (0.971, 0.65, 0.811)
    >>> round(split.decrease, 4)
    0.2564
    """
    threshold = check_number(threshold, "threshold")
    X, y = check_X_y(np.reshape(x, (-1, 1)), y)
    x = X[:, 0]
    left = x <= threshold
    if left.all() or not left.any():
        raise ValueError(
            f"The threshold {threshold:g} leaves one side empty: x goes from {x.min():g} to "
            f"{x.max():g}. Choose a threshold of at least {x.min():g} and below {x.max():g}."
        )
    decrease = impurity_decrease(y, left, kind)
    parts = (impurity(part, kind) for part in (y, y[left], y[~left]))
    return Split(x, y, threshold, kind, *parts, decrease)


@cache
def _node_split(threshold: float, kind: str) -> Split:
    X, y = load_node()
    return split_node(X["x"], y, threshold, kind)


@cache
def _best_decrease(kind: str) -> float:
    return max(_node_split(threshold, kind).decrease for threshold in THRESHOLDS)


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
        split = _node_split(threshold, kind)
        for rule in self.rules:
            rule.set_xdata([threshold, threshold])
        self.steps.set_ydata([_node_split(each, kind).decrease for each in THRESHOLDS])
        self.here.set_data([threshold], [split.decrease])
        texts = (split.left_text, split.parent_text, split.right_text)
        for title, text in zip(self.titles, texts, strict=True):
            title.set_text(text)
        self.value.set_text(f"◆ decrease {split.decrease:.4f}")


def _readout(threshold: float, kind: str) -> str:
    split = _node_split(threshold, kind)
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
            _node_split(threshold, kind).decrease == _best_decrease(kind)
        ),
        alt=_alt,
        then="Now move it by one sample to either side. Which sample changed sides, and what did "
        "it do to the child it joined?",
    )
