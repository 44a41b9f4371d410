"""Six answers about the wines: what they are computed from, and where first meets last."""

import pandas as pd

from course_lib.measures import six_answers
from course_lib.studies.wines import first_and_last, wine_report
from course_lib.worlds import load_wines


def test_every_second_wine_is_fitted_to_and_the_others_are_measured_on():
    X, y = load_wines("proline")
    expected = six_answers(X.iloc[0::2], y.iloc[0::2], X.iloc[1::2], y.iloc[1::2])
    pd.testing.assert_frame_equal(wine_report().values, expected.values)


def test_first_meets_last_where_the_places_are_1_and_8():
    ranks = wine_report().ranks
    for name in ranks.index:
        expected = sorted((ranks["Q4"][name], ranks["Q5"][name])) == [1, 8]
        assert first_and_last("Q4", "Q5", name) == first_and_last("Q5", "Q4", name) == expected
    assert first_and_last("Q4", "Q5", "flavanoids")
