"""Tables of any kind as codes: nothing is lost on the way there and back, for any measure."""

import datetime
import itertools
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from course_lib.measures import (
    algorithm_reliance,
    associative_importance,
    conditional_permutation_importance,
    decompose_sage,
    direct_importance,
    model_reliance,
    permutation_importance,
    permutation_null,
    prediction_game,
    sage,
    shapley_values,
)
from course_lib.models import OnColumns, TotallyRandomizedTrees
from course_lib.tables import Coding, response_function
from course_lib.worlds import ForestSampler, MarginalSampler

KINDS = {
    "text": lambda codes: pd.Series(np.array(["ash", "elm", "oak", "yew"], dtype=object)[codes]),
    "string": lambda codes: pd.Series(np.array(list("abcd"))[codes], dtype="string"),
    "category": lambda codes: pd.Series(
        pd.Categorical(np.array(list("wxyz"))[codes], categories=list("wvxyz"))
    ),
    "ordered": lambda codes: pd.Series(
        pd.Categorical(np.array(list("abcd"))[codes], categories=list("abcd"), ordered=True)
    ),
    "date": lambda codes: pd.Series(pd.Timestamp("2026-01-01") + pd.to_timedelta(codes, unit="D")),
    "zoned": lambda codes: pd.Series(
        (pd.Timestamp("2026-01-01") + pd.to_timedelta(codes, unit="D")).tz_localize("UTC")
    ),
    "duration": lambda codes: pd.Series(pd.to_timedelta(codes, unit="h")),
    "boolean": lambda codes: pd.Series(codes % 2 == 1),
    "whole": lambda codes: pd.Series(codes),
    "real": lambda codes: pd.Series(codes / 4),
    "nullable": lambda codes: pd.Series(codes, dtype="Int64"),
    "nullable real": lambda codes: pd.Series(codes / 4, dtype="Float64"),
    "nullable boolean": lambda codes: pd.Series(codes % 2 == 1, dtype="boolean"),
}
MAY_LACK = [kind for kind in KINDS if kind not in ("boolean", "whole")]


@st.composite
def tables(draw, n_rows: int = 12, kinds=tuple(KINDS), min_columns: int = 1):
    """A table of one to four columns of any kinds, with missing values where a kind has them."""
    columns = {}
    drawn = draw(st.lists(st.sampled_from(kinds), min_size=min_columns, max_size=4))
    for j, kind in enumerate(drawn):
        codes = draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows))
        column = KINDS[kind](np.array(codes))
        if kind in MAY_LACK and draw(st.booleans()):
            gaps = draw(st.lists(st.booleans(), min_size=n_rows, max_size=n_rows))
            column = column.mask(np.array(gaps))
        columns[f"{j} {kind}"] = column
    return pd.DataFrame(columns)


@given(tables())
@settings(max_examples=60)
def test_codes_give_the_table_back_with_its_dtypes(X):
    coding = Coding(X)
    pd.testing.assert_frame_equal(coding.decode(coding.values), X)
    np.testing.assert_array_equal(coding.encode(X), coding.values)


OBJECTS = {
    "text with gaps of all kinds": ["b", None, "a", np.nan, pd.NA],
    "booleans with gaps": [True, None, False, True],
    "whole numbers with gaps": [1, None, 3],
    "decimals": [Decimal("0.1"), None, Decimal(2)],
    "numbers with gaps of two kinds": [1.5, None, np.nan],
    "moments with gaps of two kinds": [pd.Timestamp("2026-01-01"), pd.NaT, None],
    "durations": [datetime.timedelta(days=1), datetime.timedelta(days=2)],
    "large numbers": [2**70, 2**70 + 1, 5],
    "pairs": [(1, 2), None, (3, 4)],
}


def as_objects(values) -> np.ndarray:
    column = np.empty((len(values), 1), dtype=object)
    column[:, 0] = values
    return column


