"""Mean decrease of impurity in fitted forests: global, local, debiased; and Saabas' contributions.

All four add up what happens along the branches of the trees: a node credits the variable that
its parent was split on. They work on scikit-learn's decision trees, random forests and
Extra-Trees, and on `TotallyRandomizedTrees`; also where these are the last step of a pipeline, or
in a fitted search. A given column then has the sum over the columns that the pipeline makes of it:
it is credited with the splits on any of them.

References
----------
Louppe et al. (2013), equation 1; Sutera et al. (2021), equations 2, 3, 8 and 9.
Li et al. (2019), "A debiased MDI feature importance measure for random forests" (MDI-oob).
Zhou & Hooker (2021), "Unbiased measurement of feature importance in tree-based methods" (UFI).
Saabas (2014), "Interpreting random forests".
"""

from functools import partial

import numpy as np
from sklearn.base import is_classifier

from course_lib.measures.forests.bags import (
    check_bags,
    in_bag_counts,
    out_of_bag_words,
    refuse_weighted_bags,
)
from course_lib.measures.forests.branches import (
    branch_means,
    check_forest,
    check_rows,
    feature_names,
    gains_by_feature,
    node_tables,
    node_totals,
)
from course_lib.models.chains import Chain
from course_lib.models.impurities import impurity_in_words
from course_lib.models.wrappers import explained_columns, output_in_words, refuse_several_targets
from course_lib.questions import Q3, Q4
from course_lib.results import Importances, LocalImportances, how_many, rows_given
from course_lib.validation import check_option, check_y

VARIANCE = ("squared_error", "friedman_mse")
ENTROPY = ("entropy", "log_loss")
LOST = 1e-3  # a variance of which more than this share is rounding
KNOWN = ("gini", *ENTROPY, *VARIANCE)


def mdi(forest, *, columns: str = "given") -> Importances:
    """Mean decrease of impurity of each feature, unnormalised, one column per tree.

    Imp(X_m, T) = sum over the nodes t of T that split on X_m of
                  p(t) [i(t) - sum over the children c of p(c) / p(t) i(c)]

    with p(t) the (weighted) share of the training samples in t and i the impurity by which the
    trees were grown (entropy is in bits). The mean over the trees is equation 1 of Louppe et al.;
    `feature_importances_` differs, since it normalises each tree to sum 1 before averaging.

    Parameters
    ----------
    forest : fitted forest or decision tree of scikit-learn, or TotallyRandomizedTrees
        Or a fitted pipeline or search that ends with one.
    columns : {"given", "transformed"}, default="given"
        Of a pipeline, the columns that it was given or those that the forest reads. A step of
        your own is believed that its columns are what it calls them, unless made-up numbers refute
        it; measures that are given X, such as `local_mdi`, ask the rows of X too.

    Returns
    -------
    result : Importances
        Each column sums to i(root) less the mean impurity of the leaves. Cost: one pass over the
        nodes.

    Examples
    --------
    The tree of an AND gate splits on one bit, then on the other: the second split gains more.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from course_lib.worlds import make_gate
    >>> tree = DecisionTreeClassifier(random_state=0).fit(*make_gate("and"))
    >>> sorted(mdi(tree).importances_mean.tolist())
    [0.125, 0.25]
    """
    chain = Chain(forest)
    forest = _with_impurities(chain.model)
    trees = [
        gains_by_feature(table, _decreases(table), forest.n_features_in_)
        for table, _ in node_tables(forest)
    ]
    importances, names = chain.summed(np.hstack(trees), columns, names=feature_names(forest))
    return Importances(
        importances,
        names,
        f"MDI  mean decrease of {_impurity_name(forest)}",
        Q4,
        loss=impurity_in_words(_criterion(forest)),
        sample="the rows it was grown on",
        repeats=how_many(importances.shape[1], "tree"),
        covers="the differences between the trees",
    )


