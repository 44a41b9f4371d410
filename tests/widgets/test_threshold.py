"""The threshold explorer of lesson 01: the split of the paper, and its goal."""

import numpy as np
import pytest

from course_lib.models import impurity_decrease
from course_lib.models.impurities import KINDS
from course_lib.studies.splits import THRESHOLDS, split_of_twenty
from course_lib.widgets import threshold_explorer
from course_lib.worlds import load_node


def test_the_split_by_hand_has_the_impurities_of_the_paper():
    explorer = threshold_explorer()
    explorer.controls["threshold"].value = 12.5
    for number in ("0.971", "0.650", "0.811", "0.2564", "12/20", "8/20"):
        assert number in explorer.readout_text


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_thresholds_of_the_best_split_reach_the_goal(kind):
    X, y = load_node()
    decreases = [impurity_decrease(y, X["x"].to_numpy() <= t, kind) for t in THRESHOLDS]
    best = set(THRESHOLDS[np.isclose(decreases, max(decreases))])
    attains = threshold_explorer().attains
    assert {t for t in THRESHOLDS if attains(threshold=t, kind=kind)} == best


@pytest.mark.parametrize("kind", KINDS)
def test_the_marks_say_the_samples_and_the_decrease(tips_of, kind):
    tips = tips_of(threshold_explorer(), threshold=8.5, kind=kind)
    X, y = load_node()
    assert {f"sample at x = {x:g}: class {c}" for x, c in zip(X["x"], y, strict=True)} <= set(tips)
    assert f"threshold 8.5: decrease of {kind} {split_of_twenty(8.5, kind).decrease:.4f}" in tips
