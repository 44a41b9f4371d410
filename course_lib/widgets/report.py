"""Choose two answers and a variable: two places of the same variable, and the two sentences."""

from textwrap import fill

import ipywidgets as widgets

from course_lib.measures.reports import ANSWERS
from course_lib.plots.rankings import IN_WORDS
from course_lib.plots.style import GREY, INK, PURPLE
from course_lib.plots.svg import mark
from course_lib.questions import QUESTIONS
from course_lib.studies.capstone import capstone_report, first_and_below_the_middle
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene
from course_lib.widgets.rankings import ordinal

PALE = "#8a8a8a"
WIDTH = 32  # letters of a question beside the places


class ReportScene(Scene):
    """Two columns of places, joined by a line for each variable; the chosen one is strong."""

    size, narrow = (6.6, 4.6), (4.9, 4.9)

    def draw(self, figure):
        ax = figure.subplots()
        self.names = list(capstone_report().ranks.index)
        n = len(self.names)
        ax.set(xlim=(-0.95, 1.95), ylim=(n + 0.6, -1.2))
        ax.set_axis_off()
        self.places = [
            [ax.text(x, row, "", ha="center", va="center", color=GREY) for row in range(1, n + 1)]
            for x in (-0.88, 1.88)
        ]
        self.lines = [ax.plot([0, 1], [1, 1], "-o")[0] for _ in self.names]
        self.labels = [
            [ax.text(x, 1, name, ha=side, va="center") for name in self.names]
            for x, side in ((-0.06, "right"), (1.06, "left"))
        ]
        self.heads = [
            ax.text(x, 0.35, "", ha=side, va="bottom", color=INK, linespacing=1.15)
            for x, side in ((-0.95, "left"), (1.95, "right"))
        ]
        return [*self.lines, *sum(self.labels + self.places, []), *self.heads]

    def update(self, left, right, variable):
        ranks = capstone_report().ranks[[left, right]]
        rows = ranks.rank(method="first").astype(int)  # of its own, also for a shared place
        for side, texts in enumerate(self.places):
            for name, row in rows.iloc[:, side].items():
                texts[row - 1].set_text(_places(ranks.iloc[:, side], name))
        for i, name in enumerate(self.names):
            chosen = name == variable
            color = PURPLE if chosen else PALE
            self.lines[i].set(ydata=rows.loc[name].tolist(), color=color)
            self.lines[i].set(linewidth=3.2 if chosen else 1.2, zorder=3 if chosen else 2)
            for labels, row in zip(self.labels, rows.loc[name], strict=True):
                labels[i].set(y=row, color=color if chosen else GREY)
                labels[i].set_weight("bold" if chosen else "normal")
            self._name(i, (left, right))
        for head, answer in zip(self.heads, (left, right), strict=True):
            head.set_text(fill(_heading(answer), WIDTH))

    def _name(self, i: int, answers: tuple[str, str]) -> None:
        name = self.names[i]
        mark(self.lines[i], [_tip(answer, name) for answer in answers], series=name)
        for labels in self.labels:
            mark(labels[i], series=name)


def _tip(answer: str, variable: str) -> str:
    report = capstone_report()
    place, value = _places(report.ranks[answer], variable), report.values[answer][variable]
    return f"{variable}, place {place} by {_option(answer)}: {value:+.3f}".replace("-", "−")


def _heading(answer: str) -> str:
    """The question of an answer in full, and which end of its range."""
    key, *end = answer.split(maxsplit=1)
    asked = next(each for each in QUESTIONS if each.key == key)
    return ", ".join([f"{key}: to {asked.to}", *end])


def _option(answer: str) -> str:
    return f"{answer.split()[0]}, {' '.join(IN_WORDS[answer].split())}"


def _readout(left: str, right: str, variable: str) -> str:
    report, ranks = capstone_report(), capstone_report().ranks
    return "\n".join(
        f"By {_option(answer)}: {variable} {_placed(ranks[answer], variable)}. "
        f"{report.sentence(answer, variable)}"
        for answer in dict.fromkeys((left, right))
    )


def _places(places, variable: str) -> str:
    """The place of a variable, or the first and the last of those that it shares."""
    last, shared = places[variable], (places == places[variable]).sum()
    return f"{last}" if shared == 1 else f"{last - shared + 1}–{last}"


def _placed(places, variable: str) -> str:
    place, shared = places[variable], (places == places[variable]).sum()
    if shared == 1:
        return f"is {ordinal(place)} of {len(places)}"
    return f"shares the places {_places(places, variable)} with {shared - 1} others"


def report_explorer() -> Explorer:
    """Pick two questions: the same variable has two places, and two different sentences."""
    options = [(_option(answer), answer) for answer in ANSWERS]
    names = list(capstone_report().ranks.index)
    controls = {
        "left": widgets.Dropdown(options=options, value="Q1", description="question at the left"),
        "right": widgets.Dropdown(options=options, value="Q2", description="question at the right"),
        "variable": widgets.Dropdown(options=names, description="variable to follow"),
    }
    return Explorer(
        stored="report",
        frame=ReportScene(),
        readout=_readout,
        controls=controls,
        goal="Find a variable that is first by one answer, and in the lower half or tied for last "
        "by another.",
        reached=first_and_below_the_middle,
        alt=lambda **state: (
            f"{len(names)} variables in the order of two answers, lines joining the places; "
            f"{state['variable']} is strong. {_readout(**state)}"
        ),
        then="Both sentences are true of the same rows. Which words in them make that possible?",
    )
