"""The forms on a page without a kernel, in a real browser: by keyboard, locked, remembered."""

import json
import os
import re
from itertools import pairwise
from pathlib import Path

import pytest
from learner.made_up import ORDER, PAIRS
from playwright.sync_api import expect

from course_lib.learner import may_i_say, post_test, pre_test
from course_lib.learner.prediction_form import is_right, reply_to
from course_lib.learner.predictions import prediction_form, reveal_form
from course_lib.lessons import Prediction
from course_lib.lessons.prediction import Reply
from course_lib.tools.browser import browser_page
from course_lib.widgets.surface import COMMON, script, style, text_of

pytestmark = pytest.mark.browser

LAMP = Prediction(
    *("99.2", "choice", "Which switch?", "first", "Just so.", "-"),
    replies=(Reply("Not the first.", to="first"), Reply("Not both.", to="both")),
    options=("first", "second", "both"),
)
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Forms</title>
<meta name="viewport" content="width=device-width"><style>{style} body {{background: {paper}}}
</style></head><body data-theme="{theme}"><main><h1>Forms</h1>{body}</main>
<script>{script}</script></body></html>"""
FORMS = {
    "predict number": lambda: prediction_form(PAIRS),
    "reveal number": lambda: reveal_form(PAIRS, 12.0),
    "predict choice": lambda: prediction_form(LAMP),
    "reveal choice": lambda: reveal_form(LAMP, "second"),
    "predict order": lambda: prediction_form(ORDER),
    "reveal order": lambda: reveal_form(ORDER, ["a", "b"]),
    "statements": lambda: may_i_say("01.a"),
    "before": pre_test,
    "after": post_test,
}
WIDE, PHONE = (1000, 900), (390, 800)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """One window for all tests of this file."""
    with browser_page(tmp_path_factory.mktemp("profile"), timeout=60, size=WIDE) as page:
        page.troubles = []
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        yield page
        assert page.troubles == []


@pytest.fixture
def show(browser, tmp_path, monkeypatch):
    """Put forms on a page that has never been seen before."""
    monkeypatch.setenv("COURSE_BUILD", "1")

    def put(*names, theme="light"):
        body = "".join(f'<section id="{n}">{FORMS[n]().html}</section>' for n in names)
        paper = "#111315" if theme == "dark" else "#ffffff"
        file = tmp_path / "forms.html"
        parts = {"style": style(), "script": script("page"), "theme": theme, "paper": paper}
        file.write_text(PAGE.format(body=body, **parts), encoding="utf-8")
        browser.goto(file.as_uri())
        browser.evaluate("() => localStorage.clear()")
        browser.reload()
        return browser

    return put


def form(page, name):
    return page.locator(f"[id='{name}']")


def commit_number(page, name, text, sure="fairly sure"):
    form(page, name).get_by_label("Your answer").fill(text)
    form(page, name).get_by_label(sure).check()
    form(page, name).get_by_role("button", name="Commit").click()


def kept(page) -> dict:
    """What the browser remembers, by its names in this course."""
    stored = page.evaluate("() => ({...localStorage})")
    return {name.partition(":")[2]: json.loads(value) for name, value in stored.items()}


# ---- by keyboard -------------------------------------------------------------------------


def test_a_number_is_committed_by_keyboard_alone(show):
    page = show("predict number", "reveal number")
    page.keyboard.press("Tab")
    page.keyboard.type("30,0")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    message = form(page, "predict number").get_by_role("status").first
    expect(message).to_have_text(re.compile("^✓ Committed: 30 pairs. The first one counts"))
    expect(message).to_be_focused()
    assert kept(page) == {"prediction:99.1": {"guess": 30, "confidence": 75}}


def test_enter_in_the_number_field_commits(show):
    page = show("predict number")
    form(page, "predict number").get_by_label("certain").check()
    form(page, "predict number").get_by_label("Your answer").fill("12 pairs")
    page.keyboard.press("Enter")
    assert kept(page)["prediction:99.1"] == {"guess": 12, "confidence": 95}


def test_options_are_one_stop_of_the_tab_key_and_the_arrows_stay_inside(show):
    page = show("predict choice")
    page.evaluate(
        "() => { window.heard = [];"
        " document.addEventListener('keydown', (event) => heard.push(event.key)); }"
    )
    page.keyboard.press("Tab")
    checked = form(page, "predict choice").locator("input:checked + span")
    for key, chosen in (("Space", "first"), ("ArrowDown", "second"), ("End", "both")):
        page.keyboard.press(key)
        expect(checked).to_have_text(chosen)
    page.keyboard.press("Home")
    page.keyboard.press("Escape")
    expect(checked).to_have_text("first")
    page.keyboard.press("Tab")
    expect(form(page, "predict choice").get_by_label("a guess")).to_be_focused()
    assert set(page.evaluate("() => heard")) <= {" ", "Tab"}


def test_the_focus_is_visible(show):
    page = show("predict choice")
    page.keyboard.press("Tab")
    style = page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
    assert style == "solid"


# ---- what is asked for ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "↻ Not committed yet: write a number first."),
        ("a lot", "↻ “a lot” is not a number. Write it in digits, such as 0.4 or 0,4."),
        ("1e", "↻ “1e” is not a number. Write it in digits, such as 0.4 or 0,4."),
        *(
            (n, f"↻ {n} is not possible: the answer is a whole number from 0 to 45 (pairs).")
            for n in ("100", "-1", "2,5")
        ),
    ],
)
def test_what_is_no_possible_number_gets_a_sentence(show, text, said):
    page = show("predict number")
    commit_number(page, "predict number", text)
    field = form(page, "predict number").get_by_label("Your answer")
    expect(form(page, "predict number").locator(".course-message")).to_have_text(said)
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    assert kept(page) == {}


def test_a_message_vanishes_when_something_is_changed(show):
    page = show("predict number")
    commit_number(page, "predict number", "100")
    form(page, "predict number").get_by_label("Your answer").press_sequentially("0")
    expect(form(page, "predict number").locator(".course-message")).to_have_text("")
    expect(form(page, "predict number").get_by_label("Your answer")).not_to_have_attribute(
        "aria-invalid", "true"
    )


def test_a_message_moves_nothing_below_the_form(show):
    page = show("predict number", "predict choice")
    before = form(page, "predict choice").bounding_box()["y"]
    commit_number(page, "predict number", "100")
    expect(form(page, "predict number").locator(".course-message")).not_to_be_empty()
    assert form(page, "predict choice").bounding_box()["y"] == before


@pytest.mark.parametrize(("name", "field"), [("predict choice", "first"), ("predict order", "1.")])
def test_what_is_missing_is_said(show, name, field):
    page = show(name)
    shown = form(page, name)
    shown.get_by_role("button", name="Commit").click()
    expect(shown.locator(".course-message")).to_have_text(
        re.compile("^↻ Not committed yet: (ch|name)")
    )
    expect(shown.get_by_label(field)).to_be_focused()


def test_how_sure_one_is_belongs_to_it(show):
    page = show("predict choice")
    form(page, "predict choice").get_by_label("first").check()
    form(page, "predict choice").get_by_role("button", name="Commit").click()
    expect(form(page, "predict choice").get_by_text("say how sure you are as well")).to_be_visible()


# ---- the gate ----------------------------------------------------------------------------


def test_a_reveal_opens_by_the_commitment_in_the_form_above_it(show):
    page = show("predict number", "reveal number")
    gate = form(page, "reveal number")
    expect(gate.get_by_text("Commit first, then the answer appears here.")).to_be_visible()
    assert "12" not in gate.inner_text() and "twelve" not in gate.inner_text()
    commit_number(page, "predict number", "30")
    expect(
        gate.get_by_role(
            "img", name="Your prediction: 30 pairs, fairly sure (75 %); The truth: 12 pairs"
        )
    ).to_be_visible()
    expect(gate.get_by_text("✗ Not quite. Too many.")).to_be_visible()
    expect(gate.locator("strong", has_text="twelve")).to_be_visible()
    expect(gate.locator("math")).to_be_visible()
    expect(gate.get_by_role("button")).to_have_count(0)


def test_a_reveal_does_not_ask_again_but_leads_to_the_form_above_it(show):
    page = show("predict choice", "reveal choice")
    assert form(page, "reveal choice").locator("input").count() == 0
    form(page, "reveal choice").get_by_role("button", name="Go to the prediction").click()
    above = form(page, "predict choice")
    expect(above.locator("input").first).to_be_focused()
    above.get_by_label("both").check()
    above.get_by_label("certain").check()
    above.get_by_role("button", name="Commit").click()
    expect(above.get_by_text("Committed: both.")).to_be_visible()
    expect(above.get_by_label("both")).to_be_checked()
    assert all(box.is_disabled() for box in above.locator("input").all())
    expect(form(page, "reveal choice").get_by_text("✗ Not quite. Not both.")).to_be_visible()
    assert form(page, "reveal choice").locator("td").all_inner_texts() == ["both", "second"]


def test_an_order_is_compared_place_by_place(show):
    page = show("reveal order")
    for k, text in enumerate("ba"):
        form(page, "reveal order").get_by_role("combobox").nth(k).select_option(text)
    form(page, "reveal order").get_by_label("a guess (50 %)").check()
    form(page, "reveal order").get_by_role("button", name="Commit").click()
    assert form(page, "reveal order").locator("th").all_inner_texts()[1:] == [
        "The truth",
        "The same?",
    ]
    rows = form(page, "reveal order").locator("tr").all_inner_texts()
    assert rows[1:] == ["b\ta\tno", "a\tb\tno"]
    expect(form(page, "reveal order").get_by_text("The other way round.")).to_be_visible()


def test_the_truth_can_be_looked_at_without_a_guess(show):
    page = show("predict number", "reveal number")
    page.evaluate(
        "() => document.addEventListener('course:shown', (e) => { window.seen = e.detail.id; })"
    )
    form(page, "reveal number").get_by_role("button", name="Show me without a guess").click()
    expect(
        form(page, "reveal number").get_by_role("img", name="The truth: 12 pairs")
    ).to_be_visible()
    expect(form(page, "reveal number").locator("strong", has_text="twelve")).to_be_visible()
    said = form(page, "reveal number").locator(".course-reply")
    expect(said).to_have_text("You looked at the answer without a guess. Just so.")
    expect(form(page, "predict number").get_by_text("You looked at the answer")).to_be_visible()
    assert page.evaluate("() => window.seen") == "99.1"
    assert kept(page) == {"prediction:99.1": {"shown": True}}


def test_the_page_and_python_give_the_same_reply(show):
    page = show("reveal number")
    for guess in (0, 4, 5, 9, 10, 12, 14, 15, 45):
        page.evaluate("() => localStorage.clear()")
        page.reload()
        commit_number(page, "reveal number", str(guess))
        word = "✓ Right." if is_right(PAIRS, guess, 12.0) else "✗ Not quite."
        said = form(page, "reveal number").locator(".course-reply").inner_text()
        assert said == f"{word} {reply_to(PAIRS, guess, 12.0)}"


def test_what_was_committed_is_there_after_a_reload(show):
    page = show("predict number", "reveal number", "statements", "before")
    commit_number(page, "predict number", "30")
    question = form(page, "statements").locator("form").nth(2)
    question.get_by_label("Yes, I may say this").check()
    question.get_by_role("button", name="Answer").click()
    expect(form(page, "predict number").get_by_text("✓ Committed: 30")).to_be_visible()
    expect(question.get_by_role("status")).to_contain_text("Not quite")
    page.reload()
    expect(form(page, "predict number").get_by_label("Your answer")).to_have_value("30")
    expect(form(page, "predict number").get_by_label("Your answer")).to_be_disabled()
    expect(form(page, "predict number").get_by_label("fairly sure")).to_be_checked()
    expect(form(page, "reveal number").get_by_text("Too many.")).to_be_visible()
    question = form(page, "statements").locator("form").nth(2)
    expect(question.get_by_label("Yes, I may say this")).to_be_checked()
    expect(question.get_by_text("The first answer counts.")).to_be_visible()
    assert kept(page)["answer:01.a3"] == {"text": "Yes, I may say this"}


# ---- questions and tests -----------------------------------------------------------------


def test_a_wrong_answer_is_told_by_sign_word_and_colour_and_the_right_one_shown(show):
    page = show("statements")
    question = form(page, "statements").locator("form").nth(2)
    question.get_by_label("Yes, I may say this").check()
    question.get_by_role("button", name="Answer").click()
    lines = question.locator(".course-option").all_inner_texts()
    assert lines == ["Yes, I may say this ✗ your answer", "No, I may not ✓ the right answer"]
    reply = question.get_by_role("status")
    expect(reply).to_contain_text("✗ Not quite.")
    expect(reply).to_contain_text(
        "A common mistake is to believe that importance belongs to the data"
    )
    colours = question.locator(".course-sign").evaluate_all(
        "(found) => found.map((one) => getComputedStyle(one).color)"
    )
    assert len(set(colours)) == 2


def test_each_question_is_a_group_named_by_it(show):
    page = show("statements")
    groups = page.locator("fieldset.course-asked")
    legends = [group.locator("legend").inner_text() for group in groups.all()]
    assert len(set(legends)) == len(legends) == 6
    assert all(legend.startswith(f"{k}. ") for k, legend in enumerate(legends, start=1))


def answer(page, name, numbers):
    for k in numbers:
        row = form(page, name).locator(".course-question").nth(k - 1)
        row.locator("input").first.check()
        row.get_by_label("fairly sure").check()
    form(page, name).get_by_role("button", name="Store my answers").click()


def test_a_test_stores_what_is_complete_names_what_is_open_and_locks_at_the_end(show):
    page = show("before")
    answer(page, "before", range(1, 9))
    message = form(page, "before").locator(".course-message")
    expect(message).to_have_text(
        re.compile("^↻ 8 of 10 answers are stored. Still open: 9 and 10. Each")
    )
    expect(
        form(page, "before").locator(".course-question").nth(0).get_by_role("radio").first
    ).to_be_disabled()
    answer(page, "before", (9, 10))
    expect(message).to_have_text("✓ 10 of 10 answers are stored. The first answer counts.")
    expect(form(page, "before").get_by_role("button")).to_have_count(0)
    page.reload()
    expect(message).to_have_text("✓ 10 of 10 answers are stored. The first answer counts.")
    expect(form(page, "before").locator(".course-reply")).to_have_count(0)
    assert len(kept(page)) == 10 and kept(page)["pre_test:M10"]["confidence"] == 75


def test_the_test_after_the_course_answers_back_and_does_so_again(show):
    page = show("after")
    answer(page, "after", range(1, 11))
    said = form(page, "after").locator(".course-reply").all_inner_texts()
    assert len(said) == 10 and all(re.match("[✓✗] (Right|Not quite)", text) for text in said)
    page.reload()
    assert form(page, "after").locator(".course-reply").all_inner_texts() == said


def test_questions_are_numbered_to_ten(show):
    page = show("before")
    assert page.locator("legend b").all_inner_texts() == [f"{k}." for k in range(1, 11)]


# ---- how it looks ------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_can_be_read_on_their_background(show, theme):
    """Of all text that is shown, before and after: at least 4.5 to 1."""
    page = show(*FORMS, theme=theme)
    assert page.evaluate(LOW_CONTRAST) == []
    commit_number(page, "predict number", "30")
    form(page, "predict choice").get_by_label("second").check()
    form(page, "predict choice").get_by_label("certain").check()
    form(page, "predict choice").get_by_role("button", name="Commit").click()
    form(page, "predict order").get_by_role("button", name="Commit").click()
    for question in form(page, "statements").locator("form").all():
        question.get_by_label("Yes, I may say this").check()
        question.get_by_role("button").click()
    answer(page, "after", range(1, 11))
    assert page.evaluate(LOW_CONTRAST) == []
    if pictures := os.environ.get("COURSE_SCREENSHOTS"):
        page.screenshot(path=Path(pictures) / f"forms_{theme}.png", full_page=True)


LOW_CONTRAST = """() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => rgb.slice(0, 3).map((x) => x / 255)
    .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4))
    .reduce((sum, x, k) => sum + x * [0.2126, 0.7152, 0.0722][k], 0);
  const behind = (node) => {
    for (let each = node; each; each = each.parentElement) {
      const colour = numbers(getComputedStyle(each).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const ratio = (node) => {
    const [one, two] = [light(numbers(getComputedStyle(node).color)), light(behind(node))];
    return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
  };
  const shown = [...document.querySelectorAll(".course *")].filter((node) => node.checkVisibility()
    && [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim()));
  return shown.filter((node) => ratio(node) < 4.5).map((node) => node.outerHTML.slice(0, 90));
}"""


def test_a_phone_needs_no_scrolling_sideways(show):
    page = show(*FORMS)
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    commit_number(page, "predict number", "0")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= PHONE[0]
    page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})


def test_no_two_modules_of_the_surface_declare_the_same_name():
    """They are joined into one text, where the later one would silently win."""
    declared = r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)"
    names = [
        name
        for module in (*COMMON, "lab", "page")
        for name in re.findall(declared, text_of(f"{module}.js"), re.MULTILINE)
    ]
    assert [one for one, next_one in pairwise(sorted(names)) if one == next_one] == []
