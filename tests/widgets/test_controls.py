"""Controls: the values they offer, however their options are written, and their states."""

import ipywidgets as widgets
import pytest

from course_lib.widgets.controls import (
    check_controls,
    check_state,
    described,
    grid_of,
    move,
    option_values,
    place_now,
    values_along,
)


@pytest.mark.parametrize(
    "options",
    [["a", "b"], ("a", "b"), [("first", "a"), ("second", "b")], {"first": "a", "second": "b"}],
)
@pytest.mark.parametrize("kind", [widgets.Dropdown, widgets.ToggleButtons, widgets.SelectionSlider])
def test_options_may_be_values_pairs_or_a_mapping(kind, options):
    control = kind(options=options, value="b")
    assert option_values(control) == ("a", "b")
    assert check_state({"x": "a"}, {"x": control}) == {"x": "a"}
    with pytest.raises(ValueError, match="x must be one of 'a', 'b', got 'first'"):
        check_state({"x": "first"}, {"x": control})


def test_pairs_of_mixed_length_are_values():
    assert option_values(widgets.Dropdown(options=["ab", "cd"])) == ("ab", "cd")
    assert option_values(widgets.Dropdown(options=[(1, 2), (1, 2, 3)])) == ((1, 2), (1, 2, 3))


def test_values_along_a_slider_and_along_a_list():
    slider = widgets.FloatSlider(min=0.0, max=0.3, step=0.1)
    assert values_along(slider, (0.0, 0.5, 1.0)) == [0.0, 0.2, 0.3]
    assert values_along(widgets.Dropdown(options=["a", "b"]), (0.0, 0.5, 1.0)) == ["a", "b"]


SLIDER = widgets.FloatSlider(value=0.2, min=0.0, max=0.3, step=0.1, readout_format=".1f")
CONTROLS = {
    "slider": (SLIDER, ["0.0", "0.1", "0.2", "0.3"]),
    "choice": (widgets.ToggleButtons(options=[("one", 1), ("two", 2)]), ["one", "two"]),
    "list": (widgets.Dropdown(options={"one": 1}), ["one"]),
    "switch": (widgets.Checkbox(value=True), None),
    "number": (widgets.FloatText(value=1.5), None),
    "text": (widgets.Text(value="a"), None),
}


@pytest.mark.parametrize("kind", CONTROLS)
def test_a_control_is_described_for_the_page(kind):
    control, texts = CONTROLS[kind]
    control.description = "error allowed, ε"
    told = described(control, "epsilon")
    assert (told["kind"], told["label"], told.get("texts")) == (kind, "error allowed, ε", texts)


@pytest.mark.parametrize("kind", CONTROLS)
def test_moving_to_a_place_and_reading_it_agree(kind):
    control, _ = CONTROLS[kind]
    for place in range(len(grid_of(control))) or ("2", 2.5)[kind == "number" :][:1]:
        move(control, place)
        assert place_now(control) == place


def test_a_float_slider_that_ends_between_steps_stays_in_its_range():
    slider = widgets.FloatSlider(min=0.0, max=1.0, step=0.3)
    assert grid_of(slider) == (0.0, 0.3, 0.6, 0.9)


@pytest.mark.parametrize(
    "control",
    [
        widgets.FloatLogSlider(),
        widgets.IntRangeSlider(),
        widgets.SelectMultiple(options=["a", "b"]),
        widgets.IntSlider(2, 0, 10, -1),
        widgets.Dropdown(options=["a"], value=None),
    ],
    ids=lambda control: type(control).__name__,
)
def test_a_control_that_the_page_cannot_show_is_refused_at_once(control):
    with pytest.raises(TypeError, match="The control 'n' must have a single value"):
        check_controls({"n": control})


def test_a_value_beside_the_grid_stands_at_the_nearest_place():
    assert place_now(widgets.IntSlider(10, 0, 10, 3)) == 3
    assert place_now(widgets.FloatSlider(value=1.0, min=0.0, max=1.0, step=0.35)) == 2
