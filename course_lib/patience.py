"""Long runs: what they cost is said before they go on, and how far they are while they run."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter

from joblib import Parallel, delayed, effective_n_jobs

LONG = 10.0  # seconds of work that are worth a word
FEEL = 0.2  # seconds of work that tell how long the rest will take
UNDERWAY = ContextVar("whether a long run has been announced", default=False)


def is_unattended() -> bool:
    """Whether nobody is waiting: the notebooks are being built, tested or graded."""
    return any(os.environ.get(name) for name in ("COURSE_BUILD", "NBGRADER_EXECUTION"))


def in_words(seconds: float) -> str:
    """A time as a person would say it.

    >>> in_words(42), in_words(150), in_words(9000)
    ('42 seconds', '2.5 minutes', '2.5 hours')
    """
    for unit, size in (("hours", 3600), ("minutes", 60)):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.2g} {unit}"
    return f"{seconds:.0f} seconds"


@contextmanager
def announced(seconds: float, n_steps: int, cheaper: str) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of steps done; a long run shows a bar.

    Beside the bar stands how long it will take and what would take less. It is no warning: on a
    busy machine everything takes long, and nothing is wrong then. A long run that is interrupted
    says how far it has come. A run that is part of another, which has been announced, says nothing
    of its own.

    Parameters
    ----------
    seconds : float
        What the run is expected to take.
    n_steps : int
    cheaper : str
        What would take less, as a sentence.
    """
    if seconds < LONG or is_unattended() or UNDERWAY.get():
        yield lambda _: None
        return
    from tqdm.auto import tqdm

    before = UNDERWAY.set(True)
    with tqdm(total=n_steps, unit_scale=True, desc=f"about {in_words(seconds)}") as bar:
        bar.set_postfix_str(cheaper)
        try:
            yield bar.update
        except KeyboardInterrupt:
            said = f"Interrupted after {bar.n / n_steps:.0%}; nothing was kept. {cheaper}"
            raise KeyboardInterrupt(said) from None
        finally:
            UNDERWAY.reset(before)


def expected_seconds(ask: Callable[[int], object], n_rows: int, few: int, many: int) -> float:
    """What it takes to ask for n_rows rows, `many` at a time: by a call for a few of them and, if
    that promises a long run, by one for many."""
    for size in (few, many):
        start = perf_counter()
        ask(size)
        seconds = (perf_counter() - start) * n_rows / size
        if seconds < LONG or few >= many:
            break
    return seconds


def paced(
    function: Callable, tasks: Sequence[tuple], cheaper: str, n_jobs: int | None = None
) -> list:
    """function(*task) for each task, in order; the first ones tell how long all will take.

    These are done here, so that what they have learnt (such as the forests of a sampler) is known
    to all jobs, if more than one is wanted for the rest.
    """
    start, found = perf_counter(), []
    while len(found) < len(tasks) and (not found or perf_counter() - start < FEEL):
        found.append(function(*tasks[len(found)]))
    rest = tasks[len(found) :]
    seconds = (perf_counter() - start) * len(rest) / max(len(found), 1)
    with announced(seconds / effective_n_jobs(n_jobs or 1), len(rest), cheaper) as advance:
        for one in each(function, rest, n_jobs):
            found.append(one)
            advance(1)
    return found


def each(function: Callable, tasks: Iterable[tuple], n_jobs: int | None) -> Iterator:
    """function(*task) for each task, in order, by joblib if more than one job is wanted."""
    if n_jobs in (None, 1):
        return (function(*task) for task in tasks)
    return Parallel(n_jobs=n_jobs, return_as="generator")(delayed(function)(*t) for t in tasks)
