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
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from course_lib.grading.places import FOLDER, ONE_THREAD, SECOND_PROC
from course_lib.grading.reading import Cell, UnreadableError, cells_from_json
from course_lib.grading.wire import ChannelClosedError, Patience, receive, send, send_bytes
from course_lib.learner.conditions import MAY_MAKE_CONTAINERS
from course_lib.lessons import editions

LIBRARY = Path(__file__).resolve().parents[1]
MODULES = (
    "numpy",
    "pandas",
    "sklearn.datasets",
    "sklearn.ensemble",
    "sklearn.linear_model",
    "sklearn.tree",
    "course_lib.learner",
)
STAND_INS = LIBRARY / "grading" / "indoors"
CHEAP_FORKS = {  # memory in pages of 2 MB: a fork and its end take a third of the time
    "PYTHONMALLOC": "malloc",
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
}
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": FOLDER,
    "TMPDIR": f"{FOLDER}/.tmp",
    "LANG": "C.UTF-8",
    "MPLBACKEND": "agg",
    "MPLCONFIGDIR": f"{FOLDER}/.matplotlib",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    **CHEAP_FORKS,
    **ONE_THREAD,
    "LOKY_MAX_CPU_COUNT": "1",
}
START = (
    "import sys; sys.path.append({parent!r}); "
    "from course_lib.grading.forkserver import main; main({descriptor})"
)
SECOND_USER, NOBODY = 2000, 65534  # a student's user in the box, and who that is outside
PATIENCE = 60.0  # seconds for the imports, and for the end of what was killed
WALL = 8.0  # how many times as long as its own time anything may take, whoever is at fault
SHORT = 0.05  # seconds that are counted as they are


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
            "cpu": max(1, round(2 * self.submission_seconds)),
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
        *(_as_root(*as_root) if as_root else ()),
        *("--clearenv", *settings),
        *("--proc", "/proc", "--dev", "/dev"),
        *("--dir", "/tmp", "--dir", SECOND_PROC, "--tmpfs", FOLDER),
        *(*binds, *_without_answers(), *extra, "--remount-ro", "/"),
        *("--chdir", FOLDER, *_python(descriptor)),
    ]


def _without_answers() -> list[str]:
    """Options that cover the packages which know answers with what the edition has of them."""
    words = []
    for package, names in editions.BOX.items():
        folder, stand_in = LIBRARY / package, STAND_INS / f"{package}.py"
        words += ["--tmpfs", str(folder)]
        start = stand_in if stand_in.exists() else folder / "__init__.py"
        shown = {folder / "__init__.py": start} | {folder / name: folder / name for name in names}
        for place, source in shown.items():
            words += ["--ro-bind", str(source), str(place)]
    return words


def _as_root(info: int, block: int) -> list[str]:
    """Options for a box whose users we name, and whose fork server may become, see and end them.

    The power to mount is given up before anything else is done.
    """
    powers = ("SETUID", "SETGID", "KILL", "SYS_PTRACE", "DAC_READ_SEARCH", "SYS_ADMIN")
    words = [word for power in powers for word in ("--cap-add", f"CAP_{power}")]
    return [*words, "--info-fd", str(info), "--userns-block-fd", str(block)]


def _others_can_read() -> bool:
    """Whether a user of their own could read what students need: nobody's limits bind root's."""
    paths = [Path(path) for path in (sys.prefix, sys.base_prefix, LIBRARY, __file__)]
    return all(path.stat().st_mode & 0o004 for path in paths)


def _python(descriptor: int) -> list[str]:
    code = START.format(parent=str(LIBRARY.parent), descriptor=descriptor)
    return [sys.executable, "-B", "-s", "-P", "-c", code]


def visible_paths() -> list[str]:
    """What must be visible for Python to start, without what lies inside something else here."""
    wanted = ["/usr", sys.base_prefix, sys.prefix, str(LIBRARY)]
    wanted += [str(Path(sys.base_prefix).resolve()), str(Path(sys.executable).resolve().parents[1])]
    small = ["/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/etc/alternatives"]
    small += ["/sys/kernel/mm/transparent_hugepage"]  # where glibc learns of large pages
    paths = [Path(p) for p in dict.fromkeys(wanted + small) if os.path.exists(p)]
    return [str(p) for p in paths if p != Path("/") and not set(p.parents) & set(paths)]


def _lies_in(folder: str) -> bool:
    """Whether something that the box must show is in this folder."""
    return any(Path(folder) in Path(path).parents for path in visible_paths())


def _name_users(info: int, block: int, *, second: bool) -> None:
    """Tell bubblewrap who its users are outside: root, and perhaps the one called nobody."""
    text = b""
    while not text.rstrip().endswith(b"}"):
        if not (part := os.read(info, 4096)):
            raise OSError("bubblewrap said nothing about its process")
        text += part
    child = json.loads(text)["child-pid"]
    for name in ("uid_map", "gid_map"):
        other = f"{SECOND_USER} {NOBODY} 1\n" if second else ""
        Path(f"/proc/{child}/{name}").write_text(f"1000 0 1\n{other}", encoding="utf-8")
    os.write(block, b"!")


