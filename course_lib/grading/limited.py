"""A function called in a process of its own that may use only so much time and memory."""

import ctypes
import os
import resource
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context

_PR_SET_PDEATHSIG = 1


class LimitError(RuntimeError):
    """The process has used more than it may, or has died."""


def call(function: Callable, *arguments, seconds: float, memory: int):
    """What the function gives, called once; its exceptions are raised here."""
    with Helper(function, seconds=seconds, memory=memory) as helper:
        return helper(*arguments)


class Helper:
    """A function in a process of its own, for many calls; after a failure it gets a new one.

    Parameters
    ----------
    function : callable
        What it gives must be plain data.
    seconds : float
        Time on the clock for each call.
    memory : int
        Bytes beyond those that this process has.
    """

    def __init__(self, function: Callable, *, seconds: float, memory: int):
        self.function, self.seconds, self.memory = function, seconds, memory
        self.process = None
        self._start()

    def __enter__(self) -> "Helper":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def _start(self) -> None:
        context = get_context("fork")
        self.channel, theirs = context.Pipe()
        work = (theirs, self.channel, self.function, self.memory, os.getpid())
        self.process = context.Process(target=_serve, args=work, daemon=True)
        self.process.start()
        theirs.close()

    def close(self) -> None:
        """End the process, whatever it does."""
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.channel.close()
            self.process = None

    def __call__(self, *arguments):
        """What the function gives; its exceptions are raised here, and LimitError."""
        if self.process is None:
            self._start()
        done, value = False, LimitError("It used more memory or time than it may.")
        with suppress(EOFError, OSError):
            self.channel.send(arguments)
            if self.channel.poll(self.seconds):
                done, value = self.channel.recv()
            else:
                value = LimitError(f"It took longer than {self.seconds:g} s.")
        if not done:
            self.close()
            raise value
        return value


def _serve(channel, other_end, function: Callable, memory: int, owner: int) -> None:
    """Answer calls until nobody is there to ask."""
    other_end.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError, AttributeError):  # whoever asked may be killed; this must not stay
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != owner:
        return
    with suppress(ValueError, OSError):  # not every system counts it
        resource.setrlimit(resource.RLIMIT_AS, (_used() + memory,) * 2)
    with suppress(EOFError):
        while True:
            channel.send(_outcome(function, channel.recv()))


def _outcome(function: Callable, arguments: tuple) -> tuple:
    try:
        return True, function(*arguments)
    except Exception as error:
        return False, error


def _used() -> int:
    """The address space of this process."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


@contextmanager
def processor_time(seconds: float) -> Iterator[Callable[[], bool]]:
    """Raise TimeoutError in what takes more of the processor; gives whether it is used up."""

    def stop(*_):
        raise TimeoutError

    end = time.process_time() + seconds
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield lambda: time.process_time() >= end
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
