"""The importance card: its numbers are the measures' own, and it claims nothing else."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from markdown_it import MarkdownIt
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor, VotingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from course_lib.learner import ask
from course_lib.measures import (
    LinearRashomonSet,
    algorithm_reliance,
    conditional_permutation_importance,
    permutation_importance,
)
from course_lib.models import absolute_error, zero_one
from course_lib.studies import importance_card
from course_lib.studies.card import cards
from course_lib.studies.card.answers import RANKINGS, _one_number
from course_lib.studies.card.disagreements import Disagreement, disagreements
from course_lib.studies.card.facts import making_facts
from course_lib.studies.card.layout import _comparison
from course_lib.worlds.samplers import GaussianSampler

X, y = (part[:120] for part in load_diabetes(return_X_y=True, as_frame=True))
X = X[["bmi", "bp", "s1", "s2", "s5"]]
LINE = LinearRegression().fit(X, y)
QUICK = {"n_repeats": 3, "n_halves": 3}
NONE = {"n_repeats": 2, "n_halves": 0}


@pytest.fixture(scope="module")
def card():
    return importance_card(LINE, X, y, instance=7, **QUICK)


# The numbers are the measures' own


def test_the_first_two_answers_are_those_of_the_measures(card):
    options = {"n_repeats": 3, "random_state": 0}
    for key, measure in (
        ("Q1", permutation_importance),
        ("Q2", conditional_permutation_importance),
    ):
        expected = measure(LINE, X, y, **options)
        np.testing.assert_allclose(card.results[key].importances, expected.importances)
        assert card.results[key].basis == expected.basis


def test_contributions_of_a_linear_model_are_its_coefficients_times_the_distances(card):
    values = card.values["Q3"]
    moved = X.iloc[7] - X.iloc[_background(card)].mean()
    np.testing.assert_allclose(values, LINE.coef_ * moved, rtol=1e-8)


def _background(card) -> np.ndarray:
    return np.sort(np.random.default_rng(0).permutation(len(X))[:100])


def test_with_test_rows_the_fourth_answer_is_algorithm_reliance():
    train, test = slice(0, 80), slice(80, 120)
    held_out = {"X_test": X[test], "y_test": y[test]}
    model = DecisionTreeRegressor(max_depth=3, random_state=0)
    found = importance_card(model, X[train], y[train], **held_out, questions=["Q4"], **NONE)
    expected = algorithm_reliance(
        model, X[train], y[train], **held_out, as_ratio=False, random_state=0
    )
    np.testing.assert_allclose(found.values["Q4"], expected.importances_mean)
    assert found.results["Q4"].sample == "40 test rows"


def test_without_test_rows_the_fourth_answer_is_cross_fitted(card):
    """For least squares, against a plain loop over the folds that the card drew."""
    folds = np.concatenate([own for _, own in _splits()])
    np.testing.assert_array_equal(np.sort(folds), np.arange(len(y)))
    errors = np.zeros((X.shape[1] + 1, len(y)))
    for rest, own in _splits():
        for j in range(X.shape[1] + 1):
            kept = [k for k in range(X.shape[1]) if k != j]
            fit = LinearRegression().fit(X.iloc[rest, kept], y.iloc[rest])
            errors[j, own] = (y.iloc[own] - fit.predict(X.iloc[own, kept])) ** 2
    expected = (errors[:-1] - errors[-1]).mean(axis=1)
    np.testing.assert_allclose(card.values["Q4"], expected)


def _splits():
    options = {"max_rows": 2000, "n_folds": 5, "rng": np.random.default_rng(0)}
    return cards.make_setting(LINE, X, y, **options).splits


def test_the_ranges_are_those_of_the_good_linear_models(card):
    least = np.mean((y - LINE.predict(X)) ** 2)
    good = LinearRashomonSet(X, y, epsilon=0.05 * least)
    for name in X:
        reliance = good.model_class_reliance(name, as_ratio=False)
        unique = good.conditional_model_class_reliance(name, as_ratio=False)
        expected = [reliance.low, reliance.high, unique.high]
        found = card.values.loc[name, ["Q5 at least", "Q5 at most", "Q6"]]
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_an_estimator_that_is_not_fitted_is_cross_fitted():
    """Each row is predicted by a tree that was fitted to others, so the loss is not 0."""
    learnt = DecisionTreeRegressor(random_state=0)
    crossed = importance_card(learnt, X, y, questions=["Q1"], **NONE)
    fitted = importance_card(learnt.fit(X, y), X, y, questions=["Q1"], **NONE)
    assert crossed.results["Q1"].sample == "120 cross-fitted rows"
    assert "mean squared error: 0 on the 120 rows given" in fitted.facts["model"]["loss"]
    assert "mean squared error: 0 on" not in crossed.facts["model"]["loss"]


def test_many_rows_are_drawn_from_and_the_card_says_so():
    found = importance_card(LINE, X, y, max_rows=50, questions=["Q1", "Q4"], **NONE)
    assert found.results["Q1"].sample == "50 rows drawn from the 120 rows given"
    assert found.results["Q4"].sample == "50 rows drawn from the 120 cross-fitted rows"
    assert found.results["Q4"].importances.shape == (5, 50)
    assert "Of 120 rows, 50 were drawn at random" in found.facts["model"]["sample"]


@pytest.mark.parametrize("how", ["fitted", "cross-fitted", "test rows"])
def test_the_explained_row_is_the_one_that_was_asked_for_however_few_are_drawn(how):
    """One row stands out by far; its contribution is about its distance from the mean, 40."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.normal(size=(300, 2)), columns=["u", "v"])
    table.loc[217, "u"] = 40.0
    target = table["u"] + rng.normal(size=300)
    model = LinearRegression() if how == "cross-fitted" else LinearRegression().fit(table, target)
    held_out = {"X_test": table, "y_test": target} if how == "test rows" else {}
    given = (table[:99], target[:99]) if held_out else (table, target)
    for max_rows in (4, 20, 2000):
        found = importance_card(
            model, *given, **held_out, questions=["Q3"], instance=217, max_rows=max_rows, **NONE
        )
        assert found.values.loc["u", "Q3"] == pytest.approx(40, rel=0.1)
        assert found.results["Q3"].sample.startswith("row 217 of the 300 ")


