"""The seven-segment display: the right number on the right segment, bright where it is large."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb, to_rgba

from course_lib.measures import asymptotic_mdi
from course_lib.plots import picture, plot_display, plot_displays, plot_segments
from course_lib.plots.display import GLOW, LIT_EDGE
from course_lib.plots.style import readable_on
from course_lib.studies import explained_display
from course_lib.worlds import Categorical, make_led

VALUES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def segments(ax):
    """The seven patches, without the panel behind them."""
    return ax.patches[1:]


def texts(ax):
    return [text.get_text() for text in ax.texts]


def luminance(color):
    c = np.array(to_rgb(color))
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def test_every_segment_carries_its_number_at_its_place():
    """X1 top, X2 upper left, X3 upper right, X4 middle, X5 and X6 lower, X7 bottom."""
    ax = plot_display(VALUES)
    assert texts(ax) == ["0.10", "0.20", "0.30", "0.40", "0.50", "0.60", "0.70"]
    x, y = np.transpose([text.get_position() for text in ax.texts])
    assert list(np.argsort(-y, kind="stable")) == [0, 1, 2, 3, 4, 5, 6]
    assert x[1] == x[4] < x[0] == x[3] == x[6] < x[2] == x[5]
    for patch, text in zip(segments(ax), ax.texts, strict=True):
        assert patch.get_path().contains_point(text.get_position())


def test_a_larger_value_is_brighter_on_either_side_of_zero():
    for sign in (1, -1):
        ax = plot_display(sign * np.array(VALUES))
        assert (np.diff([luminance(patch.get_facecolor()) for patch in segments(ax)]) > 0).all()


def test_numbers_keep_the_contrast_of_text_on_every_colour():
    for colour in GLOW(np.linspace(0, 1, 101)):
        low, high = sorted((luminance(colour), luminance(readable_on(colour))))
        assert (high + 0.05) / (low + 0.05) >= 4.5


def test_one_limit_makes_displays_comparable():
    same = [segments(plot_display(v, limit=2))[0].get_facecolor() for v in ([1] * 7, [1, *[2] * 6])]
    assert same[0] == same[1]
    assert segments(plot_display([1] * 7))[0].get_facecolor() != same[0]


def test_lit_segments_have_an_outline():
    X, _ = make_led()
    for digit in range(10):
        ax = plot_display([0] * 7, lit=X.iloc[digit])
        outlined = [patch.get_linewidth() > 0 for patch in segments(ax)]
        assert outlined == [bool(on) for on in X.iloc[digit]]
        assert all(to_rgb(patch.get_edgecolor()) == to_rgb(LIT_EDGE) for patch in segments(ax))


def test_a_result_and_its_numbers_give_the_same_display():
    result = asymptotic_mdi(Categorical(*make_led()))
    assert texts(plot_display(result)) == texts(plot_display(result.importances_mean))


def test_negative_numbers_and_labels_are_written_in_four_letters():
    assert texts(plot_display([-0.5, -0.001, 0, 1.5, 0.254, -0.996, -1.5]))[:6] == [
        *("−.50", "0.00", "0.00", "1.50", "0.25", "−1.00")
    ]
    assert texts(plot_display([0] * 7, labels=list("abcdefg"))) == list("abcdefg")


def test_the_numbers_fit_into_their_segments():
    figure, axes = plt.subplots(2, 5, figsize=(7.6, 5), layout="constrained")
    for ax in [*axes.flat, plot_display(VALUES)]:
        plot_display([-0.55, 0.88, -0.88, 0.88, 1.88, 0.88, -0.88], ax=ax)
        ax.figure.canvas.draw()
        renderer = ax.figure.canvas.get_renderer()
        for patch, text in zip(segments(ax)[-7:], ax.texts[-7:], strict=True):
            inside, around = text.get_window_extent(renderer), patch.get_window_extent(renderer)
            assert inside.width < around.width and inside.height < around.height


# Side by side


def test_all_displays_share_one_scale_and_carry_their_numbers():
    figure = plot_displays([[0.5] * 7, [1.0] * 7], ["half", "whole"])
    half, whole = figure.axes
    assert [text.get_text() for text in half.texts] == ["0.50"] * 7
    faces = [{to_rgba(patch.get_facecolor()) for patch in ax.patches[-7:]} for ax in (half, whole)]
    assert to_rgba(GLOW(1.0)) in faces[1] and to_rgba(GLOW(1.0)) not in faces[0]


def test_more_than_five_displays_begin_a_new_row_without_empty_axes():
    figure = plot_displays(np.ones((7, 7)), [str(k) for k in range(7)], lit=np.eye(7))
    assert len(figure.axes) == 7
    assert len({round(ax.get_position().y0, 3) for ax in figure.axes}) == 2


def test_displays_without_any_importance_can_be_drawn():
    assert picture(plot_displays(np.zeros((1, 7)), ["nothing"]), alt="All zero.").svg


def test_a_display_without_a_title_is_refused():
    with pytest.raises(ValueError, match="2 displays need 2 titles, got 1"):
        plot_displays(np.ones((2, 7)), ["one"])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"values": [1, 2, 3]}, "values must be 7 finite numbers"),
        ({"values": [np.nan] * 7}, "values must be 7 finite numbers"),
        ({"values": "X1"}, "values must be 7 finite numbers"),
        ({"values": VALUES, "lit": [1, 0]}, "lit must be 7 finite numbers"),
        ({"values": VALUES, "labels": "abcdefg"}, "labels must be 7 texts"),
        ({"values": VALUES, "labels": ["a"]}, "labels must be 7 texts"),
        ({"values": VALUES, "limit": 0}, "limit must be above 0"),
        ({"values": VALUES, "limit": "high"}, "limit must be a number"),
    ],
)
def test_bad_arguments_are_refused_with_a_sentence(options, sentence):
    values = options.pop("values")
    with pytest.raises((ValueError, TypeError), match=sentence):
        plot_display(values, **options)


def test_three_measures_of_a_digit_stand_in_rows_by_forest_each_on_its_own_scale():
    explained = {f"K = {K}": explained_display(K, digit=2, n_trees=20) for K in (1, 7)}
    figure = plot_segments(explained, lit=make_led()[0].loc[2])
    assert [ax.get_title() for ax in figure.axes] == [
        f"{measure}, {label}"
        for label in explained
        for measure in ("local MDI", "Saabas", "tree SHAP")
    ]
    shown = [[text.get_text() for text in ax.texts] for ax in figure.axes]
    for numbers, values in zip(shown[:3], explained["K = 1"].values.values(), strict=True):
        assert [float(n.replace("−", "-")) for n in numbers] == pytest.approx(
            values[0].round(2).tolist(), abs=0.011
        )
