"""Samplers against conditional moments, proper scores and their refusals (mirrors samplers.py)."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import clone

from course_lib.worlds import ForestSampler, GaussianSampler, MarginalSampler
from course_lib.worlds.samplers import fitted_sampler

SAMPLERS = [MarginalSampler, GaussianSampler, ForestSampler]
SIGMA = np.array([[2.0, 0.8, -0.5], [0.8, 1.0, 0.3], [-0.5, 0.3, 1.5]])
MEAN = np.array([1.0, -2.0, 0.5])


@pytest.fixture
def data():
    return np.random.default_rng(0).multivariate_normal(MEAN, SIGMA, size=300)


def energy_score(sampler, X, columns, given, truth, n_draws=20):
    """E|draw - truth| - E|draw - draw'| / 2, a proper score of a distribution; lower is better."""
    rng = np.random.default_rng(1)
    draws = np.stack([sampler.sample(X, columns, given, rng) for _ in range(n_draws)])
    norm = np.linalg.norm
    apart = norm(draws[:, None] - draws[None], axis=-1).sum((0, 1)) / (n_draws * (n_draws - 1))
    return norm(draws - truth, axis=-1).mean(axis=0) - apart / 2


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("columns", [[], [2], [2, 0]])
@pytest.mark.parametrize("given", [[], [1]])
def test_draws_have_one_row_per_row_and_one_column_per_column(sampler, columns, given, data):
    drawn = sampler().fit(data).sample(data[:7], columns, given, random_state=0)
    assert drawn.shape == (7, len(columns))
    assert np.isfinite(drawn).all()


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_names_and_positions_are_the_same_features(sampler, data):
    frame = pd.DataFrame(data, columns=["a", "b", "c"])
    by_name = sampler().fit(frame).sample(frame, ["c", "a"], "b", random_state=3)
    by_position = sampler().fit(data).sample(data, [2, 0], [1], random_state=3)
    mixed = sampler().fit(frame).sample(data, ["c", 0], 1, random_state=3)
    np.testing.assert_array_equal(by_name, by_position)
    np.testing.assert_array_equal(by_name, mixed)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_the_same_seed_gives_the_same_draws_and_nothing_is_modified(sampler, data):
    before = data.copy()
    one = sampler().fit(data).sample(data, [0], [1, 2], random_state=5)
    fresh = sampler().fit(data)
    fresh.sample(data, [2], [0], random_state=1)  # what was asked before must not matter
    np.testing.assert_array_equal(one, fresh.sample(data, [0], [1, 2], random_state=5))
    np.testing.assert_array_equal(
        one, fresh.sample(data, [0], [1, 2], random_state=np.random.default_rng(5))
    )
    assert not np.array_equal(one, fresh.sample(data, [0], [1, 2], random_state=6))
    np.testing.assert_array_equal(before, data)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_numpys_global_state_is_neither_read_nor_changed(sampler, data):
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    sampler().fit(data).sample(data, [0], [1])
    np.testing.assert_array_equal(state, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize("sampler", [MarginalSampler, ForestSampler])
def test_drawn_columns_are_whole_pieces_of_fitted_rows(sampler, data):
    drawn = sampler().fit(data).sample(data, [0, 2], [1], random_state=0)
    pairs = {tuple(row) for row in data[:, [0, 2]]}
    assert all(tuple(row) in pairs for row in drawn)


def test_the_marginal_sampler_ignores_what_is_given(data):
    sampler = MarginalSampler().fit(data)
    np.testing.assert_array_equal(
        sampler.sample(data, [0], [], random_state=0),
        sampler.sample(data[::-1] + 9, [0], [1, 2], random_state=0),
    )


def test_the_marginal_sampler_draws_every_row_equally_often():
    rows = np.arange(5.0).reshape(-1, 1)
    drawn = MarginalSampler().fit(rows).sample(np.zeros((5000, 1)), 0, [], random_state=0)
    counts = np.unique(drawn, return_counts=True)[1]
    assert stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize(
    ("C", "G"), [((0,), (1,)), ((2, 0), (1,)), ((1,), (0, 2)), ((0, 1, 2), ())]
)
def test_gaussian_draws_match_the_conditional_moments(C, G):
    """The precision matrix gives the conditional covariance, regression gives the mean."""
    sampler = GaussianSampler.from_moments(MEAN, SIGMA)
    x, n = np.array([2.0, -1.0, 0.0]), 40_000
    drawn = sampler.sample(np.tile(x, (n, 1)), C, G, random_state=0)

    C, G = list(C), list(G)
    both = C + G
    precision = np.linalg.inv(SIGMA[np.ix_(both, both)])
    k = len(C)
    covariance = np.linalg.inv(precision[:k, :k])
    mean = MEAN[C] - covariance @ precision[:k, k:] @ (x - MEAN)[G]

    assert np.all(abs(drawn.mean(axis=0) - mean) < 4 * np.sqrt(covariance.diagonal() / n))
    sd = np.sqrt((np.outer(covariance.diagonal(), covariance.diagonal()) + covariance**2) / n)
    assert np.all(abs(np.atleast_2d(np.cov(drawn, rowvar=False)) - covariance) < 4 * sd)


@settings(deadline=None, max_examples=25)
@for_all(seed=st.integers(0, 10**6), p=st.integers(1, 5), rank=st.integers(1, 5))
def test_gaussian_root_and_regression_rebuild_any_covariance(seed, p, rank):
    """B Sigma_GG B' + R R' = Sigma_CC, singular or not, at any scale of the columns."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(p, rank)) * 10.0 ** rng.integers(-4, 5, size=(p, 1))
    sigma = A @ A.T
    k = rng.integers(1, p + 1)
    C, G = tuple(range(k)), tuple(range(k, p))
    B, R = GaussianSampler.from_moments(np.zeros(p), sigma)._conditional(C, G)
    rebuilt = B @ sigma[k:, k:] @ B.T + R @ R.T
    unit = np.sqrt(sigma.diagonal())[:k]
    np.testing.assert_allclose(
        rebuilt / np.outer(unit, unit), sigma[:k, :k] / np.outer(unit, unit), atol=1e-6
    )


def test_gaussian_moments_are_those_of_the_sample(data):
    sampler = GaussianSampler().fit(data)
    np.testing.assert_allclose(sampler.mean_, data.mean(axis=0))
    np.testing.assert_allclose(sampler.covariance_, np.cov(data.T))


def test_a_constant_tells_nothing_also_where_it_has_another_value(data):
    X = np.column_stack([data[:40], np.full(40, 0.1)])
    elsewhere = np.column_stack([data[:40], np.full(40, 5.0)])
    sampler = GaussianSampler().fit(X)
    drawn = (sampler.sample(rows, 0, 3, random_state=0) for rows in (X, elsewhere))
    np.testing.assert_allclose(*drawn)


def test_values_without_a_finite_variance_are_refused(data):
    with pytest.raises(ValueError, match="variance is infinite"):
        GaussianSampler().fit(1e160 * data)


def test_duplicates_sums_and_constants_are_reproduced(data):
    x = data[:, :1]
    X = np.hstack([x, x, data[:, 1:2], x + 2 * data[:, 1:2], np.full_like(x, 7.0), 1e-6 * x])
    sampler = GaussianSampler().fit(X)
    assert np.allclose(sampler.sample(X, 1, 0, random_state=0), x, atol=1e-7)
    assert np.allclose(sampler.sample(X, 3, [0, 1, 2], random_state=0), X[:, [3]], atol=1e-6)
    assert np.allclose(sampler.sample(X, [4], [0], random_state=0), 7.0)
    assert np.allclose(sampler.sample(X, 0, 5, random_state=0), x, atol=1e-6)
    together = sampler.sample(X, [0, 1], [], random_state=0)
    assert np.allclose(together[:, 0], together[:, 1], atol=1e-7)
    assert together[:, 0].std() > 0.5 * x.std()


def test_fewer_rows_than_columns_are_no_obstacle():
    X = np.random.default_rng(0).normal(size=(3, 6))
    drawn = GaussianSampler().fit(X).sample(X, [0, 1], [2, 3, 4, 5], random_state=0)
    np.testing.assert_allclose(drawn, X[:, :2], atol=1e-6)  # two directions, all of them given


def test_known_moments_take_their_names_from_pandas():
    names = ["a", "b", "c"]
    sigma = pd.DataFrame(SIGMA, index=names, columns=names)
    X = pd.DataFrame(np.tile(MEAN, (4, 1)), columns=names)
    by_frame = GaussianSampler.from_moments(pd.Series(MEAN, names), sigma)
    by_array = GaussianSampler.from_moments(MEAN, SIGMA, feature_names=names)
    np.testing.assert_array_equal(
        by_frame.sample(X, "b", ["a"], random_state=0), by_array.sample(X, 1, 0, random_state=0)
    )


def test_the_forest_beats_both_others_on_a_curve():
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, size=(1200, 1))
    X = np.hstack([x, x**2 + 0.3 * rng.normal(size=x.shape)])
    train, test = X[:800], X[800:]
    scores = {
        sampler: energy_score(sampler().fit(train), test, [1], [0], test[:, [1]])
        for sampler in SAMPLERS
    }
    for rival in (MarginalSampler, GaussianSampler):
        gain = scores[rival] - scores[ForestSampler]
        assert gain.mean() > 4 * gain.std() / np.sqrt(len(gain))


def test_the_forest_beats_the_marginal_sampler_jointly_on_linear_data(data):
    rng = np.random.default_rng(2)
    X = rng.multivariate_normal(np.zeros(3), [[1, 0.9, 0.9], [0.9, 1, 0.8], [0.9, 0.8, 1]], 900)
    train, test = X[:600], X[600:]
    marginal, forest = (
        energy_score(sampler().fit(train), test, [1, 2], [0], test[:, 1:])
        for sampler in (MarginalSampler, ForestSampler)
    )
    gain = marginal - forest
    assert gain.mean() > 4 * gain.std() / np.sqrt(len(gain))


def test_the_forest_keeps_the_support_of_codes_and_learns_their_law():
    """P(code 5 | group 0) = .2 and P(code 5 | group 1) = .9, within binomial error."""
    rng = np.random.default_rng(0)
    group = rng.integers(2, size=4000)
    code = np.where(rng.random(4000) < np.where(group, 0.9, 0.2), 5, 2)
    X = np.column_stack([group, code])
    drawn = ForestSampler().fit(X).sample(X, 1, 0, random_state=0).ravel()
    assert set(drawn) == {2.0, 5.0}
    for value in (0, 1):
        observed = code[group == value] == 5
        error = np.sqrt(observed.var() / len(observed))
        assert abs((drawn[group == value] == 5).mean() - observed.mean()) < 4 * error


def test_the_forest_keeps_only_so_many_forests(data, monkeypatch):
    monkeypatch.setattr("course_lib.worlds.samplers.MAX_FORESTS", 2)
    sampler = ForestSampler(n_estimators=2).fit(data)
    first = sampler.sample(data, 0, 1, random_state=0)
    for given in ([2], [1, 2]):
        sampler.sample(data, 0, given)
    assert len(sampler._forests) == 2
    np.testing.assert_array_equal(first, sampler.sample(data, 0, 1, random_state=0))


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_one_feature_and_integers_are_enough(sampler):
    X = np.arange(6).reshape(-1, 1)
    assert sampler().fit(X).sample(X, 0, [], random_state=0).shape == (6, 1)


# fitted


def test_an_unfitted_sampler_is_fitted_on_a_copy(data):
    sampler = GaussianSampler()
    assert fitted_sampler(sampler, data).mean_ == pytest.approx(data.mean(axis=0))
    assert not hasattr(sampler, "mean_")
    forest = ForestSampler(n_estimators=3)
    assert fitted_sampler(forest, data).n_estimators == 3


def test_a_fitted_sampler_is_used_as_it_is(data):
    for sampler in (MarginalSampler().fit(data), GaussianSampler.from_moments(MEAN, SIGMA)):
        assert fitted_sampler(sampler, data[:5]) is sampler


def test_samplers_of_ones_own_are_welcome(data):
    class Zeros:
        def sample(self, X, columns, given, random_state=None):
            return np.zeros((len(X), len(columns)))

    class Fitted(Zeros):
        def fit(self, X):
            self.seen_ = len(X)
            return self

    own = Zeros()
    assert fitted_sampler(own, data) is own
    assert fitted_sampler(Fitted(), data).seen_ == len(data)


@pytest.mark.parametrize("wrong", [None, "gaussian", GaussianSampler, 3])
def test_what_cannot_sample_is_refused(wrong, data):
    with pytest.raises(TypeError, match="sampler must be"):
        fitted_sampler(wrong, data)


# refusals


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_unfitted_use_is_refused(sampler, data):
    with pytest.raises(ValueError, match="has not been fitted"):
        sampler().sample(data, [0], [1])
    with pytest.raises(ValueError, match="has not been fitted"):
        clone(sampler().fit(data)).sample(data, [0], [1])


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_overlap_unknown_features_and_other_tables_are_refused(sampler, data):
    frame = pd.DataFrame(data, columns=["age", "sex", "zip"])
    ready = sampler().fit(frame)
    with pytest.raises(ValueError, match="sex cannot be both drawn and given"):
        ready.sample(frame, ["age", "sex"], ["sex"])
    with pytest.raises(ValueError, match="Did you mean 'age'"):
        ready.sample(frame, ["agee"], [])
    with pytest.raises(ValueError, match="no feature at position 3"):
        ready.sample(data, [3], [])
    with pytest.raises(ValueError, match="X has 2 columns, but the sampler was fitted to 3"):
        ready.sample(data[:, :2], [0], [1])
    with pytest.raises(ValueError, match="in the same order"):
        ready.sample(frame[["sex", "age", "zip"]], ["age"], [])
    with pytest.raises(ValueError, match="random_state must not be negative"):
        ready.sample(frame, ["age"], [], random_state=-1)


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (np.array([[1.0, np.inf], [0.0, 1.0]]), ValueError),
        (np.zeros((0, 2)), ValueError),
        (np.zeros(4), ValueError),
        ([[1j, 2j], [3j, 4j]], TypeError),
        (None, TypeError),
    ],
)
def test_tables_that_are_none_are_refused(sampler, wrong, error):
    with pytest.raises(error):
        sampler().fit(wrong)


@pytest.mark.parametrize(
    ("table", "error", "words"),
    [
        ([[1.0, np.nan], [0.0, 1.0]], ValueError, "x1 .missing values"),
        ([["a", 1.0], ["c", 2.0]], TypeError, "x0 .no numbers"),
    ],
)
def test_a_normal_law_needs_numbers_and_names_the_sampler_that_does_not(table, error, words):
    with pytest.raises(error, match=f"{words}.*ForestSampler"):
        GaussianSampler().fit(np.array(table, dtype=object))


def test_a_covariance_needs_two_rows():
    with pytest.raises(ValueError, match="at least 2 rows"):
        GaussianSampler().fit([[1.0, 2.0]])


@pytest.mark.parametrize(
    ("mean", "covariance", "names", "message"),
    [
        ([0, 0], np.eye(3), None, "one row and column per mean"),
        ([0, 0], [[1, 2], [2, 1]], None, "without negative eigenvalues"),
        ([0, 0], [[1, 0.5], [0, 1]], None, "symmetric"),
        ([0, np.nan], np.eye(2), None, "NaN or infinite"),
        ([0, 0], np.eye(2), ["a"], "2 different names"),
        ([0, 0], np.eye(2), ["a", "a"], "2 different names"),
    ],
)
def test_impossible_moments_are_refused(mean, covariance, names, message):
    with pytest.raises(ValueError, match=message):
        GaussianSampler.from_moments(mean, covariance, names)


@pytest.mark.parametrize("options", [{"n_estimators": 0}, {"min_samples_leaf": -1}])
def test_impossible_forests_are_refused(options, data):
    with pytest.raises(ValueError, match="must be a whole number"):
        ForestSampler(**options).fit(data)


# a row that was fitted does not draw itself


def town(n: int, seed: int) -> pd.DataFrame:
    """Two numbers that go together, and three columns that have to do with nothing."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n)
    table = {"size": size, "price": size + rng.normal(size=n) / 2, "coast": rng.random(n) < 0.3}
    return pd.DataFrame(table | {"region": rng.choice(list("abcd"), n), "age": rng.random(n)})


def differs(sampler, X, name: str, n_draws: int = 5) -> np.ndarray:
    """Whether each row draws another value than its own, given all other columns."""
    rest, rng = [other for other in X if other != name], np.random.default_rng(0)
    draws = [sampler.sample(X, name, rest, rng)[:, 0] for _ in range(n_draws)]
    return np.mean([draw != X[name].to_numpy() for draw in draws], axis=0)


@pytest.mark.parametrize("n", [200, 1000])
@pytest.mark.parametrize("name", ["coast", "region"])
def test_what_has_to_do_with_nothing_is_drawn_from_its_marginal_for_the_rows_fitted(n, name):
    """Two draws of a column differ with probability 1 - sum of p^2; so must a value and its draw.

    A sampler whose rows draw themselves has 7 to 12 % less.
    """
    shares = []
    for seed in range(8):
        X = town(n, seed)
        p = X[name].value_counts(normalize=True)
        sampler = ForestSampler(random_state=seed).fit(X)
        shares.append(differs(sampler, X, name).mean() / (1 - (p**2).sum()))
    assert abs(np.mean(shares) - 1) < 4 * np.std(shares, ddof=1) / np.sqrt(8)
    assert np.mean(shares) > 0.97


def test_a_number_that_has_no_equal_is_never_drawn_for_its_own_row():
    X = town(300, 0)
    sampler = ForestSampler(min_samples_leaf=2).fit(X)
    assert (differs(sampler, X, "age") == 1).all()
    assert (differs(sampler, X.sample(frac=0.5, random_state=0), "age") == 1).all()
    assert (sampler.sample(X, "age", [], random_state=0) != X[["age"]]).to_numpy().mean() > 0.98


def test_fitted_rows_are_drawn_for_as_well_as_new_ones_and_not_better():
    """The energy score of a curve on the rows that were fitted is that on others of its law."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, size=(2400, 1))
    X = np.hstack([x, x**2 + 0.3 * rng.normal(size=x.shape)])
    fitted, new = X[:1200], X[1200:]
    sampler = ForestSampler().fit(fitted)
    seen, others = (energy_score(sampler, T, [1], [0], T[:, [1]]) for T in (fitted, new))
    error = np.sqrt(seen.var() / len(seen) + others.var() / len(others))
    assert abs(seen.mean() - others.mean()) < 3 * error


@settings(deadline=None, max_examples=20)
@for_all(seed=st.integers(0, 10**6), n=st.integers(1, 12), trees=st.integers(1, 3))
def test_equal_rows_gaps_and_rows_alone_in_their_leaf_are_drawn_for_too(seed, n, trees):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(n, 3)).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    sampler = ForestSampler(trees, min_samples_leaf=1, random_state=0).fit(X)
    drawn = sampler.sample(np.tile(X, (2, 1)), [0, 1], [2], random_state=0)
    known = {str(row) for row in X[:, :2]}
    assert drawn.shape == (2 * n, 2) and all(str(row) in known for row in drawn)
