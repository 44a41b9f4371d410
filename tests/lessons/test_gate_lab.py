"""The gate in a real JupyterLab: what follows a prediction stays closed until the commitment.

Also after Run All, a restart and a reload, from which explorers and forms come back alive.
"""

import json
import shutil

import nbformat
import pytest
from depth import at_most
from lessons.giveaways import Place, said, span
from lessons.test_gate import HARMLESS, truth_of
from nbformat import v4, write
from playwright.sync_api import expect

from course_lib import lessons
from course_lib.tools.browser import Lab, NotebookPage
from course_lib.tools.lab import environment
from course_lib.tools.system import ROOT

pytestmark = pytest.mark.browser

CELLS = (
    "from course_lib.learner import may_i_say, predict, reveal\n"
    "from course_lib.widgets import threshold_explorer",
    'predict("01.2")',
    "answer = 0.25 + 0.0064\nprint(f'so it is {answer}')",
    'reveal("01.2", answer)',
    "explorer = threshold_explorer()\nexplorer",
    'may_i_say("01.a")',
    "print('all', 'free')",
    "explorer.state",
)
PREDICT, GATED, REVEAL, EXPLORER, STATEMENTS, FREE, STATE = range(1, len(CELLS))
CLOSED = "Commit to prediction 01.2 above to see what comes next."
SAID = "so it is 0.2564"
SOME = lessons.available()[:: at_most(10, 10, 1)]  # test_gate.py reads all of them
UNSAVED = "() => window.jupyterapp.shell.currentWidget.context.model.dirty"


def write_notebook(path, sources=CELLS) -> None:
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    cells = [v4.new_code_cell(source) for source in sources]
    cells[GATED].metadata["tags"] = ["after-01-2"]
    write(v4.new_notebook(cells=cells, metadata=kernel), path)


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """JupyterLab as `./course lab` starts it, with all lessons."""
    folder = tmp_path_factory.mktemp("workbook")
    for lesson in lessons.available():
        shutil.copy(ROOT / "notebooks" / f"{lesson.name}.ipynb", folder)
    with Lab(folder, environment=environment(folder)) as lab:
        yield lab


@pytest.fixture
def lab(started):
    """The lab as on the first day: a notebook in which one cell waits, no progress, no kernel."""
    for path in [*started.root.glob("*.json"), *started.root.glob("my *.ipynb")]:
        path.unlink()
    write_notebook(started.root / "gate.ipynb")
    yield started
    started.page.evaluate("() => window.jupyterapp.serviceManager.sessions.shutdownAll()")
    started.page.goto("about:blank")


def expect_closed(notebook) -> None:
    cell = notebook.cell(GATED)
    expect(cell.get_by_text(CLOSED)).to_be_visible()
    expect(
        cell.locator(".jp-InputArea, .jp-OutputArea-output").locator("visible=true")
    ).to_have_count(0)


def expect_open(notebook) -> None:
    cell = notebook.cell(GATED)
    expect(cell.get_by_text(SAID)).to_be_visible()
    expect(cell.locator(".jp-InputArea-editor")).to_be_visible()
    expect(cell.get_by_text(CLOSED)).to_have_count(0)


def restart(notebook) -> None:
    page = notebook.page
    page.evaluate("() => { window.jupyterapp.commands.execute('kernelmenu:restart'); }")
    page.locator(".jp-Dialog .jp-mod-accept").click()
    notebook.cell(PREDICT).get_by_text("Asleep.").wait_for()
    notebook.wait_idle()


def commit(notebook) -> None:
    form = notebook.cell(PREDICT)
    form.get_by_label("Your answer").fill("0.4")
    form.get_by_label("fairly sure").check()
    form.get_by_role("button", name="Commit").click()


def reload(notebook) -> None:
    """Save, and load the page again while the kernel lives."""
    notebook.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    notebook.page.reload()
    notebook.wait_ready()


