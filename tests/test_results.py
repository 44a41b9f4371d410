"""Results of repeated studies as one result (mirrors results.py)."""

import numpy as np
import pytest

from course_lib.questions import Q1, Q4
from course_lib.results import Importances


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


@pytest.mark.parametrize("wrong", [[], [3], [study([[1], [2]]), "MDI"]])
def test_anything_but_a_list_of_results_is_refused(wrong):
    with pytest.raises(TypeError, match="one or more Importances"):
        Importances.from_repeats(wrong)


@pytest.mark.parametrize(
    "other", [study([[1], [2]], names=("age", "job")), study([[1], [2]], measure="PFI")]
)
def test_studies_of_other_features_or_measures_are_not_mixed(other):
    with pytest.raises(ValueError, match="Repeat the same measure"):
        Importances.from_repeats([study([[1], [2]]), other])
