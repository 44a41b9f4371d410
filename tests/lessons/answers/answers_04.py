"""Answers to the exercises of lesson 04, right in several styles and wrong in known ways."""

from itertools import combinations, permutations
from math import comb, factorial, sqrt
from statistics import mean, stdev

import numpy as np
import pandas as pd
from scipy import stats

# 04.1


def arrival_by_sets(v, order):
    shares, present = [0.0] * len(order), set()
    for i in order:
        shares[i] = v(present | {i}) - v(present)
        present.add(i)
    return shares


def arrival_by_numpy(v, order):
    worths = np.array([v(order[:k]) for k in range(len(order) + 1)])
    shares = np.empty(len(order))
    shares[order] = worths[1:] - worths[:-1]
    return shares


def arrival_by_pandas(v, order):
    worths = pd.Series([v(frozenset(order[:k])) for k in range(len(order) + 1)])
    return worths.diff().dropna().set_axis(order).sort_index()


# 04.2


def orders_by_mean(v, n_players, shares):
    return np.mean([shares(v, list(order)) for order in permutations(range(n_players))], axis=0)


def orders_by_loop(v, n_players, shares):
    total = [0.0] * n_players
    for order in permutations(range(n_players)):
        for i, share in enumerate(shares(v, order)):
            total[i] += share
    return [share / factorial(n_players) for share in total]


def orders_by_frame(v, n_players, shares):
    rows = [shares(v, order) for order in permutations(range(n_players))]
    return pd.DataFrame(rows).mean()


# 04.3


def coalitions_by_comb(v, n_players):
    phi = []
    for i in range(n_players):
        others = [j for j in range(n_players) if j != i]
        parts = [
            (v({*S, i}) - v(S)) / (n_players * comb(n_players - 1, k))
            for k in range(n_players)
            for S in combinations(others, k)
        ]
        phi.append(sum(parts))
    return phi


def coalitions_by_masks(v, n_players):
    phi = np.zeros(n_players)
    for mask in range(2**n_players - 1):
        S = [i for i in range(n_players) if mask >> i & 1]
        weight = factorial(len(S)) * factorial(n_players - len(S) - 1) / factorial(n_players)
        for i in set(range(n_players)) - set(S):
            phi[i] += weight * (v([*S, i]) - v(S))
    return phi


def coalitions_by_sizes(v, n_players):
    players, phi = set(range(n_players)), []
    for i in sorted(players):
        by_size = [
            np.mean([v({*S, i}) - v(set(S)) for S in combinations(players - {i}, size)])
            for size in range(n_players)
        ]
        phi.append(np.mean(by_size))
    return tuple(phi)


# 04.4


def estimates_by_scipy(contributions):
    return np.stack([contributions.mean(1), stats.sem(contributions, axis=1)], axis=1)


def estimates_by_statistics(contributions):
    return [(mean(row), stdev(row) / sqrt(len(row))) for row in contributions.tolist()]


def estimates_by_frame(contributions):
    table = pd.DataFrame(contributions)
    return pd.DataFrame({"mean": table.mean(axis=1), "error": table.sem(axis=1)})


# 04.5 and 04.6


def worths_by_where(f, x, background, coalitions):
    known = [np.isin(np.arange(len(x)), S) for S in coalitions]
    return [f(np.where(mask, x, background)).mean() for mask in known]


def worths_by_rows(f, x, background, coalitions):
    found = []
    for S in coalitions:
        rows = [[x[j] if j in S else row[j] for j in range(len(x))] for row in background]
        found.append(float(np.mean(f(np.array(rows)))))
    return np.array(found)


def worths_by_frame(f, x, background, coalitions):
    found = {}
    for k, S in enumerate(coalitions):
        table = pd.DataFrame(background)
        for j in S:
            table[j] = x[j]
        found[k] = f(table.to_numpy()).mean()
    return pd.Series(found)


def worths_in_place(f, x, background, coalitions):
    found = []
    for S in coalitions:
        background[:, S] = x[S]
        found.append(f(background).mean())
    return found


def conditional_by_loop(f, x, background, coalitions):
    kept = [[row for row in background if all(row[j] == x[j] for j in S)] for S in coalitions]
    return [f(np.array(rows)).mean() for rows in kept]


def conditional_by_frame(f, x, background, coalitions):
    table = pd.DataFrame(background)
    alike = [(table[S] == x[S]).all(axis=1) for S in coalitions]
    return pd.Series([f(table[rows].to_numpy()).mean() for rows in alike])


