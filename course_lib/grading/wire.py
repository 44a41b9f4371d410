"""What crosses the wall of the box: frames of plain JSON, never more than announced and allowed."""

import json
import socket
import struct
from collections.abc import Callable

MAX_FRAME = 32 * 2**20  # bytes; what comes out of the box in one message
MAX_PARTS = 3_000_000  # values in a message
ANYTHING = 2**31  # for messages of the trusted side
_HEADER = struct.Struct("!I")

Patience = Callable[[], float]  # seconds to wait before asking again; TimeoutError if it is over


class ChannelClosedError(ConnectionError):
    """The other side is gone, or says something that is not a message."""


def send(channel: socket.socket, message) -> None:
    """Send one message: its length, then its JSON."""
    send_bytes(channel, json.dumps(message, separators=(",", ":")).encode())


def send_bytes(channel: socket.socket, body: bytes) -> None:
    """Send one message of any kind."""
    try:
        channel.sendall(_HEADER.pack(len(body)) + body)
    except OSError as error:
        raise ChannelClosedError(str(error)) from None


def receive(channel: socket.socket, *, patience: Patience | None = None, limit: int = MAX_FRAME):
    """Receive one message; TimeoutError when there is no more patience.

    A sender that drips bytes does not gain time, and one that announces more than `limit` bytes,
    or packs more values into them than anybody needs, is cut off before they are read.
    """
    body = receive_bytes(channel, patience=patience, limit=limit)
    if limit <= MAX_FRAME and sum(map(body.count, (b",", b"[", b"{"))) > MAX_PARTS:
        raise ChannelClosedError("a message of too many parts")
    try:
        return json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ChannelClosedError(f"not a message: {type(error).__name__}") from None


def receive_bytes(channel: socket.socket, *, patience: Patience | None = None, limit: int) -> bytes:
    """Receive one message of any kind."""
    (length,) = _HEADER.unpack(_exactly(channel, _HEADER.size, patience))
    if length > limit:
        raise ChannelClosedError(f"a message of {length} bytes was announced")
    return _exactly(channel, length, patience)


def _exactly(channel: socket.socket, length: int, patience: Patience | None) -> bytes:
    parts, missing = [], length
    while missing:
        channel.settimeout(patience() if patience else None)
        try:
            part = channel.recv(min(missing, 2**16))
        except TimeoutError:
            continue
        except OSError as error:
            raise ChannelClosedError(str(error)) from None
        if not part:
            raise ChannelClosedError("the other side is gone")
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _refuse_constant(name: str):
    raise ValueError(name)
