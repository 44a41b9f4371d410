"""Many new columns in the place of one: what each shuffle, or draw, does to the mean loss."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from types import MappingProxyType

import numpy as np

from course_lib.measures.scrambling import Scrambler, batches
from course_lib.patience import paced
from course_lib.worlds.samplers import draw_codes

DRAWS = (
    "The sampler learns each column from all others; fewer rows, or a simpler sampler such as "
    "ForestSampler(n_estimators=10), take less, and one that was fitted and used before has learnt."
)

Draw = Callable[[int, int], np.ndarray]  # (feature, r) -> array (r, n) of new columns


def shuffler(values: np.ndarray, rng: np.random.Generator) -> Draw:
    """The values of a column in random orders."""
    return lambda j, r: rng.permuted(np.tile(values[:, j], (r, 1)), axis=1)


def drawer(sampler, scrambler: Scrambler, rng: np.random.Generator) -> Draw:
    """New columns from P(X_j | all the others)."""
    n, p = scrambler.values.shape

    def draw(j: int, r: int) -> np.ndarray:
        rest = [other for other in range(p) if other != j]
        rows = np.tile(scrambler.values, (r, 1))
        return draw_codes(sampler, scrambler.coding, rows, [j], rest, rng).reshape(r, n)

    return draw


def few_valued(scrambler: Scrambler, n_repeats: int) -> dict[int, np.ndarray]:
    """The distinct values of the columns that have fewer of them than there are shuffles.

    Each is then tried once in every row, and looked up for each shuffle.
    """
    if not scrambler.by_prediction:
        return {}
    distinct = {j: np.unique(column) for j, column in enumerate(scrambler.values.T)}
    return {j: values for j, values in distinct.items() if len(values) < n_repeats}


def increases_of(
    scrambler: Scrambler,
    n_repeats: int,
    draw: Draw,
    features=None,
    few=MappingProxyType({}),
    *,
    patience=nullcontext,
    learns: bool = False,
) -> np.ndarray:
    """One row per feature, one column per repeat; the repeats are taken a batch at a time.

    `patience()` is entered while they are tried. Before it come the first draws: if the drawing
    `learns`, they take longer than all later ones, and have a bar of their own.
    """
    n, p = scrambler.values.shape
    features = range(p) if features is None else features
    sizes = [piece.stop - piece.start for piece in batches(n_repeats, n)]
    first = [(j, sizes[0]) for j in features]
    drawn = paced(draw, first, DRAWS) if learns else None
    pieces, codes = [], {j: [] for j in few}
    with patience():
        for size in sizes:
            new = dict(zip(features, drawn or (draw(j, size) for j in features), strict=True))
            drawn = None
            for j, values in few.items():
                codes[j].append(np.searchsorted(values, new.pop(j)).astype(np.int32))
            pieces.append(scrambler.increase(new).reshape(len(new), size))
        found = dict(zip(new, np.concatenate(pieces, axis=1), strict=True))
        codes = {j: np.concatenate(of) for j, of in codes.items()}
        found |= _looked_up(scrambler, few, codes)
    return np.array([found[j] for j in features])


def _looked_up(scrambler: Scrambler, few: dict, codes: dict) -> dict[int, np.ndarray]:
    """The mean increases of columns of few values, given by the codes (r, n) of these values."""
    increases = {j: np.zeros(len(of)) for j, of in codes.items()}
    for j, piece, changes in each_value(scrambler, few):
        for code, change in enumerate(changes, piece.start):
            increases[j] += scrambler.mean(np.where(codes[j] == code, change, 0.0))
    return increases


def each_value(scrambler: Scrambler, values: dict[int, np.ndarray]) -> Iterator[tuple]:
    """Each value of some columns tried in all rows, a batch at a time.

    Yields the feature, which of its values were tried, and the change of every row's loss, (r, n).
    """
    n = len(scrambler.values)
    together = [[*values]] if scrambler.in_parallel else [[j] for j in values]
    for features in together:
        for piece in batches(max((len(values[j]) for j in features), default=0), n):
            tried = {j: np.repeat(values[j][piece, np.newaxis], n, axis=1) for j in features}
            tried = {j: columns for j, columns in tried.items() if len(columns)}
            for j, changes in zip(tried, scrambler.changes(tried), strict=True):
                yield j, piece, changes
