"""When two plain values are the same: up to tolerance, whatever their container is called."""

import numpy as np

from course_lib.lessons.sealing import Sealed


def same(value, wanted, *, rtol: float, atol: float) -> bool:
    """Equality up to tolerance of two plain values; nonsense is not the same as anything.

    The type of `wanted` decides: where it is a number, only a number can be the same.
    """
    try:
        return _is_same(value, wanted, {"rtol": rtol, "atol": atol})
    except (TypeError, ValueError, OverflowError):
        return False


def _is_same(value, wanted, within: dict) -> bool:
    if isinstance(wanted, Sealed):
        return wanted.opens(value)
    if isinstance(wanted, bool | str):
        return isinstance(value, bool | str) and value == wanted
    if isinstance(wanted, int | float):
        return _is_same_number(value, wanted, within)
    if isinstance(wanted, dict):
        return (
            isinstance(value, dict)
            and value.keys() == wanted.keys()
            and all(_is_same(value[key], wanted[key], within) for key in wanted)
        )
    if isinstance(wanted, frozenset):
        value = value.tolist() if isinstance(value, np.ndarray) else value
        return isinstance(value, frozenset | list | tuple) and frozenset(value) == wanted
    if isinstance(wanted, np.ndarray):
        value = np.asarray(value, dtype=float)
        close = value.shape == wanted.shape and np.allclose(value, wanted, **within, equal_nan=True)
        return bool(close)
    value = value.tolist() if isinstance(value, np.ndarray) else value
    return (
        isinstance(value, list | tuple)
        and len(value) == len(wanted)
        and all(_is_same(v, w, within) for v, w in zip(value, wanted, strict=True))
    )


def _is_same_number(value, wanted: float, within: dict) -> bool:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return bool(np.isclose(value, wanted, **within, equal_nan=True))
