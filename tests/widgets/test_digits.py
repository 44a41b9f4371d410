"""The local explorer: its readout is what the measures say, its goal the least agreement."""

import numpy as np
import pytest

from course_lib.measures import local_mdi, tree_shap
from course_lib.studies import KS, digit_forest, digit_images
from course_lib.studies.digits import N_IMAGES, agreements_by_digit, explained_digits
from course_lib.widgets import local_explorer


@pytest.fixture(scope="module")
def explorer():
    return local_explorer()


def readouts(explorer, K, measure="tree SHAP"):
    """Digit, image and agreement of every state with this K, as the readout says."""
    explorer.controls["K"].value, explorer.controls["measure"].value = K, measure
    for digit in range(10):
        for image in range(1, N_IMAGES + 1):
            text = explorer.readout(digit=digit, image=image, K=K, measure=measure)
            yield digit, image, float(text.split(f"{measure}: ")[1].split(";")[0])


def test_the_readout_says_what_the_measures_say(explorer):
    _, held_out, _, y_held_out = digit_images()
    forest = digit_forest(8)
    second_7 = held_out[y_held_out == 7][[1]]
    read = forest.predict(second_7)[0]
    shap = tree_shap(forest, second_7, output=read).values
    expected = np.corrcoef(abs(local_mdi(forest, second_7).values), abs(shap))[0, 1]
    text = explorer.readout(digit=7, image=2, K=8, measure="tree SHAP")
    assert f"Agreement of local MDI and tree SHAP: {expected:.2f};" in text
    assert f"{forest.predict_proba(second_7).max():.0%} of the trees read a {read}" in text


@pytest.mark.parametrize("K", KS)
def test_the_goal_is_reached_exactly_at_the_least_agreement(explorer, K):
    states = list(readouts(explorer, K))
    worst = min(states, key=lambda state: state[2])
    reached = [
        (digit, image)
        for digit, image, _ in states
        if explorer.attains(digit=digit, image=image, K=K, measure="tree SHAP")
    ]
    assert len(reached) == 1
    value = {(digit, image): agrees for digit, image, agrees in states}
    assert value[reached[0]] == worst[2]
    assert not explorer.attains(digit=reached[0][0], image=reached[0][1], K=K, measure="Saabas")


def test_the_first_state_has_not_reached_the_goal():
    assert not local_explorer().reached


def test_a_state_that_the_controls_cannot_show_is_refused(explorer):
    with pytest.raises(ValueError, match="K must be one of 1, 8, 64"):
        explorer.figure(K=2)
    with pytest.raises(ValueError, match="digit must lie between 0 and 9"):
        explorer.figure(digit=10)
    with pytest.raises(ValueError, match="no control 'pixel'"):
        explorer.figure(pixel=1)


def test_a_move_changes_picture_and_alternative_text(explorer):
    one, other = (explorer.drawn(explorer.state | {"digit": digit}) for digit in (4, 5))
    assert one["layers"] != other["layers"]
    assert "An image of the digit 5" in other["alt"]


def test_the_marks_say_agreements_and_the_largest_pixels(explorer, tips_of):
    state = {"digit": 7, "image": 2, "K": 8, "measure": "tree SHAP"}
    tips, explained = tips_of(explorer, **state), explained_digits(8)
    agreements = agreements_by_digit(8, "tree SHAP")
    wanted = [
        f"digit {digit}, image {k + 1}: agreement {agreements[digit, k]:.2f}"
        for digit in range(10)
        for k in range(N_IMAGES)
    ]
    assert [tip for tip in tips if "agreement" in tip] == [*wanted, wanted[7 * N_IMAGES + 1]]
    for name, values in (("local MDI", explained.local), ("tree SHAP", explained.shap)):
        largest = values[7 * N_IMAGES + 1][abs(values[7 * N_IMAGES + 1]).argmax()]
        assert any(f"{name} {largest:.3f}".replace("-", "−") in tip for tip in tips)


def test_ranks_keep_their_colour_on_the_pixels(explorer, follows_theme):
    _, scene, _ = explorer.frame.moving_figure(explorer.state)
    assert not any(follows_theme(rank) for rank in (*scene.local[1], *scene.other[1]))
