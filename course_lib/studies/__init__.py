"""What a lesson computes with measures, as plain functions and records."""

from course_lib import exports

__getattr__, __dir__, __all__ = exports(
    __name__,
    {
        "agreements": "CANDIDATES SAMPLES stored_agreements",
        "boosting": "boosted_importances",
        "capstone": "held_out_reliance in_random_halves least_reliance",
        "card.cards": "importance_card",
        "census": "seven_rankings",
        "digits": "KS digit_forest digit_images explained_digits explained_display",
        "display": "shares_by_candidates",
        "doors": "audit classic_measures door_flows splits_by_door splits_by_source "
        "worth_and_slope",
        "extrapolation": "pair_by_correlation",
        "intervals": "shuffle_intervals",
        "rankings": "agreed_pairs ranks_of",
        "shuffling": "column_groups loss_ratios one_and_all together_and_apart",
        "splits": "split_node",
        "targets": "moves_and_use",
    },
)
