"""A learner in a real JupyterLab: predict, run, turn the knob, fail, pass, and come back."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect

from course_lib.tools.browser import NO_CELL_IS_RUNNING, browser_page
from course_lib.tools.system import ROOT

pytestmark = pytest.mark.browser

WRONG = """def entropy(counts):
    p = np.array(counts) / np.sum(counts)
    p = p[p > 0]
    return -np.sum(p * np.log(p))"""
RIGHT = WRONG.replace("np.log(", "np.log2(")


@pytest.fixture
def course(tmp_path) -> Path:
    """A copy of the course, as a learner would have cloned it, and settings of its own."""
    for part in ("course_lib", "notebooks", "exercises"):
        ignored = shutil.ignore_patterns("src")
        shutil.copytree(ROOT / part, tmp_path / "course" / part, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path / "course")  # a clone, not an installed package
    settings = tmp_path / "settings" / "@jupyterlab" / "notebook-extension"
    settings.mkdir(parents=True)
    keep_all_cells = {"windowingMode": "none"}  # else only what is in view is in the page
    (settings / "tracker.jupyterlab-settings").write_text(json.dumps(keep_all_cells))
    return tmp_path / "course"


@contextmanager
def lab(course: Path):
    """`./course lab` in the copy, and the address it prints."""
    home = course.parent
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "COURSE"))}
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    server = subprocess.Popen(
        [sys.executable, "-m", "course_lib", "lab", "--no-browser", "--port", port],
        cwd=course,
        env=environment
        | {
            "HOME": str(home),
            "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
            "PYTHONUNBUFFERED": "1",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield next(
            found.group() for line in server.stdout if (found := re.search(r"http://127\S+", line))
        )
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)


def cell(page, text: str):
    """The cell of the open notebook whose code contains `text`."""
    return page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell").filter(has_text=text)


def open_notebook(page, address: str, text: str) -> None:
    """Go to an address and wait for a cell that contains `text`, and for the kernel."""
    page.goto(address)
    cell(page, text).first.wait_for()
    page.get_by_text("| Idle").wait_for()


def run_all(page) -> None:
    page.get_by_role("menuitem", name="Run", exact=True).first.click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.wait_for_timeout(500)
    page.wait_for_function(NO_CELL_IS_RUNNING)


def run_cell(page, text: str, code: str | None = None) -> None:
    """Click into a cell, type it anew if `code` is given, run it and wait until it has run."""
    target = cell(page, text).first
    prompt = target.locator(".jp-InputArea-prompt")
    target.locator(".cm-content").click()
    if code is not None:
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(code)
    before = prompt.inner_text()
    for _ in range(6):  # a kernel that is still starting loses what it is sent
        page.keyboard.press("Control+Enter")
        try:
            ran = re.compile(rf"\[\d+\]:(?<!{re.escape(before)})")
            expect(prompt).to_have_text(ran, timeout=5_000)
            return
        except AssertionError:
            continue
    raise AssertionError(f"the cell {text!r} did not run")


def lesson(address: str, place: str) -> str:
    """The address of another notebook on the same server; the lab itself opens the first one."""
    return re.sub(r"/lab[^?]*", f"/lab/tree/{place}", address)


def commit_prediction(page) -> None:
    run_cell(page, "from course_lib.learner import")
    run_cell(page, 'predict("01.1")')
    form = cell(page, 'predict("01.1")')
    form.get_by_label("the one it asks first").check()
    form.get_by_label("fairly sure (75 %)").check()
    form.get_by_role("button", name="Commit").click()
    form.get_by_text("Committed: the one it asks first. The first one counts").wait_for()


def move_slider(page) -> None:
    """By keyboard and by mouse; each time the readout follows at once."""
    widget = cell(page, "explorer").filter(has=page.locator(".course-explorer")).first
    slider, readout = widget.get_by_role("slider"), widget.locator(".course-readout")
    before = readout.inner_text()
    slider.focus()
    page.keyboard.press("ArrowRight")
    moved = readout.inner_text()
    assert moved != before
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + box["height"] / 2)
    assert readout.inner_text() != moved


def follow_a_link(page) -> None:
    """From the end of the lesson to an entry of the glossary, shown as text and in view."""
    page.get_by_role("link", name="mean decrease of impurity MDI").last.click()
    glossary = page.locator(".jp-MarkdownViewer")
    heading = glossary.get_by_role("heading", name="mean decrease of impurity MDI")
    expect(heading).to_be_in_viewport()
    page.locator(".lm-DockPanel-tabBar .lm-TabBar-tab", has_text="01_mdi").first.click()


def answer_a_statement(page) -> None:
    """By keyboard alone: the second statement, its first option, committed by Enter."""
    question = cell(page, 'may_i_say("01.a")').get_by_role("group", name="2.")
    question.get_by_role("radio", name="Yes, I may say this").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    form = cell(page, 'may_i_say("01.a")').locator("form").nth(1)
    form.get_by_text("A common mistake is to believe that MDI is a neutral fact").wait_for()


def do_an_exercise(page, address: str) -> None:
    open_notebook(page, lesson(address, "exercises/exercise_01_mdi.ipynb"), "def entropy")
    run_cell(page, "import numpy as np")
    run_cell(page, 'check("01.1"')
    run_cell(page, "def entropy", WRONG)
    run_cell(page, 'check("01.1"')
    cell(page, 'check("01.1"').get_by_text("That is the entropy in nats").wait_for()
    run_cell(page, "def entropy", RIGHT)
    run_cell(page, 'check("01.1"')
    cell(page, 'check("01.1"').get_by_text("01.1 correct").wait_for()


def test_a_learner_predicts_runs_fails_passes_and_comes_back(course, tmp_path):
    pictures = Path(os.environ.get("COURSE_SCREENSHOTS", tmp_path / "screenshots"))
    pictures.mkdir(parents=True, exist_ok=True)
    with lab(course) as address, browser_page(tmp_path / "profile", timeout=60) as page:
        open_notebook(page, lesson(address, "01_mdi.ipynb"), 'predict("01.1")')
        assert page.locator(".jp-OutputArea-output").count() == 0  # nothing is given away
        commit_prediction(page)
        page.screenshot(path=pictures / "1_prediction.png")
        run_all(page)
        reveal = cell(page, 'reveal("01.1"')
        reveal.get_by_text("Your prediction, fairly sure (75 %)").wait_for()
        reveal.get_by_role("cell", name="the one it asks second", exact=True).wait_for()
        cell(page, 'reveal("01.2"').get_by_text("Commit first").wait_for()
        assert page.locator(".jp-OutputArea-output[data-mime-type*=error]").count() == 0
        move_slider(page)
        page.wait_for_timeout(1000)  # for the picture, not for the test
        page.screenshot(path=pictures / "2_slider.png")
        answer_a_statement(page)
        page.screenshot(path=pictures / "3_statement.png")
        follow_a_link(page)
        page.keyboard.press("Control+s")
        page.wait_for_function("() => !document.querySelector('.jp-mod-dirty')")
        do_an_exercise(page, address)
        page.screenshot(path=pictures / "4_exercise.png")

    stored = json.loads((course / "workbook" / "progress.json").read_text())
    assert stored["predictions"]["01.1"]["guess"] == "the one it asks first"
    assert stored["answers"]["01.a2"]["first"]["behind"] == "M1"
    assert stored["checks"]["01.1"]["passed"]
    assert "natural logarithm" in stored["checks"]["01.1"]["slips"]

    with lab(course) as address, browser_page(tmp_path / "profile_2", timeout=60) as page:
        open_notebook(page, lesson(address, "01_mdi.ipynb"), 'progress("01")')
        cell(page, 'predict("01.1")').get_by_text(
            "Asleep. To wake it: Run > Run All Cells."
        ).wait_for()
        assert page.get_by_text("Error displaying widget").count() == 0
        run_cell(page, 'progress("01")')
        stands = cell(page, 'progress("01")').get_by_role("listitem")
        stands.wait_for()
        assert "1 of 4 predictions" in stands.inner_text() and "1 of 7" in stands.inner_text()
        page.screenshot(path=pictures / "5_progress.png")
