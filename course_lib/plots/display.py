"""Pictures of the seven-segment display: what each segment is worth.

Colour never speaks alone: every segment carries its number. The panel is dark, as on the device;
the more a segment is worth, the brighter it glows, in amber above zero and in blue below.
"""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Polygon

from course_lib.plots.pictures import course_style
from course_lib.plots.style import WHITE, readable_on
from course_lib.results import Importances
from course_lib.studies.digits import Explained
from course_lib.validation import check_number, check_numbers

N_SEGMENTS = 7
FROM_THE_TOP = "Pass them from X1, the top, to X7, the bottom."
N_COLUMNS, ON_A_PHONE = 5, 2  # of displays side by side
PANEL, OFF, LIT_EDGE = "#15181d", "#333a45", WHITE
GLOW = LinearSegmentedColormap.from_list(
    "glow", ["#5cc8ff", "#2f6f96", OFF, "#a8660f", "#ffc14d"]
)  # blue below zero, amber above; the ends are the brightest

WIDTH, HEIGHT, THICK = 4.0, 7.4, 1.2  # of the digit and of a segment, in data units
GAP, MARGIN = 0.12, 0.55
CENTRES = np.array(  # X1 top, X2 and X3 upper, X4 middle, X5 and X6 lower, X7 bottom
    [(0.5, 1), (0, 0.75), (1, 0.75), (0.5, 0.5), (0, 0.25), (1, 0.25), (0.5, 0)]
)
UPRIGHT = np.array([False, True, True, False, True, True, False])
FIGURE_SIZE, LARGEST_FONT = (2.3, 3.5), 11.5  # inches, points
SMALL_SIZE, SMALL_FONT = (1.75, 2.45), 9.7  # of one of several, which a slide shows together
SMALL_GAP = 0.03  # inches beside it: it is broad, so that its numbers fit across the segments


def plot_display(
    values, *, labels=None, lit=None, limit: float | None = None, ax: Axes | None = None
) -> Axes:
    """The seven segments, each with its number and as bright as the number is large.

    Parameters
    ----------
    values : Importances or sequence of 7 numbers
        In the order top, upper left, upper right, middle, lower left, lower right, bottom.
    labels : sequence of 7 texts, default=None
        Written on the segments in place of the numbers.
    lit : sequence of 7 truth values, default=None
        The segments that are on, drawn with a white outline: the row of a digit.
    limit : float, default=None
        The size of value that glows brightest; the largest one by default. Give the same limit to
        displays that stand side by side.

    Examples
    --------
    >>> ax = plot_display([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
    >>> [text.get_text() for text in ax.texts]
    ['0.10', '0.20', '0.30', '0.40', '0.50', '0.60', '0.70']
    >>> plt.close(ax.figure)
    """
    values = _seven(values.importances_mean if isinstance(values, Importances) else values)
    limit = abs(values).max() or 1.0 if limit is None else check_number(limit, "limit")
    if limit <= 0:
        raise ValueError(
            f"limit must be above 0, got {limit:g}. Pass the size of value that glows brightest."
        )
    lit = np.zeros(N_SEGMENTS, dtype=bool) if lit is None else _seven(lit, "lit") != 0
    with course_style():
        ax = plt.subplots(figsize=FIGURE_SIZE)[1] if ax is None else ax
        segments = draw_segments(ax)
        colour_segments(segments, values, limit)
    for (patch, text), is_lit, label in zip(segments, lit, _labels(labels, segments), strict=True):
        patch.set(edgecolor=LIT_EDGE, linewidth=1.6 * is_lit)
        text.set_text(label)
    return ax


