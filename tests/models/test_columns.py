"""An estimator on fewer columns: whatever way a step lists its columns, those left out are gone."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OrdinalEncoder, StandardScaler

from course_lib.models.columns import on_fewer_columns

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(40, 4)), columns=list("abcd"))
Y = X.to_numpy() @ [1.0, 2.0, 3.0, 4.0]


def scaled(columns) -> Pipeline:
    steps = ColumnTransformer([("scaled", StandardScaler(), columns)], remainder="passthrough")
    return make_pipeline(steps, LinearRegression())


@pytest.mark.parametrize(
    "columns",
    [
        ["a", "c"],
        ["b"],
        [0, 2],
        slice("a", "c"),
        slice(1, 3),
        [True, False, True, False],
        make_column_selector(dtype_include=float),
        [],
    ],
    ids="names name positions slice-of-names slice mask selector none".split(),
)
@pytest.mark.parametrize("left_out", range(4))
def test_predictions_are_those_of_plain_least_squares_without_the_column(columns, left_out):
    keep = [j for j in range(4) if j != left_out]
    fewer = X.iloc[:, keep]
    found = on_fewer_columns(scaled(columns), X, keep).fit(fewer, Y).predict(fewer)
    np.testing.assert_allclose(found, LinearRegression().fit(fewer, Y).predict(fewer))


def test_a_table_without_names_has_its_positions_counted_anew():
    values, keep = X.to_numpy(), [1, 2, 3]
    fewer = values[:, keep]
    found = on_fewer_columns(scaled([0, 1, 3]), values, keep).fit(fewer, Y)
    assert found[0].transformers_[0][2] == [0, 2]


def test_a_step_inside_a_search_is_found_and_the_estimator_itself_is_not_changed():
    search = GridSearchCV(scaled(["a", "b"]), {"linearregression__fit_intercept": [True, False]})
    keep = [1, 2, 3]
    on_fewer_columns(search, X, keep).fit(X.iloc[:, keep], Y)
    assert search.estimator[0].transformers[0][2] == ["a", "b"]


def binned(columns) -> ColumnTransformer:
    bins = KBinsDiscretizer(3, quantile_method="averaged_inverted_cdf")
    return ColumnTransformer([("binned", bins, columns)], remainder="passthrough")


B_AND_D_FIRST = ColumnTransformer([("first", StandardScaler(), [1, 3])], remainder="passthrough")
INSIDE = ColumnTransformer(
    [("b", binned([0]), [1]), ("d and c", binned([0]), [3, 2])], remainder="passthrough"
)


@pytest.mark.parametrize("left_out", range(4))
@pytest.mark.parametrize(
    ("steps", "table"),
    [
        ([binned([1, 3])], pd.DataFrame(X.to_numpy())),
        ([binned([1, 3])], X.set_axis([3, 1, 0, 2], axis=1)),
        ([SimpleImputer(), binned([1, 3])], X),
        ([B_AND_D_FIRST, binned([0, 1])], X),
        ([B_AND_D_FIRST, binned([0, 1])], X.to_numpy()),
        ([INSIDE], X.to_numpy()),
    ],
    ids="numbered other-numbers imputed behind behind-array inside".split(),
)
def test_positions_go_on_to_mean_the_same_columns(steps, table, left_out):
    keep = [j for j in range(4) if j != left_out]
    fewer = table.iloc[:, keep] if isinstance(table, pd.DataFrame) else table[:, keep]
    pipeline = make_pipeline(*steps, LinearRegression())
    found = on_fewer_columns(pipeline, table, keep).fit(fewer, Y).predict(fewer)
    named = make_pipeline(binned([n for n in "bd" if n != "abcd"[left_out]]), LinearRegression())
    wanted = named.fit(X.iloc[:, keep], Y).predict(X.iloc[:, keep])
    np.testing.assert_allclose(found, wanted)


@pytest.mark.parametrize("left_out", range(4))
def test_categories_behind_an_encoder_are_followed(left_out):
    keep, codes = [j for j in range(4) if j != left_out], X.round().abs()
    encoded = ColumnTransformer([("codes", OrdinalEncoder(), [2])], remainder="passthrough")
    model = HistGradientBoostingRegressor(categorical_features=[0])
    found = on_fewer_columns(make_pipeline(encoded, model), codes, keep)
    assert found[-1].categorical_features == ([0] if 2 in keep else None)


@pytest.mark.parametrize("left_out", range(4))
def test_interactions_go_on_to_mean_the_same_columns(left_out):
    keep, values = [j for j in range(4) if j != left_out], X.to_numpy()
    model = HistGradientBoostingRegressor(interaction_cst=[{1, 3}], monotonic_cst=[0, 1, 0, -1])
    found = on_fewer_columns(model, values, keep)
    together = [keep.index(j) for j in (1, 3) if j in keep]
    assert found.interaction_cst == [together]
    assert found.monotonic_cst == [[0, 1, 0, -1][j] for j in keep]
    alone = on_fewer_columns(HistGradientBoostingRegressor(interaction_cst=[{3}]), values, [0, 1])
    assert alone.interaction_cst is None
    by_name = HistGradientBoostingRegressor(monotonic_cst={"a": 1, "c": -1})
    assert on_fewer_columns(by_name, X, [1, 2, 3]).monotonic_cst == {"c": -1}


def test_categories_of_another_package_are_counted_anew():
    from lightgbm import LGBMRegressor

    found = on_fewer_columns(LGBMRegressor(categorical_feature=[0, 2]), X.to_numpy(), [1, 2, 3])
    assert found.get_params()["categorical_feature"] == [1]


def test_what_is_listed_column_by_column_goes_with_the_columns():
    table = pd.DataFrame({"size": ["S", "L"] * 3, "flag": ["no", "yes", "no"] * 2, "c": range(6)})
    encoder = OrdinalEncoder(categories=[["S", "L"], ["no", "yes"]])
    steps = ColumnTransformer([("coded", encoder, ["size", "flag"])], remainder="passthrough")
    fewer = table[["flag", "c"]]
    found = on_fewer_columns(make_pipeline(steps, LinearRegression()), table, [1, 2])
    assert found.fit(fewer, range(6))[0].transform(fewer)[:, 0].tolist() == [0, 1, 0] * 2


def test_positions_behind_a_step_that_makes_more_columns_are_refused():
    pipeline = make_pipeline(binned([0]), scaled([1, 2]))
    with pytest.raises(ValueError, match="by position behind a step that does not keep each"):
        on_fewer_columns(pipeline, X, [0, 1, 2])