def conditional_by_weights(f, x, background, coalitions):
    same, predicted = background == x, f(background)
    return np.array([np.average(predicted, weights=same[:, S].all(axis=1)) for S in coalitions])


def nobody_is_worth_0(v):
    return lambda S: v(S) if len(set(S)) else 0.0


def last_gets_the_rest(v, order):
    shares = arrival_by_sets(v, order)
    shares[order[-1]] = v(order) - sum(shares[i] for i in order[:-1])
    return shares


def of_columns(worths, size):
    """The same, with a number of columns written in: a coalition has no others."""
    return lambda f, x, background, coalitions: worths(
        f, x, background, [[j for j in range(size) if j in S] for S in coalitions]
    )


def but_all(worths):
    """The same, but knowing everything is left at 0."""
    return lambda f, x, background, coalitions: [
        worth * (len(S) < len(x))
        for S, worth in zip(coalitions, worths(f, x, background, coalitions), strict=True)
    ]


def cut(coalitions, size):
    return [S[:size] for S in coalitions]


def conditional_by(agrees):
    """The conditional game with another idea of which rows agree."""
    return lambda f, x, background, coalitions: [
        f(background[agrees(background[:, S], x[S])]).mean() for S in coalitions
    ]


def whole(rows):
    return rows.astype(int).astype(float)


RIGHT = {
    "04.1": [arrival_by_sets, arrival_by_numpy, arrival_by_pandas],
    "04.2": [orders_by_mean, orders_by_loop, orders_by_frame],
    "04.3": [coalitions_by_comb, coalitions_by_masks, coalitions_by_sizes],
    "04.4": [estimates_by_scipy, estimates_by_statistics, estimates_by_frame],
    "04.5": [worths_by_where, worths_by_rows, worths_by_frame],
    "04.6": [conditional_by_loop, conditional_by_frame, conditional_by_weights],
    "04.7": [{"d", "f"}, ["f", "d"], ("d", "f")],
}

