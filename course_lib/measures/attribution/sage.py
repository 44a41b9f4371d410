"""SAGE: the loss that knowing a feature saves, averaged over the orders of getting to know them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from joblib import effective_n_jobs

from course_lib.measures.responses import first_answers
from course_lib.models.losses import (
    absolute_error,
    default_loss,
    loss_in_words,
    prediction_loss,
    squared_error,
)
from course_lib.models.wrappers import has_classes
from course_lib.patience import announced, each, expected_seconds
from course_lib.questions import DISTRIBUTION, Q1
from course_lib.results import Importances, how_many, rows_given
from course_lib.tables import Coding, response_function
from course_lib.validation import (
    check_count,
    check_jobs,
    check_random_state,
    check_weights,
    check_y,
    column_names,
)
from course_lib.worlds.samplers import MarginalSampler, draw_codes, fitted_sampler

BLOCK_ROWS = 2**15  # answered at once; draws come block by block, so another size draws anew
ROUNDING = 1e-12  # of the largest loss: what a table of other rows may move a prediction by
FEWER = (
    "Fewer orders (n_orders) or a random sample of the rows take less time in proportion and give "
    "a larger standard error. n_jobs=-1 uses all cores."
)
STEP = 0.1  # of the jackknife, small enough to keep probabilities positive


def sage(
    model,
    X,
    y,
    *,
    sampler=None,
    loss=None,
    n_orders: int = 32,
    n_samples: int | None = None,
    sample_weight=None,
    n_jobs=None,
    random_state=None,
) -> Importances:
    """Shapley additive global importance: the Shapley values of the loss that knowledge saves.

    v(S) = E[loss(y, f_0)] - E[loss(y, f_S(x_S))],   f_S(x_S) = E[f(x_S, X_rest)]

    where the features that are not known are drawn by the sampler, and f_0 knows none. Along a
    random order, feature j gets v(S + j) - v(S), where S are those before it.

    Parameters
    ----------
    model : fitted estimator
    X, y : the data over which losses are averaged
    sampler : sampler, default=None
        None or a `MarginalSampler` draws the rest independently of x_S: marginal SAGE, which asks
        about the model. One that draws the rest given x_S makes it conditional SAGE, which can
        also credit what the model does not read, and asks about the distribution.
    loss : callable, default=None
        Gets the mean prediction over the draws: of numbers or probabilities their mean, of a
        classifier's labels the most frequent (unless the loss is a squared or absolute error).
    n_orders : int, default=32
        Marginal SAGE gives each row an order of its own in each column. Conditional SAGE shares
        one among all rows, since every set of known features has its own distribution to learn.
    n_samples : int, default=None
        Draws for each row and coalition; None means 4 for squared error, 16 for any other loss.
        The loss of a mean of m draws is too large by about loss'' Var / (2m). A jackknife over the
        draws takes this out: all of it for squared error, up to 1/m**2 for other smooth losses.
    sample_weight : array-like of shape (n_samples,), default=None
        How much the loss of each row counts; what is not known is drawn from all rows alike.
    n_jobs : int, default=None
        Processes that predict, by joblib; the numbers do not depend on it.
    random_state : int, Generator or None

    Returns
    -------
    result : Importances
        One column per order. Each column sums to v(all), the mean loss without any feature less
        the mean loss of the model. Costs n_orders x (n_features - 1) x n_rows x n_samples
        predictions. The interval covers orders and draws, not the sampling of X and y.

    References
    ----------
    Covert, Lundberg & Lee (2020), *Understanding global feature contributions with additive
    importance measures*; `003` table 1.

    Examples
    --------
    The model is y = 2 x0: all of the variance of y is saved by x0.

    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.array([[-1.0, 0.0], [1.0, 1.0], [-1.0, 1.0], [1.0, 0.0]])
    >>> model = LinearRegression().fit(X, 2 * X[:, 0])
    >>> sage(model, X, 2 * X[:, 0], n_orders=2, random_state=0).importances_mean.sum().round(6)
    np.float64(4.0)
    """
    coding = Coding(X)
    y = check_y(y, len(coding.values))
    n_orders = check_count(n_orders, "n_orders")
    rng = check_random_state(random_state)
    loss = default_loss(model) if loss is None else loss
    if n_samples is None:
        n_samples = 4 if loss is squared_error else 16
    n_samples = check_count(n_samples, "n_samples")
    weights = check_weights(sample_weight, len(y))
    game = _LossGame(model, X, coding, y, sampler, loss, n_samples, rng, weights, n_jobs)
    column = game.marginal_column if game.is_marginal else game.conditional_column
    with game.patience(n_orders):
        columns = [column() for _ in range(n_orders)]
    return Importances(
        np.column_stack(columns),
        column_names(X),
        f"{'marginal' if game.is_marginal else 'conditional'} SAGE",
        Q1 if game.is_marginal else DISTRIBUTION,
        loss=loss_in_words(model, loss),
        sample=rows_given(len(y), weights),
        repeats=how_many(n_orders, "order") + game.drawn_by,
        covers="orders and draws",
    )


class _LossGame:
    """What the loss of a prediction is when only some features are known."""

    def __init__(self, model, X, coding, y, sampler, loss, n_samples, rng, weights, n_jobs):
        self.row_loss, method = prediction_loss(model, loss)
        self.respond = response_function(model, X, method, coding)
        self.sampler = fitted_sampler(MarginalSampler() if sampler is None else sampler, X)
        self.is_marginal = isinstance(self.sampler, MarginalSampler)
        self.X, self.y, self.n_samples, self.rng = coding.values, y, n_samples, rng
        self.coding, self.n_jobs = coding, check_jobs(n_jobs)
        self.weights = np.full(len(y), 1 / len(y)) if weights is None else weights
        self.drawn_by = "" if self.is_marginal else f", drawn by {type(self.sampler).__name__}"
        labelled = method == "predict" and has_classes(model)
        votes = labelled and loss not in (squared_error, absolute_error)
        self.classes = model.classes_ if votes else None
        answers = first_answers(model, self.respond, self.X, coding)
        self.of_none = self._loss_of_none()
        self.of_all = self.row_loss(y, answers)  # one per row

    def marginal_column(self) -> np.ndarray:
        """Mean gains when each row gets to know its features in an order of its own.

        Marginal draws do not depend on what is known, so all steps of a row share theirs: a step
        changes one column of the table, and a feature that the model does not read gains exactly
        0. What the draws miss of the loss without features is made up among the others.
        """
        p, places = self.X.shape[1], []
        column, moved, of_none = np.zeros(p), np.zeros(p, dtype=bool), 0.0

        def tables(rows: slice) -> np.ndarray:
            X = self.X[rows]
            places.append(self.rng.permuted(np.tile(np.arange(p), (len(X), 1)), axis=1))
            known = places[-1] < np.arange(p)[:, np.newaxis, np.newaxis]  # (steps, rows, features)
            return np.where(known, X, self._draw(X, range(p), ())[:, np.newaxis])

        for rows, losses in self._losses_by_block(tables):
            place, weights = places.pop(0), self.weights[rows]  # places in the orders of the rows
            gains = -np.diff(losses, axis=0, append=self.of_all[np.newaxis, rows])
            gains[np.abs(gains) <= ROUNDING * np.abs(losses).max()] = 0.0
            gains = np.take_along_axis(gains, place.T, axis=0)  # from steps to features
            column += gains @ weights
            moved |= gains.any(axis=1)
            of_none += losses[0] @ weights
        shares = moved if moved.any() else ~moved
        return column + shares * (self.of_none - of_none) / shares.sum()

    def conditional_column(self) -> np.ndarray:
        """Mean gains when all rows get to know their features in the same random order."""
        p = self.X.shape[1]
        order = self.rng.permutation(p)

        def tables(rows: slice) -> np.ndarray:
            X = self.X[rows]
            drawn = np.tile(X, (self.n_samples, p - 1, 1, 1))
            for k in range(1, p):
                known, rest = np.sort(order[:k]), np.sort(order[k:])
                drawn[:, k - 1][..., rest] = self._draw(X, rest, known)
            return drawn

        means = np.zeros(p - 1)
        for rows, losses in self._losses_by_block(tables) if p > 1 else ():
            means += losses @ self.weights[rows]
        column = np.empty(p)
        column[order] = -np.diff([self.of_none, *means, self.of_all @ self.weights])
        return column

    def _losses_by_block(self, tables: Callable) -> Iterator[tuple[slice, np.ndarray]]:
        """Pieces of the rows, and the losses (steps, rows) of the tables drawn for them."""
        blocks = self._blocks()
        tasks = ((self, tables(rows), self.y[rows]) for rows in blocks)
        for rows, losses in zip(blocks, each(_losses, tasks, self.n_jobs), strict=True):
            self._done(1)
            yield rows, losses

    @contextmanager
    def patience(self, n_orders: int) -> Iterator[None]:
        """While so many orders are gone through: a bar, if it takes long."""
        n_rows = n_orders * self.X.size * self.n_samples
        seconds = expected_seconds(
            lambda size: self.respond(np.resize(self.X, (size, self.X.shape[1]))),
            n_rows,
            len(self.X),
            BLOCK_ROWS,
        )
        n_blocks = n_orders * len(self._blocks())
        with announced(seconds / effective_n_jobs(self.n_jobs or 1), n_blocks, FEWER) as self._done:
            yield

    def _blocks(self) -> list[slice]:
        """Pieces of the rows, such that a prediction is asked for BLOCK_ROWS rows or so at once."""
        n, p = self.X.shape
        step = max(1, BLOCK_ROWS // (p * self.n_samples))
        return [slice(start, start + step) for start in range(0, n, step)]

    def _draw(self, X: np.ndarray, columns, given) -> np.ndarray:
        """`n_samples` draws for each row, of shape (n_samples, n_rows, n_columns)."""
        copies = np.tile(X, (self.n_samples, 1))
        drawn = draw_codes(
            self.sampler, self.coding, copies, tuple(columns), tuple(given), self.rng
        )
        return np.reshape(drawn, (self.n_samples, len(X), len(columns)))

    def __getstate__(self) -> dict:
        """All that another process needs, which has no bar."""
        return {name: value for name, value in vars(self).items() if name != "_done"}

    def losses(self, tables: np.ndarray, y: np.ndarray) -> np.ndarray:
        """From tables (draws, steps, rows, features) to losses (steps, rows)."""
        n_draws, n_steps, n_rows, p = tables.shape
        predictions = self.respond(tables.reshape(-1, p))
        draws = predictions.reshape(n_draws, n_steps * n_rows, *predictions.shape[1:])
        return self._expected_loss(np.tile(y, n_steps), draws).reshape(n_steps, n_rows)

    def _expected_loss(self, y, draws: np.ndarray) -> np.ndarray:
        """Loss of the mean over the draws (first axis), less the bias that few draws cause.

        Moving the mean a little towards each draw in turn shows how curved the loss is:
        E loss(mean of m) - loss(mean) = loss'' Var / (2m) to the second order.
        """
        mean = self._mean(draws)
        loss, m = self.row_loss(y, mean), len(draws)
        if self.classes is not None or m == 1:
            return loss
        moved = mean + STEP * (draws - mean)
        around = self.row_loss(np.tile(y, m), moved.reshape(-1, *mean.shape[1:]))
        return loss - (around.reshape(m, -1).mean(axis=0) - loss) / (STEP**2 * (m - 1))

    def _mean(self, draws: np.ndarray) -> np.ndarray:
        """Mean prediction over the first axis; of labels, the most frequent."""
        if self.classes is not None:
            votes = (draws[..., np.newaxis] == self.classes).sum(axis=0)
            return self.classes[votes.argmax(axis=-1)]
        if draws.dtype.kind not in "biuf":
            raise TypeError(
                f"SAGE averages predictions, so they must be numbers, got {draws.dtype}. Choose a "
                f"loss with response_method = 'predict_proba', such as cross_entropy."
            )
        return draws.mean(axis=0)

    def _loss_of_none(self) -> float:
        """Mean loss of the one prediction that knows nothing."""
        if self.is_marginal:
            self._draw(self.X[:1], range(self.X.shape[1]), ())  # refuses a sampler of other columns
            drawn = self.coding.encode(self.sampler.table_)
        else:
            p = self.X.shape[1]
            anything = np.resize(self.X, (BLOCK_ROWS, p))  # nothing of it is given
            drawn = draw_codes(self.sampler, self.coding, anything, tuple(range(p)), (), self.rng)
        mean = self._mean(self.respond(drawn))
        losses = self.row_loss(self.y, np.tile(mean, (len(self.y), *[1] * np.ndim(mean))))
        return losses @ self.weights


def _losses(game: _LossGame, tables: np.ndarray, y: np.ndarray) -> np.ndarray:
    return game.losses(tables, y)
