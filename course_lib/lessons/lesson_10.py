"""The exercises of lesson 10: six answers about wines, whether they last, and a card."""

from functools import cache

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from course_lib.lessons.exercise import ALLOWED, Exercise, Slip
from course_lib.measures.rashomon.sets import LinearRashomonSet
from course_lib.measures.reliance import conditional_model_reliance, model_reliance
from course_lib.worlds.tables import WINES

RELIANCE = ("model_reliance", "conditional_model_reliance", "algorithm_reliance")
LIBRARY = (
    *ALLOWED,
    *(f"course_lib.measures.{name}" for name in RELIANCE),
    "course_lib.measures.LinearRashomonSet",
)
SIZES = ((0.5, 0), (0.59, 2), (0.45, 1))  # share of the wines drawn, number of columns left out
BELOW = -1e-3  # a value that is negative by more than rounding
TRIES = 2000  # draws, among which there must be a case in which a sign counts

# What the cases share: some of the wines, drawn at random, and a model of the others


@cache
def _wines() -> tuple[np.ndarray, np.ndarray]:
    X, y = WINES.load()
    return X.to_numpy(), y.to_numpy()


def _parts(seed: int, n: int, p: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """X, y of n of the wines, then of the others, with p of their columns."""
    X, y = _wines()
    rng = np.random.default_rng(seed)
    order, columns = rng.permutation(len(y)), np.sort(rng.permutation(X.shape[1])[:p])
    one, other = order[:n], order[n:]
    return X[one][:, columns], y[one], X[other][:, columns], y[other]


def _model_and_others(case: dict) -> tuple:
    X, y, X_other, y_other = _parts(**case)
    return LinearRegression().fit(X, y), X_other, y_other


def _draw_part(rng: np.random.Generator, share: float, left_out: int) -> dict:
    n, p = _wines()[0].shape
    return {"seed": int(rng.integers(10**6)), "n": round(share * n), "p": p - left_out}


def _part_with_negative(measure, inputs):
    """A draw of wines for which the measure is negative for some column."""

    def draw(rng: np.random.Generator, *size) -> dict:
        draws = (_draw_part(rng, *size) for _ in range(TRIES))
        return _first(draws, lambda case: np.min(measure(*inputs(case))) < BELOW)

    return draw


def _first(draws, has_negative) -> dict:
    """The first case with a negative value; a table that yields none is refused."""
    for case in draws:
        if has_negative(case):
            return case
    raise ValueError(
        f"Among {TRIES} draws from the table of the capstone's exercise no answer is negative, so "
        "the check could not tell whoever drops a sign. Declare a table in "
        "course_lib/worlds/tables.py that has columns which matter little, or fewer rows."
    )


def _describe(case: dict) -> str:
    rows, columns = case["n"], case["p"]
    return f"of {rows} random wines and {columns} columns (seed {case['seed']})"


def _mse(model, X, y) -> float:
    return float(np.mean((y - model.predict(X)) ** 2))


def _signless(measure, negative: str) -> tuple[Slip, Slip]:
    """The slips of dropping the sign and of clipping at 0; `negative` says what a sign means."""
    return (
        Slip(
            "signs dropped",
            lambda *given: np.abs(measure(*given)),
            f"Right sizes, but the signs are gone. {negative}",
            behind="M6",
        ),
        Slip(
            "negative values clipped",
            lambda *given: np.maximum(measure(*given), 0),
            f"You have set the negative values to 0. {negative}",
            behind="M6",
        ),
    )


def _fitted_again(measure) -> Slip:
    """The slip of putting a new model in the place of the one that is given."""
    return Slip(
        "fitted again",
        lambda model, X, y: measure(LinearRegression().fit(X, y), X, y),
        "You have fitted a model to these rows. The question is about the model that is given, "
        "which comes from other wines.",
        behind="M4",
    )


def _turned_round(measure) -> Slip:
    """The slip of subtracting the other way round."""
    return Slip(
        "subtracted the other way round",
        lambda *given: -measure(*given),
        "The sizes are right, and every sign is turned. The increase is the error afterwards minus "
        "the error before.",
    )


# 10.1 Q1, three blanks


def _to_model(model, X, y, *, as_ratio=False) -> np.ndarray:
    return model_reliance(model, X, y, as_ratio=as_ratio).importances_mean


def _row_rolled(model, X, y) -> np.ndarray:
    """The slip of moving all columns together."""
    errors = [_mse(model, np.roll(X, k, axis=0), y) for k in range(1, len(y))]
    return np.full(X.shape[1], np.mean(errors) - _mse(model, X, y))


def _shifted_once(model, X, y) -> np.ndarray:
    errors = [_mse(model, _replaced(X, j, X[:, j]), y) for j in range(X.shape[1])]
    return np.array(errors) - _mse(model, X, y)


def _replaced(X, j, values) -> np.ndarray:
    """The table with these values in column j, each moved to the next row."""
    return np.column_stack([*X.T[:j], np.roll(values, 1), *X.T[j + 1 :]])


TO_MODEL = Exercise(
    id="10.1",
    title="Q1, to this model",
    points=2,
    blanks=3,
    expects="for each column, the mean squared error over all pairs of different rows with that "
    "column exchanged, minus the error before",
    draw=_part_with_negative(_to_model, _model_and_others),
    turns=SIZES,
    n_cases=3,
    inputs=_model_and_others,
    reference=_to_model,
    describe=_describe,
    hints=(
        "np.roll(column, k) gives row i the value of row i - k. Which rows does it pair for "
        "k = 1, ..., n - 1?",
        "Only column j moves; the other columns and y stay where they are.",
        "The increase is the mean of the errors over all k, minus the error before.",
    ),
    slips=(
        Slip(
            "ratio instead of difference",
            lambda model, X, y: _to_model(model, X, y, as_ratio=True),
            "That is e_switch divided by e_orig. Here all six answers are differences, so that "
            "0 means not important in every one of them.",
        ),
        Slip(
            "rows paired with themselves",
            lambda model, X, y: (len(y) - 1) / len(y) * _to_model(model, X, y),
            "Close: one of your pairings leaves every row with its own value (k = 0). Only pairs "
            "of different rows count.",
        ),
        Slip(
            "all columns moved",
            _row_rolled,
            "All columns have moved together, so every column gets the same number. Exchange "
            "column j alone.",
        ),
        Slip(
            "error before not subtracted",
            lambda model, X, y: _to_model(model, X, y) + _mse(model, X, y),
            "That is the error after the exchange. Subtract the error before it.",
        ),
        Slip(
            "right only on the fitted rows",
            lambda model, X, y: 2 * model.coef_**2 * X.var(axis=0, ddof=1),
            "2 b_j^2 s_j^2 is the increase on the rows that least squares was fitted to. Here the "
            "model comes from other wines. Exchange the column and measure.",
            behind="M5",
        ),
        Slip(
            "one shift instead of all",
            _shifted_once,
            "Every row got the value of the row before it: one of n - 1 pairings. Average over "
            "k = 1, ..., n - 1.",
        ),
        _turned_round(_to_model),
        _fitted_again(_to_model),
        *_signless(
            _to_model, "On other wines than those of the fit an exchange can lower the error."
        ),
    ),
)

# 10.2 Q2


def _unique(X, j) -> np.ndarray:
    """What least squares cannot predict of column j from the other columns."""
    rest = np.delete(X, j, axis=1)
    return X[:, j] - LinearRegression().fit(rest, X[:, j]).predict(rest)


def _unique_to_model(model, X, y, *, as_ratio=False) -> np.ndarray:
    return conditional_model_reliance(model, X, y, as_ratio=as_ratio).importances_mean


def _exchanged(model, X, y, part) -> np.ndarray:
    """Increase of the error when `part(X, j)` of column j goes to every other row."""
    residuals, found = y - model.predict(X), []
    for j, b in enumerate(model.coef_):
        centred = part(X, j) - part(X, j).mean()
        found.append(2 * b * (residuals @ centred + b * centred @ centred) / (len(y) - 1))
    return np.array(found)


def _residual_alone(model, X, y) -> np.ndarray:
    """The slip of putting another row's unique part in the place of the column, over all pairs."""
    residuals, found = y - model.predict(X), []
    for j, b in enumerate(model.coef_):
        unique = _unique(X, j)
        errors = (residuals + b * X[:, j])[:, np.newaxis] - b * unique
        found.append(np.mean(errors[~np.eye(len(y), dtype=bool)] ** 2))
    return np.array(found) - _mse(model, X, y)


def _by_the_formula(model, X, y) -> np.ndarray:
    variances = [_unique(X, j).var(ddof=1) for j in range(X.shape[1])]
    return 2 * model.coef_**2 * variances


UNIQUE_TO_MODEL = Exercise(
    id="10.2",
    title="Q2, its unique information to this model",
    points=2,
    expects="for each column, the increase of the mean squared error over all pairs of different "
    "rows when only the part that the other columns cannot predict is exchanged",
    draw=_part_with_negative(_unique_to_model, _model_and_others),
    turns=SIZES,
    n_cases=3,
    inputs=_model_and_others,
    reference=_unique_to_model,
    describe=_describe,
    allowed=LIBRARY,
    hints=(
        "Which function of course_lib.measures answers question 2? Read the first line of its "
        "documentation, and as_ratio.",
        "By hand: predict column j from the other columns by least squares; what is left over is "
        "what moves.",
        "conditional_model_reliance(model, X, y, as_ratio=False).importances_mean",
    ),
    slips=(
        Slip(
            "the whole column exchanged",
            _to_model,
            "That answers question 1: the whole column moves, also what the other columns can "
            "predict of it. Exchange only what they cannot predict.",
            behind="M2",
        ),
        Slip(
            "ratio instead of difference",
            lambda model, X, y: _unique_to_model(model, X, y, as_ratio=True),
            "That is a ratio, which is 1 where nothing is lost. Ask for the difference: "
            "as_ratio=False.",
        ),
        Slip(
            "the predictable part exchanged",
            lambda model, X, y: _exchanged(model, X, y, lambda X, j: X[:, j] - _unique(X, j)),
            "You have exchanged what the other columns can predict of this one. What they cannot "
            "predict is the residual.",
        ),
        Slip(
            "the predicted part forgotten",
            _residual_alone,
            "The column was replaced by another row's residual alone. A row keeps what the other "
            "columns predict of its own value, and gets the residual of another row on top.",
        ),
        Slip(
            "right only on the fitted rows",
            _by_the_formula,
            "2 b_j^2 s_e^2 is the increase on the rows that least squares was fitted to. Here the "
            "model comes from other wines. Exchange the unique part and measure.",
            behind="M5",
        ),
        _turned_round(_unique_to_model),
        _fitted_again(_unique_to_model),
        *_signless(
            _unique_to_model,
            "On other wines than those of the fit an exchange can lower the error.",
        ),
    ),
)

# 10.3 Q3


def _prediction_case(case: dict) -> tuple:
    X, y, X_test, _ = _parts(**case)
    return LinearRegression().fit(X, y), X, X_test[0]


def _contributions(model, X, x) -> np.ndarray:
    return model.coef_ * (x - X.mean(axis=0))


def _shares(model, X, x) -> np.ndarray:
    sizes = np.abs(_contributions(model, X, x))
    return sizes / sizes.sum()


TO_PREDICTION = Exercise(
    id="10.3",
    title="Q3, to one prediction",
    points=2,
    expects="for each column, b_j times the distance of the wine's value from the mean of X, with "
    "its sign",
    draw=_draw_part,
    turns=SIZES,
    inputs=_prediction_case,
    reference=_contributions,
    describe=_describe,
    hints=(
        "All contributions together must lead from the prediction for the mean wine to the "
        "prediction for this wine.",
        "A linear model moves by b_j for each unit of x_j. How many units is this wine away from "
        "the mean?",
    ),
    slips=(
        Slip(
            "no mean subtracted",
            lambda model, X, x: model.coef_ * x,
            "That is b_j x_j, which depends on where the scale of x_j has its 0. A contribution "
            "starts at the mean: b_j (x_j - mean).",
        ),
        Slip(
            "shares",
            _shares,
            "These are shares that add up to 1. Contributions have the unit of the prediction and "
            "a sign, and add up to its distance from the mean prediction.",
            behind="M9",
        ),
        Slip(
            "signs dropped",
            lambda model, X, x: np.abs(_contributions(model, X, x)),
            "Right sizes, but the signs are gone: a wine may be predicted lower because of a "
            "variable.",
            behind="M6",
        ),
        Slip(
            "coefficients",
            lambda model, X, x: model.coef_.copy(),
            "Those are the coefficients, the same for every wine. Question 3 is about this one.",
        ),
        Slip(
            "from the wine to the mean",
            lambda model, X, x: -_contributions(model, X, x),
            "The sizes are right, and every sign is turned. The way leads from the mean to this "
            "wine: x minus the mean.",
        ),
        Slip(
            "one mean for all columns",
            lambda model, X, x: model.coef_ * (x - X.mean()),
            "X.mean() is the mean of the whole table. Each column has its own mean: "
            "X.mean(axis=0).",
        ),
    ),
)

# 10.4 Q4, cross-fitted


def _folds_case(case: dict) -> tuple:
    """Some of the wines, and the rows that are held out, fold by fold, in about five folds."""
    X, y = _parts(**case)[:2]
    order = np.random.default_rng(case["seed"]).permutation(len(y))
    uneven = next(k for k in (5, 4, 3, 7) if len(y) % k)  # folds are not all equally large
    return X, y, np.array_split(order, uneven)


def _errors(X, y, fitted, measured, kept, intercept) -> np.ndarray:
    """Squared errors on some rows of least squares fitted to others, with some columns."""
    centre, level = X[fitted][:, kept].mean(axis=0) * intercept, y[fitted].mean() * intercept
    b = np.linalg.lstsq(X[fitted][:, kept] - centre, y[fitted] - level, rcond=None)[0]
    return (y[measured] - level - (X[measured][:, kept] - centre) @ b) ** 2


def _losses(X, y, folds, on_fitted=False, on_all=False, by_rows=True, intercept=True) -> np.ndarray:
    """Mean squared errors without each column and, last, with all, of each fold's fit."""
    columns, total = np.arange(X.shape[1]), []
    for fold in folds:
        rest = fold if on_all else np.delete(np.arange(len(y)), fold)
        choices = (*(np.delete(columns, j) for j in columns), columns)
        rows = rest if on_fitted else fold
        total.append([_errors(X, y, rest, rows, kept, intercept).mean() for kept in choices])
    return np.average(total, axis=0, weights=[len(fold) if by_rows else 1 for fold in folds])


def _to_algorithm(X, y, folds, **slip) -> np.ndarray:
    errors = _losses(X, y, folds, **slip)
    return errors[:-1] - errors[-1]


def _ratio_of_errors(X, y, folds) -> np.ndarray:
    errors = _losses(X, y, folds)
    return errors[:-1] / errors[-1]


def _at_its_mean(X, y, folds) -> np.ndarray:
    """The slip of keeping each fold's model and filling the column with its mean."""
    total = np.zeros(X.shape[1])
    for fold in folds:
        rest = np.delete(np.arange(len(y)), fold)
        model = LinearRegression().fit(X[rest], y[rest])
        for j in range(X.shape[1]):
            filled = X[fold].copy()
            filled[:, j] = X[rest, j].mean()
            worse = _mse(model, filled, y[fold]) - _mse(model, X[fold], y[fold])
            total[j] += worse * len(fold) / len(y)
    return total


TO_ALGORITHM = Exercise(
    id="10.4",
    title="Q4, to the algorithm",
    points=2,
    expects="for each column, the mean squared error over all rows of least squares without it, "
    "minus that with all columns, each row predicted by a fit to the other folds",
    draw=_part_with_negative(_to_algorithm, _folds_case),
    turns=SIZES[:2],
    n_cases=2,
    inputs=_folds_case,
    reference=_to_algorithm,
    describe=_describe,
    allowed=LIBRARY,
    hints=(
        "For each fold: fit to all the other rows, measure on the rows of the fold. Twice: with "
        "all columns, and without column j.",
        "np.delete(np.arange(len(y)), fold) are the rows to fit to.",
        "Average over the rows, not over the folds: a larger fold counts more. Add up squared "
        "errors and divide by len(y) at the end.",
    ),
    slips=(
        Slip(
            "measured on the fitted rows",
            lambda X, y, folds: _to_algorithm(X, y, folds, on_fitted=True),
            "These errors are those of the rows the models were fitted to, where leaving out a "
            "column can never help. Measure on the fold that was left out.",
            behind="M5",
        ),
        Slip(
            "folds not used",
            lambda X, y, folds: _to_algorithm(X, y, [np.arange(len(y))], on_all=True),
            "You have fitted and measured on all rows at once. For each fold, fit to the other "
            "rows and measure on the fold.",
            behind="M5",
        ),
        Slip(
            "every fold counts alike",
            lambda X, y, folds: _to_algorithm(X, y, folds, by_rows=False),
            "You have averaged over the folds, which have different sizes. Every row counts once: "
            "add up squared errors and divide by len(y).",
        ),
        Slip(
            "not fitted again",
            _at_its_mean,
            "The model was kept and the column filled with its mean. Question 4 lets the algorithm "
            "learn again without the column.",
            behind="M3",
        ),
        Slip(
            "ratio instead of difference",
            _ratio_of_errors,
            "That is a ratio of two errors. Subtract one from the other.",
        ),
        Slip(
            "fitted to the fold",
            lambda X, y, folds: _to_algorithm(X, y, folds, on_all=True),
            "The models were fitted to the rows of the fold and measured there. Fit to the other "
            "rows, and measure on the fold.",
            behind="M5",
        ),
        Slip(
            "sums instead of means",
            lambda X, y, folds: len(y) * _to_algorithm(X, y, folds),
            "These are sums over the rows. Divide by the number of rows.",
        ),
        Slip(
            "no intercept",
            lambda X, y, folds: _to_algorithm(X, y, folds, intercept=False),
            "Least squares was fitted without an intercept. Give it one, as LinearRegression() "
            "does: by hand, a column of ones.",
        ),
        Slip(
            "with all minus without",
            lambda X, y, folds: -_to_algorithm(X, y, folds),
            "The sizes are right, and every sign is turned. It is the error without the column "
            "minus the error with all.",
        ),
        *_signless(
            _to_algorithm,
            "With these folds the error is smaller without some columns, and the sign says so.",
        ),
    ),
)

# 10.5 and 10.6 Q5 and Q6


def _draw_column(rng: np.random.Generator, *size) -> dict:
    """A column on which some good model relies the wrong way round, so that a sign counts."""

    def a_column() -> dict:
        case = _draw_part(rng, *size)
        case["j"] = int(rng.integers(case["p"]))
        return case | {"slack": float(rng.choice([0.04, 0.1]))}

    def has_negative(case: dict) -> bool:
        return max(f(*_column_case(case))[0] for f in (_range, _unique_range)) < BELOW

    return _first((a_column() for _ in range(TRIES)), has_negative)


def _column_case(case: dict) -> tuple:
    X, y, *_ = _parts(case["seed"], case["n"], case["p"])
    return X, y, case["j"], case["slack"]


def _describe_column(case: dict) -> str:
    return f"column {case['j']}, slack {case['slack']}, {_describe(case)}"


def _ends(X, y, j, epsilon, *, conditional=False, as_ratio=False) -> tuple[float, float]:
    good = LinearRashomonSet(X, y, epsilon=epsilon)
    ask = good.conditional_model_class_reliance if conditional else good.model_class_reliance
    found = ask(j, as_ratio=as_ratio)
    return found.low, found.high


def _epsilon(X, y, slack) -> float:
    return slack * _mse(LinearRegression().fit(X, y), X, y)


def _range(X, y, j, slack, **options) -> tuple[float, float]:
    return _ends(X, y, j, _epsilon(X, y, slack), **options)


def _unique_range(X, y, j, slack, **options) -> tuple[float, float]:
    return _range(X, y, j, slack, conditional=True, **options)


def _fit_only(X, y, j, slack) -> tuple[float, float]:
    value = _to_model(LinearRegression().fit(X, y), X, y)[j]
    return value, value


def _fit_only_unique(X, y, j, slack) -> tuple[float, float]:
    value = _unique_to_model(LinearRegression().fit(X, y), X, y)[j]
    return value, value


SMALLER = (
    "The lower end is below 0: some good model would have a smaller error if {} were exchanged."
)


def _other_tolerances(measure) -> tuple[Slip, Slip, Slip]:
    """The slips of those who take another error than slack times the least for epsilon."""

    def with_epsilon(epsilon):
        return lambda X, y, j, slack: measure(X, y, j, epsilon(X, y, slack))

    return (
        Slip(
            "the largest error as epsilon",
            with_epsilon(lambda X, y, slack: (1 + slack) / slack * _epsilon(X, y, slack)),
            "Epsilon was the largest error that a good model may have. It is how much larger than "
            "the least error that is: slack times the least error.",
        ),
        Slip(
            "a share of the variance",
            with_epsilon(lambda X, y, slack: slack * np.var(y)),
            "Epsilon was a share of the variance of y. It is a share of the least error.",
        ),
        Slip(
            "five per cent written in",
            with_epsilon(lambda X, y, slack: 0.05 / slack * _epsilon(X, y, slack)),
            "That is the range for 5 %, as in the lesson. The tolerance is an argument here: use "
            "slack.",
        ),
    )


def _unique_ends(X, y, j, epsilon) -> tuple[float, float]:
    return _ends(X, y, j, epsilon, conditional=True)


TO_GOOD_MODELS = Exercise(
    id="10.5",
    title="Q5, to any good model",
    points=2,
    expects="the least and the most that a linear model relies on the column (difference), if its "
    "error on X, y is at most 1 + slack times the least",
    draw=_draw_column,
    turns=SIZES,
    n_cases=3,
    inputs=_column_case,
    reference=_range,
    describe=_describe_column,
    allowed=LIBRARY,
    hints=(
        "LinearRashomonSet(X, y, epsilon=...) needs epsilon in the unit of the squared error. "
        "Which share of which error is it?",
        "The least error is that of LinearRegression, fitted to X, y and measured there.",
        "good.model_class_reliance(j, as_ratio=False) has .low and .high.",
    ),
    slips=(
        Slip(
            "slack used as epsilon",
            lambda X, y, j, slack: _ends(X, y, j, slack),
            "slack is a share of the least error; epsilon is an amount of error. Multiply one by "
            "the other.",
        ),
        Slip(
            "ratios",
            lambda X, y, j, slack: _range(X, y, j, slack, as_ratio=True),
            "Those are ratios. Ask for differences: as_ratio=False.",
        ),
        Slip(
            "the fit alone",
            _fit_only,
            "Both ends are the reliance of one model, the fit. Question 5 asks for the least and "
            "the most over all good models.",
            behind="M4",
        ),
        Slip(
            "ends swapped",
            lambda X, y, j, slack: _range(X, y, j, slack)[::-1],
            "Right numbers, the other way round: the lower end comes first.",
        ),
        *_other_tolerances(_ends),
        *_signless(_range, SMALLER.format("the column")),
    ),
)

UNIQUE_TO_GOOD_MODELS = Exercise(
    id="10.6",
    title="Q6, its unique information to any good model",
    points=2,
    expects="the least and the most that a linear model relies on the unique part of the column "
    "(difference), if its error on X, y is at most 1 + slack times the least",
    draw=_draw_column,
    turns=SIZES,
    n_cases=3,
    inputs=_column_case,
    reference=_unique_range,
    describe=_describe_column,
    allowed=LIBRARY,
    hints=(
        "The same set of good models as in 10.5, another question about each of them.",
        "good.conditional_model_class_reliance(j, as_ratio=False), or by hand: "
        "2 b_j bhat_j s_e^2, with b_j at the two ends of what a good model may have.",
    ),
    slips=(
        Slip(
            "the whole column",
            _range,
            "That is the range of question 5, about the whole column. Question 6 is about the "
            "part that the others cannot predict.",
            behind="M2",
        ),
        Slip(
            "slack used as epsilon",
            lambda X, y, j, slack: _ends(X, y, j, slack, conditional=True),
            "slack is a share of the least error; epsilon is an amount of error. Multiply one by "
            "the other.",
        ),
        Slip(
            "the fit alone",
            _fit_only_unique,
            "Both ends are the conditional reliance of one model, the fit. The question is about "
            "all good models.",
            behind="M4",
        ),
        Slip(
            "ends swapped",
            lambda X, y, j, slack: _unique_range(X, y, j, slack)[::-1],
            "Right numbers, the other way round: the lower end comes first.",
        ),
        Slip(
            "ratios",
            lambda X, y, j, slack: _unique_range(X, y, j, slack, as_ratio=True),
            "Those are ratios. Ask for differences: as_ratio=False.",
        ),
        *_other_tolerances(_unique_ends),
        *_signless(_unique_range, SMALLER.format("the unique part of the column")),
    ),
)

# 10.7 Does a disagreement survive?

FEATURES = ("acid", "ash", "color", "hue", "sugar")


def _draw_halves(rng: np.random.Generator, n: int) -> dict:
    """Two answers in n halves, a tie in each, for which the miscounts give other numbers."""
    while True:
        levels = rng.permutation(np.linspace(-0.1, 0.3, len(FEATURES)))
        left, right = (
            (order + rng.normal(scale=0.15, size=(n, len(FEATURES)))).round(3)
            for order in (levels, rng.permutation(levels))
        )
        a, b = rng.choice(FEATURES, 2, replace=False).tolist()
        for table, half in zip((left, right), rng.choice(n, 2, replace=False), strict=True):
            table[half, FEATURES.index(b)] = table[half, FEATURES.index(a)]
        tables = (dict(zip(FEATURES, table.T, strict=True)) for table in (left, right))
        given = (*tables, a, b)
        counts = [count(*given) for count in (_survives, *MISCOUNTS)]
        both_ties_count = _ties(*given) == counts[0] + 2
        if len(set(counts)) == len(counts) and counts[0] and both_ties_count:
            beyond = n - 1 - np.flatnonzero(_disagree(*given))[-1]  # so that the last half counts
            left, right = (np.roll(table, beyond, axis=0).tolist() for table in (left, right))
            return {"left": left, "right": right, "a": a, "b": b}


def _halves_case(case: dict) -> tuple:
    left, right = (pd.DataFrame(case[k], columns=list(FEATURES)) for k in ("left", "right"))
    return left, right, case["a"], case["b"]


def _disagree(left, right, a, b):
    return (left[a] > left[b]) & (right[a] < right[b])


def _survives(left, right, a, b) -> int:
    return int(_disagree(left, right, a, b).sum())


def _one_side(left, right, a, b) -> int:
    return int((left[a] > left[b]).sum())


def _either_way(left, right, a, b) -> int:
    return int(((left[a] > left[b]) != (right[a] > right[b])).sum())


def _by_size(left, right, a, b) -> int:
    sizes = ({name: np.abs(table[name]) for name in (a, b)} for table in (left, right))
    return _survives(*sizes, a, b)


def _turned(left, right, a, b) -> int:
    return _survives(right, left, a, b)


def _ties(left, right, a, b) -> int:
    return int(((left[a] >= left[b]) & (right[a] <= right[b])).sum())


def _ties_once(left, right, a, b) -> int:
    """The tie of one of the two answers is counted; there is one in each, so either gives this."""
    return int(((left[a] >= left[b]) & (right[a] < right[b])).sum())


def _share(left, right, a, b) -> float:
    return _survives(left, right, a, b) / len(left[a])


MISCOUNTS = (_one_side, _either_way, _by_size, _turned, _ties, _ties_once, _share)

SURVIVAL = Exercise(
    id="10.7",
    title="Does the disagreement survive?",
    points=2,
    expects="the number of halves in which `left` puts a above b and `right` puts b above a",
    draw=_draw_halves,
    turns=((15,), (18,), (21,)),
    n_cases=5,
    inputs=_halves_case,
    reference=_survives,
    describe=lambda case: (
        f"for a = {case['a']!r} and b = {case['b']!r} in {len(case['left'])} halves"
    ),
    hints=(
        "left[a] > left[b] is True in each half in which the left answer puts a above b.",
        "Both must happen in the same half: join the two with &, then count with sum().",
    ),
    slips=(
        Slip(
            "one answer only",
            _one_side,
            "You have counted the halves in which `left` puts a above b. In the same half `right` "
            "must put b above a.",
        ),
        Slip(
            "either direction",
            _either_way,
            "You have counted every half in which the two disagree, also those in which `left` "
            "puts b above a. Only one direction is the disagreement in question.",
        ),
        Slip(
            "by size without sign",
            _by_size,
            "You have compared sizes without their signs. A negative increase of the error is "
            "smaller than 0.",
            behind="M6",
        ),
        Slip(
            "left and right exchanged",
            _turned,
            "That is the opposite disagreement: `left` has to put a above b, `right` b above a.",
        ),
        Slip(
            "equal values counted",
            _ties,
            "In some halves the two values are equal, and then neither is above the other. Compare "
            "with > and <, not with >= and <=.",
        ),
        Slip(
            "equal values counted in one answer",
            _ties_once,
            "In one half the two values of one of the answers are equal, and it is counted. "
            "Equal values are not above each other: compare with > and <, and note that the "
            "opposite of > is not <.",
        ),
        Slip(
            "a share",
            _share,
            "That is the share of the halves. Return their number.",
        ),
    ),
)

# 10.8 Criticise a card

NOT_LICENSED = frozenset("bdefg")


def _but(letter: str):
    """The right answer, but for one sentence."""
    return lambda: set(NOT_LICENSED ^ {letter})


CARD = Exercise(
    id="10.8",
    title="Criticise a card",
    points=2,
    expects="the letters of all sentences that the card does not license",
    reference=lambda: set(NOT_LICENSED),
    hints=(
        "Ask of each sentence: about which model, on which rows, by which exchange? Then look for "
        "the line of the card that measured just this.",
        "Read the small print: what the interval covers, what the card knows of the rows, how the "
        "places in the halves were found, and what the two questions are about.",
        "A sentence that says 'some model' or 'every linear model within 5 %' says less than it "
        "seems. Three of the eight may stay.",
    ),
    slips=(
        Slip(
            "the licensed ones",
            lambda: set("ach"),
            "These are the sentences that may stay. Return the others.",
        ),
        Slip(
            "all of them",
            lambda: set("abcdefgh"),
            "Some say no more than a line of the card does. A good reviewer lets them pass.",
        ),
        Slip(
            "a low value taken for dispensable",
            _but("b"),
            "One that you let pass decides about a fit without a column. Q1 shuffled the column in "
            "a model that has it, and the fourth question was not asked.",
            behind="M3",
        ),
        Slip(
            "shuffles taken for other wines",
            _but("d"),
            "One that you let pass reads an interval as if it covered other wines. What does the "
            "card say that it covers?",
            behind="M5",
        ),
        Slip(
            "fitted rows taken for new ones",
            _but("e"),
            "One that you let pass speaks of wines that the model has not seen. What does the card "
            "know of the rows?",
            behind="M5",
        ),
        Slip(
            "a prediction taken for an effect",
            _but("f"),
            "One that you let pass says what would happen if somebody acted. No number of the card "
            "is about that.",
            behind="M7",
        ),
        Slip(
            "halves overlooked",
            _but("g"),
            "One that you let pass promises an order for other wines. Look at the places that the "
            "two columns take in the halves.",
            behind="M4",
        ),
        Slip(
            "the leader refused",
            _but("a"),
            "One that you refuse names the model, the wines and the shuffling, and repeats what "
            "the first line of the first table says.",
        ),
        Slip(
            "the class refused",
            _but("c"),
            "One that you refuse is about all linear models within 5 %, and the lower end of the "
            "range says just that.",
        ),
        Slip(
            "'some model' refused",
            _but("h"),
            "One that you refuse says only that some good model does not lose when a column is "
            "exchanged. Look at the lower end of its range.",
        ),
    ),
)

EXERCISES = (
    TO_MODEL,
    UNIQUE_TO_MODEL,
    TO_PREDICTION,
    TO_ALGORITHM,
    TO_GOOD_MODELS,
    UNIQUE_TO_GOOD_MODELS,
    SURVIVAL,
    CARD,
)
