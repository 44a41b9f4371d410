# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Exercise 01 · From a list of counts to the importance of a variable
#
# You will build the mean decrease of impurity from nothing: the entropy of a node, the decrease by a split,
# the best threshold, a tree, a forest. Each task ends with a check. It says *not attempted*, *not yet* or
# *correct*; it never shows the solution, but it knows the usual slips. `hint("01.1")` helps one step at a time.
#
# About 60 minutes. Run the cells from the top, also when you come back; change only those that ask for an answer.
#
# It goes with [lesson 01](../../notebooks/01_mdi.ipynb).

# %%
import numpy as np

from course_lib.learner import check, hint
from course_lib.models import impurity_decrease

# %% [markdown]
# ## A worked example: Gini from counts
#
# A node holds 3 samples of one class and 1 of another. Two samples drawn from it (the first put back) agree with
# probability $(3/4)^2 + (1/4)^2$. Gini is the probability that they do not.


# %%
def gini(counts):
    """Gini impurity of a node, from the number of samples of each class."""
    p = np.array(counts) / np.sum(counts)
    return float(1 - np.sum(p**2))


gini([3, 1]), gini([4, 0]), gini([2, 2])

# %% [markdown]
# One step at a time: from counts to shares, from shares to a number, and then three cases that you can check in your head.

# %% [markdown]
# ## 01.1 Entropy of a node (2 points)
#
# Now the entropy, in bits: $-\sum_c p_c \log_2 p_c$. A class with no samples contributes 0; numpy would
# say that 0 times the logarithm of 0 is `nan`.


# %% task="01.1"
def entropy(counts):
    """Entropy in bits of a node, from the number of samples of each class."""
    ### BEGIN SOLUTION
    p = np.array(counts) / np.sum(counts)
    p = p[p > 0]
    return -np.sum(p * np.log2(p))
    ### END SOLUTION


# %% check="01.1"
check("01.1", entropy)

# %% [markdown]
# ## 01.2 What a split removes (2 points)
#
# Fill the three blanks. `left` and `right` are the counts of the two children; use `gini` from the example.
#
# $$\Delta i(t) = i(t) - \frac{N_{t_L}}{N_t}\, i(t_L) - \frac{N_{t_R}}{N_t}\, i(t_R)$$


# %% task="01.2"
def decrease(left, right):
    """Decrease of the Gini impurity when a node falls into children with these counts."""
    left, right = np.array(left), np.array(right)
    parent = left + right
    weight_left = ...
    ### BEGIN SOLUTION
    weight_left = left.sum() / parent.sum()
    ### END SOLUTION
    weight_right = ...
    ### BEGIN SOLUTION
    weight_right = right.sum() / parent.sum()
    ### END SOLUTION
    before = ...
    ### BEGIN SOLUTION
    before = gini(parent)
    ### END SOLUTION
    return before - weight_left * gini(left) - weight_right * gini(right)


# %% check="01.2"
check("01.2", decrease)

# %% [markdown]
# ## 01.3 The best threshold (3 points)
#
# Here only the first line is given. `x` holds distinct numbers in no particular order, `y` the classes. Return the threshold, halfway
# between two neighbouring values of `x`, that lowers the entropy of `y` most.
# `impurity_decrease(y, x <= threshold)` from the library computes the decrease at one threshold.


# %% task="01.3"
def best_threshold(x, y):
    """Midpoint between two neighbouring values of x with the largest decrease of entropy."""
    ### BEGIN SOLUTION
    values = np.sort(x)
    midpoints = (values[:-1] + values[1:]) / 2
    decreases = [impurity_decrease(y, x <= midpoint) for midpoint in midpoints]
    return midpoints[np.argmax(decreases)]
    ### END SOLUTION


# %% check="01.3"
check("01.3", best_threshold)

# %% [markdown]
# ## 01.4 MDI of a tree (3 points)
#
# A fitted tree of scikit-learn keeps its nodes in arrays, all of the same length: `tree.tree_.feature[t]` is the variable that node
# `t` asks about, `children_left[t]` and `children_right[t]` are its children (-1 in a leaf), `impurity[t]` its impurity and
# `weighted_n_node_samples[t]` its number of samples, where a sample that the tree was given twice counts twice. Node 0 is the
# root. Return one number for each of the `tree.n_features_in_` features, not normalised; a feature that no split asks about has importance 0.
#
# $$\mathrm{Imp}(X_m, T) = \sum_{t:\, v(t) = X_m} \frac{N_t}{N}\, \Delta i(t)$$


