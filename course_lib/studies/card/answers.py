"""The six questions about one setting, each answered by a measure, or refused in its words."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from copy import copy
from functools import cached_property
from time import perf_counter

import numpy as np
import pandas as pd

from course_lib.measures.algorithms import losses_without
from course_lib.measures.attribution.predictions import prediction_game
from course_lib.measures.permutation import (
    conditional_permutation_importance,
    permutation_importance,
)
from course_lib.measures.rashomon.sets import LinearRashomonSet
from course_lib.measures.refitting import check_clonable
from course_lib.measures.reports import AT_LEAST, AT_MOST
from course_lib.models.games import sampled_shapley_values, shapley_values
from course_lib.models.losses import classifies, default_loss, loss_in_words, squared_error
from course_lib.models.wrappers import explained_columns, output_in_words
from course_lib.questions import Q1, Q2, Q3, Q4, Q5, Q6, Question
from course_lib.results import Importances, RelianceRange, how_many
from course_lib.studies.card.checks import check_classes
from course_lib.studies.card.licences import amount, percent
from course_lib.studies.card.setting import Rows, Setting, take
from course_lib.tables import Coding, answer_function, handed_over
from course_lib.validation import Position, are_numbers, shortened
from course_lib.worlds.samplers import conditional_sampler, fitted_sampler

MAX_EXACT = 10  # columns, for the contributions to one prediction; above, orders are drawn
N_ORDERS = 64
BACKGROUND = 100  # rows
FEW = 3  # repeats in a half of the rows
RANKINGS = {  # what columns are ranked by, and the question it belongs to
    Q1.key: Q1,
    Q2.key: Q2,
    Q3.key: Q3,
    Q4.key: Q4,
    AT_LEAST: Q5,
    AT_MOST: Q5,
    Q6.key: Q6,
}

Results = dict[str, Importances]  # by ranking


class Answers:
    """How each question is asked of a setting."""

    def __init__(self, setting: Setting, *, loss, n_repeats, slack, seed, loss_scale):
        self.setting, self.loss, self.n_repeats = setting, loss, n_repeats
        self.slack, self.seed, self.loss_scale = slack, seed, loss_scale

    @cached_property
    def scales(self) -> dict[str, float]:
        """For each ranking, the size of what its values are differences of: losses, predictions.

        By it `settled` tells values from rounding error.
        """
        scales = dict.fromkeys(RANKINGS, self.loss_scale)
        model, row, _ = self.setting.explained
        with suppress(TypeError):  # classes without probabilities: Q3 is refused
            predict = _one_number(model, row)
            background = self._background(np.random.default_rng(self.seed))
            scales[Q3.key] = float(np.abs(predict(background)).max())
        return scales

    def ask(self, question: Question) -> Results:
        """The results of one question, or the refusal of its measure, raised."""
        asked: dict[str, Callable[[], Results]] = {
            Q1.key: lambda: {Q1.key: self.to_model()},
            Q2.key: lambda: {Q2.key: self.unique_to_model()},
            Q3.key: lambda: {Q3.key: self.to_prediction()},
            Q4.key: lambda: {Q4.key: self.to_algorithm()},
            Q5.key: self.to_good_models,
            Q6.key: lambda: {Q6.key: self.unique_to_good_models()},
        }
        return asked[question.key]()

    def in_half(self, half: Setting, asked: Iterable[Question]) -> pd.DataFrame:
        """The values of the answers about a smaller study, with few repeats.

        The third question, about one row, is left out, and so is what has no answer there.
        """
        again, results = copy(self), {}
        again.setting, again.n_repeats = half, FEW
        for question in asked:
            if question is not Q3:
                with suppress(TypeError, ValueError):
                    results |= again.ask(question)
        columns = {key: result.importances_mean for key, result in results.items()}
        return pd.DataFrame(columns, index=list(half.names))

    def to_model(self) -> Importances:
        """Q1: permutation importance."""
        return self._measured(permutation_importance)

    def unique_to_model(self) -> Importances:
        """Q2: conditional permutation importance; halves share the sampler of all the rows."""
        return self._measured(conditional_permutation_importance, sampler=self.sampler)

    def _measured(self, measure: Callable, **options) -> Importances:
        options |= {"loss": self.loss, "n_repeats": self.n_repeats, "random_state": self.seed}
        return self.setting.measured(measure, **options)

    @cached_property
    def sampler(self):
        """How columns are drawn given the others."""
        return fitted_sampler(conditional_sampler(Coding(self.setting.X)), self.setting.X)

    @property
    def few_rows(self) -> bool:
        """Whether normal draws are closer to the rows by a tenth, p / n, than they should be."""
        n, p = np.shape(self.setting.X)
        return p > n / 10 and Coding(self.setting.X).is_complete

    def seconds_of_a_draw(self) -> float:
        """What it takes to learn one column from the others and to draw it; it is learnt once."""
        start = perf_counter()
        rest = [Position(j) for j in range(1, len(self.setting.names))]
        self.sampler.sample(self.setting.X, [Position(0)], rest, random_state=0)
        return perf_counter() - start

    def to_prediction(self) -> Importances:
        """Q3: Shapley values of the marginal game about one row."""
        setting, n = self.setting, len(self.setting.names)
        model, row, _ = setting.explained
        rng = np.random.default_rng(self.seed)
        background = self._background(rng)
        x = row if isinstance(row, pd.DataFrame) else row[0]
        game = prediction_game(_one_number(model, row), x, background)
        over = f"over {how_many(len(background), 'background row')}"
        if n <= MAX_EXACT:
            values, repeats = shapley_values(game, n)[:, np.newaxis], f"exact {over}"
        else:
            values = sampled_shapley_values(game, n, n_orders=N_ORDERS, random_state=rng)
            repeats = f"{N_ORDERS} orders {over}"
        return Importances(
            values,
            setting.names,
            "Shapley values of the marginal game",
            Q3,
            loss=_explained_in_words(model, row),
            sample=self._row_in_words(),
            repeats=repeats,
            covers="the orders",
        )

    def _background(self, rng: np.random.Generator):
        """The rows from which a column that is not known yet gets its values."""
        order = rng.permutation(len(self.setting.y))
        return take(self.setting.X, np.sort(order[:BACKGROUND]))

    def _row_in_words(self) -> str:
        """The explained row by its position, and by its label if that is another."""
        _, row, position = self.setting.explained
        given = f"the {self.setting.n_given:,} {self.setting.kind}"
        label = row.index[0] if isinstance(row, pd.DataFrame) else position
        if isinstance(label, int | np.integer) and label == position:
            return f"row {position} of {given}"
        return f"the row at position {position} of {given} (label {label})"

    def to_algorithm(self) -> Importances:
        """Q4: algorithm reliance, as a difference, with one column for each row measured on."""
        setting = self.setting
        check_clonable(setting.algorithm)
        n_splits = len(setting.splits)
        if n_splits > 1 and classifies(setting.algorithm):
            check_classes(setting.y_fit, cross_fitted=True)
        with_all = np.empty(len(setting.y))
        without = np.empty((len(setting.names), len(setting.y)))
        for split in setting.splits:
            measured = split[1]
            with_all[measured], without[:, measured] = self._losses_without(*split)
        others = setting.kind if n_splits == 1 else "cross-fitted rows"
        seed = ", all with one seed" * setting.draws
        return Importances(
            without - with_all,
            setting.names,
            "algorithm reliance  loss without it - loss with all",
            Q4,
            loss=loss_in_words(setting.algorithm, self.loss),
            sample=setting.rows_called(others),
            repeats=f"{how_many(n_splits, 'fit')} without each column{seed}; with all columns the "
            f"loss is {amount(with_all.mean(), 4)}",
            covers="the drawing of the rows",
        )

    def _losses_without(self, fitted: Rows, measured: Rows) -> tuple[np.ndarray, np.ndarray]:
        """The losses of some rows by the algorithm fitted to others, with and without columns."""
        setting = self.setting
        with_all, without, _ = losses_without(
            setting.algorithm,
            take(setting.X_fit, fitted),
            setting.y_fit[fitted],
            X_test=take(setting.X, measured),
            y_test=setting.y[measured],
            loss=self.loss,
            random_state=self.seed,
        )
        return with_all, without

    def to_good_models(self) -> Results:
        """Q5: model class reliance of the linear models within the slack, as differences."""
        good = self._good_models()
        ranges = [good.model_class_reliance(name, as_ratio=False) for name in good.feature_names]
        return {AT_LEAST: self._exact(ranges, "low"), AT_MOST: self._exact(ranges, "high")}

    def unique_to_good_models(self) -> Importances:
        """Q6: the upper end of conditional model class reliance."""
        good = self._good_models()
        ranges = [
            good.conditional_model_class_reliance(name, as_ratio=False)
            for name in good.feature_names
        ]
        return self._exact(ranges, "high")

    def _exact(self, ranges: list[RelianceRange], end: str) -> Importances:
        """One end of the ranges as importances; a constant column, which is left out, has 0."""
        setting, one = self.setting, ranges[0]
        values = dict.fromkeys(setting.names, 0.0) | {of.feature: getattr(of, end) for of in ranges}
        constant = f"; 0 for what is constant there ({shortened(setting.constant)})"
        to_fit = f"{len(setting.y_fit):,} rows to fit to"
        class_ = f"exact over the linear models within {percent(self.slack)} of the least error"
        return Importances(
            np.array([*values.values()])[:, np.newaxis],
            setting.names,
            one.measure,
            one.question,
            loss=one.loss,
            sample=one.sample if setting.origin is not None else to_fit,
            repeats=class_ + constant * bool(setting.constant),
        )

    def _good_models(self) -> LinearRashomonSet:
        """The linear models within the slack, of the columns that are not constant."""
        setting = self.setting
        loss = default_loss(setting.algorithm) if self.loss is None else self.loss
        if loss is not squared_error:
            raise ValueError(
                f"The good models of a class are known exactly for least squares, with the squared "
                f"error; here the loss is {loss_in_words(None, loss)}. Measure a regressor with "
                f"squared_error."
            )
        coding, y = Coding(setting.X_fit), setting.y_fit
        if not coding.is_complete:
            raise ValueError(
                f"Every column must hold numbers, none of them missing, to be read by a linear "
                f"model; X has {coding.in_words()}. Fill or encode them first."
            )
        values = pd.DataFrame(coding.values, columns=list(setting.names))
        values = values.drop(columns=[*setting.constant])
        if values.empty:
            raise ValueError(
                f"Every column is constant ({shortened(setting.names)}), so that all good models "
                f"predict one number. Use rows that differ."
            )
        best = LinearRashomonSet(values, y, epsilon=0.0)
        return LinearRashomonSet(values, y, epsilon=self.slack * best.least_loss)


def _explained_in_words(model, row) -> str:
    """What is explained of a row; of many classes it is the predicted one, by name."""
    if len(getattr(model, "classes_", ())) <= 2:
        return output_in_words(model)
    (column,) = explained_columns(model, row)
    return f"the probability of class {model.classes_[column]} (predicted for this row)"


def _one_number(model, row) -> Callable:
    """What is explained of a table of rows: the prediction, or the probability of one class."""
    named = hasattr(model, "feature_names_in_") or not hasattr(model, "n_features_in_")

    def table(T):
        return handed_over(T if named else np.asarray(T))

    if not hasattr(model, "classes_") and are_numbers(answer_function(model)(table(row))):
        return lambda T: answer_function(model)(table(T)).astype(float).reshape(len(T))
    if not hasattr(model, "predict_proba"):
        raise TypeError(
            f"This {type(model).__name__} predicts classes and gives no probabilities, so that "
            f"there is no number to share out among the columns. Use one with predict_proba."
        )
    (column,) = explained_columns(model, row)
    return lambda T: answer_function(model, "predict_proba")(table(T))[:, column]
