"""The exercises of lesson 00: small ones, to learn how checks and hints work."""

from itertools import combinations, pairwise
from math import comb

import numpy as np

from course_lib.lessons.exercise import Exercise, Slip

NAMES = ("age", "education", "hours", "occupation", "race", "sex")
MORE_NAMES = (*NAMES, "relationship", "workclass", "capital gain", "capital loss", "country")

# 00.1 From numbers to a ranking


def _draw_importances(rng: np.random.Generator, n_more: int) -> dict:
    """Distinct values, three of them negative, and no order to be hit by accident.

    Two pairs of values are close; to cut values at 0 or to round them spoils the order, whichever
    way equals are then put.
    """
    while True:
        first, second, third = rng.integers(60, 600, 3) / 1000
        sizes = (
            first,
            first + 0.002,
            second,
            -third,
            -third - 0.003,
            -rng.integers(700, 900) / 1e3,
            *rng.integers(700, 900, n_more) / 1e3,
        )
        values = rng.permutation(np.round(sizes, 3)).tolist()
        case = {
            "names": rng.choice(MORE_NAMES, len(values), replace=False).tolist(),
            "values": values,
        }
        importances = _as_mapping(case)[0]
        orders = (_ranking, *(slip.answer for slip in RANKING.slips))
        spoilt = [
            order
            for change in (lambda v: max(v, 0), lambda v: round(v, 1), lambda v: round(v, 2))
            for order in _both_orders({name: change(v) for name, v in importances.items()})
        ]
        differ = len({tuple(order(importances)) for order in orders}) == len(orders)
        if differ and len(set(values)) == len(values) and _ranking(importances) not in spoilt:
            return case


def _both_orders(importances) -> tuple[list[str], list[str]]:
    """The rankings with equals in the order given, and in the opposite one."""
    return _ranking(importances), _reversed(importances)[::-1]


def _as_mapping(case: dict) -> tuple[dict]:
    return (dict(zip(case["names"], case["values"], strict=True)),)


def _ranking(importances) -> list[str]:
    return sorted(importances, key=importances.get, reverse=True)


def _reversed(importances) -> list[str]:
    return sorted(importances, key=importances.get)


def _by_size(importances) -> list[str]:
    return sorted(importances, key=lambda name: abs(importances[name]), reverse=True)


def _cut_at_0(importances) -> list[str]:
    return sorted(importances, key=lambda name: max(importances[name], 0), reverse=True)


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
    turns=((0,), (2,), (5,)),
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
            "cut at 0",
            _cut_at_0,
            "The values above 0 are in order, but those below are left as they were given, as if "
            "all of them were 0. Sort them, too: -0.1 is larger than -0.2.",
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
        Slip(
            "alphabetical, backwards",
            lambda importances: _alphabetical(importances)[::-1],
            "sorted(importances, reverse=True) puts the names in alphabetical order, backwards. "
            "Tell it by what to sort: key=importances.get.",
        ),
        Slip(
            "as listed, backwards",
            lambda importances: _listed(importances)[::-1],
            "These are the names as they were given, backwards. Sort them by their values.",
        ),
        Slip(
            "negatives dropped",
            lambda importances: [name for name in _ranking(importances) if importances[name] > 0],
            "The variables with negative values are missing. They have a place in the ranking, "
            "too: below all the others.",
            behind="M6",
        ),
    ),
)

# 00.2 A tiny computation: what shuffling did to the error, three blanks


def _draw_losses(rng: np.random.Generator, n_same: int) -> dict:
    """Losses of a few people; shuffling raises some and lowers others, and so it does the mean.

    For `n_same` of them it changes nothing.
    """
    n = int(rng.integers(5, 9)) + n_same
    before = rng.uniform(0.5, 2.5, n)
    change = rng.uniform(0.1, 0.45, n)
    change[: int(rng.integers(1, 3))] *= -0.5  # so few that the mean keeps its sign
    change[n - n_same :] = 0
    after = before + rng.choice([-1, 1]) * rng.permutation(change)
    return {"before": before.round(3).tolist(), "after": after.round(3).tolist()}


def _increase(before, after) -> float:
    return float(np.mean(after) - np.mean(before))


def _sizes(before, after) -> float:
    """The mean size of the changes, with the sign of the total."""
    return float(np.sign(_increase(before, after)) * np.mean(np.abs(after - before)))


