"""The exercises of lesson 09: good models, their reliance, and what every one of them needs."""

from itertools import combinations

import numpy as np
from scipy import stats

from course_lib.lessons.exercise import Exercise, Slip
from course_lib.worlds.datasets import make_exact_linear

# What the cases share: a small table with correlated columns and a target

SIZES = ((3,), (4,), (5,))  # how many columns there are, case by case


def _draw_table(rng: np.random.Generator, p: int) -> dict:
    return {"n_samples": int(rng.integers(12, 19)), "p": p, "seed": int(rng.integers(10**6))}


def _table(n_samples: int, p: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n_samples, 1))
    X = (shared + rng.normal(size=(n_samples, p)) * rng.uniform(0.6, 1.4, size=p)).round(2)
    b = rng.choice([-1.5, -1.0, 1.0, 1.5, 2.0], size=p)
    return X, (3 + X @ b + 0.8 * rng.normal(size=n_samples)).round(2)


def _draw_column(rng: np.random.Generator, p: int) -> dict:
    """A table, and the column that is asked about: each of them, the last one too."""
    case = _draw_table(rng, p)
    return case | {"j": int(rng.integers(case["p"]))}


def _table_and_column(case: dict) -> tuple:
    return (*_table(case["n_samples"], case["p"], case["seed"]), case["j"])


def _describe_column(case: dict) -> str:
    return f"{_describe(case)} with j = {case['j']}"


def _describe(case: dict) -> str:
    return f"of {case['n_samples']} rows and {case['p']} columns"


def _centred(X, y) -> tuple[np.ndarray, np.ndarray]:
    return X - X.mean(axis=0), y - y.mean()


def _fit(X, y) -> np.ndarray:
    """Least squares coefficients, with an intercept."""
    return np.linalg.lstsq(*_centred(X, y), rcond=None)[0]


def _residuals(b, X, y) -> np.ndarray:
    x, t = _centred(X, y)
    return t - x @ b


def _mse(b, X, y) -> float:
    """Mean squared error of the linear model with these coefficients and the best intercept."""
    return float(np.mean(_residuals(b, X, y) ** 2))


def _mse_without(X, y, j) -> float:
    rest = np.delete(X, j, axis=1)
    return _mse(_fit(rest, y), rest, y)


def _unique(X, j) -> np.ndarray:
    """What the other columns do not predict of column j."""
    rest = np.delete(X, j, axis=1)
    return _residuals(_fit(rest, X[:, j]), rest, X[:, j])


# 09.1 Who is good, three blanks


HALVES = np.stack(np.meshgrid(np.arange(-6, 7) / 2, np.arange(-6, 7) / 2), axis=-1).reshape(-1, 2)


