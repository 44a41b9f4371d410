"""Answers to the exercises of lesson 05, right in several styles and wrong in known ways."""

from itertools import combinations, permutations
from math import comb, factorial

import numpy as np
import pandas as pd
from scipy import stats

# 05.1


def entropy_left(X, y, S):
    """H(Y | X_S) in bits by scipy, for equally likely rows."""
    groups = np.unique(X[:, list(S)], axis=0, return_inverse=True)[1] if len(S) else 0 * y
    counts = np.zeros((groups.max() + 1, y.max() + 1))
    np.add.at(counts, (groups, y), 1)
    return counts.sum(axis=1) @ stats.entropy(counts, axis=1, base=2) / len(y)


def information_by_entropy(X, y, m, S):
    return entropy_left(X, y, S) - entropy_left(X, y, [*S, m])


def joint_entropy(*columns):
    codes = sum(10**k * np.asarray(column) for k, column in enumerate(columns))
    counts = np.unique(codes, return_counts=True)[1]
    p = counts / counts.sum()
    return -(p * np.log2(p)).sum()


def information_by_joint_entropies(X, y, m, S):
    known = [X[:, j] for j in S]
    asked, target = X[:, m], y
    with_target = joint_entropy(*known, target) - joint_entropy(*known, asked, target)
    return np.float64(joint_entropy(*known, asked) - joint_entropy(*known) + with_target)


def information_by_logarithms(X, y, m, S):
    total = 0.0
    for row, target in zip(X, y, strict=True):
        before = (X[:, S] == row[S]).all(axis=1)
        after = before & (X[:, m] == row[m])
        total += np.log2((y[after] == target).mean() / (y[before] == target).mean())
    return total / len(y)


# 05.2


def degree_by_sum(X, y, m, k, information):
    others = [j for j in range(X.shape[1]) if j != m]
    total = sum(information(X, y, m, list(B)) for B in combinations(others, k))
    return total / comb(X.shape[1], k) / (X.shape[1] - k)


def degree_by_factorials(X, y, m, k, information):
    p = X.shape[1]
    contexts = combinations(set(range(p)) - {m}, k)
    weight = factorial(k) * factorial(p - k - 1) / factorial(p)
    return np.sum([weight * information(X, y, m, B) for B in contexts])


def degree_by_mean(X, y, m, k, information):
    others = np.delete(np.arange(X.shape[1]), m).tolist()
    return np.mean([information(X, y, m, B) for B in combinations(others, k)]) / X.shape[1]


# 05.3


def theorem_by_array(X, y, part):
    p = X.shape[1]
    return np.array([[part(X, y, m, k) for k in range(p)] for m in range(p)]).sum(axis=1)


def theorem_by_loop(X, y, part):
    values = []
    for m in range(X.shape[1]):
        value = 0.0
        for k in range(X.shape[1]):
            value += part(X, y, m, k)
        values.append(value)
    return values


def theorem_by_orders(X, y, part):
    p = X.shape[1]
    credit = pd.Series(0.0, index=range(p))
    sets = (S for k in range(p + 1) for S in combinations(range(p), k))
    left = {frozenset(S): entropy_left(X, y, S) for S in sets}
    for order in permutations(range(p)):
        credit[list(order)] += -np.diff([left[frozenset(order[:k])] for k in range(p + 1)])
    return credit / factorial(p)


def theorem_by_frame(X, y, part):
    p = X.shape[1]
    return pd.DataFrame({m: [part(X, y, m, k) for k in range(p)] for m in range(p)}).sum()


# 05.4


def chance_by_comb(decreases, m, K):
    return comb(sum(d < decreases[m] for d in decreases), K - 1) / comb(len(decreases), K)


def chance_by_listing(decreases, m, K):
    draws = list(combinations(range(len(decreases)), K))
    return sum(max(draw, key=lambda j: decreases[j]) == m for draw in draws) / len(draws)


def chance_by_scipy(decreases, m, K):
    worse, r = sum(np.array(decreases) < decreases[m]), len(decreases)
    return stats.hypergeom(r, worse + 1, K).pmf(K) - stats.hypergeom(r, worse, K).pmf(K)


# 05.5