INCREASE = Exercise(
    id="00.2",
    title="What shuffling did to the error",
    points=1,
    blanks=3,
    expects="the mean of the losses after shuffling minus the mean before",
    draw=_draw_losses,
    turns=((0,), (2,)),
    n_cases=16,  # so that both signs occur
    inputs=lambda case: (np.array(case["before"]), np.array(case["after"])),
    reference=_increase,
    hints=(
        "Each array holds one loss per person. What is the error of the model on all of them?",
        "If shuffling makes the error grow, the importance is positive; if it makes the error "
        "fall, negative.",
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
            "relative increase",
            lambda before, after: float(np.mean(after) / np.mean(before) - 1),
            "That is by which share the error grew. Here it is asked by how much: do not divide by "
            "the error before.",
        ),
        Slip(
            "sum instead of mean",
            lambda before, after: float(np.sum(after) - np.sum(before)),
            "You have added the losses up. With twice as many people it would be twice as large: "
            "take the mean.",
        ),
        Slip(
            "sign dropped",
            lambda before, after: abs(_increase(before, after)),
            "Right size, but the sign is gone. Shuffling can lower the error, and then the "
            "importance is negative: that is a result.",
            behind="M6",
        ),
        Slip(
            "sizes of the changes",
            _sizes,
            "You have averaged the sizes of the changes. Where one person's error grows and "
            "another's falls, the two work against each other in the mean: keep both signs.",
            behind="M6",
        ),
        Slip(
            "sizes without any sign",
            lambda before, after: abs(_sizes(before, after)),
            "You have averaged the sizes of the changes, without their signs. An error that falls "
            "counts as negative, for each person and in the mean.",
            behind="M6",
        ),
        Slip(
            "clipped at 0",
            lambda before, after: max(0.0, _increase(before, after)),
            "You have set a negative importance to 0. Shuffling can lower the error, and the "
            "report should say so.",
            behind="M6",
        ),
        Slip(
            "the error after, alone",
            lambda before, after: float(np.mean(after)),
            "That is the error after shuffling. Subtract the error before.",
        ),
        Slip(
            "roots",
            lambda before, after: float(np.mean(after) ** 0.5 - np.mean(before) ** 0.5),
            "Roots have come in. The difference of the mean squared errors is asked for.",
        ),
        Slip(
            "the people of both lists together",
            lambda before, after: _increase(before, after) / 2,
            "Half of what it should be: the two lists hold the same people, so there are "
            "len(before) of them.",
        ),
        Slip(
            "divided by one less",
            lambda before, after: _increase(before, after) * len(before) / (len(before) - 1),
            "You have divided by one less than the number of people. A mean divides by all of "
            "them: len(before).",
        ),
        Slip(
            "only those whose loss has changed",
            lambda before, after: float(np.mean((after - before)[after != before])),
            "You have averaged over the people whose loss has changed. The others count, too, "
            "with a change of 0: divide by len(before).",
        ),
        Slip(
            "the people of the lesson",
            lambda before, after: _increase(before, after) * len(before) / 600,
            "You have divided by 600, the number of people in the lesson. Here there are "
            "len(before) of them.",
        ),
        Slip(
            "squared again",
            lambda before, after: float(np.mean(after**2) - np.mean(before**2)),
            "The errors were squared before you got them. Take their mean as they are.",
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
        "One model: Q1, Q2, Q3. Fitted again: Q4. All good ones: Q5, Q6. Two of them change only "
        "the part of a column that the others cannot predict.",
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
            "The number of models is right everywhere. But where is only the part of the column "
            "changed that the others cannot predict: in a) or in e), in d) or in f)?",
            behind="M2",
        ),
        Slip(
            "unique information overlooked for one model",
            lambda: RIGHT | {"a": "Q2", "e": "Q1"},
            "Look at a) and e) again. Which of the two leaves alone what the other columns can "
            "predict?",
            behind="M2",
        ),
        Slip(
            "unique information overlooked for all good models",
            lambda: RIGHT | {"d": "Q6", "f": "Q5"},
            "Look at d) and f) again. Which of the two shuffles only what the other columns cannot "
            "predict?",
            behind="M2",
        ),
        Slip(
            "small letters",
            lambda: {letter: key.lower() for letter, key in RIGHT.items()},
            "All six are matched. The values are written with a capital letter, such as 'Q1'.",
        ),
        Slip(
            "no dictionary",
            lambda: list(RIGHT.values()),
            "All six are matched, but not in a dictionary, which names the letters. If yours is a "
            "pandas Series, add .to_dict().",
        ),
        Slip(
            "one model taken for all",
            lambda: RIGHT | {"a": "Q5", "d": "Q1", "e": "Q6", "f": "Q2"},
            "You have seen where unique information is meant. But which of these look at one "
            "model, and which at all good ones?",
            behind="M4",
        ),
        Slip(
            "fitting again called a given model",
            lambda: RIGHT | {"b": "Q1"},
            "Look at b) again: it fits a second model, so it is not about one given model.",
            behind="M4",
        ),
        Slip(
            "one person called a given model",
            lambda: RIGHT | {"c": "Q1"},
            "Look at c) again: it is about one person's prediction, not about the error on all of "
            "them.",
            behind="M9",
        ),
        Slip(
            "all good models called a given model",
            lambda: RIGHT | {"d": "Q1"},
            "Look at d) again: it searches among many models for the one that relies least on the "
            "column.",
            behind="M4",
        ),
        Slip(
            "all good models called a given one in f)",
            lambda: RIGHT | {"f": "Q2"},
            "Look at f) again: as in d), it searches among all good models.",
            behind="M4",
        ),
        Slip(
            "d) and e) exchanged",
            lambda: RIGHT | {"d": "Q2", "e": "Q5"},
            "Look at d) and e) again. Which of the two asks a single fitted model?",
            behind="M4",
        ),
        Slip(
            "e) and f) exchanged",
            lambda: RIGHT | {"e": "Q6", "f": "Q2"},
            "Look at e) and f) again. Both change only what the other columns cannot predict, but "
            "which of the two asks a single fitted model?",
            behind="M4",
        ),
        Slip(
            "a) and d) exchanged",
            lambda: RIGHT | {"a": "Q5", "d": "Q1"},
            "Look at a) and d) again. Which of the two asks a single fitted model?",
            behind="M4",
        ),
    ),
)

