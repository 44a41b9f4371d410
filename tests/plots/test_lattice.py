"""The lattice of a game: worths, contributions and shares."""

import numpy as np
import pytest

from course_lib.models import shapley_values
from course_lib.plots import picture, plot_games, plot_lattice

NAMES = ("Ann", "Ben", "Cem")
GLOVES = [0, 0, 0, 6, 0, 6, 0, 6]


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_the_lattice_shows_worths_contributions_and_means():
    ax = plot_lattice(GLOVES, NAMES)
    shown = texts(ax)
    assert shown.count("6") == 3 and shown.count("+6") == 5  # three pairs; Ann 3, Ben 1, Cem 1
    assert "all three" in shown and "∅" in shown
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["Ann joins, mean +4", "Ben joins, mean +1", "Cem joins, mean +1"]
    picture(ax, alt="The gloves.")


def test_a_lattice_of_four_is_refused():
    with pytest.raises(ValueError, match="drawn for two or three players, got 4"):
        plot_lattice(np.zeros(16), "ABCD")


def test_several_games_show_their_own_shares():
    table = np.array([0.3, 0.6, 0.5, 1.0])
    figure = plot_games({"path": table, "AND": [0, 0, 0, 1]}, ("x1", "x2"))
    first, second = (texts(ax) for ax in figure.axes)
    assert {"x1\n+0.4", "x2\n+0.3"} <= set(first) and {"x1\n+0.5", "x2\n+0.5"} <= set(second)
    assert [ax.get_title() for ax in figure.axes] == ["path", "AND"]
    np.testing.assert_allclose(shapley_values(table, 2), [0.4, 0.3])
    picture(figure, alt="Two games.")
