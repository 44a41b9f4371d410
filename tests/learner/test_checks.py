"""The three outcomes of a check, what it shows, the ladder of hints, and what nbgrader sees."""

import ast
import json
import re
import sys

import numpy as np
import pandas as pd
import pytest
from IPython.core.interactiveshell import InteractiveShell

from course_lib import lessons
from course_lib.learner import check, checks, hint, journal
from course_lib.learner.cells import CellWatch, watch, watch_cells
from course_lib.learner.checks import Checked, judge
from course_lib.lessons.cells import grade_id
from course_lib.lessons.comparison import same
from course_lib.lessons.exercise import Exercise, Slip
from course_lib.lessons.judgement import CORRECT, NOT_ATTEMPTED, NOT_YET, answer_key
from course_lib.lessons.values import plain
from course_lib.tools.system import ROOT

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


def test_a_judgement_passes_errors_of_the_answer_on_with_their_case():
    with pytest.raises(ZeroDivisionError) as caught:
        judge(DOUBLE, lambda x: x / 0)
    assert caught.value.__notes__ == [f"in the case x = {DOUBLE.cases()[0]['x']}"]


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


def test_under_nbgrader_a_failed_check_raises_and_a_passed_one_does_not(monkeypatch, capsys):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    exercise = lessons.exercise("01.7")
    with pytest.raises(checks.CheckFailedError, match="not attempted"):
        check("01.7", ...)
    assert check("01.7", exercise.reference()) is None
    assert "correct" in capsys.readouterr().out


def test_under_nbgrader_a_warning_on_the_way_to_a_right_answer_costs_nothing(monkeypatch, capsys):
    """nbgrader gives no points for a check that writes to the standard error."""
    right = lessons.exercise("01.1").reference

    def answer(*arguments):
        print("RuntimeWarning: divide by zero", file=sys.stderr)
        return right(*arguments)

    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    check("01.1", answer)
    assert capsys.readouterr().err == ""


def test_the_verdict_reads_well_in_a_notebook_and_escapes_what_the_learner_wrote():
    html = judge(ANSWER, {"<script>"})._repr_html_()
    assert "not yet" in html and "<script>" not in html and 'role="status"' in html


def test_points_are_those_of_the_declaration():
    assert lessons.points("01.1") == lessons.exercise("01.1").points
    assert lessons.points("01.w") == sum(c.points for c in lessons.find("written", "01.w").rubric)
    with pytest.raises(ValueError, match="There is no exercise"):
        lessons.points("77.7")


# Blanks that are open


def three_blanks() -> Exercise:
    def reference(x):
        return 6 * x

    return Exercise(
        id="01.2",
        title="Three factors",
        points=1,
        blanks=3,
        expects="six times x",
        draw=lambda rng: {"x": int(rng.integers(3, 100))},
        reference=reference,
        hints=("Think.",),
        slips=(),
    )


def none_filled(x):
    one = ...
    two = ...
    three = ...
    return x * one * two * three


def one_filled(x):
    one = 1
    two = ...
    three = ...
    return x * one * two * three


def two_filled_and_the_last_one_not_used(x):
    one = 1
    two = 2
    three = ...  # noqa: F841
    return x * one * two


def all_filled(x):
    one, two, three = 1, 2, 3
    return np.array([[x * one * two * three]])[..., 0].item()


@pytest.mark.parametrize(
    ("answer", "outcome", "words"),
    [
        (none_filled, NOT_ATTEMPTED, "no answer yet"),
        (one_filled, NOT_YET, "2 blanks are still open"),
        (two_filled_and_the_last_one_not_used, NOT_YET, "1 blank is still open"),
        (all_filled, CORRECT, "all 4 cases agree"),
    ],
)
def test_open_blanks_are_counted_and_untouched_ones_are_not_attempted(answer, outcome, words):
    verdict = judge(three_blanks(), answer)
    assert (verdict.outcome, words in verdict.message) == (outcome, True)


