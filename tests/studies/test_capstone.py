"""Six answers about the capstone's table: what they are computed from, and in random halves."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold

from course_lib.measures import six_answers
from course_lib.measures.reports import ANSWERS
from course_lib.studies import held_out_reliance, in_random_halves, least_reliance
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


def test_the_least_reliance_of_the_best_model_alone_is_its_own_and_falls_to_zero_at_the_price():
    """2 b^2 s^2 at the fit; the price of leaving a column out is that of least squares without."""
    X, y = sample()
    fit = LinearRegression().fit(X, y)
    least = np.mean((y - fit.predict(X)) ** 2)
    without = LinearRegression().fit(X[["b", "c"]], y)
    price = np.mean((y - without.predict(X[["b", "c"]])) ** 2) / least - 1
    found = least_reliance(X, y, ["a"], [0, 0.99 * price, price, 1.01 * price])["a"]
    assert found[0] == pytest.approx(2 * fit.coef_[0] ** 2 * X["a"].var(), rel=1e-4)
    assert found[1] > 0 > found[3] and found[2] == pytest.approx(0, abs=1e-3)


def test_held_out_reliance_is_that_of_a_plain_loop_over_folds():
    X, y = sample()
    rows, total = np.arange(len(y)), np.zeros(3)
    for fitted, rest in KFold(5, shuffle=True, random_state=1).split(rows):
        model = LinearRegression().fit(X.iloc[fitted], y.iloc[fitted])
        x, left = X.iloc[rest] - X.iloc[rest].mean(), y.iloc[rest] - model.predict(X.iloc[rest])
        cross = 2 * model.coef_ * (left @ x + model.coef_ * (x**2).sum()) / (len(rest) - 1)
        total += cross.to_numpy() / 5
    np.testing.assert_allclose(held_out_reliance(X, y, n_folds=5, random_state=1), total)


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
