"""Models inside other models: what stands at the end, and from which given column it reads.

The origins are checked by trying: a given column that is changed may change only its own columns
behind the steps.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestRegressor
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
)

from course_lib.measures import mdi, permutation_importance
from course_lib.models.chains import Chain

RNG = np.random.default_rng(0)
N = 60
X = pd.DataFrame(
    {
        "age": RNG.normal(size=N),
        "town": RNG.choice(["Oslo", "Rome", "Lima"], N),
        "income": np.where(RNG.random(N) < 0.2, np.nan, RNG.normal(size=N)),
        "note": RNG.choice(["a", "b"], N),
    }
)
Y = X["age"] + 2 * (X["town"] == "Rome") + RNG.normal(size=N)
NUMBERS = ["age", "income"]
GAPS = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())


def columns(*parts, **options):
    return make_column_transformer(*parts, **options)


STEPS = {
    "rest dropped": columns((OneHotEncoder(), ["town"]), (GAPS, NUMBERS)),
    "one dropped by name": columns(
        ("drop", ["note"]), (OneHotEncoder(), ["town"]), (SimpleImputer(), NUMBERS)
    ),
    "rest passed through": columns(
        (OneHotEncoder(sparse_output=False), ["town", "note"]),
        (SimpleImputer(), ["income"]),
        remainder="passthrough",
    ),
    "chosen by type": columns(
        (OneHotEncoder(), make_column_selector(dtype_exclude=np.number)),
        (SimpleImputer(), make_column_selector(dtype_include=np.number)),
    ),
    "chosen by position": columns((OneHotEncoder(), [1]), (SimpleImputer(), slice(2, 3))),
    "nested": make_pipeline(
        columns(
            (
                make_pipeline(
                    SimpleImputer(),
                    columns((StandardScaler(), [1]), remainder="passthrough"),
                ),
                NUMBERS,
            ),
            (OneHotEncoder(drop="first"), ["town"]),
        ),
        SelectKBest(f_regression, k=3),
    ),
    "a union": columns(
        (make_union(SimpleImputer(), make_pipeline(SimpleImputer(), StandardScaler())), NUMBERS),
        (FeatureUnion([("one", OneHotEncoder()), ("none", "drop")]), ["town"]),
    ),
    "names nothing": columns(
        (make_pipeline(SimpleImputer(), FunctionTransformer(np.exp)), NUMBERS),
        (OneHotEncoder(), ["town"]),
    ),
    "binned": columns(
        (
            make_pipeline(SimpleImputer(), KBinsDiscretizer(3, strategy="uniform")),
            NUMBERS,
        ),
    ),
}


def changed(name: str) -> pd.DataFrame:
    """X with other values in one column, none of them new."""
    return X.assign(**{name: X[name].to_numpy()[::-1]})


def dense(table) -> np.ndarray:
    return np.asarray(table.toarray() if hasattr(table, "toarray") else table, dtype=float)


@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS)
def test_a_column_behind_the_steps_moves_only_with_the_column_it_comes_from(steps):
    chain = Chain(make_pipeline(steps, Ridge()).fit(X, Y))
    before = dense(chain.transform(X))
    assert before.shape[1] == len(chain.origin) == len(chain.names) == chain.model.n_features_in_
    assert chain.given_names == tuple(X)
    for j, name in enumerate(X):
        moved = (dense(chain.transform(changed(name))) != before).any(axis=0)
        assert {k for k in np.flatnonzero(moved)} <= {
            k for k, origin in enumerate(chain.origin) if origin == j
        }
    assert chain.is_columnwise


@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS)
def test_importances_behind_the_steps_are_summed_by_given_column(steps):
    model = make_pipeline(steps, RandomForestRegressor(5, random_state=0)).fit(X, Y)
    given, read = mdi(model), mdi(model, columns="transformed")
    origin = np.array(Chain(model).origin)
    for j in range(4):
        np.testing.assert_allclose(
            given.importances[j], read.importances[origin == j].sum(axis=0), atol=1e-12
        )
    assert given.feature_names == tuple(X)


SEARCHES = {
    "grid": lambda model: GridSearchCV(model, {"ridge__alpha": [1.0, 2.0]}, cv=2),
    "random": lambda model: RandomizedSearchCV(
        model, {"ridge__alpha": [1.0, 2.0]}, n_iter=2, cv=2, random_state=0
    ),
    "a pipeline in a search in a pipeline": lambda model: Pipeline(
        [("same", "passthrough"), ("search", GridSearchCV(model, {"ridge__alpha": [1.0]}, cv=2))]
    ),
}


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_a_search_counts_as_its_best_estimator(search):
    fitted = search(make_pipeline(STEPS["rest dropped"], Ridge())).fit(X, Y)
    chain = Chain(fitted)
    assert type(chain.model) is Ridge and type(chain.steps[-1]) is ColumnTransformer
    assert chain.names[:3] == (
        "onehotencoder__town_Lima",
        "onehotencoder__town_Oslo",
        "onehotencoder__town_Rome",
    )
    assert chain.origin == [1, 1, 1, 0, 2, 2]
    np.testing.assert_allclose(
        chain.model.predict(chain.transform(X)), fitted.predict(X), atol=1e-12
    )
    found = permutation_importance(fitted, X, Y, n_repeats=2, random_state=0)
    assert found.importances[3].tolist() == [0, 0]  # the note is dropped


MIXING = {
    "main axes": make_pipeline(SimpleImputer(), PCA(2)),
    "products": make_pipeline(SimpleImputer(), PolynomialFeatures(2, interaction_only=True)),
}


@pytest.mark.parametrize("mixing", MIXING.values(), ids=MIXING)
def test_a_step_that_mixes_columns_is_refused_by_its_column_but_not_if_transformed(mixing):
    numbers = X[NUMBERS]
    model = make_pipeline(mixing, RandomForestRegressor(3, random_state=0)).fit(numbers, Y)
    chain = Chain(model)
    assert not chain.is_columnwise and None in chain.origin
    with pytest.raises(ValueError, match='cannot be traced back.*columns="transformed"'):
        mdi(model)
    assert mdi(model, columns="transformed").importances.shape[0] == chain.model.n_features_in_
    with pytest.raises(ValueError, match="mixes columns.*permutation_importance"):
        chain.groups("given", chain.given_names)


def test_a_model_without_steps_is_its_own_chain():
    model = Ridge().fit(X[["age"]], Y)
    chain = Chain(model)
    assert chain.model is model and chain.steps == [] and chain.names == ("age",)
    table = X[["age"]]
    assert chain.table(table) is table
    with pytest.raises(ValueError, match="columns must be 'given' or 'transformed', got 'all'"):
        chain.summed(np.ones(1), "all")


def test_an_unfitted_pipeline_is_refused():
    with pytest.raises(ValueError, match="not been fitted"):
        Chain(make_pipeline(StandardScaler(), Ridge()))
