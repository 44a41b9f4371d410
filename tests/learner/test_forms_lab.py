"""The forms in a real JupyterLab: by keyboard, stored by the kernel, asleep, and back again."""

import json

import pytest
from nbformat import v4, write
from playwright.sync_api import expect

from course_lib.tools.browser import Lab

pytestmark = pytest.mark.browser

CODE = (
    "from course_lib.learner import may_i_say, pre_test, predict, reveal",
    'predict("01.2")',
    'reveal("01.2", 0.2564)',
    'may_i_say("01.a")',
    "pre_test()",
)
IMPORT, PREDICT, REVEAL, STATEMENTS, TEST = range(len(CODE))
ASLEEP = "Asleep. To wake it: Run > Run All Cells."


@pytest.fixture
def notebook(tmp_path):
    """A notebook with every kind of form, open in JupyterLab and not yet run."""
    cells = [*map(v4.new_code_cell, CODE), v4.new_markdown_cell("# What comes next")]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    write(v4.new_notebook(cells=cells, metadata=kernel), tmp_path / "forms.ipynb")
    with Lab(tmp_path, environment={"COURSE_WORKBOOK": str(tmp_path)}) as lab:
        yield lab.open_notebook("forms.ipynb")


def active_cell(page) -> int:
    return page.evaluate("() => window.jupyterapp.shell.currentWidget.content.activeCellIndex")


def run_by_keyboard(notebook) -> None:
    """All cells, one after the other, as a learner does."""
    notebook.cell(IMPORT).locator(".jp-InputArea-editor").click()
    for _ in CODE:
        notebook.page.keyboard.press("Shift+Enter")
        notebook.wait_idle()
    notebook.cell(TEST).get_by_text("Before the course").wait_for()
    notebook.page.wait_for_timeout(1200)  # until nothing scrolls any more


def restart(page) -> None:
    page.evaluate("() => { window.jupyterapp.commands.execute('kernelmenu:restart'); }")
    page.locator(".jp-Dialog .jp-mod-accept").click()


def test_forms_store_sleep_and_come_back(notebook, tmp_path):
    page = notebook.page
    run_by_keyboard(notebook)
    assert 0 < notebook.cell(TEST).get_by_text("Before the course").bounding_box()["y"] < 450

    notebook.cell(PREDICT).get_by_label("Your answer").focus()
    here = active_cell(page)
    for key in (
        "0",
        ",",
        "4",
        "Home",
        "ArrowDown",
        "Tab",
        "Space",
        "ArrowRight",
        "Enter",
    ):
        page.keyboard.press(key)
    notebook.cell(PREDICT).get_by_text("✓ Committed: 0.4 bits. The first one counts").wait_for()
    notebook.cell(REVEAL).get_by_text("● The truth: 0.2564 bits").wait_for()
    assert active_cell(page) == here  # no key has reached the notebook
    question = notebook.cell(STATEMENTS).locator("form").first
    question.get_by_label("No, I may not").check()
    question.get_by_role("button", name="Answer").click()
    question.get_by_text("✗ Not quite.").wait_for()

    restart(page)
    for number in (PREDICT, REVEAL, STATEMENTS, TEST):
        notebook.cell(number).get_by_text(ASLEEP).wait_for()
    expect(notebook.cell(TEST).get_by_role("radio").first).to_be_disabled()
    expect(notebook.cell(REVEAL).get_by_text("● The truth: 0.2564 bits")).to_be_visible()
    stored = json.loads((tmp_path / "progress.json").read_text())
    assert stored["predictions"] == {"01.2": {"guess": 0.4, "confidence": 75}}
    assert stored["answers"]["01.a1"]["first"]["text"] == "No, I may not"

    notebook.wait_idle()
    notebook.run_all()
    notebook.cell(REVEAL).get_by_text("▼ Your prediction: 0.4 bits, fairly sure (75 %)").wait_for()
    expect(notebook.cell(PREDICT).get_by_label("Your answer")).to_have_value("0.4")
    expect(
        notebook.cell(STATEMENTS).locator("form").first.get_by_text("✗ Not quite.")
    ).to_be_visible()
    expect(page.get_by_text(ASLEEP)).to_have_count(0)
