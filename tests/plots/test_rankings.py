"""Rankings side by side: places, agreement, the picture."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from course_lib.plots import agreed_pairs, plot_rankings, ranked

RANKS = pd.DataFrame({"Q1": [1, 2, 3], "Q2": [2, 1, 3], "Q3": [1, 3, 2]}, index=["a", "b", "c"])


def test_the_largest_is_first_and_equals_share_a_place():
    values = pd.DataFrame({"Q1": [0.1, -3.0, 0.1 + 1e-12, 2.0]}, index=list("abcd"))
    assert ranked(values)["Q1"].tolist() == [2, 4, 2, 1]
    assert values["Q1"].tolist()[2] == 0.1 + 1e-12


def test_a_ranking_agrees_with_itself_on_all_pairs_and_with_its_reverse_on_none():
    places = np.arange(1, 6)
    same = pd.DataFrame({"Q1": places, "Q2": places})
    reverse = pd.DataFrame({"Q1": places, "Q2": places[::-1]})
    assert (agreed_pairs(same), agreed_pairs(reverse)) == (10, 0)


def test_a_shared_place_is_no_agreement():
    assert agreed_pairs(pd.DataFrame({"Q1": [1, 2], "Q2": [1, 1]})) == 0


def test_agreement_of_two_rankings_is_what_kendalls_tau_counts():
    rng = np.random.default_rng(0)
    places = pd.DataFrame({k: rng.permutation(7) for k in ("Q1", "Q2")})
    tau = places.corr("kendall").loc["Q1", "Q2"]
    assert agreed_pairs(places) == round((tau + 1) / 2 * 21)


def test_the_picture_has_a_line_per_variable_and_its_name_at_the_end():
    ax = plot_rankings(RANKS, highlight=["b"], column="Q2")
    lines = [line.get_ydata().tolist() for line in ax.lines]
    assert all(row in lines for row in RANKS.to_numpy().tolist())
    names = {text.get_text(): text.get_position for text in ax.texts}
    assert set(names) == {"a", "b", "c"}
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first place on top
    assert [text.get_fontweight() for text in ax.texts] == ["normal", "bold", "normal"]
    plt.close(ax.figure)


def test_names_that_share_the_last_place_do_not_overlap():
    ax = plot_rankings(pd.DataFrame({"Q1": [1, 2, 3], "Q2": [1, 2, 2]}, index=["a", "b", "c"]))
    assert len({text.xy[1] for text in ax.texts}) == 3
    plt.close(ax.figure)


def test_it_draws_on_the_axes_it_is_given():
    figure, ax = plt.subplots()
    assert plot_rankings(RANKS, ax=ax) is ax
    plt.close(figure)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ranked([1, 2]), TypeError, "DataFrame"),
        (lambda: agreed_pairs(pd.DataFrame()), TypeError, "DataFrame"),
        (lambda: ranked(pd.DataFrame({"Q1": [1.0, np.nan]})), ValueError, "finite"),
        (lambda: ranked(pd.DataFrame({"Q1": ["x", "y"]})), ValueError, "finite"),
        (lambda: plot_rankings(RANKS, highlight=["z"]), ValueError, "z"),
        (lambda: plot_rankings(RANKS, column="Q9"), ValueError, "Q9"),
    ],
)
def test_bad_input_gets_a_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call()
    plt.close("all")
