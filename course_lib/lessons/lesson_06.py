"""The exercises of lesson 06: from one path to local importances, exact and in forests."""

from collections.abc import Callable
from itertools import permutations
from operator import gt, le, lt

import numpy as np
from scipy.stats import rankdata
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from course_lib.lessons.exercise import Exercise, Slip
from course_lib.lessons.given import local_importance
from course_lib.measures.asymptotic import asymptotic_local_mdi, asymptotic_mdi
from course_lib.measures.forests.bags import in_bag_counts
from course_lib.measures.forests.mdi import local_mdi, mdi, saabas
from course_lib.worlds.distributions import Categorical

# What becomes of a sign, in several exercises

NO_SIGN = "The sizes are right, but a local importance may be negative: keep its sign."
CLIPPED = (
    "A negative local importance says that the answers led to more mixed nodes. Set to 0, the "
)
CLIPPED += "values no longer add up to what the path removed."


def _lost_signs(answer) -> tuple[Slip, Slip]:
    """The slips of throwing a minus away and of setting what is negative to 0."""
    return (
        Slip("sign thrown away", lambda *given: abs(answer(*given)), NO_SIGN, behind="M6"),
        Slip(
            "negative importances set to 0",
            lambda *given: np.maximum(answer(*given), 0),
            CLIPPED,
            behind="M6",
        ),
    )


# 06.1 One path, three blanks


def _draw_path(
    rng: np.random.Generator, n_features: int, n_questions: int, pure: bool, unasked: int
) -> dict:
    """A path that asks some variable twice, and on which the impurity rises once."""
    while True:
        asked = rng.integers(n_features - unasked, size=n_questions)
        leaf = 0.0 if pure else rng.uniform(0.1, 0.6)
        impurities = [*rng.uniform(0.2, 2.0, size=n_questions), leaf]
        impurities = np.round(impurities, 3).tolist()
        case = {"n_features": n_features, "asked": asked.tolist(), "impurities": impurities}
        credit, drops = _path_credit(**case), -np.diff(impurities)
        clipped = np.bincount(asked, np.maximum(drops, 0), minlength=n_features)
        sizes = np.bincount(asked, abs(drops), minlength=n_features)
        pairs = (clipped, np.maximum(credit, 0)), (sizes, abs(credit))
        apart = min(abs(one - other).max() for one, other in pairs) > 1e-3
        if len(set(case["asked"])) < n_questions and credit.min() < -0.1 and apart:
            return case


def _path_credit(n_features, asked, impurities) -> np.ndarray:
    return np.bincount(asked, -np.diff(impurities), minlength=n_features)


def _into_a_pure_leaf(n_features, asked, impurities) -> np.ndarray:
    return _path_credit(n_features, asked, [*impurities[:-1], 0.0])


def _down_to_the_leaf(n_features, asked, impurities) -> np.ndarray:
    removed = np.array(impurities[:-1]) - impurities[-1]
    return np.bincount(asked, removed, minlength=n_features)


def _overwritten(n_features, asked, impurities) -> np.ndarray:
    credit = np.zeros(n_features)
    for variable, drop in zip(asked, -np.diff(impurities), strict=True):
        credit[variable] = drop
    return credit


