"""`./course bench widgets`: from a key press or click on a control to the painted frame.

In a real JupyterLab and a real browser each explorer of the lessons stands beside the same figure
shown in two other ways: as a PNG that the kernel draws anew, and through `interactive_output`, and
each is moved. The same explorers are then moved on a page without a kernel. The time
runs from the browser's input event to the frame that shows the newest state; that it is the newest
is checked against the readout computed here.
"""

import argparse
import json
import os
import sys
import tempfile
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np
from markupsafe import Markup

STORED_GOAL, KERNEL_GOAL = 20.0, 100.0  # ms, for the 95th percentile
KEYS = ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "click")
CHOOSE = "choose"  # from a list, in place of a key
OF_ONES_OWN = "00"  # the lesson whose explorer shows the reader's own results
QUIET = 120  # ms without a new frame: the move is over
WAYS = ("lab, Explorer", "lab, PNG of the kernel", "lab, interactive_output")
PAGE = "page without a kernel"

EXPLORER_CELL = """
from course_lib.tools.bench.widgets import explorer_of
explorer = explorer_of("{lesson}")
explorer
"""
PNG_CELL = """
import ipywidgets as widgets
from course_lib.plots.pictures import png_of
first = explorer_of("{lesson}")
image = widgets.Image()
def draw(_change=None):
    image.value = png_of(first.new_figure(**first.state))
for control in first.controls.values():
    control.observe(draw, names="value")
draw()
widgets.VBox([*first.controls.values(), image])
"""
TWIN_CELL = """
from IPython.display import display
second = explorer_of("{lesson}")
output = widgets.interactive_output(lambda **s: display(second.new_figure(**s)), second.controls)
widgets.VBox([*second.controls.values(), output])
"""
CONTROL = "input[type=range], select, .noUi-handle"
RECORD = """area => {
    const record = area.record = {input: null, painted: []};
    for (const kind of ['keydown', 'pointerdown', 'change'])
        area.addEventListener(kind, event => { record.input ??= event.timeStamp; }, true);
    const painted = () => requestAnimationFrame(() => {
        const {port1, port2} = new MessageChannel();  // comes after the frame has been painted
        port1.onmessage = () => record.painted.push(performance.now());
        port2.postMessage(0);
    });
    const watch = image => image.addEventListener('load', painted);
    area.querySelectorAll('img').forEach(watch);
    const picture = area.querySelector('.course-picture');
    new MutationObserver(changes => {
        if (picture) painted();
        for (const change of changes) for (const node of change.addedNodes) {
            if (node.nodeName === 'IMG') watch(node);
            node.querySelectorAll?.('img').forEach(watch);
        }
    }).observe(picture ?? area, {childList: true, attributes: Boolean(picture), subtree: true});
}"""
SETTLED = """([area, quiet]) => {
    const {input, painted} = area.record;
    const last = painted[painted.length - 1];
    return input !== null && last > input && performance.now() - last > quiet
        ? last - input : null;
}"""
RESET = "area => { area.record.input = null; area.record.painted = []; }"


@dataclass(frozen=True)
class Timing:
    """The moves of one control, in milliseconds from input to painted frame."""

    lesson: str
    way: str
    moves: int
    median: float
    percentile_95: float
    newest: int | None  # frames checked to show the newest state
    goal: float | None


def lessons_with_explorers() -> list[str]:
    """All of them; that of lesson 00 shows a reader's own rankings, the others are stored."""
    from course_lib.widgets.by_lesson import EXPLORERS

    return [OF_ONES_OWN, *EXPLORERS]


def explorer_of(lesson: str):
    """The explorer of a lesson, as the lesson shows it."""
    from course_lib.widgets import rankings_explorer
    from course_lib.widgets.by_lesson import EXPLORERS

    if lesson == OF_ONES_OWN:
        return rankings_explorer(_rankings(), "race")
    return EXPLORERS[lesson]()


@cache
def _rankings():
    """What the explorer of one's own results shows, computed once for all ways to show it."""
    from course_lib.studies.census import seven_rankings

    return seven_rankings()


def run(args: argparse.Namespace) -> int:
    """Measure every explorer, print the tables, and say whether the goals are met."""
    timings = []
    for lesson in [args.lesson] if args.lesson else lessons_with_explorers():
        timings += (new := measure(lesson, moves=args.moves))
        print(table(new), flush=True)
    print(sizes())
    print(_circumstances())
    if args.json:
        Path(args.json).write_text(
            json.dumps([asdict(timing) for timing in timings], indent=2), encoding="utf-8"
        )
    return 0


