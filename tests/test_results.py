"""The records between measures and plots: numbers, intervals, displays, refusals."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from course_lib.questions import Q1, Q3, Q4, Q5
from course_lib.results import (
    Decomposition,
    Importances,
    LocalImportances,
    RelianceRange,
    rows_given,
)


def study(values, *, names=("age", "sex"), measure="MDI", reference=0.0):
    return Importances(values, names, measure, Q4, reference)


def test_each_study_becomes_a_column_with_its_mean():
    joined = Importances.from_repeats([study([[1, 3], [0, 0]]), study([[5, 5], [1, 2]])])
    np.testing.assert_array_equal(joined.importances, [[2, 5], [0, 1.5]])
    assert (joined.feature_names, joined.measure, joined.question) == (("age", "sex"), "MDI", Q4)


def test_question_and_reference_are_kept_and_one_study_is_enough():
    ratio = Importances([[1.5]], ("age",), "reliance", Q1, reference=1.0)
    joined = Importances.from_repeats(iter([ratio]))
    assert (joined.question, joined.reference, joined.is_exact) == (Q1, 1.0, True)


@pytest.mark.parametrize("wrong", [[], [3], [study([[1], [2]]), "MDI"], None])
def test_anything_but_a_list_of_results_is_refused(wrong):
    with pytest.raises(TypeError, match="one or more Importances"):
        Importances.from_repeats(wrong)


@pytest.mark.parametrize(
    "other",
    [
        study([[1], [2]], names=("age", "job")),
        study([[1], [2]], measure="PFI"),
        study([[1], [2]], reference=1.0),
        Importances([[1], [2]], ("age", "sex"), "MDI", Q1),
    ],
)
def test_studies_of_other_features_or_measures_are_not_mixed(other):
    with pytest.raises(ValueError, match="Repeat the same measure"):
        Importances.from_repeats([study([[1], [2]]), other])


# The records themselves


REPEATS = Importances([[1.0, 3.0, 2.0], [0.0, 0.5, -0.5]], ("age", "<b>sex"), "PFI", Q1)
EXACT = Importances([[1.0], [0.0]], ("age", "sex"), "MDI", Q4)
LOCAL = LocalImportances([[1.0, 2.0], [3.0, 4.0]], 0.5, ("a", "b"), "SHAP", Q3)
PARTS = pd.DataFrame({"importance": [0.5, 0.5]}, index=["a", "b"])


def test_mean_and_spread_are_those_of_the_repeats():
    np.testing.assert_allclose(REPEATS.importances_mean, [2.0, 0.0])
    np.testing.assert_allclose(REPEATS.importances_std, REPEATS.importances.std(axis=1))


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_interval_is_students_t_over_the_repeats(level):
    for row, (low, high) in zip(REPEATS.importances, REPEATS.interval(level), strict=True):
        expected = stats.ttest_1samp(row, 0).confidence_interval(level)
        np.testing.assert_allclose((low, high), expected)


def test_the_interval_covers_the_mean_as_often_as_it_says():
    rng = np.random.default_rng(0)
    studies = rng.normal(size=(2000, 5))
    ends = Importances(studies, [f"x{k}" for k in range(2000)], "noise", Q1).interval(0.9)
    covered = int(((ends[:, 0] <= 0) & (ends[:, 1] >= 0)).sum())
    assert stats.binomtest(covered, 2000, 0.9).pvalue > 1e-4


def test_an_exact_result_is_its_own_interval():
    np.testing.assert_array_equal(EXACT.interval(), [[1, 1], [0, 0]])
    assert EXACT.is_exact and not REPEATS.is_exact


def test_the_table_has_one_named_row_per_feature():
    table = REPEATS.to_frame()
    assert list(table.index) == ["age", "<b>sex"]
    assert list(table.columns) == ["importance", "std", "low", "high"]


def test_a_result_cannot_be_changed_and_does_not_follow_its_source():
    source = np.ones((2, 1))
    result = Importances(source, ("a", "b"), "MDI", Q4)
    source[:] = 7
    assert result.importances.max() == 1
    with pytest.raises(ValueError, match="read-only"):
        result.importances[0, 0] = 7
    with pytest.raises(AttributeError):
        result.measure = "other"


@pytest.mark.parametrize("result", [REPEATS, EXACT, LOCAL, Decomposition(1, PARTS, "DI", Q1)])
def test_every_display_shows_the_measure_and_its_question(result):
    for text in (repr(result), result._repr_html_()):
        assert result.measure in text and result.question.to in text


SNEAKY = "<script>"


@pytest.mark.parametrize(
    "result",
    [
        Importances([[1.0, 2.0]], (SNEAKY,), SNEAKY, Q1),
        LocalImportances([[1.0]], 0, (SNEAKY,), SNEAKY, Q3),
        RelianceRange(1, 2, 0, 0, SNEAKY, SNEAKY, Q5),
        Decomposition(1, PARTS.rename({"a": SNEAKY}), SNEAKY, Q1),
    ],
)
def test_names_become_text_and_never_markup(result):
    html = result._repr_html_()
    assert html.count("&lt;script&gt;") == 2 and SNEAKY not in html


WORDS = {"loss": "mean squared error", "sample": "114 rows given", "repeats": "10 shuffles"}
COVERED = {**WORDS, "covers": "the shuffling"}
STATED = [
    Importances([[1.0, 2.0]], ("a",), "PFI", Q1, **COVERED),
    Decomposition(1.0, PARTS, "DI", Q1, **COVERED),
    LocalImportances([[1.0]], 0, ("a",), "SHAP", Q3, **WORDS),
    RelianceRange(1, 2, 0, 0, "a", "MCR", Q5, **WORDS),
]


@pytest.mark.parametrize("result", STATED)
def test_every_display_and_table_says_what_the_numbers_rest_on(result):
    for shown in (repr(result), result._repr_html_()):
        assert "mean squared error, 114 rows given, 10 shuffles" in shown
        assert ("the shuffling only" in shown) == bool(result.covers)
    carried = result.to_frame().attrs
    assert carried.items() >= WORDS.items()
    assert (carried["measure"], carried["question"]) == (result.measure, str(result.question))


@pytest.mark.parametrize("result", [REPEATS, LOCAL, Decomposition(1, PARTS, "DI", Q1)])
def test_a_result_made_by_hand_may_leave_its_basis_out(result):
    assert result.basis == "" and "\n\n" not in repr(result)


def test_words_of_a_basis_become_text_and_never_markup():
    sneaky = Importances([[1.0, 2.0]], ("a",), "m", Q1, **dict.fromkeys(COVERED, SNEAKY))
    assert sneaky._repr_html_().count("&lt;script&gt;") == 4


def test_a_single_repeat_has_no_interval_that_could_cover_anything():
    assert Importances([[1.0]], ("a",), "PFI", Q1, **COVERED).covers == ""


def test_the_user_says_what_the_rows_are_and_nothing_else_changes():
    told = STATED[0].measured_on("held-out rows")
    assert told.sample == "114 held-out rows" and STATED[0].sample == "114 rows given"
    assert told.importances is not None and told.to_frame().equals(STATED[0].to_frame())


@pytest.mark.parametrize("rows", [None, 3, "", " "])
def test_rows_are_described_in_words(rows):
    with pytest.raises(TypeError, match="Pass for example 'held-out rows'"):
        STATED[0].measured_on(rows)


@pytest.mark.parametrize("result", [REPEATS, STATED[0].measured_on("held-out rows")])
def test_a_sample_that_is_known_or_unsaid_is_not_told_again(result):
    with pytest.raises(ValueError, match="Leave it as it is"):
        result.measured_on("training rows")


def test_repetitions_of_a_study_keep_the_loss_and_say_what_the_interval_covers():
    joined = Importances.from_repeats([STATED[0], STATED[0].measured_on("held-out rows")])
    assert (joined.loss, joined.sample) == ("mean squared error", "")
    assert (joined.repeats, joined.covers) == (
        "2 repetitions",
        "what differs between the repetitions",
    )


def test_a_row_of_local_values_keeps_its_basis():
    assert STATED[2].row(0).basis == "mean squared error, row 0 of 114 rows given, 10 shuffles"
    assert STATED[2].mean().basis == STATED[2].basis
    assert LOCAL.row(0).basis == ""


def test_an_estimate_says_that_its_interval_is_that_of_the_mean():
    assert "95 % interval of the mean" in REPEATS._repr_html_()
    assert "95 % interval" not in EXACT._repr_html_()


def test_local_values_give_rows_and_means():
    np.testing.assert_array_equal(LOCAL.base, [0.5, 0.5])
    np.testing.assert_array_equal(LOCAL.row(1).importances_mean, [3, 4])
    np.testing.assert_array_equal(LOCAL.mean().importances_mean, [2, 3])
    assert list(LOCAL.to_frame().columns) == ["(base)", "a", "b"]


def test_errors_in_another_order_go_to_their_parts():
    errors = pd.Series(np.arange(1.0, len(PARTS) + 1), PARTS.index)
    found = Decomposition(1.0, PARTS, "DI", Q1, errors=errors[::-1])
    pd.testing.assert_series_equal(found.errors, errors)


def test_a_decomposition_knows_whether_its_parts_add_up():
    assert Decomposition(1.0, PARTS, "DI", Q1).additive
    assert not Decomposition(0.9, PARTS, "DI", Q1).additive
    table = Decomposition(1.0, PARTS, "DI", Q1, errors=0.1 + 0 * PARTS["importance"]).to_frame()
    assert table.loc["(total)", "importance"] == 1 and table.loc["a", "standard_error"] == 0.1


def test_a_decomposition_does_not_follow_its_source():
    parts = PARTS.copy()
    found = Decomposition(1.0, parts, "DI", Q1)
    parts.loc["a", "importance"] = 9.0
    assert found.additive and found.parts.loc["a", "importance"] == 0.5


def test_a_feature_may_be_called_as_a_column_or_row_of_the_tables():
    base = LocalImportances([[1.0]], 0.5, ["(base)"], "SHAP", Q3).to_frame()
    assert base.to_numpy().tolist() == [[0.5, 1.0]]
    total = Decomposition(3.0, PARTS.rename({"a": "(total)"}), "DI", Q1).to_frame()
    assert total["importance"].tolist() == [0.5, 0.5, 3.0]


def test_a_range_shows_both_ends():
    found = RelianceRange(1.0, 2.5, "low", "high", "age", "MCR", Q5)
    assert "[1, 2.5]" in found._repr_html_()
    assert found.to_frame().loc["age"].tolist() == [1.0, 2.5]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Importances([[1.0]], ("a", "b"), "m", Q1), ValueError, "one row per feature"),
        (lambda: Importances([1.0], ("a",), "m", Q1), ValueError, "2 dimensions"),
        (lambda: Importances([[]], ("a",), "m", Q1), ValueError, "at least one value"),
        (lambda: Importances([["x"]], ("a",), "m", Q1), TypeError, "array of finite numbers"),
        (lambda: Importances([[np.nan]], ("a",), "m", Q1), ValueError, "finite numbers"),
        (lambda: Importances([[1.0]], ("a",), "m", "Q1"), ValueError, "course_lib.questions"),
        (lambda: EXACT.interval(1.5), ValueError, "between 0 and 1"),
        (lambda: EXACT.interval("a"), TypeError, "level must be a number"),
        (lambda: LocalImportances([[1.0]], 0, ("a", "b"), "m", Q3), ValueError, "one column"),
        (lambda: Importances([[1.0]], None, "m", Q1), TypeError, "one per feature"),
        (lambda: Importances([[1.0], [2.0]], "ab", "m", Q1), TypeError, "one per feature"),
        (lambda: Importances([[1.0]], ("a",), "m", Q1, np.nan), ValueError, "reference must be"),
        (lambda: LocalImportances([[1.0]], [1, 2], ["a"], "m", Q3), ValueError, "each of the 1 r"),
        (lambda: LOCAL.row(2), ValueError, "positions 0 to 1"),
        (lambda: LOCAL.row("a"), TypeError, "by its position"),
        (lambda: RelianceRange(2, 1, 0, 0, "a", "m", Q5), ValueError, "must not exceed"),
        (lambda: RelianceRange(1, np.nan, 0, 0, "a", "m", Q5), ValueError, "high must be a fin"),
        (lambda: RelianceRange(None, 1, 0, 0, "a", "m", Q5), TypeError, "low must be a number"),
        (lambda: Decomposition(np.nan, PARTS, "m", Q1), ValueError, "total must be a finite"),
        (lambda: Decomposition(1, PARTS * np.nan, "m", Q1), ValueError, "one finite importance"),
        (
            lambda: Decomposition(1, PARTS, "m", Q1, errors=pd.Series([0.1, 0.1])),
            ValueError,
            "the rows of parts, a, b, got 0, 1",
        ),
        (lambda: RelianceRange(1, 2, 0, 0, "a", "m", None), ValueError, "choose one"),
        (lambda: Decomposition(1, [1], "m", Q1), TypeError, "column 'importance'"),
    ],
)
def test_bad_input_gets_a_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_weighted_sample_stays_weighted_when_more_is_said_of_its_rows():
    result = Importances([[1.0]], ["x"], "m", Q1, sample=rows_given(3, weights=[1, 2, 1]))
    assert result.measured_on("held-out rows").sample == "3 held-out rows, weighted"
