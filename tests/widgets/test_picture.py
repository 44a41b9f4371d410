"""Touching the picture, in a browser without a kernel: pointing, highlighting, dragging."""

from functools import cache
from pathlib import Path

import pytest

from course_lib.studies.display import led_degrees
from course_lib.tools.browser import browser_page
from course_lib.widgets import display_explorer, surface, threshold_explorer

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
