# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Exercise 06 · From one path to the importance for one row
#
# You will credit the questions along a path, walk a row down a tree and through a forest, get the global measure back, and
# average over all orders of asking. Each task ends with a check that knows the usual slips; `hint("06.1")` helps one step at a time.
#
# About 60 minutes. Change only the cells that ask for an answer.
#
# It goes with [lesson 06](../../notebooks/06_local_mdi.ipynb).

# %%
from itertools import permutations

import numpy as np

from course_lib.learner import check, hint

# %% [markdown]
# ## A worked example: the digits that remain
#
# A display shows a 7. Its middle segment is dark: 0, 1 and 7 remain of ten digits. Its top is lit: 0 and 7. Its upper left is dark:
# only the 7. With $n$ equally likely digits left, the uncertainty is $\log_2 n$ bits, and each answer removed the difference.

# %%
remaining = np.array([10, 3, 2, 1])
removed = -np.diff(np.log2(remaining))
removed.round(3), round(float(removed.sum()), 3)

# %% [markdown]
# The middle earned 1.737 bits, the top 0.585, the upper left 1. Together they are the 3.322 bits that there were.

# %% [markdown]
# ## 06.1 Credit along one path (2 points)
#
# Fill the three blanks. `asked[k]` is the number of the variable that the k-th node of a path asks; `impurities[k]` is the impurity of
# that node, and the last entry of `impurities` that of the leaf, which may still be mixed. A variable may be asked more than once.


# %% task="06.1"
def path_credit(n_features, asked, impurities):
    """For each variable, the impurity removed by the questions about it along one path."""
    credit = np.zeros(n_features)
    for k, variable in enumerate(asked):
        before = ...
        ### BEGIN SOLUTION
        before = impurities[k]
        ### END SOLUTION
        after = ...
        ### BEGIN SOLUTION
        after = impurities[k + 1]
        ### END SOLUTION
        new_credit = ...
        ### BEGIN SOLUTION
        new_credit = credit[variable] + before - after
        ### END SOLUTION
        credit[variable] = new_credit
    return credit


# %% check="06.1"
check("06.1", path_credit)

# %% [markdown]
# ## 06.2 One row in a tree (3 points)
#
# From the signature. `tree.tree_` holds the arrays `feature`, `threshold`, `children_left`, `children_right` and `impurity`; node 0 is
# the root, and in a leaf `children_left` is -1. The row goes left where `x[feature[t]] <= threshold[t]`. Equation 8 for one tree:
#
# $$\mathrm{Imp}(X_m, \mathbf{x}) = \sum_{t:\, v(t) = X_m,\ \mathbf{x} \in t} i(t) - i(t_{x_m})$$


# %% task="06.2"
def tree_local_mdi(tree, x):
    """Local MDI of each feature at the row x in a fitted decision tree."""
    ### BEGIN SOLUTION
    nodes, t = tree.tree_, 0
    credit = np.zeros(tree.n_features_in_)
    while nodes.children_left[t] != -1:
        m = nodes.feature[t]
        goes_left = x[m] <= nodes.threshold[t]
        child = nodes.children_left[t] if goes_left else nodes.children_right[t]
        credit[m] += nodes.impurity[t] - nodes.impurity[child]
        t = child
    return credit
    ### END SOLUTION


# %% check="06.2"
check("06.2", tree_local_mdi)

# %% [markdown]
# ## 06.3 Rows in a forest (1 point)
#
# `forest.estimators_` is the list of its trees, and `one_tree` a function that does 06.2 for you: `one_tree(tree, x)` gives the local MDI of each feature at
# one row `x` in one tree. Return an array with one row for each row of `X`.


# %% task="06.3"
def forest_local_mdi(forest, X, one_tree):
    """Local MDI of each feature at each row of X in a fitted forest."""
    ### BEGIN SOLUTION
    trees = forest.estimators_
    return np.array([np.mean([one_tree(tree, x) for tree in trees], axis=0) for x in X])
    ### END SOLUTION


# %% check="06.3"
check("06.3", forest_local_mdi)

# %% [markdown]
# ## 06.4 Back to the global measure (2 points)
#
# A random forest drew a bootstrap sample for every tree, of as many rows as there are or of fewer. `local[t, i, m]` is the local MDI of feature `m` at training row `i` in tree `t`;
# `counts[i, t]` says how often tree `t` drew row `i`. Return the global MDI of every feature: the mean over the trees of each tree's mean over its
# own sample.


