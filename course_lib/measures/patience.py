"""Long runs: what they cost is said before they go on, and how far they are while they run."""

import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from joblib import Parallel, delayed

LONG = 10.0  # seconds of work that are worth a word
OURS = str(Path(__file__).parents[1])


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

    said = f"This will take about {in_words(seconds)}. {cheaper}"
    warnings.warn(said, UserWarning, stacklevel=_levels_to_the_caller())
    with tqdm(total=n_steps, unit_scale=True) as bar:
        yield bar.update


def _levels_to_the_caller() -> int:
    """How far up the first frame lies that is neither ours nor of a context manager."""
    files = (OURS, contextmanager.__code__.co_filename)
    return next(
        (k for k, (_, path, *_) in enumerate(inspect.stack(0)) if not path.startswith(files)), 1
    )


def paced(steps: Sequence, cheaper: str) -> Iterator:
    """The steps of a run, one after the other; the first tells how long all of them will take."""
    start = perf_counter()
    yield from steps[:1]
    seconds = (perf_counter() - start) * (len(steps) - 1)
    with announced(seconds, len(steps) - 1, cheaper) as done:
        for step in steps[1:]:
            yield step
            done(1)


def each(function: Callable, tasks: Iterable[tuple], n_jobs: int | None) -> Iterator:
    """function(*task) for each task, in order, by joblib if more than one job is wanted."""
    if n_jobs in (None, 1):
        return (function(*task) for task in tasks)
    return Parallel(n_jobs=n_jobs, return_as="generator")(delayed(function)(*t) for t in tasks)
