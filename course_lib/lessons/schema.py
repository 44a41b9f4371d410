"""What `lesson_NN.toml` holds: the records, their fields, and which values make sense.

A field of the file and the attribute of its record have the same name. What each field means
stands beside it here, and from here in CONTRIBUTING.md.
"""

from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields
from typing import get_type_hints

from course_lib.lessons.prediction import Prediction
from course_lib.lessons.reading import (
    FieldError,
    in_words,
    means,
    refuse_unless,
    table_of,
    type_in_words,
)

MISCONCEPTIONS = {
    "M1": "MDI is a neutral fact about the data",
    "M2": "permutation importance fixes everything",
    "M3": "a low permutation importance means the variable can be dropped",
    "M4": "importance belongs to the data, whatever the model and the seed",
    "M5": "it does not matter whether one measures on training or on test data",
    "M6": "negative values are errors and should be clipped",
    "M7": "important means causal",
    "M8": "what the model does not use cannot be important, and direct importance is the same as "
    "associative importance",
    "M9": "a SHAP value is the change if the variable were removed, or a probability, or a "
    "percentage",
    "M10": "the axioms make the answer unique, so all Shapley methods must agree",
}


@dataclass(frozen=True)
class Option:
    """One possible answer, what to say to whoever chooses it, and the idea behind a wrong one."""

    text: str = means("the answer")
    feedback: str = means("what to say to whoever chooses it")
    right: bool = means("whether it is the right one; exactly one is", default=False)
    behind: str = means(
        "the misconception behind a wrong one, `M1` to `M10`, if it is one of them", default=""
    )

    def __post_init__(self):
        allowed = "left out, since the option is right" if self.right else known_misconceptions()
        fits = not self.behind or (not self.right and self.behind in MISCONCEPTIONS)
        refuse_unless(fits, "behind", self.behind, allowed)


@dataclass(frozen=True)
class Item:
    """A question with options, one of them right."""

    id: str = means("such as `01.r1`")
    text: str = means("the question")
    options: tuple[Option, ...] = means("what can be chosen")

    def __post_init__(self):
        right = [option.text for option in self.options if option.right]
        refuse_unless(len(right) == 1, "options", right, "such that exactly one has right = true")


@dataclass(frozen=True)
class Statement:
    """A sentence about the lesson's figure that the measure licenses, or does not."""

    id: str = means("such as `01.a1`")
    group: str = means('such as `01.a`: all that `may_i_say("01.a")` asks')
    text: str = means("the sentence")
    licensed: bool = means("whether one may say it")
    when_right: str = means("what to say to the right answer")
    when_wrong: str = means("what to say to the other")
    behind: str = means("the misconception behind the wrong answer, `M1` to `M10`")

    def __post_init__(self):
        fits = self.behind in MISCONCEPTIONS
        refuse_unless(fits, "behind", self.behind, known_misconceptions())
        group = self.id.rstrip("0123456789")
        refuse_unless(self.group == group, "group", self.group, f"{group} for id {self.id}")

    @property
    def options(self) -> tuple[Option, ...]:
        """Yes and No, as the options of a question."""
        return tuple(
            Option(text, self.when_right, right=True)
            if right
            else Option(text, self.when_wrong, behind=self.behind)
            for text, right in (
                ("Yes, I may say this", self.licensed),
                ("No, I may not", not self.licensed),
            )
        )


@dataclass(frozen=True)
class Criterion:
    """One line of a rubric."""

    points: int = means("what it is worth")
    text: str = means("what the paragraph has to say")

    def __post_init__(self):
        refuse_unless(self.points > 0, "points", self.points, "1 or more")


@dataclass(frozen=True)
class Written:
    """A paragraph that a person marks."""

    id: str = means("such as `01.w`")
    prompt: str = means("what to write")
    rubric: tuple[Criterion, ...] = means("how it is marked")
    answer: str = means(
        "a model answer, in Markdown; shown to whoever has written one, and left out only where "
        "`./course release` leaves it out",
        default="",
    )

    @property
    def points(self) -> int:
        return sum(criterion.points for criterion in self.rubric)


