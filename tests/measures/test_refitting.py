"""Fitting again leaves numpy's global state as it is, and does not depend on it."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.svm import SVR

from course_lib.measures import algorithm_reliance, permutation_null
from course_lib.measures.refitting import global_state_kept

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


def test_the_state_is_put_back_after_an_error_and_the_generator_not_advanced():
    rng, before = np.random.default_rng(3), global_state()
    with pytest.raises(KeyError), global_state_kept(rng):
        np.random.normal()  # noqa: NPY002
        raise KeyError
    assert global_state() == before
    assert rng.random() == np.random.default_rng(3).random()
