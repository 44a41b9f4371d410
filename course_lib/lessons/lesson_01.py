"""The exercises of lesson 01: from the entropy of a node to the MDI of a forest."""

from functools import cache
from itertools import product

import numpy as np
from scipy.special import xlogy
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from course_lib.lessons.exercise import ALLOWED, Exercise, Slip
from course_lib.measures.forests.mdi import mdi
from course_lib.models.impurities import impurity, impurity_decrease

# 01.1 Entropy of a node, from its counts


def _draw_counts(rng: np.random.Generator, n_absent: int) -> dict:
    """Two to four classes that are present, and some that are absent."""
    counts = [*rng.integers(1, 9, size=rng.integers(2, 5)), *[0] * n_absent]
    return {"counts": rng.permutation(counts).tolist()}


def _entropy(counts) -> float:
    return impurity(np.repeat(np.arange(len(counts)), counts))


def _plogp(p, log) -> float:
    p = np.asarray(p, dtype=float)
    return float(-(p * log(p)).sum())


def _present(counts) -> np.ndarray:
    counts = np.asarray(counts, dtype=float)
    return counts[counts > 0]


ENTROPY = Exercise(
    id="01.1",
    title="Entropy of a node",
    points=2,
    expects="the entropy of the node in bits, 0 if only one class is present",
    draw=_draw_counts,
    turns=((1,), (0,), (2,)),
    n_cases=6,
    always=tuple({"counts": list(n)} for n in ((3, 1), (7, 0, 0), (5,), (1, 0, 1, 2, 0))),
    reference=_entropy,
    atol=1e-6,  # nearly 0 is meant as 0, such as by log2(p + 1e-9)
    hints=(
        "Turn the counts into proportions first: what must they add up to?",
        "A class that is absent contributes 0, but 0 times the logarithm of 0 is nan for numpy. "
        "Leave absent classes out before you take logarithms.",
        "Minus the sum, over the classes that are present, of p times log2(p).",
    ),
    slips=(
        Slip(
            "natural logarithm",
            lambda counts: _plogp(_present(counts) / sum(counts), np.log),
            "That is the entropy in nats. Bits need the logarithm to base 2: a fair coin is 1 bit.",
        ),
        Slip(
            "zero times log zero",
            lambda counts: _plogp(np.asarray(counts) / sum(counts), np.log2),
            "A count of 0 turned into nan: numpy takes 0 * log2(0) literally. "
            "A class that is not there contributes nothing.",
        ),
        Slip(
            "no minus sign",
            lambda counts: -_entropy(counts),
            "Right size, wrong sign: logarithms of proportions are negative.",
        ),
        Slip(
            "counts instead of proportions",
            lambda counts: _plogp(_present(counts), np.log2),
            "Those are logarithms of the counts. Divide by their sum first.",
        ),
        Slip(
            "Gini",
            lambda counts: _gini(counts),
            "That is the Gini impurity of the example. The entropy adds up p times log2(p).",
        ),
        Slip(
            "the first class against the rest",
            lambda counts: _entropy([counts[0], sum(counts) - counts[0]]),
            "That is the entropy of the first class against all the others together. Each class "
            "has a term of its own.",
        ),
        Slip(
            "one term only",
            lambda counts: _plogp(_present(counts)[:1] / sum(counts), np.log2),
            "That is the term of one class. Add up those of all classes.",
        ),
        Slip(
            "the smallest class left out",
            lambda counts: _plogp(np.sort(counts)[1:] / sum(counts), np.log2),
            "The class with the smallest count is left out, even if it is there. Leave out "
            "classes with a count of 0, be it none, one or several.",
        ),
        Slip(
            "classes with one sample left out",
            lambda counts: _plogp(np.array([n for n in counts if n > 1]) / sum(counts), np.log2),
            "A class with a single sample is left out. It is there: only a count of 0 "
            "contributes nothing.",
        ),
        Slip(
            "logarithm to base 10",
            lambda counts: _plogp(_present(counts) / sum(counts), np.log10),
            "That takes the logarithm to base 10. Bits need base 2: a fair coin is 1 bit.",
        ),
        Slip(
            "logarithms without weights",
            lambda counts: float(-np.log2(_present(counts) / sum(counts)).sum()),
            "The logarithms are added up without weights. Each is multiplied by its proportion p.",
        ),
    ),
)

