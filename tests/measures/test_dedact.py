"""DEDACT: every number of the biomarker example, closed forms against draws, table 1, pitfalls."""

import inspect
import tracemalloc
from functools import partial
from itertools import combinations, product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression

from course_lib.measures import (
    associative_importance,
    associative_importance_via,
    decompose_associative,
    decompose_direct,
    decompose_sage,
    direct_importance,
    direct_importance_from,
    linear_gaussian,
)
from course_lib.measures.dedact import perturbation
from course_lib.measures.dedact.closed_forms import LinearGaussian
from course_lib.measures.dedact.pathways import (
    associative,
    associative_via,
    direct,
    direct_from,
    shapley,
    shapley_of_pairs,
)
from course_lib.models import OnColumns, absolute_error, cross_entropy, squared_error, zero_one
from course_lib.questions import DISTRIBUTION, Q1, Q2
from course_lib.worlds import (
    ForestSampler,
    GaussianSampler,
    LinearSCM,
    MarginalSampler,
    make_biomarker_world,
    make_census_world,
)

seeds = st.integers(0, 2**32 - 1)
few = settings(deadline=None, max_examples=6)


class Linear:
    """f(x) = b'x."""

    def __init__(self, b):
        self.b = np.asarray(b, dtype=float)

    def predict(self, X):
        return np.asarray(X) @ self.b


class Function:
    """f given as a function of the array."""

    def __init__(self, f):
        self.f = f

    def predict(self, X):
        return self.f(np.asarray(X))


def typical_sample(world: LinearSCM, n: int, random_state=0) -> pd.DataFrame:
    """A sample whose mean and covariance (with n) are exactly those of the world.

    On it the expectation of an estimate over the draws is the closed form, so that only the
    repeats vary, and they know their standard error.
    """
    sample = world.sample(n, random_state)
    values, sigma = sample.to_numpy(), world.covariance().to_numpy()
    values = values - values.mean(axis=0)
    whitened = np.linalg.solve(np.linalg.cholesky(values.T @ values / n), values.T)
    exact = world.mean().to_numpy() + (np.linalg.cholesky(sigma) @ whitened).T
    return pd.DataFrame(exact, columns=sample.columns)


class Setting:
    """A world, a linear model of it, the closed forms and a typical sample."""

    def __init__(self, world, target, coefficients, n=150):
        self.exact = linear_gaussian(world, target, coefficients)
        self.names = self.exact.feature_names
        sample = typical_sample(world, n)
        self.X, self.y = sample[list(self.names)], sample[target]
        moments = world.mean(), world.covariance()
        self.sampler = GaussianSampler.from_moments(
            moments[0][list(self.names)], moments[1].loc[list(self.names), list(self.names)]
        )
        self.model = Linear([self.exact.coefficients.get(name, 0.0) for name in self.names])

    def estimate(self, measure, *arguments, n_repeats=60, random_state=0, **options):
        return measure(
            self.model,
            self.X,
            self.y,
            *arguments,
            sampler=self.sampler,
            n_repeats=n_repeats,
            random_state=random_state,
            **options,
        )

    def assert_agrees(self, measure, *arguments, **options):
        """The estimate lies within five standard errors of the closed form."""
        estimate = self.estimate(measure, *arguments, **options)
        options.pop("n_samples", None)
        exact = getattr(self.exact, measure.__name__)(*arguments, **options)
        standard_error = estimate.importances.std(axis=1, ddof=1) / np.sqrt(60)
        gap = abs(estimate.importances_mean - exact.importances_mean)
        assert gap <= 5 * standard_error + 1e-9, (measure.__name__, arguments, options)
        assert estimate.question == exact.question
        assert estimate.measure == exact.measure
        assert estimate.feature_names == exact.feature_names


def value(result) -> float:
    (number,) = result.importances_mean
    return float(number)


def rest(names, *taken) -> list:
    return [name for name in names if name not in taken]


@pytest.fixture(scope="module")
def biomarker():
    world = make_biomarker_world()
    features = ["biomarker", "cycling"]
    return Setting(world, "label", world.least_squares("label", features).round(12))


@pytest.fixture(scope="module")
def census():
    world = make_census_world()
    features = rest(world.variables, "income")
    return Setting(world, "income", world.least_squares("income", features))


# The biomarker example: the syllabus' numbers, in the order biomarker, cycling, PSA.

BIOMARKER = {
    "PFI": (direct_importance, lambda j, others: ((j,), {"B": others}), (0.5, 0.125, 0)),
    "CFI": (associative_importance, lambda j, others: ((j,), {"C": others}), (0.5, 0, 0)),
    "AI": (associative_importance, lambda j, others: ((j,), {}), (0.5, 0.125, 0.125)),
    "AI marginalised": (
        associative_importance,
        lambda j, others: ((j,), {"marginalize": True}),
        (0.25, 0.0625, 0.09375),
    ),
    "DI(cycling) from": (
        direct_importance_from,
        lambda j, others: (("cycling", j), {}),
        (0, 0.125, 0.125),
    ),
    "AI(PSA) via": (
        associative_importance_via,
        lambda k, others: (("PSA", k), {}),
        (0, 0.125, 0),
    ),
    "AI(PSA) via, marginalised": (
        associative_importance_via,
        lambda k, others: (("PSA", k), {"marginalize": True}),
        (0, 0.09375, 0),
    ),
}


@pytest.mark.parametrize("row", BIOMARKER)
def test_biomarker_numbers_in_closed_form_and_from_draws(biomarker, row):
    measure, arguments, expected = BIOMARKER[row]
    for name, number in zip(biomarker.names, expected, strict=True):
        positional, options = arguments(name, rest(biomarker.names, name))
        exact = getattr(biomarker.exact, measure.__name__)(*positional, **options)
        assert value(exact) == pytest.approx(number, abs=1e-12)
        assert exact.is_exact
        biomarker.assert_agrees(measure, *positional, **options)


