"""The explorer of each lesson, for what looks at all of them: the bench, the tests."""

from course_lib.widgets.confounding import confounding_explorer
from course_lib.widgets.digits import local_explorer
from course_lib.widgets.display import display_explorer
from course_lib.widgets.doors import doors_explorer
from course_lib.widgets.lattice import lattice_explorer
from course_lib.widgets.noise import noise_explorer
from course_lib.widgets.rashomon import rashomon_explorer
from course_lib.widgets.scramble import scramble_explorer
from course_lib.widgets.threshold import threshold_explorer
from course_lib.widgets.wines import report_explorer

EXPLORERS = {
    "01": threshold_explorer,
    "02": noise_explorer,
    "03": scramble_explorer,
    "04": lattice_explorer,
    "05": display_explorer,
    "06": local_explorer,
    "07": confounding_explorer,
    "08": doors_explorer,
    "09": rashomon_explorer,
    "10": report_explorer,
}
