"""The explorer of each lesson, for what looks at all of them: the bench, the tests."""

from course_lib import widgets

EXPLORERS = {
    "01": widgets.threshold_explorer,
    "02": widgets.noise_explorer,
    "03": widgets.scramble_explorer,
    "04": widgets.lattice_explorer,
    "05": widgets.display_explorer,
    "06": widgets.local_explorer,
    "07": widgets.confounding_explorer,
    "08": widgets.doors_explorer,
    "09": widgets.rashomon_explorer,
    "10": widgets.report_explorer,
}
