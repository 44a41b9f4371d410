# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Exercise 02 · What chance is paid, and who should judge
#
# You will measure what noise is paid, let rows outside the bag judge a split and then a forest, and catch probes that only
# pretend to be random. All targets here are numbers and the impurity is the variance; for two classes Gini is twice that,
# so nothing is lost. Each task ends with a check; `hint("02.1")` helps one step at a time.
#
# About 60 minutes. Change only the cells that ask for an answer.

# %%
from itertools import permutations

import numpy as np

from course_lib.learner import check, hint
from course_lib.measures import in_bag_counts, saabas
from course_lib.models import impurity_decrease

# %% [markdown]
# ## A worked example: the pay of one blind cut
#
# Six targets are dealt to six places in all 720 possible orders, and the first two places are always cut off from the rest. The cut
# knows nothing. What does it remove on average, and what does $i(t)/(n-1)$ say?

# %%
targets = np.array([1.0, 2.0, 2.5, 4.0, 7.0, 9.0])
first_two = np.arange(6) < 2
removed = [
    impurity_decrease(order, first_two, "variance") for order in permutations(targets)
]
round(float(np.mean(removed)), 6), round(float(np.var(targets) / (6 - 1)), 6)

# %% [markdown]
# The same number: the closed form is exact, for six targets as for six thousand. A decrease is never negative, so chance does not cancel;
# it is paid every time.

# %% [markdown]
# ## 02.1 The best of many cuts (2 points)
#
# A tree does not cut blindly. Fill the three blanks: at which values of `x` can one cut (`x <= threshold` must leave somebody on both sides), which kind of
# impurity belongs to numbers, and which of the decreases does the tree keep?


# %% task="02.1"
def best_decrease(x, y):
    """Largest decrease of the variance of y over all cuts of x; x may have equal values."""
    thresholds = (
        ### BEGIN SOLUTION
        np.unique(x)[:-1]
        ### END SOLUTION
    )
    kind = (
        ### BEGIN SOLUTION
        "variance"
        ### END SOLUTION
    )
    decreases = [impurity_decrease(y, x <= threshold, kind) for threshold in thresholds]
    kept = (
        ### BEGIN SOLUTION
        max(decreases)
        ### END SOLUTION
    )
    return float(kept)


# %% check="02.1"
check("02.1", best_decrease)

# %% [markdown]
# ## 02.2 What a blind split is paid (2 points)
#
# From the signature. A node holds the targets `y`. A column of noise splits it blindly into `n_children` groups. Return the expected decrease of the
# variance. (For two children the worked example has just shown it; section 2.4 of the lesson says what further children add.)


# %% task="02.2"
def blind_decrease(y, n_children):
    """Expected decrease of the variance of y by a split that knows nothing."""
    ### BEGIN SOLUTION
    return np.var(y) * (n_children - 1) / (len(y) - 1)
    ### END SOLUTION


# %% check="02.2"
check("02.2", blind_decrease)

# %% [markdown]
# ## 02.3 How often chance does as well (2 points)
#
# Is a column independent of the target? Compare the best cut on the real targets with the best cut on shuffled ones. `shuffles` has one row for each
# order of the targets. With $B$ rows,
#
# $$p = \frac{1 + \#\{\text{shuffles whose best cut removes at least as much}\}}{1 + B} .$$


# %% task="02.3"
def p_value(x, y, shuffles):
    """Permutation p-value of the independence of x and y, with the best cut as statistic."""
    ### BEGIN SOLUTION
    observed = best_decrease(x, y)
    as_good = [best_decrease(x, shuffled) >= observed for shuffled in shuffles]
    return (1 + sum(as_good)) / (1 + len(shuffles))
    ### END SOLUTION


# %% check="02.3"
check("02.3", p_value)

# %% [markdown]
# ## 02.4 One split, judged from outside the bag (3 points)
#
# A tree was grown on the rows in the bag. Its root splits them by `left_in` (True: left child), and would split the rows outside by `left_out`. A row that goes left has
# its prediction moved from the mean of `y_in` to the mean of `y_in` in the left child; to the right, likewise. Return the mean, over the rows
# *outside*, of
#
# (the move of the row) × (its target − the mean of `y_in`).


# %% task="02.4"
def outside_gain(y_in, left_in, y_out, left_out):
    """What the split is worth to the rows outside the bag; may be negative."""
    ### BEGIN SOLUTION
    node = y_in.mean()
    move_left = y_in[left_in].mean() - node
    move_right = y_in[~left_in].mean() - node
    moves = np.where(left_out, move_left, move_right)
    return np.mean(moves * (y_out - node))
    ### END SOLUTION


# %% check="02.4"
check("02.4", outside_gain)

