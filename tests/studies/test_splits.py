"""A node cut in two: impurities, shares, and the thresholds that cut nothing."""

import numpy as np
import pytest

from course_lib.models import impurity_decrease
from course_lib.models.impurities import KINDS
from course_lib.studies import split_node
from course_lib.studies.splits import THRESHOLDS, decreases_of_twenty, split_of_twenty
from course_lib.worlds import load_node


def test_a_split_is_weighted_by_the_shares_of_its_children():
    X, y = load_node()
    split = split_node(X["x"], y, 7.5, "gini")
    shares = np.array([split.n_left, split.n_right]) / 20
    assert split.decrease == pytest.approx(split.parent - shares @ [split.left, split.right])


@pytest.mark.parametrize("threshold", [0, 20, np.inf])
def test_a_threshold_that_cuts_nothing_is_refused(threshold):
    X, y = load_node()
    with pytest.raises(ValueError, match="threshold"):
        split_node(X["x"], y, threshold)


def test_bad_samples_and_kinds_are_refused():
    with pytest.raises(TypeError, match="threshold must be a number"):
        split_node([1, 2], [0, 1], "1.5")
    with pytest.raises(ValueError, match="kind must be"):
        split_node([1, 2], [0, 1], 1.5, "mse")
    with pytest.raises(ValueError, match="each row needs its target"):
        split_node([1, 2, 3], [0, 1], 1.5)


def test_a_split_says_in_words_what_lies_left_in_the_node_and_right():
    left, node, right = split_node([1.0, 2.0, 3.0], [0, 1, 1], 1.5).texts
    assert left == "left: 1 sample\nentropy 0.000"
    assert node == "node: 3 samples\nentropy 0.918"
    assert right == "right: 2 samples\nentropy 0.000"


@pytest.mark.parametrize("kind", KINDS)
def test_the_decreases_of_twenty_stand_in_the_order_of_the_thresholds(kind):
    X, y = load_node()
    expected = [impurity_decrease(y, X["x"].to_numpy() <= t, kind) for t in THRESHOLDS]
    np.testing.assert_allclose(decreases_of_twenty(kind), expected)
    assert split_of_twenty(5.0, kind).decrease == decreases_of_twenty(kind)[8]