def test_a_cell_is_closed_until_the_commitment_whatever_is_run(lab):
    notebook = lab.open_notebook("gate.ipynb")
    expect_closed(notebook)
    notebook.run_all()
    expect_closed(notebook)
    expect(notebook.cell(FREE).get_by_text("all free")).to_be_visible()
    restart(notebook)
    expect_closed(notebook)
    notebook.run_all()
    expect_closed(notebook)
    reload(notebook)
    expect_closed(notebook)
    commit(notebook)
    expect_open(notebook)
    restart(notebook)
    notebook.run_all()
    expect_open(notebook)
    assert "after-01-2" in (lab.root / "gate.ipynb").read_text()


def test_a_reader_can_look_without_a_guess_by_keyboard(lab):
    notebook = lab.open_notebook("gate.ipynb")
    notebook.run_all()
    notebook.cell(GATED).get_by_role("button", name="Show me without a guess").focus()
    notebook.page.keyboard.press("Enter")
    expect_open(notebook)
    expect(notebook.cell(REVEAL).get_by_text("The truth")).to_have_count(0)
    assert not (lab.root / "progress.json").exists()


def test_of_closed_cells_that_follow_each_other_only_the_first_says_which_prediction(lab):
    write_notebook(lab.root / "several.ipynb")
    several = nbformat.read(lab.root / "several.ipynb", as_version=4)
    for cell, name in zip(several.cells[GATED:], ("01-2", "01-2", "01-3"), strict=False):
        cell.metadata["tags"] = [f"after-{name}"]
    write(several, lab.root / "several.ipynb")
    notebook = lab.open_notebook("several.ipynb")
    notes = notebook.page.locator(".course-closed-note")
    expect(notes).to_have_count(2)
    expect(notes.nth(0)).to_contain_text(CLOSED)
    expect(notes.nth(1)).to_contain_text(CLOSED.replace("01.2", "01.3"))
    expect(notebook.cell(GATED + 1).locator(".jp-InputArea-editor")).not_to_be_visible()
    notes.first.get_by_role("button").click()
    expect(notebook.cell(GATED + 1).locator(".jp-InputArea-editor")).to_be_visible()
    expect(notes).to_have_count(1)


@pytest.mark.axe
def test_axe_finds_nothing_wrong_with_a_closed_cell(lab, violations):
    lab.open_notebook("gate.ipynb")
    lab.page.locator(".course-closed-note").wait_for()
    assert violations(lab.page, ".course-closed-note") == []


def test_a_copy_under_another_name_is_closed_and_opens_too(lab):
    shutil.copy(lab.root / "gate.ipynb", lab.root / "my copy.ipynb")
    progress = {"predictions": {"01.2": {"guess": 0.4, "confidence": 75}}}
    notebook = lab.open_notebook("my copy.ipynb")
    expect_closed(notebook)
    (lab.root / "progress.json").write_text(json.dumps(progress))
    notebook = lab.open_notebook("gate.ipynb")  # nothing has been run
    expect(notebook.cell(GATED).locator(".jp-InputArea-editor")).to_be_visible()


def test_explorers_and_forms_come_back_alive_after_a_reload(lab):
    notebook = lab.open_notebook("gate.ipynb")
    notebook.run_all()
    commit(notebook)
    question = notebook.cell(STATEMENTS).locator("form").first
    question.get_by_label("No, I may not").check()
    question.get_by_role("button", name="Answer").click()
    notebook.cell(EXPLORER).get_by_role("slider").focus()
    notebook.page.keyboard.press("End")
    readout = notebook.cell(EXPLORER).locator(".course-readout").inner_text()
    notebook.wait_idle()

    reload(notebook)
    expect(notebook.cell(PREDICT).get_by_text("✓ Committed: 0.4 bits.")).to_be_visible()
    expect(notebook.cell(REVEAL).get_by_text("▼ Your prediction: 0.4 bits")).to_be_visible()
    expect(
        notebook.cell(STATEMENTS).locator("form").first.get_by_text("✗ Not quite.")
    ).to_be_visible()
    expect(notebook.cell(EXPLORER).locator(".course-readout")).to_have_text(
        readout.replace("\n", "")
    )
    expect(notebook.page.get_by_text("Asleep.")).to_have_count(0)
    assert not notebook.page.evaluate(UNSAVED)
    expect_open(notebook)
    notebook.cell(EXPLORER).get_by_role("slider").focus()
    notebook.page.keyboard.press("Home")
    for _ in range(50):  # the kernel hears of a move a little later than the page
        notebook.run_cell(STATE)
        if "'threshold': 1.0" in "".join(notebook.outputs(STATE)):
            break
        notebook.page.wait_for_timeout(100)
    else:
        raise AssertionError(notebook.outputs(STATE))

    for _ in range(2):  # the next day the kernel is gone
        restart(notebook)
        reload(notebook)
        expect(notebook.cell(PREDICT).get_by_text("Asleep.")).to_be_visible()
        expect(notebook.page.get_by_text("model not found")).to_have_count(0)
        notebook.run_all()
    saved = json.loads((lab.root / "gate.ipynb").read_text())
    assert max(json.dumps(cell).count("Asleep.") for cell in saved["cells"]) == 1