class ForkServer:
    """The trusted side of a fork server, which lives until closed; used by one thread at a time.

    Importing takes a while, and the caller need not wait: the first submission does.
    """

    def __init__(self, *, contained: bool = True, extra=()):
        self.contained = contained
        by_root = contained and os.geteuid() == 0
        self.second_user = by_root and _others_can_read()
        self.process = None
        self.channel, theirs = socket.socketpair()
        self.errors = tempfile.TemporaryFile()
        pipes = [os.pipe(), os.pipe()] if by_root else []
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
                _name_users(info[0], block[1], second=self.second_user)
            send(self.channel, {"contained": contained})
            send(self.channel, {"modules": list(MODULES)})
        except (OSError, ValueError) as error:
            self.close()
            raise BoxError(
                f"The box could not be started: {error}. {self._error_output()}"
            ) from None
        finally:
            theirs.close()
            for descriptor in (d for pipe in pipes for d in pipe):
                os.close(descriptor)
        self.ready, self.imported = False, set(MODULES)

    def _error_output(self) -> str:
        self.errors.seek(0)
        return self.errors.read(4000).decode(errors="replace").strip()

    def _ask(self, message: dict | None) -> dict:
        try:
            if message is not None:
                send(self.channel, message)
            return receive(self.channel, patience=_until(time.monotonic() + PATIENCE))
        except (ChannelClosedError, TimeoutError) as error:
            self.close()
            raise BoxError(f"The box broke down: {self._error_output() or repr(error)}") from None

    def wait(self) -> None:
        """Wait until everything is imported."""
        if not self.ready:
            self._ask(None)
            self.ready = True

    def prepare(self, modules: set[str]) -> None:
        """Import what the submissions of a lesson need, if they are the first of it."""
        self.wait()
        if missing := modules - self.imported:
            self._ask({"modules": sorted(missing)})
            self.imported |= missing

    def start(self, tasks: list[str], limits: Limits, *, reads: str = "") -> "Session":
        """Fork a process for one submission, with one channel for its cells and one per task.

        One that `reads` ("with names" or "without names") is given the notebook before all else.
        """
        self.wait()
        folder = None if self.contained else tempfile.TemporaryDirectory(prefix="uncontained-")
        pairs = [socket.socketpair() for _ in range(1 + len(tasks))]
        request = {
            "tasks": tasks,
            "reads": reads,
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

    def spent(self) -> float | None:
        """Seconds that the current submission has taken of its own, where that can be known."""
        return self._ask({"spent": True})["spent"]

    def stop(self) -> dict:
        """End the process of the current submission with all it started."""
        return self._ask({"stop": True})

    def close(self) -> None:
        """End the box and everything in it."""
        self.channel.close()
        if self.process is not None and self.process.returncode is None:
            os.killpg(self.process.pid, signal.SIGKILL)  # also a box that is only half built
            self.process.wait()


class Clock:
    """The time of one request, as patience: its own time counts, not what it waits for others.

    Own time is what its processes spend on a processor or asleep; the first moment counts as it
    is, and only a request that takes longer is looked at. Where own time cannot be known, all is.
    """

    def __init__(self, spent: Callable[[], float | None], seconds: float):
        self.spent, self.seconds = spent, seconds
        self.start, self.before = time.monotonic(), None

    @property
    def used(self) -> float:
        """Seconds of its own so far; whatever it does, a part of what has passed is its own."""
        wall = time.monotonic() - self.start
        if self.before is None:
            return wall
        return min(wall, max(SHORT + self.spent() - self.before, wall / WALL))

    def __call__(self) -> float:
        wall = time.monotonic() - self.start
        if wall < SHORT < self.seconds:
            return SHORT - wall
        if self.before is None:
            self.before = self.spent()
        if wall < self.seconds:
            return self.seconds - wall
        used = self.used
        if used >= self.seconds:
            raise TimeoutError
        return max(SHORT, self.seconds - used)


def _until(deadline: float) -> Patience:
    """Patience up to a moment of `time.monotonic`."""

    def patience() -> float:
        if (left := deadline - time.monotonic()) <= 0:
            raise TimeoutError
        return left

    return patience


class Session:
    """One submission in its own namespaces: run cells, keep answers, call them."""

    def __init__(self, server: ForkServer, channel, tasks: dict, folder):
        self.server, self.channel, self.tasks, self.folder = server, channel, tasks, folder
        self.used = 0.0  # seconds of its own, in all requests

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_) -> None:
        self.end()

    def ask(self, seconds: float, **message) -> dict:
        """One request to the student's process and its answer, a dict of unknown content."""
        return self._exchange(self.channel, seconds, message)

    def call(self, task: str, seconds: float, calls: dict, *, last: bool = True) -> dict:
        """The answers of a task that was kept, on these cases; it is gone after the last ones."""
        return self._exchange(self.tasks[task], seconds, calls | {"last": last})

    def _exchange(self, channel: socket.socket, seconds: float, message: dict | bytes) -> dict:
        clock = Clock(self.server.spent, seconds)
        try:
            channel.settimeout(WALL * seconds)
            (send_bytes if isinstance(message, bytes) else send)(channel, message)
            answer = receive(channel, patience=clock)
        finally:
            self.used += clock.used
        if type(answer) is not dict:
            raise ChannelClosedError("not a message")
        return answer

    def read(self, seconds: float, content: bytes) -> tuple[list[Cell], list[str]]:
        """The cells of a notebook, read in there, and notes; UnreadableError if it is none."""
        answer = self._exchange(self.channel, seconds, content)
        if "unreadable" in answer:
            raise UnreadableError(str(answer["unreadable"]))
        return cells_from_json(answer.get("cells")), [str(note) for note in answer["notes"]]

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
