"""One judgement for the notebook and for grading: the same outcome, slip and sentence for both."""

import array
import json
from collections import deque
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib import lessons
from course_lib.grading.inside import as_message
from course_lib.grading.marking import judge_reply
from course_lib.grading.replies import CallReply, parse_reply
from course_lib.learner.checks import judge
from course_lib.lessons.comparison import same
from course_lib.lessons.exercise import PUBLIC_SEED, Exercise, Slip
from course_lib.lessons.judgement import CORRECT, NOT_YET, AnswerKey, answer_key
from course_lib.lessons.response import Call, Response, respond, respond_to_calls
from course_lib.lessons.values import Other, plain

# Keys


def verdict(name: str, values) -> object:
    return AnswerKey(lessons.exercise(name), seed=3).verdict(Response(tuple(values)))


def test_the_key_knows_right_answers_and_slips():
    key = AnswerKey(lessons.exercise("01.1"), seed=3)
    assert key.verdict(Response(key.wanted)).outcome == CORRECT
    for slip, values in key.slips:
        found = key.verdict(Response(values))
        assert (found.outcome, found.slip) == (NOT_YET, slip)


@pytest.mark.parametrize("junk", [[], [None], [[[]]] * 4, [{1: 2}] * 4, [Other("x")] * 4, [[{}]]])
def test_junk_is_never_right_and_never_raises(junk):
    for name in ("01.1", "01.5", "01.7"):
        assert verdict(name, junk).outcome == NOT_YET


def test_other_seeds_give_other_cases():
    exercise = lessons.exercise("01.1")
    assert AnswerKey(exercise, 1).cases != AnswerKey(exercise, 2).cases


def test_an_answer_that_spoils_its_arguments_does_not_spoil_the_key():
    exercise = lessons.exercise("01.1")

    def spoils(counts):
        counts.clear()
        return 0.0

    before = [dict(case) for case in answer_key(exercise, PUBLIC_SEED).cases]
    assert judge(exercise, spoils).outcome == NOT_YET
    assert answer_key(exercise, PUBLIC_SEED).cases == before
    assert judge(exercise, exercise.reference).passed


def test_cases_take_turns_so_that_no_size_is_that_of_all():
    def draw(rng, size):
        return {"x": rng.integers(9, size=size).tolist()}

    exercise = replace(task(0), draw=draw, turns=((3,), (4,), (6,)))
    for seed in range(3):
        assert [len(case["x"]) for case in exercise.cases(seed)] == [3, 4, 6, 3]


# The same for the notebook and for grading


def task(reference) -> Exercise:
    """An exercise whose right answer does not depend on the case."""
    return Exercise(
        id="99.1",
        title="Anything",
        points=1,
        expects="the right thing",
        draw=lambda rng: {"x": int(rng.integers(9))},
        reference=lambda x: reference,
        hints=("Think.",),
        slips=(Slip("nothing", lambda x: 0, "Not nothing."),),
    )


TASKS = [
    task(wanted)
    for wanted in (
        *(2, 0.5, "a", True, float("nan"), np.float64(1.5)),
        *([1, 2], (1.0, 2.0), ["a", "b"], {"a", "b"}, {1, 2}, {"a": 1.0, "b": [1, 2]}),
        *(np.array([1.0, 2.0]), np.array([1, 2]), np.array([True, False]), np.zeros((0, 2))),
        *(np.array([[1.0, 2.0]]), pd.Series([1.0, 2.0]), pd.DataFrame({"a": [1.0, 2.0]})),
    )
]


def as_graded(exercise: Exercise, value):
    """The verdict of grading when the answer gives this value in every case of the notebook."""
    calls = [Call(lambda: (0,), "x")] * exercise.n_cases
    response = respond_to_calls(lambda x: value, calls)
    reply = parse_reply(json.loads(json.dumps(as_message(response))))
    key = answer_key(exercise, PUBLIC_SEED)
    return judge_reply(key, CallReply(reply.response, public=reply))


