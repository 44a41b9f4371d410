"""Pictures of places, and of a learner's gain: what is drawn is what is in the table."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from course_lib.standings import plot_gain, plot_rankings

RANKS = pd.DataFrame({"Q1": [1, 2, 3], "Q2": [3, 1, 2]}, index=["age", "sex", "bmi"])
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


def test_each_feature_has_a_line_through_its_places_and_first_is_on_top():
    ax = plot_rankings(RANKS)
    assert [line.get_ydata().tolist() for line in ax.lines] == RANKS.to_numpy().tolist()
    bottom, top = ax.get_ylim()
    assert top < 1 < 3 < bottom
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["Q1", "Q2"]


def test_names_stand_at_both_ends_at_the_height_of_their_places():
    texts = [(text.get_text(), text.get_position()[1]) for text in plot_rankings(RANKS).texts]
    assert texts == [("age", 1), ("age", 3), ("sex", 2), ("sex", 1), ("bmi", 3), ("bmi", 2)]


def test_highlighted_lines_differ_in_colour_width_and_marker():
    pale, strong, other = plot_rankings(RANKS, highlight=["sex", "bmi"]).lines
    assert strong.get_linewidth() > pale.get_linewidth()
    assert len({line.get_color() for line in (pale, strong, other)}) == 3
    assert strong.get_marker() != other.get_marker()


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
        (lambda: plot_rankings([[1, 2]]), TypeError, "ranks must be a table"),
        (lambda: plot_rankings(RANKS.iloc[:0]), TypeError, "ranks must be a table"),
        (lambda: plot_rankings(RANKS.replace(3, 2)), ValueError, "each once"),
        (lambda: plot_rankings(RANKS, highlight=["hue"]), ValueError, "highlight must name"),
        (lambda: plot_gain(GAIN.drop(columns="after")), TypeError, "gain must be a table"),
        (lambda: plot_gain(None), TypeError, "gain must be a table"),
        (lambda: plot_gain(GAIN.replace(1, 2)), ValueError, "1 \\(right\\)"),
    ],
)
def test_bad_tables_get_a_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call()
