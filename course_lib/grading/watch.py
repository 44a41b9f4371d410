"""A look, many times a second, at what one student's processes use together.

The kernel limits each process; this adds them up. It runs in the fork server, which sees all
processes of the box, and costs next to nothing as long as nobody uses much.
"""

import os
import time
from collections.abc import Callable

PAGE = os.sysconf("SC_PAGE_SIZE")
BETWEEN = 0.3  # seconds between two exact looks at memory
FEW = 32  # processes that can be looked at exactly
SPARE = 4  # processes and threads an ordinary notebook may start at full priority


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
        self.own = _stat(os.getpid())[2]
        self.lowered, self.seen, self.next_look = set(), set(), 0.0

    def excess(self) -> str:
        """Of what the student uses too much: "processes", "memory" or nothing."""
        found = {pid: stat for pid in others() if (stat := _stat(pid))}
        count = sum(threads for threads, _, _ in found.values())
        if count > self.processes + self.expected:
            return "processes"
        if count > self.expected + SPARE:
            self._lower(sorted(found)[2:])
        residents = [resident for _, _, resident in found.values()]
        if sum(max(0, resident - self.own) for resident in residents) > self.memory:
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

    def _lower(self, pids: list[int]) -> None:
        """Give many processes together about as much of the machine as one."""
        for pid in pids:
            try:
                for thread in os.listdir(f"/proc/{pid}/task"):
                    if thread not in self.lowered:
                        self.lowered.add(thread)
                        os.setpriority(os.PRIO_PROCESS, int(thread), 19)
            except OSError:
                continue


def others() -> list[int]:
    """All processes of the outer box but its first and this one: those of the student."""
    own = (1, os.getpid())
    return [pid for name in os.listdir("/proc") if name.isdigit() and (pid := int(name)) not in own]


def mapped_bytes() -> int:
    """The address space of this process."""
    return _stat(os.getpid())[1]


def _stat(pid: int) -> tuple[int, int, int] | None:
    """Threads, mapped and resident bytes of a process."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return int(fields[17]), int(fields[20]), int(fields[21]) * PAGE


def _proportional(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            line = next(line for line in file if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return 0
    return int(line.split()[1]) * 1024
