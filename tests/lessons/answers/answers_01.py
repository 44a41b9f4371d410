"""Answers to the exercises of lesson 01: right ones in several styles, wrong ones by name."""

from collections import Counter
from itertools import pairwise
from math import log2

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.tree import DecisionTreeClassifier

from course_lib.models import impurity_decrease

# 01.1


def entropy_loop(counts):
    total = sum(counts)
    return sum(-n / total * log2(n / total) for n in counts if n)


def entropy_nearly(counts):
    """The logarithm is kept from 0 by a small number."""
    p = np.array(counts) / sum(counts)
    return float(-np.sum(p * np.log2(p + 1e-9)))


def entropy_clipped(counts):
    p = np.clip(np.array(counts) / sum(counts), 1e-9, 1)
    return -np.sum(p * np.log2(p))


def entropy_plain(counts):
    """Of counts of which none is 0."""
    p = np.array(counts) / sum(counts)
    return -np.sum(p * np.log2(p))


def entropy_less_a_zero(counts):
    """At most one class is absent."""
    left = list(counts)
    if 0 in left:
        left.remove(0)
    return entropy_plain(left)


def entropy_counts(counts):
    """Of the labels themselves."""
    labels = [k for k, n in enumerate(counts) for _ in range(n)]
    shares = pd.Series(labels).value_counts(normalize=True)
    return -(shares * np.log2(shares)).sum()


# 01.2


def gini(counts):
    p = np.array(counts) / np.sum(counts)
    return 1 - np.sum(p**2)


def decrease_loop(left, right):
    parent = [a + b for a, b in zip(left, right, strict=True)]
    n = sum(parent)
    return gini(parent) - sum(sum(child) / n * gini(child) for child in (left, right))


def decrease_of_labels(left, right):
    labels = np.repeat([*range(len(left))] * 2, [*left, *right])
    return impurity_decrease(labels, np.arange(len(labels)) < sum(left), "gini")


def decrease_by_variance(left, right):
    """Gini is the sum of the classes' variances, and a decrease the variance between children."""
    sizes = np.array([sum(left), sum(right)])
    shares = np.array([left, right]) / sizes[:, np.newaxis]
    apart = (shares - np.average(shares, axis=0, weights=sizes)) ** 2
    return np.average(apart.sum(axis=1), weights=sizes)


def gini_of_two(counts):
    p = counts[0] / sum(counts)
    return 2 * p * (1 - p)


# 01.3


def threshold_loop(x, y):
    best, found = -1.0, None
    for low, high in pairwise(sorted(x)):
        middle = (low + high) / 2
        removed = impurity_decrease(y, x <= middle)
        if removed > best:
            best, found = removed, middle
    return found


def threshold_stump(x, y):
    stump = DecisionTreeClassifier(criterion="entropy", max_depth=1, random_state=0)
    cut = stump.fit(x[:, np.newaxis], y).tree_.threshold[0]
    return (x[x <= cut].max() + x[x > cut].min()) / 2


def threshold_by_counts(x, y):
    order = np.argsort(x)
    x, y = x[order], y[order]
    ks = range(1, len(x))
    remaining = [
        sum(
            len(part) * entropy_loop(list(Counter(part.tolist()).values()))
            for part in (y[:k], y[k:])
        )
        for k in ks
    ]
    k = ks[int(np.argmin(remaining))]
    return np.float64((x[k - 1] + x[k]) / 2)


def threshold_by_gini(x, y):
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    cut = stump.fit(x[:, np.newaxis], y).tree_.threshold[0]
    return (x[x <= cut].max() + x[x > cut].min()) / 2


def threshold_among(x, y, which):
    """The best of some of the cuts."""
    cuts = [(low + high) / 2 for low, high in pairwise(sorted(x))][which]
    return max(cuts, key=lambda cut: impurity_decrease(y, x <= cut))


def threshold_inside(x, y):
    cuts = [(low + high) / 2 for low, high in pairwise(sorted(x)[1:-1])]
    return max(cuts, key=lambda cut: impurity_decrease(y, x <= cut))


# 01.4


def tree_distinct(tree):
    t = tree.tree_
    n, result = t.n_node_samples, np.zeros(tree.n_features_in_)
    for node in np.flatnonzero(t.children_left != -1):
        children = t.children_left[node], t.children_right[node]
        drop = n[node] * t.impurity[node] - sum(n[c] * t.impurity[c] for c in children)
        result[t.feature[node]] += drop / n[0]
    return result


def tree_with_leaves(tree):
    t = tree.tree_
    n, result = t.weighted_n_node_samples, np.zeros(tree.n_features_in_)
    for node in range(t.node_count):
        children = t.children_left[node], t.children_right[node]
        drop = n[node] * t.impurity[node] - sum(n[c] * t.impurity[c] for c in children)
        result[t.feature[node]] += drop / n[0]
    return result


