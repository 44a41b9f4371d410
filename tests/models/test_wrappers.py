"""A model that reads only some variables, against the model itself on those variables."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC

from course_lib.models import OnColumns, cross_entropy, squared_error, zero_one
from course_lib.models.losses import default_loss, row_loss
from course_lib.validation import check_fitted


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 4)), columns=["a", "b", "c", "d"])
    return X, X["d"] - 2 * X["b"] + rng.normal(size=40)


@pytest.mark.parametrize("columns", [["d", "b"], [3, 1], ("d", 1), np.array([3, 1])])
def test_a_named_model_predicts_from_its_columns_of_a_named_table(table, columns):
    X, y = table
    model = LinearRegression().fit(X[["d", "b"]], y)
    expected = model.predict(X[["d", "b"]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(OnColumns(model, columns).predict(X), expected)


def test_positions_work_on_arrays_whatever_the_model_was_fitted_with(table):
    X, y = table
    for fitted_to in (X[["d", "b"]], X[["d", "b"]].to_numpy()):
        model = LinearRegression().fit(fitted_to, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            predicted = OnColumns(model, [3, 1]).predict(X.to_numpy())
            np.testing.assert_allclose(OnColumns(model, [3, 1]).predict(X), predicted)
        np.testing.assert_allclose(predicted, model.predict(fitted_to))


def test_other_columns_may_change_without_any_change_of_the_predictions(table):
    X, y = table
    model = OnColumns(LinearRegression().fit(X[["b"]], y), "b")
    changed = X.assign(a=0.0, c=9.0, d=-X["d"])
    np.testing.assert_array_equal(model.predict(X), model.predict(changed))


def test_a_classifier_stays_one_with_its_classes_and_probabilities(table):
    X, y = table
    labels = np.where(y > 0, "high", "low")
    inner = RandomForestClassifier(5, random_state=0).fit(X[["d"]], labels)
    model = OnColumns(inner, ["d"])

    assert is_classifier(model) and not is_regressor(model)
    assert list(model.classes_) == ["high", "low"]
    np.testing.assert_array_equal(model.predict(X), inner.predict(X[["d"]]))
    np.testing.assert_array_equal(model.predict_proba(X), inner.predict_proba(X[["d"]]))
    assert default_loss(model) is cross_entropy
    np.testing.assert_allclose(
        row_loss(model, X)(X.to_numpy(), labels),
        cross_entropy(labels, inner.predict_proba(X[["d"]]), inner.classes_),
    )


def test_what_the_model_cannot_do_is_not_offered(table):
    X, y = table
    regressor = OnColumns(LinearRegression().fit(X[["a"]], y), "a")
    assert not hasattr(regressor, "predict_proba") and not hasattr(regressor, "classes_")
    assert default_loss(regressor) is squared_error
    classifier = OnColumns(LinearSVC().fit(X[["a"]], y > 0), "a")
    assert not hasattr(classifier, "predict_proba")
    assert classifier.decision_function(X).shape == (40,)
    assert default_loss(classifier) is zero_one


def test_any_object_with_predict_will_do():
    class Sum:
        def predict(self, X):
            return np.asarray(X).sum(axis=1)

    class Always(Sum):
        classes_ = np.array([0, 1])

        def predict_proba(self, X):
            return np.tile([0.5, 0.5], (len(X), 1))

    X = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(OnColumns(Sum(), [0, 2]).predict(X), [2.0, 8.0])
    assert default_loss(OnColumns(Sum(), [0])) is squared_error
    assert default_loss(OnColumns(Always(), [0])) is cross_entropy


def test_it_passes_as_a_fitted_estimator_in_scikit_learn(table):
    X, y = table
    model = OnColumns(LinearRegression().fit(X[["d", "b"]], y), ["d", "b"])
    check_fitted(model)
    result = permutation_importance(
        model, X, y, scoring="neg_mean_squared_error", n_repeats=3, random_state=0
    )
    assert np.all(result.importances_mean[[0, 2]] == 0)
    assert np.all(result.importances_mean[[1, 3]] > 0)


def test_a_clone_can_be_fitted_again_and_leaves_the_first_alone(table):
    X, y = table
    model = OnColumns(LinearRegression().fit(X[["d"]], y), ["d"])
    before = model.predict(X)
    again = clone(model).fit(X, -y)
    np.testing.assert_allclose(again.predict(X), -before)
    np.testing.assert_array_equal(model.predict(X), before)


def test_the_table_is_not_modified(table):
    X, y = table
    copy = X.copy()
    OnColumns(LinearRegression().fit(X[["d"]], y), ["d"]).predict(X)
    pd.testing.assert_frame_equal(X, copy)


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda X, y: OnColumns(LinearRegression, ["a"]), TypeError, "got the class"),
        (lambda X, y: OnColumns("model", ["a"]), TypeError, "fitted model"),
        (lambda X, y: OnColumns(LinearRegression().fit(X, y), []), ValueError, "empty"),
        (lambda X, y: OnColumns(LinearRegression().fit(X, y), ["a"]), ValueError, "fitted with 4"),
        (lambda X, y: OnColumns(LinearRegression(), ["a"]).predict(X), ValueError, "not been"),
        (
            lambda X, y: OnColumns(LinearRegression().fit(X[["a"]], y), ["e"]).predict(X),
            ValueError,
            "Unknown feature 'e'",
        ),
        (
            lambda X, y: OnColumns(LinearRegression().fit(X[["a"]], y), [9]).predict(X),
            ValueError,
            "position 9",
        ),
        (
            lambda X, y: OnColumns(LinearRegression().fit(X[["a"]], y), [0]).predict([1.0]),
            ValueError,
            "two dimensions",
        ),
        (
            lambda X, y: OnColumns(LinearRegression().fit(X[["a", "b"]], y), "ba").predict(X),
            ValueError,
            "fitted with 2",
        ),
        (
            lambda X, y: OnColumns(LinearRegression().fit(X[["a", "b"]], y), ["b", "a"]).predict(X),
            ValueError,
            "in that order",
        ),
    ],
)
def test_bad_models_and_columns_are_refused_with_a_sentence(table, call, error, sentence):
    with pytest.raises(error, match=sentence):
        call(*table)


def test_a_logistic_model_gives_probabilities_from_a_float32_table(table):
    X, y = table
    inner = LogisticRegression().fit(X[["d"]].to_numpy(), y > 0)
    small = X.to_numpy(dtype=np.float32)
    np.testing.assert_array_equal(
        OnColumns(inner, [3]).predict_proba(small), inner.predict_proba(small[:, [3]])
    )