# All lessons, with the outputs that Run All gives


VISIBLE = """cells => cells.map(cell => {
    if (cell.querySelector(':scope > .course-closed-note')) return '';
    const area = cell.querySelector('.jp-Cell-outputArea');
    return area?.checkVisibility() ? area.innerText.replace(/^\\[\\d+\\]:$/gm, '') : '';
})"""


def is_gated(cell) -> bool:
    return any(tag.startswith("after-") for tag in cell.metadata.get("tags", []))


KERNEL_IS_NAMED = """() => window.jupyterapp.shell.currentWidget.context.model
    .getMetadata('language_info').version"""


def test_a_notebook_that_was_only_opened_is_not_marked_as_changed(lab):
    """JupyterLab writes the kernel's version into it, which nobody has to save."""
    notebook = lab.open_notebook("00_six_questions.ipynb")
    notebook.page.wait_for_function(KERNEL_IS_NAMED)
    notebook.wait_idle()
    assert not notebook.page.evaluate(UNSAVED)
    notebook.page.evaluate("""() => window.jupyterapp.shell.currentWidget.context.model
        .cells.get(0).sharedModel.setSource('1 + 1')""")
    assert notebook.page.evaluate(UNSAVED)


OPEN = """async path => {
    const {commands, serviceManager, shell} = window.jupyterapp;
    shell.currentWidget?.dispose();
    await serviceManager.sessions.shutdownAll();
    const opened = await commands.execute('docmanager:open', {path});
    await opened.context.ready;
}"""


@pytest.fixture(scope="module")
def reader(started):
    """A lab in which one lesson after the other is opened, without loading the page again."""
    (started.root / "progress.json").unlink(missing_ok=True)
    started.open_notebook("00_six_questions.ipynb")
    return started


@pytest.mark.parametrize("lesson", SOME, ids=lambda one: one.name)
def test_no_lesson_shows_an_answer_in_the_lab_before_the_commitment(lesson, reader):
    reader.page.evaluate(OPEN, f"{lesson.name}.ipynb")
    notebook = NotebookPage(reader.page)
    notebook.wait_ready()
    cells = nbformat.read(ROOT / "notebooks" / f"{lesson.name}.ipynb", as_version=4).cells
    if any(is_gated(cell) for cell in cells):
        notebook.page.locator(".course-closed-note").first.wait_for()
    shown = notebook.page.locator(".jp-Notebook .jp-Cell").evaluate_all(VISIBLE)
    assert len(shown) == len(cells)
    assert sum(map(len, shown)) > 1000
    for prediction in lesson.predictions:
        first, last = span(cells, prediction.id)
        asked = [k for k in range(first + 1, last) if "reveal(" not in cells[k].source]
        seen = [Place(k + 1, line) for k in asked for line in shown[k].expandtabs().splitlines()]
        harmless = HARMLESS.get(prediction.id, ())
        assert said(seen, prediction, truth_of(lesson.name, prediction), harmless=harmless) == []