@pytest.mark.parametrize("values", OBJECTS.values(), ids=OBJECTS)
def test_objects_come_back_as_what_they_were(values):
    array = as_objects(values)
    table = pd.DataFrame(array, columns=["a"], dtype=object)
    for X in (array, table):
        coding = Coding(X)
        back = coding.decode(coding.values)
        assert type(back) is type(X)
        back = back if X is array else back.to_numpy()
        assert back.dtype == object and list(map(repr, back[:, 0])) == list(map(repr, values))
        np.testing.assert_array_equal(coding.encode(X), coding.values)
        np.testing.assert_array_equal(coding.encode_columns(array, [0]), coding.values)


def test_a_row_with_a_nullable_gap_is_explained():
    X = pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64"), "b": [0.5, 1.0, 2.0]})
    v = prediction_game(lambda X: X["a"].fillna(9).astype(float) + X["b"], X.iloc[1], X)
    np.testing.assert_allclose([v({0, 1}), v({0}), v({1})], [10.0, 9 + 3.5 / 3, 1 + 13 / 3])


def test_new_objects_keep_their_kind():
    coding = Coding(as_objects(["a", "b"]))
    codes = coding.encode_columns(as_objects([None, "c", np.nan]), [0])
    assert list(map(repr, coding.decode(codes)[:, 0])) == ["None", "'c'", "nan"]


def test_numbers_as_objects_may_be_new_ones():
    coding = Coding(as_objects([True, None, False]))
    found = coding.decode(np.array([[1.0], [0.5], [np.nan]]))[:, 0].tolist()
    assert found == [True, 0.5, None] and found[0] is True


@pytest.mark.parametrize("dtype", ["int64", "uint64", "Int64", object])
def test_large_whole_numbers_that_a_float_tells_apart_are_numbers_and_stay_what_they_are(dtype):
    """As moments in nanoseconds are: a float rounds them, and none becomes another."""
    moments = [2**60 + 1024 * k + 1 for k in range(4)]
    X = pd.DataFrame({"at": pd.array(moments, dtype=dtype), "size": [0.5, 1.0, 2.0, 4.0]})
    coding = Coding(X)
    assert coding.is_numeric
    back = coding.decode(coding.values[::-1])["at"]
    assert back.tolist() == moments[::-1] and back.dtype == X["at"].dtype
    by_float = X.iloc[[1]].astype({"at": float})  # as X.iloc[1] makes them
    assert coding.column(0, coding.encode(by_float)[:, 0]).tolist() == [moments[1]]
    assert coding.column(0, np.array([2.0**60 + 512.0])).tolist() == [2.0**60 + 512.0]
    game = prediction_game(lambda table: (table["at"] == moments[2]).to_numpy(float), X.iloc[2], X)
    assert game({0}) == 1.0 and game(set()) == 0.25


def test_a_row_as_a_table_keeps_identifiers_that_a_float_rounds():
    X = pd.DataFrame({"id": 2**60 + np.arange(4), "size": [0.5, 1.0, 2.0, 4.0]})
    game = prediction_game(lambda table: (table["id"] == 2**60 + 2).to_numpy(float), X.iloc[[2]], X)
    assert game({0}) == 1.0


@pytest.mark.parametrize("dtype", ["int64", "uint64", "Int64", "category", "object"])
def test_numbers_that_a_float_would_round_reach_the_model(dtype):
    ids = 2**53 + np.arange(4)
    X = pd.DataFrame({"id": pd.Series(ids).astype(dtype), "size": [0.5, 1.0, 2.0, 4.0]})

    class Parity:
        def predict(self, X):
            assert X["id"].dtype == dtype
            return np.array([int(value) % 2 for value in X["id"]], dtype=float)

    found = model_reliance(Parity(), X, Parity().predict(X), as_ratio=False)
    np.testing.assert_allclose(found.importances_mean, [2 / 3, 0.0])  # of the others, 2 of 3


def test_an_array_of_large_numbers_stays_one():
    X = np.array([[2**53, 1], [2**53 + 1, 2]])
    coding = Coding(X)
    back = coding.decode(coding.values)
    np.testing.assert_array_equal(back, X)
    assert back.dtype == X.dtype


