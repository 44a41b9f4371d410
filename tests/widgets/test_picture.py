"""Touching the picture, in a browser without a kernel: pointing, highlighting, dragging."""

from functools import cache
from io import BytesIO
from pathlib import Path

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
import pytest

from course_lib.plots.svg import mark
from course_lib.studies.display import led_degrees
from course_lib.tools.browser import browser_page
from course_lib.widgets import Explorer, Scene, display_explorer, surface, threshold_explorer

pytestmark = pytest.mark.browser

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>explorers</title>
<style>{style}</style><body data-theme="light">{body}<script>{script}</script></body></html>"""
MIDDLE = """(svg, start) => {
    const marks = [...svg.querySelectorAll("[data-tip]")];
    const mark = marks.find((each) => each.dataset.tip.startsWith(start));
    const box = mark.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
}"""


def page_html(explorer) -> str:
    body = explorer._repr_mimebundle_()["text/html"]
    return PAGE.format(style=surface.style(), body=body, script=surface.script("page"))


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with browser_page(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A function that writes the page of an explorer, drawn now, once for all tests."""

    @cache
    def write(make) -> Path:
        path = tmp_path_factory.mktemp("page") / "page.html"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("course_lib.widgets.explorer.stored_states", lambda name: None)
            patch.setenv("COURSE_BUILD", "1")
            path.write_text(page_html(make()), encoding="utf-8")
        return path

    return write


@pytest.fixture
def opened(page, written):
    """A function that opens an explorer in a page and returns the page and its picture."""

    def open_page(make):
        page.goto(written(make).as_uri())
        page.wait_for_selector(".course-picture svg")
        return page, page.query_selector(".course-picture svg")

    return open_page


def test_a_mark_says_its_value_even_below_its_number_and_a_click_highlights_it(opened):
    page, svg = opened(display_explorer)
    value = led_degrees(1).sum(axis=1)[2]
    x, y = svg.evaluate(MIDDLE, "upper right (X3): ")
    page.mouse.move(x, y)
    tip = page.query_selector(".course-tip")
    assert tip.is_visible() and tip.text_content() == f"upper right (X3): {value:.3f} bits"
    page.mouse.click(x, y)
    chosen = svg.evaluate(
        "e => [...e.querySelectorAll('.course-strong')].map(m => m.dataset.series)"
    )
    assert set(chosen) == {"upper right (X3)"}
    dimmed = svg.evaluate("e => [...e.querySelectorAll('.course-dim')].map(m => m.dataset.series)")
    assert len(set(dimmed)) == 6


def test_the_keys_walk_from_mark_to_mark(opened):
    page, svg = opened(display_explorer)
    svg.focus()
    seen = []
    for _ in range(2):
        page.keyboard.press("ArrowRight")
        seen.append(page.query_selector(".course-tip").text_content())
    assert seen[0] != seen[1] and all(tip.endswith("bits") for tip in seen)


def test_dragging_the_threshold_moves_the_slider(opened):
    page, svg = opened(threshold_explorer)
    x, y = svg.evaluate(MIDDLE, "threshold 5: ")
    step = (
        svg.evaluate(MIDDLE, "sample at x = 2: ")[0] - svg.evaluate(MIDDLE, "sample at x = 1: ")[0]
    )
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 7 * step, y, steps=4)
    page.mouse.up()
    assert page.query_selector("output").text_content() == "12.0"
    assert "Reached" in page.query_selector(".course-goal").text_content()


# ---- many equal marks --------------------------------------------------------------------

COUNT = """(svg) => ({paths: svg.querySelectorAll("[style*=marker]").length,
    named: svg.querySelectorAll("use[data-tip]").length})"""
POINTS = np.random.default_rng(0).normal(size=(2, 40))


class Cloud(Scene):
    """Points that lie over each other, and a line with marks that has one name."""

    def draw(self, figure):
        ax = figure.add_subplot()
        ax.set(xlim=(-4, 4), ylim=(-4, 4))
        (self.points,) = ax.plot([], [], "D", color="tab:orange", markeredgecolor="white", ms=9)
        (self.line,) = ax.plot([], [], "o-", color="black")
        return [self.points, self.line]

    def update(self, turn):
        self.points.set_data(*np.roll(POINTS, turn, axis=1)[:, : 40 - turn])
        self.line.set_data(np.linspace(-3, 3, 12), np.linspace(-turn, turn, 12))
        mark(self.points, [f"point {k} of turn {turn}" for k in range(40 - turn)])
        mark(self.line, f"line of turn {turn}", series="line")


def cloud_explorer() -> Explorer:
    return Explorer(
        frame=Cloud(),
        readout=lambda turn: f"turn {turn}",
        controls={"turn": widgets.IntSlider(0, 0, 3)},
        goal="Turn.",
    )


def pixels(png: bytes) -> np.ndarray:
    """Brightness from 0 to 1."""
    return plt.imread(BytesIO(png))[..., :3]


@pytest.fixture
def cloud(opened):
    """The page of a cloud of points, its picture, and a function that moves it."""
    opened(cloud_explorer)[0].evaluate("localStorage.clear()")
    page, svg = opened(cloud_explorer)
    page.mouse.move(0, 0)
    slider = page.wait_for_selector("input[type=range]:enabled")

    def move():
        slider.focus()
        page.keyboard.press("ArrowRight")

    return page, svg, move


def test_many_equal_marks_are_one_path_until_somebody_points_and_look_the_same(cloud):
    page, svg, move = cloud
    move()
    assert svg.evaluate(COUNT) == {"paths": 2, "named": 0}
    joined = svg.screenshot()
    box = svg.bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + 2)
    assert svg.evaluate(COUNT) == {"paths": 0, "named": 39}
    difference = pixels(svg.screenshot()) - pixels(joined)
    assert abs(difference).max() < 0.04  # edges are smoothed a little otherwise, none is elsewhere
    move()
    assert svg.evaluate(COUNT) == {"paths": 2, "named": 0}


def test_a_mark_of_many_says_its_name_and_keeps_it_while_the_picture_moves(cloud):
    page, svg, move = cloud
    box = svg.bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + 2)
    page.mouse.move(*svg.evaluate(MIDDLE, "point 39 "))
    tip = page.query_selector(".course-tip")
    assert tip.text_content() == "point 39 of turn 0"
    page.mouse.move(*svg.evaluate(MIDDLE, "line "))
    move()
    assert tip.is_visible() and tip.text_content() == "line of turn 1"


def test_the_keys_walk_over_each_of_many_marks_also_after_a_move(cloud):
    page, svg, move = cloud
    move()
    svg.focus()
    for key in ("End", "ArrowLeft"):
        page.keyboard.press(key)
    assert page.query_selector(".course-tip").text_content() == "point 38 of turn 1"


def test_what_is_highlighted_stays_so_when_marks_are_parted(cloud):
    page, svg, move = cloud
    page.mouse.click(*svg.evaluate(MIDDLE, "line "))
    page.mouse.move(0, 0)
    for _ in range(2):
        move()
        assert svg.evaluate("e => e.querySelectorAll('.course-strong').length") == 1
        svg.focus()
        page.keyboard.press("End")
        page.keyboard.press("ArrowDown")