# %% task="01.4"
def tree_mdi(tree):
    """Unnormalised MDI of each feature in a fitted decision tree."""
    ### BEGIN SOLUTION
    nodes = tree.tree_
    importances = np.zeros(tree.n_features_in_)
    N = nodes.weighted_n_node_samples
    mixed = N / N[0] * nodes.impurity  # p(t) i(t)
    for t in range(nodes.node_count):
        left, right = nodes.children_left[t], nodes.children_right[t]
        if left != -1:
            importances[nodes.feature[t]] += mixed[t] - mixed[left] - mixed[right]
    return importances
    ### END SOLUTION


# %% check="01.4"
check("01.4", tree_mdi)

# %% [markdown]
# ## 01.5 MDI of a forest (2 points)
#
# `forest.estimators_` is the list of its trees. Each was grown on a bootstrap sample, in which some rows occur twice or more. You do not need your answer to
# 01.4: for one tree use the function below, which lets scikit-learn compute what 01.4 asks for.


# %%
def imp_of_tree(tree):
    """Unnormalised MDI of each feature in one tree."""
    return tree.tree_.compute_feature_importances(normalize=False)


# %% task="01.5"
def forest_mdi(forest):
    """MDI of each feature in a fitted forest, in the unit of the impurity."""
    ### BEGIN SOLUTION
    return np.mean([imp_of_tree(tree) for tree in forest.estimators_], axis=0)
    ### END SOLUTION


# %% check="01.5"
check("01.5", forest_mdi)

# %% [markdown]
# ## 01.6 How much was there, and how much is gone? (2 points)
#
# `feature_importances_` adds up to 1 for every forest whose splits removed anything at all, so it cannot tell a forest that removed nearly all impurity from one that
# removed hardly any. The undivided MDI can. You are given it as `imp`, one number per feature. Return the share of the impurity at the
# roots (`tree.tree_.impurity[0]`, its mean over the trees) that the splits of the forest removed.


# %% task="01.6"
def share_removed(forest, imp):
    """Share of the mean root impurity that all splits together removed, between 0 and 1."""
    ### BEGIN SOLUTION
    roots = np.mean([tree.tree_.impurity[0] for tree in forest.estimators_])
    return np.sum(imp) / roots
    ### END SOLUTION


# %% check="01.6"
check("01.6", share_removed)

# %% [markdown]
# Now use it on data you have not seen here: 178 wines from three grape varieties, once with the real varieties and once with the
# varieties shuffled. Run the cell; there is nothing to fill in.

# %% tags=["only-shown"]
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier

from course_lib.measures import mdi

X, variety = load_wine(return_X_y=True)
shuffled = np.random.default_rng(0).permutation(variety)
shares = {}
for name, y in {"real varieties": variety, "shuffled varieties": shuffled}.items():
    forest = RandomForestClassifier(20, max_depth=3, random_state=0).fit(X, y)
    shares[name] = share_removed(forest, mdi(forest).importances_mean)
pd.Series(shares, dtype=float).to_frame("share removed").round(2)

# %% [markdown]
# Both forests print importances that add up to 1. One of them removed most of the impurity. The other one had nothing
# to learn, and still removed about a fifth of it from the sample it was trained on. Lesson 02 begins here.

# %% [markdown]
# ## 01.7 Which scales give the same tree? (1 point)
#
# A variable `x` takes positive values only. Which of these changes of scale leave every tree that searches for its best splits exactly as it was,
# apart from its thresholds?
#
# a) `100 * x` b) `np.log(x)` c) `x**2` d) `np.round(x)` e) `abs(x - 3)` f) the rank of `x` among the rows
#
# Answer with a set of letters, such as `{"c", "d"}`.

# %% task="01.7"
same_tree = ...
### BEGIN SOLUTION
same_tree = {"a", "b", "c", "f"}
### END SOLUTION

# %% check="01.7"
check("01.7", same_tree)

# %% [markdown]
# ## 01.w In your own words (5 points, read by a person)
#
# A report on a random forest says: *"age has an importance of 0.31, so age explains 31 % of the outcome."* In one
# paragraph: say what the 0.31 is a share of, what was divided away before it was printed, to what age is important by this number,
# and one sentence that the author may write instead.
#
# One point each: what it is a share of · what was divided away · the question it answers · a sentence that the number
# licenses · nothing causal, nothing about other seeds, models or data.

# %% [markdown] written="01.w"
# ### BEGIN SOLUTION
# {{answer}}
# ### END SOLUTION

# %% [markdown]
# ## Compare and go on
#
# When your own paragraph stands above, compare it here with the points that a reader looks for and, if your edition of the course has one, with a model answer.

# %%
from course_lib.learner import model_answer, progress

model_answer("01.w")

# %% [markdown]
# {{onward}}

# %%
progress("01")
