"""Figures for a phone: what is too wide is put below each other, and nothing sticks out."""

import matplotlib.pyplot as plt
import pytest

from course_lib.plots import narrow
from course_lib.plots.narrow import PHONE, POINTS, SMALLEST, is_too_wide, widest
from course_lib.plots.pictures import course_style, picture


@pytest.fixture
def figure():
    """A function that makes a figure with panels, closed after the test."""

    def made(rows=1, columns=1, size=(8.0, 3.0), **options):
        return plt.subplots(rows, columns, figsize=size, squeeze=False, **options)

    with course_style():
        yield made
    plt.close("all")


def narrowed(figure):
    """As for a picture, which is drawn before."""
    figure.draw_without_rendering()
    return narrow.narrowed(figure)


def places(figure) -> list[tuple[int, int]]:
    """Row and column of each panel."""
    specs = [ax.get_subplotspec() for ax in figure.axes]
    return [(spec.rowspan.start, spec.colspan.start) for spec in specs]


def test_a_figure_is_too_wide_if_its_smallest_letters_could_not_be_read_on_a_phone(figure):
    assert not is_too_wide(figure(size=(6.4, 3.4))[0])
    wide, ((ax,),) = figure(size=(6.4, 3.4))
    ax.text(0, 0, "small", fontsize=8)
    assert is_too_wide(wide) and widest(wide) == pytest.approx(8 * PHONE / SMALLEST)


def test_a_hidden_letter_does_not_count(figure):
    wide, ((ax,),) = figure(size=(6.4, 3.4))
    ax.text(0, 0, "small", fontsize=8, visible=False)
    ax.text(0, 0, " ", fontsize=8)
    assert not is_too_wide(wide)


@pytest.mark.parametrize(
    ("columns", "width", "expected"),
    [
        (2, 8.0, [(0, 0), (1, 0)]),
        (4, 8.0, [(0, 0), (0, 1), (1, 0), (1, 1)]),
        (3, 8.0, [(0, 0), (0, 1), (1, 0)]),
    ],
)
def test_panels_beside_each_other_go_below_each_other(figure, columns, width, expected):
    wide, _ = figure(1, columns, size=(width, 3.0))
    made = narrowed(wide)
    assert places(made) == expected
    assert made.get_figwidth() * POINTS <= widest(made) + 1e-6


def test_a_panel_says_what_only_the_first_of_its_row_said(figure):
    wide, axes = figure(1, 2, sharey=True)
    axes[0, 0].set_yticks([0, 1], ["treated", "ticket"])
    axes[0, 0].set_ylabel("column")
    axes[0, 1].label_outer()
    second = narrowed(wide).axes[1]
    assert second.get_ylabel() == "column"
    assert [label.get_text() for label in second.get_yticklabels()] == ["treated", "ticket"]
    assert all(label.get_visible() for label in second.get_yticklabels())


def test_a_title_that_sticks_out_is_broken_into_lines(figure):
    wide, ((ax,),) = figure()
    ax.set_title("a title of many words that is as long as the figure is wide, " * 2)
    made = narrowed(wide)
    made.draw_without_rendering()
    assert "\n" in ax.get_title(loc="left")
    assert ax.get_tightbbox().x1 <= made.bbox.x1


def test_names_that_would_touch_are_turned(figure):
    wide, ((ax,),) = figure()
    ax.set_xticks(range(8), [f"Q{k}\ngood\nunique information" for k in range(8)])
    narrowed(wide)
    labels = ax.get_xticklabels()
    assert labels[0].get_rotation() == 90 and labels[0].get_text() == "Q0\ngood unique information"


def test_a_figure_may_bring_its_own_drawing_for_a_phone(figure):
    wide, own = figure()[0], figure(size=(4.0, 3.0))[0]
    wide.when_narrow = lambda: own
    assert narrowed(wide) is own


def test_only_a_picture_that_is_too_wide_has_two_drawings(figure):
    small = picture(figure(size=(6.0, 3.0))[0], alt="small")
    wide = picture(figure(size=(9.0, 3.0))[0], alt="wide")
    assert small.narrow is None and "course-two" not in small._repr_mimebundle_()["text/html"]
    html = wide._repr_mimebundle_()["text/html"]
    assert html.count("<svg") == 2 and "course-two" in html and "max-width:480px" in html
