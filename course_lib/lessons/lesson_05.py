"""The exercises of lesson 05: from conditional information to theorem 1 and trees that choose."""

from itertools import combinations, product
from math import comb, factorial

import numpy as np

from course_lib.lessons import given
from course_lib.lessons.exercise import Exercise, Slip
from course_lib.measures.asymptotic import mdi_by_degree
from course_lib.worlds.distributions import Categorical

# 05.1 Conditional mutual information


def _joint_entropy(rows: np.ndarray, counts: np.ndarray | None = None) -> float:
    """Entropy in bits of rows of small whole numbers; each occurs once, or as often as said."""
    codes = rows @ 10 ** np.arange(rows.shape[1])
    totals = np.bincount(np.unique(codes, return_inverse=True)[1], counts)
    p = totals / totals.sum()
    return -float(p @ np.log2(p))


def _draw_table(rng: np.random.Generator, n_rows: int, n_features: int, n_values=3) -> dict:
    """Equally likely rows with a target of three values that depends on all of them.

    One variable has n_values different values, the others two or three.
    """
    X = rng.integers(
        rng.permutation([n_values, *rng.integers(2, 4, size=n_features - 1)]),
        size=(n_rows, n_features),
    )
    y = (X @ rng.integers(1, 4, size=n_features) + rng.integers(2, size=n_rows)) % 3
    return {"X": X.tolist(), "y": y.tolist()}


def _draw_question(rng: np.random.Generator, n_features: int, n_values: int) -> dict:
    """One, three or four known variables; of several, two alone would leave something else."""
    while True:
        m, *S = rng.permutation(n_features)[: int(rng.choice([2, 4, 5]))].tolist()
        case = _draw_table(rng, 7 * n_features, n_features, n_values) | {"m": m, "S": sorted(S)}
        added, by_two = (_information(*_arrays(case | {"S": known})) for known in (S, S[:2]))
        capped = _information(*_arrays(case | {"X": np.minimum(case["X"], 2)}))
        tells = n_values < 4 or abs(added - capped) > 1e-3
        if added > 1e-3 and tells and (len(S) < 3 or abs(added - by_two) > 1e-3):
            return case


def _arrays(case: dict) -> tuple:
    rest = {key: value for key, value in case.items() if key not in ("X", "y")}
    return (np.array(case["X"]), np.array(case["y"]), *rest.values())


def _asked(case: dict) -> str:
    rest = ", ".join(f"{key} = {value}" for key, value in case.items() if key not in ("X", "y"))
    rows, columns = np.shape(case["X"])
    return ", ".join(filter(None, [f"of {rows} rows and {columns} variables", rest]))


def _information(X, y, m, S) -> float:
    """I(X_m; Y | X_S) by joint entropies: quick, since tasks and draws ask for it many times."""
    known, asked = X[:, list(S)], X[:, [*S, m]]
    after, before = (_joint_entropy(np.column_stack([part, y])) for part in (asked, known))
    return before - _joint_entropy(known) - after + _joint_entropy(asked)


def _plogp(p: np.ndarray) -> np.ndarray:
    return p * np.log2(np.where(p > 0, p, 1.0))


INFORMATION = Exercise(
    id="05.1",
    title="Conditional mutual information",
    points=2,
    expects="the bits that X_m adds when the variables in S are known: what is uncertain before, "
    "minus what is uncertain after",
    draw=_draw_question,
    turns=((6, 3), (5, 4), (7, 5)),
    n_cases=6,
    inputs=_arrays,
    describe=_asked,
    reference=given.information,
    hints=(
        "How uncertain is y when only S is known? entropy_left says it.",
        "After the answer, both S and m are known: the list [*S, m].",
        "entropy_left with S, minus entropy_left with S and m.",
    ),
    slips=(
        Slip(
            "nothing known before",
            lambda X, y, m, S: given.information(X, y, m, []),
            "This is what m adds when nothing is known. Here the variables in S are known "
            "already, before and after.",
        ),
        Slip(
            "forgets what was known",
            lambda X, y, m, S: -np.diff([*map(Categorical(X, y).conditional_entropy, (S, [m]))])[0],
            "Afterwards only m is known here. What was known before is still known: [*S, m].",
        ),
        Slip(
            "all together",
            lambda X, y, m, S: Categorical(X, y).mutual_information([*S, m]),
            "This is the information of S and m together. S was known before; only what m adds "
            "counts.",
        ),
        Slip(
            "what remains",
            lambda X, y, m, S: Categorical(X, y).conditional_entropy([*S, m]),
            "This is what remains uncertain when S and m are known. The information is how much "
            "the uncertainty went down.",
        ),
        Slip(
            "sign",
            lambda X, y, m, S: -given.information(X, y, m, S),
            "Right size, wrong sign: knowing more leaves less uncertain. Before minus after.",
        ),
    ),
)

