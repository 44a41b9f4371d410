"""A look, many times a second, at what one student's processes use together.

The kernel limits each process; this adds them up. It runs in the fork server, which sees all
processes of the box, and costs next to nothing as long as nobody uses much. A process is what any
of its threads is: the first one may have ended long ago.
"""

import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass

PAGE, TICKS = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")
OFTEN = 0.1  # seconds between two counts of open files
BETWEEN = 0.3  # seconds between two looks that take longer, and four times as long as one took
AGAIN = 0.05  # seconds after which too much must still be too much
ROUNDS = 100  # in which all processes must be stopped that fork meanwhile
SPARE_FILES = 64  # open files of all processes, beyond which sockets are counted
SOCKET = 2**19  # bytes that a socket may hold on its way, at most
MAX_OPEN = 256  # files of a process that does not show them
BUSY, ENDED = b"RD", b"ZX"  # states of a thread that would go on if it were let, or never will


@dataclass(frozen=True)
class Usage:
    """What a process uses."""

    busy: bool
    cpu: float  # seconds of its own
    threads: int
    mapped: int  # bytes
    resident: int
    place: str  # in /proc, of a thread that has the memory


class Watch:
    """Watches the processes of one student.

    Parameters
    ----------
    limits : dict
        `memory` in bytes and `processes`, threads included.
    expected : int
        Processes that grading itself starts for this student.
    """

    def __init__(self, limits: dict, expected: int):
        self.memory, self.processes = limits["memory"], limits["processes"]
        self.expected = expected
        self.at_look, self.next_look = 0, 0.0
        self.sockets, self.next_count = 0, 0.0
        self.used, self.last = 0.0, time.monotonic()
        self.cpu: dict[int, float] = {}  # of each process, at the last look
        self.newest = newest_process()

    def _look(self) -> dict[int, Usage]:
        """All processes of the student; the time since the last look is charged.

        Where somebody came or went meanwhile, or nobody would go on, that is time on the clock: a
        process that nobody waits for takes what it spent along.
        """
        found = {pid: used for pid in others() if (used := usage(pid))}
        now, newest = time.monotonic(), newest_process()
        own = sum(max(0.0, used.cpu - self.cpu.get(pid, 0.0)) for pid, used in found.items())
        unseen = newest != self.newest or bool(self.cpu.keys() - found.keys())
        if unseen or not any(used.busy for used in found.values()):
            own = max(own, now - self.last)
        self.used, self.last, self.newest = self.used + own, now, newest
        self.cpu = {pid: used.cpu for pid, used in found.items()}
        return found

    def spent(self) -> float:
        """Seconds of its own: on a processor, or waiting for nobody's processor.

        What it waits because others have the processor is not counted.
        """
        self._look()
        return self.used

    def excess(self) -> str:
        """Of what the student uses too much: "processes", "memory" or nothing."""
        found = self._look()
        if sum(used.threads for used in found.values()) > self.processes + self.expected:
            return "processes"
        if time.monotonic() > self.next_count:
            self.sockets = _socket_bytes(found, self.expected)
            self.next_count = time.monotonic() + OFTEN
        total = sum(used.resident for used in found.values()) + self.sockets
        if total <= self.memory or not self._is_due(total):
            return ""
        start = time.monotonic()
        too_much = self._exact() > self.memory
        if too_much:  # for a moment, a process that starts another is both
            time.sleep(AGAIN)
            too_much = self._exact() > self.memory
        self.at_look, self.last = total, time.monotonic()  # what was stopped spent no time
        self.next_look = self.last + max(BETWEEN, 4 * (self.last - start))
        return "memory" if too_much else ""

    def _is_due(self, total: int) -> bool:
        """Whether it is time for another long look: soon, or at once where much has come."""
        return time.monotonic() > self.next_look or total > self.at_look + self.memory // 8

    def _exact(self) -> int:
        """Bytes in use, with shared pages divided among those who share them.

        If processes come and go meanwhile, all are stopped for as long as it takes.
        """
        newest, before = newest_process(), set(others())
        total = self._added_up()
        if newest == newest_process() and before == set(others()):
            return total
        stopped = _stop_all()
        try:
            return self._added_up()
        finally:
            _send(signal.SIGCONT, stopped)

    def _added_up(self) -> int:
        total = self.sockets
        for pid in others():
            if total <= self.memory and (used := usage(pid)):
                total += _proportional(used)
        return total


def others() -> list[int]:
    """All processes of the outer box but its first and this one: those of the student."""
    own = (1, os.getpid())
    return [pid for name in os.listdir("/proc") if name.isdigit() and (pid := int(name)) not in own]


def newest_process() -> int:
    """The number that was given last, to a process or a thread."""
    try:
        with open("/proc/loadavg", "rb") as file:
            return int(file.read().split()[-1])
    except (OSError, ValueError):
        return 0


def usage(pid: int) -> Usage | None:
    """What a process uses, or None if it is gone."""
    state, used = _read(f"/proc/{pid}")
    if used is None or (used.threads == 1 and state not in ENDED):
        return used
    places = [f"/proc/{pid}/task/{name}" for name in _listed(f"/proc/{pid}/task") or ()]
    threads = [each for place in places if (each := _read(place)[1])]
    holder = max(threads, key=lambda each: each.resident, default=used)
    return Usage(
        any(each.busy for each in threads),
        used.cpu,
        max(used.threads, len(threads)),
        *(holder.mapped, holder.resident, holder.place),
    )


def _read(place: str) -> tuple[bytes, Usage | None]:
    """The state and the use of a process or a thread."""
    try:
        with open(f"{place}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return b"", None
    cpu = sum(map(int, fields[11:13])) / TICKS
    mapped, resident = int(fields[20]), int(fields[21]) * PAGE
    return fields[0], Usage(fields[0] in BUSY, cpu, int(fields[17]), mapped, resident, place)


def _stop_all() -> list[int]:
    """Stop all processes of the student, also those that are forked meanwhile."""
    stopped: list[int] = []
    for _ in range(ROUNDS):
        if not (new := set(others()) - set(stopped)):
            break
        _send(signal.SIGSTOP, list(new))
        stopped += new
    return stopped


def _send(number: signal.Signals, pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _socket_bytes(found: dict[int, Usage], expected: int) -> int:
    """What the sockets of these processes can hold at most, if they are many.

    Each thread may have open files of its own.
    """
    places = [f"/proc/{pid}/task" for pid, used in found.items() if used.resident]
    places = [f"{place}/{name}/fd" for place in places for name in _listed(place) or ()]
    open_files = {place: _listed(place) for place in places}
    hidden = sum(names is None for names in open_files.values())
    shown = {place: names for place, names in open_files.items() if names}
    if not hidden and sum(map(len, shown.values())) <= SPARE_FILES + 16 * expected:
        return 0
    paths = (f"{place}/{name}" for place, names in shown.items() for name in names)
    sockets = {target for path in paths if (target := _target(path))[:7] == "socket:"}
    return SOCKET * (len(sockets) + MAX_OPEN * hidden)


def _listed(folder: str) -> list[str] | None:
    """The names in a folder; none if it is gone, and None if it may not be seen."""
    try:
        return os.listdir(folder)
    except PermissionError:
        return None
    except OSError:
        return []


def _target(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _proportional(used: Usage) -> int:
    """The share of a process in what it has; all of it, if it does not show that."""
    try:
        with open(f"{used.place}/smaps_rollup", encoding="utf-8") as file:
            line = next(line for line in file if line.startswith("Pss:"))
    except PermissionError:
        return used.resident
    except (OSError, StopIteration):
        return 0
    return int(line.split()[1]) * 1024
