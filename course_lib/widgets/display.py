"""Let the trees of the display choose among more segments and watch the credit move."""

import ipywidgets as widgets

from course_lib.plots.degrees import draw_bars, move_bars
from course_lib.plots.display import colour_segments, draw_segments
from course_lib.studies.display import FOURTH, THIRD, led_degrees, third_is_ahead, third_overtakes
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene

NAMES = tuple(f"X{m}" for m in range(1, 8))
WIDTH, LIMIT = 1.0, 0.84  # bits: length of the axis, and what glows brightest


class DisplayScene(Scene):
    """The display at the left, at the right a bar for each segment, put together from degrees."""

    size = (7.4, 4.0)

    def draw(self, figure):
        panel, chart = figure.subplots(1, 2, width_ratios=(1, 2.1))
        self.segments = draw_segments(panel)
        self.bars = draw_bars(chart, NAMES, len(NAMES))
        chart.set_xlim(0, WIDTH)
        for m in (THIRD, FOURTH):
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
    parts = led_degrees(K)
    totals, late = parts.sum(axis=1), parts[:, 2:].sum(axis=1)
    sign = ">" if third_is_ahead(K) else "<"
    values = ", ".join(f"{name} {value:.3f}" for name, value in zip(NAMES, totals, strict=True))
    return (
        f"K = {K}, sum {totals.sum():.4f} bits\n{values}\n"
        f"X3 {totals[THIRD]:.4f} {sign} X4 {totals[FOURTH]:.4f}. Won with two or more segments "
        f"known: X3 {late[THIRD]:.3f}, X4 {late[FOURTH]:.3f}."
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
        reached=third_overtakes,
        alt=_alt,
        then="Why X3? Follow its bar from K = 1 to K = 7: which degrees shrink, which grow, and "
        "what does X3 know that no other segment can say in its place?",
    )
