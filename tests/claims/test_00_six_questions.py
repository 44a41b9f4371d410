"""The claims of lesson 00: of its own world, forest and person, and of others like it."""

from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from depth import LEVEL, at_most
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

from course_lib.measures import (
    LinearRashomonSet,
    linear_gaussian,
    permutation_importance,
    tree_shap,
)
from course_lib.studies import agreed_pairs, ranks_of
from course_lib.studies.census import AT_LEAST, census, seven_answers
from course_lib.worlds import make_census_world

LESSON = 4  # the seed of the lesson's people
SEEDS = range(at_most(6, 6, 10))
WORLD = make_census_world()
NAMES = [name for name in WORLD.variables if name != "income"]
FEW = (0, 1, 2, LESSON)
each_seed = pytest.mark.parametrize("seed", SEEDS if LEVEL == "long" else FEW)


def people(seed: int):
    """X, y to learn from and X, y of new people."""
    found = census(seed)
    return found.X, found.y, found.X_new, found.y_new


def forest(seed: int):
    return census(seed).forest


@cache
def told() -> pd.Series:
    best = dict(WORLD.least_squares("income", NAMES))
    return pd.Series(linear_gaussian(WORLD, "income", best).sage("conditional").importances_mean)


def values(seed: int) -> pd.DataFrame:
    """The seven columns of the lesson's table; with fewer shuffles for other samples."""
    return seven_answers(seed) if seed == LESSON else seven_answers(seed, 2)


def rankings(seed: int) -> pd.DataFrame:
    return ranks_of(values(seed), at_least=AT_LEAST)


@cache
def to_the_forest(seed: int) -> np.ndarray:
    """The first analyst's answer in a fresh sample, with a forest grown on it."""
    _, _, X, y = people(seed)
    return permutation_importance(forest(seed), X, y, n_repeats=2, random_state=0).importances_mean


def error_without(*names: str, seed: int, **options) -> float:
    """The error on new people of a forest like the lesson's, grown without some columns."""
    X, y, X_new, y_new = people(seed)
    kept = [other for other in NAMES if other not in names]
    again = clone(forest(seed)).set_params(**options).fit(X[kept], y)
    return np.mean((again.predict(X_new[kept]) - y_new) ** 2)


def growth_without(name: str, seed: int) -> float:
    """By what share the error on new people grows if the forest is grown without a column."""
    _, _, X_new, y_new = people(seed)
    with_it = np.mean((forest(seed).predict(X_new) - y_new) ** 2)
    return error_without(name, seed=seed) / with_it - 1


def least_error(kept: list[str]) -> float:
    """The least squared error of a linear model on the lesson's new people."""
    _, _, X, y = people(LESSON)
    return np.mean((LinearRegression().fit(X[kept], y).predict(X[kept]) - y) ** 2)


def test_the_analysts_name_four_different_winners():
    """Varies: nothing; the lesson's people."""
    winners = values(LESSON).idxmax().tolist()
    race, education = "race", "education_num"
    assert winners == [race, education, "sex", race, education, education, "occupation"]


def test_race_has_the_places_of_the_opening_and_no_variable_keeps_its_place():
    """Varies: nothing; the lesson's people."""
    ranks = rankings(LESSON)
    assert ranks.loc["race"].tolist() == [1, 3, 3, 1, 10, 10, 2]
    assert (ranks.nunique(axis=1) > 1).all()
    assert (ranks.loc[["capital_gain", "hours_per_week"], "Distribution"] == 10).all()


def test_by_q5_and_q6_race_shares_the_last_place_with_the_same_four_others():
    """Varies: question (Q5, Q6); the lesson's people."""
    ranks = rankings(LESSON)
    for key in AT_LEAST:
        last = set(ranks.index[ranks[key] == 10])
        assert last == {"race", "sex", "age", "capital_gain", "relationship"}
    assert ranks["Q5"].equals(ranks["Q6"]) and not np.allclose(
        *values(LESSON)[[*AT_LEAST]].T.values
    )


def test_the_forest_explains_more_than_three_quarters_of_the_variance_a_linear_model_088():
    """Varies: model (forest, least squares); the lesson's people."""
    X, y, X_new, y_new = people(LESSON)
    assert forest(LESSON).score(X_new, y_new) > 0.75
    assert LinearRegression().fit(X, y).score(X_new, y_new) == pytest.approx(0.88, abs=0.005)


@each_seed
def test_at_least_five_of_the_seven_rankings_differ(seed):
    """Varies: sample."""
    assert len(rankings(seed).T.drop_duplicates()) >= 5


