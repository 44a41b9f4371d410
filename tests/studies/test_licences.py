"""What each answer of a card licenses: the sentences say what the numbers say, and no more."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

from course_lib.measures import LinearRashomonSet, permutation_importance
from course_lib.questions import Q1, Q2, Q3, Q4, Q5, Q6
from course_lib.results import Importances
from course_lib.studies.card.licences import CAUSAL, licence, listed

NAMES = ("height", "sex", "bmi")
WORDS = {"loss": "mean squared error", "sample": "90 rows given", "repeats": "exact over 9 rows"}
SIMPLE = (Q1, Q2, Q3, Q4)


def said(question, values, **options):
    """The licence of a question whose results are these values, one row for each name."""
    columns = np.atleast_2d(np.array(values, dtype=float).T).T
    results = {
        question.key: Importances(columns, NAMES[: len(columns)], "m", question, **WORDS),
    }
    return licence(question, results, slack=0.05, algorithm="Ridge", **options)


def ranges(least, most):
    results = {
        f"Q5 {end}": Importances(np.array(values)[:, np.newaxis], NAMES, "m", Q5, **WORDS)
        for end, values in (("at least", least), ("at most", most))
    }
    return licence(Q5, results, slack=0.05, algorithm="Ridge")


@pytest.mark.parametrize("question", SIMPLE)
def test_the_largest_is_named_with_its_value_and_nobody_else(question):
    one = said(question, [0.1, 0.7, 0.2])
    assert "sex" in one.licensed and "0.7" in one.licensed and "more than" in one.licensed
    assert "height" not in one.licensed and "bmi" not in one.licensed
    assert "90 rows given" in one.licensed and "mean squared error" in one.licensed


@pytest.mark.parametrize("question", SIMPLE)
def test_equals_are_not_called_the_largest(question):
    one = said(question, [0.7, 0.7, 0.2])
    assert "as much as sex" in one.licensed and "more than" not in one.licensed


@pytest.mark.parametrize("question", [Q1, Q2, Q4])
def test_where_no_loss_grows_none_is_said_to(question):
    one = said(question, [-0.1, -0.3, 0.0])
    none = "No column, shuffled on its own among the 90 rows given, raises"
    none_drawn = "No column, drawn again given the other columns, raises"
    assert "raises" not in one.licensed.replace(none, "").replace(none_drawn, "")
    assert "grows" not in one.licensed and "is larger by" not in one.licensed


@pytest.mark.parametrize("question", [Q1, Q2, Q4])
def test_overlapping_intervals_are_owned_up_to(question):
    apart = said(question, [[0.9, 1.1], [0.1, 0.2], [0.0, 0.1]])
    near = said(question, [[0.9, 1.1], [0.7, 1.0], [0.0, 0.1]])
    assert "overlaps" in near.licensed and "sex" in near.licensed
    assert "height" in apart.licensed
    low, high = Importances([[0.9, 1.1], [0.1, 0.2]], ("a", "b"), "m", Q1).interval()
    assert ("overlaps" in apart.licensed) == bool(high[1] > low[0])


def test_a_contribution_has_a_direction():
    down = said(Q3, [0.1, -0.7, 0.2])
    assert "sex moves mean squared error down by 0.7" in down.licensed
    assert "it would be higher by 0.7" in down.not_licensed


def test_contributions_of_other_signs_are_compared_by_size():
    """0.9 to 1.1 below zero is far from 0.1 above it, although its upper end is negative."""
    one = said(Q3, [[-1.0, -1.01], [0.5, 0.51], [0.0, 0.01]])
    assert "height" in one.licensed and "overlaps" not in one.licensed


def test_several_models_are_not_called_this_model():
    assert "the 5 models' mean squared error" in said(Q1, [0.1, 0.2], n_models=5).licensed
    assert "this model's" in said(Q1, [0.1, 0.2]).licensed


def test_good_models_need_what_the_least_of_them_relies_on():
    one = ranges([0.2, -0.1, 0.01], [0.5, 3.0, 0.4])
    assert "when height and bmi are exchanged" in one.licensed
    assert "exchanged between the rows, one at a time." in one.licensed
    assert "The largest increase by such an exchange is 3, for sex." in one.licensed
    assert one.not_licensed == "Every good model needs height and bmi."
    none = ranges([0.0, -0.1, -0.2], [0.5, 3.0, 0.4])
    assert none.licensed.startswith("For each column, some linear model within 5 %")
    assert none.not_licensed == "No column is needed."


def test_the_sentence_about_unique_parts_names_the_class_and_the_limit():
    one = said(Q6, [0.1, 0.7, 0.2])
    assert "linear model within 5 % of the least mean squared error" in one.licensed
    assert one.licensed.endswith("the 90 rows given is 0.7, for sex.")


@pytest.mark.parametrize("question", [*SIMPLE, Q6])
def test_what_is_not_licensed_has_a_reason_and_speaks_of_no_effect(question):
    one = said(question, [0.1, 0.7, 0.2])
    assert one.not_licensed.endswith(".") and len(one.because) > 40
    assert "every number is about predictions" in CAUSAL


def test_a_harmful_column_is_called_so_and_a_column_that_only_seems_so_is_not():
    """Below zero by more than its interval, which covers the shuffling; Monte Carlo is not."""
    harmful = said(Q1, [[0.5, 0.6], [-2.1, -2.3], [0.0, 0.1]])
    assert "Shuffling sex lowers it by 2.2" in harmful.licensed and "does harm" in harmful.licensed
    assert "Its value, -2.2," in harmful.because
    chance = said(Q1, [[0.5, 0.6], [-0.3, 0.1], [0.0, 0.1]])
    assert "harm" not in chance.licensed


@pytest.mark.parametrize("value", [1.7, -0.2])
def test_a_column_without_company_is_not_compared(value):
    for question in (*SIMPLE, Q6):
        one = said(question, [value])
        words = f"{one.licensed} {one.not_licensed} {one.because}"
        for comparison in ("any other", "other columns", "the others", "more than for", " most on"):
            assert comparison not in words.replace("another", ""), (question, words)
    alone = [Importances([[v]], ("height",), "m", Q5, **WORDS) for v in (value, 2.0)]
    results = dict(zip(("Q5 at least", "Q5 at most"), alone, strict=True))
    one = licence(Q5, results, slack=0.05, algorithm="Ridge")
    words = f"{one.licensed} {one.because}"
    assert "one at a time" not in words and "each column" not in words.lower()


def test_a_prediction_that_no_column_moves_has_no_direction():
    one = said(Q3, [0.0, 0.0, 0.0])
    assert "no column moves" in one.licensed and "by 0" not in one.licensed + one.not_licensed


def test_columns_that_share_the_work_may_get_little_or_much():
    """Two nearly equal columns: a forest shares them out, least squares may set them against."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=200)
    both = pd.DataFrame({"a": a, "d": a + 0.01 * rng.normal(size=200)})
    y = a + rng.normal(size=200)
    one, two = (LinearRegression(), RandomForestRegressor(20, random_state=0))
    for model, much in ((one, True), (two, False)):
        found = permutation_importance(model.fit(both, y), both, y, random_state=0)
        assert (found.importances_mean > y.var()).all() == much
    assert "may each get little, or" in said(Q1, [0.1, 0.7, 0.2]).because


