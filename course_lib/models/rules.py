"""Rules that share out the worth of a game, and what in a game shows that a rule breaks an axiom.

A rule takes a game and its number of players and returns one share per player, as
`shapley_values` does.
"""

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from course_lib.models.games import Game, null_players, shapley_values, symmetric_players, worths

Rule = Callable[[Game | np.ndarray, int], np.ndarray]

AXIOMS = ("efficiency", "symmetry", "null player", "strong monotonicity", "linearity")
CLOSE = 1e-9


def equal_split(v: Game | np.ndarray, n_players: int) -> np.ndarray:
    """Everybody gets the same: phi_i = v(N) / n.

    >>> equal_split(len, 2)
    array([1., 1.])
    """
    table = worths(v, n_players)
    return np.full(n_players, (table[-1] - table[0]) / n_players)


def leave_one_out(v: Game | np.ndarray, n_players: int) -> np.ndarray:
    """Everybody gets what would be lost without them: phi_i = v(N) - v(N without i).

    The shares need not add up to v(N):

    >>> both_needed = lambda S: float(len(S) == 2)
    >>> leave_one_out(both_needed, 2)
    array([1., 1.])
    """
    table = worths(v, n_players)
    return table[-1] - table[[(2**n_players - 1) ^ (1 << i) for i in range(n_players)]]


def arrival(v: Game | np.ndarray, n_players: int, order: Sequence[int] | None = None) -> np.ndarray:
    """Everybody gets what they add when they come: phi_i = v(those before and i) - v(those before).

    The order is 0, 1, 2, ... unless given. In a game where players need each other, the last come
    takes it all. The mean over all orders is the Shapley value.

    >>> both_needed = lambda S: float(len(S) == 2)
    >>> arrival(both_needed, 2), arrival(both_needed, 2, order=(1, 0))
    (array([0., 1.]), array([1., 0.]))
    """
    table = worths(v, n_players)
    order = list(range(n_players) if order is None else order)
    if sorted(order) != list(range(n_players)):
        raise ValueError(
            f"order must name each of the players 0 to {n_players - 1} once, got {order}. "
            f"Leave it out for 0, 1, 2, ..."
        )
    along = table[np.cumsum([0, *(1 << i for i in order)])]
    shares = np.empty(n_players)
    shares[order] = np.diff(along)
    return shares


def proportional(v: Game | np.ndarray, n_players: int) -> np.ndarray:
    """Everybody gets v(N) in proportion to what they are worth alone: v({i}) / sum of v({j}).

    Refused where nobody is worth anything alone.

    >>> proportional(lambda S: sum(S) * len(S), 3).round(3)
    array([0., 3., 6.])
    """
    table = worths(v, n_players)
    alone = table[1 << np.arange(n_players)] - table[0]
    if abs(alone.sum()) <= CLOSE * np.abs(table).max():
        raise ValueError(
            "The worths of the single players sum to 0, so there are no proportions to share by. "
            "Use another rule for this game."
        )
    return alone / alone.sum() * (table[-1] - table[0])


RULES: dict[str, Rule] = {
    "Shapley": shapley_values,
    "leave-one-out": leave_one_out,
    "order of arrival": arrival,
    "equal split": equal_split,
    "proportional": proportional,
}


def opposite_ranks(v: Game | np.ndarray, n_players: int) -> list[tuple[int, int]]:
    """The pairs of players that leave-one-out and Shapley rank in opposite orders.

    >>> v = [0, 8, 0, 8, 0, 8, 9, 12]  # worth alone, and hardly missed
    >>> opposite_ranks(v, 3)
    [(0, 1), (0, 2)]
    """
    table = worths(v, n_players)
    phi, without = shapley_values(table, n_players), leave_one_out(table, n_players)
    close = CLOSE * max(1.0, np.abs(table).max())
    return [
        (i, j)
        for i, j in combinations(range(n_players), 2)
        if min(abs(phi[i] - phi[j]), abs(without[i] - without[j])) > close
        and (phi[i] > phi[j]) != (without[i] > without[j])
    ]


def dividends(v: Game | np.ndarray, n_players: int) -> np.ndarray:
    """What each coalition T adds beyond all smaller ones in it: v(S) = sum of d(T) over T in S.

    So every game is a sum of games d(T) u_T, where u_T is worth 1 to whoever contains T and 0 to
    all others. By bit mask, as worths are.

    Examples
    --------
    One left glove (player 0) and two right ones: {0, 1} and {0, 2} make a pair, and together
    they make no second one.

    >>> dividends([0, 0, 0, 1, 0, 1, 0, 1], 3)
    array([ 0.,  0.,  0.,  1.,  0.,  1.,  0., -1.])
    """
    d = worths(v, n_players).copy()
    for i in range(n_players):
        pairs = d.reshape(-1, 2, 2**i)  # coalitions without and with player i
        pairs[:, 1] -= pairs[:, 0]
    return d


