"""An estimator on fewer columns: whatever way a step lists its columns, those left out are gone."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

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