# 05.2 One degree of theorem 1, three blanks


PLACES = ((5, 2), (7, 2), (7, 3))  # p, k at which every slip has a weight of its own


def _draw_degree(rng: np.random.Generator, p: int, k: int) -> dict:
    """Five or seven variables and a degree at which something is won.

    With four variables, degrees 1 and 2 have the same weight, 1 / (p (p - 1)); here it is wrong.
    """
    while True:
        case = _draw_table(rng, 5 * p, p) | {"m": int(rng.integers(p)), "k": k}
        if given.part(*_arrays(case)) > 1e-3:
            return case


def _with_information(case: dict) -> tuple:
    return *_arrays(case), given.information


def _places(X, k) -> int:
    """C_p^k (p - k): the number by which theorem 1 divides."""
    p = np.shape(X)[1]
    return comb(p, k) * (p - k)


DEGREE = Exercise(
    id="05.2",
    title="One degree of theorem 1",
    points=2,
    blanks=3,
    expects="the probability of a branch of size k that ends in m, times the information of m "
    "summed over all its contexts of size k",
    draw=_draw_degree,
    turns=PLACES,
    inputs=_with_information,
    describe=_asked,
    reference=lambda X, y, m, k, information: given.part(X, y, m, k),
    hints=(
        "A context of size k is a choice of k among the others; combinations gives all of them.",
        "Two probabilities: that the first k questions are exactly B, and that the next is m.",
        "1 / comb(p, k) for the branch and 1 / (p - k) for the draw of m, multiplied.",
    ),
    slips=(
        Slip(
            "draw of m left out",
            lambda X, y, m, k, _: given.part(X, y, m, k) * (np.shape(X)[1] - k),
            "The branch B has its probability 1 / C(p, k), but m must also be the next one drawn, "
            "among p - k variables.",
        ),
        Slip(
            "plain mean over the contexts",
            lambda X, y, m, k, _: given.part(X, y, m, k) * np.shape(X)[1],
            "This is the mean over the contexts of size k. m stands at place k + 1 of an order "
            "only once in p times.",
        ),
        Slip(
            "no weights",
            lambda X, y, m, k, _: given.part(X, y, m, k) * _places(X, k),
            "These are the informations added up without weights. How likely is a branch B, and "
            "how likely is m next?",
        ),
        Slip(
            "branch left out",
            lambda X, y, m, k, _: given.part(X, y, m, k) * comb(np.shape(X)[1], k),
            "m has its chance 1 / (p - k) to be drawn next. But the first k questions must also "
            "have been exactly B, one of C(p, k) sets.",
        ),
        Slip(
            "sets of the others",
            lambda X, y, m, k, _: (
                given.part(X, y, m, k) * comb(np.shape(X)[1], k) / comb(np.shape(X)[1] - 1, k)
            ),
            "The first k questions are drawn among all p variables, m included, so each set B "
            "comes with probability 1 / C(p, k), not 1 / C(p - 1, k).",
        ),
        Slip(
            "permutations",
            lambda X, y, m, k, _: given.part(X, y, m, k) * factorial(k),
            "Every context counts k! times here, once for each order of its variables. A context "
            "is a set: combinations gives each one once.",
        ),
        Slip(
            "one weight for all degrees",
            lambda X, y, m, k, _: given.part(X, y, m, k) * _places(X, k) / (_places(X, 1)),
            "1 / (p (p - 1)) is the weight of degree 1. How many sets of k are there, and how many "
            "variables are left to draw from, for this k?",
        ),
    ),
)

# 05.3 Theorem 1, from the signature


def _in_contexts(X, y, sizes) -> np.ndarray:
    """Mean information of each variable over all contexts of these sizes, equally weighted."""
    law, p = Categorical(X, y), np.shape(X)[1]
    means = []
    for m in range(p):
        others = [j for j in range(p) if j != m]
        contexts = [B for k in sizes for B in combinations(others, k)]
        means.append(np.mean([law.conditional_mutual_information(m, B) for B in contexts]))
    return np.array(means)