# %% task="06.4"
def global_from_local(local, counts):
    """Global MDI of each feature from the local MDI of every tree and its in-bag counts."""
    ### BEGIN SOLUTION
    per_tree = [
        np.average(values, axis=0, weights=counts[:, t])
        for t, values in enumerate(local)
    ]
    return np.mean(per_tree, axis=0)
    ### END SOLUTION


# %% check="06.4"
check("06.4", global_from_local)

# %% [markdown]
# ## 06.5 All orders (3 points)
#
# `distribution` is a joint law of three variables and a target; `distribution.entropy_at(x, S)` is the entropy of the target once the
# variables in the list `S` are known to be as in the row `x`. Return the exact local importance of the three variables: for each, the mean over
# all orders of asking of what its answer removed.


# %% task="06.5"
def exact_local_importance(distribution, x):
    """Mean over all orders of entropy before minus entropy after, for each of three variables."""
    ### BEGIN SOLUTION
    credit, orders = np.zeros(3), list(permutations(range(3)))
    for order in orders:
        for k, m in enumerate(order):
            before = distribution.entropy_at(x, list(order[:k]))
            credit[m] += before - distribution.entropy_at(x, list(order[: k + 1]))
    return credit / len(orders)
    ### END SOLUTION


# %% check="06.5"
check("06.5", exact_local_importance)

# %% [markdown]
# ## 06.6 How far do two measures agree? (2 points)
#
# `first` and `second` hold what two measures say of the same rows and features. For each row, return the correlation of the
# absolute values, as in figure 2 of the paper.


# %% task="06.6"
def agreement_by_row(first, second):
    """Correlation of the absolute values of two measures, one number per row."""
    ### BEGIN SOLUTION
    a, b = abs(first), abs(second)
    return np.array([np.corrcoef(a[i], b[i])[0, 1] for i in range(len(a))])
    ### END SOLUTION


# %% check="06.6"
check("06.6", agreement_by_row)

# %% [markdown]
# Now use your functions on data you have not seen here: 178 wines of three grape varieties, thirty of them held out. For each held-out wine, the agreement of your
# local MDI with Saabas. Run the cell; there is nothing to fill in.

# %% tags=["only-shown"]
from sklearn.datasets import load_wine
from sklearn.ensemble import ExtraTreesClassifier

from course_lib.measures import saabas

X, variety = load_wine(return_X_y=True)
held_out = np.arange(178) % 6 == 0
forest = ExtraTreesClassifier(50, criterion="entropy", random_state=0).fit(
    X[~held_out], variety[~held_out]
)
local = forest_local_mdi(forest, X[held_out], tree_local_mdi)
if local is not None:
    agreements = agreement_by_row(local, saabas(forest, X[held_out]).values)
    certain = forest.predict_proba(X[held_out]).max(axis=1) > 0.9
    if agreements is not None:
        print(agreements[certain].mean().round(2), "where 90 % of the trees agree")
        print(agreements[~certain].mean().round(2), "elsewhere")

# %% [markdown]
# ## 06.7 Which can be negative? (1 point)
#
# Which of these can be negative in a correct computation?
#
# a) the MDI of a variable in a tree, on the sample the tree was grown on · b) its local MDI at one row · c) its Saabas contribution to one
# prediction · d) its tree SHAP value · e) its asymptotic MDI, a weighted sum of conditional mutual informations
#
# Answer with a set of letters, such as `{"a", "e"}`.

# %% task="06.7"
can_be_negative = ...
### BEGIN SOLUTION
can_be_negative = {"b", "c", "d"}
### END SOLUTION

# %% check="06.7"
check("06.7", can_be_negative)

# %% [markdown]
# ## 06.w In your own words (5 points, read by a person)
#
# A clinic shows each patient a page: *"For you, blood pressure has a local importance of -0.12 bits. Negative values are numerical noise and are
# set to 0."* In one paragraph: say what the -0.12 says about this patient, why it need not be noise, what setting such values to 0 destroys, and write the
# sentence that the page should carry instead.
#
# One point each: what the value says · why a true value may be negative · what clipping destroys · a sentence with its "to what" · no direction, no
# removal, no cause.

# %% [markdown] written="06.w"
# ### BEGIN SOLUTION
# {{answer}}
# ### END SOLUTION

# %% [markdown]
# ## Compare and go on
#
# When your own paragraph stands above, compare it here with the points that a reader looks for and, if your edition of the course has one, with a model answer.

# %%
from course_lib.learner import model_answer, progress

model_answer("06.w")

# %% [markdown]
# {{onward}}

# %%
progress("06")
