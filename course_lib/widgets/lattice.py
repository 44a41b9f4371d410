"""Edit the worths of a game on its lattice: the shares, and the axioms that a rival rule breaks."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from course_lib.models.games import shapley_values, worths
from course_lib.models.rules import AXIOMS, RULES, broken_axioms, leave_one_out
from course_lib.plots.pictures import course_style
from course_lib.plots.style import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, styled
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene

PLAYERS = ("Ann", "Ben", "Cem")
COALITIONS = ("A", "B", "AB", "C", "AC", "BC", "ABC")  # by bit mask, after the empty one
RIVALS = tuple(name for name in RULES if name != "Shapley")
WORTH = 12  # the most that a coalition can earn in the explorer
JOINS = ((BLUE, "-"), (ORANGE, "--"), (GREEN, "-."))  # how each player's edges are drawn
BOX = (0.32, 0.19)  # half the width and half the height of a node
TINT = np.array(to_rgb("#cfe0f5"))
CLOSE = 1e-9


# The lattice


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
        style = {"boxstyle": "round,pad=0,rounding_size=0.08", "edgecolor": INK, "linewidth": 1.2}
        box = FancyBboxPatch((x - w, y - h), 2 * w, 2 * h, facecolor="white", zorder=3, **style)
        self.ax.add_patch(box)
        members = [name for i, name in enumerate(self.names) if S >> i & 1]
        size = 10 if len(members) < 3 else 8.5
        middle = {"ha": "center", "va": "center", "zorder": 4}
        above = self.ax.text(x, y + 0.085, ", ".join(members) or "∅", size=size, **middle)
        worth = self.ax.text(x, y - 0.075, "", size=12, weight="bold", **middle)
        return box, above, worth

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
        for (box, _, worth), value in zip(self.nodes, table, strict=True):
            worth.set_text(_number(value))
            shade = max(0.0, value / largest)
            box.set_facecolor(tuple(1 - shade * (1 - TINT)))
        for S, i, line, label in self.edges:
            gain = table[S | 1 << i] - table[S]
            line.set_linewidth(1.1 + 2.4 * min(1.0, abs(gain) / largest))
            label.set_text(_signed(gain))


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


def _number(value: float) -> str:
    return f"{round(float(value), 3) + 0.0:g}".replace("-", "−")


def _signed(value: float) -> str:
    return ("+" if value > CLOSE else "") + _number(value)


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
    ax : matplotlib Axes, default=None
        Drawn on; a new figure is made if None.

    Returns
    -------
    ax : matplotlib Axes
    """
    if ax is None:
        size = (4.8, 3.6) if len(names) == 2 else (6.4, 4.9)
        ax = plt.subplots(figsize=size)[1]
    lattice = Lattice(ax, names)
    table = worths(v, len(names))
    lattice.show(table)
    shares = shapley_values(table, len(names))
    for name, share, (color, dashes) in zip(names, shares, JOINS, strict=False):
        ax.plot([], [], dashes, color=color, label=f"{name} joins, mean {_signed(share)}")
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
                text = f"{name}\n{_signed(share)}"
                ax.text(at, -0.03, text, transform=ax.transAxes, color=color, **middle)
    return figure


# The explorer


def _game(state: Mapping) -> np.ndarray:
    return np.array([0.0, *(state[name] for name in COALITIONS)])


def opposite_ranks(v, n_players: int) -> list[tuple[int, int]]:
    """The pairs of players that leave-one-out and Shapley rank in opposite orders.

    >>> v = [0, 8, 0, 8, 0, 8, 9, 12]  # worth alone, and hardly missed
    >>> opposite_ranks(v, 3)
    [(0, 1), (0, 2)]
    """
    table = worths(v, n_players)
    phi, without = shapley_values(table, n_players), leave_one_out(table, n_players)
    close = CLOSE * max(1.0, np.abs(table).max())
    return [
        (i, j)
        for i, j in combinations(range(n_players), 2)
        if abs(phi[i] - phi[j]) > close
        and abs(without[i] - without[j]) > close
        and (phi[i] > phi[j]) != (without[i] > without[j])
    ]


def _rival_shares(rule: str, table: np.ndarray) -> np.ndarray | None:
    try:
        return RULES[rule](table, 3)
    except ValueError:  # nothing to be proportional to
        return None


