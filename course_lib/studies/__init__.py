"""What a lesson computes with measures, as plain functions and records."""

from course_lib import exports

__getattr__, __dir__, __all__ = exports(
    __name__,
    {
        "digits": "KS digit_forest digit_images explained_digits",
        "doors": "door_flows",
        "extrapolation": "extrapolation_error surface_fit",
        "rankings": "agreed_pairs ranks_of",
        "splits": "split_node",
    },
)
