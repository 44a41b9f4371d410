"""Plans of perturbation, evaluated by drawing features: the simulation behind `importance`."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial, wraps
from inspect import signature

import numpy as np

from course_lib.measures.dedact.pathways import (
    FEWER,
    Pathways,
    Plan,
    Set,
    Table,
    loss_without,
    shapley_along,
    without,
)
from course_lib.measures.responses import first_answers
from course_lib.models.losses import (
    cross_entropy,
    default_loss,
    loss_in_words,
    prediction_loss,
    zero_one,
)
from course_lib.patience import paced
from course_lib.questions import Q1, Question
from course_lib.results import Decomposition, how_many, rows_given
from course_lib.tables import Coding, handed_over, response_function
from course_lib.validation import (
    RandomState,
    check_count,
    check_flag,
    check_jobs,
    check_option,
    check_random_state,
    check_weights,
    check_y,
    feature_index,
)
from course_lib.worlds.samplers import (
    MarginalSampler,
    conditional_sampler,
    draw_codes,
    fitted_sampler,
)

BLOCK_ROWS = 2**14  # answered at once; each block has its own seeds, so another size draws anew


@dataclass(frozen=True)
class Drawing:
    """How features are drawn, how often, and which loss is counted."""

    sampler: object = None
    loss: Callable | None = None
    n_repeats: int = 10
    n_samples: int = 25
    sample_weight: object = None
    n_jobs: int | None = None
    random_state: RandomState = None


def with_drawing(measure: Callable) -> Callable:
    """The measure, with the options of `Drawing` in its signature and a refusal of any other."""
    *own, _ = signature(measure).parameters.values()  # the last is **drawing
    options = [
        option.replace(kind=option.KEYWORD_ONLY, annotation=option.empty)
        for option in signature(Drawing).parameters.values()
    ]
    shown = signature(measure).replace(parameters=[*own, *options])

    @wraps(measure)
    def checked(*arguments, **options):
        for name in options:
            if name not in shown.parameters:
                known = [o.name for o in shown.parameters.values() if o.kind is o.KEYWORD_ONLY]
                raise TypeError(
                    f"{measure.__name__} has no option {name!r}; it has {', '.join(known)}. "
                    f"Correct the name, or leave it out."
                )
        return measure(*arguments, **options)

    checked.__signature__ = shown
    return checked


class Estimates(Pathways):
    """The measures of `003` for one model and one table, by drawing.

    Memory does not grow with the number of draws: the model is asked about at most `BLOCK_ROWS`
    rows at a time, and two tables of draws are kept.
    """

    def __init__(self, model, X, y, drawing: Drawing, default_sampler=conditional_sampler):
        self._coding = Coding(X)
        self.X, self.feature_names = self._coding.values, self._coding.names
        self.y = check_y(y, len(self.X))
        self._loss, method = prediction_loss(model, drawing.loss)
        self._loss_in_words = loss_in_words(model, drawing.loss)
        self._respond = response_function(model, X, method, self._coding)
        first_answers(model, self._respond, self.X[:1], self._coding)
        self._averages = method != "predict" or default_loss(model) not in (cross_entropy, zero_one)
        self._corrects = method == "predict"
        weights = check_weights(drawing.sample_weight, len(self.y))
        self._sample = rows_given(len(self.y), weights)
        self._weights = np.full(len(self.y), 1 / len(self.y)) if weights is None else weights
        self._n_jobs = check_jobs(drawing.n_jobs)
        self._n_repeats = check_count(drawing.n_repeats, "n_repeats")
        self._n_samples = check_count(drawing.n_samples, "n_samples")
        self._rng = check_random_state(drawing.random_state)
        sampler = default_sampler(self._coding) if drawing.sampler is None else drawing.sampler
        self._sampler = fitted_sampler(sampler, X)

    def decompose_sage(self, j, how: str, n_orders: int) -> Decomposition:
        """The SAGE value of X_j along random orders, each gain split over the features."""
        j = feature_index(j, self.feature_names)
        check_option(how, "how", ("fast", "shapley"))

        def parts_along(order: list[int]) -> np.ndarray:
            C = tuple(sorted(order[: order.index(j)]))
            (doors,) = self.orders(without(self.D, C), 1)
            split = loss_without if how == "fast" else partial(shapley_along, order=doors)
            return self.gain_parts(j, C, split)

        columns = paced(parts_along, [(order,) for order in self.orders(self.D, n_orders)], FEWER)
        question = self.associative_question((), (), True)
        kind = "marginal" if question is Q1 else "conditional"
        measure = f"{kind} SAGE({self.feature_names[j]}), {how} parts by feature"
        return self.decomposition(np.hstack(columns), "feature", measure, question, "order")

    def said(self, n_columns: int, what: str = "draw") -> dict[str, str]:
        """What a result with so many columns rests on, in words; a column is one `what`."""
        drawn = "" if what == "draw" else ", drawn"
        return {
            "loss": self._loss_in_words,
            "sample": self._sample,
            "repeats": f"{how_many(n_columns, what)}{drawn} by {type(self._sampler).__name__}",
            "covers": "the drawing" if what == "draw" else "orders and draws",
        }

    def associative_question(self, J: Set, C: Set, marginalize: bool) -> Question:
        """A marginal sampler looks at no variable, so that AI becomes DI."""
        if isinstance(self._sampler, MarginalSampler):
            return Q1
        return super().associative_question(J, C, marginalize)

    def orders(self, players: Set, n_orders: int) -> list[list[int]]:
        """Random orders of the players."""
        n_orders = check_count(n_orders, "n_orders")
        return [self._rng.permutation(players).tolist() for _ in range(n_orders)]

    def evaluate(self, table: Table, marginalize: bool, n_repeats: int | None = None) -> np.ndarray:
        """The rows of a table, in blocks of repeats, or else of rows of X, for one answer each.

        They are linear in the risks, so that blocks of rows of X may be averaged.
        """
        n, n_repeats = len(self.X), n_repeats or self._n_repeats
        n_samples = self._checked_samples() if check_flag(marginalize, "marginalize") else 1
        at_once = max(1, BLOCK_ROWS // (n * n_samples))
        blocks = np.array_split(np.arange(n), min(-(-n * n_samples // BLOCK_ROWS), n))
        counted = [rows for rows in blocks if self._weights[rows].sum() > 0]
        tasks = [
            (table, rows, min(at_once, n_repeats - start), n_samples, self._seeds())
            for start in range(0, n_repeats, at_once)
            for rows in counted
        ]
        parts = paced(self._part, tasks, FEWER, self._n_jobs)
        by_start = [parts[k : k + len(counted)] for k in range(0, len(parts), len(counted))]
        return np.concatenate([sum(of_rows) for of_rows in by_start], axis=-1)

    def _seeds(self) -> np.ndarray:
        """One for each stream of draws."""
        return self._rng.integers(2**63, size=2)

    def _part(self, table: Table, rows, size: int, n_samples: int, seeds) -> np.ndarray:
        """What some rows of X add to the rows of a table, in so many repeats."""
        share = self._weights[rows].sum()
        return share * table.evaluate(self._risk(rows, size, n_samples, seeds))

    def _checked_samples(self) -> int:
        if not self._averages:
            raise ValueError(
                "marginalize=True averages predictions, and predicted classes have no average. "
                "Use a loss of predict_proba, for example course_lib.models.cross_entropy."
            )
        return check_count(self._n_samples, "n_samples", minimum=2)

    def _risk(self, rows: np.ndarray, n_repeats: int, n_samples: int, seeds) -> Callable:
        """From a plan to the mean loss over these rows after it, one value per repeat.

        Each stream has one seed: plans share their draws, and draws given different variables
        share their random numbers.
        """
        X, y, weights = self.X[rows], self.y[rows], self._weights[rows] / self._weights[rows].sum()
        copies = np.tile(X, (n_repeats * n_samples, 1))

        @lru_cache(maxsize=2)
        def draw(drawn: Set, given: Set, stream: int) -> np.ndarray:
            rng = np.random.default_rng(seeds[stream])
            return draw_codes(self._sampler, self._coding, copies, drawn, given, rng)

        def risk(plan: Plan) -> np.ndarray:
            if not plan:
                return np.full(n_repeats, self._loss(y, self._respond(handed_over(X))) @ weights)
            filled = copies.copy()
            for group in plan:
                places = [group.drawn.index(j) for j in group.columns]
                drawn = draw(group.drawn, group.given, group.stream)
                filled[:, group.columns] = drawn[:, places]
            return self._mean_loss(y, weights, self._respond(filled), n_repeats, n_samples)

        return risk

    def _mean_loss(self, y, weights, predictions, n_repeats: int, n_samples: int) -> np.ndarray:
        """Mean loss of each repeat; predictions come by repeat, then sample, then row.

        The jackknife  m L(mean) - (m - 1) mean of L(mean without one)  is for squared error
        L(mean) - s**2 / m, free of bias.
        """
        one = predictions.shape[1:]  # of one row: () or (n_classes,)

        def mean_loss(values):
            flat = values.reshape(-1, *one)
            rows = self._loss(np.tile(y, len(flat) // len(y)), flat)
            return (rows.reshape(n_repeats, -1, len(y)) @ weights).mean(axis=1)

        if n_samples == 1:
            return mean_loss(predictions)
        each = predictions.reshape(n_repeats, n_samples, len(y), *one)
        mean = each.mean(axis=1, keepdims=True)
        if not self._corrects:
            return mean_loss(mean)
        without_one = mean + (mean - each) / (n_samples - 1)
        return n_samples * mean_loss(mean) - (n_samples - 1) * mean_loss(without_one)