def test_biomarker_permutation_and_sage_values_for_all_variables_at_once(biomarker):
    exact = biomarker.exact
    expected = {
        exact.permutation_importance(): (0.5, 0.125, 0),
        exact.conditional_permutation_importance(): (0.5, 0, 0),
        exact.sage("conditional"): (1 / 4, 1 / 64, 3 / 64),
        exact.sage("marginal"): (0.25, 0.0625, 0),
    }
    for result, numbers in expected.items():
        np.testing.assert_allclose(result.importances_mean, numbers, atol=1e-12)
    assert [result.question for result in expected] == [Q1, Q2, DISTRIBUTION, Q1]


@pytest.mark.parametrize(
    ("how", "expected"), [("fast", (0, 0.125, 0.125)), ("shapley", (0, 0.0625, 0.0625))]
)
def test_biomarker_cycling_comes_from_psa(biomarker, how, expected):
    exact = biomarker.exact.decompose_direct("cycling", how=how)
    estimate = biomarker.estimate(decompose_direct, "cycling", how=how)
    assert exact.total == pytest.approx(0.125)
    np.testing.assert_allclose(exact.parts["importance"], expected, atol=1e-12)
    assert abs(estimate.total - 0.125) <= 5 * estimate.total_error
    gaps = (estimate.parts["importance"] - np.array(expected)).abs()
    assert (gaps <= 5 * estimate.errors + 1e-9).all()
    assert exact.additive is estimate.additive is (how == "shapley")


@pytest.mark.parametrize("how", ["fast", "shapley"])
@pytest.mark.parametrize(("marginalize", "total"), [(False, 0.125), (True, 0.09375)])
def test_biomarker_psa_enters_by_cycling_alone(biomarker, how, marginalize, total):
    exact = biomarker.exact.decompose_associative("PSA", marginalize=marginalize, how=how)
    estimate = biomarker.estimate(decompose_associative, "PSA", marginalize=marginalize, how=how)
    np.testing.assert_allclose(exact.parts["importance"], [0, total, 0], atol=1e-12)
    assert exact.total == pytest.approx(total)
    gaps = (estimate.parts["importance"] - [0, total, 0]).abs()
    assert (gaps <= 5 * estimate.errors + 1e-9).all()
    assert abs(estimate.parts["importance"]["PSA"]) < 1e-12


@pytest.mark.parametrize("how", ["fast", "shapley"])
def test_biomarker_conditional_sage_enters_by_the_features_the_model_reads(biomarker, how):
    for j, total in zip(biomarker.names, (1 / 4, 1 / 64, 3 / 64), strict=True):
        door = "biomarker" if j == "biomarker" else "cycling"
        expected = [total * (name == door) for name in biomarker.names]
        exact = biomarker.exact.decompose_sage(j, how=how)
        np.testing.assert_allclose(exact.parts["importance"], expected, atol=1e-12)
        assert exact.total == pytest.approx(total)
        estimate = decompose_sage(
            biomarker.model,
            biomarker.X,
            biomarker.y,
            j,
            how=how,
            sampler=biomarker.sampler,
            n_orders=60,
            random_state=2,
        )
        assert abs(estimate.total - total) <= 5 * estimate.total_error
        gaps = (estimate.parts["importance"] - np.array(expected)).abs()
        assert (gaps <= 5 * estimate.errors + 1e-9).all()


def test_at_default_settings_estimates_from_fresh_samples_average_to_the_closed_form():
    """Nothing is known here: fitted model, fitted sampler; the error is that over samples."""
    world = make_biomarker_world()
    exact = linear_gaussian(world, "label", {"biomarker": 1.0, "cycling": 0.5})
    estimates = []
    for seed in range(16):
        data = world.sample(300, seed)
        X, y = data[list(exact.feature_names)], data["label"]
        read = ["biomarker", "cycling"]
        model = OnColumns(LinearRegression().fit(X[read], y), read)
        estimates.append(
            [
                value(direct_importance(model, X, y, 1, B=[0, 2], random_state=seed)),
                value(associative_importance(model, X, y, "PSA", random_state=seed)),
                value(associative_importance(model, X, y, 2, marginalize=True, random_state=seed)),
                value(direct_importance_from(model, X, y, 1, 2, random_state=seed)),
                decompose_associative(
                    model, X, y, 2, marginalize=True, how="shapley", random_state=seed
                ).parts["importance"]["cycling"],
            ]
        )
    standard_error = np.std(estimates, axis=0, ddof=1) / np.sqrt(16)
    expected = [0.125, 0.125, 0.09375, 0.125, 0.09375]
    assert value(exact.associative_importance("PSA", marginalize=True)) == pytest.approx(0.09375)
    assert np.all(abs(np.mean(estimates, axis=0) - expected) < 4.5 * standard_error)


# Closed forms against draws, in the census world and in random ones.


def test_census_doors_and_sources_are_those_of_the_graph(census):
    """Figures 7 and 8: race enters by itself, marital status and occupation; education comes
    from age and what age shapes; workclass from sex, occupation from race and theirs."""
    doors = census.exact.decompose_sage("race", how="shapley")
    used = set(doors.parts.index[doors.parts["importance"].abs() > 1e-10])
    assert used == {"race", "marital_status", "occupation"}
    assert doors.additive
    age = {"age", "capital_gain", "education_num", "hours_per_week"}
    sources = {
        "education_num": age,
        "workclass": {"sex", "relationship", "workclass"},
        "occupation": {"race", "marital_status", "occupation"},
    }
    for k, expected in sources.items():
        split = census.exact.decompose_direct(k, how="shapley")
        assert set(split.parts.index[split.parts["importance"].abs() > 1e-10]) == expected
        assert split.additive and split.parts["importance"].idxmax() == k


