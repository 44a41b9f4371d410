"""Models inside other models: what stands at the end, and from which given column it reads.

The origins are checked by trying: a given column that is changed may change only its own columns
behind the steps.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    Normalizer,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
)

from course_lib.measures import (
    booster_importances,
    local_mdi,
    mdi,
    oob_permutation_importance,
    permutation_importance,
    saabas,
    tree_shap,
    unbiased_mdi,
)
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
    "neighbours": make_pipeline(KNNImputer()),
    "lengths": make_pipeline(SimpleImputer(), Normalizer()),
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


TOWNS = pd.DataFrame(
    {"town": RNG.integers(0, 2, N) * 1.0, "a b": RNG.normal(size=N), "b": RNG.normal(size=N)}
)
RISE = 3 * TOWNS["a b"]  # all of it
LATE = "town"


class Mine(TransformerMixin, BaseEstimator):
    """A step of somebody's own, that knows what it was fitted to."""

    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        self.feature_names_in_ = np.array(X.columns, dtype=object)
        return self


class LateLast(Mine):
    def transform(self, X):
        return X[self.get_feature_names_out()]

    def get_feature_names_out(self, names=None):
        return np.array(sorted(self.feature_names_in_, key=lambda name: name == LATE))


class Reordered(LateLast):
    """The same, without names on what it puts out."""

    def transform(self, X):
        return super().transform(X).to_numpy()


class Without(Mine):
    def transform(self, X):
        return X.drop(columns=LATE)

    def get_feature_names_out(self, names=None):
        return np.array([name for name in self.feature_names_in_ if name != LATE])


class KnownNames(Without):
    def get_feature_names_out(self, names=None):
        return np.array(["a b", "b"], dtype=object)


class Looked(Without):
    """It looks its names up, and finds no made-up ones."""

    def get_feature_names_out(self, names=None):
        return np.array([{"a b": "a b", "b": "b"}[name] for name in self.feature_names_in_[1:]])


