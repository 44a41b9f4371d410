"""Fitting again: clones of an estimator, and what a result that fits models itself rests on."""

from copy import deepcopy

import numpy as np

from course_lib.models.columns import fresh_copy
from course_lib.results import how_many, rows_given
from course_lib.tables import handed_over
from course_lib.validation import global_state_kept, sklearn_seed


def refitted_words(n_rows: int, n_test: int | None) -> str:
    """The sample of a measure that fits models itself, in words."""
    if n_test is None:
        return f"{rows_given(n_rows)}, fitted to them too"
    return f"{how_many(n_test, 'test row')}, fitted to {how_many(n_rows, 'row')}"


def check_test_sample(X_test, y_test) -> None:
    """Raise if only one of the two was passed."""
    if (X_test is None) != (y_test is None):
        raise ValueError(
            "X_test and y_test belong together, got only one of them. Pass both, or neither to "
            "measure on the sample that is fitted."
        )


def check_clonable(estimator) -> None:
    """Raise unless `estimator` can be cloned and fitted again."""
    if isinstance(estimator, type) or not (
        hasattr(estimator, "get_params") and hasattr(estimator, "fit")
    ):
        raise TypeError(
            f"The model must be a scikit-learn estimator, so that it can be cloned and fitted "
            f"again, got {estimator!r}. Pass for example LinearRegression()."
        )


def seeds_of(estimator) -> dict:
    """The parameters, also of its parts, by which an estimator's chance is fixed."""
    parameters = estimator.get_params().items()
    return {name: of for name, of in parameters if name.split("__")[-1] == "random_state"}


def refit(estimator, X, y, rng: np.random.Generator):
    """A clone of `estimator` fitted to X and y; seeds that it leaves open are drawn from `rng`."""
    check_clonable(estimator)
    fresh = fresh_copy(estimator)
    open_seeds = [name for name, value in seeds_of(fresh).items() if value is None]
    fresh.set_params(**{name: sklearn_seed(rng) for name in open_seeds})
    with global_state_kept(sklearn_seed(deepcopy(rng))):  # rng itself is not advanced
        return fresh.fit(handed_over(X), y)