def test_census_age_has_no_direct_and_much_associative_importance(census):
    assert value(census.exact.direct_importance("age", rest(census.names, "age"))) == (
        pytest.approx(0, abs=1e-10)
    )
    assert value(census.exact.associative_importance("age")) > 1
    census.assert_agrees(associative_importance, "age")
    census.assert_agrees(associative_importance, "age", C=["sex", "race"], marginalize=True)
    census.assert_agrees(associative_importance_via, "race", ["race", "occupation"])
    census.assert_agrees(associative_importance_via, "sex", "workclass", marginalize=True)
    census.assert_agrees(direct_importance, ["occupation", "race"], B=["sex"])
    census.assert_agrees(direct_importance_from, "occupation", "race", B=["sex", "age"])


def test_census_decompositions_from_draws_agree_with_the_closed_form(census):
    for measure, j, options in (
        (decompose_direct, "education_num", {"how": "fast"}),
        (decompose_direct, "education_num", {"how": "shapley", "n_orders": 40}),
        (decompose_associative, "race", {"how": "fast", "marginalize": True}),
        (decompose_associative, "race", {"how": "shapley", "n_orders": 40}),
    ):
        estimate = census.estimate(measure, j, n_repeats=20, **options)
        options = {name: given for name, given in options.items() if name != "n_orders"}
        exact = getattr(census.exact, measure.__name__)(j, **options)
        assert abs(estimate.total - exact.total) <= 5 * estimate.total_error
        gaps = (estimate.parts["importance"] - exact.parts["importance"]).abs()
        assert (gaps <= 5.5 * estimate.errors + 1e-9).all(), (j, options)


def random_setting(seed: int, n_variables: int = 4) -> Setting:
    """A random world, a target somewhere in it and a random linear model."""
    rng = np.random.default_rng(seed)
    names = [f"v{i}" for i in range(n_variables + 1)]
    equations = {
        child: {parent: rng.normal() for parent in names[:i] if rng.random() < 0.7}
        for i, child in enumerate(names)
    }
    world = LinearSCM(equations, {name: rng.uniform(0.4, 1.2) for name in names})
    target = str(rng.choice(names[1:]))
    return Setting(world, target, {name: rng.normal() for name in rest(names, target)}, n=80)


@few
@given(seeds)
def test_draws_agree_with_closed_forms_in_random_worlds(seed):
    world = random_setting(seed)
    a, b, c, d = world.names
    for marginalize in (False, True):
        world.assert_agrees(direct_importance, [a, c], B=b, marginalize=marginalize)
        world.assert_agrees(direct_importance_from, c, [a, d], B=b, marginalize=marginalize)
        world.assert_agrees(direct_importance_from, [a, c], [], B=b, marginalize=marginalize)
        world.assert_agrees(associative_importance, [b], C=[a], marginalize=marginalize)
        world.assert_agrees(associative_importance_via, [a, b], [b, d], marginalize=marginalize)
        world.assert_agrees(associative_importance_via, d, [a], C=c, marginalize=marginalize)


@few
@given(seeds)
def test_shapley_parts_add_up_in_closed_form_and_from_draws(seed):
    world = random_setting(seed, n_variables=3)
    for result in (
        world.exact.decompose_direct(0, how="shapley"),
        world.exact.decompose_direct(0, B=[1], how="shapley"),
        world.exact.decompose_associative(1, C=[0], how="shapley"),
        world.exact.decompose_associative(1, marginalize=True, how="shapley"),
        world.exact.decompose_sage(2, how="shapley"),
        world.estimate(decompose_direct, 0, how="shapley", n_repeats=3),
        world.estimate(decompose_direct, 0, B=[1], how="shapley", n_repeats=3),
        world.estimate(decompose_direct, 0, how="shapley", n_orders=3),
        world.estimate(decompose_associative, 1, C=[0], how="shapley", n_repeats=3),
        world.estimate(decompose_associative, 1, how="shapley", marginalize=True, n_orders=3),
        decompose_sage(world.model, world.X, world.y, 2, how="shapley", n_orders=5),
    ):
        scale = max(1.0, abs(result.total))
        assert abs(result.parts["importance"].sum() - result.total) < 1e-10 * scale
        assert result.additive


@few
@given(seeds)
def test_for_a_linear_model_half_of_each_pair_gives_the_shapley_values(seed):
    world = random_setting(seed).exact
    game = partial(associative_via, world.D, (0,), C=(2,))
    for marginalize in (False, True):
        exact, of_pairs = (
            world.evaluate(split(game, world.D), marginalize)
            for split in (shapley, shapley_of_pairs)
        )
        np.testing.assert_allclose(exact, of_pairs, atol=1e-10)


@few
@given(seeds)
def test_sage_values_add_up_to_what_all_variables_are_worth(seed):
    world = random_setting(seed).exact
    everything = world.associative_importance(world.feature_names, marginalize=True)
    for removal in ("marginal", "conditional"):
        total = world.sage(removal).importances.sum()
        assert total == pytest.approx(value(everything), abs=1e-9)
    totals = [world.decompose_sage(j).total for j in range(4)]
    np.testing.assert_allclose(totals, world.sage("conditional").importances_mean, atol=1e-10)


# An independent implementation: definitions by enumeration, for any model on a finite world.


class SameRows:
    """Draws among the fitted rows that agree on what is given: the conditional of a finite law."""

    def fit(self, X):
        self.rows_ = np.asarray(X)
        return self

    def sample(self, X, columns, given, random_state=None):
        rng = np.random.default_rng(random_state)
        columns, given = list(columns), list(given)
        alike = (np.asarray(X)[:, None, given] == self.rows_[None][:, :, given]).all(axis=2)
        pick = [rng.choice(np.flatnonzero(row)) for row in alike]
        return self.rows_[np.ix_(pick, columns)]


def all_draws(rows, x, G):
    return rows[(rows[:, list(G)] == x[list(G)]).all(axis=1)]


