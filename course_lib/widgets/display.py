"""Let the trees of the display choose among more segments and watch the credit move."""

import ipywidgets as widgets
import numpy as np

from course_lib.plots.degrees import draw_bars, move_bars
from course_lib.plots.display import colour_segments, draw_segments
from course_lib.plots.svg import mark
from course_lib.studies.display import FOURTH, THIRD, led_degrees, third_is_ahead, third_overtakes
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene

PLACES = "top,upper left,upper right,middle,lower left,lower right,bottom".split(",")
NAMES = tuple(f"{place} (X{m})" for m, place in enumerate(PLACES, start=1))
WIDTH, LIMIT = 1.0, 0.84  # bits: length of the axis, and what glows brightest


class DisplayScene(Scene):
    """The display at the left, at the right a bar for each segment, put together from degrees."""

    size, narrow = (7.0, 4.0), (4.9, 7.6)

    def draw(self, figure):
        panel, chart = self.panels(figure, (1, 1.75), (1.4, 1))
        self.segments = draw_segments(panel)
        self.bars = draw_bars(chart, NAMES, len(NAMES))
        chart.set_xlim(0, WIDTH)
        for m, label in enumerate(chart.get_yticklabels()):
            mark(label, series=NAMES[m])
            label.set_fontweight("bold" if m in (THIRD, FOURTH) else "normal")
        self.title = chart.set_title(" ", loc="left")
        patches = [artist for pair in self.segments for artist in pair]
        parts = [a for bars, texts, total in self.bars for a in (*bars, *texts, total)]
        return [*patches, *parts, self.title]

    def update(self, K):
        parts = led_degrees(K)
        colour_segments(self.segments, parts.sum(axis=1), LIMIT)
        move_bars(self.bars, parts, WIDTH)
        self.title.set_text(f"best of K = {K}, together {parts.sum():.4f} bits")
        for name, segment, bar, row in zip(NAMES, self.segments, self.bars, parts, strict=True):
            _name(name, segment, bar, row)


def _name(name: str, segment: tuple, bar: tuple, row: np.ndarray) -> None:
    """Tips of one segment, in the display and in its bar; a click on any part highlights all."""
    (patch, number), (patches, degrees, total) = segment, bar
    mark(patch, f"{name}: {row.sum():.3f} bits", series=name)
    for k, (part, value) in enumerate(zip(patches, row, strict=True)):
        known = f"{k or 'no'} other segment{'s' * (k != 1)} known"
        mark(part, f"{name}, {known}: {value:.3f} bits" if value > 1e-9 else "", series=name)
    for text in (number, *degrees, total):
        mark(text, series=name)


def _readout(K: int) -> str:
    parts = led_degrees(K)
    totals, late = parts.sum(axis=1), parts[:, 2:].sum(axis=1)
    order = "ahead of" if third_is_ahead(K) else "behind"
    values = ", ".join(f"{name} {value:.3f}" for name, value in zip(NAMES, totals, strict=True))
    return (
        f"Best of K = {K}: {values}. Sum {totals.sum():.4f} bits.\n"
        f"Upper right (X3) is {order} middle (X4), {totals[THIRD]:.4f} to {totals[FOURTH]:.4f} "
        f"bits. Won with two or more segments known: X3 {late[THIRD]:.3f}, X4 {late[FOURTH]:.3f}."
    )


def _alt(K: int) -> str:
    return f"Seven-segment display coloured by importance, and bars split by degree. {_readout(K)}"


def display_explorer() -> Explorer:
    """Raise K: the sum stays, X2 and X5 take from the others, and X3 overtakes X4."""
    K = widgets.IntSlider(value=1, min=1, max=7, description="candidates per split, K")
    return Explorer(
        stored="display",
        frame=DisplayScene(),
        readout=_readout,
        controls={"K": K},
        goal="Find the K at which the upper right segment (X3) overtakes the middle one (X4).",
        reached=third_overtakes,
        alt=_alt,
        then="Why X3? Follow its bar from K = 1 to K = 7: which degrees shrink, which grow? "
        "Which digits can only X3 tell apart?",
    )
