"""The wiring between controls and picture."""

import asyncio
import json
import re
import threading

import ipywidgets as widgets
import matplotlib.pyplot as plt
import nbformat.v4 as v4
import numpy as np
import pytest
from matplotlib.figure import Figure

from course_lib.widgets import Explorer, Scene, threshold_explorer
from course_lib.widgets.frames import MovingPicture


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
    before = explorer.surface.shown["layers"]
    explorer.controls["n"].value = 7
    assert explorer.state == {"n": 7}
    assert explorer.readout_text == "n squared is 49"
    shown = explorer.surface.shown
    assert shown["layers"] != before and shown["place"] == {"n": 7}
    assert shown["text"] == shown["alt"] == "n squared is 49"


def test_what_the_learner_moves_in_the_page_moves_the_controls():
    explorer = explorer_of(Counting(), controls={"n": widgets.IntSlider(2, 1, 10)})
    explorer.surface.place = {"n": 6}
    assert explorer.state == {"n": 7} and explorer.readout_text == "n squared is 49"


@pytest.mark.parametrize("strange", [-1, 10, 2.5, "3", None, [1]])
def test_a_place_that_no_page_would_send_moves_nothing(strange):
    explorer = explorer_of(Counting(), controls={"n": widgets.IntSlider(2, 1, 10)})
    explorer.surface.place = {"n": strange, "m": 1}
    assert explorer.state == {"n": 2}


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
        assert explorer.surface
        for n in range(3, 10):
            explorer.controls["n"].value = n
        await asyncio.sleep(0.1)
        return frame.asked, explorer

    asked, explorer = asyncio.run(burst())
    assert asked == [2, 9]
    assert "81" in explorer.surface.shown["text"]


def test_nothing_is_drawn_before_it_is_displayed():
    frame = Counting()
    explorer = explorer_of(frame)
    explorer.controls["n"].value = 5
    assert frame.asked == []
    assert explorer.surface.shown["place"] == {"n": 5} and frame.asked == [5]


def test_two_threads_may_move_the_controls():
    explorer = explorer_of(Counting())

    def wiggle(numbers):
        for n in numbers:
            explorer.controls["n"].value = n
            assert explorer.surface.shown["layers"]

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
    assert explorer.surface.shown["layers"]
    explorer.controls["n"].value = 3
    assert "ZeroDivisionError: three <is> too many" in explorer.readout_text
    assert "three <is> too many" in explorer.surface.shown["text"]
    assert "layers" not in explorer.surface.shown  # so that the page leaves what it shows
    explorer.controls["n"].value = 4
    assert explorer.readout_text == "n squared is 16"
    with pytest.raises(ZeroDivisionError):
        explorer.figure(n=3)


# The goal


def test_the_goal_once_reached_stays_reached():
    explorer = explorer_of(Counting(), then="Why?")
    assert not explorer.reached
    for n, attained in ((9, 1), (4, 0)):
        explorer.controls["n"].value = n
        assert explorer.reached and explorer.shown()["attained"] == attained
    assert explorer.surface.spec["found"] == 1 and explorer.surface.spec["then"] == "Why?"


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


def test_the_static_picture_has_the_text_of_its_own_state():
    explorer = explorer_of(Counting(), alt=lambda n: f"a line up to {n}")
    assert explorer.figure(n=5).alt == "a line up to 5"
    assert explorer.figure().alt == "a line up to 2"
    assert explorer.state == {"n": 2}


class Words(Scene):
    """One text that changes, and a rule that does not."""

    def __init__(self):
        self.drawn = []

    def draw(self, figure):
        ax = figure.subplots()
        ax.axvline(0.5)
        self.text = ax.text(0.5, 0.5, "")
        return [self.text]

    def update(self, n):
        self.drawn.append(n)
        self.text.set_text(f"word {n}")

    def handles(self, n):
        return {"n": (self.text.axes, n / 10, None)}


def test_what_moves_is_in_the_layers_and_all_else_in_the_background():
    moving = MovingPicture(Words(), {"n": 1})
    assert "word" not in moving.background and "<path" in moving.background
    assert ["word 3" in layer for layer in moving.layers({"n": 3})] == [True]


def test_a_handle_runs_along_the_axis_and_ignores_what_does_not_matter():
    moving = MovingPicture(Words(), {"n": 1})
    places = [moving.handles({"n": n})["n"] for n in (0, 5, 10)]
    assert [y for _, y in places] == [None] * 3
    first, middle, last = (x for x, _ in places)
    assert 0 < first < last < moving.size[0] and middle == pytest.approx(
        (first + last) / 2, abs=0.2
    )


@pytest.mark.parametrize(("last", "is_alive"), [(11, True), (500, False)])
def test_few_states_are_all_drawn_when_displayed_and_many_are_not(last, is_alive):
    scene = Words()
    explorer = explorer_of(scene, controls={"n": widgets.IntSlider(2, 0, last)})
    assert scene.drawn == []
    assert bool(explorer.surface.data) == is_alive
    assert len(set(scene.drawn)) == (last + 1 if is_alive else 1)


def test_what_the_page_can_draw_itself_is_not_sent():
    explorer = explorer_of(Words())
    before = explorer.surface.shown
    explorer.controls["n"].value = 7
    assert explorer.surface.place == {"n": 7} and explorer.surface.shown is before


# On paper


@pytest.fixture
def building(monkeypatch):
    monkeypatch.setenv("COURSE_BUILD", "1")


def stored(explorer) -> str:
    return explorer._repr_mimebundle_()["text/html"]


def test_a_live_widget_keeps_one_picture_and_its_text_for_the_saved_notebook(monkeypatch):
    monkeypatch.delenv("COURSE_BUILD", raising=False)
    html = explorer_of(Counting())._repr_mimebundle_()["text/html"]
    assert html.count("<svg") == 1 and "n squared is 4" in html and "Make n squared 81." in html


def test_the_stored_notebook_shows_the_start_the_far_end_and_the_goal(building):
    html = stored(explorer_of(Counting(), alt=lambda n: f"a line up to {n}"))
    assert re.findall(r'aria-label="([^"]*)"', html) == [f"a line up to {n}" for n in (2, 10, 9)]
    stills = html.partition("</script>")[2]
    captions = re.findall(r"<figcaption>.*?n squared is (\d+)", stills)
    assert captions == ["4", "100", "81"]
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
    assert re.findall(r'aria-label="([^"]*)"', stored(explorer)) == ["1a", "1e"]


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
        assert "✔ Reached." in page.outputs(0)[0]
        slider, picture = cell.get_by_role("slider"), cell.locator(".course-picture svg")
        slider.focus()
        for _ in range(10):
            lab.page.keyboard.press("ArrowLeft")
        assert "7/20" in cell.locator(".course-readout").inner_text()
        assert "✔ Reached before, not in this state." in page.outputs(0)[0]
        assert slider.get_attribute("aria-valuetext") == "7.5"
        assert "x ≤ 7.5," in picture.get_attribute("aria-label")
        assert threshold_explorer().figure(threshold=3).alt in accessible_names(lab.page, "image")
        assert slider.evaluate("node => node === document.activeElement")


def accessible_names(page, role):
    """What the browser tells a screen reader about everything with this role."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    with_role = (node for node in nodes if node.get("role", {}).get("value") == role)
    return [node.get("name", {}).get("value") for node in with_role]
