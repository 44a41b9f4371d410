"""Figures of results: every function takes a result, draws on one Axes and returns it.

Colour never speaks alone: each series has its own marker too. The line at the result's reference,
the value that means "not important", is always drawn. In a lesson, the picture of a plot is shown
with its text: ``picture(plot_importances(result), alt="...")``.
"""

from course_lib import exports

__getattr__, __dir__, __all__ = exports(
    __name__,
    {
        "closeups": "plot_agreement plot_displays plot_pixels",
        "curves": "plot_curves",
        "display": "plot_branches plot_degrees plot_display plot_panels",
        "doors": "door_flows plot_doors",
        "ellipses": "plot_good_models plot_ranges",
        "graphs": "plot_graph plot_graphs",
        "importances": "plot_comparison plot_importances plot_repeats",
        "maps": "map_text plot_map",
        "panels": "plot_numbers plot_selection",
        "pictures": "picture",
        "rankings": "agreed_pairs plot_rankings ranked",
        "splits": "plot_split",
        "standings": "plot_gain",
    },
)
