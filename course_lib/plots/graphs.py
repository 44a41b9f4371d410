"""Pictures of worlds: variables as boxes, causes as arrows, what was set from outside marked so."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_lib.plots.pictures import course_style
from course_lib.plots.style import BLUE, GREEN, GREY, INK, ORANGE, styled
from course_lib.worlds.scm import LinearSCM, check_world

Positions = Mapping[str, tuple[float, float]]

ROOM = (0.7, 0.32)  # left free around the outermost boxes, in the unit of the positions
TITLE = 0.3  # inches above a small graph
UNIT = (1.45, 1.1)  # inches that one unit of the positions takes in a new figure


@styled
def plot_graph(
    scm: LinearSCM,
    positions: Positions | None = None,
    *,
    target: str | None = None,
    hidden: Sequence[str] = (),
    before: LinearSCM | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The graph of a world: an arrow with its coefficient from each cause to what it acts on.

    A variable without causes and without noise has been set from outside: its box has a thick
    orange frame and says do(name = value). Arrows with the coefficient 0 are not there.

    Parameters
    ----------
    scm : LinearSCM
    positions : mapping from variable to (x, y), default=None
        Where each box stands, a unit or two apart; variables not named are left out. If None, all
        variables stand on an arch, in their order from left to right.
    target : str, default=None
        The variable with a green frame.
    hidden : sequence of str, default=()
        Variables that nobody has measured: a dashed frame.
    before : LinearSCM, default=None
        The same world before an intervention; arrows that are gone are drawn dotted.

    Examples
    --------
    >>> world = LinearSCM({"alarm": {"smoke": 3.0}}, {"smoke": 1.0, "alarm": 1.0})
    >>> ax = plot_graph(world.do(smoke=1), target="alarm")
    >>> [text.get_text() for text in ax.texts if text.get_text()]
    ['do(smoke = 1)', 'alarm', '3']
    >>> plt.close(ax.figure)
    """
    check_world(scm, "scm")
    check_world(scm if before is None else before, "before")
    places = _arch(scm.variables) if positions is None else _check_positions(positions, scm)
    for name in (*hidden, *(() if target is None else (target,))):
        scm.parents(name)  # an unknown name is refused by the world
    if ax is None:
        ax = plt.subplots(figsize=_size(places))[1]
    x, y = np.array(list(places.values())).T
    ax.set(xlim=(x.min() - ROOM[0], x.max() + ROOM[0]), ylim=(y.min() - ROOM[1], y.max() + ROOM[1]))
    ax.set_axis_off()
    boxes = {
        name: _box(ax, scm, name, place, name == target, name in hidden)
        for name, place in places.items()
    }
    now = _arrows(scm, places)
    for (cause, effect), coefficient in now.items():
        _arrow(ax, boxes[cause], boxes[effect], f"{coefficient:g}".replace("-", "−"))
    for cause, effect in _arrows(before, places) if before is not None else ():
        if (cause, effect) not in now:
            _arrow(ax, boxes[cause], boxes[effect], "cut", gone=True)
    return ax


def plot_graphs(
    worlds: Mapping[str, LinearSCM],
    *,
    target: str | None = None,
    hidden: Sequence[str] = (),
    columns: int = 2,
) -> Figure:
    """Several small graphs in one figure, each under its title, variables on an arch.

    Parameters
    ----------
    worlds : mapping from title to LinearSCM
    target, hidden : as in `plot_graph`
        Where a world has such a variable.
    columns : int, default=2
        Graphs beside each other.
    """
    if not isinstance(worlds, Mapping) or not worlds:
        raise TypeError(
            f"worlds must map a title to each world, got {worlds!r}. "
            f"Pass for example {{'cause': LinearSCM(equations, noise)}}."
        )
    for title, world in worlds.items():
        check_world(world, f"worlds[{title!r}]")
    heights = [TITLE + _size(_arch(world.variables))[1] for world in worlds.values()]
    rows = [max(heights[k : k + columns]) for k in range(0, len(heights), columns)]
    with course_style():
        figure, axes = plt.subplots(
            len(rows), columns, figsize=(6.6, sum(rows)), height_ratios=rows, squeeze=False
        )
    for ax in axes.flat[len(worlds) :]:
        ax.set_axis_off()
    for ax, (title, world) in zip(axes.flat, worlds.items(), strict=False):
        known = set(world.variables)
        own = [name for name in hidden if name in known]
        plot_graph(world, target=target if target in known else None, hidden=own, ax=ax)
        with course_style():
            ax.set_title(title)
    return figure