# 01.2 Decrease of the Gini impurity by a split, three blanks


def _draw_children(rng: np.random.Generator, n_classes: int) -> dict:
    """Classes, one of them absent in the left child; unequal sizes tell the slips apart."""
    left = np.array([*rng.integers(1, 10, size=n_classes - 1), 0])
    right = rng.integers(1, 10, size=n_classes)
    right[1] += left.sum()
    order = rng.permutation(n_classes)
    return {"left": left[order].tolist(), "right": right[order].tolist()}


def _gini(counts) -> float:
    p = np.asarray(counts) / np.sum(counts)
    return float(1 - (p**2).sum())


def _decrease(left, right) -> float:
    y = np.repeat([*range(len(left)), *range(len(right))], [*left, *right])
    return impurity_decrease(y, np.arange(len(y)) < sum(left), "gini")


def _parent(left, right) -> np.ndarray:
    return np.add(left, right)


def _with_share(left, right, share, kind=_gini) -> float:
    """The parent's impurity less that of the children, the left one weighted by `share`."""
    return kind(_parent(left, right)) - share * kind(left) - (1 - share) * kind(right)


def _share_of(left, right) -> float:
    return sum(left) / (sum(left) + sum(right))


def _two_classes(counts) -> float:
    p = counts[0] / np.sum(counts)
    return float(2 * p * (1 - p))


DECREASE = Exercise(
    id="01.2",
    title="Decrease of impurity by a split",
    points=2,
    blanks=3,
    expects="the Gini impurity of the parent minus that of the children, each weighted by its "
    "share of the samples",
    draw=_draw_children,
    turns=((3,), (4,), (2,)),
    reference=_decrease,
    hints=(
        "Which node is described by left + right?",
        "A child with most of the samples should count for most of the children's impurity.",
        "The left child's weight is its number of samples divided by the parent's.",
    ),
    slips=(
        Slip(
            "children weighted equally",
            lambda left, right: _with_share(left, right, 1 / 2),
            "Both children count one half here, however many samples they hold. Weight each by "
            "its share N_L/N or N_R/N.",
        ),
        Slip(
            "children added up",
            lambda left, right: _gini(_parent(left, right)) - _gini(left) - _gini(right),
            "The children's impurities are added without weights. They are a mean, weighted by "
            "each child's share of the samples.",
        ),
        Slip(
            "weights swapped",
            lambda left, right: _with_share(left, right, _share_of(right, left)),
            "The left child carries the right child's weight, and the other way round.",
        ),
        Slip(
            "entropy",
            lambda left, right: _with_share(left, right, _share_of(left, right), _entropy),
            "That is the decrease of the entropy. Here Gini is asked for: use gini from the "
            "example.",
        ),
        Slip(
            "two classes only",
            lambda left, right: _with_share(left, right, _share_of(left, right), _two_classes),
            "2p(1 - p) is the Gini impurity of two classes. A node may have more; gini from the "
            "example takes any number of them.",
        ),
        Slip(
            "parent left out",
            lambda left, right: _gini(_parent(left, right)) - _decrease(left, right),
            "That is what remains after the split. The decrease is the parent's impurity minus "
            "what remains.",
        ),
        Slip(
            "counts as weights",
            lambda left, right: (
                _gini(_parent(left, right)) - sum(left) * _gini(left) - sum(right) * _gini(right)
            ),
            "The children are weighted by their numbers of samples. The weights are shares, which "
            "add up to 1: divide by the parent's number.",
        ),
        Slip(
            "a relative decrease",
            lambda left, right: _decrease(left, right) / _gini(_parent(left, right)),
            "That is the decrease as a share of the parent's impurity. Leave it undivided.",
        ),
        Slip(
            "only the left child",
            lambda left, right: _gini(_parent(left, right)) - _share_of(left, right) * _gini(left),
            "The right child is missing: subtract its impurity, too, weighted by its share.",
        ),
        Slip(
            "children side by side",
            lambda left, right: (
                _gini([*left, *right]) - _gini(_parent(left, right)) + _decrease(left, right)
            ),
            "The parent has the counts of both children side by side, as if the classes on the "
            "right were others than those on the left. Add them up class by class.",
        ),
    ),
)