def plot_displays(values, titles: Sequence[str], *, lit=None, columns: int = N_COLUMNS) -> Figure:
    """Seven-segment displays in rows of five or, on a phone, two, on the same scale of brightness.

    Parameters
    ----------
    values : array-like of shape (n_displays, 7)
    titles : sequence of n_displays texts
    lit : array-like of shape (n_displays, 7), default=None
        The segments that are on, drawn with a white outline.
    columns : int, default=5
        Displays beside each other.

    Examples
    --------
    >>> figure = plot_displays([[0.5] * 7, [1.0] * 7], ["one tree", "another"])
    >>> [ax.get_title() for ax in figure.axes]
    ['one tree', 'another']
    """
    values = np.asarray(values, dtype=float)
    if len(titles) != len(values):
        raise ValueError(
            f"{len(values)} displays need {len(values)} titles, got {len(titles)}. Give one for "
            f"each."
        )
    lit = np.zeros_like(values) if lit is None else np.asarray(lit)
    n_columns = min(columns, len(values))
    n_rows = -(-len(values) // n_columns)
    limit = abs(values).max() or 1.0
    width, height = SMALL_SIZE
    with course_style():
        figure = Figure(figsize=(width * n_columns, (height + 0.25) * n_rows))
        axes = figure.subplots(n_rows, n_columns, squeeze=False).flat
        for ax, row, on, title in zip(axes, values, lit, titles, strict=False):
            plot_display(row, lit=on, limit=limit, ax=ax).set_title(title, loc="center")
            _make_small(ax)
        for ax in figure.axes[len(values) :]:
            ax.remove()
    figure.when_narrow = lambda: plot_displays(values, titles, lit=lit, columns=ON_A_PHONE)
    return figure


def plot_segments(explained: Mapping[str, Explained], *, lit=None) -> Figure:
    """One digit of the display by three measures, a row for each forest, as figure 3 has it.

    Each measure has its own scale of brightness, the same in all rows, since one counts bits and
    the others probabilities.

    Parameters
    ----------
    explained : mapping from label to Explained
        As from `explained_display`; the first row of each is drawn.
    lit : sequence of 7 truth values, default=None
        The segments that are on, drawn with a white outline.
    """
    results = {label: result.values for label, result in explained.items()}
    measures = list(next(iter(results.values())))
    limits = {m: max(abs(values[m][0]).max() for values in results.values()) for m in measures}
    (width, height), shape = SMALL_SIZE, (len(results), len(measures))
    with course_style():
        figure = Figure(figsize=((width + 0.1) * shape[1], (height + 0.1) * shape[0]))
        grid = figure.subplots(*shape, squeeze=False)
        for axes, (label, values) in zip(grid, results.items(), strict=True):
            for ax, measure in zip(axes, measures, strict=True):
                plot_display(values[measure][0], lit=lit, limit=limits[measure] or 1.0, ax=ax)
                ax.set_title(f"{measure}, {label}", loc="center", fontsize=10)
                _make_small(ax)
    return figure


def draw_segments(ax: Axes) -> list[tuple]:
    """The dark panel and, without colour and number yet, seven segments as (patch, text)."""
    pad = THICK / 2 + MARGIN
    ax.set(xlim=(-pad, WIDTH + pad), ylim=(-pad, HEIGHT + pad), aspect="equal")
    ax.axis("off")
    corner = (MARGIN - pad, MARGIN - pad)
    size = (WIDTH + 2 * (pad - MARGIN), HEIGHT + 2 * (pad - MARGIN))
    rounded = f"round,pad={MARGIN},rounding_size={MARGIN}"
    ax.add_patch(FancyBboxPatch(corner, *size, boxstyle=rounded, facecolor=PANEL, edgecolor="none"))
    centres = CENTRES * (WIDTH, HEIGHT)
    font = _font_size(ax)
    segments = []
    for centre, upright in zip(centres, UPRIGHT, strict=True):
        patch = ax.add_patch(Polygon(_corners(centre, upright), joinstyle="miter", clip_on=False))
        text = ax.text(*centre, "", ha="center", va="center_baseline", fontsize=font)
        segments.append((patch, text))
    return segments


def colour_segments(segments, values, limit: float) -> None:
    """Give each segment the colour and the number of its value."""
    for (patch, text), value, colour in zip(
        segments, values, GLOW(Normalize(-limit, limit)(values)), strict=True
    ):
        patch.set_facecolor(colour)
        text.set(text=_number(value), color=readable_on(colour))


def _corners(centre, upright: bool) -> np.ndarray:
    """A hexagon around `centre`: a bar with pointed ends."""
    half = (HEIGHT / 4 if upright else WIDTH / 2) - GAP
    side = THICK / 2
    long = np.array([-half, -half + side, half - side, half, half - side, -half + side])
    wide = np.array([0, side, side, 0, -side, -side])
    return np.column_stack([wide, long] if upright else [long, wide]) + centre


def _font_size(ax: Axes) -> float:
    """Points in which a number such as 0.66 fits across an upright segment."""
    box = ax.get_position()
    inches = box.size * ax.figure.get_size_inches() / [WIDTH + 2 * THICK, HEIGHT + 2 * THICK]
    return min(LARGEST_FONT, 72 * THICK * inches.min() / 2.8)


def _make_small(ax: Axes) -> None:
    """Let a display stand among others, in all the room it has: a class can read its numbers."""
    ax.set_aspect("auto")
    ax.figure.get_layout_engine().set(w_pad=SMALL_GAP)
    for number in ax.texts:
        number.set_fontsize(SMALL_FONT)


def _number(value: float) -> str:
    """Two decimals in four letters; the minus sign takes the place of the leading zero."""
    return f"{round(float(value), 2) + 0.0:.2f}".replace("-0.", "−.").replace("-", "−")


def _labels(labels, segments) -> list[str]:
    if labels is None:
        return [text.get_text() for _, text in segments]
    if isinstance(labels, str) or len(labels) != N_SEGMENTS:
        raise ValueError(
            f"labels must be {N_SEGMENTS} texts, one for each segment, got {labels!r}. "
            f"{FROM_THE_TOP}"
        )
    return [str(label) for label in labels]


def _seven(values, name: str = "values") -> np.ndarray:
    rule = f"{name} must be {N_SEGMENTS} finite numbers, one for each segment"
    return check_numbers(values, rule, FROM_THE_TOP, (N_SEGMENTS,))
