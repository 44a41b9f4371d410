"""The pictures of the README, taken from a real JupyterLab.

`python -m course_lib.tools.screenshots` takes them all. Each one is a learner's own screen:
the workbook as it is handed out, cells that were run, answers that were typed. They have twice as
many pixels as the screen, and few colours.
"""

import argparse
import io
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from course_lib.plots.pictures import small_png
from course_lib.tools.browser import Lab, NotebookPage
from course_lib.tools.lab import SETTINGS
from course_lib.tools.system import ROOT
from course_lib.tools.workbook import hand_out

FOLDER = ROOT / ".github"
WIDTH, HEIGHT, SCALE, COLOURS = 1100, 1500, 2, 96
WINDOW = {"x": 0, "y": 0, "width": WIDTH, "height": 760}
STEPS = 7  # of the slider, from where it begins to the second-highest hill
MARGIN = 8
IN_NATS = """def entropy(counts):
    p = np.array(counts) / np.sum(counts)
    p = p[p > 0]
    return -np.sum(p * np.log(p))"""


def lesson(lab: Lab) -> bytes:
    """A window with lesson 01 and its slider, on the second-highest hill."""
    notebook = _open_notebook(lab, "01_mdi.ipynb")
    _run(notebook, "load_node, load_rank_swap", "load_node()", "plot_split(", "threshold=4.5")
    explorer = _run(notebook, "explorer", exactly=True)
    explorer.locator(".noUi-handle").focus()
    for _ in range(STEPS):
        lab.page.keyboard.press("ArrowRight")
    lab.page.wait_for_timeout(1500)
    _to_top(_cell(notebook, "threshold=4.5").locator("xpath=following-sibling::*[1]"))
    return lab.page.screenshot(clip=WINDOW)


def prediction(lab: Lab) -> bytes:
    """A prediction that was committed, and the truth beside it."""
    notebook = _open_notebook(lab, "01_mdi.ipynb")
    _run(notebook, "import may_i_say", "load_rank_swap", "load_node()")
    form = _run(notebook, 'predict("01.2")')
    form.get_by_label("bits").fill("0.45")
    form.get_by_label("How sure?").select_option("fairly sure (75 %)")
    form.get_by_role("button", name="Commit").click()
    form.get_by_text("is committed").wait_for()
    return _from_to(lab, form, _run(notebook, 'reveal("01.2"'))


def check(lab: Lab) -> bytes:
    """A check that names the slip behind a wrong answer."""
    notebook = _open_notebook(lab, "exercises/01_mdi.ipynb")
    _run(notebook, "import numpy as np")
    task = _cell(notebook, "def entropy")
    task.locator(".cm-content").click()
    lab.page.keyboard.press("Control+a")
    lab.page.keyboard.insert_text(IN_NATS)
    _run(notebook, "def entropy")
    heading = task.locator("xpath=preceding-sibling::*[1]")
    return _from_to(lab, heading, _run(notebook, 'check("01.1"'))


def concept_map(lab: Lab) -> bytes:
    """The map of lessons, measures and questions in lesson 00."""
    notebook = _open_notebook(lab, "00_six_questions.ipynb")
    _run(notebook, "make_census_world()")
    output = _run(notebook, "plot_map(titles)").locator(".jp-OutputArea-output img")
    _to_top(output)
    return output.screenshot()


PICTURES: dict[str, Callable[[Lab], bytes]] = {
    "lesson.png": lesson,
    "prediction.png": prediction,
    "check.png": check,
    "map.png": concept_map,
}


def take(names, folder: Path) -> None:
    """Take the pictures of these names in one JupyterLab and write them into a folder."""
    with TemporaryDirectory() as home:
        hand_out(ROOT, Path(home, "workbook"))
        settings = {"JUPYTER_CONFIG_PATH": str(SETTINGS)}
        workbook = Path(home, "workbook")
        with Lab(workbook, environment=settings, size=(WIDTH, HEIGHT), scale=SCALE) as lab:
            for name in names:
                (folder / name).write_bytes(small_png(io.BytesIO(PICTURES[name](lab)), COLOURS))


def _open_notebook(lab: Lab, place: str) -> NotebookPage:
    notebook = lab.open_notebook(place)
    lab.page.wait_for_timeout(1000)
    return notebook


def _cell(notebook: NotebookPage, text: str, exactly: bool = False):
    """The first code cell that contains a text, or consists of it."""
    code = notebook.page.locator(".cm-content")
    wanted = code.get_by_text(text, exact=True) if exactly else code.filter(has_text=text)
    return notebook.page.locator(".jp-CodeCell").filter(has=wanted).first


def _run(notebook: NotebookPage, *texts: str, exactly: bool = False):
    """Run the cells that contain these texts, one after the other; the last one is returned."""
    for text in texts:
        cell = _cell(notebook, text, exactly)
        cell.locator(".cm-content").click()
        notebook.page.keyboard.press("Control+Enter")
        notebook.page.wait_for_timeout(300)
        notebook.wait_idle()
    return cell


def _to_top(locator) -> None:
    locator.evaluate("element => element.scrollIntoView({block: 'start'})")
    locator.page.wait_for_timeout(500)


def _from_to(lab: Lab, first, last) -> bytes:
    """What stands between the top of one cell and the bottom of another, both included."""
    _to_top(first)
    lab.page.mouse.move(0, 0)
    top, bottom = first.bounding_box(), last.bounding_box()
    height = bottom["y"] + bottom["height"] - top["y"]
    return lab.page.screenshot(clip={**top, "height": height + MARGIN})


def main(arguments: list[str] | None = None) -> int:
    """Take all pictures of the README, or those that are named."""
    parser = argparse.ArgumentParser(prog="python -m course_lib.tools.screenshots")
    parser.add_argument("names", nargs="*", choices=[[], *PICTURES], help="all if none is named")
    take(parser.parse_args(arguments).names or list(PICTURES), FOLDER)
    return 0


if __name__ == "__main__":
    sys.exit(main())