# The same seed, the same card


def test_the_same_seed_makes_the_same_page_and_inputs_stay_as_they_were():
    before = X.copy(), y.copy(), LINE.coef_.copy()
    one, two, other = (importance_card(LINE, X, y, random_state=s, **QUICK) for s in (0, 0, 1))
    assert one.to_markdown() == two.to_markdown() != other.to_markdown()
    assert X.equals(before[0]) and y.equals(before[1]) and (LINE.coef_ == before[2]).all()


def test_a_generator_leaves_a_seed_that_makes_the_card_again():
    drawn = importance_card(LINE, X, y, random_state=np.random.default_rng(5), **NONE)
    seed = int(drawn.facts["making"]["seed"].partition("=")[2])
    again = importance_card(LINE, X, y, random_state=seed, **NONE)
    assert again.to_markdown() == drawn.to_markdown()


# Disagreements


def test_counts_of_halves_are_those_of_a_plain_loop(card):
    assert any(pair.opposite for pair in card.disagreements)
    for pair in card.disagreements:
        if not pair.opposite:
            continue
        a, b = pair.opposite
        n = 0
        for values in card.halves.values():
            left, right = (values[key].copy() for key in (pair.left, pair.right))
            for key, column in ((pair.left, left), (pair.right, right)):
                if key == "Q5 at least":
                    column[column < 0] = 0
            n += bool(left[a] > left[b] and right[b] > right[a])
        assert (pair.lasting, pair.n_halves) == (n, 3)


def test_no_other_pair_is_turned_round_more_clearly(card):
    for pair in card.disagreements:
        left, right = card.ranks[pair.left], card.ranks[pair.right]
        gaps = {
            (a, b): min(left[b] - left[a], right[a] - right[b])
            for a in X
            for b in X
            if left[a] < left[b] and right[b] < right[a]
        }
        if pair.opposite is None:
            assert not gaps
        else:
            assert gaps[pair.opposite] == max(gaps.values())


def test_a_place_that_is_shared_is_printed_as_shared():
    """Columns a to d by two questions; by the second, b, c and d share the places 2 to 4."""
    ranks = pd.DataFrame({"Q1": [2, 1, 3, 4], "Q5 at least": [1, 4, 4, 4]}, list("abcd"))
    (found,) = disagreements(ranks, {}, RANKINGS, {})
    assert found.moved == "b" and found.places == ("1", "2 to 4, shared")


def test_halves_say_what_becomes_of_the_good_models_only_where_they_were_asked_for():
    with_them, without = (
        importance_card(LINE, X, y, questions=keys, **QUICK).facts["model"]["halves"]
        for keys in (["Q1", "Q5", "Q6"], ["Q1", "Q2"])
    )
    assert "Q5 and Q6: over the good linear models of the half that is fitted to." in with_them
    assert "good linear models" not in without


def test_what_is_said_of_the_halves_is_what_is_fitted_and_measured():
    """With and without test rows, for a model that can be fitted again and one that cannot."""
    mine = SimpleNamespace(predict=lambda T: T["bmi"].to_numpy())
    held_out = {"X_test": X[80:], "y_test": y[80:]}
    said = {}
    for model, options in ((LINE, {}), (mine, {}), (LINE, held_out), (mine, held_out)):
        given = (X[:80], y[:80]) if options else (X, y)
        asked = importance_card(model, *given, **options, questions=["Q1", "Q5"], **QUICK)
        said[model is mine, bool(options)] = asked.facts["model"]["halves"]
    for (kept, tested), words in said.items():
        assert ("fitted again" in words) == ("the half that is fitted to" in words) == (not kept)
        assert ("a half of the test rows" in words) == tested
    assert (
        "kept as it is and measured on one half. Q5: over the good linear models of the other"
        in (said[True, False])
    )
    assert "good linear models of a half of the rows to fit to." in said[True, True]


def test_the_line_of_the_good_models_names_the_class_and_the_tolerance():
    for slack, words in ((0.05, "5 %"), (0.1, "10 %"), (0.005, "0.5 %")):
        found = importance_card(LINE, X, y, questions=["Q5", "Q6"], slack=slack, **NONE)
        for result in found.results.values():
            assert result.basis.endswith(
                f"exact over the linear models within {words} of the least error"
            )


def test_with_a_classifier_the_card_says_how_the_classes_are_divided():
    classes = np.where(y > y.median(), "high", "low")
    model = LogisticRegression()
    of_classes = importance_card(model, X, classes, questions=["Q1"], **QUICK).facts["model"]
    of_numbers = importance_card(LINE, X, y, questions=["Q1"], **QUICK).facts["model"]
    for key in ("sample", "halves"):
        assert "each class divided as evenly as possible" in of_classes[key]
        assert "class" not in of_numbers[key]


def test_large_numbers_are_printed_with_commas_everywhere():
    found = importance_card(line_of(X), X, 1000 * y, **QUICK)
    page = found.to_markdown()
    assert "e+" not in page.split("made with")[0]
    assert re.search(r"mean squared error: \d+,\d{3}", page)
    assert re.search(r"\| bmi \| -?\d+,\d{3}", page)


def test_columns_that_share_places_in_every_half_have_all_of_them():
    """The tree reads one column of four; the other three share the places 2 to 4."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(80, 4)), columns=list("abcd"))
    stump = DecisionTreeRegressor(max_depth=1)
    found = importance_card(stump, table, np.sign(table["b"]), questions=["Q1"], **QUICK)
    frame = found.to_frame().set_index("feature")
    assert frame.loc["b", ["best place in halves", "worst place in halves"]].tolist() == [1, 1]
    for name in "acd":
        places = frame.loc[name, ["best place in halves", "worst place in halves"]]
        assert places.tolist() == [2, 4]


def test_where_no_two_columns_change_places_the_halves_are_not_spoken_for():
    """One column that matters much, and one that matters little, to every question."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(200, 2)), columns=list("ab"))
    target = 5 * table["a"] + table["b"]
    for n_halves in (0, 3):
        found = importance_card(
            LinearRegression().fit(table, target),
            table,
            target + rng.normal(size=200),
            questions=["Q1", "Q2", "Q4"],
            n_repeats=2,
            n_halves=n_halves,
        )
        page = found.to_markdown()
        assert "In none of 3 pairs of rankings do two columns change places." in page
        assert ("In a half of the rows they may" in page) == (n_halves > 0)


