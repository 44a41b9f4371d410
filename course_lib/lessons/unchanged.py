"""Whether an answer has left its arguments as they were: whoever calls a function keeps them."""

from collections.abc import Mapping, Sequence, Set
from itertools import starmap
from numbers import Number

import numpy as np

from course_lib.lessons.values import is_table

SCALARS = str | bytes | Number | np.generic | None


def first_changed(before: Sequence, after: Sequence) -> int:
    """The position, counted from 1, of the first argument that is not what it was; 0 if all are.

    >>> first_changed(([1, 2], "a"), ([1, 2], "a")), first_changed(([1], [2, 3]), ([1], [3, 2]))
    (0, 2)
    """
    pairs = enumerate(zip(before, after, strict=True), start=1)
    return next((k for k, (one, other) in pairs if not same_content(one, other)), 0)


def same_content(before, after) -> bool:
    """Whether two objects of the same type hold the same, to the last bit and in the same order."""
    if type(before) is not type(after):
        return False
    if isinstance(before, np.ndarray):
        return _same_array(before, after)
    if is_table(before):
        return before.equals(after)
    if isinstance(before, Mapping):
        return _same_items(list(before.items()), list(after.items()))
    if isinstance(before, Sequence) and not isinstance(before, str | bytes):
        return _same_items(before, after)
    if isinstance(before, SCALARS | Set):
        return before == after or before != before  # a number that is none stays none
    return _same_state(before, after)


def _same_items(before: Sequence, after: Sequence) -> bool:
    pairs = zip(before, after, strict=False)
    return len(before) == len(after) and all(starmap(same_content, pairs))


def _same_array(before: np.ndarray, after: np.ndarray) -> bool:
    if before.dtype != after.dtype or before.shape != after.shape:
        return False
    if before.dtype.names:  # the nodes of a tree
        return all(_same_array(before[name], after[name]) for name in before.dtype.names)
    if before.dtype.hasobject:
        return _same_items(before.ravel().tolist(), after.ravel().tolist())
    return before.tobytes() == after.tobytes()


def _same_state(before, after) -> bool:
    """Whether an object, such as a model, has kept what it had; what it has learnt since may stay.

    So a value that it computes once and remembers is no change. A function has nothing to keep.
    """
    old, new = before.__getstate__(), after.__getstate__()
    if isinstance(old, dict) and isinstance(new, dict):
        return all(name in new and same_content(old[name], new[name]) for name in old)
    return same_content(old, new)
