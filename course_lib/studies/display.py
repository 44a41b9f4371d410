"""The seven-segment display in trees that choose the best of K segments, exactly."""

from functools import cache

import numpy as np

from course_lib.measures.asymptotic import mdi_by_degree
from course_lib.worlds.datasets import make_led
from course_lib.worlds.distributions import Categorical

THIRD, FOURTH = 2, 3  # positions of X3 and X4


@cache
def led_degrees(K: int) -> np.ndarray:
    """Exact importances of the seven segments by degree, for trees that choose the best of K.

    Examples
    --------
    >>> round(float(led_degrees(7).sum()), 4)
    3.3219
    """
    return mdi_by_degree(Categorical(*make_led()), K)


def third_is_ahead(K: int) -> bool:
    """Whether X3 is more important than X4."""
    third, fourth = led_degrees(K).sum(axis=1)[[THIRD, FOURTH]]
    return bool(third > fourth)


def third_overtakes(K: int) -> bool:
    """Whether X3 is ahead at K and was not at K - 1."""
    return third_is_ahead(K) and (K == 1 or not third_is_ahead(K - 1))