def test_the_two_ends_of_one_question_and_a_single_row_are_not_compared(card):
    pairs = {(pair.left, pair.right) for pair in card.disagreements}
    assert ("Q5 at least", "Q5 at most") not in pairs
    assert not any("Q3" in pair for pair in pairs)
    assert len(pairs) == 6 * 5 / 2 - 1


def test_a_half_is_fitted_to_some_rows_and_measured_on_others():
    """The tree knows its own rows by heart, so a loss above 0 shows that others were measured."""
    setting = cards.make_setting(
        DecisionTreeRegressor(random_state=0).fit(X, y),
        X,
        y,
        max_rows=2000,
        n_folds=5,
        rng=np.random.default_rng(0),
    )
    for half in setting.halves(5, np.random.default_rng(1)):
        assert len(half.y) == len(half.y_fit) == 60
        assert not set(half.X.index) & set(half.X_fit.index)
        assert (half.algorithm.predict(half.X_fit) == half.y_fit).all()


def test_places_in_halves_lie_around_what_the_halves_say(card):
    table = card.to_frame().query("ranking == 'Q1'").set_index("feature")
    places = pd.concat([half["Q1"].rank(ascending=False) for half in card.halves.values()], axis=1)
    assert table["best place in halves"].tolist() == places.min(axis=1).tolist()
    assert table["worst place in halves"].tolist() == places.max(axis=1).tolist()


# What is not computed is not claimed


def questions_with_a_section(page: str) -> list[str]:
    return re.findall(r"^### (Q\d): important", page, flags=re.MULTILINE)


def test_every_question_is_answered_or_refused_and_never_both(card):
    for one in (card, importance_card(LINE, X, y, questions=["Q1", "Q5"], **NONE)):
        answered, refused = set(one.licences), set(one.not_computed)
        assert answered | refused == {f"Q{k}" for k in range(1, 7)} and not answered & refused
        assert questions_with_a_section(one.to_markdown()) == sorted(answered)


def test_a_question_that_was_not_asked_says_so():
    found = importance_card(LINE, X, y, questions="Q1", **NONE)
    assert set(found.not_computed.values()) == {"Not asked for."}
    page = found.to_markdown()
    assert "There is only one ranking" in page
    assert "cross-fitted" not in page and "within 5 %" not in page


@pytest.mark.parametrize(
    ("model", "options", "refused"),
    [
        (RandomForestClassifier(5, random_state=0), {}, {"Q5", "Q6"}),
        (LinearSVC(), {}, {"Q3", "Q5", "Q6"}),
    ],
)
def test_a_classifier_of_three_classes_has_a_card(model, options, refused):
    X, y = load_iris(return_X_y=True, as_frame=True)
    found = importance_card(model, X, y.map({0: "a", 1: "b", 2: "c"}), **NONE)
    assert set(found.not_computed) == refused
    assert "3 classes; class a: 33 %, class b: 33 %, class c: 33 %" in found.to_markdown()


def test_another_loss_leaves_the_least_squares_questions_out():
    found = importance_card(LINE, X, y, loss=absolute_error, **NONE)
    assert set(found.not_computed) == {"Q5", "Q6"}
    assert "here the loss is mean absolute error" in found.not_computed["Q5"]
    assert found.results["Q4"].loss == "mean absolute error"


def test_a_model_that_cannot_be_fitted_again_is_kept_in_the_halves():
    mine = SimpleNamespace(predict=lambda T: T["bmi"].to_numpy())
    found = importance_card(mine, X, y, **QUICK)
    assert set(found.not_computed) == {"Q4"} and "0x" not in found.not_computed["Q4"]
    assert found.ranks["Q1"]["bmi"] == 1 and "kept as it is" in found.facts["model"]["halves"]


def test_duplicated_columns_refuse_the_class_in_the_words_of_its_measure():
    found = importance_card(
        LinearRegression(), X.assign(twin=X["bmi"]), y, questions=["Q1", "Q5"], **NONE
    )
    with pytest.raises(ValueError) as refusal:
        LinearRashomonSet(X.assign(twin=X["bmi"]), y, epsilon=0.0)
    assert found.not_computed["Q5"] == str(refusal.value)


def test_a_constant_column_does_not_take_the_good_models_from_the_page():
    """Its value is 0, and the ranges of the others are what they are without it."""
    table = X.assign(still=7.0)
    found = importance_card(line_of(table), table, y, questions=["Q1", "Q2", "Q5", "Q6"], **QUICK)
    without = importance_card(LINE, X, y, questions=["Q5", "Q6"], **NONE)
    for key in ("Q5 at least", "Q5 at most", "Q6"):
        assert found.values.loc["still", key] == 0
        np.testing.assert_allclose(found.values[key].drop("still"), without.values[key], rtol=1e-6)
        assert found.results[key].repeats.endswith("; 0 for what is constant there (still)")
    assert not any("still" in one.not_licensed for one in found.licences.values())
    nothing = importance_card(line_of(table[["still"]]), table[["still"]], y, **NONE)
    assert "Every column is constant (still)" in nothing.not_computed["Q5"]


def line_of(table):
    return LinearRegression().fit(table, y)


@pytest.mark.parametrize("n_rows", [6, 7, 11, 12])
def test_a_table_with_hardly_more_rows_than_columns_can_be_shown(n_rows):
    """Five columns: up to 11 rows, no half of them determines a linear model."""
    found = importance_card(LinearRegression(), X[:n_rows], y[:n_rows], **QUICK)
    page = found.to_markdown()
    assert found.to_html() and found._repr_html_() and len(found.to_frame()) == 7 * 5
    assert ("not drawn" in page) == (n_rows < 12)
    none = "Q5 and Q6 have an answer in none of them." in found.facts["model"]["halves"]
    assert none == (n_rows < 12)


