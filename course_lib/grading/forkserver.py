"""The fork server: imports everything once, then forks one contained process per submission.

Runs in the outer box, without network or a writable place. It never runs a student's code; what it
forks does, in namespaces of its own (`confine`), unable to see or reach this process.
"""

import gc
import os
import select
import signal
import socket
from importlib import import_module

from course_lib.grading import confine
from course_lib.grading.inside import StudentProcess, prepare
from course_lib.grading.watch import Watch, mapped_bytes, others
from course_lib.grading.wire import ChannelClosedError, receive, send

TICK = 0.02  # seconds between two looks at memory and processes


def main(descriptor: int) -> None:
    """Serve one trusted process until it closes the channel."""
    os.closerange(3, descriptor)
    os.closerange(descriptor + 1, 256)
    channel = socket.socket(fileno=descriptor)
    settings = receive(channel)
    for name in settings["modules"]:
        import_module(name)
    prepare(settings["lessons"])
    if settings["contained"]:
        confine.adopt_orphans()
        confine.call_filter()
    silent = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(silent, number)
    os.close(silent)
    gc.collect()
    gc.freeze()
    send(channel, {"ready": True})
    try:
        while True:
            request = receive(channel)
            _, descriptors, _, _ = socket.recv_fds(channel, 1, 1 + len(request["tasks"]))
            _serve(channel, request, descriptors, settings["contained"])
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
    reason = _watch(channel, pid, request) if contained else _wait(channel)
    _end(pid, contained)
    receive(channel)  # the request to stop, if it was not what ended the watch
    send(channel, {"reason": reason, "left": len(others()) if contained else 0})


def _contained_fork(channel: socket.socket, request: dict, descriptors: list[int]) -> int:
    """Fork into namespaces of its own; the number of their first process."""
    limits = request["limits"]
    address_space = mapped_bytes() + limits["memory"]
    reading, writing = os.pipe()
    go_between = os.fork()
    if go_between == 0:
        os.close(reading)
        _in_go_between(channel, writing, limits, address_space, request, descriptors)
    os.close(writing)
    with os.fdopen(reading) as file:
        answer = file.read()
    os.waitpid(go_between, 0)
    if not answer.isdigit():
        raise OSError(answer or "the fork into its own namespaces failed")
    return int(answer)


def _in_go_between(channel, writing, limits, address_space, request, descriptors) -> None:
    channel.close()
    try:
        confine.become(request["user"])
        confine.own_namespaces(limits["folder"], request["covered"])
        first = os.fork()
    except OSError as error:
        os.write(writing, str(error).encode())
        os._exit(1)
    if first:
        os.write(writing, str(first).encode())
        os._exit(0)
    os.close(writing)
    confine.limit(
        memory=address_space,
        cpu_seconds=limits["cpu"],
        processes=limits["processes"] + len(request["tasks"]) + 2,
        file_bytes=limits["folder"],
    )
    confine.seal()
    _first_process(request, descriptors)


def _first_process(request: dict, descriptors: list[int]) -> None:
    """Fork the student, bury the dead, and end with the student: then all others end as well."""
    student = os.fork()
    if student == 0:
        _become_student(request, descriptors, confine.FOLDER)
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
        StudentProcess(descriptors, request["tasks"], folder, request["limits"]).serve()
    finally:
        os._exit(0)


# Watching


def _wait(channel: socket.socket) -> None:
    select.select([channel], [], [])


def _watch(channel: socket.socket, pid: int, request: dict) -> str:
    """Wait until told to stop; before that, end whoever uses too much, and say of what."""

    def has_message(seconds: float = 0.0) -> bool:
        return bool(select.select([channel], [], [], seconds)[0])

    watch = Watch(request["limits"], expected=2 + len(request["tasks"]), interrupted=has_message)
    while not has_message(TICK):
        if reason := watch.excess():
            os.kill(pid, signal.SIGKILL)
            return reason
    return ""


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
