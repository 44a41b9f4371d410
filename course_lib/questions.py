"""The six questions of variable importance; every result carries the one it answers.

The numbering is that of Rudin's notes. A number without its question is not a result.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """One meaning of "important": the key, what the variable is important to, the full sentence."""

    key: str
    to: str
    text: str

    def __str__(self) -> str:
        return f"{self.key}: important to {self.to}"


Q1 = Question("Q1", "a given model", "How important is the variable to a given model?")
Q2 = Question(
    "Q2",
    "a given model, by its unique information",
    "How important is the variable's unique information to a given model?",
)
Q3 = Question(
    "Q3",
    "one prediction of a given model",
    "How important is the variable to one prediction of a given model?",
)
Q4 = Question(
    "Q4",
    "a learning algorithm on a data set",
    "How important is the variable to a given learning algorithm on a data set?",
)
Q5 = Question(
    "Q5",
    "any good model of a class",
    "How important is the variable to any good model of a class?",
)
Q6 = Question(
    "Q6",
    "any good model of a class, by its unique information",
    "How important is the variable's unique information to any good model of a class?",
)
DISTRIBUTION = Question(
    "Distribution",
    "the data distribution itself",
    "How much does the variable help to predict the target, whatever the model?",
)

QUESTIONS = (Q1, Q2, Q3, Q4, Q5, Q6, DISTRIBUTION)