def test_halves_without_an_answer_are_counted():
    """A column that copies another but for one row: in a half without that row, it is a copy."""
    table = X.assign(twin=X["bmi"].where(X.index != 6, 1.0))
    found = importance_card(line_of(table), table, y, questions=["Q1", "Q2", "Q5"], n_halves=6)
    n = sum("Q5 at most" in values for values in found.halves.values())
    assert 0 < n < 6
    assert f" Q5 has an answer in {n} of them." in found.facts["model"]["halves"]
    assert "Q2: one sampler serves all of them" in found.facts["model"]["halves"]


def test_the_sampler_has_learnt_from_the_rows_measured_on(monkeypatch):
    """40 test rows of 120, or 50 drawn from 120; never those of a half."""
    learnt = []
    fit = GaussianSampler.fit
    monkeypatch.setattr(
        GaussianSampler, "fit", lambda self, X: (learnt.append(len(X)), fit(self, X))[1]
    )
    test = {"X_test": X[80:], "y_test": y[80:]}
    importance_card(LINE, X[:80], y[:80], **test, questions=["Q2"], **QUICK)
    importance_card(LINE, X, y, max_rows=50, questions=["Q2"], **QUICK)
    assert learnt == [40, 50]


def test_a_class_of_two_rows_is_in_both_halves_and_a_model_that_does_not_fit_is_left_out():
    rare = np.where(np.arange(len(y)) < 2, "rare", "often")
    found = importance_card(LogisticRegression(), X, rare, questions=["Q1"], **QUICK)
    assert len(found.halves) == 3 and all("Q1" in values for values in found.halves.values())

    class NeedsMany(LinearRegression):
        def fit(self, X, y):
            if len(X) < 100:
                raise ValueError("too few rows")
            return super().fit(X, y)

    few = importance_card(NeedsMany().fit(X, y), X, y, questions=["Q1"], **QUICK)
    assert few.halves == {} and few.to_html()
    assert "Q1 has an answer in none of them." in few.facts["model"]["halves"]


def test_where_nothing_has_an_answer_the_refusals_are_the_error():
    X, y = load_iris(return_X_y=True, as_frame=True)
    with pytest.raises(ValueError, match="No question has an answer here: .*Q5: The good models"):
        importance_card(LogisticRegression(), X, y, questions=["Q5", "Q6"], **NONE)


def test_a_model_that_reads_nothing_and_a_table_of_one_column_have_sentences_of_their_own():
    nothing = importance_card(DummyRegressor().fit(X, y), X, y, **NONE).to_markdown()
    assert "no column moves the prediction away from its mean" in nothing
    assert "by 0" not in nothing
    alone = importance_card(LinearRegression().fit(X[["bmi"]], y), X[["bmi"]], y, **NONE)
    for words in ("any other column", "other columns", "one at a time", "A low value"):
        assert words not in alone.to_markdown()
    assert "There is only one column, so there is nothing to compare." in alone.to_markdown()


def test_a_column_that_does_harm_is_named():
    """The model has the wrong sign for one column, so that shuffling it lowers the error."""
    wrong = SimpleNamespace(predict=lambda T: -40.0 * T["bmi"].to_numpy())
    table = X.assign(bmi=(X["bmi"] - X["bmi"].mean()) / X["bmi"].std())
    found = importance_card(wrong, table, y - y.mean(), questions=["Q1"], n_halves=0)
    assert found.values.loc["bmi", "Q1"] < 0
    assert "Shuffling bmi lowers it by" in found.licences["Q1"].licensed


# The sentences know their conditions


def noise(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(size=(120, 4)), columns=list("abcd")), rng.normal(size=120)


@pytest.mark.parametrize("seed", range(3))
def test_the_fourth_answer_says_that_its_interval_contains_0_and_what_the_seed_does(seed):
    X, y = noise(seed)
    forest = importance_card(RandomForestRegressor(10).fit(X, y), X, y, questions=["Q4"], **NONE)
    line = importance_card(LinearRegression().fit(X, y), X, y, questions=["Q4"], **NONE)
    for found in (forest, line):
        low = found.to_frame().nlargest(1, "value")["low"].item()
        positive = found.values["Q4"].max() > 0
        said = found.licences["Q4"].licensed
        assert ("interval contains 0" in said) == (positive and low <= 0)
    assert low <= 0  # of noise
    assert "with the same seed" in forest.licences["Q4"].licensed
    assert (
        "what another seed of the fits would change, if anything, is not in" in forest.to_markdown()
    )
    assert "all with one seed" in forest.results["Q4"].basis
    assert "seed" not in line.licences["Q4"].licensed + line.results["Q4"].basis


def test_the_fourth_answer_prints_the_loss_with_all_columns_on_rows_not_fitted_to():
    """A forest that knows pure noise by heart: on other rows it is worse than the mean."""
    X, y = noise(0)
    found = importance_card(RandomForestRegressor(20).fit(X, y), X, y, questions=["Q4"], **NONE)
    words = re.search(r"with all columns the loss is ([\d.]+)", found.to_markdown())
    assert float(words[1]) > y.var()


def test_the_model_is_printed_as_it_came():
    for model in (RandomForestRegressor(5), LogisticRegression(max_iter=500)):
        target = y if isinstance(model, RandomForestRegressor) else y > y.median()
        found = importance_card(model, X, target, questions=["Q1"], **NONE)
        assert found.facts["model"]["model"] == str(model) and "random_state" not in str(model)


def test_a_long_pipeline_is_cut_but_not_its_last_step():
    steps = [(f"scale{k}", StandardScaler(with_mean=False)) for k in range(12)]
    model = Pipeline([*steps, ("end", RandomForestRegressor(7, max_depth=2))])
    words = importance_card(model, X, y, questions=["Q1"], **NONE).facts["model"]["model"]
    assert words.startswith("RandomForestRegressor(max_depth=2, n_estimators=7), at the end of Pip")
    assert " ... " in words and len(words) < 520


