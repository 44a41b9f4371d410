# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Exercise 05 · From a table of rows to Shapley values
#
# You will build theorem 1 from nothing: what is uncertain, what an answer adds, one degree, all degrees. Then you let a tree choose,
# and see what changes. Each task ends with a check. It says *not attempted*, *not yet* or *correct*; it never shows the
# solution, but it knows the usual slips. `hint("05.1")` helps one step at a time.
#
# About 70 minutes. Change only the cells that ask for an answer.
#
# It goes with [lesson 05](../../notebooks/05_mdi_is_shapley.ipynb).

# %%
from itertools import combinations
from math import comb

import numpy as np

from course_lib.learner import check, hint
from course_lib.worlds import make_led

# %% [markdown]
# ## A worked example: what is left to know
#
# A table holds equally likely rows: `X` is an array with one column per variable, `y` the target of each row. When the variables
# in `S` are known, the rows fall into groups with the same values. Inside a group the target has an entropy; the mean
# over the groups, each by its share of the rows, is $H(Y \mid X_S)$.


# %%
def entropy_left(X, y, S):
    """H(Y | X_S) in bits, for equally likely rows; S is a list of positions."""
    groups = {}
    for row, target in zip(X[:, list(S)], y, strict=True):
        groups.setdefault(tuple(row), []).append(target)
    left = 0.0
    for targets in groups.values():
        p = np.unique(targets, return_counts=True)[1] / len(targets)
        left += len(targets) / len(y) * -np.sum(p * np.log2(p))
    return left


X_led, y_led = (table.to_numpy() for table in make_led())
[round(float(entropy_left(X_led, y_led, S)), 2) for S in ([], [1], [1, 4], range(7))]

# %% [markdown]
# The four numbers of the display: nothing known, `X2`, `X2` and `X5`, everything. Positions count from 0, so `X2` is 1.

# %% [markdown]
# ## 05.1 What an answer adds (2 points)
#
# $$I(X_m; Y \mid S) = H(Y \mid S) - H(Y \mid S, X_m)$$
#
# `m` is a position, `S` a list of positions without `m`. Use `entropy_left`.


# %% task="05.1"
def information(X, y, m, S):
    """Bits that variable m adds about y when the variables in S are known."""
    ### BEGIN SOLUTION
    return entropy_left(X, y, S) - entropy_left(X, y, [*S, m])
    ### END SOLUTION


# %% check="05.1"
check("05.1", information)

# %% [markdown]
# ## 05.2 One degree (2 points)
#
# Fill the three blanks. This is the part of $\mathrm{Imp}(X_m)$ from nodes with $k$ questions above them:
#
# $$\frac{1}{C_p^k} \frac{1}{p-k} \sum_{B \in \mathcal{P}_k(V^{-m})} I(X_m; Y \mid B)$$
#
# `combinations(others, k)` gives all sets of `k` of the others, `comb(p, k)` is $C_p^k$, and `information` is a function that does 05.1 for you:
# `information(X, y, m, S)`.


# %% task="05.2"
def degree_part(X, y, m, k, information):
    """The part of degree k of the importance of variable m in totally randomized trees."""
    p = X.shape[1]
    others = [j for j in range(p) if j != m]
    contexts = ...
    ### BEGIN SOLUTION
    contexts = combinations(others, k)
    ### END SOLUTION
    weight = ...
    ### BEGIN SOLUTION
    weight = 1 / comb(p, k) / (p - k)
    ### END SOLUTION
    total = 0.0
    for B in contexts:
        added = ...
        ### BEGIN SOLUTION
        added = information(X, y, m, B)
        ### END SOLUTION
        total += added
    return weight * total


# %% check="05.2"
check("05.2", degree_part)

# %% [markdown]
# ## 05.3 Theorem 1 (3 points)
#
# Write the whole function. Return one number per variable, in bits, as an array. `part` is a function that does 05.2 for you: `part(X, y, m, k)`.


# %% task="05.3"
def importance(X, y, part):
    """MDI of each variable in infinitely many totally randomized trees."""
    ### BEGIN SOLUTION
    p = X.shape[1]
    return np.array([sum(part(X, y, m, k) for k in range(p)) for m in range(p)])
    ### END SOLUTION


# %% check="05.3"
check("05.3", importance)

# %% [markdown]
# The display should now come out as in the lesson. Run the cell; there is nothing to fill in.


# %% tags=["only-shown"]
def part(X, y, m, k):
    return degree_part(X, y, m, k, information)


led = importance(X_led, y_led, part)
None if led is None else (np.round(led, 3), round(float(sum(led)), 4))

