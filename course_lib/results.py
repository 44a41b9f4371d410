"""The records that every measure returns and every plot accepts; each carries its question."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from markupsafe import Markup
from scipy import stats

from course_lib.questions import QUESTIONS, Question
from course_lib.validation import check_number, check_numbers


def _check_question(question) -> None:
    if question not in QUESTIONS:
        keys = ", ".join(known.key for known in QUESTIONS)
        raise ValueError(
            f"question must be one of course_lib.questions ({keys}), got {question!r}. "
            f"A number without its question is not a result: choose one."
        )


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


@dataclass(frozen=True, eq=False, repr=False)
class Importances:
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
        _check_question(self.question)
        names = tuple(str(name) for name in self.feature_names)
        importances = _frozen_array(self.importances, "importances", ndim=2)
        if len(importances) != len(names):
            raise ValueError(
                f"importances must have one row per feature: expected shape "
                f"({len(names)}, n_repeats), got {importances.shape}. "
                f"Transpose it, or give the names of its rows."
            )
        object.__setattr__(self, "importances", importances)
        object.__setattr__(self, "feature_names", names)

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
        results = list(results)
        if not results or not all(isinstance(result, cls) for result in results):
            raise TypeError(
                "from_repeats needs a list of one or more Importances, one per study. "
                "Pass what the measure returned each time."
            )
        first = results[0]
        for result in results:
            if (result.feature_names, result.measure) != (first.feature_names, first.measure):
                raise ValueError(
                    f"Two studies differ: {first.measure} of {', '.join(first.feature_names)}, and "
                    f"{result.measure} of {', '.join(result.feature_names)}. "
                    f"Repeat the same measure on the same features."
                )
        columns = np.column_stack([result.importances_mean for result in results])
        return cls(columns, first.feature_names, first.measure, first.question, first.reference)

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
        return pd.DataFrame(
            columns | {"low": low, "high": high}, index=pd.Index(self.feature_names, name="feature")
        )

    def __repr__(self) -> str:
        table = self.to_frame()
        shown = table[["importance"]] if self.is_exact else table[["importance", "low", "high"]]
        return _text(self.measure, self.question, shown)

    def _repr_html_(self) -> Markup:
        ends = self.interval()
        rows = [
            (name, value, None if self.is_exact else tuple(end))
            for name, value, end in zip(
                self.feature_names, self.importances_mean, ends, strict=True
            )
        ]
        return _table_html(self.measure, self.question, rows, self.reference)


@dataclass(frozen=True, eq=False, repr=False)
class LocalImportances:
    """One value per sample and feature; base + values.sum(axis=1) is what was explained,
    where the measure has that property."""

    values: np.ndarray  # (n_samples, n_features)
    base: np.ndarray  # (n_samples,)
    feature_names: tuple[str, ...]
    measure: str
    question: Question

    def __post_init__(self):
        _check_question(self.question)
        names = tuple(str(name) for name in self.feature_names)
        values = _frozen_array(self.values, "values", ndim=2)
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
        table.insert(0, "(base)", self.base)
        return table.rename_axis("sample")

    def row(self, sample: int) -> Importances:
        """The values of one sample, as importances."""
        return Importances(
            self.values[sample][:, np.newaxis], self.feature_names, self.measure, self.question
        )

    def mean(self) -> Importances:
        """The mean over the samples, as importances."""
        return Importances(
            self.values.mean(axis=0)[:, np.newaxis],
            self.feature_names,
            f"mean {self.measure}",
            self.question,
        )

    def __repr__(self) -> str:
        return _text(self.measure, self.question, self.to_frame().head(10))

    def _repr_html_(self) -> Markup:
        table = self.to_frame().head(10).to_html(float_format="{:.3f}".format, border=0)
        parts = [_heading_html(self.measure, self.question), Markup(table)]
        if len(self.values) > 10:
            parts.append(Markup("<div>first 10 of {} samples</div>").format(len(self.values)))
        return Markup("<div>{}</div>").format(Markup().join(parts))


@dataclass(frozen=True, eq=False, repr=False)
class RelianceRange:
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
        _check_question(self.question)
        if not self.low <= self.high:
            raise ValueError(
                f"low must not exceed high, got [{self.low}, {self.high}]. Swap the two ends."
            )

    def to_frame(self) -> pd.DataFrame:
        """A table with one row: the two ends."""
        index = pd.Index([self.feature], name="feature")
        return pd.DataFrame({"low": [self.low], "high": [self.high]}, index=index)

    def __repr__(self) -> str:
        return _text(self.measure, self.question, self.to_frame())

    def _repr_html_(self) -> Markup:
        heading = _heading_html(self.measure, self.question)
        ends = f"[{self.low:.4g}, {self.high:.4g}]"
        return Markup("<div>{}<div><b>{}</b> {}</div></div>").format(heading, self.feature, ends)


@dataclass(frozen=True, eq=False, repr=False)
class Decomposition:
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

    def __post_init__(self):
        _check_question(self.question)
        if not isinstance(self.parts, pd.DataFrame) or "importance" not in self.parts:
            raise TypeError(
                f"parts must be a DataFrame with a column 'importance', got "
                f"{type(self.parts).__name__}. Name the parts in its index."
            )

    @property
    def additive(self) -> bool:
        """Whether the parts sum to the total, up to rounding."""
        return bool(np.isclose(self.parts["importance"].sum(), self.total, rtol=1e-8, atol=1e-10))

    def to_frame(self) -> pd.DataFrame:
        """The parts and their standard errors, with the total as last row."""
        errors = 0.0 if self.errors is None else self.errors
        table = self.parts[["importance"]].assign(standard_error=errors)
        table.loc["(total)"] = [self.total, self.total_error]
        return table

    def __repr__(self) -> str:
        columns = ["importance"] if self.errors is None else ["importance", "standard_error"]
        return _text(self.measure, self.question, self.to_frame()[columns])

    def _repr_html_(self) -> Markup:
        note = "the parts add up" if self.additive else "the parts do not add up to the total"
        rows = [(str(name), value, None) for name, value in self.parts["importance"].items()]
        rows.append((f"total ({note})", self.total, None))
        return _table_html(self.measure, self.question, rows, reference=0.0)


def _text(measure: str, question: Question, table: pd.DataFrame) -> str:
    """The plain text of a result: the measure, its question, the numbers."""
    return f"{measure}\n{question}\n{table.round(4).to_string()}"


# The notebook display: plain inline HTML that inherits the theme's text colour, so that it reads
# in light and in dark.


def _heading_html(measure: str, question: Question) -> Markup:
    return Markup(
        '<div style="margin-bottom:.3em"><b>{}</b><br><span style="opacity:.75">{}</span></div>'
    ).format(measure, question)


def _bar_html(value: float, low: float, span: float, reference: float) -> Markup:
    """A bar from the reference to the value on a common scale, 8 em wide."""
    start, width = (min(value, reference) - low) / span * 8, abs(value - reference) / span * 8
    return Markup(
        '<span aria-hidden="true" style="display:inline-block;width:8em;height:.7em">'
        '<span style="display:inline-block;margin-left:{:.2f}em;width:{:.2f}em;'
        'height:.7em;background:#2f7fb8"></span></span>'
    ).format(start, width)


def _table_html(measure: str, question: Question, rows, reference: float) -> Markup:
    """Rows of (name, value, interval or None) under the measure and its question."""
    numbers = [value for _, value, _ in rows] + [reference]
    low, span = min(numbers), max(numbers) - min(numbers) or 1.0
    row = Markup(
        '<tr><th scope="row" style="text-align:left">{}</th>'
        '<td style="text-align:right">{:.4f}</td><td>{}</td>'
        '<td style="text-align:left">{}</td></tr>'
    )
    body = Markup()
    for name, value, interval in rows:
        ends = "" if interval is None else "[{:.4f}, {:.4f}]".format(*interval)
        body += row.format(name, value, ends, _bar_html(value, low, span, reference))
    has_interval = any(interval is not None for _, _, interval in rows)
    head = Markup(
        '<tr><th style="text-align:left">feature</th><th>importance</th>'
        "<th>{}</th><th>from {:g}</th></tr>"
    ).format("95 % interval of the mean" if has_interval else "", reference)
    return Markup("<div>{}<table>{}{}</table></div>").format(
        _heading_html(measure, question), head, body
    )
