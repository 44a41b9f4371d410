"""Processes on this machine that do jobs, each one job at a time.

One that dies takes its job along and nothing else: the job is told, and another process takes its
place. All of them end when the process that started them does, however that ends.
"""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path

from course_lib.grading.places import ONE_THREAD

PARENT = Path(__file__).resolve().parents[2]
PR_SET_PDEATHSIG = 1
START = (
    "import sys; sys.path.append({parent!r}); "
    "from course_lib.grading.workers import serve; serve({channel}, {lifeline}, {work!r})"
)


class LostError(RuntimeError):
    """The process that did a job has died."""


class Worker:
    """A process, from its owner's side.

    `preparation` is done before the first job, by the same function, which says nothing to it.
    """

    def __init__(self, work: str, preparation=None):
        ours, theirs = socket.socketpair()
        lifeline, self.held = os.pipe()
        places = {"channel": theirs.fileno(), "lifeline": lifeline}
        code = START.format(parent=str(PARENT), work=work, **places)
        self.process = subprocess.Popen(
            [sys.executable, "-c", code],
            env=os.environ | ONE_THREAD,  # there is one worker for each core
            stdin=subprocess.DEVNULL,
            pass_fds=list(places.values()),
        )
        theirs.close()
        os.close(lifeline)
        self.channel, self.job = Connection(ours.detach()), None
        if preparation is not None:
            self._send(preparation)

    def start(self, job) -> None:
        """Hand over a job."""
        self.job = job
        self._send(job)

    def _send(self, job) -> None:
        try:
            self.channel.send(job)
        except OSError:
            pass  # the answer will tell

    def answer(self):
        """What came of the job, or LostError."""
        try:
            return self.channel.recv()
        except (EOFError, OSError):
            return LostError(f"status {self.process.wait()}")

    def close(self) -> None:
        """End the process; what it started ends with it."""
        self.channel.close()
        os.close(self.held)
        self.process.kill()
        self.process.wait()


def do_all(work: str, jobs: Iterator, number: int, preparation=None) -> Iterator[tuple]:
    """Do jobs in so many processes; pairs of a job and what came of it, as they are done.

    `work` names the function, as in "course_lib.grading.engine:work"; `preparation` is given to it
    first in each process, while nobody waits.
    """
    workers = [Worker(work, preparation)]  # begins while the first job is looked for
    jobs = iter(jobs)
    try:
        more = True
        while more or any(worker.job is not None for worker in workers):
            while more and (len(workers) < number or any(w.job is None for w in workers)):
                job = next(jobs, None)
                if job is None:
                    more = False
                    break
                if (free := _free(workers)) is None:
                    free = Worker(work, preparation)
                    workers.append(free)
                free.start(job)
            busy = {w.channel: w for w in workers if w.job is not None}
            for channel in wait(list(busy)) if busy else ():
                worker = busy[channel]
                answer, job, worker.job = worker.answer(), worker.job, None
                if isinstance(answer, LostError):
                    workers.remove(worker)
                    worker.close()
                yield job, answer
    finally:
        for worker in workers:
            worker.close()


def _free(workers: list[Worker]) -> Worker | None:
    """A process that has nothing to do."""
    return next((worker for worker in workers if worker.job is None), None)


# In the process


def serve(channel: int, lifeline: int, work: str) -> None:
    """Do one job after the other until nobody wants more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(AttributeError):  # where there is none, only the thread below is left
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_end_with_owner, args=(lifeline,), daemon=True).start()
    do, connection = _function(work), Connection(channel)
    while True:
        try:
            job = connection.recv()
        except EOFError:
            return
        if (answer := do(job)) is not None:
            connection.send(answer)


def _end_with_owner(lifeline: int) -> None:
    os.read(lifeline, 1)
    os._exit(1)


def _function(name: str) -> Callable:
    from importlib import import_module

    module, _, function = name.partition(":")
    return getattr(import_module(module), function)