PATH = Exercise(
    id="06.1",
    title="Credit along one path",
    points=2,
    blanks=3,
    expects="for each variable the sum of impurity before minus impurity after, over the nodes of "
    "the path that ask it",
    draw=_draw_path,
    turns=((4, 5, True, 0), (6, 7, False, 2), (3, 4, False, 0)),
    reference=_path_credit,
    hints=(
        "impurities has one entry more than asked: node k has impurities[k], and after its "
        "question the sample is in a node with ...?",
        "A variable that is asked twice earns twice: add to what it has already.",
    ),
    slips=(
        Slip(
            "sign turned round",
            lambda n, asked, i: -_path_credit(n, asked, i),
            "Right size, wrong sign: removed is what was there before minus what is left after.",
        ),
        Slip(
            "overwritten",
            _overwritten,
            "A variable that is asked a second time loses what it earned the first time. Add to "
            "its credit, do not replace it.",
        ),
        Slip(
            "only as far as the last variable asked",
            lambda n, asked, i: np.bincount(asked, -np.diff(i)),
            "The array ends with the last variable that the path asks. There is one place for each "
            "of the n_features variables, also for those that are not asked: their credit is 0.",
        ),
        Slip(
            "negative drops thrown away",
            lambda n, asked, i: np.bincount(asked, np.maximum(-np.diff(i), 0), minlength=n),
            "A question after which the node is more mixed earns less than nothing. Setting it to "
            "0 breaks the sum.",
            behind="M6",
        ),
        Slip(
            "what is left instead of what was removed",
            lambda n, asked, i: np.bincount(asked, i[1:], minlength=n),
            "That is the impurity after each question. The credit is the difference between "
            "before and after.",
        ),
        Slip(
            "what was there instead of what was removed",
            lambda n, asked, i: np.bincount(asked, i[:-1], minlength=n),
            "That is the impurity before each question. The credit is the difference between "
            "before and after.",
        ),
        Slip(
            "the leaf taken for pure",
            _into_a_pure_leaf,
            "After the last question no uncertainty is left here. A leaf may still be mixed: the "
            "last entry of impurities is what is left there.",
        ),
        Slip(
            "down to the leaf",
            _down_to_the_leaf,
            "Each question is credited with all that was removed from its node down to the leaf. "
            "It earns its own step only: the next entry of impurities is what it left.",
        ),
        Slip(
            "one node too early",
            lambda n, asked, i: np.bincount(asked, np.roll(i, 1)[:-1] - i[:-1], minlength=n),
            "Each question is credited with what the one before it removed. Node k has "
            "impurities[k] before its question and impurities[k + 1] after it.",
        ),
        Slip(
            "sizes of the steps",
            lambda n, asked, i: np.bincount(asked, abs(np.diff(i)), minlength=n),
            "Each step counts by its size. A question after which the node is more mixed earns "
            "less than nothing: keep the sign of every step.",
            behind="M6",
        ),
        Slip(
            "shares of 1",
            lambda n, asked, i: _path_credit(n, asked, i) / _path_credit(n, asked, i).sum(),
            "These add up to 1. Credit is in bits, and adds up to what the path removed.",
            behind="M1",
        ),
        *_lost_signs(_path_credit),
    ),
)

# 06.2 and 06.3 Trees and forests


def _draw_tree(rng: np.random.Generator, n_features: int) -> dict:
    """A tree and a row that shows a lost sign, a lost question and the wrong side of a threshold.

    Values are whole numbers, so thresholds are exact, and a row can stand on one.
    """
    while True:
        seed = int(rng.integers(10**6))
        tree, X = _small_tree(seed, n_features)
        inner = tree.tree_
        for node in rng.permutation(np.flatnonzero(inner.feature >= 0))[:8].tolist():
            for x in rng.permutation(X)[:6]:
                x[inner.feature[node]] = inner.threshold[node]
                if _is_telling(tree, x):
                    return {"seed": seed, "x": x.tolist(), "alike": False}


def _is_telling(tree, x) -> bool:
    """Whether a row has a clearly negative importance, and every slip another value."""
    nodes = _nodes(tree, x)
    credit = _credit(tree, nodes)
    if len(nodes) < 6 or credit.min() > -0.05:
        return False
    wrong = _credit(tree, nodes[:5]), _credit(tree, _nodes(tree, x, lt)), _clipped(tree, x)
    far = min(abs(w - np.maximum(credit, low)).max() for w in wrong for low in (0, -9)) > 1e-3
    sizes = _credit(tree, nodes, drop=abs)
    return far and min(abs(sizes - credit).max(), abs(sizes - abs(credit)).max()) > 1e-3


def _draw_forest(rng: np.random.Generator, n_trees: int, n_rows: int, n_features: int) -> dict:
    """A forest and some rows of its sample, one of them with a negative importance."""
    sizes = {"n_trees": n_trees, "n_rows": n_rows, "n_features": n_features}
    while True:
        case = {"seed": int(rng.integers(10**6)), "row": int(rng.integers(30)), **sizes}
        if local_mdi(*_forest_and_rows(case)).values.min() < -0.02:
            return case


