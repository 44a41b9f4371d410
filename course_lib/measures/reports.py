"""Six questions about one sample, each with its measure, side by side: what a report needs.

The model is least squares and the loss the squared error, so that nothing is estimated by
shuffling (`004`). Only the fourth question needs rows that were not fitted to: it is cross-fitted.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from course_lib.measures.rashomon.sets import LinearRashomonSet
from course_lib.measures.reliance import conditional_model_reliance, model_reliance
from course_lib.measures.rounding import settled
from course_lib.questions import Q1, Q2, Q3, Q4, Q5, Q6
from course_lib.validation import (
    check_count,
    check_number,
    check_option,
    check_random_state,
    check_X_y,
    column_names,
)

AT_LEAST, AT_MOST = f"{Q5.key} at least", f"{Q5.key} at most"
ANSWERS = {  # what the variables are ranked by; the range of question 5 has two ends
    Q1.key: "model reliance",
    Q2.key: "conditional model reliance",
    Q3.key: "contribution to one prediction",
    Q4.key: "algorithm reliance, on rows that were not fitted to",
    AT_LEAST: "the least that a good model relies on it, MCR-",
    AT_MOST: "the most that a good model relies on it, MCR+",
    Q6.key: "the most that a good model relies on its unique part, CMCR+",
}
SENTENCES = {
    Q1.key: "Exchanging {feature} between the rows changes the squared error of this model by "
    "{value:+.3f}.",
    Q2.key: "Exchanging only the part of {feature} that the other columns cannot predict changes "
    "the squared error of this model by {value:+.3f}.",
    Q3.key: "For this one row, {feature} moves the prediction of this model by {value:+.3f} from "
    "the mean prediction.",
    Q4.key: "Least squares, fitted again without {feature}, has a squared error on rows it was not "
    "fitted to that differs by {value:+.3f}.",
    AT_LEAST: "There is a linear model within {slack} of the least squared error whose own error "
    "changes by {value:+.3f} when {feature} is exchanged, and none whose error {less}.",
    AT_MOST: "There is a linear model within {slack} of the least squared error whose own error "
    "changes by {value:+.3f} when {feature} is exchanged, and none whose error grows by more.",
    Q6.key: "There is a linear model within {slack} of the least squared error whose own error "
    "changes by {value:+.4f} when only the part of {feature} that the other columns cannot predict "
    "is exchanged, and none whose error grows by more.",
}


@dataclass(frozen=True, eq=False)
class Report:
    """Six answers about the same features of the same sample.

    Attributes
    ----------
    values : DataFrame of shape (n_features, 7)
        A column for each key of `ANSWERS`; those of Q3 have a sign.
    slack : float
        How much larger than the least error that of a good model may be, as a share.
    """

    values: pd.DataFrame
    slack: float

    @property
    def ranks(self) -> pd.DataFrame:
        """The place of each feature by each answer, 1 for the largest.

        Contributions (Q3) are ranked by size. Where the least reliance of a good model is not
        above 0, some good model does without the feature: all such features share the last place.
        What differs by rounding only shares its places, too.
        """
        sizes = self.values.assign(
            **{Q3.key: self.values[Q3.key].abs(), AT_LEAST: self.values[AT_LEAST].clip(lower=0)}
        )
        return sizes.apply(settled).rank(ascending=False, method="max").astype(int)

    def sentence(self, answer: str, feature: str) -> str:
        """What the measure of an answer, such as "Q4", allows one to say of a feature."""
        check_option(answer, "answer", tuple(ANSWERS))
        check_option(feature, "feature", tuple(self.values.index))
        value = self.values.loc[feature, answer]
        less = "falls further" if value < 0 else "grows by less"
        slack = f"{100 * self.slack:.3g} %"
        return SENTENCES[answer].format(feature=feature, value=value, less=less, slack=slack)


def six_answers(
    X, y, *, instance: int = 0, slack: float = 0.05, n_folds: int = 10, random_state=None
) -> Report:
    """Six measures of least squares on one sample, one for each question Q1 to Q6.

    Q1 e_switch - e_orig and Q2 e_chimera - e_orig of the fit; Q3 the contribution
    b_j (x_j - mean x_j) to the prediction for one row; Q4 the loss without j minus that with all,
    where every row is predicted by a model that was not fitted to it; Q5 the least and the most,
    and Q6 the most, of such differences among the linear models whose error is at most 1 + slack
    times the least. All but Q4 are exact. Cost: n p^2 for each feature and each fold.

    Parameters
    ----------
    X, y : the sample
    instance : int, default=0
        The row whose prediction Q3 is about, by position.
    slack : float above 0, default=0.05
    n_folds : int, default=10
        In how many parts the rows are divided for Q4; each is predicted from the others.
    random_state : int, Generator or None
        Divides the rows.

    Returns
    -------
    report : Report

    Examples
    --------
    A column that follows y closely, and one that does not matter: every answer puts x first.

    >>> X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "noise": [1.0, -1.0, -1.0, 1.0]})
    >>> y = X["x"] + [0.1, -0.3, 0.3, -0.1]
    >>> six_answers(X, y, n_folds=4).ranks.loc["x"].tolist()
    [1, 1, 1, 1, 1, 1, 1]
    """
    values, target = check_X_y(X, y, numeric_y=True, min_rows=4)
    slack = check_number(slack, "slack", minimum=0, strict=True)
    instance = check_count(instance, "instance", minimum=0, maximum=len(values) - 1)
    names = list(column_names(X))
    model = LinearRegression().fit(values, target)
    least = np.mean((target - model.predict(values)) ** 2)
    good = LinearRashomonSet(values, target, epsilon=slack * least)
    ranges = [good.model_class_reliance(j, as_ratio=False) for j in range(len(names))]
    unique = [good.conditional_model_class_reliance(j, as_ratio=False) for j in range(len(names))]
    found = {
        Q1.key: model_reliance(model, values, target, as_ratio=False).importances_mean,
        Q2.key: conditional_model_reliance(model, values, target, as_ratio=False).importances_mean,
        Q3.key: model.coef_ * (values[instance] - values.mean(axis=0)),
        Q4.key: cross_fitted_reliance(values, target, n_folds, random_state),
        AT_LEAST: [each.low for each in ranges],
        AT_MOST: [each.high for each in ranges],
        Q6.key: [each.high for each in unique],
    }
    return Report(pd.DataFrame(found, names), slack)


def cross_fitted_reliance(values, target, n_folds: int = 10, random_state=None) -> np.ndarray:
    """Loss of least squares without each column minus that with all, on rows not fitted to.

    The rows are divided at random into `n_folds` parts, and each is predicted by least squares
    fitted to the others, so that every row counts once. It is `algorithm_reliance`, fold by fold.
    """
    n, p = np.shape(values)
    n_folds = check_count(n_folds, "n_folds", minimum=2, maximum=n)
    folds = np.array_split(check_random_state(random_state).permutation(n), n_folds)
    errors = np.array([_held_out_errors(values, target, fold) for fold in folds]).sum(axis=0) / n
    return errors[:p] - errors[p]


def _held_out_errors(values, target, held_out) -> list[float]:
    """Sums of squared errors on the held-out rows: without each column, and last with all."""
    rest = np.delete(np.arange(len(target)), held_out)
    centre, level = values[rest].mean(axis=0), target[rest].mean()
    columns = np.arange(values.shape[1])
    errors = []
    for kept in (*(np.delete(columns, j) for j in columns), columns):
        seen, new = (values[rows][:, kept] - centre[kept] for rows in (rest, held_out))
        b = np.linalg.lstsq(seen, target[rest] - level, rcond=None)[0]
        errors.append(np.sum((target[held_out] - level - new @ b) ** 2))
    return errors
