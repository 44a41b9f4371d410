"""What the learner has predicted, answered and passed: one local JSON file, and nothing else.

The file lies in the learner's workbook. It is written whole or not at all, so a kill in the middle
leaves the old one. Nothing leaves the machine; whoever wants to start again deletes the file.
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from course_lib import lessons
from course_lib.files import write_atomically

FILE_NAME = "progress.json"
SECTIONS = ("predictions", "answers", "checks", "hints", "pre_test", "post_test", "recall")
LOCK_PATIENCE = 3.0  # seconds after which a lock is taken for the leftover of a killed kernel


def is_unattended() -> bool:
    """Whether no learner is present: the notebooks are being built, tested or graded."""
    return any(os.environ.get(name) for name in ("COURSE_BUILD", "NBGRADER_EXECUTION"))


def progress_file() -> Path:
    """Where the learner's progress is kept: in the workbook, else in the current folder."""
    return Path(os.environ.get("COURSE_WORKBOOK") or ".") / FILE_NAME


_in_memory: dict = {}  # stands in for the file while no learner is present


def read() -> dict:
    """Everything stored so far, one dictionary per section; a damaged file is set aside."""
    stored = _in_memory if is_unattended() else _read_file(progress_file())
    return {section: stored.get(section, {}) for section in SECTIONS}


def _read_file(path: Path) -> dict:
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (json.JSONDecodeError, UnicodeDecodeError):
        stored = None
    if not isinstance(stored, dict) or not all(
        isinstance(stored.get(section, {}), dict) for section in SECTIONS
    ):
        path.replace(path.with_suffix(f".damaged-{int(time.time())}.json"))
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
    """Let one kernel at a time change the file: a lesson and its exercise may both be open."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock, start = path.with_suffix(".lock"), time.monotonic()
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
            break
        except FileExistsError:
            if time.monotonic() - start > LOCK_PATIENCE:
                lock.unlink(missing_ok=True)
            time.sleep(0.01)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


class Progress:
    """A small table: per lesson, what is predicted, answered and passed."""

    def __init__(self, stored: dict, path: Path, shown: list[lessons.Lesson]):
        self._stored, self._path, self._shown = stored, path, shown

    def to_frame(self) -> pd.DataFrame:
        """One row per lesson: predictions made, statements judged, tasks passed, points."""
        rows = [self._row(lesson) for lesson in self._shown]
        return pd.DataFrame(rows).set_index("lesson")

    def _row(self, lesson: lessons.Lesson) -> dict:
        tasks = lessons.exercises(lesson.number)
        passed = [
            task for task in tasks if self._stored["checks"].get(task.id, {}).get("passed", False)
        ]
        questions = [item.id for item in lesson.statements + lesson.recall]
        return {
            "lesson": f"{lesson.number} {lesson.title}",
            "predicted": self._count("predictions", [p.id for p in lesson.predictions]),
            "answered": self._count("answers", questions),
            "tasks passed": f"{len(passed)} of {len(tasks)}",
            "points": f"{sum(t.points for t in passed)} of {sum(t.points for t in tasks)}",
        }

    def _count(self, section: str, ids: list[str]) -> str:
        return f"{sum(name in self._stored[section] for name in ids)} of {len(ids)}"

    def __repr__(self) -> str:
        return self.to_frame().to_string()

    def _repr_html_(self) -> str:
        return Markup(
            "<div>{}<div>Kept in <code>{}</code> in your workbook, on this machine only. "
            "To start again, delete that file.</div></div>"
        ).format(Markup(self.to_frame().to_html(border=0)), self._path.name)


def progress(number: str | None = None) -> Progress:
    """What you have done so far, lesson by lesson; given its number, of one lesson alone."""
    shown = lessons.available() if number is None else [lessons.load(number)]
    return Progress(read(), progress_file(), shown)