def test_blanks_are_counted_without_a_source_too():
    code = "def answer(x):\n    one = ...\n    two = ...\n    return x * one * two * 3\n"
    namespace = {}
    exec(code, namespace)
    assert "2 blanks" in judge(three_blanks(), namespace["answer"]).message


def test_a_source_of_something_else_is_not_taken_for_that_of_the_answer(monkeypatch):
    """From Python 3.13 on, what `python -c` runs is the source of every "<string>"."""
    code = "def answer(x):\n    one = ...\n    two = ...\n    return x * one * two * 3\n"
    namespace = {}
    exec(code, namespace)
    monkeypatch.setattr("inspect.getsource", lambda answer: "import sys; exec(sys.argv[1])")
    assert "2 blanks" in judge(three_blanks(), namespace["answer"]).message


def test_a_place_left_open_in_a_value_is_counted():
    assert judge(MATCH, {"a": "Q1", "b": ..., "c": ...}).message.startswith("2 blanks are")


def place_holders_left(x):
    one = ...
    # YOUR CODE HERE
    half = 0.5
    one = 2 * half
    two = ...
    two = 2
    return x * one * two * 3


def by_nbgrader(x):
    one = ...
    raise NotImplementedError()
    two = ...
    raise NotImplementedError()
    three = ...
    raise NotImplementedError()
    return x * one * two * three


def by_nbgrader_and_one_filled(x):
    one = ...
    one = 1
    two = ...
    raise NotImplementedError()
    three = ...
    raise NotImplementedError
    return x * one * two * three


@pytest.mark.parametrize(
    ("answer", "outcome", "words"),
    [
        (place_holders_left, CORRECT, "all 4 cases agree"),
        (by_nbgrader, NOT_ATTEMPTED, "no answer yet"),
        (by_nbgrader_and_one_filled, NOT_YET, "2 blanks are still open"),
    ],
)
def test_what_nbgrader_leaves_in_place_of_an_answer_is_a_blank(answer, outcome, words):
    verdict = judge(three_blanks(), answer)
    assert (verdict.outcome, words in verdict.message) == (outcome, True)


def test_a_wrong_answer_below_its_place_holder_is_not_called_open():
    def answer(x):
        one = ...
        half = 0.5
        one = half + half
        return x * one

    assert "blank" not in judge(three_blanks(), answer).message


@pytest.mark.parametrize("number", lessons.numbers())
def test_the_declared_blanks_are_those_of_the_exercise(number):
    name = lessons.load(number).name
    released = (ROOT / "exercises" / name / f"{name}.ipynb").read_text("utf-8")
    cells = {cell["id"]: "".join(cell["source"]) for cell in json.loads(released)["cells"]}
    for task in lessons.exercises(number):
        nodes = ast.walk(ast.parse(cells[grade_id("task", task.id)]))
        blanks = [n for n in nodes if isinstance(n, ast.Constant) and n.value is ...]
        assert len(blanks) == task.blanks, task.id


# What is wrong with a value, without saying what is right

MATCH = Exercise(
    id="00.3",
    title="Which?",
    points=1,
    expects="a dictionary",
    reference=lambda: {"a": "Q1", "b": "Q4", "c": "Q2"},
    hints=("Think.",),
    slips=(),
)


def value_task(reference) -> Exercise:
    return Exercise("99.4", "Value", 1, "something", lambda: reference, ("Think.",), ())


