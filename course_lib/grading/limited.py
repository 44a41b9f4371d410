"""A function called in a process of its own that may use only so much time and memory."""

import resource
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context


class LimitError(RuntimeError):
    """The process has used more than it may, or has died."""


def call(function: Callable, *arguments, seconds: float, memory: int):
    """What the function gives; its exceptions are raised here.

    Parameters
    ----------
    function : callable
        What it gives must be plain data.
    seconds : float
        Time on the clock, and of the processor.
    memory : int
        Bytes beyond those that this process has.
    """
    context = get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    work = (theirs, function, arguments, seconds, memory)
    process = context.Process(target=_serve, args=work, daemon=True)
    process.start()
    theirs.close()
    try:
        if not ours.poll(seconds):
            raise LimitError(f"It took longer than {seconds:g} s.")
        done, value = ours.recv()
    except (EOFError, OSError):
        raise LimitError("It used more memory or time than it may.") from None
    finally:
        process.kill()
        process.join()
        ours.close()
    if not done:
        raise value
    return value


def _serve(channel, function, arguments, seconds: float, memory: int) -> None:
    with suppress(ValueError, OSError):  # not every system counts them
        resource.setrlimit(resource.RLIMIT_AS, (_used() + memory,) * 2)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1,) * 2)
    try:
        outcome = (True, function(*arguments))
    except Exception as error:
        outcome = (False, error)
    channel.send(outcome)


def _used() -> int:
    """The address space of this process."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
