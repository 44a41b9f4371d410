"""The site without a kernel: on a phone, by touch, from files, with the network cut."""

from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from depth import LEVEL
from markupsafe import Markup

from course_lib import lessons
from course_lib.learner.predictions import predict, reveal
from course_lib.tools.browser import browser_page
from course_lib.widgets.surface import script, style

LESSONS = [lesson.name for lesson in lessons.available()]
AT_FIRST, OF_AN_EXPLORER = 1_500_000, 3_000_000  # bytes
SMALLEST = 24  # pixels that a finger can hit
SMALL = """least => [...document.querySelectorAll('.course :is(button, select, input, label)')]
    .filter(e => e.offsetParent && !(e.type === 'radio' && e.closest('label')))
    .filter(e => e.getBoundingClientRect().height < least && !e.matches('.course-slider label'))
    .map(e => e.outerHTML)"""
PICTURE = "() => document.querySelector('.course-explorer svg').innerHTML"
PAPER = "() => getComputedStyle(document.querySelector('.course-explorer svg')).backgroundColor"


@pytest.fixture(scope="module")
def phone(tmp_path_factory):
    """A phone's browser without a network; what it asked for and what went wrong are noted."""
    folder = tmp_path_factory.mktemp("phone")
    with browser_page(folder, timeout=60, size=(390, 844), touch=True) as page:
        page.context.set_offline(True)
        page.asked, page.troubles = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        page.on("console", lambda said: said.type == "error" and page.troubles.append(said.text))
        yield page


def open_page(phone, path: Path) -> None:
    """Open a page as a reader who comes for the first time."""
    if phone.url.startswith("file:"):  # what is stored there is stored for all files
        phone.evaluate("localStorage.clear()")
    phone.goto("about:blank")
    phone.asked.clear()
    phone.troubles.clear()
    phone.emulate_media(color_scheme="light")
    phone.goto(path.as_uri())


def loaded(phone) -> list[Path]:
    """The files that the page has asked for."""
    urls = (urlsplit(url) for url in phone.asked if not url.startswith("data:"))
    return [Path(unquote(url.path)) for url in urls if url.scheme == "file"]


def explorer(phone):
    """The first explorer of the page, in view and with its states."""
    found = phone.locator(".course-explorer").first
    found.scroll_into_view_if_needed()
    found.locator("input[type=range]:enabled, input[type=radio]:enabled").first.wait_for()
    phone.wait_for_timeout(300)
    return found


def touch(phone, slider, share: float) -> None:
    """Tap a slider where its thumb would stand at this share of its range."""
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    thumb = 16
    x = box["x"] + thumb / 2 + share * (box["width"] - thumb)
    phone.touchscreen.tap(x, box["y"] + box["height"] / 2)


@pytest.mark.browser
def test_a_finger_turns_noise_into_importance_on_the_front_page_and_cures_it(phone, built):
    open_page(phone, built / "index.html")
    found = explorer(phone)
    before = phone.evaluate(PICTURE)
    touch(phone, found.locator("input[type=range]"), 1)
    assert "The ticket ranks first in 20 of 20" in found.locator(".course-readout").inner_text()
    assert phone.evaluate(PICTURE) != before
    assert "Not reached yet" in found.locator(".course-goal").inner_text()
    found.get_by_label("out of bag").tap()
    assert "Reached" in found.locator(".course-goal").inner_text()
    assert phone.troubles == []
    assert all(url.startswith(("file:", "data:")) for url in phone.asked)


@pytest.mark.browser
def test_a_finger_finds_the_best_threshold_in_a_lesson(phone, built):
    open_page(phone, built / "01_mdi.html")
    found = explorer(phone)
    before, goal = phone.evaluate(PICTURE), found.locator(".course-goal")
    for place in (20, 21, 22, 23, 24, 25):
        touch(phone, found.locator("input[type=range]"), place / 37)
        if "Reached" in goal.inner_text():
            break
    assert "✔ Reached." in goal.inner_text()
    assert "= 0.2564" in found.locator(".course-readout").inner_text()
    assert phone.evaluate(PICTURE) != before and phone.troubles == []


@pytest.mark.browser
def test_the_states_of_an_explorer_are_loaded_when_it_comes_into_view(phone, built):
    open_page(phone, built / "01_mdi.html")
    assert not any(path.name.startswith("threshold") for path in loaded(phone))
    explorer(phone)
    names = [path.name for path in loaded(phone)]
    assert names.count("threshold-narrow.js") == 1 and "threshold.js" not in names


LETTERS = """() => [...document.querySelectorAll('.course-figure svg text, .course-picture text')]
    .filter(text => text.style.fontSize && text.checkVisibility())
    .map(text => {
        const {a, b} = text.getScreenCTM();
        return [parseFloat(text.style.fontSize) * Math.hypot(a, b), text.textContent];
    })"""
