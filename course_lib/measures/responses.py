"""What a model answers once a column of its table has been replaced.

Where the model allows it, only what changes is computed: a linear model moves by b_j (new - old),
in a forest a row goes down a tree again only if it was asked for feature j on its way, of boosted
trees only those answer again that ask for feature j, and behind a pipeline that treats columns one
by one nothing is transformed again. The numbers are the same up to rounding.
"""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import pandas as pd

from course_lib.measures.blocks import blocks_of
from course_lib.measures.forests.moves import output_moves, read_answers
from course_lib.models.boosters import (
    HIST_BOOSTED,
    hist_answers,
    hist_part,
    hist_scores,
    is_as_made,
)
from course_lib.models.chains import Chain
from course_lib.models.wrappers import has_classes, is_forest, linear_coefficients
from course_lib.patience import each
from course_lib.tables import Coding, answer_function, handed_over, table_function

MOST = 0.9  # of the rows get a new value: then all are predicted, to spare a selection

READ = ("predict", "predict_proba")  # what is read off the leaves of a forest

DOWN_TREES = 0.8  # of a prediction, about: only rows that a tree asks for the feature go down again

NewColumns = dict[int, np.ndarray]  # feature -> array (r, n): r columns to put in its place


class Responses:
    """The answers of a fitted model to a table, and to the table with columns replaced.

    Can be sent to other processes.

    Parameters
    ----------
    model : fitted model
    X : table
    coding : Coding of X
    method : "predict" or "predict_proba"

    Attributes
    ----------
    as_they_are : array of n rows
    """

    def __init__(self, model, X, coding: Coding, method: str):
        self.coding, self._method = coding, method
        self._as_table = table_function(model, X, coding)
        self._respond = answer_function(model, method)
        self._table = self._as_table(coding.values)
        self.as_they_are = first_answers(model, self._respond, self._table, coding)
        chain = Chain(model)
        if chain.is_plain:
            self._end, self._behind = chain.model, bool(chain.steps)
            self._blocks = blocks_of(chain, self._table, coding)
        else:
            self._end, self._behind, self._blocks = model, False, None
        self._answer_of_end = self._shortest_answer()

    @property
    def coefficients(self) -> np.ndarray | None:
        """The coefficients of a model that is linear in the given columns, else None."""
        return None if self._behind else self._b

    @property
    def by_prediction(self) -> bool:
        """Whether each new column is predicted from scratch, for want of a shorter way."""
        return self._b is None and not self._goes_down_trees

    @property
    def effort(self) -> float:
        """What a new column costs, as a share of a prediction of all rows."""
        return 1.0 if self.by_prediction else DOWN_TREES * self._goes_down_trees

    @cached_property
    def _b(self) -> np.ndarray | None:
        if self._blocks is None or np.isnan(self._blocks.table).any():
            return None
        return linear_coefficients(self._end)

    @cached_property
    def _goes_down_trees(self) -> bool:
        known = self._blocks is not None and self._method in READ
        return known and is_forest(self._end)

    def new(self, new: NewColumns, n_jobs: int | None = None) -> Iterator[np.ndarray]:
        """The answers with each new column, for each feature an array (r, n) or (r, n, classes)."""
        if not self.by_prediction:
            blocks = {j: (self._blocks.columns[j], self._blocks.new(j, new[j])) for j in new}
            if all(block is not None for _, block in blocks.values()):
                return self._by_blocks(blocks)
        return each(_predicted, ((self, j, columns) for j, columns in new.items()), n_jobs)

    def _by_blocks(self, blocks: dict) -> Iterator[np.ndarray]:
        table = self._blocks.table
        if self._b is not None:
            return (
                self.as_they_are + (block - table[:, columns]) @ self._b[columns]
                for columns, block in blocks.values()
            )
        moves = output_moves([tree.tree_ for tree in self._end], table, blocks)
        return (read_answers(self._end, self._outputs + move, self._method) for move in moves)

    @cached_property
    def _outputs(self) -> np.ndarray:
        """What the trees of a forest put out on average: probabilities or one number."""
        if not has_classes(self._end):
            return self.as_they_are[:, np.newaxis]
        return self._end.predict_proba(self._blocks.table if self._behind else self._table)

    def predicted(self, j: int, columns: np.ndarray) -> np.ndarray:
        """The answers with new columns; rows that keep their value keep their answer.

        An answer that moves by no more than rounding counts as unmoved.
        """
        own, old = self.as_they_are, self.coding.values[:, j]
        moved = np.flatnonzero((columns != old) & ~(np.isnan(columns) & np.isnan(old)))
        if len(moved) > MOST * columns.size:
            moved = np.arange(columns.size)
        answers = np.tile(own, (len(columns), *[1] * (own.ndim - 1)))
        if len(moved):
            new = self._answer(j, columns.ravel()[moved], moved % len(old))
            answers = answers.astype(_dtype_of_both(own, new), copy=False)
            answers[moved] = new
        answers = answers.reshape(*columns.shape, *own.shape[1:])
        if answers.dtype.kind != "f":
            return answers
        own = np.where(np.isfinite(own), own, 0.0)  # to -inf, a log of 0, nothing is near
        rounding = 8 * np.finfo(answers.dtype).eps * np.abs(own)
        return np.where(np.abs(answers - own) <= rounding, own, answers)

    def _answer(self, j: int, column: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The answers to these rows with this column as x_j."""
        if self._behind and self._blocks is not None:
            block = self._blocks.new(j, column)
            if block is not None:
                table = self._blocks.table[rows]
                table[:, self._blocks.columns[j]] = block
                return self._answer_of_end(j, table, rows)
        if isinstance(self._table, pd.DataFrame):
            table = self._table.iloc[rows].copy(deep=False)
            table.isetitem(j, self.coding.column(j, column))
        else:
            values = self.coding.values[rows]
            values[:, j] = column
            table = self._as_table(values)
        return self._respond(table) if self._behind else self._answer_of_end(j, table, rows)

    def _shortest_answer(self):
        """A function (j, table, rows) -> what the model at the end answers to its table of these
        rows, in which only what is made of column j is new."""
        read = self._blocks.table if self._behind and self._blocks else self._table
        known = not self._behind or self._blocks is not None
        if known and is_as_made(self._end, HIST_BOOSTED):
            own = [[j] for j in range(len(self.coding.names))]
            columns = self._blocks.columns if self._behind else own
            return FewerTrees(self._end, read, columns, self._method)
        respond = answer_function(self._end, self._method)
        return lambda j, table, rows: respond(table)

    def ask(self, n_rows: int) -> None:
        """Have so many rows predicted, to see how long it takes."""
        rows = np.arange(n_rows) % len(self.coding.values)
        self._answer(0, self.coding.values[rows, 0], rows)


class FewerTrees:
    """Boosted trees of scikit-learn, of which only those answer again that ask for a new column.

    Parameters
    ----------
    model : fitted HistGradientBoosting model
    table : what it was given for n rows
    columns : list of the columns of the table that are made of each given one
    method : "predict" or "predict_proba"
    """

    def __init__(self, model, table, columns: list, method: str):
        self._model, self._table, self._columns, self._method = model, table, columns, method
        self._parts = {}

    @cached_property
    def _scores(self) -> np.ndarray:
        return hist_scores(self._model, self._table)

    def __call__(self, j: int, table, rows: np.ndarray) -> np.ndarray:
        """The answers to these rows, in whose table only what is made of column j is new."""
        if j not in self._parts:
            part = hist_part(self._model, self._columns[j])
            self._parts[j] = part, hist_scores(part, self._table)
        part, before = self._parts[j]
        scores = self._scores[rows] + (hist_scores(part, table) - before[rows])
        return hist_answers(self._model, scores, self._method)


def _dtype_of_both(own: np.ndarray, new: np.ndarray) -> np.dtype:
    """A dtype in which nothing of either is lost: labels are not cut, nor numbers made text."""
    if own.dtype == new.dtype:
        return own.dtype
    texts = (own.dtype.kind in "US", new.dtype.kind in "US")
    return np.dtype(object) if any(texts) and not all(texts) else np.result_type(own, new)


def _predicted(responses: Responses, j: int, columns: np.ndarray) -> np.ndarray:
    return responses.predicted(j, columns)


def first_answers(model, respond, table, coding: Coding) -> np.ndarray:
    """What the model answers to the rows as they are, or why it takes no such table.

    It is given a copy: the table is used again, and a model may work in place.
    """
    try:
        return respond(handed_over(table))
    except (TypeError, ValueError) as error:
        if coding.is_complete or "handle_unknown" in str(error):
            raise
        raise ValueError(
            f"This {type(model).__name__} does not take the table as it is: X has "
            f"{coding.in_words()}. It says: {str(error).splitlines()[0]} Fill or encode them "
            f"first, for instance in a Pipeline, or use a model that takes them."
        ) from error
