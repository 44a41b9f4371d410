"""Answers to the exercises of lesson 06, right in several styles and wrong in known ways."""

from itertools import permutations

import numpy as np
import pandas as pd
from scipy import stats

# 06.1


def path_by_loop(n_features, asked, impurities):
    credit = [0.0] * n_features
    for variable, before, after in zip(asked, impurities, impurities[1:], strict=False):
        credit[variable] += before - after
    return credit


def path_by_bincount(n_features, asked, impurities):
    return np.bincount(asked, weights=-np.diff(impurities), minlength=n_features)


def path_by_groups(n_features, asked, impurities):
    drops = pd.Series(-np.diff(impurities)).groupby(np.asarray(asked)).sum()
    return drops.reindex(range(n_features), fill_value=0.0)


def path_without_the_leaf(n_features, asked, impurities):
    credit = np.zeros(n_features)
    for k, variable in enumerate(asked):
        after = impurities[k + 1] if k + 1 < len(asked) else 0
        credit[variable] += impurities[k] - after
    return credit


# 06.2


def row_by_walking(tree, x):
    nodes, t, credit = tree.tree_, 0, [0.0] * len(x)
    while nodes.children_left[t] >= 0:
        m = nodes.feature[t]
        side = nodes.children_left if x[m] <= nodes.threshold[t] else nodes.children_right
        credit[m] += nodes.impurity[t] - nodes.impurity[side[t]]
        t = side[t]
    return credit


def row_by_decision_path(tree, x):
    passed = tree.decision_path(np.array([x])).indices
    drops = -np.diff(tree.tree_.impurity[passed])
    return np.bincount(tree.tree_.feature[passed[:-1]], drops, minlength=len(x))


def row_by_recursion(tree, x, t=0):
    nodes = tree.tree_
    if nodes.children_left[t] == nodes.children_right[t]:
        return np.zeros(tree.n_features_in_)
    m = nodes.feature[t]
    child = nodes.children_left[t] if x[m] <= nodes.threshold[t] else nodes.children_right[t]
    credit = row_by_recursion(tree, x, child)
    credit[m] += nodes.impurity[t] - nodes.impurity[child]
    return credit


def row_up_to_four(tree, x):
    passed = tree.decision_path(np.array([x])).indices[:5]
    drops = -np.diff(tree.tree_.impurity[passed])
    return np.bincount(tree.tree_.feature[passed[:-1]], drops, minlength=len(x))


# 06.3


def forest_by_mean(forest, X, one_tree):
    return np.mean([[one_tree(tree, x) for x in X] for tree in forest.estimators_], axis=0)


def forest_by_loops(forest, X, one_tree):
    rows = []
    for x in X:
        total = 0
        for tree in forest:
            total = total + np.asarray(one_tree(tree, x)) / len(forest)
        rows.append(total.tolist())
    return rows


def forest_by_frame(forest, X, one_tree):
    tables = [pd.DataFrame([one_tree(tree, x) for x in X]) for tree in forest.estimators_]
    return sum(tables) / len(tables)


# 06.4


def global_by_repeats(local, counts):
    per_tree = [
        np.repeat(values, counts[:, t], axis=0).mean(axis=0) for t, values in enumerate(local)
    ]
    return np.mean(per_tree, axis=0)


def global_by_einsum(local, counts):
    return np.einsum("tim,it->m", local, counts / counts.sum(axis=0)) / len(local)


def global_by_loops(local, counts):
    total = np.zeros(local.shape[2])
    for t in range(len(local)):
        for i in range(local.shape[1]):
            total += counts[i, t] * local[t, i] / counts[:, t].sum()
    return list(total / len(local))


# 06.5


def exact_by_orders(distribution, x):
    rows = []
    for order in permutations(range(3)):
        left = [distribution.entropy_at(x, list(order[:k])) for k in range(4)]
        rows.append(dict(zip(order, -np.diff(left), strict=True)))
    return pd.DataFrame(rows)[[0, 1, 2]].mean()


