"""The picture of rankings side by side."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from course_lib.plots import plot_rankings

RANKS = pd.DataFrame({"Q1": [1, 2, 3], "Q2": [2, 1, 3], "Q3": [1, 3, 2]}, index=["a", "b", "c"])


def test_the_picture_has_a_line_per_variable_and_its_name_at_the_end():
    ax = plot_rankings(RANKS, highlight=["b"])
    lines = [line.get_ydata().tolist() for line in ax.lines]
    assert all(row in lines for row in RANKS.to_numpy().tolist())
    names = {text.get_text(): text.get_position for text in ax.texts}
    assert set(names) == {"a", "b", "c"}
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first place on top
    assert [text.get_fontweight() for text in ax.texts] == ["normal", "bold", "normal"]
    plt.close(ax.figure)


def test_names_that_share_the_last_place_do_not_overlap():
    ax = plot_rankings(pd.DataFrame({"Q1": [1, 2, 3], "Q2": [1, 3, 3]}, index=["a", "b", "c"]))
    leaders = [leader.tolist() for leader in ax.collections[-1].get_segments()]
    assert leaders == [[[1, 2.5], [1.2, 2]], [[1, 2.5], [1.2, 3]]]  # from the middle to the names
    assert len({text.xy[1] for text in ax.texts}) == 3
    plt.close(ax.figure)


def test_what_shares_places_is_drawn_in_their_middle_beside_a_bar_over_them():
    ranks = pd.DataFrame({"Q1": [1, 2, 3, 4], "Q5": [1, 4, 4, 4]}, index=list("abcd"))
    ax = plot_rankings(ranks)
    assert [line.get_ydata().tolist() for line in ax.lines] == [[1, 1], [2, 3], [3, 3], [4, 3]]
    bars = ax.collections[0].get_segments()
    assert [bar.ravel().tolist() for bar in bars] == [[1, 1.7, 1, 4.3]]
    plt.close(ax.figure)


def test_it_draws_on_the_axes_it_is_given():
    figure, ax = plt.subplots()
    assert plot_rankings(RANKS, ax=ax) is ax
    plt.close(figure)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: plot_rankings([1, 2]), TypeError, "DataFrame"),
        (lambda: plot_rankings(RANKS, highlight=["z"]), ValueError, "z"),
    ],
)
def test_bad_input_gets_a_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call()
    plt.close("all")
