"""Answers to the exercises of lesson 08: right ones in several styles, wrong ones by name."""

from itertools import permutations

import numpy as np
import pandas as pd

# 08.1


def ai_loops(S, c, b):
    result = []
    for j in range(len(b)):
        g = sum(b[k] * S[k][j] / S[j][j] for k in range(len(b)))
        result.append(2 * g * c[j])
    return result


def ai_einsum(S, c, b):
    return np.einsum("l,lj,j,j->j", 2 * b, S, 1 / S.diagonal(), c)


def ai_pandas(S, c, b):
    table = pd.DataFrame(S)
    return table.mul(b, axis=0).sum() / np.diag(S) * c * 2


def ai_of_moments(S, c, b):
    """The difference of two squared errors, with the variance of y left out of both."""
    per_unit = S @ np.diag(1 / np.diag(S))
    swing = b @ S @ b
    return (swing) - (swing - 2 * (per_unit.T @ b) * c)


# 08.2


def averaged_loops(S, c, b):
    values = np.empty(len(b))
    for j in range(len(b)):
        g = np.dot(b, S[:, j]) / S[j, j]
        values[j] = g * (2 * c[j] - g * S[j, j])
    return values


def averaged_by_errors(S, c, b):
    """Var(y) minus the error, with 7 for Var(y)."""
    g = (S @ b) / S.diagonal()
    return (7 - (7 - 2 * g * c + g * g * S.diagonal())).tolist()


def averaged_series(S, c, b):
    g = pd.Series(b @ S) / np.diag(S)
    return 2 * g * c - g**2 * np.diag(S)


# 08.3


def from_loops(S, c, b, k):
    n, values = len(b), []
    for j in range(n):
        left = c[j] - sum(b[m] * S[m, j] for m in range(n) if m != k)
        values.append(2 * b[k] * S[k, j] / S[j, j] * left)
    return tuple(values)


def from_deleted(S, c, b, k):
    rest = np.delete(b, k) @ np.delete(S, k, axis=0)
    return 2 * b[k] * (S / S.diagonal())[k] * (c - rest)


def from_whole(S, c, b, k):
    left = c - b @ S + b[k] * S[k]
    return pd.Series(2 * b[k] * S[k] * left / np.diag(S))


# 08.4


def via_loops(S, c, b, j):
    values = []
    for k in range(len(b)):
        g = b[k] * S[k, j] / S[j, j]
        values.append(2 * g * c[j] - g * g * S[j, j])
    return values


def via_array(S, c, b, j):
    move = b * S[j]
    return (2 * move * c[j] - move**2) / S[j, j]


def via_one_by_one(S, c, b, j):
    """The averaged importance of models that read one feature each."""
    return np.array(
        [averaged_loops(S, c, np.where(np.arange(len(b)) == k, b, 0))[j] for k in range(len(b))]
    )


def via_closed(S, c, b, j):
    """The averaged importance of the model minus that of the model with one weight set to 0."""
    whole = averaged_loops(S, c, b)[j]
    shut = [np.where(np.arange(len(b)) == k, 0, b) for k in range(len(b))]
    return [whole - averaged_loops(S, c, one)[j] for one in shut]


# 08.5


def parts_by_masks(w, order):
    parts, mask = [0, 0, 0], 0
    for i in order:
        parts[i] = w[mask + 2**i] - w[mask]
        mask += 2**i
    return parts


def parts_by_sets(w, order):
    worth = {frozenset(i for i in range(3) if m >> i & 1): w[m] for m in range(8)}
    before = [frozenset(order[: order.index(i)]) for i in range(3)]
    return np.array([worth[S | {i}] - worth[S] for i, S in enumerate(before)])


def parts_by_series(w, order):
    masks = np.cumsum([0] + [2**i for i in order])
    return pd.Series(np.diff(w[masks]), index=order).sort_index()


def shapley_by_orders(w, order):
    return np.mean([parts_by_masks(w, list(one)) for one in permutations(range(3))], axis=0)


# 08.6


def gap_loops(S, b, j):
    total = sum(2 * b[m] * S[m, j] for m in range(len(b)))
    return [total - 2 * b[k] * S[k, j] for k in range(len(b))]


def gap_by_models(S, b, j):
    shut = np.tile(b, (len(b), 1))
    np.fill_diagonal(shut, 0)
    return 2 * shut @ S[:, j] / S[j, j]


def gap_of_predictions(S, b, j):
    """Mean predictions of group +1 and of group -1, with each column left out."""
    means = {sign: sign * S[:, j] for sign in (-1, 1)}
    return np.array(
        [
            np.delete(b, k) @ (np.delete(means[1], k) - np.delete(means[-1], k))
            for k in range(len(b))
        ]
    )


NAMED = {"a": "DI", "b": "AI", "c": "AI via", "d": "DI from", "e": "gap"}

