"""Answers to the exercises of lesson 03, right ones in several styles and wrong ones."""

from itertools import permutations

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.inspection import permutation_importance
from sklearn.metrics import brier_score_loss, mean_squared_error


def mse(predict, X, y):
    return np.mean((y - predict(X)) ** 2)


def exchanged(X, j, column):
    X = np.array(X)
    X[:, j] = column
    return X


# 03.1


def importances(predict, X, y, orders):
    columns = range(X.shape[1])
    return np.array(
        [
            np.mean([mse(predict, exchanged(X, j, X[order, j]), y) for order in orders])
            - mse(predict, X, y)
            for j in columns
        ]
    )


def importances_of_rows(predict, X, y, orders):
    """The mean of the differences, row by row, in a list."""
    before = (y - predict(X)) ** 2
    result = []
    for j in range(X.shape[1]):
        rows = [(y - predict(exchanged(X, j, X[o, j]))) ** 2 - before for o in orders]
        result.append(float(np.concatenate(rows).mean()))
    return result


def importances_pandas(predict, X, y, orders):
    losses = {
        j: [mean_squared_error(y, predict(exchanged(X, j, X[order, j]))) for order in orders]
        for j in range(X.shape[1])
    }
    return pd.DataFrame(losses).mean() - mean_squared_error(y, predict(X))


# 03.2


def brier_loop(model, X, y):
    total = 0.0
    for row, truth in zip(X, y, strict=True):
        total += (model.predict_proba([row])[0, 1] - truth) ** 2
    return -total / len(y)


# 03.3


def reliances(predict, X, y):
    n, p = X.shape
    result = []
    for j in range(p):
        losses = [
            (y[k] - predict(exchanged(X[[k]], j, X[i, j]))[0]) ** 2
            for k, i in permutations(range(n), 2)
        ]
        result.append(np.mean(losses) / mse(predict, X, y))
    return result


def reliances_by_shifts(predict, X, y):
    """Over all cyclic shifts each row meets each other row once."""
    losses = [
        [mse(predict, exchanged(X, j, np.roll(X[:, j], s)), y) for s in range(1, len(X))]
        for j in range(X.shape[1])
    ]
    return np.mean(losses, axis=1) / mse(predict, X, y)


def reliances_all_at_once(predict, X, y):
    n, p = X.shape
    bodies, heads = np.repeat(np.arange(n), n), np.tile(np.arange(n), n)
    other = bodies != heads
    bodies, heads = bodies[other], heads[other]
    e_switch = [mse(predict, exchanged(X[bodies], j, X[heads, j]), y[bodies]) for j in range(p)]
    return pd.Series(e_switch) / mse(predict, X, y)


# 03.4


def population_loop(b, beta, rho):
    result = []
    for j, k in ((0, 1), (1, 0)):
        result.append(2 * b[j] * (beta[j] + beta[k] * rho - b[k] * rho))
    return result


def population_by_covariance(b, beta, rho):
    cov = np.array([[1, rho], [rho, 1]])
    left = cov @ beta - (cov - np.eye(2)) @ b
    return 2 * b * left


def population_by_errors(b, beta, rho):
    """The expected squared errors after and before, as quadratic forms of (x1, x2, new)."""
    cov = np.array([[1, rho], [rho, 1]])
    before = (beta - b) @ cov @ (beta - b)
    result = []
    for j in range(2):
        kept = beta - np.where(np.arange(2) == j, 0, b)
        result.append(kept @ cov @ kept + b[j] ** 2 - before)
    return np.array(result)


# 03.5


def conditional_loop(predict, X, y, X_hat):
    n, p = X.shape
    result = []
    for j in range(p):
        losses = []
        for k, i in permutations(range(n), 2):
            row = X[k].copy()
            row[j] = X_hat[k, j] + X[i, j] - X_hat[i, j]
            losses.append((y[k] - predict(row[np.newaxis])[0]) ** 2)
        result.append(np.mean(losses) - mse(predict, X, y))
    return result


