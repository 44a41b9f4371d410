"""The lattice of a game: a box for each coalition, an edge for each player who may join it."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from course_lib.models.games import shapley_values, worths
from course_lib.plots.pictures import course_style
from course_lib.plots.style import BLUE, GREEN, INK, ORANGE, new_axes, styled

JOINS = ((BLUE, "-"), (ORANGE, "--"), (GREEN, "-."))  # how each player's edges are drawn
BOX = (0.32, 0.19)  # half the width and half the height of a node
PALE, TINT = 0.002, 0.2  # how much blue lies over a box of worth 0, which can be pointed at, too,
# and over one of the largest worth
CLOSE = 1e-9


class Lattice:
    """The coalitions of two or three players as boxes, joined where one player comes in."""

    def __init__(self, ax: Axes, names: Sequence[str]):
        self.ax, self.names, self.n_players = ax, tuple(names), len(names)
        self.place = _places(self.n_players)
        self.nodes = [self._node(S) for S in range(2**self.n_players)]
        self.edges = [
            (S, i, *self._edge(S, i))
            for S in range(2**self.n_players)
            for i in range(self.n_players)
            if not S >> i & 1
        ]
        widest = max(abs(x) for x, _ in self.place) + BOX[0] + 0.06
        ax.set(xlim=(-widest, widest), ylim=(-BOX[1] - 0.06, self.n_players + BOX[1] + 0.06))
        ax.set_axis_off()

    @property
    def artists(self) -> list:
        """Everything that depends on the worths, and what lies above it."""
        return [part for node in self.nodes for part in node] + [
            part for _, _, line, label in self.edges for part in (line, label)
        ]

    def _node(self, S: int):
        (x, y), (w, h) = self.place[S], BOX
        place = ((x - w, y - h), 2 * w, 2 * h)
        shape = {"boxstyle": "round,pad=0,rounding_size=0.08", "zorder": 3}
        paper = FancyBboxPatch(*place, facecolor="white", edgecolor=INK, linewidth=1.2, **shape)
        tint = FancyBboxPatch(*place, facecolor=BLUE, edgecolor="none", **shape)
        for box in (paper, tint):
            self.ax.add_patch(box)
        members = [name for i, name in enumerate(self.names) if S >> i & 1]
        label = "all three" if len(members) == 3 else ", ".join(members) or "∅"
        middle = {"ha": "center", "va": "center", "zorder": 4, "color": INK}
        above = self.ax.text(x, y + 0.085, label, size=10, **middle)
        worth = self.ax.text(x, y - 0.075, "", size=12, weight="bold", **middle)
        return paper, tint, above, worth

    def _edge(self, S: int, i: int):
        (x0, y0), (x1, y1) = self.place[S], self.place[S | 1 << i]
        color, dashes = JOINS[i]
        (line,) = self.ax.plot([x0, x1], [y0, y1], dashes, color=color, zorder=1)
        at = 0.5 if x0 == x1 or self.n_players == 2 else 0.36  # away from where edges cross
        paper = {"facecolor": "white", "edgecolor": "none", "pad": 1.2}
        where = (x0 + at * (x1 - x0), y0 + at * (y1 - y0))
        middle = {"ha": "center", "va": "center", "zorder": 2, "bbox": paper}
        return line, self.ax.text(*where, "", color=color, size=10, **middle)

    def show(self, table: np.ndarray) -> None:
        """Write the worths into the boxes and the contributions on the edges."""
        largest = max(np.abs(table).max(), CLOSE)
        for (_, tint, _, worth), value in zip(self.nodes, table, strict=True):
            worth.set_text(plain_number(value))
            tint.set_alpha(max(PALE, TINT * value / largest))
        for S, i, line, label in self.edges:
            gain = table[S | 1 << i] - table[S]
            line.set_linewidth(1.1 + 2.4 * min(1.0, abs(gain) / largest))
            label.set_text(number_with_sign(gain))


def _places(n_players: int) -> list[tuple[float, float]]:
    """Where each coalition stands: one row for each size, from nobody up to everybody."""
    if n_players not in (2, 3):
        raise ValueError(
            f"The lattice is drawn for two or three players, got {n_players}. A game of "
            f"{n_players} has {2**n_players} coalitions: show a table of its shares instead."
        )
    place = [(0.0, 0.0)] * 2**n_players
    for size in range(1, n_players):
        row = list(combinations(range(n_players), size))
        for k, members in enumerate(row):
            x = 1.08 * (k - (len(row) - 1) / 2)
            place[sum(1 << i for i in members)] = (x, float(size))
    place[-1] = (0.0, float(n_players))
    return place


def plain_number(value: float) -> str:
    """At most three decimals, and a true minus sign."""
    return f"{round(float(value), 3) + 0.0:g}".replace("-", "−")


def number_with_sign(value: float) -> str:
    """As `plain_number`, with a plus sign above 0."""
    return ("+" if value > CLOSE else "") + plain_number(value)


@styled
def plot_lattice(v, names: Sequence[str], *, ax: Axes | None = None) -> Axes:
    """The lattice of a game: worths in the boxes, on each edge what the player who joins adds.

    A walk from the bottom to the top is one order of arrival. The legend gives each player's mean
    over all walks, the Shapley value.

    Parameters
    ----------
    v : callable or array of 2**n worths
    names : two or three str
        The players.
    """
    if ax is None:
        size = (4.8, 3.6) if len(names) == 2 else (6.4, 4.9)
        ax = new_axes(size)
    lattice = Lattice(ax, names)
    table = worths(v, len(names))
    lattice.show(table)
    shares = shapley_values(table, len(names))
    for name, share, (color, dashes) in zip(names, shares, JOINS, strict=False):
        ax.plot([], [], dashes, color=color, label=f"{name} joins, mean {number_with_sign(share)}")
    above = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncols": len(names)}
    ax.legend(**above, handlelength=2.4, columnspacing=1.2, fontsize=10.5)
    return ax


def plot_games(games: Mapping[str, object], names: Sequence[str]) -> Figure:
    """Several games of the same players side by side, each with its Shapley values below.

    Parameters
    ----------
    games : mapping from title to game
    names : two or three str
        The players.
    """
    with course_style():
        figure, axes = plt.subplots(1, len(games), figsize=(2.35 * len(games), 3.6), squeeze=False)
        for ax, (title, v) in zip(axes[0], games.items(), strict=True):
            table = worths(v, len(names))
            Lattice(ax, names).show(table)
            ax.set_title(title, loc="center", size=11)
            shares = shapley_values(table, len(names))
            for k, (name, share) in enumerate(zip(names, shares, strict=True)):
                at = (k + 0.5) / len(names)
                color, middle = JOINS[k][0], {"ha": "center", "va": "top", "weight": "bold"}
                text = f"{name}\n{number_with_sign(share)}"
                ax.text(at, -0.03, text, transform=ax.transAxes, color=color, **middle)
    return figure
