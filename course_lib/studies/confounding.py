"""Interest moves logins and scores: what a model of the scores predicts, what an action does."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from course_lib.measures.causes import three_numbers
from course_lib.validation import check_number
from course_lib.worlds.scm import LinearSCM

NOISE, N_STUDENTS = 0.6, 150
READS = {"logins": ("logins",), "logins and interest": ("logins", "interest")}


def confounded_world(effect: float, confounding: float) -> LinearSCM:
    """Interest acts on logins and on scores, and logins act on scores.

    The slope of score on logins is  effect + confounding:  with c^2 = |confounding|, interest acts
    on logins by c and on the score by c or -c. Logins have the variance 1.

    Examples
    --------
    An effect that confounding hides.

    >>> world = confounded_world(effect=0.5, confounding=-0.5)
    >>> world.total_effect("logins", "score")
    0.5
    >>> world.least_squares("score", ["logins"]).abs().round(9).to_dict()
    {'logins': 0.0}
    """
    effect, k = check_number(effect, "effect"), check_number(confounding, "confounding")
    if abs(k) >= 1:
        raise ValueError(
            f"confounding must lie between -1 and 1, so that logins keep the variance 1, got {k}. "
            f"Choose for example 0.8."
        )
    c = np.sqrt(abs(k))
    return LinearSCM(
        {"logins": {"interest": c}, "score": {"logins": effect, "interest": np.sign(k) * c}},
        {"logins": np.sqrt(1 - abs(k)), "interest": 1.0, "score": NOISE},
    )


@dataclass(frozen=True, eq=False)
class ScoreModel:
    """Students of a confounded world, and what logins are to a model of their scores."""

    students: pd.DataFrame  # the same in every world: their noises stay, their numbers follow
    slope: float  # of the model along logins
    importance: float
    conditional: float


@cache
def score_model(effect: float, confounding: float, reads: str) -> ScoreModel:
    """The least-squares model of the scores in a confounded world that reads what `reads` says.

    Parameters
    ----------
    effect, confounding : float
        As in `confounded_world`.
    reads : {"logins", "logins and interest"}

    Examples
    --------
    >>> found = score_model(0.3, 0.4, "logins")
    >>> round(found.slope, 9), round(found.importance, 9)
    (0.7, 0.98)
    """
    world = confounded_world(effect, confounding)
    numbers = three_numbers(world, "logins", "score", READS[reads])
    return ScoreModel(
        students=world.sample(N_STUDENTS, random_state=0),
        slope=slope_of_logins(effect, confounding, reads),
        importance=float(numbers["importance"]),
        conditional=float(numbers["conditional importance"]),
    )


def slope_of_logins(effect, confounding: float, reads: str):
    """The coefficient of logins: with interest in the model too, the effect alone is left."""
    return effect + confounding * (reads == "logins")


def importance_of_logins(effect, confounding: float, reads: str):
    """The importance of logins, for one effect or many: twice the squared slope, as Var(X) is 1."""
    return 2 * slope_of_logins(effect, confounding, reads) ** 2
