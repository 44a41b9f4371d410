"""The exercises of lesson 03: from one shuffled column to conditional reliance and groups."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations

import numpy as np
from sklearn.linear_model import LogisticRegression

from course_lib.lessons.exercise import Exercise, Slip
from course_lib.lessons.given import bent

# What the cases share: a small table, a target, and a model given by its prediction


def _table(
    n_samples: int, p: int, seed: int, more: int | None = None
) -> tuple[Callable, np.ndarray, np.ndarray]:
    """A bent model that has the sign of its last column wrong, and correlated columns."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n_samples, 1))
    X = (shared + rng.normal(size=(n_samples, p))).round(2)
    X[-1, 0] = X[0, 0]  # two different rows with the same value
    b = rng.choice([-1.5, -1.0, 1.0, 1.5, 2.0], size=p)
    wrong = np.where(np.arange(p) == p - 1, -0.4, 1.0)
    y = (bent(b, X) + 0.7 * rng.normal(size=n_samples)).round(2)
    return partial(bent, b * wrong), X, y


WIDTHS = ((2,), (4,), (5,))  # how many columns a table has


def _drawing(inputs: Callable, answers: Callable, reference: float = 0.0) -> Callable:
    """Draws tables with values on both sides of the reference, on which all answers differ.

    Beside the number p of columns, `more` may say how many orders or groups are given.
    """

    def draw(rng: np.random.Generator, p: int, more: int | None = None) -> dict:
        while True:
            seed, n = int(rng.integers(10**6)), int(rng.integers(8, 13))
            case = {"n_samples": n, "p": p, "seed": seed} | ({"more": more} if more else {})
            found = [np.asarray(answer(*inputs(case))) for answer in answers()]
            margin = 0.005 * np.ptp(found[0])
            has_both = found[0].min() < reference - margin and found[0].max() > reference + margin
            if has_both and _all_differ(found, margin):
                return case

    return draw


def _all_differ(found: Sequence[np.ndarray], margin: float) -> bool:
    return all(abs(a - b).max() > margin for a, b in combinations(found, 2))


def _answers(exercise: Callable) -> Callable:
    """The reference and the slips of an exercise that is declared further down."""
    return lambda: [exercise().reference, *(slip.answer for slip in exercise().slips)]


def _describe(case: dict) -> str:
    return f"of {case['n_samples']} rows and {case['p']} columns"


def _mse(predict, X, y) -> float:
    return float(np.mean((y - predict(X)) ** 2))


def _replaced(X, columns, new) -> np.ndarray:
    X = X.copy()
    X[:, columns] = new
    return X


SIGNS_LOST = (
    "The signs are lost. A column whose importance is negative does harm, and must show it."
)
CLIPPED = (
    "{0} were cut off. A model that uses a column the wrong way round does better with wrong "
    "values in it, and the number should say so."
)
BACKWARDS = (
    "The order was followed backwards: row order[k] got the value of row k. Row k gets the value "
    "of row order[k]."
)


# 03.1 Permutation importance for given orders, three blanks


def _orders_case(case: dict) -> tuple:
    predict, X, y = _table(**case)
    rng = np.random.default_rng(case["seed"] + 1)
    return predict, X, y, np.array([rng.permutation(len(X)) for _ in range(case["more"])])


def _shuffled_losses(predict, X, y, orders) -> np.ndarray:
    """One mean loss for each column, with it shuffled, over the orders."""
    losses = [
        [_mse(predict, _replaced(X, j, X[order, j]), y) for order in orders]
        for j in range(X.shape[1])
    ]
    return np.mean(losses, axis=1)


def _permutation_importances(predict, X, y, orders) -> np.ndarray:
    return _shuffled_losses(predict, X, y, orders) - _mse(predict, X, y)


def _whole_rows(predict, X, y, orders) -> np.ndarray:
    losses = [_mse(predict, X[order], y) for order in orders]
    return np.full(X.shape[1], np.mean(losses) - _mse(predict, X, y))


def _columns_piled_up(predict, X, y, orders) -> np.ndarray:
    """The slip of one copy for all columns: those before stay as the last order left them."""
    result, shuffled = [], X.copy()
    for j in range(X.shape[1]):
        result.append(_shuffled_losses(predict, shuffled, y, orders)[j] - _mse(predict, X, y))
        shuffled[:, j] = X[orders[-1], j]
    return np.array(result)


