"""What shuffling costs: by hand on a model that reads two of four columns."""

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import permutation_importance as sklearn_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from course_lib.studies import column_groups, loss_ratios, one_and_all, together_and_apart
from course_lib.studies.shuffling import SCORERS


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 4)), columns=list("abcd"))
    X["d"] = -X["a"] + 0.1 * rng.normal(size=120)
    y = (X["a"] + X["b"] + rng.normal(size=120) > 0).astype(int)
    model = LogisticRegression().fit(X, y)
    model.coef_ = np.array([[2.0, 1.0, 0.0, 0.0]])
    found = sklearn_importance(model, X, y, scoring=list(SCORERS.values()), random_state=0)
    return model, X, y, found


def test_one_line_has_the_columns_and_the_other_whole_rows(fitted):
    model, X, y, _ = fitted
    result = one_and_all(model, X, y)
    assert result.feature_names == ("one column at a time", "all 4 at once")
    one, rows = result.importances
    assert one[2] == one[3] == 0 < min(one[:2])
    expected = model.score(X, y) - (y.mean() ** 2 + (1 - y.mean()) ** 2)
    assert rows.mean() == pytest.approx(expected, abs=0.12)  # balanced guesses, four shuffles
    assert min(rows) > max(one)


def test_a_ratio_is_one_for_what_the_model_does_not_read_and_the_loss_after_over_before(fitted):
    model, X, y, found = fitted
    ratios = loss_ratios(found, model, X, y, n_columns=3)
    assert list(ratios) == list(SCORERS)
    for result in ratios.values():
        assert result.feature_names[0] == "a" and result.reference == 1
        assert (result.importances[2] == 1).all()
    before = log_loss(y, model.predict_proba(X))
    increase = found["neg_log_loss"].importances[0]
    np.testing.assert_allclose(ratios["cross-entropy"].importances[0], (before + increase) / before)
    wrong = 1 - model.score(X, y)
    increase = found["accuracy"].importances[0]
    np.testing.assert_allclose(ratios["wrong answers"].importances[0], (wrong + increase) / wrong)


def test_columns_join_by_the_size_of_their_rank_correlation(fitted):
    _, X, _, _ = fitted
    groups = column_groups(X, 3)
    assert sorted(map(sorted, groups)) == [["a", "d"], ["b"], ["c"]]
    assert column_groups(np.exp(3 * X), 3) == groups  # ranks only
    assert column_groups(X, 1) == [list("abcd")]


@pytest.mark.parametrize("n_groups", [0, 5])
def test_a_number_of_groups_that_cannot_be_is_refused(fitted, n_groups):
    with pytest.raises(ValueError, match="n_groups"):
        column_groups(fitted[1], n_groups)


def test_groups_are_shuffled_by_the_function_given_and_single_columns_added_up(fitted):
    _, X, _, found = fitted
    calls = []

    def lost(group, scorer, rng):
        calls.append(group)
        return rng.random() + len(group)

    groups = {"a pair": ["d", "a"], "b": ["b"]}
    series = together_and_apart(lost, groups, found, X.columns, n_repeats=3)
    assert list(series) == [
        f"{loss}: {how}"
        for loss in ("wrong answers", "Brier score")
        for how in ("together", "one by one, added up")
    ]
    assert calls == 2 * (3 * [["d", "a"]] + 3 * [["b"]])
    assert series["Brier score: together"].feature_names == ("a pair", "b")
    single = found["neg_brier_score"].importances
    added = series["Brier score: one by one, added up"].importances
    np.testing.assert_allclose(added, [single[0] + single[3], single[1]])