def tree_loop(tree):
    t = tree.tree_
    result = [0.0] * tree.n_features_in_
    for node in range(t.node_count):
        left, right = t.children_left[node], t.children_right[node]
        if left == -1:
            continue
        n = t.weighted_n_node_samples
        drop = t.impurity[node] - sum(n[c] / n[node] * t.impurity[c] for c in (left, right))
        result[t.feature[node]] += n[node] / n[0] * drop
    return result


def tree_sklearn(tree):
    return tree.tree_.compute_feature_importances(normalize=False)


def tree_pandas(tree):
    t = tree.tree_
    nodes = pd.DataFrame(
        {
            "feature": t.feature,
            "mixed": t.weighted_n_node_samples * t.impurity / t.weighted_n_node_samples[0],
        }
    )
    split = t.children_left != -1
    children = sum(nodes["mixed"].to_numpy()[c[split]] for c in (t.children_left, t.children_right))
    drops = (nodes["mixed"][split] - children).groupby(nodes["feature"][split]).sum()
    return drops.reindex(range(tree.n_features_in_), fill_value=0.0)


# 01.5


def forest_frame(forest):
    return pd.DataFrame([tree_sklearn(tree) for tree in forest.estimators_]).mean()


def forest_loop(forest):
    total = np.zeros(forest.n_features_in_)
    for tree in forest.estimators_:
        total += tree_loop(tree)
    return total / len(forest.estimators_)


# 01.6


def share_of_leaves(forest, imp):
    """What is left at the leaves, and the rest of the roots is gone."""
    roots, left = [], []
    for tree in (one.tree_ for one in forest.estimators_):
        leaf = tree.children_left == -1
        shares = tree.weighted_n_node_samples[leaf] / tree.weighted_n_node_samples[0]
        roots.append(tree.impurity[0])
        left.append(shares @ tree.impurity[leaf])
    return 1 - sum(left) / sum(roots)


RIGHT = {
    "01.1": [
        entropy_loop,
        entropy_counts,
        entropy_nearly,
        entropy_clipped,
        lambda counts: stats.entropy(counts, base=2),
    ],
    "01.2": [decrease_loop, decrease_of_labels, decrease_by_variance],
    "01.3": [threshold_loop, threshold_stump, threshold_by_counts],
    "01.4": [tree_loop, tree_sklearn, tree_pandas],
    "01.5": [
        forest_frame,
        forest_loop,
        lambda forest: np.mean([tree_sklearn(t) for t in forest.estimators_], axis=0).tolist(),
    ],
    "01.6": [
        share_of_leaves,
        lambda forest, imp: sum(imp) / np.mean([t.tree_.impurity[0] for t in forest.estimators_]),
        lambda forest, imp: (
            pd.Series(imp).sum() / pd.Series([t.tree_.impurity[0] for t in forest]).mean()
        ),
    ],
    "01.7": [{"a", "b", "c", "f"}, list("fcba"), ("a", "b", "c", "f")],
}

