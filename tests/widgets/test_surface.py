"""The front end on a page without a kernel: keys, touch, marks, dragging, themes; two browsers."""

import re

import ipywidgets as widgets
import numpy as np
import pytest
from firefox import FIREFOX, firefox

from course_lib.plots.style import BLUE
from course_lib.plots.svg import mark
from course_lib.tools.bench.widgets import page_with
from course_lib.tools.browser import browser_page
from course_lib.widgets import (
    Explorer,
    Scene,
    lattice_explorer,
    rashomon_explorer,
    threshold_explorer,
)
from course_lib.widgets.by_lesson import STORED
from course_lib.widgets.states import stored_states
from course_lib.widgets.surface import COMMON, mount_html, script, text_of

browser = pytest.mark.browser
SIZES = {"wide": (1000, 800), "phone": (390, 800)}
TOP_LEVEL = re.compile(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)


# The modules


def test_the_modules_share_one_scope_without_a_clash():
    names = [
        name
        for file in (*COMMON, "lab", "page")
        for name in TOP_LEVEL.findall(text_of(f"{file}.js"))
    ]
    assert len(names) == len(set(names)), sorted(n for n in names if names.count(n) > 1)


def test_a_module_imports_only_what_comes_before_it_in_the_joined_text():
    order = [*COMMON, "lab", "page"]
    for name in order:
        for other in re.findall(r'from "\./(\w+)\.js"', text_of(f"{name}.js")):
            assert order.index(other) < order.index(name), (name, other)


@pytest.mark.parametrize("home", ["lab", "page"])
def test_the_joined_text_has_no_imports_left_and_asks_nothing_of_the_network(home):
    text = script(home)
    assert not re.search(r"^(import|export (?!default))", text, re.MULTILINE)
    assert not re.search(r"https?://(?!www\.w3\.org)|fetch\(|XMLHttpRequest|WebSocket", text)


def test_a_description_cannot_end_its_script_too_early():
    html = mount_html("form", {"text": "</script><b>&amp;"}, "fallback", stored='"x"')
    assert html.count("</script>") == 1 and 'data-stored="&#34;x&#34;"' in html


# Layers


WALK = """([walk, apart]) => {
    const layers = walk[0].map(() => new window.Layer());
    const wrong = [], kept = [];
    walk.forEach((texts, step) => texts.forEach((text, k) => {
        const before = layers[k].elements;
        layers[k].show(text, apart);
        const anew = document.createElementNS('http://www.w3.org/2000/svg', 'g');
        anew.innerHTML = apart ? text : layers[k].drawn;
        if (anew.innerHTML !== layers[k].node.innerHTML) wrong.push([step, k]);
        if (step) kept.push(layers[k].elements.every((each, n) => each === before[n]));
    }));
    return {wrong, kept: kept.filter(Boolean).length / kept.length};
}"""


@browser
@pytest.mark.parametrize("apart", [True, False])  # many equal marks each for itself, or as one
def test_a_layer_that_is_changed_is_the_same_as_one_made_anew(page, apart):
    page.add_script_tag(type="module", content=script("lab") + "\nwindow.Layer = Layer;")
    page.wait_for_function("() => window.Layer")
    rng = np.random.default_rng(0)
    for name in STORED:
        states = stored_states(name)
        numbers = rng.integers(0, len(states), size=60)
        walk = [states.shown(int(n))["layers"] for n in numbers]
        done = page.evaluate(WALK, [walk, apart])
        assert done["wrong"] == [], name
        assert done["kept"] > 0.5, name  # most elements are moved, not made


@browser
def test_few_nodes_change_when_many_marks_move(page):
    page.add_script_tag(type="module", content=script("lab") + "\nwindow.Layer = Layer;")
    page.wait_for_function("() => window.Layer")
    for name in STORED:
        layers = stored_states(name).shown(0)["layers"]
        drawn = page.evaluate(
            """texts => texts.map(text => {
                const layer = new window.Layer();
                layer.show(text);
                return layer.elements.length;
            })""",
            layers,
        )
        assert max(drawn) < 12, name


@browser
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ('<g data-tip="a &lt; b &amp; c"/>', '<g data-tip="&quot;b&#39;s&quot; &gt; a"/>'),
        ("<text>one</text>", "<text>two</text>"),
        ('<path d="M 0 0"/>', '<path d="M 0 0" style="fill: none"/>'),
        ('<g x="1"/>', '<path x="1"/>'),
        ('<g x="1"><path d="M 1 1"/></g><g y="1"/>', '<g x="2"><path d="M 2 2"/></g><g y="2"/>'),
        ("<g/>", ""),
        ('<use xlink:href="#a" x="1"/>', '<use xlink:href="#b" x="2"/>'),
    ],
)
def test_whatever_differs_between_two_layers_is_changed(first, second, page):
    page.add_script_tag(type="module", content=script("lab") + "\nwindow.Layer = Layer;")
    page.wait_for_function("() => window.Layer")
    assert page.evaluate(WALK, [[[first], [second], [first]], True])["wrong"] == []


