"""Answers to the exercises of lesson 09: right ones in several styles, wrong ones by their slip."""

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_squared_error

from course_lib.measures import LinearRashomonSet, model_reliance


def first_columns(p, answer):
    """With the number of columns written in: the first p are looked at."""
    return lambda X, y, j, *epsilon: answer(X[:, :p], y, min(j, p - 1), *epsilon)


def model_of(b, X, y) -> LinearRegression:
    """The linear model with these coefficients and the intercept that suits them best."""
    model = LinearRegression().fit(X, y)
    model.coef_, model.intercept_ = np.array(b), float(np.mean(y - X @ b))
    return model


def error(model, X, y) -> float:
    return mean_squared_error(y, model.predict(X))


def size(b, X, y) -> float:
    """The mean size of the residuals, with the intercept that suits squared errors best."""
    return np.abs(y - model_of(b, X, y).predict(X)).mean()


def best_error(X, y) -> float:
    """That of least squares; by numpy alone, since the answers below ask thousands of times."""
    X, y = X - X.mean(axis=0), y - y.mean()
    return float(np.mean((y - X @ np.linalg.lstsq(X, y, rcond=None)[0]) ** 2))


def raw_error(X, y) -> float:
    return error(LinearRegression(fit_intercept=False).fit(X, y), X, y)


def price(X, y, j) -> float:
    return best_error(np.delete(X, j, axis=1), y) - best_error(X, y)


# 09.1


def good_by_variances(B, X, y, reference, epsilon):
    """The error with the best intercept is the variance of the residuals."""
    return [bool(np.var(y - X @ b) <= np.var(y - X @ reference) + epsilon) for b in B]


def good_by_models(B, X, y, reference, epsilon):
    limit = error(model_of(reference, X, y), X, y) + epsilon
    return np.array([error(model_of(b, X, y), X, y) <= limit for b in B])


def good_at_once(B, X, y, reference, epsilon):
    models = pd.DataFrame(y[:, np.newaxis] - X @ np.vstack([reference, B]).T)
    errors = models.var(ddof=0).to_numpy()
    return errors[1:] - errors[0] <= epsilon


# 09.2


def reliance_by_the_library(b, X, y, j):
    return model_reliance(model_of(b, X, y), X, y).importances_mean[j]


def reliance_by_all_pairs(b, X, y, j):
    model, n, total = model_of(b, X, y), len(y), 0.0
    for i in range(n):
        others = np.repeat(X[[i]], n - 1, axis=0)
        others[:, j] = np.delete(X[:, j], i)
        total += np.mean((y[i] - model.predict(others)) ** 2)
    return total / n / error(model, X, y)


def reliance_by_residuals(b, X, y, j):
    residuals, x = y - X @ b, X[:, j]
    increase = 2 * b[j] * (np.cov(residuals, x)[0, 1] + b[j] * np.var(x, ddof=1))
    return float(1 + increase / np.var(residuals))


# 09.3


def price_by_the_unique_part(X, y, j):
    """bhat_j^2 u^2, with u^2 = 1 / (G^-1)_jj."""
    u2 = 1 / np.linalg.inv(np.cov(X.T, ddof=0))[j, j]
    return LinearRegression().fit(X, y).coef_[j] ** 2 * u2


def price_by_pandas(X, y, j):
    frame = pd.DataFrame(X)
    without = frame.drop(columns=j)
    fitted = [LinearRegression().fit(part, y).predict(part) for part in (without, frame)]
    return pd.Series(y).sub(fitted[0]).pow(2).mean() - pd.Series(y).sub(fitted[1]).pow(2).mean()


# 09.4


def reach_by_the_library(X, y, j, epsilon):
    return LinearRashomonSet(X, y, epsilon=epsilon).coefficient_range(j)


def reach_by_the_unique_part(X, y, j, epsilon):
    x, rest = X[:, j], np.delete(X, j, axis=1)
    e = x - LinearRegression().fit(rest, x).predict(rest)
    half = (epsilon / np.mean(e**2)) ** 0.5
    b = LinearRegression().fit(X, y).coef_[j]
    return [b - half, b + half]


def reach_by_solving(X, y, j, epsilon):
    x = X - X.mean(axis=0)
    G = x.T @ x / len(x)
    unit = np.eye(len(G))[j]
    b = np.linalg.solve(G, x.T @ (y - y.mean()) / len(x))[j]
    return b + np.array([-1, 1]) * np.sqrt(epsilon * np.linalg.solve(G, unit)[j])


# 09.5


def conditional_by_the_library(X, y, j, epsilon):
    good = LinearRashomonSet(X, y, epsilon=epsilon)
    found = good.conditional_model_class_reliance(j, as_ratio=False)
    return [found.low, found.high]