WRONG = {
    "04.1": {
        "sign thrown away": lambda v, order: np.abs(arrival_by_numpy(v, order)),
        "negative shares set to 0": lambda v, order: [max(0, s) for s in arrival_by_sets(v, order)],
        "(rounded to one digit)": lambda v, order: np.round(arrival_by_numpy(v, order), 1),
        "the empty room taken for 0": lambda v, order: arrival_by_sets(nobody_is_worth_0(v), order),
        "(the last gets the rest)": last_gets_the_rest,
        "leave-one-out": lambda v, order: [
            v(order) - v([j for j in order if j != i]) for i in range(len(order))
        ],
        "the order turned round": lambda v, order: arrival_by_sets(v, order[::-1]),
        "cut off to whole numbers": lambda v, order: arrival_by_numpy(v, order).astype(int),
        "places exchanged": lambda v, order: np.array(
            [v(order[: k + 1]) - v(order[:k]) for k in range(len(order))]
        )[order],
        "before minus after": lambda v, order: -arrival_by_numpy(v, order),
    },
    "04.2": {
        "one factor too few": lambda v, n, shares: (
            sum(np.array(shares(v, list(o))) for o in permutations(range(n))) / factorial(n - 1)
        ),
        "(six orders, however many players)": lambda v, n, shares: (
            orders_by_mean(v, n, shares) * factorial(n) / 6
        ),
        "(24 orders, however many players)": lambda v, n, shares: (
            orders_by_mean(v, n, shares) * factorial(n) / 24
        ),
        "sign thrown away": lambda v, n, shares: abs(orders_by_mean(v, n, shares)),
        "negative shares set to 0": lambda v, n, shares: orders_by_mean(v, n, shares).clip(0),
        "(rounded to one digit)": lambda v, n, shares: orders_by_mean(v, n, shares).round(1),
    },
    "04.3": {
        "sign thrown away": lambda v, n: np.abs(coalitions_by_comb(v, n)),
        "negative shares set to 0": lambda v, n: np.maximum(coalitions_by_comb(v, n), 0),
        "(rounded to one digit)": lambda v, n: np.round(coalitions_by_comb(v, n), 1),
        "the empty coalition taken for 0": lambda v, n: coalitions_by_sizes(
            nobody_is_worth_0(v), n
        ),
        "(the last gets the rest)": lambda v, n: [
            *(rest := coalitions_by_comb(v, n)[:-1]),
            v(range(n)) - sum(rest),
        ],
    },
    "04.4": {
        "players as columns": lambda c: estimates_by_scipy(c).T,
        "divided by n": lambda c: np.column_stack(
            [c.mean(axis=1), c.std(axis=1) / np.sqrt(c.shape[1])]
        ),
        "sign thrown away": lambda c: abs(estimates_by_scipy(c)),
        "negative estimates set to 0": lambda c: estimates_by_scipy(c).clip(0),
        "root of the number of players": lambda c: np.column_stack(
            [c.mean(axis=1), c.std(axis=1, ddof=1) / np.sqrt(len(c))]
        ),
        "n instead of its root": lambda c: np.column_stack(
            [c.mean(axis=1), c.std(axis=1, ddof=1) / c.shape[1]]
        ),
        "root of n - 1": lambda c: np.column_stack(
            [c.mean(axis=1), c.std(axis=1, ddof=1) / np.sqrt(c.shape[1] - 1)]
        ),
        "variance": lambda c: np.column_stack([c.mean(axis=1), c.var(axis=1, ddof=1) / c.shape[1]]),
        "columns exchanged": lambda c: np.fliplr(estimates_by_scipy(c)),
        "(six orders)": lambda c: np.column_stack(
            [c.mean(axis=1), c.std(axis=1, ddof=1) / np.sqrt(6)]
        ),
        "two standard errors": lambda c: np.asarray(estimates_by_scipy(c)) * [1, 2],
    },
    "04.5": {
        "background overwritten": worths_in_place,
        "sign thrown away": lambda *given: np.abs(worths_by_where(*given)),
        "(rounded to one digit)": lambda *given: np.round(worths_by_where(*given), 1),
        "nothing known is worth 0": lambda f, x, background, coalitions: [
            worths_by_where(f, x, background, [S])[0] if S else 0 for S in coalitions
        ],
        "one feature of each coalition": lambda f, x, background, coalitions: worths_by_rows(
            f, x, background, cut(coalitions, 1)
        ),
        "(two features of each coalition)": lambda f, x, background, coalitions: worths_by_rows(
            f, x, background, cut(coalitions, 2)
        ),
        "(whole numbers only)": lambda f, x, background, coalitions: worths_by_rows(
            f, whole(x), whole(background), coalitions
        ),
        "summed": lambda f, x, background, coalitions: (
            worths_by_rows(f, x, background, coalitions) * np.array(len(background))
        ),
        "(four columns)": of_columns(worths_by_rows, 4),
        "(three columns)": of_columns(worths_by_rows, 3),
        "(nothing where all is known)": but_all(worths_by_rows),
        "(half of the rows)": lambda f, x, background, coalitions: worths_by_rows(
            f, x, background[: len(background) // 2], coalitions
        ),
    },
    "04.6": {
        "sign thrown away": lambda *given: np.abs(conditional_by_loop(*given)),
        "(rounded to one digit)": lambda *given: conditional_by_weights(*given).round(1),
        "nothing known is worth 0": lambda f, x, background, coalitions: [
            conditional_by_loop(f, x, background, [S])[0] if S else 0 for S in coalitions
        ],
        "(nothing known is the prediction for x)": lambda f, x, background, coalitions: [
            conditional_by_loop(f, x, background, [S or range(len(x))])[0] for S in coalitions
        ],
        "one feature of each coalition": lambda f, x, background, coalitions: conditional_by_loop(
            f, x, background, cut(coalitions, 1)
        ),
        "(two features of each coalition)": lambda f, x, background, coalitions: (
            conditional_by_loop(f, x, background, cut(coalitions, 2))
        ),
        "agreement in one feature is enough": conditional_by(
            lambda rows, x: (rows == x).any(axis=1) | (len(x) == 0)
        ),
        "the wrong features known": lambda f, x, background, coalitions: conditional_by_loop(
            f, x, background, [sorted({*range(len(x))} - {*S}) for S in coalitions]
        ),
        "(four columns)": of_columns(conditional_by_loop, 4),
        "(three columns)": of_columns(conditional_by_loop, 3),
        "(nothing where all is known)": but_all(conditional_by_loop),
        "(equal sums)": conditional_by(lambda rows, x: np.isclose(rows.sum(axis=1), x.sum())),
        "(nearly equal)": conditional_by(lambda rows, x: (abs(rows - x) < 0.5).all(axis=1)),
        "(the same sign)": conditional_by(lambda rows, x: ((rows > 0) == (x > 0)).all(axis=1)),
    },
    "04.7": {
        "(a text: the answer says to write each letter by itself)": "df",
        "(a wrong text)": "abcf",
        "one prediction only": {"d"},
        "the whole model only": {"f"},
        "path-dependent tree SHAP": {"c", "d", "f"},
        "marginal SAGE": {"d", "e", "f"},
    },
}
