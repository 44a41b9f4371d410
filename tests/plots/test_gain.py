"""The picture of a learner's gain: what is drawn is what is in the table."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from course_lib.plots import plot_gain

GAIN = pd.DataFrame(
    {
        "before": [0, 1, np.nan],
        "after": [1, 1, 0],
        "confidence_before": [95, 50, np.nan],
        "confidence_after": [75, 95, 50],
    },
    index=["M1", "M2", "M3"],
)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_wrong_answers_lie_left_and_right_ones_right_as_far_as_the_confidence():
    _, before, after = plot_gain(GAIN).lines
    np.testing.assert_array_equal(before.get_xdata(), [-95, 50, np.nan])
    np.testing.assert_array_equal(after.get_xdata(), [75, 95, -50])
    assert before.get_marker() != after.get_marker()


def test_the_legend_counts_and_says_whose_answers_these_are():
    legend = plot_gain(GAIN, who="a made-up learner").get_legend()
    assert legend.get_title().get_text() == "a made-up learner"
    assert [text.get_text() for text in legend.get_texts()] == [
        "before: 1 of 2 right, 72 % sure on average",
        "after: 2 of 3 right, 73 % sure on average",
    ]


def test_arrows_join_answers_that_were_given_twice_and_moved():
    arrows = [text for text in plot_gain(GAIN).texts if text.arrow_patch is not None]
    assert [(arrow.xyann[0], arrow.xy[0]) for arrow in arrows] == [(-95, 75), (50, 95)]


def test_an_unanswered_test_is_drawn_as_nothing_and_said_so():
    empty = GAIN * np.nan
    labels = [text.get_text() for text in plot_gain(empty).get_legend().get_texts()]
    assert labels == ["before: not answered yet", "after: not answered yet"]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: plot_gain(GAIN.drop(columns="after")), TypeError, "gain must be a table"),
        (lambda: plot_gain(None), TypeError, "gain must be a table"),
        (lambda: plot_gain(GAIN.replace(1, 2)), ValueError, "1 \\(right\\)"),
    ],
)
def test_bad_tables_get_a_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call()
