"""Ann, Ben and Cem earn something together: their shares by Shapley and by a rival rule."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from course_lib.models.games import shapley_values
from course_lib.models.rules import RULES, broken_axioms

PLAYERS = ("Ann", "Ben", "Cem")
COALITIONS = ("A", "B", "AB", "C", "AC", "BC", "ABC")  # by bit mask, after the empty one
RIVALS = tuple(name for name in RULES if name != "Shapley")


def _game(**earned: float) -> dict[str, float]:
    """What each of COALITIONS earns; 0 where nothing is said."""
    return dict.fromkeys(COALITIONS, 0) | earned


GAMES = {  # by the names that the lesson gives them
    "Gloves": _game(AB=6, AC=6, ABC=6),  # Ann has the left one
    "Two musicians and a listener": _game(A=3, B=3, AB=10, AC=3, BC=3, ABC=10),
    "A shared taxi": _game(A=4, B=6, AB=6, C=9, AC=9, BC=9, ABC=9),  # the farthest pays for all
    "All or nothing": _game(ABC=12),
    "Each alone": _game(A=2, B=4, AB=6, C=6, AC=8, BC=10, ABC=12),
    "Opposite orders": _game(A=8, AB=8, AC=8, BC=9, ABC=12),
}


@dataclass(frozen=True, eq=False)
class Sharing:
    """The worths of a game of three, by bit mask, its shares by two rules, and what one breaks."""

    worths: np.ndarray
    shapley: np.ndarray
    rival: np.ndarray | None  # None where the rival rule has no answer
    broken: dict[str, str]  # from each axiom that the rival is seen to break to what one sees


def game_of_three(earned: Mapping[str, float]) -> np.ndarray:
    """The worths by bit mask of what each of COALITIONS earns."""
    return np.array([0.0, *(earned[name] for name in COALITIONS)])


@lru_cache(maxsize=64)
def share_out(rule: str, **earned: float) -> Sharing:
    """The shares of a game of three, by Shapley and by a rival rule.

    Parameters
    ----------
    rule : str
        One of RIVALS.
    A, B, AB, C, AC, BC, ABC : float
        What each coalition earns.

    Examples
    --------
    Ann has the left glove, and nobody is worth anything alone.

    >>> gloves = dict.fromkeys(COALITIONS, 0) | {"AB": 6, "AC": 6, "ABC": 6}
    >>> sharing = share_out("proportional", **gloves)
    >>> sharing.shapley, sharing.rival
    (array([4., 1., 1.]), None)
    """
    table = game_of_three(earned)
    shapley = shapley_values(table, 3)
    try:
        rival = RULES[rule](table, 3)
    except ValueError:  # nothing to be proportional to
        return Sharing(table, shapley, None, {})
    return Sharing(table, shapley, rival, broken_axioms(RULES[rule], table, 3, PLAYERS))
