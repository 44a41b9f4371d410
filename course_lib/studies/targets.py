"""What features move, and what that is worth: with the true target and with a shuffled one."""

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor

from course_lib.measures.attribution.tree_shap import tree_shap
from course_lib.measures.permutation import permutation_importance

N_EXPLAINED, N_BACKGROUND = 50, 60  # rows; tree SHAP takes its time


def moves_and_use(X: pd.DataFrame, y, *, random_state: int, n_trees: int = 50) -> pd.DataFrame:
    """Mean |SHAP| and permutation importance, added up over the features, of two forests.

    One is grown on the target, the other on the target shuffled. Both are grown on the same 300
    rows, drawn at random, and measured on the others; mean |SHAP| on fifty of these, with sixty
    of the 300 as background.

    Returns
    -------
    table : DataFrame
        A row for each measure, a column for each target.
    """
    rng = np.random.default_rng(random_state)
    y, rows = np.asarray(y), rng.permutation(len(X))
    fitted, new = rows[:300], rows[300:]
    columns = {}
    for name, target in {"the target": y, "the target, shuffled": rng.permutation(y)}.items():
        forest = RandomForestRegressor(n_trees, random_state=random_state)
        forest.fit(X.iloc[fitted], target[fitted])
        background = X.iloc[fitted[:N_BACKGROUND]]
        shares = tree_shap(forest, X.iloc[new[:N_EXPLAINED]], background=background).values
        shuffled = permutation_importance(
            forest, X.iloc[new], target[new], random_state=random_state
        )
        columns[name] = [abs(shares).mean(axis=0).sum(), shuffled.importances_mean.sum()]
    return pd.DataFrame(columns, index=["mean |SHAP|", "permutation importance"])
