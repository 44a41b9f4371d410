"""Losses against scikit-learn's, and which one a model gets by default."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC

from course_lib.models import absolute_error, cross_entropy, squared_error, zero_one
from course_lib.models.losses import checked_rows, default_loss, prediction_loss, row_loss

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))
Y = X @ [1.0, -1.0, 0.0] + rng.normal(size=40)
LABELS = np.where(Y > 0.5, "high", np.where(Y < -0.5, "low", "mid"))


def test_losses_are_those_of_scikit_learn_row_by_row():
    p = X[:, 0]
    assert squared_error(Y, p).mean() == pytest.approx(metrics.mean_squared_error(Y, p))
    assert absolute_error(Y, p).mean() == pytest.approx(metrics.mean_absolute_error(Y, p))
    guess = np.roll(LABELS, 1)
    assert zero_one(LABELS, guess).mean() == pytest.approx(metrics.zero_one_loss(LABELS, guess))
    proba = rng.dirichlet(np.ones(3), size=40)
    expected = metrics.log_loss(LABELS, proba, labels=["high", "low", "mid"])
    assert cross_entropy(LABELS, proba).mean() == pytest.approx(expected)


def test_cross_entropy_finds_the_column_of_a_class_in_any_order():
    proba = np.array([[0.2, 0.8]])
    assert cross_entropy(["b"], proba, classes=["b", "a"])[0] == pytest.approx(-np.log(0.2))
    assert cross_entropy(["b"], proba, classes=["a", "b"])[0] == pytest.approx(-np.log(0.8))


def test_a_certain_error_costs_what_the_smallest_step_costs():
    loss = cross_entropy([1], [[1.0, 0.0]], classes=[0, 1])[0]
    assert loss == pytest.approx(-np.log(np.finfo(float).eps))


def test_the_default_depends_on_what_the_model_can_say():
    assert default_loss(LinearRegression()) is squared_error
    assert default_loss(LogisticRegression()) is cross_entropy
    assert default_loss(LinearSVC()) is zero_one

    class Anything:
        def predict(self, X):
            return X[:, 0]

    assert default_loss(Anything()) is squared_error


def test_a_loss_of_ones_own_gets_the_answer_it_declares():
    def brier(y, proba):
        return (proba[:, 1] - (y == "yes")) ** 2

    brier.response_method = "predict_proba"
    y = np.where(Y > 0, "yes", "no")
    model = LogisticRegression().fit(X, y)
    expected = (model.predict_proba(X)[:, 1] - (y == "yes")) ** 2
    np.testing.assert_allclose(row_loss(model, X, brier)(X, y), expected)
    np.testing.assert_array_equal(row_loss(model, X, zero_one)(X, y), model.predict(X) != y)


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame])
def test_string_classes_and_frames_work(make):
    table = make(X)
    model = RandomForestClassifier(5, random_state=0).fit(table, LABELS)
    losses = row_loss(model, table)(X, LABELS)
    expected = metrics.log_loss(LABELS, model.predict_proba(table), labels=model.classes_)
    assert losses.mean() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: cross_entropy([0, 1], [[0.5], [0.5]]), ValueError, "one probability per row"),
        (
            lambda: cross_entropy([2], [[0.5, 0.5]], classes=[0, 1]),
            ValueError,
            "which the model has never seen",
        ),
        *(
            (lambda y=y: squared_error(y, [1.0, 2.0]), TypeError, "difference of numbers")
            for y in (
                ["1", "2"],
                np.array([1.0, "2"], dtype=object),
                np.array([b"1", b"2"]),
                np.array(["2020", "2021"], dtype="M8[Y]"),
                [1j, 2.0],
            )
        ),
        (lambda: cross_entropy([0], [[-0.7, -0.7]], [0, 1]), ValueError, "between 0 and 1"),
        (lambda: cross_entropy([0], [[70, 30]], [0, 1]), ValueError, "between 0 and 1"),
        (lambda: zero_one(["0", "1"], [0, 1]), TypeError, "Text never equals a number"),
        (lambda: zero_one([True], np.array(["True"], object)), TypeError, "Text never equals"),
        (lambda: checked_rows(lambda y, p: 0.0, Y, Y), ValueError, "one value per row"),
        (lambda: checked_rows(lambda y, p: y.astype(str), Y, Y), TypeError, "one number per row"),
        (lambda: checked_rows(lambda y, p: y * 1j, Y, Y), TypeError, "one number per row"),
        (lambda: checked_rows(lambda y, p: y * np.nan, Y, Y), ValueError, "NaN or infinite"),
        (
            lambda: row_loss(LinearRegression().fit(X, Y), X, "squared"),
            TypeError,
            "must be a function",
        ),
    ],
)
def test_bad_input_gets_a_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_loss_names_one_method():
    def loss(y, prediction):
        return y

    loss.response_method = ["predict_proba", "decision_function"]
    with pytest.raises(TypeError, match="response_method of a loss must be the name"):
        prediction_loss(LinearRegression(), loss)


def test_a_loss_that_works_in_place_changes_nothing():
    def in_place(y, prediction):
        prediction -= y
        y *= 0
        return prediction

    y, prediction = np.ones(2), np.full(2, 3.0)
    assert checked_rows(in_place, y, prediction).tolist() == [2.0, 2.0]
    assert (y.tolist(), prediction.tolist()) == ([1.0, 1.0], [3.0, 3.0])