def local_mdi(forest, X, *, columns: str = "given") -> LocalImportances:
    """Local MDI: how much each feature lowers the impurity along the paths of a row.

    Imp(X_m, x) = 1 / N_T sum over trees, over the nodes t that x passes and that split on X_m,
                  of i(t) - i(t_{x_m})                                              (equation 8)

    where t_{x_m} is the child that x goes to. It answers for the uncertainty about one instance,
    and is negative where a feature leads the row to a more mixed node.

    Parameters
    ----------
    forest : fitted forest or decision tree of scikit-learn, or TotallyRandomizedTrees
        Or a fitted pipeline or search that ends with one.
    X : DataFrame or array of shape (n_samples, n_features)
        Missing values are let through if the trees take them.
    columns : {"given", "transformed"}, default="given"
        As in `mdi`.

    Returns
    -------
    result : LocalImportances
        The base is 0; the values of a row sum to the impurity that its paths remove,
        mean over trees of i(root) - i(leaf). Over the training sample the mean of the values is
        `mdi` (equation 9) if the trees saw the whole sample once; with bootstrap that holds tree
        by tree with `in_bag_counts` as weights. Cost: about that of a prediction.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from course_lib.worlds import make_rare
    >>> X, y = make_rare()
    >>> tree = DecisionTreeClassifier(criterion="entropy").fit(X, y)
    >>> local_mdi(tree, X.iloc[[0, 9]]).values.round(3)
    array([[ 0.469],
           [-0.531]])
    """
    chain = Chain(forest)
    forest, X = _with_impurities(chain.model), chain.table(X)
    rows, names = check_rows(forest, X)
    values = branch_means(forest, rows, _impurity_drops, len(names))
    values, names = chain.summed(values, columns, axis=1, names=names)
    measure = f"local MDI  decrease of {_impurity_name(forest)}"
    said = {"loss": impurity_in_words(_criterion(forest)), "sample": rows_given(len(rows))}
    return LocalImportances(values, 0.0, names, measure, Q3, **said, repeats="exact")


def saabas(forest, X, output=None, *, columns: str = "given") -> LocalImportances:
    """Saabas' contributions: how much each feature moves the prediction along a row's paths.

    As local MDI, with the change of the predicted value, value(t_{x_m}) - value(t), in place of
    the decrease of impurity.

    Parameters
    ----------
    forest : fitted forest or decision tree of scikit-learn, or TotallyRandomizedTrees
        Or a fitted pipeline or search that ends with one.
    X : DataFrame or array of shape (n_samples, n_features)
    output : class, default=None
        For a classifier, the class whose probability is explained: its label, or its position if
        no class has that label. None means the second of two classes; of more classes, the one
        that is predicted for each row.
    columns : {"given", "transformed"}, default="given"
        As in `mdi`.

    Returns
    -------
    result : LocalImportances
        base + values.sum(axis=1) is the prediction, or the predicted probability; the base is the
        mean prediction at the roots. Cost: about that of a prediction.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> tree = DecisionTreeRegressor().fit([[0.0], [1.0]], [10.0, 20.0])
    >>> explained = saabas(tree, [[0.0]])
    >>> explained.base, explained.values
    (array([15.]), array([[-5.]]))
    """
    chain = Chain(forest)
    forest, X = check_forest(chain.model), chain.table(X)
    rows, names = check_rows(forest, X)
    explained = explained_columns(forest, X, output)
    values, base = np.empty((len(rows), len(names))), np.empty(len(rows))
    for column in np.unique(explained):
        mine = explained == column
        moved = partial(_value_changes, column=column)
        values[mine] = branch_means(forest, rows[mine], moved, len(names))
        base[mine] = _root_mean(forest, column)
    values, names = chain.summed(values, columns, axis=1, names=names)
    said = {"loss": output_in_words(forest, output), "sample": rows_given(len(rows))}
    measure = "Saabas  change of the prediction"
    return LocalImportances(values, base, names, measure, Q3, **said, repeats="exact")