BOXES = ".course-figure, .course-picture, article table:not(.course-pair)"
CUT = """boxes => [...document.querySelectorAll(boxes)].filter(box => {
    const {left, right} = box.getBoundingClientRect();
    const room = box.localName === 'table' ? box.parentElement : box;
    return box.checkVisibility()
        && (left < -1 || right > 391 || room.scrollWidth > room.clientWidth + 1);
}).map(box => box.textContent.trim().slice(0, 60))"""
READABLE = 8.95  # pixels of a letter's size
ALONE = """() => [...document.querySelectorAll('article .course-long')].filter(formula => {
    formula.classList.remove('course-long');
    const {width} = formula.getBoundingClientRect();
    formula.classList.add('course-long');
    return formula.checkVisibility() && width < 150;
}).map(formula => formula.textContent)"""  # short formulas that have a line of their own


NARROW = "explorer => explorer.querySelector('.course-picture > svg').viewBox.baseVal.width <= 360"


def open_all(phone) -> None:
    """Open all gates and bring every explorer into view."""
    phone.evaluate("document.documentElement.classList.remove('course-alive')")
    phone.evaluate("window.dispatchEvent(new Event('resize'))")
    for found in phone.locator(".course-explorer").all():
        found.scroll_into_view_if_needed()
        phone.wait_for_function(NARROW, arg=found.element_handle())


@pytest.mark.browser
@pytest.mark.parametrize("name", ["index", *LESSONS])
def test_on_a_phone_nothing_is_cut_and_the_letters_of_figures_can_be_read(name, phone, built):
    open_page(phone, built / f"{name}.html")
    open_all(phone)
    for theme in ("light", "dark"):
        phone.emulate_media(color_scheme=theme)
        assert phone.evaluate(CUT, BOXES) == []
        letters = phone.evaluate(LETTERS)
        assert len(letters) > 10
        assert [(size, text) for size, text in letters if size < READABLE] == []
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    assert phone.evaluate(ALONE) == []


@pytest.mark.browser
def test_a_table_is_a_list_on_a_phone_also_if_only_a_formula_stands_out_of_it(phone, built):
    """With some fonts a formula is wider than its cell, which does not widen the table."""
    open_page(phone, built / "01_mdi.html")
    table = "<table><tr><td>{}</td></tr></table>"
    wide = "<i style='display: block; width: 999px'>x</i>"
    room = "<div style='width: 300px; overflow: auto'>{}</div>"
    cell = f"<div style='width: 200px'>{wide}</div>"
    made = room.format(table.format(cell)) + room.format(table.format("narrow"))
    phone.evaluate("made => { document.querySelector('article').innerHTML = made; }", made)
    phone.evaluate("window.dispatchEvent(new Event('resize'))")
    lists = phone.locator("article table").evaluate_all("all => all.map(one => one.className)")
    assert lists == ["course-list", ""]


@pytest.mark.browser
@pytest.mark.parametrize("name", LESSONS)
def test_an_explorer_keeps_its_place_when_its_drawing_for_a_phone_arrives(name, phone, built):
    open_page(phone, built / f"{name}.html")
    phone.evaluate("document.documentElement.classList.remove('course-alive')")
    picture = phone.locator(".course-explorer .course-picture").first
    height = picture.bounding_box()["height"]
    open_all(phone)
    assert picture.bounding_box()["height"] == pytest.approx(height, abs=1)


@pytest.mark.browser
@pytest.mark.parametrize("name", ["index", *LESSONS])
def test_a_page_loads_little_before_it_is_touched(phone, built, name):
    open_page(phone, built / f"{name}.html")
    phone.wait_for_load_state("networkidle")
    files = set(loaded(phone))
    assert built / "_static" / "surface.js" in files
    assert sum(path.stat().st_size for path in files) <= AT_FIRST
    assert phone.troubles == []


def test_every_explorer_of_a_page_finds_its_states_and_they_are_small(built):
    states = {path.stem: path.stat().st_size for path in (built / "_static/states").glob("*.js")}
    named = [
        line.partition('"')[0]
        for path in built.glob("*.html")
        for line in path.read_text(encoding="utf-8").split('data-stored="')[1:]
    ]
    assert named and set(named) <= set(states)
    assert max(states.values()) <= OF_AN_EXPLORER


@pytest.mark.browser
@pytest.mark.parametrize("name", ["index", "01_mdi", "02_mdi_bias"])
def test_a_finger_can_hit_every_control(phone, built, name):
    open_page(phone, built / f"{name}.html")
    assert phone.locator(".course").count() > 0
    assert phone.evaluate(SMALL, SMALLEST) == []