def _draw_theorem(rng: np.random.Generator, p: int) -> dict:
    """A variable of six values that decides most of the target: its importance is above 1 bit."""
    while True:
        values = rng.permutation([6, *rng.integers(2, 4, size=p - 1)])
        X = rng.integers(values, size=(8 * p, p))
        y = X[:, values.argmax()] + 6 * rng.integers(2, size=8 * p) * X[:, values.argmin()]
        if given.importance(X, y).max() > 1.1 and min(_in_contexts(X, y, [p - 1])) > 1e-3:
            return {"X": X.tolist(), "y": y.tolist()}


def _with_part(case: dict) -> tuple:
    return *_arrays(case), given.part


def _parts(X, y) -> np.ndarray:
    """Rows are variables, columns degrees."""
    return mdi_by_degree(Categorical(X, y))


THEOREM = Exercise(
    id="05.3",
    title="Theorem 1",
    points=3,
    expects="for each variable the sum of its parts over the degrees k = 0, ..., p - 1",
    draw=_draw_theorem,
    turns=((4,), (3,), (5,)),
    inputs=_with_part,
    describe=_asked,
    reference=lambda X, y, part: given.importance(X, y),
    hints=(
        "part(X, y, m, k) does one variable and one degree. Which degrees are there with p "
        "variables?",
        "k goes from 0, where nothing is known, to p - 1, where all others are.",
        "A list over m of the sum over k of part(X, y, m, k), as an array.",
    ),
    slips=(
        Slip(
            "all contexts weigh the same",
            lambda X, y, part: _in_contexts(X, y, range(np.shape(X)[1])),
            "Each of the contexts has the same weight here. In a random order each *size* is "
            "equally likely; the many contexts of middle size share its weight.",
            behind="M10",
        ),
        Slip(
            "alone",
            lambda X, y, part: _in_contexts(X, y, [0]),
            "This is the information of each variable alone. The degrees from 1 on are missing.",
        ),
        Slip(
            "after all others",
            lambda X, y, part: _in_contexts(X, y, [np.shape(X)[1] - 1]),
            "This is what each variable adds to all others: the loss if it were left out. That "
            "is one context of many.",
            behind="M9",
        ),
        Slip(
            "shares of 1",
            lambda X, y, part: given.importance(X, y) / given.importance(X, y).sum(),
            "These add up to 1. Theorem 1 gives bits, and they add up to what there is to know.",
            behind="M1",
        ),
        Slip(
            "last degree missing",
            lambda X, y, part: _parts(X, y)[:, :-1].sum(axis=1),
            "The degree p - 1, at which all others are known, is missing: range(p) goes up to "
            "p - 1, range(p - 1) only to p - 2.",
        ),
        Slip(
            "degree 0 missing",
            lambda X, y, part: _parts(X, y)[:, 1:].sum(axis=1),
            "The degree 0 is missing, where m is the first question and nothing is known before.",
        ),
        Slip(
            "mean over the degrees",
            lambda X, y, part: _parts(X, y).mean(axis=1),
            "This is the mean over the degrees. Each part has its probability in it already, so "
            "they are added up.",
        ),
        Slip(
            "by degree",
            lambda X, y, part: _parts(X, y).sum(axis=0),
            "One number per degree: the sum over the variables. Asked is one per variable, the "
            "sum over the degrees.",
        ),
    ),
)

# 05.4 Who wins the choice among K


def _draw_contest(rng: np.random.Generator, K: int, too_weak: bool = False) -> dict:
    """Distinct decreases; variable m is not the best, and too weak ever to win only if so asked.

    Nor is it the middle one, which K = 1 and K = 2 give the same chance.
    """
    r = int(rng.integers(max(K + 2, 4), 10))
    decreases = (rng.permutation(np.arange(1, 10))[:r] / 10).tolist()
    places = range(K - 1) if too_weak else [w for w in range(K, r - 1) if 2 * w != r - 1]
    worse = int(rng.choice(places))
    m = int(np.argsort(decreases)[worse])
    return {"decreases": decreases, "m": m, "K": K}


def _worse(decreases, m) -> int:
    return int((np.asarray(decreases) < decreases[m]).sum())


def _wins(decreases, m, K) -> float:
    return comb(_worse(decreases, m), K - 1) / comb(len(decreases), K)


