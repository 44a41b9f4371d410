"""Choose two measures and a variable: two places of the same variable, and the two sentences."""

from textwrap import fill

import ipywidgets as widgets

from course_lib.measures.reports import ANSWERS
from course_lib.plots.style import BLUE, GREY, ORANGE
from course_lib.questions import QUESTIONS
from course_lib.studies.wines import first_and_last, wine_report
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene

PALE = "#8a8a8a"
WIDTH = 32  # letters of a question beside the places


class ReportScene(Scene):
    """Two columns of places, joined by a line for each variable; the chosen one is strong."""

    size = (6.6, 4.3)

    def draw(self, figure):
        ax = figure.subplots()
        self.names = list(wine_report().ranks.index)
        n = len(self.names)
        ax.set(xlim=(-0.75, 1.75), ylim=(n + 0.6, -0.9))
        ax.set_axis_off()
        for place in range(1, n + 1):
            for x in (-0.68, 1.68):
                ax.text(x, place, str(place), ha="center", va="center", color=GREY)
        self.lines = [ax.plot([0, 1], [1, 1], "-o")[0] for _ in self.names]
        self.labels = [
            [ax.text(x, 1, name, ha=side, va="center") for name in self.names]
            for x, side in ((-0.06, "right"), (1.06, "left"))
        ]
        self.heads = [
            ax.text(x, 0.35, "", ha=side, va="bottom", color=color, linespacing=1.15)
            for x, side, color in ((-0.75, "left", BLUE), (1.75, "right", BLUE))
        ]
        return [*self.lines, *self.labels[0], *self.labels[1], *self.heads]

    def update(self, left, right, variable):
        ranks = wine_report().ranks[[left, right]]
        for i, name in enumerate(self.names):
            ends = ranks.loc[name].tolist()
            chosen = name == variable
            color = ORANGE if chosen else PALE
            self.lines[i].set(ydata=ends, color=color, linewidth=3.2 if chosen else 1.2)
            self.lines[i].set_zorder(3 if chosen else 2)
            for labels, place in zip(self.labels, ends, strict=True):
                labels[i].set(y=place, color=color if chosen else GREY)
                labels[i].set_weight("bold" if chosen else "normal")
        for head, question in zip(self.heads, (left, right), strict=True):
            head.set_text(_heading(question))


def _heading(question: str) -> str:
    asked = next(each for each in QUESTIONS if each.key == question)
    return fill(f"{question}: to {asked.to}", WIDTH)


def _readout(left: str, right: str, variable: str) -> str:
    report, ranks = wine_report(), wine_report().ranks
    return "\n".join(
        f"{question}, place {ranks[question][variable]} of {len(ranks)}: "
        f"{report.sentence(question, variable)}"
        for question in dict.fromkeys((left, right))
    )


def report_explorer() -> Explorer:
    """Pick two questions: the same variable has two places, and two different sentences."""
    options = [(f"{key} · {name.split(',')[0]}", key) for key, name in ANSWERS.items()]
    controls = {
        "left": widgets.Dropdown(options=options, value="Q1", description="left"),
        "right": widgets.Dropdown(options=options, value="Q2", description="right"),
        "variable": widgets.Dropdown(
            options=list(wine_report().ranks.index), description="variable"
        ),
    }
    for control in controls.values():
        control.layout.width = "min(100%, 600px)"
    return Explorer(
        frame=ReportScene(),
        readout=_readout,
        controls=controls,
        goal="Find a variable that one measure puts first and another one puts last.",
        reached=first_and_last,
        alt=lambda **state: (
            f"Eight variables in the order of two measures, lines joining the places; "
            f"{state['variable']} is strong. {_readout(**state)}"
        ),
        then="Both sentences are true of the same wines. Which words in them make that possible?",
    )