# 01.3 Best threshold, from the signature

KINDS = ("entropy", "gini", "plain")  # of impurity


def _draw_column(rng: np.random.Generator, n_values: int, kind: str) -> dict:
    """Distinct values and two classes; Gini cuts elsewhere, or one value at an end is cut off."""
    x = np.sort(rng.choice(np.arange(100, 4000), size=n_values, replace=False)) / 100
    y = rng.choice(_telling_classes(n_values)[kind])
    order = rng.permutation(n_values)
    return {"x": x[order].tolist(), "y": y[order].tolist()}


@cache
def _telling_classes(n_values: int) -> dict[str, np.ndarray]:
    """Classes of sorted values, cut not where Gini and plain means cut, or at an end.

    There is one best cut, also without the ends, and one worst.
    """
    y = np.array(list(product((0, 1), repeat=n_values)))
    mixed = {kind: _mixed(y, kind) for kind in KINDS}
    cut = {kind: values.argmin(axis=1) for kind, values in mixed.items()}
    others = (cut["gini"] != cut["entropy"]) & (cut["plain"] != cut["entropy"])
    others &= (cut["gini"] != cut["plain"]) & _is_clear(mixed["gini"]) & _is_clear(mixed["plain"])
    entropy, ends = mixed["entropy"], (slice(None), slice(1, None), slice(-1), slice(1, -1))
    clear = np.all([_is_clear(entropy[:, part]) for part in ends], axis=0) & _is_clear(-entropy)
    chosen = {
        "other cuts": others,
        "first": cut["entropy"] == 0,
        "last": cut["entropy"] == n_values - 2,
    }
    return {kind: y[clear & rows] for kind, rows in chosen.items()}


def _is_clear(values: np.ndarray) -> np.ndarray:
    """Whether the smallest value of each row is so by more than rounding."""
    return np.diff(np.sort(values)[:, :2])[:, 0] > 1e-3


def _bits(p: np.ndarray) -> np.ndarray:
    return -(xlogy(p, p) + xlogy(1 - p, 1 - p)) / np.log(2)


def _sorted(x, y) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(x)
    return np.asarray(x)[order], np.asarray(y)[order]


def _mixed(y: np.ndarray, kind: str) -> np.ndarray:
    """Impurity left by each cut through sorted values of classes 0 and 1, in each row of `y`."""
    n_values, before = y.shape[-1], y.cumsum(axis=-1)
    n_left = np.arange(1, n_values)
    n_right, ones = n_values - n_left, before[..., :-1]
    left, right = ones / n_left, (before[..., -1:] - ones) / n_right
    if kind == "plain":  # without weights, which is a slip
        return _bits(left) + _bits(right)
    one = _bits if kind == "entropy" else _gini_of_share
    return (n_left * one(left) + n_right * one(right)) / n_values


def _gini_of_share(p: np.ndarray) -> np.ndarray:
    return 2 * p * (1 - p)


def _decreases(x: np.ndarray, y: np.ndarray, kind: str = "entropy") -> np.ndarray:
    """Decrease of entropy at each gap between sorted values; of other kinds, but for a constant."""
    return _bits(y.mean()) - _mixed(y, kind)


def _threshold(x, y, *, best=np.argmax, kind: str = "entropy") -> float:
    x, y = _sorted(x, y)
    k = best(_decreases(x, y, kind))
    return float((x[k] + x[k + 1]) / 2)


def _at_value(x, y, step: int) -> float:
    x, y = _sorted(x, y)
    return float(x[np.argmax(_decreases(x, y)) + step])


