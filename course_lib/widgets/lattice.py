"""Edit the worths of a game on its lattice: the shares, and the axioms that a rival rule breaks."""

import ipywidgets as widgets
import numpy as np

from course_lib.models.rules import AXIOMS, opposite_ranks
from course_lib.plots.lattice import JOINS, Lattice, number_with_sign, plain_number
from course_lib.plots.style import GREY, INK, ORANGE, PURPLE
from course_lib.plots.svg import mark
from course_lib.studies.sharing import (
    COALITIONS,
    GAMES,
    PLAYERS,
    RIVALS,
    Sharing,
    game_of_three,
    share_out,
)
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene

WORTH = 12  # the most that a coalition can earn
ROWS = (2, 1, 0)  # of Ann, Ben and Cem


class LatticeScene(Scene):
    """Left the lattice, right the shares by both rules and the axioms that the rival breaks."""

    size, narrow = (8.0, 4.4), (4.9, 8.0)
    stills = (GAMES["Two musicians and a listener"], GAMES["Opposite orders"])

    def draw(self, figure):
        lattice, shares, axioms = self._axes(figure)
        self.lattice = Lattice(lattice, PLAYERS)
        moving = [*self.lattice.artists, *self._draw_shares(shares)]
        return [*moving, *self._draw_axioms(axioms)]

    def _axes(self, figure):
        if self.is_narrow:
            return figure.subplots(3, 1, height_ratios=(2.6, 1.5, 1))
        grid = figure.add_gridspec(2, 2, width_ratios=(1.7, 1), height_ratios=(1.55, 1))
        return [figure.add_subplot(place) for place in (grid[:, 0], grid[0, 1], grid[1, 1])]

    def _draw_shares(self, ax):
        ax.axvline(0, color=GREY, linewidth=1.2, zorder=0.5)
        ax.set(xlim=(-13, 18), ylim=(-0.6, 2.6), xticks=[-12, -6, 0, 6, 12], xlabel="share")
        ax.set_yticks(ROWS, PLAYERS)
        for name, label, (color, _) in zip(PLAYERS, ax.get_yticklabels(), JOINS, strict=True):
            mark(label, series=name).set(color=color, weight="bold")
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        rival = {"color": PURPLE, "markerfacecolor": "none"}
        styles = ((0.17, "o", {"color": INK}), (-0.17, "s", rival))
        self.dots = [ax.plot([0], [y + dy], m, **s)[0] for dy, m, s in styles for y in ROWS]
        self.labels = [
            ax.text(0, dot.get_ydata()[0], "", va="center", size=10, color=dot.get_color())
            for dot in self.dots
        ]
        ax.text(-13, 2.75, "● Shapley", size=10.5, color=INK)
        self.title = ax.text(-2.5, 2.75, "", size=10.5, color=PURPLE)
        return [*self.dots, *self.labels, self.title]

    def _draw_axioms(self, ax):
        ax.set_axis_off()
        ax.set(xlim=(0, 1), ylim=(-5.4, 0.9))
        self.heading = ax.text(0, 0.2, "", size=10.5, color=PURPLE)
        self.marks = [ax.text(0.02, -k, "", size=10.5) for k in range(1, 6)]
        return [self.heading, *self.marks]

    def update(self, rule, **state):
        sharing = share_out(rule, **state)
        self.lattice.show(sharing.worths)
        self._name_lattice(sharing.worths)
        self._show_shares(rule, sharing)
        self.heading.set_text(f"{rule}, in this game:")
        for text, axiom in zip(self.marks, AXIOMS, strict=True):
            is_broken = axiom in sharing.broken
            text.set_text(_verdict(axiom, sharing))
            text.set_color(ORANGE if is_broken else INK)
            text.set_weight("bold" if is_broken else "normal")
            mark(text, sharing.broken.get(axiom, ""))

    def _show_shares(self, rule: str, sharing: Sharing) -> None:
        rival = np.full(3, np.nan) if sharing.rival is None else sharing.rival
        self.title.set_text(f"□ {rule}")
        rows = [("Shapley", *each) for each in zip(PLAYERS, sharing.shapley, strict=True)]
        rows += [(rule, *each) for each in zip(PLAYERS, rival, strict=True)]
        for dot, label, (by, name, value) in zip(self.dots, self.labels, rows, strict=True):
            known = np.isfinite(value)
            text = plain_number(round(value, 2)) if known else "no answer"
            dot.set_xdata([value])
            label.set(x=value + 1 if known else 0, text=text)
            mark(dot, f"{name} by {by}: {text}" if known else "", series=name)
            mark(label, series=name)

    def _name_lattice(self, table: np.ndarray) -> None:
        for S, (_, tint, *_) in enumerate(self.lattice.nodes):
            mark(tint, f"{members(S)}: worth {plain_number(table[S])}")
        for S, i, line, label in self.lattice.edges:
            gain = number_with_sign(table[S | 1 << i] - table[S])
            mark(line, f"{PLAYERS[i]} joins {members(S)}: {gain}", series=PLAYERS[i])
            mark(label, series=PLAYERS[i])