def _orders_piled_up(predict, X, y, orders) -> np.ndarray:
    """The slip of one copy for all orders: each shuffles what the one before has shuffled."""
    so_far, composed = np.arange(len(X)), []
    for order in orders:
        so_far = so_far[order]
        composed.append(so_far)
    return _permutation_importances(predict, X, y, np.array(composed))


def _rooted(predict, X, y, orders) -> np.ndarray:
    """The slip of taking the root of each loss after the shuffle."""
    losses = [_shuffled_losses(predict, X, y, [order]) ** 0.5 for order in orders]
    return np.mean(losses, axis=0) - _mse(predict, X, y)


def _values_of_the_first_column(predict, X, y, orders) -> np.ndarray:
    losses = [
        [_mse(predict, _replaced(X, j, X[order, 0]), y) for order in orders]
        for j in range(X.shape[1])
    ]
    return np.mean(losses, axis=1) - _mse(predict, X, y)


SUMMED_ORDERS = "That is a sum over the orders. Take their mean."


PERMUTATION = Exercise(
    id="03.1",
    title="Permutation importance",
    points=2,
    blanks=3,
    expects="for each column the mean, over the orders, of the mean squared error with that column "
    "shuffled, minus the mean squared error as it is",
    draw=_drawing(_orders_case, _answers(lambda: PERMUTATION)),
    turns=((2, 5), (4, 3), (5, 7), (2, 2)),  # columns, orders
    inputs=_orders_case,
    describe=lambda case: f"{_describe(case)}, in {case['more']} orders",
    reference=_permutation_importances,
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
            lambda *a: -_permutation_importances(*a),
            "Right size, wrong sign: important means that the loss goes up.",
        ),
        Slip(
            "a ratio",
            lambda p, X, y, orders: _shuffled_losses(p, X, y, orders) / _mse(p, X, y),
            "That is the ratio of the two losses, for which 1 means unimportant. Here the "
            "difference is wanted.",
        ),
        Slip(
            "a relative increase",
            lambda p, X, y, orders: _permutation_importances(p, X, y, orders) / _mse(p, X, y),
            "That is the increase divided by the loss before. Leave the difference undivided.",
        ),
        Slip(
            "orders followed backwards",
            lambda p, X, y, orders: _permutation_importances(p, X, y, np.argsort(orders, axis=1)),
            BACKWARDS,
        ),
        Slip(
            "one of the orders only",
            lambda p, X, y, orders: _permutation_importances(p, X, y, orders[-1:]),
            "Only the last of the orders counts here. Take the mean over all of them.",
        ),
        Slip(
            "the first order only",
            lambda p, X, y, orders: _permutation_importances(p, X, y, orders[:1]),
            "Only the first of the orders counts here. Take the mean over all of them.",
        ),
        Slip(
            "columns piled up",
            _columns_piled_up,
            "The columns before it are still shuffled when the next one is measured. Begin each "
            "shuffle with a fresh copy of X.",
        ),
        Slip(
            "orders piled up",
            _orders_piled_up,
            "Each order shuffles what the one before has shuffled. Take the values from X, which "
            "nobody has touched.",
        ),
        Slip(
            "nothing shuffled",
            lambda p, X, y, orders: np.zeros(X.shape[1]),
            "Nothing has changed: the predictions are those of the table as it is. Predict from "
            "the copy, after its column has been shuffled.",
        ),
        Slip(
            "the increases added up",
            lambda p, X, y, orders: len(orders) * _permutation_importances(p, X, y, orders),
            SUMMED_ORDERS,
        ),
        Slip(
            "the losses added up",
            lambda p, X, y, orders: len(orders) * _shuffled_losses(p, X, y, orders) - _mse(p, X, y),
            SUMMED_ORDERS,
        ),
        Slip(
            "the squares added up",
            lambda p, X, y, orders: len(X) * _shuffled_losses(p, X, y, orders) - _mse(p, X, y),
            "After the shuffle the squares are added up, and before it they are averaged. Take the "
            "mean of the squares in both places.",
        ),
        Slip(
            "the root",
            _rooted,
            "A root has come into the loss after the shuffle. The loss is the mean of the squares.",
        ),
        Slip(
            "values of column 0",
            _values_of_the_first_column,
            "Column j got the values of column 0. It gets its own, in another order.",
        ),
        Slip(
            "the loss after, alone",
            _shuffled_losses,
            "That is the loss after the shuffle. Subtract the loss before it.",
        ),
        Slip(
            "signs lost",
            lambda *a: abs(_permutation_importances(*a)),
            SIGNS_LOST,
            behind="M6",
        ),
        Slip(
            "clipped at 0",
            lambda *a: np.maximum(_permutation_importances(*a), 0.0),
            CLIPPED.format("Negative values"),
            behind="M6",
        ),
    ),
)

