"""Let the trees of the display choose among more segments and watch the credit move."""

from functools import cache

import ipywidgets as widgets
import numpy as np

from course_lib.measures.asymptotic import mdi_by_degree
from course_lib.plots.display import colour_segments, draw_bars, draw_segments, move_bars
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene
from course_lib.worlds.datasets import make_led
from course_lib.worlds.distributions import Categorical

NAMES = tuple(f"X{m}" for m in range(1, 8))
RIVALS = THIRD, FOURTH = 2, 3  # positions of X3 and X4
WIDTH, LIMIT = 1.0, 0.84  # bits: length of the axis, and what glows brightest


@cache
def led_degrees(K: int) -> np.ndarray:
    """Exact importances of the seven segments by degree, for trees that choose the best of K.

    Examples
    --------
    >>> round(float(led_degrees(7).sum()), 4)
    3.3219
    """
    return mdi_by_degree(Categorical(*make_led()), K)


def _rivals(K: int) -> tuple[float, float]:
    """The importances of X3 and X4."""
    third, fourth = led_degrees(K).sum(axis=1)[list(RIVALS)]
    return float(third), float(fourth)


def _is_turning_point(K: int) -> bool:
    """X3 is ahead at K and was not at K - 1."""
    third, fourth = _rivals(K)
    return third > fourth and (K == 1 or _rivals(K - 1)[0] <= _rivals(K - 1)[1])


class DisplayScene(Scene):
    """The display at the left, at the right a bar for each segment, put together from degrees."""

    size = (7.4, 4.0)

    def draw(self, figure):
        panel, chart = figure.subplots(1, 2, width_ratios=(1, 2.1))
        self.segments = draw_segments(panel)
        self.bars = draw_bars(chart, NAMES, len(NAMES))
        chart.set_xlim(0, WIDTH)
        for m in RIVALS:
            chart.get_yticklabels()[m].set_fontweight("bold")
        self.title = chart.set_title(" ", loc="left")
        patches = [artist for pair in self.segments for artist in pair]
        parts = [a for bars, texts, total in self.bars for a in (*bars, *texts, total)]
        return [*patches, *parts, self.title]

    def update(self, K):
        parts = led_degrees(K)
        colour_segments(self.segments, parts.sum(axis=1), LIMIT)
        move_bars(self.bars, parts, WIDTH)
        self.title.set_text(f"best of K = {K}, together {parts.sum():.4f} bits")


def _readout(K: int) -> str:
    totals = led_degrees(K).sum(axis=1)
    third, fourth = _rivals(K)
    sign = ">" if third > fourth else "<"
    values = ", ".join(f"{name} {value:.3f}" for name, value in zip(NAMES, totals, strict=True))
    return (
        f"K = {K}, sum {totals.sum():.4f} bits\n{values}\n"
        f"X3 {third:.4f} {sign} X4 {fourth:.4f}. Won with two or more segments known: "
        f"X3 {led_degrees(K)[THIRD, 2:].sum():.3f}, X4 {led_degrees(K)[FOURTH, 2:].sum():.3f}."
    )


def _alt(K: int) -> str:
    return f"Seven-segment display coloured by importance, and bars split by degree. {_readout(K)}"


def display_explorer() -> Explorer:
    """Raise K: the sum stays, X2 and X5 take from the others, and X3 overtakes X4."""
    K = widgets.IntSlider(value=1, min=1, max=7, description="K")
    return Explorer(
        frame=DisplayScene(),
        readout=_readout,
        controls={"K": K},
        goal="Find the K at which X3 overtakes X4.",
        reached=_is_turning_point,
        alt=_alt,
        then="Why X3? Follow its bar from K = 1 to K = 7: which degrees shrink, which grow, and "
        "what does X3 know that no other segment can say in its place?",
    )
