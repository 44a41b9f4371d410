"""Predictions that no lesson asks, one of each kind that has a reply to every guess."""

from course_lib.lessons import Prediction
from course_lib.lessons.prediction import Reply

PAIRS = Prediction(
    *("99.1", "number", "On how many pairs do they agree?", 30.0, "Just so.", "-"),
    replies=(Reply("Too few.", below=5.0), Reply("Fewer.", below=12.0), Reply("Too many.")),
    **{"unit": "pairs", "high": 45.0, "tolerance": 2.0, "least": 0.0, "most": 45.0, "whole": True},
    told="It is **twelve**, $x_1$. See [there](https://example.org).",
)
ORDER = Prediction(
    *("99.3", "ranking", "In which order?", ("a", "b"), "Just so.", "-"),
    replies=(Reply("The other way round."),),
    options=("a", "b"),
)
