"""Answers to a table with a new column: short ways give what a whole prediction gives."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from course_lib.measures import (
    algorithm_reliance,
    associative_importance,
    conditional_model_reliance,
    conditional_permutation_importance,
    decompose_direct,
    model_reliance,
    permutation_importance,
    permutation_null,
    sage,
)
from course_lib.measures.responses import Responses
from course_lib.models.boosters import hist_part
from course_lib.tables import Coding

RNG = np.random.default_rng(0)
N = 120
NUMBERS = pd.DataFrame(RNG.normal(size=(N, 3)), columns=["a", "b", "unread"])
MIXED = NUMBERS.assign(colour=RNG.choice(["red", "green", "blue"], N)).astype(
    {"colour": "category"}
)
SCORE = NUMBERS.a + NUMBERS.b * (MIXED.colour == "red") + 0.1 * RNG.normal(size=N)
CLASSES = pd.cut(SCORE, 3, labels=["low", "middle", "high"]).astype(str)
GAPS = NUMBERS.mask(RNG.random(NUMBERS.shape) < 0.2)
FEW = {"max_iter": 8, "min_samples_leaf": 5, "max_leaf_nodes": 4, "random_state": 0}
ENCODED = make_column_transformer(
    (OneHotEncoder(sparse_output=False), ["colour"]), remainder="passthrough"
)


MODELS = {
    "regression": (HistGradientBoostingRegressor(**FEW), NUMBERS, SCORE, "predict"),
    "a link": (
        HistGradientBoostingRegressor(loss="poisson", **FEW),
        GAPS,
        np.exp(SCORE),
        "predict",
    ),
    "two classes": (HistGradientBoostingClassifier(**FEW), GAPS, SCORE > 0, "predict_proba"),
    "three classes": (HistGradientBoostingClassifier(**FEW), NUMBERS, CLASSES, "predict_proba"),
    "labels": (HistGradientBoostingClassifier(**FEW), NUMBERS, CLASSES, "predict"),
    "categories": (
        HistGradientBoostingRegressor(categorical_features="from_dtype", **FEW),
        MIXED,
        SCORE,
        "predict",
    ),
    "behind an encoder": (
        make_pipeline(ENCODED, HistGradientBoostingClassifier(**FEW)),
        MIXED,
        SCORE > 0,
        "predict_proba",
    ),
}


@pytest.mark.parametrize("case", MODELS)
def test_fewer_boosted_trees_answer_as_all_of_them(case):
    model, X, y, method = MODELS[case]
    model.fit(X, y)
    coding = Coding(X)
    responses = Responses(model, X, coding, method)
    rows = np.random.default_rng(1).permuted(np.tile(np.arange(N), (2, 1)), axis=1)
    new = {j: coding.values[rows, j] for j in range(X.shape[1])}
    for j, answers in zip(new, responses.new(new), strict=True):
        for shuffled, found in zip(rows, answers, strict=True):
            table = X.copy()
            table.isetitem(j, X.iloc[shuffled, j].array)
            expected = getattr(model, method)(table)
            if method == "predict" and expected.dtype.kind not in "f":
                assert (found == expected).all()
            else:
                np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_trees_that_do_not_ask_for_a_column_are_left_out():
    model = HistGradientBoostingRegressor(**FEW).fit(NUMBERS.assign(unread=0.0), SCORE)
    assert len(hist_part(model, [2])._predictors) == 0
    assert 0 < len(hist_part(model, [1])._predictors) <= len(model._predictors)
    assert len(hist_part(model, [0, 1, 2])._predictors) == len(model._predictors)
    assert len(model._predictors) == FEW["max_iter"]  # the model itself is as it was


def test_a_column_that_no_boosted_tree_asks_for_gets_exactly_zero():
    model = HistGradientBoostingClassifier(**FEW).fit(NUMBERS.assign(unread=0.0), CLASSES)
    found = permutation_importance(model, NUMBERS, CLASSES, n_repeats=3, random_state=0)
    assert (found.importances[2] == 0).all() and (found.importances[0] > 0).all()


class InPlace(TransformerMixin, BaseEstimator):
    """Doubles the array that it is given."""

    def __init__(self, copy=False):
        self.copy = copy

    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X):
        X = X.copy() if self.copy else X
        X *= 2
        return X


ONCE = {"n_repeats": 1, "random_state": 0}
MEASURES = {
    "permutation": lambda *of: permutation_importance(*of, **ONCE),
    "conditional": lambda *of: conditional_permutation_importance(*of, **ONCE),
    "reliance": lambda *of: model_reliance(*of),
    "chimeras": lambda *of: conditional_model_reliance(*of, imputer=KNeighborsRegressor()),
    "algorithm": lambda *of: algorithm_reliance(*of),
    "twin": lambda *of: permutation_null(*of, 0, **ONCE),
    "sage": lambda *of: sage(*of, n_orders=1, random_state=0),
    "dedact": lambda *of: associative_importance(*of, 0, C=1, **ONCE),
    "sources": lambda *of: decompose_direct(*of, 0, how="shapley", **ONCE).parts,
}


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
@pytest.mark.parametrize(
    ("step", "fitted_as"),
    [(StandardScaler, pd.DataFrame), (StandardScaler, np.array), (InPlace, np.array)],
)
def test_models_that_work_in_place_do_not_change_the_table(measure, step, fitted_as):
    X, y = NUMBERS[:15] * 3 + 1, SCORE[:15].to_numpy()
    found = []
    for copy in (True, False):
        model = make_pipeline(step(copy=copy), KNeighborsRegressor())
        model.fit(fitted_as(X.copy()), y)
        found.append(np.asarray(getattr(measure(model, X, y), "importances", 0)))
        assert X.equals(NUMBERS[:15] * 3 + 1)
    np.testing.assert_allclose(*found)


@pytest.mark.parametrize(
    ("answer", "new"),
    [
        (lambda x: x if x % 1 else int(x), [0.5, 2, 1]),
        (lambda x: "a" if x < 2 else "another", ["a", "another", "a"]),
    ],
)
def test_answers_to_new_rows_are_not_cut_to_the_kind_of_the_old_ones(answer, new):
    X = np.array([[0.0], [1.0], [1.0]])
    model = SimpleNamespace(predict=lambda X: np.array([answer(x) for x in X[:, 0]]))
    responses = Responses(model, X, Coding(X), "predict")
    (found,) = responses.predicted(0, np.array([[0.5, 2.0, 1.0]]))
    assert found.tolist() == new


class Doubled:
    def predict(self, X):
        return 2 * super().predict(X)


def made_from(kind, what, *arguments):
    """An object of a class made from this one, which does what another class says."""
    return type("Own", (what, kind), {"__init__": kind.__init__})(*arguments)


CLASSES_OF_ONES_OWN = {
    "pipeline": (Pipeline, Doubled, [("scale", StandardScaler()), ("end", LinearRegression())]),
    "search": (GridSearchCV, Doubled, LinearRegression(), {}),
    "linear": (LinearRegression, Doubled),
    "forest": (RandomForestRegressor, Doubled, 3),
    "boosted": (HistGradientBoostingRegressor, Doubled),
}


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("case", CLASSES_OF_ONES_OWN)
def test_a_class_of_ones_own_is_asked_itself(case, inside):
    X, y = NUMBERS.to_numpy(), SCORE.to_numpy()
    model = made_from(*CLASSES_OF_ONES_OWN[case])
    model = (make_pipeline(StandardScaler(), model) if inside else model).fit(X, y)
    responses = Responses(model, X, Coding(X), "predict")
    new = X[::-1].copy()
    new[:, 1:] = X[:, 1:]
    (found,) = responses.new({0: new[np.newaxis, :, 0]})
    np.testing.assert_allclose(found[0], model.predict(new))


def test_a_method_put_into_a_model_is_asked():
    X, y = NUMBERS.to_numpy(), SCORE.to_numpy()
    model = LinearRegression().fit(X, y)
    model.predict = lambda X: np.exp(X[:, 0])
    responses = Responses(model, X, Coding(X), "predict")
    (found,) = responses.new({0: np.zeros((1, N))})
    np.testing.assert_allclose(found[0], np.ones(N))


@pytest.mark.parametrize("measure", ["conditional", "chimeras", "dedact"])
def test_categories_that_a_model_does_not_know_are_refused_with_the_way_out(measure):
    X = pd.DataFrame({"code": RNG.integers(3, size=30), "b": NUMBERS.b[:30]})
    encoded = make_column_transformer((OneHotEncoder(), ["code"]), remainder="passthrough")
    model = make_pipeline(encoded, KNeighborsRegressor()).fit(X, SCORE[:30])
    with pytest.raises(ValueError, match=r"handle_unknown='ignore'.*sampler=ForestSampler\(\)"):
        MEASURES[measure](model, X, SCORE[:30])
    once = X.replace({"code": {2: 7}}).astype({"code": str})
    model.fit(X.astype({"code": str}), SCORE[:30])
    with pytest.raises(ValueError, match="not fitted with.*'7'.*handle_unknown='ignore'"):
        permutation_importance(model, once, SCORE[:30])


@pytest.mark.parametrize("answer", [5.0, [5.0], [[1.0] * 15], None])
@pytest.mark.parametrize("measure", ["permutation", "reliance", "sage", "dedact"])
def test_a_model_that_does_not_answer_each_row_is_refused(measure, answer):
    model = SimpleNamespace(predict=lambda X: answer)
    with pytest.raises(ValueError, match="for each of .* rows, but gave shape"):
        MEASURES[measure](model, NUMBERS[:15], SCORE[:15])


class Mixed:
    """Each column times the one beside it."""

    def transform(self, X):
        columns = np.asarray(super().transform(X))
        return columns * np.roll(columns, 1, axis=1)


STEPS_OF_ONES_OWN = {
    "columns": (ColumnTransformer, Mixed, [("a", StandardScaler(), [0, 1])]),
    "union": (FeatureUnion, Mixed, [("a", StandardScaler())]),
    "pipeline": (Pipeline, Mixed, [("a", StandardScaler())]),
    "function": (FunctionTransformer, Mixed, np.exp),
    "scaler": (StandardScaler, Mixed),
}


@pytest.mark.parametrize("case", STEPS_OF_ONES_OWN)
@pytest.mark.parametrize("nested", [False, True])
def test_a_step_of_ones_own_class_is_asked_itself(case, nested):
    X, y = NUMBERS.to_numpy()[:, :2], SCORE.to_numpy()
    step = made_from(*STEPS_OF_ONES_OWN[case])
    step = ColumnTransformer([("b", step, [0, 1])]) if nested else step
    model = make_pipeline(step, LinearRegression()).fit(X, y)
    responses = Responses(model, X, Coding(X), "predict")
    new = np.column_stack([X[::-1, 0], X[:, 1]])
    (found,) = responses.new({0: new[np.newaxis, :, 0]})
    np.testing.assert_allclose(found[0], model.predict(new))


def test_forests_are_asked_for_what_stands_on_no_leaf():
    X, y = NUMBERS.to_numpy(), SCORE.to_numpy() > 0
    forest = RandomForestClassifier(3, min_samples_leaf=9, random_state=0).fit(X, y)
    new = np.column_stack([X[::-1, 0], X[:, 1:]])
    with np.errstate(divide="ignore"):  # some class has no row in any leaf
        responses = Responses(forest, X, Coding(X), "predict_log_proba")
        (found,) = responses.new({0: new[np.newaxis, :, 0]})
        np.testing.assert_allclose(found[0], forest.predict_log_proba(new))
