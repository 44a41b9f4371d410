"""Figures of results: every function takes a result, draws on one Axes and returns it.

Colour never speaks alone: each series has its own marker too. The line at the result's reference,
the value that means "not important", is always drawn. In a lesson, the picture of a plot is shown
with its text: ``picture(plot_importances(result), alt="...")``.
"""

from course_lib.plots.closeups import plot_agreement, plot_displays, plot_pixels
from course_lib.plots.curves import plot_curves
from course_lib.plots.display import plot_branches, plot_degrees, plot_display, plot_panels
from course_lib.plots.doors import door_flows, plot_doors
from course_lib.plots.ellipses import plot_good_models, plot_ranges
from course_lib.plots.graphs import plot_graph, plot_graphs
from course_lib.plots.importances import plot_comparison, plot_importances, plot_repeats
from course_lib.plots.maps import map_text, plot_map
from course_lib.plots.panels import plot_numbers, plot_selection
from course_lib.plots.pictures import Picture, picture
from course_lib.plots.rankings import agreed_pairs, plot_rankings, ranked
from course_lib.plots.splits import plot_split
from course_lib.plots.standings import plot_gain

__all__ = ["Picture", "agreed_pairs", "door_flows", "map_text", "picture", "plot_agreement"]
__all__ += ["plot_branches", "plot_comparison", "plot_curves", "plot_degrees", "plot_display"]
__all__ += ["plot_displays", "plot_doors", "plot_gain", "plot_good_models", "plot_graph"]
__all__ += ["plot_graphs", "plot_importances", "plot_map", "plot_numbers", "plot_panels"]
__all__ += ["plot_pixels", "plot_ranges", "plot_rankings", "plot_repeats", "plot_selection"]
__all__ += ["plot_split", "ranked"]
