"""A figure once more for a phone, whose page is half as wide as a figure.

Scaled down to a phone, most figures still have letters that can be read. Of the others panels that
stand beside each other are put below each other, and what has one panel is drawn in less width.
"""

from collections.abc import Sequence
from textwrap import fill

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.text import Text

PHONE, SMALLEST = 390, 9  # pixels: the width of a page, and the size of a letter that can be read
POINTS = 72  # units of a drawing per inch
EDGE = 4  # points that stay free at the right
TURNED = 0.9  # inches that turned names need
NEARLY = 1.05  # panels that are wider by so little are drawn a little smaller
OWN = ("left", "center", "right")  # places of a title


def is_too_wide(figure: Figure) -> bool:
    """Whether letters of the figure could not be read in the width of a phone."""
    return figure.get_figwidth() * POINTS > widest(figure)


def widest(figure: Figure) -> float:
    """The width in points at which the smallest letters can just be read on a phone."""
    sizes = [text.get_fontsize() for text in figure.findobj(Text) if _is_seen(text)]
    return PHONE * min(sizes, default=PHONE) / SMALLEST


def narrowed(figure: Figure) -> Figure:
    """The figure in the width of a phone, its panels below each other; the figure is changed.

    A figure with a drawing of its own for a phone has it as `when_narrow`, a function.
    """
    if hasattr(figure, "when_narrow"):
        return figure.when_narrow()
    grid, most = _grid_of(figure.axes), widest(figure)
    if grid is None or grid.ncols == 1:
        figure.set_figwidth(most / POINTS)
    else:
        _stack(figure, grid, most)
    if not isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine):
        figure.tight_layout()  # of a figure that another package has drawn
    _legends_in_one_column(figure)
    for _ in range(2):
        _wrap_what_sticks_out(figure)
    _turn_names_that_touch(figure)
    return figure


def _is_seen(text: Text) -> bool:
    return bool(text.get_visible() and text.get_text().strip())


# ---- panels ------------------------------------------------------------------------------


def _grid_of(axes: Sequence[Axes]) -> GridSpec | None:
    """The grid that all axes of a figure stand in, one in each place; None if there is no such."""
    specs = [ax.get_subplotspec() for ax in axes]
    if not specs or None in specs:
        return None
    grids = {id(spec.get_gridspec()) for spec in specs}
    single = all(spec.num1 == spec.num2 for spec in specs)
    return specs[0].get_gridspec() if single and len(grids) == 1 else None


def _stack(figure: Figure, grid: GridSpec, most: float) -> None:
    """Give the grid as many columns as fit; a row that does not fit goes on in the next one."""
    width, height = figure.get_size_inches() * POINTS
    share, rows = width / grid.ncols, []
    columns = _even(grid.ncols, max(int(NEARLY * most / share), 1))
    for row in range(grid.nrows):
        found = [ax for ax in figure.axes if ax.get_subplotspec().rowspan.start == row]
        _tell_alone(found, first=figure.axes[: grid.ncols])
        rows += [found[k : k + columns] for k in range(0, len(found), columns)]
    new = GridSpec(len(rows), columns, figure=figure)
    for row, axes in enumerate(rows):
        for column, ax in enumerate(axes):
            ax.set_subplotspec(new[row, column])
    wide = min(columns * share, most) if columns > 1 else min(most, 1.6 * share)
    figure.set_size_inches(wide / POINTS, height / grid.nrows * len(rows) / POINTS)


def _even(n: int, most: int) -> int:
    """How many columns give rows of equal length, as far as they can.

    >>> _even(4, 3), _even(5, 3), _even(3, 2)
    (2, 3, 2)
    """
    n_rows = -(-n // most)
    return -(-n // n_rows)


def _tell_alone(row: Sequence[Axes], first: Sequence[Axes]) -> None:
    """Give the panels of a row what only the first of the row, or of the column, has said."""
    for ax, above in zip(row, first, strict=False):
        if not any(ax.get_title(place) for place in OWN):
            for place in OWN:
                ax.set_title(above.get_title(place), loc=place)
        ax.tick_params(axis="y", labelleft=_has_names(row[0]))
        ax.tick_params(axis="x", labelbottom=_has_labels(row[0]))
        if not ax.get_ylabel() and ax.axison and _has_names(row[0]):
            ax.set_ylabel(row[0].get_ylabel())


def _has_names(ax: Axes) -> bool:
    return any(_is_seen(label) for label in ax.get_yticklabels())


def _has_labels(ax: Axes) -> bool:
    return any(_is_seen(label) for label in ax.get_xticklabels())


# ---- texts -------------------------------------------------------------------------------


def _legends_in_one_column(figure: Figure) -> None:
    """Draw each legend that is wider than the figure again, its entries below each other."""
    figure.draw_without_rendering()
    for owner in (figure, *figure.axes):
        for legend in [child for child in owner.get_children() if isinstance(child, Legend)]:
            if legend.get_window_extent().x1 > figure.bbox.x1 - EDGE:
                _again(owner, legend)


def _again(owner: Figure | Axes, legend: Legend) -> None:
    """In one column, above what it belongs to."""
    texts, handles = [text.get_text() for text in legend.get_texts()], legend.legend_handles
    above = {"loc": "outside upper left"}
    if isinstance(owner, Axes):
        above = {"loc": "lower left", "bbox_to_anchor": (0, 1.02)}
    legend.remove()
    owner.legend(handles, texts, ncols=1, alignment="left", **above)


def _wrap_what_sticks_out(figure: Figure) -> None:
    """Break the lines of titles and labels that are longer than the figure is wide."""
    figure.draw_without_rendering()
    for text in _wrapped_texts(figure):
        box = text.get_window_extent()
        over = max(box.x1 - figure.bbox.x1 + EDGE, figure.bbox.x0 - box.x0)
        if over > 0 and not text.get_rotation():
            longest = max(map(len, text.get_text().split("\n")))
            letters = int(longest * (1 - over / box.width))
            text.set_text("\n".join(fill(line, letters) for line in text.get_text().split("\n")))


def _wrapped_texts(figure: Figure) -> list[Text]:
    texts = [text for legend in figure.findobj(Legend) for text in legend.get_texts()]
    for ax in figure.axes:
        titles = [each for each in ax.get_children() if isinstance(each, Text)]
        texts += [ax.xaxis.label, *(each for each in titles if each not in ax.texts)]
    return [text for text in texts if _is_seen(text)]


def _turn_names_that_touch(figure: Figure) -> None:
    """Let the names below an axis be read from below where one reaches into the next."""
    figure.draw_without_rendering()
    for ax in figure.axes:
        boxes = [text.get_window_extent() for text in ax.get_xticklabels() if _is_seen(text)]
        if any(one.x1 > other.x0 for one, other in zip(boxes, boxes[1:], strict=False)):
            turn_names(ax)
            figure.set_figheight(figure.get_figheight() + TURNED)


def turn_names(ax: Axes) -> None:
    """Let the names below an axis be read from below, each in at most two lines."""
    names = [text.get_text().split("\n") for text in ax.get_xticklabels()]
    turned = ["\n".join([first, " ".join(others)]).strip() for first, *others in names]
    ax.set_xticks(ax.get_xticks(), turned, rotation=90)
