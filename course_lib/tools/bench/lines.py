"""A line of a bench: one comparison, as a ratio of two times that were measured in turns."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

TURN = 0.02  # seconds that a turn takes at least


@dataclass(frozen=True)
class Line:
    """One comparison: how many times faster we are or, against a limit, our share of it."""

    work: str
    against: str
    ratio: float
    wanted: float
    is_limit: bool = False  # the ratio must stay below `wanted`
    note: str = ""
    unit: str = "x"

    @property
    def met(self) -> bool:
        """Whether the line holds."""
        return self.ratio <= self.wanted if self.is_limit else self.ratio >= self.wanted


def table(lines: list[Line]) -> str:
    """The lines as text."""
    rows = pd.DataFrame(
        [
            (
                line.work,
                line.against,
                f"{line.ratio:.3g}{line.unit}" + ("" if line.is_limit else " faster"),
                f"{'at most' if line.is_limit else 'at least'} {line.wanted:g}{line.unit}",
                "yes" if line.met else "NO",
                line.note,
            )
            for line in lines
        ],
        columns=["work", "against", "measured", "wanted", "met", "note"],
    )
    return rows.to_string(index=False, justify="left")


def alternating(ours: Callable, theirs: Callable, repeats: int) -> tuple[float, float]:
    """Median seconds per call of both, run in turns so that a noisy moment meets both.

    A turn calls a quick function again and again for a while, as timeit does: a single call of
    less than a millisecond would measure what the other side left in the processor's cache.
    """
    times = ([], [])
    for _ in range(repeats):
        for side, work in enumerate((ours, theirs)):
            times[side].append(seconds_per_call(work))
    return float(np.median(times[0])), float(np.median(times[1]))


def seconds_per_call(work: Callable) -> float:
    """What a call takes, on average over a turn."""
    start, calls = time.perf_counter(), 0
    while calls == 0 or time.perf_counter() - start < TURN:
        work()
        calls += 1
    return (time.perf_counter() - start) / calls


def speed_up(ours: Callable, theirs: Callable, repeats: int = 3) -> float:
    """How many times faster ours is."""
    mine, other = alternating(ours, theirs, repeats)
    return other / mine
