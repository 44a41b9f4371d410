"""What a lesson computes with measures, as plain functions and records."""

from course_lib import exports

__getattr__, __dir__, __all__ = exports(
    __name__,
    {
        "agreements": "CANDIDATES SAMPLES stored_agreements",
        "boosting": "boosted_importances",
        "capstone": "in_random_halves",
        "census": "seven_rankings",
        "digits": "KS digit_forest digit_images explained_digits explained_display",
        "display": "shares_by_candidates",
        "doors": "audit classic_measures door_flows parts_along",
        "extrapolation": "pair_among_equals",
        "rankings": "agreed_pairs ranks_of",
        "splits": "split_node",
        "targets": "moves_and_use",
    },
)
