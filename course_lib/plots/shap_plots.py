"""The plots of the shap package, as its users know them: waterfall, summary, dependence."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from course_lib.plots.style import WHITE
from course_lib.results import LocalImportances

KINDS = ("waterfall", "summary", "dependence")


def plot_shap(kind: str, result: LocalImportances, X, *, feature: str | None = None) -> Figure:
    """Shapley values of predictions, drawn by the shap package on a white ground.

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
        With shap's own colours, which do not follow the theme of a page.
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
        shap.plots.waterfall(told[0], show=False)
    elif kind == "summary":
        shap.plots.beeswarm(told, show=False, plot_size=(8, 4.5))
    else:
        shap.plots.scatter(told[:, feature], show=False)
    np.random.set_state(state)  # noqa: NPY002
    figure = plt.gcf()
    figure.patch.set_facecolor(WHITE)
    figure.tight_layout()
    return figure
