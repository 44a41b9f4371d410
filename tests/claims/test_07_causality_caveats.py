"""The claims of lesson 07, each in closed form or over several seeds."""

import numpy as np
import pandas as pd
import pytest
from depth import at_most
from scipy import stats
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

from course_lib.measures import (
    conditional_permutation_importance,
    estimated_numbers,
    linear_gaussian,
    permutation_importance,
    shapley_values,
    three_numbers,
)
from course_lib.studies.confounding import confounded_world
from course_lib.worlds import GaussianSampler, LinearSCM, make_logins_world

SEEDS = range(at_most(6, 6, 8))
SAME_LAW = ("confounder", "mediator", "reverse cause", "cause")
KINDS = (*SAME_LAW, "collider")
EFFECT = {"mediator": 0.6, "cause": 0.6}  # of logins on the score; 0 elsewhere
each_seed = pytest.mark.parametrize("seed", SEEDS[: at_most(3, 3, 12)])
each_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def university():
    return make_logins_world()


def fitted(world, seed, n_samples=1000):
    """A line fitted to a sample, and a table of new students."""
    students = world.sample(2 * n_samples, random_state=seed)
    train, test = students[:n_samples], students[n_samples:]
    return LinearRegression().fit(train[["logins"]], train["score"]), test


# 7.1 to 7.3: the report and the policy


def test_the_line_has_slope_06_error_064_and_importance_072(university):
    """Varies: nothing, it is a closed form of the named world."""
    line = linear_gaussian(university, "score", university.least_squares("score", ["logins"]))
    assert line.coefficients["logins"] == pytest.approx(0.6)
    assert line.mean_squared_error() == pytest.approx(0.64)
    assert line.permutation_importance().importances_mean[0] == pytest.approx(0.72)
    assert 0.64 + 0.72 > 1  # the error of guessing the average: worse than no model


@each_seed
def test_the_importance_on_new_students_lies_around_072(university, seed):
    """The spread over samples: the increase is 2 b Cov(x, y), with standard errors of b and Cov.

    Varies: seed, the students fitted and measured.
    """
    model, test = fitted(university, seed)
    found = permutation_importance(model, test[["logins"]], test["score"], random_state=seed)
    of_slope, of_covariance = 0.8 / np.sqrt(1000), np.sqrt(1.36 / 1000)
    standard_error = 1.2 * np.hypot(of_slope, of_covariance)
    assert found.importances_mean[0] == pytest.approx(0.72, abs=4.5 * standard_error)


@each_seed
def test_the_policy_changes_no_students_score_and_every_prediction(university, seed):
    """Varies: seed."""
    model, _ = fitted(university, seed)
    before, after = (w.sample(500, seed) for w in (university, university.do(logins=2)))
    np.testing.assert_array_equal(before["score"], after["score"])
    np.testing.assert_array_equal(before["interest"], after["interest"])
    change = model.predict(after[["logins"]]).mean() - model.predict(before[["logins"]]).mean()
    expected = model.coef_[0] * (2 - before["logins"].mean())
    assert change == pytest.approx(expected) and change > 1


@each_seed
def test_seeing_and_feeding_agree_and_doing_does_not(university, seed):
    """Varies: seed, the students fitted, seen and treated."""
    model, _ = fitted(university, seed)
    many = university.sample(20_000, random_state=100 + seed)
    seen = many.loc[many["logins"].between(1.9, 2.1), "score"]
    fed = model.predict(pd.DataFrame({"logins": [2.0]}))[0]
    done = university.do(logins=2).sample(20_000, random_state=200 + seed)["score"]
    of_fed = 0.8 * np.sqrt((1 + 4) / 1000)  # of intercept + 2 slope
    assert seen.mean() == pytest.approx(fed, abs=4.5 * np.hypot(seen.sem(), of_fed) + 0.01)
    assert done.mean() == pytest.approx(0, abs=4.5 * done.sem())


@each_seed
def test_after_the_policy_the_model_is_worse_than_guessing(university, seed):
    """Varies: seed."""
    model, _ = fitted(university, seed)
    before, after = (w.sample(2000, seed) for w in (university, university.do(logins=2)))
    errors = [((t["score"] - model.predict(t[["logins"]])) ** 2).mean() for t in (before, after)]
    assert errors[0] < 0.8 and errors[1] > 1.7


# 7.4 and 7.5: four worlds, three numbers