def _sample(seed: int, n_samples: int, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers and a noisy class that depends on the first three features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    return X, (X[:, :3] @ [1.5, 1.0, 0.5] + rng.normal(size=n_samples) > 1).astype(int)


def _small_tree(
    seed: int, n_features: int, alike: bool = False
) -> tuple[DecisionTreeClassifier, np.ndarray]:
    """A tree of up to seven questions on a branch, and its sample of whole numbers.

    Its last feature is constant, and no node asks it. If all targets are alike, it is one leaf.
    """
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 10, size=(60, n_features - 1)).astype(float)
    X = np.column_stack([X, np.full(60, 5.0)])
    y = X[:, :3] @ [1.5, 1.0, 0.5] + rng.normal(scale=4, size=60) > (-np.inf if alike else 15)
    tree = DecisionTreeClassifier(max_depth=7, criterion="entropy", random_state=seed)
    return tree.fit(X, y.astype(int)), X


def _tree_and_row(case: dict) -> tuple:
    return _small_tree(case["seed"], len(case["x"]), case["alike"])[0], np.array(case["x"])


def _forest_and_rows(case: dict) -> tuple:
    X, y = _sample(case["seed"], 60, case["n_features"])
    forest = ExtraTreesClassifier(
        case["n_trees"], max_depth=4, criterion="entropy", random_state=case["seed"]
    )
    return forest.fit(X, y), X[case["row"] :][: case["n_rows"]]


def _local(model, X) -> np.ndarray:
    return local_mdi(model, X).values


def _nodes(tree, x, goes_left=le) -> list[int]:
    """The nodes that a row passes, the leaf included."""
    inner, nodes = tree.tree_, [0]
    feature, threshold = inner.feature, inner.threshold
    children = inner.children_right, inner.children_left
    while feature[nodes[-1]] >= 0:
        t = nodes[-1]
        side = int(goes_left(x[feature[t]], threshold[t]))
        nodes.append(int(children[side][t]))
    return nodes


def _credit(tree, nodes, *, weight=lambda share: 1.0, drop=lambda step: step) -> np.ndarray:
    """What the questions of a path removed, by feature; to weight or to change them is a slip."""
    inner = tree.tree_
    drops = drop(-np.diff(inner.impurity[nodes]))
    shares = inner.weighted_n_node_samples[nodes[:-1]] / inner.weighted_n_node_samples[0]
    asked = inner.feature[nodes[:-1]]
    return np.bincount(asked, drops * weight(shares), minlength=tree.n_features_in_)


def _clipped(tree, x) -> np.ndarray:
    return _credit(tree, _nodes(tree, x), drop=lambda step: np.maximum(step, 0))


def _asked_last(tree, x) -> np.ndarray:
    """The slip of replacing what a feature has earned when it is asked again."""
    nodes, credit = _nodes(tree, x), np.zeros(tree.n_features_in_)
    credit[tree.tree_.feature[nodes[:-1]]] = -np.diff(tree.tree_.impurity[nodes])
    return credit


def _both_children(tree, x) -> np.ndarray:
    """The slip of taking the mean of both children, by their samples, for the child of x."""
    inner, credit = tree.tree_, np.zeros(tree.n_features_in_)
    for t in _nodes(tree, x)[:-1]:
        children = [inner.children_left[t], inner.children_right[t]]
        after = np.average(inner.impurity[children], weights=inner.n_node_samples[children])
        credit[inner.feature[t]] += inner.impurity[t] - after
    return credit