def _wins_with_replacement(decreases, m, K) -> float:
    w, r = _worse(decreases, m), len(decreases)
    return ((w + 1) ** K - w**K) / r**K


CONTEST = Exercise(
    id="05.4",
    title="The chance to be chosen",
    points=2,
    expects="the probability that m is drawn among the K and has the largest decrease of them",
    draw=_draw_contest,
    turns=((2,), (4,), (5,), (1,), (4, True)),
    reference=_wins,
    n_cases=8,
    hints=(
        "m wins if it is drawn and everybody else who is drawn is worse.",
        "How many sets of K contain m and otherwise only worse ones? Divide by the number of all "
        "sets of K.",
        "comb(number of worse ones, K - 1) / comb(number of variables, K).",
    ),
    slips=(
        Slip(
            "only drawn",
            lambda decreases, m, K: K / len(decreases),
            "This is the probability that m is drawn at all. It must also be the best of those "
            "drawn.",
        ),
        Slip(
            "drawn for sure",
            lambda decreases, m, K: _wins(decreases, m, K) * len(decreases) / K,
            "You take for granted that m is among the K. It is drawn only K times in n, with "
            "n = len(decreases).",
        ),
        Slip(
            "the better ones counted",
            lambda decreases, m, K: (
                comb(len(decreases) - 1 - _worse(decreases, m), K - 1) / comb(len(decreases), K)
            ),
            "Here all others that are drawn are better than m. m is asked if they are all worse: "
            "the one with the largest decrease wins.",
        ),
        Slip(
            "with replacement",
            _wins_with_replacement,
            "Here a variable may be drawn twice. The K variables are different ones: count sets.",
        ),
        Slip(
            "nobody better drawn",
            lambda decreases, m, K: comb(_worse(decreases, m) + 1, K) / comb(len(decreases), K),
            "This is the probability that none of the K is better than m. It counts also the sets "
            "in which m itself is not.",
        ),
        Slip(
            "best of all",
            lambda decreases, m, K: 0.0,
            "0, because some variable is better than m? That one may not be among the K. m wins "
            "whenever all others that are drawn are worse.",
        ),
    ),
)

# 05.5 A tree that always asks the best question


def _joint(X, y) -> np.ndarray:
    """Shares of the rows by variable, value and class, all with the values 0, 1, ..."""
    p, n_values, n_classes = X.shape[1], X.max() + 1, y.max() + 1
    cell = (np.arange(p) * n_values + X) * n_classes + y[:, np.newaxis]
    joint = np.bincount(cell.ravel(), minlength=p * n_values * n_classes)
    return joint.reshape(p, n_values, n_classes) / len(y)


def _gains(X, y) -> np.ndarray:
    """Information of each variable about y; quick, since draws ask for it many times."""
    joint = _joint(X, y)
    return _plogp(joint).sum(axis=(1, 2)) + _split(joint) - _plogp(joint.sum(1)).sum(1)


def _split(joint: np.ndarray) -> np.ndarray:
    """Entropy of each variable itself."""
    return -_plogp(joint.sum(axis=2)).sum(axis=1)


def _clear_choices(X, y) -> bool:
    """Whether every node that can be improved has one best question, by a margin."""
    gains = _gains(X, y)
    if gains.max() < 1e-9:
        return True
    second, best = np.sort(gains)[-2:]
    if best - second < 1e-4:
        return False
    m = int(gains.argmax())
    return all(_clear_choices(X[X[:, m] == v], y[X[:, m] == v]) for v in np.unique(X[:, m]))


def _table(often) -> dict:
    """The table that has each cell so often: one variable of some values, three of two, and y."""
    n_values = len(often) // 16
    cells = np.array(list(product(range(n_values), *[range(2)] * 4)))
    rows = np.repeat(cells, often, axis=0)
    return {"X": rows[:, :4].tolist(), "y": rows[:, 4].tolist()}


# By this table every tree of WRONG_TREES is told from the right one and from the others. Where the
# first variable is 0, y is odd or even with the other three: a branch ends, and not all is known.
TELLING = _table([int(n) for n in "011010011001011000290200021000100021110109101011"])


# Once the first variable is known, the second adds 0.000005 bits, and no more is there to be known.
FAINT = {
    "X": [[a, w] for a in (0, 1) for w, n in ((0, 21), (1, 19)) for _ in range(n)],
    "y": [2 * a + (k < n) for a in (0, 1) for n, of in ((10, 21), (9, 19)) for k in range(of)],
}


