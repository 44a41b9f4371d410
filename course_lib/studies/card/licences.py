"""The sentence that an answer licenses, and one that it does not, with the numbers filled in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from course_lib.measures.reports import AT_LEAST, AT_MOST
from course_lib.measures.rounding import rounding, settled
from course_lib.models.losses import cross_entropy
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
SEED = (
    " The intervals cover the drawing of the rows; what another seed of the fits would change, "
    "if anything, is not in them."
)
TOO_NEAR = (
    " For so many columns it has few rows to learn from; its draws then lie too near to the values "
    "that they replace, and the increases are too small."
)
CUT_OFF = cross_entropy([0], [[0.0, 1.0]], classes=[0, 1]).item()  # of a probability of 0
CUT = (
    f" Where a row's true class gets the probability 0, the loss is cut off at {CUT_OFF:.0f}; "
    f"another cut-off may give other numbers."
)
NEGLIGIBLE = 0.01  # of the largest value: a smaller harm is not worth a sentence


@dataclass(frozen=True)
class Licence:
    """What may be said, what may not, and why not."""

    licensed: str
    not_licensed: str
    because: str


@dataclass(frozen=True)
class About:
    """What the sentences have to know besides the results.

    Attributes
    ----------
    slack : float
        How much larger than the least error that of a good model may be, as a share.
    algorithm : str
        What is fitted again, by name.
    n_models : int
        How many models predict the rows: one, or one for each fold.
    draws : bool
        Whether fits depend on a seed.
    constant : tuple of str
        The columns that have one value, of which nothing has to be denied.
    few_rows : bool
        Whether a normal law was learnt from few rows for the number of columns.
    cut_off : bool
        Whether some class has the probability 0 in some row, where the loss is cut off.
    scales : mapping from ranking to float
        The size of the losses or predictions whose differences the values are.
    """

    slack: float
    algorithm: str
    n_models: int = 1
    draws: bool = False
    constant: tuple[str, ...] = ()
    few_rows: bool = False
    cut_off: bool = False
    scales: Mapping[str, float] = field(default_factory=dict)

    def leader(self, result: Importances, ranking: str) -> "Leader":
        """The first of a ranking."""
        return Leader(result, self.scales.get(ranking, 0.0), constant=self.constant)

    def models(self, case: str = "") -> str:
        """The models that were measured: "this model", "the 5 models'"."""
        many = f"the {self.n_models} models{case[:1]}"
        return f"this model{case}" if self.n_models == 1 else many


def licence(question: Question, results: dict[str, Importances], **facts) -> Licence:
    """The two sentences of a question, about the results it has; the facts are those of `About`."""
    about = About(**facts)
    makers: dict[str, Callable[[], Licence]] = {
        Q1.key: lambda: _to_model(results[Q1.key], about),
        Q2.key: lambda: _unique_to_model(results[Q2.key], about),
        Q3.key: lambda: _to_prediction(results[Q3.key], about),
        Q4.key: lambda: _to_algorithm(results[Q4.key], about),
        Q5.key: lambda: _to_good_models(results[AT_LEAST], results[AT_MOST], about),
        Q6.key: lambda: _unique_to_good_models(results[Q6.key], about),
    }
    return makers[question.key]()


def amount(value: float, digits: int = 3) -> str:
    """A number to three digits or so, or to its last whole one.

    >>> amount(0.47994), amount(0.47994, 4), amount(-12.0), amount(2148.3)
    ('0.48', '0.4799', '-12', '2,148')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{digits}g}"


def percent(share: float) -> str:
    """A share of 1 in per cent.

    >>> percent(0.05)
    '5 %'
    """
    return f"{100 * share:.3g} %"


