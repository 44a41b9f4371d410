"""How mixed a set of targets is, and how much a split unmixes it."""

import numpy as np

from course_lib.validation import check_option, check_y

KINDS = ("entropy", "gini", "variance")
IN_WORDS = {
    **dict.fromkeys(("entropy", "log_loss"), "entropy (bits)"),
    **dict.fromkeys(("variance", "squared_error", "friedman_mse"), "variance"),
    "gini": "Gini impurity",
    "absolute_error": "mean distance from the median",
    "poisson": "Poisson deviance",
}


def impurity_in_words(kind: str) -> str:
    """The name of an impurity, or of a criterion of scikit-learn's trees, as a result shows it.

    >>> impurity_in_words("log_loss"), impurity_in_words("gini")
    ('entropy (bits)', 'Gini impurity')
    """
    return IN_WORDS.get(kind, kind)


def impurity(y, kind: str = "entropy") -> float:
    """Impurity i(t) of a node t that holds the targets `y`: 0 if they are all the same.

    entropy  = - sum_c p_c log2 p_c   in bits
    gini     = 1 - sum_c p_c^2        the chance that two draws (with replacement) differ
    variance = mean of (y - mean)^2   for numbers; Gini is twice this for classes 0 and 1

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Classes of any kind; numbers for the variance.
    kind : {"entropy", "gini", "variance"}, default="entropy"

    Examples
    --------
    >>> impurity(["heads", "tails"])
    1.0
    >>> impurity([0, 1, 1, 1], "gini"), impurity([0, 1, 1, 1], "variance")
    (0.375, 0.1875)
    """
    check_option(kind, "kind", KINDS)
    y = check_y(y, numeric=kind == "variance")
    if len(y) == 0:
        raise ValueError("A node must hold at least one target, got none. Check the split.")
    if kind == "variance":
        return float(np.var(y))
    _, counts = np.unique(y, return_counts=True)
    p = counts / counts.sum()
    return float(-(p * np.log2(p)).sum()) + 0.0 if kind == "entropy" else float(1 - (p**2).sum())


def impurity_decrease(y, left, kind: str = "entropy") -> float:
    """How much a split decreases the impurity: i(t) - N_L/N i(t_L) - N_R/N i(t_R).

    Each child counts by its share of the samples. With entropy this is the mutual information
    between the side a sample falls on and its target. A split that leaves one side empty
    decreases nothing.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
    left : array-like of bool of shape (n_samples,)
        Which samples go to the left child.
    kind : {"entropy", "gini", "variance"}, default="entropy"

    Examples
    --------
    >>> impurity_decrease([0, 0, 1, 1], [True, True, False, False])
    1.0
    """
    left = np.asarray(left)
    if left.dtype != bool:
        raise TypeError(
            f"left must say True or False for each sample, got dtype {left.dtype}. "
            f"Pass a comparison such as x <= 3."
        )
    y = check_y(y, len(left), numeric=kind == "variance")
    if not 0 < left.sum() < len(left):
        return 0.0
    share = float(left.mean())
    return (
        impurity(y, kind) - share * impurity(y[left], kind) - (1 - share) * impurity(y[~left], kind)
    )
