"""The exercises of lesson 10: the six answers about alcohol, and where they disagree most."""

from functools import cache

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from course_lib.lessons.exercise import ALLOWED, Exercise, Slip
from course_lib.measures.rashomon.sets import LinearRashomonSet
from course_lib.measures.reliance import (
    algorithm_reliance,
    conditional_model_reliance,
    model_reliance,
)
from course_lib.worlds.wines import load_wines

RELIANCE = ("model_reliance", "conditional_model_reliance", "algorithm_reliance")
LIBRARY = (
    *ALLOWED,
    *(f"course_lib.measures.{name}" for name in RELIANCE),
    "course_lib.measures.LinearRashomonSet",
)

# What the cases share: a random half of the wines to fit to, the other half to measure on


@cache
def _wines() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_wines("alcohol")
    return X.to_numpy(), y.to_numpy()


def _halves(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """X, y of the wines to fit to, then of those to measure on."""
    X, y = _wines()
    order = np.random.default_rng(seed).permutation(len(y))
    fit, test = order[: len(y) // 2], order[len(y) // 2 :]
    return X[fit], y[fit], X[test], y[test]


def _draw_half(rng: np.random.Generator) -> dict:
    return {"seed": int(rng.integers(10**6))}


def _model_and_test(case: dict) -> tuple:
    X, y, X_test, y_test = _halves(case["seed"])
    return LinearRegression().fit(X, y), X_test, y_test


def _describe(case: dict) -> str:
    return f"of a random half of the wines (seed {case['seed']})"


def _mse(model, X, y) -> float:
    return float(np.mean((y - model.predict(X)) ** 2))


# 10.1 Q1, three blanks


def _to_model(model, X, y, *, as_ratio=False) -> np.ndarray:
    return model_reliance(model, X, y, as_ratio=as_ratio).importances_mean


def _row_rolled(model, X, y) -> np.ndarray:
    """The slip of moving all columns together."""
    errors = [_mse(model, np.roll(X, k, axis=0), y) for k in range(1, len(y))]
    return np.full(X.shape[1], np.mean(errors) - _mse(model, X, y))


TO_MODEL = Exercise(
    id="10.1",
    title="Q1, to this model",
    points=2,
    expects="for each column, the mean squared error over all pairs of different rows with that "
    "column exchanged, minus the error before",
    draw=_draw_half,
    n_cases=3,
    inputs=_model_and_test,
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
    ),
)

# 10.2 Q2


def _unique(X, j) -> np.ndarray:
    """What least squares cannot tell about column j from the other columns."""
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


UNIQUE_TO_MODEL = Exercise(
    id="10.2",
    title="Q2, its unique information to this model",
    points=2,
    expects="for each column, the increase of the mean squared error over all pairs of different "
    "rows when only what the other columns cannot tell about it is exchanged",
    draw=_draw_half,
    n_cases=3,
    inputs=_model_and_test,
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
            "That answers question 1: the whole column moves, also what other columns could have "
            "told the model. Exchange only what they cannot tell.",
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
            "You have exchanged what the other columns can tell about this one. What they cannot "
            "tell is the residual.",
        ),
    ),
)

# 10.3 Q3


def _prediction_case(case: dict) -> tuple:
    X, y, X_test, _ = _halves(case["seed"])
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
    draw=_draw_half,
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
    ),
)

# 10.4 Q4


def _to_algorithm(X, y, X_test, y_test, *, as_ratio=False) -> np.ndarray:
    test = {"X_test": X_test, "y_test": y_test}
    found = algorithm_reliance(LinearRegression(), X, y, **test, as_ratio=as_ratio)
    return found.importances_mean


def _draw_half_with_negatives(rng: np.random.Generator) -> dict:
    """A half in which at least one column is better left out, by more than rounding."""
    while True:
        case = _draw_half(rng)
        if _to_algorithm(*_halves(case["seed"])).min() < -1e-3:
            return case


def _at_its_mean(X, y, X_test, y_test) -> np.ndarray:
    """The slip of keeping the model and filling the column with its mean."""
    model, found = LinearRegression().fit(X, y), []
    for j in range(X.shape[1]):
        filled = X_test.copy()
        filled[:, j] = X[:, j].mean()
        found.append(_mse(model, filled, y_test) - _mse(model, X_test, y_test))
    return np.array(found)


TO_ALGORITHM = Exercise(
    id="10.4",
    title="Q4, to the algorithm",
    points=2,
    expects="for each column, the test error of least squares fitted without it, minus the test "
    "error with all columns",
    draw=_draw_half_with_negatives,
    n_cases=3,
    inputs=lambda case: _halves(case["seed"]),
    reference=_to_algorithm,
    describe=_describe,
    allowed=LIBRARY,
    hints=(
        "Two models for each column: one with it, one fitted again without it.",
        "Fit to X, y; measure both errors on X_test, y_test.",
        "algorithm_reliance(LinearRegression(), X, y, X_test=..., y_test=..., as_ratio=False)",
    ),
    slips=(
        Slip(
            "measured on the training wines",
            lambda X, y, X_test, y_test: _to_algorithm(X, y, X, y),
            "These errors are those of the wines the models were fitted to, where leaving out a "
            "column can never help. Measure on X_test, y_test.",
            behind="M5",
        ),
        Slip(
            "not fitted again",
            _at_its_mean,
            "The model was kept and the column filled with its mean. Question 4 lets the algorithm "
            "learn again without the column.",
            behind="M3",
        ),
        Slip(
            "negative values clipped",
            lambda *halves: np.maximum(_to_algorithm(*halves), 0),
            "Some columns are better left out, and their values are negative. You have set them to "
            "0: that hides it.",
            behind="M6",
        ),
        Slip(
            "ratio instead of difference",
            lambda *halves: _to_algorithm(*halves, as_ratio=True),
            "That is a ratio of two errors. Ask for their difference: as_ratio=False.",
        ),
    ),
)

