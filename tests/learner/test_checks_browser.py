"""The verdict, the model answer and the dialogue in a real browser, without a notebook around them.

The page gets a model of anywidget's kind that notes what it is sent; the answers are those that
the kernel would give.
"""

import json

import pytest
from playwright.sync_api import expect

from course_lib import lessons
from course_lib.learner.checks import Checked, judge
from course_lib.learner.dialogue import dialogue_spec
from course_lib.learner.model_answers import WORDS, answer_to
from course_lib.tools.browser import browser_page
from course_lib.widgets.surface import mount_html, script, style

pytestmark = pytest.mark.browser

TASK = lessons.exercise("01.1")
WRITTEN = lessons.find("written", "05.w")
MODEL = """
window.sent = [];
window.keys = [];
document.addEventListener("keydown", (event) => window.keys.push(event.key));
window.mounted = (kind, spec, shown) => {
  const state = { kind, spec, shown, place: {}, data: null }, listeners = {};
  window.model = {
    comm_live: true,
    get: (name) => state[name],
    set: (name, value) => { state[name] = value; window.model.tell(`change:${name}`); },
    on: (name, f) => { (listeners[name] ??= []).push(f); },
    off: () => {},
    save_changes: () => {},
    send: (message) => window.sent.push(message),
    tell: (name) => (listeners[name] ?? []).forEach((f) => f()),
  };
  const root = document.createElement("div");
  document.body.replaceChildren(root);
  window.render({ model: window.model, el: root });
};
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A page with the modules of the lab."""
    folder = tmp_path_factory.mktemp("page")
    lab = script("lab").replace("export default { render };", "window.render = render;")
    head = f"<meta charset=utf-8><title>Check</title><style>{style()}</style>"
    text = f"<!doctype html><html lang=en>{head}<body><script type=module>{lab}{MODEL}</script>"
    (folder / "index.html").write_text(text, encoding="utf-8")
    with browser_page(folder / "profile", timeout=60, size=(800, 900)) as page:
        yield page, (folder / "index.html").as_uri()


@pytest.fixture
def page(browser):
    """The same page, fresh, and no error on it at the end."""
    page, address = browser
    errors = []

    def note(error):
        errors.append(error)

    page.on("pageerror", note)
    page.set_viewport_size({"width": 800, "height": 900})
    page.goto(address)
    yield page
    page.remove_listener("pageerror", note)
    assert errors == []


def mount(page, kind: str, spec: dict, shown: dict) -> None:
    page.evaluate("([kind, spec, shown]) => mounted(kind, spec, shown)", [kind, spec, shown])


def answer(page, shown: dict) -> None:
    """What the kernel does after a message."""
    page.evaluate("(shown) => model.set('shown', shown)", shown)


def wrong_verdict() -> Checked:
    return Checked(**vars(judge(TASK, lambda counts: 7.0)))


def test_the_hint_button_climbs_by_keyboard_and_the_keys_stay_inside(page):
    mount(page, "verdict", wrong_verdict().spec(), {"hints": []})
    page.keyboard.press("Tab")
    button = page.get_by_role("button", name=f"Hint (1 of {len(TASK.hints)})")
    expect(button).to_be_focused()
    for rung in range(1, len(TASK.hints)):
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")  # without an answer the second one is not sent
        assert page.evaluate("sent.length") == rung
        answer(page, {"hints": list(TASK.hints[:rung])})
        expect(page.locator(".course-hints li")).to_have_text(list(TASK.hints[:rung]))
        expect(page.get_by_role("button")).to_be_focused()
    page.keyboard.press("Space")
    answer(page, {"hints": list(TASK.hints)})
    expect(page.get_by_text("That was the last hint.")).to_be_visible()
    expect(page.get_by_role("button")).to_be_hidden()
    assert page.evaluate("sent.every((message) => message.do === 'hint')")
    assert "Enter" not in page.evaluate("keys")


def test_the_diagnosis_stands_before_the_table(page):
    mount(page, "verdict", wrong_verdict().spec(), {"hints": []})
    text = page.locator(".course-verdict").inner_text()
    none = f"None of the {len(TASK.cases())} cases agrees"
    order = ["01.1 not yet", none, "expected", "counts = ", "Hint"]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert page.locator("tbody tr").count() == 3


def test_asleep_the_button_says_how_to_wake_it(page):
    mount(page, "verdict", wrong_verdict().spec(), {"hints": [TASK.hints[0]]})
    page.evaluate("() => { model.comm_live = false; model.tell('comm_live_update'); }")
    expect(page.get_by_role("button")).to_be_disabled()
    expect(page.get_by_text("Run > Run All Cells")).to_be_visible()
    expect(page.get_by_text(TASK.hints[0])).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("outcome", ["correct", "not yet"])
