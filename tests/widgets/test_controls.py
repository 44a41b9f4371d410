"""Controls: the values they offer, however their options are written, and their states."""

import ipywidgets as widgets
import pytest

from course_lib.widgets.controls import check_state, option_values, states_if_few, values_along


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


def test_states_are_listed_if_they_are_few_and_can_be_counted():
    controls = {"K": widgets.IntSlider(1, 1, 3), "way": widgets.Dropdown(options={"one": 1})}
    assert states_if_few(controls, 3) == [{"K": K, "way": 1} for K in (1, 2, 3)]
    assert states_if_few(controls, 2) == []
    assert states_if_few({"rho": widgets.FloatSlider()}, 10**6) == []