def listed(names) -> str:
    """Names as a person would list them.

    >>> listed(["age"]), listed(["age", "sex", "bmi"])
    ('age', 'age, sex and bmi')
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def ends(result: Importances, scale: float) -> np.ndarray:
    """The lower and the upper ends of the intervals; what is only rounding error is 0."""
    ends = result.interval().T
    return np.where(np.abs(ends) <= rounding(result.importances_mean, scale), 0.0, ends)


class Leader:
    """The column with the largest value, and how it stands to the others.

    What is only rounding error at the scale of the losses or predictions is 0 here, and a
    difference of that size is none. `constant` columns are not the last if there are others.
    """

    def __init__(self, result: Importances, scale: float, *, by_size: bool = False, constant=()):
        values, (low, high) = settled(result.importances_mean, scale), ends(result, scale)
        if by_size:  # whichever its sign
            low, high = np.where(values < 0, [-high, -low], [low, high])
        sizes = settled(np.abs(values), scale) if by_size else values
        names, close = result.feature_names, rounding(values, scale)
        first, *rest = order = np.argsort(-sizes, kind="stable")
        last = [j for j in order if names[j] not in constant or j == first][-1]
        self.name, self.last, self.alone = names[first], names[last], not rest
        self.value, self.size, self.least = values[first], sizes[first], values[last]
        harmful = -values[order[-1]] > NEGLIGIBLE * abs(values[first])
        self.harms = names[order[-1]] if harmful and high[order[-1]] < 0 else None
        self.harm = -values[order[-1]]
        self.equals = [names[j] for j in rest if sizes[j] == sizes[first]]
        self.n_others, self.maybe_zero = len(rest), bool(not result.is_exact and low[first] <= 0)
        overlap = [names[j] for j in rest if high[j] > low[first] + close]
        self.rivals = [] if result.is_exact else overlap

    def compared(self, others: str) -> str:
        """Whether it is above the others, with the reservations that its interval asks for."""
        doubts = ["contains 0"] * self.maybe_zero
        if self.rivals and not self.equals:
            doubts.append(f"overlaps with th{self._some(self.rivals, 'at of', 'ose of')}")
        but = f", but its interval {' and '.join(doubts)}" if doubts else ""
        if self.alone:
            return but
        if self.equals:
            return f", as much as {self._some(self.equals)}{but}"
        return f", more than {others}{but}"

    @property
    def winners(self) -> str:
        """Its name, with those of its equals."""
        return listed([self.name, *self.equals])

    def _some(self, names: list[str], one: str = "", several: str = "") -> str:
        """Names, if they are few, else how many of the others they are."""
        which = f"{len(names)} of the {self.n_others} others"
        if len(names) == self.n_others:
            which = f"all {self.n_others} others"
        words = listed(names) if len(names) <= 3 else which
        return f"{one if len(names) == 1 else several} {words}".strip()

    def said(self, most: str, others: str, *, nothing: str) -> str:
        """The sentence on the column with the most, or on nothing if it has no more than 0."""
        return f"{most}{self.compared(others)}." if self.size > 0 else f"{nothing}."


def _to_model(result: Importances, about: About) -> Licence:
    first, whose = about.leader(result, Q1.key), about.models("'s")
    said = first.said(
        f"Shuffling {first.name} among the {result.sample} raises {whose} {result.loss} by "
        f"{amount(first.value)} on average",
        "shuffling any other column",
        nothing=f"No column, shuffled on its own among the {result.sample}, raises {whose} "
        f"{result.loss}",
    )
    if first.harms:
        said += (
            f" Shuffling {first.harms} lowers it by {amount(first.harm)}: on these rows, "
            f"the way in which {first.harms} is used does harm."
        )
    said += CUT * about.cut_off
    if first.alone:
        return Licence(
            said,
            f"{first.name} predicts the target well.",
            "The value says what is lost when the column is shuffled; how good the predictions are "
            "is said by the loss, beside that of a constant.",
        )
    because = (
        f"Its value, {amount(first.least)}, is about shuffling this column alone; whether a model "
        f"fitted without it does as well is another question (Q4)."
    )
    return Licence(said, f"{first.last} can be left out.", because + SHARED)


def _unique_to_model(result: Importances, about: About) -> Licence:
    first, whose = about.leader(result, Q2.key), about.models("'s")
    given = "" if first.alone else " given the other columns"
    said = first.said(
        f"When {first.name} is drawn again{given}, {whose} {result.loss} on the {result.sample} "
        f"grows by {amount(first.value)} on average",
        "for any other column",
        nothing=f"No column, drawn again{given}, raises {whose} {result.loss} on the "
        f"{result.sample}",
    )
    if first.harms:
        said += (
            f" When {first.harms} is drawn again, the loss falls by {amount(first.harm)}: on these "
            f"rows, the way in which {first.harms} is used does harm."
        )
    said += CUT * about.cut_off
    if first.alone:
        return Licence(
            said,
            f"Nothing but {first.name} tells about the target.",
            "Columns that are not in this table were not asked; and the draws are only as good as "
            "their sampler.",
        )
    reads = "not read the column" if first.harms is None else "read the column wrongly"
    return Licence(
        said,
        f"{first.last} says nothing about the target.",
        f"The other columns may say the same, or {about.models()} may {reads}; and "
        f"the draws are only as good as their sampler." + TOO_NEAR * about.few_rows,
    )


def _to_prediction(result: Importances, about: About) -> Licence:
    first = Leader(result, about.scales.get(Q3.key, 0.0), by_size=True)
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


def _to_algorithm(result: Importances, about: About) -> Licence:
    first, algorithm = Leader(result, about.scales.get(Q4.key, 0.0)), about.algorithm
    seed = ", with the same seed," * about.draws
    said = first.said(
        f"Fitted again without {first.name}{seed or ','} {algorithm} has a {result.loss} that is "
        f"larger by {amount(first.value)} ({result.sample})",
        "without any other column",
        nothing=f"Whichever one column is left out, {algorithm} fitted again{seed} has no larger "
        f"{result.loss} ({result.sample})",
    )
    said += CUT * about.cut_off + SEED * about.draws
    if first.size <= 0 and not first.alone:
        return Licence(
            said,
            "The columns can be left out.",
            "They were left out one at a time; whether two can be spared at once was not asked.",
        )
    which, most = about.models(), "" if first.alone else "most "
    return Licence(
        said,
        f"{which[0].upper()}{which[1:]} rel{'ies' if about.n_models == 1 else 'y'} {most}on "
        f"{first.name}.",
        f"Other models were fitted and compared. What {which} rel"
        f"{'ies' if about.n_models == 1 else 'y'} on is asked by Q1.",
    )


def _class_in_words(result: Importances, slack: float) -> str:
    return f"linear model within {percent(slack)} of the least {result.loss} on the {result.sample}"


def _to_good_models(least: Importances, most: Importances, about: About) -> Licence:
    lows = settled(least.importances_mean, about.scales.get(AT_LEAST, 0.0))
    needed = [name for name, low in zip(least.feature_names, lows, strict=True) if low > 0]
    slack, first = about.slack, Leader(most, about.scales.get(AT_MOST, 0.0))
    which = _class_in_words(least, slack)
    upper = (
        f" The largest increase by such an exchange is {amount(first.value)}, for {first.winners}."
    )
    if needed:
        one = "is exchanged between the rows"
        exchanged = one if len(needed) == 1 else "are exchanged between the rows, one at a time"
        return Licence(
            f"Every {which} has a larger error when {listed(needed)} {exchanged}.{upper}",
            f"Every good model needs {listed(needed)}.",
            f"Only linear models were looked at, and only with a tolerance of {percent(slack)}.",
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


def _unique_to_good_models(result: Importances, about: About) -> Licence:
    first = about.leader(result, Q6.key)
    largest = (
        f"is exchanged, the largest increase of the error of a "
        f"{_class_in_words(result, about.slack)} is {amount(first.value)}"
    )
    if first.alone:
        return Licence(
            f"When {first.name}, which is all its own here, {largest}.",
            f"Every good model needs {first.name}.",
            "This is the most that a good model relies on it; the least is asked by Q5.",
        )
    return Licence(
        f"When only the part of a column that the others cannot predict {largest}, for "
        f"{first.winners}.",
        f"{first.last} has nothing of its own.",
        "Its own part may be large and yet of little use to a linear model. And that part was "
        "found by least squares from the other columns: another way to predict the column may "
        "leave more, or less.",
    )