def _draw_greedy(rng, n_values: int, first: int, step: int, narrow: str) -> dict:
    """Four variables, all of which some branch has to ask; one has some values, and y two.

    Values are `first` and so on in steps. Nodes of one level choose differently, and no node has a
    near tie.
    """
    while True:
        case = _table(rng.integers(0, 5, size=16 * n_values))
        X, y = first + step * np.array(case["X"])[:, rng.permutation(4)], np.array(case["y"])
        names = ("three questions on a branch", "two children only", narrow)
        wrong = (_level_by_level(X, y), *(_greedy(X, y, **WRONG_TREES[name]) for name in names))
        if _clear_choices(X, y) and min(abs(_greedy(X, y) - w).max() for w in wrong) > 1e-3:
            return {"X": X.tolist(), "y": y.tolist()}


def _greedy(X, y, **changed) -> np.ndarray:
    """MDI of the tree that asks the best question in each node, or that of one in `WRONG_TREES`."""
    options = RIGHT_TREE | changed
    gains = _gains(X, y) if len(y) else np.zeros(X.shape[1])
    importances = np.zeros(X.shape[1])
    m = options["choose"](X, y, gains) if options["most"] and len(y) else None
    if m is None:
        return importances
    importances[m] = gains[m]
    below = changed | {"most": options["most"] - 1}
    for value in options["values"](X[:, m]):
        child = X[:, m] == value
        share = child.mean() if options["by_share"] else 1.0
        importances += share * _greedy(X[child], y[child], **below)
    return importances


def _best(X, y, gains) -> int | None:
    return None if gains.max() < 1e-9 else int(gains.argmax())


def _best_ratio(X, y, gains) -> int | None:
    """By gain ratio: information divided by the entropy of the split itself."""
    split = _split(_joint(X, y))
    return _best(X, y, np.divide(gains, split, out=0 * gains, where=split > 1e-9))


def _best_by_gini(X, y, gains) -> int | None:
    joint = _joint(X, y)
    shares = np.maximum(joint.sum(axis=2), 1e-12)
    return _best(X, y, ((joint**2).sum(2) / shares).sum(1) - (joint.sum(1) ** 2).sum(1))


def _best_or_any(X, y, gains) -> int | None:
    """Where no question removes anything, the first that still divides the rows."""
    dividing = np.flatnonzero(np.ptp(X, axis=0))
    return _best(X, y, gains) if gains.max() > 1e-9 or not len(dividing) else int(dividing[0])


def _best_if_much(X, y, gains) -> int | None:
    return _best(X, y, gains) if gains.max() > 1e-3 else None


def _best_of_many_rows(X, y, gains) -> int | None:
    return _best(X, y, gains) if len(y) > 2 else None


RIGHT_TREE = {"choose": _best, "values": np.unique, "by_share": True, "most": 9}
WRONG_TREES = {
    "gain ratio": {"choose": _best_ratio},
    "small nodes left out": {"choose": _best_of_many_rows},
    "small gains left out": {"choose": _best_if_much},
    "chosen by Gini": {"choose": _best_by_gini},
    "goes on where nothing is removed": {"choose": _best_or_any},
    "two children only": {"values": lambda column: (0, 1)},
    "three children only": {"values": lambda column: (0, 1, 2)},
    "children counted from 0": {"values": lambda column: range(len(np.unique(column)))},
    "three questions on a branch": {"most": 3},
}


def _wrong_tree(name: str):
    return lambda X, y, information: _greedy(X, y, **WRONG_TREES[name])


def _level_by_level(X, y) -> np.ndarray:
    """The slip of asking the same question in every node of a level."""
    p, known = X.shape[1], []
    importances = np.zeros(p)
    while len(known) < p:
        gains = {m: given.information(X, y, m, known) for m in range(p) if m not in known}
        best = max(gains, key=gains.get)
        importances[best] = gains[best]
        known.append(best)
    return importances


def _root_only(X, y) -> np.ndarray:
    gains = _gains(X, y)
    return np.where(gains == gains.max(), gains, 0.0)


