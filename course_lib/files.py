"""Files that are written whole or not at all."""

import os
import tempfile
from pathlib import Path


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader, or a kill at any moment, sees the old or the new one whole."""
    content = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_if_changed(path: Path, content: str | bytes) -> bool:
    """Write a file whole, unless it says this already; return whether it was written."""
    content = content.encode() if isinstance(content, str) else content
    if path.exists() and path.read_bytes() == content:
        return False
    write_atomically(path, content)
    return True