# 03.2 A scorer for scikit-learn


def _draw_patients(rng: np.random.Generator) -> dict:
    while True:
        case = {"n_samples": int(rng.integers(12, 20)), "seed": int(rng.integers(10**6))}
        found = [answer(*_patients(case)) for answer in _answers(lambda: SCORER)()]
        if _all_differ(np.array(found), 0.01):
            return case


def _patients(case: dict) -> tuple:
    """A classifier, and rows that it has not seen."""
    rng = np.random.default_rng(case["seed"])
    X = rng.normal(size=(case["n_samples"], 2)).round(2)
    y = (X[:, 0] + 0.8 * rng.normal(size=len(X)) > 0.3).astype(int)
    model = LogisticRegression()
    model.classes_, model.n_features_in_ = np.array([0, 1]), 2  # as if it had been fitted
    model.coef_, model.intercept_ = rng.normal((1.5, 0), 0.5, size=(1, 2)), np.array([-0.5])
    return model, X, y


def _brier(model, X, y) -> float:
    return float(np.mean((model.predict_proba(X)[:, 1] - y) ** 2))


SCORER = Exercise(
    id="03.2",
    title="A scorer for scikit-learn",
    points=2,
    expects="minus the mean squared distance between the probability of class 1 and y",
    draw=_draw_patients,
    inputs=_patients,
    describe=lambda case: f"of {case['n_samples']} rows",
    reference=lambda model, X, y: -_brier(model, X, y),
    hints=(
        "model.predict_proba(X) has one column for each class; column 1 is the probability of "
        "class 1.",
        "A scorer must be higher for a better model, and the Brier score is lower for it.",
    ),
    slips=(
        Slip(
            "lower is better",
            _brier,
            "That is the Brier score as a loss, lower for a better model. A scorer must be higher "
            "for a better model, or every importance gets the wrong sign.",
        ),
        Slip(
            "diagnoses instead of probabilities",
            lambda model, X, y: -float(np.mean((model.predict(X) - y) ** 2)),
            "predict gives diagnoses, 0 or 1, so this counts wrong answers. The Brier score needs "
            "the probabilities.",
            behind="M4",
        ),
        Slip(
            "accuracy",
            lambda model, X, y: float(model.score(X, y)),
            "That is the accuracy, which sees a probability only when it crosses one half.",
            behind="M4",
        ),
        Slip(
            "the other class",
            lambda model, X, y: -float(np.mean((model.predict_proba(X)[:, 0] - y) ** 2)),
            "Column 0 of predict_proba is the probability of class 0. Compare y with column 1.",
        ),
        Slip(
            "both classes",
            lambda model, X, y: -2 * _brier(model, X, y),
            "Twice what it should be: both columns of predict_proba were compared with y. Column 1 "
            "alone says all of it.",
        ),
        Slip(
            "the root",
            lambda model, X, y: -(_brier(model, X, y) ** 0.5),
            "That is minus the root of the Brier score. Leave the mean of the squares as it is.",
        ),
        Slip(
            "the sum",
            lambda model, X, y: -_brier(model, X, y) * len(X),
            "That is the sum over the rows. Take the mean, so that samples of any size compare.",
        ),
        Slip(
            "absolute distances",
            lambda model, X, y: -float(np.mean(abs(model.predict_proba(X)[:, 1] - y))),
            "That is minus the mean absolute distance. The Brier score squares each distance.",
        ),
        Slip(
            "cross-entropy",
            lambda model, X, y: float(
                np.mean(np.log(model.predict_proba(X)[np.arange(len(y)), y]))
            ),
            "That is minus the cross-entropy, the other loss without a threshold. The Brier score "
            "squares the distance between probability and outcome.",
        ),
        Slip(
            "1 minus it",
            lambda model, X, y: 1 - _brier(model, X, y),
            "1 minus the Brier score is higher for a better model too, and would give the same "
            "importances. Asked for is minus the Brier score: leave the 1 out.",
        ),
        Slip(
            "every row with every outcome",
            lambda model, X, y: -float(np.mean((model.predict_proba(X)[:, 1:] - y) ** 2)),
            "Here every probability is compared with every outcome: predict_proba(X)[:, 1:] is a "
            "table of one column, and minus y it becomes a table of n times n. Write [:, 1].",
        ),
    ),
)