TREE = Exercise(
    id="06.2",
    title="Local MDI of one row in a tree",
    points=3,
    expects="for each feature the sum of i(t) - i(child of x) over the nodes t that x passes and "
    "that split on the feature",
    draw=_draw_tree,
    turns=((5,), (4,), (7,)),
    inputs=_tree_and_row,
    reference=local_importance,
    describe=lambda case: (
        f"of a tree on 60 samples{' that are all alike' * case['alike']} at x = {case['x']}"
    ),
    always=({"seed": 0, "x": [1.0, 2.0, 3.0, 4.0, 5.0], "alike": True},),
    hints=(
        "Start at node 0. As long as the node has children, see which one x goes to, add the "
        "difference of the two impurities to the feature asked, and move there.",
        "x goes left if x[feature[t]] <= threshold[t], else right.",
        "There is no share of samples in this sum: x passes a node or does not.",
    ),
    slips=(
        Slip(
            "weighted by the share of samples",
            lambda tree, x: _credit(tree, _nodes(tree, x), weight=lambda share: share),
            "The decreases are weighted by p(t), the share of the training samples in the node. "
            "That belongs to the global measure; for one row there is no such weight.",
            behind="M4",
        ),
        Slip(
            "the global importance",
            lambda tree, x: mdi(tree).importances_mean,
            "This does not depend on x at all: it is the tree's global MDI.",
            behind="M4",
        ),
        Slip(
            "the wrong way on a threshold",
            lambda tree, x: _credit(tree, _nodes(tree, x, lt)),
            "This row stands exactly on a threshold, and there it goes left: the rule is <=, "
            "not <.",
        ),
        Slip(
            "negative drops thrown away",
            _clipped,
            "A child may be more mixed than its parent. Keep the negative difference: it is what "
            "happened to this row.",
            behind="M6",
        ),
        Slip(
            "change of the prediction",
            lambda tree, x: saabas(tree, np.atleast_2d(x)).values[0],
            "That is Saabas: the change of the predicted probability along the path. Local MDI "
            "takes the change of the impurity.",
            behind="M9",
        ),
        Slip(
            "overwritten",
            _asked_last,
            "A feature that is asked a second time loses what it earned the first time. Add to "
            "its credit, do not replace it.",
        ),
        Slip(
            "left and right exchanged",
            lambda tree, x: _credit(tree, _nodes(tree, x, gt)),
            "The row takes the other turn at every node. It goes left where x[feature[t]] <= "
            "threshold[t].",
        ),
        Slip(
            "both children",
            _both_children,
            "The impurity after a question is the mean of both children here. One row goes to one "
            "of them; take the impurity of that child.",
            behind="M4",
        ),
        Slip(
            "feature_importances_",
            lambda tree, x: tree.feature_importances_,
            "This does not depend on x at all: it is the tree's global MDI, divided by its sum.",
            behind="M4",
        ),
        Slip(
            "sizes of the steps",
            lambda tree, x: _credit(tree, _nodes(tree, x), drop=abs),
            "Each step counts by its size. A child may be more mixed than its parent: keep the "
            "sign of every step.",
            behind="M6",
        ),
        Slip(
            "sign turned round",
            lambda tree, x: -local_importance(tree, x),
            "Right size, wrong sign: the impurity of the node minus that of the child.",
        ),
        *_lost_signs(local_importance),
    ),
)

FOREST = Exercise(
    id="06.3",
    title="Local MDI of rows in a forest",
    points=1,
    expects="an array with a row for each row of X: the mean over the trees of the local MDI",
    draw=_draw_forest,
    turns=((4, 8, 4), (12, 6, 3), (3, 11, 5)),
    inputs=lambda case: (*_forest_and_rows(case), local_importance),
    reference=lambda forest, X, one_tree: _local(forest, X),
    describe=lambda case: f"of {case['n_rows']} rows in a forest of {case['n_trees']} trees",
    hints=(
        "one_tree(tree, x) does one row in one tree. How many calls are needed?",
        "For each row the mean over forest.estimators_; put the rows under each other.",
    ),
    slips=(
        Slip(
            "trees added up",
            lambda forest, X, one_tree: len(forest.estimators_) * _local(forest, X),
            "The trees are added up. Equation 8 divides by their number.",
        ),
        Slip(
            "one tree",
            lambda forest, X, one_tree: _local(forest.estimators_[0], X),
            "That is the first tree alone. Take the mean over all trees of the forest.",
            behind="M4",
        ),
        Slip(
            "mean over the rows as well",
            lambda forest, X, one_tree: _local(forest, X).mean(axis=0),
            "One value per feature: the rows were averaged too. Keep a row for each row of X.",
            behind="M4",
        ),
        Slip(
            "rows and columns exchanged",
            lambda forest, X, one_tree: _local(forest, X).T,
            "The right numbers with a row for each feature. Give a row for each row of X.",
        ),
        Slip(
            "trees kept apart",
            lambda forest, X, one_tree: np.array([_local(t, X) for t in forest.estimators_]),
            "There is a table for each tree. Take the mean over the trees, axis 0.",
        ),
        *_lost_signs(lambda forest, X, one_tree: _local(forest, X)),
    ),
)

