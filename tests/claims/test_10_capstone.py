"""The claims of lesson 10: about these wines as printed, and about any data over several seeds."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import LinearRegression

from course_lib.measures import LinearRashomonSet, algorithm_reliance, model_reliance, six_answers
from course_lib.worlds import load_wines

SEEDS = range(12)


def random_halves(seed, response="proline"):
    X, y = load_wines(response)
    order = np.random.default_rng(seed).permutation(len(y))
    fit, test = order[: len(y) // 2], order[len(y) // 2 :]
    return X.iloc[fit], y.iloc[fit], X.iloc[test], y.iloc[test]


def refitted(X, y, X_test, y_test):
    result = algorithm_reliance(
        LinearRegression(), X, y, X_test=X_test, y_test=y_test, as_ratio=False
    )
    return result.importances_mean


@pytest.fixture(scope="module")
def wines():
    X, y = load_wines("proline")
    return X[::2], y[::2], X[1::2], y[1::2]


@pytest.fixture(scope="module")
def report(wines):
    return six_answers(*wines)


@pytest.fixture(scope="module")
def many_q4():
    """Algorithm reliance in thirty random halves, a row for each half."""
    return np.array([refitted(*random_halves(seed)) for seed in range(30)])


def test_flavanoids_are_first_by_one_measure_and_last_by_another_and_no_other_variable_is(report):
    assert report.ranks.loc["flavanoids"].tolist() == [2, 5, 1, 8, 1, 4]
    assert (report.spread.drop("flavanoids") < 7).all()


def test_two_pairs_of_measures_put_flavanoids_first_and_last(report):
    places = report.ranks.loc["flavanoids"]
    assert (places == 1).sum() * (places == 8).sum() == 2


def test_alcohol_is_first_for_four_of_the_six_questions(report):
    assert report.ranks.columns[report.ranks.loc["alcohol"] == 1].tolist() == list(
        ("Q1", "Q2", "Q4", "Q6")
    )


def test_phenols_are_last_for_three_questions_though_correlated_with_proline(report):
    assert (report.ranks.loc["phenols", ["Q1", "Q3", "Q6"]] == 8).all()
    X, y = load_wines("proline")
    assert round(np.corrcoef(X["phenols"], y)[0, 1], 1) == 0.5


def test_exchanging_flavanoids_costs_the_model_but_leaving_them_out_lowers_the_test_error(report):
    assert round(report.values.loc["flavanoids", "Q1"], 2) == 0.22
    assert report.values.loc["flavanoids", "Q4"] < -0.01


def test_the_model_explains_about_half_of_the_variance_of_the_test_wines(wines):
    X, y, X_test, y_test = wines
    assert 0.45 < LinearRegression().fit(X, y).score(X_test, y_test) < 0.6


def test_from_least_to_most_reliance_phenols_and_dilution_give_back_what_flavanoids_gain(wines):
    X, y = wines[:2]
    model = LinearRegression().fit(X, y)
    least = np.mean((y - model.predict(X)) ** 2)
    good = LinearRashomonSet(X, y, epsilon=0.05 * least)
    ends = good.model_class_reliance("flavanoids", as_ratio=False)
    models = (ends.low_model, model, ends.high_model)
    by_name = {name: [m.coef_[j] for m in models] for j, name in enumerate(X)}
    assert (np.diff(by_name["flavanoids"]) > 0).all()
    assert (np.diff(by_name["phenols"]) < 0).all() and (np.diff(by_name["dilution"]) < 0).all()


def test_conditional_reliance_near_0_has_two_reasons_in_this_model(wines, report):
    X, y = wines[:2]
    b = dict(zip(X, LinearRegression().fit(X, y).coef_ * X.std(), strict=True))
    assert abs(report.values.loc[["flavanoids", "phenols"], "Q2"]).max() < 0.01
    assert abs(b["phenols"]) < 0.01 and b["flavanoids"] > 0.3


@pytest.mark.parametrize("seed", SEEDS)
def test_on_the_fitted_sample_q2_is_2n_over_n_minus_1_times_q4_for_any_data(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(15, 40))
    X = rng.normal(size=(n, 4)) + rng.normal(size=(n, 1))
    y = X @ rng.normal(size=4) + rng.normal(size=n)
    values = six_answers(X, y, X, y).values
    np.testing.assert_allclose(values["Q2"], 2 * n / (n - 1) * values["Q4"], rtol=1e-6)
    assert (values["Q4"] >= 0).all()


def test_alcohol_is_missed_in_every_random_half_and_leads_all_of_them(many_q4):
    names = list(load_wines()[0].columns)
    assert (many_q4[:, names.index("alcohol")] > 0).all()
    assert (many_q4.argmax(axis=1) == names.index("alcohol")).all()


def test_the_last_place_of_flavanoids_is_mostly_luck_of_the_half(many_q4):
    names = np.array(load_wines()[0].columns)
    last = names[many_q4.argmin(axis=1)]
    assert (last == "flavanoids").mean() < 0.4
    assert len(set(last)) >= 4


def test_magnesium_helps_in_most_halves_and_the_other_six_lie_around_0(many_q4):
    values = dict(zip(load_wines()[0].columns, many_q4.T, strict=True))
    alcohol, magnesium = values.pop("alcohol"), values.pop("magnesium")
    assert 0.6 < (magnesium > 0).mean() < 1
    for others in values.values():
        assert others.min() < 0 < others.max()
        assert abs(others.mean()) < alcohol.mean() / 5


def test_within_growers_flavanoids_and_alcohol_tell_little_about_proline():
    X, y = load_wines("proline")
    table = X.assign(proline=y)
    within = (table - table.groupby(load_wine().target).transform("mean")).corr()["proline"]
    overall = table.corr()["proline"]
    assert overall["flavanoids"] > 0.45 and abs(within["flavanoids"]) < 0.1
    assert overall["alcohol"] > 0.6 and abs(within["alcohol"]) < 0.2


@pytest.mark.parametrize("seed", SEEDS)
def test_with_many_rows_keeping_the_model_and_fitting_again_still_disagree(seed):
    """Two columns with correlation 0.95: Q1 tends to 2 b^2, Q4 to b^2 (1 - rho^2)."""
    rng = np.random.default_rng(seed)
    first, other = rng.normal(size=(2, 20_000))
    X = np.column_stack([first, 0.95 * first + np.sqrt(1 - 0.95**2) * other])
    y = X.sum(axis=1) + rng.normal(size=len(X))
    model = LinearRegression().fit(X, y)
    kept = model_reliance(model, X, y, as_ratio=False).importances_mean
    np.testing.assert_allclose(kept, 2.0, rtol=0.15)
    np.testing.assert_allclose(refitted(X, y, X, y), 1 - 0.95**2, rtol=0.25)


@pytest.fixture(scope="module")
def alcohol_reports():
    X, y = load_wines("alcohol")
    even, odd = (X[::2], y[::2]), (X[1::2], y[1::2])
    return six_answers(*even, *odd), six_answers(*odd, *even)


def test_in_the_exercise_color_is_first_by_q1_and_last_by_q4_until_the_halves_are_exchanged(
    alcohol_reports,
):
    first, exchanged = alcohol_reports
    assert first.spread.idxmax() == "color"
    assert first.ranks.loc["color", ["Q1", "Q4", "Q5"]].tolist() == [1, 8, 1]
    assert exchanged.ranks.loc["color", ["Q1", "Q4"]].tolist() == [2, 2]


def test_the_model_report_of_the_solution_has_the_right_numbers(alcohol_reports):
    first, exchanged = alcohol_reports
    assert first.values.loc["color", ["Q1", "Q2", "Q4"]].round(2).tolist() == [0.69, 0.16, -0.05]
    assert round(first.floors.loc["color", "Q5"], 2) == 0.37
    assert round(first.values.loc["color", "Q5"], 2) == 1.30
    assert round(first.values.loc["proline", "Q4"], 2) == 0.17
    assert round(exchanged.values.loc["color", "Q4"], 2) == 0.10
    spared = ["magnesium", "phenols", "flavanoids"]
    assert (first.values.loc[spared, "Q4"] <= 0).all()
    assert (exchanged.values.loc[spared, "Q4"] <= 0).all()
