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

from PIL import Image

from course_lib.plots import map_text
from course_lib.plots.pictures import small_png
from course_lib.tools.browser import Lab, NotebookPage
from course_lib.tools.lab import environment
from course_lib.tools.system import ROOT
from course_lib.tools.workbook import hand_out

FOLDER = ROOT / ".github"
WIDTH, HEIGHT, SCALE, COLOURS = 1100, 1500, 2, 96
FRAMES, STRIDE, FRAME_MS = 12, 3, 400  # of the picture that moves
MARGIN = 8
IN_NATS = """def entropy(counts):
    p = np.array(counts) / np.sum(counts)
    p = p[p > 0]
    return -np.sum(p * np.log(p))"""


def moving(lab: Lab) -> list[bytes]:
    """The explorer of lesson 01 as its slider goes over the hills, one picture for each step."""
    page = _run_all(lab, "01_mdi.ipynb").page
    explorer = page.locator(".course-explorer").first
    _to_top(explorer)
    explorer.get_by_role("slider").focus()
    page.keyboard.press("Home")
    frames = []
    for _ in range(FRAMES):
        page.wait_for_timeout(200)
        frames.append(explorer.screenshot())
        for _ in range(STRIDE):
            page.keyboard.press("ArrowRight")
    return frames


def prediction(lab: Lab) -> bytes:
    """A prediction that was committed, and the truth beside it, without what stands between."""
    page = _run_all(lab, "01_mdi.ipynb").page
    form = page.locator('[data-asks="01.2"]')
    form.get_by_label("Your answer").fill("0.45")
    form.get_by_label("fairly sure (75 %)").check()
    form.get_by_role("button", name="Commit").click()
    form.get_by_text("Committed: 0.45 bits").wait_for()
    truth = page.locator(".course-result", has_text="0.45 bits")
    return _stacked(_cell_of(form).screenshot(), _cell_of(truth).screenshot())


def check(lab: Lab) -> bytes:
    """A check that names the slip behind a wrong answer."""
    notebook = _open_notebook(lab, "exercises/exercise_01_mdi.ipynb")
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
    page = _run_all(lab, "00_six_questions.ipynb").page
    found = page.get_by_role("img", name=map_text()[:40]).first
    _to_top(found)
    return found.screenshot()


PICTURES: dict[str, Callable[[Lab], bytes | list[bytes]]] = {
    "moving.png": moving,
    "prediction.png": prediction,
    "check.png": check,
    "map.png": concept_map,
}


def take(names, folder: Path) -> None:
    """Take the pictures of these names in one JupyterLab and write them into a folder."""
    with TemporaryDirectory() as home:
        workbook = Path(home, "workbook")
        hand_out(ROOT, workbook)
        window = {"size": (WIDTH, HEIGHT), "scale": SCALE}
        with Lab(workbook, environment=environment(workbook), **window) as lab:
            for name in names:
                taken = PICTURES[name](lab)
                one = isinstance(taken, bytes)
                small = small_png(io.BytesIO(taken), COLOURS) if one else moving_png(taken)
                (folder / name).write_bytes(small)


def moving_png(pngs: list[bytes]) -> bytes:
    """One picture that shows others in turn, for ever; all in the colours of the first."""
    frames = [Image.open(io.BytesIO(png)).convert("RGB") for png in pngs]
    first = frames[0].quantize(COLOURS)
    rest = [frame.quantize(palette=first, dither=Image.Dither.NONE) for frame in frames[1:]]
    buffer = io.BytesIO()
    first.save(buffer, "PNG", save_all=True, append_images=rest, duration=FRAME_MS, loop=0)
    return buffer.getvalue()


def _open_notebook(lab: Lab, place: str) -> NotebookPage:
    notebook = lab.open_notebook(place)
    lab.page.wait_for_timeout(1000)
    return notebook


def _run_all(lab: Lab, place: str) -> NotebookPage:
    notebook = _open_notebook(lab, place)
    notebook.run_all()
    return notebook


def _cell_of(part):
    """The cell of the notebook that something is shown in."""
    return part.locator("xpath=ancestor::*[contains(@class, 'jp-Cell ')][1]")


def _stacked(*pngs: bytes) -> bytes:
    """One picture above the other."""
    pictures = [Image.open(io.BytesIO(png)) for png in pngs]
    width, height = max(p.width for p in pictures), sum(p.height for p in pictures)
    whole, top = Image.new("RGB", (width, height), "white"), 0
    for each in pictures:
        whole.paste(each, (0, top))
        top += each.height
    buffer = io.BytesIO()
    whole.save(buffer, "PNG")
    return buffer.getvalue()


def _cell(notebook: NotebookPage, text: str):
    """The first code cell that contains a text."""
    code = notebook.page.locator(".cm-content").filter(has_text=text)
    return notebook.page.locator(".jp-CodeCell").filter(has=code).first


def _run(notebook: NotebookPage, *texts: str):
    """Run the cells that contain these texts, one after the other; the last one is returned."""
    for text in texts:
        cell = _cell(notebook, text)
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