def unbiased_mdi(forest, X, y, method: str = "mdi-oob", *, columns: str = "given") -> Importances:
    """MDI with its bias towards features of many values removed, by the out-of-bag samples.

    A split's gain is measured on samples that did not choose it. With value(t) the in-bag mean of
    y in t (a vector of class shares for a classifier) and a prime for out-of-bag samples:

    mdi-oob : 1/n' sum over c of n'(c) <value(c) - value(t), value'(c)>         (Li et al.)
    ufi     : sum over c of p(c) <value(c), value'(c) - value'(t)>              (Zhou & Hooker)

    over the children c of the nodes t that split on X_m. Measured on the in-bag samples instead,
    both are `mdi`. Numbers are taken from the mean of the tree's sample, so that a shift of y
    changes nothing. The papers treat Gini and squared error; for entropy, the gain is linear in
    the out-of-bag shares too: <a, value'(c) - value'(t)> with a the slope of u log2(u) between
    value(t) and value(c), which is again the decrease of entropy on the in-bag samples.

    Parameters
    ----------
    forest : fitted RandomForest or ExtraTrees of scikit-learn, with bootstrap=True
        Fitted without weights and grown with gini, entropy, log_loss, squared_error or
        friedman_mse. Or a fitted pipeline or search that ends with one.
    X, y
        The training sample, in its order; any other is refused.
    method : {"mdi-oob", "ufi"}, default="mdi-oob"
    columns : {"given", "transformed"}, default="given"
        As in `mdi`.

    Returns
    -------
    result : Importances
        One column per tree that has out-of-bag samples. For a feature that tells nothing about y
        the expected value is 0; single values may be negative.

    Examples
    --------
    Noise with twenty values looks important on the bag and not outside.

    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from course_lib.worlds import make_null
    >>> X, y = make_null(300, random_state=0)
    >>> forest = RandomForestClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> bool(abs(unbiased_mdi(forest, X, y).importances_mean).max() < 0.02)
    True
    >>> bool(mdi(forest).importances_mean.max() > 0.1)
    True
    """
    check_option(method, "method", ("mdi-oob", "ufi"))
    chain = Chain(forest)
    forest, X = _with_impurities(chain.model), chain.table(X)
    rows, names = check_rows(forest, X)
    refuse_several_targets(forest)
    refuse_weighted_bags(check_bags(forest))
    if forest.criterion not in KNOWN:
        raise ValueError(
            f"unbiased_mdi knows the criteria {', '.join(KNOWN)}, got "
            f"{forest.criterion!r}. Grow the forest with one of those."
        )
    if np.any(forest.monotonic_cst):
        raise ValueError(
            f"This {type(forest).__name__} was grown with monotonic_cst, by which the values of "
            f"its nodes are no means of y, as a gain out of the bag needs them. Fit it without, "
            f"or use oob_permutation_importance."
        )
    Y = _targets(forest, check_y(y, len(rows)))
    in_bag = in_bag_counts(forest, X)
    trees, first = [], 0
    for table, ends in node_tables(forest, rows):
        counts = in_bag[:, first : first + len(table.roots)]
        _check_training_sample(table, *node_totals(table, ends, counts, Y))
        outside = node_totals(table, ends, counts == 0, Y)
        trees.append(_out_of_bag_gains(table, *outside, forest.criterion, method, len(names)))
        first += len(table.roots)
    values = np.hstack(trees)[:, (in_bag == 0).any(axis=0)]
    if values.shape[1] == 0:
        raise ValueError(
            "No tree has an out-of-bag sample: every one drew all rows. "
            "Use more rows or more trees."
        )
    values, names = chain.summed(values, columns, names=names)
    said = {"loss": impurity_in_words(_criterion(forest)), **out_of_bag_words(values.shape[1])}
    return Importances(values, names, f"{method}  out-of-bag decrease of impurity", Q4, **said)


