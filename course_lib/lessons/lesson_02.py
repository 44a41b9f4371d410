"""The exercises of lesson 02: what chance is paid, the out-of-bag cure, and honest probes."""

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor

from course_lib.lessons.exercise import ALLOWED, Exercise, Slip
from course_lib.measures.forests.bags import in_bag_counts
from course_lib.measures.forests.mdi import mdi, saabas, unbiased_mdi
from course_lib.models.impurities import impurity_decrease

IMPURITIES = ("course_lib.models.impurity", "course_lib.models.impurity_decrease")
LIMIT = 0.02  # p-values up to here count as dependent in 02.6

# 02.1 The best of many cuts, three blanks


def _draw_column(rng: np.random.Generator) -> dict:
    """Five values of x, the best cut not the first one."""
    while True:
        x = rng.permutation([*range(1, 6), *rng.integers(1, 6, size=7)])
        case = {"x": x.tolist(), "y": rng.normal(size=12).round(3).tolist()}
        if _decreases(*_column(case))[0] < 0.5 * _largest(*_column(case)):
            return case


def _column(case: dict) -> tuple[np.ndarray, np.ndarray]:
    return np.array(case["x"]), np.array(case["y"])


def _decreases(x, y, kind: str = "variance") -> list[float]:
    return [impurity_decrease(y, x <= value, kind) for value in np.unique(x)[:-1]]


def _largest(x, y) -> float:
    """The largest decrease of the variance over all cuts of x; 0 if there is none."""
    x = np.asarray(x)
    order = np.argsort(x, kind="stable")
    cut = np.flatnonzero(np.diff(x[order])) + 1
    sums = (y - np.mean(y))[order].cumsum()[cut - 1]
    return float(np.max(sums**2 / (cut * (len(y) - cut)), initial=0.0))


BEST = Exercise(
    id="02.1",
    title="The best of many cuts",
    points=2,
    expects="the largest decrease of the variance of y over all cuts between values of x",
    draw=_draw_column,
    inputs=_column,
    reference=_largest,
    allowed=(*ALLOWED, *IMPURITIES),
    hints=(
        "x takes five different values. How many different ways are there to cut them in two?",
        "x <= t with t the largest value leaves nobody on the right, so leave that one out: "
        "np.unique(x)[:-1].",
        "The impurity of numbers is called 'variance'; the tree keeps the largest decrease.",
    ),
    slips=(
        Slip(
            "mean over the cuts",
            lambda x, y: float(np.mean(_decreases(x, y))),
            "That is what a cut drawn at random removes on average. The tree keeps the best.",
        ),
        Slip(
            "entropy",
            lambda x, y: max(_decreases(x, y, "entropy")),
            "That is the decrease of entropy, as if every number were a class of its own. For "
            "numbers the impurity is the variance.",
        ),
        Slip(
            "smallest decrease",
            lambda x, y: min(_decreases(x, y)),
            "That is the worst cut. The tree keeps the one that removes most.",
        ),
        Slip(
            "the first cut",
            lambda x, y: _decreases(x, y)[0],
            "That is the cut above the smallest value only. There are as many cuts as different "
            "values, less one.",
        ),
    ),
)

# 02.2 What a blind split is paid


def _draw_node(rng: np.random.Generator) -> dict:
    y = rng.normal(scale=3, size=rng.integers(8, 30)).round(2)
    return {"y": y.tolist(), "n_children": int(rng.integers(2, 7))}


def _blind(y, n_children) -> float:
    return float(np.var(y) * (n_children - 1) / (len(y) - 1))


BLIND = Exercise(
    id="02.2",
    title="What a blind split is paid",
    points=2,
    expects="the variance of y times (n_children - 1) / (n - 1)",
    draw=_draw_node,
    inputs=lambda case: (np.array(case["y"]), case["n_children"]),
    reference=_blind,
    describe=lambda case: f"of {len(case['y'])} targets and {case['n_children']} children",
    hints=(
        "The worked example has two children. In which number of the formula do they hide?",
        "One blind cut removes one unit, i(t)/(n-1). Each further child removes one unit more.",
    ),
    slips=(
        Slip(
            "one unit for each child",
            lambda y, k: float(np.var(y) * k / (len(y) - 1)),
            "Two children are one cut, so two children are one unit, not two.",
        ),
        Slip(
            "divided by n",
            lambda y, k: float(np.var(y) * (k - 1) / len(y)),
            "Nearly: a unit is i(t)/(n-1), not i(t)/n. The worked example shows it with six "
            "targets.",
        ),
        Slip(
            "impurity left out",
            lambda y, k: (k - 1) / (len(y) - 1),
            "That is the share of the impurity that is removed. Multiply it by the impurity.",
        ),
        Slip(
            "always one cut",
            lambda y, k: _blind(y, 2),
            "That holds for two children only; your answer does not depend on their number.",
        ),
    ),
)

