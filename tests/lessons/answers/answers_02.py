"""Answers to the exercises of lesson 02: right ones in several styles, wrong ones by their slip."""

import warnings

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeRegressor

from course_lib.measures import in_bag_counts, saabas
from course_lib.models import impurity_decrease

# 02.1


def best_by_a_loop(x, y):
    best, n = 0.0, len(y)
    for threshold in sorted(set(x.tolist()))[:-1]:
        left = [b for a, b in zip(x, y, strict=True) if a <= threshold]
        right = [b for a, b in zip(x, y, strict=True) if a > threshold]
        within = (len(left) * np.var(left) + len(right) * np.var(right)) / n
        best = max(best, np.var(y) - within)
    return best


def best_by_a_stump(x, y):
    stump = DecisionTreeRegressor(max_depth=1).fit(x.reshape(-1, 1), y)
    return np.float64(y.var() - np.mean((y - stump.predict(x.reshape(-1, 1))) ** 2))


def best_by_sums_of_squares(x, y):
    """The decrease of a cut is the variance of the two means, weighted by their sizes."""
    frame = pd.DataFrame({"x": x, "y": y - y.mean()}).sort_values("x")
    sums = frame.groupby("x")["y"].agg(["sum", "size"]).cumsum().iloc[:-1]
    n = sums["size"]
    return ((sums["sum"] ** 2) / (n * (len(y) - n))).max()


def best_with_an_empty_side(x, y):
    """The largest value as a threshold removes nothing, so the best cut is the same."""
    return max(impurity_decrease(y, x <= t, "variance") for t in np.unique(x))


def best_at(thresholds, x, y):
    return max(impurity_decrease(y, x <= t, "variance") for t in thresholds)


# 02.2


def blind_by_units(y, n_children):
    unit = sum((v - sum(y) / len(y)) ** 2 for v in y) / len(y) / (len(y) - 1)
    return unit * (n_children - 1)


def blind_by_the_sample_variance(y, n_children):
    return np.float64((n_children - 1) * np.var(y, ddof=1) / len(y))


def blind_by_pandas(y, n_children):
    return pd.Series(y).var(ddof=0) / (len(y) - 1) * (n_children - 1)


# 02.3


def p_by_a_loop(observed, chance):
    count = 1
    for value in chance:
        if value >= observed:
            count += 1
    return count / (len(chance) + 1)


def p_by_a_mean(observed, chance):
    return np.mean(np.append(chance, observed) >= observed)


def p_by_sorting(observed, chance):
    below = np.searchsorted(np.sort(chance), observed, side="left")
    return 1 - below / (len(chance) + 1)


# 02.4


def gain_by_a_loop(y_in, left_in, y_out, left_out):
    node, total = sum(y_in) / len(y_in), 0.0
    for target, goes_left in zip(y_out, left_out, strict=True):
        same_side = [v for v, left in zip(y_in, left_in, strict=True) if left == goes_left]
        total += (sum(same_side) / len(same_side) - node) * (target - node)
    return total / len(y_out)


def gain_by_groups(y_in, left_in, y_out, left_out):
    means = pd.Series(y_in).groupby(left_in).mean() - y_in.mean()
    return (pd.Series(left_out).map(means) * (y_out - y_in.mean())).mean()


def gain_as_a_difference_of_errors(y_in, left_in, y_out, left_out):
    """2 move (y - node) - move^2 is the fall of the squared error; add the square, and halve."""
    child = np.where(left_out, y_in[left_in].mean(), y_in[~left_in].mean())
    node = y_in.mean()
    fall = (y_out - node) ** 2 - (y_out - child) ** 2
    return np.mean(fall + (child - node) ** 2) / 2


def gain_side_by_side(y_in, left_in, y_out, left_out):
    node, total = y_in.mean(), 0.0
    for inside, outside in ((left_in, left_out), (~left_in, ~left_out)):
        with warnings.catch_warnings(action="ignore"):
            of_side = np.mean(y_out[outside] - node)
        total += outside.mean() * (y_in[inside].mean() - node) * of_side
    return total


def gain_times(sign):
    return lambda *bag: sign(gain_by_a_loop(*bag))


# 02.5


