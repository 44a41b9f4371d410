"""Pictures with sliders: one wiring, and one module for each explorer of the lessons."""

from course_lib import exports

__getattr__, __dir__, __all__ = exports(
    __name__,
    {
        "confounding": "confounding_explorer",
        "digits": "local_explorer",
        "display": "display_explorer",
        "doors": "doors_explorer",
        "explorer": "Explorer",
        "frames": "Scene",
        "lattice": "lattice_explorer",
        "noise": "noise_explorer",
        "rankings": "rankings_explorer",
        "rashomon": "rashomon_explorer",
        "report": "report_explorer",
        "scramble": "scramble_explorer",
        "threshold": "threshold_explorer",
    },
)
