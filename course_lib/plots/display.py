"""Pictures of the seven-segment display: what each segment is worth, when, and after which others.

Colour never speaks alone: every segment carries its number. The panel is dark, as on the device;
the more a segment is worth, the brighter it glows, in amber above zero and in blue below.
"""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Polygon

from course_lib.plots.pictures import course_style
from course_lib.plots.style import BLUE, GREY, INK, styled
from course_lib.results import Importances
from course_lib.validation import check_number, check_X_y, column_names, feature_indices
from course_lib.worlds.distributions import Categorical

N_SEGMENTS = 7
PANEL, OFF, LIT_EDGE = "#15181d", "#333a45", "#ffffff"
GLOW = LinearSegmentedColormap.from_list(
    "glow", ["#5cc8ff", "#2f6f96", OFF, "#a8660f", "#ffc14d"]
)  # blue below zero, amber above; the ends are the brightest

WIDTH, HEIGHT, THICK = 4.0, 7.4, 1.2  # of the digit and of a segment, in data units
GAP, MARGIN = 0.12, 0.55
CENTRES = np.array(  # X1 top, X2 and X3 upper, X4 middle, X5 and X6 lower, X7 bottom
    [(0.5, 1), (0, 0.75), (1, 0.75), (0.5, 0.5), (0, 0.25), (1, 0.25), (0.5, 0)]
)
UPRIGHT = np.array([False, True, True, False, True, True, False])
FIGURE_SIZE, LARGEST_FONT = (2.3, 3.5), 11.5


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
    ax : matplotlib Axes, default=None
        Drawn on; a new figure is made if None.

    Returns
    -------
    ax : matplotlib Axes

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
        patch = ax.add_patch(Polygon(_corners(centre, upright), joinstyle="miter"))
        text = ax.text(*centre, "", ha="center", va="center_baseline", fontsize=font)
        segments.append((patch, text))
    return segments


def colour_segments(segments, values, limit: float) -> None:
    """Give each segment the colour and the number of its value."""
    for (patch, text), value, colour in zip(
        segments, values, GLOW(Normalize(-limit, limit)(values)), strict=True
    ):
        patch.set_facecolor(colour)
        text.set(text=_number(value), color=_readable_on(colour))


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


def _number(value: float) -> str:
    """Two decimals in four letters; the minus sign takes the place of the leading zero."""
    return f"{round(float(value), 2) + 0.0:.2f}".replace("-0.", "−.").replace("-", "−")


# Importance by the number of variables that were known before


@styled
def plot_degrees(parts, names, *, ax: Axes | None = None) -> Axes:
    """Bars of importance, each put together from the degrees of interaction k.

    Parameters
    ----------
    parts : array-like of shape (n_features, n_degrees)
        As `mdi_by_degree` gives them: column k is what was won when k other
        variables were known. The number k stands on every part that has room for it.
    names : sequence of n_features names
        The first on top.
    ax : matplotlib Axes, default=None
        Drawn on; a new figure is made if None.

    Returns
    -------
    ax : matplotlib Axes
    """
    parts, names = np.asarray(parts, dtype=float), [str(name) for name in names]
    if parts.ndim != 2 or len(parts) != len(names) or (parts < -1e-9).any():
        raise ValueError(
            f"parts must have one row for each of the {len(names)} names and no negative entry, "
            f"got the shape {parts.shape}. Pass what mdi_by_degree returned."
        )
    ax = plt.subplots(figsize=(6.4, 0.9 + 0.4 * len(names)))[1] if ax is None else ax
    bars = draw_bars(ax, names, parts.shape[1])
    ax.set_xlim(0, 1.16 * parts.sum(axis=1).max())
    move_bars(bars, parts, ax.get_xlim()[1])
    return ax


def draw_bars(ax: Axes, names, n_degrees: int) -> list[tuple]:
    """Bars of no length yet, a row for each name: (patches, their texts, text of the total)."""
    ax.set_yticks(range(len(names)), names)
    ax.set(ylim=(len(names) - 0.4, -0.6), xlabel="importance in bits, by degree k")
    ax.tick_params(axis="y", length=0)
    colours = plt.get_cmap("cividis")(np.linspace(0, 1, max(n_degrees, 2)))
    bars = []
    for row in range(len(names)):
        patches = ax.barh([row] * n_degrees, 0, 0.72, color=colours[:n_degrees], edgecolor="white")
        texts = [
            ax.text(0, row, k, ha="center", va="center_baseline", color=_readable_on(c), fontsize=9)
            for k, c in enumerate(colours[:n_degrees])
        ]
        total = ax.text(0, row, "", va="center_baseline", fontsize=10.5)
        bars.append((list(patches), texts, total))
    return bars


def move_bars(bars, parts: np.ndarray, width: float) -> None:
    """Give the bars these parts; `width` is that of the axis, to see where a number has room."""
    for (patches, texts, total), row in zip(bars, parts, strict=True):
        starts = np.cumsum(row) - row
        for patch, text, start, part in zip(patches, texts, starts, row, strict=True):
            patch.set(x=start, width=part)
            text.set(x=start + part / 2, visible=bool(part > 0.028 * width))
        total.set(x=row.sum() + 0.012 * width, text=f"{row.sum():.3f}")


# Which digits are still possible


