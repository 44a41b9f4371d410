"""What one student's processes use together, however they hide it; run as both kinds of user."""

import os
import threading
import time

import pytest

from course_lib.grading import watch
from course_lib.grading.box import ForkServer, Limits
from course_lib.grading.wire import ChannelClosedError

pytestmark = pytest.mark.container
FEW = Limits(memory=2**28)

COMMON = """
import ctypes, os, signal, subprocess, sys, _thread, threading, time
libc = ctypes.CDLL(None)

def end_this_thread():
    libc.syscall(60 if os.uname().machine == "x86_64" else 93, 0)

def hold(mb):
    block = bytearray(mb << 20)
    block[::4096] = b"x" * len(block[::4096])
    time.sleep(60)
"""
GREEDY = {
    "the first thread has ended": """
for _ in range(4):
    if os.fork() == 0:
        _thread.start_new_thread(hold, (100,))
        end_this_thread()
time.sleep(60)
""",
    "many small programs": """
code = "a = bytes([1]) * (15 << 20); import time; time.sleep(60)"
held = [subprocess.Popen([sys.executable, "-SIc", code]) for _ in range(40)]
time.sleep(60)
""",
    "always another process": """
def hand_on(block):
    while True:
        if os.fork():
            os._exit(0)
        block[::4096] = os.urandom(1) * len(block[::4096])

for _ in range(6):
    if os.fork() == 0:
        hand_on(bytearray(b"x" * (100 << 20)))
time.sleep(60)
""",
    "not to be looked at": """
for _ in range(4):
    if os.fork() == 0:
        libc.prctl(4, 0, 0, 0, 0)
        hold(100)
time.sleep(60)
""",
}


@pytest.fixture(scope="module")
def server():
    server = ForkServer()
    yield server
    server.close()


@pytest.mark.parametrize("source", GREEDY.values(), ids=GREEDY.keys())
def test_memory_is_counted_whoever_holds_it(server, source):
    with server.start([], FEW) as session:
        with pytest.raises(ChannelClosedError):
            session.ask(20, do="cell", source=COMMON + source)
        assert session.end() == "memory"


def test_sockets_are_counted_behind_a_first_thread_that_has_ended(server):
    source = """
import socket
for _ in range(6):
    if os.fork() == 0:
        held = [end for _ in range(110) for end in socket.socketpair()]
        _thread.start_new_thread(time.sleep, (60,))
        end_this_thread()
time.sleep(60)
"""
    with server.start([], FEW) as session:
        with pytest.raises(ChannelClosedError):
            session.ask(20, do="cell", source=COMMON + source)
        assert session.end() == "memory"


def test_what_copies_share_is_counted_once(server):
    source = """
block = bytearray(b"x" * (150 << 20))
for _ in range(6):
    if os.fork() == 0:
        time.sleep(60)
time.sleep(1.5)
print("done")
"""
    with server.start([], Limits(memory=2**29)) as session:
        reply = session.ask(20, do="cell", source=COMMON + source)
    assert reply["output"] == [{"text": "done\n"}]


def test_the_time_of_children_that_nobody_waits_for_is_counted(server):
    source = """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
reading, writing = os.pipe()
for _ in range(8):
    if os.fork() == 0:
        start = time.process_time()
        while time.process_time() - start < 0.1:
            pass
        os.write(writing, b"x")
        os._exit(0)
    os.read(reading, 1)
"""
    with server.start([], Limits()) as session:
        assert session.ask(60, do="cell", source=COMMON + source)["error"] is None
    assert session.used >= 0.8 * 8 * 0.1


def test_a_process_is_busy_if_one_of_its_threads_is():
    stop = threading.Event()

    def spin():
        while not stop.is_set():
            sum(range(1000))

    thread = threading.Thread(target=spin)
    thread.start()
    try:
        looks = [watch.usage(os.getpid()) for _ in range(50) if not time.sleep(0.002)]
    finally:
        stop.set()
        thread.join()
    assert any(used.busy for used in looks) and all(used.threads >= 2 for used in looks)


def test_whoever_counts_can_tell_that_a_process_came_and_went():
    before = watch.newest_process()
    os.waitpid(pid := os.posix_spawn("/bin/true", ["true"], {}), 0)
    assert before < pid <= watch.newest_process() or pid < before  # numbers start again some day
