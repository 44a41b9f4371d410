"""Answers to the exercises of lesson 00, right ones in several styles and wrong ones."""

from itertools import combinations, pairwise, permutations

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

# 00.1


def by_pairs(importances):
    pairs = sorted(((value, name) for name, value in importances.items()), reverse=True)
    return tuple(name for _, name in pairs)


def by_series(importances):
    return pd.Series(importances).sort_values(ascending=False).index


def by_argsort(importances):
    names = np.array(list(importances))
    return names[np.argsort(list(importances.values()))[::-1]]


def as_keys(importances):
    return dict(sorted(importances.items(), key=lambda pair: -pair[1])).keys()


# 00.2


def by_difference(before, after):
    return (after - before).mean()


def by_loop(before, after):
    total = 0.0
    for one, other in zip(before, after, strict=True):
        total += other - one
    return total / len(before)


def by_table(before, after):
    means = pd.DataFrame({"before": before, "after": after}).mean()
    return means["after"] - means["before"]


# 00.4


def by_positions(first, second):
    place = {name: k for k, name in enumerate(second)}
    return sum(place[a] < place[b] for k, a in enumerate(first) for b in first[k + 1 :])


def by_kendall(first, second):
    n = len(first)
    tau = kendalltau(range(n), [second.index(name) for name in first]).statistic
    return round((tau + 1) / 2 * n * (n - 1) / 2)


def by_sets(first, second):
    return len(set(combinations(first, 2)) & set(combinations(second, 2)))


MATCHED = {"a": "Q1", "b": "Q4", "c": "Q3", "d": "Q5", "e": "Q2", "f": "Q6"}

RIGHT = {
    "00.1": [by_pairs, by_series, by_argsort, as_keys],
    "00.2": [by_difference, by_loop, by_table],
    "00.3": [MATCHED, dict(reversed(MATCHED.items())), pd.Series(MATCHED).to_dict()],
    "00.4": [by_positions, by_kendall, by_sets],
    "00.5": [{"b", "d", "e"}, frozenset("bde"), set("edb")],
}

WRONG = {
    "00.1": {
        "smallest first": lambda importances: sorted(importances, key=importances.get),
        "by size without sign": lambda importances: sorted(
            importances, key=lambda name: -abs(importances[name])
        ),
        "cut at 0": lambda importances: sorted(
            importances, key=lambda name: max(importances[name], 0), reverse=True
        ),
        "(cut at 0, equals the other way round)": lambda importances: sorted(
            importances, key=lambda name: max(importances[name], 0)
        )[::-1],
        "(negatives left unsorted, in front)": lambda importances: [
            *(name for name, value in importances.items() if value < 0),
            *sorted((n for n, v in importances.items() if v > 0), key=importances.get)[::-1],
        ],
        "(rounded to two digits)": lambda importances: sorted(
            importances, key=lambda name: round(importances[name], 2), reverse=True
        ),
        "(rounded to one digit, equals the other way round)": lambda importances: sorted(
            importances, key=lambda name: round(importances[name], 1)
        )[::-1],
        "alphabetical, backwards": lambda importances: sorted(importances, reverse=True),
        "negatives dropped": lambda importances: sorted(
            (name for name, value in importances.items() if value >= 0),
            key=lambda name: -importances[name],
        ),
        "(only the first three)": lambda importances: by_pairs(importances)[:3],
        "(only the first six)": lambda importances: by_pairs(importances)[:6],
        "(only the first eight)": lambda importances: by_pairs(importances)[:8],
        "(only the first ten)": lambda importances: by_pairs(importances)[:10],
        "(only the winner)": lambda importances: [max(importances, key=importances.get)],
    },
    "00.2": {
        "sign dropped": lambda before, after: abs(np.mean(after) - np.mean(before)),
        "clipped at 0": lambda before, after: max(0, np.mean(after - before)),
        "before minus after": lambda before, after: np.mean(before - after),
        "sizes of the changes": lambda before, after: (
            np.sign(np.sum(after - before)) * np.mean(np.abs(after - before))
        ),
        "sizes without any sign": lambda before, after: np.mean(np.abs(after - before)),
        "relative increase": lambda before, after: (after.sum() - before.sum()) / before.sum(),
        "(cut at 0 person by person)": lambda before, after: np.mean(np.maximum(after - before, 0)),
        "(rounded to one digit)": lambda before, after: round(float(np.mean(after - before)), 1),
        "the error after, alone": lambda before, after: sum(after) / len(after),
        "the people of both lists together": lambda before, after: (
            np.sum(after - before) / (len(before) + len(after))
        ),
        "divided by one less": lambda before, after: np.sum(after - before) / (len(after) - 1),
        "the people of the lesson": lambda before, after: (sum(after) - sum(before)) / 600,
        "squared again": lambda before, after: np.mean(np.square(after) - np.square(before)),
        "only those whose loss has changed": lambda before, after: (after - before)[
            after != before
        ].mean(),
        "(the median)": lambda before, after: np.median(after) - np.median(before),
    },
    "00.3": {
        "small letters": {letter: key.lower() for letter, key in MATCHED.items()},
        "no dictionary": pd.Series(MATCHED),
        "(a Series with a mistake)": pd.Series(MATCHED | {"a": "Q4", "b": "Q1"}),
        "refitting taken for the model": MATCHED | {"a": "Q4", "b": "Q1"},
        "unique information overlooked for one model": MATCHED | {"a": "Q2", "e": "Q1"},
        "unique information overlooked for all good models": MATCHED | {"d": "Q6", "f": "Q5"},
        "fitting again called a given model": MATCHED | {"b": "Q1"},
        "one person called a given model": MATCHED | {"c": "Q1"},
        "all good models called a given model": MATCHED | {"d": "Q1"},
        "all good models called a given one in f)": MATCHED | {"f": "Q2"},
        "d) and e) exchanged": MATCHED | {"d": "Q2", "e": "Q5"},
        "e) and f) exchanged": MATCHED | {"e": "Q6", "f": "Q2"},
        "a) and d) exchanged": MATCHED | {"a": "Q5", "d": "Q1"},
        "(two of the six)": {"a": "Q1", "b": "Q4"},
    },
    "00.4": {
        "each pair twice": lambda first, second: sum(
            (first.index(a) < first.index(b)) == (second.index(a) < second.index(b))
            for a, b in permutations(first, 2)
        ),
        "same places": lambda first, second: sum(map(str.__eq__, first, second)),
        "neighbours only": lambda first, second: sum(
            (a, b) in set(combinations(second, 2)) for a, b in pairwise(first)
        ),
        "a share": lambda first, second: np.mean(
            [second.index(a) < second.index(b) for a, b in combinations(first, 2)]
        ),
        "all pairs": lambda first, second: len(list(combinations(second, 2))),
        "less those that differ": lambda first, second: sum(
            1 if second.index(a) < second.index(b) else -1 for a, b in combinations(first, 2)
        ),
    },
    "00.5": {
        "a number taken for a question": {"b", "c", "d", "e"},
        "the other way round": {"a", "c"},
        "the class of models left out": {"b", "d"},
        "one person left out": ["b", "e"],
        "the forest left out": {"d", "e"},
        "(of the right size)": {"a", "c", "e"},
    },
}
