"""What a card is asked to take: refusals that say what was given, what is right, what to do."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype
from sklearn.base import BaseEstimator, is_clusterer, is_outlier_detector

from course_lib.measures.refitting import check_clonable
from course_lib.measures.scrambling import as_table
from course_lib.models.losses import absolute_error, classifies, loss_in_words, squared_error
from course_lib.tables import NUMBERS, Coding
from course_lib.validation import check_fitted, check_y, shortened

MANY = 20  # different numbers, for which nobody means classes if some of them occur once


def check_model(model) -> bool:
    """Whether the model is fitted; raise if it is nothing that predicts a target."""
    if isinstance(model, BaseEstimator) and (is_clusterer(model) or is_outlier_detector(model)):
        what = "clusters" if is_clusterer(model) else "which rows are outliers"
        raise TypeError(
            f"{type(model).__name__} predicts {what}, which y says nothing about, so that there is "
            f"no loss to measure. Pass a regressor or a classifier."
        )
    try:
        check_fitted(model, ("predict", "predict_proba"))
    except ValueError:
        check_clonable(model)
        return False
    return True


def check_sample(model, X, y, loss, *, min_rows: int, names=("X", "y")) -> tuple:
    """The table as it is and the target as an array, of numbers if the model predicts numbers."""
    X = as_table(X, min_rows=min_rows, name=names[0])
    Coding(X, name=names[0])  # refuses infinities, in all rows
    y = check_y(y, len(X), name=names[1], of=names[0])
    if classifies(model) or y.dtype.kind in "biuf":
        return X, y
    kind = infer_dtype(y)
    if kind in NUMBERS:
        return X, y.astype(float)
    if loss in (None, squared_error, absolute_error):
        held = "text" if kind == "string" else "no numbers"
        raise TypeError(f"{names[1]} holds {held} ({y.tolist()[0]!r}, ...), {_but(model, loss)}")
    return X, y


def _but(model, loss) -> str:
    """Why a target that holds no numbers cannot be, and what to do."""
    name = type(model).__name__
    if hasattr(model, "get_params"):
        return f"but {name} predicts numbers. Pass numbers, or a classifier."
    default = ", the default for a model without classes_," if loss is None else ""
    return (
        f"but {loss_in_words(model, loss)}{default} is of numbers. If {name} predicts classes, "
        f"pass loss=zero_one from course_lib.models; if it predicts numbers, pass those."
    )


def check_classes(y: np.ndarray, *, cross_fitted: bool) -> None:
    """Raise if an algorithm cannot learn to tell the classes of y apart."""
    counts = pd.Series(y).value_counts()
    if len(counts) == 1:
        raise ValueError(
            f"y has the class {_label(counts)} in all {len(y):,} rows; a classifier needs two or "
            f"more. Check how the rows were selected."
        )
    if counts.min() > 1:
        return
    if y.dtype.kind in "iuf" and len(counts) > MANY:
        raise ValueError(
            f"y has {len(counts):,} different numbers for {len(y):,} rows; a classifier needs few "
            f"classes. Use a regressor, or make classes of the numbers."
        )
    if cross_fitted:
        raise ValueError(
            f"Class {_label(counts[counts == 1])} has 1 row; cross-fitting needs at least 2 of "
            f"each class, to fit to one and to measure on another. Join it with another class, or "
            f"drop it."
        )


def check_varies(y: np.ndarray) -> None:
    """Raise if there is nothing to predict, since y is the same number in all rows."""
    if y.dtype.kind in "biuf" and (y == y[0]).all():
        raise ValueError(
            f"y is {y[0]:g} in all {len(y):,} rows, so that there is nothing to predict. Check how "
            f"the rows were selected."
        )


def _label(counts: pd.Series) -> str:
    return repr(counts.index.tolist()[0])


def check_words(text, name: str) -> None:
    """Raise if `text` is given and says nothing in words."""
    if text is not None and not (isinstance(text, str) and text.strip()):
        raise TypeError(
            f"{name} must say in words what the rows are, got {text!r}. Pass for example "
            f"'held-out rows'."
        )


def differing(names: Sequence[str], wanted: Sequence[str]) -> str:
    """How a list of columns differs from another.

    >>> differing(["a", "b", "d"], ["a", "b", "c"]), differing(["b", "a"], ["a", "b"])
    ('it lacks c and has d besides', 'they are in another order')
    """
    lacks, more = (
        [n for n in one if n not in other] for one, other in ((wanted, names), (names, wanted))
    )
    parts = [f"lacks {shortened(lacks)}"] * bool(lacks) + [f"has {shortened(more)} besides"] * bool(
        more
    )
    return f"it {' and '.join(parts)}" if parts else "they are in another order"