# %% [markdown]
# ## 02.5 MDI-oob of a forest (3 points)
#
# A branch makes many moves. `saabas(tree, X)` adds them up for you: `.values[i, m]` is the sum of the moves of row `i` at splits on feature `m`, `.base[i]` is the mean
# at the root. `in_bag_counts(forest, X)[i, k]` says how often row `i` was drawn for tree `k`. Return MDI-oob, one number per
# feature: the mean over the trees of the mean, over the rows outside that tree's bag, of (sum of moves) × (target − base).


# %% task="02.5"
def mdi_oob(forest, X, y):
    """Out-of-bag MDI of each feature in a fitted RandomForestRegressor."""
    ### BEGIN SOLUTION
    gains = []
    for tree, counts in zip(
        forest.estimators_, in_bag_counts(forest, X).T, strict=True
    ):
        outside = counts == 0
        moves = saabas(tree, X[outside])
        target = y[outside] - moves.base
        gains.append((moves.values * target[:, np.newaxis]).mean(axis=0))
    return np.mean(gains, axis=0)
    ### END SOLUTION


# %% check="02.5"
check("02.5", mdi_oob)

# %% [markdown]
# ## 02.6 Broken probes (2 points)
#
# `probes` is a table of columns that somebody calls random. Return the set of names of those that are not: they are constant, or they are not
# independent of `y` (`p_value` of at most 0.02 with the given shuffles).


# %% task="02.6"
def broken_probes(probes, y, shuffles):
    """Names of the columns that are constant, or not independent of y."""
    ### BEGIN SOLUTION
    return {
        name
        for name, x in probes.items()
        if x.nunique() == 1 or p_value(x.to_numpy(), y, shuffles) <= 0.02
    }
    ### END SOLUTION


# %% check="02.6"
check("02.6", broken_probes)

# %% [markdown]
# Now your functions meet data you have not seen here: the diabetes patients of lesson 01, with a coin and a numbered ticket added. Run the cell; there is
# nothing to fill in. The first column is MDI, the second is yours.

# %%
import pandas as pd
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor

from course_lib.measures import mdi

rng = np.random.default_rng(0)
X, progression = load_diabetes(return_X_y=True, as_frame=True)
X = X.assign(coin=rng.integers(0, 2, len(X)), ticket=rng.permutation(len(X)))
forest = RandomForestRegressor(30, max_features="sqrt", random_state=0)
forest.fit(X.to_numpy(), progression)
yours = mdi_oob(forest, X.to_numpy(), progression.to_numpy())
columns = {"MDI": mdi(forest).importances_mean, "MDI-oob": yours}
pd.DataFrame(columns, index=X.columns).astype(float).round(0)

# %% [markdown]
# By MDI the ticket is paid more than `sex` and the coin together, and as much as some of the blood values. Outside the bag it is worth nothing, or less: the moves that it
# made were in the wrong direction for patients who had no part in them.

# %% [markdown]
# ## 02.7 What lowers the pay of noise? (1 point)
#
# Which of these changes lower the expected importance of a column of pure noise?
#
# a) ten times as many trees b) entropy in bits instead of Gini c) a smaller `max_depth`, same sample d) ten times as many rows, leaves grown until they are
# pure e) ten times as many rows, same small `max_depth` f) measuring on the rows out of bag
#
# Answer with a set of letters, such as `{"a", "b"}`.

# %% task="02.7"
lower_pay = (
    ### BEGIN SOLUTION
    {"c", "e", "f"}
    ### END SOLUTION
)

# %% check="02.7"
check("02.7", lower_pay)

# %% [markdown]
# ## 02.w In your own words (5 points, read by a person)
#
# A team writes: *"By mistake `customer_id` was left in the table. The forest gives it the second-highest importance of twelve variables, so it
# seems to carry information about who leaves us, and we keep it."* In one paragraph: say why MDI may pay an identifier that knows nothing, what you would compute
# instead and how you would read it, under which circumstances the identifier might know something after all and how you would find out, and what your number
# would be important to.
#
# One point each: why it is paid · a measure judged by other rows · read with its scatter · when an identifier carries signal, and a test · the question it answers,
# and nothing causal.

# %% [markdown] written="02.w"
# ### BEGIN SOLUTION
# MDI is measured on the sample that chose the splits. An identifier has a different value for every customer, so a tree can choose among more cuts than
# in any other column and can ask it again on every branch; each such split follows the noise and is paid for it. I would let rows judge that did not choose the
# splits: MDI-oob, or permutation importance on held-out customers. Around 0, give or take its scatter over the trees, and possibly negative, means that nothing
# speaks for the identifier. A value well above 0 would not be noise: numbers that are given out in order of signing up know how long somebody has been a customer. I would
# test that by comparing the best cut on the real targets with the best cut on shuffled ones, and then use the date itself. The number tells what this algorithm
# made of this sample (Q4), for permutation what this model relies on (Q1); it does not say that the identifier makes anybody leave.
# ### END SOLUTION