# 03.3 Model reliance over all pairs, from the signature


def _table_case(case: dict) -> tuple:
    return _table(**case)


def _column_losses(predict, X, y, j, new) -> np.ndarray:
    """Row k, column i: the loss of row k when its x_j is new[k, i]."""
    columns = [(y - predict(_replaced(X, j, new[:, i]))) ** 2 for i in range(len(X))]
    return np.column_stack(columns)


def _switched_losses(predict, X, y) -> list[np.ndarray]:
    """For each column j a table; row k, column i: the loss of row k with x_j of row i."""
    n, p = X.shape
    return [_column_losses(predict, X, y, j, np.tile(X[:, j], (n, 1))) for j in range(p)]


def _off_diagonal_means(tables: Sequence[np.ndarray]) -> np.ndarray:
    n = len(tables[0])
    return np.array([(D.sum() - np.trace(D)) / (n * (n - 1)) for D in tables])


def _reliances(predict, X, y) -> np.ndarray:
    return _off_diagonal_means(_switched_losses(predict, X, y)) / _mse(predict, X, y)


def _halves(predict, X, y) -> np.ndarray:
    """The slip of taking the worked example's partners, half a table away."""
    partners = np.roll(X, len(X) // 2, axis=0)
    losses = [_mse(predict, _replaced(X, j, partners[:, j]), y) for j in range(X.shape[1])]
    return np.array(losses) / _mse(predict, X, y)


def _each_pair_once(predict, X, y) -> np.ndarray:
    """The slip of exchanging in one direction only: row i gives to row k if i < k."""
    below = np.tril_indices(len(X), -1)
    losses = [table[below].mean() for table in _switched_losses(predict, X, y)]
    return np.array(losses) / _mse(predict, X, y)


def _swaps_with_target(predict, X, y) -> np.ndarray:
    """The slip of taking the target along with the value: row i's x_j and y, row k's rest."""
    n, p = X.shape
    losses = [
        [
            np.mean((y[i] - predict(_replaced(X, j, X[i, j]))[np.arange(n) != i]) ** 2)
            for i in range(n)
        ]
        for j in range(p)
    ]
    return np.mean(losses, axis=1) / _mse(predict, X, y)


def _mean_predictions(predict, X, y) -> np.ndarray:
    """The slip of averaging a row's predictions over the values it gets, and then the loss."""
    n, p = X.shape
    other = ~np.eye(n, dtype=bool)
    result = []
    for j in range(p):
        table = np.column_stack([predict(_replaced(X, j, X[i, j])) for i in range(n)])
        result.append(np.mean((y - table[other].reshape(n, n - 1).mean(axis=1)) ** 2))
    return np.array(result) / _mse(predict, X, y)


def _equal_values_left_out(predict, X, y) -> np.ndarray:
    """The slip of leaving out pairs of rows with the same value."""
    tables = _switched_losses(predict, X, y)
    losses = [D[X[:, j] != X[:, j][:, np.newaxis]].mean() for j, D in enumerate(tables)]
    return np.array(losses) / _mse(predict, X, y)


def _own_share(X) -> float:
    return (len(X) - 1) / len(X)


RELIANCE = Exercise(
    id="03.3",
    title="Model reliance over all pairs",
    points=3,
    expects="for each column the mean loss over all pairs of different rows with x_j from the "
    "other row, divided by the mean loss as it is",
    draw=_drawing(_table_case, _answers(lambda: RELIANCE), reference=1.0),
    turns=WIDTHS,
    inputs=_table_case,
    describe=_describe,
    reference=_reliances,
    hints=(
        "Set column j of all rows to the value of row i, for each i in turn: that gives the loss "
        "of every row with that value.",
        "Leave out the loss of row i itself: it has got its own value back.",
        "There are n(n-1) losses to average. Divide their mean by the mean loss as it is.",
    ),
    slips=(
        Slip(
            "own values included",
            lambda p, X, y: np.mean(_switched_losses(p, X, y), axis=(1, 2)) / _mse(p, X, y),
            "Close, but n squared pairs are averaged: each row also meets itself and loses "
            "nothing. Leave those out.",
        ),
        Slip(
            "a difference",
            lambda p, X, y: _off_diagonal_means(_switched_losses(p, X, y)) - _mse(p, X, y),
            "That is the difference e_switch - e_orig. The ratio is wanted.",
        ),
        Slip(
            "e_switch alone",
            lambda p, X, y: _off_diagonal_means(_switched_losses(p, X, y)),
            "That is e_switch, the loss with the column switched. Divide it by the loss as it is.",
        ),
        Slip(
            "upside down",
            lambda *a: 1 / _reliances(*a),
            "Upside down: that is e_orig / e_switch.",
        ),
        Slip(
            "the share that is added",
            lambda *a: _reliances(*a) - 1,
            "That is the ratio minus 1, the share that the switch adds. The ratio itself is "
            "wanted, for which 1 means 'not important'.",
        ),
        Slip(
            "n squared pairs over n(n-1)",
            lambda p, X, y: (
                np.mean(_switched_losses(p, X, y), axis=(1, 2)) / _mse(p, X, y) / _own_share(X)
            ),
            "The sum has n squared losses and is divided by n(n-1): each row also meets itself. "
            "Leave those out of the sum.",
        ),
        Slip(
            "n(n-1) pairs over n squared",
            lambda p, X, y: _reliances(p, X, y) * _own_share(X),
            "The sum has n(n-1) losses and is divided by n squared. Divide by how many there are.",
        ),
        Slip(
            "predictions averaged first",
            _mean_predictions,
            "The predictions of a row were averaged, and then their loss was taken. Take the loss "
            "of each prediction, and average the losses.",
        ),
        Slip(
            "equal values left out",
            _equal_values_left_out,
            "Pairs of rows with the same value were left out. Leave out only the pair of a row "
            "with itself: two different rows may have the same value.",
        ),
        Slip(
            "nothing swapped",
            lambda p, X, y: np.ones(X.shape[1]),
            "This is 1 for every model: value, rest and target all come from the same row, so "
            "nothing is swapped. It is the misprint of the notes, at the end of the lesson.",
        ),
        Slip(
            "target taken along",
            _swaps_with_target,
            "The target came along with the value. Row i gives its x_j only; the rest and the "
            "target are those of row k.",
        ),
        Slip(
            "the halves",
            _halves,
            "Each row has got the value of one other row, as in the worked example. Here it meets "
            "all the others in turn.",
        ),
        Slip(
            "each pair once",
            _each_pair_once,
            "Each pair was counted in one direction only. Row i gives to row k, and row k to row "
            "i: n(n-1) losses.",
        ),
        Slip(
            "clipped at 1",
            lambda *a: np.maximum(_reliances(*a), 1.0),
            CLIPPED.format("Values below 1, which means 'not important',"),
            behind="M6",
        ),
    ),
)

# 03.4 The population values of a linear model


def _draw_world(rng: np.random.Generator) -> dict:
    """A model and a truth in which one variable helps the model and the other one harms it."""
    while True:
        b = rng.uniform(-2, 2, size=2).round(3)
        beta = rng.uniform(-1.5, 1.5, size=2).round(3)
        rho = float(rng.choice([-1, -1, -1, 0, 1, 1]) * round(rng.uniform(0.2, 0.95), 3))
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
    n_cases=16,
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
            "2 b squared is right where the model is the truth (or fitted by least squares). This "
            "model need not be.",
        ),
        Slip(
            "clipped at 0",
            lambda b, beta, rho: np.maximum(_population(b, beta, rho), 0.0),
            CLIPPED.format("Negative values"),
            behind="M6",
        ),
        Slip(
            "signs lost",
            lambda b, beta, rho: abs(_population(b, beta, rho)),
            SIGNS_LOST,
            behind="M6",
        ),
        Slip(
            "factor 2 forgotten",
            lambda b, beta, rho: _population(b, beta, rho) / 2,
            "Half of what it should be: the scrambled value and the right one are two independent "
            "draws, and both vary.",
        ),
        Slip(
            "the other term forgotten",
            lambda b, beta, rho: 2 * b * (beta + beta[::-1] * rho),
            "That uses Cov(y, x_j). What x_j has to explain is what the other variable of the "
            "model leaves of y.",
        ),
        Slip(
            "what the whole model leaves",
            lambda b, beta, rho: _population(b, beta, rho) - 2 * b**2,
            "That uses Cov(y - f, x_j), with both terms of the model subtracted. Subtract only the "
            "term of the other variable.",
        ),
        Slip(
            "rho missing in the model's term",
            lambda b, beta, rho: 2 * b * (beta + beta[::-1] * rho - b[::-1]),
            "Cov(b_k x_k, x_j) is b_k times the covariance of the two variables, which is rho.",
        ),
        Slip(
            "rho missing in the world's term",
            lambda b, beta, rho: 2 * b * (beta + beta[::-1] - b[::-1] * rho),
            "Cov(beta_k x_k, x_j) is beta_k times the covariance of the two variables, which is "
            "rho.",
        ),
        Slip(
            "without correlation",
            lambda b, beta, rho: 2 * b * beta,
            "That is right at the correlation 0. Otherwise the other variable brings in rho, by "
            "beta_k and by b_k.",
        ),
        Slip(
            "rho nowhere",
            lambda b, beta, rho: 2 * b * (beta + beta[::-1] - b[::-1]),
            "rho is missing: the covariance of x1 and x2 is rho, and it stands in the term of "
            "beta_k and in that of b_k.",
        ),
        Slip(
            "the two exchanged",
            lambda b, beta, rho: _population(b, beta, rho)[::-1],
            "Right values in the wrong order: the first is that of x1.",
        ),
    ),
)

