"""Fitting and predicting leave numpy's global state as it is, and do not depend on it."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.svm import SVR

from course_lib.measures import (
    algorithm_reliance,
    conditional_permutation_importance,
    model_reliance,
    permutation_importance,
    permutation_null,
    sage,
)
from course_lib.measures.refitting import refit
from course_lib.validation import global_state_kept

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
y = X[:, 0] + 0.1 * RNG.normal(size=40)


class Whim(RegressorMixin, BaseEstimator):
    """It draws its slope from the global state."""

    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        self.slope_ = np.random.normal()  # noqa: NPY002
        return self

    def predict(self, X):
        return self.slope_ * X[:, 0]


MEASURES = {
    "reliance": lambda model: algorithm_reliance(model, X, y, as_ratio=False, random_state=0),
    "twins": lambda model: permutation_null(model, X, y, 0, n_repeats=3, random_state=0),
}


def global_state() -> tuple:
    _, key, position, *_ = np.random.get_state()  # noqa: NPY002
    return key.tolist(), position


@pytest.mark.parametrize("model", [SVR(), Whim()], ids=["SVR", "drawn"])
@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_the_global_state_is_neither_changed_nor_read(measure, model):
    found = []
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002
        before = global_state()
        found.append(measure(model).importances)
        assert global_state() == before
    np.testing.assert_array_equal(*found)


class Waver(RegressorMixin, BaseEstimator):
    """It draws from the global state each time it predicts."""

    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return X[:, 0] + np.random.normal(size=len(X))  # noqa: NPY002


WAVERING = {
    "regressor": (Waver().fit(X, y), y),
    "classes": (DummyClassifier(strategy="stratified").fit(X, y > 0), y > 0),
}
OF_A_MODEL = {
    "permutation": lambda model, y: permutation_importance(model, X, y, random_state=0),
    "conditional": lambda model, y: conditional_permutation_importance(
        model, X, y, n_repeats=2, random_state=0
    ),
    "model reliance": lambda model, y: model_reliance(model, X, y),
    "sage": lambda model, y: sage(model, X, y, n_orders=2, random_state=0),
}


@pytest.mark.parametrize("model", WAVERING.values(), ids=WAVERING)
@pytest.mark.parametrize("measure", OF_A_MODEL.values(), ids=OF_A_MODEL)
def test_a_model_that_draws_its_predictions_leaves_the_global_state_too(measure, model):
    found = []
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002
        before = global_state()
        found.append(measure(*model).importances)
        assert global_state() == before
    np.testing.assert_array_equal(*found)


def test_the_state_is_put_back_after_an_error():
    before = global_state()
    with pytest.raises(KeyError), global_state_kept(3):
        np.random.normal()  # noqa: NPY002
        raise KeyError
    assert global_state() == before


def test_what_a_fit_draws_is_given_by_the_generator_which_is_not_advanced_for_it():
    rng = np.random.default_rng(3)
    refit(LinearRegression(), np.eye(2), np.arange(2), rng)
    assert rng.random() == np.random.default_rng(3).random()
