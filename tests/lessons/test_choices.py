"""A choice among lettered options is not given away: a wrong set gets an idea, and no letter."""

import re
from dataclasses import replace

import pytest

from course_lib import lessons
from course_lib.learner.checks import judge
from course_lib.lessons import stored
from course_lib.lessons.exercise import Exercise
from course_lib.tools.system import ROOT


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


def test_a_dictionary_of_codes_is_told_how_many_are_right_and_the_guide_says_of_which():
    every = [one for number in lessons.numbers() for one in lessons.exercises(number)]
    codes = [e for e in every if not e.is_function and isinstance(e.reference(), dict)]
    for exercise in codes:
        right = exercise.reference()
        first, second = list(right)[:2]
        said = judge(exercise, right | {first: right[second]}).diagnosis
        assert said == f"{len(right) - 1} of the {len(right)} values agree."
    guide = (ROOT / "solutions" / "grading.md").read_text(encoding="utf-8")
    (sentence,) = re.findall(r"A dictionary of codes is asked for in (.*?), and there", guide)
    assert sentence.split(" and ") == [exercise.id for exercise in codes]
    assert len(codes) + len(choices()) == len([e for e in every if not e.is_function])


@each_choice
def test_the_student_edition_does_not_know_how_many_letters_are_right(exercise):
    more = replace(exercise, reference=lambda: set("abcdefgh"), slips=())
    less = replace(exercise, reference=lambda: {"x"}, slips=())
    assert forms(more) == forms(less) == forms(replace(exercise, slips=()))


def forms(exercise: Exercise) -> list[str]:
    return re.findall(r'"form": (.*?), "salt"', stored.to_json((exercise,)))
