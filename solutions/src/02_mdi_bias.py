# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Exercise 02 · What chance removes, and who should judge
#
# You will measure how much impurity noise removes, let rows outside the bag judge a split and then a forest, and catch probes that only
# pretend to be random. All targets here are numbers and the impurity is the variance; for two classes Gini is twice that,
# so nothing is lost. Each task ends with a check; `hint("02.1")` helps one step at a time.
#
# About 60 minutes. Change only the cells that ask for an answer.
#
# It goes with [lesson 02](../../notebooks/02_mdi_bias.ipynb).

# %%
from itertools import permutations

import numpy as np

from course_lib.learner import check, hint
from course_lib.measures import in_bag_counts, saabas
from course_lib.models import impurity_decrease

# %% [markdown]
# ## A worked example: one blind cut
#
# Six targets are dealt to six places in all 720 possible orders, and the first two places are always cut off from the rest. The cut
# is blind: it does not look at the targets. What does it remove on average, and what does $i(t)/(n-1)$ say?

# %%
targets = np.array([1.0, 2.0, 2.5, 4.0, 7.0, 9.0])
first_two = np.arange(6) < 2
removed = [
    impurity_decrease(order, first_two, "variance") for order in permutations(targets)
]
round(float(np.mean(removed)), 6), round(float(np.var(targets) / (6 - 1)), 6)

# %% [markdown]
# The same number: the closed form is exact, for six targets as for six thousand. A decrease is never negative, so chance does not cancel out;
# it adds up.

# %% [markdown]
# ## 02.1 The best of many cuts (2 points)
#
# A tree does not cut blindly. Fill the three blanks: at which values of `x` can one cut (`x <= threshold` should leave somebody on both sides; a cut that does not removes nothing), which kind of
# impurity belongs to numbers, and which of the decreases does the tree keep?


# %% task="02.1"
def best_decrease(x, y):
    """Largest decrease of the variance of y over all cuts of x; x may have equal values."""
    thresholds = ...
    ### BEGIN SOLUTION
    thresholds = np.unique(x)[:-1]
    ### END SOLUTION
    kind = ...
    ### BEGIN SOLUTION
    kind = "variance"
    ### END SOLUTION
    decreases = [impurity_decrease(y, x <= threshold, kind) for threshold in thresholds]
    kept = ...
    ### BEGIN SOLUTION
    kept = max(decreases)
    ### END SOLUTION
    return float(kept)


# %% check="02.1"
check("02.1", best_decrease)

# %% [markdown]
# ## 02.2 What a blind split removes (2 points)
#
# Here only the first line is given. A node holds the targets `y`. A column of noise splits it blindly into `n_children` groups, none of them empty. Return the expected decrease of the
# variance, exactly and without simulation. (For two children the worked example has just shown it; section 2.4 of the lesson says what further children add.)


# %% task="02.2"
def blind_decrease(y, n_children):
    """Expected decrease of the variance of y by a split that does not look at y."""
    ### BEGIN SOLUTION
    return np.var(y) * (n_children - 1) / (len(y) - 1)
    ### END SOLUTION


# %% check="02.2"
check("02.2", blind_decrease)

# %% [markdown]
# ## 02.3 How often chance does as well (2 points)
#
# Is a column independent of the target? Compare the best cut on the real targets with the best cut on shuffled ones. You are given the results of such
# cuts: `observed` is what the best cut removed from the real targets, and each of the $B$ values in `chance` is what it removed after one shuffle. The p-value is
#
# $$p = \frac{1 + \#\{\text{values of chance that are at least as large as the observed one}\}}{1 + B} .$$


# %% task="02.3"
def p_value(observed, chance):
    """Permutation p-value of the independence of a column and the target."""
    ### BEGIN SOLUTION
    as_good = sum(value >= observed for value in chance)
    return (1 + as_good) / (1 + len(chance))
    ### END SOLUTION


# %% check="02.3"
check("02.3", p_value)

# %% [markdown]
# ## 02.4 One split, judged from outside the bag (3 points)
#
# A tree was grown on the rows in the bag. Its root splits them by `left_in` (True: left child), and would split the rows outside by `left_out`. For a row that goes left,
# the prediction moves from the mean of `y_in` to the mean of `y_in` in the left child; to the right, likewise. It may happen that all rows outside go to the same side. Return the mean, over the rows
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
# feature: the mean over the trees of the mean, over the rows outside that tree's bag, of (sum of moves) × (target − base). This is the formula of section 2.6. Leave negative values as they are.


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
# `probes` is a table of columns that somebody calls random, and `p_values` maps the name of each one to the p-value of its independence of the target. Return the
# set of names of the broken ones: they are constant, or their p-value is at most 0.02.


# %% task="02.6"
def broken_probes(probes, p_values):
    """Names of the columns that are constant, or not independent of the target."""
    ### BEGIN SOLUTION
    return {
        name for name, x in probes.items() if x.nunique() == 1 or p_values[name] <= 0.02
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
# By MDI the ticket gets more than `sex` and the coin together, and as much as some of the blood values. Outside the bag it is worth about nothing: a negative value means that its moves
# happened to go in the wrong direction, on balance, for patients who had no part in them.

# %% [markdown]
# ## 02.7 What lowers the credit of noise? (1 point)
#
# A table has nothing but noise: no column has anything to do with the target, and one of them never repeats a value, as in section 2.5. A forest is grown on it until its leaves are pure. Which of these changes
# lower the expected importance of its columns, all of them together?
#
# a) ten times as many trees b) entropy in bits instead of Gini c) a `max_depth` of 3, same sample d) ten times as many rows, leaves still grown until they are
# pure e) ten times as many rows and a `max_depth` of 3 f) measuring on the rows out of bag
#
# Answer with a set of letters, such as `{"a", "b"}`.

# %% task="02.7"
lower_credit = ...
### BEGIN SOLUTION
lower_credit = {"c", "e", "f"}
### END SOLUTION

# %% check="02.7"
check("02.7", lower_credit)

# %% [markdown]
# ## 02.w In your own words (5 points, read by a person)
#
# A team writes: *"By mistake `customer_id` was left in the table. The forest gives it the second-highest importance of twelve variables, so it
# seems to carry information about who leaves us, and we keep it."* In one paragraph: say why MDI may credit an identifier that says nothing about the target, what you would compute
# instead and how you would read it, under which circumstances the identifier might carry information after all and how you would find out, and what your number
# would be important to.
#
# One point each: why it gets credit · a measure judged by other rows · read with its scatter · when an identifier carries signal, and a test · the question it answers,
# and nothing causal.

# %% [markdown] written="02.w"
# ### BEGIN SOLUTION
# {{answer}}
# ### END SOLUTION

# %% [markdown]
# ## Compare and go on
#
# When your own paragraph stands above, compare it here with the points that a reader looks for and, if your edition of the course has one, with a model answer.

# %%
from course_lib.learner import model_answer, progress

model_answer("02.w")

# %% [markdown]
# {{onward}}

# %%
progress("02")