numbers = st.integers(-3, 3) | st.sampled_from([0.5, 1.5, float("nan"), float("inf"), 2**70])
scalars = (
    st.none()
    | st.booleans()
    | numbers
    | st.sampled_from(["", "a", "b", "1", b"a", 1j, ..., print, object(), pd.NA])
    | st.integers(-3, 3).map(np.int32)
    | st.sampled_from([1.0, 2.0, 0.5]).map(np.float32)
    | st.sampled_from([True, False]).map(np.bool_)
    | st.sampled_from([1, 2, 3]).map(lambda n: Fraction(n, 2))
    | st.sampled_from(["1", "2", "0.5", "NaN"]).map(Decimal)
)
rows = st.sampled_from([[1, 2], [1.0, 2.0], [True, False], [], ["a", "b"], [1, "a"], [1, 2, 3]])
flat = (
    rows
    | rows.map(tuple)
    | rows.map(set)
    | rows.map(frozenset)
    | rows.map(deque)
    | rows.map(np.array)
    | rows.map(lambda row: np.array(row, dtype=object))
    | rows.map(lambda row: np.array([row], dtype=object))
    | rows.map(pd.Series)
    | rows.map(pd.Index)
    | rows.map(lambda row: pd.DataFrame({"a": row}))
    | st.just(array.array("d", [1, 2]))
    | st.just(pd.array([1, 2], dtype="Int64"))
    | st.sampled_from([np.array(2.0), np.zeros((0, 2)), np.array(["2027"], dtype="M8[Y]")])
)
values = st.recursive(
    scalars | flat,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.sampled_from(["a", "b", 1, (1, 2)]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.sampled_from(TASKS), values)
@settings(max_examples=600, deadline=None)
def test_check_and_grade_say_the_same_of_the_same_values(exercise, value):
    assert as_graded(exercise, value) == judge(exercise, lambda x: value)


@pytest.mark.parametrize("exercise", TASKS, ids=lambda task: type(task.reference(0)).__name__)
def test_the_right_value_is_right_for_both(exercise):
    value = exercise.reference(0)
    assert as_graded(exercise, value).passed and judge(exercise, lambda x: value).passed


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (Fraction(1, 2), 0.5),
        (Decimal("0.5"), 0.5),
        (deque([1, 2]), np.array([1.0, 2.0])),
        (array.array("d", [1, 2]), np.array([1.0, 2.0])),
        (np.array([[1, 2]], dtype=object), np.array([[1.0, 2.0]])),
        (pd.DataFrame({"a": [1.0, 2.0]}, dtype=object), pd.DataFrame({"a": [1.0, 2.0]})),
        (pd.Index(["a", "b"]), {"a", "b"}),
        (pd.Series([1, 2], dtype="Int64"), np.array([1.0, 2.0])),
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_ways_to_write_the_right_value_are_right_for_both(value, wanted):
    exercise = task(wanted)
    assert as_graded(exercise, value).passed and judge(exercise, lambda x: value).passed


@given(values, values)
def test_comparing_never_raises(value, wanted):
    assert same(plain(value), plain(wanted), rtol=1e-6, atol=1e-9) in (True, False)


@pytest.mark.parametrize(("open_", "said"), [(2, "2 blanks are"), (True, ""), (-1, ""), ("2", "")])
def test_blanks_that_are_open_reach_the_grader_as_a_number_and_nothing_else(open_, said):
    reply = parse_reply({"answers": [], "open": open_})
    found = AnswerKey(lessons.exercise("01.2"), seed=3).verdict(reply.response)
    assert found.outcome == NOT_YET and (said in found.message)
    assert bool(said) == ("blank" in found.message)


# What grading may say of secret cases


def secret_reply(exercise: Exercise, answer, seed: int) -> CallReply:
    secret, public = (
        CallReply(respond(exercise, answer, exercise.cases(each))) for each in (seed, PUBLIC_SEED)
    )
    return CallReply(secret.response, public=public)


def test_a_wrong_answer_is_explained_by_a_case_of_the_notebook():
    exercise = lessons.exercise("01.1")
    found = judge_reply(AnswerKey(exercise, 5), secret_reply(exercise, lambda counts: 7.0, 5))
    assert found == judge(exercise, lambda counts: 7.0)


def test_an_answer_that_only_knows_the_notebook_is_told_so_and_no_secret_case():
    exercise, seed = lessons.exercise("01.1"), 5
    table = {str(case): exercise.reference(*exercise.arguments(case)) for case in exercise.cases()}

    def looks_up(counts):
        return table.get(str({"counts": list(counts)}), -1.0)

    found = judge_reply(AnswerKey(exercise, seed), secret_reply(exercise, looks_up, seed))
    assert judge(exercise, looks_up).passed and found.outcome == NOT_YET
    assert "not on new ones" in found.message and exercise.expects in found.message
    assert not any(exercise.describe(case) in found.words for case in exercise.cases(seed))
    assert found.rows == () and found.diagnosis == ""


@pytest.mark.parametrize("text", ["abcf", "a, b, c, f", '{"a", "b", "c", "f"}'])
def test_a_text_of_letters_in_place_of_a_set_is_told_how_to_write_it(text):
    verdict = judge(lessons.exercise("04.7"), text)
    assert not verdict.passed
    assert "Write each letter by itself: {'a', 'b', 'c', 'f'}." in verdict.words
