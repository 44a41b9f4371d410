"""Lines of `./course bench measures` on a table as people bring it, and on models that are slow."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from sklearn import inspection
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_friedman1
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestRegressor
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from course_lib.measures.attribution.sage import sage
from course_lib.measures.permutation import permutation_importance
from course_lib.measures.reliance import model_reliance
from course_lib.tools.bench.lines import Line, alternating

ROWS, NUMBERS, NOMINAL = 20_000, 20, 9  # 29 columns
PAIRED_ROWS = 300


def mixed_table(n_rows: int = ROWS) -> tuple[pd.DataFrame, pd.Series]:
    """Numbers and texts of 4 to 12 values each, and a class that depends on some of them."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n_rows, NUMBERS))).add_prefix("x")
    for k in range(NOMINAL):
        X[f"c{k}"] = rng.choice([f"level {v}" for v in range(4 + k)], size=n_rows)
    score = X.x0 + X.x1 * X.x2 + 2 * (X.c0 == "level 1") + rng.normal(size=n_rows)
    return X, (score > 0).map({True: "yes", False: "no"})


def boosted_pipeline(X: pd.DataFrame, y, max_iter: int = 50):
    """One column for each text, then boosted trees, fitted."""
    texts = [name for name in X if name.startswith("c")]
    encoder = make_column_transformer(
        (OneHotEncoder(sparse_output=False), texts), remainder="passthrough"
    )
    boosted = HistGradientBoostingClassifier(max_iter=max_iter, random_state=0)
    return make_pipeline(encoder, boosted).fit(X, y)


def pipeline_line() -> Iterator[Line]:
    """Permutation importance through an encoder and boosted trees, with as many shuffles."""
    X, y = mixed_table()
    model = boosted_pipeline(X, y)
    options = {"n_repeats": 2, "random_state": 0}

    def ours():
        return permutation_importance(model, X, y, **options)

    def theirs():
        return inspection.permutation_importance(model, X, y, scoring="neg_log_loss", **options)

    mine, other = ours(), theirs()
    gap = abs(mine.importances_mean - other.importances_mean).max()
    seconds, limit = alternating(ours, theirs, 3)
    work = f"permutation_importance, OneHotEncoder + boosted trees, {ROWS:,} x {X.shape[1]}"
    note = f"largest difference {gap:.2g} of an importance of {other.importances_mean.max():.2g}"
    yield Line(work, "scikit-learn", seconds / limit, 1, is_limit=True, note=note)


def all_pairs_lines() -> Iterator[Line]:
    """All pairs of rows: at most n predictions of n rows for each column; drawn ones where many."""
    X, y = make_friedman1(PAIRED_ROWS, 5, noise=1.0, random_state=0)
    n_predictions = X.size
    for model in (
        RandomForestRegressor(50, random_state=0),
        make_pipeline(StandardScaler(), KNeighborsRegressor()),
    ):
        model.fit(X, y)
        exact, one = alternating(
            lambda model=model: model_reliance(model, X, y, pairs="all"),
            lambda model=model: model.predict(X),
            3,
        )
        work = f"model_reliance, all pairs, {type(model).__name__}, n = {PAIRED_ROWS}"
        ratio = exact / (n_predictions * one)
        yield Line(work, "n predictions for each column", ratio, 1, is_limit=True)
    many, target = make_friedman1(5000, 5, noise=1.0, random_state=0)
    drawn = model_reliance(model, many, target, random_state=0)
    error = np.ptp(drawn.interval(), axis=1).max() / drawn.importances_mean.max()
    mine, one = alternating(
        lambda: model_reliance(model, many, target), lambda: model.predict(many), 1
    )
    note = f"{drawn.repeats}; widest 95 % interval {error:.1%} of the largest value"
    ratio = mine / (drawn.importances.size * one)
    yield Line("model_reliance, default, n = 5,000", "as many predictions", ratio, 1.2, True, note)


def sage_forest_line() -> Iterator[Line]:
    """SAGE of a forest at the same standard error: time multiplied by squared error counts."""
    import sage as sage_importance

    X, y = make_friedman1(5000, 10, noise=1.0, random_state=0)
    model = RandomForestRegressor(50, min_samples_leaf=5, random_state=0).fit(X, y)
    imputer = sage_importance.MarginalImputer(model, X[:128])
    estimator = sage_importance.PermutationEstimator(imputer, "mse", random_state=0)
    quiet = {"detect_convergence": False, "bar": False, "verbose": False}

    def theirs():
        return estimator(X, y, n_permutations=1024, **quiet)

    def ours():
        return sage(model, X, y, n_orders=8, random_state=0)

    mine, other = ours(), theirs()
    seconds, their_seconds = alternating(ours, theirs, 3)
    our_error = (mine.importances.var(axis=1, ddof=1) / 8).mean()
    ratio = their_seconds * np.mean(other.std**2) / (seconds * our_error)
    gap = abs(mine.importances_mean - other.values) / np.hypot(other.std, our_error**0.5)
    note = f"values differ by at most {gap.max():.1f} standard errors; its background has 128 rows"
    yield Line("sage, RF(50), 5,000 rows, at equal error", "sage-importance", ratio, 3, note=note)