@pytest.mark.parametrize(
    ("wanted", "value", "words"),
    [
        (MATCH.reference(), {"a": "Q1", "b": "Q4", "c": "Q6"}, "2 of the 3 values agree."),
        (MATCH.reference(), {"a": "Q2", "b": "Q1", "c": "Q4"}, "None of the 3 values agrees."),
        (MATCH.reference(), {"a": "q1", "b": "q4", "c": "q2"}, "'q1' is not written as"),
        (MATCH.reference(), {"a": 1, "b": 4, "c": 2}, "Texts in quotation marks"),
        (MATCH.reference(), {"a": "first", "b": "Q4", "c": "Q2"}, "'first' does not look like"),
        (MATCH.reference(), {"a": "Q1"}, "no entries for 'b', 'c'"),
        (MATCH.reference(), MATCH.reference() | {"d": "Q1"}, "an entry for 'd', which is not"),
        (MATCH.reference(), ["Q1", "Q4", "Q2"], "A dictionary is expected, and this is a list."),
        ({"b", "d"}, {"B", "D"}, "Capital and small letters count"),
        ({"b", "d"}, {"a"}, "does not belong there, or something is missing"),
        ({"b", "d"}, {"a", "b", "d"}, "does not belong there, or something is missing"),
        ({1, 2}, {3}, "too few elements"),
        ({1, 2}, {1, 2, 3}, "too many elements"),
        ({1, 2}, {1, 3}, "right size, but not the right elements"),
        ({"b", "d"}, "bd", "A set is expected, and this is a text."),
        (["x", "y", "z"], ["y", "x", "z"], "not in the right order"),
        (["x", "y"], ["x"], "There is 1 entry, and 2 are expected."),
        (np.array([1.0, 2.0]), [1.0, 3.0], "1 of the 2 entries agrees."),
        (np.array([1.0, 2.0]), [1.0], "The shape is (1,), and (2,) is expected."),
        (np.array([1.0, 2.0]), [1.0, np.nan], "Of the 2 entries, 1 is nan."),
        (1.5, "1.5", "A number is expected, and this is a text."),
        (1.5, float("nan"), "The answer is nan"),
        (0.20837, 0.21, "The answer looks rounded."),
    ],
)
def test_a_wrong_value_gets_a_diagnosis_that_comes_first(wanted, value, words):
    verdict = judge(value_task(wanted), value)
    assert verdict.outcome == NOT_YET and words in verdict.diagnosis
    assert verdict.words.startswith(verdict.diagnosis)


def test_the_diagnosis_of_a_set_does_not_tell_whether_a_letter_belongs_to_it():
    """Else one could ask for the letters one by one, also in capitals."""
    task = value_task({"b", "d", "e"})
    for size in (str.lower, str.upper):
        told = {letter: judge(task, {size(letter)}).diagnosis for letter in "abcde"}
        assert len({text.replace(f"'{size(letter)}'", "it") for letter, text in told.items()}) == 1


# What the page is told


def shown(exercise: Exercise, answer) -> dict:
    return Checked(**vars(judge(exercise, answer))).spec()


def test_the_table_has_the_first_wrong_cases_and_how_many_agree():
    task = lessons.exercise("01.1")
    some = [case["counts"] for case in task.cases()[:2]]

    def right_for_some(counts):
        return task.reference(counts) if list(counts) in some else 0.123456789

    spec = shown(task, right_for_some)
    assert f"2 of the {len(task.cases())} cases" in spec["first"]
    assert 1 <= len(spec["table"]) <= 3
    for row in spec["table"]:
        assert list(row) == ["case", "input", "yours", "expected"]
        assert row["yours"] == "0.1235" and row["expected"] == task.expects


def test_a_known_slip_is_said_first():
    slip = lessons.exercise("01.1").slips[0]
    assert shown(lessons.exercise("01.1"), slip.answer)["first"] == slip.hint


def texts_of(wanted) -> set[str]:
    """The ways in which a right answer may be written down."""
    if isinstance(wanted, dict | frozenset | list | tuple):
        return {str(wanted), repr(wanted), json.dumps(wanted, default=list)}
    if isinstance(wanted, np.ndarray):
        numbers = [x for x in wanted.ravel().astype(float).tolist() if abs(x) % 1 > 1e-9]
        return {form for x in numbers for form in texts_of(x)}
    return {repr(wanted), f"{wanted:.4g}", f"{wanted:.6g}"} if isinstance(wanted, float) else set()