# On a page


@pytest.fixture
def page(tmp_path):
    with browser_page(tmp_path / "profile") as page:
        page.context.set_offline(True)
        troubles = []
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda said: said.type == "error" and troubles.append(said.text))
        yield page
        assert troubles == []


def opened(page, explorer, tmp_path, size="wide"):
    path = tmp_path / "page.html"
    path.write_text(page_with(explorer), encoding="utf-8")
    page.set_viewport_size(dict(zip(("width", "height"), SIZES[size], strict=True)))
    page.goto(path.as_uri())
    page.locator(".course-readout").wait_for()
    page.wait_for_timeout(300)  # for the states
    return page.locator(".course-explorer")


def text(area, part: str) -> str:
    return area.locator(f".course-{part}").inner_text()


def edges(area, selector: str, edge: str) -> set[int]:
    found = area.locator(selector).evaluate_all(
        "(all, edge) => all.map(each => each.getBoundingClientRect()[edge])", edge
    )
    return {round(each) for each in found}


@browser
def test_labels_stand_beside_their_buttons_and_further_rows_of_these_below_each_other(
    page, tmp_path
):
    """The game of lesson 04 has more buttons than fit into a row."""
    area = opened(page, lattice_explorer(), tmp_path)
    for row in (".course-named", ".course-choice"):
        label, buttons = f"{row} > :is(span, legend)", f"{row} :is(button, .course-options-row > *)"
        assert max(edges(area, label, "right")) <= min(edges(area, buttons, "left")), row
        assert min(edges(area, buttons, "top")) <= max(edges(area, label, "bottom")), row
        tops = edges(area, buttons, "top")
        firsts = area.locator(buttons).evaluate_all(
            """all => { const firsts = {};
                for (const each of all) { const {top, left} = each.getBoundingClientRect();
                    firsts[Math.round(top)] ??= Math.round(left); }
                return Object.values(firsts); }"""
        )
        assert len(set(firsts)) == 1, (row, tops)


@browser
def test_on_a_phone_the_goal_has_no_more_room_than_it_needs_and_the_picture_stays(page, tmp_path):
    """The question that follows a goal would need half of the screen above the picture."""
    area = opened(page, threshold_explorer(), tmp_path, "phone")
    goal, lines = area.locator(".course-goal"), area.locator(".course-goal > div")
    used = sum(line.bounding_box()["height"] for line in lines.all())
    assert goal.bounding_box()["height"] < used + 25  # the padding
    top, slider = area.locator(".course-picture").bounding_box()["y"], area.get_by_role("slider")
    assert area.locator(".course-then").inner_text() == ""
    slider.focus()
    for _ in range(60):
        page.keyboard.press("ArrowRight")
        if "Reached" in goal.inner_text():
            break
    assert area.locator(".course-then").inner_text()
    assert area.locator(".course-picture").bounding_box()["y"] == pytest.approx(top, abs=1)


class Lines(Scene):
    """Six lines with names; the chosen height moves the first."""

    size = (4, 3)

    def draw(self, figure):
        ax = figure.subplots()
        ax.set(xlim=(0, 10), ylim=(0, 10))
        for k in range(1, 6):
            mark(ax.plot([0, 9], [k, k])[0], tip=f"line {k}: {k}.5 bits", series=f"line {k}")
        (self.line,) = ax.plot([0, 9], [0, 0], color=BLUE)
        return [self.line]

    def update(self, height):
        self.line.set_ydata([height, height])
        mark(self.line, tip=f"moved: {height} bits", series="moved")

    def handles(self, height):
        return {"height": (self.line.axes, None, height)}


def lines_explorer() -> Explorer:
    return Explorer(
        frame=Lines(),
        readout=lambda height: f"the height is {height}",
        controls={"height": widgets.IntSlider(3, 0, 10, description="height of the line")},
        goal="Lift it to 7.",
        reached=lambda height: height == 7,
        then="And now?",
    )


@browser
def test_keys_move_the_slider_and_the_goal_is_found_lost_and_remembered(page, tmp_path):
    area = opened(page, lines_explorer(), tmp_path)
    slider = area.get_by_role("slider", name="height of the line")
    slider.focus()
    assert "Not reached yet" in text(area, "goal")
    top = area.locator(".course-picture").bounding_box()["y"]
    for key, height, said in (
        *[("ArrowRight", k, "Not reached yet") for k in (4, 5, 6)],
        ("ArrowRight", 7, "✔ Reached. And now?"),
        ("End", 10, "✔ Reached before, not in this state."),
        ("Home", 0, "✔ Reached before, not in this state."),
    ):
        page.keyboard.press(key)
        assert text(area, "readout") == f"the height is {height}"
        assert said in text(area, "goal")
        assert area.locator(".course-picture").bounding_box()["y"] == top  # nothing jumps
    assert area.locator("svg [data-tip^=moved]").get_attribute("data-tip") == "moved: 0 bits"
    page.reload()
    page.wait_for_timeout(300)
    assert "✔ Reached before" in text(page.locator(".course-explorer"), "goal")