WRONG = {
    "01.1": {
        "natural logarithm": lambda counts: stats.entropy(counts),
        "no minus sign": lambda counts: -entropy_loop(counts),
        "Gini": gini,
        "the first class against the rest": lambda counts: stats.entropy(
            [counts[0], sum(counts[1:])], base=2
        ),
        "logarithm to base 10": lambda counts: stats.entropy(counts, base=10),
        "(of the first two classes)": lambda counts: stats.entropy(counts[:2], base=2),
        "(never more than a bit)": lambda counts: min(1, entropy_loop(counts)),
        "(in units of the most there can be)": lambda counts: (
            entropy_loop(counts) / max(1, log2(len(counts)))
        ),
        "(rounded to one digit)": lambda counts: round(entropy_loop(counts), 1),
        "(the first absent class left out)": entropy_less_a_zero,
        "the smallest class left out": lambda counts: (
            -sum(p * np.log2(p) for p in np.sort(counts)[1:] / sum(counts))
        ),
        "classes with one sample left out": lambda counts: (
            -sum(n / sum(counts) * log2(n / sum(counts)) for n in counts if n > 1)
        ),
        "(classes of one left out, their samples too)": lambda counts: entropy_plain(
            [n for n in counts if n > 1]
        ),
        "(classes with up to two samples left out)": lambda counts: (
            -sum(n / sum(counts) * log2(n / sum(counts)) for n in counts if n > 2)
        ),
        "(nan for one class only)": lambda counts: (
            entropy_loop(counts) if np.count_nonzero(counts) > 1 else float("nan")
        ),
    },
    "01.2": {
        "children weighted equally": lambda left, right: (
            gini(np.add(left, right)) - (gini(left) + gini(right)) / 2
        ),
        "entropy": lambda left, right: (
            entropy_loop(np.add(left, right))
            - np.average([entropy_loop(left), entropy_loop(right)], weights=[sum(left), sum(right)])
        ),
        "two classes only": lambda left, right: (
            gini_of_two(np.add(left, right))
            - np.average([gini_of_two(left), gini_of_two(right)], weights=[sum(left), sum(right)])
        ),
        "a relative decrease": lambda left, right: (
            decrease_loop(left, right) / gini(np.add(left, right))
        ),
        "children side by side": lambda left, right: (
            gini([*left, *right])
            - np.average([gini(left), gini(right)], weights=[sum(left), sum(right)])
        ),
        "(the first three classes)": lambda left, right: decrease_loop(left[:3], right[:3]),
        "(three classes or more)": lambda left, right: (
            decrease_loop(left, right) if len(left) > 2 else 0.0
        ),
        "(not divided by the number of samples)": lambda left, right: (
            decrease_loop(left, right) * (sum(left) + sum(right))
        ),
    },
    "01.3": {
        "(rounded to one digit)": lambda x, y: round(threshold_loop(x, y), 1),
        "(the middle of all values)": lambda x, y: np.median(x),
        "Gini instead of entropy": threshold_by_gini,
        "cuts at the ends left out": threshold_inside,
        "the first cut left out": lambda x, y: threshold_among(x, y, slice(1, None)),
        "the last cut left out": lambda x, y: threshold_among(x, y, slice(-1)),
        "(the first ten cuts)": lambda x, y: threshold_among(x, y, slice(10)),
        "y left behind": lambda x, y: threshold_loop(np.sort(x), y),
        "the decrease": lambda x, y: max(impurity_decrease(y, x <= t) for t in x),
        "cut down to a whole number": lambda x, y: threshold_loop(x, y) // 1,
        "a value instead of a midpoint": lambda x, y: x[x <= threshold_loop(x, y)].max(),
    },
    "01.4": {
        "normalised": lambda tree: tree.feature_importances_,
        "repeats not counted": tree_distinct,
        "leaves taken for splits": tree_with_leaves,
        "features without a split left out": lambda tree: [v for v in tree_loop(tree) if v],
        "(five features, always)": lambda tree: tree_loop(tree)[:5],
        "(cut off after the last feature asked)": lambda tree: tree_loop(tree)[
            : tree.tree_.feature.max() + 1
        ],
        "the number of splits": lambda tree: np.bincount(
            tree.tree_.feature[tree.tree_.feature >= 0], minlength=tree.n_features_in_
        ),
    },
    "01.5": {
        "feature_importances_": lambda forest: forest.feature_importances_,
        "divided by the total": lambda forest: forest_loop(forest) / forest_loop(forest).sum(),
        "the median": lambda forest: np.median(
            [tree_sklearn(tree) for tree in forest.estimators_], axis=0
        ),
        "(divided by 4, however many trees)": lambda forest: (
            sum(tree_sklearn(tree) for tree in forest.estimators_) / 4
        ),
        "(the number of trees written in)": lambda forest: (
            sum(tree_sklearn(tree) for tree in forest.estimators_) / 8
        ),
        "(the first ten trees)": lambda forest: np.mean(
            [tree_sklearn(tree) for tree in forest.estimators_[:10]], axis=0
        ),
        "each tree normalised": lambda forest: np.mean(
            [tree.feature_importances_ for tree in forest.estimators_], axis=0
        ),
        "divided by one less": lambda forest: (
            sum(map(tree_sklearn, forest.estimators_)) / (len(forest) - 1)
        ),
        "trees without a split left out": lambda forest: np.mean(
            [tree_sklearn(t) for t in forest.estimators_ if t.tree_.node_count > 1], axis=0
        ),
    },
    "01.6": {
        "normalised importances": lambda forest, imp: 1.0,
        "not divided by the root": lambda forest, imp: np.sum(imp),
        "one root": lambda forest, imp: np.sum(imp) / forest.estimators_[0].tree_.impurity[0],
        "mean over the features": lambda forest, imp: (
            np.mean(imp) / np.mean([tree.tree_.impurity[0] for tree in forest.estimators_])
        ),
        "roots added up": lambda forest, imp: (
            sum(imp) / sum(tree.tree_.impurity[0] for tree in forest.estimators_)
        ),
        "(the first ten roots)": lambda forest, imp: (
            sum(imp) / np.mean([tree.tree_.impurity[0] for tree in forest.estimators_[:10]])
        ),
        "what is left": lambda forest, imp: 1 - share_of_leaves(forest, imp),
        "per cent": lambda forest, imp: 100 * share_of_leaves(forest, imp),
        "the mean of the trees' shares": lambda forest, imp: np.mean(
            [sum(tree_sklearn(t)) / t.tree_.impurity[0] for t in forest.estimators_]
        ),
    },
    "01.7": {
        "only linear ones": {"a"},
        "rounding included": set("abcdf"),
        "the distance included": set("abcef"),
        "the rank left out": set("abc"),
        "the square left out": set("abf"),
        "the logarithm left out": set("acf"),
        "the factor left out": ["b", "c", "f"],
        "the square and the rank left out": {"a", "b"},
        "the other way round": {"d", "e"},
        "(the example of the task)": {"c", "d"},
    },
}
