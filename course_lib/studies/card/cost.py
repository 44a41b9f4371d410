"""What a card will cost, by the time of one prediction, one draw and one fit."""

from time import perf_counter

import numpy as np

from course_lib.measures.refitting import refit
from course_lib.models.wrappers import linear_coefficients
from course_lib.questions import Q1, Q2, Q3, Q4, Question
from course_lib.studies.card.answers import BACKGROUND, FEW, MAX_EXACT, N_ORDERS, Answers
from course_lib.studies.card.setting import take
from course_lib.tables import answer_function

ROWS_AT_ONCE = 5000  # a prediction of many rows costs less for each


def expected_seconds(answers: Answers, asked: list[Question], n_halves: int) -> float:
    """A rough number: predictions of rows, and fits; one to half of the rows takes half as long."""
    n, p = len(answers.setting.y), len(answers.setting.names)
    shuffled = n * p * (answers.n_repeats + n_halves * FEW / 2)
    coalitions = 2**p if p <= MAX_EXACT else p * N_ORDERS
    rows = shuffled * (Q1 in asked) + shuffled * (Q2 in asked)
    rows += coalitions * BACKGROUND * (Q3 in asked)
    seconds = rows * _prediction(answers)
    if Q2 in asked:
        seconds += p * answers.seconds_of_a_draw()
    n_fits = n_halves + (p + 1) * (len(answers.setting.splits) + n_halves / 2) * (Q4 in asked)
    return seconds + n_fits * _fit(answers)


def _prediction(answers: Answers) -> float:
    """Seconds for one row among many; a linear model costs next to nothing."""
    model, X = answers.setting.algorithm, answers.setting.X
    if linear_coefficients(model) is not None:
        return 0.0
    rows = np.resize(np.arange(len(X)), max(len(X), ROWS_AT_ONCE))
    table = take(X, rows)
    named = hasattr(model, "feature_names_in_") or not hasattr(model, "n_features_in_")
    start = perf_counter()
    answer_function(model)(table if named else np.array(table))
    return (perf_counter() - start) / len(rows)


def _fit(answers: Answers) -> float:
    """Seconds for one fit, 0 for what cannot be fitted again."""
    setting = answers.setting
    fitted, _ = setting.splits[0]
    start = perf_counter()
    try:
        refit(
            setting.algorithm,
            take(setting.X_fit, fitted),
            setting.y_fit[fitted],
            np.random.default_rng(0),
        )
    except (TypeError, ValueError):  # refused when the question is asked
        return 0.0
    return perf_counter() - start
