"""Risks after perturbation, estimated by drawing features: the simulation behind `dedact`."""

from functools import cache, lru_cache

import numpy as np
import pandas as pd

from course_lib.measures.dedact.pathways import (
    Pathways,
    Plan,
    Risk,
    Set,
    associative_via,
    missed,
    shapley_along,
    without,
)
from course_lib.models.losses import cross_entropy, default_loss, prediction_loss, zero_one
from course_lib.questions import Q1, Question
from course_lib.results import Decomposition
from course_lib.validation import (
    check_count,
    check_option,
    check_random_state,
    check_X_y,
    column_names,
    feature_index,
    refuse_non_finite,
    response_function,
)
from course_lib.worlds.samplers import MarginalSampler, fitted

MAX_ROWS = 2**14  # handed to the model at once


class Estimates(Pathways):
    """The measures of `003` for one model and one table, by drawing.

    Memory does not grow with the number of draws: the model is asked about at most `MAX_ROWS` rows
    at a time, and two tables of draws are kept.
    """

    def __init__(self, model, X, y, sampler, loss, n_repeats, n_samples, random_state):
        self.X, self.y = check_X_y(X, y)
        self.feature_names = column_names(X)
        self._columns = X.columns if isinstance(X, pd.DataFrame) else None
        self._loss, method = prediction_loss(model, loss)
        self._respond = response_function(model, X, method)
        self._averages = method != "predict" or default_loss(model) not in (cross_entropy, zero_one)
        self._corrects = method == "predict"
        self._n_repeats = check_count(n_repeats, "n_repeats")
        self._n_samples = check_count(n_samples, "n_samples")
        self._rng = check_random_state(random_state)
        self._sampler = fitted(sampler, X)

    def decompose_sage(self, j, how, n_orders) -> Decomposition:
        """The SAGE value of X_j along random orders, each gain split over the features."""
        j, D = feature_index(j, self.feature_names), self._D
        check_option(how, "how", ("fast", "shapley"))
        columns = []
        for order in self._orders(D, n_orders):
            C = tuple(sorted(order[: order.index(j)]))
            players = without(D, C)
            (doors,) = self._orders(players, 1)

            def split(risk, C=C, players=players, doors=doors):
                def w(K):
                    return associative_via(risk, D, (j,), K, C)

                return missed(w, players) if how == "fast" else shapley_along(w, players, doors)

            column = np.zeros((1 + len(D), 1))
            column[[0, *(1 + k for k in players)]] = self._evaluate(split, True, n_repeats=1)
            columns.append(column)
        question = self._question((), (), True)
        kind = "marginal" if question is Q1 else "conditional"
        measure = f"{kind} SAGE({self.feature_names[j]}), {how} parts by feature"
        return self._decomposition(np.hstack(columns), D, "feature", measure, question)

    def _question(self, J: Set, C: Set, marginalize: bool) -> Question:
        """A marginal sampler looks at no variable, so that AI becomes DI."""
        if isinstance(self._sampler, MarginalSampler):
            return Q1
        return super()._question(J, C, marginalize)

    def _orders(self, players: Set, n_orders: int) -> list[list[int]]:
        n_orders = check_count(n_orders, "n_orders")
        return [self._rng.permutation(players).tolist() for _ in range(n_orders)]

    def _evaluate(self, definition, marginalize: bool, n_repeats: int | None = None) -> np.ndarray:
        """definition(risk), in blocks of repeats, or else of rows, that the model answers at once.

        A definition is linear in its risks, so that blocks of rows may be averaged.
        """
        n, n_repeats = len(self.X), n_repeats or self._n_repeats
        n_samples = self._checked_samples() if marginalize else 1
        at_once = max(1, MAX_ROWS // (n * n_samples))
        blocks = np.array_split(np.arange(n), min(-(-n * n_samples // MAX_ROWS), n))
        columns = []
        for start in range(0, n_repeats, at_once):
            size = min(at_once, n_repeats - start)
            values = [definition(self._risk(rows, size, n_samples)) for rows in blocks]
            columns.append(np.average(values, axis=0, weights=[len(rows) for rows in blocks]))
        return np.concatenate(columns, axis=-1)

    def _checked_samples(self) -> int:
        if not self._averages:
            raise ValueError(
                "marginalize=True averages predictions, and predicted classes have no average. "
                "Use a loss of predict_proba, for example course_lib.models.losses.cross_entropy."
            )
        return check_count(self._n_samples, "n_samples", minimum=2)

    def _risk(self, rows: np.ndarray, n_repeats: int, n_samples: int) -> Risk:
        """The mean loss over these rows after a plan, one value per repeat.

        Each stream has one seed: plans share their draws, and draws given different variables
        share their random numbers.
        """
        X, y = self.X[rows], self.y[rows]
        copies = np.tile(X, (n_repeats * n_samples, 1))
        seeds = self._rng.integers(2**63, size=2)

        @lru_cache(maxsize=2)
        def draw(drawn: Set, given: Set, stream: int) -> np.ndarray:
            return self._draw(copies, drawn, given, np.random.default_rng(seeds[stream]))

        @cache
        def risk(plan: Plan) -> np.ndarray:
            if not plan:
                return np.full(n_repeats, self._loss(y, self._respond(X)).mean())
            filled = copies.copy()
            for group in plan:
                places = [group.drawn.index(j) for j in group.columns]
                drawn = draw(group.drawn, group.given, group.stream)
                filled[:, group.columns] = drawn[:, places]
            return self._mean_loss(y, self._respond(filled), n_repeats, n_samples)

        return risk

    def _draw(self, X: np.ndarray, drawn: Set, given: Set, rng) -> np.ndarray:
        table = X if self._columns is None else pd.DataFrame(X, columns=self._columns)
        values = np.asarray(self._sampler.sample(table, drawn, given, random_state=rng))
        if values.shape != (len(X), len(drawn)):
            raise ValueError(
                f"The sampler gave an array of shape {values.shape}; one row per row of X and one "
                f"column per drawn feature would be {(len(X), len(drawn))}. Mend its `sample`."
            )
        refuse_non_finite(values, "The sampler's draw")
        return values

    def _mean_loss(self, y, predictions, n_repeats: int, n_samples: int) -> np.ndarray:
        """Mean loss of each repeat; predictions come by repeat, then sample, then row.

        The jackknife  m L(mean) - (m - 1) mean of L(mean without one)  is for squared error
        L(mean) - s**2 / m, free of bias.
        """
        one = predictions.shape[1:]  # of one row: () or (n_classes,)

        def mean_loss(values):
            flat = values.reshape(-1, *one)
            rows = self._loss(np.tile(y, len(flat) // len(y)), flat)
            return rows.reshape(n_repeats, -1).mean(axis=1)

        if n_samples == 1:
            return mean_loss(predictions)
        each = predictions.reshape(n_repeats, n_samples, len(y), *one)
        mean = each.mean(axis=1, keepdims=True)
        if not self._corrects:
            return mean_loss(mean)
        without_one = mean + (mean - each) / (n_samples - 1)
        return n_samples * mean_loss(mean) - (n_samples - 1) * mean_loss(without_one)