def conditional_by_shifts(predict, X, y, X_hat):
    unique = X - X_hat
    losses = [
        [
            mse(predict, exchanged(X, j, X_hat[:, j] + np.roll(unique[:, j], s)), y)
            for s in range(1, len(X))
        ]
        for j in range(X.shape[1])
    ]
    return np.mean(losses, axis=1) - mse(predict, X, y)


def conditional_pandas(predict, X, y, X_hat):
    n, p = X.shape
    pairs = pd.MultiIndex.from_product([range(n), range(n)]).to_frame(index=False)
    k, i = (column.to_numpy() for _, column in pairs[pairs[0] != pairs[1]].items())
    values = {
        j: mse(predict, exchanged(X[k], j, X_hat[k, j] + (X - X_hat)[i, j]), y[k]) for j in range(p)
    }
    return pd.Series(values) - mse(predict, X, y)


# 03.6


def groups_numpy(predict, X, y, groups, order):
    result = []
    for group in groups:
        shuffled = np.where(np.isin(np.arange(X.shape[1]), group), X[order], X)
        result.append(mse(predict, shuffled, y) - mse(predict, X, y))
    return np.array(result)


def groups_pandas(predict, X, y, groups, order):
    frame = pd.DataFrame(X)
    moved = [frame.assign(**{}) for _ in groups]
    for table, group in zip(moved, groups, strict=True):
        table[group] = frame.loc[order, group].to_numpy()
    before = mean_squared_error(y, predict(frame.to_numpy()))
    return pd.Series([mean_squared_error(y, predict(t.to_numpy())) - before for t in moved])


def groups_in_place(predict, X, y, groups, order):
    before, result = mse(predict, X, y), []
    for group in groups:
        kept = X[:, group].copy()
        X[:, group] = kept[order]
        result.append(float(mse(predict, X, y) - before))
        X[:, group] = kept
    return tuple(result)


class Given(RegressorMixin, BaseEstimator):
    """A model for scikit-learn that predicts with a given function."""

    def __init__(self, function=None):
        self.function = function

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.function(X)


def importances_of_other_shuffles(predict, X, y, orders):
    model = Given(predict).fit(X, y)
    scoring = "neg_mean_squared_error"
    return permutation_importance(model, X, y, scoring=scoring, random_state=0).importances_mean


# Wrong ones


def importances_without_a_copy(predict, X, y, orders):
    before = mse(predict, X, y)
    result = []
    for j in range(X.shape[1]):
        after = []
        for order in orders:
            X[:, j] = X[order, j]
            after.append(mse(predict, X, y))
        result.append(np.mean(after) - before)
    return np.array(result)


def importances_in_one_copy(predict, X, y, orders):
    shuffled, result = X.copy(), []
    for j in range(X.shape[1]):
        after = []
        for order in orders:
            shuffled[:, j] = X[order, j]
            after.append(mse(predict, shuffled, y))
        result.append(np.mean(after) - mse(predict, X, y))
    return result


def importances_of_what_is_shuffled(predict, X, y, orders):
    result = []
    for j in range(X.shape[1]):
        shuffled, after = X.copy(), []
        for order in orders:
            shuffled[:, j] = shuffled[order, j]
            after.append(mse(predict, shuffled, y))
        result.append(np.mean(after) - mse(predict, X, y))
    return result


def importances_with_a_root(predict, X, y, orders):
    losses = [
        [np.sqrt(mse(predict, exchanged(X, j, X[order, j]), y)) for order in orders]
        for j in range(X.shape[1])
    ]
    return np.mean(losses, axis=1) - mse(predict, X, y)


def importances_scattered(predict, X, y, orders):
    result = []
    for j in range(X.shape[1]):
        after = []
        for order in orders:
            shuffled = X.copy()
            shuffled[order, j] = X[:, j]
            after.append(mse(predict, shuffled, y))
        result.append(np.mean(after) - mse(predict, X, y))
    return result


