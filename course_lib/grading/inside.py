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
from pathlib import Path

import numpy as np

from course_lib import lessons
from course_lib.grading.shell import ADDRESS, Collector, make_shell
from course_lib.grading.wire import receive, send
from course_lib.lessons.judgement import respond
from course_lib.lessons.values import encode

MAX_IMPORTS, MAX_ERROR = 200, 2000

_shell = None
_exercises = {}


def prepare(numbers: list[str]) -> None:
    """Make, before any fork, what every student needs: an IPython shell and the exercises."""
    global _shell
    _shell = make_shell()
    for number in numbers:
        _exercises.update({task.id: task for task in lessons.exercises(number)})


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
        sys.stdin = open(os.devnull)

    def _note_imports(self) -> None:
        original, imports = builtins.__import__, self.imports

        def noting(name, globals=None, locals=None, fromlist=(), level=0):
            if globals and globals.get("__name__") == "__main__" and len(imports) < MAX_IMPORTS:
                imports.update([name, *(f"{name}.{part}" for part in fromlist or ())])
            return original(name, globals, locals, fromlist, level)

        builtins.__import__ = noting

    def serve(self) -> None:
        """Do what the trusted side asks for, one message at a time."""
        while True:
            message = receive(self.channel, limit=2**31)
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
    """Call the answer on the cases that arrive, until nobody wants more."""
    while True:
        message = receive(channel)
        seconds = limits["task_seconds"] + int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        if hard == resource.RLIM_INFINITY or seconds < hard:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds + 1, hard))
        sys.stdout = sys.stderr = Collector(0)
        random.seed(0)
        np.random.seed(0)  # noqa: NPY002
        send(channel, _answers(expression, **message))


def _answers(expression: str, exercise: str, cases: list[dict]) -> dict:
    exercise = _exercises.get(exercise) or lessons.exercise(exercise)
    try:
        response = respond(exercise, eval(expression, _shell.user_ns), cases)
    except BaseException:
        return {"error": _describe(sys.exc_info())}
    if response.blank:
        return {"blank": True}
    if response.uncallable:
        return {"uncallable": response.uncallable}
    return {"answers": [encode(value) for value in response.values]}


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
