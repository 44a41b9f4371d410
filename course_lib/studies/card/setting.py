"""Which rows a card measures on, which model predicts each, and which rows are fitted to."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold, StratifiedKFold

from course_lib.measures.rashomon.ellipsoids import constant_columns
from course_lib.measures.refitting import check_clonable, check_test_sample, refit, seeds_of
from course_lib.models.losses import classifies
from course_lib.results import Importances, how_many
from course_lib.studies.card.checks import (
    check_classes,
    check_model,
    check_sample,
    check_varies,
    check_words,
    differing,
)
from course_lib.tables import Coding
from course_lib.validation import check_count, column_names

Rows = np.ndarray  # positions
EVENLY = ", each class divided as evenly as possible"
BY_POSITION = " Rows and targets have different index labels; they were matched by position."


@dataclass(frozen=True, eq=False)
class Setting:
    """A model and its rows.

    Attributes
    ----------
    X, y : the rows that are measured on
    X_fit, y_fit : the rows that algorithms are fitted to
    pieces : tuple of (fitted model, positions in X)
        Who predicts which of the rows; together they are all of them, each once.
    splits : tuple of (positions in X_fit, positions in X)
        What an algorithm is fitted to, and where it is measured then.
    origin : array or None
        The positions of the rows of X in X_fit, if they come from there.
    kind : str
        What the rows of X are, such as "test rows".
    how : str
        How rows were held out, as a sentence.
    n_given : int
        How many rows there were to measure on, before some were drawn.
    explained : tuple of (fitted model, table of one row, position)
        The row whose prediction is explained, by its position among the rows that were given, and
        who predicts it.
    """

    X: object
    y: np.ndarray
    X_fit: object
    y_fit: np.ndarray
    pieces: tuple
    splits: tuple
    origin: Rows | None
    kind: str
    how: str
    n_given: int
    explained: tuple

    @property
    def names(self) -> tuple[str, ...]:
        return column_names(self.X)

    @property
    def sample(self) -> str:
        """The rows that are measured on, in words: "442 rows given"."""
        return self.rows_called(self.kind)

    def rows_called(self, kind: str) -> str:
        """How many rows are measured on, and from how many they were drawn."""
        given = f"{self.n_given:,} {kind}"
        n_rows = len(self.y)
        return given if n_rows == self.n_given else f"{n_rows:,} rows drawn from the {given}"

    @property
    def algorithm(self):
        """One of the fitted models: what they were fitted by is the same for all."""
        return self.pieces[0][0]

    def measured(self, measure: Callable, **options) -> Importances:
        """A measure of each model on its own rows, averaged by their number."""
        found = [
            measure(model, take(self.X, mine), self.y[mine], **options)
            for model, mine in self.pieces
        ]
        weights = [len(mine) for _, mine in self.pieces]
        means = np.average([result.importances for result in found], axis=0, weights=weights)
        return replace(found[0], importances=means, sample=self.sample)

    @cached_property
    def constant(self) -> tuple[str, ...]:
        """The columns that have one value in all the rows that are fitted to."""
        values = Coding(self.X_fit).values
        return tuple(np.array(self.names, dtype=object)[constant_columns(values)])

    def halves(self, n_halves: int, rng: np.random.Generator) -> Iterator["Setting | None"]:
        """Smaller studies of the same kind: fitted again to a random half of the rows, measured on
        the other half, or, with test rows, on a random half of those.

        Classes are in equal shares in both halves. A model that cannot be fitted again is kept;
        None stands for a half to which it could not be fitted.
        """
        of_classes = classifies(self.algorithm)
        for _ in range(n_halves):
            fitted = _half(self.y_fit, of_classes, rng)
            if self.origin is None:
                measured = _half(self.y, of_classes, rng)
            else:
                measured = np.flatnonzero(~np.isin(self.origin, fitted))
            yield self._part(fitted, measured, rng)

    def _part(self, fitted: Rows, measured: Rows, rng) -> "Setting | None":
        X_fit, y_fit = take(self.X_fit, fitted), self.y_fit[fitted]
        model = self.algorithm
        if self.can_fit_again:
            try:
                model = refit(model, X_fit, y_fit, rng)
            except (TypeError, ValueError):  # too few rows for it
                return None
        everything = np.arange(len(measured))
        return replace(
            self,
            X=take(self.X, measured),
            y=self.y[measured],
            X_fit=X_fit,
            y_fit=y_fit,
            pieces=((model, everything),),
            splits=((np.arange(len(fitted)), everything),),
            origin=None,
            n_given=len(measured),
        )

    @property
    def can_fit_again(self) -> bool:
        """Whether the model is an estimator of which clones can be fitted."""
        try:
            check_clonable(self.algorithm)
        except TypeError:
            return False
        return True

    @property
    def draws(self) -> bool:
        """Whether fits of the algorithm depend on a seed."""
        return self.can_fit_again and bool(seeds_of(self.algorithm))


def take(table, rows: Rows):
    """Some rows of a table, by position."""
    return table.iloc[rows] if isinstance(table, pd.DataFrame) else table[rows]


def make_setting(
    model,
    X,
    y,
    *,
    X_test=None,
    y_test=None,
    sample=None,
    loss=None,
    instance=0,
    max_rows,
    n_folds,
    rng,
) -> Setting:
    """Sort out who was fitted to what, by what was given.

    A fitted model is measured on the test rows, or else on the rows given. An estimator that is
    not fitted is fitted to X and measured on the test rows, or else cross-fitted: each row is
    predicted by a model that was fitted to the other folds.
    """
    aligned = _aligned(X, y) + _aligned(X_test, y_test)
    fitted = check_model(model)
    X, y = check_sample(model, X, y, loss, min_rows=4)
    check_test_sample(X_test, y_test)
    check_words(sample, "sample")
    if not classifies(model):
        check_varies(y)
    elif not fitted:
        check_classes(y, cross_fitted=X_test is None)
    if X_test is not None:
        test = check_sample(model, X_test, y_test, loss, min_rows=2, names=("X_test", "y_test"))
        setting = _with_test_rows(model, fitted, X, y, *test, sample, instance, max_rows, rng)
    else:
        setting = _without(model, fitted, X, y, sample, instance, max_rows, n_folds, rng)
    return replace(setting, how=setting.how + BY_POSITION * (not all(aligned)))


def _aligned(X, y) -> list[bool]:
    """Whether the labels of rows and targets are the same, if both have some."""
    labelled = isinstance(X, pd.DataFrame) and isinstance(y, pd.Series) and len(X) == len(y)
    return [X.index.equals(y.index)] if labelled else []


def _without(model, fitted, X, y, sample, instance, max_rows, n_folds, rng) -> Setting:
    """Without test rows: a fitted model on the rows given, an estimator cross-fitted."""
    origin = _some(len(y), max_rows, rng)
    folds = _folds(model, y, min(n_folds, len(y)), rng)
    own = [np.flatnonzero(np.isin(origin, fold)) for _, fold in folds]
    splits = tuple((rest, mine) for (rest, _), mine in zip(folds, own, strict=True) if len(mine))
    if fitted:
        models = [model] * len(folds)
        pieces = ((model, np.arange(len(origin))),)
        kind, how = sample or "rows given", _given_in_words(sample)
    else:
        models = [_fit(model, take(X, rest), y[rest], rng) for rest, _ in folds]
        pieces = tuple(piece for piece in zip(models, own, strict=True) if len(piece[1]))
        kind = sample or "cross-fitted rows"
        how = (
            f"The estimator came unfitted and was cross-fitted: the rows were divided at random "
            f"into {how_many(len(folds), 'part')}{EVENLY * classifies(model)}, and each part is "
            f"measured with a model fitted to the others."
        )
    measured = take(X, origin), y[origin]
    how += _drawn_in_words(len(origin), len(y))
    row, position = _row_given(X, instance)
    whose = next(k for k, (_, fold) in enumerate(folds) if position in fold)
    explained = models[whose], row, position
    return Setting(*measured, X, y, pieces, splits, origin, kind, how, len(y), explained)


def _row_given(X, instance: int) -> tuple:
    """The row whose prediction is explained, as a table of one row, and its position."""
    position = check_count(instance, "instance", minimum=0, maximum=len(X) - 1)
    return take(X, [position]), position


def _with_test_rows(
    model, fitted, X, y, X_test, y_test, sample, instance, max_rows, rng
) -> Setting:
    if column_names(X_test) != column_names(X):
        raise ValueError(
            f"X_test has not the columns of X: {differing(column_names(X_test), column_names(X))}. "
            f"Pass the same columns in the same order."
        )
    rows = _some(len(y_test), max_rows, rng)
    model = model if fitted else _fit(model, X, y, rng)
    came = "The model came fitted" if fitted else "The estimator was fitted to X and y"
    how = (
        f"{came}; it is measured on X_test and y_test, {len(y_test):,} rows that were passed as "
        f"held out. X and y, {len(y):,} rows, are those to fit to."
    ) + _drawn_in_words(len(rows), len(y_test))
    everything = np.arange(len(rows))
    return Setting(
        take(X_test, rows),
        y_test[rows],
        X,
        y,
        ((model, everything),),
        ((np.arange(len(y)), everything),),
        None,
        sample or "test rows",
        how,
        len(y_test),
        (model, *_row_given(X_test, instance)),
    )


def _fit(model, X, y: np.ndarray, rng):
    """A fitted clone, or why the estimator does not take the table."""
    try:
        return refit(model, X, y, rng)
    except (TypeError, ValueError) as error:
        coding = Coding(X)
        what = "" if coding.is_complete else f" X has {coding.in_words()}."
        raise ValueError(
            f"This {type(model).__name__} could not be fitted to the table. It says: "
            f"{str(error).splitlines()[0].rstrip('.')}.{what} Fill or encode what it does not "
            f"take, for instance in a Pipeline, or use a model that takes it."
        ) from error


def _folds(model, y: np.ndarray, n_folds: int, rng) -> list[tuple[Rows, Rows]]:
    """A division of the rows; of classes it has equal shares, as far as there are rows for it."""
    divide, seed = KFold, int(rng.integers(2**31 - 1))
    if classifies(model):
        codes, counts = pd.factorize(y)[0], pd.Series(y).value_counts()
        divide, n_folds = StratifiedKFold, max(2, min(n_folds, counts.max()))
        y = codes if counts.max() >= n_folds else np.zeros(len(y), dtype=int)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        folds = divide(n_folds, shuffle=True, random_state=seed)
        return list(folds.split(np.zeros(len(y)), y))


def _some(n_rows: int, max_rows: int, rng) -> Rows:
    """All positions, or so many of them at random, in their order."""
    if n_rows <= max_rows:
        return np.arange(n_rows)
    return np.sort(rng.choice(n_rows, max_rows, replace=False))


def _half(y: np.ndarray, of_classes: bool, rng) -> Rows:
    order = rng.permutation(len(y))
    if not of_classes:
        return np.sort(order[: len(y) // 2])
    by_class = np.argsort(pd.factorize(y)[0][order], kind="stable")
    return np.sort(order[by_class][1::2])


def _given_in_words(sample: str | None) -> str:
    if sample:
        return f"The model came fitted; the rows were passed as {sample}."
    return (
        "The model came fitted. Whether it was fitted to these rows, the card cannot know; if so, "
        "it shows what the model relies on there, not how it would fare on other rows."
    )


def _drawn_in_words(n: int, of: int) -> str:
    return "" if n == of else f" Of {of:,} rows, {n:,} were drawn at random to measure on."
