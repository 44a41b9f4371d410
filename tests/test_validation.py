"""Every refusal says what was given and what to do; what is accepted comes out unharmed."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from course_lib import validation as v

X = np.arange(6.0).reshape(3, 2)
FRAME = pd.DataFrame(X, columns=["age", "income"])
FITTED = LinearRegression().fit(X, [0.0, 1.0, 3.0])


@pytest.mark.parametrize("given", [X, X.tolist(), FRAME, X.astype(int), X.astype(np.float32)])
def test_tables_of_numbers_become_float_arrays(given):
    values = v.check_X(given)
    assert values.dtype == float
    np.testing.assert_array_equal(values, X)


def test_the_callers_table_never_changes():
    for given in (X.copy(), FRAME.copy()):
        values = v.check_X(given)
        values[:] = -1
        np.testing.assert_array_equal(np.asarray(given), X)


def test_categories_pass_where_no_numbers_are_needed():
    table = pd.DataFrame({"a": ["x", "y"], "b": [1, 2]})
    assert v.check_X(table, numeric=False).tolist() == [["x", 1], ["y", 2]]


def test_names_are_those_of_the_frame_or_numbered():
    assert v.column_names(FRAME) == ("age", "income")
    assert v.column_names(X) == ("x0", "x1")


@pytest.mark.parametrize(("feature", "place"), [("income", 1), (0, 0), (np.int64(1), 1)])
def test_a_feature_is_found_by_name_or_position(feature, place):
    assert v.feature_index(feature, FRAME.columns) == place


@pytest.mark.parametrize(
    ("names", "feature", "place"),
    [
        (["0", "1", "2"], 1, 1),  # both readings agree
        (["1990", "1991"], 1991, 1),  # only a name
        (["1990", "1991"], 1, 1),  # only a position
        (["2", "0", "1"], "1", 2),
        (["2", "0", "1"], v.Position(1), 1),
    ],
)
def test_a_number_that_can_only_mean_one_column_is_taken(names, feature, place):
    assert v.feature_index(feature, names) == place


def test_a_number_that_is_the_name_of_one_column_and_the_position_of_another_is_refused():
    with pytest.raises(ValueError, match="position of another, which is called '0'.*Write '1' for"):
        v.feature_index(1, ["2", "0", "1"])
    with pytest.raises(ValueError, match="Write '1' for"):
        v.feature_indices(["4", 1], ["2", "3", "1", "4"])


def test_several_features_keep_their_order_without_repeats():
    assert v.feature_indices(["income", 0, 1], FRAME.columns) == (1, 0)
    assert v.feature_indices("age", FRAME.columns) == (0,)
    assert v.feature_indices([], FRAME.columns) == ()


def test_the_same_int_gives_the_same_generator_and_a_generator_is_itself():
    first, second = (v.check_random_state(3).random() for _ in range(2))
    assert first == second
    generator = np.random.default_rng(0)
    assert v.check_random_state(generator) is generator


def test_numpys_global_state_is_left_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    v.check_random_state(None).random()
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


MIXED = pd.DataFrame(
    {"size": [1.0, 2.0], "town": ["Rome", "3"], "gaps": [np.nan, 1.0], "since": [{}, {}]}
)


NULLABLE = pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [True, False]})


@pytest.mark.parametrize("X", [NULLABLE, NULLABLE.to_numpy()])
def test_a_missing_number_of_any_kind_is_nan(X):
    found = v.check_X(X, allow_nan=True)
    np.testing.assert_array_equal(found, [[1.0, 1.0], [np.nan, 0.0]])
    with pytest.raises(ValueError, match="1 value that is NaN"):
        v.check_X(X)


class Unfit:
    def fit(self, X, y):
        return self


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: v.check_X(None), TypeError, "two-dimensional array, got NoneType"),
        (lambda: v.check_X("table"), TypeError, "got str"),
        (lambda: v.check_X([1, 2]), ValueError, "two dimensions"),
        (lambda: v.check_X(MIXED), TypeError, r"not \(dtype object, in town, since\). Encode"),
        (lambda: v.check_X(MIXED.to_numpy()), TypeError, r"\(dtype object, in x1, x3\)"),
        (lambda: v.check_X(MIXED[["gaps", "size"]]), ValueError, r"is NaN or infinite \(gaps\);"),
        (lambda: v.check_X([[1, 2], [3]]), ValueError, "same length"),
        (lambda: v.check_X(np.empty((0, 2))), ValueError, "at least 1 row"),
        (lambda: v.check_X(X[:1], min_rows=2), ValueError, "at least 2 rows"),
        (lambda: v.check_X([["a"]]), TypeError, "must hold numbers"),
        (lambda: v.check_X(np.ma.masked_less(X, 1)), TypeError, r"masked .*filled\(np.nan\)"),
        (lambda: v.check_X([[1j]]), TypeError, "complex"),
        (lambda: v.check_X([[np.nan]]), ValueError, "NaN or infinite"),
        (
            lambda: v.check_X([[np.inf]], allow_nan=True),
            ValueError,
            r"1 value that is infinite \(x0\); .* or NaN",
        ),
        (lambda: v.check_X([[None]], numeric=False), ValueError, "missing values"),
        (lambda: v.column_names(pd.DataFrame(X, columns=["a", "a"])), ValueError, "two columns"),
        (lambda: v.check_y(None), TypeError, "one target per row"),
        (lambda: v.check_y([[1, 2], [3, 4]]), ValueError, "one dimension"),
        (lambda: v.check_y([1, 2], 3), ValueError, "X has 3 rows and y has 2"),
        (lambda: v.check_y([1.0, np.nan]), ValueError, "finite"),
        (lambda: v.check_y(["a", None]), ValueError, "missing values"),
        (lambda: v.check_y(["a"], numeric=True), TypeError, "must hold numbers"),
        (lambda: v.feature_index("incom", FRAME.columns), ValueError, "Did you mean 'income'"),
        (lambda: v.feature_index(2, FRAME.columns), ValueError, "positions 0 to 1"),
        (lambda: v.feature_index(-1, FRAME.columns), ValueError, "positions 0 to 1"),
        (lambda: v.feature_index(1.0, FRAME.columns), TypeError, "name or its position"),
        (lambda: v.feature_index(True, FRAME.columns), TypeError, "name or its position"),
        (lambda: v.check_count(0, "n_repeats"), ValueError, "n_repeats must be a whole number"),
        (lambda: v.check_count(1.5, "n_repeats"), TypeError, "whole number"),
        (lambda: v.check_count(True, "n_repeats"), TypeError, "whole number"),
        (lambda: v.check_count(9, "K", maximum=7), ValueError, "from 1 to 7"),
        (lambda: v.check_number("a", "epsilon"), TypeError, "must be a number"),
        (lambda: v.check_number(-1, "epsilon", minimum=0), ValueError, "at least 0"),
        (lambda: v.check_number(0, "gamma", minimum=0, strict=True), ValueError, "above 0"),
        (lambda: v.check_number(np.nan, "epsilon"), ValueError, "finite"),
        (lambda: v.check_option("c", "how", ("a", "b")), ValueError, "'a' or 'b'"),
        (lambda: v.check_flag(1, "as_ratio"), TypeError, "as_ratio"),
        (lambda: v.check_random_state("0"), TypeError, "int, a numpy Generator or None"),
        (lambda: v.check_random_state(-1), ValueError, "negative"),
        (lambda: v.check_random_state(np.random.RandomState(0)), TypeError, "numpy Generator"),
        (lambda: v.check_fitted(LinearRegression), TypeError, "the class LinearRegression"),
        (lambda: v.check_fitted(LinearRegression()), ValueError, "has not been fitted"),
        (lambda: v.check_fitted(Unfit()), TypeError, "with `predict`"),
    ],
)
def test_bad_input_gets_a_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call()