def axiomatic_shares(v: Game | np.ndarray, n_players: int) -> np.ndarray:
    """The shares that efficiency, symmetry and strong monotonicity leave no choice about.

    Uses no order, no weight and no formula of Shapley's, only the proof of Young (1985). Write the
    game as a sum of d(T) u_T. A player who is missing from some T contributes as in the game
    without that term, so by strong monotonicity gets the same share as there. Those who are in
    every T are symmetric, and by efficiency share equally what is left.

    Examples
    --------
    >>> glove = lambda S: float(0 in S and len(S) >= 2)
    >>> axiomatic_shares(glove, 3).round(3)
    array([0.667, 0.167, 0.167])
    """
    d = dividends(v, n_players)
    members = [frozenset(i for i in range(n_players) if T >> i & 1) for T in range(len(d))]
    terms = {members[T]: float(d[T]) for T in range(1, len(d)) if d[T] != 0}
    return _forced_shares(terms, n_players, {})


def _forced_shares(terms: dict, n_players: int, known: dict) -> np.ndarray:
    """The shares of the game that is the sum of these terms, by induction on their number."""
    key = frozenset(terms)
    if key not in known:
        in_all = frozenset(range(n_players)).intersection(*terms)
        phi = np.zeros(n_players)
        for i in set(range(n_players)) - in_all:
            fewer = {T: worth for T, worth in terms.items() if i in T}
            phi[i] = _forced_shares(fewer, n_players, known)[i]  # strong monotonicity
        left = sum(terms.values()) - phi.sum()  # efficiency
        phi[list(in_all)] = left / max(1, len(in_all))  # symmetry
        known[key] = phi
    return known[key]


def broken_axioms(
    rule: Rule, v: Game | np.ndarray, n_players: int, names: Sequence[str] | None = None
) -> dict[str, str]:
    """The axioms that this game shows to be broken by the rule, each with what one sees.

    An axiom speaks of all games, so one game can refute it and none can prove it. Symmetry needs
    symmetric players in the game, and the null player axiom a null player. Strong monotonicity
    and linearity compare with the games v + u_T, in which every coalition that contains T earns 1
    more: whoever is not in T contributes there exactly as before.

    Parameters
    ----------
    rule : callable
        ``rule(v, n_players)`` gives one share per player, such as those in `RULES`.
    v : callable or array of shape (2**n_players,)
    n_players : int
    names : sequence of str, default=None
        What to call the players in the sentences.

    Examples
    --------
    >>> both_needed = lambda S: float(len(S) == 2)
    >>> broken_axioms(leave_one_out, both_needed, 2)
    {'efficiency': 'hands out 2 of 1'}
    >>> broken_axioms(arrival, both_needed, 2, names=("Ann", "Ben"))
    {'symmetry': 'Ann and Ben contribute alike, and get 0 and 1'}
    """
    table = worths(v, n_players)
    names = [f"player {i}" for i in range(n_players)] if names is None else list(names)
    phi, close = rule(table, n_players), CLOSE * max(1.0, np.abs(table).max())
    found, total = {}, table[-1] - table[0]
    if abs(phi.sum() - total) > close:
        found["efficiency"] = f"hands out {_short(phi.sum())} of {_short(total)}"
    for i, j in symmetric_players(table, n_players):
        if abs(phi[i] - phi[j]) > close and "symmetry" not in found:
            shares = f"{_short(phi[i])} and {_short(phi[j])}"
            found["symmetry"] = f"{names[i]} and {names[j]} contribute alike, and get {shares}"
    for i in null_players(table, n_players):
        if abs(phi[i]) > close and "null player" not in found:
            found["null player"] = f"{names[i]} adds nothing, and gets {_short(phi[i])}"
    return found | _broken_between_games(rule, table, names, phi, close)


def _broken_between_games(rule: Rule, table, names: list[str], phi, close: float) -> dict[str, str]:
    """Strong monotonicity and linearity, tried on the games v + u_T."""
    found, n = {}, len(names)
    for T in sorted(range(1, 2**n - 1), key=int.bit_count):
        bonus = ((np.arange(2**n) & T) == T).astype(float)  # u_T
        raised = rule(table + bonus, n)
        outside = [i for i in range(n) if not T >> i & 1 and abs(raised[i] - phi[i]) > close]
        whose = " and ".join(names[i] for i in range(n) if T >> i & 1)
        if outside and "strong monotonicity" not in found:
            i = outside[0]
            found["strong monotonicity"] = (
                f"with a bonus of 1 for {whose}, {names[i]} contributes as before, but gets "
                f"{_short(raised[i])} instead of {_short(phi[i])}"
            )
        if T.bit_count() == 1 and "linearity" not in found:
            i = int(np.argmax(np.abs(raised - phi - rule(bonus, n))))
            parts = phi[i] + rule(bonus, n)[i]
            if abs(raised[i] - parts) > close:
                found["linearity"] = (
                    f"with a bonus of 1 for {whose}, {names[i]} gets {_short(raised[i])}; game and "
                    f"bonus shared out apart give {_short(parts)}"
                )
    return found


def _short(value: float) -> str:
    """A number with at most two decimals and no minus before a zero."""
    return f"{round(float(value), 2) + 0.0:.2f}".rstrip("0").rstrip(".")
