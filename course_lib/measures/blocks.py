"""The columns that a model reads, by the given column that they are made of.

Where the steps of a pipeline treat every column by itself, a given column that is shuffled moves
only its own block of columns behind them, whose rows are then shuffled in the same way. So the
table is transformed once, and not again for each shuffle.
"""

import numpy as np
from scipy.sparse import issparse

from course_lib.models.chains import Chain
from course_lib.models.wrappers import is_forest, linear_coefficients
from course_lib.tables import Coding


class Blocks:
    """A table of numbers as the model at the end reads it, by given column.

    Attributes
    ----------
    table : array of shape (n, q)
    columns : list of arrays
        The columns of the table that each of the p given columns has become.
    """

    def __init__(self, table: np.ndarray, origin, values: np.ndarray, *, as_given: bool):
        self.table = table
        self.columns = [np.flatnonzero(np.equal(origin, j)) for j in range(values.shape[1])]
        self._values, self._as_given, self._distinct = values, as_given, {}

    def new(self, j: int, codes: np.ndarray) -> np.ndarray | None:
        """The block of column j for new codes of any shape, one more axis; None if a code is new.

        A code that some row has stands in this row's block already.
        """
        if self._as_given:
            return codes[..., np.newaxis]
        if j not in self._distinct:
            self._distinct[j] = np.unique(self._values[:, j], return_index=True)
        known, row = self._distinct[j]
        place = np.searchsorted(known, codes).clip(max=len(known) - 1)
        found = known[place]
        if not ((found == codes) | (np.isnan(found) & np.isnan(codes))).all():
            return None
        return self.table[row[place]][..., self.columns[j]]


def blocks_of(chain: Chain, table, coding: Coding) -> Blocks | None:
    """The blocks of a table of numbers, or of what a pipeline makes of a table; else None.

    None for a pipeline that mixes columns, and for one that does not put out an array of numbers.
    A model that was fitted to a sparse table may read a dense one otherwise, unless it is a
    forest or linear.
    """
    values = coding.values
    if not chain.steps:
        if not coding.is_numeric:
            return None
        return Blocks(values, range(values.shape[1]), values, as_given=True)
    if not chain.is_columnwise:
        return None
    read = chain.transform(table)
    if issparse(read) and (is_forest(chain.model) or linear_coefficients(chain.model) is not None):
        read = read.toarray()
    if not isinstance(read, np.ndarray) or read.dtype.kind != "f":
        return None
    return Blocks(read, chain.origin, values, as_given=False)