# 03.5 Conditional model reliance by chimeras


def _chimera_case(case: dict) -> tuple:
    predict, X, y = _table(**case)
    X_hat = np.empty_like(X)
    for j in range(X.shape[1]):  # least squares of each column on the others
        rest = np.column_stack([np.ones(len(X)), np.delete(X, j, axis=1)])
        X_hat[:, j] = rest @ np.linalg.lstsq(rest, X[:, j], rcond=None)[0]
    return predict, X, y, X_hat


def _chimeras(X, X_hat, j) -> np.ndarray:
    return X_hat[:, [j]] + (X[:, j] - X_hat[:, j])


def _with_columns(predict, X, y, news) -> list[np.ndarray]:
    return [_column_losses(predict, X, y, j, new) for j, new in enumerate(news)]


def _increases_with(column: Callable) -> Callable:
    """The slip of another new column; `column(X, X_hat, j)` has row k, column i."""

    def answer(predict, X, y, X_hat) -> np.ndarray:
        news = [column(X, X_hat, j) for j in range(X.shape[1])]
        return _off_diagonal_means(_with_columns(predict, X, y, news)) - _mse(predict, X, y)

    return answer


def _conditionals(predict, X, y, X_hat) -> np.ndarray:
    return _increases_with(_chimeras)(predict, X, y, X_hat)


