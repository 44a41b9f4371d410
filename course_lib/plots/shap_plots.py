"""The plots of the shap package, as its users know them: waterfall, summary, dependence."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrow
from matplotlib.text import Text

from course_lib.plots.style import GREY, INK, WHITE
from course_lib.results import LocalImportances

KINDS = ("waterfall", "summary", "dependence")


def plot_shap(kind: str, result: LocalImportances, X, *, feature: str | None = None) -> Figure:
    """Shapley values of predictions, drawn by the shap package.

    Parameters
    ----------
    kind : {"waterfall", "summary", "dependence"}
        One prediction (the first row), all rows and features, or one feature over all rows.
    result : LocalImportances
        As `tree_shap` gives it.
    X : DataFrame of shape (n_samples, n_features)
        The rows that were explained.
    feature : str, default=None
        Of a dependence plot: whose values are on the axes.

    Returns
    -------
    figure : matplotlib Figure
        Dots and bars have shap's own colours; ground, texts and lines follow the page's theme.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}. Choose one.")
    if (kind == "dependence") != (feature is not None):
        raise ValueError(
            f"A dependence plot needs a feature and the others take none, got kind={kind!r} and "
            f"feature={feature!r}. Pass feature only with 'dependence'."
        )
    import shap  # heavy, so only here

    names = list(result.feature_names)
    told = shap.Explanation(result.values, result.base, np.asarray(X), feature_names=names)
    plt.figure()
    state = np.random.get_state()  # noqa: NPY002  shap jitters dots with the global state
    np.random.seed(0)  # noqa: NPY002
    if kind == "waterfall":
        shap.plots.waterfall(told[0], max_display=len(names), show=False)
        _turn_short_bars(plt.gcf().axes[0], np.sort(abs(result.values[0])))
    elif kind == "summary":
        shap.plots.beeswarm(told, show=False, plot_size=(8, 4.5))
    else:
        shap.plots.scatter(told[:, feature], show=False)
    np.random.set_state(state)  # noqa: NPY002
    figure = plt.gcf()
    figure.tight_layout()
    _follow_theme(figure)
    return figure


def _turn_short_bars(ax: Axes, sizes: np.ndarray) -> None:
    """Mend the bars of a waterfall, whose sizes these are from below.

    A bar shorter than its tip is drawn by shap 0.51 in the wrong direction and too long.
    """
    for bar in ax.findobj(FancyArrow):
        x, y = bar.get_xy().T
        size = sizes[round(y.mean())]
        if np.isclose(np.ptp(x), size):
            continue
        start = x.max() if x[0] == x.min() else x.min()  # the first corner is the tip
        bar.set_xy(np.column_stack([start + (start - x) * size / np.ptp(x), y]))


def _follow_theme(figure: Figure) -> None:
    """Give what shap draws in black, grey and white the course's ink, grey and paper.

    White text stands on bars, whose colour stays, and so it stays white.
    """
    figure.patch.set_facecolor("white")
    for text in figure.findobj(Text):
        text.set_color(WHITE if _lightness(text.get_color()) > 0.9 else _ink(text.get_color()))
    for ax in figure.axes:
        ax.tick_params(color=INK)
        for spine in ax.spines.values():
            spine.set_edgecolor(_ink(spine.get_edgecolor()))
        for patch in ax.patches:
            if patch.get_alpha():  # what is to be seen faintly, such as a histogram
                patch.set_facecolor(_ink(patch.get_facecolor()))


def _ink(colour) -> str:
    """The course's colour for one of shap's: greys and black become ours, others stay."""
    red, green, blue = to_rgb(colour)
    if max(red, green, blue) - min(red, green, blue) > 0.05:
        return to_hex(colour)
    return INK if _lightness(colour) < 0.4 else GREY


def _lightness(colour) -> float:
    return float(np.mean(to_rgb(colour)))
