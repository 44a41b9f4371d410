"""Which feature moved one prediction: the games that a model's predictions play.

All of them start at what is predicted without knowing x and end at the prediction for x. They
differ in what they put in the place of a feature that is not known.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from course_lib.measures.attribution.tree_games import in_order, one_row
from course_lib.models.games import BatchGame
from course_lib.tables import Coding, response_function
from course_lib.validation import check_option


def prediction_game(predict: Callable, x, background, *, removal: str = "marginal") -> BatchGame:
    """The game in which features S are worth the mean prediction when only x_S is known.

    marginal:     v(S) = mean of f(x_S, b_rest)  over all rows b of the background
    conditional:  v(S) = mean of f(b)  over the rows b that equal x on S

    The Shapley values of the marginal game are what Kernel SHAP estimates and interventional
    Tree SHAP computes; no tree shape matters. The conditional game can also credit features
    that the model does not read but that tell about those it reads.

    Parameters
    ----------
    predict : callable
        Takes a table with the columns of `background`, gives one number per row: `model.predict`,
        or for the probability of a class ``lambda X: model.predict_proba(X)[:, 1]``.
    x : array-like of shape (n_features,)
        The row to explain.
    background : DataFrame or array of shape (n_rows, n_features)
    removal : "marginal" (default) or "conditional"
        The conditional game refuses a coalition on which no background row equals x.

    Returns
    -------
    v : callable
        frozenset of positions -> float. v(all) = f(x), v(none) = mean prediction. The marginal
        game costs n_rows predictions for each coalition, the conditional one n_rows in all.

    References
    ----------
    `001` section on SHAP; `000` section 5.

    Examples
    --------
    f(x) = x0 at (1, 1), the second column a copy that f does not read:

    >>> from course_lib.measures import shapley_values
    >>> copies, first = [[0, 0], [1, 1]], lambda X: X[:, 0]
    >>> shapley_values(prediction_game(first, [1, 1], copies), 2)
    array([0.5, 0. ])
    >>> shapley_values(prediction_game(first, [1, 1], copies, removal="conditional"), 2)
    array([0.25, 0.25])
    """
    check_option(removal, "removal", ("marginal", "conditional"))
    coding = Coding(background)
    rows, x = coding.values, _row_like(x, background, coding)
    respond = _number_per_row(predict, background, coding)

    def marginal(members: np.ndarray) -> np.ndarray:
        mixed = np.where(members[:, np.newaxis], x, rows)  # (coalitions, rows, features)
        return respond(mixed.reshape(-1, len(x))).reshape(len(members), -1).mean(axis=1)

    if removal == "marginal":
        return BatchGame(marginal, len(x), size=rows.size)
    same = (rows == x) | (np.isnan(rows) & np.isnan(x))
    differs, prediction = (~same).astype(float), respond(rows)

    def conditional(members: np.ndarray) -> np.ndarray:
        alike = members.astype(float) @ differs.T == 0  # (coalitions, rows)
        n_alike = alike.sum(axis=1)
        if not n_alike.all():
            S = np.flatnonzero(members[np.argmin(n_alike)])
            raise ValueError(
                f"No background row equals x on {', '.join(names[j] for j in S)}, so there is "
                f"nothing to condition on. Add x to the background, group values into bins, or "
                f"use removal='marginal'."
            )
        return alike @ prediction / n_alike

    names = coding.names
    return BatchGame(conditional, len(x), size=rows.size)


def _row_like(x, table, coding: Coding) -> np.ndarray:
    """The codes of one row x with the columns of a table, by name if both have names."""
    x = in_order(x, list(table.columns) if isinstance(table, pd.DataFrame) else [])
    if coding.is_complete:
        return one_row(x, len(coding.names))
    if isinstance(x, pd.DataFrame):
        x = x.astype(object)  # or a float may round the whole numbers beside it
    row = np.reshape(np.asarray(x, dtype=object), (1, -1))
    if row.shape[1] != len(coding.names):
        raise ValueError(
            f"x must be one row with {len(coding.names)} values, one for each column of the "
            f"background, got {row.shape[1]}. Pass for example background.iloc[0]."
        )
    return coding.encode_columns(row, range(len(coding.names)))[0]


def _number_per_row(predict, table, coding: Coding) -> Callable[[np.ndarray], np.ndarray]:
    """`predict`, fed the kind of table it knows, and refused unless it gives numbers."""
    if not callable(predict):
        raise TypeError(
            f"predict must be a function from a table to one number per row, got "
            f"{type(predict).__name__}. Pass model.predict, say."
        )
    model = getattr(predict, "__self__", None)
    if hasattr(model, "fit") and hasattr(model, getattr(predict, "__name__", "")):
        respond = response_function(model, table, predict.__name__, coding)
    else:

        def respond(rows):
            return predict(coding.decode(rows))

    def numbers(rows: np.ndarray) -> np.ndarray:
        answer = np.asarray(respond(rows))
        if answer.shape != (len(rows),) or answer.dtype.kind not in "biuf":
            raise ValueError(
                f"predict must give one number per row, shape {(len(rows),)}, got shape "
                f"{answer.shape} of {answer.dtype}. For a classifier choose one class: "
                f"lambda X: model.predict_proba(X)[:, 1]."
            )
        if not np.isfinite(answer).all():
            raise ValueError(
                "predict gave NaN or infinity for some rows; means over them would be too. "
                "Check the model on the background."
            )
        return answer.astype(float)

    return numbers
