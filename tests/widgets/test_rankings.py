"""The rankings explorer: what it reads out, and where its goal is reached."""

import pandas as pd
import pytest
from matplotlib.figure import Figure

from course_lib.plots import plot_rankings
from course_lib.plots.style import INK
from course_lib.widgets import rankings_explorer
from course_lib.widgets.rankings import RankingsScene, ordinal
from course_lib.widgets.states import States

RANKS = pd.DataFrame(
    {"Q1": [1, 2, 3], "Q2": [2, 1, 3], "Distribution": [3, 1, 2]}, index=["age", "race", "sex"]
)


def test_the_readout_names_the_question_the_place_and_the_leader():
    explorer = rankings_explorer(RANKS, "age")
    explorer.controls["question"].value = "Q2"
    assert explorer.readout_text == (
        "Q2: How important is the variable's unique information to a given model?\n"
        "age is 2nd of 3; race is first."
    )


def test_what_is_first_itself_is_not_named_twice():
    assert rankings_explorer(RANKS, "age").readout_text.endswith("\nage is 1st of 3.")


def test_a_variable_has_the_colour_and_marker_of_the_other_picture_and_no_other_has_it():
    scene = RankingsScene(RANKS, ["race", "sex"])
    scene.draw(Figure())
    ax = plot_rankings(RANKS, highlight=["race", "sex"])
    looks = [(line.get_color(), line.get_marker()) for line in ax.lines[-2:]]
    for name, look in zip(("race", "sex", "age"), [*looks, (INK, "o")], strict=True):
        scene.update(name, "Q1")
        assert (scene.line.get_color(), scene.line.get_marker()) == look
        assert scene.names[name].get_color() == look[0]


def test_a_strong_line_lies_on_the_line_that_it_makes_strong():
    ranks = RANKS.assign(Q2=[3, 1, 3])
    scene = RankingsScene(ranks, ["age"])
    ax = scene.draw(figure := Figure())[0].axes or figure.axes[0]
    scene.update("age", "Q1")
    thin = next(line for line in ax.lines if line is not scene.line and line.get_ydata()[0] == 1)
    assert list(scene.line.get_ydata()) == list(thin.get_ydata()) == [1, 2.5, 3]


def test_of_a_shared_place_all_that_are_shared_are_named(tips_of):
    ranks = RANKS.assign(Q2=[3, 1, 3])
    explorer = rankings_explorer(ranks, "age")
    alt = explorer.figure(variable="age", question="Q2").alt
    assert "age shares the places 2 to 3 of 3; race is first." in alt
    assert "age, Q2: shares the places 2 to 3" in tips_of(explorer, variable="age")


def test_the_goal_is_reached_at_the_worst_place_of_its_variable_and_nowhere_else():
    for variable in RANKS.index:
        for question in RANKS.columns:
            explorer = rankings_explorer(RANKS, "age")
            explorer.controls["variable"].value = variable
            explorer.controls["question"].value = question
            assert explorer.reached == (variable == "age" and question == "Distribution")


def test_the_static_picture_says_what_it_shows():
    shown = rankings_explorer(RANKS, "age").figure(variable="sex", question="Q1")
    assert "sex is 3rd of 3; age is first." in shown.alt


def test_a_bad_state_and_an_unknown_variable_are_refused():
    with pytest.raises(ValueError, match="Unknown variable 'income'"):
        rankings_explorer(RANKS, "income")
    with pytest.raises(ValueError, match="question must be one of"):
        rankings_explorer(RANKS, "age").figure(question="Q9")


@pytest.mark.parametrize(
    ("place", "text"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (21, "21st")]
)
def test_places_are_spelled_as_one_says_them(place, text):
    assert ordinal(place) == text


def test_questions_are_in_words_beside_their_codes(frame_of):
    explorer = rankings_explorer(RANKS, "age")
    labels = [label for label, _ in explorer.controls["question"].options]
    assert labels == [
        "Q1: a given model",
        "Q2: a model, unique part",
        "Distribution: whatever the model",
    ]
    assert "unique part" in frame_of(explorer)


def test_every_line_says_its_places_and_can_be_highlighted(tips_of, series_of):
    explorer = rankings_explorer(RANKS, "age")
    tips, series = tips_of(explorer, variable="sex"), series_of(explorer, variable="sex")
    for name, places in RANKS.iterrows():
        for question, place in places.items():
            assert f"{name}, {question}: {ordinal(place)}" in tips
    assert series == {"age": 2, "race": 2, "sex": 3}  # line and name; the followed one twice


def test_it_is_alive_without_a_kernel():
    table = pd.DataFrame([range(1, 8)] * 10, index=list("abcdefghij"), columns=list("tuvwxyz"))
    surface = rankings_explorer(table, "a").surface  # as large as the one of the lesson
    assert len(States(bytes(surface.data))) == 70


def test_who_shares_the_first_places_is_not_called_first():
    """By the question a and b are equal; each shares the last of the places, 2."""
    ranks = pd.DataFrame({"Q1": [2, 2, 3], "Q2": [1, 2, 3]}, index=list("abc"))
    explorer = rankings_explorer(ranks, "c")
    assert explorer.readout(variable="c", question="Q1").endswith("; a, b share the places 1 to 2.")
    assert explorer.readout(variable="b", question="Q1").endswith(
        "b shares the places 1 to 2 of 3."
    )
    assert explorer.readout(variable="c", question="Q2").endswith("c is 3rd of 3; a is first.")