def greedy_by_recursion(X, y, information):
    gains = np.array([information(X, y, m, []) for m in range(X.shape[1])])
    credit = np.zeros(X.shape[1])
    if gains.max() > 1e-9:
        best = gains.argmax()
        credit[best] = gains[best]
        for value in set(X[:, best].tolist()):
            rows = X[:, best] == value
            credit = credit + rows.mean() * greedy_by_recursion(X[rows], y[rows], information)
    return credit


def greedy_by_queue(X, y, information):
    credit, waiting = [0.0] * X.shape[1], [np.arange(len(y))]
    while waiting:
        rows = waiting.pop()
        gains = [information(X[rows], y[rows], m, []) for m in range(X.shape[1])]
        best = max(range(X.shape[1]), key=gains.__getitem__)
        if gains[best] < 1e-9:
            continue
        credit[best] += len(rows) / len(y) * gains[best]
        waiting += [rows[X[rows, best] == value] for value in np.unique(X[rows, best])]
    return credit


def greedy_by_groups(X, y, information):
    rows = pd.DataFrame(X)
    gains = rows.apply(lambda column: alone(column, y))
    credit = pd.Series(0.0, index=rows.columns)
    if gains.max() > 1e-9:
        credit[gains.idxmax()] += gains.max()
        for group in rows.groupby(gains.idxmax()).groups.values():
            below = greedy_by_groups(X[group], y[group], information)
            credit = credit + len(group) / len(X) * below
    return credit


def gains_at(X, y, information, known={}):  # noqa: B006
    """What each variable removes at a node; the trees below share most of their nodes."""
    node = X.shape, X.tobytes(), y.tobytes()
    if node not in known:
        known[node] = np.array([information(X, y, m, []) for m in range(X.shape[1])])
    return known[node]


def greedy_but(*, most=9, children=np.unique, least=1, score=None, goes_on=False, small=1e-9):
    """The tree of 05.5 with another limit, other children, another choice or no end."""

    def importances(X, y, information, most=most):
        gains = gains_at(X, y, information)
        credit = np.zeros(X.shape[1])
        done = gains.max() < small and not (goes_on and len({*y}) > 1)
        if done or most == 0 or len(y) < least:
            return credit
        scores = (
            gains if score is None else np.array([score(X[:, m], y) for m in range(len(gains))])
        )
        if gains.max() < 1e-9:  # the first that is not constant
            scores = np.ptp(X, axis=0) > 0
        best = scores.argmax()
        credit[best] = gains[best]
        for rows in {value: np.isin(X[:, best], value) for value in children(X[:, best])}.values():
            if rows.any():
                credit += rows.mean() * importances(X[rows], y[rows], information, most - 1)
        return credit

    return importances


def gain_ratio(column, y):
    split = joint_entropy(column)
    return alone(column, y) / split if split > 1e-9 else 0.0


def gini_decrease(column, y):
    def gini(rows):
        return 1 - ((np.unique(rows, return_counts=True)[1] / len(rows)) ** 2).sum()

    children = [y[column == value] for value in np.unique(column)]
    return gini(y) - sum(len(child) / len(y) * gini(child) for child in children)


# 05.6


def irrelevant_up_to(size):
    """Who adds nothing beside at most so many others."""
    return lambda X, y, importance: {
        m
        for m in range(X.shape[1])
        if all(
            information_by_joint(X, y, m, list(B)) < 1e-9
            for k in range(size + 1)
            for B in combinations([j for j in range(X.shape[1]) if j != m], k)
        )
    }


def irrelevant_by_importance(X, y, importance):
    return set(np.flatnonzero(importance(X, y) < 1e-9))


def irrelevant_as_list(X, y, importance):
    return [m for m, value in enumerate(importance(X, y)) if abs(value) < 1e-8]


def irrelevant_as_array(X, y, importance):
    return np.flatnonzero(importance(X, y) < 1e-9)[::-1]


def irrelevant_by_contexts(X, y, importance):
    p, found = X.shape[1], set()
    for m in range(p):
        others = [j for j in range(p) if j != m]
        contexts = (B for k in range(p) for B in combinations(others, k))
        if all(abs(information_by_joint(X, y, m, list(B))) < 1e-9 for B in contexts):
            found.add(m)
    return found


