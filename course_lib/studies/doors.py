"""Who enters a model through which door, how an importance is shared out, and what a zero hides."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import pandas as pd

from course_lib.measures import linear_gaussian
from course_lib.worlds.causal import make_biomarker_world
from course_lib.worlds.scm import LinearSCM

TARGET = "label"
ROUNDING = 1e-12


def _example():
    """The exact measures of a model of the biomarker and of cycling, for the examples below."""
    return linear_gaussian(make_biomarker_world(), TARGET, {"biomarker": 1, "cycling": 0.5})


def door_flows(measures, variables, features) -> pd.DataFrame:
    """AI(X_j -> X_k) of each variable j (row) via each feature k (column), nothing else known.

    Parameters
    ----------
    measures : what `linear_gaussian` returns
    variables, features : sequences of names

    Examples
    --------
    >>> exact = _example()
    >>> door_flows(exact, ["PSA"], ["biomarker", "cycling"]).loc["PSA"].tolist()
    [0.0, 0.125]
    """

    def flow(j, k) -> float:
        return float(measures.associative_importance_via(j, k).importances[0, 0])

    return pd.DataFrame({k: [flow(j, k) for j in variables] for k in features}, index=[*variables])


def classic_measures(measures) -> pd.DataFrame:
    """The four rows of table 1 of `003` for each single variable, and the SAGE values beside them.

    Table 1 has SAGE with its worths v(S), here of one player each; the SAGE values are the Shapley
    values of that game.

    Parameters
    ----------
    measures : what `linear_gaussian` returns

    Examples
    --------
    >>> exact = _example()
    >>> classic_measures(exact)["PSA"].round(6).tolist()
    [0.0, 0.0, 0.0, 0.09375, 0.0, 0.046875]
    """
    alone = measures.feature_names
    rows = {
        "permutation importance: DI given the rest, plain": measures.permutation_importance(),
        "conditional importance: AI given the rest, plain": (
            measures.conditional_permutation_importance()
        ),
        "worth v({j}) of marginal SAGE: DI alone, averaged": [
            measures.direct_importance(j, marginalize=True) for j in alone
        ],
        "worth v({j}) of conditional SAGE: AI alone, averaged": [
            measures.associative_importance(j, marginalize=True) for j in alone
        ],
        "marginal SAGE value": measures.sage("marginal"),
        "conditional SAGE value": measures.sage("conditional"),
    }
    values = {
        name: [one.importances[0, 0] for one in row]
        if isinstance(row, list)
        else row.importances[:, 0]
        for name, row in rows.items()
    }
    return pd.DataFrame(values, index=[*alone]).T + 0.0  # + 0.0: no minus sign before a zero


def parts_along(worth: Callable[[Sequence[str]], float], order: Sequence[str]) -> pd.Series:
    """What each of the players adds to the worth when they arrive in this order (`003`, 5.1).

    Examples
    --------
    A pair of gloves is worth 1, and is credited to whoever comes last.

    >>> parts_along(lambda team: float(len(team) == 2), ["left", "right"]).to_dict()
    {'left': 0.0, 'right': 1.0}
    """
    worths = [worth(order[:n]) for n in range(len(order) + 1)]
    return pd.Series([after - before for before, after in pairwise(worths)], index=[*order])


def splits_by_source(measures, feature: str, orders: Sequence[Sequence[str]]) -> pd.DataFrame:
    """The permutation importance of a feature, split over its sources in three ways (`003`, 5).

    Fast (each source alone), along each of the `orders`, and by Shapley's rule: one row each.

    Parameters
    ----------
    measures : what `linear_gaussian` returns

    Examples
    --------
    >>> exact = _example()
    >>> order = ["biomarker", "cycling", "PSA"]
    >>> splits_by_source(exact, "cycling", [order])["PSA"].tolist()
    [0.125, 0.0, 0.0625]
    """

    def brought_back(sources) -> float:
        return float(measures.direct_importance_from(feature, [*sources]).importances[0, 0])

    def split(how) -> pd.Series:
        return measures.decompose_direct(feature, how=how).parts["importance"]

    along = {f"order: {', '.join(order)}": parts_along(brought_back, order) for order in orders}
    return _rows({"fast": split("fast"), **along, "Shapley": split("shapley")})


def splits_by_door(measures, variable: str, doors: Sequence[str]) -> pd.DataFrame:
    """The associative importance of a variable, split over the doors: plain, last row averaged.

    Parameters
    ----------
    measures : what `linear_gaussian` returns

    Examples
    --------
    >>> exact = _example()
    >>> splits_by_door(exact, "PSA", ["biomarker", "cycling"])["cycling"].tolist()
    [0.125, 0.125, 0.125, 0.125, 0.09375]
    """

    def enters(through, averaged=False) -> float:
        via = measures.associative_importance_via(variable, [*through], marginalize=averaged)
        return float(via.importances[0, 0])

    def split(how) -> pd.Series:
        return measures.decompose_associative(variable, how=how).parts["importance"]

    rows = {
        "through this door alone": pd.Series({k: enters([k]) for k in doors}),
        "fast": split("fast"),
        f"order: {', '.join(doors)}": parts_along(enters, doors),
        "Shapley": split("shapley"),
        "this door alone, averaged": pd.Series({k: enters([k], averaged=True) for k in doors}),
    }
    return _rows(rows)[[*doors]]


def _rows(splits: dict[str, pd.Series]) -> pd.DataFrame:
    """One row for each split; what is only rounding is 0, without a minus sign."""
    table = pd.DataFrame(splits).T
    return table.where(table.abs() > ROUNDING, 0.0)


def audit(
    world: LinearSCM, target: str, group: str, columns: Sequence[str], without: Sequence[Sequence]
) -> pd.DataFrame:
    """What models of the target make of a group that they do not read, and how well they do.

    Each model is least squares on `columns` without some of them: one row for each of `without`.
    The gap is the difference of the mean predictions of two groups of equal size, coded -1 and +1.

    Examples
    --------
    >>> world = LinearSCM({"job": {"group": 1.0}, "pay": {"job": 1.0}},
    ...                   {"group": 1.0, "job": 1.0, "pay": 1.0})
    >>> audit(world, "pay", "group", ["job"], without=[[], ["job"]]).loc["nothing"].tolist()
    [2.0, 1.0, 1.0]
    """

    def row(read) -> dict[str, float]:
        model = linear_gaussian(world, target, dict(world.least_squares(target, read)))
        return {
            "gap": 2 * model.prediction_slope(group),
            f"associative importance of {group}": _worth(model, group, averaged=True),
            "squared error": model.mean_squared_error(),
        }

    rows = {
        " and ".join(dropped) or "nothing": row([name for name in columns if name not in dropped])
        for dropped in without
    }
    return pd.DataFrame(rows).T.rename_axis("dropped")


def worth_and_slope(models: Mapping[str, object], variable: str) -> pd.DataFrame:
    """What a variable is worth for the loss, and how steeply predictions rise with it.

    Parameters
    ----------
    models : mapping from a column's title to what `linear_gaussian` returns

    Examples
    --------
    >>> exact = _example()
    >>> worth_and_slope({"against the label": exact}, "PSA")["against the label"].tolist()
    [0.125, 0.09375, 0.25]
    """

    worth = f"associative importance of {variable}"

    def column(model) -> dict[str, float]:
        return {
            f"{worth}, plain": _worth(model, variable),
            f"{worth}, averaged": _worth(model, variable, averaged=True),
            f"rise of the prediction per unit of {variable}": model.prediction_slope(variable),
        }

    return pd.DataFrame({title: column(model) for title, model in models.items()})


def _worth(measures, variable: str, *, averaged: bool = False) -> float:
    """AI(X_j), nothing else known."""
    importance = measures.associative_importance(variable, marginalize=averaged)
    return float(importance.importances[0, 0])


@dataclass(frozen=True, eq=False)
class Doors:
    """What enters a model with these weights on its two doors, and what that is worth."""

    slopes: pd.Series  # rise of the prediction per unit of each variable
    leak: float  # averaged AI(PSA)
    error: float  # mean squared error
    cost: float  # how much larger the error is than that of least squares


@cache
def through_doors(biomarker: float = 1.0, cycling: float = 0.5) -> Doors:
    """The biomarker model with other weights than the 1 and 0.5 of least squares.

    In closed form, with c the weight on cycling: the prediction rises by c / 2 per unit of PSA, the
    averaged AI(PSA) is c / 4 - c^2 / 8, and the mean squared error is
    0.3125 + (1 - biomarker)^2 / 4 + (0.5 - c)^2 / 4.

    Examples
    --------
    The door may be shut, or open too far.

    >>> [round(through_doors(cycling=c).leak, 6) + 0.0 for c in (0.0, 0.5, 2.0)]
    [0.0, 0.09375, 0.0]
    >>> float(through_doors(cycling=2.0).slopes["PSA"])
    1.0
    """
    world = make_biomarker_world()
    b = world.least_squares(TARGET, ["biomarker", "cycling"])
    best = linear_gaussian(world, TARGET, dict(b))
    exact = linear_gaussian(world, TARGET, {"biomarker": biomarker, "cycling": cycling})
    names = exact.feature_names
    leak = _worth(exact, "PSA", averaged=True)
    return Doors(
        pd.Series([exact.prediction_slope(name) for name in names], index=[*names]),
        leak=0.0 if abs(leak) < ROUNDING else leak,
        error=exact.mean_squared_error(),
        cost=exact.mean_squared_error() - best.mean_squared_error(),
    )
