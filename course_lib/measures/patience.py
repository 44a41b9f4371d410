"""Long runs: what they cost is said before they begin, and how far they are while they run."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from joblib import Parallel, delayed

LONG = 10.0  # seconds of work that are worth a word


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
    """A function to call with the number of steps done; a long run warns first and shows a bar.

    Parameters
    ----------
    seconds : float
        What the run is expected to take.
    n_steps : int
    cheaper : str
        What would take less, as a sentence.
    """
    if seconds < LONG:
        yield lambda _: None
        return
    from tqdm.auto import tqdm

    warnings.warn(f"This will take about {in_words(seconds)}. {cheaper}", UserWarning, stacklevel=4)
    with tqdm(total=n_steps, unit_scale=True) as bar:
        yield bar.update


def each(function: Callable, tasks: Iterable[tuple], n_jobs: int | None) -> Iterator:
    """function(*task) for each task, in order, by joblib if more than one job is wanted."""
    if n_jobs in (None, 1):
        return (function(*task) for task in tasks)
    return Parallel(n_jobs=n_jobs, return_as="generator")(delayed(function)(*t) for t in tasks)
