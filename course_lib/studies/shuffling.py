"""What shuffling costs a classifier: column by column, in groups, by several scores."""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform
from sklearn.metrics import get_scorer

from course_lib.measures import permutation_importance
from course_lib.models import zero_one
from course_lib.questions import Q1
from course_lib.results import Importances
from course_lib.validation import check_count

SCORERS = {  # by loss, the scorer of scikit-learn, which is higher where the loss is lower
    "cross-entropy": "neg_log_loss",
    "Brier score": "neg_brier_score",
    "wrong answers": "accuracy",
}


def one_and_all(model, X: pd.DataFrame, y, *, random_state=0) -> Importances:
    """The accuracy lost when each column is shuffled alone, and when whole rows are.

    The first line has one value for each column, a mean over ten shuffles; the second has as many
    shuffles of whole rows.
    """
    single = permutation_importance(model, X, y, loss=zero_one, random_state=random_state)
    rng, before = np.random.default_rng(random_state), model.score(X, y)
    rows = [before - model.score(X.sample(frac=1, random_state=rng), y) for _ in X]
    lines = ["one column at a time", f"all {X.shape[1]} at once"]
    return Importances([single.importances_mean, rows], lines, "accuracy lost", Q1)


def loss_ratios(found: Mapping, model, X: pd.DataFrame, y, *, n_columns: int = 8) -> dict:
    """Loss after shuffling one column over loss before, by loss, for the columns that cost most.

    `found` is what `sklearn.inspection.permutation_importance` gives for the SCORERS together.
    """
    costly = found[SCORERS["cross-entropy"]].importances_mean.argsort()[::-1]
    top = costly[: check_count(n_columns, "n_columns")]
    label = "loss after shuffling one column / loss before"
    ratios = {}
    for loss, name in SCORERS.items():
        score = get_scorer(name)(model, X, y)
        before = 1 - score if name == "accuracy" else -score
        values = 1 + found[name].importances[top] / before
        ratios[loss] = Importances(values, X.columns[top], label, Q1, reference=1.0)
    return ratios


def column_groups(X: pd.DataFrame, n_groups: int) -> list[list[str]]:
    """Columns that resemble each other: those with a high rank correlation join first.

    Ward's method on 1 - |Spearman's correlation|, after an example in scikit-learn's gallery.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame(rng.normal(size=(50, 2)), columns=["a", "b"])
    >>> column_groups(table.assign(c=-(table["a"] ** 3)), 2)
    [['a', 'c'], ['b']]
    """
    if not 1 <= check_count(n_groups, "n_groups") <= X.shape[1]:
        raise ValueError(
            f"n_groups must be between 1 and the number of columns, {X.shape[1]}; got {n_groups}."
        )
    distance = 1 - abs(X.corr(method="spearman").to_numpy())
    links = hierarchy.ward(squareform(distance, checks=False))
    cluster = hierarchy.fcluster(links, n_groups, "maxclust")
    return [list(X.columns[cluster == c]) for c in range(1, cluster.max() + 1)]


def together_and_apart(
    lost: Callable, groups: Mapping, found: Mapping, columns, *, n_repeats: int = 10
) -> dict[str, Importances]:
    """What groups cost when shuffled together, beside their columns one by one, added up.

    Parameters
    ----------
    lost : callable
        ``lost(group, scorer, rng)``: how much a score drops when a group is shuffled together.
    groups : mapping from the name of a group to the list of its columns
    found : mapping
        What `sklearn.inspection.permutation_importance` gives for the SCORERS together.
    columns : sequence of names
        The columns of the table, in the order of `found`.

    Returns
    -------
    series : dict of Importances
        For wrong answers and for the Brier score, "together" and "one by one, added up".
    """
    rng = np.random.default_rng(0)
    names, groups = list(groups), list(groups.values())
    series = {}
    for loss in ("wrong answers", "Brier score"):
        scorer, single = get_scorer(SCORERS[loss]), found[SCORERS[loss]].importances
        together = [[lost(group, scorer, rng) for _ in range(n_repeats)] for group in groups]
        added = [single[np.isin(columns, group)].sum(axis=0) for group in groups]
        for how, values in {"together": together, "one by one, added up": added}.items():
            series[f"{loss}: {how}"] = Importances(values, names, "mean loss, increase", Q1)
    return series