def _with_impurities(forest):
    """The forest itself, if its branches can be read and its variances are more than rounding.

    scikit-learn takes the mean square less the squared mean.
    """
    check_forest(forest)
    if _criterion(forest) not in VARIANCE:
        return forest
    for tree in (one.tree_ for one in getattr(forest, "estimators_", [forest])):
        mean, variance = np.abs(tree.value[0]).max(), tree.impurity[0]
        if tree.node_count > 1 and np.finfo(float).eps * mean**2 > LOST * variance:
            raise ValueError(
                f"y lies around {mean:.3g}, so far from 0 for its variance ({variance:.3g}) that "
                f"scikit-learn, which takes the difference of squares, has lost it in rounding. "
                f"Fit the {type(forest).__name__} to y less its mean."
            )
    return forest


def _criterion(forest) -> str:
    return getattr(forest, "criterion", "entropy")


def _impurity_name(forest) -> str:
    return _criterion(forest).replace("_", " ").replace("gini", "Gini")


def _impurity_drops(table) -> np.ndarray:
    """i(t) - i(c) of each node c with parent t; 0 for a root."""
    impurity = table.impurity
    return impurity.take(table.parent) - impurity


def _decreases(table) -> np.ndarray:
    """p(c) [i(t) - i(c)]: summed over the children c of t, p(t) times the decrease at t."""
    weight = table.weight
    return weight / weight[table.roots][table.tree] * _impurity_drops(table)


def _value_changes(table, column: int) -> np.ndarray:
    """value(c) - value(t) of each node c with parent t, in one output."""
    value = table.output(column)
    return value - value.take(table.parent)


def _root_mean(forest, column: int) -> float:
    roots = [table.output(column)[table.roots] for table, _ in node_tables(forest)]
    return float(np.concatenate(roots).mean())


def _targets(forest, y: np.ndarray) -> np.ndarray:
    """y as numbers in one column, or as one column of 0 and 1 per class."""
    if not is_classifier(forest):
        return check_y(y, numeric=True)[:, np.newaxis]
    indicators = y[:, np.newaxis] == forest.classes_
    if not indicators.any(axis=1).all():
        stranger = y[~indicators.any(axis=1)][0]
        raise ValueError(
            f"y has the class {stranger!r}, which the forest has never seen; it knows "
            f"{', '.join(map(str, forest.classes_))}. Pass the y of the training sample."
        )
    return indicators.astype(float)


def _check_training_sample(table, n, total) -> None:
    """Refuse a sample whose in-bag rows do not make the trees' own node counts and values."""
    mean = total / np.maximum(n, 1)[:, np.newaxis]
    if np.allclose(n, table.weight) and np.allclose(mean, table.value, rtol=1e-6, atol=1e-8):
        return
    raise ValueError(
        "The trees' own counts and values are not those of this X and y: the forest was fitted to "
        "another sample, in another order, with sample_weight, or with "
        "class_weight='balanced_subsample'. Pass the training sample as it was given to fit; for "
        "weighted rows use oob_permutation_importance."
    )


def _slope(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Slope of x log2(x) between u and v; 0 where both are 0, the derivative where they meet."""

    def f(x):
        return x * np.log2(x, out=np.zeros_like(x), where=x > 0)

    apart = abs(u - v) > 1e-9
    derivative = np.log2(u, out=np.zeros_like(u), where=u > 0) + (u > 0) / np.log(2)
    return np.divide(f(u) - f(v), u - v, out=derivative, where=apart)


def _out_of_bag_gains(table, n_out, total_out, criterion, method, n_features) -> np.ndarray:
    """`unbiased_mdi` of each tree: the gain of every node, credited to its parent's variable."""
    parent, root = table.parent, table.roots[table.tree]
    value, outside = table.value, total_out / np.maximum(n_out, 1)[:, np.newaxis]
    if criterion in VARIANCE:
        value, outside = value - value[root], outside - value[root]
    moved = np.where(n_out[:, np.newaxis] > 0, outside - outside[parent], 0.0)
    if criterion in ENTROPY:
        gain = _slope(value, value[parent]) * moved
    elif method == "ufi":
        gain = value * moved
    else:
        gain = (value - value[parent]) * outside
    if method == "ufi":
        share = table.weight / table.weight[root]
    else:
        share = n_out / np.maximum(n_out[root], 1)
    return gains_by_feature(table, share * gain.sum(axis=1), n_features)
