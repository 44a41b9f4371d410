"""What the learner has predicted, answered and passed: one local JSON file, and nothing else.

The file lies in the learner's workbook. It is written whole or not at all, so a kill in the middle
leaves the old one. Nothing leaves the machine; whoever wants to start again deletes the file.
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from course_lib.files import write_atomically
from course_lib.patience import is_unattended

FILE_NAME = "progress.json"
SECTIONS = tuple("predictions answers checks hints pre_test post_test recall written".split())
LOCK_PATIENCE = 5.0  # seconds after which a lock is taken for the leftover of a killed kernel
REFUSALS = 100  # in a row, until a refused lock is taken for a folder that cannot be written


def progress_file() -> Path:
    """Where the learner's progress is kept: in the workbook, else in the current folder."""
    return Path(os.environ.get("COURSE_WORKBOOK") or ".") / FILE_NAME


_in_memory: dict = {}  # stands in for the file while no learner is present


def read() -> dict:
    """Everything stored so far, one dictionary per section; a damaged file is set aside."""
    stored = _in_memory if is_unattended() else _read_file(progress_file())
    return {section: _entries(stored.get(section, {})) for section in SECTIONS}


def _entries(section: dict) -> dict:
    """The entries of a section; what is none, in a file that somebody has edited, is left out."""
    return {name: entry for name, entry in section.items() if isinstance(entry, dict)}


def _read_file(path: Path) -> dict:
    try:
        stored = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (json.JSONDecodeError, UnicodeDecodeError):
        stored = None
    if not isinstance(stored, dict) or not all(
        isinstance(stored.get(section, {}), dict) for section in SECTIONS
    ):
        aside = path.with_suffix(f".damaged-{time.time_ns()}.json")
        path.replace(aside)
        print(
            f"{path.name} could not be read. It is kept as {aside.name}; your progress begins anew."
        )
        return {}
    return stored


def update(section: str, key: str, change: Callable[[dict], dict]) -> None:
    """Replace the entry `key` of a section by change(old entry), as one atomic step."""
    if is_unattended():
        entries = _in_memory.setdefault(section, {})
        entries[key] = change(entries.get(key, {}))
        return
    path = progress_file()
    with _lock(path):
        stored = read()
        stored[section][key] = change(stored[section].get(key, {}))
        write_atomically(path, json.dumps(stored, indent=1, sort_keys=True))


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Let one kernel at a time change the file: a lesson and its exercise may both be open.

    Windows refuses to make a lock at the moment in which another kernel removes its own.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.with_suffix(".lock")
    refused = 0
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
            break
        except FileExistsError:
            refused = 0
            if _age(lock) > LOCK_PATIENCE:
                _remove(lock)
        except PermissionError as error:
            refused += 1
            if refused > REFUSALS or not os.access(path.parent, os.W_OK):
                words = "your progress cannot be kept, since this folder may not be written"
                raise PermissionError(error.errno, words, str(path.parent)) from None
        time.sleep(0.01)
    try:
        yield
    finally:
        _remove(lock)


def _remove(lock: Path) -> None:
    """Remove a lock; one that Windows holds open for another program is left to become old."""
    with suppress(PermissionError):
        lock.unlink(missing_ok=True)


def _age(lock: Path) -> float:
    """Seconds since a lock was made; 0 if it is gone, or going."""
    try:
        return time.time() - lock.stat().st_mtime
    except (FileNotFoundError, PermissionError):
        return 0.0
