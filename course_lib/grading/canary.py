"""A canary: it tries to break out of the very box the students will be in, before they are.

One program looks around and leaves behind what it can, a second one looks for what is left, and a
few try to get more memory than allowed, each by a way of its own.
"""

import json
import os
import secrets
import socket
import sys
import time
from dataclasses import replace
from pathlib import Path

from course_lib.grading.box import (
    ENVIRONMENT,
    LIBRARY,
    ForkServer,
    Limits,
    visible_paths,
)
from course_lib.grading.places import FOLDER, NICE
from course_lib.grading.wire import ChannelClosedError
from course_lib.lessons.editions import BOX

SECONDS = 20.0
FEW_BYTES = 2**27  # what the programs that want memory are allowed
HARMLESS = {"PWD", "OLDPWD", "SHLVL", "_", "KMP_DUPLICATE_LIB_OK", "KMP_INIT_AT_FORK", "LC_CTYPE"}
PORT = 47_293

COMMON = """
import contextlib, ctypes, fcntl, gc, glob, json, mmap, os, signal, socket, subprocess, sys, time
through = []

def attempt(what, action):
    try:
        result = action()
    except BaseException:
        return
    if result is not False:
        through.append(what)

def connect(family, address):
    with socket.socket(family) as s:
        s.settimeout(1)
        s.connect(address)
"""
LOOKS_AROUND = """
def shows_more(folder, known):
    return bool(set(os.listdir(folder)) - set(known))

def write(place):
    open(os.path.join(place, TOKEN), "w").close()

def touch(place):
    os.utime(place)

def open_all(place):
    os.chmod(place, 0o755)

def grow():
    block = bytearray(MEMORY)
    block[::4096] = b"x" * len(block[::4096])

def shared_memory():
    mmap.mmap(-1, 4096)

def zero_memory():
    with open("/dev/zero", "r+b") as file:
        mmap.mmap(file.fileno(), 4096)

def lock():  # if it is kept, two who open a file cannot both have it
    with open(LIBRARY) as one, open(LIBRARY) as other:
        fcntl.flock(one, fcntl.LOCK_EX)
        try:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False

def system_call(name, *arguments):
    if getattr(ctypes.CDLL(None), name)(*arguments) < 0:
        raise OSError

with open("/proc/self/mountinfo") as file:
    mounts = {line.split()[4].encode().decode("unicode_escape") for line in file}
for place in sorted(mounts - set(OWN)) + FOLDERS:
    attempt(f"wrote into {place}", lambda: write(place))
    if not os.path.exists(place) or place.startswith("/dev/") or place in FOLDERS:
        continue
    attempt(f"changed {place}", lambda: touch(place))
    attempt(f"changed {place}", lambda: open_all(place))
for path in SECRETS:
    attempt(f"read {path}", lambda: open(path, "rb").read(1))
for folder, known in LISTINGS.items():
    attempt(f"saw what is in {folder}", lambda: shows_more(folder, known))
attempt("saw processes of others", lambda: len(glob.glob("/proc/[0-9]*")) > 2)
attempt("saw the fork server", lambda: bool(os.listdir("/.proc")))
attempt("found answers", lambda: bool(set(os.listdir(LESSONS)) - set(PLAIN)))
attempt("found answers", lambda: any("lessons.lesson_" in name for name in sys.modules))
attempt("found answers", lambda: any(type(o).__name__ == "Exercise" for o in gc.get_objects()))
for port in PORTS:
    attempt("connected to this machine", lambda: connect(socket.AF_INET, ("127.0.0.1", port)))
for name in ABSTRACT:
    attempt("connected to an abstract socket", lambda: connect(socket.AF_UNIX, chr(0) + name))
attempt("reached the network", lambda: connect(socket.AF_INET, ("192.0.2.1", 80)))
attempt("reached the hypervisor", lambda: socket.socket(40, socket.SOCK_STREAM))
attempt("saw the environment", lambda: bool(set(os.environ) - set(VARIABLES)))
attempt("got more memory than allowed", grow)
attempt("got memory that nobody counts", shared_memory)
attempt("got memory that nobody counts", zero_memory)
attempt("became root", lambda: os.setuid(0))
attempt("made a session of its own", os.setsid)
attempt("made a namespace of its own", lambda: system_call("unshare", 0x10000000))
attempt("locked a file of all", lock)
attempt("had others wait for a file", lambda: fcntl.fcntl(open(LIBRARY), 1024, fcntl.F_WRLCK))
attempt("heard of others", lambda: fcntl.fcntl(os.open("/usr", 0), 1026, 0x20))
attempt("took a higher priority", lambda: os.nice(-1))
attempt("is not lowered", lambda: os.getpriority(os.PRIO_PROCESS, 0) != NICE)
for place in OWN:
    with contextlib.suppress(OSError):
        open(os.path.join(place, "left"), "w").close()
with contextlib.suppress(OSError):
    hidden = socket.socket(socket.AF_UNIX)
    hidden.bind(chr(0) + "left")
    hidden.listen()
with contextlib.suppress(OSError):
    door = socket.create_server(("127.0.0.1", PORT))
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", TOKEN])
if os.fork() == 0:
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
print(json.dumps(through))
"""
ENDS_ALL = """
for which in (os.PRIO_PROCESS, os.PRIO_PGRP, os.PRIO_USER):
    os.setpriority(which, 0, 19)
with contextlib.suppress(ProcessLookupError):
    os.kill(-1, signal.SIGKILL)
os.kill(0, signal.SIGKILL)
"""
LOOKS_FOR_REMAINS = """
for place in OWN:
    attempt(f"found what another left in {place}", lambda: "left" in os.listdir(place))
attempt("was called by another", lambda: connect(socket.AF_UNIX, chr(0) + "left"))
attempt("was called by another", lambda: connect(socket.AF_INET, ("127.0.0.1", PORT)))
attempt("was slowed by another", lambda: os.getpriority(os.PRIO_PROCESS, 0) != NICE)
print(json.dumps(through))
"""
GREEDY = {  # how memory is asked for -> a program that says how much it got
    "by children": """
import os, time
for _ in range(6):
    if os.fork() == 0:
        block = bytearray(MEMORY // 3)
        block[::4096] = b"x" * len(block[::4096])
        time.sleep(600)
time.sleep(10)
print(2 * MEMORY)
""",
    "behind threads that have ended": """
import ctypes, os, time, _thread
def hold():
    block = bytearray(MEMORY // 3)
    block[::4096] = b"x" * len(block[::4096])
    time.sleep(600)
for _ in range(6):
    if os.fork() == 0:
        _thread.start_new_thread(hold, ())
        ctypes.CDLL(None).syscall(60 if os.uname().machine == "x86_64" else 93, 0)  # this thread
time.sleep(10)
print(2 * MEMORY)
""",
    "in sockets": """
import os, socket, time
for _ in range(6):
    if os.fork() == 0:
        held = []
        try:
            while True:
                held += socket.socketpair()
        except OSError:
            pass
        for end in held:
            end.setblocking(False)
            try:
                while True:
                    end.send(bytes(2**16))
            except OSError:
                pass
        time.sleep(600)
time.sleep(10)
print(2 * MEMORY)
""",
    "in its folders": """
import os
got = 0
for place in OWN:
    try:
        with open(os.path.join(place, "big"), "wb") as file:
            while True:
                got += file.write(bytes(2**20))
    except OSError:
        pass
print(got)
""",
}


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
            "LIBRARY": str(LIBRARY / "__init__.py"),
            "LESSONS": str(LIBRARY / "lessons"),
            "PLAIN": ["__init__.py", *BOX["lessons"]],
            "OWN": [FOLDER, "/tmp", "/dev/shm"],
            "PORTS": [door.getsockname()[1]],
            "PORT": PORT,
            "NICE": NICE,
            "ABSTRACT": [token],
            "VARIABLES": sorted({*ENVIRONMENT, *HARMLESS}),
            "MEMORY": limits.memory + 2**28,
        }
        found = _tried(server, setting, COMMON + LOOKS_AROUND, limits)
        found += ["a connection arrived" for listener in (door, hidden) if _has_caller(listener)]
    found += _others_harmed(server, setting, limits)
    found += _tried(server, setting, COMMON + LOOKS_FOR_REMAINS, limits)
    found += _memory_by_other_ways(server, limits)
    found += [f"wrote into {f}" for f in folders if _remove(Path(f, setting["TOKEN"]))]
    found += ["a process survived"] if _alive(setting["TOKEN"]) else []
    return sorted(set(found))


