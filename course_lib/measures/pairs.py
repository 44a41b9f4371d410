"""The loss over pairs of rows: x_j of one row, or its unique part, put into another."""

import numpy as np

from course_lib.measures.refitting import refit
from course_lib.measures.scrambling import Scrambler, batches
from course_lib.measures.shuffling import each_value, few_valued, increases_of
from course_lib.models.losses import squared_error
from course_lib.validation import check_count, check_option, check_random_state

ALL_PAIRS = 2 * 10**7  # predicted rows, over all features, that are worth an exact answer
PARTNERS = 20  # rows that each row meets where all would be too many
PAIRS = ("all", "halves")


def chosen_pairs(pairs, scrambler: Scrambler, loss) -> str | int:
    """ "all", "halves" or a number of partners; None means all of them up to a size."""
    n = len(scrambler.values)
    if pairs is None:
        exact = squared_error_coefficients(loss, scrambler) is not None
        few = exact or n * n_distinct(scrambler) <= ALL_PAIRS
        return "all" if few or n <= PARTNERS else PARTNERS
    if isinstance(pairs, str):
        return check_option(pairs, "pairs", PAIRS)
    return check_count(pairs, "pairs", minimum=2, maximum=n - 1)


def pairs_in_words(pairs: str | int) -> dict[str, str]:
    """What a result over these pairs rests on."""
    if isinstance(pairs, str):
        over = "all pairs of them" if pairs == "all" else "their two halves"
        return {"repeats": f"exact over {over}"}
    return {"repeats": f"{pairs} other rows for each row", "covers": "which rows meet"}


def n_distinct(scrambler: Scrambler) -> int:
    """How many distinct values the columns have, in all."""
    return sum(len(np.unique(column)) for column in scrambler.values.T)


def squared_error_coefficients(loss, scrambler: Scrambler) -> np.ndarray | None:
    """The coefficients, if the model is linear in numbers and the loss is the squared error."""
    return scrambler.coefficients if loss in (None, squared_error) else None


def all_increases(scrambler: Scrambler) -> np.ndarray:
    """e_switch - e_orig: each distinct value in all rows, weighted by how often it occurs."""
    found = {
        j: np.unique(column, return_counts=True) for j, column in enumerate(scrambler.values.T)
    }
    totals = np.zeros(len(found))
    for j, piece, changes in each_value(scrambler, {j: of for j, (of, _) in found.items()}):
        totals[j] += found[j][1][piece] @ scrambler.mean(changes)
    return totals / (len(scrambler.values) - 1)


def sampled_increases(scrambler: Scrambler, n_partners: int, random_state) -> np.ndarray:
    """The same for some pairs: one column for each of the other rows that every row meets.

    The rows stand in a circle in random order, and in a column every row gets the values of the
    row that is so many places further on. No row meets itself, none meets another twice, and the
    mean of each column over the orders is e_switch - e_orig.
    """
    values = scrambler.values
    rng, n = check_random_state(random_state), len(values)
    circle, place = rng.permutation(n), np.empty(n, dtype=int)
    place[circle] = np.arange(n)
    steps = 1 + rng.choice(n - 1, n_partners, replace=False)
    begun = dict.fromkeys(range(values.shape[1]), 0)

    def draw(j: int, r: int) -> np.ndarray:
        mine = steps[begun[j] : begun[j] + r]
        begun[j] += r
        return values[circle[(place + mine[:, np.newaxis]) % n], j]

    return increases_of(scrambler, n_partners, draw, few=few_valued(scrambler, n_partners))


def swapped_halves(scrambler: Scrambler, j: int) -> np.ndarray:
    """Column j with row i and row i + n/2 exchanged."""
    n = len(scrambler.y)
    return np.roll(scrambler.values[:, j], n // 2)[np.newaxis]


def chimera_increase(scrambler: Scrambler, j: int, unique: np.ndarray) -> float:
    """e_chimera - e_orig: over all shifts, row k meets the unique part of each other row once."""
    n, total = len(unique), 0.0
    body = scrambler.values[:, j] - unique
    for piece in batches(n - 1, n):
        shifts = np.arange(piece.start, piece.stop)[:, np.newaxis] + 1
        heads = unique[(np.arange(n) + shifts) % n]
        total += scrambler.increase({j: body + heads}).sum()
    return total / (n - 1)


def linear_increase(b_j: float, residuals: np.ndarray, part: np.ndarray, weights=None) -> float:
    """Increase of the mean squared error of a linear model over all pairs of rows i != k when
    row k gets `part` of x_j from row i: 2 b_j Cov(residuals, part) + 2 b_j^2 Var(part).

    With weights of the rows k, that sum to 1, the sums over i are taken for each k.
    """
    centred = part - part.mean()
    n, spread = len(part), centred @ centred
    if weights is None:
        return 2 * b_j * (residuals @ centred + b_j * spread) / (n - 1)
    rows = 2 * b_j * n * residuals * centred + b_j**2 * (n * centred**2 + spread)
    return float(weights @ rows) / (n - 1)


def unique_part(values: np.ndarray, j: int, imputer=None, fit_intercept=True) -> np.ndarray:
    """x_j - xhat: what a regressor cannot tell about column j from the other columns.

    The default is least squares, with or without intercept, whatever the units of the columns.
    """
    x, rest = values[:, j], np.delete(values, j, axis=1)
    if imputer is None or rest.shape[1] == 0:
        if fit_intercept:
            x, rest = x - x.mean(), rest - rest.mean(axis=0)
        scale = np.linalg.norm(rest, axis=0)
        rest = rest / np.where(scale > 0, scale, 1.0)
        return x - rest @ np.linalg.lstsq(rest, x, rcond=None)[0]
    return x - imputed(x, rest, imputer)


def imputed(x: np.ndarray, rest, imputer) -> np.ndarray:
    """What a clone of a regressor, fitted to a table of the other columns, predicts of x."""
    fitted_imputer = refit(imputer, rest, x, np.random.default_rng(0))
    return np.reshape(fitted_imputer.predict(rest), len(x))
