"""Losses: one value per row, so that a mean, a spread and a comparison by row all stay possible."""

from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.base import is_classifier

from course_lib.tables import response_function
from course_lib.validation import are_numbers, shortened

ROUNDING = 1e-6  # by which a probability may miss 0 or 1
Loss = Callable[[np.ndarray, np.ndarray], np.ndarray]


def squared_error(y, prediction) -> np.ndarray:
    """(y - prediction) squared, row by row.

    >>> squared_error([1.0, 2.0], [1.0, 4.0])
    array([0., 4.])
    """
    return _error(y, prediction) ** 2


def absolute_error(y, prediction) -> np.ndarray:
    """Distance between y and the prediction, row by row."""
    return np.abs(_error(y, prediction))


def _error(y, prediction) -> np.ndarray:
    """y - prediction, of numbers of the same shape."""
    try:
        y, prediction = (_as_numbers(of) for of in (y, prediction))
    except (TypeError, ValueError):
        raise TypeError(
            "An error is a difference of numbers, but y or the prediction holds something else. "
            "For classes use another loss, such as zero_one or cross_entropy; numbers that were "
            "read as text become numbers with y.astype(float)."
        ) from None
    if y.shape != prediction.shape:
        raise ValueError(
            f"An error needs one prediction per target, got shapes {y.shape} and "
            f"{prediction.shape}. Use a model with a single target."
        )
    return y - prediction


def _as_numbers(values) -> np.ndarray:
    """Values as floats; text that could be read as numbers is no number, nor is a date."""
    values = np.asarray(values)
    if _has_text(values) or values.dtype.kind not in "biufO":
        raise TypeError
    return values.astype(float, copy=False)


def _has_text(values: np.ndarray) -> bool:
    if values.dtype == object:
        return any(isinstance(one, str | bytes) for one in values.flat)
    return values.dtype.kind in "US"


def zero_one(y, prediction) -> np.ndarray:
    """1 where the predicted class is wrong, else 0; its mean is 1 - accuracy.

    >>> zero_one(["a", "b"], ["a", "a"])
    array([0., 1.])
    """
    y, prediction = np.asarray(y), np.asarray(prediction)
    if y.size and prediction.size and _has_text(y) != _has_text(prediction):
        raise TypeError(
            f"Text never equals a number, but one of y ({y.flat[0]!r}, ...) and the predicted "
            f"classes ({prediction.flat[0]!r}, ...) is text. Give y as the model was fitted to it."
        )
    return (y != prediction).astype(float)


def cross_entropy(y, probabilities, classes=None) -> np.ndarray:
    """-ln of the probability given to the true class, row by row, in nats.

    `probabilities` has one column per class, in the order of `classes` (default: the sorted
    values of y). A probability of 0 counts as the smallest step of a float, as in scikit-learn.

    >>> cross_entropy([0, 1], [[0.5, 0.5], [0.0, 1.0]]).round(3) + 0.0
    array([0.693, 0.   ])
    """
    y, probabilities = np.asarray(y), np.asarray(probabilities, dtype=float)
    classes = np.unique(y) if classes is None else np.asarray(classes)
    if probabilities.shape != (len(y), len(classes)):
        raise ValueError(
            f"cross_entropy needs one probability per row and class, shape "
            f"{(len(y), len(classes))}, got {probabilities.shape}. Pass predict_proba's answer, "
            f"and classes=model.classes_ if y lacks some class."
        )
    order = np.argsort(classes)
    column = order[np.searchsorted(classes, y, sorter=order).clip(max=len(classes) - 1)]
    unknown = classes[column] != y
    if unknown.any():
        raise ValueError(
            f"y has the class {y[unknown].tolist()[0]!r}, which the model has never seen; it knows "
            f"{shortened(classes)}. Evaluate it on rows of those classes."
        )
    given, tiny = probabilities[np.arange(len(y)), column], np.finfo(float).eps
    if ((given < -ROUNDING) | (given > 1 + ROUNDING)).any():
        raise ValueError(
            f"Probabilities lie between 0 and 1, got numbers from {given.min():g} to "
            f"{given.max():g}. Pass what predict_proba answers, no logarithms, scores or percents."
        )
    return -np.log(np.clip(given, tiny, 1.0))


