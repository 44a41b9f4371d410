"""The records that every measure returns and every plot accepts; each carries its question."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from numbers import Integral
from typing import Self

import numpy as np
import pandas as pd
from markupsafe import Markup
from scipy import stats

from course_lib.display import heading_html, table_html
from course_lib.questions import QUESTIONS, Question
from course_lib.validation import check_number, check_numbers, shortened

GIVEN, WEIGHTED = " given", ", weighted"


def how_many(n: int, what: str) -> str:
    """A number and a noun.

    >>> how_many(1, "shuffle"), how_many(10, "shuffle")
    ('1 shuffle', '10 shuffles')
    """
    return f"{n:,} {what}{'s' * (n != 1)}"


def rows_given(n_rows: int, weights=None) -> str:
    """The sample of a measure in words: it sees the rows, not where they come from.

    >>> rows_given(442), rows_given(2, weights=[1.0, 3.0])
    ('442 rows given', '2 rows given, weighted')
    """
    return how_many(n_rows, "row") + GIVEN + WEIGHTED * (weights is not None)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Basis:
    """What the numbers of a result rest on, in words that are shown beside them.

    Every record below has these fields besides its own, `measure` and `question`
    among them. Whoever makes a result by hand may leave them empty.
    """

    loss: str = ""  # what is counted: "mean squared error", of a tree "Gini impurity"
    sample: str = ""  # on which rows: "442 rows given", "rows out of each tree's bag"
    repeats: str = ""  # how often: "10 shuffles", or "exact for these rows"
    covers: str = ""  # all that the interval covers: "the shuffling"

    _INTERVAL = "the interval covers"

    def _check_question(self) -> None:
        if self.question not in QUESTIONS:
            keys = ", ".join(known.key for known in QUESTIONS)
            raise ValueError(
                f"question must be one of course_lib.questions ({keys}), got {self.question!r}. "
                f"A number without its question is not a result: choose one."
            )

    @property
    def basis(self) -> str:
        """Loss, sample, repeats, and what the interval covers, in one line."""
        said = ", ".join(part for part in (self.loss, self.sample, self.repeats) if part)
        only = f"{self._INTERVAL} {self.covers} only" if self.covers else ""
        return "; ".join(part for part in (said, only) if part)

    def measured_on(self, rows: str) -> Self:
        """The same result, saying of its rows what only its user knows.

        Parameters
        ----------
        rows : str
            Such as "held-out rows" or "training rows".
        """
        if not isinstance(rows, str) or not rows.strip():
            raise TypeError(
                f"rows must say in words what was measured on, got {rows!r}. "
                f"Pass for example 'held-out rows'."
            )
        counted = WEIGHTED * self.sample.endswith(WEIGHTED)
        if not self.sample.endswith(GIVEN + counted):
            raise ValueError(
                f"Only a result on rows that were given can say more about them; the sample of "
                f"this one is {self.sample!r}. Leave it as it is."
            )
        number, _ = self.sample.split(maxsplit=1)
        return replace(self, sample=f"{number} {rows.strip()}{counted}")

    def _said(self) -> dict[str, str]:
        """The words of the basis, as arguments for another result."""
        return {field.name: getattr(self, field.name) for field in fields(Basis)}

    def _labelled(self, table: pd.DataFrame) -> pd.DataFrame:
        """A table that carries along what its numbers rest on, as `attrs`."""
        words = {"measure": self.measure, "question": str(self.question)}
        table.attrs = words | self._said()
        return table

    def _lines(self) -> list[str]:
        """What stands above the numbers: the measure, its question, its basis."""
        return [line for line in (self.measure, str(self.question), self.basis) if line]

    def _text(self, table: pd.DataFrame) -> str:
        """The plain text of a result."""
        return "\n".join([*self._lines(), table.round(4).to_string()])


def _frozen_array(values, name: str, ndim: int) -> np.ndarray:
    """A read-only float copy with `ndim` dimensions and finite entries."""
    rule = f"{name} must be an array of finite numbers"
    array = check_numbers(values, rule, "Find where the others come from.")
    if array.ndim != ndim or array.size == 0:
        raise ValueError(
            f"{name} must be an array with {ndim} dimension{'s' * (ndim > 1)} and at least one "
            f"value, got shape {array.shape}. Reshape it first."
        )
    array.setflags(write=False)
    return array


def _as_names(names) -> tuple[str, ...]:
    """Names of features as text, one by one and in order."""
    if isinstance(names, str | set | frozenset) or not isinstance(names, Iterable):
        raise TypeError(
            f"feature_names must be a list of names, one per feature and in their order, got "
            f"{names!r}. Pass for example list(X.columns)."
        )
    return tuple(str(name) for name in names)


@dataclass(frozen=True, eq=False, repr=False)
class Importances(Basis):
    """Importance of each feature, with one column per repeat (one column if exact).

    Examples
    --------
    >>> from course_lib.questions import Q1
    >>> result = Importances([[1.0, 3.0], [0.0, 0.0]], ("age", "sex"), "loss increase", Q1)
    >>> result.importances_mean
    array([2., 0.])
    >>> str(result.question)
    'Q1: important to a given model'
    """

    importances: np.ndarray  # (n_features, n_repeats)
    feature_names: tuple[str, ...]
    measure: str  # axis label, e.g. "model reliance  e_switch / e_orig"
    question: Question  # the one question this number answers
    reference: float = 0.0  # the value that means "not important"

    def __post_init__(self):
        self._check_question()
        check_number(self.reference, "reference")
        names = _as_names(self.feature_names)
        importances = _frozen_array(self.importances, "importances", ndim=2)
        if len(importances) != len(names):
            raise ValueError(
                f"importances must have one row per feature: expected shape "
                f"({len(names)}, n_repeats), got {importances.shape}. "
                f"Transpose it, or give the names of its rows."
            )
        object.__setattr__(self, "importances", importances)
        object.__setattr__(self, "feature_names", names)
        if self.is_exact:  # a single column has no interval
            object.__setattr__(self, "covers", "")

    @classmethod
    def from_repeats(cls, results) -> "Importances":
        """The same measure in repeated studies as one result: the mean of each is a column.

        Examples
        --------
        >>> from course_lib.questions import Q4
        >>> studies = [Importances([[k]], ("age",), "MDI", Q4) for k in (1.0, 2.0)]
        >>> Importances.from_repeats(studies).importances
        array([[1., 2.]])
        """
        results = list(results) if isinstance(results, Iterable) else []
        if not results or not all(isinstance(result, cls) for result in results):
            raise TypeError(
                "from_repeats needs a list of one or more Importances, one per study. "
                "Pass what the measure returned each time."
            )
        first = results[0]
        for result in results:
            if result._counted != first._counted:
                raise ValueError(
                    f"Two studies differ: {first.measure} of {', '.join(first.feature_names)} "
                    f"({first.question}), and {result.measure} of "
                    f"{', '.join(result.feature_names)} ({result.question}). "
                    f"Repeat the same measure on the same features."
                )
        return replace(
            first,
            importances=np.column_stack([result.importances_mean for result in results]),
            sample=first.sample if len({result.sample for result in results}) == 1 else "",
            repeats=how_many(len(results), "repetition"),
            covers="what differs between the repetitions",
        )

    @property
    def _counted(self) -> tuple:
        """What has to be the same in repetitions of a study."""
        return self.feature_names, self.measure, self.question, self.reference

    @property
    def importances_mean(self) -> np.ndarray:
        """Mean over the repeats."""
        return self.importances.mean(axis=1)

    @property
    def importances_std(self) -> np.ndarray:
        """Spread of the repeats (with n, as scikit-learn reports it); 0 if exact."""
        return self.importances.std(axis=1)

    @property
    def is_exact(self) -> bool:
        """Whether the values are free of Monte Carlo error: there is a single column."""
        return self.importances.shape[1] == 1

    def interval(self, level: float = 0.95) -> np.ndarray:
        """Confidence interval of each mean over the repeats, by Student's t.

        It covers what the repeats vary, and nothing else: not the sampling of the data.
        Both ends are the value itself if it is exact.
        """
        if not 0 < check_number(level, "level") < 1:
            raise ValueError(f"level must lie between 0 and 1, got {level!r}. Pass 0.95, say.")
        n_repeats = self.importances.shape[1]
        half = np.zeros(len(self.feature_names))
        if n_repeats > 1:
            standard_error = self.importances.std(axis=1, ddof=1) / np.sqrt(n_repeats)
            half = stats.t.ppf((1 + level) / 2, n_repeats - 1) * standard_error
        return np.column_stack([self.importances_mean - half, self.importances_mean + half])

    def to_frame(self) -> pd.DataFrame:
        """A table with one row per feature: importance, std, and the 95 % interval of the mean."""
        low, high = self.interval().T
        columns = {"importance": self.importances_mean, "std": self.importances_std}
        index = pd.Index(self.feature_names, name="feature")
        return self._labelled(pd.DataFrame(columns | {"low": low, "high": high}, index=index))

    def __repr__(self) -> str:
        table = self.to_frame()
        shown = table[["importance"]] if self.is_exact else table[["importance", "low", "high"]]
        return self._text(shown)

    def _repr_html_(self) -> Markup:
        ends = self.interval()
        rows = [
            (name, value, None if self.is_exact else tuple(end))
            for name, value, end in zip(
                self.feature_names, self.importances_mean, ends, strict=True
            )
        ]
        return table_html(heading_html(self._lines()), rows, self.reference)


@dataclass(frozen=True, eq=False, repr=False)
class LocalImportances(Basis):
    """One value per sample and feature; base + values.sum(axis=1) is what was explained,
    where the measure has that property."""

    values: np.ndarray  # (n_samples, n_features)
    base: np.ndarray  # (n_samples,)
    feature_names: tuple[str, ...]
    measure: str
    question: Question

    def __post_init__(self):
        self._check_question()
        names = _as_names(self.feature_names)
        values = _frozen_array(self.values, "values", ndim=2)
        if np.shape(self.base) not in ((), (1,), (len(values),)):
            raise ValueError(
                f"base must be one number, or one for each of the {len(values)} rows of values, "
                f"got shape {np.shape(self.base)}. Pass what was explained less the sum of a row."
            )
        base = _frozen_array(np.broadcast_to(self.base, len(values)), "base", ndim=1)
        if values.shape[1] != len(names):
            raise ValueError(
                f"values must have one column per feature: expected shape (n_samples, "
                f"{len(names)}), got {values.shape}. Transpose it, or name its columns."
            )
        for field, value in (("values", values), ("base", base), ("feature_names", names)):
            object.__setattr__(self, field, value)

    def to_frame(self) -> pd.DataFrame:
        """A table with one row per sample: the base, then one column per feature."""
        table = pd.DataFrame(self.values, columns=list(self.feature_names))
        table.insert(0, "(base)", self.base, allow_duplicates=True)
        return self._labelled(table.rename_axis("sample"))

    def row(self, sample: int) -> Importances:
        """The values of one sample, as importances; -1 is the last."""
        n = len(self.values)
        if isinstance(sample, bool | np.bool_) or not isinstance(sample, Integral):
            raise TypeError(
                f"A row is given by its position, got {sample!r}. Pass a whole number below {n}."
            )
        if not -n <= sample < n:
            raise ValueError(
                f"There is no row {sample}: the result has {n}, at positions 0 to {n - 1}. "
                f"Choose one of those."
            )
        return self._as_importances(self.values[sample], self.measure, f"row {sample} of ")

    def mean(self) -> Importances:
        """The mean over the samples, as importances."""
        return self._as_importances(self.values.mean(axis=0), f"mean {self.measure}")

    def _as_importances(self, values, measure: str, which: str = "") -> Importances:
        said = self._said() | {"sample": which * bool(self.sample) + self.sample}
        return Importances(
            values[:, np.newaxis], self.feature_names, measure, self.question, **said
        )

    def __repr__(self) -> str:
        return self._text(self.to_frame().head(10))

    def _repr_html_(self) -> Markup:
        table = self.to_frame().head(10).to_html(float_format="{:.3f}".format, border=0)
        parts = [heading_html(self._lines()), Markup(table)]
        if len(self.values) > 10:
            parts.append(Markup("<div>first 10 of {} samples</div>").format(len(self.values)))
        return Markup("<div>{}</div>").format(Markup().join(parts))


@dataclass(frozen=True, eq=False, repr=False)
class RelianceRange(Basis):
    """The least and the most that good models rely on a feature, with the models that do."""

    low: float
    high: float
    low_model: object
    high_model: object
    feature: str
    measure: str
    question: Question
    reference: float = 1.0  # the value that means "not important": 0 for differences

    def __post_init__(self):
        self._check_question()
        for field in ("low", "high", "reference"):
            check_number(getattr(self, field), field)
        if not self.low <= self.high:
            raise ValueError(
                f"low must not exceed high, got [{self.low}, {self.high}]. Swap the two ends."
            )

    def to_frame(self) -> pd.DataFrame:
        """A table with one row: the two ends."""
        index = pd.Index([self.feature], name="feature")
        return self._labelled(pd.DataFrame({"low": [self.low], "high": [self.high]}, index=index))

    def __repr__(self) -> str:
        return self._text(self.to_frame())

    def _repr_html_(self) -> Markup:
        heading = heading_html(self._lines())
        ends = f"[{self.low:.4g}, {self.high:.4g}]"
        return Markup("<div>{}<div><b>{}</b> {}</div></div>").format(heading, self.feature, ends)


@dataclass(frozen=True, eq=False, repr=False)
class Decomposition(Basis):
    """An importance and the parts it was split into.

    `parts` is a table with one row per part and the column "importance"; `errors`, if the
    numbers are estimates, holds the standard errors of the parts (same rows) and `total_error`
    that of the total.
    """

    total: float
    parts: pd.DataFrame
    measure: str
    question: Question
    errors: pd.Series | None = None
    total_error: float = 0.0

    _INTERVAL = "the standard errors cover"

    def __post_init__(self):
        self._check_question()
        if not isinstance(self.parts, pd.DataFrame) or "importance" not in self.parts:
            raise TypeError(
                f"parts must be a DataFrame with a column 'importance', got "
                f"{type(self.parts).__name__}. Name the parts in its index."
            )
        check_number(self.total, "total")
        rule = "parts must hold one finite importance in each row"
        check_numbers(
            self.parts["importance"], rule, "Find where the others come from.", (len(self.parts),)
        )
        object.__setattr__(self, "parts", self.parts.copy())
        if isinstance(self.errors, pd.Series):
            rows, of = self.parts.index, self.errors.index
            if not of.equals(rows) and (set(of) != set(rows) or len(of) != len(rows)):
                raise ValueError(
                    f"errors must have the rows of parts, {shortened(rows)}, got "
                    f"{shortened(of)}. Give them the same index."
                )
            in_order = self.errors.copy() if of.equals(rows) else self.errors.reindex(rows)
            object.__setattr__(self, "errors", in_order)

    @property
    def additive(self) -> bool:
        """Whether the parts sum to the total, up to rounding."""
        return bool(np.isclose(self.parts["importance"].sum(), self.total, rtol=1e-8, atol=1e-10))

    def to_frame(self) -> pd.DataFrame:
        """The parts and their standard errors, with the total as last row."""
        errors = 0.0 if self.errors is None else self.errors
        table = self.parts[["importance"]].assign(standard_error=errors)
        total = pd.DataFrame([[self.total, self.total_error]], ["(total)"], table.columns)
        return self._labelled(pd.concat([table, total]).rename_axis(table.index.name))

    def __repr__(self) -> str:
        columns = ["importance"] if self.errors is None else ["importance", "standard_error"]
        return self._text(self.to_frame()[columns])

    def _repr_html_(self) -> Markup:
        note = "the parts add up" if self.additive else "the parts do not add up to the total"
        rows = [(str(name), value, None) for name, value in self.parts["importance"].items()]
        rows.append((f"total ({note})", self.total, None))
        return table_html(heading_html(self._lines()), rows, reference=0.0)
