"""A choice among lettered options is not given away: a wrong set gets an idea, and no letter."""

import re
from dataclasses import replace

import pytest

from course_lib import lessons
from course_lib.learner.checks import judge
from course_lib.lessons import stored
from course_lib.lessons.exercise import Exercise


def choices() -> list[Exercise]:
    """The exercises whose answer is a set of letters, written down and not computed."""
    every = [one for number in lessons.numbers() for one in lessons.exercises(number)]
    fixed = [one for one in every if not one.is_function]
    return [one for one in fixed if isinstance(one.reference(), set | frozenset)]


each_choice = pytest.mark.parametrize("exercise", choices(), ids=lambda one: one.id)


def said_to(exercise: Exercise, letters: frozenset) -> str:
    verdict = judge(exercise, set(letters))
    assert not verdict.passed
    return f"{verdict.words} {verdict.diagnosis} {verdict.first}"


def options(exercise: Exercise) -> set[str]:
    given = [exercise.reference(), *(slip.answer() for slip in exercise.slips)]
    return set().union(*given)


def test_there_are_choices():
    assert len(choices()) >= 10


@each_choice
def test_a_set_that_is_wrong_by_one_letter_is_not_told_which(exercise):
    right = frozenset(exercise.reference())
    for letter in sorted(options(exercise)):
        said = said_to(exercise, right ^ {letter})
        assert not re.search(r"\b[a-h]\)", said), said
        assert not re.search(r"too (few|many)|right size", said), said


@each_choice
def test_no_slip_names_a_letter(exercise):
    assert [slip.name for slip in exercise.slips if re.search(r"\b[a-h]\)", slip.hint)] == []


@each_choice
def test_the_student_edition_does_not_know_how_many_letters_are_right(exercise):
    more = replace(exercise, reference=lambda: set("abcdefgh"), slips=())
    less = replace(exercise, reference=lambda: {"x"}, slips=())
    assert forms(more) == forms(less) == forms(replace(exercise, slips=()))


def forms(exercise: Exercise) -> list[str]:
    return re.findall(r'"form": (.*?), "salt"', stored.to_json((exercise,)))