# 02.3 How often chance does as well


def _draw_test(rng: np.random.Generator) -> dict:
    """A weak dependence: some shuffles do better, most do not, and none does equally well."""
    while True:
        x = rng.integers(1, 9, size=20)
        y = 0.12 * x + rng.normal(size=20)
        shuffles = rng.permuted(np.tile(y, (49, 1)), axis=1)
        apart = [abs(_largest(x, shuffled) - _largest(x, y)) for shuffled in shuffles]
        if 2 < _exceedances(x, y, shuffles) < 20 and min(apart) > 1e-6:
            return {"x": x.tolist(), "y": y.tolist(), "shuffles": shuffles.tolist()}


def _exceedances(x, y, shuffles) -> int:
    """How many shuffles allow a cut as good as the observed one."""
    observed = _largest(x, y)
    return int(sum(_largest(x, shuffled) >= observed - 1e-12 for shuffled in shuffles))


def _p_value(x, y, shuffles) -> float:
    return (1 + _exceedances(x, y, shuffles)) / (1 + len(shuffles))


P_VALUE = Exercise(
    id="02.3",
    title="How often chance does as well",
    points=2,
    expects="(1 + the number of shuffles whose best cut decreases at least as much as the one of "
    "y) / (1 + the number of shuffles)",
    draw=_draw_test,
    inputs=lambda case: tuple(np.array(case[name]) for name in ("x", "y", "shuffles")),
    reference=_p_value,
    describe=lambda case: f"of {len(case['x'])} rows and {len(case['shuffles'])} shuffles",
    allowed=(*ALLOWED, *IMPURITIES),
    hints=(
        "best_decrease(x, y) is the observed value; best_decrease(x, shuffled) is what chance "
        "does.",
        "Each row of shuffles is one order of the same targets. Loop over the rows.",
        "The observed order is one of the possible orders itself: it counts above and below.",
    ),
    slips=(
        Slip(
            "the observed order left out",
            lambda x, y, shuffles: _exceedances(x, y, shuffles) / len(shuffles),
            "The observed order is one of the orders that chance could give. Count it, above and "
            "below, or a p-value can be 0.",
        ),
        Slip(
            "the other tail",
            lambda x, y, shuffles: (
                (1 + len(shuffles) - _exceedances(x, y, shuffles)) / (1 + len(shuffles))
            ),
            "That counts the shuffles that do worse. The p-value asks how often chance does at "
            "least as well.",
        ),
        Slip(
            "a count",
            lambda x, y, shuffles: 1 + _exceedances(x, y, shuffles),
            "That is how many orders do at least as well. Divide by how many there are.",
        ),
    ),
)

# 02.4 One split, judged by rows that did not choose it


def _draw_bag(rng: np.random.Generator) -> dict:
    """A split that looks good in the bag, some rows outside, both sides filled."""
    n_in, n_out = int(rng.integers(10, 16)), int(rng.integers(7, 12))
    left_in = np.arange(n_in) < rng.integers(3, 6)
    left_out = np.arange(n_out) < rng.integers(2, 4)
    y_in, y_out = rng.normal(5, 1, size=n_in) + 1.5 * left_in, rng.normal(5, 1, size=n_out)
    pieces = {"y_in": y_in.round(3), "left_in": left_in}
    pieces |= {"y_out": y_out.round(3), "left_out": left_out}
    return {name: values.tolist() for name, values in pieces.items()}


def _bag(case: dict) -> tuple:
    return tuple(np.array(values) for values in case.values())


def _gain(y_in, left_in, y_out, left_out, *, centre=None) -> float:
    """Mean over the rows outside of (move of the in-bag mean) times (target - centre)."""
    node = y_in.mean()
    centre = node if centre is None else centre
    move = np.where(left_out, y_in[left_in].mean() - node, y_in[~left_in].mean() - node)
    return float(np.mean(move * (y_out - centre)))