@each_seed
def test_all_seven_agree_on_less_than_half_of_the_pairs(seed):
    """Varies: sample."""
    assert agreed_pairs(rankings(seed)) < 45 / 2


def test_eleven_of_the_45_pairs_share_a_place_in_one_of_the_rankings():
    """So at most 34 can be agreed on. Varies: pair; the lesson's people."""
    ranks = rankings(LESSON)
    pairs = list(combinations(NAMES, 2))
    shared = [pair for pair in pairs if (ranks.loc[pair[0]] == ranks.loc[pair[1]]).any()]
    assert (len(pairs), len(shared)) == (45, 11)


def agreed_by_seven(answers: list[np.ndarray]) -> np.ndarray:
    """On how many pairs seven of these answers agree, for many choices of the seven."""
    rng, places = np.random.default_rng(0), ranks_of(pd.DataFrame(dict(enumerate(answers))))
    chosen = (rng.choice(len(answers), 7, replace=False) for _ in range(200))
    return np.array([agreed_pairs(places[seven]) for seven in chosen])


def test_with_fresh_samples_and_forests_the_first_agrees_with_herself_on_about_26():
    """Varies: sample, forest (21 of each, seven of them compared; of 129 others it was 26.6)."""
    agreed = agreed_by_seven([to_the_forest(seed) for seed in range(21)])
    assert agreed.mean() == pytest.approx(26, abs=3)  # 21 samples are not all there are
    assert agreed_pairs(rankings(LESSON)) < agreed.min()


@pytest.mark.parametrize("grown", [LESSON, 1, 7])
def test_with_one_forest_and_fresh_people_she_agrees_with_herself_on_about_40(grown):
    """Varies: forest, sample of new people (9 for each forest; of 12 forests it was 35 to 43)."""
    answers = []
    for seed in range(1000, 1009):
        new = WORLD.sample(600, random_state=seed)
        answer = permutation_importance(
            forest(grown), new[NAMES], new["income"], n_repeats=5, random_state=seed
        )
        answers.append(answer.importances_mean)
    assert agreed_by_seven(answers).mean() == pytest.approx(40, abs=6)


def test_most_of_the_agreed_pairs_have_education_above_or_age_below():
    """Varies: nothing; the lesson's people."""
    ranks = rankings(LESSON)
    ends = sum(
        ((ranks.loc["education_num"] < ranks.loc[name]).all() and name != "age")
        + (ranks.loc["age"] > ranks.loc[name]).all()
        for name in NAMES
    )
    assert ends > agreed_pairs(ranks) / 2


@each_seed
def test_of_a_variable_first_for_one_and_last_for_another_no_pair_is_agreed_on(seed):
    """Alone or shared; in the lesson race and sex. Varies: sample, variable."""
    ranks = rankings(seed)
    last = ranks.max()
    both = [
        name for name in NAMES if (ranks.loc[name] == 1).any() and (ranks.loc[name] == last).any()
    ]
    for name in both:
        assert agreed_pairs(ranks.drop(index=name)) == agreed_pairs(ranks)
    if seed == LESSON:
        assert both == ["sex", "race"]
        of_age = agreed_pairs(ranks) - agreed_pairs(ranks.drop(index="age"))
        assert (ranks.loc["age"] == last).sum() == 5 and of_age > 3  # to be last is not enough


@each_seed
def test_education_is_first_by_unique_information_and_to_all_good_models(seed):
    """Varies: sample."""
    assert set(values(seed)[["Q2", "Q5", "Q6"]].idxmax()) == {"education_num"}


def test_what_is_first_to_the_forest_changes_with_the_sample():
    """Varies: sample."""
    assert len({values(seed)["Q1"].idxmax() for seed in SEEDS}) > 1


def test_in_most_samples_occupation_leads_the_first_column_and_race_in_about_one_of_six():
    """Varies: sample (21 of them; in 700 it was 62 and 16 per cent)."""
    first = [NAMES[to_the_forest(seed).argmax()] for seed in range(21)]
    assert first.count("occupation") > 21 / 2
    assert 1 <= first.count("race") <= 21 / 3


@each_seed
def test_a_forest_grown_without_race_errs_about_as_much(seed):
    """Varies: sample."""
    assert abs(growth_without("race", seed)) < 0.1


def test_without_race_the_error_falls_by_6_per_cent_here_and_mostly_grows_by_4_elsewhere():
    """Varies: sample (of 60 others it was 4.0 per cent, and it grew in 53)."""
    assert growth_without("race", LESSON) == pytest.approx(-0.06, abs=0.005)
    others = np.array([growth_without("race", seed) for seed in SEEDS if seed != LESSON])
    assert (others > 0).sum() > 2 / 3 * len(others)
    error = others.std(ddof=1) / np.sqrt(len(others))
    assert others.mean() == pytest.approx(0.04, abs=3 * error)


