"""Exercises from stored numbers: the same verdicts, word for word, and nothing that computes."""

import json
from functools import cache

import numpy as np
import pytest

from course_lib import lessons
from course_lib.learner import checks
from course_lib.learner.checks import check, judge
from course_lib.lessons import stored
from course_lib.lessons.exercise import Stored
from course_lib.lessons.judgement import CORRECT, NOT_ATTEMPTED, NOT_YET
from course_lib.lessons.sealing import Sealed
from course_lib.lessons.stored import StoredError, from_json, to_json

EXERCISES = [task for number in lessons.numbers() for task in lessons.exercises(number)]
each_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda task: task.id)


@cache
def lesson(number: str) -> dict:
    """The exercises of a lesson as the student edition has them, by name."""
    return {task.id: task for task in from_json(to_json(lessons.exercises(number)))}


def known_by_heart(exercise):
    return lesson(exercise.id[:2])[exercise.id]


def words(verdict) -> dict:
    """All that a verdict says; a slip by its name."""
    return vars(verdict) | {"slip": verdict.slip and verdict.slip.name}


def answer_of(exercise, function):
    return function if exercise.is_function else function()


@each_exercise
def test_the_reference_is_correct_by_the_stored_numbers(exercise):
    verdict = judge(known_by_heart(exercise), answer_of(exercise, exercise.reference))
    assert verdict == judge(exercise, answer_of(exercise, exercise.reference))
    assert verdict.outcome == CORRECT


@each_exercise
def test_each_slip_gets_its_own_hint_in_the_same_words(exercise):
    for slip in exercise.slips:
        answer = answer_of(exercise, slip.answer)
        with np.errstate(all="ignore"):
            found, full = judge(known_by_heart(exercise), answer), judge(exercise, answer)
        assert found.slip.name == slip.name and found.hint == slip.hint
        assert words(found) == words(full)


WRONG = (7, "x", [1, 2], {"a": "b"}, {"a"}, np.zeros(3), True, {})


@each_exercise
def test_what_is_wrong_is_told_in_the_same_words(exercise):
    for wrong in WRONG:
        answer = (lambda *_, wrong=wrong: wrong) if exercise.is_function else wrong
        found = judge(known_by_heart(exercise), answer)
        assert words(found) == words(judge(exercise, answer)) and found.outcome == NOT_YET


@pytest.mark.parametrize("name", ["01.3", "04.5", "06.2", "10.7"])
def test_an_answer_that_changes_its_argument_is_told_by_its_name(name):
    exercise = lessons.exercise(name)

    def answer(*given):
        value = exercise.reference(*given)
        for argument in given:
            if isinstance(argument, np.ndarray):
                argument[...] = 0
            elif hasattr(argument, "columns"):
                argument.iloc[0, 0] = -7.0
        return value

    found = judge(known_by_heart(exercise), answer)
    assert words(found) == words(judge(exercise, answer)) and "changes its argument" in found.words


@each_exercise
def test_an_untouched_answer_is_not_attempted(exercise):
    for answer in (..., None):
        assert judge(known_by_heart(exercise), answer).outcome == NOT_ATTEMPTED


@each_exercise
def test_nothing_in_it_can_be_called_for_an_answer(exercise):
    kept = known_by_heart(exercise)
    assert kept.draw is None
    assert all(isinstance(one, Stored) for one in (kept.reference, *(s.answer for s in kept.slips)))


def test_only_the_public_cases_are_there():
    with pytest.raises(ValueError, match="public cases only"):
        known_by_heart(lessons.exercise("01.1")).cases(7)


def leaves(value) -> list:
    parts = value.values() if isinstance(value, dict) else value
    return (
        [x for part in parts for x in leaves(part)] if isinstance(value, dict | list) else [value]
    )


@pytest.mark.parametrize(
    "exercise", [e for e in EXERCISES if not e.is_function], ids=lambda e: e.id
)
def test_a_value_that_is_asked_for_is_nowhere_to_be_read(exercise):
    kept = known_by_heart(exercise)
    for answer in (kept.reference, *(slip.answer for slip in kept.slips)):
        (value,) = answer.values
        assert all(isinstance(leaf, Sealed) for leaf in leaves(value))


@pytest.fixture
def damaged(monkeypatch, tmp_path):
    """An edition whose cases were packed by other versions."""
    data = json.loads(to_json(lessons.exercises("01")))
    data["made_with"]["numpy"] = "1.0.0"
    for case in data["exercises"][3]["cases"]:
        case["packed"] = case["packed"][:40]
    found = {task.id: task for task in from_json(json.dumps(data))}
    monkeypatch.setattr(checks.lessons, "exercise", found.get)
    monkeypatch.setenv("COURSE_WORKBOOK", str(tmp_path))


def test_cases_of_other_versions_are_no_fault_of_the_answer(damaged):
    with pytest.raises(StoredError, match="made with numpy 1.0.0, and here is .* ./course lab"):
        check("01.4", lambda tree: 0)
    assert check("01.1", lambda counts: 0).outcome == NOT_YET, "the others can be checked"


def test_the_same_numbers_are_written_in_the_same_bytes():
    exercises = lessons.exercises("02")
    assert stored.to_json(exercises) == stored.to_json(exercises)
