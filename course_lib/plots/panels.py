"""The same plot of several things, side by side."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from course_lib.plots.pictures import course_style


def plot_panels(plot, contents, *, size=(7.4, 3.8), **options) -> Figure:
    """The same plot of several things, side by side on common axes, a title above each.

    Parameters
    ----------
    plot : callable
        ``plot(content, ax=ax, **options)`` draws one panel.
    contents : mapping from title to content
    size : pair of float, default=(7.4, 3.8)
        Width and height of the whole figure in inches.
    **options
        Handed on to `plot`, the same for every panel.

    Examples
    --------
    >>> from course_lib.plots import plot_display
    >>> figure = plot_panels(plot_display, {"K = 1": [0.4] * 7, "K = 7": [0.3] * 7}, limit=1)
    >>> [ax.get_title(loc="left") for ax in figure.axes]
    ['K = 1', 'K = 7']
    >>> plt.close(figure)
    """
    if not isinstance(contents, Mapping) or not contents:
        raise TypeError(
            f"contents must map titles to what is drawn below them, got {contents!r}. "
            f"Pass for example {{'K = 1': values}}."
        )
    with course_style():
        shared = {"sharex": True, "sharey": True, "squeeze": False}
        figure, axes = plt.subplots(1, len(contents), figsize=size, **shared)
        for ax, (title, content) in zip(axes[0], contents.items(), strict=True):
            plot(content, ax=ax, **options)
            ax.set_title(title)
            ax.label_outer()
    return figure