@browser
def test_marks_are_named_to_pointer_and_keyboard_and_a_series_is_highlighted(page, tmp_path):
    area = opened(page, lines_explorer(), tmp_path)
    tip, line = area.locator(".course-tip"), area.locator("[data-series='line 2'] path").first
    box = line.bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*middle)
    assert tip.inner_text() == "line 2: 2.5 bits"
    page.mouse.move(5, 5)
    assert tip.is_hidden()
    area.locator("svg").focus()
    page.keyboard.press("ArrowRight")
    assert tip.inner_text() == "line 1: 1.5 bits"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert area.locator(".course-strong").get_attribute("data-series") == "line 2"
    assert area.locator(".course-dim").count() == 5
    page.keyboard.press("Escape")
    assert area.locator(".course-dim").count() == 0 and tip.is_hidden()
    page.mouse.click(*middle)
    area.get_by_role("slider").press("ArrowRight")  # the picture changes, the choice stays
    assert area.locator(".course-dim").count() == 5


@browser
def test_what_a_slider_moves_can_be_dragged(page, tmp_path):
    area = opened(page, lines_explorer(), tmp_path)
    line = area.locator("[data-series='moved'] path").bounding_box()
    steps = [area.locator(f"[data-series='line {k}'] path").bounding_box()["y"] for k in (4, 5)]
    x, y = line["x"] + line["width"] / 2, line["y"] + line["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + 5 * (steps[1] - steps[0]), steps=7)
    page.mouse.up()
    assert text(area, "readout") == "the height is 8"
    assert area.get_by_role("slider").get_attribute("aria-valuetext") == "8"


@browser
@pytest.mark.parametrize("make", [threshold_explorer, rashomon_explorer])
def test_handles_of_the_lessons_explorers_follow_the_pointer(make, page, tmp_path):
    explorer = make()
    area = opened(page, explorer, tmp_path)
    name, start = next(iter(explorer.moving.handles(explorer.state).items()))
    wanted = explorer.place[name] + 5
    end = explorer.moving.handles(explorer.state | {name: explorer.grids[name][wanted]})[name]
    box = area.locator("svg").bounding_box()
    scale = box["width"] / explorer.moving.size[0]
    anywhere = 0.6 * explorer.moving.size[1]  # where a handle has no height of its own
    (x0, y0), (x1, y1) = ((x, anywhere if y is None else y) for x, y in (start, end))
    page.mouse.move(box["x"] + x0 * scale, box["y"] + y0 * scale)
    page.mouse.down()
    page.mouse.move(box["x"] + x1 * scale, box["y"] + y1 * scale, steps=4)
    page.mouse.up()
    assert area.get_by_role("slider").first.input_value() == str(wanted), name


@browser
def test_at_the_width_of_a_phone_nothing_sticks_out_and_controls_are_large(page, tmp_path):
    area = opened(page, threshold_explorer(), tmp_path, "phone")
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES["phone"][0]
    for control in area.locator("input[type=range], .course-choice span").all():
        assert control.bounding_box()["height"] >= 24


@browser
def test_the_dark_theme_changes_paper_ink_and_lines(page, tmp_path):
    area = opened(page, lines_explorer(), tmp_path)
    line = area.locator("[data-series='moved'] path")
    colours = []
    for theme in ("light", "dark"):
        page.evaluate("theme => { document.body.dataset.theme = theme; }", theme)
        style = """node => [getComputedStyle(node).stroke,
            getComputedStyle(node.closest("svg")).backgroundColor]"""
        colours.append(line.evaluate(style))
    assert colours == [
        ["rgb(4, 69, 172)", "rgb(255, 255, 255)"],
        ["rgb(127, 178, 255)", "rgb(17, 19, 21)"],
    ]


@browser
@pytest.mark.skipif(FIREFOX is None, reason="there is no firefox here")
def test_firefox_shows_the_same(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page_with(lines_explorer()), encoding="utf-8")
    with firefox(tmp_path / "profile") as tab:
        tab.goto(path.as_uri())
        tab.evaluate("document.querySelector('input[type=range]').focus()")
        tab.press("End", "ArrowLeft", "ArrowLeft", "ArrowLeft")
        assert (
            tab.evaluate("document.querySelector('.course-readout').innerText") == "the height is 7"
        )
        assert "✔ Reached. And now?" in tab.evaluate(
            "document.querySelector('.course-goal').innerText"
        )
        assert (
            tab.evaluate("document.querySelector('[data-tip^=moved]').dataset.tip")
            == "moved: 7 bits"
        )