RIGHT = {
    "08.1": [ai_loops, ai_einsum, ai_pandas, ai_of_moments],
    "08.2": [averaged_loops, averaged_by_errors, averaged_series],
    "08.3": [from_loops, from_deleted, from_whole],
    "08.4": [via_loops, via_array, via_one_by_one],
    "08.5": [parts_by_masks, parts_by_sets, parts_by_series],
    "08.6": [gap_loops, gap_by_models, gap_of_predictions],
    "08.7": [NAMED, dict(sorted(NAMED.items(), reverse=True)), pd.Series(NAMED).to_dict()],
}


def written_in(answer, n):
    """The answer with the number of variables written in: the first n are looked at."""

    def of_the_first(S, *given):
        *arrays, position = given if isinstance(given[-1], int) else (*given, None)
        where = () if position is None else (min(position, n - 1),)
        return answer(S[:n, :n], *(one[:n] for one in arrays), *where)

    return {f"({n} variables written in)": of_the_first}


def unread_as_zero(answer):
    return lambda S, c, b, *rest: [
        value if weight else 0 for value, weight in zip(answer(S, c, b, *rest), b, strict=True)
    ]


def own_door_shut(S, c, b, j):
    values = via_loops(S, c, b, j)
    values[j] = 0
    return values


def first_unread(b) -> int:
    return int(np.argwhere(b == 0)[0, 0])


def last_unread(b) -> int:
    return int(np.flatnonzero(b == 0)[-1])


def importance_times(S, c, b, k, share):
    whole = from_loops(S, c, b, k)[k]
    return [whole * share(S[k, j] / np.sqrt(S[k, k] * S[j, j])) for j in range(len(b))]


def rest_as_in_the_example(S, c, b, k):
    rest = b.copy()
    rest[k] = 0
    return 2 * b[k] * S[k] / np.diag(S) * (c - rest @ S[:, k])


def own_source_as_zero(S, c, b, k):
    return [0 if j == k else value for j, value in enumerate(from_loops(S, c, b, k))]


def from_averaged(S, c, b, k):
    return from_whole(S, c, b, k) - (b[k] * S[k]) ** 2 / np.diag(S)


def averaged_by_feature(S, c, b):
    g = b @ np.diag(1 / np.diag(S)) @ S
    return 2 * g * c - g**2 * np.diag(S)


def parts_from_the_left(w, order):
    parts, mask = np.zeros(3), 0
    for i in order:
        parts[i] = w[mask + (4 >> i)] - w[mask]
        mask += 4 >> i
    return parts


def worths_after(w, order):
    after, mask = {}, 0
    for i in order:
        mask += 2**i
        after[i] = w[mask]
    return [after[i] for i in range(3)]


def gap_by_feature(S, b, j):
    parts = [2 * b[k] * S[k, j] / S[k, k] for k in range(len(b))]
    return [sum(parts) - part for part in parts]


def gap_own_zero(S, b, j):
    values = gap_loops(S, b, j)
    values[j] = 0
    return values


