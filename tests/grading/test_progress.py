"""Whoever waits for a batch sees how far it is, in a terminal of any kind and without one."""

import io
import os
import pty
import select
import sys
import time

import pytest

from course_lib.grading.progress import Progress


class Log(io.StringIO):
    """A file that is no terminal."""


def read(handle: int) -> str:
    ready, _, _ = select.select([handle], [], [], 10)
    assert ready, "nothing was shown for ten seconds"
    return os.read(handle, 4096).decode()


def wait_for(condition, seconds=10.0) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def test_without_a_terminal_a_line_comes_now_and_then():
    log = Log()
    with Progress(60, file=log, every=0.05) as progress:
        for _ in range(7):
            progress.update()
        assert wait_for(lambda: "Graded 7 of 60" in log.getvalue())
    lines = log.getvalue().splitlines()
    assert len(lines) < 100 and all(line.startswith("Graded ") for line in lines)


def test_a_short_batch_without_a_terminal_says_nothing():
    log = Log()
    with Progress(3, file=log) as progress:
        progress.update()
    assert log.getvalue() == ""


@pytest.mark.parametrize("columns", [0, 80])
def test_a_terminal_of_any_width_shows_a_bar_at_once_that_lives(monkeypatch, columns):
    import fcntl
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(
        theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24 if columns else 0, columns, 0, 0)
    )
    terminal = open(theirs, "w")  # noqa: SIM115
    monkeypatch.setattr(sys, "stderr", terminal)  # tqdm asks for the size of this one only
    with terminal, Progress(3, tick=0.05) as progress:
        seen = read(ours)
        assert "0/3" in seen, "before anything is graded"
        assert "0/3" in read(ours), "the clock goes on while one is graded"
        progress.update()
        while "1/3" not in seen:
            seen += read(ours)
        assert "<" in seen.rpartition("1/3")[2], "with a forecast"
    os.close(ours)


def test_nothing_is_left_running_when_the_batch_breaks_off():
    with pytest.raises(KeyboardInterrupt), Progress(3, file=Log()) as progress:
        raise KeyboardInterrupt
    assert not progress.is_alive()