@pytest.mark.parametrize("dtype", ["datetime64[D]", "datetime64[ns]", "timedelta64[s]"])
def test_an_array_of_moments_stays_one(dtype):
    X = np.array([[3, 4], [1, 4]]).astype(dtype)
    X[0, 1] = "NaT"
    back = Coding(X).decode(Coding(X).values)
    assert back.dtype == dtype
    np.testing.assert_array_equal(back, X)


def test_a_number_in_the_place_of_a_moment_is_refused():
    X = np.array([["2026-01-01"], ["2026-02-01"]], dtype="datetime64[ns]")
    with pytest.raises(TypeError, match="x0 holds moments or durations, but .*00000 was given"):
        Coding(X).encode_columns(X[:1].astype(object), [0])


def test_an_array_of_flags_stays_one():
    X = np.array([[True, False], [False, False]])
    coding = Coding(X)
    assert coding.decode(coding.values).dtype == bool
    assert coding.decode(coding.values / 2).tolist() == (X / 2).tolist()
    model = TotallyRandomizedTrees(n_estimators=3, random_state=0).fit(X, [1, 0])
    assert response_function(model, X)(coding.values).tolist() == [1, 0]


def test_text_in_the_place_of_a_number_is_refused():
    with pytest.raises(TypeError, match="x0 holds numbers, but 'red' was given"):
        Coding([[1, "red"], [2, "blue"]]).encode_columns(as_objects([1, "red"]), [0])


def test_a_float_in_the_place_of_a_large_number_is_refused():
    X = pd.DataFrame({"id": [2**53, 2**53 + 1], "size": [0.5, 1.0]})
    assert Coding(X).in_words() == "id (whole numbers that a float does not tell apart)"
    with pytest.raises(ValueError, match=r"id holds whole .*9007199254740992.0 .*astype.object"):
        Coding(X).encode_columns(X.iloc[[1]].to_numpy(), [0, 1])


@pytest.mark.parametrize(
    ("dtype", "number"),
    [("int8", 200.0), ("uint8", -1.0), ("bool", 2.0), ("float16", 1e6), ("Int8", 200.0)]
    + [("boolean", 2.0), ("Float32", 1e300)],
)
def test_a_number_that_a_dtype_cannot_hold_makes_the_column_real(dtype, number):
    coding = Coding(pd.DataFrame({"a": pd.Series([0, 1], dtype=dtype)}))
    assert coding.column(0, np.array([0.0, 1.0])).dtype == dtype
    wide = coding.column(0, np.array([number, 1.0]))
    np.testing.assert_array_equal(np.asarray(wide, dtype=float), [number, 1.0])


def test_categories_that_are_called_by_numbers_are_names():
    called = pd.DataFrame({"a": pd.Categorical([3, 1, np.nan, 2], categories=[3, 2, 1])})
    for X in (called, called.assign(b=0.5), called.assign(b="text"), called.dropna()):
        coding = Coding(X)
        assert coding.is_nominal[0]
        pd.testing.assert_frame_equal(
            coding.decode(coding.values[::-1]), X[::-1].reset_index(drop=True)
        )


@pytest.mark.parametrize(("known", "new"), [(["a", "b"], "c"), ([1, 2], 3)])
def test_a_category_that_is_new_leaves_the_column_one_of_categories(known, new):
    coding = Coding(pd.DataFrame({"a": pd.Categorical(known)}))
    back = coding.column(0, coding.encode_columns(as_objects([new, np.nan, known[0]]), [0])[:, 0])
    wanted = pd.Categorical([new, np.nan, known[0]], categories=[*known, new])
    pd.testing.assert_index_equal(back, pd.CategoricalIndex(wanted))


def test_values_that_cannot_be_compared_are_refused():
    with pytest.raises(TypeError, match=r"cannot be compared, such as \[1, 2\] .*text, numbers or"):
        Coding(pd.DataFrame({"a": [[1, 2], [3], [1, 2]]}))


def test_numbers_beside_text_in_a_list_stay_numbers():
    rows = [[1, "red"], [2, "blue"]]
    assert Coding(rows).decode(Coding(rows).values).tolist() == rows
    model = OneHotEncoder(handle_unknown="ignore").fit(rows)
    model = make_pipeline(model, LinearRegression()).fit(rows, [0.0, 1.0])
    assert permutation_importance(model, rows, [0.0, 1.0], random_state=1).importances_mean.any()


