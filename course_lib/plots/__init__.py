"""Figures of results: every function takes a result, draws on one Axes and returns it.

The Axes is `ax`, of matplotlib; if it is None, the default, a new figure is made.
Colour never speaks alone: each series has its own marker too. The line at the result's reference,
the value that means "not important", is always drawn. In a lesson, the picture of a plot is shown
with its text: ``picture(plot_importances(result), alt="...")``.
"""

from course_lib import exports

__getattr__, __dir__, __all__ = exports(
    __name__,
    {
        "branches": "plot_branches",
        "candidates": "plot_candidates",
        "curves": "plot_curves",
        "degrees": "plot_degrees",
        "display": "plot_display plot_displays plot_segments",
        "doors": "plot_doors",
        "gain": "plot_gain",
        "graphs": "plot_graph plot_graphs",
        "importances": "plot_comparison plot_importances plot_repeats",
        "lattice": "plot_games plot_lattice",
        "maps": "map_text plot_map",
        "numbers": "plot_numbers",
        "panels": "plot_panels",
        "pictures": "picture",
        "pixels": "plot_agreement plot_pixels",
        "rankings": "plot_rankings",
        "rashomon": "plot_good_models plot_ranges plot_reliance_by_loss",
        "selections": "plot_selection",
        "shap_plots": "plot_shap",
        "splits": "plot_gate plot_split",
    },
)
