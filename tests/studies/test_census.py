"""The study of lesson 00: its seven answers have the questions' names and one row per variable."""

import numpy as np

from course_lib.questions import QUESTIONS
from course_lib.studies.census import AT_LEAST, PERSON, census, seven_answers, seven_rankings


def test_the_answers_are_about_ten_variables_and_seven_questions():
    answers = seven_answers()
    assert answers.shape == (10, 7) and "income" not in answers.index
    assert list(answers) == [question.key for question in QUESTIONS]


def test_the_rankings_are_places_by_the_largest_value():
    answers, ranks = seven_answers(), seven_rankings()
    assert (ranks.idxmin() == answers.idxmax()).all()
    for key in AT_LEAST:
        assert ((ranks[key] == 10) == (answers[key] <= 0)).all()


def test_the_forest_has_not_seen_the_new_people():
    people = census()
    assert not set(people.X.index) & set(people.X_new.index)
    assert people.X_new.index[PERSON] == 754
    fitted = people.forest.score(people.X, people.y)
    assert fitted > people.forest.score(people.X_new, people.y_new) > 0.5


def test_another_seed_is_another_census():
    assert not np.allclose(census(1).y, census(4).y)
