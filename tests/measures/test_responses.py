"""Answers to a table with a new column: short ways give what a whole prediction gives."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from course_lib.measures import permutation_importance
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
