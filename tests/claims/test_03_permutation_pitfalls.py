"""The claims of lesson 03, each over several seeds."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform
from scipy.stats import binomtest, norm, spearmanr
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeRegressor

from course_lib.measures import (
    algorithm_reliance,
    conditional_model_reliance,
    conditional_permutation_importance,
    model_reliance,
    oob_permutation_importance,
    permutation_importance,
    permutation_null,
)
from course_lib.measures.reliance import unique_part
from course_lib.models import OnColumns, squared_error, zero_one
from course_lib.studies import extrapolation_error, surface_fit
from course_lib.worlds import make_correlated

SEEDS = range(10)
each_seed = pytest.mark.parametrize("seed", SEEDS)


def fixed_linear(b) -> LinearRegression:
    """The model f = b @ x."""
    b = np.asarray(b, dtype=float)
    return LinearRegression(fit_intercept=False).fit(np.eye(len(b)), b)


# The clinic: nothing important, then groups


@pytest.fixture(scope="module")
def clinics():
    """For ten splits: the forest, the test sample, single importances and five groups."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    found = []
    for seed in (42, *range(9)):
        train, X_test, y_train, y_test = train_test_split(X, y, random_state=seed)
        forest = RandomForestClassifier(60, random_state=seed).fit(train, y_train)
        single = permutation_importance(
            forest, X_test, y_test, loss=zero_one, n_repeats=5, random_state=seed
        )
        distance = 1 - abs(spearmanr(train).statistic)
        links = hierarchy.ward(squareform(distance, checks=False))
        cluster = hierarchy.fcluster(links, 5, "maxclust")
        found.append((train, y_train, forest, X_test, y_test, single, cluster))
    return found


def accuracy_lost(forest, X_test, y_test, columns, seed) -> float:
    table = X_test.copy()
    table[columns] = X_test[columns].sample(frac=1, random_state=seed).to_numpy()
    return forest.score(X_test, y_test) - forest.score(table, y_test)


def test_the_clinic_is_right_about_97_times_in_100(clinics):
    scores = [forest.score(X, y) for _, _, forest, X, y, _, _ in clinics]
    assert scores[0] == pytest.approx(0.97, abs=0.015)  # the lesson's split
    assert min(scores) > 0.92 and np.mean(scores) > 0.94


def test_no_single_column_costs_more_than_a_few_patients_in_a_hundred(clinics):
    largest = [single.importances_mean.max() for *_, single, _ in clinics]
    assert largest[0] < 0.015
    assert max(largest) < 0.04


def test_shuffling_whole_records_leaves_nothing(clinics):
    for seed, (_, _, forest, X_test, y_test, *_) in enumerate(clinics):
        assert accuracy_lost(forest, X_test, y_test, list(X_test.columns), seed) > 0.3


SIZES = [f"{kind}{name}" for name in ("radius", "area") for kind in ("mean ", "worst ")]
SHAPES = [f"{kind}{name}" for name in ("compactness", "concavity") for kind in ("mean ", "worst ")]


@pytest.mark.parametrize("known", [SIZES, SHAPES], ids=["sizes", "shapes"])
def test_sizes_and_shapes_form_groups_that_are_worth_more_than_their_columns_added_up(
    clinics, known
):
    """For the lesson's split, and on average over the splits."""
    together, added = [], []
    for train, _, forest, X_test, y_test, single, cluster in clinics:
        (c,) = {cluster[train.columns.get_loc(name)] for name in known}  # all in one group
        columns = list(train.columns[cluster == c])
        assert len(columns) >= 9
        losses = [accuracy_lost(forest, X_test, y_test, columns, seed) for seed in range(3)]
        together.append(np.mean(losses))
        added.append(single.importances_mean[cluster == c].sum())
    assert together[0] > added[0] + 0.05
    assert np.mean(together) > 2 * np.mean(added)
    assert min(together) > 0.03


def test_the_first_column_of_each_group_does_about_as_well_as_all_thirty(clinics):
    gaps = []
    for train, y_train, forest, X_test, y_test, _, cluster in clinics:
        keep = [train.columns[cluster == c][0] for c in range(1, 6)]
        small = RandomForestClassifier(60, random_state=0).fit(train[keep], y_train)
        gaps.append(forest.score(X_test, y_test) - small.score(X_test[keep], y_test))
    assert np.mean(gaps) < 0.04


# Pairs, halves, shuffles