class Reader:
    """A model that reads a table of any kind: a score for every value, added up by rows."""

    def __init__(self, X: pd.DataFrame):
        distinct = (pd.Index(X.iloc[:, j]).unique() for j in range(X.shape[1]))
        self.scores = [(levels, np.sqrt(2 + np.arange(len(levels)))) for levels in distinct]

    def predict(self, X):
        columns = (pd.Index(X.iloc[:, j]) for j in range(X.shape[1]))
        places = [
            levels.get_indexer(c) for (levels, _), c in zip(self.scores, columns, strict=True)
        ]
        assert all((place >= 0).all() for place in places), "a value that the table never had"
        return sum(scores[place] for (_, scores), place in zip(self.scores, places, strict=True))


def twins(X: pd.DataFrame):
    """A model on the table, the same model on numbers, and those numbers."""
    model = Reader(X)
    numbers = pd.DataFrame(
        {
            name: scores[levels.get_indexer(pd.Index(X[name]))]
            for name, (levels, scores) in zip(X, model.scores, strict=True)
        }
    )
    summed = LinearRegression(fit_intercept=False)
    summed.fit(np.eye(X.shape[1]), np.ones(X.shape[1]))
    return model, numbers, summed


Y = np.random.default_rng(0).normal(size=12)
SAME_ON_NUMBERS = {
    "permutation": lambda m, X: permutation_importance(m, X, Y, n_repeats=3, random_state=1),
    "all pairs": lambda m, X: model_reliance(m, X, Y),
    "halves": lambda m, X: model_reliance(m, X, Y, pairs="halves"),
    "marginal SAGE": lambda m, X: sage(m, X, Y, n_orders=2, random_state=1),
    "direct": lambda m, X: direct_importance(m, X, Y, 0, n_repeats=3, random_state=1),
    "by rows": lambda m, X: conditional_permutation_importance(
        m, X, Y, sampler=MarginalSampler(), n_repeats=3, random_state=1
    ),
    "associative, by rows": lambda m, X: associative_importance(
        m, X, Y, 0, sampler=MarginalSampler(), n_repeats=3, random_state=1
    ),
    "drawn pairs": lambda m, X: model_reliance(m, X, Y, pairs=4, random_state=1),
}


@pytest.mark.parametrize("measure", SAME_ON_NUMBERS.values(), ids=SAME_ON_NUMBERS)
@given(X=tables())
@settings(max_examples=25)
def test_a_measure_gives_the_numbers_of_the_twin_in_numbers(measure, X):
    model, numbers, summed = twins(X)
    found, wanted = measure(model, X), measure(summed, numbers.to_numpy())
    np.testing.assert_allclose(found.importances, wanted.importances, atol=1e-9)


NUMBERS = ("boolean", "whole", "real", "nullable", "nullable real", "nullable boolean")
LEARNT = ForestSampler(n_estimators=2, min_samples_leaf=2)
SAME_BY_FORESTS = {
    "conditional": lambda m, X: conditional_permutation_importance(
        m, X, Y, sampler=LEARNT, n_repeats=2, random_state=1
    ),
    "conditional SAGE": lambda m, X: sage(m, X, Y, sampler=LEARNT, n_orders=1, random_state=1),
    "associative": lambda m, X: associative_importance(
        m, X, Y, 0, sampler=LEARNT, n_repeats=2, random_state=1
    ),
}


@pytest.mark.parametrize("measure", SAME_BY_FORESTS.values(), ids=SAME_BY_FORESTS)
@given(X=tables(kinds=NUMBERS, min_columns=2))
@settings(max_examples=8)
def test_a_conditional_measure_of_numbers_of_any_kind_is_that_of_plain_numbers(measure, X):
    """A forest learns numbers as numbers, whatever their dtype and whether some are missing."""
    plain = X.astype(object).where(X.notna(), np.nan).astype(float)
    found, wanted = measure(Reader(X), X), measure(Reader(plain), plain)
    np.testing.assert_allclose(found.importances, wanted.importances, atol=1e-9)


