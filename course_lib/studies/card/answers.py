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
from course_lib.models.losses import default_loss, loss_in_words, squared_error
from course_lib.models.wrappers import explained_columns, output_in_words
from course_lib.questions import Q1, Q2, Q3, Q4, Q5, Q6, Question
from course_lib.results import Importances, how_many
from course_lib.studies.card.setting import Setting, take
from course_lib.tables import Coding
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

    def __init__(self, setting: Setting, *, loss, n_repeats, slack, seed):
        self.setting, self.loss, self.n_repeats = setting, loss, n_repeats
        self.slack, self.seed = slack, seed

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

    def seconds_of_a_draw(self) -> float:
        """What it takes to learn one column from the others and to draw it; it is learnt once."""
        start = perf_counter()
        rest = list(range(1, len(self.setting.names)))
        self.sampler.sample(self.setting.X, [0], rest, random_state=0)
        return perf_counter() - start

    def to_prediction(self) -> Importances:
        """Q3: Shapley values of the marginal game about one row."""
        setting, n = self.setting, len(self.setting.names)
        model, row, position = setting.explained
        rng = np.random.default_rng(self.seed)
        around = np.sort(rng.permutation(len(setting.y))[:BACKGROUND])
        background = take(setting.X, around)
        x = row.iloc[0] if isinstance(row, pd.DataFrame) else row[0]
        game = prediction_game(_one_number(model, row), x, background)
        over = f"over {how_many(len(around), 'background row')}"
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
            loss=output_in_words(model),
            sample=f"row {position} of the {setting.n_given:,} {setting.kind}",
            repeats=repeats,
            covers="the orders",
        )

    def to_algorithm(self) -> Importances:
        """Q4: algorithm reliance, as a difference, with one column for each row measured on."""
        setting = self.setting
        check_clonable(setting.algorithm)
        increases = np.empty((len(setting.names), len(setting.y)))
        for fitted, measured in setting.splits:
            with_all, without, _ = losses_without(
                setting.algorithm,
                take(setting.X_fit, fitted),
                setting.y_fit[fitted],
                X_test=take(setting.X, measured),
                y_test=setting.y[measured],
                loss=self.loss,
                random_state=self.seed,
            )
            increases[:, measured] = without - with_all
        n_splits = len(setting.splits)
        others = setting.kind if n_splits == 1 else "cross-fitted rows"
        return Importances(
            increases,
            setting.names,
            "algorithm reliance  loss without it - loss with all",
            Q4,
            loss=loss_in_words(setting.algorithm, self.loss),
            sample=setting.rows_called(others),
            repeats=f"{how_many(n_splits, 'fit')} without each column",
            covers="the drawing of the rows",
        )

    def to_good_models(self) -> Results:
        """Q5: model class reliance of the linear models within the slack, as differences."""
        good, names = self._good_models()
        ranges = [good.model_class_reliance(name, as_ratio=False) for name in names]
        ends = {AT_LEAST: [one.low for one in ranges], AT_MOST: [one.high for one in ranges]}
        return {key: _exact(values, ranges[0], names) for key, values in ends.items()}

    def unique_to_good_models(self) -> Importances:
        """Q6: the upper end of conditional model class reliance."""
        good, names = self._good_models()
        ranges = [good.conditional_model_class_reliance(name, as_ratio=False) for name in names]
        return _exact([one.high for one in ranges], ranges[0], names)

    def _good_models(self) -> tuple[LinearRashomonSet, tuple[str, ...]]:
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
        best = LinearRashomonSet(values, y, epsilon=0.0)
        good = LinearRashomonSet(values, y, epsilon=self.slack * best.least_loss)
        return good, setting.names


def _exact(values, one_range, names) -> Importances:
    """One end of the ranges of all columns, as importances."""
    said = {"loss": one_range.loss, "sample": one_range.sample, "repeats": one_range.repeats}
    columns = np.array(values)[:, np.newaxis]
    return Importances(columns, names, one_range.measure, one_range.question, **said)


def _one_number(model, row) -> Callable:
    """What is explained of a table of rows: the prediction, or the probability of one class."""
    named = hasattr(model, "feature_names_in_") or not hasattr(model, "n_features_in_")

    def table(T):
        return T if named else np.asarray(T)

    if not hasattr(model, "classes_"):
        return lambda T: np.asarray(model.predict(table(T)), dtype=float).reshape(len(T))
    if not hasattr(model, "predict_proba"):
        raise TypeError(
            f"This {type(model).__name__} predicts classes and gives no probabilities, so that "
            f"there is no number to share out among the columns. Use one with predict_proba."
        )
    (column,) = explained_columns(model, row)
    return lambda T: model.predict_proba(table(T))[:, column]