def _own_heads_included(predict, X, y, X_hat) -> np.ndarray:
    news = [_chimeras(X, X_hat, j) for j in range(X.shape[1])]
    return np.mean(_with_columns(predict, X, y, news), axis=(1, 2)) - _mse(predict, X, y)


def _rest_predicted_too(predict, X, y, X_hat) -> np.ndarray:
    """The slip of building the chimeras in a copy of X_hat."""
    news = [_chimeras(X, X_hat, j) for j in range(X.shape[1])]
    return _off_diagonal_means(_with_columns(predict, X_hat, y, news)) - _mse(predict, X, y)


CONDITIONAL = Exercise(
    id="03.5",
    title="Conditional model reliance by chimeras",
    points=3,
    expects="for each column the mean loss over all chimeras of two different rows, minus the mean "
    "loss as it is",
    draw=_drawing(_chimera_case, _answers(lambda: CONDITIONAL)),
    turns=WIDTHS,
    inputs=_chimera_case,
    describe=_describe,
    reference=_conditionals,
    hints=(
        "The unique part of row i is X[i, j] - X_hat[i, j].",
        "Row k keeps its own X_hat[k, j] and gets the unique part of row i on top.",
        "Loop over i: build the whole column X_hat[:, j] + (X[i, j] - X_hat[i, j]), predict, leave "
        "row i out.",
    ),
    slips=(
        Slip(
            "plain scrambling",
            lambda p, X, y, X_hat: _off_diagonal_means(_switched_losses(p, X, y)) - _mse(p, X, y),
            "That is plain model reliance: the whole value of row i was taken, also the part that "
            "the other columns of row k predict.",
            behind="M2",
        ),
        Slip(
            "head and body confused",
            _increases_with(lambda X, X_hat, j: _chimeras(X, X_hat, j).T),
            "Head and body are confused: row k must keep its own X_hat and receive the unique part "
            "of row i.",
        ),
        Slip(
            "head without body",
            _increases_with(lambda X, X_hat, j: np.tile((X - X_hat)[:, j], (len(X), 1))),
            "The unique part alone was put into the column. Add it to what the other columns of "
            "row k predict.",
        ),
        Slip(
            "own heads included",
            _own_heads_included,
            "Close, but each row also got its own head back, n times in all. Average over pairs of "
            "different rows.",
        ),
        Slip(
            "a ratio",
            lambda p, X, y, X_hat: 1 + _conditionals(p, X, y, X_hat) / _mse(p, X, y),
            "That is the ratio of the two losses. Here the difference is wanted.",
        ),
        Slip(
            "body without head",
            _increases_with(lambda X, X_hat, j: np.tile(X_hat[:, [j]], (1, len(X)))),
            "The column got what the other columns predict, and nothing else. Add the unique part "
            "of row i.",
        ),
        Slip(
            "a second head",
            _increases_with(lambda X, X_hat, j: X[:, [j]] + (X - X_hat)[:, j]),
            "Row k has kept its own unique part and got that of row i on top. It keeps X_hat[k, j] "
            "only.",
        ),
        Slip(
            "the rest predicted too",
            _rest_predicted_too,
            "The other columns of the row are predictions too. Begin with a copy of X: only column "
            "j changes.",
        ),
        Slip(
            "the loss of the chimeras alone",
            lambda p, X, y, X_hat: _conditionals(p, X, y, X_hat) + _mse(p, X, y),
            "That is the mean loss of the chimeras. Subtract the loss as it is.",
        ),
        Slip(
            "before minus after",
            lambda *a: -_conditionals(*a),
            "Right size, wrong sign: important means that the loss goes up.",
        ),
        Slip("signs lost", lambda *a: abs(_conditionals(*a)), SIGNS_LOST, behind="M6"),
        Slip(
            "clipped at 0",
            lambda *a: np.maximum(_conditionals(*a), 0.0),
            CLIPPED.format("Negative values"),
            behind="M6",
        ),
    ),
)