def enumerated_risk(f, rows, y, groups, marginalize):
    """Mean loss when each group (columns, given) is drawn from the rows, by full enumeration."""
    losses = []
    for x, target in zip(rows, y, strict=True):
        predictions = []
        for draws in product(*(all_draws(rows, x, G) for _, G in groups)):
            filled = x.copy()
            for (columns, _), drawn in zip(groups, draws, strict=True):
                filled[list(columns)] = drawn[list(columns)]
            predictions.append(f(filled[np.newaxis])[0])
        predictions = np.array(predictions)
        if marginalize:
            predictions = predictions.mean(keepdims=True)
        losses.append(((target - predictions) ** 2).mean())
    return np.mean(losses)


@pytest.mark.parametrize("marginalize", [False, True])
def test_definitions_hold_for_a_model_with_interactions_by_enumeration(marginalize):
    rows = np.array(
        [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=float
    )
    y = np.array([0.0, 1.0, 1.0, 2.0, 3.0, 1.0, 2.0])

    def f(X):
        return X[:, 0] * (1 + X[:, 1]) + X[:, 1] * X[:, 2] - X[:, 2]

    def risk(*groups):
        return enumerated_risk(f, rows, y, groups, marginalize)

    options = {"marginalize": marginalize, "sampler": SameRows(), "n_repeats": 300}
    options |= {"n_samples": 6, "random_state": 0}
    model = Function(f)
    cases = {
        direct_importance(model, rows, y, 0, B=2, **options): (
            risk(((0, 1), ())) - risk(((1,), ()))
        ),
        direct_importance_from(model, rows, y, 0, 1, B=(), **options): (
            risk(((0, 1, 2), ())) - risk(((1, 2), ()), ((0,), (1,)))
        ),
        associative_importance(model, rows, y, 1, C=2, **options): (
            risk(((0, 1), (2,))) - risk(((0,), (1, 2)))
        ),
        associative_importance_via(model, rows, y, 2, [0, 1], **options): (
            risk(((0, 1, 2), ())) - risk(((2,), ()), ((0, 1), (2,)))
        ),
        associative_importance_via(model, rows, y, 2, 2, C=0, **options): (
            risk(((1, 2), (0,))) - risk(((1,), (0,)))
        ),
    }
    for estimate, expected in cases.items():
        standard_error = estimate.importances.std(ddof=1) / np.sqrt(300)
        assert abs(value(estimate) - expected) < 4.5 * standard_error, estimate.measure


# Table 1: four known methods as special cases.


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3)) @ np.array([[1, 0.8, 0], [0, 0.6, 0], [0, 0.5, 1]])
    return X, X @ [1.0, -1.0, 0.5] + rng.normal(size=60)


def test_direct_importance_over_all_the_rest_is_permutation_importance(rows):
    """In expectation over shuffles: (n-1)/n of 2 b_j Cov(y - rest, x_j), for any coefficients."""
    X, y = rows
    b = np.array([0.7, -0.4, 0.3])
    for k in range(3):
        others = [j for j in range(3) if j != k]
        result = direct_importance(Linear(b), X, y, k, B=others, n_repeats=400, random_state=0)
        remainder = y - X[:, others] @ b[others]
        expected = 2 * b[k] * np.cov(remainder, X[:, k], ddof=0)[0, 1]
        assert abs(value(result) - expected) < 4.5 * result.importances.std() / np.sqrt(400)


@pytest.mark.parametrize("S", [S for size in range(4) for S in combinations(range(3), size)])
def test_marginalised_direct_importance_alone_is_the_value_of_marginal_sage(rows, S):
    """v(S) by its definition: the mean prediction over all background rows."""
    X, y = rows

    def f(X):
        return X[:, 0] * X[:, 1] + np.abs(X[:, 2])

    def loss_of_known(S):
        filled = np.tile(X, (len(X), 1, 1))  # background row, row, feature
        drawn = [j for j in range(3) if j not in S]
        filled[:, :, drawn] = X[:, np.newaxis, drawn]
        mean = f(filled.reshape(-1, 3)).reshape(60, 60).mean(axis=0)
        return ((y - mean) ** 2).mean()

    result = direct_importance(
        Function(f), X, y, S, marginalize=True, n_repeats=60, n_samples=10, random_state=0
    )
    expected = loss_of_known(()) - loss_of_known(S)
    assert abs(value(result) - expected) <= 4.5 * result.importances.std() / np.sqrt(59) + 1e-12


def test_marginalised_associative_importance_alone_is_the_value_of_conditional_sage(census):
    """For the optimal predictor v(S) = Var E[Y | X_S]."""
    world, features = census.exact.scm, list(census.names)
    for S in (["age"], ["race", "occupation"], features):
        b = world.least_squares("income", S)
        explained = b @ world.covariance().loc[S, S] @ b
        v = value(census.exact.associative_importance(S, marginalize=True))
        assert v == pytest.approx(explained)


def test_associative_importance_given_all_the_rest_is_conditional_importance(census):
    """For the optimal predictor 2 b_j^2 Var(x_j | rest): what only x_j knows, twice."""
    world = census.exact.scm
    b = world.least_squares("income", list(census.names))
    cfi = census.exact.conditional_permutation_importance()
    for j, name in enumerate(census.names):
        _, left = world.conditional(name, rest(census.names, name))
        expected = 2 * b[name] ** 2 * left.iloc[0, 0]
        assert cfi.importances_mean[j] == pytest.approx(expected, abs=1e-10)
        result = census.exact.associative_importance(name, C=rest(census.names, name))
        assert value(result) == pytest.approx(expected, abs=1e-10)
        assert result.question is Q2


