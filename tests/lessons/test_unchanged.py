"""An answer may not change what it is lent: the notebook and grading say so in one sentence."""

import ast
import json
from copy import deepcopy

import nbformat
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

from course_lib import lessons
from course_lib.grading.inside import as_message
from course_lib.grading.marking import judge_reply
from course_lib.grading.replies import CallReply, parse_reply
from course_lib.learner.checks import judge
from course_lib.lessons.exercise import PUBLIC_SEED
from course_lib.lessons.judgement import CHANGES, NOT_YET, AnswerKey, answer_key
from course_lib.lessons.response import respond
from course_lib.lessons.unchanged import first_changed, same_content
from course_lib.tools.system import ROOT
from course_lib.worlds import Categorical

FUNCTIONS = [
    task for number in lessons.numbers() for task in lessons.exercises(number) if task.is_function
]
each_function = pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda task: task.id)


def spoil(value) -> bool:
    """Change a value in place, if it can be changed at all."""
    if isinstance(value, np.ndarray):
        value[...] = value + 1 if value.dtype != bool else ~value
    elif isinstance(value, pd.DataFrame):
        value["spoilt"] = 1.0
    elif isinstance(value, dict):
        value["spoilt"] = 1
    elif isinstance(value, list):
        value.append(value[-1] if value else 0)
    elif hasattr(value, "get_params"):
        value.n_features_in_ += 1
    elif isinstance(value, Categorical):
        value.X[...] = value.X + 1
    else:
        return False
    return True


def spoiling(exercise):
    """The right answer, which then changes the last of its arguments that can be changed."""

    def answer(*arguments):
        value = deepcopy(exercise.reference(*arguments))
        next(filter(spoil, reversed(arguments)), None)
        return value

    return answer


def spoilt_name(exercise) -> str:
    named = exercise.named(exercise.arguments(exercise.cases()[0]))
    return next((name for name, value in reversed(named) if spoil(value)), "")


def graded(exercise, answer, seed=PUBLIC_SEED):
    """The verdict of grading, with what crosses the wire as JSON."""

    def reply(seed):
        message = as_message(respond(exercise, answer, exercise.cases(seed)))
        return parse_reply(json.loads(json.dumps(message)))

    public = reply(PUBLIC_SEED)
    return judge_reply(AnswerKey(exercise, seed), CallReply(reply(seed).response, public=public))


# Answers


@each_function
def test_a_right_answer_that_changes_an_argument_is_refused_in_the_notebook_and_when_graded(
    exercise,
):
    name = spoilt_name(exercise)
    if not name:  # numbers and functions only
        return
    found = judge(exercise, spoiling(exercise))
    assert (found.outcome, found.slip.name, found.rows) == (NOT_YET, CHANGES, ())
    assert f"The values are right, but your function changes its argument `{name}`." in found.words
    assert graded(exercise, spoiling(exercise), seed=5) == found


@each_function
def test_neither_the_reference_nor_a_slip_is_taken_for_one_that_changes_its_arguments(exercise):
    cases = exercise.cases(1)[:2]
    for answer in (exercise.reference, *(slip.answer for slip in exercise.slips)):
        with np.errstate(all="ignore"):
            assert respond(exercise, answer, cases).changed == 0


@each_function
def test_arguments_have_the_names_that_the_task_gives_them(exercise):
    """Where the sentence says that `X` was changed, the learner's own function has an `X`."""
    number = exercise.id[:2]
    path = ROOT / "solutions" / lessons.load(number).name
    cells = nbformat.read(path / f"{path.name}.ipynb", as_version=4).cells
    mine = f"task-{exercise.id.replace('.', '-')}"
    (cell,) = [c for c in cells if c.metadata.get("nbgrader", {}).get("grade_id") == mine]
    functions = [n for n in ast.parse(cell.source).body if isinstance(n, ast.FunctionDef)]
    names = [argument.arg for argument in functions[-1].args.args]
    assert [name for name, _ in exercise.named(exercise.arguments(exercise.cases()[0]))] == names


def test_no_case_is_given_what_an_earlier_case_has_spoilt():
    exercise, given = lessons.exercise("03.1"), []

    def answer(predict, X, y, orders):
        given.append(X.copy())
        X[...] = y[...] = 0
        return np.zeros(X.shape[1])

    for _ in range(2):
        judge(exercise, answer)
    wanted = [exercise.arguments(case)[1] for case in exercise.cases()]
    assert all(map(np.array_equal, given, wanted * 2))
    assert judge(exercise, exercise.reference).passed


