"""Columns that have numbers for names: no number is silently taken for a position."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from course_lib.measures import (
    LinearRashomonSet,
    associative_importance,
    associative_importance_via,
    conditional_model_reliance,
    conditional_permutation_importance,
    decompose_associative,
    decompose_direct,
    decompose_sage,
    direct_importance,
    direct_importance_from,
    permutation_importance,
    permutation_null,
    sage,
)
from course_lib.models import OnColumns
from course_lib.studies import importance_card
from course_lib.worlds import Categorical, ForestSampler, GaussianSampler

RNG = np.random.default_rng(0)
VALUES = RNG.normal(size=(60, 3))
NUMBERED = pd.DataFrame(VALUES, columns=[2, 0, 1])
LETTERED = pd.DataFrame(VALUES, columns=["c", "a", "b"])
Y = 3 * NUMBERED[1] + RNG.normal(size=60)
FEW = {"n_repeats": 2, "random_state": 0}


def fitted(X):
    return LinearRegression().fit(X, Y)


ONE = {
    "direct": lambda X, j: direct_importance(fitted(X), X, Y, j, **FEW),
    "associative": lambda X, j: associative_importance(fitted(X), X, Y, j, **FEW),
    "from": lambda X, j: direct_importance_from(fitted(X), X, Y, j, j, **FEW),
    "via": lambda X, j: associative_importance_via(fitted(X), X, Y, j, j, **FEW),
    "null": lambda X, j: permutation_null(LinearRegression(), X, Y, j, **FEW),
    "reliance": lambda X, j: conditional_model_reliance(fitted(X), X, Y, features=[j]),
}
PARTS = {
    "direct": lambda X, j: decompose_direct(fitted(X), X, Y, j, **FEW),
    "associative": lambda X, j: decompose_associative(fitted(X), X, Y, j, **FEW),
    "sage": lambda X, j: decompose_sage(fitted(X), X, Y, j, n_orders=2, random_state=0),
}
ALL = {
    "permutation": lambda X: permutation_importance(fitted(X), X, Y, **FEW),
    "conditional": lambda X: conditional_permutation_importance(fitted(X), X, Y, **FEW),
    "by forests": lambda X: conditional_permutation_importance(
        fitted(X), X, Y, sampler=ForestSampler(), **FEW
    ),
    "sage": lambda X: sage(fitted(X), X, Y, n_orders=2, random_state=0),
    "conditional sage": lambda X: sage(
        fitted(X), X, Y, sampler=GaussianSampler(), n_orders=2, random_state=0
    ),
}
READING_ONE = {
    "good models": lambda j: LinearRashomonSet(NUMBERED, Y, epsilon=0.1).model_class_reliance(j),
    "a law": lambda j: Categorical(NUMBERED.round(), Y.round()).mutual_information([j]),
    "a sampler": lambda j: GaussianSampler().fit(NUMBERED).sample(NUMBERED, j, "2"),
    "a model": lambda j: OnColumns(LinearRegression().fit(VALUES[:, [2]], Y), j).predict(NUMBERED),
}


@pytest.mark.parametrize("measure", ALL.values(), ids=ALL)
def test_all_columns_are_measured_whatever_they_are_called(measure):
    expected = measure(LETTERED)
    result = measure(NUMBERED)
    assert result.feature_names == ("2", "0", "1")
    np.testing.assert_array_equal(result.importances, expected.importances)


@pytest.mark.parametrize("measure", ONE.values(), ids=ONE)
def test_one_column_is_measured_by_its_name_and_an_ambiguous_number_refused(measure):
    np.testing.assert_array_equal(
        measure(NUMBERED, "1").importances, measure(LETTERED, "b").importances
    )
    with pytest.raises(ValueError, match="1 is the name of one column and the position of another"):
        measure(NUMBERED, 1)
    in_order = NUMBERED.set_axis(range(3), axis=1)
    np.testing.assert_array_equal(
        measure(in_order, 2).importances, measure(LETTERED, "b").importances
    )


@pytest.mark.parametrize("measure", PARTS.values(), ids=PARTS)
def test_one_column_is_split_by_its_name_and_an_ambiguous_number_refused(measure):
    np.testing.assert_array_equal(measure(NUMBERED, "1").parts, measure(LETTERED, "b").parts)
    with pytest.raises(ValueError, match="1 is the name of one column and the position of another"):
        measure(NUMBERED, 1)


@pytest.mark.parametrize("read", READING_ONE.values(), ids=READING_ONE)
def test_whatever_looks_a_column_up_refuses_an_ambiguous_number(read):
    read("1")
    with pytest.raises(ValueError, match="1 is the name of one column and the position of another"):
        read(1)


def test_the_card_takes_columns_that_are_called_by_numbers():
    options = {"n_halves": 0, "n_repeats": 2, "random_state": 0}
    card = importance_card(LinearRegression(), NUMBERED, Y, **options).to_frame()
    same = importance_card(LinearRegression(), LETTERED, Y, **options).to_frame()
    assert card.shape == same.shape