def test_four_worlds_have_one_law_of_logins_and_scores():
    """Varies: the world."""
    pair = ["logins", "score"]
    for kind in SAME_LAW:
        world = make_logins_world(kind)
        np.testing.assert_allclose(world.covariance().loc[pair, pair], [[1, 0.6], [0.6, 1]])
        np.testing.assert_array_equal(world.mean(), 0)


@each_kind
def test_setting_logins_to_2_changes_the_mean_score_by_twice_the_effect(kind):
    """Varies: the world."""
    world = make_logins_world(kind)
    assert world.do(logins=2).mean()["score"] == pytest.approx(2 * EFFECT.get(kind, 0))


@pytest.mark.parametrize("kind", SAME_LAW)
def test_with_logins_alone_both_importances_are_072_in_all_four(kind):
    """Varies: the world."""
    numbers = three_numbers(make_logins_world(kind), "logins", "score", ["logins"])
    np.testing.assert_allclose(numbers, [0.72, 0.72, EFFECT.get(kind, 0)], atol=1e-12)


@each_kind
@pytest.mark.parametrize("reads", ["logins alone", "everything"])
def test_estimates_from_data_lie_around_the_closed_forms(kind, reads):
    """Ten studies; the allowance 10/n is for the bias that fitted coefficients bring.

    Varies: the world, what the model reads, sample.
    """
    world = make_logins_world(kind)
    features = ["logins"] if reads == "logins alone" else None
    found = estimated_numbers(world, "logins", "score", features, n_repeats=10, random_state=5)
    truth = three_numbers(world, "logins", "score", features)
    allowed = stats.t.ppf(1 - 1e-5, 9) * found.std(axis=1) / np.sqrt(10) + 10 / 1000
    assert ((found.mean(axis=1) - truth).abs() < allowed).all()


# 7.6: measuring the third variable


@each_seed
def test_knowing_the_confounder_sends_the_conditional_importance_to_zero(university, seed):
    """The same old model: importance stays, what is unique to logins is nothing.

    Varies: seed.
    """
    students = university.sample(4000, random_state=seed)
    features = ["logins", "interest"]

    class Line:
        def predict(self, X):
            return 0.6 * np.asarray(X)[:, 0]

    rows = (Line(), students[features], students["score"])
    covariance = university.covariance().loc[features, features]
    sampler = GaussianSampler.from_moments(university.mean()[features], covariance)
    options = {"n_repeats": 10, "random_state": seed, "loss": lambda y, p: (y - p) ** 2}
    marginal = permutation_importance(*rows, **options).importances_mean[0]
    conditional = conditional_permutation_importance(*rows, sampler=sampler, **options)
    assert marginal > 0.6
    unique = 2 * 0.6 * 0.6 * np.sqrt(0.4375 * 2)  # 2 b sd(logins | interest) sd(score | interest)
    assert abs(conditional.importances_mean[0]) < 5 * unique / np.sqrt(4000)


def test_the_closed_form_agrees_that_the_old_model_uses_what_it_need_not_know(university):
    """Varies: nothing, it is a closed form of the named world."""
    line = linear_gaussian(university, "score", {"logins": 0.6})
    assert line.permutation_importance().importances_mean == pytest.approx([0.72, 0])
    conditional = line.conditional_permutation_importance().importances_mean
    assert conditional == pytest.approx([0, 0], abs=1e-12)


@pytest.mark.parametrize("kind", ["confounder", "cause"])
def test_the_score_is_not_among_the_variables_given_which_logins_are_drawn(kind):
    """With the score given too, the cause would have 0. Varies: the world, form or draws."""
    world = make_logins_world(kind)
    line = linear_gaussian(world, "score", {"logins": 0.6})
    found = line.conditional_permutation_importance().importances_mean[0]
    students = world.sample(200_000, random_state=0)

    def by_drawing(known):
        slopes = world.least_squares("logins", known)
        expected = students[known] @ slopes[known].to_numpy()
        spread = (students["logins"] - expected).std()
        redrawn = expected + spread * np.random.default_rng(1).normal(size=len(students))
        errors = [(students["score"] - 0.6 * x) ** 2 for x in (redrawn, students["logins"])]
        return (errors[0] - errors[1]).mean()

    others = [name for name in world.variables if name not in ("logins", "score")]
    assert found == pytest.approx({"confounder": 0, "cause": 0.72}[kind], abs=1e-9)
    assert by_drawing(others) == pytest.approx(found, abs=0.02)
    assert by_drawing([*others, "score"]) == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize(("kind", "third"), [("confounder", "interest"), ("mediator", "practice")])
