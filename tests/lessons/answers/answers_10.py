"""Answers to the exercises of lesson 10, right ones in several styles and wrong ones."""

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_squared_error
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from course_lib.measures import (
    LinearRashomonSet,
    algorithm_reliance,
    conditional_model_reliance,
    model_reliance,
)


def mse(model, X, y):
    return np.mean((y - model.predict(X)) ** 2)


# 10.1


def rolled(model, X, y):
    """All shifts of a column, as the notebook has it; the model's coefficients do the rest."""
    residuals, found = y - model.predict(X), []
    for j, b in enumerate(model.coef_):
        shifts = (np.roll(X[:, j], k) - X[:, j] for k in range(1, len(X)))
        found.append(np.mean([np.mean((residuals - b * d) ** 2) for d in shifts]))
    return np.array(found) - np.mean(residuals**2)


def all_pairs(model, X, y):
    """A table of all pairs of rows, the diagonal left out; returned as a list."""
    n, residuals = len(y), y - model.predict(X)
    off = ~np.eye(n, dtype=bool)
    found = []
    for j in range(X.shape[1]):
        moved = X[:, j][np.newaxis, :] - X[:, j][:, np.newaxis]
        errors = (residuals[:, np.newaxis] - model.coef_[j] * moved) ** 2
        found.append(float(errors[off].mean() - np.mean(residuals**2)))
    return found


def by_covariance(model, X, y):
    """2 b_j Cov(y - rest, x_j), as a Series."""
    table, b = pd.DataFrame(X), pd.Series(model.coef_)
    residuals = pd.Series(y - model.predict(X))
    return 2 * b * (table.apply(residuals.cov) + b * table.var())


def by_library(model, X, y):
    return model_reliance(model, X, y, as_ratio=False).importances_mean


# 10.2


def unique_part(X, j):
    rest = np.delete(X, j, axis=1)
    return X[:, j] - LinearRegression().fit(rest, X[:, j]).predict(rest)


def chimeras(model, X, y):
    """All shifts of the unique part."""
    residuals, found = y - model.predict(X), []
    for j, b in enumerate(model.coef_):
        unique = unique_part(X, j)
        shifts = (np.roll(unique, k) - unique for k in range(1, len(X)))
        found.append(np.mean([np.mean((residuals - b * d) ** 2) for d in shifts]))
    return np.array(found) - np.mean(residuals**2)


def unique_by_covariance(model, X, y):
    residuals = y - model.predict(X)
    uniques = [unique_part(X, j) for j in range(X.shape[1])]
    return [
        2 * b * (np.cov(residuals, u)[0, 1] + b * np.var(u, ddof=1))
        for b, u in zip(model.coef_, uniques, strict=True)
    ]


def unique_by_library(model, X, y):
    frame = conditional_model_reliance(model, X, y, as_ratio=False).to_frame()
    return frame["importance"]


# 10.3


def contributions_loop(model, X, x):
    return [b * (x[j] - sum(X[:, j]) / len(X)) for j, b in enumerate(model.coef_)]


def contributions_by_prediction(model, X, x):
    """What each column moves the prediction by, when it alone leaves the mean."""
    centre = X.mean(axis=0)
    rows = np.where(np.eye(len(x), dtype=bool), x, centre)
    return model.predict(rows) - model.predict(centre[np.newaxis])[0]


def contributions_pandas(model, X, x):
    return pd.Series(model.coef_) * (pd.Series(x) - pd.DataFrame(X).mean())


# 10.4


def cross_fitted(X, y, folds, columns):
    predicted = np.empty(len(y))
    for fold in folds:
        rest = np.setdiff1d(np.arange(len(y)), fold)
        model = LinearRegression().fit(X[rest][:, columns], y[rest])
        predicted[fold] = model.predict(X[fold][:, columns])
    return mean_squared_error(y, predicted)


def without_each(X, y, folds):
    every = np.arange(X.shape[1])
    return [cross_fitted(X, y, folds, every[every != j]) for j in every] - np.array(
        cross_fitted(X, y, folds, every)
    )


