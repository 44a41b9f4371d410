"""The rankings explorer: what it reads out, and where its goal is reached."""

import pandas as pd
import pytest

from course_lib.widgets import rankings_explorer
from course_lib.widgets.rankings import ordinal

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