def test_measuring_what_lies_between_sends_the_importance_to_zero_in_both_worlds(kind, third):
    """Varies: the world."""
    numbers = three_numbers(make_logins_world(kind), "logins", "score", ["logins", third])
    np.testing.assert_allclose(numbers, [0, 0, EFFECT.get(kind, 0)], atol=1e-12)


def test_confounder_and_mediator_cannot_be_told_apart_by_all_three_columns():
    """Varies: nothing, it is a closed form of the named worlds."""
    fork, chain = (make_logins_world(kind).covariance() for kind in ("confounder", "mediator"))
    np.testing.assert_allclose(fork, chain)


def test_logins_act_on_the_score_through_practice_only():
    """Varies: nothing, it is a closed form of the named world."""
    held = make_logins_world("mediator").do(practice=1)
    assert held.total_effect("logins", "score") == 0


@each_seed
def test_with_a_common_cause_unmeasured_a_zero_can_hide_a_direct_effect(seed):
    """u acts on practice and on the score. Varies: seed, coefficients, noise."""
    rng = np.random.default_rng(seed)
    a, h, on_u, noise = rng.uniform(0.3, 1.0, size=4)
    direct = a * h * on_u / (on_u**2 + noise**2)
    world = LinearSCM(
        {
            "practice": {"logins": a, "u": on_u},
            "score": {"practice": 0.5, "logins": direct, "u": h},
        },
        {"logins": 1.0, "u": 1.0, "practice": noise, "score": 1.0},
    )
    b = world.least_squares("score", ["logins", "practice"])
    assert b["logins"] == pytest.approx(0, abs=1e-12)
    held = world.do(practice=1).total_effect("logins", "score")
    assert held == pytest.approx(direct) and direct > 0.04


@pytest.mark.parametrize("seed", range(3))
def test_conditional_importance_on_the_training_rows_can_be_positive_under_independence(
    university, seed
):
    """A forest: why the card says "on new data". Varies: seed, the rows measured."""
    features = ["logins", "interest"]
    students = university.sample(800, random_state=seed)
    train, new = students[:400], students[400:]
    forest = RandomForestRegressor(20, random_state=seed).fit(train[features], train["score"])
    covariance = university.covariance().loc[features, features]
    sampler = GaussianSampler.from_moments(university.mean()[features], covariance)
    options = {"sampler": sampler, "random_state": seed, "loss": lambda y, p: (y - p) ** 2}
    on_train, on_new = (
        conditional_permutation_importance(forest, rows[features], rows["score"], **options)
        for rows in (train, new)
    )
    assert on_train.importances_mean[0] > 0.15
    assert abs(on_new.importances_mean[0]) < 0.08


@each_seed
def test_the_conditional_formula_can_fail_where_the_line_is_not_the_best_prediction(seed):
    """x2 = x1^2 and noise, y with x1^4: no Gaussian variables. Varies: seed, the target."""
    rng = np.random.default_rng(seed)
    x1, own, again, chance = rng.normal(size=(4, 100_000))
    x2, drawn = x1**2 - 1 + own, x1**2 - 1 + again  # a second draw given x1
    for is_linear, y in ((True, x1 + x2 + chance), (False, x1 + x1**4 + chance)):
        X = np.column_stack([x1, x2])
        line = LinearRegression().fit(X, y)
        errors = [((y - line.predict(np.column_stack([x1, z]))) ** 2).mean() for z in (x2, drawn)]
        formula = 2 * line.coef_[1] ** 2  # the variance of x2 given x1 is 1
        assert (abs(errors[1] - errors[0] - formula) < 0.1 * formula) == is_linear


# 7.7: the collider


def test_adding_the_collider_makes_logins_important_with_a_negative_sign():
    """Varies: nothing, it is a closed form of the named world."""
    world = make_logins_world("collider")
    alone = three_numbers(world, "logins", "score", ["logins"])
    np.testing.assert_allclose(alone, 0, atol=1e-12)
    b = world.least_squares("score", ["logins", "award"])
    assert b.to_numpy() == pytest.approx([-0.5625, 0.9375])
    numbers = three_numbers(world, "logins", "score", ["logins", "award"])
    assert numbers.to_numpy() == pytest.approx([2 * 0.5625**2, 0.405, 0])