class Quiet(TransformerMixin, BaseEstimator):
    """It keeps nothing of what it was fitted to."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X.drop(columns=LATE)


def late_last(table):
    return table[sorted(table.columns, key=lambda name: name == LATE)]


def late_last_names(step, names):
    return sorted(names, key=lambda name: name == LATE)


BY_NAME = {
    "a function": FunctionTransformer(late_last, feature_names_out=late_last_names),
    "in a column transformer": columns(
        (FunctionTransformer(late_last, feature_names_out=late_last_names), list(TOWNS))
    ),
    "in a union": make_union(
        FunctionTransformer(late_last, feature_names_out=late_last_names), StandardScaler()
    ),
    "after a scaler": make_pipeline(StandardScaler().set_output(transform="pandas"), LateLast()),
    "a class": LateLast(),
    "an array": Reordered(),
    "one dropped": Without(),
    "one dropped, others known": KnownNames(),
    "one dropped, names looked up": Looked(),
}
ENDS = {
    "forest": lambda: RandomForestRegressor(5, max_features=1, random_state=0),
    "boosted": lambda: HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=3),
}
FROM_TREES = {
    "mdi": (mdi, "forest"),
    "local_mdi": (lambda model: local_mdi(model, TOWNS), "forest"),
    "saabas": (lambda model: saabas(model, TOWNS), "forest"),
    "unbiased_mdi": (lambda model: unbiased_mdi(model, TOWNS, RISE), "forest"),
    "tree_shap": (lambda model: tree_shap(model, TOWNS), "forest"),
    "booster_importances": (booster_importances, "boosted"),
    "tree_shap of boosted trees": (lambda model: tree_shap(model, TOWNS), "boosted"),
}


def sizes(result) -> np.ndarray:
    per_feature = getattr(result, "importances_mean", None)
    return abs(result.values).mean(axis=0) if per_feature is None else per_feature


@pytest.mark.parametrize("measure", FROM_TREES.values(), ids=FROM_TREES)
@pytest.mark.parametrize("step", BY_NAME.values(), ids=BY_NAME)
def test_a_step_that_goes_by_names_leaves_each_importance_with_its_column(step, measure):
    of, end = measure
    result = of(make_pipeline(step, ENDS[end]()).fit(TOWNS, RISE))
    assert result.feature_names == tuple(TOWNS)
    assert sizes(result).argmax() == 1 and sizes(result)[1] > 2 * sizes(result)[0]


@pytest.mark.parametrize("measure", FROM_TREES.values(), ids=FROM_TREES)
def test_a_step_that_says_nothing_of_its_columns_is_refused_unless_the_table_is_at_hand(measure):
    of, end = measure
    model = make_pipeline(Quiet(), ENDS[end]()).fit(TOWNS, RISE)
    if of in (mdi, booster_importances):
        with pytest.raises(ValueError, match="Quiet, does not say which columns.*transformed"):
            of(model)
        assert of(model, columns="transformed").feature_names == ("a b", "b")
        return
    result = of(model)
    assert result.feature_names == tuple(TOWNS)
    assert sizes(result).argmax() == 1 and sizes(result)[0] == 0


def test_a_step_that_says_nothing_of_its_columns_has_none_exchanged_out_of_the_bag():
    model = make_pipeline(Quiet(), ENDS["forest"]()).fit(TOWNS, RISE)
    with pytest.raises(ValueError, match="not known to treat them one by one"):
        oob_permutation_importance(model, TOWNS, RISE)
    found = permutation_importance(model, TOWNS, RISE, random_state=0)
    assert found.importances_mean.argmax() == 1 and found.importances_mean[0] == 0


class Lying(Mine):
    """It turns its columns round, and says that it does not."""

    def transform(self, X):
        return X.to_numpy()[:, ::-1]

    def get_feature_names_out(self, names=None):
        return self.feature_names_in_


class Mixing(Mine):
    """It keeps a name for something else."""

    def transform(self, X):
        return X.assign(b=X["a b"] - X["b"])

    def get_feature_names_out(self, names=None):
        return self.feature_names_in_


@pytest.mark.parametrize("step", [Lying(), Mixing()], ids=["turned round", "mixed"])
def test_names_that_the_rows_refute_are_not_believed(step):
    model = make_pipeline(step, ENDS["forest"]()).fit(TOWNS, RISE)
    for measure in (local_mdi, saabas, tree_shap):
        with pytest.raises(ValueError, match='cannot be traced back.*columns="transformed"'):
            measure(model, TOWNS)
        assert measure(model, TOWNS, columns="transformed").values.shape == TOWNS.shape


def swapped(table):
    return table.rename(columns={"a b": "b", "b": "a b"})


def replaced(table):
    return table.assign(b=table["a b"] + table["b"])


def filled_by_group(table):
    return table.assign(b=table["b"].fillna(table.groupby("c")["b"].transform("mean")))


UNTRUE = {
    "turned round": Lying(),
    "mixed": Mixing(),
    "swapped": FunctionTransformer(swapped),
    "replaced": FunctionTransformer(replaced),
    "filled": FunctionTransformer(filled_by_group),
    "in a column transformer": columns((Mixing(), ["a b", "b"]), remainder="passthrough"),
    "after a scaler": make_pipeline(StandardScaler().set_output(transform="pandas"), Mixing()),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("step", UNTRUE.values(), ids=UNTRUE)
def test_names_that_made_up_numbers_refute_are_not_believed_without_a_table(step, end):
    table = TOWNS.set_axis(["a b", "b", "c"], axis=1).astype(float)
    model = make_pipeline(step, ENDS[end]()).fit(table, RISE)
    measure = mdi if end == "forest" else booster_importances
    with pytest.raises(ValueError, match='cannot be traced back.*columns="transformed"'):
        measure(model)
    assert len(measure(model, columns="transformed").feature_names) == 3


def test_names_that_few_rows_refute_are_not_believed():
    town = np.repeat([0.0, 1.0], 200)
    age = np.where(np.arange(400) % 30, RNG.normal(size=400), np.nan)
    table = pd.DataFrame({"town": town, "age": age})
    step = FunctionTransformer(lambda X: X.assign(age=X["age"].fillna(20 * X["town"])))
    model = make_pipeline(step, ENDS["forest"]()).fit(table, town)
    with pytest.raises(ValueError, match="'age' of the model cannot be traced back"):
        local_mdi(model, table)


class TurnedScaler(StandardScaler):
    """Known by its class to treat columns one by one, which it no longer does in their order."""

    def transform(self, X):
        return super().transform(X)[:, ::-1]


def test_a_class_made_of_a_known_one_is_not_taken_for_it():
    model = make_pipeline(TurnedScaler(), ENDS["forest"]()).fit(TOWNS, RISE)
    assert not Chain(model).is_columnwise
    found = permutation_importance(model, TOWNS, RISE, random_state=0)
    assert found.importances_mean.argmax() == 1
    with pytest.raises(ValueError, match="cannot be traced back"):
        local_mdi(model, TOWNS)


def as_floats(table):
    return table.astype(float)


def test_a_function_that_keeps_its_columns_is_traced():
    step = FunctionTransformer(as_floats, feature_names_out="one-to-one")
    model = make_pipeline(step, ENDS["forest"]()).fit(TOWNS, RISE)
    assert Chain(model).origin == [0, 1, 2]
    assert sizes(tree_shap(model, TOWNS)).argmax() == 1


def as_array(table):
    return np.asarray(table)


def test_a_function_that_names_nothing_is_refused_without_names_and_traced_by_those_it_keeps():
    bare = make_pipeline(FunctionTransformer(as_array), ENDS["forest"]()).fit(TOWNS, RISE)
    with pytest.raises(ValueError, match='cannot be traced back.*columns="transformed"'):
        mdi(bare)
    assert mdi(bare, columns="transformed").feature_names[0] == "transformed0"
    kept = make_pipeline(FunctionTransformer(late_last), ENDS["forest"]()).fit(TOWNS, RISE)
    assert sizes(mdi(kept)).argmax() == 1
