"""The bags of a forest: how often each tree was shown each row of the training sample."""

from copy import copy

import numpy as np

from course_lib.measures.forests.branches import check_forest, check_rows, node_tables
from course_lib.models.chains import Chain
from course_lib.models.wrappers import FORESTS, refuse_class
from course_lib.results import how_many
from course_lib.validation import check_fitted, check_width, check_X


def in_bag_counts(forest, X) -> np.ndarray:
    """How often each training sample was drawn for each tree, shape (n_samples, n_trees).

    All 1 without bootstrap; 0 marks the samples that are out of bag for the tree. With these
    counts as weights, the weighted mean of ``local_mdi(forest.estimators_[t], X).values`` is
    column t of ``mdi(forest)``, exactly; with class_weight="balanced_subsample", rows have weights
    besides.

    scikit-learn draws the bags again from the seeds of the trees; that X is the training sample is
    checked by sending its rows to the leaves, which know how many different rows they were grown
    from.

    Parameters
    ----------
    forest : fitted forest of scikit-learn
        Or a fitted pipeline or search that ends with one.
    X : the training sample, in its order

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    >>> in_bag_counts(forest, X).sum(axis=0)
    array([150, 150, 150])
    """
    chain = Chain(forest)
    forest, X = check_forest(chain.model), chain.table(X)
    if not getattr(forest, "bootstrap", False):
        n_trees, n_rows = getattr(forest, "n_estimators", 1), len(check_rows(forest, X)[0])
        _check_whole_sample(forest, n_rows)
        return np.ones((n_rows, n_trees), dtype=int)
    values = check_X(X, allow_nan=True)
    check_width(forest, values.shape[1])
    n_rows, X32 = len(values), values.astype(np.float32)
    counts = [np.bincount(rows, minlength=n_rows) for rows in forest.estimators_samples_]
    if _n_training_rows(forest) != n_rows or not all(
        _grown_from(tree.tree_, X32[count > 0])
        for tree, count in zip(forest.estimators_, counts, strict=True)
    ):
        raise ValueError(
            f"X, of {n_rows} rows, is not the sample this {type(forest).__name__} was fitted "
            f"to: its trees were grown from other rows. Pass the training sample, in its order. "
            f"(Bags cannot be drawn again if the forest was grown on with other weights, or stands "
            f"behind a TargetEncoder, which shows other numbers in fit than later.)"
        )
    return np.transpose(counts)


def check_bags(forest):
    """The forest itself; refused if it has no bags, and therefore no rows out of them."""
    refuse_class(forest)
    if not isinstance(forest, FORESTS):
        raise TypeError(
            f"Bags are drawn for the trees of a random forest, got {type(forest).__name__}. "
            f"Pass a fitted RandomForest or ExtraTrees model with bootstrap=True; for any other "
            f"use permutation_importance on rows that it has not seen."
        )
    check_fitted(forest)
    if not forest.bootstrap:
        raise ValueError(
            f"This {type(forest).__name__} was fitted with bootstrap=False: every tree has seen "
            f"every row, so none is out of bag. Fit it with bootstrap=True."
        )
    return forest


def refuse_weighted_bags(forest) -> None:
    """Raise if a forest has drawn its bags by weights: scikit-learn does from version 1.9 on."""
    weights = getattr(forest, "_sample_weight", None)
    if weights is not None and np.ptp(weights) > 0:
        raise ValueError(
            f"This {type(forest).__name__} was fitted with sample_weight or class_weight, and drew "
            f"its bags by these weights: outside the bags lie mostly rows of little weight, so a "
            f"gain measured there is of another population than the trees'. Fit it without "
            f"weights, or use oob_permutation_importance."
        )


def out_of_bag_words(n_trees: int) -> dict[str, str]:
    """What a result with one column per tree, measured on the rows outside its bag, rests on."""
    return {
        "sample": "training rows outside each tree's bag",
        "repeats": how_many(n_trees, "tree"),
        "covers": "the differences between the trees",
    }


def _check_whole_sample(forest, n_rows: int) -> None:
    """Refuse rows that trees without bags were not grown from, each of them once."""
    table, _ = next(node_tables(forest))
    tree = getattr(forest, "tree_", None)  # a single one may come from a forest with bags
    seen = n_rows if tree is None else tree.n_node_samples[0]
    if seen == n_rows and np.allclose(table.weight[table.roots], n_rows):
        return
    raise ValueError(
        f"X, of {n_rows} rows, is not the sample of this {type(forest).__name__}, each row once: "
        f"it was fitted to others, with weights, or as a tree of a forest with bags. Pass the "
        f"training sample, and of a tree its forest; rows with weights count by these."
    )


def _n_training_rows(forest) -> int:
    """How many rows a forest was fitted to: without bags, the sample of a tree is all of them."""
    unbagged = copy(forest).set_params(bootstrap=False)
    unbagged.estimators_ = forest.estimators_[:1]
    return len(unbagged.estimators_samples_[0])


def _grown_from(tree, rows: np.ndarray) -> bool:
    """Whether these rows fill the leaves of a `tree_` as its training rows did."""
    filled = np.bincount(tree.apply(rows), minlength=tree.node_count)
    is_leaf = tree.children_left < 0
    return bool((filled[is_leaf] == tree.n_node_samples[is_leaf]).all())