def _in_the_given_order(x, y) -> float:
    """The slip of taking midpoints of rows that follow each other in the table."""
    midpoints = (np.asarray(x)[:-1] + np.asarray(x)[1:]) / 2
    decreases = [impurity_decrease(y, x <= midpoint) for midpoint in midpoints]
    return float(midpoints[np.argmax(decreases)])


THRESHOLD = Exercise(
    id="01.3",
    title="Best threshold",
    points=3,
    expects="the midpoint between two neighbouring values of x that lowers the entropy of y most",
    draw=_draw_column,
    turns=((12, "other cuts"), (11, "first"), (11, "other cuts"), (12, "last")),
    n_cases=12,
    inputs=lambda case: (np.array(case["x"], dtype=float), np.array(case["y"])),
    reference=_threshold,
    allowed=(*ALLOWED, "course_lib.models.impurity_decrease"),
    hints=(
        "Sort the distinct values of x. How many different ways are there to cut them in two?",
        "For each pair of neighbours, compute impurity_decrease(y, x <= threshold) and keep the "
        "threshold with the largest.",
        "The threshold is halfway between the two neighbours, not one of them.",
    ),
    slips=(
        Slip(
            "a value instead of a midpoint",
            lambda x, y: _at_value(x, y, 0),
            "The right cut, but you give the last value on the left. A threshold lies halfway "
            "between two neighbours.",
        ),
        Slip(
            "the value above the cut",
            lambda x, y: _at_value(x, y, 1),
            "The right cut, but you give the first value on the right. A threshold lies halfway "
            "between two neighbours.",
        ),
        Slip(
            "the worst cut",
            lambda x, y: _threshold(x, y, best=np.argmin),
            "This is the cut with the smallest decrease. The best one has the largest.",
        ),
        Slip(
            "children weighted equally",
            lambda x, y: _threshold(x, y, kind="plain"),
            "This cut has the purest children if both count the same, however small. Weight each "
            "child by its share of the samples.",
        ),
        Slip(
            "Gini instead of entropy",
            lambda x, y: _threshold(x, y, kind="gini"),
            "This is the best cut by Gini. Entropy is asked for, and here it cuts elsewhere.",
        ),
        Slip(
            "the decrease",
            lambda x, y: float(_decreases(*_sorted(x, y)).max()),
            "That is how much the entropy decreases. The threshold at which it does is asked for.",
        ),
        Slip(
            "the place of the cut",
            lambda x, y: int(_decreases(*_sorted(x, y)).argmax()),
            "That is the place of the cut in the list. Return the threshold at that place.",
        ),
        Slip(
            "x not sorted",
            _in_the_given_order,
            "Your midpoints lie between rows that follow each other in the table. Sort the values "
            "first: neighbours are next to each other in size.",
        ),
        Slip(
            "y left behind",
            lambda x, y: _threshold(np.sort(x), y),
            "x was sorted and y was not, so values and classes no longer belong together. Compare "
            "the threshold with the x that was given.",
        ),
        Slip(
            "cuts at the ends left out",
            lambda x, y: _threshold(x, y, best=lambda d: 1 + d[1:-1].argmax()),
            "The first and the last cut are missing. A cut may leave a single value on one side.",
        ),
        Slip(
            "the first cut left out",
            lambda x, y: _threshold(x, y, best=lambda d: 1 + d[1:].argmax()),
            "The first cut is missing. The smallest value may be alone on the left.",
        ),
        Slip(
            "the last cut left out",
            lambda x, y: _threshold(x, y, best=lambda d: d[:-1].argmax()),
            "The last cut is missing. The largest value may be alone on the right.",
        ),
        Slip(
            "cut down to a whole number",
            lambda x, y: int(_threshold(x, y)),
            "The threshold has lost its decimals. Return it as it is.",
        ),
    ),
)

# 01.4 and 01.5 MDI of a tree and of a forest


def _draw_sample(rng: np.random.Generator, n_features: int, **sizes: int) -> dict:
    own = {"n_samples": int(rng.integers(60, 120)), "seed": int(rng.integers(10**6))}
    return own | {"n_features": n_features} | sizes