# 06.4 From local to global where the trees drew bootstrap samples


def _draw_bag(rng: np.random.Generator, n_trees, n_samples, n_features, max_samples) -> dict:
    """Some bags are as large as the sample, some are smaller."""
    sizes = {"n_trees": n_trees, "n_samples": n_samples, "n_features": n_features}
    return {"seed": int(rng.integers(10**6)), **sizes, "max_samples": max_samples}


def _bags(case: dict) -> tuple:
    """The local MDI of every tree, row and feature, and the in-bag counts of a random forest."""
    X, y = _sample(case["seed"], case["n_samples"], case["n_features"])
    options = {"max_samples": case["max_samples"], "random_state": case["seed"]}
    forest = RandomForestClassifier(case["n_trees"], max_depth=3, **options).fit(X, y)
    local = np.array([local_mdi(tree, X).values for tree in forest.estimators_])
    return local, in_bag_counts(forest, X)


def _weighted(local, counts) -> np.ndarray:
    weights = counts / counts.sum(axis=0)
    return np.einsum("tim,it->m", local, weights) / len(local)


GLOBAL = Exercise(
    id="06.4",
    title="Global MDI from local MDI, with bootstrap",
    points=2,
    expects="for each feature the mean over the trees of the mean over the rows, each row counted "
    "as often as the tree drew it",
    draw=_draw_bag,
    turns=((5, 60, 4, 1.0), (4, 70, 3, 0.5), (6, 40, 5, 0.75)),
    inputs=_bags,
    reference=_weighted,
    describe=lambda case: (
        f"of {case['n_trees']} trees, with {case['n_samples']} rows and bags of "
        f"{case['max_samples']:.0%} of their number"
    ),
    hints=(
        "Do one tree first: local[t] has a row for each sample, counts[:, t] says how often the "
        "tree was given it.",
        "np.average takes weights. A row that was never drawn has weight 0.",
    ),
    slips=(
        Slip(
            "every row once",
            lambda local, counts: local.mean(axis=(0, 1)),
            "Every row counts once here, also those a tree never saw. Weight the rows of each tree "
            "by its in-bag counts.",
            behind="M4",
        ),
        Slip(
            "repeats not counted",
            lambda local, counts: _weighted(local, (counts > 0).astype(int)),
            "The rows outside the bag are left out, but a row drawn twice has to count twice.",
        ),
        Slip(
            "out-of-bag rows",
            lambda local, counts: _weighted(local, (counts == 0).astype(int)),
            "These are the rows that the trees did not see. Equation 9 is about those they did.",
            behind="M5",
        ),
        Slip(
            "negative importances set to 0",
            lambda local, counts: _weighted(np.maximum(local, 0), counts),
            "Negative local values were set to 0 before averaging. They belong to the mean, "
            "which is too large without them.",
            behind="M6",
        ),
        Slip(
            "divided by the number of rows",
            lambda local, counts: np.einsum("tim,it->m", local, counts) / counts.size,
            "Each tree's sum is divided by the number of rows. A bag may be smaller than that: "
            "divide by the number of rows that the tree drew, counts[:, t].sum().",
        ),
        Slip(
            "trees added up",
            lambda local, counts: len(local) * _weighted(local, counts),
            "Right within each tree; now take the mean over the trees, not the sum.",
        ),
        Slip(
            "trees kept apart",
            lambda local, counts: np.array(
                [np.average(one, axis=0, weights=c) for one, c in zip(local, counts.T, strict=True)]
            ),
            "Right within each tree, a row for each. Now take the mean over the trees.",
        ),
        Slip(
            "shares of 1",
            lambda local, counts: _weighted(local, counts) / _weighted(local, counts).sum(),
            "These add up to 1. Equation 9 is about the global MDI that is not divided by its sum.",
            behind="M1",
        ),
    ),
)

