"""A look, many times a second, at what one student's processes use together.

The kernel limits each process; this adds them up. It runs in the fork server, which sees all
processes of the box, and costs next to nothing as long as nobody uses much.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

PAGE, TICKS = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")
BETWEEN = 0.3  # seconds between two looks that take longer
FEW = 32  # processes that can be looked at exactly
SPARE_FILES = 64  # open files of all processes, beyond which sockets are counted
SOCKET = 2**19  # bytes that a socket may hold on its way, at most
BUSY = b"RD"  # states of a process that would go on if it were let


@dataclass(frozen=True)
class Usage:
    """What a process uses."""

    busy: bool
    cpu: float  # seconds, with those of its children that have ended
    threads: int
    mapped: int  # bytes
    resident: int


class Watch:
    """Watches the processes of one student.

    Parameters
    ----------
    limits : dict
        `memory` in bytes and `processes`, threads included.
    expected : int
        Processes that grading itself starts for this student.
    interrupted : callable
        Whether somebody waits for the fork server, so that a long look should be broken off.
    """

    def __init__(self, limits: dict, expected: int, interrupted: Callable[[], bool]):
        self.memory, self.processes = limits["memory"], limits["processes"]
        self.expected, self.interrupted = expected, interrupted
        self.own = usage(os.getpid()).resident
        self.seen, self.next_look = set(), 0.0
        self.sockets, self.next_count = 0, 0.0
        self.idle, self.cpu, self.last = 0.0, 0.0, time.monotonic()

    def _look(self) -> dict[int, Usage]:
        """All processes of the student; the time since the last look is charged."""
        found = {pid: used for pid in others() if (used := usage(pid))}
        now = time.monotonic()
        if not any(used.busy for used in found.values()):
            self.idle += now - self.last
        self.last = now
        self.cpu = max(self.cpu, sum(used.cpu for used in found.values()))
        return found

    def spent(self) -> float:
        """Seconds of its own: on a processor, or waiting for nobody's processor.

        What it waits because others have the processor is not counted.
        """
        self._look()
        return self.cpu + self.idle

    def excess(self) -> str:
        """Of what the student uses too much: "processes", "memory" or nothing."""
        found = self._look()
        if sum(used.threads for used in found.values()) > self.processes + self.expected:
            return "processes"
        residents = [used.resident for used in found.values()]
        more = sum(max(0, resident - self.own) for resident in residents)
        if time.monotonic() > self.next_count:
            self.sockets = _socket_bytes(found, self.expected)
            self.next_count = time.monotonic() + BETWEEN
        if more + self.sockets > self.memory:
            return "memory"
        calm, self.seen = set(found) == self.seen and len(found) <= FEW, set(found)
        if calm and sum(residents) > self.memory and time.monotonic() > self.next_look:
            if self._exact(list(found)) > self.memory:
                return "memory"
            self.next_look = time.monotonic() + BETWEEN
        return ""

    def _exact(self, pids: list[int]) -> int:
        """Bytes in use, with shared pages divided among those who share them.

        Slow, and slower still while the processes fork, since it waits for their page tables.
        """
        total = 0
        for pid in pids:
            if self.interrupted():
                break
            total += _proportional(pid)
        return total


def others() -> list[int]:
    """All processes of the outer box but its first and this one: those of the student."""
    own = (1, os.getpid())
    return [pid for name in os.listdir("/proc") if name.isdigit() and (pid := int(name)) not in own]


def usage(pid: int) -> Usage | None:
    """What a process uses, or None if it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    cpu = sum(map(int, fields[11:15])) / TICKS
    mapped, resident = int(fields[20]), int(fields[21]) * PAGE
    return Usage(fields[0] in BUSY, cpu, int(fields[17]), mapped, resident)


def _socket_bytes(pids, expected: int) -> int:
    """What the sockets of these processes can hold at most, if they are many."""
    open_files = {pid: _listed(f"/proc/{pid}/fd") for pid in pids}
    if sum(map(len, open_files.values())) <= SPARE_FILES + 16 * expected:
        return 0
    paths = (f"/proc/{pid}/fd/{name}" for pid, names in open_files.items() for name in names)
    return SOCKET * len({target for path in paths if (target := _target(path))[:7] == "socket:"})


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _target(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _proportional(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:
            line = next(line for line in file if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return 0
    return int(line.split()[1]) * 1024
