"""Words tied to a computation (mirrors lessons/ties.py)."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib import lessons
from course_lib.lessons.reading import LessonFileError, read_record, record_of
from course_lib.lessons.schema import Criterion, Lesson
from course_lib.lessons.ties import TieError, objection, ties, ties_of_code, untied
from course_lib.tools.system import ROOT


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
    text = r"$\frac{{a}}{{b}}$ and $P(Y | X)$ and $\frac{{P(A|B)}}{{|x|}}$ and `f\"{{x}}\"`"
    assert untied(text) == text and ties(text) == []
    block = "$$\\frac{N_{t_L}}{N_t} = {{a}}$$\n\n```\n{{a}}\n\n{a | b}\n```\n\n"
    block += r"\begin{align}{{a}}\end{align}"
    assert untied(block) == block and ties(block) == []


@pytest.mark.parametrize(
    ("text", "reads", "expression"),
    [
        ("{{two|n}}", "two", "n"),
        ("{{two| n}}", "two", "n"),
        ("{{two |n}}", "two", "n"),
        ("{{ two | n }}", "two", "n"),
        ("{{two |\n  n == 2}}", "two", "n == 2"),
        ("{{x | {0:{1:2}}[0][1]}}", "x", "{0:{1:2}}[0][1]"),
        ("{{x | {0: {1: 2}}}}", "x", "{0: {1: 2}}"),
        ('{{x | f"{{y}}" + f"{z}"}}', "x", 'f"{{y}}" + f"{z}"'),
        ("{{x | a | b}}", "x", "a | b"),
        ("{{$-1$ | g}}", "$-1$", "g"),
        ("$4 = {{4|n}}^2$", "$4 = 4^2$", "n"),
        (r"$\frac{{a}}{{b}} = {{4 | n}}$", r"$\frac{{a}}{{b}} = 4$", "n"),
        ("`{{x1 | best}}`", "`x1`", "best"),
    ],
)
def test_a_tie_ends_where_its_expression_does_whatever_blanks_it_has(text, reads, expression):
    assert untied(f"It is {text}.") == f"It is {reads}."
    (tie,) = ties(f"So. It is {text}.")
    assert (tie.expression, tie.sentence) == (expression, f"It is {reads}.")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{two thousand}}", "'{{two thousand}}' ties its words to nothing: it has no bar"),
        ("{{a || b}}", "'{{a || b}}' is tied to '| b', which is no Python expression"),
        ("{{a | b c}}", "is tied to 'b c', which is no Python"),
        ("{{a | }}", "has nothing behind its bar"),
        ("{{ | b}}", "has no words before its bar"),
        ("{{a | b", "'{{a | b more.' is not closed by }}"),
        ("{{a | b}", "'{{a | b} more.' is not closed by }}"),
        ("{{a | b\n\n}}", "'{{a | b' is not closed by }}"),
        ("{a | b}", "'{a | b}' has single braces"),
        ("{a | b}}", "'{a | b}' has single braces"),
        ("{a}}", "'}}' closes nothing"),
        ("$x = {{4 | 2 +}}$", "is tied to '2 +', which is no Python"),
    ],
)
def test_what_looks_like_a_tie_and_is_none_is_refused(text, said):
    for read in (untied, ties):
        with pytest.raises(TieError) as caught:
            read(f"It is {text} more. {{{{c | d}}}}")
        assert said in str(caught.value)
        assert "A tie is written {{words | expression}}" in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        "#| hold x > 0",
        "#|holds x > 0",
        "#| holds",
        "#| holds  ",
        "#| holds [",
        "# | holds x > 0",
        "#|",
        "#| Says It.",
        "#|says It.",
        "#| says",
    ],
)
def test_a_line_that_the_build_would_leave_in_the_code_is_refused(line):
    with pytest.raises(TieError) as caught:
        ties_of_code(f"x = 1\n{line}\ny = 2")
    assert line.strip() in str(caught.value)
    assert "#| holds EXPRESSION" in str(caught.value) and "#| says" in str(caught.value)
    if line != "#|":
        with pytest.raises(TieError):
            ties_of_code(f"x = 1  {line}")


def test_what_a_cell_computes_with_such_signs_is_left_alone():
    code = 'x = "| holds"  # y | z\n# {x | y}: f"{{:.{digits}f}}"'
    assert ties_of_code(code) == (code, [])


def test_the_sentence_of_a_tie_is_the_one_that_a_reader_sees():
    text = "First. Then\nthere were {{two | n}} of\n{{0.5 bits | h}} each. Last."
    assert [tie.sentence for tie in ties(text)] == ["Then there were two of 0.5 bits each."] * 2


def test_a_toml_is_read_without_its_ties():
    entry = {"points": 1, "text": "Says {{0.5 | x}}."}
    assert record_of(Criterion, entry, "lesson_99.toml").text == "Says 0.5."


def test_a_malformed_tie_of_a_toml_is_named_by_its_place():
    entry = {"points": 1, "text": "Says {{0.5}}."}
    with pytest.raises(ValueError) as caught:
        record_of(Criterion, entry, "lesson_99.toml, written 99.w, rubric 1")
    said = "lesson_99.toml, written 99.w, rubric 1: field text must have its ties as they are "
    assert str(caught.value).startswith(f"{said}written: '{{{{0.5}}}}' ties its words to nothing")


def test_a_tie_that_no_cell_would_ask_is_refused(tmp_path):
    text = (ROOT / "course_lib" / "lessons" / "lesson_01.toml").read_text(encoding="utf-8")
    (tmp_path / "x.toml").write_text(text.replace('about = "', 'about = "{{One | 1}} ', 1), "utf-8")
    with pytest.raises(LessonFileError) as caught:
        read_record(Lesson, tmp_path / "x.toml")
    assert str(caught.value).startswith("x.toml, about: 'One ")
    said = "is tied to 1, and this is checked nowhere. Only predictions and statements take ties"
    assert said in str(caught.value)


def test_no_item_shows_a_tie():
    for item in (item for lesson in lessons.available() for item in lesson.questions):
        assert "{{" not in str(vars(item))


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        ("00", "six hundred people to learn from"),
        ("00", "sixty decision trees"),
        ("02", "In how many of the twenty"),
        ("02", "on 200 samples of pure noise"),
        ("02", "means over ten samples"),
        ("02", "means over ten studies"),
        ("03", "the luck of ten shuffles"),
        ("03", "the share of the 1,000 samples"),
        ("03", "do this a hundred times"),
        ("03", "One shuffle of 200 rows"),
        ("06", "one half to train on"),
        ("06", "forests of 150 Extra-Trees"),
        ("06", "in three rows of four"),
        ("06", "Three hundred trees"),
        ("06", "Sixty images"),
        ("10", "In how many of 100 random halves"),
        ("10", "ten times fitted to nine tenths"),
        ("10", "models within 5 % of the least error"),
    ],
)
def test_how_much_a_lesson_draws_and_repeats_is_tied(number, sentence):
    (source,) = (ROOT / "notebooks" / "src").glob(f"{number}_*.py")
    cells = re.split(r"(?m)^# %%.*\n", source.read_text(encoding="utf-8").replace("{{times}}", ""))
    texts = [re.sub(r"(?m)^# ?", "", cell) for cell in cells if cell.startswith("# ")]
    items = ROOT / "course_lib" / "lessons" / f"lesson_{number}.toml"
    found = [tie for text in [*texts, items.read_text(encoding="utf-8")] for tie in ties(text)]
    assert any(tie.words in sentence and sentence in tie.sentence for tie in found)