# 06.5 Exact, over all orders


def _draw_law(rng: np.random.Generator) -> dict:
    """A law of three bits and a target of two classes, and a row, on which the slips differ."""
    rows = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    while True:
        case = {
            "X": rows * 2,
            "y": [0] * 8 + [1] * 8,
            "weights": [
                *rng.integers(1, 12, size=8).tolist(),
                *rng.integers(1, 4, size=8).tolist(),
            ],
            "x": rows[rng.integers(8)],
        }
        law, x = _law(case)
        if _exact(law, x).min() > -0.02:
            continue
        law.entropy_at = _remembered(law.entropy_at)
        wrong = (_everywhere, _left_out, _one_order, _alone, _rotations, _contexts)
        answers = [f(law, x) for f in (_exact, *wrong, _only_gains, _sizes_of_steps)]
        answers += [abs(answers[0]), np.maximum(answers[0], 0)]
        pairs = [abs(a - b).max() for k, a in enumerate(answers) for b in answers[:k]]
        if min(pairs) > 2e-3:
            return case


def _remembered(entropy_at: Callable) -> Callable:
    """The same function of one row; the slips ask for few sets, again and again."""
    known = {}

    def look_up(x, S) -> float:
        if (key := frozenset(S)) not in known:
            known[key] = entropy_at(x, S)
        return known[key]

    return look_up


def _law(case: dict) -> tuple:
    weights = np.array(case["weights"], dtype=float)
    return Categorical(np.array(case["X"]), case["y"], weights / weights.sum()), case["x"]


def _exact(distribution, x) -> np.ndarray:
    return asymptotic_local_mdi(distribution, x).importances_mean


def _changed_steps(distribution, x, change) -> np.ndarray:
    """The mean over all orders of what a slip makes of each step."""
    credit = np.zeros(3)
    for order in map(list, permutations(range(3))):
        left = [distribution.entropy_at(x, order[:k]) for k in range(4)]
        credit[order] += change(-np.diff(left)) / 6
    return credit


def _only_gains(distribution, x) -> np.ndarray:
    return _changed_steps(distribution, x, lambda steps: np.maximum(steps, 0))


def _sizes_of_steps(distribution, x) -> np.ndarray:
    return _changed_steps(distribution, x, abs)


def _everywhere(distribution, x) -> np.ndarray:
    return asymptotic_mdi(distribution).importances_mean


def _left_out(distribution, x) -> np.ndarray:
    """The slip of taking a variable away from the full row."""
    full = distribution.entropy_at(x, [0, 1, 2])
    rest = [[j for j in range(3) if j != m] for m in range(3)]
    return np.array([distribution.entropy_at(x, S) - full for S in rest])


def _one_order(distribution, x) -> np.ndarray:
    left = [distribution.entropy_at(x, list(range(k))) for k in range(4)]
    return -np.diff(left)


def _alone(distribution, x) -> np.ndarray:
    before = distribution.entropy()
    return np.array([before - distribution.entropy_at(x, [m]) for m in range(3)])


def _rotations(distribution, x) -> np.ndarray:
    """The slip of taking only the orders that turn 0, 1, 2 around."""
    credit = np.zeros(3)
    for order in ([0, 1, 2], [1, 2, 0], [2, 0, 1]):
        left = [distribution.entropy_at(x, order[:k]) for k in range(4)]
        credit[order] -= np.diff(left) / 3
    return credit


def _contexts(distribution, x) -> np.ndarray:
    """The slip of giving the four contexts of a variable the same weight."""
    credit = np.zeros(3)
    for m in range(3):
        first, second = (j for j in range(3) if j != m)
        for S in ([], [first], [second], [first, second]):
            drop = distribution.entropy_at(x, S) - distribution.entropy_at(x, [*S, m])
            credit[m] += drop / 4
    return credit


