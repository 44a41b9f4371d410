"""`./course bench measures`: what the measures cost beside other packages, as ratios in one run.

Absolute times say more about the machine than about the code, so every line is a ratio: both
sides run in turns, and the median of the repeats is compared. Each line also checks that the two
sides agree on the numbers.
"""

import argparse
import json
import os
import tracemalloc
from collections.abc import Iterator
from contextlib import redirect_stderr
from dataclasses import asdict
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits, make_friedman1
from sklearn.ensemble import ExtraTreesClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression

from course_lib.tools.bench.growth import growth_lines
from course_lib.tools.bench.lines import Line, alternating, speed_up, table
from course_lib.tools.bench.own_data import all_pairs_lines, pipeline_line, sage_forest_line

MEMORY_ROWS = 20_000


def run(args: argparse.Namespace) -> int:
    """Measure every line, print each as it comes, then the table."""
    lines = []
    for measured in _chosen(args.only):
        for line in measured():
            lines.append(line)
            print(f"{line.work}, {line.against}: {line.ratio:.3g}", flush=True)
    print(f"\n{table(lines)}\nload average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    if args.json:
        Path(args.json).write_text(
            json.dumps([asdict(line) for line in lines], indent=2), encoding="utf-8"
        )
    return 0


def _chosen(only: str | None) -> list:
    """The functions that measure, all or those that have `only` in their name."""
    everything = (
        local_mdi_lines,
        permutation_line,
        pipeline_line,
        model_reliance_line,
        all_pairs_lines,
        shapley_lines,
        sage_line,
        sage_forest_line,
        fippy_lines,
        rashomon_line,
        asymptotic_line,
        memory_lines,
        growth_lines,
    )
    chosen = [measured for measured in everything if (only or "") in measured.__name__]
    if not chosen:
        names = ", ".join(measured.__name__ for measured in everything)
        raise ValueError(f"No line is measured by {only!r}. Choose a part of one of: {names}.")
    return chosen


def local_mdi_lines() -> Iterator[Line]:
    """Local MDI of 1000 Extra-Trees on the digits."""
    import shap
    from treeinterpreter import treeinterpreter

    from course_lib.measures.forests.mdi import local_mdi

    X, y = load_digits(return_X_y=True)
    forest = ExtraTreesClassifier(1000, max_features=8, random_state=0, n_jobs=1).fit(X, y)
    some, few = X[:200], X[:10]
    local_mdi(forest, few)
    work = "local_mdi, digits, 1000 Extra-Trees"
    explainer = shap.TreeExplainer(forest)
    mine, ten = alternating(
        lambda: local_mdi(forest, some),
        lambda: explainer.shap_values(few, check_additivity=False),
        3,
    )
    note = "shap timed on 10 rows, its time is proportional to rows"
    yield Line(f"{work}, 200 rows", "shap, path-dependent", 20 * ten / mine, 300, note=note)
    ratio = speed_up(
        lambda: local_mdi(forest, some), lambda: treeinterpreter.predict(forest, some), 2
    )
    yield Line(f"{work}, 200 rows", "treeinterpreter", ratio, 30)
    mine, limit = alternating(lambda: local_mdi(forest, X), lambda: forest.predict_proba(X), 7)
    yield Line(f"{work}, all rows", "predict_proba, one job", mine / limit, 1.5, is_limit=True)


def permutation_line() -> Iterator[Line]:
    """Permutation importance of a random forest."""
    from sklearn import inspection

    from course_lib.measures.permutation import permutation_importance

    X, y = make_friedman1(1000, 10, noise=1.0, random_state=0)
    forest = RandomForestRegressor(100, random_state=0, n_jobs=1).fit(X, y)
    options = {"n_repeats": 10, "random_state": 0}
    score = {"scoring": "neg_mean_squared_error", "n_jobs": 1}
    ours = permutation_importance(forest, X, y, **options)
    theirs = inspection.permutation_importance(forest, X, y, **options, **score)
    spread = np.hypot(ours.importances_std, theirs.importances_std) / np.sqrt(10)
    largest = np.max(abs(ours.importances_mean - theirs.importances_mean) / (spread + 1e-12))
    ratio = speed_up(
        lambda: permutation_importance(forest, X, y, **options),
        lambda: inspection.permutation_importance(forest, X, y, **options, **score),
    )
    note = f"values differ by at most {largest:.1f} standard errors"
    yield Line("permutation_importance, RF(100), 1000 rows", "scikit-learn", ratio, 2, note=note)


def model_reliance_line() -> Iterator[Line]:
    """All n(n-1) pairs of a linear model."""
    from course_lib.measures.reliance import model_reliance

    X, y = make_friedman1(1000, 5, noise=1.0, random_state=0)
    model = LinearRegression().fit(X, y)

    def by_table() -> np.ndarray:
        n, ratios = len(X), []
        k, i = np.nonzero(~np.eye(n, dtype=bool))
        e_orig = np.mean((y - model.predict(X)) ** 2)
        for j in range(X.shape[1]):
            switched = X[k]
            switched[:, j] = X[i, j]
            ratios.append(np.mean((y[k] - model.predict(switched)) ** 2) / e_orig)
        return np.array(ratios)

    gap = abs(model_reliance(model, X, y).importances_mean - by_table()).max()
    ratio = speed_up(lambda: model_reliance(model, X, y), by_table)
    note = f"largest difference {gap:.0e}"
    yield Line("model_reliance, linear, n = 1000", "the n(n-1)-row table", ratio, 500, note=note)


def shapley_lines() -> Iterator[Line]:
    """Exact Shapley values of a game of 20 players given as an array."""
    import shapiq

    from course_lib.models.games import shapley_values

    v = np.random.default_rng(0).normal(size=2**20)
    work = "shapley_values, 2**20 worths"
    shapley_values(v, 20)
    mine, limit = alternating(lambda: shapley_values(v, 20), v.sum, 101)
    small = 14  # shapiq's time for 20 players is minutes; it grows faster than 2**n
    w = v[: 2**small]
    masks = 1 << np.arange(small)

    def theirs():
        game = shapiq.ExactComputer(
            game=lambda members: w[members @ masks], n_players=small, evaluate_game=True
        )
        return game("SV", 1)

    other = speed_up(lambda: shapley_values(w, small), theirs)
    note = f"measured with 2**{small} worths; shapiq falls further behind with more"
    yield Line(work, "shapiq", other, 10, note=note)
    yield Line(work, "one sum over the array", mine / limit, 10, is_limit=True)


def sage_line() -> Iterator[Line]:
    """SAGE at the same standard error: time multiplied by squared error is what counts."""
    import sage as sage_importance

    from course_lib.measures.attribution.sage import sage

    X, y = make_friedman1(1000, 8, noise=1.0, random_state=0)
    model = LinearRegression().fit(X, y)
    imputer = sage_importance.MarginalImputer(model, X[:128])
    estimator = sage_importance.PermutationEstimator(imputer, "mse", random_state=0)
    quiet = {"bar": False, "verbose": False}

    def theirs():
        return estimator(X, y, n_permutations=1024, detect_convergence=False, **quiet)

    def ours():
        return sage(model, X, y, n_orders=32, random_state=0)

    result = ours()
    mine, other = alternating(ours, theirs, 3)
    our_error = (result.importances.var(axis=1, ddof=1) / 32).mean()
    ratio = other * np.mean(theirs().std ** 2) / (mine * our_error)
    yield Line("sage, linear, at equal standard error", "sage-importance", ratio, 2)


def fippy_lines() -> Iterator[Line]:
    """Marginal and conditional permutation of a linear model."""
    import fippy
    from fippy.samplers.gaussian import GaussianSampler as FippyGaussian

    from course_lib.measures.permutation import (
        conditional_permutation_importance,
        permutation_importance,
    )
    from course_lib.models.losses import squared_error

    rng = np.random.default_rng(0)
    columns = [f"x{j}" for j in range(10)]
    X = pd.DataFrame(rng.normal(size=(1000, 10)), columns=columns)
    y = X @ np.arange(10.0) + rng.normal(size=1000)
    model = LinearRegression().fit(X, y)
    marginal = fippy.Explainer(model.predict, X, squared_error)
    conditional = fippy.Explainer(model.predict, X, squared_error, sampler=FippyGaussian(X))
    options = {"n_repeats": 10, "random_state": 0}
    for name, ours, their_method in (
        ("permutation_importance", permutation_importance, marginal.pfi),
        ("conditional_permutation_importance", conditional_permutation_importance, conditional.cfi),
    ):
        with redirect_stderr(StringIO()):  # fippy's progress bars
            ratio = speed_up(
                lambda ours=ours: ours(model, X, y, **options),
                lambda method=their_method: method(X, y.to_numpy(), n_repeats=10),
            )
        yield Line(f"{name}, linear", "fippy", ratio, 20)


def rashomon_line() -> Iterator[Line]:
    """Model class reliance with ten features against a general optimiser from thirty starts."""
    from course_lib.measures.rashomon.sets import LinearRashomonSet

    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 10)) @ (np.eye(10) + 0.3 * rng.normal(size=(10, 10)))
    y = X @ rng.normal(size=10) + rng.normal(size=200)

    def ours():
        return LinearRashomonSet(X, y, epsilon=0.1).model_class_reliance(0)

    def by_slsqp():
        return _reliance_by_slsqp(X, y, epsilon=0.1)

    result, (low, high) = ours(), by_slsqp()
    note = f"ours [{result.low:.4f}, {result.high:.4f}], SLSQP [{low:.4f}, {high:.4f}]"
    yield Line(
        "model_class_reliance, 10 features",
        "30-start SLSQP",
        speed_up(ours, by_slsqp, 2),
        100,
        note=note,
    )


