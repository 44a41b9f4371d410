"""When a value of a measure, or the difference of two, is only rounding error."""

import numpy as np

ROUNDING = 1e-9  # of the scale of the numbers: what is smaller is told by no measure here


def rounding(values, scale: float = 0.0) -> float:
    """Up to this size a value, or a difference of two, is taken for rounding error.

    Parameters
    ----------
    values : array
        The values of one measure.
    scale : float, default=0.0
        The size of what the values are differences of: a mean loss, a prediction. Where every
        value is the rounding error of such a difference, only this tells.

    Examples
    --------
    >>> rounding([2.0, -4.0]), rounding([1e-17, 0.0], scale=2.0)
    (4e-09, 2e-09)
    """
    return ROUNDING * max(float(np.abs(values).max(initial=0.0)), abs(scale))


def settled(values, scale: float = 0.0) -> np.ndarray:
    """The values of one measure without their rounding error, see `rounding`.

    Neighbours that differ by no more become equal (to the largest of them), and what is no larger
    becomes 0, together with its equals.

    >>> settled([0.3, 0.1 + 0.2, 1e-17])
    array([0.3, 0.3, 0. ])
    """
    values = np.array(values, dtype=float)
    tolerance, order = rounding(values, scale), np.argsort(-values, kind="stable")
    steps = -np.diff(values[order]) > tolerance
    for equals in np.split(order, np.flatnonzero(steps) + 1):
        zero = (np.abs(values[equals]) <= tolerance).any()
        values[equals] = 0.0 if zero else values[equals].max()
    return values