@pytest.mark.parametrize("award", [-2.0, -1.0, 0.0, 1.0, 2.0])
def test_at_every_award_students_with_fewer_logins_have_the_better_scores_on_average(award):
    """Better than others of the same award, not good. Varies: award."""
    table = make_logins_world("collider").sample(400_000, random_state=0)
    alike = table[(table["award"] - award).abs() < 0.1]
    few, many = (alike.loc[chosen, "score"] for chosen in _halves(alike["logins"]))
    assert few.mean() - many.mean() > 0.3
    if award < -0.9:
        assert few.mean() < 0  # low awards: few logins, and no good score


def _halves(column):
    return column < column.median(), column >= column.median()


@pytest.mark.parametrize("direct", [0.3, -0.2])
def test_a_mediator_takes_away_only_the_importance_that_goes_through_it(direct):
    """Varies: direct effect. One that is not there leaves nothing: 7.6."""
    equations = {"practice": {"logins": 0.8}, "score": {"practice": 0.75, "logins": direct}}
    world = LinearSCM(equations, {"logins": 1.0, "practice": 0.6, "score": 0.7})
    numbers = three_numbers(world, "logins", "score", ["logins", "practice"])
    assert numbers["importance"] == pytest.approx(2 * direct**2)
    assert numbers["total effect"] == pytest.approx(0.6 + direct)


@each_seed
def test_selecting_by_a_collider_need_not_link_its_causes(seed):
    """Why the glossary says "can". Varies: seed, limit."""
    logins, score = np.random.default_rng(seed).normal(size=(2, 40_000))
    for limit in (-0.5, 0.0, 0.5):
        club = (logins > limit) & (score > limit)
        assert abs(adjusted(score[club], logins[club])) < 4.5 / np.sqrt(club.sum())


@each_seed
def test_among_award_winners_scores_fall_as_logins_rise(seed):
    """Varies: seed."""
    table = make_logins_world("collider").sample(1500, random_state=seed)
    seen = table[table["award"] > 1]
    everybody = stats.linregress(table["logins"], table["score"])
    winners = stats.linregress(seen["logins"], seen["score"])
    assert abs(everybody.slope) < 4.5 * everybody.stderr
    assert winners.slope < -0.15


def adjusted(y, x, *others):
    """The coefficient of x in the line of y on x and the others."""
    columns = np.column_stack([x, *others, np.ones(len(x))])
    return np.linalg.lstsq(columns, y, rcond=None)[0][0]


@each_seed
def test_adjusting_for_one_of_two_confounders_can_make_a_right_answer_wrong(seed):
    """Varies: seed; why the lesson says "if it is the only one"."""
    z1, z2, noise, other = np.random.default_rng(seed).normal(size=(4, 20_000))
    x, y = 0.5 * z1 + 0.5 * z2 + noise, 0.8 * z1 - 0.8 * z2 + other
    assert abs(adjusted(y, x)) < 0.05 and abs(adjusted(y, x, z1, z2)) < 0.05
    assert adjusted(y, x, z1) < -0.2


@each_seed
def test_a_collider_may_also_hide_an_effect(seed):
    """Varies: seed."""
    x, e, noise = np.random.default_rng(seed).normal(size=(3, 20_000))
    y = 0.6 * x + 0.8 * e
    award = 0.6 * y + 0.3 * x + 0.5 * noise
    assert abs(adjusted(y, x) - 0.6) < 0.05 and abs(adjusted(y, x, award)) < 0.15


@each_seed
def test_in_a_club_with_another_award_the_scores_may_rise(seed):
    """Varies: seed; why the lesson says "with this award"."""
    logins, score = np.random.default_rng(seed).normal(size=(2, 20_000))
    club = logins * score > 0.5
    assert adjusted(score[club], logins[club]) > 0.5


# 7.8: effect and confounding


