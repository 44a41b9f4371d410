"""`./course bench widgets`: from a key press or click on a control to the new picture on screen.

A real JupyterLab is opened in a real browser. Each explorer of the lessons stands beside the same
figure shown through ipywidgets' `interactive_output`, and the two sliders (lists, where an
explorer has no slider) are moved in turns. The
time runs from the browser's input event to the load event of the image that shows the newest
state; that it is the newest is checked, byte by byte, against a frame drawn here.
"""

import argparse
import hashlib
import json
import os
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import ipywidgets as widgets
import numpy as np

GOAL = 100.0  # ms, for the 95th percentile; and at most half of interactive_output's
KEYS = ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "click")
QUIET = 150  # ms without a new image: the move is over

EXPLORER_CELL = """
from course_lib.widgets.by_lesson import EXPLORERS
explorer = EXPLORERS["{lesson}"]()
explorer
"""
TWIN_CELL = """
import ipywidgets as widgets
from IPython.display import display
from course_lib.widgets.frames import FRAME_DPI
twin = EXPLORERS["{lesson}"]()
def show(**state):
    figure = twin.new_figure(**state)
    figure.set_dpi(FRAME_DPI)
    display(figure)
output = widgets.interactive_output(show, twin.controls)
widgets.VBox([*twin.controls.values(), output])
"""

RECORD = """area => {
    const record = area.record = {input: null, loads: []};
    for (const kind of ['keydown', 'pointerdown', 'change'])
        area.addEventListener(kind, event => { record.input = event.timeStamp; }, true);
    const watch = image =>
        image.addEventListener('load', () => record.loads.push(performance.now()));
    area.querySelectorAll('img').forEach(watch);
    new MutationObserver(changes => {
        for (const change of changes) for (const node of change.addedNodes) {
            if (node.nodeName === 'IMG') watch(node);
            node.querySelectorAll?.('img').forEach(watch);
        }
    }).observe(area, {childList: true, subtree: true});
}"""
SETTLED = """([area, quiet]) => {
    const {input, loads} = area.record;
    const last = loads[loads.length - 1];
    return input !== null && last > input && performance.now() - last > quiet
        ? last - input : null;
}"""
RESET = "area => { area.record.input = null; area.record.loads = []; }"
SHOWN = """async area => {
    const bytes = await (await fetch(area.querySelector('img').src)).arrayBuffer();
    const digest = await crypto.subtle.digest('SHA-256', bytes);
    return [...new Uint8Array(digest)].map(byte => byte.toString(16).padStart(2, '0')).join('');
}"""


@dataclass(frozen=True)
class Timing:
    """The moves of one slider, in milliseconds from input to new picture."""

    lesson: str
    way: str
    moves: int
    median: float
    percentile_95: float
    newest: int | None  # frames checked to show the newest state


def run(args: argparse.Namespace) -> int:
    """Measure every explorer, print the table, and say whether the goal is met."""
    from course_lib.widgets.by_lesson import EXPLORERS

    lessons = [args.lesson] if args.lesson else list(EXPLORERS)
    timings = []
    for lesson in lessons:
        timings += measure(lesson, moves=args.moves)
    print(table(timings))
    print(_circumstances())
    if args.json:
        Path(args.json).write_text(json.dumps([asdict(timing) for timing in timings], indent=2))
    return 0


def measure(lesson: str, *, moves: int = 48) -> tuple[Timing, Timing]:
    """Times of one explorer and of the same figure through interactive_output, in turns.

    Parameters
    ----------
    lesson : str
        A key of `course_lib.widgets.by_lesson.EXPLORERS`.
    moves : int, default=48
        Moves of each of the two sliders.
    """
    from course_lib.tools.browser import Lab
    from course_lib.validation import check_count, check_option
    from course_lib.widgets.by_lesson import EXPLORERS

    check_option(lesson, "lesson", tuple(EXPLORERS))
    moves = check_count(moves, "moves", minimum=2)
    reference = EXPLORERS[lesson]()
    with tempfile.TemporaryDirectory() as folder, Lab(folder) as lab:
        _write_notebook(Path(folder) / "bench.ipynb", lesson)
        notebook = lab.open_notebook("bench.ipynb")
        notebook.run_all()
        areas = [_Area(notebook, cell) for cell in (0, 1)]
        for area in areas * 2:  # the first moves warm both up
            area.move("ArrowRight")
        times, newest = ([], []), 0
        for move in range(moves):
            for area, own in zip(areas, times, strict=True):
                own.append(area.move(KEYS[move % len(KEYS)], fraction=(move * 0.381966) % 1))
            newest += areas[0].shows(reference)
            print(f"\rlesson {lesson}: move {move + 1} of {moves}", end="", file=sys.stderr)
        print(file=sys.stderr)
    return (
        _timing(lesson, "Explorer", times[0], newest),
        _timing(lesson, "interactive_output", times[1], None),
    )