def conditional_by_the_price(X, y, j, epsilon):
    n, star = len(y), price(X, y, j)
    half = np.sqrt(epsilon * star)
    return 2 * n / (n - 1) * np.array([star - half, star + half])


def conditional_by_a_loop(X, y, j, epsilon):
    rest = np.delete(X, j, axis=1)
    e = X[:, j] - LinearRegression().fit(rest, X[:, j]).predict(rest)
    b = LinearRegression().fit(X, y).coef_[j]
    ends = []
    for sign in (-1, 1):
        ends.append(2 * (b + sign * (epsilon / np.var(e)) ** 0.5) * b * np.var(e, ddof=1))
    return tuple(sorted(ends))


# 09.6


def needed_by_the_library(X, y, share):
    good = LinearRashomonSet(X, y, epsilon=share * best_error(X, y))
    return [j for j in range(X.shape[1]) if good.model_class_reliance(j).low > 1]


def needed_by_ratios(X, y, share):
    without = np.array([best_error(np.delete(X, j, axis=1), y) for j in range(X.shape[1])])
    return np.flatnonzero(without / best_error(X, y) > 1 + share).tolist()


def needed_by_the_reach(X, y, share):
    """Every good model has a coefficient of the same sign."""
    epsilon, found = share * best_error(X, y), []
    for j in range(X.shape[1]):
        low, high = reach_by_solving(X, y, j, epsilon)
        found += [j] if low > 0 or high < 0 else []
    return tuple(found)


def needed_without_intercept(X, y, share):
    def error_of(columns):
        fitted = LinearRegression(fit_intercept=False).fit(X[:, columns], y)
        return error(fitted, X[:, columns], y)

    everything = range(X.shape[1])
    limit = (1 + share) * error_of(list(everything))
    return [j for j in everything if error_of([k for k in everything if k != j]) > limit]


def at_zero(X, y, j) -> float:
    b = LinearRegression().fit(X, y).coef_
    b[j] = 0
    return error(model_of(b, X, y), X, y)


def p_values(X, y) -> np.ndarray:
    x = np.column_stack([np.ones(len(y)), X])
    b = np.linalg.lstsq(x, y, rcond=None)[0]
    s2 = np.sum((y - x @ b) ** 2) / (len(y) - x.shape[1])
    t = b / np.sqrt(s2 * np.diag(np.linalg.inv(x.T @ x)))
    from scipy import stats

    return 2 * stats.t.sf(abs(t), len(y) - x.shape[1])[1:]