# Boxes and arrows


def _arch(variables: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Places on an arch from left to right, wide enough for the names; two stand side by side."""
    n = len(variables)
    width = max(1.8, (n - 1) * (0.3 + 0.1 * max(map(len, variables))))
    x = np.linspace(0, width, n)
    rise = np.sin(np.linspace(0, np.pi, n)) if n > 2 else np.zeros(n)
    high = 0.9 * max(1, n - 2)
    return {name: (x[k], round(high * rise[k], 9)) for k, name in enumerate(variables)}


def _size(places: Positions) -> tuple[float, float]:
    """Inches of a figure in which the boxes stand well."""
    spans = np.ptp(np.array(list(places.values())), axis=0)
    width, height = (u * (span + 2 * r) for u, span, r in zip(UNIT, spans, ROOM, strict=True))
    return width, height


def _arrows(scm: LinearSCM, places: Positions) -> dict[tuple[str, str], float]:
    """The arrows between the variables that are shown, as (cause, effect), with coefficients."""
    return {
        (cause, effect): coefficient
        for effect, causes in scm.equations.items()
        for cause, coefficient in causes.items()
        if coefficient != 0 and {cause, effect} <= set(places)
    }


def _box(ax: Axes, scm: LinearSCM, name: str, place, is_target: bool, is_hidden: bool):
    is_set = not scm.parents(name) and scm.noise[name] == 0
    label = f"do({name} = {scm.intercepts.get(name, 0):g})" if is_set else name
    color = ORANGE if is_set else GREEN if is_target else INK
    frame = {
        "boxstyle": "round,pad=0.35",
        "facecolor": "white",
        "edgecolor": color,
        "linewidth": 2.6 if is_set or is_target else 1.4,
        "linestyle": "--" if is_hidden else "-",
    }
    return ax.text(*place, label, ha="center", va="center", color=color, bbox=frame, zorder=3)


def _arrow(ax: Axes, cause, effect, label: str, *, gone: bool = False) -> None:
    """An arrow from box to box with a label beside its middle; one that is gone, as dots."""
    color, start, end = GREY if gone else BLUE, cause.get_position(), effect.get_position()
    ax.annotate(
        "",
        xy=end,
        xytext=start,
        zorder=3,
        arrowprops={
            "arrowstyle": "-" if gone else "-|>",
            "color": color,
            "linestyle": ":" if gone else "-",
            "linewidth": 2,
            "mutation_scale": 16,
            "patchA": cause.get_bbox_patch(),
            "patchB": effect.get_bbox_patch(),
            "shrinkA": 2,
            "shrinkB": 2,
        },
    )
    along = np.subtract(end, start) * UNIT
    aside = np.array([-along[1], along[0]]) / np.hypot(*along)
    aside *= -1 if tuple(aside[::-1]) < (0, 0) else 1  # above the arrow, or to its right
    ax.annotate(
        label,
        np.mean([start, end], axis=0),
        xytext=4 * aside,
        textcoords="offset points",
        ha="left" if aside[0] > 0.3 else "right" if aside[0] < -0.3 else "center",
        va="bottom" if aside[1] > 0.3 else "center",
        color=color,
        zorder=4,
    )


def _check_positions(positions, scm: LinearSCM) -> dict[str, tuple[float, float]]:
    if not isinstance(positions, Mapping) or not positions:
        raise TypeError(
            f"positions must map variables to their places (x, y), got {positions!r}. "
            f"Write for example {{{scm.variables[0]!r}: (0, 0)}}."
        )
    for name, place in positions.items():
        scm.parents(name)  # an unknown name is refused by the world
        try:
            right = np.shape(place) == (2,) and bool(np.isfinite(place).all())
        except TypeError:
            right = False
        if not right:
            raise ValueError(
                f"The place of {name!r} must be two numbers (x, y), got {place!r}. "
                f"Boxes stand well a unit or two apart."
            )
    return dict(positions)