@pytest.mark.browser
def test_the_buttons_of_the_header_do_not_touch(phone, built):
    open_page(phone, built / "01_mdi.html")
    buttons = phone.locator(".mobile-header :is(label, button):visible").all()
    boxes = sorted((button.bounding_box() for button in buttons), key=lambda box: box["x"])
    assert len(boxes) == 3
    assert all(a["x"] + a["width"] + 8 <= b["x"] for a, b in pairwise(boxes))


@pytest.mark.browser
def test_the_pictures_follow_the_theme_of_the_reader_and_of_the_page(phone, built):
    open_page(phone, built / "01_mdi.html")
    light = phone.evaluate(PAPER)
    phone.emulate_media(color_scheme="dark")
    dark = phone.evaluate(PAPER)
    assert light == "rgb(255, 255, 255)" and dark != light
    phone.evaluate("document.body.dataset.theme = 'light'")
    assert phone.evaluate(PAPER) == light
    phone.evaluate("document.body.dataset.theme = 'auto'")
    phone.emulate_media(color_scheme="light")


@pytest.mark.browser
def test_a_lesson_remembers_a_commitment_until_it_is_told_to_forget(phone, built):
    open_page(phone, built / "01_mdi.html")
    form = phone.locator(".course-surface", has_text="Prediction 01.2.").first
    form.locator("input[type=text]").fill("0,4")
    form.get_by_text("fairly sure").tap()
    form.get_by_role("button", name="Commit").tap()
    truth = phone.locator(".course-surface", has_text="Your prediction: 0.4 bits")
    assert truth.count() == 1
    phone.reload()
    assert truth.count() == 1
    assert not phone.locator(".course-surface", has_text="Your prediction").nth(1).is_visible()
    with phone.expect_navigation():
        phone.get_by_role("button", name="Forget what I entered.").tap()
    assert truth.count() == 0
    assert phone.troubles == []


@pytest.mark.browser
@pytest.mark.axe
@pytest.mark.parametrize("name", ["index", *(LESSONS if LEVEL == "long" else ["01_mdi"])])
def test_axe_finds_no_violation(phone, built, violations, name):
    open_page(phone, built / f"{name}.html")
    for theme in ("light", "dark"):
        phone.emulate_media(color_scheme=theme)
        assert violations(phone) == []


# ---- the gate ----------------------------------------------------------------------------

CELL = Markup('<div class="cell {}"><p>{}</p></div>')


@pytest.fixture
def gated(tmp_path, monkeypatch) -> Path:
    """A page with a prediction, three cells that come after one, and its reveal."""
    monkeypatch.setenv("COURSE_BUILD", "1")
    asked, told = (form._repr_mimebundle_()["text/html"] for form in (predict("01.1"), truth()))
    cells = [CELL.format("tag_after-01-1", "first"), CELL.format("tag_after-01-1", "second")]
    cells += [CELL.format("", "open to all"), CELL.format("tag_after-01-2", "other")]
    css = (Path(lessons.__file__).parents[1] / "tools/site/site.css").read_text(encoding="utf-8")
    head = f"<meta charset='utf-8'><style>{style()}{css}</style><script>{script('page')}</script>"
    path = tmp_path / "gate.html"
    path.write_text(f"{head}<body>{asked}{''.join(cells)}{told}</body>", encoding="utf-8")
    return path


def truth():
    return reveal("01.1", lessons.find("predictions", "01.1").options[-1])


def seen(phone) -> list[str]:
    return phone.locator(":is(.cell, .course-closed):visible").all_inner_texts()


@pytest.mark.browser
def test_what_follows_a_prediction_opens_with_the_commitment_and_stays_open(phone, gated):
    open_page(phone, gated)
    closed, between, other = seen(phone)
    words = "Commit to prediction {} above to see what comes next."
    assert [closed, other] == [words.format(name) for name in ("01.1", "01.2")]
    assert between == "open to all"
    form = phone.locator(".course-surface").first
    form.locator("input[type=radio]").first.check()
    form.get_by_text("certain").tap()
    form.get_by_role("button", name="Commit").tap()
    assert seen(phone) == ["first", "second", "open to all", other]
    phone.reload()
    assert seen(phone) == ["first", "second", "open to all", other]


@pytest.mark.browser
def test_the_gate_opens_to_who_asks_to_be_shown(phone, gated):
    open_page(phone, gated)
    phone.get_by_role("button", name="Show me").tap()
    assert seen(phone)[:2] == ["first", "second"]


@pytest.mark.browser
def test_without_a_script_everything_can_be_read(phone, gated):
    text = gated.read_text(encoding="utf-8")
    gated.write_text(text.replace(script("page"), ""), encoding="utf-8")
    phone.goto(gated.as_uri())
    assert seen(phone) == ["first", "second", "open to all", "other"]
    assert phone.get_by_text("Which switch gets the larger importance?").first.is_visible()
