"""Where two rankings differ, by how much, and whether it lasts when the rows are drawn again."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, permutations

import pandas as pd

from course_lib.measures.reports import AT_LEAST
from course_lib.questions import Question
from course_lib.studies.rankings import ranks_of


@dataclass(frozen=True)
class Disagreement:
    """Two rankings of the same columns.

    Attributes
    ----------
    left, right : str
    correlation : float
        Kendall's rank correlation; NaN if one of the two puts all columns in one place.
    moved, places : str, (str, str)
        The column whose place differs most, and its places in words. Of columns that share
        places, each counts as in the middle of them.
    opposite : (str, str) or None
        The pair (a, b) of columns that is most clearly turned round: left puts a above b, right b
        above a, with the largest smaller gap of the two.
    lasting, n_halves : int
        In how many random halves of the rows the pair is turned round in the same way, and in how
        many both rankings were made.
    lasts : bool
        Whether that is in more than nine tenths of them.
    """

    left: str
    right: str
    correlation: float
    moved: str
    places: tuple[str, str]
    opposite: tuple[str, str] | None
    lasting: int = 0
    n_halves: int = 0

    @property
    def lasts(self) -> bool:
        return self.lasting > 0.9 * self.n_halves


def disagreements(
    ranks: pd.DataFrame,
    halves: dict[int, pd.DataFrame],
    question_of: Mapping[str, Question],
    scales: Mapping[str, float],
) -> list[Disagreement]:
    """All pairs of rankings by two questions, the least alike first.

    Parameters
    ----------
    ranks : DataFrame with a row per column of the data and a column per ranking
    halves : dict from the number of a half to the values of the rankings there
    question_of : mapping from ranking to question
    scales : mapping from ranking to the size of what its values compare, as in `ranks_of`
    """
    places = [
        ranks_of(values, at_least=[AT_LEAST] if AT_LEAST in values else [], scales=scales)
        for values in halves.values()
        if not values.empty
    ]
    pairs = combinations(ranks, 2) if len(ranks) > 1 else ()  # one column cannot change places
    found = [
        _compare(ranks, left, right, places)
        for left, right in pairs
        if question_of[left] is not question_of[right]
    ]
    return sorted(found, key=lambda pair: (pair.correlation != pair.correlation, pair.correlation))


def _compare(ranks: pd.DataFrame, left: str, right: str, places: list) -> Disagreement:
    moves = (ranks[left].rank() - ranks[right].rank()).abs()
    moved = moves.idxmax()
    opposite = most_opposite(ranks[left], ranks[right])
    both = [table for table in places if opposite and {left, right} <= set(table)]
    return Disagreement(
        left,
        right,
        float(ranks[left].corr(ranks[right], method="kendall")),
        str(moved),
        (place_in_words(ranks[left], moved), place_in_words(ranks[right], moved)),
        opposite,
        sum(is_opposite(table[left], table[right], *opposite) for table in both),
        len(both),
    )


def place_in_words(ranks: pd.Series, name: str) -> str:
    """The place of one column, or the places that it shares with its equals.

    >>> ranks = pd.Series([1, 3, 3], list("abc"))  # equals share the last of their places
    >>> place_in_words(ranks, "a"), place_in_words(ranks, "b")
    ('1', '2 to 3, shared')
    """
    last, n_equals = int(ranks[name]), int((ranks == ranks[name]).sum())
    return str(last) if n_equals == 1 else f"{last - n_equals + 1} to {last}, shared"


def is_opposite(left: pd.Series, right: pd.Series, a: str, b: str) -> bool:
    """Whether the places by `left` have a above b and those by `right` b above a."""
    return bool(left[a] < left[b] and right[b] < right[a])


def most_opposite(left: pd.Series, right: pd.Series) -> tuple[str, str] | None:
    """The pair (a, b) that two rankings turn round most clearly, None if they turn none round.

    >>> one, two = (pd.Series(places, list("abc")) for places in ([1, 2, 3], [3, 2, 1]))
    >>> most_opposite(one, two), most_opposite(one, one)
    (('a', 'c'), None)
    """
    turned = [
        (min(left[b] - left[a], right[a] - right[b]), a, b)
        for a, b in permutations(left.index, 2)
        if is_opposite(left, right, a, b)
    ]
    if not turned:
        return None
    _, a, b = max(turned, key=lambda pair: pair[0])
    return a, b