# %% [markdown]
# ## 05.4 The chance to be chosen (2 points)
#
# Now the tree chooses. In one node, `decreases` holds what each variable that is left would remove, all different. `K` of them are drawn
# without replacement, and the best of those is asked. With what probability is it variable `m`?


# %% task="05.4"
def chance(decreases, m, K):
    """Probability that variable m is asked when the best of K drawn variables is."""
    ### BEGIN SOLUTION
    worse = sum(other < decreases[m] for other in decreases)
    return comb(worse, K - 1) / comb(len(decreases), K)
    ### END SOLUTION


# %% check="05.4"
check("05.4", chance)

# %% [markdown]
# ## 05.5 A tree that asks the best question (3 points)
#
# With $K = p$ there is nothing to draw: each node asks the variable with the most information *in this node*. Return the importance of each variable in
# this tree, unnormalised. A node has one child for each value that the variable takes there; a variable may have more than two values, and they need not begin at 0. The rows of a node are a table like any other, so the function may call itself on the children. Ties do
# not occur in the tables of the check, except where no question removes anything (all below `1e-9`); there the branch ends. (The lesson's trees go on until everything has been
# asked. This one ends earlier: it does not see what two questions would remove only together.) `information` is given as in 05.2.


# %% task="05.5"
def greedy_importance(X, y, information):
    """MDI of each variable in the multiway tree that asks the best question in each node."""
    ### BEGIN SOLUTION
    p = X.shape[1]
    gains = [information(X, y, m, []) for m in range(p)]
    importances = np.zeros(p)
    if max(gains) < 1e-9:
        return importances
    best = int(np.argmax(gains))
    importances[best] = gains[best]
    for value in np.unique(X[:, best]):
        child = X[:, best] == value
        below = greedy_importance(X[child], y[child], information)
        importances += child.mean() * below
    return importances
    ### END SOLUTION


# %% check="05.5"
check("05.5", greedy_importance)

# %% [markdown]
# ## 05.6 Who is irrelevant? (2 points)
#
# Now tables you have not seen: some variables in them are coins, some say nothing alone, some only repeat what
# another one says. Return the set of the positions of those that add nothing about `y` in *any* context. (Theorem 3 saves you from
# looking at all contexts yourself: `importance(X, y)` is given and does 05.3 for you.)


# %% task="05.6"
def irrelevant(X, y, importance):
    """Positions of the variables that add nothing about y, whatever else is known."""
    ### BEGIN SOLUTION
    return {m for m, value in enumerate(importance(X, y)) if value < 1e-9}
    ### END SOLUTION


# %% check="05.6"
check("05.6", irrelevant)

# %% [markdown]
# ## 05.7 What stays true when trees choose? (1 point)
#
# Infinitely many trees on infinitely many rows, as in the lesson: each node asks the best of $K$ variables drawn among those not yet asked on its branch, ties are broken by a coin, and every branch goes on until all variables
# have been asked. Which statements hold for every $K$?
#
# a) The importances add up to $I(X_1, \dots, X_p; Y)$. b) An irrelevant variable has importance 0. c) A variable with importance 0 is
# irrelevant. d) Two symmetric variables have the same importance. e) A strongly relevant variable, one that still adds something to all the others, has an
# importance above 0. f) A further irrelevant variable leaves the importances of the others as they are.
#
# Answer with a set of letters, such as `{"c", "d"}`.

# %% task="05.7"
always_true = ...
### BEGIN SOLUTION
always_true = {"a", "b", "e"}
### END SOLUTION

# %% check="05.7"
check("05.7", always_true)

# %% [markdown]
# ## 05.w In your own words (5 points, read by a person)
#
# A colleague writes: *"We used random forest importances (max_features = p). They are Shapley values, hence fair and unique; gene G7 has importance 0, so it
# carries no information about the disease."* In one paragraph: say which trees, which game and which limits the theorem is about, what
# choosing the best split does to it, why 0 does not mean what the colleague says, and what they may write instead.
#
# One point each: the conditions of the theorem · the game · masking and what it breaks · why 0 is not "no information" · a sentence that is licensed.

# %% [markdown] written="05.w"
# ### BEGIN SOLUTION
# {{answer}}
# ### END SOLUTION

# %% [markdown]
# ## Compare and go on
#
# When your own paragraph stands above, compare it here with the points that a reader looks for and, if your edition of the course has one, with a model answer.

# %%
from course_lib.learner import model_answer, progress

model_answer("05.w")

# %% [markdown]
# {{onward}}

# %%
progress("05")