def test_outcomes_differ_by_word_sign_and_a_colour_that_can_be_read(page, theme, outcome):
    answer = TASK.reference if outcome == "correct" else lambda counts: 7.0
    spec = Checked(**vars(judge(TASK, answer))).spec()
    page.evaluate("(theme) => { document.body.dataset.theme = theme; }", theme)
    mount(page, "verdict", spec, {"hints": []})
    expect(page.locator(".course-outcome")).to_have_text(f"{spec['sign']} 01.1 {outcome}")
    colors = page.evaluate(
        """() => {
            const mark = document.querySelector(".course-outcome");
            const ink = getComputedStyle(mark).color;
            mark.style.color = "var(--course-paper)";
            return [ink, getComputedStyle(mark).color];
        }"""
    )
    assert contrast(*map(rgb, colors)) >= 4.5


def rgb(text: str) -> list[float]:
    return [float(part) / 255 for part in text.strip("rgba()").split(",")[:3]]


def contrast(one: list[float], other: list[float]) -> float:
    def luminance(color):
        parts = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in color)
        return sum(w * x for w, x in zip((0.2126, 0.7152, 0.0722), parts, strict=True))

    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


SURFACES = {
    "verdict": (wrong_verdict().spec(), {"hints": list(TASK.hints)}),
    "dialogue": (dialogue_spec(), {}),
    "written": (
        {"id": "05.w", "least": 40, "words": WORDS, "rubric": [{"points": 1, "text": "x " * 99}]},
        {"text": "w " * 50, "met": [], "answer": f"<p>{'long ' * 99}</p>"},
    ),
}


@pytest.mark.parametrize("kind", SURFACES)
def test_on_a_phone_nothing_is_wider_than_the_screen(page, kind):
    page.set_viewport_size({"width": 390, "height": 800})
    mount(page, kind, *SURFACES[kind])
    if kind == "dialogue":
        page.get_by_role("radio").first.check()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


# The model answer


def written_spec() -> dict:
    rubric = [{"points": line.points, "text": line.text} for line in WRITTEN.rubric]
    return {"id": WRITTEN.id, "least": 40, "rubric": rubric, "words": WORDS}


def test_a_paragraph_opens_the_model_answer(page, tmp_path, monkeypatch):
    monkeypatch.delenv("COURSE_BUILD", raising=False)
    monkeypatch.setenv("COURSE_WORKBOOK", str(tmp_path))
    mount(page, "written", written_spec(), {"text": ""})
    page.get_by_label("Your paragraph").fill("Too short.")
    expect(page.get_by_text("2 of at least 40 words")).to_be_visible()
    page.get_by_role("button", name="Show the model answer").click()
    answer(page, answer_to(WRITTEN, page.evaluate("sent.at(-1)")))
    expect(page.get_by_text("Write your own paragraph first")).to_be_visible()
    page.get_by_label("Your paragraph").fill("my own words " * 20)
    page.get_by_role("button", name="Show the model answer").click()
    answer(page, answer_to(WRITTEN, page.evaluate("sent.at(-1)")))
    expect(page.get_by_text("totally randomized trees")).to_be_visible()
    assert page.locator(".course-answer math").count() >= 2
    page.get_by_role("checkbox").nth(1).check()
    expect(page.get_by_text("1 of 5 points")).to_be_visible()
    assert page.evaluate("sent.at(-1)") == {"do": "tick", "met": [1]}


# The dialogue


def test_the_dialogue_is_led_by_the_keyboard_with_one_tab_stop_per_question(page):
    mount(page, "dialogue", dialogue_spec(), {})
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.get_by_text("permutation_importance(model, X, y)")).to_be_visible()
    assert page.locator("fieldset").count() == 3
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    for _ in range(5):
        page.keyboard.press("ArrowDown")
    expect(page.get_by_text("world.total_effect")).to_be_visible()
    assert page.locator("fieldset").count() == 1
    expect(page.get_by_role("radio").nth(5)).to_be_focused()
    assert "ArrowDown" not in page.evaluate("keys")  # nor would slides or a notebook get it


def test_on_a_page_without_a_kernel_the_dialogue_works_and_remembers(browser, tmp_path):
    page, _ = browser
    html = mount_html("dialogue", dialogue_spec(), "the tree", name="ask")
    path = tmp_path / "site.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{html}<script>{script('page')}</script>")
    page.goto(path.as_uri())
    page.get_by_label("what would change if I changed it?").check()
    expect(page.get_by_text("world.total_effect")).to_be_visible()
    page.reload()
    expect(page.get_by_text("world.total_effect")).to_be_visible()
    assert json.loads(page.evaluate("Object.values(localStorage)[0]"))["path"] == ["action"]