@each_seed
def test_all_shuffles_find_exactly_the_share_n_minus_1_over_n_of_all_pairs(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(5, 2)), rng.normal(size=5)
    model = DecisionTreeRegressor(max_depth=2, random_state=0).fit(X, y + rng.normal(size=5))
    before = squared_error(y, model.predict(X)).mean()
    losses = []
    for order in permutations(range(5)):
        shuffled = X.copy()
        shuffled[:, 0] = X[list(order), 0]
        losses.append(squared_error(y, model.predict(shuffled)).mean())
    pairs = model_reliance(model, X, y, as_ratio=False).importances_mean[0]
    assert np.mean(losses) - before == pytest.approx(4 / 5 * pairs)


@each_seed
def test_least_squares_has_the_closed_form_2_b_squared_s_squared(seed):
    X, y = make_correlated(50, seed, rho=0.5)
    model = LinearRegression().fit(X, y)
    expected = 2 * model.coef_**2 * X.var(ddof=1).to_numpy()
    difference = model_reliance(model, X, y, as_ratio=False).importances_mean
    np.testing.assert_allclose(difference, expected)
    ratio = model_reliance(model, X, y).importances_mean
    np.testing.assert_allclose(ratio, 1 + difference / squared_error(y, model.predict(X)).mean())


@each_seed
def test_the_halves_are_one_pairing_of_the_many(seed):
    X, y = make_correlated(20, seed, rho=0.5)
    model = LinearRegression().fit(X, y)
    switched = X.assign(x1=np.roll(X["x1"], 10))
    expected = (
        squared_error(y, model.predict(switched)).mean() / squared_error(y, model.predict(X)).mean()
    )
    halves = model_reliance(model, X, y, pairs="halves").importances_mean[0]
    assert halves == pytest.approx(expected)
    assert halves != pytest.approx(model_reliance(model, X, y).importances_mean[0], rel=1e-3)


# Scramble or zero


@each_seed
def test_scrambling_does_not_care_about_units_and_zeros_do(seed):
    X, y = make_correlated(300, seed, rho=0.0)
    scrambled_by, zeroed = [], []
    for shift in (0.0, 20.0):
        table = X.assign(x1=X["x1"] + shift)
        tree = DecisionTreeRegressor(max_depth=3, random_state=0).fit(table, y)
        scrambled_by.append(model_reliance(tree, table, y, as_ratio=False).importances_mean[0])
        at_zero = tree.predict(table.assign(x1=0.0))
        zeroed.append(squared_error(y, at_zero).mean())
        if shift:
            coldest = table.assign(x1=table["x1"].min())
            np.testing.assert_array_equal(at_zero, tree.predict(coldest))
    assert scrambled_by[0] == pytest.approx(scrambled_by[1])
    assert zeroed[1] > 2 * zeroed[0]


# Training, new and out-of-bag rows


@pytest.fixture(scope="module")
def noisy_forests():
    """Importances of x1 and two noises, on training, new and out-of-bag rows, over seeds."""
    rows = []
    for seed in range(12):
        fit, new = (make_correlated(200, 2 * seed + k, rho=0.0) for k in (0, 1))
        forest = RandomForestRegressor(30, random_state=seed).fit(*fit)
        rows.append(
            [
                permutation_importance(forest, *fit, n_repeats=5, random_state=seed),
                permutation_importance(forest, *new, n_repeats=5, random_state=seed),
                oob_permutation_importance(forest, *fit, random_state=seed),
            ]
        )
    return np.array([[result.importances_mean for result in row] for row in rows])


def test_on_training_rows_noise_is_well_above_zero(noisy_forests):
    assert (noisy_forests[:, 0, 1:] > 0.2).all()


@pytest.mark.parametrize("kind", [1, 2])
def test_on_new_and_out_of_bag_rows_noise_is_zero_on_average(noisy_forests, kind):
    noise = noisy_forests[:, kind, 1:].mean(axis=1)
    standard_error = noise.std(ddof=1) / np.sqrt(len(noise))
    assert abs(noise.mean()) < 4 * standard_error
    assert (noise < noisy_forests[:, 0, 1:].mean(axis=1) / 2).all()


# Below zero


def test_about_half_of_the_estimates_of_zero_are_negative_and_clipping_makes_their_mean_positive():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 2)), columns=["signal", "noise"])
    y = X["signal"] + rng.normal(size=400)
    train, test = slice(None, 200), slice(200, None)
    null = permutation_null(
        LinearRegression(),
        *(X[train], y[train], "noise"),
        X_test=X[test],
        y_test=y[test],
        n_repeats=200,
        random_state=0,
    ).importances[0]
    assert binomtest(int((null < 0).sum()), 200).pvalue > 1e-4
    assert np.maximum(null, 0).mean() > 5 * abs(null.mean())


def hospital(sign, rng, n=150):
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["signal", "noise", "drifted"])
    return X, 0.3 * X["signal"] + sign * 0.3 * X["drifted"] + 0.7 * rng.normal(size=n)