class LatticeScene(Scene):
    """Left the lattice, right the shares by both rules and the axioms that the rival breaks."""

    size = (8.8, 4.5)

    def draw(self, figure):
        grid = figure.add_gridspec(2, 2, width_ratios=(1.55, 1), height_ratios=(1.55, 1))
        self.lattice = Lattice(figure.add_subplot(grid[:, 0]), PLAYERS)
        shares, axioms = figure.add_subplot(grid[0, 1]), figure.add_subplot(grid[1, 1])
        shares.axvline(0, color=GREY, linewidth=1.2, zorder=0.5)
        shares.set(xlim=(-13, 18), ylim=(-0.6, 2.6), xticks=[-12, -6, 0, 6, 12])
        shares.set_yticks([2, 1, 0], PLAYERS)
        for label, (color, _) in zip(shares.get_yticklabels(), JOINS, strict=True):
            label.set(color=color, weight="bold")
        shares.tick_params(axis="y", length=0)
        shares.spines["left"].set_visible(False)
        (self.ours,) = shares.plot([0] * 3, [2.17, 1.17, 0.17], "o", color=INK)
        rival = {"color": PURPLE, "markerfacecolor": "none"}
        (self.theirs,) = shares.plot([0] * 3, [1.83, 0.83, -0.17], "s", **rival)
        self.labels = [
            shares.text(0, y, "", va="center", size=10, color=color)
            for marks, color in ((self.ours, INK), (self.theirs, PURPLE))
            for y in marks.get_ydata()
        ]
        self.titles = [
            shares.text(x, 2.75, "", size=10.5, color=color)
            for x, color in ((-13, INK), (-2.5, PURPLE))
        ]
        self.titles[0].set_text("● Shapley")
        axioms.set_axis_off()
        axioms.set(xlim=(0, 1), ylim=(-5.4, 0.9))
        self.heading = axioms.text(0, 0.2, "", size=10.5, color=PURPLE)
        self.marks = [axioms.text(0.02, -k, "", size=10.5) for k in range(1, 6)]
        moving = [self.ours, self.theirs, *self.labels, *self.titles, self.heading, *self.marks]
        return [*self.lattice.artists, *moving]

    def update(self, rule, **state):
        table = _game(state)
        phi, other = shapley_values(table, 3), _rival_shares(rule, table)
        rival = np.full(3, np.nan) if other is None else other
        self.lattice.show(table)
        self.ours.set_xdata(phi)
        self.theirs.set_xdata(rival)
        for label, value in zip(self.labels, [*phi, *rival], strict=True):
            label.set_x(value + 1 if np.isfinite(value) else 0)
            label.set_text(_number(round(value, 2)) if np.isfinite(value) else "no answer")
        self.titles[1].set_text(f"□ {rule}")
        self.heading.set_text(f"{rule} breaks, in this game:")
        broken = {} if other is None else broken_axioms(RULES[rule], table, 3)
        for mark, axiom in zip(self.marks, AXIOMS, strict=True):
            mark.set_text(f"✗  {axiom}" if axiom in broken else f"–  {axiom}")
            mark.set_color(ORANGE if axiom in broken else GREY)
            mark.set_weight("bold" if axiom in broken else "normal")


def _shares_text(shares: np.ndarray | None) -> str:
    if shares is None:
        return "no answer, since nobody is worth anything alone"
    listed = zip(PLAYERS, shares, strict=True)
    return ", ".join(f"{name} {_number(round(value, 2))}" for name, value in listed)


def _readout(rule: str, **state) -> str:
    table = _game(state)
    other = _rival_shares(rule, table)
    lines = [
        f"Shapley: {_shares_text(shapley_values(table, 3))}",
        f"{rule}: {_shares_text(other)}",
    ]
    if other is not None:
        broken = broken_axioms(RULES[rule], table, 3, PLAYERS)
        lines += [f"breaks {axiom}: {what}" for axiom, what in broken.items()]
        lines += [] if broken else [f"this game does not show {rule} breaking any axiom"]
    return "\n".join(lines)


def _alt(rule: str, **state) -> str:
    names = ("nobody", *COALITIONS)
    listed = zip(names, _game(state), strict=True)
    earned = ", ".join(f"{name} {_number(value)}" for name, value in listed)
    return f"The lattice of a game of Ann, Ben and Cem, worth {earned}. {_readout(rule, **state)}"


def lattice_explorer() -> Explorer:
    """Edit v(S): two sensible rules can rank the same two players in opposite orders."""
    start = {"AB": 6, "AC": 6, "ABC": 6}  # gloves: Ann has the left one
    controls = {
        name: widgets.IntSlider(
            start.get(name, 0), 0, WORTH, description=f"v({name})", layout={"height": "24px"}
        )
        for name in sorted(COALITIONS, key=lambda name: (len(name), name))
    }
    controls["rule"] = widgets.ToggleButtons(options=RIVALS, description="rival rule")
    controls["rule"].style.button_width = "9em"
    return Explorer(
        frame=LatticeScene(),
        readout=_readout,
        controls=controls,
        goal="Find a game in which leave-one-out and Shapley rank two players in opposite orders.",
        reached=lambda rule, **state: bool(opposite_ranks(_game(state), 3)),
        alt=_alt,
        then="Leave-one-out looks at the top edges only. Which edges speak for the player whom it "
        "ranks too low?",
    )