def test_the_explained_class_has_a_name_and_the_explained_row_its_label():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = y.map({0: "setosa", 1: "versicolor", 2: "virginica"})
    X.index = X.index + 1000
    model = RandomForestClassifier(5, random_state=0).fit(X, names)
    found = importance_card(model, X, names, questions=["Q3"], instance=3, **NONE)
    assert (
        "the probability of class setosa (predicted for this row)" in found.licences["Q3"].licensed
    )
    assert found.results["Q3"].sample == (
        "the row at position 3 of the 150 rows given (label 1003)"
    )
    assert "matched by position" in found.facts["model"]["sample"]
    plain = importance_card(model, X.reset_index(drop=True), names, questions=["Q3"], **NONE)
    assert plain.results["Q3"].sample == "row 0 of the 150 rows given"
    assert "matched by position" not in plain.facts["model"]["sample"]


@pytest.mark.parametrize(("n", "few"), [(60, True), (600, False)])
def test_normal_draws_learnt_from_few_rows_are_said_to_be_too_near(n, few):
    """12 columns that have nothing to do with each other: Q2 is Q1, but for about 12 / n."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(n, 12))).add_prefix("c")
    target = table.sum(axis=1)
    model = LinearRegression().fit(table, target)
    options = {"n_repeats": 30, "n_halves": 0}
    found = importance_card(model, table, target, questions=["Q1", "Q2"], **options)
    shares = found.values["Q2"] / found.values["Q1"]
    assert shares.mean() == pytest.approx(1 - 12 / n, abs=0.04)
    assert ("too near to the values" in found.licences["Q2"].because) == few


def test_columns_with_the_value_0_are_counted_where_the_ranking_ends():
    table = X.assign(**{f"still{k}": 1.0 for k in range(3)})
    page = importance_card(line_of(table), table, y, questions=["Q1"], **NONE).to_markdown()
    assert "and 2 more columns, 2 of them with the value 0, in to\\_frame()" in page


def test_several_models_are_not_called_the_given_one():
    found = importance_card(LinearRegression(), X, y, questions=["Q2", "Q4"], **NONE)
    page = found.to_markdown()
    assert "The 5 models rely most on" in page and "What the 5 models rely on" in page
    assert "the 5 models may not read" in page and "this model" not in page.lower()


def test_with_test_rows_the_good_models_are_those_of_the_rows_to_fit_to():
    held_out = {"X_test": X[80:], "y_test": y[80:]}
    found = importance_card(LINE, X[:80], y[:80], **held_out, questions=["Q5", "Q6"], **NONE)
    for key in ("Q5", "Q6"):
        assert "on the 80 rows to fit to" in found.licences[key].licensed


def test_one_pair_of_rankings_and_one_more_column_have_their_own_words():
    many = pd.concat([X, X.add_suffix("'") ** 2], axis=1).iloc[:, :7]
    for table in (many, X):
        found = importance_card(line_of(table), table, y, questions=["Q1", "Q2"], **QUICK)
        page = found.to_markdown()
        assert "Between the two rankings" in page and "1 of 1" not in page
        assert ("and 1 more column, in to" in page) == (
            table is many
        ) and "1 more columns" not in page


def test_the_harm_of_next_to_nothing_is_not_called_harm():
    """Shuffling bp lowers the error in every shuffle, but by little beside what bmi does."""
    table = pd.DataFrame({"bmi": X["bmi"] / X["bmi"].std(), "bp": X["bp"] / X["bp"].std()})
    target = 40 * table["bmi"] + 5 * table["bp"]
    for size, harms in ((1e-4, False), (5.0, True)):
        wrong = SimpleNamespace(
            predict=lambda T, size=size: (40 * T["bmi"] - size * T["bp"]).to_numpy()
        )
        found = importance_card(wrong, table, target, questions=["Q1"], n_halves=0)
        assert found.values.loc["bp", "Q1"] < 0
        assert ("does harm" in found.licences["Q1"].licensed) == harms


# Nothing of the data becomes markup


SNEAKY = "<script>a|b_*`c`"


def test_names_and_classes_become_text_and_never_markup():
    table = X.rename(columns={"bmi": SNEAKY})
    classes = np.where(y > y.median(), "<i>high", "*low*")
    model = DecisionTreeClassifier(max_depth=2, random_state=0)
    found = importance_card(model, table, classes, questions=["Q1", "Q3"], **NONE)
    for html in (found.to_html(), found._repr_html_()):
        assert "&lt;script&gt;a|b_*`c`" in html
        assert "<script" not in html and "<i>" not in html
    rendered = MarkdownIt().enable("table").render(found.to_markdown())
    assert "&lt;script&gt;a|b_*`c`" in rendered
    assert "<script" not in rendered and "<i>" not in rendered and "<em>" not in rendered


def test_every_row_of_a_markdown_table_has_as_many_cells_as_its_head():
    page = importance_card(
        LinearRegression(), X.rename(columns={"bmi": SNEAKY}), y, **QUICK
    ).to_markdown()
    tables = re.findall(r"(?:^\|.*\n)+", page, flags=re.MULTILINE)
    assert len(tables) == 7
    for table in tables:
        cells = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(cells) == 1


def test_the_page_alone_carries_its_style_for_light_dark_and_paper(card):
    page = card.to_html()
    assert page.startswith("<!DOCTYPE html>")
    assert "color-scheme: light dark" in page and "@media print" in page
    assert "<h1>Importance card</h1>" in page and page.count("<h2>") == 7
    assert not re.search("<h[1-6]", card._repr_html_())  # a notebook has its own headings


# Cost is said first


def test_a_long_card_says_so_before_it_begins(monkeypatch, capsys):
    monkeypatch.setattr(cards, "expected_seconds", lambda *_: 90.0)
    importance_card(LINE, X, y, questions=["Q1"], **NONE)
    assert re.search("about 1.5 minutes: .*Fewer rows", capsys.readouterr().err)


def test_the_expected_cost_counts_rows_halves_and_fits():
    def seconds(**changes):
        given = {"n_repeats": 2, "n_halves": 0, "questions": ["Q1", "Q4"]} | changes
        expected = []

        def note(answers, asked, n_halves):
            expected.append(cards_seconds(answers, asked, n_halves))
            return 0.0

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cards, "expected_seconds", note)
            importance_card(DecisionTreeRegressor(max_depth=1), X, y, **given)
        return expected[0]

    cards_seconds = cards.expected_seconds
    assert seconds(n_repeats=3000) > 50 * seconds(questions=["Q1"])


# Bad input


class NotFitted:
    """A class that is not scikit-learn's, before its fit."""

    def fit(self, X, y):
        self.coef = 1.0

    def predict(self, X):
        return X["bmi"] * self.coef


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: importance_card(LINE, X, y, questions=["Q7"]), ValueError, "Choose from those"),
        (lambda: importance_card(LINE, X, y, questions=[]), ValueError, "at least one of Q1"),
        (lambda: importance_card(LINE, X, y, X_test=X), ValueError, "belong together"),
        (
            lambda: importance_card(LINE, X, y, X_test=X[["bmi"]], y_test=y),
            ValueError,
            "same columns in the same order",
        ),
        (lambda: importance_card(LINE, X, y, instance=120), ValueError, "from 0 to 119"),
        (lambda: importance_card(LINE, X, y, n_halves=-1), ValueError, "n_halves"),
        (lambda: importance_card(LINE, X, y, n_repeats=1), ValueError, "n_repeats"),
        (lambda: importance_card(LINE, X, y, slack=0), ValueError, "slack"),
        (lambda: importance_card(LINE, X, y[:-1]), ValueError, "each row needs its target"),
        (lambda: importance_card(LinearRegression, X, y), TypeError, "Make one and fit it"),
        (lambda: importance_card(3, X, y), TypeError, "must be a fitted model"),
        (
            lambda: importance_card(LinearRegression(), X.assign(town="Gent"), y),
            ValueError,
            r"could not be fitted to the table.*town \(no numbers\)",
        ),
        (
            lambda: importance_card(LINE, X.assign(bmi="heavy"), y),
            ValueError,
            "does not take the table as it is",
        ),
        (
            lambda: importance_card(LINE, X, np.repeat("hi", 120)),
            TypeError,
            r"y holds text \('hi', ...\), but LinearRegression predicts numbers. Pass numbers",
        ),
        (lambda: importance_card(LINE, X, y.astype(str)), TypeError, r"y holds text \('151.0', "),
        (
            lambda: importance_card(LogisticRegression(), X, y),
            ValueError,
            r"y has 86 different numbers for 120 rows; .* Use a regressor",
        ),
        (
            lambda: importance_card(LogisticRegression(), X, ["z"] + 59 * ["a"] + 60 * ["b"]),
            ValueError,
            "Class 'z' has 1 row; cross-fitting needs at least 2",
        ),
        (
            lambda: importance_card(LogisticRegression(), X, 120 * ["a"]),
            ValueError,
            "y has the class 'a' in all 120 rows; .* Check how the rows",
        ),
        (
            lambda: importance_card(LINE, X, np.full(120, 3.0)),
            ValueError,
            "y is 3 in all 120 rows, so that there is nothing to predict. Check how the rows",
        ),
        (
            lambda: importance_card(LinearRegression(), X, 0 * y, X_test=X, y_test=y),
            ValueError,
            "y is 0 in all 120 rows",
        ),
        (
            lambda: importance_card(LINE, csr_matrix(X), y),
            TypeError,
            r"sparse matrix of shape \(120, 5\).*Pass X.toarray\(\)",
        ),
        (lambda: importance_card(X, LINE, y), TypeError, "model must be .* got DataFrame"),
        (lambda: importance_card(LINE, LINE, y), TypeError, "X must be .* got LinearRegression"),
        (
            lambda: importance_card(LINE, X.assign(bp=np.inf), y),
            ValueError,
            r"X has 120 values that are infinite \(bp\)",
        ),
        (
            lambda: importance_card(LINE, X, y, X_test=X, y_test=y[:9]),
            ValueError,
            "X_test has 120 rows and y_test has 9",
        ),
        (
            lambda: importance_card(LINE, X, y, X_test=X[:1], y_test=y[:1]),
            ValueError,
            "X_test must have at least 2 rows",
        ),
        (
            lambda: importance_card(LINE, X, y, X_test=X.rename(columns={"s1": "s"}), y_test=y),
            ValueError,
            "it lacks s1 and has s besides",
        ),
        (lambda: importance_card(KMeans(2), X, y), TypeError, "KMeans predicts clusters"),
        (lambda: importance_card(LINE, X, y, sample=3), TypeError, "in words .* got 3"),
        (
            lambda: importance_card(NotFitted(), X, y),
            ValueError,
            r"does not predict the rows. It says: .*coef.* call its fit\(X, y\)",
        ),
        (
            lambda: importance_card(LinearRegression(), X.mask(X > 0.05), y),
            ValueError,
            r"It says: Input X contains NaN\. X has bmi, bp, s1, s2, s5 \(missing values \(NaN",
        ),
    ],
)
def test_bad_input_gets_a_sentence(call, error, message):
    """What was given, what is right, what to do; of numpy's types and own errors nothing."""
    with pytest.raises(error, match=message):
        call()


