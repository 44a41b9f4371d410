"""The three outcomes of a check, the ladder of hints, and what nbgrader sees."""

import numpy as np
import pandas as pd
import pytest

from course_lib import lessons
from course_lib.learner import check, checks, hint, journal
from course_lib.learner.checks import judge
from course_lib.lessons.exercise import Exercise, Slip
from course_lib.lessons.judgement import CORRECT, NOT_ATTEMPTED, NOT_YET, same
from course_lib.lessons.values import plain

DOUBLE = Exercise(
    id="99.1",
    title="Double",
    points=2,
    expects="twice x",
    draw=lambda rng: {"x": int(rng.integers(3, 100))},
    reference=lambda x: 2 * x,
    hints=("Two times.", "x + x."),
    slips=(Slip("squared", lambda x: x**2, "That is the square."),),
)
ANSWER = Exercise(
    id="99.2",
    title="A set",
    points=1,
    expects="two letters",
    reference=lambda: {"a", "b"},
    hints=("Think.",),
    slips=(),
)


@pytest.fixture
def workbook(tmp_path, monkeypatch):
    """A learner's workbook with nothing in it."""
    monkeypatch.delenv("COURSE_BUILD", raising=False)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.setenv("COURSE_WORKBOOK", str(tmp_path))
    return tmp_path


def stub(x):
    """An untouched exercise."""
    ...


def with_a_blank(x):
    return x * (...)


def test_untouched_answers_are_not_attempted():
    for answer in (None, ..., stub, with_a_blank):
        assert judge(DOUBLE, answer).outcome == NOT_ATTEMPTED
    assert judge(ANSWER, ...).outcome == NOT_ATTEMPTED


def test_a_correct_answer_is_correct_and_says_so():
    assert judge(DOUBLE, lambda x: x + x).outcome == CORRECT
    assert judge(ANSWER, {"b", "a"}).passed


def test_an_ellipsis_used_as_an_index_is_not_a_blank():
    assert judge(DOUBLE, lambda x: int(np.array([[x, x]])[..., 0].item() * 2)).passed


def test_a_known_slip_is_named_and_met_with_its_hint():
    verdict = judge(DOUBLE, lambda x: x * x)
    assert (verdict.outcome, verdict.slip.name) == (NOT_YET, "squared")
    assert verdict.hint == "That is the square." and verdict.hint in repr(verdict)


def test_an_unknown_wrong_answer_names_the_case_and_points_to_the_hints():
    verdict = judge(DOUBLE, lambda x: 2 * x + 1)
    assert verdict.outcome == NOT_YET and not verdict.slip
    assert "x = " in verdict.message and "hint('99.1')" in verdict.hint


def test_the_expected_value_is_never_shown():
    for seed in range(20):
        case = DOUBLE.cases(seed)[0]
        message = judge(DOUBLE, lambda x: 0.5, seed).message
        assert str(2 * case["x"]) not in message.replace(f"x = {case['x']}", "")


def test_a_forgotten_return_is_said():
    def forgets(x):
        x * 2

    assert "return" in judge(DOUBLE, forgets).message


def test_a_value_where_a_function_is_wanted_is_said():
    assert "A function is wanted" in judge(DOUBLE, 4).message


def test_errors_of_the_answer_are_not_swallowed():
    with pytest.raises(ZeroDivisionError):
        judge(DOUBLE, lambda x: x / 0)


def test_an_answer_may_spoil_its_arguments_without_harm():
    spoiling = Exercise(
        id="99.3",
        title="Sum",
        points=1,
        expects="the sum",
        draw=lambda rng: {"x": rng.integers(9, size=3).tolist()},
        inputs=lambda case: (np.array(case["x"]),),
        reference=lambda x: float(x.sum()),
        hints=("Add.",),
        slips=(),
    )

    def spoils(x):
        total = float(x.sum())
        x[:] = 0
        return total

    assert judge(spoiling, spoils).passed


@pytest.mark.parametrize(
    ("got", "wanted", "equal"),
    [
        (1.0, 1, True),
        (np.float32(1), 1.0, True),
        (np.array(1.0), 1.0, True),
        (True, 1.0, False),
        ("1", 1.0, False),
        ([1.0], 1.0, False),
        (float("nan"), 1.0, False),
        ([1, 2], np.array([1.0, 2.0]), True),
        ([1, 2, 3], np.array([1.0, 2.0]), False),
        (["a"], np.array([1.0]), False),
        (pd.Series([1.0, 2.0]), np.array([1.0, 2.0]), True),
        ([1.0, 2.0], pd.Series([1.0, 2.0]), True),
        (["a", "b"], ["a", "b"], True),
        (("a", "b"), ["a", "b"], True),
        (["b", "a"], ["a", "b"], False),
        (["b", "a"], {"a", "b"}, True),
        ("ab", ["a", "b"], False),
        ({"a": 1.0}, {"a": 1.0}, True),
        ({"a": 1.0, "b": 2.0}, {"a": 1.0}, False),
        (None, 1.0, False),
        (True, True, True),
        (1, True, False),
    ],
)
def test_what_counts_as_the_same_answer(got, wanted, equal):
    assert same(plain(got), plain(wanted), rtol=1e-6, atol=1e-9) is equal


def test_a_check_is_remembered(workbook):
    exercise = lessons.exercise("01.7")
    check("01.7", exercise.slips[0].answer())
    check("01.7", exercise.reference())
    check("01.7", ...)
    stored = journal.read()["checks"]["01.7"]
    assert stored == {"passed": True, "attempts": 2, "slips": [exercise.slips[0].name]}


def test_hints_climb_a_ladder_and_stay_on_the_last_rung(workbook):
    ladder = lessons.exercise("01.1").hints
    texts = [hint("01.1").text for _ in range(len(ladder) + 1)]
    assert texts == [*ladder, ladder[-1]]


def test_under_nbgrader_a_failed_check_raises_and_a_passed_one_does_not(monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    exercise = lessons.exercise("01.7")
    with pytest.raises(checks.CheckFailedError, match="not attempted"):
        check("01.7", ...)
    assert check("01.7", exercise.reference()).passed


def test_the_verdict_reads_well_in_a_notebook_and_escapes_what_the_learner_wrote():
    html = judge(ANSWER, {"<script>"})._repr_html_()
    assert "not yet" in html and "<script>" not in html and 'role="status"' in html


def test_points_are_those_of_the_declaration():
    assert lessons.points("01.1") == lessons.exercise("01.1").points
    assert lessons.points("01.w") == sum(c.points for c in lessons.find("written", "01.w").rubric)
    with pytest.raises(ValueError, match="There is no exercise"):
        lessons.points("77.7")