def fold_by_fold(X, y, folds):
    """The library's algorithm reliance in each fold, averaged over the rows."""
    total = 0
    for fold in folds:
        keep = ~np.isin(np.arange(len(y)), fold)
        test = {"X_test": X[fold], "y_test": y[fold], "as_ratio": False}
        found = algorithm_reliance(LinearRegression(), X[keep], y[keep], **test)
        total = total + found.importances_mean * len(fold)
    return total / len(y)


def by_lstsq(X, y, folds):
    def errors(kept):
        design = np.column_stack([np.ones(len(y)), X[:, kept]])
        total = 0.0
        for fold in folds:
            rest = np.delete(np.arange(len(y)), fold)
            b = np.linalg.lstsq(design[rest], y[rest], rcond=None)[0]
            total += ((y[fold] - design[fold] @ b) ** 2).sum()
        return total / len(y)

    columns = list(range(X.shape[1]))
    return pd.Series([errors([k for k in columns if k != j]) - errors(columns) for j in columns])


# 10.5 and 10.6


def least_error(X, y):
    return mse(LinearRegression().fit(X, y), X, y)


def range_by_library(X, y, j, slack):
    found = LinearRashomonSet(X, y, epsilon=slack * least_error(X, y)).model_class_reliance(
        j, as_ratio=False
    )
    return found.low, found.high


def range_as_array(X, y, j, slack):
    good = LinearRashomonSet(pd.DataFrame(X), y, epsilon=slack * least_error(X, y))
    found = good.model_class_reliance(j, as_ratio=False)
    return np.array([found.low, found.high])


def range_from_models(X, y, j, slack):
    """The reliance of the two models that attain the ends, as a list."""
    scaled = make_pipeline(StandardScaler(), LinearRegression()).fit(X, y)
    good = LinearRashomonSet(X, y, epsilon=slack * np.mean((y - scaled.predict(X)) ** 2))
    ends = good.model_class_reliance(j, as_ratio=False)
    return [by_covariance(m, X, y)[j] for m in (ends.low_model, ends.high_model)]


def unique_range_by_library(X, y, j, slack):
    good = LinearRashomonSet(X, y, epsilon=slack * least_error(X, y))
    found = good.conditional_model_class_reliance(j, as_ratio=False)
    return [found.low, found.high]


def unique_range_by_hand(X, y, j, slack):
    """2 b_j bhat_j s_e^2, with b_j at the two ends."""
    n, bhat = len(y), LinearRegression().fit(X, y).coef_[j]
    variance = np.var(unique_part(X, j), ddof=1)
    reach = np.sqrt(slack * least_error(X, y) * n / (n - 1) / variance)
    ends = sorted(2 * bhat * (bhat + sign * reach) * variance for sign in (-1, 1))
    return tuple(ends)


def unique_range_from_coefficients(X, y, j, slack):
    good = LinearRashomonSet(X, y, epsilon=slack * least_error(X, y))
    bhat = LinearRegression().fit(X, y).coef_[j]
    ends = 2 * bhat * np.var(unique_part(X, j), ddof=1) * np.array(good.coefficient_range(j))
    return np.sort(ends)


# 10.7


def survives_loop(left, right, a, b):
    count = 0
    for half in range(len(left)):
        if left[a].iloc[half] > left[b].iloc[half] and right[b].iloc[half] > right[a].iloc[half]:
            count += 1
    return count


def survives_ranks(left, right, a, b):
    one, other = left.rank(axis=1), right.rank(axis=1)
    return np.sum((one[a] > one[b]).to_numpy() & (other[b] > other[a]).to_numpy())


def survives_signs(left, right, a, b):
    signs = np.sign(left[a] - left[b]), np.sign(right[a] - right[b])
    return float(((signs[0] == 1) & (signs[1] == -1)).sum())


def shuffled(X, j):
    X = X.copy()
    X[:, j] = np.random.default_rng(0).permutation(X[:, j])
    return X


def residual_alone(model, X, y):
    """Chimeras without the part that the other columns predict."""
    found = []
    for j in range(X.shape[1]):
        errors, e = [], unique_part(X, j)
        for k in range(1, len(y)):
            strange = X.copy()
            strange[:, j] = np.roll(e, k)
            errors.append(mse(model, strange, y))
        found.append(np.mean(errors) - mse(model, X, y))
    return found


