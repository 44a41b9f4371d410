"""What is asked before it is computed, which answers are possible, and what is said to them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isfinite

from course_lib.lessons.reading import in_words, means, refuse_unless

KINDS = ("number", "choice", "ranking")
IRREGULAR = {"people": "person"}  # units of which one is not called the same without its s


@dataclass(frozen=True)
class Reply:
    """What to say to some of the wrong guesses: one option, or the numbers below a bound."""

    text: str = means(
        "why a sensible person guesses this, and what breaks the reasoning; it speaks to this "
        "guess and to no other"
    )
    to: str = means("the option it answers, of a choice", default="")
    below: float = means(
        "of a number: it answers guesses below this bound that no reply before it answers; left "
        "out in the last one",
        default=inf,
    )


@dataclass(frozen=True)
class Prediction:
    """Something to commit to before it is computed: a number, a choice or a ranking."""

    id: str = means("such as `01.1`")
    kind: str = means("`number`, `choice` or `ranking`")
    question: str = means("what is asked")
    typical: str | float | tuple[str, ...] = means(
        "the typical wrong guess: a number, an option, or the options in an order; it stands in "
        "for the learner in the built notebook"
    )
    when_right: str = means("what to say beside the truth to a good guess")
    in_class: str = means("the likely wrong vote, and what the lecturer says to it")
    replies: tuple[Reply, ...] = means("what to say to wrong guesses", default=())
    told: str = means(
        "Markdown that gives the answer away and is shown only after the commitment", default=""
    )
    options: tuple[str, ...] = means("of a choice or a ranking", default=())
    unit: str = means("of a number", default="")
    low: float = means("where the number line of a reveal begins", default=0.0)
    high: float = means("where it ends", default=1.0)
    tolerance: float = means("how far off a number may be and be right", default=0.0)
    least: float = means("below it a number is impossible", default=-inf)
    most: float = means("above it a number is impossible", default=inf)
    whole: bool = means("whether only whole numbers are possible", default=False)

    def __post_init__(self):
        refuse_unless(self.kind in KINDS, "kind", self.kind, f"one of {', '.join(KINDS)}")
        _refuse_odd_number(self) if self.kind == "number" else _refuse_odd_options(self)
        _refuse_odd_bounds(self)
        REFUSE_ODD_REPLIES[self.kind](self)

    @property
    def possible(self) -> str:
        """Which numbers are possible, in words; empty if all are."""
        kind = "a whole number" if self.whole else "a number"
        if isfinite(self.least) and isfinite(self.most):
            bounds = f" from {self.least:g} to {self.most:g}"
        elif isfinite(self.least):
            bounds = f", {self.least:g} or more"
        else:
            bounds = f", {self.most:g} or less" if isfinite(self.most) else ""
        named = f" ({self.unit})" if self.unit else ""
        return f"{kind}{bounds}{named}" if bounds or self.whole else ""

    def allows(self, number: float) -> bool:
        """Whether a number is possible at all."""
        whole = not self.whole or float(number).is_integer()
        return whole and self.least <= number <= self.most

    @property
    def unit_of_one(self) -> str:
        """The unit after 1 or -1: euro, person; "of 20 trials" stays as it is."""
        ends = "" if self.unit.startswith("of ") else "s"
        return IRREGULAR.get(self.unit, self.unit.removesuffix(ends))

    def unit_after(self, number: float) -> str:
        """The unit as it is written after a number."""
        return self.unit_of_one if abs(number) == 1 else self.unit

    def spelled(self, guess) -> str:
        """A guess, or the truth, as one says it."""
        if self.kind == "number":
            return f"{guess:.4g} {self.unit_after(guess)}".strip()
        return guess if self.kind == "choice" else " > ".join(guess)

    def replies_in_words(self) -> Iterator[tuple[str, str]]:
        """To which guesses each reply is made, in words, and the reply."""
        for reply in self.replies:
            if reply.to:
                yield f"To “{reply.to}”:", reply.text
            elif self.kind == "number" and reply.below < inf:
                yield f"To a guess below {self.spelled(reply.below)}:", reply.text
            else:
                yield "To any other:", reply.text


def _refuse_odd_number(asked: Prediction) -> None:
    refuse_unless(not asked.options, "options", asked.options, "left out, since kind is number")
    refuse_unless(asked.low < asked.high, "low", asked.low, f"below high, which is {asked.high:g}")
    refuse_unless(asked.tolerance > 0, "tolerance", asked.tolerance, "above 0")
    fits = isinstance(asked.typical, float) and asked.low <= asked.typical <= asked.high
    refuse_unless(fits, "typical", asked.typical, f"from {asked.low:g} to {asked.high:g}")


def _refuse_odd_options(asked: Prediction) -> None:
    options, typical = asked.options, asked.typical
    fits = len(set(options)) == len(options) >= 2
    refuse_unless(fits, "options", options, "two or more different texts")
    if asked.kind == "choice":
        refuse_unless(typical in options, "typical", typical, _one_of(options))
    else:
        fits = isinstance(typical, tuple) and sorted(typical) == sorted(options)
        allowed = f"all the options in some order: {in_words(options)}"
        refuse_unless(fits, "typical", typical, allowed)


def _one_of(options: tuple[str, ...]) -> str:
    return f"one of the options {in_words(options, last='or')}"


def _refuse_odd_bounds(asked: Prediction) -> None:
    """Bounds and whole numbers are for numbers, and the typical guess is a possible one."""
    if asked.kind != "number":
        for name, nothing in (("least", -inf), ("most", inf), ("whole", False)):
            given = getattr(asked, name)
            refuse_unless(given == nothing, name, given, f"left out, since kind is {asked.kind}")
        return
    refuse_unless(asked.least < asked.most, "least", asked.least, f"below most, {asked.most:g}")
    refuse_unless(asked.allows(asked.typical), "typical", asked.typical, asked.possible)


def _refuse_odd_number_replies(asked: Prediction) -> None:
    """Bounds that grow; the last reply has none, so that every guess has its answer."""
    _refuse_options_in(asked)
    bounds = [reply.below for reply in asked.replies]
    grow = all(one < next_one for one, next_one in pairwise(bounds))
    refuse_unless(grow, "replies", bounds, "in the order of their bounds below, the smallest first")
    if bounds:
        allowed = "left out in the last reply, which answers all larger guesses"
        refuse_unless(bounds[-1] == inf, "below", bounds[-1], allowed)


def _refuse_odd_choice_replies(asked: Prediction) -> None:
    """Each reply answers one option, and no option has two."""
    answered = [reply.to for reply in asked.replies]
    for to in answered:
        refuse_unless(to in asked.options, "to", to, _one_of(asked.options))
    allowed = "such that each option has at most one"
    refuse_unless(len(set(answered)) == len(answered), "replies", answered, allowed)
    _refuse_bounds_in(asked)


def _refuse_odd_ranking_replies(asked: Prediction) -> None:
    """One reply answers every wrong order."""
    _refuse_options_in(asked)
    _refuse_bounds_in(asked)
    fits = len(asked.replies) <= 1
    refuse_unless(fits, "replies", len(asked.replies), "one at most, since kind is ranking")


def _refuse_options_in(asked: Prediction) -> None:
    given = [reply.to for reply in asked.replies if reply.to]
    refuse_unless(not given, "to", given, f"left out, since kind is {asked.kind}")


def _refuse_bounds_in(asked: Prediction) -> None:
    given = [reply.below for reply in asked.replies if reply.below != inf]
    refuse_unless(not given, "below", given, f"left out, since kind is {asked.kind}")


REFUSE_ODD_REPLIES = {
    "number": _refuse_odd_number_replies,
    "choice": _refuse_odd_choice_replies,
    "ranking": _refuse_odd_ranking_replies,
}
