"""Selected rows: the line of all rows, and the line of their own."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from course_lib.plots import plot_selection


@pytest.fixture(autouse=True)
def no_figure_left_open():
    yield
    plt.close("all")


def test_a_selection_has_the_least_squares_line_of_all_rows_and_of_its_own():
    table = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "y": [0.0, 1.0, 1.0, 0.0]})
    ax = plot_selection(table, "x", "y", table["y"] == table["x"])
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["all: slope 0.00", "selected: slope 1.00"]


@pytest.mark.parametrize("selected", [[True] * 3, [1, 1, 0, 0], [True, False, False, False]])
def test_a_selection_that_marks_no_line_is_refused(selected):
    table = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "y": 0.0})
    with pytest.raises(ValueError, match="selected must mark at least two rows"):
        plot_selection(table, "x", "y", selected)