def test_measures_carry_the_question_they_answer(biomarker):
    exact, options = biomarker.exact, {"n_repeats": 2, "random_state": 0}
    others = ["biomarker", "PSA"]
    asked = {
        exact.direct_importance("cycling"): Q1,
        exact.direct_importance_from("cycling", "PSA"): Q1,
        exact.associative_importance("cycling"): DISTRIBUTION,
        exact.associative_importance("cycling", C=others): Q2,
        exact.associative_importance(exact.feature_names): DISTRIBUTION,
        exact.associative_importance("cycling", C=others, marginalize=True): DISTRIBUTION,
        exact.associative_importance_via("PSA", "cycling"): DISTRIBUTION,
        exact.decompose_direct("cycling"): Q1,
        exact.decompose_associative("PSA"): DISTRIBUTION,
        exact.decompose_sage("PSA"): DISTRIBUTION,
    }
    assert all(result.question is question for result, question in asked.items())
    data = (biomarker.model, biomarker.X, biomarker.y)
    marginal = {"sampler": MarginalSampler(), **options}
    assert associative_importance(*data, "PSA", **marginal).question is Q1
    assert associative_importance(*data, "PSA", **options).question is DISTRIBUTION


# Propositions 1 and 2, and the two pitfalls for pure noise.


def test_proposition_1_a_feature_that_the_model_does_not_use_has_no_direct_importance():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    X[:, 2] = X[:, 0]  # knows everything, is not read
    y = 2 * X[:, 0] + X[:, 1]
    forest = RandomForestRegressor(10, random_state=0).fit(X[:, :2], y)
    model = OnColumns(forest, [0, 1])
    for B in ((), (0,), (0, 1)):
        for marginalize in (False, True):
            options = {"marginalize": marginalize, "n_repeats": 3, "n_samples": 5}
            result = direct_importance(model, X, y, 2, B=B, random_state=0, **options)
            np.testing.assert_allclose(result.importances, 0, atol=1e-12)
    associative = associative_importance(model, X, y, 2, random_state=0)
    assert associative.interval()[0, 0] > 0


@few
@given(st.tuples(*[st.floats(-2, 2)] * 3))
def test_proposition_2_what_tells_nothing_new_has_no_associative_importance(b):
    """Given PSA, cycling tells nothing about the label; whatever the model, AI(f, f) is 0."""
    names = ("biomarker", "cycling", "PSA")
    exact = linear_gaussian(make_biomarker_world(), "label", dict(zip(names, b, strict=True)))
    result = exact.associative_importance("cycling", C=["PSA"])
    assert value(result) == pytest.approx(0, abs=1e-12)


def test_proposition_2_needs_the_optimal_model_if_it_is_marginalised():
    world = make_biomarker_world()
    best = world.least_squares("label", ["biomarker", "cycling", "PSA"])
    for b, is_zero in ((best, True), ({"cycling": 1.0}, False)):
        result = linear_gaussian(world, "label", b).associative_importance(
            "cycling", C=["PSA"], marginalize=True
        )
        assert np.isclose(value(result), 0, atol=1e-12) is np.bool_(is_zero)


@pytest.fixture(scope="module")
def correlated():
    """y = x1 + x2 + noise with Cov(x1, x2) = 0.6, and a coin that nobody looks at."""
    world = LinearSCM(
        {"x2": {"x1": 0.6}, "y": {"x1": 1.0, "x2": 1.0}},
        {"x1": 1.0, "x2": 0.8, "coin": 1.0, "y": 1.0},
    )
    return Setting(world, "y", {"x1": 1.0, "x2": 1.0})


def test_pitfall_noise_can_have_associative_importance_via_a_feature(correlated):
    """Drawing x1 given the coin parts it from x2, which saves 2 b1 b2 Cov(x1, x2) of variance."""
    exact = correlated.exact
    assert value(exact.associative_importance("coin")) == pytest.approx(0, abs=1e-12)
    assert value(exact.associative_importance_via("coin", "x1")) == pytest.approx(1.2)
    correlated.assert_agrees(associative_importance_via, "coin", "x1")
    marginalised = exact.associative_importance_via("coin", "x1", marginalize=True)
    assert value(marginalised) == pytest.approx(0, abs=1e-12)


def test_pitfall_direct_importance_can_come_from_nothing(correlated):
    exact = correlated.exact
    assert value(exact.direct_importance_from("x1", (), B=())) == pytest.approx(1.2)
    correlated.assert_agrees(direct_importance_from, "x1", (), B=())
    assert value(exact.direct_importance_from("x1", "coin", B=())) == pytest.approx(1.2)
    assert value(exact.direct_importance_from("x1", ())) == pytest.approx(0, abs=1e-12)
    assert np.all(correlated.estimate(direct_importance_from, "x1", ()).importances == 0)


def test_what_nobody_explains_is_subtracted_before_the_split(correlated):
    """With B empty, DI(x1) = 2 Cov(y, x1) + 1.2 = 4.4 and w(empty) = 1.2: 3.2 are shared."""
    assert value(correlated.exact.direct_importance("x1")) == pytest.approx(4.4)
    for how in ("fast", "shapley"):
        result = correlated.exact.decompose_direct("x1", B=(), how=how)
        assert result.total == pytest.approx(3.2)
        assert result.parts["importance"]["coin"] == pytest.approx(0, abs=1e-12)


# Identities of the definitions, exact because total and parts share their draws.


@given(st.lists(st.sampled_from("KJBCx"), min_size=1, max_size=6))
def test_definitions_1_and_2_are_the_special_cases_of_3_and_4(roles):
    """DI is DI from where the sources contain K, AI is AI via where the doors are all features."""
    D = tuple(range(len(roles)))
    K, J, B, C = (tuple(i for i in D if roles[i] == role) for role in "KJBC")
    assert direct(D, K, B) == direct_from(D, K, K, B) == direct_from(D, K, (*J, *K), B)
    assert associative(D, J, C) == associative_via(D, J, D, C)


