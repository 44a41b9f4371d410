"""Impurities against closed forms, and the decrease against mutual information and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from course_lib.models import impurity, impurity_decrease
from course_lib.models.impurities import KINDS
from course_lib.worlds import load_node

labels = st.lists(st.integers(0, 3), min_size=2, max_size=30)


def test_the_node_of_twenty_samples_has_the_entropies_of_the_text():
    X, y = load_node()
    left = X["x"] <= 12.5
    assert round(impurity(y), 3) == 0.971
    assert round(impurity(y[left]), 3) == 0.650
    assert round(impurity(y[~left]), 3) == 0.811
    assert round(impurity_decrease(y, left), 4) == 0.2564


@pytest.mark.parametrize("n_classes", [1, 2, 5, 8])
def test_equal_classes_have_the_largest_impurity(n_classes):
    y = np.arange(n_classes)
    assert impurity(y) == pytest.approx(np.log2(n_classes))
    assert impurity(y, "gini") == pytest.approx(1 - 1 / n_classes)
    assert impurity(y, "variance") == pytest.approx((n_classes**2 - 1) / 12)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 1), min_size=1, max_size=30))
def test_gini_is_twice_the_variance_for_two_classes(y):
    assert impurity(y, "gini") == pytest.approx(2 * impurity(y, "variance"), abs=1e-12)


@settings(deadline=None, max_examples=50)
@given(labels, st.data())
def test_the_decrease_is_never_negative(y, data):
    left = np.array(data.draw(st.lists(st.booleans(), min_size=len(y), max_size=len(y))))
    assert all(impurity_decrease(y, left, kind) >= -1e-12 for kind in KINDS)


@settings(deadline=None, max_examples=50)
@given(labels, st.data())
def test_the_decrease_of_entropy_is_mutual_information(y, data):
    left = np.array(data.draw(st.lists(st.booleans(), min_size=len(y), max_size=len(y))))
    nats = mutual_info_score(left, y)
    assert impurity_decrease(y, left) == pytest.approx(nats / np.log(2), abs=1e-10)


@pytest.mark.parametrize(
    ("kind", "tree"),
    [
        ("entropy", DecisionTreeClassifier(criterion="entropy", max_depth=1)),
        ("gini", DecisionTreeClassifier(criterion="gini", max_depth=1)),
        ("variance", DecisionTreeRegressor(max_depth=1)),
    ],
)
def test_the_decrease_is_that_of_a_stump_of_scikit_learn(kind, tree):
    X, y = load_node()
    nodes = tree.fit(X, y).tree_
    share = nodes.n_node_samples[1:] / 20
    expected = nodes.impurity[0] - share @ nodes.impurity[1:]
    assert impurity_decrease(y, X["x"] <= nodes.threshold[0], kind) == pytest.approx(expected)


def test_an_empty_side_decreases_nothing():
    assert impurity_decrease([0, 1], np.array([True, True])) == 0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: impurity([]), ValueError, "at least one target"),
        (lambda: impurity([0, 1], "misclassification"), ValueError, "'entropy' or 'gini'"),
        (lambda: impurity(["a", "b"], "variance"), TypeError, "must hold numbers"),
        (lambda: impurity([0.0, np.nan]), ValueError, "finite"),
        (lambda: impurity(None), TypeError, "one target per row"),
        (lambda: impurity([[0, 1], [1, 0]]), ValueError, "one dimension"),
        (lambda: impurity_decrease([0, 1], [0.5, 2]), TypeError, "True or False"),
        (lambda: impurity_decrease([0, 1], [True]), ValueError, "each row needs its target"),
    ],
)
def test_bad_input_gets_a_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call()