def reliances_of_halves(predict, X, y):
    half = len(X) // 2
    losses = [mse(predict, exchanged(X, j, np.roll(X[:, j], half)), y) for j in range(X.shape[1])]
    return np.array(losses) / mse(predict, X, y)


def reliances_in_one_direction(predict, X, y):
    result = []
    for j in range(X.shape[1]):
        losses = [
            (y[k] - predict(exchanged(X[[k]], j, X[i, j]))[0]) ** 2
            for k in range(len(X))
            for i in range(k)
        ]
        result.append(np.mean(losses) / mse(predict, X, y))
    return result


def reliances_of_mean_predictions(predict, X, y):
    result = []
    for j in range(X.shape[1]):
        shifts = [exchanged(X, j, np.roll(X[:, j], s)) for s in range(1, len(X))]
        guess = np.mean([predict(table) for table in shifts], axis=0)
        result.append(np.mean((y - guess) ** 2) / mse(predict, X, y))
    return result


def reliances_of_other_values(predict, X, y):
    result = []
    for j in range(X.shape[1]):
        losses = [
            (y[k] - predict(exchanged(X[[k]], j, X[i, j]))[0]) ** 2
            for k, i in permutations(range(len(X)), 2)
            if X[k, j] != X[i, j]
        ]
        result.append(np.mean(losses) / mse(predict, X, y))
    return result


def reliances_rolled_in_place(predict, X, y):
    """Right values, and every column is left one row further down."""
    before, result = mse(predict, X, y), []
    for j in range(X.shape[1]):
        own, losses = X[:, j].copy(), []
        for _ in range(len(X) - 1):
            X[:, j] = np.roll(X[:, j], 1)
            losses.append(mse(predict, X, y))
        X[:, j] = own
        result.append(np.mean(losses) / before)
    X[:] = np.roll(X, 1, axis=0)
    return result


def conditional_after_subtracting(predict, X, y, X_hat):
    """Right values; the table is turned into what is unique."""
    whole, before, result = X.copy(), mse(predict, X, y), []
    X -= X_hat
    for j in range(X.shape[1]):
        losses = [
            mse(predict, exchanged(whole, j, X_hat[:, j] + np.roll(X[:, j], shift)), y)
            for shift in range(1, len(X))
        ]
        result.append(np.mean(losses) - before)
    return result


def groups_sorted_in_place(predict, X, y, groups, order):
    for group in groups:
        group.sort()
    return groups_numpy(predict, X, y, groups, order)


def groups_in_one_copy(predict, X, y, groups, order):
    shuffled, result = X.copy(), []
    for group in groups:
        shuffled[:, group] = X[order][:, group]
        result.append(mse(predict, shuffled, y) - mse(predict, X, y))
    return result


def groups_copied_for_each_column(predict, X, y, groups, order):
    result = []
    for group in groups:
        for j in group:
            shuffled = X.copy()
            shuffled[:, j] = X[order, j]
        result.append(mse(predict, shuffled, y) - mse(predict, X, y))
    return result


RIGHT = {
    "03.1": [importances, importances_of_rows, importances_pandas],
    "03.2": [
        brier_loop,
        lambda model, X, y: -brier_score_loss(y, model.predict_proba(X)[:, 1]),
        lambda model, X, y: -((pd.Series(y) - model.predict_proba(X).T[1]) ** 2).mean(),
    ],
    "03.3": [reliances, reliances_by_shifts, reliances_all_at_once],
    "03.4": [population_loop, population_by_covariance, population_by_errors],
    "03.5": [conditional_loop, conditional_by_shifts, conditional_pandas],
    "03.6": [groups_numpy, groups_pandas, groups_in_place],
    "03.7": [{"a", "b", "c", "e"}, ["e", "c", "b", "a"], ("a", "b", "c", "e")],
}

