"""Six answers: each equals its measure, or its closed form where there is one."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from course_lib.measures import algorithm_reliance, six_answers
from course_lib.measures.rashomon.sets import KernelRashomonSet, LinearRashomonSet
from course_lib.measures.reliance import model_reliance
from course_lib.measures.reports import ANSWERS, AT_LEAST, AT_MOST, cross_fitted_reliance
from course_lib.questions import QUESTIONS


def sample(seed, n=40):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)) + rng.normal(size=(n, 1)), columns=list("abc"))
    return X, X["a"] - 0.5 * X["b"] + rng.normal(size=n)


def unique(X, name):
    rest = X.drop(columns=name)
    return X[name] - LinearRegression().fit(rest, X[name]).predict(rest)


@pytest.mark.parametrize("seed", range(5))
def test_all_but_the_fourth_and_fifth_have_their_closed_forms(seed):
    X, y = sample(seed)
    n, model = len(y), LinearRegression().fit(X, y)
    values = six_answers(X, y, instance=3, slack=0.1).values
    b, s2 = pd.Series(model.coef_, X.columns), X.var()
    s2_unique = pd.Series({name: unique(X, name).var() for name in X})
    np.testing.assert_allclose(values["Q1"], 2 * b**2 * s2)
    np.testing.assert_allclose(values["Q2"], 2 * b**2 * s2_unique)
    np.testing.assert_allclose(values["Q3"], b * (X.iloc[3] - X.mean()))
    least = np.mean((y - model.predict(X)) ** 2)
    a = b.abs() * np.sqrt(s2_unique)
    np.testing.assert_allclose(values["Q6"], 2 * a * (a + np.sqrt(0.1 * least * n / (n - 1))))


@pytest.mark.parametrize("seed", range(3))
def test_the_fourth_with_a_fold_for_each_row_is_leave_one_out(seed):
    X, y = sample(seed, n=25)

    def error(columns):
        predicted = cross_val_predict(LinearRegression(), X[columns], y, cv=LeaveOneOut())
        return np.mean((y - predicted) ** 2)

    expected = [error([c for c in X if c != name]) - error(list(X)) for name in X]
    found = six_answers(X, y, n_folds=len(y)).values["Q4"]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_the_fourth_is_algorithm_reliance_fold_by_fold():
    X, y = sample(4, n=31)
    values, target = X.to_numpy(), y.to_numpy()
    found = cross_fitted_reliance(values, target, 4, random_state=7)
    total = np.zeros(3)
    for fold in np.array_split(np.random.default_rng(7).permutation(31), 4):
        rest = np.setdiff1d(np.arange(31), fold)
        test = {"X_test": values[fold], "y_test": target[fold], "as_ratio": False}
        each = algorithm_reliance(LinearRegression(), values[rest], target[rest], **test)
        total += each.importances_mean * len(fold) / 31
    np.testing.assert_allclose(found, total, rtol=1e-9)


def test_a_single_column_is_compared_with_the_mean():
    X, y = sample(0)
    found = cross_fitted_reliance(X[["a"]].to_numpy(), y.to_numpy(), len(y))[0]
    left_out_mean = (y.sum() - y) / (len(y) - 1)
    predicted = cross_val_predict(LinearRegression(), X[["a"]], y, cv=LeaveOneOut())
    expected = np.mean((y - left_out_mean) ** 2) - np.mean((y - predicted) ** 2)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(3))
def test_the_range_of_question_5_contains_the_fit_and_random_good_models(seed):
    X, y = sample(seed)
    values = six_answers(X, y, slack=0.1).values
    least = np.mean((y - LinearRegression().fit(X, y).predict(X)) ** 2)
    good = LinearRashomonSet(X, y, epsilon=0.1 * least)
    for model in [LinearRegression().fit(X, y), *good.sample(20, random_state=seed)]:
        value = model_reliance(model, X, y, as_ratio=False).importances_mean
        assert (value <= values[AT_MOST] + 1e-9).all()
        assert (value >= values[AT_LEAST] - 1e-9).all()


def test_the_contributions_lead_from_the_mean_prediction_to_the_prediction():
    X, y = sample(0)
    moved = six_answers(X, y, instance=7).values["Q3"].sum()
    predicted = LinearRegression().fit(X, y).predict(X.iloc[[7]])[0]
    assert y.mean() + moved == pytest.approx(predicted)


def test_places_are_by_value_but_for_a_prediction_by_size():
    report = six_answers(*sample(0), random_state=0)
    exact = [key for key in ANSWERS if key != AT_LEAST]
    assert all(sorted(report.ranks[key]) == [1, 2, 3] for key in exact)
    assert report.ranks["Q3"].idxmin() == report.values["Q3"].abs().idxmax()
    assert report.ranks["Q4"].idxmin() == report.values["Q4"].idxmax()


@pytest.mark.parametrize("seed", range(5))
def test_what_some_good_model_does_without_shares_the_last_place(seed):
    report = six_answers(*sample(seed), slack=0.3, random_state=0)
    dispensable = report.values[AT_LEAST] <= 0
    assert dispensable.any()
    assert (report.ranks[AT_LEAST][dispensable] == 3).all()
    assert (report.ranks[AT_LEAST][~dispensable] < 3).all()


def test_each_question_has_an_answer_and_a_sentence_with_its_number():
    report = six_answers(*sample(0), random_state=0)
    assert {key.split()[0] for key in ANSWERS} == {question.key for question in QUESTIONS[:6]}
    for key in ANSWERS:
        sentence = report.sentence(key, "b")
        digits = 4 if key == "Q6" else 3
        assert f"{report.values[key]['b']:.{digits}f}" in sentence and " b" in sentence


def test_the_same_seed_gives_the_same_folds_and_only_the_fourth_depends_on_them():
    X, y = sample(0)
    one, same, other = (six_answers(X, y, random_state=seed).values for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(one, same)
    pd.testing.assert_frame_equal(one.drop(columns="Q4"), other.drop(columns="Q4"))
    assert (one["Q4"] != other["Q4"]).all()


def test_arrays_give_the_numbers_of_tables():
    X, y = sample(0)
    arrays = six_answers(X.to_numpy(), y.to_numpy(), random_state=0)
    np.testing.assert_allclose(arrays.values, six_answers(X, y, random_state=0).values)
    assert arrays.values.index.tolist() == ["x0", "x1", "x2"]


@pytest.mark.parametrize("n_columns", [1, 5, 12])
def test_any_number_of_columns_will_do(n_columns):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, n_columns))
    report = six_answers(X, X[:, 0] + rng.normal(size=60), random_state=0)
    assert report.ranks.shape == (n_columns, len(ANSWERS))
    assert (report.ranks.iloc[0] == 1).all() or n_columns > 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: six_answers(*sample(0), slack=0), "slack must be"),
        (lambda: six_answers(*sample(0), slack="5 %"), "slack must be"),
        (lambda: six_answers(*sample(0), instance=40), "instance must be"),
        (lambda: six_answers(*sample(0), n_folds=1), "n_folds must be"),
        (lambda: six_answers(*sample(0), n_folds=41), "n_folds must be"),
        (lambda: six_answers(*sample(0)).sentence("Q7", "a"), "answer must be"),
        (lambda: six_answers(*sample(0)).sentence("Q1", "z"), "feature must be"),
    ],
)
def test_bad_input_gets_a_sentence(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


@pytest.mark.parametrize(
    "asked",
    [
        six_answers,
        lambda X, y: LinearRashomonSet(X, y, epsilon=0.1),
        lambda X, y: KernelRashomonSet(X, y, epsilon=0.1, gamma=0.5, alpha=0.1),
    ],
)
def test_a_column_that_holds_no_numbers_is_named(asked):
    X, y = sample(0)
    with pytest.raises(TypeError, match=r"X must hold numbers, got .*in town.*OrdinalEncoder"):
        asked(X.assign(town="Rome"), y)
    with pytest.raises(ValueError, match=r"NaN or infinite \(b\); "):
        asked(X.assign(b=X["b"].where(X["b"] > 0)), y)
