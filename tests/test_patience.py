"""Long runs say what they cost and show how far they are; short ones say nothing."""

import re
import time
import warnings
from contextlib import contextmanager

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

from course_lib import patience
from course_lib.measures import (
    algorithm_reliance,
    associative_importance,
    conditional_permutation_importance,
    decompose_sage,
    direct_importance,
    model_reliance,
    permutation_importance,
    permutation_null,
    sage,
    sampled_shapley_values,
    scrambling,
    tree_shap,
)
from course_lib.measures.dedact import perturbation

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
    found = measure(Slow(0.01))
    said = capsys.readouterr().err
    assert re.search(rf"about .* seconds?: .*{advice}", said) and "100%" in said
    np.testing.assert_array_equal(found.importances, measure(Slow()).importances)


def test_a_short_run_says_nothing(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        permutation_importance(Slow(), X, Y, random_state=0)
        model_reliance(Slow(), X, Y)
        model_reliance(LinearRegression().fit(X, Y), X, Y + RNG.normal(size=200))
    assert capsys.readouterr() == ("", "")


IN_PROCESSES = {
    "permutation": lambda m, n: permutation_importance(
        m, X, Y, n_repeats=3, n_jobs=n, random_state=1
    ),
    "all pairs": lambda m, n: model_reliance(m, X, Y + 1, n_jobs=n),
    "SAGE": lambda m, n: sage(m, X, Y, n_orders=2, n_jobs=n, random_state=1),
    "AI": lambda m, n: associative_importance(m, X, Y, 0, n_repeats=6, n_jobs=n, random_state=1),
    "DI, averaged": lambda m, n: direct_importance(
        m, X, Y, 0, marginalize=True, n_samples=4, n_repeats=2, n_jobs=n, random_state=1
    ),
}


@pytest.fixture
def small_blocks(monkeypatch):
    """So many draws at once that there is something to share, though the table is small."""
    monkeypatch.setattr(perturbation, "BLOCK_ROWS", 256)
    monkeypatch.setattr(patience, "FEEL", 0.0)


@pytest.mark.parametrize("measure", IN_PROCESSES.values(), ids=IN_PROCESSES)
def test_the_numbers_do_not_depend_on_the_number_of_processes(measure, small_blocks):
    alone, shared = measure(Slow(), None), measure(Slow(), 2)
    np.testing.assert_array_equal(alone.importances, shared.importances)


def test_a_long_run_in_two_processes_shows_its_bar(monkeypatch, capsys):
    """The bar itself cannot be sent to another process."""
    monkeypatch.setattr(patience, "LONG", 0.0)
    for name in ("permutation", "SAGE"):
        found = IN_PROCESSES[name](Slow(), 2)
        assert "100%" in capsys.readouterr().err
        monkeypatch.setenv("COURSE_BUILD", "1")
        np.testing.assert_array_equal(found.importances, IN_PROCESSES[name](Slow(), 2).importances)
        monkeypatch.delenv("COURSE_BUILD")


@pytest.mark.parametrize("name", ["permutation", "SAGE"])
def test_a_cluster_of_dask_gives_the_same_numbers(name):
    distributed = pytest.importorskip("distributed")
    import joblib

    options = {"n_workers": 1, "threads_per_worker": 2, "processes": False}
    with (
        distributed.LocalCluster(dashboard_address=None, **options) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        shared = IN_PROCESSES[name](Slow(), 2)
    alone = IN_PROCESSES[name](Slow(), None)
    np.testing.assert_array_equal(alone.importances, shared.importances)


def test_a_part_of_a_long_run_announces_nothing_of_its_own(monkeypatch, capsys):
    monkeypatch.setattr(patience, "LONG", 0.0)
    for _ in range(2):  # the next run has its own bar
        permutation_importance(Slow(), X, Y, n_repeats=60, random_state=0)
        assert capsys.readouterr().err.count("\n") == 1


def test_a_sampler_that_learns_has_a_bar_before_that_of_the_predictions(monkeypatch, capsys):
    """Learning took 73 s of 106 while the bar of the predictions stood at 0 %."""
    bars = []

    @contextmanager
    def announced(seconds, n_steps, cheaper):
        bars.append([cheaper, n_steps, 0])

        def advance(n):
            bars[-1][2] += n

        yield advance

    for module in (patience, scrambling):
        monkeypatch.setattr(module, "announced", announced)
    monkeypatch.setattr(patience, "FEEL", 0.0)
    conditional_permutation_importance(Slow(), X, Y, n_repeats=120, random_state=0)
    (learning, n_learnt, learnt), (predicting, n_rows, predicted) = bars
    assert (
        "learns" in learning and learnt == n_learnt == 2
    )  # the first tells how long the rest take
    assert "n_repeats" in predicting and predicted == n_rows == 120 * X.size


def test_what_only_takes_long_is_no_warning(monkeypatch, capsys):
    """A busy machine makes every run a long one, and a notebook shows warnings in red."""
    monkeypatch.setattr(patience, "LONG", 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for measure in IN_PROCESSES.values():
            measure(Slow(), None)
    assert "Fewer" in capsys.readouterr().err


class Stopped(Slow):
    """A model that somebody interrupts in one of its calls."""

    def __init__(self, at: int):
        super().__init__(0.002)
        self.left = at

    def predict(self, X):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return super().predict(X)


INTERRUPTED = {
    "permutation": lambda m: permutation_importance(m, X, Y, n_repeats=200, random_state=0),
    "all pairs": lambda m: model_reliance(m, X, Y),
    "SAGE": lambda m: sage(m, X, Y, n_orders=40, random_state=0),
    "DI": lambda m: direct_importance(m, X, Y, 0, n_repeats=30, random_state=0),
    "SAGE, split": lambda m: decompose_sage(m, X, Y, 0, n_orders=20, random_state=0),
}


@pytest.mark.parametrize("measure", INTERRUPTED.values(), ids=INTERRUPTED)
def test_an_interrupted_run_says_how_far_it_came_and_leaves_nothing_behind(
    measure, monkeypatch, small_blocks
):
    from tqdm.auto import tqdm

    monkeypatch.setattr(patience, "LONG", 0.0)
    before = X.copy()
    said = r"Interrupted after \d+%; nothing was kept\. Fewer|pairs"
    with pytest.raises(KeyboardInterrupt, match=said):
        measure(Stopped(at=9))
    assert not tqdm._instances  # every bar is closed
    np.testing.assert_array_equal(X, before)
    monkeypatch.setenv("COURSE_BUILD", "1")
    found, again = measure(Slow()), measure(Slow())
    assert str(found) == str(again)


def test_an_interruption_while_models_are_fitted_says_how_far_it_came(monkeypatch):
    class Fits(LinearRegression):
        left = 6

        def fit(self, X, y):
            Fits.left -= 1
            if Fits.left == 0:
                raise KeyboardInterrupt
            return super().fit(X, y)

    monkeypatch.setattr(patience, "LONG", 0.0)
    monkeypatch.setattr(patience, "FEEL", 0.0)
    with pytest.raises(KeyboardInterrupt, match="after 44%.*twins"):
        permutation_null(Fits(), X, Y, 0, n_repeats=10, random_state=0)
    Fits.left = 3
    with pytest.raises(KeyboardInterrupt, match="after 33%.*fewer rows"):
        algorithm_reliance(Fits(), X, Y + RNG.normal(size=200))


@pytest.mark.parametrize("n_jobs", [0, 1.5, "all", True])
def test_a_number_of_processes_that_is_none_is_refused(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be None, a number of processes"):
        permutation_importance(Slow(), X, Y, n_jobs=n_jobs)


def test_sampled_orders_and_explained_rows_say_how_long_they_take(monkeypatch, capsys):
    def worth(S):
        time.sleep(0.01)
        return float(len(S))

    forest = RandomForestRegressor(20, random_state=0).fit(X, Y)
    runs = {
        "n_orders": lambda: sampled_shapley_values(worth, 3, n_orders=40, random_state=0),
        "Fewer rows": lambda: tree_shap(forest, X).values,
    }
    quiet = {advice: run() for advice, run in runs.items()}
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(patience, "LONG", 0.0)
    monkeypatch.setattr(patience, "FEEL", 0.0)
    for advice, run in runs.items():
        np.testing.assert_array_equal(run(), quiet[advice])
        said = capsys.readouterr().err
        assert re.search(rf"about .* seconds?: .*{advice}", said) and "100%" in said