# A csv with everything in it, as a reader would bring it


def visitors(n: int = 150) -> pd.DataFrame:
    """Money spent by visitors; the size, the town, the grade and the date matter."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size": rng.normal(50, 10, n),
            "town": rng.choice(["Liège", "Gent", "Namur"], n),
            "grade": rng.choice(["low", "mid", "high"], n),
            "member": rng.random(n) < 0.4,
            "joined": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 1500, n), unit="D"),
            "visits": pd.array(rng.integers(0, 9, n), dtype="Int64"),
        }
    )
    days = (table["joined"] - table["joined"].min()).dt.days
    table["spent"] = table["size"] / 5 + 4 * (table["town"] == "Gent") + days / 300
    table["spent"] += table["grade"].map({"low": 0, "mid": 2, "high": 4}) + rng.normal(size=n)
    for name in ("size", "town", "visits"):
        table.loc[rng.random(n) < 0.1, name] = None
    return table


@pytest.fixture(scope="module")
def csv(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "visitors.csv"
    visitors().to_csv(path, index=False)
    return path


def read(csv) -> tuple[pd.DataFrame, pd.Series]:
    kinds = {"grade": "category", "visits": "Int64"}
    table = pd.read_csv(csv, dtype=kinds, parse_dates=["joined"])
    return table.drop(columns="spent"), table["spent"]


def any_columns():
    """A pipeline that chooses its columns by their type, so that it can do without each."""

    def as_days(T):
        return T.astype("int64") / (86_400 * 10**9)

    return make_column_transformer(
        (SimpleImputer(), make_column_selector(dtype_include="number")),
        (FunctionTransformer(as_days), make_column_selector(dtype_include="datetime")),
        (
            OneHotEncoder(handle_unknown="ignore"),
            make_column_selector(dtype_include=["object", "string", "category", "bool"]),
        ),
    )


def test_a_csv_with_everything_in_it_goes_through_ask_and_the_card(csv):
    X, y = read(csv)
    advice = ask("report")
    assert advice.call.startswith("importance_card(model, X, y")
    model = make_pipeline(any_columns(), RandomForestRegressor(20, random_state=0))
    found = importance_card(model, X, y, n_repeats=3, n_halves=2)
    data = found.facts["data"]
    assert data["rows and columns"] == "150 rows, 6 columns"
    assert data["kinds of columns"] == (
        "2 of numbers, 1 of text, 1 of categories, 1 of yes-or-no values, 1 of dates"
    )
    assert "size" in data["missing values"] and "visits" in data["missing values"]
    assert set(found.licences) == {"Q1", "Q2", "Q3", "Q4"}
    matters = {"size", "town", "grade", "joined"}
    for key in ("Q1", "Q2", "Q4"):
        assert set(found.values[key].nlargest(4).index) == matters, key
    assert "the Pipeline with RandomForestRegressor" in found.licences["Q4"].licensed
    assert (
        "size, visits (missing values (NaN)), town, grade, joined (no" in found.not_computed["Q5"]
    )


@pytest.mark.parametrize("wrapped", [False, True])
def test_the_package_that_the_model_is_from_is_named_with_its_version(wrapped):
    lightgbm = pytest.importorskip("lightgbm")
    model = lightgbm.LGBMRegressor(n_estimators=2, verbose=-1)
    if wrapped:
        search = {"lgbmregressor__n_estimators": [2]}
        model = GridSearchCV(make_pipeline(StandardScaler(), model), search)
    assert making_facts(0, model)["made with"].endswith(f", lightgbm {lightgbm.__version__}")
    assert "lightgbm" not in making_facts(0, StandardScaler())["made with"]


# Rounding error is 0, and a tie a tie


def with_a_sum(seed: int, n: int = 40, unit: float = 1.0) -> tuple[pd.DataFrame, np.ndarray]:
    """Of a, b and d = a + b each is a combination of the other two; y is noise or a + noise."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    table["d"] = table["a"] + table["b"]
    return table, unit * ((seed % 2) * table["a"] + rng.normal(size=n)).to_numpy()


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("seed", range(4))
def test_what_each_of_three_columns_adds_to_the_other_two_is_0_and_no_rounding_wins(seed, unit):
    """By argument Q2 and Q4 of a, b and d are exactly 0, in every unit of the target."""
    table, target = with_a_sum(seed, unit=unit)
    model = LinearRegression().fit(table, target)
    found = importance_card(model, table, target, questions=["Q2", "Q4"], **QUICK)
    for key in ("Q2", "Q4"):
        assert (found.values.loc[["a", "b", "d"], key] == 0).all()
        places = found.ranks[key]
        assert places["a"] == places["b"] == places["d"] != places["c"]
        rows = found.to_frame().query("ranking == @key").set_index("feature").loc[["a", "b", "d"]]
        assert (rows[["low", "high"]] == 0).all(axis=None)
        c_first = found.values.loc["c", key] > 0
        said = found.licences[key].licensed
        none = "No column" if key == "Q2" else "Whichever one column is left out"
        assert said.startswith(f"{'When' if key == 'Q2' else 'Fitted again without'} c") == c_first
        assert said.startswith(none) == (not c_first) and "e-" not in said.split(" (")[0][-30:]
        for name in "abd":  # in a half the three share two or three neighbouring places
            assert (
                rows.loc[name, "worst place in halves"] - rows.loc[name, "best place in halves"]
                >= 2
            )


