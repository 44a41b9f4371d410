"""The wiring between controls and picture."""

import asyncio
import json
import re
import threading
from io import BytesIO

import ipywidgets as widgets
import matplotlib.pyplot as plt
import nbformat.v4 as v4
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from course_lib.plots.pictures import course_style
from course_lib.widgets import Explorer, Scene, frames, threshold_explorer
from course_lib.widgets.by_lesson import EXPLORERS
from course_lib.widgets.frames import FRAME_DPI


class Counting:
    """A frame function that remembers what it was asked for."""

    def __init__(self):
        self.asked = []

    def __call__(self, n):
        self.asked.append(n)
        figure, ax = plt.subplots(figsize=(2, 1))
        ax.plot([0, n])
        return figure


def explorer_of(frame, **options):
    defaults = {
        "readout": lambda n: f"n squared is {n**2}",
        "controls": {"n": widgets.IntSlider(2, 0, 10)},
        "goal": "Make n squared 81.",
        "reached": lambda n: n**2 == 81,
    }
    return Explorer(frame=frame, **defaults | options)


# From control to picture


def test_a_moved_control_changes_picture_readout_and_alternative_text():
    explorer = explorer_of(Counting())
    before = explorer.png
    explorer.controls["n"].value = 7
    assert explorer.state == {"n": 7}
    assert explorer.readout_text == "n squared is 49"
    assert explorer.png != before
    assert explorer._image.tooltip == "n squared is 49"
    assert "n squared is 49" in explorer._readout_html.value


def test_the_readout_is_current_inside_a_running_event_loop():
    """As in a notebook cell: the loop comes back to draw only after the cell."""

    async def cell():
        explorer = explorer_of(Counting())
        explorer.controls["n"].value = 7
        return explorer.readout_text

    assert asyncio.run(cell()) == "n squared is 49"


def test_overtaken_states_are_never_drawn():
    async def burst():
        frame = Counting()
        explorer = explorer_of(frame)
        for n in range(3, 10):
            explorer.controls["n"].value = n
        await asyncio.sleep(0.1)
        return frame.asked, explorer

    asked, explorer = asyncio.run(burst())
    assert asked == [2, 9]
    assert "81" in explorer._readout_html.value


def test_a_state_is_drawn_once_however_often_it_is_read():
    frame = Counting()
    explorer = explorer_of(frame)
    for _ in range(3):
        assert explorer.readout_text and explorer.png
    assert frame.asked == [2]


