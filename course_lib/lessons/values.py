"""What an answer may be: one list of accepted values, their plain form, and their form in JSON.

Whether an answer is checked in a notebook or graded from a box, it is judged in its plain form:
builtin types and ordinary arrays, so that no comparison can be overruled by the value itself.
"""

import math
import sys
from collections.abc import KeysView, Mapping, Sequence, Set, ValuesView
from decimal import Decimal
from itertools import islice
from numbers import Real

import numpy as np

MAX_DEPTH, MAX_ITEMS, MAX_CONTAINERS, MAX_TEXT, MAX_BRIEF = 12, 100_000, 5_000, 1_000, 80
LETTERS = 10  # of a text count as one item
TOO_LARGE = "something too large"
TOO_MUCH = ["other", TOO_LARGE]


class Budget:
    """How much of a value has been seen. What is larger than any answer is not looked at further.

    Containers are counted on their own: thousands of tuples can be made with one and the same
    hash, and then every set of them costs the square of their number.
    """

    def __init__(self):
        self.items = self.containers = 0

    def allows(self, *, items: int = 1, containers: int = 0) -> bool:
        """Take note of so many more, and say whether that is still within the limits."""
        self.items += items
        self.containers += containers
        return self.items <= MAX_ITEMS and self.containers <= MAX_CONTAINERS

    def allows_array(self, shape: Sequence[int]) -> bool:
        """The same for an array; an axis of length 0 does not make the others free."""
        return self.allows(items=math.prod(max(length, 1) for length in shape))


def is_table(value) -> bool:
    """Whether it is a table of pandas, or a part of one; without pandas, nothing is."""
    if "pandas" not in sys.modules:  # whose import takes longer than most of what is done here
        return False
    import pandas as pd

    parts = pd.DataFrame | pd.Series | pd.Index | pd.api.extensions.ExtensionArray
    return isinstance(value, parts)


