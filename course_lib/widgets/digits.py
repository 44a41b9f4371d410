"""Look at one image of a digit: what local MDI and another measure say of its pixels."""

import ipywidgets as widgets
import numpy as np

from course_lib.plots.pixels import SIDE, colour_pixels, draw_image, draw_pixels
from course_lib.plots.style import BLUE, GREEN, GREY
from course_lib.plots.svg import mark
from course_lib.studies.digits import KS, N_IMAGES, agreements_by_digit, explained_digits
from course_lib.widgets.explorer import Explorer
from course_lib.widgets.frames import Scene

OTHERS = ("tree SHAP", "Saabas")
LOWEST = 0.2  # of the axis of agreement


class LocalScene(Scene):
    """Above the image and two measures of its pixels, below the agreement on all images."""

    size, narrow = (6.4, 4.7), (4.9, 4.7)

    def draw(self, figure):
        above, below = figure.subfigures(2, 1, height_ratios=(1.0 if self.is_narrow else 1.2, 1))
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
        strip.set(xlabel="digit, six held-out images of each", ylabel="agreement\n(correlation)")
        self.x = np.arange(10)[:, np.newaxis] + np.linspace(-0.3, 0.3, N_IMAGES)
        (self.dots,) = strip.plot(self.x.flat, 0 * self.x.flat[:], "o", color=BLUE, markersize=6)
        self.dots.set(linestyle="none", markerfacecolor="none")
        self.rule = strip.axhline(1, color=GREY, linewidth=1.2, linestyle="-")
        (self.here,) = strip.plot([0], [1], "D", color=GREEN, markersize=10, zorder=4)
        self.strip, ranks = strip, [*self.local[1], *self.other[1]]
        panels = [self.image, self.local[0], self.other[0]]
        return [*panels, *ranks, *self.titles, self.rule, self.dots, self.here]

    def update(self, digit, image, K, measure):
        explained, row = explained_digits(K), digit * N_IMAGES + image - 1
        agreements = agreements_by_digit(K, measure)
        self.image.set_data(explained.images[row].reshape(8, 8))
        colour_pixels(self.local, explained.local[row])
        colour_pixels(self.other, explained.values[measure][row])
        self.titles[0].set_text(f"digit {digit}, read as {explained.read[row]}")
        self.titles[1].set_text(measure)
        self.dots.set_ydata(agreements.ravel())
        self.here.set_data([self.x[digit, image - 1]], [agreements[digit, image - 1]])
        _name_ranks("local MDI", self.local[1], explained.local[row])
        _name_ranks(measure, self.other[1], explained.values[measure][row])
        mark(self.dots, [_agreement_text(*at, value) for at, value in np.ndenumerate(agreements)])
        mark(self.here, _agreement_text(digit, image - 1, agreements[digit, image - 1]))

    def handles(self, digit, image, K, measure):
        return {"digit": (self.strip, self.x[digit, image - 1], None)}


def _agreement_text(digit: int, image: int, value: float) -> str:
    return f"digit {digit}, image {image + 1}: agreement {value:.2f}"


def _name_ranks(measure: str, ranks, values: np.ndarray) -> None:
    """Tips of the three pixels of largest size."""
    for place, text in enumerate(ranks, start=1):
        column, row = map(int, text.get_position())
        value = f"{values[SIDE * row + column]:.3f}".replace("-", "−")
        mark(text, f"row {row + 1}, column {column + 1}: {measure} {value}, number {place} in size")


def _readout(digit: int, image: int, K: int, measure: str) -> str:
    explained, row = explained_digits(K), digit * N_IMAGES + image - 1
    agreements = agreements_by_digit(K, measure)
    return (
        f"Image {image} of the digit {digit}, best of K = {K}: {explained.certainty[row]:.0%} of "
        f"the trees read {'an' if explained.read[row] == 8 else 'a'} {explained.read[row]}.\n"
        f"Agreement of local MDI and {measure}: {agreements[digit, image - 1]:.2f}; on all "
        f"{agreements.size} images from {agreements.min():.2f} to {agreements.max():.2f}, "
        f"mean {agreements.mean():.2f}."
    )


def _alt(digit: int, image: int, K: int, measure: str) -> str:
    return (
        f"An image of the digit {digit}, its pixels coloured by local MDI and by {measure}, above "
        f"the agreement of the two on {10 * N_IMAGES} held-out images. "
        f"{_readout(digit, image, K, measure)}"
    )


def _is_least(digit: int, image: int, K: int, measure: str) -> bool:
    """Whether local MDI and tree SHAP agree on no image less than on this one."""
    agreements = agreements_by_digit(K, "tree SHAP")
    return measure == "tree SHAP" and agreements[digit, image - 1] == agreements.min()


def local_explorer() -> Explorer:
    """Look for the image on which local MDI and Tree SHAP agree least: the trees disagree there."""
    digit = widgets.IntSlider(value=3, min=0, max=9, description="digit")
    image = widgets.IntSlider(value=1, min=1, max=N_IMAGES, description="image number")
    K = widgets.ToggleButtons(options=KS, value=8, description="candidates per split, K")
    measure = widgets.ToggleButtons(options=OTHERS, description="beside local MDI")
    return Explorer(
        stored="local",
        frame=LocalScene(),
        readout=_readout,
        controls={"digit": digit, "image": image, "K": K, "measure": measure},
        goal="Find the image on which local MDI and tree SHAP agree least, for any K you like.",
        reached=_is_least,
        alt=_alt,
        then="How many of the trees read it the way the forest does? Say what each of the two "
        "measures makes of a tree that votes for another digit.",
    )