@styled
def plot_branches(X, y, order, *, ax: Axes | None = None) -> Axes:
    """The multiway tree that asks the variables in one order: who is left in each node, and H(Y|B).

    Parameters
    ----------
    X : DataFrame or array of shape (n_rows, n_features)
    y : array-like of shape (n_rows,)
        Short names of the rows, such as digits; the rows are equally likely.
    order : sequence of features
        Asked one after the other, in every branch the same.
    ax : matplotlib Axes, default=None
        Drawn on; a new figure is made if None.

    Returns
    -------
    ax : matplotlib Axes
    """
    asked = feature_indices(order, column_names(X))
    values, y = check_X_y(X, y, numeric=False)
    law, names = Categorical(X, y), column_names(X)
    ax = plt.subplots(figsize=(7.4, 0.5 + 0.95 * (len(asked) + 1)))[1] if ax is None else ax
    ax.axis("off")
    ax.set(xlim=(-0.16, 1.2), ylim=(-len(asked) - 0.4, 0.45))
    above = {}
    for level in range(len(asked) + 1):
        groups = _groups(values[:, asked[:level]], y)
        if level:
            knew = law.conditional_entropy(asked[: level - 1])
            gained = knew - law.conditional_entropy(asked[:level])
            ax.text(
                -0.15, 0.5 - level, f"ask {names[asked[level - 1]]}", va="center", weight="bold"
            )
            ax.text(1.19, 0.5 - level, f"−{gained:.2f}", va="center", ha="right", color=BLUE)
        left = law.conditional_entropy(asked[:level])
        ax.text(1.19, -level, f"{left:.2f} bits left", va="center", ha="right")
        above = _draw_level(ax, groups, level, above)
    return ax


def _groups(answers: np.ndarray, y: np.ndarray) -> dict[tuple, list]:
    """The targets by the answers given so far, in the order of the answers."""
    found = {}
    for answer, target in sorted(zip(map(tuple, answers), y, strict=True)):
        found.setdefault(answer, []).append(target)
    return found


def _draw_level(ax: Axes, groups: dict, level: int, above: dict) -> dict[tuple, float]:
    """Draw one row of nodes, joined to the row above; returns where each node stands."""
    count = sum(map(len, groups.values()))
    ends = np.cumsum([len(targets) for targets in groups.values()]) / count
    places = {}
    for (answer, targets), end in zip(groups.items(), ends, strict=True):
        x = places[answer] = end - len(targets) / count / 2
        settled = len(targets) == 1
        box = {
            "boxstyle": "round,pad=0.3",
            "linewidth": 1.4,
            "edgecolor": GREY if settled else BLUE,
        }
        box["facecolor"] = "#eeeeee" if settled else "white"
        text = " ".join(map(str, targets))
        ax.text(x, -level, text, ha="center", va="center", color=INK, bbox=box, zorder=3)
        if answer[:-1] in above and level:
            start = above[answer[:-1]]
            ax.plot([start, x], [1 - level, -level], "-", color=GREY, linewidth=1, zorder=1)
            paper = {"facecolor": "white", "edgecolor": "none", "pad": 1}
            where = ((start + x) / 2, 0.5 - level)
            ax.text(*where, answer[-1], ha="center", va="center", color=GREY, bbox=paper, zorder=2)
    return places


# Side by side


def plot_panels(plot, contents, *, size=(7.4, 3.8), **options) -> Figure:
    """The same plot of several things, side by side on common axes, a title above each.

    Parameters
    ----------
    plot : callable
        ``plot(content, ax=ax, **options)`` draws one panel.
    contents : mapping from title to content
    size : pair of float, default=(7.4, 3.8)
        Width and height of the whole figure in inches.
    **options
        Handed on to `plot`, the same for every panel.

    Examples
    --------
    >>> figure = plot_panels(plot_display, {"K = 1": [0.4] * 7, "K = 7": [0.3] * 7}, limit=1)
    >>> [ax.get_title(loc="left") for ax in figure.axes]
    ['K = 1', 'K = 7']
    >>> plt.close(figure)
    """
    if not isinstance(contents, Mapping) or not contents:
        raise TypeError(
            f"contents must map titles to what is drawn below them, got {contents!r}. "
            f"Pass for example {{'K = 1': values}}."
        )
    with course_style():
        shared = {"sharex": True, "sharey": True, "squeeze": False}
        figure, axes = plt.subplots(1, len(contents), figsize=size, **shared)
        for ax, (title, content) in zip(axes[0], contents.items(), strict=True):
            plot(content, ax=ax, **options)
            ax.set_title(title)
            ax.label_outer()
    return figure


# Steps shared by the pictures


def _readable_on(colour) -> str:
    """Black or white, whichever has more contrast with the colour."""
    rgb = np.array(colour[:3])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return "#000000" if linear @ [0.2126, 0.7152, 0.0722] > 0.179 else "#ffffff"


def _labels(labels, segments) -> list[str]:
    if labels is None:
        return [text.get_text() for _, text in segments]
    if isinstance(labels, str) or len(labels) != N_SEGMENTS:
        raise ValueError(
            f"labels must be {N_SEGMENTS} texts, one for each segment, got {labels!r}. "
            f"Pass them from X1, the top, to X7, the bottom."
        )
    return [str(label) for label in labels]


def _seven(values, name: str = "values") -> np.ndarray:
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} must be {N_SEGMENTS} numbers, one for each segment, got {values!r}. "
            f"Pass them from X1, the top, to X7, the bottom."
        ) from None
    if found.shape != (N_SEGMENTS,) or not np.isfinite(found).all():
        raise ValueError(
            f"{name} must be {N_SEGMENTS} finite numbers, one for each segment, got {values!r}. "
            f"Pass them from X1, the top, to X7, the bottom."
        )
    return found