def test_special_cases_of_the_definitions_share_their_draws(correlated):
    names, same = correlated.names, {"n_repeats": 4, "random_state": 3}
    estimate = correlated.estimate

    def equal(first, second):
        np.testing.assert_allclose(first.importances, second.importances, atol=1e-12)

    direct = estimate(direct_importance, "x1", B="x2", **same)
    equal(direct, estimate(direct_importance_from, "x1", ["x1", "coin"], B="x2", **same))
    associative = estimate(associative_importance, "x1", C="coin", **same)
    equal(associative, estimate(associative_importance_via, "x1", names, C="coin", **same))
    total = estimate(decompose_associative, "x1", C="coin", **same).total
    assert total == pytest.approx(value(associative), abs=1e-12)
    permutation = estimate(direct_importance, "x1", B=["x2", "coin"], **same)
    assert estimate(decompose_direct, "x1", **same).total == pytest.approx(value(permutation))


def test_nothing_has_no_importance_and_goes_by_no_door(correlated):
    for result in (
        correlated.estimate(direct_importance, ()),
        correlated.estimate(associative_importance, (), C="x1"),
        correlated.estimate(associative_importance_via, "x1", ()),
        correlated.exact.direct_importance([]),
        correlated.exact.associative_importance([]),
    ):
        assert np.all(result.importances == 0)
        assert "nothing" in result.feature_names[0]


def test_features_in_the_context_are_no_doors(correlated):
    result = correlated.estimate(decompose_associative, "x1", C="x2", how="shapley", n_repeats=2)
    assert result.parts["importance"]["x2"] == 0 == result.errors["x2"]


def test_fast_parts_count_shared_information_twice(correlated):
    """x1's importance is known from x1, and in part from x2: the fast parts exceed the total."""
    result = correlated.exact.decompose_direct("x1")
    assert result.parts["importance"]["x1"] == pytest.approx(result.total)
    assert result.parts["importance"]["x2"] > 0
    assert not result.additive


# How estimates are made.


def test_two_inner_draws_already_give_an_unbiased_squared_error(biomarker):
    """Uncorrected, the mean of 2 draws would be too noisy by Var(f)/2, many standard errors."""
    everything = list(biomarker.names)
    options = {"marginalize": True, "n_samples": 2}
    biomarker.assert_agrees(associative_importance, everything, **options)
    estimate = biomarker.estimate(associative_importance, everything, **options)
    bias = np.var(biomarker.model.predict(biomarker.X)) / 2
    assert bias > 12 * estimate.importances_std[0] / np.sqrt(60)


def test_the_correction_serves_any_loss_of_predictions(biomarker):
    def own(y, prediction):
        return np.square(y - prediction)

    named, unnamed = (
        biomarker.estimate(
            associative_importance, "PSA", marginalize=True, loss=loss, n_repeats=3
        ).importances
        for loss in (squared_error, own)
    )
    np.testing.assert_allclose(named, unnamed)
    few, many = (
        biomarker.estimate(
            associative_importance, 0, marginalize=True, loss=absolute_error, n_samples=m
        )
        for m in (8, 200)
    )
    error = np.hypot(few.importances_std, many.importances_std)[0] / np.sqrt(60)
    assert abs(value(few) - value(many)) < 5 * error


def test_blocks_of_rows_and_repeats_give_the_same_law(biomarker, monkeypatch):
    monkeypatch.setattr(perturbation, "BLOCK_ROWS", 400)
    biomarker.assert_agrees(associative_importance, "PSA")
    biomarker.assert_agrees(associative_importance, "PSA", marginalize=True, n_samples=5)
    biomarker.assert_agrees(direct_importance_from, "cycling", "PSA", B="biomarker")


def test_repeats_are_independent_columns(biomarker):
    result = biomarker.estimate(direct_importance, "cycling", n_repeats=7)
    assert result.importances.shape == (1, 7)
    assert len(np.unique(result.importances)) == 7


def test_a_forest_and_a_forest_sampler_see_the_same_picture():
    world = make_biomarker_world()
    data = world.sample(300, 0)
    X, y = data[["biomarker", "cycling", "PSA"]], data["label"]
    read = ["biomarker", "cycling"]
    forest = RandomForestRegressor(10, min_samples_leaf=5, random_state=0).fit(X[read], y)
    model = OnColumns(forest, read)
    split = decompose_associative(
        model, X, y, "PSA", sampler=ForestSampler(), n_repeats=4, random_state=0
    )
    parts = split.parts["importance"]
    assert parts["cycling"] > 4 * split.errors["cycling"]
    assert parts["PSA"] == 0
    assert abs(parts["biomarker"]) < parts["cycling"]


def test_classifiers_are_measured_by_cross_entropy_with_any_labels():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 2)), columns=["used", "copy"])
    X["copy"] += 2 * X["used"]
    y = pd.Series(np.where(X["used"] + 0.3 * rng.normal(size=200) > 0, "yes", "no"))
    model = OnColumns(LogisticRegression().fit(X[["used"]], y), ["used"])
    for marginalize in (False, True):
        options = {"marginalize": marginalize, "random_state": 0, "n_repeats": 3}
        assert value(associative_importance(model, X, y, "copy", **options)) > 0.1
        assert value(direct_importance(model, X, y, "copy", **options)) == 0
        assert value(direct_importance(model, X, y, "used", **options)) > 0.1
    assert value(direct_importance(model, X, y, "used", loss=zero_one, random_state=0)) > 0.1
    assert decompose_sage(model, X, y, "copy", n_orders=4, random_state=0).total > 0
    named = direct_importance(model, X, y, "used", loss=cross_entropy, random_state=1)
    unnamed = direct_importance(model, X, y, "used", random_state=1)
    np.testing.assert_array_equal(named.importances, unnamed.importances)


def test_names_and_positions_frames_and_arrays_give_the_same(biomarker):
    X, y, model = biomarker.X, biomarker.y, biomarker.model
    options = {"n_repeats": 3, "random_state": 5}
    first = associative_importance_via(model, X, y, "PSA", ["cycling"], C="biomarker", **options)
    second = associative_importance_via(
        model, X.to_numpy(), y.to_numpy(), 2, 1, C=np.array([0]), **options
    )
    np.testing.assert_array_equal(first.importances, second.importances)
    assert first.feature_names == ("PSA via cycling",)
    assert second.feature_names == ("x2 via x1",)


