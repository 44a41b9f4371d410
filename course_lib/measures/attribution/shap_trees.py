"""scikit-learn's trees in the format of the shap package, which solves their games."""

import warnings
from collections.abc import Callable, Sequence

import numpy as np

from course_lib.patience import paced
from course_lib.validation import refuse_non_finite

AT_ONCE = 50  # rows, so that a long run can say how far it is
FEWER = "Fewer rows, or fewer or smaller trees, take less time in proportion."
MAX_NODES = 2**15  # of a tree: with a background shap 0.51 numbers them in 16 bits, and would crash
FAR = 64.0  # leaf values that lie so many times their spread from 0 are moved there


def shap_values(trees: list[dict], rows: np.ndarray, around=None) -> tuple[np.ndarray, float]:
    """Shapley values of the sum of some trees for each row, and the base they start from.

    The game is path-dependent, or with a background `around` the marginal one, over all its rows:
    shap itself would quietly take 100 of them. For the marginal game shap 0.51 keeps thresholds
    and leaf values in single precision, so the values are good to about seven digits (what the
    leaves of a tree have in common is kept aside if it is large), and the
    thresholds must be such that rounding does not move them (`as_shap_trees`). The rows and the
    background must be rounded as well (`single_precision`): shap rounds only the rows.
    """
    largest = max(len(tree["features"]) for tree in trees)
    if around is not None and largest > MAX_NODES:
        raise ValueError(
            f"The largest of these trees has {largest} nodes, and with a background shap can read "
            f"trees of at most {MAX_NODES}. Fit smaller trees (max_depth=..., "
            f"min_samples_leaf=...), or leave the background out: that is another game, the "
            f"path-dependent one."
        )
    common, unit = 0.0, 1.0
    if around is not None:
        trees, common, unit = _in_reach(trees)
    shap = quiet_shap()
    explainer = shap.TreeExplainer(
        {"input_dtype": np.float32, "trees": trees},
        None if around is None else shap.maskers.Independent(around, max_samples=len(around)),
        feature_perturbation="tree_path_dependent" if around is None else "interventional",
    )

    def explained(block: np.ndarray) -> np.ndarray:
        return np.reshape(explainer.shap_values(block, check_additivity=False), block.shape)

    at_once = len(rows) if around is not None else AT_ONCE  # with a background it has its own bar
    starts = range(0, max(len(rows), 1), max(at_once, 1))
    values = paced(explained, [(rows[start : start + at_once],) for start in starts], FEWER)
    base = float(np.ravel(explainer.expected_value)[0])
    return unit * np.concatenate(values), common + unit * base


def _in_reach(trees: list[dict]) -> tuple[list[dict], float, float]:
    """The trees with values that single precision can tell apart, and what the sum of the given
    ones is: a constant plus that of these in a unit. Ordinary values stay as they are."""
    leaves = [tree["values"][tree["children_left"] < 0] for tree in trees]
    centres = [in_common(values) for values in leaves]
    largest = max(abs(values - c).max() for values, c in zip(leaves, centres, strict=True))
    unit = (
        1.0 if largest == 0 or 1e-25 < largest < 1e25 else float(2.0 ** np.round(np.log2(largest)))
    )
    if unit == 1 and not any(centres):
        return trees, 0.0, 1.0
    moved = [
        tree | {"values": (tree["values"] - centre) / unit}
        for tree, centre in zip(trees, centres, strict=True)
    ]
    return moved, sum(centres), unit


def in_common(leaves: np.ndarray) -> float:
    """The mean of leaf values that lie far from 0 and close together; of others 0."""
    mean, spread = leaves.mean(), np.ptp(leaves)
    return float(mean) if spread > 0 and abs(mean) > FAR * spread else 0.0


def quiet_shap():
    """The shap package: heavy, so imported only here, and without the warnings of what it loads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import shap
    return shap


def as_shap_trees(trees: Sequence, scale: float, values: Callable) -> list[dict]:
    """Decision trees in shap's own format; `values(tree)` gives what is predicted in each node.

    The weights are copied, since shap overwrites them with those of the background.
    """
    return [
        {
            "children_left": tree.tree_.children_left,
            "children_right": tree.tree_.children_right,
            "children_default": np.where(
                tree.tree_.missing_go_to_left,
                tree.tree_.children_left,
                tree.tree_.children_right,
            ),
            "features": tree.tree_.feature,
            "thresholds": _round_down(tree.tree_.threshold),
            "values": scale * values(tree)[:, np.newaxis],
            "node_sample_weight": tree.tree_.weighted_n_node_samples.copy(),
        }
        for tree in trees
    ]


def single_precision(values: np.ndarray, name: str = "X") -> np.ndarray:
    """Numbers rounded as scikit-learn's trees round them; they take none that become infinite."""
    with np.errstate(over="ignore"):
        rounded = values.astype(np.float32).astype(float)
    refuse_non_finite(
        rounded, f"{name} (in single precision, as the trees read it)", allow_nan=True
    )
    return rounded


def _round_down(threshold: np.ndarray) -> np.ndarray:
    """The largest single-precision numbers that do not exceed the thresholds.

    Single-precision data cannot tell them from the thresholds. Given a background, shap 0.51 rounds
    to the nearest, which sends a value that lies just above a threshold to the wrong side. Such
    values are common: measured values lie on a grid, and the middle between two of them, where
    scikit-learn puts a threshold, is often a third. Then shap's values do not add up. If a sum is
    off by more than 1 %, shap stops with "Additivity check failed"; if by less, it says nothing.
    Without a background it computes in double precision and is right.
    """
    nearest = threshold.astype(np.float32)
    below = np.nextafter(nearest, np.float32(-np.inf))
    return np.where(nearest > threshold, below, nearest).astype(float)
