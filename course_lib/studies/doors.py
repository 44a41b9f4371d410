"""Who enters a model through which door: how much of each variable comes in via each feature."""

from dataclasses import dataclass
from functools import cache

import pandas as pd

from course_lib.measures import linear_gaussian
from course_lib.worlds.causal import make_biomarker_world

TARGET = "label"


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


@dataclass(frozen=True, eq=False)
class Doors:
    """What enters a model whose coefficients are scaled by how far each door is open."""

    flows: pd.DataFrame  # AI of each variable via each feature
    leak: float  # AI(PSA)
    error: float  # mean squared error
    cost: float  # how much larger the error is than with open doors


@cache
def through_doors(biomarker: float = 1.0, cycling: float = 1.0) -> Doors:
    """The biomarker model with its two coefficients multiplied by how far the doors are open.

    In closed form: AI(PSA) = AI(PSA via cycling) = 0.125 * cycling, and the mean squared error is
    0.3125 + (1 - biomarker)^2 / 4 + (1 - cycling)^2 / 16.

    Examples
    --------
    >>> doors = through_doors(cycling=0.0)
    >>> doors.leak, round(doors.cost, 4)
    (0.0, 0.0625)
    """
    world = make_biomarker_world()
    b = world.least_squares(TARGET, ["biomarker", "cycling"])
    open_ = linear_gaussian(world, TARGET, dict(b))
    exact = linear_gaussian(
        world, TARGET, {"biomarker": biomarker * b["biomarker"], "cycling": cycling * b["cycling"]}
    )
    return Doors(
        door_flows(exact, exact.feature_names, ("biomarker", "cycling")),
        leak=float(exact.associative_importance("PSA").importances[0, 0]) + 0.0,
        error=exact.mean_squared_error(),
        cost=exact.mean_squared_error() - open_.mean_squared_error(),
    )
