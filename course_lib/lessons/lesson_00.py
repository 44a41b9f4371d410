"""The exercises of lesson 00: small ones, to learn how checks and hints work."""

from itertools import combinations

import numpy as np

from course_lib.lessons.exercise import Exercise, Slip

NAMES = ("age", "education", "hours", "occupation", "race", "sex")

# 00.1 From numbers to a ranking


def _draw_importances(rng: np.random.Generator) -> dict:
    """Distinct values, the largest in size negative, and no order to be hit by accident."""
    while True:
        values = rng.permutation(np.arange(1, 6)) / 10 + rng.integers(1, 9, 5) / 100
        values[rng.integers(5)] = -0.9
        names = rng.choice(NAMES, 5, replace=False).tolist()
        case = {"names": names, "values": values.round(2).tolist()}
        orders = (_ranking, _by_size, _listed, _alphabetical, _reversed)
        if len({tuple(order(*_as_mapping(case))) for order in orders}) == len(orders):
            return case


def _as_mapping(case: dict) -> tuple[dict]:
    return (dict(zip(case["names"], case["values"], strict=True)),)


def _ranking(importances) -> list[str]:
    return sorted(importances, key=importances.get, reverse=True)


def _reversed(importances) -> list[str]:
    return sorted(importances, key=importances.get)


def _by_size(importances) -> list[str]:
    return sorted(importances, key=lambda name: abs(importances[name]), reverse=True)


def _listed(importances) -> list[str]:
    return list(importances)


def _alphabetical(importances) -> list[str]:
    return sorted(importances)


RANKING = Exercise(
    id="00.1",
    title="From numbers to a ranking",
    points=1,
    expects="the list of names, the one with the largest value first",
    draw=_draw_importances,
    inputs=_as_mapping,
    reference=_ranking,
    describe=lambda case: f"importances = {_as_mapping(case)[0]}",
    hints=(
        "sorted(importances, key=importances.get) sorts the names by their values. In which "
        "direction?",
        "Add reverse=True to begin with the largest.",
    ),
    slips=(
        Slip(
            "smallest first",
            _reversed,
            "Sorted by value, but with the smallest first. A ranking begins with the largest.",
        ),
        Slip(
            "by size without sign",
            _by_size,
            "You have ranked by size without the sign. For a loss increase, -0.9 is not large: it "
            "says that shuffling the variable made the error smaller.",
            behind="M6",
        ),
        Slip(
            "as listed",
            _listed,
            "These are the names in the order in which they were given. Sort them by their values.",
        ),
        Slip(
            "alphabetical",
            _alphabetical,
            "sorted() alone puts the names in alphabetical order. Tell it by what to sort: "
            "key=importances.get.",
        ),
    ),
)

# 00.2 A tiny computation: what shuffling did to the error, three blanks


def _draw_losses(rng: np.random.Generator) -> dict:
    before = rng.integers(1, 9, 6) / 4
    after = before + rng.integers(1, 9, 6) / 4
    return {"before": before.tolist(), "after": after.tolist()}


def _increase(before, after) -> float:
    return float(np.mean(after) - np.mean(before))


INCREASE = Exercise(
    id="00.2",
    title="What shuffling did to the error",
    points=1,
    expects="the mean of the losses after shuffling minus the mean before",
    draw=_draw_losses,
    inputs=lambda case: (np.array(case["before"]), np.array(case["after"])),
    reference=_increase,
    hints=(
        "Each array holds one loss per person. What is the error of the model on all of them?",
        "A variable that matters makes the error grow when it is shuffled, and its importance "
        "should then be positive.",
    ),
    slips=(
        Slip(
            "before minus after",
            lambda before, after: -_increase(before, after),
            "Right size, wrong sign: an error that grows should give a positive importance.",
        ),
        Slip(
            "ratio",
            lambda before, after: float(np.mean(after) / np.mean(before)),
            "That is the ratio of the two errors, which is another convention (1 means no "
            "reliance). Here the difference is asked for.",
        ),
        Slip(
            "sum instead of mean",
            lambda before, after: float(np.sum(after) - np.sum(before)),
            "You have added the losses up. With twice as many people it would be twice as large: "
            "take the mean.",
        ),
    ),
)

# 00.3 Which measure answers which question?

RIGHT = {"a": "Q1", "b": "Q4", "c": "Q3", "d": "Q5", "e": "Q2", "f": "Q6"}