def _others_harmed(server: ForkServer, setting: dict, limits: Limits) -> list[str]:
    """A program that ends and slows down whatever it can reach must reach only itself."""
    with server.start([], limits) as session:
        try:
            session.ask(SECONDS, do="cell", source=_program(setting, COMMON + ENDS_ALL))
        except ChannelClosedError:
            return []
        except TimeoutError:
            pass
    return ["the program that ends itself did not"]


def _memory_by_other_ways(server: ForkServer, limits: Limits) -> list[str]:
    few = min(limits.memory, FEW_BYTES)
    setting = {"MEMORY": few, "OWN": [FOLDER, "/dev/shm"]}
    found = []
    for way, source in GREEDY.items():
        with server.start([], replace(limits, memory=few, folder=few // 4)) as session:
            try:
                reply = session.ask(SECONDS, do="cell", source=_program(setting, source))
                got = int(reply["output"][0]["text"])
            except ChannelClosedError:
                continue  # it was ended in time
            except (TimeoutError, ValueError, LookupError, TypeError) as error:
                found.append(f"the canary did not come back ({error!r})")
                continue
        found += [f"got more memory than allowed {way}"] if got > few else []
    return found


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


def _program(setting: dict, source: str) -> str:
    return "".join(f"{name} = {value!r}\n" for name, value in setting.items()) + source


def _tried(server: ForkServer, setting: dict, source: str, limits: Limits) -> list[str]:
    with server.start([], limits) as session:
        try:
            reply = session.ask(SECONDS, do="cell", source=_program(setting, source))
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
