"""What runs in the student's process: the cells, and the answers when they are called.

Nothing here is trusted: it shares the interpreter with the student's code, which may change any of
it. What it sends out are only answers, to be compared by someone else.
"""

import base64
import builtins
import linecache
import os
import random
import resource
import signal
import socket
import sys
import traceback
from functools import partial
from pathlib import Path

import numpy as np

from course_lib.grading.reading import UnreadableError, cells_to_json, read_cells
from course_lib.grading.shell import ADDRESS, Collector, make_shell
from course_lib.grading.wire import ANYTHING, receive, receive_bytes, send
from course_lib.lessons.packing import unpack
from course_lib.lessons.response import Call, Response, respond_to_calls
from course_lib.lessons.values import encode

MAX_IMPORTS, MAX_NAME, MAX_ERROR = 200, 200, 2000
LARGE = 2**20  # bytes of a notebook
ANSWERED = 77  # how a process ends that has sent its answer

_shell = None


def prepare() -> None:
    """Make, before any fork, what every student needs: an IPython shell."""
    global _shell
    _shell = make_shell()


def read_notebook(descriptor: int, *, names: bool) -> bool:
    """Read the notebook that comes through this channel, and send back what is in it.

    A large one is read by a copy of this process, which takes along what it needed. Returns
    whether this process may go on.
    """
    channel = socket.socket(fileno=os.dup(descriptor))
    content = receive_bytes(channel, limit=ANYTHING)
    is_large = len(content) > LARGE
    if is_large and (copy := os.fork()):
        return _has_answered(copy)
    try:
        cells, notes = read_cells(content, names=names)
        send(channel, {"cells": cells_to_json(cells), "notes": notes})
    except UnreadableError as error:
        send(channel, {"unreadable": str(error)})
    if is_large:
        os._exit(ANSWERED)
    channel.close()
    return True


def _has_answered(copy: int) -> bool:
    return os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) == ANSWERED


class StudentProcess:
    """The student's process, driven by messages of the trusted one.

    Parameters
    ----------
    descriptors : list of int
        The channel for the cells, then one for each task.
    tasks : list of str
        The tasks that can be asked for.
    folder : str
        Where the student may write; the current folder of the cells.
    limits : dict
        See `course_lib.grading.box.Limits`.
    """

    def __init__(self, descriptors, tasks, folder, limits):
        self.channel, *rest = (socket.socket(fileno=d) for d in descriptors)
        self.waiting = dict(zip(tasks, rest, strict=True))
        self.running, self.limits = {}, limits
        self.room, self.imports = limits["output"], set()
        os.chdir(folder)
        os.environ["HOME"] = folder
        random.seed(0)
        np.random.seed(0)  # noqa: NPY002, a student may rely on numpy's global state
        _shell.user_ns["__name__"] = "__main__"
        self._note_imports()
        sys.path.insert(0, "")
        sys.stdin = open(os.devnull, encoding="utf-8")

    def _note_imports(self) -> None:
        original, imports = builtins.__import__, self.imports

        def noting(name, globals=None, locals=None, fromlist=(), level=0):
            if globals and globals.get("__name__") == "__main__" and len(imports) < MAX_IMPORTS:
                named = [name, *(f"{name}.{part}" for part in fromlist or ())]
                imports.update(str(one)[:MAX_NAME] for one in named)
            return original(name, globals, locals, fromlist, level)

        builtins.__import__ = noting

    def serve(self) -> None:
        """Do what the trusted side asks for, one message at a time."""
        while True:
            message = receive(self.channel, limit=ANYTHING)
            send(self.channel, getattr(self, f"do_{message.pop('do')}")(**message) or {})

    def do_file(self, name: str, content: str) -> None:
        """Put a file of the submission into the folder."""
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(content))

    def do_cell(self, source: str) -> dict:
        """Run one cell as Jupyter would."""
        sys.stdout = sys.stderr = output = Collector(self.room)
        _shell.failure = None
        _shell.run_cell(source, store_history=False)
        failure, _shell.failure = _shell.failure, None
        self.room = max(output.room, 0)
        error = _describe(failure) if failure else None
        return {"output": output.contents(), "error": error, "imports": sorted(self.imports)}

    def do_show(self, answer: str, **calls) -> dict:
        """What an answer says to cases that everybody knows, as the check of the notebook does.

        This is the process of the notebook, which goes on; chance does so where it was.
        """
        states = random.getstate(), np.random.get_state()  # noqa: NPY002
        try:
            return _answers(answer, **calls)
        finally:
            random.setstate(states[0])
            np.random.set_state(states[1])  # noqa: NPY002

    def do_keep(self, task: str, answer: str) -> None:
        """Fork a copy of this moment, in which the answer to a task will be called later.

        The notebook goes on without ever seeing a secret input, and an answer that hangs or dies
        takes nothing else with it.
        """
        channel = self.waiting.pop(task)
        pid = os.fork()
        if pid:
            channel.close()
            self.running[task] = pid
            return
        try:
            os.setpgid(0, 0)
            self.channel.close()
            for other in self.waiting.values():
                other.close()
            _answer_calls(channel, answer, self.limits)
        finally:
            os._exit(0)

    def do_nothing(self) -> None:
        """Say that this process is still there."""

    def do_drop(self, task: str) -> None:
        """End the copy that was kept for a task, with what it started."""
        if task in self.running:
            os.killpg(self.running.pop(task), signal.SIGKILL)