@given(tables())
@settings(max_examples=20)
def test_shapley_values_of_a_sum_are_each_score_less_its_mean(X):
    model, numbers, _ = twins(X)
    values = shapley_values(prediction_game(model.predict, X.iloc[0], X), X.shape[1])
    np.testing.assert_allclose(values, numbers.iloc[0] - numbers.mean(), atol=1e-9)


# A sampler for any kind, in a world whose conditional law is known


def weather(n: int, seed: int) -> pd.DataFrame:
    """Season, then sky given the season, then whether the umbrella is known, given the sky."""
    rng = np.random.default_rng(seed)
    season = rng.choice(["dry", "wet"], n)
    grey = rng.random(n) < np.where(season == "wet", 0.8, 0.3)
    sky = pd.Categorical(np.where(grey, "grey", "blue"))
    level = np.where(rng.random(n) < np.where(grey, 0.5, 0.1), np.nan, grey * 2.0)
    return pd.DataFrame({"season": season, "sky": sky, "level": level})


@pytest.mark.parametrize("seed", range(3))
def test_a_forest_sampler_draws_the_conditional_law_of_a_world_in_words(seed):
    """P(grey | wet) = .8, P(grey | dry) = .3, P(level missing | grey) = .5, | blue) = .1."""
    X = weather(4000, seed)
    sampler = ForestSampler(random_state=seed).fit(X)
    both = sampler.sample(X, ["sky", "level"], ["season"], random_state=seed)
    sky, level = both[:, 0], both[:, 1].astype(float)
    assert set(sky) == {"grey", "blue"}
    for season, share in (("wet", 0.8), ("dry", 0.3)):
        rows = (X["season"] == season).to_numpy()
        error = 4 * np.sqrt(2 * share * (1 - share) / rows.sum())
        assert abs((sky[rows] == "grey").mean() - share) < error
    for kind, share in (("grey", 0.5), ("blue", 0.1)):
        rows = sky == kind
        error = 4 * np.sqrt(2 * share * (1 - share) / rows.sum())
        assert abs(np.isnan(level[rows]).mean() - share) < error
    given_gap = sampler.sample(X, "sky", "level", random_state=seed)[:, 0]
    gaps = X["level"].isna().to_numpy()
    wanted = 0.55 * 0.5 / (0.55 * 0.5 + 0.45 * 0.1)
    assert abs((given_gap[gaps] == "grey").mean() - wanted) < 4 * np.sqrt(0.25 / gaps.sum())
    assert (given_gap[(~gaps) & (X["level"] == 2.0)] == "grey").all()


# Of each cause and its effects the law is given; every conditional is a sum over this table.
CAUSES = {"text": [("ash", 0.5), ("elm", 0.3), ("oak", 0.2)], "flag": [(True, 0.6), (False, 0.4)]}
FIRST, SECOND = pd.Timestamp("2026-03-01"), pd.Timestamp("2026-09-01")


def late(text: str, flag: bool) -> float:
    """P(the date is the second one | text, flag)."""
    return {"ash": 0.2, "elm": 0.5, "oak": 0.9}[text] * (1.0 if flag else 0.5)


def gap(date: pd.Timestamp, flag: bool) -> float:
    """P(the count is missing | date, flag); else it is 3."""
    return 0.7 if (date == SECOND) == flag else 0.2


def mixed_world() -> pd.DataFrame:
    """All values of text, boolean, date and nullable whole number, with their probabilities."""
    rows = []
    for (text, p), (flag, q) in itertools.product(*CAUSES.values()):
        for date, r in ((FIRST, 1 - late(text, flag)), (SECOND, late(text, flag))):
            for count, s in ((pd.NA, gap(date, flag)), (3, 1 - gap(date, flag))):
                rows.append((text, flag, date, count, p * q * r * s))
    world = pd.DataFrame(rows, columns=["text", "flag", "date", "count", "share"])
    return world.astype({"text": "category", "count": "Int64"})