@pytest.mark.parametrize("name", [t.id for n in lessons.numbers() for t in lessons.exercises(n)])
def test_nothing_that_reaches_the_page_gives_the_answer_away(name):
    task = lessons.exercise(name)
    wrong = (lambda *_: -987654.25) if task.is_function else {"zz": "zz"}
    verdict = Checked(**vars(judge(task, wrong)))
    spec = verdict.spec()
    inputs = " ".join(row.get("input", "") for row in spec["table"])
    told = json.dumps(spec, ensure_ascii=False) + verdict._repr_html_() + repr(verdict)
    wanted = {text for value in answer_key(task, 2027).wanted for text in texts_of(value)}
    found = {text for text in wanted if len(text) > 3 and text in told and text not in inputs}
    assert found - {text for text in found if text in task.expects} == set()
    assert not any(rung in told for rung in task.hints)


def test_an_answer_given_away_would_be_found():
    told = json.dumps({"yours": "0.9544", "expected": "0.9544 bits"})
    assert any(text in told for text in texts_of(0.954434002924965))


def test_the_page_of_a_correct_answer_has_no_table_and_no_hints():
    spec = shown(DOUBLE_01, lambda x: 2 * x)
    assert (spec["outcome"], spec["sign"], spec["table"], spec["rungs"]) == (CORRECT, "✓", [], 0)


DOUBLE_01 = Exercise(**{**vars(DOUBLE), "id": "01.1"})


def test_long_inputs_and_answers_are_shortened():
    long = Exercise(**{**vars(DOUBLE_01), "describe": lambda case: "x" * 1000})
    (row, *_) = shown(long, lambda x: "y" * 1000)["table"]
    assert len(row["input"]) <= 160 and len(row["yours"]) <= 80


def test_without_a_kernel_the_html_says_the_same_and_escapes_it():
    verdict = Checked(**vars(judge(DOUBLE_01, lambda x: "<script>")))
    html = verdict._repr_mimebundle_()["text/html"]
    assert "A number is expected" in html and "<th" in html and "&lt;script&gt;" in html
    assert "<script>" not in html


def test_the_button_climbs_the_ladder_and_the_kernel_keeps_count(workbook):
    task = lessons.exercise("01.1")
    verdict = Checked(**vars(judge(task, lambda counts: 7.0)))
    assert verdict.hints() == {"hints": []} and verdict.spec()["rungs"] == len(task.hints)
    for rung in range(1, len(task.hints) + 2):
        assert verdict.climb() == {"hints": list(task.hints[:rung])}
    assert journal.read()["hints"]["01.1"] == {"taken": len(task.hints)}
    assert verdict.surface().shown == {"hints": list(task.hints)}


# Errors of the answer


def stumbles(counts):
    return helps(counts)


def helps(counts):
    return np.linalg.inv(np.array(counts)[0])


def test_an_error_is_shown_by_its_message_its_case_and_own_lines_only(workbook):
    verdict = check("01.1", stumbles)
    assert verdict.outcome == NOT_YET
    assert re.match(
        r"Your function stopped with a LinAlgError in the case counts = \[", verdict.message
    )
    assert [line.split(":\n    ")[1] for line in verdict.lines] == [
        "return helps(counts)",
        "return np.linalg.inv(np.array(counts)[0])",
    ]
    assert verdict.lines[0].endswith("in stumbles:\n    return helps(counts)")
    assert "checks.py" not in repr(verdict) + verdict._repr_html_()
    assert journal.read()["checks"]["01.1"]["attempts"] == 1


def test_a_wrong_signature_is_an_error_without_lines(workbook):
    verdict = check("01.1", lambda: 1)
    assert "TypeError" in verdict.message and "positional" in verdict.message
    assert verdict.lines == () and not verdict.passed