RIGHT = {
    "09.1": [good_by_variances, good_by_models, good_at_once],
    "09.2": [reliance_by_the_library, reliance_by_all_pairs, reliance_by_residuals],
    "09.3": [price, price_by_the_unique_part, price_by_pandas],
    "09.4": [reach_by_the_library, reach_by_the_unique_part, reach_by_solving],
    "09.5": [conditional_by_the_library, conditional_by_the_price, conditional_by_a_loop],
    "09.6": [needed_by_the_library, needed_by_ratios, needed_by_the_reach],
    "09.7": [{"a", "c"}, ["c", "a"], ("a", "c")],
}
WRONG = {
    "09.1": {
        "epsilon as a share": lambda B, X, y, reference, epsilon: [
            np.var(y - X @ b) <= np.var(y - X @ reference) * (1 + epsilon) for b in B
        ],
        "much better ones refused": lambda B, X, y, reference, epsilon: [
            abs(np.var(y - X @ b) - np.var(y - X @ reference)) <= epsilon for b in B
        ],
        "the limit itself refused": lambda B, X, y, reference, epsilon: [
            np.var(y - X @ b) < np.var(y - X @ reference) + epsilon for b in B
        ],
        "n-1": lambda B, X, y, reference, epsilon: [
            np.var(y - X @ b, ddof=1) <= np.var(y - X @ reference, ddof=1) + epsilon for b in B
        ],
        "not centred": lambda B, X, y, reference, epsilon: [
            mean_squared_error(y, X @ b) <= mean_squared_error(y, X @ reference) + epsilon
            for b in B
        ],
        "(all of them)": lambda B, *_: [True] * len(B),
        "(seven models)": lambda B, *given: good_by_variances(B[:7], *given),
        "(divided by eight)": lambda B, X, y, reference, epsilon: good_by_variances(
            B, X, y, reference, 8 * epsilon / len(y)
        ),
        "absolute errors": lambda B, X, y, reference, epsilon: [
            size(b, X, y) <= size(reference, X, y) + epsilon for b in B
        ],
        "around the best model": lambda B, X, y, reference, epsilon: [
            np.var(y - X @ b) <= best_error(X, y) + epsilon for b in B
        ],
        "epsilon alone as the limit": lambda B, X, y, reference, epsilon: [
            np.var(y - X @ b) <= epsilon for b in B
        ],
        "roots of the errors": lambda B, X, y, reference, epsilon: [
            np.std(y - X @ b) <= np.std(y - X @ reference) + epsilon for b in B
        ],
    },
    "09.2": {
        "never below 1": lambda *given: np.maximum(reliance_by_residuals(*given), 1),
        "sign dropped": lambda *given: 1 + abs(reliance_by_residuals(*given) - 1),
        "the residuals' covariance": lambda b, X, y, j: (
            1 + 2 * b[j] * np.cov(y - X @ b, X[:, j])[0, 1] / np.var(y - X @ b)
        ),
        "the covariance with n": lambda b, X, y, j: (
            1 + (reliance_by_residuals(b, X, y, j) - 1) * (len(y) - 1) / len(y)
        ),
        "the best model's reliance": lambda b, X, y, j: reliance_by_residuals(
            LinearRegression().fit(X, y).coef_, X, y, j
        ),
        "no intercept": lambda b, X, y, j: (
            1
            + (reliance_by_residuals(b, X, y, j) - 1)
            * np.var(y - X @ b)
            / mean_squared_error(y, X @ b)
        ),
        "divided by the best error": lambda b, X, y, j: (
            1
            + (reliance_by_residuals(b, X, y, j) - 1)
            * error(model_of(b, X, y), X, y)
            / best_error(X, y)
        ),
        "factor 2 forgotten": lambda *given: (1 + reliance_by_residuals(*given)) / 2,
        "(rounded to one digit)": lambda *given: round(reliance_by_residuals(*given), 1),
        "(always the first column)": lambda b, X, y, j: reliance_by_residuals(b, X, y, 0),
        "(always the last column)": lambda b, X, y, j: reliance_by_residuals(b, X, y, -1),
        "(three columns written in)": lambda b, X, y, j: reliance_by_residuals(
            b[:3], X[:, :3], y, min(j, 2)
        ),
    },
    "09.3": {
        "a ratio": lambda X, y, j: best_error(np.delete(X, j, axis=1), y) / best_error(X, y),
        "(always the first column)": lambda X, y, j: price(X, y, 0),
        "a share": lambda X, y, j: price(X, y, j) / best_error(X, y),
        "the error without the column": lambda X, y, j: best_error(np.delete(X, j, axis=1), y),
        "no intercept": lambda X, y, j: raw_error(np.delete(X, j, axis=1), y) - raw_error(X, y),
        "sign turned": lambda X, y, j: -price(X, y, j),
        "n-1": lambda X, y, j: (
            LinearRegression().fit(X, y).coef_[j] ** 2 / np.linalg.inv(np.cov(X.T))[j, j]
        ),
        "(always the second column)": lambda X, y, j: price(X, y, 1),
        "(always the last column)": lambda X, y, j: price(X, y, -1),
        "(three columns written in)": first_columns(3, price),
        "(four columns written in)": first_columns(4, price),
        "(rounded to one digit)": lambda X, y, j: round(price(X, y, j), 1),
    },
    "09.4": {
        "(always the first column)": lambda X, y, j, epsilon: reach_by_solving(X, y, 0, epsilon),
        "(always the last column)": lambda X, y, j, epsilon: reach_by_solving(X, y, -1, epsilon),
        "(three columns written in)": first_columns(3, reach_by_solving),
        "(four columns written in)": first_columns(4, reach_by_solving),
        "largest first": lambda *given: reach_by_solving(*given)[::-1],
        "around 0": lambda X, y, j, epsilon: (
            np.sqrt(epsilon * np.linalg.inv(np.cov(X.T, ddof=0))[j, j]) * np.array([-1, 1])
        ),
        "the root of epsilon only": lambda X, y, j, epsilon: (
            LinearRegression().fit(X, y).coef_[j]
            + epsilon**0.5 * np.linalg.inv(np.cov(X.T, ddof=0))[j, j] * np.array([-1, 1])
        ),
        "not centred": lambda X, y, j, epsilon: (
            LinearRegression().fit(X, y).coef_[j]
            + (epsilon * len(y) * np.linalg.inv(X.T @ X)[j, j]) ** 0.5 * np.array([-1, 1])
        ),
        "epsilon as a share": lambda X, y, j, epsilon: reach_by_solving(
            X, y, j, epsilon * best_error(X, y)
        ),
        "n-1": lambda X, y, j, epsilon: reach_by_solving(X, y, j, epsilon * (1 - 1 / len(y))),
    },
    "09.5": {
        "clipped at 0": lambda *given: np.clip(conditional_by_the_price(*given), 0, None),
        "(always the first column)": lambda X, y, j, epsilon: conditional_by_a_loop(
            X, y, 0, epsilon
        ),
        "(always the last column)": lambda X, y, j, epsilon: conditional_by_a_loop(
            X, y, -1, epsilon
        ),
        "(three columns written in)": first_columns(3, conditional_by_a_loop),
        "(four columns written in)": first_columns(4, conditional_by_a_loop),
        "signs dropped": lambda *given: sorted(abs(conditional_by_the_price(*given))),
        "the ends not in order": lambda X, y, j, epsilon: [
            end * 2 * LinearRegression().fit(X, y).coef_[j] / np.linalg.inv(np.cov(X.T))[j, j]
            for end in reach_by_solving(X, y, j, epsilon)
        ],
        "n-1 in both places": lambda X, y, j, epsilon: conditional_by_a_loop(
            X, y, j, epsilon * (1 - 1 / len(y))
        ),
        "squares of the ends": lambda X, y, j, epsilon: sorted(
            2 * end**2 / np.linalg.inv(np.cov(X.T))[j, j]
            for end in reach_by_solving(X, y, j, epsilon)
        ),
        "a ratio to the best error": lambda X, y, j, epsilon: (
            1 + conditional_by_the_price(X, y, j, epsilon) / best_error(X, y)
        ),
        "a ratio to the limit": lambda X, y, j, epsilon: (
            1 + conditional_by_the_price(X, y, j, epsilon) / (best_error(X, y) + epsilon)
        ),
        "the variance with n": lambda X, y, j, epsilon: (
            conditional_by_the_price(X, y, j, epsilon) * (len(y) - 1) / len(y)
        ),
    },
    "09.6": {
        "the dearest column": lambda X, y, share: [
            max(range(X.shape[1]), key=lambda j: price(X, y, j))
        ],
        "significant columns": lambda X, y, share: np.flatnonzero(p_values(X, y) < 0.05).tolist(),
        "share as epsilon": lambda X, y, share: [
            j for j in range(X.shape[1]) if price(X, y, j) > share
        ],
        "roots of the errors": lambda X, y, share: [
            j
            for j in range(X.shape[1])
            if best_error(np.delete(X, j, axis=1), y) ** 0.5 > (1 + share) * best_error(X, y) ** 0.5
        ],
        "a share of the larger error": lambda X, y, share: [
            j
            for j in range(X.shape[1])
            if price(X, y, j) > share * best_error(np.delete(X, j, axis=1), y)
        ],
        "no intercept": needed_without_intercept,
        "coefficient set to 0": lambda X, y, share: [
            j for j in range(X.shape[1]) if at_zero(X, y, j) > (1 + share) * best_error(X, y)
        ],
        "scrambling the best model": lambda X, y, share: np.flatnonzero(
            model_reliance(LinearRegression().fit(X, y), X, y).importances_mean > 1 + share
        ).tolist(),
        "the unique part scrambled": lambda X, y, share: needed_by_ratios(X, y, share / 2),
        "(six columns written in)": lambda X, y, share: [
            j for j in range(6) if price(X, y, j) > share * best_error(X, y)
        ],
        "counted from 1": lambda *given: [1 + j for j in needed_by_ratios(*given)],
        "the dearest first": lambda X, y, share: sorted(
            needed_by_ratios(X, y, share), key=lambda j: price(X, y, j), reverse=True
        ),
        "True and False": lambda X, y, share: np.array(
            [price(X, y, j) > share * best_error(X, y) for j in range(X.shape[1])]
        ),
        "(a share of the variance)": lambda X, y, share: [
            j for j in range(X.shape[1]) if price(X, y, j) > share * y.var()
        ],
        "(n - 1 in the best error)": lambda X, y, share: needed_by_the_library(
            X, y, share * len(y) / (len(y) - 1)
        ),
        "(a tolerance that is 2 % too large)": lambda X, y, share: needed_by_ratios(
            X, y, 1.02 * share
        ),
        "(a tolerance that is 2 % too small)": lambda X, y, share: needed_by_ratios(
            X, y, 0.98 * share
        ),
        "(none)": lambda X, y, share: [],
        "(prices rounded to one digit)": lambda X, y, share: [
            j
            for j in range(X.shape[1])
            if round(price(X, y, j), 1) > share * round(best_error(X, y), 1)
        ],
    },
    "09.7": {
        "only the lower end": {"a"},
        "no column, no information": {"a", "b", "c"},
        "some taken for every": {"a", "c", "d"},
        "only the upper end": {"c"},
        "(everything but the error)": {"a", "b", "c", "d"},
    },
}