@pytest.mark.parametrize("drawn", ["text", "flag", "date", "count"])
def test_a_forest_sampler_draws_each_column_of_a_mixed_world_given_all_others(drawn):
    world, n = mixed_world(), 6000
    rng = np.random.default_rng(0)
    X = world.iloc[rng.choice(len(world), n, p=world["share"])].drop(columns="share")
    X = X.reset_index(drop=True)
    rest = [name for name in X if name != drawn]
    found = ForestSampler(n_estimators=10, random_state=0).fit(X)
    values = pd.Index(found.sample(X, drawn, rest, random_state=0)[:, 0])
    for given_values, cases in world.groupby(rest, dropna=False, observed=True):
        rows = pd.MultiIndex.from_frame(X[rest].astype(object).fillna("none"))
        wanted = tuple("none" if pd.isna(v) else v for v in given_values)
        mine = np.array([row == wanted for row in rows])
        assert mine.sum() > 30
        for value, share in zip(cases[drawn], cases["share"] / cases["share"].sum(), strict=True):
            hits = pd.isna(values[mine]) if pd.isna(value) else values[mine] == value
            error = np.sqrt(2 * share * (1 - share) / mine.sum())  # of the sample and of the draws
            assert abs(np.mean(hits) - share) < 4.5 * error


def test_a_sampler_fitted_to_other_rows_may_draw_a_value_that_these_have_not():
    X = weather(200, 0)
    few = X[X["sky"] == "blue"].reset_index(drop=True)
    model = Reader(X)
    y = model.predict(few)
    drawn = conditional_permutation_importance(
        model, few, y, sampler=ForestSampler().fit(X), random_state=0
    )
    assert drawn.importances_mean[1] > 0


# Models as people bring them


def shop(n: int = 300, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "city": rng.choice(["Rome", "Oslo", None], n),
            "plan": pd.Categorical(rng.choice(list("abc"), n)),
            "member": rng.random(n) < 0.5,
            "since": pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 99, n), unit="D"),
            "visits": pd.array(rng.integers(0, 5, n), dtype="Int64"),
        }
    )
    hits = (X["age"] > 50).astype(int) + (X["city"] == "Rome")
    return X, np.array(["low", "middle", "high"])[hits]


def pipeline():
    text = OneHotEncoder(handle_unknown="ignore")
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    steps = make_column_transformer(
        (text, ["city", "plan"]),
        (numbers, ["age", "income", "visits"]),
        ("passthrough", ["member"]),
    )
    return make_pipeline(steps, LogisticRegression())


MODELS = {
    "pipeline": pipeline,
    "search": lambda: GridSearchCV(pipeline(), {"logisticregression__C": [0.1, 1.0]}, cv=2),
}
MEASURES = {
    "permutation": lambda m, X, y: permutation_importance(m, X, y, n_repeats=2, random_state=0),
    "pairs": lambda m, X, y: model_reliance(m, X.iloc[:60], y[:60]),
    "conditional": lambda m, X, y: conditional_permutation_importance(
        m, X, y, n_repeats=2, random_state=0
    ),
    "SAGE": lambda m, X, y: sage(m, X, y, n_orders=1, random_state=0),
    "conditional SAGE": lambda m, X, y: sage(
        m, X, y, sampler=ForestSampler(5), n_orders=1, random_state=0
    ),
    "refitted": lambda m, X, y: algorithm_reliance(m, X, y),
}


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_pipeline_is_measured_on_the_table_as_it_is(model, measure):
    X, y = shop()
    before = X.copy()
    found = measure(model().fit(X, y), X, y)
    pd.testing.assert_frame_equal(X, before)
    values = dict(zip(found.feature_names, found.importances_mean, strict=True))
    assert sorted(values, key=values.get)[-2:] in (["age", "city"], ["city", "age"])
    assert values["since"] == found.reference or "conditional SAGE" in found.measure


