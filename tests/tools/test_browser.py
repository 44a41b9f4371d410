"""Servers for tests and measurements: waited for, and ended with all that they started."""

import subprocess
import sys

import psutil
import pytest

from course_lib.tools.browser import end_family, wait_for_answer

PARENT = (
    "import subprocess, sys; child = subprocess.Popen([sys.executable, '-c', 'input()'],"
    " stdin=subprocess.PIPE); print(child.pid, flush=True); child.wait()"
)


def test_a_server_that_ends_is_quoted_with_its_last_words():
    server = subprocess.Popen([sys.executable, "-c", ""])
    with pytest.raises(RuntimeError, match=r"Probe did not answer at .*\nno room on the disk"):
        wait_for_answer("Probe", "http://127.0.0.1:9/", server, 20, lambda: "no room on the disk")


def is_alive(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def test_a_server_ends_together_with_what_it_started():
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE) as server:
        child = int(server.stdout.readline())
        assert is_alive(child)
        end_family(server)
    assert not is_alive(server.pid) and not is_alive(child)
