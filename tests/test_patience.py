"""Long runs say what they cost and show how far they are; short ones say nothing."""

import time
import warnings

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from course_lib import patience
from course_lib.measures import (
    conditional_permutation_importance,
    model_reliance,
    permutation_importance,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
Y = X @ [1.0, -2.0, 0.0]


class Slow:
    """A model that takes its time for every call, and is not known to be linear."""

    def __init__(self, seconds: float = 0.0):
        self.seconds = seconds

    def predict(self, X):
        time.sleep(self.seconds)
        return np.asarray(X) @ [1.0, -1.0, 0.0]


@pytest.mark.parametrize(
    ("measure", "advice"),
    [
        (lambda m: permutation_importance(m, X, Y, n_repeats=40, random_state=0), "n_repeats"),
        (lambda m: model_reliance(m, X, Y), "halves"),
        (
            lambda m: conditional_permutation_importance(m, X, Y, n_repeats=40, random_state=0),
            "n_repeats",
        ),
    ],
)
def test_a_long_run_says_how_long_and_what_is_cheaper(measure, advice, monkeypatch, capsys):
    monkeypatch.setattr(patience, "LONG", 0.02)
    with pytest.warns(UserWarning, match=rf"will take about .* seconds?\. .*{advice}"):
        found = measure(Slow(0.01))
    assert "100%" in capsys.readouterr().err
    np.testing.assert_array_equal(found.importances, measure(Slow()).importances)


def test_a_short_run_says_nothing(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        permutation_importance(Slow(), X, Y, random_state=0)
        model_reliance(Slow(), X, Y)
        model_reliance(LinearRegression().fit(X, Y), X, Y + RNG.normal(size=200))
    assert capsys.readouterr() == ("", "")


def test_the_numbers_do_not_depend_on_the_number_of_processes():
    alone = permutation_importance(Slow(), X, Y, n_repeats=3, random_state=1)
    shared = permutation_importance(Slow(), X, Y, n_repeats=3, n_jobs=2, random_state=1)
    np.testing.assert_array_equal(alone.importances, shared.importances)
    pairs = [model_reliance(Slow(), X, Y + 1, n_jobs=n).importances for n in (None, 2)]
    np.testing.assert_array_equal(*pairs)


@pytest.mark.parametrize("n_jobs", [0, 1.5, "all", True])
def test_a_number_of_processes_that_is_none_is_refused(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be None, a number of processes"):
        permutation_importance(Slow(), X, Y, n_jobs=n_jobs)