GREEDY = Exercise(
    id="05.5",
    title="A tree that asks the best question",
    points=3,
    expects="for each variable the sum over the nodes that ask it of p(t) times the information "
    "in the node",
    draw=_draw_greedy,
    turns=((4, 0, 1, "three children only"), (3, 1, 2, "children counted from 0")),
    inputs=_with_information,
    describe=_asked,
    reference=lambda X, y, information: _greedy(X, y),
    n_cases=2,
    always=(TELLING, FAINT),
    hints=(
        "In the root, compute information(X, y, m, []) for each m. The largest one is asked and "
        "credited.",
        "Each child is a smaller table, X[X[:, m] == value]. The function can call itself on it; "
        "it ends where no question removes anything.",
        "What comes back from a child counts by the child's share of the rows of this node.",
    ),
    slips=(
        Slip(
            "p(t) left out",
            lambda X, y, information: _greedy(X, y, by_share=False),
            "Every node counts the same here. What is credited in a child counts by its share of "
            "the rows.",
        ),
        Slip(
            "only the root",
            lambda X, y, information: _root_only(X, y),
            "Only the first question is credited. The tree goes on in each child.",
        ),
        Slip(
            "two children only",
            _wrong_tree("two children only"),
            "Only the children with the values 0 and 1 are followed. A variable may have more "
            "values: np.unique(X[:, m]) has them all, and each has a child.",
        ),
        Slip(
            "three children only",
            _wrong_tree("three children only"),
            "Only the children with the values 0, 1 and 2 are followed. A variable may have other "
            "values: np.unique(X[:, m]) has them all, and each has a child.",
        ),
        Slip(
            "children counted from 0",
            _wrong_tree("children counted from 0"),
            "The children are looked for at 0, 1, 2, ..., as many as there are values. The values "
            "themselves may be others, such as 1, 3 and 5: np.unique(X[:, m]) has them.",
        ),
        Slip(
            "one question per level",
            lambda X, y, information: _level_by_level(X, y),
            "All nodes of a level ask the same question here. Each node chooses for itself, given "
            "the answers that lead to it.",
        ),
        Slip(
            "theorem 1",
            lambda X, y, information: given.importance(X, y),
            "These are the values of trees that ask at random. This tree always asks the best "
            "question, in each node.",
            behind="M1",
        ),
        Slip(
            "gain ratio",
            _wrong_tree("gain ratio"),
            "The question is chosen by its information divided by the entropy of the split itself. "
            "Here the one with the most information is asked, whatever its values.",
        ),
        Slip(
            "chosen by Gini",
            _wrong_tree("chosen by Gini"),
            "The question is chosen by Gini and credited with information. Choose, too, by "
            "information: the two do not always agree on the best one.",
        ),
        Slip(
            "goes on where nothing is removed",
            _wrong_tree("goes on where nothing is removed"),
            "Where no question removes anything, this tree goes on. In the task a branch ends "
            "there, even if two questions together would remove something.",
        ),
        Slip(
            "small gains left out",
            _wrong_tree("small gains left out"),
            "A branch ends here although a question would still remove a little. It ends only "
            "where all of them are below 1e-9: small is not zero.",
        ),
        Slip(
            "small nodes left out",
            _wrong_tree("small nodes left out"),
            "Nodes of two rows ask nothing here. If their targets differ, there is a bit to be "
            "removed, and the question that removes it is credited.",
        ),
        Slip(
            "shares of 1",
            lambda X, y, information: _greedy(X, y) / _greedy(X, y).sum(),
            "These add up to 1. The task asks for importances that are not normalised: bits.",
            behind="M1",
        ),
    ),
)

# 05.6 A use: who is irrelevant?


WEAK = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [11, 10, 10, 9], axis=0)  # 0.000005 bits


def _draw_roles(rng: np.random.Generator, n_coins: int) -> dict:
    """y is the parity of a, b, c and d, and a bit that w hardly predicts; one or two coins.

    Of the parity, nothing is known from fewer than four inputs. a has a copy: both add nothing
    alone and nothing after all others, and are relevant. Columns in any order.
    """
    bits = np.array(list(product((0, 1), repeat=4 + n_coins)))
    rows, weak = np.repeat(bits, len(WEAK), axis=0), np.tile(WEAK, (len(bits), 1))
    y = 2 * (rows[:, :4].sum(axis=1) % 2) + weak[:, 1]
    X = np.column_stack([rows, rows[:, 0], weak[:, 0]])
    return {"X": X[:, rng.permutation(X.shape[1])].tolist(), "y": y.tolist()}


def _with_importance(case: dict) -> tuple:
    return *_arrays(case), given.importance


def _nothing_alone(X, y) -> set[int]:
    return _zero(_in_contexts(X, y, [0]))