@pytest.mark.parametrize(("effect", "k"), [(0.3, 0.4), (0.0, 0.8), (0.5, -0.5), (-0.6, 0.2)])
def test_the_importance_follows_effect_plus_confounding(effect, k):
    """Varies: effect, confounding, what the model reads."""
    world = confounded_world(effect, k)
    numbers = three_numbers(world, "logins", "score", ["logins"])
    assert numbers["importance"] == pytest.approx(2 * (effect + k) ** 2, abs=1e-12)
    assert numbers["total effect"] == pytest.approx(effect)
    both = three_numbers(world, "logins", "score", ["logins", "interest"])
    assert both["importance"] == pytest.approx(2 * effect**2, abs=1e-12)


def test_with_a_small_effect_against_the_confounding_the_signs_disagree():
    """Varies: nothing, it is a closed form of the named world."""
    world = confounded_world(0.2, -0.6)
    assert world.least_squares("score", ["logins"])["logins"] == pytest.approx(-0.4)
    assert world.total_effect("logins", "score") == pytest.approx(0.2)


# 7.12 and 7.13: the old model, and Shapley values


def conditional_worths(world, features, student):
    """E[f | X_S] at one student, by bit mask, for the best line on the features."""
    b = world.least_squares("score", features)
    worths = []
    for mask in range(2 ** len(features)):
        known = [name for k, name in enumerate(features) if mask >> k & 1]
        expected = world.conditional(features, known)[0] @ student[known] if known else 0 * student
        worths.append(float(b @ expected.to_numpy()))
    return worths


@each_seed
def test_shapley_values_are_the_same_with_and_without_an_effect(seed):
    """By both games. Varies: seed, the student, marginal or conditional game."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=2)
    found = []
    for kind, third in (("confounder", "interest"), ("mediator", "practice")):
        world = make_logins_world(kind)
        student = pd.Series(values, index=["logins", third])
        b = world.least_squares("score", ["logins", third])
        marginal = shapley_values([0, *(b * student), b @ student], 2)
        conditional = shapley_values(conditional_worths(world, ["logins", third], student), 2)
        assert marginal[0] == pytest.approx(0, abs=1e-12)
        found.append([*marginal, *conditional])
    assert found[0] == pytest.approx(found[1], abs=1e-12)


def test_the_student_of_the_lesson_owes_half_of_the_prediction_to_logins_by_the_conditional_game():
    """Varies: the world."""
    for kind, third in (("confounder", "interest"), ("mediator", "practice")):
        student = pd.Series({"logins": 2.0, third: 1.6})
        worths = conditional_worths(make_logins_world(kind), ["logins", third], student)
        assert shapley_values(worths, 2) == pytest.approx([0.6, 0.6])
    for kind in SAME_LAW:  # logins as the only feature
        student = pd.Series({"logins": 2.0})
        worths = conditional_worths(make_logins_world(kind), ["logins"], student)
        assert shapley_values(worths, 1) == pytest.approx([1.2])


# 7.11: the trial


@each_kind
@each_seed
def test_in_a_trial_the_importance_is_twice_the_squared_effect(kind, seed):
    """Varies: seed, the world."""
    world, effect, n = make_logins_world(kind), EFFECT.get(kind, 0), 4000
    groups = [world.do(logins=x).sample(n, 1000 * (2 + x) + seed) for x in (1, -1)]
    table = pd.concat(groups, ignore_index=True)
    X, y = table[["logins"]], table["score"]
    line = LinearRegression().fit(X, y)
    found = permutation_importance(line, X, y, n_repeats=5, random_state=seed)
    of_slope = 1 / np.sqrt(2 * n)  # the scores vary by 1 at most around their line
    allowed = 5 * (4 * effect * of_slope + 2 * of_slope**2) + 5 * effect**2 / np.sqrt(2 * n)
    assert found.importances_mean[0] == pytest.approx(2 * effect**2, abs=allowed + 0.005)


# The exercise


def test_the_drug_of_the_exercise_works_and_looks_useless():
    """Varies: nothing, it is a closed form of the named world."""
    hospital = LinearSCM(
        {
            "dose": {"age": 1.0},
            "level": {"dose": 1.0},
            "recovery": {"level": 1.0, "age": -2.0},
            "visits": {"dose": 1.0, "recovery": 1.0},
        },
        dict.fromkeys(["age", "dose", "level", "recovery", "visits"], 1.0),
    )
    assert hospital.total_effect("dose", "recovery") == 1
    assert hospital.least_squares("recovery", ["dose"])["dose"] == pytest.approx(0, abs=1e-12)
    assert hospital.least_squares("recovery", ["dose", "age"])["dose"] == pytest.approx(1)
