"""All that is alive, in a real JupyterLab: by keyboard, with a kernel, after a restart, in dark."""

import pytest
from nbformat import v4, write

from course_lib.tools.browser import Lab
from course_lib.tools.saving import VIEW
from course_lib.widgets import threshold_explorer

pytestmark = pytest.mark.browser

CODE = (
    "from course_lib.learner import ask, check, may_i_say, model_answer\n"
    "from course_lib.learner import pre_test, predict, progress\n"
    "from course_lib.widgets.by_lesson import EXPLORERS\n"
    'stored, drawn = EXPLORERS["01"](), EXPLORERS["04"]()',
    "stored",
    "drawn",
    "stored.state, stored.reached, drawn.state",
)
STORED, DRAWN, STATE = 1, 2, 3
OTHERS = (
    'predict("01.1")',
    'may_i_say("01.a")',
    'check("01.1", lambda counts: 1.0)',
    "ask()",
    "progress()",
    'model_answer("01.w")',
    "pre_test()",
    "stored.figure()",
)
AWAKE = "Python sleeps, the picture stays awake. To wake the code: Run > Run All Cells."


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    folder = tmp_path_factory.mktemp("alive")
    with Lab(folder, dark=True, environment={"COURSE_WORKBOOK": str(folder)}) as lab:
        yield lab


def notebook_with(sources):
    """A notebook with these cells."""
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return v4.new_notebook(cells=[v4.new_code_cell(each) for each in sources], metadata=kernel)


def open_notebook(lab, name, sources):
    """A notebook with these cells, open and run."""
    write(notebook_with(sources), lab.root / name)
    notebook = lab.open_notebook(name)
    notebook.run_all()
    return notebook


def active_cell(page) -> int:
    return page.evaluate("() => window.jupyterapp.shell.currentWidget.content.activeCellIndex")


def test_explorers_by_keyboard_with_a_kernel_and_after_a_restart(lab):
    notebook, page = open_notebook(lab, "explorers.ipynb", CODE), lab.page
    stored, drawn = notebook.cell(STORED), notebook.cell(DRAWN)

    slider = stored.get_by_role("slider")
    slider.focus()
    for key in ("Home", "ArrowDown", "Enter", *["ArrowRight"] * 22, "ArrowUp"):
        page.keyboard.press(key)
    assert "12/20" in stored.locator(".course-readout").inner_text()
    assert "✔ Reached." in stored.locator(".course-goal").inner_text()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")  # the second way to measure impurity
    assert stored.get_by_role("radio", name="gini").is_checked()

    assert active_cell(page) == STORED  # no key has reached the notebook
    drawn.get_by_role("slider").first.focus()
    page.keyboard.press("End")
    drawn.locator(".course-readout", has_text="Ann 8").wait_for()
    assert active_cell(page) == DRAWN
    page.keyboard.press("Escape")  # leads back to the cell, whose keys work again
    page.keyboard.press("ArrowUp")
    assert active_cell(page) == DRAWN - 1
    notebook.run_cell(STATE)
    (said,) = notebook.outputs(STATE)
    assert "'threshold': 12.5" in said and "gini" in said and "True" in said
    assert "'A': 12" in said

    page.evaluate("() => { window.jupyterapp.commands.execute('kernelmenu:restart'); }")
    page.locator(".jp-Dialog .jp-mod-accept").click()
    stored.get_by_text(AWAKE).wait_for()
    slider.focus()
    page.keyboard.press("Home")
    assert "1/20" in stored.locator(".course-readout").inner_text()
    assert drawn.get_by_role("slider").first.is_disabled()
    drawn.get_by_role("button", name="Opposite").click()  # named games are stored
    assert "✔ Reached." in drawn.locator(".course-goal").inner_text()
    notebook.run_all()
    assert stored.locator(".course-note").inner_text() == ""
    assert drawn.get_by_role("slider").first.is_enabled()


LIGHTEN = """async () => {
    await window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Light'});
}"""
IS_LIGHT = "wanted => document.body.dataset.jpThemeLight === String(wanted)"


@pytest.mark.axe
def test_axe_finds_nothing_wrong_in_what_the_lab_shows_in_dark_and_in_light(lab, violations):
    open_notebook(lab, "everything.ipynb", [*CODE, *OTHERS])
    for light in (False, True):
        if light:
            lab.page.evaluate(LIGHTEN)
        lab.page.wait_for_function(IS_LIGHT, arg=light)
        lab.page.wait_for_timeout(1500)
        assert lab.page.locator(".course").count() >= 7
        assert violations(lab.page, ".jp-OutputArea-output .course, .course-figure") == []


def stored_output(shown):
    """What the build keeps of something that a cell shows."""
    bundle = {mime: value for mime, value in shown._repr_mimebundle_().items() if mime != VIEW}
    return v4.new_output("display_data", {mime: str(value) for mime, value in bundle.items()})


def test_a_notebook_that_is_not_trusted_shows_stills_and_no_loose_letters(lab, monkeypatch):
    """JupyterLab takes drawings and styles out of what somebody else has run."""
    monkeypatch.setenv("COURSE_BUILD", "1")
    explorer, notebook = threshold_explorer(), notebook_with(["picture", "explorer"])
    for cell, shown in zip(notebook.cells, (explorer.figure(), explorer), strict=True):
        cell.outputs = [stored_output(shown)]
    write(notebook, lab.root / "stored.ipynb")
    opened = lab.open_notebook("stored.ipynb")
    picture, stills = (opened.cell(k).locator(".course-still") for k in range(2))
    assert picture.is_visible() and "node" in picture.get_attribute("alt")
    assert picture.evaluate("image => image.naturalWidth") > 300
    assert stills.count() >= 2 and all(still.is_visible() for still in stills.all())
    assert opened.outputs(0) == [""]
    assert explorer.goal in opened.outputs(1)[0]
    assert lab.page.locator(".course-figure:visible, .course-figure svg").count() == 0