def _added_orders(distribution, x) -> np.ndarray:
    return len(list(permutations(range(3)))) * _exact(distribution, x)


EXACT = Exercise(
    id="06.5",
    title="Exact local importance over all orders",
    points=3,
    expects="for each of the three variables the mean, over all orders of asking, of the entropy "
    "before minus the entropy after its answer at x",
    draw=_draw_law,
    inputs=_law,
    reference=_exact,
    describe=lambda case: f"at x = {case['x']}",
    hints=(
        "itertools.permutations(range(3)) gives the six orders. Walk through one of them first, "
        "as along a path.",
        "distribution.entropy_at(x, S) is the entropy that is left once the variables in the list "
        "S are known to have the values of x.",
        "Add each drop to the variable just asked; at the end divide by the number of orders.",
    ),
    slips=(
        Slip(
            "one order only",
            _one_order,
            "That is a single order, 0, 1, 2. Another order gives other shares; take the mean of "
            "all six.",
        ),
        Slip(
            "taken away from the full row",
            _left_out,
            "That is what is lost when one variable is taken away and all others stay: only the "
            "last place of each order. The importance is a mean over all places.",
            behind="M9",
        ),
        Slip(
            "mean over all rows",
            _everywhere,
            "That is the global importance: it averages over all rows. Keep to x, with entropy_at.",
            behind="M4",
        ),
        Slip(
            "orders added up",
            _added_orders,
            "The orders are added up. There are six of them; take their mean.",
        ),
        Slip(
            "alone",
            _alone,
            "That is what each answer removes if it is the first: only the first place of each "
            "order. The importance is a mean over all places.",
        ),
        Slip(
            "divided by the number of variables",
            lambda distribution, x: 2 * _exact(distribution, x),
            "The sum over the orders is divided by 3, the number of variables. There are six "
            "orders.",
        ),
        Slip(
            "only rotations",
            _rotations,
            "Only the orders that turn 0, 1, 2 around are used. There are six of them.",
        ),
        Slip(
            "all contexts alike",
            _contexts,
            "The four contexts of a variable count the same here. In random orders the empty and "
            "the full one come twice as often as each of the other two.",
        ),
        Slip(
            "sign turned round",
            lambda distribution, x: -_exact(distribution, x),
            "Right size, wrong sign: the entropy before minus the entropy after.",
        ),
        Slip(
            "negative drops thrown away",
            _only_gains,
            "An answer after which the entropy is higher removes less than nothing. Setting such a "
            "step to 0 breaks the sum.",
            behind="M6",
        ),
        Slip(
            "sizes of the steps",
            _sizes_of_steps,
            "Each step counts by its size. An answer may leave more entropy than there was: keep "
            "the sign of every step.",
            behind="M6",
        ),
        *_lost_signs(_exact),
    ),
)

# 06.6 How far two measures agree


def _draw_values(rng: np.random.Generator, *shape: int) -> dict:
    """Two measures of a few rows; of some row the sizes are negatively correlated."""
    while True:
        first = rng.normal(size=shape).round(3)
        second = (first * rng.choice([-1, 1], size=shape) + rng.normal(size=shape)).round(3)
        signed = _row_correlations(first, second)
        if max(_row_correlations(abs(first), abs(second)).min(), signed.min()) < -0.05:
            return {"first": first.tolist(), "second": second.tolist()}


def _row_correlations(first, second) -> np.ndarray:
    pairs = zip(np.asarray(first), np.asarray(second), strict=True)
    return np.array([np.corrcoef(a, b)[0, 1] for a, b in pairs])


def _ranks(values) -> np.ndarray:
    return rankdata(abs(values), axis=1)


