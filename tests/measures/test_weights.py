"""`sample_weight`: a row that counts three times is a row that stands there three times."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

from course_lib.measures import (
    algorithm_reliance,
    associative_importance,
    conditional_model_reliance,
    conditional_permutation_importance,
    decompose_sage,
    direct_importance,
    model_reliance,
    oob_permutation_importance,
    permutation_importance,
    sage,
)
from course_lib.models import squared_error
from course_lib.worlds import GaussianSampler, MarginalSampler

RNG = np.random.default_rng(0)
N = 24
X = RNG.normal(size=(N, 3))
Y = X @ [1.0, -2.0, 0.5] + X[:, 0] * X[:, 1] + RNG.normal(size=N)
WEIGHTS = RNG.integers(0, 4, N)
REPEATED = np.repeat(np.arange(N), WEIGHTS)
MODELS = {
    "tree": DecisionTreeRegressor(max_depth=3).fit(X, Y),
    "linear": LinearRegression().fit(X, Y),
    "forest": RandomForestRegressor(4, random_state=0).fit(X, Y),
}
MARGINAL, GAUSSIAN = MarginalSampler().fit(X), GaussianSampler().fit(X)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_reliance_over_all_pairs_counts_each_row_by_its_weight(model):
    """Each row meets all others alike; its mean loss counts as often as the row is repeated."""
    for j in range(3):
        switched = X[np.repeat(np.arange(N), N)]
        switched[:, j] = np.tile(X[:, j], N)
        losses = squared_error(np.repeat(Y, N), model.predict(switched)).reshape(N, N)
        others = (losses.sum(axis=1) - losses.diagonal()) / (N - 1)
        wanted = others[REPEATED].mean() / losses.diagonal()[REPEATED].mean()
        found = model_reliance(model, X, Y, sample_weight=WEIGHTS).importances_mean[j]
        assert found == pytest.approx(wanted)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_conditional_reliance_counts_each_row_by_its_weight(model):
    rest = LinearRegression().fit(X[:, 1:], X[:, 0])
    xhat = rest.predict(X[:, 1:])
    chimeras = X[np.repeat(np.arange(N), N)]
    chimeras[:, 0] = np.repeat(xhat, N) + np.tile(X[:, 0] - xhat, N)
    losses = squared_error(np.repeat(Y, N), model.predict(chimeras)).reshape(N, N)
    others = (losses.sum(axis=1) - losses.diagonal()) / (N - 1)
    wanted = (others - losses.diagonal())[REPEATED].mean()
    found = conditional_model_reliance(
        model, X, Y, features=0, as_ratio=False, sample_weight=WEIGHTS
    )
    assert found.importances_mean[0] == pytest.approx(wanted)


def test_algorithm_reliance_counts_each_test_row_by_its_weight():
    estimator = DecisionTreeRegressor(max_depth=3, random_state=0)
    weighted = algorithm_reliance(estimator, X, Y, X_test=X, y_test=Y, sample_weight=WEIGHTS)
    repeated = algorithm_reliance(estimator, X, Y, X_test=X[REPEATED], y_test=Y[REPEATED])
    np.testing.assert_allclose(weighted.importances, repeated.importances)
    assert "weighted" in weighted.sample


def options(**more):
    return {"n_repeats": 4, "random_state": 3} | more


DRAWN = {
    "permutation": lambda m, w: permutation_importance(m, X, Y, sample_weight=w, **options()),
    "conditional": lambda m, w: conditional_permutation_importance(
        m, X, Y, sample_weight=w, **options()
    ),
    "drawn pairs": lambda m, w: model_reliance(
        m, X, Y, pairs=5, as_ratio=False, sample_weight=w, random_state=3
    ),
    "halves": lambda m, w: model_reliance(m, X, Y, pairs="halves", as_ratio=False, sample_weight=w),
    "SAGE": lambda m, w: sage(m, X, Y, n_orders=3, sample_weight=w, random_state=3),
    "conditional SAGE": lambda m, w: sage(
        m, X, Y, sampler=GAUSSIAN, n_orders=3, sample_weight=w, random_state=3
    ),
    "direct": lambda m, w: direct_importance(m, X, Y, 0, sample_weight=w, **options()),
    "direct, averaged": lambda m, w: direct_importance(
        m, X, Y, 0, B=1, marginalize=True, sample_weight=w, **options()
    ),
    "associative": lambda m, w: associative_importance(m, X, Y, 0, sample_weight=w, **options()),
}


@pytest.mark.parametrize("kind", ["tree", "linear"])
@pytest.mark.parametrize("measure", DRAWN.values(), ids=DRAWN)
def test_the_weighted_mean_is_that_of_the_rows_taken_one_by_one(measure, kind):
    """The same seed draws the same whatever the weights: a row alone shows its own change."""
    model, alone = MODELS[kind], np.eye(N)
    rows = np.array([measure(model, alone[i]).importances for i in range(N)])
    wanted = rows[REPEATED].mean(axis=0)
    np.testing.assert_allclose(measure(model, WEIGHTS).importances, wanted, atol=1e-9)
    np.testing.assert_allclose(measure(model, None).importances, rows.mean(axis=0), atol=1e-9)
    assert measure(model, WEIGHTS).sample == "24 rows given, weighted"
    assert measure(model, None).sample == "24 rows given"


EXPECTED = {
    "permutation": lambda X, Y, **w: permutation_importance(
        MODELS["tree"], X, Y, n_repeats=400, random_state=0, **w
    ),
    "SAGE": lambda X, Y, **w: sage(
        MODELS["tree"], X, Y, sampler=MARGINAL, n_orders=100, random_state=0, **w
    ),
    "direct": lambda X, Y, **w: direct_importance(
        MODELS["tree"], X, Y, 1, sampler=MARGINAL, n_repeats=400, random_state=0, **w
    ),
    "associative": lambda X, Y, **w: associative_importance(
        MODELS["tree"], X, Y, 1, sampler=GAUSSIAN, n_repeats=400, random_state=0, **w
    ),
}


@pytest.mark.parametrize("name", [name for name in EXPECTED if name != "permutation"])
def test_a_row_that_is_repeated_counts_as_its_weight_where_draws_come_from_the_same_rows(name):
    weighted = EXPECTED[name](X, Y, sample_weight=WEIGHTS)
    repeated = EXPECTED[name](X[REPEATED], Y[REPEATED])
    errors = [
        r.importances.std(axis=1, ddof=1) / r.importances.shape[1] ** 0.5
        for r in (weighted, repeated)
    ]
    gap = np.abs(weighted.importances_mean - repeated.importances_mean)
    assert (gap < 4.5 * np.hypot(*errors) + 1e-12).all()


def test_weighted_shuffles_tend_to_weighted_pairs():
    """A shuffle leaves a row its own value once in n."""
    drawn = EXPECTED["permutation"](X, Y, sample_weight=WEIGHTS)
    pairs = model_reliance(MODELS["tree"], X, Y, as_ratio=False, sample_weight=WEIGHTS)
    error = drawn.importances_std / np.sqrt(400)
    gap = np.abs(drawn.importances_mean - (N - 1) / N * pairs.importances_mean)
    assert (gap < 4.5 * error).all()


def test_each_order_of_sage_sums_to_what_all_features_save_of_the_weighted_loss():
    model = MODELS["forest"]
    found = sage(model, X, Y, n_orders=3, sample_weight=WEIGHTS, random_state=0)
    constant = squared_error(Y, np.full(N, model.predict(X).mean()))
    saved = (constant - squared_error(Y, model.predict(X)))[REPEATED].mean()
    np.testing.assert_allclose(found.importances.sum(axis=0), saved)
    split = decompose_sage(
        model, X, Y, 0, how="shapley", n_orders=3, sample_weight=WEIGHTS, random_state=0
    )
    assert split.additive


def test_out_of_bag_rows_count_by_their_weight_and_those_without_do_not_count():
    labels = Y > 0
    forest = RandomForestClassifier(5, bootstrap=True, random_state=0).fit(X, labels)
    of = {"random_state": 0, "n_repeats": 2}
    found = oob_permutation_importance(forest, X, labels, sample_weight=np.ones(N), **of)
    np.testing.assert_allclose(
        found.importances, oob_permutation_importance(forest, X, labels, **of).importances
    )
    doubled = oob_permutation_importance(forest, X, labels, sample_weight=np.full(N, 2.0), **of)
    np.testing.assert_allclose(found.importances, doubled.importances)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (np.ones(3), r"24 rows.*shape \(3,\)"),
        (-np.ones(N), "none of them negative"),
        (np.zeros(N), "some positive"),
        (np.full(N, np.nan), "none of them negative"),
    ],
)
@pytest.mark.parametrize("measure", DRAWN.values(), ids=DRAWN)
def test_weights_that_are_none_are_refused(measure, wrong, message):
    with pytest.raises(ValueError, match=message):
        measure(MODELS["tree"], wrong)