def exact_by_weights(distribution, x):
    def left(*S):
        return distribution.entropy_at(x, list(S))

    found = []
    for m in range(3):
        a, b = (j for j in range(3) if j != m)
        alone = left() - left(m)
        second = (left(a) - left(a, m) + left(b) - left(b, m)) / 2
        found.append((alone + second + left(a, b) - left(a, b, m)) / 3)
    return np.array(found)


def exact_by_recursion(distribution, x, known=()):
    rest = [m for m in range(3) if m not in known]
    credit = np.zeros(3)
    for m in rest:
        gain = distribution.entropy_at(x, list(known)) - distribution.entropy_at(x, [*known, m])
        credit += exact_by_recursion(distribution, x, (*known, m)) / len(rest)
        credit[m] += gain / len(rest)
    return credit


def exact_with_steps(distribution, x, change):
    """What becomes of the mean over orders if every step is changed."""
    credit = np.zeros(3)
    for order in permutations(range(3)):
        for k, m in enumerate(order):
            before = distribution.entropy_at(x, list(order[:k]))
            credit[m] += change(before - distribution.entropy_at(x, list(order[: k + 1]))) / 6
    return credit


# 06.6


def agreement_by_scipy(first, second):
    return [stats.pearsonr(a, b).statistic for a, b in zip(abs(first), abs(second), strict=True)]


def agreement_by_pandas(first, second):
    return pd.DataFrame(abs(first)).corrwith(pd.DataFrame(abs(second)), axis=1)


def agreement_by_formula(first, second):
    a, b = (np.abs(v) - np.abs(v).mean(axis=1, keepdims=True) for v in (first, second))
    return (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)


RIGHT = {
    "06.1": [path_by_loop, path_by_bincount, path_by_groups],
    "06.2": [row_by_walking, row_by_decision_path, row_by_recursion],
    "06.3": [forest_by_mean, forest_by_loops, forest_by_frame],
    "06.4": [global_by_repeats, global_by_einsum, global_by_loops],
    "06.5": [exact_by_orders, exact_by_weights, exact_by_recursion],
    "06.6": [agreement_by_scipy, agreement_by_pandas, agreement_by_formula],
    "06.7": [{"b", "c", "d"}, ["d", "c", "b"], frozenset("bcd")],
}

