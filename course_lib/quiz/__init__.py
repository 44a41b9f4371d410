"""What a lesson asks, and what it says to each answer."""

from course_lib.quiz.before_and_after import calibration, gain, post_test, pre_test
from course_lib.quiz.predictions import predict, reveal
from course_lib.quiz.statements import may_i_say, recall

__all__ = ["may_i_say", "predict", "recall", "reveal"]
__all__ += ["calibration", "gain", "post_test", "pre_test"]