def oob_by_matrix_products(forest, X, y):
    counts = in_bag_counts(forest, X)
    rows = []
    for k, tree in enumerate(forest.estimators_):
        moves, out = saabas(tree, X), counts[:, k] == 0
        rows.append((y - moves.base)[out] @ moves.values[out] / out.sum())
    return np.mean(rows, axis=0).tolist()


def oob_by_walking_the_trees(forest, X, y):
    """The formula of section 2.6, row by row and split by split."""
    counts, total = in_bag_counts(forest, X), np.zeros(X.shape[1])
    for k, estimator in enumerate(forest.estimators_):
        tree, outside = estimator.tree_, np.flatnonzero(counts[:, k] == 0)
        mean, found = tree.value[:, 0, 0], np.zeros(X.shape[1])
        for i in outside:
            t = 0
            while tree.children_left[t] != -1:
                m = tree.feature[t]
                goes_left = np.float32(X[i, m]) <= tree.threshold[t]
                c = tree.children_left[t] if goes_left else tree.children_right[t]
                found[m] += (mean[c] - mean[t]) * (y[i] - mean[0])
                t = c
        total += found / len(outside)
    return total / len(forest.estimators_)


def oob_by_pandas(forest, X, y):
    bags = in_bag_counts(forest, X)
    per_tree = []
    for tree, bag in zip(forest.estimators_, bags.T, strict=True):
        out = bag == 0
        part = saabas(tree, X[out])
        frame = pd.DataFrame(part.values).mul(y[out] - part.base, axis=0)
        per_tree.append(frame.mean())
    return pd.concat(per_tree, axis=1).mean(axis=1)


def oob_with(forest, X, y, rows, trees=None):
    bags = in_bag_counts(forest, X)
    found = []
    for k, tree in enumerate(forest.estimators_[:trees]):
        moves, chosen = saabas(tree, X), rows(bags[:, k])
        found.append((moves.values * (y - moves.base)[:, np.newaxis])[chosen].mean(axis=0))
    return np.mean(found, axis=0)


def oob_not_centred(forest, X, y):
    bags = in_bag_counts(forest, X)
    found = []
    for tree, bag in zip(forest.estimators_, bags.T, strict=True):
        found.append((saabas(tree, X).values * y[:, np.newaxis])[bag == 0].mean(axis=0))
    return np.mean(found, axis=0)


def oob_centred_at_the_mean(forest, X, y):
    bags = in_bag_counts(forest, X)
    found = []
    for tree, bag in zip(forest.estimators_, bags.T, strict=True):
        out = bag == 0
        found.append(saabas(tree, X[out]).values.T @ (y[out] - y.mean()) / out.sum())
    return np.mean(found, axis=0)


# 02.6


def broken_by_a_loop(probes, p_values):
    names = []
    for name in probes.columns:
        if len(set(probes[name])) == 1 or p_values[name] <= 0.02:
            names.append(name)
    return names


def broken_by_pandas(probes, p_values):
    p = pd.Series(p_values)[probes.columns]
    return set(p.index[(probes.nunique() < 2) | (p <= 0.02)])


def broken_by_numpy(probes, p_values):
    spread = np.ptp(probes.to_numpy(), axis=0)
    is_small = np.array([p_values[name] for name in probes]) < 0.0201
    return frozenset(np.array(probes.columns)[(spread == 0) | is_small].tolist())