def range_with(X, y, j, epsilon, ask="model_class_reliance"):
    found = getattr(LinearRashomonSet(X, y, epsilon=epsilon), ask)(j, as_ratio=False)
    return found.low, found.high


def through_the_origin(X, y, folds):
    """Least squares without a column of ones."""

    def errors(kept):
        total = 0.0
        for fold in folds:
            rest = np.setdiff1d(np.arange(len(y)), fold)
            b = np.linalg.lstsq(X[rest][:, kept], y[rest], rcond=None)[0]
            total += ((y[fold] - X[fold][:, kept] @ b) ** 2).sum()
        return total / len(y)

    columns = list(range(X.shape[1]))
    return [errors([k for k in columns if k != j]) - errors(columns) for j in columns]


def fitted_to_the_fold(X, y, folds):
    total = np.zeros(X.shape[1])
    for fold in folds:
        whole = least_error(X[fold], y[fold])
        for j in range(X.shape[1]):
            without = least_error(np.delete(X[fold], j, axis=1), y[fold])
            total[j] += (without - whole) * len(fold) / len(y)
    return total


RIGHT = {
    "10.1": [rolled, all_pairs, by_covariance, by_library],
    "10.2": [chimeras, unique_by_covariance, unique_by_library],
    "10.3": [contributions_loop, contributions_by_prediction, contributions_pandas],
    "10.4": [without_each, fold_by_fold, by_lstsq],
    "10.5": [range_by_library, range_as_array, range_from_models],
    "10.6": [unique_range_by_library, unique_range_by_hand, unique_range_from_coefficients],
    "10.7": [survives_loop, survives_ranks, survives_signs],
    "10.8": [set("gfedb"), ["b", "d", "e", "f", "g"], tuple("bgfde"), pd.Index(list("bdefg"))],
}

