"""Pictures of worlds: every arrow is there, nothing else is, and bad input gets its sentence."""

import matplotlib.pyplot as plt
import pytest
from matplotlib.text import Annotation

from course_lib.plots import picture, plot_graph, plot_graphs
from course_lib.worlds import LinearSCM

PLACES = {"z": (0.5, 1), "x": (0, 0), "y": (1, 0)}


@pytest.fixture
def world():
    return LinearSCM({"x": {"z": 0.8}, "y": {"z": -0.5, "x": 0.0}}, {"z": 1, "x": 1, "y": 1})


@pytest.fixture(autouse=True)
def no_figure_left_open():
    yield
    plt.close("all")


def texts(ax):
    """What is written in the boxes and on the arrows."""
    return {text.get_text() for text in ax.texts if text.get_text()}


def arrows(ax):
    """Start and end of every arrow, as places."""
    return {(text.xyann, text.xy) for text in ax.texts if is_arrow(text)}


def is_arrow(text):
    """Whether an annotation is an arrow; the others are its labels."""
    return isinstance(text, Annotation) and text.arrow_patch is not None


def test_each_cause_has_an_arrow_to_its_effect_and_a_coefficient_of_zero_has_none(world):
    ax = plot_graph(world, PLACES)
    assert arrows(ax) == {((0.5, 1), (0, 0)), ((0.5, 1), (1, 0))}
    assert texts(ax) == {"z", "x", "y", "0.8", "−0.5"}


def test_a_variable_set_from_outside_says_so_and_its_arrows_are_gone(world):
    ax = plot_graph(world.do(x=2), PLACES)
    assert arrows(ax) == {((0.5, 1), (1, 0))}
    assert "do(x = 2)" in texts(ax) and "x" not in texts(ax)


def test_arrows_that_an_intervention_cut_are_drawn_dotted(world):
    ax = plot_graph(world.do(x=2), PLACES, before=world)
    styles = {t.xy: t.arrow_patch.get_linestyle() for t in ax.texts if is_arrow(t)}
    assert styles == {(0, 0): ":", (1, 0): "-"}
    assert "cut" in texts(ax)


def test_a_variable_nobody_measured_has_a_dashed_frame_and_the_target_a_thick_one(world):
    ax = plot_graph(world, PLACES, hidden=["z"], target="y")
    frames = {text.get_text(): text.get_bbox_patch() for text in ax.texts[:3]}
    assert [frames[name].get_linestyle() for name in "zxy"] == ["--", "-", "-"]
    assert frames["y"].get_linewidth() > frames["x"].get_linewidth()


def test_variables_without_a_place_are_left_out_with_their_arrows(world):
    ax = plot_graph(world, {"x": (0, 0), "y": (1, 0)})
    assert texts(ax) == {"x", "y"} and arrows(ax) == set()


def test_arrows_end_at_the_frames_of_the_boxes_and_boxes_stay_inside(world):
    ax = plot_graph(world, PLACES)
    ax.figure.canvas.draw()
    area = ax.get_window_extent()
    for text in ax.texts[:3]:
        box = text.get_bbox_patch().get_window_extent()
        assert area.x0 <= box.x0 and box.x1 <= area.x1 and area.y0 <= box.y0 and box.y1 <= area.y1
        for arrow in (t.arrow_patch for t in ax.texts if is_arrow(t)):
            path = arrow.get_transform().transform_path(arrow.get_path())
            assert not any(box.contains(*point) for point in path.vertices)


def test_a_given_axes_is_drawn_on_and_returned(world):
    _, ax = plt.subplots()
    assert plot_graph(world, PLACES, ax=ax) is ax


def test_without_places_the_variables_stand_on_an_arch_in_their_order():
    two = LinearSCM({"y": {"x": 1.0}}, {"x": 1, "y": 1})
    assert arrows(plot_graph(two)) == {((0, 0), (1.8, 0))}
    three = LinearSCM({"m": {"x": 1.0}, "y": {"m": 1.0}}, {"x": 1, "m": 1, "y": 1})
    assert arrows(plot_graph(three)) == {((0, 0), (0.9, 0.9)), ((0.9, 0.9), (1.8, 0))}
    five = LinearSCM({}, dict.fromkeys(["a", "b", "c", "d", "a_long_name"], 1))
    ax = plot_graph(five)
    ax.figure.canvas.draw()
    boxes = [text.get_bbox_patch().get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def test_several_worlds_stand_in_one_figure_each_under_its_title(world):
    worlds = {"before": world, "after": world.do(x=1), "z set": world.do(z=0)}
    figure = plot_graphs(worlds, target="y", hidden=["z", "other"])
    assert [ax.get_title(loc="left") for ax in figure.axes] == [*worlds, ""]
    assert "do(x = 1)" in texts(figure.axes[1])
    assert picture(figure, alt="three worlds").svg


@pytest.mark.parametrize(
    ("options", "error", "advice"),
    [
        ({"scm": "world"}, TypeError, "scm must be a LinearSCM"),
        ({"before": 3}, TypeError, "before must be a LinearSCM"),
        ({"positions": []}, TypeError, "positions must map"),
        ({"positions": {}}, TypeError, "positions must map"),
        ({"positions": {"w": (0, 0)}}, ValueError, "Unknown variable 'w'"),
        ({"positions": {"x": (0, 0, 0)}}, ValueError, "must be two numbers"),
        ({"positions": {"x": ("a", "b")}}, ValueError, "must be two numbers"),
        ({"positions": {"x": (0, float("nan"))}}, ValueError, "must be two numbers"),
        ({"target": "w"}, ValueError, "Unknown variable 'w'"),
        ({"hidden": ["w"]}, ValueError, "Unknown variable 'w'"),
    ],
)
def test_bad_input_gets_its_sentence(world, options, error, advice):
    options = {"scm": world, "positions": PLACES} | options
    with pytest.raises(error, match=advice):
        plot_graph(options.pop("scm"), options.pop("positions"), **options)


@pytest.mark.parametrize("worlds", [{}, [], {"a": None}])
def test_what_is_no_world_is_refused(worlds):
    with pytest.raises(TypeError, match="worlds"):
        plot_graphs(worlds)