def information_by_joint(X, y, m, S):
    return information_by_joint_entropies(X, y, m, S) if S else alone(X[:, m], y)


def alone(column, y):
    return joint_entropy(column) + joint_entropy(y) - joint_entropy(column, y)


RIGHT = {
    "05.1": [
        information_by_entropy,
        information_by_joint_entropies,
        information_by_logarithms,
    ],
    "05.2": [degree_by_sum, degree_by_factorials, degree_by_mean],
    "05.3": [theorem_by_array, theorem_by_loop, theorem_by_frame],
    "05.4": [chance_by_comb, chance_by_listing, chance_by_scipy],
    "05.5": [greedy_by_recursion, greedy_by_queue, greedy_by_groups],
    "05.6": [
        irrelevant_by_importance,
        irrelevant_as_list,
        irrelevant_as_array,
        irrelevant_by_contexts,
    ],
    "05.7": [{"a", "b", "e"}, ["e", "a", "b"], ("a", "b", "e")],
}

WRONG = {
    "05.1": {
        "sign": lambda *given: -information_by_entropy(*given),
        "forgets what was known": lambda X, y, m, S: (
            entropy_left(X, y, S) - entropy_left(X, y, [m])
        ),
        "(natural logarithm)": lambda *given: information_by_entropy(*given) * np.log(2),
        "(rounded to one digit)": lambda *given: round(information_by_entropy(*given), 1),
        "(two of the known variables)": lambda X, y, m, S: information_by_joint(X, y, m, S[:2]),
        "(a third value taken for 1)": lambda X, y, m, S: information_by_joint(X > 0, y, m, S),
        "(a fourth value taken for 2)": lambda X, y, m, S: information_by_joint(
            np.minimum(X, 2), y, m, S
        ),
    },
    "05.2": {
        "one weight for all degrees": lambda X, y, m, k, information: (
            sum(
                information(X, y, m, B)
                for B in combinations([j for j in range(X.shape[1]) if j != m], k)
            )
            / (X.shape[1] * (X.shape[1] - 1))
        ),
        "branch left out": lambda X, y, m, k, information: (
            degree_by_sum(X, y, m, k, information) * comb(X.shape[1], k)
        ),
        "sets of the others": lambda X, y, m, k, information: (
            sum(
                information(X, y, m, B)
                for B in combinations([j for j in range(X.shape[1]) if j != m], k)
            )
            / (comb(X.shape[1] - 1, k) * (X.shape[1] - k))
        ),
        "permutations": lambda X, y, m, k, information: (
            sum(
                information(X, y, m, B)
                for B in permutations([j for j in range(X.shape[1]) if j != m], k)
            )
            / (comb(X.shape[1], k) * (X.shape[1] - k))
        ),
        "(rounded to one digit)": lambda *given: round(degree_by_sum(*given), 1),
    },
    "05.3": {
        "shares of 1": lambda *given: theorem_by_array(*given) / sum(theorem_by_array(*given)),
        "last degree missing": lambda X, y, part: [
            sum(part(X, y, m, k) for k in range(X.shape[1] - 1)) for m in range(X.shape[1])
        ],
        "degree 0 missing": lambda X, y, part: [
            sum(part(X, y, m, k) for k in range(1, X.shape[1])) for m in range(X.shape[1])
        ],
        "mean over the degrees": lambda X, y, part: [
            np.mean([part(X, y, m, k) for k in range(X.shape[1])]) for m in range(X.shape[1])
        ],
        "by degree": lambda X, y, part: [
            sum(part(X, y, m, k) for m in range(X.shape[1])) for k in range(X.shape[1])
        ],
        "(at most 1)": lambda *given: np.clip(theorem_by_array(*given), 0, 1),
        "(four variables)": lambda *given: theorem_by_array(*given)[:4],
        "(four degrees)": lambda X, y, part: [
            sum(part(X, y, m, k) for k in range(min(4, X.shape[1]))) for m in range(X.shape[1])
        ],
        "(rounded to one digit)": lambda *given: theorem_by_array(*given).round(1),
    },
    "05.4": {
        "only drawn": lambda decreases, m, K: K / len(decreases),
        "nobody better drawn": lambda decreases, m, K: (
            comb(sum(d <= decreases[m] for d in decreases), K) / comb(len(decreases), K)
        ),
        "drawn for sure": lambda decreases, m, K: (
            comb(sum(d < decreases[m] for d in decreases), K - 1) / comb(len(decreases) - 1, K - 1)
        ),
        "the better ones counted": lambda decreases, m, K: (
            comb(sum(d > decreases[m] for d in decreases), K - 1) / comb(len(decreases), K)
        ),
        "best of all": lambda decreases, m, K: float(max(decreases) == decreases[m]),
        "(rounded to one digit)": lambda *given: round(chance_by_comb(*given), 1),
        "(at most three drawn)": lambda decreases, m, K: chance_by_comb(decreases, m, min(K, 3)),
        "(never 0)": lambda decreases, m, K: (
            comb(max(sum(d < decreases[m] for d in decreases), K - 1), K - 1)
            / comb(len(decreases), K)
        ),
        "(at least two drawn)": lambda decreases, m, K: chance_by_comb(decreases, m, max(K, 2)),
    },
    "05.5": {
        "theorem 1": lambda X, y, information: theorem_by_orders(X, y, None),
        "(rounded to one digit)": lambda *given: greedy_by_recursion(*given).round(1),
        "gain ratio": greedy_but(score=gain_ratio),
        "chosen by Gini": greedy_but(score=gini_decrease),
        "goes on where nothing is removed": greedy_but(goes_on=True),
        "small nodes left out": greedy_but(least=3),
        "small gains left out": greedy_but(small=1e-3),
        "(gains of a hundred-thousandth left out)": greedy_but(small=1e-5),
        "(gains of a hundredth left out)": greedy_but(small=0.01),
        "shares of 1": lambda *given: (
            greedy_by_recursion(*given) / greedy_by_recursion(*given).sum()
        ),
        "two children only": greedy_but(children=lambda column: (0, 1)),
        "three children only": greedy_but(children=lambda column: (0, 1, 2)),
        "(four children only)": greedy_but(children=lambda column: (0, 1, 2, 3)),
        "children counted from 0": greedy_but(children=lambda column: range(len({*column}))),
        "(the first value against the rest)": greedy_but(
            children=lambda column: (column.min(), tuple({*column} - {column.min()}))
        ),
        "(two questions on a branch)": greedy_but(most=2),
        "(three questions on a branch)": greedy_but(most=3),
    },
    "05.6": {
        "nothing after the others": lambda X, y, importance: {
            m
            for m in range(X.shape[1])
            if alone(X[:, m], y) < 1e-9
            and information_by_joint(X, y, m, [j for j in range(X.shape[1]) if j != m]) < 1e-9
        },
        "nothing alone": irrelevant_up_to(1),
        "small taken for zero": lambda X, y, importance: set(
            np.flatnonzero(importance(X, y) < 1e-4)
        ),
        "(a hundred-thousandth taken for zero)": lambda X, y, importance: set(
            np.flatnonzero(importance(X, y) < 1e-5)
        ),
        "(larger than a hundredth)": lambda X, y, importance: set(
            np.flatnonzero(importance(X, y) < 0.01)
        ),
        "(larger than a tenth)": lambda X, y, importance: set(
            np.flatnonzero(importance(X, y) < 0.1)
        ),
        "exactly zero": lambda X, y, importance: set(np.flatnonzero(importance(X, y) == 0)),
        "counted from 1": lambda X, y, importance: {
            m for m, value in enumerate(importance(X, y), 1) if value < 1e-9
        },
        "the relevant ones": lambda X, y, importance: set(np.flatnonzero(importance(X, y) > 1e-9)),
    },
    "05.7": {
        "only the axioms": {"a", "b"},
        "(a text: the answer says to write each letter by itself)": "abe",
        "(one wrong letter)": {"a", "b", "f"},
        "further variable harmless": {"a", "b", "e", "f"},
        "the sum left out": {"b", "e"},
        "the irrelevant left out": {"a", "e"},
    },
}
