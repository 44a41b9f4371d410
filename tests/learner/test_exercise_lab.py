"""An exercise in a real JupyterLab: a cell that fails, hints in place, tabs and links both ways."""

import json
import re
from pathlib import Path

import nbformat
import pytest
from nbformat import v4
from playwright.sync_api import expect

from course_lib.lessons import exercise
from course_lib.tools.browser import Lab
from course_lib.tools.sources import METADATA
from course_lib.tools.system import ROOT
from course_lib.tools.workbook import hand_out

pytestmark = pytest.mark.browser

RIGHT = """def entropy(counts):
    p = np.array(counts) / np.sum(counts)
    p = p[p > 0]
    return -np.sum(p * np.log2(p))"""
CELLS = [
    "import numpy as np\nfrom course_lib.learner import ask, check, model_answer, progress",
    RIGHT,
    'check("01.1", entropy)',
    RIGHT.replace("):", ":"),
    'check("01.1", entropy)',
    "def entropy(counts):\n    return 7.0",
    'check("01.1", entropy)',
    'model_answer("01.w")',
    "ask()",
    "progress()",
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A lab with a workbook in which lesson 01 and its exercise are short ones."""
    workbook = tmp_path_factory.mktemp("workbook")
    hand_out(ROOT, workbook)
    write(workbook / "exercises" / "exercise_01_mdi.ipynb", CELLS)
    write(workbook / "01_mdi.ipynb", ["from course_lib.learner import progress\nprogress()"])
    with Lab(workbook, environment={"COURSE_WORKBOOK": str(workbook)}) as lab:
        yield lab


def write(place: Path, code: list[str]) -> None:
    cells = [v4.new_code_cell(source) for source in code]
    nbformat.write(v4.new_notebook(cells=cells, metadata=METADATA), place)


def tabs(page) -> list[str]:
    names = page.locator(".lm-DockPanel-tabBar .lm-TabBar-tabLabel").all_inner_texts()
    return [name for name in names if name.endswith(".ipynb")]


def run_in_order(notebook) -> None:
    """One by one: a cell that fails would end a run of all."""
    for number in range(len(CELLS)):
        notebook.run_cell(number)


def climb(notebook, number: int) -> None:
    """By keyboard alone, without leaving the cell's output."""
    page = notebook.page
    notebook.cell(number).get_by_role("button", name="Hint (1 of 3)").focus()
    page.keyboard.press("Enter")
    expect(notebook.cell(number).locator(".course-hints li")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(notebook.cell(number).locator(".course-hints li")).to_have_count(2)


def write_a_paragraph(notebook, number: int) -> None:
    cell = notebook.cell(number)
    cell.get_by_label("Your paragraph").fill("These are words of my own. " * 8)
    cell.get_by_role("button", name="Show the model answer").click()
    expect(cell.get_by_text("share of the impurity that the splits of this forest")).to_be_visible()


def test_links_of_a_lesson_open_its_exercise(lab):
    notebook = lab.open_notebook("01_mdi.ipynb")
    notebook.run_cell(0)
    notebook.cell(0).get_by_role("link", name="exercise 01").click()
    notebook.page.get_by_role("tab", name="exercise_01_mdi.ipynb").wait_for()
    assert tabs(notebook.page) == ["01_mdi.ipynb", "exercise_01_mdi.ipynb"]


def test_an_exercise_answers_and_leads_on(lab):
    notebook = lab.open_notebook("exercises/exercise_01_mdi.ipynb")
    page = notebook.page
    run_in_order(notebook)
    expect(notebook.cell(2).get_by_text("01.1 correct")).to_be_visible()
    expect(notebook.cell(4).get_by_text("failed the last time it was run")).to_be_visible()
    none = f"None of the {len(exercise('01.1').cases())} cases agrees"
    expect(notebook.cell(6).get_by_text(none)).to_be_visible()
    climb(notebook, 6)
    write_a_paragraph(notebook, 7)
    notebook.cell(8).get_by_label("what would change if I changed it?").check()
    expect(notebook.cell(8).get_by_text("world.total_effect")).to_be_visible()
    notebook.cell(9).get_by_role("link", name="01 Mean decrease").first.click()
    page.wait_for_function("() => document.title.includes('01_mdi')")
    page.get_by_role("tab", name=re.compile(r"^01_mdi\.ipynb")).wait_for()
    assert tabs(page) == ["exercise_01_mdi.ipynb", "01_mdi.ipynb"]
    stored = json.loads((lab.root / "progress.json").read_text(encoding="utf-8"))
    assert stored["hints"]["01.1"] == {"taken": 2}
    assert stored["checks"]["01.1"]["attempts"] == 2 and "text" in stored["written"]["01.w"]