@pytest.mark.parametrize("seed", range(6))
def test_copies_with_one_coefficient_move_a_prediction_as_much_as_each_other(seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"s": rng.normal(size=60)}).assign(s_copy=lambda T: T["s"])
    table["c"] = 0.1 * rng.normal(size=60)
    target = 2 * table["s"] + rng.normal(size=60)
    model = LinearRegression().fit(table, target)
    row = int(np.argmax(np.abs(table["s"])))
    found = importance_card(model, table, target, questions=["Q3"], instance=row, **NONE)
    assert found.values.loc["s", "Q3"] == found.values.loc["s_copy", "Q3"] != 0
    assert ", as much as s_copy." in found.licences["Q3"].licensed
    assert found.ranks["Q3"].tolist() == [2, 2, 3]


def test_a_model_that_fits_exactly_has_no_winner_by_rounding():
    """The loss itself is rounding error here; its scale is that of a constant."""
    table, _ = with_a_sum(0)
    target = (table["a"] - table["b"]).to_numpy()
    model = LinearRegression().fit(table, target)
    found = importance_card(model, table, target, questions=["Q2", "Q4"], **QUICK)
    assert (found.values == 0).all(axis=None)
    assert found.licences["Q2"].licensed.startswith("No column")
    assert found.licences["Q4"].licensed.startswith("Whichever one column")
    assert "two columns change places" not in found.to_markdown().replace("no two columns", "")


def test_small_units_do_not_make_all_columns_equal():
    """A target in units of a millionth has losses of 1e-12; the places are those of any unit."""
    large, small = (
        importance_card(line_of(X).fit(X, unit * y), X, unit * y, **QUICK) for unit in (1.0, 1e-6)
    )
    pd.testing.assert_frame_equal(large.ranks, small.ranks)
    assert [pair.lasting for pair in large.disagreements] == [
        pair.lasting for pair in small.disagreements
    ]


# Cross-entropy is cut off where a class has the probability 0


