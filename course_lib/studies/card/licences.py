"""The sentence that an answer licenses, and one that it does not, with the numbers filled in."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from course_lib.measures.reports import AT_LEAST, AT_MOST
from course_lib.questions import Q1, Q2, Q3, Q4, Q5, Q6, Question
from course_lib.results import Importances

CAUSAL = (
    "No sentence on this page says what would happen if somebody changed a column: every number "
    "is about predictions."
)
SHARED = (
    " Columns that share the work may each get little, or, if a model sets them off against each "
    "other, much."
)


@dataclass(frozen=True)
class Licence:
    """What may be said, what may not, and why not."""

    licensed: str
    not_licensed: str
    because: str


def licence(
    question: Question,
    results: dict[str, Importances],
    *,
    slack: float,
    algorithm: str,
    n_models: int = 1,
) -> Licence:
    """The two sentences of a question, about the results it has.

    Parameters
    ----------
    question : Question
    results : dict from ranking to result
    slack : float
        How much larger than the least error that of a good model may be, as a share.
    algorithm : str
        What is fitted again, by name.
    n_models : int, default=1
        How many models predict the rows: one, or one for each fold.
    """
    whose = "this model's" if n_models == 1 else f"the {n_models} models'"
    makers: dict[str, Callable[[], Licence]] = {
        Q1.key: lambda: _to_model(results[Q1.key], whose),
        Q2.key: lambda: _unique_to_model(results[Q2.key], whose),
        Q3.key: lambda: _to_prediction(results[Q3.key]),
        Q4.key: lambda: _to_algorithm(results[Q4.key], algorithm),
        Q5.key: lambda: _to_good_models(results[AT_LEAST], results[AT_MOST], slack),
        Q6.key: lambda: _unique_to_good_models(results[Q6.key], slack),
    }
    return makers[question.key]()


def amount(value: float) -> str:
    """A number to three digits, or to its last whole one.

    >>> amount(0.47994), amount(-12.0), amount(2148.3)
    ('0.48', '-12', '2,148')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def listed(names) -> str:
    """Names as a person would list them.

    >>> listed(["age"]), listed(["age", "sex", "bmi"])
    ('age', 'age, sex and bmi')
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


class Leader:
    """The column with the largest value, and how it stands to the others."""

    def __init__(self, result: Importances, *, by_size: bool = False):
        values, (low, high) = result.importances_mean, result.interval().T
        if by_size:  # whichever its sign
            low, high = np.where(values < 0, [-high, -low], [low, high])
        sizes = np.abs(values) if by_size else values
        first, *rest = order = np.argsort(-sizes, kind="stable")
        self.name, self.last = result.feature_names[first], result.feature_names[order[-1]]
        self.value, self.size = values[first], sizes[first]
        self.least, self.below_zero = values[order[-1]], high[order[-1]] < 0
        self.equals = [result.feature_names[j] for j in rest if sizes[j] == sizes[first]]
        overlap = [result.feature_names[j] for j in rest if high[j] > low[first]]
        self.rivals = [] if result.is_exact else overlap
        self.alone = not rest

    def compared(self, others: str) -> str:
        """Whether it is above the others, with the reservation that its interval asks for."""
        if self.alone:
            return ""
        if self.equals:
            return f", as much as {_some(self.equals)}"
        if self.rivals:
            return f", more than {others}, but its interval overlaps with that of " + _some(
                self.rivals
            )
        return f", more than {others}"

    def said(self, most: str, others: str, *, nothing: str) -> str:
        """The sentence on the column with the most, or on nothing if it has no more than 0."""
        return f"{most}{self.compared(others)}." if self.size > 0 else f"{nothing}."


def _some(names: list[str]) -> str:
    return listed(names if len(names) <= 3 else [*names[:2], f"{len(names) - 2} more"])


def _to_model(result: Importances, whose: str) -> Licence:
    first = Leader(result)
    said = first.said(
        f"Shuffling {first.name} among the {result.sample} raises {whose} {result.loss} by "
        f"{amount(first.value)} on average",
        "shuffling any other column",
        nothing=f"No column, shuffled on its own among the {result.sample}, raises {whose} "
        f"{result.loss}",
    )
    if first.below_zero:
        said += (
            f" Shuffling {first.last} lowers it by {amount(-first.least)}: on these rows, "
            f"the way in which {first.last} is used does harm."
        )
    because = (
        f"Its value, {amount(first.least)}, is about shuffling this column alone; whether a model "
        f"fitted without it does as well is another question (Q4)."
    )
    return Licence(said, f"{first.last} can be left out.", because + SHARED * (not first.alone))


def _unique_to_model(result: Importances, whose: str) -> Licence:
    first = Leader(result)
    given = "" if first.alone else " given the other columns"
    said = first.said(
        f"When {first.name} is drawn again{given}, {whose} {result.loss} on the {result.sample} "
        f"grows by {amount(first.value)} on average",
        "for any other column",
        nothing=f"No column, drawn again{given}, raises {whose} {result.loss} on the "
        f"{result.sample}",
    )
    if first.alone:
        return Licence(
            said,
            f"Nothing but {first.name} tells about the target.",
            "Columns that are not in this table were not asked; and the draws are only as good as "
            "their sampler.",
        )
    return Licence(
        said,
        f"{first.last} tells nothing about the target.",
        "The other columns may tell the same, or this model may not read the column; and the draws "
        "are only as good as their sampler.",
    )


def _to_prediction(result: Importances) -> Licence:
    first = Leader(result, by_size=True)
    mean = f"its mean over {result.repeats.rpartition('over ')[2]}"
    if first.size == 0:
        return Licence(
            f"For {result.sample}, no column moves {result.loss} away from {mean}.",
            "No column has to do with the target.",
            "The shares are about this model's answer for one row; a model may leave unread what "
            "is related to the target.",
        )
    up, direction = ("up", "lower") if first.value > 0 else ("down", "higher")
    return Licence(
        f"For {result.sample}, {first.name} moves {result.loss} {up} by {amount(abs(first.value))} "
        f"from {mean}{first.compared('any other column moves it')}.",
        f"Without {first.name} it would be {direction} by {amount(abs(first.value))}.",
        "It is a share of the difference, over all orders of getting to know the columns; nobody "
        "has taken the column away, and another row or another background has other shares.",
    )


def _to_algorithm(result: Importances, algorithm: str) -> Licence:
    first = Leader(result)
    said = first.said(
        f"Fitted again without {first.name}, {algorithm} has a {result.loss} that is larger by "
        f"{amount(first.value)} ({result.sample})",
        "without any other column",
        nothing=f"Whichever one column is left out, {algorithm} fitted again has no larger "
        f"{result.loss} ({result.sample})",
    )
    most = "" if first.alone else "most "
    return Licence(
        said,
        f"This model relies {most}on {first.name}.",
        "Other models were fitted and compared. What the given one relies on is asked by Q1.",
    )


def _class_in_words(result: Importances, slack: float) -> str:
    return (
        f"linear model within {_percent(slack)} of the least {result.loss} on the {result.sample}"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _to_good_models(least: Importances, most: Importances, slack: float) -> Licence:
    needed = [
        name
        for name, low in zip(least.feature_names, least.importances_mean, strict=True)
        if low > 0
    ]
    which, first = _class_in_words(least, slack), Leader(most)
    upper = f" The largest loss by such an exchange is {amount(first.value)}, for {first.name}."
    if needed:
        one = "is exchanged between the rows"
        exchanged = one if len(needed) == 1 else "are exchanged between the rows, one at a time"
        return Licence(
            f"Every {which} has a larger error when {listed(needed)} {exchanged}.{upper}",
            f"Every good model needs {listed(needed)}.",
            f"Only linear models were looked at, and only with a tolerance of {_percent(slack)}.",
        )
    if first.alone:
        return Licence(
            f"Some {which} does not lose by the exchange of {first.name} between the rows." + upper,
            f"{first.name} is of no use.",
            "One good linear model does without it; the best of them may use it.",
        )
    return Licence(
        f"For each column, some {which} does not lose by its exchange between the rows." + upper,
        "No column is needed.",
        "Each column alone can be spared by some good linear model. Whether one can do without "
        "two of them at once was not asked.",
    )


def _unique_to_good_models(result: Importances, slack: float) -> Licence:
    first = Leader(result)
    limit = (
        f"For no {_class_in_words(result, slack)} does the error grow by more than "
        f"{amount(first.value)} when"
    )
    if first.alone:
        return Licence(
            f"{limit} {first.name}, which is all its own here, is exchanged.",
            f"Every good model needs {first.name}.",
            "This is the most that a good model relies on it; the least is asked by Q5.",
        )
    return Licence(
        f"{limit} the part of a column that the others cannot predict is exchanged; that much is "
        f"reached for {first.name}.",
        f"{first.last} has nothing of its own.",
        "What is a column's own was found by least squares from the other columns; another way to "
        "predict it may leave more, or less.",
    )
