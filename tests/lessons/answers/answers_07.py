"""Answers to the exercises of lesson 07: right ones in several styles, wrong ones by name."""

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.preprocessing import StandardScaler

NAMES = ("rain", "soil", "seed", "weed", "wage", "crop", "price", "tax")

# 07.1


def confounded_list(a, c, d):
    slope = c * d + a
    return [slope, slope * slope * 2, a]


def confounded_series(a, c, d):
    numbers = pd.Series({"slope": a + c * d, "importance": 0.0, "effect": a})
    numbers["importance"] = 2 * numbers["slope"] ** 2
    return numbers


def confounded_by_covariance(a, c, d):
    """From the covariances of z, x and y."""
    with_x = c * (a * c + d) + a * (1 - c**2)
    return with_x, 2 * with_x**2, np.float64(a)


# 07.2


def total_by_paths(equations, cause, effect):
    return sum(path_products(equations, cause, effect))


def path_products(equations, cause, effect):
    """All directed paths, one after the other."""
    ways, products = [(cause, 1.0)], []
    while ways:
        name, product = ways.pop()
        if name == effect:
            products.append(product)
            continue
        for child, parents in equations.items():
            if name in parents:
                ways.append((child, product * parents[name]))
    return products


def total_up_to(longest):
    """Paths of at most so many arrows."""

    def total_effect(equations, cause, effect, left=longest):
        if cause == effect or not left:
            return float(cause == effect)
        parents = equations.get(effect, {}).items()
        return sum(a * total_effect(equations, cause, parent, left - 1) for parent, a in parents)

    return total_effect


def total_by_matrix(equations, cause, effect):
    """(I - A)^-1, the sum of all powers of the matrix of arrows."""
    A = pd.DataFrame(0.0, index=NAMES, columns=NAMES)
    for child, parents in equations.items():
        for parent, a in parents.items():
            A.loc[child, parent] = a
    inverse = np.linalg.inv(np.eye(len(NAMES)) - A.to_numpy())
    return inverse[NAMES.index(effect), NAMES.index(cause)]


def total_by_setting(equations, cause, effect):
    """Mean of the effect under do(cause = 1), every noise at its mean."""
    values = dict.fromkeys(NAMES, 0.0)
    for _ in NAMES:
        for child, parents in equations.items():
            values[child] = sum(a * values[parent] for parent, a in parents.items())
        values[cause] = 1.0
    for _ in NAMES:
        for child, parents in equations.items():
            if child != cause:
                values[child] = sum(a * values[parent] for parent, a in parents.items())
    return values[effect]


def slope_seen(equations, cause, effect):
    """Regression on what one sees, from the law of the world."""
    A = np.zeros((len(NAMES), len(NAMES)))
    for child, parents in equations.items():
        for parent, a in parents.items():
            A[NAMES.index(child), NAMES.index(parent)] = a
    B = np.linalg.inv(np.eye(len(NAMES)) - A)
    sigma = B @ B.T
    i, k = NAMES.index(cause), NAMES.index(effect)
    return sigma[i, k] / sigma[i, i]


def total_once_each(equations, cause, effect):
    """A walk that enters each variable only once, so that shared ones are lost."""
    seen, ways, total = set(), [(cause, 1.0)], 0.0
    while ways:
        name, product = ways.pop()
        if name == effect:
            total += product
        elif name not in seen:
            seen.add(name)
            for child, parents in equations.items():
                if name in parents:
                    ways.append((child, product * parents[name]))
    return total


def total_by_passes(equations, cause, effect):
    """Forwards from the cause, pass by pass; whatever is never reached counts 0."""
    totals = {cause: 1.0}
    for _ in equations:
        for child, parents in equations.items():
            if child != cause:
                totals[child] = sum(a * totals.get(parent, 0.0) for parent, a in parents.items())
    return totals.get(effect, 0.0)


def total_from_the_top(equations, cause, effect):
    """Neither argument is looked at: the first child and the last but one."""
    children = list(equations)
    return total_by_paths(equations, children[0], children[-2])


# 07.3


def arrows_but_the_first(arrows, name):
    first = next(k for k, (_, effect) in enumerate(arrows) if effect == name)
    return arrows[:first] + arrows[first + 1 :]