def _nothing_last(X, y) -> set[int]:
    return _zero(_in_contexts(X, y, [np.shape(X)[1] - 1]))


def _zero(values, below: float = 1e-9) -> set[int]:
    return set(np.flatnonzero(np.asarray(values) < below).tolist())


IRRELEVANT = Exercise(
    id="05.6",
    title="Who is irrelevant?",
    points=2,
    expects="the set of the positions of all variables that add nothing about y in any context",
    draw=_draw_roles,
    turns=((1,), (2,)),
    inputs=_with_importance,
    describe=_asked,
    reference=lambda X, y, importance: _zero(given.importance(X, y)),
    n_cases=3,
    hints=(
        "Theorem 3: importance(X, y) is 0 exactly for the irrelevant variables.",
        "Computed numbers are seldom exactly 0: take those below 1e-9.",
    ),
    slips=(
        Slip(
            "nothing alone",
            lambda X, y, importance: _nothing_alone(X, y),
            "Some of these say nothing alone, nor beside one or two others, and much together: "
            "they decide whether a sum is odd. Irrelevant means: nothing in any context.",
        ),
        Slip(
            "nothing after the others",
            lambda X, y, importance: _nothing_last(X, y),
            "Some of these add nothing after all others because another one says the same, and "
            "nothing alone because they count only together. Look at the contexts in between: "
            "dispensable is not irrelevant.",
            behind="M3",
        ),
        Slip(
            "small taken for zero",
            lambda X, y, importance: _zero(given.importance(X, y), below=1e-3),
            "Some of these have a small importance, and small is not zero: here the numbers are "
            "exact but for rounding, which is far below 1e-9.",
        ),
        Slip(
            "exactly zero",
            lambda X, y, importance: set(),
            "The empty set. Rounding keeps computed values from being exactly 0; compare with a "
            "tiny number such as 1e-9.",
        ),
        Slip(
            "the relevant ones",
            lambda X, y, importance: set(range(np.shape(X)[1])) - _zero(given.importance(X, y)),
            "These are the relevant ones. Asked are the others, those that add nothing.",
        ),
        Slip(
            "counted from 1",
            lambda X, y, importance: {m + 1 for m in _zero(given.importance(X, y))},
            "These positions count from 1. In Python they count from 0, as everywhere here.",
        ),
    ),
)

# 05.7 What survives the choice

SURVIVES = Exercise(
    id="05.7",
    title="What stays true when trees choose",
    points=1,
    expects="the letters of all statements that hold for every K, in the limit of infinitely many "
    "trees and rows, with ties broken at random",
    reference=lambda: {"a", "b", "e"},
    hints=(
        "Two of the axioms survive. Which of these statements are they?",
        "Masking takes from a variable what others can say as well. Whom can it never leave with "
        "nothing?",
    ),
    slips=(
        Slip(
            "all of them",
            lambda: set("abcdef"),
            "All six hold for K = 1. Choosing among K > 1 breaks three of them.",
            behind="M10",
        ),
        Slip(
            "zero means irrelevant",
            lambda: {"a", "b", "c", "e"},
            "One of yours fails for the display with the digit as an eighth input: at K = 8 the "
            "digit has everything. What does that say of the segments?",
            behind="M1",
        ),
        Slip(
            "symmetry kept",
            lambda: {"a", "b", "d", "e"},
            "One of yours fails for the two gauges of the further part: at K = 3 one gets twice "
            "as much as the other.",
            behind="M10",
        ),
        Slip(
            "only the axioms",
            lambda: {"a", "b"},
            "Two axioms, yes. But one more statement is true: whom can masking never leave with "
            "nothing?",
        ),
        Slip(
            "further variable harmless",
            lambda: {"a", "b", "e", "f"},
            "One of yours forgets that whoever is drawn takes a place among the K. Among the "
            "rest there is then less to choose from.",
            behind="M10",
        ),
        Slip(
            "the sum left out",
            lambda: {"b", "e"},
            "Both of yours hold, and one more. In the end every branch has asked everything, "
            "whatever it asked first. What, then, has it removed altogether?",
        ),
        Slip(
            "the irrelevant left out",
            lambda: {"a", "e"},
            "Both of yours hold, and one more. Who may be asked where nobody removes more, and "
            "what can that one be credited with?",
        ),
    ),
)

EXERCISES = (INFORMATION, DEGREE, THEOREM, CONTEST, GREEDY, IRRELEVANT, SURVIVES)
