"""The seven-segment display: the right number on the right segment, bright where it is large."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from course_lib.measures import asymptotic_mdi, mdi_by_degree
from course_lib.plots import plot_branches, plot_degrees, plot_display, plot_panels
from course_lib.plots.display import GLOW, LIT_EDGE, _readable_on
from course_lib.worlds import Categorical, make_gate, make_led

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
        low, high = sorted((luminance(colour), luminance(_readable_on(colour))))
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


# Bars by degree


def test_the_parts_of_a_bar_stand_end_to_end_and_add_up_to_its_number():
    parts = mdi_by_degree(Categorical(*make_led()), K=3)
    ax = plot_degrees(parts, [f"X{m}" for m in range(1, 8)])
    for row, bar in zip(parts, ax.containers, strict=True):
        edges = [patch.get_x() for patch in bar]
        np.testing.assert_allclose(edges, np.cumsum(row) - row, atol=1e-12)
        np.testing.assert_allclose([patch.get_width() for patch in bar], row, atol=1e-12)
        assert f"{row.sum():.3f}" in texts(ax)
    assert ax.get_xlim()[1] > parts.sum(axis=1).max()


def test_the_first_feature_stands_on_top():
    ax = plot_degrees([[1.0], [2.0]], ["first", "second"])
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["first", "second"]


def test_parts_without_room_have_no_number():
    ax = plot_degrees([[1.0, 0.001]], ["x"])
    assert [text.get_text() for text in ax.texts if text.get_visible()] == ["0", "1.001"]


def test_parts_that_do_not_match_the_names_are_refused():
    with pytest.raises(ValueError, match="one row for each of the 2 names"):
        plot_degrees([[1.0]], ["a", "b"])
    with pytest.raises(ValueError, match="no negative entry"):
        plot_degrees([[-1.0]], ["a"])


# Branches


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


# Panels


def test_panels_share_their_axes_and_pass_options_on():
    figure = plot_panels(plot_display, {"a": VALUES, "b": VALUES[::-1]}, limit=2)
    first, second = figure.axes
    assert first.get_shared_x_axes().joined(first, second)
    assert texts(first) == texts(second)[::-1]
    np.testing.assert_array_equal(
        segments(first)[0].get_facecolor(), segments(second)[6].get_facecolor()
    )


def test_panels_need_titles():
    with pytest.raises(TypeError, match="must map titles"):
        plot_panels(plot_display, [VALUES])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"values": [1, 2, 3]}, "values must be 7 finite numbers"),
        ({"values": [np.nan] * 7}, "values must be 7 finite numbers"),
        ({"values": "X1"}, "values must be 7 numbers"),
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