cross_entropy.response_method = "predict_proba"

squared_error.in_words = "mean squared error"
absolute_error.in_words = "mean absolute error"
zero_one.in_words = "share of wrong classes"
cross_entropy.in_words = "mean cross-entropy (nats)"


OWN = (squared_error, absolute_error, zero_one, cross_entropy)


def default_loss(model) -> Loss:
    """Cross-entropy for a classifier that gives probabilities, squared error for all else."""
    if not classifies(model):
        return squared_error
    return cross_entropy if hasattr(model, "predict_proba") else zero_one


def classifies(model) -> bool:
    """Whether a model predicts classes; one that is not scikit-learn's says so by `classes_`."""
    return is_classifier(model) if hasattr(model, "get_params") else hasattr(model, "classes_")


def loss_in_words(model, loss: Loss | None = None) -> str:
    """The name of a mean loss, as a result shows it; a function of the reader's own has its name.

    >>> from sklearn.linear_model import LinearRegression
    >>> loss_in_words(LinearRegression()), loss_in_words(None, lambda y, prediction: y)
    ('mean squared error', 'the loss given')
    """
    loss = default_loss(model) if loss is None else loss
    while isinstance(loss, partial):
        loss = loss.func
    if words := getattr(loss, "in_words", None):
        return words
    name = getattr(loss, "__name__", type(loss).__name__)
    return "the loss given" if name == "<lambda>" else f"mean {name}"


def row_loss(model, X, loss: Loss | None = None) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """A function (values, y) -> one loss per row, of `model` on tables with the columns of X."""
    rows, method = prediction_loss(model, loss)
    respond = response_function(model, X, method)
    return lambda values, y: rows(y, respond(values))


def prediction_loss(model, loss: Loss | None = None) -> tuple[Loss, str]:
    """The loss (y, prediction) -> one checked value per row, and the method that predicts."""
    if loss is None:
        loss = default_loss(model)
    if not callable(loss):
        raise TypeError(
            f"loss must be a function loss(y, prediction) with one value per row, got {loss!r}. "
            f"Take one from course_lib.models, for example squared_error."
        )
    method = getattr(loss, "response_method", "predict")
    if not isinstance(method, str):
        raise TypeError(
            f"response_method of a loss must be the name of one method, got {method!r}. Set for "
            f'example loss.response_method = "predict_proba".'
        )
    if loss is cross_entropy:
        loss = partial(cross_entropy, classes=getattr(model, "classes_", None))
    return partial(checked_rows, loss), method


def checked_rows(loss: Loss, y: np.ndarray, prediction: np.ndarray) -> np.ndarray:
    """loss(y, prediction), refused unless it is one finite number per row.

    A loss of the reader's own gets copies, since it may work in place.
    """
    if getattr(loss, "func", loss) not in OWN:
        y, prediction = np.array(y), np.array(prediction)
    rows = np.asarray(loss(y, prediction))
    if rows.dtype.kind not in "biuf" and (rows.dtype.kind != "O" or not are_numbers(rows)):
        raise TypeError(
            f"The loss must give one number per row, but gave {rows.dtype}. Return the losses of "
            f"the rows as floats."
        )
    rows = rows.astype(float, copy=False)
    if rows.shape != (len(y),):
        raise ValueError(
            f"The loss must give one value per row, shape {(len(y),)}, but gave shape "
            f"{rows.shape}. Return the losses of the rows, not their mean."
        )
    if not np.isfinite(rows).all():
        raise ValueError(
            f"The loss of {int((~np.isfinite(rows)).sum())} rows is NaN or infinite; means over "
            f"them would be too. Check the predictions, or bound the loss."
        )
    return rows
