"""Look at one image of a digit: what local MDI says of its pixels, and what another measure says.

The forests are Extra-Trees of scikit-learn on the 8 x 8 digits, as in figures 2 and 3 of Sutera et
al. (2021), with fewer trees so that Tree SHAP takes seconds and not minutes.
"""

from dataclasses import dataclass
from functools import cache

import ipywidgets as widgets
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import train_test_split

from course_lib.measures.attribution.tree_games import tree_shap
from course_lib.measures.forests.mdi import local_mdi, saabas
from course_lib.plots.closeups import colour_pixels, draw_image, draw_pixels
from course_lib.plots.style import BLUE, GREEN, GREY
from course_lib.validation import check_X_y
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene

KS = (1, 8, 64)  # 1, the square root of p, p
N_TREES, N_IMAGES = 150, 6  # in a forest; of each digit in the widget
OTHERS = {"tree SHAP": "shap", "Saabas": "saabas"}
LOWEST = 0.2  # of the axis of agreement


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
    shap = np.empty(images.shape)
    for digit in np.unique(read):  # Tree SHAP explains one class at a time
        shap[read == digit] = tree_shap(forest, images[read == digit], output=digit).values
    local, moved = local_mdi(forest, images).values, saabas(forest, images).values
    return Explained(images, digits, read, probabilities.max(axis=1), local, moved, shap)


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
    rows = np.concatenate([np.flatnonzero(digits == d)[:n_each] for d in range(10)])
    return explain(digit_forest(K), images[rows], digits[rows])


def _agreements(K: int, measure: str) -> np.ndarray:
    """Agreement of local MDI and the other measure on each image, a row for each digit."""
    return explained_digits(K).agreements[f"local MDI, {measure}"].reshape(10, N_IMAGES)


class LocalScene(Scene):
    """Above the image and two measures of its pixels, below the agreement on all images."""

    size = (6.4, 4.7)

    def draw(self, figure):
        above, below = figure.subfigures(2, 1, height_ratios=(1.2, 1))
        image, local, other = above.subplots(1, 3)
        self.image, self.local, self.other = (
            draw_image(image),
            draw_pixels(local),
            draw_pixels(other),
        )
        local.set_title("local MDI", loc="center")
        self.titles = [ax.set_title("", loc="center") for ax in (image, other)]
        strip = below.subplots()
        strip.set(xlim=(-0.6, 9.6), ylim=(LOWEST, 1.09), xticks=range(10), yticks=(0.4, 0.7, 1))
        strip.set(xlabel="digit, six held-out images of each", ylabel="agreement")
        self.x = np.arange(10)[:, np.newaxis] + np.linspace(-0.3, 0.3, N_IMAGES)
        (self.dots,) = strip.plot(self.x.flat, 0 * self.x.flat[:], "o", color=BLUE, markersize=6)
        self.dots.set(linestyle="none", markerfacecolor="none")
        self.rule = strip.axhline(1, color=GREY, linewidth=1.2, linestyle="-")
        (self.here,) = strip.plot([0], [1], "D", color=GREEN, markersize=10, zorder=4)
        ranks = [*self.local[1], *self.other[1]]
        panels = [self.image, self.local[0], self.other[0]]
        return [*panels, *ranks, *self.titles, self.rule, self.dots, self.here]

    def update(self, digit, image, K, measure):
        shown, row = explained_digits(K), digit * N_IMAGES + image - 1
        agreements = _agreements(K, measure)
        self.image.set_data(shown.images[row].reshape(8, 8))
        colour_pixels(self.local, shown.local[row])
        colour_pixels(self.other, getattr(shown, OTHERS[measure])[row])
        self.titles[0].set_text(f"digit {digit}, read as {shown.read[row]}")
        self.titles[1].set_text(measure)
        self.dots.set_ydata(agreements.ravel())
        self.here.set_data([self.x[digit, image - 1]], [agreements[digit, image - 1]])


def _readout(digit: int, image: int, K: int, measure: str) -> str:
    shown, row = explained_digits(K), digit * N_IMAGES + image - 1
    agreements = _agreements(K, measure)
    return (
        f"image {image} of digit {digit}, K = {K}: {shown.certainty[row]:.0%} of the trees read a "
        f"{shown.read[row]}\n"
        f"agreement of local MDI and {measure}: {agreements[digit, image - 1]:.2f}; on all "
        f"{agreements.size} images from {agreements.min():.2f} to {agreements.max():.2f}, "
        f"mean {agreements.mean():.2f}"
    )


def _alt(digit: int, image: int, K: int, measure: str) -> str:
    return (
        f"An image of the digit {digit}, its pixels coloured by local MDI and by {measure}, above "
        f"the agreement of the two on {10 * N_IMAGES} held-out images. "
        f"{_readout(digit, image, K, measure)}"
    )


def _reached(digit: int, image: int, K: int, measure: str) -> bool:
    agreements = _agreements(K, "tree SHAP")
    return measure == "tree SHAP" and agreements[digit, image - 1] == agreements.min()


def local_explorer() -> Explorer:
    """Look for the image on which local MDI and Tree SHAP agree least: the trees disagree there."""
    for K in KS:  # so that no move has to wait
        explained_digits(K)
    digit = widgets.IntSlider(value=3, min=0, max=9, description="digit")
    image = widgets.IntSlider(value=1, min=1, max=N_IMAGES, description="image")
    K = widgets.ToggleButtons(options=KS, value=8, description="K")
    measure = widgets.ToggleButtons(options=list(OTHERS), description="beside it")
    for buttons in (K, measure):
        buttons.style.button_width = "7em"
    return Explorer(
        frame=LocalScene(),
        readout=_readout,
        controls={"digit": digit, "image": image, "K": K, "measure": measure},
        goal="Find the image on which local MDI and tree SHAP agree least, for any K you like.",
        reached=_reached,
        alt=_alt,
        then="How many of the trees read it the way the forest does? Say what each of the two "
        "measures makes of a tree that votes for another digit.",
    )