def test_the_same_int_gives_the_same_result_and_nothing_else_is_touched(biomarker):
    X, y = biomarker.X.copy(), biomarker.y.copy()
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    for measure, arguments in (
        (direct_importance, ("cycling",)),
        (associative_importance, ("PSA",)),
        (direct_importance_from, ("cycling", "PSA")),
        (associative_importance_via, ("PSA", "cycling")),
    ):
        first, second, other = (
            measure(biomarker.model, X, y, *arguments, n_repeats=2, random_state=seed).importances
            for seed in (4, 4, np.random.default_rng(9))
        )
        np.testing.assert_array_equal(first, second)
        assert not np.array_equal(first, other)
    pd.testing.assert_frame_equal(X, biomarker.X)
    pd.testing.assert_series_equal(y, biomarker.y)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_whole_number_and_float32_tables_are_welcome():
    X = np.arange(20).reshape(10, 2) % 7
    for table in (X, X.astype(np.float32), pd.DataFrame(X)):
        result = associative_importance(Linear([1, 2]), table, X.sum(axis=1), 0, random_state=0)
        assert np.isfinite(result.importances).all()


def test_memory_stays_below_ten_tables_however_many_draws_are_made():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 10))
    y = X[:, 0]
    model, sampler = Linear(np.ones(10)), GaussianSampler().fit(X)
    tracemalloc.start()
    associative_importance(
        model, X, y, 0, sampler=sampler, marginalize=True, n_samples=8, n_repeats=2, random_state=0
    )
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * X.nbytes


# Refusals.


@pytest.fixture(scope="module")
def small():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(12, 3)), columns=["a", "b", "c"])
    return LinearRegression().fit(X, X["a"]), X, X["a"]


class Broken:
    def sample(self, X, columns, given, random_state=None):
        return np.zeros((2, 2))


class Empty:
    def sample(self, X, columns, given, random_state=None):
        return np.full((len(X), len(columns)), np.nan)


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda m, X, y: direct_importance(m, X, y, "a", B="a"), ValueError, "both K and B"),
        (lambda m, X, y: direct_importance(m, X, y, "aa"), ValueError, "Unknown feature"),
        (lambda m, X, y: direct_importance(m, X, y, 3), ValueError, "position 3"),
        (lambda m, X, y: direct_importance(m, X, y, 1.5), TypeError, "name or its position"),
        (lambda m, X, y: associative_importance(m, X, y, 0, C=[0]), ValueError, "both J and C"),
        (
            lambda m, X, y: direct_importance_from(m, X, y, "a", "b", B="a"),
            ValueError,
            "both K and B",
        ),
        (lambda m, X, y: decompose_direct(m, X, y, "a", how="slow"), ValueError, "'shapley'"),
        (lambda m, X, y: decompose_sage(m, X, y, "a", how=None), ValueError, "'fast'"),
        (lambda m, X, y: decompose_sage(m, X, y, ["a", "b"]), TypeError, "name or its position"),
        (lambda m, X, y: decompose_sage(m, X, y, "a", n_orders=0), ValueError, "n_orders"),
        (
            lambda m, X, y: decompose_direct(m, X, y, "a", how="shapley", n_orders=2.5),
            TypeError,
            "n_orders",
        ),
        (lambda m, X, y: direct_importance(m, X, y, "a", n_repeats=0), ValueError, "n_repeats"),
        (
            lambda m, X, y: direct_importance(m, X, y, "a", marginalize=True, n_samples=1),
            ValueError,
            "n_samples",
        ),
        (lambda m, X, y: direct_importance(m, X, y[:-1], "a"), ValueError, "rows"),
        (lambda m, X, y: direct_importance(m, X * np.nan, y, "a"), ValueError, "NaN"),
        (lambda m, X, y: direct_importance(m, X[:0], y[:0], "a"), ValueError, "at least 1 row"),
        (lambda m, X, y: direct_importance(m, X[["a", "b"]], y, "a"), ValueError, "fitted"),
        (lambda m, X, y: associative_importance(m, X[:1], y[:1], "a"), ValueError, "2 rows"),
        (
            lambda m, X, y: direct_importance(LinearRegression(), X, y, "a"),
            ValueError,
            "not been fitted",
        ),
        (lambda m, X, y: direct_importance(m, X, y, "a", loss="mse"), TypeError, "loss"),
        (
            lambda m, X, y: direct_importance(m, X, y, "a", loss=lambda y, p: 0.0),
            ValueError,
            "one value per row",
        ),
        (lambda m, X, y: direct_importance(m, X, y, "a", sampler="x"), TypeError, "sampler"),
        (lambda m, X, y: direct_importance(m, X, y, "a", sampler=Broken()), ValueError, "shape"),
        (lambda m, X, y: direct_importance(m, X, y, "a", sampler=Empty()), ValueError, "NaN"),
        (lambda m, X, y: direct_importance(m, X, y, "a", random_state=-1), ValueError, "negative"),
        (
            lambda m, X, y: direct_importance(m, X, y, "a", marginalize="no"),
            TypeError,
            "marginalize must be True or False",
        ),
        (
            lambda m, X, y: linear_gaussian(
                make_biomarker_world(), "label", {"cycling": 1}
            ).direct_importance("cycling", marginalize="no"),
            TypeError,
            "marginalize must be True or False",
        ),
        (
            lambda m, X, y: direct_importance(
                LogisticRegression().fit(X, y > 0),
                X,
                y > 0,
                "a",
                loss=zero_one,
                marginalize=True,
            ),
            ValueError,
            "no average",
        ),
        (lambda m, X, y: linear_gaussian("world", "y", {}), TypeError, "LinearSCM"),
        (
            lambda m, X, y: linear_gaussian(make_biomarker_world(), "Y", {}),
            ValueError,
            "Unknown variable",
        ),
        (
            lambda m, X, y: linear_gaussian(make_biomarker_world(), "label", {"label": 1}),
            ValueError,
            "no feature",
        ),
        (
            lambda m, X, y: linear_gaussian(make_biomarker_world(), "label", [1, 2]),
            TypeError,
            "dict",
        ),
        (
            lambda m, X, y: linear_gaussian(make_biomarker_world(), "label", {"PSA": "a"}),
            TypeError,
            "must be a number",
        ),
        (lambda m, X, y: linear_gaussian(LinearSCM({}, {"y": 1}), "y", {}), ValueError, "no var"),
        *(
            (lambda m, X, y, f=f: f(m, X, y, "a", n_orders=5), ValueError, "belongs to how")
            for f in (decompose_direct, decompose_associative)
        ),
        (
            lambda m, X, y: linear_gaussian(
                make_biomarker_world(), "label", {"cycling": 1}
            ).decompose_direct("cycling", n_orders=5),
            ValueError,
            "belongs to how",
        ),
    ],
)
def test_bad_input_is_refused_with_a_sentence(small, call, error, sentence):
    with pytest.raises(error, match=sentence):
        call(*small)