GAIN = Exercise(
    id="02.4",
    title="One split, judged from outside the bag",
    points=3,
    expects="the mean, over the rows outside, of the move of the in-bag mean times the target "
    "less the in-bag mean of the node",
    draw=_draw_bag,
    inputs=_bag,
    reference=_gain,
    describe=lambda case: (
        f"of {len(case['y_in'])} rows in the bag and {len(case['y_out'])} outside"
    ),
    hints=(
        "The moves come from the bag: the mean of y_in in each child, less the mean of y_in in "
        "the node.",
        "Each row outside is sent left or right by left_out and gets the move of that side: "
        "np.where(left_out, move_left, move_right).",
        "Multiply each row's move with y_out less the mean of y_in, and take the mean over the "
        "rows outside.",
    ),
    slips=(
        Slip(
            "judged by the bag",
            lambda y_in, left_in, y_out, left_out: _gain(y_in, left_in, y_in, left_in),
            "That is the decrease of the variance in the bag: ordinary MDI, judged by the rows "
            "that chose the split.",
            behind="M1",
        ),
        Slip(
            "moves from outside",
            lambda y_in, left_in, y_out, left_out: _gain(y_out, left_out, y_out, left_out),
            "The moves are computed from the rows outside, so these rows judge their own moves. "
            "The moves belong to the bag.",
            behind="M1",
        ),
        Slip(
            "not centred",
            lambda y_in, left_in, y_out, left_out: _gain(
                y_in, left_in, y_out, left_out, centre=0.0
            ),
            "Add 100 to every target and your answer changes. Subtract the in-bag mean of the "
            "node from the targets first.",
        ),
        Slip(
            "sum over the rows",
            lambda y_in, left_in, y_out, left_out: (
                len(y_out) * _gain(y_in, left_in, y_out, left_out)
            ),
            "That is the sum over the rows outside. Take their mean.",
        ),
    ),
)

# 02.5 The cure for a whole forest


def _draw_forest(rng: np.random.Generator) -> dict:
    return {"n_samples": int(rng.integers(50, 90)), "seed": int(rng.integers(10**6))}


def _forest(case: dict) -> tuple:
    rng = np.random.default_rng(case["seed"])
    X = rng.normal(size=(case["n_samples"], 3))
    y = 10 + X @ [1.0, 0.5, 0.0] + rng.normal(size=len(X))
    forest = RandomForestRegressor(n_estimators=5, max_depth=3, random_state=case["seed"])
    return forest.fit(X, y), X, y


def _mean_gain(
    forest, X, y, *, rows=lambda counts: counts == 0, centred: bool = True
) -> np.ndarray:
    """Mean over trees of the mean of (contribution) times (target) over the chosen rows."""
    gains = []
    for tree, counts in zip(forest.estimators_, in_bag_counts(forest, X).T, strict=True):
        explained, weight = saabas(tree, X), rows(counts)
        target = y - explained.base * centred
        gains.append((weight * target) @ explained.values / weight.sum())
    return np.mean(gains, axis=0)


CURE = Exercise(
    id="02.5",
    title="MDI-oob of a forest",
    points=3,
    expects="for each feature the mean over the trees of the mean, over each tree's out-of-bag "
    "rows, of its contribution times (y - base)",
    draw=_draw_forest,
    inputs=_forest,
    reference=lambda forest, X, y: unbiased_mdi(forest, X, y).importances_mean,
    describe=lambda case: f"of a forest on {case['n_samples']} rows",
    allowed=(
        *ALLOWED,
        "course_lib.measures.saabas",
        "course_lib.measures.in_bag_counts",
    ),
    n_cases=3,
    hints=(
        "One tree first: saabas(tree, X).values has one row per sample and one column per "
        "feature; multiply each row by its y - base.",
        "Column k of in_bag_counts(forest, X) belongs to tree k; a row is out of bag where it is "
        "0.",
        "Mean over the tree's out-of-bag rows, then mean over the trees.",
    ),
    slips=(
        Slip(
            "rows in the bag",
            lambda forest, X, y: mdi(forest).importances_mean,
            "That is ordinary MDI: the rows in the bag, which chose the splits, judge them too.",
            behind="M1",
        ),
        Slip(
            "all rows",
            lambda forest, X, y: _mean_gain(forest, X, y, rows=lambda counts: counts >= 0),
            "All rows judge here, also those that chose the splits. Keep the rows that the tree "
            "has never seen.",
            behind="M1",
        ),
        Slip(
            "not centred",
            lambda forest, X, y: _mean_gain(forest, X, y, centred=False),
            "Add 100 to every target and your answer changes. Subtract the tree's base from y "
            "first.",
        ),
    ),
)

