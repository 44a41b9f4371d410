"""Turn the effect and the confounding: what a model predicts and what an intervention does."""

import ipywidgets as widgets
import numpy as np

from course_lib.plots.style import BLUE, GREEN, GREY, ORANGE
from course_lib.plots.svg import mark
from course_lib.studies.confounding import N_STUDENTS, READS, importance_of_logins, score_model
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene

EFFECTS = np.round(np.arange(-0.6, 0.61, 0.1), 1)
STRONGEST = 0.8  # the most that interest alone may contribute to the covariance
GRID = np.linspace(-0.72, 0.72, 49)
NEARLY = 1e-9


class ConfoundingScene(Scene):
    """Left the students with the predicted line and the do-line; right importance over effect."""

    size, narrow = (6.8, 3.7), (4.9, 7.4)
    stills = (  # the two goals
        {"effect": 0.0, "confounding": STRONGEST},
        {"effect": 0.5, "confounding": -0.5},
    )

    def draw(self, figure):
        left, right = self.panels(figure, (1.15, 1), (1, 1))
        left.set(xlim=(-3, 3), ylim=(-4, 4), xlabel="logins", ylabel="score")
        left.set_title("- - predicted by the model\n", color=ORANGE)
        left.text(0, 1.03, "— after do(logins)", color=BLUE, transform=left.transAxes)
        (self.dots,) = left.plot([], [], "o", color=GREY, alpha=0.45, markersize=4)
        (self.done,) = left.plot([], [], "-", color=BLUE, linewidth=2.6)
        (self.predicted,) = left.plot([], [], "--", color=ORANGE, linewidth=2.6)
        right.set(xlim=(-0.72, 0.72), ylim=(-0.6, 4.2), xlabel="total effect of logins")
        right.set(xticks=(-0.6, 0, 0.6), yticks=range(5), ylabel="importance of logins")
        right.set_title("- - with this confounding\n", color=ORANGE)
        right.text(0, 1.03, "⋯ if nothing confounds", color=GREY, transform=right.transAxes)
        (pure,) = right.plot(GRID, 2 * GRID**2, ":", color=GREY, linewidth=1.8)
        mark(pure, "importance of logins if nothing confounds")
        goal = {"color": GREEN, "linewidth": 9, "solid_capstyle": "butt", "alpha": 0.45}
        top = 2 * STRONGEST**2
        for x, y in (((-0.04, 0.04), top), ((-0.64, -0.46), 0), ((0.46, 0.64), 0)):
            right.plot(x, (y, y), "-", **goal)
        right.text(0, top + 0.7, "goal 1", color=GREEN, ha="center")  # between the curves to it
        for x in (-0.55, 0.55):  # below 0, where no curve comes
            right.text(x, -0.13, "goal 2", color=GREEN, ha="center", va="top")
        (self.curve,) = right.plot(GRID, 0 * GRID, "--", color=ORANGE)
        (self.here,) = right.plot([0], [0], "o", color=ORANGE, markersize=10)
        self.right = right
        return [self.dots, self.done, self.predicted, self.curve, self.here]

    def update(self, effect, confounding, reads):
        model = score_model(effect, confounding, reads)
        ends = np.array([-3.0, 3.0])
        self.dots.set_data(model.students["logins"], model.students["score"])
        self.done.set_data(ends, effect * ends)
        self.predicted.set_data(ends, model.slope * ends)
        self.curve.set_ydata(importance_of_logins(GRID, confounding, reads))
        self.here.set_data([effect], [model.importance])
        self._name(effect, model)

    def _name(self, effect, model):
        students = model.students[["logins", "score"]].to_numpy().round(1) + 0.0
        mark(self.dots, [_signed(f"student: logins {a:.1f}, score {b:.1f}") for a, b in students])
        mark(self.done, _signed(f"after do(logins): slope {effect:+.2f}"))
        mark(self.predicted, _signed(f"predicted by the model: slope {_plain(model.slope):+.2f}"))
        mark(self.curve, "importance of logins with this confounding")
        importance = f"importance {_plain(model.importance):.2f}"
        mark(self.here, _signed(f"total effect {effect:+.1f}: {importance}"))

    def handles(self, effect, confounding, reads):
        return {"effect": (self.right, effect, None)}


def _has_importance_without_effect(effect: float, confounding: float, reads: str) -> bool:
    """The first goal: no state without effect has a higher importance."""
    importance = score_model(effect, confounding, reads).importance
    return effect == 0 and importance > 2 * STRONGEST**2 - NEARLY


def _has_effect_without_importance(effect: float, confounding: float, reads: str) -> bool:
    """The second goal."""
    importance = score_model(effect, confounding, reads).importance
    return abs(effect) > 0.5 - NEARLY and importance < NEARLY


GOALS = {
    "Goal 1: the highest importance with no effect.": _has_importance_without_effect,
    "Goal 2: an effect without importance.": _has_effect_without_importance,
}


def _readout(effect: float, confounding: float, reads: str) -> str:
    model = score_model(effect, confounding, reads)
    slope, importance, conditional = map(_plain, (model.slope, model.importance, model.conditional))
    lines = [
        f"Effect {effect:+.1f}, confounding {confounding:+.1f}; the model reads {reads}.",
        f"With logins 1 higher the prediction changes by {slope:+.2f}, the score after do(logins) "
        f"by {effect:+.2f}.",
        f"Logins have the importance {importance:.2f}, the conditional importance "
        f"{conditional:.2f} and the total effect {effect:+.2f}.",
    ]
    lines += [text for text, attained in GOALS.items() if attained(effect, confounding, reads)]
    return _signed("\n".join(lines))


def _signed(text: str) -> str:
    """With true minus signs."""
    return text.replace("-", "−")


def _plain(value: float) -> float:
    """A rounding error around 0 as 0."""
    return 0.0 if abs(value) < NEARLY else float(value)


def _alt(effect: float, confounding: float, reads: str) -> str:
    return (
        f"{N_STUDENTS} students with the line that the model predicts and the line of what happens "
        f"after do(logins). In another panel the importance of logins over its total effect, and "
        f"the curve of a world without confounding. {_readout(effect, confounding, reads)}"
    )


def confounding_explorer() -> Explorer:
    """Slide effect and confounding: the model follows their sum, the outcome only the effect."""
    effect = widgets.FloatSlider(
        value=0.3, min=EFFECTS[0], max=EFFECTS[-1], step=0.1, description="effect of logins"
    )
    confounding = widgets.FloatSlider(
        value=0.0, min=-STRONGEST, max=STRONGEST, step=0.1, description="confounding by interest"
    )
    effect.readout_format = confounding.readout_format = "+.1f"
    reads = widgets.ToggleButtons(options=list(READS), description="the model reads")
    return Explorer(
        stored="confounding",
        frame=ConfoundingScene(),
        readout=_readout,
        controls={"effect": effect, "confounding": confounding, "reads": reads},
        goal="1. Give logins the highest importance you can while their effect is 0. "
        "2. Then give them an effect of size at least 0.5 while their importance is 0.",
        reached=tuple(GOALS.values()),
        alt=_alt,
        then="Now let the model read interest as well. Which of your two tricks still works, and "
        "what would you have had to know to press that button?",
    )
