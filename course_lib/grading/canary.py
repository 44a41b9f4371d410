"""A canary: it tries to break out of the very box the students will be in, before they are."""

import json
import os
import secrets
import socket
import sys
import time
from pathlib import Path

from course_lib.grading.box import ENVIRONMENT, FOLDER, LIBRARY, ForkServer, Limits, visible_paths
from course_lib.grading.wire import ChannelClosedError

SECONDS = 20.0
HARMLESS = {"PWD", "OLDPWD", "SHLVL", "_", "KMP_DUPLICATE_LIB_OK", "KMP_INIT_AT_FORK", "LC_CTYPE"}

ATTEMPTS = """
import glob, json, os, socket, subprocess, sys, time
through = []

def attempt(what, action):
    try:
        result = action()
    except BaseException:
        return
    if result is not False:
        through.append(what)

def shows_more(folder, known):
    return bool(set(os.listdir(folder)) - set(known))

def connect(family, address):
    with socket.socket(family) as s:
        s.settimeout(1)
        s.connect(address)

def grow():
    block = bytearray(MEMORY)
    block[::4096] = b"x" * len(block[::4096])

for folder in FOLDERS:
    attempt(f"wrote into {folder}", lambda: open(os.path.join(folder, TOKEN), "w").close())
for path in SECRETS:
    attempt(f"read {path}", lambda: open(path, "rb").read(1))
for folder, known in LISTINGS.items():
    attempt(f"saw what is in {folder}", lambda: shows_more(folder, known))
for path in glob.glob("/proc/[0-9]*/environ"):
    attempt(f"read {path}", lambda: open(path, "rb").read(1) != b"" and "1/environ" not in path)
for port in PORTS:
    attempt("connected to this machine", lambda: connect(socket.AF_INET, ("127.0.0.1", port)))
for name in ABSTRACT:
    attempt("connected to an abstract socket", lambda: connect(socket.AF_UNIX, chr(0) + name))
attempt("reached the network", lambda: connect(socket.AF_INET, ("192.0.2.1", 80)))
attempt("saw the environment", lambda: bool(set(os.environ) - set(VARIABLES)))
attempt("got more memory than allowed", grow)
attempt("became root", lambda: os.setuid(0))
subprocess.Popen(
    [sys.executable, "-c", "import time; time.sleep(600)", TOKEN], start_new_session=True
)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
print(json.dumps(through))
"""


def escapes(server: ForkServer, limits: Limits, private: list[Path]) -> list[str]:
    """What the canary could do that it must not, in words; nothing, if the box holds.

    Parameters
    ----------
    server : ForkServer
        The one that will fork the students.
    limits : Limits
        The students'.
    private : list of Path
        Folders that nobody in the box may see: submissions, results, solutions.
    """
    token = f"canary-{secrets.token_hex(8)}"
    folders = [*private, Path.home(), LIBRARY, LIBRARY.parent, Path(sys.prefix), Path.cwd()]
    folders = sorted({str(f.resolve()) for f in folders} | {"/", "/etc", "/usr"})
    with socket.socket() as door, socket.socket(socket.AF_UNIX) as hidden:
        door.bind(("127.0.0.1", 0))
        hidden.bind(f"\0{token}")
        for listener in (door, hidden):
            listener.listen()
            listener.setblocking(False)
        setting = {
            "TOKEN": f"{token}-written",
            "FOLDERS": folders,
            "SECRETS": [path for folder in private for path in _some_file(folder)]
            + ["/etc/shadow"],
            "LISTINGS": {str(f): _on_the_way(f) for f in (Path.home(), *private)},
            "PORTS": [door.getsockname()[1]],
            "ABSTRACT": [token],
            "VARIABLES": sorted({*ENVIRONMENT, *HARMLESS}),
            "MEMORY": limits.memory + 2**28,
        }
        found = _try_out(server, setting, limits)
        found += ["a connection arrived" for listener in (door, hidden) if _has_caller(listener)]
    found += [f"wrote into {f}" for f in folders if _remove(Path(f, setting["TOKEN"]))]
    found += ["a process survived"] if _alive(setting["TOKEN"]) else []
    return sorted(set(found))


def _some_file(private: Path) -> list[str]:
    """A file that must not be readable in the box: an archive itself, or the first in a folder."""
    if private.is_file():
        return [str(private.resolve())]
    walk = os.walk(private.resolve())
    return next(([os.path.join(folder, files[0])] for folder, _, files in walk if files), [])


def _on_the_way(folder: Path) -> list[str]:
    """The names in a folder that lead to what the box must show, such as an interpreter."""
    folder = folder.resolve()
    shown = [Path(path) for path in (*visible_paths(), FOLDER, "/tmp")]
    return [p.relative_to(folder).parts[0] for p in shown if folder in p.parents]


def _try_out(server: ForkServer, setting: dict, limits: Limits) -> list[str]:
    source = "".join(f"{name} = {value!r}\n" for name, value in setting.items()) + ATTEMPTS
    with server.start([], limits) as session:
        try:
            reply = session.ask(SECONDS, do="cell", source=source)
            return json.loads(reply["output"][0]["text"])
        except (TimeoutError, ChannelClosedError, ValueError, LookupError) as error:
            return [f"the canary did not come back ({error!r})"]


def _has_caller(listener: socket.socket) -> bool:
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def _remove(path: Path) -> bool:
    if not path.exists():
        return False
    path.unlink()
    return True


def _alive(token: str) -> bool:
    """Whether a process that was started with the token still runs on this machine."""
    deadline = time.monotonic() + 2.0
    while any(token.encode() in _command_line(pid) for pid in os.listdir("/proc") if pid.isdigit()):
        if time.monotonic() > deadline:
            return True
        time.sleep(0.05)
    return False


def _command_line(pid: str) -> bytes:
    try:
        return Path("/proc", pid, "cmdline").read_bytes()
    except OSError:
        return b""