def places_to_the_algorithm(seed: int, **options) -> tuple[int, int]:
    """The places of race by MDI and by algorithm reliance."""
    lost = pd.Series({name: error_without(name, seed=seed, **options) for name in NAMES})
    by_splits = pd.Series(census(seed).forest.feature_importances_, NAMES)
    return tuple(int(by.rank(ascending=False)["race"]) for by in (by_splits, lost))


def test_to_the_algorithm_race_is_first_by_mdi_and_last_by_algorithm_reliance():
    """Varies: column; the lesson's people."""
    assert values(LESSON)["Q4"].idxmax() == "race"
    assert places_to_the_algorithm(LESSON) == (1, 10)


def test_elsewhere_race_is_seldom_last_but_mostly_lower_by_reliance_than_by_its_splits():
    """Varies: sample (in 50, with forests as large as the lesson's: lower in 45, last in 2)."""
    places = np.array([places_to_the_algorithm(seed, n_estimators=15) for seed in range(6)])
    by_splits, by_reliance = np.delete(places, LESSON, axis=0).T
    assert (by_reliance > by_splits).sum() > len(by_splits) / 2 > 2 * (by_reliance == 10).sum()


def test_shuffling_race_doubles_the_error_of_the_lessons_forest_and_elsewhere_adds_half_of_it():
    """A little more than half. Varies: sample (of 120 others it was 0.58 on average)."""
    added = []
    for seed in SEEDS:
        _, _, X, y = people(seed)
        error = np.mean((forest(seed).predict(X) - y) ** 2)
        added.append(to_the_forest(seed)[NAMES.index("race")] / error)
    assert added.pop(SEEDS.index(LESSON)) > 1
    assert np.mean(added) == pytest.approx(0.58, abs=3 * np.std(added, ddof=1) / len(added) ** 0.5)


def test_with_other_seeds_of_the_forest_the_error_without_race_changes_by_minus_8_to_2_per_cent():
    """On the lesson's people. Varies: seed of the forest (the ends of 40, and others)."""
    X, y, X_new, y_new = people(LESSON)
    kept, growth = [name for name in NAMES if name != "race"], []
    for seed in (0, 1, 2, 14, 24, 29, 38) if LEVEL != "long" else range(40):
        again = clone(forest(LESSON)).set_params(random_state=seed)
        without, whole = (
            np.mean((again.fit(X[names], y).predict(X_new[names]) - y_new) ** 2)
            for names in (kept, list(NAMES))
        )
        growth.append(100 * (without / whole - 1))
    assert [round(min(growth)), round(max(growth))] == [-8, 2]


def test_race_leads_for_a_majority_of_people_but_not_for_nearly_all():
    """Varies: person; the lesson's forest."""
    _, _, X, _ = people(LESSON)
    largest = np.abs(tree_shap(forest(LESSON), X[:200]).values).argmax(axis=1)
    leads = np.bincount(largest, minlength=len(NAMES))
    assert 100 < leads[NAMES.index("race")] < 150
    others = {NAMES[j] for j in np.flatnonzero(leads)} - {"race"}
    assert others == {"education_num", "sex", "occupation"}


def test_the_prediction_for_person_754_is_low():
    """Varies: nothing; this person."""
    _, _, X, _ = people(LESSON)
    answers = forest(LESSON).predict(X)
    assert answers[list(X.index).index(754)] < np.quantile(answers, 0.2)


@each_seed
def test_only_education_and_occupation_are_needed_by_all_good_models_and_not_just_a_little(seed):
    """Varies: sample."""
    least = values(seed)["Q5"]
    needed = least[least > 0.4].index
    assert set(needed) == {"education_num", "occupation"}
    assert (least.drop(needed) < 0.3).all()


def test_of_the_other_eight_every_good_model_uses_three_a_little_and_five_need_not_be_used():
    """Varies: variable; the lesson's people."""
    least = values(LESSON)["Q5"]
    assert set(least[(0 < least) & (least < 0.2)].index) == {
        "hours_per_week",
        "workclass",
        "marital_status",
    }
    assert (least < 0).sum() == 5


def test_the_least_linear_error_on_the_new_people_is_090_and_grows_by_005_without_race():
    """Varies: column; the lesson's people."""
    least = least_error(NAMES)
    grows = {name: least_error([k for k in NAMES if k != name]) - least for name in NAMES}
    assert least == pytest.approx(0.90, abs=0.005)
    assert grows["race"] == pytest.approx(0.05, abs=0.005)
    assert min(grows, key=grows.get) == "age"  # the Q6 place of race is not the least growth