def measured_and_twins(seed) -> tuple[np.ndarray, np.ndarray]:
    """The importances in the second hospital (3,), and those of 25 twins of each column (3, 25)."""
    rng = np.random.default_rng(seed)
    (X, y), (X_new, y_new) = hospital(1, rng), hospital(-1, rng)
    model = LinearRegression().fit(X, y)
    measured = permutation_importance(model, X_new, y_new, random_state=seed).importances_mean
    at = {"X_test": X_new, "y_test": y_new, "n_repeats": 25, "random_state": seed}
    twins = [permutation_null(model, X, y, name, **at).importances[0] for name in X]
    return measured, np.array(twins)


def test_the_twins_tell_harm_from_noise():
    """Noise is one twin more: it leads or trails all 25 in 2 of 26 samples on average."""
    results = [measured_and_twins(seed) for seed in SEEDS]
    below, above = (
        np.array([compare(m, t) for m, t in results])
        for compare in (
            lambda m, t: m < t.min(axis=1),
            lambda m, t: m > t.max(axis=1),
        )
    )
    assert below[:, 2].all(), "drifted does harm in every sample"
    assert above[:, 0].sum() >= 8, "signal helps"
    outside = int((below | above)[:, 1].sum())
    assert binomtest(outside, len(SEEDS), 2 / 26, alternative="greater").pvalue > 1e-3


@each_seed
def test_a_fixed_model_can_have_a_negative_value_in_the_population(seed):
    """2 b1 Cov(y - b2 x2, x1) = 2 (-0.2) (1.9 - 1.71) = -0.076."""
    rng = np.random.default_rng(seed)
    n, f = 200_000, fixed_linear([-0.2, 1.9])
    X = rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], size=n)
    value = model_reliance(f, X, X.sum(axis=1), as_ratio=False).importances_mean[0]
    assert 2 * -0.2 * (1.9 - 1.9 * 0.9) == pytest.approx(-0.076)
    assert value == pytest.approx(-0.076, abs=0.01)


# Intervals


@pytest.fixture(scope="module")
def covered():
    """Shares of 300 samples in which each interval contains the truth, as in the lesson."""
    n, hits = 200, []
    for seed in range(300):
        rng = np.random.default_rng(1000 + seed)
        x, e = rng.normal(size=(2, n))
        y = x + 0.5 * e
        D = (y[:, np.newaxis] - x) ** 2 - ((y - x) ** 2)[:, np.newaxis]
        body, head = D.sum(axis=1) / (n - 1), D.sum(axis=0) / (n - 1)
        shuffles = [D[np.arange(n), rng.permutation(n)].mean() for _ in range(50)]
        W = rng.multinomial(n, np.full(n, 1 / n), size=60)
        errors = np.array(
            [
                np.std(shuffles) / 50**0.5,
                body.std() / n**0.5,
                (body + head).std() / n**0.5,
                ((W @ D) * W).sum(axis=1).std() / n**2,
            ]
        )
        hits.append(abs(body.mean() - 2) <= 1.96 * errors)
    return dict(zip(("shuffles", "tau", "twice", "bootstrap"), np.mean(hits, axis=0), strict=True))


def test_tau_squared_over_n_covers_about_three_quarters(covered):
    expected = 2 * norm.cdf(1.96 / np.sqrt(3)) - 1  # the variance is three times as large
    assert expected == pytest.approx(0.742, abs=1e-3)
    assert covered["tau"] == pytest.approx(expected, abs=0.08)


def test_the_spread_of_the_shuffles_covers_far_less(covered):
    assert covered["shuffles"] < 0.4


@pytest.mark.parametrize("interval", ["twice", "bootstrap"])
def test_counting_each_row_twice_nearly_keeps_the_promise(covered, interval):
    assert 0.89 < covered[interval] < 0.98


def test_the_variances_are_2_plus_4_sigma_squared_and_8_plus_4_sigma_squared_over_n():
    rng = np.random.default_rng(0)
    x, e = rng.normal(size=(2, 1_000_000))
    body = x**2 + 1 + 2 * 0.5 * e * x  # the mean over the values it may get
    head = 1 + x**2
    assert body.var() == pytest.approx(3, rel=0.02)
    assert (body + head).var() == pytest.approx(9, rel=0.02)


# Correlation


def test_the_error_of_the_bent_surface_follows_its_closed_form_and_a_forests_hardly_grows():
    rhos, far, forest = (0.0, 0.9, 0.95), [], []
    for rho in rhos:
        states = [surface_fit(rho, random_state=seed) for seed in range(100)]
        far.append(np.mean([state.far for state in states]))
        forest.append(np.mean([forest_error(state) for state in states[:10]]))
    np.testing.assert_allclose(far, extrapolation_error(np.array(rhos)), rtol=0.25)
    assert far[2] / far[0] > 60
    assert forest[2] / forest[0] < 3