def _draw_models(rng: np.random.Generator, n: int) -> dict:
    """Whole numbers, n a power of two: every error is exact, in whatever way it is computed.

    So one model can lie at the limit. The errors of the others are such that each slip keeps other
    ones; one is better than the reference by more than epsilon, and good all the same.
    """
    while True:
        X = rng.integers(-2, 3, size=(n, 2)) + rng.integers(-2, 3, size=(n, 1)) + 1
        y = X @ rng.choice([-2, -1, 1, 2], size=2) + rng.integers(-2, 3, size=n) + 3
        errors = np.var(y[:, np.newaxis] - X @ HALVES.T, axis=0)
        reference, limit = np.sort(rng.choice(len(errors) // 3, size=2, replace=False))
        reference, limit = np.argsort(errors)[[reference, limit]]
        models = _models_around(errors, errors[reference], errors[limit], n, rng)
        given = (X, y, HALVES[reference], errors[limit] - errors[reference])
        if len(models):
            models = _until_told_apart(models, _answers_to_models(HALVES, *given), rng)
        if len(models):
            given = (HALVES[models], *given)
            names = ("B", "X", "y", "reference", "epsilon")
            return {name: np.asarray(one).tolist() for name, one in zip(names, given, strict=True)}


def _models_around(errors, error, limit, n, rng) -> np.ndarray:
    """Seven models by number, with chosen errors; none if there are no such models."""
    if limit <= error:
        return np.array([], dtype=int)
    part = (errors - error) / (limit - error)  # of epsilon
    wanted = (
        errors == limit,
        (part > 1 - 1 / n) & (part < 1),  # beyond the limit if errors are divided by n - 1
        (part > 1 / n) & (part < 1 - 1 / n),
        (part > 0) & (part < 1 / n),  # good by sums, too
        part < -1,
        (part > 1) & (part < error),  # good if epsilon is a share
        part > 1.5 * error + 1,
    )
    found = [rng.permutation(np.flatnonzero(where))[:1] for where in wanted]
    chosen = np.concatenate(found)
    return chosen if len(chosen) == len(wanted) else chosen[:0]


def _until_told_apart(models, answers, rng) -> np.ndarray:
    """The models and as many others as are needed for any two answers to differ on them.

    None if two answers are the same for every model that there is.
    """
    for one, other in combinations(answers, 2):
        if (one[models] == other[models]).all():
            telling = np.flatnonzero(one != other)
            if not len(telling):
                return models[:0]
            models = np.append(models, rng.choice(telling))
    return rng.permutation(models)


def _models_case(case: dict) -> tuple:
    X, y = np.array(case["X"], dtype=float), np.array(case["y"], dtype=float)
    return np.array(case["B"]), X, y, np.array(case["reference"]), case["epsilon"]


def _all_residuals(B, X, y) -> np.ndarray:
    """A column for each model."""
    x, t = _centred(X, y)
    return t[:, np.newaxis] - x @ np.transpose(B)


def _losses(B, X, y) -> np.ndarray:
    return np.mean(_all_residuals(B, X, y) ** 2, axis=0)


def _excess(B, X, y, reference) -> np.ndarray:
    return _losses(B, X, y) - _mse(reference, X, y)


def _good(B, X, y, reference, epsilon) -> np.ndarray:
    return _excess(B, X, y, reference) <= epsilon


def _by_sums(B, X, y, reference, epsilon) -> np.ndarray:
    return len(y) * _excess(B, X, y, reference) <= epsilon


def _relative(B, X, y, reference, epsilon) -> np.ndarray:
    return _losses(B, X, y) <= (1 + epsilon) * _mse(reference, X, y)


def _best_only(B, X, y, reference, epsilon) -> np.ndarray:
    return _excess(B, X, y, reference) <= 0


def _better_than_the_limit(B, X, y, reference, epsilon) -> np.ndarray:
    return _excess(B, X, y, reference) < epsilon


def _divided_by_one_less(B, X, y, reference, epsilon) -> np.ndarray:
    return _excess(B, X, y, reference) * len(y) / (len(y) - 1) <= epsilon


def _not_centred(B, X, y, reference, epsilon) -> np.ndarray:
    errors = np.mean((y[:, np.newaxis] - X @ np.vstack([reference, B]).T) ** 2, axis=0)
    return errors[1:] <= errors[0] + epsilon


def _not_much_better(B, X, y, reference, epsilon) -> np.ndarray:
    return abs(_excess(B, X, y, reference)) <= epsilon


def _by_roots(B, X, y, reference, epsilon) -> np.ndarray:
    return np.sqrt(_losses(B, X, y)) <= np.sqrt(_mse(reference, X, y)) + epsilon


def _by_sizes(B, X, y, reference, epsilon) -> np.ndarray:
    """By mean absolute errors."""
    errors = np.abs(_all_residuals(np.vstack([reference, B]), X, y)).mean(axis=0)
    return errors[1:] <= errors[0] + epsilon


def _around_the_fit(B, X, y, reference, epsilon) -> np.ndarray:
    return _good(B, X, y, _fit(X, y), epsilon)


def _epsilon_alone(B, X, y, reference, epsilon) -> np.ndarray:
    return _losses(B, X, y) <= epsilon


MODEL_SLIPS = (
    *(_by_sums, _relative, _best_only, _not_much_better),
    *(_better_than_the_limit, _divided_by_one_less, _not_centred),
    *(_by_roots, _by_sizes, _around_the_fit, _epsilon_alone),
)


def _answers_to_models(*given) -> list[np.ndarray]:
    """The right answer and those of the slips."""
    return [answer(*given) for answer in (_good, *MODEL_SLIPS)]


GOOD = Exercise(
    id="09.1",
    title="Which models are good?",
    points=2,
    blanks=3,
    expects="for each row of B, whether its mean squared error is at most that of the reference "
    "plus epsilon",
    draw=_draw_models,
    turns=((8,), (16,)),
    inputs=_models_case,
    describe=lambda case: (
        f"of {len(case['y'])} rows and 2 columns, {len(case['B'])} models and "
        f"epsilon = {case['epsilon']}"
    ),
    reference=_good,
    hints=(
        "The error of a model is the mean of its squared residuals.",
        "The limit is an error plus epsilon: one number, the same for all models.",
        "A model at the limit is still good: compare with <=.",
    ),
    slips=(
        Slip(
            "sums instead of means",
            _by_sums,
            "The losses were summed. Epsilon is compared with a mean: a sum grows with the rows.",
        ),
        Slip(
            "epsilon as a share",
            _relative,
            "The limit was the reference's error times (1 + epsilon). In the definition epsilon is "
            "added, in the unit of the loss.",
        ),
        Slip(
            "no tolerance",
            _best_only,
            "Only models at least as good as the reference were kept. Where is epsilon?",
        ),
        Slip(
            "much better ones refused",
            _not_much_better,
            "Models that are better than the reference by more than epsilon were refused. Epsilon "
            "limits only how much worse a good model may be.",
        ),
        Slip(
            "the limit itself refused",
            _better_than_the_limit,
            "A model exactly at the limit was refused. Good means at most epsilon worse: <=.",
        ),
        Slip(
            "n-1",
            _divided_by_one_less,
            "The squared residuals were divided by n-1. A mean over the rows divides by n.",
        ),
        Slip(
            "not centred",
            _not_centred,
            "The columns and the target were used as they are, without an intercept. Work with the "
            "centred x and t.",
        ),
        Slip(
            "roots of the errors",
            _by_roots,
            "Roots of the mean squared errors were compared. Epsilon is added to the mean squared "
            "error itself.",
        ),
        Slip(
            "absolute errors",
            _by_sizes,
            "The sizes of the residuals were averaged. Here the error is the mean of their "
            "squares.",
        ),
        Slip(
            "around the best model",
            _around_the_fit,
            "The limit was the error of the least squares fit plus epsilon. Here another model is "
            "the reference: the one that is given.",
        ),
        Slip(
            "epsilon alone as the limit",
            _epsilon_alone,
            "The errors were compared with epsilon itself. The limit is the reference's error plus "
            "epsilon.",
        ),
    ),
)

# 09.2 Reliance of any linear model, from the signature


def _draw_model(rng: np.random.Generator, p: int) -> dict:
    """In most cases the model does better with the column scrambled."""
    harmed = bool(rng.random() < 0.3)
    while True:
        case = _draw_column(rng, p) | {"turn": float(rng.choice([-0.8, -0.5, -0.3]))}
        b, X, y, j = _model_case(case)
        increase = _increase(b, X, y, j)
        if abs(increase) > 0.05 and (increase > 0) == harmed:
            return case


def _model_case(case: dict) -> tuple:
    """A model near the fit, but for the coefficient of column j, which may change sign."""
    X, y, j = _table_and_column(case)
    step = np.random.default_rng(case["seed"] + 1).choice([-0.6, -0.3, 0.3, 0.6], size=case["p"])
    b = (_fit(X, y) + step).round(3)
    b[j] *= case["turn"]
    return b.round(3), X, y, j


def _increase(b, X, y, j) -> float:
    x, others = X[:, j] - X[:, j].mean(), np.delete(np.arange(len(b)), j)
    t = y - y.mean() - (X - X.mean(axis=0))[:, others] @ b[others]
    return float(2 * b[j] * (t @ x) / (len(y) - 1))


RELIANCE = Exercise(
    id="09.2",
    title="The reliance of any linear model",
    points=2,
    expects="1 + 2 b_j Cov(y - what the other columns contribute, x_j) / MSE(b), with n-1 in the "
    "covariance",
    draw=_draw_model,
    turns=SIZES,
    inputs=_model_case,
    describe=_describe_column,
    n_cases=6,
    reference=lambda b, X, y, j: 1 + _increase(b, X, y, j) / _mse(b, X, y),
    hints=(
        "y minus the contributions of the other columns is the residual plus b_j times column j.",
        "np.cov(u, v)[0, 1] is the covariance with n-1.",
        "The increase over the error, plus 1: a model that ignores the column has exactly 1.",
    ),
    slips=(
        Slip(
            "the formula of the fit",
            lambda b, X, y, j: 1 + 2 * b[j] ** 2 * X[:, j].var(ddof=1) / _mse(b, X, y),
            "2 b_j^2 Var(x_j) holds for the least squares fit only, whose residuals are "
            "uncorrelated with x_j. This is another model.",
            behind="M4",
        ),
        Slip(
            "a difference",
            _increase,
            "That is the difference e_switch - e_orig. The ratio is wanted: divide by the error "
            "and add 1.",
        ),
        Slip(
            "1 forgotten",
            lambda b, X, y, j: _increase(b, X, y, j) / _mse(b, X, y),
            "That is the relative increase. The ratio e_switch / e_orig is 1 more.",
        ),
        Slip(
            "Cov(y, x_j)",
            lambda b, X, y, j: 1 + 2 * b[j] * np.cov(y, X[:, j])[0, 1] / _mse(b, X, y),
            "The covariance is that of y itself with x_j. Subtract first what the other columns "
            "contribute to the prediction.",
        ),
        Slip(
            "the residuals' covariance",
            lambda b, X, y, j: (
                1 + 2 * b[j] * np.cov(_residuals(b, X, y), X[:, j])[0, 1] / _mse(b, X, y)
            ),
            "Column j was subtracted too. The covariance is that of y minus the contributions of "
            "the *other* columns.",
        ),
        Slip(
            "the covariance with n",
            lambda b, X, y, j: 1 + _increase(b, X, y, j) * (1 - 1 / len(y)) / _mse(b, X, y),
            "Close: the covariance should be divided by n-1 and the error by n. Here one of them "
            "has the other's divisor, or, if you averaged over pairs of rows, some rows were "
            "paired with themselves.",
        ),
        Slip(
            "the best model's reliance",
            lambda b, X, y, j: 1 + _increase(_fit(X, y), X, y, j) / _mse(_fit(X, y), X, y),
            "That is the reliance of the least squares fit. Asked for is the model with the "
            "coefficients b.",
            behind="M4",
        ),
        Slip(
            "no intercept",
            lambda b, X, y, j: 1 + _increase(b, X, y, j) / np.mean((y - X @ b) ** 2),
            "The error was computed without an intercept. Use mse from above, which has the best "
            "one.",
        ),
        Slip(
            "divided by the best error",
            lambda b, X, y, j: 1 + _increase(b, X, y, j) / _mse(_fit(X, y), X, y),
            "The increase was divided by the error of the least squares fit. The ratio is that of "
            "this model's own two errors: divide by mse(b, X, y).",
        ),
        Slip(
            "factor 2 forgotten",
            lambda b, X, y, j: 1 + _increase(b, X, y, j) / 2 / _mse(b, X, y),
            "Half of the increase: the squared error contains two times the covariance.",
        ),
        Slip(
            "never below 1",
            lambda b, X, y, j: max(1.0, 1 + _increase(b, X, y, j) / _mse(b, X, y)),
            "Values below 1 were raised to 1. A model whose b_j points the wrong way, given what "
            "it does with the other columns, does better with scrambled values, and the ratio "
            "says so.",
            behind="M6",
        ),
        Slip(
            "sign dropped",
            lambda b, X, y, j: 1 + abs(_increase(b, X, y, j)) / _mse(b, X, y),
            "The increase lost its sign. A model whose b_j points the wrong way, given what it "
            "does with the other columns, does better with scrambled values: the increase is "
            "negative, the ratio below 1.",
            behind="M6",
        ),
    ),
)

# 09.3 The price of ignoring a column


def _raw_error(X, y) -> float:
    """The error of least squares without an intercept."""
    return float(np.mean((y - X @ np.linalg.lstsq(X, y, rcond=None)[0]) ** 2))


def _price(X, y, j) -> float:
    return _mse_without(X, y, j) - _mse(_fit(X, y), X, y)


PRICE = Exercise(
    id="09.3",
    title="The smallest epsilon at which a good model ignores x_j",
    points=2,
    expects="the error of least squares without column j minus the error of least squares with "
    "all columns",
    draw=_draw_column,
    turns=SIZES,
    inputs=_table_and_column,
    describe=_describe_column,
    n_cases=6,
    reference=_price,
    hints=(
        "Which model is the best among those that ignore column j?",
        "np.delete(X, j, axis=1) leaves the column out; fit again, with an intercept.",
        "The price is a difference of two mean squared errors.",
    ),
    slips=(
        Slip(
            "coefficient set to 0",
            lambda X, y, j: (
                _mse(np.where(np.arange(X.shape[1]) == j, 0.0, _fit(X, y)), X, y)
                - _mse(_fit(X, y), X, y)
            ),
            "The coefficient was set to 0 and the others were kept. There are better models that "
            "ignore the column: fit the others again.",
            behind="M3",
        ),
        Slip(
            "scrambled",
            lambda X, y, j: _increase(_fit(X, y), X, y, j),
            "That is what scrambling costs the best model. Here the model may be fitted again "
            "without the column.",
            behind="M3",
        ),
        Slip(
            "a ratio",
            lambda X, y, j: _mse_without(X, y, j) / _mse(_fit(X, y), X, y),
            "That is algorithm reliance as a ratio. Epsilon has the unit of the loss: subtract.",
        ),
        Slip(
            "a share",
            lambda X, y, j: _price(X, y, j) / _mse(_fit(X, y), X, y),
            "That is the price as a share of the best error. Epsilon has the unit of the loss: do "
            "not divide.",
        ),
        Slip(
            "the error without the column",
            _mse_without,
            "That is the error of the best model without the column. The price is how much larger "
            "it is than the best error.",
        ),
        Slip(
            "no intercept",
            lambda X, y, j: _raw_error(np.delete(X, j, axis=1), y) - _raw_error(X, y),
            "The fits have no intercept, and the means are not 0. Use fit and mse from above, "
            "which centre columns and target.",
        ),
        Slip(
            "sign turned",
            lambda X, y, j: -_price(X, y, j),
            "The right size with the wrong sign: a price is what the error grows by, the error "
            "without the column minus the error with all.",
        ),
        Slip(
            "n-1",
            lambda X, y, j: _price(X, y, j) * len(y) / (len(y) - 1),
            "Close: somewhere n-1 was the divisor (np.cov has it by default). The mean squared "
            "error divides by n.",
        ),
    ),
)

# 09.4 How far the ellipse reaches


def _with_epsilon(case: dict) -> tuple:
    return (*_table_and_column(case), case["epsilon"])


def _draw_epsilon(rng: np.random.Generator, p: int) -> dict:
    return _draw_column(rng, p) | {"epsilon": float(rng.choice([0.05, 0.1, 0.2, 0.5]))}


def _describe_epsilon(case: dict) -> str:
    return f"{_describe_column(case)} and epsilon = {case['epsilon']}"


def _around(middle: float, half: float) -> np.ndarray:
    return np.array([middle - half, middle + half])


def _reach(X, y, j, epsilon) -> np.ndarray:
    return _around(_fit(X, y)[j], np.sqrt(epsilon * np.linalg.inv(np.cov(X.T, ddof=0))[j, j]))


REACH = Exercise(
    id="09.4",
    title="The coefficients of good models",
    points=2,
    expects="the pair bhat_j -+ sqrt(epsilon (G^-1)_jj), with G the covariance matrix (with n)",
    draw=_draw_epsilon,
    turns=SIZES,
    inputs=_with_epsilon,
    describe=_describe_epsilon,
    n_cases=6,
    reference=_reach,
    hints=(
        "The middle is the least squares coefficient, with an intercept in the fit.",
        "G is np.cov(X.T, ddof=0). Invert the matrix first, then take its entry j, j.",
        "The half width is the square root of epsilon times that entry.",
    ),
    slips=(
        Slip(
            "others held fixed",
            lambda X, y, j, epsilon: _around(_fit(X, y)[j], np.sqrt(epsilon / X[:, j].var())),
            "That moves b_j with all other coefficients held fixed. When they may move along, b_j "
            "reaches farther: invert G first, then take its entry.",
        ),
        Slip(
            "no square root",
            lambda X, y, j, epsilon: _around(
                _fit(X, y)[j], epsilon * np.linalg.inv(np.cov(X.T, ddof=0))[j, j]
            ),
            "The error grows with the square of the distance, so the distance grows with the "
            "square root of epsilon.",
        ),
        Slip(
            "sums instead of means",
            lambda X, y, j, epsilon: _around(
                _fit(X, y)[j], np.sqrt(epsilon * np.linalg.inv(np.cov(X.T, ddof=0))[j, j] / len(y))
            ),
            "Too narrow by the square root of n: G is a mean over the rows, as the error is.",
        ),
        Slip(
            "n-1",
            lambda X, y, j, epsilon: _around(
                _fit(X, y)[j], np.sqrt(epsilon * np.linalg.inv(np.cov(X.T))[j, j])
            ),
            "Close: np.cov divides by n-1 unless told otherwise, and the mean squared error "
            "divides by n. Use ddof=0.",
        ),
        Slip(
            "around 0",
            lambda X, y, j, epsilon: _reach(X, y, j, epsilon) - _fit(X, y)[j],
            "The right width around 0. The good models lie around the best one: add its "
            "coefficient to both ends.",
        ),
        Slip(
            "the root of epsilon only",
            lambda X, y, j, epsilon: _around(
                _fit(X, y)[j], np.sqrt(epsilon) * np.linalg.inv(np.cov(X.T, ddof=0))[j, j]
            ),
            "The root was taken of epsilon, and not of the entry of the inverse. It is the root of "
            "their product.",
        ),
        Slip(
            "not centred",
            lambda X, y, j, epsilon: _around(
                _fit(X, y)[j], np.sqrt(epsilon * np.linalg.inv(X.T @ X / len(X))[j, j])
            ),
            "G was made of the columns as they are. Centre them first, as np.cov does: the model "
            "has an intercept.",
        ),
        Slip(
            "epsilon as a share",
            lambda X, y, j, epsilon: _reach(X, y, j, epsilon * _mse(_fit(X, y), X, y)),
            "Epsilon was multiplied by the best error. Here it is the tolerance itself, in the "
            "unit of the loss.",
        ),
        Slip(
            "largest first",
            lambda *given: _reach(*given)[::-1],
            "The right ends, the largest first. The least comes first.",
        ),
    ),
)

# 09.5 Conditional model class reliance in closed form


def _cmcr_of_the_ends(X, y, j, epsilon) -> np.ndarray:
    """For the least and the largest b_j, which if bhat_j is negative are not the ends in order."""
    e = _unique(X, j)
    b = _fit(X, y)[j]
    return 2 * b * e.var(ddof=1) * _around(b, np.sqrt(epsilon / e.var()))


def _cmcr(X, y, j, epsilon) -> np.ndarray:
    return np.sort(_cmcr_of_the_ends(X, y, j, epsilon))


def _draw_wide(rng: np.random.Generator, p: int) -> dict:
    """A tolerance at which some good b_j have the opposite sign, so that the low end is below 0.

    In most cases the fit's own coefficient is negative.
    """
    negative = rng.random() < 0.85
    while True:
        case = _draw_column(rng, p) | {"epsilon": float(rng.choice([0.2, 0.5, 1.0, 2.0]))}
        X, y, j, epsilon = _with_epsilon(case)
        if _cmcr(X, y, j, epsilon)[0] < -0.01 and (_fit(X, y)[j] < 0) == negative:
            return case


def _one_less_twice(X, y, j, epsilon) -> np.ndarray:
    e, b = _unique(X, j), _fit(X, y)[j]
    return np.sort(2 * b * e.var(ddof=1) * _around(b, np.sqrt(epsilon / e.var(ddof=1))))


def _squares_of_the_ends(X, y, j, epsilon) -> np.ndarray:
    e = _unique(X, j)
    ends = _around(_fit(X, y)[j], np.sqrt(epsilon / e.var()))
    return np.sort(2 * ends**2 * e.var(ddof=1))


def _whole_column(X, y, j, epsilon) -> np.ndarray:
    x, b = X[:, j], _fit(X, y)[j]
    return np.sort(2 * b * x.var(ddof=1) * _around(b, np.sqrt(epsilon / x.var())))


UNIQUE = Exercise(
    id="09.5",
    title="The range of conditional reliance",
    points=3,
    expects="the two ends of 2 b_j bhat_j s_e^2 over the good models, least first, as they are",
    draw=_draw_wide,
    turns=SIZES,
    inputs=_with_epsilon,
    describe=_describe_epsilon,
    n_cases=6,
    reference=_cmcr,
    hints=(
        "The unique part e is what remains of column j after least squares on the other columns, "
        "with intercept.",
        "Good models have b_j = bhat_j -+ sqrt(epsilon / u^2), where u^2 is the variance of e "
        "with n: the same reach as in 09.4.",
        "Put both ends into 2 b_j bhat_j s_e^2 (s_e^2 with n-1) and sort.",
    ),
    slips=(
        Slip(
            "the whole column",
            _whole_column,
            "The whole column was taken, not its unique part: e is what the other columns do not "
            "predict of it.",
            behind="M2",
        ),
        Slip(
            "clipped at 0",
            lambda X, y, j, epsilon: np.maximum(_cmcr(X, y, j, epsilon), 0.0),
            "Negative ends were set to 0. Good models whose b_j has the opposite sign to that of "
            "the fit are better off with the unique part scrambled, and the range should say so.",
            behind="M6",
        ),
        Slip(
            "signs dropped",
            lambda X, y, j, epsilon: np.sort(abs(_cmcr(X, y, j, epsilon))),
            "The lower end lost its sign. Good models whose b_j has the opposite sign to that of "
            "the fit are better off with the unique part scrambled: their increase is negative.",
            behind="M6",
        ),
        Slip(
            "the best model only",
            lambda X, y, j, epsilon: np.repeat(
                2 * _fit(X, y)[j] ** 2 * _unique(X, j).var(ddof=1), 2
            ),
            "Both ends are those of the best model. Let b_j move as far as epsilon allows.",
            behind="M4",
        ),
        Slip(
            "the ends not in order",
            _cmcr_of_the_ends,
            "The largest b_j gives the largest value only if bhat_j is positive. Sort the ends.",
        ),
        Slip(
            "the variance with n",
            lambda X, y, j, epsilon: _cmcr(X, y, j, epsilon) * (1 - 1 / len(y)),
            "Close: s_e^2 is the variance of the unique part with n-1, u^2 the one with n.",
        ),
        Slip(
            "factor 2 forgotten",
            lambda X, y, j, epsilon: _cmcr(X, y, j, epsilon) / 2,
            "Half of it: the scrambled part differs from the right one by two independent draws.",
        ),
        Slip(
            "n-1 in both places",
            _one_less_twice,
            "Close: u^2, in the reach of b_j, is the variance of the unique part with n, since the "
            "error is a mean over n rows. Only s_e^2 has n-1.",
        ),
        Slip(
            "squares of the ends",
            _squares_of_the_ends,
            "Each end of b_j was squared. The formula has b_j times bhat_j: the fit's own "
            "coefficient stays, and only the other one moves.",
        ),
        *(
            Slip(
                name,
                lambda X, y, j, epsilon, worse=worse: (
                    1 + _cmcr(X, y, j, epsilon) / (_mse(_fit(X, y), X, y) + worse * epsilon)
                ),
                "That is a ratio. Asked for is the difference, as it is: do not divide by an "
                "error, and do not add 1.",
            )
            for name, worse in (("a ratio to the best error", 0), ("a ratio to the limit", 1))
        ),
    ),
)

# 09.6 What every good model needs


def _draw_needs(rng: np.random.Generator, p: int, *n_needed: int) -> dict:
    """Zero to three columns are needed; none, and one, which argmax would pass, are rare.

    Of seven columns two and three by turns. The last one is needed: who looks at six misses it.
    """
    drawn = int(rng.choice([0, 1, 2, 3], p=[0.1, 0.15, 0.25, 0.5]))
    return {
        "n_samples": int(rng.integers(60, 90)),
        "p": p,
        "share": float(rng.choice([0.2, 0.25, 0.3])),
        "best": float(rng.choice([0.6, 1.2], p=[0.2, 0.8])),
        "n_needed": n_needed[0] if n_needed else drawn,
        "seed": int(rng.integers(10**6)),
    }


def _needs_case(case: dict) -> tuple:
    """Three columns of which some are needed, two that stand in for each other, and weak ones.

    In units of the tolerance, leaving out one of the three costs 1.006, 1.5 to 1.6 or 2.6 to 4 if
    it is needed, up to 0.42 if not; the stand-ins cost 0.994 and 0.4, although scrambling them
    costs 10 and 4; the first weak one mostly 0.6, although scrambling it costs 1.2, and it is
    significant, the second, if there is one, up to 0.42. No column, and not the target, has the
    mean 0. None lies on the limit, where rounding would decide.
    """
    rng, tolerance = np.random.default_rng(case["seed"]), case["share"] * case["best"]
    dear = [1.006, rng.uniform(1.5, 1.6), rng.uniform(2.6, 4)]
    needed, weak = dear[: case["n_needed"]], rng.choice([0.45, 0.6], p=[0.35, 0.65])
    p, alike = case["p"], [0.994 / 0.19, 0.4 / 0.19]
    low = rng.uniform(0.2, 0.42, p - 3 - len(needed))
    price = [*needed, *low[: 3 - len(needed)], weak, *alike, *low[3 - len(needed) :]]
    b = np.sqrt(tolerance * np.array(price))
    correlation, order = np.eye(p), _mixed(rng, p)
    correlation[4, 5] = correlation[5, 4] = 0.9
    signs = rng.choice([-1, 1], size=p)
    signs[4] = signs[5]
    X, y = make_exact_linear(
        case["n_samples"],
        rng,
        correlation=correlation,
        coefficients=b * signs,
        noise=case["best"] ** 0.5,
    )
    X, y = X + rng.uniform(1, 3, p) * rng.choice([-1, 1], p), y + rng.uniform(4, 8)
    return X.to_numpy()[:, order].round(4), y.to_numpy().round(4), case["share"]


def _mixed(rng: np.random.Generator, p: int) -> np.ndarray:
    """An order of the columns: the second behind the first and the third, of seven the last."""
    while True:
        order = rng.permutation(p)
        first, second, third = np.argsort(order)[:3]
        if third < second > first and (p == 6 or second == p - 1):
            return order


def _columns_where(condition, X) -> list[int]:
    return [j for j in range(X.shape[1]) if condition(j)]


def _needed(X, y, share) -> list[int]:
    epsilon = share * _mse(_fit(X, y), X, y)
    return _columns_where(lambda j: _price(X, y, j) > epsilon, X)


def _not_needed(X, y, share) -> list[int]:
    return [j for j in range(X.shape[1]) if j not in _needed(X, y, share)]


def _share_as_epsilon(X, y, share) -> list[int]:
    return _columns_where(lambda j: _price(X, y, j) > share, X)


def _used_by_the_best(X, y, share) -> list[int]:
    return _columns_where(
        lambda j: _increase(_fit(X, y), X, y, j) > share * _mse(_fit(X, y), X, y), X
    )


def _unique_to_the_best(X, y, share) -> list[int]:
    """By the conditional reliance of the best model, which is about twice the price."""
    epsilon, n = share * _mse(_fit(X, y), X, y), len(y)
    return _columns_where(lambda j: 2 * n / (n - 1) * _price(X, y, j) > epsilon, X)


def _coefficient_at_zero(X, y, share) -> list[int]:
    b, best = _fit(X, y), _mse(_fit(X, y), X, y)

    def error(j):
        return _mse(np.where(np.arange(len(b)) == j, 0.0, b), X, y)

    return _columns_where(lambda j: error(j) > (1 + share) * best, X)


def _by_price(X, y, share) -> list[int]:
    return sorted(_needed(X, y, share), key=lambda j: -_price(X, y, j))


def _dearest(X, y, share) -> list[int]:
    return [int(np.argmax([_price(X, y, j) for j in range(X.shape[1])]))]


def _above(ratio_of, X, y, share) -> list[int]:
    """The columns for which this ratio of the errors without and with the column is too large."""
    best = _mse(_fit(X, y), X, y)
    return _columns_where(lambda j: ratio_of(_mse_without(X, y, j), best) > share, X)


def _roots(X, y, share) -> list[int]:
    return _above(lambda without, best: (without / best) ** 0.5 - 1, X, y, share)


def _share_of_the_larger(X, y, share) -> list[int]:
    return _above(lambda without, best: 1 - best / without, X, y, share)


def _no_intercept(X, y, share) -> list[int]:
    limit = (1 + share) * _raw_error(X, y)
    return _columns_where(lambda j: _raw_error(np.delete(X, j, axis=1), y) > limit, X)


def _significant(X, y, share) -> list[int]:
    """The columns whose coefficient differs from 0 at 5 %, by the usual F test."""
    n, p = X.shape
    unit = _mse(_fit(X, y), X, y) / (n - p - 1)
    return _columns_where(lambda j: stats.f.sf(_price(X, y, j) / unit, 1, n - p - 1) < 0.05, X)


NEEDED = Exercise(
    id="09.6",
    title="What every good model needs",
    points=2,
    expects="the positions of the columns with MCR- > 1, in order: those that cannot be left out "
    "within the tolerance",
    draw=_draw_needs,
    inputs=_needs_case,
    turns=((6,), (7, 2), (6,), (7, 3)),
    describe=lambda case: f"{_describe(case)} with share = {case['share']}",
    n_cases=8,
    reference=_needed,
    hints=(
        "MCR- is above 1 exactly where the price of ignoring the column is above epsilon.",
        "Epsilon is share times the best error. The price is the error of least squares without "
        "the column minus the best error.",
        "There may be several such columns, one, or none: an empty list is an answer.",
    ),
    slips=(
        Slip(
            "the other columns",
            _not_needed,
            "These are the columns that some good model can do without. The others are wanted.",
        ),
        Slip(
            "share as epsilon",
            _share_as_epsilon,
            "The share itself was taken as epsilon. A share of what? Multiply by the best error.",
        ),
        Slip(
            "roots of the errors",
            _roots,
            "Roots of the mean squared errors were compared. The tolerance is a share of the mean "
            "squared error itself.",
        ),
        Slip(
            "a share of the larger error",
            _share_of_the_larger,
            "The increase was divided by the error without the column. The tolerance is a share of "
            "the best error.",
        ),
        Slip(
            "no intercept",
            _no_intercept,
            "The fits have no intercept, and the means of these columns are not 0. Use fit and mse "
            "from above, which centre them.",
        ),
        Slip(
            "scrambling the best model",
            _used_by_the_best,
            "That asks what scrambling costs the best model. Every good model was asked for: "
            "compare the price of leaving the column out.",
            behind="M4",
        ),
        Slip(
            "the unique part scrambled",
            _unique_to_the_best,
            "Twice the price was compared with the tolerance, or the price with half of it. "
            "Scrambling the unique part of a column costs the best model about twice as much as "
            "doing without the column. Compare the price itself.",
            behind="M4",
        ),
        Slip(
            "coefficient set to 0",
            _coefficient_at_zero,
            "The coefficient was set to 0 and the others were kept. There are better models that "
            "ignore the column: fit the others again.",
            behind="M3",
        ),
        Slip(
            "counted from 1",
            lambda *given: [j + 1 for j in _needed(*given)],
            "The right columns, counted from 1. Positions count from 0.",
        ),
        Slip(
            "the dearest first",
            _by_price,
            "The right columns, the dearest first. They are wanted in the order of their "
            "positions.",
        ),
        Slip(
            "True and False",
            lambda X, y, share: [j in _needed(X, y, share) for j in range(X.shape[1])],
            "The right columns, as True and False. Their positions are wanted: np.flatnonzero "
            "finds them.",
        ),
        Slip(
            "the dearest column",
            _dearest,
            "That is the one column that costs most to leave out. Every column whose price is "
            "above the tolerance is needed: there may be several, or none.",
        ),
        Slip(
            "significant columns",
            _significant,
            "These are the columns whose coefficient differs significantly from 0. Significant "
            "means that chance alone would hardly give such a coefficient; needed means that "
            "leaving the column out costs more than the tolerance.",
            behind="M4",
        ),
    ),
)

# 09.7 What a range says

LICENSED = Exercise(
    id="09.7",
    title="What a range says",
    points=1,
    expects="the letters of the sentences that the range licenses",
    reference=lambda: {"a", "c"},
    hints=(
        "The range contains 1 and reaches to 2.4: two ends, two sentences about two models.",
        "Each end is attained by some good model. Which sentences speak of such a model, and which "
        "of every good model, of where a model has its information from, or of the computation?",
    ),
    slips=(
        Slip(
            "below 1 is an error",
            lambda: {"a", "c", "e"},
            "A lower end below 1 is not an error: in some good models the coefficient points the "
            "wrong way, given what they do with the other columns.",
            behind="M6",
        ),
        Slip(
            "wide means important",
            lambda: {"c", "d"},
            "A high upper end is about one model. The range contains 1, so another good model "
            "does without the column.",
            behind="M4",
        ),
        Slip(
            "no column, no information",
            lambda: {"a", "b", "c"},
            "A model without the column may have its information from correlated columns.",
            behind="M8",
        ),
        Slip(
            "some taken for every",
            lambda: {"a", "c", "d"},
            "The upper end belongs to one good model. The lower end, 0.97, belongs to another one, "
            "which does no worse with the column scrambled: not every good model relies on it.",
            behind="M4",
        ),
        Slip(
            "only the upper end",
            lambda: {"c"},
            "The lower end says something too: the range contains 1. What does that say, among "
            "linear models, about the price of leaving the column out?",
        ),
        Slip(
            "only the lower end",
            lambda: {"a"},
            "The upper end says something too: a good model that relies on the column heavily.",
        ),
    ),
)

EXERCISES = (GOOD, RELIANCE, PRICE, REACH, UNIQUE, NEEDED, LICENSED)