def test_some_good_model_does_without_the_variables_whose_lower_end_is_not_above_zero():
    """Varies: variable, question (Q5, Q6); the lesson's people, by least squares without each."""
    least = least_error(NAMES)
    spared = {k for k in NAMES if least_error([n for n in NAMES if n != k]) <= least + 0.1}
    for key in AT_LEAST:
        assert spared == set(values(LESSON).index[values(LESSON)[key] <= 0])


@pytest.mark.parametrize("seed", [LESSON, 0, 1])
def test_models_at_a_negative_lower_end_use_the_variable_against_the_rest_of_the_model(seed):
    """Not against its correlation with income: age shows it. Varies: variable, sample."""
    _, _, X, y = people(seed)
    good = LinearRashomonSet(X, y, epsilon=0.1)
    for name in values(seed).index[values(seed)["Q5"] < 0]:
        model = good.model_class_reliance(name, as_ratio=False).low_model
        coefficient, error = model.coef_[NAMES.index(name)], y - model.predict(X)
        assert coefficient * np.cov(X[name], error + coefficient * X[name])[0, 1] < 0
        own = X[name].to_numpy()  # each row gets the value of every other one once
        errors = np.asarray(error)[:, None] + coefficient * (own[:, None] - own)
        rolled = y - model.predict(X.assign(**{name: np.roll(own, 1)}))
        np.testing.assert_allclose(rolled, errors[np.arange(len(X)), np.arange(len(X)) - 1])
        of_others = errors[~np.eye(len(X), dtype=bool)]
        assert np.mean(of_others**2) < np.mean(error**2)
        if (seed, name) == (LESSON, "age"):
            assert coefficient * np.corrcoef(X[name], y)[0, 1] > 0


def test_most_of_the_others_have_a_good_model_that_relies_on_them_heavily():
    """Varies: variable; the lesson's people."""
    _, _, X, y = people(LESSON)
    good = LinearRashomonSet(X, y, epsilon=0.1)
    most = [good.model_class_reliance(name, as_ratio=False).high for name in NAMES]
    assert sum(high > 1 for high in most) >= 2 + 5


@each_seed
def test_some_good_models_would_do_better_with_a_variable_shuffled(seed):
    """Varies: sample."""
    assert values(seed)["Q5"].min() < 0


@each_seed
def test_age_has_next_to_nothing_of_its_own_to_tell(seed):
    """Varies: sample."""
    assert values(seed)["Q2"].idxmin() == "age"
    assert rankings(seed).loc["age", "Q6"] == len(NAMES)


def test_by_the_distribution_age_is_ahead_of_two_direct_causes():
    """Varies: nothing; exact."""
    share = dict(zip(NAMES, told(), strict=True))
    assert "age" not in WORLD.parents("income")
    for cause in ("capital_gain", "hours_per_week"):
        assert cause in WORLD.parents("income")
        assert share["age"] > share[cause] + 0.01


def test_the_shares_of_the_distribution_add_up_to_the_variance_that_can_be_explained():
    """Varies: nothing; exact."""
    variance = WORLD.covariance().loc["income", "income"]
    assert told().sum() == pytest.approx(variance - 1)  # the noise of income has variance 1


def test_race_acts_on_occupation_and_marital_status():
    """Varies: nothing; the world's arrows."""
    assert "race" in WORLD.parents("occupation") and "race" in WORLD.parents("marital_status")


def test_education_raises_income_in_this_world():
    """Varies: nothing; exact."""
    assert WORLD.total_effect("education_num", "income") == pytest.approx(1.0)


@pytest.mark.parametrize("factor", [0.0, -0.5, -1.0, -2.0])
def test_of_a_model_that_is_not_the_best_conditional_sage_can_be_0_or_less_for_all(factor):
    """Varies: model (a constant, and several with the wrong signs)."""
    wrong = {name: factor * b for name, b in WORLD.least_squares("income", NAMES).items()}
    found = linear_gaussian(WORLD, "income", wrong).sage("conditional").importances_mean
    assert (found < 0).all() if factor else np.allclose(found, 0)


def test_the_best_predictor_has_the_largest_sum_of_conditional_sage():
    """Varies: model (random coefficients)."""
    rng = np.random.default_rng(0)
    best = WORLD.least_squares("income", NAMES)
    for _ in range(4):
        other = dict(best + rng.normal(scale=0.3, size=len(NAMES)))
        found = linear_gaussian(WORLD, "income", other).sage("conditional").importances_mean
        assert found.sum() < told().sum()