def table(timings: list[Timing]) -> str:
    """The figures as text, with a verdict for each explorer."""
    lines = [f"{'lesson':8}{'way':22}{'moves':>6}{'median':>10}{'95 %':>10}   newest frame shown"]
    for timing in timings:
        shown = "" if timing.newest is None else f"{timing.newest} of {timing.moves}"
        lines.append(
            f"{timing.lesson:8}{timing.way:22}{timing.moves:6}{timing.median:7.0f} ms"
            f"{timing.percentile_95:7.0f} ms   {shown}"
        )
    for ours, theirs in zip(timings[::2], timings[1::2], strict=True):
        limit = min(GOAL, theirs.percentile_95 / 2)
        verdict = "met" if ours.percentile_95 <= limit else "not met"
        lines.append(
            f"lesson {ours.lesson}: 95 % of the moves within {ours.percentile_95:.0f} ms; goal "
            f"{GOAL:.0f} ms and half of interactive_output, {theirs.percentile_95 / 2:.0f} ms: "
            f"{verdict}"
        )
    return "\n".join(lines)


def _circumstances() -> str:
    """How busy the machine was: on a busy one, both ways are slower."""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return f"Load of the machine in the last minute, this measurement included: {load}, " + (
        f"on {os.cpu_count()} processors."
    )


class _Area:
    """The output of one cell with an image and a slider or, if it has none, a list."""

    def __init__(self, notebook, cell: int):
        self.page = notebook.page
        self.element = notebook.cell(cell).locator(".jp-OutputArea").first.element_handle()
        self.element.wait_for_selector("img")
        self.control = self.element.wait_for_selector(".noUi-target, select")
        self.handle = self.control.query_selector(".noUi-handle")
        self.page.evaluate(RECORD, self.element)

    def move(self, key: str, fraction: float = 0.5) -> float:
        """Move the control by a key or a click; milliseconds to the new picture."""
        for attempt in (key, "ArrowLeft", "ArrowRight"):  # it may stand at an end already
            self.page.evaluate(RESET, self.element)
            before = self.value()
            self._use(attempt, fraction)
            if self.value() != before:
                done = self.page.wait_for_function(SETTLED, arg=[self.element, QUIET], polling=20)
                return float(done.json_value())
        raise RuntimeError("The control does not move. Try it by hand in JupyterLab.")

    def _use(self, key: str, fraction: float) -> None:
        if self.handle is None:
            count = self.control.evaluate("list => list.options.length")
            self.control.select_option(index=int(self.value() + 1) % count)
        elif key == "click":
            box = self.control.bounding_box()
            x, y = box["x"] + box["width"] * fraction, box["y"] + box["height"] / 2
            self.page.mouse.click(x, y)
        else:
            self.handle.focus()
            self.page.keyboard.press(key)

    def value(self) -> float:
        """The value of a slider, the place of what is chosen from a list."""
        if self.handle is None:
            return self.control.evaluate("list => list.selectedIndex")
        return float(self.handle.get_attribute("aria-valuetext"))  # valuenow has one decimal only

    def shows(self, reference) -> bool:
        """Whether the image is, byte by byte, the frame of the control's value."""
        controls = reference.controls.values()
        sliders = [control for control in controls if control.has_trait("readout")]
        lists = [control for control in controls if isinstance(control, widgets.Dropdown)]
        control = (sliders or lists)[0]
        if control.has_trait("options"):
            control.index = int(self.value())
        else:
            control.value = self.value()
        expected = hashlib.sha256(reference.png).hexdigest()
        return self.page.evaluate(SHOWN, self.element) == expected


def _timing(lesson: str, way: str, times: list[float], newest: int | None) -> Timing:
    median, percentile_95 = np.percentile(times, [50, 95])
    return Timing(lesson, way, len(times), float(median), float(percentile_95), newest)


def _write_notebook(path: Path, lesson: str) -> None:
    import nbformat.v4 as v4

    cells = [v4.new_code_cell(c.strip().format(lesson=lesson)) for c in (EXPLORER_CELL, TWIN_CELL)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path.write_text(json.dumps(v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})))
