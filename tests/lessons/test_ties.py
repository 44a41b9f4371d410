"""Words tied to a computation (mirrors lessons/ties.py)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib import lessons
from course_lib.lessons.reading import record_of
from course_lib.lessons.schema import Criterion
from course_lib.lessons.ties import objection, ties, untied


@given(st.floats(-1e6, 1e6), st.integers(0, 4))
def test_a_number_agrees_with_itself_rounded_and_with_nothing_else(value, digits):
    words = f"about {value:.{digits}f} bits"
    assert objection(words, value) == ""
    assert objection(words, value + 1.1 * 10**-digits) != ""


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("1,000 trees", 1000),
        ("−0.53", -0.531),
        ("97 %", 97.2),
        (".25", np.float64(0.2501)),
        ("seven of them", 7),
        ("most", np.True_),
        ("x1", "x1"),
    ],
)
def test_words_that_agree(words, value):
    assert objection(words, value) == ""


@pytest.mark.parametrize(
    ("words", "value", "said"),
    [
        ("1,000 trees", 1001, "is 1001"),
        ("2 of 3", 2, "more than one"),
        ("several", 2, "no number"),
        ("most", np.False_, "is false"),
        ("x1", "x2", "is 'x2'"),
        ("a list", [1], "neither a number"),
        ("nothing", float("nan"), "nan"),
        ("0.5", float("nan"), "nan"),
    ],
)
def test_words_that_do_not_agree_are_told_why(words, value, said):
    assert said in objection(words, value)


def test_formulas_and_other_marks_are_left_alone():
    text = r"$\frac{{a}}{{b}}$ and $P(Y | X)$ and {{times}}"
    assert untied(text) == text and ties(text) == []


def test_the_sentence_of_a_tie_is_the_one_that_a_reader_sees():
    text = "First. Then\nthere were {{two | n}} of\n{{0.5 bits | h}} each. Last."
    assert [tie.sentence for tie in ties(text)] == ["Then there were two of 0.5 bits each."] * 2


def test_a_toml_is_read_without_its_ties():
    entry = {"points": 1, "text": "Says {{0.5 | x}}."}
    assert record_of(Criterion, entry, "lesson_99.toml").text == "Says 0.5."


def test_no_item_shows_a_tie():
    for item in (item for lesson in lessons.available() for item in lesson.questions):
        assert "{{" not in str(vars(item))
