"""Who enters a model through which door, how an importance is shared out, and what a zero hides."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import pandas as pd

from course_lib.measures import linear_gaussian
from course_lib.worlds.causal import make_biomarker_world
from course_lib.worlds.scm import LinearSCM

TARGET = "label"
ROUNDING = 1e-12


def door_flows(measures, variables, features) -> pd.DataFrame:
    """AI(X_j -> X_k) of each variable j (row) via each feature k (column), nothing else known.

    Parameters
    ----------
    measures : what `linear_gaussian` returns
    variables, features : sequences of names

    Examples
    --------
    >>> exact = linear_gaussian(make_biomarker_world(), "label", {"biomarker": 1, "cycling": 0.5})
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
    >>> exact = linear_gaussian(make_biomarker_world(), "label", {"biomarker": 1, "cycling": 0.5})
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


def audit(world: LinearSCM, target: str, group: str, columns: Sequence[str]) -> dict[str, float]:
    """What a model of the target makes of a group that it does not read, and how well it does.

    The model is least squares on `columns`. The gap is the difference of the mean predictions of
    two groups of equal size, coded -1 and +1.

    Examples
    --------
    >>> world = LinearSCM({"job": {"group": 1.0}, "pay": {"job": 1.0}},
    ...                   {"group": 1.0, "job": 1.0, "pay": 1.0})
    >>> audit(world, "pay", "group", ["job"])
    {'gap': 2.0, 'averaged AI of group': 1.0, 'squared error': 1.0}
    """
    model = linear_gaussian(world, target, dict(world.least_squares(target, columns)))
    importance = model.associative_importance(group, marginalize=True)
    return {
        "gap": 2 * model.prediction_slope(group),
        f"averaged AI of {group}": float(importance.importances[0, 0]),
        "squared error": model.mean_squared_error(),
    }


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
    leak = float(exact.associative_importance("PSA", marginalize=True).importances[0, 0])
    return Doors(
        pd.Series([exact.prediction_slope(name) for name in names], index=[*names]),
        leak=0.0 if abs(leak) < ROUNDING else leak,
        error=exact.mean_squared_error(),
        cost=exact.mean_squared_error() - best.mean_squared_error(),
    )