# 03.6 Several columns scrambled together


def _group_case(case: dict) -> tuple:
    predict, X, y = _table(**case)
    rng = np.random.default_rng(case["seed"] + 2)
    return predict, X, y, _draw_groups(rng, case["p"], case["more"]), rng.permutation(len(X))


def _draw_groups(rng: np.random.Generator, p: int, n_groups: int) -> list[list[int]]:
    """A pair that is no neighbours, the larger first, and the rest; perhaps one or two more."""
    while True:
        columns = rng.permutation(p).tolist()
        if columns[0] > columns[1] + 1:
            groups = [columns[:2], columns[2:], columns[1:4], [int(rng.integers(p))]]
            return [groups[k] for k in rng.permutation(n_groups)]


def _group(predict, X, y, group, order) -> float:
    return _mse(predict, _replaced(X, group, X[np.ix_(order, group)]), y) - _mse(predict, X, y)


def _groups(predict, X, y, groups, order) -> np.ndarray:
    return np.array([_group(predict, X, y, group, order) for group in groups])


def _piled_up(predict, X, y, groups, order) -> np.ndarray:
    """The slip of one copy for all groups: what was shuffled stays shuffled."""
    so_far = [sorted(set().union(*groups[: k + 1])) for k in range(len(groups))]
    return _groups(predict, X, y, so_far, order)


def _combined(combine: Callable) -> Callable:
    """The slip of measuring each column alone and combining the numbers."""
    return lambda p, X, y, groups, order: np.array(
        [combine([_group(p, X, y, [j], order) for j in group]) for group in groups]
    )