def members(S: int) -> str:
    """The coalition of a bit mask in words."""
    names = [name for i, name in enumerate(PLAYERS) if S >> i & 1]
    return "all three" if len(names) == 3 else " and ".join(names) or "nobody"


def _verdict(axiom: str, sharing: Sharing) -> str:
    """A line of the picture: in words and with a sign, so that neither colour nor sign is needed."""
    if sharing.rival is None:
        return f"–  no answer: {axiom}"
    return f"✗  broken: {axiom}" if axiom in sharing.broken else f"✓  kept: {axiom}"


def _shares_text(shares: np.ndarray | None) -> str:
    if shares is None:
        return "no answer, since nobody is worth anything alone"
    listed = zip(PLAYERS, shares, strict=True)
    return ", ".join(f"{name} {plain_number(round(value, 2))}" for name, value in listed)


def _readout(rule: str, **state) -> str:
    sharing = share_out(rule, **state)
    lines = [f"Shapley: {_shares_text(sharing.shapley)}", f"{rule}: {_shares_text(sharing.rival)}"]
    lines += [f"breaks {axiom}: {what}" for axiom, what in sharing.broken.items()]
    if sharing.rival is not None and not sharing.broken:
        lines.append(f"this game does not show {rule} breaking any axiom")
    return "\n".join(line[0].upper() + line[1:] + "." for line in lines)


def _alt(rule: str, **state) -> str:
    names = ("nobody", *COALITIONS)
    listed = zip(names, game_of_three(state), strict=True)
    earned = ", ".join(f"{name} {plain_number(value)}" for name, value in listed)
    return f"The lattice of a game of Ann, Ben and Cem, worth {earned}. {_readout(rule, **state)}"


def _worth_slider(name: str, value: int) -> widgets.IntSlider:
    S = sum(1 << "ABC".index(letter) for letter in name)
    earns = "earns" if len(name) == 1 else "earn"
    return widgets.IntSlider(value, 0, WORTH, description=f"{members(S)} {earns}, v({name})")


def lattice_explorer() -> Explorer:
    """Edit v(S): two sensible rules can rank the same two players in opposite orders."""
    start = GAMES["Gloves"]
    controls = {
        name: _worth_slider(name, start[name])
        for name in sorted(COALITIONS, key=lambda name: (len(name), name))
    }
    controls["rule"] = widgets.ToggleButtons(options=RIVALS, description="rival rule")
    return Explorer(
        stored="lattice",
        frame=LatticeScene(),
        readout=_readout,
        controls=controls,
        goal="Find a game in which leave-one-out and Shapley rank two players in opposite orders.",
        reached=lambda rule, **state: bool(opposite_ranks(game_of_three(state), 3)),
        alt=_alt,
        then="Leave-one-out looks at the top edges only. Which edges speak for the player whom it "
        "ranks too low?",
        named=GAMES,
    )
