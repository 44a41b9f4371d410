"""The rankings explorer: what it reads out, and where its goal is reached."""

import pandas as pd
import pytest

from course_lib.widgets import rankings_explorer
from course_lib.widgets.rankings import ordinal
from course_lib.widgets.states import States

RANKS = pd.DataFrame(
    {"Q1": [1, 2, 3], "Q2": [2, 1, 3], "Distribution": [3, 1, 2]}, index=["age", "race", "sex"]
)


def test_the_readout_names_the_question_the_place_and_the_leader():
    explorer = rankings_explorer(RANKS, "age")
    explorer.controls["question"].value = "Q2"
    assert explorer.readout_text == (
        "Q2: How important is what only this variable knows to a given model?\n"
        "age is 2nd of 3; race is first."
    )


def test_a_shared_place_is_said_to_be_shared():
    ranks = RANKS.assign(Q2=[3, 1, 3])
    alt = rankings_explorer(ranks, "age").figure(variable="age", question="Q2").alt
    assert "age is 3rd of 3, a place it shares; race is first." in alt


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
