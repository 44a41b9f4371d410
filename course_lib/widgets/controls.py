"""Controls of an explorer: the values they offer, and the states they can show."""

from collections.abc import Mapping
from itertools import product
from math import prod
from numbers import Real

import ipywidgets as widgets


def check_controls(controls) -> dict[str, widgets.Widget]:
    """A mapping from the names of the state to widgets that have a value."""
    if not isinstance(controls, Mapping) or not controls:
        raise TypeError(
            f"controls must map the names of the state to widgets, got {controls!r}. "
            f"Pass for example {{'rho': ipywidgets.FloatSlider()}}."
        )
    for name, control in controls.items():
        if not isinstance(control, widgets.Widget) or not control.has_trait("value"):
            raise TypeError(
                f"The control {name!r} must be an ipywidgets widget with a value, got "
                f"{type(control).__name__}. Pass for example ipywidgets.FloatSlider()."
            )
        if control.has_trait("readout") and control.layout.width is None:
            control.layout.width = "min(100%, 600px)"  # a slider as wide as the picture
    return dict(controls)


def check_state(state: Mapping, controls: Mapping[str, widgets.Widget]) -> dict:
    """A state, or a part of one, that the controls could show."""
    for name, value in state.items():
        if name not in controls:
            raise ValueError(
                f"There is no control {name!r}; the state has: {', '.join(controls)}. "
                f"Use one of those names."
            )
        control = controls[name]
        if control.has_trait("options") and value not in option_values(control):
            listed = ", ".join(map(repr, option_values(control)))
            raise ValueError(f"{name} must be one of {listed}, got {value!r}. Choose one of those.")
        is_number = control.has_trait("min") and isinstance(control.value, Real)
        if is_number and not (isinstance(value, Real) and control.min <= value <= control.max):
            raise ValueError(
                f"{name} must lie between {control.min} and {control.max}, got {value!r}. "
                f"Choose a value that the slider can take."
            )
    return dict(state)


def value_of(control: widgets.Widget):
    """The control's value; that of a slider on its grid, since browsers send 5.999... for 6."""
    value = control.value
    if isinstance(control, widgets.FloatSlider) and control.step:
        steps = round((value - control.min) / control.step)
        value = min(round(control.min + steps * control.step, 10), control.max)
    return value


def option_values(control: widgets.Widget) -> tuple:
    """What a list or toggle offers; its options are values, (label, value) pairs or a mapping."""
    options = control.options
    if isinstance(options, Mapping):
        return tuple(options.values())
    labelled = all(isinstance(option, list | tuple) and len(option) == 2 for option in options)
    return tuple(value for _, value in options) if labelled else tuple(options)


def values_along(control: widgets.Widget, places) -> list:
    """The values of a control at these places along its range, 0 its first and 1 its last."""
    if control.has_trait("options"):
        values = option_values(control)
        return list(dict.fromkeys(values[round(p * (len(values) - 1))] for p in places))
    steps = round((control.max - control.min) / control.step)
    return [round(control.min + round(p * steps) * control.step, 10) for p in places]


def states_if_few(controls: Mapping[str, widgets.Widget], most: int) -> list[dict]:
    """All states of the controls if there are at most so many, else none."""
    values = []
    for control in controls.values():
        if control.has_trait("options"):
            values.append(option_values(control))
        elif isinstance(control, widgets.IntSlider):
            values.append(range(control.min, control.max + 1, control.step))
        else:
            return []
    if prod(map(len, values)) > most:
        return []
    return [dict(zip(controls, state, strict=True)) for state in product(*values)]
