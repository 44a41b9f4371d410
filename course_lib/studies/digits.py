"""Forests that read the 8 x 8 digits, and what three local measures say of every pixel.

The forests are Extra-Trees of scikit-learn, as in figures 2 and 3 of Sutera et al. (2021), with
fewer trees so that Tree SHAP takes seconds and not minutes.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import train_test_split

from course_lib.measures.attribution.tree_shap import tree_shap
from course_lib.measures.forests.mdi import local_mdi, saabas
from course_lib.validation import check_X_y
from course_lib.worlds.datasets import make_led

KS = (1, 8, 64)  # 1, the square root of p, p
N_TREES, N_IMAGES = 150, 6  # in a forest; of each digit, held out


def agreement(first, second) -> np.ndarray:
    """Correlation, for each row, of the sizes |values| that two measures give the features.

    Parameters
    ----------
    first, second : arrays of shape (n_samples, n_features)

    Examples
    --------
    The signs do not matter, the sizes do.

    >>> agreement([[1, 2, 3], [1, 2, 3]], [[-2, 4, -6], [3, 2, 1]]).round(3)
    array([ 1., -1.])
    """
    a, b = (abs(np.asarray(values, dtype=float)) for values in (first, second))
    a, b = (size - size.mean(axis=1, keepdims=True) for size in (a, b))
    return (a * b).sum(axis=1) / np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))


@dataclass(frozen=True, eq=False)
class Explained:
    """Images, what a forest reads in them, and what three measures say of every pixel."""

    images: np.ndarray  # (n_images, n_pixels), as the three measures
    digits: np.ndarray  # the true ones
    read: np.ndarray  # the predicted ones
    certainty: np.ndarray  # the forest's probability of the predicted digit
    local: np.ndarray
    saabas: np.ndarray
    shap: np.ndarray

    @property
    def values(self) -> dict[str, np.ndarray]:
        """The three measures by name."""
        return {"local MDI": self.local, "Saabas": self.saabas, "tree SHAP": self.shap}

    @property
    def agreements(self) -> dict[str, np.ndarray]:
        """The agreement of each pair of measures on each image."""
        return {
            "local MDI, tree SHAP": agreement(self.local, self.shap),
            "local MDI, Saabas": agreement(self.local, self.saabas),
            "Saabas, tree SHAP": agreement(self.saabas, self.shap),
        }


def explain(forest, images, digits) -> Explained:
    """Local MDI, Saabas and path-dependent Tree SHAP of images; the latter two of the digit read.

    Parameters
    ----------
    forest : fitted classifier, a forest of scikit-learn
    images : array of shape (n_images, n_pixels)
    digits : array of shape (n_images,)
        The true classes.
    """
    images, digits = check_X_y(images, digits)
    probabilities = forest.predict_proba(images)
    read = forest.classes_[probabilities.argmax(axis=1)]
    explained = [measure(forest, images).values for measure in (local_mdi, saabas, tree_shap)]
    return Explained(images, digits, read, probabilities.max(axis=1), *explained)


@cache
def digit_images() -> tuple[np.ndarray, ...]:
    """The 8 x 8 digits in two halves: training images, held-out images, and the two targets."""
    X, y = load_digits(return_X_y=True)
    return tuple(train_test_split(X, y, test_size=0.5, stratify=y, random_state=0))


@cache
def digit_forest(K: int) -> ExtraTreesClassifier:
    """150 Extra-Trees on the training images, K pixels drawn at each node, entropy in bits."""
    train, _, y_train, _ = digit_images()
    forest = ExtraTreesClassifier(N_TREES, max_features=K, criterion="entropy", random_state=0)
    return forest.fit(train, y_train)


@cache
def explained_digits(K: int, *, seen: bool = False) -> Explained:
    """The first images of every digit, explained in the forest with this K.

    Six held-out images of each, one digit after the other; or three training images, if `seen`.
    """
    train, held_out, y_train, y_held_out = digit_images()
    images, digits = (train, y_train) if seen else (held_out, y_held_out)
    n_each = N_IMAGES // 2 if seen else N_IMAGES
    rows = first_of_each(digits, n_each)
    return explain(digit_forest(K), images[rows], digits[rows])


@cache
def explained_display(K: int, digit: int, n_trees: int = 300) -> Explained:
    """One digit of the seven-segment display, explained in Extra-Trees on all ten, as in figure 3.

    Examples
    --------
    >>> round(float(explained_display(1, digit=2, n_trees=10).local.sum()), 3)
    3.322
    """
    X, y = (table.to_numpy() for table in make_led())
    options = {"max_features": K, "criterion": "entropy", "random_state": 0}
    forest = ExtraTreesClassifier(n_trees, **options).fit(X, y)
    return explain(forest, X[[digit]], y[[digit]])


def first_of_each(digits, n_each: int) -> np.ndarray:
    """The rows of the first images of every digit, one digit after the other.

    >>> first_of_each([*range(10), 0], 2).tolist()
    [0, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    return np.concatenate([np.flatnonzero(np.asarray(digits) == d)[:n_each] for d in range(10)])


def agreements_by_digit(K: int, measure: str) -> np.ndarray:
    """Agreement of local MDI and another measure on each held-out image, a row for each digit."""
    return explained_digits(K).agreements[f"local MDI, {measure}"].reshape(10, N_IMAGES)