def forest_error(state) -> float:
    rows = np.column_stack([state.x1, state.x2])
    forest = RandomForestRegressor(15, random_state=0).fit(rows, state.y)
    rows[:, 0] = state.x1[state.order]
    return np.mean((forest.predict(rows) - rows.sum(axis=1)) ** 2)


@each_seed
def test_an_unused_variable_gets_exactly_nothing_whatever_the_correlation(seed):
    X, y = make_correlated(60, seed, rho=0.999)
    forest = RandomForestRegressor(5, random_state=seed).fit(X[["x1"]], y)
    reader = OnColumns(forest, "x1")
    for measure in (permutation_importance, conditional_permutation_importance):
        assert (measure(reader, X, y, n_repeats=3, random_state=seed).importances[1] == 0).all()
    for measure in (model_reliance, conditional_model_reliance):
        assert measure(reader, X, y).importances_mean[1] == 1


@pytest.mark.parametrize("m", [2, 5])
@each_seed
def test_each_of_m_copies_keeps_one_m_squared_th(seed, m):
    X, y = make_correlated(100, seed)
    once = X[["x1"]].to_numpy()
    copies = np.repeat(once, m, axis=1)
    alone, shared = (
        model_reliance(Ridge(1e-6).fit(C, y), C, y, as_ratio=False).importances_mean
        for C in (once, copies)
    )
    np.testing.assert_allclose(shared, np.full(m, alone[0] / m**2), rtol=1e-4)
    assert shared.sum() == pytest.approx(alone[0] / m, rel=1e-4)


# Conditional measures and their price


@each_seed
def test_chimeras_keep_the_correlation_that_scrambling_destroys(seed):
    X, _ = make_correlated(300, seed, rho=0.9)
    unique = unique_part(X.to_numpy(), 0)
    chimeras = (X["x1"].to_numpy() - unique)[:, np.newaxis] + unique
    x2 = np.repeat(X["x2"].to_numpy(), 300)
    assert np.corrcoef(chimeras.ravel(), x2)[0, 1] == pytest.approx(0.9, abs=0.06)
    assert abs(np.corrcoef(np.tile(X["x1"], 300), x2)[0, 1]) < 1e-9


@each_seed
def test_the_four_measures_of_x1_are_2_038_038_and_019(seed):
    X, y = make_correlated(4000, seed, rho=0.9, noise=0.3)
    model = LinearRegression().fit(X, y)
    values = [
        model_reliance(model, X, y, as_ratio=False),
        conditional_permutation_importance(model, X, y, random_state=seed),
        conditional_model_reliance(model, X, y, as_ratio=False),
        algorithm_reliance(LinearRegression(), X, y, as_ratio=False),
    ]
    of_x1 = [value.importances_mean[0] for value in values]
    np.testing.assert_allclose(of_x1, [2, 0.38, 0.38, 0.19], rtol=0.2)
    others = [value.importances_mean[1:] for value in values]
    np.testing.assert_allclose(others, 0, atol=0.02)
    assert of_x1[2] == pytest.approx(2 * 4000 / 3999 * of_x1[3])


class Counted(RegressorMixin, BaseEstimator):
    """Least squares that writes its fits and the rows it predicts into LOG, clones included."""

    def fit(self, X, y):
        LOG.append("fit")
        self.model_ = LinearRegression().fit(X, y)
        return self

    def predict(self, X):
        LOG.append(len(X))
        return self.model_.predict(X)


LOG: list = []


@pytest.mark.parametrize(
    ("measure", "rows", "fits"),
    [
        (lambda *a: permutation_importance(*a, n_repeats=7, random_state=0), 7 * 3, 0),
        (lambda *a: model_reliance(*a), 20 * 3, 0),
        (lambda *a: conditional_permutation_importance(*a, n_repeats=7, random_state=0), 7 * 3, 0),
        (lambda *a: conditional_model_reliance(*a), 19 * 3, 0),
        (lambda *a: algorithm_reliance(*a), 3, 4),
    ],
)
def test_the_measures_cost_what_the_table_says(measure, rows, fits):
    """In units of n rows, beside the n rows of e_orig; n = 20, p = 3, 7 repeats."""
    X, y = make_correlated(20, 0)
    model = Counted().fit(X.to_numpy(), y)
    LOG.clear()
    measure(model, X.to_numpy(), y)
    assert LOG.count("fit") == fits
    assert sum(entry for entry in LOG if entry != "fit") == 20 * (rows + 1)