def _answer_calls(channel: socket.socket, expression: str, limits: dict) -> None:
    """Call the answer on the cases that arrive; no call remembers another one.

    Each is made in a copy of this process, the last one here. A copy that ends without an answer
    ends this process as well, so that nobody waits for it.
    """
    while True:
        message = receive(channel, limit=ANYTHING)
        is_last = message.pop("last")
        if not is_last and (copy := os.fork()):
            if not _has_answered(copy):
                return
            continue
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        seconds = 2 * limits["task_seconds"] + 5  # time is kept outside, this only ends the deaf
        if hard == resource.RLIM_INFINITY or seconds < hard:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, hard))
        send(channel, _answers(expression, **message))
        os._exit(ANSWERED)


def _answers(expression: str, packed: list[str] | None, given: list[str], blanks: int) -> dict:
    """What an answer says to cases, with chance as it is at the start."""
    sys.stdout = sys.stderr = Collector(0)
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    calls = None
    if packed is not None:
        pairs = zip(packed, given, strict=True)
        calls = [Call(partial(unpack, case), text) for case, text in pairs]
    try:
        response = respond_to_calls(eval(expression, _shell.user_ns), calls, blanks)
    except BaseException:
        return {"error": _describe(sys.exc_info())}
    return as_message(response)


def as_message(response: Response) -> dict:
    """A response as plain JSON; `course_lib.grading.replies` reads it."""
    if response.blank:
        return {"blank": True}
    if response.uncallable:
        return {"uncallable": response.uncallable}
    answers = [encode(value) for value in response.values]
    return {"answers": answers, "open": response.open, "changed": response.changed}


def _describe(failure) -> dict:
    """An error as the student should see it: its kind, its message, the lines of own cells."""
    kind, error, trace = failure
    try:
        message = str(error)
    except Exception:
        message = "(its message cannot be shown)"
    lines = [
        {"line": frame.lineno, "text": (frame.line or "")[:200]}
        for frame in traceback.extract_tb(trace)
        if frame.filename.startswith("<ipython-input") or "ipykernel" in frame.filename
    ]
    if isinstance(error, SyntaxError):
        lines.append({"line": error.lineno or 0, "text": (error.text or "").strip()[:200]})
        message = str(error.msg)
    linecache.checkcache()
    return {
        "kind": kind.__name__[:80],
        "message": ADDRESS.sub("0x...", message[:MAX_ERROR]),
        "lines": lines[-5:],
    }
