"""Six answers about the capstone's table: what they are computed from, and in random halves."""

import numpy as np
import pandas as pd
import pytest

from course_lib.measures import six_answers
from course_lib.measures.reports import ANSWERS
from course_lib.studies import in_random_halves
from course_lib.studies.capstone import INSTANCE, capstone_report, first_and_below_the_middle
from course_lib.worlds.tables import PATIENTS


def sample(n=60):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    return X, X["a"] + rng.normal(size=n)


def test_the_report_is_about_all_rows_of_the_table():
    expected = six_answers(*PATIENTS.load(), instance=INSTANCE, random_state=0)
    pd.testing.assert_frame_equal(capstone_report().values, expected.values)


def test_first_and_below_the_middle_is_read_off_the_places():
    ranks = capstone_report().ranks
    for name in ranks.index:
        places = sorted((ranks["Q4"][name], ranks["Q5 at most"][name]))
        expected = places[0] == 1 and places[1] > len(ranks) / 2
        assert first_and_below_the_middle("Q4", "Q5 at most", name) == expected
        assert first_and_below_the_middle("Q5 at most", "Q4", name) == expected


def test_each_half_has_a_row_for_each_feature_and_another_draw():
    X, y = sample()
    halves = in_random_halves(X, y, 3, random_state=0)
    assert halves.index.names == ["half", "feature"] and halves.shape == (9, len(ANSWERS) - 1)
    assert halves["Q1"].xs("a", level="feature").nunique() == 3
    again = in_random_halves(X, y, 3, random_state=0)
    pd.testing.assert_frame_equal(halves, again)


def test_a_half_holds_half_of_the_rows_once_each(monkeypatch):
    X, y = sample(40)
    seen = []

    def remember(rows, target, **options):
        seen.append(rows.index)
        return six_answers(rows, target, **options)

    monkeypatch.setattr("course_lib.studies.capstone.six_answers", remember)
    in_random_halves(X, y, 2, random_state=1, n_folds=5)
    assert all(len(rows) == 20 == len(set(rows)) for rows in seen)


def test_no_halves_are_refused():
    with pytest.raises(ValueError, match="n_halves must be"):
        in_random_halves(*sample(), 0)