WRONG = {
    "03.1": {
        "signs lost": lambda *a: np.abs(importances(*a)),
        "clipped at 0": lambda *a: [max(0.0, value) for value in importances(*a)],
        "before minus after": lambda *a: -importances(*a),
        "(rounded to one digit)": lambda *a: importances(*a).round(1),
        "(other shuffles than the given ones)": importances_of_other_shuffles,
        "the first order only": lambda p, X, y, orders: importances(p, X, y, orders[:1]),
        "one of the orders only": lambda p, X, y, orders: importances(p, X, y, orders[-1:]),
        "orders followed backwards": importances_scattered,
        "a relative increase": lambda p, X, y, o: importances(p, X, y, o) / mse(p, X, y),
        "changes its argument": importances_without_a_copy,
        "columns piled up": importances_in_one_copy,
        "orders piled up": importances_of_what_is_shuffled,
        "nothing shuffled": lambda p, X, y, orders: [0.0] * X.shape[1],
        "the increases added up": lambda p, X, y, o: len(o) * importances(p, X, y, o),
        "the root": importances_with_a_root,
        "(three columns, whatever the table)": lambda p, X, y, o: importances(
            lambda table: p(np.column_stack([table, X[:, 3:]])), X[:, :3], y, o
        ),
        "(divided by 5, however many orders)": lambda p, X, y, o: [
            sum(mse(p, exchanged(X, j, X[order, j]), y) for order in o) / 5 - mse(p, X, y)
            for j in range(X.shape[1])
        ],
        "(the first five orders)": lambda p, X, y, o: importances(p, X, y, o[:5]),
        "(divided by 4, however many orders)": lambda p, X, y, o: [
            sum(mse(p, exchanged(X, j, X[order, j]), y) for order in o) / 4 - mse(p, X, y)
            for j in range(X.shape[1])
        ],
    },
    "03.2": {
        "lower is better": lambda model, X, y: -brier_loop(model, X, y),
        "accuracy": lambda model, X, y: np.mean(model.predict(X) == y),
        "diagnoses instead of probabilities": lambda model, X, y: -np.mean(model.predict(X) != y),
        "cross-entropy": lambda model, X, y: np.mean(
            np.log(model.predict_proba(X)[np.arange(len(y)), y])
        ),
        "the root": lambda model, X, y: -((-brier_loop(model, X, y)) ** 0.5),
        "both classes": lambda model, X, y: (
            -np.mean(((model.predict_proba(X) - np.eye(2)[y]) ** 2).sum(axis=1))
        ),
        "1 minus it": lambda model, X, y: 1 + brier_loop(model, X, y),
        "absolute distances": lambda model, X, y: -np.abs(y - model.predict_proba(X)[:, 1]).mean(),
        "every row with every outcome": lambda model, X, y: (
            -np.mean((y - model.predict_proba(X)[:, [1]]) ** 2)
        ),
    },
    "03.3": {
        "clipped at 1": lambda *a: np.maximum(1, reliances(*a)),
        "the halves": reliances_of_halves,
        "each pair once": reliances_in_one_direction,
        "changes its argument": reliances_rolled_in_place,
        "the share that is added": lambda *a: np.array(reliances(*a)) - 1,
        "upside down": lambda p, X, y: [1 / value for value in reliances(p, X, y)],
        "e_switch alone": lambda p, X, y: reliances_by_shifts(p, X, y) * mse(p, X, y),
        "n squared pairs over n(n-1)": lambda p, X, y: [
            sum(mse(p, exchanged(X, j, x), y) for x in X[:, j]) / (len(X) - 1) / mse(p, X, y)
            for j in range(X.shape[1])
        ],
        "predictions averaged first": reliances_of_mean_predictions,
        "equal values left out": reliances_of_other_values,
        "(three columns, whatever the table)": lambda p, X, y: reliances(
            lambda table: p(np.column_stack([table, np.repeat(X[:1, 3:], len(table), axis=0)])),
            X[:, :3],
            y,
        ),
        "(rounded to one digit)": lambda *a: np.round(reliances(*a), 1),
    },
    "03.4": {
        "signs lost": lambda *a: np.abs(population_loop(*a)),
        "clipped at 0": lambda *a: np.clip(population_loop(*a), 0, None),
        "without correlation": lambda b, beta, rho: 2 * b * beta,
        "(the size of the correlation)": lambda b, beta, rho: population_loop(b, beta, abs(rho)),
        "(negative correlation as 0)": lambda b, beta, rho: population_loop(b, beta, max(rho, 0)),
        "(rounded to two digits)": lambda *a: np.round(population_loop(*a), 2),
        "what the whole model leaves": lambda b, beta, rho: [
            2 * b[j] * np.dot([[1, rho], [rho, 1]][j], beta - b) for j in range(2)
        ],
        "the two exchanged": lambda *a: population_loop(*a)[::-1],
    },
    "03.5": {
        "signs lost": lambda *a: np.abs(conditional_loop(*a)),
        "clipped at 0": lambda *a: np.clip(conditional_loop(*a), 0, None),
        "changes its argument": conditional_after_subtracting,
        "a ratio": lambda p, X, y, h: 1 + conditional_by_shifts(p, X, y, h) / mse(p, X, y),
        "(half of it)": lambda *a: conditional_by_shifts(*a) / 2,
        "before minus after": lambda *a: -conditional_by_shifts(*a),
        "body without head": lambda p, X, y, X_hat: [
            mse(p, exchanged(X, j, X_hat[:, j]), y) - mse(p, X, y) for j in range(X.shape[1])
        ],
        "the loss of the chimeras alone": lambda p, X, y, X_hat: (
            conditional_by_shifts(p, X, y, X_hat) + mse(p, X, y)
        ),
    },
    "03.6": {
        "signs lost": lambda *a: np.abs(groups_numpy(*a)),
        "clipped at 0": lambda *a: np.clip(groups_numpy(*a), 0, None),
        "changes its argument": groups_sorted_in_place,
        "groups piled up": groups_in_one_copy,
        "order followed backwards": lambda p, X, y, groups, order: groups_numpy(
            p, X, y, groups, np.argsort(order)
        ),
        "(the first two groups)": lambda p, X, y, groups, order: groups_numpy(
            p, X, y, groups[:2], order
        ),
        "(the first three groups)": lambda p, X, y, groups, order: groups_numpy(
            p, X, y, groups[:3], order
        ),
        "(groups of its own)": lambda p, X, y, groups, order: groups_numpy(
            p, X, y, [[0, 1], [2, 3], [3]], order
        ),
        "a slice": lambda p, X, y, groups, order: groups_numpy(
            p, X, y, [range(min(group), max(group) + 1) for group in groups], order
        ),
        "the last column only": groups_copied_for_each_column,
        "the others": lambda p, X, y, groups, order: groups_numpy(
            p, X, y, [list(set(range(X.shape[1])) - set(group)) for group in groups], order
        ),
        "(three groups, whatever their number)": lambda p, X, y, groups, order: groups_numpy(
            p, X, y, (groups * 2)[:3], order
        ),
        "(the first two columns of a group)": lambda p, X, y, groups, order: groups_numpy(
            p, X, y, [group[:2] for group in groups], order
        ),
        "sorted on one side only": lambda p, X, y, groups, order: [
            mse(p, exchanged(X, sorted(group), X[np.ix_(order, group)]), y) - mse(p, X, y)
            for group in groups
        ],
        "(each column of a group has a shuffle of its own)": lambda p, X, y, groups, order: [
            mse(
                p,
                np.column_stack(
                    [np.roll(X[order, j], j) if j in group else X[:, j] for j in range(X.shape[1])]
                ),
                y,
            )
            - mse(p, X, y)
            for group in groups
        ],
    },
    "03.7": {
        "correlation leaks": {"c", "e"},
        "conditional draws left out": ["a", "b", "e"],
        "the ratio left out": {"a", "b", "c"},
        "refitting included": set("abcde"),
        "training rows left out": ("a", "c", "e"),
        "the correlation with y included": set("abcef"),
    },
}
