"""The six questions and the row without a number."""

from course_lib.questions import DISTRIBUTION, Q1, QUESTIONS


def test_there_are_six_questions_and_the_distribution():
    assert [question.key for question in QUESTIONS] == [
        *(f"Q{k}" for k in range(1, 7)),
        "Distribution",
    ]
    assert QUESTIONS[-1] is DISTRIBUTION
    assert len({question.to for question in QUESTIONS}) == len(QUESTIONS)


def test_a_question_is_a_question_and_reads_well():
    assert all(question.text.endswith("?") for question in QUESTIONS)
    assert str(Q1) == "Q1: important to a given model"