def arrows_removed_on_the_way(arrows, name):
    for arrow in arrows:
        if arrow[1] == name:
            arrows.remove(arrow)
    return arrows


def arrows_loop(arrows, name):
    kept = []
    for arrow in arrows:
        if arrow[1] != name:
            kept.append(arrow)
    return kept


def arrows_filter(arrows, name):
    return list(filter(lambda arrow: arrow[-1] != name, arrows))


def arrows_frame(arrows, name):
    table = pd.DataFrame(arrows, columns=["cause", "effect"])
    return table[table["effect"] != name].to_numpy().tolist()


# 07.4


def policy_slope(model, before, after):
    """A line moves by its slope times the change of the mean logins."""
    change = after.mean() - before.mean()
    return [model.coef_[0] * change["logins"], change["score"]]


def policy_frames(model, before, after):
    tables = [t.assign(prediction=model.predict(t[["logins"]])) for t in (before, after)]
    return (tables[1].mean() - tables[0].mean())[["prediction", "score"]]


def policy_rows(model, before, after):
    predicted = model.predict(after[["logins"]]) - model.predict(before[["logins"]])
    scored = after["score"].to_numpy() - before["score"].to_numpy()
    return np.column_stack([predicted, scored]).mean(axis=0)


# 07.5


def conditional_schur(covariance, j):
    n = len(covariance) - 1
    others = [k for k in range(n) if k != j]
    b = np.linalg.solve(covariance[:n, :n], covariance[:n, n])
    c = covariance[others, j]
    left = covariance[j, j] - c @ np.linalg.solve(covariance[np.ix_(others, others)], c)
    return 2 * b[j] ** 2 * left


def conditional_inverse(covariance, j):
    precision = np.linalg.inv(covariance[:-1, :-1])
    return float(2 * (precision @ covariance[:-1, -1])[j] ** 2 / precision[j, j])


def conditional_by_errors(covariance, j):
    """Twice what the best line loses without the feature."""

    def explained(columns):
        c = covariance[columns, -1]
        return c @ np.linalg.lstsq(covariance[np.ix_(columns, columns)], c, rcond=None)[0]

    everything = list(range(len(covariance) - 1))
    return 2 * (explained(everything) - explained([k for k in everything if k != j]))


# 07.6


def effect_lstsq(table):
    X = np.column_stack([np.ones(len(table)), table["dose"], table["age"]])
    return np.linalg.lstsq(X, table["recovery"].to_numpy(), rcond=None)[0][1]


def effect_in_two_steps(table):
    """What is left of dose and recovery after age, against each other."""
    age = table[["age"]]
    dose, recovery = (
        table[name] - LinearRegression().fit(age, table[name]).predict(age)
        for name in ("dose", "recovery")
    )
    return (dose @ recovery) / (dose @ dose)


def effect_by_covariance(table):
    sigma = table.cov()
    both = ["dose", "age"]
    return pd.Series(np.linalg.solve(sigma.loc[both, both], sigma.loc[both, "recovery"]), both)[
        "dose"
    ]


def line(table, *columns):
    X = table[["dose", *columns]]
    return LinearRegression().fit(X, table["recovery"]).coef_[0]


# Right values, but what was lent is changed


def total_with_arrows_cut(equations, cause, effect):
    equations[cause] = {}
    return total_by_matrix(equations, cause, effect)


def policy_in_new_columns(model, before, after):
    for table in (before, after):
        table["prediction"] = model.predict(table[["logins"]])
    change = after.mean() - before.mean()
    return change[["prediction", "score"]]


def effect_of_a_popped_column(table):
    recovery = table.pop("recovery")
    return LinearRegression().fit(table[["dose", "age"]], recovery).coef_[0]


RIGHT = {
    "07.1": [confounded_list, confounded_series, confounded_by_covariance],
    "07.2": [total_by_paths, total_by_matrix, total_by_setting, total_by_passes],
    "07.3": [arrows_loop, arrows_filter, arrows_frame],
    "07.4": [policy_slope, policy_frames, policy_rows],
    "07.5": [conditional_schur, conditional_inverse, conditional_by_errors],
    "07.6": [effect_lstsq, effect_in_two_steps, effect_by_covariance],
    "07.7": [{"a", "d"}, ["d", "a"], ("a", "d")],
}