def test_under_nbgrader_an_error_is_passed_on(monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    with pytest.raises(np.linalg.LinAlgError):
        check("01.1", stumbles)


# A cell that failed


@pytest.fixture
def shell(workbook):
    """A notebook's shell, in which `check` and `np` are at hand."""
    shell = InteractiveShell.instance()
    watch.failed.clear()
    watch_cells()
    watch_cells()  # twice does no harm
    shell.run_cell("import numpy as np\nfrom course_lib.learner import check")
    yield shell
    for event, hear in (("pre_run_cell", watch.before), ("post_run_cell", watch.after)):
        shell.events.unregister(event, hear)
    watch.failed.clear()
    InteractiveShell.clear_instance()


RIGHT = """
def entropy(counts):
    p = np.array(counts) / np.sum(counts)
    p = p[p > 0]
    return -np.sum(p * np.log2(p))
"""
CHECK = 'verdict = check("01.1", entropy)'
BROKEN = {
    "a typing error": RIGHT.replace("):", ":"),
    "an error before the definition": f"1 / 0\n{RIGHT}",
    "an error in the definition": RIGHT.replace("(counts)", "(counts=nothing_like_this)"),
}


def verdict_of(shell, code: str = CHECK):
    shell.run_cell(code).raise_error()
    return shell.user_ns["verdict"]


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_after_a_cell_that_failed_the_old_answer_is_not_praised(shell, broken):
    shell.run_cell(RIGHT)
    assert verdict_of(shell).passed
    shell.run_cell(broken)
    verdict = verdict_of(shell)
    assert verdict.outcome == NOT_YET and "`entropy` failed the last time" in verdict.message
    shell.run_cell(RIGHT)
    assert verdict_of(shell).passed


def test_a_definition_that_ran_before_the_error_counts(shell):
    shell.run_cell(f"{RIGHT}\nentropy([1, 1]) + nothing_like_this")
    assert verdict_of(shell).passed


def test_a_cell_that_defines_something_else_may_fail(shell):
    shell.run_cell(RIGHT)
    shell.run_cell("def other(:\n    pass")
    assert verdict_of(shell).passed


def test_a_value_is_watched_too(shell):
    wanted = lessons.exercise("01.7").reference()
    shell.run_cell(f"same_tree = {wanted!r}")
    shell.run_cell('same_tree = {"a"')
    verdict = verdict_of(shell, 'verdict = check("01.7", same_tree)')
    assert "`same_tree` failed" in verdict.message
    assert "01.7" not in journal.read()["checks"]  # an old answer is no attempt


HELPED = "def entropy(counts):\n    return helper(counts)"


@pytest.mark.parametrize(
    ("good", "broken"),
    [
        (RIGHT, "x = 1\n  def entropy(counts):\n    return x"),  # it does not even parse
        (f"{RIGHT.replace('entropy', 'helper')}\n{HELPED}", "def helper(:\n    pass"),
        (f"{RIGHT.replace('entropy', 'helper')}\n{HELPED}", "helper = nothing_like_this"),
    ],
)
def test_a_failed_cell_counts_however_the_answer_depends_on_it(shell, good, broken):
    shell.run_cell(good)
    assert verdict_of(shell).passed
    shell.run_cell(broken)
    assert "failed the last time" in verdict_of(shell).message


def test_a_part_of_an_answer_that_could_not_be_set_is_noticed(shell):
    shell.run_cell("same_tree = {}")
    shell.run_cell('same_tree["b"] = nothing_like_this')
    assert watch.failed >= {"same_tree"}


def test_a_verdict_does_not_lead_to_the_reference():
    verdict = check("01.1", lambda counts: 0.5)
    wrong = check("00.2", lambda before, after: np.mean(before) - np.mean(after))
    assert verdict.slip is None
    assert wrong.slip.name and wrong.slip.answer is None


def test_without_ipython_nothing_is_stale():
    assert CellWatch().stale_names("01.1") == []