WRONG = {
    "10.1": {
        "signs dropped": lambda model, X, y: np.abs(by_library(model, X, y)),
        "negative values clipped": lambda model, X, y: np.clip(rolled(model, X, y), 0, None),
        "ratio instead of difference": lambda *a: model_reliance(*a).importances_mean,
        "right only on the fitted rows": lambda model, X, y: (
            2 * model.coef_**2 * np.cov(X, rowvar=False).diagonal()
        ),
        "fitted again": lambda model, X, y: rolled(LinearRegression().fit(X, y), X, y),
        "(rounded to two digits)": lambda model, X, y: by_library(model, X, y).round(2),
        "subtracted the other way round": lambda model, X, y: -by_library(model, X, y),
        "(six columns)": lambda *a: by_library(*a)[:6],
        "(one random shuffle)": lambda model, X, y: [
            mse(model, shuffled(X, j), y) - mse(model, X, y) for j in range(X.shape[1])
        ],
        "one shift instead of all": lambda model, X, y: [
            np.mean((y - model.predict(X) - b * (np.roll(x, 1) - x)) ** 2) - mse(model, X, y)
            for b, x in zip(model.coef_, X.T, strict=True)
        ],
    },
    "10.2": {
        "the whole column exchanged": by_library,
        "fitted again": lambda model, X, y: chimeras(LinearRegression().fit(X, y), X, y),
        "signs dropped": lambda model, X, y: np.abs(chimeras(model, X, y)),
        "negative values clipped": lambda *a: [max(0, v) for v in unique_by_library(*a)],
        "the predicted part forgotten": residual_alone,
        "(six columns)": lambda *a: unique_by_library(*a)[:6],
        "right only on the fitted rows": lambda model, X, y: [
            2 * b**2 * np.var(unique_part(X, j), ddof=1) for j, b in enumerate(model.coef_)
        ],
        "subtracted the other way round": lambda *a: [-v for v in unique_by_library(*a)],
    },
    "10.3": {
        "coefficients": lambda model, X, x: model.coef_,
        "signs dropped": lambda model, X, x: np.abs(model.coef_ * (x - X.mean(axis=0))),
        "from the wine to the mean": lambda model, X, x: model.coef_ * (X.mean(axis=0) - x),
        "one mean for all columns": lambda model, X, x: model.coef_ * (x - np.mean(X)),
        "(six columns)": lambda model, X, x: (model.coef_ * (x - X.mean(axis=0)))[:6],
        "(measured from the median)": lambda model, X, x: model.coef_ * (x - np.median(X, axis=0)),
    },
    "10.4": {
        "signs dropped": lambda X, y, folds: np.abs(by_lstsq(X, y, folds)),
        "negative values clipped": lambda X, y, folds: by_lstsq(X, y, folds).clip(lower=0),
        "every fold counts alike": lambda X, y, folds: np.mean(
            [
                algorithm_reliance(
                    LinearRegression(),
                    np.delete(X, fold, axis=0),
                    np.delete(y, fold),
                    X_test=X[fold],
                    y_test=y[fold],
                    as_ratio=False,
                ).importances_mean
                for fold in folds
            ],
            axis=0,
        ),
        "folds not used": lambda X, y, folds: (
            algorithm_reliance(LinearRegression(), X, y, as_ratio=False).importances_mean
        ),
        "fitted to the fold": fitted_to_the_fold,
        "sums instead of means": lambda X, y, folds: by_lstsq(X, y, folds) * len(y),
        "with all minus without": lambda X, y, folds: -by_lstsq(X, y, folds),
        "no intercept": through_the_origin,
        "(divided by 89)": lambda X, y, folds: by_lstsq(X, y, folds) * len(y) / 89,
        "(six columns)": lambda X, y, folds: by_lstsq(X, y, folds)[:6],
        "(four folds)": lambda X, y, folds: by_lstsq(X, y, folds[:4]),
    },
    "10.5": {
        "ends swapped": lambda *a: range_by_library(*a)[::-1],
        "negative values clipped": lambda *a: [max(0.0, end) for end in range_by_library(*a)],
        "the largest error as epsilon": lambda X, y, j, slack: range_with(
            X, y, j, (1 + slack) * least_error(X, y)
        ),
        "a share of the variance": lambda X, y, j, slack: range_with(X, y, j, slack * y.var()),
        "five per cent written in": lambda X, y, j, slack: range_by_library(X, y, j, 0.05),
        "(the record itself)": lambda X, y, j, slack: LinearRashomonSet(
            X, y, epsilon=slack * least_error(X, y)
        ).model_class_reliance(j, as_ratio=False),
        "(the width)": lambda *a: range_by_library(*a)[1] - range_by_library(*a)[0],
    },
    "10.6": {
        "the whole column": range_by_library,
        "signs dropped": lambda *a: [abs(end) for end in unique_range_by_library(*a)],
        "ends swapped": lambda *a: unique_range_by_library(*a)[::-1],
        "the largest error as epsilon": lambda X, y, j, slack: range_with(
            X, y, j, (1 + slack) * least_error(X, y), "conditional_model_class_reliance"
        ),
        "five per cent written in": lambda X, y, j, slack: unique_range_by_hand(X, y, j, 0.05),
        "ratios": lambda X, y, j, slack: [
            getattr(
                LinearRashomonSet(
                    X, y, epsilon=slack * least_error(X, y)
                ).conditional_model_class_reliance(j),
                end,
            )
            for end in ("low", "high")
        ],
    },
    "10.7": {
        "one answer only": lambda left, right, a, b: (left[a] > left[b]).sum(),
        "left and right exchanged": lambda left, right, a, b: survives_loop(right, left, a, b),
        "a share": lambda left, right, a, b: survives_loop(left, right, a, b) / len(left),
        "equal values counted": lambda left, right, a, b: (
            (left[a] >= left[b]) & (right[b] >= right[a])
        ).sum(),
        "equal values counted in one answer": lambda left, right, a, b: (
            (left[a] > left[b]) & ~(right[a] > right[b])
        ).sum(),
        "(fifteen halves)": lambda left, right, a, b: survives_loop(left[:15], right[:15], a, b),
        "(equal values counted on the left)": lambda left, right, a, b: (
            (left[a] >= left[b]) & (right[b] > right[a])
        ).sum(),
    },
    "10.8": {
        "the licensed ones": {"a", "c", "h"},
        "a prediction taken for an effect": ["b", "d", "e", "g"],
        "shuffles taken for other wines": ("b", "e", "f", "g"),
        "(two let pass)": {"b", "e", "g"},
        "(a text)": "bdefg",
    },
}
