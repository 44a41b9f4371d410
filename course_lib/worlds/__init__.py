"""Data whose truth is known: samples, causal models, distributions, conditional draws."""

from course_lib import exports

__getattr__, __dir__, __all__ = exports(
    __name__,
    {
        "causal": "make_biomarker_world make_census_world make_logins_world",
        "chance": "expected_decrease independence_pvalue simulated_decreases",
        "datasets": "load_led_table load_node load_rank_swap make_correlated make_exact_linear "
        "make_gate make_gauges make_led make_null make_rare make_trial",
        "distributions": "Categorical",
        "samplers": "ForestSampler GaussianSampler MarginalSampler",
        "scm": "LinearSCM",
        "tables": "load_patients load_wines patients_by_formula",
    },
)
