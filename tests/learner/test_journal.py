"""The progress file: atomic, local, forgiving, shared by several kernels."""

import errno
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from course_lib import files
from course_lib.learner import journal


@pytest.fixture(autouse=True)
def workbook(tmp_path, monkeypatch):
    """A learner's workbook with nothing in it."""
    monkeypatch.delenv("COURSE_BUILD", raising=False)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.setenv("COURSE_WORKBOOK", str(tmp_path))
    return tmp_path


def note(key: str) -> None:
    journal.update("hints", key, lambda old: {"times": old.get("times", 0) + 1})


def test_what_is_stored_is_read_back(workbook):
    note("a")
    note("a")
    assert journal.read()["hints"] == {"a": {"times": 2}}
    assert json.loads((workbook / "progress.json").read_text())["hints"]["a"]["times"] == 2


def test_nothing_but_the_file_is_left_behind(workbook):
    note("a")
    assert [path.name for path in workbook.iterdir()] == ["progress.json"]


def test_without_a_learner_nothing_touches_the_disk(workbook, monkeypatch):
    monkeypatch.setenv("COURSE_BUILD", "1")
    note("in memory")
    assert not list(workbook.iterdir())
    assert journal.read()["hints"]["in memory"]["times"] >= 1


def test_a_damaged_file_is_set_aside_and_not_lost(workbook):
    (workbook / "progress.json").write_text("{ half a fi")
    note("a")
    assert journal.read()["hints"] == {"a": {"times": 1}}
    kept = [path for path in workbook.iterdir() if "damaged" in path.name]
    assert kept[0].read_text() == "{ half a fi"


def test_who_waits_long_because_others_take_turns_does_not_break_in(workbook, monkeypatch):
    """On a busy machine a kernel may wait longer than any of the others holds the lock."""
    monkeypatch.setattr(journal, "LOCK_PATIENCE", 1.0)
    lock, begin = workbook / "progress.lock", time.monotonic()
    lock.touch()

    def take_turns():
        while time.monotonic() - begin < 2.0:
            os.utime(lock)
            time.sleep(0.02)
        lock.unlink()

    others = threading.Thread(target=take_turns)
    others.start()
    note("a")
    assert time.monotonic() - begin >= 2.0
    others.join()


def test_a_lock_left_by_a_killed_kernel_is_taken_over(workbook, monkeypatch):
    monkeypatch.setattr(journal, "LOCK_PATIENCE", 0.05)
    (workbook / "progress.lock").touch()
    note("a")
    assert journal.read()["hints"]["a"]["times"] == 1


def refusing(monkeypatch, name: str, times: float) -> None:
    """Let a function of `os` refuse so often, as on Windows while another process is at it."""
    real, left = getattr(os, name), [times]

    def refuse(path, *args):
        if not str(args[:1] + (path,)).count("progress") or left[0] <= 0:
            return real(path, *args)
        left[0] -= 1
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(os, name, refuse)


@pytest.mark.parametrize("name", ["open", "replace", "unlink"])
def test_what_windows_refuses_for_a_moment_is_tried_again(workbook, monkeypatch, name):
    monkeypatch.setattr(journal, "LOCK_PATIENCE", 0.05)
    refusing(monkeypatch, name, 3)
    note("a")
    note("a")
    assert journal.read()["hints"] == {"a": {"times": 2}}


@pytest.mark.parametrize(
    ("name", "words"), [("open", "folder may not be written"), ("replace", "has it open")]
)
def test_what_is_refused_for_good_is_said_in_words(workbook, monkeypatch, name, words):
    monkeypatch.setattr(journal, "REFUSALS", 5, raising=False)
    monkeypatch.setattr(files, "PATIENCE", 0.05, raising=False)
    refusing(monkeypatch, name, float("inf"))
    with pytest.raises(PermissionError, match=words):
        note("a")
    assert not list(workbook.iterdir())


def test_several_kernels_may_write_at_once():
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=lambda: [note("shared") for _ in range(20)]) for _ in "abc"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert journal.read()["hints"]["shared"]["times"] == 60


def test_a_kill_in_the_middle_leaves_a_whole_file(workbook):
    code = (
        "from course_lib.learner import journal\n"
        "for k in range(10**6): journal.update('hints', str(k % 500), lambda old: {'k': k})"
    )
    for _ in range(3):
        writer = subprocess.Popen([sys.executable, "-c", code], env=os.environ | {})
        deadline = time.monotonic() + 30
        while not (workbook / "progress.json").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.1)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        assert json.loads((workbook / "progress.json").read_text())["hints"]