def test_two_threads_may_move_the_controls():
    explorer = explorer_of(Counting())

    def wiggle(numbers):
        for n in numbers:
            explorer.controls["n"].value = n
            assert explorer.png

    threads = [threading.Thread(target=wiggle, args=(range(k, 10, 3),)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert explorer.readout_text == f"n squared is {explorer.state['n'] ** 2}"


def test_slider_values_lie_on_the_grid_of_the_slider():
    """noUiSlider computes in percent and sends 5.999999999999999 for 6."""
    slider = widgets.FloatSlider(value=1.0, min=1.0, max=19.5, step=0.5)
    explorer = explorer_of(Counting(), controls={"n": slider}, reached=None)
    slider.value = np.nextafter(6.0, 0)
    assert explorer.state == {"n": 6.0}
    slider.value = 19.5
    assert explorer.state == {"n": 19.5}


def test_frames_leave_no_figure_open_and_print_nothing(capsys):
    explorer = explorer_of(Counting())
    explorer.controls["n"].value = 5
    explorer.figure(n=3)
    assert plt.get_fignums() == []
    assert capsys.readouterr() == ("", "")


def test_an_error_is_shown_where_the_learner_looks_and_goes_away():
    def frame(n):
        if n == 3:
            raise ZeroDivisionError("three <is> too many")
        return Figure(figsize=(1, 1))

    explorer = explorer_of(frame)
    before = explorer.png
    explorer.controls["n"].value = 3
    assert "ZeroDivisionError: three <is> too many" in explorer.readout_text
    assert "three &lt;is&gt; too many" in explorer._readout_html.value
    assert explorer.png == before
    explorer.controls["n"].value = 4
    assert explorer.readout_text == "n squared is 16"
    with pytest.raises(ZeroDivisionError):
        explorer.figure(n=3)


# The goal


def test_the_goal_once_reached_stays_reached():
    explorer = explorer_of(Counting(), then="Why?")
    assert not explorer.reached and "not reached yet" in explorer._goal_html.value
    for n in (9, 4, 9):
        explorer.controls["n"].value = n
    assert explorer.reached
    assert "✔" in explorer._goal_html.value and "Why?" in explorer._goal_html.value


def test_whether_a_state_attains_the_goal_can_be_asked_without_going_there():
    explorer = explorer_of(Counting())
    assert explorer.attains(n=9) and not explorer.attains(n=8) and not explorer.attains()
    assert explorer.state == {"n": 2} and not explorer.reached
    with pytest.raises(ValueError, match="n must lie between 0 and 10"):
        explorer.attains(n=11)
    assert not explorer_of(Counting(), reached=None).attains(n=9)


def test_a_goal_in_parts_is_reached_once_each_has_been_attained_in_any_order():
    explorer = explorer_of(Counting(), reached=(lambda n: n == 9, lambda n: n == 4))
    assert explorer.attains(n=9) and explorer.attains(n=4) and not explorer.attains(n=5)
    for n, reached in ((4, False), (5, False), (9, True), (3, True)):
        explorer.controls["n"].value = n
        assert explorer.reached == reached


def test_a_goal_passed_in_the_middle_of_a_burst_counts():
    async def burst():
        explorer = explorer_of(Counting())
        for n in (9, 4):
            explorer.controls["n"].value = n
        return explorer.reached

    assert asyncio.run(burst())


def test_an_error_in_the_goal_is_shown():
    explorer = explorer_of(Counting(), reached=lambda n: 1 / (n - 5) > 2)
    explorer.controls["n"].value = 5
    assert "ZeroDivisionError" in explorer.readout_text
    explorer.controls["n"].value = 6
    assert explorer.readout_text == "n squared is 36"


# What is shown


def test_the_widget_view_comes_with_a_text_that_never_changes_by_itself():
    first, second = (explorer_of(Counting())._repr_mimebundle_() for _ in range(2))
    assert "application/vnd.jupyter.widget-view+json" in first
    assert first["text/plain"] == second["text/plain"]
    assert "Make n squared 81." in first["text/plain"] and "n squared is 4" in first["text/plain"]


def test_readout_and_goal_are_announced():
    explorer = explorer_of(Counting())
    for html in (explorer._readout_html.value, explorer._goal_html.value):
        assert 'role="status" aria-live="polite"' in html


def test_the_static_picture_has_the_text_of_its_own_state():
    explorer = explorer_of(Counting(), alt=lambda n: f"a line up to {n}")
    assert explorer.figure(n=5).alt == "a line up to 5"
    assert explorer.figure().alt == "a line up to 2"
    assert explorer.state == {"n": 2}


@pytest.mark.parametrize("lesson", EXPLORERS)
def test_moving_artists_give_the_pixels_of_a_new_drawing(lesson):
    """Exactly so but for the layout, which is that of the first state."""
    explorer = EXPLORERS[lesson]()
    if not isinstance(explorer.frame, Scene):
        pytest.skip("this explorer draws anew each time")
    figure = explorer.frame.figure(**explorer.state)
    figure.set_dpi(FRAME_DPI)
    with course_style():
        figure.canvas.draw()
    anew = np.asarray(figure.canvas.buffer_rgba())[:, :, :3]
    moved = np.asarray(Image.open(BytesIO(explorer.png)).convert("RGB"))
    assert (np.abs(anew.astype(int) - moved).max(axis=2) > 40).mean() < 0.001


@pytest.mark.parametrize(("last", "rehearsed"), [(11, 12), (12, 0)])
def test_few_states_are_drawn_beforehand_and_many_are_not(last, rehearsed):
    scene, drawn = Words(), []
    scene.update = lambda n: drawn.append(n)
    explorer = explorer_of(scene, controls={"n": widgets.IntSlider(2, 0, last)})
    assert len(set(drawn)) == max(rehearsed, 1)
    assert explorer.state == {"n": 2}


class Words(Scene):
    """One text that changes."""

    def draw(self, figure):
        self.text = figure.text(0.5, 0.5, "")
        return [self.text]

    def update(self, n):
        self.text.set_text("word " * n)


def test_texts_kept_as_pixels_are_few_and_each_state_keeps_its_own(monkeypatch):
    monkeypatch.setattr(frames, "MOST_STAMPS", 3)
    moving = frames.MovingPicture(Words())
    seen = {n: moving.pixels({"n": n}).copy() for n in range(6)}
    assert len(moving._stamps) <= 3
    for n in (3, 0, 5):
        np.testing.assert_array_equal(moving.pixels({"n": n}), seen[n])
    assert (seen[0] == 255).all() and (seen[3] != seen[5]).any()


@pytest.mark.parametrize("lesson", EXPLORERS)
def test_every_explorer_has_a_goal_not_reached_at_the_start(lesson):
    explorer = EXPLORERS[lesson]()
    assert explorer.goal and not explorer.reached
    assert len(explorer.figure().png) < 60_000


# On paper


@pytest.fixture
def building(monkeypatch):
    monkeypatch.setenv("COURSE_BUILD", "1")


def stored(explorer) -> str:
    return explorer._repr_mimebundle_()["text/html"]


def test_a_live_widget_draws_no_stills(monkeypatch):
    monkeypatch.delenv("COURSE_BUILD", raising=False)
    assert "text/html" not in explorer_of(Counting())._repr_mimebundle_()


def test_the_stored_notebook_shows_the_first_a_middle_and_the_last_state(building):
    html = stored(explorer_of(Counting(), alt=lambda n: f"a line up to {n}"))
    assert re.findall(r'alt="([^"]*)"', html) == [f"a line up to {n}" for n in (0, 5, 10)]
    assert re.findall(r"n squared is (\d+)", html) == ["0", "25", "100"]
    assert "Make n squared 81." in html


def test_stills_leave_the_widget_as_it_was(building):
    explorer = explorer_of(Counting())
    stored(explorer)
    assert explorer.state == {"n": 2} and not explorer.reached


def test_without_a_slider_the_longest_list_of_options_is_shown(building):
    few, many = widgets.Dropdown(options=[1, 2]), widgets.ToggleButtons(options=list("abcde"))
    explorer = Explorer(
        frame=lambda few, many: plt.figure(),
        readout=lambda few, many: f"{few}{many}",
        controls={"few": few, "many": many},
        goal="none",
    )
    assert re.findall(r'alt="([^"]*)"', stored(explorer)) == ["1a", "1c", "1e"]


@pytest.mark.parametrize("lesson", EXPLORERS)
def test_every_explorer_has_stills_that_differ(lesson, building):
    html = stored(EXPLORERS[lesson]())
    pictures = re.findall(r'<img alt="[^"]{20,}" [^>]*base64,([^"]*)"', html)
    assert 2 <= len(pictures) <= 3 and len(set(pictures)) == len(pictures)
    assert html.count("<figcaption>") == len(pictures)


# Bad input


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"frame": 3}, "frame must be a function"),
        ({"readout": "text"}, "readout must be a function"),
        ({"reached": True}, "reached must be a function"),
        ({"reached": [abs, 3]}, "reached must be a function or None, got int"),
        ({"controls": {}}, "controls must map"),
        ({"controls": [1]}, "controls must map"),
        ({"controls": {"n": 3}}, "ipywidgets widget with a value"),
        ({"goal": None}, "must be a text"),
    ],
)
def test_an_explorer_made_wrongly_gets_its_sentence(options, advice):
    frame = options.pop("frame", Counting())
    with pytest.raises(TypeError, match=advice):
        explorer_of(frame, **options)


