"""SAGE against closed forms, exact enumeration and sage-importance (mirrors sage.py)."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.tree import DecisionTreeClassifier

from course_lib.measures import sage
from course_lib.models import absolute_error, cross_entropy, shapley_values, squared_error, zero_one
from course_lib.models.games import coalitions
from course_lib.questions import DISTRIBUTION, Q1
from course_lib.worlds import ForestSampler, GaussianSampler, MarginalSampler


class Linear:
    """A given linear model, not fitted to anything."""

    def __init__(self, *coefficients):
        self.beta = np.array(coefficients, dtype=float)

    def predict(self, X):
        return np.asarray(X) @ self.beta


def within_error(result, expected, n_errors=4.0):
    error = result.importances.std(axis=1, ddof=1) / np.sqrt(result.importances.shape[1])
    return np.all(abs(result.importances_mean - expected) <= n_errors * error + 1e-12)


def marginal_sage_by_enumeration(predict, X, y, loss):
    """Every coalition, every row, every background row: exact for the sample, no draws."""
    n, p = X.shape

    def risk(S):
        known = np.isin(np.arange(p), list(S))
        mixed = np.where(known, X[:, np.newaxis], X[np.newaxis])  # (row, background row, feature)
        answer = predict(mixed.reshape(-1, p))
        return loss(y, answer.reshape(n, n, *answer.shape[1:]).mean(axis=1)).mean()

    risks = np.array([risk(S) for S in coalitions(p)])
    return shapley_values(risks[0] - risks, p)


def gaussian_sage(beta, mean_products, sigma, conditional):
    """Population SAGE of f = beta x under squared error; mean_products = E[x y], means zero."""
    p = len(beta)

    def worth(S):
        weights = np.zeros(p)
        S, rest = sorted(S), [j for j in range(p) if j not in S]
        weights[S] = beta[S]
        if conditional and S and rest:
            weights[S] += np.linalg.solve(sigma[np.ix_(S, S)], sigma[np.ix_(S, rest)]) @ beta[rest]
        return 2 * weights @ mean_products - weights @ sigma @ weights

    return shapley_values(worth, p)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    X[:, 1] += X[:, 0]
    return X, X @ [1.0, -2.0, 0.0] + X[:, 0] * X[:, 2] + 0.5 * rng.normal(size=120)


# closed forms


BIOMARKER = np.array([[0.25, 0, 0], [0, 0.25, 0.25], [0, 0.25, 0.5]])  # B, C, PSA


def biomarker_rows():
    """Six rows and a target with exactly the moments of the biomarker world (`003`, example 1)."""
    root = np.linalg.cholesky(BIOMARKER)
    Z = np.sqrt(3) * np.vstack([np.eye(3), -np.eye(3)])
    X = Z @ root.T
    return pd.DataFrame(X, columns=["B", "C", "PSA"]), X[:, 0] + 0.5 * X[:, 2]


def test_conditional_sage_of_the_biomarker_world():
    """1/4, 1/64, 3/64: the model reads C, but what C knows comes from PSA."""
    X, y = biomarker_rows()
    sampler = GaussianSampler.from_moments(np.zeros(3), BIOMARKER, list(X))
    result = sage(
        Linear(1, 0.5, 0), X, y, sampler=sampler, n_orders=300, n_samples=50, random_state=0
    )
    assert within_error(result, [1 / 4, 1 / 64, 3 / 64])
    assert result.question is DISTRIBUTION
    assert result.measure == "conditional SAGE"


def test_marginal_sage_of_the_biomarker_world():
    """.25, .0625 and exactly 0 for PSA, which the model does not read."""
    X, y = biomarker_rows()
    result = sage(Linear(1, 0.5, 0), X, y, n_orders=300, random_state=0)
    assert within_error(result, [0.25, 0.0625, 0])
    np.testing.assert_array_equal(result.importances[2], 0)
    assert result.question is Q1
    assert result.measure == "marginal SAGE"


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 10**6), st.booleans())
def test_linear_models_in_random_gaussian_worlds(seed, conditional):
    """Rows at plus and minus the columns of a root of sigma have exactly that covariance."""
    rng = np.random.default_rng(seed)
    p = 3
    A = rng.normal(size=(p, p))
    sigma, beta, gamma = A @ A.T + 0.2 * np.eye(p), rng.normal(size=p), rng.normal(size=p)
    X = np.sqrt(p) * np.vstack([np.linalg.cholesky(sigma).T, -np.linalg.cholesky(sigma).T])
    y = X @ gamma
    sampler = GaussianSampler.from_moments(np.zeros(p), sigma) if conditional else None
    result = sage(
        Linear(*beta), X, y, sampler=sampler, n_orders=120, n_samples=20, random_state=seed
    )
    truth = gaussian_sage(beta, sigma @ gamma, sigma, conditional)
    assert within_error(result, truth, n_errors=5)


def test_at_the_least_squares_fit_marginal_sage_is_coefficient_times_covariance(table):
    """phi_j = b_j Cov(x_j, y): at the fit, the covariance of x with y is that with f."""
    X, y = table
    model = LinearRegression().fit(X, y)
    truth = model.coef_ * [np.cov(x, y, ddof=0)[0, 1] for x in X.T]
    np.testing.assert_allclose(
        marginal_sage_by_enumeration(model.predict, X, y, squared_error), truth, atol=1e-12
    )
    assert within_error(sage(model, X, y, n_orders=100, random_state=0), truth)


def test_a_useful_feature_can_have_negative_marginal_sage():
    """y = x0 - x1 with strongly correlated inputs: the fit needs x1, and is charged for it."""
    sigma = np.array([[4.0, 1.8], [1.8, 1.0]])
    X = np.sqrt(2) * np.vstack([np.linalg.cholesky(sigma).T, -np.linalg.cholesky(sigma).T])
    y = X[:, 0] - X[:, 1]
    result = sage(LinearRegression().fit(X, y), X, y, n_orders=200, random_state=0)
    assert within_error(result, [4.0 - 1.8, -(1.8 - 1.0)])
    assert result.interval()[1, 1] < 0
    without = LinearRegression().fit(X[:, :1], y)
    assert np.mean((y - without.predict(X[:, :1])) ** 2) > 0.1  # with x1 the error is 0


# exact enumeration


def test_marginal_sage_of_squared_error_is_unbiased_with_few_draws(table):
    X, y = table
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y > 0)

    class Probability:
        def predict(self, X):
            return model.predict_proba(X)[:, 1]

    truth = marginal_sage_by_enumeration(Probability().predict, X, y > 0, squared_error)
    result = sage(Probability(), X, y > 0, n_orders=400, n_samples=2, random_state=0)
    assert within_error(result, truth)
    own_loss = sage(
        Probability(),
        X,
        y > 0,
        loss=lambda y, f: (y - f) ** 2,
        n_orders=400,
        n_samples=2,
        random_state=0,
    )
    np.testing.assert_allclose(own_loss.importances, result.importances, atol=1e-12)


def test_one_draw_alone_is_biased_and_two_are_not():
    """With one draw the loss of x0 alone is too large by Var(f | x0) = 1."""
    X = np.array([[a, b] for a in (-1.0, 1.0) for b in (-1.0, 1.0)])
    y = X.sum(axis=1)
    one, two = (sage(Linear(1, 1), X, y, n_orders=400, n_samples=m, random_state=0) for m in (1, 2))
    assert within_error(two, [1, 1])
    np.testing.assert_allclose(one.importances.sum(axis=0), 2)
    first_gain, last_gain = 1 - 1, 1 + 1  # v({0}) sinks by 1, so what follows rises by 1
    assert within_error(one, [(first_gain + last_gain) / 2] * 2)


def test_cross_entropy_of_a_forest_matches_enumeration(table):
    X, y = table
    labels = np.where(y > 0, "up", "down")
    model = RandomForestClassifier(10, min_samples_leaf=10, random_state=0).fit(X, labels)
    truth = marginal_sage_by_enumeration(model.predict_proba, X, labels, cross_entropy)
    result = sage(model, X, labels, n_orders=60, random_state=0)
    assert within_error(result, truth)


def test_the_jackknife_takes_most_of_the_bias_out_of_cross_entropy(table):
    """With 8 draws: at most half as far off as the plain loss of the mean of 8 draws."""
    X, y = table
    model, m = LogisticRegression(C=0.1).fit(X, y > 0), 8
    truth = marginal_sage_by_enumeration(model.predict_proba, X, y > 0, cross_entropy)
    rng = np.random.default_rng(0)

    def plain_risk(S):
        if not S:
            mean = model.predict_proba(X).mean(axis=0)
            return cross_entropy(y > 0, np.tile(mean, (len(y), 1))).mean()
        drawn = X[rng.integers(len(X), size=(100, m, len(X)))]
        rows = np.where(np.isin(range(3), list(S)), X, drawn)
        answer = model.predict_proba(rows.reshape(-1, 3)).reshape(100, m, len(X), 2)
        return np.mean([cross_entropy(y > 0, mean) for mean in answer.mean(axis=1)])

    risks = np.array([plain_risk(S) for S in coalitions(3)])
    plain = shapley_values(risks[0] - risks, 3)
    result = sage(model, X, y > 0, n_orders=200, n_samples=m, random_state=0)
    assert abs(result.importances_mean - truth).max() < 0.5 * abs(plain - truth).max()


# what a column is


@pytest.mark.parametrize("sampler", [None, GaussianSampler(), ForestSampler(n_estimators=3)])
def test_every_column_sums_to_what_all_features_save(sampler, table):
    X, y = table
    model = LinearRegression().fit(X, y)
    result = sage(model, X, y, sampler=sampler, n_orders=5, random_state=0)
    assert result.importances.shape == (3, 5)
    totals = result.importances.sum(axis=0)
    np.testing.assert_allclose(totals, totals[0])
    if sampler is None:
        no_feature = np.mean((y - model.predict(X).mean()) ** 2)
        np.testing.assert_allclose(totals, no_feature - np.mean((y - model.predict(X)) ** 2))


def test_the_interval_covers_as_often_as_it_says(table):
    X, y = table
    model = LinearRegression().fit(X, y)
    truth = model.coef_ * [np.cov(x, y, ddof=0)[0, 1] for x in X.T]
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(60):
        low, high = sage(model, X, y, n_orders=12, random_state=rng).interval().T
        covered.append((low <= truth) & (truth <= high))
    for rate in np.mean(covered, axis=0):
        assert stats.binomtest(round(rate * 60), 60, 0.95).pvalue > 1e-3


def test_a_conditional_sampler_credits_a_copy_that_is_not_read(table):
    x = table[0][:, :1]
    X = np.hstack([x, x])
    y = x.ravel()
    marginal = sage(Linear(1, 0), X, y, n_orders=50, random_state=0)
    conditional = sage(Linear(1, 0), X, y, sampler=GaussianSampler(), n_orders=50, random_state=0)
    np.testing.assert_allclose(marginal.importances_mean, [y.var(), 0])
    for column in conditional.importances.T:  # whoever comes first gets all
        np.testing.assert_allclose(np.sort(column), [0, y.var()], atol=0.05 * y.var())


def test_a_model_that_never_moves_gives_nobody_anything(table):
    X, y = table
    for sampler in (None, GaussianSampler()):
        result = sage(Linear(0, 0, 0), X, y, sampler=sampler, n_orders=3, random_state=0)
        np.testing.assert_allclose(result.importances, 0, atol=1e-12)


def test_a_single_feature_gets_everything(table):
    X, y = table
    for sampler in (None, GaussianSampler()):
        result = sage(
            Linear(1), X[:, :1], y, sampler=sampler, n_orders=2, n_samples=500, random_state=0
        )
        saved = np.mean((y - X[:, 0].mean()) ** 2) - np.mean((y - X[:, 0]) ** 2)
        np.testing.assert_allclose(result.importances, saved, rtol=0.05)


# losses and samplers


def test_labels_are_put_to_the_vote(table):
    """At full knowledge the loss is the error rate, at none that of the most frequent label."""
    X, y = table
    labels = np.where(y > 0.3, "yes", "no")
    for model in (DecisionTreeClassifier(max_depth=3, random_state=0), RidgeClassifier()):
        model.fit(X, labels)
        predicted = model.predict(X)
        values, counts = np.unique(predicted, return_counts=True)
        expected = np.mean(labels != values[counts.argmax()]) - np.mean(labels != predicted)
        result = sage(model, X, labels, loss=zero_one, n_orders=3, random_state=0)
        np.testing.assert_allclose(result.importances.sum(axis=0), expected)


def test_without_probabilities_a_classifier_is_judged_by_its_labels(table):
    X, y = table
    model = RidgeClassifier().fit(X, y > 0)
    by_default = sage(model, X, y > 0, n_orders=3, random_state=0)
    by_name = sage(model, X, y > 0, loss=zero_one, n_orders=3, random_state=0)
    np.testing.assert_array_equal(by_default.importances, by_name.importances)


def test_numbers_are_averaged_even_from_a_classifier(table):
    X, y = table
    labels = (y > 0.3).astype(int)
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, labels)
    truth = marginal_sage_by_enumeration(model.predict, X, labels, squared_error)
    result = sage(model, X, labels, loss=squared_error, n_orders=150, random_state=0)
    assert within_error(result, truth)


def test_absolute_error_matches_enumeration(table):
    X, y = table
    model = LinearRegression().fit(X, y)
    truth = marginal_sage_by_enumeration(model.predict, X, y, absolute_error)
    result = sage(model, X, y, loss=absolute_error, n_samples=60, n_orders=40, random_state=0)
    np.testing.assert_allclose(result.importances_mean, truth, atol=0.02 * truth.max())


def test_a_fitted_sampler_is_used_as_it_is(table):
    """Drawing from a single row, knowledge is measured against that row."""
    X, y = table
    sampler = MarginalSampler().fit(np.zeros((1, 3)))
    result = sage(Linear(1, -2, 0), X, y, sampler=sampler, n_orders=2, random_state=0)
    saved = np.mean(y**2) - np.mean((y - Linear(1, -2, 0).predict(X)) ** 2)
    np.testing.assert_allclose(result.importances.sum(axis=0), saved)


def test_frames_arrays_and_series_are_the_same_data(table):
    X, y = table
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    by_frame = sage(LinearRegression().fit(frame, y), frame, pd.Series(y), random_state=1)
    by_array = sage(LinearRegression().fit(X, y), X, y, random_state=1)
    np.testing.assert_allclose(by_frame.importances, by_array.importances, atol=1e-10)
    assert by_frame.feature_names == ("a", "b", "c")


@pytest.mark.parametrize("sampler", [None, GaussianSampler(), ForestSampler(n_estimators=3)])
def test_the_same_seed_gives_the_same_result_and_nothing_is_modified(sampler, table):
    X, y = table
    X_before, y_before = X.copy(), y.copy()
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    one, two, other = (
        sage(Linear(1, 1, 1), X, y, sampler=sampler, n_orders=2, random_state=seed).importances
        for seed in (4, np.random.default_rng(4), 5)
    )
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, other)
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(y, y_before)
    np.testing.assert_array_equal(state, np.random.get_state()[1])  # noqa: NPY002


def test_small_blocks_of_rows_change_nothing_but_the_draws(table, monkeypatch):
    X, y = table
    model = LinearRegression().fit(X, y)
    truth = model.coef_ * [np.cov(x, y, ddof=0)[0, 1] for x in X.T]
    monkeypatch.setattr("course_lib.measures.attribution.sage.BLOCK_ROWS", 100)
    for sampler in (None, MarginalSampler()):
        assert within_error(sage(model, X, y, sampler=sampler, random_state=0), truth)
    assert sage(model, X, y, sampler=GaussianSampler(), random_state=0).importances.shape == (3, 32)


def test_sage_importance_agrees(table):
    package = pytest.importorskip("sage")
    X, y = table
    model = LinearRegression().fit(X, y)
    estimator = package.PermutationEstimator(
        package.MarginalImputer(model, X), "mse", random_state=0
    )
    theirs = estimator(
        X, y, batch_size=512, n_permutations=4096, detect_convergence=False, bar=False
    )
    ours = sage(model, X, y, n_orders=50, random_state=0)
    error = np.hypot(theirs.std, ours.importances.std(axis=1) / np.sqrt(50))
    assert np.all(abs(theirs.values - ours.importances_mean) < 4 * error)


# refusals


class Blind:
    def predict(self, X):
        return np.full(len(X), "red")


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"n_orders": 0}, ValueError, "n_orders must be"),
        ({"n_orders": 2.5}, TypeError, "n_orders must be"),
        ({"n_samples": 0}, ValueError, "n_samples must be"),
        ({"n_samples": "all"}, TypeError, "n_samples must be"),
        ({"random_state": -1}, ValueError, "random_state must not be negative"),
        ({"sampler": GaussianSampler}, TypeError, "sampler must be"),
        ({"sampler": "gaussian"}, TypeError, "sampler must be"),
        ({"sampler": MarginalSampler().fit(np.zeros((3, 2)))}, ValueError, "fitted to 2"),
        ({"loss": "mse"}, TypeError, "loss must be a function"),
        ({"loss": lambda y, f: 1.0}, ValueError, "one value per row"),
        ({"y": np.zeros(7)}, ValueError, "each row needs its target"),
        ({"y": None}, TypeError, "y must be one target per row"),
        ({"X": np.full((120, 3), np.nan)}, ValueError, "NaN or infinite"),
        ({"X": np.zeros((0, 3)), "y": []}, ValueError, "at least 1 row"),
        ({"X": np.zeros(120)}, ValueError, "two dimensions"),
        ({"model": LinearRegression()}, ValueError, "has not been fitted"),
        ({"model": None}, TypeError, "fitted model"),
        ({"model": Blind(), "loss": zero_one}, TypeError, "must be numbers"),
        ({"model": LinearRegression().fit([[0, 0], [1, 1]], [0, 1])}, ValueError, "fitted with 2"),
    ],
)
def test_what_cannot_be_measured_is_refused(change, error, message, table):
    call = {"model": Linear(1, 1, 1), "X": table[0], "y": table[1], "n_orders": 2} | change
    with pytest.raises(error, match=message):
        sage(call.pop("model"), call.pop("X"), call.pop("y"), **call)
