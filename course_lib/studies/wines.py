"""Six answers about the wines, and the places they give to one variable."""

from functools import cache

from course_lib.measures.reports import Report, six_answers
from course_lib.worlds.wines import load_wines


@cache
def wine_report() -> Report:
    """Six answers about proline: every second wine to fit to, the others to measure on.

    Examples
    --------
    >>> wine_report().ranks.loc["flavanoids", ["Q4", "Q5"]].tolist()  # of eight
    [8, 1]
    """
    X, y = load_wines("proline")
    return six_answers(X[::2], y[::2], X[1::2], y[1::2])


def first_and_last(left: str, right: str, variable: str) -> bool:
    """Whether one of two measures puts the variable first and the other one last."""
    ranks = wine_report().ranks
    return {ranks[left][variable], ranks[right][variable]} == {1, len(ranks)}
