"""The exercises of lesson 03: from one shuffled column to conditional reliance and groups."""

from collections.abc import Callable

import numpy as np
from sklearn.linear_model import LinearRegression

from course_lib.lessons.exercise import Exercise, Slip

# What the cases share: a small table, a target, and a model given by its prediction


def _draw_table(rng: np.random.Generator, *, p: int = 3) -> dict:
    return {"n_samples": int(rng.integers(8, 13)), "p": p, "seed": int(rng.integers(10**6))}


def _table(n_samples: int, p: int, seed: int) -> tuple[Callable, np.ndarray, np.ndarray]:
    """A bent model, correlated columns and a target that the model predicts with an error."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n_samples, 1))
    X = (shared + rng.normal(size=(n_samples, p))).round(2)
    b = rng.choice([-1.5, -1.0, 1.0, 1.5, 2.0], size=p)
    y = (X @ b + 0.3 * X[:, 0] * X[:, 1] + 0.7 * rng.normal(size=n_samples)).round(2)

    def predict(X):
        X = np.asarray(X, dtype=float)
        return X @ b + 0.3 * X[:, 0] * X[:, 1]

    return predict, X, y


def _describe(case: dict) -> str:
    return f"of {case['n_samples']} rows and {case['p']} columns"


def _mse(predict, X, y) -> float:
    return float(np.mean((y - predict(X)) ** 2))


def _replaced(X, columns, new) -> np.ndarray:
    X = X.copy()
    X[:, columns] = new
    return X


# 03.1 Permutation importance for given orders, three blanks


def _orders_case(case: dict) -> tuple:
    predict, X, y = _table(**case)
    rng = np.random.default_rng(case["seed"] + 1)
    return predict, X, y, 1, np.array([rng.permutation(len(X)) for _ in range(4)])


def _shuffled_losses(predict, X, y, j, orders) -> np.ndarray:
    return np.array([_mse(predict, _replaced(X, j, X[order, j]), y) for order in orders])


def _permutation_importance(predict, X, y, j, orders) -> float:
    return float(_shuffled_losses(predict, X, y, j, orders).mean() - _mse(predict, X, y))


def _whole_rows(predict, X, y, j, orders) -> float:
    losses = [_mse(predict, X[order], y) for order in orders]
    return float(np.mean(losses) - _mse(predict, X, y))


PERMUTATION = Exercise(
    id="03.1",
    title="Permutation importance",
    points=2,
    expects="the mean, over the orders, of the mean squared error with column j shuffled, minus "
    "the mean squared error as it is",
    draw=_draw_table,
    inputs=_orders_case,
    describe=_describe,
    reference=_permutation_importance,
    hints=(
        "Which column of the copy changes, and which values of X does it get?",
        "X[order, j] is column j in another order; all other columns stay as they are.",
        "The importance is a difference of two mean losses: after minus before.",
    ),
    slips=(
        Slip(
            "whole rows shuffled",
            _whole_rows,
            "Every column was shuffled, not only column j: X[order] moves whole rows.",
        ),
        Slip(
            "before minus after",
            lambda *a: -_permutation_importance(*a),
            "Right size, wrong sign: important means that the loss goes up.",
        ),
        Slip(
            "a ratio",
            lambda p, X, y, j, orders: float(
                _shuffled_losses(p, X, y, j, orders).mean() / _mse(p, X, y)
            ),
            "That is the ratio of the two losses, for which 1 means unimportant. Here the "
            "difference is wanted.",
        ),
        Slip(
            "the loss after, alone",
            lambda p, X, y, j, orders: float(_shuffled_losses(p, X, y, j, orders).mean()),
            "That is the loss after the shuffle. Subtract the loss before it.",
        ),
    ),
)

# 03.2 Model reliance over all pairs, from the signature


def _switched_losses(predict, X, y, j) -> np.ndarray:
    """Row k, column i: the loss of row k with column j of row i."""
    columns = [(y - predict(_replaced(X, j, value))) ** 2 for value in X[:, j]]
    return np.column_stack(columns)


def _off_diagonal_mean(D: np.ndarray) -> float:
    n = len(D)
    return float((D.sum() - np.trace(D)) / (n * (n - 1)))


def _reliance(predict, X, y, j) -> float:
    return _off_diagonal_mean(_switched_losses(predict, X, y, j)) / _mse(predict, X, y)


def _swaps_with_target(predict, X, y, j) -> float:
    """The slip of taking the target along with the value: row i's x_j and y, row k's rest."""
    n = len(X)
    losses = [
        np.mean((y[i] - predict(_replaced(X, j, X[i, j]))[np.arange(n) != i]) ** 2)
        for i in range(n)
    ]
    return float(np.mean(losses)) / _mse(predict, X, y)


RELIANCE = Exercise(
    id="03.2",
    title="Model reliance over all pairs",
    points=3,
    expects="the mean loss over all pairs of different rows with x_j taken from the other row, "
    "divided by the mean loss as it is",
    draw=_draw_table,
    inputs=lambda case: (*_table(**case), 0),
    describe=_describe,
    reference=_reliance,
    hints=(
        "Set column j of all rows to the value of row i, for each i in turn: that gives the loss "
        "of every row with that value.",
        "Leave out the loss of row i itself: it has got its own value back.",
        "There are n(n-1) losses to average. Divide their mean by the mean loss as it is.",
    ),
    slips=(
        Slip(
            "own values included",
            lambda p, X, y, j: float(_switched_losses(p, X, y, j).mean()) / _mse(p, X, y),
            "Close, but n squared pairs are averaged: each row also meets itself and loses "
            "nothing. Leave those out.",
        ),
        Slip(
            "a difference",
            lambda p, X, y, j: _off_diagonal_mean(_switched_losses(p, X, y, j)) - _mse(p, X, y),
            "That is the difference e_switch - e_orig. The ratio is wanted.",
        ),
        Slip(
            "nothing swapped",
            lambda p, X, y, j: 1.0,
            "This is 1 for every model: value, rest and target all come from the same row, so "
            "nothing is swapped. It is the misprint of section 3.2.",
        ),
        Slip(
            "target taken along",
            _swaps_with_target,
            "The target came along with the value. Row i gives its x_j only; the rest and the "
            "target are those of row k.",
        ),
    ),
)

# 03.3 The standard error that counts each row twice


def _draw_increases(rng: np.random.Generator) -> dict:
    n = int(rng.integers(5, 9))
    x = rng.normal(size=n).round(2)
    y = (x + 0.5 * rng.normal(size=n)).round(2)
    return {"x": x.tolist(), "y": y.tolist()}


def _increases(case: dict) -> tuple:
    x, y = np.array(case["x"]), np.array(case["y"])
    return ((y[:, np.newaxis] - x) ** 2 - ((y - x) ** 2)[:, np.newaxis],)


def _bodies(D: np.ndarray) -> np.ndarray:
    return D.sum(axis=1) / (len(D) - 1)


def _error_of(rows: np.ndarray) -> float:
    return float(rows.std(ddof=1) / np.sqrt(len(rows)))


STANDARD_ERROR = Exercise(
    id="03.3",
    title="An error bar that covers",
    points=2,
    expects="the standard deviation (with n-1) of body plus head over the rows, divided by the "
    "square root of n",
    draw=_draw_increases,
    inputs=_increases,
    describe=lambda case: f"of a table D with {len(case['x'])} rows",
    reference=lambda D: _error_of(_bodies(D) + _bodies(D.T)),
    hints=(
        "The body of row k is the mean of its row in D, the head of row i the mean of its column.",
        "The diagonal is 0, so divide the sums by n-1, not by n.",
        "Add body and head of the same row before you take the standard deviation.",
    ),
    slips=(
        Slip(
            "bodies only",
            lambda D: _error_of(_bodies(D)),
            "That is tau over the square root of n: each row counts once, as a body. Each row "
            "also gives its value to all the others.",
            behind="M2",
        ),
        Slip(
            "heads only",
            lambda D: _error_of(_bodies(D.T)),
            "These are the heads alone. A row also receives values: add its body.",
        ),
        Slip(
            "variances added",
            lambda D: float(np.hypot(_error_of(_bodies(D)), _error_of(_bodies(D.T)))),
            "The variances of bodies and heads were added, as if they were independent. They "
            "belong to the same rows: add body and head first.",
        ),
        Slip(
            "not divided by the root of n",
            lambda D: float((_bodies(D) + _bodies(D.T)).std(ddof=1)),
            "That is the spread of the rows. The error of their mean is smaller by the square "
            "root of n.",
        ),
    ),
)

# 03.4 The population values of a linear model


def _draw_world(rng: np.random.Generator) -> dict:
    """A model and a truth in which one variable helps the model and the other one harms it."""
    while True:
        b = rng.choice([-1.0, -0.5, 0.5, 1.0, 1.5, 2.0], size=2)
        beta = rng.choice([0.5, 1.0, 1.5], size=2)
        rho = float(rng.choice([0.3, 0.5, 0.7, 0.9]))
        values = _population(b, beta, rho)
        if values.min() < -0.05 and values.max() > 0.05:
            return {"b": b.tolist(), "beta": beta.tolist(), "rho": rho}


def _population(b, beta, rho) -> np.ndarray:
    b, beta = np.asarray(b), np.asarray(beta)
    return 2 * b * (beta + beta[::-1] * rho - b[::-1] * rho)


POPULATION = Exercise(
    id="03.4",
    title="What a fixed linear model would lose in the population",
    points=2,
    expects="for each of the two variables 2 b_j Cov(y - b_k x_k, x_j), which may be negative",
    draw=_draw_world,
    inputs=lambda case: (np.array(case["b"]), np.array(case["beta"]), case["rho"]),
    reference=_population,
    hints=(
        "Begin with x1. Write y - b2 x2 in terms of x1 and x2: what is its covariance with x1 if "
        "both have variance 1 and covariance rho?",
        "Cov(y, x1) = beta1 + beta2 rho, and Cov(b2 x2, x1) = b2 rho. For x2 the roles change; "
        "b[::-1] is b with its two entries swapped.",
    ),
    slips=(
        Slip(
            "as if the model were right",
            lambda b, beta, rho: 2 * b**2,
            "2 b squared holds where the model is the truth (or fitted by least squares). This "
            "model need not be.",
        ),
        Slip(
            "clipped at 0",
            lambda b, beta, rho: np.maximum(_population(b, beta, rho), 0.0),
            "Negative values were set to 0. A model that uses a variable the wrong way is better "
            "off without it, and the number should say so.",
            behind="M6",
        ),
        Slip(
            "factor 2 forgotten",
            lambda b, beta, rho: _population(b, beta, rho) / 2,
            "Half of it: the scrambled value differs from the right one by two independent draws.",
        ),
        Slip(
            "the other term forgotten",
            lambda b, beta, rho: 2 * b * (beta + beta[::-1] * rho),
            "That uses Cov(y, x_j). What x_j has to explain is y minus what the model already "
            "says by the other variable.",
        ),
    ),
)

# 03.5 Conditional model reliance by chimeras


def _chimera_case(case: dict) -> tuple:
    predict, X, y = _table(**case)
    rest = np.delete(X, 0, axis=1)
    return predict, X, y, 0, LinearRegression().fit(rest, X[:, 0]).predict(rest)


def _with_columns(predict, X, y, j, new) -> np.ndarray:
    """Row k, column i: the loss of row k when its x_j is new[k, i]."""
    columns = [(y - predict(_replaced(X, j, new[:, i]))) ** 2 for i in range(len(X))]
    return np.column_stack(columns)


def _chimeras(X, j, x_hat) -> np.ndarray:
    return x_hat[:, np.newaxis] + (X[:, j] - x_hat)


def _conditional(predict, X, y, j, x_hat) -> float:
    losses = _with_columns(predict, X, y, j, _chimeras(X, j, x_hat))
    return _off_diagonal_mean(losses) - _mse(predict, X, y)


def _head_and_body_confused(predict, X, y, j, x_hat) -> float:
    losses = _with_columns(predict, X, y, j, _chimeras(X, j, x_hat).T)
    return _off_diagonal_mean(losses) - _mse(predict, X, y)


def _heads_without_body(predict, X, y, j, x_hat) -> float:
    heads = np.broadcast_to(X[:, j] - x_hat, (len(X), len(X)))
    return _off_diagonal_mean(_with_columns(predict, X, y, j, heads)) - _mse(predict, X, y)


CONDITIONAL = Exercise(
    id="03.5",
    title="Conditional model reliance by chimeras",
    points=3,
    expects="the mean loss over all chimeras of two different rows, minus the mean loss as it is",
    draw=_draw_table,
    inputs=_chimera_case,
    describe=_describe,
    reference=_conditional,
    hints=(
        "The unique part of row i is X[i, j] - x_hat[i].",
        "Row k keeps its own x_hat[k] and gets the unique part of row i on top.",
        "Loop over i: build the whole column x_hat + (X[i, j] - x_hat[i]), predict, leave row i "
        "out.",
    ),
    slips=(
        Slip(
            "plain scrambling",
            lambda p, X, y, j, x_hat: (
                _off_diagonal_mean(_switched_losses(p, X, y, j)) - _mse(p, X, y)
            ),
            "That is plain model reliance: the whole value of row i was taken, also the part that "
            "the other columns of row k could have told.",
            behind="M2",
        ),
        Slip(
            "head and body confused",
            _head_and_body_confused,
            "Head and body are confused: row k must keep its own x_hat and receive the unique part "
            "of row i.",
        ),
        Slip(
            "head without body",
            _heads_without_body,
            "The unique part alone was put into the column. Add it to what the other columns of "
            "row k predict.",
        ),
        Slip(
            "own heads included",
            lambda p, X, y, j, x_hat: (
                float(_with_columns(p, X, y, j, _chimeras(X, j, x_hat)).mean()) - _mse(p, X, y)
            ),
            "Close, but each row also got its own head back, n times in all. Average over pairs of "
            "different rows.",
        ),
    ),
)

# 03.6 Several columns scrambled together


def _group_case(case: dict) -> tuple:
    predict, X, y = _table(**case)
    order = np.random.default_rng(case["seed"] + 2).permutation(len(X))
    while (order == np.arange(len(X))).sum() > 2:
        order = np.roll(order, 1)
    return predict, X, y, [0, 2], order


def _group(predict, X, y, group, order) -> float:
    return _mse(predict, _replaced(X, group, X[np.ix_(order, group)]), y) - _mse(predict, X, y)


def _one_by_one(predict, X, y, group, order) -> float:
    return sum(_group(predict, X, y, [j], order) for j in group)


GROUP = Exercise(
    id="03.6",
    title="Importance of a group of columns",
    points=2,
    expects="the increase of the mean squared error when all columns of the group are put into "
    "the same new order",
    draw=lambda rng: _draw_table(rng, p=4),
    inputs=_group_case,
    describe=_describe,
    reference=_group,
    hints=(
        "All columns of the group take their values from the same other row.",
        "Make a copy and set its columns, one after the other, to X[order, j]; predict once, at "
        "the end.",
    ),
    slips=(
        Slip(
            "one by one, added up",
            _one_by_one,
            "The columns were shuffled one at a time and the increases added. Columns that stand "
            "in for each other look dispensable that way: shuffle them at once.",
            behind="M3",
        ),
        Slip(
            "the largest single one",
            lambda p, X, y, group, order: max(_group(p, X, y, [j], order) for j in group),
            "That is the largest importance of a single column. The group is worth what is lost "
            "when all its columns go.",
            behind="M3",
        ),
        Slip(
            "all columns",
            lambda p, X, y, group, order: _mse(p, X[order], y) - _mse(p, X, y),
            "Whole rows were shuffled, also the columns outside the group.",
        ),
    ),
)

# 03.7 What an unused variable gets

UNUSED = Exercise(
    id="03.7",
    title="What an unused variable can and cannot get",
    points=1,
    expects="the letters of all numbers that are exactly the value for 'not important', whatever "
    "the sample",
    reference=lambda: {"a", "b", "c", "e"},
    hints=(
        "Which of these numbers compare predictions of the one fitted model, which does not read "
        "x2?",
        "Two of them do something else: one fits models again, one looks at no model at all.",
    ),
    slips=(
        Slip(
            "correlation leaks",
            lambda: {"c", "e"},
            "Plain permutation is exact here as well: predictions that do not read x2 do not "
            "change when x2 does, on whatever rows.",
            behind="M2",
        ),
        Slip(
            "refitting included",
            lambda: {"a", "b", "c", "d", "e"},
            "Algorithm reliance fits the algorithm again, with and without x2. What this model "
            "ignores, another fit may use.",
        ),
        Slip(
            "all of them",
            lambda: {"a", "b", "c", "d", "e", "f"},
            "Two of these numbers do not ask this model at all.",
        ),
    ),
)

EXERCISES = (PERMUTATION, RELIANCE, STANDARD_ERROR, POPULATION, CONDITIONAL, GROUP, UNUSED)
