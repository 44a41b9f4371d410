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


def conditional_by_loop(f, x, background, S):
    kept = [row for row in background if all(row[j] == x[j] for j in S)]
    return f(np.array(kept)).mean()


def conditional_by_frame(f, x, background, S):
    table = pd.DataFrame(background)
    return float(f(table[(table[S] == x[S]).all(axis=1)].to_numpy()).mean())


def conditional_by_weights(f, x, background, S):
    return np.average(f(background), weights=(background[:, S] == x[S]).all(axis=1))


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
    },
    "04.2": {
        "sign thrown away": lambda v, n, shares: abs(orders_by_mean(v, n, shares)),
        "negative shares set to 0": lambda v, n, shares: orders_by_mean(v, n, shares).clip(0),
        "(rounded to one digit)": lambda v, n, shares: orders_by_mean(v, n, shares).round(1),
    },
    "04.3": {
        "sign thrown away": lambda v, n: np.abs(coalitions_by_comb(v, n)),
        "negative shares set to 0": lambda v, n: np.maximum(coalitions_by_comb(v, n), 0),
        "(rounded to one digit)": lambda v, n: np.round(coalitions_by_comb(v, n), 1),
    },
    "04.4": {
        "players as columns": lambda c: estimates_by_scipy(c).T,
        "divided by n": lambda c: np.column_stack(
            [c.mean(axis=1), c.std(axis=1) / np.sqrt(c.shape[1])]
        ),
        "sign thrown away": lambda c: abs(estimates_by_scipy(c)),
        "negative estimates set to 0": lambda c: estimates_by_scipy(c).clip(0),
    },
    "04.5": {
        "background overwritten": worths_in_place,
        "sign thrown away": lambda *given: np.abs(worths_by_where(*given)),
        "(rounded to one digit)": lambda *given: np.round(worths_by_where(*given), 1),
    },
    "04.6": {
        "sign thrown away": lambda *given: abs(conditional_by_loop(*given)),
        "(rounded to one digit)": lambda *given: round(conditional_by_loop(*given), 1),
    },
    "04.7": {
        "(a text: the answer says to write each letter by itself)": "df",
        "(a wrong text)": "abcf",
        "(one letter is missing)": {"d"},
    },
}