WRONG = {
    "07.1": {
        "the slope taken for the effect": lambda a, c, d: [
            a + c * d,
            2 * (a + c * d) ** 2,
            a + c * d,
        ],
        "the sign taken away": lambda a, c, d: np.abs(confounded_list(a, c, d)),
        "clipped at 0": lambda a, c, d: [max(0, x) for x in confounded_list(a, c, d)],
        "the importance of the effect": lambda a, c, d: [a + c * d, 2 * a**2, a],
        "half of the path through Z": lambda a, c, d: [a + d, 2 * (a + d) ** 2, a],
        "the effect through Z": lambda a, c, d: [*confounded_list(a, c, d)[:2], c * d],
        "(the effect always negative)": lambda a, c, d: [*confounded_list(a, c, d)[:2], -abs(a)],
        "(the effect always positive)": lambda a, c, d: [*confounded_list(a, c, d)[:2], abs(a)],
        "(rounded to one digit)": lambda a, c, d: np.round(confounded_list(a, c, d), 1),
    },
    "07.2": {
        "what one sees": slope_seen,
        "the sign taken away": lambda *task: abs(total_by_paths(*task)),
        "clipped at 0": lambda *task: max(0, total_by_paths(*task)),
        "the direct arrow only": lambda equations, cause, effect: equations.get(effect, {}).get(
            cause, 0
        ),
        "cause and effect exchanged": lambda equations, cause, effect: total_by_paths(
            equations, effect, cause
        ),
        "(neither argument looked at)": total_from_the_top,
        "(shared variables visited once)": total_once_each,
        "(nothing where the effect has no entry)": lambda equations, cause, effect: (
            total_by_paths(equations, cause, effect) if effect in equations else None
        ),
        "(a root does not act on itself)": lambda equations, cause, effect: (
            total_by_paths(equations, cause, effect) if effect in equations else 0.0
        ),
        "(paths of at most four arrows)": total_up_to(4),
        "(paths of at most six arrows)": total_up_to(6),
        "changes its argument": total_with_arrows_cut,
        "the strongest path only": lambda equations, cause, effect: max(
            path_products(equations, cause, effect), key=abs, default=0
        ),
        "nothing on itself": lambda equations, cause, effect: (
            0.0 if cause == effect else total_by_paths(equations, cause, effect)
        ),
        "(always negative)": lambda *task: -abs(total_by_paths(*task)),
        "(rounded to one digit)": lambda *task: round(total_by_paths(*task), 1),
    },
    "07.3": {
        "arrows out of it cut": lambda arrows, name: [a for a in arrows if a[0] != name],
        "nothing cut": lambda arrows, name: arrows,
        "what is cut": lambda arrows, name: [a for a in arrows if a[1] == name],
        "removed on the way": arrows_removed_on_the_way,
        "(only the first arrow cut)": arrows_but_the_first,
        "sorted": lambda arrows, name: sorted(a for a in arrows if a[1] != name),
        "(in another order)": lambda arrows, name: sorted(a for a in arrows if a[1] != name)[::-1],
        "(every effect that begins alike)": lambda arrows, name: [
            a for a in arrows if name not in a[1] and a[1] not in name
        ],
        "names that contain the name": lambda arrows, name: [a for a in arrows if name not in a[1]],
        "(every effect that is part of the name)": lambda arrows, name: [
            a for a in arrows if a[1] not in name
        ],
    },
    "07.4": {
        "the sign taken away": lambda *task: np.abs(policy_slope(*task)),
        "clipped at 0": lambda *task: np.clip(policy_slope(*task), 0, None),
        "before minus after": lambda *task: -policy_rows(*task),
        "a prediction compared with a score": lambda model, before, after: [
            (model.predict(after[["logins"]]) - before["score"]).mean(),
            (after["score"] - before["score"]).mean(),
        ],
        "changes its argument": policy_in_new_columns,
        "no change, as in the lesson": lambda *task: [policy_rows(*task)[0], 0.0],
        "sums instead of means": lambda model, before, after: [
            (model.predict(after[["logins"]]) - model.predict(before[["logins"]])).sum(),
            (after["score"] - before["score"]).sum(),
        ],
        "the lesson's slope": lambda model, before, after: [
            0.6 * (after["logins"] - before["logins"]).mean(),
            (after["score"] - before["score"]).mean(),
        ],
        "one student for all": lambda model, before, after: [
            model.predict(after[["logins"]])[0] - model.predict(before[["logins"]]).mean(),
            after["score"].mean() - before["score"].mean(),
        ],
        "(the last student for all)": lambda model, before, after: [
            model.coef_[0] * (after["logins"].iloc[-1] - before["logins"].mean()),
            after["score"].mean() - before["score"].mean(),
        ],
        "(of the median student)": lambda model, before, after: [
            np.median(model.predict(after[["logins"]]))
            - np.median(model.predict(before[["logins"]])),
            after["score"].median() - before["score"].median(),
        ],
        "(the sign of the prediction taken away)": lambda *task: (
            np.abs(policy_rows(*task)) * [1, 0] + policy_rows(*task) * [0, 1]
        ),
        "(the score always against the prediction)": lambda *task: (
            -np.abs(policy_rows(*task)) * np.sign(policy_rows(*task)[0]) * [-1, 1]
        ),
        "(rounded to one digit)": lambda *task: policy_rows(*task).round(1),
    },
    "07.5": {
        "factor 2 left out": lambda *task: conditional_schur(*task) / 2,
        "given the target as well": lambda covariance, j: (
            2
            * np.linalg.solve(covariance[:-1, :-1], covariance[:-1, -1])[j] ** 2
            / np.linalg.inv(covariance)[j, j]
        ),
        "times the inverse": lambda covariance, j: (
            2
            * np.linalg.solve(covariance[:-1, :-1], covariance[:-1, -1])[j] ** 2
            * np.linalg.inv(covariance[:-1, :-1])[j, j]
        ),
        "always the first feature": lambda covariance, j: conditional_schur(covariance, 0),
        "standard deviation for variance": lambda covariance, j: (
            conditional_inverse(covariance, j) * np.sqrt(np.linalg.inv(covariance[:-1, :-1])[j, j])
        ),
        "correlations for covariances": lambda covariance, j: conditional_schur(
            covariance / np.sqrt(np.outer(np.diag(covariance), np.diag(covariance))), j
        ),
        "(the first three variables only)": lambda covariance, j: conditional_inverse(
            covariance[np.ix_([0, 1, 2], [0, 1, 2])], min(j, 1)
        ),
        "(the coefficient not squared)": lambda covariance, j: np.sqrt(
            abs(conditional_inverse(covariance, j))
        ),
        "(rounded to one digit)": lambda *task: round(conditional_inverse(*task), 1),
    },
    "07.6": {
        "no adjustment": line,
        "(the effect always negative)": lambda table: -abs(effect_lstsq(table)),
        "no intercept": lambda table: np.linalg.lstsq(
            table[["dose", "age"]], table["recovery"], rcond=None
        )[0][0],
        "changes its argument": effect_of_a_popped_column,
        "the mediator for the confounder": lambda table: line(table, "level"),
        "the collider for the confounder": lambda table: line(table, "visits"),
        "everything but the confounder": lambda table: line(table, "level", "visits"),
        "the coefficient of age": lambda table: np.linalg.lstsq(
            np.column_stack([table["age"], table["dose"], np.ones(len(table))]),
            table["recovery"],
            rcond=None,
        )[0][0],
        "everything in the model": lambda table: line(table, "age", "level", "visits"),
        "everything standardised": lambda table: line((table - table.mean()) / table.std(), "age"),
        "features standardised": lambda table: (
            LinearRegression()
            .fit(StandardScaler().fit_transform(table[["dose", "age"]]), table["recovery"])
            .coef_[0]
        ),
        "half of the patients": lambda table: line(table[: len(table) // 2], "age"),
        "the sign taken away": lambda table: abs(effect_lstsq(table)),
        "clipped at 0": lambda table: max(0, effect_lstsq(table)),
        "(rounded to one digit)": lambda table: round(effect_lstsq(table), 1),
    },
    "07.7": {
        "use taken for effect": {"a", "b", "d"},
        "only the first": {"a"},
        "only the second": ["d"],
        "any model": {"a", "d", "e"},
        "(the last two)": {"d", "e"},
    },
}