# 00.4 On how many pairs do two rankings agree?


def _draw_rankings(rng: np.random.Generator) -> dict:
    """Two rankings for which the usual miscounts give other numbers than the count."""
    while True:
        names = rng.choice(MORE_NAMES, int(rng.integers(4, 8)), replace=False)
        case = {"first": names.tolist(), "second": rng.permutation(names).tolist()}
        miscounts = tuple(slip.answer for slip in AGREEMENT.slips)
        if len({count(**case) for count in (_agreed, *miscounts)}) == 1 + len(miscounts):
            return case


def _agreed(first, second) -> int:
    return sum(
        (first.index(a) < first.index(b)) == (second.index(a) < second.index(b))
        for a, b in combinations(first, 2)
    )


def _disagreed(first, second) -> int:
    return comb(len(first), 2) - _agreed(first, second)


def _same_places(first, second) -> int:
    return sum(a == b for a, b in zip(first, second, strict=True))


def _both_ways(first, second) -> int:
    return 2 * _agreed(first, second)


def _neighbours(first, second) -> int:
    return sum(second.index(a) < second.index(b) for a, b in pairwise(first))


AGREEMENT = Exercise(
    id="00.4",
    title="On how many pairs do two rankings agree?",
    points=2,
    expects="the number of pairs of names that stand in the same order in both lists",
    draw=_draw_rankings,
    n_cases=8,
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
        Slip(
            "neighbours only",
            _neighbours,
            "You have compared only names that stand next to each other. Every two names are a "
            "pair: combinations(first, 2) gives them all.",
        ),
        Slip(
            "a share",
            lambda first, second: _agreed(first, second) / comb(len(first), 2),
            "That is the share of the pairs on which they agree. Their number is asked for.",
        ),
        Slip(
            "all pairs",
            lambda first, second: comb(len(first), 2),
            "That is the number of all pairs. Count only those that stand in the same order in "
            "both lists.",
        ),
        Slip(
            "less those that differ",
            lambda first, second: _agreed(first, second) - _disagreed(first, second),
            "The pairs on which they differ are subtracted. Leave them out of the count.",
        ),
        Slip(
            "pairs in the same places",
            lambda first, second: comb(_same_places(first, second), 2),
            "You have counted the pairs of which both names have the same place in both lists. The "
            "order of the two is enough.",
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
            "One of yours sounds precise and does not say of what. Ask of each: important to "
            "which model, person, algorithm or class of models?",
            behind="M1",
        ),
        Slip(
            "the data taken for a question",
            lambda: {"a", "b", "d", "e"},
            "One of yours sounds like an answer. But nobody in it has chosen a measure. Ask of "
            "each: important to which model, person, algorithm or class of models?",
            behind="M4",
        ),
        Slip(
            "the other way round",
            lambda: {"a", "c"},
            "These are the sentences that stop before they have said to what. The others are "
            "asked for.",
            behind="M4",
        ),
        Slip(
            "all of them",
            lambda: {"a", "b", "c", "d", "e"},
            "Some of these sentences stop before they have said to what.",
            behind="M4",
        ),
        Slip(
            "the class of models left out",
            lambda: {"b", "d"},
            "What you have is right. One more says to what, although it names no single model.",
            behind="M4",
        ),
        Slip(
            "one person left out",
            lambda: {"b", "e"},
            "What you have is right. One more says to what: to one number that a model gives.",
            behind="M9",
        ),
        Slip(
            "the forest left out",
            lambda: {"d", "e"},
            "What you have is right. One more says to what. That it does not use the word "
            "'important' is no fault.",
        ),
    ),
)

EXERCISES = (RANKING, INCREASE, MATCHING, AGREEMENT, COMPLETE)
