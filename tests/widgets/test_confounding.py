"""The explorer of lesson 07: its numbers against closed forms, and its two goals."""

from itertools import product

import numpy as np
import pytest

from course_lib.studies.confounding import N_STUDENTS, READS, confounded_world, score_model
from course_lib.widgets import confounding_explorer
from course_lib.widgets.confounding import EFFECTS, GOALS, STRONGEST

CONFOUNDINGS = np.round(np.arange(-STRONGEST, STRONGEST + 0.05, 0.1), 1)


def test_the_readout_has_the_closed_forms():
    explorer = confounding_explorer()
    explorer.controls["effect"].value = 0.3
    explorer.controls["confounding"].value = 0.4
    text = explorer.readout_text
    assert "the prediction changes by +0.70, the score after do(logins) by +0.30" in text
    assert "the importance 0.98, the conditional importance 0.98" in text  # 2 * 0.7**2
    assert "the total effect +0.30" in text
    explorer.controls["reads"].value = "logins and interest"
    text = explorer.readout_text
    assert "the prediction changes by +0.30, the score after do(logins) by +0.30" in text
    assert "importance 0.18, the conditional importance 0.11" in text  # 2 * 0.3**2 * (1, 1 - 0.4)


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "phone"])
def test_no_curve_runs_through_the_words_of_a_goal(narrow):
    explorer = confounding_explorer()
    figure, scene, _ = explorer.frame.moving_figure(explorer.state, narrow)
    figure.canvas.draw()
    words = [text for text in scene.right.texts if text.get_text().startswith("goal")]
    boxes = [text.get_window_extent() for text in words]
    assert len(boxes) == 3
    for confounding, reads in product(CONFOUNDINGS, READS):
        scene.update(effect=0.0, confounding=confounding, reads=reads)
        curve = scene.right.transData.transform(scene.curve.get_xydata())
        x = np.linspace(*curve[[0, -1], 0], 2000)
        drawn = np.column_stack([x, np.interp(x, *curve.T)])
        assert not any(box.count_contains(drawn) for box in boxes), confounding


def test_the_goals_are_attained_exactly_where_they_should_be():
    explorer, (first, second) = confounding_explorer(), GOALS.values()
    states = list(product(EFFECTS.tolist(), CONFOUNDINGS.tolist(), READS))
    firsts, seconds = ({state for state in states if goal(*state)} for goal in (first, second))
    assert firsts == {(0.0, k, "logins") for k in (-0.8, 0.8)}
    assert seconds == {(a, -a, "logins") for a in (-0.6, -0.5, 0.5, 0.6)}
    either = {s for s in states if explorer.attains(effect=s[0], confounding=s[1], reads=s[2])}
    assert either == firsts | seconds
    assert not explorer.reached


def test_no_state_with_zero_effect_is_more_important_than_the_first_goal():
    best = 2 * STRONGEST**2
    for confounding in CONFOUNDINGS:
        b = confounded_world(0.0, confounding).least_squares("score", ["logins"])["logins"]
        assert 2 * b**2 <= best + 1e-9


def test_the_goal_is_reached_once_both_places_have_been_found():
    explorer = confounding_explorer()
    for effect, confounding in ((0.0, 0.8), (0.3, -0.2)):
        explorer.controls["effect"].value = effect
        explorer.controls["confounding"].value = confounding
    assert not explorer.reached
    explorer.controls["effect"].value = 0.5
    explorer.controls["confounding"].value = -0.5
    assert "Goal 2" in explorer.readout_text
    assert explorer.reached
    assert not confounding_explorer().reached  # every learner begins anew


def test_the_lines_have_the_slopes_of_the_readout():
    state = {"effect": -0.2, "confounding": 0.7, "reads": "logins"}
    _, scene, _ = confounding_explorer().frame.moving_figure(state)
    slopes = [np.ptp(line.get_ydata()) / 6 for line in (scene.done, scene.predicted)]
    np.testing.assert_allclose(slopes, [0.2, 0.5])
    assert scene.here.get_xydata().tolist() == [[-0.2, pytest.approx(0.5)]]


@pytest.mark.parametrize(
    ("state", "advice"),
    [({"effect": 1.0}, "effect must lie"), ({"reads": "all"}, "reads must be one of")],
)
def test_a_state_the_controls_cannot_show_is_refused(state, advice):
    with pytest.raises(ValueError, match=advice):
        confounding_explorer().figure(**state)


def test_the_marks_say_the_numbers_of_the_study(tips_of):
    state = {"effect": -0.2, "confounding": 0.7, "reads": "logins"}
    model, tips = score_model(**state), tips_of(confounding_explorer(), **state)
    assert f"predicted by the model: slope +{model.slope:.2f}" in tips
    assert "after do(logins): slope −0.20" in tips
    assert f"total effect −0.2: importance {model.importance:.2f}" in tips
    students = [tip for tip in tips if tip.startswith("student")]
    first = model.students.iloc[0].round(1) + 0.0
    assert len(students) == N_STUDENTS
    told = f"student: logins {first['logins']:.1f}, score {first['score']:.1f}"
    assert students[0] == told.replace("-", "−")


def test_on_paper_it_shows_both_goals():
    shown = confounding_explorer().frame.stills
    for goal, state in zip(GOALS.values(), shown, strict=True):
        assert goal(**state, reads="logins")
