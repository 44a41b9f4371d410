"""What crosses the wall of the box: frames of plain JSON, never more than announced and allowed."""

import json
import socket
import struct
import time

MAX_FRAME = 4 * 2**20  # bytes; what comes out of the box in one message
_HEADER = struct.Struct("!I")


class ChannelClosedError(ConnectionError):
    """The other side is gone, or says something that is not a message."""


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
