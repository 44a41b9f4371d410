"""The tree of questions asked in one order: who is left, and how many bits."""

import matplotlib.pyplot as plt
import pytest

from course_lib.plots import plot_branches
from course_lib.worlds import make_gate, make_led


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_branches_say_who_is_left_and_how_many_bits():
    ax = plot_branches(*make_led(), order=["X2", "X5", "X3"])
    shown = texts(ax)
    for node in ("0 1 2 3 4 5 6 7 8 9", "1 2 3 7", "0 4 5 6 8 9", "4 5 9", "5", "0 8"):
        assert node in shown
    assert [text for text in shown if "left" in text] == [
        *("3.32 bits left", "2.35 bits left", "1.43 bits left", "0.88 bits left")
    ]
    assert [text for text in shown if text.startswith("ask")] == ["ask X2", "ask X5", "ask X3"]


def test_branches_of_arrays_and_of_words():
    X, y = make_gate("xor")
    ax = plot_branches(X.to_numpy(), y.map({0: "off", 1: "on"}), order=[1, 0])
    assert {"ask x1", "ask x0", "−0.00", "−1.00"} <= set(texts(ax))


def test_branches_of_an_unknown_segment_are_refused():
    with pytest.raises(ValueError, match="X9"):
        plot_branches(*make_led(), order=["X9"])