def _reliance_by_slsqp(X, y, epsilon: float) -> list[float]:
    """The ends of the model class reliance on column 0, searched for from thirty starts."""
    from scipy.optimize import minimize

    centred, target = X - X.mean(axis=0), y - y.mean()
    x0 = centred[:, 0]
    best = np.linalg.lstsq(centred, target, rcond=None)[0]

    def mse(b):
        return np.mean((target - centred @ b) ** 2)

    def ratio_of(b):
        rest = target - centred @ b + b[0] * x0
        return 1 + 2 * b[0] * (rest @ x0) / (len(x0) - 1) / mse(b)

    bound = mse(best) + epsilon
    inside = {"type": "ineq", "fun": lambda b: bound - mse(b)}
    starts = best + 0.05 * np.random.default_rng(1).normal(size=(30, 10))
    ends = []
    for sign in (1, -1):
        found = [
            minimize(lambda b, s=sign: s * ratio_of(b), b0, constraints=inside, method="SLSQP")
            for b0 in starts
        ]
        feasible = [f.fun for f in found if mse(f.x) <= bound * (1 + 1e-9)]
        ends.append(sign * min(feasible))
    return ends


def asymptotic_line() -> Iterator[Line]:
    """Exact MDI of the LED display for every K, in seconds."""
    from course_lib.measures.asymptotic import asymptotic_mdi
    from course_lib.worlds.datasets import make_led
    from course_lib.worlds.distributions import Categorical

    def every_k():
        led = Categorical(*make_led())
        return [asymptotic_mdi(led, K=K) for K in range(1, 8)]

    seconds, _ = alternating(every_k, lambda: None, 3)
    yield Line("asymptotic_mdi, LED, K = 1..7", "one second", seconds, 1, is_limit=True)


