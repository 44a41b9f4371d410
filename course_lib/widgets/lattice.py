"""Edit the worths of a game on its lattice: the shares, and the axioms that a rival rule breaks."""

import ipywidgets as widgets
import numpy as np

from course_lib.models.rules import AXIOMS, opposite_ranks
from course_lib.plots.lattice import JOINS, Lattice, plain_number
from course_lib.plots.style import GREY, INK, ORANGE, PURPLE
from course_lib.studies.sharing import COALITIONS, PLAYERS, RIVALS, game_of_three, share_out
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene

WORTH = 12  # the most that a coalition can earn


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
        sharing = share_out(rule, **state)
        rival = np.full(3, np.nan) if sharing.rival is None else sharing.rival
        self.lattice.show(sharing.worths)
        self.ours.set_xdata(sharing.shapley)
        self.theirs.set_xdata(rival)
        for label, value in zip(self.labels, [*sharing.shapley, *rival], strict=True):
            label.set_x(value + 1 if np.isfinite(value) else 0)
            label.set_text(plain_number(round(value, 2)) if np.isfinite(value) else "no answer")
        self.titles[1].set_text(f"□ {rule}")
        self.heading.set_text(f"{rule} breaks, in this game:")
        for mark, axiom in zip(self.marks, AXIOMS, strict=True):
            is_broken = axiom in sharing.broken
            mark.set_text(f"{'✗' if is_broken else '–'}  {axiom}")
            mark.set_color(ORANGE if is_broken else GREY)
            mark.set_weight("bold" if is_broken else "normal")


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
    return "\n".join(lines)


def _alt(rule: str, **state) -> str:
    names = ("nobody", *COALITIONS)
    listed = zip(names, game_of_three(state), strict=True)
    earned = ", ".join(f"{name} {plain_number(value)}" for name, value in listed)
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
        reached=lambda rule, **state: bool(opposite_ranks(game_of_three(state), 3)),
        alt=_alt,
        then="Leave-one-out looks at the top edges only. Which edges speak for the player whom it "
        "ranks too low?",
    )
