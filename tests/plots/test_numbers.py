"""Numbers side by side: what is drawn is what was given."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from course_lib.plots import plot_numbers


@pytest.fixture(autouse=True)
def no_figure_left_open():
    yield
    plt.close("all")


@pytest.fixture
def numbers():
    return {name: pd.DataFrame([[0.0, 2.0], [5.0, 5.0]], index=["a", "b"]) for name in ("u", "v")}


def test_each_number_has_a_panel_and_each_label_a_row_with_its_mean_and_its_truth(numbers):
    truth = {"u": pd.Series({"a": 1.5, "b": 5.0}), "v": pd.Series({"a": 0.5, "b": 4.0})}
    figure = plot_numbers(numbers, truth)
    first, second = figure.axes
    assert [label.get_text() for label in first.get_yticklabels()] == ["v", "u"]
    drawn = [line.get_xydata().tolist() for line in first.lines[1:]]
    for row, name in enumerate(["v", "u"]):
        assert [[0, row], [2, row]] in drawn and [[1, row]] in drawn
        assert [[truth[name]["a"], row]] in drawn
    assert first.get_xlim() == second.get_xlim()


def test_numbers_may_stand_without_their_truth(numbers):
    assert len(plot_numbers(numbers).axes) == 2
    with pytest.raises(TypeError, match="estimates must map labels"):
        plot_numbers([])