WRONG = {
    "06.1": {
        "sign thrown away": lambda *given: np.abs(path_by_loop(*given)),
        "negative importances set to 0": lambda *given: np.clip(path_by_loop(*given), 0, None),
        "(rounded to one digit)": lambda *given: np.round(path_by_loop(*given), 1),
        "(four features)": lambda n, asked, i: path_by_loop(max(n, 4), asked, i)[:4],
        "only as far as the last variable asked": lambda n, asked, i: np.bincount(
            asked, weights=-np.diff(i)
        ),
        "(five questions)": lambda n, asked, i: path_by_loop(n, asked[:5], i[:6]),
        "one node too early": lambda n, asked, i: np.bincount(
            asked, [i[k - 1] - i[k] for k in range(len(asked))], minlength=n
        ),
        "what was there instead of what was removed": lambda n, asked, i: np.bincount(
            asked, i[:-1], minlength=n
        ),
        "sizes of the steps": lambda n, asked, i: np.bincount(
            asked, np.abs(np.diff(i)), minlength=n
        ),
        "the leaf taken for pure": path_without_the_leaf,
        "down to the leaf": lambda n, asked, i: np.bincount(
            asked, np.subtract(i, i[-1])[:-1], minlength=n
        ),
    },
    "06.2": {
        "sign thrown away": lambda tree, x: np.abs(row_by_walking(tree, x)),
        "negative importances set to 0": lambda tree, x: np.maximum(row_by_walking(tree, x), 0),
        "(rounded to one digit)": lambda tree, x: np.round(row_by_walking(tree, x), 1),
        "the wrong way on a threshold": lambda tree, x: row_by_walking(
            tree, np.asarray(x) + 1e-6 * np.isin(x, tree.tree_.threshold)
        ),
        "(four questions of a path)": row_up_to_four,
        "(as long as the largest feature that is asked)": lambda tree, x: row_by_walking(tree, x)[
            : tree.tree_.feature.max() + 1
        ],
        "(five features)": lambda tree, x: [*row_by_walking(tree, x), 0.0, 0.0][:5],
        "(nothing for a single leaf)": lambda tree, x: (
            row_by_walking(tree, x) if tree.tree_.node_count > 1 else None
        ),
        "feature_importances_": lambda tree, x: tree.feature_importances_,
        "sign turned round": lambda tree, x: -np.asarray(row_by_walking(tree, x)),
    },
    "06.3": {
        "sign thrown away": lambda *given: abs(forest_by_mean(*given)),
        "negative importances set to 0": lambda *given: forest_by_mean(*given).clip(0),
        "trees added up": lambda forest, X, one_tree: sum(
            np.array([one_tree(tree, x) for x in X]) for tree in forest
        ),
        "(divided by six)": lambda forest, X, one_tree: (
            forest_by_mean(forest, X, one_tree) * len(forest) / 6
        ),
        "(ten trees)": lambda forest, X, one_tree: np.mean(
            [[one_tree(tree, x) for x in X] for tree in forest.estimators_[:10]], axis=0
        ),
        "(eight rows)": lambda forest, X, one_tree: forest_by_mean(forest, X[:8], one_tree),
    },
    "06.4": {
        "negative importances set to 0": lambda local, counts: global_by_einsum(
            local.clip(0), counts
        ),
        "every row once": lambda local, counts: local.mean(axis=1).mean(axis=0),
        "divided by the number of rows": lambda local, counts: np.mean(
            [(local[t] * counts[:, [t]]).sum(0) / len(counts) for t in range(len(local))], axis=0
        ),
        "(divided by 300)": lambda local, counts: np.einsum("tim,it->m", local, counts) / 300,
        "(rounded to one digit)": lambda local, counts: global_by_einsum(local, counts).round(1),
    },
    "06.5": {
        "sign thrown away": lambda *given: abs(exact_by_weights(*given)),
        "negative importances set to 0": lambda *given: exact_by_weights(*given).clip(0),
        "(rounded to one digit)": lambda *given: exact_by_weights(*given).round(1),
        "negative drops thrown away": lambda *given: exact_with_steps(*given, lambda d: max(d, 0)),
        "sizes of the steps": lambda *given: exact_with_steps(*given, abs),
    },
    "06.6": {
        "sign thrown away": lambda *given: np.abs(agreement_by_scipy(*given)),
        "negative correlations set to 0": lambda *given: np.maximum(agreement_by_scipy(*given), 0),
        "signs kept": lambda first, second: [
            np.corrcoef(first[i], second[i])[0, 1] for i in range(len(first))
        ],
        "size of the correlation": lambda first, second: [
            abs(np.corrcoef(first[i], second[i])[0, 1]) for i in range(len(first))
        ],
        "(four rows)": lambda first, second: agreement_by_scipy(first[:4], second[:4]),
        "squared": lambda first, second: np.square(agreement_by_scipy(first, second)),
        "rank correlation": lambda first, second: [
            stats.spearmanr(abs(first[i]), abs(second[i])).statistic for i in range(len(first))
        ],
    },
    "06.7": {
        "only the predictions": {"c", "d"},
        "(a text: the answer says to write each letter by itself)": "bcd",
        "the global one as well": {"a", "b", "c", "d"},
        "the asymptotic one as well": {"b", "c", "d", "e"},
        "Saabas left out": {"b", "d"},
    },
}