def measure(lesson: str, *, moves: int = 48) -> list[Timing]:
    """Times of one explorer, in the lab beside the two other ways, and on a page.

    Parameters
    ----------
    lesson : str
        One of `lessons_with_explorers`.
    moves : int, default=48
        Moves of each control.
    """
    from course_lib.validation import check_count, check_option

    check_option(lesson, "lesson", tuple(lessons_with_explorers()))
    moves = check_count(moves, "moves", minimum=2)
    return [*_in_the_lab(lesson, moves), *_on_a_page(lesson, moves)]


def _in_the_lab(lesson: str, moves: int) -> Iterator[Timing]:
    from course_lib.tools.browser import Lab

    reference = explorer_of(lesson)
    with tempfile.TemporaryDirectory() as folder, Lab(folder) as lab:
        _write_notebook(Path(folder) / "bench.ipynb", lesson)
        notebook = lab.open_notebook("bench.ipynb")
        notebook.run_all()
        areas = [
            _Area(lab.page, notebook.cell(k).locator(".jp-OutputArea").first) for k in range(3)
        ]
        times, newest = _moved(areas, moves, reference, f"lesson {lesson}, lab")
    goal = KERNEL_GOAL if reference.named else STORED_GOAL
    for way, own in zip(WAYS, times, strict=True):
        is_ours = way == WAYS[0]
        yield _timing(lesson, way, own, newest if is_ours else None, goal if is_ours else None)


def _on_a_page(lesson: str, moves: int) -> Iterator[Timing]:
    from course_lib.tools.browser import browser_page

    explorer = explorer_of(lesson)
    if explorer.named:  # without a kernel it shows its named states, and has nothing to slide
        return
    with tempfile.TemporaryDirectory() as folder, browser_page(f"{folder}/profile") as page:
        path = Path(folder, "page.html")
        path.write_text(page_with(explorer), encoding="utf-8")
        page.goto(path.as_uri())
        area = _Area(page, page.locator(".course-explorer"))
        (own,), newest = _moved([area], moves, explorer, f"lesson {lesson}, page")
    yield _timing(lesson, PAGE, own, newest, STORED_GOAL)


def page_with(explorer) -> str:
    """A page with nothing but the explorer, in both of its drawings."""
    from course_lib.widgets.states import NARROW, stored_states
    from course_lib.widgets.surface import script, style

    packed = {explorer.stored: explorer.packed}
    if explorer.stored:
        name = explorer.stored + NARROW
        packed[name] = stored_states(name).packed
    states = "".join(
        f'courseStates("{name}", "{b64encode(each).decode()}");' for name, each in packed.items()
    )
    html = (
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>bench</title><style>{}</style>'
        '<body data-theme="light">{}<script>{}</script><script>{}</script></body></html>'
    )
    parts = (style(), explorer.page_html(), script("page"), states)
    return str(Markup(html).format(*map(Markup, parts)))


def _moved(areas: list["_Area"], moves: int, reference, name: str) -> tuple[list, int]:
    """The times of every area, and how often the first one showed the newest state.

    One after the other: what a kernel still sends for one of them would delay the next.
    """
    for area in areas * 2:  # the first moves warm all of them up
        area.move("ArrowRight")
    times, newest = [], 0
    for k, area in enumerate(areas):
        times.append([])
        for move in range(moves):
            times[k].append(area.move(KEYS[move % len(KEYS)], fraction=(move * 0.381966) % 1))
            newest += k == 0 and area.shows(reference)
            print(f"\r{name}, {k + 1}: move {move + 1} of {moves}", end="", file=sys.stderr)
    print(file=sys.stderr)
    return times, newest


