"""Six answers: each equals its measure, or its closed form where there is one."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from course_lib.measures import six_answers
from course_lib.measures.reports import ANSWERS
from course_lib.questions import QUESTIONS


def sample(seed, n=40):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)) + rng.normal(size=(n, 1)), columns=list("abc"))
    return X, X["a"] - 0.5 * X["b"] + rng.normal(size=n)


def unique(X, name):
    rest = X.drop(columns=name)
    return X[name] - LinearRegression().fit(rest, X[name]).predict(rest)


@pytest.mark.parametrize("seed", range(5))
def test_at_the_fit_all_six_have_their_closed_forms(seed):
    X, y = sample(seed)
    n, model = len(y), LinearRegression().fit(X, y)
    report = six_answers(X, y, X, y, instance=3, slack=0.1)
    b, s2 = pd.Series(model.coef_, X.columns), X.var()
    s2_unique = pd.Series({name: unique(X, name).var() for name in X})
    np.testing.assert_allclose(report.values["Q1"], 2 * b**2 * s2)
    np.testing.assert_allclose(report.values["Q2"], 2 * b**2 * s2_unique)
    np.testing.assert_allclose(report.values["Q3"], b * (X.iloc[3] - X.mean()))
    np.testing.assert_allclose(report.values["Q4"], b**2 * s2_unique * (n - 1) / n)
    least = np.mean((y - model.predict(X)) ** 2)
    reach = np.sqrt(0.1 * least / (s2_unique * (n - 1) / n))  # of b_j over the good models
    ends = [2 * b * (b + sign * reach) * s2_unique for sign in (-1, 1)]
    np.testing.assert_allclose(report.values["Q6"], np.maximum(*ends))
    np.testing.assert_allclose(report.floors["Q6"], np.minimum(*ends))


@pytest.mark.parametrize("seed", range(3))
def test_the_range_of_question_5_contains_the_fit_and_random_good_models(seed):
    from course_lib.measures.rashomon.sets import LinearRashomonSet
    from course_lib.measures.reliance import model_reliance

    X, y = sample(seed)
    report = six_answers(X, y, X, y, slack=0.1)
    least = np.mean((y - LinearRegression().fit(X, y).predict(X)) ** 2)
    good = LinearRashomonSet(X, y, epsilon=0.1 * least)
    for model in [LinearRegression().fit(X, y), *good.sample(20, random_state=seed)]:
        value = model_reliance(model, X, y, as_ratio=False).importances_mean
        assert (value <= report.values["Q5"] + 1e-9).all()
        assert (value >= report.floors["Q5"] - 1e-9).all()


def test_the_contributions_lead_from_the_mean_prediction_to_the_prediction():
    X, y = sample(0)
    X_test, y_test = sample(1)
    model = LinearRegression().fit(X, y)
    moved = six_answers(X, y, X_test, y_test, instance=7).values["Q3"].sum()
    assert y.mean() + moved == pytest.approx(model.predict(X_test.iloc[[7]])[0])


def test_places_are_1_to_p_by_value_and_for_a_prediction_by_size():
    report = six_answers(*sample(0), *sample(1))
    assert all(sorted(report.ranks[key]) == [1, 2, 3] for key in ANSWERS)
    assert report.ranks["Q3"].idxmin() == report.values["Q3"].abs().idxmax()
    assert report.ranks["Q4"].idxmin() == report.values["Q4"].idxmax()
    assert (report.spread == report.ranks.max(axis=1) - report.ranks.min(axis=1)).all()


def test_each_question_has_a_measure_and_a_sentence_with_its_number():
    report = six_answers(*sample(0), *sample(1))
    assert tuple(ANSWERS) == tuple(question.key for question in QUESTIONS[:6])
    for key in ANSWERS:
        sentence = report.sentence(key, "b")
        assert f"{report.values[key]['b']:+.3f}" in sentence and " b" in sentence
    assert f"{report.floors['Q5']['b']:+.3f}" in report.sentence("Q5", "b")


def test_arrays_give_the_numbers_of_tables():
    (X, y), (X_test, y_test) = sample(0), sample(1)
    arrays = six_answers(X.to_numpy(), y.to_numpy(), X_test.to_numpy(), y_test.to_numpy())
    np.testing.assert_allclose(arrays.values, six_answers(X, y, X_test, y_test).values)
    assert arrays.values.index.tolist() == ["x0", "x1", "x2"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: six_answers(*sample(0), *sample(1), slack=0), "slack must be"),
        (lambda: six_answers(*sample(0), *sample(1), slack="5 %"), "slack must be"),
        (lambda: six_answers(*sample(0), *sample(1), instance=40), "instance must be"),
        (
            lambda: six_answers(*sample(0), sample(1)[0][["b", "a", "c"]], sample(1)[1]),
            "X_test has other columns",
        ),
        (lambda: six_answers(*sample(0), *sample(1)).sentence("Q7", "a"), "question must be"),
        (lambda: six_answers(*sample(0), *sample(1)).sentence("Q1", "z"), "feature must be"),
    ],
)
def test_bad_input_gets_a_sentence(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()