def _draw_forest(rng: np.random.Generator, n_features: int, n_trees: int, n_idle: int) -> dict:
    return _draw_sample(rng, n_features, n_trees=n_trees, n_idle=n_idle)


def _sample(n_samples: int, seed: int, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """The last feature never varies, so that no split asks about it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    X[:, -1] = 0.0
    return X, (X[:, :3] @ [1.5, 1.0, 0.5] + rng.normal(size=n_samples) > 0).astype(int)


def _tree(case: dict) -> tuple:
    """A tree that was given some rows twice and others not at all."""
    tree = DecisionTreeClassifier(max_depth=4, random_state=case["seed"])
    times = np.random.default_rng(case["seed"] + 1).integers(0, 4, size=case["n_samples"])
    return (tree.fit(*_sample(**case), sample_weight=times),)


FORESTS = ((5, 3, 1), (6, 4, 2), (6, 12, 1), (5, 6, 2))  # features, trees, those without a split


def _forest(case: dict) -> tuple:
    """A forest in which one or two trees, it is left open which, were not allowed to split."""
    X, y = _sample(**{key: case[key] for key in ("n_samples", "seed", "n_features")})
    options = {"max_depth": 3, "random_state": case["seed"]}
    forest = RandomForestClassifier(case["n_trees"], **options).fit(X, y)
    rng = np.random.default_rng(case["seed"] + 1)
    for k in rng.choice(case["n_trees"], case["n_idle"], replace=False):
        times = np.bincount(rng.integers(len(y), size=len(y)), minlength=len(y))
        forest.estimators_[k].set_params(min_impurity_decrease=1.0).fit(X, y, sample_weight=times)
    return (forest,)


def _shares(tree) -> np.ndarray:
    return tree.tree_.weighted_n_node_samples / tree.tree_.weighted_n_node_samples[0]


def _forest_and_imp(case: dict) -> tuple:
    (forest,) = _forest(case)
    return forest, _imp(forest)


def _imp(model) -> np.ndarray:
    return mdi(model).importances_mean


def _splits(tree, counts) -> np.ndarray:
    """N_t times the decrease of impurity at each node t, with N_t given as `counts`."""
    nodes = tree.tree_
    split, left, right = nodes.children_left != -1, nodes.children_left, nodes.children_right
    mixed = counts * nodes.impurity
    return np.where(split, mixed - mixed[left] - mixed[right], 0.0)


def _credited(tree, decreases) -> np.ndarray:
    """The decreases of the nodes, added up by the feature that each node asks."""
    feature = np.maximum(tree.tree_.feature, 0)
    return np.bincount(feature, decreases, minlength=tree.n_features_in_)


def _without_node_share(tree) -> np.ndarray:
    """The slip of adding decreases without p(t)."""
    counts = tree.tree_.weighted_n_node_samples
    return _credited(tree, _splits(tree, counts) / counts)


def _distinct_samples(tree) -> np.ndarray:
    """The slip of counting a row once that the tree was given twice."""
    counts = tree.tree_.n_node_samples
    return _credited(tree, _splits(tree, counts) / counts[0])


def _with_leaves(tree) -> np.ndarray:
    """The slip of taking leaves for nodes that split: -1 is the last node, -2 a feature."""
    nodes, result = tree.tree_, np.zeros(tree.n_features_in_)
    mixed = nodes.weighted_n_node_samples * nodes.impurity
    drops = mixed - mixed[nodes.children_left] - mixed[nodes.children_right]
    np.add.at(result, nodes.feature, drops / nodes.weighted_n_node_samples[0])
    return result


def _overwritten(tree) -> np.ndarray:
    """The slip of keeping the last split on a feature only."""
    nodes, result = tree.tree_, np.zeros(tree.n_features_in_)
    for t, decrease in enumerate(_splits(tree, _shares(tree))):
        if nodes.children_left[t] != -1:
            result[nodes.feature[t]] = decrease
    return result


def _with_children(tree, weight: float) -> np.ndarray:
    """The slip of subtracting each child's impurity with the same weight, whatever its size."""
    nodes = tree.tree_
    children = nodes.impurity[nodes.children_left] + nodes.impurity[nodes.children_right]
    drops = _shares(tree) * (nodes.impurity - weight * children)
    return _credited(tree, np.where(nodes.children_left != -1, drops, 0.0))


def _asked(tree) -> np.ndarray:
    return _credited(tree, (tree.tree_.children_left != -1).astype(float))


def _root_left_out(tree) -> np.ndarray:
    decreases = _splits(tree, _shares(tree))
    return _credited(tree, np.where(np.arange(len(decreases)) == 0, 0.0, decreases))


REPEATS = (
    "Close, but a row that {0} twice counts twice. That is the difference "
    "between n_node_samples and weighted_n_node_samples."
)


TREE = Exercise(
    id="01.4",
    title="MDI of a tree",
    points=3,
    expects="for each feature the sum, over the nodes that split on it, of p(t) times the "
    "decrease of impurity",
    draw=_draw_sample,
    turns=((5,), (6,)),
    inputs=_tree,
    reference=lambda tree: _imp(tree),
    describe=lambda case: f"of a tree on {case['n_samples']} samples",
    hints=(
        "Walk over the nodes; skip the leaves, whose left child is -1.",
        "p(t) is the node's number of samples divided by the root's. A split of a small node "
        "counts little.",
        "N_t/N times impurity[t], minus N_L/N times impurity[left], minus N_R/N times "
        "impurity[right], added to feature[t].",
    ),
    slips=(
        Slip(
            "p(t) left out",
            _without_node_share,
            "Every node counts the same here. A decrease among few samples should count less: "
            "multiply by p(t) = N_t/N.",
        ),
        Slip(
            "not divided by N",
            lambda tree: _imp(tree) * tree.tree_.weighted_n_node_samples[0],
            "The decreases are weighted by N_t instead of N_t/N. Divide by the root's number of "
            "samples.",
        ),
        Slip(
            "normalised",
            lambda tree: tree.feature_importances_,
            "These values add up to 1. That is scikit-learn's normalised version; MDI keeps its "
            "unit.",
            behind="M1",
        ),
        Slip("repeats not counted", _distinct_samples, REPEATS.format("the tree was given")),
        Slip(
            "leaves taken for splits",
            _with_leaves,
            "Leaves are counted, too. They have no split: their feature is -2 and their children "
            "are -1, which numpy takes as places from the end. Skip them.",
        ),
        Slip(
            "features without a split left out",
            lambda tree: _imp(tree)[_imp(tree) > 0],
            "A feature that no split asks about is missing. Its importance is 0, and the answer "
            "has a number for each of the tree.n_features_in_ features.",
        ),
        Slip(
            "the last split only",
            _overwritten,
            "For each feature only its last split is left: each overwrites the one before. Add "
            "them up, with += in place of =.",
        ),
        Slip(
            "N of all nodes",
            lambda tree: (
                _imp(tree)
                * tree.tree_.weighted_n_node_samples[0]
                / tree.tree_.weighted_n_node_samples.sum()
            ),
            "N is the number of samples at the root, not the sum over all nodes, in which every "
            "sample counts once at each node that it passes.",
        ),
        Slip(
            "children weighted equally",
            lambda tree: _with_children(tree, 1 / 2),
            "Both children count one half here, however many samples they hold. Weight each by "
            "its share of the samples.",
        ),
        Slip(
            "children not weighted",
            lambda tree: _with_children(tree, 1.0),
            "The children's impurities are subtracted without weights. Weight each by its share "
            "of the samples.",
        ),
        Slip(
            "the number of splits",
            _asked,
            "That is how often each feature is asked. MDI adds up what the splits remove.",
        ),
        Slip(
            "the root left out",
            _root_left_out,
            "The split at the root is missing. It is node 0.",
        ),
    ),
)

FOREST = Exercise(
    id="01.5",
    title="MDI of a forest",
    points=2,
    expects="the mean over the trees of each tree's own, unnormalised MDI",
    draw=_draw_forest,
    turns=FORESTS,
    inputs=_forest,
    reference=lambda forest: _imp(forest),
    describe=lambda case: f"of a forest on {case['n_samples']} samples",
    hints=(
        "imp_of_tree gives the MDI of one tree. A forest is a list of trees: forest.estimators_.",
        "Average, do not add: twice as many trees must not make a feature twice as important.",
    ),
    slips=(
        Slip(
            "feature_importances_",
            lambda forest: forest.feature_importances_,
            "These values add up to 1: each tree was normalised before averaging. Use imp_of_tree "
            "on each tree.",
            behind="M1",
        ),
        Slip(
            "trees added up",
            lambda forest: len(forest.estimators_) * _imp(forest),
            "The trees are added up, so more trees mean more importance. Take the mean.",
        ),
        Slip(
            "repeats not counted",
            lambda forest: np.mean([_distinct_samples(t) for t in forest.estimators_], axis=0),
            REPEATS.format("the bootstrap drew"),
        ),
        Slip(
            "one tree",
            lambda forest: _imp(forest.estimators_[0]),
            "That is the first tree alone. A forest's importance is the mean over all its trees.",
        ),
        Slip(
            "divided by the total",
            lambda forest: _imp(forest) / _imp(forest).sum(),
            "These values add up to 1, because you divided by their sum. MDI keeps the unit of the "
            "impurity.",
            behind="M1",
        ),
        Slip(
            "trees without a split left out",
            lambda forest: (
                _imp(forest)
                * len(forest.estimators_)
                / sum(tree.tree_.node_count > 1 for tree in forest.estimators_)
            ),
            "A tree that has made no split is left out of the mean. It removed nothing, and that "
            "counts: divide by the number of all trees.",
        ),
        Slip(
            "the median",
            lambda forest: np.median([_imp(tree) for tree in forest.estimators_], axis=0),
            "That is the median over the trees. The forest's importance is the mean.",
        ),
        Slip(
            "each tree normalised",
            lambda forest: np.mean([t.feature_importances_ for t in forest.estimators_], axis=0),
            "That is the mean of the trees' feature_importances_, which were divided by their sum "
            "in each tree. Use imp_of_tree, which does not divide.",
            behind="M1",
        ),
        Slip(
            "divided by one less",
            lambda forest: _imp(forest) * len(forest.estimators_) / (len(forest.estimators_) - 1),
            "You have divided by one less than the number of trees. A mean divides by all of them.",
        ),
        Slip(
            "divided by the number of features",
            lambda forest: _imp(forest) * len(forest.estimators_) / forest.n_features_in_,
            "The trees are added up and divided by the number of features. Divide by the number "
            "of trees.",
        ),
    ),
)

# 01.6 A use: how much of the uncertainty did the forest remove?


def _root_impurities(forest) -> np.ndarray:
    return np.array([tree.tree_.impurity[0] for tree in forest.estimators_])


SHARE = Exercise(
    id="01.6",
    title="Share of the impurity that a forest removed",
    points=2,
    expects="the sum of the forest's MDI divided by the mean impurity of its roots, a number "
    "between 0 and 1",
    draw=_draw_forest,
    turns=FORESTS,
    inputs=_forest_and_imp,
    reference=lambda forest, imp: float(imp.sum() / _root_impurities(forest).mean()),
    describe=lambda case: f"of a forest on {case['n_samples']} samples",
    hints=(
        "What is the most that all splits together could remove? Look at the root.",
        "The sum of imp over all features is what was removed; the mean root impurity is what "
        "was there.",
    ),
    slips=(
        Slip(
            "normalised importances",
            lambda forest, imp: float(forest.feature_importances_.sum()),
            "That is 1 for every forest, good or bad: normalising has thrown the answer away. "
            "Start from imp, which is not normalised.",
            behind="M1",
        ),
        Slip(
            "not divided by the root",
            lambda forest, imp: float(imp.sum()),
            "That is how much impurity was removed. To get a share, divide by how much there was "
            "at the roots.",
        ),
        Slip(
            "one root",
            lambda forest, imp: float(imp.sum() / _root_impurities(forest)[0]),
            "That divides by the root of the first tree. Each tree has a bootstrap sample and a "
            "root of its own: take the mean over the trees.",
        ),
        Slip(
            "mean over the features",
            lambda forest, imp: float(imp.mean() / _root_impurities(forest).mean()),
            "That is the mean over the features. What all splits together removed is the sum of "
            "imp.",
        ),
        Slip(
            "roots added up",
            lambda forest, imp: float(imp.sum() / _root_impurities(forest).sum()),
            "imp is a mean over the trees, so the roots it is compared with have to be averaged, "
            "too.",
        ),
        Slip(
            "what is left",
            lambda forest, imp: float(1 - imp.sum() / _root_impurities(forest).mean()),
            "That is the share of the impurity that is left. The share that was removed is asked "
            "for.",
        ),
        Slip(
            "the mean of the trees' shares",
            lambda forest, imp: float(
                np.mean([_imp(tree).sum() / tree.tree_.impurity[0] for tree in forest.estimators_])
            ),
            "That is the mean of the shares of the single trees. Asked for is one share: the sum "
            "of imp, divided by the mean impurity of the roots.",
        ),
        Slip(
            "the impurity that is left",
            lambda forest, imp: float(_root_impurities(forest).mean() - imp.sum()),
            "That is how much impurity is left, in its own unit. The share that was removed is "
            "asked for.",
        ),
        Slip(
            "per cent",
            lambda forest, imp: float(100 * imp.sum() / _root_impurities(forest).mean()),
            "That is in per cent. A share lies between 0 and 1.",
        ),
    ),
)

# 01.7 Which transformations change nothing?

TRANSFORMATIONS = Exercise(
    id="01.7",
    title="Transformations that leave the tree as it was",
    points=1,
    expects="the letters of all transformations that never change which rows a threshold can "
    "separate",
    reference=lambda: {"a", "b", "c", "f"},
    hints=(
        "A threshold only uses the order of the values. Which transformations keep the order of "
        "positive numbers, without ties that were not there before?",
        "Take 1.2, 1.4 and 5 and apply each transformation. Are they still three different "
        "values in the same order?",
    ),
    slips=(
        Slip(
            "only linear ones",
            lambda: {"a"},
            "Not only straight lines keep the order of the values: any strictly increasing curve "
            "does.",
        ),
        Slip(
            "rounding included",
            lambda: {"a", "b", "c", "d", "f"},
            "One of yours makes different values equal, and no threshold can separate equal "
            "values.",
        ),
        Slip(
            "all of them",
            lambda: {"a", "b", "c", "d", "e", "f"},
            "Two of these change the order of the values or make different values equal.",
        ),
        Slip(
            "the distance included",
            lambda: {"a", "b", "c", "e", "f"},
            "One of yours does not keep the order of all positive values. Try each with 1, 2, 3 "
            "and 5.",
        ),
        Slip(
            "the rank left out",
            lambda: {"a", "b", "c"},
            "All of yours keep the order of the values. One more does, and a threshold needs "
            "nothing else.",
        ),
        Slip(
            "the square left out",
            lambda: {"a", "b", "f"},
            "All of yours keep the order of the values. One more does: remember that `x` takes "
            "positive values only.",
        ),
        Slip(
            "the logarithm left out",
            lambda: {"a", "c", "f"},
            "All of yours keep the order of the values. One more is strictly increasing, "
            "wherever it is defined.",
        ),
        Slip(
            "the factor left out",
            lambda: {"b", "c", "f"},
            "All of yours keep the order of the values. One more does, and every threshold "
            "grows with it.",
        ),
        Slip(
            "the square and the rank left out",
            lambda: {"a", "b"},
            "These two keep the order. So do two more: try each with 1.2, 1.4 and 5.",
        ),
        Slip(
            "the other way round",
            lambda: {"d", "e"},
            "These two may change the tree. Those that leave it as it was are asked for.",
        ),
    ),
)

EXERCISES = (ENTROPY, DECREASE, THRESHOLD, TREE, FOREST, SHARE, TRANSFORMATIONS)
