"""The loss of a model after one column of its table has been replaced.

This is the step under permutation importance and model reliance; they differ only in what the
new column is.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pandas as pd
from joblib import effective_n_jobs

from course_lib.measures.responses import NewColumns, Responses
from course_lib.models.losses import Loss, loss_in_words, prediction_loss
from course_lib.patience import announced, expected_seconds
from course_lib.results import rows_given
from course_lib.tables import Coding
from course_lib.validation import check_fitted, check_jobs, check_weights, check_X, check_y

MAX_ROWS = 10_000  # in one call of predict: enough to spread its overhead, little to hold


def as_table(X, *, min_rows: int = 1, name: str = "X"):
    """X as a table of any kind of columns: a DataFrame as it is, anything else as an array."""
    values = check_X(X, numeric=False, allow_nan=True, min_rows=min_rows, name=name)
    return X if isinstance(X, pd.DataFrame) else values


def batches(n_columns: int, n_rows: int) -> Iterator[slice]:
    """Cut range(n_columns) so that each piece, times n_rows, stays near MAX_ROWS rows."""
    step = max(1, MAX_ROWS // n_rows)
    for start in range(0, n_columns, step):
        yield slice(start, min(start + step, n_columns))


class Scrambler:
    """How much the mean loss of a fitted model grows when a column of X is replaced.

    Rows are predicted in large batches, and where the model allows it only what changes is
    computed (`Responses`). A prediction that moves by no more than rounding counts as unmoved, so
    that a feature which the model does not use adds exactly 0.

    Attributes
    ----------
    values : array of shape (n, p); y : array of shape (n,); names : tuple of p names
    answers, losses : arrays of n rows
        What the model answers on the rows as they are, and the loss of each.
    weights : array of n numbers that sum to 1, or None for equal ones
        How much the loss of each row counts.
    said : dict
        Loss and sample in words, for a result.
    """

    def __init__(
        self,
        model,
        X,
        y,
        loss: Loss | None = None,
        *,
        sample_weight=None,
        min_rows: int = 1,
        n_jobs=None,
    ):
        self.coding = Coding(X, min_rows=min_rows)
        self.values, self.names = self.coding.values, self.coding.names
        self.y = check_y(y, len(self.values))
        self.weights = check_weights(sample_weight, len(self.values))
        check_fitted(model, ("predict", "predict_proba"))
        self._row_loss, method = prediction_loss(model, loss)
        sample = rows_given(len(self.values), self.weights)
        self.said = {"loss": loss_in_words(model, loss), "sample": sample}
        self._model = Responses(model, X, self.coding, method)
        self.answers = self._model.as_they_are
        self.losses = self._row_loss(self.y, self.answers)
        self._n_jobs, self._done = check_jobs(n_jobs), lambda n_rows: None

    def increase(self, new: NewColumns) -> np.ndarray:
        """Mean over the rows of (new loss - loss): one row per feature, one column per try."""
        return np.array([self.mean(changes) for changes in self.changes(new)])

    def changes(self, new: NewColumns) -> Iterator[np.ndarray]:
        """New loss - loss of every row, for each feature an array of shape (r, n)."""
        found = self._model.new(new, self._n_jobs)
        for columns, answers in zip(new.values(), found, strict=True):
            self._done(columns.size)
            yield loss_changes(self._row_loss, self.y, answers, self.losses)

    def mean(self, rows: np.ndarray) -> np.ndarray:
        """Weighted mean over the rows, which are the last axis."""
        return rows.mean(axis=-1) if self.weights is None else rows @ self.weights

    @property
    def coefficients(self) -> np.ndarray | None:
        """The coefficients of a model that is linear in the columns of X, else None."""
        return self._model.coefficients

    @property
    def by_prediction(self) -> bool:
        """Whether each new column is predicted from scratch, for want of a shorter way."""
        return self._model.by_prediction

    @property
    def in_parallel(self) -> bool:
        """Whether several features should be tried at once, in several processes."""
        return self._n_jobs not in (None, 1)

    @contextmanager
    def patience(self, n_columns: int, cheaper: str) -> Iterator[None]:
        """While this many new columns are tried: a bar, if it takes long."""
        n_rows = n_columns * len(self.values)
        try:
            with announced(self._seconds(n_rows), n_rows, cheaper) as self._done:
                yield
        finally:
            self._done = lambda n_rows: None

    def _seconds(self, n_rows: int) -> float:
        """What it takes to predict so many rows, by the time of a call of the usual size."""
        if n_rows <= MAX_ROWS:
            return 0.0
        seconds = self._model.effort * expected_seconds(
            self._model.ask, n_rows, len(self.values), MAX_ROWS
        )
        return seconds / (effective_n_jobs(self._n_jobs) if self._n_jobs else 1)


def loss_changes(row_loss: Loss, y: np.ndarray, answers: np.ndarray, losses) -> np.ndarray:
    """Loss - losses of the n rows, for answers of shape (r, n) or (r, n, classes)."""
    r, n = answers.shape[:2]
    rows = row_loss(np.tile(y, r), answers.reshape(r * n, *answers.shape[2:]))
    return rows.reshape(r, n) - losses