def test_the_cut_off_of_cross_entropy_is_said_with_the_loss():
    X, y = load_iris(return_X_y=True, as_frame=True)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    smooth = LogisticRegression(max_iter=500).fit(X, y)
    for model, cut in ((tree, True), (smooth, False)):
        found = importance_card(model, X, y, questions=["Q1", "Q2", "Q4"], **NONE)
        loss, zero = found.facts["model"]["loss"], model.predict_proba(X) == 0
        assert loss.startswith(
            "mean cross-entropy (nats), cut off at 36 where a row's true class has the "
            "probability 0"
        )
        assert (f"the probability 0 in {zero.any(axis=1).sum()} of the 150 rows" in loss) == cut
        assert ("the row's true class in none" in loss) == cut
        for one in found.licences.values():
            assert ("the loss is cut off at 36; another" in one.licensed) == cut


def test_rows_whose_own_class_has_the_probability_0_are_counted():
    """A tree of the first 120 rows, on the last 30: a plain count."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    order = np.random.default_rng(1).permutation(150)
    X, y = X.iloc[order], y.iloc[order]
    tree = DecisionTreeClassifier(random_state=0).fit(X[:100], y[:100])
    wrong = int((tree.predict_proba(X[100:])[np.arange(50), y[100:]] == 0).sum())
    test = {"X_test": X[100:], "y_test": y[100:]}
    found = importance_card(tree, X[:100], y[:100], **test, questions=["Q1"], **NONE)
    assert wrong > 0 and f"the row's true class in {wrong}" in found.facts["model"]["loss"]


def test_a_loss_without_a_cut_off_has_none_in_words(card):
    assert "cut off" not in card.to_markdown()


# Harm by the second question, and the pairs that last


def test_a_column_that_is_used_the_wrong_way_round_is_not_explained_away_by_the_others():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(100, 3)), columns=list("abc"))
    target = table["a"] + rng.normal(size=100)
    for sign, harms in ((-1, True), (1, False)):
        model = LinearRegression().fit(table, sign * target)
        one = importance_card(model, table, target, questions=["Q2"], **NONE).licences["Q2"]
        assert ("is used does harm" in one.licensed) == harms
        assert ("this model may read the column wrongly" in one.because) == harms
        assert ("this model may not read the column" in one.because) == (not harms)


def test_pairs_of_rankings_that_last_come_first_on_the_page(card):
    """Eight pairs that turn round, the two that last at the end by rank correlation."""
    pairs = [
        Disagreement("Q1", "Q2", -0.5 + k / 10, "a", ("1", "2"), ("a", "b"), 3 if k < 6 else 10, 10)
        for k in range(8)
    ]
    lead, grid, quiet = _comparison(SimpleNamespace(disagreements=pairs, values=[1, 2], halves={}))
    assert [row[-1] for row in grid.rows] == ["10 of 10"] * 2 + ["3 of 10"] * 4
    assert "in 2 of them, which come first below, the two that are turned" in lead.text
    assert "2 more pairs" in quiet.text


THREE = np.where(X["bmi"] > 0.03, "high", np.where(X["bmi"] < -0.03, "low", "middle"))


def loss_of(model, target, table=X, **options) -> str:
    found = importance_card(model, table, target, questions=["Q1"], **NONE, **options)
    return found.facts["model"]["loss"]


def test_a_classifier_without_probabilities_is_compared_with_the_largest_class():
    shares = pd.Series(THREE).value_counts(normalize=True)
    told = loss_of(RidgeClassifier().fit(X, THREE), THREE)
    assert "share of wrong classes" in told
    largest = f"always predicting the largest class ({shares.index[0]}), {1 - shares.iloc[0]:.4g}"
    assert told.endswith(largest)


def test_the_baseline_is_what_the_loss_is_told_of():
    probabilities = LogisticRegression().fit(X, THREE)
    assert "the shares of the classes, 1.0" in loss_of(probabilities, THREE)
    assert "the largest class (" in loss_of(probabilities, THREE, loss=zero_one)
    assert "the mean of y" in loss_of(LINE, y)
    voting = VotingClassifier([("one", LogisticRegression()), ("two", DecisionTreeClassifier())])
    halves = y > y.median()
    share = min(halves.mean(), 1 - halves.mean())
    told = loss_of(voting.fit(X, halves), halves)
    assert told.endswith(
        f"always predicting the largest class ({halves.mean() > 0.5}), {share:.4g}"
    )


class SaysWords:
    """Only predict, and what it predicts is text."""

    def predict(self, X):
        return np.where(X["bmi"] > 0, "yes", "no")


def test_a_model_that_only_predicts_text_is_measured_by_wrong_classes():
    target = np.where(X["bmi"] + 0.3 * X["bp"] > 0, "yes", "no")
    with pytest.raises(TypeError, match="default for a model without classes_.*pass loss=zero_one"):
        importance_card(SaysWords(), X, target, **NONE)
    found = importance_card(SaysWords(), X, target, loss=zero_one, **NONE)
    expected = permutation_importance(
        SaysWords(), X, target, loss=zero_one, n_repeats=2, random_state=0
    )
    assert found.values["Q1"].idxmax() == "bmi" == X.columns[expected.importances_mean.argmax()]
    assert "always predicting the largest class (no)" in found.facts["model"]["loss"]
    refused = found.to_markdown()
    assert "SaysWords predicts classes and gives no probabilities" in refused


def test_one_half_is_spoken_of_as_one():
    found = importance_card(LINE, X, y, questions=["Q1"], n_repeats=2, n_halves=1)
    assert found.facts["model"]["halves"].startswith("1 smaller study of a random half of the rows")


def test_a_model_that_works_in_place_leaves_the_explained_row():
    row = pd.DataFrame({"a": [9.0], "b": [8.0]})
    scaled = make_pipeline(StandardScaler(copy=False), DecisionTreeRegressor(random_state=0))
    fitted = scaled.fit(np.arange(12.0).reshape(6, 2), np.arange(6.0))
    predict = _one_number(fitted, row)
    assert predict(row).tolist() == predict(row).tolist()
    assert row.iloc[0].tolist() == [9.0, 8.0]


def test_the_explained_row_keeps_identifiers_that_a_float_rounds():
    table = pd.DataFrame({"id": 2**60 + np.arange(60), "size": np.arange(60.0) % 7})
    model = make_pipeline(StandardScaler(), LinearRegression()).fit(table, table["size"])
    found = importance_card(model, table, table["size"], questions=["Q3"], n_halves=1)
    assert found.results["Q3"].importances_mean[1] != 0
