"""The outer box: bubblewrap, what it shows of this machine, and the fork server inside."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from course_lib.grading.wire import ChannelClosedError, receive, send

LIBRARY = Path(__file__).resolve().parents[1]
FOLDER = "/student"  # the only place a student can write to; /tmp lies within
MAY_MAKE_CONTAINERS = "On Ubuntu: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
MODULES = (
    "numpy",
    "pandas",
    "sklearn.datasets",
    "sklearn.ensemble",
    "sklearn.linear_model",
    "sklearn.tree",
    "course_lib.learner.checks",
)
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": FOLDER,
    "TMPDIR": f"{FOLDER}/.tmp",
    "LANG": "C.UTF-8",
    "MPLBACKEND": "agg",
    "MPLCONFIGDIR": f"{FOLDER}/.matplotlib",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    **{f"{lib}_NUM_THREADS": "1" for lib in ("OMP", "OPENBLAS", "MKL", "NUMEXPR")},
    "LOKY_MAX_CPU_COUNT": "1",
}
START = (
    "import sys; sys.path.append({parent!r}); "
    "from course_lib.grading.forkserver import main; main({descriptor})"
)
SECOND_USER, NOBODY = 2000, 65534  # a student's user in the box, and who that is outside
PATIENCE = 60.0  # seconds for the imports, and for the end of what was killed


class BoxError(RuntimeError):
    """The box could not be built or has broken down; no student can cause this."""


@dataclass(frozen=True)
class Limits:
    """What one submission may use."""

    task_seconds: float = 10.0
    submission_seconds: float = 120.0
    memory: int = 2 * 2**30
    processes: int = 64
    output: int = 10**6
    notebook: int = 50 * 10**6
    folder: int = 64 * 2**20  # bytes in its folder, and in one file

    def inside(self) -> dict:
        """The limits that the box enforces."""
        return asdict(self) | {
            "task_seconds": max(1, round(self.task_seconds)),
            "cpu": max(1, round(self.submission_seconds)),
        }


def command(descriptor: int, *, as_root: tuple[int, int] | None, extra=()) -> list[str]:
    """The command that starts the fork server in bubblewrap.

    Of this machine the box sees, read-only, the system's programs, the interpreter, the installed
    packages and the library: not the repository, no home folder, no submission, no result.
    """
    binds = []
    for path in visible_paths():
        for parent in reversed(Path(path).parents[:-1]):
            binds += ["--dir", str(parent)]
        binds += ["--ro-bind", path, path]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        if Path("/", name).is_symlink():
            binds += ["--symlink", os.readlink(f"/{name}"), f"/{name}"]
        elif Path("/", name).is_dir():
            binds += ["--ro-bind", f"/{name}", f"/{name}"]
    settings = [word for key, value in ENVIRONMENT.items() for word in ("--setenv", key, value)]
    return [
        shutil.which("bwrap") or "bwrap",
        *("--unshare-all", "--unshare-user", "--die-with-parent", "--new-session"),
        *("--cap-drop", "ALL", "--uid", "1000", "--gid", "1000", "--hostname", "box"),
        *(_two_users(*as_root) if as_root else ()),
        *("--clearenv", *settings),
        *("--proc", "/proc", "--dev", "/dev"),
        *("--dir", "/tmp", "--tmpfs", FOLDER, *binds, *extra, "--remount-ro", "/"),
        *("--chdir", FOLDER, *_python(descriptor)),
    ]


def _two_users(info: int, block: int) -> list[str]:
    """Options for a box with a second user, whom the fork server may become, see and end."""
    powers = ("SETUID", "SETGID", "KILL", "SYS_PTRACE", "SYS_NICE")
    words = [word for power in powers for word in ("--cap-add", f"CAP_{power}")]
    return [*words, "--info-fd", str(info), "--userns-block-fd", str(block)]


def _runs_as_root() -> bool:
    """Whether students get a user of their own: nobody else's limits bind root's processes.

    That user must be able to read what Python needs.
    """
    paths = [Path(path) for path in (sys.prefix, sys.base_prefix, LIBRARY, __file__)]
    return os.geteuid() == 0 and all(path.stat().st_mode & 0o004 for path in paths)


def _python(descriptor: int) -> list[str]:
    code = START.format(parent=str(LIBRARY.parent), descriptor=descriptor)
    return [sys.executable, "-B", "-s", "-P", "-c", code]


def visible_paths() -> list[str]:
    """What must be visible for Python to start, without what lies inside something else here."""
    wanted = ["/usr", sys.base_prefix, sys.prefix, str(LIBRARY)]
    wanted += [str(Path(sys.base_prefix).resolve()), str(Path(sys.executable).resolve().parents[1])]
    small = ["/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/etc/alternatives"]
    paths = [Path(p) for p in dict.fromkeys(wanted + small) if os.path.exists(p)]
    return [str(p) for p in paths if p != Path("/") and not set(p.parents) & set(paths)]


def _lies_in(folder: str) -> bool:
    """Whether something that the box must show is in this folder."""
    return any(Path(folder) in Path(path).parents for path in visible_paths())


def _name_users(info: int, block: int) -> None:
    """Tell bubblewrap who its users are outside: root, and the one called nobody."""
    text = b""
    while not text.rstrip().endswith(b"}"):
        if not (part := os.read(info, 4096)):
            raise OSError("bubblewrap said nothing about its process")
        text += part
    child = json.loads(text)["child-pid"]
    for name in ("uid_map", "gid_map"):
        Path(f"/proc/{child}/{name}").write_text(f"1000 0 1\n{SECOND_USER} {NOBODY} 1\n")
    os.write(block, b"!")


class ForkServer:
    """The trusted side of a fork server, which lives until closed; used by one thread at a time.

    Importing takes a while, and the caller need not wait: the first submission does.
    """

    def __init__(self, lessons=(), *, modules=(), contained: bool = True, extra=()):
        self.contained = contained
        self.second_user = contained and _runs_as_root()
        self.process = None
        self.channel, theirs = socket.socketpair()
        self.errors = tempfile.TemporaryFile()
        pipes = [os.pipe(), os.pipe()] if self.second_user else []
        (info, block) = pipes or [(-1, -1), (-1, -1)]
        given = [theirs.fileno()] + ([info[1], block[0]] if pipes else [])
        as_root = (info[1], block[0]) if pipes else None
        words = command(given[0], as_root=as_root, extra=extra) if contained else _python(given[0])
        try:
            self.process = subprocess.Popen(
                words,
                env={} if contained else ENVIRONMENT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self.errors,
                pass_fds=given,
                start_new_session=True,
            )
            theirs.close()
            if pipes:
                os.close(info[1])
                pipes = [(info[0], block[0]), (block[1],)]
                _name_users(info[0], block[1])
            wanted = {"modules": [*MODULES, *modules], "lessons": list(lessons)}
            send(self.channel, {"contained": contained, **wanted})
        except (OSError, ValueError) as error:
            self.close()
            raise BoxError(
                f"The box could not be started: {error}. {self._error_output()}"
            ) from None
        finally:
            theirs.close()
            for descriptor in (d for pipe in pipes for d in pipe):
                os.close(descriptor)
        self.ready = False

    def _error_output(self) -> str:
        self.errors.seek(0)
        return self.errors.read(4000).decode(errors="replace").strip()

    def _ask(self, message: dict | None, seconds: float = PATIENCE) -> dict:
        try:
            if message is not None:
                send(self.channel, message)
            return receive(self.channel, deadline=time.monotonic() + seconds)
        except (ChannelClosedError, TimeoutError) as error:
            self.close()
            raise BoxError(f"The box broke down: {self._error_output() or repr(error)}") from None

    def wait(self) -> None:
        """Wait until everything is imported."""
        if not self.ready:
            self._ask(None)
            self.ready = True

    def start(self, tasks: list[str], limits: Limits) -> "Session":
        """Fork a process for one submission, with one channel for its cells and one per task."""
        self.wait()
        folder = None if self.contained else tempfile.TemporaryDirectory(prefix="uncontained-")
        pairs = [socket.socketpair() for _ in range(1 + len(tasks))]
        request = {
            "tasks": tasks,
            "limits": limits.inside(),
            "folder": folder and folder.name,
            "covered": [] if _lies_in("/tmp") else ["/tmp"],
            "user": SECOND_USER if self.second_user else None,
        }
        try:
            send(self.channel, request)
            socket.send_fds(self.channel, [b"!"], [theirs.fileno() for _, theirs in pairs])
        except OSError as error:
            self.close()
            raise BoxError(f"The box broke down: {error}") from None
        finally:
            for _, theirs in pairs:
                theirs.close()
        answer = self._ask(None)
        if "error" in answer:
            raise BoxError(
                f"Students cannot get namespaces of their own here: {answer['error']}. "
                f"{MAY_MAKE_CONTAINERS}"
            )
        ours = [ours for ours, _ in pairs]
        return Session(self, ours[0], dict(zip(tasks, ours[1:], strict=True)), folder)

    def stop(self) -> dict:
        """End the process of the current submission with all it started."""
        return self._ask({"stop": True})

    def close(self) -> None:
        """End the box and everything in it."""
        self.channel.close()
        if self.process is not None and self.process.returncode is None:
            os.killpg(self.process.pid, signal.SIGKILL)  # also a box that is only half built
            self.process.wait()


class Session:
    """One submission in its own namespaces: run cells, keep answers, call them."""

    def __init__(self, server: ForkServer, channel, tasks: dict, folder):
        self.server, self.channel, self.tasks, self.folder = server, channel, tasks, folder

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_) -> None:
        self.end()

    def ask(self, seconds: float, **message) -> dict:
        """One request to the student's process and its answer, a dict of unknown content."""
        deadline = time.monotonic() + seconds
        self.channel.settimeout(seconds)
        send(self.channel, message)
        return _require_dict(receive(self.channel, deadline=deadline))

    def call(self, task: str, seconds: float, exercise: str, cases: list[dict]) -> dict:
        """The answers of a task that was kept, on these cases."""
        deadline = time.monotonic() + seconds
        self.tasks[task].settimeout(seconds)
        send(self.tasks[task], {"exercise": exercise, "cases": cases})
        return _require_dict(receive(self.tasks[task], deadline=deadline))

    def end(self) -> str:
        """End it; why the watchdog did so before, if it did."""
        if self.server is None:
            return ""
        server, self.server = self.server, None
        for channel in (self.channel, *self.tasks.values()):
            channel.close()
        answer = server.stop()
        if self.folder is not None:
            self.folder.cleanup()
        if answer["left"]:
            server.close()
            raise BoxError(f"{answer['left']} processes of a submission outlived it.")
        return answer["reason"] or ""


def _require_dict(answer) -> dict:
    if type(answer) is not dict:
        raise ChannelClosedError("not a message")
    return answer