def test_a_wrong_answer_is_told_that_it_changes_its_argument_unless_a_slip_says_more():
    exercise = lessons.exercise("03.1")

    def without_a_copy(predict, X, y, orders, after=lambda value: value):
        before, result = np.mean((y - predict(X)) ** 2), []
        for j in range(X.shape[1]):
            for order in orders:
                X[:, j] = X[order, j]
            result.append(after(np.mean((y - predict(X)) ** 2) - before))
        return np.array(result)

    found = judge(exercise, without_a_copy)
    assert found.slip.name == CHANGES and found.rows
    assert found.words.startswith("Your function changes its argument `X`, which may be why")
    assert "such as `X.copy()`" in found.words
    assert graded(exercise, without_a_copy) == found

    def absolute(predict, X, y, orders):
        value = abs(exercise.reference(predict, X, y, orders))
        X[...] = 0
        return value

    assert judge(exercise, absolute).slip.name not in (CHANGES, None)


def test_a_copy_is_advised_that_copies_all_of_it():
    def cuts_in_place(equations, cause, effect):
        value = lessons.exercise("07.2").reference(equations, cause, effect)
        for parents in equations.values():
            parents.clear()
        return value

    assert "`copy.deepcopy(equations)`" in judge(lessons.exercise("07.2"), cuts_in_place).words


@pytest.mark.parametrize("claim", [99, -1, True, "2", [2], 10**30, None])
@pytest.mark.parametrize("name", ["03.1", "03.7"])
def test_whatever_a_box_claims_to_be_changed_does_no_harm(name, claim):
    exercise = lessons.exercise(name)
    key = answer_key(exercise, PUBLIC_SEED)
    answer = exercise.reference if exercise.is_function else exercise.reference()
    message = as_message(respond(exercise, answer, key.cases)) | {"changed": claim}
    found = key.verdict(parse_reply(message).response)
    assert found.passed or "changes its argument `orders`" in found.words


# What is a change


FOREST = RandomForestRegressor(3, random_state=0)
X, Y = np.random.default_rng(0).normal(size=(2, 30, 3))
FOREST.fit(X, Y[:, 0])


def refitted(model):
    model.fit(X, Y[:, 1])


def set_first(value, new):
    value[0] = new


CHANGED = [
    ([1, 2], list.reverse),
    ([[3, 1], [2]], lambda v: v[0].sort()),
    ({"a": {"b": 1}}, lambda v: v["a"].clear()),
    ({"a": 1, "b": 2}, lambda v: v.update(a=v.pop("a"))),
    ({1, 2}, lambda v: v.add(3)),
    (np.array([1.0, np.nan]), lambda v: set_first(v, 2.0)),
    (np.array([1, 2]), lambda v: set_first(v, 3)),
    (np.array([[1], "a"], dtype=object), lambda v: v[0].append(2)),
    (pd.DataFrame({"a": [1.0, 2.0]}), lambda v: v.insert(0, "b", 1)),
    (pd.DataFrame({"a": [1.0, 2.0]}), lambda v: v.__setitem__("a", [2.0, 1.0])),
    (pd.Series([1.0, 2.0]), lambda v: v.update(pd.Series([3.0]))),
    (LinearRegression().fit(X, Y[:, 0]), refitted),
    (FOREST, refitted),
    (([1],), lambda v: v[0].append(2)),
]


@pytest.mark.parametrize(("value", "change"), CHANGED, ids=lambda part: type(part).__name__)
def test_a_change_is_seen_wherever_it_hides_and_a_copy_is_none(value, change):
    value = deepcopy(value)
    before = deepcopy(value)
    assert first_changed((1, before), (1, value)) == 0
    change(value)
    assert first_changed((1, before), (1, value)) == 2


def test_what_an_object_works_out_and_remembers_is_no_change():
    for model in (FOREST, Categorical(np.array([[0, 1], [1, 1]]), [0, 1])):
        before = deepcopy(model)
        model.remembered = [1, 2]
        assert same_content(before, model)


def test_what_is_not_equal_to_itself_has_not_changed():
    assert same_content([float("nan"), None], [float("nan"), None])
