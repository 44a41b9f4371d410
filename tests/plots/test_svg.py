"""Drawings as SVG: colours that follow the theme, short numbers, names of marks."""

import re
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest

from course_lib.plots.pictures import course_style, picture
from course_lib.plots.style import BLACK, BLUE, WHITE
from course_lib.plots.svg import NAMES, drawn, mark, size_of, theme


@pytest.fixture
def axes():
    with course_style():
        figure, ax = plt.subplots(figsize=(4, 2))
        yield ax
        plt.close(figure)


def svg_of(artist, ax) -> str:
    """One artist, drawn alone."""
    with course_style():
        ax.figure.canvas.draw()
        return drawn(artist, size_of(ax.figure))


def parsed(inside: str) -> ElementTree.Element:
    return ElementTree.fromstring(f'<svg xmlns:xlink="http://www.w3.org/1999/xlink">{inside}</svg>')


def variables(css: str) -> dict[str, str]:
    return dict(re.findall(r"--course-(\w+): (#\w{6})", css))


def luminance(colour: str) -> float:
    rgb = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return float(
        np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        @ [0.2126, 0.7152, 0.0722]
    )


def contrast(one: str, other: str) -> float:
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


# Themes


def test_light_and_dark_have_the_same_variables_and_are_readable():
    light, dark, asked = map(variables, re.findall(r"\{[^{}]*\}", theme()))
    assert set(light) == set(dark) and dark == asked
    for colours in (light, dark):
        for name in set(colours) - {"paper", "raised", "line"}:
            for ground in ("paper", "raised"):
                least = 3 if name == "pale" else 4.4  # pale is for lines only
                assert contrast(colours[name], colours[ground]) >= least, (name, ground)


def test_a_colour_of_the_style_becomes_a_variable_and_any_other_stays(axes):
    (themed,) = axes.plot([0, 1], color=BLUE)
    (own,) = axes.plot([0, 1], color="#123456")
    assert f"var(--course-blue,{BLUE.lower()})" in svg_of(themed, axes)
    assert "#123456" in svg_of(own, axes) and "var(" not in svg_of(own, axes)


def test_what_must_stay_in_a_dark_theme_has_colours_of_its_own(axes):
    for colour in (WHITE, BLACK):
        assert colour not in NAMES
        assert "var(" not in svg_of(axes.plot([0, 1], color=colour)[0], axes)


def test_the_paper_of_a_picture_follows_the_theme(axes):
    html = picture(axes, alt="paper")._repr_mimebundle_()["text/html"]
    assert "var(--course-paper,#ffffff)" in html
    assert 'body[data-jp-theme-light="false"] .course-figure' in html


def test_numbers_in_words_and_text_are_not_shortened(axes):
    inside = svg_of(axes.text(0, 0, "0.123456 bits"), axes)
    assert "0.123456 bits" in inside
    outside = re.sub(r">[^<]*<", "><", inside)
    assert not re.search(r"\.\d{3}", outside)


# Marks


def test_a_mark_carries_its_name_and_its_series_whatever_letters_they_have(axes):
    (line,) = axes.plot([0, 1])
    mark(line, tip='"a" < 0.123456 & b', series="A & B")
    (named,) = parsed(svg_of(line, axes)).iterfind(".//*[@data-tip]")
    assert named.attrib == {"data-tip": '"a" < 0.123456 & b', "data-series": "A & B"}
    assert named.findall(".//path")


def test_each_marker_of_a_line_may_have_a_name(axes):
    (line,) = axes.plot([0, 1, 2], "o")
    mark(line, tip=["one", "two", "three"])
    found = parsed(svg_of(line, axes)).findall(".//use")
    assert [use.get("data-tip") for use in found] == ["one", "two", "three"]


def test_marks_inside_a_whole_figure_are_named_too(axes):
    for k, line in enumerate(axes.plot([[0, 1], [1, 0]])):
        mark(line, tip=f"line {k}")
    html = picture(axes, alt="two lines").svg
    assert re.findall('data-tip="([^"]*)"', html) == ["line 0", "line 1"]
    assert "course:" not in html


# Names of definitions


def drawn_with(nudge: float) -> str:
    """A figure with clipped lines and markers, a hatched bar and an image, a little moved."""
    with course_style():
        figure, ax = plt.subplots(figsize=(4, 2))
        ax.set_position([0.1 + nudge, 0.1, 0.8, 0.8])
        ax.plot([0, 1 + nudge, 2], [0, 1, 4], "o-")
        ax.scatter([0, 1], [1 + nudge, 2])
        ax.bar([1], [2 + nudge], hatch="//")
        ax.imshow([[0, 1 + nudge]], extent=(0, 1, 0, 1))
        return picture(figure, alt="a parabola, a bar and an image").svg


@pytest.mark.parametrize("nudge", [1e-16, 1e-12, -1e-12])
def test_digits_that_are_not_written_change_nothing(nudge):
    """Another processor adds up numbers in another order, and the last digits differ."""
    assert drawn_with(nudge) == drawn_with(0)


def test_what_is_drawn_otherwise_has_another_name():
    names = [set(re.findall(r"url\(#(\w+)\)", drawn_with(nudge))) for nudge in (0, 0.05)]
    assert len(names[0]) == len(names[1]) == 2 and len(names[0] & names[1]) == 1  # clip and hatch


def test_every_name_that_is_used_is_defined_once_and_no_other_is_given():
    svg = drawn_with(0)
    used = re.findall(r"(?:url\(#|href=\"#)(\w+)", svg)
    assert sorted(set(used)) == sorted(re.findall(r' id="([^"]*)"', svg))
    assert {name[0] for name in used} == set("hmp")  # hatch, marker, clip