def _of_other_columns(change: Callable) -> Callable:
    """The slip of shuffling other columns than those of the group, such as its last one."""
    return lambda p, X, y, groups, order: np.array(
        [_group(p, X, y, change(group, X.shape[1]), order) for group in groups]
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _sorted_on_one_side(predict, X, y, groups, order) -> np.ndarray:
    """The slip of columns in ascending order that get values in the order of the group."""
    tables = [_replaced(X, sorted(group), X[np.ix_(order, group)]) for group in groups]
    return np.array([_mse(predict, table, y) for table in tables]) - _mse(predict, X, y)


GROUP = Exercise(
    id="03.6",
    title="Importance of groups of columns",
    points=2,
    expects="for each group the increase of the mean squared error when all its columns are put "
    "into the same new order",
    draw=_drawing(_group_case, _answers(lambda: GROUP)),
    turns=((6, 2), (7, 4), (7, 3), (6, 4)),  # columns, groups
    inputs=_group_case,
    describe=lambda case: f"{_describe(case)}, in the groups {_group_case(case)[3]}",
    reference=_groups,
    hints=(
        "All columns of a group take their values from the same other row.",
        "Make a copy and set its columns, one after the other, to X[order, j]; predict once, at "
        "the end.",
    ),
    slips=(
        Slip(
            "one by one, added up",
            _combined(sum),
            "The columns were shuffled one at a time and the increases added. Columns that share "
            "the work look unimportant that way: shuffle them at once.",
            behind="M3",
        ),
        Slip(
            "the largest single one",
            _combined(max),
            "That is the largest importance of a single column. What counts is the loss when all "
            "columns of the group have wrong values at once.",
            behind="M3",
        ),
        Slip(
            "the mean of the single ones",
            _combined(_mean),
            "That is the mean of the importances of single columns. Shuffle the columns of the "
            "group at once, and measure once.",
            behind="M3",
        ),
        Slip(
            "the last column only",
            _of_other_columns(lambda group, p: group[-1:]),
            "Only the last column of each group is shuffled when the loss is measured. Copy X "
            "before the loop over the columns, not inside it.",
        ),
        Slip(
            "the first column only",
            _of_other_columns(lambda group, p: group[:1]),
            "Only the first column of each group is shuffled when the loss is measured. Measure "
            "after the loop over the columns, not inside it.",
        ),
        Slip(
            "a slice",
            _of_other_columns(lambda group, p: list(range(min(group), max(group) + 1))),
            "All columns from the smallest to the largest position were shuffled. A group is a "
            "list of positions, with others in between that stay as they are.",
        ),
        Slip(
            "the others",
            _of_other_columns(lambda group, p: [j for j in range(p) if j not in group]),
            "The columns outside the group were shuffled, and the group has kept its values.",
        ),
        Slip(
            "sorted on one side only",
            _sorted_on_one_side,
            "Some columns got the values of another column of the group: the positions have one "
            "order on the left of the assignment and another on the right.",
        ),
        Slip(
            "a relative increase",
            lambda p, X, y, groups, order: _groups(p, X, y, groups, order) / _mse(p, X, y),
            "That is the increase divided by the loss before. Leave the difference undivided.",
        ),
        Slip(
            "groups piled up",
            _piled_up,
            "The groups before it are still shuffled when the next one is measured. Begin each "
            "group with a fresh copy of X.",
        ),
        Slip(
            "order followed backwards",
            lambda p, X, y, groups, order: _groups(p, X, y, groups, np.argsort(order)),
            BACKWARDS,
        ),
        Slip(
            "all columns",
            lambda p, X, y, groups, order: np.full(
                len(groups), _mse(p, X[order], y) - _mse(p, X, y)
            ),
            "Whole rows were shuffled, also the columns outside the group.",
        ),
        Slip("signs lost", lambda *a: abs(_groups(*a)), SIGNS_LOST, behind="M6"),
        Slip(
            "clipped at 0",
            lambda *a: np.maximum(_groups(*a), 0.0),
            CLIPPED.format("Negative values"),
            behind="M6",
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
            "Both of yours are exact, and they are not alone: predictions that do not read x2 "
            "do not change when x2 does, on whatever rows.",
            behind="M2",
        ),
        Slip(
            "conditional draws left out",
            lambda: {"a", "b", "e"},
            "All of yours are exact. One more asks the same fitted model, only with other "
            "values of x2. What does it answer?",
        ),
        Slip(
            "the ratio left out",
            lambda: {"a", "b", "c"},
            "All of yours are exact. One more is, by another value for 'not important': it need "
            "not be 0.",
        ),
        Slip(
            "refitting included",
            lambda: {"a", "b", "c", "d", "e"},
            "One of yours does not ask this fitted model. What this one ignores, another fit "
            "may use.",
        ),
        Slip(
            "training rows left out",
            lambda: {"a", "c", "e"},
            "All of yours are exact. One more is: a model is credited for what it has learnt by "
            "heart, but this one has learnt nothing from x2.",
            behind="M5",
        ),
        Slip(
            "the correlation with y included",
            lambda: {"a", "b", "c", "e", "f"},
            "One of yours asks no model. x2 resembles x1, and so whatever x1 resembles.",
            behind="M2",
        ),
        Slip(
            "all of them",
            lambda: {"a", "b", "c", "d", "e", "f"},
            "Two of these numbers do not ask this model at all.",
        ),
    ),
)

EXERCISES = (PERMUTATION, SCORER, RELIANCE, POPULATION, CONDITIONAL, GROUP, UNUSED)
