"""Cooperative games: Shapley values, exact and sampled, and the properties the axioms speak of.

A game is a function v from coalitions (frozensets of players 0, 1, ...) to their worth, or the
array of all 2**n worths by bit mask: player i is bit i, so v[0b101] is the worth of {0, 2}.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from math import inf, isfinite
from numbers import Real

import numpy as np

from course_lib.models.bitmasks import (
    coalition_sizes,
    shapley_of_many,
    shapley_weights,
    split_by_player,
)
from course_lib.patience import paced
from course_lib.validation import check_count, check_random_state

Coalition = frozenset[int]
Game = Callable[[Coalition], float]  # S -> v(S)

MAX_PLAYERS = 25  # of a game given as an array
MAX_CALLED_PLAYERS = 20  # of a game given as a function, which is called 2**n times
MANY_PLAYERS = 12  # more than these are worth a detour
MAX_BATCH = 2**15  # numbers that a BatchGame handles at once
FEWER_ORDERS = (
    "Fewer orders (n_orders) take less time in proportion and give a larger standard error; of a "
    "prediction, so do fewer background rows."
)

ORDERS = (
    "All 2**n_players coalitions are looked at; sampled_shapley_values(v, n_players, n_orders=50) "
    "needs n_players of them for each order, and has a standard error. Fewer background rows take "
    "less time in proportion."
)
OVERFLOW = "The worths are so large that their sums overflow. Divide them by their largest."
TOLERANCE = 1e-9  # worths that differ by less than this share of the largest count as equal


def coalitions(n_players: int) -> Iterator[Coalition]:
    """Yield every coalition, in the order of its bit mask."""
    yield from map(coalition, range(2**n_players))


def coalition(mask: int) -> Coalition:
    """The players of a bit mask.

    >>> sorted(coalition(0b101))
    [0, 2]
    """
    return frozenset(i for i in range(mask.bit_length()) if mask >> i & 1)


class BatchGame:
    """A game that looks at many coalitions at once, and remembers those it was called for.

    `evaluate` takes a boolean array of shape (n_coalitions, n_players), True for members, and
    returns the worths; `size` says how many numbers it handles for each coalition.
    """

    def __init__(self, evaluate: Callable[[np.ndarray], np.ndarray], n_players: int, size: int = 1):
        self.n_players = n_players
        self._evaluate = evaluate
        self._batch = max(1, MAX_BATCH // size)
        self._known: dict[Coalition, float] = {}

    def __call__(self, S: Iterable[int]) -> float:
        if not isinstance(S, Iterable):
            raise TypeError(
                f"A coalition is a set of players, got {S!r}. Pass for example {{0}}, or set() "
                f"for nobody."
            )
        S = frozenset(S)
        if S not in self._known:
            if not S <= frozenset(range(self.n_players)):
                raise ValueError(
                    f"A coalition holds players from 0 to {self.n_players - 1}, got "
                    f"{set(S)}. Give features by position."
                )
            members = np.isin(np.arange(self.n_players), list(S))
            self._known[S] = float(self._evaluate(members[np.newaxis])[0])
        return self._known[S]

    def worths(self) -> np.ndarray:
        """The worths of all coalitions, by bit mask."""
        starts, players = range(0, 2**self.n_players, self._batch), np.arange(self.n_players)
        found = np.empty(2**self.n_players)

        def fill(start: int) -> None:
            masks = np.arange(start, min(start + self._batch, len(found)))[:, np.newaxis]
            found[masks[:, 0]] = self._evaluate((masks >> players & 1) == 1)

        paced(fill, [(start,) for start in starts], ORDERS)
        return found


def worths(v: Game | np.ndarray, n_players: int) -> np.ndarray:
    """The worths of all 2**n_players coalitions by bit mask, whichever way the game is given.

    >>> worths(len, 2)
    array([0., 1., 1., 2.])
    """
    table = _unchecked_worths(v, n_players)
    if not np.isfinite(table).all():
        mask = int(np.flatnonzero(~np.isfinite(table))[0])
        raise ValueError(
            f"Worths must be finite, but that of bit mask {mask} is {table[mask]}. Mend the "
            f"game there."
        )
    return table


def _unchecked_worths(v: Game | np.ndarray, n_players: int) -> np.ndarray:
    check_count(n_players, "n_players")
    limit = MAX_CALLED_PLAYERS if callable(v) else MAX_PLAYERS
    if n_players > limit:
        raise ValueError(
            f"n_players must be between 1 and {limit} for a game given as "
            f"{'a function' if callable(v) else 'an array'}, got {n_players}: there are "
            f"2**n_players coalitions to look at. For more players use sampled_shapley_values."
        )
    if isinstance(v, BatchGame) and v.n_players == n_players:
        return v.worths()
    if callable(v):
        worth = checked_game(v)
        masks = [(mask,) for mask in range(2**n_players)]
        return np.array(paced(lambda mask: worth(coalition(mask)), masks, ORDERS))
    return _as_worths(v, n_players)


def checked_game(v: Game) -> Game:
    """v, refusing worths that are no finite numbers."""

    def worth(S: Coalition) -> float:
        value = v(S)
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        if not isinstance(value, Real | np.bool_):
            raise TypeError(
                f"The game must give one number for each coalition, but v({_in_braces(S)}) is "
                f"{value!r}. Return a float."
            )
        try:
            value = float(value)
        except OverflowError:
            value = inf
        if not isfinite(value):
            raise ValueError(
                f"Worths must be finite, but v({_in_braces(S)}) is {value}. Mend the game there."
            )
        return value

    return worth


def _in_braces(S: Coalition) -> str:
    return "{" + ", ".join(map(str, sorted(S))) + "}"


def _as_worths(v, n_players: int) -> np.ndarray:
    """v as an array of 2**n_players numbers."""
    try:
        array = np.asarray(v)
        array = None if array.dtype.kind not in "biufO" else np.asarray(array, dtype=float)
    except OverflowError:
        raise ValueError(
            "Worths must be finite floats, but one is a whole number too large for that. Divide "
            "them all by their largest."
        ) from None
    except (TypeError, ValueError):
        array = None
    if array is None or array.ndim == 0:
        raise TypeError(
            f"A game is a function of coalitions or an array of worths, got "
            f"{type(v).__name__}. For a dict of coalitions pass its __getitem__."
        )
    if array.shape != (2**n_players,):
        raise ValueError(
            f"A game of {n_players} players has 2**{n_players} = {2**n_players} worths, one for "
            f"each coalition, got an array of shape {array.shape}. Fill in the rest, or change "
            f"n_players."
        )
    return array


def shapley_values(v: Game | np.ndarray, n_players: int) -> np.ndarray:
    """Exact Shapley values: each player's marginal contribution, averaged over all orders.

    phi_i = sum over S in N\\{i} of  w(|S|) [v(S + i) - v(S)],   w(s) = 1 / (n C(n-1, s))

    Parameters
    ----------
    v : callable or array of shape (2**n_players,)
        The game. Maps a frozenset of players to its worth, or holds all worths by bit mask
        (player i is bit i).
    n_players : int
        Players are 0, ..., n_players - 1. A function is called 2**n_players times; the rest costs
        a few passes over the worths.

    Returns
    -------
    phi : ndarray of shape (n_players,)
        Sums to v(N) - v(empty set).

    References
    ----------
    `000` eq. 3; Shapley (1953).

    Examples
    --------
    One left glove (player 0), two right gloves; a pair is worth 1.

    >>> glove = lambda S: float(0 in S and len(S) >= 2)
    >>> shapley_values(glove, n_players=3).round(3)
    array([0.667, 0.167, 0.167])

    The same game as an array, worth 1 for {0, 1}, {0, 2} and {0, 1, 2}:

    >>> shapley_values([0, 0, 0, 1, 0, 1, 0, 1], n_players=3).round(3)
    array([0.667, 0.167, 0.167])
    """
    table = _unchecked_worths(v, n_players)
    with np.errstate(invalid="ignore", over="ignore"):
        if n_players > MANY_PLAYERS:
            phi = shapley_of_many(table, n_players)
        else:
            phi = shapley_by_size(table, n_players).sum(axis=1)
    if not np.isfinite(phi).all():  # every worth enters every value, so one check does for all
        worths(table, n_players)
        raise ValueError(OVERFLOW)
    return phi


def shapley_by_size(table: np.ndarray, n_players: int) -> np.ndarray:
    """Shapley values of a game given by all its worths, split by the size of the coalition joined.

    phi_ik = 1 / (n C(n-1, k)) times the sum over S in N\\{i} with |S| = k of  v(S + i) - v(S)

    An array of shape (n_players, n_players): row i sums to phi_i.

    >>> shapley_by_size(np.array([0.0, 0.0, 0.0, 1.0]), 2)
    array([[0. , 0.5],
           [0. , 0.5]])
    """
    size, gains = coalition_sizes(n_players), np.empty((n_players, n_players))
    for i in range(n_players):
        without, joined = split_by_player(table, i)
        joined_size = split_by_player(size, i)[0].ravel()
        gains[i] = np.bincount(joined_size, (joined - without).ravel(), n_players)
    return shapley_weights(n_players) * gains


def sampled_shapley_values(
    v: Game | np.ndarray, n_players: int, *, n_orders: int, random_state=None
) -> np.ndarray:
    """Marginal contributions in random orders; their mean over the orders estimates phi.

    In each order, player i contributes v(S + i) - v(S), where S are those before it. The orders
    are independent, so the mean of a row has the standard error std / sqrt(n_orders).

    Parameters
    ----------
    v : callable or array of shape (2**n_players,)
    n_players : int
        A function is called at most n_players times for each order, and once for no player at
        all; worths are remembered.
    n_orders : int
    random_state : int, Generator or None

    Returns
    -------
    contributions : ndarray of shape (n_players, n_orders)
        One column per order; each column sums to v(N) - v(empty set).

    Examples
    --------
    >>> glove = lambda S: float(0 in S and len(S) >= 2)
    >>> sampled_shapley_values(glove, 3, n_orders=4, random_state=0).sum(axis=0)
    array([1., 1., 1., 1.])
    """
    n_players = check_count(n_players, "n_players")
    n_orders = check_count(n_orders, "n_orders")
    rng = check_random_state(random_state)
    orders = rng.permuted(np.tile(np.arange(n_players), (n_orders, 1)), axis=1)
    along = np.zeros((n_orders, n_players + 1))  # worths of the growing coalition
    if callable(v):
        worth = lru_cache(maxsize=2**16)(checked_game(v))

        def worths_along(order: list[int]) -> list[float]:
            return [worth(frozenset(order[:k])) for k in range(n_players + 1)]

        along[:] = paced(worths_along, [(order,) for order in orders.tolist()], FEWER_ORDERS)
    else:
        table = worths(v, n_players)
        along[:, 0] = table[0]
        along[:, 1:] = table[np.cumsum(1 << orders, axis=1)]
    contributions = np.empty((n_players, n_orders))
    with np.errstate(over="ignore"):
        contributions[orders, np.arange(n_orders)[:, np.newaxis]] = np.diff(along, axis=1)
    if not np.isfinite(contributions).all():
        raise ValueError(OVERFLOW)
    return contributions


def null_players(v: Game | np.ndarray, n_players: int) -> list[int]:
    """The players that add nothing to any coalition: v(S + i) = v(S) for all S.

    >>> null_players(lambda S: 2.0 * (0 in S), n_players=3)
    [1, 2]
    """
    table = worths(v, n_players)
    return [i for i in range(n_players) if _equal(*split_by_player(table, i), table)]


def symmetric_players(v: Game | np.ndarray, n_players: int) -> list[tuple[int, int]]:
    """The pairs i < j that every coalition could exchange: v(S + i) = v(S + j) for all S.

    >>> glove = lambda S: float(0 in S and len(S) >= 2)
    >>> symmetric_players(glove, n_players=3)
    [(1, 2)]
    """
    table = worths(v, n_players)
    pairs = []
    for j in range(n_players):
        without, joined = split_by_player(table, j)  # S and S + j; bits below j are the last axis
        for i in range(j):
            only_i, only_j = split_by_player(without, i)[1], split_by_player(joined, i)[0]
            if _equal(only_i, only_j, table):
                pairs.append((i, j))
    return sorted(pairs)


def is_monotonic(v: Game | np.ndarray, n_players: int) -> bool:
    """Whether no player ever takes worth away: v(S + i) >= v(S) for all S and i.

    A loss below 1e-9 of the largest |v(S)| counts as rounding, here as in `null_players` and
    `symmetric_players`.

    >>> is_monotonic(len, 3), is_monotonic(lambda S: -len(S), 3)
    (True, False)
    """
    table = worths(v, n_players)
    tolerance = TOLERANCE * np.abs(table).max()
    pairs = (split_by_player(table, i) for i in range(n_players))
    return all(bool((joined >= without - tolerance).all()) for without, joined in pairs)


def _equal(first: np.ndarray, second: np.ndarray, table: np.ndarray) -> bool:
    return bool(np.abs(first - second).max() <= TOLERANCE * np.abs(table).max())