MEASURES = {
    direct_importance: "B marginalize",
    associative_importance: "C marginalize",
    direct_importance_from: "B marginalize",
    associative_importance_via: "C marginalize",
    decompose_direct: "B marginalize how n_orders",
    decompose_associative: "C marginalize how n_orders",
}


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.__name__)
def test_signatures_show_how_features_are_drawn_and_other_options_are_refused(small, measure):
    shown = inspect.signature(measure).parameters.values()
    options = [option.name for option in shown if option.kind is option.KEYWORD_ONLY]
    drawing = "sampler loss n_repeats n_samples sample_weight n_jobs random_state".split()
    assert options == MEASURES[measure].split() + drawing
    with pytest.raises(TypeError, match=rf"{measure.__name__} has no option 'n_repeat'; it has .*"):
        measure(*small, "a", "b", n_repeat=5)


def test_too_many_players_are_refused_with_the_way_out():
    names = [f"v{i}" for i in range(14)]
    exact = linear_gaussian(LinearSCM({}, dict.fromkeys([*names, "y"], 1.0)), "y", {"v0": 1.0})
    with pytest.raises(ValueError, match="n_orders"):
        exact.sage()
    with pytest.raises(ValueError, match="how='fast'"):
        exact.decompose_direct("v0", how="shapley")
    with pytest.raises(ValueError, match="Leave it out"):
        exact.decompose_associative("v0", how="shapley", n_orders=5)
    assert exact.decompose_associative("v0", how="shapley").additive


def test_results_name_what_was_measured(biomarker):
    exact = biomarker.exact
    assert exact.direct_importance_from("cycling", "PSA").measure == "DI(cycling | rest <- PSA)"
    via = exact.associative_importance_via("PSA", "cycling", C="biomarker", marginalize=True)
    assert via.measure == "AI(PSA | biomarker -> cycling), marginalised"
    assert exact.decompose_direct("cycling").parts.index.name == "variable"
    assert exact.decompose_associative("PSA").parts.index.name == "feature"
    assert list(exact.decompose_sage("PSA").parts.index) == list(biomarker.names)


def test_closed_forms_answer_for_the_model_as_it_is(biomarker):
    assert isinstance(biomarker.exact, LinearGaussian)
    residual = biomarker.y - biomarker.model.predict(biomarker.X)
    assert biomarker.exact.mean_squared_error() == pytest.approx(np.mean(residual**2))


@pytest.mark.parametrize("seed", range(3))
def test_the_slope_of_the_prediction_is_that_of_least_squares_on_the_variable(seed):
    """Against a regression of the predictions on each variable, read by the model or not."""
    table = WORLD_OF_SLOPES.sample(100_000, random_state=seed)
    exact = linear_gaussian(WORLD_OF_SLOPES, "y", {"b": 0.7, "c": -0.4})
    prediction = 0.7 * table["b"] - 0.4 * table["c"]
    for name in ("a", "b", "c"):
        slope = np.polyfit(table[name], prediction, 1)[0]
        assert exact.prediction_slope(name) == pytest.approx(slope, abs=0.02)
    with pytest.raises(ValueError, match="d"):
        exact.prediction_slope("d")


WORLD_OF_SLOPES = LinearSCM(
    {"b": {"a": 1.0}, "c": {"a": -0.5, "b": 0.5}, "y": {"c": 1.0}},
    {"a": 1.0, "b": 0.5, "c": 1.0, "y": 1.0},
)


def test_a_sampler_that_works_in_place_leaves_what_is_kept(small):
    class Draw:
        def __init__(self, in_place):
            self.in_place = in_place

        def sample(self, X, columns, given, random_state):
            X = X if self.in_place else X.copy()
            X[:, list(columns)] = X[::-1][:, list(columns)].copy()
            return X[:, list(columns)]

    _, X, y = small
    X = np.asarray(X)
    model = SimpleNamespace(predict=lambda X: X[:, 0] * X[:, 1])
    found = [
        associative_importance(model, X, y, 0, C=1, sampler=Draw(in_place), n_repeats=2).importances
        for in_place in (True, False)
    ]
    np.testing.assert_array_equal(*found)


def test_a_sampler_of_ones_own_may_give_a_single_column_flat(small):
    class Draw:
        def __init__(self, flat):
            self.flat = flat

        def sample(self, X, columns, given, random_state):
            drawn = random_state.normal(size=(len(X), len(columns)))
            return drawn.ravel() if self.flat and len(columns) == 1 else drawn

    _, X, y = small
    model = SimpleNamespace(predict=lambda X: np.asarray(X)[:, 0])
    found = [
        direct_importance(model, X, y, 0, sampler=Draw(flat), random_state=0).importances
        for flat in (True, False)
    ]
    np.testing.assert_array_equal(*found)