@dataclass(frozen=True)
class Minutes:
    """How long a lesson takes, as an estimate."""

    learner: int = means("who reads and tries everything but the further part")
    exercise: int = means("the same person's exercise")
    lecturer: int = means("who takes the predictions as votes")
    further: int = means("the further part, which nobody has to read", default=0)

    def __post_init__(self):
        for name, value in vars(self).items():
            least = 0 if name == "further" else 1
            refuse_unless(value >= least, name, value, f"{least} or more")


@dataclass(frozen=True)
class Lesson:
    """A lesson but for its text: what it is about, how long it takes, and all its questions."""

    name: str = means("number and name, as its files are called: `01_mdi`")
    title: str = means("what stands over it")
    about: str = means("one line for the table of lessons")
    outcomes: tuple[str, ...] = means("what a learner can do afterwards, each a phrase with a verb")
    minutes: Minutes = means("estimates")
    when_behind: str = means("what a lecturer skips when 15 minutes late, and what not")
    predictions: tuple[Prediction, ...] = means("asked by `predict`, answered by `reveal`")
    statements: tuple[Statement, ...] = means("asked by `may_i_say`")
    recall: tuple[Item, ...] = means("on what came before, asked by `recall`")
    written: tuple[Written, ...] = means("read by a person")
    remark: str = means("one more sentence for whoever plans the time", default="")

    def __post_init__(self):
        places = {}
        for section in ("predictions", "statements", "recall", "written"):
            for place, item in enumerate(getattr(self, section), start=1):
                here = f"{section} {place}"
                if not item.id.startswith(f"{self.number}."):
                    raise FieldError(
                        f"field id of {here} must begin with {self.number}.; got "
                        f"{in_words(item.id)}."
                    )
                first = places.setdefault(item.id, here)
                allowed = f"another than that of {first}"
                refuse_unless(first == here, f"id of {here}", item.id, allowed)

    @property
    def number(self) -> str:
        """Its two digits."""
        return self.name[:2]

    @property
    def questions(self) -> tuple[Prediction | Statement | Item | Written, ...]:
        """All that is asked, graded or not, but for the exercises."""
        return self.predictions + self.statements + self.recall + self.written

    @property
    def late(self) -> str:
        """What to do when late, as a sentence."""
        return f"When 15 minutes behind: {self.when_behind}"

    @property
    def times(self) -> str:
        """The paragraph on times with which the lesson ends."""
        sentences = (
            f"*Times.* Learner: {self.minutes.learner} minutes, the exercise another "
            f"{self.minutes.exercise}.",
            f"The further part takes {self.minutes.further} more." * (self.minutes.further > 0),
            f"Lecturer: {self.minutes.lecturer} minutes with the predictions as votes.",
            self.remark,
            self.late,
        )
        return " ".join(filter(None, sentences))


@dataclass(frozen=True)
class Pretest:
    """The questions that are asked before the course and again at its end."""

    items: tuple[Item, ...] = means("one per misconception, whose code is its id")


def known_misconceptions() -> str:
    """The codes, for a sentence."""
    return f"one of {', '.join(MISCONCEPTIONS)}"


def fields_in_words(record: type = Lesson, place: str = "") -> Iterator[tuple[str, str, str, str]]:
    """Of each field of the file: the table it stands in, its name, its type, what it means."""
    hints = get_type_hints(record)
    for one in fields(record):
        about = one.metadata["about"] + ("; optional" if one.default is not MISSING else "")
        yield place, one.name, type_in_words(hints[one.name]), about
    for one in fields(record):
        if inner := table_of(hints[one.name]):
            inside = f"{place}.{one.name}".lstrip(".")
            yield from fields_in_words(inner, inside)