def test_direct_and_associative_importance_take_the_table_as_it_is():
    X, y = shop()
    model = pipeline().fit(X, y)
    assert direct_importance(model, X, y, "city", random_state=0).importances_mean > 0
    assert direct_importance(model, X, y, "since", random_state=0).importances_mean == 0
    assert associative_importance(model, X, y, "city", random_state=0).importances_mean > 0
    split = decompose_sage(model, X, y, "age", how="fast", n_orders=2, random_state=0)
    assert np.isfinite(split.total)
    null = permutation_null(model, X, y, "city", n_repeats=3, random_state=0)
    assert null.importances.max() < 0.2


def test_missing_numbers_are_measured_where_trees_take_them():
    X, _ = shop()
    numbers = X[["age", "income"]]
    y = numbers["income"].fillna(3.0) + numbers["age"] / 50
    forest = RandomForestRegressor(20, random_state=0).fit(numbers, y)
    by_tree = permutation_importance(forest, numbers, y, random_state=0)

    class Plain:
        def predict(self, X):
            return forest.predict(X)

    by_table = permutation_importance(Plain(), numbers, y, random_state=0)
    np.testing.assert_allclose(by_tree.importances, by_table.importances, rtol=1e-9)


@pytest.mark.parametrize(
    ("columns", "words"), [(["age", "income"], "income .missing"), (["city"], "city .no numbers")]
)
def test_a_model_that_does_not_take_the_table_is_named_with_what_it_cannot_take(columns, words):
    X, _ = shop()
    model = LinearRegression().fit(np.zeros((4, len(columns))), np.zeros(4))
    with pytest.raises(ValueError, match=f"LinearRegression does not take .*{words}.*Pipeline"):
        permutation_importance(model, X[columns], X["age"])


# What a model is handed

PAIRS = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 4.0]])
NAMED = pd.DataFrame(PAIRS, columns=["age", "income"])
FITTED = LinearRegression().fit(PAIRS, [0.0, 1.0, 3.0])


def test_a_model_gets_the_kind_of_table_it_was_fitted_with():
    class Kinds:
        def predict(self, table):
            return [type(table).__name__] * len(table)

    assert response_function(Kinds(), NAMED)(PAIRS)[0] == "DataFrame"
    assert response_function(Kinds(), PAIRS)(PAIRS)[0] == "ndarray"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        named = LinearRegression().fit(NAMED, [0.0, 1.0, 3.0])
        for model, table in ((named, NAMED), (named, PAIRS), (FITTED, NAMED), (FITTED, PAIRS)):
            np.testing.assert_allclose(
                response_function(model, table)(PAIRS), FITTED.predict(PAIRS), atol=1e-12
            )


def test_mixed_types_are_restored_for_the_model():
    table = pd.DataFrame({"city": ["a", "b", "a", "b"], "size": [1, 2, 3, 4]})
    encoder = make_column_transformer((OneHotEncoder(), ["city"]), remainder="passthrough")
    model = make_pipeline(encoder, LinearRegression()).fit(table, [1.0, 4.0, 3.0, 6.0])
    respond = response_function(model, table)
    np.testing.assert_allclose(respond(Coding(table).values), model.predict(table))


def test_a_model_that_keeps_its_names_without_spaces_takes_the_columns_it_was_fitted_with():
    from lightgbm import LGBMRegressor

    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["petal length (cm)", "petal width (cm)"])
    y = X["petal width (cm)"]
    model = LGBMRegressor(n_estimators=5, min_child_samples=5, verbose=-1).fit(X, y)
    assert list(model.feature_names_in_) != list(X)
    found = permutation_importance(model, X, y, n_repeats=2, random_state=0)
    assert found.feature_names == tuple(X) and found.importances_mean[1] > 0
    read = OnColumns(model, [0, 1]).predict(X.assign(other=0.0))
    np.testing.assert_array_equal(read, model.predict(X))


def test_other_columns_than_the_model_was_fitted_with_are_refused():
    with pytest.raises(ValueError, match="fitted with 2"):
        response_function(FITTED, PAIRS[:, :1])
    with pytest.raises(ValueError, match="same order"):
        response_function(LinearRegression().fit(NAMED, [0.0, 1.0, 3.0]), NAMED[["income", "age"]])