class Other:
    """Something that is no plain value, such as a generator."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text


def plain(value):
    """A value as builtin types and ordinary arrays, or `Other` if it cannot be an answer.

    >>> from fractions import Fraction
    >>> plain([Fraction(1, 2), np.int64(3)])
    [0.5, 3]
    """
    return decode(encode(value))


def brief(value) -> str:
    """A plain value in a sentence: rounded, on one line, cut off where it gets long.

    >>> brief(2 / 3), brief(frozenset("ba")), brief("x" * 100)[-5:]
    ('0.6667', "{'a', 'b'}", 'xx...')
    """
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        value = value.round(4)
    text = _set_text(value) if isinstance(value, frozenset) else " ".join(repr(value).split())
    return text if len(text) <= MAX_BRIEF else f"{text[: MAX_BRIEF - 3]}..."


def _set_text(values: frozenset) -> str:
    """A set in an order that is always the same."""
    return f"{{{', '.join(sorted(map(brief, values)))}}}" if values else "set()"


def clean(text, length: int) -> str:
    """A text that can be stored, or an empty one in place of something else."""
    return text[:length].encode("utf-8", "replace").decode() if type(text) is str else ""


# To JSON


def encode(value):
    """A value as plain JSON: tagged lists, with the true content of whatever claims to be more.

    In a box this runs next to the code that made the value, so nobody relies on it: a lie told
    here is only a wrong value outside.
    """
    encoder = _Encoder()
    found = encoder.encode(value, 0)
    return found if found[0] == "other" or encoder.budget.allows(items=0) else TOO_MUCH


class _Encoder:
    def __init__(self):
        self.budget = Budget()

    def encode(self, value, depth: int):
        if depth > MAX_DEPTH or not self.budget.allows():
            return TOO_MUCH
        if value is None:
            return ["none"]
        if isinstance(value, bool | np.bool_):
            return ["bool", bool(value)]
        if isinstance(value, int | np.integer):
            number = int.__add__(value, 0) if isinstance(value, int) else int(value)
            return ["int", number] if abs(number) < 2**63 else ["other", "a huge integer"]
        if isinstance(value, Real | Decimal):
            return _encode_real(value)
        if isinstance(value, str):
            text = str.__str__(value)[:MAX_TEXT]
            return ["str", text] if self.budget.allows(items=len(text) // LETTERS) else TOO_MUCH
        return self._encode_container(value, depth)

    def _encode_container(self, value, depth: int):
        if is_table(value):
            return self._encode_array(np.asarray(value), depth)
        if isinstance(value, np.ndarray):
            return self._encode_array(value.view(np.ndarray), depth)
        if not self.budget.allows(items=0, containers=1):
            return TOO_MUCH
        if isinstance(value, Mapping):
            pairs = _contents(value, (dict,), "items")
            return ["dict", [[self.encode(part, depth + 1) for part in pair] for pair in pairs]]
        if isinstance(value, KeysView | ValuesView):  # of a dictionary, which keeps an order
            return ["list", self._encode_all(value, depth)]
        if isinstance(value, Set):
            items = self._encode_all(_contents(value, (set, frozenset)), depth)
            return ["set", sorted(items, key=repr)]
        if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
            name = "tuple" if isinstance(value, tuple) else "list"
            return [name, self._encode_all(_contents(value, (list, tuple)), depth)]
        return ["other", _kind(value)[:MAX_BRIEF]]

    def _encode_all(self, items, depth: int) -> list:
        return [self.encode(item, depth + 1) for item in islice(items, MAX_ITEMS)]

    def _encode_array(self, value: np.ndarray, depth: int):
        if not self.budget.allows_array(value.shape):
            return ["other", "an array that is too large"]
        kind, shape = value.dtype.kind, list(value.shape)
        if kind == "f" or value.dtype == np.uint64:
            flat = np.ndarray.tolist(np.ravel(value).astype(float))
            return ["array", "float", shape, [_finite_or_text(x) for x in flat]]
        if kind in "biu":
            flat = np.ndarray.tolist(np.ravel(value))
            return ["array", "bool" if kind == "b" else "int", shape, flat]
        if kind in "OU":
            return self.encode(np.ndarray.tolist(value), depth)
        return ["other", f"an array of {value.dtype}"[:MAX_BRIEF]]


def _contents(value, builtins: tuple[type, ...], method: str = "__iter__"):
    """What a container holds, asked of the builtin type that it is or derives from, if any."""
    kind = next((kind for kind in builtins if isinstance(value, kind)), type(value))
    return getattr(kind, method)(value)


def _encode_real(value) -> list:
    try:
        x = float.__add__(value, 0.0) if isinstance(value, float) else float(value)
    except (OverflowError, ValueError):
        return ["other", "a huge number"]
    return ["float", _finite_or_text(x)]


def _finite_or_text(x: float) -> float | str:
    return x if math.isfinite(x) else str(float(x))


def _kind(value) -> str:
    if type(value) is Other:
        return value.text
    if callable(value):
        return "a function"
    name = type(value).__name__
    kind = f"{'an' if name[:1] in 'AEIOUaeiou' else 'a'} {name}"
    mean = "importances_mean"  # of what a measure returns
    return f"{kind}: take its {mean}" if hasattr(type(value), mean) else kind


# From JSON


def decode(data):
    """The value behind plain JSON; ValueError if it is not what `encode` gives.

    Everything is checked here: tags, types, lengths, shapes, depth.
    """
    try:
        return _Decoder().decode(data, 0)
    except (TypeError, KeyError, IndexError, OverflowError, RecursionError) as error:
        raise ValueError(f"not a value: {type(error).__name__}") from None


class _Decoder:
    def __init__(self):
        self.budget = Budget()

    def decode(self, data, depth: int):
        if type(data) is not list or not data or depth > MAX_DEPTH + 1:
            raise ValueError("not a value")
        self._count()
        kind, *content = data
        if kind == "none" and not content:
            return None
        if kind == "array":
            return self._decode_array(*content)
        if len(content) != 1:
            raise ValueError("not a value")
        (content,) = content
        if kind in ("float", "bool", "int", "str", "other"):
            return self._decode_scalar(kind, content)
        _require(content, list)
        self._count(items=0, containers=1)
        if kind == "dict":
            return {self.decode(k, depth + 1): self.decode(v, depth + 1) for k, v in content}
        make = {"list": list, "tuple": tuple, "set": frozenset}[kind]
        return make([self.decode(item, depth + 1) for item in content])

    def _count(self, **more: int) -> None:
        if not self.budget.allows(**more):
            raise ValueError(TOO_LARGE)

    def _decode_scalar(self, kind: str, content):
        if kind == "float":
            return _decode_float(content)
        _require(content, {"bool": bool, "int": int}.get(kind, str))
        if kind == "int" and abs(content) >= 2**63:
            raise ValueError("a huge integer")
        if kind in ("bool", "int"):
            return content
        text = clean(content, MAX_TEXT)
        self._count(items=len(text) // LETTERS)
        return Other(text[:100]) if kind == "other" else text

    def _decode_array(self, kind, shape, flat) -> np.ndarray:
        _require(shape, list)
        _require(flat, list)
        for length in shape:
            _require(length, int)
        if len(shape) > 8 or min(shape, default=0) < 0 or math.prod(shape) != len(flat):
            raise ValueError("shape and content of an array do not agree")
        if not self.budget.allows_array(shape):
            raise ValueError(TOO_LARGE)
        if kind == "float":
            return np.array([_decode_float(x) for x in flat], dtype=float).reshape(shape)
        wanted = {"bool": bool, "int": int}[kind]
        for x in flat:
            _require(x, wanted)
        return np.array(flat, dtype=wanted).reshape(shape)


def _decode_float(x) -> float:
    if type(x) is str and x in ("nan", "inf", "-inf"):
        return float(x)
    if type(x) not in (int, float):
        raise ValueError("not a number")
    return float(x)


def _require(value, kind: type) -> None:
    if type(value) is not kind:
        raise ValueError(f"{kind.__name__} expected")