class _Area:
    """What holds one picture and its controls; the first slider, else the first list, is moved."""

    def __init__(self, page, place):
        self.page, self.element = page, place.element_handle()
        self.element.wait_for_selector("img, .course-picture")
        self.control = self.element.wait_for_selector(CONTROL)
        self.kind = self.control.evaluate("node => node.localName")
        self.page.evaluate(RECORD, self.element)

    def move(self, key: str, fraction: float = 0.5) -> float:
        """Move the control by a key or a click; milliseconds to the new picture."""
        for attempt in (key, "ArrowLeft", "ArrowRight", CHOOSE):  # it may stand at an end already
            self.page.evaluate(RESET, self.element)
            before = self.value()
            self._use(attempt, fraction)
            if self.value() != before:
                done = self.page.wait_for_function(SETTLED, arg=[self.element, QUIET], polling=20)
                return float(done.json_value())
        raise RuntimeError("The control does not move. Try it by hand in JupyterLab.")

    def _use(self, key: str, fraction: float) -> None:
        if key == "click" and self.kind != "select":
            track = (
                self.control if self.kind == "input" else self.control.query_selector("xpath=../..")
            )
            box = track.bounding_box()
            self.page.mouse.click(box["x"] + box["width"] * fraction, box["y"] + box["height"] / 2)
            return
        if key == CHOOSE:  # the notebook takes the keys of ipywidgets' own lists
            count = self.control.evaluate("node => node.length")
            self.control.select_option(index=(int(self.value()) + 1) % count)
            return
        self.control.focus()
        turned = {"ArrowRight": "ArrowDown", "click": "ArrowDown", "ArrowLeft": "ArrowUp"}
        self.page.keyboard.press(turned[key] if self.kind == "select" else key)

    def value(self) -> str:
        """What the control stands at."""
        return self.control.evaluate(
            "node => node.getAttribute('aria-valuetext') ?? String(node.selectedIndex)"
        )

    def shows(self, reference) -> bool:
        """Whether text and picture are those of the place where the controls stand."""
        shown = self.element.evaluate(
            """area => ({text: area.querySelector('.course-readout').innerText,
                         alt: area.querySelector('.course-picture svg').getAttribute('aria-label'),
                         at: (area.querySelector('input[type=range]')?.value
                              ?? area.querySelector('select').selectedIndex)})"""
        )
        name, grid = next(iter(reference.grids.items()))
        reference.controls[name].value = grid[int(shown["at"])]
        wanted = reference.shown()
        return (shown["text"], shown["alt"]) == (wanted["text"], wanted["alt"])


def table(timings: list[Timing]) -> str:
    """The figures as text, with a verdict for each explorer."""
    lines = [f"{'lesson':8}{'way':26}{'moves':>6}{'median':>10}{'95 %':>10}   newest frame shown"]
    for timing in timings:
        shown = "" if timing.newest is None else f"{timing.newest} of {timing.moves}"
        verdict = ""
        if timing.goal is not None:
            met = "met" if timing.percentile_95 <= timing.goal else "not met"
            verdict = f"   goal {timing.goal:.0f} ms: {met}"
        lines.append(
            f"{timing.lesson:8}{timing.way:26}{timing.moves:6}{timing.median:7.0f} ms"
            f"{timing.percentile_95:7.0f} ms   {shown}{verdict}"
        )
    return "\n".join(lines)


def sizes() -> str:
    """What the explorers weigh, compressed as they are stored."""
    from course_lib.tools.states import file_of
    from course_lib.tools.system import ROOT
    from course_lib.widgets.by_lesson import STORED

    files = {name: file_of(name, ROOT) for name in STORED}
    weights = {name: file.stat().st_size / 1e3 for name, file in files.items() if file.exists()}
    listed = ", ".join(f"{name} {weight:.0f}" for name, weight in weights.items())
    return f"Stored states in kB: {listed}; together {sum(weights.values()):.0f}."


def _circumstances() -> str:
    """How busy the machine was: on a busy one, all ways are slower."""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return f"Load of the machine in the last minute, this measurement included: {load}, " + (
        f"on {os.cpu_count()} processors."
    )


def _timing(lesson: str, way: str, times: list, newest: int | None, goal: float | None) -> Timing:
    median, percentile_95 = np.percentile(times, [50, 95])
    return Timing(lesson, way, len(times), float(median), float(percentile_95), newest, goal)


def _write_notebook(path: Path, lesson: str) -> None:
    import nbformat.v4 as v4

    sources = (EXPLORER_CELL, PNG_CELL, TWIN_CELL)
    cells = [v4.new_code_cell(source.strip().format(lesson=lesson)) for source in sources]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path.write_text(
        json.dumps(v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})), encoding="utf-8"
    )
