"""The loss of a model after one column of its table has been replaced.

This is the step under permutation importance and model reliance; they differ only in what the
new column is.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from time import perf_counter

import numpy as np
import pandas as pd
from joblib import effective_n_jobs

from course_lib.measures.patience import LONG, announced, each
from course_lib.models.losses import Loss, loss_in_words, prediction_loss
from course_lib.models.wrappers import is_forest, linear_coefficients
from course_lib.results import rows_given
from course_lib.tables import Coding, answer_function, response_function, table_function
from course_lib.validation import check_fitted, check_jobs, check_X, check_y

MAX_ROWS = 10_000  # in one call of predict: enough to spread its overhead, little to hold

NewColumns = dict[int, np.ndarray]  # feature -> array (r, n): r columns to put in its place


def as_table(X, *, min_rows: int = 1):
    """X as a table of any kind of columns: a DataFrame as it is, anything else as an array."""
    values = check_X(X, numeric=False, allow_nan=True, min_rows=min_rows)
    return X if isinstance(X, pd.DataFrame) else values


def batches(n_columns: int, n_rows: int) -> Iterator[slice]:
    """Cut range(n_columns) so that each piece, times n_rows, stays near MAX_ROWS rows."""
    step = max(1, MAX_ROWS // n_rows)
    for start in range(0, n_columns, step):
        yield slice(start, min(start + step, n_columns))


class Scrambler:
    """How much the mean loss of a fitted model grows when a column of X is replaced.

    Rows are predicted in large batches, and where the model allows it only what changes is
    computed: a linear model moves by b_j (new - old), and in a forest a row goes down a tree
    again only if it was asked for feature j on its way. The numbers are the same up to rounding.
    A prediction that moves by no more than rounding counts as unmoved, so that a feature which
    the model does not use adds exactly 0.

    Attributes
    ----------
    values : array of shape (n, p); y : array of shape (n,); names : tuple of p names
    answers, losses : arrays of n rows
        What the model answers on the rows as they are, and the loss of each.
    said : dict
        Loss and sample in words, for a result.
    """

    def __init__(self, model, X, y, loss: Loss | None = None, *, min_rows: int = 1, n_jobs=None):
        self.coding = Coding(X, min_rows=min_rows)
        self.values, self.names = self.coding.values, self.coding.names
        self.y = check_y(y, len(self.values))
        check_fitted(model, ("predict", "predict_proba"))
        self._row_loss, self._method = prediction_loss(model, loss)
        self.said = {"loss": loss_in_words(model, loss), "sample": rows_given(len(self.values))}
        self._as_table = table_function(model, X, self.coding)
        self._respond = answer_function(model, self._method)
        self.answers = first_answers(model, self._respond, self._as_table(self.values), self.coding)
        self.losses = self._row_loss(self.y, self.answers)
        self._model, self._X, self._n_jobs = model, X, check_jobs(n_jobs)
        self._kept, self._done = (0, None), lambda n_rows: None

    def increase(self, new: NewColumns) -> np.ndarray:
        """Mean over the rows of (new loss - loss): one row per feature, one column per try."""
        return np.array(
            [
                mean_increase(self._row_loss, self.y, answers, self.losses)
                for answers in self._new_answers(new)
            ]
        )

    def _new_answers(self, new: NewColumns) -> Iterator[np.ndarray]:
        if self.coding.is_complete and (b := linear_coefficients(self._model)) is not None:
            return (self.answers + b[j] * (new[j] - self.values[:, j]) for j in new)
        if self.coding.is_numeric and is_forest(self._model):
            moves = output_moves([tree.tree_ for tree in self._model], self.values, new)
            return (read_answers(self._model, self._outputs + m, self._method) for m in moves)
        return self._predicted(new)

    def _predicted(self, new: NewColumns) -> Iterator[np.ndarray]:
        for columns, answers in zip(
            new.values(), each(self._predictions, new.items(), self._n_jobs), strict=True
        ):
            self._done(columns.size)
            yield answers

    @contextmanager
    def patience(self, n_columns: int, cheaper: str) -> Iterator[None]:
        """While this many new columns are tried: a warning first and a bar, if it takes long."""
        n_rows = n_columns * len(self.values)
        with announced(self._seconds(n_rows), n_rows, cheaper) as self._done:
            yield
        self._done = lambda n_rows: None

    def _seconds(self, n_rows: int) -> float:
        """What it takes to predict so many rows, by the time of a call of the usual size."""
        shortcut = linear_coefficients(self._model) is not None or is_forest(self._model)
        if shortcut or n_rows <= MAX_ROWS:
            return 0.0
        r = max(1, min(n_rows, MAX_ROWS) // len(self.values))
        table, start = self._repeated(1), perf_counter()
        self._respond(table)
        seconds = (perf_counter() - start) * n_rows / len(self.values)
        if seconds >= LONG and r > 1:
            table, start = self._repeated(r), perf_counter()
            self._respond(table)
            seconds = (perf_counter() - start) * n_rows / (r * len(self.values))
        return seconds / (effective_n_jobs(self._n_jobs) if self._n_jobs else 1)

    @cached_property
    def _outputs(self) -> np.ndarray:
        """What the trees of a forest put out on average: probabilities or one number."""
        if hasattr(self._model, "classes_"):
            return response_function(self._model, self._X, "predict_proba")(self.values)
        return self.answers[:, np.newaxis]

    def _predictions(self, j: int, columns: np.ndarray) -> np.ndarray:
        r, n = columns.shape
        answers = self._respond(self._with_column(j, columns))
        answers = answers.reshape(r, n, *answers.shape[1:])
        if answers.dtype.kind != "f":
            return answers
        rounding = 8 * np.finfo(answers.dtype).eps * np.abs(self.answers)
        return np.where(np.abs(answers - self.answers) <= rounding, self.answers, answers)

    def _with_column(self, j: int, columns: np.ndarray):
        """As many tables below each other as there are columns, each with one of them as x_j."""
        table = self._repeated(len(columns))
        if isinstance(table, pd.DataFrame):
            table = table.copy(deep=False)
            table.isetitem(j, self.coding.column(j, columns.ravel()))
            return table
        stacked = np.tile(self.values, (len(columns), 1))
        stacked[:, j] = columns.ravel()
        return self._as_table(stacked)

    def _repeated(self, r: int):
        """The table of the rows as they are, r times; the last one made is kept."""
        if self._kept[0] != r:
            self._kept = r, self._as_table(np.tile(self.values, (r, 1)))
        return self._kept[1]


def first_answers(model, respond, table, coding: Coding) -> np.ndarray:
    """What the model answers to the rows as they are, or why it takes no such table."""
    try:
        return respond(table)
    except (TypeError, ValueError) as error:
        if coding.is_complete:
            raise
        raise ValueError(
            f"This {type(model).__name__} does not take the table as it is: X has "
            f"{coding.in_words()}. It says: {str(error).splitlines()[0]} Fill or encode them "
            f"first, for instance in a Pipeline, or use a model that takes them."
        ) from error


def mean_increase(row_loss: Loss, y: np.ndarray, answers: np.ndarray, losses) -> np.ndarray:
    """Mean over the n rows of (loss - losses), for answers of shape (r, n) or (r, n, classes)."""
    r, n = answers.shape[:2]
    rows = row_loss(np.tile(y, r), answers.reshape(r * n, *answers.shape[2:]))
    return (rows.reshape(r, n) - losses).mean(axis=1)


def read_answers(forest, outputs: np.ndarray, method: str) -> np.ndarray:
    """What `forest` answers by `method` when its trees put out `outputs` (last axis) on average."""
    if not hasattr(forest, "classes_"):
        return outputs[..., 0]
    if method == "predict_proba":
        return outputs
    return forest.classes_[outputs.round(12).argmax(axis=-1)]  # rounded, so that ties stay ties


def output_moves(trees: list, values: np.ndarray, new: NewColumns) -> Iterator[np.ndarray]:
    """How far the mean output of the trees moves when column j is replaced, for each j.

    A row whose path in a tree never asks for feature j keeps its leaf whatever the new value, so
    only the others are sent down again.

    Parameters
    ----------
    trees : list of scikit-learn's `tree_`
    values : array of shape (n, p)
    new : dict from feature j to an array of shape (r, n)

    Yields
    ------
    moves : array of shape (r, n, n_outputs)
    """
    X = values.astype(np.float32)
    new = {j: np.ascontiguousarray(columns.T, np.float32) for j, columns in new.items()}  # (n, r)
    n_outputs = trees[0].value.shape[2]
    moves = {j: np.zeros((*columns.shape, n_outputs)) for j, columns in new.items()}
    for tree in trees:
        own, asked = tree.predict(X), features_on_path(tree, X)
        for j, columns in new.items():
            rows = np.flatnonzero(asked[:, j])
            block = np.repeat(X[rows], columns.shape[1], axis=0)
            block[:, j] = columns[rows].ravel()
            outputs = tree.predict(block).reshape(*columns[rows].shape, n_outputs)
            moves[j][rows] += outputs - own[rows, np.newaxis]
    return (moves[j].swapaxes(0, 1) / len(trees) for j in new)


def features_on_path(tree, X: np.ndarray) -> np.ndarray:
    """Whether row i, on its way to a leaf, is asked for feature j: shape (n, p) of bool."""
    asked = np.zeros(X.shape, dtype=bool)
    for start in range(0, len(X), MAX_ROWS):
        path = tree.decision_path(X[start : start + MAX_ROWS])
        row = start + np.repeat(np.arange(path.shape[0]), np.diff(path.indptr))
        feature = tree.feature[path.indices]
        asked[row[feature >= 0], feature[feature >= 0]] = True
    return asked
