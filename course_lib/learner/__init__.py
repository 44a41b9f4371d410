"""The learner's side: commit to a prediction, see the truth, have an answer checked, ask."""

from course_lib import exports
from course_lib.learner.cells import watch_cells

__getattr__, __dir__, __all__ = exports(
    __name__,
    {
        "before_and_after": "gain post_test pre_test",
        "checks": "check hint",
        "dialogue": "ask",
        "model_answers": "model_answer",
        "progress_map": "progress",
        "predictions": "predict reveal",
        "readiness": "ready",
        "statements": "may_i_say recall",
    },
)

watch_cells()  # so that `check` knows of a cell that failed
