"""Files that are written whole or not at all; and texts, which are read as UTF-8."""

import os
import tempfile
import time
from importlib.resources.abc import Traversable
from pathlib import Path

TEMPORARY = ".course-"  # how a file is called that is not whole yet
PATIENCE = 2.0  # seconds for another program to close a file that is to be replaced


def write_atomically(path: Path, content: str | bytes, *, mode: int = 0o666) -> None:
    """Write a file so that a reader, or a kill at any moment, sees the old or the new one whole.

    Of `mode`, what the user's mask takes away is not given.
    """
    content = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=TEMPORARY, suffix=".tmp")
    try:
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode & ~_mask())
        _replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _replace(temporary: str, path: Path) -> None:
    """Put a file in the place of another, which on Windows nobody may have open meanwhile."""
    begin = time.monotonic()
    while True:
        try:
            return os.replace(temporary, path)
        except PermissionError as error:
            if time.monotonic() - begin > PATIENCE:
                words = "may not be written, or another program has it open; close that one first"
                raise PermissionError(error.errno, words, str(path)) from None
            time.sleep(0.02)


def write_if_changed(path: Path, content: str | bytes) -> bool:
    """Write a file whole, unless it says this already; return whether it was written."""
    content = content.encode() if isinstance(content, str) else content
    if path.exists() and path.read_bytes() == content:
        return False
    write_atomically(path, content)
    return True


class EncodingError(ValueError):
    """A text file in another encoding; the message names file and line, and the remedy."""


def read_text(path: Traversable, name: str = "") -> str:
    """The text of a file that somebody has written by hand; a message calls it `name`."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        lines = path.read_bytes().decode("utf-8", errors="replace").split("\n")
    number = next(k for k, line in enumerate(lines, start=1) if "\ufffd" in line)
    shown = lines[number - 1].replace("\0", "").strip()
    raise EncodingError(
        f"{name or path.name}, line {number}: {shown[:60]!r} is not written in "
        f"UTF-8. Save the file as UTF-8."
    )


def _mask() -> int:
    """The mask of this process; it can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