RIGHT = {
    "02.1": [best_by_a_loop, best_by_a_stump, best_by_sums_of_squares, best_with_an_empty_side],
    "02.2": [blind_by_units, blind_by_the_sample_variance, blind_by_pandas],
    "02.3": [p_by_a_loop, p_by_a_mean, p_by_sorting],
    "02.4": [gain_by_a_loop, gain_by_groups, gain_as_a_difference_of_errors],
    "02.5": [oob_by_matrix_products, oob_by_walking_the_trees, oob_by_pandas],
    "02.6": [broken_by_a_loop, broken_by_pandas, broken_by_numpy],
    "02.7": [{"c", "e", "f"}, ["f", "e", "c"], ("c", "e", "f")],
}
WRONG = {
    "02.1": {
        "mean over the cuts": lambda x, y: np.mean(
            [y.var() - _within(x <= t, y) for t in np.unique(x)[:-1]]
        ),
        "the last cut": lambda x, y: y.var() - _within(x < x.max(), y),
        "without the first cut": lambda x, y: max(
            y.var() - _within(x <= t, y) for t in np.unique(x)[1:-1]
        ),
        "without the last cut": lambda x, y: max(
            y.var() - _within(x <= t, y) for t in np.unique(x)[:-2]
        ),
        "equal values separated": lambda x, y: max(
            y.var() - _within(np.argsort(np.argsort(x, kind="stable"), kind="stable") < k, y)
            for k in range(1, len(y))
        ),
        "sum over the cuts": lambda x, y: sum(
            y.var() - _within(x <= t, y) for t in np.unique(x)[:-1]
        ),
        "(rounded to one digit)": lambda x, y: round(best_by_a_loop(x, y), 1),
        "(thresholds 1 to 4, whatever x is)": lambda x, y: best_at(range(1, 5), x, y),
        "(as many whole numbers as rows)": lambda x, y: best_at(range(1, len(x)), x, y),
        "(whole steps from the smallest)": lambda x, y: best_at(np.arange(min(x), max(x)), x, y),
        "(a fine grid)": lambda x, y: best_at(np.linspace(x.min(), x.max(), 50)[:-1], x, y),
        "(the first three values)": lambda x, y: best_at(np.unique(x)[:3], x, y),
        "(the first five values)": lambda x, y: best_at(np.unique(x)[:5], x, y),
        "(the last four values but the largest)": lambda x, y: best_at(np.unique(x)[-5:-1], x, y),
        "the last row left out": lambda x, y: best_at(x[:-1], x, y),
        "the first row left out": lambda x, y: best_at(x[1:], x, y),
    },
    "02.2": {
        "divided by n": lambda y, k: np.var(y) * (k - 1) / len(y),
        "the sample variance": lambda y, k: pd.Series(y).var() * (k - 1) / (len(y) - 1),
        "what remains": lambda y, k: np.var(y) * (len(y) - k) / (len(y) - 1),
        "(at most half of the variance)": lambda y, k: min(blind_by_pandas(y, k), np.var(y) / 2),
        "(rounded to one digit)": lambda y, k: round(blind_by_pandas(y, k), 1),
    },
    "02.3": {
        "the observed order left out": lambda observed, chance: (chance >= observed).mean(),
        "ties left out": lambda observed, chance: (
            ((chance > observed).sum() + 1) / (len(chance) + 1)
        ),
        "the observed order only above": lambda observed, chance: (
            (1 + sum(chance >= observed)) / len(chance)
        ),
        "the observed order only below": lambda observed, chance: (
            sum(chance >= observed) / (1 + len(chance))
        ),
        "at most": lambda observed, chance: np.mean(np.append(chance, observed) <= observed),
        "(at its smallest wherever nothing is larger)": lambda observed, chance: (
            1 / (len(chance) + 1) if observed >= max(chance) else p_by_a_loop(observed, chance)
        ),
        "(never above a half)": lambda observed, chance: min(0.5, p_by_a_loop(observed, chance)),
        "(rounded to one digit)": lambda observed, chance: round(p_by_a_loop(observed, chance), 1),
    },
    "02.4": {
        "sign dropped": gain_times(abs),
        "clipped at 0": gain_times(lambda value: max(value, 0)),
        "centred outside": lambda y_in, left_in, y_out, left_out: np.mean(
            np.where(left_out, y_in[left_in].mean(), y_in[~left_in].mean()) * (y_out - y_out.mean())
        ),
        "an empty side": gain_side_by_side,
        "the fall of the squared error": lambda y_in, left_in, y_out, left_out: np.mean(
            (y_out - y_in.mean()) ** 2
            - (y_out - np.where(left_out, y_in[left_in].mean(), y_in[~left_in].mean())) ** 2
        ),
        "sign turned round": gain_times(lambda value: -value),
        "sides exchanged": lambda y_in, left_in, y_out, left_out: gain_by_a_loop(
            y_in, left_in, y_out, ~left_out
        ),
        "predictions instead of moves": lambda y_in, left_in, y_out, left_out: np.mean(
            np.where(left_out, y_in[left_in].mean(), y_in[~left_in].mean()) * (y_out - y_in.mean())
        ),
        "compared with the child": lambda y_in, left_in, y_out, left_out: np.mean(
            (np.where(left_out, y_in[left_in].mean(), y_in[~left_in].mean()) - y_in.mean())
            * (y_out - np.where(left_out, y_in[left_in].mean(), y_in[~left_in].mean()))
        ),
        "(always negative)": gain_times(lambda value: -abs(value)),
    },
    "02.5": {
        "not centred": oob_not_centred,
        "signs dropped": lambda *given: np.abs(oob_by_matrix_products(*given)),
        "clipped at 0": lambda *given: np.clip(oob_by_matrix_products(*given), 0, None),
        "rows in the bag, each once": lambda forest, X, y: oob_with(forest, X, y, lambda n: n > 0),
        "rows drawn once": lambda forest, X, y: oob_with(forest, X, y, lambda n: n == 1),
        "centred at the mean of y": oob_centred_at_the_mean,
        "trees added up": lambda forest, X, y: (
            oob_by_pandas(forest, X, y) * len(forest.estimators_)
        ),
        "(divided by 4, however many trees)": lambda forest, X, y: (
            oob_by_pandas(forest, X, y) * len(forest.estimators_) / 4
        ),
        "one tree": lambda forest, X, y: oob_with(forest, X, y, lambda n: n == 0, trees=1),
        "(the first ten trees)": lambda forest, X, y: oob_with(
            forest, X, y, lambda n: n == 0, trees=10
        ),
        "(four features, always)": lambda forest, X, y: oob_by_pandas(forest, X, y)[:4],
    },
    "02.6": {
        "the limit itself left out": lambda probes, p_values: {
            x for x in probes if probes[x].nunique() == 1 or p_values[x] < 0.02
        },
        "another limit": lambda probes, p_values: {
            x for x in probes if probes[x].nunique() == 1 or p_values[x] < 0.05
        },
        "(a limit that is a little larger)": lambda probes, p_values: {
            x for x in probes if probes[x].nunique() == 1 or p_values[x] <= 0.021
        },
        "(p-values rounded to two digits)": lambda probes, p_values: {
            x for x in probes if probes[x].nunique() == 1 or round(p_values[x], 2) <= 0.02
        },
        "(a limit of 0.1)": lambda probes, p_values: {
            x for x in probes if probes[x].nunique() == 1 or p_values[x] <= 0.1
        },
        "every p-value of 1": lambda probes, p_values: {
            x for x in probes if p_values[x] == 1 or p_values[x] <= 0.02
        },
        "and instead of or": lambda probes, p_values: {
            x for x in probes if probes[x].nunique() == 1 and p_values[x] <= 0.02
        },
        "(only the first rows are looked at)": lambda probes, p_values: {
            x for x in probes if probes[x].head(8).nunique() == 1 or p_values[x] <= 0.02
        },
        "p-values taken by position": lambda probes, p_values: {
            x
            for x, p in zip(probes, p_values.values(), strict=True)
            if probes[x].nunique() == 1 or p <= 0.02
        },
        "two values taken for a constant": lambda probes, p_values: {
            x for x in probes if probes[x].nunique() <= 2 or p_values[x] <= 0.02
        },
        "a small spread taken for a constant": lambda probes, p_values: {
            x for x in probes if probes[x].std() < 1e-3 or p_values[x] <= 0.02
        },
        "(a range below 0.1 taken for a constant)": lambda probes, p_values: {
            x for x in probes if np.ptp(probes[x]) < 0.1 or p_values[x] <= 0.02
        },
        "(a constant on 24 rows)": lambda probes, p_values: {
            x for x in probes if (probes[x] == probes[x].iloc[0]).sum() == 24 or p_values[x] <= 0.02
        },
        "(all of them)": lambda probes, p_values: set(probes),
    },
    "02.7": {
        "more rows always help": {"c", "d", "e", "f"},
        "only the out-of-bag rows": {"f"},
        "the cure left out": {"c", "e"},
        "another unit": {"b", "c", "e", "f"},
        "the depth counted only with more rows": {"e", "f"},
        "the depth counted only with the same rows": {"c", "f"},
        "more rows, but not a smaller depth": {"d", "e", "f"},
        "the depth alone": {"c"},
        "more rows at a fixed depth alone": ["e"],
        "(all of them)": set("abcdef"),
    },
}


def _within(left, y):
    return (left.sum() * y[left].var() + (~left).sum() * y[~left].var()) / len(y)