# 02.6 Probes that were not seen before


def _draw_probes(rng: np.random.Generator) -> dict:
    """Two broken and two sound probes under letters, the sound ones far from the limit."""
    while True:
        case = {"seed": int(rng.integers(10**6)), "order": rng.permutation(4).tolist()}
        p = [_p_value(x, *_probes(case)[1:]) for x in _probe_columns(case)]
        if p[1] <= LIMIT and min(p[2:]) > 0.15:
            return case


def _probe_columns(case: dict) -> list[np.ndarray]:
    """A constant and a row number, which are broken; a coin and a die, which are sound."""
    rng = np.random.default_rng(case["seed"])
    coin, die = rng.permutation(24) % 2, rng.integers(1, 7, size=24)
    return [rng.integers(0, 1, size=24), np.arange(24), coin, die]


def _probes(case: dict) -> tuple:
    """The table of probes, a target stored in an order that carries signal, and its shuffles."""
    rng = np.random.default_rng([case["seed"], 1])
    columns = _probe_columns(case)
    table = pd.DataFrame(
        {letter: columns[k] for letter, k in zip("abcd", case["order"], strict=True)}
    )
    y = np.linspace(0, 3, 24) + rng.normal(size=24)
    return table, y, rng.permuted(np.tile(y, (99, 1)), axis=1)


def _dependent(probes, y, shuffles) -> set[str]:
    return {name for name in probes if _p_value(probes[name], y, shuffles) <= LIMIT}


def _constant(probes) -> set[str]:
    return {name for name in probes if probes[name].nunique() == 1}


PROBES = Exercise(
    id="02.6",
    title="Broken probes",
    points=2,
    expects=f"the names of the probes that are constant or whose p-value is at most {LIMIT}",
    draw=_draw_probes,
    inputs=_probes,
    reference=lambda probes, y, shuffles: _constant(probes) | _dependent(probes, y, shuffles),
    describe=lambda case: "of four probes on 24 rows",
    n_cases=2,
    allowed=(*ALLOWED, *IMPURITIES),
    hints=(
        "A constant cannot be cut, so look for constants before you ask for a p-value.",
        "For each remaining column, p_value(probes[name], y, shuffles) says whether it is "
        "independent of y.",
        "Collect the names in a set: constant, or p-value at most 0.02.",
    ),
    slips=(
        Slip(
            "constants waved through",
            lambda probes, y, shuffles: _dependent(probes, y, shuffles),
            "A constant is independent of everything, so no p-value finds it. Count the values of "
            "each probe too.",
        ),
        Slip(
            "only the constants",
            lambda probes, y, shuffles: _constant(probes),
            "You found the constants. A probe with many values can be broken too: compare it with "
            "shuffled targets.",
        ),
        Slip(
            "the sound ones",
            lambda probes, y, shuffles: (
                set(probes) - _constant(probes) - _dependent(probes, y, shuffles)
            ),
            "These are the probes that are in order. The broken ones are wanted.",
        ),
    ),
)

# 02.7 What helps?

HELPS = Exercise(
    id="02.7",
    title="What lowers the pay of noise",
    points=1,
    expects="the letters of all changes that lower the expected importance of pure noise",
    reference=lambda: {"c", "e", "f"},
    hints=(
        "Noise is paid by the split. Which changes leave fewer splits, or make each one cheaper, "
        "or let other rows judge?",
        "Look at the figure of section 2.5: for which way of growing does more data help?",
    ),
    slips=(
        Slip(
            "more of everything",
            lambda: {"a", "c", "d", "e", "f"},
            "More trees average the same bias more precisely, and with pure leaves more rows only "
            "make more splits.",
            behind="M4",
        ),
        Slip(
            "more trees",
            lambda: {"a", "c", "e", "f"},
            "More trees take the mean of more biased values. The mean of a bias is the bias.",
            behind="M4",
        ),
        Slip(
            "more rows always help",
            lambda: {"c", "d", "e", "f"},
            "With pure leaves all impurity is removed, however many rows there are.",
        ),
        Slip(
            "only the out-of-bag rows",
            lambda: {"f"},
            "That is the only one that removes the bias. But the question is what lowers it, and "
            "fewer splits for the same sample do that too.",
        ),
    ),
)

EXERCISES = (BEST, BLIND, P_VALUE, GAIN, CURE, PROBES, HELPS)