MATCHING = Exercise(
    id="00.3",
    title="Which computation answers which question?",
    points=2,
    expects="a dictionary from each letter to the key of its question, such as 'Q1'",
    reference=lambda: dict(RIGHT),
    hints=(
        "Ask of each computation: how many models are there? One, one that is fitted again, or "
        "all that are good?",
        "One model: Q1, Q2, Q3. Fitted again: Q4. All good ones: Q5, Q6. Two of them keep what the "
        "other columns tell about the shuffled one.",
    ),
    slips=(
        Slip(
            "refitting taken for the model",
            lambda: RIGHT | {"b": "Q1", "a": "Q4"},
            "Look at a) and b) again. Which of the two throws the fitted model away?",
            behind="M4",
        ),
        Slip(
            "one person taken for the model",
            lambda: RIGHT | {"c": "Q1", "a": "Q3"},
            "Look at a) and c) again. Which of the two is about one person?",
            behind="M9",
        ),
        Slip(
            "unique information overlooked",
            lambda: RIGHT | {"a": "Q2", "e": "Q1", "d": "Q6", "f": "Q5"},
            "The number of models is right everywhere. But where do the other columns keep what "
            "they tell about this one: in a) or in e), in d) or in f)?",
            behind="M2",
        ),
        Slip(
            "one model taken for all",
            lambda: RIGHT | {"a": "Q5", "d": "Q1", "e": "Q6", "f": "Q2"},
            "You have seen where unique information is meant. But which of these look at one "
            "model, and which at all good ones?",
            behind="M4",
        ),
    ),
)

# 00.4 On how many pairs do two rankings agree?


def _draw_rankings(rng: np.random.Generator) -> dict:
    """Two rankings for which the usual miscounts give other numbers than the count."""
    while True:
        names = rng.choice(NAMES, 5, replace=False)
        case = {"first": names.tolist(), "second": rng.permutation(names).tolist()}
        counts = [f(**case) for f in (_agreed, _disagreed, _same_places, _both_ways)]
        if len(set(counts)) == 4:
            return case


def _agreed(first, second) -> int:
    return sum(
        (first.index(a) < first.index(b)) == (second.index(a) < second.index(b))
        for a, b in combinations(first, 2)
    )


def _disagreed(first, second) -> int:
    return len(first) * (len(first) - 1) // 2 - _agreed(first, second)


def _same_places(first, second) -> int:
    return sum(a == b for a, b in zip(first, second, strict=True))


def _both_ways(first, second) -> int:
    return 2 * _agreed(first, second)


AGREEMENT = Exercise(
    id="00.4",
    title="On how many pairs do two rankings agree?",
    points=2,
    expects="the number of pairs of names that stand in the same order in both lists",
    draw=_draw_rankings,
    reference=_agreed,
    hints=(
        "combinations(first, 2) from itertools gives each pair once, in the order of the first "
        "list.",
        "For each such pair (a, b): does a stand before b in the second list, too?",
        "Count the pairs with second.index(a) < second.index(b).",
    ),
    slips=(
        Slip(
            "same places",
            _same_places,
            "You have counted the names that have the same place in both. A pair can stand in the "
            "same order without either of its names having the same place.",
        ),
        Slip(
            "each pair twice",
            _both_ways,
            "Each pair was counted twice, as (a, b) and as (b, a). combinations gives it once.",
        ),
        Slip(
            "the pairs that differ",
            _disagreed,
            "These are the pairs on which the two rankings differ. Count those on which they "
            "agree.",
        ),
    ),
)

# 00.5 Which sentences say what they mean?

COMPLETE = Exercise(
    id="00.5",
    title="Which sentences say important to what?",
    points=1,
    expects="the letters of all sentences that say to what the variable is important",
    reference=lambda: {"b", "d", "e"},
    hints=(
        "Look for the second half of the sentence: important to which model, person, algorithm, "
        "class of models?",
        "'The data show' names no model; 'by far' names no question; neither does a number.",
    ),
    slips=(
        Slip(
            "a number taken for a question",
            lambda: {"b", "c", "d", "e"},
            "c) has a number with two digits, but does not say of what. Important to what?",
            behind="M1",
        ),
        Slip(
            "the data taken for a question",
            lambda: {"a", "b", "d", "e"},
            "In a) 'the data show' sounds like an answer. But data rank nothing; somebody has "
            "chosen a measure.",
            behind="M4",
        ),
        Slip(
            "all of them",
            lambda: {"a", "b", "c", "d", "e"},
            "Some of these sentences stop before they have said to what.",
            behind="M4",
        ),
    ),
)

EXERCISES = (RANKING, INCREASE, MATCHING, AGREEMENT, COMPLETE)
