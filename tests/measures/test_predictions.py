"""Prediction games against closed forms and Kernel SHAP (mirrors attribution.py)."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression

from course_lib.measures import prediction_game
from course_lib.models import sampled_shapley_values, shapley_values, worths


def conjunction(X):
    return X[:, 0] * X[:, 1]


AND_TABLE = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [4, 1, 2, 3], axis=0)  # `001`, corrected


def test_and_has_one_interventional_and_one_conditional_answer():
    """Counts 00:4 01:1 10:2 11:3 at (1, 1): (.3, .4) and (.275, .425), whatever the tree."""
    marginal = prediction_game(conjunction, [1, 1], AND_TABLE)
    conditional = prediction_game(conjunction, [1, 1], AND_TABLE, removal="conditional")
    np.testing.assert_allclose(shapley_values(marginal, 2), [0.3, 0.4])
    np.testing.assert_allclose(shapley_values(conditional, 2), [0.275, 0.425])


def test_the_ends_of_the_game_are_the_mean_prediction_and_the_prediction():
    for removal in ("marginal", "conditional"):
        v = prediction_game(conjunction, [1, 1], AND_TABLE, removal=removal)
        assert v(frozenset()) == pytest.approx(0.3)
        assert v(frozenset({0, 1})) == 1.0


def test_a_copy_that_is_not_read_gets_nothing_marginally_and_half_conditionally():
    copies = np.repeat(np.arange(4.0)[:, np.newaxis], 2, axis=1)
    at, first = copies[3], lambda X: X[:, 0]
    np.testing.assert_allclose(shapley_values(prediction_game(first, at, copies), 2), [1.5, 0])
    conditional = prediction_game(first, at, copies, removal="conditional")
    np.testing.assert_allclose(shapley_values(conditional, 2), [0.75, 0.75])


def test_copies_that_are_read_alike_share_alike():
    copies = np.repeat(np.arange(4.0)[:, np.newaxis], 2, axis=1)
    for removal in ("marginal", "conditional"):
        v = prediction_game(lambda X: X.sum(axis=1), copies[0], copies, removal=removal)
        np.testing.assert_allclose(shapley_values(v, 2), [-1.5, -1.5])


def test_xor_is_shared_equally_by_both_games():
    bits = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    for removal in ("marginal", "conditional"):
        v = prediction_game(lambda X: (X[:, 0] != X[:, 1]) * 1.0, [0, 1], bits, removal=removal)
        np.testing.assert_allclose(shapley_values(v, 2), [0.25, 0.25])


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.integers(1, 5))
def test_linear_models_have_contributions_in_closed_form(seed, p):
    """Marginal Shapley values of a linear model are b_j (x_j - mean of x_j)."""
    rng = np.random.default_rng(seed)
    background, beta = rng.normal(size=(20, p)), rng.normal(size=p)
    x = rng.normal(size=p)
    v = prediction_game(lambda X: 3 + X @ beta, x, background)
    expected = beta * (x - background.mean(axis=0))
    np.testing.assert_allclose(shapley_values(v, p), expected, atol=1e-10)


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6))
def test_the_conditional_game_is_a_table_of_group_means(seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.integers(0, 2, size=(40, 3)), columns=["a", "b", "c"])
    outcome = rng.normal(size=(2, 2, 2))
    prediction = outcome[tuple(table.to_numpy().T)]
    x = table.iloc[seed % 40]
    v = prediction_game(
        lambda X: outcome[tuple(X.to_numpy().astype(int).T)], x, table, removal="conditional"
    )
    groups = pd.Series(prediction).groupby([table["a"], table["c"]]).mean()
    assert v({0, 2}) == pytest.approx(groups[x["a"], x["c"]])


def test_kernel_shap_plays_the_marginal_game():
    """`001` calls it the conditional expectation; as implemented it fills in background rows."""
    shap = pytest.importorskip("shap")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    X[:, 1] += X[:, 0]
    model = RandomForestRegressor(5, random_state=0).fit(X, X[:, 0] * X[:, 1] + X[:, 2])
    explainer = shap.KernelExplainer(model.predict, X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kernel = explainer.shap_values(X[3], nsamples=2**4, silent=True)
    exact = shapley_values(prediction_game(model.predict, X[3], X), 4)
    np.testing.assert_allclose(kernel, exact, atol=1e-8)


def test_all_coalitions_at_once_and_one_by_one_agree():
    rng = np.random.default_rng(0)
    background = rng.normal(size=(50, 6))
    v = prediction_game(lambda X: np.prod(np.sin(X), axis=1), background[0], background)
    one_by_one = worths(lambda S: v(S), 6)
    np.testing.assert_allclose(worths(v, 6), one_by_one, atol=1e-14)
    sub_game = shapley_values(v, 4)  # only the first four may become known
    assert sub_game.sum() == pytest.approx(v({0, 1, 2, 3}) - v(set()))
    drawn = sampled_shapley_values(v, 6, n_orders=3, random_state=0)
    np.testing.assert_allclose(drawn.sum(axis=0), v(range(6)) - v(()))


def test_large_backgrounds_are_cut_into_batches(monkeypatch):
    monkeypatch.setattr("course_lib.models.games.MAX_BATCH", 700)
    seen = []

    def predict(X):
        seen.append(len(X))
        return X.sum(axis=1)

    background = np.random.default_rng(0).normal(size=(100, 3))
    phi = shapley_values(prediction_game(predict, background[0], background), 3)
    np.testing.assert_allclose(phi, background[0] - background.mean(axis=0), atol=1e-12)
    assert max(seen) <= 200


def test_worths_are_remembered():
    calls = []
    v = prediction_game(lambda X: calls.append(1) or X[:, 0], [1.0], [[0.0], [2.0]])
    assert v({0}) == v(frozenset({0})) == 1.0
    assert len(calls) == 1


@pytest.mark.parametrize("fit_on_frame", [True, False])
@pytest.mark.parametrize("background_is_frame", [True, False])
def test_a_model_gets_the_kind_of_table_it_was_fitted_with(fit_on_frame, background_is_frame):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 2)), columns=["a", "b"])
    model = LinearRegression().fit(frame if fit_on_frame else frame.to_numpy(), frame["a"])
    background = frame if background_is_frame else frame.to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        v = prediction_game(model.predict, frame.iloc[0], background)
        assert v({0, 1}) == pytest.approx(frame["a"].iloc[0])


def test_rows_are_matched_by_name():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [30.0, 40.0]})
    read = lambda X: X["a"].to_numpy()  # noqa: E731
    for x in (frame.iloc[0][["b", "a"]], frame.iloc[[0]][["b", "a"]], [1.0, 30.0]):
        assert prediction_game(read, x, frame)({0}) == 1.0
    with pytest.raises(ValueError, match="x has the values b, c, but the columns are a, b"):
        prediction_game(read, pd.Series({"b": 30.0, "c": 1.0}), frame)
    numbered = frame.set_axis([0, 1], axis=1)
    for x in (pd.Series({"1": 30.0, "0": 1.0}), frame.iloc[0]):
        assert prediction_game(lambda X: X[0].to_numpy(), x, numbered)({0}) == 1.0


def test_inputs_are_not_modified():
    background, x = np.arange(6.0).reshape(3, 2), np.array([1.0, 2.0])

    def greedy(X):
        X[:] = 0
        return X[:, 0]

    for removal in ("marginal", "conditional"):
        prediction_game(greedy, background[0], background, removal=removal)({0})
    np.testing.assert_array_equal(background, np.arange(6.0).reshape(3, 2))
    prediction_game(greedy, x, background)({0})
    np.testing.assert_array_equal(x, [1.0, 2.0])


def test_no_row_like_x_is_refused_with_the_coalition():
    background = pd.DataFrame({"age": [1, 2, 3], "sex": [0, 0, 1]})
    v = prediction_game(lambda X: X["age"].to_numpy(), [1, 1], background, removal="conditional")
    assert v({0}) == 1.0
    assert v({1}) == 3.0
    with pytest.raises(ValueError, match="No background row equals x on age, sex"):
        v({0, 1})
    with pytest.raises(ValueError, match="No background row equals x on age, sex"):
        shapley_values(v, 2)


@pytest.mark.parametrize(
    ("predict", "x", "background", "removal", "error", "message"),
    [
        (LinearRegression(), [1], [[1]], "marginal", TypeError, "Pass model.predict"),
        (conjunction, [1, 1], AND_TABLE, "causal", ValueError, "'marginal' or 'conditional'"),
        (conjunction, [1, 1, 1], AND_TABLE, "marginal", ValueError, "one row with 2 features"),
        (conjunction, AND_TABLE, AND_TABLE, "marginal", ValueError, "one row with 2 features"),
        (conjunction, [1, np.nan], AND_TABLE, "marginal", ValueError, "NaN"),
        (conjunction, ["a", "b"], AND_TABLE, "marginal", TypeError, "numbers"),
        (conjunction, [1, 1], np.zeros((0, 2)), "marginal", ValueError, "at least 1 row"),
        (conjunction, [1, 1], None, "marginal", TypeError, "DataFrame or a two-dimensional"),
    ],
)
def test_what_makes_no_game_is_refused(predict, x, background, removal, error, message):
    with pytest.raises(error, match=message):
        prediction_game(predict, x, background, removal=removal)


@pytest.mark.parametrize(
    ("predict", "message"),
    [
        (lambda X: np.zeros((len(X), 2)), "choose one class"),
        (lambda X: np.full(len(X), "a"), "choose one class"),
        (lambda X: 1.0, "one number per row"),
        (lambda X: np.full(len(X), np.nan), "NaN or infinity"),
        (LogisticRegression().fit(AND_TABLE, AND_TABLE[:, 0]).predict_proba, "choose one class"),
    ],
)
def test_predictions_that_are_no_numbers_are_refused(predict, message):
    for removal in ("marginal", "conditional"):
        with pytest.raises(ValueError, match=message):
            prediction_game(predict, [1, 1], AND_TABLE, removal=removal)({0})


def test_an_unfitted_model_and_a_strange_player_are_refused():
    with pytest.raises(ValueError, match="has not been fitted"):
        prediction_game(LinearRegression().predict, [1, 1], AND_TABLE)
    with pytest.raises(ValueError, match="players from 0 to 1"):
        prediction_game(conjunction, [1, 1], AND_TABLE)({2})