@settings(max_examples=50, deadline=None)
@given(
    values=st.lists(
        st.floats(-1e3, 1e3).map(lambda v: round(v, 3)), min_size=3, max_size=3, unique=True
    ),
    question=st.sampled_from([Q1, Q2, Q4]),
)
def test_a_licensed_growth_is_that_of_the_largest_value(values, question):
    one, first = said(question, values), NAMES[int(np.argmax(values))]
    assert (first in one.licensed) == (max(values) > 0)


@pytest.mark.parametrize(
    ("names", "text"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_names_are_listed_as_a_person_would(names, text):
    assert listed(names) == text


def test_one_column_is_exchanged_and_several_are_exchanged_one_at_a_time():
    assert "when sex is exchanged between the rows." in ranges([-1, 0.2, 0], [1, 2, 3]).licensed
    several = ranges([0.1, 0.2, 0], [1, 2, 3]).licensed
    assert "height and sex are exchanged between the rows, one at a time." in several


# Reservations


@pytest.mark.parametrize("question", [Q1, Q2, Q4])
def test_an_interval_that_contains_0_is_owned_up_to(question):
    doubtful = said(question, [[2.0, -1.0], [0.1, -0.1], [0.0, -0.2]])
    assert "its interval contains 0 and overlaps with those of sex and bmi" in doubtful.licensed
    sure = said(question, [[2.0, 2.1], [0.1, 0.2], [0.0, 0.1]])
    assert "contains 0" not in sure.licensed
    assert "contains 0" in said(question, [[2.0, -1.0]]).licensed


def test_many_rivals_are_counted_and_few_are_named():
    names = tuple("abcdefgh")
    values = np.tile([0.9, 1.1], (8, 1)) - np.arange(8)[:, np.newaxis] / 1000
    results = {"Q1": Importances(values, names, "m", Q1, **WORDS)}
    all_of_them = licence(Q1, results, slack=0.05, algorithm="Ridge").licensed
    assert "overlaps with those of all 7 others" in all_of_them
    values[6:] -= 9
    results = {"Q1": Importances(values, names, "m", Q1, **WORDS)}
    assert "those of 5 of the 7 others" in licence(Q1, results, slack=0, algorithm="").licensed


def test_where_nothing_is_above_0_no_column_is_said_to_be_relied_on():
    assert said(Q4, [-0.1, -0.3, 0.0]).not_licensed == "The columns can be left out."


def test_nobody_is_told_that_the_only_column_cannot_be_left_out():
    assert "left out" not in said(Q1, [0.4]).not_licensed


def test_an_algorithm_that_draws_has_its_seed_in_the_sentence():
    drawn = said(Q4, [0.1, 0.7, 0.2], draws=True).licensed
    assert drawn.startswith("Fitted again without sex, with the same seed, Ridge has")
    assert "another seed of the fits" in drawn
    assert said(Q4, [0.1, 0.7, 0.2]).licensed.startswith("Fitted again without sex, Ridge has")


@pytest.mark.parametrize("seed", range(3))
def test_a_column_with_next_to_nothing_by_the_sixth_question_may_have_much_of_its_own(seed):
    """Noise beside the columns that matter: last by Q6, though nearly all of it is its own."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(300, 3)), columns=NAMES)
    y = table["height"] + table["sex"] + 0.3 * rng.normal(size=300)
    least = ((y - LinearRegression().fit(table, y).predict(table)) ** 2).mean()
    good = LinearRashomonSet(table, y, epsilon=0.05 * least)
    most = [good.conditional_model_class_reliance(name, as_ratio=False).high for name in NAMES]
    one, rest = said(Q6, most), table[["height", "sex"]]
    assert one.not_licensed == "bmi has nothing of its own."
    assert 1 - LinearRegression().fit(rest, table["bmi"]).score(rest, table["bmi"]) > 0.9
    assert one.because.startswith("Its own part may be large and yet of little use")


def test_a_constant_column_is_not_the_one_of_which_something_is_denied():
    """A constant has nothing of its own, tells nothing and can be left out."""
    for question in (Q1, Q2, Q6):
        assert "sex" in said(question, [0.3, 0.1, 0.0], constant=("bmi",)).not_licensed
        assert "bmi" in said(question, [0.3, 0.1, 0.0]).not_licensed
