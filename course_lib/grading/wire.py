"""What crosses the wall of the box: frames of plain JSON, and values rebuilt with suspicion."""

import json
import math
import socket
import struct
import time

import numpy as np
import pandas as pd

MAX_FRAME = 4 * 2**20  # bytes; what comes out of the box in one message
MAX_DEPTH, MAX_ITEMS, MAX_TEXT = 12, 100_000, 100_000
_HEADER = struct.Struct("!I")


class ChannelClosedError(ConnectionError):
    """The other side is gone, or says something that is not a message."""


# Frames


def send(channel: socket.socket, message) -> None:
    """Send one message: its length, then its JSON."""
    body = json.dumps(message, separators=(",", ":")).encode()
    try:
        channel.sendall(_HEADER.pack(len(body)) + body)
    except OSError as error:
        raise ChannelClosedError(str(error)) from None


def receive(channel: socket.socket, *, deadline: float | None = None, limit: int = MAX_FRAME):
    """Receive one message; TimeoutError after the deadline of `time.monotonic`.

    A sender that drips bytes does not gain time, and one that announces more than `limit` bytes
    is cut off before they are read.
    """
    (length,) = _HEADER.unpack(_exactly(channel, _HEADER.size, deadline))
    if length > limit:
        raise ChannelClosedError(f"a message of {length} bytes was announced")
    try:
        return json.loads(_exactly(channel, length, deadline), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ChannelClosedError(f"not a message: {type(error).__name__}") from None


def _exactly(channel: socket.socket, length: int, deadline: float | None) -> bytes:
    parts, missing = [], length
    while missing:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            channel.settimeout(left)
        else:
            channel.settimeout(None)
        try:
            part = channel.recv(min(missing, 2**16))
        except TimeoutError:
            raise
        except OSError as error:
            raise ChannelClosedError(str(error)) from None
        if not part:
            raise ChannelClosedError("the other side is gone")
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _refuse_constant(name: str):
    raise ValueError(name)


# Values, inside -> JSON


def encode(value):
    """A value as plain JSON: tagged lists, with the true content of whatever claims to be more.

    Runs inside the box, next to the code that made the value, so nobody relies on it: a lie told
    here is only a wrong value outside.
    """
    return _Encoder().encode(value, 0)


class _Encoder:
    def __init__(self):
        self.items = 0

    def encode(self, value, depth: int):
        self.items += 1
        if depth > MAX_DEPTH or self.items > MAX_ITEMS:
            return ["other", "something too large"]
        if value is None:
            return ["none"]
        if isinstance(value, bool | np.bool_):
            return ["bool", bool(value)]
        if isinstance(value, int | np.integer):
            number = int.__add__(value, 0) if isinstance(value, int) else int(value)
            return ["int", number] if abs(number) < 2**63 else ["other", "a huge integer"]
        if isinstance(value, float | np.floating):
            return ["float", _number(_true_float(value))]
        if isinstance(value, str):
            return ["str", str.__str__(value)[:MAX_TEXT]]
        return self._container(value, depth)

    def _container(self, value, depth: int):
        if isinstance(value, pd.DataFrame | pd.Series):
            return self._array(value.to_numpy(), depth)
        if isinstance(value, pd.Index):
            return self._array(np.asarray(value), depth)
        if isinstance(value, np.ndarray):
            return self._array(value.view(np.ndarray), depth)
        for kind in (list, tuple, set, frozenset):
            if isinstance(value, kind):
                name = "set" if kind is frozenset else kind.__name__
                items = [self.encode(item, depth + 1) for item in kind.__iter__(value)]
                return [name, sorted(items, key=repr) if name == "set" else items]
        if isinstance(value, dict):
            pairs = dict.items(value)
            return [
                "dict",
                [[self.encode(k, depth + 1), self.encode(v, depth + 1)] for k, v in pairs],
            ]
        return ["other", f"a {type(value).__name__}"[:80]]

    def _array(self, value: np.ndarray, depth: int):
        self.items += value.size
        if self.items > MAX_ITEMS:
            return ["other", "an array that is too large"]
        shape, flat = list(value.shape), np.ndarray.tolist(np.ravel(value))
        if value.dtype.kind == "f":
            return ["array", "float", shape, [_number(x) for x in flat]]
        if value.dtype.kind in "biu":
            return ["array", "bool" if value.dtype.kind == "b" else "int", shape, flat]
        if value.dtype.kind in "OU" and value.ndim == 1:
            return ["list", [self.encode(item, depth + 1) for item in flat]]
        return ["other", f"an array of {value.dtype}"[:80]]


def _true_float(value) -> float:
    return float.__add__(value, 0.0) if isinstance(value, float) else float(value)


def _number(x: float):
    return x if math.isfinite(x) else str(float(x))


# Values, JSON -> outside


def decode(data):
    """The value behind plain JSON from the box; ValueError if it is not what `encode` gives.

    Everything is checked here: tags, types, lengths, shapes, depth. Only builtin types and plain
    arrays come out, so that no comparison can be overruled by the value itself.
    """
    try:
        return _decode(data, 0)
    except (TypeError, KeyError, IndexError, OverflowError, RecursionError) as error:
        raise ValueError(f"not a value: {type(error).__name__}") from None


class Other:
    """Something that is no plain value, such as a generator."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _decode(data, depth: int):
    if type(data) is not list or not data or depth > MAX_DEPTH + 1:
        raise ValueError("not a value")
    kind, *content = data
    if kind == "none" and not content:
        return None
    if kind == "array":
        return _decode_array(*content)
    if len(content) != 1:
        raise ValueError("not a value")
    (content,) = content
    if kind == "float":
        return _checked_float(content)
    if kind in ("bool", "int", "str", "other"):
        _require(content, {"bool": bool, "int": int}.get(kind, str))
        if kind == "int" and abs(content) >= 2**63:
            raise ValueError("a huge integer")
        return Other(content[:100]) if kind == "other" else content
    _require(content, list)
    if kind == "dict":
        return {_decode(k, depth + 1): _decode(v, depth + 1) for k, v in content}
    make = {"list": list, "tuple": tuple, "set": set}[kind]
    return make(_decode(item, depth + 1) for item in content)


def _decode_array(kind, shape, flat) -> np.ndarray:
    _require(shape, list)
    _require(flat, list)
    for length in shape:
        _require(length, int)
    if len(shape) > 8 or min(shape, default=0) < 0 or math.prod(shape) != len(flat):
        raise ValueError("shape and content of an array do not agree")
    if kind == "float":
        return np.array([_checked_float(x) for x in flat], dtype=float).reshape(shape)
    wanted = {"bool": bool, "int": int}[kind]
    for x in flat:
        _require(x, wanted)
    return np.array(flat, dtype=wanted).reshape(shape)


def _checked_float(x) -> float:
    if type(x) is str and x in ("nan", "inf", "-inf"):
        return float(x)
    if type(x) not in (int, float):
        raise ValueError("not a number")
    return float(x)


def _require(value, kind: type) -> None:
    if type(value) is not kind:
        raise ValueError(f"{kind.__name__} expected")
