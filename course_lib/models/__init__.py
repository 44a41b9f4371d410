"""Players: trees, games and the rules that share their worth, wrappers, losses and impurities."""

from course_lib import exports

__getattr__, __dir__, __all__ = exports(
    __name__,
    {
        "games": "is_monotonic null_players sampled_shapley_values shapley_values "
        "symmetric_players worths",
        "impurities": "impurity impurity_decrease",
        "losses": "absolute_error cross_entropy squared_error zero_one",
        "rules": "RULES arrival axiomatic_shares broken_axioms",
        "trees": "TotallyRandomizedTrees",
        "wrappers": "OnColumns linear_coefficients",
    },
)