WRONG = {
    "08.1": {
        "clipped at 0": lambda S, c, b: [max(0, value) for value in ai_loops(S, c, b)],
        "the sign taken away": lambda S, c, b: abs(ai_einsum(S, c, b)),
        "only its own door": lambda S, c, b: [2 * x * y for x, y in zip(b, c, strict=True)],
        "unread variables set to 0": unread_as_zero(ai_loops),
        "(rounded to one digit)": lambda S, c, b: ai_einsum(S, c, b).round(1),
        "(the sum instead of one number for each variable)": lambda S, c, b: sum(ai_loops(S, c, b)),
        **written_in(ai_loops, 3),
        **written_in(ai_loops, 4),
    },
    "08.2": {
        "the plain version": ai_einsum,
        "clipped at 0": lambda S, c, b: np.maximum(0, averaged_loops(S, c, b)),
        "divided by the other variance": averaged_by_feature,
        "factor 2 left out": lambda S, c, b: (
            averaged_loops(S, c, b) - np.array(ai_loops(S, c, b)) / 2
        ),
        "only the variance": lambda S, c, b: (b @ S) ** 2 / np.diag(S),
        "a rise instead of a fall": lambda S, c, b: -averaged_loops(S, c, b),
        "the best that x_j can do": lambda S, c, b: np.square(c) / np.diag(S),
        "unread variables set to 0": unread_as_zero(averaged_loops),
        "(rounded to one digit)": lambda S, c, b: averaged_loops(S, c, b).round(1),
        "(the target's covariance left out)": lambda S, c, b: averaged_loops(S, 0 * c, b),
        **written_in(averaged_loops, 3),
        **written_in(averaged_loops, 4),
    },
    "08.3": {
        "the sign taken away": lambda S, c, b, k: np.abs(from_loops(S, c, b, k)),
        "the rest of the model forgotten": lambda S, c, b, k: 2 * b[k] * S[k] / np.diag(S) * c,
        "factor 2 left out": lambda S, c, b, k: from_whole(S, c, b, k) / 2,
        "the share of the variance": lambda *given: importance_times(*given, lambda r: r * r),
        "the correlation": lambda *given: importance_times(*given, lambda r: r),
        "the rest at the feature instead of the source": rest_as_in_the_example,
        "the target at the feature instead of the source": lambda S, c, b, k: [
            S[k, j] / S[j, j] * from_loops(S, c, b, k)[k] for j in range(len(b))
        ],
        "the averaged version": from_averaged,
        "its own source set to 0": own_source_as_zero,
        "unread variables set to 0": unread_as_zero(from_loops),
        "(rounded to one digit)": lambda S, c, b, k: np.round(from_loops(S, c, b, k), 1),
        **written_in(from_loops, 3),
        **written_in(from_loops, 4),
    },
    "08.4": {
        "all doors open": lambda S, c, b, j: [averaged_loops(S, c, b)[j]] * len(b),
        "clipped at 0": lambda S, c, b, j: via_array(S, c, b, j).clip(min=0),
        "one door closed": via_closed,
        "Shapley parts": lambda S, c, b, j: [
            (alone + closed) / 2
            for alone, closed in zip(via_loops(S, c, b, j), via_closed(S, c, b, j), strict=True)
        ],
        "the covariance of the feature": lambda S, c, b, j: [
            via_loops(S, np.full(len(b), c[k]), b, j)[k] for k in range(len(b))
        ],
        "divided by the other variance": lambda S, c, b, j: (
            2 * b * S[j] / np.diag(S) * c[j] - (b * S[j] / np.diag(S)) ** 2 * S[j, j]
        ),
        "variance of x_j forgotten": lambda S, c, b, j: (
            2 * b * S[j] / S[j, j] * c[j] - (b * S[j] / S[j, j]) ** 2
        ),
        "its own door shut": own_door_shut,
        "the variable that is not read": lambda S, c, b, j: via_loops(S, c, b, first_unread(b)),
        "(rounded to one digit)": lambda S, c, b, j: via_array(S, c, b, j).round(1),
        **written_in(via_loops, 3),
        **written_in(via_loops, 4),
    },
    "08.5": {
        "Shapley values": shapley_by_orders,
        "each alone": lambda w, order: [w[1] - w[0], w[2] - w[0], w[4] - w[0]],
        "the empty set counted as 0": lambda w, order: parts_by_masks([0, *w[1:]], order),
        "in the order of arrival": lambda w, order: np.diff(
            w[np.cumsum([0] + [2**i for i in order])]
        ),
        "handed to another player": lambda w, order: np.diff(
            w[np.cumsum([0] + [2**i for i in order])]
        )[order],
        "the order ignored": lambda w, order: parts_by_masks(w, sorted(order)),
        "bits counted from the left": parts_from_the_left,
        "the worth after the arrival": worths_after,
        "(the last player's gain is lost)": lambda w, order: parts_by_masks(
            [*w[:7], w[7 - 2 ** order[-1]]], order
        ),
        "(rounded to one digit)": lambda w, order: np.round(parts_by_masks(w, order), 1),
    },
    "08.6": {
        "per unit": lambda S, b, j: gap_by_models(S, b, j) / 2,
        "the sign taken away": lambda S, b, j: abs(gap_by_models(S, b, j)),
        "group +1 subtracted": lambda S, b, j: [-gap for gap in gap_loops(S, b, j)],
        "its own entry set to 0": gap_own_zero,
        "divided by the other variance": gap_by_feature,
        "the first column that is not read": lambda S, b, j: gap_loops(S, b, first_unread(b)),
        "(the last column that is not read)": lambda S, b, j: gap_loops(S, b, last_unread(b)),
        "(the position of the best door)": lambda S, b, j: int(
            np.argmin(abs(gap_by_models(S, b, j)))
        ),
        "(rounded to one digit)": lambda S, b, j: gap_by_models(S, b, j).round(1),
        **written_in(gap_loops, 5),
        **written_in(gap_loops, 6),
    },
    "08.7": {
        "direct and associative exchanged": NAMED | {"a": "AI", "b": "DI"},
        "associative importance taken for the gap": NAMED | {"b": "gap", "e": "AI"},
        "AI for e)": NAMED | {"e": "AI"},
        "DI for b)": NAMED | {"b": "DI"},
        "(two other questions exchanged)": NAMED | {"a": "gap", "e": "DI"},
        "(written with a hyphen)": NAMED | {"c": "AI-via"},
        "(the last question left out)": {key: NAMED[key] for key in "abcd"},
    },
}