# 10.5 and 10.6 Q5 and Q6


def _draw_column(rng: np.random.Generator) -> dict:
    return _draw_half(rng) | {"j": int(rng.integers(8)), "slack": float(rng.choice([0.02, 0.1]))}


def _column_case(case: dict) -> tuple:
    return (*_halves(case["seed"])[:2], case["j"], case["slack"])


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


TO_GOOD_MODELS = Exercise(
    id="10.5",
    title="Q5, to any good model",
    points=2,
    expects="the least and the most that a linear model relies on the column (difference), if its "
    "error on X, y is at most 1 + slack times the least",
    draw=_draw_column,
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
    ),
)

UNIQUE_TO_GOOD_MODELS = Exercise(
    id="10.6",
    title="Q6, its unique information to any good model",
    points=2,
    expects="the least and the most that a linear model relies on what only the column knows "
    "(difference), if its error on X, y is at most 1 + slack times the least",
    draw=_draw_column,
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
            "That is the range of question 5, about the whole column. Question 6 is about what "
            "only this column knows.",
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
    ),
)

# 10.7 Where they disagree most

FEATURES = ("acid", "age", "ash", "color", "hue", "sugar", "tannin")
LEVELS = np.linspace(-0.04, 0.5, len(FEATURES))


def _draw_answers(rng: np.random.Generator) -> dict:
    """Six columns of similar orders with one largest disagreement, another for each slip."""
    while True:
        levels = rng.permutation(LEVELS)[:, np.newaxis]
        values = (levels + rng.normal(scale=0.08, size=(len(FEATURES), 6))).round(3)
        values[:, 2] *= 2 * rng.choice([-1, 1], size=len(FEATURES))  # contributions have a sign
        case = {"values": values.round(3).tolist()}
        answers = _answers_case(case)
        places = _places(*answers)
        found = [_most(places), *(miss(*answers) for miss in MISSES)]
        whole = (places == places.round()).all(axis=None)  # no ties
        first, second = _spread(places).nlargest(2)
        if whole and first > second and len(set(found)) == len(found):
            return case


def _answers_case(case: dict) -> tuple:
    columns = [f"Q{k}" for k in range(1, 7)]
    return (pd.DataFrame(case["values"], index=list(FEATURES), columns=columns),)


def _places(answers, *, sizes: bool = True) -> pd.DataFrame:
    used = answers.assign(Q3=answers["Q3"].abs()) if sizes else answers
    return used.rank(ascending=False)


def _spread(places) -> pd.Series:
    return places.max(axis=1) - places.min(axis=1)


def _most(places, spread=None) -> tuple[str, int, int]:
    name = (_spread(places) if spread is None else spread).idxmax()
    return name, int(places.loc[name].min()), int(places.loc[name].max())


def _signed_places(answers) -> tuple[str, int, int]:
    return _most(_places(answers, sizes=False))


def _counted_from_below(answers) -> tuple[str, int, int]:
    return _most(len(answers) + 1 - _places(answers))


def _by_values(answers) -> tuple[str, int, int]:
    return _most(_places(answers), answers.max(axis=1) - answers.min(axis=1))


MISSES = (_signed_places, _counted_from_below, _by_values)

DISAGREEMENT = Exercise(
    id="10.7",
    title="The largest disagreement",
    points=2,
    expects="the feature whose places differ most, its best place and its worst place, 1 for the "
    "largest value (of Q3: the largest size)",
    draw=_draw_answers,
    n_cases=5,
    inputs=_answers_case,
    reference=lambda answers: _most(_places(answers)),
    describe=lambda case: f"of the values {case['values'][0]} and six more rows",
    hints=(
        "Turn each column into places first: DataFrame.rank(ascending=False).",
        "A contribution of -0.9 is a large one. Use the size of the values in column Q3 only; in "
        "the other columns a negative value is small.",
        "Largest minus smallest place in each row; idxmax() gives the name of the row.",
    ),
    slips=(
        Slip(
            "signs of Q3 kept",
            _signed_places,
            "A large negative contribution came last. For one prediction, rank by size.",
            behind="M6",
        ),
        Slip(
            "places counted from below",
            _counted_from_below,
            "Place 1 went to the smallest value. The largest one is first: ascending=False.",
        ),
        Slip(
            "values instead of places",
            _by_values,
            "You took the row whose values differ most. The columns have different units; compare "
            "places.",
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
    DISAGREEMENT,
)
