"""The exercises of lesson 02: what chance removes, the out-of-bag cure, and honest probes."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor

from course_lib.lessons.exercise import ALLOWED, Exercise, Slip, turn
from course_lib.measures.forests.bags import in_bag_counts
from course_lib.measures.forests.mdi import mdi, saabas, unbiased_mdi
from course_lib.models.impurities import impurity_decrease

IMPURITIES = ("course_lib.models.impurity", "course_lib.models.impurity_decrease")

# 02.1 The best of many cuts, three blanks


CUTS = ((5, 2), (6, 0), (7, 5), (4, 1))  # the number of values of x, the place of the best cut


def _draw_column(rng: np.random.Generator, n_values: int, best: int) -> dict:
    """Some values of x; the best cut is by turns in the middle, the first, the last, the middle.

    It is so by far, though to cut between equal values would remove still more. One row alone, by
    turns the last and the first, has the value at which it cuts, and the next value is near.
    """
    first = bool(turn(rng) % 2)
    while True:
        x = _values_of_x(rng, n_values, best, first=first)
        y = rng.normal(size=len(x)) + 0.5 * (x <= np.unique(x)[best])
        case = {"x": x.tolist(), "y": y.round(3).tolist()}
        decreases = _all_cuts(*_column(case))
        others = np.delete(decreases, best)
        clear = 2 * others.min() < others.max() < 0.8 * decreases[best]
        if clear and _largest_between_rows(*_column(case)) > 1.05 * decreases[best]:
            return case


def _values_of_x(rng: np.random.Generator, n_values: int, best: int, *, first: bool) -> np.ndarray:
    """Values with ties, except for the one with the place `best`, in the first or the last row."""
    values = np.sort(rng.choice(np.arange(5, 100), size=n_values, replace=False)) / 10
    values[best + 1] = values[best] + 0.02
    others = np.delete(values, best)
    rows = rng.permutation([*others, *rng.choice(others, size=7)])
    return np.round([values[best], *rows] if first else [*rows, values[best]], 2)


def _column(case: dict) -> tuple[np.ndarray, np.ndarray]:
    return np.array(case["x"]), np.array(case["y"])


def _decreases(x, y, kind: str = "variance") -> list[float]:
    return [impurity_decrease(y, x <= value, kind) for value in np.unique(x)[:-1]]


def _all_cuts(x, y) -> np.ndarray:
    """The decrease of the variance at each cut of x, by sums of squares."""
    x = np.asarray(x)
    order = np.argsort(x, kind="stable")
    cut = np.flatnonzero(np.diff(x[order])) + 1
    return _removed_after(cut, np.asarray(y)[order])


def _removed_after(cut, y) -> np.ndarray:
    """What it removes to cut off the first `cut` targets."""
    sums = (y - y.mean()).cumsum()[cut - 1]
    return sums**2 / (cut * (len(y) - cut))


def _largest_between_rows(x, y) -> float:
    """The slip of cutting after every row of the sorted table, also between equal values."""
    in_order = np.asarray(y)[np.argsort(x, kind="stable")]
    return float(_removed_after(np.arange(1, len(y)), in_order).max())


def _largest(x, y) -> float:
    """The largest decrease of the variance over all cuts of x; 0 if there is none."""
    return float(np.max(_all_cuts(x, y), initial=0.0))


def _best_at(thresholds, x, y) -> float:
    """The slip of trying other thresholds than the values of x."""
    return max(impurity_decrease(y, x <= value, "variance") for value in thresholds)


BEST = Exercise(
    id="02.1",
    title="The best of many cuts",
    points=2,
    blanks=3,
    expects="the largest decrease of the variance of y over all cuts between values of x",
    draw=_draw_column,
    turns=CUTS,
    inputs=_column,
    reference=_largest,
    allowed=(*ALLOWED, *IMPURITIES),
    hints=(
        "If x takes five different values, how many different ways are there to cut them in two?",
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
        Slip(
            "the last cut",
            lambda x, y: _decreases(x, y)[-1],
            "That is the cut below the largest value only. The tree compares all cuts and keeps "
            "the best.",
        ),
        Slip(
            "without the first cut",
            lambda x, y: max(_decreases(x, y)[1:]),
            "The cut above the smallest value is missing: it leaves somebody on both sides. Only "
            "the largest value is no threshold.",
        ),
        Slip(
            "without the last cut",
            lambda x, y: max(_decreases(x, y)[:-1]),
            "The cut below the largest value is missing: it leaves somebody on the right, those "
            "with the largest value. Only the largest value itself is no threshold.",
        ),
        Slip(
            "equal values separated",
            _largest_between_rows,
            "You have also cut between rows with the same value of x. No threshold can do that: "
            "cut only where x changes.",
        ),
        Slip(
            "sum over the cuts",
            lambda x, y: float(np.sum(_decreases(x, y))),
            "That adds up what all cuts would remove. The tree makes one of them, the best.",
        ),
        Slip(
            "the last row left out",
            lambda x, y: _best_at(x[:-1], x, y),
            "x[:-1] leaves out the last row, not the largest value: x is in no order, and values "
            "repeat. np.unique(x) has each value once, in ascending order.",
        ),
        Slip(
            "the first row left out",
            lambda x, y: _best_at(x[1:], x, y),
            "x[1:] leaves out the first row, whose value may be the best place to cut. "
            "np.unique(x) has each value once, in ascending order.",
        ),
    ),
)

# 02.2 What a blind split removes


def _draw_node(rng: np.random.Generator) -> dict:
    """Few and many children; every other node has nearly as many children as targets."""
    n_children = int(rng.integers(2, 7))
    size = n_children + 1 if turn(rng) % 2 else rng.integers(8, 30)
    y = rng.normal(scale=3, size=size).round(2)
    return {"y": y.tolist(), "n_children": n_children}


def _blind(y, n_children) -> float:
    return float(np.var(y) * (n_children - 1) / (len(y) - 1))


BLIND = Exercise(
    id="02.2",
    title="What a blind split removes",
    points=2,
    expects="the decrease of the variance of y that a blind split into so many children brings on "
    "average, exactly",
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
        Slip(
            "the sample variance",
            lambda y, k: float(np.var(y, ddof=1) * (k - 1) / (len(y) - 1)),
            "n - 1 has come in twice, by ddof=1 and by the formula. The impurity i(t) is the mean "
            "of the squares, np.var(y).",
        ),
        Slip(
            "the standard deviation",
            lambda y, k: float(np.std(y) * (k - 1) / (len(y) - 1)),
            "That uses the standard deviation. The impurity of numbers is the variance, its "
            "square.",
        ),
        Slip(
            "what remains",
            lambda y, k: float(np.var(y)) - _blind(y, k),
            "That is what remains on average after the split. What it removes is asked for.",
        ),
    ),
)

# 02.3 How often chance does as well


def _draw_test(rng: np.random.Generator) -> dict:
    """Decreases of a best cut by chance; some are larger than the observed one, two are equal.

    By turns, the observed one lies among them, is the largest, is larger, or smaller, than all.
    """
    chance = rng.gamma(2.0, 0.1, size=int(rng.integers(30, 60))).round(4)
    kind = turn(rng) % 4
    observed = float(np.quantile(chance, (rng.uniform(0.6, 0.9), 1, 1, 0)[kind], method="nearest"))
    if kind < 2:
        chance[rng.choice(np.flatnonzero(chance < observed), 2, replace=False)] = observed
    observed += (0, 0, 0.01, -0.0001)[kind]
    return {"observed": round(observed, 4), "chance": chance.tolist()}


def _exceedances(observed, chance) -> int:
    """How many shuffles allow a cut as good as the observed one."""
    return int(np.sum(np.asarray(chance) >= observed))


def _p_value(observed, chance) -> float:
    return (1 + _exceedances(observed, chance)) / (1 + len(chance))


P_VALUE = Exercise(
    id="02.3",
    title="How often chance does as well",
    points=2,
    expects="(1 + the number of values of chance that are at least as large as observed) / (1 + "
    "the number of values of chance)",
    draw=_draw_test,
    inputs=lambda case: (case["observed"], np.array(case["chance"])),
    reference=_p_value,
    describe=lambda case: f"of {len(case['chance'])} shuffles",
    hints=(
        "Each value of chance is the best decrease for one shuffle of the targets. Compare each of "
        "them with observed.",
        "The observed order is one of the possible orders itself: it counts above and below.",
        "At least as large: a tie counts.",
    ),
    slips=(
        Slip(
            "the observed order left out",
            lambda observed, chance: _exceedances(observed, chance) / len(chance),
            "The observed order is one of the orders that chance could give. Count it, above and "
            "below, or a p-value can be 0.",
        ),
        Slip(
            "the other tail",
            lambda observed, chance: (
                (1 + len(chance) - _exceedances(observed, chance)) / (1 + len(chance))
            ),
            "That counts the shuffles that do worse. The p-value asks how often chance does at "
            "least as well.",
        ),
        Slip(
            "ties left out",
            lambda observed, chance: (1 + int(np.sum(chance > observed))) / (1 + len(chance)),
            "Some shuffles do exactly as well as the real order. They count too: at least as "
            "large, not larger.",
        ),
        Slip(
            "a count",
            lambda observed, chance: 1 + _exceedances(observed, chance),
            "That is how many orders do at least as well. Divide by how many there are.",
        ),
        Slip(
            "the observed order only above",
            lambda observed, chance: (1 + _exceedances(observed, chance)) / len(chance),
            "The observed order counts above the line and not below. It is one of the orders: 1 + "
            "the number of values of chance.",
        ),
        Slip(
            "the observed order only below",
            lambda observed, chance: _exceedances(observed, chance) / (1 + len(chance)),
            "The observed order counts below the line and not above. It does as well as itself.",
        ),
        Slip(
            "at most",
            lambda observed, chance: (1 + int(np.sum(chance <= observed))) / (1 + len(chance)),
            "That counts the values that are at most as large. The p-value asks how often chance "
            "does at least as well.",
        ),
        Slip(
            "brackets missing",
            lambda observed, chance: 1 + _exceedances(observed, chance) / 1 + len(chance),
            "Brackets are missing: 1 + k / 1 + B divides k by 1 and adds the rest. Put both sums "
            "in brackets.",
        ),
        Slip(
            "per cent",
            lambda observed, chance: 100 * _p_value(observed, chance),
            "That is in per cent. A p-value lies between 0 and 1.",
        ),
    ),
)

# 02.4 One split, judged by rows that did not choose it


def _draw_bag(rng: np.random.Generator) -> dict:
    """A split that looks good in the bag; outside it does harm, helps, or leaves a side empty."""
    kind = turn(rng) % 4
    while True:
        n_in, n_out = int(rng.integers(10, 16)), int(rng.integers(7, 12))
        left_in = np.arange(n_in) < rng.integers(3, 6)
        left_out = np.arange(n_out) < (n_out * rng.integers(2) if kind == 2 else rng.integers(2, 4))
        y_in, y_out = rng.normal(5, 1, size=n_in) + 1.5 * left_in, rng.normal(5, 1, size=n_out)
        pieces = {"y_in": y_in.round(3), "left_in": left_in}
        pieces |= {"y_out": y_out.round(3), "left_out": left_out}
        case = {name: values.tolist() for name, values in pieces.items()}
        if (1 if kind == 1 else -1) * _gain(*_bag(case)) > 0.05:
            return case


def _bag(case: dict) -> tuple:
    return tuple(np.array(values) for values in case.values())


def _gain(y_in, left_in, y_out, left_out, *, centre=None) -> float:
    """Mean over the rows outside of (move of the in-bag mean) times (target - centre)."""
    centre = y_in.mean() if centre is None else centre
    return float(np.mean(_moves(y_in, left_in, left_out) * (y_out - centre)))


def _moves(y_in, left_in, left_out) -> np.ndarray:
    """From the mean of the node to that of the child, for each row outside."""
    means = [y_in[side].mean() if side.any() else np.nan for side in (left_in, ~left_in)]
    return np.where(left_out, *means) - y_in.mean()


def _side_by_side(y_in, left_in, y_out, left_out) -> float:
    """The slip of averaging side by side, which is nan if a side is empty outside."""
    if left_out.all() or not left_out.any():
        return float("nan")
    return _gain(y_in, left_in, y_out, left_out)


def _fall_of_the_error(y_in, left_in, y_out, left_out) -> float:
    moves = _moves(y_in, left_in, left_out)
    return 2 * _gain(y_in, left_in, y_out, left_out) - float(np.mean(moves**2))


def _judged(moves: Callable, judged_by: Callable | None = None) -> Callable:
    """A slip with other moves, or rows outside that are compared with something else."""

    def answer(y_in, left_in, y_out, left_out) -> float:
        bag = y_in, left_in, y_out, left_out
        centre = judged_by(*bag) if judged_by else y_in.mean()
        return float(np.mean(moves(*bag) * (y_out - centre)))

    return answer


def _in_bag_moves(y_in, left_in, y_out, left_out) -> np.ndarray:
    return _moves(y_in, left_in, left_out)


def _predictions(y_in, left_in, y_out, left_out) -> np.ndarray:
    return _moves(y_in, left_in, left_out) + y_in.mean()


def _children_outside(y_in, left_in, y_out, left_out) -> np.ndarray:
    """Moves from the mean of the bag to the mean of the rows outside that go the same way."""
    return _moves(y_out, left_out, left_out) + y_out.mean() - y_in.mean()


def _from_the_middle(y_in, left_in, y_out, left_out) -> np.ndarray:
    """Moves from halfway between the two children."""
    middle = (y_in[left_in].mean() + y_in[~left_in].mean()) / 2
    return _predictions(y_in, left_in, y_out, left_out) - middle


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
            "sign dropped",
            lambda *bag: abs(_gain(*bag)),
            "The size is right and the sign is gone. A split can do harm to the rows outside, and "
            "a negative value says so.",
            behind="M6",
        ),
        Slip(
            "clipped at 0",
            lambda *bag: max(0.0, _gain(*bag)),
            "Negative values were set to 0. A split can do harm to the rows outside, and without "
            "the negative values noise would again be worth something on average.",
            behind="M6",
        ),
        Slip(
            "sum over the rows",
            lambda y_in, left_in, y_out, left_out: (
                len(y_out) * _gain(y_in, left_in, y_out, left_out)
            ),
            "That is the sum over the rows outside. Take their mean.",
        ),
        Slip(
            "centred outside",
            lambda y_in, left_in, y_out, left_out: _gain(
                y_in, left_in, y_out, left_out, centre=y_out.mean()
            ),
            "You have subtracted the mean of the rows outside. Subtract that of y_in, which the "
            "tree predicts before the split.",
        ),
        Slip(
            "an empty side",
            _side_by_side,
            "It is right as long as rows outside go to both sides. If all of them go to one side, "
            "the mean of the other one is nan: average over the rows, not side by side.",
        ),
        Slip(
            "the fall of the squared error",
            _fall_of_the_error,
            "That is by how much the squared error of the rows outside falls. Here the mean of "
            "move times (target - mean of y_in) is asked for.",
        ),
        Slip(
            "children's means from outside",
            _judged(_children_outside),
            "The rows outside have moved to the mean of their own targets, and so they judge "
            "themselves. The prediction moves to the mean of y_in in the child.",
            behind="M1",
        ),
        Slip(
            "predictions instead of moves",
            _judged(_predictions),
            "That multiplies by the prediction in the child. The move is that prediction less the "
            "mean of y_in in the node.",
        ),
        Slip(
            "sides exchanged",
            _judged(lambda y_in, left_in, y_out, left_out: _moves(y_in, left_in, ~left_out)),
            "Rows that go left got the move of the right child, and the other way round.",
        ),
        Slip(
            "from the middle of the children",
            _judged(_from_the_middle),
            "The moves begin halfway between the two children. They begin at the mean of y_in, in "
            "which the larger child counts for more.",
        ),
        Slip(
            "compared with the child",
            _judged(_in_bag_moves, _predictions),
            "The targets are compared with the prediction after the split. Compare them with the "
            "one before it, the mean of y_in.",
        ),
        Slip(
            "sign turned round",
            lambda *bag: -_gain(*bag),
            "Right size, wrong sign: a move towards the targets counts as positive.",
        ),
    ),
)

# 02.5 The cure for a whole forest


def _draw_forest(rng: np.random.Generator, n_trees: int, n_features: int) -> dict:
    """A forest with noise among its features that does harm outside the bag."""
    while True:
        case = {"n_samples": int(rng.integers(50, 90)), "seed": int(rng.integers(10**6))}
        case |= {"n_trees": n_trees, "n_features": n_features}
        if unbiased_mdi(*_forest(case)).importances_mean.min() < -0.01:
            return case


def _forest(case: dict) -> tuple:
    rng = np.random.default_rng(case["seed"])
    X = rng.normal(size=(case["n_samples"], case["n_features"]))
    y = 10 + X[:, :2] @ [1.0, 0.5] + rng.normal(size=len(X))
    forest = RandomForestRegressor(case["n_trees"], max_depth=4, random_state=case["seed"])
    return forest.fit(X, y), X, y


def _mean_gain(
    forest, X, y, *, rows=lambda counts: counts == 0, centre=lambda base: base, n_trees=None
) -> np.ndarray:
    """Mean over trees of the mean of (contribution) times (target) over the chosen rows."""
    gains, weights = _gains_of_trees(forest, X, y, rows, centre)
    return np.mean((gains / weights)[:n_trees], axis=0)


def _gains_of_trees(
    forest, X, y, rows=lambda counts: counts == 0, centre=lambda base: base
) -> tuple[np.ndarray, np.ndarray]:
    """For each tree the sum of (contribution) times (target) over the rows, and their number."""
    gains, weights = [], []
    for tree, counts in zip(forest.estimators_, in_bag_counts(forest, X).T, strict=True):
        explained, weight = saabas(tree, X), rows(counts)
        gains.append((weight * (y - centre(explained.base))) @ explained.values)
        weights.append([weight.sum()])
    return np.array(gains), np.array(weights)


def _pooled(forest, X, y) -> np.ndarray:
    gains, weights = _gains_of_trees(forest, X, y)
    return gains.sum(axis=0) / weights.sum()


def _whole_forest(forest, X, y) -> np.ndarray:
    """The slip of explaining the forest, not each tree, to which hardly a row is outside."""
    explained = saabas(forest, X)
    return (y - explained.base) @ explained.values / len(y)


CURE = Exercise(
    id="02.5",
    title="MDI-oob of a forest",
    points=3,
    expects="for each feature the mean over the trees of the mean, over each tree's out-of-bag "
    "rows, of its contribution times (y - base)",
    draw=_draw_forest,
    turns=((3, 4), (12, 3), (5, 5)),
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
            "rows in the bag, each once",
            lambda forest, X, y: _mean_gain(forest, X, y, rows=lambda counts: counts > 0),
            "Here the rows in the bag judge, those with a count above 0. The rows outside have "
            "the count 0.",
            behind="M1",
        ),
        Slip(
            "one tree",
            lambda forest, X, y: _mean_gain(forest, X, y, n_trees=1),
            "That is the first tree alone. Take the mean over all trees of the forest.",
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
            lambda forest, X, y: _mean_gain(forest, X, y, centre=lambda base: 0 * base),
            "Add 100 to every target and your answer changes. Subtract the tree's base from y "
            "first.",
        ),
        Slip(
            "signs dropped",
            lambda forest, X, y: abs(_mean_gain(forest, X, y)),
            "The sizes are right and the signs are gone. Splits on noise can do harm to the rows "
            "outside, and a negative value says so.",
            behind="M6",
        ),
        Slip(
            "clipped at 0",
            lambda forest, X, y: np.maximum(0.0, _mean_gain(forest, X, y)),
            "Negative values were set to 0. Without them noise would again be worth something on "
            "average.",
            behind="M6",
        ),
        Slip(
            "centred at the mean of y",
            lambda forest, X, y: _mean_gain(forest, X, y, centre=lambda base: y.mean()),
            "You have subtracted the mean of y. Each tree has a bag of its own: subtract its base.",
        ),
        Slip(
            "trees added up",
            lambda forest, X, y: len(forest.estimators_) * _mean_gain(forest, X, y),
            "The trees are added up. Take their mean.",
        ),
        Slip(
            "rows added up",
            lambda forest, X, y: _gains_of_trees(forest, X, y)[0].mean(axis=0),
            "Within each tree the rows outside are added up. Take their mean.",
        ),
        Slip(
            "divided by all rows",
            lambda forest, X, y: _gains_of_trees(forest, X, y)[0].mean(axis=0) / len(y),
            "Within each tree the sum over the rows outside is divided by the number of all rows. "
            "Divide by how many are outside.",
        ),
        Slip(
            "trees pooled",
            _pooled,
            "All rows outside, of all trees, went into one mean. Here each tree has a mean of its "
            "own, and every tree counts the same.",
        ),
        Slip(
            "the whole forest",
            _whole_forest,
            "saabas(forest, X) explains the whole forest, and nearly every row was in the bag of "
            "some of its trees. Take one tree at a time.",
            behind="M1",
        ),
        Slip(
            "rows drawn once",
            lambda forest, X, y: _mean_gain(forest, X, y, rows=lambda counts: counts == 1),
            "A count of 1 means that the row was drawn once, so it is in the bag. Outside are the "
            "rows with the count 0.",
            behind="M1",
        ),
    ),
)

# 02.6 Probes that were not seen before

LIMIT = 0.02  # p-values up to here count as dependent
LETTERS = "abcdefghij"
NEARLY = 0  # the number of values of a probe that differs in a single row, and by little


def _draw_probes(rng: np.random.Generator, n_rows: int) -> dict:
    """Probes under letters: one or more constants, dependent and sound ones, in random order.

    Among the dependent ones is one p-value below and one at the limit, among the sound ones one
    just above it and one of 1, as the constants have, which is a coin; and one that is nearly
    constant.
    """
    while True:
        case = _some_probes(rng) | {"n_rows": n_rows}
        if _by_position(*_probes(case)) != _broken(*_probes(case)):
            return case


def _some_probes(rng: np.random.Generator) -> dict:
    sound = [LIMIT + 0.0001, 1.0, *rng.integers(6, 100, size=rng.integers(2, 4)) / 100]
    dependent = [LIMIT, 0.01, *[0.01] * rng.integers(0, 2)]
    p_values = [*sound, *dependent, *[1.0] * rng.integers(1, 3)]
    n_values = [int(rng.integers(2, 7)) for _ in (*sound, *dependent)]
    n_values[sound.index(1.0)], n_values[len(sound) - 1] = 2, NEARLY
    n_values += [1] * (len(p_values) - len(n_values))
    order = rng.permutation(len(p_values)).tolist()
    seed = int(rng.integers(10**6))
    return {
        "p_values": [float(p_values[k]) for k in order],
        "n_values": [n_values[k] for k in order],
        "seed": seed,
    }


def _probes(case: dict) -> tuple:
    """A table of probes, and the p-value of each by its name."""
    rng = np.random.default_rng(case["seed"])
    columns = [_probe(n, case["n_rows"], rng) + rng.integers(9) for n in case["n_values"]]
    names = LETTERS[: len(columns)]
    table = pd.DataFrame(dict(zip(names, columns, strict=True)))
    p_values = dict(zip(names, case["p_values"], strict=True))
    return table, {name: p_values[name] for name in rng.permutation(list(names)).tolist()}


def _probe(n_values: int, n_rows: int, rng: np.random.Generator) -> np.ndarray:
    """A probe; a nearly constant one differs by 0.00001 in a row of the second half."""
    if n_values == NEARLY:
        return 1e-5 * (np.arange(n_rows) == rng.integers(n_rows // 2, n_rows))
    return rng.permutation(np.arange(n_rows) % n_values)


def _dependent(p_values, limit: float = LIMIT) -> set[str]:
    return {name for name, p in p_values.items() if p <= limit}


def _constant(probes) -> set[str]:
    return {name for name in probes if probes[name].nunique() == 1}


def _broken(probes, p_values) -> set[str]:
    return _constant(probes) | _dependent(p_values)


def _by_position(probes, p_values) -> set[str]:
    """The slip of taking the p-values in the order in which the dictionary has them."""
    return _broken(probes, dict(zip(probes, p_values.values(), strict=True)))


PROBES = Exercise(
    id="02.6",
    title="Broken probes",
    points=2,
    expects=f"the names of the probes that are constant or whose p-value is at most {LIMIT}",
    draw=_draw_probes,
    turns=((24,), (31,), (18,)),
    inputs=_probes,
    reference=_broken,
    describe=lambda case: f"of {len(case['n_values'])} probes on {case['n_rows']} rows",
    hints=(
        "A constant is independent of everything, so its p-value is 1: look for constants in the "
        "table itself.",
        "p_values[name] says whether the probe of that name is independent of the target.",
        "Collect the names in a set: constant, or p-value at most 0.02.",
    ),
    slips=(
        Slip(
            "constants waved through",
            lambda probes, p_values: _dependent(p_values),
            "A constant is independent of everything, so no p-value finds it. Count the values of "
            "each probe too.",
        ),
        Slip(
            "only the constants",
            lambda probes, p_values: _constant(probes),
            "You found the constants. A probe with many values can be broken too: look at its "
            "p-value.",
        ),
        Slip(
            "every p-value of 1",
            lambda probes, p_values: (
                _dependent(p_values) | {name for name, p in p_values.items() if p == 1}
            ),
            "A p-value of 1 does not make a constant: a sound probe can have it too. Count the "
            "values of each probe.",
        ),
        Slip(
            "the limit itself left out",
            lambda probes, p_values: _constant(probes) | _dependent(p_values, LIMIT / 2),
            "A p-value of exactly 0.02 counts as broken here: at most, not below.",
        ),
        Slip(
            "another limit",
            lambda probes, p_values: _constant(probes) | _dependent(p_values, 0.05),
            "One of yours is not constant and has a p-value above 0.02. The limit is 0.02, and "
            "nothing is rounded.",
        ),
        Slip(
            "the sound ones",
            lambda probes, p_values: set(probes) - _broken(probes, p_values),
            "These are the probes that are sound. The broken ones are wanted.",
        ),
        Slip(
            "and instead of or",
            lambda probes, p_values: _constant(probes) & _dependent(p_values),
            "No probe is both constant and dependent. One of the two is enough to be broken: "
            "constant, *or* a p-value of at most 0.02.",
        ),
        Slip(
            "p-values taken by position",
            _by_position,
            "The dictionary has its names in another order than the table. Look each p-value up by "
            "name: p_values[name].",
        ),
        Slip(
            "two values taken for a constant",
            lambda probes, p_values: (
                _dependent(p_values) | {name for name in probes if probes[name].nunique() <= 2}
            ),
            "A probe with two values is no constant: a coin is a good probe. Constant means one "
            "value.",
        ),
        Slip(
            "a small spread taken for a constant",
            lambda probes, p_values: (
                _dependent(p_values) | {name for name in probes if probes[name].std() < 0.1}
            ),
            "A probe whose values are close together is no constant: splits ask for the order of "
            "the values, not for their distance. Count the different values.",
        ),
    ),
)

# 02.7 What helps?

HELPS = Exercise(
    id="02.7",
    title="What lowers the credit of noise",
    points=1,
    expects="the letters of all changes that lower the expected importance of noise among noise",
    reference=lambda: {"c", "e", "f"},
    hints=(
        "Noise is credited by the split. Which changes leave fewer splits, or lower what each "
        "one gets, or let other rows judge?",
        "Look at the figure of section 2.5: for which way of growing does more data help?",
    ),
    slips=(
        Slip(
            "more of everything",
            lambda: {"a", "c", "d", "e", "f"},
            "Two of yours do more of the same: more biased values in a mean, or more splits "
            "that remove the same impurity.",
            behind="M4",
        ),
        Slip(
            "more trees",
            lambda: {"a", "c", "e", "f"},
            "One of yours takes the mean of more biased values. The mean of a bias is the bias.",
            behind="M4",
        ),
        Slip(
            "more rows always help",
            lambda: {"c", "d", "e", "f"},
            "One of yours still removes all impurity. There is nothing but noise here, so noise "
            "is credited with all of it.",
        ),
        Slip(
            "only the out-of-bag rows",
            lambda: {"f"},
            "That is the only one after which noise gets about 0 on average. But the question is "
            "what lowers its credit, and fewer splits for the number of rows do that too.",
        ),
        Slip(
            "another unit",
            lambda: {"b", "c", "e", "f"},
            "One of yours still removes all impurity, counted in another unit. Does the number "
            "become smaller?",
        ),
        Slip(
            "the depth counted only with more rows",
            lambda: {"e", "f"},
            "Both of yours lower the credit. One more does: a part of one of yours is enough.",
        ),
        Slip(
            "the depth counted only with the same rows",
            lambda: {"c", "f"},
            "Both of yours lower the credit. One more does: something added to one of yours "
            "does not undo it.",
        ),
        Slip(
            "the cure left out",
            lambda: {"c", "e"},
            "Both of yours lower the credit. One more brings it down to about 0 on average.",
        ),
        Slip(
            "more rows, but not a smaller depth",
            lambda: {"d", "e", "f"},
            "One of yours does not help: while leaves are grown until they are pure, all "
            "impurity is removed, whatever the sample. And of another one a part helps by "
            "itself.",
        ),
        Slip(
            "the depth alone",
            lambda: {"c"},
            "A fixed depth lowers the credit, and with more rows it lowers it further. And which "
            "change lets other rows judge?",
        ),
        Slip(
            "more rows at a fixed depth alone",
            lambda: {"e"},
            "That one helps. But at a fixed depth the credit is lower without more rows already, "
            "and there is a change that lets other rows judge.",
        ),
    ),
)

EXERCISES = (BEST, BLIND, P_VALUE, GAIN, CURE, PROBES, HELPS)