def memory_lines() -> Iterator[Line]:
    """Peak memory as a multiple of the input, where the method is linear in the rows."""
    from course_lib.measures.attribution.sage import sage
    from course_lib.measures.forests.mdi import local_mdi
    from course_lib.measures.permutation import (
        conditional_permutation_importance,
        permutation_importance,
    )

    rng = np.random.default_rng(0)
    X = rng.normal(size=(MEMORY_ROWS, 10))
    y = X @ np.arange(10.0) + rng.normal(size=MEMORY_ROWS)
    linear = LinearRegression().fit(X, y)
    forest = RandomForestRegressor(10, max_depth=6, random_state=0).fit(X, y)
    works = {
        "permutation_importance": lambda: permutation_importance(linear, X, y, random_state=0),
        "conditional_permutation_importance": lambda: conditional_permutation_importance(
            linear, X, y, random_state=0
        ),
        "sage": lambda: sage(linear, X, y, n_orders=4, random_state=0),
        "local_mdi": lambda: local_mdi(forest, X),
    }
    for name, work in works.items():
        tracemalloc.start()
        work()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        size = X.nbytes + y.nbytes
        yield Line(
            f"{name}, n = {MEMORY_ROWS:,}", "peak memory / input", peak / size, 10, is_limit=True
        )
