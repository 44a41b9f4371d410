"""The fork server: imports everything once, then forks one contained process per submission.

Runs in the outer box, without network or a writable place. It never runs a student's code; what it
forks does, in namespaces of its own (`confine`), unable to see or reach this process.
"""

import gc
import os
import select
import signal
import socket

from course_lib.grading import confine
from course_lib.grading.inside import StudentProcess, prepare, read_notebook
from course_lib.grading.places import FOLDER
from course_lib.grading.preloading import preload
from course_lib.grading.watch import Watch, others, usage
from course_lib.grading.wire import ANYTHING, ChannelClosedError, receive, send

TICK = 0.02  # seconds between two looks at memory and processes


def main(descriptor: int) -> None:
    """Serve one trusted process until it closes the channel."""
    os.closerange(3, descriptor)
    os.closerange(descriptor + 1, 256)
    channel = socket.socket(fileno=descriptor)
    contained = receive(channel)["contained"]
    if contained:
        confine.show_all_processes()
        confine.adopt_orphans()
        confine.call_filter()
    gc.disable()
    prepare()
    silent = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(silent, number)
    os.close(silent)
    try:
        while True:
            request = receive(channel, limit=ANYTHING)
            if "modules" in request:
                preload(request["modules"])  # what is only outside is not needed here
                send(channel, {"ready": True})
                continue
            _, descriptors, _, _ = socket.recv_fds(channel, 1, 1 + len(request["tasks"]))
            _serve(channel, request, descriptors, contained)
    except ChannelClosedError:
        pass


def _serve(channel: socket.socket, request: dict, descriptors: list[int], contained: bool) -> None:
    """Fork one student, watch it, and end it when told to."""
    try:
        pid = (_contained_fork if contained else _plain_fork)(channel, request, descriptors)
    except OSError as error:
        send(channel, {"error": str(error)})
        return
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    send(channel, {"started": True})
    reason = _watch(channel, pid, request, contained)
    send(channel, {"reason": reason, "left": len(others()) if contained else 0})


def _contained_fork(channel: socket.socket, request: dict, descriptors: list[int]) -> int:
    """Fork into namespaces of its own; the number of their first process."""
    address_space = usage(os.getpid()).mapped + request["limits"]["memory"]
    reading, writing = os.pipe()
    go_between = os.fork()
    if go_between == 0:
        os.close(reading)
        _in_go_between(channel, writing, address_space, request, descriptors)
    os.close(writing)
    with os.fdopen(reading) as file:
        number, _, trouble = file.read().partition(" ")
    os.waitpid(go_between, 0)
    if trouble or not number.isdigit():
        if number.isdigit():
            _end(int(number), contained=True)
        raise OSError(trouble or "the fork into its own namespaces failed")
    return int(number)


def _in_go_between(channel, writing, address_space, request, descriptors) -> None:
    """Fork the first process of new namespaces; say its number, and what went wrong if it did."""
    channel.close()
    try:
        confine.become(request["user"])
        confine.own_namespaces()
        first = os.fork()
    except OSError as error:
        os.write(writing, f" {error}".encode())
        os._exit(1)
    if first:
        os.write(writing, f"{first} ".encode())
        os._exit(0)
    limits = request["limits"]
    try:
        confine.own_session()
        confine.own_mounts(limits["folder"], request["covered"])
        confine.limit(
            memory=address_space,
            cpu_seconds=limits["cpu"],
            processes=limits["processes"] + _expected(request),
            file_bytes=limits["folder"],
        )
        confine.seal()
    except OSError as error:
        os.write(writing, str(error).encode())
        os._exit(1)
    os.close(writing)
    _first_process(request, descriptors)


def _first_process(request: dict, descriptors: list[int]) -> None:
    """Fork the student, bury the dead, and end with the student: then all others end as well."""
    student = os.fork()
    if student == 0:
        _become_student(request, descriptors, FOLDER)
    for descriptor in descriptors:
        os.close(descriptor)
    while os.wait()[0] != student:
        pass
    os._exit(0)


def _plain_fork(channel: socket.socket, request: dict, descriptors: list[int]) -> int:
    pid = os.fork()
    if pid == 0:
        os.setsid()
        channel.close()
        _become_student(request, descriptors, request["folder"])
    return pid


def _become_student(request: dict, descriptors: list[int], folder: str) -> None:
    try:
        reads = request["reads"]
        if not reads or read_notebook(descriptors[0], names=reads == "with names"):
            StudentProcess(descriptors, request["tasks"], folder, request["limits"]).serve()
    finally:
        os._exit(0)


def _expected(request: dict) -> int:
    """Processes of grading itself: first, student, kept copies, and one that is asked at a time."""
    return 3 + len(request["tasks"])


# Watching


def _watch(channel: socket.socket, pid: int, request: dict, contained: bool) -> str:
    """Wait until told to stop; before that, end whoever uses too much, and say of what."""

    def has_message(seconds: float | None = 0.0) -> bool:
        return bool(select.select([channel], [], [], seconds)[0])

    watch, reason = None, ""
    if contained:
        watch = Watch(request["limits"], expected=_expected(request))
    try:
        while True:
            if has_message(TICK if watch and not reason else None):
                if "stop" in receive(channel):
                    return reason
                send(channel, {"spent": watch.spent() if watch else None})
            elif reason := watch.excess():
                _end(pid, contained)
    finally:
        _end(pid, contained)


def _end(pid: int, contained: bool) -> None:
    """End a student with everything it started; return when nothing of it is left."""
    for kill, target in ((os.killpg, pid), (os.kill, pid)):
        if kill is os.killpg and contained:
            continue
        try:
            kill(target, signal.SIGKILL)
        except ProcessLookupError:
            pass
    try:
        os.waitpid(pid, 0)
    except ChildProcessError:
        pass