def test_a_state_the_controls_cannot_show_is_refused():
    explorer = threshold_explorer()
    with pytest.raises(ValueError, match="There is no control 'treshold'"):
        explorer.figure(treshold=3)
    with pytest.raises(ValueError, match="between 1.0 and 19.5"):
        explorer.figure(threshold=25)
    with pytest.raises(ValueError, match="between 1.0 and 19.5"):
        explorer.figure(threshold="high")
    with pytest.raises(ValueError, match="'entropy', 'gini', 'variance'"):
        explorer.figure(kind="mse")


def test_a_scene_must_say_how_it_is_drawn_and_moved():
    with pytest.raises(NotImplementedError):
        Scene().draw(Figure())
    with pytest.raises(NotImplementedError):
        Scene().update()


# In a kernel and in a browser

CELLS = (
    "from course_lib.widgets import threshold_explorer\nexplorer = threshold_explorer()\nexplorer",
    "explorer.controls['threshold'].value = 12.5\nexplorer.readout_text",
    "explorer.figure(threshold=3)",
)


def notebook():
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [v4.new_code_cell(source) for source in CELLS]
    return v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def test_a_notebook_can_set_the_slider_and_check_the_readout(tmp_path):
    from nbclient import NotebookClient

    done = NotebookClient(notebook(), resources={"metadata": {"path": str(tmp_path)}}).execute()
    view, readout, static = (cell.outputs for cell in done.cells)
    assert [len(outputs) for outputs in (view, readout, static)] == [1, 1, 1]
    assert "0.2564" in readout[0].data["text/plain"]
    assert static[0].data["text/plain"] == threshold_explorer().figure(threshold=3).alt


@pytest.mark.browser
def test_in_jupyterlab_keys_move_the_picture_and_screen_readers_get_its_text(tmp_path):
    from course_lib.tools.browser import Lab

    (tmp_path / "a.ipynb").write_text(json.dumps(notebook()))
    with Lab(tmp_path) as lab:
        page = lab.open_notebook("a.ipynb")
        page.run_all()
        cell = page.cell(0)
        assert "✔ reached" in page.outputs(0)[0]
        cell.locator(".noUi-handle").focus()
        for _ in range(10):  # faster than it can be drawn
            lab.page.keyboard.press("ArrowLeft")
        lab.page.wait_for_function("() => document.body.innerText.includes('7/20')")
        image = cell.locator("img.widget-image")
        lab.page.wait_for_function("() => document.querySelector('img.widget-image').complete")
        assert "x ≤ 7.5," in image.get_attribute("title")
        names = accessible_names(lab.page, "image")
        assert image.get_attribute("title") in names  # of the widget
        assert threshold_explorer().figure(threshold=3).alt in names  # of the static picture
        assert cell.locator(".noUi-handle").evaluate("node => node === document.activeElement")


def accessible_names(page, role):
    """What the browser tells a screen reader about everything with this role."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    with_role = (node for node in nodes if node.get("role", {}).get("value") == role)
    return [node.get("name", {}).get("value") for node in with_role]
