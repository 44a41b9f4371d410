"""The explorer of scrambled rows: its goal, its readout, and what it refuses."""

import pytest

from course_lib.studies.extrapolation import MODELS, RHOS, surface_fit
from course_lib.widgets import scramble_explorer
from course_lib.widgets.scramble import GOAL


def test_the_goal_is_reached_exactly_where_the_factor_is():
    attains = scramble_explorer().attains
    for model in MODELS:
        reached = {rho for rho in RHOS if attains(rho=float(rho), model=model)}
        assert reached == {rho for rho in RHOS if surface_fit(rho, model).factor >= GOAL}
    assert not reached, "a plane cannot bend"
    assert attains(rho=RHOS[-1], model="bent surface")


def test_the_readout_names_the_factor_of_the_picture():
    explorer = scramble_explorer()
    explorer.controls["rho"].value = 0.9
    state = surface_fit(0.9)
    for number in (state.near, state.far):
        assert f"{number:.3f}" in explorer.readout_text
    assert f"{state.factor:.2f} times the truth" in explorer.readout_text
    assert explorer.readout_text.splitlines()[0] in explorer.figure().alt


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        (lambda: scramble_explorer().figure(rho=0.99), "between 0.0 and 0.96"),
        (lambda: scramble_explorer().figure(model="cubic"), "'bent surface', 'plane'"),
    ],
)
def test_a_state_that_cannot_be_is_refused(call, advice):
    with pytest.raises(ValueError, match=advice):
        call()


def test_the_marks_say_what_the_model_answers_at_each_row(tips_of):
    state = surface_fit(0.9)
    tips = tips_of(scramble_explorer(), rho=0.9, model="bent surface")
    for name, x1 in (("row as it is", state.x1), ("scrambled row", state.x1[state.order])):
        rows = [tip for tip in tips if tip.startswith(name)]
        answer = state.surface(x1[0], state.x2[0])
        assert len(rows) == len(x1)
        assert rows[0] == (
            f"{name}: x1 {x1[0]:.1f}, x2 {state.x2[0]:.1f}; model {answer:.1f}, "
            f"truth {x1[0] + state.x2[0]:.1f}"
        ).replace("-", "−")
    assert f"correlation 0.90: {state.factor:.2f} times the truth" in tips


def test_rows_keep_their_colours_on_the_surface(follows_theme):
    _, scene, _ = scramble_explorer().frame.moving_figure({"rho": 0.9, "model": "plane"})
    assert not follows_theme(scene.near) and not follows_theme(scene.far)
    assert follows_theme(scene.curve)  # on paper
