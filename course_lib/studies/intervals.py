"""Five intervals for a permutation importance, from one table of what every exchange costs."""

import numpy as np
import pandas as pd

from course_lib.validation import check_count


def shuffle_intervals(D, rng: np.random.Generator, *, n_shuffles: int = 50) -> pd.DataFrame:
    """Estimates of the mean increase and their standard errors, in five ways.

    D[k, i] is what row k loses when it gets its value from row i, so D[k, k] = 0. As a body, row k
    has the mean of its row of D, as a head the mean of its column; n times the variance of the mean
    over all pairs is about the variance of body plus head. The bootstrap draws 100 times n rows
    with replacement, and each of them keeps both of its parts.

    Returns
    -------
    table : DataFrame
        The columns "mean" and "standard error", one row for each interval.

    Examples
    --------
    >>> D = 1.0 - np.eye(4)
    >>> shuffle_intervals(D, np.random.default_rng(0)).loc["all pairs, body plus head"].tolist()
    [1.0, 0.0]
    """
    D, n = np.asarray(D, dtype=float), len(D)
    n_shuffles = check_count(n_shuffles, "n_shuffles")
    shuffles = np.array([D[np.arange(n), rng.permutation(n)] for _ in range(n_shuffles)])
    many, spread = shuffles.mean(), shuffles.mean(axis=1).std()
    body, head = D.sum(axis=1) / (n - 1), D.sum(axis=0) / (n - 1)
    W = rng.multinomial(n, np.full(n, 1 / n), size=100)  # how often each row is drawn
    bootstrap = ((W @ D) * W).sum(axis=1).std() / n**2
    found = {
        "one shuffle, tau² / n": (shuffles[0].mean(), shuffles[0].std() / n**0.5),
        f"{n_shuffles} shuffles, their spread": (many, spread),
        f"{n_shuffles} shuffles, spread / √{n_shuffles}": (many, spread / n_shuffles**0.5),
        "all pairs, body plus head": (body.mean(), (body + head).std() / n**0.5),
        "all pairs, bootstrap of rows": (body.mean(), bootstrap),
    }
    return pd.DataFrame.from_dict(found, "index", columns=["mean", "standard error"])
