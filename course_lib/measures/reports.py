"""Six questions about the same data, each with its measure, side by side: what a report needs.

The model is least squares and the loss the squared error, so that all six are exact (`004`).
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from course_lib.measures.rashomon.sets import LinearRashomonSet
from course_lib.measures.reliance import (
    algorithm_reliance,
    conditional_model_reliance,
    model_reliance,
)
from course_lib.questions import Q1, Q2, Q3, Q4, Q5, Q6
from course_lib.validation import (
    check_count,
    check_number,
    check_option,
    check_X_y,
    column_names,
)

ANSWERS = {
    Q1.key: "model reliance, on the test sample",
    Q2.key: "conditional model reliance, on the test sample",
    Q3.key: "contribution to one prediction",
    Q4.key: "algorithm reliance, on the test sample",
    Q5.key: "the most that a good model relies on it, MCR+",
    Q6.key: "the most that a good model relies on what only it knows, CMCR+",
}
SENTENCES = {
    Q1.key: "Exchanging {feature} between the test rows changes the squared error of this model "
    "by {value:+.3f}.",
    Q2.key: "Exchanging, between the test rows, only the part of {feature} that the other columns "
    "cannot tell changes the squared error of this model by {value:+.3f}.",
    Q3.key: "For this one row, {feature} moves the prediction of this model by {value:+.3f} from "
    "the mean prediction.",
    Q4.key: "Least squares, fitted again without {feature}, has a squared error on the test rows "
    "that differs by {value:+.3f}.",
    Q5.key: "Over all linear models within {slack:.0%} of the least training error, exchanging "
    "{feature} changes the error by no less than {floor:+.3f} and no more than {value:+.3f}.",
    Q6.key: "Over all linear models within {slack:.0%} of the least training error, exchanging "
    "what only {feature} knows changes the error by no less than {floor:+.3f} and no more than "
    "{value:+.3f}.",
}


@dataclass(frozen=True, eq=False)
class Report:
    """Six answers about the same features.

    Attributes
    ----------
    values : DataFrame of shape (n_features, 6)
        A column for each question, Q1 to Q6; those of Q3 have a sign, those of Q5 and Q6 are the
        upper ends of a range.
    floors : DataFrame of shape (n_features, 2)
        The lower ends of the ranges of Q5 and Q6.
    slack : float
        How much larger than the least training error that of a good model may be, as a share.
    """

    values: pd.DataFrame
    floors: pd.DataFrame
    slack: float

    @property
    def ranks(self) -> pd.DataFrame:
        """The place of each feature for each question, 1 the largest; contributions by size."""
        sizes = self.values.assign(Q3=self.values[Q3.key].abs())
        return sizes.rank(ascending=False, method="first").astype(int)

    @property
    def spread(self) -> pd.Series:
        """How many places lie between the best and the worst rank of each feature."""
        return self.ranks.max(axis=1) - self.ranks.min(axis=1)

    def sentence(self, question: str, feature: str) -> str:
        """What the measure of a question, such as "Q4", allows one to say of a feature."""
        check_option(question, "question", tuple(ANSWERS))
        check_option(feature, "feature", tuple(self.values.index))
        floor = self.floors[question][feature] if question in self.floors else np.nan
        return SENTENCES[question].format(
            feature=feature, value=self.values[question][feature], floor=floor, slack=self.slack
        )


def six_answers(X, y, X_test, y_test, *, instance: int = 0, slack: float = 0.05) -> Report:
    """Six exact measures of least squares, one for each question Q1 to Q6.

    Q1 e_switch - e_orig and Q2 e_chimera - e_orig of the model on the test sample; Q3 the
    contribution b_j (x_j - mean x_j) to the prediction for one test row; Q4 the test loss without
    j minus that with all; Q5 and Q6 the largest difference of each kind among the linear models
    whose training error is at most 1 + slack times the least. Cost: n p^2 for each feature.

    Parameters
    ----------
    X, y : the sample to fit to
    X_test, y_test : the sample to measure on, with the columns of X
    instance : int, default=0
        The test row whose prediction Q3 is about.
    slack : float above 0, default=0.05

    Returns
    -------
    report : Report

    Examples
    --------
    y = x exactly, and a column that does not matter: every answer puts x first.

    >>> X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "noise": [1.0, -1.0, -1.0, 1.0]})
    >>> y = X["x"] + [0.1, -0.3, 0.3, -0.1]
    >>> report = six_answers(X, y, X, y)
    >>> report.ranks.loc["x"].tolist()
    [1, 1, 1, 1, 1, 1]
    """
    values, target = check_X_y(X, y, numeric_y=True, min_rows=2)
    test, _ = check_X_y(X_test, y_test, numeric_y=True, min_rows=2)
    slack = check_number(slack, "slack", minimum=0, strict=True)
    instance = check_count(instance, "instance", minimum=0, maximum=len(test) - 1)
    names = list(column_names(X))
    if names != list(column_names(X_test)):
        raise ValueError(
            f"X_test has other columns than X ({', '.join(names)}). "
            f"Pass the same columns in the same order."
        )
    model = LinearRegression().fit(X, target)
    least = np.mean((target - model.predict(X)) ** 2)
    good = LinearRashomonSet(X, target, epsilon=slack * least)
    refit = partial(algorithm_reliance, LinearRegression(), X, target, as_ratio=False)
    answers = {
        Q1.key: model_reliance(model, X_test, y_test, as_ratio=False).importances_mean,
        Q2.key: conditional_model_reliance(model, X_test, y_test, as_ratio=False).importances_mean,
        Q3.key: model.coef_ * (test[instance] - values.mean(axis=0)),
        Q4.key: refit(X_test=X_test, y_test=y_test).importances_mean,
    }
    ranges = {
        Q5.key: [good.model_class_reliance(name, as_ratio=False) for name in names],
        Q6.key: [good.conditional_model_class_reliance(name, as_ratio=False) for name in names],
    }
    highs = {key: [each.high for each in found] for key, found in ranges.items()}
    lows = {key: [each.low for each in found] for key, found in ranges.items()}
    return Report(pd.DataFrame(answers | highs, names), pd.DataFrame(lows, names), slack)
