"""Controls of an explorer: the values they offer, and the states they can show."""

from collections.abc import Mapping
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
        _refuse_unshowable(name, control)
    return dict(controls)


def _refuse_unshowable(name: str, control: widgets.Widget) -> None:
    """Refuse what the page has no control for."""
    single = isinstance(control.value, bool | Real | str) or (
        control.has_trait("options") and control.value in option_values(control)
    )
    steps = not control.has_trait("step") or (control.step or 0) > 0
    if not single or not steps or isinstance(control, widgets.FloatLogSlider):
        raise TypeError(
            f"The control {name!r} must have a single value and, if it is a slider, steps of equal "
            f"length above 0; got {type(control).__name__} with the value {control.value!r}. Use "
            f"for example ipywidgets.FloatSlider, SelectionSlider, Dropdown or Checkbox."
        )


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


def described(control: widgets.Widget, name: str) -> dict:
    """A control as the page shows it: its kind, its label, and a text for each of its values."""
    texts = list(map(str, texts_of(control)))
    return {"name": name, "label": control.description or name, "kind": kind_of(control)} | (
        {"texts": texts} if texts else {}
    )


def kind_of(control: widgets.Widget) -> str:
    """slider, choice (all options in view), list, switch, number or text."""
    if control.has_trait("options"):
        if control.has_trait("readout"):
            return "slider"
        return "list" if isinstance(control, widgets.Dropdown | widgets.Select) else "choice"
    if control.has_trait("step") and control.has_trait("readout"):
        return "slider"
    if isinstance(control.value, bool):
        return "switch"
    return "number" if isinstance(control.value, Real) else "text"


def grid_of(control: widgets.Widget) -> tuple:
    """All values of a control, in order; nothing of one with which anything can be written."""
    kind = kind_of(control)
    if control.has_trait("options"):
        return option_values(control)
    if kind == "slider":
        whole = isinstance(control, widgets.IntSlider)
        steps = int((control.max - control.min) / control.step + 1e-9)
        values = (round(control.min + k * control.step, 10) for k in range(steps + 1))
        return tuple(int(value) if whole else float(value) for value in values)
    return (False, True) if kind == "switch" else ()


def texts_of(control: widgets.Widget) -> tuple[str, ...]:
    """What stands beside a slider at each of its values, or on each option."""
    if control.has_trait("options"):
        return option_labels(control)
    if kind_of(control) == "slider":
        return tuple(format(value, control.readout_format) for value in grid_of(control))
    return ()


def option_labels(control: widgets.Widget) -> tuple[str, ...]:
    """What stands on each option."""
    options = control.options
    if isinstance(options, Mapping):
        return tuple(options)
    labelled = all(isinstance(option, list | tuple) and len(option) == 2 for option in options)
    return tuple(label for label, _ in options) if labelled else tuple(map(str, options))


def place_now(control: widgets.Widget):
    """Where a control stands: the number of its value, or what is written in it."""
    grid = grid_of(control)
    if not grid:
        return control.value
    if kind_of(control) == "slider" and not control.has_trait("options"):
        return min(range(len(grid)), key=lambda k: abs(grid[k] - control.value))
    return grid.index(control.value)


def move(control: widgets.Widget, place) -> None:
    """Set a control to a place, which comes from a page: nothing outside its range is taken."""
    grid = grid_of(control)
    if not grid:
        control.value = place
    elif isinstance(place, int) and 0 <= place < len(grid):
        control.value = grid[place]