AGREEMENT = Exercise(
    id="06.6",
    title="Agreement of two measures, row by row",
    points=2,
    expects="one number per row: the correlation of the absolute values of the two measures",
    draw=_draw_values,
    turns=((4, 6), (5, 7), (3, 5)),
    inputs=lambda case: (np.array(case["first"]), np.array(case["second"])),
    reference=lambda first, second: _row_correlations(abs(first), abs(second)),
    describe=lambda case: "of two measures of {} rows and {} features".format(
        *np.shape(case["first"])
    ),
    hints=(
        "np.corrcoef(a, b)[0, 1] is the correlation of two lists. Which two lists belong to one "
        "row?",
        "The figure of the paper compares sizes, so take absolute values first.",
    ),
    slips=(
        Slip(
            "signs kept",
            _row_correlations,
            "The signs are still there. The sizes are compared: take absolute values first.",
        ),
        Slip(
            "columns instead of rows",
            lambda first, second: _row_correlations(abs(first).T, abs(second).T),
            "One number per feature: the correlations run down the columns. A row is one sample.",
        ),
        Slip(
            "all rows at once",
            lambda first, second: float(np.corrcoef(abs(first).flat, abs(second).flat)[0, 1]),
            "A single number for all rows together. Each row has an agreement of its own.",
        ),
        Slip(
            "sign thrown away",
            lambda first, second: abs(_row_correlations(abs(first), abs(second))),
            "Absolute values are taken of the measures, not of the correlation: two measures may "
            "disagree so far that it is negative.",
            behind="M6",
        ),
        Slip(
            "negative correlations set to 0",
            lambda first, second: np.maximum(_row_correlations(abs(first), abs(second)), 0),
            "A correlation may be negative: where one measure is large the other is small. Keep "
            "it.",
            behind="M6",
        ),
        Slip(
            "size of the correlation",
            lambda first, second: abs(_row_correlations(first, second)),
            "Absolute values are taken of the correlation. The sizes of the measures are compared: "
            "take absolute values first, then correlate.",
            behind="M6",
        ),
        Slip(
            "squared",
            lambda first, second: _row_correlations(abs(first), abs(second)) ** 2,
            "These are squares of correlations. Give the correlation, which may be negative.",
        ),
        Slip(
            "rank correlation",
            lambda first, second: _row_correlations(_ranks(first), _ranks(second)),
            "These are correlations of ranks (Spearman). The figure has those of the values "
            "themselves, np.corrcoef.",
        ),
    ),
)

# 06.7 What can be negative?

NEGATIVE = Exercise(
    id="06.7",
    title="Values that can be negative",
    points=1,
    expects="the letters of all values that are negative in some correct computation",
    reference=lambda: {"b", "c", "d"},
    hints=(
        "A mean over all rows of a node is one thing, the child that a single row goes to another.",
        "A best split never raises the mean impurity of its children. It may raise that of one "
        "child. And a prediction may move in both directions.",
    ),
    slips=(
        Slip(
            "none of them",
            lambda: set(),
            "Remember the alarm: the night on which it rings is more uncertain than before.",
            behind="M6",
        ),
        Slip(
            "only the predictions",
            lambda: {"c", "d"},
            "Predictions move up and down, but an uncertainty may grow as well: the child that a "
            "row goes to can be more mixed than its parent.",
            behind="M6",
        ),
        Slip(
            "all of them",
            lambda: {"a", "b", "c", "d", "e"},
            "Two of these are means over all rows of what splits removed, and splitting a sample "
            "never makes the mean entropy grow.",
            behind="M4",
        ),
        Slip(
            "the global one as well",
            lambda: {"a", "b", "c", "d"},
            "One of yours is a mean over all rows of what splits removed, and a split never "
            "makes the mean impurity grow.",
            behind="M4",
        ),
        Slip(
            "the asymptotic one as well",
            lambda: {"b", "c", "d", "e"},
            "One of yours is a weighted sum of means over all values, and none of these means "
            "is ever negative.",
            behind="M4",
        ),
        Slip(
            "Saabas left out",
            lambda: {"b", "d"},
            "Both of yours can be negative, and one more: it adds up changes along a path. Do "
            "these go up only?",
        ),
    ),
)

EXERCISES = (PATH, TREE, FOREST, GLOBAL, EXACT, AGREEMENT, NEGATIVE)
