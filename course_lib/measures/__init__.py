"""From a model and data to a result that says which question it answers."""

from course_lib import exports

__getattr__, __dir__, __all__ = exports(
    __name__,
    {
        "course_lib.models.games": "is_monotonic null_players sampled_shapley_values "
        "shapley_values symmetric_players",
        "algorithms": "algorithm_reliance",
        "asymptotic": "asymptotic_local_mdi asymptotic_mdi mdi_by_degree",
        "attribution.predictions": "prediction_game",
        "attribution.sage": "sage",
        "attribution.tree_games": "tree_game",
        "attribution.tree_shap": "tree_shap",
        "causes": "estimated_numbers three_numbers",
        "dedact.closed_forms": "linear_gaussian",
        "dedact.importance": "associative_importance associative_importance_via "
        "decompose_associative decompose_direct decompose_sage direct_importance "
        "direct_importance_from",
        "forests.bags": "in_bag_counts",
        "forests.boosting": "booster_importances",
        "forests.mdi": "local_mdi mdi saabas unbiased_mdi",
        "permutation": "conditional_permutation_importance oob_permutation_importance "
        "permutation_importance permutation_null",
        "rashomon.sets": "KernelRashomonSet LinearRashomonSet",
        "reliance": "conditional_model_reliance model_reliance",
        "reports": "six_answers",
    },
)
